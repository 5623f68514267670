"""What `compare`, `speedup` and `plot ratios` share: the question, the two sides, the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from fiotools.cli import files, options, rows
from fiotools.cli.output import Trouble, say
from fiotools.display import columns

if TYPE_CHECKING:
    import polars as pl

    from fiotools.display.model import Sheet


def answer(
    statistic: Callable[..., pl.DataFrame], read: files.Reading, asked: options.Comparison
) -> pl.DataFrame:
    """Ask `compare` or `speedup`, whose arguments are alike."""
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
    """Lay out an answer, and say what to type for more."""
    from fiotools.display import layout
    from fiotools.display.frame import Frame

    made = layout.sheet(Frame(answer))
    if "settings_differ" not in answer:  # it is of the settings themselves
        return made
    if answer["settings_differ"].null_count() < len(answer):
        made.notes.append("which options, and how they were set: fiotools compare FILES --settings")
    if answer["n"].max() == 1 == answer["n_baseline"].max():
        made.notes.append("several runs a side: NAME='FILES' for each, as in new='new/*.json'")
    return made


def side(read: files.Reading, frame: pl.DataFrame, between: str, baseline: str | None) -> Any:
    """Give the baseline in its column's type: as it was typed, or the first that was named.

    The first is that of all that was read, and not of the rows that a filter left.
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
    """List what the sides do not have alike: options, the tool, the machine that ran it."""
    import polars as pl

    from fiotools.stats.settings_diff import settings_diff

    settings, runs = read.table("settings"), read.table("runs")
    if not len(settings):
        raise Trouble("these files tell no settings")
    column = sides.between or files.one_field(read)
    column = columns.found(column, settings, "--between")
    baseline = side(read, settings, column, sides.baseline)
    if column in runs:
        told = set(settings[column])
        for name in runs[column].drop_nulls().unique(maintain_order=True):
            if name not in told:
                words = f"the files of {column} {name} tell no settings"
                if name == baseline or len(told) < 2:
                    raise Trouble(words)
                say(words)
    everything = pl.concat([settings, *_of_runs(runs, settings)], how="diagonal")
    return settings_diff(everything, between=column, baseline=baseline)


def _of_runs(runs: pl.DataFrame, like: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Give the tool and the machine of each run as if they were options."""
    import polars as pl

    # with its name: alone, versions 3.4 and 3.40 would be one amount
    tools = runs["tool"] + " " + runs["tool_version"].fill_null("")
    whose = runs.select(name for name in like.columns if name in runs)
    for option, texts in (("tool", tools), ("host", runs["host"])):
        named = pl.Series("option", [option]).new_from_index(0, len(runs))
        yield whose.with_columns(named, texts.alias("text")).drop_nulls("text")
