from __future__ import annotations

from math import inf

import narwhals as nw
import numpy as np
import pytest

import fiotools as ft
from fiotools import combine, compare, fairness, per_thread, summarize
from fiotools.errors import SchemaError
from fiotools.stats.frames import opened
from fiotools.stats.percentiles import merge_bins, percentiles
from tests.conftest import FIXTURES, SHARED

FIO = FIXTURES / "fio"
CORPUS = SHARED / "corpus/fio"
ENTRY = ["source", "run", "entry"]


@pytest.fixture
def bins(make):
    """Two jobs of one run and one direction, the second with a bin of its own."""
    return make(
        source="a.json",
        run=1,
        entry=[1, 1, 2, 2],
        direction="read",
        latency="clat",
        bin_lo_ns=[128.0, 2048.0, 128.0, 4096.0],
        bin_hi_ns=[130.0, 2080.0, 130.0, 4160.0],
        count=[600, 300, 90, 10],
    )


def changed(frame, **columns):
    """Replace columns of either frame type."""
    data = opened(frame)
    return type(frame)(data.to_dict(as_series=False) | columns)


def stacked(*several):
    return nw.concat([opened(one) for one in several]).to_native()


def test_jobs_add_up_bin_by_bin(bins, rows):
    found = merge_bins(bins)
    assert type(found) is type(bins)
    assert [(r["bin_lo_ns"], r["count"], r["n"], r["parts"]) for r in rows(found)] == [
        *((128, 690, 1, 2), (2048, 300, 1, 1), (4096, 10, 1, 1))
    ]
    assert [r["count"] for r in rows(merge_bins(bins, by="entry"))] == [600, 300, 90, 10]


def test_quantiles_of_jobs_together(bins, rows):
    found = percentiles(bins, [69, 69.5, 99, 99.5, 100])
    made = rows(found)
    # 690 of 1000 are in the first bin, 990 in the first two; bins are named by their middles
    assert [r["value_ns"] for r in made] == [129, 2064, 2064, 4128, 4128]
    assert [(r["bound_lo_ns"], r["bound_hi_ns"]) for r in made[:2]] == [(128, 130), (2048, 2080)]
    assert all((r["total_ios"], r["n"]) == (1000, 1) for r in made)
    # ranks 661 and 719 of 1000: the first bin, and the second
    assert (made[0]["value_lo_ns"], made[0]["value_hi_ns"]) == (128, 2080)
    assert [r["told"] for r in made] == [
        *["the interval is within the run, if I/Os were independent"] * 4,
        "fewer than 5 I/Os beyond it",
    ]
    assert [r["value_ns"] for r in rows(percentiles(merge_bins(bins), 99))] == [2064]


def test_few_ios_have_no_interval(bins, rows):
    (row,) = rows(percentiles(bins, 99.9))
    assert (row["value_lo_ns"], row["value_hi_ns"]) == (None, None)
    assert row["told"] == "need >= 3688 I/Os for an interval; fewer than 5 I/Os beyond it"


