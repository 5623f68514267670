"""Many small sessions of the usual layout, read side by side.

The layout is that of ``time dd`` in bash: a command with plain operands, perhaps the progress that
``status=progress`` rewrites with carriage returns, coreutils' report, a blank line, bash's three
lines of time, and the end. What stands above the command, prompt and all, may be anything on which
`transcript` finds that command and nothing else: that is tried out once, on a session of our own.
What is not laid out so is read by `transcript`, and so are reports that ask for a closer look.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fiotools.readers import dd_reports, time_columns
from fiotools.readers.dd_columns import NEWLINE, Cuts
from fiotools.readers.transcript_rows import Command, Sessions, pieces
from fiotools.tables import Tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fiotools.joining import Piece
    from fiotools.readers.dd_columns import Flags, Integers

_LARGEST = 2**16  # a larger file gains nothing by company
_RETURN = ord("\r")
_BELOW = 7  # lines of report and time, with the blank one between
_BEGINS = b"time "
_COMMAND = re.compile(
    r"time (?:sudo )?dd((?: [a-z]{1,20}=(?:[A-Za-z0-9_./:-]|,(?=[a-z])){1,200}){1,20})"
)
# what the text around it might make of an operand: reports of others, a mailer's codes
_ODD = re.compile(r"real|Real|elapsed|system|fio|meminfo|ustar|=3D")
_TOLD = re.compile(rb"free|meminfo|lsblk")  # of the machine
_TRIALS = 64  # of what stands above commands: more is not usual
_TRIAL = "time dd if=/a of=/b bs=1M status=progress"
_REPORT = (
    "\n\r9000000 bytes (9.0 MB, 8.6 MiB) copied, 1 s, 9.0 MB/s\n1+0 records in\n1+0 records out\n"
    "1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.5 s, 2.1 MB/s\n"
    "\nreal\t0m0.501s\nuser\t0m0.001s\nsys\t0m0.002s\n"
)


class Bulk:
    """Takes sessions of the usual layout, as `fiotools.readers.base.Bulk` says."""

    def __init__(self, wanted: Collection[str] | None) -> None:
        self._wanted = wanted
        self._numbers: list[int] = []
        self._texts: list[bytes] = []
        self._above: dict[tuple[bytes, bytes], Above | None] = {}

    def take(self, number: int, data: bytes) -> bool:
        """Take a file if it ends as such a session does."""
        if data[-2:] != b"s\n" or b"\nreal\t" not in data[-100:] or len(data) > _LARGEST:
            return False
        self._numbers.append(number)
        self._texts.append(data)
        return True

    def finish(self) -> tuple[dict[str, list[Piece]], list[int]]:
        """Give the rows of the sessions, and the numbers of the files that are none."""
        if not self._numbers:
            return {}, []
        sessions = self._sessions()
        numbers = np.array(self._numbers, dtype=np.int32)
        odd = np.ones(len(numbers), dtype=bool)
        if sessions is None:
            return {}, numbers.tolist()
        odd[sessions.file] = False
        sessions.file = numbers[sessions.file]
        return pieces(sessions, Tables("", self._wanted).wants), numbers[odd].tolist()
