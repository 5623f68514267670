"""What an experiment compares: which label holds the sides, and what is kept apart."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """One comparison that the results of a campaign are to answer.

    Attributes
    ----------
    between : str
        The label whose values are the sides.
    by : tuple of str
        The columns within whose values the sides are compared.
    baseline : str or None
        The side that the others are divided by; None: the first that was measured.
    only : tuple of str or None
        A label and its one value that is looked at; None: all.
    """

    between: str
    by: tuple[str, ...] = ()
    baseline: str | None = None
    only: tuple[str, str] | None = None
