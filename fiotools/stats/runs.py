"""The replicate is the run: which rows count, and that there is one of them per run.

Threads, jobs, directions and percentiles of one run are not repeats of it. Whatever averages or
compares goes through here first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import isinf
from typing import Any

import narwhals as nw
from narwhals.typing import IntoDataFrameT

from fiotools.errors import SchemaError
from fiotools.stats.frames import (
    Frame,
    differing,
    distinct,
    numbers,
    to_type,
    values,
)
from fiotools.vocabulary import COLUMNS, CONDITIONS

# what can tell the rows of one run apart, beside its conditions
_PARTS = (
    *("host", "port", "group", "job", "thread", "target", "entry", "direction"),
    *("latency", "percentile", "quantity", "command", "cpu", "device"),
)


def choose_scope(
    frame: nw.DataFrame[IntoDataFrameT], scope: str | None, named: Collection[str]
) -> nw.DataFrame[IntoDataFrameT]:
    """Keep one scope: the one asked for, else `total`, else the only one there is."""
    if "scope" not in frame.columns:
        if scope is not None:
            raise SchemaError(f"scope={scope!r} was asked for, but the frame has no column 'scope'")
        return frame
    there = distinct(values(frame, "scope"))
    if scope is not None and scope not in there:
        raise SchemaError(f"no row of scope {scope!r}; there are: {_listed(there)}")
    if scope is None and ("scope" in named or len(there) < 2):
        return frame
    chosen = scope or "total"
    if chosen not in there:
        raise SchemaError(
            f"rows of several scopes ({_listed(there)}) are not repeats: name one, "
            f"scope={there[0]!r}, or type {to_type(frame, 'scope', there[0])}"
        )
    kept = [row for row, value in enumerate(values(frame, "scope")) if value == chosen]
    if scope is None:
        _no_run_lost(frame, kept)
    return frame[kept]


def _no_run_lost(frame: Frame, kept: Sequence[int]) -> None:
    """Refuse to take totals where that would silently leave runs out."""
    if "run" not in frame.columns:
        return
    whose = run_keys(frame)
    lost = set(whose) - {whose[row] for row in kept}
    if lost:
        held = distinct(
            value for value, key in zip(values(frame, "scope"), whose, strict=True) if key in lost
        )
        raise SchemaError(
            f"{len(lost)} of {len(set(whose))} runs have no row of scope 'total' (they have "
            f"{_listed(held)}): make totals of them with combine(io, to='run'), or name scope="
        )


def refuse_directions(frame: Frame, named: Collection[str]) -> None:
    """Refuse several directions in one number: those of one run are one observation."""
    if "direction" not in frame.columns or "direction" in named:
        return
    there = distinct(values(frame, "direction"))
    if len(there) > 1:
        keep = "total" if "total" in there else there[0]
        raise SchemaError(
            f"several directions ({_listed(there)}): add 'direction' to by=, "
            f"or keep one: {to_type(frame, 'direction', keep)}"
        )


def run_keys(frame: Frame) -> list[tuple[Any, ...]]:
    """Say for each row which run it belongs to; without a column `run`, each row is one."""
    if "run" not in frame.columns:
        return [(row,) for row in range(len(frame))]
    run = values(frame, "run")
    source = values(frame, "source") if "source" in frame.columns else [None] * len(frame)
    return [
        (row,) if number is None else (name, number)
        for row, (name, number) in enumerate(zip(source, run, strict=True))
    ]


def run_name(key: tuple[Any, ...]) -> str:
    """Name a run for a message."""
    if len(key) == 1:
        return f"row {key[0]}"
    source, run = key
    return f"run {run}" if source is None else f"run {run} of {source}"


def refuse_several(frame: Frame, rows: Sequence[int], key: tuple[Any, ...]) -> SchemaError:
    """Build the error for several rows of one run that nothing reduces to one number."""
    head = f"{run_name(key)} has {len(rows)} rows where one number is needed"
    apart = differing(frame, [*CONDITIONS, *_PARTS, *labels(frame)], rows)
    if not apart:
        return SchemaError(f"{head}, and nothing tells them apart: is it there twice?")
    remedy = f"name it in by= ({', '.join(apart)}), or keep one of them"
    parts = {"host", "port", "group", "job", "thread", "target", "entry"}
    if parts & set(apart) and "percentile" not in apart:
        remedy = f"threads and jobs are not repeats: combine(io, to='run') first, or {remedy}"
    return SchemaError(f"{head}; {remedy}")


def checked(frame: Frame, metric: str, *, positive: bool) -> list[float]:
    """Give the metric's values, all of them there, finite and (for ratios) above zero."""
    if len(frame) == 0:
        raise SchemaError("the frame has no rows")
    found: list[float] = []
    gaps = 0
    for row, value in enumerate(numbers(frame, metric)):
        if value is None:
            gaps += 1
            continue
        if isinf(value):
            raise SchemaError(f"{metric} is infinite in row {row}")
        if positive and value <= 0:
            raise SchemaError(
                f"{metric} is {value:g} in row {row}: a ratio needs values above zero"
            )
        found.append(value)
    if gaps:
        drop = (
            f"dropna(subset={metric!r})"
            if frame.implementation.is_pandas_like()
            else f"drop_nulls({metric!r}) (and drop_nans)"
        )
        raise SchemaError(
            f"{metric} is missing in {gaps} of {len(frame)} rows: leave them out knowingly, .{drop}"
        )
    return found


def labels(frame: Frame) -> list[str]:
    """Name the text columns that are labels of the user's, not of the vocabulary."""
    return [
        name
        for name, dtype in frame.schema.items()
        if name not in COLUMNS
        and name != "warnings"
        and isinstance(dtype, (nw.String, nw.Categorical, nw.Enum, nw.Boolean))
    ]


def watched(frame: Frame, named: Collection[str]) -> list[str]:
    """Name the columns that should not differ among rows treated alike, but may.

    Conditions, and labels that group runs. A label that numbers the runs (digits) or names each row
    (no value twice in the frame) is no condition; what is the same throughout needs no watching.
    """
    found = []
    for name in differing(frame, [*CONDITIONS, *labels(frame)]):
        everywhere = values(frame, name)
        numbering = all(str(value).isdigit() for value in everywhere if value is not None)
        grouping = len(set(everywhere)) < len(everywhere) and not numbering
        if name not in named and (name in CONDITIONS or grouping):
            found.append(name)
    return found


def moments(frame: Frame) -> list[Any] | None:
    """Give the time of each row's run, where the frame knows all of them."""
    for name in ("started_at", "reported_at"):
        if name in frame.columns:
            found = values(frame, name)
            if None not in found:
                return found
    return None


def _listed(found: Iterable[Any]) -> str:
    return ", ".join(str(value) for value in found)
