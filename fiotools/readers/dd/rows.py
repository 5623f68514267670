"""From the lines that dd printed to rows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from fiotools.arrays import Vector
from fiotools.readers import shell
from fiotools.readers.dd import operands as dd_operands
from fiotools.readers.dd import rates as dd_rates
from fiotools.readers.dd import reports as dd_reports
from fiotools.readers.dd import runs as dd_runs
from fiotools.readers.dd import series as dd_series
from fiotools.readers.dd.stretch import Many

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fiotools.readers.base import Report, Session
    from fiotools.readers.dd.operands import Operands
    from fiotools.readers.dd.runs import Block
    from fiotools.readers.dd.series import Run
    from fiotools.tables import Column, Tables

# warnings do not change what dd did; they are translated, what they advise is not
_WARNING = re.compile(r"warning|fullblock|zero multiplier|'00x'", re.I)
_LONG = 300
_PRINTED = ("records_in", "records_out", "rate")


def add(tables: Tables, report: Report, session: Session) -> int:
    """Add what dd printed as runs, each with one row of I/O; return the last one's number."""
    block: Block = report.data
    commands = shell.commands(session.command or "", "dd")
    count = None
    if len(commands) == 1:
        count = shell.dd_number(shell.assignments(commands[0]).get("count", "-"))
    # the operands of a command belong to each run by itself
    runs = dd_runs.runs(block.tokens, block.stops, count, singly=bool(commands))
    number = tables.runs
    for place, run in enumerate(runs):
        if isinstance(run, Many):
            number = _add_many(tables, run, report.line, session)
            continue
        options = _options(commands, session, place, len(runs))
        end = _end(run, block) if run is runs[-1] else ""
        number = _add_run(tables, run, report.line, session, options, end)
    return number


def _options(commands: Sequence[str], session: Session, place: int, runs: int) -> dict[str, str]:
    """Take the operands of the dd that a report is of, where the command line has several."""
    if len(commands) == 1:
        return shell.assignments(commands[0])
    if not commands or shell.is_concurrent(session.command or ""):
        return {}  # which of two dd in a pipeline reports first is chance
    at = session.above + place
    if shell.is_loop(session.command or ""):
        at %= len(commands)
    return shell.assignments(commands[at]) if at < len(commands) else {}


def _add_many(tables: Tables, many: Many, line: int, session: Session) -> int:
    """Add runs as `_add_run` does each: of a plain report there are these rows, and no other."""
    reports, size = many.reports, len(many)
    runs = np.arange(tables.runs + 1, tables.runs + size + 1)
    tables.runs += size
    amount, seconds = reports["bytes"], reports["seconds"]
    total = reports["full_out"] + reports["partial_out"]
    tables.extend(
        "runs",
        {"run": runs, "duration_s": seconds},
        tool="dd",
        format="dd",
        command=session.command,
        host=session.host,
        status="ok",
    )
    tables.extend(
        "io",
        {
            "run": runs,
            "io_bytes": amount,
            "total_ios": total,
            "runtime_s": seconds,
            "iops": total / seconds,
            "bw_bytes_per_s": amount / seconds,
        },
        entry=1,
        scope="job",
    )
    if tables.wants("extras"):
        paths = Vector(np.arange(3 * size, dtype=np.int32) % 3, words=[*_PRINTED])
        texts = many.printed()
        tables.extend("extras", {"run": runs.repeat(3), "path": paths, "text": texts}, entry=1)
    some = np.flatnonzero(many.several)
    if len(some):
        said = [dd_series.several(count) for count in many.several[some].tolist()]
        lines = line + many.line + dd_reports.LINES * some
        columns: dict[str, Column] = {"run": runs[some], "line": lines, "message": said}
        tables.extend("notes", columns, severity="warning")
    return tables.runs


def _add_run(
    tables: Tables, run: Run, line: int, session: Session, options: dict[str, str], end: str
) -> int:
    last = run.last
    rate = dd_rates.rate(last.figures, is_progress=last.out is None) if last.figures else None
    number = tables.start_run(
        tool="dd",
        format="dd",
        command=session.command,
        host=session.host,
        duration_s=None if rate and rate.verdict == "rounded" else last.seconds,
        status="truncated" if end else _status(run),
    )
    told = dd_operands.told(options)
    keys: dict[str, Any] = {
        "run": number,
        "entry": 1,
        "target": options.get(told.target),
        "direction": told.direction,
        "scope": "job",
    }
    _add_io(tables, run, keys, told, line)
    if last.spoiled:
        message = dd_operands.spoiled(last.spoiled)
        tables.note(message, line=line + last.figures_line, severity="warning", run=number)
    elif last.figures is None and last.into and not end:
        message = "dd printed records only (no bytes, no seconds): no rate"
        tables.note(message, line=line + last.line, run=number)
    for report in [*run.earlier, last] if run.earlier else []:
        if report.figures:
            tables.add(
                "samples",
                **keys,
                quantity="io_bytes",
                time_s=report.seconds,
                value=report.figures.bytes,
            )
    for name, value in options.items():
        tables.add("settings", run=number, entry=1, option=name, text=value, origin="given")
    _add_extras(tables, run, number, is_rounded=rate is not None and rate.verdict == "rounded")
    for at, severity, message in run.remarks:
        tables.note(message, line=line + at, severity=severity, run=number)
    for at, message in run.said:
        severity = "warning" if _WARNING.search(message) else "error"
        tables.note(f"dd: {message[:_LONG]}", line=line + at, severity=severity, run=number)
    if end:
        tables.note(end, line=line + last.figures_line, severity="warning", run=number)
    _check(tables, run, told.records_bytes, line, number)
    return number


