"""Processes of our own, as an executor: one task each at a time.

The standard library's pool is not used because of what it does when a process ends in the middle of
a task: it ends them all and does not say which task it was. Here each process has a thread of this
one, which gives it tasks through a pipe and sees at once that it is gone: only that task is lost.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from contextlib import suppress
from io import BufferedReader, BufferedWriter
from multiprocessing.spawn import get_executable
from threading import Lock, local
from types import TracebackType
from typing import Any

from fiotools.errors import WorkerError
from fiotools.input import worker

_STARTS = 3  # a process that was killed while it started has done nothing wrong


class LostError(BrokenExecutor):
    """A process ended in the middle of a task."""


class Processes:
    """Processes that do tasks; all are ended when the block is left, whatever they do.

    Parameters
    ----------
    count : int
        How many there are at most; each is started when there is work for it.
    """

    def __init__(self, count: int) -> None:
        self._environment = _environment(count)
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="fiotools")
        self._mine = local()
        self._lock = Lock()
        self._all: set[subprocess.Popen[bytes]] = set()
        self._is_closed = False

    def __enter__(self) -> Processes:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            self._is_closed = True
            for process in self._all:
                process.kill()
        self._threads.shutdown()
        for process in self._all:
            _end(process)

    def submit(self, function: Callable[..., Any], *given: Any) -> Future[Any]:
        """Have a function called in one of the processes.

        Raises
        ------
        WorkerError
            If the function or what it is given cannot be sent there.
        """
        try:
            message = worker.packed((function, given))
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise WorkerError(
                f"this cannot be sent to a worker process: {error}; a function must be found by its"
                " name in a module, and what it is given must be data"
            ) from error
        return self._threads.submit(self._do, message)

    def _do(self, message: list[Any]) -> Any:
        process = self._process()
        try:
            answer = _answer(process, message)
        except (EOFError, OSError):
            raise LostError(self._lost(process)) from None
        result, error, where = worker.unpacked(answer)
        if error is None:
            return result
        raise error from _RemoteError(where)

    def _process(self) -> subprocess.Popen[bytes]:
        """Give this thread's process, a new one if there is none."""
        process: subprocess.Popen[bytes] | None = getattr(self._mine, "process", None)
        if process is not None and process.poll() is None:
            return process
        if process is not None:  # it ended while it had nothing to do
            self._lost(process)
        for _ in range(_STARTS):
            with self._lock:
                if self._is_closed:
                    raise LostError("all are to end")
                process = self._mine.process = _started(self._environment)
                self._all.add(process)
            try:
                _answer(process, [pickle.dumps(sys.path)])
                return process
            except (EOFError, OSError):
                how = self._lost(process)
        raise WorkerError(f"a worker process cannot be started: it ends at once ({how})")

    def _lost(self, process: subprocess.Popen[bytes]) -> str:
        """Clear away a process that ended; say how it did."""
        with self._lock:
            self._all.discard(process)
            self._mine.process = None
        with suppress(subprocess.TimeoutExpired):  # its pipe may be closed a moment before
            process.wait(timeout=1)
        code = _end(process)
        if code < 0:
            with suppress(ValueError):  # a signal without a name
                return signal.Signals(-code).name
        return f"exit code {code}"


class _RemoteError(Exception):
    """Shows, as the cause of an error, where in the other process it arose."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def _environment(count: int) -> dict[str, str]:
    """Give each process its share of the processors, where nobody has said otherwise."""
    share = str(max(1, (os.cpu_count() or 1) // count))
    return {"POLARS_MAX_THREADS": share, "OPENBLAS_NUM_THREADS": share, **os.environ}


def _started(environment: dict[str, str]) -> subprocess.Popen[bytes]:
    # in a group of its own, so that Ctrl-C in a terminal is for this process alone, which then
    # ends the others: none of them has anything to say about it
    apart: dict[str, Any] = {"process_group": 0}
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    try:
        return subprocess.Popen(
            [get_executable(), "-P", "-c", worker.PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            **apart,
        )
    except OSError as error:
        raise WorkerError(f"a worker process cannot be started: {error}") from error


def _answer(process: subprocess.Popen[bytes], message: list[Any]) -> list[bytearray]:
    tasks, answers = _pipes(process)
    worker.send(tasks, message)
    return worker.receive(answers)


def _pipes(process: subprocess.Popen[bytes]) -> tuple[BufferedWriter, BufferedReader]:
    assert isinstance(process.stdin, BufferedWriter)
    assert isinstance(process.stdout, BufferedReader)
    return process.stdin, process.stdout


def _end(process: subprocess.Popen[bytes]) -> int:
    process.kill()
    for stream in _pipes(process):
        with suppress(OSError):  # what was left to write has no reader any more
            stream.close()
    return process.wait()
