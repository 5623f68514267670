"""`fiotools measure`: the articles' procedures, run on places of one's own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from signal import SIGINT
from typing import Any, Literal
from unicodedata import category

import typer

from fiotools.cli.options import choice, command, flag, option
from fiotools.cli.output import OutputClosedError, Trouble, die_of, say, write
from fiotools.measure.experiments import EXPERIMENTS
from fiotools.measure.runner import resume, run
from fiotools.measure.tools import Interrupted

_LIST = ", ".join(f"{name} (article {one.article})" for name, one in EXPERIMENTS.items())


@command(
    "measure random-io --dir ssd=/home/me/scratch --dir nas=/mnt/nas/me --quick",
    "measure throughput --dir /mnt/a --dir /mnt/b --only write-random-fdatasync --only read",
    "measure random-io --dir /mnt/a --dir /mnt/b --until settled --rounds 20",
    "measure page-cache --dir /srv --dry-run",
    "measure --resume random-io-20261121-093000",
)
def measure(
    experiment: str | None = typer.Argument(
        None, metavar="EXPERIMENT", help=f"{_LIST}.", show_default=False
    ),
    dir: list[str] | None = option("[NAME=]FOLDER", "A folder to measure; once for each place."),
    output: Path | None = option(
        "FOLDER",
        "A new folder for the results; by default named by experiment and time.",
        "-o",
    ),
    continued: Path | None = option(
        "FOLDER", "Resume the interrupted campaign in this folder.", "--resume"
    ),
    quick: bool = flag("Under two minutes."),
    thorough: bool = flag("Larger files, longer runs, more rounds."),
    rounds: int | None = option("N", "Runs of each workload on each place; 5 by default."),
    size: str | None = option(
        "SIZE", "Size of a test file, such as 4G; by default as much as fits."
    ),
    seconds: int | None = option("N", "Seconds of each run of fio or diskspd."),
    only: list[str] | None = option("WORKLOAD", "Only this workload; repeatable."),
    buffered: bool = flag("random-io: through the page cache."),
    until: Literal["settled"] | None = choice(
        None, "Stop when every comparison has a verdict, after --rounds at most."
    ),
    dry_run: bool = flag("Show the plan, and do nothing."),
) -> int:
    """Measure places with the procedures of the articles, and keep the raw outputs.

    Each place gets a private folder, which is removed at the end, also after Ctrl-C. Nothing else
    is touched.
    """
    wanted: dict[str, Any] = {
        "output": output,
        "rounds": rounds,
        "size": size,
        "seconds": seconds,
        "only": only or (),
        "buffered": buffered,
        "dry": dry_run,
        **({"until": until} if until else {}),
    }
    if continued is not None:
        if any((experiment, dir, quick, thorough, *wanted.values())):
            raise typer.BadParameter("--resume takes everything from the folder: give nothing else")
        measured: Callable[..., object] = partial(resume, continued)
    else:
        if experiment is None or experiment not in EXPERIMENTS:
            what = "which experiment?" if experiment is None else f"no experiment {experiment!r}:"
            raise typer.BadParameter(f"{what} {', '.join(EXPERIMENTS)}")
        if quick and thorough:
            raise typer.BadParameter("--quick or --thorough, not both")
        chosen = EXPERIMENTS[experiment]
        if chosen.elsewhere and chosen.here() is not None:
            _say(chosen.elsewhere)
            return 0
        if not dir:
            raise typer.BadParameter("which folders? --dir NAME=FOLDER, once for each place")
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
