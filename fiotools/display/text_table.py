"""A sheet as text, with the columns that fit, the most important first; and as Markdown.

Columns that do not fit are named; the frame and ``--format csv`` have all.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fiotools.display.columns import Sheet, SheetColumn, length, printable
from fiotools.errors import typed
from fiotools.words import more

if TYPE_CHECKING:
    from rich.text import Text

_GAP = 2
_PLAIN_WIDTH = 120  # of a file or a pipe
_NARROWEST = 24
_LONGEST = 48  # of a column whose text is not wrapped
_NAMED = 8  # columns that do not fit
_COLOURS = {"good": "green", "bad": "red", "care": "yellow", "open": ""}


def width() -> int:
    """Return the width of the terminal in letters, or COLUMNS."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told) > 0:
        return max(int(told), _NARROWEST)
    return shutil.get_terminal_size().columns if _on_terminal() else _PLAIN_WIDTH


def _on_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def text(sheet: Sheet, *, colours: bool = False) -> str:
    """Write a sheet as lines that fit the terminal, which may have colours if NO_COLOR allows."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    room = width()
    columns, dropped = fit(_joined([_signed(one) for one in sheet.columns]), room)
    printed = io.StringIO()
    console = Console(
        file=printed,
        width=room,
        height=25,  # or TERM=dumb would make the width 80
        color_system="auto" if colours else None,
        force_terminal=True if colours and _on_terminal() else None,
        force_jupyter=False,  # or a notebook would have the lines as outputs of its own
        legacy_windows=False,
        highlight=False,
        emoji=False,
        markup=False,
    )
    if sheet.title:
        console.print(Text(printable(sheet.title), style="bold"))
    table = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold")
    table.show_header = any(one.head for one in columns)
    for one in columns:
        table.add_column(
            Text(one.head),
            justify="right" if one.right else "left",
            no_wrap=not one.wraps,
            overflow="fold" if one.wraps else "ellipsis",
        )
    for row in zip(*map(_told, columns), strict=True):
        table.add_row(*row)
    if columns:
        console.print(table)
    for note in filter(None, [sheet.shared, *sheet.notes, *_left_out(dropped)]):
        console.print(Text(printable(note), style="dim"))
    return "\n".join(line.rstrip() for line in printed.getvalue().splitlines())


def markdown(sheet: Sheet) -> str:
    """Write a sheet as a Markdown table, all its columns."""
    columns = [_signed(one) for one in sheet.columns]
    heads = [_escape(one.head) for one in columns]
    rules = ["---:" if one.right else "---" for one in columns]
    rows = zip(*([_escape(text) for text in one.cells] for one in columns), strict=True)
    notes = [_escape(printable(note)) for note in [sheet.shared, *sheet.notes] if note]
    lines = [f"{_escape(printable(sheet.title))}\n"] if sheet.title else []
    lines += [f"| {' | '.join(row)} |" for row in ([heads, rules, *map(list, rows)])]
    lines += ["", *(f"{note}  " for note in notes)] if notes else []
    return "\n".join(lines)


def _escape(text: str) -> str:
    for letter in "\\|<*_`[":
        text = text.replace(letter, f"\\{letter}")
    return text


def _signed(one: SheetColumn) -> SheetColumn:
    """Write a verdict's sign before its words, and what is safe to print."""
    texts = [printable(text) for text in one.cells]
    if one.marks:
        signs = zip(one.marks, texts, strict=True)
        texts = [f"{mark.sign} {text}" if text else "" for mark, text in signs]
    return replace(one, head=printable(one.head), cells=texts)


def _told(one: SheetColumn) -> Iterator[Text]:
    """Write the cells of a column: the middle of a long name is cut, a verdict coloured."""
    from rich.text import Text

    half = (_LONGEST - 1) // 2
    for at, text in enumerate(one.cells):
        colour = _COLOURS[one.marks[at].mood] if one.marks and text else ""
        if not one.wraps and length(text) > _LONGEST:
            text = f"{text[:half]}…{text[-half:]}"
        yield Text(text, style=colour)


def _joined(columns: Sequence[SheetColumn]) -> list[SheetColumn]:
    """Join the sentences of a row in the last column."""
    parts = [one for one in columns if one.joins is not None]
    if not parts:
        return [*columns]
    texts = [""] * len(parts[0].cells)
    for one in parts:
        for at, text in enumerate(one.cells):
            # the last of some rows has what is said once for them
            if text and not one.is_said(at + 1):
                texts[at] += f"{one.joins}{text}" if texts[at] else text
    heads = ", ".join(one.head for one in parts)
    others = [one for one in columns if one.joins is None]
    return [*others, replace(parts[0], head=heads, cells=texts)]


def fit(columns: Sequence[SheetColumn], room: int) -> tuple[list[SheetColumn], list[SheetColumn]]:
    """Choose the columns that fit, the most important first; at least one."""
    left, chosen = room, set[int]()
    ranked = sorted(range(len(columns)), key=lambda at: (-columns[at].keep, at))
    for at in ranked:
        one = columns[at]
        widest = max(map(length, [one.head, *one.cells]))
        # of a sentence, the narrowest
        needed = min(widest, min(one.wraps, room // 2) or _LONGEST) + (_GAP if chosen else 0)
        if needed > left and chosen:
            continue
        left -= needed
        chosen.add(at)
    kept = [one for at, one in enumerate(columns) if at in chosen]
    return kept, [one for at, one in enumerate(columns) if at not in chosen]


def _left_out(dropped: Sequence[SheetColumn]) -> list[str]:
    """Name the columns that do not fit."""
    if not dropped:
        return []
    heads = [repr(one.head) if " " in one.head else one.head for one in dropped[:_NAMED]]
    names = ", ".join(heads + more(len(dropped) - _NAMED))
    where = typed("the frame has all columns", "--format csv has all columns")
    return [f"no room for {names}: {where}"]
