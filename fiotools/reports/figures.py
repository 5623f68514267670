"""The plots of one part of a report: those that its tables allow, one after the other."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from matplotlib.legend import Legend

from fiotools import plot
from fiotools.errors import SchemaError
from fiotools.language import called, listed, say
from fiotools.plot import common, fit_text
from fiotools.plot.common import condition
from fiotools.plot.ratios import sides
from fiotools.reports.blocks import (
    NOTHING,
    Block,
    fold,
    heading,
    of_frame,
    paragraph,
    slug,
    together,
)
from fiotools.reports.questions import Comparison, best, in_order, swept
from fiotools.reports.sentences import cell_columns, names_of, telling
from fiotools.reports.subjects import Source, differs
from fiotools.stats.combine import fairness, per_thread
from fiotools.stats.percentiles import bound_percentiles, merge_bins, percentiles_from_bins
from fiotools.stats.steady import steady
from fiotools.stats.summary import summarize

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_QUANTITIES = 4
_LINES = 6
_POINTS = 20_000  # in a picture of lines
_KINDS = ("lat", "clat", "slat")  # the first that is there is drawn
_NAMES = {"lat": "latency", "clat": "completion latency", "slat": "submission latency"}
_FIRST = "The first {n} of {total} cells."
_CELL = "_cell"
_LATENCY_PANELS = 6
_PER_OCTAVE = 6  # bins of a drawn distribution; fio's have 64
_AT = (50.0, 90.0, 99.0, 99.9, 99.99)
_SHOWN = "FIOTOOLS_FIGURE_FORMAT"  # png for a notebook, svg for a page
_MOST = 24  # bars of one figure
_SIDES, _PANELS = 6, 8
_FAR = 5  # times

_LABEL = 350  # points: the width of a panel beside long names
_APART = 0.1  # inches above and below a panel
_HEAD = 1.05  # inches of a panel for its title and its axis
_LATENCY = "lat_mean_ns"
_SWEPT_PANELS = 12  # of one figure of a sweep
_SWEPT_LINES = 12
_GRIDS = 6
_HIGH = 1.1  # inches of a row of a grid, in rows of a chart


@dataclass(frozen=True)
class Drawn:
    """A plot, the frame whose files it is made of, and the numbers to show beside it.

    The numbers are printed if they stand nowhere else on the page.
    """

    title: str
    figure: Figure
    frame: pd.DataFrame
    numbers: pd.DataFrame
    said: str = ""
    printed: bool = False


def panels(rows: Sequence[float]) -> tuple[Figure, list[Axes]]:
    """Make panels below each other, each high enough for its rows."""
    import matplotlib.pyplot as plt
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    heights = [_HEAD + common.ROW * count for count in rows]
    with common.look():
        figure, grid = plt.subplots(
            len(rows),
            1,
            figsize=(common.WIDTH, 0.4 + sum(heights)),
            height_ratios=heights,
            squeeze=False,
            layout=ConstrainedLayoutEngine(h_pad=_APART),
        )
    return figure, list(grid[:, 0])


def alone(axes: Sequence[Axes]) -> None:
    """Keep only the last panel's axis label where all have the same, and wrap it."""
    if len({ax.get_xlabel() for ax in axes}) == 1:
        for ax in axes[:-1]:
            ax.set_xlabel("")
    for ax in axes:
        size = float(ax.xaxis.label.get_fontsize())
        lines = ax.get_xlabel().split("\n")
        fitted = [part for line in lines for part in fit_text.wrapped(line, size, _LABEL)]
        ax.set_xlabel("\n".join(fitted), loc="left")


def figure_of(ax: Axes) -> Figure:
    """Return the figure of Axes."""
    figure = ax.get_figure(root=True)
    if figure is None:
        raise SchemaError("these Axes are on no figure")
    return figure


def by_cell(one: Comparison) -> pd.DataFrame:
    """Name the cell of each row, with the direction where it tells cells apart."""
    names = names_of(one.frame, one.by)
    frame = one.frame.assign(_cell=[name or say("all runs") for name in names])
    return frame.drop(columns=[name for name in one.by if name == "direction"])


def rows_of(frame: pd.DataFrame) -> list[Any]:
    """Return the cells of a frame."""
    return list(dict.fromkeys(frame["_cell"]))


