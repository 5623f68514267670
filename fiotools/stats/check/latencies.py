"""The percentiles and bins of all runs, beside the rows of `io` that they are of.

Rows of one entry, direction and latency follow each other, so they are blocks of columns, and only
what is looked at becomes rows. Nearly all blocks agree with the least, the mean and the greatest of
their row: columns decide which ones surely do, with a margin for the order in which numbers are
added up. The others are asked again, row by row, and put into words.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from fiotools.stats.frames import Array
from fiotools.tables.results import Frames

Row = Mapping[str, Any]
Curve = list[tuple[float, float]]  # percentiles and their values, in ns
Place = tuple[Any, ...]  # what a row of io is about
Block = tuple[int, int]  # the first row of a table, and the one after the last

BINS = 0.03  # fio's bins are 1/64 wide, and their middles are printed
ROUNDED = 1000.0  # ns: cut off by formats that print microseconds
CENT = 0.01  # percent: how shares are printed
_PLACE = ("source", "run", "entry", "direction", "scope", "thread", "target")
_JUDGED = ("clat", "lat")
_MARGIN = 1e-9  # of a sum of the same numbers in another order


class Latencies:
    """The curves and bins of each row of `io`."""

    def __init__(self, tables: Frames) -> None:
        self._io = tables.polars("io")
        self._curves, self._bins = (
            _Table(tables.polars(name) if name in tables else None)
            for name in ("percentiles", "bins")
        )

    def curves(self, row: Row) -> dict[str, Curve]:
        """Return the percentiles of a row by latency."""
        found = {}
        for latency, blocks in self._curves.of(row).items():
            points = self._curves.rows(blocks, ("percentile", "value_ns"))
            found[latency] = sorted(point for point in points if point[1] is not None)
        return found

    def bins(self, row: Row) -> dict[str, list[Row]]:
        """Return the bins of a row by latency."""
        names = ("count", "pct", "bin_lo_ns", "bin_hi_ns", "time_s")
        return {
            latency: [
                dict(zip(names, values, strict=True)) for values in self._bins.rows(blocks, names)
            ]
            for latency, blocks in self._bins.of(row).items()
        }

    def agreeing(self, row: Row, latency: str) -> int | None:
        """Count the questions to which curve and bins of a row surely agree; None: ask each."""
        return self._agreeing.get((_place(row), latency), 0)

    @cached_property
    def _agreeing(self) -> dict[tuple[Place, str], int | None]:
        """Judge all rows that have a curve or bins."""
        told = self._io.select(
            *_PLACE, "total_ios", *(f"{x}_{end}_ns" for x in _JUDGED for end in _ENDS)
        )
        rows = told.fill_nan(None).rows()
        twice = Counter(row[: len(_PLACE)] for row in rows)
        found: dict[tuple[Place, str], int | None] = {}
        asked: list[_Asked] = []
        for row in rows:
            place, ios, ends = row[: len(_PLACE)], row[len(_PLACE)], row[len(_PLACE) + 1 :]
            for at, latency in enumerate(_JUDGED):
                curve, bins = (x.at(place).get(latency, []) for x in (self._curves, self._bins))
                least, mean, most = ends[3 * at : 3 * at + 3]
                if not (curve or bins) or None in (least, mean, most) or not ios:
                    continue
                if twice[place] > 1 or len(curve) > 1 or len(bins) > 1:
                    found[place, latency] = None
                    continue
                one = _Asked((place, latency), least, mean, most, 100 / ios)
                one.curve, one.bins = (own[0] if own else None for own in (curve, bins))
                asked.append(one)
        fits = self._curves_fit([one for one in asked if one.curve])
        for one in asked:
            count = fits.get(one.key, True) and self._count(one)
            found[one.key] = None if count is False else count
        return found

    def _curves_fit(self, asked: Sequence[_Asked]) -> dict[tuple[Place, str], bool]:
        """Say which curves surely lie between the ends, and allow the mean."""
        if not asked:
            return {}
        sizes = np.array([one.curve[1] - one.curve[0] for one in asked if one.curve])
        at = np.concatenate([np.arange(*one.curve) for one in asked if one.curve])
        first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        last = first + sizes - 1
        least, mean, most, share = (
            np.array([getattr(one, name) for one in asked], dtype=np.float64)
            for name in ("least", "mean", "most", "one")
        )
        p, v = (self._curves.numbers(name)[at] for name in ("percentile", "value_ns"))
        before, prior = np.roll(p, 1), np.roll(v, 1)
        before[first], prior[first] = 0.0, least
        rises = p > before
        rises[first] = p[first] >= 0
        margin = _MARGIN * most
        low, high = (1 - BINS) * least - ROUNDED + margin, (1 + BINS) * most + ROUNDED - margin
        inside = (v >= np.repeat(low, sizes)) & (v <= np.repeat(high, sizes)) & rises
        fits = np.logical_and.reduceat(inside, first)
        rest = 100 - p[last]
        low = np.add.reduceat((p - before) * prior, first) + rest * v[last]
        high = np.add.reduceat((p - before) * v, first) + rest * most
        off = share / 100 * np.maximum(np.maximum.reduceat(v, first), most)
        fits &= mean >= low / 100 * (1 - BINS) - off - ROUNDED + margin
        fits &= mean <= high / 100 * (1 + BINS) + off + ROUNDED - margin
        return {one.key: bool(fit) for one, fit in zip(asked, fits, strict=True)}

    def _count(self, one: _Asked) -> int | bool:
        """Count the questions that a row's curve and bins answer; False if one may not agree."""
        of_curve = 2 if one.curve else 0  # its ends, its mean
        if one.bins is None:
            return of_curve
        columns = ("count", "pct", "bin_lo_ns", "bin_hi_ns", "time_s")
        count, pct, low, high, time = (
            self._bins.numbers(name)[slice(*one.bins)] for name in columns
        )
        is_cut = bool(np.isnan(count).any())
        count = np.where(np.isnan(count), pct, count)
        if np.isnan(count).any() or not np.isnan(time).all():
            return of_curve  # not the bins of the whole run
        whole = count.sum() if np.isnan(pct[0]) else max(100.0, count.sum())
        there = count != 0
        high = np.minimum(np.where(np.isnan(high) | (high == 0), one.most, high), one.most)[there]
        low, shares = low[there], 100 * count[there] / (whole or 1.0)
        if (count < 0).any() or np.isnan(low).any() or (np.diff(low) <= 0).any():
            return False
        off = max(one.one, CENT * (len(shares) + 1)) if is_cut else one.one
        rest, margin = 100.0 - shares.sum(), _MARGIN * one.most
        if len(shares):
            slack = off / 100 * max(float(high.max()), one.most) + ROUNDED - margin
            least = (rest * one.least + shares @ low) / 100 * (1 - BINS) - slack
            most = (rest * one.most + shares @ high) / 100 * (1 + BINS) + slack
            if not least <= one.mean <= most:
                return False
        answers = of_curve + bool(len(shares))
        if one.curve is None:
            return answers
        p, v = (self._curves.numbers(x)[slice(*one.curve)] for x in ("percentile", "value_ns"))
        upto = np.concatenate([[0.0], np.cumsum(shares)])
        place = np.searchsorted(low, v, side="right") - 1
        faster = upto[np.maximum(place - 1, 0)] - off - rest + _MARGIN
        slower = upto[np.minimum(place + 2, len(shares))] + off + rest - _MARGIN
        return answers + 1 if ((faster <= p) & (p <= slower)).all() else False


