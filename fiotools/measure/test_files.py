"""Test files: full of random data, on the disk, read once, and out of the page cache again."""

from __future__ import annotations

import os
import random
import tarfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from fiotools.measure import page_cache
from fiotools.measure.signals import Watch

_CHUNK = 4 * 2**20
_FLUSH = 16 * _CHUNK  # a slow disk is asked to keep up, so that no flush takes minutes


def fill(path: Path, size: int, watch: Watch, tick: Callable[[int], object]) -> None:
    """Write a new file of random data, which nothing below can compress or leave out; read it once.

    Where a host or a server has a cache, the first reading fills it and is slower than all others:
    none of the runs is to be that one.
    """
    handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600)
    try:
        _write(handle, size, watch, tick)
        os.fsync(handle)
    finally:
        os.close(handle)
    page_cache.drop(path)
    with path.open("rb", buffering=0) as file:
        while done := len(file.read(_CHUNK)):
            watch.check()
            tick(done)
    page_cache.drop(path)


def in_memory(size: int, watch: Watch, tick: Callable[[int], object]) -> int | None:
    """Make random data in memory; None where the system has no file without a folder (Linux)."""
    if not hasattr(os, "memfd_create"):
        return None
    handle = os.memfd_create("fiotools-random")
    try:
        _write(handle, size, watch, tick)
    except BaseException:
        os.close(handle)
        raise
    return handle


def _write(handle: int, size: int, watch: Watch, tick: Callable[[int], object]) -> None:
    left = size
    while left:
        watch.check()
        done = os.write(handle, os.urandom(min(left, _CHUNK)))
        left -= done
        tick(done)
        if left // _FLUSH < (left + done) // _FLUSH:
            os.fsync(handle)


def tarball(path: Path, files: int, folders: int, size: int, watch: Watch) -> None:
    """Write a tarball of small files: the same on every machine, sizes as in a source tree.

    Sizes are log-normal, as those of source files are, and their sum is `size`. The data does not
    compress.
    """
    chance = random.Random(20221230)
    names = ["tree"]
    while len(names) < folders:
        parent = names[min(int(chance.expovariate(0.08)), len(names) - 1)]
        names.append(f"{parent}/folder-{len(names):03d}")
    weights = [chance.lognormvariate(0, 1.3) for _ in range(files)]
    total = sum(weights)
    sizes = [int(size * weight / total) for weight in weights]
    sizes[-1] += size - sum(sizes)
    with (
        path.open("xb") as raw,
        tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for name in names:
            tar.addfile(_entry(name, tarfile.DIRTYPE, 0o755))
        for number, bytes_ in enumerate(sizes):
            watch.check()
            one = _entry(f"{names[number % folders]}/file-{number:04d}.c", tarfile.REGTYPE, 0o644)
            one.size = bytes_
            tar.addfile(one, BytesIO(chance.randbytes(bytes_)))
        tar.close()
        raw.flush()
        os.fsync(raw.fileno())


def _entry(name: str, kind: bytes, mode: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode = kind, mode
    entry.mtime = 1672358400  # one that makes no clock complain
    return entry
