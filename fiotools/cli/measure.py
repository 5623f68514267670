"""`fiotools measure`: the articles' procedures, run on places of one's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from signal import SIGINT
from typing import Any, Literal
from unicodedata import category

import click

from fiotools.cli.output import OutputClosedError, Trouble, die_of, say, write
from fiotools.measure.experiments import EXPERIMENTS, OWN_JOB, experiment_named
from fiotools.measure.runner import resume, run
from fiotools.measure.tools import Interrupted


def measure(
    experiment: str | None = None,
    *,
    dir: Sequence[str] = (),
    output: str | None = None,
    continued: str | None = None,
    quick: bool = False,
    thorough: bool = False,
    rounds: int | None = None,
    size: str | None = None,
    seconds: int | None = None,
    only: Sequence[str] = (),
    buffered: bool = False,
    until: Literal["settled"] | None = None,
    job: str | None = None,
    dry_run: bool = False,
) -> int:
    """Measure places with the procedures of the articles, and keep the raw outputs.

    Each place gets a private folder, which is removed at the end, also after Ctrl-C. Nothing else
    is touched.

    Parameters
    ----------
    experiment : str, optional
        The experiment: throughput (article 000), page-cache (article 001), diskspd (article 002),
        block-size (article 003), random-io (article 004), small-files (article 004).
    dir : sequence of str
        A folder to measure; once for each place.
    output : str, optional
        A new folder for the results; by default named by experiment and time.
    continued : str, optional
        Resume the interrupted campaign in this folder.
    quick : bool
        Under two minutes.
    thorough : bool
        Larger files, longer runs, more rounds.
    rounds : int, optional
        Runs of each workload on each place; 5 by default.
    size : str, optional
        Size of a test file, such as 4G; by default as much as fits.
    seconds : int, optional
        Seconds of each run of fio or diskspd.
    only : sequence of str
        Only this workload.
    buffered : bool
        random-io: through the page cache.
    until : {"settled"}, optional
        Stop when every comparison has a verdict, after --rounds at most.
    job : str, optional
        A job file of fio, to be run on each place instead of an experiment.
    dry_run : bool
        Show the plan, and do nothing.
    """
    wanted: dict[str, Any] = {
        "output": Path(output) if output else None,
        "rounds": rounds,
        "size": size,
        "seconds": seconds,
        "only": only,
        "buffered": buffered,
        "dry": dry_run,
        "job": job,
        **({"until": until} if until else {}),
    }
    if continued is not None:
        if any((experiment, dir, quick, thorough, *wanted.values())):
            raise click.UsageError("--resume takes everything from the folder: give nothing else")
        measured: Callable[..., object] = partial(resume, Path(continued))
    else:
        if job is not None and experiment is None:
            experiment = OWN_JOB.name
        if experiment is None or experiment not in {*EXPERIMENTS, OWN_JOB.name}:
            what = "which experiment?" if experiment is None else f"no experiment {experiment!r}:"
            raise click.UsageError(f"{what} {', '.join(EXPERIMENTS)}")
        if quick and thorough:
            raise click.UsageError("--quick or --thorough, not both")
        chosen = experiment_named(experiment)
        if chosen.elsewhere and chosen.here() is not None:
            _say(chosen.elsewhere)
            return 0
        if not dir:
            raise click.UsageError("which folders? --dir NAME=FOLDER, once for each place")
        effort = "quick" if quick else "thorough" if thorough else "normal"
        measured = partial(run, experiment, dir, effort=effort, **wanted)
    try:
        measured(say=_say)
    except Interrupted as error:
        left = ": all is removed from the places" if error.is_clean else ""
        say(f"{error}{left}")
        return die_of("SIGINT") if error.number == SIGINT else 128 + error.number
    return 0


def _say(text: str) -> None:
    """Write a message, as long as somebody reads it: measuring continues without."""
    # a name may hold anything, also commands for the terminal
    told = "".join(one if one == "\n" or category(one)[0] != "C" else "\ufffd" for one in text)
    with suppress(OutputClosedError, Trouble):
        write(f"{told}\n")
