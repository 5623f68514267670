"""On which devices, drives or folders runs were: runs on others are not repeats of each other."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from fiotools.errors import argument
from fiotools.stats.columns import Codes, Columns, Rows

_NAMED = 3  # targets in a message
_DRIVE = re.compile(r"[A-Za-z]:|/dev/(?!shm/).*|.*(?=[/\\])")


@dataclass(frozen=True)
class Targets:
    """The device of each row as a number of `names`; -1 if it is unknown."""

    names: list[str]
    of_row: Codes

    def several(self, rows: Rows, whose: str = "the runs") -> list[str]:
        """Warn of runs on several targets."""
        if len(self.names) < 2:
            return []
        return several_targets(
            {self.names[at] for at in np.unique(self.of_row[rows]) if at >= 0}, whose
        )


def targets_of(whole: Columns[Any], kept: Columns[Any], rows: Rows) -> Targets:
    """Give the device of each row kept; a total is on all devices of its run."""
    if not whole.varying(["target"]):
        return Targets([], np.zeros(0, dtype=np.int64))
    first = whole.first("target")
    devices = [None if one is None else device_of(one) for one in whole.values("target", first)]
    own = pl.Series(devices, dtype=pl.String).gather(whole.codes("target"))
    if own.n_unique() - bool(own.null_count()) < 2:
        return Targets([], np.zeros(0, dtype=np.int64))
    parts = pl.DataFrame({"run": whole.run, "device": own}).drop_nulls().unique()
    all_of = pl.col("device").sort().str.join(" with ")
    of_runs = parts.group_by("run").agg(all_of)
    mine = pl.DataFrame({"run": whole.run[rows], "own": own.gather(rows)})
    mine = mine.join(of_runs, on="run", how="left", maintain_order="left")
    told = mine.select(pl.coalesce("own", "device")).to_series()
    names = told.drop_nulls().unique().sort()
    return Targets(names.to_list(), _places(told, names))


def _places(told: pl.Series, names: pl.Series) -> Codes:
    place = pl.DataFrame({"device": names, "place": np.arange(len(names))})
    found = told.to_frame("device").join(place, on="device", how="left", maintain_order="left")
    return found["place"].fill_null(-1).to_numpy()


def device_of(target: str) -> str:
    r"""Give the device, drive or folder of a target, as far as its name says."""
    found = _DRIVE.match(target)
    return found[0] if found else ""


def several_targets(targets: Iterable[str], whose: str = "the runs") -> list[str]:
    """Warn of runs on several targets."""
    there = sorted(set(targets))
    if len(there) < 2:
        return []
    listed = ", ".join(there[:_NAMED]) + (", and others" if len(there) > _NAMED else "")
    return [
        f"{whose} are on {len(there)} targets ({listed}), which are not repeats of each other: "
        f"name what tells them apart in {argument('by')}"
    ]
