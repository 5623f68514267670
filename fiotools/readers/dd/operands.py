"""dd: what the operands of its command say of a run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

_OPERAND = re.compile(r"[a-z]+=")
_FACTOR = re.compile(r"(\d+)([a-zA-Z]*)")
_TOO_MUCH = 2**63  # for dd, and for a column
_FACTORS = {
    "": 1,
    "c": 1,
    "w": 2,
    "b": 512,
    "k": 1024,
    "kb": 1000,
    "m": 1024**2,
    "mb": 1000**2,
    "g": 1024**3,
    "gb": 1000**3,
    "t": 1024**4,
    "tb": 1000**4,
}
SOURCES = {"/dev/zero", "/dev/random", "/dev/urandom"}
SINKS = {"/dev/null", "/dev/zero"}  # BSD and busy people write to the latter too


class Operands(NamedTuple):
    """What a command tells; ``records`` it asks for, and the size of what it writes at a time."""

    given: Mapping[str, str]
    direction: str | None = None
    target: str | None = None
    bs_bytes: int | None = None
    direct: bool | None = None
    records_bytes: int | None = None
    records: int | None = None


NOTHING = Operands({})


@lru_cache(maxsize=1024)
def operands(command: tuple[str, ...]) -> Operands:
    """Read the operands of a command, the words behind its name.

    Examples
    --------
    >>> told = operands(("if=/dev/zero", "of=x", "bs=1M", "oflag=direct,sync"))
    >>> told.direction, told.target, told.bs_bytes, told.direct
    ('write', 'x', 1048576, True)
    """
    told = [word.partition("=") for word in command if _OPERAND.match(word)]
    given = {name: value.rstrip(")}") for name, _, value in told}
    if not given:
        return NOTHING
    direction = _direction(given.get("if"), given.get("of"))
    is_read = direction == "read"
    direct = None
    if direction in ("read", "write"):
        direct = "direct" in given.get("iflag" if is_read else "oflag", "").split(",")
    # "bs" overrides the other two, whatever their order
    both = given.get("bs")
    size = number(both or given.get("ibs" if is_read else "obs") or "")
    return Operands(
        given,
        direction,
        given.get("if" if is_read else "of"),
        size or None,  # dd takes no 0, so a 0 is not what it was given
        direct,
        number(both or given.get("obs") or "512"),
        number(given.get("count") or ""),
    )


def _direction(given: str | None, to: str | None) -> str | None:
    """Say which way the data went, as far as the command tells."""
    if to in SINKS:
        return "read"
    if given in SOURCES:
        return "write"
    return "copy" if given and to else None


@lru_cache(maxsize=1024)
def number(text: str) -> int | None:
    """Read a number as dd does: ``1M``, ``1MB``, ``1024x1024``.

    Examples
    --------
    >>> number("1024M"), number("1024x1024"), number("$size")
    (1073741824, 1048576, None)
    """
    product = 1
    for part in text.split("x"):
        match = _FACTOR.fullmatch(part)
        suffix = match[2].lower().removesuffix("ib") if match else None
        if match and match[2][1:] == "iB":
            suffix = match[2][0].lower()
        if not match or suffix not in _FACTORS:
            return None
        product *= int(match[1]) * _FACTORS[suffix]
        if product >= _TOO_MUCH:
            return None
    return product
