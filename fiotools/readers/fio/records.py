"""A run of fio, as typed records, to rows: every rule about the numbers stands here, once.

Columns that are a key of fio's, in our unit, are taken by the lines of
`fiotools.readers.fio.fields`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
import numpy as np
from msgspec import Raw

from fiotools.readers.document import Session
from fiotools.readers.fio import DIRECTIONS, LATENCIES, STATISTICS, Version
from fiotools.readers.fio import options as fio_options
from fiotools.readers.fio.bins import (
    Histogram,
    coarse_columns,
    differing,
    histograms,
    whole_direction,
)
from fiotools.readers.fio.cumulative import server_of
from fiotools.readers.fio.documents import MOVING, TOTAL, by_direction, elapsed
from fiotools.readers.fio.fields import DISK, IO, JOB, LATENCY, Lines
from fiotools.readers.fio.options import JobOptions, options_of
from fiotools.readers.fio.schema import (
    EXTRAS,
    Disk,
    Document,
    Faults,
    Job,
    Latency,
    Part,
    Record,
    latencies_of,
)
from fiotools.tables.parts import FILE
from fiotools.vocabulary import CONDITIONS, SWEPT

if TYPE_CHECKING:
    from fiotools.tables.rows import Layout, Rows

_OF_JOB, _OF_IO, _OF_DISK = map(Lines, (JOB, IO, DISK))
_STARTED = _OF_JOB.columns.index("job_start")
_BUSY = attrgetter("usr_cpu", "sys_cpu", "job_runtime")
_MOVED, _TOTAL, _SHORT, _RAN, _IOPS, _RATE = map(
    _OF_IO.columns.index,
    ("io_bytes", "total_ios", "short_ios", "runtime_s", "iops", "bw_bytes_per_s"),
)
_RUNS: Layout = (FILE, "run", "tool", "format", "tool_version", "command", "host", "heading")
_RUNS += ("reported_at", "duration_s", "status")
_ENTRY: Layout = (FILE, "run", "entry", "host", "port", "group", "job", "target", "scope")
_JOBS: Layout = (*_ENTRY, *_OF_JOB.columns, "cpu_per_io_s", "description")
_ROW: Layout = (*_ENTRY, "direction", *CONDITIONS, *_OF_IO.columns)
_ROW += tuple(field.column for field in LATENCY)
_CURVE: Layout = (*_ENTRY, "direction", *SWEPT, "latency")
_PROGRESS: Layout = (FILE, "run", "entry", "host", "group", "job", "direction")
_PROGRESS += ("rw", "iodepth", "numjobs", "quantity", "time_s", "value")
_DEVICE: Layout = (FILE, "run", "host", "device", *_OF_DISK.columns)
_SETTING: Layout = (FILE, "run", "entry", "job", "origin")
_EXTRA: Layout = (FILE, "run", "entry")
_PERCENTILES, _TEXTS, _PATHS = ("percentile", "value_ns"), ("option", "text"), ("path", "text")
_FINE, _COARSE = ("bin_lo_ns", "bin_hi_ns", "count"), ("bin_lo_ns", "bin_hi_ns", "pct")

_IN_NS = tuple(f"{kind}_ns" for kind in LATENCIES)  # since 3.0

# --- a run ------------------------------------------------------------------------------------

_extras = {kind: attrgetter(*names, "rest") for kind, names in EXTRAS.items()}
_parts = attrgetter(*DIRECTIONS)
_of_ns, _of_us = attrgetter(*_IN_NS), attrgetter(*LATENCIES)
_statistics = attrgetter(*STATISTICS)
_clones = attrgetter("jobname", "groupid", "hostname", "port")
_NOTHING = (None,) * len(STATISTICS)
_LIMIT = 2**63
_STEADY = {"iops": "iops", "bw": "bw_bytes_per_s", "lat_ns": "lat_ns"}
_OPENED = frozenset({"steadystate", "data"})  # objects whose values are separate extras
_DEPTH = 8  # of these, at most
_SYNCS = ("fsync", "fdatasync", "sync_file_range")
_SERVER = ("hostname", "port")
# a latency's key in a unit that fio does not use
_ODD = re.compile(r"[sc]?lat_(?:u|m|us|ms|s)(?:ec)?")
_SLACK = 0.02  # share of I/Os that a job did not do, or did after the count
_load, _encode = msgspec.json.Decoder().decode, msgspec.json.Encoder().encode

# each latency of a direction, None if it was not measured, and its unit in ns
Timed: TypeAlias = list[tuple[Latency | None, int]]


def _of_all_jobs(
    document: Document, unsure: frozenset[str]
) -> tuple[JobOptions, dict[tuple[str, str], JobOptions]]:
    """Return the options of all jobs, and those of each server: since 3.39 fio lists them apart."""
    listed = document.global_options
    if not isinstance(listed, list):
        if unsure and listed:
            listed = {name: text for name, text in listed.items() if name not in unsure}
        return options_of(listed), {}
    servers = {
        (str(one.get("hostname")), str(one.get("port"))): {
            name: str(text) for name, text in one.items() if name not in _SERVER
        }
        for one in listed
    }
    first, *others = servers.values() or ({},)
    common = {
        name: text
        for name, text in first.items()
        if all(other.get(name) == text for other in others)
    }
    return options_of(common), {server: options_of(options) for server, options in servers.items()}


def add_run(
    rows: Rows,
    reports: Sequence[Document],
    *,
    line: int = 1,
    faults: Faults | None = None,
    version: str | None = None,
    status: str = "ok",
    session: Session | None = None,
    unsure: frozenset[str] = frozenset(),
) -> int:
    """Add the rows of one run: the last report is the result, several are samples as well.

    ``unsure`` are options of all jobs that differ between servers, and are not known.
    """
    document = reports[-1]
    entries = document.entries
    # one of these is in every whole document
    is_part = (document.version, document.timestamp, document.global_options) == (None,) * 3
    if is_part:  # no default is certain
        unsure |= fio_options.defaults({}).keys()
    rows.runs += 1
    run = _Run(rows, line, document, version, unsure)
    if run.fio.number is None and not is_part:
        run.note("the document does not say fio's version: its keys decide the units", "meaning")
    if is_part:
        run.warn(
            "only the jobs of a document (jq .jobs): fio's version, the time, the options of all"
            " jobs and the disks are missing; the keys decide the units; give the whole document",
            "incomplete",
        )
    if not entries:
        run.warn("the document lists no jobs", "incomplete")
    alike = Counter(map(_clones, entries)) if len(entries) > 1 else None
    for number, entry in enumerate(entries, 1):
        run.add_entry(number, entry, alike[_clones(entry)] if alike else 1)
    if status == "ok" and any(entry.error for entry in entries):
        status = "error"
    run.add(status, session)
    if len(reports) > 1 and rows.wants("samples"):
        run.add_progress(reports)
    for disk in document.disk_util or ():
        run.add_disk(disk)
    run.add_extras(None, document)
    for code, severity, message in faults.problems(is_shared=bool(unsure)) if faults else ():
        rows.note(message, code=code, line=line, severity=severity, run=rows.runs)
    return rows.runs


class _Run:
    """Adds the rows of one run."""

    def __init__(
        self, rows: Rows, line: int, document: Document, version: str | None, unsure: frozenset[str]
    ) -> None:
        self.rows, self.line, self.document, self.unsure = rows, line, document, unsure
        self.fio = Version.of(version or document.version)
        self.start = rows.file, rows.runs
        self.shared, self.servers = _of_all_jobs(document, unsure)
        # an unlisted option has its default if the run lists others, and may be anything if not
        self.is_known = bool(self.shared.shared) and not self.fio.before(2, 17, True)
        self.entries: list[tuple[tuple[Any, ...], JobOptions]] = []  # keys, and options in effect
        self.held: dict[int, Histogram | tuple[()] | None] = {}  # the bins of each latency
        wanted = ("jobs", "settings", "percentiles", "bins", "disks", "extras")
        self.jobs, self.settings, self.percentiles, self.bins, self.disks, self.extras = map(
            rows.wants, wanted
        )
        if self.settings:
            self._add_settings(None, None, "global", self.shared.shared)

    def note(self, message: str, code: str, severity: str = "info") -> None:
        """Add a note, with the line on which the run begins."""
        self.rows.note(message, code=code, line=self.line, severity=severity, run=self.start[1])

    def warn(self, message: str, code: str) -> None:
        """Add a warning."""
        self.note(message, code, "warning")

    def add(self, status: str, session: Session | None) -> None:
        """Add the row of the run itself."""
        document = self.document
        seconds = document.timestamp
        reported = _moment(document.timestamp_ms) or _moment(seconds and seconds * 1000)
        command, host = (session.command, session.host) if session else (None, None)
        told = ("fio", "fio_json", self.fio.text, command, host, self.rows.heading, reported)
        self.rows.append("runs", _RUNS, (*self.start, *told, elapsed(document), status))

    def _add_settings(
        self, entry: int | None, job: str | None, origin: str, options: Mapping[str, str]
    ) -> None:
        if options:
            keys = (*self.start, entry, job, origin)
            self.rows.block("settings", _SETTING, keys, _TEXTS, [*options], [*options.values()])

    def add_entry(self, number: int, entry: Job, alike: int) -> None:
        """Add an entry, and its I/O in each direction."""
        job, host, port = entry.jobname, entry.hostname, entry.port
        is_sum = job == TOTAL
        # a sum names the last server
        server = None if is_sum else self.servers.get(server_of(entry))
        options = own = options_of(entry.job_options, server or self.shared)
        is_mixed = host is None and _is_of_another_job(entry, own, alike)
        if is_mixed:
            # for a group of unlike jobs fio writes the first job's name and the last job's options
            options = self.shared
            self.warn(
                f"entry {number} sums up a group of unlike jobs: fio lists only the options of"
                " its last job, so they are not the group's conditions",
                "unlike jobs",
            )
        if self.settings:
            self._add_own(number, entry, own)
        if host is not None:
            scope = "total" if is_sum else "client"
            if is_sum:
                host = port = None
        else:
            # group_reporting without a value is not listed, but a group has fewer entries than jobs
            scope = "group" if is_mixed or own.numjobs > alike or own.is_group else "job"
        keys = (*self.start, number, host, port, entry.groupid, job, options.target, scope)
        self.entries.append((keys, options))
        if self.jobs:
            values = _OF_JOB.of(entry)
            values[_STARTED] = _moment(values[_STARTED])
            self.rows.append("jobs", _JOBS, (*keys, *values, _cpu_per_io(entry), entry.desc))
        flying = own.flying if own.given and not is_mixed else math.inf
        listed: list[str] = []
        fine: list[Histogram | tuple[()] | None] = []  # of each direction that moved something
        is_idle, is_fine = True, False
        for direction, part in zip(DIRECTIONS, _parts(entry), strict=True):
            if part is None:
                continue
            has_moved, is_sync = _has_io(part), direction == "sync"
            if not (has_moved or is_sync):
                continue
            timed = _latencies(part)
            if not has_moved and all(latency is None for latency, _ in timed):
                continue
            listed.append(direction)
            is_idle = is_idle and not has_moved
            if is_sync:
                values = _of_syncs(part, timed)
            else:
                place = f"{direction} of {job!r:.60}: "
                values = self._of_io(part, timed, place, flying)
                if values[_SHORT] and _has_spilled(entry, options):
                    values[_SHORT] = None
                    self.note(
                        f"{place}short_ios may be syncs, which fio counts there by mistake:"
                        " left out",
                        "left out",
                    )
            asked, swept = options.conditions(direction)
            self.rows.append("io", _ROW, (*keys, direction, *asked, *values))
            if self.percentiles or self.bins:
                is_fine = self._add_curves((*keys, direction, *swept), timed) or is_fine
            if self.bins and not is_sync:
                clat = timed[LATENCIES.index("clat")][0]
                fine.append(self._histogram(clat) if clat and clat.bins is not None else None)
            if part.rest:
                self._add_rest(number, direction, part.rest)
        if listed and self.bins and not is_fine:
            self._add_coarse((*keys, whole_direction(listed), *options.common(listed)), entry)
        elif is_fine:
            self._compare_coarse(entry, [one for one in fine if one], len(fine))
        self._note_trouble(entry, is_idle=is_idle)
        if listed and entry.rest and (state := entry.rest.get("steadystate")):
            self._add_steady(_load(state), whole_direction(listed), options.common(listed))
        self.add_extras(number, entry)
        if entry.job_start and _moment(entry.job_start) is None:
            self._keep(number, [("job_start", _text(entry.job_start))])

    def _add_own(self, number: int, entry: Job, own: JobOptions) -> None:
        """List an entry's options, those of all jobs of its server, and the defaults beside."""
        given, defaults, all_jobs = own.listed, own.defaults, self.shared.shared
        if own.shared is not all_jobs:
            apart = {name: text for name, text in own.shared.items() if name not in all_jobs}
            given = {**apart, **given}
        self._add_settings(number, entry.jobname, "given", given)
        if own.given or (self.is_known and entry.hostname is None):
            if self.unsure:
                defaults = {
                    name: text for name, text in defaults.items() if name not in self.unsure
                }
            self._add_settings(number, entry.jobname, "default", defaults)

    def _of_io(self, part: Part, timed: Timed, place: str, flying: float) -> list[Any]:
        """Return the columns of one direction: its amounts, its rates, its latencies."""
        values = _OF_IO.of(part)
        total, seconds, iops = values[_TOTAL], values[_RAN], values[_IOPS]
        moved = values[_MOVED] = self._bytes(part)
        if moved is not None and moved >= _LIMIT:
            values[_MOVED] = None
            what = f"{place}io_bytes is {moved!r:.40}"
            self.warn(f"{what}, which is not what fio writes: left out", "left out")
        if part.runtime == 0:  # fio writes 0 if it could not divide
            values[_IOPS] = values[_RATE] = None
        else:
            # printed with six decimals, or cut off to a whole number (2.1)
            if seconds and total and iops is not None:
                exact = total / seconds
                if abs(exact - iops) < (1.0 if type(iops) is int else 1e-5):
                    values[_IOPS] = exact
            if values[_RATE] is None and part.bw is not None:
                rate = part.bw * 1024
                if seconds and moved and abs(moved / seconds - rate) <= 1024 * (1 + 1 / seconds):
                    rate = moved / seconds
                values[_RATE] = rate
        for kind, (latency, unit) in zip(LATENCIES, timed, strict=True):
            values += _in_ns(latency, unit)
            count = latency.N if latency else None
            is_other = count and total and abs(count - total) > _SLACK * total + 1
            if is_other and not total < count <= total + flying:
                what = f"{kind} covers {count} I/Os, but total_ios is {total}"
                self.warn(f"{place}{what}: kept as printed", "contradiction")
        return values

    def _bytes(self, part: Part) -> int | None:
        """Return the bytes moved: before 2.21, which added ``io_kbytes``, fio counted KiB.

        The keys tell if a document does not say its version: nanoseconds came later than bytes.
        """
        moved = part.io_bytes
        if moved is None or part.io_kbytes is not None:
            return moved
        newer = (part.bw_bytes, part.lat_ns, part.clat_ns, part.slat_ns) != (None,) * 4
        return moved * 1024 if self.fio.before(2, 21, not newer) else moved

    def _add_curves(self, start: tuple[Any, ...], timed: Timed) -> bool:
        """Add percentiles and fine bins; return whether there are bins."""
        is_fine, direction = False, start[len(_ENTRY)]
        for kind, (latency, unit) in zip(LATENCIES, timed, strict=True):
            if latency is None:
                continue
            if latency.percentile and self.percentiles:
                names, values = tuple(latency.percentile), [*latency.percentile.values()]
                points, places, is_odd = _percentages(names)
                if is_odd:
                    self._left_out(f"{direction}.{kind}.percentile has a key")
                if places is not None:
                    values = [values[at] for at in places]
                if unit != 1:
                    values = [value * unit for value in values]
                keys = (*start, kind)
                self.rows.block("percentiles", _CURVE, keys, _PERCENTILES, points, values)
            if latency.bins is not None and self.bins:
                found = self._histogram(latency)
                is_fine = is_fine or found != ()
                if found is None:
                    self._left_out(f"{direction}.{kind}.bins has a bin")
                elif found:
                    self.rows.block("bins", _CURVE, (*start, kind), _FINE, *found)
        return is_fine

    def _left_out(self, what: str) -> None:
        self.warn(f"{what}, which is not what fio writes: left out", "left out")

    def _histogram(self, latency: Latency) -> Histogram | tuple[()] | None:
        """Return the bins of a latency; those of the document are read together."""
        if not self.held:
            for kinds, scale in ((_IN_NS, 1), (LATENCIES, 1000)):
                some = [one for one in latencies_of(self.document, kinds) if one.bins is not None]
                raws = [one.bins for one in some if one.bins is not None]
                self.held |= zip(map(id, some), histograms(raws, scale), strict=True)
        return self.held[id(latency)]

    def _add_coarse(self, start: tuple[Any, ...], entry: Job) -> None:
        """Add the coarse distribution: the completion latency of all directions together."""
        try:
            columns = _coarse(entry)
        except ValueError as error:
            self.warn(f"the coarse distribution is left out: {error}", "left out")
            return
        self.rows.block("bins", _CURVE, (*start, "clat"), _COARSE, *columns.values())

    def _compare_coarse(self, entry: Job, fine: list[Histogram], directions: int) -> None:
        """Note a coarse distribution that is not that of the fine bins, which are kept."""
        with suppress(ValueError):
            columns = _coarse(entry)
            if len(fine) == directions and columns["pct"] and (found := differing(fine, columns)):
                edge, below, other = found
                self.warn(
                    f"latency buckets of {entry.jobname!r:.60}: {below:.4g} % of the I/Os took less"
                    f" than {edge:g} ns, and {other:.4g} % by the bins: the bins are kept",
                    "contradiction",
                )

    def _note_trouble(self, entry: Job, *, is_idle: bool) -> None:
        job = entry.jobname
        if entry.error:
            what = f"job {job!r} ended with error {entry.error}" + (", without I/O" * is_idle)
            self.note(what, "failed", "error")
        elif is_idle:
            is_said = all(
                getattr(part, key) is not None
                for _, part in by_direction(entry, MOVING)
                for key in ("io_bytes", "iops")
            )
            if is_said:
                self.warn(f"job {job!r} did no I/O", "idle")
            else:
                self.warn(f"job {job!r} does not say its I/O", "incomplete")

    def _add_steady(self, state: Any, direction: str, swept: tuple[Any, ...]) -> None:
        """Add the seconds in which fio looked for a steady state, over all directions together.

        Their times are unknown. A second that fio did not reach has zeros, like a second without
        I/O: then they stay in `extras`, beside fio's verdict.
        """
        data = state.get("data") if isinstance(state, dict) else None
        for key, quantity in _STEADY.items():
            seconds = data.get(key) if isinstance(data, dict) else None
            if isinstance(seconds, list) and all(type(one) is int and one > 0 for one in seconds):
                for value in seconds:
                    self._add_sample(-1, direction, swept, (quantity, None, value))

    def _add_sample(
        self, place: int, direction: str, swept: tuple[Any, ...], value: tuple[Any, ...]
    ) -> None:
        """Add a sample of the entry at a place; the block size of one is a single I/O's."""
        keys, _ = self.entries[place]
        rw, _, *others = swept
        row = (*keys[:4], *keys[5:7], direction, rw, *others, *value)
        self.rows.append("samples", _PROGRESS, row)

    def add_progress(self, reports: Iterable[Document]) -> None:
        """Add the progress of each entry at each report; the counts are cumulative."""
        for report in reports:
            for place, entry in enumerate(report.entries):
                for direction, part in by_direction(entry, MOVING):
                    if part.runtime and _has_io(part):
                        _, swept = self.entries[place][1].conditions(direction)
                        for quantity, value in (
                            ("io_bytes", self._bytes(part)),
                            ("total_ios", part.total_ios),
                        ):
                            told = (quantity, part.runtime / 1000, value)
                            self._add_sample(place, direction, swept, told)

    def add_disk(self, disk: Disk) -> None:
        """Add a block device; in client mode each names its host."""
        if self.disks:
            values = _OF_DISK.of(disk)
            for at, column in enumerate(_OF_DISK.columns):
                if type(values[at]) is int and values[at] >= _LIMIT:
                    self._left_out(f"{column} is {values[at]!r:.40}")
                    values[at] = None
            self.rows.append("disks", _DEVICE, (*self.start, disk.hostname, disk.name, *values))
        self.add_extras(None, disk, f"disk_util.{disk.name}.")

    def _add_rest(self, number: int, direction: str, rest: Mapping[str, Raw]) -> None:
        """Keep the other values of a direction."""
        self._keep(number, [*_opened(rest, f"{direction}.")])
        if odd := [key for key in rest if _ODD.fullmatch(key)]:
            self.warn(
                f"{direction}: {', '.join(odd)} is not a key of fio's; its unit is unknown:"
                " left out",
                "left out",
            )

    def add_extras(self, number: int | None, record: Record, prefix: str = "") -> None:
        """Keep the values of a record that have no column."""
        if self.extras:
            kind = type(record)
            *values, rest = _extras[kind](record)
            pairs = zip(EXTRAS[kind], values, strict=True)
            found = [(prefix + name, _text(one)) for name, one in pairs if one is not None]
            self._keep(number, [*found, *_opened(rest or {}, prefix)])

    def _keep(self, entry: int | None, found: Sequence[tuple[str, str]]) -> None:
        if found and self.extras:
            paths, texts = zip(*found, strict=True)
            self.rows.block("extras", _EXTRA, (*self.start, entry), _PATHS, paths, texts)