def _status(run: Run) -> str:
    if any(not _WARNING.search(message) for _, message in run.said):
        return "error"
    return "interrupted" if run.is_stopped or _is_behind(run) else "ok"


def _is_behind(run: Run) -> bool:
    """Whether a record was read and not written, as when dd is stopped on its way."""
    into, out = run.last.into, run.last.out
    if into is None or out is None or into.partial != out.partial:
        return False
    return into.full == out.full + 1 > 1


def _add_io(tables: Tables, run: Run, keys: dict[str, Any], told: Operands, line: int) -> None:
    last, number = run.last, keys["run"]
    figures, seconds = last.figures, last.seconds
    if figures is None or seconds is None:
        return
    if not figures.bytes:
        tables.add("extras", run=number, entry=1, path="bytes", text="0")
        tables.note("no bytes were moved", line=line + last.figures_line, run=number)
        return
    records = last.into if told.direction == "read" else last.out
    total = records.full + records.partial if records else None
    rate = dd_rates.rate(figures, is_progress=last.out is None)
    tables.add(
        "io",
        **keys,
        bs_bytes=told.bs_bytes,
        direct=told.direct,
        io_bytes=figures.bytes,
        total_ios=total,
        runtime_s=None if rate.verdict == "rounded" else seconds,
        iops=_iops(total, figures.bytes, seconds, rate.value),
        bw_bytes_per_s=rate.value,
    )
    at = line + last.figures_line
    if rate.verdict == "contradicts":
        message = dd_operands.odd_rate(figures.printed_rate, rate.value)
        tables.note(message, line=at, severity="warning", run=number)
    elif rate.verdict == "rounded":
        message = dd_operands.coarse_seconds(figures.seconds, rate.value)
        tables.note(message, line=at, run=number)


def _iops(total: int | None, amount: int, seconds: float, rate: float | None) -> float | None:
    """Divide the records by the seconds, or by what the printed rate says of them."""
    if total is None or rate is None:
        return None
    is_ours = seconds and rate == amount / seconds
    return total / seconds if is_ours else total * rate / amount


def _add_extras(tables: Tables, run: Run, number: int, *, is_rounded: bool) -> None:
    last = run.last
    texts: dict[str, str | None] = {
        "records_in": str(last.into) if last.into else None,
        "records_out": str(last.out) if last.out else None,
        "truncated_records": last.aside,
        "rate": last.figures.printed_rate if last.figures else None,
        "seconds": last.figures.seconds if last.figures and is_rounded else None,
        "source": run.source or None,
    }
    for place, report in enumerate(run.earlier):
        if report.into and report.out:
            texts[f"samples.{place}.records_in"] = str(report.into)
            texts[f"samples.{place}.records_out"] = str(report.out)
    for path, text in texts.items():
        if text is not None:
            tables.add("extras", run=number, entry=1, path=path, text=text)


def _check(tables: Tables, run: Run, size: int | None, line: int, number: int) -> None:
    """Note where bytes, records and sizes contradict each other."""
    figures, out = run.last.figures, run.last.out
    if _is_behind(run) and not run.said:
        message = "a record was read and not written: dd was on its way, or interrupted"
        tables.note(message, line=line + run.last.line, run=number)
    if figures is None:
        return
    at = line + run.last.figures_line
    if not dd_rates.size_agrees(figures):
        message = dd_operands.odd_size(figures.size, figures.bytes)
        tables.note(message, line=at, severity="warning", run=number)
    if out is None:
        return
    if not dd_runs.fits(out, figures):
        message = dd_operands.odd_records(figures.bytes, out)
    elif size and not out.partial and out.full * size != figures.bytes:
        message = dd_operands.odd_records(figures.bytes, out, size)
    else:
        return
    tables.note(message, line=at, severity="warning", run=number)


def _end(run: Run, block: Block) -> str:
    """Say that the text ends before dd's report does; nothing if it does not."""
    if block.is_cut:
        told = f" after {block.fragment[:80]!r}" if block.fragment else ""
        return f"the report was cut off{told}"
    if run.last.into is None and run.last.figures and (run.earlier or block.is_overwritten):
        return "progress without a report at the end: dd was killed, or the text was cut off"
    return ""
