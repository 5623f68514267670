"""Arguments and options that several verbs share: named, explained and checked alike."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

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
    typer.Option("--metric", "-m", metavar="COLUMN", help="What to look at: iops, bw, lat_mean..."),
]
Table = Annotated[
    str | None,
    typer.Option(
        "--table", "-t", metavar="TABLE", help="The table to take; by default the one that has it."
    ),
]
By = Annotated[
    list[str] | None,
    typer.Option("--by", metavar="COLUMNS", help="Answer for each of these apart: direction,bs."),
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
        metavar="SCOPE", help="Keep rows of this scope: total, thread, job, group, client, target."
    ),
]
Combine = Annotated[
    Literal["run", "group"] | None,
    typer.Option(help="First make totals of jobs and threads, for each run or fio group."),
]
DropMissing = Annotated[
    bool, typer.Option("--drop-missing", help="Leave out rows that lack the metric.")
]
Format = Annotated[
    Shape, typer.Option("--format", "-f", help="json and csv: every column, in base units.")
]
Reader = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT", help="Read as this format (see: fiotools formats) and not by the content."
    ),
]
ToolVersion = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help="The tool's version, for formats that do not say it."),
]
Between = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="The column that holds the sides; by default the files."),
]
Baseline = Annotated[
    str | None,
    typer.Option(metavar="VALUE", help="What the others are divided by; by default the first."),
]
Confidence = Annotated[float, typer.Option(metavar="SHARE", help="Of the interval.")]
Pair = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The column that pairs runs: round.")
]
Band = Annotated[
    float, typer.Option(metavar="SHARE", help="Differences up to this share do not matter.")
]
Method = Annotated[
    Literal["log-welch", "hodges-lehmann"],
    typer.Option(help="The t interval of logarithms, or the one free of assumptions."),
]
