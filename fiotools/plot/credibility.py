"""The credibility table: which numbers can be true, and why not, on one page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib.axes import Axes

from fiotools.errors import SchemaError
from fiotools.language import called, listed, say
from fiotools.plot import common
from fiotools.plot.fit_text import width, wrapped
from fiotools.stats import frames
from fiotools.stats.frames import Frame

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

# told apart by shape: in greyscale, and by the colour-blind
_LOOKS: Mapping[str, Mapping[str, Any]] = {
    "impossible": {"marker": "X", "markersize": 8, "color": common.PALETTE[1]},
    "suspect": {
        "marker": "^",
        "markersize": 7,
        "markerfacecolor": "white",
        "markeredgecolor": common.PALETTE[1],
        "markeredgewidth": 1.3,
    },
    "unknown": {"marker": "$?$", "markersize": 6, "color": common.GREY},
    "ok": {"marker": "o", "markersize": 4.5, "color": common.PALETTE[2]},
}
_RULE = "#E3E3E3"
_HIGH = 10.2  # inches: what A4 has between its margins
_EDGE = 6.0  # points that the layout keeps free around Axes
_SIZE, _SMALL = 8.5, 6.5  # points of letters
_LINE = 11.5  # points from line to line
_ROW, _TALL, _DENSE = 16.0, 21.0, 12.0  # and from row to row
_GAP = 2.0  # points between paragraphs
# points: a column's width, one with numbers beside the marks, and one with any
_COLUMN, _NARROW, _LEAST = 34.0, 16.0, 9.0
_REASONS = 200.0  # points that a page keeps free for them
_INDENT = 30.0
_SLANT = sqrt(0.5)
_ASKED = {
    "amplified": "extra I/O",
    "budget": "byte budget",
    "cache": "page cache",
    "caching": "OS cache",
    "copying": "CPU time",
    "data": "random data",
    "dd_flush": "dd flushes",
    "dd_source": "dd's source",
    "dd_time": "dd's run time",
    "depth": "queue depth",
    "elapsed": "elapsed time",
    "engine": "I/O engine",
    "error": "errors",
    "fast_reads": "fast reads",
    "fast_writes": "fast writes",
    "flush": "fsync",
    "link": "link speed",
    "little": "Little's law",
    "medium": "disk type",
    "modes": "latency modes",
    "parts": "sums",
    "preconditioning": "preconditioned",
    "runtime": "run time",
    "sides": "same options",
    "sparse": "unwritten blocks",
    "turns": "disk turns",
    "twin": "copied numbers",
    "warm": "warm cache",
    "warmup": "warm-up",
}
WORST = ("impossible", "suspect", "unknown", "ok")
_NUMBER = re.compile(r"\d[\d.,]*(?: (?:[kMGTP]?B(?:/s)?|[mµn]?s)\b)?")
_GIVE = "give what check() returned"


def credibility(
    checks: IntoDataFrame,
    *,
    y: str | None = None,
    reasons: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the answer of `check` on one page: a row per run, a column per check, and the reasons.

    A cell has the worst verdict and the numbers of its reasons. The reasons stand below, one for
    each verdict that is impossible or suspect; for the unknown, the missing evidence is listed.
    Reasons that differ only in their values are merged if the page is too short for all of them,
    and the runs are counted if it is too short for a row each.

    Parameters
    ----------
    checks : pandas or polars frame
        The answer of `check`.
    y : str, optional
        The column that names the rows, with all its runs in one; by default each run has a row,
        named by its labels or else by its file.
    reasons : int, optional
        The number of reasons: what is impossible first, then what concerns most rows. By
        default all, and the evidence that is missing.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    SchemaError
        If the frame is not what `check` returned.

    Examples
    --------
    >>> import fiotools as ft
    >>> res = ft.read("data/wsl-vhdx/f_ext4-vhdx_write.txt")
    >>> ax = ft.plot.credibility(ft.check(res, ram="7926928KiB", link="usb3-5g"))
    >>> page = " ".join(text.get_text() for text in ax.texts)
    >>> "link speed: 1.98 GB/s is 3.95 times the 500 MB/s that the link (usb3-5g) can carry" in page
    True
    """
    told = Verdicts(checks, y)
    if ax is None:
        figure = common.panels(1, 1, _HIGH)[0, 0].get_figure()
        ax = figure.axes[0]
        wide = common.WIDTH * 72 - _EDGE
        high = _Page(ax, told, wide, _HIGH * 72).fill(reasons)
        figure.set_figheight((high + _EDGE) / 72)
    else:
        common.keep_room(ax)
        wide, high = _room(ax)
        wide = max(wide, 150.0)
        high = max(high, _Page(ax, told, wide, high).fill(reasons))
    ax.set_xlim(0, wide)
    ax.set_ylim(high, 0)
    return ax


