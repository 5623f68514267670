"""One start of a campaign: locks, private folders, test files, runs, and everything removed again.

One campaign at a time works in a folder, until its process and its commands have ended. The folder
itself is locked, so nothing is written into it and nothing is left after a kill; on Windows it is a
file in the folder, which the system deletes when it is closed.
"""

from __future__ import annotations

import errno
import hashlib
import mmap
import os
import shlex
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fiotools._version import __version__
from fiotools.errors import FileError, FiotoolsError, MeasureError, argument, typed
from fiotools.files import lock
from fiotools.measure import machine, messages, tools
from fiotools.measure.campaign import campaign, finished, wanted
from fiotools.measure.experiment import WRITTEN, Experiment, Stage
from fiotools.measure.experiments import experiment_named
from fiotools.measure.machine import span
from fiotools.measure.output import FORMAT, NAME, Line, Manifest, Raw, lines, now
from fiotools.measure.places import Place, places_of
from fiotools.measure.plan import Plan, Run
from fiotools.measure.scratch import Scratch, left_over, remove_left_over, share_pct
from fiotools.measure.tools import Interrupted, OutOfTimeError, Watch, versions
from fiotools.progress import bar

if TYPE_CHECKING:
    import pandas as pd

_PATIENCE_S = 3.0  # the last command of a killed campaign may still be ending


def hold(folder: Path) -> int | None:
    """Lock a folder.

    Returns
    -------
    int or None
        An open file that is the lock, to be closed; None if the folder cannot be locked.

    Raises
    ------
    MeasureError
        If another campaign has it.
    """
    handle = _opened(folder)
    until = time.monotonic() + _PATIENCE_S
    try:
        while (is_ours := lock.take(handle, inherited=True)) is False:
            if time.monotonic() >= until:
                raise MeasureError(
                    f"{folder}: another campaign is at work in this folder, or a command of one "
                    "that was killed; two at once would disturb each other: wait for its end"
                )
            time.sleep(0.1)
    except BaseException:  # Ctrl-C while waiting, too
        os.close(handle)
        raise
    if is_ours is None:
        os.close(handle)
        return None
    return handle


def _opened(folder: Path) -> int:
    if sys.platform == "win32":
        return os.open(folder / ".fiotools.lock", os.O_CREAT | os.O_RDWR | os.O_TEMPORARY)
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


@dataclass
class Work:
    """What the steps of one start of a campaign share.

    Attributes
    ----------
    folder : Path
        The folder of the results.
    plan : Plan
    experiment : Experiment
    places : sequence of Place
    manifest : Manifest
    watch : Watch
    locks : sequence of int
        Open files that every command inherits.
    say : callable
    stage : Stage
    left_out : set of tuple
        Place and workload if the place refuses direct I/O.
    unlike : dict
        Messages about page caches that were not as expected.
    number : int
        The number of the start, from 1.
    """

    folder: Path
    plan: Plan
    experiment: Experiment
    places: Sequence[Place]
    manifest: Manifest
    watch: Watch
    locks: Sequence[int]
    say: Callable[[str], object]
    stage: Stage = field(default_factory=lambda: Stage({}))
    left_out: set[tuple[str, str]] = field(default_factory=set)
    unlike: dict[tuple[str, str], str] = field(default_factory=dict)
    number: int = 1


LEAST = 3  # rounds, for any verdict
MOST = 30  # by default


def is_settled(folder: Path) -> bool:
    """Whether all comparisons of a campaign's experiment have a verdict."""
    found = campaign(folder)
    experiment = experiment_named(found.asked.experiment)
    frame = getattr(found.results, experiment.metric[0])
    return not still_open(experiment, frame, next(iter(found.asked.places)))


def still_open(experiment: Experiment, frame: pd.DataFrame, first: str) -> int:
    """Count the comparisons with the first place that are undecided.

    The intervals hold at any number of looks: looking after each round, and stopping at a good
    result, does not make errors more frequent.
    """
    # which takes long to import
    from fiotools.stats.compare import compare, settled

    count = 0
    for asked in experiment.questions:
        rows = frame if asked.only is None else frame[frame[asked.only[0]].eq(asked.only[1])]
        if rows[asked.between].nunique() < 2:
            continue
        answer = compare(
            rows,
            experiment.metric[1],
            between=asked.between,
            baseline=asked.baseline or first,
            by=list(asked.by) or None,
            looks="any",
        )
        count += sum(not settled(verdict) for verdict in answer["verdict"])
    return count


_EVERY_S = 30.0
_REST_S = 15.0  # of two minutes, for removing