def _sampled(source: Source) -> Iterator[Drawn]:
    """Draw each quantity over time, and whether it was steady at the end."""
    samples = source.results.samples
    for quantity in samples["quantity"].dropna().unique()[:_QUANTITIES]:
        for direction, part in samples[samples["quantity"].eq(quantity)].groupby(
            "direction", dropna=False, sort=False
        ):
            if len(part) <= _POINTS:
                yield from _series(source, part, str(quantity), str(direction))


def _series(source: Source, part: pd.DataFrame, quantity: str, direction: str) -> Iterator[Drawn]:
    hue = next(
        (name for name in (*source.fields, "source", "entry") if differs(part, name)), "source"
    )
    if part[hue].nunique() > _LINES:
        return
    said = ""
    try:
        told = steady(part, quantity, by=hue)
        ax = plot.series(part, quantity, hue=hue, steady=told)
    except SchemaError:
        try:
            told = part[[hue, "time_s", "value"]].head(20)
            ax = plot.series(part, quantity, hue=hue)
        except SchemaError:
            return  # several series under one name
        said = say("Too few samples to tell whether it was steady.")
    title = say("{quantity} over time, {name}", quantity=quantity, name=called(direction))
    yield Drawn(title, figure_of(ax), part, told, said)


def _latencies(source: Source, asked: list[Comparison]) -> Iterator[Drawn]:
    """Draw the latencies of one source, in a panel for each cell."""
    if not asked or "lat_mean_ns" not in asked[0].frame:
        return
    one = asked[0]
    if swept(one):
        return  # the sweep has its latency, and shares one figure for all its cells
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
    yield from _by_cell(one, frame, say("Mean latency"), draw, rows, numbers)


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
    together = f"{say('All I/Os of a side together.')} {_submitting(one, kind)}".strip()
    name = say(_NAMES[kind])
    yield from _by_cell(
        one,
        told,
        say("Percentiles of {name}", name=name),
        lambda part, ax: plot.percentiles(part, hue=_hue(one), order=_order(one), ax=ax),
        7,
        told[[*one.keys, "percentile", "value_ns", "bound_lo_ns", "bound_hi_ns", "total_ios"]],
        together,
    )
    yield from _by_cell(
        one,
        whole,
        say("Distribution of {name}", name=name),
        lambda part, ax: plot.cdf(_coarse(part, one), hue=_hue(one), order=_order(one), ax=ax),
        7,
        told[told["percentile"].eq(50)][[*one.keys, "total_ios", "n", "value_ns"]],
        together,
    )


def _coarse(bins: pd.DataFrame, one: Comparison) -> pd.DataFrame:
    """Merge bins, so that a curve has no more of them than a plot can show."""
    octave = np.log2(bins["bin_lo_ns"].clip(lower=1)).mul(_PER_OCTAVE).floordiv(1)
    ends = {"bin_lo_ns": "min", "bin_hi_ns": "max", "count": "sum"}
    keys = [*one.keys, _CELL, "latency", "direction"]
    by = [*dict.fromkeys(keys), octave.rename("octave")]
    return bins.groupby(by, sort=False, dropna=False).agg(ends).reset_index().drop(columns="octave")


def _of_percentiles(source: Source, one: Comparison) -> Iterator[Drawn]:
    """Percentiles that the tool printed; of several runs, their bounds."""
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
        said = say("Percentiles of runs cannot be averaged: the band is where they must lie.")
    said = f"{said} {_submitting(one, kind)}".strip()
    columns = [
        name
        for name in (*one.keys, "percentile", "value_ns", "bound_lo_ns", "bound_hi_ns")
        if name in frame
    ]
    yield from _by_cell(
        one,
        frame,
        say("Percentiles of {name}", name=say(_NAMES[kind])),
        lambda part, ax: plot.percentiles(part, hue=_hue(one), order=_order(one), ax=ax),
        7,
        frame[columns],
        said,
    )


