"""What is drawn, as plain values: one table of cases, and what a Results answers by itself."""

from __future__ import annotations

import math

import pandas as pd
import polars as pl
import pytest

import fiotools as ft
from fiotools.errors import SchemaError
from tests.plot.kinds import bins_over_time, runs, swept

each_kind_of_frame = pytest.mark.parametrize(
    "kind", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"]
)


def rows(spec, *roles):
    return [tuple(getattr(row, role) for role in roles) for row in spec.rows]


def rounded(pairs):
    return [
        tuple(round(one, 4) if isinstance(one, float) else one for one in pair) for pair in pairs
    ]


MOUNTS = {"mount": ["9p", "9p", "virtiofs", "virtiofs"], "iops": [100.0, 121.0, 200.0, 200.0]}
SWEPT = {
    "fs": ["ext4"] * 4,
    "bs_bytes": [4096, 4096, 32768, 32768],
    "bw_bytes_per_s": [1e9, 1.21e9, 2e9, 2e9],
}
TIMES = {"read": ["a", "b"], "real_s": [10.0, 2.0], "user_s": [1.0, 3.0], "sys_s": [2.0, 1.0]}
EXPLAINED = {
    "fs": ["xfs", "xfs"],
    "baseline": ["ext4", "ext4"],
    "metric": ["iops", "iops"],
    "part": ["inflight", "device"],
    "n": [3, 3],
    "n_baseline": [3, 3],
    "seconds": [None, 2e-4],
    "log_ratio": [math.log(4), -math.log(2)],
    "ratio": [4.0, 0.5],
    "share_pct": [200.0, -100.0],
    "verdict": ["cause", "part"],
}
COMPARED = {
    "pattern": ["read", "write"],
    "fs": ["xfs", "xfs"],
    "baseline": ["ext4", "ext4"],
    "metric": ["iops", "iops"],
    "n": [3, 1],
    "n_baseline": [3, 1],
    "ratio": [1.2, 0.8],
    "ratio_lo": [1.1, None],
    "ratio_hi": [1.3, None],
    "beyond_band": ["yes", None],
}
SHARES = {"mount": ["9p"] * 3, "percentile": [50.0, 99.0, 100.0], "value_ns": [2e3, 5e3, 9e3]}
BINS = {
    "fs": ["ext4"] * 2,
    "latency": ["clat"] * 2,
    "direction": ["read"] * 2,
    "bin_lo_ns": [50e3, 100e3],
    "bin_hi_ns": [100e3, 250e3],
    "count": [90, 10],
}

