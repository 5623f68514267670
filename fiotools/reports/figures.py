"""The figures of one part of a report: those that its tables allow, one after the other."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fiotools import plot
from fiotools.display.show import show
from fiotools.errors import SchemaError
from fiotools.plot.language import say
from fiotools.plot.ratios import sides
from fiotools.reports import latencies, sampled
from fiotools.reports.asking import Comparison, in_order
from fiotools.reports.blocks import NOTHING, Block, fold, heading, paragraph, slug, together
from fiotools.reports.gather import Source
from fiotools.reports.layout import (
    Drawn,
    alone,
    by_cell,
    figure_of,
    labels_of,
    panels,
    rows_of,
)
from fiotools.reports.words import cell_columns
from fiotools.stats.summary import summarize
from fiotools.stats.threads import fairness, per_thread

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = "FIOTOOLS_FIGURE_FORMAT"  # png for a notebook, svg for a page
_MOST = 24  # bars of one figure
_SIDES, _PANELS = 6, 8
_FAR = 5  # times
_SWEPT = ("bs_bytes", "iodepth", "numjobs")


class Picture:
    """A figure that was saved, as a notebook shows it: PNG, or SVG on a page."""

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
class Figure:
    """What belongs together: a heading, the frame that is drawn, and the picture.

    Attributes
    ----------
    about : Block
    numbers : Block
        The frame, as people read it.
    picture : Picture or None
        None where it could not be drawn, and the heading says why.
    """

    about: Block
    numbers: Block
    picture: Picture | None

    def __iter__(self) -> Iterator[Block | Picture]:
        yield self.about
        if self.picture is not None:
            yield from (self.numbers, self.picture)


def figures(source: Source, asked: list[Comparison], out: Path, prefix: str) -> Iterator[Figure]:
    """Draw what the tables allow, and save each figure."""
    import matplotlib.pyplot as plt

    kind = os.environ.get(_SHOWN, "png")
    for drawn in _every(source, asked):
        if isinstance(drawn, SchemaError):
            yield Figure(paragraph(f"One figure cannot be drawn: {drawn}."), NOTHING, None)
            continue
        name = out / f"{prefix}{slug(drawn.title)}"
        file = plot.save(drawn.figure, f"{name}.{kind}", data=drawn.frame)[0]
        plt.close(drawn.figure)
        said = [heading(drawn.title, 3), *([paragraph(drawn.said)] if drawn.said else [])]
        readable = show(drawn.numbers)
        inside = Block(repr(readable), readable._repr_html_())
        picture = Picture(drawn.title, file)
        yield Figure(together(said), fold("the numbers", inside), picture)


def _every(source: Source, asked: list[Comparison]) -> Iterator[Drawn | SchemaError]:
    """Draw one kind after the other; what cannot be drawn stops no other."""
    kinds: list[Iterator[Drawn]] = [_ratios(one) for one in asked]
    kinds += [_runs(one) for one in asked[:1]]
    kinds += [_threads(source, asked), latencies.drawn(source, asked)]
    kinds += [_timings(source, asked), sampled.drawn(source)]
    for kind in kinds:
        try:
            yield from kind
        except SchemaError as error:
            yield error


def _ratios(one: Comparison) -> Iterator[Drawn]:
    """Draw the forest plot."""
    if one.answer is None or one.answer["ratio"].isna().all():
        return
    answer = one.answer[one.answer["ratio"].notna()]
    both = [
        sides(level, baseline, faster="speedup" in answer)
        for level, baseline in zip(answer[one.between], answer["baseline"], strict=True)
    ]
    names = zip(labels_of(answer, cell_columns(answer)), both, strict=True)
    labels = [say("{name}: {text}", name=cell, text=text) if cell else text for cell, text in names]
    ax = plot.ratios(answer, labels=labels)
    title = f"How many times, {one.title}"
    yield Drawn(title, figure_of(ax), one.frame, numbers=one.answer)


def _runs(one: Comparison) -> Iterator[Drawn]:
    """Draw every run; where there are several cells, in a panel for each side."""
    swept = _swept(one)
    if swept is not None and one.between is not None:
        yield _sweep(one, swept, one.between)
        return
    frame = by_cell(one)
    said = ""
    if one.between is None:
        figure, axes = panels([len(rows_of(frame))])
        told = summarize(frame, one.metric, by="_cell")
        plot.repeats(frame, one.metric, y="_cell", summary=told, ax=axes[0])
    elif len(one.levels) <= _SIDES and _far_apart(one):
        said = "Each panel has an axis of its own."
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
            said = f"The first {_PANELS} of {len(rows_of(frame))} cells."
        figure, axes = panels([len(one.levels)] * len(names))
        for ax, name in zip(axes, names, strict=True):
            part = frame[frame["_cell"].eq(name)]
            told = summarize(part, one.metric, by=one.between)
            plot.repeats(part, one.metric, y=one.between, summary=told, order=one.levels, ax=ax)
            ax.set_title(name if len(names) > 1 else "")
        alone(axes)
    yield Drawn("The runs themselves", figure, one.frame, numbers=one.summary, said=said)


def _far_apart(one: Comparison) -> bool:
    """Say whether the sides would not fit on one axis, and there are rows to set them apart by."""
    middles = one.frame.groupby(one.between)[one.metric].median()
    return bool(one.by) and bool(middles.max() > _FAR * middles.min())


def _swept(one: Comparison) -> str | None:
    """Name the condition that was swept, if one was."""
    if one.between is None:
        return None
    return next(
        (
            name
            for name in _SWEPT
            if name in one.by
            and one.frame[name].notna().all()
            and len(one.frame[name].unique()) > 2
        ),
        None,
    )


def _sweep(one: Comparison, x: str, hue: str) -> Drawn:
    """Draw a metric against a condition that was swept."""
    rest = [name for name in one.by if name != x]
    cells = labels_of(one.frame, rest)
    names = list(dict.fromkeys(cells))
    figure, axes = panels([7] * len(names))
    for ax, name in zip(axes, names, strict=True):
        part = one.frame[[cell == name for cell in cells]]
        told = summarize(part, one.metric, by=[hue, x])
        plot.sweep(part, one.metric, x=x, hue=hue, summary=told, order=one.levels, ax=ax)
        ax.set_title(name)
    alone(axes)
    title = {"bs_bytes": "block size", "iodepth": "queue depth", "numjobs": "number of jobs"}[x]
    return Drawn(f"The runs, by {title}", figure, one.frame, numbers=one.summary)


def _threads(source: Source, asked: list[Comparison]) -> Iterator[Drawn]:
    """Draw the threads of each run, and whether they were served alike."""
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
        names = labels_of(part, [name for name in (*source.fields, "run") if name in part])
        part = part.assign(_row=[name or say("the run") for name in names])
        threads, fair = per_thread(part, by="_row"), fairness(part, by="_row")
        ax = plot.fairness(threads, fairness=fair, y="_row")
        figure = figure_of(ax)
        title = "The threads" if direction == "total" else f"The threads, {direction}"
        yield Drawn(title, figure, part, numbers=fair.drop(columns="_row"), said=said)
        if direction == "total" or between is None:
            return


def _few_runs(io: pd.DataFrame, source: Source) -> tuple[pd.DataFrame, str]:
    """Keep the first round, where there are more runs than a figure holds."""
    if len(io[["source", "run"]].drop_duplicates()) <= _MOST or "round" not in source.fields:
        return io, ""
    first = io["round"].min()
    return io[io["round"].eq(first)], f"Of round {first}; the others are in the raw tables."


def _timings(source: Source, asked: list[Comparison]) -> Iterator[Drawn]:
    """Draw where the time of timed commands went, in the mean of the runs."""
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
    names = zip(labels_of(mean, by), mean["n"], strict=True)
    mean = mean.assign(_row=[f"{name or say('all')} (n {n})" for name, n in names])
    ax = plot.timings(mean, y="_row")
    said = "Means of the runs." if mean["n"].max() > 1 else ""
    yield Drawn("Where the time went", figure_of(ax), timings, mean.drop(columns="_row"), said)
