"""What both readers of fio's logs share: a look at the first lines, directions, and clocks."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fiotools.sniff import Document
    from fiotools.tables import Tables

NUMBER = "[0-9]{1,18}"  # below 2^63
HEX = "0x[0-9a-f]{4}"
ROW = re.compile(rf"{NUMBER}(?:, ?(?:{NUMBER}|{HEX}))+", re.A)
DIRECTIONS = {0: "read", 1: "write", 2: "trim"}
UNFINISHED = "the last line does not end: it may be cut within a number, and is left out"

_CUT = re.compile("[0-9][0-9, x]*")
_HEAD = 1 << 16
_EPOCH_MS = 10**11  # no run lasts three years
_LATE_MS = 3_600_000


def first_rows(document: Document) -> list[str]:
    """Give those of the first lines of a text that look like a log's."""
    head = document.text[:_HEAD]
    lines = head[: head.rfind("\n") + 1].split("\n", 10)[:10]
    return [line for line in lines if ROW.fullmatch(line)]


def is_cut(document: Document) -> bool:
    """Whether a text is the beginning of a log's first line."""
    return _CUT.fullmatch(document.text.rstrip("\n"), 0, _HEAD) is not None


def time_zero(tables: Tables, times: NDArray[np.int64]) -> int:
    """Find what times count from: the run's start, or the first entry if they are Unix times.

    Parameters
    ----------
    times : numpy.ndarray
        The times of all rows, in ms.
    """
    first, last = int(times.min()), int(times.max())
    if first < _EPOCH_MS:
        if first > max(_LATE_MS, last - first):
            tables.note(
                f"the first entry is at {first / 1000:g} s: with log_alternate_epoch=1 times count"
                " from another clock's zero",
                run=tables.runs,
            )
        return 0
    tables.add("extras", run=tables.runs, path="time_zero_ms", text=str(first))
    when = ""
    if first < 10**14:
        when = f" ({datetime.fromtimestamp(first / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC)"
    tables.note(
        f"times are Unix times (log_unix_epoch=1): time_s counts from the first entry, {first} ms"
        + when,
        run=tables.runs,
    )
    return first
