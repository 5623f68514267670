"""Links and the payload that each carries in one direction, after line coding.

Specified by USB-IF, PCI-SIG, SATA-IO, T10 and IEEE 802.3. Protocol overhead takes some more of it:
USB 5 Gb/s carries 500 MB/s, and 400 to 450 in practice.
"""

from __future__ import annotations

from dataclasses import dataclass

from fiotools import units
from fiotools.errors import SchemaError, argument, similar, typed

_MB = {  # 10^6 bytes per second
    "usb2": 53,
    "usb3-5g": 500,
    "usb3-10g": 1212,
    "usb3-gen1x2": 1000,
    "usb3-gen2x2": 2424,
    "usb4-40g": 4848,
    "sata-2": 300,
    "sata-3": 600,
    "sas-3": 1200,
    "sas-4": 2400,
    "pcie3-x1": 985,
    "pcie4-x1": 1969,
    "pcie5-x1": 3938,
    "pcie3-x4": 3938,
    "pcie4-x4": 7877,
    "pcie5-x4": 15754,
    "eth-1g": 125,
    "eth-2.5g": 312.5,
    "eth-10g": 1250,
    "eth-25g": 3125,
    "eth-100g": 12500,
}
NAMES = tuple(_MB)
_SHARED = {"usb2", "sata-2", "sata-3"}  # half duplex: one direction at a time


@dataclass(frozen=True, slots=True)
class Link:
    """The link to a device, and the payload that it carries in one direction."""

    name: str
    bytes_per_s: float
    is_shared: bool  # by both directions
    basis: str


def link(given: str | float | None) -> Link | None:
    """Take a link's name, or a rate.

    Examples
    --------
    >>> link("usb3-5g").bytes_per_s, link("sata-3").is_shared, link("450MB/s").bytes_per_s
    (500000000.0, True, 450000000.0)
    """
    if given is None:
        return None
    if isinstance(given, str) and given in _MB:
        basis = f"payload of {given} after line coding"
        return Link(given, _MB[given] * 1e6, given in _SHARED, basis)
    try:
        rate = units.typed_size(given, kilo=1000) if isinstance(given, str) else float(given)
    except (TypeError, ValueError):
        names = f"{', '.join(_MB)}{similar(str(given), _MB)}"
        raise SchemaError(
            f"{argument('link', given)} is neither a rate nor one of {names}"
        ) from None
    if isinstance(given, bool) or not 0 < rate < float("inf"):
        raise SchemaError(f"{argument('link', given)}: a rate is above zero")
    return Link(
        units.human(rate, "B/s"), rate, False, typed("the argument link=", "the option --link")
    )
