"""Processes: one that runs to its end, and one that is asked again and again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Timer
from typing import Any, NamedTuple, Self

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "bench"
MAXRSS = 1 if sys.platform == "darwin" else 1024  # bytes
_LONGEST = 3600.0  # seconds


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


def run(command: Sequence[str], *, cwd: Path = ROOT, timeout: float = _LONGEST) -> Usage:
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
            cwd=cwd,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
        )
        end = _ended_after(timeout, process)
        try:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        finally:
            end.cancel()
        wall = time.perf_counter() - begun
        if process.returncode != 0:
            raise FailedError(_last_words(said.fileno(), process.returncode))
    return Usage(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * MAXRSS)


class Child:
    """A process that is given lines, and answers each with a line of JSON.

    Parameters
    ----------
    command : sequence of str
    env : mapping of str to str
        What it has beside the environment of all.
    timeout : float
        Seconds for one answer.
    """

    def __init__(
        self, command: Sequence[str], env: Mapping[str, str] = {}, timeout: float = _LONGEST
    ) -> None:
        self._timeout = timeout
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 (closed by __exit__)
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**environment(), **env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            encoding="utf-8",
        )

    def ask(self, line: str = "") -> Any:
        """Give it a line, and return its answer.

        Raises
        ------
        FailedError
            If it ends instead, or takes too long.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        end = _ended_after(self._timeout, self._process)
        try:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:  # it had ended before it was asked
            answer = ""
        finally:
            end.cancel()
        if not answer:
            raise FailedError(_last_words(self._said.fileno(), self._process.wait()))
        return json.loads(answer)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()  # it is asked nothing more, and has nothing to put in order
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._said):
            assert stream is not None
            stream.close()


def environment() -> dict[str, str]:
    """Give the caller's, in which sets have one order, and what is compiled is kept.

    Without the latter each process compiles fiotools again, which is part of no reading.
    """
    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return own | {"PYTHONHASHSEED": "0", "PYTHONPYCACHEPREFIX": str(WORK / "compiled")}


def _ended_after(seconds: float, process: subprocess.Popen[Any]) -> Timer:
    end = Timer(seconds, process.kill)
    end.daemon = True
    end.start()
    return end


def _last_words(file: int, code: int) -> str:
    size = os.lseek(file, 0, os.SEEK_END)
    lines = os.pread(file, 2000, max(0, size - 2000)).decode("utf-8", "replace").splitlines()
    said = (line.strip()[:300] for line in reversed(lines) if line.strip())
    return next(said, f"exit code {code}")
