"""Many small sessions of the usual layout, read side by side.

The layout is that of ``time dd`` in bash: a command with plain operands, perhaps the progress that
``status=progress`` rewrites with carriage returns, coreutils' report, a blank line, bash's three
lines of time, and the end. What stands above the command, prompt and all, may be anything on which
`transcript` finds that command and nothing else: that is tried out once, on a session of our own.
What is not laid out so is read by `transcript`, and so is a report that asks for a closer look.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fiotools.errors import FileError
from fiotools.readers import dd_reports, time_columns, transcript, transcript_rows
from fiotools.readers.dd_columns import NEWLINE, Cuts
from fiotools.readers.transcript_rows import Sessions, Typed
from fiotools.tables import Tables

if TYPE_CHECKING:
    from fiotools.joining import Piece
    from fiotools.readers.dd_columns import Integers

_FEW = 8  # files: so few are read one by one
_LARGEST = 2**16  # bytes: a larger file gains nothing by company
_TRIALS = 64  # what stands above the commands differs more often than is usual
_RETURN = ord("\r")
_BELOW = 7  # lines from the report to the end
_COMMAND = re.compile(
    r"time (?:sudo )?dd((?: [a-z]{1,20}=(?:[A-Za-z0-9_./:-]|,(?=[a-z])){1,200}){1,20})"
)
# what another reader, a mailer or a packer might see in an operand
_ODD = re.compile(r"real|Real|elapsed|system|fio|meminfo|ustar|=3D")
_MACHINE = re.compile(rb"free|meminfo|lsblk")
_TRIED = "time dd if=/a of=/b bs=1M"
_REPORT = (
    "\n\r9000000 bytes (9.0 MB, 8.6 MiB) copied, 1 s, 9.0 MB/s\n1+0 records in\n1+0 records out\n"
    "1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.5 s, 2.1 MB/s\n"
    "\nreal\t0m0.501s\nuser\t0m0.001s\nsys\t0m0.002s\n"
)


class Bulk:
    """Takes sessions of the usual layout, as `fiotools.readers.base.Bulk` says."""

    def __init__(self, wanted: Collection[str] | None) -> None:
        self._wants = Tables("", wanted).wants
        self._numbers: list[int] = []
        self._texts: list[bytes] = []
        self._tried: dict[bytes, _Above] = {}

    def take(self, number: int, data: bytes) -> bool:
        """Take a file if it ends as such a session does."""
        if data[-2:] != b"s\n" or b"\nreal\t" not in data[-100:] or len(data) > _LARGEST:
            return False
        self._numbers.append(number)
        self._texts.append(data)
        return True

    def finish(self) -> tuple[dict[str, list[Piece]], list[int]]:
        """Give the rows of the sessions, and the numbers of the files that are none."""
        if len(self._numbers) < _FEW:
            return {}, self._numbers
        sessions = self._sessions()
        numbers = np.array(self._numbers, dtype=np.int32)
        odd = np.delete(numbers, sessions.file).tolist()
        sessions.file = numbers[sessions.file]
        return transcript_rows.pieces(sessions, self._wants), odd

    def _sessions(self) -> Sessions:
        """Find the sessions in the files, and read them."""
        cuts = Cuts(b"".join(self._texts))
        places = _places(cuts, self._texts)
        stops, last = places.stops, places.last
        final, is_final = dd_reports.read(cuts, [stops[last - below] for below in (7, 6, 5, 4)])
        times, are_times = zip(
            *(
                time_columns.durations(cuts, stops[last - below - 1], stops[last - below], label)
                for below, label in ((2, b"real"), (1, b"user"), (0, b"sys"))
            ),
            strict=True,
        )
        good = is_final & np.logical_and.reduce(are_times)
        good &= cuts.at[stops[last - 3]] == cuts.at[stops[last - 4]] + 1
        progress = places.progress()
        shown, is_shown = dd_reports.read_figures(
            cuts, stops[progress - 1], stops[progress], is_progress=True
        )
        owner = np.arange(len(last)).repeat(places.count)
        good[owner[~is_shown]] = False
        typed = self._typed(places, good)
        sessions = Sessions(
            cuts, places.file, places.line, typed, final, (stops[last - 5], stops[last - 4]), 
        )
        return sessions
