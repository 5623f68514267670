"""dd: what the operands of its command say of a run, and what is said of figures that are odd."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from fiotools import units
from fiotools.readers import shell

SOURCES = {"/dev/zero", "/dev/random", "/dev/urandom"}
SINKS = {"/dev/null", "/dev/zero"}  # BSD and busy people write to the latter too


class Operands(NamedTuple):
    """What a command tells; ``records_bytes`` is the size of what it writes at a time."""

    direction: str | None = None
    bs_bytes: int | None = None
    direct: bool | None = None
    records_bytes: int | None = None

    @property
    def target(self) -> str:
        """The operand that names the file measured."""
        return "if" if self.direction == "read" else "of"


def told(options: Mapping[str, str]) -> Operands:
    """Read operands.

    Examples
    --------
    >>> told({"if": "/dev/zero", "of": "x", "bs": "1M", "oflag": "direct,sync"})
    Operands(direction='write', bs_bytes=1048576, direct=True, records_bytes=1048576)
    """
    if not options:
        return Operands()
    direction = _direction(options.get("if"), options.get("of"))
    is_read = direction == "read"
    direct = None
    if direction in ("read", "write"):
        direct = "direct" in options.get("iflag" if is_read else "oflag", "").split(",")
    # "bs" overrides the other two, whatever their order
    both = options.get("bs")
    size = _number(both or options.get("ibs" if is_read else "obs"))
    # dd takes no 0, so a 0 is not what it was given
    return Operands(direction, size or None, direct, _number(both or options.get("obs") or "512"))


def _direction(given: str | None, to: str | None) -> str | None:
    """Say which way the data went, as far as the command tells."""
    if to in SINKS:
        return "read"
    if given in SOURCES:
        return "write"
    return "copy" if given and to else None


def _number(text: str | None) -> int | None:
    return shell.dd_number(text) if text else None


def odd_rate(printed: str | None, value: float | None) -> str:
    """Say that a printed rate contradicts bytes and seconds."""
    ours = units.human(value, "B/s")
    return f"printed rate {printed} is not bytes / seconds = {ours}; the latter is kept"


def spoiled(line: str) -> str:
    """Say that a line of bytes, seconds and rate cannot be read."""
    return (
        f"the line below the records is not as dd prints it ({line[:80]!r}): its bytes and seconds"
        " are left out; put it back as dd printed it"
    )


def coarse_seconds(seconds: str, value: float | None) -> str:
    """Say that seconds are too coarse to divide by."""
    kept = "the printed rate is kept" if value else "and too few for a rate"
    return f"the seconds are rounded to {seconds}: {kept}"


def odd_size(printed: str | None, amount: int) -> str:
    """Say that a printed size is not that of the bytes."""
    return f"printed size {printed} is not {amount} bytes; the latter is kept"


def odd_records(amount: int, out: object, size: int | None = None) -> str:
    """Say that bytes are not so many records, of any size or of the command's."""
    if size is None:
        return f"{amount} bytes cannot be {out} records of one size"
    return f"{amount} bytes are not {out} records of {size} bytes (the command's)"
