"""The subject of a page: its results, their sides and metric, and facts of the machine."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from fiotools.errors import SchemaError, right_name
from fiotools.files import MANIFEST
from fiotools.reports.findings import Comparison, Finding, findings
from fiotools.stats import cells, frames, roles
from fiotools.stats.check import check
from fiotools.stats.compare import compare, speedup
from fiotools.stats.overview import overview
from fiotools.tables import naming
from fiotools.tables.results import Results, to_pandas

if TYPE_CHECKING:
    from fiotools.measure.campaign import Campaign

SWEPT = ("bs_bytes", "iodepth", "numjobs")
_CONDITIONS = ("rw", *SWEPT, "rwmixread_pct", "command")
_OF_SIDES = ("sides", "copies")  # facts of `check` about what is compared


@dataclass(frozen=True)
class Asked:
    """The subject of a page, and its answers, each computed once."""

    results: Results
    metric: str | None  # None: the files are logs
    between: str | None  # None: there is one side
    baseline: Any
    by: tuple[str, ...]  # the conditions and labels that make the cells
    swept: tuple[str, ...]  # those of many numbers, the one of most values first
    others: tuple[str, ...] = ()  # further labels that might be the sides
    left_out: tuple[str, ...] = ()  # runs without a side
    known: Mapping[str, Any] = field(default_factory=dict)
    campaign: Campaign | None = None

    @cached_property
    def overview(self) -> pd.DataFrame:
        """A row for each run and direction."""
        return to_frame(overview(self.results))

    @cached_property
    def checks(self) -> pd.DataFrame:
        """The findings of `check` for every run, by what is known of its place."""
        told = {**self.known}
        if told.keys() & {*_OF_SIDES}:
            told |= {"between": self.between, "baseline": self.baseline}
        if self.campaign is None:
            return to_frame(check(self.results, **told))
        from fiotools.measure.known import known

        parts = []
        for place in self.campaign.asked.places:
            own = self.results.where(place=place)
            if len(own.runs):
                parts.append(to_frame(check(own, **{**known(self.campaign, place), **told})))
        whole: pd.DataFrame = pd.concat(parts, ignore_index=True)
        return whole

    @cached_property
    def comparison(self) -> Comparison | None:
        """The comparison of the sides; None if there is one side. It may have a problem."""
        if self.between is None or self.metric is None:
            return None
        asks = speedup if frames.metric_of(self.metric).better == "lower" else compare
        wish = {"metric": self.metric, "between": self.between, "baseline": self.baseline}
        try:
            rows, found = asks.door.ask(self.results, {**wish, "by": [*self.by] or None})
            answer = to_frame(asks(rows, **found))
        except SchemaError as error:
            return Comparison(problem=str(error))
        names = {name: found[name] for name in ("metric", "between", "baseline")}
        by = frames.names(found["by"])
        return Comparison(to_frame(rows), by=by, answer=answer, **names)

    @cached_property
    def found(self) -> list[Finding]:
        """What the comparison found of each side, the clearest first."""
        if self.comparison is None or self.comparison.answer is None:
            return []
        return sorted(findings(self.comparison), key=lambda one: one.clearness, reverse=True)

    @property
    def rows(self) -> str:
        """The column that names the rows of a plot: the sides, else the files."""
        return self.between or "source"


def to_frame(answer: Any) -> pd.DataFrame:
    """Return an answer as a frame of pandas."""
    return answer if isinstance(answer, pd.DataFrame) else to_pandas(answer)


def is_campaign(path: str | os.PathLike[str]) -> bool:
    """Say whether a folder is a campaign; refuse one that holds several."""
    if several := sorted(one.parent.as_posix() for one in Path(path).glob(f"*/{MANIFEST}")):
        raise SchemaError(f"report one campaign at a time: {', '.join(several)}")
    return Path(path, MANIFEST).is_file()


def opened(sources: Any) -> tuple[Results, Campaign | None]:
    """Read sources, or open a campaign."""
    from fiotools.input.read import read
    from fiotools.measure.campaign import campaign

    if isinstance(sources, Results):
        return sources, None
    if isinstance(sources, str | os.PathLike) and is_campaign(sources):
        opened = campaign(sources)
        return opened.results, opened
    return read(sources), None


def ask(
    results: Results,
    campaign: Campaign | None,
    metric: str | None,
    between: str | None,
    baseline: Any,
    by: str | Sequence[str] | None,
    known: Mapping[str, Any],
) -> Asked:
    """Fill in what was not named, as `compare` does."""
    _refuse_unknown(known)
    if not len(results.runs):
        raise SchemaError("nothing that was read holds a result: there is nothing to report")
    every = _runs(results)
    if between is None and campaign is not None:
        # the manifest has the question, and the order of the places
        procedure = campaign.experiment
        between = procedure.between
        first = {"place": next(iter(campaign.asked.places))}
        baseline = procedure.baseline or first.get(between) if baseline is None else baseline
    named, columns = roles.with_sides(results)
    if between is None:
        results, between = named, next(iter(columns), None)
    others = [one for one in columns if one != between and one in results.labels]
    if metric is None and (len(results.io) or len(results.timings)):
        metric = roles.metric_of(results)
    table = results.timings if metric in results.timings else results.io
    if between is not None:
        between = naming.full(between, [*results.runs, *table])
    named_by = frames.names(by) or cells.of_sides(table, between, [*others, *_CONDITIONS])
    counts = {one: table[one].nunique() for one in SWEPT if one in table and one != between}
    swept = sorted((one for one in counts if counts[one] > 2), key=lambda one: -counts[one])
    return Asked(
        results,
        metric,
        between,
        baseline,
        tuple(named_by),
        tuple(swept),
        tuple(others),
        tuple(one for one in every if one not in _runs(results)),
        known,
        campaign,
    )


def _refuse_unknown(known: Mapping[str, Any]) -> None:
    """Refuse facts that `check` does not take, with the right name."""
    takes = [*inspect.signature(check).parameters][1:]
    for name in known:
        if name not in takes:
            there = [*takes, "output", "metric", "by", "title", "overwrite"]
            raise SchemaError(f"report takes no {name}={right_name(name, there)}")


def _runs(results: Results) -> list[str]:
    """Name all runs: the file, and its number where a file holds several."""
    runs = results.runs
    several = runs["source"].duplicated(keep=False)
    names = runs["source"] + ("#" + runs["run"].astype(str)).where(several, "")
    return [*names]
