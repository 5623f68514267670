"""The manifest: what was planned, on what, and each run as it ended, one JSON object a line.

A line is on the disk before anything follows it, so an interruption loses at most the run that it
struck. A last line that was cut off is dropped. Kinds of lines: ``campaign`` (the plan, once),
``session`` (the machine, the places and the tools, at each start), ``scratch`` (a folder that is
about to be made), ``run`` and ``end``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fiotools.errors import MeasureError

NAME = "manifest.jsonl"
FORMAT = 1
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)

Line = dict[str, Any]


def now() -> str:
    """Give the time as the manifest has it.

    Examples
    --------
    >>> len(now()), now()[-1]
    (24, 'Z')
    """
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Manifest:
    """Appends to the manifest of a folder; links are not followed."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        flags = os.O_CREAT | os.O_RDWR | os.O_APPEND | _NO_FOLLOW
        try:
            self._handle = os.open(self.path, flags, 0o644)
        except OSError as error:
            raise MeasureError(f"{self.path}: {error.strerror}") from None
        self._end_last_line()
        sync_folder(folder)

    def write(self, kind: str, facts: Mapping[str, Any]) -> Line:
        """Write a line, and wait until the disk has it."""
        line = {"kind": kind, **facts}
        data = json.dumps(line, ensure_ascii=False).encode("utf-8", "surrogateescape") + b"\n"
        whole = os.fstat(self._handle).st_size
        try:
            while data:
                data = data[os.write(self._handle, data) :]
            os.fsync(self._handle)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._handle, whole)  # the next line is not to follow half a one
            raise MeasureError(f"{self.path}: {error.strerror}") from None
        return line

    def close(self) -> None:
        """Close the file."""
        os.close(self._handle)

    def _end_last_line(self) -> None:
        """Cut off a line that a kill or a full disk left unfinished."""
        size = os.fstat(self._handle).st_size
        with os.fdopen(os.dup(self._handle), "rb") as file:
            file.seek(0)
            whole = file.read()
        end = whole.rfind(b"\n") + 1
        if end < size:
            os.ftruncate(self._handle, end)


def lines(folder: Path) -> list[Line]:
    """Read the manifest of a folder.

    Raises
    ------
    MeasureError
        If there is none, or it is damaged before its last line.
    """
    path = folder / NAME
    try:
        text = path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise MeasureError(
            f"{path}: {error.strerror}; a campaign's folder holds the {NAME} of its runs"
        ) from None
    found = []
    whole = text.split("\n")
    for number, one in enumerate(whole[:-1], 1):  # after the last end of line: nothing, or half
        try:
            line = json.loads(one)
        except ValueError:
            line = None
        if not isinstance(line, dict) or not isinstance(line.get("kind"), str):
            raise MeasureError(f"{path}:{number}: not a line of a manifest")
        found.append(line)
    if not found or found[0]["kind"] != "campaign":
        raise MeasureError(f"{path}: does not begin with a campaign")
    if found[0].get("format") != FORMAT:
        raise MeasureError(
            f"{path}: format {found[0].get('format')!r} of another version of fiotools; "
            f"this one knows {FORMAT}"
        )
    return found


def sync_folder(folder: Path) -> None:
    """Make the names in a folder last, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    except OSError:  # some file systems cannot, and keep names by themselves
        pass
    finally:
        os.close(handle)
