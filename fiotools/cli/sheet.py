"""A table in a terminal: what fits the width, in order of importance, with notes below.

What does not fit is left out and named; machines have ``--format json`` and ``csv``.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Sequence

from fiotools.cli import stream
from fiotools.display.sheet import Sheet, Shown
from fiotools.display.text import length

_GAP = 2
_PLAIN_WIDTH = 120  # of a file or a pipe
_NARROWEST = 24  # of a column whose text is wrapped
_LONGEST = 48  # of one whose text is not

STYLES = {
    "faster": "green",
    "better": "green",
    "higher": "green",
    "slower": "red",
    "worse": "red",
    "lower": "red",
    "ok": "green",
    "suspect": "yellow",
    "impossible": "bold red",
    "error": "red",
    "warning": "yellow",
}


def width() -> int:
    """Give the letters in a line: of the terminal, or as COLUMNS says."""
    try:
        told = int(os.environ.get("COLUMNS", ""))
    except ValueError:
        told = 0
    if told > 0:
        return max(told, _NARROWEST)
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    return shutil.get_terminal_size().columns if is_terminal else _PLAIN_WIDTH


def show(sheet: Sheet, form: str) -> None:
    """Print a sheet as a table or as Markdown."""
    if form == "markdown":
        stream.write(markdown(sheet))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    room = width()
    columns, dropped = fit(sheet.columns, room)
    # printed to a text first: what becomes of stdout is the business of one module
    printed = io.StringIO()
    console = Console(
        file=printed,
        width=room,
        height=25,  # or TERM=dumb would make the width 80
        force_terminal=True if sys.stdout is not None and sys.stdout.isatty() else None,
        legacy_windows=False,
        highlight=False,
        emoji=False,
        markup=False,
    )
    if sheet.title:
        console.print(Text(sheet.title, style="bold"))
    table = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold")
    table.show_header = any(one.head for one in columns)
    for one in columns:
        table.add_column(
            Text(one.head),
            justify="right" if one.right else "left",
            no_wrap=not one.wraps,
            overflow="fold" if one.wraps else "ellipsis",
        )
    for row in zip(*(one.cells for one in columns), strict=True):
        table.add_row(
            *(
                Text(text if one.wraps else _cut(text), style=_style(one, text))
                for one, text in zip(columns, row, strict=True)
            )
        )
    if columns:
        console.print(table)
    for note in [*sheet.notes, *_left_out(dropped)]:
        console.print(Text(note, style="dim"))
    lines = printed.getvalue().splitlines()
    stream.write("\n".join(line.rstrip() for line in lines) + "\n")


def _style(one: Shown, text: str) -> str:
    word = text.split(" ", 1)[0].rstrip(",")
    return STYLES.get(word, "") if one.head in ("verdict", "severity") else ""


def _left_out(dropped: Sequence[Shown]) -> list[str]:
    if not dropped:
        return []
    heads = ", ".join(repr(one.head) if " " in one.head else one.head for one in dropped[:8])
    more = f" and {len(dropped) - 8} more" if len(dropped) > 8 else ""
    return [f"no room for {heads}{more}: --format csv has all columns"]


def fit(columns: Sequence[Shown], room: int) -> tuple[list[Shown], list[Shown]]:
    """Choose the columns that fit, the most important first; at least one."""
    left, chosen = room, set[int]()
    ranked = sorted(range(len(columns)), key=lambda at: (-columns[at].keep, at))
    for at in ranked:
        needed = _wide(columns[at]) + (_GAP if chosen else 0)
        if needed > left and chosen:
            continue
        left -= needed
        chosen.add(at)
    kept = [one for at, one in enumerate(columns) if at in chosen]
    return kept, [one for at, one in enumerate(columns) if at not in chosen]


def markdown(sheet: Sheet) -> str:
    """Write a sheet as a Markdown table, all its columns."""
    heads = [_escape(one.head) for one in sheet.columns]
    rules = ["---:" if one.right else "---" for one in sheet.columns]
    rows = zip(*([_escape(text) for text in one.cells] for one in sheet.columns), strict=True)
    lines = [f"{_escape(sheet.title)}\n"] if sheet.title else []
    lines += [f"| {' | '.join(row)} |" for row in ([heads, rules, *map(list, rows)])]
    lines += ["", *(f"{_escape(note)}  " for note in sheet.notes)] if sheet.notes else []
    return "\n".join(lines) + "\n"


def _escape(text: str) -> str:
    for letter in "\\|<*_`[":
        text = text.replace(letter, f"\\{letter}")
    return text.replace("\n", "<br>")


def _wide(one: Shown) -> int:
    """Count the letters that a column takes at its widest, and a sentence at its narrowest."""
    widest = max(map(length, [one.head, *one.cells]))
    return min(widest, _NARROWEST if one.wraps else _LONGEST)


def _cut(text: str) -> str:
    """Leave out the middle of a long name: both of its ends tell something."""
    if length(text) <= _LONGEST:
        return text
    half = (_LONGEST - 1) // 2
    return f"{text[:half]}…{text[-half:]}"
