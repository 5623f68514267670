"""Runs of DISKSPD as rows of tables: whole columns, for the runs of many files at once.

One run is read in the same way as the thousand of a campaign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from fiotools.readers.diskspd import checks
from fiotools.readers.diskspd.buckets import DIRECTIONS
from fiotools.readers.diskspd.figures import USAGE, Figures, Run
from fiotools.readers.diskspd.samples import Percentiles, samples
from fiotools.tables import Made

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fiotools.readers.diskspd.options import Conditions
    from fiotools.tables import Column

    Array = NDArray[Any]
    Columns = dict[str, Column]


def make(runs: Sequence[Run], wants: Callable[[str], bool]) -> Iterator[Made]:
    """Make the rows of runs of many files."""
    figures = Figures(runs)
    percentiles = Percentiles(runs, figures.last - figures.first)
    conditions = _conditions(runs)
    numbers = np.array([run.number for run in runs])
    tables: dict[str, Callable[[], tuple[Any, Columns]]] = {
        "settings": lambda: _settings(runs),
        "io": lambda: _io(figures, percentiles, conditions),
        "cpu": lambda: _cpu(runs),
        "extras": lambda: _extras(runs),
        "percentiles": percentiles.rows,
        "notes": lambda: _notes(figures, percentiles, conditions["bs_bytes"]),
    }
    for table, of_table in tables.items():
        if wants(table):
            whose, columns = of_table()
            owners = np.array(whose, dtype=np.int32)
            if len(owners):
                yield Made(table, owners, {"run": numbers[owners], **columns})
    if wants("samples"):
        yield from samples(runs)


def _conditions(runs: Sequence[Run]) -> dict[str, list[Any]]:
    """Give the conditions of the entries of all runs, each followed by those of the whole run.

    The size that the results say of a target is better than that which was asked for.
    """
    every: list[Conditions] = []
    for run in runs:
        for path, size in zip(run.targets, run.sizes, strict=True):
            asked = run.asked.of(path)
            every.append(asked if size is None else {**asked, "size_bytes": size})
        every.append(run.asked.for_total(dict(zip(run.targets, run.sizes, strict=True))))
    names = dict.fromkeys(chain(("bs_bytes",), *every))
    return {name: [one.get(name) for one in every] for name in names}


def _settings(runs: Sequence[Run]) -> tuple[Any, Columns]:
    """Give what was asked for."""
    whose = [place for place, run in enumerate(runs) for _ in run.asked.settings]
    pairs = [pair for run in runs for pair in run.asked.settings]
    return whose, {
        "option": [option for option, _ in pairs],
        "text": [text for _, text in pairs],
        "origin": ["given"] * len(pairs),
    }


def _io(
    figures: Figures, percentiles: Percentiles, conditions: Mapping[str, list[Any]]
) -> tuple[Any, Columns]:
    """Give the rows of threads on targets, and of whole runs behind them."""
    runs = figures.runs
    row, way = np.nonzero(figures.there)
    whose, is_total = figures.whose[row], figures.is_total[row]
    columns: Columns = {
        "entry": figures.entry[row] + 1,
        "direction": [DIRECTIONS[one] for one in way.tolist()],
        "scope": ["total" if one else "thread" for one in is_total.tolist()],
        "runtime_s": np.array([run.seconds for run in runs])[whose],
    }
    for name, values in figures.of.items():
        columns[name] = known(values[row, way])
    for name, extreme in zip(("lat_min_ns", "lat_max_ns"), percentiles.extremes(), strict=True):
        columns[name] = np.where(is_total, extreme[whose, way], np.nan)
    of_rows: dict[str, list[Any]] = {
        "thread": [one for run in runs for one in (*run.threads, None)],
        "target": [one for run in runs for one in (*run.targets, None)],
        **conditions,
    }
    rows = row.tolist()
    for name, listed in of_rows.items():
        columns[name] = [listed[one] for one in rows]
    return whose, columns


def known(numbers: Array) -> Column:
    """Make None of whole numbers below 0."""
    if numbers.dtype.kind == "f" or (numbers >= 0).all():
        return numbers
    return [None if number < 0 else number for number in numbers.tolist()]


def _cpu(runs: Sequence[Run]) -> tuple[Any, Columns]:
    """Give the rows of processors, and of averages behind them."""
    usage = np.array([*chain.from_iterable(run.usage for run in runs)]).reshape(-1, len(USAGE))
    return [place for place, run in enumerate(runs) for _ in run.cpus], {
        "group": [group for run in runs for group in run.groups],
        "cpu": [name for run in runs for name in run.cpus],
        **dict(zip(USAGE, usage.T, strict=True)),
    }


def _extras(runs: Sequence[Run]) -> tuple[Any, Columns]:
    """Give the values that have no column of their own."""
    rows = [row for run in runs for row in run.extras]
    return [place for place, run in enumerate(runs) for _ in run.extras], {
        "entry": [entry for entry, _, _ in rows],
        "path": [path for _, path, _ in rows],
        "text": [text for _, _, text in rows],
    }


def _notes(
    figures: Figures, percentiles: Percentiles, blocks: Sequence[int | None]
) -> tuple[Any, Columns]:
    """Say what is wrong with each run, and in which line."""
    said = [
        *checks.parts(figures),
        *checks.blocks(figures, np.array([block or 0 for block in blocks], dtype=np.int64)),
        *checks.means(figures),
        *percentiles.falling(),
    ]
    said.sort(key=lambda one: one[0])
    return [run for run, _, _ in said], {
        "line": [line for _, line, _ in said],
        "severity": ["warning"] * len(said),
        "message": [message for _, _, message in said],
    }
