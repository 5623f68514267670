"""What the files say themselves about the parameters of a template: sides, sweeps, the metric."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from fiotools import units
from fiotools.errors import SchemaError, argument
from fiotools.files import fields_of, pattern_of
from fiotools.input.sources import find
from fiotools.logs.scan import scan
from fiotools.readers.document import plain_name
from fiotools.readers.fio.log import log_name
from fiotools.reports.questions import Choices, Comparison, comparisons
from fiotools.reports.subjects import Source, gather
from fiotools.tables import naming
from fiotools.tables.naming import PERCENTILE
from fiotools.tables.results import Results

Values = dict[str, Any]
_LATENCIES = ("lat", "clat", "hist", "slat")  # of logs, by what people ask for
_WINDOWS = 10  # at least; those of the template last a second
_TEMPLATE = "such as 'runs/{side}_{round:d}.json', or NAME=FILES for each side"
_NAMELESS = f"nothing names the sides: a path template does, {_TEMPLATE}"


def chosen(names: Collection[str], data: Results | Path, given: Mapping[str, Any]) -> Values:
    """Choose what was not given, as a report would; the values of parameters, by name.

    Parameters
    ----------
    names : collection of str
        The parameters of a template.
    data : Results or Path
        What was read, or the folder of a campaign.
    given : mapping of str to object
        The parameters that were named.

    Raises
    ------
    SchemaError
        If the files leave open which sides are meant, or nothing was swept.

    Examples
    --------
    >>> import fiotools as ft
    >>> names = ["where", "metric", "between", "baseline", "by"]
    >>> chosen(names, ft.example("page-cache"), {"baseline": "before"})
    {'where': [], 'metric': 'real', 'between': 'cache', 'baseline': 'before', 'by': []}
    """
    found: Values = {}
    if "where" in names:
        found["where"] = list(given.get("where", ()))
    if "metric" in names or "baseline" in names:
        found |= _compared(names, data, given)
    elif "between" in names and isinstance(data, Results):
        found |= _shared(data, given, found["where"])
    return {name: found[name] for name in names if name in found}


def _compared(names: Collection[str], data: Results | Path, given: Mapping[str, Any]) -> Values:
    """Choose as a report does: sides and cells of the first comparison that has an answer."""
    metric = given.get("metric")
    by_metric = None if metric is None or PERCENTILE.fullmatch(f"{metric}_ns") else metric
    by = tuple(given["by"]) if "by" in given else None
    wish = Choices(given.get("between"), given.get("baseline"), by_metric, by)
    source = gather(data)[0]
    every = comparisons(source, wish)
    if not every:
        raise SchemaError("these files hold no totals of I/O and no times: nothing to compare")
    one = next((one for one in every if one.answer is not None), every[0])
    if "between" in names and one.between is not None and not _is_named(source, one, data):
        raise SchemaError(_NAMELESS)
    if source.is_mixed and "between" not in given:  # they would be one curve, or one side
        raise SchemaError(f"{source.said[0]}: a path template names them, {_TEMPLATE}")
    if "baseline" in names and one.answer is None:
        raise SchemaError(one.problem)
    between = one.between if _is_named(source, one, data) else None
    cells = [name for name in one.by if by is not None or len(one.frame[name].unique()) > 1]
    found: Values = {
        "together": "parts" in one.frame,  # jobs that ran side by side were added up
        "metric": metric or naming.short(one.metric),
        "between": between,
        "baseline": _plain(one.baseline),
    }
    if "x" in names:
        found["x"], cells = _swept(one, cells, given)
    if "where" in names:
        wanted = f"{naming.short(one.metric)}>=0"  # leaves out the rows without it
        has_gaps = one.said and "metric" in names
        found["where"] = [*given.get("where", ()), *([wanted] if has_gaps else [])]
    if "metric" not in names:  # percentiles keep directions apart themselves
        cells = [name for name in cells if name != "direction"]
    found["by"] = [naming.short(name) for name in cells]
    return found


def _is_named(source: Source, one: Comparison, data: Results | Path) -> bool:
    """Say whether a notebook that reads the same files has the column of the sides."""
    return one.between is not None and (
        source.campaign is not None
        or not isinstance(data, Results)
        or one.between in {*data.labels, *data.tables["io"], *data.tables["runs"]}
    )


def _swept(one: Comparison, by: Sequence[str], given: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Choose the condition with the most values; the others make panels."""
    x = naming.full(given["x"], one.frame) if given.get("x") else next(iter(one.swept), None)
    if x is None:
        raise SchemaError(f"nothing was swept in these files: name the condition, {argument('x')}")
    return naming.short(x), [name for name in by if name != x]


