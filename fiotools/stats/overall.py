"""Over all workloads: the geometric mean of their ratios, with the ratio of each before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import exp
from statistics import fmean
from typing import Any, Literal

from narwhals.typing import IntoDataFrameT

from fiotools.errors import SchemaError, argument
from fiotools.stats import compare, frames
from fiotools.stats.arms import Arms, Replicate, arms_of, levels_beside, matched
from fiotools.stats.estimates import ENOUGH, StudentT, crossed
from fiotools.stats.frames import Key, metric_of
from fiotools.stats.replicates import Runs

Workloads = Literal["fixed", "sample"]

_ABOUT = {"fixed": "these workloads", "sample": "workloads like these"}


def overall(
    frame: IntoDataFrameT,
    metric: str,
    *,
    between: str,
    baseline: Any,
    over: str | Sequence[str],
    by: str | Sequence[str] | None = None,
    pair: str | None = None,
    workloads: Workloads = "fixed",
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
    frame : pandas.DataFrame or polars.DataFrame
        One row per run, as for `compare`.
    metric, between, baseline, scope, confidence, band
        As in `compare`.
    over : str or sequence of str
        The columns whose combinations are the workloads.
    by : str or sequence of str, optional
        Compare over all workloads within each combination of these columns.
    pair : str, optional
        The column that names rounds, each of which holds every workload on both sides: they are the
        replicates, so that the interval holds the effect of a round on all workloads.
    workloads : {"fixed", "sample"}
        The question: about these workloads, or about workloads like these.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        The rows of `compare` for each workload, and then, for each combination of `by` and level,
        one row over all of them, in which the columns of `over` are null. After ``ratio_hi`` are
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
    0     fsync  24   1.00      0.97      1.04          1              NaN
    1  randread  24   0.99      0.97      1.02          1              NaN
    2       NaN  24   1.00      0.98      1.01          2  these workloads
    """
    apart, names = frames.names(by), frames.names(over)
    if workloads not in _ABOUT:
        raise SchemaError(f"workloads {workloads!r} is neither 'fixed' nor 'sample'")
    cell = tuple(dict.fromkeys([*apart, *names]))
    measure = metric_of(metric)
    design = compare.Design(measure, between, baseline, cell, pair, scope, confidence, band)
    runs, each = compare.ratios_of(frame, design, None)
    data = runs.data
    if not names:
        raise SchemaError("over= names no column: which ones tell the workloads apart?")
    for name in names:  # without a name, a workload would look like the row over all
        frames.complete(data, name)
    workload = frames.keys_of(data, names)
    levels = levels_beside(data, between, baseline)
    found, lines = [], [one.line() | {"workloads": 1} for one in each]
    for rows in frames.groups(data, apart).values():
        cells = frames.rows_by(workload, rows)
        if len(cells) < 2:
            raise SchemaError(f"{', '.join(names)}: one workload only, which compare() is for")
        of_sides = {key: frames.rows_by(runs.side, own) for key, own in cells.items()}
        for level in levels:
            sides = {
                key: [own.get(one, []) for one in (level, baseline)]
                for key, own in of_sides.items()
            }
            one = _over_all(runs, design, names, sides, level, workloads)
            one.row = dict.fromkeys(apart, rows[0])
            one.row |= {between: runs.first[level], "baseline": runs.first[baseline]}
            found.append((one, len(cells)))
    compare.judge([one for one, _ in found], design)
    for one, _ in found:
        if workloads == "fixed" and one.ratio_lo is None and one.n:
            one.notes.append("workloads='sample' asks about workloads like these")
    lines += [one.line() | {"workloads": count, "about": _ABOUT[workloads]} for one, count in found]
    return design.answer(data, "overall", lines)


def _over_all(
    runs: Runs[Any],
    design: compare.Design,
    over: Sequence[str],
    sides: Mapping[Key, Sequence[Sequence[int]]],
    level: Any,
    workloads: Workloads,
) -> compare.Ratio:
    for key, rows in sides.items():
        for one, own in zip((level, design.baseline), rows, strict=True):
            if not own:
                found = compare.Ratio(0, 0, "")
                found.verdict = f"no run of {one!r} of {', '.join(map(str, key))}: not comparable"
                return found
    arms = {key: arms_of(runs, own, base) for key, (own, base) in sides.items()}
    inner = list(dict.fromkeys(name for one in arms.values() if one.own for name in one.dims))
    if inner:
        raise SchemaError(f"runs of one workload differ in {', '.join(inner)}: add it to over=")
    together, notes = _together(arms, over, design.pair)
    if workloads == "fixed":
        found = compare.ratio_of(together, design, level)
    else:
        found = _of_sample(together, design, len(arms))
    found.notes += notes
    own, base = ([row for rows in sides.values() for row in rows[place]] for place in (0, 1))
    inside = {
        name: column
        for name, column in runs.watch.items()
        if any(frames.differing({name: column}, [*rows[0], *rows[1]]) for rows in sides.values())
    }
    compare.say_what_varies(found, inside, own, base)
    return found


