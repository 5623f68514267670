"""Printed numbers, and the range of values that each was rounded from."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from fiotools import units

_DIGITS = re.compile(r"(-?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?(?:e-?\d+)?)(k?)")
_CLOCK = re.compile(r"(?:\d+h)?(?:\d+m)?\d+(?:\.\d+)?s")
_RECORDS = re.compile(r"(\d+)\+(\d+)")
# how far below and above the printed number the value may be, in units of the last digit
ROUNDING = {
    "round": (Decimal("0.5"), Decimal("0.5")),
    "trunc": (Decimal(0), Decimal(1)),
    "exact": (Decimal(0), Decimal(0)),
}


class Digits(NamedTuple):
    """A printed number: its value and the step of its last digit."""

    value: Decimal
    step: Decimal


def digits(printed: str) -> Digits:
    """Read a printed number.

    Parameters
    ----------
    printed : str
        Decimal digits, with or without thousands commas, or with fio's ``k`` for 1000, as in
        ``1689.0k``; a time such as ``1m59.802s``; or the records of dd (``20+0``, full and
        partial), which count together.

    Raises
    ------
    ValueError
        If it is none of these.

    Examples
    --------
    >>> digits("86.1").step, digits("1,495").value, digits("1m59.802s").value, digits("20+0").value
    (Decimal('0.1'), Decimal('1495'), Decimal('119.802'), Decimal('20'))
    >>> int(digits("1689.0k").value), int(digits("1689.0k").step)
    (1689000, 100)
    """
    text = printed.strip()
    if records := _RECORDS.fullmatch(text):
        return Digits(Decimal(int(records[1]) + int(records[2])), Decimal(1))
    if _CLOCK.fullmatch(text):
        places = len(text.rstrip("s").partition(".")[2])
        step = Decimal(1).scaleb(-places)
        return Digits(Decimal(str(units.seconds(text))).quantize(step), step)
    match = _DIGITS.fullmatch(text)
    if not match:
        raise ValueError(f"{printed!r} is not a printed number")
    value = Decimal(match[1].replace(",", "")).scaleb(3 if match[2] else 0)
    return Digits(value, Decimal(1).scaleb(int(value.as_tuple().exponent)))


def interval(printed: str, rounding: str) -> tuple[float, float]:
    """Return the range of values that print like this.

    Parameters
    ----------
    printed : str
        The digits as printed.
    rounding : {"round", "trunc", "exact"}
        To the nearest (half a digit either way), cut off (up to one digit more), or not at all.

    Examples
    --------
    >>> interval("2.1", "round"), interval("0.46", "trunc"), interval("20", "exact")
    ((2.05, 2.15), (0.46, 0.47), (20.0, 20.0))
    """
    value, step = digits(printed)
    below, above = ROUNDING[rounding]
    return float(value - below * step), float(value + above * step)
