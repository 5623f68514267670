from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

import fiotools as ft
from fiotools import combine, compare
from fiotools.errors import SchemaError
from fiotools.stats.combine import pooled_mean, pooled_stddev
from fiotools.stats.frames import opened, values

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
SECTIONS = CORPUS / "fio/generated/local__json-multisection-stonewall.json"


def keep(frame, column, value):
    data = opened(frame)
    return data[[i for i, v in enumerate(values(data, column)) if v == value]].to_native()


def test_pooling_is_the_mean_and_spread_of_the_whole():
    rng = np.random.default_rng(5)
    parts = [rng.lognormal(1, 0.5, n) for n in (10, 200, 3000)]
    whole = np.concatenate(parts)
    counts = [len(p) for p in parts]
    means = [float(p.mean()) for p in parts]
    stddevs = [float(p.std(ddof=1)) for p in parts]
    assert pooled_mean(counts, means) == pytest.approx(whole.mean())
    assert pooled_stddev(counts, means, stddevs) == pytest.approx(whole.std(ddof=1))


@pytest.mark.parametrize(
    ("counts", "means", "stddevs"),
    [
        ([1, None], [1.0, 2.0], [1.0, 1.0]),
        ([1, 2], [1.0, None], [1.0, 1.0]),
        ([0, 0], [1.0, 2.0], [1.0, 1.0]),
    ],
)
def test_a_part_is_not_the_whole(counts, means, stddevs):
    assert pooled_mean(counts, means) is None
    assert pooled_stddev(counts, means, stddevs) is None


def test_threads_of_article_002_add_up_to_the_printed_totals(diskspd, rows):
    found = combine(keep(diskspd, "scope", "thread"), to="run")
    printed = rows(keep(diskspd, "scope", "total"))
    assert type(found) is type(diskspd)
    assert list(found.columns) == [*diskspd.columns, "parts", "flags", "details"]
    made = rows(found)
    assert len(made) == 9
    for ours, theirs in zip(made, printed, strict=True):
        for name in ("volume", "source", "run", "direction", "scope", "io_bytes", "total_ios"):
            assert ours[name] == theirs[name]
        # two rounded parts
        assert ours["iops"] == pytest.approx(theirs["iops"], abs=0.011)
        assert ours["lat_mean_ns"] == pytest.approx(theirs["lat_mean_ns"], abs=1000)
        assert ours["lat_stddev_ns"] == pytest.approx(theirs["lat_stddev_ns"], abs=1500)
        assert ours["iops_stddev"] is None
        assert (ours["thread"], ours["entry"], ours["parts"]) == (None, None, 2)
        assert (ours["bs_bytes"], ours["iodepth"], ours["told"]) == (4096, 32, None)


def test_the_digits_of_statistics(diskspd, rows):
    made = combine(keep(diskspd, "scope", "thread"), to="run")
    by = {(r["volume"], r["direction"]): r for r in rows(made)}
    assert by["vhdx", "total"]["lat_mean_ns"] / 1e6 == pytest.approx(0.7236, abs=5e-5)
    assert by["vhdx", "total"]["lat_stddev_ns"] / 1e6 == pytest.approx(0.4345, abs=5e-5)
    assert by["mirror", "total"]["lat_mean_ns"] / 1e6 == pytest.approx(1.0197, abs=5e-5)
    assert by["mirror", "total"]["lat_stddev_ns"] / 1e6 == pytest.approx(1.0603, abs=5e-5)


def test_totals_beside_their_parts_are_refused(diskspd):
    with pytest.raises(
        SchemaError,
        match=r"run 1 of nvme.txt mixes rows of scope thread, total.*keep one.*scope.*thread",
    ):
        combine(diskspd, to="run")


def test_compare_takes_totals(diskspd, rows):
    made = combine(keep(diskspd, "scope", "thread"), to="run")
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
        scope="job",
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
    assert (first["group"], first["job"], first["rw"], first["scope"]) == (
        0,
        "seq",
        "read",
        "group",
    )
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
    assert (row["group"], row["job"], row["rw"], row["scope"]) == (None, None, None, "total")


