"""What a reader is, and what it is given."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from fiotools.input.detect import Document
    from fiotools.tables import Tables


class Session(NamedTuple):
    """What is known about a report from the text around it: the command, the machine."""

    command: str | None = None
    host: str | None = None
    above: int = 0  # runs of the same tool that the command has printed already


class Later:
    """A function by its place, ``"package.module:name"``: imported when it is called first."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.__module__ = place.partition(":")[0]
        self._found: Callable[..., Any] | None = None

    def __call__(self, *given: Any) -> Any:
        """Call it."""
        if self._found is None:
            self._found = getattr(import_module(self.__module__), self.place.partition(":")[2])
        return self._found(*given)

    def __repr__(self) -> str:
        return self.place


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
        ``add(tables, report, session) -> int`` adds the report as a run and returns its number.
    needs : tuple of str
        One of these stands in every report; a text without them is not searched. Empty: it is.
    """

    anchor: str
    parse: Callable[[str, re.Match[str]], tuple[int, int, Any] | None]
    add: Callable[[Tables, Report, Session], int]
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
        What the grammar understood; only the same grammar looks into it.
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
        ``read(document, tables) -> None`` fills the tables, or raises `ParseError`.
    grammar : Grammar, optional
        For reports that also stand in the middle of other text.
    mark : str
        A regular expression (multi-line, in any case of letters) for lines that are certainly of
        this format: in a text of other reports they get a warning. Empty: nothing is so certain.
    line_mark : str
        The same, for what such a line begins with.
    """

    name: str
    title: str
    produced_by: str
    tables: tuple[str, ...]
    sniff: Callable[[Document], bool]
    read: Callable[[Document, Tables], None]
    grammar: Grammar | None = None
    mark: str = ""
    line_mark: str = ""


def only(name: str, document: Document) -> bool:
    """Say whether a text is purely one tool's reports: what a grammar's reader claims."""
    return not document.is_structured and document.sole == name


def read_reports(
    document: Document, tables: Tables, add: Callable[[Tables, Report, Session], int]
) -> None:
    """Read a text that is purely one tool's reports."""
    for report in document.reports:
        add(tables, report, Session())
