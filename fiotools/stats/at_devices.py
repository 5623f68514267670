"""What reached the devices, by an iostat beside a run, against the summary of that run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
from narwhals.typing import IntoDataFrameT

from fiotools.errors import SchemaError
from fiotools.flags import flag
from fiotools.stats import beside, frames
from fiotools.stats.columns import Columns
from fiotools.stats.frames import AnswerRow, Frame
from fiotools.stats.replicates import choose_scope

DISAGREES, UNDECIDED = "disagrees", "undecided"
_RATE = "bw_bytes_per_s"
_VERDICTS = {"counted": "ok", **dict.fromkeys(("between", "part", "untimed"), UNDECIDED)}
_SAMPLED = ("source", "run", "scope", "quantity", "direction", "target", "time_s", "value")
_SUMMED = ("source", "run", "direction", "io_bytes", "runtime_s")

Row = Mapping[str, Any]


def apart(samples: Frame) -> tuple[list[int], list[int]]:
    """Tell the rows of logs from those of iostat."""
    sources = frames.optional(samples, "source")
    scopes = frames.optional(samples, "scope")
    own = {source for source, scope in zip(sources, scopes, strict=True) if scope == "device"}
    rows: tuple[list[int], list[int]] = ([], [])
    for row, source in enumerate(sources):
        rows[source in own].append(row)
    return rows


def reconciled(
    samples: nw.DataFrame[IntoDataFrameT], io: Frame, quantity: str | None
) -> IntoDataFrameT:
    """Compare the bytes of each iostat with those of the run beside which it lies."""
    if quantity not in (None, _RATE):
        raise SchemaError(f"at devices {_RATE} is compared, not {quantity}")
    frames.need(samples, _SAMPLED)
    frames.need(io, _SUMMED)
    whole = choose_scope(Columns(io), None, ("source", "run", "entry", "direction")).data
    told, every = _rows(whole, _SUMMED), _rows(samples, _SAMPLED)
    every = [row for row in every if row["scope"] == "device"]
    runs, counters = (
        list(dict.fromkeys((row["source"], row["run"]) for row in rows)) for rows in (told, every)
    )
    placed = ([beside.Placed(source) for source, _ in side] for side in (runs, counters))
    found = []
    for run, match in zip(runs, beside.matches(*placed), strict=True):
        if isinstance(match, beside.Match):
            mine = _of(every, counters[match.place])
            found += [
                line
                for direction in ("read", "write")
                if (line := _compared(mine, direction, _of(told, run)))
            ]
    if not found:
        raise SchemaError(
            "nothing tells which run an iostat counted: keep each run and its iostat in a folder"
            " of their own"
        )
    said = frames.present(samples, ("source", "run", "direction", "quantity"))
    return frames.answer(samples, "reconcile", said, found)


def _rows(frame: Frame, names: Sequence[str]) -> list[dict[str, Any]]:
    columns = [frames.values(frame, name) for name in names]
    return [
        dict(zip(names, one, strict=True)) | {"row": row}
        for row, one in enumerate(zip(*columns, strict=True))
    ]


def _of(rows: Sequence[dict[str, Any]], run: tuple[Any, Any]) -> list[dict[str, Any]]:
    return [row for row in rows if (row["source"], row["run"]) == run]


def _compared(samples: Sequence[Row], direction: str, io: Sequence[Row]) -> AnswerRow | None:
    own = [row for row in io if row["direction"] == direction]
    moved = sum(row["io_bytes"] or 0 for row in own)
    runtime = max((row["runtime_s"] or 0.0 for row in own), default=0.0)
    seen = beside.counted(samples, direction)
    if seen is None or not moved or not runtime:
        return None
    verdict, share = seen.verdict(moved, runtime)
    rates = [row for row in samples if (row["direction"], row["quantity"]) == (direction, _RATE)]
    return {
        "row": rates[0]["row"],
        "metric": _RATE,
        "unit": "B/s",
        "n": len(rates),
        "span_s": seen.span_s,
        "coverage_pct": None if seen.span_s is None else 100 * seen.span_s / runtime,
        "log_rate": None if seen.total is None else seen.total / runtime,
        "summary_rate": moved / runtime,
        "ratio": share,
        "tolerance_pct": 100 * (1 - beside.ENOUGH),
        "verdict": _VERDICTS.get(verdict, DISAGREES),
        "notes": [flag(f"devices-{verdict}", devices=", ".join(seen.devices))],
    }
