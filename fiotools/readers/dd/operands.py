"""The operands of a dd command: what it copies where, in which blocks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

_OPERAND = re.compile(r"[a-z]+=")
_FACTOR = re.compile(r"(\d+)([a-zA-Z]*)")
TOO_MUCH = 2**63  # for dd, and for a column
_FACTORS = {
    "": 1,
    "c": 1,
    "w": 2,
    "b": 512,
    **{unit: 1024**power for power, unit in enumerate("kmgt", 1)},
    **{f"{unit}b": 1000**power for power, unit in enumerate("kmgt", 1)},
}
_SOURCES = {"/dev/zero", "/dev/random", "/dev/urandom"}
_SINKS = {"/dev/null", "/dev/zero"}  # BSD and busy people write to the latter too


class Operands(NamedTuple):
    """The operands of a command; ``records``: how many it requests, and their size."""

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
    """Read the operands of a command, the words behind its name."""
    told = [word.partition("=") for word in command if _OPERAND.match(word)]
    given = {name: value.rstrip(")}") for name, _, value in told}
    if not given:
        return NOTHING
    source, sink = given.get("if"), given.get("of")
    direction = "copy" if source and sink else None
    if sink in _SINKS:
        direction = "read"
    elif source in _SOURCES:
        direction = "write"
    is_read = direction == "read"
    direct = None
    if direction in ("read", "write"):
        direct = "direct" in given.get("iflag" if is_read else "oflag", "").split(",")
    # "bs" overrides the other two, whatever their order
    both = given.get("bs")
    size = _number(both or given.get("ibs" if is_read else "obs") or "")
    return Operands(
        given,
        direction,
        source if is_read else sink,
        size or None,  # dd refuses 0
        direct,
        _number(both or given.get("obs") or "512"),
        _number(given.get("count") or ""),
    )


@lru_cache(maxsize=256)
def _number(text: str) -> int | None:
    """Read a number as dd does: ``1M``, ``1MB``, ``1024x1024``."""
    product = 1
    for part in text.split("x"):
        match = _FACTOR.fullmatch(part)
        factor = _FACTORS.get(match[2].lower().removesuffix("ib")) if match else None
        if not match or factor is None:
            return None
        product *= int(match[1]) * factor
        if product >= TOO_MUCH:
            return None
    return product
