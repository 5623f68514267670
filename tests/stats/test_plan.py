from __future__ import annotations

from math import log1p, sqrt

import numpy as np
import polars as pl
import pytest
from scipy import stats

import fiotools as ft
from benchmarks.coverage.planning import found_share, of_pilots
from fiotools.errors import SchemaError


@pytest.fixture
def pilot(make):
    rng = np.random.default_rng(3)
    shared = rng.normal(0, 0.05, 6)
    logs = [shared + rng.normal(level, 0.01, 6) for level in (4.0, 4.3)]
    return make(
        place=["a"] * 6 + ["b"] * 6, round=[*range(6)] * 2, iops=np.exp(logs).ravel().tolist()
    )


def test_the_number_is_that_of_the_noncentral_t(rows):
    for row in rows(ft.plan(0.03, band=0, differences=[0.02, 0.05, 0.1])):
        sigma, edge = sqrt(log1p(0.03**2)), log1p(row["difference_pct"] / 100)

        def power(n, sigma=sigma, edge=edge):
            df = 2 * n - 2
            return stats.nct.sf(stats.t.ppf(0.975, df), df, edge / sigma / sqrt(2 / n))

        n = row["runs_differ"]
        assert power(n) >= row["power"] - 1e-3
        assert n == 3 or power(n - 1) < row["power"] + 1e-3


def test_the_pilots_spread_is_within_its_sides_and_planned_with_its_upper_limit(pilot, rows):
    (row,) = rows(ft.plan(pilot, "iops", between="place", differences=[0.1], power=[0.8]))
    logs = np.log(np.asarray(pilot["iops"], dtype=float)).reshape(2, 6)
    variance = logs.var(axis=1, ddof=1).mean()
    upper = variance * 10 / stats.chi2.ppf(0.2, 10)
    assert row["n"] == 12
    assert row["cov_pct"] == pytest.approx(100 * sqrt(np.expm1(variance)))
    assert row["cov_hi_pct"] == pytest.approx(100 * sqrt(np.expm1(upper)))
    given = rows(ft.plan(sqrt(np.expm1(upper)), differences=[0.1], power=[0.8]))[0]
    assert (row["runs_differ"], row["runs_same"]) == (given["runs_differ"], given["runs_same"])
    assert row["rounds_differ"] is None


def test_rounds_take_the_pilots_correlation(pilot, rows):
    asked = {"between": "place", "pair": "round", "differences": [0.1], "power": [0.8]}
    (row,) = rows(ft.plan(pilot, "iops", **asked))
    assert row["correlation"] > 0.8
    assert 3 <= row["rounds_differ"] < row["runs_differ"]


def test_more_than_a_thousand_runs_are_null(rows):
    (row,) = rows(ft.plan(0.5, differences=[0.01], power=[0.8]))
    assert row["runs_differ"] is None


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"differences": [0]}, "a difference of 0"),
        ({"power": [1]}, "a power of 1"),
        ({"comparisons": 0}, "comparisons is 0"),
        ({"band": 1}, "band is 1"),
        ({"fail_if": "not-same"}, "not a rule to plan for"),
        ({"pair": "round", "between": None}, "pairs have two sides"),
        ({"by": "round"}, "no two runs of a side"),
        ({"metric": None}, "metric='iops'"),
    ],
)
def test_invalid_plans_are_refused(pilot, wrong, message):
    with pytest.raises(SchemaError, match=message):
        ft.plan(pilot, **({"metric": "iops", "between": "place"} | wrong))


# a short form of `python -m benchmarks.coverage plan`


@pytest.mark.parametrize("question", ["differ", "same"])
@pytest.mark.parametrize("asked", [{}, {"fail_if": "slower:5%"}], ids=["verdict", "gate"])
def test_the_number_planned_has_the_power(question, asked):
    found = found_share(0.05, 0.1, question, 1000, np.random.default_rng(11), **asked)
    assert 0.76 < found < 0.88


def test_a_difference_within_the_band_is_never_seen(rows):
    (row,) = rows(ft.plan(0.03, differences=[0.04], power=[0.8]))
    assert (row["runs_differ"], row["flags"]) == (None, "within-band")
    assert row["runs_same"] > 3


def test_cells_have_one_plan_that_of_the_worst(make, rows):
    rng = np.random.default_rng(4)
    noise = np.concatenate([rng.normal(0, 0.01, 12), rng.normal(0, 0.05, 12)])
    cells = make(
        bs=["4k"] * 12 + ["1m"] * 12,
        place=["a", "b"] * 12,
        iops=np.exp(5 + noise).tolist(),
    )
    asked = {"between": "place", "by": "bs", "differences": [0.1], "power": [0.8]}
    (row,) = rows(ft.plan(cells, "iops", **asked))
    assert (row["bs"], row["comparisons"]) == ("1m", 2)
    (alone,) = rows(ft.plan(cells, "iops", **asked, comparisons=1))
    assert alone["runs_differ"] < row["runs_differ"]


def test_four_pilots_in_five_plan_enough():
    rng = np.random.default_rng(10)
    enough, seen = of_pilots(lambda size: rng.normal(0, 0.05, size), 5, 120, rng)
    assert 0.66 < enough < 0.94
    assert seen > 0.74


def test_pairs_of_three_sides_count_whichever_was_read_first(rows):
    logs = np.random.default_rng(3).normal(4, 0.1, (3, 4))
    runs = [
        {"place": "abc"[side], "round": number, "iops": float(np.exp(logs[side, number]))}
        for side, number in np.ndindex(logs.shape)
    ]
    asked = {"between": "place", "pair": "round", "differences": 0.1, "power": 0.8}
    one, other = (rows(ft.plan(pl.DataFrame(own), "iops", **asked)) for own in (runs, runs[::-1]))
    assert one[0] == pytest.approx(other[0])
    between = [np.var(logs[i] - logs[j], ddof=1) for i, j in ((0, 1), (0, 2), (1, 2))]
    within = np.var(logs, axis=1, ddof=1).mean()
    assert one[0]["correlation"] == pytest.approx(1 - np.mean(between) / (2 * within))
