"""Metrics against swept conditions: curves through the middles, and a grid of two conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from fiotools import units
from fiotools.errors import SchemaError, argument, typed, warn
from fiotools.plot import words
from fiotools.plot.centers import Centers, limits_of
from fiotools.plot.kind import Arguments, answered, kind, of_runs, opened, records
from fiotools.plot.spec import Axis, Limit, Row, Spec, in_order, refuse_zero
from fiotools.plot.words import say
from fiotools.stats import frames, roles
from fiotools.stats.best_under import best_under
from fiotools.stats.compare import settled
from fiotools.stats.frames import Frame, metric_of
from fiotools.tables import naming
from fiotools.tables.results import Results

_AXES = ("bs_bytes", "iodepth", "numjobs")  # conditions of a sweep that are numbers
_APART = ("direction", *_AXES, "rw")  # runs that differ in these make no curve together
_NAMED = 4  # curves whose best points are listed


def _swept(data: Any, asked: Arguments) -> Any:
    """Take the runs of the metrics, and find what was swept; refuse curves of unlike runs."""
    several = asked.get("metric")
    if several is not None and not isinstance(several, str):
        asked["metric"] = several[0] if len(several) == 1 else [*several] or None
    found, labels = data, [*getattr(data, "labels", ())]
    if isinstance(data, Results):
        found = of_runs("x", "hue")(data, asked | {"x": "source"})
    elif asked["metric"] is None:
        there = [one for one in roles.METRICS if one in data.columns]
        asked["metric"] = there[0] if there else "bw_bytes_per_s"
    table = opened(found)
    asked["x"] = naming.full(asked["x"], table.columns) if asked.get("x") else _axis(table, labels)
    shown = {asked["x"], *asked["by"]}
    if isinstance(data, Results) and asked.get("hue") is None:
        data, columns = roles.with_sides(data)
        free = [one for one in columns if one not in shown and not _agree(table, one, asked["x"])]
        kinds = (one for one in ("rw", *_AXES, "direction") if one not in shown)
        asked["hue"] = next((one for one in (*free, *kinds) if _differs(table, one)), None)
    table = opened(of_runs("x", "hue")(data, asked))
    frames.need(table, [one for one in (asked["x"], asked.get("hue")) if one])
    twins = [one for one in _APART if one != asked["x"] and _agree(table, one, asked["x"])]
    _refuse_unlike(table, asked, twins)
    return table.drop(twins).to_native()


def _axis(table: Frame, labels: Sequence[str]) -> str:
    """Return the first condition that differs, or label of numbers."""
    numbers = [one for one in labels if one in table.columns and table.schema[one].is_numeric()]
    return next((one for one in (*_AXES, *numbers) if _differs(table, one)), _AXES[0])


def _differs(table: Frame, name: str) -> bool:
    known = (one for one in frames.optional(table, name) if one is not None)
    return len(frames.distinct(known)) > 1


def _agree(table: Frame, name: str, x: str) -> bool:
    """Whether a column says the same as the axis: a label depth, and the queue depth."""
    if not (_differs(table, name) and x in table.columns):
        return False
    pairs = {*frames.keys_of(table, [name, x])}
    return len(pairs) == len({one for one, _ in pairs}) == len({other for _, other in pairs})


def _refuse_unlike(table: Frame, asked: Arguments, twins: Sequence[str]) -> None:
    named = [one for one in (asked.get("hue"), *asked["by"]) if one]
    cells = frames.groups(table, named).values() if named else [[*range(len(table))]]
    for name in _APART:
        if name in (asked["x"], *twins, *named) or name not in table.columns:
            continue
        values = frames.values(table, name)
        there = (frames.distinct(values[row] for row in own) for own in cells)
        known = next((own for own in there if len([one for one in own if one is not None]) > 1), [])
        if known:
            short, either = naming.short(name), " or ".join(map(argument, ("hue", "by")))
            keep = typed(f'.where("{short}={known[0]}")', f"--where {short}={known[0]}")
            raise SchemaError(
                f"the runs of one curve differ in {short} ({words.first_five(known)}): "
                f"name it in {either}, or keep one, {keep}"
            )
    if not named and _differs(table, "source") and not _differs(table, asked["x"]):
        warn(f"all files are one curve: {argument('hue')} or a path template names several")


@kind(_swept)
def sweep(
    data: Any,
    metric: str | Sequence[str] | None = None,
    *,
    x: str | None = None,
    hue: str | None = None,
    order: Sequence[Any] | None = None,
    limit: float | str | None = None,
    ceilings: Mapping[str, float | str] | None = None,
    log: bool | None = None,
) -> Spec:
    """Draw a metric, or two below each other, against a swept condition: runs and their middles.

    Bars are intervals. The runs set the limits of the axis; an arrow marks an interval that goes on
    beyond them, because below six runs it can be very wide. A single run is hollow. An axis is
    logarithmic if its values span a factor of eight.

    Parameters
    ----------
    data : Results, pandas.DataFrame or polars.DataFrame
        One row per run.
    metric : str or sequence of str, optional
        The column to draw, or two of them: ``["iops", "p99"]``. By default the first of I/Os
        per second, bandwidth and time.
    x : str, optional
        The swept condition: a column of numbers, with a tick at each; by default the first of block
        size, queue depth and number of jobs that differs.
    hue : str, optional
        The column that names the curves.
    order : sequence, optional
        The curves, which take their colours in this order.
    limit : float or str, optional
        A limit of the second metric, a latency, in its base unit or as ``"1ms"``: a dashed line.
        Rings mark the most IOPS with this latency below it, as `best_under` finds them.
    ceilings, log, by, title, palette, ax
        As in `repeats`.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them for two metrics or if `by` is given

    Raises
    ------
    SchemaError
        If the runs of a curve differ in direction or in a condition; and what `summarize` refuses.

    Examples
    --------
    >>> import fiotools as ft
    >>> reads = ft.example("sweep").where("rw=randread", "numjobs=1")
    >>> ax = ft.plot.sweep(reads, "iops", x="iodepth", hue="place")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('queue depth', 'I/Os per second (read)')
    """
    metrics = [metric] if isinstance(metric, str) else [*(metric or ())]
    column = x or _AXES[0]
    if len(metrics) == 1:
        if limit is not None:
            raise SchemaError(
                "a limit is one of a latency: give two metrics, "
                + argument("metric", ["iops", "lat_mean"])
            )
        return _curves(data, metrics[0], column, hue, order, ceilings, log)[0]
    if len(metrics) != 2:
        raise SchemaError(f"a plot shows one metric or two, not {len(metrics)}")
    both = [_curves(data, one, column, hue, order, None, log, "bands") for one in metrics]
    rows, limits, notes = list[Row](), list[Limit](), [*both[0][0].notes]
    best = (
        []
        if limit is None
        else records(opened(best_under(data, metrics[1], limit, by=hue, sweep=column)))
    )
    panels = [words.wording(one, short=True) for one in metrics]
    for (spec, own), panel in zip(both, panels, strict=True):
        rows += [replace(row, panel=panel) for row in spec.rows]
        for told in best:
            key = (told[hue], told[column]) if hue else (told[column],)
            if told["iops"] is not None and key in own.runs and (not hue or key[0] in spec.groups):
                ring = Row(told[column], own.center(key), group=told[hue] if hue else None)
                rows.append(replace(ring, panel=panel, mark="ring"))
    if best:
        what = naming.short(metrics[1]) if naming.PERCENTILE.fullmatch(metrics[1]) else say("mean")
        text = _limit(best, what, words.unit(metrics[1]), hue)
        limits = [Limit(best[0]["limit"], text=text, panel=panels[1])]
        notes += _rings(best, what, column, hue)
    spec = both[0][0]
    return replace(
        spec,
        rows=tuple(rows),
        panels=tuple(panels),
        ys=tuple(one.y for one, _ in both),
        limits=tuple(limits),
        notes=tuple(notes),
    )


def _curves(
    data: Any,
    metric: str,
    x: str,
    hue: str | None,
    order: Sequence[Any] | None,
    ceilings: Mapping[str, float | str] | None,
    log: bool | None,
    how: str = "dodged",
) -> tuple[Spec, Centers]:
    """Draw one metric: bars of curves that are moved apart, or bands."""
    found = Centers(data, metric, [*([hue] if hue else []), x])
    frames.numbers(found.table, x)  # that they are
    curves = in_order([key[0] for key in found.runs], order) if hue else (None,)
    rows = [
        Row(key[-1], found.center(key), group=key[0] if hue else None, **found.roles(key))
        for key in found.runs
    ]
    rows = [row for row in rows if row.group in curves]
    of, what = words.unit(metric), words.wording(metric, short=True)
    interval = "bar: {confidence} interval" if how == "dodged" else "area: {confidence} interval"
    spec = Spec(
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
            zero=min(one for row in rows for one in (row.y, *row.points)) >= 0,
            bare=what,
        ),
        hue=hue,
        groups=curves,
        limits=limits_of(ceilings, of, axis="y"),
        notes=(found.said("curve: {middle}", interval),),
        how=frozenset({how}),
    )
    return spec, found


def _rings(best: Sequence[Mapping[str, Any]], what: str, x: str, hue: str | None) -> list[str]:
    """Say what the rings are, and where."""
    found = []
    for row in best:
        if row["iops"] is not None:
            at = say(
                "{rate} at {depth}",
                rate=units.human(row["iops"], "1/s"),
                depth=words.place(row[x], x),
            )
            found.append(f"{words.named(row[hue], hue)}, {at}" if hue else at)
    if not found:
        return []
    text = "ring: most I/Os per second with a {what} below the limit: {best}"
    return [say(text, what=what, best=words.several(found, _NAMED, "; "))]


def _limit(best: Sequence[Mapping[str, Any]], what: str, unit: str, hue: str | None) -> str:
    """Name a limit, and the curves that are nowhere below it."""
    text = say("limit: {limit}", limit=words.tick(best[0]["limit"], unit))
    none = [words.named(row[hue], hue) if hue else "all" for row in best if row["iops"] is None]
    return f"{text} ({words.several(none, 2)}: no {what} below)" if none else text


def _in_cells(data: Any, asked: Arguments) -> Any:
    """Take the runs of the metric; a comparison as it is."""
    if "baseline" in getattr(data, "columns", ()):
        return data
    asked.setdefault("x", "iodepth")
    asked.setdefault("y", "numjobs")
    return of_runs("y", "x")(data, asked)


@kind(_in_cells)
def grid(
    data: Any,
    metric: str | None = None,
    *,
    x: str = "iodepth",
    y: str = "numjobs",
) -> Spec:
    """Draw a value, or the ratio of two sides, for each combination of two conditions.

    Parameters
    ----------
    data : Results, pandas.DataFrame or polars.DataFrame
        One row per run, to draw their geometric mean; or the answer of `compare` or `speedup` by
        ``x`` and ``y``, to draw the ratio or speed-up of one level. A cell whose verdict is
        undecided is white, with a rim.
    metric : str, optional
        The column to draw.
    x, y : str
        The columns that name the columns and the rows of cells, numbers by size.
    by, title, ax
        As in `repeats`; `palette` is one of seaborn's, by name.

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
    table = opened(data, x, y)
    if "baseline" in table.columns:
        rows, note, of, colours = _ratios(table, x, y)
    else:
        metric = metric or next((one for one in roles.METRICS if one in table.columns), "iops")
        rows, note = _middles(data, metric, x, y)
        of, colours = words.unit(metric), "crest"
    return Spec(
        "cells",
        tuple(rows),
        Axis(words.condition(x), column=x, order=in_order([row.x for row in rows])),
        Axis(words.condition(y), column=y, order=in_order([row.y for row in rows])),
        notes=(note,),
        palette=colours,
        colours=Axis("", of),
    )


