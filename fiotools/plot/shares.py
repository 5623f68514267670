"""Wholes and their parts: how threads share a run, and what wall time was spent on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any

from fiotools import units
from fiotools.errors import SchemaError, argument, warn
from fiotools.flags import SENTENCES, flags_of
from fiotools.language import say
from fiotools.plot import roles, words
from fiotools.plot.comparisons import Cells, answered, keep_one, of_one_run
from fiotools.plot.kind import kind, needed, of_table, opened, records
from fiotools.plot.roles import Arguments
from fiotools.plot.spec import Axis, Level, Row, Spec, finite, in_order
from fiotools.stats import frames
from fiotools.stats.combine import fairness as ask_fairness
from fiotools.stats.combine import per_thread, stragglers
from fiotools.stats.frames import Frame
from fiotools.tables.results import Results

_WHOSE = ("source", "run", "group", "direction")
_TOLD = ("k", "jain", "max_over_min", "iops_lowest", "iops_highest", "stragglers")
_PARTS = ("user_s", "sys_s")


def _threads(data: Any, asked: Arguments) -> Any:
    """Take the threads of runs, and ask how they share."""
    if isinstance(data, Results):
        results, data = data, of_table("io")(data, asked)
        if asked.get("y") is None:
            asked["y"] = roles.found(results, data, "y", within=()) or "source"
        roles.ordered(data, asked, "y")
        if "direction" in data and "total" in data["direction"].unique():
            data = data.filter(data["direction"] == "total")
    if asked.get("fairness") is None and "scope" in getattr(data, "columns", ()):
        by = [*asked["by"], needed(asked.get("y"))]
        asked["fairness"] = ask_fairness(data, by=by)
        return per_thread(data, by=by)
    return data


@kind(_threads)
def fairness(
    threads: Any,
    *,
    fairness: Any = None,
    y: str | None = None,
    order: Sequence[Any] | None = None,
) -> Spec:
    """Draw the IOPS of each thread, and how far they are from an equal share of their run.

    A grey line is the equal share; a thread that fell behind is a triangle. The end of a row has
    the ratio of the fastest thread to the slowest, Jain's index, which is 1 if all are equal, and
    1/k if one of k threads has everything, and the mean latency of the slowest thread.

    Parameters
    ----------
    threads : Results, pandas.DataFrame or polars.DataFrame
        `Results.io`, or the answer of `per_thread` for one direction.
    fairness : pandas or polars frame, optional
        The answer of `fiotools.fairness` for the same table; it may have other directions and runs,
        too. It is asked if the rows have a ``scope``.
    y : str
        The column that names the rows, a run in each.
    order, by, without, title, ax
        As in `repeats`.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        If a row would hold several runs or directions, or `fairness` is about other threads.

    Examples
    --------
    >>> import fiotools as ft
    >>> res = ft.read("data/dda-vhdx/xml/{volume}.xml")
    >>> ax = ft.plot.fairness(res, y="volume", order=["nvme", "mirror"])
    >>> spec = ft.plot.spec("fairness", res, y="volume", order=["nvme", "mirror"])
    >>> [row.texts for row in spec.rows if row.texts]
    [('1.00x', '1.000', '397 µs'), ('2.33x', '0.863', '1.70 ms')]
    """
    y = needed(y)
    table = opened(threads, y, "iops")
    give = f"; give fairness(io, by={y!r})"
    if fairness is None:
        raise SchemaError(f"these are threads without what they share{give}")
    told = answered(fairness, _TOLD, "what fairness() returned", give)
    frames.need(told, [y])
    facts = records(told)
    values, names = frames.numbers(table, "iops"), frames.complete(table, y)
    finite(values, "iops")
    waits = frames.optional(table, "lat_mean_ns")
    rows, shares, said = list[Row](), list[Level](), dict[str, list[str]]()
    drawn = list[int]()
    written = words.names(names, y)
    for name in in_order(names, order):
        own = [row for row, one in enumerate(names) if one == name]
        rates = [(row, rate) for row in own if (rate := values[row]) is not None]
        fact = _fact(table, facts, y, own, [rate for _, rate in rates])
        if fact["jain"] is None or fact["max_over_min"] is None:
            for one in flags_of(fact.get("flags"), fact.get("details")):
                why = say(str(SENTENCES[one.code]), **one.values)
                said.setdefault(why, []).append(written[name])
        late = stragglers([rate for _, rate in rates]) if fact["stragglers"] is not None else []
        slowest = [wait for row in own if (wait := waits[row]) is not None]
        texts = (
            "-" if fact["max_over_min"] is None else words.factor(fact["max_over_min"]),
            "-" if fact["jain"] is None else f"{fact['jain']:.3f}",
            *((units.human(max(slowest), "ns") if slowest else "-",) if any(waits) else ()),
        )
        for at, (row, rate) in enumerate(rates):
            spread = (at - (len(rates) - 1) / 2) / max(1, len(rates))
            mark = "behind" if at in late else ""
            rows.append(Row(rate, name, value=spread, mark=mark, texts=texts if at == 0 else ()))
            drawn.append(row)
        if fact["jain"] is not None:
            share = fsum(rate for _, rate in rates) / len(own)
            shares.append(Level(0, 0, share, row=name))
    if not rows:
        raise SchemaError(f"nothing to draw: 'iops' is missing in all rows of {argument('order')}")
    notes = [
        say("line: equal share"),
        say("max/min: fastest thread over slowest"),
        say("Jain: 1 if all threads are equal, 1/k if one of k does everything"),
    ]
    notes = notes if shares else []
    if any(waits):
        notes.append(say("latency: mean of the slowest thread"))
    notes += [one for one in (of_one_run(table, drawn),) if one]
    notes += [
        say("- {names}: {why}", names=words.several(own, 3), why=why) for why, own in said.items()
    ]
    heads = (say("max/min"), say("Jain"), *((say("latency"),) if any(waits) else ()))
    many = max(len([row for row in rows if row.y == name]) for name in {row.y for row in rows})
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
        Axis("", "", y, order=in_order(names, order)),
        levels=tuple(shares),
        heads=heads,
        notes=tuple(notes),
        how=frozenset({"threads", "small"} if many > 8 else {"threads"}),
    )


def _fact(
    table: Frame,
    facts: Sequence[dict[str, Any]],
    y: str,
    rows: Sequence[int],
    there: Sequence[float],
) -> dict[str, Any]:
    """Find the answer about the threads in a row of the plot, and refuse one about others."""
    own = frames.columns(table, [y, *_WHOSE])
    name = own[y][rows[0]]
    give = f"give fairness(io, by={y!r}) of the same io"
    if apart := frames.differing(own, rows):
        keep = keep_one(table, apart[-1], rows)
        raise SchemaError(
            f"the threads of {y} {name!r} differ in {', '.join(apart)}: keep one, {keep},"
            f" or name another {argument('y')}"
        )
    same = {key: column[rows[0]] for key, column in own.items() if key in facts[0]}
    found = [fact for fact in facts if same.items() <= fact.items()]
    if len(found) != 1:
        raise SchemaError(f"fairness= has {len(found) or 'no'} rows of {y} {name!r}: {give}")
    fact = found[0]
    ends = (fact["iops_lowest"], fact["iops_highest"])
    is_of_others = ends[0] is not None and (not there or ends != (min(there), max(there)))
    if fact["k"] != len(rows) or is_of_others:
        raise SchemaError(
            f"fairness= is of other threads of {y} {name!r} than those to draw: {give}"
        )
    return fact


def _timed(data: Any, asked: Arguments) -> Any:
    """Take the times of runs; warn if one bar is of several commands."""
    table = of_table("timings", "y")(data, asked)
    if isinstance(data, Results):
        bars = table.partition_by([asked["y"], *asked["by"]])
        if any(roles.differs(own, "command") for own in bars):
            warn(
                "the runs of one bar differ in command: "
                f"{argument('y', 'command')} or {argument('by', 'command')} draws them apart"
            )
    return table


@kind(_timed)
def timings(
    frame: Any,
    *,
    y: str | None = None,
    order: Sequence[Any] | None = None,
) -> Spec:
    """Draw where wall time went: user CPU, system CPU, and the rest, which is waiting.

    Several processors may take more CPU time than the clock shows: the bar is then longer than wall
    time, and both stand at the right. A bar of several runs is as long as the geometric mean of
    their wall times, with each run as a point; its parts have the shares that they have of all runs
    together.

    Parameters
    ----------
    frame : Results, pandas.DataFrame or polars.DataFrame
        ``real_s``, ``user_s``, ``sys_s``: one row per run.
    y : str
        The column that names the bars.
    order, by, without, title, ax
        As in `repeats`.

    Returns
    -------
    matplotlib.axes.Axes, or numpy.ndarray of them if `by` is given

    Raises
    ------
    SchemaError
        If a time is negative, or wall time is missing.

    Examples
    --------
    >>> import fiotools as ft
    >>> res = ft.read("data/page-cache/{cache}.txt")
    >>> ax = ft.plot.timings(res, y="cache", order=["before", "after"])
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['before', 'after']
    """
    y = needed(y)
    table = opened(frame, y, "real_s", *_PARTS)
    names = frames.complete(table, y)
    order = in_order(names, order)
    found = {name: frames.numbers(table, name) for name in ("real_s", *_PARTS)}
    frames.complete(table, "real_s")
    for name, times in found.items():
        finite(times, name)
        known = [
            time
            for time, own in zip(times, names, strict=True)
            if time is not None and own in order
        ]
        if known and min(known) < 0:
            raise SchemaError(f"{name!r} is {min(known):g} in a row: times are not negative")
    cells = Cells(table.to_native(), "real_s", [y]) if len({*names}) < len(names) else None
    bars = {name: _bar(found, names, name, cells) for name in order}
    longest = max(max(wall, user + system) for wall, user, system in bars.values())
    groups = (say("user CPU"), say("system CPU"), say("waiting"))
    rows, parts, over = list[Row](), list[Level](), False
    for name, (wall, user, system) in bars.items():
        own = {} if cells is None else cells.row((name,))
        left = 0.0
        for group, time in zip(groups, (user, system, max(0.0, wall - user - system)), strict=True):
            parts.append(Level(left, left + time, left + time, row=name, group=group))
            left += time
        text = _human(wall, own.get("low"), own.get("high"), longest)
        if left - wall > 0.005 * longest:
            over = True
            text = say("{wall}, CPU {cpu}", wall=text, cpu=units.human(left, "s", like=longest))
        mark = "over" if left > wall else ""
        rows.append(Row(wall, name, points=own.get("points", ()), texts=(text,), mark=mark))
    drawn = [at for at, name in enumerate(names) if name in order]
    notes = [say("black line: wall time, where CPU time is more")] if over else []
    if cells is not None:
        middle = say("geometric mean") if cells.geometric else say("mean")
        notes += [
            say("points: runs"),
            say("bar: {middle}; parts: shares of all runs together", middle=middle),
        ]
        if cells.confidence:
            notes.append(say("[ ]: {confidence} interval", confidence=cells.confidence))
    return Spec(
        "rows",
        tuple(rows),
        Axis(say("wall time"), "s", "real_s", log=False, zero=True),
        Axis("", "", y, order=order),
        groups=groups,
        levels=tuple(parts),
        notes=tuple(filter(None, (*notes, "" if cells else of_one_run(table, drawn)))),
        how=frozenset({"bars"}),
    )


def _bar(
    times: Mapping[str, Sequence[float | None]],
    names: Sequence[Any],
    name: Any,
    cells: Cells | None,
) -> tuple[float, float, float]:
    """Return wall time, user and system CPU of a bar: of its run, or of all its runs."""
    own = [at for at, one in enumerate(names) if one == name]
    wall, user, system = (fsum(of[at] or 0.0 for at in own) for of in times.values())
    if cells is None or wall == 0:
        return wall, user, system
    middle = cells.middle((name,))
    return middle, user / wall * middle, system / wall * middle


def _human(wall: float, low: float | None, high: float | None, like: float) -> str:
    """Write a time with its interval, if it has one, all with one prefix."""
    text = units.human(wall, "s", like=like)
    if low is None or high is None:
        return text
    ends = (units.human(end, "s", like=like).partition(" ")[0] for end in (low, high))
    return f"{text} [{', '.join(ends)}]"
