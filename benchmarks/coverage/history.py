"""How often a new session is called slower than its history.

A history is of k sessions of five runs each, with a deviation between sessions and one within. The
functions are those of `stats.history`, with which `compare` judges a unit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeAlias

import numpy as np

import fiotools as ft
from benchmarks.coverage.noise import SPREAD, Array, autoregressive
from benchmarks.coverage.study import Rate, Row, Study
from fiotools.stats import history
from fiotools.stats.sides import Within

RUNS = 5
LOSSES = (0.0, float(np.log(0.9)), float(np.log(0.8)))
LENGTHS = (8, 20, 50)
BAND = 0.05  # by which what is new has to lie below all of a history that predicts nothing
DEVIATION = 0.03  # between sessions; where they do not differ, of their runs

Make: TypeAlias = Callable[[int, int, np.random.Generator], Array]


def sessions(
    trials: int, k: int, rng: np.random.Generator, *, ratio: float, rho: float = 0.0
) -> Array:
    """Make logarithms of runs: trials, sessions (the new one last), runs."""
    between = (autoregressive(trials, k + 1, rng, rho) - 1) / SPREAD * DEVIATION * (ratio > 0)
    within = DEVIATION / (ratio or 1)
    return between[:, :, None] + rng.normal(0, within, (trials, k + 1, RUNS))


def with_slow(
    trials: int, k: int, rng: np.random.Generator, *, one_in: int, of_runs: bool = False
) -> Array:
    """Make sessions or runs, one in so many of which is at .7."""
    made = sessions(trials, k, rng, ratio=2)
    slow = rng.random((*made.shape[:2], RUNS if of_runs else 1)) < 1 / one_in
    return made + np.where(slow, np.log(0.7), 0.0)


def heavy(trials: int, k: int, rng: np.random.Generator) -> Array:
    """Make sessions some of which are far off: Student's t with 3 degrees of freedom."""
    between = rng.standard_t(3, (trials, k + 1, 1)) * DEVIATION / np.sqrt(3)
    return between + rng.normal(0, DEVIATION / 2, (trials, k + 1, RUNS))


def drifting(trials: int, k: int, rng: np.random.Generator) -> Array:
    """Make sessions each of which is 1 % slower than the one before, as compilers and data grow."""
    return sessions(trials, k, rng, ratio=2) - 0.01 * np.arange(k + 1)[:, None]


def recovered(trials: int, k: int, rng: np.random.Generator) -> Array:
    """Make sessions whose middle third ran at .85 before it was repaired."""
    made, third = sessions(trials, k, rng, ratio=2), k // 3
    made[:, third : 2 * third] += np.log(0.85)
    return made


def two_hosts(trials: int, k: int, rng: np.random.Generator) -> Array:
    """Make sessions on one of two machines by chance, of which one is at .85."""
    is_other = rng.random((trials, k + 1, 1)) < 0.5
    return sessions(trials, k, rng, ratio=2) + np.where(is_other, np.log(0.85), 0.0)


MADE: Mapping[str, Make] = {
    **{f"between / within {one:g}": partial(sessions, ratio=one) for one in (0, 0.5, 5)},
    "AR(1) .5": partial(sessions, ratio=2, rho=0.5),
    "one run in 50 at .7": partial(with_slow, one_in=50, of_runs=True),
    "one session in 50 at .7": partial(with_slow, one_in=50),
    "one session in 10 at .7": partial(with_slow, one_in=10),
    "t with 3 df": heavy,
}
SHAPES: Mapping[str, Make] = {
    "1 % slower each session": drifting,
    "the middle third at .85": recovered,
    "two hosts, one at .85": two_hosts,
}
SINGLE = "between / within 0.5, the new one of one run"


def slower(runs: Array, new: int = RUNS) -> tuple[list[bool], bool]:
    """Say whether a new session, slower by each loss, is below its history, and how that is judged.

    True: by the prediction of the history, or of what came since a step; else by its lowest.
    """
    logs, (count, each) = runs.mean(axis=1), runs.shape
    logs[-1] = runs[-1, :new].mean()
    rest = runs - logs[:, None]
    within = (
        Within(np.ones(1) / new, 0.0, 0),
        Within(np.ones(count - 1) / each, float(np.sum(rest[:-1] ** 2)), (count - 1) * (each - 1)),
    )
    return below(logs[-1:], logs[:-1], within)


def below(
    new: Array, old: Array, within: tuple[Within, Within] | None = None
) -> tuple[list[bool], bool]:
    """Judge what is new, less each loss, as `compare` does."""
    kept, _ = history.since(old, None, "run", is_ordered=True)
    if not len(kept):
        return [bool(new.mean() + loss < old.min() - np.log1p(BAND)) for loss in LOSSES], False
    found = []
    for loss in LOSSES:
        shift = history.prediction(new + loss, kept, within, are_apart=False)
        ends = None if shift is None else shift.interval(1 - 2 * history.LEVEL)
        assert ends is not None
        found.append(ends[1] < 0)
    return found, True


# --- runs, not sessions: a history of one run a night, and one or three new runs ---------------

RunsOf: TypeAlias = Callable[[int, int, np.random.Generator], Array]  # history, new ones, random


def _level(
    k: int, m: int, levels: Array, of: Array, spread: float, rng: np.random.Generator
) -> Array:
    """Make runs of levels; the new runs are of one."""
    which = np.concatenate([of[:k], np.repeat(of[k], m)])
    return levels[which] + spread * rng.normal(size=k + m)


