"""Run a campaign from its plan to the last file removed."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from fiotools.errors import MeasureError
from fiotools.hints import argument, typed
from fiotools.measure import messages
from fiotools.measure import output as outputs
from fiotools.measure.campaign import Campaign, asked, campaign, finished, wanted
from fiotools.measure.experiments import Experiment, experiment_named
from fiotools.measure.machine import machine
from fiotools.measure.manifest import NAME, lines
from fiotools.measure.places import Given, places_of
from fiotools.measure.plan import Plan
from fiotools.measure.request import make_plan
from fiotools.measure.session import session
from fiotools.measure.signals import Watch
from fiotools.measure.tools import need

Say = Callable[[str], object]

# what decides whether two plans are one; the size is chosen anew from what is free
_SAME = (
    "experiment",
    "effort",
    "places",
    "workloads",
    "rounds",
    "seconds",
    "jobs",
    "buffered",
    "until",
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
    dry: bool = False,
    progress: bool = True,
    say: Say | None = None,
) -> Campaign | None:
    """Measure several places with one of the articles' procedures, with the real tools.

    Every run's raw output is kept, with a manifest that tells how it came about. In the places
    nothing is left, whatever happens; a campaign that was interrupted is resumed by the same call
    with the same `output`, or by `resume`.

    Parameters
    ----------
    experiment : str
        ``throughput``, ``page-cache``, ``random-io``, ``block-size``, ``small-files``, ``diskspd``.
    places : mapping of name to folder, or list of folders or of ``name=folder``
        Each gets a private folder, in which everything happens, and which is removed.
    output : path, optional
        A new or empty folder for the results, or that of the same campaign; by default one that is
        named after the experiment and the time, in the working directory.
    effort : {"quick", "normal", "thorough"}
        Quick ends in two minutes, with as many rounds as fit.
    rounds : int, optional
        Runs of each workload on each place; 5 by default. Until all is settled: at most, 30 by
        default.
    size : str or number, optional
        Of a test file: ``"4G"``; by default as free space and memory allow.
    seconds : int, optional
        Of each run, where the tool runs for a time.
    only : sequence of str
        These workloads, and not all.
    buffered : bool
        For random-io: through the page cache.
    until : {"rounds", "settled"}
        Settled: stop after the round at which every comparison of the experiment has a verdict. The
        intervals are those of ``compare(..., looks="any")``, also in the report.
    dry : bool
        Say what would be done, and do nothing.
    progress : bool
        Show a bar on stderr if that is a terminal, and else `say` now and then how far it is.
    say : callable, optional
        Takes what there is to say before and after: `print`.

    Returns
    -------
    Campaign or None
        None for a dry run.

    Raises
    ------
    MeasureError
        If it cannot be done, or a tool failed.
    KeyboardInterrupt
        After Ctrl-C, when everything is removed and what was measured is kept.

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
        raise MeasureError("\n\n".join(filter(None, (why, chosen.elsewhere()))))
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
    )
    if dry:
        facts = [place.facts() for place in found]
        say(messages.before(chosen, plan, found, machine(), facts, None))
        return None
    folder, is_new = outputs.choose(output, experiment)
    if (folder / NAME).exists():
        plan = _same(folder, plan, size is not None)
    return _campaign(folder, plan, chosen, is_new=is_new, progress=progress, say=say)


def resume(
    folder: str | os.PathLike[str], *, progress: bool = True, say: Say | None = None
) -> Campaign:
    """Go on with a campaign that was interrupted: remove what it left, and do the missing runs.

    Parameters
    ----------
    folder : path
        Of its results.
    progress, say
        As in `run`.

    Raises
    ------
    MeasureError
        As in `run`; if a place is not where it was; if nothing is missing.
    KeyboardInterrupt
        As in `run`.
    """
    path = Path(folder).resolve()
    plan = asked(path, lines(path))
    chosen = experiment_named(plan.experiment)
    why = chosen.here()
    if why is not None:
        raise MeasureError(why)
    need(chosen.tools)
    return _campaign(path, plan, chosen, is_new=False, progress=progress, say=say or _nothing)


def _campaign(
    folder: Path, plan: Plan, experiment: Experiment, *, is_new: bool, progress: bool, say: Say
) -> Campaign:
    before = 0 if is_new else _runs(folder, plan)[0]
    with Watch(plan.limit_s) as watch:  # until nothing is left to be removed
        try:
            if is_new:
                outputs.make(folder)
            session(folder, plan, experiment, watch, progress=progress, say=say)
        finally:
            done, total = _runs(folder, plan)
            if done > before:
                say(messages.after(experiment, plan, folder, done, total))
            elif is_new:
                _unmake(folder)
    return campaign(folder)


def _runs(folder: Path, plan: Plan) -> tuple[int, int]:
    """Count the runs that are done, and all."""
    log = lines(folder) if (folder / NAME).exists() else []
    return len(finished(folder, log)), len(wanted(plan, log))


def _unmake(folder: Path) -> None:
    """Remove a folder of results that got none."""
    try:
        (folder / NAME).unlink(missing_ok=True)
        folder.rmdir()
    except OSError:  # somebody put something there, and may have it
        pass


def _same(folder: Path, plan: Plan, sized: bool) -> Plan:
    """Take the plan of the campaign that is in the folder, if it is the one that was asked for."""
    found = asked(folder, lines(folder))
    names = (*_SAME, "size_bytes") if sized else _SAME
    differing = [name for name in names if getattr(found, name) != getattr(plan, name)]
    if differing:
        told = ", ".join(name.removesuffix("_bytes") for name in differing)
        raise MeasureError(
            f"{folder} holds another campaign ({told} differ): "
            f"choose another {argument('output')}, or go on with that one: "
            + typed(f"resume({str(folder)!r})", f"--resume {folder}")
        )
    return found


def _nothing(text: str) -> None:
    """Say nothing."""
