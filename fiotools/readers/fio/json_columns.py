"""The rows of many runs of fio JSON: columns made of their records, by the lines of `json_fields`.

What a line does not say is here, once for all records: rates that are more exact than printed,
latencies of another number of I/Os, values that fit no column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from fiotools.readers.fields import Field
from fiotools.readers.fio.json_bins import Bins
from fiotools.readers.fio.json_fields import DISK, IO, JOB, LATENCIES, SCALES, STATISTICS
from fiotools.readers.fio.json_run import Run, moment, was_measured
from fiotools.readers.fio.json_values import fits
from fiotools.schema import CONDITIONS
from fiotools.tables import Made
from fiotools.vocabulary import COLUMNS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

Columns = dict[str, Any]
# of which entry, whose, their names and texts, and where they come from
_Options = tuple[int | None, str | None, tuple[str, ...], tuple[str, ...], str]
_SLACK = 0.02  # of I/Os that a job fell short of, or did after it was counted


def rows(runs: Sequence[Run], wants: Callable[[str], bool]) -> Iterator[Made]:
    """Make the rows of runs."""
    keys = _Entries(runs)
    doubts: list[tuple[int, str]] = []
    yield _runs(runs)
    yield from _io(runs, keys, doubts)  # and its doubts, whoever wants io
    makers = {
        "jobs": _jobs,
        "settings": _settings,
        "percentiles": _percentiles,
        "bins": _bins,
        "disks": _disks,
        "extras": _extras,
    }
    for table, make in makers.items():
        if wants(table):
            yield from make(runs, keys)
    yield from _notes(runs, doubts)


def _owners(runs: Sequence[Run], listed: Callable[[Run], Sequence[Any]]) -> NDArray[np.int32]:
    """Give the place of the run of each of the things that are listed for it."""
    sizes = [len(listed(run)) for run in runs]
    return np.arange(len(runs), dtype=np.int32).repeat(sizes)


def _at(values: Sequence[Any], places: Iterable[int]) -> list[Any]:
    return list(map(values.__getitem__, places))


class _Entries:
    """The entries of all runs, and the keys of their rows.

    Attributes
    ----------
    all : list of Entry
    owners : numpy.ndarray
        The place of the run of each.
    first : list of int
        For each run the place of its first entry.
    columns : dict of str to list
    """

    def __init__(self, runs: Sequence[Run]) -> None:
        self.all = [entry for run in runs for entry in run.entries]
        self.owners = _owners(runs, lambda run: run.entries)
        sizes = np.array([len(run.entries) for run in runs])
        self.first = (np.cumsum(sizes) - sizes).tolist()
        figures = [entry.figures for entry in self.all]
        group, port = (_key(JOB, figures, key) for key in ("groupid", "port"))
        is_total = [entry.scope == "total" for entry in self.all]  # fio names the last client there
        own = [runs[owner] for owner in self.owners.tolist()]
        columns: Columns = {
            "run": [run.number for run in own],
            "entry": [number for run in runs for number in range(1, len(run.entries) + 1)],
            "host": _unless(is_total, [entry.host for entry in self.all]),
            "port": _unless(is_total, port),
            "group": group,
            "job": [entry.job for entry in self.all],
            "target": [entry.options.target for entry in self.all],
            "scope": [entry.scope for entry in self.all],
        }
        self.columns = _fitting(columns, own)

    def at(self, places: Sequence[int]) -> Columns:
        """Give the keys of rows of some entries."""
        return {name: _at(values, places) for name, values in self.columns.items()}


def _unless(is_so: Iterable[bool], values: Sequence[Any]) -> list[Any]:
    return [None if one else value for one, value in zip(is_so, values, strict=True)]


def _key(fields: Sequence[Field], rows: Sequence[Sequence[Any]], key: str) -> list[Any]:
    place = next(at for at, field in enumerate(fields) if field.key == key)
    return [row[place] for row in rows]


def _fitting(
    columns: Columns, runs: Sequence[Run], place: Callable[[int], str] = lambda row: ""
) -> Columns:
    """Leave out the values that do not fit their columns, and remember them for their runs."""
    for name, values in columns.items():
        if isinstance(values, np.ndarray) or fits(name, values):
            continue
        columns[name] = list(values)
        for row, value in enumerate(values):
            if not fits(name, (value,)):
                runs[row].values.left_out.append(f"{place(row)}{name} is {value!r:.40}")
                columns[name][row] = None
    return columns


def _scaled(field: Field, values: Sequence[Any]) -> Sequence[Any] | Numbers:
    """Give a figure in our unit, none where 0 means that nothing was measured."""
    if field.zero and not field.unit:
        return values
    if not field.unit:
        return [value or None for value in values]
    scale = SCALES[field.unit]
    if field.unit != "ms":
        return [None if value is None else value * scale for value in values]
    seconds = _floats(values) / scale
    return seconds if field.zero else np.where(seconds == 0, np.nan, seconds)


def _runs(runs: Sequence[Run]) -> Made:
    columns: Columns = {name: [run.row[name] for run in runs] for name in runs[0].row}
    columns["run"] = [run.number for run in runs]
    columns["tool"], columns["format"] = ["fio"] * len(runs), ["fio_json"] * len(runs)
    return Made("runs", np.arange(len(runs), dtype=np.int32), columns)


def _jobs(runs: Sequence[Run], keys: _Entries) -> Iterator[Made]:
    if not keys.all:
        return
    figures = zip(*(entry.figures for entry in keys.all), strict=True)
    columns: Columns = {
        field.column: _scaled(field, values)
        for field, values in zip(JOB, figures, strict=False)
        if field.column not in keys.columns
    }
    columns["job_start"] = list(map(moment, columns["job_start"]))
    columns["description"] = [entry.description for entry in keys.all]
    own = [runs[owner] for owner in keys.owners.tolist()]
    yield Made("jobs", keys.owners, {**keys.columns, **_fitting(columns, own)})


def _io(runs: Sequence[Run], keys: _Entries, doubts: list[tuple[int, str]]) -> Iterator[Made]:
    parts = [part for run in runs for part in run.parts]
    if not parts:
        return
    owners = _owners(runs, lambda run: run.parts)
    places = [keys.first[owner] + part.entry for owner, part in zip(owners, parts, strict=True)]
    entries = _at(keys.all, places)
    columns = keys.at(places)
    columns["direction"] = [part.direction for part in parts]
    conditions = [
        entry.options.conditions(part.direction) for entry, part in zip(entries, parts, strict=True)
    ]
    for name in CONDITIONS:
        columns[name] = [found.get(name) for found in conditions]

    def name_of(row: int) -> str:
        return f"{parts[row].direction} of {entries[row].job!r:.60}: "

    each = map(list, zip(*(part.figures for part in parts), strict=True))
    figures: Columns = {key: next(each) for key in (*(field.key for field in IO), "bw", "kib")}
    found = _amounts(figures)
    counts = {}
    for kind, *scales in zip(LATENCIES, *(part.scales for part in parts), strict=True):
        statistics = {name: next(each) for name in STATISTICS}
        latencies, counts[kind] = _latencies(statistics, next(each), scales)
        found |= {f"{kind}_{name}_ns": values for name, values in latencies.items()}
    is_sync = np.array([part.direction == "sync" for part in parts])
    flying = np.array([entry.flying for entry in entries])
    for kind, own in counts.items():
        for row in _miscounted(figures["total_ios"], own, flying, is_sync):
            what = f"{kind} is of {own[row]} I/Os, but total_ios is {figures['total_ios'][row]}"
            doubts.append((int(owners[row]), f"{name_of(row)}{what}: kept as printed"))
    for row in np.flatnonzero(is_sync).tolist():  # of syncs there is a count, and a latency
        timed = next((own[row] for own in counts.values() if own[row]), None)
        said = [count for count in (figures["total_ios"][row], timed) if count]
        for field in IO:
            found[field.column][row] = None
        found["total_ios"][row] = max(said, default=None)
    columns |= _fitting(found, _at(runs, owners.tolist()), name_of)
    yield Made("io", owners, columns)


def _latencies(
    statistics: Columns, counts: Sequence[Any], scales: Sequence[int]
) -> tuple[Columns, list[Any]]:
    """Give the statistics of a latency in ns, and of how many I/Os it is, where it was measured."""
    measured = _measured(statistics, counts)
    found: Columns = {
        name: np.where(measured, _floats(values) * np.array(scales), np.nan)
        for name, values in statistics.items()
    }
    return found, _unless(~measured, counts)


def _measured(statistics: Columns, counts: Sequence[Any]) -> NDArray[np.bool_]:
    """Say which latencies were measured: `was_measured` of each."""
    figures = zip(*(statistics[name] for name in ("max", "mean", "stddev")), counts, strict=True)
    return np.array([bool(was_measured(*one)) for one in figures])


def _amounts(figures: Columns) -> Columns:
    """Give amounts and rates, in base units."""
    numbers = {
        key: np.array(figures[key], dtype=np.float64)
        for key in ("io_bytes", "total_ios", "runtime", "iops", "bw_bytes", "bw")
    }
    found = {field.column: _scaled(field, figures[field.key]) for field in IO}
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        runtime, total, iops = numbers["runtime"] / 1000, numbers["total_ios"], numbers["iops"]
        stood = runtime == 0  # fio writes 0 where it could not divide
        # printed with six decimals, or cut off to a whole number (2.1)
        slack = np.where([type(value) is int for value in figures["iops"]], 1.0, 1e-5)
        exact = total / runtime
        is_close = (total != 0) & ~stood & (np.abs(exact - iops) < slack)
        found["iops"] = np.where(stood, np.nan, np.where(is_close, exact, iops))
        kib, moved = numbers["bw"] * 1024, numbers["io_bytes"]
        exact = moved / runtime
        is_close = (moved != 0) & (np.abs(exact - kib) <= 1024 * (1 + 1 / runtime))
        stated = np.where(stood, np.nan, numbers["bw_bytes"])
        rounded = np.where(stood, np.nan, np.where(is_close, exact, kib))
        found["bw_bytes_per_s"] = np.where(np.isnan(stated), rounded, stated)
    for count in ("bw_samples", "iops_samples"):
        _drop_unsampled(found, figures, count)
    mean = np.array(found["bw_mean_bytes_per_s"], dtype=np.float64)
    found["bw_agg_pct"] = np.where(np.isnan(mean), np.nan, _floats(found["bw_agg_pct"]))
    return {name: list(values) if name in _WHOLE else values for name, values in found.items()}


_WHOLE = frozenset(field.column for field in IO if COLUMNS[field.column].dtype == "Int64")


def _floats(values: Sequence[Any] | Numbers) -> Numbers:
    return np.array(values, dtype=np.float64)


def _drop_unsampled(found: Columns, figures: Columns, count: str) -> None:
    """Leave out statistics over fio's samples where there are none."""
    fields = [field for field in IO if field.samples == count and field.column != "bw_agg_pct"]
    samples = _floats(figures[count])
    values = np.array([_floats(figures[field.key]) for field in fields])
    said = np.nan_to_num(values).any(axis=0)
    none = (samples == 0) | (np.isnan(samples) & ~said)
    for field in fields:
        found[field.column] = np.where(none, np.nan, _floats(found[field.column]))


