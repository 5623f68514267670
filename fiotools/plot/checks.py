"""Which numbers can be true: a row for each check, a column for each run, and the reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from fiotools.errors import SchemaError
from fiotools.language import called, listed, say
from fiotools.plot import words
from fiotools.plot.comparisons import answered
from fiotools.plot.kind import kind
from fiotools.plot.roles import Arguments
from fiotools.plot.spec import Axis, Level, Row, Spec, in_order
from fiotools.stats import frames
from fiotools.stats.check import check, outcomes
from fiotools.tables.results import Results
from fiotools.vocabulary import GRAVEST

_COLUMNS = 12  # runs beside each other; more are counted
_REASONS = 6
_KNOWN = ("ram", "host_ram", "link", "bus", "size", "device_bytes", "ops_before", "ops_after")
_GIVE = "; give what check() returned"
_ASKED = {
    "amplified": "extra I/O",
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
    "elapsed": "elapsed time",
    "engine": "I/O engine",
    "error": "errors",
    "fast_reads": "fast reads",
    "fast_writes": "fast writes",
    "flush": "fsync",
    "link": "link speed",
    "latency": "parts of latency",
    "little": "Little's law",
    "medium": "disk type",
    "modes": "latency modes",
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
def credibility(
    checks: Any,
    *,
    y: str | None = None,
    reasons: int | None = None,
) -> Spec:
    """Draw the answer of `check`: a row per check with its reasons, and a column per run.

    A cell has the worst verdict, and a dash where a check does not apply. Rows with the gravest
    verdicts stand first; checks that found nothing wrong, or cannot tell, are in one line each
    below. More than a dozen runs are counted by their verdicts.

    Parameters
    ----------
    checks : Results, pandas.DataFrame or polars.DataFrame
        The answer of `check`, which is asked for a `Results`.
    y : str, optional
        The column that names the columns of cells, with all its runs in one; by default each run
        has one, named by its labels or else by its file.
    reasons : int, optional
        The number of reasons, the gravest first; six by default.
    by, without, title, ax
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
    >>> spec = ft.plot.spec("credibility", checks[checks["drive"] == "f"])
    >>> spec.y.order
    ('link speed', 'byte budget', 'CPU time', 'dd flushes')
    """
    needed = ("check", "verdict", "finding", "details", "why", "remedy")
    table = answered(checks, needed, "what check() returned", _GIVE)
    for verdict in frames.complete(table, "verdict"):
        if verdict not in GRAVEST:
            raise SchemaError(f"{verdict!r} is not a verdict of check(){_GIVE}")
    frames.need(table, [y] if y else [])
    runs = frames.keys_of(table, frames.present(table, ("source", "run")))
    columns = _names(table, y, runs)
    kinds = frames.values(table, "check")
    verdicts = frames.values(table, "verdict")
    worst: dict[tuple[str, str], str] = {}
    for cell, verdict in zip(zip(kinds, columns, strict=True), verdicts, strict=True):
        worst[cell] = min(worst.get(cell, "ok"), verdict, key=GRAVEST.index)
    there, heads = in_order(columns, None), in_order(kinds, None)
    told = [frames.values(table, name) for name in needed]
    told[-2] = [
        # a check of the user's has its own words
        outcomes.why(code, outcomes.read(details), say) if code in outcomes.outcomes() else why
        for code, details, why in zip(*told[2:5], strict=True)
    ]
    found = _reasons(list(zip(columns, runs, *told, strict=True)))
    many = len(there) > _COLUMNS
    graves = {
        name: min((worst[cell] for cell in worst if cell[0] == name), key=GRAVEST.index)
        for name in heads
    }
    shown = [name for name in heads if graves[name] in ("impossible", "suspect")]
    shown = sorted(shown, key=lambda name: GRAVEST.index(graves[name])) or list(heads)
    names = {name: _name(name) for name in heads}
    whys = {
        (check, column, verdict): why or ""
        for check, column, verdict, why in zip(kinds, columns, verdicts, told[-2], strict=True)
    }
    if many:
        counts = Counter((name, verdict) for (name, _), verdict in worst.items())
        seen = tuple(verdict for verdict in GRAVEST if any(counts[n, verdict] for n in shown))
        rows = [
            Row(say(verdict), names[name], texts=(f"{counts[name, verdict]:,}",))
            for name in shown
            for verdict in seen
            if counts[name, verdict]
        ]
        order: tuple[str, ...] = tuple(map(say, seen))
    else:
        rows = [
            Row(column, names[name], mark=mark, why=whys.get((name, column, mark), ""))
            for name in shown
            for column in there
            for mark in [worst.get((name, column), "")]
        ]
        order = tuple(map(str, there))
    every = len(set(runs))
    most = _REASONS if reasons is None else reasons
    reasons_of: dict[str, list[str]] = {}
    for one in found[:most]:
        reasons_of.setdefault(names[one.check], []).append(one.said(every))
    notes = list[str]()
    if more := len(found) - len(found[:most]):
        notes.append(say("{n} more reasons, in the frame", n=more))
    if many:
        notes.append(say("{n} runs, counted by the worst verdict of each check", n=every))
    for verdict in ("unknown", "note", "ok"):
        rest = [names[name] for name in heads if graves[name] == verdict and name not in shown]
        notes += [say("{name}: {text}", name=say(verdict), text=listed(rest))] if rest else []
    return Spec(
        "cells",
        tuple(rows),
        Axis("", column="", order=order),
        Axis("", column="", order=tuple(names[name] for name in shown)),
        levels=tuple(
            Level(0, len(order), 0, text="\n".join(texts), row=name)
            for name, texts in reasons_of.items()
        ),
        notes=tuple(notes),
        how=frozenset({"verdicts"}),
    )


def _name(check: str) -> str:
    own = say(check)
    return _ASKED.get(own, own)


@dataclass
class _Reason:
    """A sentence, and the checks, columns and runs that it is about."""

    verdict: str
    text: str
    check: str
    columns: dict[str, None] = field(default_factory=dict)
    runs: set[Any] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)  # it may stand for others, with other values

    def said(self, every: int) -> str:
        """Put it into words: where it was found, unless that is everywhere."""
        text = self.text
        if len(self.runs) < every:
            runs = say("{n} runs" if len(self.runs) > 1 else "{n} run", n=len(self.runs))
            text = say("{name}: {text}", name=runs, text=text)
        if others := len(self.texts) - 1:
            text = say("{text} (and {n} more, with other numbers)", text=text, n=others)
        return text


def _reasons(told: Sequence[tuple[Any, ...]]) -> list[_Reason]:
    """Return the reasons of impossible verdicts and of suspect ones; alike ones stand once."""
    found: dict[tuple[Any, ...], _Reason] = {}
    for column, run, name, verdict, finding, details, why, _ in told:
        if verdict not in ("impossible", "suspect"):
            continue
        key = verdict, name, finding, outcomes.kind(outcomes.read(details))
        own = found.setdefault(key, _Reason(verdict, why, name))
        own.columns[column] = None
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
            name if count[name] == 1 else say("{name} ({n} runs)", name=name, n=count[name])
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
