"""Which reader a file belongs to: exactly one, or an error that helps.

A file is opened and decoded once (`Document`). Every reader is asked; none may be guessed at.
Pasted text is searched once for every kind of report together, and all sniffers share the finds.
"""

from __future__ import annotations

import bisect
import os
import re
from collections.abc import Iterator
from copy import copy
from functools import cache, cached_property
from operator import itemgetter
from string import whitespace
from typing import TYPE_CHECKING

import orjson

from fiotools import archive
from fiotools.decoding import decode, plain_name
from fiotools.errors import AmbiguousFormatError, NoResultError, UnknownFormatError
from fiotools.pasted import Remark, Repaired, line_ends, repair, unwrap
from fiotools.readers import Reader, readers
from fiotools.readers.base import Grammar, Later, Report
from fiotools.sources import Found, refuse_no_file
from fiotools.spelling import argument, typed

if TYPE_CHECKING:
    import pandas as pd

# the beginning of JSON, XML or a log: such a text is not searched for pasted reports, only the
# strings of a JSON are
_STRUCTURED = re.compile(
    r"\s*(?:\{|\[\s*(?:[\[{\"]|$|-?[\d.]+\s*,)|<\?xml|<Results\b|<Profile\b"
    r"|\d{1,18}, \d{1,18}, \d{1,18}[,\n])"
)
_is_job_file = Later("fiotools.readers.fio.jobfile:is_job_file")
_SEPARATING = f"{whitespace}\xa0-=*_"
_LONG = 100_000  # characters
_SMALL = 2**16  # bytes
_HOW = os.O_RDONLY | getattr(os, "O_BINARY", 0)
# tools whose output is told apart but not read: (name, what their first lines look like)
_NOT_READ = (
    (
        "hdparm",
        re.compile(r"^[ \t]*Timing (?:O_DIRECT )?(?:cached|buffered disk|disk) reads:", re.M),
    ),
    ("ioping", re.compile(r"^--- .+ ioping statistics ---$", re.M)),
    ("iozone", re.compile(r"Iozone: Performance Test of File I/O", re.M)),
    ("ATTO", re.compile(r"ATTO (?:ExpressPCI )?(?:Disk )?Benchmark", re.M)),
)


