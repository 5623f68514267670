"""One percentile of one histogram, with all that is known of it."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import Any

from fiotools.language import say
from fiotools.stats.bins import Bin, Histogram
from fiotools.stats.extremes import Extremes
from fiotools.stats.quantiles import FEW, ios_needed, middle, rank, ranks_around
from fiotools.vocabulary import DType

COLUMNS: dict[str, DType] = {
    **dict.fromkeys(("percentile", "value_ns", "bound_lo_ns", "bound_hi_ns"), "float64"),
    **dict.fromkeys(("value_lo_ns", "value_hi_ns", "confidence"), "float64"),
    "note": "str",
    "total_ios": "Int64",
    "n": "Int64",
    **dict.fromkeys(("method", "varies_in", "warnings"), "str"),
}


def quantile_row(
    own: Histogram, limit: Extremes, percentile: float, confidence: float
) -> dict[str, Any]:
    """Make one row of the answer."""
    n = sum(own.counts.values())
    line: dict[str, Any] = dict.fromkeys(COLUMNS) | {
        "percentile": percentile,
        "total_ios": n,
        "n": own.n,
        "method": "bins",
        "varies_in": own.varies_in,
        "confidence": confidence,
    }
    notes = [*warnings_of(own), *limit.notes]
    if n == 0:
        return line | {"warnings": "; ".join([*notes, "no I/Os"])}
    edges, counted = list(own.counts), list(accumulate(own.counts.values()))

    def bin_of(place: int) -> Bin:
        return limit.clamp(edges[bisect_left(counted, place)])

    bounds = edges[bisect_left(counted, rank(percentile, n))]
    value = middle(*bounds)
    low, high = limit.clamp(bounds)
    line |= {"bound_lo_ns": low, "bound_hi_ns": high}
    if value is None:
        notes.append("in the last bin, which has no end")
    else:
        line["value_ns"] = min(max(value, low), high)
    between = ranks_around(percentile, n, confidence)
    if between is not None:
        line["value_lo_ns"], line["value_hi_ns"] = bin_of(between[0])[0], bin_of(between[1])[1]
        line["note"] = (
            say("within the {n} runs, if I/Os were independent", n=own.n)
            if own.n is not None and own.n > 1
            else say("within the run, if I/Os were independent")
        )
    elif percentile == 100:
        notes.append("no interval of a maximum")
    else:
        notes.append(f"need >= {ios_needed(percentile, confidence):g} I/Os for an interval")
    # in whole numbers, for 100 - 99.9 is a little more than .1
    if round(n * (100 - percentile), 6) < 100 * FEW:
        notes.append(f"fewer than {FEW} I/Os beyond it")
    return line | {"warnings": "; ".join(notes) or None}


def warnings_of(own: Histogram) -> list[str]:
    """Say what to know of a histogram before believing it."""
    found = ["finer bins were added to coarser ones"] if own.coarser else []
    return found + ([f"bins vary in {own.varies_in}"] if own.varies_in else [])
