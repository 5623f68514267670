"""The replicate is the run: which rows count as runs.

Threads, jobs, directions and percentiles of one run are not repeats of it. Everything that averages
or compares enters through `runs_of`: it takes the columns that a question needs, once, and decides
which rows are runs, or refuses. Refusals are worded from the rows that they are about.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isinf
from typing import Any, Generic

import narwhals as nw
import numpy as np
from narwhals.typing import IntoDataFrameT

from fiotools.errors import SchemaError, argument, typed
from fiotools.flags import flags_of, sentence
from fiotools.stats import frames
from fiotools.stats.columns import Codes, Columns, Rows, dense, together
from fiotools.stats.frames import Array, Frame, Key
from fiotools.stats.order import Order, order_of, places_of
from fiotools.stats.targets import Targets, targets_of
from fiotools.vocabulary import COLUMNS, CONDITIONS

# columns that can tell the rows of one run apart, beside its conditions
_PARTS = (
    *("host", "port", "group", "job", "thread", "target", "entry", "direction"),
    *("latency", "percentile", "quantity", "time_s", "command", "cpu", "device"),
)
KINDS = ("latency", "percentile", "quantity")  # of a row's one number
_BY_GROUP = {"job", "group"}  # scopes that overlap only within one fio group
_ALONE = ("source", "run", "group", "direction", *KINDS, "time_s")
ScopedRun = tuple[Key, Any, str]  # run, fio group, scope
_PLACES = ("host", "port", "job", "target", "device")
_WATCHED = (*CONDITIONS, "host", "command")
_ASKED = ("scope", "direction", "source", "run", "target")  # of most tables


@dataclass
class Runs(Generic[IntoDataFrameT]):
    """Rows of one scope and one direction (unless it is named), as statistics of runs want them.

    `numbers` is the metric; the columns of `watch` should not differ among rows treated alike, but
    may; `targets` tells on which devices, drives or folders each row was. `between` is the column
    that tells the sides apart, `pair` the one that pairs their runs.
    """

    columns: Columns[IntoDataFrameT]
    numbers: Array
    watch: list[str]
    targets: Targets
    between: str | None = None
    pair: str | None = None

    @property
    def data(self) -> nw.DataFrame[IntoDataFrameT]:
        """The rows that count, with all columns."""
        return self.columns.data

    @cached_property
    def logs(self) -> Array:
        """The logarithms of the numbers."""
        return np.log(self.numbers)

    @cached_property
    def order(self) -> Order | None:
        """The order of the runs."""
        return order_of(self.columns, self.pair)

    @cached_property
    def has_rounds(self) -> bool:
        """Whether pairs are rounds, and not conditions, or places with a run each."""
        columns, pair = self.columns, self.pair
        if pair is None or pair in _PLACES:
            return False
        if any(columns.one_to_one(pair, name) for name in columns.present(CONDITIONS)):
            return False
        known = np.flatnonzero(columns.known(pair))
        return pair in ("source", "run") or places_of(columns, pair).of(known) is not None

    def differing(self, rows: Rows) -> list[str]:
        """Name the watched columns that differ among some rows."""
        return self.columns.differing(self.watch, rows)


def runs_of(
    data: nw.DataFrame[IntoDataFrameT],
    metric: str,
    named: Collection[str],
    scope: str | None = None,
    *,
    by: Collection[str] | None = None,
    between: str | None = None,
    pair: str | None = None,
    positive: bool = False,
) -> Runs[IntoDataFrameT]:
    """Take the rows of a frame that count, or say which filter to type.

    Each combination of `by` (without it, of the columns named) is a question of its own; `between`
    and `pair` are among these.
    """
    frames.need(data, [metric, *named])
    whole = Columns(data)
    whole.take([metric, *named, *_ASKED, *_WATCHED, *labels(whole)])
    rows = _rows_of_scope(whole, scope, named)
    columns = whole if rows is None else whole.of(rows)
    if "direction" not in named:
        refuse_directions(columns, named if by is None else by)
    numbers = checked(columns, metric, positive=positive)
    watch = watched(columns, named, between)
    watch += columns.present(name for name in KINDS if name not in named)
    targets = targets_of(whole, columns, whole.every if rows is None else rows)
    return Runs(columns, numbers, watch, targets, between, pair)


def _rows_of_scope(columns: Columns[Any], scope: str | None, named: Collection[str]) -> Rows | None:
    """Find the rows of one scope, or None if all are: see `choose_scope`."""
    if "scope" not in columns:
        if scope is not None:
            raise SchemaError(
                f"{argument('scope', scope)} was asked for, but the frame has no column 'scope'"
            )
        return None
    there = columns.distinct("scope")
    if scope is not None and scope not in there:
        raise SchemaError(f"no row of scope {scope!r}; there are: {_listed(there)}")
    if scope is None and ("scope" in named or len(there) < 2):
        return None
    chosen = scope or "total"
    if chosen not in there:
        alone = len(columns.groups(columns.present(_ALONE))) == len(columns)
        if {*there} == _BY_GROUP and alone:
            return None
        raise _several_scopes(columns.data, there)
    kept = columns.rows_with("scope", chosen)
    if scope is None and "run" in columns:
        _refuse_lost(columns, kept)
    return kept


def _several_scopes(frame: Frame, there: Sequence[str]) -> SchemaError:
    remedy = f"make totals of them with {_totals()}"
    if (found := _lossless(_places(frame))) is not None:
        sign, one = found
        named_so = f"name one, {argument('scope', one)}, or " if sign == "==" else ""
        remedy = f"{named_so}type {frames.to_type(frame, 'scope', one, sign)}"
    return SchemaError(f"rows of several scopes ({_listed(there)}) are not repeats: {remedy}")


def _refuse_lost(columns: Columns[Any], kept: Rows) -> None:
    """Refuse to take totals if that would silently leave runs out."""
    runs = np.unique(columns.run)
    lost = np.setdiff1d(runs, columns.run[kept])
    if len(lost):
        rows = np.flatnonzero(np.isin(columns.run, lost))
        held = frames.distinct(columns.values("scope", rows))
        raise SchemaError(
            f"{len(lost)} of {len(runs)} runs have no row of scope 'total' (they have "
            f"{_listed(held)}): make totals of them with {_totals()}, or name {argument('scope')}"
        )


def choose_scope(
    columns: Columns[IntoDataFrameT], scope: str | None, named: Collection[str]
) -> Columns[IntoDataFrameT]:
    """Keep one scope: the one asked for, else `total`, else the only one there is.

    With group_reporting fio sums up several jobs, and leaves one job as it is: rows of both scopes
    are of one kind if each is all that its fio group did.
    """
    rows = _rows_of_scope(columns, scope, named)
    return columns if rows is None else columns.of(rows)


def in_one_scope(
    frame: IntoDataFrameT, scope: str | None, named: Collection[str]
) -> IntoDataFrameT:
    """Keep one scope of any frame, as the statistics do, and lose no run."""
    return choose_scope(Columns(frames.opened(frame)), scope, named).data.to_native()


def refuse_scopes(frame: Frame) -> None:
    """Refuse to add a total to its own parts."""
    at = _places(frame) if "scope" in frame.columns else []
    if (run := _twice(at)) is None:
        return
    scopes = frames.distinct(scope for whose, _, scope in at if whose == run)
    remedy = "in each group, keep either its jobs or their sum"
    if (found := _lossless(at)) is not None:
        sign, scope = found
        word = "keep one" if sign == "==" else "leave one out"
        remedy = f"{word}, {frames.to_type(frame, 'scope', scope, sign)}"
    raise SchemaError(
        f"{run_name(run)} mixes rows of scope {_listed(scopes)}, "
        f"which would count I/O twice: {remedy}"
    )


def refuse_twice(frame: Frame) -> None:
    """Refuse entries of a report that are there twice."""
    lists = frames.columns(frame, ("entry", "direction"))
    if "entry" not in lists:
        return
    seen = set()
    for key, *entry in zip(run_keys(frame), *lists.values(), strict=True):
        if len(key) == 2 and entry[0] is not None:
            if (key, *entry) in seen:
                raise SchemaError(
                    f"{run_name(key)} has entries that are there twice: was a file read twice?"
                )
            seen.add((key, *entry))


def refuse_unknown_runs(frame: Frame) -> None:
    """Refuse rows of unknown runs if rows of one run are put together."""
    if "run" in frame.columns:
        unknown = frames.values(frame, "run").count(None)
        if unknown:
            raise SchemaError(
                f"run is missing in {unknown} of {len(frame)} rows: which run are they of?"
            )


def _places(frame: Frame) -> list[ScopedRun]:
    """Say for each row of a known scope which run and fio group it is about."""
    keys = frames.keys_of(frame, frames.present(frame, ("source", "run")))
    group = frames.optional(frame, "group")
    return [
        (keys[row], group[row], scope)
        for row, scope in enumerate(frames.values(frame, "scope"))
        if scope is not None
    ]


def _twice(at: Iterable[ScopedRun]) -> Key | None:
    """Give the first run whose rows would count I/O twice.

    fio may report one group whole and another job by job: these overlap only within a group.
    """
    runs: dict[Key, set[str]] = {}
    parts: dict[tuple[Key, Any], set[str]] = {}
    for run, group, scope in at:
        runs.setdefault(run, set()).add(scope)
        parts.setdefault((run, group), set()).add(scope)
    for (run, _), scopes in parts.items():
        if len(scopes if runs[run] <= _BY_GROUP else runs[run]) > 1:
            return run
    return None


def _lossless(at: Sequence[ScopedRun]) -> tuple[str, str] | None:
    """Find the filter on scope that counts nothing twice and leaves no group and no run out."""
    there = frames.distinct(scope for _, _, scope in at)
    there.sort(key=lambda scope: scope != "group")  # the sum of jobs is one number
    for sign, scope in (
        *(("==", scope) for scope in there if scope != "total"),
        *(("!=", scope) for scope in there),
        ("==", "total"),
    ):
        kept = [place for place in at if (place[2] == scope) is (sign == "==")]
        if _twice(kept) is None and _covers(kept, at):
            return sign, scope
    return None


def _covers(kept: Iterable[ScopedRun], at: Iterable[ScopedRun]) -> bool:
    parts = {(run, group) for run, group, _ in kept}
    runs = {run for run, _ in parts}
    whole = {run for run, _, scope in kept if scope not in _BY_GROUP}
    return all(
        run in whole or ((run, group) in parts if scope in _BY_GROUP else run in runs)
        for run, group, scope in at
    )


def _totals() -> str:
    return typed("combine(io, to='run')", "--combine run")


def refuse_directions(columns: Columns[Any], by: Collection[str]) -> None:
    """Refuse several directions in one number: those of one run are one observation.

    A workload that only reads is not mixed with one that only writes if `by` tells them apart.
    """
    if not columns.varying(["direction"]):
        return
    for rows in columns.groups(by):
        if columns.differing(["direction"], rows):
            there = frames.distinct(columns.values("direction", rows))
            keep = "total" if "total" in there else there[0]
            raise SchemaError(
                f"several directions ({_listed(there)}): "
                + typed("add 'direction' to by=", "--by direction")
                + f", or keep one: {frames.to_type(columns.data, 'direction', keep)}"
            )


def run_keys(frame: Frame) -> list[Key]:
    """Say for each row which run it belongs to; without a column `run`, each row is one."""
    if "run" not in frame.columns:
        return [(row,) for row in range(len(frame))]
    pairs = zip(frames.optional(frame, "source"), frames.values(frame, "run"), strict=True)
    return [
        (row,) if number is None else (source, number) for row, (source, number) in enumerate(pairs)
    ]


def run_key(columns: Columns[Any], row: int) -> Key:
    """Say which run a row belongs to."""
    if "run" not in columns:
        return (row,)
    (number,) = columns.values("run", [row])
    (source,) = columns.values("source", [row]) if "source" in columns else (None,)
    return (row,) if number is None else (source, number)


def run_name(key: Key) -> str:
    """Name a run for a message."""
    if len(key) == 1:
        return f"row {key[0]}"
    source, run = key
    return f"run {run}" if source is None else f"run {run} of {source}"


def refuse_percentiles(frame: Frame) -> None:
    """Refuse a frame of percentiles if rows are added up."""
    if {"percentile", "value_ns"} & {*frame.columns}:
        raise SchemaError(_percentiles())


def _percentiles() -> str:
    return "percentiles neither add nor average" + typed(
        ": merge the histograms they are from, percentiles(bins, by=...),"
        " or bound them, of_tables(percentiles, io)",
        "",
    )


def refuse_several(frame: Frame, rows: Sequence[int], key: Key) -> SchemaError:
    """Build the error for several rows of one run that nothing reduces to one number."""
    head = f"{run_name(key)} has {len(rows)} rows, but one number is needed"
    apart = frames.differing(frames.columns(frame, [*CONDITIONS, *_PARTS, *labels(frame)]), rows)
    if not apart:
        return SchemaError(f"{head}, and nothing tells them apart: is it there twice?")
    remedy = typed("name it in by=", "--by one of them")
    remedy += f" ({', '.join(apart)}), or keep one of them"
    parts = {"host", "port", "group", "job", "thread", "target", "entry", "time_s"}
    if parts & set(apart) and "percentile" in frame.columns:
        remedy = f"{_percentiles()}; or {remedy}"
    elif parts & set(apart):
        # rates of groups do not add: they may have run one after the other
        add = "" if "group" in apart else f"{_totals()} first, or "
        remedy = f"threads and jobs are not repeats: {add}{remedy}"
    return SchemaError(f"{head}; {remedy}")


def one_row_each(columns: Columns[Any], rows: Rows, phase: str | None = None) -> None:
    """Refuse several rows of one run (or of one phase of it) if each is to be a run."""
    if columns.is_row_each:
        return
    runs = columns.run[rows]
    if phase is not None and phase in columns:
        runs = together([runs, columns.codes(phase)[rows]], len(rows))
    if len(np.unique(runs)) < len(rows):
        raise several_rows(columns, rows, runs, runs)


def several_rows(columns: Columns[Any], rows: Rows, runs: Codes, places: Codes) -> SchemaError:
    """Build the error for the first of some runs that has several rows of one place."""
    twice = np.bincount(dense(places))[dense(places)] > 1
    first = np.flatnonzero(np.isin(runs, runs[twice]))[0]
    own = rows[runs == runs[first]]
    few = columns.data[own.tolist(), :]
    return refuse_several(few, range(len(own)), run_key(columns, int(own[0])))


def checked(columns: Columns[Any], metric: str, *, positive: bool) -> Array:
    """Give the metric's values, all of them there, finite and (for ratios) above zero."""
    found = columns.numbers(metric)
    gone = np.isnan(found)
    odd = ~gone & ~(np.abs(found) <= frames.LARGEST)
    if positive:
        odd |= found <= 0
    if odd.any():
        row = int(odd.argmax())
        raise SchemaError(_odd_number(metric, float(found[row]), row))
    if gone.any():
        raise _missing(columns.data, metric, int(gone.sum()))
    return found


