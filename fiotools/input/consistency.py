"""Whether the numbers of a file fit together: the same checks for every file and tool.

A reader checks printed numbers against those that they follow from; these checks need no knowledge
of the format. A contradiction becomes a note, and the numbers stay as printed. A run that its
reader warns about is skipped, because the reader knows the line. The tolerance is the rounding of
the coarsest format, so that a correct file is never blamed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from fiotools.tables.columns import floats, get
from fiotools.tables.parts import FILE, flat, keys_of, lists, stretches

_SLACK = 0.02
_KINDS = ("slat", "clat", "lat")
_AMOUNTS = ("io_bytes", "total_ios", "runtime_s", "iops", "bw_bytes_per_s")
_NAMES = ("job", "thread", "scope", "entry")  # the first that is there names a row
_CURVE = (FILE, "run", "entry", "direction", "scope", "target", "job", "thread", "latency")
_ROW = (FILE, "run", "entry", "direction")

Problem: TypeAlias = tuple[int, int | None, str]  # file, run, message
Frame: TypeAlias = pl.DataFrame
Tables: TypeAlias = Mapping[str, Frame]
_Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"


def check(tables: Tables) -> list[Problem]:
    """Find what contradicts itself in the tables of some files.

    Returns
    -------
    list of (file, run, message)
        Each once, file after file.
    """
    found: dict[Problem, None] = {}
    with np.errstate(invalid="ignore", over="ignore"):  # missing values are nan: no contradiction
        for table, question in _ASKED:
            rows = tables.get(table)
            if rows is not None and rows.height:
                whole = rows if question is _bins else flat(rows)
                found |= dict.fromkeys(question(whole, tables))
    warned = _warned(tables.get("notes")) if found else set()
    said = [
        (file, run, f"{message}: the numbers are kept as printed")
        for file, run, message in found
        if (file, run) not in warned
    ]
    return sorted(said, key=lambda problem: problem[0])


def _warned(notes: Frame | None) -> set[tuple[int, int | None]]:
    if notes is None or not notes.height:
        return set()
    warnings = notes.filter(pl.col("severity") == "warning")
    return set(zip(warnings[FILE], get(warnings, "run"), strict=True))


def _said(rows: Frame, at: _Array, messages: list[str]) -> Iterator[Problem]:
    """Yield the problem of each row."""
    if not len(at):  # nearly always
        return
    some = rows[at]
    columns = [get(some, name) for name in ("run", "cpu", "direction", *_NAMES)]
    for file, message, run, cpu, direction, *names in zip(
        some[FILE], messages, *columns, strict=True
    ):
        of = next((f"of {value}" for value in names if value), None)
        place = [f"cpu {cpu}"] if "cpu" in rows.columns else filter(None, (direction, of))
        yield file, run, f"{' '.join(place)}: {message}"


def _rates(rows: Frame, _tables: Tables) -> Iterator[Problem]:
    """Ask whether amounts are rates x time, and bytes I/Os x their size."""
    amounts = {name: floats(rows, name) for name in _AMOUNTS}
    moved, ios, time = amounts["io_bytes"], amounts["total_ios"], amounts["runtime_s"]
    iops, bw = amounts["iops"], amounts["bw_bytes_per_s"]
    odd = np.zeros(rows.height, dtype=bool)
    for values in amounts.values():
        odd |= (values < 0) | np.isinf(values)
    # a millisecond, a unit of the rate (KiB/s; fio cuts IOPS to whole ones), one I/O more or less
    bytes_off = (moved != 0) & (
        np.abs(bw * time - moved) > _SLACK * moved + 0.0015 * bw + 1024 * time
    )
    ios_off = (ios != 0) & (np.abs(iops * time - ios) > _SLACK * ios + 0.0015 * iops + time + 1)
    # fio counts bytes when they are sent, I/Os when they are done
    block = floats(rows, "bs_bytes")
    flying = _or_one(rows, "iodepth") * _or_one(rows, "numjobs")
    more = (block != 0) & (moved > (ios + flying) * block * (1 + _SLACK))
    yield from _told(
        rows,
        (odd, "an amount or a rate is negative or infinite"),
        (bytes_off & ~odd, "bytes / s x time is not the io_bytes"),
        (ios_off & ~odd, "I/Os / s x time is not the total_ios"),
        (more & ~odd, "more bytes than I/Os x block size"),
    )


def _told(rows: Frame, *answers: tuple[_Array, str]) -> Iterator[Problem]:
    """Return the problems of rows, row after row."""
    at, numbers = np.nonzero(np.column_stack([places for places, _ in answers]))
    return _said(rows, at, [answers[number][1] for number in numbers.tolist()])


def _or_one(rows: Frame, name: str) -> _Array:
    numbers = floats(rows, name)
    return np.where(np.isnan(numbers) | (numbers == 0), 1.0, numbers)


def _latencies(rows: Frame, tables: Tables) -> Iterator[Problem]:
    """Ask whether the least, the mean and the greatest are in order, and within the run."""
    answers = []
    longest = 1e9 * (_durations(rows, tables.get("runs")) + 1) * (1 + _SLACK)
    for kind in _KINDS:
        least, mean, most, stddev = (
            floats(rows, f"{kind}_{stat}_ns") for stat in ("min", "mean", "max", "stddev")
        )
        # printed to a unit of its own each, so the last digits need not agree
        falls = _exceeds(least, mean) | _exceeds(mean, most)
        falls |= np.isnan(mean) & _exceeds(least, most)
        spread = stddev > (most - least) * (1 + _SLACK) + 1000
        negative = (least < 0) | (mean < 0) | (most < 0) | (stddev < 0)
        answers += [
            (falls, f"{kind} min <= mean <= max does not hold"),
            (spread, f"{kind} stddev is greater than its range"),
            (negative, f"a {kind} is negative"),
            (most > longest, f"the longest {kind} is longer than the run"),
        ]
    longer = _exceeds(floats(rows, "clat_mean_ns"), floats(rows, "lat_mean_ns"))
    answers.append((longer, "clat is longer than lat, which it is a part of"))
    yield from _told(rows, *answers)


def _durations(rows: Frame, runs: Frame | None) -> _Array:
    """Return the seconds of each row's run; nan where they are not said."""
    if runs is None or not runs.height:
        return np.full(rows.height, np.nan)
    wanted, known = keys_of(rows), keys_of(runs)
    order = np.argsort(known)
    at = order[np.searchsorted(known[order], wanted).clip(max=len(order) - 1)]
    return np.where(known[at] == wanted, floats(runs, "duration_s")[at], np.nan)


