"""Whether a file's figures fit together: the same questions of every file, whatever tool wrote it.

A reader holds what is printed against what it follows from; what is asked here needs no knowledge
of the format. A contradiction becomes a note, and the figures stay as the file has them; a run that
its reader warns of is left alone, for the reader knows the line. The slack is what the coarsest
format rounds away, so that an honest file is never blamed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

from fiotools.arrays import Vector
from fiotools.rows import Rows

_SLACK = 0.02
_KINDS = ("slat", "clat", "lat")
_AMOUNTS = ("io_bytes", "total_ios", "runtime_s", "iops", "bw_bytes_per_s")
_NAMES = ("job", "thread", "scope", "entry")  # the first that is there names a row
_CURVE = ("run", "entry", "direction", "scope", "target", "job", "thread", "latency")
_MOST = 2**62
_HISTOGRAM = ("run", "entry", "direction", "latency")

Problem: TypeAlias = tuple[int, int | None, str]  # file, run, message
Tables: TypeAlias = Mapping[str, Rows]
_Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"


def check(tables: Tables) -> list[Problem]:
    """Find what contradicts itself in the tables of some files.

    Returns
    -------
    list of (file, run, message)
        Each once, file after file.
    """
    found: dict[Problem, None] = {}
    with np.errstate(invalid="ignore", over="ignore"):  # what is missing is nan, and answers no
        for table, question in _ASKED:
            rows = tables.get(table)
            if rows is not None and len(rows):
                found |= dict.fromkeys(question(rows, tables))
    warned = _warned(tables.get("notes")) if found else set()
    said = [
        (file, run, f"{message}: the figures are kept as printed")
        for file, run, message in found
        if (file, run) not in warned
    ]
    return sorted(said, key=lambda problem: problem[0])


def _warned(notes: Rows | None) -> set[tuple[int, int | None]]:
    if notes is None or not len(notes):
        return set()
    severity, run = notes.get("severity"), notes.get("run")
    words = severity.words or []
    is_warning = np.array([word == "warning" for word in words] + [False])[severity.data]
    some = np.flatnonzero(is_warning)
    return set(zip(notes.file[some].tolist(), run.take(some).listed(), strict=True))


def _said(rows: Rows, at: _Array, messages: list[str]) -> Iterator[Problem]:
    """Say of rows what is wrong with them."""
    if not len(at):
        return
    files = rows.file[at].tolist()
    runs, directions, *named = (
        rows.get(name).take(at).listed() for name in ("run", "direction", *_NAMES)
    )
    names = zip(*named, strict=True)
    for file, run, direction, name, message in zip(
        files, runs, directions, names, messages, strict=True
    ):
        of = next((f"of {value}" for value in name if value), "")
        place = f"{direction} {of}" if direction and of else direction or of
        yield file, run, f"{place}: {message}"


def _rates(rows: Rows, _tables: Tables) -> Iterator[Problem]:
    """Ask whether amounts are rates x time, and bytes I/Os x their size."""
    amounts = {name: rows.get(name).floats() for name in _AMOUNTS}
    moved, ios, time = amounts["io_bytes"], amounts["total_ios"], amounts["runtime_s"]
    iops, bw = amounts["iops"], amounts["bw_bytes_per_s"]
    odd = np.zeros(len(rows), dtype=bool)
    for values in amounts.values():
        odd |= (values < 0) | np.isinf(values)
    # a millisecond, a unit of the rate (KiB/s; fio cuts IOPS to whole ones), one I/O more or less
    bytes_off = (moved != 0) & (
        np.abs(bw * time - moved) > _SLACK * moved + 0.0015 * bw + 1024 * time
    )
    ios_off = (ios != 0) & (np.abs(iops * time - ios) > _SLACK * ios + 0.0015 * iops + time + 1)
    # fio counts bytes when they are sent, I/Os when they are done
    block = rows.get("bs_bytes").floats()
    flying = _or_one(rows.get("iodepth")) * _or_one(rows.get("numjobs"))
    more = (block != 0) & (ios != 0) & (moved > (ios + flying) * block * (1 + _SLACK))
    yield from _told(
        rows,
        (odd, "an amount or a rate is negative or infinite"),
        (bytes_off & ~odd, "bytes / s x time is not the io_bytes"),
        (ios_off & ~odd, "I/Os / s x time is not the total_ios"),
        (more & ~odd, "more bytes than I/Os x block size"),
    )


def _told(rows: Rows, *answers: tuple[_Array, str]) -> Iterator[Problem]:
    """Say what is wrong with which rows, row after row."""
    at, numbers = np.nonzero(np.column_stack([places for places, _ in answers]))
    return _said(rows, at, [answers[number][1] for number in numbers.tolist()])


def _or_one(values: Vector) -> _Array:
    numbers = values.floats()
    return np.where(np.isnan(numbers) | (numbers == 0), 1.0, numbers)


def _latencies(rows: Rows, tables: Tables) -> Iterator[Problem]:
    """Ask whether the least, the mean and the greatest are in order, and within the run."""
    answers = []
    longest = 1e9 * (_durations(rows, tables.get("runs")) + 1) * (1 + _SLACK)
    for kind in _KINDS:
        if not any(f"{kind}_{stat}_ns" in rows for stat in ("min", "mean", "max", "stddev")):
            continue
        least, mean, most, stddev = (
            rows.get(f"{kind}_{stat}_ns").floats() for stat in ("min", "mean", "max", "stddev")
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
    if "clat_mean_ns" in rows and "lat_mean_ns" in rows:
        longer = _exceeds(rows.get("clat_mean_ns").floats(), rows.get("lat_mean_ns").floats())
        answers.append((longer, "clat is longer than lat, which it is a part of"))
    if answers:
        yield from _told(rows, *answers)


def _durations(rows: Rows, runs: Rows | None) -> _Array:
    """Give the seconds of each row's run; nan where they are not said."""
    if runs is None or not len(runs):
        return np.full(len(rows), np.nan)
    # one number for a file and its run: exact, for there are far fewer of either
    wanted, known = (one.file * 1e9 + one.get("run").floats() for one in (rows, runs))
    order = np.argsort(known)
    at = order[np.searchsorted(known[order], wanted).clip(max=len(order) - 1)]
    return np.where(known[at] == wanted, runs.get("duration_s").floats()[at], np.nan)


