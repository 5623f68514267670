"""Which of the lines that dd printed belong to one report, and which reports to one dd.

A dd that is asked by a signal, that shows its progress or goes on after an error reports more than
once; the last report is the result. Runs appended to one file look alike. Several dd on one
standard error write between each other's lines.

Records and figures are joined by their order, where two dd are mixed by what can be: with no
partial records the bytes are a multiple of the full ones. Reports are of one dd when bytes, seconds
and records grow and the block size stays; a count that nobody would ask for (145+0) or what stands
between them makes it sure.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations

from fiotools import units
from fiotools.readers import dd_reports
from fiotools.readers.dd_lines import Aside, Figures, Records, Said, Token
from fiotools.readers.dd_stretch import Many, Stretch


@dataclass(frozen=True)
class Block:
    """What dd printed without anything else between.

    Attributes
    ----------
    tokens : tuple of Token
        Their lines count from the block's first.
    stops : tuple of int
        Lines with ``^C``.
    fragment : str or None
        What is left of a last line that was cut off.
    is_cut : bool
        Whether the text ends in the middle of a line of dd's.
    is_overwritten : bool
        Whether the last figures are progress: a carriage return stands beside them.
    """

    tokens: tuple[Token, ...]
    stops: tuple[int, ...] = ()
    fragment: str | None = None
    is_cut: bool = False
    is_overwritten: bool = False

    @property
    def has_result(self) -> bool:
        """Whether dd said more than an error."""
        return any(not isinstance(token.value, Said) for token in self.tokens)


@dataclass
class Report:
    """What dd prints at once."""

    line: int
    into: Records | None = None
    out: Records | None = None
    figures: Figures | None = None
    aside: str | None = None
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


def runs(
    tokens: Sequence[Token],
    stops: Sequence[int] = (),
    count: int | None = None,
    *,
    singly: bool = False,
) -> list[Run | Many]:
    """Sort tokens into runs.

    Parameters
    ----------
    tokens : sequence of Token
    stops : sequence of int
        Lines with ``^C``.
    count : int, optional
        The ``count=`` of the command.
    singly : bool
        Whether each run is wanted by itself, also those of which there is nothing to ask.
    """
    by_source: dict[str, list[Token]] = {}
    for token in tokens:
        by_source.setdefault(token.source, []).append(token)
    found: list[Run | Many] = []
    for source, own in by_source.items():
        reports, remarks = _reports(own, singly=singly or count is not None)
        if source and len(reports) == 2:
            reports = _rejoined(*reports)
        grouped = _series(reports, [t for t in own if isinstance(t.value, Said)], count)
        single = [run for run in grouped if isinstance(run, Run)]
        for run in single:
            run.source = source
            at = bisect_left(stops, run.last.line - 1)
            run.is_stopped = at < len(stops) and stops[at] <= run.last.line
        if single:
            single[0].remarks[:0] = remarks
        found += grouped
    return sorted(found, key=_line) if len(found) > 1 else found


def _line(run: Run | Many) -> int:
    return run.line if isinstance(run, Many) else run.last.line


def _reports(
    tokens: Iterable[Token], *, singly: bool
) -> tuple[list[Report | Many], list[tuple[int, str, str]]]:
    """Join records and figures to reports."""
    found: list[Report | Many] = []
    pending: list[Report] = []  # those without figures so far
    loose: list[tuple[int, Report]] = []  # figures below more than one of them: how many were above
    remarks: list[tuple[int, str, str]] = []
    half: Report | None = None
    waiting: list[Iterator[Many | Token]] = [iter(tokens)]
    while waiting:
        token = next(waiting[-1], None)
        if token is None:
            waiting.pop()
            continue
        if isinstance(token, Many):
            found.append(token)
            continue
        value = token.value
        if isinstance(value, Stretch):
            # records above may go with figures in it
            is_own = not singly and half is None and not pending
            every = value.tokens(token.line, 0, len(value.reports))
            waiting.append(value.pieces(token.line) if is_own else every)
            continue
        if half is not None and not _goes_with(half, token):
            remarks.append((half.line, "warning", f"records without their other half: {half.into}"))
            half = None
        if isinstance(value, Records):
            if half is None:
                half = Report(token.line, into=value)
            else:
                half.out = value
                pending.append(half)
                half = None
        elif isinstance(value, Aside) and pending:
            pending[-1].aside = value.text
        elif isinstance(value, Figures):
            alone = Report(token.line, figures=value, figures_line=token.line)
            if not pending:
                found.append(alone)
                continue
            loose.append((len(pending), alone))
            if len(loose) == len(pending):
                found += _match(pending, loose, remarks)
                pending, loose = [], []
    found += _match(pending, loose, remarks)
    if half is not None:
        remarks.append((half.line, "warning", f"records without their other half: {half.into}"))
    return sorted(found, key=lambda report: report.line), remarks


def _goes_with(half: Report, token: Token) -> bool:
    """Whether a token can be the records out that belong to records in."""
    if not isinstance(token.value, Records) or half.into is None:
        return False
    return not is_same(half.into, token.value) and token.line <= half.line + 4


def _rejoined(first: Report | Many, second: Report | Many) -> list[Report | Many]:
    """Join one host's figures with its records, which pdsh may bring in the wrong order."""
    if isinstance(first, Many) or isinstance(second, Many):
        return [first, second]
    if first.into is None and second.figures is None and _fits(second, first):
        _join(second, first)
        return [second]
    return [first, second]