def _miscounted(
    total: Sequence[Any], counts: Sequence[Any], flying: Numbers, is_sync: NDArray[np.bool_]
) -> list[int]:
    """Find latencies of another number of I/Os than were done, and were flying at the end."""
    ios = np.array([value if type(value) is int else 0 for value in total], dtype=np.float64)
    count = np.nan_to_num(_floats(counts))
    is_other = np.abs(count - ios) > _SLACK * ios + 1
    is_late = (ios < count) & (count <= ios + flying)
    is_known = (count != 0) & (ios != 0) & ~is_sync
    places: list[int] = np.flatnonzero(is_known & is_other & ~is_late).tolist()
    return places


def _settings(runs: Sequence[Run], keys: _Entries) -> Iterator[Made]:
    """List the options: of all jobs, then of each entry its own and fio's defaults."""
    owners: list[int] = []
    sizes: list[int] = []
    numbers: list[int | None] = []
    jobs: list[str | None] = []
    names: list[str] = []
    texts: list[str] = []
    origins: list[str] = []
    job = keys.columns["job"]

    for owner, run in enumerate(runs):
        every = run.shared
        stretches: list[_Options] = [(None, None, tuple(every), tuple(every.values()), "global")]
        for number, entry in enumerate(run.entries):
            name = job[keys.first[owner] + number]
            own = entry.own
            stretches.append((number + 1, name, own.names, own.texts, "given"))
            if entry.has_defaults:
                unset = own.defaults
                stretches.append((number + 1, name, tuple(unset), tuple(unset.values()), "default"))
        for place, name, options, values, origin in stretches:
            if options:
                owners.append(owner)
                sizes.append(len(options))
                numbers.append(place)
                jobs.append(name)
                names += options
                texts += values
                origins.append(origin)
    if names:
        shared: Columns = {
            "run": [runs[owner].number for owner in owners],
            "entry": numbers,
            "job": jobs,
            "origin": origins,
        }
        columns = {"option": names, "text": texts}
        yield Made("settings", np.array(owners, np.int32), columns, np.array(sizes), shared)


