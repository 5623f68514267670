"""Which of dd's reports are of one dd.

A dd that is asked by a signal, that shows its progress or goes on after an error reports more than
once; the last report is the result. Runs appended to one file look alike. Reports are of one dd
when bytes, seconds and records grow and the block size stays; a count that nobody would ask for
(145+0) or what stands between them makes it sure.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from fiotools import units
from fiotools.readers.dd import reports as dd_reports
from fiotools.readers.dd.lines import Figures, Records, Said, Token
from fiotools.readers.dd.stretch import Many


@dataclass
class Report:
    """What dd prints at once."""

    line: int
    into: Records | None = None
    out: Records | None = None
    figures: Figures | None = None
    aside: str | None = None
    spoiled: str | None = None
    figures_line: int = 0
    is_own: bool = False  # of a dd that wrote at the same time as another

    @property
    def seconds(self) -> float | None:
        """The elapsed time, as printed."""
        return units.number(self.figures.seconds) if self.figures else None


@dataclass
class Run:
    """One dd: its last report, what it printed before, and what it said."""

    last: Report
    earlier: list[Report] = field(default_factory=list)
    said: list[tuple[int, str]] = field(default_factory=list)
    is_stopped: bool = False  # ^C stands beside its last report
    remarks: list[tuple[int, str, str]] = field(default_factory=list)  # line, severity, message
    source: str = ""


def line_of(run: Run | Many) -> int:
    """Return the line of a run's last report, or of the first of many runs."""
    return run.line if isinstance(run, Many) else run.last.line


def series(
    reports: Sequence[Report | Many], said: Sequence[Token], count: int | None
) -> list[Run | Many]:
    """Group reports by dd, with the progress before them and the errors beside them."""
    found: list[Run | Many] = []
    lines = [(token.line, token.value.message) for token in said if isinstance(token.value, Said)]
    numbers = [line for line, _ in lines]
    run: Run | None = None
    previous: Report | None = None
    known: Report | None = None  # the last of the run with records
    for report in reports:
        if isinstance(report, Many):  # nothing above or below is of the same dd
            found += _settled(run)
            found.append(report)
            run = previous = None
            continue
        is_between = False
        if previous is not None:
            at = bisect_right(numbers, previous.line)
            is_between = at < len(numbers) and numbers[at] < report.line
        if run and previous and _continues(previous, known, report, is_between, count):
            run.earlier.append(run.last)
            run.last = report
        else:
            found += _settled(run)
            run, known = Run(report), None
        previous = report
        known = report if report.into else known
    found += _settled(run)
    if not found:
        return [_failed(lines)] if lines else []
    places = [line_of(run) for run in found]
    for line, message in lines:
        # GNU and BSD complain before they report, uutils after
        above, below = bisect_left(places, line) - 1, bisect_right(places, line)
        is_late = message.startswith("IO error")
        if (is_late and above >= 0) or below == len(places):
            below = above
        owner = found[below]
        assert isinstance(owner, Run)
        owner.said.append((line, message))
    return found


def _failed(lines: list[tuple[int, str]]) -> Run:
    return Run(Report(lines[0][0]), said=lines)


def _continues(
    before: Report, known: Report | None, after: Report, is_between: bool, count: int | None
) -> bool:
    """Whether a report can be a later one of the same dd."""
    if after.is_own or (before.is_own and before.into is None):
        return False
    if count and known and known.into and _total(known.into) >= count:
        return False  # it was at its end
    old, new = before.figures, after.figures
    if old and new:
        one, other = before.seconds or 0.0, after.seconds or 0.0
        # progress is printed in whole seconds, rounded, and once more at the end
        slack = 0.5 if before.into is None and old.seconds.isdigit() else 0.0
        if new.bytes < old.bytes or other < one - slack:
            return False
        if old.is_final and before.into is None:
            return False  # that was an end, with its records lost
        if before.into is not None and (new.bytes == old.bytes or other == one):
            return is_between and other > one
    elif bool(old) != bool(new) and after.into is not None and before.into is not None:
        return False
    if known is None or after.into is None:
        return True  # progress below a report has to be borne out by the next report
    return _grow(known, after)


def _grow(before: Report, after: Report) -> bool:
    """Whether the records grew, and not their size."""
    if not (before.into and before.out and after.into and after.out):
        return False
    if _total(after.into) <= _total(before.into) or _total(after.out) < _total(before.out):
        return False
    if before.into.partial > after.into.partial or before.out.partial > after.out.partial:
        return False
    return len({_block(before), _block(after)} - {None}) < 2


def _total(records: Records) -> int:
    return records.full + records.partial


def _block(report: Report) -> int | None:
    """Bytes of one output record, where only full ones were written."""
    if report.figures and report.out and report.out.full and not report.out.partial:
        return report.figures.bytes // report.out.full
    return None


def _settled(run: Run | None) -> list[Run]:
    """Say what was decided; take apart what more likely was several runs."""
    if run is None or not run.earlier:
        return [run] if run else []
    every = [*run.earlier, run.last]
    ends = [place for place, report in enumerate(every) if report.into is not None]
    if not ends:
        return [run]
    rest = []
    if ends[-1] < len(every) - 1:  # progress below the last report: another dd, and killed
        rest.append(Run(every[-1], every[ends[-1] + 1 : -1]))
        every = every[: ends[-1] + 1]
        run.last, run.earlier = every[-1], every[:-1]
    if len(ends) == 1:
        return [run, *rest]
    if len(every) - ends[0] > len(ends) or _is_sure([every[end] for end in ends[:-1]]):
        message = f"{len(ends)} reports of one dd: the last is the result, all are in samples"
        run.remarks.append((every[ends[0]].line, "info", message))
        return [run, *rest]
    split = [Run(every[ends[0]], every[: ends[0]]), *(Run(every[end]) for end in ends[1:])]
    split[0].remarks.append((every[ends[0]].line, "warning", several(len(ends))))
    return [*split, *rest]


def several(reports: int) -> str:
    """Say that reports which may be of one dd were taken for runs of their own."""
    return (
        f"{reports} reports that grow, in round numbers of records: taken for separate runs,"
        " but they may be one dd's that was asked by a signal"
    )


def _is_sure(reports: Sequence[Report]) -> bool:
    """Whether something besides growth says that the reports are of a dd on its way."""
    return any(
        report.into is not None
        and report.out is not None
        and (report.into.full != report.out.full or not dd_reports.is_round(report.into.full))
        for report in reports
    )
