"""The rows of many runs of fio JSON: columns made of their records, by the lines of `FIELDS`.

Rules that a line cannot express are here, once for all records: rates more exact than printed,
latencies of another number of I/Os, values that do not fit their column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from fiotools.readers.document import Field
from fiotools.readers.fio import LATENCIES, STATISTICS
from fiotools.readers.fio.json_run import (
    COUNTS,
    DISK,
    IO,
    JOB,
    SCALES,
    JsonEntry,
    JsonRun,
    conditions,
    fits,
    moment,
)
from fiotools.tables import Made
from fiotools.vocabulary import COLUMNS, CONDITIONS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Owners = NDArray[np.int32]

Columns = dict[str, Any]
_TOTAL, _IOPS = ([field.key for field in IO].index(key) for key in ("total_ios", "iops"))
_SLACK = 0.02  # share of I/Os that a job did not do, or did after the count


def rows(runs: Sequence[JsonRun], wants: Callable[[str], bool]) -> Iterator[Made]:
    """Make the rows of runs."""
    batch = _Batch(runs)
    columns: Columns = {name: [run.row[name] for run in runs] for name in runs[0].row}
    columns["run"] = [run.number for run in runs]
    columns["tool"], columns["format"] = ["fio"] * len(runs), ["fio_json"] * len(runs)
    yield Made("runs", np.arange(len(runs), dtype=np.int32), columns)
    if wants("settings"):
        yield from _settings(batch)
    for table, name, make in (
        ("io", "parts", _io),
        ("jobs", "entries", _jobs),
        ("percentiles", "curves", _percentiles),
        ("bins", "coarse", partial(_bins, "pct")),
        ("bins", "fine", partial(_bins, "count")),
        ("samples", "samples", _samples),
        ("disks", "disks", _disks),
        ("extras", "extras", _extras),
    ):
        if wants(table) or table == "io":  # its doubts are noted even if it is not wanted
            items, owners = batch.listed(name)
            if items:
                yield make(batch, items, owners)
    yield from _notes(runs)


class _Batch:
    """Some runs, and the keys of the rows of their entries."""

    def __init__(self, runs: Sequence[JsonRun]) -> None:
        self.runs = runs
        self.numbers = np.array([run.number for run in runs])
        self.entries, self.owners = self.listed("entries")
        sizes = np.array([len(run.entries) for run in runs])
        self.first = np.cumsum(sizes) - sizes
        host = [entry.host for entry in self.entries]
        group, port = (_of_jobs(self.entries, key) for key in ("groupid", "port"))
        for place, entry in enumerate(self.entries):
            if entry.scope == "total":  # there fio names the last client
                host[place] = port[place] = None
        self.keys: Columns = {
            "run": self.numbers[self.owners].tolist(),
            "entry": (np.arange(1, len(self.entries) + 1) - self.first[self.owners]).tolist(),
            "host": host,
            "port": port,
            "group": group,
            "job": [entry.job for entry in self.entries],
            "target": [entry.options.target for entry in self.entries],
            "scope": [entry.scope for entry in self.entries],
        }
        self.fit(self.keys, self.owners)

    def listed(self, name: str) -> tuple[list[Any], Owners]:
        """Return the items that all runs have in a list, and for each item the place of its run."""
        lists = list(map(attrgetter(name), self.runs))
        owners = np.arange(len(lists), dtype=np.int32).repeat(list(map(len, lists)))
        return [*chain.from_iterable(lists)], owners

    def keyed(
        self, items: Sequence[Any], owners: Owners
    ) -> tuple[Columns, list[Any], list[JsonEntry]]:
        """Return the keys of what was done in a direction, the other columns, and the entries."""
        numbers, directions, *rest = zip(*items, strict=True)
        places = (self.first[owners] + np.array(numbers)).tolist()
        keys = {name: list(map(listed.__getitem__, places)) for name, listed in self.keys.items()}
        entries = list(map(self.entries.__getitem__, places))
        return {**keys, "direction": directions}, rest, entries

    def fit(
        self,
        columns: Columns,
        owners: Owners,
        place: Callable[[int], str] = lambda row: "",
    ) -> None:
        """Leave out values that do not fit their columns, and record them for the notes."""
        for name, values in columns.items():
            if isinstance(values, (np.ndarray, pl.Series)) or fits(name, values):
                continue
            columns[name] = list(values)
            for row, value in enumerate(values):
                if not fits(name, (value,)):
                    run = self.runs[owners[row]]
                    run.values.left_out.append(f"{place(row)}{name} is {value!r:.40}")
                    columns[name][row] = None


def _of_jobs(entries: Sequence[JsonEntry], key: str) -> list[Any]:
    place = next(at for at, field in enumerate(JOB) if field.key == key)
    return [entry.leaves[place] for entry in entries]


def _floats(values: Sequence[Any] | Numbers) -> Numbers:
    return np.array(values, dtype=np.float64)


def _matrix(rows: Sequence[Sequence[Any]]) -> Numbers:
    """Make an array of each column of rows of equal length."""
    numbers = np.fromiter(chain.from_iterable(rows), np.float64, len(rows) * len(rows[0]))
    return np.ascontiguousarray(numbers.reshape(len(rows), -1).T)


def _scaled(field: Field, values: Sequence[Any] | Numbers) -> Sequence[Any] | Numbers:
    """Return values in our unit; none if 0 means that nothing was measured."""
    scale = SCALES[field.unit]
    if COLUMNS[field.column].dtype == "float64":
        found = _floats(values)
        found = found / scale if field.unit == "ms" else found * scale
        return found if field.zero else np.where(found == 0, np.nan, found)
    if not field.zero:
        return [value or None for value in values]
    return values if scale == 1 else [None if one is None else one * scale for one in values]


def _jobs(batch: _Batch, entries: Sequence[JsonEntry], owners: Owners) -> Made:
    leaves = zip(*(entry.leaves for entry in entries), strict=True)
    columns: Columns = {
        field.column: _scaled(field, values)
        for field, values in zip(JOB, leaves, strict=False)
        if field.column not in batch.keys and field.key != "job_start"
    }
    columns["job_start"] = [*map(moment, _of_jobs(entries, "job_start"))]
    columns["description"] = [entry.description for entry in entries]
    batch.fit(columns, owners)
    return Made("jobs", owners, batch.keys | columns)


def _io(batch: _Batch, parts: Sequence[Any], owners: Owners) -> Made:
    columns, (rows, latencies), entries = batch.keyed(parts, owners)
    directions = columns["direction"]
    asked = map(conditions, (entry.options for entry in entries), directions)
    columns |= zip(CONDITIONS, zip(*asked, strict=True), strict=True)

    def name_of(row: int) -> str:
        return f"{directions[row]} of {entries[row].job!r:.60}: "

    leaves = _matrix(rows)
    found = _amounts(rows, leaves)
    total = [row[_TOTAL] for row in rows]
    ios = _floats([value if type(value) is int else 0 for value in total])
    syncs = [row for row, direction in enumerate(directions) if direction == "sync"]
    flying = _floats([entry.flying for entry in entries])
    timed: dict[int, int] = {}
    for kind, at, keys in zip(LATENCIES, COUNTS, zip(*latencies, strict=True), strict=True):
        unit = _floats([unit for _, unit in keys])
        # before 3.19 there is no count, and zeros mean that nothing was measured
        is_there = np.nan_to_num(leaves[at - 3 : at - 1]).any(axis=0)
        is_timed = np.where(np.isnan(leaves[at]), is_there, leaves[at] != 0)
        scale = np.where(is_timed, unit, np.nan)
        for place, statistic in enumerate(STATISTICS, at - len(STATISTICS)):
            found[f"{kind}_{statistic}_ns"] = leaves[place] * scale
        own = np.where(is_timed, np.nan_to_num(leaves[at]), 0)
        timed = {row: rows[row][at] for row in syncs if own[row]} | timed
        own[syncs] = 0  # these may be counted elsewhere
        for row in _miscounted(ios, own, flying):
            what = f"{kind} covers {rows[row][at]} I/Os, but total_ios is {total[row]}"
            doubts = batch.runs[owners[row]].values.doubts
            doubts.append(f"{name_of(row)}{what}: kept as printed")
    if syncs:  # they have a count and a latency
        for field in IO:
            found[field.column] = found[field.column].copy()
            for row in syncs:
                found[field.column][row] = None
        for row in syncs:
            said = filter(None, (total[row], timed.get(row)))
            found["total_ios"][row] = max(said, default=None)
    batch.fit(found, owners, name_of)
    return Made("io", owners, columns | found)


def _amounts(rows: Sequence[Sequence[Any]], leaves: Numbers) -> Columns:
    """Return amounts and rates, in base units."""
    keys = (*(field.key for field in IO), "bw")
    numbers = dict(zip(keys, leaves, strict=False))
    found: Columns = {}
    for at, field in enumerate(IO):
        is_whole = COLUMNS[field.column].dtype == "Int64"
        values = [row[at] for row in rows] if is_whole else numbers[field.key]
        found[field.column] = _scaled(field, values)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        runtime, total, iops = numbers["runtime"] / 1000, numbers["total_ios"], numbers["iops"]
        stood = runtime == 0  # fio writes 0 if it could not divide
        # printed with six decimals, or cut off to a whole number (2.1)
        slack = np.where([type(row[_IOPS]) is int for row in rows], 1.0, 1e-5)
        exact = total / runtime
        is_close = (total != 0) & ~stood & (np.abs(exact - iops) < slack)
        found["iops"] = np.where(stood, np.nan, np.where(is_close, exact, iops))
        kib, moved = numbers["bw"] * 1024, numbers["io_bytes"]
        exact = moved / runtime
        is_close = (moved != 0) & (np.abs(exact - kib) <= 1024 * (1 + 1 / runtime))
        rates, stated = np.where(is_close, exact, kib), numbers["bw_bytes"]
        rates = np.where(np.isnan(stated), rates, stated)
        found["bw_bytes_per_s"] = np.where(stood, np.nan, rates)
    for count in ("bw_samples", "iops_samples"):
        names = [field.column for field in IO if field.samples == count]
        said = np.nan_to_num([found[name] for name in names]).any(axis=0)
        none = (numbers[count] == 0) | (np.isnan(numbers[count]) & ~said)
        found |= {name: np.where(none, np.nan, found[name]) for name in names}
    return found


def _miscounted(ios: Numbers, counts: Numbers, flying: Numbers) -> list[int]:
    """Find latencies whose count differs from the I/Os done and those in flight at the end."""
    is_other = np.abs(counts - ios) > _SLACK * ios + 1
    is_late = (ios < counts) & (counts <= ios + flying)
    is_known = (counts != 0) & (ios != 0)
    places: list[int] = np.flatnonzero(is_known & is_other & ~is_late).tolist()
    return places


def _settings(batch: _Batch) -> Iterator[Made]:
    """List the options of all jobs, then each entry's own and fio's defaults."""
    stretches: list[tuple[int, int | None, str | None, Mapping[str, str], str]] = []
    jobs = iter(batch.keys["job"])
    for owner, run in enumerate(batch.runs):
        stretches.append((owner, None, None, run.shared.shared, "global"))
        for number, entry in enumerate(run.entries, 1):
            job = next(jobs)
            stretches.append((owner, number, job, _given(run, entry), "given"))
            if entry.has_defaults:
                stretches.append((owner, number, job, _defaults(run, entry), "default"))
    stretches = [one for one in stretches if one[3]]
    if stretches:
        owners, numbers, names, options, origins = zip(*stretches, strict=True)
        places = np.array(owners, dtype=np.int32)
        shared: Columns = {
            "run": batch.numbers[places],
            "entry": numbers,
            "job": names,
            "origin": origins,
        }
        columns = {
            "option": [*chain.from_iterable(options)],
            "text": [*chain.from_iterable(one.values() for one in options)],
        }
        yield Made("settings", places, columns, np.array(list(map(len, options))), shared)


def _given(run: JsonRun, entry: JsonEntry) -> Mapping[str, str]:
    """List an entry's options, and with several servers those of all jobs of its own."""
    all_jobs, server = run.shared.shared, entry.own.shared
    if server is all_jobs:
        return entry.own.listed
    apart = {name: text for name, text in server.items() if name not in all_jobs}
    return {**apart, **entry.own.listed}


