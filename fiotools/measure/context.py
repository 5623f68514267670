"""What the steps of one start of a campaign share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fiotools.measure.experiments import Experiment
from fiotools.measure.experiments.base import Stage
from fiotools.measure.manifest import Manifest
from fiotools.measure.places import Place
from fiotools.measure.plan import Plan
from fiotools.measure.signals import Watch


@dataclass
class Work:
    """One start of a campaign.

    Attributes
    ----------
    folder : Path
        Of the results.
    plan : Plan
    experiment : Experiment
    places : sequence of Place
    manifest : Manifest
    watch : Watch
    locks : sequence of int
        Open files, which every command inherits.
    say : callable
    stage : Stage
    left_out : set of tuple
        Place and workload, where a place refuses direct I/O.
    unlike : dict
        What to say of page caches that were not as they should be.
    number : int
        Of the start, from 1.
    """

    folder: Path
    plan: Plan
    experiment: Experiment
    places: Sequence[Place]
    manifest: Manifest
    watch: Watch
    locks: Sequence[int]
    say: Callable[[str], object]
    stage: Stage = field(default_factory=lambda: Stage({}))
    left_out: set[tuple[str, str]] = field(default_factory=set)
    unlike: dict[tuple[str, str], str] = field(default_factory=dict)
    number: int = 1
