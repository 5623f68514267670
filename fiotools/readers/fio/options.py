"""fio's job options as conditions and settings.

fio reads numbers in its own way: ``4k``, ``4kB`` and ``4Ki`` are 4096, but ``4KiB`` is 4000 (in
fio 3.33, unless ``kb_base=1000``). Ambiguous values are left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from fiotools.readers.fio.bins import whole_direction
from fiotools.readers.formats import Later
from fiotools.vocabulary import CONDITIONS, SWEPT

if TYPE_CHECKING:
    from fiotools.tables.rows import Rows

_programs, _words = (Later(f"fiotools.readers.shell:{name}") for name in ("programs", "words"))

Options = Mapping[str, str]

_SIZE = re.compile(r"([0-9]{1,20}|0x[0-9a-fA-F]{1,16})\s*([kKmMgGtTpP]?)(i?)([bB]?)")
_POWER = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_ALIASES = {"blocksize": "bs", "readwrite": "rw", "io_depth": "iodepth"}
_DEFAULTS = {"rw": "read", "bs": "4k", "iodepth": "1", "numjobs": "1", "direct": "0"}
# options that replace a default
_INSTEAD = {
    "bs": ("bsrange", "blocksize_range", "bssplit", "read_iolog"),
    "rw": ("read_iolog", "profile"),
    "direct": ("buffered", "odirect", "atomic"),
}
# options of the program, not of a job
_PROGRAM = re.compile(
    r"output|eta|status-|section|debug|client|server|max-jobs|aux-path|inflate-log"
)

NO_OPTIONS = (
    "the report does not list the options of its jobs: the conditions are missing; name them in the"
    " path: {iodepth:d}"
)
# word processors and blogs make one long dash of two hyphens
_GIVEN = re.compile(r"[-\u2010-\u2015\u2212]{1,2}([a-z_][\w-]*)=(.*)", re.S)


def size(text: str, options: Options) -> int | None:
    """Read a size as fio does; None if it is not a plain one (``100%``, an expression).

    With ``kb_base=1000`` prefixes change from that option on, and its place is not listed.

    Examples
    --------
    >>> size("4k", {}), size("4KiB", {}), size("0x1000", {}), size("50%", {})
    (4096, 4000, 4096, None)
    >>> size("4k", {"kb_base": "1000"}), size("512", {"kb_base": "1000"})
    (None, 512)
    """
    match = _SIZE.fullmatch(text.strip())
    if not match or (match[1].startswith("0") and match[1][1:2].isdigit()):
        return None  # a leading zero is octal to fio
    if match[2] and options.get("kb_base", "1024") != "1024":
        return None
    # fio does not know "Ki" without a B, and reads only the K
    kilo = 1000 if match[3] and match[4] else 1024
    found = int(match[1], 0) * int(kilo ** _POWER[match[2].lower()])
    return found if found < 2**63 else None


def block_size(options: Options, direction: str | None) -> int | None:
    """Return the one block size of a direction, or None if there is not exactly one."""
    if direction == "sync" or "bs" not in options or not options.keys().isdisjoint(_INSTEAD["bs"]):
        return None
    if options.get("bs_unaligned", "0") != "0" or options.get("bs_is_seq_rand", "0") != "0":
        return None
    parts = options["bs"].split(",")
    parts += [parts[-1]] * (3 - len(parts))  # "8k,32k,": the default for trims
    at = {"read": 0, "write": 1, "trim": 2}.get(direction or "")
    chosen = set(parts) if at is None else {parts[at]}
    return size(chosen.pop(), options) if len(chosen) == 1 else None


def target(options: Options) -> str | None:
    """Return the file or files of a job, as fio lists them."""
    return options.get("filename", "").replace("\\:", ":") or None


def pattern(text: str) -> str:
    """Name the pattern as fio does: ``rw`` for ``readwrite``, without a suffix like ``:8``."""
    bare = text.split(":")[0].strip()
    return "rw" if bare == "readwrite" else bare


def normalise(options: Mapping[str, Any]) -> dict[str, str]:
    """Return options with canonical names and text values."""
    return {_ALIASES.get(name, name): str(value) for name, value in options.items()}


def conditions(options: Options, direction: str | None) -> dict[str, Any]:
    """Return the conditions of I/O, as far as the options tell."""
    found: dict[str, Any] = {
        "rw": pattern(options["rw"]) if options.get("rw") else None,
        "bs_bytes": block_size(options, direction),
        "iodepth": whole(options.get("iodepth")),
        "numjobs": whole(options.get("numjobs")),
        "ioengine": options.get("ioengine"),
        "direct": _direct(options),
        "rwmixread_pct": _mix(options),
        "size_bytes": size(options.get("size", ""), options),
    }
    return {name: value for name, value in found.items() if value is not None}


def common_conditions(jobs: Sequence[Options], direction: str | None) -> dict[str, Any]:
    """Return the conditions that several jobs share."""
    first, *others = (conditions(options, direction) for options in jobs)
    return {
        name: value
        for name, value in first.items()
        if all(other.get(name) == value for other in others)
    }


def whole(text: str | None) -> int | None:
    """Read a whole number of up to 18 digits."""
    return int(text) if text and re.fullmatch("[0-9]{1,18}", text) else None


def is_set(options: Options, flag: str) -> bool:
    """Whether a flag is set: it needs no value."""
    return options.get(flag, "0") != "0"


def _direct(options: Options) -> bool | None:
    """Whether the cache is bypassed; ``buffered`` is the opposite of ``direct``."""
    direct, buffered = options.get("direct"), options.get("buffered")
    if direct in ("0", "1") and buffered in (None, "1" if direct == "0" else "0"):
        return direct == "1"
    return buffered == "0" if direct is None and buffered in ("0", "1") else None


def _mix(options: Options) -> float | None:
    read, write = whole(options.get("rwmixread")), whole(options.get("rwmixwrite"))
    if read is None:
        return None if write is None else float(100 - write)
    return float(read) if write in (None, 100 - read) else None


def add_settings(
    rows: Rows, run: int, entry: int | None, job: str | None, options: Options, origin: str
) -> None:
    """Add options as rows of `settings`."""
    for name, value in options.items():
        rows.add("settings", run=run, entry=entry, job=job, option=name, text=value, origin=origin)


def defaults(options: Options) -> dict[str, str]:
    """List the defaults in effect beside these options."""
    return {
        name: value
        for name, value in _DEFAULTS.items()
        if name not in options and options.keys().isdisjoint(_INSTEAD.get(name, ()))
    }


# --- of a job ---------------------------------------------------------------------------------


class JobOptions:
    """Everything that follows from the options of a job, its own and those of all jobs."""

    def __init__(self, shared: Mapping[str, str], own: Mapping[str, str]) -> None:
        self.shared, self.given = shared, own
        self.all = options = {**shared, **own}
        self.listed = {name: text for name, text in own.items() if name != "name"}
        self.defaults = defaults(options)
        self.numjobs = whole(options.get("numjobs")) or 1
        self.is_group = is_set(options, "group_reporting")
        self.target = target(options)
        self.flying = (whole(options.get("iodepth")) or 1) * self.numjobs
        self._conditions: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = {}

    def conditions(self, direction: str) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Return the `CONDITIONS` of I/O in a direction, and those that are swept."""
        found = self._conditions.get(direction)
        if found is None:
            told = conditions(self.all, direction)
            found = tuple(map(told.get, CONDITIONS)), tuple(map(told.get, SWEPT))
            self._conditions[direction] = found
        return found

    def common(self, listed: Sequence[str]) -> tuple[Any, ...]:
        """Return those of the swept ones that all directions of an entry share."""
        whole = whole_direction([*listed])
        names = [whole] if whole in listed else listed
        first, *others = [self.conditions(name)[1] for name in names]
        if others.count(first) == len(others):
            return first
        return tuple(
            value if all(other[at] == value for other in others) else None
            for at, value in enumerate(first)
        )


