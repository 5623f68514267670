"""`steady`: SNIA's window and the mean of a series, by hand, by numpy, and by fio's own numbers."""

from __future__ import annotations

import numpy as np
import pytest

import fiotools as ft
from benchmarks.coverage.noise import autoregressive
from benchmarks.coverage.steady import met
from fiotools import steady
from fiotools.errors import SchemaError
from fiotools.stats.steady import window_of
from tests.conftest import FIXTURES

FIO = FIXTURES / "fio"
DECAY = [104.0, 102.0, 100.0, 98.0, 96.0]
FALL = np.linspace(120, 80, 100)


@pytest.fixture
def judged(log, rows):
    """Judge samples of one series."""

    def judge(values, columns=None, **asked):
        (row,) = rows(steady(log(values, **(columns or {})), **asked))
        return row

    return judge


def line(n, slope):
    return [100 + slope * (i - (n - 1) / 2) for i in range(n)]


def noise(n, rho, seed):
    rng = np.random.default_rng(seed)
    found = [rng.normal() / np.sqrt(1 - rho**2)]
    for _ in range(n - 1):
        found.append(rho * found[-1] + rng.normal())
    return 100 + np.array(found)


# the window


def test_a_decay_of_two_percent_a_round_passes_and_is_told(judged):
    row = judged(DECAY)
    assert (row["n"], row["mean"], row["window"], row["window_mean"]) == (5, 100, 5, 100)
    # by hand: 104 - 96, 104 - 100, a line of -2 a round over 4 steps
    assert (row["range_pct"], row["deviation_pct"]) == pytest.approx((8, 4))
    assert (row["rise_pct"], row["drift_pct"]) == pytest.approx((-8, -2))
    assert (row["met"], row["words"], row["method"]) == (True, "window met", "snia")
    assert row["told"].startswith("it falls by 8 % over the window, 2 % a round; mean")


@pytest.mark.parametrize(
    ("values", "met", "words"),
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
        ([0.0] * 5, None, "nothing was done"),
        ([100.0], None, "too few rounds: 1 of 5"),
    ],
)
def test_snia_lets_its_limits_be_reached(judged, values, met, words):
    row = judged(values)
    assert (row["met"], row["words"]) == (met, words)


def test_stationary_rounds_with_a_spread_of_five_percent_fail_one_time_in_seven():
    series = np.random.default_rng(5).normal(100, 5, (4000, 5))
    failed = sum(bool(window_of(one, np.ones(5)).over()) for one in series)
    assert failed / 4000 == pytest.approx(0.14, abs=0.025)


def test_the_line_is_numpys(judged):
    # a sample of three seconds is three samples of one
    widths = np.array([1.0, 3.0, 1.0, 2.0, 1.0])
    middle = np.cumsum(widths) - widths / 2
    for seed in range(3):
        values = np.random.default_rng(seed).uniform(50, 150, 5)
        mean = np.repeat(values, widths.astype(int)).mean()
        slope = np.polyfit(middle, values, 1, w=np.sqrt(widths))[0]
        row = judged(values, {"time_s": np.cumsum(widths).tolist(), "quantity": "lat_ns"})
        assert row["window_mean"] == pytest.approx(mean)
        assert row["rise_pct"] == pytest.approx(100 * slope * (middle[-1] - middle[0]) / mean)


def test_the_numbers_of_a_window_are_those_that_fio_printed():
    # criterion 0.024981 %, the farthest from the mean
    samples = ft.read(FIO / "fio-3.33--steadystate.txt").samples
    values = samples.query("quantity == 'iops'")["value"].to_numpy()
    found = window_of(values, np.ones(len(values)))
    assert found.deviation_pct == pytest.approx(0.024981, abs=5e-7)
    # bw_slope over three seconds: slope 5712148.5, criterion 14.373461 %
    found = window_of(np.array([34185216.0, 39428096.0, 45609513.0]), np.ones(3))
    # fio divides by a mean cut to a whole number
    assert found.drift_pct == pytest.approx(14.373461, abs=1e-6)
    assert found.drift_pct / 100 * found.window_mean == pytest.approx(5712148.5)