def _opened(rest: Mapping[str, Raw], prefix: str) -> Iterator[tuple[str, str]]:
    """Yield values as texts: those of some objects one by one, deeper ones as JSON."""
    for name, raw in rest.items():
        if name in _OPENED:
            yield from _leaves(prefix + name, _load(raw))
        else:
            yield prefix + name, _text(raw)


def _leaves(path: str, value: Any, depth: int = _DEPTH) -> Iterator[tuple[str, str]]:
    if not (isinstance(value, dict) and depth):
        yield path, _text(value)
        return
    for key, one in value.items():
        if key in _OPENED:
            yield from _leaves(f"{path}.{key}", one, depth - 1)
        else:
            yield f"{path}.{key}", _text(one)


def _text(value: Any) -> str:
    """Return a value as a text: JSON without blanks, and without quotation marks around it."""
    if type(value) is str:
        return value
    data = _encode(value)
    return str(_load(data)) if data.startswith(b'"') else data.decode()


def _moment(milliseconds: float | None) -> int | None:
    """Read a time of this century, in ms; ``job_start_clock_id`` may be another clock."""
    if milliseconds is None or not 10**12 < milliseconds < 10**13:
        return None
    return int(milliseconds)


def _coarse(entry: Job) -> dict[str, list[float]]:
    """Return the coarse distribution as columns; a `ValueError` if fio has no such bin."""
    units = (("nsec", entry.latency_ns), ("usec", entry.latency_us), ("msec", entry.latency_ms))
    shares = {unit: bins for unit, bins in units if bins}
    return coarse_columns(shares, has_ns=entry.latency_ns is not None)


