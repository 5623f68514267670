"""One file's text, unpacked, decoded and cleaned once, and the reports that stand in it.

Pasted text is searched once for reports of every kind, and all readers share the result.
"""

from __future__ import annotations

import bisect
import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from functools import cached_property
from io import BytesIO
from itertools import accumulate
from operator import itemgetter
from string import whitespace
from typing import TypeAlias

from fiotools.errors import UnknownFormatError
from fiotools.files import is_packed
from fiotools.readers.grammar import Grammar, Report
from fiotools.readers.pasted import Remark, Repaired, line_ends, repair, unwrap

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MAGIC = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"%PDF": "a PDF document",
    b"SQLite format": "an SQLite database",
    b"PAR1": "a Parquet file",
    b"\x7fELF": "a program",
    b"PK\x03\x04": "a zip archive (unpack it, or name it .zip)",
    b"7z\xbc\xaf\x27\x1c": "a 7-Zip archive (unpack it first)",
    b"Rar!": "a RAR archive (unpack it first)",
    b"x\x9c": "a log that fio compressed (fio --inflate-log=FILE unpacks it)",
}
_BEGINNINGS = tuple(_MAGIC)
_SUFFIX = re.compile(r"\.(?:gz|xz|zst|bz2)$", re.IGNORECASE)
_Anchor: TypeAlias = tuple[str, Grammar, re.Pattern[str]]
# the beginning of JSON, XML or a log: such a text is not searched for pasted reports, only the
# strings of a JSON are
STRUCTURED = re.compile(
    r"\s*(?:\{|\[\s*(?:[\[{\"]|$|-?[\d.]+\s*,)|<\?xml|<Results\b|<Profile\b"
    r"|\d{1,18}, \d{1,18}, \d{1,18}[,\n])"
)
_SEPARATING = f"{whitespace}\xa0-=*_"
_LONG = 100_000  # characters


def decode(name: str, data: bytes) -> Repaired:
    """Unpack and decode: BOM, UTF-16, UTF-8; invalid bytes are replaced.

    Raises
    ------
    UnknownFormatError
        If the bytes are not text.
    FileError
        If they expand beyond the bound.
    """
    remarks: list[Remark] = []
    if is_packed(data):
        from fiotools.files.packing import Packed, unpack

        told: list[str] = []
        data = b"".join(unpack(Packed.of(name, BytesIO(data)), told))
        remarks += [Remark(None, message) for message in told]
        refuse_packed(name, data)
    if data.startswith(_BEGINNINGS):
        what = next(what for magic, what in _MAGIC.items() if data.startswith(magic))
        raise UnknownFormatError(name, f"this is {what}, not a tool's output")
    if data[257:262] == b"ustar":
        raise UnknownFormatError(name, "this is a tar archive", remedy="unpack it first")
    encoding = next((name for bom, name in _BOMS if data.startswith(bom)), None)
    if encoding is None:
        # PowerShell's UTF-16 without a mark: every second byte of ASCII is zero
        encoding = "utf-16-le" if data[1:64:2].strip(b"\0") == b"" != data[1:2] else "utf-8"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        wanted = "UTF-16" if encoding.startswith("utf-16") else "UTF-8"
        remarks.append(Remark(line, f"bytes that are not {wanted} were replaced"))
        text = data.decode(encoding, errors="replace")
    if "\0" in text[:4096]:
        raise UnknownFormatError(name, "this is a binary file, not a tool's output")
    return Repaired(text, remarks=remarks)


def refuse_packed(name: str, data: bytes) -> None:
    """Refuse the content of a packed file if it is packed itself."""
    if is_packed(data):
        raise UnknownFormatError(name, "the file is packed twice", remedy="unpack it once")


def plain_name(name: str) -> str:
    """Return a file's name without the suffix of its packing.

    Examples
    --------
    >>> plain_name("run_lat.1.log.gz")
    'run_lat.1.log'
    """
    return _SUFFIX.sub("", name)


