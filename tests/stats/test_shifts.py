from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import pytest

import fiotools as ft
from benchmarks.coverage.noise import SERIES, SPREAD
from benchmarks.coverage.shifts import HISTORIES, alarms, kept, places, ratio_holds, seen
from fiotools import shifts
from fiotools.errors import SchemaError
from fiotools.stats.steps import change_points, steps
from tests.conftest import ROOT

DATA = ROOT / "data"
READS = [5814, 5703, 8916, 9037, 8910]  # article 004, 9p
NOISE = np.random.default_rng(2).normal(0, 3, 300)


def test_the_reads_of_9p_are_one_step_after_the_second(rows):
    io = pd.read_csv(DATA / "lima-mounts/iops.csv")
    reads = io.query("mount == '9p' and pattern == 'randread'")
    assert reads["iops"].tolist() == READS
    first, second = rows(shifts(reads, "iops", order="round"))
    assert (first["n"], first["start"], first["round"], first["ratio"]) == (2, 1, 1, None)
    assert (second["n"], second["start"], second["round"]) == (3, 3, 3)
    assert second["center"] == pytest.approx((8916 * 9037 * 8910) ** (1 / 3))
    assert second["ratio"] == pytest.approx(second["center"] / (5814 * 5703) ** 0.5)
    assert 1.4 < second["ratio_lo"] < second["ratio"] < second["ratio_hi"] < 1.7
    # of ten ways to choose the first two, two leave the low ones together: first, or last
    assert second["words"] == "step up, or two levels by chance"
    assert second["told"] == (
        "by chance 20 % of orders of 5 runs show such a step; 21 runs would prove it"
    )


@pytest.mark.parametrize(
    ("values", "places"),
    [
        ([1, 2, 3], []),
        ([0, 0, 0, 0], []),
        ([100, 104, 98, 101, 97, 99, 103], []),
        ([100, 103, 99, 101, 98, 120, 122, 119, 123, 121], [5]),
        (np.repeat([100.0, 160.0, 100.0], 8) + NOISE[:24], [8, 16]),  # one that comes back
        (np.repeat([100.0, 130.0, 90.0], 10) + NOISE[:30], [10, 20]),
        # the end of a history
        (np.repeat([100.0, 80.0], [54, 6]) + NOISE[:60] / 3, [54]),
    ],
)
def test_steps_of_runs(values, places):
    assert [found.at for found in steps(values)] == places


def test_the_order_of_ten_runs_proves_a_step_and_eight_may_part_by_chance():
    [found] = steps([100, 103, 99, 101, 98, 120, 122, 119, 123, 121])
    assert found.by_chance is None
    assert found.p < 1e-3
    # 2 of 70 ways to choose four keep these apart; of ten runs, 2 of 210 do
    [found] = steps([100, 103, 99, 101, 150, 152, 149, 151])
    assert (found.at, found.by_chance, found.proven_by) == (4, 2 / 70, 10)


def test_steps_of_a_series():
    levels = np.repeat([100.0, 160.0, 100.0], 100) + 3.3 * NOISE
    assert [round(found.at, -1) for found in change_points(levels)] == [100, 200]
    assert change_points(np.linspace(1000, 700, 300) + 3.3 * NOISE) == []


def test_a_series_with_stalls_at_zero(rows):
    rng = np.random.default_rng(3)
    values = np.where(rng.random(300) < 0.05, 0.0, rng.normal(1000, 50, 300))
    values[150:] *= 0.7
    log = pd.DataFrame({"quantity": "iops", "time_s": np.arange(1.0, 301), "value": values})
    first, second = rows(shifts(log))
    assert (first["time_s"], first["segment"]) == (0, 1)
    assert second["time_s"] == pytest.approx(150, abs=5)
    assert second["words"] == "step down"
    assert second["ratio_lo"] < 0.7 < second["ratio_hi"]


def test_a_drift_is_not_a_step(rows):
    def first(values):
        return rows(shifts(pd.DataFrame({"iops": values}), "iops"))[0]

    assert first(np.linspace(1000, 700, 20) + 3.3 * NOISE[:20])["verdict"] == "no step"
    told = first(np.linspace(1000, 900, 100) + 3.3 * NOISE[:100])["told"]
    assert "a drift, not a step?" in told
    assert first(np.repeat([1000, 700], 10) + 3.3 * NOISE[:20])["told"] is None


def test_both_kinds_of_frame_and_groups(make, rows):
    runs = make(mount=["9p"] * 5 + ["x"] * 3, iops=[*map(float, READS), 1.0, 2.0, 3.0])
    found = shifts(runs, "iops", by="mount")
    assert type(found) is type(runs)
    told = [(row["mount"], row["segment"], row["n"], row["words"]) for row in rows(found)]
    assert told == [
        ("9p", 1, 2, None),
        ("9p", 2, 3, "step up, or two levels by chance"),
        ("x", 1, 3, "too few runs: 3 of 4"),
    ]


