"""Whether a campaign has measured enough: the verdicts on its questions, at any number of looks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fiotools.measure.campaign import campaign
from fiotools.measure.experiments import experiment_named
from fiotools.measure.experiments.base import Experiment

if TYPE_CHECKING:
    import pandas as pd

LEAST = 3  # rounds, for any verdict
MOST = 30  # by default


def is_settled(folder: Path) -> bool:
    """Say whether all comparisons of a campaign's experiment have an answer."""
    found = campaign(folder)
    experiment = experiment_named(found.asked.experiment)
    frame = getattr(found.results, experiment.metric[0])
    return not still_open(experiment, frame, next(iter(found.asked.places)))


def still_open(experiment: Experiment, frame: pd.DataFrame, first: str) -> int:
    """Count the comparisons with the first place that are not settled.

    The intervals hold at any number of looks: one that looks after each round, and stops when it
    likes what it sees, errs no more often than they say.
    """
    from fiotools.stats.compare import (
        compare,  # which takes long to import
        settled,
    )

    count = 0
    for asked in experiment.questions:
        rows = frame if asked.only is None else frame[frame[asked.only[0]].eq(asked.only[1])]
        if rows[asked.between].nunique() < 2:
            continue
        answer = compare(
            rows,
            experiment.metric[1],
            between=asked.between,
            baseline=asked.baseline or first,
            by=list(asked.by) or None,
            looks="any",
        )
        count += sum(not settled(verdict) for verdict in answer["verdict"])
    return count
