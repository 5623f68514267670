"""`fiotools check`, and its options: what people know about the machine and files do not say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from fiotools.cli import options, rows
from fiotools.cli.options import choice, command, flag, group, offer, option
from fiotools.cli.output import Trouble, give, wrong_command
from fiotools.display import layout
from fiotools.display.columns import Sheet
from fiotools.display.layout import Frame
from fiotools.tables import naming
from fiotools.units import many
from fiotools.vocabulary import GRAVEST

if TYPE_CHECKING:
    import polars as pl

# the same as in the library, repeated here because --help must not load it
Media = Literal["hdd", "sata-ssd", "nvme", "ram"]
Cache = Literal["cold", "warm"]
Kind = Literal["layer", "device", "mirror", "cache"]


def _links() -> Iterable[str]:
    from fiotools.links import NAMES

    return NAMES


@group
class Known:
    """What you know and the files do not tell."""

    ram: str | None = option(
        "SIZE|FILE", "Memory of the machine: 8GB, or a file with the output of free."
    )
    host_ram: str | None = option(
        "SIZE|FILE", "Memory of the host if the machine is a guest; 0: no host."
    )
    link: str | None = option(
        "NAME|RATE",
        "The link to the device: usb3-5g, sata-3, pcie4-x4, or 450MB/s.",
        autocompletion=offer(_links),
    )
    media: Media | None = choice(None, "The kind of the device.")
    devices: int | None = option("N", "The number of devices, each with a link.", min=1)
    cache: Cache | None = choice(None, "The cache that was meant to be measured.")
    sides: Kind | None = choice(None, "The kind of the sides of --between.")
    copies: list[str] | None = option("N|LEVEL=N", "Copies that a mirror writes.")
    speedup_max: float | None = option(
        "TIMES", "The most that the cache gains, known from elsewhere."
    )
    moved: str | None = option("SIZE", "Bytes that each timed command moved: 512MiB.")
    capacity: str | None = option("SIZE", "Capacity of the SSD: 1TB.")
    prefilled: bool = flag("The file was full of data before it was read.")
    compression: float | None = option(
        "TIMES", "How many times smaller the data is below the files if something packs it."
    )

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of the library's `check`."""
        return {**vars(self), "copies": _copies(self.copies)}


def is_compared(sides: options.Sides, known: Known) -> bool:
    """Whether sides are compared, and not each run alone checked."""
    about = (sides.between, sides.baseline, known.sides, known.copies)
    return any(one is not None for one in about)


def refuse_nonsense(sides: options.Sides, known: Known) -> None:
    """Check the options before many files are read."""
    from fiotools.stats.check.evidence import evidence

    some = "some" if is_compared(sides, known) else None
    with wrong_command():
        evidence(**known.arguments(), between=some, baseline=some)


def checked(read: rows.Reading, sides: options.Sides, known: Known) -> pl.DataFrame:
    """Check what was read."""
    from fiotools.stats.check import answer
    from fiotools.stats.check.evidence import evidence

    between: str | None = None
    baseline: Any = None
    if is_compared(sides, known):
        runs = read.table("runs")
        between = naming.found(read.between(runs, sides.between), runs, "--between")
        baseline = read.baseline(runs, between, sides.baseline)
    given = evidence(**known.arguments(), between=between, baseline=baseline)
    return answer(read.results, given)


def _copies(given: list[str] | None) -> int | dict[str, int] | None:
    if not given:
        return None
    pairs = [text.rpartition("=") for text in naming.split(given)]
    for _, _, number in pairs:
        if not (number.isascii() and number.isdigit()):
            raise Trouble(f"--copies {number} is not a whole number: write 2 or mirror=2", 2)
    if not pairs[0][1]:
        return int(pairs[0][2])
    return {level: int(number) for level, _, number in pairs}


_STRICT = 3


@command(
    "check run.json --ram 16GB --link pcie4-x4",
    "check 'data/{volume}.xml' --ram 8GB --media nvme --between volume --baseline vhdx",
    "check dd.txt --link usb3-5g --media hdd --cache cold --all",
    "check runs/ --ram 8GB --strict || echo 'do not publish this'",
)
def check(
    sources: list[str] = options.FILES,
    *,
    known: Known,
    between: str | None = options.BETWEEN,
    baseline: str | None = option(
        "VALUE", "The side without layer, mirror or cache; by default the first."
    ),
    every: bool = flag("Show the ok rows too.", "--all"),
    strict: bool = flag("Exit with 3 if anything is impossible or suspect."),
    output: str | None = options.OUTPUT,
    format: options.Form = options.FORMAT,
    read_as: options.ReadAs,
) -> int:
    """Check whether the numbers of every run can be true: ok, suspect, impossible or unknown.

    Tell what you know and the files do not: the more is known, the less stays unknown. The exit
    code is 0, whatever it finds, unless --strict is given.
    """
    sides = options.Sides(between=between, baseline=baseline)
    refuse_nonsense(sides, known)
    read = rows.read_all(sources, read_as, label=is_compared(sides, known))
    with read.working("checking"):
        answer = checked(read, sides, known)
    give(format, lambda: answer, lambda: _sheet(answer, every=every), output, read.results)
    if strict and not read.code and answer["verdict"].is_in(GRAVEST[:2]).any():
        return _STRICT
    return read.code


def _sheet(answer: pl.DataFrame, *, every: bool) -> Sheet:
    made = layout.findings(Frame(answer), ok=every)
    ok = int((answer["verdict"] == "ok").sum())
    if ok and not every:
        made.notes.append(f"{many(ok, 'ok finding')} hidden: --all shows them")
    return made
