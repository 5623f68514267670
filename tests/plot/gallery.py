"""Calls whose numbers are known: each kind of plot, with data of the project."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

import fiotools as ft


def _depths() -> Any:
    return ft.read("data/how-many-runs/depth/{iodepth:d}_{round:d}.json").io


def _reads(table: str, column: str, value: str, name: str) -> Any:
    frame = getattr(ft.example(name), table)
    return frame[frame[column] == value]


def _deep() -> Any:
    io = ft.example("sweep").io
    return ft.compare(
        io[io["iodepth"] == 16], "iops", between="place", baseline="disk", by=["rw", "numjobs"]
    )


def _grid() -> Any:
    io = ft.example("sweep").io
    found = ft.compare(io, "iops", between="place", by=["rw", "iodepth", "numjobs"])
    return found[found["rw"] == "randread"]


def _tails() -> Any:
    bins = _reads("bins", "workload", "random-read", "own-disk")
    return ft.tails(bins[bins["place"] != "tmpfs"], between="place", baseline="root")


def _merged() -> Any:
    bins = _reads("bins", "workload", "random-read", "own-disk")
    return ft.percentiles(bins, by="place")


def _timed() -> Any:
    times = {"real_s": [1.1, 1.2, 1.3, 2.0, 2.2, 2.1], "user_s": [0.5, 0.5, 0.6, 1.4, 1.6, 1.5]}
    return pd.DataFrame({"tool": ["cp"] * 3 + ["tar"] * 3, **times, "sys_s": 0.25})


CALLS: Mapping[str, Callable[[], Any]] = {
    "repeats": lambda: ft.plot.repeats(
        _reads("io", "workload", "randread", "how-many-runs"), "iops", y="filesystem"
    ),
    "repeats, single runs": lambda: ft.plot.repeats(
        ft.totals(ft.example("dda-vhdx").io), "iops", y="volume"
    ),
    "repeats, to the slowest": lambda: ft.plot.repeats(
        _reads("io", "pattern", "randrw", "lima-mounts"),
        "lat_mean_ns",
        y="mount",
        hue="direction",
        to="lat_max_ns",
    ),
    "ratios": lambda: ft.plot.ratios(_deep()),
    "fairness": lambda: ft.plot.fairness(ft.read("data/dda-vhdx/xml/{volume}.xml"), y="volume"),
    "timings": lambda: ft.plot.timings(
        ft.read("data/page-cache/{cache}.txt"), y="cache", order=["before", "after"]
    ),
    "timings of several runs": lambda: ft.plot.timings(_timed(), y="tool"),
    "parts": lambda: ft.plot.parts(
        ft.explain(
            ft.example("lima-mounts").where("pattern=randread"), between="mount", baseline="sshfs"
        ),
        by="mount",
    ),
    "sweep": lambda: ft.plot.sweep(
        _reads("io", "operation", "read", "wsl-filesystems"), "bw_bytes_per_s", hue="filesystem"
    ),
    "sweep with a limit": lambda: ft.plot.sweep(
        _depths(), ["iops", "lat_mean_ns"], x="iodepth", limit="200us"
    ),
    "series": lambda: ft.plot.series(ft.read("data/how-many-runs/long"), "iops"),
    "series with rounds": lambda: ft.plot.series(
        ft.read("data/how-many-runs/long"), "iops", steady=True
    ),
    "percentiles": lambda: ft.plot.percentiles(
        _reads("percentiles", "pattern", "randwrite", "lima-mounts"), hue="mount"
    ),
    "percentiles of histograms": lambda: ft.plot.percentiles(_merged(), hue="place"),
    "percentiles in rows": lambda: ft.plot.percentiles(
        _reads("percentiles", "pattern", "randwrite", "lima-mounts"), y="mount", at=[50, 99.9]
    ),
    "tails": lambda: ft.plot.tails(_tails()),
    "cdf": lambda: ft.plot.cdf(_reads("bins", "workload", "random-read", "own-disk"), hue="place"),
    "cdf of waiting time": lambda: ft.plot.cdf(
        _reads("bins", "workload", "random-read", "own-disk"), hue="place", weight="time"
    ),
    "threads": lambda: ft.plot.threads(
        ft.read("tests/fixtures/diskspd/diskspd-2.2--seq64k_t4_D_only.xml")
    ),
    "heatmap": lambda: ft.plot.heatmap(ft.read("data/how-many-runs/long")),
    "grid": lambda: ft.plot.grid(_grid()),
    "grid of values": lambda: ft.plot.grid(
        ft.example("sweep").where("rw=randread", "place=disk").io, "iops"
    ),
    "credibility": lambda: ft.plot.credibility(
        ft.check(ft.example("wsl-vhdx"), ram="7926928KiB", link="usb3-5g").query("drive == 'f'")
    ),
}
