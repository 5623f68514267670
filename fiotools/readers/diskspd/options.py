"""The conditions of a DISKSPD run, wherever they are written.

The XML has them as elements (``Profile``), the text as sentences (``Input parameters:``), a
transcript perhaps only as a command line. All three fill the same columns, so that both outputs of
one run give the same rows.

Specified in DISKSPD's ``CmdLineParser.cpp`` and ``Common.cpp`` (``Target::GetXml``), 2.0.12 to 2.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from fiotools import units
from fiotools.readers.diskspd import is_rule

Conditions = dict[str, Any]
Setting = tuple[str, str]

_PROGRAM = re.compile(r"(?i)(?:^|[\\/\s\"'&;|])diskspd[\w-]*(?:\.exe)?[\"']?\s+(.*)")
# a command ends where the shell takes over: the redirection of article 002's "... > test01.txt"
_SHELL = re.compile(r"[|&;]|\d?>>?")
_OPTION = re.compile(r"(-rs|-rd(?:pct|abs)|-.)(.*)")
_DASH = re.compile("^[\u2010\u2011\u2013\u2014\u2212]")  # programs replace hyphens by these
_BLOCKS = re.compile(r"(\d{1,9})b", re.IGNORECASE)
_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_LARGEST = 1e17  # bytes: no disk is larger
# sentences of the text
_SPAN = re.compile(r"(?:timespan|job):\s*\d+")
_PATH = re.compile(r"path: ['‘’“”\"]?(.*?)['‘’“”\"]?")  # programs make other quotes of them
_NUMBERS = ("block size", "size", "threads per file", "number of outstanding I/O operations")
_SENTENCE = re.compile(r"([^:(]+)(?::\s*(.*)|\((.*)\))")
_WRITE_PCT = {"performing read test": 0.0, "performing write test": 100.0}
_RANDOM = {
    "using random I/O": True,
    "using mixed random/sequential I/O": None,
    "using sequential I/O": False,
    "using interlocked sequential I/O": False,
    "stride size": False,
}
_MIX = re.compile(r"(read/write|write/read) ratio: (\d{1,3})/(\d{1,3})")


@dataclass(frozen=True)
class Asked:
    """The conditions and options of one run."""

    # the conditions of each target, by its path; an empty path stands for every target
    targets: dict[str, Conditions] = field(default_factory=dict)
    # the conditions of the whole run, as far as its targets share them
    total: Conditions = field(default_factory=dict)
    settings: list[Setting] = field(default_factory=list)  # every option as the tool had it
    each: int | None = None  # how many of the targets each thread works on, if known
    unread: tuple[str, ...] = ()  # numbers that cannot be read

    def of(self, path: str | None) -> Conditions:
        """Return the conditions of one target; without a name, those of the only target."""
        if path is None and len(self.targets) == 1:
            return next(iter(self.targets.values()))
        return self.targets.get(path or "") or self.targets.get("", {})

    def for_total(self, sizes: Mapping[str | None, int | None]) -> Conditions:
        """Return the conditions of the whole run; it has a size if it has one target."""
        if len(sizes) == 1:
            size = next(iter(sizes.values()))
            return {**self.total, "size_bytes": size or self.total.get("size_bytes")}
        # conditions of each of several targets do not hold for their sum
        each = ("size_bytes", "iodepth", "numjobs") if "" in self.targets else ("size_bytes",)
        return {name: value for name, value in self.total.items() if name not in each}


def plan(
    targets: Sequence[tuple[str, Conditions]],
    settings: Iterable[Setting],
    pool: int | None = None,
    per_thread: int | None = None,
) -> Asked:
    """Put the conditions of the targets, by their paths, together.

    ``pool`` (``-F``) is how many threads all targets share; without it every target has threads of
    its own. ``per_thread`` (``-O``) is how many I/Os a thread of the pool keeps outstanding.
    """
    for _, conditions in targets:
        if pool:
            conditions["numjobs"] = pool
        if per_thread:
            # the targets share them by weight: how many one target has is not fixed
            conditions["iodepth"] = None
    by_path: dict[str, list[Conditions]] = {}
    for path, conditions in targets:
        by_path.setdefault(path, []).append(conditions)
    everything = [conditions for _, conditions in targets]
    total = _shared(everything)
    if len(targets) > 1:
        # numjobs x iodepth stays the number of I/Os outstanding, which Little's law asks for
        total["size_bytes"] = None
        summed = "iodepth" if pool else "numjobs"
        total[summed] = sum_of([one.get(summed) for one in everything])
    if per_thread:
        total["iodepth"] = per_thread
    each = None if "" in by_path else len(targets) if pool else 1
    return Asked({path: _shared(same) for path, same in by_path.items()}, total, [*settings], each)


def _shared(several: Sequence[Conditions]) -> Conditions:
    if not several:
        return {}
    first, *others = several
    return {k: v for k, v in first.items() if all(other.get(k) == v for other in others)}


def sum_of(values: Sequence[int | None]) -> int | None:
    """Sum values; None if one is missing."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def conditions(random: bool | None, write_pct: float | None, **others: Any) -> Conditions:
    """Return the conditions of a target, with its pattern in fio's words."""
    rw = None
    if random is not None and write_pct is not None:
        word = {0: "read", 100: "write"}.get(int(write_pct), "rw")
        rw = f"rand{word}" if random else word
    reads = None if write_pct is None else 100.0 - write_pct
    return {"rw": rw, "rwmixread_pct": reads, **others}


