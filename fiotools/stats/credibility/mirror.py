"""A mirror against a single disk: every copy has to be written.

Of m devices, k copies and a share x of reads, m / (x + k (1 - x)) is the most that a mirror can do
against one device; there is no least, for reads at a low depth find one device only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiotools.spelling import argument
from fiotools.stats.credibility.finding import Finding
from fiotools.stats.credibility.known import Known
from fiotools.stats.credibility.pairs import Pair
from fiotools.stats.credibility.runs import Run

_BASIS = "k copies on m devices, share x of reads: m / (x + k (1 - x)) times one device"


def mirror(pair: Pair, known: Known) -> Iterator[Finding]:
    """Hold a mirror's gain against what its copies leave."""
    if known.sides != "mirror" or pair.row is None:
        return
    copies = known.copies
    if isinstance(copies, Mapping):
        if pair.level not in copies:
            return
        copies = copies[pair.level]
    direction = pair.row["direction"]
    share = {"read": 1.0, "write": 0.0}.get(direction, _reads(pair.run))
    if direction in ("read", "write") and _is_mixed(pair.run):
        return  # one direction of a mixture has the other's copies to wait for
    if copies is None or known.devices is None or share is None:
        missing = [
            name
            for name, value in (
                (f"how many copies there are ({argument('copies')})", copies),
                (f"on how many devices they lie ({argument('devices')})", known.devices),
                ("the share of reads", share),
            )
            if value is None
        ]
        why = f"{pair.ratio:.3g} times the single disk's: what a mirror can do is not known"
        remedy = f"not known: {', '.join(missing)}"
        yield Finding("mirror", pair.subject, "unknown", why, _BASIS, remedy, pair.ratio)
        return
    most = known.devices / (share + copies * (1 - share))
    said = (
        f"{pair.ratio:.3g} times the single disk's rate, where {copies} copies on {known.devices} "
        f"device{'' if known.devices == 1 else 's'} with {100 * share:.0f} % reads leave at most "
        f"{most:.3g}"
    )
    figures = (pair.ratio, most)
    if pair.ratio <= 1.1 * most:
        yield Finding("mirror", pair.subject, "ok", said, _BASIS, None, *figures)
        return
    remedy = "a cache answered, the copies lie on more devices, or the two were not measured alike"
    yield Finding("mirror", pair.subject, "suspect", said, _BASIS, remedy, *figures)


def _is_mixed(run: Run) -> bool:
    found = {row["direction"] for row in run.io}
    return {"read", "write"} <= found


def _reads(run: Run) -> float | None:
    """Give the share of reads among the I/Os."""
    counts = {"read": 0, "write": 0}
    for row in run.wholes():
        if row["direction"] in counts:
            if row["total_ios"] is None:
                return None
            counts[row["direction"]] += row["total_ios"]
    every = sum(counts.values())
    return counts["read"] / every if every else None
