"""From the options of `fiotools plot` to a function of `fiotools.plot` and its arguments.

The library computes the statistics of a plot; if no column is named for the rows, the curves or the
axis, it is found in the files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fiotools import plot, units
from fiotools.cli import files, options, rows
from fiotools.cli.output import Trouble, say
from fiotools.cli.plot_options import TAKES, Drawing, Wish
from fiotools.cli.verbs.check import checked
from fiotools.cli.verbs.compare import compared, side
from fiotools.display import columns
from fiotools.errors import SchemaError
from fiotools.plot.common import unit
from fiotools.stats.replicates import in_one_scope

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_DEFAULTS = {"throughput": "bw_bytes_per_s", "latency": "lat_mean_ns", "sweep": "bw_bytes_per_s"}
_OWN_TABLE = {"timings": ("real_s", "timings"), "percentiles": ("value_ns", "percentiles")}
# a row of these is a part of a run, so the total beside them is left out
_PARTS = ("thread", "job", "target", "entry", "host", "group", "scope")
# columns that may distinguish the rows of files
_WITHIN = ("source", "job", "thread", "direction", "command")


@contextmanager
def speaking(lang: str) -> Iterator[None]:
    """Draw in our style and in a language, and leave matplotlib as it was."""
    import matplotlib as mpl

    from fiotools import language

    with mpl.rc_context(), language.speaking(language.ENGLISH):
        plot.style(lang=lang)
        yield


def draw(read: files.Reading, asked: Drawing) -> Axes | Figure:
    """Draw the plot that was asked for."""
    import matplotlib as mpl

    mpl.use("Agg")
    return _STATISTICS.get(asked.kind, _of_rows)(read, asked)


def _of_rows(read: files.Reading, asked: Drawing) -> Axes | Figure:
    kind, wish, kept = asked.kind, asked.wish, asked.rows
    metric, table = wish.metric or _DEFAULTS.get(kind), kept.table
    metric, table = _OWN_TABLE.get(kind, (metric, table))
    frame, name = rows.asked(read.results, metric, table)
    frame = rows.kept(frame, kept)
    arguments = _roles(read, frame, kind, wish)
    panels = arguments.get("by", [])
    named = [column for role, column in arguments.items() if role != "by"]
    frame = rows.complete(frame, kept, name, *named, *panels)
    shown = [role for role in (arguments.get("y"), arguments.get("hue")) if role]
    whole = kind not in _OWN_TABLE and not {*shown} & {*_PARTS}
    if not kept.combine and (kept.scope or whole):
        frame = in_one_scope(frame, kept.scope, shown)
    arguments |= _ordered(frame, arguments.get("y") or arguments.get("hue"), wish.order or None)
    if kind == "throughput":
        arguments |= {"ceilings": _ceilings(wish.ceiling, name), "log": wish.log}
    if kind == "latency" and wish.spread:
        arguments["spread"] = None if wish.spread == "none" else columns.full(wish.spread, frame)
    elif kind == "latency" and name != "lat_mean_ns":
        deviation = name.replace("_mean_", "_stddev_")
        arguments["spread"] = deviation if deviation != name and deviation in frame else None
    given = [] if kind in _OWN_TABLE else [name]
    drawn = getattr(plot, kind)(frame, *given, **arguments)
    if wish.by:  # several panels
        return _figure(drawn[0])
    ax: Axes = drawn
    return ax


def _roles(read: files.Reading, frame: pl.DataFrame, kind: str, wish: Wish) -> dict[str, Any]:
    """Choose the columns of the rows, the curves and the axis that were not named."""
    takes = TAKES[kind]
    found: dict[str, Any] = {
        role: columns.found(named, frame, f"--{role}")
        for role in ("y", "hue", "x")
        if role in takes and (named := getattr(wish, role))
    }
    first = "y" if "y" in takes else "hue"
    if first not in found:
        found[first] = _role(read, frame, wish, first, taken=found.get("x")) or "source"
    free = first == "y" and "hue" in takes and "hue" not in found
    if free and found["y"] != "direction" and _differs(frame, "direction"):
        found["hue"] = "direction"
    if "x" in takes:
        found.setdefault("x", "bs_bytes")
        if wish.by:
            found["by"] = [columns.found(name, frame, "--by") for name in columns.split(wish.by)]
        if _differs(frame, "direction") and not wish.by and found["hue"] != "direction":
            there = ", ".join(frame["direction"].drop_nulls().unique(maintain_order=True))
            raise SchemaError(f"several directions ({there}): keep one, --where direction=...")
    return found


def _role(
    read: files.Reading,
    frame: pl.DataFrame,
    wish: Wish,
    role: str,
    *,
    taken: str | None = None,
    within: Sequence[str] = _WITHIN,
) -> str | None:
    """Return the column of a role: the named one, the sides, or one that differs in the files."""
    if named := getattr(wish, role):
        return columns.found(named, frame, f"--{role}")
    sides = [side for side in read.sides if side != taken]
    if len(sides) == 1:
        return sides[0]
    if sides:
        raise SchemaError(
            f"the paths hold {', '.join(sides)}: name the column of the rows with --{role}"
        )
    for name in within:
        if _differs(frame, name) and not frame[name].null_count():
            return name
    return None


def _differs(frame: pl.DataFrame, name: str) -> bool:
    """Whether a column has several values."""
    return name in frame and frame[name].drop_nulls().n_unique() > 1


def _ordered(frame: pl.DataFrame, role: str | None, order: str | None) -> dict[str, Any]:
    """Read the values of `--order` in the type of their column."""
    if order is None:
        return {}
    if role is None:
        raise Trouble("--order needs several lines: name them with --hue", 2)
    return {"order": [columns.value_of(frame, role, text) for text in columns.split([order])]}


def _ceilings(given: list[str] | None, metric: str) -> dict[str, float]:
    found = {}
    for text in given or []:
        name, _, value = text.rpartition("=")
        try:
            rate = units.size(value, kilo=1000) if unit(metric) == "B/s" else float(value)
        except ValueError:
            rate = -1.0
        if not name or rate <= 0:
            raise Trouble(f"--ceiling {text} is not a limit: write NAME=500MB/s", 2)
        found[name] = rate
    return found


def _ratios(read: files.Reading, asked: Drawing) -> Axes:
    """Draw the answer of `compare` or `speedup`."""
    band, answer = asked.wish.band, _answer(read, asked, by=asked.wish.by)
    return plot.ratios(answer) if band is None else plot.ratios(answer, band=band)


def _answer(read: files.Reading, asked: Drawing, by: list[str] | None) -> pl.DataFrame:
    """Compare the sides."""
    from fiotools.stats.compare import compare, speedup

    wish = asked.wish
    judging = options.Judging(pair=wish.pair)
    if wish.band is not None:
        judging = replace(judging, band=wish.band)
    question = options.Comparison(
        metric=wish.metric, sides=asked.sides, by=by, kept=asked.rows, judging=judging
    )
    return compared(speedup if wish.speedup else compare, read, question)


def _grid(read: files.Reading, asked: Drawing) -> Axes:
    """Draw a value for each combination of two conditions, or the ratio of two sides."""
    wish, kept = asked.wish, asked.rows
    frame, metric = rows.asked(read.results, wish.metric, kept.table)
    x = columns.found(wish.x or "iodepth", frame, "--x")
    y = columns.found(wish.y or "numjobs", frame, "--y")
    if asked.sides.baseline is not None:
        return plot.grid(_answer(read, asked, by=[x, y]), x=x, y=y)
    frame = rows.complete(rows.kept(frame, kept), kept, metric, x, y)
    return plot.grid(frame, metric, x=x, y=y)


def _plan(read: files.Reading, asked: Drawing) -> Axes:
    """Draw how many runs differences take, by the spread of the runs."""
    from fiotools.stats.plan import plan

    kept, between, pair = asked.rows, asked.sides.between, asked.wish.pair
    frame, name = rows.asked(read.results, asked.wish.metric, kept.table)
    frame = rows.complete(rows.kept(frame, kept), kept, name)
    told = plan(
        frame,
        name,
        between=columns.full(between, frame) if between else None,
        pair=columns.full(pair, frame) if pair else None,
        scope=None if kept.combine else kept.scope,
        differences=_DIFFERENCES,
    )
    return plot.plan(told)


def _tails(read: files.Reading, asked: Drawing) -> Axes:
    """Draw the ratios of the percentiles of the sides."""
    from fiotools.stats.tails import tails

    wish, sides, frame = asked.wish, asked.sides, _table(read, asked, "bins", "count")
    between = columns.full(sides.between, frame) if sides.between else files.one_field(read)
    band = 0.05 if wish.band is None else wish.band
    answer = tails(
        frame,
        between=between,
        baseline=side(read, frame, between, sides.baseline),
        by=[columns.full(column, frame) for column in columns.split(wish.by)] or None,
        pair=columns.full(wish.pair, frame) if wish.pair else None,
        band=band,
    )
    return plot.tails(answer, band=band)


def _load(read: files.Reading, asked: Drawing) -> Figure:
    """Draw IOPS and latency against the queue depth, and the best point below a limit."""
    wish, kept = asked.wish, asked.rows
    frame, latency = rows.asked(read.results, wish.metric or "lat_mean_ns", kept.table or "io")
    frame = rows.complete(rows.kept(frame, kept), kept, latency, "iops")
    if kept.scope and not kept.combine:
        frame = rows.of_scope(frame, kept.scope)
    x = columns.found(wish.x or "iodepth", frame, "--x")
    hue = _role(read, frame, wish, "hue", taken=x, within=["direction"])
    frame = rows.complete(frame, kept, hue, x)
    arguments = _ordered(frame, hue, wish.order)
    if wish.limit:
        arguments["limit"] = columns.value_of(frame, latency, wish.limit)
    axes = plot.load(frame, latency, x=x, hue=hue, **arguments)
    return _figure(axes[0])


def _figure(ax: Axes) -> Figure:
    """Return the Figure of Axes."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    return figure


