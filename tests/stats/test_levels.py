"""The spread of machines, runs and phases, and which to repeat more often."""

from __future__ import annotations

import pytest

from fiotools import variance
from fiotools.errors import SchemaError
from fiotools.stats.variance import best_repeats, split


@pytest.fixture
def phases(make):
    return make(
        machine=["a"] * 6 + ["b"] * 6,
        run=[1, 1, 1, 2, 2, 2] * 2,
        phase=[1, 2, 3] * 4,
        iops=[100.0, 104, 102, 120, 122, 124, 90, 92, 91, 95, 99, 94],
    )


def test_two_levels_are_the_one_way_analysis():
    runs = [[100.0, 104.0], [120.0, 122.0], [111.0, 115.0]]
    values = {(i, j): value for i, run in enumerate(runs) for j, value in enumerate(run)}
    run, phase = split(values)
    # means 102, 121, 113 of 112: MS between 182; MS within (8 + 2 + 8) / 3; two phases a run
    assert run.variance == pytest.approx((182 - 6) / 2)
    assert phase.variance == pytest.approx(6)
    # 6 * 3 / chi2, from tables of 3 degrees of freedom
    assert phase.ends == pytest.approx((18 / 9.3484, 18 / 0.215795), rel=1e-4)


def test_three_levels_by_hand(phases, rows):
    found = rows(variance(phases, "iops", levels=["machine", "run", "phase"]))
    machine, run, phase = found
    # means of runs 102, 122, 91, 96; of machines 112, 93.5
    inner = (8 + 8 + 2 + 14) / 8
    runs = (200 + 12.5) / 2
    assert phase["stddev"] ** 2 == pytest.approx(inner)
    assert run["stddev"] ** 2 == pytest.approx(runs - inner / 3)
    assert machine["stddev"] ** 2 == pytest.approx(18.5**2 / 2 - runs / 2)
    assert [row["n"] for row in found] == [2, 4, 12]
    assert [row["repeats"] for row in found] == [2, 2, 3]
    assert sum(row["variance_pct"] for row in found) == pytest.approx(100)
    assert (machine["repeats_best"], phase["cost"], phase["told"]) == (None, 1, None)
    assert machine["stddev_lo"] == 0
    assert machine["stddev_lo"] < machine["stddev"] < machine["stddev_hi"]


@pytest.mark.parametrize(
    ("variances", "costs", "best"),
    [
        ([1, 1], [100, 1], [None, 10]),
        ([1, 1], [1, 100], [None, 1]),
        ([4, 1, 9], [600, 60, 10], [None, 2, 8]),
        # without spread between runs one run will do, and phases are held against machines
        ([4, 0, 9], [540, 60, 10], [None, 1, 12]),
        # without spread between machines one may be as good as many
        ([0, 1, 1], [600, 40, 10], [None, None, 2]),
    ],
)
def test_the_best_repeats(variances, costs, best):
    assert best_repeats(variances, costs) == best


def test_a_level_that_brings_nothing(make, rows):
    io = make(run=[1, 1, 2, 2], phase=[1, 2, 1, 2], iops=[1.0, 9.0, 2.0, 8.0])
    run, phase = rows(variance(io, "iops", levels=["run", "phase"]))
    assert run["stddev"] == 0
    assert "they differ less than the level below suggests: taken as 0" in run["told"]
    assert phase["repeats_best"] is None
    one = make(run=[1, 1], phase=[1, 2], iops=[1.0, 9.0])
    run, phase = rows(variance(one, "iops", levels=["run", "phase"]))
    assert (run["stddev"], phase["stddev_hi"] > phase["stddev"]) == (None, True)
    assert run["told"] == "need >= 2 in one of the level above for their spread"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"levels": ["run"]}, "levels= names two columns or more"),
        ({"levels": ["run", "run"]}, "levels= names two columns or more"),
        ({"levels": ["machine", "run"]}, "several values of one machine, run: name what tells"),
        ({"costs": {"disk": 1}}, "a number above 0 for each of the levels"),
        ({"costs": {"run": 0}}, "a number above 0 for each of the levels"),
        ({"levels": ["machine", "day"]}, "no column 'day'"),
    ],
)
def test_invalid_arguments_are_refused(phases, asked, message):
    with pytest.raises(SchemaError, match=message):
        variance(phases, "iops", **{"levels": ["machine", "run", "phase"], **asked})


def test_a_value_of_an_unknown_place_is_refused(make):
    runs = make(machine=["a", "a", None, None], run=[1, 2, 3, 4], iops=[1.0, 2.0, 3.0, 4.0])
    with pytest.raises(SchemaError, match="'machine' is missing in 2 of 4 rows"):
        variance(runs, "iops", levels=["machine", "run"])
