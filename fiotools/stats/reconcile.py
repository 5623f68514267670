"""A log against the summary of its run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
from narwhals.typing import IntoDataFrameT

from fiotools.errors import SchemaError, argument, typed
from fiotools.flags import Flag, flag
from fiotools.stats import frames
from fiotools.stats.columns import Columns
from fiotools.stats.frames import AMOUNTS, AnswerRow, Frame, Key, is_number, metric_of
from fiotools.stats.question import FOUND, question
from fiotools.stats.replicates import choose_scope, labels
from fiotools.stats.series import RATES, Series, as_rates, series_of
from fiotools.stats.windows import TICK

DISAGREES, UNDECIDED = "disagrees", "undecided"
_TOLD = (*AMOUNTS, *AMOUNTS.values(), "runtime_s")
_FASTER = 2.0  # than the fastest sample: how fast the rest of a run may have been
# fio's averaged logs hold whole I/Os and KiB a second
_CUT = {"iops": 1.0, "bw_bytes_per_s": 1024.0}
_LITTLE = 0.5  # of the run: a log that covers less says little about it


@question("samples")
def reconcile(
    samples: IntoDataFrameT,
    io: IntoDataFrameT = FOUND,
    quantity: str | None = None,
    *,
    by: str | Sequence[str] | None = None,
    tolerance: float = 0.01,
) -> IntoDataFrameT:
    """Compare the mean rate of each log with the one in the summary of its run.

    Parameters
    ----------
    samples : Results, pandas.DataFrame, polars.DataFrame or polars.LazyFrame
        A table such as `Results.samples`, of which rates count: IOPS, bandwidth, and amounts that
        become rates (see `steady`). Or a log of any length, from `scan`, or windows of one:
        then its I/Os and bytes count in windows of a second, whichever quantity was logged.
    io : pandas.DataFrame or polars.DataFrame, optional
        A table such as `Results.io`; by default that of the same `Results`.
    quantity : str, optional
        The rate to compare; all of them without it.
    by : str or sequence of str, optional
        Columns that say which log belongs to which run. Both frames have them: by default
        ``source``, ``run`` and ``entry`` if both come from the same files, else the labels that
        both have. Directions never match others. If several rows of `io` are left, ``entry`` tells
        them apart; if one is left for several entries, their rates are added. Logs of their own
        files are numbered by job, so that the logs of a group (group_reporting) are as many as it
        has jobs, and are added too.
    tolerance : float
        Rates that differ by up to this share agree. For an averaged log of fio it is at least the
        part that fio cuts off: a millisecond of its shortest window, and 1 I/O or 1 KiB per second
        of its mean rate.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per match and quantity: the columns that matched, ``direction`` and ``quantity``;

        * ``metric`` and its ``unit``; ``n`` samples;
        * ``span_s`` [s], the time that the log covers, and ``coverage_pct``, that of ``runtime_s``;
        * ``log_rate``, the mean over that span, weighted by time; ``summary_rate``; ``ratio``, log
          over summary;
        * ``tolerance_pct``; ``verdict``: "ok"; "undecided" if the rest of the run, which the log
          does not cover, may be why they differ; or "disagrees"; "no summary" or "no rate" if there
          is nothing to compare with, "nothing was done";
        * ``flags`` and ``details``: how far they differ, and how fast the rest would have been.

    Raises
    ------
    SchemaError
        If a column or value is missing, no sample is of a rate, or nothing tells several rows of
        `io` or several logs of one entry apart.

    Notes
    -----
    A log of single I/Os covers the whole run: there are no other I/Os before its first entry, after
    its last and between them, and it agrees if it has as many I/Os as the summary.

    For averaged logs it compares rates, not amounts: fio does not write its last window, so that
    the log of 10 s with windows of 1 s lacks a tenth of the I/Os. That window holds nothing, or up
    to twice the largest of the log's rates. fio does not write windows without I/O either: time
    before the first entry counts as such, and gaps of two windows and more; if a gap may also be a
    sample that came late, the log is judged by both.

    Examples
    --------
    >>> import pandas as pd
    >>> log = pd.DataFrame({
    ...     "direction": "read", "quantity": "iops", "time_s": [1.0, 2.0, 3.0],
    ...     "value": [1000.0, 1004.0, 999.0],
    ... })
    >>> io = pd.DataFrame({"direction": ["read"], "iops": [1002.0], "runtime_s": [4.0]})
    >>> found = reconcile(log, io)
    >>> found[["n", "coverage_pct", "log_rate", "ratio", "verdict"]].round(3)
       n  coverage_pct  log_rate  ratio verdict
    0  3          75.0    1001.0  0.999      ok
    """
    if not (is_number(tolerance) and 0 < tolerance < 1):
        raise SchemaError(f"tolerance is {tolerance!r}: it is a share, above 0 and below 1 (0.01)")
    if io is FOUND:
        with_io = typed("io=read('run.json').io", "the files of the summary beside the logs")
        raise SchemaError(f"these logs have no summary beside them: give that too, {with_io}")
    data: nw.DataFrame[IntoDataFrameT] = frames.opened(as_rates(samples))
    whole, named = frames.opened(io), frames.names(by)
    data = _of_groups(data, whole)
    several, keys, summary = _matched(data, whole, quantity, named)
    places, rows = frames.keys_of(data, keys), frames.groups(summary, keys)
    cells: dict[Key, list[Series]] = {}
    for series in several:
        cells.setdefault((*places[series.rows[0]], series.quantity), []).append(series)
    numbers = {name: frames.amounts(summary, name) for name in _TOLD}
    numbers["numjobs"] = frames.optional(summary, "numjobs")
    numbers["is_group"] = [scope == "group" for scope in frames.optional(summary, "scope")]
    threads = frames.optional(data, "thread")
    found = []
    for place, parts in cells.items():
        told: dict[str, float | None] = {}
        if place[:-1] in rows:
            [row] = rows[place[:-1]]
            told = {name: column[row] for name, column in numbers.items()}
        line = _log(data, parts, told.get("runtime_s"), tolerance)
        jobs = told.pop("numjobs", None) if told.pop("is_group", None) else None
        if jobs and threads[parts[0].rows[0]] is not None and len(parts) < jobs:
            line["notes"].append(flag("of-group", n=len(parts), of=int(jobs)))
        elif told:
            _judge(line, parts, told)
        elif line["log_rate"] == 0:
            line["verdict"] = "nothing was done"  # io has rows only for I/Os
        found.append(line)
    said = frames.present(data, (*keys, "quantity"))
    return frames.answer(data, "reconcile", said, found)


def _of_groups(data: Frame, io: Frame) -> Frame:
    """Give the logs of a group's jobs the entry of the group; its jobs become threads of it."""
    if not {"entry", "source"} <= {*data.columns} & {*io.columns} or "numjobs" not in io.columns:
        return data
    jobs: dict[Key, dict[int, int]] = {}  # of each entry of a report
    columns = frames.columns(io, ("source", "run", "entry", "scope", "numjobs"))
    for source, run, entry, scope, number in zip(*columns.values(), strict=True):
        jobs.setdefault((source, run), {})[entry] = number if scope == "group" else 1
    said = frames.values(data, "source")
    groups = [own for own in jobs.values() if None not in {*own, *own.values()}]
    # the numbers of jobs are certain if all reports have the same groups
    if {*said} & {source for source, _ in jobs} or len(groups) < len(jobs) or not groups:
        return data
    if any(own != groups[0] for own in groups) or {*groups[0].values()} == {1}:
        return data
    entries = [entry for entry, count in sorted(groups[0].items()) for _ in range(count)]
    numbers = frames.values(data, "entry")
    if any(number is None or not 1 <= number <= len(entries) for number in numbers):
        return data
    threads = frames.optional(data, "thread")
    kind = nw.get_native_namespace(data)
    return data.with_columns(
        nw.new_series("entry", [entries[number - 1] for number in numbers], nw.Int64, backend=kind),
        nw.new_series(
            "thread",
            [
                number if thread is None else thread
                for number, thread in zip(numbers, threads, strict=True)
            ],
            nw.Int64,
            backend=kind,
        ),
    )


