"""Whether a file system takes direct I/O: tried, since none tells."""

from __future__ import annotations

import errno
import mmap
import os
from pathlib import Path

_REFUSALS = {errno.EINVAL, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS}


def refuses_direct(folder: Path) -> bool:
    """Write one block past the page cache, in a file that is removed again."""
    if not hasattr(os, "O_DIRECT"):
        return False
    file = folder / "direct.tmp"
    try:
        handle = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_DIRECT, 0o600)
        try:
            with mmap.mmap(-1, mmap.PAGESIZE) as block:  # aligned, as direct I/O wants it
                os.write(handle, block)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno not in _REFUSALS:
            raise  # no room, or a place that is gone
        return True
    finally:
        file.unlink(missing_ok=True)  # some make the file before they refuse
    return False
