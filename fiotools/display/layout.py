"""Any frame of ours as a table: each value with its unit and its interval.

Columns without a value are left out, and columns with one value in all rows are named once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from fiotools.display import cells, columns
from fiotools.display.frame import Frame
from fiotools.display.model import Column, Sheet
from fiotools.language import listed, places, say, spoken
from fiotools.plain_text import printable
from fiotools.vocabulary import CONDITIONS, EVERY, KEYS

WRAPS = 24  # letters that a line of a sentence has at least
_SAID = ("warnings", "varies_in", "settings_differ")  # below the table, and each thing once
# in the unit of the row's metric, which stands in the column `unit`
_MEASURED = (
    *("center", "center_baseline", "median", "mean", "stddev", "min", "max", "window_mean"),
    *("log_rate", "summary_rate", "observed", "limit", "stddev_within", "stddev_between"),
)
_SENTENCES = (
    *("verdict", "message", "text", "text_baseline", "command", "description", "why"),
    *("remedy", "basis", "note", "stragglers"),
)
# named once if it is the same in all rows; a measured number stays in its column
_ASKED = ("confidence", "interval_s", "window", "tolerance_pct", "comparisons", "percentile")
_STEM = re.compile(r"(.*?)((?:_bytes_per_s|_bytes|_ns|_s|_pct)?)$")
_NUMBER = re.compile(r"\d[\d.,]*")


def sheet(frame: Frame) -> Sheet:
    """Lay out a frame."""
    if not frame.size:
        return Sheet([], say("no rows"))
    filled = [name for name in frame.names if not frame.is_empty(name)]
    ends = {end for name in filled for end in interval_of(name, filled)}
    names = [name for name in filled if name not in ends and name not in ("unit", *_SAID)]
    if "verdict" in names and "met" in names:
        names.remove("met")  # the same in one word
    names, shared = folded(frame, names)
    made = [column(frame, name, keep=_worth(frame, name)) for name in names]
    return Sheet(made, notes=[*said(frame, filter(is_label, names)), *cut(frame)], shared=shared)


def column(frame: Frame, name: str, title: str = "", keep: int = 0) -> Column:
    """Make a column: with the interval in the same cell, if there is one."""
    return Column(
        title or head(name),
        cells_of(frame, name),
        right=cells.is_numeric(frame.columns[name], name),
        keep=keep,
        wraps=WRAPS if name in _SENTENCES else 0,
        about=about(name),
    )


def about(name: str) -> str:
    """Say what a column means, as a tooltip of its heading."""
    known = EVERY.get(name)
    return f"{name}: {known.meaning}" if known else ""


def head(name: str) -> str:
    """Write a heading.

    Examples
    --------
    >>> head("lat_mean_ns"), head("bw_bytes_per_s"), head("volume")
    ('lat mean', 'bw', 'volume')
    """
    known = name in EVERY
    return columns.short(name).replace("_", " ") if known else name


def cells_of(frame: Frame, name: str) -> list[str]:
    """Write the values of a column, with their intervals if there are any."""
    values = frame.columns[name]
    if name == "confidence":
        return [cells.NONE if value is None else f"{100 * value:g} %" for value in values]
    if name == "value" and "quantity" in frame.columns:
        return cells.each(values, frame.columns["quantity"])
    units = _units(frame, name, len(values))
    ends = interval_of(name, frame.names)
    if not ends and len(set(units)) < 2:
        return cells.column(values, name, *units[:1])[0]
    near = {unit: cells.like(_of(values, units, unit), unit) for unit in set(units)}
    lows, highs = ([frame.columns[end] for end in ends]) or ([None] * len(values),) * 2
    rows = zip(values, lows, highs, units, strict=True)
    return [cells.within(*row, like=near[row[-1]]) for row in rows]


def _of(values: Sequence[Any], units: Sequence[str], unit: str) -> list[Any]:
    return [value for value, own in zip(values, units, strict=True) if own == unit]


def _units(frame: Frame, name: str, rows: int) -> list[str]:
    """Give the unit of each row: the column's own, or of the metric that the row is about."""
    if name in _MEASURED and "unit" in frame.columns and not cells.unit_of(name):
        return [unit or "" for unit in frame.columns["unit"]]
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


def folded(
    frame: Frame, names: Sequence[str], title: Callable[[str], str] = head
) -> tuple[list[str], str]:
    """Return the columns that differ, and a line with the values of the others."""
    same = [name for name in names if _folds(name) and frame.is_alike(name)]
    if len(same) == len(names):  # a table has a column
        same = []
    alike = [f"{title(name)} {cells_of(frame, name)[0]}" for name in same]
    shared = say("in all rows: {values}", values=listed(alike)) if alike else ""
    return [name for name in names if name not in same], shared


def said(frame: Frame, labels: Iterable[str]) -> list[str]:
    """List the notes of the rows, each once."""
    shown = [cells.levels(frame.columns[name], name) for name in labels]
    where = [" ".join(row) for row in zip(*shown, strict=True)]
    notes: list[str] = []
    for name, words in (
        ("warnings", ""),
        ("settings_differ", "options that differ: {names}"),
        ("varies_in", "varies, and is not named: {names}"),
    ):
        if name in frame.columns:
            found = grouped(frame.columns[name], where)
            notes += [say(words, names=one) if places(words) else one for one in found]
    return notes


def grouped(notes: Iterable[Any], where: Sequence[str]) -> list[str]:
    """List the notes of rows, each once though its numbers differ, with the rows they are about."""
    where = where or [""]  # one row, of everything
    said: dict[str, tuple[str, list[str]]] = {}
    for text, place in zip(notes, where, strict=True):
        for note in [] if cells.is_missing(text) else printable(str(text)).split("; "):
            said.setdefault(_NUMBER.sub("#", note), (note, []))[1].append(place)
    lines = []
    for note, rows in said.values():
        few = list(dict.fromkeys(row for row in rows if row))
        names = [listed(few[:2]), *([say("and {n} more", n=len(few) - 2)] if few[2:] else [])]
        told = spoken(note)
        if len(rows) < len(where):
            told = say("{said} ({names})", said=told, names=listed(names, "; "))
        lines.append(told)
    return lines


def cut(frame: Frame) -> list[str]:
    """Say how many rows are not shown."""
    there = len(next(iter(frame.columns.values()), ()))
    return [first_rows(there, frame.size)] if there < frame.size else []


def first_rows(shown: int, rows: int) -> str:
    """Say how many of the rows a table shows."""
    return say("the first {n} of {total} rows", n=shown, total=f"{rows:,}")


def is_label(name: str) -> bool:
    """Say whether a column tells rows apart."""
    asked = ("latency", "percentile", "quantity", "option", "difference_pct", "power")
    known = (*KEYS, *CONDITIONS, *asked)
    return name in known or name not in EVERY


def _worth(frame: Frame, name: str) -> int:
    """Rank a column for tables that are too narrow for all."""
    if name == "verdict" or name not in EVERY:
        return 3
    if interval_of(name, frame.names):
        return 2
    return 0 if name in ("source", "run", "entry") else 1


def _folds(name: str) -> bool:
    known = EVERY.get(name)
    figure = known is not None and known.dtype in ("Int64", "float64")
    return name != "verdict" and (not figure or name in (*KEYS, *CONDITIONS, *_ASKED))
