"""The rounds of a campaign: whole ones only, as many as there is time for, run after run."""

from __future__ import annotations

import hashlib
import os
import shlex
import signal
import time
from collections.abc import Callable, Collection
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from fiotools.errors import FileError, FiotoolsError, MeasureError
from fiotools.hints import argument, typed
from fiotools.measure import messages, page_cache, tools
from fiotools.measure.campaign import finished, wanted
from fiotools.measure.context import Work
from fiotools.measure.experiments.base import WRITTEN
from fiotools.measure.machine import span
from fiotools.measure.manifest import lines, now
from fiotools.measure.output import Raw
from fiotools.measure.plan import Run
from fiotools.measure.scratch import Scratch
from fiotools.measure.settling import LEAST, is_settled
from fiotools.measure.signals import OutOfTimeError, Watch
from fiotools.progress import bar

_EVERY_S = 30.0
_REST_S = 15.0  # of two minutes, for removing


class Pace:
    """Counts runs, and says now and then how many are done and how long the others take.

    Parameters
    ----------
    total : int
    say : callable or None
        None: say nothing.
    """

    def __init__(self, total: int, say: Callable[[str], object] | None) -> None:
        self._total, self._say, self._done = total, say, 0
        self._began = self._last = time.monotonic()

    def step(self, where: str) -> None:
        """Count one more."""
        self._done += 1
        now = time.monotonic()
        if self._say is None or now - self._last < _EVERY_S or self._done == self._total:
            return
        self._last = now
        left = (now - self._began) / self._done * (self._total - self._done)
        self._say(f"{self._done} of {self._total} runs, {where}; about {span(left)} left")


def do(work: Work, run: Run) -> None:
    """Do one run, and keep what it printed.

    Raises
    ------
    MeasureError, OSError, Interrupted, OutOfTimeError
    """
    scratch = work.stage.scratch[run.place]
    scratch.check()
    try:
        _do(work, run, scratch)
    except (OSError, MeasureError):
        scratch.check()  # where the place is gone, that is the reason
        raise


def _do(work: Work, run: Run, scratch: Scratch) -> None:
    command = work.experiment.command(run.workload, run.round, work.plan, work.stage)
    head = "" if command.shown is None else f"$ {command.shown}\n"
    if hasattr(os, "sync"):
        os.sync()  # so that no run pays for the writing of another
    read = work.experiment.before(run.workload, run.round, scratch)
    share = None if read is None else page_cache.share_pct(read)
    told: dict[str, Any] = {
        **{name: getattr(run, name) for name in ("order", "place", "workload", "round")},
        "file": run.file,
        "command": command.shown or shlex.join(command.argv),
        "argv": command.argv,
        "session": work.number,
        "resident_pct": share,
        "load_1min": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }
    raw = Raw(work.folder, run.file, head)
    random = [] if work.stage.random is None else [work.stage.random]
    try:
        told["started_at"], began = now(), time.perf_counter()
        status = tools.run(
            command.argv,
            folder=scratch.path / command.folder,
            stdout=raw.handle,
            stderr=raw.errors,
            watch=work.watch,
            inherit=[*work.locks, *random],
        )
        told["seconds"] = round(time.perf_counter() - began, 6)
        said = raw.said()
        wrong = _exit(status) if status else _unreadable(raw.part, *work.experiment.metric)
        if wrong is not None:
            raise MeasureError(
                f"{_tool(command.argv)} failed on {run.place} ({wrong}), workload {run.workload}, "
                f"round {run.round}:\n{said}"
            )
        scratch.check()
        (scratch.path / WRITTEN).unlink(missing_ok=True)
        told["stderr"] = "" if head else said
        told["sha256"] = hashlib.sha256(raw.part.read_bytes()).hexdigest()
        told["bytes"] = raw.keep()
        try:
            work.manifest.write("run", told)
        except MeasureError:
            raw.path.unlink()  # no output is there that the manifest does not have
            raise
    finally:
        raw.drop()
    expected = work.experiment.expected_pct(run.workload)
    # that nothing in memory is ever cold was said before
    if share is not None and abs(share - expected) > 5 and not scratch.place.is_memory:
        remark = messages.unlike(run.place, run.workload, share, expected)
        work.unlike.setdefault((run.place, run.workload), remark)


def _exit(status: int) -> str:
    """Say how a command ended that did not end well."""
    if status > 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"


