"""The least that reading these bytes can take: a parser known to be quick, and no frames."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_DD = re.compile(
    rb"(\d+)\+(\d+) records in\n(\d+)\+(\d+) records out\n"
    rb"(\d+) bytes (?:\(([^,)\n]+)(?:, ([^)\n]+))?\) )?copied, ([\d.e+-]+) s, ([\d.]+ \w+/s)\n"
)
_TIME = re.compile(rb"real\t(\d+)m([\d.]+)s\nuser\t(\d+)m([\d.]+)s\nsys\t(\d+)m([\d.]+)s")


def orjson_loads(path: str) -> Any:
    """Read each JSON file and let orjson parse it; a document is gone when the next one comes."""
    import orjson

    document = None
    for file in _files(path, "*.json"):
        document = orjson.loads(file.read_bytes())
    return document


def expat(path: str) -> None:
    """Read each XML file and let expat go through it, without a handler."""
    from xml.parsers.expat import ParserCreate

    for file in _files(path, "*.xml"):
        ParserCreate().Parse(file.read_bytes(), True)


def read_csv(path: str) -> Any:
    """Let polars read a log into a frame."""
    import polars as pl

    return pl.read_csv(path, has_header=False, schema=_schema(path))


def scan_csv(path: str) -> Any:
    """Let polars' streaming engine go through a log, and add every column up so that it is read."""
    import polars as pl

    lazy = pl.scan_csv(path, has_header=False, schema=_schema(path))
    return lazy.select(pl.all().sum()).collect(engine="streaming")


def scan_windows(path: str) -> Any:
    """Let polars' streaming engine sum up windows of a second: as many columns as ours has."""
    import polars as pl

    lazy = pl.scan_csv(path, has_header=False, schema=_schema(path))
    window = (pl.col("time") // 1000).alias("window")
    value, size = pl.col("value"), pl.col("bs").cast(pl.Int64)
    each = lazy.group_by(window, "direction").agg(
        pl.len(), size.sum(), mean=value.mean(), max=value.max()
    )
    return each.sort("window", "direction").collect(engine="streaming")


def numpy_fromstring(path: str) -> int:
    """Let numpy parse each line of a histogram log."""
    import numpy as np

    cells = 0
    with Path(path).open() as lines:
        for line in lines:
            cells += len(np.fromstring(line, dtype=np.int64, sep=","))
    return cells


def re_search(path: str) -> list[Any]:
    """Read each session, and search it once for dd's report and once for the times."""
    found = []
    for file in _files(path, "*.txt"):
        data = file.read_bytes()
        report, times = _DD.search(data), _TIME.search(data)
        found.append((report and report.groups(), times and times.groups()))
    return found


def re_finditer(path: str) -> int:
    """Find every report in one file, all of its fields."""
    return sum(len(found.groups()) for found in _DD.finditer(Path(path).read_bytes()))


def _files(path: str, pattern: str) -> list[Path]:
    place = Path(path)
    return [place] if place.is_file() else sorted(place.glob(pattern))


def _schema(path: str) -> dict[str, Any]:
    """Give the smallest types that hold such a log, which are those that `scan` takes."""
    import polars as pl

    types = {
        "time": pl.Int32,
        "value": pl.UInt32,
        "direction": pl.UInt8,
        "bs": pl.UInt32,
        "prio": pl.UInt8,
    }
    with Path(path).open() as lines:
        columns = lines.readline().count(",") + 1
    return dict([*types.items()][:columns])
