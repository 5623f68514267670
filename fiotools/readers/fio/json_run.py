"""A run of fio JSON: its documents taken apart into plain records, of which rows are made later.

What is taken here are the values as fio has them, in a fixed order, and what has to be said of
them; `fiotools.readers.fio.json_columns` makes columns of the records of many files. A dictionary
with anything in it that is not what fio writes is repaired first (`json_values`), and then taken
like any other.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson

from fiotools.readers.fio import options as fio_options
from fiotools.readers.fio.bins import (
    INDEXED,
    coarse_columns,
    fine_edges,
    indexed_edges,
    whole_direction,
)
from fiotools.readers.fio.json_bins import Bins
from fiotools.readers.fio.json_fields import (
    DIRECTIONS,
    DISK,
    IO,
    JOB,
    LATENCIES,
    STATISTICS,
    VERSION_KEYS,
)
from fiotools.readers.fio.json_values import Values
from fiotools.readers.fio.repeats import elapsed, entries
from fiotools.readers.fio.version import Version
from fiotools.readers.grammar import Session
from fiotools.readers.shapes import Shapes

if TYPE_CHECKING:
    from fiotools.tables import Tables

_ENTRIES = Shapes(
    [*(one.key for one in JOB), "elapsed"],
    read=(
        *DIRECTIONS,
        *("jobname", "hostname", "job options", "eta", "desc"),
        *("latency_ns", "latency_us", "latency_ms"),
    ),
)
# in ns since 3.0, in usec before
_PARTS = Shapes(
    [*(one.key for one in IO), "bw", "io_kbytes"],
    [(f"{kind}_ns", kind) for kind in LATENCIES],
    [*STATISTICS, "N"],
)
_DISKS = Shapes((one.key for one in DISK), read=("name", "hostname", "port"))
_ERROR, _GROUP, _START, _RUNTIME, _ELAPSED = map(
    _ENTRIES.keys.index, ("error", "groupid", "job_start", "job_runtime", "elapsed")
)
_SINCE, _WIDTH = len(_PARTS.keys), len(_PARTS.inner_keys)
# what has been read elsewhere, or says nothing
_READ = frozenset(
    {
        *VERSION_KEYS,
        *("timestamp", "timestamp_ms", "global options", "jobs", "client_stats", "disk_util"),
    }
)
_UNITS = {"latency_ns": "nsec", "latency_us": "usec", "latency_ms": "msec"}
_STEADY = {"iops": "iops", "bw": "bw_bytes_per_s", "lat_ns": "lat_ns"}
_NUMBERS = frozenset({int, float})
_TEXTS = frozenset({str})
_SYNCS = ("fsync", "fdatasync", "sync_file_range")
# a latency's key in units that fio does not use
_ODD = re.compile(r"[sc]?lat_(?:u|m|us|ms|s)(?:ec)?")


class Curve(NamedTuple):
    """The percentiles of one latency."""

    part: int
    latency: str
    percentiles: Sequence[Any]
    values: Sequence[Any]


class Histogram(NamedTuple):
    """The bins of one latency, or of all directions of an entry together."""

    entry: int
    direction: str
    latency: str
    bins: Any  # Bins, or the columns of coarse ones


class Part(NamedTuple):
    """What one direction of an entry did.

    Attributes
    ----------
    entry : int
        The number of its entry, from 0.
    direction : str
    figures : tuple
        Of `IO`, then ``bw`` and ``io_kbytes``; for each of `LATENCIES` the `STATISTICS` and ``N``.
    scales : tuple of int
        How many ns the unit of each of `LATENCIES` has.
    """

    entry: int
    direction: str
    figures: tuple[Any, ...]
    scales: tuple[int, ...]


@dataclass(slots=True)
class Entry:
    """An entry of a report: a job, a group or a client.

    Attributes
    ----------
    figures : tuple
        Of `JOB`, then ``elapsed``.
    job, host, description : object
        As they stand there.
    scope : str
    options : Options
        Those that hold for it: the conditions of its I/O.
    own : Options
        Those that are listed for it, and what follows from them.
    has_defaults : bool
        Whether an option that is not listed has fio's default.
    flying : float
        How many I/Os may be on their way at once.
    """

    figures: tuple[Any, ...]
    job: Any
    host: Any
    description: Any
    scope: str
    options: Options
    own: Options
    has_defaults: bool
    flying: float


@dataclass(slots=True)
class Run:
    """What rows are made of.

    Attributes
    ----------
    number : int
    row : dict
        What stands in `runs`.
    line : int or None
        Where its document begins.
    said : int
        How many figures are known to be none: of these nothing is said again.
    shared : dict of str to str
        The settings of all jobs.
    values : Values
        What was wrong with values.
    """

    number: int
    row: dict[str, Any]
    line: int | None
    said: int
    shared: dict[str, str]
    values: Values
    entries: list[Entry] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    histograms: list[Histogram] = field(default_factory=list)
    disks: list[tuple[Any, ...]] = field(default_factory=list)
    extras: list[tuple[int | None, str, str]] = field(default_factory=list)


class Options:
    """What follows from the options of a job, of all jobs or its own.

    Attributes
    ----------
    names, texts : tuple of str
        The options that are listed, without the job's name.
    job : str or None
        That name.
    defaults : dict of str to str
        What holds where nothing is said.
    numjobs : int
    is_group : bool
    target : str or None
    flying : int
    """

    def __init__(self, shared: dict[str, str], own: dict[str, str]) -> None:
        self._all = options = {**shared, **own}
        self.job = own.get("name")
        listed = {name: text for name, text in own.items() if name != "name"}
        self.names, self.texts = tuple(listed), tuple(listed.values())
        self.is_listed = bool(own)
        self.defaults = fio_options.defaults(options)
        self.numjobs = fio_options.whole(options.get("numjobs")) or 1
        self.is_group = options.get("group_reporting", "0") != "0"
        self.target = fio_options.target(options)
        self.flying = (fio_options.whole(options.get("iodepth")) or 1) * self.numjobs
        self._conditions: dict[str, dict[str, Any]] = {}

    def conditions(self, direction: str) -> dict[str, Any]:
        """Say under which conditions I/O in a direction was done."""
        found = self._conditions.get(direction)
        if found is None:
            found = fio_options.conditions(self._all, direction)
            self._conditions[direction] = found
        return found

    def may_sync(self) -> bool:
        """Whether fio was asked for syncs."""
        return any(self._all.get(name, "0") != "0" for name in _SYNCS)


def options_of(shared: Any, own: Any) -> Options:
    """Look at options as a document lists them; the same options are looked at once."""
    return _options(*map(_pairs, (shared, own)))


def _pairs(listed: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if not isinstance(listed, dict):
        return (), ()
    if not _TEXTS.issuperset(map(type, listed.values())):
        listed = {name: str(value) for name, value in listed.items()}
    return tuple(listed), tuple(listed.values())


@lru_cache(maxsize=4096)
def _options(
    shared: tuple[tuple[str, ...], tuple[str, ...]], own: tuple[tuple[str, ...], tuple[str, ...]]
) -> Options:
    return Options(
        *(fio_options.normalise(dict(zip(*pairs, strict=True))) for pairs in (shared, own))
    )


def taken(
    tables: Tables,
    reports: list[dict[str, Any]],
    *,
    version: str | None = None,
    status: str = "ok",
    line: int | None = None,
    session: Session | None = None,
    said: int = 0,
) -> Run:
    """Take the reports of one run apart: the last is the result, all are samples if several.

    Of so many of its figures that are none it is ``said`` already.
    """
    document = reports[-1]
    session = session or Session()
    stated = (str(document[key]) for key in VERSION_KEYS if document.get(key))
    fio = Version.of(version or next(stated, None))
    tables.runs += 1
    shared = document.get("global options")
    row = {
        "tool_version": fio.text,
        "command": session.command,
        "host": session.host,
        "reported_at": _reported_at(document),
        "duration_s": elapsed(document),
        "status": status,
    }
    listed_for_all = fio_options.normalise(shared) if isinstance(shared, dict) else {}
    run = Run(tables.runs, row, line, said, listed_for_all, Values())
    reading = _Reading(tables, run, fio, shared)
    listed = entries(document)
    alike = Counter(map(_alike, listed)) if len(listed) > 1 else {}
    for number, entry in enumerate(listed):
        reading.add_entry(number, entry, alike.get(_alike(entry), 1) if alike else 1)
    if not listed:
        tables.note("the document lists no jobs", line=line, severity="warning", run=run.number)
    if fio.number is None:
        message = "the document says no version of fio: its units are told by its keys"
        tables.note(message, line=line, run=run.number)
    if status == "ok" and any(entry.figures[_ERROR] for entry in run.entries):
        row["status"] = "error"
    if len(reports) > 1:
        _add_samples(tables, run, fio, reports)
    if tables.wants("disks") or tables.wants("extras"):
        _add_disks(run, document.get("disk_util"))
    if tables.wants("extras"):
        rest = [name for name in document if name not in _READ]
        run.extras += _texts(None, document, rest)
    return run


def _alike(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """Tell the clones of one job from other entries."""
    return tuple(str(entry.get(key)) for key in ("jobname", "groupid", "hostname", "port"))


def moment(milliseconds: Any) -> datetime | None:
    """Read a time of this century; ``job_start_clock_id`` counts from another one."""
    if not isinstance(milliseconds, (int, float)) or not 10**12 < milliseconds < 10**13:
        return None
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def _reported_at(document: Mapping[str, Any]) -> datetime | None:
    seconds = document.get("timestamp")
    return moment(document.get("timestamp_ms")) or moment(
        seconds * 1000 if isinstance(seconds, (int, float)) else None
    )


class _Reading:
    """Takes the entries of one document."""

    def __init__(self, tables: Tables, run: Run, fio: Version, shared: Any) -> None:
        self.tables, self.run, self.fio, self.shared = tables, run, fio, shared
        self.values = run.values
        self.wants_fine = tables.wants("percentiles") or tables.wants("bins")

    def note(self, message: str, severity: str = "warning", *, placed: bool = False) -> None:
        """Say something of the run; ``placed``: with the line on which it begins."""
        line = self.run.line if placed else None
        self.tables.note(message, line=line, severity=severity, run=self.run.number)

    def add_entry(self, number: int, entry: dict[str, Any], alike: int) -> None:
        """Take an entry, and what it moved in each direction."""
        run = self.run
        shape, taken = _ENTRIES.take(entry)
        if not _NUMBERS.issuperset(map(type, taken)):
            entry = self.values.numbers(entry, _ENTRIES.keys, "")
            shape, taken = _ENTRIES.take(entry)
        figures = shape.ordered(taken)
        job = entry.get("jobname")
        own, options = self._options(entry, figures, alike, number)
        is_group = options is not own
        run.entries.append(
            Entry(
                figures,
                job,
                entry.get("hostname"),
                entry.get("desc"),
                "group" if is_group else _scope(entry, own, alike),
                options,
                own,
                own.is_listed
                or (bool(run.shared) and self.fio.lists_options and "hostname" not in entry),
                # what is not listed may be any number
                own.flying if own.is_listed and not is_group else math.inf,
            )
        )
        moved, is_fine, idle = [], False, True
        for direction in DIRECTIONS:
            part = entry.get(direction)
            if not isinstance(part, dict):
                continue
            has_moved = has_io(part)
            if not (has_moved or (direction == "sync" and _has_timed(part))):
                continue
            idle = idle and not has_moved
            if has_moved and part.get("short_ios") and _has_spilled(entry, options):
                part = {**part, "short_ios": None}
                self.note(
                    f"{direction} of {job!r:.60}: short_ios may be syncs, which fio counts"
                    " there by mistake: left out",
                    "info",
                )
            found = self._add_part(number, direction, part)
            if found is not None:
                moved.append(direction)
                is_fine |= found
        if moved and not is_fine and self.tables.wants("bins"):
            self._add_coarse(number, entry, whole_direction(moved))
        self._note_trouble(entry, figures[_ERROR], idle=idle)
        rest = shape.rest
        if figures[_START] and moment(figures[_START]) is None:
            rest = (*rest, "job_start")
        if "steadystate" in entry:
            self._add_steady(number, entry["steadystate"], moved)
        if rest and self.tables.wants("extras"):
            run.extras += _texts(number + 1, entry, rest)

    def _options(
        self, entry: Mapping[str, Any], figures: tuple[Any, ...], alike: int, number: int
    ) -> tuple[Options, Options]:
        """Give the options that are listed for an entry, and those that hold for it."""
        own = options_of(self.shared, entry.get("job options"))
        if not _of_another_job(entry, figures, own, alike):
            return own, own
        # for a group of unlike jobs fio gives the name of the first and the options of the last
        self.note(
            f"entry {number + 1} sums up a group of unlike jobs: fio lists the options of its last"
            " job only, so they are no conditions of the group"
        )
        return own, options_of(self.shared, None)

    def _add_part(self, entry: int, direction: str, part: dict[str, Any]) -> bool | None:
        """Take what one direction did; say whether it has fine bins, None if it did nothing."""
        shape, taken = _PARTS.take(part)
        if not _NUMBERS.issuperset(map(type, taken)):
            part = self._sound(entry, direction, part)
            shape, taken = _PARTS.take(part)
            if not has_io(part) and direction != "sync":  # "0"
                return None
        figures = shape.ordered(taken)
        is_fine, is_measured, place = False, False, len(self.run.parts)
        is_asked = self.wants_fine or direction == "sync"
        for number, key in enumerate(shape.inner if is_asked else ()):
            at = _SINCE + number * _WIDTH
            if key is None or not was_measured(*figures[at + 1 : at + 5]):
                continue
            is_measured = True
            is_fine |= self._add_fine(place, entry, direction, key, part[key])
        if not (is_measured or has_io(part)):
            return None
        moved = in_bytes(part, figures[0], self.fio)
        if moved is not figures[0]:
            figures = (moved, *figures[1:])
        self.run.parts.append(Part(entry, direction, figures, _scales(shape.inner)))
        if shape.rest:
            self._add_rest(entry, direction, part, shape.rest)
        return is_fine

    def _sound(self, entry: int, direction: str, part: dict[str, Any]) -> dict[str, Any]:
        """Repair a direction in which something is no number."""
        name = f"{direction} of {self.run.entries[entry].job!r:.60}: "
        sound = self.values.numbers(part, _PARTS.keys, name)
        for keys in _PARTS.inner:
            key = next((key for key in keys if isinstance(part.get(key), dict)), None)
            if key is not None:
                place = f"{direction}.{key}."
                sound[key] = self.values.numbers(part[key], _PARTS.inner_keys, place)
        return sound

    def _add_fine(
        self, part: int, entry: int, direction: str, key: str, latency: dict[str, Any]
    ) -> bool:
        """Take the percentiles and the fine bins of a latency; say whether there are bins."""
        kind, scale = key.removesuffix("_ns"), _scale(key)
        listed = latency.get("percentile")
        if isinstance(listed, dict) and self.tables.wants("percentiles"):
            self._add_curve(part, kind, listed, scale, f"{direction}.{kind}.")
        bins = latency.get("bins")
        if isinstance(bins, (dict, Bins)) and self.tables.wants("bins"):
            held = bins if isinstance(bins, Bins) else _fine(bins, scale)
            if held is None:
                self.values.left_out.append(f"{direction}.{kind}.bins has a bin")
            elif len(held):
                self.run.histograms.append(Histogram(entry, direction, kind, held))
        return bool(bins)

    def _add_curve(
        self, part: int, kind: str, listed: dict[str, Any], scale: int, place: str
    ) -> None:
        values: Any = tuple(listed.values())
        if not _NUMBERS.issuperset(map(type, values)):
            listed = self.values.numbers(listed, listed, f"{place}percentile.")
            values = tuple(listed.values())
        percentiles, are_plain = _percentiles(tuple(listed))
        if not are_plain:
            # slots that were not used are written as "0.00": 0 before 3.2
            used = dict(zip(percentiles, values, strict=True))
            used.pop(0.0, None)
            if used.pop(None, None) is not None:
                self.values.left_out.append(f"{place}percentile has a key")
            percentiles, values = tuple(used), tuple(used.values())
        if scale != 1:
            values = [value * scale for value in values]
        if values:
            self.run.curves.append(Curve(part, kind, percentiles, values))

    def _add_coarse(self, number: int, entry: Mapping[str, Any], direction: str) -> None:
        """Take the coarse distribution: of the completion latency, and of all directions."""
        shares = {}
        for key, unit in _UNITS.items():
            bins = entry.get(key)
            if isinstance(bins, dict):
                if not _NUMBERS.issuperset(map(type, bins.values())):
                    bins = self.values.numbers(bins, bins, f"{key}.")
                shares[unit] = bins
        columns = coarse_columns(shares, has_ns="latency_ns" in entry)
        if columns["pct"]:
            self.run.histograms.append(Histogram(number, direction, "clat", columns))

    def _add_rest(
        self, entry: int, direction: str, part: Mapping[str, Any], rest: tuple[str, ...]
    ) -> None:
        """Keep what has no column."""
        if self.tables.wants("extras"):
            named = {f"{direction}.{key}": part[key] for key in rest}
            self.run.extras += _texts(entry + 1, named, tuple(named))
        if odd := [key for key in rest if _ODD.fullmatch(key)]:
            self.note(
                f"{direction}: {', '.join(odd)} is no key of fio's; its unit is not certain:"
                " left out"
            )

    def _note_trouble(self, entry: Mapping[str, Any], error: Any, *, idle: bool) -> None:
        job = entry.get("jobname")
        if error:
            message = f"job {job!r} ended with error {error}" + (", without I/O" if idle else "")
            self.note(message, "error", placed=True)
        elif idle:
            parts = [part for part in map(entry.get, DIRECTIONS) if isinstance(part, dict)]
            is_said = all(
                part.get(key, 0) is not None for part in parts for key in ("io_bytes", "iops")
            )
            message = f"job {job!r} did no I/O" if is_said else f"job {job!r} does not say its I/O"
            self.note(message, placed=True)

    def _add_steady(self, number: int, state: Any, moved: list[str]) -> None:
        """Add the seconds in which fio looked for a steady state, over all directions together.

        When they were is not said. A second that fio did not come to has zeros, as one in which
        nothing was done: then they stay in `extras`, where the verdict is too.
        """
        data = state.get("data") if isinstance(state, dict) else None
        if not isinstance(data, dict) or not moved:
            return
        entry = self.run.entries[number]
        keys = {
            "run": self.run.number,
            "entry": number + 1,
            "host": entry.host,
            "group": entry.figures[_GROUP],
            "job": entry.job,
            "direction": whole_direction(moved),
        }
        keys = self.values.fitting(keys)
        for key, quantity in _STEADY.items():
            seconds = data.get(key)
            if isinstance(seconds, list) and all(type(one) is int and one > 0 for one in seconds):
                columns = {"value": [float(value) for value in seconds]}
                self.tables.extend("samples", columns, **keys, quantity=quantity)


@lru_cache
def _scales(keys: tuple[str | None, ...]) -> tuple[int, ...]:
    return tuple(_scale(key or "_ns") for key in keys)


def _scale(key: str) -> int:
    return 1 if key.endswith("_ns") else 1000


def was_measured(most: Any, mean: Any, _stddev: Any, count: Any) -> Any:
    """Whether a latency was measured: without a measurement fio writes zeros."""
    return most or mean if count is None else count


def has_io(part: Mapping[str, Any]) -> bool:
    """Whether anything was moved in a direction; fio lists unused ones as zeros."""
    if "io_kbytes" in part and isinstance(part.get("io_bytes"), (int, float, str)):
        return bool(part["io_bytes"])  # an I/O that failed counts as issued
    return bool(part.get("io_bytes") or part.get("total_ios") or part.get("iops") or part.get("bw"))


def in_bytes(part: Mapping[str, Any], moved: Any, fio: Version) -> Any:
    """Give what was moved: fio counted KiB before 2.21, where it began to give ``io_kbytes`` too.

    A document without a version is known by its keys: nanoseconds came later than bytes.
    """
    if moved is None or "io_kbytes" in part or (fio.number and fio.number >= (2, 21)):
        return moved
    newer = any(key in part for key in ("bw_bytes", "lat_ns", "clat_ns", "slat_ns"))
    return moved * 1024 if fio.before(2, 21, not newer) else moved


def _has_timed(part: Mapping[str, Any]) -> bool:
    """Whether syncs were timed, though none may be counted."""
    return any(any(one.values()) for one in part.values() if isinstance(one, dict))


def _has_spilled(entry: Mapping[str, Any], options: Options) -> bool:
    """Whether syncs were counted as I/Os that fell short, past the end of fio's counters.

    ``fdatasync`` counts as short reads, ``sync_file_range`` as short writes.
    """
    sync = entry.get("sync")
    if not isinstance(sync, dict):  # before 3.6, or not listed apart
        return options.may_sync()
    timed = sync.get("lat_ns")
    if not isinstance(timed, dict):
        return False
    counted, done = sync.get("total_ios") or 0, timed.get("N")
    return bool(timed.get("max")) and counted == 0 if done is None else done != counted


def _scope(entry: Mapping[str, Any], options: Options, alike: int) -> str:
    if "hostname" in entry:
        return "total" if entry.get("jobname") == "All clients" else "client"
    # group_reporting without a value is not listed, but fewer entries than jobs are a group
    return "group" if options.numjobs > alike or options.is_group else "job"


def _of_another_job(
    entry: Mapping[str, Any], figures: tuple[Any, ...], options: Options, alike: int
) -> bool:
    """Whether the options are certainly not those of all jobs behind the entry."""
    if "hostname" in entry:
        return False
    job = str(entry.get("jobname", ""))
    if options.job is not None and not options.job.startswith(job):  # it is cut off at 127 bytes
        return True
    ran_ms, longest = figures[_RUNTIME] or 0, (figures[_ELAPSED] or 0) + 1
    # no job runs for longer than fio itself; those of a group, as long as all its clones
    clones = options.numjobs / alike
    return bool(ran_ms and longest > 1 and ran_ms / 1000 > longest * max(1, clones))


@lru_cache(maxsize=4096)
def _percentiles(names: tuple[str, ...]) -> tuple[tuple[float | None, ...], bool]:
    """Read the names of percentiles; say whether each is one, is above 0, and stands once."""
    found = tuple(map(_percentile, names))
    return found, all(found) and len(set(found)) == len(found)


def _percentile(name: str) -> float | None:
    try:
        found = float(name)
    except ValueError:
        return None
    return found if 0 <= found <= 100 else None


def _fine(bins: dict[str, Any], scale: int) -> Bins | None:
    """Take a histogram from a document; None if any bin that holds something is none of fio's."""
    names: list[int] = []
    counts: list[int] = []
    for name, count in bins.items():
        if type(count) is int and 0 < count < 2**63 and name.isdecimal() and len(name) < 16:
            names.append(int(name))
            counts.append(count)
        elif count and not name.startswith("FIO_"):  # 2.x lists the empty ones
            return None
    low, high = (indexed_edges if INDEXED in bins else fine_edges)(names, scale)
    if np.isinf(low).any():
        return None
    return Bins(low, high, np.array(counts, dtype=np.int64))


