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

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from fiotools import units
from fiotools.errors import ParseError
from fiotools.readers import shell
from fiotools.readers.dd.report import MANY, DdOutput, DdReport, DdRun, Said, counts
from fiotools.readers.dd.report import parse as parse
from fiotools.readers.document import Document, Report, Session, read_reports
from fiotools.tables import Made, Tables
from fiotools.tables.columns import column

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Flags: TypeAlias = NDArray[np.bool_]

_OPERAND = re.compile(r"[a-z]+=")
_FACTOR = re.compile(r"(\d+)([a-zA-Z]*)")
_TOO_MUCH = 2**63  # for dd, and for a column
_FACTORS = {
    "": 1,
    "c": 1,
    "w": 2,
    "b": 512,
    **{unit: 1024**power for power, unit in enumerate("kmgt", 1)},
    **{f"{unit}b": 1000**power for power, unit in enumerate("kmgt", 1)},
}
_SOURCES = {"/dev/zero", "/dev/random", "/dev/urandom"}
_SINKS = {"/dev/null", "/dev/zero"}  # BSD and busy people write to the latter too
# a printed rate against bytes and seconds; "rounded": these are too coarse to divide by
_UNCHECKED, _AGREES, _ROUNDED, _CONTRADICTS = range(4)
_RATE = re.compile(r"([0-9]+(?:[.,][0-9]+)?)( ?)([kKMGTPEZYRQ]?)((?:i?B|bytes)?)/s")
_SIZES = re.compile(r"([0-9]+(?:[.,][0-9]+)?)[ ]?([kKMGTPEZY]?)(i?B?)")
_PREFIXES = " KMGTPEZYRQ"
_SCALES = np.array([[kilo**power for power in range(len(_PREFIXES))] for kilo in (1024.0, 1000.0)])
_BYTES = ("", "B", "bytes", "iB")  # what a rate is in
_TIGHT = 1e-9  # floating point
_WHOLE = 0.0099  # seconds: ten milliseconds
_LEAST, _MOST = -120, 120  # powers of ten of the seconds
_MAGNITUDES = np.array([10.0**power for power in range(_LEAST, _MOST)])
_FIGURES = np.array([0.5 * 10.0 ** (power - 5) for power in range(_LEAST, _MOST)])
_DECIMALS = np.array([0.5 * 10.0**-places for places in range(20)])


def read(document: Document, tables: Tables) -> None:
    """Read a text that holds nothing but dd's output."""
    said = [token.value for report in document.reports for token in report.data.tokens]
    if said and all(isinstance(value, Said) for value in said):
        raise ParseError(
            document.name,
            f"dd printed no report; it said {said[0].message[:120]!r}",
            line=document.reports[0].line,
            remedy="correct that and run dd again",
        )
    read_reports(document, tables, add)


class Operands(NamedTuple):
    """The operands of a command; ``records``: how many it requests, and their size."""

    given: Mapping[str, str]
    direction: str | None = None
    target: str | None = None
    bs_bytes: int | None = None
    direct: bool | None = None
    records_bytes: int | None = None
    records: int | None = None


_NOTHING = Operands({})


@lru_cache(maxsize=1024)
def operands(command: tuple[str, ...]) -> Operands:
    """Read the operands of a command, the words behind its name."""
    told = [word.partition("=") for word in command if _OPERAND.match(word)]
    given = {name: value.rstrip(")}") for name, _, value in told}
    if not given:
        return _NOTHING
    source, sink = given.get("if"), given.get("of")
    direction = "copy" if source and sink else None
    if sink in _SINKS:
        direction = "read"
    elif source in _SOURCES:
        direction = "write"
    is_read = direction == "read"
    direct = None
    if direction in ("read", "write"):
        direct = "direct" in given.get("iflag" if is_read else "oflag", "").split(",")
    # "bs" overrides the other two, whatever their order
    both = given.get("bs")
    size = number(both or given.get("ibs" if is_read else "obs") or "")
    return Operands(
        given,
        direction,
        source if is_read else sink,
        size or None,  # dd refuses 0
        direct,
        number(both or given.get("obs") or "512"),
        number(given.get("count") or ""),
    )


