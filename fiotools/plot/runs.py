"""Rows to compare: runs with their middle, single values, and ratios."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fiotools import units
from fiotools.errors import SchemaError, argument, warn
from fiotools.flags import has
from fiotools.plot import words
from fiotools.plot.centers import Centers, is_one_run, limits_of
from fiotools.plot.kind import (
    Arguments,
    answered,
    kind,
    needed,
    of_answer,
    of_runs,
    opened,
    records,
    values_of,
)
from fiotools.plot.spec import (
    Axis,
    Limit,
    Row,
    Spec,
    in_order,
    is_far,
)
from fiotools.plot.words import say
from fiotools.stats import frames
from fiotools.stats.compare import compare
from fiotools.stats.summary import summarize
from fiotools.tables.results import Results

_ENDS = ("ratio", "ratio_lo", "ratio_hi")
_EACH = "○ one run each: no interval, so chance is not ruled out"
_SIDE = "○ one run on a side: no interval, so chance is not ruled out"
_FEW = "○ too few runs: no interval, so chance is not ruled out"
_SAME = "○ no spread at all: no interval; are these copies of one run?"


def _repeated(data: Any, asked: Arguments) -> Any:
    """Take runs in rows; warn if those of one row are unlike."""
    table = of_runs("y", "hue", wide=True)(data, asked)
    if isinstance(data, Results) and asked.get("to") is None:
        keys = [one for role in ("y", "hue") if (one := asked.get(role))]
        told = summarize(table, asked["metric"], by=[*asked["by"], *keys])
        differ = frames.distinct(frames.values(frames.opened(told), "varies_in"))
        if differ := [one for one in differ if one]:
            warn(
                f"the runs of one row differ in {', '.join(differ)}: "
                f"{argument('hue')} draws one of them apart"
            )
    return table


@kind(_repeated)
def repeats(
    data: Any,
    metric: str | None = None,
    *,
    y: str | None = None,
    hue: str | None = None,
    to: str | None = None,
    order: Sequence[Any] | None = None,
    ceilings: Mapping[str, float | str] | None = None,
    log: bool | None = None,
) -> Spec:
    """Draw each run as a point, and through the points their geometric mean with its interval.

    Points that would hide each other are moved up or down. A single run among several is hollow,
    without an interval; if all are single, a stem leads to each from 0. The middle of values that
    can be 0 or below is their mean.

    Parameters
    ----------
    data : Results, pandas.DataFrame or polars.DataFrame
        One row per run.
    metric : str
        The column to draw, in its base unit.
    y, hue : str, optional
        The columns that name the rows, and the colours.
    to : str, optional
        Of single runs: the column that a bar reaches to, such as ``lat_max_ns``, the slowest I/O.
    order : sequence, optional
        The rows from top to bottom; in order of appearance by default.
    ceilings : mapping of str to float or str, optional
        Limits to draw as lines, each with its name: in the metric's base unit, or as ``"500MB/s"``.
        With ``by``, a mapping of panels to their limits draws each in its own:
        ``{"usb": {"the link": "500MB/s"}}``.
    log : bool, optional
        Whether the axis is logarithmic; by default if the values of several runs are far apart.
    by : str or sequence of str, optional
        A panel for each combination of these columns.
    title : str, optional
        The line above the figure, or above the Axes given, as `title` writes it.
    palette : str, sequence or mapping, optional
        The colours: a palette of seaborn, colours in order, or one for each level. By default those
        that you set with ``sns.set_palette``, else colours that the colour-blind tell apart.
    ax : matplotlib.axes.Axes, optional
        Where to draw, one for each panel, such as those of ``plt.subplots(2, 2)``; by default a
        new figure, as wide as `style` says.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        For what `summarize` refuses: mixed directions, several rows of one run.

    Examples
    --------
    >>> import fiotools as ft
    >>> reads = ft.example("how-many-runs").where("workload=randread")
    >>> ax = ft.plot.repeats(reads, "iops", y="filesystem")
    >>> [text.get_text() for text in ax.texts]
    ['35,614 /s', '35,432 /s']
    """
    metric, y = needed(metric, "metric"), needed(y)
    of, what = words.unit(metric), words.wording(metric)
    keys = [key for key in (y, hue) if key]
    table = opened(data, metric, *keys)
    if to in table.columns:
        rows, notes = _reaching(table, metric, str(to), keys)
        is_log = (
            is_far([end for row in rows for end in (row.x, row.high) if end])
            if log is None
            else log
        )
        how, heads = frozenset[str](), [say("mean"), say("slowest")]
    else:
        if order:
            kept = in_order(frames.values(table, y), order)
            rows_of = [at for at, name in enumerate(frames.values(table, y)) if name in kept]
            data = table[rows_of].to_native()
        found = Centers(data, metric, keys)
        rows = [
            Row(
                found.center(key),
                key[0],
                group=key[1] if hue else None,
                texts=(units.human(found.center(key), of),),
                **found.roles(key),
            )
            for key in found.runs
        ]
        values = [one for row in rows for one in (row.x, *row.points)]
        is_log = found.several and is_far(values) if log is None else log
        notes = [found.said("tick: {middle}")]
        how, heads = frozenset(() if found.several else ("stems",)), []
    names = in_order([row.y for row in rows], order)
    return Spec(
        "rows",
        tuple(row for row in rows if row.y in names),
        Axis(
            words.going(what, table, y, hue),
            of,
            metric,
            log=is_log,
            zero=not any(row.points for row in rows),
            bare=what,
        ),
        Axis(column=y, order=names),
        hue=hue,
        groups=in_order([row.group for row in rows]),
        limits=limits_of(ceilings, of, log=is_log),
        heads=tuple(heads),
        notes=tuple(filter(None, notes)),
        how=how,
    )


def _reaching(
    table: frames.Frame, metric: str, to: str, keys: Sequence[str]
) -> tuple[list[Row], list[str]]:
    """Draw one value per row, and a bar to another."""
    values, ends = values_of(table, metric), frames.numbers(table, to)
    of = words.unit(metric)
    drawn, rows = list[int](), list[Row]()
    for at, key in enumerate(frames.keys_of(table, keys)):
        value, end = values[at], ends[at]
        if value is None:
            continue
        if any((row.y, row.group) == (key[0], [*key, None][1]) for row in rows):
            raise SchemaError(
                f"several rows of one {', '.join(keys)}: name what differs, {argument('hue')}"
            )
        drawn.append(at)
        texts = units.human(value, of), "" if end is None else units.human(end, of)
        reach: Any = {} if end is None else {"low": value, "high": end}
        rows.append(Row(value, key[0], group=[*key, None][1], texts=texts, **reach))
    return rows, [say("point: mean; bar: to the slowest I/O"), is_one_run(table, drawn)]


@kind(of_answer(compare, "metric", "between", "baseline", "y"))
def ratios(
    data: Any,
    metric: str | None = None,
    *,
    between: str | None = None,
    baseline: Any = None,
    y: str | Sequence[str] | None = None,
    band: float = 0.05,
    labels: Sequence[str] | None = None,
    limits: tuple[float, float] | None = None,
) -> Spec:
    """Draw the ratios of `compare`, `overall` or `speedup` with their intervals.

    An answer of `speedup` is drawn by its speed-ups: above 1 is faster, even if the metric is a
    time. Any other is drawn by level / baseline. A ratio without an interval is hollow, and a note
    says why. A row over all workloads is a diamond. The axis is logarithmic.

    Parameters
    ----------
    data : Results, pandas.DataFrame or polars.DataFrame
        The answer of `compare`, `speedup` or `overall`; or runs, which are compared.
    metric, between, baseline : optional
        Of runs, as in `compare`.
    y : str or sequence of str, optional
        Of runs, the columns that name the rows.
    band : float
        Half-width of the relevance band.
    labels : list of str, optional
        A name per row; by default the columns that differ and, if they do, the sides. What all
        rows share stands below the axis.
    limits : (float, float), optional
        Draw intervals only between these ratios; an arrow says that one goes on.
    by, title, palette, ax
        As in `repeats`.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        If the frame has several metrics and no labels, or the number of labels differs from that
        of the rows; and what `compare` refuses.

    Examples
    --------
    >>> import fiotools as ft
    >>> io = ft.example("sweep").io
    >>> deep = io[io["iodepth"] == 16]
    >>> cmp = ft.compare(deep, "iops", between="place", baseline="disk", by=["rw", "numjobs"])
    >>> ax = ft.plot.ratios(cmp)
    >>> len(ax.get_yticks())
    4
    """
    del metric, between, baseline, y
    table = answered(data, ("baseline", "metric", *_ENDS), "a comparison")
    drawn = "speedup" if {"speedup", "speedup_lo", "speedup_hi"} <= {*table.columns} else "ratio"
    for end in _ENDS:
        values_of(table, end.replace("ratio", drawn), log=True, some=end == "ratio")
    rows = [
        row | {name: row[name.replace("ratio", drawn)] for name in _ENDS} for row in records(table)
    ]
    names, shared = _names(table, rows, labels, is_faster=drawn == "speedup")
    found = []
    for name, row in zip(names, rows, strict=True):
        ratio, low, high = (row[end] for end in _ENDS)
        if ratio is None:
            continue
        ends: Any = {} if low is None or high is None else {"low": low, "high": high}
        mark = "whole" if (row.get("workloads") or 1) > 1 else "" if ends else "hollow"
        text = words.bracketed(words.factor(ratio), low, high)
        found.append(Row(ratio, name, texts=(text,), mark=mark, **ends))
    equal = band_of(band)
    below, beyond = limits or (0.0, float("inf"))
    ends_of = [end for row in found for end in (row.low, row.high) if end is not None]
    inside = [min(max(end, below), beyond) for end in ends_of]
    inside += [*(row.x for row in found), *equal]
    left, right = min(inside) / 1.04, max(inside) * 1.04
    metrics = frames.distinct(frames.values(table, "metric"))
    what = words.listed([words.wording(one) for one in metrics], " and ")
    what = say("times faster, by {what}" if drawn == "speedup" else "ratio of {what}", what=what)
    notes = [say("grey: within {band} of equal", band=words.percent(band)), *_missing(rows)]
    if ends_of and (min(ends_of) < left or max(ends_of) > right):
        notes.append(say("arrow: the interval goes on"))
    return Spec(
        "rows",
        tuple(found),
        Axis(
            words.listed(filter(None, (what, shared))),
            "x",
            drawn,
            log=True,
            ends=(left, right),
            bare=what,
        ),
        Axis(order=tuple(dict.fromkeys(row.y for row in found))),
        limits=(Limit(*equal, axis="x"), Limit(1, axis="x", dashed=False)),
        notes=tuple(notes),
    )


def band_of(band: float) -> tuple[float, float]:
    """Return the ends of the band about 1 that does not matter."""
    if not 0 <= band < 1:
        raise SchemaError(f"band is {band!r}: it is a share, at least 0 and below 1 (0.05)")
    return 1 / (1 + band), 1 + band


def _names(
    table: frames.Frame,
    rows: Sequence[dict[str, Any]],
    labels: Sequence[str] | None,
    *,
    is_faster: bool,
) -> tuple[list[str], str]:
    """Name the rows by what differs among them, and return what they share."""
    *by, level = table.columns[: table.columns.index("baseline")]
    short = words.short([row[side] for row in rows for side in (level, "baseline")], level)
    both = [
        words.sides(short[row[level]], short[row["baseline"]], level, faster=is_faster)
        for row in rows
    ]
    if labels is not None:
        if len(labels) != len(rows):
            raise SchemaError(f"{len(labels)} labels for {len(rows)} rows: give one for each")
        return [words.called(str(name)) for name in labels], (
            both[0] if len({*both}) == 1 else _against(rows, level)
        )
    metrics = frames.distinct(frames.values(table, "metric"))
    if len(metrics) > 1:
        raise SchemaError(
            f"several metrics ({', '.join(metrics)}): draw one at a time, "
            f"{frames.to_type('metric', metrics[0])}, or give {argument('labels')}"
        )
    apart = [one for one in by if len({str(row[one]) for row in rows}) > 1]
    alike = len({*both}) == 1 and bool(apart)
    found = []
    for row, pair in zip(rows, both, strict=True):
        is_whole = (row.get("workloads") or 1) > 1
        own = [words.named(row[one], one) for one in apart if row[one] is not None or not is_whole]
        if is_whole:
            fixed = row["about"] == "these workloads"
            about = "all {n} workloads" if fixed else "workloads like these {n}"
            own.append(say(about, n=row["workloads"]))
        found.append(words.listed(own if alike else [*own, pair]))
    if len({*found}) < len(found):  # rows of several analyses, told apart by nothing
        found = [f"{name} ({at})" for at, name in enumerate(found, start=1)]
    shared = [
        words.named(rows[0][one], one)
        for one in by
        if one not in apart and rows[0][one] is not None
    ]
    return found, words.listed([*shared, *([both[0]] if alike else [])])


def _against(rows: Sequence[dict[str, Any]], level: str) -> str:
    """Name the baseline, if all rows have one."""
    if len({row["baseline"] for row in rows}) > 1:
        return ""
    own, _ = units.sides(rows[0]["baseline"], rows[0][level], level)
    return say("against {baseline}", baseline=own)


def _missing(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Say why some ratios have no interval."""
    bare = [row for row in rows if row["ratio"] is not None and None in (row[end] for end in _ENDS)]
    few = [row for row in bare if not has(row.get("flags"), "no-spread")]
    counts = [{row[name] for name in ("n", "n_baseline") if name in row} for row in few]
    why = {_EACH if runs <= {1} else _SIDE if 1 in runs else _FEW for runs in counts}
    if why:
        yield say(why.pop() if len(why) == 1 else _FEW)
    if len(few) < len(bare):
        yield say(_SAME)
