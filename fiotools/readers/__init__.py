"""The readers: what each format looks like, which rows it gives, and which one a file belongs to.

Every reader is asked, and nothing is guessed: a file belongs to exactly one, or an error says what
to do. Another package adds a reader through the entry-point group ``fiotools.readers``: each entry
names a `Reader` with a new name.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING

from fiotools.errors import AmbiguousFormatError, NoResultError, UnknownFormatError, argument, typed
from fiotools.readers.document import (
    STRUCTURED,
    Document,
    Grammar,
    Grammars,
    Reader,
    Report,
    Rest,
    Session,
    note_unread,
)
from fiotools.readers.formats import READERS, Later

if TYPE_CHECKING:
    from fiotools.tables.rows import Rows

__all__ = ["READERS", "Grammar", "Reader", "Report", "Rest", "Session", "readers"]

_is_job_file = Later("fiotools.readers.fio.jobfile:is_job_file")
_log_name = Later("fiotools.readers.fio.log:log_name")
# tools whose output is recognised but not read: words of which it has one, and the lines that only
# it prints
_NOT_READ = {
    "hdparm": (
        ("disk reads:", "cached reads:"),
        r"^(?:[ \t]*/dev/\S+:\n)?[ \t]*Timing (?:O_DIRECT )?(?:cached|buffered disk|disk) reads:",
    ),
    "ioping": (
        ("ioping statistics", "request="),
        r"^--- [^\n]+ ioping statistics ---$"
        r"|^[ \t]*\d[\d.]* \w+(?: bytes)? (?:<<<|>>>|from|to) [^\n]{1,300}: request=\d+ time=",
    ),
    "iostat's text": (
        ("avg-cpu:", "Device"),
        r"^avg-cpu: +%user +%nice|^Device:? +(?:r/s|tps|rrqm/s) ",
    ),
    "iozone": (("ozone",), r"Iozone: Performance Test of File I/O|^[ \t]*iozone test complete\."),
    "ATTO": (("ATTO ",), r"ATTO (?:ExpressPCI )?(?:Disk )?Benchmark"),
    "bonnie++": (
        ("Sequential Output", "Per Chr", "...done"),
        r"^[ \t]*Version +\d[\w.]* +-+Sequential Output-+|^Machine +Size +(?:etc +)?Per Chr "
        r"|^(?:Writ|Read|Rewrit)ing(?: (?:a byte at a time|with \w{4}\(\)|intelligently))?"
        r"\.\.\.done$",
    ),
    "HD Tune": (
        ("HD Tune", "Transfer Rate", "Burst Rate"),
        r"HD Tune(?: Pro)?: [^\n]{1,100} Benchmark"
        r"|^[ \t]*(?:Transfer Rate (?:Minimum|Maximum|Average)|Burst Rate) *: \d",
    ),
    "sysbench": (
        ("sysbench ", "s/s: ", "MiB/s: "),
        r"^[ \t]*(?:(?:reads|writes|fsyncs)/s|(?:read|written), MiB/s): +\d|^sysbench \d[\w.]* \(",
    ),
    "winsat": (("> Disk ",), r"^> Disk +(?:Sequential|Random) [\d.]+ (?:Read|Write) +[\d.,]+ MB/s"),
    "AS SSD": (("AS SSD",), r"^[ \t]*AS SSD Benchmark \d"),
    "pv": (("iB/s]",), r"^[ \t]*[\d.]+ ?[kKMGT]i?B \d+:\d\d:\d\d \[ ?[\d.]+ ?[kKMGT]?i?B/s\]"),
    "ftp": (
        (" bytes sent in ", " bytes received in "),
        r"^[ \t]*(?:ftp: )?[0-9]+ bytes (?:sent|received) in [0-9]",
    ),
    "lftp": (
        (" bytes transferred in ",),
        r"^[ \t]*[0-9]+ bytes transferred in [0-9]+ seconds? \([^\n)]{1,40}/s\)",
    ),
}
# what fiotools itself writes beside results
_MADE = {
    "an SVG image": re.compile(r"\s*(?:<\?xml[^>]*>\s*)?<(?:!DOCTYPE )?svg\b"),
    "a report of fiotools": re.compile(
        r"<!DOCTYPE html>[^\0]{1,999}<meta name=\"generator\" content=\"fiotools "
    ),
}


@cache
def readers() -> tuple[Reader, ...]:
    """Return the built-in readers and those of other packages."""
    known = {reader.name: reader for reader in READERS}
    for entry in entry_points(group="fiotools.readers"):
        reader = _loaded(entry)
        if reader and known.setdefault(reader.name, reader) is not reader:
            warnings.warn(
                f"{entry.value}: there is a reader {reader.name!r} already; this one is not used",
                stacklevel=2,
            )
    return tuple(known.values())


def _loaded(entry: EntryPoint) -> Reader | None:
    """Load another package's reader; one that fails must not stop the others."""
    try:
        reader = entry.load()
    except (ImportError, AttributeError) as error:
        warnings.warn(f"the reader {entry.value} cannot be loaded: {error}", stacklevel=3)
        return None
    if not isinstance(reader, Reader):
        warnings.warn(f"{entry.value} is not a fiotools.readers.Reader", stacklevel=3)
        return None
    return reader


