"""Which tools are there, and how to get one that is not."""

from __future__ import annotations

import shutil
from collections.abc import Iterable

from fiotools.errors import MeasureError
from fiotools.measure.process import version

_INSTALL = {
    "fio": (
        "apt install fio, dnf install fio, zypper install fio, apk add fio, brew install fio, "
        "for Windows github.com/axboe/fio/releases"
    ),
    "dd": "apt install coreutils, dnf install coreutils, apk add coreutils",
    "cat": "apt install coreutils, dnf install coreutils, apk add coreutils",
    "sync": "apt install coreutils, dnf install coreutils, apk add coreutils",
    "tar": "apt install tar, dnf install tar, apk add tar",
    "bash": "apt install bash, dnf install bash, apk add bash",
    "sh": "apt install dash, dnf install bash",
    "diskspd": "winget install Microsoft.DiskSpd, or github.com/microsoft/diskspd/releases",
}


def install_hint(tool: str) -> str:
    """Say how a tool is installed."""
    return _INSTALL[tool]


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
