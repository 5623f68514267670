"""What a campaign's manifest knows that `fiotools.check` asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fiotools.errors import MeasureError
from fiotools.measure.campaign import Campaign
from fiotools.measure.devices import MEMORY
from fiotools.measure.experiments import experiment_named

_CABLES = ("nvme", "sata", "sas", "usb", "mmc")


def known(campaign: Campaign, place: str | None = None) -> dict[str, Any]:
    """Give the arguments of `fiotools.check` that a campaign knows.

    Only what is certain: in a guest, /sys shows the host's inventions, and neither medium nor link
    is taken from there.

    Parameters
    ----------
    campaign : Campaign
    place : str, optional
        Without it, only what holds for all places.

    Returns
    -------
    dict
        Of ``ram``, ``host_ram``, ``media``, ``link``, ``moved`` and ``prefilled``, what is known.

    Examples
    --------
    >>> import fiotools as ft
    >>> c = ft.campaign("random-io-20261121-093000")  # doctest: +SKIP
    >>> ft.check(c.results, **ft.measure.known(c))  # doctest: +SKIP
    """
    places = campaign.session["places"]
    names = [one["name"] for one in places]
    if place is not None and place not in names:
        raise MeasureError(f"there is no place {place!r}; there are: {', '.join(names)}")
    chosen = [one for one in places if place in (None, one["name"])]
    machine = campaign.session["machine"]
    found: dict[str, Any] = {}
    if machine["ram_bytes"] is not None:
        found["ram"] = machine["ram_bytes"]
    if machine["is_guest"] is False and all(_is_bare(one) for one in chosen):
        found["host_ram"] = 0
    told = [_of_place(one, guest=machine["is_guest"] is not False) for one in chosen]
    found |= {
        name: value
        for name, value in told[0].items()
        if all(one.get(name) == value for one in told)
    }
    plan = campaign.asked
    if plan.experiment == "page-cache":
        found["moved"] = plan.size_bytes
    if experiment_named(plan.experiment).reads_data:
        found["prefilled"] = True
    return found


def _of_place(facts: Mapping[str, Any], *, guest: bool) -> dict[str, Any]:
    if _is_memory(facts):
        return {"media": "ram"}
    device = facts["device"]
    if device is None or guest:
        return {}
    found = {}
    transport, rotational = device["transport"], device["rotational"]
    if transport == "nvme":
        found["media"] = "nvme"
    elif transport == "sata" and rotational is not None:
        # a disk on USB that is said to rotate may be an SSD whose case does not tell
        found["media"] = "hdd" if rotational else "sata-ssd"
    if device["link"]:
        found["link"] = device["link"]
    return found


def _is_memory(facts: Mapping[str, Any]) -> bool:
    """Whether what is written there stays in memory, also where memory plays a disk."""
    device = facts["device"] or {}
    below = device.get("backing")
    if below is not None:
        return _is_memory(below)
    return facts["file_system"] in MEMORY or device.get("transport") in ("zram", "ram")


def _is_bare(facts: Mapping[str, Any]) -> bool:
    """Whether it is certain that no memory but the disk's own lies below.

    A server has a cache, and a loop device's file is in this machine's, unless it passes that by.
    """
    if _is_memory(facts):
        return True
    device = facts["device"] or {}
    below = device.get("backing")
    if below is not None:
        return bool(below["is_direct"]) and _is_bare(below)
    return device.get("transport") in _CABLES
