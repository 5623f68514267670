"""Article 004: unpack a tarball of many small files."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from fiotools.measure import filling
from fiotools.measure.experiments.base import (
    MIB,
    WRITTEN,
    Command,
    Effort,
    Experiment,
    Stage,
    Tick,
    timed,
)
from fiotools.measure.facts import binary
from fiotools.measure.plan import Plan
from fiotools.measure.signals import Watch

FILES, FOLDERS = 4294, 213  # of git's v2.39.0.tar, as are its 43 MB
_TARBALL = "files.tar"
_UNPACK = f"tar -x --no-same-owner -f ../{_TARBALL}"


class SmallFiles(Experiment):
    """Unpack 4294 files in 213 folders, without and with waiting for the disk."""

    name = "small-files"
    article = "004"
    question = "how long does it take to make many small files?"
    metric = ("timings", "real_s")
    tools = ("bash", "tar")
    workloads = ("unpack", "unpack-sync")
    efforts = (Effort(37 * MIB, 5), Effort(37 * MIB, 5), Effort(37 * MIB, 20))
    files = 3  # the tarball, what it unpacks to, and what blocks of 4 KiB round up
    reads_data = False
    is_fixed = True

    def available(self) -> tuple[str, ...]:
        """Leave out what only the sync of Linux does: one file system."""
        return self.workloads if sys.platform == "linux" else ("unpack",)

    def prepare(self, plan: Plan, stage: Stage, watch: Watch, tick: Tick) -> Stage:
        """Write the tarball, and read it once."""
        for scratch in stage.scratch.values():
            file = scratch.path / _TARBALL
            filling.tarball(file, FILES, FOLDERS, plan.size_bytes, watch)
            tick(plan.size_bytes)
            file.read_bytes()
        return stage

    def before(self, workload: str, folder: Path) -> None:
        """Make the folder to unpack into."""
        (folder / WRITTEN).mkdir()

    def command(self, workload: str, number: int, plan: Plan, stage: Stage) -> Command:
        """Unpack inside of the folder, as the article does."""
        if workload == "unpack-sync":
            return timed(f"sh -c 'cd {WRITTEN} && {_UNPACK} && sync -f .'")
        return timed(f"sh -c 'cd {WRITTEN} && {_UNPACK}'")

    def implies(self, plan: Plan, ram: int | None) -> Iterator[str]:
        """Say what is waited for."""
        yield (
            f"{FILES} files in {FOLDERS} folders, {binary(plan.size_bytes)}: unpack ends when the "
            "files are made, in the page cache; unpack-sync when the disk has them"
        )
