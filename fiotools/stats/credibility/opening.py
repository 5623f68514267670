"""From the tables of a reading to its runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw

from fiotools.errors import SchemaError
from fiotools.stats.credibility.runs import Row, Run
from fiotools.stats.frames import values
from fiotools.stats.replicates import refuse_twice
from fiotools.tables.frames import Frames
from fiotools.vocabulary import TABLES

if TYPE_CHECKING:
    from fiotools.results import Results

_TABLES = (
    *("jobs", "settings", "io", "percentiles", "bins"),
    *("timings", "cpu", "disks", "extras", "notes"),
)


def runs(results: Results) -> list[Run]:
    """Take the tables of a reading apart by run."""
    tables = getattr(results, "tables", None)
    if not isinstance(tables, Frames):
        raise SchemaError(
            f"check() takes Results, as read() gives them, not {type(results).__name__}: "
            "the options and the commands stand in other tables than io"
        )
    for name in ("runs", "io"):
        if name not in tables:
            raise SchemaError(f"table {name!r} was not read: leave tables= out when reading")
    heads = _rows(tables.polars("runs"))
    refuse_twice(nw.from_native(tables.polars("io"), eager_only=True))
    keys = [(head["source"], head["run"]) for head in heads]
    if len(set(keys)) < len(keys):
        raise SchemaError("a run is there twice: was a file read twice?")
    parts: dict[tuple[Any, Any], dict[str, list[Row]]] = {
        key: {name: [] for name in _TABLES} for key in keys
    }
    for name in _TABLES:
        for row in _rows(tables.polars(name)) if name in tables else ():
            own = parts.get((row["source"], row["run"]))
            if own is not None:
                own[name].append(row)
    known = TABLES["runs"]
    return [
        Run(head, parts[key], {name: head[name] for name in head if name not in known})
        for key, head in zip(keys, heads, strict=True)
    ]


def _rows(frame: Any) -> list[Row]:
    data = nw.from_native(frame, eager_only=True)
    lists = [values(data, name) for name in data.columns]
    return [dict(zip(data.columns, row, strict=True)) for row in zip(*lists, strict=True)]
