"""A cursor over the lines of a text, and a dispatch by patterns; nothing here is of one tool.

A report is read in one walk: a `Cursor` stands on a line, and `taken` hands that line to the first
(pattern, taker) that matches.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeAlias, TypeVar

from fiotools.readers.document import line_end

Into = TypeVar("Into")

_FILLED = re.compile(r"\S[^\n]*")


class Cursor:
    """Stands on one line of a text, and goes down; ``strip`` makes ``bare`` of a line."""

    def __init__(self, text: str, at: int = 0, strip: Callable[[str], str] = str.strip) -> None:
        self.text, self._strip = text, strip
        self.end = at  # where the last line that was taken and is not blank ends
        self._stand(at, 0)

    def _stand(self, at: int, number: int) -> None:
        self.number = number  # how many lines were passed
        # where the line begins, and where its end of line stands
        self.start, self.stop = at, line_end(self.text, at)
        # behind the last line both are empty; bare is without blanks or quoting
        self.line = self.text[at : self.stop]
        self.bare = self._strip(self.line)

    @property
    def done(self) -> bool:
        """Whether no line is left."""
        return self.start >= len(self.text)

    @property
    def is_open(self) -> bool:
        """Whether the text ends on this line, without an end of line: it may be cut off."""
        return self.stop >= len(self.text)

    def take(self) -> str:
        """Return the line, and go on to the next."""
        line = self.line
        if self.bare:
            self.end = self.stop
        self._stand(self.stop + 1, self.number + 1)
        return line

    def take_to(self, stop: int) -> None:
        """Take several lines as one, as far as the end of the last of them."""
        self.number += self.text.count("\n", self.start, stop)
        self.stop = stop
        self.take()

    def ahead(self, count: int) -> Iterator[str]:
        """Yield some of the lines behind this one that are not blank, without blanks around."""
        for found in islice(_FILLED.finditer(self.text, self.stop), count):
            yield found[0].rstrip()


# takes a line and the lines below that belong to it; if it does not move the cursor, the line was
# taken too; False means that it refuses the line
Taker: TypeAlias = Callable[[Cursor, Into, re.Match[str]], bool | None]


def taken(cursor: Cursor, into: Into, pairs: Iterable[tuple[re.Pattern[str], Taker[Into]]]) -> bool:
    """Hand the line to the first taker whose pattern matches; return whether one took it."""
    number, line = cursor.number, cursor.bare
    for pattern, take in pairs:
        found = pattern.fullmatch(line)
        if found and take(cursor, into, found) is not False:
            if cursor.number == number:
                cursor.take()
            return True
    return False
