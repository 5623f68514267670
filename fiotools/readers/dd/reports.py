"""Which of the lines that dd printed belong to one report; `runs` has which reports to one dd.

Records and figures are joined by their order, where two dd are mixed by what can be: with no
partial records the bytes are a multiple of the full ones. Several dd on one standard error write
between each other's lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

from fiotools.readers.dd.lines import (
    Aside,
    Figures,
    Records,
    Report,
    Spoiled,
    Token,
    Whole,
    parts,
)

Remark = tuple[int, str, str]  # line, severity, message


class _Loose(NamedTuple):
    """Figures below more than one report without figures: how many were above."""

    above: int
    figures: Figures
    line: int


@lru_cache(maxsize=4096)
def counts(records: str) -> tuple[int, int]:
    """Give full and partial records."""
    full, _, partial = records.partition("+")
    return int(full), int(partial)


def reports(tokens: Iterable[Token]) -> tuple[list[Report], list[Remark]]:
    """Join records and figures to reports."""
    found: list[Report] = []
    pending: list[Report] = []  # those without figures so far
    loose: list[_Loose] = []
    remarks: list[Remark] = []
    half: tuple[int, Records] | None = None
    waiting: list[Iterator[Token]] = [iter(tokens)]
    while waiting:
        token = next(waiting[-1], None)
        if token is None:
            waiting.pop()
            continue
        value = token.value
        if isinstance(value, Whole):
            if half is None and not pending:
                found += value.reports
            else:  # records above may go with figures in them
                waiting.append(parts(token))
            continue
        if half is not None and not _goes_with(half, token):
            remarks.append(_lone(half))
            half = None
        if isinstance(value, Records):
            if half is None:
                half = token.line, value
            else:
                pending.append(Report(half[0], half[1].text, value.text))
                half = None
        elif isinstance(value, Aside) and pending:
            pending[-1] = pending[-1]._replace(aside=value.text or None)
        elif isinstance(value, Spoiled) and pending:
            pending[-1] = pending[-1]._replace(spoiled=value.text, figures_line=token.line)
        elif isinstance(value, Figures):
            loose.append(_Loose(len(pending), value, token.line))
            if len(loose) >= len(pending):
                found += _match(pending, loose, remarks)
                pending, loose = [], []
    found += _match(pending, loose, remarks)
    if half is not None:
        remarks.append(_lone(half))
    return sorted(found, key=lambda report: report.line), remarks


def _lone(half: tuple[int, Records]) -> Remark:
    line, records = half
    return line, "warning", f"records without their other half: {records.text}"


def _goes_with(half: tuple[int, Records], token: Token) -> bool:
    """Whether a token can be the records out that belong to records in."""
    line, into = half
    if not isinstance(token.value, Records):
        return False
    return not is_same(into, token.value) and token.line <= line + 4


def rejoined(reports: list[Report]) -> list[Report]:
    """Join one host's figures with its records, which pdsh may bring in the wrong order."""
    if len(reports) == 2:
        first, second = reports
        if first.into is None and second.figures is None and _fits(second, first.figures):
            return [second._replace(figures=first.figures, figures_line=first.figures_line)]
    return reports


def is_same(one: Records, other: Records) -> bool:
    """Whether two lines say the same of their records: both were read, or both written."""
    words = other.words
    return one.words == words and words.isascii() and words[:1].isalpha()


def _match(pending: list[Report], loose: list[_Loose], remarks: list[Remark]) -> list[Report]:
    """Give figures to records: by order, where that is no question, else by what fits."""
    is_own = len(loose) > 1
    order = _order(pending, loose)
    if order is not None:
        found = [report._replace(is_own=is_own) for report in pending] if is_own else pending
        for at, one in zip(order, loose, strict=True):
            found[at] = found[at]._replace(figures=one.figures, figures_line=one.line)
        return found
    if pending:
        records = ", ".join(f"{report.into} in and {report.out} out" for report in pending)
        told = f"{len(pending)} dd wrote at once; whose records are whose is not certain: {records}"
        remarks.append((pending[0].line, "warning", told))
    return [
        Report(one.line, figures=one.figures, figures_line=one.line, is_own=is_own) for one in loose
    ]


def _order(pending: list[Report], loose: list[_Loose]) -> Iterable[int] | None:
    """Say which records each of the figures goes with; None if that is not certain."""
    if not loose:
        return ()
    if not pending:
        return None
    if len(loose) < len(pending):
        # each report's own figures follow it; some have none
        directly = [one.above - 1 for one in loose]
        is_certain = len(set(directly)) == len(loose) and all(
            _fits(pending[at], one.figures) for at, one in zip(directly, loose, strict=True)
        )
        return directly if is_certain else None
    if len(pending) == 1 or len(pending) > 6:
        return range(len(pending))
    ways = [
        order
        for order in permutations(range(len(pending)))
        if all(
            at < one.above and _fits(pending[at], one.figures)
            for at, one in zip(order, loose, strict=True)
        )
    ]
    return ways[0] if len(ways) == 1 else None


def _fits(report: Report, figures: Figures | None) -> bool:
    """Whether records and bytes can be of one report."""
    if report.out is None or figures is None:
        return False
    full, partial = counts(report.out)
    if partial:
        return figures.bytes >= full + partial
    return figures.bytes % full == 0 if full else figures.bytes == 0
