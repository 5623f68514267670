"""Properties that hold for all numbers."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiotools import compare, speedup, summarize

# a laptop under load is no failure
relaxed = settings(max_examples=40)

values = st.integers(1, 10**9).map(lambda i: i / 1000)
sides = st.tuples(
    st.lists(values, min_size=1, max_size=7), st.lists(values, min_size=1, max_size=7)
)
metrics = st.sampled_from(["iops", "real_s", "score"])


def records(frame):
    """Give rows as plain dicts, missing values as None."""
    found = frame.to_dicts() if isinstance(frame, pl.DataFrame) else frame.to_dict("records")
    return [
        {k: None if v is None or v is pd.NA or v != v else v for k, v in row.items()}
        for row in found
    ]


def columns(pair, metric):
    a, b = pair
    return {"g": ["a"] * len(a) + ["b"] * len(b), metric: [*a, *b]}


def compared(pair, metric, baseline):
    frame = pd.DataFrame(columns(pair, metric))
    return records(compare(frame, metric, between="g", baseline=baseline))[0]


def close(number):
    return None if number is None else pytest.approx(number, rel=1e-9, abs=1e-12)


# a share of the one side is another share of the other
OPPOSITE = {"faster": "slower", "slower": "faster", "higher": "lower", "lower": "higher"}


@relaxed
@given(sides, metrics)
def test_swapping_the_sides_inverts_the_ratio_and_mirrors_the_verdict(pair, metric):
    there, back = (compared(pair, metric, side) for side in ("a", "b"))
    assert there["ratio"] == pytest.approx(1 / back["ratio"], rel=1e-9)
    if there["ratio_lo"] is None:
        assert back["ratio_hi"] is None
    else:
        assert there["ratio_lo"] == pytest.approx(1 / back["ratio_hi"], rel=1e-9)
        assert there["ratio_hi"] == pytest.approx(1 / back["ratio_lo"], rel=1e-9)
    assert there["p_equal"] == close(back["p_equal"])
    assert there["runs_needed"] == back["runs_needed"]
    one, other = there["verdict"], back["verdict"]
    assert other == OPPOSITE.get(one, one)
    assert there["beyond_band"] == back["beyond_band"]


@relaxed
@given(sides, st.sampled_from([0.001, 0.5, 2.0, 1024.0]))
def test_units_do_not_matter(pair, factor):
    scaled = tuple([factor * value for value in side] for side in pair)
    one, other = (compared(p, "iops", "a") for p in (pair, scaled))
    for name in ("ratio", "ratio_lo", "ratio_hi"):
        assert one[name] == close(other[name])
    for name in ("verdict", "n", "confidence"):
        assert one[name] == other[name]
    assert one["center"] * factor == pytest.approx(other["center"])


@relaxed
@given(sides)
def test_a_time_and_a_rate_tell_the_same_story(pair):
    inverse = tuple([1 / value for value in side] for side in pair)
    rate, time = (
        records(speedup(pd.DataFrame(columns(p, m)), m, between="g", baseline="a"))
        for p, m in ((pair, "iops"), (inverse, "real_s"))
    )
    assert rate[0]["speedup"] == pytest.approx(time[0]["speedup"], rel=1e-9)
    assert rate[0]["speedup_lo"] == close(time[0]["speedup_lo"])
    for name in ("verdict", "beyond_band"):
        assert rate[0][name] == time[0][name]


@relaxed
@given(sides, metrics)
def test_pandas_and_polars_give_the_same_answers(pair, metric):
    data = columns(pair, metric)
    for function, arguments in (
        (compare, {"between": "g", "baseline": "a"}),
        (summarize, {"by": "g"}),
    ):
        one, other = (
            function(kind(data), metric, **arguments) for kind in (pd.DataFrame, pl.DataFrame)
        )
        assert list(one.columns) == other.columns
        assert records(one) == records(other)


@relaxed
@given(st.lists(values, min_size=1, max_size=30))
def test_a_summary_lies_between_its_ends(series):
    (row,) = records(summarize(pd.DataFrame({"iops": series}), "iops"))
    assert row["min"] <= row["median"] <= row["max"]
    assert row["outliers"] <= row["n"] // 2
    if row["median_lo"] is not None:
        assert row["median_lo"] in series
        assert row["median_lo"] <= row["median"] <= row["median_hi"]
    assert (row["median_lo"] is not None) is (row["n"] >= 6)
    if row["center_lo"] is not None:
        assert row["center_lo"] <= row["center"] <= row["center_hi"]
