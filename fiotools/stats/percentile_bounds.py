"""What tables of percentiles certainly say of all their I/Os together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from narwhals.typing import IntoDataFrameT

from fiotools.errors import SchemaError
from fiotools.stats import frames
from fiotools.stats.frames import AnswerRow, Frame
from fiotools.stats.histograms import cell_keys
from fiotools.stats.quantiles import PERCENTILES, wanted_percentiles
from fiotools.stats.replicates import refuse_scopes, run_keys, run_name, watched
from fiotools.vocabulary import ANSWERS, KEYS

_JOIN = ("source", "run", "entry", "thread", "target", "direction")


def bound_percentiles(
    percentiles: IntoDataFrameT,
    io: IntoDataFrameT,
    *,
    by: str | Sequence[str] | None = None,
    at: float | Sequence[float] = PERCENTILES,
) -> IntoDataFrameT:
    """Bound the percentiles of several files, threads or runs together, from those of each.

    For tools that print percentiles and no histogram, such as DISKSPD; where there are bins,
    `percentiles_from_bins` is exact to 1/64.

    Parameters
    ----------
    percentiles : pandas.DataFrame or polars.DataFrame
        A table such as `Results.percentiles`: parts, and not their total beside them.
    io : pandas.DataFrame or polars.DataFrame
        The table `Results.io` with the ``total_ios`` of the same entries and directions.
    by : str or sequence of str, optional
        Columns that keep tables apart. Directions, and slat, clat and lat, always stay apart.
    at : float or sequence of float
        The percentiles to bound, above 0, up to 100.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per group and percentile: the columns of `by`, ``latency``, ``direction``;
        ``percentile``; ``bound_lo_ns`` and ``bound_hi_ns`` [ns], between which it certainly is, as
        far as the printed points are exact (null: nothing bounds it); ``total_ios``; ``parts``, the
        tables; ``n``, the runs (null where not known); ``method``, "bounded"; ``varies_in``;
        ``warnings``.

    Raises
    ------
    SchemaError
        For a total beside its parts, a table without its I/Os in `io` or with a percentile twice,
        values that fall where percentiles rise, and a frame without rows or columns.

    Notes
    -----
    Of all I/Os together, the share below x is the mean of the shares in each part, weighted by its
    I/Os. Of a part it is known at its points only; between two of them it lies between their
    percentiles. The nearer the points, the nearer the bounds; there is no value between them that
    would be better founded than another.

    Examples
    --------
    >>> import pandas as pd
    >>> percentiles = pd.DataFrame({
    ...     "source": ["a"] * 3 + ["b"] * 3, "run": 1, "latency": "lat", "direction": "read",
    ...     "percentile": [50, 99, 100] * 2, "value_ns": [10.0, 20, 90, 30, 60, 80],
    ... })
    >>> io = pd.DataFrame({
    ...     "source": ["a", "b"], "run": 1, "direction": "read", "total_ios": [3000, 1000],
    ... })
    >>> found = bound_percentiles(percentiles, io, at=[50, 99])
    >>> found[["percentile", "bound_lo_ns", "bound_hi_ns", "total_ios", "parts", "method"]]
       percentile  bound_lo_ns  bound_hi_ns  total_ios  parts   method
    0        50.0         10.0         20.0       4000      2  bounded
    1        99.0         30.0         60.0       4000      2  bounded
    """
    wanted, named = wanted_percentiles(at), frames.names(by)
    data, whole_io = frames.opened(percentiles), frames.opened(io)
    frames.need(data, [*named, "percentile", "value_ns"])
    frames.need(whole_io, ["total_ios"])
    if "scope" not in named:
        refuse_scopes(data)
    cells = list(frames.groups(data, cell_keys(data, named)).values())
    tables = _tables(data, cells, named, _ios(data, whole_io, named))
    watch, runs = (
        frames.columns(data, watched(data, [*named, "latency", "direction"])),
        run_keys(data),
    )
    lines: list[AnswerRow] = []
    for rows, parts in zip(cells, tables, strict=True):
        varies = ", ".join(frames.differing(watch, rows)) or None
        keys = {runs[row] for row in rows}
        whole: AnswerRow = {
            "total_ios": sum(part.ios for part in parts),
            "parts": len(parts),
            "n": len(keys) if all(len(key) == 2 for key in keys) else None,
            "method": "bounded",
            "varies_in": varies,
            "notes": [f"tables vary in {varies}"] if varies else [],
        }
        for percentile in wanted:
            low, high = bounds(parts, percentile)
            ends = {"percentile": percentile, "bound_lo_ns": low, "bound_hi_ns": high}
            lines.append(ends | whole)
    first = [rows[0] for rows in cells for _ in wanted]
    return frames.answer(
        data, ANSWERS["bound_percentiles"], frames.kept(cell_keys(data, named), first), lines
    )


def _ios(data: Frame, io: Frame, by: Sequence[str]) -> list[int]:
    """Give the I/Os behind each row: those of the same entry and direction."""
    join = frames.present(io, frames.present(data, [*_JOIN, *by]))
    ios, theirs = frames.amounts(io, "total_ios"), frames.groups(io, join)
    found = [0] * len(data)
    for key, rows in frames.groups(data, join).items():
        there = theirs.get(key, [])
        name = ", ".join(f"{n} {v}" for n, v in zip(join, key, strict=True) if v is not None)
        if len(there) != 1:
            why = f"{len(there)} rows" if there else "no row"
            raise SchemaError(f"io has {why} for {name or 'the percentiles'}, where one is needed")
        if ios[there[0]] is None:
            raise SchemaError(f"total_ios is missing in io for {name}: it weights the percentiles")
        for row in rows:
            found[row] = int(ios[there[0]])
    return found


def _tables(
    data: Frame, cells: Sequence[list[int]], by: Sequence[str], ios: Sequence[int]
) -> list[list[Curve]]:
    """Make the tables of each group, their points in order."""
    whose = frames.keys_of(data, frames.present(data, [*by, *KEYS, "latency"]))
    runs, points = run_keys(data), _points(data)
    found = []
    for rows in cells:
        tables: dict[tuple[Any, ...], dict[int, float]] = {}
        counts: dict[tuple[Any, ...], int] = {}
        for row in rows:
            table = tables.setdefault(whose[row], {})
            counts[whose[row]] = ios[row]
            point = points[row]
            if point is None:
                continue
            level, value = point
            if level in table:
                raise SchemaError(
                    f"percentile {level / 10**9:g} of {run_name(runs[row])} stands there twice, "
                    "and nothing tells the tables apart: was a file read twice?"
                )
            table[level] = value
        for table in tables.values():
            _refuse_falling(sorted(table.items()))
        found.append(
            [
                Curve(counts[key], sorted(table.items()))
                for key, table in tables.items()
                if counts[key]
            ]
        )
    return found


def _points(data: Frame) -> list[tuple[int, float] | None]:
    """Give share and latency of each row; None where the latency is missing."""
    found: list[tuple[int, float] | None] = []
    pairs = zip(frames.numbers(data, "percentile"), frames.numbers(data, "value_ns"), strict=True)
    for row, (level, value) in enumerate(pairs):
        if level is None or not 0 <= level <= 100:
            raise SchemaError(f"row {row} has no percentile between 0 and 100")
        found.append(None if value is None else (share(level), value))
    return found


def _refuse_falling(points: Sequence[tuple[int, float]]) -> None:
    for (low, least), (high, most) in pairwise(points):
        if most < least:
            raise SchemaError(
                f"percentile {high / 10**9:g} is below percentile {low / 10**9:g}: "
                "no measured latencies are like that, leave the table out"
            )


@dataclass
class Curve:
    """One table of percentiles: how many I/Os it is about, and its points in order."""

    ios: int
    points: list[tuple[int, float]]  # share of the I/Os, latency; none where none is known


def bounds(parts: Sequence[Curve], percentile: float) -> tuple[float | None, float | None]:
    """Bracket a percentile of the mixture; None where no point bounds it.

    Examples
    --------
    >>> half, most = share(50), share(90)
    >>> bounds([Curve(10, [(half, 4.0), (most, 7.0)])], 50)
    (4.0, 4.0)
    >>> bounds([Curve(10, [(half, 4.0), (most, 7.0)]), Curve(10, [(half, 9.0)])], 80)
    (9.0, None)
    """
    asked = share(percentile) * sum(part.ios for part in parts)
    low: float | None = None
    # Up to x, a part has at least the share of its last point there, and less than that of its
    # next: the percentile lies above x as long as the sum of the latter is not above it.
    firsts = [part.points[0][0] if part.points else share(100) for part in parts]
    least, most = 0, sum(part.ios * first for part, first in zip(parts, firsts, strict=True))
    strict = sum(bool(part.points) and part.points[0][0] > 0 for part in parts)
    is_above = most <= asked
    for value, steps in _steps(parts):
        least += sum(step[0] for step in steps)
        most += sum(step[1] for step in steps)
        strict += sum(step[2] for step in steps)
        if is_above and (most > asked or (most == asked and not strict)):
            low, is_above = value, False
        if least >= asked:
            return low, value
    return low, None


def share(percentile: float) -> int:
    """Give a percentile in whole billionths of a percent, so that sums of shares are exact."""
    return round(percentile * 10**9)


def _steps(parts: Sequence[Curve]) -> Iterator[tuple[float, list[tuple[int, int, int]]]]:
    """Say at each value by how much the least and the most, and the parts yet to come, change."""
    found: dict[float, list[tuple[int, int, int]]] = {}
    for part in parts:
        shares = [0, *(point[0] for point in part.points), share(100)]
        for i, (own, value) in enumerate(part.points, start=1):
            is_last = i == len(part.points)
            step = (
                part.ios * (own - shares[i - 1]),
                part.ios * (shares[i + 1] - own),
                int(not is_last) - int(own > 0),
            )
            found.setdefault(value, []).append(step)
    for value in sorted(found):
        yield value, found[value]