def _fairness(read: files.Reading, asked: Drawing) -> Axes:
    """Draw the threads of each run, and how far they are from an equal share."""
    from fiotools.stats.combine import fairness, per_thread

    frame = rows.where(rows.asked(read.results, "iops", "io")[0], asked.rows.where)
    y = _role(read, frame, asked.wish, "y", within=()) or "source"
    frame = rows.complete(frame, asked.rows, "iops", y)
    arguments = _ordered(frame, y, asked.wish.order)
    return plot.fairness(per_thread(frame, by=y), fairness=fairness(frame, by=y), y=y, **arguments)


def _cdf(read: files.Reading, asked: Drawing) -> Axes:
    """Draw the distribution of latencies."""
    wish, frame = asked.wish, _table(read, asked, "bins", "count")
    hue = _role(read, frame, wish, "hue") or "source"
    frame = rows.complete(frame, asked.rows, hue)
    if wish.merge:
        from fiotools.stats.percentiles import merge_bins

        frame = merge_bins(frame, by=hue)
    return plot.cdf(frame, hue=hue, **_ordered(frame, hue, wish.order))


def _heatmap(read: files.Reading, asked: Drawing) -> Axes:
    """Draw latency over time."""
    frame = _table(read, asked, "bins", "count")
    if asked.wish.merge:
        from fiotools.stats.percentiles import merge_bins

        frame = merge_bins(frame, by="time_s")
    return plot.heatmap(frame)


