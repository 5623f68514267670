"""What a reader is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fiotools.readers.grammar import Grammar, Report, Session

if TYPE_CHECKING:
    from fiotools.readers.document import Document
    from fiotools.tables import Tables


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
