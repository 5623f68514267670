"""The replicate is the run: threads, directions, cells, order, and columns not named."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import exp
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import fiotools as ft
from fiotools import compare, summarize
from fiotools.errors import SchemaError
from fiotools.stats.replicates import device_of

ROOT = Path(__file__).parents[2]


def test_threads_are_not_repeats(threads):
    with pytest.raises(
        SchemaError,
        match=r"run 1 of nvme.txt has 2 rows.*threads and jobs are not repeats: combine\(io, to='run'\).*thread",
    ):
        compare(threads, "iops", between="volume", baseline="vhdx", by="direction")


def test_each_thread_may_be_compared_by_name(threads, rows):
    by = ["direction", "thread"]
    found = compare(threads, "iops", between="volume", baseline="vhdx", by=by)
    assert len(rows(found)) == 12


@pytest.fixture
def sections(make):
    """Two runs of fio: group 0 is one job, group 1 was reported whole."""
    return make(
        g=["a", "a", "b", "b"],
        source=["x", "x", "y", "y"],
        run=1,
        group=[0, 1, 0, 1],
        clones=[1, 4] * 2,
        iops=[1.0, 10.0, 2.0, 30.0],
    )


def test_jobs_and_groups_stand_together_where_each_is_alone(sections, rows):
    found = rows(compare(sections, "iops", between="g", baseline="a", by="group"))
    assert [(r["group"], r["ratio"]) for r in found] == [(0, 2.0), (1, pytest.approx(3.0))]
    assert [r["mean"] for r in rows(summarize(sections, "iops", by=["g", "group"]))] == [
        *(1.0, 10.0, 2.0, 30.0)
    ]
    with pytest.raises(SchemaError, match=r"2 rows, but one .*name it in by= \(group\)"):
        summarize(sections, "iops", by="g")


@pytest.mark.parametrize("by", ["direction", "percentile"])
def test_a_run_of_one_job_stands_beside_a_group(make, rows, by):
    frame = make(
        **{"run": [1, 1, 2, 2], "group": 0, "numjobs": [1, 1, 2, 2], by: ["x", "y"] * 2},
        clones=[1, 1, 2, 2],
        iops=[1.0, 10.0, 2.0, 30.0],
    )
    found = rows(compare(frame, "iops", between="numjobs", baseline=1, by=by))
    assert [(r[by], round(r["ratio"], 9)) for r in found] == [("x", 2), ("y", 3)]


def test_jobs_side_by_side_do_not_stand_beside_a_group(make):
    frame = make(
        run=[1, 1, 2],
        group=0,
        job=["a", "b", "c"],
        clones=[1, 1, 2],
        g=[1, 1, 2],
        iops=[1.0, 10.0, 2.0],
    )
    with pytest.raises(SchemaError, match=r"run 1 has 2 rows.* combine\(io, to='run'\) first"):
        compare(frame, "iops", between="g", baseline=1, by="group")


def test_between_among_by_is_refused(make):
    frame = make(g=["a", "b"], iops=[1.0, 2.0])
    with pytest.raises(SchemaError, match="'g' is in by= and between="):
        compare(frame, "iops", between="g", baseline="a", by=["g"])


def test_directions_of_one_run_are_one_observation(diskspd):
    with pytest.raises(SchemaError) as error:
        compare(diskspd, "iops", between="volume", baseline="vhdx")
    assert "add 'direction' to by=, or keep one: direction == 'total'" in str(error.value)


def test_percentiles_of_one_run_are_told_apart_not_averaged(make, rows):
    frame = make(
        g=["a", "a", "b", "b"],
        source=["x", "x", "y", "y"],
        run=1,
        percentile=[50.0, 99.0, 50.0, 99.0],
        value_ns=[1e3, 5e3, 2e3, 20e3],
    )
    with pytest.raises(SchemaError, match=r"name it in by= \(percentile\)"):
        compare(frame, "value_ns", between="g", baseline="a")
    found = rows(compare(frame, "value_ns", between="g", baseline="a", by="percentile"))
    assert [r["ratio"] for r in found] == pytest.approx([2.0, 4.0])


def test_the_same_row_twice(make):
    frame = make(g=["a", "a", "b"], source=["x", "x", "y"], run=1, iops=[1.0, 1.0, 2.0])
    with pytest.raises(SchemaError, match=r"run 1 of x has 2 rows.*is it there twice"):
        compare(frame, "iops", between="g", baseline="a")


# cells


@pytest.fixture
def swept(make):
    """Four runs a side, each through three block sizes, with noise that belongs to the run."""
    rng = np.random.default_rng(3)
    logs = {}
    for g, base in (("a", 0.0), ("b", 0.3)):
        for run in range(4):
            own = rng.normal(0, 0.1)
            for bs, level in ((4096, 9.0), (65536, 7.0), (1048576, 5.0)):
                logs[g, run, bs] = base + own + level + rng.normal(0, 0.01)
    keys = list(logs)
    frame = make(
        g=[k[0] for k in keys],
        source=[f"{k[0]}{k[1]}.json" for k in keys],
        run=1,
        bs_bytes=[k[2] for k in keys],
        iops=[exp(v) for v in logs.values()],
    )
    return frame, logs


def test_cells_of_one_run_are_one_observation(swept, rows):
    frame, logs = swept
    (row,) = rows(compare(frame, "iops", between="g", baseline="a"))
    means = {
        g: [np.mean([v for k, v in logs.items() if k[:2] == (g, run)]) for run in range(4)]
        for g in "ab"
    }
    ends = stats.ttest_ind(means["b"], means["a"], equal_var=False).confidence_interval()
    assert (row["n"], row["n_baseline"], row["varies_in"]) == (4, 4, "bs_bytes")
    assert (row["ratio_lo"], row["ratio_hi"]) == pytest.approx((exp(ends.low), exp(ends.high)))
    assert row["method"] == "Welch t of logarithms"
    assert row["told"] is None


def test_cells_that_are_named_are_compared_each_for_itself(swept, rows):
    frame, _ = swept
    found = rows(compare(frame, "iops", between="g", baseline="a", by="bs_bytes"))
    assert [(r["bs_bytes"], r["n"], r["varies_in"]) for r in found] == [
        (4096, 4, None),
        (65536, 4, None),
        (1048576, 4, None),
    ]


def test_cells_with_runs_of_their_own_weigh_the_same(make, rows):
    frame = make(
        g=["a"] * 5 + ["b"] * 6,
        bs_bytes=[4096, 4096, 4096, 65536, 65536] + [4096] * 3 + [65536] * 3,
        iops=[100, 103, 99, 50, 52, 121, 119, 125, 66, 64, 65],
    )
    (row,) = rows(compare(frame, "iops", between="g", baseline="a"))
    cells = [([121, 119, 125], [100, 103, 99]), ([66, 64, 65], [50, 52])]
    logs = [(np.log(b), np.log(a)) for b, a in cells]
    center = np.mean([b.mean() - a.mean() for b, a in logs])
    parts = [arm.var(ddof=1) / len(arm) / 4 for pair in logs for arm in pair]
    df = sum(parts) ** 2 / sum(
        p**2 / (len(arm) - 1)
        for p, arm in zip(parts, [x for pair in logs for x in pair], strict=True)
    )
    half = stats.t.ppf(0.975, df) * sum(parts) ** 0.5
    assert (row["n"], row["n_baseline"], row["method"]) == (6, 5, "Welch t of logarithms, by cell")
    assert row["ratio"] == pytest.approx(exp(center))
    assert (row["ratio_lo"], row["ratio_hi"]) == pytest.approx(
        (exp(center - half), exp(center + half))
    )
    # the smallest cell has two runs
    assert row["words"] == "two runs: too few to tell"


def test_one_run_per_cell_is_not_a_repeat(make, rows):
    frame = make(
        g=["a", "a", "a", "b", "b", "b"],
        bs_bytes=[1, 2, 3] * 2,
        iops=[9.0, 5.0, 2.0, 18.0, 10.0, 4.0],
    )
    (row,) = rows(compare(frame, "iops", between="g", baseline="a"))
    assert row["ratio"] == pytest.approx(2.0)
    assert row["ratio_lo"] is None
    assert row["words"] == "one run each, so the error is unknown"


def test_cells_that_only_one_side_has_are_refused(make):
    frame = make(g=["a", "a", "b", "b"], bs_bytes=[1, 2, 1, 1], iops=[1.0, 2.0, 3.0, 4.0])
    with pytest.raises(SchemaError, match="do not all hold the same cells of bs_bytes"):
        compare(frame, "iops", between="g", baseline="a")


def test_pairs_need_whole_cells(make):
    frame = make(
        g=["a", "a", "b", "b"], bs_bytes=[1, 2, 2, 1], round=[1, 2, 1, 2], iops=[1.0, 2.0, 3.0, 4.0]
    )
    with pytest.raises(SchemaError, match="bs_bytes"):
        compare(frame, "iops", between="g", baseline="a", pair="round")


# what nobody named


def test_a_condition_that_sets_the_sides_apart_is_said(make, rows):
    frame = make(g=["a"] * 3 + ["b"] * 3, iodepth=[1] * 3 + [32] * 3, iops=[1, 2, 3, 4, 5, 6])
    (row,) = rows(compare(frame, "iops", between="g", baseline="a"))
    assert row["varies_in"] == "iodepth"
    assert "the sides differ in iodepth too" in row["told"]


def test_a_missing_condition_is_not_a_difference(make, rows):
    frame = make(
        g=["a"] * 3 + ["b"] * 3, iodepth=[1, None, 1, None, None, 1], iops=[1, 2, 3, 4, 5, 6]
    )
    assert rows(compare(frame, "iops", between="g", baseline="a"))[0]["varies_in"] is None


def test_labels_count_as_conditions_unless_they_number_the_runs(make, rows):
    frame = make(
        mount=["ext4"] * 4 + ["drvfs"] * 4,
        drive=["C", "C", "F", "F"] * 2,
        round=["1", "2", "3", "4"] * 2,
        file=[f"run{i}" for i in range(8)],
        iops=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
    )
    assert rows(compare(frame, "iops", between="mount", baseline="ext4"))[0]["varies_in"] == "drive"
    named = compare(frame, "iops", between="mount", baseline="ext4", by="drive")
    assert [r["varies_in"] for r in rows(named)] == [None, None]
    assert rows(summarize(frame, "iops", by="mount"))[0]["varies_in"] == "drive"


def test_another_name_for_a_condition_is_not_a_condition(make, rows):
    frame = make(
        g=["a", "a", "b", "b"] * 2,
        bs_bytes=[4096] * 4 + [65536] * 4,
        size=["4k"] * 4 + ["64k"] * 4,
        iops=[1.0, 1.1, 2.0, 2.1, 3.0, 3.1, 4.0, 4.1],
    )
    (row,) = rows(compare(frame, "iops", between="bs_bytes", baseline=4096))
    assert (row["varies_in"], row["flags"]) == ("g", "alike")
    assert [
        r["varies_in"]
        for r in rows(compare(frame, "iops", between="g", baseline="a", by="bs_bytes"))
    ] == [None, None]
    # neither is a cell column's
    assert rows(compare(frame, "iops", between="g", baseline="a"))[0]["varies_in"] == "bs_bytes"
    assert rows(summarize(frame, "iops"))[0]["varies_in"] == "bs_bytes, g"


def test_a_label_that_sets_labelled_sides_apart_is_still_said(make, rows):
    # ext4 on C and drvfs on F: nobody can tell which of the two it was
    frame = make(
        mount=["ext4"] * 3 + ["drvfs"] * 3, drive=["C"] * 3 + ["F"] * 3, iops=[1.0, 2, 3, 4, 5, 6]
    )
    (row,) = rows(compare(frame, "iops", between="mount", baseline="ext4"))
    assert row["varies_in"] == "drive"
    assert "the sides differ in drive too" in row["told"]


def test_the_size_in_a_file_name_is_its_block_size(rows):
    path = ROOT / "data/wsl-filesystems"
    io = ft.read(f"{path}/{{filesystem}}_{{operation}}_{{size}}_{{round:d}}.txt").io
    found = rows(
        ft.compare(
            io,
            "bw_bytes_per_s",
            between="bs_bytes",
            baseline=4096,
            by=["filesystem", "operation", "direction"],
        )
    )
    assert len(found) > 6
    assert {r["varies_in"] for r in found} == {None}
    assert not [r for r in found if "differ in" in (r["told"] or "")]


# the order of the runs

START = datetime(2026, 1, 1, tzinfo=UTC)


def at(*minutes):
    return [START + timedelta(minutes=m) for m in minutes]


def test_blocks_are_warned_of(make, rows):
    values = [1.0, 1.01, 1.02, 2.0, 2.01, 2.02]
    frame = make(g=["a"] * 3 + ["b"] * 3, started_at=at(0, 1, 2, 3, 4, 5), iops=values)
    (row,) = rows(compare(frame, "iops", between="g", baseline="a"))
    assert "the sides ran in blocks: drift cannot be told from the difference" in row["told"]


def test_alternating_runs_are_not(make, rows):
    frame = make(
        g=["a", "b"] * 3,
        reported_at=at(0, 1, 2, 3, 4, 5),
        iops=[1.0, 2.0, 1.01, 2.01, 0.99, 1.99],
    )
    assert rows(compare(frame, "iops", between="g", baseline="a"))[0]["told"] is None


def test_drift_is_told_from_the_difference(make, rows):
    times = list(range(10))
    values = [(2 if t % 2 else 1) * 1.03**t * (1.002 if t % 3 else 1) for t in times]
    frame = make(g=["a", "b"] * 5, started_at=at(*times), iops=values)
    (row,) = rows(compare(frame, "iops", between="g", baseline="a"))
    assert row["told"] == "values drift up by 30 % over the series of runs"


def test_times_that_are_not_all_known_say_nothing(make, rows):
    times = [*at(0, 1, 2, 3, 4), None]
    frame = make(g=["a"] * 3 + ["b"] * 3, started_at=times, iops=[1.0, 1.1, 1.2, 2.0, 2.1, 2.3])
    assert rows(compare(frame, "iops", between="g", baseline="a"))[0]["told"] is None


@pytest.mark.parametrize(
    ("target", "device"),
    [("/dev/sda", "/dev/sda"), (r"C:\test.dat", "C:"), ("/mnt/a/test.1", "/mnt/a"), ("t.1", "")],
)
def test_the_device_of_a_target(target, device):
    assert device_of(target) == device


def test_hosts_that_differ_are_said(make, rows):
    runs = make(
        side=["a"] * 4 + ["b"] * 4, host=["x", "x", "y", "y", "x", "y", "y", "y"], iops=[100.0] * 8
    )
    (row,) = rows(compare(runs, "iops", between="side", baseline="a"))
    assert row["varies_in"] == "host"
    assert "the sides hold host in different shares" in row["told"]
    assert rows(summarize(runs, "iops", by="host"))[0]["varies_in"] == "side"
    assert {row["varies_in"] for row in rows(summarize(runs, "iops", by="side"))} == {"host"}


def test_commands_that_differ_within_a_side_are_said(make, rows):
    runs = make(side=["a"] * 4 + ["b"] * 4, command=["cp", "rm"] * 4, real_s=[1.0, 2.0] * 4)
    (row,) = rows(compare(runs, "real_s", between="side", baseline="a"))
    assert row["varies_in"] == "command"
    assert {row["varies_in"] for row in rows(summarize(runs, "real_s", by="side"))} == {"command"}
    assert all(
        row["varies_in"] is None
        for row in rows(compare(runs, "real_s", between="side", baseline="a", by="command"))
    )
    # a command of each side names the side
    runs = make(side=["a"] * 3 + ["b"] * 3, command=["cp a"] * 3 + ["cp b"] * 3, real_s=[1.0] * 6)
    assert rows(compare(runs, "real_s", between="side", baseline="a"))[0]["varies_in"] is None


def test_jobs_that_ran_one_after_the_other_are_not_to_be_added(make):
    jobs = {"source": ["a"] * 2, "run": [1] * 2, "entry": [1, 2], "job": ["seq", "rand"]}
    same = make(**jobs, clones=[1] * 2, group=[0, 0], direction=["read"] * 2, iops=[1.0, 2.0])
    with pytest.raises(
        SchemaError, match=r"not repeats: combine\(io, to='run'\) first, or name it"
    ):
        summarize(same, "iops")
    after = make(**jobs, clones=[1] * 2, group=[0, 1], direction=["read"] * 2, iops=[1.0, 2.0])
    with pytest.raises(SchemaError, match="not repeats: name it in by="):
        summarize(after, "iops")
    with pytest.raises(SchemaError, match=r"all of them \(groups may have run one after the other"):
        summarize(ft.combine(after, to="run"), "iops")
