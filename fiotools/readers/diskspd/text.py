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

from typing import TYPE_CHECKING

from fiotools.errors import ParseError
from fiotools.readers.base import Report, Session, read_reports
from fiotools.readers.diskspd import options
from fiotools.readers.diskspd.echo import read_echo
from fiotools.readers.diskspd.layout import Output, Span
from fiotools.readers.diskspd.layout import parse as parse
from fiotools.readers.diskspd.lines import label, width
from fiotools.readers.diskspd.rows import Rows, add_rows, percentage, read_rows
from fiotools.readers.diskspd.text_checks import check, check_plan, check_totals

if TYPE_CHECKING:
    from fiotools.input.detect import Document
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
    asked = list(read_echo(output.parameters, given))
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
    for option, text in asked.settings:
        tables.add("settings", run=run, option=option, text=text, origin="given")
    asked = check_plan(rows, span, asked)
    add_rows(tables, run, rows, span, asked)
    _add_cpu(tables, run, span, rows.problems)
    for line, message in rows.problems:
        tables.note(message, line=first + line, severity="warning", run=run)
    shown = {"computer name", "start time"}
    for name, text in system.items():
        if name not in shown:
            tables.add("extras", run=run, path=f"System information/{name}", text=text)
    for name, text in [*span.facts.items(), *span.extras]:
        tables.add("extras", run=run, path=name, text=text)
    return run


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


def _add_cpu(tables: Tables, run: int, span: Span, problems: list[tuple[int, str]]) -> None:
    """Add the processors; an average's cells are counted from the right."""
    if span.cpu is None:
        return
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
        tables.add(
            "cpu",
            run=run,
            group=options.count(row.get("group")),
            cpu="average" if average else row.get("cpu"),
            usage_pct=percentage(row.get("usage")),
            user_pct=percentage(row.get("user")),
            kernel_pct=percentage(row.get("kernel")),
            idle_pct=percentage(row.get("idle")),
        )
        place = "CpuUtilization/" + ("Average" if average else f"CPU[{count}]")
        for name, title in zip(names, span.cpu.columns, strict=True):
            if name not in _CPU and row.get(name):
                tables.add("extras", run=run, path=f"{place}/{title}", text=row[name])
