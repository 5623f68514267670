"""The rate of the link and of the medium: no more passes than they carry.

A guest's disks say of themselves what their host makes up: ``ROTA=1`` where nothing rotates, SATA
where there is no cable. So a hard disk is never taken from a file, and an SSD only where nothing
looks virtual. The kernel calls NVMe by its name; how fast a link is it does not say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from fiotools.hints import argument, typed
from fiotools.stats.check.evidence import Evidence
from fiotools.stats.check.finding import Finding
from fiotools.stats.check.flows import Flow, busiest, flows, has_data
from fiotools.stats.check.links import Link
from fiotools.stats.check.runs import Run
from fiotools.units import human

_SLACK = 1.02  # rounding of what was printed
_PLATTER = 300e6  # B/s: the outer tracks of a large disk


def ceiling(run: Run, known: Evidence) -> Iterator[Finding]:
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


def _carried(flow: Flow, link: Link, known: Evidence) -> Finding:
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


def _platter(flow: Flow, known: Evidence) -> Iterator[Finding]:
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


_NVME = re.compile(r"nvme\d+(?:c\d+)?n\d+(?:p\d+)?")
_VIRTUAL = re.compile(
    r"QEMU|VBOX|VMware|Virtual|Msft|Microsoft|Parallels|BHYVE|Xen|Amazon|Google|Oracle"
    r"|-\d+[ _]SSD$",  # Parallels names a disk after its guest: Ubuntu-0 SSD
    re.I,
)
_LINKS = {"usb": "usb3-5g", "sata": "sata-3", "sas": "sas-3", "nvme": "pcie3-x4"}


def media_of(run: Run) -> str | None:
    """Say what the devices of a run are, where the files leave no doubt."""
    told = run.device
    if _is_virtual(run):
        return None
    if run.disks and all(_NVME.fullmatch(name) for name in run.disks):
        return "nvme"
    # a disk on USB may be an NVMe SSD in a case
    is_ssd = told.get("tran") == "sata" and told.get("rota") == "0"
    return "sata-ssd" if is_ssd and told.get("model") else None


def hanging(run: Run) -> str | None:
    """Say which link to give, where `lsblk` names its kind."""
    told = run.device
    example = _LINKS.get(told.get("tran", ""))
    if example is None or _is_virtual(run):
        return None
    model = f" ({told['model']})" if told.get("model") else ""
    said = f"lsblk says that {told['name']}{model} hangs on {told['tran']}, and not how fast it is"
    link = typed(f'link="{example}"', f"--link {example}")
    return f"{said}: give {link} or what it is, and {argument('devices')}"


def _is_virtual(run: Run) -> bool:
    return _VIRTUAL.search(run.device.get("model", "")) is not None
