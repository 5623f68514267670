"""All runs of a reading: their rows are parted once, and the largest tables stay columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import polars as pl

from fiotools.errors import SchemaError
from fiotools.stats.check.latencies import Latencies
from fiotools.stats.check.runs import Options, RunFacts
from fiotools.stats.replicates import refuse_twice
from fiotools.tables.results import Frames
from fiotools.tables.totals import with_totals
from fiotools.vocabulary import TABLES

if TYPE_CHECKING:
    from fiotools.tables.results import Results

_TABLES = (*("jobs", "settings", "io", "threads", "timings", "cpu", "disks", "extras", "notes"),)
# what is asked of tables that have dozens of rows for each run
_ASKED = {"settings": ("entry", "option", "text", "origin"), "extras": ("path", "text")}


def refuse_frames(results: Any) -> None:
    """Refuse all but results: options and commands stand in other tables than io."""
    if not isinstance(getattr(results, "tables", None), Frames):
        raise SchemaError(
            f"check() takes Results, as read() gives them, not {type(results).__name__}: "
            "the options and the commands stand in other tables than io"
        )


@dataclass(frozen=True)
class Reading:
    """All runs of a reading, one by one, and in columns those of their tables that add up."""

    runs: list[RunFacts]
    latencies: Latencies
    io: pl.DataFrame  # with the number of the run (`nth`), its tool and its format
    threads: pl.DataFrame


def reading_of(results: Results) -> Reading:
    """Split the tables of a reading by run, and keep the columns of some."""
    tables = results.tables
    for name in ("runs", "io"):
        if name not in tables:
            raise SchemaError(f"table {name!r} was not read: leave tables= out when reading")
    of_runs = tables.polars("runs").fill_nan(None)
    heads = of_runs.rows(named=True)
    refuse_twice(nw.from_native(tables.polars("io"), eager_only=True))
    places = {(head["source"], head["run"]): nth for nth, head in enumerate(heads)}
    if len(places) < len(heads):
        raise SchemaError("a run is there twice: was a file read twice?")
    first = {head["source"]: head["run"] for head in reversed(heads)}
    parts: list[dict[str, list[Any]]] = [{name: [] for name in (*_TABLES, "totals")} for _ in heads]
    columns = {"threads": pl.DataFrame()}
    for name, frame in _frames(results):
        # a row about the whole file is of its first run
        whose = zip(frame["source"].to_list(), frame["run"].to_list(), strict=True)
        nth = [places.get((source, run or first.get(source))) for source, run in whose]
        asked = frame.select(_ASKED.get(name, frame.columns))
        rows: list[Any] = asked.rows() if name == "settings" else asked.rows(named=True)
        for at, row in zip(nth, rows, strict=True):
            if at is not None:
                parts[at][name].append(row)
        if name in ("io", "threads"):
            number = pl.Series("nth", nth, dtype=pl.Int64)
            of_run = [of_runs[column].gather(number) for column in ("tool", "format")]
            columns[name] = frame.with_columns(number, *of_run).filter(number.is_not_null())
    known, latencies = TABLES["runs"], Latencies(tables)
    labels = [name for name in heads[0] if name not in known] if heads else []
    same: dict[tuple[Any, ...], Options] = {}
    found = []
    for head, rows_of in zip(heads, parts, strict=True):
        given = tuple(rows_of.pop("settings"))
        if given not in same:
            same[given] = Options(given)
        named = {name: head[name] for name in labels}
        found.append(RunFacts(head, rows_of, named, latencies, same[given]))
    return Reading(found, latencies, **columns)


def _frames(results: Results) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the tables that are asked, and the totals of DISKSPD."""
    tables = results.tables
    for name in _TABLES:
        if name in tables:
            yield name, tables.polars(name).fill_nan(None)
    theirs = tables.polars("runs").filter(tool="diskspd")
    if len(theirs):
        own = tables.polars("io").join(theirs, on=["source", "run"], how="semi")
        yield "totals", with_totals(own).fill_nan(None)
