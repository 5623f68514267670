"""What works on frames, with ever more rows: the statistics, and what a reading ends with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import fiotools as ft
from benchmarks.growth import Make
from benchmarks.process import ROOT
from fiotools.stats.percentiles import merge_bins
from fiotools.tables.results import Results


def _io(rows: int, **more: Any) -> pd.DataFrame:
    """Make rows of `io`, a run each."""
    rng = np.random.default_rng(1)
    iops = rng.lognormal(10, 0.1, rows)
    columns = {
        "source": [f"{number:07d}.json" for number in range(rows)],
        "run": 1,
        "entry": 1,
        "direction": "read",
        "clones": 1,
        "side": np.where(np.arange(rows) % 2, "new", "old"),
        "iops": iops,
        "total_ios": (iops * 60).astype(np.int64),
        "io_bytes": (iops * 60).astype(np.int64) * 4096,
        "bw_bytes_per_s": iops * 4096,
        "runtime_s": 60.0,
        "lat_mean_ns": rng.lognormal(11, 0.1, rows),
        "lat_stddev_ns": 1e4,
        "bs_bytes": 4096,
    }
    return pd.DataFrame(columns | more)


def _threads(rows: int) -> pd.DataFrame:
    number = np.arange(rows)
    runs = {"source": [f"{run:06d}.xml" for run in number // 8], "thread": number % 8}
    return _io(rows, **runs, entry=number % 8 + 1)


def _cells(rows: int) -> pd.DataFrame:
    """Make cells of four runs a side."""
    return _io(rows, cell=np.arange(rows) // 8)


def _bins(rows: int) -> pd.DataFrame:
    number = np.arange(rows)
    return pd.DataFrame(
        {
            "source": [f"{run:06d}.json" for run in number // 500],
            "run": 1,
            "entry": 1,
            "direction": "read",
            "latency": "lat",
            "bin_lo_ns": (number % 500) * 100.0,
            "bin_hi_ns": (number % 500) * 100.0 + 100.0,
            "count": number % 7 + 1,
        }
    )


def _samples(rows: int) -> pd.DataFrame:
    noise = np.random.default_rng(1).normal(0, 10, rows)
    samples = {"quantity": "iops", "time_s": np.arange(1.0, rows + 1), "value": 1000 + noise}
    return pd.DataFrame({"source": "a", "run": 1, "direction": "read", **samples})


def _settings(rows: int) -> pd.DataFrame:
    number = np.arange(rows)
    return pd.DataFrame(
        {
            "source": [f"{run:07d}.json" for run in number // 10],
            "run": 1,
            "entry": 1,
            "side": np.where(number // 10 % 2, "new", "old"),
            "option": [f"option{at}" for at in number % 10],
            "text": [str(at) for at in number % 7],
            "origin": "given",
        }
    )


def _results(rows: int, *, alike: bool = False) -> Results:
    """Make a reading of many files, a run each; all alike, or all different."""
    one = ft.read(ROOT / "data" / "how-many-runs" / "depth" / "16_1.json")
    sources = [f"{number:07d}.json" for number in range(rows)]
    tables = {name: frame.iloc[:0] for name, frame in one.tables.items()}
    for name in ("runs", "io"):
        rowful = one.tables[name].iloc[np.zeros(rows, dtype=int)]
        tables[name] = rowful.assign(source=sources).reset_index(drop=True)
    if not alike:
        factor = np.random.default_rng(1).lognormal(0, 0.3, rows)
        for name in ("total_ios", "io_bytes", "runtime_s"):
            kind = tables["io"][name].dtype
            changed = pd.Series(tables["io"][name].to_numpy(float) * factor)
            whole = changed.round() if kind == "Int64" else changed
            tables["io"][name] = whole.astype(kind)
    return Results(tables, files=rows)


def _of(make: Callable[[int], Any], do: Callable[[Any], object]) -> Make:
    def at(rows: int) -> Callable[[], object]:
        made = make(rows)
        return lambda: do(made)

    return at


def _drawn(make: Callable[[int], Any], draw: Callable[[Any], object]) -> Make:
    def do(made: Any) -> None:
        import matplotlib as mpl
        from matplotlib import pyplot as plt

        mpl.use("agg")
        draw(made)
        plt.close("all")

    return _of(make, do)


def _parts(rows: int) -> list[Results]:
    """Make readings of ten files each."""
    tables = _results(rows).tables
    return [
        Results({name: frame.iloc[at : at + 10] for name, frame in tables.items()}, files=10)
        for at in range(0, rows, 10)
    ]


SIDES: dict[str, Any] = {"between": "side", "baseline": "old"}
STATISTICS: dict[str, Make] = {
    "concat": _of(_parts, ft.concat),
    "concat, no run twice": _of(_results, lambda made: ft.concat([made])),
    "concat, all runs alike": _of(
        lambda rows: _results(rows, alike=True), lambda made: ft.concat([made])
    ),
    "check": _of(_results, ft.check),
    "summarize": _of(_io, lambda io: ft.summarize(io, "iops", by="side")),
    "summarize, a group each": _of(_io, lambda io: ft.summarize(io, "iops", by="source")),
    "compare": _of(_io, lambda io: ft.compare(io, "iops", **SIDES)),
    "compare, many cells": _of(_cells, lambda io: ft.compare(io, "iops", by="cell", **SIDES)),
    "overall": _of(_cells, lambda io: ft.overall(io, "iops", over="cell", **SIDES)),
    "speedup": _of(_io, lambda io: ft.speedup(io, "iops", **SIDES)),
    "combine": _of(_threads, lambda io: ft.combine(io, to="run")),
    "per_thread": _of(_threads, ft.per_thread),
    "fairness": _of(_threads, ft.fairness),
    "settings_diff": _of(_settings, lambda made: ft.settings_diff(made, **SIDES)),
    "merge_bins": _of(_bins, lambda bins: merge_bins(bins, by="latency")),
    "percentiles": _of(_bins, ft.percentiles),
    "percentiles, by run": _of(_bins, lambda bins: ft.percentiles(bins, by="source")),
    "tails": _of(
        lambda rows: _bins(rows).assign(side=lambda bins: bins["source"]),
        lambda bins: ft.tails(bins, 50, between="side", baseline="000000.json"),
    ),
    "steady": _of(_samples, ft.steady),
    "plot.series": _drawn(_samples, lambda samples: ft.plot.series(samples)),
    "plot.cdf": _drawn(
        _bins, lambda bins: ft.plot.cdf(merge_bins(bins, by="direction"), hue="direction")
    ),
    "plot.repeats": _drawn(_io, lambda io: ft.plot.repeats(io, "iops", y="side")),
}
