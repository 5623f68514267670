"""`scaling`: the knee of a load curve by the Universal Scalability Law."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize
from fiotools.stats.scaling import fitted

import fiotools as ft
from benchmarks.coverage.scaling import curve_of, found_in

LOADS = [1, 2, 4, 8, 16, 32, 64, 128]


def law(load, one, sigma, kappa):
    return one * load / (1 + sigma * (load - 1) + kappa * load * (load - 1))


def runs_of(make, rate, loads=LOADS, spread=0.02, repeats=3, seed=1):
    """Make runs of a curve."""
    rng = np.random.default_rng(seed)
    rows = [(load, rate(load) * np.exp(rng.normal(0, spread))) for load in loads] * repeats
    rows = [(load, rate(load) * np.exp(rng.normal(0, spread))) for load, _ in rows]
    return make(iodepth=[load for load, _ in rows], iops=[float(rate) for _, rate in rows])


def test_an_exact_curve_is_found_again():
    loads = np.array(LOADS, dtype=float)
    curve = fitted(loads, np.log(law(loads, 9000.0, 0.08, 0.0004)))
    assert curve.rate_one == pytest.approx(9000, rel=2e-3)
    assert curve.sigma == pytest.approx(0.08, rel=0.02)
    assert curve.kappa == pytest.approx(0.0004, rel=0.02)
    assert curve.peak == pytest.approx(np.sqrt(0.92 / 0.0004), rel=0.02)
    power = scipy.optimize.minimize_scalar(
        lambda at: -(law(at, 9000.0, 0.08, 0.0004) ** 2) / at, bounds=(1, 128), method="bounded"
    )
    assert curve.knee == pytest.approx(power.x, rel=2e-3)
    assert curve.misfit < 1e-3


def test_least_squares_are_least(make, rows):
    frame = runs_of(make, lambda load: law(load, 9000.0, 0.1, 0.001), spread=0.1)
    (row,) = rows(ft.scaling(frame))
    lines = rows(frame)
    logs = np.array([
        np.mean([np.log(one["iops"]) for one in lines if one["iodepth"] == load]) for load in LOADS
    ])  # fmt: skip

    def off(law_of):
        return np.log(law(np.array(LOADS, dtype=float), np.exp(law_of[0]), *law_of[1:])) - logs

    best = scipy.optimize.least_squares(
        off, [9.0, 0.1, 0.001], bounds=([0, 0, 0], [20, 1, 1]), x_scale=[1, 0.1, 0.001]
    )
    assert row["misfit_pct"] == pytest.approx(100 * np.sqrt(2 * best.cost / 5), rel=1e-3)
    assert (row["sigma"], row["kappa"]) == pytest.approx(tuple(best.x[1:]), rel=0.03)
    assert row["knee_lo"] < row["knee"] < row["knee_hi"]
    assert (row["loads"], row["n"]) == (8, 24)


def test_a_unit_of_the_load_does_not_matter(make, rows):
    frame = runs_of(make, lambda load: law(load, 9000.0, 0.1, 0.001))
    lines = rows(frame)
    wider = make(iodepth=[4 * one["iodepth"] for one in lines], iops=[one["iops"] for one in lines])
    (one,), (other,) = rows(ft.scaling(frame)), rows(ft.scaling(wider))
    for name in ("knee", "knee_lo", "knee_hi", "peak"):
        assert other[name] == pytest.approx(4 * one[name], rel=1e-3)
    assert other["knee_rate"] == pytest.approx(one["knee_rate"], rel=1e-3)


@pytest.mark.parametrize(
    ("rate", "loads", "spread", "code"),
    [
        (lambda load: law(load, 9e3, 0.1, 0.0), LOADS[:4], 0.02, "few-loads"),
        (lambda load: 9e3 * load, LOADS, 0.02, "no-bend"),
        (lambda load: 9e3 + 0 * load, LOADS, 0.02, "full"),
        (lambda load: law(load, 9e3, 0.005, 0.0), LOADS, 0.02, "knee-outside"),
        (lambda load: 9e3 * (1 + 2 * (load in (2, 16))), LOADS, 0.02, "poor-fit"),
    ],
)
def test_a_knee_is_refused_with_the_reason(make, rows, rate, loads, spread, code):
    (row,) = rows(ft.scaling(runs_of(make, rate, loads, spread)))
    assert row["flags"] == code
    assert (row["knee"], row["knee_lo"], row["knee_hi"], row["peak"]) == (None,) * 4
    assert row["told"]


def test_a_curve_that_does_not_follow_the_law_is_said_to(make, rows):
    stick = runs_of(make, lambda load: min(9e3 * load, 9e4), spread=0.01)
    (row,) = rows(ft.scaling(stick))
    assert row["flags"] == "misfit"
    assert row["knee_lo"] < 10 < row["knee_hi"], "the corner"


def test_curves_by_a_column(make, rows):
    lines = [
        {"disk": disk, "iodepth": load, "iops": law(load, one, 0.1, 0.001), "run": run}
        for disk, one in (("a", 1e3), ("b", 5e3))
        for run, load in enumerate(LOADS)
    ]
    frame = make(**{name: [line[name] for line in lines] for name in lines[0]})
    found = rows(ft.scaling(frame, by="disk"))
    assert [row["disk"] for row in found] == ["a", "b"]
    assert found[1]["knee_rate"] == pytest.approx(5 * found[0]["knee_rate"])


def test_runs_of_a_curve_that_differ_in_more_have_no_knee(make, rows):
    frame = make(iops=[1.0, 2.0, 3.0], iodepth=[1, 2, 4], bs_bytes=[512, 4096, 4096])
    (row,) = rows(ft.scaling(frame))
    assert "differ in bs_bytes too" in row["told"]


def test_a_load_is_above_zero(make):
    with pytest.raises(ft.SchemaError, match="not above zero"):
        ft.scaling(make(iops=[1.0, 2.0], iodepth=[0, 1]))


@pytest.mark.parametrize("shape", ["contention", "crosstalk", "a corner"])
def test_the_interval_holds_the_knee(shape):
    rng = np.random.default_rng(3)
    found = [found_in(shape, 8, 3, 0.05, rng) for _ in range(150)]
    held = [hold for given, hold in found if given]
    assert len(held) > 100
    assert np.mean(held) > 0.88
    assert curve_of(shape, 8)[1] > 1
