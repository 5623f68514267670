"""The lines of a log, as columns of whole numbers, and which column is which.

Logs have 10^6 lines and more, so they are checked and parsed by polars, all lines at once. A line
is taken only if it is laid out as most of the first ones are: what a crash, a full disk or two
writers at once left behind fits no layout and is counted instead.

polars refuses what is no number, and numbers that are too large for their column, and makes a gap
where one is missing. So where it refuses nothing and no gap is, every line is a row. Else each line
is looked at (`exact`), with the tolerance of polars: blanks, tabs and a plus may stand before a
number and a carriage return behind it, and -0 is 0.

fio ends every line with a newline. The last line without one may be cut in the middle of a number,
which would then be read as a smaller one: it is never taken.

fio writes no head, and what it writes grew with its versions:

``time, value[, maximum], direction, block size[, offset][, priority][, issue time]``

* the offset with ``log_offset=1`` (2.1.11);
* the priority always since 3.18: 0 or 1, or in hex with ``log_prio=1``;
* value and maximum of each window with ``log_window_value=both`` (3.37);
* the issue time with ``log_issue_time=1`` (3.38), which asks for ``log_offset=1``.

So five columns end in an offset or in a priority. Every layout that a number of columns can mean is
tried on all rows; the one that fits most is taken. What cannot be told apart stays unnamed.

Specified in ``iolog.c`` (``flush_samples``), 2.0 to 3.42.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import polars as pl

from fiotools.readers.fio.log_head import HEX, NUMBER, warn

if TYPE_CHECKING:
    from fiotools.readers.document import Document
    from fiotools.tables import Tables

# no log but those of histograms comes near so many columns
_ROWS = re.compile(rf"^{NUMBER}(?:, ?(?:{NUMBER}|{HEX})){{1,11}}$", re.A | re.M)
_LOOKED_AT = 200  # lines that say how all are laid out
_FIELD = rf"[ \t]*(?:\+?0*{NUMBER}|-0+)\r?"
_HEX_FIELD = rf"[ \t]*{HEX}\r?"
_LARGEST = 10**18
_NARROW = pl.Int32(), pl.UInt32()  # of the times, of the rest
_WIDE = pl.Int64(), pl.Int64()
_HEXED = re.compile(_HEX_FIELD, re.A)

Number = tuple[int, int] | None  # of a version
Shape = tuple[int, int | None]  # how many columns, and which of them is in hex


# --- columns of numbers -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines that were taken.

    Attributes
    ----------
    frame : polars.DataFrame
        Columns ``0``, ``1``, ...; numbers, but for the one in hex, which is text.
    hexed : int or None
        Which column is written in hex.
    numbers : polars.Series or None
        The line on which each row stands; None where that is the row's number, from 1.
    others : polars.Series or None
        The lines that are laid out otherwise.
    """

    frame: pl.DataFrame
    hexed: int | None
    numbers: pl.Series | None = None
    others: pl.Series | None = None

    def where(self, rows: pl.Series) -> pl.Series:
        """Give the lines of some rows, chosen by a mask."""
        numbers = pl.int_range(1, self.frame.height + 1, eager=True)
        return (numbers if self.numbers is None else self.numbers).filter(rows)


def whole_lines(document: Document, tables: Tables) -> Lines | None:
    """Take the lines that are whole, and note the others; None if there is none."""
    text = document.text[: document.text.rfind("\n") + 1]
    shape = shape_of(text)
    if shape is None:
        return None
    lines = parsed(text.encode("utf-8", errors="replace"), shape)
    if lines.others is not None and len(lines.others):
        warn(tables, torn(len(lines.others)), int(lines.others[0]))
    return lines


def torn(count: int) -> str:
    """Say that lines are laid out otherwise."""
    return (
        f"{count:,} lines not laid out as the others (torn, from another writer, or with"
        " negative or impossible numbers): left out"
    )


def shape_of(text: str) -> Shape | None:
    """Say how many columns most of the first lines have, and which of them is in hex."""
    shapes: Counter[Shape] = Counter()
    for row in islice(_ROWS.finditer(text), _LOOKED_AT):
        fields = row[0].split(",")
        hexed = [i for i, field in enumerate(fields) if "x" in field]
        if len(hexed) < 2:
            shapes[len(fields), hexed[0] if hexed else None] += 1
    return shapes.most_common(1)[0][0] if shapes else None


def parsed(body: bytes, shape: Shape) -> Lines:
    """Parse whole lines, each ended by a newline."""
    for types in (_NARROW, _WIDE):
        frame = fast(body, shape, types)
        if frame is not None:
            return Lines(frame, shape[1])
    return exact(body, shape)


def fast(body: bytes, shape: Shape, types: Sequence[pl.DataType] = _NARROW) -> pl.DataFrame | None:
    """Parse lines together; None unless each of them is a row of numbers that fit the types.

    Parameters
    ----------
    body : bytes
    shape : (int, int or None)
    types : sequence of polars.DataType
        Of the columns; the last one is that of all others.
    """
    if body.startswith(b"\n"):  # polars would pass over empty lines
        return None
    width, hexed = shape
    schema: dict[str, Any] = {str(i): types[min(i, len(types) - 1)] for i in range(width)}
    if hexed is not None:
        schema[str(hexed)] = pl.String()
    try:
        frame = pl.read_csv(body, has_header=False, schema=schema, quote_char=None)
    except pl.exceptions.PolarsError:
        return None
    if frame.is_empty() or any(series.null_count() for series in frame):
        return None
    if hexed is not None and not all(map(_HEXED.fullmatch, frame[str(hexed)].unique())):
        return None
    signed = [series for series in frame if series.dtype.is_signed_integer()]
    if any(series.to_numpy().min() < 0 for series in signed):
        return None
    wide = [series for series in frame if series.dtype == pl.Int64]
    return None if any(series.to_numpy().max() >= _LARGEST for series in wide) else frame