def _submitting(one: Comparison, kind: str) -> str:
    """Warn where completion is the smaller part of the latency."""
    frame = one.frame
    if kind != "clat" or not {"slat_mean_ns", "lat_mean_ns"} <= set(frame):
        return ""
    slow = frame[frame["slat_mean_ns"].gt(frame["lat_mean_ns"] / 2).fillna(False)]
    if not len(slow):
        return ""
    rows = say("{n} of {total} rows", n=len(slow), total=len(frame))
    if one.between:
        sides_of = map(str, dict.fromkeys(slow[one.between]))
        rows = say("{rows} on {names}", rows=rows, names=listed(sides_of))
    return say(
        "Completion latency excludes the submission, which took most of the time in {rows}: there "
        "only the mean latency above covers the whole I/O.",
        rows=rows,
    )


def _one_kind(frame: pd.DataFrame, one: Comparison) -> tuple[pd.DataFrame | None, str]:
    """Keep one kind of latency, if the rows have the columns that name cells."""
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
    labels = names_of(frame, one.by)
    cells = labels if one.between else [""] * len(frame)
    frame = frame.assign(**{_CELL: [name or say("all") for name in labels]})
    names = list(dict.fromkeys(cells))
    if len(names) > _LATENCY_PANELS:
        first = say(_FIRST, n=_LATENCY_PANELS, total=len(names))
        said = f"{said} {first}".strip()
    figure, axes = panels([rows] * len(names[:_LATENCY_PANELS]))
    for ax, name in zip(axes, names[:_LATENCY_PANELS], strict=True):
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


class Picture:
    """A saved plot, as a notebook shows it: PNG, or SVG on a page."""

    def __init__(self, title: str, file: Path) -> None:
        self._title, self.file = title, file

    def __repr__(self) -> str:
        return f"<Figure: {self._title}>"

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> tuple[dict[str, str], dict[str, Any]]:
        if self.file.suffix == ".svg":
            mime, shown = "image/svg+xml", self.file.read_text(encoding="utf-8")
        else:
            mime, shown = "image/png", base64.b64encode(self.file.read_bytes()).decode("ascii")
        return {"text/plain": repr(self), mime: shown}, {mime: {"alt": self._title}}


@dataclass(frozen=True)
class ReportFigure:
    """A heading, the numbers that are drawn, and the plot.

    Attributes
    ----------
    about : Block
    numbers : Block
        The frame, as people read it.
    picture : Picture or None
        None if it could not be drawn; the heading says why.
    """

    about: Block
    numbers: Block
    picture: Picture | None

    def __iter__(self) -> Iterator[Block | Picture]:
        yield self.about
        if self.picture is not None:
            yield from (self.numbers, self.picture)


def figures(
    source: Source, asked: list[Comparison], out: Path, prefix: str
) -> Iterator[ReportFigure]:
    """Draw the plots that the tables allow, and save each."""
    import matplotlib.pyplot as plt

    kind = os.environ.get(_SHOWN, "png")
    for drawn in _every(source, asked):
        if isinstance(drawn, SchemaError):
            why = say("One plot cannot be drawn: {why}.", why=drawn)
            yield ReportFigure(paragraph(why), NOTHING, None)
            continue
        _drop_title_label(drawn.figure)
        name = out / f"{prefix}{slug(drawn.title)}"
        file = plot.save(drawn.figure, f"{name}.{kind}", data=drawn.frame)[0]
        plt.close(drawn.figure)
        said = [heading(drawn.title, 3), *([paragraph(drawn.said)] if drawn.said else [])]
        inside = of_frame(drawn.numbers, whole=drawn.printed)
        picture = Picture(drawn.title, file)
        folded = fold(say("the numbers"), inside, printed=drawn.printed)
        yield ReportFigure(together(said), folded, picture)
    for one in asked[:1]:
        yield from _best(one)


def _drop_title_label(figure: Figure) -> None:
    """Drop the title of a legend of sides that have no name but ``label``."""
    legends = cast("list[Legend]", figure.findobj(Legend))
    for legend in legends:
        if legend.get_title().get_text() == "label":
            legend.set_title("")


def _best(one: Comparison) -> Iterator[ReportFigure]:
    """Show the conditions of the most I/Os below some latencies."""
    if (told := best(one)) is not None:
        shown = of_frame(told)
        title = heading(say("The most I/Os below a latency"), 3)
        yield ReportFigure(together([title, shown]), NOTHING, None)