def _unreadable(part: Path, table: str, metric: str) -> str | None:
    """Say why a raw output is none that can be read: a tool may end well and print something else.

    Read at once, and not when the campaign is over: all other runs would be in vain.
    """
    from fiotools.input.read import read

    try:
        frame = getattr(read(part, tables=(table,)), table)
    except FileError as error:
        return error.reason
    except FiotoolsError as error:
        return str(error)
    return None if frame[metric].notna().any() else f"its output has no {metric}"


def _tool(argv: tuple[str, ...]) -> str:
    """Name what was run: of a script, the tool in it."""
    return argv[-1].removeprefix("time ") if argv[0] == "bash" else argv[0]


class _Clock:
    """Says whether one more round would end in time: a part of one would favour some places."""

    def __init__(self, watch: Watch) -> None:
        self._watch, self._began, self._whole = watch, 0.0, 0
        self.longest, self.is_running = 0.0, False

    def begin(self, removal_s: float) -> None:
        """Begin a round, or raise if there is no time for it; the first is tried in any case."""
        left = self._watch.left
        if left is not None and self._whole:
            after = left - self.longest
            if after < 0 or after + _REST_S < removal_s * (self._whole + 1):
                raise OutOfTimeError
        self._began, self.is_running = self._watch.gone, True

    def end(self) -> None:
        """End a round."""
        self.longest = max(self.longest, self._watch.gone - self._began)
        self._whole, self.is_running = self._whole + 1, False


def measure(work: Work, done: Collection[int], *, progress: bool) -> tuple[str, str | None]:
    """Prepare, and do the runs that are missing; give the status, and what was left out.

    Raises
    ------
    MeasureError, Interrupted
    """
    missing = [
        run
        for run in work.plan.runs()
        if run.order not in done and (run.place, run.workload) not in work.left_out
    ]
    clock, number = _Clock(work.watch), 0
    try:
        _prepare(work, progress=progress)
        with bar(total=len(missing), unit=" runs", progress=progress) as shown:
            pace = Pace(len(missing), work.say if progress and shown.disable else None)
            for number, runs in groupby(missing, key=attrgetter("round")):
                clock.begin(work.stage.removal_s)
                for run in runs:
                    shown.set_description(f"{run.workload} on {run.place}, round {number}")
                    do(work, run)
                    shown.update()
                    pace.step(f"round {number} of {work.plan.rounds}")
                clock.end()
                ends = work.plan.until == "settled" and number >= LEAST
                if ends and is_settled(work.folder):
                    reason = f"every comparison has a verdict after {number} rounds"
                    work.say(reason)
                    return "settled", reason
    except OutOfTimeError:
        dropped = _drop(work, number) if clock.is_running else 0
        reason = _left_out(work, clock.longest, dropped)
        work.say(reason)
        return "out of time", reason
    finally:
        for remark in work.unlike.values():
            work.say(f"{'note':<13}{remark}")
    return "complete", None


def _prepare(work: Work, *, progress: bool) -> None:
    total = work.experiment.to_prepare(work.plan)
    with bar(total=total, desc="preparing", unit="B", unit_scale=True, progress=progress) as shown:
        work.stage = work.experiment.prepare(work.plan, work.stage, work.watch, shown.update)


def _drop(work: Work, number: int) -> int:
    """Remove the outputs of a round that did not end in time."""
    files = [work.folder / run.file for run in work.plan.runs() if run.round == number]
    there = [file for file in files if file.exists()]
    for file in there:
        file.unlink()
    return len(there)


def _left_out(work: Work, longest: float, dropped: int) -> str:
    """Say how many rounds there are, and how to have the others."""
    log = lines(work.folder)
    done = finished(work.folder, log)
    open_ = {run.round for run in wanted(work.plan, log) if run.order not in done}
    whole = work.plan.rounds - len(open_)
    smaller = "" if work.experiment.is_fixed else f"give a smaller {argument('size')}, "
    smaller += typed("or leave effort='quick' out", "or leave --quick out")
    limit = f"the {work.plan.limit_s:.0f} s of a quick campaign"
    if not whole:
        raise MeasureError(f"{limit} were over before one round was: {smaller}")
    text = f"{whole} of {work.plan.rounds} rounds were done in {limit}"
    if longest:
        text += f", of which one takes up to {span(longest)}"
    if dropped:
        text += f"; {dropped} runs of one that did not end were dropped"
    return f"{text}: for the others resume it, {smaller}"
