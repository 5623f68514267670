"""Many small fio documents of the usual layout, read side by side.

A document is asked for its figures by name, all at once; what it lacks, or has besides, leads to
the reader that takes documents one by one, and so does a value that is no number. What is taken is
as fio 3 writes it of jobs that ran without an error; the arithmetic is done on the figures of some
hundred files together (`fio_json_columns`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import orjson

from fiotools.readers import fio_json_extras as extras
from fiotools.readers.fio_json_columns import (
    COUNTS,
    FIGURES,
    WHOLE,
    Columns,
    Curve,
    Entry,
    Moved,
)
from fiotools.readers.fio_json_io import Version
from fiotools.readers.fio_json_latency import add_coarse, coarse, percentile
from fiotools.readers.fio_json_listed import DIRECTIONS, Options
from fiotools.readers.fio_json_rows import READ_JOB, READ_TOP, is_moment, ran_longer
from fiotools.readers.fio_json_values import Values

if TYPE_CHECKING:
    from fiotools.joining import Piece

_BEGINS = b'{\n  "fio version" : "fio-'
_LARGEST = 2**20  # a larger file gains nothing by company
_TOP = READ_TOP | {"time"}
# in an entry: of a client, with unified_rw_reporting, with ss=
_UNUSUAL = frozenset({"hostname", "port", "mixed", "steadystate"})

_named = itemgetter("jobname", "groupid")
_entry = itemgetter("jobname", "groupid", "job options", "elapsed", *COUNTS, "usr_cpu", "sys_cpu")
_whole = itemgetter(*WHOLE)
_figures = itemgetter(*FIGURES)
_latencies = itemgetter("slat_ns", "clat_ns", "lat_ns")
_stats = itemgetter("min", "max", "mean", "stddev")
_SYNC = DIRECTIONS.index("sync")
_NOTHING = (0, 0, 0, 0, 0)  # a latency that was not measured
_PART = len(WHOLE) + len(FIGURES) + 3  # a direction has no more keys than these
_INT, _FLOAT, _NUMBER = frozenset({int}), frozenset({float}), frozenset({int, float})


class _UnusualError(Exception):
    """A document is not of the usual layout."""


class Bulk:
    """Takes documents of the usual layout, as `fiotools.readers.base.Bulk` says."""

    def __init__(self, wanted: Collection[str] | None) -> None:
        self._columns = Columns(wanted)
        self._options = Options()

    def take(self, number: int, data: bytes) -> bool:
        """Take a file's document if it is of the usual layout."""
        if not data.startswith(_BEGINS) or len(data) > _LARGEST or b'"bins"' in data:
            return False
        try:
            self._add(number, orjson.loads(data))
        except (_UnusualError, KeyError, TypeError, AttributeError, ValueError):
            return False
        return True

    def finish(self) -> tuple[dict[str, list[Piece]], list[int]]:
        """Give the rows of all documents; of none, if a number among them fits no column."""
        return self._columns.pieces()

    def _add(self, number: int, document: dict[str, Any]) -> None:
        jobs, shared = document["jobs"], document.get("global options", {})
        version, reported = _version(document["fio version"]), _reported(document)
        if not (document.keys() <= _TOP and jobs and type(jobs) is list):
            raise _UnusualError
        clones = Counter(map(_named, jobs)) if len(jobs) > 1 else {}
        entries = [
            self._entry(place, job, shared, clones.get(_named(job), 1))
            for place, job in enumerate(jobs, 1)
        ]
        columns = self._columns
        bins = list(map(coarse, jobs)) if columns.wants_bins else ()
        # whatever could be unusual has been looked at: from here on rows are added
        columns.add(number, version, reported, entries)
        rare = columns.rare
        for entry, held in zip(entries, bins, strict=False):
            add_coarse(rare, {"run": 1, **entry.keys()}, held, entry.directions())
        for entry, job in zip(entries, jobs, strict=True):
            extras.add(rare, 1, entry.number, job, READ_JOB)
        values = Values()
        if rare.wants("disks") or rare.wants("extras"):
            extras.add_disks(rare, 1, document.get("disk_util"), values)
            extras.add(rare, 1, None, document, READ_TOP)
        values.note(rare, 1, 1)

    def _entry(
        self, number: int, job: dict[str, Any], shared: dict[str, Any], clones: int
    ) -> Entry:
        name, group, own, elapsed, *counts, usr_cpu, sys_cpu = _entry(job)
        start, runtime = job.get("job_start", 0), job.get("job_runtime", 0)
        description = job.get("desc", "")
        if (
            not (type(name) is type(description) is str and own)
            or not _INT.issuperset(map(type, (group, elapsed, start, runtime, *counts)))
            or not _NUMBER.issuperset((type(usr_cpu), type(sys_cpu)))
            or not _UNUSUAL.isdisjoint(job)
            or counts[0]  # an error
            or (start and not is_moment(start))
        ):
            raise _UnusualError
        listed = self._options.listed(shared, own)
        is_own = listed.name is None or listed.name.startswith(name)
        if not is_own or ran_longer(runtime, elapsed, listed.numjobs / clones):
            raise _UnusualError
        moved = [self._moved(at, job[DIRECTIONS[at]]) for at in range(_SYNC)]
        moved.append(self._synced(job.get("sync")))
        moved = [one for one in moved if one]
        if not moved:
            raise _UnusualError
        scope = "group" if listed.numjobs > clones or listed.is_group else "job"
        figures = (*counts, usr_cpu, sys_cpu, start or None, runtime / 1000 or None)
        described = description if "desc" in job else None
        return Entry(number, group, name, scope, listed, elapsed, (*figures, described), moved)

    def _moved(self, direction: int, part: Any) -> Moved | None:
        """Give what was done in one direction."""
        moved = part["io_bytes"], part["io_kbytes"]
        if not moved[0]:
            return None
        whole, figures = _whole(part), _figures(part)
        latencies = _latencies(part)
        measured = [*_measured(latencies[0]), *_measured(latencies[1]), *_measured(latencies[2])]
        if (
            len(part) != _PART
            or part["short_ios"]
            or not _INT.issuperset(map(type, whole))
            or not _FLOAT.issuperset(map(type, figures))
            or not _NUMBER.issuperset(map(type, measured))
        ):
            raise _UnusualError
        return Moved(direction, whole, figures, measured, self._curves(latencies, measured))

    def _synced(self, part: Any) -> Moved | None:
        """Give the syncs that were done, which fio counts apart."""
        if part is None:
            return None
        counted, latency = part["total_ios"], part["lat_ns"]
        measured = [*_NOTHING, *_NOTHING, *_measured(latency)]
        if (
            len(part) != 2
            or type(counted) is not int
            or not _NUMBER.issuperset(map(type, measured))
        ):
            raise _UnusualError
        is_measured = _is_measured(measured, 2)
        if not (counted or is_measured):
            return None
        count = max(counted, latency.get("N", 0) if is_measured else 0)
        if count == 0:
            raise _UnusualError
        whole = [0] * len(WHOLE)
        whole[WHOLE.index("total_ios")] = count
        curves = self._curves(({}, {}, latency), measured)
        return Moved(_SYNC, whole, [0.0] * len(FIGURES), measured, curves)

    def _curves(self, latencies: Sequence[dict[str, Any]], measured: list[Any]) -> list[Curve]:
        """Give the percentiles of what was measured."""
        curves: list[Curve] = []
        if self._columns.wants_percentiles:
            for kind, latency in enumerate(latencies):
                listed = latency.get("percentile")
                if type(listed) is dict and _is_measured(measured, kind):
                    values = list(listed.values())
                    if not _NUMBER.issuperset(map(type, values)):
                        raise _UnusualError
                    curves.append((kind, _percentiles(tuple(listed)), values))
        return curves


