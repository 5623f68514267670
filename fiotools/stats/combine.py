"""The parts of a run: the work of each thread or job, how even it is, and their totals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import median
from typing import Any, Literal

import narwhals as nw
from narwhals.typing import IntoDataFrameT

from fiotools.errors import SchemaError, argument
from fiotools.flags import Flag, flag
from fiotools.stats import frames, replicates
from fiotools.stats.frames import AMOUNTS, Frame
from fiotools.stats.question import question
from fiotools.vocabulary import ANSWERS, COLUMNS, CONDITIONS, KEYS, TABLES

_SUMS = ("io_bytes", "total_ios", "short_ios", "drop_ios")
_LATENCIES = ("slat", "clat", "lat")
_MEASURES = (
    *(*_SUMS, *AMOUNTS, "runtime_s"),
    *(f"{kind}_{stat}_ns" for kind in _LATENCIES for stat in ("min", "max", "mean", "stddev")),
)
_SAME_TIME = 0.02  # each job stops at its own last I/O: runtimes this close are one time
Parts = Mapping[str, list[Any]]
_ONE = ("thread", "job")  # scopes whose rows are one thread each
_WHO = ("host", "port", "job", "thread", "target")
_SHOWN = ("total_ios", "iops", "bw_bytes_per_s", "lat_mean_ns", "lat_stddev_ns")


@question("io")
def combine(io: IntoDataFrameT, *, to: Literal["run", "group"]) -> IntoDataFrameT:
    """Add up the rows of each run, or of each fio group, direction by direction.

    Parameters
    ----------
    io : Results, pandas.DataFrame or polars.DataFrame
        A table such as `Results.io`: parts, without their total beside them. Some of fio's groups
        may be whole, others job by job.
    to : {"run", "group"}
        Make totals of each run, or of each group: the jobs that fio ran side by side.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per run (and group) and direction, with the columns of `io`, and then ``parts``, the
        rows added, ``flags`` and ``details``:

        * ``io_bytes``, ``total_ios`` are sums; ``iops`` [1/s] and ``bw_bytes_per_s`` [B/s] are sums
          if the parts ran for the same time, else the sums of I/Os and bytes over the longest
          ``runtime_s`` [s], as in fio's ``group_reporting``;
        * ``*_mean_ns`` [ns] are weighted by I/Os, ``*_stddev_ns`` pooled within and between parts;
        * ``scope`` is ``total`` or ``group``; a condition or name is kept if all parts share it;
        * values that do not add are null: statistics over samples such as ``iops_stddev``, and the
          rates of jobs that did not run side by side (a column ``job_start``, joined from
          `Results.jobs`, tells; without it groups of one run are taken for phases).

    Raises
    ------
    SchemaError
        For percentiles, scopes of one run that overlap, a row twice, values that are not numbers or
        below 0, and a frame without rows or the columns that tell runs apart.

    Notes
    -----
    For parts with n_i I/Os, means m_i and standard deviations s_i, the pooled variance is
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
    if to not in ("run", "group"):
        raise SchemaError(f"{argument('to', to)} is neither 'run' nor 'group'")
    replicates.refuse_percentiles(data)
    frames.need(data, ["run", "direction", *(["group"] if to == "group" else [])])
    replicates.refuse_unknown_runs(data)
    replicates.refuse_scopes(data)
    replicates.refuse_twice(data)
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
    starts = frames.distinct(lists["job_start"])
    if starts and not isinstance(data.schema["job_start"], nw.Datetime):  # of unknown unit
        raise SchemaError(f"column 'job_start' is {data.schema['job_start']}: it must be a time")
    parts = [
        {name: [column[row] for row in rows] for name, column in lists.items()} for rows in cells
    ]
    combined = [_total(part, scope) for part in parts]
    # labels are the user's, and stay if they do not tell the parts apart
    labels = [
        name
        for name in data.columns
        if name in named
        or (
            name not in (*COLUMNS, "parts", "flags", "details")
            and all(len(frames.distinct(part[name])) < 2 for part in parts)
        )
    ]
    summed = [name for name in data.columns if name in TABLES["io"] and name not in named]
    lines = [
        {name: row.get(name) for name in summed}
        | {"row": rows[0], "parts": len(rows), "notes": row["notes"]}
        for rows, row in zip(cells, combined, strict=True)
    ]
    own = [*summed, *ANSWERS["combine"]]
    return frames.answer(data, own, labels, lines)