def _middles(data: Any, metric: str, x: str, y: str) -> tuple[list[Row], str]:
    """Return the centre of the runs in each cell."""
    found = Centers(data, metric, [x, y])
    middles = {key: found.center(key) for key in found.runs}
    least, most = min(middles.values()), max(middles.values())
    like = None if least > 0 and most / least >= 8 else least
    of = words.unit(metric)
    rows = [
        Row(key[0], key[1], value=one, texts=(words.tick(one, of, like),))
        for key, one in middles.items()
    ]
    what = words.going(words.wording(metric, short=True), found.table, x, y)
    note = say("in each cell: {what}", what=what)
    return rows, f"{note}, {found.middle}" if found.several else note


def _ratios(table: Frame, x: str, y: str) -> tuple[list[Row], str, str, str]:
    """Return the ratio of each cell of a comparison; 1 has the middle of the colours."""
    answered(table.to_native(), ["ratio", "beyond_band", "baseline"], "a comparison")
    drawn = "speedup" if "speedup" in table.columns else "ratio"
    if len({*frames.keys_of(table, [x, y])}) < len(table):
        raise SchemaError(
            f"several rows for one {x} and {y}: keep one level, or compare by these two alone"
        )
    told = [row for row in records(table) if row[drawn] is not None]
    if not told:
        raise SchemaError("nothing to draw: no row has a ratio")
    refuse_zero(drawn, [row[drawn] for row in told])
    rows = [
        Row(
            row[x],
            row[y],
            value=row[drawn],
            texts=(words.factor(row[drawn]),),
            mark="" if settled(row["beyond_band"]) else "pale",
        )
        for row in told
    ]
    level = table.columns[table.columns.index("baseline") - 1]
    pair = words.sides(told[0][level], told[0]["baseline"], level)
    metric = told[0]["metric"]
    note = say("in each cell: {what}", what=f"{pair}, {words.wording(metric, short=True)}")
    if any(row.mark for row in rows):
        note = f"{note}; {say('white, with a rim: undecided')}"
    # blue is better, as everywhere
    is_less_better = metric_of(metric).sign < 0 and drawn == "ratio"
    return rows, note, "x", "vlag" if is_less_better else "vlag_r"
