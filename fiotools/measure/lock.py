"""One campaign at a time in a folder, for as long as its process or one of its commands lives.

The folder itself is locked (flock), so that nothing has to be written into it and nothing is left
after a kill.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from pathlib import Path

from fiotools.errors import MeasureError

# file systems that cannot lock a folder
_UNABLE = {errno.EBADF, errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS, errno.EISDIR}
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
    if sys.platform == "win32":
        return _hold_file(folder)
    import fcntl

    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    until = time.monotonic() + _PATIENCE_S
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() < until:
                time.sleep(0.1)
                continue
            os.close(handle)
            raise _taken(folder) from None
        except OSError as error:
            os.close(handle)
            if error.errno not in _UNABLE:
                raise
            return None
        return handle


def _hold_file(folder: Path) -> int | None:
    """Lock a file that Windows deletes when it is closed."""
    if sys.platform == "win32":
        import msvcrt

        handle = os.open(folder / ".fiotools.lock", os.O_CREAT | os.O_RDWR | os.O_TEMPORARY)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            os.close(handle)
            raise _taken(folder) from None
        return handle
    return None


def _taken(folder: Path) -> MeasureError:
    return MeasureError(
        f"{folder}: another campaign is at work in this folder, or a command of one that was "
        "killed; two at once would measure each other: wait for its end"
    )
