"""Where one run is all there is, the figure says so; where nobody knows, it claims nothing."""

import pandas as pd
import polars as pl
import pytest

import fiotools as ft
from tests.plot import kinds
from tests.plot.kinds import said

SAID = "one run"
# of a file each
READ = pd.DataFrame(
    {
        "mount": ["ext4", "drvfs"],
        "source": ["ext4.txt", "drvfs.txt"],
        "run": [1, 1],
        "iops": [10.0, 12.0],
        "lat_mean_ns": [5e3, 6e3],
        "lat_stddev_ns": [1e3, 1e3],
        "real_s": [5.0, 6.0],
        "user_s": [0.1, 0.1],
        "sys_s": [1.0, 1.0],
        "percentile": [99.0, 99.0],
        "value_ns": [8e3, 9e3],
    }
)
PLOTS = {
    "throughput": lambda frame: kinds.singles(frame, "iops", y="mount"),
    "latency": lambda frame: kinds.slowest(frame, y="mount"),
    "timings": lambda frame: ft.plot.timings(frame, y="mount"),
    "percentiles": lambda frame: ft.plot.percentiles(frame, hue="mount"),
}


def label(plot, frame):
    return said(PLOTS[plot](frame))


@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_runs_of_files_are_one_each(plot, kind):
    assert label(plot, kind(READ.to_dict("list"))).endswith("one run each")


@pytest.mark.parametrize("plot", PLOTS)
def test_rows_that_may_be_means_are_not_called_runs(plot):
    means = READ.groupby("mount").mean(numeric_only=True).reset_index()
    assert list(means["run"]) == [1, 1], "a mean of runs 1, and no run"
    assert SAID not in label(plot, means)
    assert SAID not in label(plot, READ.assign(n=[5, 1]))
    assert SAID not in label(plot, READ.drop(columns=["source", "run"]))


@pytest.mark.parametrize("plot", PLOTS)
def test_a_column_n_says_it_too(plot):
    bare = READ.drop(columns=["source", "run"])
    assert "one run each" in label(plot, bare.assign(n=1))


def test_threads_of_a_run_are_one_run():
    frame = READ.assign(source="a.txt")
    assert label("throughput", frame) == "I/Os per second one run"


def test_the_words_stand_below_a_legend():
    ax = kinds.singles(READ, "iops", y="mount", hue="mount")
    assert said(ax) == "I/Os per second one run each"


def test_only_the_rows_drawn_count():
    frame = READ.assign(n=[1, 5])
    ax = kinds.singles(frame, "iops", y="mount", order=["ext4"])
    assert said(ax) == "I/Os per second one run"


SOME = pd.DataFrame({"mount": ["9p", "9p", "sshfs"], "iops": [58.0, 57.0, 15.0]})


def repeats(frame):
    return ft.plot.repeats(frame, "iops", y="mount")


def test_the_only_run_among_repeats_is_hollow_and_has_no_mean():
    ax = repeats(SOME)
    hollow = [line for line in ax.lines if line.get_markerfacecolor() == "white"]
    assert [float(line.get_xdata()[0]) for line in hollow] == [15.0]
    middles = {float(line.get_xdata()[0]) for line in ax.lines if line.get_linewidth() == 1.6}
    assert [*middles] == [pytest.approx(57.498, abs=1e-3)]
    assert "points: runs, hollow: only one; tick: geometric mean" in said(ax)
    assert "hollow" not in said(repeats(SOME[:2]))


def test_repeats_of_one_run_each_say_so():
    assert said(repeats(SOME[1:])) == "I/Os per second one run each"
    assert said(repeats(SOME[2:])) == "I/Os per second one run"


@pytest.mark.parametrize(
    ("sides", "words"),
    [
        ((1, 1), "one run each: no interval"),
        ((1, 5), "one run on a side: no interval"),
        ((3, 3), "too few runs: no interval"),
    ],
    ids=["1-1", "1-5", "3-3"],
)
def test_a_ratio_without_interval_says_why(sides, words):
    frame = pd.DataFrame(
        {
            "mount": ["9p"],
            "baseline": ["sshfs"],
            "metric": ["iops"],
            "n": [sides[0]],
            "n_baseline": [sides[1]],
            "ratio": [1.3],
            "ratio_lo": [float("nan")],
            "ratio_hi": [float("nan")],
        }
    )
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
