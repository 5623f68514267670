"""Values in order of time: samples and their rounds, runs by commit or date, and their levels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import pairwise
from typing import Any, TypeAlias

import matplotlib.dates
import numpy as np
import polars as pl
from numpy.typing import NDArray

from fiotools import units
from fiotools.errors import SchemaError, argument, typed
from fiotools.flags import Flag, flags_of
from fiotools.language import called, listed, say
from fiotools.plot import roles, words
from fiotools.plot.comparisons import answered, values_of
from fiotools.plot.distributions import refuse_several
from fiotools.plot.kind import kind, of_table, opened, records
from fiotools.plot.roles import Arguments
from fiotools.plot.spec import Axis, Level, Limit, Row, Spec, in_order
from fiotools.stats import frames
from fiotools.stats.columns import Columns
from fiotools.stats.frames import Frame
from fiotools.stats.order import clock_of, sequence
from fiotools.stats.series import (
    Series,
    as_samples,
    portions,
    sequences,
    series_of,
    weighted_mean,
)
from fiotools.stats.shifts import shifts as find_shifts
from fiotools.stats.steady import Window, judge_of
from fiotools.stats.steady import steady as ask_steady
from fiotools.stats.summary import summarize
from fiotools.tables.results import Results

_DATES: Any = matplotlib.dates  # untyped in the stubs
_TOLERANCE = 1e-9
_NUMBERS = ("range_pct", "deviation_pct", "rise_pct", "drift_pct")
_JUDGED = (
    *("metric", "n", "interval_s", "mean", "mean_lo", "mean_hi", "confidence"),
    *("method", "rounds", "first_round", "last_round", "cut", "window_mean", *_NUMBERS),
    *("met", "verdict", "flags", "details"),
)
_STEPS = (
    *("metric", "unit", "segment", "start", "n", "center", "ratio", "ratio_lo", "ratio_hi"),
    *("confidence", "verdict", "flags", "details"),
)
_BY_CHANCE = {
    "step up": "step up, or two levels by chance",
    "step down": "step down, or two levels by chance",
}
_FEW = {
    "too few runs": "too few runs: {n} of {of}",
    "too few samples": "too few samples: {n} of {of}",
}
_OTHERS = "shifts= is about other rows: give shifts() those that are drawn"
_TIMES = ("started_at", "reported_at")
_SPAN = 0.1  # of the median: the least that an axis of runs spans
_VALUED = 6  # rounds whose means are written
_ABOUT = ("entry", "direction", "job", "source")  # columns that tell series of results apart
Limits: TypeAlias = "float | Sequence[float] | None"


def _sampled(data: Any, asked: Arguments) -> Any:
    """Take the samples of results, of one quantity, and what tells their series apart."""
    if not isinstance(data, Results):
        return data
    table = of_table("samples")(data, asked)
    there = table["quantity"].drop_nulls().unique(maintain_order=True).to_list()
    wanted = asked.get("quantity")
    if wanted is None and len(there) > 1:
        wanted = "iops" if "iops" in there else there[0]
    asked["quantity"] = (
        next((one for one in there if one.startswith(f"{wanted}_")), wanted)
        if wanted not in there
        else wanted
    )
    if asked["quantity"] is not None:
        table = table.filter(pl.col("quantity") == asked["quantity"])
    if asked.get("hue") is None:
        names = [*data.labels, *_ABOUT]
        differ = (
            one
            for one in names
            if one in table and one not in asked["by"] and table[one].n_unique() > 1
        )
        asked["hue"] = next(differ, None)
    roles.panels(table, asked, ["direction"])
    roles.ordered(table, asked, "hue")
    return table


@kind(_sampled)
def series(
    samples: Any,
    quantity: str | None = None,
    *,
    hue: str | None = None,
    order: Sequence[Any] | None = None,
    steady: Any = None,
    limit: Limits = None,
    window: int | None = None,
    round_s: float | None = None,
) -> Spec:
    """Draw a quantity over time, each sample as long as the time that it covers.

    With the answer of `steady`, the samples are thin and grey, and the mean of each round that was
    judged is a short bar with its value. The range allowed to the rounds ends at two named lines,
    and what was found stands in a line above.

    Parameters
    ----------
    samples : Results, pandas.DataFrame or polars.DataFrame
        A table such as `Results.samples` or the answer of `window`, with one series, or one for
        each value of ``hue``. Amounts become rates, as in `steady`. Single I/Os are points.
    quantity : str, optional
        Which of the quantities, if there are several; windows have columns: ``iops``,
        ``bw_bytes_per_s``, ``mean`` or ``value_ns``.
    hue : str, optional
        The column that names the curves.
    steady : bool, str, or pandas or polars frame, optional
        The answer of `steady` for these samples; True asks for it, as does the name of a rule.
    limit : float or (float, float), optional
        The limits that were passed to `steady`, if any.
    window, round_s : optional
        As in `steady`, if it is asked.
    order, by, without, title, ax
        As in `repeats`; curves take their colours in this order.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        If one curve had to show several quantities, directions, jobs or runs, or ``steady`` is
        about other samples or has other limits.

    Examples
    --------
    >>> import fiotools as ft
    >>> res = ft.read("data/how-many-runs/long")  # a run of 300 s
    >>> log = res.samples[res.samples["quantity"] == "iops"]
    >>> ax = ft.plot.series(log, steady=ft.steady(log))
    >>> ft.plot.spec("series", log, steady=ft.steady(log)).said
    'window met: range 8.07 % (≤20 %), rise -0.275 % (±10 %), drift -0.0686 %/round'
    """
    is_percentile = quantity == "value_ns"
    taken = as_samples(samples, quantity)
    if taken is not samples:
        quantity = None
    table = _of(opened(taken, hue, "value"), quantity)
    if steady is True or isinstance(steady, str):
        rule: Any = {} if steady is True else {"method": steady}
        rule |= {"window": window, "limit": limit, "round_s": round_s}
        steady = ask_steady(table.to_native(), quantity, by=hue, **rule)
    elif steady is False:
        steady = None
    found = _series_of(table, quantity, hue, order, steady, limit)
    rows, levels, limits, said = list[Row](), list[Level](), list[Limit](), list[str]()
    for line in found:
        group = line.key if hue else None
        values, edges = line.series.values, edges_of(line.series)
        if line.points:
            rows += [
                Row(float(x), float(y), group=group) for x, y in zip(edges[1:], values, strict=True)
            ]
        elif not line.series.single:
            rows += [
                Row(float(x), float(y), group=group)
                for x, y in zip(edges, [*values, values[-1]], strict=True)
            ]
        if line.told:
            levels += line.levels(group, valued=not hue)
            limits += line.allowed() if not hue else []
            texts = line.words()
            said += (
                [say("{name}: {text}", name=line.name, text=one) for one in texts] if hue else texts
            )
    if not rows:  # rounds of single I/Os
        rows = [
            Row(end, level.value, group=level.group)
            for level in levels
            for end in (level.begin, level.end)
        ]
    timed = all(line.series.timed for line in found)
    notes = said if hue else said[1:]
    if levels:
        notes = [*notes, found[0].told_of_rounds()]
    first = min(float(edges_of(line.series)[0]) for line in found)
    last = max(float(edges_of(line.series)[-1]) for line in found)
    how = {"dots"} if found[0].points else {"steps"}
    if levels or any(len(line.series.values) > 60 for line in found):
        how |= {"thin"}
    metric = found[0].series.metric
    flat = len({*(row.y for row in rows)}) == 1
    what = _what(table, found, is_percentile=is_percentile)
    return Spec(
        "lines",
        tuple(rows),
        Axis(
            say("time since the start") if timed else say("sample"),
            "s" if timed else "",
            ends=(first, last),
            log=False,
        ),
        Axis(
            words.going(what, table, hue),
            metric.unit,
            metric.name,
            bare=what,
            log=False,
            zero=flat or _near_zero([row.y for row in rows]),
        ),
        hue=hue,
        groups=tuple(line.key for line in found) if hue else (None,),
        limits=tuple(limits),
        levels=tuple(levels),
        said="" if hue or not said else said[0],
        notes=tuple(notes),
        how=frozenset(how),
    )


def _near_zero(values: Sequence[float]) -> bool:
    """Whether little would be left of an axis below the values: it begins at 0 then."""
    return min(values) < 0.5 * max(values)


def _of(table: Frame, quantity: str | None) -> Frame:
    """Keep the rows of one quantity."""
    if quantity is None or "quantity" not in table.columns:
        return table
    found = frames.values(table, "quantity")
    if quantity not in found:
        there = ", ".join(map(str, frames.distinct(found)))
        raise SchemaError(f"no sample of {quantity!r}; there are: {there}")
    return table[[row for row, name in enumerate(found) if name == quantity]]


def edges_of(series: Series) -> NDArray[np.float64]:
    """Return where samples begin and where the last ends; without times, the nth is around n."""
    start = series.start if series.timed else series.start + 0.5
    return np.round(start + np.concatenate([[0.0], np.cumsum(series.widths)]), 9)


def _what(table: Frame, found: Sequence[_Line], *, is_percentile: bool) -> str:
    """Name what is drawn."""
    metric = found[0].series.metric
    if len({line.series.quantity for line in found}) > 1 and metric.unit == "ns":
        what = say("latency")
    else:
        known = words.LATENCIES.get(metric.name.removesuffix("_ns"))
        what = say(known) if known else words.wording(metric.name)
    share = words.only(table, "percentile")
    if is_percentile and share is not None:
        what = say("p{share} of {what}", share=units.percentile(share), what=what)
    return what


def _series_of(
    table: Frame,
    quantity: str | None,
    hue: str | None,
    order: Sequence[Any] | None,
    steady: Any,
    limit: Limits,
) -> list[_Line]:
    """Find the series, one for each name, and the answers about them."""
    names = frames.complete(table, hue) if hue else [None] * len(table)
    apart, answers = list[str](), list[dict[str, Any]]()
    if steady is not None:
        told = answered(steady, _JUDGED, "the answer of steady()", "; give steady(samples)")
        apart, answers = told.columns[: told.columns.index("metric")], records(told)
    keys = [name for name in (hue, *apart) if name]
    frames.need(table, keys)
    also = "" if hue else f", or tell them apart, {argument('hue', '{}')}"
    refuse_several(table, names, "a line", hue=hue, apart=keys, also=also)
    found = {names[line.rows[0]]: line for line in series_of(table, quantity, keys)}
    lines = []
    written = words.names(found, hue)
    for name in in_order(found, order):
        own = found[name]
        line = _Line(name, written[name] if hue else "", own, own)
        if steady is not None:
            where = {one: frames.values(table, one)[own.rows[0]] for one in apart}
            lines.append(_judged(line, answers, {**where, "metric": own.metric.name}, limit))
        elif own.single and own.metric.unit != "ns":
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
    line: _Line, answers: Sequence[Mapping[str, Any]], own: Mapping[str, Any], limit: Limits
) -> _Line:
    """Find the answer about a series among several, and the rounds that it is about."""
    found = [row for row in answers if own.items() <= row.items()]
    if len(found) != 1:
        raise SchemaError(
            f"steady= has {len(found) or 'no'} rows about a line: give steady() the samples that"
            " are drawn"
        )
    told = found[0]
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


def _limits(told: Mapping[str, Any], limit: Limits) -> tuple[float, ...]:
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
class _Line:
    """One series, and the rounds of it that `steady` judged."""

    key: Any
    name: str
    series: Series
    rounds: Series  # the series itself if no rounds were made of it
    told: Mapping[str, Any] = field(default_factory=dict)  # the answer; empty without one
    limits: tuple[float, ...] = ()  # in percent; empty if not known

    @property
    def points(self) -> bool:
        """Whether its rows are single I/Os, each with a latency."""
        return self.series.single and self.series.metric.unit == "ns"

    def levels(self, group: Any, *, valued: bool) -> list[Level]:
        """Return the mean of each round that was judged, or of all, as a short bar."""
        cuts, values = edges_of(self.rounds), self.rounds.values
        first, last = 0, len(values)
        if self.told["window_mean"] is not None:
            first, last = self.told["first_round"] - 1, self.told["last_round"]
        valued &= last - first <= _VALUED
        unit, like = self.rounds.metric.unit, float(values.max())
        return [
            Level(
                float(cuts[at]),
                float(cuts[at + 1]),
                float(values[at]),
                group=group,
                text=units.human(float(values[at]), unit, like=like) if valued else "",
            )
            for at in range(first, last)
        ]

    def allowed(self) -> list[Limit]:
        """Return both ends of the range allowed to the rounds, if it is known."""
        mean = self.told["window_mean"]
        if not self.limits or mean is None or self.told["method"] == "fio-slope":
            return []
        values = self.rounds.values[self.told["first_round"] - 1 : self.told["last_round"]]
        # SNIA's range is that of the rounds to each other, fio's their distance from the mean
        snia = self.told["method"] == "snia"
        middle = float(values.max() + values.min()) / 2 if snia else mean
        half = mean * self.limits[0] / (200 if snia else 100)
        unit = self.rounds.metric.unit
        ends = (max(0.0, middle - half), middle + half)
        return [
            Limit(end, text=say(what, limit=words.tick(end, unit, ends[1])))
            for what, end in zip(("allowed from {limit}", "allowed to {limit}"), ends, strict=True)
        ]

    def words(self) -> list[str]:
        """Say the verdict with its numbers, and the mean of the whole with its interval."""
        told, unit = self.told, self.rounds.metric.unit
        found = [say("nothing was done in the window")]
        if few := next((one for one in _flags(told) if one.code == "of-rounds"), None):
            found = [say("too few rounds: {n} of {of}", **few.values)]
        if told["window_mean"] is not None:
            met = "window met: {numbers}" if told["met"] else "window not met: {numbers}"
            found = [say(met, numbers=listed(self._numbers()))]
        if told["mean_lo"] is not None:
            mean, low, high = (
                units.human(told[name], unit, like=told["mean_hi"])
                for name in ("mean", "mean_lo", "mean_hi")
            )
            share = words.percent(told["confidence"])
            text = "mean of the whole: {mean}, {confidence} interval {low} to {high}"
            found.append(say(text, mean=mean, confidence=share, low=low, high=high))
        return found

    def _numbers(self) -> list[str]:
        spread, far, rise, drift = (
            say("{share} %", share=units.human(self.told[name], "")) for name in _NUMBERS
        )
        sign = "≤" if self.told["method"] == "snia" else "<"
        limits = [f" ({sign}{words.percent(value / 100)})" for value in self.limits]
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

    def told_of_rounds(self) -> str:
        """Say what the short bars are."""
        if not self.rounds.timed:
            return say("thick: mean of a round")
        each = words.tick(float(np.median(self.rounds.widths)), "s")
        return say("thick: mean of a round of {length}", length=each)


def _ordered_runs(data: Any, asked: Arguments) -> Any:
    """Take the samples of results if they have the metric, else runs."""
    if isinstance(data, Results):
        metric = asked.get("metric")
        there = bool(data.tables.height("samples")) and asked.get("order") is None
        quantities: Any = data.tables.polars("samples")["quantity"].unique() if there else []
        if there and (metric is None or metric in quantities):
            asked["quantity"] = metric
            table = _sampled(data, asked)
            asked.pop("hue", None)
            asked["metric"] = asked.pop("quantity")
            return table
        return of_table(None)(data, asked)
    return data


@kind(_ordered_runs)
def shifts(
    frame: Any,
    metric: str | None = None,
    *,
    shifts: Any = None,
    order: str | None = None,
    round_s: float | None = None,
) -> Spec:
    """Draw one sequence with its levels; the interval of each step is a band about its new level.

    Parameters
    ----------
    frame : Results, pandas.DataFrame or polars.DataFrame
        Runs or samples of one sequence, as they were passed to `fiotools.shifts`.
    metric : str, optional
        The column to draw, or which quantity.
    shifts : pandas or polars frame, optional
        The answer of `fiotools.shifts` for them, which is asked if left out.
    order, round_s : optional
        As they were passed to `fiotools.shifts`.
    by, without, title, ax
        As in `repeats`.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        If there are several sequences, or the answer is about another one.

    Examples
    --------
    >>> import fiotools as ft
    >>> io = ft.example("own-disk").io
    >>> reads = io[(io["workload"] == "read_4k") & (io["place"] == "loop-ext4")]
    >>> ax = ft.plot.shifts(reads, "iops", order="round")
    >>> [level.text for level in ft.plot.spec("shifts", reads, "iops", order="round").levels]
    ['83,528 /s', '×2.79 [1.18, 6.59]']
    """
    data, several, _ = sequences(frame, metric, (), round_s, order)
    if len(several) != 1:
        raise SchemaError(f"{len(several)} sequences are in the frame: draw one at a time")
    own = several[0]
    if shifts is None:
        shifts = find_shifts(frame, metric, round_s=round_s, order=order)
    told = _levels_of(shifts, own)
    edges = edges_of(own)
    middles = (edges[1:] + edges[:-1]) / 2
    sampled = "value" in data.columns  # each sample as long as its time
    if sampled:
        rows = [
            Row(float(x), float(y))
            for x, y in zip(edges, [*own.values, own.values[-1]], strict=True)
        ]
    else:
        rows = [Row(float(x), float(y)) for x, y in zip(middles, own.values, strict=True)]
    levels = []
    for one in told:
        left, right = float(edges[one["start"] - 1]), float(edges[one["start"] - 1 + one["n"]])
        is_step = one["ratio"] is not None
        text = _step(one) if is_step else units.human(one["center"], str(one["unit"]))
        levels.append(_level(one, left, right, text))
    x = Axis(say("time since the start"), "s", ends=(float(edges[0]), float(edges[-1])), log=False)
    if not own.timed:
        x = replace(x, label=words.condition(order) if order else say("run, in order"), unit="")
        if order is not None:
            values = frames.values(data, order)
            names = tuple(called(str(values[row])) for row in own.rows)
            x = replace(x, order=names, column=order)
    low, high = own.values.min(), own.values.max()
    ends = [end for one in levels for end in (one.low, one.high, one.value) if end is not None]
    return Spec(
        "lines",
        tuple(rows),
        x,
        Axis(
            words.going(words.wording(own.metric.name), data),
            own.metric.unit,
            own.metric.name,
            bare=words.wording(own.metric.name),
            log=False,
            ends=_zoomed(min(float(low), *ends), max(float(high), *ends)),
        ),
        levels=tuple(levels),
        limits=_cuts(levels),
        notes=(
            listed([say("thick line: level"), *_said_band(told)], "; "),
            *frames.distinct(map(_said, told)),
        ),
        how=frozenset({"steps", "thin"} if sampled else {"points alone"}),
    )


def _cuts(levels: Sequence[Level]) -> tuple[Limit, ...]:
    """Mark where a new level begins."""
    return tuple(Limit(level.begin, axis="x") for level in levels[1:])


def _levels_of(shifts: Any, series: Series) -> list[dict[str, Any]]:
    """Return the rows of the answer, if it is about this sequence."""
    found = records(answered(shifts, _STEPS, "the answer of shifts()", ""))
    for level in found:
        values = series.values[level["start"] - 1 :][: level["n"]]
        # runs have the geometric mean, samples the arithmetic one
        inside = len(values) == level["n"] and (
            values.min() * (1 - _TOLERANCE) <= level["center"] <= values.max() * (1 + _TOLERANCE)
        )
        if level["metric"] != series.metric.name or not inside:
            raise SchemaError(_OTHERS)
    if sum(level["n"] for level in found) != len(series.values):
        raise SchemaError("shifts= is about a longer or a shorter sequence")
    return found


def _level(level: Mapping[str, Any], left: float, right: float, text: str) -> Level:
    """Return a level with the interval of its step."""
    low = high = None
    if level["ratio_lo"] is not None:
        before = level["center"] / level["ratio"]
        low, high = before * level["ratio_lo"], before * level["ratio_hi"]
    return Level(left, right, level["center"], low, high, text)


def _said_band(levels: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say what the bands about levels are; nothing if there is none."""
    found = frames.distinct(level["confidence"] for level in levels)
    if not found:
        return []
    interval = say("{confidence} interval", confidence=words.percent(found[0]))
    return [say("band: {interval} of its step", interval=interval)]