def number(text: str) -> int | None:
    """Read a number as dd does: ``1M``, ``1MB``, ``1024x1024``."""
    product = 1
    for part in text.split("x"):
        match = _FACTOR.fullmatch(part)
        factor = _FACTORS.get(match[2].lower().removesuffix("ib")) if match else None
        if not match or factor is None:
            return None
        product *= int(match[1]) * factor
        if product >= _TOO_MUCH:
            return None
    return product


def _checked(printed: Mapping[str, Any]) -> tuple[Floats, NDArray[np.int64], Flags]:
    """Compute bandwidths in bytes per second, or take the printed ones if they are more precise.

    nan: not known. Beside them stands how the printed rates compare, and whether the printed sizes
    are those of the bytes, to one unit of their last digit. ``printed`` are columns of reports.

    Each dd rounds in its own way. GNU divides by the unrounded time and prints two or three digits
    in units of 1000. uutils divides by whole milliseconds, at least one. BusyBox prints the unit
    without a space and counts in 1024; toybox too, without the B, and it truncates. The BSDs print
    whole bytes per second from the unrounded time. The printed rate is kept if it is more precise
    than the seconds, as in a short run.
    """
    amount = np.array(printed["bytes"], dtype=np.float64)
    amount[amount < 0] = np.nan
    seconds = np.array(printed["elapsed"], dtype=np.float64)
    texts = pl.Series(printed["seconds"], dtype=pl.String)
    decimals = texts.str.extract("[.,]([0-9]+)").str.len_bytes().fill_null(0).to_numpy()
    has_exponent = texts.str.contains("e", literal=True).to_numpy()
    is_progress = np.array([out is None for out in printed["out"]], dtype=np.bool_)
    spaced, *sizes = _each(_sizes, printed["size"])
    number, digit, power, byte, is_glued = _each(_rate, printed["rate"])
    # 1024 where the size is written as BusyBox or toybox do
    is_decimal = np.where(spaced < 0, power == 0, spaced > 0) | (is_glued == 0)
    scale = _SCALES[((byte > 0) & is_decimal).astype(int), power.astype(int)]
    is_bytes, is_gnu = byte == 2, (byte == 1) & is_decimal  # laid out as GNU's and uutils' are
    # what may stand behind the printed rate: from, to if rounded, to if cut off
    value, low = number * scale, (number - digit / 2) * scale
    rounded, cut_off = (number + digit / 2) * scale, (number + digit) * scale
    with np.errstate(divide="ignore", invalid="ignore"):
        ours = np.where(seconds > 0, amount / seconds, np.nan)
        # half the worth of the last digit of the seconds; %g has six, and drops zeros at the end
        half = _DECIMALS[decimals]
        last = _FIGURES[np.searchsorted(_MAGNITUDES, seconds, side="right") - 1]
        half = np.where(is_gnu & (seconds > 0), np.minimum(half, last), half)
        half = np.where(has_exponent, last, half)
        shortest, longest = seconds - half, seconds + half
        # uutils and toybox cut off where the others round
        lowest = np.where(is_bytes, value - 1, low)
        highest = np.select([is_bytes, is_gnu], [value + 1, rounded], cut_off)
        agrees = (seconds > 0) & _between(amount, shortest, longest, lowest, highest)
        # which of the two is more precise, by their relative widths
        is_finer = agrees & is_bytes & (seconds < 2 * half * value)
        for bound in (shortest, longest):  # of whole milliseconds, at least one
            stepped = amount / (np.maximum(1, np.floor(bound * 1000)) / 1000)
            agrees |= is_gnu & (seconds > 0) & (low <= stepped) & (stepped <= cut_off)
        # uutils 0.0.17 prints one decimal, progress of GNU none
        coarse = np.select([decimals == 0, decimals == 1], [0.5 * is_progress, 0.05])
        is_rounded = is_gnu & (coarse > 0)
        is_rounded &= _between(amount, seconds - coarse, seconds + coarse, low, cut_off)
        # 0.0 s: the rate comes from whole milliseconds, too coarse if they are few
        known = np.where((value > 0) & (amount / value >= _WHOLE), value, np.nan)
        is_none = np.isnan(value)
        is_rounded |= is_none & (seconds == 0) & (decimals == 1)  # 0.0 s of uutils 0.0.17
        verdict = np.select(
            [agrees, is_rounded, is_none | (seconds == 0)],
            [_AGREES, _ROUNDED, _UNCHECKED],
            _CONTRADICTS,
        )
    kept = np.select([is_finer, verdict == _ROUNDED], [value, known], ours)
    return kept, verdict, _agree(amount, *sizes[:4]) & _agree(amount, *sizes[4:])