def _measured(latency: dict[str, Any]) -> tuple[Any, ...]:
    """Give the figures of a latency, and of how many I/Os it is: -1 where that is not said."""
    if "N" not in latency:
        return (*_stats(latency), -1)
    if latency["N"] < 0:
        raise _UnusualError
    return (*_stats(latency), latency["N"])


def _is_measured(measured: list[Any], kind: int) -> bool:
    _, most, mean, _, count = measured[5 * kind : 5 * kind + 5]
    return bool(count > 0 or (count == -1 and (most or mean)))


@lru_cache(maxsize=1024)
def _percentiles(names: tuple[str, ...]) -> list[float]:
    """Read the names of percentiles, each once and none of them 0."""
    found = [percentile(name) for name in names]
    known = [value for value in found if value]
    if len(set(known)) != len(names):
        raise _UnusualError
    return known


@lru_cache(maxsize=256)
def _version(said: str) -> str:
    fio = Version.of({}, said)
    if fio.text is None or fio.before(3, 0, True):
        raise _UnusualError
    return fio.text


def _reported(document: dict[str, Any]) -> int | None:
    """Give the moment of a report, in ms."""
    exact, seconds = document.get("timestamp_ms", 0), document.get("timestamp", 0)
    if not type(exact) is type(seconds) is int:
        raise _UnusualError
    return next((ms for ms in (exact, seconds * 1000) if is_moment(ms)), None)
