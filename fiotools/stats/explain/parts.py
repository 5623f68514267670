"""The parts of a difference: a table of slots, and the logarithmic mean that makes them add up.

A rate is a product of factors over a sum of seconds: ``iops = in flight / (device + processor +
...)``. The factors' parts of the log ratio are their own log ratios. The part of a term is

    (seconds - seconds of the baseline) / L(whole, whole of the baseline),

where ``L(a, b) = (a - b) / ln(a / b)`` is the logarithmic mean: the parts of all terms are then the
log ratio of the wholes, without a rest (LMDI-I; Ang, "The LMDI approach to decomposition analysis:
a practical guide", Energy Policy 33, 2005). A term that is a product itself, of the share of I/Os
that reach the device and what each takes there, is split in the same way once more. Where a factor
of it is 0 on one side, the whole part is that factor's (Ang and Liu, Energy Policy 35, 2007).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import fmean
from typing import NamedTuple

from fiotools.stats.explain.budgets import Budget


class Slot(NamedTuple):
    """A place of the decomposition."""

    part: str
    kind: str  # factor: multiplies the rate; term: seconds; within: a factor of the term below it


# in the order of the path of an I/O
SLOTS = (
    Slot("inflight", "factor"),
    Slot("size", "factor"),
    Slot("mix", "factor"),
    Slot("cache", "within"),
    *(
        Slot(name, "term")
        for name in ("device", "flush", "processor", "submission", "waiting", "tail", "completion")
    ),
    *(Slot(name, "term") for name in ("idle", "user", "system", "asleep", "unknown")),
)
UNDECIDED = ("completion", "unknown")  # the files say that it took the time, and not what did
_FEW = 0.1  # of the I/Os: the time that a device took for so few says nothing of the others
_LEAST = 0.1  # of the difference, in either direction: a smaller part is none


@dataclass(frozen=True)
class Side:
    """The geometric mean of a side's runs, with its terms in the mean shares of the runs."""

    runs: int
    value: float
    seconds: Mapping[str, float]
    factors: Mapping[str, float]
    reached: float | None

    @property
    def whole(self) -> float:
        """All seconds."""
        return sum(self.seconds.values())


@dataclass(frozen=True)
class Part:
    """A part of the log ratio."""

    slot: Slot
    log_ratio: float
    value: float | None
    baseline: float | None


def side(budgets: Sequence[Budget]) -> Side:
    """Bring the runs of a side together."""
    whole = _geometric(one.whole for one in budgets)
    terms = dict.fromkeys(name for one in budgets for name in one.seconds)
    shares = {
        name: fmean(one.seconds.get(name, 0.0) / one.whole for one in budgets) for name in terms
    }
    names = dict.fromkeys(name for one in budgets for name in one.factors)
    factors = {name: _geometric(one.factors.get(name, 1.0) for one in budgets) for name in names}
    known = [one.reached for one in budgets if one.reached is not None]
    return Side(
        len(budgets),
        _geometric(one.value for one in budgets),
        {name: share * whole for name, share in shares.items()},
        factors,
        fmean(known) if len(known) == len(budgets) else None,
    )


def parts(level: Side, baseline: Side, *, is_rate: bool) -> list[Part]:
    """Split the log ratio of two sides; more seconds make a rate smaller, and a time larger."""
    sign = -1.0 if is_rate else 1.0
    mean = log_mean(level.whole, baseline.whole)
    found = []
    for slot in SLOTS:
        ends: tuple[float | None, float | None]
        if slot.kind == "factor":
            if slot.part not in {*level.factors, *baseline.factors}:
                continue
            one, other = (own.factors.get(slot.part, 1.0) for own in (level, baseline))
            ratio, ends = log(one / other), (one, other)
        elif slot.kind == "within":
            if level.reached is None or baseline.reached is None:
                continue
            ratio = sign * _of_reached(level, baseline) / mean
            ends = 100 * level.reached, 100 * baseline.reached
        else:
            took, base = (one.seconds.get(slot.part, 0.0) for one in (level, baseline))
            if not (took or base):
                continue
            own, ends = took - base, (took, base)
            if slot.part == "device":
                own -= _of_reached(level, baseline)
            ratio = sign * own / mean
        found.append(Part(slot, ratio, *ends))
    return found


def verdicts(found: Sequence[Part], total: float) -> dict[str, str]:
    """Name the cause, which is the largest part in the direction of the difference."""
    shares = {one.slot.part: one.log_ratio / total if total else 0.0 for one in found}
    largest = max(shares, key=shares.__getitem__)
    told = {}
    for part, share in shares.items():
        counts = abs(share) >= _LEAST
        told[part] = "part" if counts else "none"
        if part in UNDECIDED:
            told[part] = "unknown" if counts else "none"
        elif part == largest:
            told[part] = "cause"
    return told


def log_mean(one: float, other: float) -> float:
    """Give the logarithmic mean of two numbers above zero.

    Examples
    --------
    >>> round(log_mean(2.0, 1.0), 4), log_mean(3.0, 3.0)
    (1.4427, 3.0)
    """
    if abs(one - other) <= 1e-9 * max(one, other):
        return (one + other) / 2
    return (one - other) / log(one / other)


def _of_reached(level: Side, baseline: Side) -> float:
    """Give the seconds at the device that one side saves because less of its I/O gets there."""
    one, other = level.reached, baseline.reached
    if one is None or other is None or one == other:
        return 0.0
    own, base = level.seconds.get("device", 0.0), baseline.seconds.get("device", 0.0)
    if min(one, other) < _FEW or not (own and base):  # the limit of what follows
        return own - base
    return log_mean(own, base) * log(one / other)


def _geometric(values: Iterable[float]) -> float:
    return exp(fmean(log(value) for value in values))
