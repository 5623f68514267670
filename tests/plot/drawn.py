"""What stands on a figure, as numbers: read from matplotlib's artists, however they were drawn."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection, QuadMesh
from matplotlib.ticker import FixedLocator

SAMPLES = 24  # of a long curve, each in the middle of an even part of it
FEW = 24  # points of a curve that are kept as they are


def panels(figure: Any) -> list[dict[str, Any]]:
    """Return the numbers of all Axes that are not colour bars."""
    return [panel(ax) for ax in figure.axes if ax.get_label() != "<colorbar>"]


def panel(ax: Axes) -> dict[str, Any]:
    """Return rows by name, curves, areas, limits and cells: those that there are."""
    meshes = [one for one in ax.collections if isinstance(one, QuadMesh)]
    names = _names(ax.yaxis)
    if meshes and not _names(ax.xaxis):
        return {"mesh": _mesh(meshes[0])} | _limits(ax)
    if names and _names(ax.xaxis):
        return {"cells": _cells(ax, names)}
    if names:
        return {"rows": _rows(ax, names)} | _limits(ax)
    return _curves(ax) | _limits(ax)


def _names(axis: Any) -> list[tuple[float, str]]:
    """Return the names on an axis with their places; none of an axis of numbers."""
    if not isinstance(axis.get_major_locator(), FixedLocator):
        return []
    texts = (one.get_text() for one in axis.get_ticklabels())
    labels = [re.sub(r"(?<=[-_/.])\n", "", one).replace("\n", " ") for one in texts]
    return list(zip(map(float, axis.get_majorticklocs()), labels, strict=True))


def _nearest(names: list[tuple[float, str]], at: float) -> str:
    return min(names, key=lambda one: abs(one[0] - at))[1]


def _round(value: Any) -> float:
    return float(f"{float(value):.5g}")


def _in_data(ax: Axes, artist: Any) -> tuple[bool, bool]:
    """Say whether an artist's x and y are data, which may be moved by some points."""
    place = getattr(artist, "get_data_transform", artist.get_transform)()
    if getattr(place, "_a", None) is ax.transData:
        return True, True
    is_x, is_y = place.contains_branch_seperately(ax.transData)
    return bool(is_x), bool(is_y)


def _rows(ax: Axes, names: list[tuple[float, str]]) -> dict[str, list[float]]:
    """Return all numbers in each row; ends of the axis are those of arrows and stems."""
    found: dict[str, set[float]] = {name: set() for _, name in names}
    ends = {_round(one) for one in (*ax.get_xlim(), 0)}
    for line in ax.lines:
        if _in_data(ax, line) == (True, True):
            for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True):
                found[_nearest(names, y)].add(_round(x))
    for bar in ax.patches:
        if _in_data(ax, bar) == (True, True) and hasattr(bar, "get_x"):
            own = found[_nearest(names, bar.get_y() + bar.get_height() / 2)]
            if abs(bar.get_width()) > 1e-9:
                own |= {_round(bar.get_x()), _round(bar.get_x() + bar.get_width())}
    return {name: sorted(own - ends) for name, own in found.items()}


def _limits(ax: Axes) -> dict[str, Any]:
    """Return the lines across the Axes and the edges of areas across them."""
    found = set[float]()
    for line in ax.lines:
        is_x, is_y = _in_data(ax, line)
        if is_x != is_y and len({*(line.get_xdata() if is_x else line.get_ydata())}) == 1:
            found.add(_round((line.get_xdata() if is_x else line.get_ydata())[0]))
    for span in ax.patches:
        is_x, is_y = _in_data(ax, span)
        if is_x != is_y and hasattr(span, "get_x"):
            low, wide = (
                (span.get_x(), span.get_width()) if is_x else (span.get_y(), span.get_height())
            )
            found |= {_round(low), _round(low + wide)}
    return {"limits": sorted(found)} if found else {}


