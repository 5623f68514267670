"""fio's results as typed records: every key that fio writes, once, with its type.

`decoded` takes a document as fio writes it. `converted` takes a parsed document that another
program changed: it repairs the values, records what was wrong with them (`Faults`), and makes the
same records. Keys without a field are in ``rest``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta, Raw, Struct

Int = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
Num = Int | float
Listed = dict[str, str]
# since 3.39 with several servers: those of each, with its name and port
OfAll = Listed | list[dict[str, str | Int]]
if TYPE_CHECKING:
    Kept = Raw | None
else:
    Kept = Raw  # msgspec knows no union of it


class Record(Struct, gc=False, omit_defaults=True):
    """A record of fio's; what it does not say is None."""

    # the keys without a field; then in their order with those of `EXTRAS`, which have none here
    rest: dict[str, Raw] | None = msgspec.field(name="", default=None)


class Latency(Record):
    """One latency of a direction."""

    min: Num | None = None
    max: Num | None = None
    mean: Num | None = None
    stddev: Num | None = None
    N: Int | None = None
    percentile: dict[str, Num] | None = None
    # thousands of numbers, read only if wanted; nothing but their syntax is checked before
    bins: Kept = None


class Part(Record):
    """The I/O of an entry in one direction."""

    io_bytes: Int | None = None  # KiB before 2.21, which added io_kbytes
    io_kbytes: Int | None = None
    bw_bytes: Num | None = None
    bw: Num | None = None
    iops: Num | None = None
    runtime: Num | None = None
    total_ios: Int | None = None
    short_ios: Int | None = None
    drop_ios: Int | None = None
    slat_ns: Latency | None = None
    clat_ns: Latency | None = None
    lat_ns: Latency | None = None
    slat: Latency | None = None  # usec, before 3.0
    clat: Latency | None = None
    lat: Latency | None = None
    bw_min: Num | None = None
    bw_max: Num | None = None
    bw_agg: Num | None = None
    bw_mean: Num | None = None
    bw_dev: Num | None = None
    bw_samples: Int | None = None
    iops_min: Num | None = None
    iops_max: Num | None = None
    iops_mean: Num | None = None
    iops_stddev: Num | None = None
    iops_samples: Int | None = None


class Job(Record):
    """An entry of a report: a job, a group or a client."""

    jobname: str | None = None
    groupid: Int | None = None
    job_start: Num | None = None
    error: Int | None = None
    eta: Num | None = None
    elapsed: Num | None = None
    job_options: Listed | None = msgspec.field(name="job options", default=None)
    desc: str | None = None
    hostname: str | None = None
    port: Int | None = None
    read: Part | None = None
    write: Part | None = None
    trim: Part | None = None
    mixed: Part | None = None
    sync: Part | None = None
    job_runtime: Num | None = None
    usr_cpu: Num | None = None
    sys_cpu: Num | None = None
    ctx: Int | None = None
    majf: Int | None = None
    minf: Int | None = None
    iodepth_level: dict[str, Num] | None = None
    iodepth_submit: dict[str, Num] | None = None
    iodepth_complete: dict[str, Num] | None = None
    latency_ns: dict[str, Num] | None = None
    latency_us: dict[str, Num] | None = None
    latency_ms: dict[str, Num] | None = None
    total_err: Num | None = None
    first_error: Num | None = None
    latency_depth: Num | None = None
    latency_target: Num | None = None
    latency_percentile: Num | None = None
    latency_window: Num | None = None


class Disk(Record):
    """A block device of a run."""

    name: str | None = None
    hostname: str | None = None
    port: Num | None = None
    read_ios: Int | None = None
    write_ios: Int | None = None
    read_merges: Int | None = None
    write_merges: Int | None = None
    read_sectors: Int | None = None
    write_sectors: Int | None = None
    read_ticks: Num | None = None
    write_ticks: Num | None = None
    in_queue: Num | None = None
    util: Num | None = None
    aggr_read_ios: Num | None = None
    aggr_write_ios: Num | None = None
    aggr_read_merges: Num | None = None
    aggr_write_merge: Num | None = None
    aggr_read_ticks: Num | None = None
    aggr_write_ticks: Num | None = None
    aggr_in_queue: Num | None = None
    aggr_util: Num | None = None


