"""The experiments, one module each."""

from __future__ import annotations

from fiotools.errors import MeasureError
from fiotools.measure.experiments.base import Experiment
from fiotools.measure.experiments.block_size import BlockSize
from fiotools.measure.experiments.diskspd import Diskspd
from fiotools.measure.experiments.page_cache import PageCache
from fiotools.measure.experiments.random_io import RandomIO
from fiotools.measure.experiments.small_files import SmallFiles
from fiotools.measure.experiments.throughput import Throughput

__all__ = ["EXPERIMENTS", "Experiment", "experiment_named"]

EXPERIMENTS: dict[str, Experiment] = {
    one.name: one
    for one in (Throughput(), PageCache(), RandomIO(), BlockSize(), SmallFiles(), Diskspd())
}


def experiment_named(name: str) -> Experiment:
    """Find an experiment, or say which there are."""
    if name not in EXPERIMENTS:
        raise MeasureError(f"there is no experiment {name!r}; there are: {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name]
