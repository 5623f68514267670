"""A figure of a report, before it is saved, and its panels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fiotools.errors import SchemaError
from fiotools.language import called, listed
from fiotools.plot import common, fit_text
from fiotools.reports.sentences import parts_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LABEL = 350  # points: the width of a panel beside long names
_APART = 0.1  # inches above and below a panel
_HEAD = 1.05  # inches of a panel for its title and its axis


@dataclass(frozen=True)
class Drawn:
    """A figure, the frame whose files it is made of, and the numbers to show beside it.

    What is to be printed are numbers that stand nowhere else on the page.
    """

    title: str
    figure: Figure
    frame: pd.DataFrame
    numbers: pd.DataFrame
    said: str = ""
    printed: bool = False


def panels(rows: Sequence[float]) -> tuple[Figure, list[Axes]]:
    """Make panels one below the other, each high enough for its rows."""
    import matplotlib.pyplot as plt
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    heights = [_HEAD + common.ROW * count for count in rows]
    with common.look():
        figure, grid = plt.subplots(
            len(rows),
            1,
            figsize=(common.WIDTH, 0.4 + sum(heights)),
            height_ratios=heights,
            squeeze=False,
            layout=ConstrainedLayoutEngine(h_pad=_APART),
        )
    return figure, list(grid[:, 0])


def alone(axes: Sequence[Axes]) -> None:
    """Leave the label of the axis to the last panel, where all have the same; none is cut off."""
    if len({ax.get_xlabel() for ax in axes}) == 1:
        for ax in axes[:-1]:
            ax.set_xlabel("")
    for ax in axes:
        size = float(ax.xaxis.label.get_fontsize())
        lines = ax.get_xlabel().split("\n")
        fitted = [part for line in lines for part in fit_text.wrapped(line, size, _LABEL)]
        ax.set_xlabel("\n".join(fitted), loc="left")


def labels_of(frame: pd.DataFrame, by: Iterable[str]) -> list[str]:
    """Name rows as sentences do, but in the language of the figures."""
    return [listed(map(called, words)) for words in parts_of(frame, by)]


def figure_of(ax: Axes) -> Figure:
    """Give the figure that Axes are on."""
    figure = ax.get_figure(root=True)
    if figure is None:
        raise SchemaError("these Axes are on no figure")
    return figure
