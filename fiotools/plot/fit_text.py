"""Text that must fit: how wide it is, where it may be broken, and what Axes have room for.

Japanese and Chinese put no space between words, and may break a line almost anywhere: not before a
full stop, a closing bracket or a small kana, nor after an opening bracket (kinsoku). It reads best
where a particle ends, which is where hiragana do; so lines are broken there, while they are long
enough.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.text import Text
from matplotlib.textpath import text_to_path
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from fiotools.plot import common, fonts

_RULE = "#E3E3E3"
_HIRAGANA = "\u3041-\u309f"
_WIDE = "\u3000-\u9fff\uff01-\uffef"  # kana, ideographs, and the punctuation that goes with them
_STOPS = "、。，．：；？！"
_CLOSING = rf"{_STOPS}・～）」』】〕］｝〉》ー…々ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ"
_OPENING = "（「『【〔［｛〈《"
_WORD = re.compile(r"[(<≤±+-]*[\d.,]+ (?:%|/s|[kMGTP]?B(?:/s)?|[mµn]?s)(?!\w)\S*|\S+")
_IS_WIDE = re.compile(f"[{_WIDE}]")
# katakana, ideographs or Latin letters, with the hiragana and the punctuation after them
_PHRASE = re.compile(
    rf"[{_OPENING}(]*"
    rf"(?:[ァ-ヿ]+|[㐀-鿿々]+|[^{_WIDE}]+|[{_WIDE}])?"
    rf"[{_HIRAGANA}]*[{_CLOSING})]*"
)
_LETTER = re.compile(rf"[{_OPENING}]*[^{_OPENING}][{_CLOSING}]*|.", re.S)
_LEANS = re.compile(rf"[{_HIRAGANA}{_CLOSING}]")  # on what is before it
_COUNTED = re.compile(r"[㐀-鿿ァ-ヿ]")  # after a number, what it is a number of
_EDGE = 24  # points: what a figure's own edge takes
_BESIDE = 90  # points: what ticks and a label take beside Axes
_TICK = {"x": 52, "y": 22}  # points: what a tick's label takes, with some space
_HANDLE = 52  # points: what an entry of a legend takes beside its name
_HIGH = 0.65  # of the height of Axes, which words below them may yet take from


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
        look = {"fontsize": size, "va": "top", "ha": "left", **look}
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
            look = {"color": common.ink(ax), **look}
            ax.text(x, y, text, parse_math=False, in_layout=False, **look)


def width(text: str, size: float) -> float:
    """Measure a text in points; the same on every screen and paper."""
    return _width(text, size, tuple(fonts.family()))


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


def pieces(text: str) -> list[tuple[str, str]]:
    """Give the pieces of a text that stay whole, each with the space before it.

    Examples
    --------
    >>> pieces("took 3.5 s, at best")
    [(' ', 'took'), (' ', '3.5 s,'), (' ', 'at'), (' ', 'best')]
    >>> pieces("実行 1 回ずつ、区間なし。")
    [(' ', '実行'), (' ', '1 回ずつ、'), ('', '区間なし。')]
    """
    found: list[tuple[str, str]] = []
    for word in _WORD.findall(text):
        if not _IS_WIDE.search(word):
            found.append((" ", word))
            continue
        for at, phrase in enumerate(filter(None, _PHRASE.findall(word))):
            gap = "" if at else " "
            before = found[-1][1] if found else ""
            counted = before[-1:].isdigit() and _COUNTED.match(phrase)
            leans = _LEANS.match(phrase) and before[-1:] not in _STOPS
            if before and (leans or counted):
                found[-1] = found[-1][0], before + gap + phrase
            else:
                found.append((gap, phrase))
    return found


def letters(word: str) -> list[str]:
    """Give the pieces of a word that is too long for a line.

    Examples
    --------
    >>> letters("a/b"), letters("「ス」。")
    (['a', '/', 'b'], ['「ス」。'])
    """
    return _LETTER.findall(word) if _IS_WIDE.search(word) else list(word)


def is_wide(text: str) -> bool:
    """Whether a text has letters that may be broken between."""
    return _IS_WIDE.search(text) is not None


def label_below(ax: Axes, *lines: str) -> None:
    """Label the x axis in lines, each broken where it is wider than the Axes."""
    size, wide = _size(ax.xaxis.label), common.points(ax)[0]
    figure = ax.get_figure(root=True)
    if figure and len(figure.axes) == 1:  # nothing is to its right
        wide += (1 - ax.get_position().x1) * figure.get_size_inches()[0] * 72 - _EDGE
    fitted = [part for line in lines for part in wrapped(line, size, wide)]
    ax.set_xlabel("\n".join(fitted), loc="left", linespacing=1.4)


def names_beside(ax: Axes, names: Sequence[str]) -> list[str]:
    """Break names of rows that would take more than half of the figure."""
    size, most = _size(ax.yaxis.label), 0.5 * _whole(ax)
    return ["\n".join(wrapped(name, size, most)) for name in names]


def names_below(ax: Axes, names: Sequence[str]) -> dict[int, str]:
    """Choose each name at 0, 1, 2, ... of the x axis, or each second, ..., as they have room.

    Long ones are broken.
    """
    size, wide = _size(ax.xaxis.label), common.points(ax)[0]
    figure = ax.get_figure(root=True)
    if figure and len({round(one.get_position().x0, 3) for one in figure.axes}) == 1:
        wide = max(wide, _whole(ax) - _BESIDE)
    low, high = ax.get_xlim()
    lines = [wrapped(name, size, wide / min(len(names), 4) - 6) for name in names]
    longest = max(width(line, size) for name in lines for line in name) + 6
    step = max(1, math.ceil(longest * (high - low) / wide))
    return {at: "\n".join(lines[at]) for at in range(0, len(names), step)}


def beside(ax: Axes) -> float:
    """Give the width in points that the names of the rows leave of a figure to its only Axes."""
    figure = ax.get_figure(root=True)
    if figure is None or len(figure.axes) > 1:
        return common.points(ax)[0]
    names = ax.get_yticklabels()
    lines = [(line, _size(name)) for name in names for line in name.get_text().splitlines()]
    return _whole(ax) - max((width(*line) for line in lines), default=0.0) - _EDGE


def _whole(ax: Axes) -> float:
    """Give the width of the figure in points."""
    figure = ax.get_figure(root=True)
    return float(figure.get_size_inches()[0]) * 72 if figure else common.points(ax)[0]


def label_beside(ax: Axes, text: str) -> None:
    """Label the y axis in lines that are no longer than it is."""
    size = _size(ax.yaxis.label)
    ax.set_ylabel("\n".join(wrapped(text, size, _HIGH * common.points(ax)[1])))


def legend_below(ax: Axes, names: Sequence[str]) -> None:
    """Put the legend beside the x axis' label if it has room there, else below it."""
    size, lines = _size(ax.xaxis.label), ax.get_xlabel().splitlines()
    room = common.points(ax)[0]
    entries = [width(name, size) + _HANDLE for name in names]
    beside = room - max(width(line, size) for line in lines)
    if sum(entries) <= beside:
        common.legend_below(ax, len(entries))
    else:
        common.legend_below(ax, max(1, int(room / max(entries))), len(lines) + 1)


