"""diskspd_text: the tables that DISKSPD prints by default.

Produced by ``diskspd ... target > run.txt``, and copied from there into articles, also as
Markdown. Fills ``runs`` (a run is one ``Results for timespan N``, or one set of bare tables),
``io`` (a row per thread, target and direction, then the totals as printed), ``settings`` (the
command line and ``Input parameters``), ``percentiles`` (of the whole run, and of each target
where there are several), ``cpu`` and ``extras``.

Traps. Columns depend on ``-L``, ``-D`` and the version and are found by name. ``MB/s`` of old
versions, and of diskspd-for-linux, is 2^20. ``I/O per s`` comes from the exact time and is more
precise than the two decimals of ``actual test time``; where a table stands without that, the time
follows from it. What is called ``start time`` is when the results were printed: the end. The size
behind a path was rounded to print it. ``N/A`` and 0.000 stand where there was no I/O.
diskspd-for-linux divides by the time that was asked for, and its total percentiles are wrong with
more than one thread: they are left out. A chart of percentiles without a title is that of the run
only where it is the only one. The text never says the tool's version.

Specified in DISKSPD's ``ResultParser.cpp``, 2.0.12 to 2.2, and ``result_formatter.cc`` of
diskspd-for-linux.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from fiotools.errors import ParseError
from fiotools.readers.base import read_reports
from fiotools.readers.diskspd import options
from fiotools.readers.diskspd.buckets import DIRECTIONS, Curve
from fiotools.readers.diskspd.figures import AMOUNTS, MISSING, RATES, SPEEDS, TOTAL, Run
from fiotools.readers.diskspd.layout import Output, Span, label, width
from fiotools.readers.diskspd.layout import parse as parse
from fiotools.readers.diskspd.rows import (
    Rows,
    check,
    check_plan,
    check_totals,
    curve,
    listed,
    percentage,
    read_rows,
)
from fiotools.readers.diskspd.runs import make
from fiotools.readers.grammar import Report, Session

if TYPE_CHECKING:
    from fiotools.readers.document import Document
    from fiotools.tables import Tables

_CPU = ("cpu", "group", "usage", "user", "kernel", "idle")


def read(document: Document, tables: Tables) -> None:
    """Read a text that is nothing but DISKSPD's output."""
    read_reports(document, tables, add)
    if not tables.runs:
        raise ParseError(
            document.name,
            "holds a profile, no results",
            line=document.reports[0].line if document.reports else 1,
            remedy="run DISKSPD without -Rp (-Rptext only prints what would be run)",
        )


def add(tables: Tables, report: Report, session: Session) -> int:
    """Add one output: a run for each of its time spans."""
    output: Output = report.data
    command = output.command or session.command
    given = options.arguments(command)
    for line, message in output.errors:
        tables.note(message, line=report.line + line, severity="warning")
    if output.progress:
        tables.note(f"{output.progress} lines of progress (-v) were left out", line=report.line)
    if not output.spans:
        message = "DISKSPD's parameters without results"
        tables.note(message, line=report.line, severity="warning")
    system = _pairs(output.system)
    asked = list(options.read_echo(output.parameters, given))
    runs: list[Rows] = []
    for number, span in enumerate(output.spans):
        # without Input parameters, what the command line says holds for every time span
        plan = asked[number] if number < len(asked) else asked[0] if not output.parameters else None
        rows = read_rows(span)
        check(rows, span)
        runs.append(rows)
        gap = _gap(rows, span, output)
        if gap is None and span is output.spans[-1] and len(output.spans) < len(asked):
            gap = (span.line, f"{len(asked)} time spans were asked for: the output ends before")
        plan = plan or options.Asked()
        run = _add_span(tables, report, span, rows, gap, plan, command, session, system)
        if output.parameters and not gap and _lacks_chart(span):
            message = "no percentiles of the whole run were found"
            tables.note(message, line=report.line + span.line, run=run)
        for name, value in output.facts.items():
            tables.add("settings", run=run, option=name, text=value, origin="given")
    totals = [total for span in output.spans for total in span.totals]
    for line, message in check_totals(totals, runs):
        tables.note(message, line=report.line + line, severity="warning")
    return tables.runs


def _add_span(
    tables: Tables,
    report: Report,
    span: Span,
    rows: Rows,
    gap: tuple[int, str] | None,
    asked: options.Asked,
    command: str | None,
    session: Session,
    system: dict[str, str],
) -> int:
    when = system.get("start time")
    run = tables.start_run(
        tool="diskspd",
        format="diskspd_text",
        command=command,
        host=system.get("computer name") or session.host,
        reported_at=options.moment(when) if when else None,
        duration_s=rows.seconds,
        status="error" if span.failed else "truncated" if gap else "ok",
    )
    first = report.line
    if span.failed:
        tables.note(span.failed, line=first + span.line, severity="error", run=run)
    elif gap:
        tables.note(gap[1], line=first + gap[0], severity="warning", run=run)
    if span.rewritten is not None:
        message = "the percentiles stand apart, written anew by a person"
        tables.note(message, line=first + span.rewritten, run=run)
    asked = check_plan(rows, span, asked)
    usage = _usage(span, rows.problems)
    for line, message in rows.problems:
        tables.note(message, line=first + line, severity="warning", run=run)
    read = _run(rows, span, first, usage, system)
    read.number, read.asked = run, asked
    tables.defer(make, read)
    return run


