"""A page of text and marks, laid out in points: what a table on paper needs of matplotlib."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from fiotools.plot import language
from fiotools.plot.breaking import letters, pieces

_RULE = "#E3E3E3"


class Page:
    """Texts and marks by their distance from the upper left corner; drawn when all are known."""

    def __init__(self, wide: float) -> None:
        self.wide = wide
        self.end = 0.0  # how far it is filled, from the top
        self._texts: list[tuple[float, float, str, dict[str, Any]]] = []
        self._marks: list[tuple[float, float, dict[str, Any]]] = []
        self._rules: list[float] = []

    def write(self, x: float, y: float, text: str, size: float, **look: Any) -> None:
        """Write a text; by default from its upper left corner."""
        look = {"fontsize": size, "va": "top", "ha": "left", "color": "black", **look}
        self._texts.append((x, y, text, look))

    def mark(self, x: float, y: float, **look: Any) -> None:
        """Draw a marker."""
        self._marks.append((x, y, look))

    def rule(self, y: float) -> None:
        """Draw a thin line from edge to edge."""
        self._rules.append(y)

    def draw(self, ax: Axes, high: float) -> None:
        """Draw it all on Axes of such a height in points."""
        ax.set_axis_off()
        ax.set_xlim(0, self.wide)
        ax.set_ylim(high, 0)
        # not in the layout: it would measure them before the Axes have their size
        for y in self._rules:
            rule: dict[str, Any] = {"color": _RULE, "linewidth": 0.8, "zorder": 1}
            ax.plot([0, self.wide], [y, y], in_layout=False, **rule)
        for x, y, look in self._marks:
            ax.plot(x, y, linestyle="none", in_layout=False, **look)
        for x, y, text, look in self._texts:
            ax.text(x, y, text, parse_math=False, in_layout=False, **look)


def width(text: str, size: float) -> float:
    """Measure a text in points; the same on every screen and paper."""
    return _width(text, size, tuple(language.family()))


@lru_cache(maxsize=4096)
def _width(text: str, size: float, family: tuple[str, ...]) -> float:
    font = FontProperties(family=list(family), size=size)
    return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0])


def wrapped(text: str, size: float, room: float) -> list[str]:
    """Break a text into lines of at most so many points; a word that is longer is broken too.

    A number stays with its unit.
    """
    lines, filled = [""], 0.0
    for space, word in pieces(text):
        # what fits nowhere, such as a path, is broken between letters
        parts = [word] if width(word, size) <= room else letters(word)
        for at, piece in enumerate(parts):
            gap = "" if at or not lines[-1] else space
            wide = width(gap + piece, size)
            if lines[-1] and filled + wide > room:
                lines.append("")
                gap, filled, wide = "", 0.0, width(piece, size)
            lines[-1] += gap + piece
            filled += wide
    return lines
