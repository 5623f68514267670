"""The rounds of a campaign: whole ones only, and as many as there is time for."""

from __future__ import annotations

from collections.abc import Collection
from itertools import groupby
from operator import attrgetter

from fiotools.errors import MeasureError
from fiotools.measure.campaign import finished, wanted
from fiotools.measure.facts import span
from fiotools.measure.manifest import lines
from fiotools.measure.onerun import do
from fiotools.measure.pace import Pace
from fiotools.measure.signals import OutOfTimeError, Watch
from fiotools.measure.work import Work
from fiotools.progress import bar
from fiotools.spelling import argument, typed

_REST_S = 15.0  # of two minutes, for removing


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