def _exceeds(one: _Array, other: _Array) -> _Array:
    return one > other * (1 + _SLACK) + 1000


def _percentiles(rows: Rows, _tables: Tables) -> Iterator[Problem]:
    """Ask whether percentiles rise."""
    percentile, value = rows.get("percentile").floats(), rows.get("value_ns").floats()
    outside = ~((percentile >= 0) & (percentile <= 100))
    starts, one_each = rows.firsts(_CURVE)
    curve = _groups(one_each).repeat(np.diff(starts, append=len(rows)))
    # the same percentile twice is in the order in which it stands
    on = np.diff(curve)
    rises = (on > 0) | ((on == 0) & (np.diff(percentile) >= 0))
    order = np.arange(len(rows)) if rises.all() else np.lexsort((percentile, curve))
    order = order[~np.isnan(value[order])]
    falls = (np.diff(value[order]) < 0) & (np.diff(curve[order]) == 0)
    _, first = np.unique(curve, return_index=True)
    falling, odd = (first[np.unique(curve[at])] for at in (order[1:][falls], outside))
    kinds = rows.get("latency").take(falling).listed()
    said = [f"the percentiles of {kind} fall" for kind in kinds]
    said += ["a percentile is not within 0 and 100"] * len(odd)
    at = np.concatenate([falling, odd])
    turn = np.argsort(at, kind="stable")
    yield from _said(rows, at[turn], [said[place] for place in turn.tolist()])


