"""Why two sides differ: bars that add up from the baseline to the level, or to a side's time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp
from typing import Any

from fiotools import units
from fiotools.errors import SchemaError, argument
from fiotools.language import called, say
from fiotools.plot import words
from fiotools.plot.comparisons import answered
from fiotools.plot.kind import kind, records
from fiotools.plot.roles import Arguments
from fiotools.plot.spec import Axis, Level, Row, Spec
from fiotools.stats import frames
from fiotools.stats.explain import NOTHING, asked_of, causes
from fiotools.tables.results import Results
from fiotools.vocabulary import ANSWERS

_COLUMNS = ("part", "verdict", "log_ratio", "ratio", "seconds", "share_pct", "metric", "baseline")
_GIVE = "; give what explain() returned"
_LEAST = 0.01  # of the whole: smaller parts are one bar
_WHOLE, _OTHERS = "together", "all others"


def _explained(data: Any, asked: Arguments) -> Any:
    """Explain the results; a level has a panel if `by` names the column of the sides."""
    if not isinstance(data, Results):
        return data
    given = {name: asked.pop(name, None) for name in ("metric", "between", "baseline")}
    sides = [given["between"]] if given["between"] else data.labels
    by = [name for name in asked["by"] if name not in (*sides, "direction")]
    return asked_of(data, **given, by=by)


@kind(_explained)
def parts(
    explanation: Any,
    metric: str | None = None,
    *,
    between: str | None = None,
    baseline: Any = None,
) -> Spec:
    """Draw the parts of a difference, from the baseline to the level; or those of a side's time.

    The bars of two sides begin at 1, which is the baseline, and each goes on where the one above it
    ended, so that the last one reaches level / baseline. A bar to the left makes the metric
    smaller. Parts below 1 % are one bar.

    Parameters
    ----------
    explanation : Results, pandas.DataFrame or polars.DataFrame
        The answer of `explain`, which is asked for a `Results`.
    metric, between, baseline : optional
        Of a `Results`, as in `explain`.
    by, without, title, ax
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
    >>> res = ft.read("data/page-cache/{cache}.txt")
    >>> answer = ft.explain(res, "real_s", between="cache", baseline="before")
    >>> ax = ft.plot.parts(answer)
    >>> [row.y for row in ft.plot.spec("parts", answer).rows]
    ['system CPU', 'waiting', 'together']
    """
    del metric, between, baseline
    table = answered(explanation, _COLUMNS, "an explanation", _GIVE)
    labels = [name for name in table.columns if name not in ANSWERS["explain"]]
    cells = frames.groups(table, labels)
    if len(cells) > 1:
        apart = frames.differing(frames.columns(table, labels))
        raise SchemaError(f"several explanations: give each a panel, {argument('by', apart)}")
    rows = records(table)
    if all(row["log_ratio"] is None for row in rows):
        return _of_time(rows)
    return _of_ratio(rows, labels)


def _of_ratio(rows: Sequence[Mapping[str, Any]], labels: Sequence[str]) -> Spec:
    """Let the bars go from 1 to level / baseline."""
    whole = sum(row["log_ratio"] for row in rows)
    extent = max(abs(whole), max(abs(row["log_ratio"]) for row in rows))
    shown = [row for row in rows if abs(row["log_ratio"]) >= _LEAST * extent]
    rest = whole - sum(row["log_ratio"] for row in shown)
    groups = _groups()
    steps = [(_name(row["part"]), row["log_ratio"], _group(row["verdict"])) for row in shown]
    if len(shown) < len(rows) and abs(rest) >= _LEAST * extent:
        steps.append((say(_OTHERS), rest, groups[1]))
    drawn, levels, at = list[Row](), list[Level](), 0.0
    for name, size, group in [*steps, (say(_WHOLE), whole, groups[2])]:
        begin = at if group != groups[2] else 0.0
        ends = sorted((exp(begin), exp(begin + size)))
        text = words.factor(exp(size))
        texts = (text, f"{100 * size / whole:.0f} %" if whole else "-")
        levels.append(Level(ends[0], ends[1], ends[1], text=text, row=name, group=group))
        drawn.append(Row(exp(begin + size), name, texts=texts))
        at += size
    order = tuple(row.y for row in drawn)
    metric = words.wording(rows[0]["metric"])
    edges = [1.0, *(end for one in levels for end in (one.begin, one.end))]
    between = labels[-1]
    own, base = units.sides(rows[0][between], rows[0]["baseline"], between)
    return Spec(
        "rows",
        tuple(drawn),
        Axis(
            say(
                "{what}, {level} / {baseline}",
                what=metric,
                level=called(own),
                baseline=called(base),
            ),
            "x",
            log=True,
            ends=(min(edges) / 1.03, max(edges) * 1.03),
            bare=say("ratio of {what}", what=metric),
        ),
        Axis("", "", "", order=order),
        groups=groups,
        levels=tuple(levels),
        heads=(say("ratio"), say("share")),
        said=_said(rows, whole),
        notes=tuple(_notes(rows)),
        how=frozenset({"bars"}),
    )


def _of_time(rows: Sequence[Mapping[str, Any]]) -> Spec:
    """Let the bars add up to the time of an I/O, or of a command."""
    terms = [row for row in rows if row["seconds"]]
    if not terms:
        raise SchemaError("nothing to draw: no part of this side is a time")
    groups, whole = _groups(), sum(row["seconds"] for row in terms)
    binds = next((row for row in rows if row["verdict"] == "cause"), None)
    drawn, levels, at = list[Row](), list[Level](), 0.0
    for row in terms:
        name, size = _name(row["part"]), row["seconds"]
        text = words.human(size, "s")
        group = _group(row["verdict"])
        levels.append(Level(at, at + size, at + size, text=text, row=name, group=group))
        drawn.append(Row(at + size, name, texts=(text, f"{100 * size / whole:.0f} %")))
        at += size
    text = words.human(whole, "s")
    drawn.append(Row(whole, say(_WHOLE), texts=(text, "100 %")))
    levels.append(Level(0.0, whole, whole, text=text, row=say(_WHOLE), group=groups[2]))
    is_command = rows[0]["metric"] == "real_s"
    return Spec(
        "rows",
        tuple(drawn),
        Axis(
            say("time of the command") if is_command else say("time of an I/O"),
            "s",
            log=False,
            zero=True,
        ),
        Axis("", "", "", order=tuple(row.y for row in drawn)),
        groups=groups,
        levels=tuple(levels),
        heads=(say("time"), say("share")),
        said=say("limit: {name}", name=_name(binds["part"])) if binds else "",
        how=frozenset({"bars"}),
    )


def _groups() -> tuple[str, ...]:
    """Name the colours; the last one is grey."""
    return (say("cause"), say("part"), say("together"), say("unknown"))


def _group(verdict: str) -> str:
    cause, part, _, unknown = _groups()
    return {"cause": cause, "unknown": unknown}.get(verdict, part)


def _name(part: str) -> str:
    return say(causes.name(part))


def _said(rows: Sequence[Mapping[str, Any]], whole: float) -> str:
    """Say the answer in a line."""
    first = max(rows, key=lambda row: row["share_pct"] or 0.0)
    if first["verdict"] == NOTHING:
        return say("nothing to explain: the sides differ no more than their runs")
    values = {
        "times": words.factor(exp(whole)),
        "name": _name(first["part"]),
        "share": f"{first['share_pct']:.0f} %",
    }
    if first["verdict"] == "unknown":
        return say("{times}; unknown: {share} is {name}", **values)
    return say("{times}; cause: {name}, {share}", **values)


def _notes(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    if all(row["n"] == row["n_baseline"] == 1 for row in rows):
        return [say("one run each")]
    return []
