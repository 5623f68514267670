"""From the runs of dd to rows; those of many files are made together, column by column."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from fiotools import units
from fiotools.readers import shell
from fiotools.readers.dd.operands import NOTHING, Operands, operands
from fiotools.readers.dd.rates import AGREES, CONTRADICTS, ROUNDED, check, each
from fiotools.readers.dd.runs import Run, counts
from fiotools.tables import Made

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from fiotools.readers.dd.lines import Figures
    from fiotools.readers.dd.runs import Block
    from fiotools.readers.grammar import Report, Session
    from fiotools.tables import Column, Tables

# warnings do not change what dd did; they are translated, what they advise is not
_WARNING = re.compile(r"warning|fullblock|zero multiplier|'00x'", re.I)
_LONG = 300


class _Record(NamedTuple):
    """What dd printed at one place: its runs, from number ``first`` on, and their operands.

    ``ends`` say of each run that the text ends before its report does, or nothing.
    """

    first: int
    line: int
    session: Session
    runs: list[Run]
    operands: list[Operands]
    ends: list[str]
    source: str


def add(tables: Tables, report: Report, session: Session) -> int:
    """Add what dd printed as runs, each with one row of I/O; return the last one's number."""
    block: Block = report.data
    commands = [operands(one) for one in shell.commands(session.command or "", "dd")]
    found = block.runs(commands[0].records if len(commands) == 1 else None)
    told = [_operands(commands, session, place) for place in range(len(found))]
    ends = [_end(run, block) if run is found[-1] else "" for run in found]
    tables.defer(
        make, _Record(tables.runs + 1, report.line, session, found, told, ends, block.source)
    )
    tables.runs += len(found)
    return tables.runs


def _operands(commands: Sequence[Operands], session: Session, place: int) -> Operands:
    """Take the operands of the dd that a report is of, where the command line has several."""
    if len(commands) == 1:
        return commands[0]
    if not commands or shell.is_concurrent(session.command or ""):
        return NOTHING  # which of two dd in a pipeline reports first is chance
    at = session.above + place
    if shell.is_loop(session.command or ""):
        at %= len(commands)
    return commands[at] if at < len(commands) else NOTHING


def _end(run: Run, block: Block) -> str:
    """Say that the text ends before dd's report does; nothing if it does not."""
    if block.is_cut:
        told = f" after {block.fragment[:80]!r}" if block.fragment else ""
        return f"the report was cut off{told}"
    if run.last.into is None and run.last.figures and (run.earlier or block.is_overwritten):
        return "progress without a report at the end: dd was killed, or the text was cut off"
    return ""


def make(records: Sequence[_Record], wants: Callable[[str], bool]) -> Iterable[Made]:
    """Make the rows of records."""
    batch = _Batch(records)
    yield batch.runs()
    yield batch.io()
    yield batch.notes()
    if wants("extras"):
        yield from batch.extras()
    if wants("settings"):
        yield batch.settings()
    if wants("samples"):
        yield batch.samples()


