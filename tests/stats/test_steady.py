from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import fiotools as ft
from benchmarks.coverage.noise import autoregressive
from benchmarks.coverage.steady import met
from fiotools import steady
from fiotools.errors import SchemaError
from fiotools.stats.series import portions
from fiotools.stats.steady import (
    autocorrelation,
    batch_interval,
    integrated_time,
    mser5,
    window_of,
)

FIXTURES = Path(__file__).parents[1] / "fixtures"
DECAY = [104.0, 102.0, 100.0, 98.0, 96.0]


def line(n, slope):
    return [100 + slope * (i - (n - 1) / 2) for i in range(n)]


@pytest.fixture
def log(make):
    """Make samples of one series, a second apart."""

    def build(values, **more):
        times = [float(i) for i in range(1, len(values) + 1)]
        columns = {"source": "a", "run": 1, "direction": "read", "quantity": "iops"}
        return make(**(columns | {"time_s": times, "value": values} | more))

    return build


def noise(n, rho, seed):
    rng = np.random.default_rng(seed)
    found = [rng.normal() / np.sqrt(1 - rho**2)]
    for _ in range(n - 1):
        found.append(rho * found[-1] + rng.normal())
    return 100 + np.array(found)


def test_a_decay_of_two_percent_a_round_passes_and_is_told(log, rows):
    (row,) = rows(steady(log(DECAY)))
    assert (row["n"], row["mean"], row["window"], row["window_mean"]) == (5, 100, 5, 100)
    # by hand: 104 - 96, 104 - 100, a line of -2 a round over 4 steps
    assert (row["range_pct"], row["deviation_pct"]) == pytest.approx((8, 4))
    assert (row["rise_pct"], row["drift_pct"]) == pytest.approx((-8, -2))
    assert (row["met"], row["words"], row["method"]) == (True, "window met", "snia")
    assert row["told"].startswith("it falls by 8 % over the window, 2 % a round; mean")


@pytest.mark.parametrize(
    ("values", "met", "verdict"),
    [
        ([90.0, 100.0, 110.0, 100.0, 100.0], True, "window met"),
        ([89.9, 100.0, 110.1, 100.0, 100.0], False, "window not met: range 20.2 %, limit 20 %"),
        (line(5, 2.5), True, "window met"),
        (line(5, -2.6), False, "window not met: fall 10.4 %, limit 10 %"),
        (
            [70.0, 130.0, 100.0, 100.0, 150.0],
            False,
            "window not met: range 72.7 %, limit 20 %; rise 47.3 %, limit 10 %",
        ),
    ],
    ids=["range of 20 %", "range above", "rise of 10 %", "fall above", "both"],
)
def test_snia_lets_its_limits_be_reached(log, rows, values, met, verdict):
    (row,) = rows(steady(log(values)))
    assert (row["met"], row["words"]) == (met, verdict)


def test_stationary_rounds_with_a_spread_of_five_percent_fail_one_time_in_seven():
    series = np.random.default_rng(5).normal(100, 5, (4000, 5))
    failed = sum(bool(window_of(one, np.ones(5)).over()) for one in series)
    assert failed / 4000 == pytest.approx(0.14, abs=0.025)


@pytest.mark.parametrize("seed", range(3))
def test_the_line_is_numpys(seed):
    values = np.random.default_rng(seed).uniform(50, 150, 9)
    found = window_of(values, np.ones(9))
    slope = np.polyfit(range(9), values, 1)[0]
    assert found.rise_pct == pytest.approx(100 * slope * 8 / values.mean())
    # a sample of three seconds is three samples of one
    widths = np.array([1.0, 3.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0, 1.0])
    middle = np.cumsum(widths) - widths / 2
    slope = np.polyfit(middle, values, 1, w=np.sqrt(widths))[0]
    mean = np.repeat(values, widths.astype(int)).mean()
    found = window_of(values, widths)
    assert found.window_mean == pytest.approx(mean)
    assert found.rise_pct == pytest.approx(100 * slope * (middle[-1] - middle[0]) / mean)


