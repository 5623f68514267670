"""From the options of `fiotools plot` to a function of `fiotools.plot` and its arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fiotools import units
from fiotools.cli import columns, evidence, files, judged, roles, rows
from fiotools.cli.stream import Trouble
from fiotools.errors import SchemaError
from fiotools.plot.parts import unit

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# what each kind takes beside files and filters, as the functions of fiotools.plot do
TAKES: Mapping[str, tuple[str, ...]] = {
    "throughput": ("metric", "y", "hue", "order", "ceilings", "log"),
    "latency": ("metric", "y", "hue", "spread", "order"),
    "ratios": ("metric", "between", "baseline", "by", "speedup", "pair", "band"),
    "repeats": ("metric", "y", "hue", "order"),
    "sweep": ("metric", "x", "hue", "order"),
    "load": ("metric", "x", "hue", "order", "limit"),
    "fairness": ("y", "order"),
    "percentiles": ("hue", "order"),
    "cdf": ("hue", "order", "merge"),
    "heatmap": ("merge",),
    "series": ("metric", "hue", "order", "steady", "window", "limit", "round"),
    "timings": ("y", "order"),
    "credibility": ("y", "between", "baseline", "known"),
}
_FILTERS: Mapping[str, tuple[str, ...]] = {
    "fairness": ("where",),
    "cdf": ("where", "scope"),
    "heatmap": ("where", "scope"),
    "series": ("where", "scope"),
    "credibility": ("where",),
}
_EVERY_FILTER = ("where", "scope", "combine", "drop_missing", "table")
_JUDGED: Mapping[str, Callable[[files.Reading, Wish], Axes | Figure]] = {
    "ratios": judged.ratios,
    "load": judged.load,
    "fairness": judged.fairness,
    "cdf": judged.cdf,
    "heatmap": judged.heatmap,
    "series": judged.series,
    "credibility": judged.credibility,
}
# bare files are not what these set beside each other
WITHOUT_LABELS = ("load", "heatmap", "credibility")
_DEFAULTS = {"throughput": "bw_bytes_per_s", "latency": "lat_mean_ns", "sweep": "bw_bytes_per_s"}
_OWN_TABLE = {"timings": ("real_s", "timings"), "percentiles": ("value_ns", "percentiles")}
# a row of these is a part of a run, so that the total beside them is not what is meant
_PARTS = ("thread", "job", "target", "entry", "host", "group", "scope")


@dataclass(frozen=True)
class Wish:
    """What was asked for; None, False or nothing where it was not said."""

    kind: str
    metric: str | None = None
    table: str | None = None
    y: str | None = None
    hue: str | None = None
    x: str | None = None
    between: str | None = None
    baseline: str | None = None
    by: list[str] | None = None
    where: list[str] | None = None
    scope: str | None = None
    combine: Any = None
    drop_missing: bool = False
    order: str | None = None
    spread: str | None = None
    ceilings: list[str] | None = None
    log: bool = False
    speedup: bool = False
    pair: str | None = None
    band: float | None = None
    limit: str | None = None
    steady: str | None = None
    window: int | None = None
    round: str | None = None
    merge: bool = False
    known: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_compared(self) -> bool:
        """Whether sides are held against each other."""
        return evidence.is_compared(self.between, self.baseline, self.known)

    def refuse_what_is_not_taken(self) -> None:
        """Refuse an option that would have no effect."""
        takes = [name for name in TAKES[self.kind] if name != "known"]
        every = {*takes, *_FILTERS.get(self.kind, _EVERY_FILTER), "kind", "known"}
        given = [name for name in vars(self) if name not in every and getattr(self, name)]
        if "known" not in TAKES[self.kind]:
            given += [name for name, value in self.known.items() if value]
        if given:
            listed = ", ".join(map(_option, takes)) + ("" if takes else "none but filters")
            raise Trouble(f"plot {self.kind} takes no {_option(given[0])}; it takes {listed}", 2)
        if self.steady == "none" and (self.window or self.limit or self.round):
            raise Trouble("--steady none judges nothing: leave out --window, --limit, --round", 2)


def _option(name: str) -> str:
    return "--ceiling" if name == "ceilings" else f"--{name.replace('_', '-')}"


def draw(read: files.Reading, wish: Wish) -> Axes | Figure:
    """Draw what was asked for."""
    import matplotlib as mpl

    mpl.use("Agg")
    if wish.kind in _JUDGED:
        return _JUDGED[wish.kind](read, wish)
    return _of_rows(read, wish)


def _of_rows(read: files.Reading, wish: Wish) -> Axes:
    from fiotools import plot

    metric, table = _OWN_TABLE.get(wish.kind, (wish.metric or _DEFAULTS.get(wish.kind), wish.table))
    frame, name = rows.asked(read.results, metric, table)
    filters = {"where": wish.where, "combine": wish.combine, "scope": wish.scope}
    frame = rows.taken(frame, **filters)
    arguments = _roles(read, frame, wish)
    if wish.drop_missing:
        for column in (name, *arguments.values()):
            frame = rows.taken(frame, missing=column)
    shown = [role for role in (arguments.get("y"), arguments.get("hue")) if role]
    whole = wish.kind not in _OWN_TABLE and not {*shown} & {*_PARTS}
    if not wish.combine and (wish.scope or whole):
        frame = rows.one_scope(frame, wish.scope, shown)
    if wish.order:
        arguments |= judged.ordered(frame, arguments.get("y") or arguments["hue"], wish.order)
    if wish.kind in ("repeats", "sweep"):
        from fiotools.stats.summary import summarize

        keys = [arguments.get("x"), arguments.get("y"), arguments.get("hue")]
        arguments["summary"] = summarize(frame, name, by=[key for key in keys if key])
    if wish.kind == "throughput":
        arguments |= {"ceilings": _ceilings(wish.ceilings, name), "log": wish.log}
    if wish.kind == "latency" and wish.spread:
        arguments["spread"] = None if wish.spread == "none" else columns.full(wish.spread, frame)
    elif wish.kind == "latency" and name != "lat_mean_ns":
        deviation = name.replace("_mean_", "_stddev_")
        arguments["spread"] = deviation if deviation != name and deviation in frame else None
    given = [] if wish.kind in _OWN_TABLE else [name]
    ax: Axes = getattr(plot, wish.kind)(frame, *given, **arguments)
    return ax


def _roles(read: files.Reading, frame: pd.DataFrame, wish: Wish) -> dict[str, Any]:
    """Say which column names the rows, the curves and the axis, where nobody did."""
    takes = TAKES[wish.kind]
    found: dict[str, Any] = {
        role: columns.full(named, frame)
        for role in ("y", "hue", "x")
        if role in takes and (named := getattr(wish, role))
    }
    first = "y" if "y" in takes else "hue"
    if first not in found:
        found[first] = roles.naming(read, frame, role=first, taken=found.get("x")) or "source"
    free = first == "y" and "hue" in takes and "hue" not in found
    if free and found["y"] != "direction" and roles.differs(frame, "direction"):
        found["hue"] = "direction"
    if "x" in takes:
        found.setdefault("x", "bs_bytes")
        if roles.differs(frame, "direction") and found["hue"] != "direction":
            there = ", ".join(frame["direction"].dropna().unique())
            raise SchemaError(f"several directions ({there}): keep one, --where direction=...")
    return found


def _ceilings(given: list[str] | None, metric: str) -> dict[str, float]:
    found = {}
    for text in given or []:
        name, _, value = text.rpartition("=")
        try:
            rate = units.size(value, kilo=1000) if unit(metric) == "B/s" else float(value)
        except ValueError:
            rate = -1.0
        if not name or rate <= 0:
            raise Trouble(f"--ceiling {text} is no limit: write NAME=500MB/s", 2)
        found[name] = rate
    return found
