"""A row for each run and direction, as people tabulate results by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import polars as pl

from fiotools.errors import SchemaError
from fiotools.stats import frames, submission
from fiotools.tables.columns import POLARS, get, of_pandas
from fiotools.tables.results import Results, to_pandas
from fiotools.vocabulary import ANSWERS, CONDITIONS, EVERY, KEYS, TABLES

_RUN = ("source", "run")
_CELL = (*_RUN, "direction")
_PLACE = "place of the row"  # no label: those have no blanks
_PERCENTILES = {50.0: "p50_ns", 99.0: "p99_ns", 99.9: "p99.9_ns"}
_OF_IO = ("io_bytes", "runtime_s", "iops", "bw_bytes_per_s", "lat_mean_ns", "clat_mean_ns")
_OF_TIME = ("real_s", "user_s", "sys_s")
# what may tell rows apart where labels, jobs and conditions do not
_NAMES = ("heading", "host", "target", "command", *_RUN, "group", "entry")


def overview(data: Any, *, by: str | Sequence[str] | None = None) -> Any:
    """Tabulate what was measured: a row for each run and direction.

    A run counts once in each direction: with the tool's own total, else with the sum of its jobs,
    as `combine` makes it. A value that cannot be summed up is null, and ``flags`` says why. fio's
    groups that ran one after another are measurements of their own, and have rows of their own.

    Parameters
    ----------
    data : Results, pandas.DataFrame or polars.DataFrame
        The result of `read`, or a table such as `Results.io`.
    by : str or sequence of str, optional
        Columns to name the rows by; by default those that tell them apart. They are of the results'
        ``io`` or ``runs``. By default they are labels, jobs and all known conditions; heading,
        host, target or command where these do not suffice; and then the file and the run.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        The columns of `by`, ``direction``, and then:

        * ``io_bytes`` [B], ``runtime_s`` [s], ``iops`` [1/s], ``bw_bytes_per_s`` [B/s];
        * ``lat_mean_ns`` [ns], or where only that is known, ``clat_mean_ns``;
        * ``p50_ns``, ``p99_ns``, ``p99.9_ns`` [ns] of the ``latency`` lat, or else clat; null where
          jobs were summed up: percentiles do not add;
        * ``cpu_pct`` [%], see `describe`;
        * ``real_s``, ``user_s``, ``sys_s`` [s] of a timed command;
        * ``quantity``, ``unit``, ``n``, ``mean`` where only a mean of ``n`` is known: printed by
          hyperfine, or of the samples of a log, whose ``runtime_s`` is the time of the last one;
        * ``status`` of the run; ``flags``, ``details``.

        A run that gave no numbers has a row with its status. Logs have rows only where nothing else
        was read.

    Raises
    ------
    SchemaError
        For percentiles, a row twice, rows that overlap, and columns that are missing.

    Examples
    --------
    >>> import fiotools as ft
    >>> res = ft.read("data/per-io-log/mixed.json")
    >>> overview(res, by="job")[["job", "direction", "iops", "lat_mean_ns", "p99_ns"]].round()
          job direction   iops  lat_mean_ns     p99_ns
    0  reader      read  600.0     428128.0  4112384.0
    1  writer     write  300.0     869375.0  5537792.0
    """
    if isinstance(data, Results):
        tables = {name: data.tables.polars(name) for name in data.tables}
        answer = tabulated(tables, frames.names(by))
        return to_pandas(answer) if data.kind == "pandas" else answer
    from fiotools.stats.replicates import refuse_percentiles, refuse_unknown_runs

    frame = frames.opened(data)
    refuse_percentiles(frame)
    refuse_unknown_runs(frame)
    for name in ("total_ios", *_OF_IO):
        frames.amounts(frame, name)  # or refuse what is not one
    is_polars = frame.implementation.is_polars()
    io: pl.DataFrame = frame.to_native() if is_polars else of_pandas(frame.to_native())
    found = tabulated({"io": io}, frames.names(by))
    return found if is_polars else to_pandas(found)


def tabulated(tables: Mapping[str, pl.DataFrame], by: Sequence[str] = ()) -> pl.DataFrame:
    """Make the overview of some tables."""
    there = {name: frame for name, frame in tables.items() if frame.height}
    if "runs" in there and there["runs"].select(_RUN).is_duplicated().any():
        raise SchemaError("a run is there twice: was a file read twice?")
    labels = list(dict.fromkeys(name for table in there for name in _labels(there, table)))
    rows = _measured(there) if "io" in there else _nothing()
    rows = _with_times(rows, there)
    if not rows.height:
        rows = _logged(there)
    rows = _of_runs(rows, there)
    frames.need(nw.from_native(rows), by)
    named = list(by) or [name for name in _apart(rows, labels) if rows[name].count()]
    for name in {*named} & {*ANSWERS["overview"]}:
        raise SchemaError(f"column {name!r} would hide the answer's own {name!r}: rename it")
    own = [get(rows, name) for name in ANSWERS["overview"]]
    typed = [one.cast(POLARS[EVERY[one.name].dtype]) for one in own]
    return pl.DataFrame([*rows[[*dict.fromkeys([*named, "direction"])]], *typed])


def _nothing() -> pl.DataFrame:
    """Return no rows."""
    return pl.DataFrame(schema={name: POLARS[EVERY[name].dtype] for name in _CELL})


def _measured(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Give the rows of `io` that stand for a run and direction, with what other tables say."""
    io = tables["io"]
    if "run" not in io.columns:  # each row is a run
        io = io.with_columns(pl.int_range(1, pl.len() + 1).alias("run"))
    labels = _labels(tables, "io")
    io = io.select(
        *labels,
        *(get(io, name) for name in dict.fromkeys((*KEYS, *CONDITIONS, "total_ios", *_OF_IO))),
    )
    is_total = pl.col("scope").eq_missing("total")
    io = io.with_row_index(_PLACE).filter(is_total | ~is_total.any().over(_CELL))
    is_alone = pl.len().over(_CELL) == 1
    alone, parts = io.filter(is_alone), io.filter(~is_alone)
    jobs = tables.get("jobs", pl.DataFrame())
    whose = [_PLACE, *_RUN, "entry"]
    rows, entries = alone, alone.select(whose)
    if parts.height:  # most files have none
        summed, of_parts = _summed(parts, labels, jobs)
        rows, entries = pl.concat([rows, summed], how="diagonal_relaxed"), entries.vstack(of_parts)
    rows = rows.sort(_PLACE)
    rows = rows.join(_processors(entries, jobs), on=_PLACE, how="left", maintain_order="left")
    rows = rows.with_columns(
        pl.when(pl.col("lat_mean_ns").is_null()).then("clat_mean_ns").alias("clat_mean_ns")
    )
    for name, more in (("percentiles", _percentiles), ("cpu", _usage)):
        if name in tables:
            rows = more(rows, tables[name])
    return _submitted(rows, entries, tables["io"]).drop(_PLACE)


