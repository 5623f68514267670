"""A device under load: IOPS and latency against the queue depth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isclose
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from fiotools import units
from fiotools.errors import SchemaError, argument
from fiotools.language import say
from fiotools.plot import common, fit_text
from fiotools.plot.sweep import Swept, tick
from fiotools.stats import frames
from fiotools.stats.best_under import best_under
from fiotools.stats.replicates import choose_scope, refuse_directions

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame
    from numpy.typing import NDArray

_HEIGHT = 5.4  # inches
_RING = {"marker": "o", "markersize": 11, "markerfacecolor": "none", "markeredgewidth": 1.3}
_DIAMOND = {"marker": "D", "markersize": 12, "markerfacecolor": "none", "markeredgewidth": 1.0}
_NAMED = 4  # lines whose best points and knees are listed below the plot


def load(
    frame: IntoDataFrame,
    latency: str = "lat_mean_ns",
    *,
    x: str = "iodepth",
    hue: str | None = None,
    limit: float | str | None = None,
    summaries: Sequence[IntoDataFrame] | None = None,
    best: IntoDataFrame | None = None,
    order: Sequence[Any] | None = None,
    axes: Sequence[Axes] | NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Draw IOPS, and latency below it, against the queue depth or any other condition.

    The hockey stick: the IOPS rise up to some depth, and the latency rises from there on. Every run
    is a point, hollow if it is the only one, and lines go through the means; thin bars are the
    means' intervals. An axis is logarithmic if its values span a factor of eight.

    A diamond marks the knee of each line: the level with the highest ratio of mean IOPS to mean
    latency. Up to the knee, more load raises the IOPS by a greater factor than the latency; beyond
    it, the latency rises by the greater factor. The first and the last level are not marked,
    because the knee may lie beyond them.

    Parameters
    ----------
    frame : pandas or polars frame
        One row per run, of one direction (or ``hue="direction"``). If there are several scopes, the
        rows of ``total`` are drawn.
    latency : str
        The column of the lower panel.
    x : str
        The swept condition: a column of numbers that raise the load, with a tick at each.
    hue : str, optional
        The column that names the lines; the name stands at the line's end.
    limit : float or str, optional
        A limit of the latency, in its base unit or as ``"1ms"``: a dashed line. Rings mark the most
        IOPS with a mean below it, as `best_under` finds them.
    summaries : two pandas or polars frames, optional
        The answers of `summarize` for ``iops`` and for ``latency``, by ``x`` (and ``hue``).
    best : pandas or polars frame, optional
        The answer of `best_under` for ``latency`` (by ``hue``; ``sweep=x`` if `x` is a label), to
        be drawn instead of `limit`.
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
    >>> upper, lower = ft.plot.load(io, limit="500us")
    >>> print(lower.get_xlabel())
    queue depth (points: runs; line and bars: mean, 95 % interval; arrow: the interval goes on)
    ring: most I/Os per second with a mean below the limit: 61,000 /s at 8
    diamond: knee, the highest IOPS / latency: 8
    """
    named = [key for key in (hue, x) if key]
    table = _alike(common.opened(frame, x, "iops", latency, hue), named)
    told = (None, None) if summaries is None else summaries
    if not isinstance(told, (list, tuple)) or len(told) != 2:
        raise SchemaError(
            "summaries= are two frames, of the rate and of the latency: "
            f"[summarize(frame, metric, by={named}) for metric in ('iops', {latency!r})]"
        )
    native = table.to_native()
    panels = [
        Swept(native, metric, x, hue, summary, order)
        for metric, summary in zip(("iops", latency), told, strict=True)
    ]
    if limit is not None:
        if best is not None:
            raise SchemaError(f"best= has a limit of its own: leave {argument('limit')} out")
        best = best_under(native, latency, limit, by=hue, sweep=x)
    chosen = {} if best is None else _chosen(best, *panels)
    knees = _knees(*panels)
    two = _two(axes)
    upper, lower = two
    _rings(two, chosen.values(), x)
    _diamonds(two, panels, knees)
    # drawn before the axes are scaled, so that they have room for it
    limits = dict.fromkeys(row["limit"] for row in chosen.values())
    for value in limits:
        lower.axhline(value, color=common.GREY, linestyle="--", linewidth=1.2, zorder=1)
    ends = [panel.draw(ax) for panel, ax in zip(panels, two, strict=True)]
    none = [common.named(name, hue) for name, row in chosen.items() if row["iops"] is None]
    for value in limits:
        _name_limit(lower, value, latency, none if hue else [say("all")] if none else [])
    panels[0].cut = any(panel.cut for panel in panels)
    lines = [panels[0].what]
    rings = [
        _best(common.named(name, hue) if hue else "", row["iops"], tick(row[x], common.unit(x)))
        for name, row in chosen.items()
        if row["iops"] is not None
    ]
    if rings:
        found = common.several(rings, _NAMED, "; ")
        lines.append(
            say("ring: most I/Os per second with a mean below the limit: {best}", best=found)
        )
    if knees:
        lines.append(_knee_words(panels[0], knees))
    common.label_below(lower, *lines)
    if not upper.get_shared_x_axes().joined(upper, lower):
        common.label_below(upper, *lines)
    if hue:
        for ax, own in zip(two, ends, strict=True):
            common.name_lines(ax, own, hue, below=ax is lower)
    return two


