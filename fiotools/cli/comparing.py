"""What `compare`, `speedup` and `plot ratios` share: the question, and its answer for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fiotools.cli import files, options, rows
from fiotools.display import cells, columns
from fiotools.display.sheet import Sheet, Shown, grouped, places, shown
from fiotools.schema import ANSWERS

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Question:
    """A question for `compare` or `speedup`, whose arguments are alike."""

    frame: pl.DataFrame
    metric: str
    arguments: dict[str, Any]


def asked(
    read: files.Reading,
    metric: str | None,
    sides: options.Sides,
    by: list[str] | None,
    kept: options.Rows,
    judging: options.Judging,
) -> Question:
    """Turn options into the arguments of the library's functions."""
    frame, name = rows.asked(read.results, metric, kept.table)
    between = columns.full(sides.between, frame) if sides.between else files.one_field(read)
    frame = rows.complete(rows.kept(frame, kept), kept, name, between)
    arguments = {
        **vars(judging),
        "between": between,
        "baseline": side(read, frame, between, sides.baseline),
        "by": [columns.full(column, frame) for column in columns.split(by)] or None,
        "pair": columns.full(judging.pair, frame) if judging.pair else None,
        "scope": None if kept.combine else kept.scope,
        "settings": read.table("settings") if read.results.tables.height("settings") else None,
    }
    return Question(frame, name, arguments)


def side(read: files.Reading, frame: pl.DataFrame, between: str, baseline: str | None) -> Any:
    """Give the baseline in its column's type: as it was typed, or the first that was named.

    The first is that of all that was read, and not of the rows that a filter left.
    """
    if between not in frame:
        return baseline
    if baseline is not None:
        return columns.value_of(frame, between, baseline)
    if between == "label" and read.first is not None:
        return read.first
    runs = read.table("runs")
    there = (runs if between in runs else frame)[between].drop_nulls()
    return there[0] if len(there) else None


def sheet(frame: pl.DataFrame, between: str) -> Sheet:
    """Show an answer of `compare` or `speedup`."""
    by = [name for name in columns.of(frame) if name not in (*ANSWERS["speedup"], between)]
    unit, metric = str(frame["unit"][0] or ""), str(frame["metric"][0])
    baseline = cells.column([frame["baseline"][0]], between)[0][0]
    what = "speedup" if "speedup" in frame else "ratio"
    own = [cells.cell(value, unit) for value in frame["center"]]
    base = [cells.cell(value, unit) for value in frame["center_baseline"]]
    ends = zip(frame[f"{what}_lo"], frame[f"{what}_hi"], strict=True)
    many = zip(frame["n"], frame["n_baseline"], strict=True)
    percents = sorted({f"{value:.0%}" for value in frame["confidence"].drop_nulls()})
    made = [
        *shown(frame, [*by, between], keep=lambda _: 10),
        Shown("n", [str(a) if a == b else f"{a}/{b}" for a, b in many], right=True, keep=6),
        Shown(columns.short(metric), own, right=True, keep=5),
        Shown(f"of {baseline}", base, right=True, keep=5),
        Shown(what, [cells.figures(value) for value in frame[what]], right=True, keep=9),
    ]
    if percents:
        texts = [cells.interval(low, high) for low, high in ends]
        made.append(Shown(f"{'/'.join(percents)} interval", texts, keep=7))
    made.append(Shown("verdict", frame["verdict"].to_list(), keep=8, wraps=True))
    if (frame["runs_needed"] > 0).any():
        more = ["" if cells.is_missing(n) or not n else f"+{n}" for n in frame["runs_needed"]]
        made.append(Shown("runs needed", more, right=True, keep=4))
    where = places(made[: len(by) + 1])
    notes = grouped(frame["warnings"], where)
    if frame["settings_differ"].null_count() < len(frame):
        notes.append("which options, and how they were set: fiotools compare FILES --settings")
    notes += [f"not named, and varies: {said}" for said in grouped(frame["varies_in"], where)]
    if frame["n"].max() == 1 == frame["n_baseline"].max():
        notes.append("several runs a side: NAME='FILES' for each, as in new='new/*.json'")
    each = "" if between == "label" else f" of each {columns.short(between)}"
    title = f"{columns.short(metric)}{each}, against {baseline}"
    return Sheet(made, title, notes)
