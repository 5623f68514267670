"""The tools: which are installed, and one command in a process group of its own, until Ctrl-C.

A signal sets a flag that is looked at between two steps. An exception raised by a signal could
strike anywhere, also inside the code that removes what was made.
"""

from __future__ import annotations

import math
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import FrameType
from typing import IO, Any

from fiotools.errors import MeasureError

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")


class Interrupted(KeyboardInterrupt):
    """A signal stopped a campaign; its files are removed, its runs are kept.

    Attributes
    ----------
    number : int
        The signal.
    is_clean : bool
        Whether everything could be removed.
    """

    def __init__(self, number: int) -> None:
        self.number, self.is_clean = number, True
        super().__init__(f"stopped by {signal.Signals(number).name}")


class OutOfTimeError(Exception):
    """The time of a campaign is over."""


class Watch:
    """Tells when to stop: after a signal, or when the seconds for the work are over."""

    def __init__(self, seconds: float | None = None) -> None:
        self.seconds = math.inf if seconds is None else seconds
        self._began = time.monotonic()
        self._caught: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Watch:
        # only the main thread may set handlers, and no other is interrupted by signals
        if threading.current_thread() is threading.main_thread():
            for name in _NAMES:
                number = getattr(signal, name, None)
                # what was to be ignored (nohup) stays so
                if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._catch)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _catch(self, number: int, frame: FrameType | None) -> None:
        self._caught = self._caught or number

    def check(self) -> None:
        """Raise Interrupted or OutOfTimeError if there is a reason to stop."""
        if self._caught is not None:
            raise Interrupted(self._caught)
        if self.gone > self.seconds:
            raise OutOfTimeError

    @property
    def gone(self) -> float:
        """The seconds since it began."""
        return time.monotonic() - self._began


_POLL_S, _LATE_S = 0.2, 1.0
_GRACE_S, _SOON_S = 2.0, 0.01
# they would change what a tool does or prints
_DROPPED = ("TAR_OPTIONS", "TIMEFORMAT", "POSIXLY_CORRECT", "BASH_ENV", "ENV", "LANGUAGE", "TIME")
ENVIRONMENT = {"LC_ALL": "C"}
_PACKAGES = {"dd": "coreutils", "cat": "coreutils", "sync": "coreutils"}  # else as the tool
_MANAGERS = ("apt install", "dnf install", "zypper install", "apk add", "brew install")
_WINDOWS = {
    "fio": "winget install fio.fio",
    "diskspd": "winget install Microsoft.DiskSpd, or github.com/microsoft/diskspd/releases",
}


def environment() -> dict[str, str]:
    """Return the environment of the tools: ours, in English and without their options."""
    kept = {name: text for name, text in os.environ.items() if name not in _DROPPED}
    return {**kept, **ENVIRONMENT}


def run(
    argv: Sequence[str],
    *,
    folder: Path,
    stdout: IO[bytes] | int,
    stderr: IO[bytes] | int,
    watch: Watch,
    inherit: Sequence[int] = (),
) -> int:
    """Run a command to its end, or kill it and all its children; return its exit status.

    It keeps the open files ``inherit``: locks hold as long as a command lives, even if its campaign
    was killed.
    """
    apart: dict[str, Any] = {"start_new_session": True, "pass_fds": tuple(inherit)}
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    with subprocess.Popen(
        argv,
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        **apart,
    ) as process:
        try:
            while True:
                watch.check()
                try:
                    status = process.wait(_POLL_S)
                except subprocess.TimeoutExpired:
                    continue
                if status < 0:
                    # A signal of the terminal kills it too, until it has a session of its own. The
                    # campaign's may go to another thread, and a busy machine runs that later.
                    time.sleep(_LATE_S)
                    watch.check()
                return status
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the rest of the group; the leader is not reaped yet, so its number is its own.

    It may end by itself first: jobs of fio have sessions of their own, and only fio ends them.
    """
    if process.returncode is not None:
        return
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGTERM)
        until = time.monotonic() + _GRACE_S
        while not _has_ended(process.pid) and time.monotonic() < until:
            time.sleep(_SOON_S)
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _has_ended(child: int) -> bool:
    """Whether a child has ended, without reaping it; not known on macOS before Python 3.13."""
    how = getattr(os, "WNOWAIT", 0) | getattr(os, "WEXITED", 0) | getattr(os, "WNOHANG", 0)
    return hasattr(os, "waitid") and os.waitid(os.P_PID, child, how) is not None


def version(tool: str) -> str | None:
    """Return the first line of a tool's version; None if it does not tell."""
    path = shutil.which(tool)
    if path is None:
        return None
    try:
        done = subprocess.run(
            [path, "--version"],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            stdin=subprocess.DEVNULL,
            env=environment(),
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = (done.stdout or done.stderr).splitlines()
    told = [line.strip() for line in lines if any(letter.isdecimal() for letter in line)]
    return told[0][:200] if told else None


def install_hint(tool: str) -> str:
    """Tell how to install a tool.

    Examples
    --------
    >>> install_hint("cat").partition(", ")[0], install_hint("diskspd").partition(", ")[0]
    ('apt install coreutils', 'winget install Microsoft.DiskSpd')
    """
    if tool == "diskspd":
        return _WINDOWS[tool]
    package = _PACKAGES.get(tool, tool)
    ways = [f"{manager} {package}" for manager in _MANAGERS]
    return ", ".join([*ways, *filter(None, [_WINDOWS.get(tool)])])


def need(tools: Iterable[str]) -> None:
    """Refuse to begin without a tool; name each that is missing, and how to install it."""
    missing = [tool for tool in tools if shutil.which(tool) is None]
    if missing:
        told = "; ".join(f"{tool}: {install_hint(tool)}" for tool in missing)
        are = "are" if len(missing) > 1 else "is"
        raise MeasureError(f"{', '.join(missing)} {are} not installed (or not in PATH); {told}")
