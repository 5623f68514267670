"""A lock that the system keeps on an open file, and frees when its holder ends: also by a kill."""

from __future__ import annotations

import errno
import sys

# errors of file systems that cannot lock
_UNABLE = {errno.EBADF, errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS, errno.EISDIR}


def take(handle: int, *, inherited: bool) -> bool | None:
    """Lock an open file; with ``inherited`` also a folder (not on Windows).

    Return whether it is ours now: not if another has it; None where the file system cannot lock.

    Parameters
    ----------
    handle : int
    inherited : bool
        Whether processes that inherit the open file share the lock, and keep it after us. If not,
        processes that a killed program leaves running (those of an executor) hold nothing.
    """
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    import fcntl

    try:
        (fcntl.flock if inherited else fcntl.lockf)(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError as error:
        if error.errno not in _UNABLE:
            raise
        return None
    return True
