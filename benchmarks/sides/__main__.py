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
        return int(answer.memory_usage(deep=True).sum())
    parts = (
        answer.values()
        if isinstance(answer, dict)
        else vars(answer).values()
        if (hasattr(answer, "runs"))
        else ()
    )
    sizes = [size for part in parts if (size := _size(part)) is not None]
    return sum(sizes) if sizes else None


if __name__ == "__main__":
    main(*sys.argv[1:])
