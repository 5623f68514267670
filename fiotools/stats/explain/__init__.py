"""Why two sides differ, in parts that add up; and of one side, which limit binds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, log1p
from typing import TYPE_CHECKING, Any

import narwhals as nw
import polars as pl

from fiotools.errors import SchemaError, about_results, argument
from fiotools.flags import as_json
from fiotools.stats import frames, question
from fiotools.stats.check.evidence import Evidence, Media, Memory, evidence
from fiotools.stats.check.runs import PARTS, RunFacts, runs
from fiotools.stats.compare import compare
from fiotools.stats.explain import budgets, limits
from fiotools.stats.explain.budgets import Budget
from fiotools.stats.explain.causes import homes
from fiotools.stats.explain.parts import Side, parts, side, verdicts
from fiotools.stats.frames import AnswerRow, Key
from fiotools.stats.settings import (
    OptionTexts,
    differing_options,
    options_of_rows,
    options_of_runs,
)
from fiotools.tables import conditions, metrics, naming, resting
from fiotools.tables.results import Results, to_pandas, with_runs

if TYPE_CHECKING:
    from collections.abc import Iterable

METRICS = ("iops", "bw_bytes_per_s", "real_s")
_BAND = 0.05  # a smaller difference does not matter, as in `compare`
_SCATTER = 0.2  # single runs of one thing often differ by as much on a busy machine
_RUN = ("source", "run")
NOTHING = "nothing"


def explain(
    results: Results,
    metric: str | None = None,
    *,
    between: str | None = None,
    baseline: Any = None,
    by: str | Sequence[str] | None = None,
    where: str | Sequence[str] | None = None,
    ram: Memory | None = None,
    link: str | float | None = None,
    media: Media | None = None,
    devices: int | None = None,
) -> Any:
    """Split the difference of two sides into parts that add up, or name the limit of one side.

    A part is what the files measure by themselves: I/Os in flight, the block size, the share of
    the I/Os that reach a device and the time there, flushes, the processor, pauses that were asked
    for. A part that the files do not decide is "unknown", with the evidence that would decide.

    Parameters
    ----------
    results : Results
        From `read`, with all tables.
    metric : str, optional
        ``iops``, ``bw_bytes_per_s`` or ``real_s``; by default the first that the files have.
    between : str, optional
        The column that holds the sides; by default the only label that has several values. Without
        one, each side is explained alone.
    baseline : object, optional
        The side that the others are compared with; by default the first.
    by : str or sequence of str, optional
        Explain within each combination of these columns; directions are always apart.
    where : str or sequence of str, optional
        Conditions, such as ``"direction=read"``.
    ram : str, number or path, optional
        Memory of the machine, as for `check`: 8GB.
    link : str or number, optional
        The link to the device: usb3-5g, pcie4-x4, or a rate: 450MB/s.
    media : {"hdd", "sata-ssd", "nvme", "ram"}, optional
        The kind of the device.
    devices : int, optional
        The number of devices, each with a link of its own.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per cell and part:

        * the columns of `by`, `between` (the level) and ``baseline``; of one side alone, its
          labels, and no baseline;
        * ``metric``, ``part``, ``n`` and ``n_baseline``: runs of each side;
        * ``seconds``, ``seconds_baseline``: the part's time of an I/O, where it is a time;
          ``factor``, ``factor_baseline``: its value, where it multiplies the rate;
        * ``log_ratio``: its part of the logarithm of level / baseline; the parts of a cell add up
          to that. ``ratio``: the same as a factor: the ratios of a cell multiply;
        * ``share_pct`` of the whole difference, below 0 if it works against it; of one side alone,
          of the time;
        * ``verdict``: "cause" (the largest part; of one side, the limit that binds), "part" (a
          tenth or more), "none", "unknown", or "nothing" in all rows if the sides do not differ
          for certain by more than 5 %;
        * ``options`` that differ and belong to the part; ``finding``, a name that stays, and
          ``details``, its values as JSON. `show` says them in sentences.

    Raises
    ------
    SchemaError
        If the files lack the metric, or no cell has both sides.

    See Also
    --------
    compare : How much they differ, and how sure that is.
    settings_diff : All options that differ.
    check : Whether the numbers can be true at all.

    Notes
    -----
    ``iops = N / S``: N places in the queue, and S seconds that each needs for an I/O (Little). S is
    a sum, and the part of a term is its difference over the logarithmic mean of both S, so that
    the parts add up exactly (LMDI-I; Ang, Energy Policy 33, 2005). Several runs of a side count as
    their geometric mean, and as the mean of their shares of time. Unless the whole interval
    of `compare` is beyond 5 %, nothing is explained; nor are single runs that differ below 20 %.

    Examples
    --------
    >>> import fiotools as ft
    >>> res = ft.read("data/page-cache/{cache}.txt")
    >>> answer = ft.explain(res, "real_s", between="cache", baseline="before")
    >>> answer[["part", "seconds", "seconds_baseline", "share_pct", "verdict"]].round(2)
         part  seconds  seconds_baseline  share_pct verdict
    0  system     0.47              1.11      16.62    part
    1  asleep     0.00              3.25      83.38   cause
    """
    arguments = {name: value for name, value in locals().items() if name != "results"}
    found = asked_of(results, **arguments)
    return to_pandas(found) if results.kind == "pandas" else found


@dataclass(frozen=True)
class Asked:
    """What is asked, in the words of the caller."""

    metric: str | None = None
    between: str | None = None
    baseline: Any = None
    by: tuple[str, ...] = ()
    where: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cells:
    """The runs of each cell: a row of the frame for each budget, and what is compared in them."""

    frame: pl.DataFrame
    budgets: list[Budget]
    metric: str
    by: tuple[str, ...]
    between: str | None
    baseline: Any = None

    def of(self, names: Sequence[str]) -> dict[Key, list[int]]:
        """Give the rows of each combination of values."""
        return frames.groups(nw.from_native(self.frame, eager_only=True), names)

    def side(self, rows: Sequence[int]) -> Side:
        """Bring the runs of some rows together."""
        return side([self.budgets[row] for row in rows])


def asked_of(
    results: Results,
    metric: str | None = None,
    *,
    between: str | None = None,
    baseline: Any = None,
    by: str | Sequence[str] | None = None,
    where: str | Sequence[str] | None = None,
    **known: Any,
) -> pl.DataFrame:
    """Do the same as `explain`, and return a frame of polars."""
    asked = Asked(metric, between, baseline, frames.names(by), frames.names(where))
    with about_results():
        return _answer(results, asked, evidence(**known))


@resting()
def _answer(results: Results, asked: Asked, known: Evidence) -> pl.DataFrame:
    if not isinstance(results, Results):
        raise SchemaError(
            f"explain() takes Results, as read() gives them, not {type(results).__name__}: "
            "options, processors and devices stand in other tables than io"
        )
    cells = _cells(results, asked, known)
    lines = _alone(cells, known) if cells.between is None else _apart(cells, results)
    keep = {name: name for name in (*cells.by, *filter(None, [cells.between]))}
    if cells.between is not None:
        keep["baseline"] = cells.between
    data = nw.from_native(cells.frame, eager_only=True)
    return frames.answer(data, "explain", keep, [*lines], metric=cells.metric)


def _cells(results: Results, asked: Asked, known: Evidence) -> Cells:
    """Find the rows that are asked for, and divide the time of each run."""
    table, metric = _metric(results, asked.metric)
    columns = naming.split([*asked.by, *filter(None, [asked.between])])
    rows = with_runs(
        results, results.tables.polars(table), [*columns, *conditions.named(asked.where)]
    )
    rows = conditions.kept(rows, asked.where)
    rows = _wholes(rows) if table == "io" else rows
    between, by = _compared(results, asked, rows)
    first, found = [], []
    facts = {(run.head["source"], run.head["run"]): run for run in runs(results)}
    data = nw.from_native(rows, eager_only=True)
    named = dict.fromkeys([*_RUN, *by, *filter(None, [between])])
    for (source, number, *_), places in frames.groups(data, named).items():
        own = rows[places].fill_nan(None).rows(named=True)
        budget = _budget(facts[source, number], own, table, metric, known)
        if budget is not None:
            first.append(places[0])
            found.append(budget)
    if not found:
        raise SchemaError(f"no run has {naming.short(metric)}: there is nothing to explain")
    frame = rows[first].with_columns(pl.Series(metric, [one.value for one in found]))
    baseline = None if between is None else _baseline(results, frame, between, asked.baseline)
    return Cells(frame, found, metric, by, between, baseline)


def _compared(
    results: Results, asked: Asked, rows: pl.DataFrame
) -> tuple[str | None, tuple[str, ...]]:
    """Name the column of the sides, if there are any, and the columns of the cells."""
    labels = [name for name in results.labels if rows[name].n_unique() > 1]
    by = tuple(naming.found(name, rows, argument("by")) for name in asked.by)
    between = asked.between and naming.found(asked.between, rows, argument("between"))
    if between is None and len(labels) == 1 and labels[0] not in by:
        between = labels[0]
    if between is None and asked.baseline is not None:
        between = question.sides_of(results, rows)
    if between is None:
        by = by or tuple(name for name in labels or _RUN if rows[name].n_unique() > 1)
    elif between in by:
        raise SchemaError(f"{between!r} is in {argument('by')} and {argument('between')}")
    ways = rows["direction"].n_unique() if "direction" in rows else 1
    if ways > 1 and "direction" not in (between, *by):
        by = (*by, "direction")
    return between, by


def _baseline(results: Results, rows: pl.DataFrame, between: str, baseline: Any) -> Any:
    """Find the baseline among the sides, of which there are several."""
    there = rows[between].unique(maintain_order=True).to_list()
    if len(there) < 2:
        raise SchemaError(
            f"{between!r} holds only {there[0]!r}: there is nothing to compare it with"
        )
    if baseline is None:
        baseline = question.first_level(rows, between, results)
    elif isinstance(baseline, str):
        baseline = naming.value_of(rows, between, baseline)
    if baseline not in there:
        listed = ", ".join(map(repr, there))
        raise SchemaError(f"baseline {baseline!r} is not in {between!r}; there are: {listed}")
    return baseline


def _metric(results: Results, metric: str | None) -> tuple[str, str]:
    """Find the table and the metric: the first that the files have."""
    if metric is None:
        there = {
            one
            for name in ("io", "timings")
            if results.tables.height(name)
            for one in metrics.metrics(results, name)
        }
        metric = next((one for one in METRICS if one in there), METRICS[0])
    table, name = metrics.find_metric(results, metric)
    if name not in METRICS:
        listed = ", ".join(map(naming.short, METRICS))
        raise SchemaError(f"{naming.short(name)} has no parts that add up: explain {listed}")
    return table, name


def _wholes(rows: pl.DataFrame) -> pl.DataFrame:
    """Keep the rows that make up each run: totals if there are any, in their own directions."""
    scopes = {*rows["scope"]}
    if "total" in scopes and len(scopes) > 1:
        rows = rows.filter(rows["scope"] == "total")
    is_apart = rows["direction"].is_in(PARTS).fill_null(False)
    apart, alone = rows.filter(is_apart), rows.filter(~is_apart)
    alone = alone.filter(alone["direction"].ne_missing("sync"))
    left = alone.join(apart, on=[*_RUN, "entry"], how="anti", nulls_equal=True)
    return pl.concat([apart, left])


def _budget(
    run: RunFacts, rows: Sequence[Mapping[str, Any]], table: str, metric: str, known: Evidence
) -> Budget | None:
    if table == "timings":
        return budgets.of_timing(rows[0])
    if len({row["group"] for row in rows}) > 1:
        raise SchemaError(
            "the jobs ran one after the other, in several groups: name them with "
            f"{argument('by', 'job')}"
        )
    return budgets.of_io(run, rows, metric, known)


def _apart(cells: Cells, results: Results) -> Iterator[AnswerRow]:
    """Explain each level against the baseline."""
    between = cells.between or ""
    is_beyond = _beyond_scatter(cells)
    told = _options(results)
    keys = list(zip(*(cells.frame[name] for name in _RUN), strict=True))
    levels = {level: {*own} for (level,), own in cells.of([between]).items()}
    is_rate, count = cells.metric != "real_s", 0
    for key, rows in cells.of(cells.by).items():
        of_sides = {level: sorted(own.intersection(rows)) for level, own in levels.items()}
        base = of_sides.pop(cells.baseline)
        for level, own in of_sides.items():
            if not own or not base:
                continue
            one, other = cells.side(own), cells.side(base)
            total = log(one.value / other.value)
            found = parts(one, other, is_rate=is_rate)
            words = verdicts(found, total)
            if not is_beyond.get((*key, level), abs(total) >= log1p(_SCATTER)):
                words = dict.fromkeys(words, NOTHING)
            options = _by_part(told, keys, own, base, [between, *cells.by], words)
            for part in found:
                name = part.slot.part
                line: AnswerRow = {
                    "row": {
                        **dict.fromkeys(cells.by, own[0]),
                        between: own[0],
                        "baseline": base[0],
                    },
                    "part": name,
                    "n": one.runs,
                    "n_baseline": other.runs,
                    "log_ratio": part.log_ratio,
                    "ratio": exp(part.log_ratio),
                    "share_pct": 100 * part.log_ratio / total if total else None,
                    "verdict": words[name],
                    "options": ", ".join(options.get(name, ())) or None,
                    "finding": f"{name}.between",
                }
                kind = "seconds" if part.slot.kind == "term" else "factor"
                yield line | {kind: part.value, f"{kind}_baseline": part.baseline}
                count += 1
    if not count:
        raise SchemaError(f"no cell has runs of both sides: leave columns out of {argument('by')}")


def _beyond_scatter(cells: Cells) -> dict[Key, bool]:
    """Say of each cell whether its sides differ beyond the scatter of their runs, where known."""
    names = [*cells.by, cells.between or ""]
    frame = cells.frame.select(*dict.fromkeys([*_RUN, *names]), cells.metric)
    told = compare(
        frame, cells.metric, between=names[-1], baseline=cells.baseline, by=list(cells.by)
    )
    found = {}
    for row in told.rows(named=True):
        if row["ratio_lo"] is not None:
            is_beyond = row["ratio_lo"] > 1 + _BAND or row["ratio_hi"] < 1 / (1 + _BAND)
            found[tuple(row[name] for name in names)] = is_beyond
    return found


def _options(results: Results) -> Mapping[Key, OptionTexts]:
    if "settings" not in results.tables or not results.tables.height("settings"):
        return {}
    return options_of_runs(results.tables.polars("settings"))


def _by_part(
    told: Mapping[Key, OptionTexts],
    keys: Sequence[Key],
    level: Iterable[int],
    baseline: Iterable[int],
    named: Sequence[str],
    there: Collection[str],
) -> dict[str, list[str]]:
    """List the options that differ, by the part that they belong to."""
    one, other = (options_of_rows(told, keys, rows) for rows in (level, baseline))
    found = defaultdict[str, list[str]](list)
    for line in differing_options(one, other) if one and other else ():
        option = line["option"]
        own = homes().get(option.rpartition("/")[2], "unknown")
        if own == "size" and own not in there:  # of a rate of I/Os it is the device's
            own = "device"
        found[own if own in there else "unknown"].append(option)
    return found


def _alone(cells: Cells, known: Evidence) -> Iterator[AnswerRow]:
    """Name the limit of each side."""
    for rows in cells.of(cells.by).values():
        own = cells.side(rows)
        facts = cells.budgets[rows[0]].facts
        view = limits.View(own, facts, known)
        values = {"whole": own.whole, **{name: one for name, one in facts.items() if one}}
        for line in limits.limits(view):
            row = dict.fromkeys(cells.by, rows[0])
            yield {"row": row, "n": own.runs, "details": as_json(values), **line}
