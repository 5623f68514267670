"""Which tools are there, and how to get one that is not."""

from __future__ import annotations

import shutil
from collections.abc import Iterable

from fiotools.errors import MeasureError
from fiotools.measure.process import version

_PACKAGES = {"dd": "coreutils", "cat": "coreutils", "sync": "coreutils"}  # else as the tool
_MANAGERS = ("apt install", "dnf install", "zypper install", "apk add", "brew install")
_WINDOWS = {
    "fio": "winget install fio.fio",
    "diskspd": "winget install Microsoft.DiskSpd, or github.com/microsoft/diskspd/releases",
}


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
