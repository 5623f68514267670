from __future__ import annotations

import sys

import narwhals as nw
import pytest

import fiotools as ft
from fiotools import fairness, per_thread
from fiotools.errors import SchemaError
from fiotools.stats.frames import opened
from tests.conftest import SHARED

TARGETS = SHARED / "corpus/diskspd/generated/v2.0.17a_3targets_F2.xml"


@pytest.fixture
def one(make):
    """Make rows of one run that read."""

    def build(**columns):
        return make(**({"run": 1, "direction": "read"} | columns))

    return build


def test_labels_stand_first_as_in_io(one):
    names = {"thread": [0, 1], "name": ["left", "right"]}
    io = one(volume="raid", round=7, **names, iops=[1.0, 3.0])
    assert list(per_thread(io).columns)[:4] == ["volume", "round", "name", "run"]
    # one of each thread's own is none of the run's
    assert list(fairness(io).columns)[:3] == ["volume", "round", "run"]
    assert list(fairness(io, by="direction").columns)[:3] == ["direction", "volume", "round"]


def test_clones_of_a_job_are_threads(one, rows):
    places = {"source": "a.json", "entry": [1, 2, 3, 4], "group": [0, 0, 1, 1]}
    io = one(**places, job="randread", clones=1, iops=[100.0, 300.0, 50.0, 50.0])
    assert [r["share_pct"] for r in rows(per_thread(io))] == pytest.approx([25, 75, 50, 50])
    first, second = rows(fairness(io))
    assert (first["group"], first["k"], first["stragglers"]) == (0, 2, "randread (entry 1)")
    assert (second["group"], second["jain"], second["stragglers"]) == (1, 1.0, None)
    unnamed = rows(fairness(one(**places, clones=1, iops=[1.0, 2.0, 4.0, 4.0])))
    assert unnamed[0]["stragglers"] == "entry 1"


@pytest.mark.parametrize(
    ("volume", "jain", "ratio", "behind"),
    [
        ("mirror", 0.8628, 2.326, "thread 0"),
        ("vhdx", 0.9810, 1.324, None),
        ("nvme", 1.0, 1.000, None),
    ],
)
def test_article_002(threads, diskspd, rows, volume, jain, ratio, behind):
    def total(frame):
        return [r for r in rows(frame) if (r["volume"], r["direction"]) == (volume, "total")]

    (row,) = total(fairness(threads, by="volume"))
    assert row["max_over_min"] == pytest.approx(ratio, abs=5e-4)
    assert row["jain"] == pytest.approx(jain, abs=5e-5)
    assert (row["n"], row["k"], row["stragglers"]) == (1, 2, behind)
    (whole,) = total(diskspd)
    assert row["total_ios"] == whole["total_ios"]
    assert row["lat_mean_ns"] == pytest.approx(whole["lat_mean_ns"], abs=1000)
    parts = [r["iops"] for r in total(threads)]
    assert (row["iops_lowest"], row["iops_highest"]) == (min(parts), max(parts))
    shares = [r["share_pct"] for r in total(per_thread(threads))]
    assert shares == pytest.approx([100 * part / sum(parts) for part in parts])


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"bs_bytes": [4096, 65536]}, "threads differ in bs_bytes: fairness is between equals"),
        ({"thread": [0], "iops": [100.0]}, "one thread: nothing to share"),
        ({"iops": 0.0}, "no thread did any I/O"),
        ({"iops": [1.0, None]}, "iops is missing for some threads"),
    ],
)
def test_nothing_is_shared_that_cannot_be(one, rows, columns, told):
    (row,) = rows(fairness(one(**({"thread": [0, 1], "iops": [100.0, 10.0]} | columns))))
    assert row["told"] == told
    assert (row["jain"], row["max_over_min"], row["stragglers"]) == (None, None, None)


def test_a_share_of_something_unknown_is_unknown(one, rows):
    found = per_thread(one(thread=[0, 1], iops=[1.0, None]))
    assert [r["share_pct"] for r in rows(found)] == [None, None]


@pytest.mark.parametrize(
    ("rates", "jain"),
    [([0.0, 900.0, 900.0, 900.0], 0.75), ([0.0, *[900.0, 1200.0] * 3, 900.0], 6 / 7)],
)
def test_a_dead_thread_is_the_straggler(one, rows, rates, jain):
    frame = one(thread=list(range(len(rates))), iops=rates)
    (row,) = rows(fairness(frame))
    assert row["jain"] == pytest.approx(jain)
    assert (row["stragglers"], row["max_over_min"]) == ("thread 0", None)
    assert row["told"] == "a thread did no I/O"
    assert rows(per_thread(frame))[0]["share_pct"] == 0


