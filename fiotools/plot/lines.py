"""Which series a figure of time shows, one for each name, and where their samples are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fiotools.errors import SchemaError
from fiotools.plot import kinds, parts, windows
from fiotools.spelling import argument, typed
from fiotools.stats import frames
from fiotools.stats.frames import Frame
from fiotools.stats.series import Series, series_of


@dataclass(frozen=True)
class Line:
    """One series, from `edges` to `edges`, with what `steady` said of it."""

    name: str
    series: Series
    edges: NDArray[np.float64]
    judged: windows.Judged | None
    colour: str
    marker: str

    @property
    def points(self) -> bool:
        """Whether its rows are single I/Os, each with a latency."""
        return self.series.single and self.series.metric.unit == "ns"

    @property
    def rounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """The values and edges of the rounds that were made of it."""
        if self.judged is None or self.judged.rounds is self.series:
            return None
        return self.judged.rounds.values, self.judged.edges

    @property
    def top(self) -> float:
        """The highest value that is drawn of it."""
        shown = self.series.values
        if self.rounds and self.series.single and not self.points:
            shown = self.rounds[0]
        return float(shown.max())

    @property
    def last(self) -> float:
        """Where it ends, more or less."""
        values = self.series.values
        return float(values[-max(1, len(values) // 20) :].mean())


def lines_of(
    table: Frame,
    quantity: str | None,
    hue: str | None,
    order: Sequence[Any] | None,
    told: windows.Told | None,
) -> list[Line]:
    """Find the series, one for each name, and what was said of them."""
    names = parts.known(table, hue) if hue else [None] * len(table)
    keys = [name for name in (hue, *(told.keys if told else ())) if name]
    frames.need(table, keys)
    kinds.refuse_several(
        table,
        names,
        "a line",
        hue=hue,
        apart=keys,
        also=lambda name: "" if hue else f", or tell them apart, {argument('hue', name)}",
    )
    found = {names[line.rows[0]]: line for line in series_of(table, quantity, keys)}
    lines = []
    for at, name in enumerate(parts.levels(list(found), order)):
        series = found[name]
        edges = _edges(table, series)
        judged = told.about(table, series, float(edges[0])) if told else None
        if series.single and series.metric.unit != "ns" and not judged:
            raise SchemaError(
                "the rows are one I/O each: draw rounds of them, "
                + typed("steady=steady(samples, round_s=1)", "--round 1s")
            )
        look = parts.PALETTE[at % len(parts.PALETTE)], parts.MARKERS[at % len(parts.MARKERS)]
        lines.append(Line(kinds.named(name, hue), series, edges, judged, *look))
    if len({line.series.metric.unit for line in lines}) > 1:
        raise SchemaError(f"{hue!r} names quantities of several units: draw one at a time")
    return lines


def _edges(table: Frame, line: Series) -> NDArray[np.float64]:
    """Give the times between the samples; without times, the nth sample is around n."""
    start = 0.5
    if line.timed:
        start = float(frames.values(table, "time_s")[line.rows[-1]]) - line.span
    return np.round(start + np.concatenate([[0.0], np.cumsum(line.widths)]), 9)
