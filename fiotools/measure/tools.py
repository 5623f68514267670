"""The tools: which are there, how to get one, and one command in a process group of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from fiotools.errors import MeasureError
from fiotools.measure.signals import Watch

_POLL_S = 0.2
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
    """Give the environment that tools run in: ours, in English and without their options."""
    kept = {name: text for name, text in os.environ.items() if name not in _DROPPED}
    return {**kept, **ENVIRONMENT}


def run(
    argv: Sequence[str],
    *,
    folder: Path,
    stdout: int,
    stderr: int,
    watch: Watch,
    inherit: Sequence[int] = (),
) -> int:
    """Run a command to its end, or kill it and all that it started.

    Parameters
    ----------
    argv : sequence of str
    folder : Path
        Where it runs.
    stdout, stderr : int
        Open files for what it prints.
    watch : Watch
        Asked again and again whether to go on.
    inherit : sequence of int
        Open files that it keeps: locks hold for as long as a command lives, also where its campaign
        was killed.

    Returns
    -------
    int
        What it exited with.
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
                    # what a terminal sends us kills it too, until it has a session of its own
                    watch.check()
                return status
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill what still runs of the group; the leader is not reaped yet, so its number is its own."""
    if process.returncode is not None:
        return
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def version(tool: str) -> str | None:
    """Give the first line of what a tool says of its version; None if it says nothing of it."""
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
    """Say how a tool is installed.

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
    """Refuse to begin without a tool.

    Raises
    ------
    MeasureError
        It names each that is missing, and how to install it.
    """
    missing = [tool for tool in tools if shutil.which(tool) is None]
    if missing:
        told = "; ".join(f"{tool}: {install_hint(tool)}" for tool in missing)
        are = "are" if len(missing) > 1 else "is"
        raise MeasureError(f"{', '.join(missing)} {are} not installed (or not in PATH); {told}")


def versions(tools: Iterable[str]) -> dict[str, str | None]:
    """Give each tool's version, None where it does not tell."""
    return {tool: version(tool) for tool in tools}