class Pace:
    """Counts runs, and reports progress and the time left now and then.

    Parameters
    ----------
    total : int
    say : callable or None
        None for no reports.
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
    """Do one run, and keep its output.

    Raises
    ------
    MeasureError, OSError, Interrupted, OutOfTimeError
    """
    scratch = work.stage.scratch[run.place]
    scratch.check()
    try:
        _do(work, run, scratch)
    except (OSError, MeasureError):
        scratch.check()  # a lost place is the reason
        raise


def _do(work: Work, run: Run, scratch: Scratch) -> None:
    command = work.experiment.command(run.workload, run.round, work.plan, work.stage)
    head = "" if command.shown is None else f"$ {command.shown}\n"
    if hasattr(os, "sync"):
        os.sync()  # so that no run waits for the writes of another
    read = work.experiment.before(run.workload, run.round, scratch)
    share = None if read is None else share_pct(read)
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
            raw.path.unlink()  # no output without a line of the manifest
            raise
    finally:
        raw.drop()
    expected = work.experiment.expected_pct(run.workload)
    # a message before told that nothing in memory is cold
    if share is not None and abs(share - expected) > 5 and not scratch.place.is_memory:
        remark = messages.unlike(run.place, run.workload, share, expected)
        work.unlike.setdefault((run.place, run.workload), remark)


def _exit(status: int) -> str:
    """Tell how a command failed."""
    if status > 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"


def _unreadable(part: Path, table: str, metric: str) -> str | None:
    """Tell why a raw output cannot be read: a tool may end well and print something else.

    It is read at once, because all other runs would be in vain.
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
    """Name the tool of a command, or the tool in a script."""
    return argv[-1].removeprefix("time ") if argv[0] == "bash" else argv[0]


