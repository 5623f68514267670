"""Windows of a log, second half: from the sums of all batches to rows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import polars as pl

from fiotools.errors import SchemaError
from fiotools.spelling import argument
from fiotools.stats.window_sums import SINGLE, Plan

_MANY = 10_000_000  # windows: beyond, their length is a slip
_EDGE = 1e-9
_GAP, _SOON = 1.5, 0.5  # of the usual interval: what is longer or shorter is none
_LITTLE = 0.1  # of a window: of less no rate is made
_TICK = 0.001  # s: fio's logs count milliseconds, and what ends at 9.999 s fills ten seconds
_IOPS, _BW = ("iops", "iops_mean"), ("bw_bytes_per_s", "bw_mean_bytes_per_s")
_UNWEIGHTED = "a row is a window of its log: without the I/Os in each, no mean and no percentile"


def windows(parts: pl.DataFrame, plan: Plan) -> pl.DataFrame:
    """Give the windows of each log, in their order.

    Parameters
    ----------
    parts : polars.DataFrame
        Sums by the keys of the plan, and of `PARTS`.
    plan : Plan

    Returns
    -------
    polars.DataFrame
        The columns that keep windows apart, ``way`` and ``at``; ``span_s``, ``n``, ``iops``,
        ``bw_bytes_per_s``, ``mean``, ``varies_in``, ``warnings``.
    """
    singles = _singles(parts.filter(pl.col("end").is_null()), plan)
    logs = pl.concat([singles, _intervals(placed(parts, plan), plan)], how="diagonal")
    cells = [*plan.by, "way", "at"]
    others = [name for name in plan.keys if name not in plan.by]
    differing = [
        pl.when(pl.col(name).n_unique() > 1).then(pl.lit(name)).alias(f"differs {name}")
        for name in others
    ]
    rates = [
        pl.when(pl.col(name).is_not_null().all()).then(pl.col(name).sum()).alias(name)
        for name in ("iops", "bw_bytes_per_s", "total")
    ]
    found = logs.group_by(cells).agg(
        *rates,
        *differing,
        pl.col("n").sum(),
        pl.col("span_s").max(),
        pl.col("warnings").drop_nulls().first(),
    )
    said = pl.concat_str([f"differs {name}" for name in others], separator=", ", ignore_nulls=True)
    return (
        found.with_columns(
            (pl.col("total") / pl.col("n")).alias("mean"),
            said.replace("", None).alias("varies_in")
            if others
            else pl.lit(None, dtype=pl.String).alias("varies_in"),
        )
        .select(*cells, "span_s", "n", "iops", "bw_bytes_per_s", "mean", "varies_in", "warnings")
        .sort(cells)
    )


def _singles(parts: pl.DataFrame, plan: Plan) -> pl.DataFrame:
    """Give the windows of logs of single I/Os, those without I/O too."""
    group = [name for name in plan.by if name != plan.what]
    logs = [*plan.keys, "way"]
    found = parts.group_by(*logs, "at").agg(
        pl.col("n", "total", "bytes").sum(), pl.col("first").min(), pl.col("last").max()
    )
    # what any direction did shows that the log went on
    since, to = pl.col("first").min(), pl.col("last").max() + _TICK
    low, high = pl.col("at").min(), pl.col("at").max()
    whole = [since.alias("since"), to.alias("to"), low.alias("low"), high.alias("high")]
    if group:
        spans = found.group_by(group).agg(whole)
        each = found.select(logs).unique().join(spans, on=group, nulls_equal=True)
    else:
        each = found.select(logs).unique().join(found.select(whole), how="cross")
    count = each.select((pl.col("high") - pl.col("low") + 1).sum()).item()
    if count > _MANY:
        raise SchemaError(f"windows of {plan.seconds:g} s are {count:,}: take longer ones")
    each = each.with_columns(pl.int_ranges("low", pl.col("high") + 1).alias("at")).explode("at")
    begin, end = pl.col("at") * plan.seconds, (pl.col("at") + 1) * plan.seconds
    span = pl.min_horizontal(end, "to") - pl.max_horizontal(begin, "since")
    least = round(_LITTLE * plan.seconds, 9)  # as spans are
    covered = pl.when(pl.col("span_s") >= least).then("span_s")
    latency = pl.col(plan.what).cast(pl.String).is_in(SINGLE)
    return (
        each.join(found, on=[*logs, "at"], how="left", nulls_equal=True)
        .with_columns(pl.col("n", "total", "bytes").fill_null(0), span.round(9).alias("span_s"))
        .select(
            *logs,
            "at",
            "span_s",
            "n",
            (pl.col("n") / covered).alias("iops"),
            (pl.col("bytes") / covered).alias("bw_bytes_per_s"),
            pl.when(latency & (pl.col("n") > 0)).then("total").alias("total"),
            pl.lit(None, dtype=pl.String).alias("warnings"),
        )
    )


def _intervals(parts: pl.DataFrame, plan: Plan) -> pl.DataFrame:
    """Give the windows of logs whose rows are intervals; those without rows are not known."""
    logs = [*plan.keys, "way", "at"]
    each = parts.group_by(*logs, "end", "width").agg(pl.col("n", "total").sum())
    value = pl.col("total") / pl.col("n") * pl.col("width")
    found = each.group_by(logs).agg(
        pl.col("n", "total").sum(), pl.col("width").sum().alias("span_s"), value.sum().alias("sum")
    )
    none = pl.lit(None, dtype=pl.Float64)
    if plan.of_bins:
        iops, bandwidth, n = pl.col("n") / pl.col("span_s"), none, pl.col("n")
        weightless = pl.lit(False)
    else:
        what = pl.col(plan.what).cast(pl.String)
        counted, mean = what == "count", pl.col("sum") / pl.col("span_s")
        iops = (
            pl.when(counted)
            .then(pl.col("total") / pl.col("span_s"))
            .when(what.is_in(_IOPS))
            .then(mean)
        )
        bandwidth = pl.when(what.is_in(_BW)).then(mean)
        n = pl.when(counted).then(pl.col("total").cast(pl.Int64)).otherwise("n")
        weightless = what.str.ends_with("_ns")
    return found.select(
        *logs,
        "span_s",
        n.alias("n"),
        iops.alias("iops"),
        bandwidth.alias("bw_bytes_per_s"),
        none.alias("total"),
        pl.when(weightless).then(pl.lit(_UNWEIGHTED)).alias("warnings"),
    )


def placed(parts: pl.DataFrame, plan: Plan) -> pl.DataFrame:
    """Say in which window each interval lies: that of its middle; and how long it was.

    An interval begins with the end of the one before. Where that is too long ago, it gets the
    usual length, as in `plot.heatmap`.
    """
    logs = [*plan.keys, "way"]
    intervals = parts.filter(pl.col("end").is_not_null())
    ends = intervals.select(*logs, "end").unique().sort(*logs, "end")
    step = pl.col("end").diff().over(logs)
    usual = step.median().over(logs).fill_null(pl.col("end"))
    # the first counts from the start of the run, unless times count from its own end
    start = pl.when(pl.col("end") >= _SOON * usual).then(pl.col("end")).otherwise(usual)
    width = step.fill_null(start)
    ends = ends.with_columns(
        pl.when(width <= _GAP * usual).then(width).otherwise(usual).alias("width")
    )
    middle = (pl.col("end") - pl.col("width") / 2) / plan.seconds + _EDGE
    ends = ends.with_columns(middle.floor().cast(pl.Int64).alias("at"))
    return intervals.drop("at").join(ends, on=[*logs, "end"], nulls_equal=True)


def histograms(parts: pl.DataFrame, plan: Plan) -> pl.DataFrame:
    """Give the bins of each window, in their order, with ``n``."""
    is_bin, is_single = pl.col("bin_lo_ns").is_not_null(), pl.col("end").is_null()
    cells = [*plan.by, "way", "at"]
    bins = [*cells, "bin_lo_ns", "bin_hi_ns"]
    columns = [*bins, "n"]
    # lazily: of a million bins no column is copied that is not needed
    singles = parts.lazy().filter(is_bin & is_single).select(columns).collect()
    intervals = placed(parts.filter(is_bin & ~is_single), plan).select(columns)
    found = pl.concat([singles, intervals])
    found = found.group_by(bins).agg(pl.col("n").sum()).filter(pl.col("n") > 0).sort(bins)
    before = pl.col("bin_hi_ns").shift(1).over(cells)
    if found.select((before > pl.col("bin_lo_ns")).any()).item():
        raise SchemaError(
            "bins of different widths overlap in a window: keep the logs apart,"
            f" {argument('by')}, or add their bins up by merge_bins() first"
        )
    return found


def read_off(bins: pl.DataFrame, plan: Plan, wanted: Sequence[float]) -> pl.DataFrame:
    """Read percentiles off the histograms of windows, as fio does.

    Parameters
    ----------
    bins : polars.DataFrame
        As `histograms` gives them.
    plan : Plan
    wanted : sequence of float
    """
    cells = [*plan.by, "way", "at"]
    sums = bins.with_columns(
        pl.col("n").cum_sum().over(cells).alias("sum"), pl.col("n").sum().over(cells).alias("of")
    )
    found = []
    for percentile in wanted:
        share = Fraction(percentile) / 100
        ranks = {
            n: max(1, -(-n * share.numerator // share.denominator)) for n in sums["of"].unique()
        }
        rank = pl.col("of").replace_strict(ranks, return_dtype=pl.Int64)
        reached = sums.filter(pl.col("sum") >= rank)
        found.append(
            reached.group_by(cells, maintain_order=True)
            .agg(pl.col("bin_lo_ns", "bin_hi_ns").first())
            .with_columns(pl.lit(percentile, dtype=pl.Float64).alias("percentile"))
        )
    low, high = pl.col("bin_lo_ns"), pl.col("bin_hi_ns")
    # as `quantiles.middle`: rounded down in the bin's own unit
    unit = pl.when((low % 1000 != 0) | (high % 1000 != 0)).then(1.0).otherwise(1000.0)
    middle = low + unit * ((high - low) / unit / 2).floor()
    return pl.concat(found).select(
        *cells,
        "percentile",
        pl.when(high.is_finite()).then(middle).alias("value_ns"),
        low.alias("bound_lo_ns"),
        high.alias("bound_hi_ns"),
    )
