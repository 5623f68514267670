"""The same run found in two places: a log and the article that quotes it, XML and text of one run.

Counted twice, one run would pass for two that agree. Every format prints I/Os and run times in
full, so two runs are one if these are equal, no other figure speaks against it, and the digits
that agree are too many for chance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, TypeAlias

import pandas as pd

_ENOUGH = 5  # digits
_ROUNDED = 0.01  # what the coarsest text leaves of a latency
_FIGURES = ("clat_mean_ns", "lat_mean_ns", "iops_stddev")
_TIMES = ("real_s", "user_s", "sys_s")
Run: TypeAlias = tuple[str, int]


def note(tables: dict[str, pd.DataFrame]) -> None:
    """Add a note to each run that stands in an earlier place too.

    Parameters
    ----------
    tables : dict of DataFrame
        The tables of a `Results`; ``notes`` is replaced where there is something to say.
    """
    runs = tables.get("runs")
    if runs is None or len(runs) < 2:
        return
    keys = list(zip(runs["source"], runs["run"], strict=True))
    formats = dict(zip(keys, zip(runs["tool"], runs["format"], strict=True), strict=True))
    found = [
        {
            "source": run[0],
            "run": run[1],
            "severity": "warning",
            "message": f"the same run as run {first[1]} of {first[0]}: count it once",
        }
        for run, first in (*_same_io(tables, formats), *_same_times(tables, formats))
    ]
    notes = tables["notes"]
    known = set(zip(notes["source"], notes["run"], notes["message"], strict=True))
    new = [row for row in found if (row["source"], row["run"], row["message"]) not in known]
    if new:
        labels = [name for name in runs.columns if name in notes.columns]
        added = pd.DataFrame(new).merge(runs[labels], on=["source", "run"], how="left")
        added = added.reindex(columns=notes.columns).astype(notes.dtypes.to_dict())
        tables["notes"] = pd.concat([notes, added], ignore_index=True) if len(notes) else added


def _same_io(
    tables: dict[str, pd.DataFrame], formats: dict[Run, tuple[str, str]]
) -> Iterator[tuple[Run, Run]]:
    names = ("runtime_s", "total_ios", "direction", *_FIGURES)
    rows = _rows(tables.get("io"), names)
    alike: dict[tuple[Any, ...], list[Run]] = defaultdict(list)
    for run, figures in rows.items():
        figures.sort(key=repr)
        key = tuple(row[:2] for row in figures)
        if all(row[0] is not None for row in figures):
            alike[(formats[run][0], *key)].append(run)
    for (tool, *figured), same in alike.items():
        # DISKSPD runs for a time and does what I/Os it can; others may run for a number of I/Os
        by_time = tool == "diskspd"
        digits = max(_digits(time) + (by_time and _digits(ios)) for time, ios in figured)
        for at, run in enumerate(same[1:], 1):
            for first in same[:at][:10]:
                slack = 1e-9 if formats[run] == formats[first] else _ROUNDED
                agree = _agreement(rows[run], rows[first], slack)
                if agree is not None and digits + agree >= _ENOUGH:
                    yield run, first
                    break


def _same_times(
    tables: dict[str, pd.DataFrame], formats: dict[Run, tuple[str, str]]
) -> Iterator[tuple[Run, Run]]:
    seen: dict[tuple[Any, ...], Run] = {}
    for run, times in _rows(tables.get("timings"), _TIMES).items():
        if formats[run][0] == "time" and sum(map(_digits, times[0])) > _ENOUGH:
            first = seen.setdefault(tuple(times), run)
            if first != run:
                yield run, first


def _rows(table: pd.DataFrame | None, names: tuple[str, ...]) -> dict[Run, list[tuple[Any, ...]]]:
    """Give the rows of each run as tuples, None where a figure is missing."""
    rows: dict[Run, list[tuple[Any, ...]]] = defaultdict(list)
    if table is not None:
        columns = [table[name].astype(object).where(table[name].notna(), None) for name in names]
        runs = zip(table["source"], table["run"], strict=True)
        for run, *figures in zip(runs, *columns, strict=True):
            rows[run].append(tuple(figures))
    return rows


def _agreement(
    rows: list[tuple[Any, ...]], others: list[tuple[Any, ...]], slack: float
) -> int | None:
    """Count the digits in which two runs' other figures agree; None if one speaks against it."""
    agree = 0
    for row, other in zip(rows, others, strict=True):
        if None not in (row[2], other[2]) and row[2] != other[2]:  # dd's needs the command
            return None
        for one, two in zip(row[3:], other[3:], strict=True):
            if one is not None and two is not None and max(one, two) > 0:
                if abs(one - two) > slack * max(one, two):
                    return None
                agree += 2 if slack == _ROUNDED else _digits(one)
    return agree


def _digits(value: float | None) -> int:
    """Count the digits of a number that chance would have to hit: no zeros at its ends."""
    return 0 if not value else len(f"{value:.9g}".partition("e")[0].replace(".", "").strip("0"))
