"""The window that `steady` judged: where it is, what it may range over, the verdict in words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from fiotools import units
from fiotools.errors import SchemaError
from fiotools.plot import parts
from fiotools.plot.language import listed, say, sentence
from fiotools.spelling import argument, typed
from fiotools.stats import frames
from fiotools.stats.batch_means import PER_TAU, weighted_mean
from fiotools.stats.frames import Frame
from fiotools.stats.series import Series
from fiotools.stats.steady_rules import Window, judge_of

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

WINDOW, ALLOWED = "#EFEFEF", "#D2D2D2"
_WHOLE = "mean of the whole: {mean}, {confidence} interval {low} to {high}"
_NARROW = (
    "mean of the whole: {mean}, {confidence} interval {low} to {high}"
    " (too narrow: samples depend on each other for long)"
)
_FIGURES = ("range_pct", "deviation_pct", "rise_pct", "drift_pct")
_NEEDED = (
    *("metric", "n", "interval_s", "mean", "mean_lo", "mean_hi", "confidence", "tau"),
    *("method", "window", "window_mean", *_FIGURES, "met", "verdict"),
)

Limit: TypeAlias = "float | Sequence[float] | None"


class Told:
    """What `steady` said, a row per series; `keys` tell the series apart."""

    def __init__(self, steady: IntoDataFrame, limit: Limit) -> None:
        table = parts.opened(steady)
        if missing := sorted({*_NEEDED} - {*table.columns}):
            raise SchemaError(
                f"not what steady() answers: no column {', '.join(missing)}; give steady(samples)"
            )
        self.keys = table.columns[: table.columns.index("metric")]
        lists = (frames.values(table, name) for name in table.columns)
        self._rows = [
            dict(zip(table.columns, row, strict=True)) for row in zip(*lists, strict=True)
        ]
        self._limit = limit

    def about(self, samples: Frame, series: Series, start: float) -> Judged:
        """Give what was said of a series that starts at this time."""
        own = {name: frames.values(samples, name)[series.rows[0]] for name in self.keys}
        own["metric"] = series.metric.name
        found = [row for row in self._rows if own.items() <= row.items()]
        if len(found) != 1:
            raise SchemaError(
                f"steady= has {len(found) or 'no'} rows about a line:"
                " give steady() the samples that are drawn"
            )
        rounds = _rounds(series, found[0])
        edges = start + np.concatenate([[0.0], np.cumsum(rounds.widths)])
        return Judged(found[0], rounds, edges, _limits(found[0], self._limit))


def _rounds(series: Series, told: Mapping[str, Any]) -> Series:
    """Give the rounds that were judged: the samples, or what ``round_s`` made of them."""
    length, found = told["interval_s"], []
    if not series.single:
        found.append(series)
    if series.timed and length is not None and (series.single or length > np.median(series.widths)):
        found.append(series.in_rounds(length))
    for rounds in found:
        same = len(rounds.values) == told["n"]
        if same and math.isclose(weighted_mean(rounds.values, rounds.widths), told["mean"]):
            if series.single and told["n"] < int(series.span / length * (1 + 1e-9)):
                raise SchemaError(
                    "some rounds are without I/O, so the others' places are not known:"
                    f" {typed('give steady() a longer round_s', 'give a longer --round')}"
                )
            return rounds
    raise SchemaError("steady= is about other samples: give steady() those that are drawn")


def _limits(told: Mapping[str, Any], limit: Limit) -> tuple[float, ...]:
    """Give the limits that a window was judged by; none where they are not known."""
    if limit is None and told["method"] != "snia":
        return ()
    judge = judge_of(told["method"], None, limit)
    if told["met"] is not None:
        window = Window(told["window_mean"], *(told[name] for name in _FIGURES))
        if judge.verdict(window) != (told["met"], told["verdict"]):
            need = argument("limit")
            raise SchemaError(f"other limits gave this verdict: name them, {need}, as in steady()")
    return judge.limits


@dataclass(frozen=True)
class Judged:
    """A series with what `steady` said of it.

    Attributes
    ----------
    told : mapping
        The row of `steady`.
    rounds : Series
        What was judged.
    edges : array
        Where the rounds begin and end.
    limits : tuple of float
        In percent; empty if not known.
    """

    told: Mapping[str, Any]
    rounds: Series
    edges: NDArray[np.float64]
    limits: tuple[float, ...]

    @property
    def mean(self) -> float | None:
        """The mean of the window, if there is one."""
        mean: float | None = self.told["window_mean"]
        return mean

    def draw(self, ax: Axes, colour: str | None = None) -> float:
        """Shade the window and what it may range over, draw mean and trend; give the top.

        In the ``colour`` of the line, where there are others.
        """
        if self.mean is None:
            return 0.0
        size, top = self.told["window"], self.mean
        left, right = float(self.edges[-size - 1]), float(self.edges[-1])
        ax.axvspan(left, right, color=WINDOW, linewidth=0, zorder=0)
        if (allowed := self._allowed()) is not None:
            low, top = allowed
            look = {"color": colour, "alpha": 0.2} if colour else {"color": ALLOWED}
            box = Rectangle((left, low), right - left, top - low, lw=0, zorder=0.4, **look)
            ax.add_patch(box)
        middles = (self.edges[-size - 1 : -1] + self.edges[-size:]) / 2
        weights = self.rounds.widths[-size:]
        first, last = float(middles[0]), float(middles[-1])
        slope = self.mean * self.told["rise_pct"] / 100 / (last - first)
        center = float(middles @ weights / weights.sum())
        trend = [self.mean + slope * (place - center) for place in (first, last)]
        dark, bright = colour or "black", colour or parts.PALETTE[1]
        ax.plot([left, right], [self.mean] * 2, color=dark, linewidth=1, zorder=4)
        ax.plot([first, last], trend, color=bright, linestyle=(0, (4, 2)), linewidth=1.8, zorder=5)
        return float(max(top, *trend))

    def _allowed(self) -> tuple[float, float] | None:
        """Give the ends of what the rounds fit into, if the window is met."""
        if not self.limits or self.mean is None or self.told["method"] == "fio-slope":
            return None
        values = self.rounds.values[-self.told["window"] :]
        # SNIA's range is that of the rounds to each other, fio's their distance from the mean
        snia = self.told["method"] == "snia"
        middle = float(values.max() + values.min()) / 2 if snia else self.mean
        half = self.mean * self.limits[0] / (200 if snia else 100)
        return max(0.0, middle - half), middle + half

    def words(self) -> list[str]:
        """Say the verdict with its figures, and the mean of the whole with its interval."""
        told, unit = self.told, self.rounds.metric.unit
        lines = [sentence(told["verdict"])]
        if self.mean is not None:
            met = "window met: {figures}" if told["met"] else "window not met: {figures}"
            lines = [say(met, figures=listed(self._figures()))]
        if told["mean_lo"] is not None:
            mean, low, high = (
                units.human(told[name], unit, like=told["mean_hi"])
                for name in ("mean", "mean_lo", "mean_hi")
            )
            words = {"mean": mean, "low": low, "high": high}
            words["confidence"] = f"{told['confidence']:.0%}"
            whole = _WHOLE
            if told["tau"] is not None and told["n"] < math.ceil(PER_TAU * told["tau"]):
                whole = _NARROW
            lines.append(say(whole, **words))
        return lines

    def _figures(self) -> list[str]:
        spread, far, rise, drift = (
            units.human(self.told[name], "%").replace(" ", "") for name in _FIGURES
        )
        sign = "≤" if self.told["method"] == "snia" else "<"
        first, second = [*(f" ({sign}{value:g}%)" for value in self.limits), "", ""][:2]
        second = second.replace(sign, "±")  # it may fall as far as it may rise
        if self.told["method"] == "snia":
            return [
                say("range {value}{limit}", value=spread, limit=first),
                say("rise {value}{limit}", value=rise, limit=second),
                say("drift {value} a round{limit}", value=drift, limit=""),
            ]
        rise = say("rise {value}{limit}", value=rise, limit="")
        if self.told["method"] == "fio-deviation":
            far = say("farthest {value} from the mean{limit}", value=far, limit=first)
            return [far, rise, say("drift {value} a round{limit}", value=drift, limit="")]
        return [say("drift {value} a round{limit}", value=drift, limit=first), rise]

    def key(self) -> str:
        """Say what the shades and lines are."""
        size, length = self.told["window"], self.told["interval_s"]
        if length is None:
            lines = [say("grey: window, {n} rounds", n=size)]
        else:
            each = parts.tick(length, "s")
            lines = [say("grey: window, {n} rounds of {length}", n=size, length=each)]
        if self._allowed() is not None:
            lines.append(say("darker: allowed range"))
        return listed([*lines, say("line: mean"), say("dashed: trend")], "; ")