def _exceeds(one: _Array, other: _Array) -> _Array:
    return one > other * (1 + _SLACK) + 1000


def _percentiles(rows: Frame, _tables: Tables) -> Iterator[Problem]:
    """Ask whether percentiles rise."""
    percentile, value = floats(rows, "percentile"), floats(rows, "value_ns")
    outside = ~((percentile >= 0) & (percentile <= 100))
    curve = _curves(rows)
    # the same percentile twice is in the order in which it stands
    on = np.diff(curve)
    rises = (on > 0) | ((on == 0) & (np.diff(percentile) >= 0))
    order = np.arange(len(curve)) if rises.all() else np.lexsort((percentile, curve))
    order = order[~np.isnan(value[order])]
    falls = (np.diff(value[order]) < 0) & (np.diff(curve[order]) == 0)
    falling, odd = (np.unique(curve[at]) for at in (order[1:][falls], outside))
    said = [f"the percentiles of {kind} fall" for kind in get(rows, "latency")[falling]]
    said += ["a percentile is not within 0 and 100"] * len(odd)
    at = np.concatenate([falling, odd])
    turn = np.argsort(at, kind="stable")
    yield from _said(rows, at[turn], [said[place] for place in turn.tolist()])


def _curves(rows: Frame) -> _Array:
    """Return for each row the first row of its curve."""
    columns = [rows[name] for name in _CURVE if name in rows.columns]
    starts, sizes = stretches(columns)
    keys = zip(*(one[starts].to_list() for one in columns), strict=True)
    first: dict[Any, int] = {}  # the rows of one curve need not stand together
    pairs = zip(keys, starts, strict=True)
    return np.array([first.setdefault(key, at) for key, at in pairs]).repeat(sizes)


