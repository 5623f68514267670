"""What a verdict says of a ratio, and what the name of a metric says of its unit."""

from __future__ import annotations

from math import exp, log

import pytest
from scipy import stats

from fiotools.display import verdicts
from fiotools.stats.compare import verdict
from fiotools.stats.estimates import StudentT
from fiotools.stats.frames import metric_of


def between(lo, hi, confidence=0.95):
    """Make a difference whose interval of the ratio is this, of very many runs."""
    center, half = (log(hi) + log(lo)) / 2, (log(hi) - log(lo)) / 2
    return StudentT(center, half / stats.norm.ppf((1 + confidence) / 2), 1e9, 1.0, 2, 1)


def in_words(difference, name):
    """Judge a difference, and say the verdict as an answer does."""
    found, beyond = verdict(difference, metric_of(name), band=0.05, confidence=0.95)
    low, high = map(exp, difference.interval(0.95))
    row = {"x": "a", "baseline": "b", "metric": name, "verdict": found}
    row |= {"ratio_lo": low, "ratio_hi": high, "beyond_band": beyond, "band": 0.05}
    return verdicts.verdict(row | {"flags": None, "details": None})


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [
        (0.9525, 1.0499, ("same", "no")),
        (0.9523, 1.0499, ("undecided", "undecided")),
        (0.9525, 1.0501, ("undecided", "undecided")),
    ],
)
def test_the_band_is_from_9524_to_105_and_holds_the_interval_of_90_percent(low, high, found):
    difference = between(low, high, 0.90)
    assert verdict(difference, metric_of("iops"), band=0.05, confidence=0.95) == found


SLOWER = "cannot tell: 10 % slower to 20 % faster"
LESS = "cannot tell: 10 % less to 20 % more time"
MANY = "cannot tell: 0.900 to 30.0 times"
MORE = "cannot tell: 0.00120 to 30.0 times"


@pytest.mark.parametrize(
    ("lo", "hi", "iops", "real_s"),
    [
        (1.06, 1.20, "faster", "slower"),
        (0.80, 0.94, "slower", "faster"),
        # excludes 1, but lies in the band: it does not matter
        (1.01, 1.03, "same within 5 %", "same within 5 %"),
        (0.90, 1.20, SLOWER, LESS),
        # far beyond: times, not percent
        (0.90, 30.0, MANY, f"{MANY} the time"),
        (0.0012, 30.0, MORE, f"{MORE} the time"),
        (1.02, 1.10, "faster, by 2 to 10 %", "slower, taking 2 to 10 % more time"),
        # a share of the baseline: the other way round the numbers are others
        (0.557, 0.996, "slower, by 0.4 to 44 %", "faster, taking 0.4 to 44 % less time"),
    ],
)
def test_a_rate_is_faster_and_a_time_takes_less(lo, hi, iops, real_s):
    assert in_words(between(lo, hi), "iops") == iops
    assert in_words(between(lo, hi), "real_s") == real_s


@pytest.mark.parametrize(
    ("name", "lo", "words"),
    [
        ("usr_cpu_pct", 1.5, "worse"),
        ("score", 1.5, "higher"),
        ("lat_stddev_ns", 1.02, "worse, by 2 to 80 %"),
    ],
)
def test_words_for_metrics_without_speed(name, lo, words):
    assert in_words(between(lo, 1.8), name) == words


@pytest.mark.parametrize(
    ("name", "unit", "better"),
    [
        ("iops", "1/s", "higher"),
        ("read_iops", "1/s", "higher"),
        ("iops_share_pct", "%", None),
        ("untar_s", "s", "lower"),
        ("p99_ns", "ns", "lower"),
        ("files_per_s", "1/s", "higher"),
        ("bw_mb_s", "1/s", "higher"),
        ("cold_bytes_per_s", "B/s", "higher"),
        ("bw_read_stddev_bytes_per_s", "B/s", "lower"),
        ("score", "", None),
    ],
)
def test_a_name_tells_unit_and_better_way(name, unit, better):
    found = metric_of(name)
    assert (found.unit, found.better) == (unit, better)
