"""The parts that both readers of fio's logs share: a log's name, its first lines, and its clock.

A log's content does not say what was logged. fio names it ``<prefix>_<kind>.<number>.log``
(``init.c``, ``gen_log_name``): the prefix is the option's value or the job's name, the number
counts the jobs from 1 and is left out with ``per_job_logs=0``. A client adds ``.<host>``
(``client.c``). ``--bandwidth-log`` writes ``agg-read_bw.log`` and the like, for all jobs together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import polars as pl

from fiotools.readers.fio import Version

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fiotools.readers.document import Document
    from fiotools.tables import Tables

NUMBER = "[0-9]{1,18}"  # below 2^63
HEX = "0x[0-9a-f]{4}"
ROW = re.compile(rf"{NUMBER}(?:, ?(?:{NUMBER}|{HEX}))+", re.A)
DIRECTIONS = {0: "read", 1: "write", 2: "trim"}
DIRECTION = pl.Enum(DIRECTIONS.values())
UNFINISHED = "the last line has no end: it may be cut within a number, and is left out"

_CUT = re.compile("[0-9][0-9, x]*")
_HEAD = 1 << 16
_EPOCH_MS = 10**11  # no run lasts three years
_LATE_MS = 3_600_000
_NAME = re.compile(
    r"""(?:(?P<job>.+?)_)?
    (?P<kind>bw|iops|slat|clat|lat|(?:clat_)?hist)
    (?:\.(?P<number>[0-9]{1,9}))?
    \.log
    (?:\.(?!(?:fz|gz|xz|zst|bz2|zip|txt|csv)$)(?P<host>.+))?""",
    re.X | re.S,
)
_AGGREGATES = {"agg-read", "agg-write", "agg-trim", "agg-mixed"}


@dataclass(frozen=True, slots=True)
class LogName:
    """The parts of a log's name.

    Attributes
    ----------
    kind : {"bw", "iops", "slat", "clat", "lat", "hist"}
        What was logged.
    job : str or None
        The prefix; None if the log covers all jobs together.
    number : int or None
        Number of the job, from 1.
    host : str or None
        The client that sent the log.
    scope : {"job", "total"} or None
        None without a number: it may be one job, or several.
    """

    kind: str
    job: str | None
    number: int | None
    host: str | None
    scope: str | None

    def keys(self, run: int) -> dict[str, object]:
        """Return the keys of the log's rows."""
        return {
            "run": run,
            "entry": self.number or 1,
            "host": self.host,
            "job": self.job,
            "scope": self.scope,
        }


def log_name(path: str) -> LogName | None:
    """Read the name of a log; None if fio does not name logs like this.

    Examples
    --------
    >>> log_name("runs/randread_clat.2.log")
    LogName(kind='clat', job='randread', number=2, host=None, scope='job')
    """
    found = _NAME.fullmatch(path.rsplit("/", 1)[-1])
    if not found:
        return None
    kind = found["kind"].removeprefix("clat_") if "hist" in found["kind"] else found["kind"]
    number = int(found["number"]) if found["number"] else None
    if number is None and found["job"] in _AGGREGATES:
        return LogName(kind, None, None, found["host"], "total")
    return LogName(kind, found["job"], number, found["host"], "job" if number else None)


def named(document: Document) -> LogName | None:
    """Read the name of a log, with the caller's quantity if the name has none."""
    name = log_name(document.plain_name)
    if name is None and document.quantity is not None:
        name = log_name(f"{document.plain_name.removesuffix('.log')}_{document.quantity}.log")
    return name


def begin(document: Document, tables: Tables, name: LogName | None, kind: str) -> Version:
    """Start the run of a log, and note an incomplete last line; return fio's version."""
    fio, text = Version.of(document.version), document.text
    is_whole = text.endswith("\n")
    tables.start_run(
        tool="fio",
        tool_version=fio.text,
        format=kind,
        host=name.host if name else None,
        status="ok" if is_whole else "truncated",
    )
    if not is_whole:
        warn(tables, UNFINISHED, text.count("\n") + 1)
    return fio


def warn(tables: Tables, message: str, line: int | None = None) -> None:
    """Add a warning to the log's run."""
    tables.note(message, line=line, severity="warning", run=tables.runs)


def first_rows(document: Document) -> list[str]:
    """Return the first lines of a text that look like a log's."""
    head = document.text[:_HEAD]
    lines = head[: head.rfind("\n") + 1].split("\n", 10)[:10]
    return [line for line in lines if ROW.fullmatch(line)]


def is_cut(document: Document) -> bool:
    """Whether a text is the beginning of a log's first line."""
    return _CUT.fullmatch(document.text.rstrip("\n"), 0, _HEAD) is not None


def time_zero(tables: Tables, times: NDArray[np.int64]) -> int:
    """Return the zero of the times: the run's start, or the first entry of Unix times.

    Parameters
    ----------
    times : numpy.ndarray
        The times of all rows, in ms.
    """
    first, last = int(times.min()), int(times.max())
    if first < _EPOCH_MS:
        if first > max(_LATE_MS, last - first):
            tables.note(
                f"the first entry is at {first / 1000:g} s: with log_alternate_epoch=1 times count"
                " from another clock's zero",
                run=tables.runs,
            )
        return 0
    tables.add("extras", run=tables.runs, path="time_zero_ms", text=str(first))
    when = ""
    if first < 10**14:
        when = f" ({datetime.fromtimestamp(first / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC)"
    tables.note(
        f"times are Unix times (log_unix_epoch=1): time_s counts from the first entry, {first} ms"
        + when,
        run=tables.runs,
    )
    return first
