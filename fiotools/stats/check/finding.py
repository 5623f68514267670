"""What a question about a run is answered with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fiotools.language import say

Verdict = Literal["ok", "suspect", "impossible", "unknown"]


@dataclass(frozen=True, slots=True)
class Finding:
    """The answer to one question about one subject.

    Attributes
    ----------
    check : str
        The question, by its short name.
    subject : str
        What was looked at: ``read of job``, ``run``. A key, and English in every language.
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


def keep_options() -> str:
    """Ask for what tells the options of a run."""
    return say("keep the job file or the command line beside the report")
