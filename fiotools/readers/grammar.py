"""How reports of a tool are found in any text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from fiotools.tables import Tables


class Session(NamedTuple):
    """The command and the machine of a report, as far as the text around it tells them."""

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
        One of these stands in every report; a text without them is not searched. Empty: always.
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
