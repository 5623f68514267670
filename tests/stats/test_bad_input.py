"""A question without an answer gets one clear line."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest

from fiotools.errors import SchemaError
from fiotools.stats import combine, compare, fairness, per_thread, summarize


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0, -2.0], r"iops is -2 in row 1: a ratio needs values above zero"),
        ([0.0, 1.0], r"iops is 0 in row 0: a ratio needs values above zero"),
        ([1.0, float("inf")], r"iops is infinite in row 1"),
        ([1.0, float("nan")], r"iops is missing in 1 of 2 rows: leave them out knowingly"),
        ([1.0, None], r"iops is missing in 1 of 2 rows: leave them out knowingly"),
        (["1", "2"], r"column 'iops' is String: a metric must be a number"),
    ],
    ids=["negative", "zero", "infinite", "nan", "null", "text"],
)
def test_values(make, values, message):
    with pytest.raises(SchemaError, match=message) as error:
        compare(make(g=["a", "b"], iops=values), "iops", between="g", baseline="a")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"metric": "iop"}, "no column 'iop'; did you mean 'iops'"),
        ({"between": "h"}, "no column 'h'"),
        ({"by": ["g", "nothing"]}, "no column 'nothing'"),
        ({"pair": "round"}, "no column 'round'"),
        ({"baseline": "c"}, "baseline 'c' is no value of 'g'; there are: 'a', 'b'"),
        ({"confidence": 95}, "confidence is 95"),
        ({"confidence": 0.5}, "confidence is 0.5"),
        ({"band": -0.1}, "band is -0.1"),
        ({"band": 5}, "band is 5"),
        ({"method": "t"}, "method 't' is neither"),
        ({"scope": "total"}, "has no column 'scope'"),
    ],
    ids=[
        *("metric", "between", "by", "pair", "baseline", "confidence above 1", "confidence of 0.5"),
        *("band below 0", "band above 1", "method", "scope"),
    ],
)
def test_arguments(make, arguments, message):
    given = {"metric": "iops", "between": "g", "baseline": "a"} | arguments
    frame = make(g=["a", "b"], iops=[1.0, 2.0])
    with pytest.raises(SchemaError, match=message) as error:
        compare(frame, given.pop("metric"), **given)
    assert "\n" not in str(error.value)


def test_one_group_only(make):
    with pytest.raises(
        SchemaError, match="'g' holds only 'a': there is nothing to compare it with"
    ):
        compare(make(g=["a", "a"], iops=[1.0, 2.0]), "iops", between="g", baseline="a")


def test_a_level_that_is_missing(make):
    with pytest.raises(SchemaError, match="'g' is missing in 1 of 2 rows"):
        compare(make(g=["a", None], iops=[1.0, 2.0]), "iops", between="g", baseline="a")


def test_no_rows(make):
    frame = make(g=["a", "b"], iops=[1.0, 2.0]).head(0)
    with pytest.raises(SchemaError, match="the frame has no rows"):
        compare(frame, "iops", between="g", baseline="a")
    with pytest.raises(SchemaError, match="the frame has no rows"):
        summarize(frame, "iops")


def test_a_label_that_would_hide_a_column(make):
    frame = make(method=["a", "b"], iops=[1.0, 2.0])
    with pytest.raises(SchemaError, match="'method' would hide the answer's own"):
        compare(frame, "iops", between="method", baseline="a")


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (summarize, {"metric": "iops"}),
        (per_thread, {}),
        (fairness, {}),
        (combine, {"to": "run"}),
        (compare, {"metric": "iops", "between": "g", "baseline": "a"}),
    ],
    ids=["summarize", "per_thread", "fairness", "combine", "compare"],
)
@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ([1, 2], "not list"),
        (pd.Series([1]), "not Series"),
        (pl.LazyFrame({"g": [1]}), r"not LazyFrame; collect\(\) it first"),
    ],
    ids=["list", "series", "lazy"],
)
def test_what_is_no_frame(function, arguments, frame, message):
    with pytest.raises(SchemaError, match=f"a pandas or polars DataFrame is needed, {message}"):
        function(frame, **arguments)


def test_a_confidence_out_of_range(make):
    with pytest.raises(SchemaError, match="confidence is 95"):
        summarize(make(iops=[1.0, 2.0]), "iops", confidence=95)
