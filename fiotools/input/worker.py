"""A process that does one task after another for another process; started by `processes`.

Tasks come in at its standard input and answers leave by its standard output, as messages: a pickle,
and after it the buffers of its arrays as they lie in memory. Nothing of the program that wants the
work done is run again here, as it is by multiprocessing: a script needs no ``__main__`` of its own.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from io import BufferedReader, BufferedWriter
from queue import SimpleQueue
from threading import Thread
from typing import Any

# what the interpreter is told to run; the path first, or else this module might not be found
PROGRAM = """
import pickle, sys
try:
    sys.path[:] = pickle.load(sys.stdin.buffer)
except EOFError:  # the program has ended already
    sys.exit()
from fiotools.input.worker import work
work()
"""


def packed(value: Any) -> list[Any]:
    """Make the pieces of a message; arrays are not copied."""
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    pieces = [head, *(buffer.raw() for buffer in buffers)]
    sizes = [len(piece) for piece in pieces]
    return [struct.pack(f"<{len(sizes) + 1}Q", len(sizes), *sizes), *pieces]


def send(stream: BufferedWriter, pieces: list[Any]) -> None:
    """Write a message."""
    for piece in pieces:
        stream.write(piece)
    stream.flush()


def receive(stream: BufferedReader) -> list[bytearray]:
    """Read a message.

    Raises
    ------
    EOFError
        If whoever should have written it is gone.
    """
    (count,) = struct.unpack("<Q", _exactly(stream, 8))
    sizes = struct.unpack(f"<{count}Q", _exactly(stream, 8 * count))
    return [_exactly(stream, size) for size in sizes]


def unpacked(pieces: list[bytearray]) -> Any:
    """Make of a message what it was made of."""
    return pickle.loads(pieces[0], buffers=pieces[1:])


def _exactly(stream: BufferedReader, size: int) -> bytearray:
    content = bytearray(size)
    left = memoryview(content)
    while left:
        count = stream.readinto(left)
        if not count:
            raise EOFError
        left = left[count:]
    return content


def work() -> None:
    """Do tasks until nobody gives any more: the main function of the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who gave the task says when to stop
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    tasks = os.fdopen(os.dup(0), "rb")
    # what a task prints must not get among the answers
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    sys.stdout = sys.stderr
    _give(answers, packed(os.getpid()))
    given: SimpleQueue[list[bytearray]] = SimpleQueue()
    Thread(target=_listen, args=(tasks, given), daemon=True).start()
    with ThreadPoolExecutor(1) as thread:  # keeps whatever a task raises
        while True:
            _give(answers, _answer(thread, given.get()))


def _give(answers: BufferedWriter, pieces: list[Any]) -> None:
    """Send an answer; end the process, in silence, if nobody is there to take it."""
    try:
        send(answers, pieces)
    except OSError:
        os._exit(0)


def _listen(tasks: BufferedReader, given: SimpleQueue[list[bytearray]]) -> None:
    """Take tasks; end the process with whoever gives them, also in the middle of one."""
    while True:
        try:
            given.put(receive(tasks))
        except (EOFError, OSError):
            os._exit(0)


def _answer(thread: ThreadPoolExecutor, message: list[bytearray]) -> list[Any]:
    """Do a task; the answer is (its result, None, "") or (None, its error, where it arose)."""
    done = thread.submit(_do, message)
    error = done.exception()
    if error is None:
        return done.result()
    where = "".join(traceback.format_exception(error))
    told = thread.submit(_survives, error, where)
    if told.exception() is None:
        return told.result()
    return packed((None, RuntimeError(f"{type(error).__name__}: {error}"), where))


def _do(message: list[bytearray]) -> list[Any]:
    function, given = unpacked(message)
    return packed((function(*given), None, ""))


def _survives(error: BaseException, where: str) -> list[Any]:
    pieces = packed((None, error, where))
    unpacked(pieces[1:])
    return pieces
