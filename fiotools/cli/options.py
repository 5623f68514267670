"""Arguments and options that several verbs share: named, explained and checked alike.

A dataclass is a group of them; a verb that has a parameter of it has them all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import typer

from fiotools.cli import completion

Shape = Literal["table", "json", "csv", "markdown"]


def option(metavar: str, help: str, *names: str, **more: Any) -> Any:
    """Describe an option: what stands for its value in the help, and what it is."""
    return typer.Option(*names, metavar=metavar, help=help, **more)


def flag(name: str, help: str) -> Any:
    """Describe an option that has no value."""
    return typer.Option(name, help=help)


def column(help: str) -> Any:
    """Describe an option that names a column which tells rows apart."""
    return option("COLUMN", help, autocompletion=completion.apart)


Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES",
        help="Files, folders, globs, path templates ('data/{volume}.xml'), NAME=FILES to name what"
        " they hold, or - for standard input.",
        show_default=False,
    ),
]
_METRIC = "What to look at: iops, bw, lat_mean..."
Metric = Annotated[
    str | None, option("COLUMN", _METRIC, "--metric", "-m", autocompletion=completion.metric)
]
_BY = "Answer for each of these apart: direction,bs."
By = Annotated[list[str] | None, option("COLUMNS", _BY, "--by", autocompletion=completion.apart)]
_WHERE = "Keep these rows: direction=read, 'bs>=4k', \"rw in ['read', 'write']\". Repeatable."
Where = Annotated[list[str] | None, option("CONDITION", _WHERE, "--where", "-w")]
_SCOPE = f"Keep rows of this scope: {', '.join(completion.SCOPES)}."
Scope = Annotated[str | None, option("SCOPE", _SCOPE, autocompletion=completion.scope)]
Combine = Annotated[
    Literal["run", "group"] | None,
    typer.Option(help="First make totals of jobs and threads, for each run or fio group."),
]
Lang = Annotated[Literal["en", "ja"], typer.Option(help="The language of the figures.")]
_FORMAT = "json and csv: every column, in base units."
Format = Annotated[Shape, typer.Option("--format", "-f", help=_FORMAT)]
Between = Annotated[str | None, column("The column that holds the sides; by default the files.")]
Confidence = Annotated[float, option("SHARE", "Of the interval.", min=0.5, max=1)]


@dataclass(frozen=True)
class Sides:
    """What is compared with what."""

    between: Between = None
    baseline: Annotated[
        str | None, option("VALUE", "What the others are divided by; by default the first.")
    ] = None


@dataclass(frozen=True)
class Rows:
    """Which rows are meant."""

    where: Where = None
    scope: Scope = None
    combine: Combine = None
    drop_missing: Annotated[
        bool, flag("--drop-missing", "Leave out rows that lack the metric.")
    ] = False
    table: Annotated[
        str | None,
        option(
            "TABLE",
            "The table to take; by default the one that has it.",
            "--table",
            "-t",
            autocompletion=completion.tables,
        ),
    ] = None


@dataclass(frozen=True)
class ReadAs:
    """How the files are read."""

    reader: Annotated[
        str | None,
        option(
            "FORMAT",
            "Read as this format (see: fiotools formats) and not by the content.",
            autocompletion=completion.reader,
        ),
    ] = None
    tool_version: Annotated[
        str | None, option("TEXT", "The tool's version, for formats that do not say it.")
    ] = None
    workers: Annotated[
        int, option("N", "Read with N processes: for thousands of files, or large ones.", min=1)
    ] = 1


@dataclass(frozen=True)
class Judging:
    """How a comparison is judged."""

    pair: Annotated[str | None, column("The column that pairs runs: round.")] = None
    confidence: Confidence = 0.95
    band: Annotated[
        float, option("SHARE", "Differences up to this share do not matter.", min=0, max=1)
    ] = 0.05
    method: Annotated[
        Literal["log-welch", "hodges-lehmann"],
        typer.Option(help="The t interval of logarithms, or the one of their ranks."),
    ] = "log-welch"
    looks: Annotated[
        Literal["once", "any"],
        typer.Option(help="any: runs were added after a look, or may be."),
    ] = "once"


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What `compare` and `speedup` are asked: options, and groups of them."""

    metric: Metric = None
    sides: Sides
    by: By = None
    kept: Rows
    judging: Judging
