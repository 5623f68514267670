"""Run one side: ``python -m benchmarks.sides MODULE.FUNCTION PATH``.

With ``--tell FILE`` it writes down which modules it imported and how many bytes its answer has;
that costs time, and is asked for in a run that is not counted. ``--import FILE`` imports the
modules that were written down, in the same order, and does nothing else.
"""

from __future__ import annotations

import contextlib
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any


def main(what: str, path: str, tell: str = "", file: str = "") -> None:
    """Run a side, or its imports alone."""
    if what == "--import":
        for name in json.loads(Path(path).read_text())["modules"]:
            # a few are made by others, and cannot be imported by their names
            with contextlib.suppress(ImportError):
                import_module(name)
        return
    module, _, function = what.partition(".")
    answer = getattr(import_module(f"benchmarks.sides.{module}"), function)(path)
    if tell:
        modules = [name for name in sys.modules if name.partition(".")[0] != "__main__"]
        told = {"modules": modules, "bytes": _size(answer)}
        Path(file).write_text(json.dumps(told))


def _size(answer: Any) -> int | None:
    """Give the bytes of the frames in an answer; None if it has none."""
    if hasattr(answer, "estimated_size"):  # polars
        return int(answer.estimated_size())
    if hasattr(answer, "memory_usage"):  # pandas
        return sum(_held(answer[name]) for name in answer.columns)
    parts = answer.tables if hasattr(answer, "tables") else answer
    sizes = [_size(part) for part in parts.values()] if isinstance(parts, dict) else []
    known = [size for size in sizes if size is not None]
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
