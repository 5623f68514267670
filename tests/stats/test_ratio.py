from __future__ import annotations

from math import log

import pytest

from fiotools.stats.compare import verdict
from fiotools.stats.estimates import StudentT
from fiotools.stats.frames import metric_of


def between(lo, hi, df=1e9):
    """A difference whose 95 % interval of the ratio is [lo, hi]."""
    center, half = (log(hi) + log(lo)) / 2, (log(hi) - log(lo)) / 2
    return StudentT(center, half / 1.959964, df, 1.0, 2, 1)


@pytest.mark.parametrize(
    ("lo", "hi", "iops", "real_s"),
    [
        (1.06, 1.20, "faster", "slower"),
        (0.80, 0.94, "slower", "faster"),
        (0.97, 1.03, "same within 5 %", "same within 5 %"),
        # excludes 1, but lies in the band: it does not matter
        (1.01, 1.03, "same within 5 %", "same within 5 %"),
        (0.90, 1.20, "not settled", "not settled"),
        (
            1.02,
            1.10,
            "faster by 2 to 10 %; whether by more than 5 % is not settled",
            "slower, taking 2 to 10 % more time; whether by more than 5 % is not settled",
        ),
        # a share of the baseline: the other way round the numbers are others
        (
            0.90,
            0.98,
            "slower by 2 to 10 %; whether by more than 4.8 % is not settled",
            "faster, taking 2 to 10 % less time; whether by more than 4.8 % is not settled",
        ),
        (
            0.557,
            0.996,
            "slower by 0.4 to 44 %; whether by more than 4.8 % is not settled",
            "faster, taking 0.4 to 44 % less time; whether by more than 4.8 % is not settled",
        ),
    ],
)
def test_words(lo, hi, iops, real_s):
    for name, words in (("iops", iops), ("real_s", real_s)):
        found = verdict(between(lo, hi), metric_of(name), band=0.05, confidence=0.95)
        assert found == words


def test_same_takes_the_90_percent_interval():
    # 95 % interval just out of the band, 90 % interval inside
    found = between(0.951, 1.0515)
    assert verdict(found, metric_of("iops"), band=0.05, confidence=0.95) == "same within 5 %"


def test_words_for_metrics_without_speed():
    up = between(1.5, 1.6)
    assert verdict(up, metric_of("usr_cpu_pct"), band=0.05, confidence=0.95) == "worse"
    assert verdict(up, metric_of("score"), band=0.05, confidence=0.95) == "higher"
    some = between(1.02, 1.8)
    for name in ("lat_stddev_ns", "usr_cpu_pct"):
        found = verdict(some, metric_of(name), band=0.05, confidence=0.95)
        assert found == "worse by 2 to 80 %; whether by more than 5 % is not settled"
    assert verdict(up, metric_of("iops_stddev"), band=0.05, confidence=0.95) == "worse"


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
