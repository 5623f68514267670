"""Find or compute one number in the tables of a file.

A selector is small arithmetic over single cells::

    io.iops[volume == 'nvme' and direction == 'read' and scope == 'total']
    timings.real_s[cache == 'before'] / timings.real_s[cache == 'after']
    words.w2[w1 == 'Mem:'] * 1024
    rows.iops[mount == '9p' and round == 2]

A term is ``table.column[conditions]`` or a plain number; ``+``, ``*`` and ``/`` join terms. A table
is one of `Results`; or ``combined``, which is ``combine(io, to="run")`` over the threads; or
``rows``, those of a csv file with a header, for a table that an article printed; or ``words``, the
lines of a file split at blanks, for what no benchmark printed. The conditions must leave exactly
one row. A selector gives base units; the printed unit says how to scale them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd

from fiotools.errors import SchemaError
from fiotools.input.read import read
from fiotools.input.sources import find
from fiotools.rounding import digits
from fiotools.stats.combine import combine
from fiotools.tables.results import Results

_TOKEN = re.compile(
    r"(?P<table>[a-z]+)\.(?P<column>[a-z]\w*)(?:\[(?P<where>[^\]]*)\])?"
    r"|(?P<number>\d+(?:\.\d+)?(?:e\d+)?)|(?P<operator>[+*/])|(?P<blank>\s+)"
)
_CONDITION = re.compile(r"(\w+) == (?:'([^']*)'|(\d+(?:\.\d+)?))")


def evaluate(selector: str, source: Source) -> float:
    """Compute a selector: a sum of products.

    Parameters
    ----------
    selector : str
        As this module describes.
    source : Source
        Where its terms are looked up.

    Returns
    -------
    float
        The number, in base units.

    Raises
    ------
    SchemaError
        If it is malformed, or a term does not find exactly one value.
    """
    tokens = _tokens(selector)
    if len(tokens) % 2 == 0 or any(bool(t["operator"]) != at % 2 for at, t in enumerate(tokens)):
        raise SchemaError(f"{selector!r}: terms and + * / must take turns")
    values = [float(t["number"]) if t["number"] else source.value(t) for t in tokens[::2]]
    total, product = 0.0, values[0]
    for operator, value in zip(tokens[1::2], values[1:], strict=True):
        if operator[0] == "+":
            total, product = total + product, value
        else:
            product = product * value if operator[0] == "*" else product / value
    return total + product


def _tokens(selector: str) -> list[re.Match[str]]:
    tokens, at = [], 0
    while at < len(selector):
        token = _TOKEN.match(selector, at)
        if not token:
            raise SchemaError(
                f"{selector!r}: {selector[at:]!r} is not understood; "
                "a term is table.column[conditions] or a number"
            )
        at = token.end()
        if not token["blank"]:
            tokens.append(token)
    return tokens


class Source:
    """The raw files of one source, read once, when the first selector asks.

    Parameters
    ----------
    folder : Path
    name : str
        A file, or a path template, in the folder.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.path = f"{folder.as_posix()}/{name}"
        self.results: Results | None = None
        self.tables: dict[str, pd.DataFrame] = {}

    def value(self, term: re.Match[str]) -> float:
        """Find the one cell that a term names."""
        name, column, where = term["table"], term["column"], term["where"]
        frame = self.table(name)
        cells = _column(frame, column, name)
        for condition in where.split(" and ") if where else ():
            cells = cells[_holds(condition, frame, name)[cells.index]]
        if len(cells) != 1:
            raise SchemaError(f"{term[0]} finds {len(cells)} rows of {name}, and needs exactly one")
        cell = cells.iloc[0]
        if pd.isna(cell):
            raise SchemaError(f"{term[0]} finds a missing value")
        return float(digits(cell).value) if isinstance(cell, str) else float(cell)

    def table(self, name: str) -> pd.DataFrame:
        """Give one table of the files, and keep it for the next term."""
        if name not in self.tables:
            if name == "words":
                self.tables[name] = _words(_file(self.path))
            elif name == "rows":
                self.tables[name] = _rows(_file(self.path))
            elif name == "combined":
                io = self.table("io")
                self.tables[name] = combine(io[io["scope"] == "thread"], to="run")
            else:
                if self.results is None:
                    self.results = read(self.path)
                if name not in self.results.tables:
                    tables = ", ".join([*self.results.tables, "combined", "rows", "words"])
                    raise SchemaError(f"there is no table {name!r}; the tables are {tables}")
                self.tables[name] = self.results.tables[name]
        return self.tables[name]


def _holds(condition: str, frame: pd.DataFrame, table: str) -> pd.Series[bool]:
    part = _CONDITION.fullmatch(condition.strip())
    if not part:
        raise SchemaError(f"{condition!r} is no condition: write column == 'text' or column == 3")
    value = part[2] if part[3] is None else float(part[3])
    return _column(frame, part[1], table).eq(value).fillna(False).astype(bool)


def _column(frame: pd.DataFrame, column: str, table: str) -> pd.Series[Any]:
    if column not in frame.columns:
        raise SchemaError(f"{table} has no column {column!r}; it has {', '.join(frame.columns)}")
    return frame[column]


def _file(path: str) -> Path:
    """Give the one file that a source names."""
    files = find(path)
    if len(files) != 1:
        raise SchemaError(f"{path} names {len(files)} files, and needs exactly one")
    return files[0].path


def _rows(path: Path) -> pd.DataFrame:
    """Read a csv file with a header."""
    if path.suffix != ".csv":
        raise SchemaError(f"{path.as_posix()} is no .csv file, so it has no table 'rows'")
    return pd.read_csv(path)


def _words(path: Path) -> pd.DataFrame:
    """Split the lines of one file at blanks, into columns w1, w2, ..."""
    lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    width = max(map(len, lines), default=0)
    return pd.DataFrame(
        [line + [None] * (width - len(line)) for line in lines],
        columns=[f"w{number}" for number in range(1, width + 1)],
        dtype="str",
    )
