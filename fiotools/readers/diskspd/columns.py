"""Runs of DISKSPD's XML as rows of tables: whole columns, for all runs that are laid out alike.

One run is read in the same way as the thousand of a campaign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fiotools.readers.diskspd.buckets import DIRECTIONS, Curve, Sampled
from fiotools.readers.diskspd.figures import Figures
from fiotools.readers.diskspd.samples import Percentiles, samples, words
from fiotools.readers.diskspd.shapes import AMOUNTS, RATES, USAGE
from fiotools.tables import Made

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fiotools.readers.diskspd.elements import Spot
    from fiotools.readers.diskspd.options import Asked, Conditions
    from fiotools.readers.diskspd.shapes import Layout, Values
    from fiotools.tables import Column

    Array = NDArray[Any]


_EXTREMES = ("lat_min_ns", "lat_max_ns")  # of whole runs: percentiles 0 and 100


class Run(NamedTuple):
    """A run, of which rows are made.

    Attributes
    ----------
    number : int
        Within its file.
    layout : Layout
    values : Values
    asked : Asked
    sampled : list of (Sampled or None)
        What ``-D`` sampled of each entry, and of the whole run.
    curve : Curve
        The percentiles.
    cut : sequence of int
        How many lines of the document stood where the first marks are (`Spot.within`).
    above : int
        Lines of the file above the document.
    """

    number: int
    layout: Layout
    values: Values
    asked: Asked
    sampled: Sequence[Sampled | None]
    curve: Curve
    cut: Sequence[int]
    above: int

    def line(self, spot: Spot) -> int:
        """Say in which line of the file something stands."""
        return self.above + spot.within(self.cut)


def make(runs: Sequence[Run], wants: Callable[[str], bool]) -> Iterator[Made]:
    """Make the rows of runs of many files: those that are laid out alike together."""
    alike: dict[int, list[int]] = {}
    for place, run in enumerate(runs):
        alike.setdefault(id(run.layout), []).append(place)
    for places in alike.values():
        columns = Columns([runs[place] for place in places])
        own, numbers = np.array(places, dtype=np.int32), columns.numbers
        for table, of_table in columns.tables().items():
            if wants(table):
                whose, found = of_table()
                yield Made(table, own[whose], {"run": numbers[whose], **found})
    if wants("samples"):
        yield from samples(runs)


class Rows(NamedTuple):
    """Rows of one table: the place of the run that each is of, and their columns."""

    whose: Array
    columns: Mapping[str, Column]


class Columns:
    """The rows of runs of one layout."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._runs, self._layout = runs, runs[0].layout
        self._entries = len(self._layout.entries)
        self.numbers = np.array([run.number for run in runs])

    def tables(self) -> dict[str, Callable[[], Rows]]:
        """Give what makes the rows of each table."""
        found = {"settings": self.settings, "extras": self.extras}
        if self._layout.failed is None:
            found |= {"io": self.io, "cpu": self.cpu, "notes": self.notes}
            found["percentiles"] = self.percentiles
        return found

    @cached_property
    def _figures(self) -> Figures:
        return Figures(self._layout, [run.values for run in self._runs])

    @cached_property
    def _percentiles(self) -> Percentiles:
        return Percentiles([run.curve for run in self._runs], self._entries + 1)

    @cached_property
    def _gaps(self) -> list[str | None]:
        return self._figures.gaps([run.asked.each for run in self._runs])

    @property
    def _is_whole(self) -> Array:
        return np.array([gap is None for gap in self._gaps])

    @cached_property
    def _conditions(self) -> dict[str, Array]:
        """The conditions of the entries of all runs, each followed by those of the whole run."""
        every: list[Conditions] = []
        for run, sizes in zip(self._runs, self._figures.sizes.tolist(), strict=True):
            paths = [path or None for path in run.values.texts[: self._entries]]
            known = [None if size < 0 else size for size in sizes]
            every += [run.asked.of(path) for path in paths]
            every.append(run.asked.for_total(dict(zip(paths, known, strict=True))))
        names = dict.fromkeys(name for one in every for name in one)
        found = {name: np.array([one.get(name) for one in every], dtype=object) for name in names}
        # the size that the results say of a target is better than that which was asked for
        sizes = self._of_entries(self._figures.sizes)
        asked = found.get("size_bytes", [None] * len(sizes))
        both = zip(sizes, asked, strict=True)
        found["size_bytes"] = np.array([b if a is None else a for a, b in both], dtype=object)
        return found

    def _of_entries(self, numbers: Array) -> Array:
        """List whole numbers of the entries of all runs, None for each whole run behind them."""
        none = np.full((len(self._runs), 1), -1)
        return _known(np.concatenate([numbers, none], axis=1)).reshape(-1)

    def settings(self) -> Rows:
        """Give what was asked for."""
        pairs = [pair for run in self._runs for pair in run.asked.settings]
        columns = {
            "option": [option for option, _ in pairs],
            "text": [text for _, text in pairs],
            "origin": ["given"] * len(pairs),
        }
        return Rows(self._each([len(run.asked.settings) for run in self._runs]), columns)

    def io(self) -> Rows:
        """Give the rows of threads on targets, and of whole runs behind them."""
        figures, last = self._figures, self._entries
        there = figures.moved.copy()
        there[:, :-1] |= figures.dead()
        there[:, -1] &= self._is_whole[:, None]
        place = np.nonzero(there)
        whose, entry, way = place
        each = whose * (last + 1) + entry
        moved, count = (figures.of[one.column][place] for one in AMOUNTS)
        seconds = figures.seconds[whose]
        time = np.where(seconds > 0, seconds, np.nan)
        columns: dict[str, Column] = {
            "entry": entry + 1,
            "direction": words(DIRECTIONS, way).to_list(),
            "scope": words(("thread", "total"), (entry == last).astype(int)).to_list(),
            "io_bytes": moved,
            "total_ios": count,
            "runtime_s": seconds,
            "iops": count / time,
            "bw_bytes_per_s": moved / time,
        }
        for one in RATES:
            columns[one.column] = np.where(count == 0, np.nan, figures.of[one.column][place])
        for name, extreme in zip(_EXTREMES, self._percentiles.extremes(), strict=True):
            columns[name] = np.where(entry == last, extreme[whose, way], np.nan)
        paths = [path or None for run in self._runs for path in (*run.values.texts[:last], None)]
        threads = figures.threads.repeat(self._layout.targets, axis=1)
        of_entries = {
            "thread": self._of_entries(threads),
            "target": np.array(paths, dtype=object),
            **self._conditions,
        }
        for name, values in of_entries.items():
            columns[name] = values[each].tolist()
        return Rows(whose, columns)

    def cpu(self) -> Rows:
        """Give the rows of processors, and of averages behind them."""
        count, averages = self._layout.cpus, ["average"] * self._layout.averages
        names = [
            name or None
            for run in self._runs
            for name in (*run.values.texts[self._entries : self._entries + count], *averages)
        ]
        columns: dict[str, Column] = {
            "group": _known(self._figures.groups.reshape(-1)).tolist(),
            "cpu": names,
            **dict(zip(USAGE, self._figures.usage.T, strict=True)),
        }
        return Rows(self._each(count + len(averages)), columns)

    def extras(self) -> Rows:
        """Give the values that have no column of their own."""
        places, runs = self._layout.extras, len(self._runs)
        first = self._entries + self._layout.cpus
        columns: dict[str, Column] = {
            "entry": [entry for entry, _ in places] * runs,
            "path": [path for _, path in places] * runs,
            "text": [text for run in self._runs for text in run.values.texts[first:]],
        }
        return Rows(self._each(len(places)), columns)

    def percentiles(self) -> Rows:
        """Give the percentiles of whole runs."""
        return Rows(*self._percentiles.rows())

    def notes(self) -> Rows:
        """Say what is wrong with each run, and in which line."""
        figures, spot = self._figures, self._layout.spot
        said: list[tuple[int, Spot, str]] = [
            (run, spot, "no TestTimeSeconds: rates are missing")
            for run in np.flatnonzero(~(figures.seconds > 0)).tolist()
        ]
        none = np.full(len(self._runs) * (self._entries + 1), None)
        blocks = [-1 if size is None else size for size in self._conditions.get("bs_bytes", none)]
        by_run = np.array(blocks, dtype=np.int64).reshape(len(self._runs), -1)
        said += figures.contradictions(by_run[:, :-1])
        said += [
            (run, spot, f"{gap}: their sum is no total, and is left out")
            for run, gap in enumerate(self._gaps)
            if gap
        ]
        said += [(run, spot, problem) for run, problem in figures.unlike_means(self._is_whole)]
        said += [(run, spot, problem) for run, problem in self._percentiles.falling()]
        said.sort(key=lambda one: one[0])
        columns: dict[str, Column] = {
            "line": [self._runs[run].line(spot) for run, spot, _ in said],
            "severity": ["warning"] * len(said),
            "message": [message for _, _, message in said],
        }
        return Rows(np.array([run for run, _, _ in said], dtype=np.int64), columns)

    def _each(self, rows: int | list[int]) -> Array:
        return np.arange(len(self._runs)).repeat(rows)


def _known(numbers: Array) -> Array:
    """Make None of whole numbers below 0."""
    found = numbers.astype(object)
    found[numbers < 0] = None
    return found
