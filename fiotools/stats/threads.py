"""What each thread did, and how evenly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

import narwhals as nw
from narwhals.typing import IntoDataFrameT

from fiotools.errors import SchemaError
from fiotools.language import listed, say
from fiotools.stats import frames
from fiotools.stats.combine import pooled_mean, pooled_stddev, total, totals_of
from fiotools.stats.frames import Frame
from fiotools.stats.replicates import (
    labels,
    refuse_percentiles,
    refuse_several,
    refuse_twice,
    refuse_unknown_runs,
    run_keys,
)
from fiotools.vocabulary import ANSWERS, CONDITIONS

_ONE = ("thread", "job")  # scopes whose rows are one thread each
_WHO = ("host", "port", "job", "thread", "target")
_MEASURES = ("total_ios", "iops", "bw_bytes_per_s", "lat_mean_ns", "lat_stddev_ns")


def per_thread(io: IntoDataFrameT, *, by: str | Sequence[str] | None = None) -> IntoDataFrameT:
    """Show each thread (or clone of a fio job) with its share of the run.

    Parameters
    ----------
    io : pandas.DataFrame or polars.DataFrame
        A table such as `Results.io`; rows of other scopes than ``thread`` and ``job`` are left out.
        In a frame without a column ``scope`` each row is a thread. DISKSPD reports a thread once
        for each of its targets; those rows are added up, unless `by` names ``target``.
    by : str or sequence of str, optional
        Columns to carry along, first: labels, mostly.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A row per thread and direction: the columns of `by`; ``source``, ``run``, ``entry``,
        ``host``, ``port``, ``job``, ``thread``, ``target``, ``direction``, ``total_ios``, ``iops``
        [1/s], ``bw_bytes_per_s`` [B/s], ``lat_mean_ns`` and ``lat_stddev_ns`` [ns], as far as `io`
        has them; and ``share_pct`` [%], its share of the I/Os per second of its run (in fio: of its
        group) in that direction. ``entry`` and ``target`` are null for a thread with several.

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
        known = [iops[row] for row in rows]
        whole = sum(rate for rate in known if rate is not None)
        for row, rate in zip(rows, known, strict=True):
            shares[row] = None if None in known or not whole else 100 * (rate or 0.0) / whole
    there = frames.present(data, [*by, "source", "run", "entry", *_WHO, "direction", *_MEASURES])
    lines = [{"share_pct": share} for share in shares]
    return frames.answer(data, ANSWERS["per_thread"], frames.kept(there, range(len(data))), lines)


def fairness(io: IntoDataFrameT, *, by: str | Sequence[str] | None = None) -> IntoDataFrameT:
    """Say how evenly the threads of each run shared the work, and give their pooled latency.

    Each row is about one run, so that there is no interval: ``n`` is 1. With several runs,
    ``summarize(fairness(io, by=...), "max_over_min", by=[..., "direction"])`` gives one.

    Parameters
    ----------
    io : pandas.DataFrame or polars.DataFrame
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
        I/Os, and ``lat_stddev_ns``, pooled within and between threads [ns]; ``warnings``.

    Raises
    ------
    SchemaError
        If a column is missing, no row is of a single thread, or a row is there twice.

    Notes
    -----
    Fairness is between equals: where the entries differ in a condition, the figures are null and
    the warning says in which. A straggler, among up to four threads, does at most two thirds of the
    fastest; among more, it lies 3.5 scaled median absolute deviations and 10 % below the median,
    or did nothing; then ``max_over_min`` is null.
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
                "n": 1,
                "k": len(rows),
                "total_ios": total(n),
                "lat_mean_ns": pooled_mean(n, m),
                "lat_stddev_ns": pooled_stddev(n, m, s),
                **_fair(who, rows, [iops[row] for row in rows], frames.differing(conditions, rows)),
            }
        )
    keys = [name for name in _keys(data) if name not in by]
    return frames.answer(
        data, ANSWERS["fairness"], frames.kept([*by, *keys], [rows[0] for rows in cells]), lines
    )


def thread_rows(io: IntoDataFrameT, by: Sequence[str]) -> nw.DataFrame[IntoDataFrameT]:
    """Keep the rows of threads, and make one row of each."""
    data = frames.opened(io)
    refuse_percentiles(data)
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
    refuse_unknown_runs(data)
    refuse_twice(data)
    return _over_targets(data, by)


def _over_targets(
    data: nw.DataFrame[IntoDataFrameT], by: Sequence[str]
) -> nw.DataFrame[IntoDataFrameT]:
    """Add up the rows of a thread, which has one for each of its targets."""
    thread, keys = frames.optional(data, "thread"), run_keys(data)
    who = [*by, *(name for name in (*_keys(data), *_WHO, *labels(data)) if name != "target")]
    # without a column `run`, each row is a run of its own: only targets tell that it is not
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
            raise refuse_several(data, rows, key)
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
    """Measure fairness among equals."""
    rates = [rate for rate in iops if rate is not None]
    if unequal:
        differ = say(
            "threads differ in {conditions}: fairness is between equals", conditions=listed(unequal)
        )
        return {"warnings": differ}
    if len(rates) < len(iops):
        return {"warnings": say("iops is missing for some threads")}
    figures: dict[str, Any] = {"iops_lowest": min(rates), "iops_highest": max(rates)}
    if len(rates) < 2:
        return {**figures, "warnings": say("one thread: nothing to share")}
    if max(rates) <= 0:
        return {**figures, "warnings": say("no thread did any I/O")}
    is_dead = min(rates) <= 0
    return {
        **figures,
        "jain": sum(rates) ** 2 / (len(rates) * sum(rate**2 for rate in rates)),
        "max_over_min": None if is_dead else max(rates) / min(rates),
        "stragglers": ", ".join(_name(who, rows[i]) for i in stragglers(rates)) or None,
        "warnings": say("a thread did no I/O") if is_dead else None,
    }


def stragglers(rates: Sequence[float]) -> list[int]:
    """Give the places of the threads that fell behind.

    Examples
    --------
    >>> stragglers([18841.34, 43830.73]), stragglers([38010.73, 50320.00])
    ([0], [])
    >>> stragglers([100, 101, 99, 100, 70, 100]), stragglers([0, 900, 900, 900])
    ([4], [0])
    """
    if len(rates) <= 4:
        # the modified z score of two values is always .67, and of three and four hardly more
        # telling
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
