"""Totals over threads, jobs, hosts and clients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any, Literal

import narwhals as nw
from narwhals.typing import IntoDataFrameT

from fiotools.errors import SchemaError
from fiotools.hints import typed
from fiotools.stats import frames
from fiotools.stats.frames import Frame
from fiotools.stats.replicates import refuse_mixture, refuse_percentiles, refuse_unknown_runs
from fiotools.vocabulary import ANSWERS, COLUMNS, CONDITIONS, KEYS, TABLES

_SUMS = ("io_bytes", "total_ios", "short_ios", "drop_ios")
_RATES = {"iops": "total_ios", "bw_bytes_per_s": "io_bytes"}
_LATENCIES = ("slat", "clat", "lat")
_MEASURES = (
    *(*_SUMS, *_RATES, "runtime_s"),
    *(f"{kind}_{stat}_ns" for kind in _LATENCIES for stat in ("min", "max", "mean", "stddev")),
)
_SAME_TIME = 0.02  # each job stops at its own last I/O: runtimes this close are one time

Parts = Mapping[str, list[Any]]


def combine(io: IntoDataFrameT, *, to: Literal["run", "group"]) -> IntoDataFrameT:
    """Add up the rows of each run, or of each fio group, direction by direction.

    Parameters
    ----------
    io : pandas.DataFrame or polars.DataFrame
        A table such as `Results.io`: parts, and not their total beside them. Of fio's groups some
        may be reported whole and others job by job.
    to : {"run", "group"}
        Totals of each run, or of each ``group`` (the jobs that fio ran side by side).

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per run (and group) and direction, with the columns of `io`, and then ``parts``, the
        rows added, and ``warnings``:

        * ``io_bytes``, ``total_ios`` are sums; ``iops`` [1/s] and ``bw_bytes_per_s`` [B/s] are sums
          where the parts ran for the same time, else the sums of I/Os and bytes over the
          longest ``runtime_s`` [s], as fio's ``group_reporting`` has them;
        * ``*_mean_ns`` [ns] are weighted by I/Os, ``*_stddev_ns`` pooled within and between parts;
        * ``scope`` is ``total`` or ``group``; a condition or name is kept where all parts share it;
        * null is what does not add: ``iops_stddev`` and the other statistics over samples, and the
          rates of jobs that did not run side by side, such as several groups of one run (a column
          ``job_start``, joined from `Results.jobs`, tells; without it groups are taken for phases).

    Raises
    ------
    SchemaError
        For percentiles (they neither add nor average), for scopes of one run that overlap, for a
        row that is there twice, for figures that are no numbers or below 0, and for a frame without
        rows or what tells runs apart.

    Notes
    -----
    Of parts with n_i I/Os, means m_i and standard deviations s_i, the pooled variance is
    ``(sum((n_i - 1) s_i^2) + sum(n_i m_i^2) - N m^2) / (N - 1)``.

    Examples
    --------
    Two threads of a DISKSPD run; the tool itself prints 88330.73, 0.724 and 0.434 for both:

    >>> import pandas as pd
    >>> threads = pd.DataFrame({
    ...     "source": "vhdx.txt", "run": 1, "scope": "thread", "direction": "total",
    ...     "total_ios": [4561868, 6039168], "iops": [38010.73, 50320.00],
    ...     "lat_mean_ns": [841e3, 635e3], "lat_stddev_ns": [456e3, 395e3],
    ... })
    >>> both = combine(threads, to="run")
    >>> both[["scope", "total_ios", "iops", "lat_mean_ns", "lat_stddev_ns", "parts"]].round(1)
       scope  total_ios     iops  lat_mean_ns  lat_stddev_ns  parts
    0  total   10601036  88330.7     723646.5       434472.6      2
    """
    data = frames.opened(io)
    _refuse(data, to)
    refuse_mixture(data)
    scope, part = ("group", "group") if to == "group" else ("total", "run")
    cells = frames.groups(data, frames.present(data, ("source", "run", part, "direction")))
    return totals_of(data, list(cells.values()), scope)


def totals_of(
    data: nw.DataFrame[IntoDataFrameT],
    cells: Sequence[list[int]],
    scope: str,
    named: Sequence[str] = (),
) -> IntoDataFrameT:
    """Add up the rows of each cell to one row of this scope; the columns named stay as they are."""
    lists = {
        name: frames.optional(data, name) for name in (*data.columns, *TABLES["io"], "job_start")
    }
    lists |= {name: frames.amounts(data, name) for name in _MEASURES}
    _refuse_starts(data, lists["job_start"])
    parts = [
        {name: [column[row] for row in rows] for name, column in lists.items()} for rows in cells
    ]
    combined = [_total(part, scope) for part in parts]
    # labels are the user's, and stay where they do not tell the parts apart
    labels = [
        name
        for name in data.columns
        if name in named
        or (
            name not in (*COLUMNS, "parts", "warnings")
            and all(len(frames.distinct(part[name])) < 2 for part in parts)
        )
    ]
    summed = [name for name in data.columns if name in TABLES["io"] and name not in named]
    lines = [
        {name: row.get(name) for name in summed} | {"parts": len(rows), "notes": row["notes"]}
        for rows, row in zip(cells, combined, strict=True)
    ]
    own = [*summed, *ANSWERS["combine"]]
    return frames.answer(data, own, frames.kept(labels, [rows[0] for rows in cells]), lines)


def _refuse(data: Frame, to: str) -> None:
    if to not in ("run", "group"):
        raise SchemaError(f"to={to!r} is neither 'run' nor 'group'")
    refuse_percentiles(data)
    frames.need(data, ["run", "direction", *(["group"] if to == "group" else [])])
    refuse_unknown_runs(data)


def _refuse_starts(data: Frame, starts: Sequence[Any]) -> None:
    """Refuse moments that are none: nobody knows in what they count."""
    if frames.distinct(starts) and not isinstance(data.schema["job_start"], nw.Datetime):
        raise SchemaError(f"column 'job_start' is {data.schema['job_start']}: it must be a time")


def _total(part: Parts, scope: str) -> dict[str, Any]:
    """Make one row of several."""
    own = {"scope": scope}
    if len(part["scope"]) == 1:
        # one part is its own whole, and may keep what does not add
        return {**{name: column[0] for name, column in part.items()}, **own, "notes": []}
    notes: list[str] = []
    row = {name: _shared(part[name]) for name in (*KEYS, *CONDITIONS)} | own
    row["entry"] = None  # no entry of the report is this row
    row |= {name: total(part[name]) for name in _SUMS}
    if _side_by_side(part, notes):
        row |= _rates(part, row, notes)
    for kind in _LATENCIES:
        row |= _latency(part, kind)
    return row | {"notes": notes}


def _side_by_side(part: Parts, notes: list[str]) -> bool:
    """Say whether the parts overlapped in time, so that their rates add."""
    starts, runtimes = part["job_start"], part["runtime_s"]
    if None not in starts and None not in runtimes:
        late = (max(starts) - min(starts)).total_seconds()
        if late > _SAME_TIME * max(runtimes):
            notes.append(f"jobs started up to {late:g} s apart: rates do not add")
            return False
        return True
    fio_groups = frames.distinct(part["group"])
    if len(fio_groups) > 1:
        notes.append(
            "groups may have run one after the other: rates do not add, "
            + typed("combine(io, to='group')", "--combine group")
        )
        return False
    if fio_groups:
        notes.append("no job_start: taken to have run side by side")
    return True


def _rates(part: Parts, row: Mapping[str, Any], notes: list[str]) -> dict[str, float | None]:
    """Add rates over the same time; over unequal times, share the sums out over the longest."""
    runtimes = part["runtime_s"]
    if None in runtimes:
        return {rate: total(part[rate]) for rate in _RATES}
    shortest, longest = min(runtimes), max(runtimes)
    found: dict[str, float | None] = {"runtime_s": longest}
    if shortest >= (1 - _SAME_TIME) * longest:
        return found | {rate: total(part[rate]) for rate in _RATES}
    notes.append(f"runtimes from {shortest:g} to {longest:g} s: rates are sums over the longest")
    return found | {
        rate: None if row[amount] is None else row[amount] / longest
        for rate, amount in _RATES.items()
    }


def _latency(part: Parts, kind: str) -> dict[str, float | None]:
    least, most, means, stddevs = (
        part[f"{kind}_{stat}_ns"] for stat in ("min", "max", "mean", "stddev")
    )
    counts = part["total_ios"]
    return {
        f"{kind}_min_ns": None if None in least else min(least),
        f"{kind}_max_ns": None if None in most else max(most),
        f"{kind}_mean_ns": pooled_mean(counts, means),
        f"{kind}_stddev_ns": pooled_stddev(counts, means, stddevs),
    }


def _shared(parts: list[Any]) -> Any:
    """Give the value that all parts have, else None."""
    return parts[0] if all(part == parts[0] for part in parts) else None


def total(parts: Sequence[Any]) -> Any:
    """Add up; None if any part is missing, for the others are not the whole."""
    return None if None in parts else sum(parts)


def pooled_mean(counts: Sequence[float | None], means: Sequence[float | None]) -> float | None:
    """Weight means by their counts; None if any is missing that has a weight.

    Examples
    --------
    >>> pooled_mean([1, 3], [2.0, 4.0]), pooled_mean([1, 3, 0], [2.0, 4.0, None])
    (3.5, 3.5)
    """
    weights, centers = _whole(counts), _weighted(counts, means)
    if not weights or not centers or sum(weights) <= 0:
        return None
    return sum(n * m for n, m in zip(weights, centers, strict=True)) / sum(weights)


def pooled_stddev(
    counts: Sequence[float | None],
    means: Sequence[float | None],
    stddevs: Sequence[float | None],
) -> float | None:
    """Put standard deviations together: the spread within the parts and that between their means.

    ``sqrt((sum((n_i - 1) s_i^2) + sum(n_i (m_i - m)^2)) / (N - 1))``, the identity of the analysis
    of variance; the sum over deviations is the same as ``sum(n_i m_i^2) - N m^2``, and loses no
    digits.

    Examples
    --------
    Two DISKSPD threads (I/Os, ms, ms) into what the tool prints for both, 0.724 and 0.434:

    >>> counts, means, stddevs = [4561868, 6039168], [0.841, 0.635], [0.456, 0.395]
    >>> round(pooled_mean(counts, means), 4), round(pooled_stddev(counts, means, stddevs), 4)
    (0.7236, 0.4345)
    """
    mean = pooled_mean(counts, means)
    weights = _whole(counts)
    centers, spreads = _weighted(counts, means), _weighted(counts, stddevs)
    if mean is None or not weights or not centers or not spreads or sum(weights) < 2:
        return None
    within = sum(max(n - 1, 0) * s**2 for n, s in zip(weights, spreads, strict=True))
    between = sum(n * (m - mean) ** 2 for n, m in zip(weights, centers, strict=True))
    return sqrt((within + between) / (sum(weights) - 1))


def _weighted(counts: Sequence[float | None], parts: Sequence[float | None]) -> list[float]:
    """Give the parts, whatever stands for those of nothing."""
    return _whole([0.0 if n == 0 else part for n, part in zip(counts, parts, strict=True)])


def _whole(parts: Sequence[float | None]) -> list[float]:
    """Give the parts if all are known, else none of them."""
    known = [part for part in parts if part is not None]
    return known if len(known) == len(parts) else []
