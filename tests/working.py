"""What worker processes are given to do in tests; a process imports nothing else for it."""

import os
import signal
import time
from pathlib import Path

TOY = '''
"""A reader of another package that does what its file says."""

from pathlib import Path

from fiotools.readers import Reader
from tests.working import die, wait


def read(document, tables):
    deed, _, place = document.text.partition("\\n")[2].strip().partition(" ")
    if deed == "die" and not (place and Path(place).exists()):
        if place:
            Path(place).touch()
        die()
    if deed == "wait":
        wait(place)
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


def square(number):
    return number * number


def die_once(task):
    """Leave a trace for each go; every fifth task ends its process the first time."""
    number, folder = task
    goes = Path(folder, str(number))
    with goes.open("a") as file:
        file.write("x")
    if number % 5 == 2 and goes.stat().st_size == 1:
        die()
    return number


def die_at_three(number):
    if number == 3:
        die()
    return number


def fail_at_three(number):
    if number == 3:
        raise ZeroDivisionError("three")
    return number


def wait(place):
    """Do nothing for long, but for leaving a trace again and again."""
    end = time.monotonic() + 600
    while place and time.monotonic() < end:
        Path(place).touch()
        time.sleep(0.02)


def talk(text):
    print(text)
    os.write(1, text.encode())
    return text


def unsendable(_):
    return lambda: None