def _series(read: files.Reading, asked: Drawing) -> Axes:
    """Draw a quantity over time, and whether it was steady."""
    from fiotools.stats.steady import steady

    wish, frame = asked.wish, _table(read, asked, "samples", "value")
    quantity = _quantity(frame, wish.metric)
    hue = _role(read, frame, wish, "hue", within=("source", "job", "entry", "direction"))
    frame = rows.complete(frame, asked.rows, hue)
    limit = _percents(wish.limit)
    arguments = {"hue": hue, "limit": limit, **_ordered(frame, hue, wish.order)}
    if wish.steady != "none":
        method: Any = wish.steady or "snia"
        rules = {"method": method, "window": wish.window, "limit": limit}
        try:
            answer = steady(frame, quantity, by=hue, round_s=_seconds(wish.round), **rules)
        except SchemaError as error:
            if wish.steady or wish.window or wish.limit or wish.round:
                raise
            say(f"drawn without a verdict: {error}")
        else:
            arguments["steady"] = answer
    return plot.series(frame, quantity, **arguments)


def _history(read: files.Reading, asked: Drawing) -> Axes | Figure:
    """Draw runs by commit or date, with the steps between their levels."""
    wish, kept = asked.wish, asked.rows
    frame, name = rows.asked(read.results, wish.metric, kept.table)
    frame = _timed(read, rows.kept(frame, kept))
    x = columns.found(wish.x, frame, "--x") if wish.x else None
    by = [columns.found(column, frame, "--by") for column in columns.split(wish.by)]
    frame = rows.complete(frame, kept, name, x, *by)
    if kept.scope and not kept.combine:
        frame = rows.of_scope(frame, kept.scope)
    drawn = plot.history(frame, name, x=x, by=by or None, **_ordered(frame, x, wish.order))
    return _figure(drawn[0]) if by else drawn


