"""The credibility table: which numbers can be true, and why not, on one page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from pathlib import PurePosixPath
from typing import Any

from matplotlib.axes import Axes
from narwhals.typing import IntoDataFrame

from fiotools.errors import SchemaError
from fiotools.language import called, listed, say
from fiotools.plot import common
from fiotools.plot.fit_text import width, wrapped
from fiotools.stats import frames
from fiotools.stats.check import outcomes
from fiotools.stats.frames import Frame
from fiotools.vocabulary import GRAVEST

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
    "note": {
        "marker": "o",
        "markersize": 4.5,
        "markerfacecolor": "white",
        "markeredgecolor": common.PALETTE[2],
    },
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
    "cpu_time": "CPU of a thread",
    "latency": "parts of latency",
    "samples": "fio's samples",
    "spread": "order of values",
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
        ax = common.panels(1, 1, _HIGH)[0, 0]
        wide = common.WIDTH * 72 - _EDGE
        high = _Page(ax, told, wide, _HIGH * 72).fill(reasons)
        common.figure_of(ax).set_figheight((high + _EDGE) / 72)
    else:
        common.keep_room(ax)
        ax.set_axis_off()
        figure = common.figure_of(ax)
        if engine := figure.get_layout_engine():  # it gives the Axes their size
            engine.execute(figure)
        # a title comes, or the neighbours' labels
        wide, high = (0.97 * size for size in common.points(ax))
        wide = max(wide, 150.0)
        high = max(high, _Page(ax, told, wide, high).fill(reasons))
    ax.set_xlim(0, wide)
    ax.set_ylim(high, 0)
    return ax


def _name(check: str) -> str:
    own = say(check)
    return _ASKED.get(own, own)


class _Page:
    """Axes without axes: texts and marks have distances in points from the upper left corner."""

    def __init__(self, ax: Axes, told: Verdicts, wide: float, high: float) -> None:
        ax.set_axis_off()
        self.ax, self.told, self.wide, self._high = ax, told, wide, high
        self._every = len(set(told.runs))
        shown = [called(name) for name in told.rows]
        verdicts = [say(verdict) for verdict in GRAVEST]
        for names, row in ((shown, _ROW), (shown, _DENSE), (verdicts, _ROW)):
            self.counted = names is verdicts  # there is no row for each run
            self._arrange(names, row)
            self._end = self.head + sum(self.heights)  # how far it is filled, from the top
            if self._end <= max(high - _REASONS, 0.6 * high):
                break

    def _arrange(self, names: Sequence[str], row: float) -> None:
        """Choose the places of rows and columns."""
        heads = [width(_name(check), _SIZE) for check in self.told.checks]
        most = min(max(width(name, _SIZE) for name in names) + 2, 0.4 * self.wide)
        self.left = max(most, 62.0) + 8  # of the first column; the legend stands above the names
        self.column = min(_COLUMN, (self.wide - self.left - _SLANT * heads[-1]) / len(heads))
        # wide enough for names across and numbers beside the marks
        self.slanted = self.column >= _NARROW
        is_tall = row == _ROW and not self.slanted and not self.counted
        self.row = _TALL if is_tall else row
        self.lift = _TALL / 5 if is_tall else 0.0  # of marks, to have numbers below
        has_room = self.slanted or (is_tall and self.column >= _LEAST)
        self.numbered = has_room and not self.counted
        self.labels = [wrapped(name, _SIZE, most) for name in names]
        self.heights = [self.row + _LINE * (len(lines) - 1) for lines in self.labels]
        legend = (len(self.told.seen) + 0.5) * _LINE
        self.head = max((_SLANT if self.slanted else 1.0) * max(heads) + 12, legend)

    def fill(self, most: int | None) -> float:
        """Draw the table, and below it the reasons that have room; return the end."""
        self._end += 8
        self._draw_head()
        if self.counted:
            said = say("{n} runs, counted by the worst verdict of each check", n=self._every)
            self._paragraph(0, wrapped(said, _SIZE, self.wide))
        room = max(self._high - self._end, 3 * _LINE)
        for alike in (True,) if self.counted or most is not None else (False, True):
            every = self.told.reasons(alike=alike)
            if most is not None:
                known = [one for one in every if one.verdict != "unknown"]
                every = sorted(known, key=lambda one: (GRAVEST.index(one.verdict), -len(one.cells)))
            texts = [self._lines(one) for one in every[:most]]
            heights = [len(lines) * _LINE + _GAP for lines in texts]
            if sum(heights) <= room:
                break
        else:  # as many as have room, with a line that says how many have none
            room -= _LINE
            while sum(heights) > room:
                heights.pop()
        shown = every[: len(heights)]
        numbered = [one for one in shown if one.verdict != "unknown"] if self.numbered else []
        if self.counted:
            self._draw_counts()
        else:
            self._draw_rows(numbered)
        for number, (one, lines) in enumerate(zip(shown, texts, strict=False), start=1):
            middle = self._end + _LINE / 2
            if number <= len(numbered):
                self._line(10, middle, f"{number}", ha="right")
            self._mark(20, middle, one.verdict)
            self._paragraph(_INDENT, lines)
        if more := len(every) - len(shown):
            self._paragraph(_INDENT, [say("and {n} more, in the frame", n=more)])
        return self._end

    def _write(self, x: float, y: float, text: str, size: float, **look: Any) -> None:
        # not in the layout: it would measure them before the Axes have their size
        look = {"color": common.ink(self.ax), **look}
        common.literal([self.ax.text(x, y, text, fontsize=size, in_layout=False, **look)])

    def _line(self, x: float, middle: float, text: str, **look: Any) -> None:
        self._write(x, middle, text, _SIZE, va="center_baseline", **look)

    def _mark(self, x: float, y: float, verdict: str) -> None:
        self.ax.plot(x, y, linestyle="none", in_layout=False, **_LOOKS[verdict])

    def _rule(self, y: float) -> None:
        """Draw a thin line from edge to edge."""
        self.ax.plot([0, self.wide], [y, y], color=_RULE, linewidth=0.8, zorder=1, in_layout=False)

    def _paragraph(self, x: float, lines: Sequence[str]) -> None:
        for line in lines:
            self._line(x, self._end + _LINE / 2, line)
            self._end += _LINE
        self._end += _GAP

    def _columns(self) -> list[tuple[float, str]]:
        """Return the middle of each column and its check."""
        checks = self.told.checks
        return [(self.left + (at + 0.5) * self.column, check) for at, check in enumerate(checks)]

    def _draw_head(self) -> None:
        """Write the checks over their columns, and the legend beside them."""
        size, look = _SIZE, {"rotation": 45, "va": "baseline"}
        if not self.slanted:
            size, look = max(5.0, min(_SIZE, self.column)), {"rotation": 90, "va": "center"}
        for x, check in self._columns():
            self._write(x, self.head - 4, _name(check), size, rotation_mode="anchor", **look)
        if self.counted:
            return  # the rows are named by them
        for at, verdict in enumerate(self.told.seen):
            middle = (at + 0.5) * _LINE
            self._mark(6, middle, verdict)
            self._line(14, middle, say(verdict), color=common.GREY)

    def _draw_rows(self, reasons: Sequence[Reason]) -> None:
        """Draw a row per run, with the worst verdict of each check and the reasons' numbers."""
        worst, top = self.told.worst(self.told.names), self.head
        for name, lines, height in zip(self.told.rows, self.labels, self.heights, strict=True):
            middle = top + height / 2
            self._rule(top)
            for at, line in enumerate(lines):
                shift = (at - (len(lines) - 1) / 2) * _LINE
                self._line(0, middle + shift - self.lift, line)
            for x, check in self._columns():
                if verdict := worst.get((name, check)):
                    self._mark(x, middle - self.lift, verdict)
                    cell = (name, check)
                    numbers = [str(n) for n, one in enumerate(reasons, 1) if cell in one.cells]
                    self._write_numbers(x, middle, numbers)
            top += height
        self._rule(top)

    def _write_numbers(self, x: float, y: float, numbers: Sequence[str]) -> None:
        """Write the numbers of a cell's reasons beside its mark, or below, as many as have room."""
        room = self.column - (9 if self.slanted else 1)
        for kept in range(len(numbers), 0, -1):
            text = ",".join(numbers[:kept]) + ("+" if kept < len(numbers) else "")
            if kept == 1 or width(text, _SMALL) <= room:
                if self.slanted:
                    self._write(x + 5, y - 1, text, _SMALL, va="bottom")
                else:
                    self._write(x, y + _TALL / 4, text, _SMALL, ha="center", va="center")
                return

    def _draw_counts(self) -> None:
        """Draw how many runs have which verdict at worst."""
        worst = self.told.worst(self.told.runs)
        found = Counter((verdict, check) for (_, check), verdict in worst.items())
        for place, verdict in enumerate(GRAVEST):
            middle = self.head + (place + 0.5) * self.row
            self._rule(self.head + place * self.row)
            self._mark(6, middle, verdict)
            self._line(14, middle, say(verdict))
            for x, check in self._columns():
                if count := found[verdict, check]:
                    size = _SIZE if self.column >= width(str(count), _SIZE) + 2 else _SMALL
                    self._write(x, middle, f"{count}", size, ha="center", va="center_baseline")
        self._rule(self.head + len(GRAVEST) * self.row)

    def _lines(self, one: Reason) -> list[str]:
        """Put a reason, or evidence that is missing, into words, in lines."""
        text, some = one.text, len(one.runs)
        runs = say("{n} runs" if some > 1 else "{n} run", n=some)
        if some == self._every:
            runs = say("all runs") if some > 1 else say("the run")
        words = {"checks": listed(_name(check) for check in one.checks), "text": text}
        if self.numbered and one.verdict != "unknown":
            text = say("{checks}: {text}", **words)
        else:
            text = say("{checks} ({runs}): {text}", runs=runs, **words)
        if others := len(one.texts) - 1:
            text = say("{text} (and {n} more, with other numbers)", text=text, n=others)
        # letters are a little wider at another resolution
        return wrapped(text, _SIZE, 0.985 * (self.wide - _INDENT))