def moment(text: str) -> datetime | None:
    """Read when DISKSPD printed its results; GMT (UTC since 2.0.20a)."""
    try:
        return datetime.strptime(text.strip()[:19], "%Y/%m/%d %H:%M:%S").replace(tzinfo=UTC)
    except ValueError:
        return None


def arguments(command: str | None) -> list[Setting]:
    """Split a DISKSPD command line into options and values.

    Paths may have blanks without quotes (DISKSPD prints its arguments joined), so targets are left.
    """
    found = _PROGRAM.search(command or "")
    given: list[Setting] = []
    for word in found[1].split() if found else ():
        if _SHELL.match(word):
            break
        option = _OPTION.fullmatch(_DASH.sub("-", word))
        if option:
            given.append((option[1], option[2]))
    return given


def _of_arguments(given: Sequence[Setting]) -> Asked:
    """Read the conditions of a command line, if nothing better is printed.

    A number that was not given stays unknown. A switch that was not given is off: without ``-r``
    the I/O is sequential, without ``-w`` it reads, without ``-S`` the cache is used. A profile
    (``-X``) overrides all of that, so nothing is known then.
    """
    options = dict(given)
    if not options or "-X" in options:
        return plan([("", {})], given)
    block = typed_size(options.get("-b"), None)
    caching = "".join(value or "u" for name, value in given if name == "-S")
    caching += "h" if "-h" in options else ""
    direct: bool | None = "u" in caching or "h" in caching
    if not direct and "r" in caching:
        direct = None  # only the local cache is bypassed: neither
    target = conditions(
        None if "-rs" in options else any(name.startswith("-r") for name in options),
        count(options.get("-w") or "0"),
        bs_bytes=block,
        iodepth=count(options.get("-o")),
        numjobs=count(options.get("-t")),
        direct=direct,
        size_bytes=typed_size(options.get("-c"), block),
    )
    return plan([("", target)], given, count(options.get("-F")), count(options.get("-O")))


def typed_size(text: str | None, block: int | None) -> int | None:
    """Read a size as DISKSPD takes it: ``4k`` is 4096, ``8b`` is eight blocks.

    Examples
    --------
    >>> typed_size("4K", None), typed_size("8b", 4096)
    (4096, 32768)
    """
    blocks = _BLOCKS.fullmatch(text or "")
    if blocks:
        return int(blocks[1]) * block if block else None
    return printed_size(text)


def printed_size(text: str | None) -> int | None:
    """Read a size as DISKSPD prints it; None for one with a comma, unless that parts thousands.

    Examples
    --------
    >>> printed_size("67108864B"), printed_size("65.536"), printed_size("1,500MiB")
    (67108864, 65536, None)
    """
    text = ungrouped(text or "")
    try:
        size = units.size(text)
    except ValueError:
        return None
    if "," in text or ("." in text and text[-1].isdigit()):
        return None
    return int(size) if size < _LARGEST else None