def _matched(
    data: Frame, io: Frame, quantity: str | None, by: Sequence[str]
) -> tuple[list[Series], list[str], Frame]:
    """Give the series, the columns that match, and the rows of io, one for each combination."""
    frames.need(data, by)
    frames.need(io, by)
    series = _rates(data, quantity, by)
    sources = [
        set(frames.values(frame, "source")) for frame in (data, io) if "source" in frame.columns
    ]
    if by:
        keys = list(by)
    elif len(sources) == 2 and sources[0] <= sources[1]:
        keys = ["source", "run", "entry"]
    else:
        keys = [name for name in labels(data) if name in labels(io)]
    both = frames.present(io, data.columns)
    keys = [name for name in dict.fromkeys([*keys, "direction"]) if name in both]
    if "entry" in keys or "scope" in keys:
        summary = io
    else:
        summary = choose_scope(Columns(io), None, keys).data
        if _twice(summary, keys) and "entry" in both:
            keys.append("entry")
    place = _twice(summary, keys)
    if place is not None:
        what = ", ".join(str(part) for part in place) or "the log"
        raise SchemaError(
            f"several rows of io for {what}: name the column that differs in {argument('by')}, "
            "such as a label of read(), or keep one of them"
        )
    return series, keys, summary


def _twice(frame: Frame, keys: Sequence[str]) -> Key | None:
    """Find a combination of the columns with more than one row."""
    return next((key for key, rows in frames.groups(frame, keys).items() if len(rows) > 1), None)


