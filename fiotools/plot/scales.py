"""Axes of numbers: linear or logarithmic, with as many round ticks as have room when drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, Formatter, Locator, MaxNLocator, NullLocator

from fiotools.plot import letters, look
from fiotools.plot.spec import Axis, is_far, refuse_zero
from fiotools.plot.words import tick

# within a decade, from few ticks to many
_DECADES = ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 5, 7))
_HEIGHT = 2.2  # of the letters' size: from tick to tick on an upright axis
_GAP = 1  # letters between the labels of ticks
_MARGIN = 0.06  # of the values: to the ends of an axis


def nines(share: float) -> float:
    """Give a percentile its place on an axis: 90 at 1, 99 at 2, 99.9 at 3."""
    return -math.log10(1 - share / 100)


def share_at(place: float) -> float:
    """Return the percentile at a place of its axis."""
    return round(100 * (1 - 10**-place), 9)


def is_log(axis: Axis, values: Sequence[float]) -> bool:
    """Whether an axis is logarithmic, as asked for or as its values are far apart."""
    if axis.log is None:
        return is_far(values)
    if axis.log:
        refuse_zero(axis.column, values)
    return axis.log


def ends_of(axis: Axis, values: Sequence[float]) -> tuple[float, float]:
    """Return where an axis of these values begins and ends, with some room."""
    if axis.ends:
        return axis.ends
    low, high = min(values), max(values)
    if is_log(axis, values):
        room = max((high / low) ** _MARGIN, 1.05)
        return low / room, high * room
    if axis.zero:
        low, high = min(low, 0.0), max(high, 0.0)
    room = _MARGIN * (high - low) or abs(high) * _MARGIN or 1.0
    return (low if axis.zero and low == 0 else low - room), high + room


def settled(axis: Axis, values: Sequence[float]) -> Axis:
    """Return an axis that several panels share: its ends, and whether it is logarithmic."""
    return replace(axis, log=is_log(axis, values), ends=ends_of(axis, values))


def scale(ax: Axes, which: str, axis: Axis, values: Sequence[float]) -> tuple[float, float]:
    """Scale an axis of numbers and set its ticks; return its ends."""
    drawn: Any = getattr(ax, f"{which}axis")
    ends = ends_of(axis, values)
    siblings = getattr(ax, f"get_shared_{which}_axes")().get_siblings(ax)
    if len(siblings) > 1 and not getattr(ax, f"get_autoscale{which}_on")():
        own = drawn.get_view_interval()  # others share the axis and hold more
        ends = min(ends[0], *own), max(ends[1], *own)
    if is_log(axis, values):
        getattr(ax, f"set_{which}scale")("log")
    _ticked(ax, which, axis, ends)
    # for a caller who sets another scale later: it needs ends and ticks of its own
    setattr(ax, f"set_{which}scale", partial(_rescaled, ax, which, axis, tuple(values)))
    return ends


def _rescaled(
    ax: Axes, which: str, axis: Axis, values: Sequence[float], name: str, **how: Any
) -> None:
    getattr(type(ax), f"set_{which}scale")(ax, name, **how)
    kept = [one for one in values if one > 0 or name != "log"]
    if name in ("linear", "log") and kept:
        own = replace(axis, log=name == "log", ends=None)
        _ticked(ax, which, own, ends_of(own, kept))


def _ticked(ax: Axes, which: str, axis: Axis, ends: tuple[float, float]) -> None:
    """Set the ends and the ticks of an axis."""
    drawn: Any = getattr(ax, f"{which}axis")
    getattr(ax, f"set_{which}lim")(*ends)
    drawn.set_major_locator(Ticks(axis) if axis.ticks is None else Kept(axis, [*axis.ticks]))
    drawn.set_minor_locator(NullLocator())
    drawn.set_major_formatter(Labels(axis, ends))
    fonts = [*drawn.label.get_fontfamily(), *letters.family()]
    drawn.set_tick_params(labelfontfamily=[*dict.fromkeys(fonts)])


def write(
    axis: Axis, value: float, ends: tuple[float, float], kind: str = "log", digits: int = 3
) -> str:
    """Write the label of a tick: on a linear axis all with the same prefix."""
    if axis.unit == "p":
        value = share_at(value)
    return tick(value, axis.unit, None if kind == "log" else ends[1], digits)


def digits_of(values: Sequence[float]) -> int:
    """Return with how many digits ticks stand where their labels say, three at least.

    Examples
    --------
    >>> digits_of([1000, 2000, 5000]), digits_of([4995.2, 4995.4, 4995.6])
    (3, 5)
    """
    step = min(np.diff(sorted({*values})), default=math.inf)

    def off(digits: int) -> float:
        return max((abs(float(f"{one:.{digits - 1}e}") - one) for one in values), default=0.0)

    return next((one for one in range(3, 12) if off(one) < 0.01 * step), 12)


class Labels(Formatter):
    """The labels of ticks, with as many digits as tell them apart."""

    axis: Any  # matplotlib's stubs have dummies too

    def __init__(self, axis: Axis, ends: tuple[float, float]) -> None:
        self._axis, self._ends = axis, ends

    def __call__(self, x: float, pos: int | None = None) -> str:
        """Write one tick alone."""
        return self.format_ticks([x])[0]

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        """Write all ticks of the axis."""
        kind, count = self.axis.get_scale(), digits_of(values)
        return [write(self._axis, one, self._ends, kind, count) for one in values]


class Ticks(Locator):
    """Round values, as many as their labels leave room for."""

    axis: Any  # matplotlib's stubs have dummies too

    def __init__(self, axis: Axis) -> None:
        self._axis = axis

    def __call__(self) -> Sequence[float]:
        """Return the ticks."""
        low, high = sorted(self.axis.get_view_interval())
        return self.tick_values(low, high)

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float]:
        """Return the ticks between two values."""
        log = self.axis.get_scale() == "log"
        found = [one for one in candidates(vmin, vmax, log=log) if one]
        fewer = ([one[::step] for one in found] for step in range(1, 5))
        fit = ([one for one in some if self._fit(one)] for some in fewer)
        return max(next(filter(None, fit), []), key=len, default=[vmin])

    def _fit(self, values: Sequence[float]) -> bool:
        """Whether the labels of all ticks have room."""
        spaced = np.diff(self.axis.get_transform().transform(np.array(values, dtype=float)))
        ends = self.axis.get_transform().transform(np.array(self.axis.get_view_interval()))
        if not len(spaced):
            return True
        steps = spaced / abs(ends[1] - ends[0]) * self._length()
        size, of = 10 * look.scale(), tuple(sorted(self.axis.get_view_interval()))
        if self.axis.axis_name == "y":
            return bool(steps.min() >= _HEIGHT * size)
        kind = self.axis.get_scale()
        count = digits_of(values)
        wide = [letters.width(write(self._axis, one, of, kind, count)) for one in values]
        needed = [0.6 * size * ((a + b) / 2 + _GAP) for a, b in pairwise(wide)]
        return bool((steps >= needed).all())

    def _length(self) -> float:
        """Return the length of the axis in points."""
        box = self.axis.axes.get_window_extent()
        long = box.width if self.axis.axis_name == "x" else box.height
        return float(long * 72 / self.axis.axes.get_figure(root=True).dpi)


class Kept(Ticks):
    """Certain values, as many of them as have room; the tail of percentiles matters most."""

    def __init__(self, axis: Axis, values: Sequence[float]) -> None:
        super().__init__(axis)
        self._values = sorted(values, reverse=axis.unit == "p")

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float]:
        """Return the ticks between two values."""
        found: list[float] = []
        for one in self._values:
            if vmin <= one <= vmax and self._fit(sorted([*found[-1:], one])):
                found.append(one)
        return sorted(found)


def candidates(low: float, high: float, *, log: bool) -> list[list[float]]:
    """Return choices of ticks between two values, all of them round.

    Examples
    --------
    >>> candidates(90, 2100, log=True)[2]
    [100.0, 200.0, 500.0, 1000.0, 2000.0]
    """
    linear = [
        _within(MaxNLocator(most, steps=[1, 2, 5, 10]).tick_values(low, high), low, high)
        for most in range(2, 8)
    ]
    if not log:
        return linear
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    even = [
        _within([factor * 10.0**power for power in powers for factor in set_of], low, high)
        for set_of in _DECADES
    ]
    sparse = [
        _within([10.0**power for power in powers if power % step == 0], low, high)
        for step in range(2, len(powers) + 1)
    ]
    found = [one for one in (*even, *sparse) if len(one) > 1]
    short = high / low < 8
    return [*found, *(linear if short else [])]


def _within(values: Any, low: float, high: float) -> list[float]:
    edge = 1e-9 * (high - low)
    return [float(f"{one:.12g}") for one in values if low - edge <= one <= high + edge]


def levels_axis(ax: Axes, which: str, names: Sequence[str], most: int, first: float = 0) -> None:
    """Name the levels of an axis, each at its step; long names are broken into lines."""
    drawn: Any = getattr(ax, f"{which}axis")
    shown = [letters.wrapped(name, most) for name in names]
    drawn.set_major_locator(FixedLocator([first + at for at in range(len(names))]))
    drawn.set_ticklabels(shown)
    drawn.set_minor_locator(NullLocator())
