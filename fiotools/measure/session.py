"""One start of a campaign: locks, private folders, test files, runs, and everything removed again.

One campaign at a time works in a folder, until its process and its commands have ended. The folder
itself is locked, so nothing is written into it and nothing is left after a kill; on Windows it is a
file in the folder, which the system deletes when it is closed.
"""

from __future__ import annotations

import errno
import os
import shlex
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from fiotools._version import __version__
from fiotools.errors import FileError, FiotoolsError, MeasureError, argument, typed
from fiotools.files import digest, lock
from fiotools.measure import machine, messages, own_job, tools
from fiotools.measure.campaign import (
    FORMAT,
    Campaign,
    Manifest,
    campaign,
    campaign_at,
    now,
    raw_output,
)
from fiotools.measure.experiments import WRITTEN, Stage
from fiotools.measure.machine import span
from fiotools.measure.places import Place, places_of, refused
from fiotools.measure.plan import CampaignPlan, PlannedRun
from fiotools.measure.scratch import Scratch, left_over, refuses_direct, remove_left_over, share_pct
from fiotools.measure.tools import Interrupted, OutOfTimeError, Watch
from fiotools.progress import bar

_PATIENCE_S = 3.0  # the last command of a killed campaign may still be ending
LEAST = 3  # rounds, for any verdict
MOST = 30  # by default
_EVERY_S = 30.0  # between two reports of progress
_REST_S = 15.0  # of two minutes, for removing

Say = Callable[[str], object]


def hold(folder: Path, stack: ExitStack) -> int:
    """Lock a folder for this campaign alone until the stack is closed; return an open file.

    A file system that cannot lock has no lock.
    """
    with refused(folder):
        if sys.platform == "win32":
            handle = os.open(folder / ".fiotools.lock", os.O_CREAT | os.O_RDWR | os.O_TEMPORARY)
        else:
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        stack.callback(os.close, handle)
        until = time.monotonic() + _PATIENCE_S
        while lock.take(handle) is False:
            if time.monotonic() >= until:
                raise MeasureError(
                    f"{folder}: another campaign is at work in this folder, or a command of one "
                    "that was killed; two at once would disturb each other: wait for its end"
                )
            time.sleep(0.1)
    return handle


def is_settled(found: Campaign) -> bool:
    """Whether all comparisons of a campaign with its first place have a verdict.

    The intervals hold at any number of looks: looking after each round, and stopping at a good
    result, does not make errors more frequent.
    """
    # which takes long to import
    from fiotools.stats.compare import compare, settled

    table, metric = found.experiment.metric
    frame = getattr(found.results, table)
    for asked in found.experiment.questions:
        rows = asked.rows_of(frame)
        if rows[asked.between].nunique() < 2:
            continue
        answer = compare(
            rows,
            metric,
            between=asked.between,
            baseline=asked.baseline or next(iter(found.asked.places)),
            by=list(asked.by) or None,
            looks="any",
        )
        if not all(map(settled, answer["beyond_band"])):
            return False
    return True


class _Pace:
    """Counts runs, and reports progress and the time left now and then."""

    def __init__(self, total: int, say: Say) -> None:
        self._total, self._say, self._done = total, say, 0
        self._began = self._last = time.monotonic()

    def step(self, where: str) -> None:
        """Count one more."""
        self._done += 1
        now = time.monotonic()
        if now - self._last < _EVERY_S or self._done == self._total:
            return
        self._last = now
        left = (now - self._began) / self._done * (self._total - self._done)
        self._say(f"{self._done} of {self._total} runs, {where}; about {span(left)} left")


