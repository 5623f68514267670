"""Which of the lines that dd printed belong to one report; `dd_series` has which reports to one dd.

Records and figures are joined by their order, where two dd are mixed by what can be: with no
partial records the bytes are a multiple of the full ones. Several dd on one standard error write
between each other's lines.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from fiotools.readers.dd import series as dd_series
from fiotools.readers.dd.lines import Aside, Figures, Records, Said, Spoiled, Token
from fiotools.readers.dd.series import Report, Run
from fiotools.readers.dd.stretch import Many, Stretch


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
        grouped = dd_series.series(reports, [t for t in own if isinstance(t.value, Said)], count)
        single = [run for run in grouped if isinstance(run, Run)]
        for run in single:
            run.source = source
            at = bisect_left(stops, run.last.line - 1)
            run.is_stopped = at < len(stops) and stops[at] <= run.last.line
        if single:
            single[0].remarks[:0] = remarks
        found += grouped
    return sorted(found, key=dd_series.line_of) if len(found) > 1 else found


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
        elif isinstance(value, Spoiled) and pending:
            pending[-1].spoiled, pending[-1].figures_line = value.text, token.line
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
