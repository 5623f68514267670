"""How far a campaign is, in a line now and then, where nobody sees a bar: in a log or a pipe."""

from __future__ import annotations

import time
from collections.abc import Callable

from fiotools.measure.facts import span

_EVERY_S = 30.0


class Pace:
    """Counts runs, and says now and then how many are done and how long the others take.

    Parameters
    ----------
    total : int
    say : callable or None
        None: say nothing.
    """

    def __init__(self, total: int, say: Callable[[str], object] | None) -> None:
        self._total, self._say, self._done = total, say, 0
        self._began = self._last = time.monotonic()

    def step(self, where: str) -> None:
        """Count one more."""
        self._done += 1
        now = time.monotonic()
        if self._say is None or now - self._last < _EVERY_S or self._done == self._total:
            return
        self._last = now
        left = (now - self._began) / self._done * (self._total - self._done)
        self._say(f"{self._done} of {self._total} runs, {where}; about {span(left)} left")