def test_groups_may_be_combined_further(fio, rows):
    (row,) = rows(combine(combine(fio, to="group"), to="run"))
    assert (row["total_ios"], row["parts"], row["scope"]) == (240, 2, "total")


def test_job_start_tells_which_jobs_ran_together(make, rows):
    start = datetime(2026, 1, 1)

    def started(*seconds):
        return make(
            run=1,
            group=[0, 1],
            direction="read",
            scope="job",
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
        scope="thread",
        total_ios=[100, 300],
        iops=[20.0, 30.0],
        runtime_s=[5.0, 10.0],
    )
    (row,) = rows(combine(io, to="run"))
    assert (row["iops"], row["runtime_s"]) == (40.0, 10.0)
    assert row["told"] == "runtimes from 5 to 10 s: rates are sums over the longest"


def test_one_part_is_its_own_whole(make, rows):
    io = make(run=1, entry=1, direction="read", scope="group", iops=[5.0], iops_stddev=2.0, group=0)
    (row,) = rows(combine(io, to="run"))
    assert (row["scope"], row["iops"], row["iops_stddev"], row["parts"]) == ("total", 5.0, 2.0, 1)
    assert (row["entry"], row["told"]) == (1, None)


def test_a_gap_makes_a_gap(make, rows):
    io = make(run=1, direction="read", scope="job", iops=[1.0, None], total_ios=[10, 20])
    (row,) = rows(combine(io, to="run"))
    assert (row["iops"], row["total_ios"]) == (None, 30)


def test_percentiles_are_never_combined(make):
    frame = make(run=1, direction="read", scope="job", percentile=99.0, value_ns=[1.0, 2.0])
    with pytest.raises(SchemaError, match="percentiles neither add nor average"):
        combine(frame, to="run")


def test_a_file_read_twice(make):
    io = make(source="a", run=1, entry=[1, 1], direction="read", scope="job", iops=[1.0, 1.0])
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
        scope=["job", "job", "group"],
        total_ios=[100, 10, 1],
        iops=[10.0, 1.0, 0.1],
    )


def test_jobs_and_whole_groups_overlap_only_within_a_group(sections, rows):
    found = rows(combine(sections, to="group"))
    assert [(r["group"], r["scope"], r["iops"]) for r in found] == [
        *((0, "group", 10.0), (1, "group", 1.0), (2, "group", 0.1))
    ]
    (row,) = rows(combine(sections, to="run"))
    assert (row["scope"], row["total_ios"], row["parts"]) == ("total", 111, 3)


def test_sections_of_a_file_of_fio(rows):
    if not SECTIONS.exists():
        pytest.skip("the corpus is not beside the project (../shared/corpus)")
    io = ft.read(SECTIONS).io
    assert [r["parts"] for r in rows(combine(io, to="run"))] == [2, 2]
    assert [r["group"] for r in rows(combine(io, to="group"))] == [0, 1, 2, 2]
    assert len(rows(ft.summarize(io, "iops", by=["group", "direction"]))) == 4


@pytest.mark.parametrize(
    ("group", "scope", "remedy"),
    [
        # group 1 has only its job, and with scope == 'group' it would be gone
        ([0, 0, 1], ["job", "group", "job"], r"keep one, .*scope.* == 'job'"),
        ([0, 0, 1], ["job", "group", "group"], r"keep one, .*scope.* == 'group'"),
        ([0, 1, None], ["job", "group", "total"], r"leave one out, .*scope.* != 'total'"),
        ([0, 0, 1, 2], ["job", "group", "job", "group"], "either its jobs or their sum"),
    ],
)
def test_the_filter_to_type_loses_nothing(make, group, scope, remedy):
    io = make(source="a", run=1, group=group, direction="read", scope=scope, iops=1.0)
    for to in ("run", "group"):
        with pytest.raises(SchemaError, match=remedy) as error:
            combine(io, to=to)
        assert "would count I/O twice" in str(error.value)


def test_no_rows(make):
    with pytest.raises(SchemaError, match="the frame has no rows"):
        combine(make(run=1, direction="read", iops=[1.0]).head(0), to="run")