def _machines(k: int, m: int, rng: np.random.Generator) -> Array:
    return _level(k, m, 0.04 * rng.normal(size=4), rng.integers(0, 4, k + 1), 0.015, rng)


def _new_machine(k: int, m: int, rng: np.random.Generator) -> Array:
    of = np.append(rng.integers(0, 4, k), 4)
    return _level(k, m, 0.04 * rng.normal(size=5), of, 0.015, rng)


def _falling(k: int, m: int, rng: np.random.Generator) -> Array:
    return 0.02 * rng.normal(size=k + m) - 0.005 * np.arange(k + m)


def _stepped(k: int, m: int, rng: np.random.Generator) -> Array:
    return 0.02 * rng.normal(size=k + m) + np.log(0.92) * (np.arange(k + m) >= k - 2)


NIGHTS: Mapping[str, RunsOf] = {
    "normal": lambda k, m, rng: 0.03 * rng.normal(size=k + m),
    "tail on the left": lambda k, m, rng: -0.03 * rng.exponential(size=k + m),
    "four machines": _machines,
    "a machine that is new": _new_machine,
    "half a percent slower each night": _falling,
    "a step of -8 % two nights ago": _stepped,
}


def _nightly(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for name, make in NIGHTS.items():
        for k in (8, 30):
            for m in (1, 3):
                made = [make(k, m, rng) for _ in range(trials)]
                found = [below(one[k:], one[:k]) for one in made]
                yield {
                    "history": name,
                    "k": k,
                    "new runs": m,
                    "by its lowest": f"{np.mean([not told for _, told in found]):.2f}",
                    "false": Rate.of((one[0] for one, _ in found), most=0.05),
                    "-10 % found": Rate.of(one[1] for one, _ in found),
                    "-20 % found": Rate.of(one[2] for one, _ in found),
                }


def welch_last(old: Array, new: Array) -> Array:
    """Be below the runs of the last session by Welch's t test, at .025 a side."""
    last = old[:, -1]
    se = np.sqrt((last.var(axis=1, ddof=1) + new.var(axis=1, ddof=1)) / RUNS)
    return np.asarray((new.mean(axis=1) - last.mean(axis=1)) / se < -2.306)  # 8 df


def _histories(trials: int, rng: np.random.Generator) -> Iterator[Row]:
    for name, make in {**MADE, **SHAPES, SINGLE: partial(sessions, ratio=0.5)}.items():
        for k in LENGTHS:
            made = make(trials, k, rng)
            found = [slower(runs, 1 if name == SINGLE else RUNS) for runs in made]
            told = [one for one, _ in found]
            last = welch_last(made[:, :-1], made[:, -1])
            least = 0.95 if name in MADE else 0.0
            yield {
                "sessions": name,
                "k": k,
                "by its lowest": f"{np.mean([not is_told for _, is_told in found]):.2f}",
                "false": Rate.of((one[0] for one in told), most=0.015),
                "-10 % found": Rate.of(one[1] for one in told),
                "-20 % found": Rate.of((one[2] for one in told), least=least),
                "false beside the last session alone": f"{last.mean():.2f}",
            }


def left_out() -> Iterator[str]:
    """Hold each of the project's own 24 rounds against the others; give the verdicts."""
    io = ft.read("data/how-many-runs/rounds/{workload}_{filesystem}_{round:d}.json").io
    io = io[io["direction"] != "sync"]
    for _, own in io.groupby(["workload", "filesystem"]):
        for at in own["round"]:
            sides = own.assign(side=(own["round"] == at).map({True: "new", False: "old"}))
            found = ft.compare(sides, "iops", between="side", baseline="old")
            yield "no answer" if found["ratio_lo"].isna()[0] else str(found["verdict"][0])


def _left_out(_: int, __: np.random.Generator) -> Iterator[Row]:
    verdicts = list(left_out())
    yield {
        "runs": len(verdicts),
        "slower": Rate.of((one == "slower" for one in verdicts), most=0.0),
        "faster": Rate.of((one == "faster" for one in verdicts), most=0.0),
        "no answer": Rate.of(one == "no answer" for one in verdicts),
    }


STUDIES = [
    Study(
        "history",
        "One new session against a history",
        f"Histories of k sessions of {RUNS} runs, with a deviation of 3 % between sessions (0: of "
        "their runs), and a new session that is like them (after a drift: one step further), or "
        'slower. `compare` with `unit="session"` calls it slower if it lies below what 99 % of '
        "such sessions show; where the history drifts or is skewed, if it lies 5 % below all of "
        "it; after a step the sessions since it are the history, if there are eight. Goals: false "
        "in .015 at most, -20 % found in .95 and more (of the shapes at the end, which projects "
        "have, no goal). Where one session in 50 or 10 is slow, no rule of so few sessions can "
        "meet both. The last column: Welch's test beside the last session.",
        _histories,
        trials=500,
    ),
    Study(
        "history-nights",
        "One or three new runs against a history of nights",
        "Histories of k runs, one a night, and one or three new runs of one night, as `gate` holds "
        "them: they are one mean. The new runs are like the history, or slower by 10 or 20 %. "
        "Goal: false in .05 at most. A machine that is new and a step two nights ago are what no "
        "history knows.",
        _nightly,
        trials=500,
    ),
    Study(
        "history-left-out",
        "Each of the project's own runs against the others",
        "The 24 rounds of each workload and file system of `data/how-many-runs`, each held against "
        "the other 23. Goal: none is called slower or faster.",
        _left_out,
        trials=96,
    ),
]
