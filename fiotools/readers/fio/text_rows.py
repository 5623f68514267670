"""Rows that fio's two reports in text, the one for people and terse, have alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fiotools.readers.fio import options as fio_options
from fiotools.readers.fio.bins import coarse_columns, whole_direction

if TYPE_CHECKING:
    from fiotools.readers.base import Report, Session
    from fiotools.tables import Tables

_ALERT = re.compile(r"error|err=|terminat|fail|no such|cannot|unable|warning", re.I)


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

    def percentiles(
        self, keys: Mapping[str, Any], latency: str, pairs: Sequence[tuple[float, float]]
    ) -> None:
        """Add percentiles and their latencies, in ns."""
        columns = {
            "percentile": [percentile for percentile, _ in pairs],
            "value_ns": [value for _, value in pairs],
        }
        self.tables.extend("percentiles", columns, **keys, latency=latency)

    def shares(
        self,
        keys: Mapping[str, Any],
        shares: Mapping[str, Mapping[str, float]],
        directions: list[str],
        has_ns: bool,
    ) -> None:
        """Add the coarse distribution of all directions together."""
        if self.tables.wants("bins"):
            columns = coarse_columns(shares, has_ns)
            direction = whole_direction(directions)
            self.tables.extend("bins", columns, **keys, direction=direction, latency="clat")

    def progress(
        self,
        entry: int,
        group: int,
        job: str,
        direction: str,
        runtime_ms: int,
        **values: float | None,
    ) -> None:
        """Add how far a direction of an entry had come at one report of several."""
        for quantity, value in values.items():
            self.tables.add(
                "samples",
                run=self.run,
                entry=entry,
                group=group,
                job=job,
                direction=direction,
                time_s=runtime_ms / 1000,
                quantity=quantity,
                value=value,
            )


def note_remarks(
    tables: Tables, remarks: Iterable[tuple[int, str]], first: int, run: int | None
) -> None:
    """Keep what fio said beside its report that begins on a line."""
    for at, text in remarks:
        severity = "warning" if _ALERT.search(text) else "info"
        tables.note(text[:300], line=first + at, severity=severity, run=run)
