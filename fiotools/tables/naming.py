"""Names as people type them: without the unit, and several with commas.

A column may be named as the heading of a table names it: ``lat_mean`` for ``lat_mean_ns``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from fiotools import units
from fiotools.errors import SchemaError, similar
from fiotools.vocabulary import EVERY

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

_UNITS = {"_bytes_per_s": "B/s", "_bytes": "B", "_ns": "ns", "_s": "s", "_pct": "%"}
UNIT = re.compile(rf"(?:{'|'.join(_UNITS)})$")  # the end of a name
PERCENTILE = re.compile(r"p[\d.]+_ns")  # one percentile of each run, which the command line makes
# where a metric is looked for, in this order
MEASURED = ("io", "timings", "percentiles", "samples", "cpu", "disks", "bins", "jobs", "runs")


# what people call a metric, and its column here
SYNONYMS = {
    **dict.fromkeys(("bandwidth", "throughput", "rate"), "bw"),
    **dict.fromkeys(("latency", "lat"), "lat_mean"),
    "clat": "clat_mean",
    "slat": "slat_mean",
    **dict.fromkeys(("time", "elapsed", "wall"), "real"),
}


def short(name: str) -> str:
    """Leave out the unit: ``lat_mean`` of ``lat_mean_ns``."""
    return UNIT.sub("", name) if unit_of(name) else name


def full(name: str, columns: Iterable[Any]) -> str:
    """Return the full name of a column; an unknown name stays as it is."""
    there = [str(column) for column in getattr(columns, "columns", columns)]
    if name in there:
        return name
    return next((column for column in there if short(column) == name), name)


def of_metric(name: str, columns: Iterable[Any]) -> str:
    """Return the full name of a metric, which people may call otherwise: bandwidth, latency."""
    there = [str(column) for column in getattr(columns, "columns", columns)]
    column = full(name, there)
    if column in there or name not in SYNONYMS:
        return column
    meant = full(SYNONYMS[name], there)
    return meant if meant in there else name


def fulls(given: Sequence[str] | None, frame: Any) -> list[str] | None:
    """Read names that were given one by one or with commas, in full; None if there are none."""
    return [full(name, frame) for name in split(given)] or None


def found(name: str, frame: IntoDataFrame, option: str) -> str:
    """Find the column that an option names, or suggest similar names."""
    there = of(frame)
    column = of_metric(name, there)
    if column not in there:
        hint = similar(name, map(short, there))
        raise SchemaError(f"{option}: there is no column {name!r}{hint}")
    return column


def of(frame: Any) -> list[str]:
    """Name the columns of a frame."""
    return [str(name) for name in frame.columns]


def split(given: Sequence[str] | None) -> list[str]:
    """Read names that were given one by one or with commas."""
    return [name.strip() for text in given or () for name in text.split(",") if name.strip()]


def value_of(frame: IntoDataFrame, column: str, text: str) -> Any:
    """Read a value in the type of its column: ``4k`` of bytes, ``8`` of numbers, else the text."""
    import narwhals as nw

    kind = nw.from_native(frame, eager_only=True).schema[column]
    if isinstance(kind, nw.Boolean):
        said = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
        if text.lower() in said:
            return said[text.lower()]
        raise SchemaError(f"{column} is true or false, not {text!r}")
    if not kind.is_numeric():
        return text
    try:
        return units.amount(text, unit_of(column))
    except ValueError:
        raise SchemaError(f"{column} holds numbers, not {text!r}") from None


def unit_of(column: str) -> str:
    """Return a column's base unit; a column that is not ours has the unit at its name's end."""
    if known := EVERY.get(column):
        return known.unit
    end = UNIT.search(column)
    return _UNITS[end[0]] if end else ""