def _latencies(part: Part) -> Timed:
    """Return each latency that was measured, and its unit in ns: 1 since 3.0, 1000 before."""
    found: Timed = []
    for latency, older in zip(_of_ns(part), _of_us(part), strict=True):
        one, unit = (older, 1000) if latency is None else (latency, 1)
        found.append((one if one is not None and _is_measured(one) else None, unit))
    return found


def _is_measured(latency: Latency) -> bool:
    """Whether a latency was measured: before 3.19 there is no count, and zeros say no."""
    return bool(latency.max or latency.mean if latency.N is None else latency.N)


def _in_ns(latency: Latency | None, unit: int) -> Iterable[float | None]:
    """Return the statistics of a latency in ns."""
    if latency is None:
        return _NOTHING
    found: tuple[float | None, ...] = _statistics(latency)
    return found if unit == 1 else [None if one is None else one * unit for one in found]


def _of_syncs(part: Part, timed: Timed) -> list[Any]:
    """Return the columns of syncs: they have a count, which may be that of a latency."""
    values: list[Any] = [None] * len(_OF_IO.columns)
    counts = [latency.N for latency, _ in timed if latency is not None and latency.N]
    values[_TOTAL] = max(filter(None, (part.total_ios, *counts[:1])), default=None)
    for latency, unit in timed:
        values += _in_ns(latency, unit)
    return values


