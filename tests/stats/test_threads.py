from __future__ import annotations

import sys
from pathlib import Path

import narwhals as nw
import pytest

import fiotools as ft
from fiotools import fairness, per_thread, summarize
from fiotools.errors import SchemaError
from fiotools.stats.combine import stragglers
from fiotools.stats.frames import opened

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
TARGETS = CORPUS / "diskspd/generated/v2.0.17a_3targets_F2.xml"


def test_a_row_per_thread_and_direction(threads, rows):
    found = per_thread(threads, by="volume")
    assert type(found) is type(threads)
    assert list(found.columns) == [
        *("volume", "source", "run", "entry", "thread", "direction", "total_ios", "iops"),
        *("lat_mean_ns", "lat_stddev_ns", "share_pct"),
    ]
    assert len(rows(found)) == 18
    mirror = [r for r in rows(found) if (r["volume"], r["direction"]) == ("mirror", "total")]
    assert [r["share_pct"] for r in mirror] == pytest.approx([30.06, 69.94], abs=5e-3)
    assert [r["thread"] for r in mirror] == [0, 1]


def test_labels_stand_first_as_in_io(make, rows):
    io = make(
        volume="raid",
        round=7,
        run=1,
        thread=[0, 1],
        name=["left", "right"],
        direction="read",
        iops=[1.0, 3.0],
    )
    assert list(per_thread(io).columns)[:4] == ["volume", "round", "name", "run"]
    # one of each thread's own is none of the run's
    assert list(fairness(io).columns)[:3] == ["volume", "round", "run"]
    assert list(fairness(io, by="direction").columns)[:3] == ["direction", "volume", "round"]


def test_clones_of_a_job_are_threads(make, rows):
    io = make(
        source="a.json",
        run=1,
        entry=[1, 2, 3, 4],
        group=[0, 0, 1, 1],
        job="randread",
        direction="read",
        clones=1,
        iops=[100.0, 300.0, 50.0, 50.0],
    )
    assert [r["share_pct"] for r in rows(per_thread(io))] == pytest.approx([25, 75, 50, 50])
    first, second = rows(fairness(io))
    assert (first["group"], first["k"], first["stragglers"]) == (0, 2, "randread (entry 1)")
    assert (second["group"], second["jain"], second["stragglers"]) == (1, 1.0, None)


def test_group_reporting_hides_the_threads(make):
    io = make(clones=[4, None], direction="read", iops=[1.0, 2.0])
    for function in (per_thread, fairness):
        with pytest.raises(
            SchemaError, match=r"no row is of a single job or thread: .*\(group_reporting\)"
        ):
            function(io)


def test_a_share_of_something_unknown_is_unknown(make, rows):
    io = make(run=1, thread=[0, 1], direction="read", iops=[1.0, None])
    assert [r["share_pct"] for r in rows(per_thread(io))] == [None, None]
    assert rows(fairness(io))[0]["told"] == "iops is missing for some threads"


@pytest.mark.parametrize(
    ("volume", "jain", "ratio", "behind"),
    [
        ("mirror", 0.8628, 2.326, "thread 0"),
        ("vhdx", 0.9810, 1.324, None),
        ("nvme", 1.0, 1.000, None),
    ],
)
def test_article_002(threads, rows, volume, jain, ratio, behind):
    found = {(r["volume"], r["direction"]): r for r in rows(fairness(threads, by="volume"))}
    assert len(found) == 9
    row = found[volume, "total"]
    assert row["max_over_min"] == pytest.approx(ratio, abs=5e-4)
    assert row["jain"] == pytest.approx(jain, abs=5e-5)
    assert (row["n"], row["k"], row["stragglers"]) == (1, 2, behind)


