"""The rate of the link: no more passes than it carries.

A guest's disks say of themselves what their host makes up: ``ROTA=1`` where nothing rotates, SATA
where there is no cable. So a hard disk is never taken from a file, and an SSD only where nothing
looks virtual. The kernel calls NVMe by its name; how fast a link is it does not say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fiotools.hints import argument, typed
from fiotools.language import listed, say
from fiotools.stats.check.evidence import Evidence
from fiotools.stats.check.finding import Finding
from fiotools.stats.check.flows import Flow, busiest, flows, has_data, on_link
from fiotools.stats.check.links import Link
from fiotools.stats.check.media import not_the_disk
from fiotools.stats.check.runs import Run
from fiotools.units import human

_SLACK = 1.02  # rounding of what was printed


def ceiling(run: Run, known: Evidence) -> Iterator[Finding]:
    """Hold the rate of each direction against what the link carries."""
    found = busiest(flows(run, known))
    if not found:
        moved = any(has_data(row) for row in run.io)
        if moved or (run.timing is not None and not run.io):
            why = say("how many bytes were moved, and in which time, is not in the report")
            remedy = say("for timed commands, give {moved}", moved=argument("moved"))
            yield Finding("link", "run", "unknown", why, "-", remedy)
        return
    if known.link is None:
        why = say(
            "whether anything carries {rates} depends on the link, which is not known",
            rates=listed(human(flow.rate, "B/s") for flow in found),
        )
        basis, remedy = f"none without {argument('link')}", hanging(run) or _ask()
        rate = max(flow.rate for flow in found)
        yield Finding("link", "run", "unknown", why, basis, remedy, rate, unit="B/s")
    else:
        for flow in on_link(known.link, found):
            yield _carried(flow, known.link, known)


def _carried(flow: Flow, link: Link, known: Evidence) -> Finding:
    both = 2 if flow.is_two_way and not link.is_shared else 1
    limit = (known.carried or 0.0) * both
    times = flow.rate / limit
    several = (known.devices or 1) > 1
    links = say("{n} links", n=known.devices) if several else say("the link")
    words = {"limit": human(limit, "B/s"), "links": links, "name": link.name}
    carried = say("{limit} that {links} ({name}) can carry", **words)
    if both == 2:
        carried = say("{limit} that {links} ({name}) can carry both ways", **words)
    if known.compression:
        packed = f"{known.compression:.3g}"
        carried = say("{carried} of data that packs {times} times", carried=carried, times=packed)
    said = say(
        "{rate} is {times} times the {carried}",
        rate=human(flow.rate, "B/s"),
        times=f"{times:.3g}",
        carried=carried,
    )
    basis, figures = link.basis, (flow.rate, limit, "B/s")
    if times <= _SLACK:
        return Finding("link", flow.subject, "ok", said, basis, None, *figures)
    if known.is_memory:
        why = say("{said}: it is a rate of memory, as was declared", said=said)
        return Finding("link", flow.subject, "ok", why, basis, None, *figures)
    why = say("{said}: impossible as a rate of the disk", said=said)
    return Finding("link", flow.subject, "impossible", why, basis, not_the_disk(), *figures)


def _ask() -> str:
    return say(
        "give {link}, such as {example}, and {devices}",
        link=argument("link"),
        example=typed('link="usb3-5g"', "--link usb3-5g"),
        devices=argument("devices"),
    )


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
    return say(
        "lsblk says that {name} hangs on {tran}, and not how fast it is: give {link} or what it "
        "is, and {devices}",
        name=f"{told['name']}{model}",
        tran=told["tran"],
        link=typed(f'link="{example}"', f"--link {example}"),
        devices=argument("devices"),
    )


def _is_virtual(run: Run) -> bool:
    return _VIRTUAL.search(run.device.get("model", "")) is not None