def _every(source: Source, asked: list[Comparison]) -> Iterator[Drawn | SchemaError]:
    """Draw one kind after the other; a plot that fails does not stop the others."""
    kinds: list[Iterator[Drawn]] = [_ratios(one) for one in asked]
    kinds += [_runs(one) for one in asked[:1]]
    kinds += [_threads(source, asked), _latencies(source, asked)]
    kinds += [_timings(source, asked), _sampled(source)]
    for kind in kinds:
        try:
            yield from kind
        except SchemaError as error:
            yield error


def _ratios(one: Comparison) -> Iterator[Drawn]:
    """Draw the forest plot."""
    if one.answer is None or one.between is None or one.answer["ratio"].isna().all():
        return
    answer = one.answer[one.answer["ratio"].notna()]
    if len(answer) > _MOST and swept(one):
        return  # the grid has them all
    both = [
        sides(level, baseline, one.between, faster="speedup" in answer)
        for level, baseline in zip(answer[one.between], answer["baseline"], strict=True)
    ]
    names = zip(names_of(answer, cell_columns(answer)), both, strict=True)
    labels = [say("{name}: {text}", name=cell, text=text) if cell else text for cell, text in names]
    ax = plot.ratios(answer, labels=labels)
    title = say("Ratio, {what}", what=one.title)
    yield Drawn(title, figure_of(ax), one.frame, numbers=one.answer)


def _runs(one: Comparison) -> Iterator[Drawn]:
    """Draw every run, with a panel for each side if there are several cells."""
    if swept(one):
        yield from sweeps(one)
        return
    frame = by_cell(one)
    said = ""
    if one.between is None:
        figure, axes = panels([len(rows_of(frame))])
        told = summarize(frame, one.metric, by="_cell")
        plot.repeats(frame, one.metric, y="_cell", summary=told, ax=axes[0])
    elif len(one.levels) <= _SIDES and _far_apart(one):
        said = say("Each panel has an axis of its own.")
        figure, axes = panels([len(rows_of(frame)) for _ in one.levels])
        for ax, level in zip(axes, one.levels, strict=True):
            part = frame[frame[one.between].eq(level)]
            told = summarize(part, one.metric, by="_cell")
            plot.repeats(part, one.metric, y="_cell", summary=told, ax=ax)
            ax.set_title(str(level))
        alone(axes)
    else:
        names = rows_of(frame)[:_PANELS]
        if len(rows_of(frame)) > _PANELS:
            said = say(_FIRST, n=_PANELS, total=len(rows_of(frame)))
        figure, axes = panels([len(one.levels)] * len(names))
        for ax, name in zip(axes, names, strict=True):
            part = frame[frame["_cell"].eq(name)]
            told = summarize(part, one.metric, by=one.between)
            plot.repeats(part, one.metric, y=one.between, summary=told, order=one.levels, ax=ax)
            ax.set_title(name if len(names) > 1 else "")
        alone(axes)
    yield Drawn(say("All runs"), figure, one.frame, numbers=one.summary, said=said)


def _far_apart(one: Comparison) -> bool:
    """Say whether the sides do not fit on one axis, and there are cells to draw in panels."""
    middles = one.frame.groupby(one.between)[one.metric].median()
    return bool(one.by) and bool(middles.max() > _FAR * middles.min())


def _threads(source: Source, asked: list[Comparison]) -> Iterator[Drawn]:
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
        part, said = _few_runs(part, source)
        names = names_of(part, [name for name in (*source.fields, "run") if name in part])
        part = part.assign(_row=[name or say("the run") for name in names])
        threads, fair = per_thread(part, by="_row"), fairness(part, by="_row")
        ax = plot.fairness(threads, fairness=fair, y="_row")
        figure = figure_of(ax)
        title = say("The threads")
        if direction != "total":
            title = say("The threads, {name}", name=called(direction))
        yield Drawn(title, figure, part, numbers=fair.drop(columns="_row"), said=said)
        if direction == "total" or between is None:
            return


def _few_runs(io: pd.DataFrame, source: Source) -> tuple[pd.DataFrame, str]:
    """Keep the first round if there are more runs than a plot holds."""
    if len(io[["source", "run"]].drop_duplicates()) <= _MOST or "round" not in source.fields:
        return io, ""
    first = io["round"].min()
    return io[io["round"].eq(first)], say("Round {n}; the raw tables have the others.", n=first)


