"""Rounds: the sides of a case in turn, each a process that is asked once more in every round."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.cases import Case, Store
from benchmarks.made import size
from benchmarks.process import ROOT, Child, FailedError, run
from benchmarks.sides.commands import COMMANDS

Ask = Callable[[], dict[str, Any]]


class Plan(NamedTuple):
    """How a case is measured.

    Attributes
    ----------
    quick : bool
        On the smaller input.
    least, most : int
        Rounds.
    seconds : float
        After so many there are no more rounds than the least.
    before : Path, optional
        Another checkout of fiotools, which does the same in turn.
    """

    quick: bool
    least: int
    most: int
    seconds: float
    before: Path | None = None


def measure(case: Case, plan: Plan) -> Store:
    """Measure a case.

    Returns
    -------
    dict
        Of the case: the ``count`` and ``size`` of its input, whether that is the ``quick`` one, the
        ``date``, and of each side ``cpu_s`` and ``wall_s`` by round; of each of its processes
        ``first_s``, ``rss`` and ``bytes`` of its frames; or why it ``failed``.
    """
    today = datetime.now(UTC).date().isoformat()
    found: Store = {"date": today, "quick": plan.quick, "sides": {}}
    place = first = ""
    if case.input:
        count = case.input.quick if plan.quick else case.input.full
        path = case.input.path(count)
        place, first = str(path), str(case.input.path(min(count, case.input.first)))
        found |= {"count": count, "size": size(path)}
    sides = {name: (what, ROOT) for name, what in case.sides.items()}
    if plan.before:
        sides["before"] = (case.ours, plan.before)
    with ExitStack() as stack:
        asked: dict[str, Ask] = {}
        for name, (what, tree) in sides.items():
            found["sides"][name] = {}
            asked[name] = _asked(what, (place, first, str(tree)), stack)
        begun = time.monotonic()
        for number in range(plan.most):
            if number >= plan.least and time.monotonic() - begun > plan.seconds:
                break
            for name in [*asked]:
                told = found["sides"][name]
                try:
                    for figure, value in asked[name]().items():
                        told.setdefault(figure, []).append(value)
                except FailedError as error:
                    found["sides"][name] = {"failed": str(error)}
                    del asked[name]
    return found


def _asked(what: str, given: tuple[str, str, str], stack: ExitStack) -> Ask:
    """Give what measures a side once more."""
    module, _, name = what.partition(".")
    if module == "commands":
        return lambda: run([sys.executable, *COMMANDS[name]], cwd=Path(given[2]))._asdict()
    kept: list[Child] = []

    def again() -> dict[str, Any]:
        # begun by its first question: until then another side is measured
        if not kept:
            child = Child([sys.executable, "-m", "benchmarks.sides", what, *given])
            kept.append(stack.enter_context(child))
        answer: dict[str, Any] = kept[0].ask()
        return answer

    return again
