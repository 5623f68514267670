"""The door of every question: a `Results` or a frame, and names as people type them.

From a `Results` a question takes its own table: the one that has the metric, or the one that the
question is about. Columns of the runs (host, command, heading) may be named as if they were the
table's own. What is not named and is certain is filled in: the only metric, the only label as the
column of the sides, their first level as the baseline, the options of the same files.

`Question.arguments` names the roles by the names of parameters, so that all questions share them.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from pathlib import PurePath
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast, overload

import narwhals as nw
import polars as pl

from fiotools.errors import SchemaError, about_results, argument, typed
from fiotools.stats import submission
from fiotools.stats.order import TIMES
from fiotools.tables import conditions, metrics, naming
from fiotools.tables.results import Results, to_pandas, with_runs
from fiotools.units import percentile
from fiotools.vocabulary import COLUMNS, CONDITIONS

P = ParamSpec("P")
Frame = TypeVar("Frame")
Choice = Callable[[Results, Mapping[str, Any]], str | None]
Take = Callable[[Results, str], pl.DataFrame]

FOUND: Any = None  # the default of an argument that is found in the data
# the arguments that name columns
NAMES = ("by", "between", "pair", "unit", "over", "sweep", "order", "levels")
# the arguments that are other tables of the same reading
COMPANIONS = ("settings", "io", "percentiles")
_PERCENTILE = re.compile(r"p(\d+(?:\.\d+)?)")
_OF_LATENCY = re.compile(r"(?:(slat|clat|lat)_)?p(\d+(?:\.\d+)?)")  # lat_p99


class Question(Protocol[P]):
    """A function of the statistics: a frame or a `Results` in, a frame out."""

    door: Door

    @overload
    def __call__(self, data: Results, /, *args: P.args, **named: P.kwargs) -> Any: ...

    @overload
    def __call__(self, data: Frame, /, *args: P.args, **named: P.kwargs) -> Frame: ...


def question(
    table: str | Choice | None = None,
    take: Take | None = None,
) -> Callable[[Callable[Concatenate[Any, P], Any]], Question[P]]:
    """Make a question of a function of a frame, so that it takes a `Results` too.

    Parameters
    ----------
    table : str or callable, optional
        The table that the question is about, or how it is chosen from the results and the
        arguments; by default the one that has the metric.
    take : callable, optional
        What returns the table of a name, if not `table_of`.
    """

    def made(function: Callable[Concatenate[Any, P], Any]) -> Question[P]:
        door = Door(function, table, take or table_of)

        @wraps(function)
        def asked(*args: Any, **named: Any) -> Any:
            try:
                given = door.signature.bind(*args, **named).arguments
            except TypeError:
                given = None
            if given is None:
                door.refuse_unnamed(args)
                return function(*args, **named)  # Python has the words for it
            return door.answer(given.pop(door.data), given)

        vars(asked)["door"] = door
        return cast("Question[P]", asked)

    return made


class Door:
    """A question's arguments, and where in the results each of them is.

    Parameters
    ----------
    function : callable
        Its first parameter is the frame.
    table : str or callable, optional
    take : callable
        As in `question`.
    """

    def __init__(
        self, function: Callable[..., Any], table: str | Choice | None, take: Take
    ) -> None:
        self.function, self._table, self._take = function, table, take
        self.signature = inspect.signature(function)
        self.data, *self.takes = self.signature.parameters
        defaults = {name: one.default for name, one in self.signature.parameters.items()}
        usual = defaults.get("metric")
        self._metric = usual if isinstance(usual, str) else None
        self.companions = [name for name in COMPANIONS if defaults.get(name, name) is None]

    @property
    def compares(self) -> bool:
        """Whether the question is about sides."""
        return {"between", "baseline"} <= {*self.takes}

    @property
    def keeps_directions_apart(self) -> bool:
        """Whether it is about one number of each run, which is that of one direction."""
        about_runs = self.compares or {"metric", "scope"} <= {*self.takes}
        return about_runs and "by" in self.takes and not {"over", "levels"} & {*self.takes}

    def refuse_unnamed(self, given: Sequence[Any]) -> None:
        """Say which name an argument too many needs: the sides', or else the first that has one."""
        kinds = {name: one.kind for name, one in self.signature.parameters.items()}
        placed = [name for name, one in kinds.items() if one is not inspect.Parameter.KEYWORD_ONLY]
        rest = [name for name in kinds if name not in placed]
        if len(given) > len(placed) and rest:
            name = argument(rest[0], given[len(placed)])
            raise SchemaError(
                f"{self.function.__name__} takes {' and '.join(placed)} in order, and the rest by"
                f" name: {name}"
            )

    def answer(self, data: Any, asked: Mapping[str, Any]) -> Any:
        """Answer the question in the kind of the data."""
        if not isinstance(data, Results):
            return self.function(data, **self._completed(data, asked))
        with about_results():
            frame, asked = self.ask(data, asked)
            answer = self.function(frame, **asked)
        return to_pandas(answer) if data.kind == "pandas" else answer

    def ask(
        self,
        results: Results,
        asked: Mapping[str, Any],
        *,
        table: str | None = None,
        where: Iterable[str] = (),
        filtered: Callable[[pl.DataFrame], pl.DataFrame] = lambda frame: frame,
    ) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Return the rows of results that the question is about, and all of its arguments.

        ``where`` are conditions, and ``filtered`` is called with the rows that fulfil them.
        """
        asked, conditioned = {**asked}, list(where)
        if self._metric and asked.get("metric") is None:
            asked["metric"] = self._metric
        own = self._table(results, asked) if callable(self._table) else self._table
        table = table or own
        if "metric" in self.takes and table != "samples":
            metric = str(asked.get("metric"))
            if "percentiles" in self.companions and _PERCENTILE.fullmatch(metric):
                # the question takes it from the table of percentiles itself
                frame = table_of(results, table or "io")
            else:
                frame, asked["metric"] = metric_of(results, asked.get("metric"), table)
        else:
            frame = self._take(results, table or "io")
        whole = with_runs(results, frame, conditions.named(conditioned))
        rows = filtered(conditions.kept(whole, conditioned)[frame.columns])
        named = (
            one for role in NAMES if role in self.takes for one in columns_named(asked.get(role))
        )
        times = TIMES if "unit" in self.takes else ()
        rows = with_runs(results, rows, [*naming.split(list(named)), *times])
        if self.compares and not asked.get("between"):
            asked["between"] = sides_of(results, rows)
        if self.compares and results.tables.height("io"):
            rows = submission.beside(rows, results.tables.polars("io"), str(asked.get("metric")))
        asked = self._completed(rows, asked, results)
        if self.keeps_directions_apart:
            rows = directions_apart(rows, asked)
        for role in self.companions:
            if role == "percentiles" and not _PERCENTILE.fullmatch(str(asked.get("metric"))):
                continue
            if asked.get(role) is None and results.tables.height(role):
                companion = results.tables.polars(role)
                if role != "io":  # the summary of a run and its log are two files
                    companion = companion.join(rows, on="source", how="semi")
                asked[role] = companion if len(companion) else None
        return rows, asked

    def _completed(
        self, frame: Any, asked: Mapping[str, Any], results: Results | None = None
    ) -> dict[str, Any]:
        """Complete names that were typed without their unit, and find the baseline."""
        found = {**asked}
        if isinstance(frame, pl.LazyFrame) or not hasattr(frame, "columns"):
            return found  # the question has the words for anything else
        there = naming.of(frame)
        for role in ("metric", "quantity", *NAMES):
            names = columns_named(found.get(role))
            if role not in self.takes or not names:
                continue
            known = there
            if role in ("metric", "quantity") and names[0] not in there and "quantity" in there:
                known = list(map(str, frame["quantity"].unique()))
            find = naming.of_metric if role == "metric" else naming.full
            several = [find(one, known) for one in names]
            found[role] = several[0] if isinstance(found[role], str) else several
        if not self.compares:
            return found
        between, baseline = found.get("between"), found.get("baseline")
        if between is None:
            labels = [name for name in there if name not in COLUMNS and name != found.get("metric")]
            raise SchemaError(unknown_sides(frame, labels))
        if baseline is None and between in there:
            found["baseline"] = first_level(frame, between, results)
        elif isinstance(baseline, str) and between in there:
            found["baseline"] = naming.value_of(frame, between, baseline)
            if between == "source":
                found["baseline"] = _file_named(frame, baseline)
        return found


def directions_apart(rows: pl.DataFrame, asked: dict[str, Any]) -> pl.DataFrame:
    """Ask about each direction by itself where a cell has several; return rows of the metric.

    A direction that has no value of the metric, such as the flushes of fio, has nothing to say.
    """
    if "direction" not in rows:
        return rows
    metric = str(asked.get("metric"))
    if metric in rows:
        known = rows.filter(pl.col(metric).is_not_null())["direction"].unique()
        if len(known):
            rows = rows.filter(pl.col("direction").is_in(known.implode(), nulls_equal=True))
    by = columns_named(asked.get("by"))
    if "direction" in (*by, asked.get("between")) or not {*by} <= {*rows.columns}:
        return rows
    cells = rows.group_by(by) if by else [((), rows)]
    if any(own["direction"].drop_nulls().n_unique() > 1 for _, own in cells):
        asked["by"] = [*by, "direction"]
        if (between := str(asked.get("between"))) in rows:
            _refuse_strangers(rows, between)
    return rows


def _refuse_strangers(rows: pl.DataFrame, between: str) -> None:
    """Refuse sides that have no direction in common: nothing of them can be compared."""
    sides = rows.group_by("direction").agg(pl.col(between).n_unique())[between]
    if sides.max() == 1:
        own = rows.group_by(between, maintain_order=True).agg(pl.col("direction").unique())
        told = "; ".join(
            f"{side}: {', '.join(sorted(way or 'unknown' for way in ways))}"
            for side, ways in own.iter_rows()
        )
        raise SchemaError(f"the sides have no direction in common ({told}): nothing to compare")


def _file_named(frame: Any, name: str) -> str:
    """Return the file of a name without its folder or its end, if there is one such."""
    there = nw.from_native(frame, eager_only=True)["source"].drop_nulls().unique().to_list()
    alike = [one for one in there if name in (PurePath(one).name, PurePath(one).stem)]
    return alike[0] if len(alike) == 1 and name not in there else name


def columns_named(given: Any) -> list[str]:
    """List names that were given as one or several; none if they are something else."""
    several = [given] if isinstance(given, str) else given
    is_names = isinstance(several, list | tuple) and all(isinstance(one, str) for one in several)
    return list(several) if is_names else []


def table_of(results: Results, name: str) -> pl.DataFrame:
    """Return a table; it may not have been asked for."""
    if name not in results.tables:
        there = ", ".join(results.tables)
        raise SchemaError(f"there is no table {name!r}, only {there}")
    frame = results.tables.polars(name)
    if not len(frame):
        have = metrics.of_logs(results) if name in ("bins", "percentiles") else ""
        raise SchemaError(f"the question is about {name}, and these files have {have or 'none'}")
    return frame


def metric_of(
    results: Results, metric: str | None, table: str | None = None
) -> tuple[pl.DataFrame, str]:
    """Return the table that has a metric, and its full name; without a name the only metric."""
    if metric is None:
        main = metrics.headlines(results, table)
        if len(main) != 1:
            have = metrics.measured(results, table)
            such = argument("metric", have.partition(",")[0])
            raise SchemaError(
                f"name the column to look at, such as {such}: these files have {have}"
            )
        metric = main[0]
    try:
        name, column = metrics.find_metric(results, metric, table)
    except SchemaError:
        match = _OF_LATENCY.fullmatch(metric)
        if match is None or table not in (None, "percentiles"):
            raise
        latency, share = match.groups()
        return _percentile(results, float(share), latency)
    return table_of(results, name), column


def _percentile(
    results: Results, share: float, latency: str | None = None
) -> tuple[pl.DataFrame, str]:
    """Return one percentile of each row as a column; of one latency, if it is named."""
    frame = results.tables.polars("percentiles")
    if latency is not None and len(frame):
        told = frame["latency"].unique(maintain_order=True).to_list()
        if latency not in told:
            have = f"these files have {' and '.join(f'{one}_p{percentile(share)}' for one in told)}"
            raise SchemaError(f"there are no percentiles of {latency}: {have}")
        frame = frame.filter(pl.col("latency") == latency)
    there = frame["percentile"].unique().drop_nulls().sort()
    if share not in there:
        known = ", ".join(f"p{percentile(one)}" for one in there)
        have = known or metrics.of_logs(results) or "no percentiles"
        raise SchemaError(f"there is no p{percentile(share)}: these files have {have}")
    name = f"p{percentile(share)}_ns"
    return frame.filter(frame["percentile"] == share).rename({"value_ns": name}), name


def sides_of(results: Results, frame: pl.DataFrame) -> str:
    """Return the column that holds the sides: the only one of the paths."""
    labels = [name for name in results.labels if name not in ("round", *naming.COUNTS)]
    if len(labels) == 1:
        return labels[0]
    whole = with_runs(results, frame, ["host", "command", "heading"])
    raise SchemaError(unknown_sides(whole, labels))


def unknown_sides(frame: Any, labels: list[str]) -> str:
    """Say with which columns the sides can be told apart."""
    if len(labels) > 1:
        listed = " or ".join(argument("between", name) for name in labels)
        return f"compare between which? type {listed}"
    known = dict.fromkeys((*labels, "device", "source", *CONDITIONS, "host", "command", "heading"))
    there = nw.from_native(frame, eager_only=True)
    several = [
        argument("between", naming.short(name))
        for name in known
        if name in there.columns and there[name].drop_nulls().n_unique() > 1
    ]
    files = typed("{name: files} for each side", "NAME=FILES for each side")
    columns = ", or " + " or ".join(several) if several else ""
    return f"there is only one side: give two files, {files}{columns}"


def first_level(frame: Any, between: str, results: Results | None = None) -> Any:
    """Return the first level of the sides: of a label that of all files, else that of the rows."""
    if between not in naming.of(frame):
        return None
    there = frame
    if results is not None and between in results.labels and "runs" in results.tables:
        there = results.tables.polars("runs")
    known = nw.from_native(there, eager_only=True)[between].drop_nulls()
    return known.to_list()[0] if len(known) else None
