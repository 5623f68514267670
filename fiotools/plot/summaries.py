"""The middles and intervals that a figure takes from `summarize`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fiotools.errors import SchemaError
from fiotools.plot import parts
from fiotools.plot.language import say
from fiotools.stats import frames
from fiotools.stats.frames import Frame

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame


def told(summary: IntoDataFrame, metric: str, *keys: str | None) -> Frame:
    """Open what `summarize` said of a metric by some columns."""
    give = f"give summarize(frame, {metric!r}, by={[key for key in keys if key]})"
    table = parts.opened(summary)
    if missing := {"metric", "n", "mean", "confidence"} - set(table.columns):
        raise SchemaError(f"not a summary: no column {', '.join(sorted(missing))}; {give}")
    if set(frames.values(table, "metric")) != {metric}:
        raise SchemaError(f"the summary is not of {metric!r}: {give}")
    frames.need(table, [key for key in keys if key])
    return table


class Middles:
    """The middle of each cell of a summary with its interval."""

    def __init__(self, summary: Frame, middle: str, *keys: str | None) -> None:
        self.keys = [key for key in keys if key]
        ends = (frames.values(summary, f"{middle}{end}") for end in ("", "_lo", "_hi"))
        self.ends = list(zip(*ends, strict=True))
        self.cells = frames.groups(summary, self.keys)

    def __getitem__(self, cell: tuple[Any, ...]) -> tuple[float, float | None, float | None]:
        rows = self.cells.get(cell, [])
        if len(rows) != 1:
            where = ", ".join(f"{k} {v!r}" for k, v in zip(self.keys, cell, strict=True))
            raise SchemaError(
                f"the summary has {len(rows) or 'no'} rows of {where}:"
                f" summarize the frame that is drawn, by={self.keys}"
            )
        return self.ends[rows[0]]


def intervals(summary: Frame, middle: str) -> str:
    """Name the intervals of a summary, or nothing if it has none."""
    if not frames.distinct(frames.values(summary, f"{middle}_lo")):
        return ""
    confidence = frames.distinct(frames.values(summary, "confidence"))
    return say("{confidence} interval", confidence=f"{confidence[0]:.0%}") if confidence else ""
