"""Independent tasks: in this process, in processes of our own, or on any executor.

An executor needs only the interface of `concurrent.futures`: `submit`, and futures.

Our own processes do one task each at a time. The pools of the standard library end all processes if
one ends during a task, and do not say which task it was. Here a thread for each process sends it
tasks through a pipe and sees at once that it is gone: only that task is lost. Tasks arrive at the
process's standard input and answers leave by its standard output. A message is a pickle, followed
by the buffers of its arrays as they lie in memory. Unlike with multiprocessing, the program itself
is not run again, so a script needs no ``__main__`` of its own.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import subprocess
import sys
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from io import BufferedReader, BufferedWriter
from multiprocessing.spawn import get_executable
from queue import Empty, SimpleQueue
from threading import Lock, Thread, local
from typing import Any, Literal, TypeVar

from fiotools.errors import SchemaError, WorkerError, argument, in_shell, is_shell

# the program of a process; the path comes first, so that this module is found
PROGRAM = """
import pickle, sys
try:
    sys.path[:] = pickle.load(sys.stdin.buffer)
except EOFError:  # the program has ended already
    sys.exit()
from fiotools.input.workers import work
work()
"""
_STARTS = 3  # attempts: a process may be killed while it starts
Task = TypeVar("Task")
Result = TypeVar("Result")
_AHEAD = 2  # tasks waiting for our processes, so that none of them idles
_AT_FIRST, _AT_MOST = 64, 4096  # tasks at once on an executor of unknown size
_HOPELESS = 100  # losses without a success in between: the tasks are not the reason


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
    """Read a message; raise EOFError if the writer is gone."""
    (count,) = struct.unpack("<Q", _exactly(stream, 8))
    sizes = struct.unpack(f"<{count}Q", _exactly(stream, 8 * count))
    return [_exactly(stream, size) for size in sizes]


def unpacked(pieces: list[bytearray]) -> Any:
    """Return the value of a message."""
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
    """Do tasks until there are no more: the main function of the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who gave the task says when to stop
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    tasks = os.fdopen(os.dup(0), "rb")
    # output of a task must not mix with the answers
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    sys.stdout = sys.stderr
    _give(answers, packed(os.getpid()))
    given: SimpleQueue[list[bytearray]] = SimpleQueue()
    Thread(target=_listen, args=(tasks, given), daemon=True).start()
    with ThreadPoolExecutor(1) as thread:  # keeps whatever a task raises
        while True:
            _give(answers, _done(thread, given.get()))


def _give(answers: BufferedWriter, pieces: list[Any]) -> None:
    """Send an answer; end the process silently if the parent is gone."""
    try:
        send(answers, pieces)
    except OSError:
        os._exit(0)


def _listen(tasks: BufferedReader, given: SimpleQueue[list[bytearray]]) -> None:
    """Take tasks; end the process with its parent, even during a task."""
    while True:
        try:
            given.put(receive(tasks))
        except (EOFError, OSError):
            os._exit(0)


def _done(thread: ThreadPoolExecutor, message: list[bytearray]) -> list[Any]:
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


class LostError(BrokenExecutor):
    """A process ended in the middle of a task."""


class Processes:
    """So many processes at most, each started when there is work for it; the block ends them."""

    def __init__(self, count: int) -> None:
        self._environment = _environment(count)
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="fiotools")
        self._mine = local()
        self._lock = Lock()
        self._all: set[subprocess.Popen[bytes]] = set()
        self._is_closed = False

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            self._is_closed = True
            for process in self._all:
                process.kill()
        self._threads.shutdown()
        for process in self._all:
            _end(process)

    def submit(self, function: Callable[..., Any], *given: Any) -> Future[Any]:
        """Have a function called in one of the processes, or say why it cannot be sent there."""
        try:
            message = packed((function, given))
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
        except MemoryError:  # an answer too large for this process; its rest is still in the pipe
            process.kill()
            self._lost(process)
            raise LostError("its answer does not fit into the memory") from None
        result, error, where = unpacked(answer)
        if error is None:
            return result
        raise error from _RemoteError(where)

    def _process(self) -> subprocess.Popen[bytes]:
        """Return this thread's process; start one if there is none."""
        process: subprocess.Popen[bytes] | None = getattr(self._mine, "process", None)
        if process is not None and process.poll() is None:
            return process
        if process is not None:  # it ended while it had nothing to do
            self._lost(process)
        for _ in range(_STARTS):
            with self._lock:
                if self._is_closed:
                    raise LostError("all processes are ending")
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
    """Limit each process to its share of the processors, unless the environment says otherwise."""
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
            [get_executable(), "-P", "-c", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            **apart,
        )
    except OSError as error:
        raise WorkerError(f"a worker process cannot be started: {error}") from error


