"""What a device does under load: IOPS and latency against the queue depth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isclose
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from fiotools import units
from fiotools.errors import SchemaError
from fiotools.language import listed, say
from fiotools.plot import common, fit_text
from fiotools.plot.sweep_lines import Swept, tick
from fiotools.stats import frames
from fiotools.stats.replicates import choose_scope, refuse_directions

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame
    from numpy.typing import NDArray

_HEIGHT = 5.4  # inches
_RING = {"marker": "o", "markersize": 11, "markerfacecolor": "none", "markeredgewidth": 1.3}


def load(
    frame: IntoDataFrame,
    *,
    x: str = "iodepth",
    latency: str = "lat_mean_ns",
    hue: str | None = None,
    summaries: Sequence[IntoDataFrame],
    best: IntoDataFrame | None = None,
    order: Sequence[Any] | None = None,
    axes: Sequence[Axes] | NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Draw IOPS, and below it latency, against the queue depth or the number of jobs.

    The hockey stick: up to some depth the IOPS rise, from there on the latency does. Every run is a
    point, hollow where there is one, and lines go through the means; thin bars are the means'
    intervals. All axes are logarithmic, the horizontal one in powers of two.

    Parameters
    ----------
    frame : pandas or polars frame
        One row per run, of one direction (or ``hue="direction"``); of several scopes, the rows of
        ``total`` are drawn.
    x : str
        The swept condition, ``iodepth`` or ``numjobs``, with a tick at each value.
    latency : str
        The column of the lower panel.
    hue : str, optional
        The column that names the lines; the name stands at the line's end.
    summaries : two pandas or polars frames
        What `summarize` says of ``iops`` and of ``latency``, by ``x`` (and ``hue``).
    best : pandas or polars frame, optional
        What `best_under` says of ``latency`` (by ``hue``; ``sweep=x`` where `x` is a label): its
        limit is drawn as a line, the means that it chose in a ring.
    order : sequence, optional
        The lines, which take their colours in this order.
    axes : two matplotlib.axes.Axes, optional
        For IOPS and for latency.

    Returns
    -------
    numpy.ndarray of matplotlib.axes.Axes
        The two.

    Raises
    ------
    SchemaError
        If several directions are mixed, or a summary or `best` is of another metric or other rows.

    Examples
    --------
    >>> import pandas as pd
    >>> import fiotools as ft
    >>> io = pd.DataFrame({
    ...     "iodepth": [1, 1, 8, 8, 64, 64], "iops": [9e3, 8e3, 60e3, 62e3, 90e3, 91e3],
    ...     "lat_mean_ns": [0.11e6, 0.12e6, 0.13e6, 0.13e6, 0.71e6, 0.70e6],
    ... })
    >>> told = [ft.summarize(io, metric, by="iodepth") for metric in ("iops", "lat_mean_ns")]
    >>> best = ft.best_under(io, "lat_mean_ns", 500_000)
    >>> upper, lower = ft.plot.load(io, summaries=told, best=best)
    >>> print(lower.get_xlabel())
    queue depth (points: runs; line and bars: mean, 95 % interval; arrow: the interval goes on)
    ring: most I/Os per second with a mean below the limit: 61,000 /s at 8
    """
    named = [key for key in (hue, x) if key]
    table = _alike(common.opened(frame, x, "iops", latency, hue), named)
    if not isinstance(summaries, (list, tuple)) or len(summaries) != 2:
        raise SchemaError(
            "summaries= are two frames, of the rate and of the latency: "
            f"[summarize(frame, metric, by={named}) for metric in ('iops', {latency!r})]"
        )
    native = table.to_native()
    panels = [
        Swept(native, metric, x, hue, summary, order)
        for metric, summary in zip(("iops", latency), summaries, strict=True)
    ]
    chosen = {} if best is None else _chosen(best, *panels)
    two = _two(axes)
    upper, lower = two
    _rings(two, chosen.values(), x)
    # drawn before the axes are scaled, so that they have room for it
    limits = dict.fromkeys(row["limit"] for row in chosen.values())
    for limit in limits:
        lower.axhline(limit, color=common.GREY, linestyle="--", linewidth=1.2, zorder=1)
    for panel, ax in zip(panels, two, strict=True):
        panel.draw(ax)
    none = [common.named(name, hue) for name, row in chosen.items() if row["iops"] is None]
    for limit in limits:
        _name_limit(lower, limit, latency, none if hue else [say("all")] if none else [])
    panels[0].cut = any(panel.cut for panel in panels)
    lines = [panels[0].what]
    rings = [
        _best(common.named(name, hue) if hue else "", row["iops"], tick(row[x], common.unit(x)))
        for name, row in chosen.items()
        if row["iops"] is not None
    ]
    if rings:
        found = listed(rings, "; ")
        lines.append(
            say("ring: most I/Os per second with a mean below the limit: {best}", best=found)
        )
    fit_text.label_below(lower, *lines)
    if not upper.get_shared_x_axes().joined(upper, lower):
        fit_text.label_below(upper, panels[0].what)
    return two


