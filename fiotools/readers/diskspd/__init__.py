"""DISKSPD's reports, XML and text, and what it writes to standard error in the same file.

Its errors and warnings become notes; the progress of ``-v`` is only counted. Since 2.1 each line of
progress begins with the time.

Specified in ``CmdRequestCreator.cpp`` and ``IORequestGenerator.cpp``, 2.0.12 to 2.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fiotools.readers.document import line_end, lines_above

_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d: "
# asked of lines without the blanks around them
_TROUBLE = re.compile(
    r"(?:Error |ERROR: |WARNING: |error during overlapped|There has been an error).*"
)
_PROGRESS = re.compile(
    rf"{_TIME}.*|Generating requests for timespan \d.*|Creating file '.*|creating thread \d+"
    r"|get system perf info: .*|starting (?:warm up|measurements|cool down).*"
    r"|stopped measurements.*|finished test.*|affinitizing thread \d.*"
    r"|thread \d+(?:: | is relative thread | start(?:ed|ing)\b).*"
)


def is_trouble(line: str) -> bool:
    """Return whether a line is an error or a warning."""
    return _TROUBLE.fullmatch(line) is not None


def is_progress(line: str) -> bool:
    """Return whether a line only tells the progress of the test."""
    return _PROGRESS.fullmatch(line) is not None


def start_of(text: str, at: int) -> int:
    """Go back from the start of a line over the messages above it."""
    start = at
    for above, line in lines_above(text, at):
        if is_trouble(line.strip()) or is_progress(line.strip()):
            start = above
        elif line.strip():
            break
    return start


def end_of(text: str, at: int) -> int:
    """Go on from the end of a line over the messages below it."""
    end = at
    while at < len(text):
        stop = line_end(text, at + 1)
        line = text[at:stop].strip()
        if is_trouble(line) or is_progress(line):
            end = stop
        elif line:
            break
        at = stop
    return end


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield every line that is not blank, with its number from 0."""
    for number, line in enumerate(text.split("\n")):
        if line.strip():
            yield number, line.strip()


def is_rule(line: str) -> bool:
    """Return whether a line only separates: ``------``, ``******``, Markdown's ``|--|--|``.

    Programs make longer dashes of them.
    """
    marks = line.strip(" \t|")
    return len(marks) > 1 and not marks.strip("-\u2010\u2011\u2013\u2014\u2212*_=:| \t")
