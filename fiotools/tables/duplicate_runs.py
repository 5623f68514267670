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
_FIGURES = ("clat_mean_ns", "lat_mean_ns", "iops_stddev")
# columns that are equal in twins
ALIKE = {"io": ("runtime_s", "total_ios"), "timings": ("real_s", "user_s", "sys_s")}
_BESIDE = ("direction", *_FIGURES)  # those of twins may be missing, or rounded
NEEDED = {
    "runs": ("run", "tool", "format"),
    "io": ("run", *ALIKE["io"], *_BESIDE),
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
    is_known = np.logical_or.reduce([floats(io, name) > 0 for name in _FIGURES])
    # a group's summary alone has a run time and no I/Os
    moved = np.where(np.isnan(floats(io, "total_ios")), 0, _digits(floats(io, "runtime_s")))
    if _BY_TIME in get(runs, "tool"):
        moved += _digits(floats(io, "total_ios"))
    suspects = _suspects(io, "io", is_known | (moved >= enough), runs)
    if suspects is None:
        return
    rows = suspects.filter(pl.col("runtime_s").is_not_null().all().over("key")).collect()
    runtimes, ios, *said = (_digits(floats(rows, name)) for name in (*ALIKE["io"], *_FIGURES))
    rows = rows.with_columns(
        pl.col("direction").rank("dense").cast(pl.Float64()),
        moved=np.where(np.isnan(floats(rows, "total_ios")), 0, runtimes)
        + ios * (rows["tool"] == _BY_TIME).fill_null(False).to_numpy(),
        digits=np.sum(said, axis=0),
    )
    # a row for each run: its numbers are lists, sorted alike
    each = (
        rows.sort("key", *ALIKE["io"], *_BESIDE)
        .group_by("key", maintain_order=True)
        .agg(*ALIKE["io"], *_BESIDE, pl.first("tool", "format"), pl.max("moved"), pl.sum("digits"))
        .with_columns(gaps=sum(pl.col(name).list.count_matches(None) for name in _BESIDE))
    )
    copied = pl.first("key").over("tool", "format", *ALIKE["io"], *_BESIDE)
    is_enough = pl.col("moved") + pl.col("digits") >= enough
    each = each.with_columns(first=pl.when(is_enough).then(copied).otherwise("key"))
    twins = dict(_rounded_twins(each.filter(pl.col("key") == pl.col("first")), enough))
    for key, first in each.select("key", "first").rows():
        lead = twins.get(first, first)
        if lead < key:
            yield key, lead


def _rounded_twins(runs: pl.DataFrame, enough: int) -> list[tuple[int, int]]:
    """Return the keys of runs whose numbers an earlier one has in another format, or in part.

    Of several runs of one format that did as much in the same time, which is the twin is not
    certain: there is none.
    """
    same = ("tool", *ALIKE["io"])
    size, forms = pl.len().over(same), pl.struct("format", "gaps").n_unique().over(same)
    several = runs.filter((size > 1) & (size == forms))
    if several.is_empty():
        return []
    both = (
        several.with_columns(key_of=pl.first("key").over(same))
        .filter(pl.col("key") != pl.col("key_of"))
        .join(several, left_on="key_of", right_on="key", suffix="_of")
    )
    slack = pl.when(pl.col("format") == pl.col("format_of")).then(_EXACT).otherwise(_ROUNDED)
    is_other, agree = pl.lit(False), pl.lit(0)
    for name in _BESIDE:
        one, other = pl.col(name), pl.col(f"{name}_of")
        largest = pl.max_horizontal(one, other)
        is_other |= ((one - other).abs() > slack * largest).fill_null(False)
        if name in _FIGURES:
            agree += (largest > 0).fill_null(False).cast(pl.Int64()) * _SURE
    return (
        both.explode(*_BESIDE, *(f"{name}_of" for name in _BESIDE))
        .group_by("key", "key_of")
        .agg(is_other.any().alias("is_other"), digits=pl.first("moved") + agree.sum())
        .filter(~pl.col("is_other"), pl.col("digits") >= enough)
        .select("key", "key_of")
        .rows()
    )


def _same_times(
    timings: pl.DataFrame, runs: pl.DataFrame, enough: int
) -> Iterator[tuple[int, int]]:
    """Yield the keys of commands that took the same times as an earlier one, and its key."""
    names = ALIKE["timings"]
    digits = np.sum([_digits(floats(timings, name)) for name in names], axis=0)
    suspects = _suspects(timings, "timings", digits > enough, runs)
    if suspects is None:
        return
    each = suspects.filter(tool="time").group_by("key", maintain_order=True).agg(*names)
    pairs = each.select("key", first=pl.first("key").over(*names))
    yield from pairs.filter(pl.col("key") != pl.col("first")).collect().rows()


def _digits(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Count the significant digits of numbers, without zeros at their ends."""
    with np.errstate(divide="ignore", invalid="ignore"):
        nine = np.rint(values / 10 ** (np.floor(np.log10(values)) - 8))
    whole = np.where(nine > 0, nine, 0).astype(np.int64)
    zeros = sum((whole % 10**power == 0).astype(np.int64) for power in range(1, 9))
    return np.where(whole > 0, 9 - zeros, 0)