def test_five_seconds_are_not_rounds_of_a_longer_series(log, rows):
    values = np.linspace(120, 80, 100)  # its last five seconds fall by 2 %
    (row,) = rows(steady(log(values.tolist())))
    fifths = values.reshape(5, 20).mean(axis=1)
    assert row["met"] is False
    assert row["range_pct"] == pytest.approx(float(np.ptp(fifths)))
    assert row["rise_pct"] == pytest.approx(fifths[-1] - fifths[0])
    assert (row["rounds"], row["first_round"], row["last_round"], row["cut"]) == (5, 1, 5, 0)


def test_the_first_window_that_qualifies_and_the_drift_outside_it(log, rows):
    values = np.linspace(120, 80, 100)
    (row,) = rows(steady(log(values.tolist()), round_s=5))
    # 5 rounds of 20 fall by 8 %, from the first on
    assert (row["met"], row["rounds"], row["first_round"], row["last_round"]) == (True, 20, 1, 5)
    assert "over the whole series it falls by 32 %" in row["told"]
    values = np.concatenate([[300.0, 250.0, 200.0], np.full(30, 100.0)])
    (row,) = rows(steady(log(values.tolist()), round_s=1))
    assert (row["first_round"], row["last_round"]) == (4, 8)
    late = np.concatenate([np.tile([100.0, 200.0], 14), np.full(5, 100.0)])
    (row,) = rows(steady(log(late.tolist()), round_s=1))
    assert (row["last_round"], row["met"]) == (33, True)
    assert "met after round 33: SNIA stops after 25" in row["told"]


def test_a_start_of_one_round_may_be_left_out(log, rows):
    values = noise(100, 0, 8)
    values[:10] += 300
    (row,) = rows(steady(log(values.tolist())))
    assert (row["met"], row["cut"]) == (True, 10)
    assert row["window_mean"] == pytest.approx(values[10:].mean())
    values[:40] += 300
    assert rows(steady(log(values.tolist())))[0]["met"] is False


def test_a_step_within_the_limits_is_named(log, rows):
    values = noise(200, 0, 9)
    values[100:] += 7
    (row,) = rows(steady(log(values.tolist())))
    assert row["met"] is None
    assert "a step at sample 10" in row["told"]


@pytest.mark.parametrize(("fall", "named"), [(0.08, {}), (0.3, {"round_s": 4.0})])
def test_a_mean_that_is_not_known_is_not_steady(log, rows, fall, named):
    line = 1 - fall * np.linspace(-0.5, 0.5, 300)
    step = np.where(np.arange(300) < 150, 1.0, 1 - fall)
    (row,) = rows(steady(log((1000 * (step if named else line)).tolist()), **named))
    assert (row["met"], row["verdict"]) == (None, "undecided")
    assert row["words"].startswith("cannot tell: the interval of the mean is ")
    (row,) = rows(steady(log((1000 * noise(300, 0, 3) / 100).tolist()), **named))
    assert row["met"] is True


@pytest.mark.parametrize("rho", [0.0, 0.8])
def test_steady_is_met_by_stationary_series_and_not_by_drift(rho):
    level = autoregressive(30, 60, np.random.default_rng(1), rho)
    assert met(level).count(False) <= 2
    assert np.mean(met(level - 0.3 * np.linspace(0, 1, 60))) < 0.1


def test_the_interval_of_the_mean_is_in_the_answer(log, rows):
    values = noise(300, 0.3, 1)
    (row,) = rows(steady(log(values.tolist())))
    assert (row["mean_lo"], row["mean_hi"]) == pytest.approx(batch_interval(values))
    assert row["mean"] == pytest.approx(values.mean())
    assert (row["confidence"], row["n"], row["interval_s"]) == (0.95, 300, 1.0)
    assert row["lag1"] == pytest.approx(np.corrcoef(values[:-1], values[1:])[0, 1], abs=0.01)
    assert "need" not in (row["told"] or "")


def test_a_series_of_independent_samples_has_about_their_t_interval():
    widths = [
        np.ptp(batch_interval(values)) / np.ptp(stats.ttest_1samp(values, 0).confidence_interval())
        for values in np.random.default_rng(4).normal(100, 5, (300, 120))
    ]
    assert 1.2 < np.median(widths) < 1.6