def _total(part: Parts, scope: str) -> dict[str, Any]:
    own = {"scope": scope}
    if len(part["scope"]) == 1:
        # one part is its own whole, and may keep values that do not add
        return {**{name: column[0] for name, column in part.items()}, **own, "notes": []}
    notes: list[Flag] = []
    names = (*KEYS, *CONDITIONS)
    shared = [name for name in names if all(value == part[name][0] for value in part[name])]
    row = {name: part[name][0] if name in shared else None for name in names} | own
    row["entry"] = None  # no entry of the report is this row
    row |= {name: total(part[name]) for name in _SUMS}
    if _side_by_side(part, notes):
        row |= _rates(part, row, notes)
    for kind in _LATENCIES:
        row |= _latency(part, kind)
    return row | {"notes": notes}


def _side_by_side(part: Parts, notes: list[Flag]) -> bool:
    """Say whether the parts overlapped in time, so that their rates add."""
    starts, runtimes = part["job_start"], part["runtime_s"]
    if None not in starts and None not in runtimes:
        late = (max(starts) - min(starts)).total_seconds()
        if late > _SAME_TIME * max(runtimes):
            notes.append(flag("started-apart", late=late))
            return False
        return True
    fio_groups = frames.distinct(part["group"])
    if len(fio_groups) > 1:
        notes.append(flag("groups"))
        return False
    if fio_groups:
        notes.append(flag("no-start"))
    return True


