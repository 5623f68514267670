"""Figures of latencies: means and spread, percentiles, and the share that ended by a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from fiotools import plot
from fiotools.errors import SchemaError
from fiotools.plot.language import say
from fiotools.reports.asking import Comparison, in_order
from fiotools.reports.gather import Source, differs
from fiotools.reports.layout import Drawn, alone, labels_of, panels
from fiotools.stats.histograms import merge_bins
from fiotools.stats.percentile_bounds import bound_percentiles
from fiotools.stats.percentiles import percentiles_from_bins
from fiotools.stats.summary import summarize

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_KINDS = ("lat", "clat", "slat")  # the first that is there is drawn
_NAMES = {"lat": "latency", "clat": "completion latency", "slat": "submission latency"}
_CELL = "_cell"
_PANELS = 6
_PER_OCTAVE = 6  # bins of a drawn distribution; fio's have 64
_AT = (50.0, 90.0, 99.0, 99.9, 99.99)


def drawn(source: Source, asked: list[Comparison]) -> Iterator[Drawn]:
    """Draw the latencies of one source, in a panel for each cell."""
    if not asked or "lat_mean_ns" not in asked[0].frame:
        return
    one = asked[0]
    yield from _means(one)
    bins = source.results.bins
    if len(bins) and bins["time_s"].isna().all():
        yield from _of_bins(source, one)
    elif len(source.results.percentiles):
        yield from _of_percentiles(source, one)


def _means(one: Comparison) -> Iterator[Drawn]:
    frame = one.frame[one.frame["lat_mean_ns"].notna()]
    if not len(frame) or one.metric == "lat_mean_ns":
        return
    # where no cells could be made, there are no keys either
    single = not frame.duplicated(one.keys).any() if one.keys else len(frame) == 1
    hue = _hue(one)

    def draw(part: pd.DataFrame, ax: Axes) -> None:
        if single:
            spread = "lat_stddev_ns" if part["lat_stddev_ns"].notna().all() else None
            plot.latency(part, y=hue, spread=spread, order=_order(one), ax=ax)
        else:
            part = part.drop(columns=[name for name in one.by if name == "direction"])
            told = summarize(part, "lat_mean_ns", by=hue)
            plot.repeats(part, "lat_mean_ns", y=hue, summary=told, order=_order(one), ax=ax)

    columns = ["lat_mean_ns", "lat_stddev_ns"] if single else ["lat_mean_ns"]
    numbers = frame[[*one.keys, *columns]]
    if not single:
        numbers = summarize(frame, "lat_mean_ns", by=one.keys or None)
    rows = float(len(one.levels) or len(frame[[*one.by]].drop_duplicates()))
    yield from _by_cell(one, frame, "Mean latency", draw, rows, numbers)


def _of_bins(source: Source, one: Comparison) -> Iterator[Drawn]:
    """Percentiles and distributions of all runs of a cell together: histograms add up."""
    bins, kind = _one_kind(source.results.bins, one)
    if bins is None or bins["count"].isna().any():
        return
    try:
        told = percentiles_from_bins(bins, list(_AT), by=one.keys or None)
        whole = merge_bins(bins, by=one.keys or None)
    except SchemaError:
        return  # a total beside its parts; the means are drawn
    together = f"All I/Os of the runs of a side together. {_submitting(one, kind)}".strip()
    name = _NAMES[kind]
    yield from _by_cell(
        one,
        told,
        f"Percentiles of {name}",
        lambda part, ax: plot.percentiles(part, hue=_hue(one), order=_order(one), ax=ax),
        7,
        told[[*one.keys, "percentile", "value_ns", "bound_lo_ns", "bound_hi_ns", "total_ios"]],
        together,
    )
    yield from _by_cell(
        one,
        whole,
        f"Distribution of {name}",
        lambda part, ax: plot.cdf(_coarse(part, one), hue=_hue(one), order=_order(one), ax=ax),
        7,
        told[told["percentile"].eq(50)][[*one.keys, "total_ios", "n", "value_ns"]],
        together,
    )


def _coarse(bins: pd.DataFrame, one: Comparison) -> pd.DataFrame:
    """Put bins together, so that a curve has no more of them than a picture can show."""
    octave = np.log2(bins["bin_lo_ns"].clip(lower=1)).mul(_PER_OCTAVE).floordiv(1)
    ends = {"bin_lo_ns": "min", "bin_hi_ns": "max", "count": "sum"}
    keys = [*one.keys, _CELL, "latency", "direction"]
    by = [*dict.fromkeys(keys), octave.rename("octave")]
    return bins.groupby(by, sort=False, dropna=False).agg(ends).reset_index().drop(columns="octave")


def _of_percentiles(source: Source, one: Comparison) -> Iterator[Drawn]:
    """Percentiles that the tool printed; of several runs, what can be said of them together."""
    frame, kind = _one_kind(source.results.percentiles, one)
    if frame is None:
        return
    # a total where there is one: its parts are in it
    if differs(frame, "scope") and frame["scope"].eq("total").any():
        frame = frame[frame["scope"].eq("total")]
    said = ""
    if frame.duplicated([*one.keys, "percentile"]).any():
        try:
            frame = bound_percentiles(frame, source.results.io, by=one.keys or None, at=list(_AT))
        except SchemaError:
            return
        frame = frame.assign(value_ns=float("nan"))
        said = "Percentiles of several runs cannot be averaged: the band is where they must lie."
    said = f"{said} {_submitting(one, kind)}".strip()
    columns = [
        name
        for name in (*one.keys, "percentile", "value_ns", "bound_lo_ns", "bound_hi_ns")
        if name in frame
    ]
    yield from _by_cell(
        one,
        frame,
        f"Percentiles of {_NAMES[kind]}",
        lambda part, ax: plot.percentiles(part, hue=_hue(one), order=_order(one), ax=ax),
        7,
        frame[columns],
        said,
    )


def _submitting(one: Comparison, kind: str) -> str:
    """Warn where completion is the smaller part, so that its latency is not that of the I/O."""
    frame = one.frame
    if kind != "clat" or not {"slat_mean_ns", "lat_mean_ns"} <= set(frame):
        return ""
    slow = frame[frame["slat_mean_ns"].gt(frame["lat_mean_ns"] / 2).fillna(False)]
    if not len(slow):
        return ""
    of = f" on {', '.join(map(str, dict.fromkeys(slow[one.between])))}" if one.between else ""
    return (
        f"It counts from when the submitting ends, and that was most of the time in {len(slow)} of "
        f"{len(frame)} rows{of}: there only the mean latency above is that of the whole I/O."
    )


def _one_kind(frame: pd.DataFrame, one: Comparison) -> tuple[pd.DataFrame | None, str]:
    """Keep one kind of latency, where the rows have what the cells are named by."""
    kind = next((kind for kind in _KINDS if frame["latency"].eq(kind).any()), "")
    if not kind or not set(one.keys) <= set(frame):
        return None, kind
    return frame[frame["latency"].eq(kind)], kind


def _by_cell(
    one: Comparison,
    frame: pd.DataFrame,
    title: str,
    draw: Callable[[pd.DataFrame, Axes], object],
    rows: float,
    numbers: pd.DataFrame,
    said: str = "",
) -> Iterator[Drawn]:
    """Draw a panel for each cell."""
    frame = in_order(frame, one.by)
    labels = labels_of(frame, one.by)
    cells = labels if one.between else [""] * len(frame)
    frame = frame.assign(**{_CELL: [name or say("all") for name in labels]})
    names = list(dict.fromkeys(cells))
    if len(names) > _PANELS:
        said = f"{said} The first {_PANELS} of {len(names)} cells.".strip()
    figure, axes = panels([rows] * len(names[:_PANELS]))
    for ax, name in zip(axes, names[:_PANELS], strict=True):
        draw(frame[[cell == name for cell in cells]], ax)
        ax.set_title(name)
    alone(axes)
    yield Drawn(title, figure, one.frame, numbers, said)


def _hue(one: Comparison) -> str:
    """Choose the column that names the curves: the sides, or else the cells."""
    return one.between or _CELL


def _order(one: Comparison) -> list[Any] | None:
    """Give each side its colour in every panel."""
    return one.levels or None