def test_pooled_latency_of_article_002(threads, rows):
    found = {(r["volume"], r["direction"]): r for r in rows(fairness(threads, by="volume"))}
    vhdx, mirror, nvme = (found[v, "total"] for v in ("vhdx", "mirror", "nvme"))
    assert vhdx["lat_mean_ns"] == pytest.approx(0.7236e6, abs=50)
    assert vhdx["lat_stddev_ns"] == pytest.approx(0.4345e6, abs=50)
    assert mirror["lat_mean_ns"] == pytest.approx(1.0197e6, abs=50)
    assert mirror["lat_stddev_ns"] == pytest.approx(1.0603e6, abs=50)
    # printed .097: consistent, since .105 and .090 are rounded themselves
    assert nvme["lat_stddev_ns"] == pytest.approx(0.0978e6, abs=50)
    assert mirror["iops_lowest"] == 18841.34
    assert mirror["iops_highest"] == 43830.73
    assert mirror["total_ios"] == 7521122


def test_columns(threads):
    assert list(fairness(threads, by="volume").columns) == [
        *("volume", "source", "run", "direction", "n", "k", "total_ios", "jain", "max_over_min"),
        *("iops_lowest", "iops_highest", "stragglers", "lat_mean_ns", "lat_stddev_ns", "flags"),
        "details",
    ]


def test_fairness_is_between_equals(make, rows):
    io = make(run=1, thread=[0, 1], direction="read", bs_bytes=[4096, 65536], iops=[100.0, 10.0])
    (row,) = rows(fairness(io))
    assert row["told"] == "threads differ in bs_bytes: fairness is between equals"
    assert (row["jain"], row["max_over_min"], row["stragglers"]) == (None, None, None)


def test_one_thread_has_nobody_to_share_with(make, rows):
    (row,) = rows(fairness(make(run=1, thread=[0], direction="read", iops=[100.0])))
    assert row["told"] == "one thread: nothing to share"
    assert row["jain"] is None


@pytest.mark.parametrize("others", [3, 7])
def test_a_dead_thread_is_the_straggler(make, rows, others):
    rates = [0.0, *(900.0 + 300 * (n % 2) * (others > 3) for n in range(others))]
    frame = make(run=1, thread=list(range(others + 1)), direction="read", iops=rates)
    (row,) = rows(fairness(frame))
    assert row["jain"] == pytest.approx(0.75 if others == 3 else 6 / 7)
    assert (row["stragglers"], row["max_over_min"]) == ("thread 0", None)
    assert row["told"] == "a thread did no I/O"
    assert rows(per_thread(frame))[0]["share_pct"] == 0


def test_threads_that_are_all_dead_share_nothing(make, rows):
    (row,) = rows(fairness(make(run=1, thread=[0, 1], direction="read", iops=0.0)))
    assert row["told"] == "no thread did any I/O"
    assert (row["jain"], row["max_over_min"], row["stragglers"]) == (None, None, None)


@pytest.mark.parametrize(
    ("rates", "behind"),
    [
        ([100, 150], [0]),
        ([100, 149], []),
        ([100, 150, 151, 60], [0, 3]),
        # among more than four the deviations decide, and the fast one is not behind
        ([100, 101, 99, 100, 70, 100], [4]),
        ([100, 101, 99, 100, 140, 100], []),
        # far in deviations, near in speed
        ([100.0, 100.1, 99.9, 100.0, 95.0, 100.0], []),
        # 3.5 scaled deviations are 15.6 here
        ([100, 104, 96, 102, 98, 80], [5]),
        ([100, 104, 96, 102, 98, 85], []),
        # far in speed, near in deviations
        ([100, 60, 140, 80, 120, 50], []),
    ],
)
def test_stragglers(rates, behind):
    assert stragglers(rates) == behind


def test_repeats_of_fairness_can_be_summarized(make, rows):
    io = make(
        source=[f"{i}.xml" for i in range(6) for _ in range(2)],
        run=1,
        thread=[0, 1] * 6,
        direction="total",
        iops=[float(x) for i in range(6) for x in (100, 110 + i)],
    )
    (row,) = rows(summarize(fairness(io), "max_over_min", by="direction"))
    assert row["n"] == 6
    assert (row["median_lo"], row["median_hi"]) == pytest.approx((1.10, 1.15))


