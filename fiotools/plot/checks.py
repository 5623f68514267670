"""Which numbers can be true: a row for each check, a column for each run, and the reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from fiotools import units
from fiotools.plot import words
from fiotools.plot.kind import Arguments, answered, kind
from fiotools.plot.spec import Axis, Level, Row, Spec, in_order
from fiotools.plot.words import called, listed, say
from fiotools.stats import frames
from fiotools.stats.check import check, outcomes
from fiotools.tables.results import Results
from fiotools.vocabulary import GRAVEST

_COLUMNS = 12  # runs beside each other; more are counted
_REASONS = 6
_BAD = ("impossible", "suspect")
_ASKED = {
    "budget": "byte budget",
    "cache": "page cache",
    "caching": "OS cache",
    "copying": "CPU time",
    "cpu_time": "CPU of a thread",
    "data": "random data",
    "dd_flush": "dd flushes",
    "dd_source": "dd's source",
    "dd_time": "dd's run time",
    "depth": "queue depth",
    "engine": "I/O engine",
    "error": "errors",
    "fast_reads": "fast reads",
    "fast_writes": "fast writes",
    "flush": "fsync",
    "link": "link speed",
    "latency": "parts of latency",
    "little": "Little's law",
    "medium": "disk type",
    "parts": "sums",
    "preconditioning": "preconditioned",
    "runtime": "run time",
    "samples": "fio's samples",
    "sides": "same options",
    "sparse": "unwritten blocks",
    "spread": "order of values",
    "turns": "disk turns",
    "twin": "copied numbers",
    "warm": "warm cache",
    "warmup": "warm-up",
}


def _checked(data: Any, asked: Arguments) -> Any:
    """Check the results."""
    return check(data) if isinstance(data, Results) else data


@kind(_checked)
def credibility(data: Any, *, y: str | None = None, reasons: int | None = None) -> Spec:
    """Draw the answer of `check`: a row per check with its reasons, and a column per run.

    A cell has the worst verdict, and a dash where a check does not apply. Rows with the gravest
    verdicts stand first; checks that found nothing wrong, or cannot tell, are in one line each
    below. More than a dozen runs are counted by their verdicts.

    Parameters
    ----------
    data : Results, pandas.DataFrame or polars.DataFrame
        The answer of `check`, which is asked for a `Results`.
    y : str, optional
        The column that names the columns of cells, with all its runs in one; by default each run
        has one, named by its labels or else by its file.
    reasons : int, optional
        The number of reasons, the gravest first; six by default.
    by, title, ax
        As in `repeats`.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        If the frame is not what `check` returned.

    Examples
    --------
    >>> import fiotools as ft
    >>> checks = ft.check(ft.example("wsl-vhdx"), ram="7926928KiB", link="usb3-5g")
    >>> ax = ft.plot.credibility(checks[checks["drive"] == "f"])
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['link speed', 'byte budget', 'CPU time', 'dd flushes']
    """
    needed = ("check", "verdict", "finding", "details", "why")
    table = answered(data, needed, "the answer of check()")
    kinds, verdicts, *told = (frames.values(table, name) for name in needed)
    frames.need(table, [y] if y else [])
    runs = frames.keys_of(table, frames.present(table, ("source", "run")))
    columns = _names(table, y, runs)
    worst: dict[tuple[str, str], str] = {}
    for cell, verdict in zip(zip(kinds, columns, strict=True), verdicts, strict=True):
        worst[cell] = min(worst.get(cell, "ok"), verdict, key=GRAVEST.index)
    checks = in_order(kinds)
    graves = {
        name: min((own for (one, _), own in worst.items() if one == name), key=GRAVEST.index)
        for name in checks
    }
    shown = [name for name in checks if graves[name] in _BAD]
    shown = sorted(shown, key=lambda name: GRAVEST.index(graves[name])) or [*checks]
    cells, heads = _cells(worst, shown, in_order(columns))
    found = _reasons([*zip(columns, runs, kinds, verdicts, *told, strict=True)])
    most, every = _REASONS if reasons is None else reasons, len({*runs})
    of_check: dict[str, list[str]] = {}
    for one in found[:most]:
        of_check.setdefault(_name(one.check), []).append(one.said(every))
    notes = []
    if more := len(found) - len(found[:most]):
        notes.append(say("{n} more reasons, in the frame", n=more))
    if len(in_order(columns)) > _COLUMNS:
        notes.append(say("{n} runs, counted by the worst verdict of each check", n=every))
    for verdict in GRAVEST:
        rest = [_name(name) for name in checks if graves[name] == verdict and name not in shown]
        notes += [f"{say(verdict)}: {listed(rest)}"] if rest else []
    return Spec(
        "cells",
        tuple(cells),
        Axis(order=heads),
        Axis(order=tuple(map(_name, shown))),
        levels=tuple(
            Level(0, len(heads), 0, text="\n".join(texts), row=name)
            for name, texts in of_check.items()
        ),
        notes=tuple(notes),
        how=frozenset({"verdicts"}),
    )


def _cells(
    worst: Mapping[tuple[str, str], str], shown: Sequence[str], columns: Sequence[str]
) -> tuple[list[Row], tuple[str, ...]]:
    """Return a cell for each check and column, or the counts of verdicts of many columns."""
    if len(columns) <= _COLUMNS:
        rows = [
            Row(column, _name(name), mark=worst.get((name, column), ""))
            for name in shown
            for column in columns
        ]
        return rows, tuple(columns)
    counts = Counter((name, verdict) for (name, _), verdict in worst.items() if name in shown)
    seen = [verdict for verdict in GRAVEST if any(own == verdict for _, own in counts)]
    rows = [
        Row(say(verdict), _name(name), texts=(f"{count:,}",))
        for (name, verdict), count in counts.items()
    ]
    return rows, tuple(map(say, seen))


def _name(check: str) -> str:
    return say(_ASKED.get(check, check))


@dataclass
class _Reason:
    """A sentence, and the columns and runs that it is about."""

    verdict: str
    text: str
    check: str
    columns: set[str] = field(default_factory=set)
    runs: set[Any] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)  # it may stand for others, with other values

    def said(self, every: int) -> str:
        """Put it into words: where it was found, unless that is everywhere."""
        count, others = len(self.runs), len(self.texts) - 1
        where = f"{units.many(count, 'run')}: " if count < every else ""
        return where + self.text + (f" (and {others} more, with other numbers)" if others else "")


def _reasons(told: Sequence[tuple[Any, ...]]) -> list[_Reason]:
    """Return the reasons of impossible verdicts and of suspect ones; alike ones stand once."""
    found: dict[tuple[Any, ...], _Reason] = {}
    for column, run, name, verdict, finding, details, why in told:
        if verdict in _BAD:
            key = verdict, name, finding, outcomes.kind(outcomes.read(details))
            own = found.setdefault(key, _Reason(verdict, why or "", name))
            own.columns.add(column)
            own.runs.add(run)
            own.texts.add(why)
    return sorted(found.values(), key=lambda one: (GRAVEST.index(one.verdict), -len(one.columns)))


def _names(table: frames.Frame, y: str | None, runs: Sequence[Any]) -> list[str]:
    """Name the columns of cells by a column, or the runs in few words that tell them apart."""
    if y:
        values = frames.complete(table, y)
        short = words.short(values, y)
        own = [called(str(short[value])) for value in values]
        count = Counter(name for name, _ in {*zip(own, runs, strict=True)})
        return [
            name if count[name] == 1 else f"{name} ({units.many(count[name], 'run')})"
            for name in own
        ]
    before = table.columns.index("source") if "source" in table.columns else 0
    labels = [
        listed(called(str(value)) for value in row if value is not None)
        for row in frames.keys_of(table, table.columns[:before])
    ]
    sources = [str(value or "") for value in frames.optional(table, "source")]
    files = [PurePosixPath(source).name for source in sources]
    numbers = [say("run {n}", n=n) if n is not None else "" for n in frames.optional(table, "run")]
    several, chosen = len(set(runs)), labels
    for told in (
        *((labels,), (labels, files), (labels, files, numbers)),
        *((labels, sources), (labels, sources, numbers)),
    ):
        chosen = [listed(filter(None, row)) for row in zip(*told, strict=True)]
        if len(set(chosen)) == several and all(chosen):
            return chosen
    return [name or say("run") for name in chosen]
