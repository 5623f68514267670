"""What the files tell of the device: what it is, and what it hangs on.

A guest's disks say of themselves what their host makes up: ``ROTA=1`` where nothing rotates, SATA
where there is no cable. So a hard disk is never taken from a file, and an SSD only where nothing
looks virtual. The kernel calls NVMe by its name; how fast a link is it does not say.
"""

from __future__ import annotations

import re

from fiotools.spelling import argument, typed
from fiotools.stats.credibility.runs import Run

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
