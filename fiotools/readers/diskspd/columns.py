"""Runs of DISKSPD that are laid out alike, as rows of tables: columns, and whose row each is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fiotools.arrays import Vector, joined, nothing, vector
from fiotools.readers.diskspd.buckets import DIRECTIONS
from fiotools.readers.diskspd.figures import Figures
from fiotools.vocabulary import COLUMNS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fiotools.arrays import Given
    from fiotools.readers.diskspd.options import Asked, Conditions
    from fiotools.readers.diskspd.results import Layout, Values

    Array = NDArray[Any]

_DIRECTIONS = list(DIRECTIONS)
_SCOPES = ["thread", "total"]
_CPU = ("usage_pct", "user_pct", "kernel_pct", "idle_pct")  # in the order of USAGE


class Rows(NamedTuple):
    """Rows of one table.

    Attributes
    ----------
    table : str
    run : int or numpy.ndarray
        The place of their run among those that were read together, of all or of each.
    columns : mapping
    same : mapping
        What all of the rows share.
    """

    table: str
    run: int | Array
    columns: Mapping[str, Given]
    same: Mapping[str, Any] = {}


class Columns:
    """The rows of runs of one layout.

    Parameters
    ----------
    layout : Layout
    values : sequence of Values
    asked : sequence of Asked
    extremes : numpy.ndarray
        The smallest and the greatest latency (ns) of each run, by direction.
    """

    def __init__(
        self, layout: Layout, values: Sequence[Values], asked: Sequence[Asked], extremes: Array
    ) -> None:
        self._layout, self._values, self._asked = layout, values, asked
        self._extremes = extremes
        self._figures = Figures(layout, values)
        self._gaps = self._figures.gaps([plan.each for plan in asked])
        self._is_whole: Array = np.array([gap is None for gap in self._gaps], dtype=bool)
        self._entries = len(layout.lines)

    @property
    def seconds(self) -> Array:
        """How long each run took; nan where that is not said."""
        return self._figures.seconds

    def notes(self, falling: Mapping[int, str]) -> list[list[tuple[int, str]]]:
        """Say of each run what is wrong with it, and in which line.

        Parameters
        ----------
        falling : mapping of int to str
            What is wrong with the percentiles of some runs.
        """
        line = self._layout.line
        said: list[list[tuple[int, str]]] = [[] for _ in self._values]
        for run in np.flatnonzero(~(self._figures.seconds > 0)).tolist():
            said[run].append((line, "no TestTimeSeconds: rates are missing"))
        unknown = nothing(len(self._paths), "Int64")
        block = self._conditions.get("bs_bytes", unknown).numbers()
        blocks = block.reshape(len(self._values), -1)
        for run, place, problem in self._figures.contradictions(blocks):
            said[run].append((place, problem))
        for run, gap in enumerate(self._gaps):
            if gap:
                said[run].append((line, f"{gap}: their sum is no total, and is left out"))
        for run, problem in self._figures.unlike_means(self._is_whole):
            said[run].append((line, problem))
        for run, problem in falling.items():
            said[run].append((line, problem))
        return said

    @cached_property
    def _paths(self) -> list[str | None]:
        """List the paths of the entries of all runs."""
        return [path for run in self._values for path in run.texts[: self._entries]]

    @cached_property
    def _conditions(self) -> dict[str, Vector]:
        """List the conditions of the entries of all runs."""
        plans = chain.from_iterable([plan] * self._entries for plan in self._asked)
        found = _typed([plan.of(path) for plan, path in zip(plans, self._paths, strict=True)])
        size = self._figures.sizes.reshape(-1)
        given = found.get("size_bytes", nothing(len(size), "Int64"))
        found["size_bytes"] = _known(np.where(size < 0, given.numbers(), size))
        return found

    def _of_totals(self) -> dict[str, Vector]:
        """List the conditions of all runs as a whole."""
        sizes = self._figures.sizes.tolist()
        return _typed(
            [
                plan.for_total(
                    {
                        path: None if size < 0 else size
                        for path, size in zip(run.texts, of_run, strict=False)
                    }
                )
                for plan, run, of_run in zip(self._asked, self._values, sizes, strict=True)
            ]
        )

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
        whole, way = np.nonzero(totals.moved & self._is_whole[:, None])
        whose = np.concatenate([run, whole])
        order = np.argsort(whose, kind="stable")
        whose = whose[order]

        def both(of_threads: Array, of_totals: Array) -> Array:
            found: Array = np.concatenate([of_threads, of_totals])
            return found[order]

        def figures(name: str) -> Array:
            of_threads, of_totals = getattr(threads, name), getattr(totals, name)
            return both(of_threads[run, entry, direction], of_totals[whole, way])

        def words(of_threads: Array, of_totals: Array, known: list[str]) -> Vector:
            return Vector(both(of_threads, of_totals).astype(np.int32), words=known)

        moved, count, seconds = figures("bytes"), figures("ios"), self._figures.seconds[whose]
        means, deviations = (
            np.where(count == 0, np.nan, figures(name)) for name in ("means", "deviations")
        )
        rate = np.where(seconds > 0, seconds, np.nan)
        none = np.full(len(run), np.nan)
        least, most = (both(none, end[whole, way]) for end in self._extremes)
        columns: dict[str, Given] = {
            "entry": both(entry, np.full(len(whole), self._entries)) + 1,
            "direction": words(direction, way, _DIRECTIONS),
            "scope": words(np.zeros(len(run)), np.ones(len(whole)), _SCOPES),
            "io_bytes": moved,
            "total_ios": count,
            "iops_stddev": figures("spreads"),
            "lat_min_ns": least,
            "lat_max_ns": most,
            "lat_mean_ns": means,
            "lat_stddev_ns": deviations,
            "runtime_s": seconds,
            "iops": count / rate,
            "bw_bytes_per_s": moved / rate,
        }
        numbers = self._figures.named.repeat(self._layout.targets, axis=1).reshape(-1)
        of_threads = {
            "thread": _known(numbers),
            "target": vector(self._paths, "str"),
            **self._conditions,
        }
        of_totals = self._of_totals()
        for name in dict.fromkeys((*of_threads, *of_totals)):
            parts = (
                (of_threads.get(name), run * self._entries + entry),
                (of_totals.get(name), whole),
            )
            dtype = COLUMNS[name].dtype
            columns[name] = joined(
                [
                    nothing(len(rows), dtype) if values is None else values.take(rows)
                    for values, rows in parts
                ]
            ).take(order)
        return Rows("io", whose, columns)

    def cpu(self) -> Rows:
        """Give the rows of processors, and of averages behind them."""
        count, averages = self._layout.cpus, ["average"] * self._layout.averages
        names = [
            name
            for run in self._values
            for name in (*run.texts[self._entries : self._entries + count], *averages)
        ]
        columns: dict[str, Given] = {
            "group": _known(self._figures.groups.reshape(-1)),
            "cpu": names,
            **dict(zip(_CPU, self._figures.usage.T, strict=True)),
        }
        return Rows("cpu", self._each(count + len(averages)), columns)

    def extras(self) -> Rows:
        """Give the values that have no column of their own."""
        places, runs = self._layout.extras, len(self._values)
        first = self._entries + self._layout.cpus
        rows = np.tile(np.arange(len(places), dtype=np.int32), runs)
        columns: dict[str, Given] = {
            "entry": vector([entry for entry, _ in places], "Int64").take(rows),
            "path": Vector(rows, words=[path for _, path in places]),
            "text": [text for run in self._values for text in run.texts[first:]],
        }
        return Rows("extras", self._each(len(places)), columns)

    def _each(self, rows: int) -> Array:
        return np.arange(len(self._values)).repeat(rows)


def _known(numbers: Array) -> Vector:
    """Type whole numbers, of which those below 0 are missing."""
    missing = numbers < 0
    return Vector(numbers, missing if missing.any() else None)


def _typed(conditions: Sequence[Conditions]) -> dict[str, Vector]:
    """Type conditions, of which many are the same object."""
    places: dict[int, int] = {}
    rows = np.array([places.setdefault(id(one), len(places)) for one in conditions], dtype=np.int64)
    distinct = [*{id(one): one for one in conditions}.values()]
    names = dict.fromkeys(name for one in distinct for name in one)
    return {
        name: vector([one.get(name) for one in distinct], COLUMNS[name].dtype).take(rows)
        for name in names
    }
