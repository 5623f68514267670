"""Files as they lie somewhere: packed, remote, locked, and written whole or not at all."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

from fiotools.errors import MissingPackageError

DATASET = "_fiotools.json"  # the file that makes a folder a dataset
PACKED = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"(\xb5/\xfd": "zstd", b"BZh": "bzip2"}
NAME = "[a-z_][a-z0-9_]*"  # of a field of a path template
_DIGITS = re.compile("([0-9]+)")


def is_packed(head: bytes) -> bool:
    """Return whether a file is packed, by its first bytes."""
    return head.startswith(tuple(PACKED))


def needed(name: str, what: str, extra: str = "scale") -> Any:
    """Import a module that only an extra of fiotools installs, or say what to install."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise MissingPackageError(
            f"{what} needs {error.name}: python -m pip install 'fiotools[{extra}]'", name=error.name
        ) from None


def natural(path: str) -> tuple[list[str | int], str]:
    """Return the key that sorts paths as people do: qd4 before qd16.

    Examples
    --------
    >>> sorted(["qd16.json", "qd4.json", "qd1.json"], key=natural)
    ['qd1.json', 'qd4.json', 'qd16.json']
    """
    parts = _DIGITS.split(path)  # every other part is a number
    return [int(part) if at % 2 else part for at, part in enumerate(parts)], path
