"""A lock on a folder, which the system frees when its holder ends: also by a kill.

The folder itself is locked, so nothing is written into it and nothing is left. Processes that
inherit the open folder share the lock, and keep it after us.
"""

from __future__ import annotations

import errno
import os
import time
from contextlib import ExitStack
from pathlib import Path

from fiotools.errors import MeasureError
from fiotools.measure.places import refused

# errors of file systems that cannot lock
_UNABLE = {errno.EBADF, errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS, errno.EISDIR}
_PATIENCE_S = 3.0  # the last command of a killed campaign may still be ending


def hold(folder: Path, stack: ExitStack) -> int:
    """Lock a folder for this campaign alone until the stack is closed; return the open folder.

    A file system that cannot lock has no lock.
    """
    with refused(folder):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        stack.callback(os.close, handle)
        until = time.monotonic() + _PATIENCE_S
        while not take(handle):
            if time.monotonic() >= until:
                raise MeasureError(
                    f"{folder}: another campaign is at work in this folder, or a command of one "
                    "that was killed; two at once would disturb each other: wait for its end"
                )
            time.sleep(0.1)
    return handle


def take(handle: int) -> bool:
    """Lock an open file or folder; return False if another has the lock."""
    import fcntl  # which Windows lacks: there a campaign can be read

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError as error:
        if error.errno not in _UNABLE:
            raise
    return True
