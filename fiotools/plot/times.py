"""A quantity over time: samples, and the rounds that `steady` judged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fiotools import units
from fiotools.errors import SchemaError, argument, typed, warn
from fiotools.flags import flags_of
from fiotools.plot import words
from fiotools.plot.kind import (
    Arguments,
    answered,
    kind,
    of_table,
    opened,
    records,
    refuse_several,
)
from fiotools.plot.latencies import APART
from fiotools.plot.spec import Axis, Level, Limit, Row, Spec, in_order
from fiotools.plot.words import say
from fiotools.stats import frames
from fiotools.stats.frames import Frame
from fiotools.stats.replicates import labels
from fiotools.stats.series import RATES, Series, as_samples, portions, series_of, weighted_mean
from fiotools.stats.steady import RANGE_PCT, RISE_PCT
from fiotools.stats.steady import steady as ask_steady
from fiotools.tables.results import Results
from fiotools.vocabulary import KEYS, STATISTICS

_JUDGED = (
    *("metric", "n", "interval_s", "mean", "mean_lo", "mean_hi", "confidence", "method"),
    *("rounds", "first_round", "last_round", "cut", "window_mean", "met", "flags", "details"),
    *("range_pct", "rise_pct", "drift_pct"),
)
_VALUED = 6  # rounds whose means are written
_LONG = 60  # samples: from there on a line is thin
_CELLS = 200  # over time
_BW_LOG = "fio --write_bw_log=x --log_avg_msec=1000 --per_job_logs=1"
_TO_LOG = f"use DISKSPD -D1000, or {_BW_LOG}"
_ABOUT = ("entry", "direction", "job", "source")  # columns that tell series of results apart


def _sampled(data: Any, asked: Arguments) -> Any:
    """Take the samples of results, of one quantity, and what tells their series apart."""
    if not isinstance(data, Results):
        return data
    native = of_table("samples")(data, asked)
    table = frames.opened(native)
    is_written = asked.get("x") == "written"
    wanted = _wanted(table, asked, "bw_bytes_per_s" if is_written else "iops")
    table = _of(_writes(table, wanted) if is_written else table, wanted)
    names = [one for one in (*data.labels, *_ABOUT) if one not in asked["by"]]
    differ = frames.differing(frames.columns(table, frames.present(table, names)))
    if asked.get("hue") is None:
        asked["hue"] = differ[0] if differ else None
    if "direction" in differ and asked["hue"] != "direction":
        asked["by"] = [*asked["by"], "direction"]
    return table.to_native()


def _wanted(table: Frame, asked: Arguments, first: str) -> str:
    """Complete the name of a quantity, or take the first that is there, and say so."""
    there = frames.distinct(frames.values(table, "quantity"))
    if asked.get("quantity") is None and len(there) > 1:
        drawn = first if first in there else there[0]
        others = ", ".join(one for one in there if one != drawn)
        warn(f"{drawn} is drawn; {typed('quantity=', '--metric')} draws another: {others}")
    wanted = str(asked.get("quantity") or (first if first in there else there[0]))
    asked["quantity"] = wanted = next((one for one in there if one.startswith(wanted)), wanted)
    return wanted


@kind(_sampled)
def series(
    data: Any,
    quantity: str | None = None,
    *,
    hue: str | None = None,
    order: Sequence[Any] | None = None,
    steady: Any = None,
    round_s: float | None = None,
    x: Literal["time", "written"] = "time",
    log: bool = False,
    points: bool = False,
) -> Spec:
    """Draw a quantity over time, each sample as long as the time that it covers.

    With the answer of `steady`, the samples are thin and grey, and the mean of each round that was
    judged is a short bar with its value. The range allowed to the rounds ends at two named lines,
    and what was found stands in a line above.

    Parameters
    ----------
    data : Results, pandas.DataFrame or polars.DataFrame
        A table such as `Results.samples` or the answer of `window`, with one series, or one for
        each value of ``hue``. Amounts become rates, as in `steady`. Single I/Os are points.
    quantity : str, optional
        Which of the quantities, if there are several; windows have columns: ``iops``,
        ``bw_bytes_per_s``, ``mean`` or ``value_ns``.
    hue : str, optional
        The column that names the curves.
    order : sequence, optional
        The curves, which take their colours in this order.
    steady : bool, or pandas or polars frame, optional
        The answer of `steady` for these samples; True asks for it.
    round_s : float, optional
        The length of rounds [s], as in `steady`, if it is asked.
    x : {"time", "written"}
        Over time, or over the bytes written so far: how fast a drive is after so many gigabytes.
    log : bool
        Whether the axis of the values is logarithmic. A note counts samples of 0, which it lacks.
    points : bool
        Whether each sample is a point instead of a step: shows how much they scatter.
    by, title, palette, ax
        As in `repeats`.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        If one curve had to show several quantities, directions, jobs or runs, or ``steady`` is
        about other samples.

    Examples
    --------
    >>> import fiotools as ft
    >>> log = ft.read("data/how-many-runs/long")  # a run of 300 s
    >>> ax = ft.plot.series(log, "iops", steady=True)
    >>> ft.plot.series.spec(log, "iops", steady=True).said
    'window met: range 8.07 % (≤20 %), fall 0.275 % (≤10 %), drift 0.0686 %/round'
    """
    if x == "written":
        quantity = quantity or "bw_bytes_per_s"
        data = _writes(opened(data, "quantity"), quantity).to_native()
        if steady is not None:
            raise SchemaError(f"{argument('steady')} is about time, and not what was written")
    elif x != "time":
        raise SchemaError(f"{argument('x', x)} is one of time, written")
    is_percentile = quantity == "value_ns"
    taken = as_samples(data, quantity)
    quantity = None if taken is not data else quantity
    table = _of(opened(taken, hue, "value"), quantity)
    if steady is True:
        steady = ask_steady(table.to_native(), quantity, by=hue, round_s=round_s)
    found = _series_of(table, quantity, hue, order, None if steady is False else steady)
    rows, levels, limits, said = list[Row](), list[Level](), list[Limit](), list[str]()
    for line in found:
        rows += line.rows(edges_of(line.series, x), points=points)
        if line.told:
            levels += line.levels(valued=not hue)
            limits += [] if hue else line.allowed()
            texts = line.words()
            said += [f"{words.named(line.key, hue)}: {one}" for one in texts] if hue else texts
    if not rows:  # rounds of single I/Os
        ends = [(level, end) for level in levels for end in (level.begin, level.end)]
        rows = [Row(end, level.value, group=level.group) for level, end in ends]
    first = found[0]
    notes = said if hue else said[1:]
    if log and (zeros := sum(row.y == 0 for row in rows)):
        rows = [replace(row, y=row.y or None) for row in rows]
        notes = [*notes, say("samples of 0, not on this axis: {n}", n=zeros)]
    is_dense = any(len(line.series.values) > _LONG for line in found)
    how = {"dots"} if first.points or points else {"steps"}
    timed = all(line.series.timed for line in found)
    what = _what(table, found, is_percentile=is_percentile)
    edges = [edges_of(line.series, x) for line in found]
    values = [row.y for row in rows if row.y is not None]
    since = ("written so far", "B") if x == "written" else ("time since the start", "s")
    since = since if timed else ("sample", "")
    return Spec(
        "lines",
        tuple(rows),
        Axis(
            say(since[0]),
            since[1],
            ends=(min(float(one[0]) for one in edges), max(float(one[-1]) for one in edges)),
            log=False,
        ),
        Axis(
            words.going(what, table, hue),
            first.series.metric.unit,
            first.series.metric.name,
            bare=what,
            log=log,
            # little would be left of an axis below the values
            zero=len({*values}) == 1 or min(values) < 0.5 * max(values),
        ),
        hue=hue,
        groups=tuple(line.key for line in found) if hue else (None,),
        limits=tuple(limits),
        levels=tuple(levels),
        said="" if hue or not said else said[0],
        notes=(*notes, *([first.told_of_rounds()] if levels else [])),
        how=frozenset(how | ({"thin"} if levels or (is_dense and not points) else set())),
    )


def _each(data: Any, asked: Arguments) -> Any:
    """Take one rate of threads, or else of the jobs of logs; directions have panels."""
    if not isinstance(data, Results):
        return data
    name = "thread_samples" if data.tables.height("thread_samples") else "samples"
    if not data.tables.height(name):
        raise SchemaError(f"these files do not say what a thread did over time: {_TO_LOG}")
    table = frames.opened(of_table(name)(data, asked))
    table = _of(table, _wanted(table, asked, "iops"))
    names = frames.present(table, [*data.labels, "thread", "entry", "job", "direction"])
    differ = frames.differing(frames.columns(table, names))
    lanes = [one for one in differ if one not in ("direction", *asked["by"])]
    asked["y"] = asked.get("y") or (lanes[0] if lanes else None)
    asked["by"] = [*asked["by"], *({"direction"} & {*differ} - {asked["y"], *asked["by"]})]
    return table.to_native()


@kind(_each)
def threads(
    data: Any,
    quantity: str | None = None,
    *,
    y: str | None = None,
    order: Sequence[Any] | None = None,
) -> Spec:
    """Draw how much each thread, job or machine did over time, with the sums at the edges.

    A row is a thread, and its colour is its rate. The sum over all rows stands above, and what each
    did in the whole time at the right. There are up to 200 cells over time, which cut samples.

    Parameters
    ----------
    data : Results, pandas.DataFrame or polars.DataFrame
        `Results.thread_samples` of DISKSPD's ``-D1000``, or `Results.samples` of the logs of
        several jobs (fio's ``--write_bw_log=x --log_avg_msec=1000 --per_job_logs=1``).
    quantity : str, optional
        A rate, ``iops`` or ``bw_bytes_per_s``, if there are several.
    y : str, optional
        The column that names the rows: a label such as the machine, else the thread or the job.
    order, by, title, palette, ax
        As in `repeats`; `palette` is one of seaborn's, by name.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        If the samples are of one thread, have no times, or are latencies.

    Examples
    --------
    >>> import fiotools as ft
    >>> res = ft.read("tests/fixtures/diskspd/diskspd-2.2--seq64k_t4_D_only.xml")
    >>> ax = ft.plot.threads(res.where("direction=read"))
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['thread 0', 'thread 1', 'thread 2', 'thread 3']
    """
    if y is None:
        raise SchemaError(f"the samples are of one thread or job: {_TO_LOG}")
    table = _of(opened(data, y, "value"), quantity)
    names = frames.complete(table, y)
    refuse_several(table, names, ("quantity", "direction", *labels(table)), "a row", hue=y)
    found = [(names[one.rows[0]], one) for one in series_of(table, quantity, [y])]
    parts = frames.present(table, [y, "entry", "thread", "target", "direction"])
    keys = frames.keys_of(table, parts)
    if len({keys[one.rows[0]] for _, one in found}) < len(found):
        raise SchemaError(f"a row would add up several runs: {argument('by', 'source')}")
    metric = found[0][1].metric
    if metric.unit not in ("1/s", "B/s") or not all(one.timed for _, one in found):
        raise SchemaError(f"sums over threads need rates with times: {_TO_LOG}")
    begin = min(one.start for _, one in found)
    span = max(one.start + one.span for _, one in found) - begin
    usual = max(float(np.median(one.widths)) for _, one in found)
    cuts = np.linspace(0.0, span, min(_CELLS, max(1, round(span / usual))) + 1)
    lanes = in_order(names, order)
    rates = {name: np.zeros(len(cuts) - 1) for name in lanes}
    for name, one in found:
        if name in rates:
            rates[name] += portions(one.values, one.widths, cuts + begin - one.start)
    ends = (cuts + begin).tolist()
    what, each = words.wording(metric.name), words.tick(float(cuts[1]), "s")
    of_all = words.going(what, table)
    return Spec(
        "cells",
        tuple(
            Row(end, name, low, end, value=float(rate))
            for name, own in rates.items()
            for low, end, rate in zip(ends, ends[1:], own, strict=False)
        ),
        Axis(say("time since the start"), "s", "time_s", ends=(ends[0], ends[-1]), log=False),
        Axis(column=y, order=lanes),
        levels=tuple(
            Level(0, 0, done, row=name, text=units.human(done, metric.unit.removesuffix("/s")))
            for name, own in rates.items()
            for done in [float(own @ np.diff(cuts))]
        ),
        notes=(say("above: sum of the rows; right: each in all; a cell: {length}", length=each),),
        how=frozenset({"lanes"}),
        colours=Axis(of_all, metric.unit, metric.name, bare=what, zero=True, log=False),
    )


def _of(table: Frame, quantity: str | None) -> Frame:
    """Keep the rows of one quantity."""
    if quantity is None or "quantity" not in table.columns:
        return table
    found = frames.values(table, "quantity")
    if quantity not in found:
        there = ", ".join(map(str, frames.distinct(found)))
        raise SchemaError(f"no sample of {quantity!r}; there are: {there}")
    return table[[row for row, name in enumerate(found) if name == quantity]]


def _writes(table: Frame, quantity: str) -> Frame:
    """Keep the bandwidth of writes, which tells how much was written so far."""
    names, ways = frames.values(table, "quantity"), frames.optional(table, "direction")
    is_rate = RATES.get(quantity) == "bw_bytes_per_s"
    pairs = enumerate(zip(names, ways, strict=True))
    own = [row for row, (name, way) in pairs if name == quantity and way in ("write", None)]
    if not own or not is_rate:
        raise SchemaError(f"{argument('x', 'written')} needs the bandwidth of writes: {_BW_LOG}")
    return table[own]


def edges_of(own: Series, x: str = "time") -> NDArray[np.float64]:
    """Return where samples begin and where the last ends; without times, the nth is around n.

    A sample is of the time before it: its curve begins at the end of the sample before. Over what
    was ``written``, it is as long as what was written meanwhile.
    """
    if x == "written":
        return np.concatenate([[0.0], np.cumsum(own.values * own.widths)])
    start = own.start if own.timed else own.start + 0.5
    return np.round(start + np.concatenate([[0.0], np.cumsum(own.widths)]), 9)


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
        return say("p{share} of {what}", share=units.percentile(share), what=what)
    return what


def _series_of(
    table: Frame, quantity: str | None, hue: str | None, order: Sequence[Any] | None, steady: Any
) -> list[_Line]:
    """Find the series, one for each name, and the answers about them."""
    names = frames.complete(table, hue) if hue else [None] * len(table)
    apart, answers = list[str](), list[dict[str, Any]]()
    if steady is not None:
        told = answered(steady, _JUDGED, "the answer of steady()")
        apart, answers = told.columns[: told.columns.index("metric")], records(told)
    keys = [name for name in (hue, *apart) if name]
    frames.need(table, keys)
    own_labels = [name for name in labels(table) if name not in STATISTICS]
    # in the order in which people would name them
    apart_in = dict.fromkeys([*APART, *own_labels, *reversed(KEYS), *keys])
    refuse_several(table, names, apart_in, "a line", hue=hue, role="" if hue else "hue")
    found = {names[line.rows[0]]: line for line in series_of(table, quantity, keys)}
    lines = []
    for name in in_order(found, order):
        own = found[name]
        line = _Line(name, own, own)
        if steady is not None:
            where = {one: frames.values(table, one)[own.rows[0]] for one in apart}
            line = _judged(line, answers, {**where, "metric": own.metric.name})
        elif own.single and own.metric.unit != "ns":
            raise SchemaError(
                "the rows are one I/O each: draw rounds of them, "
                + typed("steady=True, round_s=1", "--steady --round 1")
            )
        lines.append(line)
    if len({line.series.metric.unit for line in lines}) > 1:
        raise SchemaError(f"{hue!r} names quantities of several units: draw one at a time")
    return lines


def _judged(line: _Line, answers: Sequence[Mapping[str, Any]], own: Mapping[str, Any]) -> _Line:
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
    return replace(line, rounds=rounds, told=told)


def _rounds(own: Series, told: Mapping[str, Any]) -> Series:
    """Return the rounds that were judged: the samples, or what ``round_s`` made of them."""
    length, found = told["interval_s"], []
    if not own.single:
        found.append(own)
    if own.timed and length is not None and (own.single or length > np.median(own.widths)):
        found.append(own.in_rounds(length))
    for rounds in found:
        same = len(rounds.values) == told["n"]
        if same and math.isclose(weighted_mean(rounds.values, rounds.widths), told["mean"]):
            if own.single and told["n"] < int(own.span / length * (1 + 1e-9)):
                raise SchemaError(
                    "some rounds are without I/O, so the others' places are not known: give a"
                    f" longer {argument('round_s')}"
                )
            return rounds
    raise SchemaError("steady= is about other samples: give steady() those that are drawn")


@dataclass(frozen=True)
class _Line:
    """One series, and the rounds of it that `steady` judged."""

    key: Any
    series: Series
    rounds: Series  # the series itself if no rounds were made of it
    told: Mapping[str, Any] = field(default_factory=dict)  # the answer; empty without one

    @property
    def points(self) -> bool:
        """Whether its rows are single I/Os, each with a latency."""
        return self.series.single and self.series.metric.unit == "ns"

    def rows(self, edges: NDArray[np.float64], *, points: bool = False) -> list[Row]:
        """Return each sample where it begins, the last also where it ends; points between."""
        values = self.series.values
        if self.points:
            pairs = zip(edges[1:], values, strict=True)
        elif points and not self.series.single:
            pairs = zip((edges[1:] + edges[:-1]) / 2, values, strict=True)
        elif self.series.single:
            return []
        else:
            pairs = zip(edges, [*values, values[-1]], strict=True)
        return [Row(float(x), float(y), group=self.key) for x, y in pairs]

    def levels(self, *, valued: bool) -> list[Level]:
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
                group=self.key,
                text=units.human(float(values[at]), unit, like=like) if valued else "",
            )
            for at in range(first, last)
        ]

    def allowed(self) -> list[Limit]:
        """Return both ends of the range that SNIA allows to the rounds about their middle."""
        mean = self.told["window_mean"]
        if mean is None:
            return []
        values = self.rounds.values[self.told["first_round"] - 1 : self.told["last_round"]]
        middle, half = float(values.max() + values.min()) / 2, mean * RANGE_PCT / 200
        ends = (max(0.0, middle - half), middle + half)
        texts = [words.tick(end, self.rounds.metric.unit, ends[1]) for end in ends]
        return [
            Limit(end, text=say(what, limit=text))
            for what, end, text in zip(
                ("allowed from {limit}", "allowed to {limit}"), ends, texts, strict=True
            )
        ]

    def words(self) -> list[str]:
        """Say the verdict with its numbers, and the mean of the whole with its interval."""
        told, unit = self.told, self.rounds.metric.unit
        found = [say("nothing was done in the window")]
        flags = flags_of(told["flags"], told["details"])
        if few := next((one for one in flags if one.code == "of-rounds"), None):
            found = [say("too few rounds: {n} of {of}", **few.values)]
        if told["window_mean"] is not None:
            spread, rise, drift = (
                units.human(abs(told[f"{one}_pct"]), "") for one in ("range", "rise", "drift")
            )
            numbers = (
                f"{say('range')} {spread} % (≤{RANGE_PCT:g} %)",
                f"{say('fall' if told['rise_pct'] < 0 else 'rise')} {rise} % (≤{RISE_PCT:g} %)",
                f"{say('drift')} {drift} %/{say('round')}",
            )
            kinds = {True: "window met", False: "window not met", None: "cannot tell"}
            met = say(kinds[told["met"]])
            found = [f"{met}: {words.listed(numbers)}"]
        if told["mean_lo"] is not None:
            mean, low, high = (
                units.human(told[name], unit, like=told["mean_hi"])
                for name in ("mean", "mean_lo", "mean_hi")
            )
            share = words.percent(told["confidence"])
            text = "mean of the whole: {mean}, {confidence} interval {low} to {high}"
            found.append(say(text, mean=mean, confidence=share, low=low, high=high))
        return found

    def told_of_rounds(self) -> str:
        """Say what the short bars are."""
        if not self.rounds.timed:
            return say("thick: mean of a round")
        each = words.tick(float(np.median(self.rounds.widths)), "s")
        return say("thick: mean of a round of {length}", length=each)
