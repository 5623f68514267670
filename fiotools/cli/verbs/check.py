"""`fiotools check`: whether it even happened."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from fiotools.cli import evidence, files, options
from fiotools.cli.answer import give
from fiotools.cli.command import Command
from fiotools.display.findings import GRAVEST, Finding, counts, few, findings
from fiotools.display.sheet import Sheet, Shown
from fiotools.display.text import many
from fiotools.input import path_labels

if TYPE_CHECKING:
    import polars as pl

_STRICT = 3
_FIGURE = re.compile(r"(?<![\w.=-])\d[\d.,]*(?: (?:[kMGTP]i?B|B|s|[mµn]s)(?:/s)?)?(?![\w])")


def check(
    sources: options.Files,
    *,
    known: evidence.Known,
    between: options.Between = None,
    baseline: Annotated[
        str | None,
        typer.Option(metavar="VALUE", help="The side without layer, mirror or cache; the first."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Show what is in order, too.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 3 if anything is impossible or suspect.")
    ] = False,
    format: options.Format = "table",
    read_as: options.ReadAs,
) -> int:
    """Ask of every run whether its figures can be true: ok, suspect, impossible or unknown.

    What the files do not say, say here: the more is known, the less stays unknown. Ends with 0
    whatever it finds, unless --strict is given.
    """
    sides = options.Sides(between, baseline)
    evidence.refuse_nonsense(sides, known)
    read = files.read_all(sources, read_as, label=evidence.is_compared(sides, known))
    with files.working(read, "checking"):
        answer = evidence.answer(read, sides, known)
    give(answer, format, lambda frame: _sheet(frame, every=every))
    if strict and not read.code and answer["verdict"].is_in(["impossible", "suspect"]).any():
        return _STRICT
    return read.code


def _sheet(frame: pl.DataFrame, *, every: bool) -> Sheet:
    folder = path_labels.common_folder(frame["source"])
    frame = frame.with_columns(frame["source"].str.strip_prefix(folder))
    # the same remedy, and what is said of many runs in the same words, is said once
    said: dict[tuple[str, str, str], dict[str, list[Finding]]] = {}
    for one in findings(frame):
        if every or one.verdict != "ok":
            # an accusation stands with its own figures
            words = one.why if one.verdict in GRAVEST[:2] else _FIGURE.sub("…", one.why)
            key = (one.verdict, one.check, one.remedy)
            said.setdefault(key, {}).setdefault(words, []).append(one)
    ordered = sorted(said, key=lambda key: GRAVEST.index(key[0]))
    texts = [
        [_why(words, alike) for words, alike in said[key].items()]
        + ([f"> {key[2]}"] if key[2] else [])
        for key in ordered
    ]
    made = [
        Shown("verdict", [verdict for verdict, _, _ in ordered], keep=3),
        Shown("check", [check for _, check, _ in ordered], keep=1),
        Shown("why, and what to do", ["\n".join(lines) for lines in texts], keep=2, wraps=True),
    ]
    hidden = 0 if every else int((frame["verdict"] == "ok").sum())
    notes = [f"ok, and not shown without --all: {many(hidden, 'answer')}"] if hidden else []
    runs = frame.select("source", "run").n_unique()
    title = f"{many(runs, 'run')}{f' in {folder}' if folder else ''}: {counts(frame['verdict'])}"
    return Sheet(made if ordered else [], title, notes)


def _why(words: str, alike: list[Finding]) -> str:
    """Say it with its figures, if they are the same everywhere."""
    own = {one.why for one in alike}
    return f"{few([one.place for one in alike])}: {own.pop() if len(own) == 1 else words}"


COMMAND = Command(
    check,
    (
        "check run.json --ram 16GB --link pcie4-x4",
        "check 'data/{volume}.xml' --ram 8GB --media nvme --between volume --baseline vhdx",
        "check dd.txt --link usb3-5g --media hdd --cache cold --all",
        "check runs/ --ram 8GB --strict || echo 'do not publish this'",
    ),
)