class _Clock:
    """Tells whether one more round would end in time: half a round would favour some places."""

    def __init__(self, watch: Watch) -> None:
        self._watch, self._whole = watch, 0
        self.longest, self.is_running = 0.0, False

    @contextmanager
    def round(self, removal_s: float) -> Iterator[None]:
        """Time a round, or raise if there is no time for it; the first always begins."""
        began = self._watch.gone
        after = self._watch.seconds - began - self.longest
        if self._whole and (after < 0 or after + _REST_S < removal_s * (self._whole + 1)):
            raise OutOfTimeError
        self.is_running = True
        yield
        self.longest = max(self.longest, self._watch.gone - began)
        self._whole, self.is_running = self._whole + 1, False


@dataclass
class CampaignSession:
    """One start of a campaign, while the folders of its results and its places are locked."""

    before: Campaign  # as it was
    places: Sequence[Place]
    manifest: Manifest
    watch: Watch
    locks: Sequence[int]  # open files that every command inherits
    say: Say
    stage: Stage = field(default_factory=Stage)
    # place and workload if the place refuses direct I/O
    left_out: set[tuple[str, str]] = field(default_factory=set)
    # messages about page caches that were not as expected, by place and workload
    unlike: dict[tuple[str, str], str] = field(default_factory=dict)
    number: int = 1  # of the start

    def __post_init__(self) -> None:
        self.folder, self.plan = self.before.folder, self.before.asked
        self.experiment = self.before.experiment

    def clear(self) -> None:
        """Remove the remains of killed sessions; name the remains of other campaigns."""
        places = {place.name: place for place in self.places}
        for line in self.before.log:
            if line["kind"] == "scratch" and line.get("place") in places:
                problem = remove_left_over(str(line["path"]), places[line["place"]])
                if problem:
                    self.say(problem)
        for place in self.places:
            for path in left_over(place):
                self.say(
                    f"{path} was left by another campaign that was killed: resume that one, or "
                    "delete the folder"
                )

    def start(self) -> None:
        """Make the private folders, test the places, and announce the plan."""
        earlier = self.before.sessions
        self.number = len(earlier) + 1
        places = [place.facts() for place in self.places]
        if earlier:
            _refuse_moved(earlier[0]["places"], places)
        for place in self.places:
            self.stage.scratch[place.name] = Scratch(place, partial(self.manifest.write, "scratch"))
        self.left_out = set(self._without_direct())
        line = self.manifest.write(
            "session",
            {
                "session": self.number,
                "started_at": now(),
                "machine": machine.machine(),
                "tools": {tool: tools.version(tool) for tool in self.experiment.tools},
                "environment": tools.ENVIRONMENT,
                "places": places,
                "left_out": sorted(self.left_out),
            },
        )
        done = len(self.before.done)
        about = messages.before(self.plan, self.places, line["machine"], places, self.folder, done)
        self.say(about)
        for place in self.places:
            names = [workload for name, workload in sorted(self.left_out) if name == place.name]
            if names:
                self._note(f"{place.name} refuses direct I/O; left out there: {', '.join(names)}")
        if earlier:
            for change in messages.changed(earlier[0], line):
                self._note(change)

    def _note(self, text: str) -> None:
        self.say(f"{'note':<13}{text}")

    def _without_direct(self) -> Iterator[tuple[str, str]]:
        """Find the workloads that a place refuses, because it has no direct I/O."""
        every = self.plan.workloads
        asked = [one for one in every if self.experiment.needs_direct(one, self.plan)]
        for name, scratch in self.stage.scratch.items() if asked else ():
            if not refuses_direct(scratch.path):
                continue
            if len(asked) == len(every):
                remedy = "leave the place out"
                if self.experiment.is_direct:
                    remedy += f", or use the page cache everywhere: {argument('buffered', True)}"
                raise MeasureError(
                    f"{name} ({scratch.place.path}) refuses direct I/O, which all workloads need: "
                    f"{remedy}"
                )
            yield from ((name, workload) for workload in asked)

    def measure(self, *, progress: bool) -> tuple[str, str | None]:
        """Prepare, and do the missing runs; return the status, and the runs that were left out."""
        missing = campaign(self.folder).missing
        clock, number = _Clock(self.watch), 0

        def prepared(size: int) -> None:
            self.watch.check()
            shown.update(size)

        size = self.experiment.to_prepare(self.plan)
        unit: dict[str, Any] = {"unit": "B", "unit_scale": True}
        try:
            with bar(total=size, desc="preparing", **unit, progress=progress) as shown:
                self.experiment.prepare(self.plan, self.stage, prepared)
            with bar(total=len(missing), unit=" runs", progress=progress) as shown:
                pace = _Pace(len(missing), self.say) if progress and shown.disable else None
                for number, runs in groupby(missing, key=attrgetter("round")):
                    with clock.round(self.stage.removal_s):
                        for run in runs:
                            shown.set_description(f"{run.workload} on {run.place}, round {number}")
                            self._do(run)
                            shown.update()
                            if pace is not None:
                                pace.step(f"round {number} of {self.plan.rounds}")
                    ends = self.plan.until == "settled" and number >= LEAST
                    if ends and is_settled(campaign(self.folder)):
                        reason = f"every comparison has a verdict after {number} rounds"
                        self.say(reason)
                        return "settled", reason
        except OutOfTimeError:
            reason = self._out_of_time(clock, number)
            self.say(reason)
            return "out of time", reason
        finally:
            for remark in self.unlike.values():
                self._note(remark)
        return "complete", None

    def _do(self, run: PlannedRun) -> None:
        """Do one run, and keep its output."""
        scratch = self.stage.scratch[run.place]
        scratch.check()
        try:
            share = self._run(run, scratch)
        except (OSError, MeasureError):
            scratch.check()  # a lost place is the reason
            raise
        expected = 100.0 if run.workload == "warm" else 0.0
        # a message before told that nothing in memory is cold
        if share is not None and abs(share - expected) > 5 and not scratch.place.is_memory:
            self.unlike.setdefault(
                (run.place, run.workload),
                f"{run.workload} on {run.place}: {share:.0f} % of the file were in memory before a "
                f"run instead of {expected:.0f} %; the manifest has the share for each run "
                "(resident_pct)",
            )

    def _run(self, run: PlannedRun, scratch: Scratch) -> float | None:
        """Run the command of a run; return how much of its file was in memory before."""
        command = self.experiment.command(run.workload, run.round, self.plan, self.stage)
        head = "" if command.shown is None else f"$ {command.shown}\n"
        if hasattr(os, "sync"):
            os.sync()  # so that no run waits for the writes of another
        read = self.experiment.before(run.workload, run.round, scratch)
        share = None if read is None else share_pct(read)
        told: dict[str, Any] = {
            **asdict(run),
            "command": command.shown or shlex.join(command.argv),
            "argv": command.argv,
            "session": self.number,
            "resident_pct": share,
            "load_1min": machine.load(),
        }
        random = [] if self.stage.random is None else [self.stage.random]
        with raw_output(self.folder, run.file, head) as raw:
            told["started_at"], began = now(), time.perf_counter()
            status = tools.run(
                command.argv,
                folder=scratch.path / command.folder,
                stdout=raw.stdout,
                stderr=raw.stderr,
                watch=self.watch,
                inherit=[*self.locks, *random],
            )
            told["seconds"] = round(time.perf_counter() - began, 6)
            said = raw.said()
            wrong = _exit(status) if status else _unreadable(raw.part, *self.experiment.metric)
            if wrong is not None:
                # the tool, or the one in a script
                script = command.argv[-1].removeprefix("time ")
                tool = script if command.argv[0] == "bash" else command.argv[0]
                raise MeasureError(
                    f"{tool} failed on {run.place} ({wrong}), workload {run.workload}, "
                    f"round {run.round}:\n{said}"
                )
            scratch.check()
            (scratch.path / WRITTEN).unlink(missing_ok=True)
            told["stderr"] = "" if head else said
            told["sha256"] = digest(raw.part)
            told["bytes"] = raw.keep()
            try:
                self.manifest.write("run", told)
            except MeasureError:
                raw.path.unlink()  # no output without a line of the manifest
                raise
        return share

    def _out_of_time(self, clock: _Clock, number: int) -> str:
        """Remove the outputs of an unfinished round; tell how many are done, and what to do."""
        files = [self.folder / run.file for run in self.plan.runs() if run.round == number]
        dropped = [file for file in files if clock.is_running and file.exists()]
        for file in dropped:
            file.unlink()
        found = campaign(self.folder)
        whole = self.plan.rounds - len({run.round for run in found.missing})
        smaller = "" if self.experiment.is_fixed else f"give a smaller {argument('size')}, "
        smaller += typed("or leave effort='quick' out", "or leave --quick out")
        limit = f"the {self.plan.limit_s:.0f} s of a quick campaign"
        if not whole:
            raise MeasureError(f"{limit} were over before one round was: {smaller}")
        text = f"{whole} of {self.plan.rounds} rounds were done in {limit}"
        if clock.longest:
            text += f", of which one takes up to {span(clock.longest)}"
        if dropped:
            text += f"; {len(dropped)} runs of one that did not end were dropped"
        return f"{text}: for the others resume it, {smaller}"

    def finish(self, status: str, reason: str | None) -> list[str]:
        """Remove everything, and write how it ended; return the problems."""
        if self.stage.random is not None:
            os.close(self.stage.random)
        problems = [problem for one in self.stage.scratch.values() if (problem := one.remove())]
        try:
            self.manifest.write("end", {"at": now(), "status": status, "reason": reason})
        except MeasureError as error:
            problems.append(str(error))
        return problems


