"""The byte budget: what was moved is in memory, or it went over the link.

Bytes that are moved again and again count once, so the size of the file bounds them. Everything
stands on the longest time there is: of the tool, or of the `time` around it.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiotools.stats.credibility.finding import Finding
from fiotools.stats.credibility.flows import Flow, flows
from fiotools.stats.credibility.known import Known
from fiotools.stats.credibility.runs import Run
from fiotools.units import human

_BASIS = "bytes moved <= memory of the guest + memory of the host + link x seconds"


def budget(run: Run, known: Known) -> Iterator[Finding]:
    """Ask where the bytes of each direction can have been."""
    if known.is_memory:
        return
    seen: set[str] = set()
    for flow in flows(run, known):
        if flow.direction == "total" or flow.direction in seen or flow.subject.endswith("all jobs"):
            continue
        seen.add(flow.direction)
        yield _spent(run, flow, known)


def _spent(run: Run, flow: Flow, known: Known) -> Finding:
    distinct, took = _distinct(run, flow), _longest(run, flow)
    terms = {
        "the guest's memory (ram=)": known.ram,
        "the link (link=)": known.link and known.link.times(known.devices),
        "the host's memory (host_ram=; 0 if there is no host)": known.host_ram,
    }
    unknown = [name for name, value in terms.items() if value is None]
    if distinct is None or not took:
        why = "how many different bytes were moved is not in the report: no size of the file"
        remedy = "keep the size of the file, and the whole output"
        return Finding("budget", flow.subject, "unknown", why, _BASIS, remedy)
    if known.ram is None or known.link is None:
        return Finding(
            "budget",
            flow.subject,
            "unknown",
            f"where {human(distinct, 'B')} were within {human(took, 's')} cannot be accounted for",
            _BASIS,
            f"not known: {', '.join(unknown)}",
            observed=distinct,
            unit="B",
        )
    carried = known.link.times(known.devices) * took
    limit = known.ram + carried + (known.host_ram or 0.0)
    held = f"{human(known.ram, 'B')} of memory"
    host = f", the host {human(known.host_ram, 'B')}" if known.host_ram else ""
    said = (
        f"of {human(distinct, 'B')} the guest holds at most {held}{host}, and the link carries "
        f"{human(carried, 'B')} in {human(took, 's')}"
    )
    rest = distinct - limit
    if rest <= 0.01 * distinct:
        return Finding("budget", flow.subject, "ok", said, _BASIS, None, distinct, limit, "B")
    left = f"at least {human(rest, 'B')} ({100 * rest / distinct:.0f} %)"
    if known.host_ram is None:
        return Finding(
            "budget",
            flow.subject,
            "suspect",
            f"{said}: {left} were neither there nor on the link, but in the memory of a host, "
            "or nowhere",
            _BASIS,
            f"not known: {', '.join(unknown)}; look at the size of the virtual disk, and count "
            "the bytes at the device",
            distinct,
            limit,
            "B",
        )
    return Finding(
        "budget",
        flow.subject,
        "impossible",
        f"{said}: {left} were never stored nor read",
        _BASIS,
        "use random data, prefill the file, and count the bytes at the device",
        distinct,
        limit,
        "B",
    )


def _distinct(run: Run, flow: Flow) -> float | None:
    """Bound the different bytes: no more than were moved, and no more than there are."""
    if flow.row is None or run.tool == "dd":
        return flow.moved
    size = flow.row["size_bytes"]
    if size is None or flow.moved is None:
        return None
    # clones may have a file each, or share one: the smaller is certain
    return float(min(flow.moved, size))


def _longest(run: Run, flow: Flow) -> float | None:
    real = run.timing["real_s"] if run.timing else None
    known = [seconds for seconds in (flow.seconds, real) if seconds]
    return max(known) if known else None
