"""A sweep: its curves, its grid, and the best point below a latency."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd

from fiotools import plot
from fiotools.language import ENGLISH, speaking
from fiotools.plot.common import condition
from fiotools.reports.drawn import Drawn, alone, figure_of, labels_of, panels
from fiotools.reports.questions import Comparison, in_order
from fiotools.stats.best_under import best_under
from fiotools.stats.summary import summarize

if TYPE_CHECKING:
    pass

_LATENCY = "lat_mean_ns"
_PANELS = 12  # of one figure
_GRIDS = 6
_LINES = 12
_STEPS = tuple(step * 10.0**power for power in range(2, 11) for step in (1, 2, 5))  # ns
_HIGH = 1.1  # inches of a row of a grid, in rows of a chart


def swept(one: Comparison) -> list[str]:
    """Name the conditions of a sweep, that of the most values first; none where it is no sweep.

    Numbers in the rows that are compared: one of three values or more, or two of two.
    """
    frame = one.frame
    numbers = [
        name
        for name in one.by
        if pd.api.types.is_numeric_dtype(frame[name]) and frame[name].notna().all()
    ]
    counts = {name: len(frame[name].unique()) for name in numbers}
    found = sorted((name for name in numbers if counts[name] > 1), key=lambda name: -counts[name])
    return found if len(found) > 1 or any(counts[name] > 2 for name in found) else []


def sweeps(one: Comparison) -> Iterator[Drawn]:
    """Draw what was swept: the metric and the latency along it, and a grid of two conditions."""
    names = swept(one)
    if len(names) > 1:
        yield from _grid(one, *names[:2])
    yield from _curves(one, names)


def _curves(one: Comparison, names: list[str]) -> Iterator[Drawn]:
    """Draw lines along the condition of the most values, in panels for the rest."""
    x, *others = names
    hue = one.between if 0 < len(one.levels) <= _LINES else next(iter(others), None)
    rest = [name for name in one.by if name not in (x, hue) and _differs(one.frame, name)]
    frame, said = _first(one.frame, rest, _PANELS)
    order = one.levels if hue == one.between else None
    title = _words(x)
    told = [
        summarize(frame, metric, by=[*rest, *([hue] if hue else []), x])
        for metric in dict.fromkeys((one.metric, _LATENCY))
        if metric in frame and frame[metric].notna().all()
    ]
    if not rest and one.metric == "iops" and len(told) == 2 and x in ("iodepth", "numjobs"):
        axes = plot.load(frame, x=x, hue=hue, summaries=told, order=order)
        yield Drawn(f"Load: IOPS and latency, by {title}", figure_of(axes[0]), one.frame, told[0])
        return
    for summary in told:
        metric = summary["metric"].iloc[0]
        what = "The runs" if metric == one.metric else "Mean latency"
        shown: Any = {"x": x, "hue": hue, "summary": summary, "order": order}
        if rest:
            ax = plot.sweep(frame, metric, by=rest, **shown)[0]
        else:
            ax = plot.sweep(frame, metric, **shown)
        yield Drawn(
            f"{what}, by {title}", figure_of(ax), one.frame, summary, said, printed=len(names) == 1
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
    rest = [name for name in rest if _differs(frame, name)]
    frame, said = _first(frame, rest, _GRIDS)
    cells = labels_of(frame, rest)
    names = list(dict.fromkeys(cells))
    figure, axes = panels([_HIGH * len(frame[y].unique())] * len(names))
    for ax, name in zip(axes, names, strict=True):
        part = frame[[cell == name for cell in cells]]
        plot.grid(part, metric, x=x, y=y, ax=ax)
        ax.set_title(name)
    alone(axes)
    title = f"{_words(x)} and {_words(y)}"
    numbers = one.summary if one.answer is None else one.answer
    yield Drawn(f"At a glance: {title}", figure, one.frame, numbers, said, printed=True)


def best(one: Comparison) -> pd.DataFrame | None:
    """Find the most I/Os per second below some latencies that the runs lie around.

    Returns
    -------
    pandas.DataFrame or None
        What `best_under` answers, for one or two limits; None where nothing was swept.
    """
    frame, names = one.frame, swept(one)
    known = {"iops", _LATENCY} <= set(frame) and frame[[_LATENCY, "iops"]].notna().to_numpy().all()
    if not names or not known:
        return None
    by = [name for name in one.keys if name not in names and _differs(frame, name)]
    means = frame.groupby([*by, *names])[_LATENCY].mean()
    limits = [step for step in _STEPS if means.min() < step < means.max()]
    decades = [step for step in limits if f"{step:.0e}".startswith("1")] or limits
    found = [
        best_under(frame, _LATENCY, limit, by=by or None, sweep=names) for limit in decades[:3]
    ]
    if not found:
        return None
    keys = [*by, "limit", *names, "iops", "observed", "observed_lo", "observed_hi"]
    told = in_order(pd.concat(found, ignore_index=True), by)
    return told[[*keys, *(name for name in told if name not in keys)]]


def _first(frame: pd.DataFrame, by: list[str], most: int) -> tuple[pd.DataFrame, str]:
    """Keep as many cells as a figure holds, and say so."""
    if not by:
        return frame, ""
    cells = frame[by].drop_duplicates()
    if len(cells) <= most:
        return frame, ""
    return frame.merge(cells.head(most), on=by), f"The first {most} of {len(cells)} cells."


@speaking(ENGLISH)  # as the headings of the page are, whatever its figures speak
def _words(name: str) -> str:
    return condition(name)


def _differs(frame: pd.DataFrame, name: str) -> bool:
    return len(frame[name].dropna().unique()) > 1