def _answer(process: subprocess.Popen[bytes], message: list[Any]) -> list[bytearray]:
    tasks, answers = _pipes(process)
    send(tasks, message)
    return receive(answers)


def _pipes(process: subprocess.Popen[bytes]) -> tuple[BufferedWriter, BufferedReader]:
    assert isinstance(process.stdin, BufferedWriter)
    assert isinstance(process.stdout, BufferedReader)
    return process.stdin, process.stdout


def _end(process: subprocess.Popen[bytes]) -> int:
    process.kill()
    for stream in _pipes(process):
        with suppress(OSError):  # the reader of the remaining bytes is gone
            stream.close()
    return process.wait()


def run(
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    retries: int = 2,
    errors: Literal["raise", "return"] = "raise",
) -> Generator[tuple[int, Result], None, None]:
    """Return (number of the task, result) as they are done, in any order, each exactly once.

    To stop in the middle, close the generator (``with closing(run(...)) as done:``): what
    was not begun is cancelled then, and processes of ours are ended at once, as by Ctrl-C.

    Tasks may come without end: only a bounded number is under way. They are done by ``workers``
    processes of our own (1 and None: by this one), for which the function must be found by its name
    in a module; or by an ``executor``, which is never shut down here, so many at once.

    A task whose process ended in the middle of it is done again, ``retries`` times, the last time
    without others at its side. If it is lost each time, its `WorkerError` is raised, or is its
    result if ``errors`` are returned. An error of the function itself is raised, and not retried.

    Examples
    --------
    >>> sorted(run(abs, [-3, 1, -2]))
    [(0, 3), (1, 1), (2, 2)]
    """
    check(workers, executor)
    if executor is not None:
        return _Tasks(executor.submit, retries, errors, workers).run(function, tasks)
    if workers is None or workers == 1:
        return ((number, function(task)) for number, task in enumerate(tasks))
    return _in_processes(function, tasks, workers, retries, errors)


def check(workers: object, executor: object) -> None:
    """Refuse a bad number of processes, or a bad executor."""
    if workers is not None and not (isinstance(workers, int) and workers >= 1):
        raise SchemaError(f"{argument('workers', workers)}: give a number of processes, at least 1")
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise SchemaError(
            f"{executor!r} is not an executor, it has no submit(): give one of concurrent.futures,"
            " or what Dask's client.get_executor() returns"
        )


def _in_processes(
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    workers: int,
    retries: int,
    errors: str,
) -> Generator[tuple[int, Result], None, None]:
    with Processes(workers) as processes:
        yield from _Tasks(processes.submit, retries, errors, workers).run(function, tasks)


@dataclass
class _Job:
    number: int
    task: Any
    lost: int = 0  # times


