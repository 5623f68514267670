"""Wall time: CPU time and waiting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from matplotlib.axes import Axes

from fiotools import units
from fiotools.errors import SchemaError
from fiotools.language import say
from fiotools.plot import common
from fiotools.stats.frames import Frame, numbers

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

_SEEN = 0.005  # of the longest bar
Spent: TypeAlias = tuple[float, float, float]  # user CPU, system CPU, waiting


def timings(
    frame: IntoDataFrame,
    *,
    y: str,
    order: Sequence[Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw where wall time went: user CPU, system CPU, and the rest, which is waiting.

    Several processors may take more CPU time than the clock shows: the bar is then longer than wall
    time, and a line in it marks the wall time.

    Parameters
    ----------
    frame : pandas or polars frame
        ``real_s``, ``user_s``, ``sys_s``: one row per bar.
    y : str
        The column that names the bars.
    order : sequence, optional
        The bars from top to bottom.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    SchemaError
        If a bar is named more than once.

    Examples
    --------
    >>> import fiotools as ft
    >>> t = ft.read("data/page-cache/{cache}.txt").timings
    >>> ax = ft.plot.timings(t, y="cache", order=["before", "after"])
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['before', 'after']
    """
    table = common.opened(frame, y, "real_s", "user_s", "sys_s")
    names = common.known(table, y)
    rows = common.levels(names, order)
    if len(set(names)) != len(names):
        raise SchemaError(f"{y!r} names a bar more than once: summarize first, or choose another y")
    common.numbers(table, "real_s")  # that they are numbers, and some are there
    at = [names.index(row) for row in rows]
    reals = common.known(table, "real_s")
    walls = [reals[row] for row in at]
    if (least := min(walls)) < 0:
        raise SchemaError(f"'real_s' is {least:g} in a row: times are not negative")
    spent = _spent(table, reals)
    longest = max(*reals, *(user + system for user, system, _ in spent))
    ax = common.axes(ax, len(rows))
    ends = _draw_bars(ax, [spent[row] for row in at], longest)
    over = _write_times(ax, walls, ends, longest)
    common.name_rows(ax, [units.level(row, y) for row in rows])
    common.fit_texts(ax, 0, longest * (1.24 if over else 1.12) or 1)
    common.few_ticks(ax.xaxis)
    label = say("wall time, to the black line where CPU time is more") if over else say("wall time")
    what = common.of_one_run(label, table, at, below=True)
    common.unit_axis(ax, "real_s", what, like=longest)
    if over:
        common.label_below(ax, *what.splitlines())
    common.legend_below(ax)
    return ax


def _spent(table: Frame, walls: Sequence[float]) -> list[Spent]:
    """Return user CPU, system CPU and waiting of each row."""
    used = zip(walls, numbers(table, "user_s"), numbers(table, "sys_s"), strict=True)
    return [
        (user or 0.0, system or 0.0, max(0.0, wall - (user or 0.0) - (system or 0.0)))
        for wall, user, system in used
    ]


def _draw_bars(ax: Axes, spent: Sequence[Spent], longest: float) -> list[float]:
    """Draw a bar of three parts for each row, and return where it ends."""
    kinds = (
        # told apart in greyscale too: dark, middle, light
        (say("user CPU"), common.PALETTE[0]),
        (say("system CPU"), common.PALETTE[4]),
        (say("waiting"), "#DDDDDD"),
    )
    left = [0.0] * len(spent)
    for (label, colour), widths in zip(kinds, zip(*spent, strict=True), strict=True):
        # a part that is too short to be seen is not explained
        seen = max(widths) > longest * _SEEN
        ax.barh(
            range(len(spent)),
            widths,
            left=left,
            height=0.6,
            color=colour,
            label=label if seen else None,
        )
        left = [start + width for start, width in zip(left, widths, strict=True)]
    return left


def _write_times(ax: Axes, walls: Sequence[float], ends: Sequence[float], longest: float) -> bool:
    """Write wall time beside each bar, and mark its end where CPU time is more; say if it is."""
    over = False
    for place, (wall, end) in enumerate(zip(walls, ends, strict=True)):
        text = units.human(wall, "s", like=longest)
        if end - wall > longest * _SEEN:
            over = True
            ax.vlines(wall, place - 0.3, place + 0.3, colors=common.ink(ax), linewidths=1.6)
            text = say("{wall}, CPU {cpu}", wall=text, cpu=units.human(end, "s", like=longest))
        common.write(ax, text, max(wall, end), place)
    return over
