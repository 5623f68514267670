"""Article 000: one large file, written and read with dd.

In blocks of 1 MiB: those of the article, 1 GiB, would have to fit into memory beside the file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace

from fiotools.measure import test_files
from fiotools.measure.experiments.base import (
    DATA,
    MIB,
    WRITTEN,
    Command,
    Effort,
    Experiment,
    Question,
    Stage,
    Tick,
    block,
    cold,
    fits,
    transcript,
)
from fiotools.measure.machine import binary
from fiotools.measure.plan import Plan
from fiotools.measure.signals import Watch


class Throughput(Experiment):
    """Write zeros and random data, with and without fdatasync and direct I/O, and read."""

    name = "throughput"
    article = "000"
    question = "how fast is one large file written and read?"
    metric = ("io", "bw_bytes_per_s")
    questions = (Question("place", ("workload", "direction")),)
    tools = ("dd",)
    workloads = (
        *("write-zeros", "write-zeros-fdatasync"),
        *("write-zeros-direct", "write-zeros-direct-fdatasync"),
        *("write-random", "write-random-fdatasync"),
        *("write-random-direct", "write-random-direct-fdatasync"),
        *("read", "read-direct"),
    )
    efforts = (Effort(64 * MIB, 5), Effort(1024 * MIB, 5), Effort(4096 * MIB, 10))
    files = 2
    in_memory = 1

    def available(self) -> tuple[str, ...]:
        """Leave out what only the dd of Linux does."""
        linux = sys.platform == "linux"
        return tuple(w for w in self.workloads if linux or {*w.split("-")}.isdisjoint(_LINUX))

    def prepare(self, plan: Plan, stage: Stage, watch: Watch, tick: Tick) -> Stage:
        """Fill the file to read, and hold the random data to write in memory."""
        stage = super().prepare(plan, stage, watch, tick)
        if any("random" in workload for workload in plan.workloads):
            stage = replace(stage, random=test_files.in_memory(plan.size_bytes, watch, tick))
        return stage

    def to_prepare(self, plan: Plan) -> int:
        """Count the random data too."""
        return super().to_prepare(plan) + plan.size_bytes

    def command(self, workload: str, number: int, plan: Plan, stage: Stage) -> Command:
        """Give a dd."""
        words = workload.split("-")
        flag = "direct" in words
        size = f"bs={block(1024)}"
        if words[0] == "read":
            extra = ("iflag=direct",) if flag else ()
            return transcript(("dd", f"if={DATA}", "of=/dev/null", size, *extra))
        source = "/dev/zero"
        if "random" in words:
            # where there is no file in memory, the prepared file has the data
            source = DATA if stage.random is None else f"/dev/fd/{stage.random}"
        return transcript(
            (
                *("dd", f"if={source}", f"of={WRITTEN}", size, f"count={plan.size_bytes // MIB}"),
                *(("oflag=direct",) if flag else ()),
                *(("conv=fdatasync",) if "fdatasync" in words else ()),
            )
        )

    def implies(self, plan: Plan, ram: int | None) -> Iterator[str]:
        """Say what is the page cache's."""
        small = fits(plan.size_bytes, ram)
        writes = [{*name.split("-")} for name in plan.workloads if name.startswith("write")]
        plain = any(words.isdisjoint(_LINUX) for words in writes)
        if small and plain:
            yield (
                f"{small}: writing without fdatasync and direct ends in the page cache, "
                "and its rate is that of memory"
            )
        if any("zeros" in name for name in plan.workloads):
            yield "zeros may never be stored: compare them with the random data"
        if any("random" in name for name in plan.workloads):
            kept = "held in memory" if hasattr(os, "memfd_create") else "read from the place itself"
            yield f"the random data ({binary(plan.size_bytes)}) is made before, and {kept}"
        if any(name.startswith("read") for name in plan.workloads):
            yield cold()


_LINUX = {"fdatasync", "direct"}
