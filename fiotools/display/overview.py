"""A `Results` at a glance: what there is, the first rows, and what the readers warned of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fiotools.display import layout
from fiotools.display.sheet import Sheet, grouped
from fiotools.display.table import Table
from fiotools.display.text import many
from fiotools.schema import TABLES

if TYPE_CHECKING:
    from fiotools.tables.results import Results

_FIRST = ("io", "timings", "percentiles", "samples", "bins", "runs")
# what a first look at `io` or `timings` wants to see
_SHOWN = (
    *("run", "job", "thread", "direction", "scope", "bs_bytes", "iodepth"),
    *("iops", "bw_bytes_per_s", "lat_mean_ns", "command", "real_s", "user_s", "sys_s"),
)
_MOST = 5


def sheet(results: Results, rows: int | None = None) -> Sheet:
    """Lay out a first look at results."""
    made = Sheet([])
    name = next((one for one in _FIRST if len(results.tables.get(one, ()))), None)
    if name is not None:
        frame = results.tables[name]
        labels = [one for one in frame if one not in TABLES[name]]
        shown = [*labels, *(one for one in _SHOWN if one in frame)]
        least = shown if name in ("io", "timings") else [*labels, *TABLES[name][1:]]
        part = Table(frame[least], _MOST if rows is None else min(rows, _MOST))
        made = layout.sheet(part)
        of = f"rows of .{name}, a few of their columns"
        made.notes = [note.replace("rows", of) for note in made.notes]
    made.title = f"Results: {str(results)[len('<Results: ') : -1]}"
    made.notes += _notes(results)
    return made


def _notes(results: Results) -> list[str]:
    """List what the readers warned of; the rest is in `notes`."""
    table = results.notes
    grave = table[table["severity"].isin(("warning", "error"))]
    if not len(grave):
        return []
    lines = grouped(grave["message"], list(grave["source"]))
    more = many(len(lines) - _MOST, "more warning")
    return lines[:_MOST] + ([f"and {more} in .notes"] if len(lines) > _MOST else [])
