"""Numbers as fio's text prints them, and how far to trust them."""

from __future__ import annotations

import re
from typing import NamedTuple

_AMOUNT = re.compile(r"([\d.]{1,25})\s*([kKMGTPE]?)(i?)(bit|B)?(?:/s(?:ec)?)?")
_COUNT = re.compile(r"(-?[\d.]{1,25})([kKmMGT]?)")
_POWER = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5, "e": 6}


class Printed(NamedTuple):
    """A rounded number: its value, and how far off the true one can be."""

    value: float
    slack: float  # half of the last digit
    # how much too low it may be because of a defect: fio prints 11.96 as 11.0, as it rounds the
    # digits behind the point separately. In the old layout (io=) they can be entirely wrong: 1.59
    # prints 1813.9 as 1813.1
    below: float = 0.0
    above: float = 0.0  # how much too high, likewise

    def agrees(self, exact: float, reach: float = 0.0) -> bool:
        """Whether a value, exact or so far off, prints like this."""
        return self._is_near(exact, reach) or self._is_defect(exact, reach)

    def _is_near(self, exact: float, reach: float) -> bool:
        return abs(exact - self.value) <= self.slack + reach

    def _is_defect(self, exact: float, reach: float) -> bool:
        # a new layout's digits are wrong only right below the next whole unit
        lowest = -self.above if self.above else self.below - self.slack
        return lowest - reach <= exact - self.value <= self.below + reach

    def beside(self, other: Printed) -> Printed:
        """Return it as far as another print of the same number excludes the defect."""
        if self.above or not self.below or not self._is_near(other.value, other.reach):
            return self
        return (
            self if self._is_defect(other.value, other.reach) else Printed(self.value, self.slack)
        )

    def times(self, factor: float) -> Printed:
        """Return it in another unit."""
        return Printed(*(number * factor for number in self))

    @property
    def reach(self) -> float:
        """How far off the true value can be."""
        return max(self.slack, self.below, self.above)


def _printed(digits: str, scale: float, is_old: bool) -> Printed:
    decimals = digits.partition(".")[2]
    # fio rounds the last digit, after truncating at each prefix and at the whole unit
    step = 10.0 ** -len(decimals)
    slack = (0.5 * step + 0.001) * scale + (1.0 if scale > 1 else 0.5)
    wrong = scale if decimals and scale > 1 and (is_old or not decimals.strip("0")) else 0.0
    return Printed(float(digits) * scale, slack, wrong, wrong if is_old else 0.0)


def amount(text: str, is_old: bool = False) -> Printed:
    """Read a size or a rate, in bytes; a prefix without an ``i`` is 1024 in the old layout."""
    match = _AMOUNT.fullmatch(text.strip())
    if not match:
        raise ValueError(f"not an amount: {text!r}")
    kilo = 1024.0 if match[3] or is_old else 1000.0
    scale = kilo ** _POWER[match[2].lower()]
    return _printed(match[1], scale / 8 if match[4] == "bit" else scale, is_old)


def count(text: str) -> Printed:
    """Read a number with fio's k, M, G, which are decimal, and how far to trust it."""
    match = _COUNT.fullmatch(text.strip())
    if not match:
        raise ValueError(f"not a number: {text!r}")
    if match[2]:
        return _printed(match[1], 1000.0 ** _POWER[match[2].lower()], False)
    return Printed(float(match[1]), 1.0)  # truncated, not rounded: 1495.9 prints as 1495