def _alike(table: frames.Frame, named: Sequence[str]) -> frames.Frame:
    """Keep the rows that `summarize` keeps, and refuse what it refuses."""
    table = choose_scope(table, None, named)
    refuse_directions(table, named)
    return table


def _two(axes: Sequence[Axes] | NDArray[Any] | None) -> NDArray[Any]:
    """Take the two Axes given, or make them."""
    if axes is None:
        with common.look():
            figure, made = plt.subplots(2, 1, sharex=True, figsize=(common.WIDTH, _HEIGHT))
            figure.align_ylabels(made)
            return np.asarray(made)
    given = np.asarray(axes, dtype=object).ravel()
    if len(given) != 2 or not all(isinstance(ax, Axes) for ax in given):
        raise SchemaError("axes= are two Axes, for IOPS and for latency: plt.subplots(2)[1]")
    for ax in given:
        common.keep_room(ax)
    return given


def _chosen(best: IntoDataFrame, rates: Swept, panel: Swept) -> dict[Any, Mapping[str, Any]]:
    """Give the conditions that `best_under` chose for each line."""
    x, hue, latency = panel.x, panel.hue, panel.metric
    by = f", by={hue!r}" if hue else ""
    give = f"give best_under(frame, {latency!r}, limit{by}, sweep={x!r})"
    table = common.opened(best)
    if missing := {"metric", "limit", "observed", "iops", x} - set(table.columns):
        raise SchemaError(
            f"not what best_under() returned: no column {', '.join(sorted(missing))}; {give}"
        )
    if set(frames.values(table, "metric")) != {latency}:
        raise SchemaError(f"best= is not of {latency!r}: {give}")
    lists = frames.columns(table, ["limit", "observed", "iops", x])
    groups = frames.groups(table, [hue] if hue and hue in table.columns else [])
    found: dict[Any, Mapping[str, Any]] = {}
    for name in panel.lines:
        rows = groups.get((name,) if hue else (), [])
        if len(rows) != 1:
            where = f" of {hue} {name!r}" if hue else ""
            raise SchemaError(f"best= has {len(rows) or 'no'} rows{where}: {give}")
        row = {key: column[rows[0]] for key, column in lists.items()}
        cell = (name, row[x]) if hue else (row[x],)
        if row["iops"] is not None and not (
            cell in rates.middles.cells and isclose(rates.middles[cell][0], row["iops"])
        ):
            raise SchemaError(f"best= is of other runs than those to draw: {give}")
        found[name] = row
    return found


def _best(name: str, iops: float, depth: str) -> str:
    """Say what a line did at best, and where."""
    rate = units.human(iops, "1/s")
    if name:
        return say("{name}, {rate} at {depth}", name=name, rate=rate, depth=depth)
    return say("{rate} at {depth}", rate=rate, depth=depth)


def _rings(two: NDArray[Any], chosen: Iterable[Mapping[str, Any]], x: str) -> None:
    """Put a ring around the chosen means in both panels."""
    for row in chosen:
        if row["iops"] is not None:
            for ax, value in zip(two, (row["iops"], row["observed"]), strict=True):
                ax.plot(row[x], value, linestyle="none", color="black", zorder=6, **_RING)


def _name_limit(ax: Axes, limit: float, latency: str, none: Sequence[str]) -> None:
    """Write the limit over its line, and which lines are nowhere below it."""
    ms = common.tick(limit, common.unit(latency))
    text = say("limit: {limit}", limit=ms)
    if none:
        text = say("limit: {limit} ({names}: no mean below)", limit=ms, names=listed(none))
    ax.annotate(
        text,
        (0, limit),
        xycoords=("axes fraction", "data"),
        xytext=(3, 2),
        textcoords="offset points",
        va="bottom",
        fontsize="small",
        color=common.GREY,
    )
