"""dd: what the operands of its command say of a run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from fiotools.readers import shell

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
    given = shell.assignments(command)
    if not given:
        return NOTHING
    direction = _direction(given.get("if"), given.get("of"))
    is_read = direction == "read"
    direct = None
    if direction in ("read", "write"):
        direct = "direct" in given.get("iflag" if is_read else "oflag", "").split(",")
    # "bs" overrides the other two, whatever their order
    both = given.get("bs")
    size = _number(both or given.get("ibs" if is_read else "obs"))
    return Operands(
        given,
        direction,
        given.get("if" if is_read else "of"),
        size or None,  # dd takes no 0, so a 0 is not what it was given
        direct,
        _number(both or given.get("obs") or "512"),
        _number(given.get("count")),
    )


def _direction(given: str | None, to: str | None) -> str | None:
    """Say which way the data went, as far as the command tells."""
    if to in SINKS:
        return "read"
    if given in SOURCES:
        return "write"
    return "copy" if given and to else None


def _number(text: str | None) -> int | None:
    return shell.dd_number(text) if text else None
