"""One file's text, unpacked, decoded and cleaned once, and the reports that stand in it.

Pasted text is searched once for reports of every kind, and all readers share the result.
"""

from __future__ import annotations

import bisect
import codecs
import heapq
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache, cached_property
from io import BytesIO
from itertools import accumulate, islice
from string import whitespace
from typing import TYPE_CHECKING, Any, NamedTuple

from fiotools.errors import NoResultError, UnknownFormatError
from fiotools.files import is_packed
from fiotools.readers import pasted
from fiotools.readers.pasted import Line, Reading
from fiotools.tables.notes import Note

if TYPE_CHECKING:
    from fiotools.tables.rows import Rows


class Session(NamedTuple):
    """The command and the machine of a report, as far as the text around it tells them."""

    command: str | None = None
    host: str | None = None
    above: int = 0  # runs of the same tool that the command has printed already
    real_s: float | None = None  # how long it took, if a timing below the report says so


@dataclass(frozen=True)
class Grammar:
    """How the reports of one tool are found in any text, and turned into rows.

    Attributes
    ----------
    anchor : str
        A regular expression (multi-line, without groups that capture) for something that every
        report has near its start, cheap to search for.
    parse : callable
        ``parse(text, match) -> (start, end, data)`` or None if the anchor was a false alarm.
    add : callable
        ``add(rows, report, session) -> int`` adds the report as a run and returns its number.
    needs : tuple of str
        One of these stands in every report; a text without them is not searched. Empty: always.
    """

    anchor: str
    parse: Callable[[str, re.Match[str]], tuple[int, int, Any] | None]
    add: Callable[[Rows, Report, Session], int]
    needs: tuple[str, ...] = ()


class Report(NamedTuple):
    """One tool's report, found in a text.

    Attributes
    ----------
    kind : str
        Name of the reader whose grammar found it.
    start, end : int
        Its place in the text.
    line : int
        Line (1-based) on which it starts.
    data : object
        The parsed report; only the same grammar looks into it.
    grammar : Grammar, optional
        The grammar that found it, and can add it to tables.
    """

    kind: str
    start: int
    end: int
    line: int
    data: Any
    grammar: Grammar | None = None


@dataclass(frozen=True)
class Reader:
    """One format.

    Attributes
    ----------
    name : str
        What ``format=`` takes.
    title : str
        The format, in words.
    produced_by : str
        How such a file is made.
    tables : tuple of str
        The tables it fills.
    sniff : callable
        ``sniff(document) -> bool``; may not raise.
    read : callable
        ``read(document, rows)`` adds rows, or raises `ParseError`. It yields each `Rest` in its
        place, if other text may stand around its documents.
    grammar : Grammar, optional
        For reports that also stand in the middle of other text.
    mark : str
        A regular expression (multi-line, case ignored) for lines that certainly belong to this
        format: in a text of other reports they get a warning. Empty: no line is so certain.
    line_mark : str
        The same, for the beginning of such a line.
    mark_needs : tuple of str
        One of these, in small letters, stands in every such line; a text without them is not
        searched. Empty: always.
    """

    name: str
    title: str
    produced_by: str
    tables: tuple[str, ...]
    sniff: Callable[[Document], bool]
    read: Callable[[Document, Rows], Iterable[Rest] | None]
    grammar: Grammar | None = None
    mark: str = ""
    line_mark: str = ""
    mark_needs: tuple[str, ...] = ()


class Field(NamedTuple):
    """One column, and the value that it holds."""

    column: str  # its name in the vocabulary
    key: str  # the value's place in its record, with dots between dictionaries
    unit: str = ""  # the tool's unit where that is not ours
    zero: bool = True  # whether 0 is a value; if not, it means that nothing was measured
    samples: str = ""  # the key of its count of samples: without samples there is no value
    since: str = ""  # the version that wrote it first, if that is not the first
    rule: str = ""  # what else is done to it