@cache
def _grammars() -> Grammars:
    return Grammars(readers(), _NOT_READ)


def opened(
    name: str,
    data: bytes | str | Callable[[], bytes],
    version: str | None = None,
    quantity: str | None = None,
) -> Document:
    """Make a document of a file's content, in which the reports of all readers are found."""
    return Document(name, data, _grammars(), version, quantity)


def sniff(found: Document) -> Reader:
    """Find the one reader that a file belongs to.

    Raises
    ------
    UnknownFormatError
        No reader knows it; the message quotes the first line.
    AmbiguousFormatError
        Two or more claim it.
    """
    claims = [reader for reader in readers() if reader.sniff(found)]
    wrapped = found.text
    if not claims and found.unwrap():
        claims = [reader for reader in readers() if reader.sniff(found)]
    if len(claims) != 1 and found.search():
        claims = [reader for reader in readers() if reader.sniff(found)]
    if len(claims) == 1:
        return claims[0]
    if claims:
        names = ", ".join(reader.name for reader in claims)
        raise AmbiguousFormatError(
            found.name, f"claimed by {names}", remedy=f"say which with {argument('format')}"
        )
    if not found.text.strip():
        if _log_name(found.plain_name):
            raise NoResultError(
                found.name,
                "an empty log of fio: nothing of its kind was measured",
                remedy="an engine that waits for each I/O has no slat, and a run shorter than the"
                " interval of the log has no rows",
            )
        raise UnknownFormatError(
            found.name, "the file is empty", remedy="was the tool's output redirected elsewhere?"
        )
    if _is_job_file(found.text):
        raise NoResultError(
            found.name,
            "a fio job file: settings without results",
            remedy="read the report of its run; what that does not say, its path can: {iodepth:d}",
        )
    for what, beginning in _MADE.items():
        if beginning.match(found.text):
            raise NoResultError(found.name, f"this is {what}, not a tool's output")
    for tool, (_, pattern) in _NOT_READ.items():
        if re.search(pattern, found.text, re.M):
            raise UnknownFormatError(found.name, f"output of {tool}: recognised, not read")
    if STRUCTURED.match(wrapped) and (keys := _json_keys(wrapped)) is not None:
        raise UnknownFormatError(
            found.name,
            f"JSON, but of an unknown tool: {keys}",
            remedy=_listed(),
        )
    first = next(line for line in wrapped.splitlines() if line.strip()).strip()
    more = [f"; line {note.line}: {note.message}" for note in found.unread()[:1]]
    raise UnknownFormatError(
        found.name,
        f"unknown format; it begins {first[:60]!r}{''.join(more)}",
        line=wrapped[: len(wrapped) - len(wrapped.lstrip())].count("\n") + 1,
        remedy=f"{_listed()}; {argument('format')} overrides",
    )


def _listed() -> str:
    return f"{typed('fiotools.formats()', 'fiotools formats')} lists what can be read"


def _json_keys(text: str) -> str | None:
    """Name the first keys of a JSON document; None if the text is not JSON."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    what = "its top-level keys are"
    if isinstance(value, list):
        what = f"a list of {len(value)}, and the keys of the first are"
        value = value[0] if value else {}
    if not isinstance(value, dict):
        return f"{what.partition(',')[0]}, without keys"
    return f"{what} {', '.join([*value][:6]) or 'none'}"


def reader_named(name: str) -> Reader:
    """Return the reader that ``format=`` names."""
    for reader in readers():
        if reader.name == name:
            return reader
    names = ", ".join(reader.name for reader in readers())
    raise ValueError(f"{argument('format', name)} is not one of {names}")


def read(reader: Reader, document: Document, rows: Rows) -> None:
    """Read a document with its reader, and what that leaves around documents as sessions."""
    for rest in reader.read(document, rows) or ():
        _read_rest(rest, rows)


def _read_rest(rest: Rest, rows: Rows) -> None:
    """Add the reports of a part of a text, as runs of their own; warn of lines that none took."""
    part = rest.document
    note_unread(rows, part)
    copied = {report.start for report in rest.copies}
    reports = [report for report in part.reports if report.start not in copied]
    first = reports[0] if reports else None
    if first and rest.run and first.kind == "time" and not part.text[: first.start].strip():
        from fiotools.readers.time import add_timing  # hardly any part needs it

        add_timing(rows, first, Session(), rest.run)
        reports = reports[1:]
    part.reports = reports
    if reports:
        kinds = {report.kind for report in reports}
        read(reader_named("fio_json" if "fio_json" in kinds else "transcript"), part, rows)
