"""Run a campaign: the plan, with everything refused that cannot work, then the session.

A test file is as large as free space and memory allow, with a margin.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from fiotools import units
from fiotools.errors import MeasureError, argument, typed
from fiotools.files.atomic_write import sync_folder
from fiotools.files.memory import memory
from fiotools.measure import messages, own_job
from fiotools.measure.campaign import NAME, Campaign, campaign, campaign_at, results_folder
from fiotools.measure.experiments import MIB, OWN_JOB, START_S, Experiment, experiment_named
from fiotools.measure.machine import binary, machine, processors
from fiotools.measure.places import Given, Place, by_file_system, places_of, refused
from fiotools.measure.plan import EFFORTS, ENDS, CampaignPlan
from fiotools.measure.session import MOST, Say, session
from fiotools.measure.tools import Watch, need
from fiotools.units import many

_STEP = 16 * MIB  # the largest block size: every block size divides a file
_SHARE = 4  # of the free space, and of the free memory, at most one part in four by default
_MARGIN = 32 * MIB  # and a tenth: what the file system needs itself
LIMIT_S = 100.0  # of a quick campaign: what is being run then may end, and all is removed
_QUICK_RUNS_S = 70.0  # of it, for runs that take as long as they are told


def size_for(
    experiment: Experiment,
    places: Sequence[Place],
    wanted: int,
    given: str | float | None,
    runs: int = 1,
) -> int:
    """Choose the size of the test file: as ``given``, or as ``wanted`` if there is room."""
    ceilings = _ceilings(experiment, places, experiment.held(runs))
    if given is not None or experiment.is_fixed:
        size = wanted if given is None else _read(given)
        for most, why in ceilings:
            if size > most:
                raise MeasureError(f"no room for test files of {binary(size)}: {why}")
        return size
    size = min([wanted, *(most // _SHARE // _STEP * _STEP for most, _ in ceilings)])
    if size < _STEP:
        most, why = min(ceilings)
        raise MeasureError(
            f"no room: {why}; a test file has {binary(_STEP)} at least, and takes a quarter at "
            f"most unless you give {argument('size')}"
        )
    return size


def _ceilings(experiment: Experiment, places: Sequence[Place], held: int) -> list[tuple[int, str]]:
    """List the largest size that each file system, and memory, has room for; and why."""
    found = []
    for group in by_file_system(places):
        free, files = group[0].free(), held * len(group)
        names = " and ".join(place.name for place in group)
        most = max(0, int((free - _MARGIN) / 1.1) // files)
        room = f"{binary(free)} free for {many(files, 'file')} and a margin"
        found.append((most, f"{names} ({group[0].path}) has {room}"))
    _, available = memory()
    in_memory = sum(place.is_memory for place in places)
    files = experiment.in_memory + held * in_memory
    if files and available is not None:
        why = f"memory has {binary(available)} free, of which half may hold {files} of them"
        found.append((available // 2 // files, why))
    return found


def _read(given: str | float) -> int:
    try:
        size = units.size(given, kilo=1024) if isinstance(given, str) else float(given)
    except (TypeError, ValueError):
        size = 0.0
    if isinstance(given, bool) or not _STEP <= size < 2**60:
        raise MeasureError(
            f"size {given!r} is not a size: write 1G or 256M, {binary(_STEP)} at least"
        )
    return int(size) // _STEP * _STEP


def make_plan(
    experiment: Experiment,
    places: Sequence[Place],
    *,
    effort: str,
    rounds: int | None,
    size: str | float | None,
    seconds: int | None,
    only: Sequence[str],
    buffered: bool,
    until: str,
    job: str = "",
) -> CampaignPlan:
    """Decide sizes, rounds and times; refuse what makes no sense here."""
    if effort not in EFFORTS:
        raise MeasureError(f"effort {effort!r} is not one of {', '.join(EFFORTS)}")
    preset = experiment.efforts[EFFORTS.index(effort)]
    workloads = _workloads(experiment, only)
    if until not in ENDS:
        raise MeasureError(f"until {until!r} is not one of {', '.join(ENDS)}")
    if until == "settled" and len(places) < 2 and experiment.cached is None:
        raise MeasureError(f"{argument('until', 'settled')} needs two places to compare")
    rounds = _count("rounds", rounds, MOST if until == "settled" else preset.rounds)
    limit = LIMIT_S if effort == "quick" else None
    runs = rounds * len(workloads) * len(places)
    if preset.seconds:
        default = preset.seconds
        if effort == "quick":
            default = max(1, min(default, int(_QUICK_RUNS_S / runs - START_S)))
        seconds = _count("seconds", seconds, default)
    elif seconds is not None:
        raise MeasureError(
            f"{experiment.name} runs until it is done: leave out {argument('seconds')}"
        )
    if buffered and not experiment.is_direct:
        raise MeasureError(
            f"{argument('buffered', True)} is for random-io; "
            "the others have it among their workloads"
        )
    if size is not None and experiment.is_fixed:
        raise MeasureError(
            f"{experiment.name} has the size of the article: leave out {argument('size')}"
        )
    wanted = own_job.room(job) if job else preset.size_bytes
    return CampaignPlan(
        experiment=experiment.name,
        effort=effort,
        places={place.name: str(place.path) for place in places},
        workloads=workloads,
        fields=experiment.fields,
        suffix=experiment.suffix,
        rounds=rounds,
        size_bytes=size_for(experiment, places, wanted, size, rounds * len(workloads)),
        seconds=seconds or 0,
        jobs=processors() if experiment.has_jobs else 0,
        buffered=buffered,
        limit_s=limit,
        until=until,
        job=job,
    )


def _workloads(experiment: Experiment, only: Sequence[str]) -> tuple[str, ...]:
    there = experiment.available()
    for name in only:
        if name not in there:
            raise MeasureError(
                f"{experiment.name} has no workload {name!r} here; there are: {', '.join(there)}"
            )
    return tuple(name for name in there if not only or name in only)


def _count(name: str, given: Any, default: int) -> int:
    if given is None:
        return default
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= 100_000:
        raise MeasureError(f"{name} {given!r} is not a whole number from 1")
    return int(given)


# what decides whether two plans are one; the size is chosen anew from what is free
_SAME = (
    *("experiment", "effort", "places", "workloads", "rounds"),
    *("seconds", "jobs", "buffered", "until", "job"),
)


def run(
    experiment: str,
    places: Given,
    *,
    output: str | os.PathLike[str] | None = None,
    effort: str = "normal",
    rounds: int | None = None,
    size: str | float | None = None,
    seconds: int | None = None,
    only: Sequence[str] = (),
    buffered: bool = False,
    until: str = "rounds",
    job: str | os.PathLike[str] | None = None,
    dry: bool = False,
    progress: bool = True,
    say: Say | None = None,
) -> Campaign | None:
    """Measure several places with one of the articles' procedures, with the real tools.

    The raw output of every run is kept, with a manifest of how it was made. Nothing is left in the
    places, whatever happens. Repeat the call with the same `output`, or call `resume`, to continue
    an interrupted campaign.

    Parameters
    ----------
    experiment : str
        ``throughput``, ``page-cache``, ``random-io``, ``block-size``, ``small-files``, ``diskspd``;
        ``own-job`` runs the `job`.
    places : mapping of name to folder, or list of folders or of ``name=folder``
        Each gets a private folder for everything, which is removed.
    output : path, optional
        A new or empty folder for the results, or the folder of the same campaign; by default named
        after the experiment and the time, in the working directory.
    effort : {"quick", "normal", "thorough"}
        ``"quick"`` ends in two minutes, with as many rounds as fit.
    rounds : int, optional
        Runs of each workload on each place; 5 by default. With ``until="settled"`` the most, 30 by
        default.
    size : str or number, optional
        Size of a test file: ``"4G"``; by default as free space and memory allow.
    seconds : int, optional
        Duration of each run if the tool runs for a time.
    only : sequence of str
        Only these workloads.
    buffered : bool
        Use the page cache in random-io.
    until : {"rounds", "settled"}
        ``"settled"``: stop after the round in which every comparison of the experiment has a
        verdict. The intervals are those of ``compare(..., looks="any")``, also in the report.
    job : path, optional
        A job file of fio, for ``own-job``. Its files lie in the private folder of each place,
        whatever its ``directory=`` says; one that names a device or another path is refused. A copy
        lies beside the results.
    dry : bool
        Show the plan, and do nothing.
    progress : bool
        Show a bar on stderr if it is a terminal, else report progress to `say` now and then.
    say : callable, optional
        Receives the messages before and after: `print`.

    Returns
    -------
    Campaign or None
        None for a dry run.

    Raises
    ------
    MeasureError
        If it cannot be done, or a tool failed.
    KeyboardInterrupt
        After Ctrl-C, when everything is removed and the finished runs are kept.

    Examples
    --------
    >>> import fiotools as ft
    >>> c = ft.measure.run(
    ...     "random-io", {"ssd": "/home/me/scratch", "nas": "/mnt/nas/me"}, effort="quick"
    ... )  # doctest: +SKIP
    """
    say = say or _nothing
    chosen = experiment_named(experiment)
    why = chosen.here()
    if why is not None:
        raise MeasureError("\n\n".join(filter(None, (why, chosen.elsewhere))))
    if (job is None) == (chosen is OWN_JOB):
        raise MeasureError(f"own-job needs {argument('job')}, and only own-job takes one")
    text = "" if job is None else own_job.job_of(os.fspath(job))
    found = places_of(places)  # before the tools: nobody shall install one for what is refused
    need(chosen.tools)
    plan = make_plan(
        chosen,
        found,
        effort=effort,
        rounds=rounds,
        size=size,
        seconds=seconds,
        only=only,
        buffered=buffered,
        until=until,
        job=text,
    )
    if dry:
        facts = [place.facts() for place in found]
        say(messages.before(plan, found, machine(), facts, None))
        return None
    folder = results_folder(output, experiment)
    if (folder / NAME).exists():
        plan = _same(folder, plan, size is not None)
    return _campaign(folder, plan, progress=progress, say=say)


def resume(
    folder: str | os.PathLike[str], *, progress: bool = True, say: Say | None = None
) -> Campaign:
    """Resume an interrupted campaign: remove what it left, and do the missing runs.

    Parameters
    ----------
    folder : path
        The folder of its results.
    progress, say
        As in `run`.

    Raises
    ------
    MeasureError
        As in `run`; if a place has moved; if no run is missing.
    KeyboardInterrupt
        As in `run`.
    """
    path = Path(folder).resolve()
    found = campaign(path)
    why = found.experiment.here()
    if why is not None:
        raise MeasureError(why)
    need(found.experiment.tools)
    return _campaign(path, found.asked, progress=progress, say=say or _nothing)


def _campaign(folder: Path, plan: CampaignPlan, *, progress: bool, say: Say) -> Campaign:
    is_new, before = not folder.exists(), len(campaign_at(folder, plan).done)
    with Watch(plan.limit_s) as watch:  # until nothing is left to be removed
        try:
            if is_new:
                with refused(folder):
                    folder.mkdir()
                    sync_folder(folder.parent)
            session(folder, plan, watch, progress=progress, say=say)
        finally:
            found = campaign_at(folder, plan)
            if len(found.done) > before:
                say(messages.after(found))
            elif is_new:
                with suppress(OSError):
                    (folder / own_job.JOB).unlink(missing_ok=True)
                with suppress(OSError):  # somebody put something there, and may have it
                    (folder / NAME).unlink(missing_ok=True)
                    folder.rmdir()
    return campaign(folder)


def _same(folder: Path, plan: CampaignPlan, sized: bool) -> CampaignPlan:
    """Return the plan of the campaign in the folder if it is the same campaign."""
    found = campaign(folder).asked
    names = (*_SAME, "size_bytes") if sized else _SAME
    differing = [name for name in names if getattr(found, name) != getattr(plan, name)]
    if differing:
        told = ", ".join(name.removesuffix("_bytes") for name in differing)
        raise MeasureError(
            f"{folder} holds another campaign ({told} differ): "
            f"choose another {argument('output')}, or resume that one: "
            + typed(f"resume({str(folder)!r})", f"--resume {folder}")
        )
    return found


def _nothing(text: str) -> None:
    """Say nothing."""