class _Tasks:
    """Tasks under way: lost ones are repeated, and each result is returned once."""

    def __init__(
        self, submit: Callable[..., Future[Any]], retries: int, errors: str, size: int | None
    ) -> None:
        self._submit, self._retries, self._errors = submit, retries, errors
        self._limit = _AT_FIRST if size is None else size + _AHEAD
        self._grows = size is None
        self._under_way: dict[Future[Any], _Job] = {}
        self._done: SimpleQueue[Future[Any]] = SimpleQueue()
        self._again: deque[_Job] = deque()
        self._alone: deque[_Job] = deque()  # on their last go: nobody else may be under way
        self._given = self._in_vain = 0

    def run(
        self, function: Callable[[Any], Any], tasks: Iterable[Any]
    ) -> Generator[tuple[int, Any], None, None]:
        jobs = (_Job(number, task) for number, task in enumerate(tasks))
        # no two calls look alike: Dask takes calls that do for one, and gives its result for both
        call = partial(_call, function, is_shell(), os.urandom(8).hex())
        try:
            while True:
                refused = self._fill(call, jobs)
                if not self._under_way:
                    if refused is not None:
                        raise WorkerError(
                            f"the executor takes no more tasks ({_said(refused)}) after"
                            f" {self._given} were done"
                        ) from refused
                    return
                yield from self._next()
        finally:
            for future in self._under_way:
                future.cancel()

    def _fill(self, call: Callable[..., Any], jobs: Iterator[_Job]) -> Exception | None:
        """Put tasks under way, as many as there is room for; say why if they are refused."""
        while job := self._choose(jobs):
            try:
                future = self._submit(call, job.lost, job.number, job.task)
            except WorkerError:
                raise
            except RuntimeError as error:  # BrokenExecutor is one, and what a closed one raises
                self._again.appendleft(job)
                return error
            self._under_way[future] = job
            future.add_done_callback(self._done.put)
        return None

    def _choose(self, jobs: Iterator[_Job]) -> _Job | None:
        under_way = len(self._under_way)
        if self._alone:
            return None if under_way else self._alone.popleft()
        first = next(iter(self._under_way.values()), None)
        if under_way >= self._limit or (first and 0 < first.lost == self._retries):
            return None
        return self._again.popleft() if self._again else next(jobs, None)

    def _next(self) -> Generator[tuple[int, Any], None, None]:
        """Wait until one is done, and give its result if it has one."""
        future = _taken(self._done)
        job = self._under_way.pop(future)
        error = CancelledError() if future.cancelled() else future.exception()
        if error is None:
            self._given += 1
            self._in_vain = 0
            yield job.number, future.result()
        elif not _is_loss(error):
            raise error
        else:
            self._in_vain += 1
            if self._in_vain == _HOPELESS:
                raise WorkerError(
                    f"{_HOPELESS} tasks in a row ended their worker process ({_said(error)}), after"
                    f" {self._given} were done"
                ) from error
            job.lost += 1
            if job.lost < self._retries:
                self._again.append(job)
            elif job.lost == self._retries:
                self._alone.append(job)
            else:
                yield job.number, self._gone(job, error)
        if self._grows and self._done.empty() and self._limit < _AT_MOST:
            self._limit += 1  # results are taken as fast as they come: more may be under way

    def _gone(self, job: _Job, error: BaseException) -> WorkerError:
        times = "once" if job.lost == 1 else f"{job.lost} times, the last one alone"
        gone = WorkerError(f"ended its worker process {times} ({_said(error)})", task=job.number)
        if self._errors == "raise":
            raise gone from error
        self._given += 1
        return gone


def _call(
    function: Callable[[Any], Any], shell: bool, run: str, go: int, number: int, task: Any
) -> Any:
    with in_shell() if shell else nullcontext():  # messages are written there, and read here
        return function(task)


def _taken(done: SimpleQueue[Future[Any]]) -> Future[Any]:
    """Wait for the next; by the second, because on Windows Ctrl-C does not end a longer wait."""
    while True:
        try:
            return done.get(timeout=1)
        except Empty:
            continue


def _is_loss(error: BaseException) -> bool:
    """Return whether a task failed because its worker did, or had not the memory."""
    # Dask's own error for that, by name: nothing here imports Dask
    named = f"{type(error).__module__}.{type(error).__name__}"
    return (
        isinstance(error, BrokenExecutor | CancelledError | MemoryError)
        or named == "distributed.scheduler.KilledWorker"
    )


def _said(error: BaseException) -> str:
    return (str(error) or type(error).__name__).partition("\n")[0].partition(". ")[0].rstrip(".")
