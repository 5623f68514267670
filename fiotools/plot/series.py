"""A quantity over time, the window that `steady` judged, and whether it was steady."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from narwhals.typing import IntoDataFrame
from numpy.typing import NDArray

from fiotools import units
from fiotools.errors import SchemaError, argument, typed
from fiotools.flags import Flag, flags_of
from fiotools.language import listed, say
from fiotools.plot import common
from fiotools.stats import frames
from fiotools.stats.frames import Frame
from fiotools.stats.series import Series, as_samples, portions, series_of, weighted_mean
from fiotools.stats.steady import Window, judge_of

_MARKS = 8  # markers along a line
_FEW = 5_000  # points that a vector file holds well
ALLOWED = "#D2D2D2"
_NUMBERS = ("range_pct", "deviation_pct", "rise_pct", "drift_pct")
_NEEDED = (
    *("metric", "n", "interval_s", "mean", "mean_lo", "mean_hi", "confidence"),
    *("method", "rounds", "first_round", "last_round", "cut", "window_mean", *_NUMBERS),
    *("met", "verdict", "flags", "details"),
)
Limit: TypeAlias = "float | Sequence[float] | None"


def series(
    samples: IntoDataFrame,
    quantity: str | None = None,
    *,
    hue: str | None = None,
    order: Sequence[Any] | None = None,
    steady: IntoDataFrame | None = None,
    limit: Limit = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a quantity over time, each sample as long as the time that it covers.

    With the answer of `steady`, the window is grey and the range allowed to its rounds is darker.
    The lines in it are its mean and, dashed, its trend. The verdict stands below in words. Rounds
    that `steady` made are drawn over their samples.

    Parameters
    ----------
    samples : pandas or polars frame
        A table such as `Results.samples` or the answer of `window`, with one series, or one for
        each value of ``hue``. Amounts become rates, as in `steady`. Single I/Os are points.
    quantity : str, optional
        Which of the quantities, if there are several; of windows, which column: ``iops``,
        ``bw_bytes_per_s``, ``mean`` or ``value_ns``.
    hue : str, optional
        The column that names the lines; the name stands at the line's end.
    order : sequence, optional
        The lines, which take their colours in this order.
    steady : pandas or polars frame, optional
        The answer of `steady` for these samples.
    limit : float or (float, float), optional
        The limits that were passed to `steady`, if any.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    SchemaError
        If one line had to show several quantities, directions, jobs or runs, or ``steady`` is about
        other samples or has other limits.

    Examples
    --------
    >>> import pandas as pd
    >>> import fiotools as ft
    >>> log = pd.DataFrame({
    ...     "run": 1, "direction": "read", "quantity": "iops",
    ...     "time_s": [1.0, 2.0, 3.0, 4.0, 5.0], "value": [103.0, 102.0, 100.0, 99.0, 96.0],
    ... })
    >>> ax = ft.plot.series(log, steady=ft.steady(log))
    >>> ax.get_xlabel().splitlines()[1]
    'window met: range 7.00 % (≤20 %), rise -6.80 % (±10 %), drift -1.70 %/round'
    """
    is_percentile = quantity == "value_ns"
    taken = as_samples(samples, quantity)
    if taken is not samples:
        quantity = None
    table = _of(common.opened(taken, hue, "value"), quantity)
    lines = lines_of(table, quantity, hue, order, steady, limit)
    ax = common.axes(ax, 7)
    ends, below, top = [], [], 0.0
    for at, line in enumerate(lines):
        look = common.look_of(at, ax)
        _draw(ax, line, look, mark=hue is not None)
        top, mean, last = max(top, line.top), line.mean, float(edges_of(line.series)[-1])
        if line.told:
            top, words = max(top, line.draw(ax, look.colour if hue else None)), line.words()
            if hue:
                words = [say("{name}: {text}", name=line.name, text=text) for text in words]
            below += words
        if hue:
            ends.append((last, line.last if mean is None else mean, line.name, look))
        elif mean is not None:
            text = units.human(mean, line.series.metric.unit)
            ends.append((last, mean, text, common.Look(common.ink(ax), "", "-")))
            if whole := line.draw_whole(ax):
                top = max(top, whole)
                below[-1] = say("{said} (bar)", said=below[-1])
    below += [line.key() for line in lines if line.mean][:1]
    ax.set_ylim(0, top * 1.06 or 1)
    common.few_ticks(ax.yaxis, lines[0].series.metric.unit, like=top)
    common.label_beside(ax, _what(table, lines, hue, is_percentile=is_percentile))
    _time_axis(ax, lines, below)
    common.name_lines(ax, ends, hue)
    return ax