def _said(level: Mapping[str, Any]) -> str | None:
    """Say the verdict of a level."""
    told = {one.code: one.values for one in flags_of(level["flags"], level["details"])}
    verdict = level["verdict"]
    if verdict in ("step up", "step down") and "by-chance" in told:
        return say(_BY_CHANCE[verdict])
    return say(_FEW[verdict], **told["of-needed"]) if verdict in _FEW else verdict and say(verdict)


def _step(level: Mapping[str, Any]) -> str:
    """Write the ratio of a step with its interval."""
    return words.bracketed(
        f"×{units.human(level['ratio'], '')}", level["ratio_lo"], level["ratio_hi"]
    )


def _zoomed(low: float, high: float) -> tuple[float, float]:
    """Return the ends of an axis about runs: it spans at least a tenth of their middle."""
    middle = (low + high) / 2
    half = max((high - low) / 2, _SPAN / 2 * abs(middle)) * 1.15 or 1
    return max(0.0, middle - half) if low >= 0 else middle - half, middle + half


def _followed(data: Any, asked: Arguments) -> Any:
    """Take the runs of the metric, and the order of what they follow."""
    table = of_table(None)(data, asked)
    if isinstance(data, Results):
        roles.ordered(table, asked, "x")
    return table


@kind(_followed)
def history(
    frame: Any,
    metric: str | None = None,
    *,
    x: str | None = None,
    shifts: Any = None,
    order: Sequence[Any] | None = None,
) -> Spec:
    """Draw a metric by commit, date or any other label that runs follow, with its steps.

    Every run is a point, and a line goes through the median of each commit. Thick lines are the
    levels between the change points that `fiotools.shifts` finds; a band is the interval of a step
    about its new level. The name of a step is the commit or date at which its level starts. The
    axis is zoomed to the runs; it spans at least 10 % of their median.

    Parameters
    ----------
    frame : Results, pandas.DataFrame or polars.DataFrame
        One row per run.
    metric : str
        The column to draw.
    x : str, optional
        The column that runs follow; without it ``started_at`` or ``reported_at``. Dates lie on an
        axis of time, anything else at equal steps: numbers by size; texts by ``started_at`` or
        ``reported_at`` if the frame has them, else by their numbers if they differ in these alone,
        else as they come.
    shifts : pandas or polars frame, optional
        The answer of `fiotools.shifts` for these runs, with ``order=x`` and ``by``. Without it, the
        steps are those of the medians.
    order : sequence, optional
        The values of `x` from left to right.
    by, without, title, ax
        As in `repeats`.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        If nothing orders the runs, or `shifts` is about another metric or other values of `x`; and
        what `summarize` refuses.

    Examples
    --------
    >>> import pandas as pd
    >>> import fiotools as ft
    >>> runs = pd.DataFrame({
    ...     "commit": ["c0ffee", "badc0d", "5eed00", "fa11ed", "ab1e5a"],
    ...     "iops": [8916, 9037, 8910, 5814, 5703],
    ... })
    >>> ax = ft.plot.history(runs, "iops", x="commit")
    >>> ft.plot.spec("history", runs, "iops", x="commit").levels[1].text
    'fa11ed: ×0.643 [0.602, 0.687]'
    """
    if metric is None:
        raise SchemaError(f"name the column to draw, {argument('metric')}")
    table = opened(frame, metric, x)
    values_of(table, metric)
    axis = _Sequence(table, x, order)
    kept = [row for row, one in enumerate(axis.values(table)) if one in axis.places]
    table = table[kept]
    told = frames.opened(summarize(table.to_native(), metric, by=[axis.name]))
    levels = _found(told, metric, axis) if shifts is None else _given(shifts, metric, axis)
    runs: dict[float, list[float]] = {}
    for place, value in axis.points(table, metric):
        runs.setdefault(place, []).append(value)
    rows = [
        Row(place, value, points=tuple(runs[place]) if len(runs[place]) > 1 else ())
        for place, value in sorted(axis.points(told, "median"))
    ]
    starts = [axis.ends[0], *(axis.before(level["at"]) for level in levels[1:]), axis.ends[1]]
    bars = []
    for level, (left, right) in zip(levels, pairwise(starts), strict=True):
        text = ""
        if level["ratio"] is not None:
            text = say("{name}: {text}", name=axis.named(level["at"]), text=_step(level))
        bars.append(_level(level, left, right, text))
    reach = [value for own in runs.values() for value in own]
    reach += [end for bar in bars for end in (bar.value, bar.low, bar.high) if end is not None]
    several = any(len(own) > 1 for own in runs.values())
    notes = [
        say("points: runs"),
        *([say("thin line: median")] if several else []),
        say("thick line: level"),
        *_said_band(levels),
    ]
    what = say("time of the run") if axis.name in _TIMES else words.condition(axis.name)
    names = None if axis.is_time else tuple(called(str(value)) for value in axis.places)
    return Spec(
        "lines",
        tuple(rows),
        Axis(
            what, "date" if axis.is_time else "", axis.name, order=names, ends=axis.ends, log=False
        ),
        Axis(
            words.going(words.wording(metric, short=True), table, axis.name),
            words.unit(metric),
            metric,
            bare=words.wording(metric, short=True),
            log=False,
            ends=_zoomed(min(reach), max(reach)),
        ),
        levels=tuple(bars),
        limits=_cuts(bars),
        notes=tuple(
            filter(None, (listed(notes, "; "), listed(frames.distinct(map(_said, levels)), "; ")))
        ),
        how=frozenset({"thin runs"}),
    )


