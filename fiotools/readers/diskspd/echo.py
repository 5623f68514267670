"""``Input parameters:`` of DISKSPD's text output: sentences, to conditions and settings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from fiotools.readers.diskspd import options
from fiotools.readers.diskspd.lines import is_rule

_SPAN = re.compile(r"(?:timespan|job):\s*\d+")
_PATH = re.compile(r"path: ['‘’“”\"]?(.*?)['‘’“”\"]?")  # programs make other quotes of them
_NUMBERS = ("block size", "size", "threads per file", "number of outstanding I/O operations")
_SENTENCE = re.compile(r"([^:(]+)(?::\s*(.*)|\((.*)\))")
_MIX = re.compile(r"(read/write|write/read) ratio: (\d{1,3})/(\d{1,3})")


def read_echo(lines: Sequence[str], given: Sequence[options.Setting]) -> Iterator[options.Asked]:
    """Read what each time span was asked to do.

    Parameters
    ----------
    lines : sequence of str
        The lines below ``Input parameters:``.
    given : sequence of (option, text)
        The command line, which is better than nothing and comes into the settings first.

    Yields
    ------
    Asked
        One for each ``timespan:``; one from the command line alone where there is no such line.
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
        conditions, pool, per_thread = options.from_arguments(given)
        yield options.plan([("", conditions)], given, pool, per_thread)


def _read_span(lines: Sequence[str], given: Sequence[options.Setting]) -> options.Asked:
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
    plan = options.plan(
        [(target, _conditions(said)) for target, said in targets],
        settings,
        options.count(threads),
        options.count(general.get("number of outstanding I/O operations per thread")),
    )
    # a profile may give each thread of a pool targets of its own, which is not printed
    plan = replace(plan, each=None) if "-X" in asked else plan
    return replace(plan, unread=tuple(_unread(targets)))


def _unread(targets: Sequence[tuple[str, dict[str, str]]]) -> Iterator[str]:
    """Give the numbers that a person or a program changed, so that they are not certain."""
    for _, said in targets:
        for name in _NUMBERS:
            text = said.get(name)
            if text is not None and options.printed_size(text) is None:
                yield f"{name}: {text}"


def _conditions(said: dict[str, str]) -> options.Conditions:
    """Read what is said of one target."""
    write_pct = _write_pct(said)
    return {
        "rw": options.pattern(_is_random(said), write_pct),
        "bs_bytes": options.printed_size(said.get("block size")),
        "iodepth": options.count(
            said.get("number of outstanding I/O operations per thread")
            or said.get("number of outstanding I/O operations")
        ),
        "numjobs": options.count(said.get("threads per file")),
        "direct": _direct(said),
        "rwmixread_pct": options.mix(write_pct),
        "size_bytes": options.printed_size(said.get("size")),
    }


def _write_pct(said: dict[str, str]) -> float | None:
    if "performing read test" in said:
        return 0.0
    if "performing write test" in said:
        return 100.0
    found = _MIX.fullmatch(said.get("performing mix test", ""))
    if not found:
        return None
    # before 2.0.16 it is "write/read ratio: 30/100" for 30 % of writes
    return float(found[2] if found[1] == "write/read" else found[3])


def _is_random(said: dict[str, str]) -> bool | None:
    if "using random I/O" in said:
        return True
    if "using mixed random/sequential I/O" in said:
        return None
    sequential = ("using sequential I/O", "using interlocked sequential I/O", "stride size")
    return False if any(name in said for name in sequential) else None


def _direct(said: dict[str, str]) -> bool | None:
    """Say whether the page cache is bypassed: Windows' words of all versions, then Linux'."""
    joined = "; ".join(said)
    if "using O_DIRECT" in said or re.search(
        r"(?:^|; )software (?:and hardware .*)?cache disabled", joined
    ):
        return True
    # diskspd-for-linux says nothing of a cache that is used
    if "using software cache" in said or "block device" in said:
        return False
    return None