def _cpu_per_io(entry: Job) -> float | None:
    """Return the seconds of a processor for each I/O of an entry, if its clock shows any."""
    user, system, took = _BUSY(entry)
    if user is None or system is None or not took or user + system <= 0:
        return None
    apart = [part.total_ios or 0 for part in (entry.read, entry.write, entry.trim) if part]
    ios = sum(apart) or (entry.mixed.total_ios if entry.mixed else 0)
    # percent of a time in ms
    return (user + system) / 100 * took / 1000 / ios if ios else None


def _has_io(part: Part) -> bool:
    """Whether a direction moved anything: an I/O that failed counts as issued."""
    if part.io_kbytes is not None and part.io_bytes is not None:
        return bool(part.io_bytes)
    return bool(part.io_bytes or part.total_ios or part.iops or part.bw)


def _has_spilled(entry: Job, options: JobOptions) -> bool:
    """Whether syncs were counted as short I/Os, past the end of fio's counters.

    ``fdatasync`` counts as short reads, ``sync_file_range`` as short writes.
    """
    sync = entry.sync
    if sync is None:  # before 3.6, or not listed apart
        return any(fio_options.is_set(options.all, name) for name in _SYNCS)
    timed = sync.lat_ns
    if timed is None:
        return False
    counted, done = sync.total_ios or 0, timed.N
    return bool(timed.max) and counted == 0 if done is None else done != counted