def _between(amount: Floats, shortest: Floats, longest: Floats, low: Floats, high: Floats) -> Any:
    """Whether some time in a range gives a rate in a range."""
    fastest = np.where(shortest > 0, amount / shortest, np.inf)
    return (fastest * (1 + _TIGHT) >= low) & (amount / longest * (1 - _TIGHT) <= high)


def _agree(amount: Floats, number: Floats, digit: Floats, unit: Floats, other: Floats) -> Any:
    """Whether a size is that of the bytes, in one of the units that it may be in."""
    good = np.abs(amount / unit - number) <= digit
    return good | (np.abs(amount / other - number) <= digit)


def _each(
    ask: Callable[[str | None], Sequence[float]], texts: Sequence[str | None]
) -> NDArray[Any]:
    """Read each different text once, and return the results as columns."""
    places = {text: place for place, text in enumerate(dict.fromkeys((None, *texts)))}
    place = np.fromiter(map(places.__getitem__, texts), dtype=np.int64, count=len(texts))
    columns: NDArray[Any] = np.array([ask(text) for text in places])[place].T
    return columns


@lru_cache(maxsize=4096)
def _rate(printed: str | None) -> tuple[float, ...]:
    """Read a rate: number, one unit of its last digit, power of its prefix, unit, is it glued."""
    found = _RATE.fullmatch(printed or "")
    if not found:
        return math.nan, math.nan, 0, 0, 0
    number, glue, prefix, byte = found.groups()
    power = _PREFIXES.find(prefix.upper() or " ")
    return units.number(number), _digit(number), power, _BYTES.index(byte), not glue


