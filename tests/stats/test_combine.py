from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import fiotools as ft
from fiotools import combine, compare
from fiotools.errors import SchemaError
from fiotools.tables.totals import sums

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
SECTIONS = CORPUS / "fio/generated/local__json-multisection-stonewall.json"


def pooled(counts, means, stddevs, names=("total_ios", "lat_mean_ns", "lat_stddev_ns")):
    parts = pl.DataFrame(dict(zip(names, (counts, means, stddevs), strict=True)))
    return parts.group_by(pl.lit(1).alias("run")).agg(sums(names)).row(0)[1:]


def test_pooling_is_the_mean_and_spread_of_the_whole():
    rng = np.random.default_rng(5)
    parts = [rng.lognormal(1, 0.5, n) for n in (10, 200, 3000)]
    whole = np.concatenate(parts)
    counts = [len(p) for p in parts]
    means = [float(p.mean()) for p in parts]
    stddevs = [float(p.std(ddof=1)) for p in parts]
    assert pooled(counts, means, stddevs) == pytest.approx((3210, whole.mean(), whole.std(ddof=1)))


@pytest.mark.parametrize(
    ("counts", "means", "stddevs"),
    [
        ([1, None], [1.0, 2.0], [1.0, 1.0]),
        ([1, 2], [1.0, None], [1.0, 1.0]),
        ([0, 0], [1.0, 2.0], [1.0, 1.0]),
    ],
)
def test_a_part_is_not_the_whole(counts, means, stddevs):
    assert pooled(counts, means, stddevs)[1:] == (None, None)


def test_a_mean_may_be_known_without_its_deviation():
    assert pooled([1, 3], [1.0, 2.0], [0.5, None]) == (4, 1.75, None)
    # one I/O has a mean, and no deviation
    assert pooled([1, 0], [7.0, None], [0.0, None]) == (1, 7.0, None)


def test_threads_of_article_002_add_up_to_the_printed_totals(threads, diskspd, rows):
    found = combine(threads, to="run")
    printed = rows(diskspd)
    assert type(found) is type(threads)
    assert list(found.columns) == [*threads.columns, "parts", "flags", "details"]
    made = rows(found)
    assert len(made) == 9
    for ours, theirs in zip(made, printed, strict=True):
        for name in ("volume", "source", "run", "direction", "clones", "io_bytes", "total_ios"):
            assert ours[name] == theirs[name]
        # two rounded parts
        assert ours["iops"] == pytest.approx(theirs["iops"], abs=0.011)
        assert ours["lat_mean_ns"] == pytest.approx(theirs["lat_mean_ns"], abs=1000)
        assert ours["lat_stddev_ns"] == pytest.approx(theirs["lat_stddev_ns"], abs=1500)
        assert ours["iops_stddev"] is None
        assert (ours["thread"], ours["entry"], ours["parts"]) == (None, None, 2)
        assert (ours["bs_bytes"], ours["iodepth"], ours["told"]) == (4096, 32, None)


def test_the_digits_of_statistics(threads, rows):
    by = {(r["volume"], r["direction"]): r for r in rows(combine(threads, to="run"))}
    assert by["vhdx", "total"]["lat_mean_ns"] / 1e6 == pytest.approx(0.7236, abs=5e-5)
    assert by["vhdx", "total"]["lat_stddev_ns"] / 1e6 == pytest.approx(0.4345, abs=5e-5)
    assert by["mirror", "total"]["lat_mean_ns"] / 1e6 == pytest.approx(1.0197, abs=5e-5)
    assert by["mirror", "total"]["lat_stddev_ns"] / 1e6 == pytest.approx(1.0603, abs=5e-5)


def test_compare_takes_totals(threads, rows):
    made = combine(threads, to="run")
    found = rows(compare(made, "iops", between="volume", baseline="vhdx", by="direction"))
    mirror = next(r for r in found if (r["volume"], r["direction"]) == ("mirror", "total"))
    assert mirror["ratio"] == pytest.approx(0.7095, abs=5e-5)


@pytest.fixture
def fio(make):
    """Two groups, one after the other, of two jobs each."""
    return make(
        label="x",
        source="a.json",
        run=1,
        entry=[1, 2, 3, 4],
        group=[0, 0, 1, 1],
        job=["seq", "seq", "rand", "rand"],
        direction="read",
        clones=1,
        rw=["read", "read", "randread", "randread"],
        total_ios=[100, 100, 10, 30],
        io_bytes=[1000, 1000, 100, 300],
        runtime_s=[10.0, 10.0, 10.0, 10.0],
        iops=[10.0, 10.0, 1.0, 3.0],
        bw_bytes_per_s=[100.0, 100.0, 10.0, 30.0],
        clat_mean_ns=[1.0, 3.0, 10.0, 10.0],
        clat_min_ns=[0.5, 0.4, 5.0, 6.0],
        clat_max_ns=[9.0, 8.0, 20.0, 30.0],
        bw_mean_bytes_per_s=1.0,
    )


