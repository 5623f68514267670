"""Two modes of one latency, far apart.

Told from a histogram where the report has one, else from percentiles that jump. They are hits and
misses of a cache only where the fast ones are faster than the medium can be, or where the device
gave less than was read: a processor that was taken away, an interrupt or a throttle makes slow
modes, and read-ahead makes fast ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import floor, log2

from fiotools.language import say
from fiotools.stats.check.device_share import read_share
from fiotools.stats.check.evidence import Evidence
from fiotools.stats.check.finding import Finding
from fiotools.stats.check.media import medium_of
from fiotools.stats.check.runs import Row, Run
from fiotools.units import human

_APART = 10.0
_LEAST = 0.1  # of the I/Os: a smaller mode is a tail
_ENOUGH = 100  # I/Os: ten in the smaller mode
_VALLEY = 0.25  # of the smaller mode: no deeper, no two modes
_BASIS = "modes more than 10 times apart, with 10 % of the I/Os each"


def modes(run: Run, known: Evidence) -> Iterator[Finding]:
    """Look for two modes in each direction that has one block size."""
    bins, curves = _by_row(run.tables["bins"]), _by_row(run.tables["percentiles"])
    for row in run.wholes():
        if row["direction"] not in ("read", "write") or row["ioengine"] == "null":
            continue
        place = (row["entry"], row["direction"], row["scope"])
        if place not in bins and place not in curves:
            continue
        if row["bs_bytes"] is None:
            why = say("whether the I/Os had one size is not in the report")
            remedy = say("use one block size")
            yield Finding("modes", run.subject(row), "unknown", why, _BASIS, remedy)
            continue
        if row["total_ios"] is not None and row["total_ios"] < _ENOUGH:
            n = f"{row['total_ios']:,}"
            why = say("{n} I/Os are too few to tell modes from chance", n=n)
            remedy = say("run for longer")
            yield Finding("modes", run.subject(row), "unknown", why, _BASIS, remedy)
            continue
        found = _in_bins(bins[place]) if place in bins else _in_curve(curves[place])
        if found is not None and found[1] < (row["lat_min_ns"] or 0):
            # clat begins when the submitting is over, which may have waited for the I/O itself
            why = say(
                "two modes of clat, one at about {low}, and no I/O took less than {least}, "
                "submitting included",
                low=human(found[1], "ns"),
                least=human(row["lat_min_ns"], "ns"),
            )
            remedy = say("ask fio for lat_percentiles=1")
            yield Finding("modes", run.subject(row), "unknown", why, _BASIS, remedy)
            continue
        yield _told(run.subject(row), found, _is_cached(run, row, found, known))


def _is_cached(
    run: Run, row: Row, found: tuple[float, float, float] | None, known: Evidence
) -> bool:
    """Whether the fast mode of reads is a cache's: faster than the medium, or not the device's."""
    if row["direction"] != "read" or found is None or known.is_memory:
        return False
    share = read_share(run, known)
    if share is not None and (share.is_short or share.is_whole):
        return share.is_short
    # of sequential reads the fast ones were read ahead
    return "rand" in (row["rw"] or "") and found[1] < medium_of(known).read_ns


def _told(subject: str, found: tuple[float, float, float] | None, is_cached: bool) -> Finding:
    if found is None:
        return Finding("modes", subject, "ok", say("one mode"), _BASIS)
    share, low, high = found
    said = say(
        "two modes: {share} % of the I/Os at about {low}, the others at about {high}, {times} "
        "times as long",
        share=f"{100 * share:.0f}",
        low=human(low, "ns"),
        high=human(high, "ns"),
        times=f"{high / low:.3g}",
    )
    remedy = say("report the two apart; a mean of them is nobody's latency")
    figures = (high / low, _APART)
    if not is_cached:
        return Finding("modes", subject, "ok", said, _BASIS, remedy, *figures)
    why = say("{said}: hits and misses of a cache", said=said)
    return Finding("modes", subject, "suspect", why, _BASIS, remedy, *figures)


def _by_row(rows: Sequence[Row]) -> dict[tuple[object, ...], list[Row]]:
    """Sort by row of `io`; of several latencies keep the most whole."""
    kinds: dict[tuple[object, ...], dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["latency"] != "slat" and row["direction"] is not None:
            place = (row["entry"], row["direction"], row["scope"])
            kinds[place][row["latency"]].append(row)
    return {place: own.get("lat") or next(iter(own.values())) for place, own in kinds.items()}


def _in_bins(rows: Sequence[Row]) -> tuple[float, float, float] | None:
    """Find the two highest octaves that are far apart with a valley between them.

    fio's coarsest histogram has one bin an octave: anything finer would find valleys in it.
    """
    counts: dict[int, float] = defaultdict(float)
    for row in rows:
        if row["count"] and row["bin_lo_ns"]:
            counts[floor(log2(row["bin_lo_ns"]))] += row["count"]
    every = sum(counts.values())
    if not every:
        return None
    series = [counts[at] for at in range(min(counts), max(counts) + 1)]
    first, top = min(counts), max(range(len(series)), key=series.__getitem__)
    apart = log2(_APART)
    for other in sorted(range(len(series)), key=lambda at: -series[at]):
        if abs(other - top) <= apart:
            continue
        low, high = sorted((top, other))
        middle = (low + high) / 2  # of several empty places take the one in the middle
        valley = min((series[at], abs(at - middle), at) for at in range(low, high + 1))[2]
        below = sum(series[: valley + 1]) / every
        if series[valley] > _VALLEY * series[other] or not _LEAST <= below <= 1 - _LEAST:
            continue
        return below, 2 ** (first + low + 0.5), 2 ** (first + high + 0.5)
    return None


def _in_curve(rows: Sequence[Row]) -> tuple[float, float, float] | None:
    """Find neighbouring percentiles in the bulk that are far apart."""
    curve = sorted((row["percentile"], row["value_ns"]) for row in rows if row["value_ns"])
    for (a, low), (b, high) in pairwise(curve):
        is_bulk = a >= 100 * _LEAST and b <= 100 - 100 * _LEAST and b - a <= 10
        if is_bulk and high > _APART * low:
            return (a + b) / 200, low, high
    return None