def _timings(source: Source, asked: list[Comparison]) -> Iterator[Drawn]:
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
    names = zip(names_of(mean, by), mean["n"], strict=True)
    mean = mean.assign(_row=[f"{name or say('all')} (n {n})" for name, n in names])
    ax = plot.timings(mean, y="_row")
    said = say("Means of the runs.") if mean["n"].max() > 1 else ""
    yield Drawn(say("Where the time went"), figure_of(ax), timings, mean.drop(columns="_row"), said)


def sweeps(one: Comparison) -> Iterator[Drawn]:
    """Draw a sweep: the metric and the latency along it, and a grid of two conditions."""
    names = swept(one)
    if len(names) > 1:
        yield from _grid(one, *names[:2])
    yield from _curves(one, names)


def _curves(one: Comparison, names: list[str]) -> Iterator[Drawn]:
    """Draw lines along the condition of the most values, in panels for the rest."""
    x, *others = names
    hue = one.between if 0 < len(one.levels) <= _SWEPT_LINES else next(iter(others), None)
    rest = telling(one.frame, [name for name in one.by if name not in (x, hue)])
    frame, said = _first(one.frame, rest, _SWEPT_PANELS)
    order = one.levels if hue == one.between else None
    title = condition(x)
    told = [
        summarize(frame, metric, by=[*rest, *([hue] if hue else []), x])
        for metric in dict.fromkeys((one.metric, _LATENCY))
        if metric in frame and frame[metric].notna().all()
    ]
    if not rest and one.metric == "iops" and len(told) == 2 and x in ("iodepth", "numjobs"):
        axes = plot.load(frame, x=x, hue=hue, summaries=told, order=order)
        yield Drawn(
            say("Load: IOPS and latency, by {name}", name=title),
            figure_of(axes[0]),
            one.frame,
            told[0],
        )
        return
    for summary in told:
        metric = summary["metric"].iloc[0]
        what = say("All runs") if metric == one.metric else say("Mean latency")
        shown: Any = {"x": x, "hue": hue, "summary": summary, "order": order}
        if rest:
            ax = plot.sweep(frame, metric, by=rest, **shown)[0]
        else:
            ax = plot.sweep(frame, metric, **shown)
        yield Drawn(
            say("{said}, by {name}", said=what, name=title),
            figure_of(ax),
            one.frame,
            summary,
            said,
            printed=len(names) == 1,
        )


def _grid(one: Comparison, x: str, y: str) -> Iterator[Drawn]:
    """Draw a table of two conditions: the ratio of each side, or the mean of the runs."""
    rest = [name for name in one.by if name not in (x, y)]
    if one.answer is None:
        rest = [*rest, *([one.between] if one.between else [])]
        frame, metric = one.frame, one.metric
    else:
        rest, frame, metric = [*rest, str(one.between)], one.answer, None
        frame = frame[frame["ratio"].notna()]
    rest = [name for name in rest if differs(frame, name)]
    frame, said = _first(frame, rest, _GRIDS)
    cells = names_of(frame, rest)
    names = list(dict.fromkeys(cells))
    figure, axes = panels([_HIGH * len(frame[y].unique())] * len(names))
    for ax, name in zip(axes, names, strict=True):
        part = frame[[cell == name for cell in cells]]
        plot.grid(part, metric, x=x, y=y, ax=ax)
        ax.set_title(name)
    alone(axes)
    title = listed([condition(x), condition(y)], " and ")
    numbers = one.summary if one.answer is None else one.answer
    yield Drawn(
        say("At a glance: {name}", name=title), figure, one.frame, numbers, said, printed=True
    )


def _first(frame: pd.DataFrame, by: list[str], most: int) -> tuple[pd.DataFrame, str]:
    """Keep as many cells as a plot holds, and say so."""
    if not by:
        return frame, ""
    cells = frame[by].drop_duplicates()
    if len(cells) <= most:
        return frame, ""
    return frame.merge(cells.head(most), on=by), say(_FIRST, n=most, total=len(cells))
