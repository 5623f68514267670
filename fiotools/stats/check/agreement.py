"""Whether the mean, the percentiles and the bins of one latency fit together.

Between two percentiles lie the I/Os of that share, none faster than the one nor slower than the
other: so a curve bounds the mean from both sides, and so do bins. All distributions are judged at
once, in columns: those of one row of `io` and one latency follow each other.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from fiotools import units
from fiotools.stats.check.latencies import PLACE, ROUNDED, Distributions
from fiotools.stats.check.outcomes import Phrase, phrase
from fiotools.stats.check.reading import Reading
from fiotools.stats.check.runs import Row, RunFacts
from fiotools.stats.check.tally import Tally

_BINS = 0.03  # fio's bins are 1/64 wide, and their middles are printed
_WIDE = (
    0.15  # how far coarse bins may be off: those of fio 2 are of lat, beside percentiles of clat
)
_CENT = 0.01  # percent: how shares are printed, rounded up
_ENDS = {"least": "min", "mean": "mean", "most": "max"}
_OF_ROW = ("nth", "entry", "direction", "job", "latency", *_ENDS, "one")

row, least, mean, most, one = map(pl.col, ("row", "least", "mean", "most", "one"))
low, high, share, percentile, value = map(
    pl.col, ("low", "high", "share", "percentile", "value_ns")
)
_IS_FIRST = row.ne_missing(row.shift(1))


def agreement(reading: Reading, tally: Tally) -> None:
    """Compare means and percentiles with the curve and the bins."""
    latencies = reading.latencies
    if latencies.curve.heads.is_empty() and latencies.bin.heads.is_empty():
        return
    rows = _rows(reading.io)
    points, spans = _points(_beside(rows, latencies.curve)), _spans(_beside(rows, latencies.bin))
    curves, bins = _of_curves(points), _of_bins(spans)
    every, agrees = pl.lit(value=True), value.is_null()
    of_mean = (every, mean.is_between(low, high), _said_mean)
    tally.ask(curves, (every, agrees, _said_outside), of_mean)
    if len(bins):
        tally.ask(bins, of_mean)
        tally.ask(_places(points, spans, bins), (every, agrees, _said_off))


def _rows(io: pl.DataFrame) -> pl.DataFrame:
    """Give each row of `io` and latency its ends and mean, and the share of one I/O."""
    there = io.filter(pl.col("total_ios") != 0)
    both = [
        there.select(
            *(*PLACE, "nth", "job"),
            *(pl.col(f"{latency}_{end}_ns").alias(name) for name, end in _ENDS.items()),
            latency=pl.lit(latency),
            one=100 / pl.col("total_ios"),
        )
        for latency in ("clat", "lat")
    ]
    return pl.concat(both).drop_nulls([*_ENDS]).with_row_index("row")


def _beside(rows: pl.DataFrame, distributions: Distributions) -> pl.DataFrame:
    """Join the values of a distribution to the row that they are of."""
    keys = [*PLACE, "latency"]
    heads = distributions.heads.unique().cast({name: rows.schema[name] for name in keys})
    known = rows.join(heads, on=keys, nulls_equal=True, maintain_order="left")
    values = known.select("row", *_OF_ROW, "at")
    return values.join(distributions.rows, on="at", maintain_order="left_right").drop("at")


def _points(beside: pl.DataFrame) -> pl.DataFrame:
    """Give each percentile the I/Os before it: their share, and between what they lie."""
    before = pl.when(_IS_FIRST).then(0.0).otherwise(percentile.shift(1))
    fastest = pl.when(_IS_FIRST).then(least).otherwise(value.shift(1))
    return beside.with_columns(share=percentile - before, low=fastest, high=value)


def _of_curves(points: pl.DataFrame) -> pl.DataFrame:
    """Bound the mean of each curve, and find its first percentile outside of the ends."""
    inside = value.is_between((1 - _BINS) * least - ROUNDED, (1 + _BINS) * most + ROUNDED)
    return points.group_by("row", maintain_order=True).agg(
        pl.col(*_OF_ROW).first(),
        *_bounds(one.first(), value.last()),
        pl.col("percentile", "value_ns").filter(~inside).first(),
    )


def _bounds(off: pl.Expr, slowest: pl.Expr) -> list[pl.Expr]:
    """Bound the mean of a row by the shares of its I/Os; the rest lies between two values."""
    rest = 100 - share.sum()
    # an I/O more or less
    slack = off / 100 * pl.max_horizontal(high.max(), most.first()) + ROUNDED
    least_mean = ((share * low).sum() + rest * slowest) / 100 * (1 - _BINS) - slack
    most_mean = ((share * high).sum() + rest * most.first()) / 100 * (1 + _BINS) + slack
    return [least_mean.alias("low"), most_mean.alias("high")]


def _spans(beside: pl.DataFrame) -> pl.DataFrame:
    """Give each bin its share of the I/Os, and between what they lie."""
    amount = pl.coalesce("count", "pct")
    of_run = beside.filter(
        (amount.null_count() == 0).over("row") & (pl.col("time_s").count() == 0).over("row")
    ).with_columns(amount=amount, is_cut=(pl.col("count").null_count() > 0).over("row"))
    counted = pl.col("amount").sum().over("row")
    whole = pl.when(pl.col("pct").is_null()).then(counted)
    highest = pl.when(pl.col("bin_hi_ns") != 0).then("bin_hi_ns").otherwise(most)
    return of_run.with_columns(
        low="bin_lo_ns",
        high=pl.min_horizontal(highest, most),
        share=100 * pl.col("amount") / whole.otherwise(pl.max_horizontal(pl.lit(100.0), counted)),
    ).filter(share != 0)


def _of_bins(spans: pl.DataFrame) -> pl.DataFrame:
    """Bound the mean of each row by its bins."""
    off = pl.max_horizontal(one.first(), _CENT * (pl.len() + 1))
    off = pl.when(pl.col("is_cut").first()).then(off).otherwise(one.first())
    return spans.group_by("row", maintain_order=True).agg(
        pl.col(*_OF_ROW, "is_cut").first(),
        *_bounds(off, least.first()),
        slack=off + 100 - share.sum(),  # the share that no bin has lies anywhere
        first=share.first(),
    )


def _places(points: pl.DataFrame, spans: pl.DataFrame, bins: pl.DataFrame) -> pl.DataFrame:
    """Find the first percentile of each row that lies neither in its bin nor beside it.

    That is the bin before or after; of wide bins only as far as the value may be off.
    """
    near = pl.when("is_cut").then(_WIDE).otherwise(_BINS)
    asked = points.join(bins.select("row", "is_cut", "slack", "first"), on="row")
    asked = asked.sort("row", "value_ns").with_columns(
        surely=(1 - near) * value - ROUNDED, perhaps=(1 + near) * value + ROUNDED
    )
    upto = share.cum_sum().over("row")
    steps = spans.select("row", "low", "high", upto=upto).with_columns(
        before=pl.col("upto").shift(2).over("row"),
        after=pl.coalesce(pl.col("upto").shift(-1).over("row"), "upto"),
    )
    for own in (
        steps.select("row", "before", "after", value_ns="low"),
        steps.select("row", surely="high", below="upto").sort("row", "surely"),
        steps.select("row", perhaps="low", above="upto"),
    ):
        (name,) = {"value_ns", "surely", "perhaps"} & {*own.columns}
        is_exact = name != "perhaps"
        asked = asked.join_asof(
            own, on=name, by="row", allow_exact_matches=is_exact, check_sortedness=False
        )
    faster = pl.max_horizontal(pl.lit(0.0), "before", "below")
    slower = pl.min_horizontal(pl.coalesce("after", "first"), pl.coalesce("above", pl.lit(0.0)))
    found = asked.with_columns(low=faster, high=slower)
    is_wrong = ~percentile.is_between(low - pl.col("slack"), high + pl.col("slack"))
    told = pl.col("percentile", "value_ns", "low", "high")
    return found.group_by("row", maintain_order=True).agg(
        pl.col(*_OF_ROW).first(),
        told.filter(is_wrong).sort_by(percentile.filter(is_wrong)).first(),
    )


def _name(run: RunFacts, told: Row) -> dict[str, Any]:
    return {"latency": told["latency"], "subject": run.subject(told)}


def _said_outside(run: RunFacts, told: Row) -> Phrase:
    at, ends = units.percentile(told["percentile"]), {x: told[x] for x in ("least", "most")}
    return phrase("outside", **_name(run, told), percentile=at, value=told["value_ns"], **ends)


def _said_mean(run: RunFacts, told: Row) -> Phrase:
    bounds = {"low": max(told["low"], 0.0), "high": told["high"]}
    return phrase("mean", **_name(run, told), mean=told["mean"], **bounds)


def _said_off(run: RunFacts, told: Row) -> Phrase:
    at, bounds = units.percentile(told["percentile"]), {x: told[x] for x in ("low", "high")}
    return phrase("off", **_name(run, told), percentile=at, value=told["value_ns"], **bounds)
