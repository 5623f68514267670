"""Entries and rows that fio's two text reports share: the one for people, and terse."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from fiotools.readers.document import Report, Session
from fiotools.readers.fio import options as fio_options
from fiotools.readers.fio.bins import coarse_columns, whole_direction
from fiotools.tables import Tables
from fiotools.vocabulary import SWEPT

ALL = "All clients"
_ALERT = re.compile(r"error|err=|terminat|fail|no such|cannot|unable|warning", re.I)

Said = list[tuple[int, str]]  # on which line of a report, and what
Curves = dict[str, list[tuple[float, float]]]  # by kind of latency: percentiles, and their ns


@dataclass(kw_only=True)
class Entry:
    """One job's, one group's or one client's part of a report."""

    line: int  # counted from the start of the report
    name: str  # empty if its first line is missing, without group and error then
    group: int | None
    error: int | None
    host: str | None = None  # of a client; empty if it is uncertain which
    description: str | None = None
    cpu: dict[str, float] = field(default_factory=dict)  # columns of `jobs`
    # the coarse distribution: unit to bin to percent
    shares: dict[str, dict[str, float]] = field(default_factory=dict)
    extras: dict[str, str] = field(default_factory=dict)  # values without a column

    @property
    def is_total(self) -> bool:
        """Whether it sums up the entries of all clients."""
        return self.name == ALL


class Direction(NamedTuple):
    """One direction of an entry: columns of `io`, and percentiles by kind of latency.

    Without columns it only counts towards all directions together.
    """

    name: str
    columns: dict[str, Any]
    percentiles: Curves


class Disk(NamedTuple):
    """A block device: columns of `disks`, and extras about the devices it consists of."""

    row: dict[str, Any]
    parts: dict[str, str]


class RunRows:
    """The rows of one run, whose lines count from the start of its report."""

    def __init__(self, tables: Tables, report: Report, session: Session, **row: Any) -> None:
        self.tables, self._line = tables, report.line
        self.run = tables.start_run(tool="fio", command=session.command, host=session.host, **row)
        self._shared, self._named = fio_options.from_command(session.command)
        # by entry and direction, and by entry: the conditions that tables beside `io` repeat
        self._swept: dict[tuple[int, str | None], dict[str, Any]] = {}
        fio_options.add_settings(tables, self.run, None, None, self._shared, "global")

    @property
    def has_options(self) -> bool:
        """Whether the command above the report gives options."""
        return bool(self._shared or any(self._named.values()))

    def note(self, at: int, message: str, code: str, severity: str = "warning") -> None:
        """Add a note to the run, on a line counted from the start of the report."""
        line = self._line + at
        self.tables.note(message, code=code, line=line, severity=severity, run=self.run)

    def extra(self, path: str, text: str, entry: int | None = None) -> None:
        """Keep a value without a column."""
        self.tables.add("extras", run=self.run, entry=entry, path=path, text=text)

    def asked(self, entry: int, job: str) -> dict[str, str]:
        """Add the entry's options from the command; return all options in effect for it."""
        given = self._named.get(job, {})
        fio_options.add_settings(self.tables, self.run, entry, job, given, "given")
        return {**self._shared, **given}

    def entry(
        self,
        number: int,
        entry: Entry,
        scope: str,
        directions: Sequence[Direction],
        *,
        has_ns: bool,
    ) -> None:
        """Add an entry: its row of `jobs`, its directions, and their coarse distribution."""
        keys = {
            "run": self.run,
            "entry": number,
            "host": entry.host or None,
            "group": entry.group,
            "job": entry.name or None,
            "scope": "total" if entry.is_total else scope,
        }
        add, extend = self.tables.add, self.tables.extend
        add("jobs", **keys, error=entry.error, description=entry.description, **entry.cpu)
        listed = [one for one in directions if one.columns]
        for one in listed:
            swept = {name: one.columns.get(name) for name in SWEPT}
            self._swept[number, one.name] = swept
            common = self._swept.setdefault((number, None), dict(swept))
            common.update((name, None) for name in SWEPT if common[name] != swept[name])
        for one in listed:
            row = {**keys, "direction": one.name}
            add("io", **row, **one.columns)
            for latency, pairs in one.percentiles.items():
                columns = {
                    "percentile": [percentile for percentile, _ in pairs],
                    "value_ns": [value for _, value in pairs],
                }
                extend(
                    "percentiles",
                    columns,
                    **row,
                    **self._conditions(number, one.name),
                    latency=latency,
                )
        bins = coarse_columns(entry.shares, has_ns)
        if len(bins["pct"]):
            whole = whole_direction([one.name for one in directions])
            conditions = self._conditions(number, whole)
            extend("bins", bins, **keys, direction=whole, **conditions, latency="clat")
        for path, text in entry.extras.items():
            self.extra(path, text, number)

    def _conditions(self, entry: int, direction: str) -> dict[str, Any]:
        """Return the conditions of a direction; without I/O those that its entry shares."""
        own = self._swept.get((entry, direction)) or self._swept.get((entry, None))
        return own or {}

    def disks(self, disks: Iterable[Disk]) -> None:
        """Add block devices."""
        for disk in disks:
            self.tables.add("disks", run=self.run, **disk.row)
            for path, text in disk.parts.items():
                self.extra(path, text)

    def progress(
        self, number: int, entry: Entry, direction: str, seconds: float, done: Mapping[str, Any]
    ) -> None:
        """Add the progress of a direction of an entry at one report of several."""
        # the block size of a sample is a single I/O's
        conditions = {**self._conditions(number, direction), "bs_bytes": None}
        for quantity, value in done.items():
            self.tables.add(
                "samples",
                run=self.run,
                entry=number,
                group=entry.group,
                job=entry.name,
                direction=direction,
                **conditions,
                time_s=seconds,
                quantity=quantity,
                value=value,
            )


def note_remarks(tables: Tables, remarks: Said, first: int, run: int | None) -> None:
    """Keep fio's messages beside the report that begins on a line."""
    for at, text in remarks:
        keep(tables, text, first + at, run)


def keep(tables: Tables, text: str, line: int, run: int | None) -> None:
    """Keep one line of text as a note, without progress that a carriage return overwrites."""
    severity = "warning" if _ALERT.search(text) else "info"
    message = text.rsplit("\r", 1)[-1][:300]
    tables.note(message, code="printed", line=line, severity=severity, run=run)


def is_interrupted(remarks: Said) -> bool:
    """Whether fio wrote that a signal ended it."""
    return any("terminating on signal" in text for _, text in remarks)