class _Sequence:
    """The values that runs follow, in order, and the place of each on the axis."""

    def __init__(self, table: Frame, name: str | None, order: Sequence[Any] | None) -> None:
        times = frames.present(table, _TIMES)
        full = (one for one in times if None not in frames.values(table, one))
        self.name = name or next(full, "")
        if not self.name:
            raise SchemaError(f"no column orders the runs: name a commit or date, {argument('x')}")
        found = frames.complete(table, self.name)
        self.is_time = all(isinstance(value, date) for value in found)
        ordered = in_order(found, order) if order else _in_order(table, self.name, found)
        spots: Sequence[float] = range(1, len(ordered) + 1)
        if self.is_time:
            spots = [float(_DATES.date2num(value)) for value in ordered]
        self.places: dict[Any, float] = dict(zip(ordered, spots, strict=True))
        first, last = min(spots), max(spots)
        room = 0.02 * (last - first) or 0.5 if self.is_time else 0.5
        self.ends = first - room, last + room

    def values(self, table: Frame) -> list[Any]:
        return frames.values(table, self.name)

    def points(self, table: Frame, column: str) -> list[tuple[float, float]]:
        """Return the place and the number of each row that has one."""
        ys = frames.numbers(table, column)
        rows = zip(self.values(table), ys, strict=True)
        return [(self.places[value], y) for value, y in rows if y is not None]

    def before(self, value: Any) -> float:
        """Return the middle between a value and the one before it."""
        there = sorted(self.places.values())
        at = there.index(self.places[value])
        return (there[at - 1] + there[at]) / 2 if at else self.ends[0]

    def named(self, value: Any) -> str:
        """Name a value beside its step."""
        if self.is_time:
            return words.day(self.places[value], self.ends)
        return called(str(value)) if isinstance(value, str) else units.level(value, self.name)