def test_five_seconds_are_not_rounds_of_a_longer_series(judged):
    row = judged(FALL)  # its last five seconds fall by 2 %
    fifths = FALL.reshape(5, 20).mean(axis=1)
    assert row["met"] is False
    assert row["range_pct"] == pytest.approx(float(np.ptp(fifths)))
    assert row["rise_pct"] == pytest.approx(fifths[-1] - fifths[0])
    assert (row["rounds"], row["first_round"], row["last_round"], row["cut"]) == (5, 1, 5, 0)


@pytest.mark.parametrize(
    ("values", "round_s", "rounds", "first", "told"),
    [
        # 5 rounds of 20 fall by 8 %, from the first on
        (FALL, np.int64(5), 20, 1, "over the whole series it falls by 32 %"),
        ([300.0, 250.0, 200.0] + [100.0] * 30, 1, 33, 4, ""),
        ([100.0, 200.0] * 14 + [100.0] * 5, 1, 33, 29, "met after round 33: SNIA stops after 25"),
    ],
    ids=["fall", "start", "late"],
)
def test_of_rounds_the_first_window_that_is_met_counts(
    judged, values, round_s, rounds, first, told
):
    row = judged(values, round_s=round_s)
    assert (row["met"], row["rounds"]) == (True, rounds)
    assert (row["first_round"], row["last_round"]) == (first, first + 4)
    assert told in row["told"]


def test_a_start_of_one_round_may_be_left_out(judged):
    values = noise(100, 0, 8)
    values[:10] += 300
    row = judged(values)
    assert (row["met"], row["cut"]) == (True, 10)
    assert row["window_mean"] == pytest.approx(values[10:].mean())
    values[:40] += 300
    assert judged(values)["met"] is False


def test_a_step_within_the_limits_is_named(judged):
    row = judged(np.repeat([100.0, 107.0], 100) + noise(200, 0, 9) - 100)
    assert row["met"] is None
    assert "a step at sample 10" in row["told"]


@pytest.mark.parametrize(
    ("shares", "asked"),
    [
        (1 - 0.08 * np.linspace(-0.5, 0.5, 300), {}),
        (np.repeat([1.0, 0.7], 150), {"round_s": 4.0}),
    ],
    ids=["line", "step"],
)
def test_a_mean_that_is_not_known_is_not_steady(judged, shares, asked):
    row = judged(1000 * shares, **asked)
    assert (row["met"], row["verdict"]) == (None, "undecided")
    assert row["words"].startswith("cannot tell: the interval of the mean is ")
    assert judged(10 * noise(300, 0, 3), **asked)["met"] is True


@pytest.mark.parametrize("rho", [0.0, 0.8])
def test_steady_is_met_by_stationary_series_and_not_by_drift(rho):
    level = autoregressive(30, 60, np.random.default_rng(1), rho)
    assert met(level).count(False) <= 2
    assert np.mean(met(level - 0.3 * np.linspace(0, 1, 60))) < 0.1


# the mean


def test_the_mean_is_of_all_samples_and_their_correlation_that_of_neighbours(judged):
    values = noise(300, 0.3, 1)
    row = judged(values)
    rest = values - values.mean()
    assert (row["confidence"], row["n"], row["interval_s"]) == (0.95, 300, 1.0)
    assert row["mean"] == pytest.approx(values.mean())
    assert row["lag1"] == pytest.approx(rest[1:] @ rest[:-1] / (rest @ rest))
    assert "mean" not in (row["told"] or "")


@pytest.mark.parametrize(("rho", "tau"), [(0.0, 1.0), (0.3, 13 / 7), (0.6, 4.0), (0.8, 9.0)])
def test_tau_is_that_of_an_autoregressive_series(judged, rho, tau):
    assert judged(noise(20_000, rho, 4))["tau"] == pytest.approx(tau, rel=0.15)


