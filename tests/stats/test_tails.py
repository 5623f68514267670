"""`tails`: ratios of percentiles, over runs or within long ones."""

from __future__ import annotations

from itertools import chain
from math import inf

import numpy as np
import pandas as pd
import polars as pl
import pytest

import fiotools as ft
from benchmarks.coverage.tails import a_run, coverage
from fiotools.flags import flag
from fiotools.stats import submission
from fiotools.stats.frames import opened
from fiotools.stats.tails import Interval, Windows, interval_within, ratio_within

SIDES = {"between": "fs", "baseline": "a"}


def bins_of(run, labels):
    """Give the windows of a run as a table of bins."""
    counts = np.diff(run.below, axis=1, prepend=0.0)
    window, place = np.nonzero(counts)
    return {
        **{name: [value] * len(window) for name, value in labels.items()},
        "latency": ["clat"] * len(window),
        "direction": ["read"] * len(window),
        "bin_lo_ns": run.edges[place, 0].tolist(),
        "bin_hi_ns": run.edges[place, 1].tolist(),
        "count": counts[window, place].astype(int).tolist(),
        "time_s": (window + 1.0).tolist(),
    }


def table(make, runs):
    columns = [bins_of(run, labels) for run, labels in runs]
    return make(**{name: [*chain(*(own[name] for own in columns))] for name in columns[0]})


@pytest.fixture(scope="module")
def two():
    rng = np.random.default_rng(8)
    return [a_run("rho .5", 120, shift, rng) for shift in (0.0, np.log(1.3))]


def of_sides(runs, name="{}"):
    """Name two runs after their sides."""
    return [
        (run, {"fs": side, "source": name.format(side), "run": 1})
        for side, run in zip("ab", runs, strict=True)
    ]


