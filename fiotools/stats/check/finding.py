"""What a check finds, and the advice that several checks give."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from fiotools.errors import argument
from fiotools.language import say

Verdict = Literal["ok", "suspect", "impossible", "unknown"]


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check of one subject.

    Attributes
    ----------
    check : str
        The short name of the check.
    subject : str
        ``read of job``, ``run``. A key, and English in every language.
    verdict : {"ok", "suspect", "impossible", "unknown"}
        ``impossible`` is for physics only; ``unknown`` names in `remedy` the evidence that is
        missing. A note that accuses nobody is an ``ok`` with a remedy.
    why : str
        One sentence, with the numbers as people read them, in the language in use.
    basis : str
        Where the limit comes from.
    remedy : str, optional
        What to do, or to find out, in the language in use.
    observed, limit : float, optional
        In base units.
    unit : str
        Of both; empty for counts and ratios.
    """

    check: str
    subject: str
    verdict: Verdict
    why: str
    basis: str
    remedy: str | None = None
    observed: float | None = None
    limit: float | None = None
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Probe:
    """A check of one subject before its verdict is known; each method returns the finding."""

    check: str
    subject: str
    basis: str
    observed: float | None = None
    limit: float | None = None
    unit: str = ""

    def of(self, observed: float | None, limit: float | None = None, unit: str = "") -> Probe:
        """Add the numbers."""
        return replace(self, observed=observed, limit=limit, unit=unit)

    def ok(self, why: str, remedy: str | None = None) -> Finding:
        """Accuse nobody."""
        return self._found("ok", why, remedy)

    def suspect(self, why: str, remedy: str) -> Finding:
        """Accuse."""
        return self._found("suspect", why, remedy)

    def impossible(self, why: str, remedy: str) -> Finding:
        """Accuse, by physics."""
        return self._found("impossible", why, remedy)

    def unknown(self, why: str, remedy: str) -> Finding:
        """Ask for the evidence that is missing."""
        return self._found("unknown", why, remedy)

    def _found(self, verdict: Verdict, why: str, remedy: str | None) -> Finding:
        numbers = (self.observed, self.limit, self.unit)
        return Finding(self.check, self.subject, verdict, why, self.basis, remedy, *numbers)


def keep_options() -> str:
    """Ask for a file that tells the options of a run."""
    return say("keep the job file or the command line beside the report")


def not_the_disk() -> str:
    """Advise against a number that no disk can have made."""
    return say(
        "do not report it as a rate of the disk: empty the caches of guest and host, flush, use "
        "random data, and count the bytes at the device; give {compression} if the data is packed",
        compression=argument("compression"),
    )


def host() -> str:
    """Ask for the cache below a guest or behind a network mount."""
    return say(
        "give the host's memory for a guest or a network mount; {none} if there is no host",
        none=argument("host_ram", 0),
    )