def test_batches_are_of_equal_time(judged):
    def ends(values, widths):
        columns = {"time_s": np.cumsum(widths).tolist(), "quantity": "lat_ns"}
        row = judged(values, columns, confidence=0.9)
        return row["mean_lo"], row["mean_hi"]

    # two samples of a second are one of two seconds, and a batch of 8 4/15 seconds cuts some
    values = noise(124, 0, 2)
    pairs = values.reshape(62, 2).mean(axis=1)[22:]
    mixed = np.concatenate([values[:44], pairs])
    same = np.concatenate([values[:44], np.repeat(pairs, 2)])
    widths = np.repeat([1.0, 2.0], [44, 40])
    assert ends(mixed, widths) == pytest.approx(ends(same, np.ones(124)))


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (noise(59, 0, 5), "mean: need >= 60 samples for its interval"),
        ([5.0] * 60, "mean: no spread between its batches, so no interval"),
        ([0.0] * 56 + [1000.0] * 4, "mean: the speed changes too much for an interval"),
    ],
    ids=["few", "equal", "stalls"],
)
def test_a_mean_may_have_no_interval(judged, values, told):
    row = judged(values)
    assert (row["mean_lo"], row["mean_hi"]) == (None, None)
    assert told in row["told"]


# samples: how long they are, and what they count


@pytest.mark.parametrize(
    ("values", "times", "quantity", "n", "mean"),
    [
        # weighed by how long they last
        ([10.0, 40.0, 20.0, 20.0], [1.0, 1.6, 2.6, 3.6], "iops", 4, (10 + 24 + 20 + 20) / 3.6),
        # a log that begins late: its first sample is as long as the others
        ([10.0, 40.0, 40.0], [31.0, 32.0, 33.0], "iops", 3, 30),
        # fio wrote nothing at 3 and 4 s: the fifth second has 40, and not three seconds
        ([10.0, 10.0, 40.0, 10.0], [1.0, 2.0, 5.0, 6.0], "iops", 6, 70 / 6),
        # no I/O has no latency
        ([10.0, 10.0, 40.0, 10.0], [1.0, 2.0, 5.0, 6.0], "lat_ns", 4, 150 / 6),
    ],
    ids=["unequal", "late start", "pause", "latencies"],
)
def test_a_sample_weighs_as_much_as_it_lasts(judged, values, times, quantity, n, mean):
    row = judged(values, {"time_s": times, "quantity": quantity})
    assert (row["n"], row["mean"]) == (n, pytest.approx(mean))
    paused = "2 s between samples count as time without I/O"
    assert (paused in row["told"]) is (n > len(values))


def test_the_length_of_a_sample_at_time_0_is_unknown(judged):
    row = judged([7.0], {"time_s": 0.0})
    assert (row["mean"], row["interval_s"]) == (7.0, None)
    assert "the only sample is at time 0" in row["told"]


@pytest.mark.parametrize(
    ("asked", "n", "mean"), [({}, 5, 100.0), ({"round_s": 2}, 2, 101.0)], ids=str
)
def test_the_window_that_fio_had_just_begun_is_left_out(judged, asked, n, mean):
    row = judged([*DECAY, 500.0], {"time_s": [1.0, 2.0, 3.0, 4.0, 5.0, 5.0]}, **asked)
    assert (row["n"], row["mean"]) == (n, mean)
    assert "the last sample ends with the one before: left out" in row["told"]


@pytest.mark.parametrize(
    ("quantity", "metric", "unit"),
    [("io_bytes", "bw_bytes_per_s", "B/s"), ("total_ios", "iops", "1/s")],
)
def test_reports_since_the_start_become_rates(judged, quantity, metric, unit):
    # the last report came right after the one before it, and takes its place
    times = [1.0, 2.0, 4.0, 5.0, 6.0, 6.1]
    row = judged(
        [100.0, 300.0, 600.0, 700.0, 800.0, 840.0], {"time_s": times, "quantity": quantity}
    )
    assert (row["metric"], row["unit"], row["quantity"]) == (metric, unit, quantity)
    # rates 100, 200, 150, 100 and 140 / 1.1
    assert (row["n"], row["mean"]) == (5, pytest.approx(840 / 6.1))
    assert row["range_pct"] == pytest.approx(100 * (200 - 100) / (840 / 6.1))


def test_the_seconds_of_a_steady_state_have_no_times(rows):
    samples = ft.read(FIO / "fio-3.33--steadystate.txt").samples
    first, second = rows(steady(samples))
    assert (first["quantity"], second["quantity"]) == ("iops", "bw_bytes_per_s")
    assert (first["n"], first["interval_s"], first["words"]) == (2, None, "too few rounds: 2 of 5")
    with pytest.raises(SchemaError, match="round_s needs times"):
        steady(samples, round_s=1)


