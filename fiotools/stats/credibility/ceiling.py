"""The link's ceiling: no more passes than it carries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fiotools.spelling import argument, typed
from fiotools.stats.credibility.devices import hanging
from fiotools.stats.credibility.finding import Finding
from fiotools.stats.credibility.flows import Flow, busiest, flows, has_data
from fiotools.stats.credibility.known import Known
from fiotools.stats.credibility.links import Link
from fiotools.stats.credibility.runs import Run
from fiotools.units import human

_SLACK = 1.02  # rounding of what was printed
_PLATTER = 300e6  # B/s: the outer tracks of a large disk


def ceiling(run: Run, known: Known) -> Iterator[Finding]:
    """Hold the rate of each direction against what the link and the medium carry."""
    found = busiest(flows(run, known))
    if not found:
        moved = any(has_data(row) for row in run.io)
        if moved or (run.timing is not None and not run.io):
            why = "how many bytes were moved, and in which time, is not in the report"
            remedy = f"for timed commands, give {argument('moved')}"
            yield Finding("link", "run", "unknown", why, "-", remedy)
        return
    if known.link is None:
        rates = ", ".join(human(flow.rate, "B/s") for flow in found)
        yield Finding(
            "link",
            "run",
            "unknown",
            f"whether anything carries {rates} depends on the link, which is not known",
            f"none without {argument('link')}",
            hanging(run) or _ask(),
            observed=max(flow.rate for flow in found),
            unit="B/s",
        )
    else:
        for flow in _on(known.link, found):
            yield _carried(flow, known.link, known)
    if known.media == "hdd":
        for flow in _on(Link("", 1, True, ""), found):
            yield from _platter(flow, known)


def _on(link: Link, found: list[Flow]) -> list[Flow]:
    """Add up reads and writes where they share the link."""
    ways = [flow for flow in found if flow.direction in ("read", "write")]
    if not link.is_shared or len(ways) < 2:
        return found
    same = len({flow.row["entry"] if flow.row else None for flow in ways}) == 1
    # of two entries it is not certain that they ran together
    if not same:
        return found
    first = ways[0]
    rate = sum(flow.rate for flow in ways)
    return [replace(first, subject="read and write", direction="total", rate=rate)]


def _carried(flow: Flow, link: Link, known: Known) -> Finding:
    both = 2 if flow.is_two_way and not link.is_shared else 1
    limit = (known.carried or 0.0) * both
    times = flow.rate / limit
    links = f"{known.devices} links" if (known.devices or 1) > 1 else "the link"
    ways = " both ways" if both == 2 else ""
    said = f"{human(flow.rate, 'B/s')} is {times:.3g} times the {human(limit, 'B/s')}"
    said += f" that {links} ({link.name}) can carry{ways}"
    said += f" of data that packs {known.compression:.3g} times" if known.compression else ""
    basis = link.basis
    if times <= _SLACK:
        return Finding("link", flow.subject, "ok", said, basis, None, flow.rate, limit, "B/s")
    if known.is_memory:
        why = f"{said}: it is a rate of memory, as was declared"
        return Finding("link", flow.subject, "ok", why, basis, None, flow.rate, limit, "B/s")
    why = f"{said}: impossible as a rate of the disk"
    return Finding(
        "link", flow.subject, "impossible", why, basis, _remedy(), flow.rate, limit, "B/s"
    )


def _platter(flow: Flow, known: Known) -> Iterator[Finding]:
    limit = _PLATTER * (known.devices or 1)
    if flow.rate <= _SLACK * limit or known.cache == "warm":
        return
    yield Finding(
        "medium",
        flow.subject,
        "suspect",
        f"{human(flow.rate, 'B/s')} is {flow.rate / limit:.3g} times what the platters of a hard "
        f"disk give at best (about {human(limit, 'B/s')})",
        "outer tracks of large hard disks, as their makers state it",
        _remedy(),
        observed=flow.rate,
        limit=limit,
        unit="B/s",
    )


def _remedy() -> str:
    return (
        "do not report it as a rate of the disk: empty the caches of guest and host, flush, use "
        f"random data, and count the bytes at the device; {argument('compression')} says how far "
        "it is packed"
    )


def _ask() -> str:
    example = typed('link="usb3-5g"', "--link usb3-5g")
    return f"give {argument('link')}, such as {example}, and {argument('devices')}"
