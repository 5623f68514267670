"""From the options of `fiotools plot` to a function of `fiotools.plot` and its arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from fiotools import units
from fiotools.cli import files, judged, roles, rows
from fiotools.cli.stream import Trouble
from fiotools.cli.wish import TAKES, Drawing, Wish
from fiotools.display import columns
from fiotools.errors import SchemaError
from fiotools.plot.common import unit
from fiotools.stats.runs import in_one_scope

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_JUDGED: Mapping[str, Callable[[files.Reading, Drawing], Axes | Figure]] = {
    "ratios": judged.ratios,
    "load": judged.load,
    "fairness": judged.fairness,
    "cdf": judged.cdf,
    "heatmap": judged.heatmap,
    "series": judged.series,
    "credibility": judged.credibility,
}
_DEFAULTS = {"throughput": "bw_bytes_per_s", "latency": "lat_mean_ns", "sweep": "bw_bytes_per_s"}
_OWN_TABLE = {"timings": ("real_s", "timings"), "percentiles": ("value_ns", "percentiles")}
# a row of these is a part of a run, so that the total beside them is not what is meant
_PARTS = ("thread", "job", "target", "entry", "host", "group", "scope")


@contextmanager
def speaking(lang: str) -> Iterator[None]:
    """Draw in our look and in a language, and leave matplotlib as it was."""
    import matplotlib as mpl

    from fiotools import language, plot

    with mpl.rc_context(), language.speaking(language.ENGLISH):
        plot.style(lang=lang)
        yield


def draw(read: files.Reading, asked: Drawing) -> Axes | Figure:
    """Draw what was asked for."""
    import matplotlib as mpl

    mpl.use("Agg")
    return _JUDGED.get(asked.kind, _of_rows)(read, asked)


def _of_rows(read: files.Reading, asked: Drawing) -> Axes:
    from fiotools import plot

    kind, wish, kept = asked.kind, asked.wish, asked.rows
    metric, table = wish.metric or _DEFAULTS.get(kind), kept.table
    metric, table = _OWN_TABLE.get(kind, (metric, table))
    frame, name = rows.asked(read.results, metric, table)
    frame = rows.kept(frame, kept)
    arguments = _roles(read, frame, kind, wish)
    frame = rows.complete(frame, kept, name, *arguments.values())
    shown = [role for role in (arguments.get("y"), arguments.get("hue")) if role]
    whole = kind not in _OWN_TABLE and not {*shown} & {*_PARTS}
    if not kept.combine and (kept.scope or whole):
        frame = in_one_scope(frame, kept.scope, shown)
    if wish.order:
        arguments |= judged.ordered(frame, arguments.get("y") or arguments["hue"], wish.order)
    if kind in ("repeats", "sweep"):
        from fiotools.stats.summary import summarize

        keys = [arguments.get("x"), arguments.get("y"), arguments.get("hue")]
        arguments["summary"] = summarize(frame, name, by=[key for key in keys if key])
    if kind == "throughput":
        arguments |= {"ceilings": _ceilings(wish.ceiling, name), "log": wish.log}
    if kind == "latency" and wish.spread:
        arguments["spread"] = None if wish.spread == "none" else columns.full(wish.spread, frame)
    elif kind == "latency" and name != "lat_mean_ns":
        deviation = name.replace("_mean_", "_stddev_")
        arguments["spread"] = deviation if deviation != name and deviation in frame else None
    given = [] if kind in _OWN_TABLE else [name]
    ax: Axes = getattr(plot, kind)(frame, *given, **arguments)
    return ax


def _roles(read: files.Reading, frame: pl.DataFrame, kind: str, wish: Wish) -> dict[str, Any]:
    """Say which column names the rows, the curves and the axis, where nobody did."""
    takes = TAKES[kind]
    found: dict[str, Any] = {
        role: columns.found(named, frame, f"--{role}")
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
            there = ", ".join(frame["direction"].drop_nulls().unique(maintain_order=True))
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