def _texts(
    entry: int | None, items: Mapping[str, Any], paths: Sequence[str]
) -> Iterator[tuple[int | None, str, str]]:
    """Give what has no column: objects of plain values one by one, what is deeper as JSON."""
    for path in paths:
        value = items[path]
        if isinstance(value, str):
            yield entry, path, value
        elif isinstance(value, dict) and path.rpartition(".")[2] in ("steadystate", "data"):
            inner = {f"{path}.{key}": one for key, one in value.items()}
            yield from _texts(entry, inner, tuple(inner))
        else:
            try:
                yield entry, path, orjson.dumps(value).decode()
            except orjson.JSONEncodeError:  # deeper, or a greater number, than fio writes
                yield entry, path, "(left out)"


def _add_disks(run: Run, listed: Any) -> None:
    """Take the block devices; in client mode each names its host."""
    for disk in listed if isinstance(listed, list) else ():
        if not isinstance(disk, dict):
            continue
        name = disk.get("name")
        shape, taken = _DISKS.take(disk)
        if not _NUMBERS.issuperset(map(type, taken)):
            disk = run.values.numbers(disk, _DISKS.keys, f"disk {name!r:.40}: ")
            shape, taken = _DISKS.take(disk)
        run.disks.append((name, disk.get("hostname"), *shape.ordered(taken)))
        if shape.rest:
            rest = {f"disk_util.{name}.{key}": disk[key] for key in shape.rest}
            run.extras += _texts(None, rest, tuple(rest))


def _add_samples(tables: Tables, run: Run, fio: Version, reports: Sequence[dict[str, Any]]) -> None:
    """Add how far each entry had come at each report; the counts are cumulative."""
    values = Values()  # what is wrong with the last report is said already
    for document in reports:
        for number, entry in enumerate(entries(document), 1):
            entry = values.numbers(entry, _ENTRIES.keys, "")
            for direction in DIRECTIONS[:-1]:
                part = entry.get(direction)
                part = values.numbers(part if isinstance(part, dict) else {}, _PARTS.keys, "")
                if not part.get("runtime") or not has_io(part):
                    continue
                keys = {
                    "run": run.number,
                    "entry": number,
                    "host": entry.get("hostname"),
                    "group": entry.get("groupid"),
                    "job": entry.get("jobname"),
                    "direction": direction,
                    "time_s": part["runtime"] / 1000,
                }
                keys = values.fitting(keys)
                moved = in_bytes(part, part.get("io_bytes"), fio)
                done = {"io_bytes": moved, "total_ios": part.get("total_ios")}
                for quantity, value in done.items():
                    tables.add("samples", **keys, quantity=quantity, value=value)
