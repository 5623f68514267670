"""Which settings the sides of a comparison differ in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fiotools.cli import comparing, files, options
from fiotools.cli.stream import Trouble, say
from fiotools.display import cells, columns
from fiotools.display.sheet import Sheet, Shown, shown
from fiotools.display.text import printable

if TYPE_CHECKING:
    import polars as pl


def differences(read: files.Reading, sides: options.Sides) -> pl.DataFrame:
    """List what the sides do not have alike: options, the tool, the machine that ran it."""
    import polars as pl

    from fiotools.stats.settings_diff import settings_diff

    settings, runs = read.table("settings"), read.table("runs")
    if not len(settings):
        raise Trouble("these files tell no settings")
    column = sides.between or files.one_field(read)
    column = columns.found(column, settings, "--between")
    side = comparing.side(read, settings, column, sides.baseline)
    if column in runs:
        told = set(settings[column])
        for name in runs[column].drop_nulls().unique(maintain_order=True):
            if name not in told:
                words = f"the files of {column} {name} tell no settings"
                if name == side or len(told) < 2:
                    raise Trouble(words)
                say(words)
    everything = pl.concat([settings, *_of_runs(runs, settings)], how="diagonal")
    return settings_diff(everything, between=column, baseline=side)


def _of_runs(runs: pl.DataFrame, like: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Give the tool and the machine of each run as if they were options."""
    import polars as pl

    # with its name: alone, versions 3.4 and 3.40 would be one amount
    tools = runs["tool"] + " " + runs["tool_version"].fill_null("")
    whose = runs.select(name for name in like.columns if name in runs)
    for option, texts in (("tool", tools), ("host", runs["host"])):
        named = pl.Series("option", [option]).new_from_index(0, len(runs))
        yield whose.with_columns(named, texts.alias("text")).drop_nulls("text")


def sheet(frame: pl.DataFrame) -> Sheet:
    """Show the differences, or that there are none."""
    if not len(frame):
        return Sheet([], "the sides differ in no setting that the files tell")
    between = columns.of(frame)[0]
    baseline = cells.column([frame["baseline"][0]], between)[0][0]
    texts = {"set to": frame["text"], f"of {baseline}": frame["text_baseline"]}
    return Sheet(
        [
            *shown(frame, ["option", between], keep=lambda _: 9),
            *(
                Shown(
                    head,
                    ["not given" if cells.is_missing(one) else printable(one) for one in column],
                    keep=8,
                    wraps=True,
                )
                for head, column in texts.items()
            ),
        ]
    )
