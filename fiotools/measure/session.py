"""One start of a campaign: locks, private folders, test files, runs, and all removed again."""

from __future__ import annotations

import errno
import mmap
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from fiotools._version import __version__
from fiotools.errors import MeasureError
from fiotools.hints import argument
from fiotools.measure import lock, machine, messages, scratch, tools
from fiotools.measure.campaign import finished, wanted
from fiotools.measure.context import Work
from fiotools.measure.experiments import Experiment
from fiotools.measure.experiments.base import Stage
from fiotools.measure.manifest import FORMAT, NAME, Line, Manifest, lines, now
from fiotools.measure.places import Place, places_of
from fiotools.measure.plan import Plan
from fiotools.measure.rounds import measure
from fiotools.measure.signals import Interrupted, Watch
from fiotools.measure.tools import versions

_REFUSALS = {errno.EINVAL, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS}


def refuses_direct(folder: Path) -> bool:
    """Write one block past the page cache, in a file that is removed again."""
    if not hasattr(os, "O_DIRECT"):
        return False
    file = folder / "direct.tmp"
    try:
        handle = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_DIRECT, 0o600)
        try:
            with mmap.mmap(-1, mmap.PAGESIZE) as block:  # aligned, as direct I/O wants it
                os.write(handle, block)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno not in _REFUSALS:
            raise  # no room, or a place that is gone
        return True
    finally:
        file.unlink(missing_ok=True)  # some make the file before they refuse
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
    """Do the runs of a plan that are not done yet.

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
    """Lock each folder once; the locks are given up when the stack is closed."""
    held = []
    for folder in dict.fromkeys(folders):
        try:
            handle = lock.hold(folder)
        except OSError as error:
            raise MeasureError(f"{folder}: {error.strerror}") from None
        if handle is not None:
            stack.callback(os.close, handle)
            held.append(handle)
    return held


def _clear(work: Work, log: Iterable[Line]) -> None:
    """Remove what earlier sessions were killed over; name what others left."""
    places = {place.name: place for place in work.places}
    for line in log:
        if line["kind"] == "scratch" and line.get("place") in places:
            problem = scratch.remove_left_over(str(line["path"]), places[line["place"]])
            if problem:
                work.say(problem)
    for place in work.places:
        for path in scratch.left_over(place):
            work.say(
                f"{path} was left by another campaign that was killed: resume that one, or delete "
                "the folder"
            )


def _start(work: Work, log: Sequence[Line], done: Mapping[int, Line]) -> None:
    """Make the private folders, find out what the places can, and say what will be done."""
    earlier = [line for line in log if line["kind"] == "session"]
    work.number = len(earlier) + 1
    places = [place.facts() for place in work.places]
    for told in earlier[:1]:
        _refuse_moved(told["places"], places)
    made: dict[str, scratch.Scratch] = {}
    work.stage = Stage(made)
    for place in work.places:
        made[place.name] = scratch.Scratch(place, _recorder(work.manifest, place))
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
    """Refuse to go on where a place is on another file system than it was."""
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
    """Find the workloads that a place refuses, since its file system takes no direct I/O."""
    asked = [w for w in work.plan.workloads if work.experiment.needs_direct(w, work.plan)]
    for name, one in work.stage.scratch.items() if asked else ():
        if not refuses_direct(one.path):
            continue
        if len(asked) == len(work.plan.workloads):
            remedy = "leave the place out"
            if work.experiment.is_direct:
                remedy += f", or use the page cache everywhere: {argument('buffered', True)}"
            raise MeasureError(
                f"{name} ({one.place.path}) refuses direct I/O, which is all that was asked "
                f"for: {remedy}"
            )
        yield from ((name, workload) for workload in asked)


def _remove(work: Work) -> list[str]:
    """Remove everything; say what could not be."""
    if work.stage.random is not None:
        os.close(work.stage.random)
    problems = [one.remove() for one in work.stage.scratch.values()]
    return [problem for problem in problems if problem]


def _end(manifest: Manifest, status: str, reason: str | None) -> list[str]:
    """Write how it ended; say what is wrong if that fails."""
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
