"""Rows that fio's two reports in text, the one for people and terse, have alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from fiotools.readers.fio import options as fio_options
from fiotools.readers.fio.bins import coarse_columns, whole_direction

if TYPE_CHECKING:
    from fiotools.readers.base import Report, Session
    from fiotools.tables import Tables

_ALERT = re.compile(r"error|err=|terminat|fail|no such|cannot|unable|warning", re.I)


class Direction(NamedTuple):
    """What an entry did in one direction: columns of `io`, and percentiles by kind of latency.

    Without columns it counts only for what is told of all directions together.
    """

    name: str
    columns: Mapping[str, Any]
    percentiles: Mapping[str, Sequence[tuple[float, float]]]


class RunRows:
    """The rows of one run.

    Parameters
    ----------
    tables : Tables
    report : Report
        Where it stands; lines count from its start.
    session : Session
        What is known of the command.
    **row
        The rest of its row in `runs`.
    """

    def __init__(self, tables: Tables, report: Report, session: Session, **row: Any) -> None:
        self.tables, self._line = tables, report.line
        self.run = tables.start_run(tool="fio", command=session.command, host=session.host, **row)
        self._shared, self._named = fio_options.from_command(session.command)
        fio_options.add_settings(tables, self.run, None, None, self._shared, "global")

    def note(self, at: int, message: str, severity: str = "warning") -> None:
        """Say something of the run, on a line counted from the start of the report."""
        self.tables.note(message, line=self._line + at, severity=severity, run=self.run)

    def extra(self, path: str, text: str, entry: int | None = None) -> None:
        """Keep what has no column."""
        self.tables.add("extras", run=self.run, entry=entry, path=path, text=text)

    def asked(self, entry: int, job: str) -> dict[str, str]:
        """Add the options of an entry, as far as the command tells; return all that hold for it."""
        given = self._named.get(job, {})
        fio_options.add_settings(self.tables, self.run, entry, job, given, "given")
        return {**self._shared, **given}

    def entry(
        self,
        keys: Mapping[str, Any],
        job: Mapping[str, Any],
        directions: Sequence[Direction],
        shares: Mapping[str, Mapping[str, float]],
        extras: Mapping[str, str],
        *,
        has_ns: bool,
    ) -> None:
        """Add an entry: its row of `jobs`, its directions, and their coarse distribution."""
        keys, add = {"run": self.run, **keys}, self.tables.add
        add("jobs", **keys, **job)
        for one in directions:
            if not one.columns:
                continue
            row = {**keys, "direction": one.name}
            add("io", **row, **one.columns)
            for latency, pairs in one.percentiles.items():
                columns = {
                    "percentile": [percentile for percentile, _ in pairs],
                    "value_ns": [value for _, value in pairs],
                }
                self.tables.extend("percentiles", columns, **row, latency=latency)
        if shares:
            whole = whole_direction([one.name for one in directions])
            columns = coarse_columns(shares, has_ns)
            self.tables.extend("bins", columns, **keys, direction=whole, latency="clat")
        for path, text in extras.items():
            self.extra(path, text, keys["entry"])

    def progress(self, keys: Mapping[str, Any], runtime_ms: int, **values: float | None) -> None:
        """Add how far a direction of an entry had come at one report of several."""
        for quantity, value in values.items():
            what = {"time_s": runtime_ms / 1000, "quantity": quantity, "value": value}
            self.tables.add("samples", run=self.run, **keys, **what)


def note_remarks(
    tables: Tables, remarks: Iterable[tuple[int, str]], first: int, run: int | None
) -> None:
    """Keep what fio said beside its report that begins on a line."""
    for at, text in remarks:
        severity = "warning" if _ALERT.search(text) else "info"
        tables.note(text[:300], line=first + at, severity=severity, run=run)
