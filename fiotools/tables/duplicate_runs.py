"""The same run found in two places: a log and the article that quotes it, XML and text of one run.

Counted twice, one run would pass for two that agree. Every format prints I/Os and run times in
full, so two runs are one if these are equal, no other figure speaks against it, and the digits
that agree are too many for chance: the more, the more runs there are that could agree.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl

from fiotools.tables.columns import floats, get
from fiotools.tables.parts import FILE

if TYPE_CHECKING:
    from numpy.typing import NDArray

_KIND = ("tool", "format")
_BY_TIME = "diskspd"  # runs for a time, and does what I/Os it can; others may do a number of them
_ODD = np.uint64(0x9E3779B97F4A7C15)
# digits; digits more than the number of runs has, so that chance makes one in a thousand a twin
_ENOUGH, _MORE = 5, 3
_ROUNDED = 0.01  # what the coarsest text leaves of a latency
_FIGURES = ("clat_mean_ns", "lat_mean_ns", "iops_stddev")
_TIMES = ("real_s", "user_s", "sys_s")
_IO = ("runtime_s", "total_ios", "direction", *_FIGURES)
NEEDED = {"runs": ("run", *_KIND), "io": ("run", *_IO), "timings": ("run", *_TIMES)}
# figures that are equal in twins
ALIKE = {"io": ("runtime_s", "total_ios"), "timings": _TIMES}
Run: TypeAlias = tuple[int, int]  # file and run
Twin: TypeAlias = tuple[int, int, str]  # file, run, message


def find(
    tables: Mapping[str, pl.DataFrame], sources: Sequence[str], among: int | None = None
) -> list[Twin]:
    """Find the runs that stand in an earlier place too.

    Parameters
    ----------
    tables : mapping of str to polars.DataFrame
    sources : sequence of str
        The names of the files.
    among : int, optional
        How many runs there are, if not all are in the tables.

    Returns
    -------
    list of (file, run, message)
    """
    runs = tables.get("runs")
    if runs is None or runs.height < 2:
        return []
    enough = max(_ENOUGH, math.ceil(math.log10(among or runs.height)) + _MORE)
    by_time = _BY_TIME in get(runs, "tool")
    moved = _alike(tables.get("io"), ALIKE["io"], _IO, 0 if by_time else enough)
    times = _precise(_alike(tables.get("timings"), ALIKE["timings"], _TIMES), enough)
    formats = _formats(runs, {*moved, *times})
    return [
        (*run, f"the same run as run {first[1]} of {sources[first[0]]}: count it once")
        for run, first in (*_same_io(moved, formats, enough), *_same_times(times, formats))
    ]


def _formats(runs: pl.DataFrame, asked: set[Run]) -> dict[Run, tuple[str, str]]:
    if not asked:
        return {}
    keys = keys_of(runs)
    some = np.flatnonzero(np.isin(keys, [file << 32 | run for file, run in asked]))
    kinds = zip(*(get(runs, name)[some] for name in _KIND), strict=True)
    return dict(zip(_listed(keys[some]), kinds, strict=True))


def _same_io(
    rows: dict[Run, list[tuple[Any, ...]]], formats: dict[Run, tuple[str, str]], enough: int
) -> Iterator[tuple[Run, Run]]:
    alike: dict[tuple[Any, ...], list[Run]] = defaultdict(list)
    for run, figures in rows.items():
        if len(figures) > 1:
            figures.sort(key=repr)
        key = tuple(row[:2] for row in figures)
        if all(row[0] is not None for row in figures):
            alike[(formats[run][0], *key)].append(run)
    for (tool, *figured), same in alike.items():
        by_time = tool == _BY_TIME
        digits = max(_digits(time) + (by_time and _digits(ios)) for time, ios in figured)
        if digits < enough and not any(any(row[3:]) for run in same for row in rows[run]):
            continue  # nothing else is known of them, as of thousands that ran for a second
        for at, run in enumerate(same[1:], 1):
            for first in same[: min(at, 10)]:
                slack = 1e-9 if formats[run] == formats[first] else _ROUNDED
                agree = _agreement(rows[run], rows[first], slack)
                if agree is not None and digits + agree >= enough:
                    yield run, first
                    break


def _precise(
    rows: dict[Run, list[tuple[Any, ...]]], enough: int
) -> dict[Run, list[tuple[Any, ...]]]:
    """Leave out runs whose times have so few digits that chance could hit them."""
    digits: dict[tuple[Any, ...], int] = {}
    for first, *_ in rows.values():
        if first not in digits:  # of ten thousand that took no time there is one
            digits[first] = sum(map(_digits, first))
    return {run: times for run, times in rows.items() if digits[times[0]] > enough}


def _same_times(
    rows: dict[Run, list[tuple[Any, ...]]], formats: dict[Run, tuple[str, str]]
) -> Iterator[tuple[Run, Run]]:
    seen: dict[tuple[Any, ...], Run] = {}
    for run, times in rows.items():
        if formats[run][0] == "time":
            first = seen.setdefault(tuple(times), run)
            if first != run:
                yield run, first


def _alike(
    rows: pl.DataFrame | None, alike: tuple[str, ...], names: tuple[str, ...], enough: int = 0
) -> dict[Run, list[tuple[Any, ...]]]:
    """Give the rows of those runs that have figures alike with another run's.

    Of a thousand runs hardly any have: they are found by a sum that does not ask for the order of
    the rows, before anything is compared. Of a million that know only a time of a few digits nearly
    all have: they are left out where the digits are not ``enough``.
    """
    found: dict[Run, list[tuple[Any, ...]]] = defaultdict(list)
    if rows is None or not rows.height:
        return found
    order, starts, _, sums = _summed(rows, alike)
    again = pl.Series(sums).is_duplicated().to_numpy()
    if enough:
        vague = _vague(rows, enough)
        again = again & ~np.logical_and.reduceat(vague if order is None else vague[order], starts)
    some = np.flatnonzero(again.repeat(np.diff(starts, append=rows.height)))
    some = some if order is None else np.sort(order[some])
    if not len(some):
        return found
    columns = [get(rows, name)[some] for name in names]
    for run, *figures in zip(_listed(keys_of(rows)[some]), *columns, strict=True):
        found[run].append(tuple(figures))
    return found


def _vague(rows: pl.DataFrame, enough: int) -> NDArray[np.bool_]:
    """Say which rows know nothing but a time of fewer digits."""
    time = floats(rows, "runtime_s")
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = time * 10 ** (enough - 2 - np.floor(np.log10(time)))
        vague: NDArray[np.bool_] = ~(np.abs(scaled - np.rint(scaled)) > 1e-10 * scaled)
    for name in _FIGURES:
        figures = floats(rows, name)
        vague &= np.isnan(figures) | (figures == 0)
    return vague


def sums_of(
    rows: pl.DataFrame, alike: tuple[str, ...]
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Give the key of each run, and a sum over its figures: equal where these are, in any order."""
    return _summed(rows, alike)[2:]