def several(count):
    """Make so many runs a side, two on each day."""
    rng = np.random.default_rng(9)
    return [
        (
            a_run("rho .5", 60, shift, rng),
            {"fs": side, "source": f"{side}{n}", "run": 1, "day": n // 2},
        )
        for side, shift in (("a", 0.0), ("b", np.log(1.3)))
        for n in range(count)
    ]


def test_one_run_each_has_an_interval_of_its_windows_and_no_verdict(two, make, rows):
    found = rows(ft.tails(table(make, of_sides(two)), [50, 99], **SIDES))
    assert [line["percentile"] for line in found] == [50, 99]
    for line, percentile in zip(found, (50, 99), strict=True):
        ends = [interval_within(run, percentile) for run in two]
        assert (line["ratio_lo"], line["ratio_hi"]) == pytest.approx(ratio_within(*ends[::-1]))
        assert line["ratio_lo"] < 1.3 < line["ratio_hi"]
        assert (line["windows"], line["method"]) == (120, "batch means")
        assert line["words"] == "one run each, so the error is unknown"
        assert line["p_equal"] is None
        assert "other runs may differ more" in line["told"]


def test_a_side_that_was_submitting_has_a_flag(two, make, rows):
    """The door puts the share beside the bins of a `Results`."""
    sides = [
        (run, {**labels, submission.SHARE: 0.98 if labels["fs"] == "a" else None})
        for run, labels in of_sides(two)
    ]
    found = rows(ft.tails(table(make, sides), [50, 99], **SIDES))
    assert all("submitting" in line["flags"].split(";") for line in found)
    assert all("the runs of 'a' spent nearly all" in line["told"] for line in found)


def test_runs_of_a_day_count_once(make, rows):
    runs = several(8)
    (row,) = rows(ft.tails(table(make, runs), 99, **SIDES, unit="day"))
    each = rows(ft.tails(table(make, runs), 99, between="source", baseline="a0"))
    logs = {"a0": 0.0} | {line["source"]: np.log(line["ratio"]) for line in each}
    days = [np.mean([logs[f"b{n}"] - logs[f"a{n}"] for n in (at, at + 1)]) for at in (0, 2, 4, 6)]
    assert (row["n"], row["n_baseline"], row["method"]) == (4, 4, "paired t of logarithms")
    assert row["ratio"] == pytest.approx(np.exp(np.mean(days)))
    first = [one for one in runs if one[1]["day"] == 0]
    (row,) = rows(ft.tails(table(make, first), 99, **SIDES, unit="day"))
    assert (row["verdict"], row["ratio_lo"]) == ("one run", None)


def test_several_runs_are_compared_as_runs(make, rows):
    bins = table(make, several(4))
    [line] = rows(ft.tails(bins, 99, **SIDES))
    each = ft.percentiles(bins, 99, by=["fs", "source", "run"])
    [same] = rows(ft.compare(each, "value_ns", **SIDES))
    assert (line["n"], line["method"], line["windows"]) == (4, "Welch t of logarithms", None)
    for name in ("ratio", "ratio_lo", "ratio_hi", "verdict"):
        assert line[name] == same[name]


def test_one_run_against_several_has_no_interval(two, make, rows):
    runs = [*of_sides(two), (two[0], {"fs": "a", "source": "more", "run": 1})]
    [line] = rows(ft.tails(table(make, runs), 50, **SIDES))
    assert (line["n"], line["n_baseline"]) == (1, 2)
    assert line["ratio_lo"] is None


@pytest.mark.parametrize(
    ("percentile", "windows", "said"),
    [
        (99, 59, "need >= 60 windows"),
        (99.999, 120, "fewer than 30 I/Os beyond the percentile"),
    ],
)
def test_where_there_is_no_interval_it_says_why(two, make, rows, percentile, windows, said):
    runs = [Windows(run.edges, run.below[:windows]) for run in two]
    [line] = rows(ft.tails(table(make, of_sides(runs)), percentile, **SIDES))
    assert line["ratio"] > 1
    assert line["ratio_lo"] is None
    assert said in line["told"]


def test_bins_of_whole_runs_have_no_windows(two, make, rows):
    runs = [Windows(run.edges, run.below[:1]) for run in two]
    bins = opened(table(make, of_sides(runs))).drop("time_s").to_native()
    [line] = rows(ft.tails(bins, 50, **SIDES))
    assert line["ratio_lo"] is None
    assert "no windows of time" in line["told"]


def test_windows_that_are_all_alike_leave_nothing_open_but_the_bin():
    edges = np.array([[1.0, 2.0], [2.0, 3.0], [3.0, 4.0]])
    below = np.tile([300.0, 900.0, 1000.0], (60, 1))
    assert interval_within(Windows(edges, below), 50) == Interval(2.0, 2.0, 3.0)


def test_an_end_in_the_last_bin_is_not_an_end():
    edges = np.array([[1.0, 2.0], [2.0, inf]])
    below = np.tile([[980.0, 1000.0], [1000.0, 1000.0]], (60, 1))
    np.random.default_rng(1).shuffle(below)  # in turns, the mean would be known exactly
    assert interval_within(Windows(edges, below), 99) == flag("uneven-tail")


def test_the_ends_of_both_make_those_of_the_ratio():
    wide, exact = Interval(200.0, 100.0, 400.0), Interval(100.0, 100.0, 100.0)
    assert ratio_within(wide, exact) == pytest.approx((1.0, 4.0))
    assert ratio_within(exact, Interval(100.0, 50.0, 400.0)) == pytest.approx((0.25, 2.0))


def test_logs_of_the_jobs_of_one_run_are_not_repeats_and_may_be_put_together(two, make, rows):
    jobs = [*of_sides(two, "{}_clat_hist.1.log"), *of_sides(two, "{}_clat_hist.2.log")]
    with pytest.raises(ft.SchemaError, match="logs of the jobs of one run, no repeats"):
        ft.tails(table(make, jobs), 50, **SIDES)
    together = ft.window(table(make, jobs), "1s", by="fs", bins=True)
    [line] = rows(ft.tails(together, 50, **SIDES))
    assert (line["n"], line["n_baseline"], line["windows"]) == (1, 1, 120)


def test_the_long_run_against_itself():
    log = ft.scan("data/how-many-runs/long/long_clat_hist.1.log").collect()
    half = (log["time_s"] > 150).replace_strict({False: "a", True: "b"}, return_dtype=pl.String)
    halves = ft.window(log.with_columns(fs=half), "1s", by="fs", bins=True)
    found = ft.tails(halves, [50, 90, 99, 99.9], **SIDES)
    assert found["ratio_lo"].null_count() == 0
    assert ((found["ratio_lo"] < 1) & (found["ratio_hi"] > 1)).all()


@pytest.mark.parametrize(("noise", "most"), [("rho .5", 0.98), ("bursts of 3", 0.9)])
def test_windows_hold_the_ratio_where_single_ios_do_not(noise, most):
    [_, found, _] = coverage(noise, 300, 60, np.random.default_rng(2))
    assert found["held"].share > 0.85
    assert float(found["independent I/Os"]) < most


def test_the_figure_says_what_its_band_is_and_where_there_is_none():
    ends = {"ratio": 1.3, "ratio_lo": [1.1, None], "ratio_hi": [1.5, None], "confidence": 0.95}
    sides = {"fs": "b", "baseline": "a", "percentile": [50.0, 99.9], "method": "batch means"}
    found = pd.DataFrame(sides | ends)
    band, hollow, *_ = ft.plot.tails.spec(found).notes
    assert band == "band: 95 % interval within these runs"
    assert hollow.startswith("○ no interval")
    with pytest.raises(ft.SchemaError, match="a percentile twice"):
        ft.plot.tails(pd.concat([found, found]))


def test_a_percentile_without_a_value_is_named(make):
    bins = make(
        fs=["a", "a", "b", "b"],
        run=[1, 1, 2, 2],
        latency="clat",
        direction="read",
        bin_lo_ns=[1.0, 2.0] * 2,
        bin_hi_ns=[2.0, inf] * 2,
        count=[90, 10] * 2,
    )
    with pytest.raises(ft.SchemaError, match="percentile 99 of fs a, run 1: in the last bin"):
        ft.tails(bins, [50, 99], **SIDES)
    assert len(ft.tails(bins, [50, 50], **SIDES)) == 1