class Document:
    r"""One file's text, and what kinds of report it holds.

    Parameters
    ----------
    name : str
        The path as it was given, with ``/``.
    data : bytes or str
        The content. Bytes are unpacked and decoded (`fiotools.decoding`).
    version : str, optional
        The tool's version where the caller knows better than the file.

    Attributes
    ----------
    text : str
        The whole text, lines ending in ``\n``, without what pasting did to it (`fiotools.pasted`).
    is_structured : bool
        Whether the text begins as JSON or XML; then it is not searched for pasted reports.
    plain_name : str
        The name without the suffix of what the file is packed in (``.gz``).
    remarks : list of Remark
        What was wrong with the bytes, and what was undone of what pasting did.
    data : bytes or None
        Of a JSON the bytes, if they are the text's: it is parsed from bytes.
    """

    def __init__(self, name: str, data: bytes | str, version: str | None = None) -> None:
        self.name, self.plain_name, self.version = name, plain_name(name), version
        self.remarks: list[Remark] = []
        if isinstance(data, str):
            text = data
        else:
            decoded = decode(name, data)
            text = decoded.text
            self.remarks += [Remark(*doubt) for doubt in decoded.doubts]
        self.text = line_ends(text) if "\r" in text else text
        self.data: bytes | None = None
        if isinstance(data, bytes) and data.startswith(b"{") and self.text.isascii():
            self.data = data if len(data) == len(self.text) else None
        self._lines: list[int] | None = None
        self.is_structured = _STRUCTURED.match(self.text) is not None
        if not self.is_structured:
            self._take(repair(self.text, _is_report))

    def unwrap(self) -> bool:
        """Turn to the texts in the strings of a JSON document; say whether there are any."""
        found = unwrap(self.text) if self.is_structured else None
        if found is None:
            return False
        self._take(found)
        return True

    def search(self) -> bool:
        """Turn to the reports in a text that only begins as JSON; say whether there are any."""
        if not self.is_structured:
            return False
        self._take(repair(self.text, _is_report))
        return bool(self.reports)

    def _take(self, found: Repaired) -> None:
        self.is_structured = False
        for name in ("reports", "kinds", "leftover", "_line_starts"):
            self.__dict__.pop(name, None)
        self.text, self._lines, self.data = found.text, found.lines, None
        self.remarks.extend(found.remarks)

    @cached_property
    def reports(self) -> list[Report]:
        """Every report found in the text by any grammar, in order."""
        return [] if self.is_structured else _search(self)

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds of report in the text."""
        return frozenset(report.kind for report in self.reports)

    @cached_property
    def leftover(self) -> bool:
        """Whether anything but blank space and lines of dashes stands beside the reports."""
        return any(self.text[start:end].strip(_SEPARATING) for start, end in self._gaps())

    def _gaps(self) -> Iterator[tuple[int, int]]:
        at = 0
        for report in self.reports:
            yield at, report.start
            at = report.end
        yield at, len(self.text)

    def unread(self) -> Remark | None:
        """Say which lines are certainly of a report, and were taken by none."""
        if self.is_structured or not self.leftover:
            return None
        found = [mark for gap in self._gaps() for mark in _marks().finditer(self.text, *gap)]
        if not found:
            return None
        at = found[0].start()
        at += self.text[at] == "\n"
        line = self.text[self.text.rfind("\n", 0, at) + 1 :][:_LONG].partition("\n")[0].strip()
        message = (
            f"lines of a report were not read ({len(found)}, the first {line[:60]!r}): are they"
            " wrapped, changed or incomplete? give them as the tool printed them"
        )
        return Remark(self.line(at), message)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def part(self, start: int, end: int) -> Document:
        """Return a part of the text as a document whose lines keep their numbers."""
        part = copy(self)
        for name in ("reports", "kinds", "leftover", "_line_starts"):
            part.__dict__.pop(name, None)
        first, part.text, part.data = self.line(start), self.text[start:end], None
        numbers = self._lines or range(1, len(self._line_starts) + 1)
        above = bisect.bisect_right(self._line_starts, start) - 1
        part._lines = list(numbers[above : above + part.text.count("\n") + 1]) or [first]
        part.is_structured = False
        return part

    def line(self, position: int) -> int:
        """Line number (1-based) of a position in the text."""
        if position == 0 and not self._lines:  # most reports begin their file
            return 1
        number = bisect.bisect_right(self._line_starts, position)
        return self._lines[min(number, len(self._lines)) - 1] if self._lines else number


_Anchor = tuple[str, Grammar, re.Pattern[str]]


@cache
def _anchors() -> tuple[_Anchor, ...]:
    return tuple(
        (reader.name, reader.grammar, re.compile(reader.grammar.anchor, re.MULTILINE))
        for reader in readers()
        if reader.grammar
    )


@cache
def _marks() -> re.Pattern[str]:
    marks = [reader.mark for reader in readers() if reader.mark]
    return re.compile("|".join(marks), re.MULTILINE | re.IGNORECASE)


def _is_report(text: str) -> bool:
    """Whether something stands in a text that a tool's report has near its start."""
    return any(anchor.search(text) for _, _, anchor in _likely(text))


def _likely(text: str) -> Iterator[_Anchor]:
    """Give the grammars of which something stands in a text that each of their reports has.

    Of a long text it is known sooner which characters it has not.
    """
    absent: set[str] = set()
    if len(text) > _LONG:
        absent = {one for _, grammar, _ in _anchors() for part in grammar.needs for one in part}
        absent = {character for character in absent if character not in text}
    for anchor in _anchors():
        needs = anchor[1].needs
        if not needs:
            yield anchor
        for part in needs:
            if absent.isdisjoint(part) and part in text:
                yield anchor
                break


def _search(document: Document) -> list[Report]:
    """Search the text once for each grammar, and take the reports in their order.

    One pattern of all anchors would take longer than all of them: it could skip nothing.
    """
    text, taken = document.text, 0
    found: list[Report] = []
    # each with its next match: the first of them is the next report's, or a false alarm
    ahead = [
        (match.start(), number, match, one)
        for number, one in enumerate(_likely(text))
        if (match := one[2].search(text))
    ]
    while ahead:
        ahead.sort(key=itemgetter(0, 1))
        begin, number, match, one = ahead[0]
        kind, grammar, _ = one
        parsed = grammar.parse(text, match)
        at = max(match.end(), begin + 1)
        if parsed is None or parsed[0] < taken:
            waiting = ahead[:1]
        else:
            start, taken, data = parsed
            found.append(Report(kind, start, taken, document.line(start), data, grammar))
            at = max(taken, match.end())
            waiting = [other for other in ahead if other[0] < at]
        ahead = ahead[len(waiting) :]
        for _, number, _, one in waiting:
            if following := one[2].search(text, at):
                ahead.append((following.start(), number, following, one))
    return found