def _defaults(run: JsonRun, entry: JsonEntry) -> Mapping[str, str]:
    listed = entry.own.defaults
    return {name: text for name, text in listed.items() if name not in run.unsure}


def _percentiles(batch: _Batch, curves: Sequence[Any], owners: Owners) -> Made:
    shared, (latencies, percentiles, values, units), _ = batch.keyed(curves, owners)
    shared["latency"] = latencies
    sizes = np.array(list(map(len, values)))
    numbers = np.fromiter(chain.from_iterable(values), np.float64, sizes.sum())
    columns = {
        "percentile": np.concatenate(percentiles),
        "value_ns": numbers * np.repeat(units, sizes),
    }
    return Made("percentiles", owners, columns, sizes, shared)


def _bins(held: str, batch: _Batch, bins: Sequence[Any], owners: Owners) -> Made:
    shared, (latencies, lows, highs, values), _ = batch.keyed(bins, owners)
    shared["latency"] = latencies
    columns = {
        name: np.concatenate(each)
        for name, each in (("bin_lo_ns", lows), ("bin_hi_ns", highs), (held, values))
    }
    return Made("bins", owners, columns, np.array(list(map(len, values))), shared)


def _samples(batch: _Batch, samples: Sequence[Any], owners: Owners) -> Made:
    keys, (quantities, times, values), _ = batch.keyed(samples, owners)
    columns = {name: keys[name] for name in ("run", "entry", "host", "group", "job", "direction")}
    columns |= {"quantity": quantities, "time_s": times, "value": values}
    return Made("samples", owners, columns)


