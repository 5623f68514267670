"""Article 004: fio's random reads and writes, with the job file's options on the command line."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from fiotools.measure import test_files
from fiotools.measure.experiments.base import (
    MIB,
    Command,
    Effort,
    Experiment,
    Question,
    Stage,
    Tick,
    fits,
)
from fiotools.measure.machine import binary, processors, span
from fiotools.measure.plan import Plan
from fiotools.measure.scratch import Scratch
from fiotools.measure.signals import Watch

_ENGINES = {"linux": "libaio", "darwin": "posixaio", "win32": "windowsaio"}
_FILES = "data.$jobnum.tmp"  # fio's own word for the number of a job, from 0
_PATTERNS = {
    "random-read": ("--rw=randread",),
    "random-write": ("--rw=randwrite",),
    "random-readwrite": ("--rw=randrw", "--rwmixread=70", "--rwmixwrite=30"),
}


class RandomIO(Experiment):
    """Blocks of 4 KiB at random, a job for each processor, depth 1, direct."""

    name = "random-io"
    article = "004"
    question = "how many small random reads and writes does it do?"
    metric = ("io", "iops")
    questions = (Question("place", ("workload", "direction")),)
    tools = ("fio",)
    workloads = tuple(_PATTERNS)
    suffix = ".json"
    is_direct = True
    efforts = (Effort(256 * MIB, 5, 2), Effort(2048 * MIB, 5, 20), Effort(8192 * MIB, 10, 60))

    def jobs(self) -> int:
        """Give one to each processor, as the article does."""
        return processors()

    def prepare(self, plan: Plan, stage: Stage, watch: Watch, tick: Tick) -> Stage:
        """Fill a file for each job."""
        for scratch in stage.scratch.values():
            for job in range(plan.jobs):
                file = scratch.path / _FILES.replace("$jobnum", str(job))
                test_files.fill(file, _share(plan), watch, tick)
        return stage

    def lasts(self, plan: Plan, runs: int) -> str:
        """Add up the runs, with what fio needs to start."""
        return f"{plan.seconds} s a run, {span(runs * (plan.seconds + 0.4))} and the preparation"

    def before(self, workload: str, number: int, scratch: Scratch) -> None:
        """Drop what lies below the place too; fio drops its own files by itself."""
        scratch.drop_below()

    def command(self, workload: str, number: int, plan: Plan, stage: Stage) -> Command:
        """Give the article's job; the offsets differ from round to round, and not by place."""
        return Command(
            (
                *("fio", f"--name={workload}", f"--filename_format={_FILES}"),
                *(f"--size={_share(plan)}", *_PATTERNS[workload], "--bs=4k"),
                *(f"--numjobs={plan.jobs}", "--thread"),
                *("--time_based", f"--runtime={plan.seconds}s"),
                *(f"--direct={int(not plan.buffered)}",),
                *(f"--ioengine={_ENGINES.get(sys.platform, 'psync')}", "--group_reporting"),
                *("--allow_file_create=0", f"--randseed={number}"),
                *("--eta=never", "--output-format=json+"),
            )
        )

    def implies(self, plan: Plan, ram: int | None) -> Iterator[str]:
        """Say which cache is passed by."""
        small = fits(plan.size_bytes, ram)
        if plan.buffered and small:
            yield f"{small}, and direct I/O is off: this measures the page cache"
        elif small:
            yield (
                f"{small}; direct=1 passes this machine's page cache by, and neither a host's nor "
                "a server's"
            )
        yield (
            f"{plan.jobs} jobs, as many as processors, each with a file of {binary(_share(plan))} "
            "full of random data"
        )
        if plan.seconds < 10:
            yield (
                f"{plan.seconds} s a run (the article has 60): an SSD's own cache, and a burst "
                "that a cloud disk grants, last longer"
            )


def _share(plan: Plan) -> int:
    """Give the size of one job's file: all of them together are as large as the plan says."""
    return plan.size_bytes // plan.jobs // 4096 * 4096
