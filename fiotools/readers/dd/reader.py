"""dd: its report on standard error at the end, on a signal, or as progress.

Produced by ``dd ... 2>log``. Fills ``runs``, ``io``, ``samples`` (progress, and earlier reports of
the same dd), ``settings`` (from the command line, where a transcript shows one), ``extras`` (the
records in, out and truncated, the printed rate) and ``notes`` (errors and warnings of dd).

Reports are read by structure, because words are translated, reordered and dropped: two lines with
``F+P`` (full and partial records), perhaps one about truncated records, and a line that begins with
the bytes and ends with seconds and a rate. Traps: the decimal mark follows the locale, not the
language; ``MB`` is 10^6 for GNU and BSD, 2^20 for BusyBox and toybox; a records-only report
(``status=noxfer``, BusyBox) has no bytes, unless its command says the size of full records and was
timed: then bytes and rate follow; one dd may report many times, and then the last report
counts; two dd in a pipeline write between each other's lines. The rate is recomputed from bytes and
seconds; the printed one is a check, and kept if it is more precise.

Grammar: coreutils ``src/dd.c`` 4.0 to 9.11, FreeBSD ``bin/dd/misc.c``, BusyBox ``coreutils/dd.c``,
toybox ``toys/pending/dd.c``, uutils ``dd/src/progress.rs`` 0.0.17 to 0.12.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from fiotools import units
from fiotools.errors import ParseError
from fiotools.readers import shell
from fiotools.readers.dd import rates
from fiotools.readers.dd.operands import NOTHING, TOO_MUCH, Operands, operands
from fiotools.readers.dd.report import MANY, DdOutput, DdReport, DdRun, Said, counts
from fiotools.readers.dd.report import parse as parse
from fiotools.readers.document import Document, Report, Session, read_reports
from fiotools.tables.columns import column
from fiotools.tables.notes import Note
from fiotools.tables.parts import FEW, FILE
from fiotools.tables.rows import Layout, Rows


def read(document: Document, rows: Rows) -> None:
    """Read a text that holds nothing but dd's output."""
    said = [token.value for report in document.reports for token in report.data.tokens]
    if said and all(isinstance(value, Said) for value in said):
        raise ParseError(
            document.name,
            f"dd printed no report; it said {said[0].message[:120]!r}",
            line=document.reports[0].line,
            remedy="correct that and run dd again",
        )
    read_reports(document, rows, add)


def add(rows: Rows, report: Report, session: Session) -> int:
    """Add dd's output as runs, each with one row of I/O; return the last one's number."""
    block: DdOutput = report.data
    named = [operands(one) for one in shell.commands(session.command or "", "dd")]
    found = block.runs(named[0].records if len(named) == 1 else None)
    above = rows.runs
    while some := [*islice(found, MANY)]:
        told = _operands(named, session, range(rows.runs - above, rows.runs - above + len(some)))
        real_s = session.real_s if len(some) == 1 else None
        runs = [
            _run(number, run, own, real_s)
            for number, (run, own) in enumerate(zip(some, told, strict=True), rows.runs + 1)
        ]
        rows.runs += len(runs)
        _add_runs(rows, runs, session)
        _add_io(rows, runs)
        _add_settings(rows, runs)
        _add_extras(rows, runs, block.source)
        _add_samples(rows, runs)
        for one in runs:
            for note in one.notes():
                rows.say(note._replace(line=report.line + (note.line or 0)), one.number)
    return rows.runs


def _operands(commands: Sequence[Operands], session: Session, places: range) -> list[Operands]:
    """Take the operands that belong to reports, if the command line has several dd."""
    if len(commands) == 1:
        return [commands[0]] * len(places)
    if not commands or shell.is_concurrent(session.command or ""):
        return [NOTHING] * len(places)  # two dd in a pipeline report in any order
    count = len(commands)
    numbers = [session.above + place for place in places]
    if shell.is_loop(session.command or ""):
        numbers = [number % count for number in numbers]
    return [commands[number] if number < count else NOTHING for number in numbers]


