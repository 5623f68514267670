"""Numbers as fio's human report prints them, and how far each of them can be trusted."""

from __future__ import annotations

import re
from dataclasses import dataclass

_AMOUNT = re.compile(r"([\d.]{1,25})\s*([kKMGTPE]?)(i?)(bit|B)?(?:/s(?:ec)?)?")
_COUNT = re.compile(r"(-?[\d.]{1,25})([kKmMGT]?)")
_POWER = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5, "e": 6}


@dataclass(frozen=True, slots=True)
class Printed:
    """A rounded number: its value, and how far the true one can be from it.

    Attributes
    ----------
    value : float
    slack : float
        Half of the last digit.
    below : float
        How much too low it may be because of a defect: fio prints 11.96 as ``11.0``, as it rounds
        the digits behind the point by themselves. In the old layout (``io=``) they can be wrong
        altogether: 1.59 prints 1813.9 as ``1813.1``.
    above : float
        How much too high, likewise.
    """

    value: float
    slack: float
    below: float = 0.0
    above: float = 0.0

    def agrees(self, exact: float) -> bool:
        """Whether an exact value prints like this."""
        off = exact - self.value
        return abs(off) <= self.slack or (bool(self.below) and -self.above <= off <= self.below)

    @property
    def reach(self) -> float:
        """How far the true value can be away."""
        return max(self.slack, self.below, self.above)


def _printed(digits: str, scale: float, old: bool = False) -> Printed:
    decimals = digits.partition(".")[2]
    # fio rounds the last digit, after cutting off at each prefix and at the whole unit
    step = 10.0 ** -len(decimals)
    slack = (0.5 * step + 0.001) * scale + (1.0 if scale > 1 else 0.5)
    wrong = scale if decimals and scale > 1 and (old or not decimals.strip("0")) else 0.0
    return Printed(float(digits) * scale, slack, wrong, wrong if old else 0.0)


def amount(text: str, kilo: int = 1000, old: bool = False) -> Printed:
    """Read a size or a rate, in bytes.

    Parameters
    ----------
    text : str
        ``"135MiB/s"``, ``"60.1Mi"`` (a client's total), ``"10.4Gibit/s"``, ``"254727KB/s"`` (2.x).
    kilo : {1000, 1024}
        What a prefix without an ``i`` means: 1024 before 3.0.
    old : bool
        Whether it is of the old layout.

    Examples
    --------
    >>> amount("5982KiB/s").value, amount("1.5Gbit/s").value, amount("4KB/s", 1024).value
    (6125568.0, 187500000.0, 4096.0)
    >>> amount("11.0MiB/s").agrees(11.96 * 2**20), amount("11.2MiB/s").agrees(11.96 * 2**20)
    (True, False)
    """
    match = _AMOUNT.fullmatch(text.strip())
    if not match:
        raise ValueError(f"not an amount: {text!r}")
    scale = float(1024 if match[3] else kilo) ** _POWER[match[2].lower()]
    return _printed(match[1], scale / 8 if match[4] == "bit" else scale, old)


def _counted(text: str) -> tuple[str, float]:
    match = _COUNT.fullmatch(text.strip())
    if not match:
        raise ValueError(f"not a number: {text!r}")
    return match[1], 1000.0 ** _POWER[match[2].lower()]


def number(text: str) -> float:
    """Read a number with fio's k, M, G, which are decimal.

    Examples
    --------
    >>> number("9334.8k"), number("-1")
    (9334800.0, -1.0)
    """
    digits, scale = _counted(text)
    return float(digits) * scale


def count(text: str) -> Printed:
    """Read such a number, and how far it can be trusted.

    Examples
    --------
    >>> count("9334.8k").value, count("34.5k").agrees(34459), count("1495").agrees(1495.5)
    (9334800.0, True, True)
    """
    digits, scale = _counted(text)
    printed = _printed(digits, scale)
    # a whole number was cut off, not rounded: 1495.9 prints as 1495
    return printed if scale > 1 else Printed(printed.value, 1.0)
