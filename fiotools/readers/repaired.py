"""A text that was repaired: where its lines came from, and what was done to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

# stands between texts of different places; the names of the host and of the program may follow it,
# each behind one
SEPARATOR = "\f"


class Remark(NamedTuple):
    """What was done to a text, and where: for the notes."""

    line: int | None
    message: str
    severity: str = "warning"


IsReport = Callable[[str], bool]  # whether a part of a tool's report stands in a text


class Repaired(NamedTuple):
    """A text without the damage.

    Attributes
    ----------
    text : str
    lines : list of int, or None
        For each line of the text the number of the line that it came from; None if they are equal.
    remarks : sequence of Remark
        What was left out or taken off.
    """

    text: str
    lines: list[int] | None = None
    remarks: Sequence[Remark] = ()