def _curves(ax: Axes) -> dict[str, Any]:
    """Return curves as points, or as samples of a long one; marks, bars and areas."""
    curves, bars, points, areas = [], [], set[tuple[float, float]](), list[list[float]]()
    for line in ax.lines:
        if _in_data(ax, line) != (True, True) or not len(line.get_xdata()):
            continue
        path = line.get_path().vertices
        if line.get_linestyle() == "None" or len(path) == 1:
            if len(path) <= FEW:
                points |= {(_round(x), _round(y)) for x, y in path if not math.isnan(y)}
        elif len(path) == 2 and (path[0][0] == path[1][0] or line.get_linewidth() > 2.5):
            bars.append([_round(one) for one in path.ravel()])
        else:
            curves.append(_curve(path))
    for one in ax.collections:
        if isinstance(one, LineCollection):
            bars += [[_round(x) for x in path.vertices.ravel()] for path in one.get_paths()]
        elif isinstance(one, PolyCollection):
            areas += [_extent(path.vertices) for path in one.get_paths()]
        elif len(one.get_offsets()):
            points |= {(_round(x), _round(y)) for x, y in one.get_offsets()}
    found = {"curves": curves, "bars": sorted(bars), "points": sorted(points), "areas": areas}
    return {name: own for name, own in found.items() if own}


def _curve(path: Any) -> list[list[float]]:
    if len(path) <= FEW:
        return [[_round(one) for one in row] for row in path.T]
    xs, ys = path.T
    first, last = xs.min(), xs.max()
    at = first + (np.arange(SAMPLES) + 0.5137) / SAMPLES * (last - first)
    index = np.searchsorted(xs, at, side="right").clip(1, len(xs) - 1)
    wide = np.where(xs[index] > xs[index - 1], xs[index] - xs[index - 1], 1)
    inside = ys[index - 1] + (ys[index] - ys[index - 1]) * (at - xs[index - 1]) / wide
    ends = [first, last], [ys.min(), ys.max()]
    return [
        [_round(one) for one in (*own, *more)] for own, more in zip((at, inside), ends, strict=True)
    ]


def _extent(polygon: Any) -> list[float]:
    """Return the box of an area, and its share of the box."""
    xs, ys = polygon.T
    low, high = polygon.min(axis=0), polygon.max(axis=0)
    area = abs(float(np.dot(xs, np.roll(ys, 1)) - np.dot(ys, np.roll(xs, 1)))) / 2
    box = float(np.prod(high - low)) or 1.0
    return [*map(_round, (low[0], high[0], low[1], high[1])), float(f"{area / box:.3g}")]


def _cells(ax: Axes, names: list[tuple[float, str]]) -> dict[str, dict[str, str]]:
    """Return the text or the marker of each cell."""
    heads = _names(ax.xaxis)
    found: dict[str, dict[str, str]] = {name: {} for _, name in names}
    for line in ax.lines:
        if _in_data(ax, line) == (True, True) and line.get_marker() not in ("None", None):
            for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True):
                found[_nearest(names, y)][_nearest(heads, x)] = str(line.get_marker())
    for text in ax.texts:
        x, y = text.get_position()
        if text.get_horizontalalignment() == "center":
            found[_nearest(names, y)][_nearest(heads, x)] = text.get_text()
    return found


def _mesh(mesh: QuadMesh) -> dict[str, Any]:
    """Return the ends of a map, its total, and some of its cells: the fullest of some columns."""
    corners = mesh.get_coordinates()
    xs, ys = corners[0, :, 0], corners[:, 0, 1]
    values = np.ma.masked_invalid(np.ma.asarray(mesh.get_array()).reshape(len(ys) - 1, -1))
    some = np.linspace(0, len(xs) - 2, 12).astype(int)
    filled = values.filled(0)
    full = [(at, int(filled[:, at].argmax())) for at in some]
    return {
        "x": [_round(xs[0]), _round(xs[-1])],
        "y": [_round(ys[0]), _round(ys[-1])],
        "count": int(values.count()),
        "sum": _round(values.sum()),
        "fullest": [[_round(xs[x]), _round(ys[y]), _round(filled[y, x])] for x, y in full],
    }