def _disks(batch: _Batch, disks: Sequence[Any], owners: Owners) -> Made:
    names, hosts, leaves = zip(*disks, strict=True)
    columns: Columns = {
        field.column: _scaled(field, values)
        for field, values in zip(DISK, zip(*leaves, strict=True), strict=True)
    }
    columns |= {"device": names, "host": hosts}
    batch.fit(columns, owners)
    return Made("disks", owners, {"run": batch.numbers[owners], **columns})


def _extras(batch: _Batch, extras: Sequence[Any], owners: Owners) -> Made:
    entries, paths, texts = zip(*extras, strict=True)
    columns = {"entry": entries, "path": paths, "text": texts}
    return Made("extras", owners, {"run": batch.numbers[owners], **columns})


def _notes(runs: Sequence[JsonRun]) -> Iterator[Made]:
    """Note values that were left out, and contradictions."""
    said = [(owner, *what) for owner, run in enumerate(runs) for what in run.values.problems()]
    if said:
        owners, severities, messages = map(list, zip(*said, strict=True))
        columns = {
            "run": [runs[owner].number for owner in owners],
            "line": [runs[owner].line for owner in owners],
            "severity": severities,
            "message": messages,
        }
        yield Made("notes", np.array(owners, dtype=np.int32), columns)
