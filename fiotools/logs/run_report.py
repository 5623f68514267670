"""The report of the run that a log is of: it says fio's version, and when each job began.

Which report that is, is told by the folder and by what the reports say: one that is named as the
log (``x.json`` beside ``x_lat.1.log``), else one whose options name the log (``write_lat_log=x``),
or which has a job of that name. Where several say different things, none is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from fiotools.errors import FiotoolsError
from fiotools.input.detect import load, sniff
from fiotools.input.sources import Siblings, is_url
from fiotools.readers.document import plain_name
from fiotools.tables import Tables

if TYPE_CHECKING:
    from fiotools.input.sources import Found
    from fiotools.readers.fio.log_head import LogName

_MANY = 100  # reports in a folder: beyond, only one that is named as the log is looked at
_LARGE = 1 << 24  # bytes: a report is read whole
_OPTIONS = tuple(f"write_{kind}_log" for kind in ("bw", "iops", "lat", "hist"))


@dataclass(frozen=True, slots=True)
class Report:
    """What a report says of its run.

    Attributes
    ----------
    name : str
        The file's.
    version : str or None
        fio's.
    begun : mapping
        Entry to the time when its job began, in ms of Unix; fio 3.36 and later say it.
    logs : frozenset of str
        What its logs are called, before the kind.
    """

    name: str
    version: str | None
    begun: Mapping[int, int]
    logs: frozenset[str] = field(default_factory=frozenset)


class Reports:
    """The reports of the folders in which logs lie; each is read once."""

    def __init__(self) -> None:
        self._siblings = Siblings(_report_name, _LARGE)
        self._read: dict[str, Report | None] = {}

    def of(self, found: Found, name: LogName) -> Report | None:
        """Find the report of a log's run; None if it is not certain which that is."""
        if name.job is None or is_url(found.place):
            return None
        listed = self._siblings.of(found)
        for report in (f"{name.job}.json", f"{name.job}.jsonplus"):
            if report in listed and (read := self._report(listed[report])):
                return read
        if len(listed) > _MANY:
            return None
        read_all = filter(None, map(self._report, listed.values()))
        alike = [report for report in read_all if name.job in report.logs]
        if len(alike) == 1:
            return alike[0]
        versions = {report.version for report in alike}
        if len(versions) != 1:
            return None
        names = ", ".join(report.name for report in alike)
        return Report(names, versions.pop(), {})

    def _report(self, found: Found) -> Report | None:
        if found.name not in self._read:
            self._read[found.name] = _said_by(found)
        return self._read[found.name]


def _report_name(name: str) -> str | None:
    """Give the name of a JSON file without ``.gz``."""
    plain = plain_name(name)
    return plain if plain.lower().endswith((".json", ".jsonplus")) else None


def _said_by(found: Found) -> Report | None:
    """Read a report; None if it is none of fio's."""
    tables = Tables(found.name, ("runs", "jobs", "settings"))
    try:
        document = load(found)
        reader = sniff(document)
        if reader.name != "fio_json":
            return None
        reader.read(document, tables)
    except (FiotoolsError, OSError):
        return None  # no witness
    runs = list(tables.rows("runs", "tool_version"))
    jobs = list(tables.rows("jobs", "entry", "job", "job_start"))
    logs = {job for _, job, _ in jobs if job}
    for option, text in tables.rows("settings", "option", "text"):
        if option in _OPTIONS and text:
            logs.add(PurePosixPath(str(text)).name)
    begun = {entry: _milliseconds(start) for entry, _, start in jobs if start is not None}
    versions = {version for (version,) in runs}
    if len(versions) != 1:
        return None
    return Report(found.name, versions.pop(), begun if len(runs) == 1 else {}, frozenset(logs))


def _milliseconds(moment: Any) -> int:
    return round(moment.timestamp() * 1000) if hasattr(moment, "timestamp") else int(moment)
