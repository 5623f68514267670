"""Fairness: how far the threads of a run are from an equal share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, TypeAlias

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.transforms import offset_copy
from narwhals.typing import IntoDataFrame

from fiotools import units
from fiotools.errors import SchemaError, argument
from fiotools.flags import SENTENCES, flags_of
from fiotools.language import called, say
from fiotools.plot import common, fit_text
from fiotools.stats import frames
from fiotools.stats.combine import stragglers
from fiotools.stats.frames import Frame

_WHOSE = ("source", "run", "group", "direction")
_TOLD = ("k", "jain", "max_over_min", "iops_lowest", "iops_highest", "stragglers")
_Place: TypeAlias = tuple[float, float]
# points: what the numbers take, a tick, a legend in one line; the axis' label, and a line of it
_ROOM, _TICK, _LEGEND, _BELOW, _LINE = 120, 50, 260, 26, 14
_NAMED = 3  # stragglers of a row whose names have room


def fairness(
    threads: IntoDataFrame,
    *,
    fairness: IntoDataFrame,
    y: str,
    order: Sequence[Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the IOPS of each thread, and how far they are from an equal share of their run.

    A grey line is the equal share; a thread that fell behind is a triangle. The end of a row has
    the ratio of the fastest thread to the slowest and Jain's index: 1 if all are equal, and 1/k
    if one of k threads has everything.

    Parameters
    ----------
    threads : pandas or polars frame
        The answer of `per_thread` for one direction.
    fairness : pandas or polars frame
        The answer of `fairness` for the same table; it may have other directions and runs, too.
    y : str
        The column that names the rows, a run in each.
    order : sequence, optional
        The rows from top to bottom.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    SchemaError
        If a row would hold several runs or directions, or `fairness` is about other threads.

    Examples
    --------
    >>> import fiotools as ft
    >>> io = ft.read("data/dda-vhdx/xml/{volume}.xml").io.query("direction == 'total'")
    >>> threads, fair = ft.per_thread(io, by="volume"), ft.fairness(io, by="volume")
    >>> ax = ft.plot.fairness(threads, fairness=fair, y="volume", order=["nvme", "mirror"])
    >>> [text.get_text() for text in ax.texts]
    ['thread 0', 'max/min', 'Jain', '1.00x', '1.000', '2.33x', '0.863']
    """
    table = common.opened(threads, y, "iops")
    give = f"; give fairness(io, by={y!r})"
    told = common.answer(fairness, _TOLD, "what fairness() returned", give)
    frames.need(told, [y])
    facts = common.records(told)
    values, names = common.numbers(table, "iops"), common.known(table, y)
    runs = []
    for place, name in enumerate(common.levels(names, order)):
        rows = [row for row, own in enumerate(names) if own == name]
        rates = [values[row] for row in rows]
        runs.append(_Run(place, name, rows, rates, _fact(table, facts, y, rows, rates)))
    if not any(run.points for run in runs):
        raise SchemaError(f"nothing to draw: 'iops' is missing in all rows of {argument('order')}")
    most = max(len(run.rows) for run in runs)
    ax = common.axes(ax, 1 + len(runs) * (1 + 0.06 * min(most, 20)))
    common.name_rows(ax, [units.level(run.name, y) for run in runs])
    edge = max(rate for run in runs for rate, _ in run.points)
    _draw(ax, runs, edge, size=7 if most <= 4 else 5 if most <= 16 else 3.5)
    for run in runs:
        _numbers(ax, run)
    ax.set_xlim(0, edge * 1.04 or 1)
    wide = common.breadth(ax)
    ax.xaxis.set_major_locator(common.round_ticks(max(1, min(5, int((wide - _ROOM) / _TICK)))))
    common.unit_ticks(ax.xaxis, common.unit("iops"))
    drawn = [row for run in runs for row in run.rows]
    label = common.of_one_run(common.wording("iops"), table, drawn)
    common.label_below(ax, label, *_key(runs))
    high = _BELOW + _LINE * (ax.get_xlabel().count("\n") + 1)
    below = offset_copy(ax.transAxes, ax.get_figure(root=True), y=-high, units="points")
    look: Any = {"fontsize": common.size_of(ax.xaxis.label), "frameon": False}
    look |= {"borderpad": 0, "borderaxespad": 0, "ncols": 3 if wide > _LEGEND else 1}
    ax.legend(loc="upper left", bbox_to_anchor=(0, 0), bbox_transform=below, **look)
    return ax


@dataclass(frozen=True)
class _Run:
    """A row of the plot: the threads of a run, and the answer of `fairness`."""

    place: int
    name: Any
    rows: list[int]
    rates: list[float | None]
    fact: Mapping[str, Any]

    @property
    def points(self) -> list[_Place]:
        """Place the threads under each other, the first on top."""
        step = 0.5 / len(self.rates)
        middle = (len(self.rates) - 1) / 2
        return [
            (rate, self.place + (at - middle) * step)
            for at, rate in enumerate(self.rates)
            if rate is not None
        ]

    @property
    def share(self) -> float | None:
        """Return the equal share, if the threads should be equal."""
        if self.fact["jain"] is None:
            return None
        return fsum(rate for rate, _ in self.points) / len(self.rates)

    @property
    def behind(self) -> dict[int, str]:
        """Name the threads that fell behind, by their place; no name where there are many."""
        if self.fact["stragglers"] is None:
            return {}
        found = stragglers([rate for rate, _ in self.points])
        names = str(self.fact["stragglers"]).split(", ")
        if len(names) != len(found) or len(found) > _NAMED:
            names = [""] * len(found)
        return dict(zip(found, names, strict=True))


