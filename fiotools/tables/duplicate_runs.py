"""The same run found in two places: a log and the article that quotes it, XML and text of one run.

Counted twice, one run would look like two that agree. Most formats print I/Os and run times in
full, so two runs are one if these are equal, no other number contradicts that, and too many digits
agree for chance: more digits are needed if there are more runs. A run time alone tells nothing, as
many run for a time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from fiotools.tables.columns import floats, get
from fiotools.tables.parts import keys_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BY_TIME = "diskspd"  # always runs for a time; others may run for a number of I/Os
_ODD = np.uint64(0x9E3779B97F4A7C15)
# digits; digits more than the number of runs has, for a false twin in a thousand
_ENOUGH, _MORE = 5, 3
_EXACT, _ROUNDED = 1e-9, 0.01  # relative error of a latency in one format, and in the coarsest text
_SURE = 2  # digits of a latency in the coarsest text
_HELD = 10  # runs with the same numbers that each is compared with
_FIGURES = ("clat_mean_ns", "lat_mean_ns", "iops_stddev")
# columns that are equal in twins
ALIKE = {"io": ("runtime_s", "total_ios"), "timings": ("real_s", "user_s", "sys_s")}
NEEDED = {
    "runs": ("run", "tool", "format"),
    "io": ("run", *ALIKE["io"], "direction", *_FIGURES),
    "timings": ("run", *ALIKE["timings"]),
}
Twin: TypeAlias = tuple[int, int, str]  # file, run, message


def find(
    tables: Mapping[str, pl.DataFrame], sources: Sequence[str], among: int | None = None
) -> list[Twin]:
    """Find the runs that occur in an earlier place too.

    Parameters
    ----------
    tables : mapping of str to polars.DataFrame
    sources : sequence of str
        The names of the files.
    among : int, optional
        The number of runs, if not all are in the tables.

    Returns
    -------
    list of (file, run, message)
    """
    runs = tables.get("runs")
    if runs is None or runs.height < 2:
        return []
    enough = max(_ENOUGH, math.ceil(math.log10(among or runs.height)) + _MORE)
    found: list[Twin] = []
    for table, same in (("io", _same_io), ("timings", _same_times)):
        rows = tables.get(table)
        if rows is None or not rows.height:
            continue
        for run, first in same(rows, runs, enough):
            place = f"run {first & 0xFFFFFFFF} of {sources[first >> 32]}"
            found.append((run >> 32, run & 0xFFFFFFFF, f"the same run as {place}: count it once"))
    return found


def sums_of(
    rows: pl.DataFrame, alike: tuple[str, ...]
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Return the key of each run, and a hash of its numbers that ignores their order."""
    keys, mixed = keys_of(rows), np.zeros(rows.height, dtype=np.uint64)
    for name in alike:
        mixed += floats(rows, name).view(np.uint64)
        mixed *= _ODD
        mixed ^= mixed >> np.uint64(29)
    if (keys[1:] < keys[:-1]).any():  # they are nearly always in order
        order = np.argsort(keys, kind="stable")
        keys, mixed = keys[order], mixed[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[starts], np.add.reduceat(mixed, starts)


def _suspects(
    rows: pl.DataFrame, table: str, telling: NDArray[np.bool_], runs: pl.DataFrame
) -> pl.LazyFrame | None:
    """Return the rows of runs that share enough numbers with another run.

    Hardly any of a thousand runs do: they are found before anything else is compared. Nearly all of
    a million runs with only a time of a few digits do: none of these rows is telling.

    Returns
    -------
    polars.LazyFrame
        The needed columns; ``key`` and ``sum``, ``tool`` and ``format`` of their run.
    """
    keys, sums = sums_of(rows, ALIKE[table])
    if len(np.unique(sums)) == len(sums) or not telling.any():
        return None
    again = pl.LazyFrame({"key": keys, "sum": sums}).filter(pl.col("sum").is_duplicated())
    kinds = pl.LazyFrame({name: get(runs, name) for name in ("tool", "format")})
    kinds = kinds.with_columns(key=keys_of(runs)).unique("key", keep="last")
    told = pl.LazyFrame({name: get(rows, name) for name in NEEDED[table][1:]})
    return (
        told.with_columns(key=keys_of(rows), telling=telling)
        .join(again, on="key", maintain_order="left")
        .join(kinds, on="key", how="left", maintain_order="left")
        .filter(pl.col("telling").any().over("key"))
    )


def _same_io(io: pl.DataFrame, runs: pl.DataFrame, enough: int) -> Iterator[tuple[int, int]]:
    """Yield keys of runs that moved as much in the same time as an earlier one, and its key."""
    told = np.where(np.isnan(floats(io, "total_ios")), 0, _digits(floats(io, "runtime_s")))
    if _BY_TIME in get(runs, "tool"):
        told += _digits(floats(io, "total_ios"))
    known = np.logical_or.reduce([floats(io, name) > 0 for name in _FIGURES])
    suspects = _suspects(io, "io", known | (told >= enough), runs)
    if suspects is None:
        return
    group = ["tool", "sum", "size"]
    rows = (
        suspects.filter(pl.col("runtime_s").is_not_null().all().over("key"))
        .with_columns(
            pl.col("tool", "direction", "format").rank("dense"),
            by_time=pl.col("tool").eq_missing(_BY_TIME),
            size=pl.len().over("key"),
        )
        .collect()
    )
    if not rows.height:
        return
    # equal runs are adjacent, and their rows in the same order; polars would take thrice the memory
    order = (*group, "key", *NEEDED["io"][1:])
    rows = rows[np.lexsort([rows[name].to_numpy() for name in reversed(order)])]
    starts = np.flatnonzero(np.diff(rows["key"].to_numpy(), prepend=-1))
    each = rows[starts].with_row_index("at")
    at, key, sizes = (each[name].cast(pl.Int64()).to_numpy() for name in ("at", "key", "size"))
    lead = each.select(pl.col("at").first().over(group)).to_series().cast(pl.Int64()).to_numpy()
    figures = {name: floats(rows, name) for name in NEEDED["io"][1:]}
    formats, by_time, twin = floats(each, "format"), each["by_time"].to_numpy(), at.copy()
    for number in range(_HELD):
        first = lead + number
        pairs = np.flatnonzero((first < at) & (twin == at))
        is_exact = formats[pairs] == formats[first[pairs]]
        # the first rows of nearly all runs differ already
        is_other = _differ(figures, starts[pairs], starts[first[pairs]], is_exact)
        pairs, is_exact = pairs[~is_other], is_exact[~is_other]
        if not len(pairs):
            continue
        size = sizes[pairs]
        begins = np.cumsum(size) - size
        within = np.arange(size.sum()) - begins.repeat(size)
        here, there = (starts[runs].repeat(size) + within for runs in (pairs, first[pairs]))
        is_exact = is_exact.repeat(size)
        against = _differ(figures, here, there, is_exact)
        is_counted = ~np.isnan(figures["total_ios"][here])
        moved = is_counted * _digits(figures["runtime_s"][here])
        moved += by_time[pairs].repeat(size) * _digits(figures["total_ios"][here])
        agree = np.zeros(len(here), dtype=np.int64)
        for name in _FIGURES:
            one, other = figures[name][here], figures[name][there]
            agree += (np.maximum(one, other) > 0) * np.where(is_exact, _digits(one), _SURE)
        is_twin = ~np.logical_or.reduceat(against, begins)
        told = np.maximum.reduceat(moved, begins) + np.add.reduceat(agree, begins)
        some = pairs[is_twin & (told >= enough)]
        twin[some] = first[some]
    some = np.flatnonzero(twin != at)
    yield from sorted(zip(key[some].tolist(), key[twin[some]].tolist(), strict=True))


def _differ(
    figures: Mapping[str, NDArray[np.float64]],
    here: NDArray[np.int64],
    there: NDArray[np.int64],
    is_exact: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Whether numbers of rows contradict those of others; a missing value does not."""
    found = np.zeros(len(here), dtype=bool)
    for name, values in figures.items():
        one, other = values[here], values[there]
        slack = np.where(is_exact, _EXACT, _ROUNDED) if name in _FIGURES else 0
        found |= np.abs(one - other) > slack * np.maximum(one, other)
    return found


def _same_times(
    timings: pl.DataFrame, runs: pl.DataFrame, enough: int
) -> Iterator[tuple[int, int]]:
    """Yield the keys of commands that took the same times as an earlier one, and its key."""
    names = ALIKE["timings"]
    digits = np.sum([_digits(floats(timings, name)) for name in names], axis=0)
    suspects = _suspects(timings, "timings", digits > enough, runs)
    if suspects is None:
        return
    each = suspects.filter(tool="time").group_by("key", maintain_order=True).agg(*names).collect()
    seen: dict[str, int] = {}
    for key, *times in each.rows():
        first = seen.setdefault(repr(times), key)
        if first != key:
            yield key, first


def _digits(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Count the significant digits of numbers, without zeros at their ends."""
    with np.errstate(divide="ignore", invalid="ignore"):
        nine = np.rint(values / 10 ** (np.floor(np.log10(values)) - 8))
    whole = np.where(nine > 0, nine, 0).astype(np.int64)
    zeros = sum((whole % 10**power == 0).astype(np.int64) for power in range(1, 9))
    return np.where(whole > 0, 9 - zeros, 0)
