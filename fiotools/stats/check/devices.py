"""What reached the devices, by an iostat that ran beside (`fiotools.stats.beside`).

Its count holds for any tool, also where fio finds no device and dd has none to name. It needs
iostat's times, and an iostat that is certainly the run's. Devices of a server are not in it.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiotools.stats import beside
from fiotools.stats.check.evidence import Evidence, Finding
from fiotools.stats.check.outcomes import Phrase, phrase
from fiotools.stats.check.runs import Counter, Row, RunFacts, window

_SHORT = {"read": "short_read", "write": "short_write"}


def counted(run: RunFacts, known: Evidence) -> Iterator[Finding]:
    """Compare what the devices moved with what the run did, in each direction."""
    if run.counter is None:
        return
    for direction in ("read", "write"):
        rows = [row for row in run.wholes() if row["direction"] == direction]
        if not rows or any(run.is_bypassing(row) for row in rows):
            continue
        probe = Finding("device", direction)
        if isinstance(run.counter, Counter):
            found = _judged(run, run.counter, direction, rows, probe, known)
            if found is not None:
                yield found
        else:
            yield probe.found("whose")


def _judged(
    run: RunFacts,
    counter: Counter,
    direction: str,
    rows: list[Row],
    probe: Finding,
    known: Evidence,
) -> Finding | None:
    moved = sum(row["io_bytes"] or 0 for row in rows) / (known.compression or 1.0)
    runtime = max((row["runtime_s"] or 0.0 for row in rows), default=0.0)
    seen = beside.counted(counter.samples, direction, run.disks, window(run))
    if not moved or not runtime or seen is None:
        return None
    verdict, share = seen.verdict(moved, runtime)
    how = phrase(f"beside_{counter.by}", source=_name(counter.head["source"]))
    if share is None:
        rates = {"most": seen.most, "rate": moved / runtime}
        return probe.of(seen.most, moved / runtime, "B/s").found("untimed", **rates, how=how)
    limit = beside.FAR if verdict == "more" else beside.ENOUGH
    probe = probe.of(100 * share, 100 * limit, "%")
    if verdict == "more":
        return probe.found(verdict, devices=seen.devices, times=share, how=how)
    if verdict == "short":
        if known.is_memory:
            return probe.found("memory")
        verdict = _SHORT[direction]
    said = phrase(f"iostat_{direction}", devices=seen.devices, share=100 * min(share, 1))
    if verdict == "counted" and seen.util_pct is not None and seen.queue is not None:
        return probe.found("busy", said=said, busy=_busy(seen.util_pct, seen.queue), how=how)
    return probe.found(verdict, said=said, how=how)


def _name(source: str) -> str:
    return source.rpartition("/")[2]


def _busy(util_pct: float, queue: float) -> Phrase:
    return phrase("device_busy", share=util_pct, n=queue)
