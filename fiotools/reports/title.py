"""The title of a page: which side is faster, where a sweep does most, or numbers of the runs."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from fiotools import units
from fiotools.display import columns
from fiotools.errors import FiotoolsError
from fiotools.reports.answers import tell
from fiotools.reports.asked import Asked
from fiotools.reports.findings import records
from fiotools.reports.sentences import headline
from fiotools.stats.cells import differs
from fiotools.stats.summary import summarize
from fiotools.tables import naming
from fiotools.tables.results import runs_and_logs
from fiotools.words import spanned

# what people ask for first, and how they call it
_FIRST = {"iops": "IOPS", "bw_bytes_per_s": "", "real_s": "", "p99_ns": "p99"}
_ELSE = ("lat_mean_ns", "clat_mean_ns")  # where no percentile is known
_NAMES = {"real_s": "real", "lat_mean_ns": "mean latency", "clat_mean_ns": "mean clat"}


def title_of(asked: Asked) -> str:
    """Say the main finding, and after it what makes it impossible."""
    said = headline(asked.found) if asked.found else _top(asked) or _numbers(asked)
    wrong = asked.checks[asked.checks["verdict"] == "impossible"]
    return f"{said}; but {wrong['why'].iloc[0]}" if len(wrong) else said


def _top(asked: Asked) -> str:
    """Say where a sweep does most; nothing if nothing was swept."""
    if not asked.swept or asked.metric is None or len(asked.results.runs) < 2:
        return ""
    try:
        return tell(summarize(asked.results, asked.metric, by=[*asked.by])).title
    except FiotoolsError:
        return ""


def _numbers(asked: Asked) -> str:
    """Say the numbers of the runs, those of each direction together."""
    rows = asked.overview
    tools = [*dict.fromkeys(asked.results.runs["tool"])]
    count = runs_and_logs(asked.results.tables.polars("runs"))
    runs = f"{' and '.join(count)} of {', '.join(tools)}"
    if len(tools) > 1:
        return runs
    told = []
    for way, own in rows.groupby("direction", dropna=False, sort=False):
        if way != "total" and (numbers := ", ".join(_of_rows(own))):
            told.append(f"{way} {numbers}" if isinstance(way, str) else numbers)
    if not told:
        return runs
    what = [one for one in ("rw", "bs_bytes") if one in rows and rows[one].notna().any()]
    what = [one for one in what if not differs(rows, one)]
    loads = " ".join(columns.levels(rows[name].dropna().tolist()[:1], name)[0] for name in what)
    about = loads if count[0] == "1 run" else runs
    return f"{about}: {'; '.join(told)}" if about else "; ".join(told)


def _of_rows(rows: pd.DataFrame) -> Iterator[str]:
    """Write each number with its unit: one, or from the least to the most."""
    names = [one for one in (*_FIRST, *_ELSE) if one in rows and rows[one].notna().any()]
    if "p99_ns" in names:
        names = [one for one in names if one not in _ELSE]
    for name in names:
        unit = "1" if name == "iops" else naming.unit_of(name)  # the word IOPS says "a second"
        ends = [units.human(getattr(rows[name], end)(), unit) for end in ("min", "max")]
        said = spanned(*ends)
        if name == "iops":
            yield f"{said} IOPS"
        else:
            yield f"{_NAMES.get(name) or _FIRST[name]} {said}".strip()
    if not names and "mean" in rows and rows["mean"].notna().all():
        for row in records(rows):
            count = f" of {units.many(row['n'], 'run')}" if row["quantity"] == "real_mean_s" else ""
            mean = units.human(row["mean"], row["unit"])
            yield f"mean {naming.short(row['quantity'])} {mean}{count}"