def _exit(status: int) -> str:
    if status > 0:
        return f"exit status {status}"
    with suppress(ValueError):
        return f"killed by {signal.Signals(-status).name}"
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


def session(folder: Path, plan: CampaignPlan, watch: Watch, *, progress: bool, say: Say) -> None:
    """Do the missing runs of a plan."""
    places = places_of(plan.places)
    for place in places:
        if str(place.path) != plan.places[place.name]:
            raise MeasureError(f"{plan.places[place.name]} is a link to {place.path} now")
    with ExitStack() as stack:
        every = dict.fromkeys([folder, *(place.path for place in places)])
        locks = [hold(one, stack) for one in every]
        before = campaign_at(folder, plan)
        is_done = bool(before.log) and not before.missing
        if is_done and before.status == "complete":
            new = f"for another, a new {argument('output')}"
            raise MeasureError(f"{folder}: the campaign is complete; {new}")
        manifest = Manifest(folder)
        stack.callback(manifest.close)
        if not before.log:
            told: dict[str, Any] = {
                "format": FORMAT,
                "fiotools": __version__,
                "template": plan.template,
            }
            if plan.job:
                told |= {"job_sha256": own_job.keep(folder, plan.job)}
            before.log.append(manifest.write("campaign", {**told, "plan": asdict(plan)}))
        own = CampaignSession(before, places, manifest, watch, locks, say)
        status, reason, stopped = "failed", None, None
        try:
            own.clear()
            if is_done:  # and killed after its last run
                count = len(before.done)
                say(f"all {count} runs were done before; what was left of them is removed")
                status = "complete"
            else:
                own.start()
                status, reason = own.measure(progress=progress)
        except Interrupted as error:
            status, reason, stopped = "interrupted", str(error), error
            raise
        except MeasureError as error:
            reason = str(error)
            raise
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            full = "no room is left: " if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
            reason = f"{where}{full}{error.strerror or error}"
            raise MeasureError(reason) from None
        finally:
            problems = own.finish(status, reason)
            if stopped is not None:
                stopped.is_clean = not problems
            if status in ("interrupted", "failed"):  # an error is on its way, and these are none
                for problem in problems:
                    say(problem)
        if problems:
            raise MeasureError("; ".join(problems))
