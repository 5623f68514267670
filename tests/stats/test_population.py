"""Runs that are not of one kind: targets, groups, workloads, and modes that few runs miss."""

from __future__ import annotations

import pytest

from fiotools import compare, summarize
from fiotools.errors import in_shell


def sides(rows, frame, **asked):
    (row,) = rows(compare(frame, "iops", between="side", baseline="a", **asked))
    return row


def test_runs_on_different_targets_are_not_repeats(make, rows):
    frame = make(
        source=[f"{at}.xml" for at in range(4)],
        run=1,
        target=[r"C:\test.dat", r"C:\test.dat", r"D:\test.dat", r"D:\test.dat"],
        iops=[393.0, 401.0, 50_445.0, 50_400.0],
    )
    (row,) = rows(summarize(frame, "iops"))
    told = "the runs are on 2 targets (C:, D:), which are not repeats of each other: "
    assert f"{told}name what tells them apart in by=" in row["told"]
    assert "the runs lie 128 times apart: are they of one kind?" in row["told"]
    with in_shell():
        assert (
            f"{told}name what tells them apart in --by" in rows(summarize(frame, "iops"))[0]["told"]
        )


def test_sides_may_be_on_targets_of_their_own(make, rows):
    own = make(
        side=["a"] * 3 + ["b"] * 3,
        target=["/mnt/a/1", "/mnt/a/2", "/mnt/a/3", "/mnt/b/1", "/mnt/b/2", "/mnt/b/3"],
        iops=[100.0, 101.0, 99.0, 120.0, 121.0, 119.0],
    )
    assert sides(rows, own)["told"] is None
    mixed = make(
        side=["a"] * 3 + ["b"] * 3,
        target=["/dev/sda", "/dev/sda", "/dev/sdb", "/dev/sda", "/dev/sda", "/dev/sda"],
        iops=[100.0, 101.0, 99.0, 120.0, 121.0, 119.0],
    )
    assert sides(rows, mixed)["told"].startswith(
        "the runs of 'a' are on 2 targets (/dev/sda, /dev/sdb)"
    )


RATES = [100.0, 450.0, 2000.0, 800.0, 60.0]
GAINS = [1.1, 0.98, 1.15, 1.05, 1.2]


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("workload", ["mail", "web", "db", "vm", "backup"]),
        ("bs_bytes", [4096, 8192, 16384, 65536, 1048576]),
        ("target", ["/dev/sda", "/dev/sdb", "/dev/sdc", "/dev/sdd", "/dev/sde"]),
    ],
)
def test_pairs_of_conditions_are_not_repeats(make, rows, column, values):
    iops = [*RATES, *(rate * gain for rate, gain in zip(RATES, GAINS, strict=True))]
    frame = make(side=["a"] * 5 + ["b"] * 5, iops=iops, **{column: values * 2})
    row = sides(rows, frame, pair=column)
    assert (row["verdict"], row["runs_needed"]) == ("undecided", None)
    assert row["told"] == (
        f"over 5 values of '{column}', one run each: the interval is of other such values, "
        "not of other runs of these"
    )
    rounds = make(side=["a"] * 5 + ["b"] * 5, iops=iops, round=[1, 2, 3, 4, 5] * 2)
    row = sides(rows, rounds, pair="round")
    assert row["runs_needed"] > 0
    assert "one run each" not in (row["told"] or "")


def test_labels_pooled_as_repeats(make, rows):
    iops = [*RATES, *(rate * gain for rate, gain in zip(RATES, GAINS, strict=True))]
    frame = make(side=["a"] * 5 + ["b"] * 5, iops=iops, workload=[*"vwxyz"] * 2)
    row = sides(rows, frame)
    assert "over 5 values of 'workload', one run each" in row["told"]
    assert row["runs_needed"] is None


def test_same_has_no_caution(make, rows):
    values = [100.0, 100.5, 99.7]
    frame = make(side=["a"] * 3 + ["b"] * 3, iops=[*values, *values[::-1]])
    row = sides(rows, frame)
    assert row["words"] == "same within 5 %"
    assert row["flags"] is None


def test_article_004_has_two_groups(lima, rows):
    found = {r["mount"]: r["told"] for r in rows(summarize(lima, "read_iops", by="mount"))}
    assert (
        "the runs fall into two groups: 2 of 5,703 /s to 5,814 /s and 3 of 8,910 /s to 9,037 /s"
        in found["9p"]
    )
    assert "groups" not in (found["sshfs"] or "")
    assert "groups" not in (found["virtiofs"] or ""), "one run apart is an outlier"
    told = {
        r["mount"]: r["told"]
        for r in rows(compare(lima, "read_iops", between="mount", baseline="sshfs"))
    }
    assert "the runs of '9p' fall into two groups" in told["9p"]
    assert "groups" not in (told["virtiofs"] or "")


def test_folders_of_fio_are_targets(make, rows):
    sources = [f"{name}.json" for name in "abcdef"]
    frame = make(side=["a"] * 3 + ["b"] * 3, source=sources, run=1, iops=[1.0, 1.01, 0.99] * 2)
    settings = make(
        source=sources,
        run=1,
        entry=1,
        option="directory",
        text=["/mnt/x", "/mnt/y", "/mnt/x", "/mnt/z", "/mnt/z", "/mnt/z"],
        origin="given",
    )
    warnings = sides(rows, frame, settings=settings)["told"]
    assert "the runs of 'a' are on 2 targets (/mnt/x, /mnt/y)" in warnings
    assert "the runs of 'b' are on" not in warnings