# a kind, its frame and arguments, and the roles of its rows with their values
CASES = {
    "repeats": (
        ("repeats", MOUNTS, "iops"),
        {"y": "mount"},
        ("y", "x", "points", "texts"),
        [
            ("9p", 110.0, (100.0, 121.0), ("110 /s",)),
            ("virtiofs", 200.0, (200.0, 200.0), ("200 /s",)),
        ],
    ),
    "repeats, of one run": (
        ("repeats", {name: own[1:] for name, own in MOUNTS.items()}, "iops"),
        {"y": "mount"},
        ("y", "points", "mark"),
        [("9p", (), "hollow"), ("virtiofs", (200.0, 200.0), "")],
    ),
    "repeats, that may be below 0": (
        ("repeats", {**MOUNTS, "iops": [-1.0, 3.0, 0.0, 0.0]}, "iops"),
        {"y": "mount"},
        ("y", "x"),
        [("9p", 1.0), ("virtiofs", 0.0)],
    ),
    "repeats, in an order": (
        ("repeats", MOUNTS, "iops"),
        {"y": "mount", "order": ["virtiofs"]},
        ("y",),
        [("virtiofs",)],
    ),
    "throughput": (
        ("repeats", {"mount": ["a", "b"], "bw_bytes_per_s": [1e9, None]}, "bw_bytes_per_s"),
        {"y": "mount"},
        ("y", "x", "texts"),
        [("a", 1e9, ("1.00 GB/s",))],
    ),
    "latency": (
        (
            "repeats",
            {"mount": ["a"], "lat_mean_ns": [6.58e5], "lat_max_ns": [1.7e9]},
            "lat_mean_ns",
        ),
        {"y": "mount", "to": "lat_max_ns"},
        ("y", "x", "low", "high", "texts"),
        [("a", 6.58e5, 6.58e5, 1.7e9, ("658 µs", "1.70 s"))],
    ),
    "parts": (
        ("parts", EXPLAINED),
        {},
        ("y", "x", "texts"),
        [
            ("I/Os in flight", 4.0, ("4.00x",)),
            ("at the device", 2.0, ("0.500x",)),
            ("together", 2.0, ("2.00x",)),
        ],
    ),
    "timings": (
        ("timings", TIMES),
        {"y": "read"},
        ("y", "x", "texts", "mark"),
        [("a", 10.0, ("10.0 s",), ""), ("b", 2.0, ("2.00 s, CPU 4.00 s",), "over")],
    ),
    "ratios": (
        ("ratios", COMPARED),
        {},
        ("y", "x", "low", "high", "mark", "texts"),
        [
            ("read", 1.2, 1.1, 1.3, "", ("1.20x [1.10, 1.30]",)),
            ("write", 0.8, None, None, "hollow", ("0.800x",)),
        ],
    ),
    "sweep": (
        ("sweep", SWEPT, "bw"),
        {"hue": "fs", "x": "bs_bytes"},
        ("x", "y", "group", "points"),
        [(4096, 1.1e9, "ext4", (1e9, 1.21e9)), (32768, 2e9, "ext4", (2e9, 2e9))],
    ),
    "percentiles": (
        ("percentiles", SHARES),
        {"hue": "mount"},
        ("x", "y", "group"),
        [(0.301, 2e3, "9p"), (2.0, 5e3, "9p")],
    ),
    "percentiles, as rows": (
        ("percentiles", SHARES),
        {"y": "mount", "at": [50, 99]},
        ("y", "x", "group", "texts"),
        [("9p", 2e3, "p50", ()), ("9p", 5e3, "p99", ("2.00 µs", "5.00 µs"))],
    ),
    "cdf": (
        ("cdf", BINS),
        {"hue": "fs"},
        ("x", "y", "low", "high"),
        [
            (5e4, 0.0, 0.0, 90.0),
            (1e5, 90.0, 90.0, 90.0),
            (1e5, 90.0, 90.0, 100.0),
            (2.5e5, 100.0, 100.0, 100.0),
        ],
    ),
    "tails": (
        (
            "tails",
            {name: own for name, own in COMPARED.items() if name != "pattern"}
            | {"percentile": [50.0, 99.9]},
        ),
        {},
        ("x", "y", "low", "mark"),
        [(0.301, 1.2, 1.1, ""), (3.0, 0.8, None, "hollow")],
    ),
    "grid": (
        ("grid", COMPARED | {"iodepth": [1, 1], "numjobs": [1, 4]}),
        {},
        ("x", "y", "value", "texts", "mark"),
        [(1, 1, 1.2, ("1.20x",), ""), (1, 4, 0.8, ("0.800x",), "pale")],
    ),
}


@each_kind_of_frame
@pytest.mark.parametrize("case", CASES)
def test_rows(case, kind):
    (name, frame, *given), named, roles, wanted = CASES[case]
    assert (
        rounded(rows(getattr(ft.plot, name).spec(kind(frame), *given, **named), *roles)) == wanted
    )


@pytest.mark.parametrize(
    ("given", "named", "notes"),
    [
        (CASES["repeats"][0], {"y": "mount"}, ("points: runs; tick: geometric mean; bar: 95 %",)),
        (CASES["repeats, of one run"][0], {"y": "mount"}, ("points: runs, hollow: only one",)),
        (
            ("repeats", {**MOUNTS, "iops": [-1.0, 3.0, 0.0, 0.0]}, "iops"),
            {"y": "mount"},
            ("tick: mean",),
        ),
        (
            ("repeats", {"a": [1, 2], "iops": [1.0, 2.0], "n": [1, 1]}, "iops"),
            {"y": "a"},
            ("one run each",),
        ),
        (("repeats", {"a": [1], "iops": [2.0], "n": [1]}, "iops"), {"y": "a"}, ("one run",)),
        (CASES["ratios"][0], {}, ("grey: within 5 % of equal", "○ one run each: no interval")),
        (CASES["percentiles"][0], {"hue": "mount"}, ("no place on this axis: p100",)),
        (CASES["grid"][0], {}, ("xfs / ext4, I/Os per second; white, with a rim: undecided",)),
    ],
    ids=["repeats", "hollow", "mean", "each", "one", "ratios", "beyond", "grid"],
)
def test_notes(given, named, notes):
    name, frame, *more = given
    told = "\n".join(getattr(ft.plot, name).spec(pd.DataFrame(frame), *more, **named).notes)
    assert all(note in told for note in notes), told


def test_what_all_ratios_share_stands_below_the_axis():
    frame = pd.DataFrame(COMPARED)
    spec = ft.plot.ratios.spec(frame)
    assert spec.x.label == "ratio of I/Os per second, xfs / ext4"
    own = ft.plot.ratios.spec(frame.assign(fs=["xfs", "btrfs"], pattern="read"))
    assert own.x.label == "ratio of I/Os per second, read"
    assert [row.y for row in own.rows] == ["xfs / ext4", "btrfs / ext4"]


