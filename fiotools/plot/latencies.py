"""Latencies from fast to slow: how they spread, also over time, and how two sides' differ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fiotools import units
from fiotools.errors import SchemaError, argument, typed, warn
from fiotools.plot import words
from fiotools.plot.centers import is_one_run, limits_of
from fiotools.plot.kind import (
    Arguments,
    Prepare,
    answered,
    complete_names,
    kind,
    name_sides,
    of_answer,
    of_table,
    opened,
    refuse_several,
    values_of,
    within_files,
)
from fiotools.plot.runs import band_of
from fiotools.plot.scales import nines
from fiotools.plot.spec import Axis, Limit, Row, Spec, in_order, refuse_zero
from fiotools.plot.words import say
from fiotools.stats import frames
from fiotools.stats.columns import Columns
from fiotools.stats.frames import Frame
from fiotools.stats.methods import BATCHES
from fiotools.stats.order import ROUND
from fiotools.stats.percentiles import Histogram, histograms, merge_bins, telling
from fiotools.stats.replicates import run_keys, watched
from fiotools.stats.summary import center_of
from fiotools.stats.tails import tails as ask_tails
from fiotools.stats.windows import bins_of
from fiotools.tables.naming import COUNTS
from fiotools.tables.results import Results
from fiotools.vocabulary import CONDITIONS

_SHARES = (1, 50, 90, 99, 99.9, 99.99, 99.999)  # with a tick
_STEPS = 300  # of an axis of latencies: what can be told apart
APART = ("quantity", "latency", "direction")  # rows that differ in these never add up
_DECADE = 24  # cells of equal height in a decade: 10 % of latency each
_FEW = 10  # I/Os
# what a cumulative distribution is of
_WEIGHTS = {"ios": "I/Os that took no longer", "time": "waiting time in I/Os that took no longer"}
_COLUMNS = 100  # windows of a log
_GAP = 1.5  # of the usual interval: after more, nothing is known of the time before


def _merged(bins: Any, keys: Sequence[str]) -> tuple[Any, str]:
    """Add up the histograms of jobs and runs, and say so; not what never adds up."""
    table = opened(bins, "bin_lo_ns", "bin_hi_ns", "count", *keys)
    is_map = "time_s" in keys
    names = [None] * len(table) if is_map else frames.keys_of(table, keys)
    what, role = ("a heat map", "by") if is_map else ("a curve", "hue")
    named = [*keys, *APART]
    refuse_several(table, names, [one for one in APART if one not in keys], what, role="by")
    refuse_several(table, names, _sides(table, named), what, role=role)
    own = histograms(table, list(keys))
    if all(max(one.parts.values(), default=0) == 1 for one in own):
        return bins, ""
    several = max(one.n or 1 for one in own) if "run" in table.columns else 1
    timed = not is_map and len(frames.distinct(frames.optional(table, "time_s"))) > 1
    note = say("histograms of the {parts} added up", parts="intervals" if timed else "jobs")
    if several > 1:
        note = say("histograms of {n} runs added up", n=several)
    return merge_bins(bins, by=list(keys)), note


def _sides(table: Frame, named: Sequence[str]) -> list[str]:
    """Return labels and conditions that tell sides apart; a label of numbers counts runs."""
    sides = [name for name in telling(table) if name not in (*named, ROUND)]
    counts = {
        name
        for name in sides
        if name not in CONDITIONS
        and all(str(one).isdigit() for one in frames.distinct(frames.values(table, name)))
    }
    found = dict.fromkeys([*sides, *watched(Columns(table), named)])
    return [one for one in found if one not in counts and (one in sides or one in CONDITIONS)]


def _binned(windows: int, role: str = "") -> Prepare:
    """Take bins, or make those of logs; what one plot does not show together has panels."""

    def prepare(data: Any, asked: Arguments) -> Any:
        if not isinstance(data, Results):
            return data
        named = bool(role) and asked.get(role) is None
        data = name_sides(data, asked, role) if named else data
        table = bins_of(data, windows)
        if not len(table):
            raise SchemaError(
                "there is no histogram in these files: use fio's JSON+"
                " (--output-format=json+), a log of single I/Os, or --write_hist_log"
            )
        complete_names(table, asked)
        if named:
            within_files(table, asked, role)
        shown = {*asked["by"], asked.get("hue")}
        sides = [] if role else [one for one in data.labels if one not in (ROUND, *COUNTS)]
        apart = frames.columns(
            opened(table), [one for one in (*sides, "direction") if one in table]
        )
        asked["by"] = [*asked["by"], *(o for o in frames.differing(apart) if o not in shown)]
        return table

    return prepare


@kind(_binned(1, "hue"))
def cdf(
    data: Any,
    *,
    hue: str | None = None,
    order: Sequence[Any] | None = None,
    weight: Literal["ios", "time"] = "ios",
) -> Spec:
    """Draw the share of the I/Os, or of the waiting time, that took no longer than a latency.

    A histogram tells the share at the edges of its bins only. The band shows the range within a
    bin; the line along its lower edge counts the I/Os that had certainly ended. Histograms of the
    same curve, of jobs and of runs, are added up, and a note says so.

    Parameters
    ----------
    data : Results, pandas.DataFrame or polars.DataFrame
        ``bin_lo_ns``, ``bin_hi_ns`` and ``count``, such as `Results.bins` of fio's JSON+: one
        latency and one direction per curve.
    hue : str, optional
        The column that names the curves.
    weight : {"ios", "time"}
        Each I/O counts once; or as much as it waited, the middle of its bin: few slow I/Os may
        be most of the time.
    order, by, title, palette, ax
        As in `repeats`; curves take their colours in this order.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        If a curve has histograms of several latencies or directions.

    Examples
    --------
    >>> import fiotools as ft
    >>> bins = ft.example("own-disk").bins
    >>> ax = ft.plot.cdf(bins[bins["workload"] == "random-read"], hue="place")
    >>> ax.get_ylabel()
    'I/Os that took no longer'
    """
    keys = [hue] if hue else []
    merged, note = _merged(data, keys)
    table = opened(merged, *keys)
    found: dict[Any, Histogram] = {}
    for own in histograms(table, keys):
        if any(own.counts.values()):
            found[frames.values(table, hue)[own.rows[0]] if hue else None] = own
    if not found:
        raise SchemaError("nothing to draw: no bin has an I/O")
    if weight not in _WEIGHTS:
        raise SchemaError(f"{argument('weight', weight)} is one of {', '.join(_WEIGHTS)}")
    for name, own in found.items() if weight == "time" else ():
        waits = {(low, high): n * _middle(low, high) for (low, high), n in own.counts.items()}
        found[name] = replace(own, counts=waits)
    curves = in_order(found, order)
    filled = [edges for name in curves for edges, count in found[name].counts.items() if count]
    low = min(_start(*edges) for edges in filled)
    high = max(end if math.isfinite(end) else max(begin, 1.0) * 2 for begin, end in filled)
    beyond = (high / low) ** 0.03
    ends = (low / beyond, high * beyond)
    notes = [say("band: undecided within a bin"), note]
    if weight == "time":
        notes.append(say("an I/O waits the middle of its bin"))
    what = words.latency_of(table)
    return Spec(
        "lines",
        tuple(row for name in curves for row in _steps(found[name], ends, name)),
        Axis(words.going(what, table, hue), "ns", "bin_lo_ns", log=True, ends=ends, bare=what),
        Axis(say(_WEIGHTS[weight]), "%", ends=(0.0, 102.0), log=False),
        hue=hue,
        groups=curves,
        notes=tuple(filter(None, notes)),
        how=frozenset({"steps", "bands"}),
    )


def _middle(low: float, high: float) -> Any:
    return (low + high) / 2 if math.isfinite(high) else low


def _start(low: float, high: float) -> float:
    """Return where a bin begins on a logarithmic axis, which has no place for 0."""
    return low or (high / 2 if math.isfinite(high) else 1.0)


def _steps(own: Histogram, ends_of: tuple[float, float], name: Any) -> Iterator[Row]:
    """Give, at both edges of each bin, the share that has ended, and the share that may have."""
    low, high = ends_of
    bins = {edges: count for edges, count in own.counts.items() if count}
    edges, sums = np.array(list(bins)), np.cumsum(list(bins.values()))
    # bins that end in the same step of the axis are one
    ends = np.log(edges[:, 1].clip(low, high) / low) / math.log(high / low)
    first = np.unique(np.floor(_STEPS * ends), return_index=True)[1]
    last = np.append(first[1:], len(edges)) - 1
    edges, sums = np.column_stack([edges[first, 0], edges[last, 1]]), sums[last]
    maybe = 100 * sums / sums[-1]
    before = np.concatenate([[0.0], maybe[:-1]])
    certain = np.where(np.isfinite(edges[:, 1]), maybe, before)  # the last bin may have no end
    for at, places in enumerate(edges.clip(low, high)):
        for place, surely in zip(places, (before[at], certain[at]), strict=True):
            ended = float(surely)
            yield Row(float(place), ended, ended, float(maybe[at]), group=name)


def _of_intervals(data: Any, asked: Arguments) -> Any:
    table = opened(_binned(_COLUMNS)(data, asked), "time_s")
    known = [row for row, one in enumerate(frames.values(table, "time_s")) if one is not None]
    if not known:
        raise SchemaError(
            "nothing to draw: these are bins of whole runs, and a heat map needs those of intervals"
            " (fio --write_hist_log=x --log_hist_msec=1000);"
            f" {typed('plot.cdf', 'fiotools plot cdf')} draws whole runs"
        )
    return table[known].to_native()


@kind(_of_intervals)
def heatmap(data: Any, *, ceilings: Mapping[str, float | str] | None = None) -> Spec:
    """Draw latency over time, each interval's I/Os by colour.

    Every interval is a column. Its colours are shares of its own I/Os: the map shows how latencies
    spread, and not how many I/Os there were. White means no I/O. An interval with fewer than ten
    I/Os is blank if most have ten times as many: its shares would say nothing.

    A cell is 10 % of latency high: finer bins are added up. A wider bin is one cell in the colour
    of its share per 10 % of latency, so that it does not look denser than it is.

    Parameters
    ----------
    data : Results, pandas.DataFrame or polars.DataFrame
        ``time_s``, ``bin_lo_ns``, ``bin_hi_ns`` and ``count``, such as `Results.bins` of a fio
        histogram log: one latency and one direction. Jobs and runs are added up, and a note says
        so; bins of whole runs are left out.
    ceilings, by, title, ax
        As in `repeats`: latencies to draw as lines, such as a limit or a percentile.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        If latencies or directions are mixed, or the bins are those of whole runs.

    Notes
    -----
    ``time_s`` is the end of an interval, which began at the end of the one before. An interval
    more than half too long gets the usual length, and the time before it stays white: no I/O ended
    there, or none was logged. The last bin has no end and is one cell high.

    Examples
    --------
    >>> import fiotools as ft
    >>> res = ft.read("data/how-many-runs/long")  # a run of 300 s
    >>> ft.plot.heatmap(res).get_ylabel().split()
    ['completion', 'latency', '(write)']
    """
    table = opened(data, "time_s", "bin_lo_ns", "bin_hi_ns", "count")
    clock = frames.complete(table, "time_s")
    values_of(table, "time_s")
    if min(clock) < 0:
        raise SchemaError(f"'time_s' is {min(clock):g} in a row: runs begin at 0")
    merged, note = _merged(data, ["time_s"])
    table = opened(merged, "time_s")
    clock = frames.values(table, "time_s")
    found = {float(clock[own.rows[0]]): _filled(own) for own in histograms(table, ["time_s"])}
    begins, ends = _intervals(np.array(sorted(found)))
    intervals = [found[end] for end in ends.tolist()]
    levels = _grid(np.concatenate(intervals))
    shares = np.array([_portions(filled, levels) for filled in intervals])
    counts = np.array([filled[:, 2].sum() for filled in intervals])
    thin = (counts < _FEW) & (counts < np.median(counts) / 10)
    shares[thin] = 0
    latencies = (10.0 ** (levels / _DECADE)).tolist()
    rows = [
        Row(float(end), latencies[at], float(begin), float(end), value=float(share) or None)
        for begin, end, column in zip(begins, ends, shares, strict=True)
        for at, share in enumerate(column)
    ]
    each = words.tick(float(np.median(ends - begins)), "s")
    what, since = words.latency_of(table), say("time since the start")
    notes = [say("blank columns: fewer than {n} I/Os", n=_FEW)] if thin.any() else []
    return Spec(
        "cells",
        tuple(rows),
        Axis(
            f"{since} ({say('a column')}: {each})",
            "s",
            "time_s",
            ends=(float(begins[0]), float(ends[-1])),
            log=False,
            bare=since,
        ),
        Axis(
            words.going(what, table),
            "ns",
            "bin_lo_ns",
            log=True,
            ticks=tuple(latencies),
            ends=(latencies[0], latencies[-1]),
            bare=what,
        ),
        limits=limits_of(ceilings, "ns", log=True, axis="y"),
        notes=(*notes, *([note] if note else [])),
        # one I/O of the fullest interval is the palest
        colours=Axis(
            say("I/Os of the interval\nper 10 % of latency"),
            "share",
            log=True,
            ends=(1 / float(counts.max()), 1.0),
        ),
    )


def _intervals(ends: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where intervals begin: at the end of the one before, unless that is too long ago."""
    steps = np.diff(ends)
    usual = float(np.median(steps)) if len(steps) else float(ends[0]) or 1.0
    since = np.concatenate([[ends[0] or usual], steps])
    begins = ends - np.where(since > _GAP * usual, usual, since)
    near = np.abs(begins[1:] - ends[:-1]) <= 1e-9 * np.maximum(1.0, ends[1:])
    begins[1:][near] = ends[:-1][near]
    return begins, ends


