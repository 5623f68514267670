"""`fiotools check`: whether it even happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fiotools.cli import check_options, files, options
from fiotools.cli.answer import give
from fiotools.cli.command import Command
from fiotools.cli.options import flag, option
from fiotools.display import layout
from fiotools.display.frame import Frame
from fiotools.display.model import Sheet
from fiotools.plain_text import many

if TYPE_CHECKING:
    import polars as pl

_STRICT = 3


def check(
    sources: options.Files,
    *,
    known: check_options.Known,
    between: options.Between = None,
    baseline: Annotated[
        str | None, option("VALUE", "The side without layer, mirror or cache; the first.")
    ] = None,
    every: Annotated[bool, flag("--all", "Show what is in order, too.")] = False,
    strict: Annotated[
        bool, flag("--strict", "Exit with 3 if anything is impossible or suspect.")
    ] = False,
    output: options.Output = None,
    format: options.Format = "table",
    read_as: options.ReadAs,
) -> int:
    """Ask of every run whether its figures can be true: ok, suspect, impossible or unknown.

    What the files do not say, say here: the more is known, the less stays unknown. Ends with 0
    whatever it finds, unless --strict is given.
    """
    sides = options.Sides(between, baseline)
    check_options.refuse_nonsense(sides, known)
    read = files.read_all(sources, read_as, label=check_options.is_compared(sides, known))
    with files.working(read, "checking"):
        answer = check_options.answer(read, sides, known)
    give(format, lambda: answer, lambda: _sheet(answer, every=every), output, read)
    if strict and not read.code and answer["verdict"].is_in(["impossible", "suspect"]).any():
        return _STRICT
    return read.code


def _sheet(answer: pl.DataFrame, *, every: bool) -> Sheet:
    made = layout.findings(Frame(answer), ok=every)
    ok = int((answer["verdict"] == "ok").sum())
    if ok and not every:
        made.notes.append(f"ok, and not shown without --all: {many(ok, 'answer')}")
    return made


COMMAND = Command(
    check,
    (
        "check run.json --ram 16GB --link pcie4-x4",
        "check 'data/{volume}.xml' --ram 8GB --media nvme --between volume --baseline vhdx",
        "check dd.txt --link usb3-5g --media hdd --cache cold --all",
        "check runs/ --ram 8GB --strict || echo 'do not publish this'",
    ),
)
