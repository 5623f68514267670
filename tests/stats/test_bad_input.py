"""A question without an answer gets one clear line."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest

from fiotools import combine, compare, fairness, per_thread, speedup, summarize
from fiotools.errors import SchemaError


@pytest.fixture
def jobs(make):
    """Two jobs of one run."""

    def build(**more):
        columns = {"source": "a", "run": 1, "entry": [1, 2], "direction": "read", "clones": 1}
        figures = {"total_ios": [10, 20], "iops": [1.0, 2.0], "lat_mean_ns": [5.0, 6.0]}
        return make(**(columns | figures | {"lat_stddev_ns": [1.0, 1.0]} | more))

    return build


OF_G = {"between": "g", "baseline": "a"}
LEFT_OUT = "iops is missing in 1 of 2 rows: leave them out knowingly"


@pytest.mark.parametrize(
    ("columns", "asked", "message"),
    [
        # values
        ({"iops": [0.0, 1.0]}, {}, "iops is 0 in row 0: a ratio needs values above zero"),
        ({"iops": [1.0, float("inf")]}, {}, "iops is infinite in row 1"),
        ({"iops": [1.0, float("nan")]}, {}, LEFT_OUT),
        ({"iops": [1.0, None]}, {}, LEFT_OUT),
        ({"iops": ["1", "2"]}, {}, "column 'iops' is String: a metric must be a number"),
        ({"g": ["a", None]}, {}, "'g' is missing in 1 of 2 rows"),
        ({"g": ["a", "a"]}, {}, "'g' holds only 'a': there is nothing to compare it with"),
        # arguments
        ({}, {"metric": "iop"}, "no column 'iop'; did you mean 'iops'"),
        ({}, {"between": "h"}, "no column 'h'"),
        ({}, {"by": ["g", "nothing"]}, "no column 'nothing'"),
        ({}, {"by": ["g"]}, "'g' is in by= and between=: take it out of by="),
        ({}, {"metric": ["iops"]}, r"the metric is \['iops'\]: it is the name of one column"),
        ({}, {"pair": ["round"]}, r"pair is \['round'\]: it is the name of one column"),
        ({}, {"baseline": "c"}, "baseline 'c' is not a value of 'g'; there are: 'a', 'b'"),
        ({}, {"baseline": 4}, "baseline 4 is a number, and 'g' holds texts"),
        (
            *({"depth": [1, 4]}, {"between": "depth", "baseline": "four"}),
            "depth holds numbers, not 'four'",
        ),
        ({"baseline": ["a", "b"]}, {"between": "baseline"}, "'baseline' would hide the answer's"),
        ({"method": ["a", "b"]}, {"between": "method"}, "'method' would hide the answer's own"),
        ({}, {"confidence": 95}, "confidence is 95: it lies between 0.5 and 1 .0.95."),
        ({}, {"confidence": 0.5}, "confidence is 0.5"),
        ({}, {"band": -0.1}, "band is -0.1: it is a share, at least 0 and below 1 .0.05."),
        ({}, {"band": "5%"}, "band is '5%'"),
        ({}, {"looks": 3}, "looks is 3: it is"),
        ({}, {"scope": "total"}, "compare takes no scope="),
    ],
)
def test_a_comparison_that_makes_no_sense(make, columns, asked, message):
    frame = make(**({"g": ["a", "b"], "iops": [1.0, 2.0]} | columns))
    with pytest.raises(SchemaError, match=message) as error:
        compare(frame, **({"metric": "iops"} | OF_G | asked))
    assert "\n" not in str(error.value)


def test_a_number_may_be_typed_as_a_text(make):
    frame = make(iodepth=[1, 4], iops=[1.0, 2.0])
    assert compare(frame, "iops", between="iodepth", baseline="4")["ratio"].to_list() == [0.5]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("score", "is higher or lower 'score' better"),
        ("runtime_s", "that depends on how the tool was run: use compare"),
    ],
)
def test_a_speedup_wants_to_know_which_way_is_better(make, name, words):
    with pytest.raises(SchemaError, match=words) as error:
        speedup(make(g=["a", "b"], **{name: [1.0, 2.0]}), name, **OF_G)
    assert ("rename" in str(error.value)) is (name == "score")


ASKED = {
    summarize: {"metric": "iops"},
    per_thread: {},
    fairness: {},
    combine: {"to": "run"},
    compare: {"metric": "iops", **OF_G},
}


@pytest.mark.parametrize("function", ASKED, ids=lambda asked: asked.__name__)
def test_other_types_than_frames_and_no_rows_are_refused(make, function):
    frame = make(g=["a"], run=1, clones=1, direction="read", iops=[1.0])
    with pytest.raises(SchemaError, match="the frame has no rows"):
        function(frame.head(0), **ASKED[function])
    for wrong, name in (
        ([1, 2], "list"),
        (pd.Series([1]), "Series"),
        (pl.LazyFrame({"g": [1]}), r"LazyFrame; collect\(\) it first"),
    ):
        with pytest.raises(SchemaError, match=f"polars DataFrame is needed, not {name}"):
            function(wrong, **ASKED[function])


@pytest.mark.parametrize("name", ["total_ios", "iops"])
@pytest.mark.parametrize(
    ("column", "message"),
    [
        (["many", "more"], "column '{}' is .*: a metric must be a number"),
        ([-1, 2], "{} is -1 in row 0: it cannot be below 0, or so large"),
        ([1.0, 1e300], r"{} is 1e\+300 in row 1: it cannot be below 0, or so large"),
    ],
)
def test_impossible_numbers_are_refused(jobs, name, column, message):
    frame = jobs(**{name: column})
    for function in (combine, fairness):
        with pytest.raises(SchemaError, match=message.format(name)):
            function(frame, **ASKED[function])


MOST = 2**62 - 1


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"total_ios": [1.5, 10.75]}, "column 'total_ios' holds 12.25, which is not Int64"),
        ({"total_ios": [MOST, MOST + 3]}, "column 'total_ios' holds .*, which is not Int64"),
        ({"run": [1, None]}, "run is missing in 1 of 2 rows"),
        ({"job_start": [5, 6], "runtime_s": 1.0}, "'job_start' is Int64: it must be a time"),
    ],
)
def test_jobs_that_cannot_be_combined_are_refused(jobs, columns, message):
    with pytest.raises(SchemaError, match=message):
        combine(jobs(**columns), to="run")


def test_the_largest_numbers_add_up(jobs, rows):
    (row,) = rows(combine(jobs(total_ios=[MOST, 2]), to="run"))
    assert row["total_ios"] == MOST + 2