def _room(ax: Axes) -> tuple[float, float]:
    """Return the size that Axes without axes get from the figure's layout, in points."""
    ax.set_axis_off()
    figure = ax.get_figure(root=True)
    if figure and (engine := figure.get_layout_engine()):
        engine.execute(figure)
    wide, high = common.points(ax)
    return 0.97 * wide, 0.97 * high  # a title comes, or the neighbours' labels


@dataclass(frozen=True)
class _Grid:
    """The places of rows and columns."""

    counted: bool  # runs are counted, there is no row for each
    labels: list[list[str]]
    row: float
    left: float  # of the first column
    column: float
    head: float

    @property
    def heights(self) -> list[float]:
        return [self.row + _LINE * (len(lines) - 1) for lines in self.labels]

    @property
    def slanted(self) -> bool:
        """Whether the columns are wide enough for names across and numbers beside the marks."""
        return self.column >= _NARROW

    @property
    def lift(self) -> float:
        """How far the marks lie above the middle of a row, to have numbers below."""
        return _TALL / 5 if self.row == _TALL else 0.0

    @property
    def numbered(self) -> bool:
        """Whether the cells have room for the numbers of their reasons."""
        return not self.counted and (self.slanted or (self.lift > 0 and self.column >= _LEAST))


def _grid(told: Verdicts, wide: float, high: float) -> _Grid:
    """Choose a row for each run, or counts if the page is too short."""
    heads = [width(_name(check), _SIZE) for check in told.checks]
    shown = [called(name) for name in told.rows]
    verdicts = [say(verdict) for verdict in WORST]
    for names, row in ((shown, _ROW), (shown, _DENSE), (verdicts, _ROW)):
        counted = names is verdicts
        most = min(max(width(name, _SIZE) for name in names) + 2, 0.4 * wide)
        labels = [wrapped(name, _SIZE, most) for name in names]
        left = max(most, 62.0) + 8  # room for the legend, which stands above
        column = min(_COLUMN, (wide - left - _SLANT * heads[-1]) / len(heads))
        slant = _SLANT if column >= _NARROW else 1.0
        row = _TALL if row == _ROW and column < _NARROW and not counted else row
        legend = (len(told.seen) + 0.5) * _LINE
        grid = _Grid(counted, labels, row, left, column, max(slant * max(heads) + 12, legend))
        if grid.head + sum(grid.heights) <= max(high - _REASONS, 0.6 * high):
            break
    return grid


def _name(check: str) -> str:
    """Name a check in words."""
    own = say(check)
    return _ASKED.get(own, own)