def test_jobs_of_a_group_add(fio, rows):
    first, second = rows(combine(fio, to="group"))
    told = (first["group"], first["job"], first["rw"], first["clones"])
    assert told == (0, "seq", "read", 2)
    assert (first["iops"], first["bw_bytes_per_s"], first["runtime_s"]) == (20.0, 200.0, 10.0)
    assert (first["clat_mean_ns"], first["clat_min_ns"], first["clat_max_ns"]) == (2.0, 0.4, 9.0)
    assert first["bw_mean_bytes_per_s"] is None
    assert first["label"] == "x"
    assert first["told"] == "no job_start: taken to have run side by side"
    assert (second["total_ios"], second["iops"]) == (40, 4.0)


def test_phases_do_not_add(fio, rows):
    (row,) = rows(combine(fio, to="run"))
    assert (row["iops"], row["bw_bytes_per_s"], row["runtime_s"]) == (None, None, None)
    assert "rates do not add" in row["told"]
    # counts and latencies do
    assert (row["total_ios"], row["io_bytes"]) == (240, 2400)
    assert row["clat_mean_ns"] == pytest.approx((100 * 1 + 100 * 3 + 40 * 10) / 240)
    assert (row["group"], row["job"], row["rw"], row["clones"]) == (None, None, None, 4)


def test_groups_may_be_combined_further(fio, rows):
    (row,) = rows(combine(combine(fio, to="group"), to="run"))
    assert (row["total_ios"], row["parts"], row["clones"]) == (240, 2, 4)


def test_job_start_tells_which_jobs_ran_together(make, rows):
    start = datetime(2026, 1, 1)

    def started(*seconds):
        return make(
            run=1,
            group=[0, 1],
            direction="read",
            iops=[1.0, 2.0],
            runtime_s=10.0,
            job_start=[start + timedelta(seconds=s) for s in seconds],
        )

    (together,) = rows(combine(started(0, 0.1), to="run"))
    assert (together["iops"], together["told"]) == (3.0, None)
    (apart,) = rows(combine(started(0, 10), to="run"))
    assert apart["iops"] is None
    assert apart["told"] == "jobs started up to 10 s apart: rates do not add"


def test_unequal_runtimes_share_the_longest(make, rows):
    io = make(
        run=1,
        direction="write",
        total_ios=[100, 300],
        iops=[20.0, 30.0],
        runtime_s=[5.0, 10.0],
    )
    (row,) = rows(combine(io, to="run"))
    assert (row["iops"], row["runtime_s"]) == (40.0, 10.0)
    assert row["told"] == "runtimes from 5 to 10 s: rates are sums over the longest"


def test_one_part_is_its_own_whole(make, rows):
    io = make(run=1, entry=1, direction="read", clones=4, iops=[5.0], iops_stddev=2.0, group=0)
    (row,) = rows(combine(io, to="run"))
    assert (row["clones"], row["iops"], row["iops_stddev"], row["parts"]) == (4, 5.0, 2.0, 1)
    assert (row["entry"], row["told"]) == (1, None)


def test_a_gap_makes_a_gap(make, rows):
    io = make(run=1, direction="read", iops=[1.0, None], total_ios=[10, 20])
    (row,) = rows(combine(io, to="run"))
    assert (row["iops"], row["total_ios"]) == (None, 30)


def test_percentiles_are_never_combined(make):
    frame = make(run=1, direction="read", percentile=99.0, value_ns=[1.0, 2.0])
    with pytest.raises(SchemaError, match="percentiles neither add nor average"):
        combine(frame, to="run")


def test_a_file_read_twice(make):
    io = make(source="a", run=1, entry=[1, 1], direction="read", iops=[1.0, 1.0])
    with pytest.raises(SchemaError, match="run 1 of a has entries that are there twice"):
        combine(io, to="run")


def test_arguments(make):
    with pytest.raises(SchemaError, match="to='host' is neither 'run' nor 'group'"):
        combine(make(run=1, direction="read"), to="host")
    with pytest.raises(SchemaError, match="no column 'run'"):
        combine(make(direction="read", iops=[1.0]), to="run")


@pytest.fixture
def sections(make):
    """Three groups, one after the other, the last of which was reported whole."""
    return make(
        source="a.json",
        run=1,
        entry=[1, 2, 3],
        group=[0, 1, 2],
        direction="read",
        clones=[1, 1, 4],
        total_ios=[100, 10, 1],
        iops=[10.0, 1.0, 0.1],
    )


def test_jobs_and_whole_groups_add(sections, rows):
    found = rows(combine(sections, to="group"))
    assert [(r["group"], r["clones"], r["iops"]) for r in found] == [
        *((0, 1, 10.0), (1, 1, 1.0), (2, 4, 0.1))
    ]
    (row,) = rows(combine(sections, to="run"))
    assert (row["clones"], row["total_ios"], row["parts"]) == (6, 111, 3)


