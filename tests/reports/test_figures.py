"""What a plot of a report says beside it, and which plots there are."""

import pandas as pd
import pytest

import fiotools as ft
from fiotools.reports.figures import _submitting
from fiotools.reports.questions import Comparison
from tests.conftest import ROOT


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


def headings(part, out):
    return [repr(one.about) for one in part.figures(out)]


def test_tests_one_after_the_other_are_not_threads(tmp_path):
    (part,) = ft.study(ROOT / "tests/fixtures/crystaldiskmark").parts
    told = headings(part, tmp_path)
    assert "All runs" in told
    assert not any("threads" in one or "cannot be drawn" in one for one in told)


def test_why_it_is_not_known_whether_single_ios_were_steady(tmp_path):
    (part,) = ft.study(ROOT / "data/per-io-log").parts
    (said,) = [one for one in headings(part, tmp_path) if one.startswith("lat_ns over time, read")]
    assert "is not known: the rows of lat_ns are one I/O each" in said
