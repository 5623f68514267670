"""A run of fio JSON: its documents taken apart into plain records, which become rows later.

A table says where each column comes from. To read another number, add its column to the vocabulary
and write a line here. A rule that a line cannot express is in `fiotools.readers.fio.json_columns`,
which makes columns of the records of many files, and the line names it.

The values are taken as fio has them, in a fixed order, with the notes on them. A dictionary with
values that fio does not write is repaired first (`Values`): programs that pass a document on may
change it. A number in quotation marks is that number. Anything else that is not a number, or does
not fit its column, is left out, and the run gets a note.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from operator import itemgetter
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson

from fiotools.readers.document import Field, Session
from fiotools.readers.fio import DIRECTIONS, LATENCIES, STATISTICS, Version
from fiotools.readers.fio import options as fio_options
from fiotools.readers.fio.bins import (
    INDEXED,
    Bins,
    coarse_columns,
    fine_edges,
    indexed_edges,
    whole_direction,
)
from fiotools.readers.fio.cumulative import server_of
from fiotools.readers.fio.documents import (
    MOVING,
    TOTAL,
    VERSION_KEYS,
    by_direction,
    elapsed,
    entries,
)
from fiotools.readers.fio.shapes import Inner, Leaves, Shape, Shapes
from fiotools.vocabulary import COLUMNS, CONDITIONS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fiotools.tables import Tables

# --- where each column comes from -------------------------------------------------------------

# how many of our units make one of fio's; ms are divided, as 1/1000 is not exact in binary
SCALES = {"": 1, "KiB/s": 1024, "sectors": 512, "ms": 1000}

JOB = (
    Field("error", "error"),
    Field("usr_cpu_pct", "usr_cpu"),
    Field("sys_cpu_pct", "sys_cpu"),
    *(Field(name, name) for name in ("ctx", "majf", "minf")),
    Field(
        "job_start",
        "job_start",
        since="3.36",
        rule="ms since 1970; an extra if it is another clock's",
    ),
    Field("job_runtime_s", "job_runtime", "ms", zero=False),
    Field("group", "groupid"),
    Field("port", "port", rule="none in the total of all clients"),
)
# the lines of one direction of an entry
IO = (
    Field("io_bytes", "io_bytes", rule="KiB before 2.21, if there is no `io_kbytes`"),
    Field("total_ios", "total_ios", rule="for syncs the greater of it and `N`"),
    Field("short_ios", "short_ios", rule="none if syncs are counted there by mistake"),
    Field("drop_ios", "drop_ios"),
    Field("runtime_s", "runtime", "ms", zero=False),
    Field("iops", "iops", rule="`total_ios` / `runtime` if that agrees; none if `runtime` is 0"),
    Field(
        "bw_bytes_per_s",
        "bw_bytes",
        since="3.2",
        rule="otherwise `bw` (KiB/s), or `io_bytes` / `runtime` if that agrees;"
        " none if `runtime` is 0",
    ),
    Field("bw_min_bytes_per_s", "bw_min", "KiB/s", samples="bw_samples"),
    Field("bw_max_bytes_per_s", "bw_max", "KiB/s", samples="bw_samples"),
    Field("bw_mean_bytes_per_s", "bw_mean", "KiB/s", samples="bw_samples"),
    Field("bw_stddev_bytes_per_s", "bw_dev", "KiB/s", samples="bw_samples"),
    Field("bw_agg_pct", "bw_agg", zero=False, samples="bw_samples"),
    Field("bw_samples", "bw_samples", zero=False),
    *(Field(f"iops_{name}", f"iops_{name}", samples="iops_samples") for name in STATISTICS),
    Field("iops_samples", "iops_samples", zero=False),
)
LATENCY = tuple(
    Field(
        f"{kind}_{statistic}_ns",
        f"{kind}_ns.{statistic}",
        since="3.0",
        rule=f"before in usec, `{kind}.{statistic}`; none if `N` is 0",
    )
    for kind in LATENCIES
    for statistic in STATISTICS
)
DISK = (
    *(Field(name, name) for name in ("read_ios", "write_ios", "read_merges", "write_merges")),
    Field("read_sectors_bytes", "read_sectors", "sectors", since="3.36"),
    Field("write_sectors_bytes", "write_sectors", "sectors", since="3.36"),
    *(Field(f"{name}_s", name, "ms") for name in ("read_ticks", "write_ticks", "in_queue")),
    Field("util_pct", "util"),
)
FIELDS = {"jobs": JOB, "io": (*IO, *LATENCY), "disks": DISK}


# --- values that fio does not write -----------------------------------------------------------

_NUMBER = re.compile(r"\s*-?\d{1,40}(?:\.\d{1,40})?(?:[eE][-+]?\d{1,3})?\s*")
_KINDS: dict[str, set[type]] = {"float64": {int, float}, "str": {str}}
_LIMIT = 2**63


def fits(column: str, values: Sequence[Any]) -> bool:
    """Whether all values are of a column's type, or None."""
    kinds = set(map(type, values))
    if NoneType in kinds:
        values = [value for value in values if value is not None]
        kinds.discard(NoneType)
    dtype = COLUMNS[column].dtype
    if dtype != "Int64":
        return kinds <= _KINDS.get(dtype, kinds)
    is_whole = kinds <= {int} or (kinds <= {int, float} and all(v == v // 1 for v in values))
    return is_whole and min(values, default=0) > -_LIMIT and max(values, default=0) < _LIMIT


@dataclass(slots=True)
class Values:
    """Checks the values of one run, and records what was wrong with them."""

    said: int = 0  # how many nulls have a note already
    left_out: list[str] = field(default_factory=list)
    nulls: list[str] = field(default_factory=list)
    quoted: int = 0
    doubts: list[str] = field(default_factory=list)  # contradictions between them

    def numbers(
        self, values: Mapping[str, Any], keys: Iterable[str], place: str
    ) -> Mapping[str, Any]:
        """Return them such that each of these keys, if present, holds a number."""
        if _NUMBERS.issuperset(map(type, values.values())):
            return values
        sound = dict(values)
        for key in keys:
            value = sound.get(key)
            if type(value) is int or type(value) is float:
                continue
            if isinstance(value, str) and _NUMBER.fullmatch(value):
                self.quoted += 1
                sound[key] = float(value) if re.search("[.eE]", value) else int(value)
            elif key in sound:
                del sound[key]
                if value is None:
                    self.nulls.append(f"{place}{key}")
                else:
                    self.left_out.append(f"{place}{key} is {value!r:.40}")
        return sound

    def record(self, record: Mapping[str, Any], shapes: Shapes, place: str) -> dict[str, Any]:
        """Return a copy in which each value that is read is a number."""
        sound = dict(self.numbers(record, shapes.keys, place))
        for keys in shapes.inner:
            key = next((key for key in keys if isinstance(record.get(key), dict)), None)
            if key is not None:
                sound[key] = self.numbers(record[key], shapes.inner_keys, f"{place}{key}.")
        return sound

    def problems(self) -> Iterator[tuple[str, str]]:
        """Yield the severity and text of notes."""
        for doubt in self.doubts:
            yield "warning", doubt
        if len(self.nulls) > self.said:
            more = ", ..." * (len(self.nulls) > 1)
            message = f"{len(self.nulls) - self.said} values are null, which fio does not write"
            yield "warning", f"{message}: left out ({self.nulls[0]}{more})"
        if self.quoted:
            yield "info", f"{self.quoted} numbers of the document are texts: read as numbers"
        for what in dict.fromkeys(self.left_out):
            yield "warning", f"{what}, which is not what fio writes: left out"


Listed = tuple[tuple[str, ...], tuple[str, ...]]  # names and texts of options

_UNITS = {"latency_ns": "nsec", "latency_us": "usec", "latency_ms": "msec"}
_ENTRIES = Shapes(
    [*(one.key for one in JOB), "elapsed"],
    read=(*DIRECTIONS, *_UNITS, "jobname", "hostname", "job options", "eta", "desc"),
)
# in ns since 3.0, in usec before
_PARTS = Shapes(
    [*(one.key for one in IO), "bw", "io_kbytes"],
    [{f"{kind}_ns": 1.0, kind: 1000.0} for kind in LATENCIES],
    [*STATISTICS, "N"],
)
_DISKS = Shapes((one.key for one in DISK), read=("name", "hostname", "port"))
_ERROR, _START, _RUNTIME, _ELAPSED = map(
    _ENTRIES.keys.index, ("error", "job_start", "job_runtime", "elapsed")
)
_MOVED, _TOTAL, _SHORT, _RAN = map(
    _PARTS.keys.index, ("io_bytes", "total_ios", "short_ios", "runtime")
)
# the place of each latency's N, behind its `STATISTICS`
_WIDTH = len(_PARTS.inner_keys)
COUNTS = tuple(len(_PARTS.keys) + at * _WIDTH - 1 for at in range(1, len(LATENCIES) + 1))
_AMOUNTS = ("io_bytes", "total_ios", "iops", "bw")
_amounts = itemgetter(*map(_PARTS.keys.index, (*_AMOUNTS, "io_kbytes")))
# read elsewhere, or without information
_READ = frozenset(
    {
        *VERSION_KEYS,
        *("timestamp", "timestamp_ms", "global options", "jobs", "client_stats", "disk_util"),
    }
)
_OF_ALL = (*VERSION_KEYS, "timestamp", "global options")  # one is in every whole document
_SERVER = ("hostname", "port")
_SAME = ("jobname", "groupid", *_SERVER)  # of the clones of one job
_OPENED = frozenset({"steadystate", "data"})  # objects whose values are separate extras
_STEADY = {"iops": "iops", "bw": "bw_bytes_per_s", "lat_ns": "lat_ns"}
_NUMBERS = frozenset({int, float})
_SYNCS = ("fsync", "fdatasync", "sync_file_range")
# a latency's key in a unit that fio does not use
_ODD = re.compile(r"[sc]?lat_(?:u|m|us|ms|s)(?:ec)?")


class Options:
    """Everything that follows from the options of a job, its own and those of all jobs."""

    def __init__(self, shared: Mapping[str, str], own: Mapping[str, str]) -> None:
        self.shared, self.given = shared, own
        self.all = options = {**shared, **own}
        self.listed = {name: text for name, text in own.items() if name != "name"}
        self.defaults = fio_options.defaults(options)
        self.numjobs = fio_options.whole(options.get("numjobs")) or 1
        self.is_group = fio_options.is_set(options, "group_reporting")
        self.target = fio_options.target(options)
        self.flying = (fio_options.whole(options.get("iodepth")) or 1) * self.numjobs


@lru_cache(maxsize=4096)
def options_of(listed: Listed, beside: Options | None = None) -> Options:
    """Interpret the options of a job ``beside`` those of all jobs, or the latter; each once."""
    options = fio_options.normalise(dict(zip(*listed, strict=True)))
    return Options(beside.shared, options) if beside else Options(options, {})


@lru_cache(maxsize=4096)
def conditions(options: Options, direction: str) -> tuple[Any, ...]:
    """Return the `CONDITIONS` of I/O in a direction."""
    return tuple(map(fio_options.conditions(options.all, direction).get, CONDITIONS))


def _listed(options: Any) -> Listed:
    """Take options as a document lists them."""
    if not isinstance(options, dict):
        return (), ()
    return tuple(options), tuple(map(str, options.values()))


def _of_all_jobs(
    listed: Any, unsure: frozenset[str]
) -> tuple[Options, dict[tuple[str, str], Options]]:
    """Return the options of all jobs, and those of each server: since 3.39 fio lists them apart."""
    if not isinstance(listed, list):
        if unsure and isinstance(listed, dict):
            listed = {name: text for name, text in listed.items() if name not in unsure}
        return options_of(_listed(listed)), {}
    servers = {
        server_of(one): {name: text for name, text in one.items() if name not in _SERVER}
        for one in listed
        if isinstance(one, dict)
    }
    first, *others = servers.values() or ({},)
    common = {
        name: text
        for name, text in first.items()
        if all(other.get(name) == text for other in others)
    }
    return options_of(_listed(common)), {
        server: options_of(_listed(options)) for server, options in servers.items()
    }


class JsonEntry(NamedTuple):
    """An entry of a report: a job, a group or a client."""

    leaves: Leaves  # the values of `JOB`, then elapsed
    job: Any
    host: Any
    description: Any
    scope: str
    options: Options  # in effect: the conditions of its I/O
    own: Options  # listed for it
    has_defaults: bool  # whether an unlisted option has fio's default
    flying: float  # how many I/Os may be in flight at once


@dataclass(slots=True)
class JsonRun:
    """A run, taken apart: rows are made of it. Its lists count entries from 0."""

    tables: Tables
    number: int
    row: dict[str, Any]  # of `runs`
    line: int | None
    fio: Version
    shared: Options  # of all jobs
    servers: Mapping[tuple[str, str], Options]  # of all jobs of each server, if they are known
    unsure: frozenset[str]  # options of all jobs that differ between servers, and are not known
    takes_curves: bool  # whether percentiles or bins are wanted
    values: Values
    entries: list[JsonEntry] = field(default_factory=list)
    # the I/O in one direction: the leaves are those of `IO`, then bw and io_kbytes; for each of
    # `LATENCIES` the `STATISTICS` and N; then the key of each, and its unit in ns
    parts: list[tuple[int, str, Leaves, Inner]] = field(default_factory=list)
    # percentiles, their values and the unit of these; edges of bins, their counts or percentages
    curves: list[tuple[int, str, str, NDArray[np.float64], Leaves, float]] = field(
        default_factory=list
    )
    fine: list[tuple[int, str, str, Any, Any, Any]] = field(default_factory=list)
    coarse: list[tuple[int, str, str, Any, Any, Any]] = field(default_factory=list)
    # quantity, seconds and value
    samples: list[tuple[int, str, str, float | None, Any]] = field(default_factory=list)
    # name and host
    disks: list[tuple[Any, Any, Leaves]] = field(default_factory=list)
    # path and text; the entry counts from 1, and is None for the whole document
    extras: list[tuple[int | None, str, str]] = field(default_factory=list)

    def note(
        self,
        message: str,
        severity: str = "warning",
        *,
        placed: bool = False,
        code: str = "meaning",
    ) -> None:
        """Add a note to the run; ``placed``: with the line on which it begins."""
        line = self.line if placed else None
        self.tables.note(message, code=code, line=line, severity=severity, run=self.number)

    def _take(
        self, shapes: Shapes, record: Mapping[str, Any], place: str = "", *names: Any
    ) -> tuple[Shape, Leaves]:
        """Take the leaves of a record, repaired first if any of them is not a number.

        The note on a repair names the place, with the names in it.
        """
        shape, leaves, absent = shapes.take(record)
        others = {*map(type, leaves)} - _NUMBERS
        if others and (others != {NoneType} or leaves.count(None) != absent):
            sound = self.values.record(record, shapes, place.format(*names))
            shape, leaves, _ = shapes.take(sound)
        return shape, leaves

    def add_entry(self, number: int, entry: Mapping[str, Any], alike: int) -> None:
        """Take an entry, and its I/O in each direction."""
        entry = _ENTRIES.flat(entry)
        shape, leaves = self._take(_ENTRIES, entry)
        self._add_job(number, entry, leaves, alike)
        listed: list[str] = []
        is_idle, is_fine = True, False
        for direction, part in by_direction(entry):
            if _seems_used(direction, part):
                found = self._add_part(number, direction, part, entry)
                if found is not None:
                    listed.append(direction)
                    is_idle, is_fine = is_idle and not found[0], is_fine or found[1]
        if listed and self.tables.wants("bins") and not is_fine:
            self._add_coarse(number, entry, whole_direction(listed))
        self._note_trouble(entry, leaves[_ERROR], is_idle=is_idle)
        rest = shape.rest
        if leaves[_START] and moment(leaves[_START]) is None:
            rest = (*rest, "job_start")
        if "steadystate" in rest and listed:
            self._add_steady(number, entry["steadystate"], whole_direction(listed))
        self.add_extras(number + 1, entry, rest)

    def _add_job(self, number: int, entry: Mapping[str, Any], leaves: Leaves, alike: int) -> None:
        is_remote, is_sum = "hostname" in entry, entry.get("jobname") == TOTAL
        # a sum names the last server
        shared = self.shared if is_sum else self.servers.get(server_of(entry), self.shared)
        own = options = options_of(_listed(entry.get("job options")), shared)
        is_mixed = not is_remote and _is_of_another_job(entry, leaves, own, alike)
        if is_mixed:
            # for a group of unlike jobs fio writes the first job's name and the last job's options
            options = self.shared
            self.note(
                f"entry {number + 1} sums up a group of unlike jobs: fio lists only the options of"
                " its last job, so they are not the group's conditions",
                code="unlike jobs",
            )
        if is_remote:
            scope = "total" if is_sum else "client"
        else:
            # group_reporting without a value is not listed, but a group has fewer entries than jobs
            scope = "group" if is_mixed or own.numjobs > alike or own.is_group else "job"
        # an unlisted option has its default if the run lists others, and may be anything if not
        is_known = bool(self.shared.shared) and not self.fio.before(2, 17, True)
        self.entries.append(
            JsonEntry(
                leaves,
                entry.get("jobname"),
                entry.get("hostname"),
                entry.get("desc"),
                scope,
                options,
                own,
                bool(own.given) or (is_known and not is_remote),
                own.flying if own.given and not is_mixed else math.inf,
            )
        )

    def _add_part(
        self, number: int, direction: str, part: Mapping[str, Any], entry: Mapping[str, Any]
    ) -> tuple[bool, bool] | None:
        """Take the I/O of one direction.

        Return whether data was moved, and whether there are fine bins; None if it did nothing.
        """
        job = entry.get("jobname")
        part = _PARTS.flat(part)
        shape, leaves = self._take(_PARTS, part, "{} of {!r:.60}: ", direction, job)
        has_moved = has_io(leaves)
        is_timed = direction == "sync" and any(_is_timed(leaves, at) for at in COUNTS)
        if not (has_moved or is_timed):
            return None
        is_fine = self.takes_curves and self._add_curves(number, direction, part, shape, leaves)
        moved = in_bytes(part, leaves[_MOVED], self.fio)
        if moved != leaves[_MOVED]:
            leaves = _replaced(leaves, _MOVED, moved)
        if has_moved and leaves[_SHORT] and _has_spilled(entry, self.entries[number].options):
            leaves = _replaced(leaves, _SHORT, None)
            self.note(
                f"{direction} of {job!r:.60}: short_ios may be syncs, which fio counts"
                " there by mistake: left out",
                "info",
            )
        self.parts.append((number, direction, leaves, shape.inner))
        if shape.rest:
            self.add_extras(number + 1, part, shape.rest, f"{direction}.")
            if odd := [key for key in shape.rest if _ODD.fullmatch(key)]:
                self.note(
                    f"{direction}: {', '.join(odd)} is not a key of fio's; its unit is unknown:"
                    " left out"
                )
        return has_moved, is_fine

    def _add_curves(
        self, number: int, direction: str, part: Mapping[str, Any], shape: Shape, leaves: Leaves
    ) -> bool:
        """Take percentiles and fine bins of latencies; return whether there are bins."""
        is_fine = False
        for kind, (key, unit), at in zip(LATENCIES, shape.inner, COUNTS, strict=True):
            latency = None if key is None else part[key]
            if not isinstance(latency, dict):
                continue
            listed, bins = latency.get("percentile"), latency.get("bins")
            if not (listed or bins) or not _is_timed(leaves, at):
                continue
            place = f"{direction}.{kind}"
            if self.tables.wants("percentiles") and isinstance(listed, dict):
                listed = self.values.numbers(listed, listed, f"{place}.percentile.")
                percentages, keys, is_odd = _percentages(tuple(listed))
                if is_odd:
                    self.values.left_out.append(f"{place}.percentile has a key")
                if keys:
                    values = tuple(map(listed.__getitem__, keys))
                    self.curves.append((number, direction, kind, percentages, values, unit))
            if self.tables.wants("bins") and isinstance(bins, (dict, Bins)):
                held = bins if isinstance(bins, Bins) else _fine(bins, int(unit))
                if held is None:
                    self.values.left_out.append(f"{place}.bins has a bin")
                elif len(held):
                    self.fine.append((number, direction, kind, held.low, held.high, held.counts))
            is_fine |= bool(bins)
        return is_fine

    def _add_coarse(self, number: int, entry: Mapping[str, Any], direction: str) -> None:
        """Take the coarse distribution: the completion latency of all directions together."""
        shares = {
            unit: self.values.numbers(entry[key], entry[key], f"{key}.")
            for key, unit in _UNITS.items()
            if isinstance(entry.get(key), dict)
        }
        low, high, pct = coarse_columns(shares, has_ns="latency_ns" in entry).values()
        if len(pct):
            self.coarse.append((number, direction, "clat", low, high, pct))

    def _note_trouble(self, entry: Mapping[str, Any], error: Any, *, is_idle: bool) -> None:
        job = entry.get("jobname")
        if error:
            message = f"job {job!r} ended with error {error}" + (", without I/O" * is_idle)
            self.note(message, "error", placed=True)
        elif is_idle:
            is_said = all(
                part.get(key, 0) is not None
                for _, part in by_direction(entry)
                for key in ("io_bytes", "iops")
            )
            message = f"job {job!r} did no I/O" if is_said else f"job {job!r} does not say its I/O"
            self.note(message, placed=True)

    def _add_steady(self, number: int, state: Any, direction: str) -> None:
        """Add the seconds in which fio looked for a steady state, over all directions together.

        Their times are unknown. A second that fio did not reach has zeros, like a second without
        I/O: then they stay in `extras`, beside fio's verdict.
        """
        data = state.get("data") if isinstance(state, dict) else None
        for key, quantity in _STEADY.items():
            seconds = data.get(key) if isinstance(data, dict) else None
            if isinstance(seconds, list) and all(type(one) is int and one > 0 for one in seconds):
                self.samples += [(number, direction, quantity, None, value) for value in seconds]

    def add_reports(self, reports: Sequence[dict[str, Any]]) -> None:
        """Add the progress of each entry at each report; the counts are cumulative."""
        for document in reports:
            for number, entry in enumerate(entries(document)):
                for direction, part in by_direction(entry, MOVING):
                    _, leaves = self._take(_PARTS, _PARTS.flat(part))
                    if not leaves[_RAN] or not has_io(leaves):
                        continue
                    time, moved = leaves[_RAN] / 1000, in_bytes(part, leaves[_MOVED], self.fio)
                    self.samples += [
                        (number, direction, "io_bytes", time, moved),
                        (number, direction, "total_ios", time, leaves[_TOTAL]),
                    ]

    def add_disks(self, listed: Any) -> None:
        """Take the block devices; in client mode each names its host."""
        for disk in listed if isinstance(listed, list) else ():
            if isinstance(disk, dict):
                disk, name = _DISKS.flat(disk), disk.get("name")
                shape, leaves = self._take(_DISKS, disk, "disk {!r:.40}: ", name)
                self.disks.append((name, disk.get("hostname"), leaves))
                self.add_extras(None, disk, shape.rest, f"disk_util.{name}.")

    def add_extras(
        self, entry: int | None, items: Mapping[str, Any], names: Sequence[str], prefix: str = ""
    ) -> None:
        """Keep values without a column: some objects value by value, deeper ones as JSON."""
        if not self.tables.wants("extras"):
            return
        for name in names:
            value = items[name]
            if name in _OPENED and isinstance(value, dict):
                self.add_extras(entry, value, tuple(value), f"{prefix}{name}.")
                continue
            try:
                text = value if isinstance(value, str) else orjson.dumps(value).decode()
            except orjson.JSONEncodeError:  # deeper nesting, or a greater number, than fio writes
                text = "(left out)"
            self.extras.append((entry, prefix + name, text))


def taken(
    tables: Tables,
    reports: list[dict[str, Any]],
    *,
    version: str | None = None,
    status: str = "ok",
    line: int | None = None,
    session: Session | None = None,
    said: int = 0,
    unsure: frozenset[str] = frozenset(),
) -> JsonRun:
    """Take the reports of one run apart: the last is the result; several are samples as well.

    ``said`` is how many of its missing values have a note already. ``unsure`` are options of all
    jobs that are not known.
    """
    document = reports[-1]
    stated = (str(document[key]) for key in VERSION_KEYS if document.get(key))
    fio = Version.of(version or next(stated, None))
    tables.runs += 1
    seconds = document.get("timestamp")
    if isinstance(seconds, (int, float)):
        seconds *= 1000
    row = {
        "tool_version": fio.text,
        "command": session.command if session else None,
        "host": session.host if session else None,
        "reported_at": moment(document.get("timestamp_ms")) or moment(seconds),
        "duration_s": elapsed(document),
        "status": status,
    }
    is_part = document.keys().isdisjoint(_OF_ALL)
    if is_part:  # no default is certain
        unsure |= fio_options.defaults({}).keys()
    shared, servers = _of_all_jobs(document.get("global options"), unsure)
    takes_curves = tables.wants("percentiles") or tables.wants("bins")
    run = JsonRun(
        tables, tables.runs, row, line, fio, shared, servers, unsure, takes_curves, Values(said)
    )
    listed = entries(document)
    names = [tuple(map(str, map(entry.get, _SAME))) for entry in listed]
    clones = Counter(names)
    for number, (entry, name) in enumerate(zip(listed, names, strict=True)):
        run.add_entry(number, entry, clones[name])
    if not listed:
        run.note("the document lists no jobs", placed=True)
    if is_part:
        run.note(
            "only the jobs of a document (jq .jobs): fio's version, the time, the options of all"
            " jobs and the disks are missing; the keys decide the units; give the whole document",
            placed=True,
        )
    elif fio.number is None:
        message = "the document does not say fio's version: its keys decide the units"
        run.note(message, "info", placed=True)
    if status == "ok" and any(entry.leaves[_ERROR] for entry in run.entries):
        row["status"] = "error"
    if len(reports) > 1 and tables.wants("samples"):
        # the last report's errors have their notes
        replace(run, values=Values()).add_reports(reports)
    run.add_disks(document.get("disk_util"))
    run.add_extras(None, document, [name for name in document if name not in _READ])
    return run


def moment(milliseconds: Any) -> int | None:
    """Read a time of this century, in ms; ``job_start_clock_id`` may be another clock."""
    if not isinstance(milliseconds, (int, float)) or not 10**12 < milliseconds < 10**13:
        return None
    return int(milliseconds)


def _seems_used(direction: str, part: Mapping[str, Any]) -> bool:
    """Whether a direction may have done anything: fio lists unused ones as zeros.

    Syncs may have latencies without a count.
    """
    if any(map(part.get, _AMOUNTS)):
        return True
    return direction == "sync" and any(
        any(one.values()) for one in part.values() if isinstance(one, dict)
    )


def _is_timed(leaves: Leaves, at: int) -> bool:
    """Whether the latency with a count at this place was measured.

    Before 3.19 there is no count, and zeros mean that nothing was.
    """
    count = leaves[at]
    return any(leaves[at - 3 : at - 1]) if count is None else bool(count)


def _replaced(leaves: Leaves, at: int, value: Any) -> Leaves:
    return (*leaves[:at], value, *leaves[at + 1 :])


def has_io(leaves: Leaves) -> bool:
    """Whether a direction moved anything."""
    moved, total, iops, bw, kib = _amounts(leaves)
    if kib is not None and moved is not None:
        return bool(moved)  # an I/O that failed counts as issued
    return bool(moved or total or iops or bw)


def in_bytes(part: Mapping[str, Any], moved: Any, fio: Version) -> Any:
    """Return the bytes moved: before 2.21, which added ``io_kbytes``, fio counted KiB.

    The keys tell if a document does not say its version: nanoseconds came later than bytes.
    """
    if moved is None or "io_kbytes" in part:
        return moved
    newer = any(key in part for key in ("bw_bytes", "lat_ns", "clat_ns", "slat_ns"))
    return moved * 1024 if fio.before(2, 21, not newer) else moved


def _has_spilled(entry: Mapping[str, Any], options: Options) -> bool:
    """Whether syncs were counted as short I/Os, past the end of fio's counters.

    ``fdatasync`` counts as short reads, ``sync_file_range`` as short writes.
    """
    sync = entry.get("sync")
    if not isinstance(sync, dict):  # before 3.6, or not listed apart
        return any(fio_options.is_set(options.all, name) for name in _SYNCS)
    timed = sync.get("lat_ns")
    if not isinstance(timed, dict):
        return False
    counted, done = sync.get("total_ios") or 0, timed.get("N")
    return bool(timed.get("max")) and counted == 0 if done is None else done != counted


def _is_of_another_job(
    entry: Mapping[str, Any], leaves: Leaves, options: Options, alike: int
) -> bool:
    """Whether the options certainly do not belong to all jobs behind the entry."""
    name = options.given.get("name")
    if name is not None and not name.startswith(str(entry.get("jobname", ""))):
        return True  # the entry's is cut off at 127 bytes
    ran_ms, longest = leaves[_RUNTIME] or 0, (leaves[_ELAPSED] or 0) + 1
    # no job runs longer than fio itself; a group runs as long as all its clones
    clones = options.numjobs / alike
    return bool(ran_ms and longest > 1 and ran_ms / 1000 > longest * max(1, clones))


@lru_cache(maxsize=1024)
def _percentages(
    keys: tuple[str, ...],
) -> tuple[NDArray[np.float64], tuple[str, ...], bool]:
    """Return the percentages that keys say, the key of each, and whether any key says none."""
    found: dict[float, str] = {}
    is_odd = False
    for key in keys:
        try:
            percentage = float(key)
        except ValueError:
            percentage = math.nan
        if 0 <= percentage <= 100:
            found[percentage] = key
        else:
            is_odd = True
    found.pop(0.0, None)  # unused slots are written as "0.00": 0 before 3.2
    return np.array([*found], dtype=np.float64), tuple(found.values()), is_odd


def _fine(bins: dict[str, Any], scale: int) -> Bins | None:
    """Take a histogram from a document; None if any bin with I/Os is not one of fio's."""
    # 2.x lists the empty ones
    filled = {name: n for name, n in bins.items() if n and not name.startswith("FIO_")}
    counts = [*filled.values()]
    is_count = {*map(type, counts)} <= {int} and all(0 < count < 2**63 for count in counts)
    if not (is_count and all(name.isdecimal() and len(name) < 16 for name in filled)):
        return None
    names = [*map(int, filled)]
    edges = (indexed_edges if INDEXED in bins else fine_edges)(names, scale)
    if edges is None or np.isinf(edges[0]).any():
        return None
    return Bins(*edges, np.array(counts, dtype=np.int64))
