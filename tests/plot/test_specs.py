"""What is drawn, as plain values: a table of cases, and what a Results answers by itself."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest

import fiotools as ft
from tests.plot.kinds import PARTS, runs


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
TIMES = {"read": ["a", "b"], "real_s": [4.364, 0.466], "user_s": [1.0, 3.0], "sys_s": [2.0, 1.0]}
EXPLAINED = PARTS.astype(object).where(PARTS.notna(), None).to_dict("list")
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
# not in order, with an empty bin and a gap
BINS = {
    "fs": ["ext4"] * 4 + ["xfs"],
    "latency": ["clat"] * 5,
    "direction": ["read"] * 5,
    "bin_lo_ns": [200e3, 50e3, 100e3, 120e3, 100e3],
    "bin_hi_ns": [250e3, 100e3, 120e3, 150e3, 250e3],
    "count": [10, 70, 0, 20, 4],
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
        [("a", 4.364, ("4.36 s",), ""), ("b", 0.466, ("0.466 s, CPU 4.00 s",), "over")],
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
        ("group", "x", "y", "high"),
        [
            ("ext4", 50e3, 0.0, 70.0),
            ("ext4", 100e3, 70.0, 70.0),
            ("ext4", 120e3, 70.0, 90.0),
            ("ext4", 150e3, 90.0, 90.0),
            ("ext4", 200e3, 90.0, 100.0),
            ("ext4", 250e3, 100.0, 100.0),
            ("xfs", 100e3, 0.0, 100.0),
            ("xfs", 250e3, 100.0, 100.0),
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
    "grid of values": (
        ("grid", SWEPT | {"numjobs": 1}, "bw"),
        {"x": "bs_bytes", "y": "numjobs"},
        ("x", "y", "value", "texts"),
        [(4096, 1, 1.1e9, ("1.1 GB/s",)), (32768, 1, 2e9, ("2 GB/s",))],
    ),
    "grid": (
        ("grid", COMPARED | {"iodepth": [1, 1], "numjobs": [1, 4]}),
        {},
        ("x", "y", "value", "texts", "mark"),
        [(1, 1, 1.2, ("1.20x",), ""), (1, 4, 0.8, ("0.800x",), "pale")],
    ),
}


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
@pytest.mark.parametrize("case", CASES)
def test_rows(case, kind):
    (name, frame, *given), named, roles, wanted = CASES[case]
    found = getattr(ft.plot, name).spec(kind(frame), *given, **named)
    assert rounded(rows(found, *roles)) == wanted


@pytest.mark.parametrize(
    ("case", "notes"),
    [
        ("repeats", ("points: runs; tick: geometric mean; bar: 95 %",)),
        ("repeats, of one run", ("points: runs, hollow: only one",)),
        ("repeats, that may be below 0", ("tick: mean",)),
        ("ratios", ("grey: within 5 % of equal", "○ one run each: no interval")),
        ("percentiles", ("no place on this axis: p100",)),
        ("grid", ("xfs / ext4, I/Os per second; white, with a rim: undecided",)),
    ],
)
def test_notes(case, notes):
    (name, frame, *given), named, *_ = CASES[case]
    told = "\n".join(getattr(ft.plot, name).spec(pd.DataFrame(frame), *given, **named).notes)
    assert all(note in told for note in notes), told


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


THREADS = ft.read("data/dda-vhdx/xml/{volume}.xml")


def test_fairness_with_the_latency_as_a_column():
    spec = ft.plot.fairness.spec(THREADS, y="volume")
    assert spec.heads == ("max/min", "Jain", "latency")
    texts = {row.y: row.texts for row in spec.rows if row.texts}
    assert texts["mirror"] == ("2.33x", "0.863", "1.70 ms")
    assert [row.y for row in spec.rows if row.mark == "behind"] == ["mirror"]


def test_runs_are_compared_and_named_by_the_label_that_differs():
    files = "data/how-many-runs/rounds/{workload}_{filesystem}_{round:d}.json"
    rounds = ft.read(files).where("workload=randread", "direction=read")
    (row,) = ft.plot.ratios.spec(rounds, "iops", between="filesystem").rows
    told = ft.compare(rounds, "iops", between="filesystem")
    assert (row.x, row.low, row.high) == tuple(told[["ratio", "ratio_lo", "ratio_hi"]].iloc[0])
    assert {row.y for row in ft.plot.repeats.spec(rounds, "iops").rows} == {"ext4", "xfs"}


def test_results_of_logs():
    """Histograms are added up for a curve, and not for a map."""
    long = ft.read("data/how-many-runs/long/*")
    with pytest.warns(UserWarning, match="iops is drawn; quantity= draws another: count"):
        spec = ft.plot.series.spec(long)
    assert spec.y.label == "I/Os per second (write)"
    assert len({row.x for row in ft.plot.heatmap.spec(long).rows}) > 250
    spec = ft.plot.cdf.spec(ft.read("data/how-many-runs/long/long_clat_hist.1.log"))
    assert "histograms of the intervals added up" in spec.notes
    assert max(spec.rows, key=lambda row: row.x).high == 100


@pytest.mark.parametrize("metric", ["iops", "lat_mean_ns"])
def test_panels_of_several_directions_name_none_on_the_axis(metric):
    """Each panel alone has "(read)" or "(write)"; their common axis is of both."""
    axis = ft.plot.repeats.spec(THREADS.io, metric, y="volume", by="direction").x
    assert axis.label == axis.bare != ""
    assert "(" not in axis.label


def test_panels_of_several_sides_name_none_on_the_axis():
    answer = ft.compare(THREADS, "iops", baseline="vhdx", by="direction")
    assert ft.plot.ratios.spec(answer, by="volume").x.label == "ratio of I/Os per second"
    assert ft.plot.ratios.spec(answer[answer["volume"] == "nvme"]).x.label == (
        "ratio of I/Os per second, nvme / vhdx"
    )
