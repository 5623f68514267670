"""What a campaign knows about its machine, as arguments of `fiotools.check`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fiotools.errors import MeasureError
from fiotools.measure.campaign import Campaign
from fiotools.measure.experiment import names
from fiotools.measure.machine import stays_in_memory

_CABLES = ("nvme", "sata", "sas", "usb", "mmc")


def known(campaign: Campaign, place: str | None = None) -> dict[str, Any]:
    """Return the arguments of `fiotools.check` that a campaign knows.

    Only what is certain: /sys of a guest shows the host's inventions, so neither medium nor link is
    taken from there.

    Parameters
    ----------
    campaign : Campaign
    place : str, optional
        Without it, only what holds for all places.

    Returns
    -------
    dict
        The known ones of ``ram``, ``host_ram``, ``media``, ``link``, ``moved`` and ``prefilled``.

    Examples
    --------
    >>> import fiotools as ft
    >>> c = ft.measure.campaign("random-io-20261121-093000")  # doctest: +SKIP
    >>> ft.check(c.results, **ft.measure.known(c))  # doctest: +SKIP
    """
    every = campaign.session["places"]
    places = [one for one in every if place in (None, one["name"])]
    if not places:
        there = ", ".join(one["name"] for one in every)
        raise MeasureError(f"there is no place {place!r}; there are: {there}")
    machine = campaign.session["machine"]
    found: dict[str, Any] = {}
    if machine["ram_bytes"] is not None:
        found["ram"] = machine["ram_bytes"]
    if machine["is_guest"] is False and all(_is_bare(one) for one in places):
        found["host_ram"] = 0
    told = [_of_place(one, guest=machine["is_guest"] is not False) for one in places]
    found |= {
        name: value
        for name, value in told[0].items()
        if all(one.get(name) == value for one in told)
    }
    if campaign.asked.experiment == "page-cache":
        found["moved"] = campaign.asked.size_bytes
    if campaign.asked.experiment in names() and campaign.experiment.files:
        found["prefilled"] = True
    return found


def _of_place(facts: Mapping[str, Any], *, guest: bool) -> dict[str, Any]:
    if stays_in_memory(facts):
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


def _is_bare(facts: Mapping[str, Any]) -> bool:
    """Whether it is certain that no cache of a host, a server or a file's disk lies below."""
    return stays_in_memory(facts) or (facts["device"] or {}).get("transport") in _CABLES
