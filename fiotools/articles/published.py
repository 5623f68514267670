"""Compare every number that an article printed with the same number from the raw data.

A data folder holds ``published.csv``, one row per number: where the article printed it, its digits,
how they were rounded, and a selector (`fiotools.articles.selector`) that finds or computes it in
the raw files.
"""

from __future__ import annotations

import csv
import re
from os import PathLike
from pathlib import Path

import pandas as pd

from fiotools import units
from fiotools.articles.selector import Source, evaluate
from fiotools.errors import SchemaError
from fiotools.rounding import ROUNDING, interval

COLUMNS = (
    *("id", "place", "quantity", "unit", "printed", "rounding", "basis"),
    *("source", "selector", "agrees", "why"),
)
_LEGAL = {
    "rounding": tuple(ROUNDING),
    "basis": ("recomputed", "transcribed"),
    "agrees": ("yes", "no"),
}
_FRAME = {
    **dict.fromkeys(("id", "place", "quantity", "unit", "printed", "rounding"), "str"),
    **dict.fromkeys(("recomputed", "lo", "hi"), "float64"),
    **dict.fromkeys(("agrees", "expected"), "bool"),
    **dict.fromkeys(("basis", "why"), "str"),
}
# relative: what binary fractions leave over (0.1 + 0.2) is no difference, one byte of 79 GB is
_SLACK = 1e-12


def published(folder: str | PathLike[str]) -> pd.DataFrame:
    """Compare the numbers of ``published.csv`` in a data folder with the folder's raw files.

    Parameters
    ----------
    folder : path
        A folder with ``published.csv`` and the files that it names.

    Returns
    -------
    pandas.DataFrame
        One row per check: id, place, quantity, unit, printed, rounding (round, trunc, exact),
        recomputed (in the printed unit), lo and hi (between which the number lay before it was
        printed), agrees, expected, basis, why.
        A number that is both read back and recomputed has two rows, with one place and quantity.
        No rows where an article published its numbers only as pictures.

    Raises
    ------
    SchemaError
        If a row of the csv is malformed, or its selector does not find exactly one value.

    Examples
    --------
    >>> import fiotools as ft
    >>> seen = ft.published("data/page-cache")
    >>> len(seen), int(seen["agrees"].sum())
    (24, 23)
    >>> seen[~seen["agrees"]][["printed", "recomputed", "lo", "hi"]].round(2)
       printed  recomputed   lo    hi
    23      10        9.36  9.5  10.5
    """
    path = Path(folder) / "published.csv"
    sources: dict[str, Source] = {}
    checked = []
    for place, row in _rows(path):
        source = sources.setdefault(row["source"], Source(path.parent, row["source"]))
        try:
            checked.append(_check(row, source))
        except (SchemaError, ValueError, ZeroDivisionError) as error:
            raise SchemaError(f"{place}: {row['id']}: {error}") from error
    return pd.DataFrame(checked, columns=list(_FRAME)).astype(_FRAME)


def _rows(path: Path) -> list[tuple[str, dict[str, str]]]:
    """Read the rows of the csv with their places in it, and refuse what is malformed."""
    rows = []
    with path.open(encoding="utf-8", newline="") as file:
        lines = csv.DictReader(file, strict=True)
        if tuple(lines.fieldnames or ()) != COLUMNS:
            raise SchemaError(f"{path.as_posix()}:1: the columns must be {','.join(COLUMNS)}")
        seen: set[str] = set()
        for row in lines:
            place = f"{path.as_posix()}:{lines.line_num}"
            if fault := _fault(row, seen):
                raise SchemaError(f"{place}: {fault}")
            seen.add(row["id"])
            rows.append((place, row))
    return rows


def _fault(row: dict[str, str], seen: set[str]) -> str | None:
    """Say what is wrong with a row of the csv, if anything is."""
    if len(row) != len(COLUMNS) or None in row.values():
        return f"{len(COLUMNS)} fields are needed, in quotes where they hold commas"
    for name, legal in _LEGAL.items():
        if row[name] not in legal:
            return f"{name}={row[name]!r} is not one of {', '.join(legal)}"
    if row["id"] in seen:
        return f"the id {row['id']!r} is there already"
    if (row["agrees"] == "no") != bool(row["why"]):
        return "a number that does not agree, and only such a number, needs its reason in why"
    return None


def _check(row: dict[str, str], source: Source) -> dict[str, object]:
    scale = units.factor("s" if row["unit"] == "time" else row["unit"], _base(row))
    value = evaluate(row["selector"], source) / scale
    lo, hi = interval(row["printed"], row["rounding"])
    slack = _SLACK * max(abs(lo), abs(hi))
    above = value < hi - slack if row["rounding"] == "trunc" else value <= hi + slack
    return {
        **{name: row[name] for name in ("id", "place", "quantity", "unit", "printed", "rounding")},
        "recomputed": value,
        "lo": lo,
        "hi": hi,
        "agrees": lo - slack <= value and above,
        "expected": row["agrees"] == "yes",
        "basis": row["basis"],
        "why": row["why"],
    }


def _base(row: dict[str, str]) -> str:
    """Say the base unit of the selector's times: latencies are in ns, all else in s."""
    return "ns" if re.search(r"\w_ns\b", row["selector"]) else "s"
