"""Kinds in rows, asked by what is drawn on them: repeats, ratios, timings and fairness."""

import warnings

import numpy as np
import pandas as pd
import pytest

import fiotools as ft
from tests.conftest import ROOT
from tests.plot.kinds import said

RATES = pd.DataFrame(
    {
        "mount": ["ext4", "ext4", "drvfs", "drvfs"],
        "direction": ["read", "write", "read", "write"],
        "bw_bytes_per_s": [2.5e9, 2.0e9, 138e6, 86.1e6],
    }
)


def written(ax):
    return [text.get_text() for text in ax.texts]


def rows(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def marked(ax, markers="osv"):
    """Every point drawn: (row, value)."""
    return {
        (round(float(y)), float(x))
        for line in ax.lines
        if line.get_linestyle() == "None" and line.get_marker() in markers
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    }


# --- repeats --------------------------------------------------------------------------------------


def test_every_value_is_in_its_row():
    ax = ft.plot.repeats(RATES, "bw", y="mount", hue="direction", order=["drvfs", "ext4"], log=True)
    assert rows(ax) == ["drvfs", "ext4"]
    assert marked(ax) == {(0, 138e6), (0, 86.1e6), (1, 2.5e9), (1, 2.0e9)}
    assert set(written(ax)) == {"2.50 GB/s", "2.00 GB/s", "138 MB/s", "86.1 MB/s"}
    assert ax.get_xscale() == "log"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["read", "write"]
    assert ax.get_legend().get_title().get_text() == ""


def test_an_axis_begins_at_zero_and_names_the_one_direction():
    reads = RATES.query("direction == 'read'")
    ax = ft.plot.repeats(reads, "bw", y="mount")
    assert ax.get_xlim()[0] == 0
    assert ax.get_xlabel() == "bandwidth (read)"
    own = reads.rename(columns={"bw_bytes_per_s": "score"})
    assert ft.plot.repeats(own, "score", y="mount").get_xlabel() == "score (read)"
    nothing = ft.plot.repeats(reads.assign(bw_bytes_per_s=0.0), "bw", y="mount")
    assert marked(nothing) == {(0, 0.0), (1, 0.0)}
    below = ft.plot.repeats(reads.assign(bw_bytes_per_s=[-1.0, 3.0]), "bw", y="mount")
    assert below.get_xlim()[0] < -1


def test_points_of_repeats_do_not_hide_each_other():
    runs = pd.DataFrame({"fs": ["a"] * 4, "iops": [1000.0, 1001.0, 1002.0, 5000.0]})
    ax = ft.plot.repeats(runs, "iops", y="fs")
    points = [line.get_xydata()[0] for line in ax.lines if line.get_marker() == "o"]
    assert sorted(x for x, _ in points) == sorted(runs["iops"])
    near = [y for x, y in points if x < 2000]
    assert len(set(near)) == 3
    assert all(abs(y) < 0.4 for y in near)


def test_the_only_run_among_repeats_is_hollow_and_has_no_mean():
    runs = pd.DataFrame({"mount": ["9p", "9p", "sshfs"], "iops": [58.0, 57.0, 15.0]})
    ax = ft.plot.repeats(runs, "iops", y="mount")
    hollow = [line for line in ax.lines if line.get_markerfacecolor() == "white"]
    assert [float(line.get_xdata()[0]) for line in hollow] == [15.0]
    middles = {float(line.get_xdata()[0]) for line in ax.lines if line.get_linewidth() == 1.6}
    assert [*middles] == [pytest.approx(57.498, abs=1e-3)]
    assert "points: runs, hollow: only one; tick: geometric mean" in said(ax)


def test_rows_of_dd_stand_beside_those_of_fio(tmp_path):
    """A dd without its command has no direction: files tell it from reads and writes."""
    (tmp_path / "dd.log").write_text("1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.5 s, 2.1 MB/s\n")
    rounds = ROOT / "data" / "how-many-runs" / "rounds"
    files = [tmp_path / "dd.log", rounds / "randread_ext4_1.json", rounds / "fsync_ext4_1.json"]
    res = ft.read([*map(str, files)]).where("bw>=0")
    found = ft.plot.repeats.spec(res, "bw", y="source")
    assert found.hue is None
    assert len(found.rows) == 3


# --- one run: said where it is all there is, and not claimed where nobody knows -------------------

READ = pd.DataFrame(
    {
        "mount": ["ext4", "drvfs"],
        "source": ["ext4.txt", "drvfs.txt"],
        "run": [1, 1],
        "iops": [10.0, 12.0],
        "lat_mean_ns": [5e3, 6e3],
        "lat_max_ns": [9e3, 9e3],
        "real_s": [5.0, 6.0],
        "user_s": [0.1, 0.1],
        "sys_s": [1.0, 1.0],
        "percentile": [99.0, 99.0],
        "value_ns": [8e3, 9e3],
    }
)
BARE = READ.drop(columns=["source", "run"])
PLOTS = {
    "repeats": lambda frame: ft.plot.repeats(frame, "iops", y="mount"),
    "colours": lambda frame: ft.plot.repeats(frame, "iops", y="mount", hue="mount"),
    "latency": lambda frame: ft.plot.repeats(frame, "lat_mean", y="mount", to="lat_max"),
    "timings": lambda frame: ft.plot.timings(frame, y="mount"),
    "percentiles": lambda frame: ft.plot.percentiles(frame, hue="mount"),
}
FRAMES = {
    "files": (READ, "one run each"),
    "a column n": (BARE.assign(n=1), "one run each"),
    "threads of a file": (READ.assign(source="a.txt"), "one run"),
    "means": (READ.groupby("mount").mean(numeric_only=True).reset_index(), None),
    "some of several": (READ.assign(n=[5, 1]), None),
    "unknown": (BARE, None),
}


@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.parametrize(("frame", "words"), FRAMES.values(), ids=FRAMES)
def test_one_run_is_said(plot, frame, words):
    label = said(PLOTS[plot](frame))
    assert label.endswith(words) if words else "one run" not in label


def test_only_the_rows_that_are_drawn_count():
    ax = ft.plot.repeats(READ.assign(n=[1, 5]), "iops", y="mount", order=["ext4"])
    assert said(ax) == "I/Os per second one run"


# --- ratios ---------------------------------------------------------------------------------------


def against(*sides, lo=1.0, hi=1.2, patterns=None, **more):
    """Make what `compare` answers of sides against ext4, whose ratio is 1.1."""
    labels = {"fs": [*sides]} if patterns is None else {"pattern": patterns, "fs": [*sides]}
    ends = {"ratio": 1.1, "ratio_lo": lo, "ratio_hi": hi}
    known = {"baseline": "ext4", "metric": "iops", "n": 3, "n_baseline": 3, **ends, **more}
    return pd.DataFrame(labels).assign(**known)


@pytest.mark.parametrize(
    ("n", "baseline", "words"),
    [
        (1, 1, "one run each: no interval"),
        (1, 5, "one run on a side: no interval"),
        (3, 3, "too few runs: no interval"),
    ],
)
def test_a_ratio_without_interval_says_why(n, baseline, words):
    frame = against("xfs", lo=np.nan, hi=np.nan, n=n, n_baseline=baseline)
    assert f"○ {words}" in said(ft.plot.ratios(frame))


def test_runs_without_any_spread_are_not_called_too_few():
    runs = pd.DataFrame({"g": ["a", "b", "c"] * 3, "iops": [100.0, 200.0, 300.0] * 3})
    same = ft.compare(runs, "iops", between="g", baseline="a")
    one = ft.compare(runs[:3], "iops", between="g", baseline="a")
    words = "○ no spread at all: no interval; are these copies of one run?"
    label = said(ft.plot.ratios(same))
    assert words in label
    assert "too few" not in label
    label = said(ft.plot.ratios(pd.concat([same, one])))
    assert "○ one run each: no interval" in label
    assert words in label


@pytest.mark.parametrize(
    ("frame", "named", "label"),
    [
        (against("xfs", "xfs"), {"labels": ["a", "b"]}, "I/Os per second, xfs / ext4"),
        (against("xfs", "zfs"), {"labels": ["a", "b"]}, "I/Os per second, against ext4"),
        (against("xfs", "zfs"), {}, "I/Os per second"),
        (
            against("xfs", "xfs", metric=["iops", "lat_mean_ns"]),
            {"labels": ["a", "b"]},
            "I/Os per second and mean total latency",
        ),
        (against("xfs", "zfs", patterns="read"), {}, "I/Os per second, read"),
    ],
)
def test_the_axis_of_ratios_names_what_all_rows_share(frame, named, label):
    spec = ft.plot.ratios.spec(frame, **named)
    assert spec.x.label.startswith(f"ratio of {label}")
    assert [row.y for row in spec.rows] == named.get("labels", ["xfs / ext4", "zfs / ext4"])


def test_speed_ups_are_drawn_as_such():
    faster = {"speedup": 9.4, "speedup_lo": 9.0, "speedup_hi": 9.8, "metric": "real_s"}
    ax = ft.plot.ratios(against("xfs", "xfs", patterns=["read", "write"], **faster))
    assert written(ax) == ["9.40x [9.00, 9.80]"] * 2
    assert rows(ax) == ["read", "write"]
    assert said(ax).startswith("times faster, by wall time, xfs against ext4")
    assert ax.get_xscale() == "log"


def test_an_interval_beyond_the_limits_has_an_arrow_while_it_goes_on():
    ax = ft.plot.ratios(against("xfs", lo=0.3, hi=3.0), limits=(0.5, 2))
    arrows = {line.get_marker(): line for line in ax.lines if line.get_marker() in ("<", ">")}
    assert {mark: line.get_xdata()[0] for mark, line in arrows.items()} == {
        "<": pytest.approx(0.5, rel=0.05),
        ">": pytest.approx(2, rel=0.05),
    }
    assert ax.get_xlim()[0] > 0.4
    assert written(ax) == ["1.10x [0.300, 3.00]"]
    assert said(ax).endswith("arrow: the interval goes on")
    ax.set_xlim(0.1, 10)
    bar = next(line for line in ax.lines if len(line.get_xdata()) == 2 and line.get_alpha() is None)
    assert [*bar.get_xdata()] == [0.3, 3.0]
    assert not any(line.get_visible() for line in arrows.values())


@pytest.mark.parametrize("limits", [(0.9, 1.05), (5.0, 9.0), (2.0, 1.5)])
def test_an_interval_beyond_the_limits_begins_at_its_ratio(limits):
    low, high = ft.plot.ratios(against("xfs"), limits=limits).get_xlim()
    assert low < 1.1 < high


# --- timings --------------------------------------------------------------------------------------


def test_where_cpu_time_is_more_than_wall_time_a_line_has_its_end():
    frame = pd.DataFrame(
        {"cmd": ["make", "cat"], "real_s": [1.0, 2.0], "user_s": [3.1, 0.1], "sys_s": [0.5, 0.4]}
    )
    ax = ft.plot.timings(frame, y="cmd", order=["make", "cat"])
    assert rows(ax) == ["make", "cat"]
    widths = [0.0, 0.0]
    for bar in ax.patches:
        widths[round(bar.get_y() + bar.get_height() / 2)] += bar.get_width()
    assert widths == pytest.approx([3.6, 2.0])
    assert ax.get_xlim()[1] > 3.6
    assert written(ax) == ["1.00 s, CPU 3.60 s", "2.00 s"]
    (line,) = ax.lines
    assert line.get_xydata().tolist() == [[1.0, -0.3], [1.0, 0.3]]
    assert "black line: wall time, where CPU time is more" in said(ax)


def test_a_bar_of_several_runs_is_their_geometric_mean():
    runs = pd.DataFrame(
        {
            "cache": ["cold"] * 3 + ["warm"],
            "real_s": [1.0, 2.0, 4.0, 1.5],
            "user_s": [0.5, 0.5, 0.75, 0.0],
            "sys_s": [0.0, 1.0, 2.5, 0.5],
        }
    )
    spec = ft.plot.timings.spec(runs, y="cache")
    cold, warm = spec.rows
    assert cold.x == pytest.approx(2)
    assert cold.points == (1, 2, 4)
    assert cold.texts == ("2.00 s [0.357, 11.2]",)
    ends = [one.end for one in spec.levels if one.row == "cold"]
    assert ends == pytest.approx([2 * 1.75 / 7, 2 * 5.25 / 7, 2])
    assert (warm.x, warm.points, warm.texts) == (1.5, (), ("1.50 s",))
    assert spec.notes == (
        "points: runs",
        "bar: geometric mean; parts: shares of all runs together",
        "[ ]: 95 % interval",
    )
    assert len(ft.plot.timings(runs, y="cache").lines) == 3  # the points of three runs


def test_a_bar_of_several_commands_is_told():
    read = []
    for name, command in {"a": "cat big.bin", "b": "cat big.bin", "c": "cp big.bin copy"}.items():
        text = f"$ time {command}\n\nreal\t0m1.000s\nuser\t0m0.1s\nsys\t0m0.2s\n"
        read.append(ft.reads(text, name=f"{name}.txt"))
        read[-1].timings = read[-1].timings.assign(side="old")
    with pytest.warns(UserWarning, match=r"one bar differ in command: y='command' or by='command'"):
        ft.plot.timings.spec(ft.concat(read), y="side")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ft.plot.timings.spec(ft.concat(read[:2]), y="side")


def test_times_of_zero_have_no_legend():
    ax = ft.plot.timings(READ.assign(real_s=0.0, user_s=0.0, sys_s=0.0), y="mount")
    assert ax.get_legend() is None
    assert written(ax) == ["0 s"] * 2


# --- fairness -------------------------------------------------------------------------------------


def fairness(order=None, **volumes):
    """Draw a row per volume, of the rates of its threads."""
    threads = pd.DataFrame(
        [
            (name, f"{name}.xml", 1, thread, "total", float(rate))
            for name, rates in volumes.items()
            for thread, rate in enumerate(rates)
        ],
        columns=["volume", "source", "run", "thread", "direction", "iops"],
    )
    return ft.plot.fairness(threads, y="volume", order=order)


def shares(ax):
    """Give the equal shares: (row, rate)."""
    upright = [line.get_xydata() for line in ax.lines if len(line.get_xdata()) == 2]
    return {(round((low[1] + high[1]) / 2), round(float(low[0]))) for low, high in upright}


def test_threads_stragglers_shares_and_figures_are_drawn():
    ax = fairness(["nvme", "mirror"], mirror=[18841.34, 43830.73], nvme=[80351.0, 80337.0])
    assert rows(ax) == ["nvme", "mirror"]
    assert marked(ax, "o") == {(0, 80351.0), (0, 80337.0), (1, 43830.73)}
    assert marked(ax, "v") == {(1, 18841.34)}
    assert shares(ax) == {(0, 80344), (1, 31336)}
    assert {*written(ax)} == {"max/min", "Jain", "1.00x", "1.000", "2.33x", "0.863"}
    assert said(ax).startswith("I/Os per second (total) line: equal share")
    assert "Jain: 1 if all threads are equal, 1/k if one of k does everything" in said(ax)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["fell behind"]


def test_what_cannot_be_shared_has_no_figures_and_a_reason():
    ax = fairness(one=[1000], idle=[0, 900, 900], gap=[1000, np.nan], even=[10, 10])
    assert {"-", "0.667"} < {*written(ax)}
    assert "- one: one thread: nothing to share" in said(ax)
    assert "- idle: a thread did no I/O" in said(ax)
    assert "- gap: iops is missing for some threads" in said(ax)
    assert shares(ax) == {(1, 600), (3, 10)}
    assert marked(ax, "v") == {(1, 0.0)}
    assert (2, 1000.0) in marked(ax, "o"), "a missing rate is not zero"


def test_many_threads_lie_in_their_row():
    ax = fairness(raid=[1000 + at % 7 for at in range(60)] + [410] * 4)
    places = [y for line in ax.lines if line.get_marker() == "o" for y in line.get_ydata()]
    assert len(places) == 60
    assert -0.5 < min(places) < max(places) < 0.5
    assert marked(ax, "v") == {(0, 410.0)}
    assert {*written(ax)} == {"max/min", "Jain", "2.45x", "0.978"}