def _in_order(table: Frame, name: str, found: Sequence[Any]) -> list[Any]:
    """Sort values as the runs were made, as far as anything tells."""
    distinct = frames.ordered(found)
    if not all(isinstance(value, str) for value in distinct):
        return sorted(distinct)
    when = None if name in _TIMES else clock_of(Columns(table))
    if when is not None:
        first: dict[Any, int] = {}
        for value, moment in zip(found, when.tolist(), strict=True):
            first[value] = min(moment, first.get(value, moment))
        return sorted(distinct, key=first.__getitem__)
    if (keys := sequence(distinct)) is not None:
        return [value for _, value in sorted(zip(keys, distinct, strict=True))]
    return distinct


def _found(middles: Frame, metric: str, axis: _Sequence) -> list[Mapping[str, Any]]:
    """Find the levels of the medians; a level starts at a value of the axis."""
    pairs = zip(axis.values(middles), frames.values(middles, "median"), strict=True)
    own = sorted(pairs, key=lambda one: axis.places[one[0]])
    data = pl.DataFrame({"place": range(len(own)), metric: [median for _, median in own]})
    answer = find_shifts(data, metric, order="place")
    return [{**level, "at": own[level["place"]][0]} for level in answer.to_dicts()]


def _given(shifts: Any, metric: str, axis: _Sequence) -> list[Mapping[str, Any]]:
    """Return the levels as `fiotools.shifts` found them."""
    give = f"; call shifts() with the order {axis.name!r}"
    table = answered(shifts, [*_STEPS, axis.name], "the answer of shifts()", give)
    found = records(table)
    if not found or any(
        level["metric"] != metric or level[axis.name] not in axis.places for level in found
    ):
        raise SchemaError(_OTHERS)
    return [{**level, "at": level[axis.name]} for level in found]