def test_an_interval_wider_than_its_mean_says_nothing(log, rows):
    (row,) = rows(steady(log([0.0] * 56 + [1000.0] * 4)))
    assert (row["mean_lo"], row["mean_hi"]) == (None, None)
    assert "unsteady-mean" in row["flags"]


def test_batches_are_of_equal_time():
    # 62 samples: a batch of 4 2/15 cuts samples
    values = noise(62, 0, 2)
    assert batch_interval(values, None, 0.9) == pytest.approx(
        batch_interval(np.repeat(values, 15), None, 0.9)
    )
    # two samples of a second are one of two seconds
    pairs = values.reshape(31, 2).mean(axis=1)
    edges = np.linspace(0, 62, 6)
    mixed, widths = np.concatenate([pairs[:20], values[40:]]), np.repeat([2.0, 1.0], [20, 22])
    same = np.concatenate([np.repeat(pairs[:20], 2), values[40:]])
    assert portions(mixed, widths, edges) == pytest.approx(portions(same, np.ones(62), edges))


def test_correlation_is_the_sum_over_lags():
    values = noise(200, 0.6, 3)
    rest = values - values.mean()
    slow = [float(rest[: 200 - lag] @ rest[lag:]) for lag in range(200)]
    assert autocorrelation(values) == pytest.approx([s / slow[0] for s in slow], abs=1e-12)


@pytest.mark.parametrize(("rho", "tau"), [(0.0, 1.0), (0.3, 13 / 7), (0.6, 4.0), (0.8, 9.0)])
def test_tau_is_that_of_an_autoregressive_series(rho, tau):
    found = integrated_time(autocorrelation(noise(20000, rho, 4)))
    assert found == pytest.approx(tau, rel=0.15)


def test_a_mean_says_what_it_needs(log, rows):
    (row,) = rows(steady(log(noise(59, 0, 5).tolist())))
    assert (row["mean_lo"], row["mean_hi"]) == (None, None)
    assert "mean: need >= 60 samples for its interval" in row["told"]
    (row,) = rows(steady(log(noise(300, 0.5, 6).tolist())))
    assert "mean" not in (row["told"] or "")
    (row,) = rows(steady(log([5.0] * 60)))
    assert (row["mean_lo"], row["tau"], row["met"]) == (None, None, True)
    assert row["told"] == "mean: no spread between its batches, so no interval"


def test_one_sample_is_told_what_is_missing(log, rows):
    (row,) = rows(steady(log([100.0])))
    assert (row["n"], row["mean"], row["met"]) == (1, 100.0, None)
    assert row["words"] == "too few rounds: 1 of 5"
    assert row["told"] == "mean: need >= 60 samples for its interval"


def test_intervals_of_unequal_length_weigh_as_much_as_they_last(log, rows):
    (row,) = rows(steady(log([10.0, 40.0, 20.0, 20.0], time_s=[1.0, 1.6, 2.6, 3.6])))
    assert row["mean"] == pytest.approx((10 * 1 + 40 * 0.6 + 20 + 20) / 3.6)
    # a log that begins late: its first sample is as long as the others
    (row,) = rows(steady(log([10.0, 40.0, 40.0], time_s=[31.0, 32.0, 33.0])))
    assert row["mean"] == 30


def test_windows_without_io_are_no_longer_rates(log, rows):
    # fio wrote nothing at 3 and 4 s: the fifth second has 40, and not three seconds
    paused = {"values": [10.0, 10.0, 40.0, 10.0], "time_s": [1.0, 2.0, 5.0, 6.0]}
    (row,) = rows(steady(log(**paused)))
    assert (row["n"], row["mean"]) == (6, pytest.approx((10 + 10 + 40 + 10) / 6))
    assert "2 s between samples count as time without I/O" in row["told"]
    # a sample that came late stands for all of its time
    (row,) = rows(steady(log([10.0, 10.0, 40.0, 10.0], time_s=[1.0, 2.0, 3.9, 4.9])))
    assert row["mean"] == pytest.approx((10 + 10 + 40 * 1.9 + 10) / 4.9)
    # no I/O has no latency
    (row,) = rows(steady(log(**paused, quantity="lat_ns")))
    assert (row["n"], row["mean"]) == (4, pytest.approx((10 + 10 + 40 * 3 + 10) / 6))


