"""The figures that show what a statistic says: the library computes it, and draws both."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fiotools import units
from fiotools.cli import comparing, evidence, files, options, roles, rows
from fiotools.cli.stream import Trouble, say
from fiotools.display import columns
from fiotools.errors import SchemaError

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from fiotools.cli.wish import Drawing


def ratios(read: files.Reading, asked: Drawing) -> Axes:
    """Draw the answer of `compare` or `speedup`."""
    from fiotools import plot
    from fiotools.stats.compare import compare, speedup

    wish = asked.wish
    judging = options.Judging(pair=wish.pair)
    if wish.band is not None:
        judging = replace(judging, band=wish.band)
    question = comparing.asked(read, wish.metric, asked.sides, wish.by, asked.rows, judging)
    answer_of = speedup if wish.speedup else compare
    answer = answer_of(question.frame, question.metric, **question.arguments)
    return plot.ratios(answer, band=judging.band)


def load(read: files.Reading, asked: Drawing) -> Figure:
    """Draw IOPS and latency against the queue depth, and the best below a limit."""
    from fiotools import plot
    from fiotools.stats.best_under import best_under
    from fiotools.stats.summary import summarize

    wish, kept = asked.wish, asked.rows
    frame, latency = rows.asked(read.results, wish.metric or "lat_mean_ns", kept.table or "io")
    frame = rows.complete(rows.kept(frame, kept), kept, latency, "iops")
    if kept.scope and not kept.combine:
        frame = rows.of_scope(frame, kept.scope)
    x = columns.found(wish.x or "iodepth", frame, "--x")
    hue = columns.found(wish.hue, frame, "--hue") if wish.hue else None
    if hue is None:
        hue = roles.naming(read, frame, role="hue", taken=x, within=["direction"])
    by = [key for key in (hue, x) if key]
    frame = rows.complete(frame, kept, *by)
    arguments = ordered(frame, hue, wish.order)
    if wish.limit:
        limit = columns.value_of(frame, latency, wish.limit)
        arguments["best"] = best_under(frame, latency, limit, by=hue)
    told = [summarize(frame, metric, by=by) for metric in ("iops", latency)]
    axes = plot.load(frame, x=x, latency=latency, hue=hue, summaries=told, **arguments)
    figure: Figure = axes[0].get_figure(root=True)
    return figure


def fairness(read: files.Reading, asked: Drawing) -> Axes:
    """Draw the threads of each run, and how far they are from an equal share."""
    from fiotools import plot
    from fiotools.stats.threads import fairness as fair
    from fiotools.stats.threads import per_thread

    frame = rows.where(rows.asked(read.results, "iops", "io")[0], asked.rows.where)
    y = columns.found(asked.wish.y, frame, "--y") if asked.wish.y else None
    y = y or roles.naming(read, frame, role="y", within=()) or "source"
    frame = rows.complete(frame, asked.rows, "iops", y)
    arguments = ordered(frame, y, asked.wish.order)
    return plot.fairness(per_thread(frame, by=y), fairness=fair(frame, by=y), y=y, **arguments)


def cdf(read: files.Reading, asked: Drawing) -> Axes:
    """Draw the distribution of latencies."""
    from fiotools import plot

    wish, frame = asked.wish, _table(read, asked, "bins", "count")
    hue = columns.found(wish.hue, frame, "--hue") if wish.hue else None
    hue = hue or roles.naming(read, frame, role="hue") or "source"
    frame = rows.complete(frame, asked.rows, hue)
    if wish.merge:
        from fiotools.stats.histograms import merge_bins

        frame = merge_bins(frame, by=hue)
    return plot.cdf(frame, hue=hue, **ordered(frame, hue, wish.order))


def heatmap(read: files.Reading, asked: Drawing) -> Axes:
    """Draw latency over time."""
    from fiotools import plot

    frame = _table(read, asked, "bins", "count")
    if asked.wish.merge:
        from fiotools.stats.histograms import merge_bins

        frame = merge_bins(frame, by="time_s")
    return plot.heatmap(frame)


def series(read: files.Reading, asked: Drawing) -> Axes:
    """Draw a quantity over time, and whether it was steady."""
    from fiotools import plot
    from fiotools.stats.steady import steady

    wish, frame = asked.wish, _table(read, asked, "samples", "value")
    quantity = _quantity(frame, wish.metric)
    hue = columns.found(wish.hue, frame, "--hue") if wish.hue else None
    if hue is None:
        hue = roles.naming(read, frame, role="hue", within=("source", "job", "entry", "direction"))
    frame = rows.complete(frame, asked.rows, hue)
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
            say(f"drawn without a verdict: {error}")
        else:
            arguments["steady"] = answer
    return plot.series(frame, quantity, **arguments)


def credibility(read: files.Reading, asked: Drawing) -> Axes:
    """Draw what `check` says."""
    from fiotools import plot

    answer = evidence.answer(read, asked.sides, asked.known)
    answer = rows.where(answer, asked.rows.where)
    y = asked.wish.y
    return plot.credibility(answer, y=columns.found(y, answer, "--y") if y else None)


def ordered(frame: pl.DataFrame, role: str | None, order: str | None) -> dict[str, Any]:
    """Read the values of `--order` in the type of their column."""
    if order is None:
        return {}
    if role is None:
        raise Trouble("--order is of several lines, and here is one: name them with --hue", 2)
    return {"order": [columns.value_of(frame, role, text) for text in columns.split([order])]}


def _table(read: files.Reading, asked: Drawing, name: str, metric: str) -> pl.DataFrame:
    frame = read.table(name)
    if not len(frame):
        raise SchemaError(f"plot {asked.kind} draws {name}, and these files have none")
    frame = rows.complete(rows.where(frame, asked.rows.where), asked.rows, metric)
    return rows.of_scope(frame, asked.rows.scope) if asked.rows.scope else frame


def _quantity(frame: pl.DataFrame, metric: str | None) -> str | None:
    """Find the quantity that is meant, its unit left out or not."""
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