def _groups(rows: Rows) -> _Array:
    """Give each row a number from 0 on, those of equal keys the same; later files greater ones."""
    found: _Array = rows.file.astype(np.int64)
    for name in _CURVE:
        numbers = rows.get(name).numbers().astype(np.int64) + 1  # -1 is nothing
        size = int(numbers.max(initial=0)) + 1
        if size > 1 and int(found.max(initial=0)) >= _MOST // size:
            found = np.unique(found, return_inverse=True)[1]
        found = found * size + numbers
    numbered: _Array = np.unique(found, return_inverse=True)[1]
    return numbered


def _bins(rows: Rows, tables: Tables) -> Iterator[Problem]:
    """Ask whether a histogram holds every I/O once."""
    io = tables.get("io")
    if io is None or "count" not in rows:
        return
    names = ("run", "entry", "direction")
    keys = zip(io.file.tolist(), *(io.get(name).listed() for name in names), strict=True)
    wanted = dict(zip(keys, io.get("total_ios").listed(), strict=True))
    starts, first = rows.firsts(_HISTOGRAM)
    count = rows.get("count")
    values = count.data if count.missing is None else count.floats()
    totals = np.add.reduceat(values, starts, dtype=np.float64)
    sums: dict[tuple[Any, ...], float] = defaultdict(float)
    columns = [first.get(name).listed() for name in _HISTOGRAM]
    for *key, total in zip(first.file.tolist(), *columns, totals.tolist(), strict=True):
        sums[tuple(key)] += total  # nan where a bin has no count
    for (file, run, entry, direction, latency), total in sums.items():
        ios = wanted.get((file, run, entry, direction))
        if latency != "slat" and total and ios and abs(total - ios) > _SLACK * ios + 1:
            said = f"{direction} of entry {entry}: its bins hold {total:,.0f} of {ios:,} I/Os"
            yield file, run, said


def _totals(rows: Rows, _tables: Tables) -> Iterator[Problem]:
    """Ask whether parts add up to the total that stands beside them."""
    scope = rows.get("scope")
    is_asked = np.array([word in ("thread", "total") for word in scope.words or []] + [False])
    some = np.flatnonzero(is_asked[scope.data])
    names = ("run", "direction", "scope", "io_bytes", "total_ios")
    columns = [rows.get(name).take(some).listed() for name in names]
    sums: dict[tuple[Any, ...], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for file, run, direction, part, *amounts in zip(
        rows.file[some].tolist(), *columns, strict=True
    ):
        for name, amount in zip(("io_bytes", "total_ios"), amounts, strict=True):
            if amount is not None:
                sums[file, run, direction, name][part] += amount
    for (file, run, direction, name), scopes in sums.items():
        if len(scopes) == 2 and abs(scopes["thread"] - scopes["total"]) > 1e-6 * scopes["total"]:
            yield file, run, f"{direction}: the threads' {name} do not add up to the total"


def _shares(rows: Rows, _tables: Tables) -> Iterator[Problem]:
    """Ask whether a processor is busy for a hundred percent at most."""
    names = ("usage_pct", "user_pct", "kernel_pct", "idle_pct")
    usage, user, kernel, idle = (rows.get(name).floats() for name in names)
    outside = np.zeros(len(rows), dtype=bool)
    for share in (usage, user, kernel, idle):
        outside |= (share < -1) | (share > 101)
    apart = np.abs(user + kernel - usage) > 1
    answers = ("a share is not within 0 and 100 %", "user and kernel are not its usage")
    runs, cpus = rows.get("run"), rows.get("cpu")
    for at, number in np.argwhere(np.column_stack([outside, apart])).tolist():
        yield int(rows.file[at]), runs.at(at), f"cpu {cpus.at(at)}: {answers[number]}"


_ASKED: tuple[tuple[str, Callable[[Rows, Tables], Iterator[Problem]]], ...] = (
    ("io", _rates),
    ("io", _latencies),
    ("percentiles", _percentiles),
    ("bins", _bins),
    ("io", _totals),
    ("cpu", _shares),
)