class _Page:
    """Axes without axes: texts and marks have distances in points from the upper left corner."""

    def __init__(self, ax: Axes, told: Verdicts, wide: float, high: float) -> None:
        ax.set_axis_off()
        self.ax, self.told, self.wide, self._high = ax, told, wide, high
        self._grid = _grid(told, wide, high)
        self._end = 0.0  # how far it is filled, from the top
        self._every = len(set(told.runs))

    def fill(self, most: int | None) -> float:
        """Draw the table, and below it the reasons that have room; return the end."""
        grid = self._grid
        self._end = grid.head + sum(grid.heights) + 8
        self._draw_head()
        if grid.counted:
            said = say("{n} runs, counted by the worst verdict of each check", n=self._every)
            self._paragraph(0, wrapped(said, _SIZE, self.wide))
        room = max(self._high - self._end, 3 * _LINE)
        for alike in (True,) if grid.counted or most is not None else (False, True):
            reasons = self.told.reasons(alike=alike)
            every = [*reasons, *self.told.missing()]
            if most is not None:
                every = sorted(reasons, key=lambda one: (WORST.index(one.verdict), -len(one.cells)))
            texts = [self._lines(one) for one in every[:most]]
            heights = [len(lines) * _LINE + _GAP for lines in texts]
            if sum(heights) <= room:
                break
        else:  # as many as have room, with a line that says how many have none
            room -= _LINE
            while sum(heights) > room:
                heights.pop()
        shown = every[: len(heights)]
        numbered = [one for one in shown if one.verdict != "unknown"] if grid.numbered else []
        if grid.counted:
            self._draw_counts()
        else:
            self._draw_rows(numbered)
        for number, (one, lines) in enumerate(zip(shown, texts, strict=False), start=1):
            middle = self._end + _LINE / 2
            if number <= len(numbered):
                self._write(10, middle, f"{number}", _SIZE, ha="right", va="center_baseline")
            self._mark(20, middle, one.verdict)
            self._paragraph(_INDENT, lines)
        if more := len(every) - len(shown):
            self._paragraph(_INDENT, [say("and {n} more, in the frame", n=more)])
        return self._end

    def _write(self, x: float, y: float, text: str, size: float, **look: Any) -> None:
        """Write a text; by default from its upper left corner."""
        # not in the layout: it would measure them before the Axes have their size
        look = {"va": "top", "color": common.ink(self.ax), **look}
        self.ax.text(x, y, text, fontsize=size, parse_math=False, in_layout=False, **look)

    def _mark(self, x: float, y: float, verdict: str) -> None:
        self.ax.plot(x, y, linestyle="none", in_layout=False, **_LOOKS[verdict])

    def _rule(self, y: float) -> None:
        """Draw a thin line from edge to edge."""
        look: Any = {"color": _RULE, "linewidth": 0.8, "zorder": 1}
        self.ax.plot([0, self.wide], [y, y], in_layout=False, **look)

    def _paragraph(self, x: float, lines: Sequence[str]) -> None:
        for line in lines:
            self._write(x, self._end + _LINE / 2, line, _SIZE, va="center_baseline")
            self._end += _LINE
        self._end += _GAP

    def _middle(self, column: int) -> float:
        return self._grid.left + (column + 0.5) * self._grid.column

    def _draw_head(self) -> None:
        """Write the checks over their columns, and the legend beside them."""
        grid = self._grid
        slanted = grid.slanted
        for at, check in enumerate(self.told.checks):
            self._write(
                self._middle(at),
                grid.head - 4,
                _name(check),
                _SIZE if slanted else max(5.0, min(_SIZE, grid.column)),
                rotation=45 if slanted else 90,
                rotation_mode="anchor",
                va="baseline" if slanted else "center",
            )
        if grid.counted:
            return  # the rows are named by them
        for at, verdict in enumerate(self.told.seen):
            middle = (at + 0.5) * _LINE
            self._mark(6, middle, verdict)
            self._write(14, middle, say(verdict), _SIZE, va="center_baseline", color=common.GREY)

    def _draw_rows(self, reasons: Sequence[Reason]) -> None:
        """Draw a row per run, with the worst verdict of each check and the reasons' numbers."""
        told, grid = self.told, self._grid
        worst, top = told.worst(told.names), grid.head
        for name, lines, height in zip(told.rows, grid.labels, grid.heights, strict=True):
            middle = top + height / 2
            self._rule(top)
            for at, line in enumerate(lines):
                shift = (at - (len(lines) - 1) / 2) * _LINE
                self._write(0, middle + shift - grid.lift, line, _SIZE, va="center_baseline")
            for at, check in enumerate(told.checks):
                if verdict := worst.get((name, check)):
                    self._mark(self._middle(at), middle - grid.lift, verdict)
                    cell = (name, check)
                    numbers = [str(n) for n, one in enumerate(reasons, 1) if cell in one.cells]
                    self._write_numbers(self._middle(at), middle, numbers)
            top += height
        self._rule(top)

    def _write_numbers(self, x: float, y: float, numbers: Sequence[str]) -> None:
        """Write the numbers of a cell's reasons beside its mark, or below, as many as have room."""
        slanted, column = self._grid.slanted, self._grid.column
        room = column - (9 if slanted else 1)
        for kept in range(len(numbers), 0, -1):
            text = ",".join(numbers[:kept]) + ("+" if kept < len(numbers) else "")
            if kept == 1 or width(text, _SMALL) <= room:
                if slanted:
                    self._write(x + 5, y - 1, text, _SMALL, va="bottom")
                else:
                    self._write(x, y + _TALL / 4, text, _SMALL, ha="center", va="center")
                return

    def _draw_counts(self) -> None:
        """Draw how many runs have which verdict at worst."""
        told, grid = self.told, self._grid
        found = Counter((verdict, check) for (_, check), verdict in told.worst(told.runs).items())
        for place, verdict in enumerate(WORST):
            middle = grid.head + (place + 0.5) * grid.row
            self._rule(grid.head + place * grid.row)
            self._mark(6, middle, verdict)
            self._write(14, middle, say(verdict), _SIZE, va="center_baseline")
            for at, check in enumerate(told.checks):
                if count := found[verdict, check]:
                    size = _SIZE if grid.column >= width(str(count), _SIZE) + 2 else _SMALL
                    look = {"ha": "center", "va": "center_baseline"}
                    self._write(self._middle(at), middle, f"{count}", size, **look)
        self._rule(grid.head + len(WORST) * grid.row)

    def _lines(self, one: Reason) -> list[str]:
        """Put a reason, or evidence that is missing, into words, in lines."""
        text, some = one.text, len(one.runs)
        runs = say("{n} runs" if some > 1 else "{n} run", n=some)
        if some == self._every:
            runs = say("all runs") if some > 1 else say("the run")
        words = {"checks": listed(_name(check) for check in one.checks), "text": text}
        if self._grid.numbered and one.verdict != "unknown":
            text = say("{checks}: {text}", **words)
        else:
            text = say("{checks} ({runs}): {text}", runs=runs, **words)
        if others := len(one.texts) - 1:
            text = say("{text} (and {n} more, with other numbers)", text=text, n=others)
        # letters are a little wider at another resolution
        return wrapped(text, _SIZE, 0.985 * (self.wide - _INDENT))


