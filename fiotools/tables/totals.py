"""Rows added up: reads and writes to their total, threads or jobs to what they did together.

Tables hold parts only, so that their rows add up. A total is computed where it is asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import polars as pl

from fiotools.vocabulary import CONDITIONS, KEYS, TABLES

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrameT

TOTAL = "total"  # the direction of reads and writes together
PARTS = ("read", "write", "mixed")  # mixed where the tool does not tell them apart
SUMS = ("io_bytes", "total_ios", "short_ios", "drop_ios")
AMOUNTS = {"iops": "total_ios", "bw_bytes_per_s": "io_bytes"}  # what each rate counts
LATENCIES = ("slat", "clat", "lat")
MEASURES = (
    *(*SUMS, *AMOUNTS, "runtime_s"),
    *(f"{kind}_{stat}_ns" for kind in LATENCIES for stat in ("min", "max", "mean", "stddev")),
)
RUN = ("source", "run")
SAME_TIME = 0.02  # each job stops at its own last I/O: runtimes this close are one time
WITH_PARTS = ("io", "threads")  # the tables whose rows add up
_AT, _WAYS, _WHOLE = "at row", "so many ways", "of all ways"  # no labels: those have no blanks


def with_totals(
    io: pl.DataFrame, runs: pl.DataFrame | None = None, *, asked: bool = False
) -> pl.DataFrame:
    """Add the totals of reads and writes behind the entries of all or some runs that have both.

    Where totals were asked for, reads alone have one too.
    """
    if "direction" not in io.columns or (io["direction"] == TOTAL).any():
        return io
    rows = io.with_row_index(_AT).with_columns(pl.col("direction").cast(pl.String))
    parts = rows.filter(pl.col("direction").is_in(PARTS))
    if runs is not None:
        parts = parts.join(runs, on=RUN, how="semi")
    # without a number of the run each row is of a run that its labels name
    whose = [name for name in KEYS if name in io.columns and name != "direction"]
    shared = [_shared(name) for name in (*CONDITIONS, "clones") if name in io.columns]
    ways = pl.col("direction").n_unique().alias(_WAYS)
    found = _added(parts, whose, [ways, pl.col(_AT).max(), *shared])
    found = found.filter(pl.col(_WAYS) >= (1 if asked else 2)).drop(_WAYS)
    found = found.with_columns(pl.lit(TOTAL).alias("direction"))
    both = pl.concat([rows, found], how="diagonal_relaxed")
    return both.sort(_AT, maintain_order=True).drop(_AT)


def of_clients(io: pl.DataFrame) -> pl.DataFrame:
    """Add up the clients of a run of fio, which it does as well."""
    if not {"host", *RUN} <= {*io.columns} or not io["host"].count():
        return io
    rows = io.with_row_index(_AT)
    of_client = pl.col("host").is_not_null()
    own = [name for name in (*CONDITIONS, "job", "target") if name in io.columns]
    shared = [_shared(name) for name in own]
    found = _added(
        rows.filter(of_client),
        [*RUN, "group", "direction"],
        [pl.col(_AT).min(), pl.col("clones").sum(), *shared],
    )
    both = pl.concat([rows.filter(~of_client), found], how="diagonal_relaxed")
    return both.sort(_AT).drop(_AT)


def _added(rows: pl.DataFrame, whose: Sequence[str], more: Sequence[pl.Expr]) -> pl.DataFrame:
    """Add up the rows of each of those, which labels keep apart as well."""
    known = {*KEYS, *TABLES["threads"], _AT}
    labels = [name for name in rows.columns if name not in known]
    apart = [*whose, *(name for name in labels if not rows.schema[name].is_float())]
    one = pl.lit(0).alias(_WHOLE)  # without any of these, all rows are of one
    return (
        rows.group_by(one, *apart, maintain_order=True)
        .agg(*more, *sums([name for name in rows.columns if name not in apart]))
        .drop(_WHOLE)
    )


def _shared(name: str) -> pl.Expr:
    """Keep a value that all rows have."""
    return pl.when(pl.col(name).n_unique() == 1).then(pl.col(name).first()).alias(name)


def wholes(percentiles: IntoDataFrameT) -> IntoDataFrameT:
    """Keep the percentiles of whole runs where a tool printed them: they do not add up.

    Those of fio's clients and DISKSPD's targets stand beside them.
    """
    import narwhals as nw  # a reader of files needs neither it nor this function

    data = nw.from_native(percentiles, eager_only=True)
    if not {*RUN, "entry", "target"} <= {*data.columns}:
        return percentiles
    is_whole, of_all = nw.col("entry").is_null(), nw.col("target").is_null()
    outside = nw.when(of_all).then(nw.lit(0)).otherwise(nw.lit(2))  # of a run, or of a target
    level = nw.when(is_whole).then(outside).otherwise(nw.lit(1))
    told = data.with_columns(level.alias(_AT))
    least = nw.col(_AT).min().over(*RUN)
    return nw.maybe_reset_index(told.filter(nw.col(_AT) == least).drop(_AT)).to_native()


def sums(names: Collection[str]) -> list[pl.Expr]:
    """Return how the measures among these columns are added up, for the rows of a group.

    Amounts and rates are summed; over unequal times, the amounts are shared out over the longest,
    as in fio's group_reporting. For parts with n_i I/Os, means m_i and standard deviations s_i, the
    pooled variance is ``(sum((n_i - 1) s_i^2) + sum(n_i (m_i - m)^2)) / (N - 1)``. A sum is null if
    a part is: the others are not the whole.
    """
    there = [name for name in MEASURES if name in names]
    return [_sum(name, names).alias(name) for name in there]


def _sum(name: str, names: Collection[str]) -> pl.Expr:
    own, took = pl.col(name), pl.col("runtime_s")
    if name in AMOUNTS and "runtime_s" in names:
        is_one_time = took.min() >= (1 - SAME_TIME) * took.max()
        amount = pl.col(AMOUNTS[name]) if AMOUNTS[name] in names else pl.lit(None, pl.Float64)
        over_longest = _known(amount, amount.sum()) / took.max()
        is_apart = took.is_not_null().all() & ~is_one_time
        return pl.when(is_apart).then(over_longest).otherwise(_known(own, own.sum()))
    if name in AMOUNTS or name in SUMS:
        return _known(own, own.sum())
    if name == "runtime_s" or name.endswith("_max_ns"):
        return _known(own, own.max())
    if name.endswith("_min_ns"):
        return _known(own, own.min())
    if "total_ios" not in names:
        return pl.lit(None, pl.Float64)
    n = pl.col("total_ios")
    mean = pl.col(f"{name.split('_')[0]}_mean_ns") if name.endswith("_stddev_ns") else own
    every = n.sum()
    center = _weighted(n, mean, mean) / every
    if mean is own:
        return pl.when(every > 0).then(center)
    if mean.meta.output_name() not in names:
        return pl.lit(None, pl.Float64)
    within = _weighted((n - 1).clip(0), own, own**2, n)
    between = _weighted(n, mean, (mean - center) ** 2)
    return pl.when(every > 1).then(((within + between) / (every - 1)).sqrt())


def _known(one: pl.Expr, value: pl.Expr) -> pl.Expr:
    return pl.when(one.is_not_null().all()).then(value)


def _weighted(weight: pl.Expr, known: pl.Expr, value: pl.Expr, n: pl.Expr | None = None) -> pl.Expr:
    """Sum up weighted values, if all parts with I/Os are known."""
    n = weight if n is None else n
    is_known = (n.is_not_null() & (known.is_not_null() | (n == 0))).all()
    return pl.when(is_known).then((weight * value.fill_null(0)).sum())
