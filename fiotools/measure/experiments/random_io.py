"""Article 004: fio's random reads and writes, with the job file's options on the command line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from fiotools.measure.experiments.base import (
    DATA,
    MIB,
    Command,
    Effort,
    Experiment,
    Stage,
    fits,
)
from fiotools.measure.facts import binary, processors
from fiotools.measure.plan import Plan

_ENGINES = {"linux": "libaio", "darwin": "posixaio", "win32": "windowsaio"}
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
    tools = ("fio",)
    workloads = tuple(_PATTERNS)
    suffix = ".json"
    is_direct = True
    efforts = (Effort(256 * MIB, 5, 2), Effort(2048 * MIB, 5, 20), Effort(8192 * MIB, 10, 60))

    def jobs(self) -> int:
        """Give one to each processor, as the article does."""
        return processors()

    def before(self, workload: str, folder: Path) -> None:
        """Leave the cache to fio, which drops it by itself."""

    def command(self, workload: str, number: int, plan: Plan, stage: Stage) -> Command:
        """Give the article's job; the offsets differ from round to round, and not by place."""
        return Command(
            (
                *("fio", f"--name={workload}", f"--filename={DATA}", f"--size={plan.size_bytes}"),
                *(*_PATTERNS[workload], "--bs=4k", f"--numjobs={plan.jobs}", "--thread"),
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
        yield f"{plan.jobs} jobs share one file of {binary(plan.size_bytes)}, full of random data"
        if plan.seconds < 10:
            yield (
                f"{plan.seconds} s a run (the article has 60): an SSD's own cache, and a burst "
                "that a cloud disk grants, last longer"
            )