def _fact(
    table: Frame,
    facts: Sequence[Mapping[str, Any]],
    y: str,
    rows: Sequence[int],
    rates: Sequence[float | None],
) -> Mapping[str, Any]:
    """Find the answer about the threads in a row of the plot, and refuse one about others."""
    own = frames.columns(table, [y, *_WHOSE])
    name = own[y][rows[0]]
    give = f"give fairness(io, by={y!r}) of the same io"
    if apart := frames.differing(own, rows):
        keep = common.keep_one(table, apart[-1], rows)
        raise SchemaError(
            f"the threads of {y} {name!r} differ in {', '.join(apart)}: keep one, {keep},"
            f" or name another {argument('y')}"
        )
    same = {key: column[rows[0]] for key, column in own.items() if key in facts[0]}
    found = [fact for fact in facts if same.items() <= fact.items()]
    fact = common.only_row(found, "fairness=", f" of {y} {name!r}", give)
    there = [rate for rate in rates if rate is not None]
    ends = (fact["iops_lowest"], fact["iops_highest"])
    is_of_others = ends[0] is not None and (not there or ends != (min(there), max(there)))
    if fact["k"] != len(rates) or is_of_others:
        raise SchemaError(
            f"fairness= is of other threads of {y} {name!r} than those to draw: {give}"
        )
    return fact


def _draw(ax: Axes, runs: Sequence[_Run], edge: float, size: float) -> None:
    """Draw the threads of all rows and their equal shares."""
    alike, behind = list[_Place](), list[_Place]()
    sticks, shares = list[list[_Place]](), list[list[_Place]]()
    wide = common.breadth(ax)
    for run in runs:
        late, share = run.behind, run.share
        for at, point in enumerate(run.points):
            (behind if at in late else alike).append(point)
            if share is not None:
                sticks.append([(share, point[1]), point])
            name = called(late.get(at, ""))
            if name and wide > _LEGEND:
                left = point[0] * wide / edge > fit_text.width(name, common.small(ax)) + 12
                common.write(ax, name, *point, common.PALETTE[1], left=left)
        if share is not None:
            shares.append([(share, run.place - 0.38), (share, run.place + 0.38)])
    for lines, look in ((sticks, {"linewidths": 1, "alpha": 0.4}), (shares, {"linewidths": 1.2})):
        ax.add_collection(LineCollection(lines, colors=common.GREY, **look), autolim=False)
    if shares:
        stick: Any = {"markersize": 12, "markeredgewidth": 1.2}
        ax.plot([], [], "|", color=common.GREY, label=say("equal share"), **stick)
    drawn: Any = {"markersize": size, "clip_on": False, "zorder": 5}
    for points, label, colour, marker in (
        (alike, say("thread"), common.PALETTE[0], "o"),
        (behind, say("fell behind"), common.PALETTE[1], "v"),
    ):
        if points:
            ax.plot(*zip(*points, strict=True), marker, label=label, color=colour, **drawn)


def _numbers(ax: Axes, run: _Run) -> None:
    """Write the numbers at the end of a row, and their names over the first."""
    ratio, jain = run.fact["max_over_min"], run.fact["jain"]
    above: Any = {"va": "bottom", "color": common.GREY, "xycoords": "axes fraction"}
    beside: Any = {"va": "center", "xycoords": ("axes fraction", "data"), "annotation_clip": False}
    columns = (
        (46, say("max/min"), "-" if ratio is None else common.factor(ratio)),
        (82, say("Jain"), "-" if jain is None else f"{jain:.3f}"),
    )
    if run.place == 0:
        for right, head, _ in columns:
            common.note(ax, head, (1, 1), (right, 2), ha="right", **above)
    for right, _, text in columns:
        common.note(ax, text, (1, run.place), (right, 0), ha="right", **beside)


def _key(runs: Sequence[_Run]) -> list[str]:
    """Say what the numbers at the end of the rows are, and why a row has none."""
    lines = []
    if any(run.fact["jain"] is not None for run in runs):
        lines = [
            say("max/min: fastest thread over slowest"),
            say("Jain: 1 if all threads are equal, 1/k if one of k does everything"),
        ]
    found: dict[str, list[str]] = {}
    for run in runs:
        if None in (run.fact["jain"], run.fact["max_over_min"]):
            for one in flags_of(run.fact.get("flags"), run.fact.get("details")):
                why = say(str(SENTENCES[one.code]), **one.values)
                found.setdefault(why, []).append(called(str(run.name)))
    for why, names in found.items():
        lines.append(say("- {names}: {why}", names=common.several(names, 3), why=why))
    return lines
