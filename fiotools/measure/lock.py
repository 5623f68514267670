"""One campaign at a time in a folder, for as long as its process or one of its commands lives.

The folder itself is locked, so that nothing has to be written into it and nothing is left after a
kill; on Windows a file in it, which the system deletes when it is closed.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from fiotools.errors import MeasureError
from fiotools.files import lock

_PATIENCE_S = 3.0  # the last command of a killed campaign may still be ending


def hold(folder: Path) -> int | None:
    """Lock a folder.

    Returns
    -------
    int or None
        An open file that is the lock, to be closed; None where the folder cannot be locked.

    Raises
    ------
    MeasureError
        If another campaign has it.
    """
    handle = _opened(folder)
    until = time.monotonic() + _PATIENCE_S
    try:
        while (is_ours := lock.take(handle, inherited=True)) is False:
            if time.monotonic() >= until:
                raise MeasureError(
                    f"{folder}: another campaign is at work in this folder, or a command of one "
                    "that was killed; two at once would measure each other: wait for its end"
                )
            time.sleep(0.1)
    except BaseException:  # Ctrl-C while waiting, too
        os.close(handle)
        raise
    if is_ours is None:
        os.close(handle)
        return None
    return handle


def _opened(folder: Path) -> int:
    if sys.platform == "win32":
        return os.open(folder / ".fiotools.lock", os.O_CREAT | os.O_RDWR | os.O_TEMPORARY)
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
