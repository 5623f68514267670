"""From what was asked to a plan, with everything refused that cannot work; nothing is written.

A test file is as large as free space and memory allow, with a margin.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fiotools import units
from fiotools.errors import MeasureError
from fiotools.hints import argument
from fiotools.measure.experiments import Experiment
from fiotools.measure.experiments.base import MIB
from fiotools.measure.machine import binary, memory
from fiotools.measure.places import Place
from fiotools.measure.plan import EFFORTS, ENDS, Plan
from fiotools.measure.settling import MOST

_STEP = 16 * MIB  # the largest block size: every block size divides a file
_SHARE = 4  # of the free space, and of the free memory, at most one part in four by default
_MARGIN = 32 * MIB  # and a tenth: what the file system needs itself
LIMIT_S = 100.0  # of a quick campaign: what is being run then may end, and all is removed
_QUICK_RUNS_S = 70.0  # of it, for runs that take as long as they are told
_START_S = 0.4  # that a tool needs beside


def size_for(
    experiment: Experiment,
    places: Sequence[Place],
    wanted: int,
    given: str | float | None,
    runs: int = 1,
) -> int:
    """Choose the size of the test file.

    Parameters
    ----------
    experiment : Experiment
    places : sequence of Place
    wanted : int
        The size that the experiment would like.
    given : str or number, optional
        The size that the caller insists on.
    runs : int
        How many there are on each place.

    Raises
    ------
    MeasureError
        If there is no room for what was given, or for the least that makes sense.
    """
    ceilings = _ceilings(experiment, places, experiment.held(runs))
    if given is not None or experiment.is_fixed:
        size = wanted if given is None else _step(_read(given))
        for most, why in ceilings:
            if size > most:
                raise MeasureError(f"no room for test files of {binary(size)}: {why}")
        return size
    size = min([wanted, *(_step(most // _SHARE) for most, _ in ceilings)])
    if size < _STEP:
        most, why = min(ceilings)
        raise MeasureError(
            f"no room: {why}; a test file has {binary(_STEP)} at least, and takes a quarter at "
            f"most unless you give {argument('size')}"
        )
    return size


def _ceilings(experiment: Experiment, places: Sequence[Place], held: int) -> list[tuple[int, str]]:
    """Give the largest size that each file system, and memory, has room for; and why."""
    found = []
    together: dict[str, list[Place]] = {}
    for place in places:
        together.setdefault(place.file_system(), []).append(place)
    for group in together.values():
        free, files = group[0].free(), held * len(group)
        names = " and ".join(place.name for place in group)
        most = max(0, int((free - _MARGIN) / 1.1) // files)
        word = "file" if files == 1 else "files"
        why = f"{names} ({group[0].path}) has {binary(free)} free for {files} {word} and a margin"
        found.append((most, why))
    _, available = memory()
    in_memory = sum(place.is_memory for place in places)
    files = experiment.in_memory + held * in_memory
    if files and available is not None:
        why = f"memory has {binary(available)} free, of which half may hold {files} of them"
        found.append((available // 2 // files, why))
    return found


def _step(size: int) -> int:
    return size - size % _STEP


def _read(given: str | float) -> int:
    try:
        size = units.size(given, kilo=1024) if isinstance(given, str) else float(given)
    except (TypeError, ValueError):
        size = 0.0
    if isinstance(given, bool) or not _STEP <= size < 2**60:
        raise MeasureError(f"size {given!r} is none: write 1G or 256M, {binary(_STEP)} at least")
    return int(size)


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
    until: str = "rounds",
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
    if until not in ENDS:
        raise MeasureError(f"until {until!r} is not one of {', '.join(ENDS)}")
    if until == "settled" and len(places) < 2 and experiment.cached is None:
        raise MeasureError("one place has nothing to be compared with that could be settled")
    rounds = _count("rounds", rounds, MOST if until == "settled" else preset.rounds)
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
        until=until,
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
