"""The command line: the library's verbs for a shell.

`main` runs one command and returns its exit code: 0 done; 1 a file could not be read, or the
question has no answer; 2 the command itself is wrong; 3 `check --strict` found a fault, or a rule
cannot be judged; 4 a rule of `gate` or `compare --fail-if` is broken; 130 interrupted. Answers go
to stdout and everything else to stderr, where an error is one line. Nothing heavy is imported
before a command needs it: `--help` is quick.

The verbs are the table of `verbs`: a verb is a function, and `options` makes its options from the
signature and the docstring that `signatures` reads.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, by default that of the process, and return its exit code."""
    if arguments is None:  # the process is ours, and it is short
        gc.disable()
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy would start idle threads
    try:
        from fiotools.cli.app import run

        return run(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        from fiotools.cli.output import interrupted

        return interrupted()
