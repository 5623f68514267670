"""`fiotools check`: whether it even happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fiotools.cli import cells, evidence, files, options
from fiotools.cli.answer import give
from fiotools.cli.command import Command
from fiotools.cli.sheet import Sheet, Shown
from fiotools.cli.stream import many, printable
from fiotools.cli.wording import in_options
from fiotools.schema import ANSWERS

if TYPE_CHECKING:
    import pandas as pd

_GRAVEST = ("impossible", "suspect", "unknown", "ok")
_STRICT = 3


def check(
    sources: options.Files,
    ram: evidence.Ram = None,
    host_ram: evidence.HostRam = None,
    link: evidence.Link = None,
    media: evidence.MediaIs = None,
    devices: evidence.Devices = None,
    cache: evidence.CacheIs = None,
    between: options.Between = None,
    baseline: Annotated[
        str | None,
        typer.Option(metavar="VALUE", help="The side without layer, mirror or cache; the first."),
    ] = None,
    sides: evidence.SidesAre = None,
    copies: evidence.Copies = None,
    speedup_max: evidence.SpeedupMax = None,
    moved: evidence.Moved = None,
    capacity: evidence.Capacity = None,
    prefilled: evidence.Prefilled = False,
    compression: evidence.Compression = None,
    every: Annotated[bool, typer.Option("--all", help="Show what is in order, too.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 3 if anything is impossible or suspect.")
    ] = False,
    format: options.Format = "table",
    reader: options.Reader = None,
    tool_version: options.ToolVersion = None,
) -> int:
    """Ask of every run whether its figures can be true: ok, suspect, impossible or unknown.

    What the files do not say, say here: the more is known, the less stays unknown. Ends with 0
    whatever it finds, unless --strict is given.
    """
    told = {
        "ram": ram,
        "host_ram": host_ram,
        "link": link,
        "media": media,
        "devices": devices,
        "cache": cache,
        "sides": sides,
        "copies": copies,
        "speedup_max": speedup_max,
        "moved": moved,
        "capacity": capacity,
        "prefilled": prefilled,
        "compression": compression,
    }
    label = evidence.is_compared(between, baseline, told)
    read = files.read_all(sources, reader=reader, version=tool_version, label=label)
    answer = evidence.answer(read, between, baseline, told)
    give(answer, format, lambda frame: _sheet(frame, every=every))
    if strict and not read.code and answer["verdict"].isin(("impossible", "suspect")).any():
        return _STRICT
    return read.code


def _sheet(frame: pd.DataFrame, *, every: bool) -> Sheet:
    found = frame["verdict"].value_counts()
    count = ", ".join(f"{found.get(verdict, 0)} {verdict}" for verdict in _GRAVEST)
    kept = frame if every else frame[frame["verdict"].ne("ok")]
    runs = len(frame[["source", "run"]].drop_duplicates())
    labels = [str(name) for name in frame if name not in (*ANSWERS["check"], "source", "run")]
    # the same remedy, and what is said of many runs in the same words, is said once
    said: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    for row in kept.to_dict("records"):
        place = [_text(row[name]) for name in labels or ["source"] if runs > 1]
        place += [f"run {row['run']}"] if row["run"] != 1 else []
        words = " ".join(dict.fromkeys([*place, _text(row["subject"])]))
        key = (_text(row["verdict"]), _text(row["check"]), _text(row["remedy"]))
        said.setdefault(key, {}).setdefault(_text(row["why"]), []).append(words)
    ordered = sorted(said, key=lambda key: _GRAVEST.index(key[0]))
    texts = [
        [f"{_places(places)}: {why}" for why, places in said[key].items()]
        + ([f"> {key[2]}"] if key[2] else [])
        for key in ordered
    ]
    made = [
        Shown("verdict", [verdict for verdict, _, _ in ordered], keep=3),
        Shown("check", [check for _, check, _ in ordered], keep=2),
        Shown("why, and what to do", ["\n".join(lines) for lines in texts], keep=1, wraps=True),
    ]
    hidden = int(found.get("ok", 0)) if not every else 0
    notes = [f"ok, and not shown without --all: {many(hidden, 'answer')}"] if hidden else []
    return Sheet(made if ordered else [], f"{many(runs, 'run')}: {count}", notes)


def _text(value: object) -> str:
    return "" if cells.is_missing(value) else printable(in_options(str(value)))


def _places(places: list[str]) -> str:
    few = list(dict.fromkeys(places))
    return ", ".join(few[:2]) + (f" and {len(few) - 2} more" if len(few) > 2 else "")


COMMAND = Command(
    check,
    (
        "check run.json --ram 16GB --link pcie4-x4",
        "check 'data/{volume}.xml' --ram 8GB --media nvme --between volume --baseline vhdx",
        "check dd.txt --link usb3-5g --media hdd --cache cold --all",
        "check runs/ --ram 8GB --strict || echo 'do not publish this'",
    ),
)