def _time_axis(ax: Axes, lines: Sequence[SeriesLine], below: Sequence[str]) -> None:
    """Set the axis of times, or of samples without times."""
    edges = [edges_of(line.series) for line in lines]
    first, last = min(float(own[0]) for own in edges), max(float(own[-1]) for own in edges)
    if all(line.series.timed for line in lines):
        common.time_axis(ax, first, last)
        common.label_below(ax, say("time since the start"), *below)
    else:
        ax.set_xlim(first, last)
        ax.xaxis.set_major_locator(common.round_ticks(5, integer=True))
        common.label_below(ax, say("sample"), *below)


def _of(table: Frame, quantity: str | None) -> Frame:
    """Keep the rows of one quantity."""
    if quantity is None or "quantity" not in table.columns:
        return table
    listed = frames.values(table, "quantity")
    if quantity not in listed:
        there = ", ".join(map(str, frames.distinct(listed)))
        raise SchemaError(f"no sample of {quantity!r}; there are: {there}")
    return table[[row for row, name in enumerate(listed) if name == quantity]]


def edges_of(series: Series) -> NDArray[np.float64]:
    """Return where samples begin and where the last ends; without times, the nth is around n."""
    start = series.start if series.timed else series.start + 0.5
    return np.round(start + np.concatenate([[0.0], np.cumsum(series.widths)]), 9)


def draw_steps(
    ax: Axes, edges: NDArray[np.float64], values: NDArray[np.float64], **look: Any
) -> None:
    """Draw each value from edge to edge."""
    ax.plot(edges, np.append(values, values[-1]), drawstyle="steps-post", **look)