@pytest.fixture
def targets(make):
    """One run of two threads on three targets each, as DISKSPD reports it."""
    return make(
        source="a.xml",
        run=1,
        entry=[1, 2, 3, 4, 5, 6],
        thread=[0, 0, 0, 1, 1, 1],
        target=["x", "y", "z"] * 2,
        direction="total",
        size_bytes=[10, 20, 30] * 2,
        total_ios=[100, 300, 200, 50, 150, 100],
        iops=[10.0, 30.0, 20.0, 5.0, 15.0, 10.0],
        lat_mean_ns=[1.0, 3.0, 2.0, 2.0, 6.0, 4.0],
        lat_stddev_ns=[0.5] * 6,
    )


def test_a_thread_with_several_targets_is_one_thread(targets, rows):
    first, second = rows(per_thread(targets))
    assert (first["thread"], first["entry"], first["target"]) == (0, None, None)
    assert (first["total_ios"], first["iops"]) == (600, 60.0)
    assert first["lat_mean_ns"] == pytest.approx((100 + 900 + 400) / 600)
    assert (first["share_pct"], second["share_pct"]) == pytest.approx((200 / 3, 100 / 3))
    (row,) = rows(fairness(targets))
    assert (row["k"], row["total_ios"], row["iops_lowest"], row["iops_highest"]) == (2, 900, 30, 60)
    assert row["jain"] == pytest.approx(90**2 / (2 * (60**2 + 30**2)))
    assert (row["max_over_min"], row["stragglers"], row["told"]) == (2.0, "thread 1", None)
    assert row["lat_mean_ns"] == pytest.approx((1400 + 100 + 900 + 400) / 900)


def test_targets_that_are_named_stay_apart(targets, rows):
    assert [r["k"] for r in rows(fairness(targets, by="target"))] == [2, 2, 2]
    found = rows(per_thread(targets, by="target"))
    assert [(r["target"], r["thread"], r["entry"]) for r in found][3:] == [
        *(("x", 1, 4), ("y", 1, 5), ("z", 1, 6))
    ]


def test_the_same_file_as_two_targets_is_two_targets(targets, rows):
    x = opened(targets).with_columns(nw.lit("x").alias("target")).to_native()
    assert [(r["target"], r["iops"]) for r in rows(per_thread(x))] == [("x", 60.0), ("x", 30.0)]


def test_two_threads_on_three_targets_of_diskspd(rows):
    if not TARGETS.exists():
        pytest.skip("the corpus is not beside the project (../shared/corpus)")
    res = ft.read(TARGETS)
    total = next(r for r in rows(fairness(res)) if r["direction"] == "total")
    assert (total["k"], total["total_ios"]) == (2, 87980)
    # the tool's own mean over all: 226 us
    assert total["lat_mean_ns"] == pytest.approx(226e3, abs=500)
    assert [r["thread"] for r in rows(per_thread(res.where("direction=total")))] == [0, 1]


@pytest.mark.parametrize("function", [per_thread, fairness])
def test_rows_that_stand_there_twice_are_refused(threads, function):
    twice = nw.concat([opened(threads)] * 2)
    with pytest.raises(SchemaError, match=r"run 1 of nvme.txt has entries that are there twice"):
        function(twice.to_native())
    with pytest.raises(SchemaError, match=r"has 2 rows, .*nothing tells them apart: is it there"):
        function(twice.drop("entry").to_native())


def test_without_runs_duplicates_stay(make, rows):
    io = make(thread=[0, 1, 0, 1], direction="read", iops=[1.0, 2.0, 3.0, 4.0])
    assert rows(fairness(io))[0]["k"] == 4


