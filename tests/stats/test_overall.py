"""`overall`: the geometric mean of the ratios of all workloads, for two questions."""

from __future__ import annotations

from math import exp

import numpy as np
import pandas as pd
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


@pytest.fixture
def lines(logs):
    """Give the same as rows."""
    return [
        {"job": f"w{w}", "round": r, "fs": "ab"[side], "iops": exp(logs[w, r, side])}
        for w, r, side in np.ndindex(logs.shape)
    ]


@pytest.fixture
def over_all(make, rows):
    """Ask for all workloads, and give the row over all, and the others."""

    def answer(lines, **asked):
        table = make(**{name: [line[name] for line in lines] for name in lines[0]})
        first, *others = rows(ft.overall(table, "iops", **(SIDES | asked)))
        return first, others

    return answer


def test_each_workload_is_there_as_compare_has_it(lines, over_all, make, rows):
    table = make(**{name: [line[name] for line in lines] for name in lines[0]})
    alone = rows(ft.compare(table, "iops", between="fs", baseline="a", by="job"))
    found, others = over_all(lines)
    for one, other in zip(alone, others, strict=True):
        assert {name: other[name] for name in one} == one
        assert (other["workloads"], other["about"]) == (1, None)
    assert (found["job"], found["fs"], found["baseline"]) == (None, "b", "a")
    assert (found["workloads"], found["about"]) == (3, "these workloads")


def test_runs_of_their_own(lines, logs, over_all):
    found, _ = over_all(lines)
    shares = logs.var(axis=1, ddof=1) / 4 / 9
    df = shares.sum() ** 2 / (shares**2 / 3).sum()
    center = (logs[..., 1] - logs[..., 0]).mean()
    half = scipy.stats.t.ppf(0.975, df) * np.sqrt(shares.sum())
    ends = (exp(center), exp(center - half), exp(center + half))
    assert (found["ratio"], found["ratio_lo"], found["ratio_hi"]) == pytest.approx(ends)
    assert found["verdict"] == "faster"
    assert "a disturbance of several workloads" in found["told"]


def by_rounds(logs):
    """Give the ends of scipy's interval of the means of rounds: of pairs, and of two sides."""
    sides = logs.mean(axis=0)
    of_pairs = scipy.stats.ttest_rel(sides[:, 1], sides[:, 0])
    of_sides = scipy.stats.ttest_ind(sides[:, 1], sides[:, 0], equal_var=False)
    return [np.exp(test.confidence_interval(0.95)) for test in (of_pairs, of_sides)]


def in_days(lines, *, of_both):
    """Make rounds to days of two runs each; a day may hold one side only."""
    return [
        line | {"day": f"{line['round']}{'' if of_both else line['fs']}", "iops": line["iops"] * k}
        for line in lines
        for k in (0.99, 1 / 0.99)
    ]


@pytest.mark.parametrize(
    ("made", "asked", "method"),
    [
        (lambda lines: lines, {"pair": "round"}, "paired t of logarithms"),
        # a day that holds all is a round
        (lambda lines: in_days(lines, of_both=True), {"unit": "day"}, "paired t of logarithms"),
        # days of one side each
        (lambda lines: in_days(lines, of_both=False), {"unit": "day"}, "Welch t of logarithms"),
        # a run through all workloads
        (
            lambda lines: [
                line | {"source": "one", "run": 2 * line["round"] + "ab".index(line["fs"])}
                for line in lines
            ],
            {},
            "Welch t of logarithms",
        ),
    ],
    ids=["rounds", "days", "days of a side", "runs"],
)
def test_what_holds_all_workloads_is_the_replicate(lines, logs, over_all, made, asked, method):
    found, _ = over_all(made(lines), **asked)
    low, high = by_rounds(logs)[method.startswith("Welch")]
    assert (found["n"], found["n_baseline"], found["method"]) == (4, 4, method)
    assert (found["ratio_lo"], found["ratio_hi"]) == pytest.approx((low, high))


def test_one_run_each_has_no_error(lines, over_all):
    found, _ = over_all([line for line in lines if line["round"] == 0])
    assert found["words"] == "one run each, so the error is unknown"
    assert found["ratio_lo"] is None


def test_an_incomplete_round_is_left_out_and_said(lines, over_all):
    found, _ = over_all(lines[1:], pair="round")
    assert found["n"] == 3
    assert "1 of 4 values of 'round' left out" in found["told"]


def test_a_workload_without_one_side_leaves_nothing_to_say_over_all(lines, over_all):
    found, _ = over_all([line for line in lines if (line["job"], line["fs"]) != ("w1", "b")])
    assert (found["words"], found["ratio"]) == ("no run of 'b' of w1", None)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"over": []}, "names no column"),
        ({"over": "kind"}, "one workload only"),
        ({"over": "gap"}, "'gap' is missing in 1 of 24 rows"),
        ({"pair": "alone"}, "no alone holds all 3 workloads on both sides"),
    ],
)
def test_invalid_questions_are_refused(lines, over_all, change, said):
    more = [
        line | {"kind": "x", "gap": at or None, "alone": f"{line['job']}{line['round']}"}
        for at, line in enumerate(lines)
    ]
    with pytest.raises(ft.SchemaError, match=said):
        over_all(more, **change)


def test_by_keeps_groups_of_workloads_apart(lines, over_all):
    first, others = over_all([line | {"size": n} for n in (1, 2) for line in lines], by="size")
    assert [line["size"] for line in (first, *others) if line["workloads"] == 3] == [1, 2]
    assert len(others) == 7


@pytest.mark.parametrize(("k", "n", "noise"), [(3, 3, "equal"), (15, 3, "unequal")])
def test_the_intervals_hold_the_truth(k, n, noise):
    found = coverage(k, n, noise, 400, np.random.default_rng(3))
    assert all(np.mean(hits) > 0.9 for hits in found.values())


def test_only_rounds_show_the_effect_of_a_session_on_all_its_workloads():
    found = coverage(15, 5, "sessions", 300, np.random.default_rng(4))
    assert np.mean(found["own"]) < 0.7
    assert np.mean(found["rounds"]) > 0.9


def test_the_plot_sets_the_row_over_all_apart(lines):
    ax = ft.plot.ratios(ft.overall(pd.DataFrame(lines), "iops", **SIDES))
    assert [tick.get_text() for tick in ax.get_yticklabels()] == [
        *("all 3 workloads", "w0", "w1", "w2"),
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
