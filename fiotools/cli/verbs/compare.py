"""`fiotools compare`: how much more, and how sure."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import typer

from fiotools.cli import comparison, files, options
from fiotools.cli.answer import give
from fiotools.cli.command import Command
from fiotools.cli.options import flag, option
from fiotools.cli.output import Trouble


def compare(
    sources: options.Files,
    *,
    asked: options.Comparison,
    settings: Annotated[
        bool, flag("--settings", "Show instead which settings the sides differ in.")
    ] = False,
    fail_if: Annotated[
        list[str] | None,
        option(
            "RULE",
            "Exit with 4 if a rule is broken: slower:5%, 'p99 slower:10%', not-same. Repeatable.",
        ),
    ] = None,
    output: options.Output = None,
    format: Annotated[
        Literal["table", "json", "csv", "markdown", "junit", "github"],
        typer.Option(
            "--format", "-f", help="json and csv: every column; junit and github: of --fail-if."
        ),
    ] = "table",
    read_as: options.ReadAs,
) -> int:
    """Compare ways of storing data: the ratio, its interval, and a verdict in words.

    Each file is a side, named after its path. For several runs a side give a folder, a quoted glob
    or NAME=FILES for each; or one path template, whose field names the sides.
    """
    refuse_form(format, fail_if)
    read = files.read_all(sources, read_as, label=True)
    if fail_if:
        return _held(read, asked, fail_if, format) or read.code
    if settings:
        answer = comparison.differences(read, asked.sides)
    else:
        from fiotools.stats.compare import compare as statistic

        answer = comparison.answer(statistic, read, asked)
    give(format, lambda: answer, lambda: comparison.sheet(answer), output, read)
    return read.code


def refuse_form(format: str, fail_if: list[str] | None) -> None:
    """Refuse a form that only a gate has."""
    if format in ("junit", "github") and not fail_if:
        raise Trouble(f"--format {format} is for rules: add --fail-if slower:5%", 2)


def _held(read: files.Reading, asked: options.Comparison, fail_if: list[str], format: str) -> int:
    """Compare, hold what was found to the rules, and say which are broken."""
    import polars as pl

    from fiotools.cli import gate as shown
    from fiotools.stats.compare import compare as statistic
    from fiotools.stats.gate import Rule, gate

    rules: dict[str, list[str]] = {}
    for text in fail_if:
        metric = Rule.of(text).metric or asked.metric
        if metric is None:
            raise Trouble(f"say of which metric: --metric iops, or --fail-if 'iops {text}'", 2)
        rules.setdefault(metric, []).append(text)
    held = []
    for metric, texts in rules.items():
        answer = comparison.answer(statistic, read, replace(asked, metric=metric))
        held.append(gate(answer, texts))
        if format in ("table", "markdown"):
            give(format, lambda: answer, lambda: comparison.sheet(answer))  # noqa: B023
    return shown.give(pl.concat(held), format)


COMMAND = Command(
    compare,
    (
        "compare single.json mirror.json --metric iops --by direction",
        "compare one='one/*.json' two='two/*.json' --metric lat_mean --where direction=read",
        "compare 'data/{volume}.xml' --baseline vhdx --metric iops --by direction",
        "compare old/ new/ --metric bw --by direction,bs --combine run --format markdown",
        "compare single.json mirror.json --settings",
        "compare old='old/*.json' new='new/*.json' --metric iops --fail-if slower:5%",
    ),
)