def fitting(text: str, room: float) -> float:
    """Give the size of letters, of a few, in which a text has room."""
    return next((size for size in (9.0, 8.0, 7.0, 6.0) if width(text, size) <= room), 5.0)


def _size(text: Text) -> float:
    return float(text.get_fontsize())


def time_axis(ax: Axes, low: float, high: float) -> None:
    """Make the x axis one of seconds, with as many round ticks as have room."""
    ax.set_xlim(low, high)
    ax.xaxis.set_major_locator(
        common.round_ticks(max(2, min(5, int(common.points(ax)[0] / _TICK["x"]))))
    )
    common.unit_axis(ax, "time_s", "", like=high)


def latency_axis(ax: Axes, axis: Literal["x", "y"], low: float, high: float) -> None:
    """Make an axis one of latencies, logarithmic, with as many round ticks as have room."""
    named = ax.xaxis if axis == "x" else ax.yaxis
    (ax.set_xscale if axis == "x" else ax.set_yscale)("log")
    (ax.set_xlim if axis == "x" else ax.set_ylim)(low, high)
    most = max(2, int(common.points(ax)[axis == "y"] / _TICK[axis]))
    named.set_major_locator(FixedLocator(round_values(low, high, most)))
    named.set_minor_locator(NullLocator())
    named.set_major_formatter(FuncFormatter(lambda value, _: common.tick(value, "ns")))


def round_values(low: float, high: float, most: int) -> list[float]:
    """Choose the ticks of a logarithmic axis: 1, 2, 5, 10, ..., or powers of ten, or some of them.

    Examples
    --------
    >>> round_values(90, 2100, 6)
    [100.0, 200.0, 500.0, 1000.0, 2000.0]
    >>> round_values(90, 2100, 4), round_values(90, 2e8, 4)
    ([100.0, 1000.0], [100.0, 10000.0, 1000000.0, 100000000.0])
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    powers = range(first, last + 1)
    choices = [[factor * 10.0**power for power in powers for factor in (1, 2, 5)]]
    choices += [
        [10.0**power for power in powers if power % step == 0] for step in range(1, len(powers) + 1)
    ]
    for choice in choices:
        found = [value for value in choice if low <= value <= high]
        if 2 <= len(found) <= most:
            return found
    # less than a decade wide
    even = common.round_ticks(min(most, 5)).tick_values(low, high)
    return [float(value) for value in even if low <= value <= high]
