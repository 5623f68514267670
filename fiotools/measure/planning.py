"""From what was asked to a plan, with everything refused that cannot work; nothing is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fiotools.errors import MeasureError
from fiotools.measure.experiments import Experiment
from fiotools.measure.places import Place
from fiotools.measure.plan import EFFORTS, Plan
from fiotools.measure.room import size_for
from fiotools.spelling import argument

LIMIT_S = 100.0  # of a quick campaign: what is being run then may end, and all is removed
_QUICK_RUNS_S = 70.0  # of it, for runs that take as long as they are told
_START_S = 0.4  # that a tool needs beside


def make_plan(
    experiment: Experiment,
    places: Sequence[Place],
    *,
    effort: str,
    rounds: int | None,
    size: str | float | None,
    seconds: int | None,
    only: Sequence[str],
    buffered: bool,
) -> Plan:
    """Decide sizes, rounds and times.

    Raises
    ------
    MeasureError
        If an argument makes no sense here, or there is no room.
    """
    if effort not in EFFORTS:
        raise MeasureError(f"effort {effort!r} is not one of {', '.join(EFFORTS)}")
    preset = experiment.efforts[EFFORTS.index(effort)]
    workloads = _workloads(experiment, only)
    rounds = _count("rounds", rounds, preset.rounds)
    limit = LIMIT_S if effort == "quick" else None
    runs = rounds * len(workloads) * len(places)
    if preset.seconds:
        default = preset.seconds
        if effort == "quick":
            default = max(1, min(default, int(_QUICK_RUNS_S / runs - _START_S)))
        seconds = _count("seconds", seconds, default)
    elif seconds is not None:
        raise MeasureError(
            f"{experiment.name} runs until it is done: it takes no {argument('seconds')}"
        )
    if buffered and not experiment.is_direct:
        raise MeasureError(
            f"{argument('buffered', True)} is for random-io; "
            "the others have it among their workloads"
        )
    if size is not None and experiment.is_fixed:
        raise MeasureError(
            f"{experiment.name} is as the article has it: it takes no {argument('size')}"
        )
    return Plan(
        experiment=experiment.name,
        effort=effort,
        places={place.name: str(place.path) for place in places},
        workloads=workloads,
        fields=experiment.fields,
        suffix=experiment.suffix,
        rounds=rounds,
        size_bytes=size_for(experiment, places, preset.size_bytes, size, rounds * len(workloads)),
        seconds=seconds or 0,
        jobs=experiment.jobs(),
        buffered=buffered,
        limit_s=limit,
    )


def _workloads(experiment: Experiment, only: Sequence[str]) -> tuple[str, ...]:
    there = experiment.available()
    for name in only:
        if name not in there:
            raise MeasureError(
                f"{experiment.name} has no workload {name!r} here; there are: {', '.join(there)}"
            )
    return tuple(name for name in there if not only or name in only)


def _count(name: str, given: Any, default: int) -> int:
    if given is None:
        return default
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= 100_000:
        raise MeasureError(f"{name} {given!r} is no whole number from 1")
    return int(given)
