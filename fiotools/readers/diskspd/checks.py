"""What DISKSPD's figures must satisfy, whichever output they come from.

Both outputs say some things twice: reads and writes make the total, threads make the run, every
I/O moves one block. Each question answers with what is wrong, or with None.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Figures = Mapping[str, Any]  # columns of one row of io
STEP_NS = 1000  # the last digit of what is printed
# 2.0.20a to 2.1 make them up
MADE_UP = "latencies of the buckets are left out: they are sure only with -L"


def from_milliseconds(value: float) -> float:
    """Make nanoseconds of milliseconds that were printed with three decimals.

    Examples
    --------
    >>> from_milliseconds(0.841), from_milliseconds(2.019)  # 2.019 * 1e6 is 2018999.9999999998
    (841000.0, 2019000.0)
    """
    return float(round(value * 1e6))


def parts(by_direction: Mapping[str, Figures], who: str) -> str | None:
    """Ask whether reads and writes are all the I/O of a row; a direction without any may miss."""
    if "total" not in by_direction:
        return None
    for name in ("io_bytes", "total_ios"):
        both = [by_direction[d].get(name) for d in ("read", "write") if d in by_direction]
        known = [value for value in both if value is not None]
        total = by_direction["total"].get(name)
        if total is not None and len(known) == len(both) and sum(known) != total:
            return f"{name}: read + write = {sum(known)}, but the total of {who} is {total}"
    return None


def blocks(rows: Iterable[tuple[Figures, int | None]]) -> str | None:
    """Ask whether every I/O moved one block, as all of DISKSPD's do."""
    for figures, block in rows:
        count, amount = figures.get("total_ios"), figures.get("io_bytes")
        if block and count and amount and amount != count * block:
            return f"{amount} bytes are not {count} I/Os of {block} bytes, the block size"
    return None


def means(rows: Sequence[Figures], total: Figures) -> str | None:
    """Ask whether the mean latencies of the threads make that of the run."""
    mean = total.get("lat_mean_ns")
    pairs = [(row.get("total_ios"), row.get("lat_mean_ns")) for row in rows]
    known = [(n, value) for n, value in pairs if n is not None and value is not None]
    count = sum(n for n, _ in known)
    if mean is None or len(known) < len(pairs) or not count or count != total.get("total_ios"):
        return None
    weighted = sum(n * value for n, value in known) / count
    if abs(weighted - mean) <= 1.01 * STEP_NS:
        return None
    return f"mean latencies of the threads make {weighted / 1e6:.3f} ms, not {mean / 1e6:.3f} ms"


def falling(percentiles: Iterable[tuple[str, float, float]]) -> str | None:
    """Say where a percentile is below a lower one, which no measured latencies can be.

    Examples
    --------
    >>> falling([("read", 50.0, 10.0), ("read", 99.0, 9.0)])
    'read: percentile 99 is below percentile 50'
    """
    before: dict[str, tuple[float, float]] = {}
    for direction, percentile, value in percentiles:
        lower, least = before.get(direction, (percentile, value))
        if value < least:
            return f"{direction}: percentile {percentile:.10g} is below percentile {lower:.10g}"
        before[direction] = percentile, value
    return None


def threads(
    said: int | None, found: Sequence[tuple[int | None, int]], each: int | None
) -> str | None:
    """Ask whether every thread is there, with every target that it works on.

    Parameters
    ----------
    said : int or None
        How many threads the file says there are.
    found : sequence of (thread, number of targets)
    each : int or None
        How many targets each thread works on, where that is known.
    """
    names = {name for name, _ in found}
    if len(names) != len(found):
        return "a thread is in the file twice"
    if said is not None and said != len(found):
        return f"{len(found)} of {said} threads are in the file"
    if each is not None and any(count != each for _, count in found):
        return f"not every thread has rows for its {each} targets"
    return None