@dataclass
class Reason:
    """A sentence, the checks that say it, and the cells and runs that it is about."""

    verdict: str
    text: str
    checks: dict[str, None] = field(default_factory=dict)
    cells: set[tuple[str, str]] = field(default_factory=set)
    runs: set[Any] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)  # it may stand for others, with other values


class Verdicts:
    """The worst verdict of each check on each row of the page, and the reasons."""

    def __init__(self, frame: IntoDataFrame, y: str | None) -> None:
        needed = ("check", "verdict", "finding", "details", "why", "remedy")
        table = common.answer(frame, needed, "what check() returned", f"; {_GIVE}")
        for verdict in common.known(table, "verdict"):
            if verdict not in GRAVEST:
                raise SchemaError(f"{verdict!r} is not a verdict of check(): {_GIVE}")
        frames.need(table, [y] if y else [])
        self.checks: list[str] = common.levels(common.known(table, "check"))
        self.runs = frames.keys_of(table, frames.present(table, ("source", "run")))
        self.names = _names(table, y, self.runs)
        self.rows: list[str] = common.levels(self.names)
        told = (frames.values(table, name) for name in needed)
        self._found = list(zip(self.names, self.runs, *told, strict=True))
        worst = {*self.worst(self.names).values()}
        self.seen = [verdict for verdict in GRAVEST if verdict in worst]  # on the page

    def worst(self, whose: Sequence[Any]) -> dict[tuple[Any, str], str]:
        """Return the worst verdict of each check, by the rows of the page or by runs."""
        found: dict[tuple[Any, str], str] = {}
        for own, (_, _, check, verdict, *_) in zip(whose, self._found, strict=True):
            known = found.get((own, check), "ok")
            found[own, check] = min(known, verdict, key=GRAVEST.index)
        return found

    def reasons(self, *, alike: bool) -> list[Reason]:
        """Return the reasons of impossible verdicts, of suspect ones, and the missing evidence.

        Each stands once, reasons by check and evidence by the number of runs that miss it. Reasons
        that are ``alike`` but for their numbers count as one.
        """
        found: dict[tuple[Any, ...], Reason] = {}
        for name, run, check, verdict, finding, details, why, remedy in self._found:
            if verdict in ("note", "ok"):
                continue
            told = outcomes.read(details)
            if finding in outcomes.outcomes():  # else it is a check of the user's, in its own words
                remedy = outcomes.remedy(finding, told, say)
                why = outcomes.why(finding, told, say)
            text = (verdict == "unknown" and remedy) or why
            key: tuple[Any, ...] = (verdict, text)
            if verdict != "unknown":
                key = (verdict, check, finding, outcomes.kind(told) if alike else text)
            reason = found.setdefault(key, Reason(verdict, text))
            reason.checks[check] = None
            reason.cells.add((name, check))
            reason.runs.add(run)
            reason.texts.add(text)

        def place(one: Reason) -> tuple[int, int]:
            check = self.checks.index(next(iter(one.checks)))
            rank = -len(one.runs) if one.verdict == "unknown" else check
            return GRAVEST.index(one.verdict), rank

        return sorted(found.values(), key=place)


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