def ungrouped(text: str) -> str:
    """Remove a person's separators between thousands; DISKSPD writes none."""
    return re.sub(r"\D", "", text) if _GROUPED.fullmatch(text) else text


def count(text: str | None) -> int | None:
    """Read a number that counts something; None for anything else."""
    text = ungrouped(text or "")
    return int(text) if text.isdecimal() and len(text) < 10 else None


# --- ``Input parameters:`` of the text: sentences ---------------------------------------------


def read_echo(lines: Sequence[str], given: Sequence[Setting]) -> Iterator[Asked]:
    """Read what each time span was asked to do, from the lines below ``Input parameters:``.

    The command line is better than nothing, if there is no ``timespan:``; its options come into
    the settings first.
    """
    spans: list[list[str]] = []
    for line in map(str.strip, lines):
        if _SPAN.fullmatch(line):
            spans.append([])
        elif spans and not is_rule(line):
            spans[-1].append(line)
    if spans:
        yield from (_read_span(span, given) for span in spans)
    else:
        yield _of_arguments(given)


def _read_span(lines: Sequence[str], given: Sequence[Setting]) -> Asked:
    """Read one time span: sentences about all of it, then about each target."""
    general: dict[str, str] = {}
    targets: list[tuple[str, dict[str, str]]] = []
    into = general
    for line in lines:
        path = _PATH.fullmatch(line)
        if path:
            into = {}
            targets.append((path[1], into))
        elif "=>" in line:  # a part of "IO Distribution:"
            into["IO Distribution"] = "; ".join(filter(None, [into.get("IO Distribution"), line]))
        else:
            sentence = _SENTENCE.fullmatch(line)
            if sentence:
                into[sentence[1].strip()] = (sentence[2] or sentence[3] or "").rstrip(")")
            else:
                into[line] = "true"
    settings = [*given, *general.items()]
    for number, (target, said) in enumerate(targets, 1):
        name = f"target[{number}]" if len(targets) > 1 else "target"
        settings.append((f"{name}/path", target))
        settings += [(f"{name}/{option}", text) for option, text in said.items()]
    pool = next((name.split()[3] for name in general if name.startswith("thread pool with ")), None)
    asked = dict(given)
    threads = pool or asked.get("-F")
    found = plan(
        [(target, _of_sentences(said)) for target, said in targets],
        settings,
        count(threads),
        count(general.get("number of outstanding I/O operations per thread")),
    )
    # numbers that a person or a program changed are not certain
    unread = [
        f"{name}: {said[name]}"
        for _, said in targets
        for name in _NUMBERS
        if name in said and printed_size(said[name]) is None
    ]
    # a profile may give each thread of a pool targets of its own, which is not printed
    each = None if "-X" in asked else found.each
    return replace(found, each=each, unread=tuple(unread))


def _of_sentences(said: dict[str, str]) -> Conditions:
    depth = "number of outstanding I/O operations"
    mixed = _MIX.fullmatch(said.get("performing mix test", ""))
    write_pct = _told(_WRITE_PCT, said)
    if (
        mixed and write_pct is None
    ):  # before 2.0.16 it is "write/read ratio: 30/100" for 30 % of writes
        write_pct = float(mixed[2] if mixed[1] == "write/read" else mixed[3])
    return conditions(
        _told(_RANDOM, said),
        write_pct,
        bs_bytes=printed_size(said.get("block size")),
        iodepth=count(said.get(f"{depth} per thread") or said.get(depth)),
        numjobs=count(said.get("threads per file")),
        direct=_bypasses(said),
        size_bytes=printed_size(said.get("size")),
    )


def _told(meant: Mapping[str, Any], said: Mapping[str, str]) -> Any:
    """Return the meaning of the first of several sentences that was said; None without any."""
    return next((meaning for sentence, meaning in meant.items() if sentence in said), None)


def _bypasses(said: dict[str, str]) -> bool | None:
    """Return whether the page cache is bypassed: Windows' words of all versions, then Linux'."""
    joined = "; ".join(said)
    if "using O_DIRECT" in said or re.search(
        r"(?:^|; )software (?:and hardware .*)?cache disabled", joined
    ):
        return True
    # diskspd-for-linux says nothing of a cache that is used
    if "using software cache" in said or "block device" in said:
        return False
    return None
