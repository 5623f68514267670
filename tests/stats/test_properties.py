"""Properties that hold for all numbers."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiotools import compare, speedup, summarize

relaxed = settings(max_examples=40)
values = st.integers(1, 10**9).map(lambda i: i / 1000)
sides = st.tuples(
    st.lists(values, min_size=1, max_size=7), st.lists(values, min_size=1, max_size=7)
)
metrics = st.sampled_from(["iops", "real_s", "score"])


def compared(pair, metric, baseline="a", ask=compare):
    a, b = pair
    frame = pl.DataFrame({"g": ["a"] * len(a) + ["b"] * len(b), metric: [*a, *b]})
    (row,) = ask(frame, metric, between="g", baseline=baseline).to_dicts()
    return row


def close(number):
    return None if number is None else pytest.approx(number, rel=1e-9, abs=1e-12)


def inverse(number):
    return None if number is None else pytest.approx(1 / number, rel=1e-9)


# a share of the one side is another share of the other
OPPOSITE = {"faster": "slower", "slower": "faster", "higher": "lower", "lower": "higher"}


@relaxed
@given(sides, metrics)
def test_swapping_the_sides_inverts_the_ratio_and_mirrors_the_verdict(pair, metric):
    there, back = (compared(pair, metric, side) for side in ("a", "b"))
    assert there["ratio"] == inverse(back["ratio"])
    assert there["ratio_lo"] == inverse(back["ratio_hi"])
    assert there["ratio_hi"] == inverse(back["ratio_lo"])
    assert there["p_equal"] == close(back["p_equal"])
    assert there["runs_needed"] == back["runs_needed"]
    assert back["verdict"] == OPPOSITE.get(there["verdict"], there["verdict"])
    assert there["beyond_band"] == back["beyond_band"]


@relaxed
@given(sides, st.sampled_from([0.001, 0.5, 2.0, 1024.0]))
def test_units_do_not_matter(pair, factor):
    scaled = tuple([factor * value for value in side] for side in pair)
    one, other = (compared(p, "iops") for p in (pair, scaled))
    for name in ("ratio", "ratio_lo", "ratio_hi"):
        assert one[name] == close(other[name])
    for name in ("verdict", "n", "confidence"):
        assert one[name] == other[name]
    assert one["center"] * factor == pytest.approx(other["center"])


@relaxed
@given(sides)
def test_a_time_and_a_rate_tell_the_same_story(pair):
    times = tuple([1 / value for value in side] for side in pair)
    rate, time = compared(pair, "iops", ask=speedup), compared(times, "real_s", ask=speedup)
    assert rate["speedup"] == pytest.approx(time["speedup"], rel=1e-9)
    assert rate["speedup_lo"] == close(time["speedup_lo"])
    for name in ("verdict", "beyond_band"):
        assert rate[name] == time[name]


@relaxed
@given(st.lists(values, min_size=1, max_size=30))
def test_a_summary_lies_between_its_ends(series):
    (row,) = summarize(pl.DataFrame({"iops": series}), "iops").to_dicts()
    assert row["min"] <= row["median"] <= row["max"]
    assert row["outliers"] <= row["n"] // 2
    if row["median_lo"] is not None:
        assert row["median_lo"] in series
        assert row["median_lo"] <= row["median"] <= row["median_hi"]
    assert (row["median_lo"] is not None) is (row["n"] >= 6)
    if row["center_lo"] is not None:
        assert row["center_lo"] <= row["center"] <= row["center_hi"]