def _alike(table: frames.Frame, named: Sequence[str]) -> frames.Frame:
    """Keep the rows that `summarize` keeps, and refuse those that it refuses."""
    table = choose_scope(table, None, named)
    refuse_directions(table, named)
    return table


def _two(axes: Sequence[Axes] | NDArray[Any] | None) -> NDArray[Any]:
    """Take the two Axes given, or make them."""
    if axes is None:
        made = common.panels(2, 1, _HEIGHT, sharex=True).ravel()
        made[0].get_figure().align_ylabels(made)
        return made
    given = np.asarray(axes, dtype=object).ravel()
    if len(given) != 2 or not all(isinstance(ax, Axes) for ax in given):
        raise SchemaError("axes= are two Axes, for IOPS and for latency: plt.subplots(2)[1]")
    for ax in given:
        common.keep_room(ax)
    return given


def _chosen(best: IntoDataFrame, rates: Swept, panel: Swept) -> dict[Any, Mapping[str, Any]]:
    """Return the conditions that `best_under` chose for each line."""
    x, hue, latency = panel.x, panel.hue, panel.metric
    by = f", by={hue!r}" if hue else ""
    give = f"give best_under(frame, {latency!r}, limit{by}, sweep={x!r})"
    table = common.opened(best)
    if missing := {"metric", "limit", "observed", "iops", x} - set(table.columns):
        raise SchemaError(
            f"not what best_under() returned: no column {', '.join(sorted(missing))}; {give}"
        )
    if set(frames.values(table, "metric")) != {latency}:
        raise SchemaError(f"best= is not about {latency!r}: {give}")
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
            raise SchemaError(f"best= is about other runs than those to draw: {give}")
        found[name] = row
    return found


def _knees(rates: Swept, waits: Swept) -> dict[Any, float | None]:
    """Find the level of each line with the highest IOPS / latency; None if it is an end.

    Lines of fewer than three levels have no knee and are left out.
    """
    found: dict[Any, float | None] = {}
    for name in rates.lines:
        power = {}
        for value in rates.values:
            cell = (name, value) if rates.hue else (value,)
            if cell in rates.middles.cells and cell in waits.middles.cells:
                iops, latency = rates.middles[cell][0], waits.middles[cell][0]
                power[value] = iops / latency if latency > 0 else 0.0
        if len(power) > 2:
            highest = max(power, key=power.__getitem__)
            found[name] = None if highest in (min(power), max(power)) else highest
    return found


def _knee_words(panel: Swept, knees: Mapping[Any, float | None]) -> str:
    """Say what the diamonds are, and where."""
    unit = common.unit(panel.x)
    places = {name: say("none") if at is None else tick(at, unit) for name, at in knees.items()}
    found = [
        say("{name}: {text}", name=common.named(name, panel.hue), text=place)
        for name, place in places.items()
    ]
    if len(set(places.values())) == 1:  # the same for every line
        found = list(places.values())[:1]
    return say(
        "diamond: knee, the highest IOPS / latency: {knees}",
        knees=common.several(found, _NAMED),
    )


def _best(name: str, iops: float, depth: str) -> str:
    """Say the best rate of a line, and where."""
    rate = units.human(iops, "1/s")
    if name:
        return say("{name}, {rate} at {depth}", name=name, rate=rate, depth=depth)
    return say("{rate} at {depth}", rate=rate, depth=depth)


def _rings(two: NDArray[Any], chosen: Iterable[Mapping[str, Any]], x: str) -> None:
    """Put a ring around the chosen means in both panels."""
    for row in chosen:
        if row["iops"] is not None:
            for ax, value in zip(two, (row["iops"], row["observed"]), strict=True):
                ax.plot(row[x], value, linestyle="none", color=common.ink(ax), zorder=6, **_RING)


def _diamonds(
    two: NDArray[Any], panels: Sequence[Swept], knees: Mapping[Any, float | None]
) -> None:
    """Put a diamond around the knee of each line in both panels."""
    for panel, ax in zip(panels, two, strict=True):
        for name, at in knees.items():
            if at is not None:
                mean = panel.middles[(name, at) if panel.hue else (at,)][0]
                ax.plot(at, mean, linestyle="none", color=common.ink(ax), zorder=6, **_DIAMOND)


def _name_limit(ax: Axes, limit: float, latency: str, none: Sequence[str]) -> None:
    """Write the limit over its line, and name the lines that are nowhere below it."""
    ms = common.tick(limit, common.unit(latency))
    text = say("limit: {limit}", limit=ms)
    if none:
        words = "limit: {limit} ({names}: no mean below)"
        text = say(words, limit=ms, names=common.several(none, 2))
        if fit_text.width(text, common.small(ax)) > common.points(ax)[0]:
            text = say(words, limit=ms, names=say("{n} lines", n=len(none)))
    ax.annotate(
        text,
        (0, limit),
        xycoords=("axes fraction", "data"),
        xytext=(3, 2),
        textcoords="offset points",
        va="bottom",
        fontsize=common.small(ax),
        color=common.GREY,
        parse_math=False,
        bbox=common.paper(ax),
    )
