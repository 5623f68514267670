"""`fiotools compare` and `speedup`: how much more or faster, and how sure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from fiotools.cli import files, options, rows
from fiotools.cli.answer import give, give_gate
from fiotools.cli.options import command, flag, option
from fiotools.cli.output import Trouble, say
from fiotools.display import columns

if TYPE_CHECKING:
    import polars as pl

    from fiotools.display.columns import Sheet


def compared(
    statistic: Callable[..., pl.DataFrame], read: files.Reading, asked: options.Comparison
) -> pl.DataFrame:
    """Call `compare` or `speedup`, which have the same arguments."""
    kept, judging = asked.kept, asked.judging
    frame, name = rows.asked(read.results, asked.metric, kept.table)
    between = asked.sides.between
    between = columns.full(between, frame) if between else files.one_field(read)
    frame = rows.complete(rows.kept(frame, kept), kept, name, between)
    arguments = {
        **vars(judging),
        "between": between,
        "baseline": side(read, frame, between, asked.sides.baseline),
        "by": [columns.full(column, frame) for column in columns.split(asked.by)] or None,
        "pair": columns.full(judging.pair, frame) if judging.pair else None,
        "scope": None if kept.combine else kept.scope,
        "settings": read.table("settings") if read.results.tables.height("settings") else None,
    }
    with files.working(read, "comparing"):
        return statistic(frame, name, **arguments)


def sheet(answer: pl.DataFrame) -> Sheet:
    """Lay out an answer, and tell what to type for more."""
    from fiotools.display import layout

    made = layout.sheet(answer)
    if "settings_differ" not in answer:  # it is of the settings themselves
        return made
    if answer["settings_differ"].null_count() < len(answer):
        made.notes.append("fiotools compare FILES --settings shows the options that differ")
    if answer["n"].max() == 1 == answer["n_baseline"].max():
        made.notes.append("give several runs a side as NAME='FILES', such as new='new/*.json'")
    return made


def side(read: files.Reading, frame: pl.DataFrame, between: str, baseline: str | None) -> Any:
    """Return the baseline in its column's type: the typed one, or the first.

    The first is the first of all files, not of the rows that a filter left.
    """
    if between not in frame:
        return baseline
    if baseline is not None:
        return columns.value_of(frame, between, baseline)
    if between == "label" and read.first is not None:
        return read.first
    runs = read.table("runs")
    there = (runs if between in runs else frame)[between].drop_nulls()
    return there[0] if len(there) else None


def differences(read: files.Reading, sides: options.Sides) -> pl.DataFrame:
    """List the differences of the sides: options, the tool, the machine that ran it."""
    import polars as pl

    from fiotools.stats.arms import settings_diff

    settings, runs = read.table("settings"), read.table("runs")
    if not len(settings):
        raise Trouble("these files hold no settings")
    column = sides.between or files.one_field(read)
    column = columns.found(column, settings, "--between")
    baseline = side(read, settings, column, sides.baseline)
    if column in runs:
        told = set(settings[column])
        for name in runs[column].drop_nulls().unique(maintain_order=True):
            if name not in told:
                words = f"the files of {column} {name} hold no settings"
                if name == baseline or len(told) < 2:
                    raise Trouble(words)
                say(words)
    everything = pl.concat([settings, *_of_runs(runs, settings)], how="diagonal")
    return settings_diff(everything, between=column, baseline=baseline)


def _of_runs(runs: pl.DataFrame, like: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Yield the tool and the machine of each run as if they were options."""
    import polars as pl

    # with its name: versions 3.4 and 3.40 alone would be equal numbers
    tools = runs["tool"] + " " + runs["tool_version"].fill_null("")
    whose = runs.select(name for name in like.columns if name in runs)
    for name, texts in (("tool", tools), ("host", runs["host"])):
        named = pl.Series("option", [name]).new_from_index(0, len(runs))
        yield whose.with_columns(named, texts.alias("text")).drop_nulls("text")


@command(
    "compare single.json mirror.json --metric iops --by direction",
    "compare one='one/*.json' two='two/*.json' --metric lat_mean --where direction=read",
    "compare 'data/{volume}.xml' --baseline vhdx --metric iops --by direction",
    "compare old/ new/ --metric bw --by direction,bs --combine run --format markdown",
    "compare single.json mirror.json --settings",
    "compare old='old/*.json' new='new/*.json' --metric iops --fail-if slower:5%",
)
def compare(
    sources: options.Files,
    *,
    asked: options.Comparison,
    settings: Annotated[
        bool, flag("--settings", "Show the settings in which the sides differ instead.")
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
            "--format", "-f", help="json and csv: every column; junit and github: for --fail-if."
        ),
    ] = "table",
    read_as: options.ReadAs,
) -> int:
    """Compare the sides: the ratio, its interval, and a verdict in words.

    Each file is a side, named after its path. If a side has several runs, give a folder, a quoted
    glob or NAME=FILES for each side; or one path template, whose field names the sides.
    """
    refuse_form(format, fail_if)
    read = files.read_all(sources, read_as, label=True)
    if fail_if:
        return _held(read, asked, fail_if, format) or read.code
    if settings:
        answer = differences(read, asked.sides)
    else:
        from fiotools.stats.compare import compare as statistic

        answer = compared(statistic, read, asked)
    give(format, lambda: answer, lambda: sheet(answer), output, read)
    return read.code


def refuse_form(format: str, fail_if: list[str] | None) -> None:
    """Refuse a form that only a gate has."""
    if format in ("junit", "github") and not fail_if:
        raise Trouble(f"--format {format} is for rules: add --fail-if slower:5%", 2)


def _held(read: files.Reading, asked: options.Comparison, fail_if: list[str], format: str) -> int:
    """Compare, check the answer against the rules, and report the broken ones."""
    import polars as pl

    from fiotools.stats.compare import compare as statistic
    from fiotools.stats.gate import Rule, gate

    rules: dict[str, list[str]] = {}
    for text in fail_if:
        metric = Rule.of(text).metric or asked.metric
        if metric is None:
            raise Trouble(f"name the metric: --metric iops, or --fail-if 'iops {text}'", 2)
        rules.setdefault(metric, []).append(text)
    held = []
    for metric, texts in rules.items():
        answer = compared(statistic, read, replace(asked, metric=metric))
        held.append(gate(answer, texts))
        if format in ("table", "markdown"):
            give(format, lambda: answer, lambda: sheet(answer))  # noqa: B023
    return give_gate(pl.concat(held), format)


@command(
    "speedup 'page-cache/{cache}.txt' --baseline before --metric real",
    "speedup old='old/*.txt' new='new/*.txt' --metric real",
    "speedup 'data/{volume}.xml' --baseline vhdx --metric lat_mean --by direction",
)
def speedup(
    sources: options.Files,
    *,
    asked: options.Comparison,
    output: options.Output = None,
    format: options.Format = "table",
    read_as: options.ReadAs,
) -> int:
    """Do the same as `compare`, as times faster: above 1 is better."""
    from fiotools.stats.compare import speedup as statistic

    read = files.read_all(sources, read_as, label=True)
    answer = compared(statistic, read, asked)
    give(format, lambda: answer, lambda: sheet(answer), output, read)
    return read.code
