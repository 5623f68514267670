"""A hard disk as slow as one: FILE, with seeks and turns, as ``FOLDER/disk`` (FUSE).

``python3 slow_disk.py FILE FOLDER [BYTES_PER_S]``, with Debian's python3-fusepy: a
loop device over ``FOLDER/disk`` is then a disk of 7,200 turns a minute without a write cache, for
`benchmarks.check_cases`.
"""

import os
import random
import sys
import threading
import time
from typing import Any

from fusepy import FUSE, Operations  # type: ignore[import-not-found]  # of the system alone

TURN = 60 / 7200
NEAREST, ACROSS = 0.5e-3, 12e-3  # s: a seek to the next track, and over the whole disk
AHEAD = 4 << 20


class Disk(Operations):  # type: ignore[misc]  # fusepy has no types
    """One file, and one arm that everybody waits for."""

    def __init__(self, path: str, rate: float) -> None:
        self.file, self.rate = os.open(path, os.O_RDWR), rate
        self.size, self.lock = os.fstat(self.file).st_size, threading.Lock()
        self.arm, self.free = 0, 0.0

    def getattr(self, path: str, handle: Any = None) -> dict[str, int]:
        """Show the folder, or the file in it."""
        del handle
        if path == "/":
            return {"st_mode": 0o40755, "st_nlink": 2}
        return {"st_mode": 0o100644, "st_nlink": 1, "st_size": self.size}

    def _wait(self, offset: int, length: int) -> None:
        """Wait for those before, for the arm, for the turn, and for the bytes to pass by."""
        with self.lock:
            away = abs(offset - self.arm)
            seek = NEAREST + (ACROSS - NEAREST) * (away / self.size) ** 0.5
            # a disk reads ahead: what comes soon after needs no seek
            took = seek + random.uniform(0, TURN) if away > AHEAD else 0
            self.arm = offset + length
            self.free = max(self.free, time.monotonic()) + took + length / self.rate
            until = self.free
        time.sleep(max(0.0, until - time.monotonic()))

    def read(self, path: str, length: int, offset: int, handle: int) -> bytes:
        """Read when the arm is there."""
        self._wait(offset, length)
        return os.pread(self.file, length, offset)

    def write(self, path: str, data: bytes, offset: int, handle: int) -> int:
        """Write when the arm is there."""
        self._wait(offset, len(data))
        return os.pwrite(self.file, data, offset)


if __name__ == "__main__":
    made = Disk(sys.argv[1], float(sys.argv[3]) if len(sys.argv) > 3 else 200e6)
    FUSE(made, sys.argv[2], foreground=False, big_writes=True)
