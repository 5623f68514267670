"""`overall`: the geometric mean of the ratios of all workloads, for two questions."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
import scipy

import fiotools as ft
from benchmarks.coverage.overall import coverage

SIDES = {"between": "fs", "baseline": "a", "over": "job"}


@pytest.fixture
def logs():
    """Logarithms of 3 workloads, 4 rounds and 2 sides; the second side is the faster one."""
    rng = np.random.default_rng(5)
    found = rng.normal(0, 0.05, (3, 4, 2)) + np.array([3.0, 5.0, 9.0])[:, None, None]
    found[..., 1] += np.array([0.2, 0.3, 0.1])[:, None]
    return found


def made(make, lines):
    return make(**{name: [line[name] for line in lines] for name in lines[0]})


def keep_round(table, number):
    if hasattr(table, "query"):
        return table.query(f"round == {number}")
    return table.filter(table["round"] == number)


@pytest.fixture
def table(logs, make):
    lines = [
        {"job": f"w{w}", "round": r, "fs": "ab"[side], "iops": exp(logs[w, r, side])}
        for w, r, side in np.ndindex(logs.shape)
    ]
    return made(make, lines)


def test_each_workload_is_there_as_compare_has_it(table, rows):
    alone = rows(ft.compare(table, "iops", between="fs", baseline="a", by="job"))
    found = rows(ft.overall(table, "iops", **SIDES))
    for one, other in zip(alone, found[1:], strict=True):
        assert {name: other[name] for name in one} == one
        assert (other["workloads"], other["about"]) == (1, None)
    assert len(found) == len(alone) + 1
    assert (found[0]["job"], found[0]["fs"], found[0]["baseline"]) == (None, "b", "a")
    assert (found[0]["workloads"], found[0]["about"]) == (3, "these workloads")


def test_runs_of_their_own(table, logs, rows):
    found = rows(ft.overall(table, "iops", **SIDES))[0]
    shares = logs.var(axis=1, ddof=1) / 4 / 9
    df = shares.sum() ** 2 / (shares**2 / 3).sum()
    center = (logs[..., 1] - logs[..., 0]).mean()
    half = scipy.stats.t.ppf(0.975, df) * np.sqrt(shares.sum())
    assert found["ratio"] == pytest.approx(exp(center))
    assert found["ratio_lo"] == pytest.approx(exp(center - half))
    assert found["ratio_hi"] == pytest.approx(exp(center + half))
    assert found["verdict"] == "faster"
    assert "a disturbance of several workloads" in found["told"]


def test_rounds_are_the_replicates(table, logs, rows):
    found = rows(ft.overall(table, "iops", **SIDES, pair="round"))[0]
    means = (logs[..., 1] - logs[..., 0]).mean(axis=0)
    low, high = scipy.stats.t.interval(0.95, 3, means.mean(), means.std(ddof=1) / 2)
    assert (found["n"], found["method"]) == (4, "paired t of logarithms")
    assert (found["ratio_lo"], found["ratio_hi"]) == pytest.approx((exp(low), exp(high)))


def test_one_run_each_has_no_error(table, rows):
    found = rows(ft.overall(keep_round(table, 0), "iops", **SIDES))[0]
    assert found["words"] == "one run each, so the error is unknown"
    assert found["ratio_lo"] is None


def test_a_run_through_all_workloads_is_one_replicate(table, logs, rows, make):
    lines = rows(table)
    runs = make(
        run=[2 * line["round"] + "ab".index(line["fs"]) for line in lines],
        source="one",
        **{name: [line[name] for line in lines] for name in lines[0]},
    )
    found = rows(ft.overall(runs, "iops", **SIDES))[0]
    sides = logs.mean(axis=0)
    test = scipy.stats.ttest_ind(sides[:, 1], sides[:, 0], equal_var=False)
    low, high = test.confidence_interval(0.95)
    assert (found["n"], found["n_baseline"]) == (4, 4)
    assert (found["ratio_lo"], found["ratio_hi"]) == pytest.approx((exp(low), exp(high)))


def test_an_incomplete_round_is_left_out_and_said(table, rows, make):
    lines = rows(table)[1:]
    found = rows(ft.overall(made(make, lines), "iops", **SIDES, pair="round"))[0]
    assert found["n"] == 3
    assert "1 of 4 values of 'round' left out" in found["told"]


def test_a_workload_without_one_side_leaves_nothing_to_say_over_all(table, rows, make):
    lines = [line for line in rows(table) if (line["job"], line["fs"]) != ("w1", "b")]
    found = rows(ft.overall(made(make, lines), "iops", **SIDES))[0]
    assert found["words"] == "no run of 'b' of w1"
    assert found["ratio"] is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"over": []}, "names no column"),
        ({"over": "fs"}, "is in by= and between="),
        ({"over": "kind"}, "one workload only"),
        ({"over": "gap"}, "'gap' is missing in 1 of 24 rows"),
        ({"pair": "alone"}, "no alone holds all 3 workloads on both sides"),
    ],
)
def test_invalid_questions_are_refused(table, rows, make, change, said):
    lines = rows(table)
    columns = {name: [line[name] for line in lines] for name in lines[0]}
    columns |= {"kind": ["x"] * 24, "gap": [None, *"yz" * 11, "y"]}
    columns["alone"] = [f"{line['job']}{line['round']}" for line in lines]
    with pytest.raises(ft.SchemaError, match=said):
        ft.overall(make(**columns), "iops", **(SIDES | change))


def test_by_keeps_groups_of_workloads_apart(table, rows, make):
    lines = [line | {"size": size} for size in (1, 2) for line in rows(table)]
    found = rows(ft.overall(made(make, lines), "iops", **SIDES, by="size"))
    assert [line["size"] for line in found if line["workloads"] == 3] == [1, 2]
    assert len(found) == 8


@pytest.mark.parametrize(("k", "n", "noise"), [(3, 3, "equal"), (15, 3, "unequal")])
def test_the_intervals_hold_the_truth(k, n, noise):
    found = coverage(k, n, noise, 400, np.random.default_rng(3))
    assert all(np.mean(hits) > 0.9 for hits in found.values())


def test_only_rounds_show_the_effect_of_a_session_on_all_its_workloads():
    found = coverage(15, 5, "sessions", 300, np.random.default_rng(4))
    assert np.mean(found["own"]) < 0.7
    assert np.mean(found["rounds"]) > 0.9


def test_the_plot_sets_the_row_over_all_apart(table):
    ax = ft.plot.ratios(ft.overall(table, "iops", **SIDES))
    assert [tick.get_text() for tick in ax.get_yticklabels()] == [
        "all 3 workloads",
        *(f"w{w}" for w in range(3)),
    ]
    assert ax.get_xlabel().endswith(", b / a")  # what all rows share
    assert [line.get_marker() for line in ax.lines].count("D") == 1


def test_levels_that_are_numbers_are_in_the_order_of_compare(make, rows):
    deep = [64] * 6 + [1] * 6 + [16] * 6
    runs = make(
        depth=deep, w=["x", "x", "x", "y", "y", "y"] * 3, iops=[*map(float, range(100, 118))]
    )
    found = rows(ft.overall(runs, "iops", between="depth", baseline=1, over="w"))
    assert [row["depth"] for row in found] == [16, 64] * 3


def by_day(table, rows, make, sides="both"):
    """Give the rounds of `table` as days of two runs each; a day may hold one side only."""
    lines = [
        line
        | {
            "day": f"{line['round']}{line['fs'] if sides == 'one' else ''}",
            "iops": line["iops"] * k,
        }
        for line in rows(table)
        for k in (0.99, 1.01)
    ]
    return made(make, lines)


def test_a_day_that_holds_all_is_a_round(table, rows, make):
    days = by_day(table, rows, make)
    found = rows(ft.overall(days, "iops", **SIDES, unit="day"))[0]
    means = [line | {"iops": line["iops"] * np.sqrt(0.99 * 1.01)} for line in rows(table)]
    like = rows(ft.overall(made(make, means), "iops", **SIDES, pair="round"))[0]
    for name in ("n", "ratio", "ratio_lo", "ratio_hi"):
        assert found[name] == pytest.approx(like[name])
    assert found["method"] == like["method"]


def test_days_of_one_side_each_are_the_replicates(table, logs, rows, make):
    days = by_day(table, rows, make, sides="one")
    found = rows(ft.overall(days, "iops", **SIDES, unit="day"))[0]
    sides = logs.mean(axis=0)
    test = scipy.stats.ttest_ind(sides[:, 1], sides[:, 0], equal_var=False)
    low, high = test.confidence_interval(0.95)
    assert (found["n"], found["n_baseline"], found["method"]) == (4, 4, "Welch t of logarithms")
    assert (found["ratio_lo"], found["ratio_hi"]) == pytest.approx((exp(low), exp(high)))
