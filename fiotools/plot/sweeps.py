"""Metrics against swept conditions: curves through the middles, a device under load, and a grid."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import geometric_mean
from typing import Any

from fiotools import units
from fiotools.errors import SchemaError, argument, typed
from fiotools.language import listed, say
from fiotools.plot import roles, words
from fiotools.plot.comparisons import Cells, above_zero, answered, limits_of
from fiotools.plot.kind import kind, of_table, opened, records
from fiotools.plot.roles import Arguments
from fiotools.plot.spec import Axis, Level, Limit, Row, Spec, in_order
from fiotools.stats import frames
from fiotools.stats.best_under import best_under
from fiotools.stats.columns import Columns
from fiotools.stats.compare import compare, settled, speedup
from fiotools.stats.frames import Frame, metric_of
from fiotools.stats.replicates import choose_scope, refuse_directions
from fiotools.stats.scaling import scaling
from fiotools.tables.results import Results

_NAMED = 4  # curves whose best points and knees are listed
_LOAD = ("I/Os per second", "latency")  # panels


def _swept(data: Any, asked: Arguments) -> Any:
    """Take the runs of the metric, and find what was swept."""
    table = of_table("io")(data, asked)
    if isinstance(data, Results):
        roles.curves(data, table, asked)
        table = roles.whole(table, asked)
    return table


@kind(_swept)
def sweep(
    frame: Any,
    metric: str = "bw_bytes_per_s",
    *,
    x: str | None = None,
    hue: str | None = None,
    summary: Any = None,
    order: Sequence[Any] | None = None,
    ceilings: Mapping[str, float | str] | None = None,
    log: bool | None = None,
) -> Spec:
    """Draw a metric against a swept condition: every run, and a curve through the middles.

    Bars are intervals. The runs set the limits of the axis; an arrow marks an interval that goes on
    beyond them, because below six runs it can be very wide. A single run is hollow. An axis is
    logarithmic if its values span a factor of eight.

    Parameters
    ----------
    frame : Results, pandas.DataFrame or polars.DataFrame
        One row per run.
    metric : str
        The column to draw.
    x : str, optional
        The swept condition: a column of numbers, with a tick at each; by default ``bs_bytes``.
    hue : str, optional
        The column that names the curves.
    summary, order, ceilings, log, by, without, title, ax
        As in `repeats`; by ``hue`` and ``x``.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        If the summary is of another metric, or of other rows; and what `summarize` refuses.

    Examples
    --------
    >>> import fiotools as ft
    >>> io = ft.example("wsl-filesystems").io
    >>> reads = io[io["operation"] == "read"]
    >>> ax = ft.plot.sweep(reads, hue="filesystem")
    >>> ft.plot.spec("sweep", reads, hue="filesystem").x.ticks
    (4096, 32768, 262144, 2097152, 16777216)
    """
    return _curves(frame, metric, x or "bs_bytes", hue, summary, order, ceilings, log)


def _curves(
    frame: Any,
    metric: str,
    x: str,
    hue: str | None,
    summary: Any,
    order: Sequence[Any] | None,
    ceilings: Mapping[str, float | str] | None = None,
    log: bool | None = None,
) -> Spec:
    keys = [*([hue] if hue else []), x]
    found = Cells(frame, metric, keys, summary)
    frames.numbers(found.table, x)  # that they are
    curves = in_order([key[0] for key in found.runs], order) if hue else (None,)
    rows = []
    for key in found.runs:
        name, place = (key[0], key[1]) if hue else (None, key[0])
        if name in curves:
            rows.append(Row(**found.row(key, x=place, y=found.middle(key), group=name)))
    of = words.unit(metric)
    limits = limits_of(ceilings, of, log=False, axis="y")
    notes = listed(found.said("curve: {middle}"), "; ")
    lowest = min(one for row in rows for one in (row.y, *row.points))
    what = words.wording(metric, short=True)
    return Spec(
        "lines",
        tuple(rows),
        Axis(
            words.condition(x),
            "binary" if words.unit(x) == "B" else "",
            x,
            ticks=tuple(sorted({row.x for row in rows})),
        ),
        Axis(
            words.going(what, found.table, x, hue),
            of,
            metric,
            log=log,
            zero=lowest >= 0,
            bare=what,
        ),
        hue=hue,
        groups=curves,
        limits=limits,
        notes=(notes,),
        how=frozenset({"dodged"}),
    )


def _loaded(data: Any, asked: Arguments) -> Any:
    wanted = asked.get("latency") or "lat_mean_ns"
    if words.unit(wanted) not in ("ns", ""):
        raise SchemaError(f"{wanted!r} is not a latency: name one, {typed('latency=', '--metric')}")
    table = of_table("io")(data, asked)
    if isinstance(data, Results):
        roles.curves(data, table, asked, ("iodepth", "numjobs"), ("hue",))
    return table


@kind(_loaded)
def load(
    frame: Any,
    latency: str = "lat_mean_ns",
    *,
    x: str | None = None,
    hue: str | None = None,
    limit: float | str | None = None,
    summaries: Sequence[Any] | None = None,
    best: Any = None,
    order: Sequence[Any] | None = None,
) -> Spec:
    r"""Draw IOPS, and latency below it, against the queue depth or any other condition.

    The hockey stick: the IOPS rise up to some depth, and the latency rises from there on. Bands are
    intervals. A diamond marks the knee of each curve, and a bar its interval, as `scaling` fits
    them: up to the knee, more load raises the IOPS by a greater factor than the latency; beyond it,
    the latency rises by the greater factor. Where the points do not bear a knee a note says why.

    Parameters
    ----------
    frame : Results, pandas.DataFrame or polars.DataFrame
        One row per run, of one direction (or ``hue="direction"``). If there are several scopes, the
        rows of ``total`` are drawn.
    latency : str
        The column of the latency.
    x : str, optional
        The swept condition: a column of numbers that raise the load; by default ``iodepth``.
    hue : str, optional
        The column that names the curves.
    limit : float or str, optional
        A limit of the latency, in its base unit or as ``"1ms"``: a dashed line. Rings mark the most
        IOPS with a mean below it, as `best_under` finds them.
    summaries : two pandas or polars frames, optional
        The answers of `summarize` for ``iops`` and for ``latency``, by ``x`` (and ``hue``).
    best : pandas or polars frame, optional
        The answer of `best_under` for ``latency`` (by ``hue``; ``sweep=x`` if `x` is a label), to
        be drawn instead of `limit`.
    order, by, without, title, ax
        As in `repeats`.

    Returns
    -------
    numpy.ndarray of matplotlib.axes.Axes
        The IOPS above, and the latency below.

    Raises
    ------
    SchemaError
        If several directions are mixed, or a summary or `best` is of another metric or other rows.

    Examples
    --------
    >>> import fiotools as ft
    >>> io = ft.read("data/how-many-runs/depth/{iodepth:d}_{round:d}.json").io
    >>> ax = ft.plot.load(io, limit="200us")
    >>> ft.plot.spec("load", io, limit="200us").notes[1]
    'ring: most I/Os per second with a mean below the limit: 22,429 /s at 4'
    """
    x = x or "iodepth"
    named = [key for key in (hue, x) if key]
    # the rows that `summarize` keeps
    columns = choose_scope(Columns(opened(frame, x, "iops", latency, hue)), None, named)
    refuse_directions(columns, named)
    native = columns.data.to_native()
    told = (None, None) if summaries is None else summaries
    if not isinstance(told, (list, tuple)) or len(told) != 2:
        raise SchemaError(
            "summaries= are two frames, of the rate and of the latency: "
            f"[summarize(frame, metric, by={named}) for metric in ('iops', {latency!r})]"
        )
    metrics = ("iops", latency)
    cells = [Cells(native, one, named, own) for one, own in zip(metrics, told, strict=True)]
    both = [
        _curves(native, one, x, hue, own, order) for one, own in zip(metrics, told, strict=True)
    ]
    if limit is not None:
        if best is not None:
            raise SchemaError(f"best= has a limit of its own: leave {argument('limit')} out")
        best = best_under(native, latency, limit, by=hue, sweep=x)
    chosen = {} if best is None else _chosen(best, cells[0], both[1].groups, latency, x, hue)
    knees = _knees(cells, both[0].groups, x, hue)
    rows, levels = list[Row](), list[Level]()
    for spec, own, panel in zip(both, cells, _LOAD, strict=True):
        rows += [_in(row, panel) for row in spec.rows]
        for name, row in chosen.items():
            if row["iops"] is not None:
                middle = own.middle((name, row[x]) if hue else (row[x],))
                rows.append(Row(row[x], middle, group=name, panel=panel, mark="ring"))
        for name, row in knees.items():
            if row["knee"] is not None:
                value = row["knee_rate"] if own is cells[0] else _waited(row, own, name, hue)
                at, low, high = (float(f"{row[f'knee{end}']:.4g}") for end in ("", "_lo", "_hi"))
                rows.append(Row(at, value, group=name, panel=panel, mark="knee"))
                levels.append(Level(low, high, value, group=name, panel=panel))
    limits = tuple(
        Limit(value, text=_limit(value, chosen, latency, hue), panel="latency")
        for value in dict.fromkeys(row["limit"] for row in chosen.values())
    )
    return Spec(
        "lines",
        tuple(rows),
        both[0].x,
        both[0].y,
        hue=hue,
        groups=both[0].groups,
        panels=_LOAD,
        ys=(both[0].y, both[1].y),
        limits=limits,
        levels=tuple(levels),
        notes=(
            listed(cells[0].said("curve: {middle}", "area: {confidence} interval"), "; "),
            *_key(chosen, knees, x, hue),
        ),
        how=frozenset({"bands"}),
    )


def _in(row: Row, panel: str) -> Row:
    return replace(row, panel=panel)


def _chosen(
    best: Any, rates: Cells, curves: Sequence[Any], latency: str, x: str, hue: str | None
) -> dict[Any, Mapping[str, Any]]:
    """Return the conditions that `best_under` chose for each curve."""
    by = f", by={hue!r}" if hue else ""
    give = f"give best_under(frame, {latency!r}, limit{by}, sweep={x!r})"
    needed = ["metric", "limit", "observed", "iops", x]
    table = answered(best, needed, "what best_under() returned", f"; {give}")
    if set(frames.values(table, "metric")) != {latency}:
        raise SchemaError(f"best= is not about {latency!r}: {give}")
    rows = records(table)
    found: dict[Any, Mapping[str, Any]] = {}
    for name in curves:
        own = [row for row in rows if not hue or row.get(hue) == name]
        if len(own) != 1:
            of = f" of {hue} {name!r}" if hue else ""
            raise SchemaError(f"best= has {len(own) or 'no'} rows{of}: {give}")
        found[name] = row = own[0]
        key = (name, row[x]) if hue else (row[x],)
        center = rates.middle(key) if key in rates.runs else math.nan
        if row["iops"] is not None and not math.isclose(center, row["iops"]):
            raise SchemaError(f"best= is about other runs than those to draw: {give}")
    return found


def _knees(
    cells: Sequence[Cells], curves: Sequence[Any], x: str, hue: str | None
) -> dict[Any, Mapping[str, Any]]:
    """Fit the knee of each curve of several levels, all above zero."""
    if any(key[-1] <= 0 or min(runs) <= 0 for own in cells for key, runs in own.runs.items()):
        return {}
    rates = cells[0].table
    known = [row for row, one in enumerate(frames.numbers(rates, "iops")) if one is not None]
    found = records(frames.opened(scaling(rates[known].to_native(), "iops", sweep=x, by=hue)))
    by_name = {row[hue] if hue else None: row for row in found}
    return {name: by_name[name] for name in curves if by_name[name]["loads"] > 2}


def _waited(row: Mapping[str, Any], waits: Cells, name: Any, hue: str | None) -> float:
    """Return the latency at a knee: it bends as the rate does."""

    def bend(load: float) -> float:
        linear, square = row["sigma"] * (load - 1), row["kappa"] * load * (load - 1)
        return float(1 + linear + square)

    own = [key for key in waits.runs if not hue or key[0] == name]
    return geometric_mean(waits.middle(key) / bend(key[-1]) for key in own) * bend(row["knee"])


# why a curve has no knee, by the flag that says it
_WITHOUT = {
    "few-loads": "too few levels",
    "mixed-curve": "runs of several kinds",
    "poor-fit": "far off the curve",
    "no-bend": "beyond the last level",
    "full": "before the first level",
    "knee-outside": "not within the levels",
}


def _key(
    chosen: Mapping[Any, Mapping[str, Any]],
    knees: Mapping[Any, Mapping[str, Any]],
    x: str,
    hue: str | None,
) -> list[str]:
    """Say what the rings and diamonds are, and where."""
    lines, best, names = list[str](), list[str](), words.names({**chosen, **knees}, hue)
    for name, row in chosen.items():
        if row["iops"] is None:
            continue
        told = {"rate": units.human(row["iops"], "1/s"), "depth": words.place(row[x], x)}
        if hue:
            best.append(say("{name}, {rate} at {depth}", name=names[name], **told))
        else:
            best.append(say("{rate} at {depth}", **told))
    if best:
        text = "ring: most I/Os per second with a mean below the limit: {best}"
        lines.append(say(text, best=words.several(best, _NAMED, "; ")))
    places = [_place_of(row, x) for row in knees.values()]
    found = [
        say("{name}: {text}", name=names[name], text=place)
        for name, place in zip(knees, places, strict=True)
    ]
    if len(set(places)) == 1:  # the same for every curve
        found = places[:1]
    if found:
        text = "diamond, bar: knee, the highest IOPS for its latency: {knees}"
        lines.append(say(text, knees=words.several(found, _NAMED)))
    return lines


def _place_of(row: Mapping[str, Any], x: str) -> str:
    """Say where a knee is, or why there is none."""
    if row["knee"] is None:
        return say("none, {why}", why=say(_WITHOUT[str(row["flags"])]))
    at, low, high = (
        words.place(float(f"{row[f'knee{end}']:.2g}"), x) for end in ("", "_lo", "_hi")
    )
    return f"{at} [{low}, {high}]"


def _limit(
    value: float, chosen: Mapping[Any, Mapping[str, Any]], latency: str, hue: str | None
) -> str:
    """Name a limit, and the curves that are nowhere below it."""
    ms = words.tick(value, words.unit(latency))
    names = words.names(chosen, hue)
    none = [names[name] for name, row in chosen.items() if row["iops"] is None]
    if not none:
        return say("limit: {limit}", limit=ms)
    curves = words.several(none, 2) if hue else say("all")
    return say("limit: {limit} ({names}: no mean below)", limit=ms, names=curves)


def _compared(data: Any, asked: Arguments) -> Any:
    """Compare the sides of runs if they were named, else take the table of the metric."""
    baseline, between = asked.pop("baseline", None), asked.pop("between", None)
    if baseline is None and between is None:
        return (
            of_table(None)(data, asked)
            if isinstance(data, Results) and asked.get("metric")
            else data
        )
    given = {"between": between, "baseline": baseline, "metric": asked.pop("metric", None)}
    given = {role: value for role, value in given.items() if value is not None}
    ask = speedup if asked.pop("faster", False) else compare
    by = [*asked["by"], asked.get("x") or "iodepth", asked.get("y") or "numjobs"]
    return ask(data, by=by, **given)


@kind(_compared)
def grid(
    frame: Any,
    metric: str | None = None,
    *,
    x: str = "iodepth",
    y: str = "numjobs",
    between: str | None = None,
    baseline: Any = None,
    faster: bool = False,
) -> Spec:
    """Draw a value, or the ratio of two sides, for each combination of two conditions.

    Parameters
    ----------
    frame : Results, pandas.DataFrame or polars.DataFrame
        One row per run, to draw their geometric mean; or, without `metric`, the answer of `compare`
        or `speedup` by ``x`` and ``y``, to draw the ratio or speed-up of one level. A cell whose
        verdict is undecided is white, with a rim.
    metric : str, optional
        The column to draw.
    x, y : str
        The columns that name the columns and the rows of cells, numbers by size.
    between, baseline, faster : optional
        Of runs, as in `compare`, which is asked.
    by, without, title, ax
        As in `repeats`.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        If a cell has rows of several kinds: levels, directions or other conditions.

    Examples
    --------
    >>> import fiotools as ft
    >>> io = ft.example("sweep").io
    >>> cmp = ft.compare(io, "iops", between="place", by=["rw", "iodepth", "numjobs"])
    >>> ax = ft.plot.grid(cmp[cmp["rw"] == "randread"])
    >>> [text.get_text() for text in ax.texts]
    ['0.235x', '0.230x', '0.600x', '0.368x', '0.648x', '0.413x']
    """
    del between, baseline, faster
    table = opened(frame, x, y, metric)
    rows, how, palette, note = (
        _ratios(table, x, y) if metric is None else _middles(frame, metric, x, y)
    )
    return Spec(
        "cells",
        tuple(rows),
        Axis(words.condition(x), column=x, order=in_order([row.x for row in rows], None)),
        Axis(words.condition(y), column=y, order=in_order([row.y for row in rows], None)),
        notes=(note,),
        how=how,
        palette=palette,
        colours=Axis("", words.unit(metric) if metric else "x"),
    )


def _middles(frame: Any, metric: str, x: str, y: str) -> tuple[list[Row], frozenset[str], str, str]:
    """Return the centre of the runs in each cell."""
    found = Cells(frame, metric, [x, y])
    middles = {key: found.middle(key) for key in found.runs}
    least, most = min(middles.values()), max(middles.values())
    of = words.unit(metric)
    like = None if least > 0 and most / least >= 8 else least
    rows = [
        Row(key[0], key[1], value=one, texts=(words.tick(one, of, like),))
        for key, one in middles.items()
    ]
    middle = say("geometric mean") if found.geometric else say("mean")
    what = words.going(words.wording(metric, short=True), found.table, x, y)
    told = (
        "in each cell: {what}, the {middle} of the runs"
        if found.several
        else "in each cell: {what}"
    )
    return rows, frozenset(), "crest", say(told, what=what, middle=middle)


def _ratios(table: Frame, x: str, y: str) -> tuple[list[Row], frozenset[str], str, str]:
    """Return the ratio of each cell of a comparison; 1 has the middle of the colours."""
    frames.need(table, ["ratio", "beyond_band", "baseline"])
    drawn = "speedup" if "speedup" in table.columns else "ratio"
    keys = frames.keys_of(table, [x, y])
    if len(set(keys)) < len(keys):
        raise SchemaError(
            f"several rows for one {x} and {y}: keep one level, or compare by these two alone"
        )
    values, beyond = frames.numbers(table, drawn), frames.values(table, "beyond_band")
    rows = [
        Row(
            key[0],
            key[1],
            value=one,
            texts=(words.factor(one),),
            mark="" if settled(own) else "pale",
        )
        for key, one, own in zip(keys, values, beyond, strict=True)
        if one is not None
    ]
    if not rows:
        raise SchemaError("nothing to draw: no row has a ratio")
    above_zero(drawn, [row.value for row in rows])
    level = table.columns[table.columns.index("baseline") - 1]
    own, base, metric = (frames.values(table, name)[0] for name in (level, "baseline", "metric"))
    own, base = units.sides(own, base, level)
    what = words.wording(metric, short=True)
    note = say("in each cell: {level} / {baseline}, {what}", level=own, baseline=base, what=what)
    if any(row.mark for row in rows):
        note = say("{said}; white, with a rim: undecided", said=note)
    # blue is better, as everywhere
    is_less_better = metric_of(metric).sign < 0 and drawn == "ratio"
    return rows, frozenset({"ratios"}), "vlag" if is_less_better else "vlag_r", note
