"""Article 004: unpack a tarball of many small files."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import replace

from fiotools.measure import test_files
from fiotools.measure.experiments.base import (
    MIB,
    Command,
    Effort,
    Experiment,
    Question,
    Stage,
    Tick,
    timed,
)
from fiotools.measure.machine import binary, span
from fiotools.measure.plan import Plan
from fiotools.measure.scratch import Scratch, empty
from fiotools.measure.signals import Watch

FILES, FOLDERS = 4294, 213  # of git's v2.39.0.tar, as are its 43 MB
_TARBALL = "files.tar"
_UNPACK = f"tar -x --no-same-owner -f ../{_TARBALL}"
_TRIED = 64  # files


class SmallFiles(Experiment):
    """Unpack 4294 files in 213 folders, without and with waiting for the disk.

    Every run unpacks into a folder of its own, and all of them stay until the end. What was removed
    a moment ago would slow the next run down: ext4 without a journal walks by the inodes that it
    has just freed, and a disk that is told of freed blocks (discard) is busy with them.
    """

    name = "small-files"
    article = "004"
    question = "how long does it take to make many small files?"
    metric = ("timings", "real_s")
    questions = (Question("place", ("workload",)),)
    tools = ("bash", "tar", "sync")
    workloads = ("unpack", "unpack-sync")
    efforts = (Effort(37 * MIB, 5), Effort(37 * MIB, 5), Effort(37 * MIB, 20))
    reads_data = False
    is_fixed = True

    def available(self) -> tuple[str, ...]:
        """Leave out what only the sync of Linux does: one file system."""
        return self.workloads if sys.platform == "linux" else ("unpack",)

    def held(self, runs: int) -> int:
        """Count the tarball, and what it unpacks to: in blocks of 4 KiB, and with its inodes."""
        return 1 + 2 * runs

    def to_prepare(self, plan: Plan) -> int:
        """Count the tarballs."""
        return plan.size_bytes * len(plan.places)

    def lasts(self, plan: Plan, runs: int) -> str:
        """Know it by experience: the article's took from 5 s to half a minute."""
        return f"{span(0.3 * runs)} on a fast disk, {span(15.0 * runs)} on a slow mount"

    def prepare(self, plan: Plan, stage: Stage, watch: Watch, tick: Tick) -> Stage:
        """Write the tarball, and read it once; try how long removing takes, if time is short."""
        removal = 0.0
        for scratch in stage.scratch.values():
            file = scratch.path / _TARBALL
            test_files.tarball(file, FILES, FOLDERS, plan.size_bytes, watch)
            tick(plan.size_bytes)
            file.read_bytes()
            if plan.limit_s is not None:
                removal += _removal_s(scratch) * len(plan.workloads)
        return replace(stage, removal_s=removal)

    def before(self, workload: str, number: int, scratch: Scratch) -> None:
        """Make the folder to unpack into."""
        (scratch.path / _folder(workload, number)).mkdir()

    def command(self, workload: str, number: int, plan: Plan, stage: Stage) -> Command:
        """Unpack inside of the folder, as the article does."""
        line = f"({_UNPACK} && sync -f .)" if workload == "unpack-sync" else _UNPACK
        return replace(timed(line), folder=_folder(workload, number))

    def implies(self, plan: Plan, ram: int | None) -> Iterator[str]:
        """Say what is waited for."""
        yield (
            f"{FILES} files in {FOLDERS} folders, {binary(plan.size_bytes)}: unpack ends when the "
            "files are made, in the page cache; unpack-sync when the disk has them"
        )


def _folder(workload: str, number: int) -> str:
    return f"{workload}-{number}.tmp"


def _removal_s(scratch: Scratch) -> float:
    """Try with some files how long it takes to remove what one run leaves."""
    folder = scratch.path / "tried.tmp"
    folder.mkdir()
    for number in range(_TRIED):
        (folder / str(number)).write_bytes(os.urandom(8192))
    if hasattr(os, "sync"):
        os.sync()
    began = time.perf_counter()
    empty(folder)
    return (time.perf_counter() - began) / _TRIED * (FILES + FOLDERS)