@lru_cache(maxsize=4096)
def _options(
    names: tuple[str, ...], texts: tuple[str, ...], beside: JobOptions | None
) -> JobOptions:
    options = normalise(dict(zip(names, texts, strict=True)))
    return JobOptions(beside.shared, options) if beside else JobOptions(options, {})


def options_of(listed: Mapping[str, str] | None, beside: JobOptions | None = None) -> JobOptions:
    """Interpret the options of a job ``beside`` those of all jobs, or the latter; each once."""
    listed = listed or {}
    return _options(tuple(listed), tuple(listed.values()), beside)


# --- of a command -----------------------------------------------------------------------------


def from_command(command: str | None) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """Collect the job options of a command line: for all jobs, and for each named job.

    Jobs of one name have those that are equal in all: a report does not tell which job is which.

    Examples
    --------
    >>> from_command("fio --direct=1 --name=a --rw=read --output=x.json")
    ({'direct': '1'}, {'a': {'rw': 'read'}})
    >>> from_command("fio —direct=1")
    ({'direct': '1'}, {})
    """
    shared: dict[str, str] = {}
    jobs: dict[str, list[dict[str, str]]] = {}
    if not command or "fio" not in _programs(command):
        return shared, {}
    into = shared
    for word in _words(command):
        match = _GIVEN.fullmatch(word)
        if not match or _PROGRAM.match(match[1]):
            continue
        if match[1] == "name":
            into = {}
            jobs.setdefault(match[2], []).append(into)
        else:
            into[_ALIASES.get(match[1], match[1])] = match[2]
    alike = {
        name: {
            option: text
            for option, text in several[0].items()
            if all(one.get(option) == text for one in several)
        }
        for name, several in jobs.items()
    }
    return shared, alike