def _is_of_another_job(entry: Job, options: JobOptions, alike: int) -> bool:
    """Whether the options certainly do not belong to all jobs behind the entry."""
    name = options.given.get("name")
    if name is not None and not name.startswith(entry.jobname or ""):
        return True  # the entry's is cut off at 127 bytes
    ran_ms, longest = entry.job_runtime or 0, (entry.elapsed or 0) + 1
    # no job runs longer than fio itself; a group runs as long as all its clones
    clones = options.numjobs / alike
    return bool(ran_ms and longest > 1 and ran_ms / 1000 > longest * max(1, clones))


@lru_cache(maxsize=1024)
def _percentages(keys: Layout) -> tuple[Any, list[int] | None, bool]:
    """Return the percentages that keys say, the place of each (None for all), and if one is odd."""
    found: dict[float, int] = {}
    is_odd = False
    for place, key in enumerate(keys):
        try:
            percentage = float(key)
        except ValueError:
            percentage = math.nan
        if 0 <= percentage <= 100:
            found[percentage] = place
        else:
            is_odd = True
    found.pop(0.0, None)  # unused slots are written as "0.00": 0 before 3.2
    places = [*found.values()]
    is_whole = places == [*range(len(keys))]
    return np.array([*found], dtype=np.float64), None if is_whole else places, is_odd