def _shared(results: Results, given: Mapping[str, Any], where: Sequence[str]) -> Values:
    """Name the runs by their label, or else by their file; keep one direction."""
    labels = [name for name in results.labels if name != "round"]
    between = given.get("between") or (labels[0] if len(labels) == 1 else "source")
    io: pd.DataFrame = results.io
    ways = list(dict.fromkeys(io["direction"].dropna()))
    if len(ways) < 2:
        return {"between": between, "where": list(where)}
    way = "total" if "total" in ways else ways[0]
    return {"between": between, "where": [*where, f"direction={way}"]}


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def of_log(files: Any) -> tuple[Any, Values, list[str]]:
    """Choose the logs of one latency, and a window that the log has ten of; and say so.

    fio writes lat, clat and slat beside each other: lat is the whole of an I/O.

    Returns
    -------
    files : str, list of str, or mapping
        Those of `files` that are of this latency; `files` if all are.
    values : dict of str to object
        ``every``, if the log is short.
    said : list of str

    Raises
    ------
    SchemaError
        If no log is of latencies, or the logs are of several jobs.

    Examples
    --------
    >>> of_log("data/how-many-runs/long/long_clat_hist.1.log")
    ('data/how-many-runs/long/long_clat_hist.1.log', {}, [])
    """
    kinds = {}
    for one in find(files):
        name = log_name(plain_name(one.name))
        if name is not None and (not Path(one.name).is_file() or Path(one.name).stat().st_size):
            kinds[one.name] = name.kind
    there = [kind for kind in _LATENCIES if kind in kinds.values()]
    if kinds and not there:
        (first, *_) = kinds.values()
        raise SchemaError(
            f"this is a log of {first}: the notebook is of latencies, which fio logs with"
            " --write_lat_log"
        )
    said = []
    if len({*kinds.values()}) > 1 and not (isinstance(files, Mapping) or fields_of(_listed(files))):
        own = [name for name, kind in kinds.items() if kind == there[0]]
        files = pattern_of(own, kinds)
        others = ", ".join(dict.fromkeys(kind for kind in kinds.values() if kind != there[0]))
        said.append(f"The log is that of {there[0]}; others are there: {others}")
    log = scan(files)
    _refuse_several(log)
    every, rest = _window(log)
    return files, every, [*said, *rest]


def _listed(files: Any) -> list[str]:
    return [files] if isinstance(files, str) else list(files)


def _refuse_several(log: pl.LazyFrame) -> None:
    """Refuse logs of several jobs of one direction, which are no one line."""
    parts = log.select("job", "direction", "source").unique().collect(engine="streaming")
    jobs = parts.unique(["job", "direction"]).sort("job")
    names = jobs["job"].drop_nulls().unique(maintain_order=True).to_list()
    if len(names) > 1 and not jobs["direction"].is_unique().all():
        first = sorted(parts.filter(pl.col("job") == names[0])["source"])[0]
        raise SchemaError(
            f"these logs are of the jobs {', '.join(names)}, and a notebook is of one: name its"
            f" log, such as {first}"
        )


def _window(log: pl.LazyFrame) -> tuple[Values, list[str]]:
    """Choose a window of which there are ten, if ten of the template's own are longer than all."""
    times = log.select(last=pl.col("time_s").max(), n=pl.col("time_s").n_unique())
    last, count = times.collect(engine="streaming").row(0)
    if last is None or last >= _WINDOWS or count < 2 * _WINDOWS:
        return {}, []
    power = 10.0 ** np.floor(np.log10(last / _WINDOWS))
    step = max(step * power for step in (1, 2, 5) if step * power <= 1.001 * last / _WINDOWS)
    every = f"{step * 1000:.3g}ms"
    told = f"The log is {units.human(last, 's')} long: a window is {every}, and not 1s"
    return {"every": every}, [told]
