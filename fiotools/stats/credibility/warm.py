"""Cold against warm: two populations, and how much of the cold one was warm."""

from __future__ import annotations

from collections.abc import Iterator

from fiotools.spelling import argument
from fiotools.stats.credibility.finding import Finding
from fiotools.stats.credibility.known import Known
from fiotools.stats.credibility.pagecache import DROPS
from fiotools.stats.credibility.pairs import Pair

_BASIS = "share of hits h = (1 - 1/S) / (1 - 1/S_max), for a gain S by the cache"


def warm(pair: Pair, known: Known) -> Iterator[Finding]:
    """Say what a cache's gain tells; the baseline is the cold side."""
    if known.sides != "cache":
        return
    gain = pair.ratio
    if gain <= 1.1:
        why = f"{gain:.3g} times as fast: the cache changed nothing, so both sides are cold or warm"
        remedy = "drop the cache before the cold run, and read the file once before the warm one"
        yield Finding("warm", pair.subject, "suspect", why, _BASIS, remedy, gain, 1.1)
        return
    least = 1 - 1 / gain
    share = f"between {100 * least:.0f} and 100 % of the warm run were hits"
    if known.speedup_max is not None:
        hits = least / (1 - 1 / known.speedup_max)
        share = f"{100 * min(hits, 1):.0f} % of the warm run were hits"
        if hits > 1:
            most = argument("speedup_max", known.speedup_max)
            why = f"{gain:.3g} times as fast is more than a cache can gain ({most})"
            remedy = "find out again what a cache gains at most"
            yield Finding(
                "warm", pair.subject, "suspect", why, _BASIS, remedy, gain, known.speedup_max
            )
            return
    said = f"{gain:.3g} times as fast: {share}, if the cold one had none"
    if any(word in pair.baseline.command for word in DROPS) or known.cache == "cold":
        remedy = "never pool the two: they are two populations"
        yield Finding("warm", pair.subject, "ok", said, _BASIS, remedy, gain)
        return
    why = f"{said}; nothing shows that the cache was empty before the cold run"
    remedy = "drop the cache first and show it; never pool the two"
    yield Finding("warm", pair.subject, "unknown", why, _BASIS, remedy, gain)
