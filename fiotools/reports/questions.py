"""What is compared: the questions of an experiment, or what labels set apart; and what is swept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import narwhals as nw
import pandas as pd

from fiotools.errors import SchemaError
from fiotools.measure.experiments import Question
from fiotools.reports.sides import SWEPT
from fiotools.reports.subjects import Source, differs
from fiotools.stats.best_under import best_under
from fiotools.stats.combine import combine
from fiotools.stats.compare import compare, speedup
from fiotools.stats.frames import groups, metric_of
from fiotools.stats.question import unknown_sides
from fiotools.stats.replicates import in_one_scope
from fiotools.stats.summary import summarize
from fiotools.tables import metrics, naming
from fiotools.tables.columns import of_pandas
from fiotools.tables.results import Results, to_pandas, with_runs
from fiotools.vocabulary import CONDITIONS
from fiotools.words import counted

LATENCY = "lat_mean_ns"
_STEPS = tuple(step * 10.0**power for power in range(2, 11) for step in (1, 2, 5))  # ns
_NOTHING = "no two sides have runs under the same conditions"
_SMALL = 64 * 1024  # bytes: blocks that are counted, larger ones are weighed
# what may set rows of one run apart, in the order in which it is asked
_APART = ("rw", "bs_bytes", "iodepth", "numjobs", "rwmixread_pct", "size_bytes", "job", "target")


@dataclass(frozen=True)
class Choices:
    """The caller's choices; None follows from the results."""

    between: str | None = None
    baseline: Any = None
    metric: str | None = None
    by: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Comparison:
    """One question to the results, and its answer."""

    frame: pd.DataFrame  # the rows that are compared: one for each run and cell
    metric: str
    by: tuple[str, ...]  # the columns that make the cells
    between: str | None = None  # the label that holds the sides; None if there is one side
    baseline: Any = None
    answer: pd.DataFrame | None = None  # of `compare`, or of `speedup` if lower is better
    problem: str = ""  # why there is no answer
    said: str = ""  # which rows are left out
    only: str = ""  # the one value of a label that is looked at; empty: all
    is_beside: bool = False  # comparisons of another metric

    @property
    def title(self) -> str:
        """Say what is compared with what."""
        if self.between is None:
            return naming.short(self.metric)
        if self.between == "label" or self.between.startswith("word_"):  # nobody named it
            said = f"against {self.baseline}"
        else:
            name = naming.short(self.between)
            said = f"each {name} against {self.baseline}"
        said = f"{naming.short(self.metric)} {said}" if self.is_beside else said
        return f"{said}, {self.only} only" if self.only else said

    @property
    def levels(self) -> list[Any]:
        """The sides, in the order in which they were measured."""
        if self.between is None:
            return []
        return list(dict.fromkeys(self.frame[self.between]))

    @property
    def keys(self) -> list[str]:
        """The columns that tell the rows of different runs apart: cells, and sides."""
        return [*self.by, *([self.between] if self.between else [])]

    @cached_property
    def summary(self) -> pd.DataFrame:
        """The answer of `summarize` for each cell and side."""
        return summarize(self.frame, self.metric, by=self.keys or None)

    @cached_property
    def swept(self) -> list[str]:
        """The conditions of a sweep, the one with most values first; none if it is not a sweep.

        Numbers in the rows that are compared: one of three values or more, or two of two.
        """
        counts = {
            name: len(own.unique())
            for name in self.by
            if pd.api.types.is_numeric_dtype(own := self.frame[name]) and own.notna().all()
        }
        found = sorted(
            (name for name in counts if counts[name] > 1), key=lambda name: -counts[name]
        )
        return found if len(found) > 1 or any(counts[name] > 2 for name in found) else []

    @cached_property
    def best(self) -> pd.DataFrame | None:
        """The most I/Os per second below up to three latencies; None where nothing was swept."""
        frame, names = self.frame, self.swept
        known = {"iops", LATENCY} <= set(frame)
        if not names or not known or frame[[LATENCY, "iops"]].isna().to_numpy().any():
            return None
        by = [name for name in self.keys if name not in names and differs(frame, name)]
        means = frame.groupby([*by, *names])[LATENCY].mean()
        limits = [step for step in _STEPS if means.min() < step < means.max()]
        decades = [step for step in limits if f"{step:.0e}".startswith("1")] or limits
        found = [
            best_under(frame, LATENCY, limit, by=by or None, sweep=names) for limit in decades[:3]
        ]
        if not found:
            return None
        keys = [*by, "limit", *names, "iops", "observed", "observed_lo", "observed_hi"]
        told = in_order(pd.concat(found, ignore_index=True), by)
        # the other conditions follow from the side or are the same in all rows
        rest = [name for name in told if name not in (*keys, *CONDITIONS)]
        return told[[*keys, *rest]]