def test_each_panel_has_its_own_limits():
    frame = pd.DataFrame({**MOUNTS, "host": ["a", "a", "b", "b"], "iops": [1.0, 2.0, 3.0, 4.0]})
    own = {"a": {"SATA": 2.5}, "b": {"USB": 4.5, "LAN": 5.0}}
    spec = ft.plot.repeats.spec(frame, "iops", y="mount", by="host", ceilings=own)
    told = {name: [one.low for one in spec.panel(name).limits] for name in spec.panels}
    assert told == {"a": [2.5], "b": [4.5, 5.0]}
    shared = ft.plot.repeats.spec(frame, "iops", y="mount", by="host", ceilings=own["a"])
    assert [len(shared.panel(name).limits) for name in spec.panels] == [1, 1]


def test_panels_are_the_plots_of_their_rows():
    frame = runs(["a", "b"], 3).assign(host=lambda f: f["round"].map({0: "x", 1: "x", 2: "y"}))
    spec = ft.plot.repeats.spec(frame, "iops", y="device", by="host")
    assert spec.panels == ("x", "y")
    for name in spec.panels:
        part = frame[frame["host"] == name]
        alone = ft.plot.repeats.spec(part, "iops", y="device")
        assert rows(spec.panel(name), "x", "y", "low", "high") == rows(
            alone, "x", "y", "low", "high"
        )
    assert len(ft.plot.repeats(frame, "iops", y="device", by="host")) == 2


class TestResults:
    """A Results answers by itself: its table, its labels, and the question that a kind needs."""

    threads = ft.read("data/dda-vhdx/xml/{volume}.xml")
    rounds = ft.read("data/how-many-runs/rounds/{workload}_{filesystem}_{round:d}.json").where(
        "workload=randread", "direction=read"
    )
    long = ft.read("data/how-many-runs/long/*")

    def test_fairness_with_the_latency_as_a_column(self):
        spec = ft.plot.fairness.spec(self.threads, y="volume")
        assert spec.heads == ("max/min", "Jain", "latency")
        texts = {row.y: row.texts for row in spec.rows if row.texts}
        assert texts["mirror"] == ("2.33x", "0.863", "1.70 ms")
        assert [row.y for row in spec.rows if row.mark == "behind"] == ["mirror"]

    def test_ratios_are_those_of_compare(self):
        spec = ft.plot.ratios.spec(self.rounds, "iops", between="filesystem")
        (row,) = spec.rows
        told = ft.compare(self.rounds, "iops", between="filesystem")
        assert (row.x, row.low, row.high) == tuple(told[["ratio", "ratio_lo", "ratio_hi"]].iloc[0])
        told = ft.speedup(self.rounds, "iops", between="filesystem")
        faster = ft.plot.ratios.spec(told)
        assert faster.x.label.startswith("times faster")

    def test_repeats_by_the_label_that_differs(self):
        spec = ft.plot.repeats.spec(self.rounds, "iops")
        assert {row.y for row in spec.rows} == {"ext4", "xfs"}

    def test_histograms_of_a_log_are_added_up_and_it_says_so(self):
        log = ft.read("data/how-many-runs/long/long_clat_hist.1.log")
        assert log.bins["time_s"].nunique() > 100
        spec = ft.plot.cdf.spec(log)
        assert "histograms of the intervals added up" in spec.notes
        last = max(spec.rows, key=lambda row: row.x)
        assert last.high == 100

    def test_series_and_heatmap_of_logs(self):
        with pytest.warns(UserWarning, match="iops is drawn; quantity= draws another: count"):
            spec = ft.plot.series.spec(self.long)
        assert spec.y.label == "I/Os per second (write)"
        cells = ft.plot.heatmap.spec(self.long)
        assert len({row.x for row in cells.rows}) > 250

    def test_checks(self):
        assert ft.plot.credibility.spec(self.threads).rows


def test_series_that_was_judged_has_rounds_limits_and_the_finding():
    log = ft.read("data/how-many-runs/long/*").samples.query("quantity == 'iops'")
    told = ft.steady(log, "iops", round_s=59.8)
    spec = ft.plot.series.spec(log, "iops", steady=told)
    assert spec.said.startswith("window met: range ")
    assert len(spec.levels) == 5
    assert all(level.text.endswith(" /s") for level in spec.levels)
    low, high = (limit.low for limit in spec.limits)
    assert low < min(level.value for level in spec.levels)
    assert max(level.value for level in spec.levels) < high
    ax = ft.plot.series(log, "iops", steady=told)
    assert ax.get_ylim()[0] > 0.5 * min(row.y for row in spec.rows)  # the range of the data


