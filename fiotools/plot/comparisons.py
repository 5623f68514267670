"""Rows to compare: runs with their middle, single values, and ratios."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from math import isfinite, nan
from typing import Any, Literal

from fiotools import units
from fiotools.errors import SchemaError, argument, typed, warn
from fiotools.flags import has
from fiotools.language import called, listed, say
from fiotools.plot import roles, words
from fiotools.plot.kind import Prepare, kind, needed, of_table, opened, records
from fiotools.plot.roles import Arguments
from fiotools.plot.spec import Axis, Limit, Row, Spec, finite, in_order, is_far
from fiotools.stats import frames
from fiotools.stats.compare import compare, speedup
from fiotools.stats.frames import Frame
from fiotools.stats.replicates import labels as labels_of
from fiotools.stats.summary import summarize
from fiotools.tables.results import Results
from fiotools.vocabulary import CONDITIONS, KEYS

_LIMITS = {"B/s": "500MB/s", "ns": "1ms", "s": "10s"}  # examples of a limit
_ENDS = ("ratio", "ratio_lo", "ratio_hi")
_GIVE = "; give what compare() returned"
_EACH = "○ one run each: no interval, so chance is not ruled out"
_SIDE = "○ one run on a side: no interval, so chance is not ruled out"
_FEW = "○ too few runs: no interval, so chance is not ruled out"
_SAME = "○ no spread at all: no interval; are these copies of one run?"


class Cells:
    """The runs of each cell, their center and its interval, as `summarize` has them.

    It is asked if nothing was given.
    """

    def __init__(self, frame: Any, metric: str, keys: Sequence[str], summary: Any = None) -> None:
        self.keys = list(keys)
        self.table = opened(frame, metric, *keys)
        for name in self.keys:
            frames.complete(self.table, name)
        values = values_of(self.table, metric)
        there = self.table[[row for row, one in enumerate(values) if one is not None]]
        self.missing = len(values) - len(there)
        told = summarize(there.to_native(), metric, by=self.keys) if summary is None else summary
        give = f"give summarize(frame, {metric!r}, by={self.keys})"
        answer = answered(
            told, ("metric", "n", "center", "method", "confidence"), "a summary", f"; {give}"
        )
        if set(frames.values(answer, "metric")) != {metric}:
            raise SchemaError(f"the summary is not of {metric!r}: {give}")
        frames.need(answer, self.keys)
        rows = frames.groups(answer, self.keys)
        centers = frames.keys_of(answer, ["center", "center_lo", "center_hi"])
        self.geometric = set(frames.values(answer, "method")) == {"log-t"}
        known: list[Any] = frames.numbers(there, metric)
        self.runs: dict[frames.Key, list[float]] = {}
        for key, own in frames.groups(there, self.keys).items():
            self.runs[key] = [known[row] for row in own]
        self.centers: dict[frames.Key, tuple[float, float | None, float | None]] = {}
        for key in self.runs:
            if len(found := rows.get(key, [])) != 1:
                where = ", ".join(
                    f"{name} {one!r}" for name, one in zip(self.keys, key, strict=True)
                )
                raise SchemaError(
                    f"the summary has {len(found) or 'no'} rows of {where}: summarize the frame"
                    f" that is drawn, by={self.keys}"
                )
            self.centers[key] = centers[found[0]]
        shares = frames.distinct(frames.values(answer, "confidence"))
        found_any = bool(shares) and any(low is not None for _, low, _ in self.centers.values())
        self.confidence = words.percent(shares[0]) if found_any else ""

    def middle(self, key: frames.Key) -> float:
        """Return the centre of the runs of a cell."""
        return self.centers[key][0]

    def row(self, key: frames.Key, **place: Any) -> dict[str, Any]:
        """Return the roles of a cell: its interval, and its runs if there are several."""
        _, low, high = self.centers[key]
        own = self.runs[key]
        alone = {"mark": "hollow"} if len(own) == 1 and self.several else {}
        return {
            "low": low,
            "high": high,
            "points": tuple(own) if len(own) > 1 else (),
            **alone,
            **place,
        }

    @property
    def several(self) -> bool:
        """Whether any cell has several runs."""
        return any(len(own) > 1 for own in self.runs.values())

    def said(self, centre: str, interval: str = "bar: {confidence} interval") -> list[str]:
        """Say what points, ticks and intervals are."""
        if not self.several:
            return [say("one run each" if len(self.runs) > 1 else "one run")]
        alone = any(len(own) == 1 for own in self.runs.values())
        found = [say("points: runs, hollow: only one" if alone else "points: runs")]
        middle = say("geometric mean") if self.geometric else say("mean")
        found.append(say(centre, middle=middle))
        if self.confidence:
            found.append(say(interval, confidence=self.confidence))
        if self.missing:
            found.append(say("rows without a value: {n}", n=self.missing))
        return found


def answered(frame: Any, columns: Sequence[str], what: str, give: str) -> Frame:
    """Open what a function of `fiotools` returned, or say ``what`` it is not and what to give."""
    table = opened(frame)
    if missing := sorted({*columns}.difference(table.columns)):
        raise SchemaError(f"not {what}: no column {', '.join(missing)}{give}")
    return table


def values_of(table: Frame, column: str) -> list[float | None]:
    """Return a column of numbers to draw; at least one is there and all are on the axis."""
    found = frames.numbers(table, column)
    finite(found, column)
    if not any(value is not None for value in found):
        raise SchemaError(f"nothing to draw: no row has a value of {column!r}")
    return found


def _runs(name: str | None) -> Prepare:
    """Return how a `Results` becomes runs in rows, of a table or the one that has the metric."""

    def prepare(data: Any, asked: Arguments) -> Any:
        table = of_table(name)(data, asked)
        if isinstance(data, Results):
            table = roles.rows(data, table, asked)
            roles.ordered(table, asked, "y")
        return table

    return prepare


def _repeated(data: Any, asked: Arguments) -> Any:
    """Take runs in rows; warn if those of one row are unlike."""
    table = _runs(None)(data, asked)
    if isinstance(data, Results):
        keys = [one for role in ("y", "hue") if (one := asked[role])]
        summary = summarize(table, asked["metric"], by=[*asked["by"], *keys])
        if differ := dict.fromkeys(summary["varies_in"].drop_nulls()):
            warn(
                f"the runs of one row differ in {', '.join(differ)}: "
                f"{argument('hue')} draws one of them apart"
            )
    return table


@kind(_repeated)
def repeats(
    frame: Any,
    metric: str | None = None,
    *,
    y: str | None = None,
    hue: str | None = None,
    summary: Any = None,
    order: Sequence[Any] | None = None,
    ceilings: Mapping[str, float | str] | None = None,
    log: bool | None = None,
) -> Spec:
    """Draw each run as a point, and through the points their geometric mean with its interval.

    Points that would hide each other are moved up or down. A single run is hollow, without an
    interval. The middle of values that can be 0 or below is their mean.

    Parameters
    ----------
    frame : Results, pandas.DataFrame or polars.DataFrame
        One row per run.
    metric : str
        The column to draw.
    y : str
        The column that names the rows.
    hue : str, optional
        The column that gives colour and marker.
    summary : pandas or polars frame, optional
        The answer of `summarize` for the same metric, by ``y`` (and ``hue``), for its intervals;
        asked for if left out.
    order : sequence, optional
        The rows from top to bottom; in order of appearance by default.
    ceilings : mapping of str to float or str, optional
        Limits to draw as lines, each with its name: in the metric's base unit, or as ``"500MB/s"``.
        With ``by``, a mapping of panels to their limits draws each in its own:
        ``{"usb": {"the link": "500MB/s"}}``.
    log : bool, optional
        Whether the axis is logarithmic; by default if the values are far apart.
    by : str or sequence of str, optional
        A panel for each combination of these columns.
    without : str or sequence of str, optional
        Parts to leave out: points, intervals, texts, limits, legend, notes.
    title : str, optional
        The line above the figure, as `title` writes it.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        If the summary is of another metric, or of other rows.

    Examples
    --------
    >>> import fiotools as ft
    >>> io = ft.example("how-many-runs").io
    >>> reads = io[io["direction"] == "read"]
    >>> ax = ft.plot.repeats(reads, "iops", y="filesystem")
    >>> ft.plot.spec("repeats", reads, "iops", y="filesystem").notes
    ('points: runs; tick: geometric mean; bar: 95 % interval',)
    """
    y = needed(y)
    keys = [key for key in (y, hue) if key]
    found = Cells(frame, named(metric), keys, summary)
    of = words.unit(named(metric))
    names = in_order([key[0] for key in found.runs], order)
    rows = []
    for key in found.runs:
        if key[0] in names:
            middle = found.middle(key)
            rows.append(
                Row(
                    **found.row(
                        key,
                        x=middle,
                        y=key[0],
                        group=key[1] if hue else None,
                        texts=(units.human(middle, of),),
                    )
                )
            )
    values = [one for row in rows for one in (row.x, *row.points)]
    is_log = is_far(values) if log is None else log
    what = words.wording(named(metric))
    return Spec(
        "rows",
        tuple(rows),
        Axis(words.going(what, found.table, y, hue), of, named(metric), log=is_log, bare=what),
        Axis("", "", y, order=names),
        hue=hue,
        groups=in_order([row.group for row in rows], None),
        limits=limits_of(ceilings, of, log=is_log),
        notes=(listed(found.said("tick: {middle}"), "; "),),
    )


def named(metric: str | None) -> str:
    """Refuse a plot without a metric."""
    if metric is None:
        raise SchemaError(f"name the column to draw, {argument('metric')}")
    return metric


def limits_of(
    ceilings: Mapping[str, float | str] | None, of: str, *, log: bool, axis: Literal["x", "y"] = "x"
) -> tuple[Limit, ...]:
    """Return limits with their names and values."""
    return tuple(
        Limit(
            limit,
            text=say("{name}: {text}", name=called(name), text=units.human(limit, of)),
            axis=axis,
        )
        for name, limit in _amounts(ceilings or {}, of, log=log)
    )


def _amounts(
    ceilings: Mapping[str, float | str], of: str, *, log: bool
) -> Iterator[tuple[str, float]]:
    """Read limits, as numbers or with their unit."""
    for name, given in ceilings.items():
        limit = nan
        with suppress(ValueError):
            limit = units.amount(given, of) if isinstance(given, str) else given
        if not (name and isfinite(limit) and (limit > 0 or not log)):
            example = _LIMITS.get(of, 50000)
            raise SchemaError(
                f"{argument('ceiling', f'{name}={given}')} is not a limit: write "
                + typed(f"{{{name or 'NAME'!r}: {example!r}}}", f"NAME={example}")
            )
        yield name, limit


@kind(_runs("io"))
def throughput(
    frame: Any,
    metric: str = "bw_bytes_per_s",
    *,
    y: str | None = None,
    hue: str | None = None,
    order: Sequence[Any] | None = None,
    ceilings: Mapping[str, float | str] | None = None,
    log: bool = False,
) -> Spec:
    """Draw a metric as one point per row, with its value at the right.

    Parameters
    ----------
    frame : Results, pandas.DataFrame or polars.DataFrame
        One row per point; `repeats` draws several runs.
    metric : str
        The column to draw, in its base unit.
    y, hue, order, ceilings, log, by, without, title, ax
        As in `repeats`; a linear axis begins at 0.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        If several rows have the same place, such as a total and its threads.

    Examples
    --------
    >>> import fiotools as ft
    >>> io = ft.read("data/wsl-vhdx/{drive}_{mount}_{operation}.txt").io
    >>> ax = ft.plot.throughput(io[io.drive == "f"], y="mount", hue="operation", log=True)
    >>> len(ax.get_yticks())
    3
    """
    return _single(frame, metric, needed(y), hue, order, ceilings, log=log)


def _latencies(data: Any, asked: Arguments) -> Any:
    """Take runs in rows, and the slowest I/O of the latency that is drawn."""
    table = _runs("io")(data, asked)
    mean = asked.get("metric") or "lat_mean_ns"
    asked.setdefault("to", mean.replace("_mean_", "_max_"))
    return table


@kind(_latencies)
def latency(
    frame: Any,
    metric: str = "lat_mean_ns",
    *,
    y: str | None = None,
    hue: str | None = None,
    to: str | None = "lat_max_ns",
    order: Sequence[Any] | None = None,
    ceilings: Mapping[str, float | str] | None = None,
    log: bool | None = None,
) -> Spec:
    """Draw the mean latency of each row as a point, and a bar from it to the slowest I/O.

    Both values stand at the right. The bar is about single I/Os, and no interval of the mean.

    Parameters
    ----------
    frame : Results, pandas.DataFrame or polars.DataFrame
        One row per point; `repeats` draws several runs.
    metric : str
        The column of the points.
    y, hue, order, ceilings, by, without, title, ax
        As in `repeats`.
    to : str, optional
        The column that the bars reach to; none without that column.
    log : bool, optional
        Whether the axis is logarithmic; by default if the values are far apart.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        If several rows have the same place, such as a total and its threads.

    Examples
    --------
    >>> import fiotools as ft
    >>> io = ft.example("lima-mounts").io
    >>> mixed = io[io["pattern"] == "randrw"]
    >>> ax = ft.plot.latency(mixed, y="mount", hue="direction")
    >>> ft.plot.spec("latency", mixed, y="mount", hue="direction").rows[1].texts
    ('391 µs', '101 ms')
    """
    if words.unit(metric) not in ("ns", ""):
        draws = typed("plot.throughput", "fiotools plot throughput")
        raise SchemaError(f"{metric!r} is not a latency: {draws} draws it")
    return _single(frame, metric, needed(y), hue, order, ceilings, log=log, to=to)


def _single(
    frame: Any,
    metric: str,
    y: str,
    hue: str | None,
    order: Sequence[Any] | None,
    ceilings: Mapping[str, float | str] | None,
    *,
    log: bool | None,
    to: str | None = None,
) -> Spec:
    """Draw one value per row, and a bar to another if it has one."""
    table = opened(frame, metric, y, hue)
    values, names = values_of(table, metric), frames.complete(table, y)
    kinds = frames.complete(table, hue) if hue else [None] * len(table)
    rows_of = in_order(names, order)
    drawn = [at for at, one in enumerate(values) if one is not None and names[at] in rows_of]
    if not drawn:
        raise SchemaError(
            f"nothing to draw: {metric!r} is missing in all rows of {argument('order')}"
        )
    if log:
        above_zero(metric, values)
    refuse_crowds(table, [(names[at], kinds[at]) for at in drawn], drawn)
    of = words.unit(metric)
    ends: list[float | None] = [None] * len(table)
    if to in table.columns:
        ends = frames.numbers(table, str(to))
        finite(ends, str(to))
    wide = any(ends[at] is not None for at in drawn)
    rows = []
    for at in drawn:
        value, end = float(values[at] or 0), ends[at]
        texts = (units.human(value, of), *(("" if end is None else units.human(end, of),) * wide))
        reach: Any = {} if end is None else {"low": value, "high": end}
        rows.append(Row(value, names[at], group=kinds[at], texts=texts, **reach))
    gaps = sum(one is None and own in rows_of for one, own in zip(values, names, strict=True))
    notes = [say("point: mean; bar: to the slowest I/O")] if wide else []
    notes += [of_one_run(table, drawn)]
    notes += [say("rows without a value: {n}", n=gaps)] if gaps else []
    reached = [end for row in rows for end in (row.x, row.high) if end is not None]
    is_log = is_far(reached) if log is None else log
    stems = frozenset() if wide else frozenset({"stems"})
    what = words.wording(metric)
    return Spec(
        "rows",
        tuple(rows),
        Axis(words.going(what, table, y, hue), of, metric, log=is_log, zero=True, bare=what),
        Axis("", "", y, order=rows_of),
        hue=hue,
        groups=in_order([kinds[at] for at in drawn], None),
        limits=limits_of(ceilings, of, log=is_log),
        heads=(say("mean"), say("slowest")) if wide else (),
        notes=tuple(filter(None, notes)),
        how=stems,
    )


def of_one_run(table: Frame, rows: Sequence[int]) -> str:
    """Say that each of the rows is one run, if its files or an ``n`` of 1 say so."""
    lists = [frames.optional(table, name) for name in ("source", "run", "n")]
    found = [seen for row, seen in enumerate(zip(*lists, strict=True)) if row in {*rows}]
    if any(n != 1 if n is not None else None in (source, run) for source, run, n in found):
        return ""
    alone = len(found) == 1 or (len(set(found)) == 1 and None not in found[0][:2])
    return say("one run" if alone else "one run each")


def refuse_crowds(table: Frame, places: Sequence[Any], drawn: Sequence[int]) -> None:
    """Refuse rows on top of each other, such as a total and its threads."""
    candidates = dict.fromkeys(["scope", "direction", *KEYS, *CONDITIONS, *labels_of(table)])
    several = f"{typed('plot.repeats', 'fiotools plot repeats')} draws several runs"
    for found in frames.rows_by([(place,) for place in places]).values():
        rows = [drawn[at] for at in found]
        if len(rows) == 1:
            continue
        head = f"rows {words.first_five(rows)} would be drawn at one place"
        apart = frames.differing(frames.columns(table, candidates), rows)
        parts = [column for column in apart if column not in ("source", "run")]
        if not parts:
            raise SchemaError(f"{head}: {several}")
        # groups of fio are best told by their jobs
        unsaid = {"entry", "group", "scope"} if "group" in parts else {"entry"}
        part = next((column for column in parts if column not in unsaid), parts[0])
        keep = keep_one(table, part, rows)
        raise SchemaError(
            f"{head}; they differ in {', '.join(apart)}: keep one, {keep} ({several})"
        )


def keep_one(table: Frame, column: str, rows: Sequence[int]) -> str:
    """Return the filter that keeps one value of the rows: the total if there is one."""
    listed_values = frames.values(table, column)
    there = frames.distinct(listed_values[row] for row in rows)
    return frames.to_type(table, column, "total" if "total" in there else there[0])


def _compared(data: Any, asked: Arguments) -> Any:
    """Compare the sides of runs; take a comparison as it is."""
    if "baseline" in getattr(data, "columns", ()):
        for role in ("metric", "between", "baseline", "pair", "y"):
            asked.pop(role, None)
        return data
    rows = frames.names(asked.pop("y", None))
    roles = ("metric", "between", "baseline", "pair", "band")
    given = {role: asked[role] for role in roles if asked.get(role) is not None}
    for role in ("metric", "between", "baseline", "pair"):
        asked.pop(role, None)
    ask = speedup if asked.pop("faster", False) else compare
    return ask(data, by=[*asked["by"], *rows] or None, **given)


@kind(_compared)
def ratios(
    comparison: Any,
    metric: str | None = None,
    *,
    between: str | None = None,
    baseline: Any = None,
    y: str | Sequence[str] | None = None,
    pair: str | None = None,
    faster: bool = False,
    band: float = 0.05,
    labels: Sequence[str] | None = None,
    limits: tuple[float, float] | None = None,
) -> Spec:
    """Draw the ratios of `compare`, or the speed-ups of `speedup`, on a logarithmic axis.

    An answer with the columns ``speedup``, ``speedup_lo`` and ``speedup_hi`` is drawn by them:
    above 1 is faster, even if the metric is a time. Any other is drawn by ``ratio``, level /
    baseline. A ratio without an interval is hollow, and a note says why. A row over all workloads
    is a diamond.

    Parameters
    ----------
    comparison : Results, pandas.DataFrame or polars.DataFrame
        Runs, or the answer of `compare`, `speedup` or `overall`.
    metric, between, baseline, pair : optional
        Of runs, as in `compare`, which is asked.
    y : str or sequence of str, optional
        Of runs, the columns that name the rows.
    faster : bool
        Of runs, ask `speedup`.
    band : float
        Half-width of the relevance band.
    labels : list of str, optional
        A name per row; by default the columns that differ and, if they do, the sides. What all
        rows share stands below the axis.
    limits : (float, float), optional
        Draw intervals only between these ratios; an arrow says that one goes on.
    by, without, title, ax
        As in `repeats`.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        If the frame is not a comparison, has several metrics and no labels, or the number of labels
        differs from that of the rows; and what `compare` refuses.

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
    del metric, between, baseline, y, pair, faster
    table = answered(comparison, ("baseline", "metric", *_ENDS), "a comparison", _GIVE)
    if table.columns[0] == "baseline":
        raise SchemaError(f"not a comparison: no column before baseline{_GIVE}")
    drawn = "speedup" if {"speedup", "speedup_lo", "speedup_hi"} <= set(table.columns) else "ratio"
    above_zero(drawn, values_of(table, drawn))
    rows = [
        row | {name: row[name.replace("ratio", drawn)] for name in _ENDS} for row in records(table)
    ]
    for end in _ENDS[1:]:
        finite((row[end] for row in rows), end)
    names, shared = _names(table, rows, labels, faster=drawn == "speedup")
    equal = band_of(band)
    below, beyond = limits or (0.0, float("inf"))
    found = []
    for name, row in zip(names, rows, strict=True):
        ratio, low, high = (row[end] for end in _ENDS)
        if ratio is None:
            continue
        ends: Any = {} if low is None or high is None else {"low": low, "high": high}
        mark = "whole" if (row.get("workloads") or 1) > 1 else "" if ends else "hollow"
        found.append(
            Row(
                ratio,
                name,
                texts=(words.bracketed(words.factor(ratio), low, high),),
                mark=mark,
                **ends,
            )
        )
    above_zero(drawn, [row.low for row in found])
    ends_of = [end for row in found for end in (row.low, row.high) if end is not None]
    inside = [min(max(end, below), beyond) for end in ends_of]
    inside += [*(row.x for row in found), *equal]
    left, right = min(inside) / 1.04, max(inside) * 1.04
    metrics = frames.distinct(frames.values(table, "metric"))
    what = listed([words.wording(one) for one in metrics], " and ")
    what = say("times faster, by {what}" if drawn == "speedup" else "ratio of {what}", what=what)
    notes = [say("grey: within {band} of equal", band=words.percent(band)), *_missing(rows)]
    if any(
        left > row.low or row.high > right
        for row in found
        if row.low is not None and row.high is not None
    ):
        notes.append(say("arrow: the interval goes on"))
    return Spec(
        "rows",
        tuple(found),
        Axis(
            listed(filter(None, (what, shared))),
            "x",
            drawn,
            log=True,
            ends=(left, right),
            bare=what,
        ),
        Axis("", "", "", order=tuple(dict.fromkeys(row.y for row in found))),
        limits=(Limit(*equal, axis="x"), Limit(1, axis="x", dashed=False)),
        notes=tuple(notes),
    )


