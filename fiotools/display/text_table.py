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
from itertools import takewhile
from typing import TYPE_CHECKING

from fiotools.display.columns import Sheet, SheetColumn, length, printable
from fiotools.errors import typed
from fiotools.words import more

if TYPE_CHECKING:
    from rich.text import Text

_GAP = 2
_PLAIN_WIDTH = 120  # of a file or a pipe
_NARROWEST = 24
_LONGEST = 48  # letters of a name, if there is something else to show
_NARROW = 12  # letters of a name that is cut, at least
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
    columns, widths, dropped = fit(_joined([_signed(one) for one in sheet.columns]), room)
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
    for one, size in zip(columns, widths, strict=True):
        table.add_column(
            Text(_head(one, size)),
            justify="right" if one.right else "left",
            width=size,
            no_wrap=not one.wraps,
            overflow="fold",
        )
    for row in zip(*map(_told, columns, widths), strict=True):
        table.add_row(*row)
    if columns:
        console.print(table)
    for note in filter(None, [sheet.shared, *sheet.notes, *_left_out(dropped)]):
        console.print(Text(printable(note), style="dim"))
    return "\n".join(line.rstrip() for line in printed.getvalue().splitlines())


def markdown(sheet: Sheet) -> str:
    """Write a sheet as a Markdown table, all its columns."""
    columns = [_signed(one) for one in sheet.columns]
    heads = [_escape(" ".join(filter(None, [one.head, one.unit]))) for one in columns]
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


def _head(one: SheetColumn, size: int) -> str:
    """Write a heading, and the unit below it."""
    return "\n".join(filter(None, [_shortened([one.head], size)[0], one.unit]))


def _told(one: SheetColumn, size: int) -> Iterator[Text]:
    """Write the cells of a column: long names are shortened, a verdict coloured."""
    from rich.text import Text

    texts = one.cells if one.wraps else _shortened(one.cells, size)
    for at, text in enumerate(texts):
        yield Text(text, style=_COLOURS[one.marks[at].mood] if one.marks and text else "")


def _shortened(texts: Sequence[str], size: int) -> list[str]:
    """Cut the middle of texts, or where that is all that differs, their ends.

    Examples
    --------
    >>> _shortened(["dd if=/dev/zero of=out bs=4k"], 12)
    ['dd if=…bs=4k']
    >>> _shortened(["dd if=/dev/zero of=/mnt/a/x bs=4k", "dd if=/dev/zero of=/mnt/b/x bs=4k"], 12)
    ['…/mnt/a/x b…', '…/mnt/b/x b…']
    """
    found = [_cut(text, size) for text in texts]
    if len({*found}) == len({*texts}):
        return found
    start = _alike(texts)
    end = _alike([text[start:][::-1] for text in texts])
    room = max(size - 2 - max(length(text) - start - end for text in texts), 0)
    start -= min(start, (room + 1) // 2)
    end -= min(end, room // 2)
    return [_cut(f"…{text[start : len(text) - end]}…", size) for text in texts]


def _alike(texts: Sequence[str]) -> int:
    """Count the letters with which all begin."""
    return sum(1 for _ in takewhile(lambda own: len({*own}) == 1, zip(*texts, strict=False)))


def _cut(text: str, size: int) -> str:
    if length(text) <= size:
        return text
    first, last = size // 2, (size - 1) // 2
    return f"{text[:first]}…{text[len(text) - last :]}"


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


def fit(
    columns: Sequence[SheetColumn], room: int
) -> tuple[list[SheetColumn], list[int], list[SheetColumn]]:
    """Choose the columns that fit, the most important first; at least one.

    Return them with their widths, and the others. Numbers are never cut. Names may be, and
    sentences wrap, but not below a width that can be read; what is left is shared out to them.
    """
    left, widths = room + _GAP, dict[int, int]()
    ranked = sorted(range(len(columns)), key=lambda at: (-columns[at].keep, at))
    wanted = [max(map(length, [one.head, one.unit, *one.cells])) for one in columns]
    for at in ranked:
        one, most = columns[at], left - _GAP
        least = min(wanted[at], _least(one))
        usual = least if one.right else min(wanted[at], one.wraps or _LONGEST, room // 2)
        if most >= least or not widths:
            widths[at] = max(1, min(max(usual, least), most))
            left -= widths[at] + _GAP
    while left > 0 and (cut := [at for at in ranked if at in widths and widths[at] < wanted[at]]):
        for at in cut[:left]:
            widths[at] += 1
        left -= len(cut[:left])
    kept = sorted(widths)
    others = [one for at, one in enumerate(columns) if at not in widths]
    return [columns[at] for at in kept], [widths[at] for at in kept], others


def _least(one: SheetColumn) -> int:
    """Return the width below which a column cannot be read."""
    if one.right:
        return max(_NARROW, *map(length, [one.unit, *one.cells]))
    return _NARROW


def _left_out(dropped: Sequence[SheetColumn]) -> list[str]:
    """Name the columns that do not fit."""
    if not dropped:
        return []
    heads = [repr(one.head) if " " in one.head else one.head for one in dropped[:_NAMED]]
    names = ", ".join(heads + more(len(dropped) - _NAMED))
    where = typed("the frame has all columns", "--format csv has all columns")
    return [f"no room for {names}: {where}"]
