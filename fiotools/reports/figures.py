"""The plots of one part of a report: those that its tables allow, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fiotools import plot
from fiotools.errors import SchemaError
from fiotools.files import short_names
from fiotools.language import called, listed, say
from fiotools.plot.look import figure_of
from fiotools.plot.words import LATENCIES, condition, sides
from fiotools.reports.blocks import Block, Heading, Picture, fold, of_frame, paragraph
from fiotools.reports.cells import cell_names, names_of, telling
from fiotools.reports.questions import LATENCY, Comparison, in_order
from fiotools.reports.subjects import Source, differs
from fiotools.stats.combine import fairness, per_thread
from fiotools.stats.percentiles import merge_bins, of_bins, of_tables
from fiotools.stats.steady import steady
from fiotools.stats.summary import summarize
from fiotools.words import named, slug

_QUANTITIES = 4
_LINES = 6
_POINTS = 20_000  # in a picture of lines
_FIRST = "The first {n} of {total} cells."
_CELL, _PANEL = "_cell", "_panel"
_LATENCY_PANELS = 6
_AT = (50.0, 90.0, 99.0, 99.9, 99.99)
_MOST = 24  # bars of one figure
_SIDES, _PANELS = 6, 8
_FAR = 5  # times
_SWEPT_PANELS = 12  # of one figure of a sweep
_SWEPT_LINES = 12
_GRIDS = 6


# a heading, what is said below it, the numbers that are drawn, and the plot
Pieces: TypeAlias = list[Block]


def _written(names: Iterable[str]) -> str:
    """Write a name of several parts in the language of plots."""
    return listed(map(called, names))


def figures(source: Source, asked: list[Comparison], out: Path, kind: str) -> Iterator[Pieces]:
    """Draw the plots that the tables allow, and save each."""
    for drawn in _every(source, asked):
        if isinstance(drawn, SchemaError):
            yield [paragraph(f"One plot cannot be drawn: {drawn}.")]
            continue
        name = out / f"{source.prefix}{slug(drawn.title)}"
        file = plot.save(drawn.ax, f"{name}.{kind}", data=drawn.frame)[0]
        plt.close(figure_of(drawn.ax))
        said = [paragraph(drawn.said)] if drawn.said else []
        inside = of_frame(drawn.numbers, whole=drawn.printed)
        folded = fold("the numbers", inside, printed=drawn.printed)
        yield [Heading(drawn.title, 3), *said, folded, Picture(drawn.title, file)]
    if asked and asked[0].best is not None:
        yield [Heading("The most I/Os below a latency", 3), of_frame(asked[0].best)]


@dataclass(frozen=True)
class _Drawn:
    """A plot, the frame whose files it is made of, and the numbers to show beside it.

    The numbers are printed if they stand nowhere else on the page.
    """

    title: str
    ax: Axes | Figure
    frame: pd.DataFrame
    numbers: pd.DataFrame
    said: str = ""
    printed: bool = False


def _every(source: Source, asked: list[Comparison]) -> Iterator[_Drawn | SchemaError]:
    """Draw one kind after the other; a plot that fails does not stop the others."""
    kinds = [_ratios(one) for one in asked]
    kinds += [_sweeps(one) if one.swept else _runs(one) for one in asked[:1]]
    kinds += [_threads(source, asked), _latencies(source, asked)]
    kinds += [_timings(source, asked), _sampled(source)]
    for kind in kinds:
        try:
            yield from kind
        except SchemaError as error:
            yield error


def _panels(
    frame: pd.DataFrame, cells: Sequence[str], draw: Callable[..., Any], *, most: int | None = None
) -> tuple[Figure, str]:
    """Draw a panel for each name in ``cells``, one for each row of the frame.

    Returns also what says that there are more than ``most``.
    """
    names = list(dict.fromkeys(cells))
    said = _FIRST.format(n=most, total=len(names)) if most and len(names) > most else ""
    if len(names) == 1:
        return figure_of(draw(frame)), said
    kept = frame.assign(**{_PANEL: list(cells)})
    kept = kept[kept[_PANEL].isin(names[:most])]
    return figure_of(draw(kept, by=_PANEL)), said


def _ratios(one: Comparison) -> Iterator[_Drawn]:
    """Draw the forest plot."""
    if one.answer is None or one.between is None or one.answer["ratio"].isna().all():
        return
    answer = one.answer[one.answer["ratio"].notna()]
    if len(answer) > _MOST and one.swept:
        return  # the grid has them all
    both = [
        sides(level, baseline, one.between, faster="speedup" in answer)
        for level, baseline in zip(answer[one.between], answer["baseline"], strict=True)
    ]
    cells = cell_names(answer, _written)
    # what all rows have in common stands below the axis
    labels = cells if all(cells) and len({*both}) == 1 else list(map(named, cells, both))
    title = f"Ratio, {one.title}"
    yield _Drawn(title, plot.ratios(answer, labels=labels), one.frame, one.answer)


def _runs(one: Comparison) -> Iterator[_Drawn]:
    """Draw every run, with a panel for each side if they are far apart, else for each cell."""
    labels = [name or say("all runs") for name in names_of(one.frame, one.by, _written)]
    frame = one.frame.assign(**{_CELL: labels})
    # a row names the direction where it tells cells apart
    frame = frame.drop(columns=[name for name in one.by if name == "direction"])
    y, order, most = _CELL, None, None
    cells, said = [""] * len(frame), ""
    if one.between is not None:
        middles = frame.groupby(one.between)[one.metric].median()
        is_far = bool(one.by) and bool(middles.max() > _FAR * middles.min())
        if len(one.levels) <= _SIDES and is_far:
            cells = [str(level) for level in frame[one.between]]
            said = "Each panel has an axis of its own."
        else:
            y, order, most = one.between, one.levels, _PANELS
            cells = labels if len(set(labels)) > 1 else cells
    draw = partial(plot.repeats, metric=one.metric, y=y, order=order)
    figure, first = _panels(frame, cells, draw, most=most)
    yield _Drawn("All runs", figure, one.frame, one.summary, said or first)


def _threads(source: Source, asked: list[Comparison]) -> Iterator[_Drawn]:
    """Draw the threads of each run, and how fairly they were served."""
    io = source.results.io
    if not io["scope"].isin(["thread", "job"]).any():
        return
    between = asked[0].between if asked else None
    for direction in ("total", "read", "write"):
        part = io[io["direction"].eq(direction)]
        several = part[part["scope"].isin(["thread", "job"])].groupby(["source", "run"]).size()
        if not len(several) or several.max() < 2:
            continue
        said, first = "", part["round"].min() if "round" in source.fields else None
        if first is not None and len(part[["source", "run"]].drop_duplicates()) > _MOST:
            part = part[part["round"].eq(first)]
            said = f"Round {first}; the raw tables have the others."
        names = names_of(part, [name for name in (*source.fields, "run") if name in part], _written)
        part = part.assign(_row=[name or say("the run") for name in names])
        try:
            threads, fair = per_thread(part, by="_row"), fairness(part, by="_row")
            if fair["jain"].isna().all():  # tests one after the other, or a single thread each
                continue
            ax = plot.fairness(threads, fairness=fair, y="_row")
        except SchemaError:
            return  # jobs one after the other, or runs that nothing tells apart
        title = "The threads"
        if direction != "total":
            title = f"The threads, {direction}"
        yield _Drawn(title, ax, part, fair.drop(columns="_row"), said)
        if direction == "total" or between is None:
            return


def _latencies(source: Source, asked: list[Comparison]) -> Iterator[_Drawn]:
    """Draw the latencies of one source, in a panel for each cell."""
    # a sweep has its latency, and shares one figure for all its cells
    if not asked or LATENCY not in asked[0].frame or asked[0].swept:
        return
    one = asked[0]
    yield from _means(one)
    bins = source.results.bins
    if len(bins) and bins["time_s"].isna().all():
        yield from _of_bins(bins, one)
    elif len(source.results.percentiles):
        yield from _of_percentiles(source, one)


def _means(one: Comparison) -> Iterator[_Drawn]:
    """Draw the mean latencies: of single runs with their spread, of several each run."""
    frame = one.frame[one.frame[LATENCY].notna()]
    if not len(frame) or one.metric == LATENCY:
        return
    # where no cells could be made, there are no keys either
    single = not frame.duplicated(one.keys).any() if one.keys else len(frame) == 1
    look: Any = {"y": one.between or _CELL, "order": one.levels or None}

    def draw(part: pd.DataFrame, **more: Any) -> Any:
        if single:
            return plot.latency(part, **look, **more)
        part = part.drop(columns=[name for name in one.by if name == "direction"])
        return plot.repeats(part, LATENCY, **look, **more)

    if single:
        numbers = frame[[*one.keys, LATENCY, "lat_stddev_ns"]]
    else:
        numbers = summarize(frame, LATENCY, by=one.keys or None)
    yield _by_cell(one, frame, "Mean latency", draw, numbers)


def _of_bins(bins: pd.DataFrame, one: Comparison) -> Iterator[_Drawn]:
    """Percentiles and distributions of all runs of a cell together: histograms add up."""
    bins, kind = _one_kind(bins, one)
    if not len(bins) or bins["count"].isna().any():
        return
    try:
        told = of_bins(bins, list(_AT), by=one.keys or None)
        whole = merge_bins(bins, by=one.keys or None)
    except SchemaError:
        return  # a total beside its parts; the means are drawn
    together = f"All I/Os of a side together. {_submitting(one, kind)}".strip()
    yield _percentiles(one, told, kind, together, "total_ios")
    title = f"Distribution of {LATENCIES[kind]}"
    draw = partial(plot.cdf, hue=one.between or _CELL, order=one.levels or None)
    numbers = told[told["percentile"].eq(50)][[*one.keys, "total_ios", "n", "value_ns"]]
    yield _by_cell(one, whole, title, draw, numbers, together)


def _of_percentiles(source: Source, one: Comparison) -> Iterator[_Drawn]:
    """Percentiles that the tool printed; several runs have bounds."""
    frame, kind = _one_kind(source.results.percentiles, one)
    if not len(frame):
        return
    # a total where there is one: its parts are in it
    if differs(frame, "scope") and frame["scope"].eq("total").any():
        frame = frame[frame["scope"].eq("total")]
    said = ""
    if frame.duplicated([*one.keys, "percentile"]).any():
        try:
            frame = of_tables(frame, source.results.io, by=one.keys or None, at=list(_AT))
        except SchemaError:
            return
        frame = frame.assign(value_ns=float("nan"))
        said = "Percentiles of runs cannot be averaged: the band is where they must lie."
    yield _percentiles(one, frame, kind, f"{said} {_submitting(one, kind)}".strip())


def _percentiles(one: Comparison, frame: pd.DataFrame, kind: str, said: str, *more: str) -> _Drawn:
    """Draw percentile curves, in a panel for each cell."""
    draw = partial(plot.percentiles, hue=one.between or _CELL, order=one.levels or None)
    title = f"Percentiles of {LATENCIES[kind]}"
    columns = [*one.keys, "percentile", "value_ns", "bound_lo_ns", "bound_hi_ns", *more]
    numbers = frame[[name for name in columns if name in frame]]
    return _by_cell(one, frame, title, draw, numbers, said)


def _submitting(one: Comparison, kind: str) -> str:
    """Warn where completion is the smaller part of the latency."""
    frame = one.frame
    if kind != "clat" or not {"slat_mean_ns", "lat_mean_ns"} <= set(frame):
        return ""
    slow = frame[frame["slat_mean_ns"].gt(frame["lat_mean_ns"] / 2).fillna(False)]
    if not len(slow):
        return ""
    rows = f"{len(slow)} of {len(frame)} rows"
    if one.between:
        names = ", ".join(map(str, dict.fromkeys(slow[one.between])))
        rows = f"{rows} on {names}"
    return (
        f"Completion latency excludes the submission, which took most of the time in {rows}: there "
        "only the mean latency above covers the whole I/O."
    )


def _one_kind(frame: pd.DataFrame, one: Comparison) -> tuple[pd.DataFrame, str]:
    """Keep the whole latency, or else a part; no rows without the columns that name cells."""
    kind = next((kind for kind in LATENCIES if frame["latency"].eq(kind).any()), "")
    return frame[frame["latency"].eq(kind) & (set(one.keys) <= set(frame))], kind


def _by_cell(
    one: Comparison,
    frame: pd.DataFrame,
    title: str,
    draw: Callable[..., Any],
    numbers: pd.DataFrame,
    said: str = "",
) -> _Drawn:
    """Draw latencies in a panel for each cell."""
    frame = in_order(frame, one.by)
    labels = names_of(frame, one.by, _written)
    cells = labels if one.between else [""] * len(frame)
    frame = frame.assign(**{_CELL: [name or say("all") for name in labels]})
    figure, first = _panels(frame, cells, draw, most=_LATENCY_PANELS)
    return _Drawn(title, figure, one.frame, numbers, f"{said} {first}".strip())


def _timings(source: Source, asked: list[Comparison]) -> Iterator[_Drawn]:
    """Draw where the time of timed commands went: means of the runs."""
    timings = source.results.timings
    parts = ["real_s", "user_s", "sys_s"]
    if not len(timings) or timings[parts].isna().to_numpy().any():
        return
    by = [name for name in source.fields if name != "round"]
    if asked and asked[0].metric in timings:
        by = asked[0].keys
    if not by:
        by = ["source"]
    groups = timings.groupby(by, sort=False)[parts]
    mean = in_order(groups.mean().assign(n=groups.size()).reset_index(), by)
    if len(mean) > _MOST or not mean["real_s"].gt(0).all():
        return  # no room for that many bars, or nothing to show in them
    names = zip(names_of(mean, by, _written), mean["n"], strict=True)
    mean = mean.assign(_row=[f"{name or say('all')} (n {n})" for name, n in names])
    ax = plot.timings(mean, y="_row")
    said = "Means of the runs." if mean["n"].max() > 1 else ""
    yield _Drawn("Where the time went", ax, timings, mean.drop(columns="_row"), said)


def _sampled(source: Source) -> Iterator[_Drawn]:
    """Draw each quantity over time, and whether it was steady at the end."""
    samples = source.results.samples
    for quantity in samples["quantity"].dropna().unique()[:_QUANTITIES]:
        own = samples[samples["quantity"].eq(quantity)]
        for _, part in own.groupby("direction", dropna=False, sort=False):
            if len(part) <= _POINTS:
                yield from _series(source, part, str(quantity))


def _series(source: Source, part: pd.DataFrame, quantity: str) -> Iterator[_Drawn]:
    """Draw one quantity of one direction over time."""
    files = part["source"].unique().tolist()
    part = part.assign(source=part["source"].map(dict(zip(files, short_names(files), strict=True))))
    hue = next((name for name in (*source.fields, "source", "entry") if differs(part, name)), None)
    if hue is not None and part[hue].nunique() > _LINES:
        return
    said = ""
    try:
        told = steady(part, quantity, by=hue)
        ax = plot.series(part, quantity, hue=hue, steady=told)
    except SchemaError as error:
        try:
            told = part[[hue or "source", "time_s", "value"]].head(20)
            ax = plot.series(part, quantity, hue=hue)
        except SchemaError:
            return  # several series under one name
        said = f"Whether it was steady is not known: {error}."
    what = " ".join(ax.get_ylabel().split())
    yield _Drawn(f"Over time: {what}", ax, part, told, said)


def _sweeps(one: Comparison) -> Iterator[_Drawn]:
    """Draw a sweep: a grid of two conditions, and lines along the one of the most values."""
    names = one.swept
    x, *others = names
    if others:
        yield _grid(one, x, others[0])
    hue = one.between if 0 < len(one.levels) <= _SWEPT_LINES else next(iter(others), None)
    rest = telling(one.frame, [name for name in one.by if name not in (x, hue)])
    frame, said = one.frame, ""
    if rest and len(cells := frame[rest].drop_duplicates()) > _SWEPT_PANELS:
        frame = frame.merge(cells.head(_SWEPT_PANELS), on=rest)
        said = _FIRST.format(n=_SWEPT_PANELS, total=len(cells))
    order = one.levels if hue == one.between else None
    title = condition(x)
    told = [
        summarize(frame, metric, by=[*rest, *([hue] if hue else []), x])
        for metric in dict.fromkeys((one.metric, LATENCY))
        if metric in frame and frame[metric].notna().all()
    ]
    if not rest and one.metric == "iops" and len(told) == 2 and x in ("iodepth", "numjobs"):
        axes = plot.load(frame, x=x, hue=hue, summaries=told, order=order)
        title = f"Load: IOPS and latency, by {title}"
        yield _Drawn(title, axes[0], one.frame, told[0])
        return
    for summary in told:
        metric = summary["metric"].iloc[0]
        what = "All runs" if metric == one.metric else "Mean latency"
        look: Any = {"hue": hue, "by": rest or None, "order": order}
        axes = plot.sweep(frame, metric, x=x, summary=summary, **look)
        title_of = f"{what}, by {title}"
        ax = axes[0] if rest else axes
        yield _Drawn(title_of, ax, one.frame, summary, said, printed=len(names) == 1)


def _grid(one: Comparison, x: str, y: str) -> _Drawn:
    """Draw a table of two conditions: the ratio of each side, or the mean of the runs."""
    frame, metric = one.frame, None if one.answer is not None else one.metric
    if one.answer is not None:
        frame = one.answer[one.answer["ratio"].notna()]
    rest = [name for name in one.keys if name not in (x, y) and differs(frame, name)]
    draw = partial(plot.grid, metric=metric, x=x, y=y)
    figure, said = _panels(frame, names_of(frame, rest, _written), draw, most=_GRIDS)
    title = f"At a glance: {' and '.join(map(condition, (x, y)))}"
    numbers = one.summary if one.answer is None else one.answer
    return _Drawn(title, figure, one.frame, numbers, said, printed=True)
