"""One conversion at a time into a dataset.

In a folder the system locks a file for as long as the process lives, so that a kill leaves nothing
behind. An object store knows no locks: there a file says who is at work, and after a kill somebody
has to remove it, unless it was a process of this machine that is gone.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import orjson

from fiotools.dataset.store import LOCK, Bucket, Folder, Store
from fiotools.errors import DatasetError
from fiotools.files import lock

_held: set[str] = set()  # by this process, to which the system would give its own lock again
_guard = threading.Lock()


@contextmanager
def held(store: Store) -> Iterator[None]:
    """Hold the lock of a dataset.

    Raises
    ------
    DatasetError
        If another conversion has it.
    """
    with _guard:
        if store.url in _held:
            raise DatasetError(f"{store.url}: another conversion of this program is at work there")
        _held.add(store.url)
    try:
        with _object(store) if isinstance(store, Bucket) else _file(store):
            yield
    finally:
        _held.discard(store.url)


@contextmanager
def _file(folder: Folder) -> Iterator[None]:
    Path(folder.url).mkdir(parents=True, exist_ok=True)
    how = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
    handle = os.open(folder.own(LOCK), how, 0o666)
    try:
        if lock.take(handle, inherited=False) is False:
            raise DatasetError(
                f"{folder.url}: another conversion is at work there; wait for its end"
            )
        yield
    finally:
        os.close(handle)


@contextmanager
def _object(store: Bucket) -> Iterator[None]:
    mine = {
        "host": socket.gethostname(),
        "process": os.getpid(),
        "since": f"{datetime.now(UTC):%Y-%m-%d %H:%M:%SZ}",
    }
    try:
        store.put(LOCK, orjson.dumps(mine), new=True)
    except FileExistsError:
        other = _read(store)
        if not _is_gone(other, mine["host"]):
            raise DatasetError(
                f"{store.url}: another conversion is at work there (process {other['process']} on"
                f" {other['host']}, since {other['since']}); if it was killed, remove"
                f" {store.place(LOCK)}"
            ) from None
        store.put(LOCK, orjson.dumps(mine))
    try:
        yield
    finally:
        store.remove([LOCK])


def _read(store: Bucket) -> dict[str, object]:
    unknown: dict[str, object] = {"host": "an unknown host", "process": "?", "since": "?"}
    with suppress(FileNotFoundError, orjson.JSONDecodeError):
        return {**unknown, **orjson.loads(store.read(LOCK))}
    return unknown


def _is_gone(other: dict[str, object], host: object) -> bool:
    """Say whether who holds it was a process of this machine, and is no more."""
    process = other["process"]
    if other["host"] != host or not isinstance(process, int) or sys.platform == "win32":
        return False
    if process == os.getpid():
        return True  # `held` knows of those at work
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
