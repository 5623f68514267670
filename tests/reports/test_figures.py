"""What a figure of latencies must not be shown without: which part of an I/O it counts."""

import pandas as pd
import pytest

from fiotools.reports.figures import _submitting
from fiotools.reports.questions import Comparison


@pytest.mark.parametrize(
    ("kind", "submitting", "said"),
    [
        ("clat", [10.0, 600.0], "in 1 of 2 rows on b: there only the mean latency"),
        ("clat", [10.0, 20.0], ""),
        ("clat", [None, None], ""),
        ("lat", [10.0, 600.0], ""),
    ],
    ids=["one side waits while it submits", "none does", "not known", "the whole is drawn"],
)
def test_where_submitting_is_most_of_an_io_its_completion_is_not_taken_for_it(
    kind, submitting, said
):
    frame = pd.DataFrame(
        {
            "place": ["a", "b"],
            "lat_mean_ns": [1000.0, 1000.0],
            "slat_mean_ns": pd.Series(submitting, dtype="Float64"),
        }
    )
    told = _submitting(Comparison(frame, "iops", (), between="place", baseline="a"), kind)
    assert said in told
    assert bool(told) == bool(said)