class _Run(NamedTuple):
    """A run: what dd printed, what its command says, and what follows from both."""

    number: int
    dd: DdRun
    last: DdReport
    told: Operands
    status: str
    seconds: float | None  # if the printed ones are not too coarse
    ios: int | None  # records that were moved
    rate: float | None
    verdict: int  # how the printed rate compares
    is_timed: bool  # whether the time of a report without one is that of a timing
    is_behind: bool  # whether a record was read and not written, as when dd is stopped on its way

    @property
    def iops(self) -> float | None:
        """The records per second of a run that moved anything."""
        if self.ios is None or self.rate is None:
            return None
        size, seconds = self.last.bytes, self.last.elapsed
        # a printed rate that is more precise than the seconds is so for records too
        is_printed = not seconds or self.rate != size / seconds
        return self.ios * self.rate / size if is_printed else self.ios / seconds

    def notes(self) -> Iterator[Note]:
        """Yield what is odd; lines count from the output's first."""
        dd, last = self.dd, self.last
        size, line = last.bytes, last.figures_line
        if not size:
            yield Note("idle", "info", line, "no bytes were moved")
        elif self.verdict == rates.CONTRADICTS:
            ours = units.human(self.rate, "B/s")
            told = f"printed rate {last.rate} is not bytes / seconds = {ours}"
            yield Note("contradiction", "warning", line, f"{told}; the latter is kept")
        elif self.verdict == rates.ROUNDED:
            kept = "the printed rate is kept" if self.rate else "and too few for a rate"
            said = f"the seconds are rounded to {last.seconds}: {kept}"
            yield Note("meaning", "info", line, said)
        if last.spoiled:
            told = f"the line below the records is not as dd prints it ({last.spoiled[:80]!r})"
            remedy = "its bytes and seconds are left out; put it back as dd printed it"
            yield Note("left out", "warning", line, f"{told}: {remedy}")
        elif self.is_timed:
            told = "dd printed records only: the bytes are full records of the command's size"
            said = f"{told}, and the rate is that of time's real"
            yield Note("meaning", "info", last.line, said)
        elif size < 0 and last.into and not dd.end:
            said = "dd printed records only (no bytes, no seconds): no rate"
            yield Note("incomplete", "info", last.line, said)
        yield from dd.remarks
        yield from dd.said
        if dd.end:
            yield Note("incomplete", "warning", line, dd.end)
        if self.is_behind and not dd.said:
            told = "a record was read and not written: dd was on its way, or interrupted"
            yield Note("incomplete", "info", last.line, told)
        if size >= 0 and not rates.is_sized(last):
            told = f"printed size {last.size} is not {size} bytes"
            yield Note("contradiction", "warning", line, f"{told}; the latter is kept")
        if size >= 0 and last.out and (told := _misfit(size, last.out, self.told.records_bytes)):
            yield Note("contradiction", "warning", line, told)


def _misfit(size: int, records: str, command: int | None) -> str:
    """Say if bytes cannot have been written in records of one size, or in those of a command."""
    full, partial = counts(records)
    is_fit = size % full == 0 if full else size == 0
    if partial:
        is_fit = size >= full + partial
    if not is_fit:
        return f"{size} bytes cannot be {records} records of one size"
    if command and not partial and size != full * command:
        return f"{size} bytes are not {records} records of {command} bytes (the command's)"
    return ""


def _run(number: int, dd: DdRun, told: Operands, real_s: float | None) -> _Run:
    """Compute what a report says; ``real_s``: the time that a timing below it says."""
    last = dd.last
    size = _size(last, told) if real_s else None
    if size is not None and real_s:
        last = last._replace(bytes=size, elapsed=real_s)
    read = counts(last.into) if last.into else None
    written = counts(last.out) if last.out else None
    is_behind = bool(written and written[0] and read == (written[0] + 1, written[1]))
    moved = read if told.direction == "read" else written
    rate, verdict = rates.checked(last)
    has_time = last.bytes >= 0 and verdict != rates.ROUNDED
    return _Run(
        *(number, dd, last, told, _status(dd, is_behind=is_behind)),
        last.elapsed if has_time else None,
        moved[0] + moved[1] if moved else None,
        *(rate, verdict, size is not None, is_behind),
    )