def _odd_number(metric: str, value: float, row: int) -> str:
    if isinf(value):
        return f"{metric} is infinite in row {row}"
    if abs(value) > frames.LARGEST:
        return f"{metric} is {value:g} in row {row}: too large for a measurement"
    return f"{metric} is {value:g} in row {row}: a ratio needs values above zero"


def _missing(frame: Frame, metric: str, gaps: int) -> SchemaError:
    remedy = f": {frames.leave_out(frame, metric)}"
    if gaps == len(frame):  # `combine` says why
        told = (frames.optional(frame, name) for name in ("flags", "details"))
        flags = [one for row in dict.fromkeys(zip(*told, strict=True)) for one in flags_of(*row)]
        why = "; ".join(dict.fromkeys(map(sentence, flags)))
        remedy = f", all of them ({why})" if why else ", all of them"
    return SchemaError(f"{metric} is missing in {gaps} of {len(frame)} rows{remedy}")


def labels(frame: Frame | Columns[Any]) -> list[str]:
    """Name the text columns that are the user's labels, not of the vocabulary."""
    return [
        name
        for name, dtype in frame.schema.items()
        if name not in COLUMNS
        and name not in ("flags", "details")
        and isinstance(dtype, (nw.String, nw.Categorical, nw.Enum, nw.Boolean))
    ]


