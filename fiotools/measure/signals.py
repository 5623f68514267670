"""Ctrl-C and its like, turned into a flag that is looked at between two steps.

An exception raised by a signal may strike anywhere, also inside the code that removes what was
made. A flag cannot: who measures asks for it while waiting, and who removes does not.
"""

from __future__ import annotations

import signal
import threading
import time
from types import FrameType, TracebackType
from typing import Any

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")


class Interrupted(KeyboardInterrupt):
    """A campaign was stopped by a signal; what it had made is removed, its runs are kept.

    Attributes
    ----------
    number : int
        Of the signal.
    is_clean : bool
        Whether everything could be removed.
    """

    def __init__(self, number: int) -> None:
        self.number, self.is_clean = number, True
        super().__init__(f"stopped by {signal.Signals(number).name}")


class OutOfTimeError(Exception):
    """The time that a campaign may take is over."""


class Watch:
    """Says when to stop: because of a signal, or because the time is over.

    Parameters
    ----------
    seconds : float, optional
        How long the work may take, from now.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self.began = time.monotonic()
        self._end = None if seconds is None else self.began + seconds
        self._caught: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Watch:
        # only the main thread may set handlers, and no other is interrupted by signals
        if threading.current_thread() is threading.main_thread():
            for name in _NAMES:
                number = getattr(signal, name, None)
                # what was to be ignored (nohup) stays so
                if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._catch)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _catch(self, number: int, frame: FrameType | None) -> None:
        self._caught = self._caught or number

    def check(self) -> None:
        """Raise if there is a reason to stop.

        Raises
        ------
        Interrupted
        OutOfTimeError
        """
        if self._caught is not None:
            raise Interrupted(self._caught)
        if self._end is not None and time.monotonic() > self._end:
            raise OutOfTimeError

    @property
    def gone(self) -> float:
        """The seconds since it began."""
        return time.monotonic() - self.began

    @property
    def left(self) -> float | None:
        """The seconds that are left, None without a limit."""
        return None if self._end is None else self._end - time.monotonic()
