"""Article 003: the same file at five block sizes with dd."""

from __future__ import annotations

from collections.abc import Iterator

from fiotools.measure.experiments.base import (
    DATA,
    MIB,
    WRITTEN,
    Command,
    Effort,
    Experiment,
    Question,
    Stage,
    block,
    cold,
    fits,
    transcript,
)
from fiotools.measure.plan import Plan

_KIB = {"4k": 4, "32k": 32, "256k": 256, "2m": 2048, "16m": 16384}


class BlockSize(Experiment):
    """Write and read with dd at 4k, 32k, 256k, 2M and 16M."""

    name = "block-size"
    article = "003"
    question = "which block size is fast enough?"
    metric = ("io", "bw_bytes_per_s")
    questions = (Question("place", ("direction", "bs_bytes")),)
    tools = ("dd",)
    workloads = tuple(f"{operation}_{size}" for size in _KIB for operation in ("write", "read"))
    fields = ("operation", "size")
    efforts = (Effort(64 * MIB, 5), Effort(1024 * MIB, 5), Effort(4096 * MIB, 10))
    files = 2

    def command(self, workload: str, number: int, plan: Plan, stage: Stage) -> Command:
        """Give a plain dd, as the article has it."""
        operation, size = workload.split("_")
        kib = _KIB[size]
        if operation == "read":
            return transcript(("dd", f"if={DATA}", "of=/dev/null", f"bs={block(kib)}"))
        count = plan.size_bytes // (kib * 1024)
        return transcript(
            ("dd", "if=/dev/zero", f"of={WRITTEN}", f"bs={block(kib)}", f"count={count}")
        )

    def implies(self, plan: Plan, ram: int | None) -> Iterator[str]:
        """Say that plain dd waits for nothing."""
        small = fits(plan.size_bytes, ram)
        if small:
            yield (
                f"{small}: plain dd writes zeros into the page cache, so this is what a system "
                "call costs at each block size; for the disk's own rate see throughput, with "
                "fdatasync"
            )
        yield cold()