def band_of(band: float) -> tuple[float, float]:
    """Return the ends of the band about 1 that does not matter."""
    if not 0 <= band < 1:
        raise SchemaError(f"band is {band!r}: it is a share, at least 0 and below 1 (0.05)")
    return 1 / (1 + band), 1 + band


def above_zero(column: str, found: Sequence[float | None]) -> None:
    """Refuse values that a logarithmic axis cannot show."""
    if (least := min((one for one in found if one is not None), default=1)) <= 0:
        raise SchemaError(
            f"{column!r} is {least:g} in a row: a logarithmic axis needs values above zero"
        )


def _names(
    table: Frame, rows: Sequence[dict[str, Any]], labels: Sequence[str] | None, *, faster: bool
) -> tuple[list[str], str]:
    """Name the rows by what differs among them, and return what they share."""
    *by, level = table.columns[: table.columns.index("baseline")]
    sides = words.short([row[side] for row in rows for side in (level, "baseline")], level)
    both = [
        words.sides(sides[row[level]], sides[row["baseline"]], level, faster=faster) for row in rows
    ]
    if labels is not None:
        if len(labels) != len(rows):
            raise SchemaError(f"{len(labels)} labels for {len(rows)} rows: give one for each")
        names = [called(str(name)) for name in labels]
        return names, both[0] if len({*both}) == 1 else _against(rows, level)
    metrics = frames.distinct(frames.values(table, "metric"))
    if len(metrics) > 1:
        raise SchemaError(
            f"several metrics ({', '.join(metrics)}): draw one at a time, "
            f"{frames.to_type(table, 'metric', metrics[0])}, or give labels="
        )
    apart = [one for one in by if len({str(row[one]) for row in rows}) > 1]
    alike = len({*both}) == 1 and apart
    found = []
    for row, pair in zip(rows, both, strict=True):
        whole = (row.get("workloads") or 1) > 1
        own = [
            called(units.level(row[one], one)) for one in apart if not whole or row[one] is not None
        ]
        if whole:
            fixed = row["about"] == "these workloads"
            about = "all {n} workloads" if fixed else "workloads like these {n}"
            own.append(say(about, n=row["workloads"]))
        found.append(listed(own if alike else [*own, pair]))
    shared = [
        called(units.level(rows[0][one], one))
        for one in by
        if one not in apart and rows[0][one] is not None
    ]
    if len({*found}) < len(found):  # rows of several analyses, told apart by nothing
        found = [f"{name} ({at})" for at, name in enumerate(found, start=1)]
    return found, listed([*shared, *([both[0]] if alike else [])])


def _against(rows: Sequence[dict[str, Any]], level: str) -> str:
    """Name the baseline, if all rows have one."""
    if len({row["baseline"] for row in rows}) > 1:
        return ""
    return say(
        "against {baseline}", baseline=units.sides(rows[0]["baseline"], rows[0][level], level)[0]
    )


def _missing(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Say why some ratios have no interval."""
    few, is_same = set(), False
    for row in rows:
        ratio, *ends = (row[name] for name in _ENDS)
        if ratio is None or None not in ends:
            continue
        if has(row.get("flags"), "no-spread"):
            is_same = True
            continue
        runs = {row[name] for name in ("n", "n_baseline") if name in row}
        few.add(_EACH if runs <= {1} else _SIDE if 1 in runs else _FEW)
    found = [say(_FEW if len(few) > 1 else few.pop())] if few else []
    return [*found, say(_SAME)] if is_same else found
