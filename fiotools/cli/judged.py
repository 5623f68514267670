"""The figures that show what a statistic says: the library computes it, and draws both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fiotools import units
from fiotools.cli import columns, evidence, files, roles, rows
from fiotools.cli.comparing import asked
from fiotools.cli.stream import Trouble, say
from fiotools.cli.wording import in_options
from fiotools.errors import SchemaError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from fiotools.cli.drawing import Wish


def ratios(read: files.Reading, wish: Wish) -> Axes:
    """Draw the answer of `compare` or `speedup`."""
    from fiotools import plot
    from fiotools.stats.compare import compare, speedup

    band = 0.05 if wish.band is None else wish.band
    question = asked(
        *(read, wish.metric, wish.table, wish.between, wish.baseline, wish.by),
        *(wish.where, wish.scope, wish.combine, wish.drop_missing),
        pair=wish.pair,
        band=band,
    )
    answer_of = speedup if wish.speedup else compare
    return plot.ratios(answer_of(question.frame, question.metric, **question.arguments), band=band)


def load(read: files.Reading, wish: Wish) -> Figure:
    """Draw IOPS and latency against the queue depth, and the best below a limit."""
    from fiotools import plot
    from fiotools.stats.best import best_under
    from fiotools.stats.summary import summarize

    frame, latency = rows.asked(read.results, wish.metric or "lat_mean_ns", wish.table or "io")
    filters = {"where": wish.where, "combine": wish.combine, "scope": wish.scope}
    for missing in (latency, "iops") if wish.drop_missing else ():
        frame = rows.taken(frame, missing=missing)
    frame = rows.taken(frame, **filters)
    if wish.scope and not wish.combine:
        frame = rows.of_scope(frame, wish.scope)
    x = columns.full(wish.x or "iodepth", frame)
    hue = columns.full(wish.hue, frame) if wish.hue else None
    if hue is None:
        hue = roles.naming(read, frame, role="hue", taken=x, within=["direction"])
    by = [key for key in (hue, x) if key]
    arguments = ordered(frame, hue, wish.order)
    if wish.limit:
        limit = rows.value_of(frame, latency, wish.limit)
        arguments["best"] = best_under(frame, latency, limit, by=hue)
    told = [summarize(frame, metric, by=by) for metric in ("iops", latency)]
    axes = plot.load(frame, x=x, latency=latency, hue=hue, summaries=told, **arguments)
    figure: Figure = axes[0].get_figure(root=True)
    return figure


def fairness(read: files.Reading, wish: Wish) -> Axes:
    """Draw the threads of each run, and how far they are from an equal share."""
    from fiotools import plot
    from fiotools.stats.threads import fairness as fair
    from fiotools.stats.threads import per_thread

    frame = rows.taken(rows.asked(read.results, "iops", "io")[0], where=wish.where)
    y = columns.full(wish.y, frame) if wish.y else None
    y = y or roles.naming(read, frame, role="y", within=()) or "source"
    arguments = ordered(frame, y, wish.order)
    return plot.fairness(per_thread(frame, by=y), fairness=fair(frame, by=y), y=y, **arguments)


def cdf(read: files.Reading, wish: Wish) -> Axes:
    """Draw the distribution of latencies."""
    from fiotools import plot

    frame = _table(read, wish, "bins")
    hue = columns.full(wish.hue, frame) if wish.hue else None
    hue = hue or roles.naming(read, frame, role="hue") or "source"
    if wish.merge:
        from fiotools.stats.histogram import merge_bins

        frame = merge_bins(frame, by=hue)
    return plot.cdf(frame, hue=hue, **ordered(frame, hue, wish.order))


def heatmap(read: files.Reading, wish: Wish) -> Axes:
    """Draw latency over time."""
    from fiotools import plot

    frame = _table(read, wish, "bins")
    if wish.merge:
        from fiotools.stats.histogram import merge_bins

        frame = merge_bins(frame, by="time_s")
    return plot.heatmap(frame)


def series(read: files.Reading, wish: Wish) -> Axes:
    """Draw a quantity over time, and whether it was steady."""
    from fiotools import plot
    from fiotools.stats.steady import steady

    frame = _table(read, wish, "samples")
    quantity = _quantity(frame, wish.metric)
    hue = columns.full(wish.hue, frame) if wish.hue else None
    if hue is None:
        hue = roles.naming(read, frame, role="hue", within=("source", "job", "entry", "direction"))
    limit = _percents(wish.limit)
    arguments = {"hue": hue, "limit": limit, **ordered(frame, hue, wish.order)}
    if wish.steady != "none":
        method: Any = wish.steady or "snia"
        rules = {"method": method, "window": wish.window, "limit": limit}
        try:
            answer = steady(frame, quantity, by=hue, round_s=_seconds(wish.round), **rules)
        except SchemaError as error:
            if wish.steady or wish.window or wish.limit or wish.round:
                raise
            say(f"drawn without a verdict: {in_options(str(error))}")
        else:
            arguments["steady"] = answer
    return plot.series(frame, quantity, **arguments)


def credibility(read: files.Reading, wish: Wish) -> Axes:
    """Draw what `check` says."""
    from fiotools import plot

    answer = evidence.answer(read, wish.between, wish.baseline, wish.known)
    answer = rows.taken(answer, where=wish.where)
    return plot.credibility(answer, y=columns.full(wish.y, answer) if wish.y else None)


def ordered(frame: pd.DataFrame, role: str | None, order: str | None) -> dict[str, Any]:
    """Read the values of `--order` in the type of their column."""
    if order is None:
        return {}
    if role is None:
        raise Trouble("--order is of several lines, and here is one: name them with --hue", 2)
    return {"order": [rows.value_of(frame, role, text) for text in columns.split([order])]}


def _table(read: files.Reading, wish: Wish, name: str) -> pd.DataFrame:
    frame: pd.DataFrame = read.results.tables[name]
    if not len(frame):
        raise SchemaError(f"plot {wish.kind} draws {name}, and these files have none")
    frame = rows.taken(frame, where=wish.where)
    return rows.of_scope(frame, wish.scope) if wish.scope else frame


def _quantity(frame: pd.DataFrame, metric: str | None) -> str | None:
    """Find the quantity that is meant, its unit left out or not."""
    there = [str(name) for name in frame["quantity"].dropna().unique()]
    if metric is None or metric in there:
        return metric
    return next((name for name in there if name.startswith(f"{metric}_")), metric)


def _percents(limit: str | None) -> Any:
    if limit is None:
        return None
    try:
        found = [float(text.rstrip("% ")) for text in limit.split(",")]
    except ValueError:
        raise Trouble(f"--limit {limit} is no limit of a series: write 0.3, or 20,10", 2) from None
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
        raise Trouble(f"--round {text} is no time: write 10, or 10s", 2) from None
