"""A question without an answer gets one clear line."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest

import fiotools as ft
from fiotools import combine, compare, fairness, per_thread, speedup, summarize
from fiotools.errors import SchemaError


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
        ({"baseline": "c"}, "baseline 'c' is not a value of 'g'; there are: 'a', 'b'"),
        ({"confidence": 95}, "confidence is 95"),
        ({"confidence": 0.5}, "confidence is 0.5"),
        ({"band": -0.1}, "band is -0.1"),
        ({"band": 5}, "band is 5"),
        ({"scope": "total"}, "compare takes no scope="),
    ],
    ids=[
        *("metric", "between", "by", "pair", "baseline", "confidence above 1", "confidence of 0.5"),
        *("band below 0", "band above 1", "scope"),
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
def test_other_types_than_frames_are_refused(function, arguments, frame, message):
    with pytest.raises(SchemaError, match=f"a pandas or polars DataFrame is needed, {message}"):
        function(frame, **arguments)


def test_a_confidence_out_of_range(make):
    with pytest.raises(SchemaError, match="confidence is 95"):
        summarize(make(iops=[1.0, 2.0]), "iops", confidence=95)


def test_results_without_the_metric():
    res = ft.reads("\nreal\t0m1.000s\nuser\t0m0.500s\nsys\t0m0.100s\n")
    with pytest.raises(SchemaError, match="there is no iops: these files have real, user, sys"):
        compare(res, "iops", between="g", baseline="a")


@pytest.mark.parametrize("function", [per_thread, fairness])
def test_why_there_are_no_threads(make, function):
    with pytest.raises(SchemaError, match="the frame has no rows"):
        function(make(run=1, clones=1, direction="read", iops=[1.0]).head(0))
    with pytest.raises(SchemaError) as error:
        function(make(run=1, clones=[2, None], direction="read", iops=[1.0, 1.0]))
    assert str(error.value) == (
        "no row is of a single job or thread: fio summed them up (group_reporting),"
        " and DISKSPD's are in the table threads"
    )


def test_a_baseline_of_another_type(make):
    frame = make(iodepth=[1, 4], g=["1", "4"], iops=[1.0, 2.0])
    assert compare(frame, "iops", between="iodepth", baseline="4")["ratio"].to_list() == [0.5]
    with pytest.raises(SchemaError, match="iodepth holds numbers, not 'four'"):
        compare(frame, "iops", between="iodepth", baseline="four")
    with pytest.raises(SchemaError, match="baseline 4 is a number, and 'g' holds texts"):
        compare(frame, "iops", between="g", baseline=4)


def test_a_metric_without_a_better_way_is_refused(make):
    frame = make(g=["a", "b"], runtime_s=[1.0, 2.0])
    with pytest.raises(
        SchemaError, match=r"that depends on how the tool was run: use compare"
    ) as error:
        speedup(frame, "runtime_s", between="g", baseline="a")
    assert "rename" not in str(error.value)