_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# plots and photos lie beside results, and hold none
_IMAGES = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"%PDF": "a PDF document",
}
_MAGIC = {
    **_IMAGES,
    b"SQLite format": "an SQLite database",
    b"PAR1": "a Parquet file",
    b"\x7fELF": "a program",
    b"PK\x03\x04": "a zip archive (unpack it, or name it .zip)",
    b"7z\xbc\xaf\x27\x1c": "a 7-Zip archive (unpack it first)",
    b"Rar!": "a RAR archive (unpack it first)",
    b"x\x9c": "a log that fio compressed (fio --inflate-log=FILE unpacks it)",
}
_MARKED = tuple(_MAGIC)
_SUFFIX = re.compile(r"\.(?:gz|xz|zst|bz2)$", re.IGNORECASE)
# the beginning of JSON, XML or a log: such a text is not searched for pasted reports, only the
# strings of a JSON are
STRUCTURED = re.compile(
    r"\s*(?:\{|\[\s*(?:[\[{\"]|$|-?[\d.]+\s*,)|<\?xml|<Results\b|<Profile\b"
    r"|\d{1,18}, \d{1,18}, \d{1,18}[,\n])"
)
_SEPARATING = f"{whitespace}\xa0-=*_"
_LONG = 100_000  # characters
_WORD = re.compile(r"\w")
_NUMERIC = frozenset("0123456789+")
# no tool begins or ends a line of numbers so, or has these in it
_QUOTED = re.compile(r"^(?:>|E {3})|\\n|[\"'], ?b?[\"']|[$\xb6\"'`\\],?[ \t]*$")
_QUOTING = (
    *("\n>", "\nE   ", "\\\n", "\\n", "', ", '", ', "',\n", '",\n'),
    *map("{}\n".format, "$\xb6\"'`"),
)
# nor a dash or a ligature of a word processor
_TYPED = re.compile(
    r"(?<=[\w%])[\u2010-\u2013\u2212](?=\d|ile)|[\ufb00-\ufb03]|[\u2264\u2265](?=\d)"
)
# nor tags and entities of HTML
_TAG = re.compile(
    r"</?(?:pre|code|samp|br|p|div|span|td)\b[^<>\n]{0,400}>|<!\[CDATA\["
    r"|&(?:[lg]t|amp|quot|nbsp|#\d{2,5}|#x[0-9a-f]{2,4});|\b(?:if|of|bs|count)\uff1d"
    r"|\b(?:bs|count)=(?![0-9])\d",
    re.IGNORECASE,
)
_TAGGED = (*("</", "<br", "<BR", "<![CDATA[", "&gt;", "&lt;", "&amp;", "&quot;", "&nbsp;", "&#"),)
_BOLD = re.compile(r"\*\*[^*\n]{1,300}\*\*")
_ABOVE = 2  # lines above a report: its command


def decode(name: str, data: bytes) -> tuple[str, list[Note]]:
    """Unpack and decode: BOM, UTF-16, UTF-8; invalid bytes are replaced, with a note."""
    notes: list[Note] = []
    if is_packed(data):
        from fiotools.files.memory import fitting
        from fiotools.files.packing import Packed, unpack

        told: list[str] = []
        data = b"".join(fitting(unpack(Packed.of(name, BytesIO(data)), told)))
        notes += [Note("left out", "warning", None, message) for message in told]
        refuse_packed(name, data)
    if data.startswith(_MARKED):
        magic = next(filter(data.startswith, _MARKED))
        kind = NoResultError if magic in _IMAGES else UnknownFormatError
        raise kind(name, f"this is {_MAGIC[magic]}, not a tool's output")
    if data[257:262] == b"ustar":
        raise UnknownFormatError(name, "this is a tar archive", remedy="unpack it first")
    encoding = _BOMS.get(data[:3]) or _BOMS.get(data[:2])
    if encoding is None:
        # PowerShell's UTF-16 without a mark: every second byte of ASCII is zero
        encoding = "utf-16-le" if data[1:64:2].strip(b"\0") == b"" != data[1:2] else "utf-8"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        wanted = "UTF-16" if encoding.startswith("utf-16") else "UTF-8"
        message = f"bytes that are not {wanted} were replaced"
        notes.append(Note("left out", "warning", line, message))
        text = data.decode(encoding, errors="replace")
    if "\0" in text[:4096]:
        raise UnknownFormatError(name, "this is a binary file, not a tool's output")
    return text, notes