def _rates(part: Parts, row: Mapping[str, Any], notes: list[Flag]) -> dict[str, float | None]:
    """Add rates over the same time; over unequal times, share the sums out over the longest."""
    runtimes = part["runtime_s"]
    if None in runtimes:
        return {rate: total(part[rate]) for rate in AMOUNTS}
    shortest, longest = min(runtimes), max(runtimes)
    found: dict[str, float | None] = {"runtime_s": longest}
    if shortest >= (1 - _SAME_TIME) * longest:
        return found | {rate: total(part[rate]) for rate in AMOUNTS}
    notes.append(flag("unequal-times", shortest=shortest, longest=longest))
    return found | {
        rate: None if row[amount] is None else row[amount] / longest
        for rate, amount in AMOUNTS.items()
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


def total(parts: Sequence[Any]) -> Any:
    """Add up; None if any part is missing, for the others are not the whole."""
    return None if None in parts else sum(parts)


def pooled_mean(counts: Sequence[float | None], means: Sequence[float | None]) -> float | None:
    """Weight means by their counts; None if any is missing that has a weight."""
    weighted = _weighted(counts, means)
    every = sum(n for n, _ in weighted)
    return sum(n * m for n, m in weighted) / every if every > 0 else None


def pooled_stddev(
    counts: Sequence[float | None],
    means: Sequence[float | None],
    stddevs: Sequence[float | None],
) -> float | None:
    """Pool standard deviations: the spread within the parts and that between their means.

    The sum over deviations equals ``sum(n_i m_i^2) - N m^2``, and loses no digits.
    """
    mean, spreads = pooled_mean(counts, means), _weighted(counts, stddevs)
    every = sum(n for n, _ in spreads)
    if mean is None or every < 2:
        return None
    within = sum(max(n - 1, 0) * s**2 for n, s in spreads)
    between = sum(n * (m - mean) ** 2 for n, m in _weighted(counts, means))
    return sqrt((within + between) / (every - 1))


def _weighted(
    counts: Sequence[float | None], parts: Sequence[float | None]
) -> list[tuple[float, float]]:
    """Give each part with its count, if all are known; those without I/Os may be missing."""
    found = [(n, 0.0 if n == 0 else part) for n, part in zip(counts, parts, strict=True)]
    known = [(n, part) for n, part in found if n is not None and part is not None]
    return known if len(known) == len(found) else []


@question("io")
def per_thread(io: IntoDataFrameT, *, by: str | Sequence[str] | None = None) -> IntoDataFrameT:
    """Show each thread (or clone of a fio job) with its share of the run.

    Parameters
    ----------
    io : Results, pandas.DataFrame or polars.DataFrame
        A table such as `Results.io`, of which rows of scope ``thread`` and ``job`` count; without a
        column ``scope`` each row is a thread. DISKSPD's rows of one thread, one for each of its
        targets, are added up, unless `by` names ``target``.
    by : str or sequence of str, optional
        Columns to carry along, first: labels, mostly.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per thread and direction: the columns of `by`; ``source``, ``run``, ``entry``,
        ``host``, ``port``, ``job``, ``thread``, ``target``, ``direction``, ``total_ios``, ``iops``
        [1/s], ``bw_bytes_per_s`` [B/s], ``lat_mean_ns`` and ``lat_stddev_ns`` [ns], as far as `io`
        has them; and ``share_pct``, its share of the IOPS of its run (in fio: of its group) in that
        direction. ``entry`` and ``target`` are null for a thread with several.

    Raises
    ------
    SchemaError
        If a column is missing, no row is of a single thread, or a row is there twice.

    Examples
    --------
    >>> import pandas as pd
    >>> io = pd.DataFrame({
    ...     "volume": "mirror", "run": 1, "scope": ["thread", "thread", "total"],
    ...     "thread": [0, 1, None], "direction": "total", "iops": [18841.34, 43830.73, 62672.07],
    ... })
    >>> per_thread(io, by="volume")
       volume  run  thread direction      iops  share_pct
    0  mirror    1     0.0     total  18841.34      30.06
    1  mirror    1     1.0     total  43830.73      69.94
    """
    by = frames.names(by)
    data = thread_rows(io, by)
    iops = frames.amounts(data, "iops")
    shares: list[float | None] = [None] * len(data)
    for rows in _together(data, by):
        whole = total([iops[row] for row in rows])
        for row in rows:
            shares[row] = 100 * iops[row] / whole if whole else None
    there = frames.present(data, [*by, "source", "run", "entry", *_WHO, "direction", *_SHOWN])
    lines = [{"row": row, "share_pct": share} for row, share in enumerate(shares)]
    return frames.answer(data, "per_thread", there, lines)


@question("io")
def fairness(io: IntoDataFrameT, *, by: str | Sequence[str] | None = None) -> IntoDataFrameT:
    """Say how evenly the threads of each run shared the work, and give their pooled latency.

    A row is about one run, without an interval.

    Parameters
    ----------
    io : Results, pandas.DataFrame or polars.DataFrame
        As for `per_thread`: a thread with several targets counts once.
    by : str or sequence of str, optional
        Columns to carry along, first.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per run (in fio: per group) and direction: the columns of `by`, ``source``, ``run``,
        ``group``, ``direction``; ``n``, the runs, 1; ``k``, the threads; ``total_ios``; ``jain``,
        Jain's index, from 1 (all equal) to 1/k; ``max_over_min``; ``iops_lowest``, ``iops_highest``
        [1/s]; ``stragglers``, which threads fell behind (null: none); ``lat_mean_ns``, weighted by
        I/Os, and ``lat_stddev_ns``, pooled within and between threads [ns]; ``flags``, ``details``.

    Raises
    ------
    SchemaError
        If a column is missing, no row is of a single thread, or a row is there twice.

    Notes
    -----
    With several runs, ``summarize(fairness(io, by=...), "max_over_min", by=[..., "direction"])``
    gives an interval.

    Fairness is between equals: if the entries differ in a condition, the values are null and the
    warning names it. A straggler, among up to four threads, does at most two thirds of the fastest;
    among more, it lies 3.5 scaled median absolute deviations and 10 % below the median, or did
    nothing; then ``max_over_min`` is null.
    Jain, Chiu and Hawe, "A quantitative measure of fairness" (DEC-TR-301, 1984).

    Examples
    --------
    >>> import pandas as pd
    >>> io = pd.DataFrame({
    ...     "run": 1, "scope": "thread", "thread": [0, 1], "direction": "total",
    ...     "iops": [18841.34, 43830.73],
    ... })
    >>> fairness(io)[["k", "jain", "max_over_min", "stragglers"]].round(4)
       k    jain  max_over_min stragglers
    0  2  0.8628        2.3263   thread 0
    """
    by = frames.names(by)
    data = thread_rows(io, by)
    iops = frames.amounts(data, "iops")
    ios, means, stddevs = (
        frames.amounts(data, name) for name in ("total_ios", "lat_mean_ns", "lat_stddev_ns")
    )
    cells, who = _together(data, by), frames.columns(data, ("thread", "job", "entry"))
    conditions = frames.columns(data, frames.differing(frames.columns(data, CONDITIONS)))
    lines = []
    for rows in cells:
        n, m, s = ([column[row] for row in rows] for column in (ios, means, stddevs))
        lines.append(
            {
                "row": rows[0],
                "n": 1,
                "k": len(rows),
                "total_ios": total(n),
                "lat_mean_ns": pooled_mean(n, m),
                "lat_stddev_ns": pooled_stddev(n, m, s),
                **_fair(who, rows, [iops[row] for row in rows], frames.differing(conditions, rows)),
            }
        )
    keys = [name for name in _keys(data) if name not in by]
    return frames.answer(data, "fairness", [*by, *keys], lines)


def thread_rows(io: IntoDataFrameT, by: Sequence[str]) -> nw.DataFrame[IntoDataFrameT]:
    """Keep the rows of threads, and make one row of each."""
    data = frames.opened(io)
    replicates.refuse_percentiles(data)
    frames.need(data, [*by, "iops"])
    if "scope" in data.columns:
        scopes = frames.values(data, "scope")
        rows = [row for row, scope in enumerate(scopes) if scope in _ONE]
        if not rows:
            there = [str(scope) for scope in frames.distinct(scopes)]
            why = ": fio summed them up (group_reporting)" if "group" in there else ""
            raise SchemaError(
                f"no row of scope 'thread' or 'job' (there are: {', '.join(there) or 'none'}){why}"
            )
        data = data[rows]
    replicates.refuse_unknown_runs(data)
    replicates.refuse_twice(data)
    return _over_targets(data, by)


def _over_targets(
    data: nw.DataFrame[IntoDataFrameT], by: Sequence[str]
) -> nw.DataFrame[IntoDataFrameT]:
    """Add up the rows of a thread, which has one for each of its targets."""
    thread, keys = frames.optional(data, "thread"), replicates.run_keys(data)
    who = [
        *by,
        *(name for name in (*_keys(data), *_WHO, *replicates.labels(data)) if name != "target"),
    ]
    # without a column `run`, each row is a run of its own, unless targets differ
    told = ("entry", "target") if "run" in data.columns else ("target",)
    places = frames.keys_of(data, frames.present(data, told))
    cells = []
    for rows in frames.groups(data, frames.present(data, who)).values():
        apart = len({places[row] for row in rows}) == len(rows)
        key = keys[rows[0]]
        if thread[rows[0]] is None or not (apart or len(key) == 2):
            cells += [[row] for row in rows]
        elif apart or len(rows) == 1:
            cells.append(rows)
        else:
            raise replicates.refuse_several(data, rows, key)
    if len(cells) == len(data):
        return data
    return nw.from_native(totals_of(data, sorted(cells), "thread", by), eager_only=True)


def _keys(data: Frame) -> list[str]:
    return frames.present(data, ("source", "run", "group", "direction"))


def _together(data: Frame, by: Sequence[str]) -> list[list[int]]:
    """Give the rows of threads that ran side by side: per run, fio group and direction."""
    return list(frames.groups(data, dict.fromkeys([*by, *_keys(data)])).values())


def _fair(
    who: Mapping[str, list[Any]], rows: list[int], iops: list[float | None], unequal: list[str]
) -> dict[str, Any]:
    rates = [rate for rate in iops if rate is not None]
    if unequal:
        return {"notes": [flag("unequal-threads", conditions=unequal)]}
    if len(rates) < len(iops):
        return {"notes": [flag("no-iops")]}
    found: dict[str, Any] = {"iops_lowest": min(rates), "iops_highest": max(rates)}
    if len(rates) < 2:
        return {**found, "notes": [flag("one-thread")]}
    if max(rates) <= 0:
        return {**found, "notes": [flag("no-io")]}
    is_dead = min(rates) <= 0
    return {
        **found,
        "jain": sum(rates) ** 2 / (len(rates) * sum(rate**2 for rate in rates)),
        "max_over_min": None if is_dead else max(rates) / min(rates),
        "stragglers": ", ".join(_name(who, rows[i]) for i in stragglers(rates)) or None,
        "notes": [flag("idle-thread")] if is_dead else [],
    }


def stragglers(rates: Sequence[float]) -> list[int]:
    """Give the places of the threads that fell behind."""
    if len(rates) <= 4:
        # the modified z score of two values is always .67, and tells little for three and four
        return [i for i, rate in enumerate(rates) if max(rates) >= 1.5 * rate]
    middle = median(rates)
    mad = 1.4826 * median(abs(rate - middle) for rate in rates)
    return [
        i
        for i, rate in enumerate(rates)  # one that did nothing is behind, however the others spread
        if not rate or (middle - rate > 3.5 * mad and rate <= 0.9 * middle)
    ]


def _name(who: Mapping[str, list[Any]], row: int) -> str:
    """Name a thread: by its number, else by its job and entry."""
    thread, job, entry = (
        who[name][row] if name in who else None for name in ("thread", "job", "entry")
    )
    if thread is not None:
        return f"thread {thread:g}" if isinstance(thread, (int, float)) else f"thread {thread}"
    if job is not None:
        return str(job) if entry is None else f"{job} (entry {entry})"
    return f"row {row}" if entry is None else f"entry {entry}"
