"""What the files say themselves about the parameters of a template: sides, sweeps, the metric."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from fiotools.errors import SchemaError, argument
from fiotools.files import fields_of, pattern_of
from fiotools.stats import roles
from fiotools.stats.tails import tails
from fiotools.tables import naming
from fiotools.tables.results import Results

Values = dict[str, Any]
_OF_SIDES = ("two-sides", "cache", "tails")  # they need two
_LATENCIES = ("lat", "clat", "hist", "slat")  # of logs, by what people ask for
_FEW = 2000  # rows of a log


def found(question: str, files: Any, asked: Values) -> Values:
    """Return the parameters of a template: what was asked for, and what the files say.

    Raises
    ------
    SchemaError
        If the files leave open which sides are meant, or nothing was swept.

    Examples
    --------
    >>> made = found("cache", "data/page-cache/{cache}.txt", {"baseline": "before"})
    >>> made["metric"], made["between"], made["baseline"], made["by"]
    ('real', 'cache', 'before', [])
    """
    if question == "log":
        return {**_of_log(files), **asked}
    if question == "campaign":
        return {**_of_campaign(files), **asked}
    from fiotools.input.read import read

    results = read(files, frames="polars").where(*asked.get("where", ()))
    values: Values = {"files": files, **asked}
    cells: list[str] = []
    if "between" not in asked:
        labels = results.labels
        find = roles.sides_and_cells if question in _OF_SIDES else roles.with_sides
        results, (first, *cells) = _first_of(*find(results))
        values["between"] = first
        if first == roles.LABEL and first not in labels:
            values["files"] = _of_each_side(results)
    between = values["between"]
    if question == "threads":
        return {**values, "between": between or "source"}
    frame = results.tables.polars("io" if results.tables.height("io") else "timings")
    if between:
        values.setdefault("baseline", roles.baseline_of(frame, between, results))
    values.setdefault("metric", naming.short(roles.metric_of(results)))
    if question == "tails":  # what has no histograms is told before any cell runs
        tails(results, between=between, baseline=values["baseline"], by=values.get("by") or cells)
    vary = [*cells, *_varied(frame, between)]
    if question == "sweep":
        x = naming.full(values["x"], frame) if "x" in values else _swept(vary)
        values["x"] = naming.short(x)
        vary = [one for one in vary if one != x]
        if frame["direction"].drop_nulls().n_unique() > 1:
            vary.append("direction")
    by = cells if question == "tails" else vary
    values.setdefault("by", [naming.short(one) for one in by])
    return {**values, "together": _are_together(results)}


def _first_of(results: Results, columns: list[str]) -> tuple[Results, list[Any]]:
    return results, columns or [None]


def _swept(vary: list[str]) -> str:
    """Name the condition with the most values."""
    swept = [one for one in vary if one in roles.SWEPT and one != "rw"]
    if not swept:
        raise SchemaError(f"nothing was swept in these files: name the condition, {argument('x')}")
    return swept[0]


def _of_each_side(results: Results) -> dict[str, Any]:
    """Name the files of each side: as a pattern, if one matches these and no others."""
    runs = results.tables.polars("runs").unique("source", maintain_order=True)
    every = runs["source"].to_list()
    sides = runs.group_by(roles.LABEL, maintain_order=True).agg("source")
    return {side: pattern_of(own, every, side) for side, own in sides.iter_rows()}


def _varied(frame: pl.DataFrame, between: str | None) -> list[str]:
    """Name the conditions that vary, and are the same on all sides; most values first."""
    told = []
    for name in roles.SWEPT:
        if name in ("direction", between) or name not in frame.columns:
            continue
        known = frame.filter(pl.col(name).is_not_null())
        cells = [
            own[name].unique().sort().to_list() for _, own in known.group_by(between or pl.lit(1))
        ]
        if cells and len(cells[0]) > 1 and all(one == cells[0] for one in cells):
            told.append((-len(cells[0]), name))
    return [name for _, name in sorted(told, key=lambda one: one[0])]


def _are_together(results: Results) -> bool:
    """Whether jobs of a run ran side by side, so that they have to be added up."""
    if not results.tables.height("io"):
        return False
    io = results.tables.polars("io")
    parts = io.filter(pl.col("clones") == 1)
    keys = ["source", "run", "group", "direction"]
    return bool(parts.group_by(keys).len()["len"].gt(1).any())


def _of_campaign(folder: Any) -> Values:
    """Ask a campaign's experiment what is compared."""
    from fiotools.measure.campaign import campaign

    if not isinstance(folder, str | Path):
        raise SchemaError("a notebook is of one campaign: name its folder")
    made = campaign(folder)
    asked = made.experiment
    places = [*made.asked.places]
    return {
        "files": folder,
        "metric": naming.short(asked.result.split(".")[1]),
        "between": asked.between,
        "baseline": asked.baseline or places[0],
        "by": [*asked.by],
    }


def _of_log(files: Any) -> Values:
    """Choose the logs of one latency, and say whether it has percentiles.

    fio writes lat, clat and slat beside each other: lat is the whole of an I/O.
    """
    from fiotools.input.sources import find
    from fiotools.logs.scan import scan
    from fiotools.readers.document import plain_name
    from fiotools.readers.fio.log import log_name
    from fiotools.stats.windows import window

    kinds = {}
    for one in find(files):
        name = log_name(plain_name(one.name))
        if name is not None and (not Path(one.name).is_file() or Path(one.name).stat().st_size):
            kinds[one.name] = name.kind
    there = [kind for kind in _LATENCIES if kind in kinds.values()]
    if kinds and not there:
        raise SchemaError(
            f"this is a log of {next(iter(kinds.values()))}: the notebook is of latencies, which"
            " fio logs with --write_lat_log"
        )
    several = [files] if isinstance(files, str) else files
    if len({*kinds.values()}) > 1 and not (isinstance(files, Mapping) or fields_of(several)):
        files = pattern_of([name for name, kind in kinds.items() if kind == there[0]], kinds)
    log = scan(files)
    parts = log.select("job", "direction", "source").unique().collect(engine="streaming")
    jobs = parts.unique(["job", "direction"])
    names = sorted(jobs["job"].drop_nulls().unique())
    if len(names) > 1 and not jobs["direction"].is_unique().all():
        first = min(parts.filter(pl.col("job") == names[0])["source"])
        raise SchemaError(
            f"these logs are of the jobs {', '.join(names)}, and a notebook is of one: name its"
            f" log, such as {first}"
        )
    first = window(log.head(_FEW), "1s", percentiles=99).collect()
    is_averaged = first["value_ns"].is_null().all()  # it does not tell single I/Os
    return {"files": files, "percentile": None if is_averaged else 99}