def refuse_packed(name: str, data: bytes) -> None:
    """Refuse the content of a packed file if it is packed itself."""
    if is_packed(data):
        raise UnknownFormatError(name, "the file is packed twice", remedy="unpack it once")


def plain_name(name: str) -> str:
    """Return a file's name without the suffix of its packing."""
    return _SUFFIX.sub("", name)


def may_hold(text: str, needs: Iterable[str]) -> bool:
    """Whether a text has one of the words that are needed, if any are."""
    for word in needs:
        if word in text:
            return True
    return not needs


@cache
def _marks(mark: str, line_mark: str) -> re.Pattern[str]:
    """Return one pattern of both; that of beginnings skips places within a line."""
    parts = [f"^(?:{line_mark})"] * bool(line_mark) + [mark] * bool(mark)
    return re.compile("|".join(parts), re.MULTILINE | re.IGNORECASE)


class Grammars:
    """The grammars and the marks of all readers, with which a text is searched once.

    ``not_read`` has other tools: words of which their output has one, and a pattern of its lines.
    """

    def __init__(
        self,
        readers: Iterable[Reader],
        not_read: Mapping[str, tuple[tuple[str, ...], str]] | None = None,
    ) -> None:
        self._readers = tuple(readers)
        self._not_read = not_read or {}
        self._marked = [reader for reader in self._readers if reader.mark or reader.line_mark]

    @cached_property
    def _anchors(self) -> list[tuple[str, Grammar, re.Pattern[str]]]:
        """What begins the reports of each; a structured document needs none of them."""
        return [
            (reader.name, reader.grammar, re.compile(reader.grammar.anchor, re.MULTILINE))
            for reader in self._readers
            if reader.grammar
        ]

    def marks(self, text: str, start: int, end: int) -> Iterator[int]:
        """Yield where the marks in a part of a text begin: with their first word or number."""
        lower = text[start:end].lower()
        for reader in self._marked:
            if may_hold(lower, reader.mark_needs):
                for match in _marks(reader.mark, reader.line_mark).finditer(text, start, end):
                    word = _WORD.search(text, match.start(), match.end())
                    at = word.start() if word else match.start()
                    while at > start and text[at - 1] in _NUMERIC:
                        at -= 1
                    yield at + (text[at] == "+")  # of a difference

    def others(self, text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
        """Yield the tools that are not read, and where the lines stand that only they print."""
        part = text[start:end]
        for tool, (words, pattern) in self._not_read.items():
            for match in re.finditer(pattern, part, re.MULTILINE) if may_hold(part, words) else ():
                yield tool, start + match.start(), start + match.end()

    def _likely(self, text: str) -> list[tuple[str, Grammar, re.Pattern[str]]]:
        """List the grammars whose reports a text may hold, by words that each of them has."""
        return [one for one in self._anchors if may_hold(text, one[1].needs)]

    def reports(self, text: str, line_of: Callable[[int], int]) -> list[Report]:
        """Search the text once for each grammar, and take the reports in their order.

        ``line_of`` gives the original number of a line of the text. One pattern of all anchors
        would take longer than all of them, as it cannot skip text.
        """
        found: list[Report] = []
        likely = self._likely(text)
        # the next match of each: the first of them is the next report, or a false alarm
        ahead = [
            (match.start(), place, match)
            for place, (_, _, anchor) in enumerate(likely)
            if (match := anchor.search(text))
        ]
        heapq.heapify(ahead)
        taken = below = counted = 0
        line = 1
        while ahead:
            begin, place, match = ahead[0]
            kind, grammar, anchor = likely[place]
            after = below
            if begin >= below:
                after = max(match.end(), begin + 1)
                parsed = grammar.parse(text, match)
                if parsed is not None and parsed[0] >= taken:
                    start, taken, data = parsed
                    line, counted = line + text.count("\n", counted, start), start
                    found.append(Report(kind, start, taken, line_of(line), data, grammar))
                    after = below = max(taken, match.end())
            if again := anchor.search(text, after):
                heapq.heapreplace(ahead, (again.start(), place, again))
            else:
                heapq.heappop(ahead)
        return found


def line_start(text: str, at: int, within: int, ends: Iterable[str] = "\n") -> int | None:
    r"""Find where the line of a place begins; None if that is farther above than ``within``.

    A text may be one long line. With ``"\n\r"`` overwritten progress counts as a line.
    """
    low = max(0, at - within)
    found = -1
    for end in ends:
        found = max(found, text.rfind(end, low, at))
    return found + 1 if found >= 0 or low == 0 else None


def line_end(text: str, at: int) -> int:
    """Find where the line of a place ends."""
    found = text.find("\n", at)
    return found if found >= 0 else len(text)


def lines_above(text: str, at: int) -> Iterator[tuple[int, str]]:
    """Yield the lines above the start of a line, the nearest first: where each begins, and it."""
    while at > 0:
        stop, at = at - 1, text.rfind("\n", 0, at - 1) + 1
        yield at, text[at:stop]


class Document:
    r"""One file's text, and the kinds of report in it.

    Parameters
    ----------
    name : str
        The path as it was given, with ``/``.
    data : bytes, str or callable
        The content, or a function that reads it: then its bytes are gone as soon as they are
        decoded. Bytes are unpacked and decoded (`decode`).
    grammars : Grammars
        The reports to search for.
    version : str, optional
        The tool's version, if the caller knows better than the file.
    quantity : str, optional
        The quantity of a fio log whose name does not say it.

    Attributes
    ----------
    text : str
        The whole text as the tool wrote it, lines ending in ``\n``; repaired only if lines of a
        report were left unread, and more is read so (`fiotools.readers.pasted`).
    is_structured : bool
        Whether the text begins as JSON or XML; then it is not searched for pasted reports.
    notes : list of Note
        Problems of the bytes, and repairs of pasted text.
    data : bytes or None
        The bytes of a JSON if they equal the text: JSON is parsed from bytes.
    """

    def __init__(
        self,
        name: str,
        data: bytes | str | Callable[[], bytes],
        grammars: Grammars,
        version: str | None = None,
        quantity: str | None = None,
    ) -> None:
        self.name = name
        self.version, self.quantity = version, quantity
        self._grammars = grammars
        data = data() if callable(data) else data
        text, self.notes = (data, []) if isinstance(data, str) else decode(name, data)
        has_returns = "\r" in text
        self.data: bytes | None = None
        if isinstance(data, bytes) and data.startswith(b"{") and text.isascii():
            self.data = data if len(data) == len(text) and not has_returns else None
        del data  # before the text is copied
        self.text: str = pasted.line_ends(text) if has_returns else text
        del text
        self._lines: list[int] | None = None
        self.is_structured = STRUCTURED.match(self.text) is not None
        if not self.is_structured:
            self._search(pasted.as_printed(self.text))

    def unwrap(self) -> bool:
        """Turn to the texts in the strings of a JSON document; return whether there are any."""
        found = pasted.unwrap(self.text) if self.is_structured else None
        if found is not None:
            self.notes.extend(found.notes)
            self._search(found.text, found.lines)
        return found is not None

    def search(self) -> bool:
        """Turn to the reports in a text that only begins as JSON; return whether there are any."""
        if not self.is_structured:
            return False
        self._search(pasted.as_printed(self.text))
        return bool(self.reports)

    def _search(self, text: str, lines: list[int] | None = None) -> None:
        """Turn to the reports in a text; repair it if some were left unread, or are damaged."""
        self._turn_to(text, lines)
        is_damaged = self._unread or self._damaged()
        if is_damaged and (found := pasted.repaired(text, lines, self._reading)):
            self.notes.extend(found.notes)
            self._turn_to(found.text, found.lines)

    def _turn_to(self, text: str, lines: list[int] | None) -> None:
        self.is_structured, self.data = False, None
        for name in (
            "reports",
            "kinds",
            "leftover",
            "_sole",
            "_line_starts",
            "_unread",
            "_other_tools",
        ):
            self.__dict__.pop(name, None)
        self.text, self._lines = text, lines

    def _reading(self, lines: Sequence[Line]) -> Reading:
        """Return what is read of some lines, if they are a text of their own."""
        text = copy(self)
        # each ends here as in the file: a text that ends within a line looks cut off
        text._turn_to("".join(f"{line.text}\n" for line in lines), [line.number for line in lines])
        taken: set[int] = set()
        marked: set[int] = set()
        for report in text.reports:
            first, last = text._place(report.start), text._place(max(report.start, report.end - 1))
            taken.update(line.number for line in lines[first - 1 : last])
            marked.add(lines[first - 1].number)
            marks = self._grammars.marks(text.text, report.start, report.end)
            marked.update(map(text.line, marks))
        damaged = [*text._unread, *text._damaged()]
        ends = {text.line(at): at - text._line_starts[text._place(at) - 1] for at in damaged}
        unread = frozenset(map(text.line, text._unread))
        return Reading(text.kinds, frozenset(taken), frozenset(marked), unread, ends)

    @property
    def plain_name(self) -> str:
        """The name without the suffix of the packing (``.gz``)."""
        return plain_name(self.name)

    @cached_property
    def reports(self) -> list[Report]:
        """Every report found in the text by any grammar, in order."""
        return [] if self.is_structured else self.found_by(self._grammars)

    def found_by(self, grammars: Grammars) -> list[Report]:
        """Return the reports that some grammars find in the text."""
        return grammars.reports(self.text, self._original)

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds of report in the text."""
        return frozenset(report.kind for report in self.reports)

    @cached_property
    def leftover(self) -> list[tuple[int, int]]:
        """The gaps with anything but blank space and lines of dashes."""
        return [gap for gap in self.gaps() if self.text[slice(*gap)].strip(_SEPARATING)]

    @property
    def sole(self) -> str | None:
        """The only kind of report in the text; None if there is other text, or no report."""
        return None if self.is_structured else self._sole

    @cached_property
    def _sole(self) -> str | None:
        return next(iter(self.kinds)) if len(self.kinds) == 1 and not self.leftover else None

    def gaps(self) -> Iterator[tuple[int, int]]:
        """Yield the places before, between and behind the reports."""
        at = 0
        for report in self.reports:
            yield at, report.start
            at = report.end
        yield at, len(self.text)

    @cached_property
    def _unread(self) -> list[int]:
        """Where marks of a report stand that none took."""
        if self.is_structured or not self.leftover:
            return []
        marks = {at for gap in self.leftover for at in self._grammars.marks(self.text, *gap)}
        others = {
            line
            for _, start, end in (self._other_tools if marks else ())
            for line in range(self._place(start), self._place(end) + 1)
        }
        return sorted(at for at in marks if self._place(at) not in others)

    @cached_property
    def _other_tools(self) -> list[tuple[str, int, int]]:
        """The tools that are not read, and where their lines stand."""
        return [one for gap in self.leftover for one in self._grammars.others(self.text, *gap)]

    def _damaged(self) -> list[int]:
        """Where lines end that are not as a tool prints them: quoted, bold, or with tags above.

        Numbers may be read all the same, but not the commands and messages around.
        """
        found = self._quoted()
        if not self.text.isascii():
            lines = {
                (line_start(self.text, match.start(), _LONG) or 0): line_end(
                    self.text, match.start()
                )
                for report in self.reports
                for match in _TYPED.finditer(self.text, report.start, report.end)
            }
            # the name of a job may have such a sign
            found += [stop for start, stop in lines.items() if "(g" not in self.text[start:stop]]
        # fio's report reads bold words itself, and its jobs may have such names
        for report in self.reports if "**" in self.text else ():
            if report.kind != "fio_normal":
                begin = line_start(self.text, report.start, _LONG) or report.start
                bold = _BOLD.finditer(self.text, begin, line_end(self.text, report.end))
                found += [line_end(self.text, one.start()) for one in bold]
        is_tagged = not self.text.isascii() or may_hold(self.text, _TAGGED)
        for report in self.reports if is_tagged else ():
            start = line_start(self.text, report.start, _LONG)
            if start is not None:
                above = [at for at, _ in islice(lines_above(self.text, start), _ABOVE)]
                stop = line_end(self.text, report.end)
                tags = _TAG.finditer(self.text, min([start, *above]), stop)
                found += [line_end(self.text, tag.start()) for tag in tags]
        return found

    def _quoted(self) -> list[int]:
        """Where lines with marks of a report end that were quoted, and read all the same."""
        if not (self.text.startswith(">") or may_hold(self.text, _QUOTING)):
            return []
        lines = {
            (line_start(self.text, at, _LONG) or report.start): line_end(self.text, at)
            for report in self.reports
            if self.text[report.start] not in "{<"  # JSON and XML have quotation marks
            for at in self._grammars.marks(self.text, report.start, report.end)
        }
        return [
            stop for start, stop in lines.items() for _ in _QUOTED.finditer(self.text[start:stop])
        ]

    def unread(self) -> list[Note]:
        """Return notes of lines that belong to a report or another tool, and that none took."""
        if self.is_structured:
            return []
        return [
            *pasted.unread_notes(self.text, self._unread, self.line),
            *pasted.quoted_notes(sorted(map(self.line, self._quoted()))),
            *pasted.other_notes(self._other_tools, self.line),
        ]

    @cached_property
    def _line_starts(self) -> list[int]:
        sizes = accumulate(map(len, self.text.split("\n")), initial=0)
        return [size + ends for ends, size in enumerate(sizes)]

    def part(self, start: int, end: int) -> Document:
        """Return a part of the text as a document whose lines keep their numbers."""
        part, text = copy(self), self.text[start:end]
        numbers = self._lines or range(1, len(self._line_starts) + 1)
        above = self._place(start) - 1
        lines = list(numbers[above : above + text.count("\n") + 1]) or [self.line(start)]
        part._turn_to(text, lines)
        return part

    def line(self, position: int) -> int:
        """Line number (1-based) of a position in the text."""
        if position == 0:  # most JSON documents begin their file
            return self._original(1)
        return self._original(self._place(position))

    def _place(self, position: int) -> int:
        """Return the line (1-based) of a position, as it is counted in the text."""
        return bisect.bisect_right(self._line_starts, position)

    def _original(self, line: int) -> int:
        """Return the number that a line of the text had in the file."""
        return self._lines[min(line, len(self._lines)) - 1] if self._lines else line


def read_reports(
    document: Document, rows: Rows, add: Callable[[Rows, Report, Session], int]
) -> None:
    """Read a text that holds nothing but one tool's reports."""
    for report in document.reports:
        add(rows, report, Session())


class Rest(NamedTuple):
    """A part of a text around the documents in it, which their reader leaves to others.

    Attributes
    ----------
    document : Document
        The part, whose lines keep their numbers.
    run : int, optional
        The run that ends where the part begins: a timing that follows at once is its own.
    copies : collection of Report
        Those of its reports that only repeat a document.
    """

    document: Document
    run: int | None = None
    copies: Collection[Report] = ()


def note_unread(rows: Rows, document: Document) -> None:
    """Warn of the lines of reports that none took."""
    for note in document.unread():
        rows.say(note)