class Grammars:
    """The grammars of all readers, with which a text is searched once.

    Parameters
    ----------
    known : mapping of str to Grammar
        By the names of their readers.
    marks : iterable of str
        Regular expressions of lines that certainly belong to a report.
    line_marks : iterable of str
        The same, for the beginnings of such lines.
    """

    def __init__(
        self, known: Mapping[str, Grammar], marks: Iterable[str], line_marks: Iterable[str]
    ) -> None:
        self._anchors: list[_Anchor] = [
            (name, grammar, re.compile(grammar.anchor, re.MULTILINE))
            for name, grammar in known.items()
        ]
        self._needs = frozenset(part for grammar in known.values() for part in grammar.needs)
        # one pattern of beginnings skips places within a line
        begun = f"^(?:{'|'.join(line_marks)})"
        self._marks = "|".join((begun, *marks))

    @cached_property
    def marks(self) -> re.Pattern[str]:
        """One pattern of all marks."""
        return re.compile(self._marks, re.MULTILINE | re.IGNORECASE)

    def is_report(self, text: str) -> bool:
        """Whether the beginning of a tool's report stands in a text."""
        return any(anchor.search(text) for _, _, anchor in self._likely(text))

    def _likely(self, text: str) -> Iterator[_Anchor]:
        """Yield the grammars whose reports a text may hold, by words that each of them has.

        In a long text, missing characters are found sooner than missing words.
        """
        needs: Iterable[str] = self._needs
        if len(text) > _LONG:
            absent = {one for part in needs for one in part if one not in text}
            needs = [part for part in needs if absent.isdisjoint(part)]
        there = {part for part in needs if part in text}
        for anchor in self._anchors:
            if not anchor[1].needs or not there.isdisjoint(anchor[1].needs):
                yield anchor

    def reports(self, text: str, line_of: Callable[[int], int]) -> list[Report]:
        """Search the text once for each grammar, and take the reports in their order.

        One pattern of all anchors would take longer than all of them, as it cannot skip text.
        """
        taken = 0
        found: list[Report] = []
        # each with its next match: the first one is the next report, or a false alarm
        ahead = [
            (match.start(), number, match, one)
            for number, one in enumerate(self._likely(text))
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
                found.append(Report(kind, start, taken, line_of(start), data, grammar))
                at = max(taken, match.end())
                waiting = [other for other in ahead if other[0] < at]
            ahead = ahead[len(waiting) :]
            for _, number, _, one in waiting:
                if following := one[2].search(text, at):
                    ahead.append((following.start(), number, following, one))
        return found


class Document:
    r"""One file's text, and the kinds of report in it.

    Parameters
    ----------
    name : str
        The path as it was given, with ``/``.
    data : bytes or str
        The content. Bytes are unpacked and decoded (`decode`).
    grammars : Grammars
        The reports to search for.
    version : str, optional
        The tool's version, if the caller knows better than the file.
    quantity : str, optional
        The quantity of a fio log whose name does not say it.

    Attributes
    ----------
    text : str
        The whole text, lines ending in ``\n``, without the damage of pasting
        (`fiotools.readers.pasted`).
    is_structured : bool
        Whether the text begins as JSON or XML; then it is not searched for pasted reports.
    plain_name : str
        The name without the suffix of the packing (``.gz``).
    remarks : list of Remark
        Problems of the bytes, and repairs of pasted text.
    data : bytes or None
        The bytes of a JSON if they equal the text: JSON is parsed from bytes.
    """

    def __init__(
        self,
        name: str,
        data: bytes | str,
        grammars: Grammars,
        version: str | None = None,
        quantity: str | None = None,
    ) -> None:
        self.name, self.plain_name = name, plain_name(name)
        self.version, self.quantity = version, quantity
        self._grammars = grammars
        found = Repaired(data) if isinstance(data, str) else decode(name, data)
        text, self.remarks = found.text, [*found.remarks]
        self.text = line_ends(text) if "\r" in text else text
        self.data: bytes | None = None
        if isinstance(data, bytes) and data.startswith(b"{") and self.text.isascii():
            self.data = data if len(data) == len(self.text) else None
        self._lines: list[int] | None = None
        self.is_structured = STRUCTURED.match(self.text) is not None
        if not self.is_structured:
            self._take(repair(self.text, self._grammars.is_report))

    def unwrap(self) -> bool:
        """Turn to the texts in the strings of a JSON document; return whether there are any."""
        found = unwrap(self.text) if self.is_structured else None
        if found is None:
            return False
        self._take(found)
        return True

    def search(self) -> bool:
        """Turn to the reports in a text that only begins as JSON; return whether there are any."""
        if not self.is_structured:
            return False
        self._take(repair(self.text, self._grammars.is_report))
        return bool(self.reports)

    def _take(self, found: Repaired) -> None:
        self.is_structured = False
        self._forget()
        self.text, self._lines, self.data = found.text, found.lines, None
        self.remarks.extend(found.remarks)

    def _forget(self) -> None:
        for name in ("reports", "kinds", "leftover", "sole", "_line_starts"):
            self.__dict__.pop(name, None)

    @cached_property
    def reports(self) -> list[Report]:
        """Every report found in the text by any grammar, in order."""
        return [] if self.is_structured else self._grammars.reports(self.text, self.line)

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds of report in the text."""
        return frozenset(report.kind for report in self.reports)

    @cached_property
    def leftover(self) -> bool:
        """Whether anything but blank space and lines of dashes stands beside the reports."""
        return any(self.text[start:end].strip(_SEPARATING) for start, end in self._gaps())

    @cached_property
    def sole(self) -> str | None:
        """The only kind of report in the text; None if there is other text, or no report."""
        return next(iter(self.kinds)) if len(self.kinds) == 1 and not self.leftover else None

    def _gaps(self) -> Iterator[tuple[int, int]]:
        at = 0
        for report in self.reports:
            yield at, report.start
            at = report.end
        yield at, len(self.text)

    def unread(self) -> Remark | None:
        """Return a remark on lines that certainly belong to a report, and that none took."""
        if self.is_structured or not self.leftover:
            return None
        found = [
            mark for gap in self._gaps() for mark in self._grammars.marks.finditer(self.text, *gap)
        ]
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
        sizes = accumulate(map(len, self.text.split("\n")), initial=0)
        return [size + ends for ends, size in enumerate(sizes)]

    def part(self, start: int, end: int) -> Document:
        """Return a part of the text as a document whose lines keep their numbers."""
        part = copy(self)
        part._forget()
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
