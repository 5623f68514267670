"""What people know of the machine and the files do not say: the options of `check`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from fiotools.cli import columns, comparing, files
from fiotools.errors import SchemaError

if TYPE_CHECKING:
    import pandas as pd

# as the library has them; they stand here so that --help need not load it
Media = Literal["hdd", "sata-ssd", "nvme", "ram"]
Cache = Literal["cold", "warm"]
Sides = Literal["layer", "device", "mirror", "cache"]

Ram = Annotated[
    str | None,
    typer.Option(
        "--ram",
        metavar="SIZE|FILE",
        help="Memory of the machine: 8GB, or a file of what free said.",
    ),
]
HostRam = Annotated[
    str | None,
    typer.Option(
        "--host-ram",
        metavar="SIZE|FILE",
        help="Memory of the host, if that is a guest; 0: no host.",
    ),
]
Link = Annotated[
    str | None,
    typer.Option(
        "--link",
        metavar="NAME|RATE",
        help="What the device hangs on: usb3-5g, sata-3, pcie4-x4, or 450MB/s.",
    ),
]
MediaIs = Annotated[Media | None, typer.Option("--media", help="What the device is.")]
Devices = Annotated[
    int | None,
    typer.Option("--devices", min=1, metavar="N", help="How many, each with a link."),
]
CacheIs = Annotated[Cache | None, typer.Option("--cache", help="What was meant to be measured.")]
SidesAre = Annotated[Sides | None, typer.Option("--sides", help="What the sides of --between are.")]
Copies = Annotated[
    list[str] | None,
    typer.Option("--copies", metavar="N|LEVEL=N", help="Copies that a mirror writes."),
]
SpeedupMax = Annotated[
    float | None,
    typer.Option(
        "--speedup-max", metavar="TIMES", help="What the cache gains at most, from elsewhere."
    ),
]
Moved = Annotated[
    str | None,
    typer.Option("--moved", metavar="SIZE", help="Bytes that each timed command moved, as 512MiB."),
]
Capacity = Annotated[
    str | None, typer.Option("--capacity", metavar="SIZE", help="Of the SSD: 1TB.")
]
Prefilled = Annotated[
    bool, typer.Option("--prefilled", help="The file was full of data before it was read.")
]
Compression = Annotated[
    float | None,
    typer.Option(
        "--compression",
        metavar="TIMES",
        help="How many times smaller the data is below the files, where something packs it.",
    ),
]


def is_compared(between: str | None, baseline: str | None, told: Mapping[str, Any]) -> bool:
    """Say whether sides are held against each other, and not each run alone."""
    return between is not None or baseline is not None or told.get("sides") is not None


def answer(
    read: files.Reading, between: str | None, baseline: str | None, told: Mapping[str, Any]
) -> pd.DataFrame:
    """Check what was read."""
    from fiotools.stats.credibility import check

    side: Any = baseline
    if is_compared(between, baseline, told):
        between = between or files.one_field(read)
        side = comparing.side(read, read.results.runs, between, baseline)
    known = {**told, "copies": _copies(told["copies"])}
    return check(read.results, between=between, baseline=side, **known)


def _copies(given: list[str] | None) -> int | dict[str, int] | None:
    if not given:
        return None
    pairs = [text.rpartition("=") for text in columns.split(given)]
    for _, _, number in pairs:
        if not (number.isascii() and number.isdigit()):
            raise SchemaError(f"--copies {number} is no whole number: write 2 or mirror=2")
    if not pairs[0][1]:
        return int(pairs[0][2])
    return {level: int(number) for level, _, number in pairs}