def _status(dd: DdRun, *, is_behind: bool) -> str:
    if dd.end:
        return "truncated"
    if dd.said and any(note.severity == "error" for note in dd.said):
        return "error"
    return "interrupted" if dd.is_stopped or is_behind else "ok"


def _size(last: DdReport, told: Operands) -> int | None:
    """Return the bytes of records alone: certain if none is partial and the command says its size.

    With the default size it is not: some dd have another.
    """
    if last.bytes >= 0 or not last.out or not told.records_bytes:
        return None
    full, partial = counts(last.out)
    size = full * told.records_bytes
    is_certain = not partial and not told.given.keys().isdisjoint(("bs", "obs"))
    return size if is_certain and size < TOO_MUCH else None


def _put(
    rows: Rows, table: str, names: Layout, made: Sequence[tuple[Any, ...]], **same: Any
) -> None:
    """Add rows; if there are many, their texts take a third of the memory in polars."""
    if len(made) > FEW:
        columns = zip(names, zip(*made, strict=True), strict=True)
        rows.extend(table, {name: column(name, values) for name, values in columns}, **same)
        return
    layout, head = (FILE, *same, *names), (rows.file, *same.values())
    for row in made:
        rows.append(table, layout, head + row)


def _add_runs(rows: Rows, runs: Sequence[_Run], session: Session) -> None:
    made = [(run.number, run.seconds, run.status) for run in runs]
    told = {"command": session.command, "host": session.host, "heading": rows.heading}
    _put(rows, "runs", ("run", "duration_s", "status"), made, tool="dd", format="dd", **told)


def _add_io(rows: Rows, runs: Sequence[_Run]) -> None:
    """Add what was moved, if anything was."""
    names = (
        *("run", "target", "direction", "bs_bytes", "direct"),
        *("io_bytes", "total_ios", "runtime_s", "iops", "bw_bytes_per_s"),
    )
    moved = [
        (
            *(run.number, run.told.target, run.told.direction, run.told.bs_bytes, run.told.direct),
            *(run.last.bytes, run.ios, run.seconds, run.iops, run.rate),
        )
        for run in runs
        if run.last.bytes > 0
    ]
    _put(rows, "io", names, moved, entry=1, scope="job")


def _add_settings(rows: Rows, runs: Sequence[_Run]) -> None:
    """Add the operands."""
    given = [(run.number, *pair) for run in runs for pair in run.told.given.items()]
    _put(rows, "settings", ("run", "option", "text"), given, entry=1, origin="given")


def _add_extras(rows: Rows, runs: Sequence[_Run], source: str) -> None:
    """Add the printed values that have no column."""
    printed = [
        (run.number, path, text)
        for run in runs
        for path, text in (
            ("bytes", None if run.last.bytes else "0"),
            ("records_in", run.last.into),
            ("records_out", run.last.out),
            ("truncated_records", run.last.aside),
            ("rate", run.last.rate),
            ("seconds", run.last.seconds if run.verdict == rates.ROUNDED else None),
            ("source", source or None),
        )
        if text is not None
    ]
    for run in runs:
        for place, report in enumerate(run.dd.earlier):
            if report.into and report.out:
                path = f"samples.{place}.records"
                printed.append((run.number, f"{path}_in", report.into))
                printed.append((run.number, f"{path}_out", report.out))
    _put(rows, "extras", ("run", "path", "text"), printed, entry=1)


def _add_samples(rows: Rows, runs: Sequence[_Run]) -> None:
    """Add the progress and the report of each run that reported more than once."""
    names = ("run", "target", "direction", "time_s", "value")
    printed = [
        (run.number, run.told.target, run.told.direction, report.elapsed, float(report.bytes))
        for run in runs
        if run.dd.earlier
        for report in (*run.dd.earlier, run.dd.last)
        if report.bytes >= 0
    ]
    _put(rows, "samples", names, printed, entry=1, scope="job", quantity="io_bytes")