def test_rounds_of_single_ios(log, judged):
    single = {"time_s": [0.0, 1.0, 1.5, 1.5, 3.5], "quantity": "lat_ns", "bs_bytes": 4096}
    values = [1.0, 3.0, 5.0, 7.0, 9.0]
    with pytest.raises(SchemaError, match="rows of lat_ns are one I/O each: round_s=1 makes"):
        steady(log(values, **single))
    row = judged(values, single, round_s=1)
    # 0 to 1 s: 1, 3; 1 to 2 s: 5, 7; nothing to 3 s; the rest is no round
    assert (row["n"], row["mean"], row["interval_s"]) == (2, 4.0, 1.0)
    assert row["told"].endswith("1 of 3 rounds without I/O left out")
    counts = {"time_s": [0.2, 0.4, 1.0, 1.5, 1.5, 2.0], "quantity": "count", "bs_bytes": 4096}
    row = judged([1.0] * 6, counts, round_s=1)
    assert (row["metric"], row["n"], row["mean"]) == ("iops", 2, 3.0)


def test_runs_can_be_the_rounds(make, rows):
    write = {"run": 1, "direction": "write"}
    io = make(**write, source=[*"abcde"], iops=DECAY[::-1], reported_at=[5, 4, 3, 2, 1])
    (row,) = rows(steady(io, "iops", by="direction"))
    assert (row["direction"], row["rise_pct"]) == ("write", pytest.approx(-8))
    assert row["interval_s"] is None
    with pytest.raises(SchemaError, match="no column 'value': name the column to judge"):
        steady(io)
    threads = make(**write, source="a", thread=[0, 1, 2, 3, 4], iops=1.0)
    with pytest.raises(SchemaError, match=r"run 1 of a has 5 rows, .*threads and jobs are not rep"):
        steady(threads, "iops")
    # phases of one run of fio come one after the other
    phases = make(**write, source="a", group=[0, 1, 2, 3, 4], iops=1.0)
    assert rows(steady(phases, "iops"))[0]["words"] == "window met"


def test_series_stay_apart(log, rows):
    times = [1.0, 2.0, 3.0, 4.0, 5.0] * 2
    samples = log(DECAY + [1.0] * 5, time_s=times, volume=["a"] * 5 + ["b"] * 5)
    found = steady(samples, by="volume")
    assert type(found) is type(samples)
    assert [(r["volume"], r["mean"]) for r in rows(found)] == [("a", 100.0), ("b", 1.0)]
    with pytest.raises(SchemaError, match=r"times do not rise in run 1.*by= \(volume\)"):
        steady(samples)


@pytest.mark.parametrize(
    ("columns", "asked", "message"),
    [
        ({"value": [1.0, float("nan")]}, {}, "value is missing in 1 of 2 rows"),
        ({"value": [1.0, -2.0]}, {}, "value is -2 in row 1"),
        ({"value": [1.0, float("inf")]}, {}, "value is infinite"),
        ({"time_s": [2.0, 1.0]}, {}, "times do not rise in .*: sort the rows by 'time_s'"),
        ({"time_s": [1.0, 1.0]}, {}, "the rows mix several jobs or runs"),
        ({"time_s": [1.0, None]}, {}, "time_s is missing in some samples"),
        ({"time_s": [-1.0, 1.0]}, {}, "time_s is below 0"),
        ({"time_s": ["1", "2"]}, {}, "column 'time_s' is String"),
        (
            {"value": [2.0, 1.0], "quantity": "io_bytes"},
            {},
            "io_bytes counts from the start .* falls",
        ),
        (
            {"time_s": [None, None], "quantity": "io_bytes"},
            {},
            r"io_bytes .* has no times \(time_s\)",
        ),
        ({}, {"quantity": "bw"}, "no sample of 'bw'; there are: iops"),
        ({}, {"method": "fio-slope"}, "steady takes no method="),
        ({}, {"round_s": 0.5}, "round_s=0.5 is less than one sample, 1 s"),
        ({}, {"round_s": -1}, "round_s is -1"),
    ],
)
def test_bad_samples_and_questions_get_one_line(log, columns, asked, message):
    with pytest.raises(SchemaError, match=message) as error:
        steady(log([1.0, 2.0], **columns), **asked)
    assert "\n" not in str(error.value)
