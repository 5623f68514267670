"""Any frame of ours as a sheet: what says something, each value with its unit and its interval.

Columns without a value are left out, and those that say the same in all rows are named once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from fiotools.display import cells, columns
from fiotools.display.sheet import Sheet, Shown, grouped, places
from fiotools.display.table import Table
from fiotools.display.text import many
from fiotools.vocabulary import COLUMNS, CONDITIONS, KEYS, STATISTICS

SAID = ("warnings", "varies_in", "settings_differ")  # below the table, and each thing once
# in the unit of the row's metric, which stands in the column `unit`
_MEASURED = (
    *("center", "center_baseline", "median", "mean", "stddev", "min", "max", "window_mean"),
    *("log_rate", "summary_rate", "observed", "limit", "stddev_within", "stddev_between"),
)
_SENTENCES = (
    *("verdict", "message", "text", "text_baseline", "command", "description", "why"),
    *("remedy", "basis", "note", "stragglers"),
)
# said once where it is the same in all rows; a figure is not, so that it is found in its place
_ASKED = ("confidence", "interval_s", "window", "tolerance_pct", "comparisons", "percentile")
_STEM = re.compile(r"(.*?)((?:_bytes_per_s|_bytes|_ns|_s|_pct)?)$")


def sheet(table: Table) -> Sheet:
    """Lay out a frame."""
    if not table.size:
        return Sheet([], "no rows")
    filled = [name for name in table.names if not table.is_empty(name)]
    ends = {end for name in filled for end in interval_of(name, filled)}
    names = [name for name in filled if name not in ends and name not in ("unit", *SAID)]
    if "verdict" in names and "met" in names:
        names.remove("met")  # the same in one word
    same = [name for name in names if _folds(name) and table.is_alike(name)]
    left = [name for name in names if name not in same]
    if not left:
        left, same = names, []
    made = Sheet([column(table, name) for name in left])
    alike = [f"{head(name)} {cells_of(table, name)[0]}" for name in same]
    made.above += [f"in all rows: {', '.join(alike)}"] if alike else []
    made.notes += said(table, [one for one in left if is_label(one)])
    made.notes += cut(table)
    return made


def column(table: Table, name: str, title: str = "") -> Shown:
    """Make a column: with the interval in the same cell, if there is one."""
    return Shown(
        title or head(name),
        cells_of(table, name),
        right=cells.is_numeric(table.columns[name], name),
        wraps=name in _SENTENCES,
        about=about(name),
    )


def about(name: str) -> str:
    """Say what a column means, for whoever points at its heading."""
    known = COLUMNS.get(name) or STATISTICS.get(name)
    return f"{name}: {known.meaning}" if known else ""


def head(name: str) -> str:
    """Write a heading.

    Examples
    --------
    >>> head("lat_mean_ns"), head("bw_bytes_per_s"), head("volume")
    ('lat mean', 'bw', 'volume')
    """
    known = name in COLUMNS or name in STATISTICS
    return columns.short(name).replace("_", " ") if known else name


def cells_of(table: Table, name: str) -> list[str]:
    """Write the values of a column, with their intervals if there are any."""
    values = table.columns[name]
    if name == "confidence":
        return [cells.NONE if value is None else f"{100 * value:g} %" for value in values]
    if name == "value" and "quantity" in table.columns:
        return cells.each(values, table.columns["quantity"])
    units = _units(table, name, len(values))
    ends = interval_of(name, table.names)
    if not ends and len(set(units)) < 2:
        return cells.column(values, name, *units[:1])[0]
    near = {unit: cells.like(_of(values, units, unit), unit) for unit in set(units)}
    lows, highs = ([table.columns[end] for end in ends]) or ([None] * len(values),) * 2
    rows = zip(values, lows, highs, units, strict=True)
    return [cells.within(*row, like=near[row[-1]]) for row in rows]


def _of(values: Sequence[Any], units: Sequence[str], unit: str) -> list[Any]:
    return [value for value, own in zip(values, units, strict=True) if own == unit]


def _units(table: Table, name: str, rows: int) -> list[str]:
    """Give the unit of each row: the column's own, or of the metric that the row is about."""
    if name in _MEASURED and "unit" in table.columns and not cells.unit_of(name):
        return [unit or "" for unit in table.columns["unit"]]
    return [cells.unit_of(name)] * rows


def interval_of(name: str, names: Sequence[str]) -> tuple[str, ...]:
    """Name the columns of a value's interval, where it has one.

    Examples
    --------
    >>> interval_of("value_ns", ["value_ns", "value_lo_ns", "value_hi_ns"])
    ('value_lo_ns', 'value_hi_ns')
    >>> interval_of("ratio", ["ratio"])
    ()
    """
    found = _STEM.fullmatch(name)
    stem, unit = found.groups() if found else (name, "")
    ends = (f"{stem}_lo{unit}", f"{stem}_hi{unit}")
    return ends if set(ends) <= set(names) and name in names else ()


def said(table: Table, labels: Sequence[str]) -> list[str]:
    """List what is to be known of the rows, each thing once."""
    where = places([column(table, name) for name in labels])
    notes: list[str] = []
    for name, words in (("warnings", "{}"), ("settings_differ", "not set alike: {}")):
        if name in table.columns:
            notes += [words.format(one) for one in grouped(table.columns[name], where)]
    if "varies_in" in table.columns:
        varies = grouped(table.columns["varies_in"], where)
        notes += [f"not named, and varies: {one}" for one in varies]
    return notes


def cut(table: Table) -> list[str]:
    """Say how many rows are not shown."""
    there = len(next(iter(table.columns.values()), ()))
    return [f"the first {there} of {many(table.size, 'row')}"] if there < table.size else []


def is_label(name: str) -> bool:
    """Say whether a column tells rows apart, rather than says something of them."""
    known = (*KEYS, *CONDITIONS, "latency", "percentile", "quantity", "option")
    return name in known or name not in (*COLUMNS, *STATISTICS)


def _folds(name: str) -> bool:
    known = COLUMNS.get(name) or STATISTICS.get(name)
    figure = known is not None and known.dtype in ("Int64", "float64")
    return name != "verdict" and (not figure or name in (*KEYS, *CONDITIONS, *_ASKED))
