"""One process, and what the system says it took: the only place where anything is measured."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Timer
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "bench"
_MAXRSS = 1 if sys.platform == "darwin" else 1024  # bytes


class FailedError(Exception):
    """A process did not do what it was started for; this holds its last words."""


class Usage(NamedTuple):
    """What a process took, and those that it started and waited for.

    Attributes
    ----------
    cpu_s : float
        User and system.
    wall_s : float
    rss : int
        Bytes at the peak, of the largest of them.
    """

    cpu_s: float
    wall_s: float
    rss: int


def run(command: Sequence[str], *, timeout: float = 3600.0) -> Usage:
    """Run a command to its end; what it prints is thrown away.

    The process that calls this has to be a small one: to the system, the peak of a process begins
    with that of the one that started it.

    Raises
    ------
    FailedError
        If it does not exit with 0.
    """
    with tempfile.TemporaryFile() as said:
        begun = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
        )
        end = Timer(timeout, process.kill)
        end.daemon = True
        end.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        finally:
            end.cancel()
        wall = time.perf_counter() - begun
        if process.returncode != 0:
            raise FailedError(_last_line(said.fileno()) or f"exit code {process.returncode}")
    return Usage(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * _MAXRSS)


def environment() -> dict[str, str]:
    """Give the caller's, in which sets have one order, and what is compiled is kept.

    Without the latter each process compiles fiotools again, which is part of no reading.
    """
    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return own | {"PYTHONHASHSEED": "0", "PYTHONPYCACHEPREFIX": str(WORK / "compiled")}


def _last_line(file: int) -> str:
    size = os.lseek(file, 0, os.SEEK_END)
    lines = os.pread(file, 2000, max(0, size - 2000)).decode("utf-8", "replace").splitlines()
    return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "")
