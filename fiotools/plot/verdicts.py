"""What `check` said, in the order in which a page tells it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from fiotools.errors import SchemaError
from fiotools.plot import parts
from fiotools.plot.language import called, listed, say
from fiotools.stats import frames
from fiotools.stats.frames import Frame

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

WORST = ("impossible", "suspect", "unknown", "ok")
_NUMBER = re.compile(r"\d[\d.,]*(?: (?:[kMGTP]?B(?:/s)?|[mµn]?s)\b)?")
_GIVE = "give what check() returned"


class _Finding(NamedTuple):
    name: str  # of the row of the page
    run: Any
    check: str
    verdict: str
    why: str | None
    remedy: str | None


@dataclass
class Reason:
    """A sentence, the checks that say it, and the cells and runs of which they do."""

    verdict: str
    text: str
    checks: dict[str, None] = field(default_factory=dict)
    cells: set[tuple[str, str]] = field(default_factory=set)
    runs: set[Any] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)

    def add(self, finding: _Finding, text: str) -> None:
        """Take another finding that says it, if with other numbers."""
        self.checks[finding.check] = None
        self.cells.add((finding.name, finding.check))
        self.runs.add(finding.run)
        self.texts.add(text)


class Verdicts:
    """The worst verdict of each check on each row of the page, and the reasons."""

    def __init__(self, frame: IntoDataFrame, y: str | None) -> None:
        table = _opened(frame, y)
        self.checks: list[str] = parts.levels(parts.known(table, "check"))
        self.runs = _runs(table)
        self.names = _names(table, y, self.runs)
        self.rows: list[str] = parts.levels(self.names)
        told = (frames.values(table, name) for name in ("check", "verdict", "why", "remedy"))
        self._found = [_Finding(*row) for row in zip(self.names, self.runs, *told, strict=True)]

    def worst(self, whose: Sequence[Any]) -> dict[tuple[Any, str], str]:
        """Give the worst verdict of each check, by the rows of the page or by runs."""
        found: dict[tuple[Any, str], str] = {}
        for own, one in zip(whose, self._found, strict=True):
            known = found.get((own, one.check), "ok")
            found[own, one.check] = min(known, one.verdict, key=WORST.index)
        return found

    def reasons(self, *, alike: bool) -> list[Reason]:
        """Give what is impossible, then what is suspect, each reason once.

        Reasons that are ``alike`` but for their numbers count as one.
        """
        found: dict[tuple[str, str, str], Reason] = {}
        for one in self._found:
            if one.verdict in WORST[:2]:
                text = str(one.why or "no reason is given")
                key = one.verdict, one.check, _NUMBER.sub("0", text) if alike else text
                found.setdefault(key, Reason(one.verdict, text)).add(one, text)
        places = {(verdict, check): None for verdict in WORST for check in self.checks}
        order = list(places)
        return sorted(
            found.values(), key=lambda one: order.index((one.verdict, next(iter(one.checks))))
        )

    def missing(self) -> list[Reason]:
        """Give the evidence that is missing, and to which checks; most runs first."""
        found: dict[str, Reason] = {}
        for one in self._found:
            if one.verdict == "unknown":
                text = str(one.remedy or one.why or "no reason is given")
                found.setdefault(text, Reason(one.verdict, text)).add(one, text)
        return sorted(found.values(), key=lambda one: -len(one.runs))


def _opened(frame: IntoDataFrame, y: str | None) -> Frame:
    table = parts.opened(frame)
    if missing := {"check", "verdict", "why", "remedy"} - set(table.columns):
        raise SchemaError(
            f"not what check() returned: no column {', '.join(sorted(missing))}; {_GIVE}"
        )
    for verdict in parts.known(table, "verdict"):
        if verdict not in WORST:
            raise SchemaError(f"{verdict!r} is no verdict of check(): {_GIVE}")
    frames.need(table, [y] if y else [])
    return table


def _runs(table: Frame) -> list[Any]:
    """Say for each row of the frame which run it is about."""
    lists = frames.columns(table, ("source", "run"))
    return list(zip(*lists.values(), strict=True)) or [()] * len(table)


def _names(table: Frame, y: str | None, runs: Sequence[Any]) -> list[str]:
    """Name the rows of the page: by a column, else the runs, in as few words as tell them apart."""
    if y:
        own = [called(str(value)) for value in parts.known(table, y)]
        of: dict[str, set[Any]] = {}
        for name, run in zip(own, runs, strict=True):
            of.setdefault(name, set()).add(run)
        return [_with_runs(name, len(of[name])) for name in own]
    gaps = [None] * len(table)
    before = table.columns.index("source") if "source" in table.columns else 0
    labels = [gaps, *(frames.values(table, name) for name in table.columns[:before])]
    words = [
        listed(called(str(value)) for value in row if value is not None)
        for row in zip(*labels, strict=True)
    ]
    lists = frames.columns(table, ("source", "run"))
    sources = [str(value or "") for value in lists.get("source", gaps)]
    files = [PurePosixPath(source).name for source in sources]
    numbers = [say("run {n}", n=n) if n is not None else "" for n in lists.get("run", gaps)]
    several = len(set(runs))
    for told in (
        *((words,), (words, files), (words, files, numbers)),
        *((words, sources), (words, sources, numbers)),
    ):
        chosen = [listed(filter(None, row)) for row in zip(*told, strict=True)]
        if len(set(chosen)) == several and all(chosen):
            return chosen
    return [name or say("run") for name in chosen]


def _with_runs(name: str, runs: int) -> str:
    return name if runs == 1 else say("{name} ({n} runs)", name=name, n=runs)