def comparisons(source: Source, wish: Choices) -> list[Comparison]:
    """Make the comparisons of the experiment, or those that the caller wants."""
    frame, metric = table_of(source, wish)
    if frame is None:
        return []
    found = _of_table(source, wish, frame, metric)
    if metric not in source.results.timings and wish.metric is None and source.campaign is None:
        beside = _of_commands(source, wish, frame)
        found = [replace(one, is_beside=bool(beside)) for one in (*found, *beside)]
    return found


def _of_commands(source: Source, wish: Choices, measured: pd.DataFrame) -> list[Comparison]:
    """Compare the commands that were timed beside, in files of their own."""
    timings = source.results.timings
    own = timings[~timings["source"].isin(measured["source"])]
    if not any(differs(own, name) for name in source.fields):
        return []
    return _of_table(source, wish, own, _time_of(own))


def _time_of(timings: pd.DataFrame) -> str:
    return "real_s" if timings["real_s"].notna().any() else "real_mean_s"


def _of_table(source: Source, wish: Choices, frame: pd.DataFrame, metric: str) -> list[Comparison]:
    """Make the comparisons of the rows of one table."""
    said = ""
    if gaps := int(frame[metric].isna().sum()):
        frame = frame[frame[metric].notna()]
        rows = counted(gaps, "{n} row", "{n} rows")
        said = f"Left out: {rows} without {naming.short(metric)}"
    if source.campaign is None or wish != Choices(baseline=wish.baseline):
        frame = _with_runs(source.results, frame, [wish.between, *(wish.by or ())])
        sides = [naming.full(wish.between, frame)] if wish.between else sides_of(source)
        found = [_of_labels(source, one, wish, frame, metric) for one in sides]
    else:
        questions = source.campaign.experiment.questions
        found = [_of_question(source, one, wish, frame, metric) for one in questions]
    return [replace(one, said=said) for one in found]


def _with_runs(results: Results, frame: pd.DataFrame, names: Iterable[str | None]) -> pd.DataFrame:
    """Fill in columns of the runs that are named."""
    named = [name for name in names if name]
    return to_pandas(with_runs(results, of_pandas(frame), named)) if named else frame


def sides_of(source: Source) -> list[str | None]:
    """List the labels that may hold the sides: each is a question, within the others."""
    named = [name for name in source.fields if name != "round" and name not in source.swept]
    for name in ("label", "place"):
        if name in named:
            return [name]
    return [*named] or [None]


def table_of(source: Source, wish: Choices) -> tuple[pd.DataFrame | None, str]:
    """Choose the table and the column to compare."""
    results = source.results
    if wish.metric is not None:
        table, metric = metrics.find_metric(results, wish.metric)
        return results.tables[table], metric
    if source.campaign is not None:
        table, metric = source.campaign.experiment.metric
        return results.tables[table], metric
    io, timings = results.io, results.timings
    # commands may be timed on both sides, and a file be made on one
    by_io, by_time = (any(differs(one, name) for name in source.fields) for one in (io, timings))
    if len(io) and (by_io or not by_time):
        moved = io[~io["direction"].eq("sync")]  # an fsync moves nothing of its own
        is_small = moved["bs_bytes"].le(_SMALL).fillna(False).all()
        is_counted = moved["iops"].notna().all() and not results.runs["tool"].eq("dd").any()
        if (is_counted and is_small) or io["bw_bytes_per_s"].isna().all():
            return io, "iops"
        return io, "bw_bytes_per_s"
    if len(timings):
        return timings, _time_of(timings)
    return None, ""


def _of_question(
    source: Source, asked: Question, wish: Choices, frame: pd.DataFrame, metric: str
) -> Comparison:
    frame = asked.rows_of(frame)
    if "scope" in frame and len(frame):
        frame = in_one_scope(frame, None, [])
    is_there = wish.baseline in {*frame[asked.between]}
    baseline = wish.baseline if is_there else asked.baseline
    answered = _answered(source, frame, metric, asked.between, baseline, asked.by)
    return replace(answered, only=asked.only[1] if asked.only is not None else "")