def _percentiles(runs: Sequence[Run], keys: _Entries) -> Iterator[Made]:
    curves = [curve for run in runs for curve in run.curves]
    if not curves:
        return
    owners = _owners(runs, lambda run: run.curves)
    parts = [runs[owner].parts[curve.part] for owner, curve in zip(owners, curves, strict=True)]
    shared = keys.at(
        [keys.first[owner] + part.entry for owner, part in zip(owners, parts, strict=True)]
    )
    shared["direction"] = [part.direction for part in parts]
    shared["latency"] = [curve.latency for curve in curves]
    columns = {
        "percentile": _floats([*chain.from_iterable(curve.percentiles for curve in curves)]),
        "value_ns": _floats([*chain.from_iterable(curve.values for curve in curves)]),
    }
    sizes = np.array([len(curve.values) for curve in curves])
    yield Made("percentiles", owners, columns, sizes, shared)


def _bins(runs: Sequence[Run], keys: _Entries) -> Iterator[Made]:
    every = [histogram for run in runs for histogram in run.histograms]
    owners = _owners(runs, lambda run: run.histograms)
    for is_fine in (False, True):
        places = [at for at, one in enumerate(every) if isinstance(one.bins, Bins) is is_fine]
        if not places:
            continue
        found, own = _at(every, places), owners[places]
        shared = keys.at(
            [keys.first[owner] + one.entry for owner, one in zip(own, found, strict=True)]
        )
        shared["direction"] = [one.direction for one in found]
        shared["latency"] = [one.latency for one in found]
        bins = [one.bins for one in found]
        if is_fine:
            columns: Columns = {
                "bin_lo_ns": np.concatenate([one.low for one in bins]),
                "bin_hi_ns": np.concatenate([one.high for one in bins]),
                "count": np.concatenate([one.counts for one in bins]),
            }
            sizes = np.array([len(one) for one in bins])
        else:
            names = ("bin_lo_ns", "bin_hi_ns", "pct")
            columns = {name: [*chain.from_iterable(one[name] for one in bins)] for name in names}
            sizes = np.array([len(one["pct"]) for one in bins])
        yield Made("bins", own, columns, sizes, shared)


