"""An experiment: its workloads, needs, comparisons, and the command of one run."""

from __future__ import annotations

import os
import shlex
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from fiotools.measure.machine import binary, span
from fiotools.measure.plan import Plan
from fiotools.measure.scratch import Scratch, can_drop, fill
from fiotools.measure.tools import Watch


@dataclass(frozen=True)
class Question:
    """One comparison of the results of a campaign.

    Attributes
    ----------
    between : str
        The label whose values are the sides.
    by : tuple of str
        The sides are compared for each value of these columns.
    baseline : str or None
        The side that the others are divided by; None: the first that was measured.
    only : tuple of str or None
        A label and its only value in this comparison; None: all.
    """

    between: str
    by: tuple[str, ...] = ()
    baseline: str | None = None
    only: tuple[str, str] | None = None


DATA = "data.tmp"  # the file in each place for the whole campaign
WRITTEN = "written.tmp"  # a file that a run makes; it is removed after the run
MIB = 2**20

Tick = Callable[[int], object]


@dataclass(frozen=True)
class Effort:
    """The effort: bytes of a test file, rounds, seconds of a run."""

    size_bytes: int
    rounds: int
    seconds: int = 0


@dataclass(frozen=True)
class Command:
    """One command, and how its raw output is kept.

    Attributes
    ----------
    argv : tuple of str
    shown : str or None
        The command line for a transcript, which includes stderr; without it only stdout is kept.
    folder : str
        Its working directory in the private folder.
    """

    argv: tuple[str, ...]
    shown: str | None = None
    folder: str = "."


@dataclass(frozen=True)
class Stage:
    """What is prepared for the runs of one session.

    Attributes
    ----------
    scratch : mapping of place to Scratch
    random : int or None
        An open file in memory with random data.
    removal_s : float
        The time to remove the files of one round at the end, as far as it was tried.
    """

    scratch: Mapping[str, Scratch]
    random: int | None = None
    removal_s: float = 0.0


class Experiment(ABC):
    """One procedure; a subclass says what differs.

    Attributes
    ----------
    name, article, question : str
    metric : tuple of str
        The table and the column to look at first.
    questions : tuple of Question
        The comparisons, the main one first.
    cached : str or None
        The label that tells whether reads come from memory, cold or warm.
    tools : tuple of str
        Commands that must be installed.
    workloads : tuple of str
        Of each place; their names may hold several labels, separated by ``_``.
    fields : tuple of str
        The names of these labels.
    suffix : str
    efforts : tuple of Effort
        Quick, normal and thorough.
    files : int
        The most files of the size that a place holds at once.
    in_memory : int
        The files of the size that memory holds beside them.
    reads_data : bool
        Whether files are filled with random data before they are read.
    is_fixed : bool
        Whether the size is part of the experiment.
    is_direct : bool
        Whether all of it bypasses the page cache, unless the caller wants it buffered.
    """

    name: ClassVar[str]
    article: ClassVar[str]
    question: ClassVar[str]
    metric: ClassVar[tuple[str, str]]
    questions: ClassVar[tuple[Question, ...]]
    cached: ClassVar[str | None] = None
    tools: ClassVar[tuple[str, ...]]
    workloads: ClassVar[tuple[str, ...]]
    fields: ClassVar[tuple[str, ...]] = ("workload",)
    suffix: ClassVar[str] = ".txt"
    efforts: ClassVar[tuple[Effort, Effort, Effort]]
    files: ClassVar[int] = 1
    in_memory: ClassVar[int] = 0
    reads_data: ClassVar[bool] = True
    is_fixed: ClassVar[bool] = False
    is_direct: ClassVar[bool] = False

    def here(self) -> str | None:
        """Tell why it cannot run on this system; None if it can."""
        if os.name == "nt" and not {"fio", "diskspd"} & {*self.tools}:
            return (
                f"{self.name} needs {' and '.join(self.tools)} of Linux: run it in WSL, "
                "or take random-io or diskspd here"
            )
        return None

    def available(self) -> tuple[str, ...]:
        """Return the workloads that this system's tools know."""
        return self.workloads

    def needs_direct(self, workload: str, plan: Plan) -> bool:
        """Whether a workload bypasses the page cache."""
        if self.is_direct:
            return not plan.buffered
        return "direct" in workload.split("-")

    def jobs(self) -> int:
        """Return the number of jobs at once if the tool has several (else 0)."""
        return 0

    def held(self, runs: int) -> int:
        """Count the files of the size that a place holds at once, at most, in so many runs."""
        return self.files

    def prepare(self, plan: Plan, stage: Stage, watch: Watch, tick: Tick) -> Stage:
        """Prepare the files of the runs, outside of any measurement."""
        for scratch in stage.scratch.values():
            fill(scratch.path / DATA, plan.size_bytes, watch, tick)
        return stage

    def to_prepare(self, plan: Plan) -> int:
        """Count the bytes that `prepare` writes and reads."""
        return 2 * plan.size_bytes * len(plan.places)

    def lasts(self, plan: Plan, runs: int) -> str:
        """Tell how long the preparation and so many runs take."""
        moved = plan.size_bytes * runs + self.to_prepare(plan)
        return f"{span(moved / 1e9)} at 1 GB/s, {span(moved / 100e6)} at 100 MB/s"

    def before(self, workload: str, number: int, scratch: Scratch) -> Path | None:
        """Prepare one run; return the file that it reads, to see how much of it is in memory."""
        if "read" not in workload:
            return None
        return scratch.drop(DATA)

    def expected_pct(self, workload: str) -> float:
        """Return the share of the file that should be in memory before a run."""
        return 0.0

    @abstractmethod
    def command(self, workload: str, number: int, plan: Plan, stage: Stage) -> Command:
        """Return the command of a run in a round."""

    @abstractmethod
    def implies(self, plan: Plan, ram: int | None) -> Iterator[str]:
        """Tell what the sizes and the options mean for the result."""

    def elsewhere(self) -> str | None:
        """Tell how to run it on another system if it cannot run here."""
        return None


def transcript(argv: tuple[str, ...]) -> Command:
    """Run a command as it is, and show it as one would type it."""
    return Command(argv, shlex.join(argv))


def timed(script: str) -> Command:
    """Run a script under bash's own ``time``."""
    line = f"time {script}"
    return Command(("bash", "--noprofile", "--norc", "-c", line), line)


def block(kib: int) -> str:
    """Write a block size for this system's dd.

    Examples
    --------
    >>> block(4), block(2048)
    ('4k', '2M')
    """
    if kib < 1024:
        return f"{kib}k"
    return f"{kib // 1024}{'M' if sys.platform == 'linux' else 'm'}"


def fits(size: int, ram: int | None) -> str | None:
    """Tell that a file fits into memory, if it does."""
    if ram is None:
        return f"the size of the memory is not known: {binary(size)} may fit into it"
    if size < 2 * ram:
        how = "fits into" if size < ram else "is less than twice"
        return f"{binary(size)} {how} the memory ({binary(ram)})"
    return None


def cold() -> str:
    """Tell where reads come from."""
    if can_drop():
        return (
            "the file is dropped from the page cache before each run that reads it "
            "(posix_fadvise); no cache of a host or of a server is"
        )
    return "this system lets nobody drop a file from the page cache: what is read may be in memory"