class Document(Record):
    """A report of fio."""

    version: str | None = msgspec.field(name="fio version", default=None)
    timestamp: Num | None = None
    timestamp_ms: Num | None = None
    time: str | None = None
    global_options: OfAll | None = msgspec.field(name="global options", default=None)
    jobs: list[Job] | None = None
    client_stats: list[Job] | None = None
    disk_util: list[Disk] | None = None

    @property
    def entries(self) -> list[Job]:
        """The entries of jobs, or of the jobs of clients."""
        return self.jobs or self.client_stats or []


# fields without a column, in fio's order
EXTRAS: Mapping[type[Record], tuple[str, ...]] = {
    Job: (
        *("iodepth_level", "iodepth_submit", "iodepth_complete", "total_err", "first_error"),
        *("latency_depth", "latency_target", "latency_percentile", "latency_window"),
    ),
    Disk: (
        *("aggr_read_ios", "aggr_write_ios", "aggr_read_merges", "aggr_write_merge"),
        *("aggr_read_ticks", "aggr_write_ticks", "aggr_in_queue", "aggr_util"),
    ),
    Document: ("time",),
}
_EXTRA = frozenset(name for names in EXTRAS.values() for name in names)

# --- as fio writes it -------------------------------------------------------------------------

_decode = msgspec.json.Decoder(Document).decode
_encode = msgspec.json.Encoder().encode
_load = msgspec.json.Decoder().decode
_NO_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
LATENCIES = ("slat_ns", "clat_ns", "lat_ns", "slat", "clat", "lat")
VERSION_KEYS = ("fio version", "fioversion")
_LONG = 1 << 15  # bytes: a longer text may hold bins, which are not worth a copy


def decoded(data: bytes) -> Document | None:
    """Decode a document; None if it is not one, or if anything in it is not what fio writes.

    A decoder silently keeps the last of two equal keys, and skips null and unknown keys. Then the
    document, encoded again, has fewer quotation marks. If only keys are unknown, as those of a
    newer fio, they are added.
    """
    try:
        document = _decode(data)
    except _NO_JSON:
        return None
    listed = document.entries
    if not listed or (document.version is None and listed[0].jobname is None):
        return None
    marks, taken = _marks(data), list[tuple[Latency, Raw]]()
    if len(data) > _LONG:
        for latency in latencies_of(document, LATENCIES):
            if latency.bins is not None:
                taken.append((latency, latency.bins))
                marks -= _marks(latency.bins) + 2
                latency.bins = None
    is_whole = marks == _marks(_encode(document))
    for latency, bins in taken:
        latency.bins = bins
    if is_whole or _completed(document, loaded(data)):
        return document
    return None


def _completed(record: Any, value: Mapping[str, Any] | None) -> bool:
    """Add the keys without a field; return whether no value is null."""
    if value is None:
        return False
    kinds, rest = _KINDS[type(record)], dict[str, Raw]()
    is_known = kinds.keys() >= value.keys()
    for key, one in value.items():
        if one is None or key in VERSION_KEYS[1:]:
            return False
        if key not in kinds:
            rest[key] = _raw(one)
        elif key in _EXTRA and not is_known:
            rest[key] = _raw(one)
            setattr(record, key, None)
        elif kinds[key][1] is not None:
            found = getattr(record, key)
            pairs = zip(found, one, strict=True) if type(one) is list else ((found, one),)
            if not all(_completed(*pair) for pair in pairs):
                return False
    record.rest = rest or None
    return True


def loaded(data: bytes) -> Any:
    r"""Parse JSON; None if it is not JSON, or if a key occurs twice.

    Parsers silently drop such a key, and its quotation marks with it. A text that writes these as
    ``\u0022`` counts as having lost a key.
    """
    try:
        value = _load(data)
        return value if _marks(data) == _marks(_encode(value)) else None
    except _NO_JSON:
        return None


def _marks(data: Any) -> int:
    """Count quotation marks: they are too dense for a search from one to the next."""
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == ord('"')))


def latencies_of(document: Document, kinds: Sequence[str]) -> Iterator[Latency]:
    """Yield the latencies of all entries and directions."""
    for job in document.entries:
        for part in (job.read, job.write, job.trim, job.mixed, job.sync):
            for kind in kinds if part is not None else ():
                if (latency := getattr(part, kind)) is not None:
                    yield latency