def _draw(ax: Axes, line: SeriesLine, look: common.Look, *, mark: bool) -> None:
    """Draw the samples, and over them the rounds, if there are others."""
    values, edges = line.series.values, edges_of(line.series)
    if line.points:
        dots: Any = {"markersize": 3, "markeredgewidth": 0, "alpha": 0.6, "clip_on": False}
        dots["rasterized"] = len(values) > _FEW
        ax.plot(edges[1:], values, look.marker, color=look.colour, **dots)
    elif not line.series.single:
        width, alpha = (0.8, 0.5) if line.made else (1.3, None)
        draw_steps(ax, edges, values, color=look.colour, linewidth=width, alpha=alpha)
    if line.made:
        values, edges = line.rounds.values, edges_of(line.rounds)
        draw_steps(ax, edges, values, color=look.colour, linewidth=2)
    if mark and (line.made or not line.points):
        # told apart in greyscale too
        every = max(1, len(values) // _MARKS)
        some = slice(every // 2, None, every)
        middles = (edges[1:] + edges[:-1]) / 2
        ax.plot(middles[some], values[some], look.marker, markersize=5, color=look.colour)


def _what(
    table: Frame, lines: Sequence[SeriesLine], hue: str | None, *, is_percentile: bool
) -> str:
    """Name what is drawn, and its direction if that is one."""
    metric = lines[0].series.metric
    if len({line.series.quantity for line in lines}) > 1 and metric.unit == "ns":
        what = say("latency")
    else:
        known = common.LATENCIES.get(metric.name.removesuffix("_ns"))
        what = say(known) if known else common.wording(metric.name)
    share = common.only(table, "percentile")
    if is_percentile and share is not None:
        what = say("p{share} of {what}", share=units.percentile(share), what=what)
    return what if hue == "direction" else common.going(what, table)


def lines_of(
    table: Frame,
    quantity: str | None,
    hue: str | None,
    order: Sequence[Any] | None,
    steady: IntoDataFrame | None,
    limit: Limit,
) -> list[SeriesLine]:
    """Find the series, one for each name, and the answers about them."""
    names, apart = common.known(table, hue), list[str]()
    answers = list[dict[str, Any]]()
    if steady is not None:
        what, give = "the answer of steady()", "; give steady(samples)"
        told = common.answer(steady, _NEEDED, what, give)
        apart, answers = told.columns[: told.columns.index("metric")], common.records(told)
    keys = [name for name in (hue, *apart) if name]
    frames.need(table, keys)
    common.refuse_several(
        table,
        names,
        "a line",
        hue=hue,
        apart=keys,
        also=lambda name: "" if hue else f", or tell them apart, {argument('hue', name)}",
    )
    found = {names[line.rows[0]]: line for line in series_of(table, quantity, keys)}
    lines = []
    for name in common.levels(list(found), order):
        series = found[name]
        line = SeriesLine(common.named(name, hue), series, series)
        if steady is not None:
            own = {name: frames.values(table, name)[series.rows[0]] for name in apart}
            lines.append(_judged(line, answers, {**own, "metric": series.metric.name}, limit))
        elif series.single and series.metric.unit != "ns":
            raise SchemaError(
                "the rows are one I/O each: draw rounds of them, "
                + typed("steady=steady(samples, round_s=1)", "--round 1s")
            )
        else:
            lines.append(line)
    if len({line.series.metric.unit for line in lines}) > 1:
        raise SchemaError(f"{hue!r} names quantities of several units: draw one at a time")
    return lines


def _judged(
    line: SeriesLine, answers: Sequence[Mapping[str, Any]], own: Mapping[str, Any], limit: Limit
) -> SeriesLine:
    """Find the answer about a series among several, and the rounds that it is about."""
    found = [row for row in answers if own.items() <= row.items()]
    give = "give steady() the samples that are drawn"
    told = common.only_row(found, "steady=", " about a line", give)
    rounds, cut = _rounds(line.series, told), told["cut"]
    if cut is not None and len(rounds.values) != told["rounds"]:  # it begins after a part left out
        start = rounds.start + float(rounds.widths[:cut].sum())
        values, widths = rounds.values[cut:], rounds.widths[cut:]
        cuts = np.linspace(0.0, float(widths.sum()), told["rounds"] + 1)
        parts = portions(values, widths, cuts)
        rounds = replace(rounds, values=parts, widths=np.diff(cuts), start=start)
    return replace(line, rounds=rounds, told=told, limits=_limits(told, limit))


def _rounds(series: Series, told: Mapping[str, Any]) -> Series:
    """Return the rounds that were judged: the samples, or what ``round_s`` made of them."""
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
    """Return the limits that a window was judged by; empty if they are not known."""
    if limit is None and told["method"] != "snia":
        return ()
    judge = judge_of(told["method"], None, limit)
    if told["met"] is not None:
        window = Window(told["window_mean"], *(told[name] for name in _NUMBERS))
        if judge.over(window) != [one for one in _flags(told) if one.code == "over-limit"]:
            need = argument("limit")
            raise SchemaError(f"other limits gave this verdict: name them, {need}, as in steady()")
    return judge.limits


def _flags(told: Mapping[str, Any]) -> list[Flag]:
    return flags_of(told["flags"], told["details"])


@dataclass(frozen=True)
class SeriesLine:
    """One series, and the rounds of it that `steady` judged."""

    name: str
    series: Series
    rounds: Series  # the series itself if no rounds were made of it
    told: Mapping[str, Any] = field(default_factory=dict)  # the answer; empty without one
    limits: tuple[float, ...] = ()  # in percent; empty if not known

    @property
    def points(self) -> bool:
        """Whether its rows are single I/Os, each with a latency."""
        return self.series.single and self.series.metric.unit == "ns"

    @property
    def made(self) -> bool:
        """Whether rounds were made of it."""
        return self.rounds is not self.series

    @property
    def top(self) -> float:
        """The highest value that is drawn of it."""
        hidden = self.series.single and not self.points
        return float((self.rounds if hidden else self.series).values.max())

    @property
    def last(self) -> float:
        """Where it ends, more or less."""
        values = self.series.values
        return float(values[-max(1, len(values) // 20) :].mean())

    @property
    def mean(self) -> float | None:
        """The mean of the window, if there is one."""
        return self.told.get("window_mean")

    def draw(self, ax: Axes, colour: str | None) -> float:
        """Shade the window and its allowed range, draw mean and trend; return the top.

        In the ``colour`` of the line, if there are others.
        """
        if self.mean is None:
            return 0.0
        first, last, top = self.told["first_round"] - 1, self.told["last_round"], self.mean
        cuts = edges_of(self.rounds)
        left, right = float(cuts[first]), float(cuts[last])
        ax.axvspan(left, right, color=common.shade(ax), linewidth=0, zorder=0)
        if (allowed := self._allowed()) is not None:
            low, top = allowed
            look = {"color": colour, "alpha": 0.2} if colour else {"color": ALLOWED}
            box = Rectangle((left, low), right - left, top - low, lw=0, zorder=0.4, **look)
            ax.add_patch(box)
        middles = (cuts[first:last] + cuts[first + 1 : last + 1]) / 2
        ends = float(middles[0]), float(middles[-1])
        slope = self.mean * self.told["rise_pct"] / 100 / (ends[1] - ends[0])
        center = weighted_mean(middles, self.rounds.widths[first:last])
        trend = [self.mean + slope * (place - center) for place in ends]
        dark, bright = colour or common.ink(ax), colour or common.PALETTE[1]
        ax.plot([left, right], [self.mean] * 2, color=dark, linewidth=1, zorder=4)
        ax.plot(ends, trend, color=bright, linestyle=(0, (4, 2)), linewidth=1.8, zorder=5)
        return float(max(top, *trend))

    def draw_whole(self, ax: Axes) -> float:
        """Draw the interval of the mean of the whole at the right edge; give the top."""
        low, high = (self.told[name] for name in ("mean_lo", "mean_hi"))
        if low is None or high is None:
            return 0.0
        look: Any = {"color": common.ink(ax), "linewidth": 2.5, "solid_capstyle": "butt"}
        beside: Any = {"transform": ax.get_yaxis_transform(), "clip_on": False}
        ax.plot([1.008, 1.008], [low, high], **look, **beside)
        return float(high)

    def _allowed(self) -> tuple[float, float] | None:
        """Return the ends of the range allowed to the rounds, if it is known."""
        if not self.limits or self.mean is None or self.told["method"] == "fio-slope":
            return None
        values = self.rounds.values[self.told["first_round"] - 1 : self.told["last_round"]]
        # SNIA's range is that of the rounds to each other, fio's their distance from the mean
        snia = self.told["method"] == "snia"
        middle = float(values.max() + values.min()) / 2 if snia else self.mean
        half = self.mean * self.limits[0] / (200 if snia else 100)
        return max(0.0, middle - half), middle + half

    def words(self) -> list[str]:
        """Say the verdict with its numbers, and the mean of the whole with its interval."""
        told, unit = self.told, self.rounds.metric.unit
        lines = [say("nothing was done in the window")]
        if few := next((one for one in _flags(told) if one.code == "of-rounds"), None):
            lines = [say("too few rounds: {n} of {of}", **few.values)]
        if self.mean is not None:
            met = "window met: {numbers}" if told["met"] else "window not met: {numbers}"
            lines = [say(met, numbers=listed(self._numbers()))]
        if told["mean_lo"] is not None:
            mean, low, high = (
                units.human(told[name], unit, like=told["mean_hi"])
                for name in ("mean", "mean_lo", "mean_hi")
            )
            share = common.percent(told["confidence"])
            words = "mean of the whole: {mean}, {confidence} interval {low} to {high}"
            lines.append(say(words, mean=mean, confidence=share, low=low, high=high))
        return lines

    def _numbers(self) -> list[str]:
        spread, far, rise, drift = (
            say("{share} %", share=units.human(self.told[name], "")) for name in _NUMBERS
        )
        sign = "≤" if self.told["method"] == "snia" else "<"
        limits = [f" ({sign}{common.percent(value / 100)})" for value in self.limits]
        first, second = [*limits, "", ""][:2]
        if self.told["method"] == "snia":
            second = second.replace(sign, "±")  # it may fall as far as it may rise
            return [
                say("range {value}{limit}", value=spread, limit=first),
                say("rise {value}{limit}", value=rise, limit=second),
                say("drift {value}/round{limit}", value=drift, limit=""),
            ]
        rise = say("rise {value}{limit}", value=rise, limit="")
        if self.told["method"] == "fio-deviation":
            far = say("farthest {value} from the mean{limit}", value=far, limit=first)
            return [far, rise, say("drift {value}/round{limit}", value=drift, limit="")]
        return [say("drift {value}/round{limit}", value=drift, limit=first), rise]

    def key(self) -> str:
        """Say what shades and lines are."""
        size = self.told["last_round"] - self.told["first_round"] + 1
        lines = [say("grey: window, {n} rounds", n=size)]
        if self.rounds.timed:
            each = common.tick(float(np.median(self.rounds.widths)), "s")
            lines = [say("grey: window, {n} rounds of {length}", n=size, length=each)]
        if self._allowed() is not None:
            lines.append(say("darker: allowed range"))
        lines += [say("line: mean"), say("dashed: trend")]
        return listed(lines, "; ")
