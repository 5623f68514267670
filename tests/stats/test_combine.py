from __future__ import annotations

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

import fiotools as ft
from fiotools import combine
from fiotools.errors import SchemaError


def pooled(make, rows, counts, means, stddevs):
    """Combine parts of one run, and give their I/Os, mean and deviation."""
    latencies = {"lat_mean_ns": means, "lat_stddev_ns": stddevs}
    (row,) = rows(combine(make(run=1, direction="read", total_ios=counts, **latencies), to="run"))
    return row["total_ios"], row["lat_mean_ns"], row["lat_stddev_ns"]


@pytest.mark.parametrize(
    ("counts", "means", "stddevs", "expected"),
    [
        # a part is not the whole
        ([1, None], [1.0, 2.0], [1.0, 1.0], (None, None, None)),
        ([1, 2], [1.0, None], [1.0, 1.0], (3, None, None)),
        ([0, 0], [1.0, 2.0], [1.0, 1.0], (0, None, None)),
        # a mean may be known without its deviation
        ([1, 3], [1.0, 2.0], [0.5, None], (4, 1.75, None)),
        # one I/O has a mean, and no deviation
        ([1, 0], [7.0, None], [0.0, None], (1, 7.0, None)),
        # (0 - 1) s^2 would take something away
        ([0, 11], [5.0, 5.0], [2.0, 2.0], (11, 5.0, 2.0)),
    ],
)
def test_parts_of_which_something_is_unknown(make, rows, counts, means, stddevs, expected):
    assert pooled(make, rows, counts, means, stddevs) == expected


def test_threads_of_article_002_add_up_to_the_printed_totals(threads, diskspd, rows):
    found = combine(threads, to="run")
    assert type(found) is type(threads)
    assert list(found.columns) == [*threads.columns, "parts", "flags", "details"]
    printed = {(row["volume"], row["direction"]): row for row in rows(diskspd)}
    made = rows(found)
    assert len(made) == len(printed) == 9
    for ours in made:
        theirs = printed[ours["volume"], ours["direction"]]
        for name in ("source", "run", "clones", "io_bytes", "total_ios"):
            assert ours[name] == theirs[name]
        # two rounded parts; the printed total is that of reads and writes, which are rounded too
        assert ours["iops"] == pytest.approx(theirs["iops"], abs=0.021)
        assert ours["lat_mean_ns"] == pytest.approx(theirs["lat_mean_ns"], abs=1000)
        assert ours["lat_stddev_ns"] == pytest.approx(theirs["lat_stddev_ns"], abs=1500)
        assert (ours["thread"], ours["entry"], ours["parts"]) == (None, None, 2)
        assert (ours["target"], ours["told"]) == (theirs["target"], None)
        assert ours["iops_stddev"] is None


@pytest.mark.parametrize(
    ("counts", "means", "stddevs", "mean", "stddev"),
    [
        ([4561868, 6039168], [0.841, 0.635], [0.456, 0.395], 0.7236, 0.4345),
        ([2261103, 5260019], [1.696, 0.729], [1.383, 0.710], 1.0197, 1.0603),
    ],
    ids=["vhdx", "mirror"],
)
def test_the_latencies_of_article_002(make, rows, counts, means, stddevs, mean, stddev):
    """As DISKSPD printed those of two threads, and the digits of STATISTICS.md."""
    _, *found = pooled(make, rows, counts, means, stddevs)
    assert found == pytest.approx([mean, stddev], abs=5e-5)


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


def test_groups_may_be_combined_further(fio, rows):
    (row,) = rows(combine(combine(fio, to="group"), to="run"))
    assert (row["total_ios"], row["parts"], row["clones"]) == (240, 2, 4)


@pytest.mark.parametrize(
    ("start", "seconds", "iops", "told"),
    [
        (datetime(2026, 1, 1, tzinfo=UTC), 0.1, 3.0, None),
        (datetime(2026, 1, 1), 10, None, "jobs started up to 10 s apart: rates do not add"),
    ],
    ids=["together", "apart"],
)
def test_job_start_tells_which_jobs_ran_together(make, rows, start, seconds, iops, told):
    jobs = {"group": [0, 1], "iops": [1.0, 2.0], "runtime_s": 10.0}
    starts = [start, start + timedelta(seconds=seconds)]
    (row,) = rows(combine(make(run=1, direction="read", job_start=starts, **jobs), to="run"))
    assert (row["iops"], row["told"]) == (iops, told)


