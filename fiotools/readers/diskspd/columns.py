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
from fiotools.readers.diskspd.shapes import USAGE
from fiotools.tables import Made

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fiotools.readers.diskspd.elements import Spot
    from fiotools.readers.diskspd.options import Asked, Conditions
    from fiotools.readers.diskspd.shapes import Layout, Values
    from fiotools.tables import Column

    Array = NDArray[Any]


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
        How many lines of the document stood where each mark is.
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
        for whose, sizes, rows_found, shared in samples(runs):
            numbers = np.array([runs[place].number for place in whose.tolist()])
            yield Made(
                "samples", whose.astype(np.int32), rows_found, sizes, {"run": numbers, **shared}
            )


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

    @cached_property
    def _paths(self) -> list[str | None]:
        """The paths of the entries of all runs."""
        return [path or None for run in self._runs for path in run.values.texts[: self._entries]]

    @cached_property
    def _conditions(self) -> dict[str, Array]:
        """The conditions of the entries of all runs."""
        plans = (run.asked for run in self._runs for _ in range(self._entries))
        found = _columns([plan.of(path) for plan, path in zip(plans, self._paths, strict=True)])
        sizes = self._figures.sizes.reshape(-1)
        given = found.get("size_bytes", np.full(len(sizes), None))
        found["size_bytes"] = np.where(sizes < 0, given, sizes)
        return found

    def _of_totals(self) -> dict[str, Array]:
        """Give the conditions of all runs as a whole."""
        return _columns(
            [
                run.asked.for_total(
                    {
                        path: None if size < 0 else size
                        for path, size in zip(run.values.texts, sizes, strict=False)
                    }
                )
                for run, sizes in zip(self._runs, self._figures.sizes.tolist(), strict=True)
            ]
        )

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
        threads, totals = self._figures.entries, self._figures.totals
        # a thread that did nothing while its run did something is dead: that is its share
        _, firsts, thread = np.unique(
            np.arange(len(self._layout.targets)).repeat(self._layout.targets),
            return_index=True,
            return_inverse=True,
        )
        busy = np.logical_or.reduceat(threads.moved.any(axis=-1), firsts, axis=1)[:, thread]
        dead = ~busy[..., None] & totals.moved[:, None]
        run, entry, direction = np.nonzero(threads.moved | dead)
        is_whole = np.array([gap is None for gap in self._gaps])
        whole, way = np.nonzero(totals.moved & is_whole[:, None])
        whose = np.concatenate([run, whole])
        order = np.argsort(whose, kind="stable")
        whose = whose[order]

        def both(of_threads: Array, of_totals: Array) -> Array:
            found: Array = np.concatenate([of_threads, of_totals])
            return found[order]

        def figures(name: str) -> Array:
            of_threads, of_totals = getattr(threads, name), getattr(totals, name)
            return both(of_threads[run, entry, direction], of_totals[whole, way])

        moved, count, seconds = figures("bytes"), figures("ios"), self._figures.seconds[whose]
        rate = np.where(seconds > 0, seconds, np.nan)
        none = np.full(len(run), np.nan)
        least, most = (both(none, end[whole, way]) for end in self._percentiles.extremes())
        columns: dict[str, Column] = {
            "entry": both(entry, np.full(len(whole), self._entries)) + 1,
            "direction": words(DIRECTIONS, both(direction, way)),
            "scope": words(("thread", "total"), both(run * 0, whole * 0 + 1)),
            "io_bytes": moved,
            "total_ios": count,
            "iops_stddev": figures("spreads"),
            "lat_min_ns": least,
            "lat_max_ns": most,
            "lat_mean_ns": np.where(count == 0, np.nan, figures("means")),
            "lat_stddev_ns": np.where(count == 0, np.nan, figures("deviations")),
            "runtime_s": seconds,
            "iops": count / rate,
            "bw_bytes_per_s": moved / rate,
        }
        named = self._figures.named.repeat(self._layout.targets, axis=1).reshape(-1)
        of_threads = {
            "thread": _known(named),
            "target": np.array(self._paths, dtype=object),
            **self._conditions,
        }
        of_totals = self._of_totals()
        place = run * self._entries + entry
        for name in dict.fromkeys((*of_threads, *of_totals)):
            parts = ((of_threads.get(name), place), (of_totals.get(name), whole))
            columns[name] = both(
                *(np.full(len(at), None) if one is None else one[at] for one, at in parts)
            ).tolist()
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
        blocks = self._conditions.get("bs_bytes", np.full(len(self._paths), None))
        known = np.array([-1 if size is None else size for size in blocks], dtype=np.int64)
        said += figures.contradictions(known.reshape(len(self._runs), -1))
        said += [
            (run, spot, f"{gap}: their sum is no total, and is left out")
            for run, gap in enumerate(self._gaps)
            if gap
        ]
        is_whole = np.array([gap is None for gap in self._gaps])
        said += [(run, spot, problem) for run, problem in figures.unlike_means(is_whole)]
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


def _columns(conditions: Sequence[Conditions]) -> dict[str, Array]:
    """Make columns of conditions, of which many are the same object."""
    places: dict[int, int] = {}
    rows = [places.setdefault(id(one), len(places)) for one in conditions]
    distinct = [*{id(one): one for one in conditions}.values()]
    names = dict.fromkeys(name for one in distinct for name in one)
    return {
        name: np.array([*(one.get(name) for one in distinct), None], dtype=object)[rows]
        for name in names
    }