def _summed(
    rows: pl.DataFrame, alike: tuple[str, ...]
) -> tuple[NDArray[np.intp] | None, NDArray[np.intp], NDArray[np.int64], NDArray[np.uint64]]:
    """Give the order in which runs stand together, where each begins there, keys, and sums."""
    keys, mixed = keys_of(rows), np.zeros(rows.height, dtype=np.uint64)
    for name in alike:
        mixed += floats(rows, name).view(np.uint64)
        mixed *= _ODD
        mixed ^= mixed >> np.uint64(29)
    order = None  # they nearly always stand in order
    if (keys[1:] < keys[:-1]).any():
        order = np.argsort(keys, kind="stable")
        keys, mixed = keys[order], mixed[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    return order, starts, keys[starts], np.add.reduceat(mixed, starts)


def keys_of(rows: pl.DataFrame) -> NDArray[np.int64]:
    """Make one number of each run's file and its number in that."""
    keys = rows.select(pl.col(FILE).cast(pl.Int64()) * 2**32 + pl.col("run").fill_null(0))
    numbers: NDArray[np.int64] = keys.to_series().to_numpy()
    return numbers


def _listed(keys: NDArray[np.int64]) -> list[Run]:
    return [(key >> 32, key & 0xFFFFFFFF) for key in keys.tolist()]


def _agreement(
    rows: list[tuple[Any, ...]], others: list[tuple[Any, ...]], slack: float
) -> int | None:
    """Count the digits in which two runs' other figures agree; None if one speaks against it."""
    agree = 0
    for row, other in zip(rows, others, strict=True):
        if None not in (row[2], other[2]) and row[2] != other[2]:  # dd's needs the command
            return None
        for one, two in zip(row[3:], other[3:], strict=True):
            if one is not None and two is not None and max(one, two) > 0:
                if abs(one - two) > slack * max(one, two):
                    return None
                agree += 2 if slack == _ROUNDED else _digits(one)
    return agree


def _digits(value: float | None) -> int:
    """Count the digits of a number that chance would have to hit: no zeros at its ends."""
    return 0 if not value else len(f"{value:.9g}".partition("e")[0].replace(".", "").strip("0"))
