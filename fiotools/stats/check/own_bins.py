"""Whether a latency's figures lie within what its own percentiles and bins allow.

Between two percentiles lie the I/Os of that share, none faster than the one nor slower than the
other: so a curve bounds the mean from both sides, and so do bins.
"""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from fiotools.language import say
from fiotools.stats.check.runs import Row, Run
from fiotools.units import human

_SLACK = 0.03  # fio's bins are 1/64 wide, and their middles are printed
_ROUNDED = 1000.0  # ns: what formats that print microseconds cut off
_CENTS = 0.01  # percent: how shares are printed
_PLACE = ("entry", "direction", "scope", "thread", "target")

Span = tuple[float, float, float]  # percent of the I/Os, from where and to where they lie, in ns


def inside(run: Run) -> Iterator[str | None]:
    """Hold means and percentiles against the curve and the bins; None where they agree."""
    curves = _by_latency(run.tables["percentiles"])
    bins = _by_latency(run.tables["bins"])
    for row in run.io:
        for latency in ("clat", "lat"):
            place = (*(row[name] for name in _PLACE), latency)
            least, mean, most = (row[f"{latency}_{name}_ns"] for name in ("min", "mean", "max"))
            if least is None or mean is None or most is None or not row["total_ios"]:
                continue
            name = f"{latency}, {run.subject(row, say)}"
            one = 100 / row["total_ios"]
            curve = sorted((point["percentile"], point["value_ns"]) for point in curves[place])
            yield from _outside(name, curve, least, most)
            points = [(0.0, least), *curve, (100.0, most)]
            yield from _mean(
                name, mean, [(b - a, v, w) for (a, v), (b, w) in pairwise(points)], one
            )
            shares = _shares(bins[place], least, most)
            yield from _mean(name, mean, shares, one)
            yield from _off(name, curve, shares, one)


def _by_latency(rows: list[Row]) -> dict[tuple[object, ...], list[Row]]:
    found: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    for row in rows:
        if row.get("value_ns", 0) is not None:
            found[*(row[name] for name in _PLACE), row["latency"]].append(row)
    return found


def _shares(bins: list[Row], least: float, most: float) -> list[Span]:
    """Give the shares of bins, by size; what no bin has lies anywhere."""
    counts = [row["pct"] if row["count"] is None else row["count"] for row in bins]
    if not counts or None in counts or any(row["time_s"] is not None for row in bins):
        return []
    whole = sum(counts) if bins[0]["pct"] is None else max(100.0, sum(counts))
    spans = sorted(
        (row["bin_lo_ns"], min(row["bin_hi_ns"] or most, most), 100 * count / whole)
        for count, row in zip(counts, bins, strict=True)
        if count
    )
    rest = 100.0 - sum(share for *_, share in spans)
    return [(rest, least, most), *((share, low, high) for low, high, share in spans)]


def _outside(
    name: str, curve: list[tuple[float, float]], least: float, most: float
) -> Iterator[str | None]:
    """Ask whether percentiles lie between the least and the greatest."""
    for percentile, value in curve:
        if (1 - _SLACK) * least - _ROUNDED <= value <= (1 + _SLACK) * most + _ROUNDED:
            continue
        yield say(
            "{name}: percentile {percentile} is {value}, and all I/Os took {least} to {most}",
            name=name,
            percentile=f"{percentile:g}",
            value=human(value, "ns"),
            least=human(least, "ns"),
            most=human(most, "ns"),
        )
        return
    if curve:
        yield None


def _mean(name: str, mean: float, shares: list[Span], one: float) -> Iterator[str | None]:
    """Ask whether the mean lies where the shares allow."""
    if len(shares) < 2:
        return
    # an I/O more or less, and hundredths of a percent that were rounded up
    off = max(one, _CENTS * len(shares)) / 100 * max(high for _, _, high in shares)
    low = sum(share * lo for share, lo, _ in shares) / 100 * (1 - _SLACK) - off - _ROUNDED
    high = sum(share * hi for share, _, hi in shares) / 100 * (1 + _SLACK) + off + _ROUNDED
    if low <= mean <= high:
        yield None
        return
    yield say(
        "{name}: the mean is {mean}, and its own bins or percentiles leave {low} to {high}",
        name=name,
        mean=human(mean, "ns"),
        low=human(max(low, 0.0), "ns"),
        high=human(high, "ns"),
    )


def _off(
    name: str, curve: list[tuple[float, float]], shares: list[Span], one: float
) -> Iterator[str | None]:
    """Ask whether each percentile lies in its bin, or beside it."""
    if not curve or not shares:
        return
    (rest, *_), *spans = shares
    slack = one + rest + _CENTS * len(spans)
    for percentile, value in curve:
        at = bisect([low for _, low, _ in spans], value) - 1
        faster = sum(share for share, *_ in spans[: max(at - 1, 0)])
        up_to = sum(share for share, *_ in spans[: at + 2])
        if faster - slack <= percentile <= up_to + slack:
            continue
        yield say(
            "{name}: percentile {percentile} is {value}, where its own bins have {low} to {high} %",
            name=name,
            percentile=f"{percentile:g}",
            value=human(value, "ns"),
            low=f"{faster:.3g}",
            high=f"{up_to:.3g}",
        )
        return
    yield None
