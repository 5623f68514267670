"""Figures of what was logged over time: a quantity, or the distribution of latencies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fiotools import plot
from fiotools.errors import SchemaError
from fiotools.reports.gather import Source, differs
from fiotools.reports.layout import Drawn, figure_of
from fiotools.stats.steady import steady

if TYPE_CHECKING:
    import pandas as pd

_QUANTITIES = 4
_LINES = 6
_POINTS = 20_000  # in a picture of lines


def drawn(source: Source) -> Iterator[Drawn]:
    """Draw each quantity over time, and whether it was steady at the end."""
    samples = source.results.samples
    for quantity in samples["quantity"].dropna().unique()[:_QUANTITIES]:
        for direction, part in samples[samples["quantity"].eq(quantity)].groupby(
            "direction", dropna=False, sort=False
        ):
            if len(part) <= _POINTS:
                yield from _series(source, part, str(quantity), str(direction))


def _series(source: Source, part: pd.DataFrame, quantity: str, direction: str) -> Iterator[Drawn]:
    hue = next(
        (name for name in (*source.fields, "source", "entry") if differs(part, name)), "source"
    )
    if part[hue].nunique() > _LINES:
        return
    said = ""
    try:
        told = steady(part, quantity, by=hue)
        ax = plot.series(part, quantity, hue=hue, steady=told)
    except SchemaError:
        try:
            told = part[[hue, "time_s", "value"]].head(20)
            ax = plot.series(part, quantity, hue=hue)
        except SchemaError:
            return  # several series under one name: nothing that one figure can show
        said = "Whether it was steady cannot be told."
    yield Drawn(f"{quantity} over time, {direction}", figure_of(ax), part, told, said)