@pytest.mark.parametrize("quantity", ["io_bytes", "total_ios"])
def test_reports_since_the_start_become_rates(log, rows, quantity):
    # the last report came right after the one before it, and takes its place
    times = [1.0, 2.0, 4.0, 5.0, 6.0, 6.1]
    samples = log([100.0, 300.0, 600.0, 700.0, 800.0, 840.0], time_s=times, quantity=quantity)
    (row,) = rows(steady(samples))
    metric = {"io_bytes": ("bw_bytes_per_s", "B/s"), "total_ios": ("iops", "1/s")}[quantity]
    assert (row["metric"], row["unit"], row["quantity"]) == (*metric, quantity)
    assert row["n"] == 5
    # rates 100, 200, 150, 100 and 140 / 1.1
    assert row["mean"] == pytest.approx(840 / 6.1)
    assert row["range_pct"] == pytest.approx(100 * (200 - 100) / (840 / 6.1))


def test_status_interval_of_fio(rows):
    res = ft.read(FIXTURES / "fio/fio-3.33--status-interval.json")
    row = next(r for r in rows(steady(res.samples, "total_ios")))
    # 883 in .879 s, 998 in 1 s, 1118 in 1.122 s
    assert (row["n"], row["mean"]) == (3, pytest.approx(2999 / 3.001))


def test_the_seconds_of_a_steady_state_have_no_times(rows):
    res = ft.read(FIXTURES / "fio/fio-3.33--steadystate.txt")
    answer = steady(res.samples)
    assert [r["quantity"] for r in rows(answer)] == ["iops", "bw_bytes_per_s"]
    first = rows(answer)[0]
    assert (first["n"], first["interval_s"], first["words"]) == (2, None, "too few rounds: 2 of 5")
    with pytest.raises(SchemaError, match="round_s needs times"):
        steady(res.samples, round_s=1)


def test_counts_of_a_histogram_log(rows):
    res = ft.read(FIXTURES / "fio/fio-3.33--log-hist_clat_hist.1.log")
    read = next(r for r in rows(steady(res.samples)) if r["direction"] == "read")
    assert (read["metric"], read["n"]) == ("iops", 3)
    assert read["mean"] == pytest.approx((52 + 50 + 50) / 1.51)


def test_rounds_of_single_ios(log, rows):
    latencies = log(
        [1.0, 3.0, 5.0, 7.0, 9.0],
        time_s=[0.0, 1.0, 1.5, 1.5, 3.5],
        quantity="lat_ns",
        bs_bytes=4096,
    )
    with pytest.raises(SchemaError, match="rows of lat_ns are one I/O each: round_s=1 makes"):
        steady(latencies)
    (row,) = rows(steady(latencies, round_s=1))
    # 0 to 1 s: 1, 3; 1 to 2 s: 5, 7; nothing to 3 s; the rest is no round
    assert (row["n"], row["mean"], row["interval_s"]) == (2, 4.0, 1.0)
    assert row["told"].endswith("1 of 3 rounds without I/O left out")
    counts = log([1.0] * 6, time_s=[0.2, 0.4, 1.0, 1.5, 1.5, 2.0], quantity="count", bs_bytes=4096)
    (row,) = rows(steady(counts, round_s=1))
    assert (row["metric"], row["n"], row["mean"]) == ("iops", 2, 3.0)


def test_rounds_of_several_samples(log, rows):
    values = [11.0, 13.0, 12.0, 14.0, 13.0, 15.0, 14.0, 16.0, 15.0, 17.0, 100.0]
    (row,) = rows(steady(log(values), round_s=2))
    assert (row["n"], row["mean"], row["interval_s"]) == (5, 14.0, 2.0)
    assert row["rise_pct"] == pytest.approx(100 * 4 / 14)


def test_runs_can_be_the_rounds(make, rows):
    io = make(
        source=[f"{i}.json" for i in range(5)],
        run=1,
        direction="write",
        iops=DECAY[::-1],
        reported_at=[5, 4, 3, 2, 1],
    )
    (row,) = rows(steady(io, "iops", by="direction"))
    assert (row["direction"], row["rise_pct"]) == ("write", pytest.approx(-8))
    assert row["interval_s"] is None
    with pytest.raises(SchemaError, match="no column 'value': name the column to judge"):
        steady(io)