def test_fairness_takes_time_in_proportion_to_the_runs(make):
    def calls(runs):
        """Count calls, which no machine makes faster."""
        io = make(
            source=[f"{i}.xml" for i in range(runs) for _ in range(2)],
            run=1,
            thread=[0, 1] * runs,
            direction="total",
            bs_bytes=[4096, 65536] * runs,
            iops=[100.0, 200.0] * runs,
        )
        done = 0

        def count(*_):
            nonlocal done
            done += 1

        before = sys.getprofile()
        sys.setprofile(count)
        try:
            fairness(io)
        finally:
            sys.setprofile(before)
        return done

    calls(10)  # imports and caches do not count
    few, more, many = calls(200), calls(300), calls(400)
    assert many - more == pytest.approx(more - few, rel=0.05)
    # a slice of the frame takes hundreds: with one for each run and condition, 20,000 runs took 28 s
    assert (many - more) / 100 < 400


# runs that were made at once


@pytest.fixture
def vms(make):
    """Two sides, and on each two virtual machines at once, whose runs read and wrote."""
    return make(
        side=["old"] * 4 + ["new"] * 4,
        vm=["a", "a", "b", "b"] * 2,
        source=[f"{at}.xml" for at in range(4) for _ in range(2)],
        run=1,
        direction=["read", "write"] * 4,
        clones=4,
        total_ios=[100, 10, 300, 30, 200, 20, 200, 20],
        iops=[10.0, 1.0, 30.0, 3.0, 20.0, 2.0, 20.0, 2.0],
        lat_mean_ns=[1.0, 2.0, 3.0, 4.0] * 2,
    )


def test_runs_that_were_made_at_once_are_compared(vms, rows):
    answer = fairness(vms, of="vm")
    assert type(answer) is type(vms)
    assert list(answer.columns)[:4] == ["side", "direction", "n", "k"]
    found = {(r["side"], r["direction"]): r for r in rows(answer)}
    assert list(found) == [(s, d) for s in ("old", "new") for d in ("read", "write")]
    old, new = found["old", "read"], found["new", "read"]
    assert (old["n"], old["k"], old["total_ios"], old["stragglers"]) == (1, 2, 400, "vm a")
    assert (old["max_over_min"], new["max_over_min"], new["jain"]) == (3.0, 1.0, 1.0)
    assert (old["iops_lowest"], old["iops_highest"]) == (10.0, 30.0)
    assert old["lat_mean_ns"] == pytest.approx((100 * 1 + 300 * 3) / 400)


def test_several_runs_of_one_vm_were_not_made_at_once(vms, rows):
    frame = opened(vms).drop("side").to_native()
    with pytest.raises(SchemaError, match=r"vm a has 2 runs, .*such as a round, in by="):
        fairness(frame, of="vm")
    rounds = opened(frame).with_columns(nw.col("source").replace_strict(
        ["0.xml", "1.xml", "2.xml", "3.xml"], [1, 1, 2, 2], return_dtype=nw.Int64
    ).alias("round")).to_native()  # fmt: skip
    found = rows(fairness(rounds, of="vm", by="round"))
    assert [(r["round"], r["max_over_min"]) for r in found if r["direction"] == "read"] == [
        *((1, 3.0), (2, 1.0))
    ]


def test_jobs_of_a_run_made_at_once_add_up(make, rows):
    io = make(
        vm=["a", "a", "b"], source=["a", "a", "b"], run=1, entry=[1, 2, 1], group=0,
        direction="read", iops=[1.0, 2.0, 3.0], total_ios=[10, 20, 30],
    )  # fmt: skip
    (row,) = rows(fairness(io, of="vm"))
    assert (row["k"], row["jain"], row["iops_lowest"], row["total_ios"]) == (2, 1.0, 3.0, 60)


@pytest.mark.parametrize("frames", ["pandas", "polars"])
def test_results_of_diskspd_made_at_once(frames, rows):
    res = ft.read("data/dda-vhdx/xml/{volume}.xml", frames=frames)
    found = {r["direction"]: r for r in rows(fairness(res, of="volume"))}
    assert list(found) == ["read", "write", "total"]
    assert {r["k"] for r in found.values()} == {3}
    assert found["total"]["total_ios"] == found["read"]["total_ios"] + found["write"]["total_ios"]
    assert found["total"]["stragglers"] == "volume mirror, volume vhdx"
    assert "entry" not in found["total"]
