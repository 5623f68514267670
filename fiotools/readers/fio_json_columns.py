"""The figures of many fio documents of the usual layout: from tuples to typed columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from fiotools.arrays import Vector, vector
from fiotools.joining import Gathered, Piece
from fiotools.readers import fio_options
from fiotools.readers.fio_json_io import BW, IOPS
from fiotools.readers.fio_json_latency import COLUMNS as LATENCY
from fiotools.readers.fio_json_listed import DIRECTIONS, Listed
from fiotools.schema import CONDITIONS
from fiotools.tables import Block
from fiotools.vocabulary import COLUMNS

if TYPE_CHECKING:
    from numpy.typing import NDArray

Curve: TypeAlias = tuple[int, list[float], list[float]]  # kind of latency, percentiles, values

# whole numbers of a direction, and figures that have decimals
WHOLE = (
    *("io_bytes", "io_kbytes", "bw_bytes", "bw", "runtime", "total_ios", "short_ios", "drop_ios"),
    *("bw_min", "bw_max", "bw_samples", "iops_min", "iops_max", "iops_samples"),
)
FIGURES = ("iops", "bw_agg", "bw_mean", "bw_dev", "iops_mean", "iops_stddev")
COUNTS = ("error", "ctx", "majf", "minf")
_JOB = (*COUNTS, "usr_cpu_pct", "sys_cpu_pct", "job_start", "job_runtime_s", "description")
_KINDS = ("slat", "clat", "lat")
_STATS = ("min", "max", "mean", "stddev")


class Moved(NamedTuple):
    """What was done in one direction.

    ``latencies`` has, for each kind, its least, greatest, mean, stddev and count, which is -1 where
    the document does not say it.
    """

    direction: int
    whole: Sequence[int]
    figures: Sequence[float]
    latencies: list[float]
    curves: list[Curve]


class Entry(NamedTuple):
    """An entry of a document; ``figures`` are in the order of `_JOB`."""

    number: int
    group: int
    job: str
    scope: str
    listed: Listed
    elapsed: int
    figures: tuple[Any, ...]
    moved: list[Moved]

    def keys(self) -> dict[str, Any]:
        """Give the keys of its rows."""
        return {
            "entry": self.number,
            "group": self.group,
            "job": self.job,
            "target": self.listed.target,
            "scope": self.scope,
        }

    def directions(self) -> list[str]:
        """List the directions in which anything was done."""
        return [DIRECTIONS[one.direction] for one in self.moved]


class Columns:
    """The documents of a batch.

    Attributes
    ----------
    rare : Gathered
        Rows that are added one by one: of tables that are seldom asked for.
    """

    def __init__(self, wanted: Collection[str] | None) -> None:
        self.rare = Gathered(wanted)
        self.wants_percentiles = self.rare.wants("percentiles")
        self.wants_bins = self.rare.wants("bins")
        self._wants_settings = self.rare.wants("settings")
        self._runs: list[tuple[int, str, int | None, float]] = []
        self._entries: list[Entry] = []
        self._files: list[int] = []  # of the entries
        self._options: dict[int, int] = {}
        self._listed: list[Listed] = []

    def add(self, file: int, version: str, reported: int | None, entries: list[Entry]) -> None:
        """Add a document."""
        self.rare.number = file
        elapsed = max(entry.elapsed for entry in entries)
        self._runs.append((file, version, reported, float(elapsed)))
        self._entries += entries
        self._files += [file] * len(entries)
        if self._wants_settings:
            self._add_settings(entries)

    def _add_settings(self, entries: list[Entry]) -> None:
        rare = self.rare
        fio_options.add_settings(rare, 1, None, None, entries[0].listed.shared, "global")
        for entry in entries:
            place, listed = (rare, 1, entry.number, entry.job), entry.listed
            fio_options.add_settings(*place, listed.given, "given")
            fio_options.add_settings(*place, listed.defaults, "default")

    def pieces(self) -> tuple[dict[str, list[Piece]], list[int]]:
        """Give the rows, or the numbers of the files if a number in them fits no column."""
        found = self.rare.finish().pieces
        if not self._runs:
            return found, []
        try:
            self._keys = self._entry_keys()
            found["runs"] = [self._run_rows()]
            found["io"] = [self._io_rows()]
            found["jobs"] = [self._job_rows()]
            if self.wants_percentiles:
                found["percentiles"] = [self._percentile_rows()]
        except OverflowError:
            return {}, [file for file, *_ in self._runs]
        return {table: rows for table, rows in found.items() if self.rare.wants(table)}, []

    def _run_rows(self) -> Piece:
        files, versions, reported, elapsed = zip(*self._runs, strict=True)
        columns = {
            "tool_version": _words(versions),
            "reported_at": _moments(reported),
            "duration_s": np.array(elapsed),
        }
        same = {"run": 1, "tool": "fio", "format": "fio_json", "status": "ok"}
        return _piece(np.array(files, dtype=np.int32), columns, same)

    def _entry_keys(self) -> dict[str, Vector]:
        """Type the keys of all entries, and number the options that they list."""
        entries = self._entries
        codes: dict[int, int] = {}
        listed: list[Listed] = []
        for entry in entries:
            if codes.setdefault(id(entry.listed), len(listed)) == len(listed):
                listed.append(entry.listed)
        self._files_of = np.array(self._files, dtype=np.int32)
        self._listed = listed
        self._code = np.fromiter((codes[id(entry.listed)] for entry in entries), np.intp)
        return {
            "entry": vector([entry.number for entry in entries], "Int64"),
            "group": vector([entry.group for entry in entries], "Int64"),
            "job": _words([entry.job for entry in entries]),
            "target": vector([one.target for one in listed], "str").take(self._code),
            "scope": _words([entry.scope for entry in entries]),
        }

    def _job_rows(self) -> Piece:
        columns: dict[str, Any] = dict(self._keys)
        figures = zip(*(entry.figures for entry in self._entries), strict=True)
        for name, values in zip(_JOB, figures, strict=True):
            if name == "job_start":
                columns[name] = _moments(values)
            else:
                columns[name] = vector(values, COLUMNS[name].dtype)
        return _piece(self._files_of, columns, {"run": 1})

    def _io_rows(self) -> Piece:
        moved = [one for entry in self._entries for one in entry.moved]
        sizes = [len(entry.moved) for entry in self._entries]
        at = np.arange(len(sizes)).repeat(sizes)
        direction = np.fromiter((one.direction for one in moved), np.int32, len(moved))
        columns: dict[str, Any] = {name: keys.take(at) for name, keys in self._keys.items()}
        columns["direction"] = Vector(direction, words=list(DIRECTIONS))
        place = self._code[at] * len(DIRECTIONS) + direction
        for name in CONDITIONS:
            values = [one.get(name) for listed in self._listed for one in listed.conditions]
            columns[name] = vector(values, COLUMNS[name].dtype).take(place)
        whole = _matrix([one.whole for one in moved], WHOLE, np.int64)
        figures = _matrix([one.figures for one in moved], FIGURES, np.float64)
        columns |= _amounts(whole, figures, direction == DIRECTIONS.index("sync"))
        columns |= _latencies([one.latencies for one in moved])
        return _piece(self._files_of[at], columns, {"run": 1})

    def _percentile_rows(self) -> Piece:
        entries: list[int] = []
        directions: list[int] = []
        kinds: list[int] = []
        curves: list[list[float]] = []
        values: list[list[float]] = []
        for at, entry in enumerate(self._entries):
            for one in entry.moved:
                for kind, percentiles, figures in one.curves:
                    entries.append(at)
                    directions.append(one.direction)
                    kinds.append(kind)
                    curves.append(percentiles)
                    values.append(figures)
        sizes = [len(curve) for curve in curves]
        where = np.array(entries, dtype=np.intp).repeat(sizes)
        columns: dict[str, Any] = {name: keys.take(where) for name, keys in self._keys.items()}
        directed = np.array(directions, dtype=np.int32).repeat(sizes)
        columns["direction"] = Vector(directed, words=list(DIRECTIONS))
        of_kind = np.array(kinds, dtype=np.int32).repeat(sizes)
        columns["latency"] = Vector(of_kind, words=list(_KINDS))
        columns["percentile"] = np.fromiter(chain.from_iterable(curves), np.float64, len(where))
        columns["value_ns"] = np.fromiter(chain.from_iterable(values), np.float64, len(where))
        return _piece(self._files_of[where], columns, {"run": 1})


def _piece(files: NDArray[np.int32], columns: Mapping[str, Any], same: Mapping[str, Any]) -> Piece:
    return Piece(files, Block(len(files), columns, same))


def _words(texts: Sequence[str]) -> Vector:
    """Type texts of which many are alike."""
    known: dict[str, int] = {}
    places = [known.setdefault(text, len(known)) for text in texts]
    return Vector(np.array(places, dtype=np.int32), words=list(known))


def _moments(milliseconds: Sequence[int | None]) -> Vector:
    missing = np.array([ms is None for ms in milliseconds])
    data = np.array([ms or 0 for ms in milliseconds], dtype=np.int64)
    return Vector(data, missing if missing.any() else None)


def _matrix(rows: Sequence[Sequence[float]], names: Sequence[str], dtype: Any) -> dict[str, Any]:
    """Turn rows of figures into their columns."""
    numbers = np.fromiter(chain.from_iterable(rows), dtype, len(rows) * len(names))
    return dict(zip(names, numbers.reshape(-1, len(names)).T, strict=True))


def _amounts(
    whole: Mapping[str, Any], figures: Mapping[str, Any], syncs: NDArray[np.bool_]
) -> dict[str, Any]:
    """Give amounts and rates, in base units: `fio_json_io.amounts` for many rows at once.

    Syncs are counted, and move nothing.
    """
    runtime, total = whole["runtime"] / 1000, whole["total_ios"]
    ran = runtime != 0
    iops = figures["iops"]
    exact = np.divide(total, runtime, out=np.full(len(total), np.nan), where=ran & (total != 0))
    iops = np.where(np.abs(exact - iops) < 1e-5, exact, iops)
    sampled = {"bw_samples": whole["bw_samples"] != 0, "iops_samples": whole["iops_samples"] != 0}
    found: dict[str, Any] = {
        "total_ios": total,
        **{name: Vector(whole[name], syncs) for name in ("io_bytes", "short_ios", "drop_ios")},
        "runtime_s": _where(ran, runtime),
        "iops": _where(ran, iops),
        "bw_bytes_per_s": _where(ran, whole["bw_bytes"]),
    }
    for count, names, scale in (("bw_samples", BW, 1024.0), ("iops_samples", IOPS, 1.0)):
        for key, name in names.items():
            values = whole[key] if key in whole else figures[key]
            found[name] = _where(sampled[count], values * scale)
        found[count] = Vector(whole[count], ~sampled[count])
    share = figures["bw_agg"]
    found["bw_agg_pct"] = _where(sampled["bw_samples"] & (share != 0), share)
    return found


def _latencies(rows: Sequence[Sequence[float]]) -> dict[str, NDArray[np.float64]]:
    """Give the four figures of each latency that was measured."""
    names = [(kind, stat) for kind in _KINDS for stat in (*_STATS, "N")]
    numbers = np.fromiter(chain.from_iterable(rows), np.float64, len(rows) * len(names))
    columns = dict(zip(names, numbers.reshape(-1, len(names)).T, strict=True))
    found = {}
    for kind in _KINDS:
        count = columns[kind, "N"]
        uncounted = (columns[kind, "max"] != 0) | (columns[kind, "mean"] != 0)
        measured = np.where(count == -1, uncounted, count > 0)
        for stat, name in LATENCY[kind].items():
            found[name] = _where(measured, columns[kind, stat])
    return found


def _where(known: NDArray[np.bool_], values: NDArray[Any]) -> NDArray[np.float64]:
    return np.where(known, values, np.nan)