def sniff(document: Document) -> Reader:
    """Find the one reader that a file belongs to.

    Raises
    ------
    UnknownFormatError
        No reader knows it; the message quotes the first line.
    AmbiguousFormatError
        Two or more claim it.
    """
    claims = [reader for reader in readers() if reader.sniff(document)]
    wrapped = document.text
    if not claims and document.unwrap():
        claims = [reader for reader in readers() if reader.sniff(document)]
    if len(claims) != 1 and document.search():
        claims = [reader for reader in readers() if reader.sniff(document)]
    if len(claims) == 1:
        return claims[0]
    if claims:
        names = ", ".join(reader.name for reader in claims)
        raise AmbiguousFormatError(
            document.name, f"claimed by {names}", remedy=f"say which with {argument('format')}"
        )
    if not document.text.strip():
        raise UnknownFormatError(
            document.name, "the file is empty", remedy="was the tool's output redirected elsewhere?"
        )
    if _is_job_file(document.text):
        raise NoResultError(
            document.name,
            "a fio job file: settings, and no result",
            remedy="put it beside the report of its run (run.fio and run.json), and read that",
        )
    for tool, pattern in _NOT_READ:
        if pattern.search(document.text):
            raise UnknownFormatError(document.name, f"output of {tool}: recognised, not read")
    if _STRUCTURED.match(wrapped) and (keys := _json_keys(wrapped)) is not None:
        raise UnknownFormatError(
            document.name,
            f"JSON, but no tool's that is read; its top-level keys are {keys or 'none'}",
            remedy=_listed(),
        )
    first = next(line for line in wrapped.splitlines() if line.strip()).strip()
    raise UnknownFormatError(
        document.name,
        f"no known format; it begins {first[:60]!r}",
        line=wrapped[: len(wrapped) - len(wrapped.lstrip())].count("\n") + 1,
        remedy=f"{_listed()}; {argument('format')} overrides",
    )


def _listed() -> str:
    return f"{typed('fiotools.formats()', 'fiotools formats')} lists what can be read"


def _json_keys(text: str) -> str | None:
    """Name the first keys of a JSON object; None if the text is none."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return ", ".join(list(value)[:6]) if isinstance(value, dict) else type(value).__name__


def reader_named(name: str) -> Reader:
    """Return the reader that ``format=`` names."""
    for reader in readers():
        if reader.name == name:
            return reader
    names = ", ".join(reader.name for reader in readers())
    raise ValueError(f"{argument('format', name)} is not one of {names}")


def formats() -> pd.DataFrame:
    """List what can be read.

    Returns
    -------
    pandas.DataFrame
        ``format`` (what ``format=`` takes), ``reads``, ``produced_by``, ``tables``.

    Examples
    --------
    >>> "fio_json" in set(formats()["format"])
    True
    """
    import pandas as pd

    rows = [(r.name, r.title, r.produced_by, ", ".join(r.tables)) for r in readers()]
    return pd.DataFrame(rows, columns=["format", "reads", "produced_by", "tables"])


def raw(file: Found) -> bytes:
    """Read a file's bytes."""
    refuse_no_file(file)
    if file.member is not None:
        return archive.member(file.path, file.member)
    if file.place[-4:].lower() == ".zip":
        path = file.path
        if archive.is_archive(path) and not archive.members(path):
            raise UnknownFormatError(file.name, "the zip archive is empty")
    return _whole(file.place)


def _whole(place: str) -> bytes:
    """Read a file; of a small one, making a file object would be more than half of the cost."""
    opened = os.open(place, _HOW)
    try:
        data = os.read(opened, _SMALL)
        more = os.read(opened, 1) if data else b""
        if not more:
            return data
        with open(opened, "rb", buffering=0, closefd=False) as file:
            if not file.seekable():
                return b"".join((data, more, file.read()))
            file.seek(0)  # what was read is little, and two copies of the whole would be much
            return file.read()
    finally:
        os.close(opened)


def load(file: Found, version: str | None = None) -> Document:
    """Read a file into a `Document`."""
    return Document(file.name, raw(file), version)
