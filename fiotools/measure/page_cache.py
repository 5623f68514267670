"""The page cache of one file: dropped without root, and how much of the file it holds."""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
from pathlib import Path


def can_drop() -> bool:
    """Whether this system lets a user drop a file from the page cache."""
    return hasattr(os, "posix_fadvise")


def drop(path: Path) -> None:
    """Write a file's data to its device and ask the kernel to forget it; or do nothing."""
    if sys.platform == "win32" or not can_drop():
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)  # what is not yet written is not forgotten
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(handle)


def share_pct(path: Path) -> float | None:
    """Say which share of a file lies in memory, in percent; None where the system does not tell.

    Asked of the kernel (mincore), without touching the file.
    """
    if sys.platform != "linux":
        return None
    size = path.stat().st_size
    if not size:
        return None
    try:
        mincore = ctypes.CDLL(None, use_errno=True).mincore
    except (OSError, AttributeError):
        return None
    mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p]
    pages = -(-size // mmap.PAGESIZE)
    answer = ctypes.create_string_buffer(pages)
    with path.open("rb") as file, mmap.mmap(file.fileno(), size, access=mmap.ACCESS_COPY) as mapped:
        start = ctypes.c_char.from_buffer(mapped)
        failed = mincore(ctypes.addressof(start), size, answer)
        del start  # a mapping that is pointed at cannot be closed
    if failed:
        return None
    # only the last bit of each byte means something
    held = len(answer.raw.translate(None, bytes(range(0, 256, 2))))
    return 100 * held / pages
