"""Independent tasks: in this process, in processes of our own, or on any executor.

An executor needs only the interface of `concurrent.futures`: `submit`, and futures.

Our own processes are loky's, which do not run the program again: a script needs no ``__main__`` of
its own. If a process ends during a task, loky gives up all of them and does not say which task it
was. New ones are started then, and each task that was under way is done again, at last alone: so
the one that ends its process is named, and costs no other.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Literal, TypeVar

from fiotools.errors import SchemaError, WorkerError, argument, in_shell, is_shell

Task = TypeVar("Task")
Result = TypeVar("Result")
_AHEAD = 2  # tasks waiting for our processes, so that none of them idles
_AT_FIRST, _AT_MOST = 64, 4096  # tasks at once on an executor of unknown size
_HOPELESS = 100  # losses without a success in between: the tasks are not the reason
_LOOKS = 0.2  # s: how often a process looks whether this one is still there


def begin(parent: int) -> None:
    """Begin a process: silent where this one speaks, and gone when it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who gave the task says when to stop
    os.dup2(2, 1)  # standard output is that of the program
    sys.stdout = sys.stderr
    if sys.platform != "win32":
        Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    """End the process with its parent, even during a task."""
    while os.getppid() == parent:
        time.sleep(_LOOKS)
    os._exit(0)


class Processes:
    """So many processes; the block ends them."""

    def __init__(self, count: int) -> None:
        # each has its share of the processors, unless the environment says otherwise
        share = str(max(1, (os.cpu_count() or 1) // count))
        self._count = count
        self._environment = {
            "POLARS_MAX_THREADS": share,
            "OPENBLAS_NUM_THREADS": share,
            **os.environ,
        }
        self._executor: Executor | None = None

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def submit(self, function: Callable[..., Any], *given: Any) -> Future[Any]:
        """Have a function called in one of the processes."""
        try:
            return self._started().submit(function, *given)
        except BrokenExecutor:  # one of them ended
            self._end()
            return self._started().submit(function, *given)

    def _started(self) -> Executor:
        if self._executor is None:
            from loky import ProcessPoolExecutor  # type: ignore[import-untyped]

            self._executor = ProcessPoolExecutor(
                self._count,
                initializer=begin,
                initargs=(os.getpid(),),
                env=self._environment,
            )
        return self._executor

    def _end(self) -> None:
        executor: Any = self._executor
        if executor is not None:
            self._executor = None
            executor.shutdown(kill_workers=True)


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
    processes of our own (1 and None: by this one); or by an ``executor``, which is never shut down
    here, so many at once.

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
        elif isinstance(error, pickle.PicklingError):
            raise WorkerError(
                "this cannot be sent to a worker process: what it is given must be data"
            ) from error
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