def test_unequal_runtimes_share_the_longest(make, rows):
    parts = {"total_ios": [100, 300], "iops": [20.0, 30.0], "runtime_s": [5.0, 10.0]}
    (row,) = rows(combine(make(run=1, direction="write", **parts), to="run"))
    assert (row["iops"], row["runtime_s"]) == (40.0, 10.0)
    assert row["told"] == "runtimes from 5 to 10 s: rates are sums over the longest"


def test_one_part_is_its_own_whole(make, rows):
    io = make(run=1, entry=1, direction="read", clones=4, iops=[5.0], iops_stddev=2.0, group=0)
    (row,) = rows(combine(io, to="run"))
    assert (row["clones"], row["iops"], row["iops_stddev"], row["parts"]) == (4, 5.0, 2.0, 1)
    assert (row["entry"], row["told"]) == (1, None)


@pytest.mark.parametrize(
    ("ask", "columns", "message"),
    [
        (
            *("run", {"source": "a", "entry": [1, 1], "iops": 1.0}),
            "run 1 of a has entries that are there twice",
        ),
        ("host", {}, "to='host' is neither 'run' nor 'group'"),
        ("run", {"run": None}, "no column 'run'"),
        ("totals", {"direction": None}, "no column 'direction'"),
    ],
)
def test_what_cannot_be_combined(make, ask, columns, message):
    given = {"run": 1, "direction": "read", "iops": [1.0], **columns}
    io = make(**{name: column for name, column in given.items() if column is not None})
    with pytest.raises(SchemaError, match=message):
        ft.totals(io) if ask == "totals" else combine(io, to=ask)


def test_jobs_and_whole_groups_add(make, rows):
    """Three groups, one after the other, the last of which was reported whole."""
    counts = {"clones": [1, 1, 4], "total_ios": [100, 10, 1], "iops": [10.0, 1.0, 0.1]}
    io = make(source="a", run=1, entry=[1, 2, 3], group=[0, 1, 2], direction="read", **counts)
    found = [(r["group"], r["clones"], r["iops"]) for r in rows(combine(io, to="group"))]
    assert found == [(0, 1, 10.0), (1, 1, 1.0), (2, 4, 0.1)]
    (row,) = rows(combine(io, to="run"))
    assert (row["clones"], row["total_ios"], row["parts"]) == (6, 111, 3)


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
    # what is unknown of a part is unknown of the whole
    (row,) = rows(ft.totals(ways(make, run=1, iops=[3.0, None])))
    assert (row["iops"], row["total_ios"], row["lat_mean_ns"]) == (None, 40, 2.0)


@pytest.mark.parametrize("direction", ["read", "mixed"])
def test_the_total_of_one_direction_is_that_direction(make, rows, direction):
    io = make(source="a", run=1, direction=direction, total_ios=[5], iops=[2.0], lat_mean_ns=[3.0])
    assert rows(ft.totals(io)) == [{**rows(io)[0], "direction": "total"}]
    assert not rows(ft.totals(make(run=1, direction="trim", iops=[2.0])))


def test_totals_keep_labels_apart_where_no_run_is_named(make, rows):
    both = {"direction": ["read", "write"] * 2, "iops": [1.0, 2.0, 3.0, 4.0]}
    found = rows(ft.totals(make(volume=["a", "a", "b", "b"], **both)))
    assert [(r["volume"], r["iops"]) for r in found] == [("a", 3.0), ("b", 7.0)]
    named = make(source="a", run=[1, 1, 2, 2], volume=[None, None, "b", "b"], **both)
    found = rows(ft.totals(named))
    assert [(r["volume"], r["iops"]) for r in found] == [(None, 3.0), ("b", 7.0)]


def test_totals_stand_once(make, rows):
    io = make(run=1, direction=["read", "write", "total"], iops=[1.0, 2.0, 3.0])
    assert [r["iops"] for r in rows(ft.totals(io))] == [3.0]


def test_totals_of_numbers_of_unusual_types(make, rows):
    plain = rows(ft.totals(ways(make, run=1)))
    frame = pl.DataFrame(rows(ways(make, run=1)))
    small = frame.with_columns(
        pl.col("total_ios").cast(pl.UInt8),
        pl.col("iops", "lat_mean_ns").cast(pl.Float32),
        pl.col("direction").cast(pl.Categorical),
    )
    told = ("direction", "total_ios", "iops", "lat_mean_ns")
    for one in (small, small.to_pandas(), frame.cast({"iops": pl.Decimal(10, 2)})):
        (row,) = rows(ft.totals(one))
        assert [row[name] for name in told] == [plain[0][name] for name in told]
    # sums of small integers are larger than these
    (row,) = rows(ft.totals(small.with_columns(total_ios=pl.lit(200, pl.UInt8))))
    assert (row["total_ios"], row["lat_mean_ns"]) == (400, 3.0)