def test_the_percentile_lies_within_the_bounds_of_its_bin(make, rows):
    rng = np.random.default_rng(1)
    raw = np.sort(rng.lognormal(11, 1, 5000).astype(int))
    # 64 bins an octave, as fio has them from 128 ns on
    width = 2 ** (np.floor(np.log2(raw)).astype(int) - 6)
    low, at = np.unique(raw // width * width, return_inverse=True)
    wide = 2 ** (np.floor(np.log2(low)).astype(int) - 6)
    frame = make(
        latency="lat",
        direction="read",
        bin_lo_ns=low.astype(float).tolist(),
        bin_hi_ns=(low + wide).astype(float).tolist(),
        count=np.bincount(at).tolist(),
    )
    for row in rows(percentiles(frame)):
        true = np.quantile(raw, row["percentile"] / 100, method="inverted_cdf")
        assert row["bound_lo_ns"] <= true < row["bound_hi_ns"]
        assert row["bound_hi_ns"] - row["bound_lo_ns"] <= row["bound_lo_ns"] / 64


def test_the_last_bin_has_no_middle(make, rows):
    frame = make(latency="lat", bin_lo_ns=17045651456.0, bin_hi_ns=[inf], count=[3])
    (row,) = rows(percentiles(frame, 50))
    assert (row["value_ns"], row["bound_lo_ns"], row["bound_hi_ns"]) == (None, 17045651456.0, inf)
    assert row["told"].startswith("in the last bin, which has no end")


def test_histogram_logs_beside_their_report():
    """The report of the same run has an io row, the log has none."""
    res = ft.read("data/how-many-runs/long")
    answer = ft.percentiles(res.where("count>=0"), 99, by="source")
    assert answer["value_ns"].notna().all()


def test_a_coarser_log_takes_in_the_finer_one(make, rows):
    frame = make(
        source=["a", "a", "a", "b", "b"],
        run=1,
        latency="clat",
        bin_lo_ns=[128.0, 130.0, 132.0, 128.0, 256.0],
        bin_hi_ns=[130.0, 132.0, 134.0, 132.0, 264.0],
        count=[1, 2, 4, 8, 16],
    )
    made = rows(merge_bins(frame))
    assert [(r["bin_lo_ns"], r["bin_hi_ns"], r["count"]) for r in made] == [
        *((128, 132, 11), (132, 134, 4), (256, 264, 16))
    ]
    assert {r["n"] for r in made} == {2}


def test_runs_that_were_pooled_say_so(bins, rows):
    both = stacked(bins, changed(bins, source=["b.json"] * 4, count=[60, 30, 9, 100]))
    (row,) = rows(percentiles(both, 50))
    assert (row["n"], row["total_ios"]) == (2, 1199)
    assert row["told"] == "the interval is within the runs, if I/Os were independent"
    # those of each run are numbers like any other
    found = percentiles(both, 99, by=["source", "run"])
    (row,) = rows(compare(found, "value_ns", between="source", baseline="a.json"))
    assert (row["n"], row["ratio"]) == (1, pytest.approx(2.0))


def test_labels_that_differ_are_named_and_latencies_stay_apart(bins, rows):
    frame = changed(bins, volume=["nvme", "nvme", "vhdx", "vhdx"])
    assert {r["varies_in"] for r in rows(merge_bins(frame))} == {"volume"}
    assert {r["varies_in"] for r in rows(merge_bins(frame, by="volume"))} == {None}
    frame = changed(bins, latency=["slat", "clat", "slat", "clat"])
    assert [(r["latency"], r["count"]) for r in rows(merge_bins(frame))] == [
        *(("slat", 690), ("clat", 300), ("clat", 10))
    ]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"bin_lo_ns": [128.0, 2048, 129, 4096], "bin_hi_ns": [130.0, 2080, 131, 4160]},
            r"bins \[128, 130\) and \[129, 131\) overlap, and neither holds the other",
        ),
        (
            {"count": [None] * 4, "pct": [25.0] * 4},
            r"count is missing in 4 of 4 bins: they have pct only, .*which needs total_ios",
        ),
        ({"entry": [1] * 4}, "run 1 of a.json has bins that are there twice"),
        ({"entry": [1] * 4, "bin_hi_ns": [130.0, 2080, 132, 4160]}, "whose own bins overlap"),
        ({"time_s": [None, None, 1.0, 1.0]}, "bins of whole runs and bins of intervals may count"),
        ({"count": [1, 2, -3, 4]}, "count is -3 in row 2: I/Os are counted from 0"),
        ({"count": [2**62, 1, 1, 1]}, r"the bins hold 4.61e\+18 I/Os"),
        ({"count": ["1"] * 4}, "column 'count' is String"),
        ({"bin_lo_ns": [-1.0, 2048, 128, 4096]}, "begins at -1: latencies are not below 0"),
        ({"bin_hi_ns": [128.0, 2080, 130, 4160]}, "bin of row 0 ends at 128, and begins at 128"),
        ({"bin_hi_ns": [None, 2080.0, 130, 4160]}, "a bin needs both edges.*row 0"),
    ],
)
def test_bins_that_cannot_be_added_are_refused(bins, columns, message):
    with pytest.raises(SchemaError, match=message) as error:
        percentiles(changed(bins, **columns))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"at": [0]}, "percentile 0 does not lie above 0 and up to 100"),
        ({"at": "p99"}, "percentiles are numbers such as 99.9, not 'p99'"),
        ({"at": []}, "no percentile was asked for"),
    ],
)
def test_arguments(bins, arguments, message):
    with pytest.raises(SchemaError, match=message):
        percentiles(bins, **arguments)


def _files_with_bins():
    files = [*sorted(FIO.glob("*")), *sorted(CORPUS.glob("*/*"))]
    return [f for f in files if f.is_file() and '"bins"' in f.read_text("utf-8", errors="replace")]


@pytest.mark.parametrize("path", _files_with_bins(), ids=lambda path: path.name)
def test_percentiles_are_those_that_fio_printed(path):
    res = ft.read(path)
    bins = res.bins.dropna(subset="count")
    assert len(bins)
    asked = sorted(set(res.percentiles["percentile"]))
    found = percentiles(bins, asked, by=ENTRY)
    keys = [*ENTRY, "direction", "latency", "percentile"]
    both = res.percentiles.merge(found, on=keys, suffixes=("", "_ours"))
    assert len(both) == len(res.percentiles.query("latency in @found.latency")) > 0
    assert list(both["value_ns_ours"]) == list(both["value_ns"])


# percentiles of jobs, threads, files or seconds are never one number


@pytest.mark.parametrize("apart", ["entry", "job", "thread", "time_s"])
def test_percentiles_of_parts_are_refused_everywhere(make, apart):
    names = ["x", "y"] * 2 if apart == "job" else [1, 2] * 2
    frame = make(
        volume=["a", "a", "b", "b"],
        source=["a", "a", "b", "b"],
        run=1,
        direction="read",
        latency="clat",
        percentile=99.0,
        value_ns=[1e3, 2e3, 3e3, 4e3],
        **{apart: names},
    )
    message = r"percentiles neither add nor average.*percentiles\(bins, by="
    for refused in (
        lambda: summarize(frame, "value_ns", by="volume"),
        lambda: compare(frame, "value_ns", between="volume", baseline="a"),
        lambda: combine(frame, to="run"),
        lambda: per_thread(frame),
        lambda: fairness(frame),
    ):
        with pytest.raises(SchemaError, match=message) as error:
            refused()
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_printed_percentiles_stay_those_of_each_run(kind):
    res = ft.read("data/how-many-runs/rounds/randread_{fs}_1.json", frames=kind)
    found = nw.from_native(ft.percentiles(res, at=[99, 99.9]))
    assert found["fs"].to_list() == ["ext4", "ext4", "xfs", "xfs"]
    assert found["value_ns"].to_list()[2:] == [831488, 1662976]
    assert {*found["flags"]} == {"printed"}
    with pytest.raises(SchemaError, match=r"there are: 1, 5, 10, .*, 99\.99$"):
        ft.percentiles(res, at=42)