@lru_cache(maxsize=4096)
def _sizes(text: str | None) -> tuple[float, ...]:
    """Read two sizes: each its number, one unit of its last digit, what its unit may be worth.

    Before them stands whether there is a space in the text; -1 if there is no text.
    """
    told: list[float] = [-1 if text is None else " " in text]
    for number, prefix, unit in _SIZES.findall(text or "")[:2]:
        power = _PREFIXES.find(prefix.upper() or " ")
        worth = [float(kilo**power) for kilo in ((1024, 1024) if "i" in unit else (1000, 1024))]
        told += [units.number(number), _digit(number), *worth]
    return (*told, *(0.0, math.inf, 1.0, 1.0) * ((9 - len(told)) // 4))


def _digit(number: str) -> float:
    """Return the worth of one unit of the last digit."""
    return float(10.0 ** -len(number.replace(",", ".").partition(".")[2]))


class _Record(NamedTuple):
    """Some of dd's output at one place: its runs, numbered from ``first``, and their operands."""

    first: int
    line: int
    session: Session
    runs: list[DdRun]
    operands: list[Operands]
    source: str


def add(tables: Tables, report: Report, session: Session) -> int:
    """Add dd's output as runs, each with one row of I/O; return the last one's number."""
    block: DdOutput = report.data
    named = [operands(one) for one in shell.commands(session.command or "", "dd")]
    runs = block.runs(named[0].records if len(named) == 1 else None)
    above, is_long = tables.runs, False
    while found := [*islice(runs, MANY)]:
        first = tables.runs + 1
        tables.runs += len(found)
        told = _operands(named, session, range(first - 1 - above, tables.runs - above))
        tables.defer(make, _Record(first, report.line, session, found, told, block.source))
        is_long |= len(found) == MANY
        if is_long:  # its runs are never in memory at once
            tables.settle()
    return tables.runs


def _operands(commands: Sequence[Operands], session: Session, places: range) -> list[Operands]:
    """Take the operands that belong to reports, if the command line has several dd."""
    if len(commands) == 1:
        return [commands[0]] * len(places)
    if not commands or shell.is_concurrent(session.command or ""):
        return [_NOTHING] * len(places)  # two dd in a pipeline report in any order
    count = len(commands)
    numbers = [session.above + place for place in places]
    if shell.is_loop(session.command or ""):
        numbers = [number % count for number in numbers]
    return [commands[number] if number < count else _NOTHING for number in numbers]


def make(records: Sequence[_Record], wants: Callable[[str], bool]) -> Iterable[Made]:
    """Make the rows of records."""
    batch = _Batch(records)
    every = {
        "runs": batch.runs,
        "io": batch.io,
        "notes": batch.notes,
        "extras": batch.extras,
        "settings": batch.settings,
        "samples": batch.samples,
    }
    return (rows() for table, rows in every.items() if wants(table))


class _Batch:
    """The runs of some records, one below the other; without amounts, bytes are -1."""

    def __init__(self, records: Sequence[_Record]) -> None:
        self.records = records
        self.every = [run for record in records for run in record.runs]
        # those with something beside their report, and with earlier ones
        self.told = [
            at
            for at, run in enumerate(self.every)
            if run.remarks or run.said or run.end or run.is_stopped or run.last.spoiled
        ]
        self.long = [at for at, run in enumerate(self.every) if run.earlier]
        sizes = [len(record.runs) for record in records]
        self.owner = np.arange(len(records), dtype=np.int32).repeat(sizes)
        self.number = np.concatenate([one.first + np.arange(len(one.runs)) for one in records])
        told = zip(*(told for record in records for told in record.operands), strict=True)
        self.given, self.direction, self.target, self.block, self.direct, size, _ = told
        last = zip(*(run.last for run in self.every), strict=True)
        self.last = dict(zip(DdReport._fields, last, strict=True))
        self.timed = self._timed(size)
        self.bytes, self.elapsed = np.array(self.last["bytes"]), np.array(self.last["elapsed"])
        self.rate, self.verdict, self.is_sized = _checked(self.last)
        self.runtime = np.where(self.verdict == _ROUNDED, np.nan, self.elapsed)
        self.read, self.written = (_each(_counts, self.last[name]) for name in ("into", "out"))
        full, partial = self.written
        # a record was read and not written, as when dd is stopped on its way
        self.is_behind = (self.read[1] == partial) & (full > 0) & (self.read[0] == full + 1)
        # so many bytes can have been written in these records
        whole = np.where(full > 0, self.bytes % np.maximum(full, 1), self.bytes) == 0
        self.is_fit = (full < 0) | np.where(partial > 0, self.bytes >= full + partial, whole)
        # or they are not so many records of the command's size
        self.records_bytes = np.array([one or 0 for one in size])
        # the product may be too large
        count, rest = np.divmod(self.bytes, np.maximum(self.records_bytes, 1))
        self.is_other = (self.records_bytes > 0) & (partial == 0) & ((rest > 0) | (count != full))

    def _timed(self, size: Sequence[int | None]) -> Flags:
        """Give reports of records alone their bytes, and the time that a timing below says.

        The bytes are certain if no record is partial and the command says its size.
        """
        timed = np.zeros(len(self.every), dtype=np.bool_)
        amounts, elapsed = [*self.last["bytes"]], [*self.last["elapsed"]]
        for at, run in enumerate(self.every):
            record = self.records[self.owner[at]]
            given, real, block = self.given[at], record.session.real_s, size[at]
            if run.last.bytes >= 0 or len(record.runs) > 1 or not (run.last.out and real and block):
                continue
            full, partial = counts(run.last.out)
            if partial or given.keys().isdisjoint(("bs", "obs")) or full * block >= _TOO_MUCH:
                continue
            timed[at], amounts[at], elapsed[at] = True, full * block, real
        self.last |= {"bytes": (*amounts,), "elapsed": (*elapsed,)}
        return timed

    def made(
        self, table: str, of: Any, shared: Mapping[str, Any] | None = None, **columns: Any
    ) -> Made:
        """Make rows of a table, each of one of the runs.

        A column may be a single value; ``shared`` are columns with a value for each of the runs.
        """
        at = np.array(of, dtype=np.int64)
        made = {name: column(name, values).gather(at) for name, values in (shared or {}).items()}
        for name, value in columns.items():
            is_one = isinstance(value, (str, int))
            # polars keeps a text in a third of Python's memory
            made[name] = column(name, [value] * len(at) if is_one else value)
        order = np.argsort(at, kind="stable")  # the rows of a run stand together
        if (order[1:] < order[:-1]).any():
            at, made = at[order], {name: values.gather(order) for name, values in made.items()}
        return Made(table, self.owner[at], {"run": self.number[at], **made})

    def runs(self) -> Made:
        """Return the rows of runs."""
        status = np.where(self.is_behind, "interrupted", "ok").tolist()
        for at in self.told:
            status[at] = _status(self.every[at], is_behind=self.is_behind[at])
        sessions = zip(*(record.session for record in self.records), strict=True)
        command, host, *_ = (pl.Series(values).gather(self.owner) for values in sessions)
        return self.made(
            "runs",
            range(len(self.every)),
            tool="dd",
            format="dd",
            command=command,
            host=host,
            duration_s=self.runtime,
            status=status,
        )

    def io(self) -> Made:
        """Return the rows of runs that moved anything."""
        is_read = np.array(self.direction, dtype=object) == "read"
        total = np.where(is_read, self.read.sum(axis=0), self.written.sum(axis=0))
        with np.errstate(divide="ignore", invalid="ignore"):
            # a printed rate that is more precise than the seconds is so for records too
            is_ours = self.rate == self.bytes / self.elapsed
            iops = np.where(is_ours, total / self.elapsed, total * self.rate / self.bytes)
        columns = {
            "target": self.target,
            "direction": self.direction,
            "bs_bytes": self.block,
            "direct": self.direct,
            "io_bytes": self.bytes,
            "total_ios": pl.Series(total).set(pl.Series(total < 0), None),
            "runtime_s": self.runtime,
            "iops": np.where(total < 0, np.nan, iops),
            "bw_bytes_per_s": self.rate,
        }
        return self.made("io", np.flatnonzero(self.bytes > 0), columns, entry=1, scope="job")

    def extras(self) -> Made:
        """Return the printed values that have no column."""
        last, rounded = self.last, (self.verdict == _ROUNDED).tolist()
        texts: dict[str, Sequence[str | None]] = {
            "bytes": [None if amount else "0" for amount in last["bytes"]],
            "records_in": last["into"],
            "records_out": last["out"],
            "truncated_records": last["aside"],
            "rate": last["rate"],
            "seconds": [
                text if is_rounded else None
                for text, is_rounded in zip(last["seconds"], rounded, strict=True)
            ],
            "source": [self.records[at].source or None for at in self.owner.tolist()],
        }
        of: list[int] = []
        paths: list[str] = []
        printed: list[str | None] = []
        for path, told in texts.items():
            there = [at for at, text in enumerate(told) if text is not None]
            of += there
            paths += [path] * len(there)
            printed += [told[at] for at in there]
        for at in self.long:
            for place, report in enumerate(self.every[at].earlier):
                if report.into and report.out:
                    of += [at, at]
                    paths += [f"samples.{place}.records_in", f"samples.{place}.records_out"]
                    printed += [report.into, report.out]
        return self.made("extras", of, path=paths, text=printed, entry=1)

    def settings(self) -> Made:
        """Return the operands."""
        of = np.arange(len(self.given)).repeat([len(given) for given in self.given])
        given = [pair for given in self.given for pair in given.items()]
        return self.made(
            "settings",
            of,
            entry=1,
            option=[name for name, _ in given],
            text=[value for _, value in given],
            origin="given",
        )

    def samples(self) -> Made:
        """Return the progress and the report of each run that reported more than once."""
        found = [
            (at, report)
            for at in self.long
            for report in (*self.every[at].earlier, self.every[at].last)
            if report.bytes >= 0
        ]
        return self.made(
            "samples",
            [at for at, _ in found],
            {"target": self.target, "direction": self.direction},
            entry=1,
            scope="job",
            quantity="io_bytes",
            time_s=[report.elapsed for _, report in found],
            value=[float(report.bytes) for _, report in found],
        )

    def notes(self) -> Made:
        """Return what is odd about runs."""
        is_odd = (self.bytes <= 0) | (self.verdict >= _ROUNDED) | self.is_behind
        is_odd |= ~self.is_sized | ~self.is_fit | self.is_other
        is_odd[self.told] = True
        is_odd |= self.timed
        found = [(at, *note) for at in np.flatnonzero(is_odd).tolist() for note in self.odd(at)]
        return self.made(
            "notes",
            [at for at, *_ in found],
            line=[self.records[self.owner[at]].line + line for at, line, *_ in found],
            severity=[severity for _, _, severity, *_ in found],
            code=[(*code, "meaning")[0] for _, _, _, _, *code in found],
            message=[message for _, _, _, message, *_ in found],
        )

    def odd(self, at: int) -> Iterator[tuple[Any, ...]]:
        """Yield what is odd about a run: line, severity, message, and the code if it is known."""
        run, last = self.every[at], self.every[at].last
        line, end = last.figures_line, run.end
        if not last.bytes:
            yield line, "info", "no bytes were moved"
        elif last.bytes > 0:
            value, verdict = self.rate[at], self.verdict[at]
            if verdict == _CONTRADICTS:
                ours = units.human(value, "B/s")
                told = f"printed rate {last.rate} is not bytes / seconds = {ours}"
                yield line, "warning", f"{told}; the latter is kept", "contradiction"
            elif verdict == _ROUNDED:
                kept = "the printed rate is kept" if value > 0 else "and too few for a rate"
                yield line, "info", f"the seconds are rounded to {last.seconds}: {kept}"
        if last.spoiled:
            told = f"the line below the records is not as dd prints it ({last.spoiled[:80]!r})"
            remedy = "its bytes and seconds are left out; put it back as dd printed it"
            yield line, "warning", f"{told}: {remedy}"
        elif self.timed[at]:
            told = "dd printed records only: the bytes are full records of the command's size"
            yield last.line, "info", f"{told}, and the rate is that of time's real"
        elif last.bytes < 0 and last.into and not end:
            yield last.line, "info", "dd printed records only (no bytes, no seconds): no rate"
        yield from (*run.remarks, *run.said)
        if end:
            yield line, "warning", end
        if self.is_behind[at] and not run.said:
            told = "a record was read and not written: dd was on its way, or interrupted"
            yield last.line, "info", told
        if last.bytes < 0:
            return
        if not self.is_sized[at]:
            told = f"printed size {last.size} is not {last.bytes} bytes"
            yield line, "warning", f"{told}; the latter is kept"
        if not self.is_fit[at]:
            told = f"{last.bytes} bytes cannot be {last.out} records of one size"
            yield line, "warning", told, "contradiction"
        elif self.is_other[at]:
            size = self.records_bytes[at]
            told = f"{last.bytes} bytes are not {last.out} records of {size} bytes"
            yield line, "warning", f"{told} (the command's)"


def _counts(records: str | None) -> tuple[int, int]:
    """Return full and partial records; -1 if they are not known."""
    return counts(records) if records else (-1, -1)


def _status(run: DdRun, *, is_behind: bool) -> str:
    if run.end:
        return "truncated"
    if any(severity == "error" for _, severity, _ in run.said):
        return "error"
    return "interrupted" if run.is_stopped or is_behind else "ok"
