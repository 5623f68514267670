"""Arguments and options that several verbs share: named, explained and checked alike.

A dataclass is a group of them; a verb that has a parameter of it has them all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from fiotools.cli import completion

Shape = Literal["table", "json", "csv", "markdown"]

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES",
        help="Files, folders, globs, path templates ('data/{volume}.xml'), NAME=FILES to name what"
        " they hold, or - for standard input.",
        show_default=False,
    ),
]
Metric = Annotated[
    str | None,
    typer.Option(
        "--metric",
        "-m",
        metavar="COLUMN",
        help="What to look at: iops, bw, lat_mean...",
        autocompletion=completion.metric,
    ),
]
By = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="COLUMNS",
        help="Answer for each of these apart: direction,bs.",
        autocompletion=completion.apart,
    ),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        "-w",
        metavar="CONDITION",
        help="Keep these rows: direction=read, 'bs>=4k', \"rw in ['read', 'write']\". Repeatable.",
    ),
]
Scope = Annotated[
    str | None,
    typer.Option(
        metavar="SCOPE",
        help=f"Keep rows of this scope: {', '.join(completion.SCOPES)}.",
        autocompletion=completion.scope,
    ),
]
Combine = Annotated[
    Literal["run", "group"] | None,
    typer.Option(help="First make totals of jobs and threads, for each run or fio group."),
]
Lang = Annotated[Literal["en", "ja"], typer.Option(help="The language of the figures.")]
Format = Annotated[
    Shape, typer.Option("--format", "-f", help="json and csv: every column, in base units.")
]
Between = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The column that holds the sides; by default the files.",
        autocompletion=completion.apart,
    ),
]


@dataclass(frozen=True)
class Sides:
    """What is compared with what."""

    between: Between = None
    baseline: Annotated[
        str | None,
        typer.Option(metavar="VALUE", help="What the others are divided by; by default the first."),
    ] = None


@dataclass(frozen=True)
class Rows:
    """Which rows are meant."""

    where: Where = None
    scope: Scope = None
    combine: Combine = None
    drop_missing: Annotated[
        bool, typer.Option("--drop-missing", help="Leave out rows that lack the metric.")
    ] = False
    table: Annotated[
        str | None,
        typer.Option(
            "--table",
            "-t",
            metavar="TABLE",
            help="The table to take; by default the one that has it.",
            autocompletion=completion.tables,
        ),
    ] = None


@dataclass(frozen=True)
class ReadAs:
    """How the files are read."""

    reader: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="Read as this format (see: fiotools formats) and not by the content.",
            autocompletion=completion.reader,
        ),
    ] = None
    tool_version: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="The tool's version, for formats that do not say it."),
    ] = None
    workers: Annotated[
        int,
        typer.Option(
            min=1, metavar="N", help="Read with N processes: for thousands of files, or large ones."
        ),
    ] = 1


Confidence = Annotated[
    float, typer.Option(min=0.5, max=1, metavar="SHARE", help="Of the interval.")
]
Pair = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="The column that pairs runs: round.", autocompletion=completion.apart
    ),
]


@dataclass(frozen=True)
class Judging:
    """How a comparison is judged."""

    pair: Pair = None
    confidence: Confidence = 0.95
    band: Annotated[
        float,
        typer.Option(
            min=0, max=1, metavar="SHARE", help="Differences up to this share do not matter."
        ),
    ] = 0.05
    method: Annotated[
        Literal["log-welch", "hodges-lehmann"],
        typer.Option(help="The t interval of logarithms, or the one free of assumptions."),
    ] = "log-welch"


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What `compare` and `speedup` are asked: options, and groups of them."""

    metric: Metric = None
    sides: Sides
    by: By = None
    kept: Rows
    judging: Judging
