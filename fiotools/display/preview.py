"""A first look at results: the rows of a table, in the most useful columns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fiotools.display import columns, layout
from fiotools.display.columns import Sheet
from fiotools.display.layout import Frame
from fiotools.errors import argument
from fiotools.files import common_folder
from fiotools.units import many
from fiotools.vocabulary import COLUMNS, CONDITIONS, KEYS, TABLES

if TYPE_CHECKING:
    import polars as pl

    from fiotools.tables.results import Results

_OVERVIEW = ("io", "timings", "percentiles", "samples", "bins", "runs")
# what a first look at `io` or `timings` wants to see
_SHOWN = (
    *("run", "job", "thread", "direction", "scope", "bs_bytes", "iodepth"),
    *("iops", "bw_bytes_per_s", "lat_mean_ns", "command", "real_s", "user_s", "sys_s"),
)
_MOST = 5
# what tells most, of all tables; the rest follows in the tables' own order
_FIRST = (
    *("direction", "percentile", "value_ns", "time_s", "value", "bin_lo_ns", "bin_hi_ns", "count"),
    *("job", "thread", "iops", "bw_bytes_per_s", "lat_mean_ns", "clat_mean_ns"),
    *("real_s", "user_s", "sys_s", "message", "severity", "line", "option", "text"),
    *("latency", "quantity", "bs_bytes", "iodepth", "scope", "lat_stddev_ns", "runtime_s"),
)
_LAST = ("source", "entry", "io_bytes", "total_ios", "port", "size_bytes", "command")


def overview(results: Results, rows: int | None = None) -> Sheet:
    """Lay out results at a glance: the first rows, and the warnings of the readers."""
    made = Sheet([])
    tables = results.tables
    name = next((one for one in _OVERVIEW if one in tables and tables.height(one)), None)
    if name is not None:
        frame = tables.polars(name)
        own = [one for one in frame.columns if one not in TABLES[name]]
        told = _SHOWN if name in ("io", "timings") else TABLES[name][1:]
        part = frame.select(own + [one for one in told if one in frame.columns])
        made = layout.plain(Frame(part, _MOST if rows is None else min(rows, _MOST)))
        of = f"rows of .{name}, a few of their columns"
        made.notes = [note.replace("rows", of) for note in made.notes]
    made.title = f"Results: {_counts(results)}"
    made.notes += _warnings(results)
    return made


def table(results: Results, frame: pl.DataFrame, name: str, rows: int, chosen: bool) -> Sheet:
    """Lay out rows of a table of results: the first, or all if ``rows`` is 0.

    If the columns are not chosen, those without values are left out.
    """
    told = [one for one in frame.columns if chosen or _tells(frame[one])]
    own = [one for one in told if one not in TABLES[name]]
    folder = common_folder(frame["source"]) if "source" in told else ""
    if folder:
        frame = frame.with_columns(frame["source"].str.strip_prefix(folder))
    shown = Frame(frame, rows or None)
    # the paths tell the rows apart where no label does
    paths = name == "notes" or (not own and "source" in told and frame["source"].n_unique() > 1)
    first = [*own, *["message"] * (name == "notes"), *["source"] * paths, *_FIRST]
    ranked = [*first, *(one for one in told if one not in _LAST), *told]
    # what a heading says can be typed
    left, shared = (told, "") if chosen else layout.folded(shown, told, columns.short)
    made = [layout.column(shown, one, columns.short(one), -ranked.index(one)) for one in left]
    if name == "notes":
        made = [replace(one, wraps=layout.WRAPS) if one.head == "source" else one for one in made]
    notes = [f"source: in {folder}"] if folder and "source" in left else []
    if not shown.size:
        made, notes, shared = [], [f"{name} has no rows in these files"], ""
    if rows and rows < shown.size:
        notes.append(f"the first {rows} of {shown.size:,} rows: {argument('rows', 0)} shows all")
    others = [
        f"{one} {count:,}"
        for one in results.tables
        if (count := results.tables.height(one)) and one not in (name, "notes")
    ]
    if others and not chosen:
        this = f"{name} is shown; " if shown.size else ""
        notes.append(f"{this}other tables ({argument('table')}): {', '.join(others)}")
    return Sheet(made, _counts(results), notes, shared)


def _counts(results: Results) -> str:
    return str(results)[len("<Results: ") : -1]


def _warnings(results: Results) -> list[str]:
    """List the warnings of the readers; the rest is in `notes`."""
    notes = results.tables.polars("notes")
    grave = notes.filter(notes["severity"].is_in(["warning", "error"]))
    if not len(grave):
        return []
    lines = layout.grouped(grave["message"], grave["source"].to_list())
    more = many(len(lines) - _MOST, "more warning")
    return lines[:_MOST] + ([f"and {more} in .notes"] if len(lines) > _MOST else [])


def _tells(column: pl.Series) -> bool:
    """Say whether a column has values other than zero."""
    there = column.drop_nulls()
    counts = column.name in COLUMNS and not COLUMNS[column.name].better
    zeros = there.dtype.is_numeric() and bool((there == 0).all())
    return len(there) > 0 and not (zeros and counts and column.name not in (*KEYS, *CONDITIONS))
