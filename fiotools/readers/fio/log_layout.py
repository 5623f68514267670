"""Which column of a log is which: fio writes no head, and what it writes grew with its versions.

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

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from fiotools.readers.fio.log_lines import Lines

Number = tuple[int, int] | None

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
