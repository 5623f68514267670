"""The words of an answer of `explain`: one line for each cell, and the sentences of its parts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from math import exp
from typing import Any

from fiotools import units
from fiotools.display import columns
from fiotools.display.columns import Mark, Sheet, SheetColumn, is_missing
from fiotools.files import common_folder
from fiotools.stats.explain import NOTHING, causes
from fiotools.tables.naming import short
from fiotools.vocabulary import ANSWERS
from fiotools.words import filled, named

Row = Mapping[str, Any]
_MARKS = {
    "cause": Mark("▶", "bad"),
    "part": Mark("·", "open"),
    "none": Mark("", "open"),
    NOTHING: Mark("=", "open"),
}
_FAR = 0.95  # of the difference: the rest is not worth a word


def labels_of(names: Iterable[str]) -> list[str]:
    """Name the columns that tell the cells apart; the sides stand last."""
    return [name for name in names if name not in ANSWERS["explain"]]


def cells(rows: Sequence[Row]) -> list[list[Row]]:
    """Part the rows of an answer by cell and level."""
    labels = labels_of(rows[0]) if rows else []
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in labels), []).append(row)
    return list(found.values())


def is_alone(rows: Sequence[Row]) -> bool:
    """Say whether the rows are of one side, and not of two that differ."""
    return all(is_missing(row["log_ratio"]) for row in rows)


def why(row: Row, say: Any = filled) -> str:
    """Say what was found of a part."""
    return causes.why(row["finding"], _values(row), say)


def remedy(row: Row, say: Any = filled) -> str:
    """Say what to do, or which evidence would decide."""
    return causes.remedy(row["finding"], _values(row), say)


def _values(row: Row) -> dict[str, Any]:
    details = {} if is_missing(row["details"]) else json.loads(row["details"])
    return {**details, **{name: row[name] for name in ANSWERS["explain"]}}


def largest(rows: Sequence[Row]) -> Row:
    """Return the part that ranks first: the cause, or what is unknown."""
    first = [row for row in rows if row["verdict"] == "cause"]
    if first:
        return first[0]
    known = [row for row in rows if not is_missing(row["share_pct"])]
    return max(known or rows, key=lambda row: row["share_pct"] or 0.0)


def times(rows: Sequence[Row]) -> float:
    """Multiply the parts of a cell: level / baseline."""
    return exp(sum(row["log_ratio"] for row in rows))


def headline(rows: Sequence[Row]) -> str:
    """Answer in one line."""
    first = largest(rows)
    if is_alone(rows):
        where = ", ".join(units.level(first[name], name) for name in labels_of(first))
        told = why(first)
        if first["verdict"] == "unknown":
            told = f"unknown: {told}"
        return named(where, told)
    *by, between = columns.named_by(list(first), "explain")
    own, base = units.sides(first[between], first["baseline"], between)
    metric = short(first["metric"])
    told = f"{metric} of {own}: {columns.figures(times(rows))} times {base}"
    where = ", ".join(units.level(first[name], name) for name in by)
    return named(where, f"{told}; {_because(rows, first)}")


def _because(rows: Sequence[Row], first: Row) -> str:
    if first["verdict"] == NOTHING:
        each = first["n"] == first["n_baseline"] == 1
        than = "single runs of one thing often do" if each else "their runs do"
        return f"nothing to explain: the sides differ no more than {than}"
    share = f"{first['share_pct']:.0f} %"
    if first["verdict"] == "unknown":
        return f"unknown: {share} of it is {causes.name(first['part'])}"
    more = [
        row
        for row in rows
        if row["verdict"] in ("part", "unknown") and row["share_pct"] > 0 and row is not first
    ]
    text = f"{causes.name(first['part'])}, {share} of it"
    if first["share_pct"] < 100 * _FAR and more:
        next_one = max(more, key=lambda row: row["share_pct"])
        text += f", and {causes.name(next_one['part'])}, {next_one['share_pct']:.0f} %"
    return text


def sheet(rows: Sequence[Row], names: Sequence[str], most: int | None = None) -> Sheet:
    """Lay an answer out: the parts that count, in the order of what they do."""
    several = cells(rows)
    alone = is_alone(rows)
    labels = labels_of(names) if len(several) > 1 else []
    shown: list[Row] = []
    for cell in several:
        counting = [row for row in cell if row["verdict"] not in ("none", NOTHING)]
        shown += sorted(counting, key=lambda row: -_rank(row))
    left = len(rows) - len(shown)
    kept = shown[:most]
    made = [SheetColumn(short(name), _levels(kept, name), keep=5) for name in labels]
    made += [
        SheetColumn(
            "limit" if alone else "part",
            [causes.name(row["part"]) for row in kept],
            keep=4,
            marks=[_MARKS.get(row["verdict"], columns.OPEN) for row in kept],
        ),
        SheetColumn(
            "of the time" if alone else "share", [_share(row) for row in kept], right=True, keep=4
        ),
    ]
    if not alone:
        ratios = [f"x {columns.figures(row['ratio'])}" for row in kept]
        made.append(SheetColumn("ratio", ratios, right=True, keep=2))
    made.append(SheetColumn("why", [why(row) for row in kept], keep=3, wraps=44))
    if not alone:
        options = ["" if is_missing(row["options"]) else row["options"] for row in kept]
        made.append(SheetColumn("options that differ", options, keep=1, wraps=24))
    made.append(
        SheetColumn("what to do", [remedy(row) for row in kept], keep=1, wraps=44, joins="\n> ")
    )
    made = [one for one in made if any(one.cells)] if kept else []
    lines = [headline(cell) for cell in several]
    notes = lines if len(lines) > 1 else []
    if left and kept:
        notes.append(f"{units.many(left, 'part')} below 10 % left out")
    if not alone and any(row["n"] == row["n_baseline"] == 1 for row in rows):
        notes.append("one run each: how far such runs differ is not known")
    title = lines[0] if len(lines) == 1 else "which limit binds" if alone else _asked(rows)
    return Sheet(made, title, notes)


def _levels(rows: Sequence[Row], name: str) -> list[str]:
    """Write the levels of a column; files without the folder that they share."""
    folder = common_folder([row[name] for row in rows]) if name == "source" else ""
    found = [row[name].removeprefix(folder) if folder else row[name] for row in rows]
    return columns.levels(found, name)


def _asked(rows: Sequence[Row]) -> str:
    between = columns.named_by(list(rows[0]), "explain")[-1]
    metrics = ", ".join(dict.fromkeys(short(row["metric"]) for row in rows))
    return f"why {metrics} of each {short(between)} differ"


def _share(row: Row) -> str:
    return "" if is_missing(row["share_pct"]) else f"{row['share_pct']:.0f} %"


def _rank(row: Row) -> float:
    if row["verdict"] == "cause":
        return float("inf")
    return 0.0 if is_missing(row["share_pct"]) else abs(row["share_pct"])
