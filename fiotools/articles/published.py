"""Compare every number that an article printed with the same number from the raw data.

A data folder holds ``published.csv``, one row per number: where the article printed it, its digits,
how they were rounded, and a selector that finds or computes it in the raw files.

A selector is small arithmetic over single cells::

    io.iops[volume == 'nvme' and direction == 'read' and scope == 'total']
    timings.real_s[cache == 'before'] / timings.real_s[cache == 'after']
    words.w2[w1 == 'Mem:'] * 1024
    rows.iops[mount == '9p' and round == 2]

A term is ``table.column[conditions]`` or a plain number; ``+``, ``*`` and ``/`` join terms. The
conditions must leave exactly one row. A table is one of `Results`, or one of these:

* ``combined``: ``combine(io, to="run")`` over the threads;
* ``rows``: a csv file with a header, for a table that an article printed;
* ``words``: the lines of a file split at blanks, for text that no benchmark printed.

A selector gives base units; the printed unit says how to scale them.
"""

from __future__ import annotations

import csv
import re
from functools import cache, cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from fiotools import units
from fiotools.errors import SchemaError
from fiotools.input.read import read
from fiotools.input.sources import find
from fiotools.stats.combine import combine
from fiotools.tables.results import Results
from fiotools.units import ROUNDING, digits, interval

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
# relative: rounding errors of binary fractions (0.1 + 0.2) do not count, one byte of 79 GB does
_SLACK = 1e-12

_TOKEN = re.compile(
    r"(?P<table>[a-z]+)\.(?P<column>[a-z]\w*)(?:\[(?P<where>[^\]]*)\])?"
    r"|(?P<number>\d+(?:\.\d+)?(?:e\d+)?)|(?P<operator>[+*/])|(?P<blank>\s+)|(?P<other>.+)",
    re.DOTALL,
)
_CONDITION = re.compile(r"(\w+) == (?:'([^']*)'|(\d+(?:\.\d+)?))")


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
        recomputed (in the printed unit), lo and hi (the range of the number before it was
        printed), agrees, expected, basis, why.
        A number that is both read back and recomputed has two rows, with one place and quantity.
        The frame is empty if the article published its numbers only as pictures.

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
    sources: dict[str, _Source] = {}
    checked = []
    for place, row in _rows(path):
        source = sources.setdefault(row["source"], _Source(path.parent, row["source"]))
        try:
            checked.append(_check(row, source))
        except (SchemaError, ValueError, ZeroDivisionError) as error:
            raise SchemaError(f"{place}: {row['id']}: {error}") from error
    return pd.DataFrame(checked, columns=list(_FRAME)).astype(_FRAME)


def _rows(path: Path) -> list[tuple[str, dict[str, str]]]:
    """Read the rows of the csv with their places in it, and refuse malformed ones."""
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
        return f"{len(COLUMNS)} fields are needed; put a field with commas in quotes"
    for name, legal in _LEGAL.items():
        if row[name] not in legal:
            return f"{name}={row[name]!r} is not one of {', '.join(legal)}"
    if row["id"] in seen:
        return f"the id {row['id']!r} is there already"
    if (row["agrees"] == "no") != bool(row["why"]):
        return "give a reason in why if the number does not agree, and only then"
    return None


def _check(row: dict[str, str], source: _Source) -> dict[str, object]:
    # latencies of a selector are in ns, all other times in s
    base = "ns" if re.search(r"\w_ns\b", row["selector"]) else "s"
    scale = units.factor("s" if row["unit"] == "time" else row["unit"], base)
    value = _evaluate(row["selector"], source) / scale
    lo, hi = interval(row["printed"], row["rounding"])
    slack = _SLACK * max(abs(lo), abs(hi))
    above = value < hi - slack if row["rounding"] == "trunc" else value <= hi + slack
    agrees = lo - slack <= value and above
    found = {"recomputed": value, "lo": lo, "hi": hi, "agrees": agrees}
    return {**row, **found, "expected": row["agrees"] == "yes"}