def test_sections_of_a_file_of_fio(rows):
    if not SECTIONS.exists():
        pytest.skip("the corpus is not beside the project (../shared/corpus)")
    io = ft.read(SECTIONS).io
    assert [r["parts"] for r in rows(combine(io, to="run"))] == [2, 2]
    assert [r["group"] for r in rows(combine(io, to="group"))] == [0, 1, 2, 2]
    assert len(rows(ft.summarize(io, "iops", by=["group", "direction"]))) == 4


def test_no_rows(make):
    with pytest.raises(SchemaError, match="the frame has no rows"):
        combine(make(run=1, direction="read", iops=[1.0]).head(0), to="run")


# totals of reads and writes


def ways(make, **more):
    columns = {"direction": ["read", "write"], "total_ios": [30, 10], "iops": [3.0, 1.0]}
    return make(**(columns | {"lat_mean_ns": [1.0, 5.0], "lat_stddev_ns": 0.0} | more))


def test_totals_are_sums_and_weighted_means(make, rows):
    io = ways(make, volume="x", source="a", run=1, entry=1, rw="randrw", iops_stddev=9.0)
    found = ft.totals(io)
    assert type(found) is type(io)
    assert list(found.columns) == list(io.columns)
    (row,) = rows(found)
    told = [row[name] for name in ("volume", "source", "run", "entry", "direction", "rw")]
    assert told == ["x", "a", 1, 1, "total", "randrw"]
    assert (row["total_ios"], row["iops"], row["lat_mean_ns"]) == (40, 4.0, 2.0)
    assert row["lat_stddev_ns"] == pytest.approx((120 / 39) ** 0.5)
    assert row["iops_stddev"] is None


@pytest.mark.parametrize("direction", ["read", "mixed"])
def test_the_total_of_one_direction_is_that_direction(make, rows, direction):
    io = make(source="a", run=1, direction=direction, total_ios=[5], iops=[2.0], lat_mean_ns=[3.0])
    assert rows(ft.totals(io)) == [{**rows(io)[0], "direction": "total"}]
    assert not rows(ft.totals(make(run=1, direction="trim", iops=[2.0])))


def test_totals_keep_labels_apart_where_no_run_is_named(make, rows):
    both = {"direction": ["read", "write"] * 2, "iops": [1.0, 2.0, 3.0, 4.0]}
    found = rows(ft.totals(make(volume=["a", "a", "b", "b"], **both)))
    assert [(r["volume"], r["iops"]) for r in found] == [("a", 3.0), ("b", 7.0)]
    found = rows(
        ft.totals(make(source="a", run=[1, 1, 2, 2], volume=[None, None, "b", "b"], **both))
    )
    assert [(r["volume"], r["iops"]) for r in found] == [(None, 3.0), ("b", 7.0)]


@pytest.mark.parametrize(
    ("more", "total"),
    [
        ({"iops": [3.0, None]}, {"iops": None, "total_ios": 40, "lat_mean_ns": 2.0}),
        ({"total_ios": [30, None]}, {"total_ios": None, "lat_mean_ns": None, "iops": 4.0}),
        ({"total_ios": [30, 0], "lat_mean_ns": [1.0, None]}, {"total_ios": 30, "lat_mean_ns": 1.0}),
        ({"total_ios": [0, 0]}, {"total_ios": 0, "lat_mean_ns": None, "lat_stddev_ns": None}),
    ],
)
def test_a_total_of_parts_that_are_unknown(make, rows, more, total):
    (row,) = rows(ft.totals(ways(make, source="a", run=1, **more)))
    assert {name: row[name] for name in total} == total


def test_totals_stand_once(make, rows):
    io = make(run=1, direction=["read", "write", "total"], iops=[1.0, 2.0, 3.0])
    assert [r["iops"] for r in rows(ft.totals(io))] == [3.0]
    with pytest.raises(SchemaError, match="no column 'direction'"):
        ft.totals(make(run=1, iops=[1.0]))


def test_totals_of_numbers_of_unusual_types(make, rows):
    plain = rows(ft.totals(ways(make, run=1)))
    frame = pl.DataFrame(rows(ways(make, run=1)))
    small = frame.with_columns(
        pl.col("total_ios").cast(pl.UInt8), pl.col("iops", "lat_mean_ns").cast(pl.Float32),
        pl.col("direction").cast(pl.Categorical),
    )  # fmt: skip
    told = ("direction", "total_ios", "iops", "lat_mean_ns")
    for one in (small, small.to_pandas(), frame.cast({"iops": pl.Decimal(10, 2)})):
        (row,) = rows(ft.totals(one))
        assert [float(row[n]) if n != "direction" else row[n] for n in told] == [
            plain[0][n] for n in told
        ]
    # sums of small integers are larger than these
    (row,) = rows(ft.totals(small.with_columns(total_ios=pl.lit(200, pl.UInt8))))
    assert (row["total_ios"], row["lat_mean_ns"]) == (400, 3.0)
