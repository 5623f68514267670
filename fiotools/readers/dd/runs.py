"""Lines of dd joined to reports, and reports to runs of dd.

Records and amounts are joined by their order. Several dd on one standard error write between each
other's lines; then they are joined by arithmetic: without partial records the bytes are a multiple
of the full records.

A dd reports more than once on a signal, as progress, or after an error; the last report is the
result. Runs appended to one file look alike. Reports belong to one dd if bytes, seconds and records
grow and the block size stays; an unusual count (145+0) or the lines between them confirm it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

from fiotools.readers.dd.lines import (
    Amounts,
    Aside,
    Records,
    Report,
    Said,
    Spoiled,
    Token,
    Whole,
    parts,
)

Remark = tuple[int, str, str]  # line, severity, message


@dataclass(slots=True)
class Run:
    """One dd: its last report, its earlier ones, and its messages."""

    last: Report
    earlier: Sequence[Report] = ()
    said: Sequence[tuple[int, str]] = ()
    is_stopped: bool = False  # ^C stands beside its last report
    remarks: Sequence[Remark] = ()


class Block(NamedTuple):
    """Output of dd without anything else between."""

    tokens: tuple[Token, ...]  # their lines count from the block's first
    stops: tuple[int, ...] = ()  # lines with ``^C``
    fragment: str | None = None  # the rest of a last line that was cut off
    is_cut: bool = False  # whether the text ends within a line of dd
    # whether the last amounts are progress: a carriage return stands beside them
    is_overwritten: bool = False
    source: str = ""  # its source (a host, a service), if a prefix of each line told that

    @property
    def has_result(self) -> bool:
        """Whether dd said more than an error."""
        return any(not isinstance(token.value, Said) for token in self.tokens)

    def runs(self, count: int | None = None) -> list[Run]:
        """Sort the output into runs; ``count`` is the command's."""
        printed, remarks = _reports(self.tokens)
        said = [
            (token.line, token.value.message)
            for token in self.tokens
            if isinstance(token.value, Said)
        ]
        found = _series(_rejoined(printed) if self.source else printed, said, count)
        if found:
            found[0].remarks = [*remarks, *found[0].remarks]
        for run in found if self.stops else ():
            at = bisect_left(self.stops, run.last.line - 1)
            run.is_stopped = at < len(self.stops) and self.stops[at] <= run.last.line
        return found


class _Loose(NamedTuple):
    """Amounts below more than one report without amounts: how many were above."""

    above: int
    amounts: Amounts
    line: int


@lru_cache(maxsize=4096)
def counts(records: str) -> tuple[int, int]:
    """Return full and partial records."""
    full, _, partial = records.partition("+")
    return int(full), int(partial)


def _reports(tokens: Iterable[Token]) -> tuple[list[Report], list[Remark]]:
    """Join records and amounts to reports."""
    found: list[Report] = []
    pending: list[Report] = []  # those without amounts so far
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
            else:  # records above may go with amounts in them
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
        elif isinstance(value, Amounts):
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


def _rejoined(reports: list[Report]) -> list[Report]:
    """Join one host's amounts with its records, which pdsh may bring in the wrong order."""
    if len(reports) == 2:
        first, second = reports
        if first.into is None and second.amounts is None and _fits(second, first.amounts):
            return [second._replace(amounts=first.amounts, figures_line=first.figures_line)]
    return reports


def is_same(one: Records, other: Records) -> bool:
    """Whether both lines are of records read, or both of records written."""
    words = other.words
    return one.words == words and words.isascii() and words[:1].isalpha()


def _match(pending: list[Report], loose: list[_Loose], remarks: list[Remark]) -> list[Report]:
    """Join amounts with records: by order if that is certain, otherwise by arithmetic."""
    is_own = len(loose) > 1
    order = _order(pending, loose)
    if order is not None:
        found = [report._replace(is_own=is_own) for report in pending] if is_own else pending
        for at, one in zip(order, loose, strict=True):
            found[at] = found[at]._replace(amounts=one.amounts, figures_line=one.line)
        return found
    if pending:
        records = ", ".join(f"{report.into} in and {report.out} out" for report in pending)
        told = (
            f"{len(pending)} dd wrote at once; it is uncertain whose records are whose: {records}"
        )
        remarks.append((pending[0].line, "warning", told))
    return [
        Report(one.line, amounts=one.amounts, figures_line=one.line, is_own=is_own) for one in loose
    ]


def _order(pending: list[Report], loose: list[_Loose]) -> Iterable[int] | None:
    """Return the records of each of the amounts; None if that is not certain."""
    if not loose:
        return ()
    if not pending:
        return None
    if len(loose) < len(pending):
        # each report's own amounts follow it; some have none
        directly = [one.above - 1 for one in loose]
        is_certain = len(set(directly)) == len(loose) and all(
            _fits(pending[at], one.amounts) for at, one in zip(directly, loose, strict=True)
        )
        return directly if is_certain else None
    if len(pending) == 1 or len(pending) > 6:
        return range(len(pending))
    ways = [
        order
        for order in permutations(range(len(pending)))
        if all(
            at < one.above and _fits(pending[at], one.amounts)
            for at, one in zip(order, loose, strict=True)
        )
    ]
    return ways[0] if len(ways) == 1 else None