def _timed(read: files.Reading, frame: pl.DataFrame) -> pl.DataFrame:
    """Add the times of the runs."""
    keys = ["source", "run"]
    times = read.table("runs").select(*keys, "started_at", "reported_at")
    own = times.drop([name for name in times.columns if name in frame and name not in keys])
    return frame.join(own, on=keys, how="left") if {*keys} <= {*frame.columns} else frame


def _shifts(read: files.Reading, asked: Drawing) -> Axes:
    """Draw the levels of a log, or of runs in their order."""
    from fiotools.stats.shifts import shifts

    wish, kept = asked.wish, asked.rows
    samples = read.table("samples")
    if len(samples) and not wish.order and kept.table in (None, "samples"):
        frame = _table(read, asked, "samples", "value")
        name, order = _quantity(frame, wish.metric), None
    else:
        frame, name = rows.asked(read.results, wish.metric, kept.table)
        frame = _timed(read, rows.kept(frame, kept))
        order = columns.found(wish.order, frame, "--order") if wish.order else None
        frame = rows.complete(frame, kept, name, order)
        if not kept.combine:
            frame = in_one_scope(frame, kept.scope, [order] if order else [])
    rules: dict[str, Any] = {"order": order, "round_s": _seconds(wish.round)}
    return plot.shifts(frame, name, shifts=shifts(frame, name, **rules), **rules)


def _credibility(read: files.Reading, asked: Drawing) -> Axes:
    """Draw the findings of `check`."""
    answer = checked(read, asked.sides, asked.known)
    answer = rows.where(answer, asked.rows.where)
    y = asked.wish.y
    return plot.credibility(answer, y=columns.found(y, answer, "--y") if y else None)


def _table(read: files.Reading, asked: Drawing, name: str, metric: str) -> pl.DataFrame:
    frame = read.table(name)
    if not len(frame):
        raise SchemaError(f"plot {asked.kind} draws {name}, and these files have none")
    frame = rows.complete(rows.where(frame, asked.rows.where), asked.rows, metric)
    return rows.of_scope(frame, asked.rows.scope) if asked.rows.scope else frame


def _quantity(frame: pl.DataFrame, metric: str | None) -> str | None:
    """Find a quantity by its name, with or without unit."""
    there = frame["quantity"].drop_nulls().unique(maintain_order=True).to_list()
    if metric is None or metric in there:
        return metric
    return next((name for name in there if name.startswith(f"{metric}_")), metric)


def _percents(limit: str | None) -> Any:
    if limit is None:
        return None
    try:
        found = [float(text.rstrip("% ")) for text in limit.split(",")]
    except ValueError:
        raise Trouble(
            f"--limit {limit} is not a limit of a series: write 0.3, or 20,10", 2
        ) from None
    return found[0] if len(found) == 1 else tuple(found)


def _seconds(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return units.seconds(text)
    except ValueError:
        raise Trouble(f"--round {text} is not a time: write 10, or 10s", 2) from None


# the plots of statistics; the others show the rows
_DIFFERENCES = (0.01, 0.015, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2)  # of a plan
_STATISTICS: Mapping[str, Callable[[files.Reading, Drawing], Axes | Figure]] = {
    "ratios": _ratios,
    "plan": _plan,
    "grid": _grid,
    "tails": _tails,
    "load": _load,
    "fairness": _fairness,
    "cdf": _cdf,
    "heatmap": _heatmap,
    "series": _series,
    "history": _history,
    "shifts": _shifts,
    "credibility": _credibility,
}