def is_same(one: Records, other: Records) -> bool:
    """Whether two lines say the same of their records: both were read, or both written."""
    words = other.words
    return one.words == words and words.isascii() and words[:1].isalpha()


def _match(
    pending: list[Report], loose: list[tuple[int, Report]], remarks: list[tuple[int, str, str]]
) -> list[Report]:
    """Give figures to records: by order, where that is no question, else by what fits."""
    if not loose:
        return pending
    if len(loose) > 1:
        for report in (*pending, *(alone for _, alone in loose)):
            report.is_own = True
    if len(loose) < len(pending):
        # each report's own figures follow it; some have none
        directly = {above - 1: alone for above, alone in loose}
        if len(directly) == len(loose) and all(
            _fits(pending[at], alone) for at, alone in directly.items()
        ):
            for at, alone in directly.items():
                _join(pending[at], alone)
            return pending
    elif len(pending) == 1 or len(pending) > 6:
        for report, (_, alone) in zip(pending, loose, strict=True):
            _join(report, alone)
        return pending
    else:
        ways = [
            order
            for order in permutations(range(len(pending)))
            if all(
                at < above and _fits(pending[at], alone)
                for at, (above, alone) in zip(order, loose, strict=True)
            )
        ]
        if len(ways) == 1:
            for at, (_, alone) in zip(ways[0], loose, strict=True):
                _join(pending[at], alone)
            return pending
    records = ", ".join(f"{report.into} in and {report.out} out" for report in pending)
    remarks.append(
        (
            pending[0].line,
            "warning",
            f"{len(pending)} dd wrote at once; whose records are whose is not certain: {records}",
        )
    )
    return [alone for _, alone in loose]


def _join(report: Report, alone: Report) -> None:
    report.figures, report.figures_line = alone.figures, alone.figures_line


def _fits(report: Report, alone: Report) -> bool:
    """Whether records and bytes can be of one report."""
    return report.out is not None and alone.figures is not None and fits(report.out, alone.figures)


def fits(out: Records, figures: Figures) -> bool:
    """Whether so many bytes can have been written in these records."""
    if out.partial:
        return figures.bytes >= out.full + out.partial
    return figures.bytes % out.full == 0 if out.full else figures.bytes == 0


def _series(
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
    places = [_line(run) for run in found]
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
