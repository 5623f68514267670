"""Several logs on one clock: the calendar's, or as the caller says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal, Protocol, Self, TypeVar

from fiotools.errors import SchemaError
from fiotools.scanning.heads import Head

Align = Literal["wall"] | Mapping[str, float] | None


class Timed(Protocol):
    """A log of which is known when its times begin."""

    @property
    def head(self) -> Head:
        """Its beginning."""

    @property
    def zero(self) -> float:
        """When its times begin, in ms of its own clock."""

    def counted_from(self, zero: float) -> Self:
        """Let times begin at another moment."""


TimedT = TypeVar("TimedT", bound=Timed)


def aligned(logs: Sequence[TimedT], align: Align) -> Sequence[TimedT]:
    """Let all logs count from one moment; see `scan_log`.

    Raises
    ------
    SchemaError
        If it is not known when a log began.
    """
    if align is None:
        return logs
    if isinstance(align, Mapping):
        names = {log.head.found.name for log in logs}
        wrong = sorted(names ^ set(align))
        if wrong:
            raise SchemaError(f"align= names each file, and nothing else: {wrong[0]}")
        return [_moved(log, 1000 * float(align[log.head.found.name]), "as asked") for log in logs]
    if align != "wall":
        raise SchemaError(f"align={align!r} is neither 'wall' nor seconds by file")
    begun = [_begun(log) for log in logs]
    first = min(moment for moment, _ in begun)
    when = f"{datetime.fromtimestamp(first / 1000, UTC):%Y-%m-%d %H:%M:%S.%f}"[:-3]
    return [
        _moved(log, moment - first, f"from {when} UTC, {how}")
        for log, (moment, how) in zip(logs, begun, strict=True)
    ]


def _begun(log: Timed) -> tuple[float, str]:
    """Say when a log's times begin, in ms of Unix, and what says so."""
    if log.zero:
        return log.zero, "the log's own times"
    report, entry = log.head.report, log.head.keys["entry"]
    if report is not None and entry in report.begun:
        return report.begun[entry], f"job_start of {report.name}"
    name = log.head.found.name
    raise SchemaError(
        f"{name}: nothing says when it began: neither its times (log_unix_epoch=1) nor a report"
        f" beside it (job_start, fio 3.36); align={{{name!r}: 0.0}} does"
    )


def _moved(log: TimedT, late: float, how: str) -> TimedT:
    """Let times count from a moment that is so many ms before the log's own zero."""
    log.head.tables.note(f"time_s counts {how}: this log begins {late / 1000:g} s later", run=1)
    return log.counted_from(log.zero - late)
