"""A first look at a table: its columns in order of what they tell, and what else there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fiotools.display import cells, columns
from fiotools.display.sheet import Sheet, shown
from fiotools.input import path_labels
from fiotools.vocabulary import COLUMNS, CONDITIONS, KEYS, TABLES

if TYPE_CHECKING:
    import polars as pl

    from fiotools.tables.results import Results

# what tells most, of all tables; the rest follows in the tables' own order
_FIRST = (
    *("direction", "percentile", "value_ns", "time_s", "value", "bin_lo_ns", "bin_hi_ns", "count"),
    *("job", "thread", "iops", "bw_bytes_per_s", "lat_mean_ns", "clat_mean_ns"),
    *("real_s", "user_s", "sys_s", "message", "severity", "line", "option", "text"),
    *("latency", "quantity", "bs_bytes", "iodepth", "scope", "lat_stddev_ns", "runtime_s"),
)
# beside keys and conditions, what is worth a line where all rows have it alike
_ALIKE = ("latency", "quantity", "tool", "tool_version", "format", "status", "exit_status")
_SENTENCES = ("message", "text", "command")
_LAST = ("source", "entry", "io_bytes", "total_ios", "port", "size_bytes", "command")


def sheet(
    results: Results, frame: pl.DataFrame, name: str, limit: int, column: list[str] | None
) -> Sheet:
    """Show the rows of a table, at most ``limit``, in the columns that tell most."""
    filled = [one for one in columns.of(frame) if column or _tells(frame[one])]
    own = [one for one in filled if one not in TABLES[name]]
    # the paths tell the rows apart where no label does
    paths = ["source"] if name == "notes" or _apart(frame, own) else []
    first = [*own, *(["message"] if name == "notes" else []), *paths, *_FIRST]

    def keep(one: str) -> int:
        if one in first:
            return 1000 - first.index(one)
        return 0 if one in _LAST else 100 - min(99, filled.index(one))

    part = frame.head(limit) if limit else frame
    folder = path_labels.common_folder(frame["source"]) if "source" in filled else ""
    if folder:
        part = part.with_columns(part["source"].str.strip_prefix(folder))
    made = Sheet(shown(part, filled, keep=keep), str(results)[len("<Results: ") : -1])
    for one in made.columns:
        one.wraps = one.head in _SENTENCES or (one.head == "source" and name == "notes")
        if one.head == "value" and "quantity" in part:
            one.cells = cells.each(part["value"].to_list(), part["quantity"].to_list())
    if not column:
        alike = [one for one in (*KEYS, *CONDITIONS, *_ALIKE) if one in frame]
        made.fold([columns.short(one) for one in alike if _is_one(frame[one])])
    if folder and any(one.head == "source" for one in made.columns):
        made.notes.append(f"source: in {folder}")
    if len(frame) == 0:
        made.columns = []
        made.notes = [f"{name} has no rows in these files"]
    if len(part) < len(frame):
        made.notes.append(f"the first {len(part)} of {len(frame):,} rows: --rows 0 shows all")
    others = [
        f"{one} {count:,}"
        for one in results.tables
        if (count := results.tables.height(one)) and one not in (name, "notes")
    ]
    if others and not column:
        this = f"{name} is shown; " if len(frame) else ""
        made.notes.append(f"{this}other tables (--table): {', '.join(others)}")
    return made


def _apart(frame: pl.DataFrame, own: list[str]) -> bool:
    return not own and "source" in frame and not _is_one(frame["source"])


def _is_one(column: pl.Series) -> bool:
    """Say whether all rows hold the same, those that are not shown too."""
    return column.n_unique() == 1


def _tells(column: pl.Series) -> bool:
    """Say whether a column is worth its place: something is in it, and not zeros alone."""
    there = column.drop_nulls()
    counts = column.name in COLUMNS and not COLUMNS[column.name].better
    return len(there) > 0 and not (
        counts and column.name not in (*KEYS, *CONDITIONS) and _is_zero(there)
    )


def _is_zero(there: pl.Series) -> bool:
    return there.dtype.is_numeric() and bool((there == 0).all())