def _of_labels(
    source: Source, between: str | None, wish: Choices, frame: pd.DataFrame, metric: str
) -> Comparison:
    """Compare the sides of one label, within the other conditions."""
    fields = [name for name in source.fields if name != "round"]
    if between is not None and between not in frame:
        there = f": there are {', '.join(fields)}" if fields else ""
        raise SchemaError(f"no column {between!r} in these results{there}")
    by = [naming.full(name, frame) for name in wish.by] if wish.by is not None else None
    try:
        frame, by = _cells(frame, between, [name for name in fields if name != between], by)
    except SchemaError as error:  # parts and totals that nothing tells apart, or one run twice
        return Comparison(frame, metric, (), problem=str(error))
    return _answered(source, frame, metric, between, wish.baseline, tuple(by))


def _cells(
    frame: pd.DataFrame, between: str | None, others: list[str], by: list[str] | None
) -> tuple[pd.DataFrame, list[str]]:
    """Keep one row for each run and cell, and name the columns of the cells."""
    if "scope" in frame:
        frame = in_one_scope(frame, None, by or [])
        where = [name for name in ("source", "run", "group", "direction", *_APART) if name in frame]
        if frame.duplicated(where).any() and frame["scope"].eq("job").all():
            frame = combine(frame, to="group")  # jobs side by side are one run
    if by is not None:
        return frame, by
    by = [name for name in (*others, "direction") if name in frame and frame[name].notna().any()]
    run = ["source", "run"]
    for name in _APART:
        if name in frame and not frame.duplicated([*run, *by]).any():
            break
        if name in frame and frame.groupby(run, dropna=False)[name].nunique().gt(1).any():
            by.append(name)
    for name in SWEPT:  # what differs among the runs of one cell and side
        within = [*by, *([between] if between else [])]
        cells = frame.groupby(within or (lambda _: 0), dropna=False)
        if name not in by and name in frame and cells[name].nunique().gt(1).any():
            by.append(name)
    if between != "command" and _are_commands(frame, between):
        by.append("command")
    return frame, by


def _are_commands(frame: pd.DataFrame, between: str | None) -> bool:
    """Say whether each side timed the same commands, and several of them."""
    if "command" not in frame or frame["command"].isna().any() or not differs(frame, "command"):
        return False
    sides = frame.groupby(between or (lambda _: 0), dropna=False)["command"].agg(frozenset)
    return len(set(sides)) == 1


def _answered(
    source: Source,
    frame: pd.DataFrame,
    metric: str,
    between: str | None,
    baseline: Any,
    by: tuple[str, ...],
) -> Comparison:
    """Compare the sides with a baseline, or with the first side if it is None."""
    frame = in_order(frame, by)
    if between is None:
        whole = _with_runs(source.results, frame, ["host", "command", "heading"])
        return Comparison(frame, metric, by, problem=unknown_sides(whole, []))
    levels = _levels(source, frame, between)
    if len(levels) < 2:
        name = naming.short(metric)
        problem = f"no {between} has {name}: nothing to compare"
        if levels:
            alone = "only {level} has {name}: nothing to compare it with"
            problem = (alone).format(level=levels[0], name=name)
        return Comparison(frame, metric, by, problem=problem)
    if baseline is None:
        baseline = levels[0]
    else:
        baseline = naming.value_of(frame, between, str(baseline))
    asked = Comparison(frame, metric, by, between, baseline)
    answer_of = speedup if metric_of(metric).better == "lower" else compare
    settings = source.results.settings
    settings = settings[settings["source"].isin(frame["source"])]
    again = source.campaign is not None and source.campaign.asked.until == "settled"
    try:
        answer = answer_of(
            frame,
            metric,
            between=between,
            baseline=baseline,
            by=list(by) or None,
            looks="any" if again else "once",
            settings=settings if len(settings) else None,
        )
    except SchemaError as error:
        return replace(asked, problem=str(error))
    if answer["ratio"].isna().all():
        return replace(asked, problem=_NOTHING)
    return replace(asked, answer=answer)


def _levels(source: Source, frame: pd.DataFrame, between: str) -> list[Any]:
    """List the sides, first those of the files that were named first."""
    there = dict.fromkeys(frame[between].dropna())
    runs = source.results.runs
    first = runs[between].dropna() if between in runs else ()
    return [*dict.fromkeys(one for one in (*first, *there) if one in there)]


def in_order(frame: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Sort rows by their cells: numbers by size, names as they first came."""
    rows = groups(nw.from_native(frame, eager_only=True), by).values()
    return frame.iloc[[row for own in rows for row in own]].reset_index(drop=True)