def _fits(report: Report, amounts: Amounts | None) -> bool:
    """Whether records and bytes can be of one report."""
    if report.out is None or amounts is None:
        return False
    full, partial = counts(report.out)
    if partial:
        return amounts.bytes >= full + partial
    return amounts.bytes % full == 0 if full else amounts.bytes == 0


def _series(
    reports: Sequence[Report], said: Sequence[tuple[int, str]], count: int | None
) -> list[Run]:
    """Group reports by dd, with the progress before them and the errors beside them."""
    if not reports:
        return [Run(Report(said[0][0]), said=said)] if said else []
    numbers = [line for line, _ in said]
    found: list[Run] = []
    group: list[Report] = []
    known: Report | None = None  # the last of the group with records
    for report in reports:
        if group and _continues(group[-1], known, report, numbers, count):
            group.append(report)
        else:
            found += _settled(group)
            group, known = [report], None
        if report.into:
            known = report
    found += _settled(group)
    if said:
        _add_said(found, said)
    return found


def _add_said(found: list[Run], said: Sequence[tuple[int, str]]) -> None:
    """Return each message to the run that it is of."""
    places = [run.last.line for run in found]
    owned: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    for line, message in said:
        # GNU and BSD complain before they report, uutils after
        above, below = bisect_left(places, line) - 1, bisect_right(places, line)
        is_late = message.startswith("IO error")
        if (is_late and above >= 0) or below == len(places):
            below = above
        owned[below].append((line, message))
    for place, own in owned.items():
        found[place].said = own


def _continues(
    before: Report,
    known: Report | None,
    after: Report,
    said: Sequence[int],
    count: int | None,
) -> bool:
    """Whether a report can be a later one of the same dd; ``said``: the lines of messages."""
    old, new = before.amounts, after.amounts
    if old and new:
        if new.bytes < old.bytes:
            return False
        # progress is printed in whole seconds, rounded, and once more at the end
        slack = 0.5 if before.into is None and old.seconds.isdigit() else 0.0
        if new.elapsed < old.elapsed - slack or (old.is_final and before.into is None):
            return False  # and what ended had its records lost
    if after.is_own or (before.is_own and before.into is None):
        return False
    if count and known and known.into and sum(counts(known.into)) >= count:
        return False  # it was at its end
    if old and new:
        if before.into is not None and (new.bytes == old.bytes or new.elapsed == old.elapsed):
            at = bisect_right(said, before.line)
            is_between = at < len(said) and said[at] < after.line
            return is_between and new.elapsed > old.elapsed
    elif bool(old) != bool(new) and after.into is not None and before.into is not None:
        return False
    if known is None or after.into is None:
        return True  # progress below a report has to be borne out by the next report
    return _grow(known, after)


def _grow(before: Report, after: Report) -> bool:
    """Whether the records grew, and not their size."""
    if not (before.into and before.out and after.into and after.out):
        return False
    (read, cut), (read_after, cut_after) = counts(before.into), counts(after.into)
    if read_after + cut_after <= read + cut or cut > cut_after:
        return False
    (written, cut), (written_after, cut_after) = counts(before.out), counts(after.out)
    if written_after + cut_after < written + cut or cut > cut_after:
        return False
    return len({_block(before), _block(after)} - {None}) < 2


def _block(report: Report) -> int | None:
    """Bytes of one output record, where only full ones were written."""
    if report.amounts and report.out:
        full, partial = counts(report.out)
        return report.amounts.bytes // full if full and not partial else None
    return None


def _settled(every: list[Report]) -> list[Run]:
    """Return the runs of a group; split reports that were more likely several runs."""
    if len(every) == 1:
        return [Run(every[0])]
    ends = [place for place, report in enumerate(every) if report.into is not None]
    if not ends:
        return [_of(every)] if every else []
    every, below = every[: ends[-1] + 1], every[ends[-1] + 1 :]
    # progress below the last report: another dd, and killed
    rest = [_of(below)] if below else []
    if len(ends) == 1:
        return [_of(every), *rest]
    line = every[ends[0]].line
    if len(every) - ends[0] > len(ends) or _is_sure([every[end] for end in ends[:-1]]):
        message = f"{len(ends)} reports of one dd: the last is the result, all are in samples"
        return [_of(every, (line, "info", message)), *rest]
    message = (
        f"{len(ends)} reports that grow, in round numbers of records: taken for separate runs,"
        " but they may be one dd's that was asked by a signal"
    )
    first = _of(every[: ends[0] + 1], (line, "warning", message))
    return [first, *(Run(every[end]) for end in ends[1:]), *rest]


def _of(reports: Sequence[Report], *remarks: Remark) -> Run:
    return Run(reports[-1], reports[:-1], remarks=remarks)


def _is_sure(reports: Sequence[Report]) -> bool:
    """Whether something besides growth shows that the reports are of a running dd."""
    for report in reports:
        if report.into and report.out:
            full, _ = counts(report.into)
            if full != counts(report.out)[0] or not _is_round(full):
                return True
    return False


def _is_round(number: int) -> bool:
    """Whether a person would ask for that many records: 100, 2500, 640, 1024, 20480."""
    odd = number
    while odd and odd % 2 == 0:
        odd //= 2
    return odd in (0, 1, 3, 5, 25) or len(str(number).rstrip("0")) <= 2