def _bins(rows: Frame, tables: Tables) -> Iterator[Problem]:
    """Ask whether a histogram holds every I/O once."""
    io = tables.get("io")
    if io is None or not io.height or "count" not in rows.columns:
        return
    histogram = [*_ROW, "latency"]
    rows = rows.select(get(rows, name) for name in (*histogram, "count"))
    count = pl.col("count")
    if lists(rows) == ["count"]:
        unknown = count.list.eval(pl.element().is_null()).list.any()
        rows = rows.with_columns(pl.when(~unknown).then(count.list.sum()))
    else:
        rows = flat(rows)
    of_each = pl.when(~count.is_null().any()).then(count.cast(pl.Float64()).sum())
    sums = rows.group_by(histogram, maintain_order=True).agg(of_each)
    ios = io.select(get(io, name) for name in (*_ROW, "total_ios")).unique(_ROW, keep="last")
    both = sums.join(ios, on=_ROW, how="left", nulls_equal=True, maintain_order="left")
    total = pl.col("total_ios")
    wrong = both.filter(
        pl.col("latency").ne_missing("slat") & (count != 0) & (total != 0),
        (count - total).abs() > _SLACK * total + 1,
    )
    for file, run, entry, direction, _, held, done in wrong.iter_rows():
        said = f"{direction} of entry {entry}: its bins hold {held:,.0f} of {done:,} I/Os"
        yield file, run, said


def _totals(rows: Frame, _tables: Tables) -> Iterator[Problem]:
    """Ask whether parts add up to the total that stands beside them."""
    if not {"thread", "total"} <= {*get(rows, "scope").to_list()}:
        return
    whose = [FILE, "run", "direction"]
    names = ("io_bytes", "total_ios")
    rows = rows.select(get(rows, name) for name in (*whose, "scope", *names))
    amounts = [
        pl.col(name).filter(pl.col("scope") == scope, pl.col(name).is_not_null()).cast(pl.Float64())
        for name in names
        for scope in ("thread", "total")
    ]
    sums = [pl.when(one.len() > 0).then(one.sum()).alias(str(at)) for at, one in enumerate(amounts)]
    for file, run, direction, *found in rows.group_by(whose, maintain_order=True).agg(sums).rows():
        for name, parts, total in zip(names, found[::2], found[1::2], strict=True):
            if None not in (parts, total) and abs(parts - total) > 1e-6 * total:
                yield file, run, f"{direction}: the threads' {name} do not add up to the total"


def _shares(rows: Frame, _tables: Tables) -> Iterator[Problem]:
    """Ask whether a processor is busy for a hundred percent at most."""
    names = ("usage_pct", "user_pct", "kernel_pct", "idle_pct")
    usage, user, kernel, idle = (floats(rows, name) for name in names)
    outside = np.zeros(rows.height, dtype=bool)
    for share in (usage, user, kernel, idle):
        outside |= (share < -1) | (share > 101)
    apart = np.abs(user + kernel - usage) > 1
    yield from _told(
        rows,
        (outside, "a share is not within 0 and 100 %"),
        (apart, "user and kernel are not its usage"),
    )


_ASKED: tuple[tuple[str, Callable[[Frame, Tables], Iterator[Problem]]], ...] = (
    ("io", _rates),
    ("io", _latencies),
    ("percentiles", _percentiles),
    ("bins", _bins),
    ("io", _totals),
    ("cpu", _shares),
)
