"""Latencies from fast to slow: how they spread, also over time, and how two sides' differ."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fiotools import units
from fiotools.errors import SchemaError, argument, typed
from fiotools.language import called, listed, say
from fiotools.plot import roles, words
from fiotools.plot.comparisons import (
    above_zero,
    band_of,
    keep_one,
    limits_of,
    of_one_run,
)
from fiotools.plot.kind import Prepare, kind, of_table, opened
from fiotools.plot.roles import Arguments
from fiotools.plot.scales import nines
from fiotools.plot.spec import Axis, Limit, Row, Spec, finite, in_order
from fiotools.stats import frames
from fiotools.stats.columns import Columns
from fiotools.stats.frames import Frame
from fiotools.stats.order import ROUND
from fiotools.stats.percentiles import Histogram, histograms, merge_bins, telling
from fiotools.stats.replicates import labels, run_keys, watched
from fiotools.stats.summary import center_of
from fiotools.stats.tails import tails as ask_tails
from fiotools.stats.windows import bins_of
from fiotools.tables.naming import COUNTS
from fiotools.tables.results import Results
from fiotools.vocabulary import CONDITIONS, KEYS, STATISTICS

TICKS = tuple(nines(share) for share in (1, 50, 90, 99, 99.9, 99.99, 99.999))
_STEPS = 300  # of an axis of latencies: what can be told apart
_AT = (50.0, 99.0, 99.9)  # of rows
_APART = ("quantity", "latency", "direction")  # rows that differ in these never add up
_DECADE = 24  # cells of equal height in a decade: 10 % of latency each
_FEW = 10  # I/Os
_COLUMNS = 100  # windows of a log
_GAP = 1.5  # of the usual interval: after more, nothing is known of the time before


def refuse_several(
    table: Frame,
    names: Sequence[Any],
    what: str,
    *,
    hue: str | None = None,
    apart: Sequence[str] = (),
    also: str = "",
) -> None:
    """Refuse rows of several kinds under one name, and say what to type.

    ``what`` shows one kind, such as "a heat map"; ``hue`` is the column of the names, ``apart`` are
    more columns that tell kinds apart, ``also`` is another remedy, with the column in braces.
    """
    own = [name for name in labels(table) if name not in STATISTICS]
    # in the order in which people would name them
    wanted = dict.fromkeys([*_APART, *own, "scope", *reversed(KEYS), *apart])
    lists = frames.columns(table, [name for name in wanted if name != hue])
    for name, rows in frames.rows_by([(one,) for one in names]).items():
        for column in frames.differing(lists, rows)[:1]:
            shown = words.first_five(frames.distinct(lists[column][row] for row in rows))
            whose = "" if hue is None else f" of {name[0]!r}"
            raise SchemaError(
                f"rows{whose} differ in {column} ({shown}), and {what} shows one:"
                f" keep it, {keep_one(table, column, rows)}{also.format(column)}"
            )


def _refuse_labels(table: Frame, keys: Sequence[str]) -> None:
    """Refuse sides in one curve or map: labels and conditions that differ and do not count runs."""
    timed = "time_s" in keys
    columns, named = Columns(table), [*keys, *_APART]
    sides = [name for name in telling(table) if name not in (*named, ROUND)]
    watch = dict.fromkeys([*sides, *watched(columns, named)])
    sides = [name for name in watch if name in sides or name in CONDITIONS]
    for rows in columns.groups([name for name in keys if name != "time_s"]):
        for column in columns.differing(sides, rows)[:1]:
            there = frames.distinct(columns.values(column, rows))
            if all(str(one).isdigit() for one in there) and column not in CONDITIONS:
                continue
            apart = argument("by" if timed else "hue", column)
            raise SchemaError(
                f"rows differ in {column} ({words.first_five(there)}), and"
                f" {'a heat map' if timed else 'a curve'} shows one: name it, {apart}, or keep it,"
                f" {keep_one(table, column, rows.tolist())}"
            )


def _merged(bins: Any, keys: Sequence[str]) -> tuple[Any, str]:
    """Add up the histograms of jobs and runs, and say so; not what never adds up."""
    table = opened(bins, "bin_lo_ns", "bin_hi_ns", "count", *keys)
    apart = [name for name in (*_APART, "scope") if name in table.columns and name not in keys]
    refuse_several(
        table.select(*dict.fromkeys([*keys, *apart])),
        frames.keys_of(table, keys),
        "a curve" if "time_s" not in keys else "a heat map",
    )
    _refuse_labels(table, keys)
    own = histograms(table, list(keys))
    if all(max(one.parts.values(), default=0) == 1 for one in own):
        return bins, ""
    several = max(one.n or 1 for one in own) if "run" in table.columns else 1
    timed = "time_s" not in keys and len(frames.distinct(frames.optional(table, "time_s"))) > 1
    note = say(
        "histograms of the intervals added up" if timed else "histograms of the jobs added up"
    )
    if several > 1:
        note = say("histograms of {n} runs added up", n=several)
    return merge_bins(bins, by=list(keys)), note


def _binned(windows: int, role: str | None = None) -> Prepare:
    """Take bins, or make those of logs; what one plot does not show together has panels."""
    own = of_table("bins", role, lambda results, _: bins_of(results, windows))

    def prepare(data: Any, asked: Arguments) -> Any:
        table = own(data, asked)
        if isinstance(data, Results):
            sides = [] if role else [one for one in data.labels if one not in (ROUND, *COUNTS)]
            roles.panels(table, asked, [*sides, "direction"])
        return table

    return prepare


@kind(_binned(1, "hue"))
def cdf(
    bins: Any,
    *,
    hue: str | None = None,
    order: Sequence[Any] | None = None,
) -> Spec:
    """Draw the share of the I/Os that took no longer than a latency.

    A histogram tells the share at the edges of its bins only. The band shows the range within a
    bin; the line along its lower edge counts the I/Os that had certainly ended. Histograms of the
    same curve, of jobs and of runs, are added up, and a note says so.

    Parameters
    ----------
    bins : Results, pandas.DataFrame or polars.DataFrame
        ``bin_lo_ns``, ``bin_hi_ns`` and ``count``, such as `Results.bins` of fio's JSON+: one
        latency and one direction per curve.
    hue : str, optional
        The column that names the curves.
    order, by, without, title, ax
        As in `repeats`; curves take their colours in this order.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        If a curve has histograms of several latencies or directions.

    See Also
    --------
    percentiles : The slowest I/Os in detail.

    Examples
    --------
    >>> import fiotools as ft
    >>> bins = ft.example("own-disk").bins
    >>> reads = bins[bins["workload"] == "random-read"]
    >>> ax = ft.plot.cdf(reads, hue="place")
    >>> ft.plot.spec("cdf", reads, hue="place").groups
    ('loop-ext4', 'root', 'tmpfs')
    """
    keys = [hue] if hue else []
    merged, note = _merged(bins, keys)
    table = opened(merged, *keys)
    found: dict[Any, Histogram] = {}
    for own in histograms(table, keys):
        if any(own.counts.values()):
            found[frames.values(table, hue)[own.rows[0]] if hue else None] = own
    curves = in_order(found, order)
    if not found:
        raise SchemaError("nothing to draw: no bin has an I/O")
    filled = [edges for name in curves for edges, count in found[name].counts.items() if count]
    low = min(_start(*edges) for edges in filled)
    high = max(end if math.isfinite(end) else max(begin, 1.0) * 2 for begin, end in filled)
    beyond = (high / low) ** 0.03
    rows = [
        row for name in curves for row in _curve(found[name], low / beyond, high * beyond, name)
    ]
    notes = [say("band: undecided within a bin"), *([note] if note else [])]
    return Spec(
        "lines",
        tuple(rows),
        Axis(
            words.going(words.latency_of(table), table, hue),
            "ns",
            "bin_lo_ns",
            log=True,
            ends=(low / beyond, high * beyond),
            bare=words.latency_of(table),
        ),
        Axis(say("I/Os that took no longer"), "%", ends=(0.0, 102.0), log=False),
        hue=hue,
        groups=curves,
        notes=tuple(notes),
        how=frozenset({"steps", "bands"}),
    )


def _start(low: float, high: float) -> float:
    """Return where a bin begins on a logarithmic axis, which has no place for 0."""
    return low or (high / 2 if math.isfinite(high) else 1.0)


def _curve(own: Histogram, low: float, high: float, name: Any) -> list[Row]:
    """Give, at both edges of each bin, the share that has ended, and the share that may have."""
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
    places = edges.clip(low, high)
    found = []
    for at in range(len(edges)):
        for place, surely in ((places[at, 0], before[at]), (places[at, 1], certain[at])):
            found.append(
                Row(float(place), float(surely), float(surely), float(maybe[at]), group=name)
            )
    return found


def _of_bins(bins: Any, asked: Arguments) -> Any:
    table = _binned(_COLUMNS)(bins, asked)
    if not frames.distinct(frames.values(opened(table, "time_s"), "time_s")):
        raise SchemaError(
            "nothing to draw: these are bins of whole runs, and a heat map needs those of intervals"
            " (fio --write_hist_log=x --log_hist_msec=1000);"
            f" {typed('plot.cdf', 'fiotools plot cdf')} draws whole runs"
        )
    there = opened(table, "time_s")
    known = [row for row, one in enumerate(frames.values(there, "time_s")) if one is not None]
    return there[known].to_native()


@kind(_of_bins)
def heatmap(bins: Any, *, ceilings: Mapping[str, float | str] | None = None) -> Spec:
    """Draw latency over time, each interval's I/Os by colour.

    Every interval is a column. Its colours are shares of its own I/Os: the map shows how latencies
    spread, and not how many I/Os there were. White means no I/O. An interval with fewer than ten
    I/Os is blank if most have ten times as many: its shares would say nothing.

    A cell is 10 % of latency high: finer bins are added up. A wider bin is one cell in the colour
    of its share per 10 % of latency, so that it does not look denser than it is.

    Parameters
    ----------
    bins : Results, pandas.DataFrame or polars.DataFrame
        ``time_s``, ``bin_lo_ns``, ``bin_hi_ns`` and ``count``, such as `Results.bins` of a fio
        histogram log: one latency and one direction. Jobs and runs are added up, and a note says
        so; bins of whole runs are left out.
    ceilings, by, without, title, ax
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
    table = opened(bins, "time_s", "bin_lo_ns", "bin_hi_ns", "count")
    clock = frames.complete(table, "time_s")
    finite(frames.numbers(table, "time_s"), "time_s")
    if min(clock) < 0:
        raise SchemaError(f"'time_s' is {min(clock):g} in a row: runs begin at 0")
    apart = [name for name in _APART if name in table.columns]
    refuse_several(table.select("time_s", *apart), [None] * len(table), "a heat map")
    merged, note = _merged(bins, ["time_s"])
    table = opened(merged, "time_s")
    clock = frames.values(table, "time_s")
    found = {float(clock[own.rows[0]]): _filled(own) for own in histograms(table, ["time_s"])}
    ends = np.array(sorted(found))
    # an interval begins at the end of the one before, unless that is too long ago
    steps = np.diff(ends)
    usual = float(np.median(steps)) if len(steps) else float(ends[0]) or 1.0
    since = np.concatenate([[ends[0] or usual], steps])
    widths = np.where(since > _GAP * usual, usual, since)
    intervals = [found[end] for end in ends.tolist()]
    levels = _grid(np.concatenate(intervals))
    shares = np.array([_shares(filled, levels) for filled in intervals])
    counts = np.array([filled[:, 2].sum() for filled in intervals])
    thin = (counts < _FEW) & (counts < np.median(counts) / 10)
    shares[thin] = 0
    latencies = (10.0 ** (levels / _DECADE)).tolist()
    begins = ends - widths
    near = np.abs(begins[1:] - ends[:-1]) <= 1e-9 * np.maximum(1.0, ends[1:])
    begins[1:][near] = ends[:-1][near]
    rows = [
        Row(float(end), latencies[at], float(begin), float(end), value=float(share) or None)
        for begin, end, column in zip(begins, ends, shares, strict=True)
        for at, share in enumerate(column)
    ]
    each = words.tick(float(np.median(widths)), "s")
    notes = [say("blank columns: fewer than {n} I/Os", n=_FEW)] if thin.any() else []
    return Spec(
        "cells",
        tuple(rows),
        Axis(
            say("time since the start (a column: {length})", length=each),
            "s",
            "time_s",
            ends=(float(begins[0]), float(ends[-1])),
            log=False,
            bare=say("time since the start"),
        ),
        Axis(
            words.going(words.latency_of(table), table),
            "ns",
            "bin_lo_ns",
            log=True,
            ticks=tuple(latencies),
            ends=(latencies[0], latencies[-1]),
            bare=words.latency_of(table),
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


def _shares(filled: NDArray[np.float64], grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of an interval's I/Os in each cell, for 10 % of latency."""
    if not len(filled):
        return np.zeros(len(grid) - 1)
    counts = filled[:, 2]
    sums = np.cumsum(counts)
    before_and_after = np.column_stack([sums - counts, sums]).ravel()
    ios = np.diff(np.interp(grid, filled[:, :2].ravel(), before_and_after))
    ios[ios < 1e-6] = 0  # edges that meet, up to the last digit
    return np.asarray(np.minimum(ios / sums[-1] / np.diff(grid), 1), dtype=np.float64)


@kind(of_table("percentiles", "hue"))
def percentiles(
    frame: Any,
    *,
    hue: str | None = None,
    y: str | None = None,
    at: Sequence[float] = _AT,
    means: Any = None,
    order: Sequence[Any] | None = None,
) -> Spec:
    """Draw latency against percentile, each further nine as wide as the one before.

    Answers with ``bound_lo_ns`` and ``bound_hi_ns`` are drawn with their bounds as a band, or
    with their intervals where these are wider. Lines between percentiles only lead the eye.
    With ``y`` instead of ``hue`` some percentiles of each level are points in a row.

    Parameters
    ----------
    frame : Results, pandas.DataFrame or polars.DataFrame
        ``percentile`` and ``value_ns``, such as `Results.percentiles`, of one latency and one
        direction: one row per percentile, run and curve. Several runs of a curve are thin lines.
        With ``bound_lo_ns`` and ``bound_hi_ns`` beside it, a value may be missing.
    hue : str, optional
        The column that names the curves.
    y : str, optional
        The column that names the rows, instead of curves.
    at : sequence of float
        The percentiles of rows.
    means : pandas or polars frame, optional
        A table with ``y`` and ``lat_mean_ns``: the mean of each row, drawn beside its percentiles.
    order, by, without, title, ax
        As in `repeats`; curves take their colours in this order.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        If a run has a percentile twice: several latencies or directions are mixed.

    Examples
    --------
    >>> import fiotools as ft
    >>> told = ft.example("lima-mounts").percentiles
    >>> writes = told[told["pattern"] == "randwrite"]
    >>> ax = ft.plot.percentiles(writes, hue="mount")
    >>> ft.plot.spec("percentiles", writes, hue="mount").groups
    ('9p', 'sshfs', 'virtiofs')
    """
    column = y or hue
    table = opened(frame, column, "percentile")
    if not {"bound_lo_ns", "bound_hi_ns"} <= {*table.columns}:
        frames.need(table, ["value_ns"])
    if y is not None:
        return _percentile_rows(table, y, at, means, order)
    # the lowest and the highest latency have no place on the axis
    shares: list[Any] = frames.numbers(table, "percentile")
    inner = [row for row, share in enumerate(shares) if share is not None and 0 < share < 100]
    beyond = frames.distinct(shares[row] for row in {*range(len(shares))} - {*inner})
    table = table[inner]
    shares = frames.complete(table, "percentile")
    values, bounds = _values(table), _bounds(table)
    if not any(bounds) and not any(value is not None for value in values):
        raise SchemaError("nothing to draw: no row has a value of 'value_ns'")
    names = frames.complete(table, hue) if hue else [None] * len(table)
    curves = in_order(names, order)
    runs = run_keys(table) if "run" in table.columns and not any(bounds) else [()] * len(table)
    of_runs: dict[Any, dict[Any, list[int]]] = {}
    for row, (name, run) in enumerate(zip(names, runs, strict=True)):
        of_runs.setdefault(name, {}).setdefault(run, []).append(row)
    rows, many = [], False
    for name in curves:
        points = dict[float, list[Any]]()
        for own in of_runs[name].values():
            if len({shares[row] for row in own}) < len(own):
                raise SchemaError(
                    f"{name!r} has a percentile twice: filter to one latency, direction and run"
                )
            for row in own:
                points.setdefault(shares[row], []).append(values[row])
        many |= len(of_runs[name]) > 1
        ends = {shares[row]: bounds[row] for own in of_runs[name].values() for row in own}
        for share in sorted(points):
            own_values = [one for one in points[share] if one is not None]
            low, high = ends[share] or (None, None)
            if not own_values and low is None:
                continue
            several = len(points[share]) > 1
            middle = center_of(own_values).value if own_values else None
            rows.append(
                Row(
                    nines(share),
                    middle,
                    low,
                    high,
                    points=tuple(own_values) if several else (),
                    group=name,
                )
            )
    notes = _band_words(table)
    if many:
        notes.insert(0, say("points: runs; curve: {middle}", middle=say("geometric mean")))
    elif one := of_one_run(table, [names.index(name) for name in curves]):
        notes.append(one)
    if beyond:
        shown = listed(f"p{units.percentile(share)}" for share in sorted(beyond))
        notes.append(say("no place on this axis: {names}", names=shown))
    return Spec(
        "lines",
        tuple(rows),
        _of_percentiles(rows),
        Axis(
            words.going(words.latency_of(table), table, hue),
            "ns",
            "value_ns",
            log=True,
            bare=words.latency_of(table),
        ),
        hue=hue,
        groups=curves,
        notes=tuple(notes),
        how=frozenset({"bands"}) if any(bounds) else frozenset(),
    )


def _of_percentiles(rows: Sequence[Row]) -> Axis:
    """Return an axis with the percentiles of rows, as far as they reach."""
    last = max(row.x for row in rows)
    ticks = tuple(tick for tick in TICKS if tick <= last + 1e-9)
    ends = (0.0, last * 1.06)
    return Axis(say("percentile of the I/Os"), "p", "percentile", log=False, ticks=ticks, ends=ends)


def _values(table: Frame) -> list[Any]:
    found: list[Any] = (
        frames.numbers(table, "value_ns") if "value_ns" in table.columns else [None] * len(table)
    )
    finite(found, "value_ns")
    above_zero("value_ns", found)
    return found


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
    above_zero(columns[0], [low for pair in found if pair for low in pair])
    return found


def _band_words(table: Frame) -> list[str]:
    """Say what the bands are."""
    found = []
    if any(_ends(table, "bound")):
        of_bins = {*frames.optional(table, "method")} == {"merged"}
        text = "band: the bins that hold the percentiles"
        found.append(say(text if of_bins else "band: certain bounds of the percentiles"))
    pairs = zip(_ends(table, "bound"), _ends(table, "value"), strict=True)
    if any(own and own != bound for bound, own in pairs):
        share = words.percent(words.only(table, "confidence") or 0.95)
        text = "and, where wider, the {confidence} interval, if I/Os were independent"
        found.append(say(text, confidence=share))
    return found


def _percentile_rows(
    table: Frame, y: str, at: Sequence[float], means: Any, order: Sequence[Any] | None
) -> Spec:
    """Draw some percentiles of each level as points in a row, and the mean beside them."""
    shares, values = frames.numbers(table, "percentile"), _values(table)
    names = frames.complete(table, y)
    levels = in_order(names, order)
    rows, mean_of = [], dict[Any, float]()
    if means is not None:
        known = opened(means, y, "lat_mean_ns")
        mean_of = dict(
            zip(frames.values(known, y), frames.values(known, "lat_mean_ns"), strict=True)
        )
    groups = [f"p{units.percentile(share)}" for share in at]
    for name in levels:
        texts = []
        for share, group in zip(at, groups, strict=True):
            own = [
                values[row]
                for row, one in enumerate(names)
                if one == name and shares[row] == share and values[row] is not None
            ]
            if len(own) > 1:
                raise SchemaError(
                    f"{name!r} has a percentile twice: filter to one latency, direction and run"
                )
            texts.append(units.human(own[0], "ns") if own else "")
            rows += [Row(value, name, group=group) for value in own]
        if (mean := mean_of.get(name)) is not None:
            rows.append(Row(mean, name, group=say("mean")))
            texts.append(units.human(mean, "ns"))
        if rows:
            rows[-1] = replace(rows[-1], texts=tuple(texts))
    if not rows:
        raise SchemaError("nothing to draw: no row has one of the percentiles")
    heads = (*groups, *((say("mean"),) if means is not None else ()))
    return Spec(
        "rows",
        tuple(rows),
        Axis(
            words.going(words.latency_of(table), table, y),
            "ns",
            "value_ns",
            log=True,
            bare=words.latency_of(table),
        ),
        Axis("", "", y, order=levels),
        hue="label",
        groups=heads,
        heads=heads,
        notes=(say("mean: of the total latency"),) if means is not None else (),
        how=frozenset({"one row"}),
    )


def _tails(data: Any, asked: Arguments) -> Any:
    """Ask for the ratios of histograms; take a comparison as it is."""
    names = ("between", "baseline", "pair", "at", "hue")
    given = {role: value for role in names if (value := asked.pop(role, None)) is not None}
    if "baseline" in getattr(data, "columns", ()):
        return data
    if "at" in given:
        given["percentiles"] = given.pop("at")
    by = [*asked["by"], *frames.names(given.pop("hue", None))]
    return ask_tails(data, by=by or None, band=asked.get("band", 0.05), **given)


@kind(_tails)
def tails(
    comparison: Any,
    *,
    between: str | None = None,
    baseline: Any = None,
    hue: str | Sequence[str] | None = None,
    pair: str | None = None,
    at: Sequence[float] | None = None,
    band: float = 0.05,
) -> Spec:
    """Draw the ratio of each percentile against the percentile, the answer of `fiotools.tails`.

    Above 1, the I/Os of the level take longer than those of the baseline. The interval is a band;
    a percentile without an interval is a hollow point.

    Parameters
    ----------
    comparison : Results, pandas.DataFrame or polars.DataFrame
        Histograms, or the answer of `fiotools.tails`, or of `compare` by percentile.
    between, baseline, pair : optional
        Of histograms, as in `fiotools.tails`, which is asked.
    hue : str or sequence of str, optional
        Of histograms, columns that have curves of their own.
    at : sequence of float, optional
        Of histograms, the percentiles.
    band : float
        Half-width of the relevance band.
    by, without, title, ax
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
    >>> bins = ft.example("own-disk").bins
    >>> reads = bins[(bins["workload"] == "random-read") & (bins["place"] != "tmpfs")]
    >>> found = ft.tails(reads, between="place", baseline="root")
    >>> ax = ft.plot.tails(found)
    >>> ft.plot.spec("tails", found).groups
    ('loop-ext4 / root',)
    """
    del between, baseline, hue, pair, at
    table = opened(comparison, "percentile", "baseline", "ratio", "ratio_lo", "ratio_hi")
    shares = frames.complete(table, "percentile")
    ratio, low, high = (frames.numbers(table, name) for name in ("ratio", "ratio_lo", "ratio_hi"))
    for name, found in (("ratio", ratio), ("ratio_lo", low), ("ratio_hi", high)):
        finite(found, name)
        above_zero(name, found)
    if all(one is None for one in ratio):
        raise SchemaError("nothing to draw: no row has a value of 'ratio'")
    rows = []
    curves = _curves(table)
    for name, held in curves.items():
        # the least and the greatest latency have no place on the axis
        own = sorted((row for row in held if 0 < shares[row] < 100), key=lambda row: shares[row])
        if len({shares[row] for row in own}) < len(own):
            raise SchemaError(
                f"{name!r} has a percentile twice: filter to one latency and direction"
            )
        for row in own:
            if ratio[row] is not None:
                mark = "hollow" if low[row] is None or high[row] is None else ""
                rows.append(
                    Row(nines(shares[row]), ratio[row], low[row], high[row], group=name, mark=mark)
                )
    notes = []
    if confidence := words.only(table, "confidence"):
        text = "band: {confidence} interval over runs"
        if "batch-means" in frames.optional(table, "method"):
            text = "band: {confidence} interval within these runs"
        notes.append(say(text, confidence=words.percent(confidence)))
    if any(row.mark for row in rows):
        notes.append(say("○ no interval, so chance is not ruled out"))
    notes.append(say("grey: within {band} of equal", band=words.percent(band)))
    return Spec(
        "lines",
        tuple(rows),
        _of_percentiles(rows),
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


def _curves(table: Frame) -> dict[str, list[int]]:
    """Return the rows of each curve, named by its sides and the conditions that differ."""
    before = table.columns[: table.columns.index("baseline")]
    *by, level = [name for name in before if name != "percentile"]
    lists = frames.columns(table, [*by, level, "baseline"])
    apart = frames.differing({name: lists[name] for name in by})
    found: dict[str, list[int]] = {}
    sides = words.short([*lists[level], *lists["baseline"]], level)
    for row in range(len(table)):
        own, other = (sides[lists[side][row]] for side in (level, "baseline"))
        held = words.sides(own, other, level, faster=False)
        name = listed([*(called(units.level(lists[one][row], one)) for one in apart), held])
        found.setdefault(name, []).append(row)
    return found
