"""fio's way of laying out JSON, and of numbering the bins of its latencies."""

from __future__ import annotations

import math
from random import Random
from typing import Any

BITS = 6  # of a value that a bin keeps
NEIGHBOURS = 1 << BITS
BINS = 29 * NEIGHBOURS  # of fio 3


def _middle(number: int) -> int:
    """Give the middle of a bin in ns, which is how fio names it."""
    if number < NEIGHBOURS << 1:
        return number
    lost = (number >> BITS) - 1
    return (1 << (lost + BITS)) + int((number % NEIGHBOURS + 0.5) * (1 << lost))


MIDDLES = [_middle(number) for number in range(BINS)]


class Laid(str):
    """Text that is laid out already."""


def dump(value: Any, level: int = 0) -> str:
    """Lay a value out as fio does: two blanks a level, `` : ``, six decimals."""
    if isinstance(value, dict):
        return _block(
            "{}", [f'"{key}" : {dump(one, level + 1)}' for key, one in value.items()], level
        )
    if isinstance(value, list):
        return _block("[]", [dump(one, level + 1) for one in value], level)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:f}"
    if isinstance(value, (int, Laid)):
        return str(value)
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _block(ends: str, items: list[str], level: int) -> str:
    pad = "  " * level
    body = "".join(f"{',' * (at > 0)}\n{pad}  {item}" for at, item in enumerate(items))
    return f"{ends[0]}{body}\n{pad}{ends[1]}"


def laid_bins(bins: dict[int, int], level: int) -> Laid:
    """Lay ``bins`` out, which is most of a JSON+ file."""
    pad = "  " * level
    body = ",\n".join(f'{pad}  "{middle}" : {count}' for middle, count in bins.items())
    return Laid("{\n" + body + f"\n{pad}}}")


def bell(rng: Random, wanted: int, total: int, median_ns: float) -> dict[int, int]:
    """Fill about so many neighbouring bins around a median."""
    wanted = min(wanted, BINS - 8)
    middle = next(number for number, value in enumerate(MIDDLES) if value >= median_ns)
    low = max(4, min(middle - wanted // 2, BINS - wanted - 1))
    sigma, centre = wanted / 6.0, low + wanted * 0.4
    bins = {}
    for number in range(low, low + wanted):
        weight = math.exp(-((number - centre) ** 2) / (2 * sigma * sigma))
        count = int(total * weight / (sigma * 2.5066) * rng.uniform(0.8, 1.2))
        bins[MIDDLES[number]] = max(1, count)
    return bins