def several_runs(count):
    return pd.concat(pd.DataFrame(BINS).assign(source=f"{at}", run=1) for at in range(count))


def test_curves_of_several_runs_are_added_up_and_it_says_so():
    spec = ft.plot.cdf.spec(several_runs(3), hue="fs")
    assert "histograms of 3 runs added up" in spec.notes
    assert rows(spec, "x", "y") == rows(ft.plot.cdf.spec(pd.DataFrame(BINS), hue="fs"), "x", "y")


def test_directions_never_add_up():
    mixed = pd.concat([pd.DataFrame(BINS), pd.DataFrame(BINS).assign(direction="write")])
    with pytest.raises(SchemaError, match=r"differ in direction \(read, write\)"):
        ft.plot.cdf(mixed, hue="fs")


def test_tails_of_histograms_are_asked():
    both = pd.concat([several_runs(3), several_runs(3).assign(fs="xfs", run=2)])
    spec = ft.plot.tails.spec(both, between="fs", baseline="ext4")
    assert {*rows(spec, "group", "y")} == {("xfs / ext4", 1.0)}


def test_two_metrics_are_panels_and_the_best_below_a_limit_is_ringed_in_both():
    frame = swept(runs(["a"], 2))
    spec = ft.plot.sweep.spec(frame, ["iops", "lat_mean"], x="iodepth", limit="300us")
    assert spec.panels == ("I/Os per second", "mean total latency")
    best = ft.best_under(frame, "lat_mean_ns", "300us", sweep="iodepth")["iodepth"].item()
    for panel in spec.panels:
        assert [row.x for row in spec.panel(panel).rows if row.mark == "ring"] == [best]
    with pytest.raises(SchemaError, match="give two metrics"):
        ft.plot.sweep(frame, "lat_mean_ns", x="iodepth", limit="300us")


def test_points_of_curves_are_dodged_with_their_intervals():
    frame = swept(runs(["a", "b"], 3))
    ax = ft.plot.sweep(frame, "iops", x="iodepth", hue="device")
    ax.figure.draw_without_rendering()
    shown = {}
    for line in ax.lines:
        if line.get_color() in ("#0072B2", "#E69F00") and line.get_transform() != ax.transData:
            places = line.get_transform().transform(line.get_xydata())[:, 0]
            first = [x for x, own in zip(places, line.get_xdata(), strict=True) if own == 1]
            shown.setdefault(line.get_color(), set()).update(round(x, 3) for x in first)
    shown = {colour: places for colour, places in shown.items() if places}
    own = [min(places) for places in shown.values()]
    assert not math.isclose(*own, abs_tol=1)


def test_saved_twice_a_plot_has_the_same_bytes(tmp_path):
    frame = swept(runs(["a", "b"], 3))
    for name, draw in {
        "sweep": lambda: ft.plot.sweep(frame, "iops", x="iodepth", hue="device"),
        "rows": lambda: ft.plot.repeats(frame, "iops", y="iodepth", by="device"),
        "cells": lambda: ft.plot.grid(frame, "iops", x="iodepth", y="device"),
        "map": lambda: ft.plot.heatmap(bins_over_time(frame)),
    }.items():
        kinds = ("svg", "png", "pdf")
        first, second = (
            ft.plot.save(draw(), tmp_path / f"{name}{at}", formats=kinds) for at in "12"
        )
        for one, other in zip(first, second, strict=True):
            assert one.read_bytes() == other.read_bytes(), other
    assert not list(tmp_path.glob(".*")), "no part files are left"


@pytest.mark.parametrize("metric", ["iops", "lat_mean_ns"])
def test_panels_of_several_directions_name_none_on_the_axis(metric):
    """Each panel alone has "(read)" or "(write)"; their common axis is of both."""
    io = ft.read("data/dda-vhdx/xml/{volume}.xml").io
    axis = ft.plot.repeats.spec(io, metric, y="volume", by="direction").x

    assert axis.label == axis.bare != ""
    assert "(" not in axis.label


def test_panels_of_several_sides_name_none_on_the_axis():
    res = ft.read("data/dda-vhdx/xml/{volume}.xml")
    answer = ft.compare(res, "iops", baseline="vhdx", by="direction")

    assert ft.plot.ratios.spec(answer, by="volume").x.label == "ratio of I/Os per second"
    assert ft.plot.ratios.spec(answer[answer["volume"] == "nvme"]).x.label == (
        "ratio of I/Os per second, nvme / vhdx"
    )