def _disks(runs: Sequence[Run], _keys: _Entries) -> Iterator[Made]:
    disks = [disk for run in runs for disk in run.disks]
    if not disks:
        return
    owners = _owners(runs, lambda run: run.disks)
    names, hosts, *figures = zip(*disks, strict=True)
    columns: Columns = {
        field.column: _scaled(field, values) for field, values in zip(DISK, figures, strict=True)
    }
    columns |= {"device": names, "host": hosts}
    own = _at(runs, owners.tolist())
    yield Made("disks", owners, {"run": [run.number for run in own], **_fitting(columns, own)})


def _extras(runs: Sequence[Run], _keys: _Entries) -> Iterator[Made]:
    extras = [extra for run in runs for extra in run.extras]
    if not extras:
        return
    owners = _owners(runs, lambda run: run.extras)
    entries, paths, texts = map(list, zip(*extras, strict=True))
    numbers = [run.number for run in runs]
    columns = {"entry": entries, "path": paths, "text": texts, "run": _at(numbers, owners.tolist())}
    yield Made("extras", owners, columns)


def _notes(runs: Sequence[Run], doubts: Sequence[tuple[int, str]]) -> Iterator[Made]:
    """Say what was left out, and what does not fit together."""
    said = [(owner, "warning", message) for owner, message in doubts]
    for owner, run in enumerate(runs):
        said += [(owner, *what) for what in run.values.problems(run.said)]
    if said:
        said.sort(key=lambda one: one[0])
        owners, severities, messages = map(list, zip(*said, strict=True))
        columns = {
            "run": [runs[owner].number for owner in owners],
            "line": [runs[owner].line for owner in owners],
            "severity": severities,
            "message": messages,
        }
        yield Made("notes", np.array(owners, dtype=np.int32), columns)
