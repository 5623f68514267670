"""One start of a campaign: locks, private folders, test files, runs, and all removed again."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tqdm import tqdm

import fiotools
from fiotools.errors import MeasureError
from fiotools.measure import facts, lock, process, resident, scratch, words
from fiotools.measure.campaign import finished, wanted
from fiotools.measure.direct import refuses_direct
from fiotools.measure.experiments import Experiment
from fiotools.measure.experiments.base import WRITTEN, Stage
from fiotools.measure.manifest import FORMAT, NAME, Line, Manifest, lines, now
from fiotools.measure.output import Raw
from fiotools.measure.places import Place, places_of
from fiotools.measure.plan import Plan, Run
from fiotools.measure.signals import Interrupted, OutOfTimeError, Watch
from fiotools.measure.tools import versions


def session(
    folder: Path,
    plan: Plan,
    experiment: Experiment,
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
    with Watch(plan.limit_s) as watch, ExitStack() as stack:
        locks = _lock(stack, [folder, *(place.path for place in places)])
        log = lines(folder) if (folder / NAME).exists() else []
        done = finished(folder, log)
        if log and len(done) == len(wanted(plan, log)):
            raise MeasureError(f"{folder}: the campaign is complete; for another, a new --output")
        manifest = Manifest(folder)
        stack.callback(manifest.close)
        if not log:
            told = {"format": FORMAT, "fiotools": fiotools.__version__, "template": plan.template}
            log = [manifest.write("campaign", {**told, "plan": plan.facts()})]
        work = _Session(folder, plan, experiment, places, manifest, watch, locks, say)
        status, reason = "failed", None
        try:
            work.clear(log)
            work.start(log, done)
            status = work.measure(done, progress=progress)
        except Interrupted as error:
            status, reason = "interrupted", str(error)
            raise
        except MeasureError as error:
            reason = str(error)
            raise
        except OSError as error:
            reason = _said(error)
            raise MeasureError(reason) from None
        finally:
            problems = work.remove()
            manifest.write("end", {"at": now(), "status": status, "reason": reason})
            for problem in problems:
                say(problem)
        if problems:
            raise MeasureError("; ".join(problems))


class _Session:
    """What the steps of a session share."""

    def __init__(
        self,
        folder: Path,
        plan: Plan,
        experiment: Experiment,
        places: Sequence[Place],
        manifest: Manifest,
        watch: Watch,
        locks: Sequence[int],
        say: Callable[[str], object],
    ) -> None:
        self.folder, self.plan, self.experiment, self.places = folder, plan, experiment, places
        self.manifest, self.watch, self.locks, self.say = manifest, watch, locks, say
        self.stage = Stage({})
        self.left_out: set[tuple[str, str]] = set()
        self.unlike: dict[tuple[str, str], str] = {}
        self.number = 1

    def clear(self, log: Iterable[Line]) -> None:
        """Remove what earlier sessions were killed over; name what others left."""
        places = {place.name: place for place in self.places}
        for line in log:
            if line["kind"] == "scratch" and line.get("place") in places:
                problem = scratch.remove_left_over(str(line["path"]), places[line["place"]])
                if problem:
                    self.say(problem)
        for place in self.places:
            for path in scratch.left_over(place):
                self.say(f"{path} was left by another campaign that was killed: delete it")

    def start(self, log: Sequence[Line], done: dict[int, Line]) -> None:
        """Make the private folders, find out what the places can, and say what will be done."""
        made: dict[str, scratch.Scratch] = {}
        self.stage = Stage(made)
        for place in self.places:
            made[place.name] = scratch.Scratch(place, self._recorder(place))
        self.left_out = set(self._without_direct())
        earlier = [line for line in log if line["kind"] == "session"]
        self.number = len(earlier) + 1
        told: dict[str, Any] = {
            "session": self.number,
            "started_at": now(),
            "machine": facts.machine(),
            "tools": versions(self.experiment.tools),
            "environment": process.ENVIRONMENT,
            "places": [place.facts() for place in self.places],
            "left_out": sorted(self.left_out),
        }
        line = self.manifest.write("session", told)
        self.say(
            words.before(
                *(self.experiment, self.plan, self.places, told["machine"], told["places"]),
                *(self.folder, len(done)),
            )
        )
        for place in self.places:
            names = [workload for name, workload in sorted(self.left_out) if name == place.name]
            if names:
                self.say(f"{'note':<13}{words.skipped(place.name, names)}")
        for change in words.changed(earlier[0], line) if earlier else ():
            self.say(f"{'note':<13}{change}")

    def measure(self, done: dict[int, Line], *, progress: bool) -> str:
        """Do the runs that are missing; say whether that is all of them."""
        missing = [
            run
            for run in self.plan.runs()
            if run.order not in done and (run.place, run.workload) not in self.left_out
        ]
        off = None if progress else True  # None: off where stderr is no terminal
        left = len(missing)
        try:
            total = self.experiment.to_prepare(self.plan)
            with tqdm(
                total=total, desc="filling", unit="B", unit_scale=True, disable=off, leave=False
            ) as bar:
                self.stage = self.experiment.prepare(self.plan, self.stage, self.watch, bar.update)
            with tqdm(missing, unit=" runs", disable=off, leave=False) as runs:
                for run in runs:
                    runs.set_description(f"{run.workload} on {run.place}, round {run.round}")
                    self._one(run)
                    left -= 1
        except OutOfTimeError:
            why = f"the {self.plan.limit_s:.0f} s of a quick campaign were over before"
            if left == len(missing):
                raise MeasureError(
                    f"{why} one run was: leave --quick out, or give a smaller --size"
                ) from None
            self.say(
                f"{why} all was done: resume it, give a smaller --size, or take the time it needs, "
                "without --quick"
            )
            return "out of time"
        finally:
            for remark in self.unlike.values():
                self.say(f"{'note':<13}{remark}")
        return "complete"

    def remove(self) -> list[str]:
        """Remove everything; say what could not be."""
        if self.stage.random is not None:
            os.close(self.stage.random)
        problems = [one.remove() for one in self.stage.scratch.values()]
        return [problem for problem in problems if problem]

    def _one(self, run: Run) -> None:
        place = self.stage.scratch[run.place]
        place.check()
        written = place.path / WRITTEN
        command = self.experiment.command(run.workload, run.round, self.plan, self.stage)
        head = "" if command.shown is None else f"$ {command.shown}\n"
        if hasattr(os, "sync"):
            os.sync()  # so that no run pays for the writing of another
        read = self.experiment.before(run.workload, place.path)
        share = None if read is None else resident.share_pct(read)
        told: dict[str, Any] = {
            **{name: getattr(run, name) for name in ("order", "place", "workload", "round")},
            "file": run.file,
            "command": command.shown or " ".join(command.argv),
            "argv": command.argv,
            "session": self.number,
            "resident_pct": share,
            "load_1min": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        }
        raw = Raw(self.folder, run.file, head)
        try:
            told["started_at"], began = now(), time.perf_counter()
            status = process.run(
                command.argv,
                folder=place.path,
                stdout=raw.handle,
                stderr=raw.errors,
                watch=self.watch,
                inherit=[*self.locks, *([] if self.stage.random is None else [self.stage.random])],
            )
            told["seconds"] = round(time.perf_counter() - began, 6)
            said = raw.said()
            if status:
                raise MeasureError(
                    f"{command.argv[0]} failed on {run.place} (exit status {status}), "
                    f"workload {run.workload}, round {run.round}:\n{said}"
                )
            told["bytes"], told["stderr"] = raw.keep(), "" if head else said
            told["sha256"] = hashlib.sha256(raw.path.read_bytes()).hexdigest()
        finally:
            raw.drop()
        place.check()
        if written.is_dir():
            shutil.rmtree(written)
        else:
            written.unlink(missing_ok=True)
        self.manifest.write("run", told)
        expected = self.experiment.expected_pct(run.workload)
        # that nothing in memory is ever cold was said before
        if share is not None and abs(share - expected) > 5 and not place.place.is_memory:
            remark = words.unlike(run.place, run.workload, share, expected)
            self.unlike.setdefault((run.place, run.workload), remark)

    def _recorder(self, place: Place) -> Callable[[Path], object]:
        def record(path: Path) -> object:
            return self.manifest.write("scratch", {"place": place.name, "path": str(path)})

        return record

    def _without_direct(self) -> Iterable[tuple[str, str]]:
        """Find the workloads that a place refuses, since its file system takes no direct I/O."""
        asked = [w for w in self.plan.workloads if self.experiment.needs_direct(w, self.plan)]
        for name, one in self.stage.scratch.items() if asked else ():
            if not refuses_direct(one.path):
                continue
            if len(asked) == len(self.plan.workloads):
                remedy = "leave the place out"
                if self.experiment.is_direct:
                    remedy += ", or use the page cache everywhere: --buffered"
                raise MeasureError(
                    f"{name} ({one.place.path}) refuses direct I/O, which is all that was asked "
                    f"for: {remedy}"
                )
            yield from ((name, workload) for workload in asked)


def _lock(stack: ExitStack, folders: Iterable[Path]) -> list[int]:
    """Lock each folder once; the locks are given up when the stack is closed."""
    held = []
    for folder in dict.fromkeys(folders):
        handle = lock.hold(folder)
        if handle is not None:
            stack.callback(os.close, handle)
            held.append(handle)
    return held


def _said(error: OSError) -> str:
    place = f"{error.filename}: " if error.filename else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{place}no room is left: {error.strerror}"
    return f"{place}{error.strerror or error}"