# --- as others hand it on ---------------------------------------------------------------------

_NUMBER = re.compile(r"\s*-?\d{1,40}(?:\.\d{1,40})?(?:[eE][-+]?\d{1,3})?\s*")
_WHOLE = ("groupid", "error", "elapsed", "runtime", "total_ios", "io_bytes")  # never floats
_DEPTH = 8  # of fio's own documents, at most
_AMOUNTS = ("io_bytes", "total_ios", "iops", "bw")
_COLUMN = {"jobname": "job", "hostname": "host", "groupid": "group", "desc": "description"}
_SYNC = "sync"


@dataclass(slots=True)
class Faults:
    """What was wrong with the values of a document."""

    nans: int = 0  # how many were nan or inf
    # keys that occur twice with different values: options, and all others
    options: list[str] = field(default_factory=list)
    leaves: list[str] = field(default_factory=list)
    nulls: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    quoted: int = 0

    def problems(self, *, is_shared: bool) -> Iterator[tuple[str, str, str]]:
        """Yield the code, severity and text of notes.

        ``is_shared``: options that occur twice are those of several servers.
        """
        if self.nans:
            message = f"{self.nans} numbers of the document are nan or inf: left out"
            yield "left out", "warning", message
        right = "left out", "warning", "the right one is unknown: those that differ are left out"
        last = "conditions", "info", "the last one counts; check that fio used it"
        if is_shared:
            what = "which server used which is unknown: left out as options of all jobs"
            last = "conditions", "warning", what
        for names, (code, severity, what) in ((self.leaves, right), (self.options, last)):
            if names:
                told = ", ".join(dict.fromkeys(names))
                message = f"keys that occur twice with different values: {told:.200}; {what}"
                yield code, severity, message
        said = self.nans + len(self.leaves)
        if len(self.nulls) > said:
            more = ", ..." * (len(self.nulls) > 1)
            message = f"{len(self.nulls) - said} values are null, which fio does not write"
            yield "left out", "warning", f"{message}: left out ({self.nulls[0]}{more})"
        if self.quoted:
            message = f"{self.quoted} numbers of the document are texts: read as numbers"
            yield "repaired", "info", message
        for what in dict.fromkeys(self.left_out):
            yield "left out", "warning", f"{what}, which is not what fio writes: left out"


def converted(value: Mapping[str, Any], faults: Faults) -> Document:
    """Make a document of a parsed one, repaired."""
    if not value.get(VERSION_KEYS[0]) and VERSION_KEYS[1] in value:
        value = {VERSION_KEYS[0]: value[VERSION_KEYS[1]], **value}
    value = {key: one for key, one in value.items() if key != VERSION_KEYS[1]}
    return _decode(_encode(_record(_with_integers(value), Document, "", faults)))