_ENDS = ("min", "mean", "max")


@dataclass
class _Asked:
    """A row of `io` and a latency: its ends [ns], the share of one I/O, its curve and bins."""

    key: tuple[Place, str]
    least: float
    mean: float
    most: float
    one: float
    curve: Block | None = None
    bins: Block | None = None


class _Table:
    """A table whose rows of one place and latency follow each other."""

    def __init__(self, frame: pl.DataFrame | None) -> None:
        self._frame = frame
        self._numbers: dict[str, Array] = {}

    @cached_property
    def _blocks(self) -> dict[Place, dict[str, list[Block]]]:
        found: dict[Place, dict[str, list[Block]]] = defaultdict(lambda: defaultdict(list))
        if self._frame is None or not len(self._frame):
            return found
        names = (*_PLACE, "latency")
        differs = pl.any_horizontal(pl.col(x).ne_missing(pl.col(x).shift(1)) for x in names)
        new = self._frame.select(differs).to_series().to_numpy().copy()
        new[0] = True
        starts = np.flatnonzero(new)
        ends = [*starts[1:].tolist(), len(self._frame)]
        heads = self._frame.select(pl.col(names).gather(starts)).rows()
        for (*place, latency), start, end in zip(heads, starts.tolist(), ends, strict=True):
            found[tuple(place)][latency].append((start, end))
        return found

    def of(self, row: Row) -> Mapping[str, list[Block]]:
        """Return the blocks of a row of `io` by latency."""
        return self.at(_place(row))

    def at(self, place: Place) -> Mapping[str, list[Block]]:
        """Return the blocks of a place by latency."""
        return self._blocks.get(place, {})

    def rows(self, blocks: Sequence[Block], names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield the values of some blocks."""
        for start, end in blocks:
            lists = (self.numbers(name)[start:end].tolist() for name in names)
            yield from zip(*map(_known, lists), strict=True)

    def numbers(self, name: str) -> Array:
        """Return a column of numbers, missing as NaN."""
        if name not in self._numbers and self._frame is not None:
            column = self._frame[name].cast(pl.Float64)
            self._numbers[name] = column.fill_null(np.nan).to_numpy()
        return self._numbers[name]


def _known(numbers: list[float]) -> list[float | None]:
    return [None if number != number else number for number in numbers]


def _place(row: Row) -> Place:
    return tuple(row[name] for name in _PLACE)
