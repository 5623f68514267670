"""Which settings the sides of a comparison differ in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fiotools.cli import cells, columns, comparing, files
from fiotools.cli.answer import shown
from fiotools.cli.sheet import Sheet, Shown
from fiotools.cli.stream import Trouble, printable, say

if TYPE_CHECKING:
    import pandas as pd


def differences(read: files.Reading, between: str | None, baseline: str | None) -> pd.DataFrame:
    """List the options that the sides were not given alike."""
    from fiotools.stats.asked import settings_diff

    settings = read.results.settings
    if not len(settings):
        raise Trouble("these files tell no settings")
    column = columns.full(between, settings) if between else files.one_field(read)
    side = comparing.side(read, settings, column, baseline)
    if column in settings and column in read.results.runs:
        told = set(settings[column])
        for name in read.results.runs[column].dropna().unique():
            if name not in told:
                words = f"the files of {column} {name} tell no settings"
                if name == side or len(told) < 2:
                    raise Trouble(words)
                say(words)
    return settings_diff(settings, between=column, baseline=side)


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