def _summed(
    parts: pl.DataFrame, labels: Sequence[str], jobs: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Sum up the parts of each run and direction, or of each of its groups that ran alone.

    Return also the entries that each row is made of.
    """
    # `read` shows most files without waiting for these imports
    from fiotools.stats.combine import side_by_side, totals_of
    from fiotools.stats.replicates import refuse_scopes, refuse_twice

    on = [*_RUN, "entry"]
    if "job_start" in jobs.columns:
        starts = jobs.select(*on, "job_start")
        parts = parts.join(starts, on=on, how="left", maintain_order="left", nulls_equal=True)
    data = nw.from_native(parts.drop(_PLACE), eager_only=True)
    refuse_scopes(data)
    refuse_twice(data)
    names = ("scope", "group", "job_start", "runtime_s")
    lists = {name: get(parts, name).to_list() for name in names}
    groups = [(group,) for group in lists["group"]]
    cells = []
    for rows in frames.groups(data, _CELL).values():
        part = {name: [column[row] for row in rows] for name, column in lists.items()}
        is_one = side_by_side(part, [])
        cells += [rows] if is_one else list(frames.rows_by(groups, rows).values())
    whole = parts[[rows[0] for rows in cells if len(rows) == 1]]
    cells = [rows for rows in cells if len(rows) > 1]
    summed: pl.DataFrame = totals_of(data, cells, "total", labels)
    first = parts[_PLACE].gather([rows[0] for rows in cells])
    is_of_jobs = [all(lists["scope"][row] == "job" for row in rows) for rows in cells]
    # each row of a job is one, whatever its options say
    jobs_added = pl.when(pl.Series(is_of_jobs, dtype=pl.Boolean)).then("parts").otherwise("numjobs")
    summed = summed.with_columns(first, jobs_added.alias("numjobs"))
    of_each = pl.Series([len(rows) for rows in cells], dtype=pl.UInt32)
    entries = parts[[row for rows in cells for row in rows]].select(_PLACE, *on)
    if cells:
        entries = entries.with_columns(first.repeat_by(of_each).explode().alias(_PLACE))
    return (
        pl.concat([whole, summed], how="diagonal_relaxed"),
        whole.select(_PLACE, *on).vstack(entries),
    )


def _processors(entries: pl.DataFrame, jobs: pl.DataFrame) -> pl.DataFrame:
    """Give the CPU time of the jobs behind each row, weighted by run time, as fio does."""
    if not jobs.height:
        return entries.select(_PLACE, pl.lit(None, pl.Float64).alias("cpu_pct")).unique(_PLACE)
    on = [*_RUN, "entry"]
    share, span = pl.col("usr_cpu_pct") + pl.col("sys_cpu_pct"), pl.col("job_runtime_s")
    known = jobs.select(*on, share.alias("share"), span.alias("span"))
    found = entries.join(known, on=on, how="left", nulls_equal=True)
    share, span = pl.col("share"), pl.col("span")
    is_known = share.is_not_null().all() & span.is_not_null().all() & (span.sum() > 0)
    mean = pl.when(is_known).then((share * span).sum() / span.sum())
    one = pl.when(pl.len() == 1).then(share.first()).otherwise(mean)
    return found.group_by(_PLACE).agg(one.alias("cpu_pct"))


def _percentiles(rows: pl.DataFrame, percentiles: pl.DataFrame) -> pl.DataFrame:
    """Add the percentiles of the total latency, or else of the completion latency."""
    on = [*_CELL, "entry", "scope"]
    is_asked = pl.col("percentile").is_in([*_PERCENTILES]) & (pl.col("latency") != "slat")
    found = percentiles.filter(is_asked).select(*on, "latency", "percentile", "value_ns")
    found = found.filter(pl.col("latency") == pl.col("latency").max().over(on))  # lat, not clat
    value = pl.col("value_ns")
    wide = found.group_by(on).agg(
        pl.col("latency").first(),
        *(
            value.filter(pl.col("percentile") == share).first().alias(name)
            for share, name in _PERCENTILES.items()
        ),
    )
    return rows.join(wide, on=on, how="left", nulls_equal=True, maintain_order="left")


def _submitted(rows: pl.DataFrame, entries: pl.DataFrame, io: pl.DataFrame) -> pl.DataFrame:
    """Flag percentiles of the completion latency that leave most of the time out."""
    if "latency" not in rows.columns:
        return rows
    whose = entries.join(rows.select(_PLACE, "latency"), on=_PLACE, how="left")
    found = submission.beside(whose, io, "")
    if submission.SHARE not in found.columns:
        return rows
    share = found.group_by(_PLACE).agg(pl.col(submission.SHARE).max())
    told = rows.with_columns(get(rows, "flags"), get(rows, "details"))
    return submission.flagged(told.join(share, on=_PLACE, how="left", maintain_order="left"))


def _usage(rows: pl.DataFrame, cpu: pl.DataFrame) -> pl.DataFrame:
    """Add the usage of all processors to the rows of runs that tell it."""
    average = cpu.filter(pl.col("cpu") == "average").group_by(_RUN).agg(pl.col("usage_pct").first())
    rows = rows.join(average, on=_RUN, how="left", maintain_order="left")
    return rows.with_columns(pl.col("cpu_pct").fill_null(pl.col("usage_pct"))).drop("usage_pct")


def _with_times(rows: pl.DataFrame, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Add what `time` or hyperfine says of each run, and rows of runs that have nothing else."""
    if "timings" not in tables:
        return rows
    timings = tables["timings"]
    is_summary = pl.col("real_s").is_null() & pl.col("real_mean_s").is_not_null()
    labels = _labels(tables, "timings")
    timings = timings.select(
        *labels,
        *(*_RUN, "command", *_OF_TIME, "n"),
        pl.when(is_summary).then(pl.lit("real_s")).alias("quantity"),
        pl.when(is_summary).then(pl.lit("s")).alias("unit"),
        pl.when(is_summary).then("real_mean_s").alias("mean"),
    )
    both = rows.join(timings.drop(labels), on=_RUN, how="left", maintain_order="left")
    alone = timings.join(rows, on=_RUN, how="anti", maintain_order="left")
    return pl.concat([both, alone], how="diagonal_relaxed")


def _logged(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Give a row for each run, direction and quantity of logs, and of histogram logs."""
    found = []
    for name, quantity, held in (
        (
            "samples",
            pl.col("quantity"),
            (pl.len().alias("n"), pl.col("value").mean().alias("mean")),
        ),
        ("bins", pl.col("latency") + "_ns", (pl.col("count").sum().alias("n"),)),
    ):
        if name in tables:
            whose = [*_labels(tables, name), *_CELL, "job", "entry", quantity.alias("quantity")]
            of_each = tables[name].group_by(whose, maintain_order=True)
            found.append(of_each.agg(*held, pl.col("time_s").max().alias("runtime_s")))
    if not found:
        return _nothing()
    rows = pl.concat(found, how="diagonal_relaxed")
    units = {one: frames.metric_of(one).unit for one in rows["quantity"].drop_nulls().unique()}
    unit = pl.col("quantity").replace_strict(units, default=None, return_dtype=pl.String)
    return rows.with_columns(unit.alias("unit"))


def _of_runs(rows: pl.DataFrame, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Add what the runs are called, in their order, and the runs that gave no numbers."""
    if "runs" not in tables:
        return rows
    runs = tables["runs"].with_row_index(_PLACE)
    new = [name for name in runs.columns if name in TABLES["runs"] and name not in _RUN]
    told = rows.join(
        runs.select(*_RUN, *new, _PLACE),
        on=_RUN,
        how="left",
        maintain_order="left",
        suffix=" of its run",
    )
    for name in new:
        if f"{name} of its run" in told.columns:
            own = pl.col(name).fill_null(pl.col(f"{name} of its run"))
            told = told.with_columns(own).drop(f"{name} of its run")
    lost = runs.join(rows, on=_RUN, how="anti")
    lost = lost.filter(pl.col("status") != "ok") if rows.height else lost
    return pl.concat([told, lost], how="diagonal_relaxed").sort(_PLACE, maintain_order=True)


def _labels(tables: Mapping[str, pl.DataFrame], table: str) -> list[str]:
    """Name the columns of a table that labels and path templates gave."""
    known = {*TABLES[table], *ANSWERS["combine"]}
    return [name for name in tables[table].columns if name not in known]


def _apart(rows: pl.DataFrame, labels: Sequence[str]) -> list[str]:
    """Choose the columns that name the rows."""
    # what was timed is a condition too
    timed = ["command"] if get(rows, "real_s").count() and not get(rows, "iops").count() else []
    is_log = get(rows, "quantity").count() and not timed
    jobs = ["job"] if is_log or _differs(rows, "job") else []
    wanted = dict.fromkeys([*labels, *jobs, *timed, *CONDITIONS])  # {iodepth} is both
    kept = [name for name in wanted if name in rows.columns]
    told = _told(rows, kept)
    for name in _NAMES:
        if told == 2 * rows.height:
            break
        is_new = name not in kept and _differs(rows, name)
        more = _told(rows, [*kept, name]) if is_new else told
        if more > told:
            kept, told = [*kept, name], more
    return sorted(kept, key=lambda name: name in CONDITIONS)


def _told(rows: pl.DataFrame, names: Sequence[str]) -> int:
    """Count the rows that differ in some columns, and those that have a value there."""
    there = [name for name in (*names, "direction", "quantity") if name in rows.columns]
    own = rows.select(there)
    is_named = own.select(pl.any_horizontal(pl.all().is_not_null())).to_series()
    return own.n_unique() + int(is_named.sum())


def _differs(rows: pl.DataFrame, name: str) -> bool:
    return name in rows.columns and rows[name].drop_nulls().n_unique() > 1
