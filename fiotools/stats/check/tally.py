"""What columns answer: how many questions each run was asked, and what was wrong."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import TypeAlias

import polars as pl

from fiotools.stats.check.outcomes import Phrase
from fiotools.stats.check.reading import Reading
from fiotools.stats.check.runs import Row, RunFacts

# of rows: which are asked, whether their numbers fit, and how to say that they do not
Question: TypeAlias = "tuple[pl.Expr, pl.Expr, Callable[[RunFacts, Row], Phrase]]"


class Tally:
    """How many questions each run answered, and what was wrong."""

    def __init__(self, reading: Reading) -> None:
        self._runs = reading.runs
        self.asked = Counter[int]()
        self.wrong: dict[int, list[Phrase]] = defaultdict(list)

    def count(self, nth: int, wrong: Phrase | None) -> None:
        """Count an answer of a run: what is wrong, or None."""
        self.asked[nth] += 1
        if wrong:
            self.wrong[nth].append(wrong)

    def ask(self, rows: pl.DataFrame, *questions: Question) -> None:
        """Ask all rows at once, and put only what does not fit into words."""
        if rows.is_empty():
            return
        asked = rows.select(is_asked.alias(f"{n}") for n, (is_asked, _, _) in enumerate(questions))
        wrong = rows.select(
            (is_asked & ~fits).alias(f"{n}") for n, (is_asked, fits, _) in enumerate(questions)
        )
        for (_, _, said), is_asked, is_wrong in zip(questions, asked, wrong, strict=True):
            self.asked.update(rows["nth"].filter(is_asked))
            for row in rows.filter(is_wrong).iter_rows(named=True) if is_wrong.any() else ():
                self.wrong[row["nth"]].append(said(self._runs[row["nth"]], row))
