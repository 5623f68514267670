"""The page on the columns: the schema and the vocabulary."""

from __future__ import annotations

from collections.abc import Iterable

from fiotools.vocabulary import ANSWERS, COLUMNS, CONDITIONS, KEYS, ROWS, STATISTICS, TABLES, Column


def render() -> str:
    """Write ``columns.md``."""
    shared = (*KEYS, *CONDITIONS)
    parts = [
        "# Tables and columns",
        "",
        written_from("`fiotools/vocabulary.py`"),
        "",
        "`ft.describe(name)` says the same. Names are `quantity[_statistic]_unit`; units are base"
        " units only: bytes, seconds for durations, nanoseconds for latencies. Values that a"
        " file does not have are missing, never 0. [formats.md](formats.md) has the columns of each"
        " format.",
        "",
        "| type | in pandas | in polars |",
        "|---|---|---|",
        "| Int64 | `Int64` | `Int64` |",
        "| float64 | `float64`, missing is NaN | `Float64`, missing is null |",
        "| boolean | `boolean` | `Boolean` |",
        "| str | `str` | `String` |",
        '| datetime | `datetime64[ms, UTC]` | `Datetime("ms", "UTC")` |',
        "",
        "## Keys",
        "",
        "The origin and subject of a row, in all tables."
        " `(source, run, entry, direction)` joins `io`, `percentiles`, `bins` and `samples`. Labels"
        " of `read` come first.",
        "",
        _columns(COLUMNS[name] for name in KEYS),
        "## Conditions",
        "",
        "The options of a run, if the file has them: in `io`, and partly in other tables.",
        "",
        _columns(COLUMNS[name] for name in CONDITIONS),
    ]
    for table, names in TABLES.items():
        order = ", ".join(f"`{name}`" for name in names)
        parts += [
            f"## {table}",
            "",
            f"One row is {ROWS[table]}.",
            "",
            f"In order: {order}.",
            "",
            _columns(COLUMNS[name] for name in names if name not in shared),
        ]
    parts += [
        "## Columns of answers",
        "",
        "An answer has the columns of `by`, other columns of the given frame, and:",
        "",
        *(f"* `{name}`: {', '.join(f'`{c}`' for c in added)}" for name, added in ANSWERS.items()),
        "",
        "Columns without a unit are counts, texts, ratios, or in the unit of the metric.",
        "",
        _columns(STATISTICS.values()),
    ]
    return "\n".join(parts).rstrip() + "\n"


def _columns(columns: Iterable[Column]) -> str:
    """Describe columns, a row for each."""
    rows = [["column", "type", "unit", "better", "meaning", "in the tool's output"], ["---"] * 6]
    for c in columns:
        meaning = c.meaning + (f" *Derived:* {c.derived}." if c.derived else "")
        keys = "<br>".join(f"{tool}: `{key}`" for tool, key in c.keys.items())
        cells = [f"`{c.name}`", c.dtype, c.unit, c.better or "", meaning, keys]
        rows.append([cell.replace("|", "\\|") for cell in cells])
    # leave out columns that are empty in all rows
    used = [i for i in range(6) if any(cells[i] for cells in rows[2:])]
    return "\n".join(row(cells[i] for i in used) for cells in rows) + "\n"


def row(cells: Iterable[str]) -> str:
    """Write a row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def written_from(what: str) -> str:
    """Say where a page comes from."""
    return f"*Written by `python3 tasks.py docs` from {what}; do not edit.*"
