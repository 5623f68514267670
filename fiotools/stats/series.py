"""Series of samples or runs: from rows to a rate in each interval, however the tool counted.

What a sample stands for depends on its quantity:

* ``iops``, ``bw_bytes_per_s``, latencies and all else: a value of the time since the sample
  before (fio's logs with ``log_avg_msec``, DISKSPD's buckets). It weighs as much as that time.
  fio writes no window without I/O: if the time since the sample before is twice the shortest or
  more, a rate is that of its last part, and the others are 0.
* The same from `window`, with ``span_s``: a value of so much of the time since the window before.
* ``io_bytes``, ``total_ios``: the work since the start, in fio's ``--status-interval`` and
  dd's progress. The rate of an interval is the difference between two reports over the time between
  them; a report that comes right after another one (the final one often does) takes its place.
* ``count``: I/Os since the sample before (fio's histogram logs, its IOPS logs of single I/Os).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from narwhals.typing import IntoDataFrameT

from fiotools.errors import SchemaError, argument
from fiotools.stats import frames
from fiotools.stats.columns import Codes, Columns
from fiotools.stats.frames import AMOUNTS, Array, Frame, Metric, is_number, metric_of
from fiotools.stats.order import clock_of, places_of
from fiotools.stats.replicates import checked, one_row_each, run_keys, run_name, runs_of
from fiotools.stats.windows import BANDWIDTHS, IOPS, SOON, SUMS, TICK, lengths, window
from fiotools.vocabulary import KEYS

# the rate that each quantity gives
_RATE_OF = {amount: rate for rate, amount in AMOUNTS.items()} | {"count": "iops"}
RATES = _RATE_OF | dict.fromkeys(IOPS, "iops") | dict.fromkeys(BANDWIDTHS, "bw_bytes_per_s")
_MOST = 10_000_000  # rounds: beyond, round_s is a slip
_EQUAL = 0.1  # intervals that differ by less are equal
# Windows may not follow each other if, from so many intervals on, more than this share of them
# is off the multiples of the usual one, and of the shortest, by this part of it.
_FEW, _OFTEN, _OFF = 5, 0.25, 0.2
_OF_WINDOWS = ("iops", "bw_bytes_per_s", "mean", "value_ns")
# which of several logs of a job tells how many I/Os there were
_COUNTING = ("lat_ns", "clat_ns", "slat_ns", "count", "bw_bytes_per_s", "iops")


@dataclass
class Series:
    """One series, in order of time.

    `bounds` are what `done` may be besides: if windows are as short as the shortest time between
    two samples suggests, and nothing was done between them; if gaps are samples that came late.
    """

    rows: list[int]
    quantity: str | None
    metric: Metric  # of `values`: for amounts, their rate
    values: Array
    widths: Array  # how long each interval was [s]; 1 each if times are unknown
    timed: bool
    start: float = 0.0  # of the first interval [s]
    single: bool = False  # a row is one I/O, not an interval: only rounds of them are judged
    complete: bool = False  # each I/O was logged: outside its intervals there was none
    bounds: tuple[float, float] | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def span(self) -> float:
        """Seconds that the samples stand for."""
        return float(self.widths.sum())

    @property
    def done(self) -> float:
        """What a rate comes to over its intervals: I/Os, or bytes."""
        return float(self.values @ self.widths)

    def in_rounds(self, seconds: float) -> Series:
        """Make samples of this length; the rest at the end is left out."""
        if not self.timed:
            raise SchemaError("round_s needs times, and the samples have none (time_s)")
        usual = float(np.median(self.widths))
        if not self.single and seconds < usual * (1 - _EQUAL):
            raise SchemaError(
                f"{argument('round_s', seconds)} is less than one sample, {usual:g} s"
            )
        count = int(self.span / seconds * (1 + 1e-9))
        if count > _MOST:
            raise SchemaError(
                f"{argument('round_s', seconds)} makes {count:,} rounds: take longer ones"
            )
        if self.single and self.quantity != "count":
            found, notes = self._means_of_singles(seconds, count)
        else:
            edges = np.arange(count + 1, dtype=np.float64) * seconds
            found, notes = portions(self.values, self.widths, edges), []
        widths = np.full(len(found), seconds)
        notes = [*self.notes, *notes]
        return replace(self, values=found, widths=widths, single=False, notes=notes)

    def _means_of_singles(self, seconds: float, count: int) -> tuple[Array, list[str]]:
        """Average I/Os, each weighing the same, over the rounds in which they ended."""
        if self.metric.unit == "B/s":
            raise SchemaError("single I/Os do not give the bandwidth of a round: log the IOPS")
        place = np.ceil(np.cumsum(self.widths) / seconds - 1e-9).astype(int) - 1
        place = np.maximum(place, 0)  # I/Os that ended at time 0
        within = place < count
        ios = np.bincount(place[within], minlength=count)
        sums = np.bincount(place[within], weights=self.values[within], minlength=count)
        empty = int(np.sum(ios == 0))
        notes = [f"{empty} of {count} rounds without I/O left out"] if empty else []
        return np.asarray(sums[ios > 0] / ios[ios > 0], dtype=np.float64), notes


def weighted_mean(values: Array, widths: Array) -> float:
    """Weight each sample by the time that it stands for."""
    return float(values @ widths / widths.sum())


def portions(values: Array, widths: Array, edges: Array) -> Array:
    """Give the mean between each two edges in time, cutting samples that lie across one."""
    ends = np.concatenate([[0.0], np.cumsum(widths)])
    sums = np.concatenate([[0.0], np.cumsum(values * widths)])
    return np.asarray(np.diff(np.interp(edges, ends, sums)) / np.diff(edges), dtype=np.float64)


def series_of(data: Frame, quantity: str | None, by: Sequence[str]) -> list[Series]:
    """Split samples by run, entry, direction, quantity and the columns of `by`."""
    frames.need(data, [*by, "value"])
    said = frames.values(data, "quantity") if "quantity" in data.columns else [quantity] * len(data)
    chosen = [row for row, name in enumerate(said) if quantity in (None, name)]
    if not chosen:
        raise SchemaError(
            f"no sample of {quantity!r}; there are: {', '.join(map(str, frames.distinct(said)))}"
        )
    data = data[chosen]
    samples = checked(Columns(data), "value", positive=False)
    times = frames.numbers(data, "time_s") if "time_s" in data.columns else [None] * len(data)
    sizes, spans = frames.optional(data, "bs_bytes"), frames.optional(data, "span_s")
    counted = frames.optional(data, "io_bytes")
    apart = frames.present(data, [*by, *KEYS, "quantity"])
    called, keys = frames.columns(data, ("entry", "direction", "quantity")), run_keys(data)
    found = []
    for rows in frames.groups(data, apart).values():
        which = _name(keys[rows[0]], {key: told[rows[0]] for key, told in called.items()})
        own = samples[rows]
        if float(own.min()) < 0:
            row = chosen[rows[int(own.argmin())]]
            raise SchemaError(f"value is {own.min():g} in row {row}: it cannot be below 0")
        name = said[chosen[rows[0]]]
        single = name not in SUMS and any(sizes[row] is not None for row in rows)
        if name == "count":  # a histogram log has sizes too, of the I/O that ended the interval
            single = bool((own == 1).all())
        clock = _clock([times[row] for row in rows], which)
        notes = []
        if clock is not None:
            steps = np.diff(clock)
            apart_in_time = not (single or name in _RATE_OF)
            if apart_in_time and len(steps) > 1 and steps[-1] == 0 < steps[:-1].min():
                # fio may end its log with a window that it had just begun
                own, clock, steps = own[:-1], clock[:-1], steps[:-1]
                notes.append("the last sample ends with the one before: left out")
            if (steps < 0).any() or (apart_in_time and (steps == 0).any()):
                why = _why_mixed(data, rows)
                raise SchemaError(f"times do not rise in {which}: {why}")
        metric = metric_of(_RATE_OF.get(name or "", str(name or "value")))
        mine = [chosen[row] for row in rows]
        lengths = [spans[row] for row in rows]
        complete = None not in (lengths[0], counted[rows[0]])
        series = Series(mine, name, metric, own, np.ones(len(own)), timed=False, complete=complete)
        found.append(_timed(series, clock, lengths, which, single=single))
        found[-1].notes += notes
    return found


def _clock(moments: list[float | None], which: str) -> Array | None:
    """Give the times of a series, or None if none is known."""
    if all(moment is None for moment in moments):
        return None
    if None in moments:
        raise SchemaError(f"time_s is missing in some samples of {which}: leave them out")
    clock = np.array(moments, dtype=np.float64)
    if not (np.isfinite(clock) & (clock >= 0)).all():
        raise SchemaError(f"time_s is below 0 or infinite in {which}")
    return clock


def _timed(
    series: Series, clock: Array | None, spans: list[Any], which: str, *, single: bool
) -> Series:
    """Say how long each sample stands for, by what its quantity counts."""
    if clock is not None and spans[0] is not None:
        return _of_windows(series, clock, np.array(spans, dtype=np.float64))
    if series.quantity in _RATE_OF:
        return _of_amounts(series, clock, which, single=single)
    if clock is None:
        return series
    if not (single or clock[-1]):
        why = "the only sample is at time 0: how long it stands for is unknown"
        return replace(series, notes=[why])
    series = replace(series, widths=np.diff(clock, prepend=0.0), timed=True, single=single)
    return series if single else _intervals(series)


def _of_windows(series: Series, clock: Array, spans: Array) -> Series:
    """Take windows; the first and the last may be short."""
    own, name = series.values, series.quantity
    steps = np.diff(clock, prepend=clock[0] - spans[0])
    widths = np.where(np.abs(steps - spans) < TICK / 2, spans, steps)
    if name in RATES:  # between windows nothing was done
        own = np.where(spans < (1 - _EQUAL) * widths, own * spans / widths, own)
    start, metric = float(clock[-1] - widths.sum()), metric_of(str(name or "value"))
    return replace(series, metric=metric, values=own, widths=widths, timed=True, start=start)


def _of_amounts(series: Series, clock: Array | None, which: str, *, single: bool) -> Series:
    """Make rates of work: since the start of the run, or since the sample before."""
    own, name = series.values, series.quantity
    if clock is None:
        raise SchemaError(f"{name} of {which} has no times (time_s), so no rate")
    notes, start = [], 0.0
    if name == "count":
        if not single and len(clock) > 2 and clock[0] < SOON * float(np.median(np.diff(clock))):
            notes = ["the first sample ends where the times begin: left out"]
            start, own, clock = float(clock[0]), own[1:], clock[1:] - clock[0]
        own = np.cumsum(own)
    elif (np.diff(own) < 0).any():
        raise SchemaError(
            f"{name} counts from the start of the run, but falls in {which}: is it one run?"
        )
    if single and not clock[-1]:  # all within the first tick
        clock = np.full(len(clock), TICK)
    rates, widths = _differences(own, clock)
    if not len(rates):
        raise SchemaError(f"{which} has no report of {name} after time 0")
    notes += [] if single else _uneven(widths)
    series = replace(series, values=rates, widths=widths, timed=True, start=start, notes=notes)
    return replace(series, single=single, complete=single)


def _differences(sums: Array, clock: Array) -> tuple[Array, Array]:
    """Give the rates between reports of the work since the start, and their times."""
    steps = np.diff(clock, prepend=0.0)
    usual = float(np.median(steps))
    ends: list[int] = []
    last = 0.0
    for place, moment in enumerate(clock.tolist()):
        # a report that comes sooner takes the place of the one before
        if moment - last > SOON * usual or (not ends and moment > 0):
            ends.append(place)
            last = moment
        elif place == len(clock) - 1 and ends:
            ends[-1] = place
    times, done = clock[ends], sums[ends]
    widths = np.diff(times, prepend=0.0)
    return np.diff(done, prepend=0.0) / widths, widths


def _intervals(series: Series) -> Series:
    """Say how long the first interval was, and in which gaps nothing was done."""
    values, widths = series.values, series.widths.copy()
    if len(widths) < 2:
        return series
    gaps = series.quantity in RATES
    steps = pl.DataFrame({"step": widths[1:]})
    usual, late = steps.select(lengths(pl.col("step"), pl.lit(gaps))).row(0)
    notes, start, shortest = [], 0.0, float(widths[widths > 0].min())
    # a log may begin late, or count from its own first sample
    if not SOON * usual <= widths[0] <= late:
        notes = [f"the first sample, at {widths[0]:.4g} s, is taken to be as long as the others"]
        start, widths[0] = float(widths[0]) - usual, usual
    bounds = None
    if gaps:
        most = float(values @ widths)
        times = np.where(widths >= late, np.round(widths / usual), 1).astype(int)
        if times.sum() > _MOST:
            raise SchemaError(f"{widths.max():g} s lie between two samples: leave one part out")
        idle = widths * (1 - 1 / times)
        windows = widths - idle
        if shortest * 1.5 < usual:  # which may have come late itself, by up to a window
            windows = np.minimum(windows, shortest / 2)
        bounds = float(values @ windows), most
        if idle.any():
            idle_s = f"{idle.sum():.3g} s between samples"
            notes.append(f"{idle_s} count as time without I/O, which fio does not write")
            values, widths = np.repeat(values, times), np.repeat(widths / times, times)
            values[np.setdiff1d(np.arange(len(values)), np.cumsum(times) - 1)] = 0.0
        notes += _sparse(series.values, series.widths[1:-1])
    notes += _uneven(widths)
    return replace(series, values=values, widths=widths, start=start, bounds=bounds, notes=notes)


def _sparse(values: Array, steps: Array) -> list[str]:
    """Warn if no two windows may follow each other: idle time then counts as busy."""
    if len(steps) < _FEW:
        return []
    for usual in (np.median(steps), steps.min()):
        multiples = steps / usual
        off = np.abs(multiples - np.maximum(np.round(multiples), 1)) >= _OFF
        if off.mean() <= _OFTEN:
            return []
    for parts in range(2, 11):
        counts = np.round(steps / steps.min() * parts)
        length = float(steps.sum() / counts.sum())
        if length >= 100 * TICK and (np.abs(steps - counts * length) <= 3 * TICK).all():
            mean = float(values[1:-1].sum() * length / steps.sum())
            return [
                f"all times are multiples of {length:.3g} s: if that was the window, nothing was "
                f"done between samples, and the mean is {mean:.4g}"
            ]
    return [
        f"the intervals are not multiples of one length: if windows were shorter than "
        f"{steps.min():.3g} s, nothing was done between samples, and the mean is too high"
    ]


def _uneven(widths: Array) -> list[str]:
    if equal(widths):
        return []
    return [f"intervals from {widths.min():.3g} to {widths.max():.3g} s: weighted by time"]


def equal(widths: Array) -> bool:
    """Say whether intervals are as good as equal."""
    usual = float(np.median(widths))
    return bool((np.abs(widths - usual) <= _EQUAL * usual).all())


def _name(run: tuple[Any, ...], told: Mapping[str, Any]) -> str:
    parts = [run_name(run) if len(run) == 2 else "the series"]
    if told.get("entry") is not None:
        parts.append(f"entry {told['entry']}")
    parts += [str(told[name]) for name in ("direction", "quantity") if told.get(name) is not None]
    return ", ".join(parts)


def _why_mixed(data: Frame, rows: Sequence[int]) -> str:
    """Say how to tell samples of several series apart."""
    lists: dict[str, list[Any]] = frames.columns(
        data, [name for name in data.columns if name not in ("time_s", "value", "offset_bytes")]
    )
    told = [name for name in frames.differing(lists, rows) if name not in ("bs_bytes", "prio")]
    if told:
        return (
            f"several series? name the column that differs in {argument('by')} ({', '.join(told)})"
        )
    times = frames.values(data, "time_s")
    if len({times[row] for row in rows}) == len(rows):
        return "sort the rows by 'time_s'; or do they mix several jobs, runs or scopes?"
    return "the rows mix several jobs, runs or scopes: keep one of them"


def as_samples(frame: Any, name: str | None) -> Any:
    """Take a column of windows for samples of their ``span_s``; any other frame stays as it is."""
    if not _is_windows(frame):
        return frame
    if name not in _OF_WINDOWS:
        named = ", ".join(_OF_WINDOWS)
        raise SchemaError(f"windows have several columns: quantity= is one of {named}")
    data = frames.opened(frame, [name])
    return _samples(data, range(len(data)), {name: frames.values(data, name)})


def as_rates(frame: Any) -> Any:
    """Take the rates of windows, or of a lazy log, for samples; any other frame stays as it is."""
    if isinstance(frame, pl.LazyFrame):
        log, is_windows = frame, _is_windows(frame)
        frame = (log if is_windows else window(log, "1s")).collect(engine="streaming")
        if not is_windows and frame["io_bytes"].null_count() == len(frame):
            return log.collect(engine="streaming")  # an averaged log, which is short
    if not _is_windows(frame):
        return frame
    data = frames.opened(frame)
    told, percentile = frames.optional(data, "quantity"), frames.optional(data, "percentile")
    rows = []
    for own in frames.groups(data, _apart(data)).values():
        # one log of the same I/Os, and one percentile of a window
        there = [told[row] for row in own]
        chosen = next((name for name in _COUNTING if name in there), there[0])
        least = percentile[own[0]]
        rows += [row for row in own if told[row] == chosen and percentile[row] == least]
    spans, moved = frames.values(data, "span_s"), frames.optional(data, "io_bytes")
    rates = {
        rate: [
            shown if bytes_ is None else amount / span
            for shown, bytes_, amount, span in zip(
                frames.values(data, rate), moved, frames.values(data, of), spans, strict=True
            )
        ]
        for rate, of in (("iops", "n"), ("bw_bytes_per_s", "io_bytes"))
    }
    return _samples(data, rows, rates)


def _is_windows(frame: Any) -> bool:
    lazy = isinstance(frame, pl.LazyFrame)
    names = set(frame.collect_schema() if lazy else getattr(frame, "columns", ()))
    return {"interval_s", "span_s", "coverage_pct"} <= names and "value" not in names


def _apart(data: Frame) -> list[str]:
    """Name the columns that tell logs apart."""
    names = data.columns[: data.columns.index("time_s")]
    return [name for name in names if name not in ("direction", "quantity")]


def _samples(data: Frame, rows: Sequence[int], columns: Mapping[str, Sequence[Any]]) -> Any:
    """Make samples; those of the last windows of a log end with it."""
    ends, widths, spans = (frames.values(data, name) for name in ("time_s", "interval_s", "span_s"))
    quantities = frames.optional(data, "quantity")  # windows of bins have a latency
    moved = frames.optional(data, "io_bytes")
    for own in frames.groups(data, _apart(data)).values():
        last = max(ends[row] for row in own)
        for row in own:
            if ends[row] == last:
                ends[row] -= max(widths[row] - spans[row], 0.0)
    picked = [(row, name) for name in columns for row in rows if columns[name][row] is not None]
    if not picked:
        raise SchemaError(f"the windows have no {' and no '.join(columns)}")
    lines = [
        {
            "row": row,
            "quantity": name if name in _RATE_OF.values() else quantities[row] or "clat_ns",
            "time_s": round(ends[row], 9),
            "value": columns[name][row],
            "span_s": spans[row],
            "io_bytes": moved[row],
        }
        for row, name in picked
    ]
    keep = frames.present(data, (*_apart(data), "direction", "percentile"))
    return frames.answer(data, ("quantity", "time_s", "value", "span_s", "io_bytes"), keep, lines)


Taken = tuple[nw.DataFrame[IntoDataFrameT], list[Series], list[str]]


def sequences(
    frame: IntoDataFrameT,
    quantity: str | None,
    by: Sequence[str],
    round_s: float | None = None,
    order: str | None = None,
) -> Taken[IntoDataFrameT]:
    """Take samples, or rows that are runs, for sequences, which `by` tells apart.

    Runs follow the column `order`, else ``started_at``, ``reported_at`` or the rows. Returned are
    the rows that count, the sequences, and the columns that tell them apart.
    """
    if round_s is not None and not (is_number(round_s) and 0 < round_s < inf):
        raise SchemaError(f"round_s is {round_s!r}: it is in seconds and above 0")
    data: nw.DataFrame[IntoDataFrameT] = frames.opened(as_samples(frame, quantity))
    if "value" not in data.columns:
        return _runs(data, quantity, by, round_s, order)
    if order is not None:
        raise SchemaError(f"samples are in order of time: leave out {argument('order')}")
    several = series_of(data, quantity, by)
    if round_s is not None:
        several = [series.in_rounds(round_s) for series in several]
    for series in several:
        if series.single:
            why = f"one I/O each: {argument('round_s', 1)} makes rounds of a second of them"
            raise SchemaError(f"the rows of {series.quantity or 'the series'} are {why}")
    return data, several, frames.present(data, [*by, *KEYS, "quantity"])


def _runs(
    data: nw.DataFrame[IntoDataFrameT],
    quantity: str | None,
    by: Sequence[str],
    round_s: float | None,
    order: str | None,
) -> Taken[IntoDataFrameT]:
    if quantity is None:
        raise SchemaError("the frame has no column 'value': name the column to judge")
    if round_s is not None:
        raise SchemaError("round_s makes rounds of samples, but here each run is a round")
    runs = runs_of(data, quantity, [*by, order] if order else by)
    columns = runs.columns
    clock = _clock_of_runs(columns, order)
    found = []
    for rows in columns.groups(by):
        # phases of one fio run may be rounds, which its jobs and threads are not
        one_row_each(columns, rows, "group")
        placed = rows if clock is None else rows[np.argsort(clock[rows], kind="stable")]
        own = runs.numbers[placed]
        if float(own.min()) < 0:
            raise SchemaError(f"{quantity} is below 0 in row {placed[int(own.argmin())]}")
        widths = np.ones(len(own))
        found.append(
            Series(placed.tolist(), quantity, metric_of(quantity), own, widths, timed=False)
        )
    return runs.data, found, list(by)


def _clock_of_runs(columns: Columns[Any], order: str | None) -> Codes | None:
    """Rank the runs by a column, or by their times; None if nothing tells when they were."""
    if order is None:
        return clock_of(columns)
    frames.refuse_gaps(columns.data, order, int((~columns.known(order)).sum()))
    found = places_of(columns, order).of(columns.every)
    if found is None:
        raise SchemaError(
            f"the values of {order!r} do not tell which run came first: {argument('order')} takes "
            "numbers, times from the year down, or texts that differ in their numbers alone; "
            "without it, runs are in the order of their times, or of the rows"
        )
    return found