def _evaluate(selector: str, source: _Source) -> float:
    """Compute a selector, a sum of products, in base units."""
    tokens = _tokens(selector)
    if len(tokens) % 2 == 0 or any(bool(t["operator"]) != at % 2 for at, t in enumerate(tokens)):
        raise SchemaError(f"{selector!r}: put one of + * / between terms")
    values = [float(t["number"]) if t["number"] else source.value(t) for t in tokens[::2]]
    total, product = 0.0, values[0]
    for operator, value in zip(tokens[1::2], values[1:], strict=True):
        if operator[0] == "+":
            total, product = total + product, value
        else:
            product = product * value if operator[0] == "*" else product / value
    return total + product


def _tokens(selector: str) -> list[re.Match[str]]:
    tokens = [token for token in _TOKEN.finditer(selector) if not token["blank"]]
    if tokens and (other := tokens[-1]["other"]):
        raise SchemaError(
            f"{selector!r}: {other!r} is not part of a selector; "
            "a term is table.column[conditions] or a number"
        )
    return tokens


class _Source:
    """The raw files of one source (a file or a path template), read once."""

    def __init__(self, folder: Path, name: str) -> None:
        self.path = f"{folder.as_posix()}/{name}"
        self.table = cache(self._read)

    @cached_property
    def results(self) -> Results:
        """The tables that `read` makes of them."""
        return read(self.path)

    def value(self, term: re.Match[str]) -> float:
        """Find the one cell that a term names."""
        name, column, where = term["table"], term["column"], term["where"]
        frame = self.table(name)
        cells = _column(frame, column, name)
        for condition in where.split(" and ") if where else ():
            cells = cells[_holds(condition, frame, name)[cells.index]]
        if len(cells) != 1:
            raise SchemaError(f"{term[0]} finds {len(cells)} rows of {name}, not exactly one")
        cell = cells.iloc[0]
        if pd.isna(cell):
            raise SchemaError(f"{term[0]} finds a missing value")
        return float(digits(cell).value) if isinstance(cell, str) else float(cell)

    def _read(self, name: str) -> pd.DataFrame:
        if name == "words":
            return _words(self._file())
        if name == "rows":
            path = self._file()
            if path.suffix != ".csv":
                raise SchemaError(
                    f"{path.as_posix()} is not a .csv file, so it has no table 'rows'"
                )
            return pd.read_csv(path)
        if name == "combined":
            io = self.table("io")
            return combine(io[io["scope"] == "thread"], to="run")
        if name not in self.results.tables:
            tables = ", ".join([*self.results.tables, "combined", "rows", "words"])
            raise SchemaError(f"there is no table {name!r}; the tables are {tables}")
        return self.results.tables[name]

    def _file(self) -> Path:
        """Return the one file that the source names."""
        files = find(self.path)
        if len(files) != 1:
            raise SchemaError(f"{self.path} names {len(files)} files, not exactly one")
        return files[0].path


def _holds(condition: str, frame: pd.DataFrame, table: str) -> pd.Series[bool]:
    part = _CONDITION.fullmatch(condition.strip())
    if not part:
        raise SchemaError(
            f"{condition!r} is not a condition: write column == 'text' or column == 3"
        )
    value = part[2] if part[3] is None else float(part[3])
    return _column(frame, part[1], table).eq(value).fillna(False).astype(bool)


def _column(frame: pd.DataFrame, column: str, table: str) -> pd.Series[Any]:
    if column not in frame.columns:
        raise SchemaError(f"{table} has no column {column!r}; it has {', '.join(frame.columns)}")
    return frame[column]


def _words(path: Path) -> pd.DataFrame:
    """Split the lines of one file at blanks, into columns w1, w2, ..."""
    lines = pd.Series(path.read_text(encoding="utf-8").splitlines(), dtype="str")
    return lines.str.split(expand=True).rename(columns=lambda at: f"w{at + 1}")
