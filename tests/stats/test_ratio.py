from __future__ import annotations

from math import exp, log

import pytest

from fiotools.display import verdicts
from fiotools.stats.compare import verdict
from fiotools.stats.estimates import StudentT
from fiotools.stats.frames import metric_of


def between(lo, hi, df=1e9):
    """A difference whose 95 % interval of the ratio is [lo, hi]."""
    center, half = (log(hi) + log(lo)) / 2, (log(hi) - log(lo)) / 2
    return StudentT(center, half / 1.959964, df, 1.0, 2, 1)


def in_words(difference, metric):
    """Judge a difference, and say the verdict as an answer does."""
    found, beyond = verdict(difference, metric, band=0.05, confidence=0.95)
    low, high = map(exp, difference.interval(0.95))
    row = {"x": "a", "baseline": "b", "metric": metric.name, "verdict": found}
    row |= {"ratio_lo": low, "ratio_hi": high, "beyond_band": beyond, "band": 0.05}
    return verdicts.verdict(row | {"flags": None, "details": None})


@pytest.mark.parametrize(
    ("lo", "hi", "iops", "real_s"),
    [
        (1.06, 1.20, "faster", "slower"),
        (0.80, 0.94, "slower", "faster"),
        (0.97, 1.03, "same within 5 %", "same within 5 %"),
        # excludes 1, but lies in the band: it does not matter
        (1.01, 1.03, "same within 5 %", "same within 5 %"),
        (
            0.90,
            1.20,
            "cannot tell: 10 % slower to 20 % faster",
            "cannot tell: 10 % less to 20 % more time",
        ),
        # far beyond: times, not percent
        (
            0.90,
            30.0,
            "cannot tell: 0.900 to 30.0 times",
            "cannot tell: 0.900 to 30.0 times the time",
        ),
        (
            0.001,
            30.0,
            "cannot tell: 0.00100 to 30.0 times",
            "cannot tell: 0.00100 to 30.0 times the time",
        ),
        (
            1.02,
            1.10,
            "faster, by 2 to 10 %",
            "slower, taking 2 to 10 % more time",
        ),
        # a share of the baseline: the other way round the numbers are others
        (
            0.90,
            0.98,
            "slower, by 2 to 10 %",
            "faster, taking 2 to 10 % less time",
        ),
        (
            0.557,
            0.996,
            "slower, by 0.4 to 44 %",
            "faster, taking 0.4 to 44 % less time",
        ),
    ],
)
def test_words(lo, hi, iops, real_s):
    for name, words in (("iops", iops), ("real_s", real_s)):
        assert in_words(between(lo, hi), metric_of(name)) == words


def test_same_takes_the_90_percent_interval():
    # 95 % interval just out of the band, 90 % interval inside
    found = between(0.951, 1.0515)
    assert in_words(found, metric_of("iops")) == "same within 5 %"


def test_words_for_metrics_without_speed():
    up = between(1.5, 1.6)
    assert in_words(up, metric_of("usr_cpu_pct")) == "worse"
    assert in_words(up, metric_of("score")) == "higher"
    some = between(1.02, 1.8)
    for name in ("lat_stddev_ns", "usr_cpu_pct"):
        assert in_words(some, metric_of(name)) == "worse, by 2 to 80 %"
    assert in_words(up, metric_of("iops_stddev")) == "worse"


@pytest.mark.parametrize(
    ("name", "unit", "better"),
    [
        ("iops", "1/s", "higher"),
        ("real_s", "s", "lower"),
        ("read_iops", "1/s", "higher"),
        ("cold_bytes_per_s", "B/s", "higher"),
        ("files_per_s", "1/s", "higher"),
        ("bw_mb_s", "1/s", "higher"),
        ("MiB_s", "1/s", "higher"),
        ("sent_bytes_s", "B/s", "higher"),
        ("untar_s", "s", "lower"),
        ("p99_ns", "ns", "lower"),
        ("busy_pct", "%", None),
        ("score", "", None),
    ],
)
def test_a_name_tells_unit_and_better_way(name, unit, better):
    found = metric_of(name)
    assert (found.unit, found.better) == (unit, better)
