"""The columns of the rows, the curves and the axis, found in results where none was named.

What tells the runs apart gets the role: the labels of the paths first. Runs that are unlike make no
curve and no row together in silence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import polars as pl

from fiotools.errors import SchemaError, argument, typed, warn
from fiotools.stats import frames
from fiotools.stats.order import ROUND
from fiotools.stats.replicates import in_one_scope
from fiotools.tables import naming
from fiotools.tables.results import Results

Arguments: TypeAlias = dict[str, Any]

# a row of these is a part of a run, so the total beside them is left out
_PARTS = frozenset(("thread", "job", "target", "entry", "host", "group", "scope"))
_WITHIN = ("source", "job", "thread", "direction", "command")  # may tell rows of files apart
_COLOURS = ("label", "direction")
AXES = ("bs_bytes", "iodepth", "numjobs")  # conditions of a sweep that are numbers
_CURVES = ("source", *AXES, "rw", "target", *_WITHIN[1:])  # may name the curves of it


def differs(table: pl.DataFrame, name: str) -> bool:
    """Say whether rows have different values of a column; a missing value is none."""
    return name in table and table[name].drop_nulls().n_unique() > 1


def found(
    results: Results,
    table: pl.DataFrame,
    role: str,
    *,
    x: str | None = None,
    within: Sequence[str] = _WITHIN,
) -> str | None:
    """Return the column of a role that was not named: a label, or one that differs.

    With an axis, one that only says at which of its values a run stands names no curves.
    """
    labels = [one for one in results.labels if one in table and _names_curves(table, one, x)]
    # rounds are repeats: they name rows if nothing else does, and no curves
    sides = [one for one in labels if one != ROUND] or (labels if role == "y" else [])
    sides = [one for one in sides if differs(table, one)] or sides
    # numbers are often those of repeats
    sides = [one for one in sides if not table[one].dtype.is_numeric()] or sides
    if len(sides) > 1:
        there = ", ".join(sides)
        raise SchemaError(f"the paths hold {there}: name the column of the rows, {argument(role)}")
    differ = (one for one in within if differs(table, one) and not table[one].null_count())
    return sides[0] if sides else next((n for n in differ if _names_curves(table, n, x)), None)


def _colours(table: pl.DataFrame, name: str, y: str) -> bool:
    """Say whether a column gives colours: not one with gaps, if the rows tell its values apart."""
    gaps = table[name].null_count() if name in table else 0
    apart = (
        bool(gaps)
        and y in table
        and table.group_by(y).agg(pl.col(name).n_unique())[name].max() == 1
    )
    return differs(table, name) and not apart


def _names_curves(table: pl.DataFrame, name: str, x: str | None) -> bool:
    if x is None or not differs(table, x):
        return True
    return name != x and any(len(own[x].unique()) > 1 for own in table.partition_by(name))


def rows(results: Results, table: pl.DataFrame, asked: Arguments) -> pl.DataFrame:
    """Name the rows and the colours of runs; return the rows of one scope."""
    panels = asked.get("by", ())
    if asked.get("y") is None:
        asked["y"] = found(results, table, "y") or "source"
    if "hue" not in asked:
        unnamed = (one for one in _COLOURS if one not in (asked["y"], *panels))
        asked["hue"] = next((one for one in unnamed if _colours(table, one, asked["y"])), None)
    return whole(table, asked)


def whole(table: pl.DataFrame, asked: Arguments) -> pl.DataFrame:
    """Keep the totals of runs, unless their parts are drawn."""
    shown = [one for role in ("y", "hue") if (one := asked.get(role))]
    return table if {*shown} & _PARTS else in_one_scope(table, None, shown)


def curves(
    results: Results,
    table: pl.DataFrame,
    asked: Arguments,
    axes: Sequence[str] = AXES,
    ways: Sequence[str] = ("hue", "by"),
) -> None:
    """Name the axis of a sweep and its curves; refuse curves of runs that are unlike."""
    if asked.get("x") is None:
        numbers = (one for one in results.labels if one in table and table[one].dtype.is_numeric())
        asked["x"] = next((one for one in (*axes, *numbers) if differs(table, one)), axes[0])
    if asked.get("hue") is None:
        asked["hue"] = found(results, table, "hue", x=asked["x"], within=_CURVES)
    apart = [one for one in (asked["hue"], *asked.get("by", ())) if one]
    cells = table.partition_by(apart) if apart else [table]
    for name in ("direction", *AXES, "rw"):
        if name != asked["x"] and any(differs(own, name) for own in cells):
            values = frames.distinct(table[name].drop_nulls())
            short, either = naming.short(name), " or ".join(map(argument, ways))
            keep = typed(f'.where("{short}={values[0]}")', f"--where {short}={values[0]}")
            raise SchemaError(
                f"the runs of one curve differ in {short} ({', '.join(map(str, values))}): "
                f"name it in {either}, or keep one, {keep}"
            )
    if not apart and differs(table, "source"):
        ways = typed("a path template", "a path template or NAME=FILES")
        warn(f"all files are one curve: {argument('hue')} or {ways} names several")
    ordered(table, asked, "hue")


def panels(table: pl.DataFrame, asked: Arguments, names: Sequence[str]) -> None:
    """Give panels to those of some columns that differ within what one plot would show."""
    for name in names:
        shown = {*asked["by"], *(asked.get(role) for role in ("hue", "y", "x"))}
        if name not in shown and differs(table, name):
            asked["by"] = [*asked["by"], name]


def ordered(table: pl.DataFrame, asked: Arguments, role: str) -> None:
    """Read the values of ``order`` in the type of the column of a role."""
    order = asked.get("order")
    if not order:
        asked.pop("order", None)
        return
    if asked.get(role) is None:
        names = argument(role)
        raise SchemaError(f"{argument('order')} needs several lines: name them with {names}")
    asked["order"] = [
        naming.value_of(table, asked[role], one) if isinstance(one, str) else one for one in order
    ]
