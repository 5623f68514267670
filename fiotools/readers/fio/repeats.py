"""Which documents of one file are reports of the same run.

With ``--status-interval`` fio writes cumulative documents: each repeats the one before with higher
counts. Runs appended to one file look the same. They are told apart by what cannot happen in one
run: a clock that moves otherwise than ``elapsed``, a count that falls, a minimum that rises.
"""

from __future__ import annotations

from typing import Any

from fiotools.readers.fio.documents import Piece

_DIRECTIONS = ("read", "write", "trim", "mixed")
_LATENCIES = ("slat_ns", "clat_ns", "lat_ns", "slat", "clat", "lat")
# elapsed is in whole seconds, and a report takes its time
_SLACK_S = 2.5


def entries(document: dict[str, Any]) -> list[dict[str, Any]]:
    """List the entries of a report: of jobs, or of the jobs of clients."""
    listed = document.get("jobs") or document.get("client_stats") or []
    return (
        [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    )


def elapsed(document: dict[str, Any]) -> float | None:
    """Seconds since the start of the run, as of a report."""
    numbers = [_number(entry.get("elapsed")) for entry in entries(document)]
    return max((number for number in numbers if number is not None), default=None)


def runs_of(pieces: list[Piece]) -> list[list[Piece]]:
    """Group consecutive documents by run."""
    runs: list[list[Piece]] = []
    for piece in pieces:
        if runs and _continues(runs[-1][-1].document or {}, piece.document or {}):
            runs[-1].append(piece)
        else:
            runs.append([piece])
    return runs


def _number(value: Any) -> float | None:
    """Take a number; a program that passed the document on may have made a text of it."""
    return float(value) if type(value) is float or (type(value) is int and value < 2**64) else None


def _count(values: dict[str, Any], key: str) -> float:
    return _number(values.get(key)) or 0.0


def _continues(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether one document can be a later report of the same run."""
    old, new = entries(before), entries(after)
    if not old or len(old) != len(new):
        return False
    if before.get("global options") != after.get("global options") or not _clock(before, after):
        return False
    return all(
        _is_same(one, other) and _grows(one, other) for one, other in zip(old, new, strict=True)
    )


def _is_same(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether two entries can be of one job."""
    if any(before.get(key) != after.get(key) for key in ("jobname", "groupid", "hostname")):
        return False
    old, new = before.get("job_start"), after.get("job_start")
    return not old or old == new  # 0 until it starts


def _clock(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether time went on as much as ``elapsed`` says."""
    old, new = elapsed(before), elapsed(after)
    if old is None or new is None:
        old, new = _runtime(before), _runtime(after)  # clients do not say what elapsed
    if new < old:
        return False
    first, second = _timestamp(before), _timestamp(after)
    if first is None or second is None:
        return new > old
    return abs((second - first) - (new - old)) <= _SLACK_S


def _runtime(document: dict[str, Any]) -> float:
    """Seconds that the longest direction of any entry has run."""
    parts = [entry.get(name) for entry in entries(document) for name in _DIRECTIONS]
    times = [_count(part, "runtime") for part in parts if isinstance(part, dict)]
    return max(times, default=0) / 1000


def _timestamp(document: dict[str, Any]) -> float | None:
    exact = _number(document.get("timestamp_ms"))
    return exact / 1000 if exact is not None else _number(document.get("timestamp"))


def _grows(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether no count falls, no minimum rises and no maximum falls."""
    for direction in _DIRECTIONS:
        old, new = before.get(direction), after.get(direction)
        if not isinstance(old, dict) or not isinstance(new, dict):
            if isinstance(old, dict) or isinstance(new, dict):
                return False
            continue
        if any(_count(new, key) < _count(old, key) for key in ("io_bytes", "total_ios", "runtime")):
            return False
        for kind in _LATENCIES:
            one, other = old.get(kind), new.get(kind)
            if not isinstance(one, dict) or not isinstance(other, dict) or not one.get("max"):
                continue  # nothing was measured before
            if _count(other, "max") < _count(one, "max") or _count(other, "min") > _count(
                one, "min"
            ):
                return False
    return True
