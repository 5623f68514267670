"""fio's reports: JSON, text, terse, logs; its job files; and its version, which decides units."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

# fio's names for the parts of an entry, in all forms of its report
DIRECTIONS = ("read", "write", "trim", "mixed", "sync")
LATENCIES = ("slat", "clat", "lat")
STATISTICS = ("min", "max", "mean", "stddev")


@dataclass(frozen=True)
class Version:
    """fio's version, as fio writes it without ``fio-``, and its first two numbers."""

    text: str | None
    number: tuple[int, int] | None

    @classmethod
    @lru_cache(maxsize=256)
    def of(cls, said: object) -> Version:
        """Parse the version that a report or the caller gives.

        Examples
        --------
        >>> Version.of("fio-3.33").number, Version.of(None).number
        ((3, 33), None)
        """
        text = str(said).removeprefix("fio-") if said else None
        found = re.match(r"(\d{1,9})\.(\d{1,9})", text or "")
        return cls(text, (int(found[1]), int(found[2])) if found else None)

    @property
    def lists_options(self) -> bool:
        """Whether all options that were given are listed."""
        return not self.before(2, 17, True)

    def before(self, major: int, minor: int, otherwise: bool) -> bool:
        """Whether it is older; ``otherwise`` is returned if there is no version."""
        return otherwise if self.number is None else self.number < (major, minor)