class _Clock:
    """Tells whether one more round would end in time: half a round would favour some places."""

    def __init__(self, watch: Watch) -> None:
        self._watch, self._began, self._whole = watch, 0.0, 0
        self.longest, self.is_running = 0.0, False

    def begin(self, removal_s: float) -> None:
        """Begin a round, or raise if there is no time for it; the first always begins."""
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
    """Prepare, and do the missing runs; return the status, and the runs that were left out.

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
    """Remove the outputs of an unfinished round."""
    files = [work.folder / run.file for run in work.plan.runs() if run.round == number]
    there = [file for file in files if file.exists()]
    for file in there:
        file.unlink()
    return len(there)


def _left_out(work: Work, longest: float, dropped: int) -> str:
    """Tell how many rounds are done, and how to get the others."""
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


_REFUSALS = {errno.EINVAL, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS}


def refuses_direct(folder: Path) -> bool:
    """Write one block with direct I/O, in a file that is removed again."""
    if not hasattr(os, "O_DIRECT"):
        return False
    file = folder / "direct.tmp"
    try:
        handle = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_DIRECT, 0o600)
        try:
            with mmap.mmap(-1, mmap.PAGESIZE) as block:  # aligned for direct I/O
                os.write(handle, block)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno not in _REFUSALS:
            raise  # no room, or a lost place
        return True
    finally:
        file.unlink(missing_ok=True)  # some file systems make the file before they refuse
    return False


def session(
    folder: Path,
    plan: Plan,
    experiment: Experiment,
    watch: Watch,
    *,
    progress: bool,
    say: Callable[[str], object],
) -> None:
    """Do the missing runs of a plan.

    Raises
    ------
    MeasureError, Interrupted
    """
    places = places_of(plan.places)
    for place in places:
        if str(place.path) != plan.places[place.name]:
            raise MeasureError(f"{plan.places[place.name]} is a link to {place.path} now")
    with ExitStack() as stack:
        locks = _lock(stack, [folder, *(place.path for place in places)])
        log = lines(folder) if (folder / NAME).exists() else []
        done = finished(folder, log)
        is_done = bool(log) and len(done) == len(wanted(plan, log))
        if is_done and log[-1].get("status") == "complete":
            new = f"for another, a new {argument('output')}"
            raise MeasureError(f"{folder}: the campaign is complete; {new}")
        manifest = Manifest(folder)
        stack.callback(manifest.close)
        if not log:
            told = {"format": FORMAT, "fiotools": __version__, "template": plan.template}
            log = [manifest.write("campaign", {**told, "plan": plan.facts()})]
        work = Work(folder, plan, experiment, places, manifest, watch, locks, say)
        status, reason, stopped = "failed", None, None
        try:
            _clear(work, log)
            if is_done:  # and killed after its last run
                say(f"all {len(done)} runs were done before; what was left of them is removed")
                status = "complete"
            else:
                _start(work, log, done)
                status, reason = measure(work, done, progress=progress)
        except Interrupted as error:
            status, reason, stopped = "interrupted", str(error), error
            raise
        except MeasureError as error:
            reason = str(error)
            raise
        except OSError as error:
            reason = _said(error)
            raise MeasureError(reason) from None
        finally:
            problems = [*_remove(work), *_end(manifest, status, reason)]
            if stopped is not None:
                stopped.is_clean = not problems
            if status in ("interrupted", "failed"):  # an error is on its way, and these are none
                for problem in problems:
                    say(problem)
        if problems:
            raise MeasureError("; ".join(problems))


def _lock(stack: ExitStack, folders: Iterable[Path]) -> list[int]:
    """Lock each folder once; closing the stack releases the locks."""
    held = []
    for folder in dict.fromkeys(folders):
        try:
            handle = hold(folder)
        except OSError as error:
            raise MeasureError(f"{folder}: {error.strerror}") from None
        if handle is not None:
            stack.callback(os.close, handle)
            held.append(handle)
    return held


def _clear(work: Work, log: Iterable[Line]) -> None:
    """Remove the remains of killed sessions; name the remains of other campaigns."""
    places = {place.name: place for place in work.places}
    for line in log:
        if line["kind"] == "scratch" and line.get("place") in places:
            problem = remove_left_over(str(line["path"]), places[line["place"]])
            if problem:
                work.say(problem)
    for place in work.places:
        for path in left_over(place):
            work.say(
                f"{path} was left by another campaign that was killed: resume that one, or delete "
                "the folder"
            )


def _start(work: Work, log: Sequence[Line], done: Mapping[int, Line]) -> None:
    """Make the private folders, test the places, and announce the plan."""
    earlier = [line for line in log if line["kind"] == "session"]
    work.number = len(earlier) + 1
    places = [place.facts() for place in work.places]
    for told in earlier[:1]:
        _refuse_moved(told["places"], places)
    made: dict[str, Scratch] = {}
    work.stage = Stage(made)
    for place in work.places:
        made[place.name] = Scratch(place, _recorder(work.manifest, place))
    work.left_out = set(_without_direct(work))
    line = work.manifest.write(
        "session",
        {
            "session": work.number,
            "started_at": now(),
            "machine": machine.machine(),
            "tools": versions(work.experiment.tools),
            "environment": tools.ENVIRONMENT,
            "places": places,
            "left_out": sorted(work.left_out),
        },
    )
    about = (work.experiment, work.plan, work.places, line["machine"], places)
    work.say(messages.before(*about, work.folder, len(done)))
    for place in work.places:
        names = [workload for name, workload in sorted(work.left_out) if name == place.name]
        if names:
            work.say(f"{'note':<13}{messages.skipped(place.name, names)}")
    for change in messages.changed(earlier[0], line) if earlier else ():
        work.say(f"{'note':<13}{change}")


def _refuse_moved(before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]) -> None:
    """Refuse to continue if a place is on another file system than before."""
    names = ("file_system", "mount_point")
    olds = {one["name"]: tuple(one[name] for name in names) for one in before}
    for one in after:
        new = tuple(one[name] for name in names)
        old = olds[one["name"]]
        if old != new:
            raise MeasureError(
                f"{one['name']} ({one['path']}) was on {old[0]} mounted at {old[1]}, and is on "
                f"{new[0]} at {new[1]} now: mount it as it was, or begin a new campaign"
            )


def _recorder(manifest: Manifest, place: Place) -> Callable[[Path], object]:
    def record(path: Path) -> object:
        return manifest.write("scratch", {"place": place.name, "path": str(path)})

    return record


def _without_direct(work: Work) -> Iterator[tuple[str, str]]:
    """Find the workloads that a place refuses, because it has no direct I/O."""
    asked = [w for w in work.plan.workloads if work.experiment.needs_direct(w, work.plan)]
    for name, one in work.stage.scratch.items() if asked else ():
        if not refuses_direct(one.path):
            continue
        if len(asked) == len(work.plan.workloads):
            remedy = "leave the place out"
            if work.experiment.is_direct:
                remedy += f", or use the page cache everywhere: {argument('buffered', True)}"
            raise MeasureError(
                f"{name} ({one.place.path}) refuses direct I/O, which all workloads need: {remedy}"
            )
        yield from ((name, workload) for workload in asked)


def _remove(work: Work) -> list[str]:
    """Remove everything; return the problems."""
    if work.stage.random is not None:
        os.close(work.stage.random)
    problems = [one.remove() for one in work.stage.scratch.values()]
    return [problem for problem in problems if problem]


def _end(manifest: Manifest, status: str, reason: str | None) -> list[str]:
    """Write how it ended; return the problem if that fails."""
    try:
        manifest.write("end", {"at": now(), "status": status, "reason": reason})
    except MeasureError as error:
        return [str(error)]
    return []


def _said(error: OSError) -> str:
    place = f"{error.filename}: " if error.filename else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{place}no room is left: {error.strerror}"
    return f"{place}{error.strerror or error}"