def _together(
    arms: Mapping[Key, Arms], over: Sequence[str], pair: str | None
) -> tuple[Arms, list[str]]:
    """Put the workloads together: as cells of rounds or of runs, or with runs of their own."""
    order = next(iter(arms.values())).order
    level = _units({key: one.level for key, one in arms.items()}, pair)
    baseline = _units({key: one.baseline for key, one in arms.items()}, pair)
    if pair:
        return _rounds(Arms(level, baseline, [], False, order), len(arms), pair)
    sizes = {len(unit.cells) for unit in (*level, *baseline)}
    if sizes - {1} and sizes != {len(arms)}:
        raise SchemaError(
            "some runs hold several workloads, but not all: keep those that all runs hold"
        )
    own = sizes == {1}
    notes = []
    if own:
        notes.append(
            "a disturbance of several workloads cannot be told from a difference here: "
            f"rounds that hold them all show it, {argument('pair')}"
        )
    return Arms(level, baseline, [*over], own, order), notes


def _rounds(arms: Arms, count: int, pair: str) -> tuple[Arms, list[str]]:
    """Keep the rounds that hold all workloads on both sides."""
    arms, alone = matched(arms)
    rounds = list(zip(arms.level, arms.baseline, strict=True))
    whole = [both for both in rounds if all(len(unit.cells) == count for unit in both)]
    if not whole:
        raise SchemaError(
            f"no {pair} holds all {count} workloads on both sides: leave out {argument('pair')}"
        )
    notes = [f"each {pair} counts once: the mean of its {count} log ratios"]
    there = len(rounds) + alone
    if len(whole) < there:
        notes.append(
            f"{there - len(whole)} of {there} values of {pair!r} left out: "
            "they do not hold every workload on both sides"
        )
    level, baseline = map(list, zip(*whole, strict=True))
    return replace(arms, level=level, baseline=baseline), notes


def _units(sides: Mapping[Key, Sequence[Replicate]], pair: str | None) -> list[Replicate]:
    """Give the repeats, rounds or runs, with their number of each workload."""
    found: dict[Key, Replicate] = {}
    for workload, side in sides.items():
        for run in side:
            if pair and run.pair is None:
                continue
            key = (run.pair,) if pair else run.key
            unit = found.setdefault(key, Replicate(key, {}, run.pair, run.place))
            unit.cells[workload] = run.log
    return list(found.values())


def of_a_sample(arms: Arms, *, paired: bool) -> StudentT | None:
    """Estimate the mean log ratio of workloads that are a sample, as rounds that hold all are."""
    return crossed(_log_ratios(arms), _shared(arms, paired=paired))


def _log_ratios(arms: Arms) -> list[float]:
    """Give the log ratio of each workload, from the means of its runs."""
    return [
        fmean(run.cells[workload] for run in level) - fmean(run.cells[workload] for run in baseline)
        for workload, (level, baseline) in arms.of_cells().items()
    ]


def _shared(arms: Arms, *, paired: bool) -> list[list[float]]:
    """Give the numbers of rounds or runs that hold all workloads: their common spread."""
    level, baseline = ([run.log for run in side] for side in (arms.level, arms.baseline))
    if arms.own or min(len(level), len(baseline)) < 2:
        return []
    if paired:
        return [[one - other for one, other in zip(level, baseline, strict=True)]]
    return [level, baseline]


def _of_sample(arms: Arms, design: compare.Design, k: int) -> compare.Ratio:
    paired = design.pair is not None
    found = compare.Ratio(k, k, "log-t-workloads")
    difference, found.ratio = of_a_sample(arms, paired=paired), exp(fmean(_log_ratios(arms)))
    if difference is None:
        found.notes.append(compare.NO_SPREAD)
        return found
    fewest = min([k, *map(len, _shared(arms, paired=paired))])
    what = "workloads" if k < ENOUGH else "rounds" if paired else "runs"
    found.estimate = compare.Estimate(difference, difference, fewest, over=True, what=what)
    return found
