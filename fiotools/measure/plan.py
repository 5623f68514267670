"""What a campaign does, decided before it begins: the runs, their order, the size of the files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fiotools import units
from fiotools.errors import MeasureError, argument
from fiotools.files.memory import memory
from fiotools.measure import own_job
from fiotools.measure.experiment import Experiment
from fiotools.measure.machine import processors
from fiotools.measure.places import Place, by_file_system

_STEP = 16 * 2**20  # of sizes: every block size divides it
_MARGIN = 32 * 2**20  # and a tenth: what the file system needs itself
_MOST = 10_000  # rounds, or seconds of a run


@dataclass(frozen=True)
class PlannedRun:
    """A planned run."""

    order: int  # from 1, over the whole campaign
    place: str
    workload: str
    round: int  # from 1
    file: str  # the name of its raw output


@dataclass(frozen=True)
class Plan:
    """The values that decide the runs and their order, as in the first line of the manifest."""

    experiment: str
    places: Mapping[str, str]  # name and path, in order
    workloads: Sequence[str]
    fields: Sequence[str]  # the labels in a workload's name, separated by ``_``
    suffix: str  # of the raw outputs
    rounds: int
    size_bytes: int  # of the test files of a place, together
    seconds: int = 0  # of a run
    jobs: int = 1  # files and jobs at once
    job: str = ""  # the text of a person's own job

    @property
    def template(self) -> str:
        """The path template that reads the results."""
        labels = "_".join(f"{{{name}}}" for name in ("place", *self.fields))
        return f"{labels}_{{round:d}}{self.suffix}"

    @property
    def share(self) -> int:
        """The bytes of one prepared file; all of a place have the size together."""
        return self.size_bytes // self.jobs // 4096 * 4096

    def runs(self) -> Iterator[PlannedRun]:
        """Yield the runs in their order: the places take turns, so that a drift hits all alike.

        The order of places and of workloads is reversed from round to round (A B, B A, A B, ...),
        and neighbouring workloads begin with another place.

        Examples
        --------
        >>> places = {"a": "/a", "b": "/b"}
        >>> plan = Plan("random-io", places, ["x", "y"], ["workload"], ".json", 1, 0)
        >>> [(run.workload, run.place) for run in plan.runs()]
        [('x', 'a'), ('x', 'b'), ('y', 'b'), ('y', 'a')]
        """
        width, order = len(str(self.rounds)), 0
        numbered, places = [*enumerate(self.workloads)], [*self.places]
        for number in range(1, self.rounds + 1):
            for at, workload in numbered if number % 2 else reversed(numbered):
                for place in places if (number + at) % 2 else reversed(places):
                    order += 1
                    file = f"{place}_{workload}_{number:0{width}d}{self.suffix}"
                    yield PlannedRun(order, place, workload, number, file)


def plan_of(facts: Mapping[str, Any]) -> Plan:
    """Build a plan from its values in a manifest; raise if they are not a plan's."""
    plan = Plan(**{name: facts[name] for name in Plan.__dataclass_fields__ if name in facts})
    counts: list[Any] = [plan.rounds, plan.size_bytes]  # what JSON holds may be anything
    names: list[Any] = [*plan.places, *plan.workloads, plan.suffix]
    if not all(isinstance(one, int) and one >= 0 for one in counts):
        raise ValueError("a count is not a whole number")
    if any(not isinstance(name, str) or "/" in name or "\\" in name for name in names):
        raise ValueError("a name would leave the folder")
    return plan


def plan_for(
    asked: Experiment,
    places: Sequence[Place],
    rounds: int,
    size: str | float | None,
    seconds: int | None,
    only: Sequence[str],
    job: str,
) -> Plan:
    """Decide sizes and workloads; refuse what makes no sense here."""
    if unknown := {*only} - {*asked.workloads}:
        every = ", ".join(asked.workloads)
        raise MeasureError(f"{asked.name} has no workload {min(unknown)!r}; there are: {every}")
    for name, count in (("rounds", rounds), ("seconds", 1 if seconds is None else seconds)):
        if not 1 <= count < _MOST:
            raise MeasureError(f"{name} {count} is not a whole number from 1")
    if seconds is not None and not asked.seconds:
        raise MeasureError(f"{asked.name} runs until it is done: leave out {argument('seconds')}")
    if size is not None and asked.fixed:
        raise MeasureError(f"{asked.name} has a size of its own: leave out {argument('size')}")
    workloads = [one for one in asked.workloads if not only or one in only]
    return Plan(
        experiment=asked.name,
        places={place.name: str(place.path) for place in places},
        workloads=workloads,
        fields=[*asked.labels],
        suffix=asked.output,
        rounds=rounds,
        size_bytes=_size(asked, places, size, rounds * len(workloads), job),
        seconds=seconds or asked.seconds,
        jobs=processors() if asked.direct else 1,
        job=job,
    )


def _size(
    asked: Experiment, places: Sequence[Place], given: str | float | None, runs: int, job: str
) -> int:
    """Choose the size of the test files: as given, or as large as a quarter of the room allows."""
    rooms = [*_rooms(asked, places, runs)]
    most, why = min(rooms)
    if job:
        size = own_job.room(job)
    elif asked.fixed:
        size = int(units.size(asked.size, kilo=1024))
    elif given is not None:
        size = _size_of(given)
    else:
        size = min(_size_of(asked.size), max(most // 4 // _STEP * _STEP, _STEP))
    if size > most:
        raise MeasureError(f"no room for test files of {units.binary(size)}: {why}")
    return size


def _rooms(asked: Experiment, places: Sequence[Place], runs: int) -> Iterator[tuple[int, str]]:
    """Yield what limits the size, and by what: each file system, and the memory."""
    held = asked.held + asked.held_per_run * runs
    for group in by_file_system(places):
        free = group[0].free()
        most = max(0, int((free - _MARGIN) / 1.1) // (held * len(group)))
        yield most, f"{' and '.join(one.name for one in group)} has {units.human(free, 'B')} free"
    _, available = memory()
    files = asked.random + len(asked.warm) + held * sum(one.is_memory for one in places)
    if files and available is not None:
        yield available // 2 // files, f"{units.human(available, 'B')} of memory are free"


def _size_of(text: str | float) -> int:
    try:
        size = units.size(str(text), kilo=1024)
    except (TypeError, ValueError):
        raise MeasureError(f"size {text!r} is not a size: write 1G or 256M") from None
    if size < _STEP:
        raise MeasureError(f"size {text!r} is too small: 16M at least")
    return int(size) // _STEP * _STEP