class _Finding(NamedTuple):
    name: str  # of the row of the page
    run: Any
    check: str
    verdict: str
    why: str | None
    remedy: str | None


@dataclass
class Reason:
    """A sentence, the checks that say it, and the cells and runs that it is about."""

    verdict: str
    text: str
    checks: dict[str, None] = field(default_factory=dict)
    cells: set[tuple[str, str]] = field(default_factory=set)
    runs: set[Any] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)

    def add(self, finding: _Finding, text: str) -> None:
        """Take another finding that says it, perhaps with other values."""
        self.checks[finding.check] = None
        self.cells.add((finding.name, finding.check))
        self.runs.add(finding.run)
        self.texts.add(text)


class Verdicts:
    """The worst verdict of each check on each row of the page, and the reasons."""

    def __init__(self, frame: IntoDataFrame, y: str | None) -> None:
        needed = ("check", "verdict", "why", "remedy")
        table = common.answer(frame, needed, "what check() returned", f"; {_GIVE}")
        for verdict in common.known(table, "verdict"):
            if verdict not in WORST:
                raise SchemaError(f"{verdict!r} is not a verdict of check(): {_GIVE}")
        frames.need(table, [y] if y else [])
        self.checks: list[str] = common.levels(common.known(table, "check"))
        self.runs = frames.keys_of(table, frames.present(table, ("source", "run")))
        self.names = _names(table, y, self.runs)
        self.rows: list[str] = common.levels(self.names)
        told = (frames.values(table, name) for name in needed)
        self._found = [_Finding(*row) for row in zip(self.names, self.runs, *told, strict=True)]

    def worst(self, whose: Sequence[Any]) -> dict[tuple[Any, str], str]:
        """Return the worst verdict of each check, by the rows of the page or by runs."""
        found: dict[tuple[Any, str], str] = {}
        for own, one in zip(whose, self._found, strict=True):
            known = found.get((own, one.check), "ok")
            found[own, one.check] = min(known, one.verdict, key=WORST.index)
        return found

    @property
    def seen(self) -> list[str]:
        """The verdicts on the page, the worst first."""
        found = set(self.worst(self.names).values())
        return [verdict for verdict in WORST if verdict in found]

    def reasons(self, *, alike: bool) -> list[Reason]:
        """Return the reasons of impossible verdicts, then of suspect ones, each once.

        Reasons that are ``alike`` but for their numbers count as one.
        """
        found: dict[tuple[str, str, str], Reason] = {}
        for one in self._found:
            if one.verdict in WORST[:2]:
                text = str(one.why or say("no reason is given"))
                key = one.verdict, one.check, _NUMBER.sub("0", text) if alike else text
                found.setdefault(key, Reason(one.verdict, text)).add(one, text)
        places = {(verdict, check): None for verdict in WORST for check in self.checks}
        order = list(places)
        return sorted(
            found.values(), key=lambda one: order.index((one.verdict, next(iter(one.checks))))
        )

    def missing(self) -> list[Reason]:
        """Return the missing evidence and the checks that miss it; most runs first."""
        found: dict[str, Reason] = {}
        for one in self._found:
            if one.verdict == "unknown":
                text = str(one.remedy or one.why or say("no reason is given"))
                found.setdefault(text, Reason(one.verdict, text)).add(one, text)
        return sorted(found.values(), key=lambda one: -len(one.runs))


def _names(table: Frame, y: str | None, runs: Sequence[Any]) -> list[str]:
    """Name the rows of the page by a column, or the runs in as few words as tell them apart."""
    if y:
        own = [called(str(value)) for value in common.known(table, y)]
        count = Counter(name for name, _ in {*zip(own, runs, strict=True)})
        return [
            name if count[name] == 1 else say("{name} ({n} runs)", name=name, n=count[name])
            for name in own
        ]
    before = table.columns.index("source") if "source" in table.columns else 0
    words = [
        listed(called(str(value)) for value in row if value is not None)
        for row in frames.keys_of(table, table.columns[:before])
    ]
    sources = [str(value or "") for value in frames.optional(table, "source")]
    files = [PurePosixPath(source).name for source in sources]
    numbers = [say("run {n}", n=n) if n is not None else "" for n in frames.optional(table, "run")]
    several = len(set(runs))
    for told in (
        *((words,), (words, files), (words, files, numbers)),
        *((words, sources), (words, sources, numbers)),
    ):
        chosen = [listed(filter(None, row)) for row in zip(*told, strict=True)]
        if len(set(chosen)) == several and all(chosen):
            return chosen
    return [name or say("run") for name in chosen]