class _Batch:
    """The runs of some records, one below the other, and what their figures are worth."""

    def __init__(self, records: Sequence[_Record]) -> None:
        self.records = records
        sizes = [len(record.runs) for record in records]
        self.owner = np.arange(len(records), dtype=np.int32).repeat(sizes)
        self.all = [run for record in records for run in record.runs]
        self.last = [run.last for run in self.all]
        self.told = [told for record in records for told in record.operands]
        self.ends = [end for record in records for end in record.ends]
        self.number = np.array(
            [*chain(*(range(one.first, one.first + len(one.runs)) for one in records))], dtype=int
        )
        about = zip(self.all, self.ends, strict=True)
        told = [not (end or run.said or run.remarks or run.is_stopped) for run, end in about]
        self.is_plain = np.array(told, dtype=bool)
        # of runs with figures: their places, these, and what these are worth
        self.have = np.flatnonzero([last.figures is not None for last in self.last])
        self.figures: list[Figures] = [last.figures for last in self.last if last.figures]
        is_progress = np.array([self.last[at].out is None for at in self.have.tolist()], dtype=bool)
        self.checked = check(self.figures, is_progress)
        self.elapsed = np.array([one.elapsed for one in self.figures], dtype=np.float64)
        self.bytes = np.array([one.bytes for one in self.figures], dtype=np.int64)
        self.is_rounded = self.checked.verdict == ROUNDED
        self.read = each(_counts, [last.into for last in self.last])
        self.written = each(_counts, [last.out for last in self.last])
        # a record was read and not written, as when dd is stopped on its way
        self.is_behind = (self.read[1] == self.written[1]) & (self.written[0] > 0)
        self.is_behind &= self.read[0] == self.written[0] + 1
        # so many bytes can have been written in these records
        full, partial = self.written[:, self.have]
        whole = np.where(full > 0, self.bytes % np.maximum(full, 1), self.bytes) == 0
        self.is_fit = (full < 0) | np.where(partial > 0, self.bytes >= full + partial, whole)
        # or they are not so many records of the command's size
        sizes = [self.told[at].records_bytes or 0 for at in self.have.tolist()]
        size = np.array(sizes, dtype=np.int64)
        count, rest = np.divmod(self.bytes, np.maximum(size, 1))  # the product may be too large
        self.is_other = (size > 0) & (partial == 0) & ((rest > 0) | (count != full))

    def _spread(self, values: NDArray[Any], nothing: Any) -> NDArray[Any]:
        """Give what is known of figures for each run."""
        every = np.full(len(self.all), nothing, dtype=values.dtype)
        every[self.have] = values
        return every

    def _keys(self, of: Iterable[int]) -> dict[str, list[Any]]:
        told = [self.told[at] for at in of]
        return {
            "entry": [1] * len(told),
            "scope": ["job"] * len(told),
            "target": [one.target for one in told],
            "direction": [one.direction for one in told],
        }

    def runs(self) -> Made:
        """Give the rows of runs."""
        duration = np.where(self.is_rounded, np.nan, self.elapsed)
        status = ["ok"] * len(self.all)
        for at in np.flatnonzero(~self.is_plain | self.is_behind).tolist():
            status[at] = _status(self.all[at], self.ends[at], is_behind=self.is_behind[at])
        sessions = [record.session for record in self.records]
        owner = self.owner.tolist()
        columns: dict[str, Column] = {
            "run": self.number,
            "tool": pl.repeat("dd", len(owner), eager=True),
            "format": pl.repeat("dd", len(owner), eager=True),
            "command": [sessions[of].command for of in owner],
            "host": [sessions[of].host for of in owner],
            "duration_s": self._spread(duration, np.nan),
            "status": status,
        }
        return Made("runs", self.owner, columns)

    def io(self) -> Made:
        """Give the rows of runs that moved anything."""
        some = self.bytes > 0
        of = self.have[some]
        told = [self.told[at] for at in of.tolist()]
        is_read = np.array([one.direction == "read" for one in told], dtype=bool)
        total = np.where(is_read, self.read[:, of].sum(axis=0), self.written[:, of].sum(axis=0))
        is_known = total >= 0
        amount, elapsed, rate = self.bytes[some], self.elapsed[some], self.checked.value[some]
        with np.errstate(divide="ignore", invalid="ignore"):
            # where the printed rate knows more than the seconds, it does of the records too
            is_ours = rate == amount / elapsed
            iops = np.where(is_ours, total / elapsed, total * rate / amount)
        columns: dict[str, Column] = {
            "run": self.number[of],
            **self._keys(of.tolist()),
            "bs_bytes": [one.bs_bytes for one in told],
            "direct": [one.direct for one in told],
            "io_bytes": amount,
            "total_ios": total
            if is_known.all()
            else [one if one >= 0 else None for one in total.tolist()],
            "runtime_s": np.where(self.is_rounded[some], np.nan, elapsed),
            "iops": np.where(is_known, iops, np.nan),
            "bw_bytes_per_s": rate,
        }
        return Made("io", self.owner[of], columns)

    def extras(self) -> Iterator[Made]:
        """Give what was printed and has no column."""
        figures = [last.figures for last in self.last]
        is_rounded = self._spread(self.is_rounded, nothing=False).tolist()
        seconds = zip(figures, is_rounded, strict=True)
        texts: dict[str, list[str | None]] = {
            "bytes": ["0" if one and not one.bytes else None for one in figures],
            "records_in": [last.into for last in self.last],
            "records_out": [last.out for last in self.last],
            "truncated_records": [last.aside for last in self.last],
            "rate": [one.rate if one else None for one in figures],
            "seconds": [one.seconds if one and rounded else None for one, rounded in seconds],
            "source": [self.records[at].source or None for at in self.owner.tolist()],
        }
        for path, told in texts.items():
            of = [at for at, text in enumerate(told) if text is not None]
            paths = pl.repeat(path, len(of), eager=True)
            yield self._printed(of, paths, [told[at] for at in of])
        found = [
            (at, f"samples.{place}.records_{name}", text)
            for at, run in enumerate(self.all)
            if run.earlier
            for place, report in enumerate(run.earlier)
            if report.into and report.out
            for name, text in (("in", report.into), ("out", report.out))
        ]
        of = [at for at, _, _ in found]
        yield self._printed(of, [path for _, path, _ in found], [text for _, _, text in found])

    def _printed(self, of: list[int], path: Column, texts: Sequence[str | None]) -> Made:
        entry = np.ones(len(of), dtype=np.int64)
        columns: dict[str, Column] = {"run": self.number[of], "path": path, "text": texts}
        return Made("extras", self.owner[of], {**columns, "entry": entry})

    def settings(self) -> Made:
        """Give the operands."""
        sizes = [len(told.given) for told in self.told]
        given = [pair for told in self.told if told.given for pair in told.given.items()]
        columns: dict[str, Column] = {
            "run": self.number.repeat(sizes),
            "entry": [1] * len(given),
            "option": [name for name, _ in given],
            "text": [value for _, value in given],
            "origin": ["given"] * len(given),
        }
        return Made("settings", self.owner.repeat(sizes), columns)

    def samples(self) -> Made:
        """Give the progress and the report of each run that reported more than once."""
        found = [
            (at, report.figures)
            for at, run in enumerate(self.all)
            if run.earlier
            for report in (*run.earlier, run.last)
            if report.figures
        ]
        of = np.array([at for at, _ in found], dtype=np.int64)
        columns: dict[str, Column] = {
            "run": self.number[of],
            **self._keys(of.tolist()),
            "quantity": ["io_bytes"] * len(found),
            "time_s": [figures.elapsed for _, figures in found],
            "value": [float(figures.bytes) for _, figures in found],
        }
        return Made("samples", self.owner[of], columns)

    def notes(self) -> Made:
        """Say what is odd about runs."""
        found = [
            (at, *note) for at in np.flatnonzero(self._is_odd()).tolist() for note in self._odd(at)
        ]
        of = np.array([at for at, *_ in found], dtype=np.int64)
        columns: dict[str, Column] = {
            "run": self.number[of],
            "line": [self.records[self.owner[at]].line + line for at, line, _, _ in found],
            "severity": [severity for _, _, severity, _ in found],
            "message": [message for _, _, _, message in found],
        }
        return Made("notes", self.owner[of], columns)

    def _is_odd(self) -> NDArray[np.bool_]:
        """Say about which runs there may be something to say."""
        good = (self.bytes > 0) & (self.checked.verdict <= AGREES)
        good &= self.checked.is_sized & self.is_fit & ~self.is_other
        is_good: NDArray[np.bool_] = self._spread(good, nothing=False) & self.is_plain
        is_odd: NDArray[np.bool_] = ~is_good | self.is_behind
        return is_odd

    def _odd(self, at: int) -> Iterator[tuple[int, str, str]]:
        """Say what is odd about a run: line, severity and message."""
        run, last, end = self.all[at], self.last[at], self.ends[at]
        figures, line, out = last.figures, last.figures_line, last.out
        place = int(np.searchsorted(self.have, at))
        if figures and not figures.bytes:
            yield line, "info", "no bytes were moved"
        elif figures:
            value, verdict = self.checked.value[place], self.checked.verdict[place]
            if verdict == CONTRADICTS:
                ours = units.human(value, "B/s")
                told = f"printed rate {figures.rate} is not bytes / seconds = {ours}"
                yield line, "warning", f"{told}; the latter is kept"
            elif verdict == ROUNDED:
                kept = "the printed rate is kept" if value > 0 else "and too few for a rate"
                yield line, "info", f"the seconds are rounded to {figures.seconds}: {kept}"
        if last.spoiled:
            told = f"the line below the records is not as dd prints it ({last.spoiled[:80]!r})"
            remedy = "its bytes and seconds are left out; put it back as dd printed it"
            yield line, "warning", f"{told}: {remedy}"
        elif figures is None and last.into and not end:
            yield last.line, "info", "dd printed records only (no bytes, no seconds): no rate"
        yield from run.remarks
        for beside, message in run.said:
            severity = "warning" if _WARNING.search(message) else "error"
            yield beside, severity, f"dd: {message[:_LONG]}"
        if end:
            yield line, "warning", end
        if self.is_behind[at] and not run.said:
            told = "a record was read and not written: dd was on its way, or interrupted"
            yield last.line, "info", told
        if figures and not self.checked.is_sized[place]:
            told = f"printed size {figures.size} is not {figures.bytes} bytes"
            yield line, "warning", f"{told}; the latter is kept"
        if figures and not self.is_fit[place]:
            yield line, "warning", f"{figures.bytes} bytes cannot be {out} records of one size"
        elif figures and self.is_other[place]:
            size = self.told[at].records_bytes
            told = f"{figures.bytes} bytes are not {out} records of {size} bytes (the command's)"
            yield line, "warning", told


def _counts(records: str | None) -> tuple[int, int]:
    """Give full and partial records; -1 where they are not known."""
    return counts(records) if records else (-1, -1)


def _status(run: Run, end: str, *, is_behind: bool) -> str:
    if end:
        return "truncated"
    if any(not _WARNING.search(message) for _, message in run.said):
        return "error"
    return "interrupted" if run.is_stopped or is_behind else "ok"
