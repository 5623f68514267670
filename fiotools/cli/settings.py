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
    import pandas as pd


def differences(read: files.Reading, sides: options.Sides) -> pd.DataFrame:
    """List what the sides do not have alike: options, the tool, the machine that ran it."""
    from pandas import concat

    from fiotools.stats.asked import settings_diff

    settings = read.results.settings
    if not len(settings):
        raise Trouble("these files tell no settings")
    column = sides.between or files.one_field(read)
    column = columns.found(column, settings, "--between")
    side = comparing.side(read, settings, column, sides.baseline)
    if column in read.results.runs:
        told = set(settings[column])
        for name in read.results.runs[column].dropna().unique():
            if name not in told:
                words = f"the files of {column} {name} tell no settings"
                if name == side or len(told) < 2:
                    raise Trouble(words)
                say(words)
    everything = concat([settings, *_of_runs(read.results.runs, settings)], ignore_index=True)
    return settings_diff(everything, between=column, baseline=side)


def _of_runs(runs: pd.DataFrame, like: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Give the tool and the machine of each run as if they were options."""
    # with its name: alone, versions 3.4 and 3.40 would be one amount
    tools = runs["tool"].str.cat(runs["tool_version"].fillna(""), " ")
    for option, texts in (("tool", tools), ("host", runs["host"])):
        whose = runs[[name for name in like if name in runs]]
        yield whose.assign(option=option, text=texts).dropna(subset="text")


def sheet(frame: pd.DataFrame) -> Sheet:
    """Show the differences, or that there are none."""
    if not len(frame):
        return Sheet([], "the sides differ in no setting that the files tell")
    between = columns.of(frame)[0]
    baseline = cells.column([frame["baseline"].iloc[0]], between)[0][0]
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
