"""Over all workloads: the geometric mean of their ratios, and then the ratio of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp
from statistics import fmean
from typing import Any, Literal, TypeAlias

import numpy as np
from narwhals.typing import IntoDataFrameT

from fiotools.errors import SchemaError, argument
from fiotools.flags import Flag, flag
from fiotools.stats import compare, frames
from fiotools.stats.columns import NO_ROWS, Codes, Columns, Rows, by_code, split
from fiotools.stats.estimates import ENOUGH, StudentT, crossed
from fiotools.stats.frames import AnswerRow, Array, metric_of
from fiotools.stats.order import Order
from fiotools.stats.question import FOUND, question
from fiotools.stats.replicates import Runs
from fiotools.stats.sides import SIDES, Side, Sides, levels_beside, sides_of

About = Literal["fixed", "sample"]

_ABOUT = {"fixed": "these workloads", "sample": "workloads like these"}


@question()
def overall(
    frame: IntoDataFrameT,
    metric: str = FOUND,
    *,
    between: str = FOUND,
    baseline: Any = FOUND,
    over: str | Sequence[str],
    by: str | Sequence[str] | None = None,
    pair: str | None = None,
    unit: str | None = None,
    workloads: About = "fixed",
    scope: str | None = None,
    confidence: float = 0.95,
    band: float = 0.05,
) -> IntoDataFrameT:
    """Compare over all workloads: the geometric mean of the ratios, each workload weighing alike.

    For these workloads (``fixed``), only chance between runs counts. For workloads of which these
    are a sample (``sample``), the spread of their ratios is the error; only this question has an
    answer if each workload ran once.

    Parameters
    ----------
    frame : Results, pandas.DataFrame or polars.DataFrame
        One row per run, as for `compare`.
    metric : str, optional
        The column to compare, of numbers above zero; by default the only one.
    between : str, optional
        The column that holds the sides; by default the only label.
    baseline : object, optional
        The side that the others are divided by; by default the first.
    over : str or sequence of str
        The columns whose combinations are the workloads.
    by : str or sequence of str, optional
        Compare over all workloads within each combination of these columns.
    pair : str, optional
        The column of rounds, each of which holds every workload on both sides. Rounds are then the
        replicates, so that the interval holds the effect of a round on all workloads.
    unit : str, optional
        The column of what was measured together, such as a day, as in `compare`. A unit that holds
        all workloads is a replicate, and if it holds both sides a round.
    workloads : {"fixed", "sample"}
        Whether the question is about these workloads, or workloads like these.
    scope
        As in `compare`.
    confidence : float
        Confidence of the interval.
    band : float
        Differences up to this share do not matter.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        For each combination of `by` and level one row over all workloads, in which the columns of
        `over` are null, and then the rows of `compare` for each. After ``ratio_hi`` are
        ``workloads``, how many the ratio is over, and ``about``, "these workloads" or "workloads
        like these": 1 and null in the rows of each.

        In the rows over all, ``n`` and ``n_baseline`` count runs, with `pair` complete rounds, and
        for ``sample`` workloads; these rows share their error among themselves, as the others do.

    Raises
    ------
    SchemaError
        As in `compare`; for fewer than two workloads, for runs that hold some of the workloads and
        not all, and if no round is complete.

    See Also
    --------
    compare : Each workload alone.

    Notes
    -----
    The estimate is the mean of the workloads' log ratios. For ``fixed`` its variance is the sum of
    their variances over the square of their number, with Satterthwaite's degrees of freedom, which
    takes runs of different workloads as independent; with `pair`, the t interval of the means of
    the rounds. For ``sample`` it is the t interval of the workloads' log ratios; the variance
    between rounds (or between runs that hold all workloads) is added, since they are a sample too.
    That is on the safe side: noise of single runs counts twice.

    Examples
    --------
    >>> import fiotools as ft
    >>> io = ft.read("data/how-many-runs/rounds/{workload}_{filesystem}_{round:d}.json").io
    >>> io = io.query("direction != 'sync'")
    >>> sides = {"between": "filesystem", "baseline": "ext4"}
    >>> answer = overall(io, "iops", **sides, over=["workload", "direction"], pair="round")
    >>> answer[["workload", "n", "ratio", "ratio_lo", "ratio_hi", "workloads", "about"]].round(2)
       workload   n  ratio  ratio_lo  ratio_hi  workloads            about
    0       NaN  24   1.00      0.98      1.01          2  these workloads
    1     fsync  24   1.00      0.97      1.04          1              NaN
    2  randread  24   0.99      0.97      1.02          1              NaN
    """
    apart, names = frames.names(by), frames.names(over)
    if workloads not in _ABOUT:
        raise SchemaError(f"workloads {workloads!r} is neither 'fixed' nor 'sample'")
    cell = tuple(dict.fromkeys([*apart, *names]))
    measure = metric_of(metric)
    design = compare.Design(
        measure, between, baseline, cell, pair, scope, confidence, band, unit=unit
    )
    if not names:
        raise SchemaError(
            f"{argument('over')} names no column: which ones tell the workloads apart?"
        )
    runs = compare.runs_for(frame, design)
    lines = _over_all_of(runs, design, names, apart, workloads)
    each = compare.ratios_of(runs, design)
    lines += [one.line() | {"workloads": 1} for one in each]
    return design.answer(runs.data, "overall", lines)


def _over_all_of(
    runs: Runs[Any],
    design: compare.Design,
    names: Sequence[str],
    apart: Sequence[str],
    workloads: About,
) -> list[AnswerRow]:
    """Give the rows over all workloads of each group."""
    columns, between, baseline = runs.columns, design.between, design.baseline
    for name in names:  # without a name, a workload would look like the row over all
        frames.refuse_gaps(columns.data, name, int((~columns.known(name)).sum()))
    levels = levels_beside(columns, between, baseline)
    side, code = columns.codes(between), columns.code_of(between)
    first = columns.first(between).tolist()
    found = []
    for rows in columns.groups(apart):
        cells = sorted(split(rows, columns.together(names, rows)), key=lambda own: int(own[0]))
        if len(cells) < 2:
            raise SchemaError(f"{', '.join(names)}: one workload only, which compare() is for")
        of_sides = [by_code(own, side) for own in cells]
        for level in levels:
            own, base = code[level], code[baseline]
            sides = [(of.get(own, NO_ROWS), of.get(base, NO_ROWS)) for of in of_sides]
            if (gone := _no_run(columns, names, cells, sides)) is not None:
                one = compare.Ratio(0, 0, "").lacks("no run", gone)
            else:
                one = _over_all(runs, design, names, sides, workloads)
            one.row = dict.fromkeys(apart, int(rows[0]))
            one.row |= {between: first[own], "baseline": first[base]}
            found.append((one, len(cells)))
    compare.judge([one for one, _ in found], design)
    for one, _ in found:
        if workloads == "fixed" and one.ratio_lo is None and one.n:
            one.notes.append(flag("sample"))
    return [one.line() | {"workloads": count, "about": _ABOUT[workloads]} for one, count in found]


def over_cells(
    frame: IntoDataFrameT,
    metric: str,
    *,
    between: str,
    baseline: Any,
    by: str | Sequence[str] | None,
    pair: str | None = None,
    unit: str | None = None,
    scope: str | None = None,
    confidence: float = 0.95,
    band: float = 0.05,
) -> IntoDataFrameT | None:
    """Give the rows of `overall` over the cells of a comparison that hold all of its sides.

    A total stands for its parts. None if there is nothing over all: one cell, runs that hold some
    of the cells and not all, or what `compare` refuses.
    """
    over = frames.names(by)
    columns = Columns(frames.opened(frame, [between, *over]))
    kept = np.arange(len(columns.data))
    if "direction" in over and "source" in columns:
        is_total = (columns["direction"] == "total").fill_null(False).to_numpy()
        if is_total.any() and set(columns.run[is_total]) == set(columns.run):
            kept, over = np.flatnonzero(is_total), tuple(one for one in over if one != "direction")
    if not over:
        return None
    columns = Columns(columns.data[kept.tolist(), :])
    side = columns.codes(between)
    cells = [own for own in columns.groups(over) if len(set(side[own])) == len(set(side))]
    if len(cells) < 2:
        return None
    data = columns.data[np.sort(np.concatenate(cells)).tolist(), :]
    design = compare.Design(
        metric_of(metric), between, baseline, over, pair, scope, confidence, band, unit=unit
    )
    try:
        runs = compare.runs_for(data.to_native(), design)
        lines = _over_all_of(runs, design, over, (), "fixed")
    except SchemaError:
        return None
    return design.answer(runs.data, "overall", lines)


_Rows: TypeAlias = Sequence[tuple[Rows, Rows]]  # of level and baseline, of each workload


@dataclass(frozen=True)
class Workloads:
    """Both sides over `count` workloads.

    `level` and `baseline` have a row for each run or round, and a column for each workload, if
    these hold all workloads; else they are None, and each run is of the workload that is its cell.
    """

    sides: Sides
    count: int
    level: Array | None = None
    baseline: Array | None = None


def _no_run(
    columns: Columns[Any], over: Sequence[str], cells: Sequence[Rows], rows: _Rows
) -> Flag | None:
    """Say which side has no run of a workload."""
    for cell, both in zip(cells, rows, strict=True):
        for side, own in zip(SIDES, both, strict=True):
            if not len(own):
                key = [columns.values(name, cell[:1])[0] for name in over]
                return flag("no-run", side=side, workload=list(map(str, key)))
    return None


def _over_all(
    runs: Runs[Any],
    design: compare.Design,
    over: Sequence[str],
    rows: _Rows,
    workloads: About,
) -> compare.Ratio:
    sides = [sides_of(runs, own, base) for own, base in rows]
    inner = list(dict.fromkeys(name for one in sides if one.own for name in one.dims))
    if inner:
        raise SchemaError(
            f"runs of one workload differ in {', '.join(inner)}: add it to {argument('over')}"
        )
    together, notes = _together(sides, over, design.pair)
    if workloads == "fixed":
        found = compare.ratio_of(together.sides, design)
    else:
        found = _of_sample(together, design)
    found.notes += notes
    own, base = (np.concatenate(side) for side in zip(*rows, strict=True))
    inside = {name for both in rows for name in runs.differing(np.concatenate(both))}
    watch = [name for name in runs.watch if name in inside]
    compare.say_what_varies(found, runs, watch, own, base)
    return found


def _together(
    sides: Sequence[Sides], over: Sequence[str], pair: str | None
) -> tuple[Workloads, list[Flag]]:
    """Put the workloads together: as cells of rounds or of runs, or with runs of their own."""
    order, count, unit = sides[0].order, len(sides), sides[0].unit
    pair = pair or sides[0].paired_by
    level, baseline = (
        _all_of([one.level for one in sides]),
        _all_of([one.baseline for one in sides]),
    )
    if pair:
        return _rounds(level, baseline, order, count, pair)
    sizes = {int(size) for side in (level, baseline) for size in _sizes(side.runs)}
    if sizes == {1}:
        both = Sides(level, baseline, [*over], own=True, order=order, unit=unit)
        return Workloads(both, count), [flag("disturbance")]
    if sizes != {count}:
        raise SchemaError(
            "some runs hold several workloads, but not all: keep those that all runs hold"
        )
    (one, logs), (other, base_logs) = (_units(side, side.runs, count) for side in (level, baseline))
    both = Sides(one, other, [*over], own=False, each=count, order=order, unit=unit)
    return Workloads(both, count, logs, base_logs), []


def _all_of(sides: Sequence[Side]) -> Side:
    """Put the runs of all workloads in one side, in cells."""
    fields = (
        np.concatenate(own) for own in zip(*(vars(one).values() for one in sides), strict=True)
    )
    workload = np.repeat(np.arange(len(sides)), [len(one) for one in sides])
    return replace(Side(*fields), cell=workload)


def _sizes(units: Codes) -> Codes:
    """Count the numbers of each run or round."""
    return np.unique(units, return_counts=True)[1]


def _units(side: Side, units: Codes, count: int) -> tuple[Side, Array]:
    """Give the runs or rounds that hold all workloads, as they come, with a number of each."""
    which = np.flatnonzero(np.bincount(units, minlength=1)[units] == count)
    kept, own = side.take(which), units[which]
    first, place = np.unique(own, return_index=True, return_inverse=True)[1:]
    come = np.argsort(np.argsort(first))  # the place of each among the others
    logs = np.empty((len(first), count))
    logs[come[place], kept.cell] = kept.logs
    return replace(kept.take(np.sort(first)), logs=logs.mean(axis=1)), logs


def _rounds(
    level: Side, baseline: Side, order: Order | None, count: int, pair: str
) -> tuple[Workloads, list[Flag]]:
    """Keep the rounds that hold all workloads on both sides."""
    own, base = (side.take(np.flatnonzero(side.pair >= 0)) for side in (level, baseline))
    there = len(np.union1d(own.pair, base.pair))
    (one, logs), (other, base_logs) = (_units(side, side.pair, count) for side in (own, base))
    _, of_one, of_other = np.intersect1d(one.pair, other.pair, return_indices=True)
    if not len(of_one):
        raise SchemaError(
            f"no {pair} holds all {count} workloads on both sides: "
            f"leave out {argument('pair')} or {argument('unit')}"
        )
    notes = [flag("round-means", pair=pair, n=count)]
    if len(of_one) < there:
        notes.append(flag("no-round", n=there - len(of_one), of=there, pair=pair))
    come = np.argsort(of_one)
    of_one, of_other = of_one[come], of_other[come]
    rounds, others = _as_rounds(one.take(of_one)), _as_rounds(other.take(of_other))
    sides = Sides(rounds, others, [], own=False, order=order, paired_by=pair)
    return Workloads(sides, count, logs[of_one], base_logs[of_other]), notes


def _as_rounds(side: Side) -> Side:
    """Take each round for what was measured: both sides are in it."""
    return replace(side, runs=side.pair)


def of_a_sample(workloads: Workloads, *, paired: bool) -> StudentT | None:
    """Estimate the mean log ratio of workloads that are a sample, as rounds that hold all are."""
    return crossed(_log_ratios(workloads), _shared(workloads, paired=paired))


def _log_ratios(found: Workloads) -> list[float]:
    """Give the log ratio of each workload, from the means of its runs."""
    if found.level is not None and found.baseline is not None:
        ratios: list[float] = (found.level.mean(axis=0) - found.baseline.mean(axis=0)).tolist()
        return ratios
    return [float(own.mean()) - float(base.mean()) for own, base in found.sides.logs()]


def _shared(found: Workloads, *, paired: bool) -> list[Array]:
    """Give the numbers of rounds or runs that hold all workloads: their common spread."""
    level, baseline = found.sides.level.logs, found.sides.baseline.logs
    if found.level is None or min(len(level), len(baseline)) < 2:
        return []
    return [level - baseline] if paired else [level, baseline]


def _of_sample(workloads: Workloads, design: compare.Design) -> compare.Ratio:
    paired, k = workloads.sides.paired_by is not None, workloads.count
    found = compare.Ratio(k, k, "log-t-workloads")
    difference = of_a_sample(workloads, paired=paired)
    found.ratio = exp(fmean(_log_ratios(workloads)))
    if difference is None:
        found.notes.append(flag("no-spread"))
        return found
    fewest = min([k, *map(len, _shared(workloads, paired=paired))])
    what = "workloads" if k < ENOUGH else "rounds" if paired else "runs"
    found.estimate = compare.Estimate(difference, fewest, over=True, what=what)
    return found