@pytest.mark.parametrize(
    ("places", "first"),
    [
        ([3, 1.5], 1.5),
        ([f"v1.{minor}" for minor in range(8, 13)], "v1.8"),
        (["r10", "r9"], "r9"),
        (["r" + "9" * 30, "r" + "1" * 30, "r2"], "r2"),
        ([f"2026-11-24T10:0{minute}:00+02:00" for minute in range(5)], "2026-11-24T10:00:00+02:00"),
        ([date(2026, 11, 8), date(2026, 11, 9)], date(2026, 11, 8)),
    ],
    ids=str,
)
def test_order_takes_what_numbers_the_runs(make, rows, places, first):
    for order in (places, places[::-1]):
        runs = make(place=order, iops=[float(value) for value in READS[: len(places)]])
        assert str(rows(shifts(runs, "iops", order="place"))[0]["place"]).startswith(str(first))


@pytest.mark.parametrize(
    "places",
    [
        ["f3a9c01", "b2188de", "0c9f1aa", "e77d052", "a10bc33"],  # sorted by hash they have no step
        ["24.11.2026", "25.11.2026", "26.11.2026", "01.12.2026", "02.12.2026"],
        ["Nov", "Dec", "Jan", "Feb", "Mar"],
        ["1M", "4k"],
        [True, False],
        ["2026-01-02 09:00", "2026-01-01T10:00"],
    ],
    ids=str,
)
def test_texts_that_tell_no_order_are_refused(make, places):
    runs = make(place=places, iops=[float(value) for value in READS[: len(places)]])
    with pytest.raises(SchemaError, match="'place' do not tell which run came first: order= takes"):
        shifts(runs, "iops", order="place")


def test_samples_have_an_order_of_their_own(log):
    with pytest.raises(SchemaError, match="samples are in order of time: leave out order="):
        shifts(log([1.0, 2.0]), order="time_s")


def test_one_rule_for_all_lengths():
    rng = np.random.default_rng(6)
    high = 4 * SPREAD
    few, more = (
        np.mean(seen(HISTORIES["lognormal"], high * (np.arange(n) >= 15), 200, rng))
        for n in (30, 31)
    )
    assert min(few, more) > 0.93


@pytest.mark.parametrize("noise", ["lognormal", "t with 3 df", "two modes", "AR(1), rho 0.8"])
@pytest.mark.parametrize("n", [5, 20, 60])
def test_histories_without_a_step(n, noise):
    found = alarms(steps, HISTORIES[noise], n, 300, np.random.default_rng(n))
    assert np.mean(found > 0) < 0.09


def test_a_step_far_beyond_chance_stays_when_runs_are_added():
    found = kept(0.0, 10, 30, np.random.default_rng(7))
    assert len(found) > 20
    assert all(found)


@pytest.mark.parametrize("noise", ["independent", "AR(1), rho 0.8"])
def test_series_without_a_step(noise):
    found = alarms(change_points, SERIES[noise], 300, 300, np.random.default_rng(1))
    assert np.mean(found > 0) < 0.035
    step = 3 * SPREAD * (np.arange(300) >= 150)
    at = places(change_points, SERIES[noise], step, 100, np.random.default_rng(2))
    assert np.mean(np.abs(at - 0.5) < 0.1) > 0.6


def test_the_interval_of_a_step_holds_it():
    held = ratio_holds(SERIES["independent"], 120, 150, np.random.default_rng(3), series=True)
    assert np.mean(held) > 0.85


def test_compare_warns_of_a_step_on_a_side(rows):
    runs = pd.DataFrame(
        {
            "mount": ["9p"] * 5 + ["x"] * 5,
            "iops": [*READS, 7000, 7100, 6900, 7050, 6950],
            "started_at": pd.date_range("2022-12-30", periods=10, freq="min", tz="UTC"),
        }
    )
    (row,) = rows(ft.compare(runs, "iops", between="mount", baseline="x"))
    said = "values of a side step up by 56 % after run 2 of 5, or lie so by chance: see shifts()"
    assert said in row["told"]
    runs["iops"] = [8900, 8910, 8916, 9037, 8910, 7000, 7100, 6900, 7050, 6950]
    (row,) = rows(ft.compare(runs, "iops", between="mount", baseline="x"))
    assert "step" not in (row["told"] or "")


def test_a_series_that_is_shorter_than_a_round(log, rows):
    (row,) = rows(shifts(log([1.0, 2.0]), round_s=10))
    assert (row["words"], row["center"]) == ("too few samples: 0 of 20", None)