def test_series_stay_apart(make, rows):
    samples = make(
        volume=["a"] * 5 + ["b"] * 5,
        run=1,
        entry=[1] * 5 + [1] * 5,
        direction="read",
        quantity="iops",
        time_s=[1.0, 2.0, 3.0, 4.0, 5.0] * 2,
        value=DECAY + [1.0] * 5,
    )
    found = steady(samples, by="volume")
    assert type(found) is type(samples)
    assert [(r["volume"], r["mean"]) for r in rows(found)] == [("a", 100.0), ("b", 1.0)]
    assert list(found.columns)[:5] == ["volume", "run", "entry", "direction", "quantity"]
    with pytest.raises(SchemaError, match=r"times do not rise in run 1.*by= \(volume\)"):
        steady(samples)


def test_pandas_and_polars_agree(rows):
    samples = ft.read(FIXTURES / "fio/fio-3.33--log-windows_lat.1.log").samples
    mine = rows(steady(samples))
    assert mine == rows(steady(pl.from_dicts(samples.astype(object).to_dict("records"))))
    assert len(mine) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value": [1.0, float("nan")]}, "value is missing in 1 of 2 rows"),
        ({"value": [1.0, -2.0]}, "value is -2 in row 1"),
        ({"value": [1.0, float("inf")]}, "value is infinite"),
        ({"time_s": [2.0, 1.0]}, "times do not rise in run 1 of a, read, iops"),
        ({"time_s": [1.0, 1.0]}, "the rows mix several jobs or runs"),
        ({"time_s": [1.0, None]}, "time_s is missing in some samples"),
        ({"time_s": [-1.0, 1.0]}, "time_s is below 0"),
        ({"value": [2.0, 1.0], "quantity": "io_bytes"}, "io_bytes counts from the start .* falls"),
        ({"time_s": [None, None], "quantity": "io_bytes"}, r"io_bytes .* has no times \(time_s\)"),
    ],
    ids=["nan", "negative", "inf", "back", "twice", "gap", "before 0", "falls", "untimed"],
)
def test_bad_samples_get_one_line(log, change, message):
    frame = log([1.0, 2.0], **change)
    with pytest.raises(SchemaError, match=message) as error:
        steady(frame)
    assert "\n" not in str(error.value)


def test_the_window_that_fio_had_just_begun_is_left_out(log, rows):
    (row,) = rows(steady(log([*DECAY, 500.0], time_s=[1.0, 2.0, 3.0, 4.0, 5.0, 5.0])))
    assert (row["n"], row["mean"]) == (5, 100.0)
    assert row["told"].endswith("the last sample ends with the one before: left out")


def test_jobs_that_nothing_tells_apart_are_refused(log):
    frame = log(DECAY * 2, time_s=[1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0, 5.0, 5.0])
    with pytest.raises(SchemaError, match="the rows mix several jobs or runs"):
        steady(frame)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"quantity": "bw"}, "no sample of 'bw'; there are: iops"),
        ({"by": "volume"}, "no column 'volume'"),
        ({"method": "fio-slope"}, "steady takes no method="),
        ({"round_s": 0.5}, "round_s=0.5 is less than one sample, 1 s"),
        ({"round_s": -1}, "round_s is -1"),
        ({"confidence": 95}, "confidence is 95"),
    ],
    ids=[
        *("quantity", "by", "method", "short", "round below 0", "confidence"),
    ],
)
def test_bad_questions_get_one_line(log, arguments, message):
    with pytest.raises(SchemaError, match=message) as error:
        steady(log(DECAY), **arguments)
    assert "\n" not in str(error.value)


def test_nothing_done_is_nothing_to_share(log, rows):
    (row,) = rows(steady(log([0.0] * 5)))
    assert (row["words"], row["met"]) == ("nothing was done", None)


def test_no_frame():
    with pytest.raises(SchemaError, match="not list"):
        steady([1, 2])
    with pytest.raises(SchemaError, match="the frame has no rows"):
        steady(pd.DataFrame({"value": [1.0]}).head(0))


def test_mser5_finds_a_start():
    assert mser5(np.array([500.0] * 10 + [100.0, 101.0, 99.0] * 20)) == 10