def _rates(data: Frame, quantity: str | None, by: Sequence[str]) -> list[Series]:
    """Give the series that are rates over time."""
    frames.need(data, ["value", "time_s", *(["quantity"] if quantity is None else [])])
    there = (
        frames.distinct(frames.values(data, "quantity"))
        if "quantity" in data.columns
        else [quantity]
    )
    wanted = [name for name in there if name in RATES and quantity in (None, name)]
    found = [series for name in wanted for series in series_of(data, name, by)]
    # the bandwidth of one I/O is not that of the job; fio's steadystate has no times
    good = [s for s in found if s.timed and not (s.single and s.quantity != "count")]
    if not good:
        asked = "" if quantity is None else f"{quantity!r} is none; "
        raise SchemaError(
            f"no samples of a rate over time: {asked}there are: {', '.join(map(str, there))}"
        )
    return good


def _log(data: Frame, parts: list[Series], runtime: float | None, tolerance: float) -> AnswerRow:
    """Give the rate of a log, or that of several entries together."""
    metric = metric_of(RATES[parts[0].quantity or ""])
    spans = [_span(part, runtime, tolerance) for part in parts]
    notes: list[Flag] = []
    if len(parts) > 1:
        entries = frames.columns(data, ("host", "entry", "job", "thread", "target"))
        who = {tuple(column[part.rows[0]] for column in entries.values()) for part in parts}
        if len(who) < len(parts):
            raise SchemaError(
                f"several logs of {parts[0].quantity} of one entry: name a column that tells their "
                f"runs apart in {argument('by')}, such as a label of read()"
            )
        notes.append(flag("added", n=len(parts)))
    for part in parts:
        notes += [note for note in part.notes if note not in notes]
    return {
        "row": parts[0].rows[0],
        "metric": metric.name,
        "unit": metric.unit,
        "n": sum(len(part.values) for part in parts),
        "span_s": min(spans),
        "log_rate": sum(part.done / span for part, span in zip(parts, spans, strict=True)),
        "tolerance_pct": 100 * max(tolerance, _cut(parts)),
        "verdict": "no summary",
        "notes": notes,
    }