@pytest.mark.parametrize(
    ("rates", "behind"),
    [
        ([100, 150], [0]),
        ([100, 149], []),
        # among more than four the deviations decide, and the fast one is not behind
        ([100, 101, 99, 100, 70, 100], [4]),
        ([100, 101, 99, 100, 140, 100], []),
        # far in deviations, near in speed
        ([100.0, 100.1, 99.9, 100.0, 95.0, 100.0], []),
        # 3.5 scaled deviations are 15.6 here
        ([100, 104, 96, 102, 98, 80], [5]),
        # far in speed, near in deviations
        ([100, 60, 140, 80, 120, 50], []),
    ],
)
def test_stragglers(one, rows, rates, behind):
    io = one(thread=list(range(len(rates))), iops=rates)
    named = ", ".join(f"thread {place}" for place in behind)
    assert rows(fairness(io))[0]["stragglers"] == (named or None)


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
def test_rows_of_no_thread_or_of_any_run_are_refused(threads, function):
    sums = opened(threads).with_columns(clones=nw.lit(2)).drop("thread")
    twice = nw.concat([opened(threads)] * 2)
    unknown = opened(threads).with_columns(run=nw.when(nw.col("direction") != "read").then("run"))
    for frame, message in (
        (
            sums,
            r"no row is of a single job or thread: fio summed them up \(group_reporting\), "
            "and DISKSPD's are in the table threads",
        ),
        (twice, r"run 1 of .*mirror.txt has entries that are there twice"),
        (twice.drop("entry"), r"has 2 rows, .*nothing tells them apart: is it there"),
        (unknown, "run is missing in 6 of 18 rows: which run are they of"),
    ):
        with pytest.raises(SchemaError, match=message):
            function(frame.to_native())


def test_fairness_takes_time_in_proportion_to_the_runs(make):
    def calls(runs):
        """Count calls, which no machine makes faster."""
        columns = {"thread": [0, 1], "bs_bytes": [4096, 65536], "iops": [100.0, 200.0]}
        sources = [f"{i}.xml" for i in range(runs) for _ in range(2)]
        twice = {name: two * runs for name, two in columns.items()}
        io = make(source=sources, run=1, direction="total", **twice)
        done = []
        before = sys.getprofile()
        sys.setprofile(lambda *_: done.append(1))
        try:
            fairness(io)
        finally:
            sys.setprofile(before)
        return len(done)

    calls(10)  # imports and caches do not count
    # a slice of the frame takes hundreds: with one for each, 20,000 runs took half a minute
    assert (calls(400) - calls(300)) / 100 < 400


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
    with pytest.raises(SchemaError, match=r"vm a has 2 runs, .*such as a round, in by="):
        fairness(opened(vms).drop("side").to_native(), of="vm")
    rounds = opened(vms).rename({"side": "round"}).to_native()
    found = [r for r in rows(fairness(rounds, of="vm", by="round")) if r["direction"] == "read"]
    assert [(r["round"], r["max_over_min"]) for r in found] == [("old", 3.0), ("new", 1.0)]


def test_jobs_of_a_run_made_at_once_add_up(one, rows):
    places = {"vm": [*"aab"], "source": [*"aab"], "entry": [1, 2, 1], "group": 0}
    io = one(**places, iops=[1.0, 2.0, 3.0], total_ios=[10, 20, 30])
    (row,) = rows(fairness(io, of="vm"))
    assert (row["k"], row["jain"], row["iops_lowest"], row["total_ios"]) == (2, 1.0, 3.0, 60)


def test_results_of_diskspd_made_at_once(rows):
    res = ft.read("data/dda-vhdx/xml/{volume}.xml")
    found = {r["direction"]: r for r in rows(fairness(res, of="volume"))}
    assert list(found) == ["read", "write", "total"]
    assert {r["k"] for r in found.values()} == {3}
    assert found["total"]["total_ios"] == found["read"]["total_ios"] + found["write"]["total_ios"]
    assert found["total"]["stragglers"] == "volume mirror, volume vhdx"
    assert "entry" not in found["total"]
