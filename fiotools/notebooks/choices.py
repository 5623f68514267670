"""What the files say themselves about the parameters of a template: sides, sweeps, the metric."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from fiotools.errors import SchemaError, argument
from fiotools.reports.questions import Choices, Comparison, comparisons
from fiotools.reports.subjects import Source, gather
from fiotools.stats.windows import SINGLE
from fiotools.tables import naming
from fiotools.tables.naming import PERCENTILE
from fiotools.tables.results import Results

Values = dict[str, Any]
_NAMELESS = (
    "nothing names the sides: a path template does, such as 'runs/{side}_{round:d}.json', or"
    " NAME=FILES for each side"
)


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
    if "baseline" in names and one.between is not None and not _is_named(source, one, data):
        raise SchemaError(_NAMELESS)
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


def refuse_rates(log: pl.LazyFrame) -> None:
    """Refuse a log that has no latencies."""
    if "quantity" not in log.collect_schema():  # of histograms
        return
    quantity = log.select("quantity").head(1).collect().item()
    if quantity not in SINGLE:
        raise SchemaError(
            f"this is a log of {naming.short(quantity)}: the notebook is of latencies, which fio"
            " logs with --write_lat_log"
        )
