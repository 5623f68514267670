"""Wholes and their parts: threads of a run, what wall time was spent on, why two sides differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import exp, fsum
from typing import Any

from fiotools import units
from fiotools.errors import SchemaError, argument, warn
from fiotools.flags import SENTENCES, flags_of
from fiotools.plot import words
from fiotools.plot.centers import Centers, is_one_run
from fiotools.plot.kind import (
    Arguments,
    answered,
    kind,
    needed,
    of_table,
    opened,
    records,
    refuse_several,
    values_of,
)
from fiotools.plot.spec import Axis, Level, Row, Spec, in_order
from fiotools.plot.words import say
from fiotools.stats import frames
from fiotools.stats.combine import fairness as ask_fairness
from fiotools.stats.combine import per_thread, stragglers
from fiotools.stats.explain import NOTHING, asked_of, causes
from fiotools.tables.results import Results
from fiotools.tables.totals import with_totals

_WHOSE = ("direction", "group", "run", "source")  # a row is of one of each
_TIMES = ("real_s", "user_s", "sys_s")
_PARTS = ("part", "verdict", "log_ratio", "ratio", "seconds", "share_pct", "metric", "baseline")
_MANY = 8  # threads in a row: from there on their points are small
_LEAST = 0.01  # of a difference: smaller parts are one bar
_WHOLE, _OTHERS = "together", "all others"


def _threads(data: Any, asked: Arguments) -> Any:
    """Take the threads of runs: read and write together, where a tool says that."""
    of_tool = isinstance(data, Results) and data.tables.height("threads")
    table = of_table("threads" if of_tool else "io", "y")(data, asked)
    if of_tool and "direction" not in (needed(asked.get("y")), *asked["by"]):
        return with_totals(table, asked=True).filter(direction="total")
    return table


@kind(_threads)
def fairness(data: Any, *, y: str | None = None, order: Sequence[Any] | None = None) -> Spec:
    """Draw the IOPS of each thread, and how far they are from an equal share of their run.

    A grey line is the equal share; a thread that fell behind is a triangle. The end of a row has
    the ratio of the fastest thread to the slowest, Jain's index, which is 1 if all are equal, and
    1/k if one of k threads has everything, and the mean latency of the slowest thread.

    Parameters
    ----------
    data : Results, pandas.DataFrame or polars.DataFrame
        `Results.threads`, or `Results.io` of fio's jobs.
    y : str
        The column that names the rows, a run in each.
    order, by, title, palette, ax
        As in `repeats`.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        If a row would hold several runs or directions, or no row is of a thread.

    Examples
    --------
    >>> import fiotools as ft
    >>> res = ft.read("data/dda-vhdx/xml/{volume}.xml")
    >>> ax = ft.plot.fairness(res, y="volume", order=["nvme", "mirror"])
    >>> [text.get_text() for text in ax.texts if "x" in text.get_text()]
    ['1.00x', '2.33x', 'max/min']
    """
    y = needed(y)
    facts = {row[y]: row for row in records(frames.opened(ask_fairness(data, by=y)))}
    table = opened(per_thread(data, by=y), y, "iops")
    values, names = values_of(table, "iops"), frames.complete(table, y)
    waits = frames.optional(table, "lat_mean_ns")
    refuse_several(table, names, _WHOSE, "a row", hue=y)
    rows, shares, drawn, said = list[Row](), list[Level](), list[int](), dict[str, list[str]]()
    order = in_order(names, order)
    for name in order:
        own = [row for row, one in enumerate(names) if one == name]
        rates = [rate for row in own if (rate := values[row]) is not None]
        drawn += [row for row in own if values[row] is not None]
        fact = facts[name]
        if fact["jain"] is None or fact["max_over_min"] is None:
            for one in flags_of(fact.get("flags"), fact.get("details")):
                why = str(SENTENCES[one.code]).format(**one.values)
                said.setdefault(why, []).append(words.named(name, y))
        late = stragglers(rates) if fact["stragglers"] is not None else []
        slowest = [wait for row in own if (wait := waits[row]) is not None]
        texts = (
            "-" if fact["max_over_min"] is None else words.factor(fact["max_over_min"]),
            "-" if fact["jain"] is None else f"{fact['jain']:.3f}",
            *((units.human(max(slowest), "ns") if slowest else "-",) if any(waits) else ()),
        )
        for at, rate in enumerate(rates):
            spread = (at - (len(rates) - 1) / 2) / len(rates)
            mark = "behind" if at in late else ""
            rows.append(Row(rate, name, value=spread, mark=mark, texts=() if at else texts))
        if fact["jain"] is not None:
            shares.append(Level(0, 0, fsum(rates) / len(own), row=name))
    notes = [
        say("line: equal share"),
        say("max/min: fastest thread over slowest"),
        say("Jain: 1 if all threads are equal, 1/k if one of k does everything"),
    ]
    notes = notes if shares else []
    notes += [say("latency: mean of the slowest thread")] if any(waits) else []
    notes += [is_one_run(table, drawn)]
    notes += [f"- {words.several(own, 3)}: {why}" for why, own in said.items()]
    many = max(names.count(name) for name in order) > _MANY
    return Spec(
        "rows",
        tuple(rows),
        Axis(
            words.going(words.wording("iops"), table, y),
            words.unit("iops"),
            "iops",
            log=False,
            zero=True,
            bare=words.wording("iops"),
        ),
        Axis(column=y, order=order),
        levels=tuple(shares),
        heads=("max/min", "Jain", *((say("latency"),) if any(waits) else ())),
        notes=tuple(filter(None, notes)),
        how=frozenset({"threads", "small"} if many else {"threads"}),
    )


def _timed(data: Any, asked: Arguments) -> Any:
    """Take the times of runs; warn if one bar is of several commands."""
    table = of_table("timings", "y")(data, asked)
    if isinstance(data, Results):
        known = frames.opened(table)
        commands = {"command": frames.optional(known, "command")}
        bars = frames.groups(known, [asked["y"], *asked["by"]]).values()
        if any(frames.differing(commands, rows) for rows in bars):
            ways = f"{argument('y', 'command')} or {argument('by', 'command')}"
            warn(f"the runs of one bar differ in command: {ways} draws them apart")
    return table


@kind(_timed)
def timings(data: Any, *, y: str | None = None, order: Sequence[Any] | None = None) -> Spec:
    """Draw where wall time went: user CPU, system CPU, and what is beyond CPU time.

    Of one process without threads what is beyond is waiting; a pipe or several threads hide
    waiting behind CPU time. Several processors may take more CPU time than the clock shows: the bar
    is then longer than wall time, and both stand at the right. A bar of several runs is as long as
    the geometric mean of their wall times, with each run as a point; its parts have the shares that
    they have of all runs together.

    Parameters
    ----------
    data : Results, pandas.DataFrame or polars.DataFrame
        ``real_s``, ``user_s``, ``sys_s``: one row per run.
    y : str
        The column that names the bars.
    order, by, title, palette, ax
        As in `repeats`.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        If wall time is missing.

    Examples
    --------
    >>> import fiotools as ft
    >>> ax = ft.plot.timings(ft.example("page-cache"), y="cache", order=["before", "after"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['system CPU', 'wall time beyond CPU']
    """
    y = needed(y)
    table = opened(data, y, *_TIMES)
    names = frames.complete(table, y)
    order = in_order(names, order)
    frames.complete(table, "real_s")
    times = {name: values_of(table, name, some=False) for name in _TIMES}
    cells = Centers(data, "real_s", [y]) if len({*names}) < len(names) else None
    # without a CPU time nothing is known of what is beyond it
    of_cpu = any(one is not None for name in _TIMES[1:] for one in times[name])
    groups = (
        say("user CPU"),
        say("system CPU"),
        say("wall time beyond CPU" if of_cpu else "wall time"),
    )
    bars = {name: _bar(times, names, name, cells) for name in order}
    longest = max(max(wall, user + system) for wall, user, system in bars.values())
    rows, parts = list[Row](), list[Level]()
    for name, (wall, user, system) in bars.items():
        own: Any = {} if cells is None else cells.roles((name,))
        left = 0.0
        for group, time in zip(groups, (user, system, max(0.0, wall - user - system)), strict=True):
            parts.append(Level(left, left + time, left + time, row=name, group=group))
            left += time
        text = _human(wall, own.get("low"), own.get("high"), longest)
        mark = "over" if left - wall > 0.005 * longest else ""
        if mark:
            text = f"{text}, CPU {units.human(left, 's', like=longest)}"
        rows.append(Row(wall, name, points=own.get("points", ()), texts=(text,), mark=mark))
    notes = (
        [say("black line: wall time, where CPU time is more")]
        if any(row.mark for row in rows)
        else []
    )
    if cells is not None:
        notes += [
            say("points: runs"),
            say("bar: {middle}; parts: shares of all runs together", middle=cells.middle),
        ]
        if any(row["center_lo"] for row in cells.told.values()):
            notes.append(say("[ ]: {confidence} interval", confidence=words.percent(0.95)))
    else:
        notes.append(is_one_run(table, [at for at, name in enumerate(names) if name in order]))
    return Spec(
        "rows",
        tuple(rows),
        Axis(say("wall time"), "s", "real_s", log=False, zero=True),
        Axis(column=y, order=order),
        groups=groups,
        levels=tuple(parts),
        notes=tuple(filter(None, notes)),
        how=frozenset({"bars"}),
    )


def _bar(
    times: Mapping[str, Sequence[float | None]],
    names: Sequence[Any],
    name: Any,
    cells: Centers | None,
) -> tuple[float, float, float]:
    """Return wall time, user and system CPU of a bar: of its run, or of all its runs."""
    own = [at for at, one in enumerate(names) if one == name]
    wall, user, system = (fsum(of[at] or 0.0 for at in own) for of in times.values())
    if cells is None or wall == 0:
        return wall, user, system
    middle = cells.center((name,))
    return middle, user / wall * middle, system / wall * middle


def _human(wall: float, low: float | None, high: float | None, like: float) -> str:
    """Write a time with its interval, if it has one, all with one prefix."""
    text = units.human(wall, "s", like=like)
    if low is None or high is None:
        return text
    ends = (units.human(end, "s", like=like).partition(" ")[0] for end in (low, high))
    return f"{text} [{', '.join(ends)}]"


def _explained(data: Any, asked: Arguments) -> Any:
    """Explain the results; a level has a panel if `by` names the column of the sides."""
    given = {name: asked.pop(name, None) for name in ("metric", "between", "baseline")}
    if not isinstance(data, Results):
        return data
    sides = [given["between"]] if given["between"] else data.labels
    by = [name for name in asked["by"] if name not in (*sides, "direction")]
    return asked_of(data, **given, by=by)


@kind(_explained)
def parts(
    data: Any, metric: str | None = None, *, between: str | None = None, baseline: Any = None
) -> Spec:
    """Draw the parts of a difference, from the baseline to the level; or those of a side's time.

    The bars of two sides begin at 1, which is the baseline, and each goes on where the one above it
    ended, so that the last one reaches level / baseline. A bar to the left makes the metric
    smaller. Parts below 1 % are one bar.

    Parameters
    ----------
    data : Results, pandas.DataFrame or polars.DataFrame
        The answer of `explain`, which is asked for a `Results`.
    metric, between, baseline : optional
        Of a `Results`, as in `explain`.
    by, title, palette, ax
        As in `repeats`; `by` may name the column of the sides, too.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        If the frame is not what `explain` returned, or holds several cells.

    Examples
    --------
    >>> import fiotools as ft
    >>> reads = ft.example("lima-mounts").where("pattern=randread")
    >>> axes = ft.plot.parts(reads, between="mount", baseline="sshfs", by="mount")
    >>> [ax.get_yticklabels()[-1].get_text() for ax in axes]
    ['together', 'together']
    """
    del metric, between, baseline
    table = answered(data, _PARTS, "the answer of explain()")
    rows = records(table)
    before = table.columns[: table.columns.index("baseline")]
    labels = [name for name in before if name not in (*_PARTS, "n")]
    if not rows:
        raise SchemaError("nothing to draw: the answer has no rows")
    refuse_several(table, [None] * len(table), labels, "a plot", role="by")
    if rows[0]["baseline"] is None:
        return _of_time(rows)
    return _of_ratio([row for row in rows if row["log_ratio"] is not None], labels[-1])


def _of_ratio(rows: Sequence[Mapping[str, Any]], between: str) -> Spec:
    """Let the bars go from 1 to level / baseline."""
    if not rows:
        raise SchemaError("nothing to draw: no part has a ratio")
    whole = fsum(row["log_ratio"] for row in rows)
    extent = max(abs(whole), max(abs(row["log_ratio"]) for row in rows))
    shown = [row for row in rows if abs(row["log_ratio"]) >= _LEAST * extent]
    rest = whole - fsum(row["log_ratio"] for row in shown)
    steps = [(_name(row), row["log_ratio"], _group(row)) for row in shown]
    if len(shown) < len(rows) and abs(rest) >= _LEAST * extent:
        steps.append((say(_OTHERS), rest, say("part")))
    drawn, levels = _stacked(steps, whole, exp, lambda size: (words.factor(exp(size)),))
    metric = words.wording(rows[0]["metric"])
    edges = [1.0, *(end for one in levels for end in (one.begin, one.end))]
    pair = words.sides(rows[0][between], rows[0]["baseline"], between)
    is_one = all(row["n"] == row["n_baseline"] == 1 for row in rows)
    return Spec(
        "rows",
        tuple(drawn),
        Axis(
            f"{metric}, {pair}",
            "x",
            log=True,
            ends=(min(edges) / 1.03, max(edges) * 1.03),
            bare=say("ratio of {what}", what=metric),
        ),
        Axis(order=tuple(row.y for row in drawn)),
        groups=_groups(),
        levels=tuple(levels),
        heads=(say("ratio"),),
        said=_found(rows, whole),
        notes=(say("one run each"),) if is_one else (),
        how=frozenset({"bars"}),
    )


def _of_time(rows: Sequence[Mapping[str, Any]]) -> Spec:
    """Let the bars add up to the time of an I/O, or of a command."""
    terms = [row for row in rows if row["seconds"]]
    if not terms:
        raise SchemaError("nothing to draw: no part of this side is a time")
    whole = fsum(row["seconds"] for row in terms)
    steps = [(_name(row), row["seconds"], _group(row)) for row in terms]

    def written(seconds: float) -> tuple[str, str]:
        return units.human(seconds, "s"), f"{100 * seconds / whole:.0f} %" if whole else "-"

    drawn, levels = _stacked(steps, whole, float, written)
    binds = next((row for row in rows if row["verdict"] == "cause"), None)
    what = "time of the command" if rows[0]["metric"] == "real_s" else "time of an I/O"
    return Spec(
        "rows",
        tuple(drawn),
        Axis(say(what), "s", log=False, zero=True),
        Axis(order=tuple(row.y for row in drawn)),
        groups=_groups(),
        levels=tuple(levels),
        heads=(say("time"), say("share")),
        said=say("limit: {limit}", limit=_name(binds)) if binds else "",
        how=frozenset({"bars"}),
    )


def _stacked(
    steps: Sequence[tuple[str, float, str]],
    whole: float,
    place: Callable[[float], float],
    written: Callable[[float], tuple[str, ...]],
) -> tuple[list[Row], list[Level]]:
    """Let each bar begin where the one above it ended; the last one is the whole."""
    rows, levels, at = list[Row](), list[Level](), 0.0
    for name, size, group in [*steps, (say(_WHOLE), whole, say(_WHOLE))]:
        begin = at if group != say(_WHOLE) else 0.0
        low, high = sorted((place(begin), place(begin + size)))
        levels.append(Level(low, high, high, row=name, group=group))
        rows.append(Row(place(begin + size), name, texts=written(size)))
        at += size
    return rows, levels


def _groups() -> tuple[str, ...]:
    """Name the colours; the last one is grey."""
    return (say("cause"), say("part"), say(_WHOLE), say("unknown"))


def _group(row: Mapping[str, Any]) -> str:
    return say({"cause": "cause", "unknown": "unknown"}.get(row["verdict"], "part"))


def _name(row: Mapping[str, Any]) -> str:
    return say(causes.name(row["part"]))


def _found(rows: Sequence[Mapping[str, Any]], whole: float) -> str:
    """Say the answer in a line."""
    first = max(rows, key=lambda row: (row["verdict"] == "cause", row["share_pct"] or 0.0))
    if first["verdict"] == NOTHING:
        return say("not explained: these runs cannot tell that the sides differ")
    text = "{times}; these reports do not show why: {name}, {part}"
    if first["verdict"] == "cause":
        text = "{times}; cause: {name}, {part}"
    part = words.factor(exp(first["log_ratio"]))
    return say(text, times=words.factor(exp(whole)), name=_name(first), part=part)
