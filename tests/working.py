"""A reader of another package, for processes that a test starts."""

import os
import signal

TOY = '''
"""A reader of another package that does what its file says."""

from fiotools.readers import Reader
from tests.working import die


def read(document, tables):
    deed = document.text.partition("\\n")[2].strip().partition(" ")[0]
    if deed == "die":
        die()
    if deed == "fill":
        raise MemoryError
    run = tables.start_run(tool="toy", format="toy")
    if deed == "grow":
        tables.extend("samples", {"value": Greedy()}, run=run)
    tables.add("io", run=run, entry=1, iops=12.5)


class Greedy:
    """A column that does not fit into the memory."""

    def __len__(self):
        return 1

    def __iter__(self):
        raise MemoryError


def sniff(document):
    return document.text.startswith("toy\\n")


READER = Reader("toy", "deeds", "toy", ("runs", "io"), sniff, read)
'''


def die():
    """End this process as the system does that is short of memory."""
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
