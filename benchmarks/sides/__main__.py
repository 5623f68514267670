"""Run one side as often as asked: ``python -m benchmarks.sides MODULE.FUNCTION PATH FIRST TREE``.

It reads FIRST, a small input of the same kind, so that all is imported and made that a process
makes once. Then it runs the side on PATH for each line that it is given, and answers with what that
took. TREE is the checkout that fiotools is imported from. A line is as many calls as take long
enough to be counted, and the answer is of one of them.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
import time
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.process import MAXRSS

_ENOUGH = 0.2  # CPU seconds of a round


def main(what: str, path: str, first: str, tree: str) -> None:
    """Run the side on the small input, and then for each line on the other."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the prints of a side are not its answer
    sys.path.insert(0, tree)  # benchmarks is imported already, and stays this one
    module, _, function = what.partition(".")
    side = getattr(import_module(f"benchmarks.sides.{module}"), function)
    side(first)
    used = sys.modules.get("fiotools")
    if used and not Path(str(used.__file__)).is_relative_to(tree):
        sys.exit(f"fiotools was not imported from {tree}")
    own = {"first_s": _cpu(), "rss": _peak()}
    for _ in sys.stdin:
        answer = None
        gc.collect()
        cpu, wall, calls = _cpu(), time.perf_counter(), 0
        while not calls or _cpu() - cpu < _ENOUGH:
            answer = None  # two never stand beside each other
            answer = side(path)
            calls += 1
        told = {"cpu_s": (_cpu() - cpu) / calls, "wall_s": (time.perf_counter() - wall) / calls}
        if own:  # the memory of the first time: later ones have what it left
            told |= {"first_s": own["first_s"], "rss": _peak() - own["rss"], "bytes": size(answer)}
            own = {}
        print(json.dumps(told), file=answers, flush=True)


def _cpu() -> float:
    """Give the CPU seconds of this process and of those that it waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _peak() -> int:
    """Give the bytes at the peak, of the largest of them."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return max(one.ru_maxrss for one in used) * MAXRSS


def size(answer: Any) -> int | None:
    """Give the bytes of the frames in an answer; None if it has none."""
    if hasattr(answer, "estimated_size"):  # polars
        return int(answer.estimated_size())
    if hasattr(answer, "memory_usage"):  # pandas
        return sum(_held(answer[name]) for name in answer.columns)
    parts = answer.tables if hasattr(answer, "tables") else answer
    sizes = [size(part) for part in parts.values()] if isinstance(parts, Mapping) else []
    known = [one for one in sizes if one is not None]
    return sum(known) if known else None


def _held(column: Any) -> int:
    """Give the bytes of a column of pandas: what parts of an Arrow array share counts once."""
    if getattr(column.dtype, "storage", "") != "pyarrow":
        return int(column.memory_usage(index=False, deep=True))
    chunks = column.array.__arrow_array__().chunks
    buffers = {one.address: one.size for chunk in chunks for one in chunk.buffers() if one}
    return sum(buffers.values())


if __name__ == "__main__":
    main(*sys.argv[1:])
