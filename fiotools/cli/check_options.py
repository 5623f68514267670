"""What people know of the machine and the files do not say: the options of `check`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from fiotools.cli import comparison, completion, files, options
from fiotools.cli.options import flag, option
from fiotools.cli.output import Trouble
from fiotools.display import columns
from fiotools.errors import SchemaError

if TYPE_CHECKING:
    import polars as pl

# as the library has them; they stand here so that --help need not load it
Media = Literal["hdd", "sata-ssd", "nvme", "ram"]
Cache = Literal["cold", "warm"]
Kind = Literal["layer", "device", "mirror", "cache"]


@dataclass(frozen=True)
class Known:
    """What you know, and the files do not say."""

    ram: Annotated[
        str | None, option("SIZE|FILE", "Memory of the machine: 8GB, or a file of what free said.")
    ] = None
    host_ram: Annotated[
        str | None, option("SIZE|FILE", "Memory of the host, if that is a guest; 0: no host.")
    ] = None
    link: Annotated[
        str | None,
        option(
            "NAME|RATE",
            "What the device hangs on: usb3-5g, sata-3, pcie4-x4, or 450MB/s.",
            autocompletion=completion.link,
        ),
    ] = None
    media: Annotated[Media | None, typer.Option(help="What the device is.")] = None
    devices: Annotated[int | None, option("N", "How many, each with a link.", min=1)] = None
    cache: Annotated[Cache | None, typer.Option(help="What was meant to be measured.")] = None
    sides: Annotated[Kind | None, typer.Option(help="What the sides of --between are.")] = None
    copies: Annotated[list[str] | None, option("N|LEVEL=N", "Copies that a mirror writes.")] = None
    speedup_max: Annotated[
        float | None, option("TIMES", "What the cache gains at most, from elsewhere.")
    ] = None
    moved: Annotated[
        str | None, option("SIZE", "Bytes that each timed command moved, as 512MiB.")
    ] = None
    capacity: Annotated[str | None, option("SIZE", "Of the SSD: 1TB.")] = None
    prefilled: Annotated[
        bool, flag("--prefilled", "The file was full of data before it was read.")
    ] = False
    compression: Annotated[
        float | None,
        option(
            "TIMES",
            "How many times smaller the data is below the files, where something packs it.",
        ),
    ] = None

    def arguments(self) -> dict[str, Any]:
        """Give the arguments of the library's `check`."""
        return {**vars(self), "copies": _copies(self.copies)}


def is_compared(sides: options.Sides, known: Known) -> bool:
    """Say whether sides are held against each other, and not each run alone."""
    about = (sides.between, sides.baseline, known.sides, known.copies)
    return any(one is not None for one in about)


def refuse_nonsense(sides: options.Sides, known: Known) -> None:
    """Look at what is told before many files are read."""
    told = [value for value in known.arguments().values() if value not in (None, False)]
    if not told and not is_compared(sides, known):
        return  # and `check` takes long to import
    from fiotools.stats.check.evidence import evidence as checked

    some = "some" if is_compared(sides, known) else None
    try:
        checked(**known.arguments(), between=some, baseline=some)
    except SchemaError as error:
        raise Trouble(str(error), 2) from None


def answer(read: files.Reading, sides: options.Sides, known: Known) -> pl.DataFrame:
    """Check what was read."""
    from fiotools.stats.check import answer as checked
    from fiotools.stats.check.evidence import evidence as told

    between: str | None = None
    baseline: Any = None
    if is_compared(sides, known):
        runs = read.table("runs")
        between = sides.between or files.one_field(read)
        between = columns.found(between, runs, "--between")
        baseline = comparison.side(read, runs, between, sides.baseline)
    given = told(**known.arguments(), between=between, baseline=baseline)
    return checked(read.results, given)


def _copies(given: list[str] | None) -> int | dict[str, int] | None:
    if not given:
        return None
    pairs = [text.rpartition("=") for text in columns.split(given)]
    for _, _, number in pairs:
        if not (number.isascii() and number.isdigit()):
            raise Trouble(f"--copies {number} is no whole number: write 2 or mirror=2", 2)
    if not pairs[0][1]:
        return int(pairs[0][2])
    return {level: int(number) for level, _, number in pairs}
