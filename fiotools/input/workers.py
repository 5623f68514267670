"""Independent tasks: in this process, in processes of our own, or on anybody's executor.

Of an executor nothing is assumed but `concurrent.futures`' interface: `submit`, and futures.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Literal, TypeVar

from fiotools.errors import SchemaError, WorkerError
from fiotools.hints import argument, in_shell, is_shell

Task = TypeVar("Task")
Result = TypeVar("Result")

_AHEAD = 2  # tasks that wait for a process of ours, so that none of them idles
_AT_FIRST, _AT_MOST = 64, 4096  # tasks at once on an executor whose size nobody knows
_HOPELESS = 100  # losses with nothing done in between: it is not because of a task


def run(
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    retries: int = 2,
    errors: Literal["raise", "return"] = "raise",
) -> Generator[tuple[int, Result], None, None]:
    """Give (number of the task, result) as they are done, in any order, each exactly once.

    Whoever stops in the middle closes the generator (``with closing(run(...)) as done:``): what
    was not begun is cancelled then, and processes of ours are ended at once, as by Ctrl-C.

    Parameters
    ----------
    function : callable
        Takes a task. For other processes it must be found by its name in a module.
    tasks : iterable
        May be a generator without end: only a bounded number of tasks is under way.
    workers : int, optional
        How many processes of our own to use; 1 and None: this one, without any other. With
        ``executor``, how many tasks it does at once, if that is known.
    executor : concurrent.futures.Executor, optional
        Who does the tasks instead; it is never shut down here.
    retries : int
        How often a task is done again whose process ended in the middle of it, the last time
        without others at its side. An error of the function itself is raised, and not retried.
    errors : {"raise", "return"}
        What becomes of a task that was lost each time: its `WorkerError` is raised, or is given
        as its result, and the others go on.

    Raises
    ------
    WorkerError
        If a task was lost too often, or the executor takes no more; all that was done until then
        has been given.

    Examples
    --------
    >>> sorted(run(abs, [-3, 1, -2]))
    [(0, 3), (1, 1), (2, 2)]
    """
    check(workers, executor)
    if executor is not None:
        return _Tasks(executor.submit, retries, errors, workers).run(function, tasks)
    if workers is None or workers == 1:
        return _here(function, tasks)
    return _in_processes(function, tasks, workers, retries, errors)


def check(workers: object, executor: object) -> None:
    """Refuse what is no number of processes, and no executor."""
    if workers is not None and not (isinstance(workers, int) and workers >= 1):
        raise SchemaError(f"{argument('workers', workers)}: give a number of processes, from 1 on")
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise SchemaError(
            f"{executor!r} is no executor, it has no submit(): give one of concurrent.futures,"
            " or what Dask's client.get_executor() returns"
        )


def _here(
    function: Callable[[Task], Result], tasks: Iterable[Task]
) -> Generator[tuple[int, Result], None, None]:
    for number, task in enumerate(tasks):
        yield number, function(task)


def _in_processes(
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    workers: int,
    retries: int,
    errors: str,
) -> Generator[tuple[int, Result], None, None]:
    from fiotools.input.worker_pool import Processes

    with Processes(workers) as processes:
        yield from _Tasks(processes.submit, retries, errors, workers).run(function, tasks)


@dataclass
class _Job:
    number: int
    task: Any
    lost: int = 0  # times


class _Tasks:
    """Tasks under way: what is lost is done again, and nothing is given twice."""

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
    """Say whether a task failed because of who did it, and not because of what it is."""
    # Dask's own error for that, by name: nothing here imports Dask
    named = f"{type(error).__module__}.{type(error).__name__}"
    return (
        isinstance(error, BrokenExecutor | CancelledError)
        or named == "distributed.scheduler.KilledWorker"
    )


def _said(error: BaseException) -> str:
    return (str(error) or type(error).__name__).partition("\n")[0].partition(". ")[0].rstrip(".")
