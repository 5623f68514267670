"""What the numbers of a fio document are: found once, for all documents that differ in them alone.

Each number of a document is replaced by its place, and so is each text that was cut out; the result
is asked for its figures by name. What is not as fio 3 writes it makes a document unusual.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson

from fiotools.readers.fio.json_bins import KEY, TAKEN
from fiotools.readers.fio.json_cut import CUT
from fiotools.readers.fio.json_extras import DISK
from fiotools.readers.fio.json_latency import coarse, percentile
from fiotools.readers.fio.json_listed import DIRECTIONS
from fiotools.readers.fio.json_marks import (
    UNSAID_MARK,
    ZERO_MARK,
    Gathered,
    Texts,
    UnusualError,
    marked,
    places,
)
from fiotools.readers.fio.json_matrix import TOKEN, Form
from fiotools.readers.fio.json_rows import READ_JOB, READ_TOP

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.int64]

TOP = ("timestamp_ms", "timestamp")
JOB = ("groupid", "elapsed", "error", "ctx", "majf", "minf", "job_start", "job_runtime")
CPU = ("usr_cpu", "sys_cpu")
# of a direction, numbers without decimals and with; of a latency likewise
WHOLE = (
    *("io_bytes", "io_kbytes", "bw_bytes", "bw", "runtime", "total_ios", "short_ios", "drop_ios"),
    *("bw_min", "bw_max", "bw_samples", "iops_min", "iops_max", "iops_samples"),
)
REAL = ("iops", "bw_agg", "bw_mean", "bw_dev", "iops_mean", "iops_stddev")
KINDS = ("slat", "clat", "lat")
EXTREMES = ("min", "max", "N")
MEANS = ("mean", "stddev")

_LATENCIES = tuple(f"{kind}_ns" for kind in KINDS)
_NO_LATENCY: dict[str, Any] = dict.fromkeys((*EXTREMES, *MEANS), ZERO_MARK)
_DIRECTION = frozenset({*WHOLE, *REAL, *_LATENCIES})
# of clients, and of unified_rw_reporting
_UNUSUAL = frozenset({"hostname", "port", "mixed"})


class Curves(NamedTuple):
    """Percentiles: for each its entry, direction, kind of latency, value and place."""

    entry: Places
    direction: Places
    kind: Places
    percentile: NDArray[np.float64]
    at: Places


class Fine(NamedTuple):
    """Fine bins: for each histogram of the text its entry, direction and kind of latency."""

    entry: Places
    direction: Places
    kind: Places


class Coarse(NamedTuple):
    """Coarse bins: for each its entry, edges and place."""

    entry: Places
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    at: Places


class Extra(NamedTuple):
    """A value that has no column.

    Attributes
    ----------
    entry : int
        Its number, 0 if it is of none.
    path : str
    disk : int or None
        The place of the name of the disk that it is of.
    text : str or int
        What it says, with ``%s`` for every number; or the place of a text that was cut out.
    numbers : int
        How many numbers it has.
    """

    entry: int
    path: str
    disk: int | None
    text: str | int
    numbers: int


class Disks(NamedTuple):
    """Block devices: the places of their names, and of their numbers by key."""

    names: list[int]
    at: dict[str, Places]


@dataclass(frozen=True, slots=True)
class Shape:
    """Where documents of one shape have their figures.

    Attributes
    ----------
    form : Form
    texts : int
        How many texts were cut out; fio's version is the first.
    plain : list of int
        The places of those that are neither that nor of a job.
    shared : int or None
        The place of the options of all jobs.
    named : int
        The place of the first job's name; its options follow, and then the next job.
    descriptions : list of (str or None)
        Of each entry.
    whole, real : numpy.ndarray
        The places of `TOP`, and for each entry of `JOB`, of what was moved in each direction, and
        of the count and `EXTREMES` of the syncs; of `CPU`, and of the `MEANS` of the syncs.
    moved_whole, moved_real : numpy.ndarray
        By entry and direction: the places of `WHOLE` and of each latency's `EXTREMES`; of `REAL`
        and of each latency's `MEANS`.
    curves : Curves
    fine : Fine
    coarse : Coarse
    disks : Disks
    extras : list of Extra
    said : numpy.ndarray
        The places of all numbers in the extras.
    has_decimals : numpy.ndarray
        Of each number.
    """

    form: Form
    texts: int
    plain: list[int]
    shared: int | None
    named: int
    descriptions: list[str | None]
    whole: Places
    real: Places
    moved_whole: Places
    moved_real: Places
    curves: Curves
    fine: Fine
    coarse: Coarse
    disks: Disks
    extras: list[Extra]
    said: Places
    has_decimals: NDArray[np.bool_]

    @classmethod
    def of(cls, rest: bytes, texts: int) -> Shape:
        """Find out what the numbers of a document are.

        Raises
        ------
        UnusualError
            If it is not as fio 3 writes it.
        """
        try:
            return _shape(rest, texts)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise UnusualError from error


def _shape(rest: bytes, texts: int) -> Shape:
    if rest.count(KEY) != rest.count(TAKEN):  # bins that were not taken out
        raise UnusualError
    document, has_decimals = marked(rest)
    marks = Texts()
    jobs, top = document["jobs"], [document.get(key, ZERO_MARK) for key in TOP]
    marks.text(document["fio version"], "fio-")
    when = marks.text(document["time"]) if "time" in document else None
    shared = marks.options(document["global options"]) if "global options" in document else None
    if not (type(jobs) is list and jobs and document.keys() <= READ_TOP | {"time"}):
        raise UnusualError
    named = marks.next
    whole, real = Gathered(int), Gathered(float)
    moved_whole, moved_real = Gathered(int), Gathered(float)
    whole.add(top)
    for job in jobs:
        marks.text(job["jobname"])
        marks.options(job["job options"])
        if not _UNUSUAL.isdisjoint(job) or type(job.get("desc", "")) is not str:
            raise UnusualError
        whole.add([job.get(key, ZERO_MARK) if key[:4] == "job_" else job[key] for key in JOB])
        real.add([job[key] for key in CPU])
        for direction in DIRECTIONS[:-1]:
            whole.add([job[direction]["io_bytes"]])
            _add_direction(moved_whole, moved_real, job[direction])
        _add_syncs(whole, real, job.get("sync"))
    extras = [*_extras(jobs)]
    disks = _disks(marks, document.get("disk_util", []), extras)
    if when is not None:
        extras.append((Extra(0, "time", None, when, 0), []))
    if marks.next != texts or rest.count(CUT) != texts:
        raise UnusualError
    return Shape(
        form=Form(rest),
        texts=texts,
        plain=[*([] if when is None else [when]), *disks.names],
        shared=shared,
        named=named,
        descriptions=[job.get("desc") for job in jobs],
        whole=whole.places(),
        real=real.places(),
        moved_whole=moved_whole.places().reshape(len(jobs), len(DIRECTIONS) - 1, -1),
        moved_real=moved_real.places().reshape(len(jobs), len(DIRECTIONS) - 1, -1),
        curves=_curves(jobs),
        fine=_fine(jobs, rest.count(KEY)),
        coarse=_coarse(jobs),
        disks=disks,
        extras=[extra for extra, _ in extras],
        said=places(mark for _, said in extras for mark in said),
        has_decimals=np.array(has_decimals),
    )


_whole_of, _real_of = itemgetter(*WHOLE), itemgetter(*REAL)
_latencies_of, _means_of = itemgetter(*_LATENCIES), itemgetter(*MEANS)


def _add_direction(whole: Gathered, real: Gathered, part: dict[str, Any]) -> None:
    if part.keys() != _DIRECTION:
        raise UnusualError
    whole.add(_whole_of(part))
    real.add(_real_of(part))
    _add_latencies(whole, real, _latencies_of(part))


def _add_latencies(whole: Gathered, real: Gathered, latencies: Sequence[dict[str, Any]]) -> None:
    for latency in latencies:
        whole.add((latency["min"], latency["max"], latency.get("N", UNSAID_MARK)))
        real.add(_means_of(latency))


def _add_syncs(whole: Gathered, real: Gathered, part: dict[str, Any] | None) -> None:
    """Add the syncs, of which there is a count and a latency only."""
    count, latency = ZERO_MARK, _NO_LATENCY
    if part is not None:
        count, latency = part["total_ios"], part["lat_ns"]
        if len(part) != 2:
            raise UnusualError
    whole.add([count])
    _add_latencies(whole, real, [latency])


def _curves(jobs: Sequence[dict[str, Any]]) -> Curves:
    entries: list[int] = []
    directions: list[int] = []
    kinds: list[int] = []
    percentiles: list[float | None] = []
    marks = Gathered(int)
    for entry, job in enumerate(jobs):
        for direction, name in enumerate(DIRECTIONS):
            for kind, key in enumerate(_LATENCIES):
                listed = job.get(name, {}).get(key, {}).get("percentile")
                if type(listed) is dict:
                    known = [percentile(text) for text in listed]
                    # each once, and none of them 0
                    if not all(known) or len(set(known)) < len(known):
                        raise UnusualError
                    entries += [entry] * len(known)
                    directions += [direction] * len(known)
                    kinds += [kind] * len(known)
                    percentiles += known
                    marks.add(listed.values())
    return Curves(
        np.array(entries, dtype=np.int64),
        np.array(directions, dtype=np.int64),
        np.array(kinds, dtype=np.int64),
        np.array(percentiles, dtype=np.float64),
        marks.places(),
    )


def _fine(jobs: Sequence[dict[str, Any]], count: int) -> Fine:
    """Find whose bins were taken out of the text; each histogram left its number there."""
    found = []
    for entry, job in enumerate(jobs):
        for direction, name in enumerate(DIRECTIONS):
            for kind, key in enumerate(_LATENCIES):
                bins = job.get(name, {}).get(key, {}).get("bins")
                if bins is not None:
                    ((left, mark),) = bins.items()
                    if left or type(mark) is not int:
                        raise UnusualError
                    found.append((mark, entry, direction, kind))
    if len(found) != count:  # or some stand where fio has none
        raise UnusualError
    _, *columns = np.array(sorted(found), dtype=np.int64).reshape(-1, 4).T
    return Fine(*columns)


def _coarse(jobs: Sequence[dict[str, Any]]) -> Coarse:
    held = list(map(coarse, jobs))  # no place is 0: all of them hold something
    entries = np.arange(len(jobs)).repeat([len(columns["pct"]) for columns in held])
    low, high, pct = (
        [value for columns in held for value in columns[name]]
        for name in ("bin_lo_ns", "bin_hi_ns", "pct")
    )
    marks = Gathered(float)
    marks.add(pct)
    return Coarse(entries, np.array(low, float), np.array(high, float), marks.places())


def _extras(jobs: Sequence[dict[str, Any]]) -> Iterator[tuple[Extra, list[float]]]:
    for entry, job in enumerate(jobs, 1):
        for key, value in job.items():
            if key not in READ_JOB:
                text, said = _text(key, value)
                yield Extra(entry, key, None, text, len(said)), said


def _text(key: str, value: Any) -> tuple[str, list[float]]:
    """Write a value as JSON, with ``%s`` instead of its numbers, which are given too."""
    if key.rpartition(".")[2] in ("steadystate", "data"):  # what is in them is told apart
        raise UnusualError
    if isinstance(value, str):
        return value.replace("%", "%%"), []
    said: list[float] = []

    def put(token: Any) -> bytes:
        if token[0][:1] == b'"':
            return bytes(token[0])
        said.append(float(token[0]))
        return b"%s"

    text = orjson.dumps(value).replace(b"%", b"%%")
    return TOKEN.sub(put, text).decode(), said


def _disks(
    marks: Texts, listed: Sequence[Mapping[str, Any]], extras: list[tuple[Extra, list[float]]]
) -> Disks:
    """Take the block devices, and add what has no column to the extras."""
    names: list[int] = []
    columns: dict[str, list[Any]] = {}
    if type(listed) is not list:
        raise UnusualError
    for disk in listed:
        if not _UNUSUAL.isdisjoint(disk):
            raise UnusualError
        names.append(marks.text(disk["name"]))
        for key, value in disk.items():
            if key in DISK:
                if type(value) is not (float if key == "util" else int):
                    raise UnusualError
                columns.setdefault(key, []).append(value)
            elif key != "name":
                text, said = _text(key, value)
                extras.append((Extra(0, key, names[-1], text, len(said)), said))
    if any(len(column) != len(names) for column in columns.values()) or (names and not columns):
        raise UnusualError
    return Disks(names, {key: places(column) for key, column in columns.items()})
