"""The two sides of a comparison: a number for each run, in cells, and what their order may do.

A run is a place in arrays: the logarithm of its number, the row in which it begins, its cell. So
what is asked of a side is asked of a slice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from fiotools.errors import SchemaError, argument, typed
from fiotools.flags import Flag, flag
from fiotools.stats import frames, replicates
from fiotools.stats.columns import Codes, Columns, Rows, dense, together
from fiotools.stats.drift import LEAST_DF, Placed, drift, step
from fiotools.stats.frames import Array
from fiotools.stats.order import Order
from fiotools.stats.population import unlike
from fiotools.stats.replicates import Runs
from fiotools.vocabulary import CONDITIONS, EVERY

SIDES = ("level", "baseline")


@dataclass(frozen=True)
class Side:
    """The runs of one side: `logs` has a number for each, over its cells their mean.

    `rows` says in which row each run begins, `runs` which run it is, `pair` which partner it has
    (-1: none), `cell` of which cell it is, where cells have runs of their own.
    """

    logs: Array
    rows: Rows
    runs: Codes
    pair: Codes
    cell: Codes

    def __len__(self) -> int:
        return len(self.logs)

    def take(self, which: Rows) -> Side:
        """Keep some runs."""
        return Side(*(own[which] for own in vars(self).values()))


class Values(NamedTuple):
    """How many values a column has."""

    n: int
    column: str


class Within(NamedTuple):
    """What lies within the units of a side.

    The variance of a unit's mean has `share` of that of its runs, which these show by `squares`,
    the sum of their squared deviations, with `df` degrees of freedom.
    """

    share: Array
    squares: float
    df: int


@dataclass(frozen=True)
class Sides:
    """The runs of both sides.

    `dims` are unnamed conditions that vary within a side: they make its cells, each with runs of
    its `own`, or else each run went through all, `each` of them. `over` is the column of which each
    run has its own value, and how many there are. A `unit` may be more than a run, the mean of
    several, with a spread `within`; units that hold runs of both sides pair them.
    """

    level: Side
    baseline: Side
    dims: list[str]
    own: bool
    each: int = 1
    order: Order | None = None
    over: Values | None = None
    unit: str = "run"
    within: tuple[Within, Within] | None = None
    paired_by: str | None = None

    def by_cell(self) -> list[tuple[Side, Side]]:
        """Give the runs of level and baseline in each cell that is analysed on its own."""
        if not self.own:
            return [(self.level, self.baseline)]
        cells = dict.fromkeys([*self.level.cell.tolist(), *self.baseline.cell.tolist()])
        return [
            (
                self.level.take(np.flatnonzero(self.level.cell == cell)),
                self.baseline.take(np.flatnonzero(self.baseline.cell == cell)),
            )
            for cell in cells
        ]

    def logs(self) -> list[tuple[Array, Array]]:
        """Give the logarithms of the same runs."""
        return [(level.logs, baseline.logs) for level, baseline in self.by_cell()]


def sides_of(runs: Runs[Any], level: Rows, baseline: Rows) -> Sides:
    """Reduce the rows of both sides to runs; refuse runs without one number, and unequal cells."""
    columns = runs.columns
    conditions = [name for name in runs.watch if name in CONDITIONS]
    within = {*columns.differing(conditions, level), *columns.differing(conditions, baseline)}
    dims = [name for name in conditions if name in within]
    cells = columns.together(dims, np.concatenate([level, baseline])) if dims else None
    a, sizes_a = _side(runs, level, None if cells is None else cells[: len(level)])
    b, sizes_b = _side(runs, baseline, None if cells is None else cells[len(level) :])
    both: tuple[Within, Within] | None = None
    paired_by = None
    if runs.units is None:
        _refuse_shared(runs, a, b)
    else:
        here = np.zeros(len(level) + len(baseline), dtype=np.int64) if cells is None else cells
        a, sizes_a, of_a = _units(runs, runs.units, level, here[: len(level)])
        b, sizes_b, of_b = _units(runs, runs.units, baseline, here[len(level) :])
        both, paired_by = (of_a, of_b), runs.unit if _are_pairs(a, b) else None
    own, each = False, 1
    if cells is not None and len(a) and len(b):
        own, each = _own_cells(cells, len(level), np.concatenate([sizes_a, sizes_b]), dims)
    over = None if runs.units is not None else _over(runs, level, baseline)
    unit = runs.unit or "run"
    return Sides(a, b, dims, own, each, runs.order, over, unit, both, paired_by)


def _side(runs: Runs[Any], rows: Rows, cells: Codes | None) -> tuple[Side, Codes]:
    """Reduce rows to runs; say of how many cells each is."""
    columns = runs.columns
    cells = np.zeros(len(rows), dtype=np.int64) if cells is None else cells
    logs, keys, sizes = runs.logs[rows], columns.run[rows], np.ones(len(rows), dtype=np.int64)
    if not columns.is_row_each:
        _, first, run, count = np.unique(
            keys, return_index=True, return_inverse=True, return_counts=True
        )
        if len(first) < len(rows):
            places = together([run, cells], len(rows))
            if len(np.unique(places)) < len(rows):
                raise replicates.several_rows(columns, rows, keys, places)
            come = np.argsort(first)  # runs as they come
            first, sizes = first[come], count[come]
            logs = (np.bincount(run, weights=logs) / count)[come]
            rows, keys, cells = rows[first], keys[first], cells[first]
    pair = np.full(len(rows), -1)
    if runs.pair is not None:
        known = columns.known(runs.pair)[rows]
        pair = np.where(known, columns.codes(runs.pair)[rows], -1)
        _refuse_several_partners(runs, rows[known], pair[known])
    return Side(logs, rows, keys, pair, cells), sizes


def _units(runs: Runs[Any], units: Codes, rows: Rows, cells: Codes) -> tuple[Side, Codes, Within]:
    """Reduce rows to units: over its cells, the mean of the mean of their runs.

    Say of how many cells each is, and what lies within it.
    """
    own, logs = units[rows], runs.logs[rows]
    _, first, place, count = np.unique(
        together([dense(own), cells], len(rows)),
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    means = np.bincount(place, weights=logs, minlength=len(first)) / count
    squares = float(np.sum((logs - means[place]) ** 2)) if len(rows) else 0.0
    keys, begin, which, sizes = np.unique(
        own[first], return_index=True, return_inverse=True, return_counts=True
    )
    share = np.bincount(which, weights=1 / count, minlength=len(keys)) / sizes**2
    logs = np.bincount(which, weights=means, minlength=len(keys)) / sizes
    at = first[begin]
    come = np.argsort(at, kind="stable")
    at, keys = at[come], keys[come]
    side = Side(logs[come], rows[at], keys, keys, cells[at])
    return side, sizes[come], Within(share[come], squares, len(rows) - len(first))


def _are_pairs(level: Side, baseline: Side) -> bool:
    """Say whether units hold runs of both sides, and so pair them."""
    both = len(np.intersect1d(level.runs, baseline.runs))
    return both > 1 or (both == 1 and both == len(level) == len(baseline))


def _refuse_several_partners(runs: Runs[Any], rows: Rows, pair: Codes) -> None:
    """Refuse two runs of a side with the same partner."""
    _, first, which = np.unique(pair, return_index=True, return_inverse=True)
    if len(first) == len(pair):
        return
    second = int(np.flatnonzero(first[which] != np.arange(len(pair)))[0])
    both = rows[[first[which[second]], second]]
    columns, name = runs.columns, str(runs.pair)
    value = columns.values(name, both[:1])[0]
    who = ", ".join(replicates.run_name(replicates.run_key(columns, int(row))) for row in both)
    head = f"{name} {value!r} has more than one run on a side ({who}): no pairs"
    # labels, and whole numbers such as a round
    own = [
        name for name, kind in columns.schema.items() if name not in EVERY and not kind.is_float()
    ]
    few = columns.data[both.tolist(), :]
    apart = frames.differing(frames.columns(few, [*CONDITIONS, *own]))
    if not apart:
        raise SchemaError(f"{head}; keep one of them")
    one = frames.values(few, apart[0])[0]
    raise SchemaError(
        f"{head}; "
        + typed(f"add {apart[0]!r} to by=", f"--by {apart[0]}")
        + f", or keep one: {frames.to_type(few, apart[0], one)}"
    )


def _refuse_shared(runs: Runs[Any], level: Side, baseline: Side) -> None:
    """Refuse runs that are on both sides: they are pairs, not independent groups."""
    columns = runs.columns
    if runs.pair is not None or columns.is_row_each or "source" not in columns:
        return
    shared = baseline.rows[np.isin(baseline.runs, level.runs)]
    shared = shared[columns.known("source")[shared]]
    if not len(shared):
        return
    sources = set(columns.values("source", shared))
    how = argument("pair", "run" if len(sources) == 1 < len(shared) else "source")
    if 1 < len(sources) < len(shared):
        how = typed("pair='run', by='source'", "--pair run --by source")
    name = replicates.run_name(replicates.run_key(columns, int(shared[0])))
    raise SchemaError(f"{name} stands on both sides: compare within runs, {how}")


def _own_cells(cells: Codes, split: int, sizes: Codes, dims: list[str]) -> tuple[bool, int]:
    """Say whether cells have their own runs, and how many a run has; refuse unequal cells."""
    level, baseline = np.unique(cells[:split]), np.unique(cells[split:])
    if (sizes == len(np.union1d(level, baseline))).all():
        return False, int(sizes[0])
    if (sizes == 1).all() and np.array_equal(level, baseline):
        return True, 1
    raise SchemaError(
        f"the runs do not all hold the same cells of {', '.join(dims)}: "
        f"name that in {argument('by')}, or keep what both sides have"
    )


def _over(runs: Runs[Any], level: Rows, baseline: Rows) -> Values | None:
    """Name the condition, target or label of which each run of a side has its own value."""
    columns, pair = runs.columns, runs.pair
    if pair is not None:
        if runs.has_rounds:
            return None
        own, known = columns.codes(pair), columns.known(pair)
        count = len(np.intersect1d(own[level[known[level]]], own[baseline[known[baseline]]]))
        return Values(count, pair) if count > 1 else None
    for name in runs.watch:
        if name not in CONDITIONS and all(
            _each_its_own(columns, name, s) for s in (level, baseline)
        ):
            return Values(len(level), name)
    return None


def _each_its_own(columns: Columns[Any], name: str, rows: Rows) -> bool:
    if not 1 < len(rows) <= columns.kinds(name) or not columns.known(name)[rows].all():
        return False
    return len(np.unique(columns.codes(name)[rows])) == len(rows)


def matched(sides: Sides) -> tuple[Sides, int]:
    """Keep the runs that have a partner, in the same order on both sides; count the others."""
    if sides.own:
        raise SchemaError(
            f"pairs need the same cells in every run: "
            f"name {', '.join(sides.dims)} in {argument('by')}"
        )
    level, baseline = (
        side.take(np.flatnonzero(side.pair >= 0)) for side in (sides.level, sides.baseline)
    )
    _, one, other = np.intersect1d(level.pair, baseline.pair, return_indices=True)
    come = np.argsort(one)
    alone = len(sides.level) + len(sides.baseline) - 2 * len(one)
    found = replace(sides, level=level.take(one[come]), baseline=baseline.take(other[come]))
    return found, alone


def kinds(sides: Sides, *, paired: bool) -> list[Flag]:
    """Flag runs that are not of one kind; for pairs, of their ratios."""
    if paired:
        return unlike(sides.level.logs - sides.baseline.logs, "pairs")
    if sides.over:
        return []
    found = [
        one
        for cell in sides.logs()
        for side, logs in zip(SIDES, cell, strict=True)
        for one in unlike(logs, side)
    ]
    return [one for at, one in enumerate(found) if one not in found[:at]]


def order_flags(sides: Sides, *, paired: bool, band: float, confidence: float) -> list[Flag]:
    """Flag what the order of the runs may have done, as far as it is known.

    A disturbance hits both runs of a pair or round: a drift is looked for in their means.
    """
    order = sides.order
    if order is None:
        return []
    # cells have levels of their own: a difference between them is not a drift
    cells = _placed(sides, order)
    if not cells:
        return []
    found = _fixed_order(cells, paired=paired) if order.across else []
    if sides.over:  # a change made from run to run is not a drift
        return found
    series = [side for cell in cells for side in cell]
    if paired:
        [(level, baseline)] = cells
        series = [Placed(level.places, (level.logs + baseline.logs) / 2)]
    elif all(_are_rounds(*cell) for cell in cells):
        series = [_means(*cell) for cell in cells]
    trend = drift(series, band=band, confidence=confidence, order=order.name)
    jump = step(series, band=band)
    found += [one for one in (trend, jump) if one]
    if order.across or (sides.within is None and _are_one_run(sides)):
        return found
    if trend:
        found.append(flag("first-unknown"))
    elif len(series) == 1 and len(series[0].places) - 2 < LEAST_DF:
        what = "pairs" if paired else "rounds"
        found.append(flag("few-rounds", n=len(series[0].places), what=what))
    return found


def _placed(sides: Sides, order: Order) -> list[tuple[Placed, Placed]]:
    """Put the values of each side beside their places; nothing if their order is unknown."""
    found = []
    for cell in sides.by_cell():
        level, baseline = (order.of(side.rows) for side in cell)
        if level is None or baseline is None or not len(level) or not len(baseline):
            return []
        found.append((Placed(level, cell[0].logs), Placed(baseline, cell[1].logs)))
    return found


def _are_rounds(level: Placed, baseline: Placed) -> bool:
    return np.array_equal(np.sort(level.places), np.sort(baseline.places))


def _means(level: Placed, baseline: Placed) -> Placed:
    """Give the mean of both runs of each round."""
    one, other = (side.sorted() for side in (level, baseline))
    return Placed(one.places, (one.logs + other.logs) / 2)


def _are_one_run(sides: Sides) -> bool:
    """Say whether what faces each other is of one run."""
    count = min(len(sides.level), len(sides.baseline))
    return np.array_equal(sides.level.runs[:count], sides.baseline.runs[:count])


def _fixed_order(cells: Sequence[tuple[Placed, Placed]], *, paired: bool) -> list[Flag]:
    """Raise a flag if one side always came first."""
    places = [(level.places, baseline.places) for level, baseline in cells]
    if all(map(blocks, places)) and len({bool(a.min() < b.min()) for a, b in places}) == 1:
        return [flag("blocks")]
    for side, (one, other) in zip(SIDES, (places[0], places[0][::-1]), strict=True):
        if paired and (one < other).all():
            return [flag("order", side=side)]
    return []


def blocks(sides: Sequence[Sequence[Any] | Codes]) -> bool:
    """Say whether all runs of one side came before all of the other."""
    if min(len(side) for side in sides) < 2:
        return False
    first, second = sorted(map(np.asarray, sides), key=np.min)
    return bool(first.max() < second.min())


def levels_beside(columns: Columns[Any], between: str, baseline: Any) -> list[Any]:
    """Give the levels to compare with the baseline, which must be one of them."""
    frames.refuse_gaps(columns.data, between, int((~columns.known(between)).sum()))
    there = columns.values(between, columns.first(between))
    listed = ", ".join(repr(value) for value in there)
    if baseline not in there:
        why = f"is not a value of {between!r}"
        numeric = columns.schema[between].is_numeric()
        if numeric and isinstance(baseline, str):
            why = f"is a text, and {between!r} holds numbers"
        elif isinstance(baseline, (int, float)) and all(isinstance(value, str) for value in there):
            why = f"is a number, and {between!r} holds texts"
        raise SchemaError(f"baseline {baseline!r} {why}; there are: {listed}")
    if len(there) < 2:
        raise SchemaError(f"{between!r} holds only {listed}: there is nothing to compare it with")
    return [value for value in there if value != baseline]