def _run(
    rows: Rows, span: Span, first: int, usage: Sequence[_Usage], system: dict[str, str]
) -> Run:
    """Put together what is read of a run."""
    entries = rows.entries()
    every = [*entries.values(), rows.totals]
    lines = {
        (place, DIRECTIONS.index(direction)): first + row.line
        for place, entry in enumerate(every)
        for direction, row in entry.items()
    }
    others = [
        (place, f"{direction.title()} IO/{name}", text)
        for place, entry in enumerate(every, 1)
        for direction, row in entry.items()
        for name, text in row.others.items()
    ]
    said = [
        *(pair for one in usage for pair in one.others),
        *((f"System information/{name}", text) for name, text in system.items()),
        *span.facts.items(),
        *span.extras,
    ]
    shown = ("System information/computer name", "System information/start time")
    return Run(
        0,
        options.Asked(),
        lambda *place: lines[place],
        math.nan if rows.seconds is None else rows.seconds,
        threads=[thread for thread, _, _ in entries],
        targets=[target for _, target, _ in entries],
        sizes=[
            next((row.size for row in entry.values() if row.size is not None), None)
            for entry in entries.values()
        ],
        amounts=listed(every, AMOUNTS, MISSING),
        rates=listed(every, RATES, math.nan),
        speeds=listed(every, SPEEDS, math.nan),
        is_printed=True,
        groups=[one.group for one in usage],
        cpus=[one.cpu for one in usage],
        usage=[share for one in usage for share in one.shares],
        extras=others + [(None, path, text) for path, text in said if path not in shown],
        curves=_curves(span, rows.spoiled, first),
    )


def _curves(span: Span, spoiled: bool, first: int) -> list[Curve]:
    """Read the charts of the run and of its targets."""
    curves = []
    for number, (target, chart) in enumerate(span.charts, 1):
        line = first + (chart.rows[0][0] if chart.rows else 0)
        number = 0 if target is None else number
        found = curve(chart, target=target, number=number, line=line)
        if spoiled:
            inner = (found.percentiles > 0) & (found.percentiles < 100)
            found.milliseconds[inner, TOTAL] = math.nan
        curves.append(found)
    return curves


def _gap(rows: Rows, span: Span, output: Output) -> tuple[int, str] | None:
    """Find where a run's results break off; a full report has three tables, and percentiles."""
    if not span.tables:
        return span.line, "the output ends before its tables"
    # people leave out the totals of an excerpt, but then of all its tables
    without = len(span.tables) - len(rows.totals)
    totals_due = output.parameters or (not output.following and without == 1)
    last = span.line
    for direction, table in span.tables.items():
        last = table.rows[-1][0] if table.rows else last
        if table.cut is not None:
            return table.cut, "the output ends within this row: it is left out"
        if direction not in rows.totals and totals_due:
            return last, f"the output ends before the row 'total:' of the {direction} table"
    for direction in ("total", "read", "write"):
        if output.parameters and direction not in span.tables:
            return last, f"the output ends before the {direction} table"
    for _, chart in span.charts:
        last = chart.rows[-1][0] if chart.rows else last
        if not chart.rows or label(chart.rows[-1][1][0]) != "max":
            return last, "the output ends within its percentiles"
    # at most a caption and half a header follow where it was cut
    if output.parameters and output.following <= 2 and _lacks_chart(span):
        return last, "the output ends before its percentiles"
    return None


def _lacks_chart(span: Span) -> bool:
    """Say whether latency was measured, and yet the run has no percentiles."""
    columns = next((table.columns for table in span.tables.values()), [])
    measured = any(name.startswith("AvgLat") for name in columns)
    return measured and None not in (target for target, _ in span.charts)


def _pairs(lines: list[str]) -> dict[str, str]:
    """Split lines such as ``computer name: vm``."""
    split = (line.strip().partition(":") for line in lines)
    return {name: text.strip() for name, _, text in split if text.strip()}


class _Usage(NamedTuple):
    """A row of processors: group, name, how they were used, and what has no column."""

    group: int | None
    cpu: str | None
    shares: list[float]
    others: list[tuple[str, str]]


def _usage(span: Span, problems: list[tuple[int, str]]) -> list[_Usage]:
    """Read the processors; an average's cells are counted from the right."""
    if span.cpu is None:
        return []
    found = []
    names = [name.lower() for name in span.cpu.columns]
    count = 0
    for line, cells in span.cpu.rows:
        average = cells[0] == "avg"
        count += not average
        if cells[-1].lower() == names[-1]:  # the header again
            continue
        if len(cells) not in (len(names), width(span.cpu, cells)):
            problems.append((line, f"not a row of processors: {' | '.join(cells)[:60]!r}"))
            continue
        row = dict(zip(names[-len(cells) :], cells, strict=True))
        place = "CpuUtilization/" + ("Average" if average else f"CPU[{count}]")
        others = [
            (f"{place}/{title}", row[name])
            for name, title in zip(names, span.cpu.columns, strict=True)
            if name not in _CPU and row.get(name)
        ]
        shares = [percentage(row.get(name)) for name in _CPU[2:]]
        cpu = "average" if average else row.get("cpu")
        found.append(_Usage(options.count(row.get("group")), cpu, shares, others))
    return found
