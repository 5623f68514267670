"""The rows of many sessions in which bash timed a dd, as `transcript` gives them of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from fiotools.arrays import Vector, vector
from fiotools.joining import Piece
from fiotools.readers.dd import operands as dd_operands
from fiotools.readers.dd.reports import CONTRADICTS, ROUNDED
from fiotools.readers.transcript.sessions import Printed, Sessions, spread
from fiotools.rows import Files
from fiotools.tables import Block

if TYPE_CHECKING:
    from fiotools.readers.dd.columns import Flags, Integers
    from fiotools.readers.dd.operands import Operands
    from fiotools.readers.dd.reports import Reports

_Records: TypeAlias = "tuple[Vector, Vector]"  # in and out, as printed
_MOST = 9e18  # a product of whole numbers beyond it is none of bytes


@dataclass(slots=True)
class Typed:
    """What was typed in each session.

    Attributes
    ----------
    commands : list of str
    hosts, targets : list of str or None
    values : list of list of str
        Of the operands.
    told : list of int
        What these tell: the place in what follows.
    operands : list of Operands
    names : list of tuple of str
        How the operands are called.
    places : list of int or None
        Where the target is among the values.
    """

    commands: list[str] = field(default_factory=list)
    hosts: list[str | None] = field(default_factory=list)
    targets: list[str | None] = field(default_factory=list)
    values: list[list[str]] = field(default_factory=list)
    told: list[int] = field(default_factory=list)
    operands: list[Operands] = field(default_factory=list)
    names: list[tuple[str, ...]] = field(default_factory=list)
    places: list[int | None] = field(default_factory=list)


class _Runs(NamedTuple):
    """Runs of dd, one in each of some sessions: their numbers, figures, and the lines of these."""

    of: Integers
    run: Integers
    printed: Printed
    line: Integers


def pieces(
    files: Files, sessions: Sessions, typed: Typed, wants: Callable[[str], bool]
) -> dict[str, list[Piece]]:
    """Give the rows of sessions; those of one file are in order within each table."""
    rows = _Rows(files, sessions, typed, wants)
    broken = np.flatnonzero(sessions.broken)
    last = np.cumsum(sessions.count) - 1
    shown = sessions.shown.take(last[broken])
    every = np.arange(len(sessions))
    below = np.where(sessions.count > 0, 3, 2)  # figures are the third line, under progress
    killed = _Runs(broken, np.ones(len(broken), np.int64), shown, sessions.line[broken])
    whole = _Runs(every, 1 + sessions.broken, sessions.final, sessions.line + below)
    for runs in (killed, whole):
        if len(runs.of):
            rows.add(runs, is_whole=runs is whole)
    rows.add_samples()
    rows.add_times(broken)
    return rows.pieces


class _Rows:
    """Collects rows."""

    def __init__(
        self, files: Files, sessions: Sessions, typed: Typed, wants: Callable[[str], bool]
    ) -> None:
        self.pieces: dict[str, list[Piece]] = {}
        self._files, self._sessions, self._wants = files, sessions, wants
        self._commands = _words(typed.commands)
        self._timed = _words([command.removeprefix("time ") for command in typed.commands])
        self._hosts = vector(typed.hosts, "str")
        told, operands = np.array(typed.told, dtype=np.intp), typed.operands
        self._target = vector(typed.targets, "str")
        self._direction = vector([one.direction for one in operands], "str").take(told)
        self._bs_bytes = vector([one.bs_bytes for one in operands], "Int64").take(told)
        self._direct = vector([one.direct for one in operands], "boolean").take(told)
        self._is_read = np.array([one.direction == "read" for one in operands])[told]
        self._size = np.array([one.records_bytes or 0 for one in operands])[told]
        sizes = np.array([*map(len, typed.names)])
        self._counts = sizes[told]
        place = spread((np.cumsum(sizes) - sizes)[told], self._counts).astype(np.int32)
        self._names = Vector(place, words=[*chain.from_iterable(typed.names)])
        self._values = _words([*chain.from_iterable(typed.values)])

    def add(self, runs: _Runs, *, is_whole: bool) -> None:
        """Add runs of dd, without samples."""
        of, (figures, *_) = runs.of, runs.printed
        is_rounded = figures["verdict"] == ROUNDED
        seconds = np.where(is_rounded, np.nan, figures["seconds"])
        told = {"command": self._commands.take(of), "host": self._hosts.take(of)}
        columns: dict[str, Any] = {"run": runs.run, "duration_s": seconds, **told}
        self._put("runs", of, columns, tool="dd", format="dd", status="ok")
        io = {
            "run": runs.run,
            **self._keys(of),
            "bs_bytes": self._bs_bytes.take(of),
            "direct": self._direct.take(of),
            "io_bytes": figures["bytes"],
            "runtime_s": seconds,
            "bw_bytes_per_s": figures["bw"],
        }
        if is_whole:
            io |= self._records(figures)
        self._put("io", of, io, entry=1, scope="job")
        counts = self._counts[of]
        place = spread((np.cumsum(self._counts) - self._counts)[of], counts)
        options = {"option": self._names.take(place), "text": self._values.take(place)}
        run = runs.run.repeat(counts)
        self._put("settings", of.repeat(counts), {"run": run, **options}, entry=1, origin="given")
        records = figures.printed_records() if is_whole else None
        self._add_extras(runs, is_rounded, records)
        self._add_notes(runs, records)

    def _keys(self, of: Integers) -> dict[str, Vector]:
        return {"target": self._target.take(of), "direction": self._direction.take(of)}

    def _records(self, figures: Reports) -> dict[str, Any]:
        """Give the I/Os of every session, as many as records in the direction measured."""
        read, written = (
            figures[f"full_{way}"] + figures[f"partial_{way}"] for way in ("in", "out")
        )
        total = np.where(self._is_read, read, written)
        amount, seconds, rate = figures["bytes"], figures["seconds"], figures["bw"]
        is_ours = rate == amount / seconds
        iops = np.where(is_ours, total / seconds, total * rate / amount)
        return {"total_ios": total, "iops": iops}

    def _add_extras(self, runs: _Runs, is_rounded: Flags, records: _Records | None) -> None:
        of, (figures, _, end) = runs.of, runs.printed
        texts = {"rate": figures.printed_rates()}
        if records:
            texts = {"records_in": records[0], "records_out": records[1], **texts}
        for path, text in texts.items():
            self._put("extras", of, {"run": runs.run, "text": text}, entry=1, path=path)
        some = np.flatnonzero(is_rounded)
        seconds = self._sessions.cuts.between(end[some] - 4, end[some] - 3)
        columns = {"run": runs.run[some], "text": seconds}
        self._put("extras", of[some], columns, entry=1, path="seconds")

    def _add_notes(self, runs: _Runs, records: _Records | None) -> None:
        (figures, above, end), between = runs.printed, self._sessions.cuts.between
        bw, printed = figures["bw"], figures.printed_rates()
        some = np.flatnonzero(figures["verdict"] == CONTRADICTS)
        rates = zip(printed.take(some).listed(), bw[some].tolist(), strict=True)
        self._note(runs, some, [dd_operands.odd_rate(*rate) for rate in rates])
        some = np.flatnonzero(figures["verdict"] == ROUNDED)
        seconds = between(end[some] - 4, end[some] - 3)
        known = zip(seconds, (bw[some] > 0).tolist(), strict=True)
        self._note(runs, some, [dd_operands.coarse_seconds(*one) for one in known], "info")
        some = np.flatnonzero(~figures["sized"])
        sizes = zip(between(above[some] + 3, end[some] - 6), _listed(figures, some), strict=True)
        self._note(runs, some, [dd_operands.odd_size(*size) for size in sizes])
        if not records:
            return
        fits, size, (_, out) = figures["fits"], self._size, records
        some = np.flatnonzero(~fits)
        numbers = zip(_listed(figures, some), out.take(some).listed(), strict=True)
        self._note(runs, some, [dd_operands.odd_records(*one) for one in numbers])
        full = figures["full_out"]
        is_other = (full * size != figures["bytes"]) | (full * size.astype(float) > _MOST)
        some = np.flatnonzero(fits & (size > 0) & (figures["partial_out"] == 0) & is_other)
        sized = zip(
            _listed(figures, some), out.take(some).listed(), size[some].tolist(), strict=True
        )
        self._note(runs, some, [dd_operands.odd_records(*one) for one in sized])

    def _note(
        self, runs: _Runs, some: Integers, messages: list[str], severity: str = "warning"
    ) -> None:
        columns = {"run": runs.run[some], "line": runs.line[some], "message": messages}
        self._put("notes", runs.of[some], columns, severity=severity)

    def add_samples(self) -> None:
        """Add progress that is not the only thing that its dd said, and a report behind it."""
        broken, count = self._sessions.broken, self._sessions.count
        owner = np.arange(len(count)).repeat(count)
        several = np.flatnonzero(((count > 1) | ~broken)[owner])
        every = np.flatnonzero((count > 0) & ~broken)
        shown, final = self._sessions.shown.reports, self._sessions.final.reports
        for of, figures in (
            (owner[several], shown.take(several)),
            (every, final.take(every)),
        ):
            columns = {"time_s": figures["seconds"], "value": figures["bytes"], **self._keys(of)}
            same = {"run": 1, "entry": 1, "scope": "job", "quantity": "io_bytes"}
            self._put("samples", of, columns, **same)

    def add_times(self, broken: Integers) -> None:
        """Add what was timed: dd's run, or one of its own where it was not the only run."""
        real, user, sys = self._sessions.times
        told = {"command": self._commands.take(broken), "host": self._hosts.take(broken)}
        columns = {"duration_s": real[broken], **told}
        self._put("runs", broken, columns, run=3, tool="time", format="time", status="ok")
        run = np.where(self._sessions.broken, 3, 1)
        columns = {"run": run, "command": self._timed, "real_s": real, "user_s": user, "sys_s": sys}
        self._put("timings", np.arange(len(run)), columns)

    def _put(self, table: str, of: Integers, columns: dict[str, Any], **same: Any) -> None:
        if len(of) and self._wants(table):
            piece = Piece(self._files[of], Block(len(of), columns, same))
            self.pieces.setdefault(table, []).append(piece)


def _words(texts: list[str]) -> Vector:
    return Vector(np.arange(len(texts), dtype=np.int32), words=texts)


def _listed(figures: Reports, some: Integers) -> list[int]:
    found: list[int] = figures["bytes"][some].tolist()
    return found
