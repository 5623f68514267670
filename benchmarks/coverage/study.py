"""A study: a question to the library, asked many times about data with a known truth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Rate:
    """A share of the trials, and the goal that it is held to.

    Attributes
    ----------
    share : float
    trials : int
    least, most : float
        The goal; a share misses it where it lies beyond by more than two standard errors.
    """

    share: float
    trials: int
    least: float = 0.0
    most: float = 1.0

    @classmethod
    def of(cls, hits: Iterable[bool], *, least: float = 0.0, most: float = 1.0) -> Self:
        """Count the trials that were hits."""
        found = [bool(hit) for hit in hits]
        return cls(sum(found) / len(found), len(found), least, most)

    @property
    def met(self) -> bool:
        """Say whether the goal is met, chance left aside."""
        slack = 2 * float(np.sqrt(self.share * (1 - self.share) / self.trials))
        return self.least - slack <= self.share <= self.most + slack

    def __str__(self) -> str:
        return f"{self.share:.3f}" if self.met else f"**{self.share:.3f}**"


@dataclass(frozen=True)
class Study:
    """One table of the page.

    Attributes
    ----------
    name : str
        What the command line calls it.
    title, text : str
        The heading, and the paragraph below it: the noise, the truth, the goals.
    rows : callable
        Takes the number of trials and a generator; gives rows with the same keys, in which a
        `Rate` is shown with three digits, and in bold where it misses its goal.
    trials : int
    """

    name: str
    title: str
    text: str
    rows: Callable[[int, np.random.Generator], Iterable[Row]]
    trials: int

    def lines(self, trials: int, seed: int) -> list[str]:
        """Run the study, and give its text and its table as Markdown."""
        rows = list(self.rows(trials, np.random.default_rng(seed)))
        columns = list(rows[0])
        goals = [value for row in rows for value in row.values() if isinstance(value, Rate)]
        missed = sum(not goal.met for goal in goals)
        cells = [[str(row[column]) for column in columns] for row in rows]
        table = [columns, ["---"] * len(columns), *cells]
        return [
            f"{self.text} {trials:,} trials a row; {missed or 'no'} goals missed.",
            "",
            *(f"| {' | '.join(line)} |" for line in table),
        ]
