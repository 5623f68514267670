"""Article 001: one file, read from the disk and read from memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fiotools.measure import page_cache
from fiotools.measure.experiments.base import (
    DATA,
    MIB,
    Command,
    Effort,
    Experiment,
    Question,
    Stage,
    timed,
)
from fiotools.measure.machine import binary
from fiotools.measure.plan import Plan
from fiotools.measure.scratch import Scratch


class PageCache(Experiment):
    """Time cat, with the file out of the page cache and in it."""

    name = "page-cache"
    article = "001"
    question = "what does the page cache gain?"
    metric = ("timings", "real_s")
    questions = (
        Question("cache", ("place",), baseline="cold"),
        Question("place", only=("cache", "cold")),
    )
    cached = "cache"
    tools = ("bash", "cat")
    workloads = ("cold", "warm")
    fields = ("cache",)
    efforts = (Effort(512 * MIB, 5), Effort(2048 * MIB, 5), Effort(5120 * MIB, 10))
    in_memory = 1

    def here(self) -> str | None:
        """Say that a cold cache cannot be had without posix_fadvise."""
        if page_cache.can_drop():
            return super().here()
        return (
            "page-cache: this system has no posix_fadvise, so that without root nothing can be "
            "dropped from the page cache; run it on Linux"
        )

    def before(self, workload: str, number: int, scratch: Scratch) -> Path:
        """Drop the file, or read it."""
        if workload == "cold":
            return scratch.drop(DATA)
        file = scratch.path / DATA
        with file.open("rb", buffering=0) as data:
            while data.read(4 * MIB):
                pass
        return file

    def expected_pct(self, workload: str) -> float:
        """Expect all or nothing."""
        return 100.0 if workload == "warm" else 0.0

    def command(self, workload: str, number: int, plan: Plan, stage: Stage) -> Command:
        """Give the article's own."""
        return timed(f"cat {DATA} > /dev/null")

    def implies(self, plan: Plan, ram: int | None) -> Iterator[str]:
        """Say what is cold and what is not."""
        yield (
            "cold: the file is dropped from this machine's page cache (posix_fadvise); a host or a "
            "server may still have it in its own"
        )
        yield f"warm: {binary(plan.size_bytes)} are read once before, and stay in memory"