def _span(part: Series, runtime: float | None, tolerance: float) -> float:
    """Give the time that a log covers: from the start of the run, if its clock is the run's."""
    if runtime and part.complete:
        return runtime
    end = max(part.start, 0.0) + part.span  # below 0 where its clock starts with its first sample
    return end if runtime and end <= runtime * (1 + tolerance) else part.span


def _cut(parts: list[Series]) -> float:
    """Give the share of the rate that fio may have cut off in an averaged log."""
    cut = [part for part in parts if part.quantity in _CUT and not part.complete]
    rate = sum(part.done / part.span for part in cut)
    if not rate:
        return 0.0
    lost = sum(_CUT[part.quantity or ""] for part in cut)
    return TICK / min(float(part.widths.min()) for part in cut) + lost / rate


def _judge(line: AnswerRow, parts: list[Series], told: dict[str, float | None]) -> None:
    """Fill in the summary, and whether the log agrees with it."""
    metric, notes = line["metric"], line["notes"]
    rate, whole, runtime = (told[name] for name in (metric, AMOUNTS[metric], "runtime_s"))
    line["summary_rate"] = rate
    share = line["tolerance_pct"] / 100
    covered = None if not runtime else line["span_s"] / runtime
    if covered is None:
        notes.append(flag("no-runtime"))
    else:
        line["coverage_pct"] = 100 * covered
        if covered < _LITTLE:
            notes.append(flag("little", share=covered))
        elif covered > 1 + share:
            notes.append(flag("longer", seconds=line["span_s"]))
    if not rate:
        line["verdict"] = "no rate"
        return
    if whole and all(part.complete for part in parts):
        done = sum(part.done for part in parts)
        # the summary may have cut digits off its rate, but not off the amount
        line["log_rate"] = rate * (done / whole)
        if round(done) != whole:
            what = {"iops": "I/Os", "bw_bytes_per_s": "bytes"}[metric]
            notes.append(flag("other-amount", n=done, what=what, of=whole))
    line["ratio"] = line["log_rate"] / rate
    off = line["ratio"] - 1
    if abs(off) <= share * (1 + 1e-9):
        line["verdict"] = "ok"
        return
    line["verdict"], why = DISAGREES, {"code": "off"}
    if covered is not None:
        line["verdict"], why = _rest(line, parts, min(covered, 1.0))
    notes.insert(0, flag(**why, off=off))


def _rest(line: AnswerRow, parts: list[Series], covered: float) -> tuple[str, dict[str, Any]]:
    """Say whether the log may be right, and how fast the rest of the run would have to be."""
    rate, share = line["summary_rate"], line["tolerance_pct"] / 100
    low = sum(float(series.values.min()) for series in parts)
    high = sum(float(series.values.max()) for series in parts)
    told = covered * line["log_rate"]
    done = sum(series.done for series in parts) or 1.0
    least, most = (
        told * sum((series.bounds or (series.done,) * 2)[at] for series in parts) / done
        for at in (0, 1)
    )
    left = 1 - covered if 1 - covered > 1e-6 else 0.0
    whole = DISAGREES, {"code": "off-whole"}
    if rate * (1 + share) < told:
        if rate * (1 + share) >= least:
            return UNDECIDED, {"code": "off-idle"}
        return (DISAGREES, {"code": "off-more", "left": left}) if left else whole
    verdict = UNDECIDED
    logged = rate * (1 - share) - left * _FASTER * high
    if left == 0 or logged > told:
        if logged <= most and most > told:
            return UNDECIDED, {"code": "off-late"}
        if not left:
            return whole
        verdict = DISAGREES
    rest = max((rate - told) / left, 0.0)
    code = "off-rest" if low <= rest <= high else "off-odd-rest"
    return verdict, {"code": code, "left": left, "rest": rest, "unit": line["unit"]}