def exact(body: bytes, shape: Shape) -> Lines:
    """Parse those lines that are rows, and give the numbers of the others."""
    width, hexed = shape
    text = body.replace(b"\r\n", b"\n").decode("utf-8", errors="replace")
    lines = text.split("\n")[:-1]
    fields = [_HEX_FIELD if i == hexed else _FIELD for i in range(width)]
    series = pl.Series([line if line.isascii() else "?" for line in lines], dtype=pl.String)
    good = series.str.contains(f"^{','.join(fields)}$")
    numbers = pl.int_range(1, len(lines) + 1, eager=True)
    schema = {str(i): pl.String if i == hexed else pl.Int64 for i in range(width)}
    kept = "\n".join(series.filter(good).to_list()).encode()
    frame = pl.read_csv(kept, has_header=False, schema=schema, quote_char=None)
    others = numbers.filter(~good & (series.str.len_bytes() > 0))
    return Lines(frame, hexed, numbers.filter(good), others)


# --- which is which ---------------------------------------------------------------------------

_PRIORITY_SINCE = (3, 18)
_FIELDS = ("time", "value", "max", "ddir", "bs", "offset", "prio", "issue")
# what is optional: its letter stands in a layout that has it
_LAYOUTS = {4: ("",), 5: ("o", "p"), 6: ("op", "mp"), 7: ("opi", "mop"), 8: ("mopi",)}
_LETTERS = {"max": "m", "offset": "o", "prio": "p", "issue": "i"}
_SINCE = {"m": (3, 37), "i": (3, 38), "p": _PRIORITY_SINCE}


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a log.

    Attributes
    ----------
    frame : polars.DataFrame
        ``time``, ``value``, ``ddir``, ``bs``, and of the others those that are certain.
    bad : polars.Series
        The lines whose figures do not fit.
    since : tuple of int or None
        The oldest fio that writes so many columns, where that tells anything.
    open : bool
        Whether the fifth column may be an offset or a priority.
    tied : bool
        Whether value and maximum may be value and direction.
    refuted : bool
        Whether the version that was given never wrote such a log.
    letters : str
        What optional columns it has.
    others : list of str
        What else the number of columns can mean.
    """

    frame: pl.DataFrame
    bad: pl.Series
    since: Number
    open: bool
    tied: bool
    refuted: bool
    letters: str
    others: list[str]


def layout_of(lines: Lines, version: Number) -> Layout | None:
    """Name the columns; None if no fio writes so many."""
    known = _LAYOUTS.get(lines.frame.width)
    if known is None:
        return None
    allowed = [letters for letters in known if version is None or _written_by(letters, version)]
    named = {letters: _named(lines, letters) for letters in allowed or known}
    fits = {letters: _fits(frame) for letters, frame in named.items() if frame is not None}
    if not fits:
        return None
    most = max(fit.sum() for fit in fits.values())
    best = [letters for letters, fit in fits.items() if fit.sum() == most]
    chosen, fit = best[0], fits[best[0]]
    frame = named[chosen]
    assert frame is not None
    if best == ["o", "p"]:  # all zero
        frame = frame.drop("offset")
    since = None if "o" in best or not chosen else max(_SINCE[x] for x in chosen if x in _SINCE)
    return Layout(
        frame if fit.all() else frame.filter(fit),
        lines.where(~fit),
        since,
        len(best) > 1 and "p" in best,
        len(best) > 1 and "p" not in best,
        not allowed,
        chosen,
        [letters for letters in named if letters != chosen],
    )


def continued(lines: Lines, first: Layout) -> tuple[pl.DataFrame, pl.Series] | None:
    """Name the columns of further lines; None if they mean something else than the first ones.

    Returns
    -------
    tuple or None
        The rows, and the lines whose figures do not fit, as in `Layout`.
    """
    frame = _named(lines, first.letters)
    assert frame is not None  # the one in hex is the same
    fit = _fits(frame)
    if first.open:
        if (frame["offset"] > 1).any():
            return None
        frame = frame.drop("offset")
    if fit.all():
        return frame, lines.where(~fit)
    others = (_named(lines, letters) for letters in first.others)
    if any(other is not None and _fits(other).sum() > fit.sum() for other in others):
        return None
    return frame.filter(fit), lines.where(~fit)


def _written_by(letters: str, version: tuple[int, int]) -> bool:
    if "p" not in letters and version >= _PRIORITY_SINCE:
        return False
    return all(version >= _SINCE.get(letter, (0, 0)) for letter in letters)


def _named(lines: Lines, letters: str) -> pl.DataFrame | None:
    """Name the columns after one layout; None if the one in hex would not be the priority."""
    names = [name for name in _FIELDS if _LETTERS.get(name, "") in letters]
    if lines.hexed is not None and names[lines.hexed] != "prio":
        return None
    return lines.frame.rename(dict(zip(lines.frame.columns, names, strict=True)))


def _fits(frame: pl.DataFrame) -> pl.Series:
    """Say which rows can be fio's under one layout."""
    tests = [pl.col("ddir") <= 2]
    if "prio" in frame.columns and frame.schema["prio"] != pl.String:
        tests.append(pl.col("prio") <= 1)
    if "max" in frame.columns:
        # only windows have a maximum, and windows have nothing of a single I/O
        tests.append(pl.col("max") >= pl.col("value"))
        tests += [pl.col(name) == 0 for name in ("bs", "offset", "issue") if name in frame.columns]
    return frame.select(pl.all_horizontal(tests).alias("fits")).to_series()