def _with_integers(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a document with integers where another program made floats of them (4096.0)."""
    parts = _listed(document.get("jobs") or document.get("client_stats"))[:1]
    parts += [part for job in parts for part in job.values() if isinstance(part, dict)]
    if float not in {type(part.get(key)) for part in parts for key in _WHOLE}:
        return document
    found: Mapping[str, Any] = _integers(document, _DEPTH)
    return found


def _integers(value: Any, depth: int) -> Any:
    if type(value) is float and value.is_integer():
        return int(value)
    if type(value) is dict and depth:
        return {key: _integers(one, depth - 1) for key, one in value.items()}
    if type(value) is list and depth:
        return [_integers(one, depth - 1) for one in value]
    return value


def _record(value: Mapping[str, Any], kind: type[Record], place: str, faults: Faults) -> Any:
    """Repair the values of a record."""
    kinds, found, rest = _KINDS[kind], dict[str, Any](), dict[str, Raw]()
    for key, one in value.items():
        if key not in kinds or key in _EXTRA:
            rest[key] = _raw(one)
        elif (sound := kinds[key][0](one, key, place, value, faults)) is not None:
            found[key] = sound
    return {**found, "": rest} if rest else found


# each repairs a value of a record, given its key, its place, the record; None if it is left out
Repair = Callable[[Any, str, str, Mapping[str, Any], Faults], Any]


def _whole(one: Any, key: str, place: str, _of: Any, faults: Faults) -> int | float | None:
    return _number(one, True, f"{place}{_COLUMN.get(key, key)}", faults)


def _real(one: Any, key: str, place: str, _of: Any, faults: Faults) -> int | float | None:
    return _number(one, False, f"{place}{_COLUMN.get(key, key)}", faults)


def _words(one: Any, key: str, place: str, _of: Any, faults: Faults) -> str | None:
    if one is None or isinstance(one, str) or key in VERSION_KEYS:
        return str(one) if one else one
    faults.left_out.append(f"{place}{_COLUMN.get(key, key)} is {one!r:.40}")
    return None


def _texts(one: Any, *_: Any) -> dict[str, str] | None:
    return {name: str(text) for name, text in one.items()} if isinstance(one, dict) else None


def _options(one: Any, *_: Any) -> dict[str, str] | list[dict[str, str] | None] | None:
    return [*map(_texts, _listed(one))] if isinstance(one, list) else _texts(one)


def _reals(one: Any, key: str, place: str, _of: Any, faults: Faults) -> dict[str, Any] | None:
    if not isinstance(one, dict):
        return None
    items = {n: _number(v, False, f"{place}{key}.{n}", faults) for n, v in one.items()}
    return {name: number for name, number in items.items() if number is not None}


def _bins(one: Any, *_: Any) -> Raw | None:
    return _raw(one) if isinstance(one, dict) else None


def _latency(one: Any, key: str, place: str, _of: Any, faults: Faults) -> Any:
    return _record(one, Latency, f"{place}{key}.", faults) if isinstance(one, dict) else None


def _part(one: Any, key: str, _place: str, of: Mapping[str, Any], faults: Faults) -> Any:
    if not isinstance(one, dict):
        return None
    # nothing is said of a direction without I/O; syncs may have latencies without a count
    is_used = any(map(one.get, _AMOUNTS)) or (
        key == _SYNC and any(any(part.values()) for part in one.values() if isinstance(part, dict))
    )
    place = f"{key} of {of.get('jobname')!r:.60}: "
    return _record(one, Part, place, faults if is_used else Faults())


def _listed(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _jobs(one: Any, *rest: Any) -> Any:
    return [_record(job, Job, "", rest[-1]) for job in _listed(one)] or None


def _disks(one: Any, *rest: Any) -> Any:
    named = [(f"disk {disk.get('name')!r:.40}: ", disk) for disk in _listed(one)]
    return [_record(disk, Disk, place, rest[-1]) for place, disk in named] or None


_REPAIRS: list[tuple[Any, Repair, type[Record] | None]] = [
    (Int | None, _whole, None),
    (Num | None, _real, None),
    (str | None, _words, None),
    (Kept, _bins, None),
    (Listed | None, _texts, None),
    (OfAll | None, _options, None),
    (dict[str, Num] | None, _reals, None),
    (Latency | None, _latency, Latency),
    (Part | None, _part, Part),
    (list[Job] | None, _jobs, Job),
    (list[Disk] | None, _disks, Disk),
]
# how each key's value is repaired, and of which kind are the records in it
_KINDS: dict[type[Record], dict[str, tuple[Repair, type[Record] | None]]] = {
    kind: {
        one.encode_name: next((how, inner) for of, how, inner in _REPAIRS if of == one.type)
        for one in msgspec.structs.fields(kind)
        if one.encode_name
    }
    for kind in (Latency, Part, Job, Disk, Document)
}


def _number(value: Any, is_whole: bool, place: str, faults: Faults) -> int | float | None:
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        faults.quoted += 1
        value = float(value) if re.search("[.eE]", value) else int(value)
    if value is None:
        faults.nulls.append(place)
        return None
    fits = type(value) is int or (
        type(value) is float and math.isfinite(value) and not (is_whole and value % 1)
    )
    if not fits or (is_whole and abs(value) >= 2**63):
        faults.left_out.append(f"{place} is {value!r:.40}")
        return None
    if is_whole:
        return int(value)
    return value if type(value) is float or abs(value) < 2**63 else float(value)


def _raw(value: Any) -> Raw:
    try:
        return Raw(_encode(value))
    except RecursionError:  # deeper than fio writes
        return Raw(b'"(left out)"')