def watched(columns: Columns[Any], named: Collection[str], between: str | None = None) -> list[str]:
    """Name the columns that should not differ among rows treated alike, but may.

    These are conditions, the host, commands, and labels that group runs, not those that number them
    (digits) or name each row. A column that is one-to-one with one that was named is the same thing
    under another name, as a label "4k" is beside a bs_bytes of 4096. A condition that is one-to-one
    with `between` is watched: it may make the difference. A command is not: it names the side.
    """
    wanted = [*CONDITIONS, *named, *labels(columns), "host", "command"]
    varying = columns.varying(wanted)
    told = [name for name in varying if name in CONDITIONS or (name in named and name in COLUMNS)]
    apart = [name for name in varying if name in named and name != between]
    found = [
        name
        for name in told
        if name not in named and not any(columns.one_to_one(name, other) for other in apart)
    ]
    for name in varying:
        if name in named or (name in COLUMNS and name not in ("host", "command")):
            continue
        same = [*told, between] if name == "command" and between in columns else told
        if _groups_runs(columns, name) and not any(
            columns.one_to_one(name, other) for other in same if other is not None
        ):
            found.append(name)
    return found


def _groups_runs(columns: Columns[Any], name: str) -> bool:
    """Say whether a label groups runs: it neither numbers them nor names each row."""
    if columns.kinds(name) == len(columns):
        return False
    return not all(str(value).isdigit() for value in columns.distinct(name))


def _listed(found: Iterable[Any]) -> str:
    return ", ".join(str(value) for value in found)