def _filled(own: Histogram) -> NDArray[np.float64]:
    """Return a row for each bin that holds anything: both edges, in cells, and the count."""
    found = []
    for (low, high), count in own.counts.items():
        if count:
            first = _DECADE * math.log10(_start(low, high))
            last = _DECADE * math.log10(high) if math.isfinite(high) else first + 1
            found.append((first, last, count))
    return np.array(found, dtype=np.float64).reshape(-1, 3)


def _grid(filled: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the edges of the cells, in cells: every 10 %, or the end of a wider bin."""
    if not len(filled):
        raise SchemaError("nothing to draw: no bin has an I/O")
    lows, highs = filled[np.lexsort((-filled[:, 1], filled[:, 0])), :2].T
    outer = np.diff(np.maximum.accumulate(highs), prepend=-np.inf) > 0  # not within one before
    lows, highs = lows[outer], highs[outer]
    even = np.arange(math.floor(lows[0] + 1e-9), math.ceil(highs[-1] - 1e-9) + 1, dtype=np.float64)
    at = np.maximum(np.searchsorted(lows, even, side="right") - 1, 0)
    nearer = np.where(even - lows[at] < highs[at] - even, lows[at], highs[at])
    inside = (lows[at] < even) & (even < highs[at])
    return np.unique(np.where(inside, nearer, even).round(9))


def _portions(filled: NDArray[np.float64], grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of an interval's I/Os in each cell, for 10 % of latency."""
    if not len(filled):
        return np.zeros(len(grid) - 1)
    counts = filled[:, 2]
    sums = np.cumsum(counts)
    before_and_after = np.column_stack([sums - counts, sums]).ravel()
    ios = np.diff(np.interp(grid, filled[:, :2].ravel(), before_and_after))
    ios[ios < 1e-6] = 0  # edges that meet, up to the last digit
    return np.asarray(np.minimum(ios / sums[-1] / np.diff(grid), 1), dtype=np.float64)


def _printed(data: Any, asked: Arguments) -> Any:
    """Take the percentiles; directions have panels. Warn if the runs of a curve are unlike."""
    native = of_table("percentiles", "hue")(data, asked)
    if isinstance(data, Results):
        table = opened(native)
        shown = {*asked["by"], *(asked.get(role) for role in ("y", "hue"))} - {None}
        ways = frames.differing(frames.columns(table, ["direction"]))
        asked["by"] = [*asked["by"], *(one for one in ways if one not in shown)]
        keys, shares = [*shown, *ways], frames.values(table, "percentile")
        runs = table[[row for row, one in enumerate(shares) if one == shares[0]]]
        groups = frames.groups(runs, keys).values()
        if differ := {name for own in groups for name in watched(Columns(runs[own]), keys)}:
            warn(
                f"the runs of one curve differ in {', '.join(sorted(differ))}:"
                f" {argument('hue')} draws one of them apart"
            )
    return native


@kind(_printed)
def percentiles(
    data: Any,
    *,
    hue: str | None = None,
    y: str | None = None,
    at: Sequence[float] = (50, 99, 99.9),
    means: Any = None,
    order: Sequence[Any] | None = None,
) -> Spec:
    """Draw latency against percentile, each further nine as wide as the one before.

    Answers with ``bound_lo_ns`` and ``bound_hi_ns`` are drawn with their bounds as a band, or
    with their intervals where these are wider. Lines between percentiles only lead the eye.
    With ``y`` instead of ``hue`` some percentiles of each level are points in a row.

    Parameters
    ----------
    data : Results, pandas.DataFrame or polars.DataFrame
        ``percentile`` and ``value_ns``, such as `Results.percentiles`, of one latency and one
        direction: one row per percentile, run and curve. Reads and writes of a `Results` have
        panels. Several runs of a curve are points about their geometric mean. With
        ``bound_lo_ns`` and ``bound_hi_ns`` beside it, a value may be missing.
    hue : str, optional
        The column that names the curves.
    y : str, optional
        The column that names the rows, instead of curves.
    at : sequence of float
        The percentiles of rows.
    means : pandas or polars frame, optional
        A table with ``y`` and ``lat_mean_ns``: the mean of each row, drawn beside its percentiles.
    order, by, title, palette, ax
        As in `repeats`; curves take their colours in this order.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        If a curve has several latencies or directions, or a run a percentile twice.

    Examples
    --------
    >>> import fiotools as ft
    >>> told = ft.example("lima-mounts").percentiles
    >>> ax = ft.plot.percentiles(told[told["pattern"] == "randwrite"], hue="mount")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('percentile of the I/Os', 'completion latency (write)')
    """
    table = opened(data, y or hue, "percentile")
    if not {"bound_lo_ns", "bound_hi_ns"} <= {*table.columns}:
        frames.need(table, ["value_ns"])
    what = words.latency_of(table)
    axis = Axis(words.going(what, table, y or hue), "ns", "value_ns", log=True, bare=what)
    if y is not None:
        return _in_rows(table, y, [at] if isinstance(at, (int, float)) else at, means, order, axis)
    # the lowest and the highest latency have no place on the axis
    shares: list[Any] = frames.numbers(table, "percentile")
    inner = [row for row, share in enumerate(shares) if share is not None and 0 < share < 100]
    beyond = frames.distinct(shares[row] for row in {*range(len(shares))} - {*inner})
    table = table[inner]
    values, bounds = _values(table), _bounds(table)
    if not any(bounds) and not any(value is not None for value in values):
        raise SchemaError("nothing to draw: no row has a value of 'value_ns'")
    names = frames.complete(table, hue) if hue else [None] * len(table)
    refuse_several(table, names, [one for one in APART if one != hue], "a curve", role="by")
    curves = in_order(names, order)
    rows, several = list[Row](), False
    for name in curves:
        own, is_several = _points(
            table, [row for row, one in enumerate(names) if one == name], name
        )
        several |= is_several
        rows += own
    notes = _band_words(table)
    if several:
        notes.insert(0, say("points: runs; curve: {middle}", middle=say("geometric mean")))
    else:
        notes.append(is_one_run(table, [names.index(name) for name in curves]))
    if beyond:
        shown = words.listed(f"p{units.percentile(share)}" for share in sorted(beyond))
        notes.append(say("no place on this axis: {names}", names=shown))
    return Spec(
        "lines",
        tuple(rows),
        _percentile_axis(rows),
        axis,
        hue=hue,
        groups=curves,
        notes=tuple(filter(None, notes)),
        how=frozenset({"bands"}) if any(bounds) else frozenset(),
    )


def _points(table: Frame, held: Sequence[int], name: Any) -> tuple[list[Row], bool]:
    """Give each percentile of a curve the centre of its runs, or its bounds."""
    shares = frames.numbers(table, "percentile")
    values, bounds = _values(table), _bounds(table)
    told = "run" in table.columns and not any(bounds)
    runs = run_keys(table) if told else [()] * len(table)
    keys = [(runs[row], shares[row]) for row in held]
    _refuse_twice(keys, name)
    found = []
    for share in sorted({one for _, one in keys if one is not None}):
        own = [row for row in held if shares[row] == share]
        known = [value for row in own if (value := values[row]) is not None]
        low, high = bounds[own[-1]] or (None, None)
        if known or low is not None:
            middle = center_of(known).value if known else None
            points = tuple(known) if len(own) > 1 else ()
            found.append(Row(nines(share), middle, low, high, points=points, group=name))
    return found, len({run for run, _ in keys}) > 1


def _refuse_twice(shares: Sequence[Any], name: Any) -> None:
    """Refuse a curve that has a percentile twice."""
    if len({*shares}) < len(shares):
        raise SchemaError(
            f"{name!r} has a percentile twice: filter to one latency, direction and run"
        )


def _percentile_axis(rows: Sequence[Row]) -> Axis:
    """Return an axis with the percentiles of rows, as far as they reach."""
    last = max(row.x for row in rows)
    ticks = tuple(tick for tick in map(nines, _SHARES) if tick <= last + 1e-9)
    ends = (0.0, last * 1.06)
    return Axis(say("percentile of the I/Os"), "p", "percentile", log=False, ticks=ticks, ends=ends)


def _values(table: Frame) -> list[float | None]:
    if "value_ns" not in table.columns:
        return [None] * len(table)
    return values_of(table, "value_ns", log=True, some=False)


def _bounds(table: Frame) -> list[tuple[float, float] | None]:
    """Return both ends of the bounds of each row, or of its interval where that is wider."""
    return [
        (min(bound[0], own[0]), max(bound[1], own[1])) if bound and own else bound or own
        for bound, own in zip(_ends(table, "bound"), _ends(table, "value"), strict=True)
    ]


def _ends(table: Frame, what: str) -> list[tuple[float, float] | None]:
    """Return both ends of each row; None where an end is missing."""
    columns = (f"{what}_lo_ns", f"{what}_hi_ns")
    if not {*columns} <= {*table.columns}:
        return [None] * len(table)
    pairs = zip(*(frames.numbers(table, name) for name in columns), strict=True)
    # a latency of 0 has no place on the axis
    found = [
        (low, high) if low and high and math.isfinite(low + high) else None for low, high in pairs
    ]
    refuse_zero(columns[0], [low for pair in found if pair for low in pair])
    return found


def _band_words(table: Frame) -> list[str]:
    """Say what the bands are."""
    found = []
    if any(_ends(table, "bound")):
        found.append(say("band: the bins that hold the percentiles"))
    pairs = zip(_ends(table, "bound"), _ends(table, "value"), strict=True)
    if any(own and own != bound for bound, own in pairs):
        share = words.percent(words.only(table, "confidence") or 0.95)
        text = "and, where wider, the {confidence} interval, if I/Os were independent"
        found.append(say(text, confidence=share))
    return found


def _in_rows(
    table: Frame,
    y: str,
    at: Sequence[float],
    means: Any,
    order: Sequence[Any] | None,
    axis: Axis,
) -> Spec:
    """Draw some percentiles of each level as points in a row, and the mean beside them."""
    shares, values = frames.numbers(table, "percentile"), _values(table)
    names = frames.complete(table, y)
    levels = in_order(names, order)
    known = None if means is None else opened(means, y, "lat_mean_ns")
    mean_of: dict[Any, Any] = (
        {} if known is None else dict(frames.keys_of(known, [y, "lat_mean_ns"]))
    )
    groups = [f"p{units.percentile(share)}" for share in at]
    heads = [*groups, *([say("mean")] if means is not None else [])]
    rows = []
    for name in levels:
        told: dict[str, float] = {}
        for share, group in zip(at, groups, strict=True):
            own = [
                value
                for value, one, of in zip(values, names, shares, strict=True)
                if one == name and of == share and value is not None
            ]
            _refuse_twice([share] * len(own), name)
            if own:
                told[group] = own[0]
        if mean_of.get(name) is not None:
            told[say("mean")] = mean_of[name]
        own_rows = [Row(value, name, group=group) for group, value in told.items()]
        if own_rows:
            texts = tuple(units.human(told[one], "ns") if one in told else "" for one in heads)
            own_rows[-1] = replace(own_rows[-1], texts=texts)
        rows += own_rows
    if not rows:
        raise SchemaError("nothing to draw: no row has one of the percentiles")
    return Spec(
        "rows",
        tuple(rows),
        axis,
        Axis(column=y, order=levels),
        hue="label",
        groups=tuple(heads),
        heads=tuple(heads),
        notes=(say("mean: of the total latency"),) if means is not None else (),
        how=frozenset({"one row"}),
    )


@kind(of_answer(ask_tails, "between", "baseline"))
def tails(
    data: Any,
    *,
    between: str | None = None,
    baseline: Any = None,
    band: float = 0.05,
) -> Spec:
    """Draw the ratio of each percentile against the percentile, the answer of `fiotools.tails`.

    Above 1, the I/Os of the level take longer than those of the baseline. The interval is a band;
    a percentile without an interval is a hollow point.

    Parameters
    ----------
    data : Results, pandas.DataFrame or polars.DataFrame
        Histograms, or the answer of `fiotools.tails`, or of `compare` by percentile.
    between, baseline : optional
        Of histograms, as in `fiotools.tails`, which is asked.
    band : float
        Half-width of the relevance band.
    by, title, palette, ax
        As in `repeats`.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        If no row has a ratio, or a curve has a percentile twice.

    Examples
    --------
    >>> import fiotools as ft
    >>> reads = ft.example("own-disk").where("workload=random-read", "place!=tmpfs")
    >>> ax = ft.plot.tails(reads, between="place", baseline="root")
    >>> ax.get_ylabel()
    'ratio of completion latency'
    """
    del between, baseline
    table = answered(
        data, ("percentile", "baseline", "ratio", "ratio_lo", "ratio_hi"), "a comparison"
    )
    shares = frames.complete(table, "percentile")
    ratio, low, high = (
        values_of(table, name, log=True, some=name == "ratio")
        for name in ("ratio", "ratio_lo", "ratio_hi")
    )
    rows = []
    curves = _pairs(table)
    for name, held in curves.items():
        # the least and the greatest latency have no place on the axis
        own = [row for row in held if 0 < shares[row] < 100]
        _refuse_twice([shares[row] for row in own], name)
        for row in sorted(own, key=lambda row: shares[row]):
            if ratio[row] is not None:
                mark = "hollow" if low[row] is None or high[row] is None else ""
                place = nines(shares[row])
                rows.append(Row(place, ratio[row], low[row], high[row], group=name, mark=mark))
    notes = []
    if confidence := words.only(table, "confidence"):
        text = "band: {confidence} interval over runs"
        if BATCHES in frames.optional(table, "method"):
            text = "band: {confidence} interval within these runs"
        notes.append(say(text, confidence=words.percent(confidence)))
    if any(row.mark for row in rows):
        notes.append(say("○ no interval, so chance is not ruled out"))
    notes.append(say("grey: within {band} of equal", band=words.percent(band)))
    return Spec(
        "lines",
        tuple(rows),
        _percentile_axis(rows),
        Axis(
            say("ratio of {what}", what=words.latency_of(table)),
            "x",
            "ratio",
            log=True,
            bare=say("ratio of {what}", what=say("latency")),
        ),
        hue=table.columns[table.columns.index("baseline") - 1],
        groups=tuple(curves),
        limits=(Limit(*band_of(band)), Limit(1, dashed=False)),
        notes=tuple(notes),
        how=frozenset({"bands"}),
    )


def _pairs(table: Frame) -> dict[str, list[int]]:
    """Return the rows of each curve, named by its sides and the conditions that differ."""
    before = table.columns[: table.columns.index("baseline")]
    *by, level = [name for name in before if name != "percentile"]
    lists = frames.columns(table, [*by, level, "baseline"])
    apart = frames.differing({name: lists[name] for name in by})
    found: dict[str, list[int]] = {}
    sides = words.short([*lists[level], *lists["baseline"]], level)
    for row in range(len(table)):
        own, other = (sides[lists[side][row]] for side in (level, "baseline"))
        names = [words.named(lists[one][row], one) for one in apart]
        found.setdefault(words.listed([*names, words.sides(own, other, level)]), []).append(row)
    return found
