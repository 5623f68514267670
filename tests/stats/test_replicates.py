"""The replicate is the run: what is a repeat of it, what is not, and what is told of the runs."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from scipy import stats

import fiotools as ft
from fiotools import compare, summarize
from fiotools.errors import SchemaError

SIDES = {"between": "g", "baseline": "a"}


# rows of one run


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"run": [1, 1, 2], "group": 0, "job": [*"abc"], "clones": [1, 1, 2]},
            r"run 1 has 2 rows.* combine\(io, to='run'\) first",
        ),
        ({"run": 1, "source": [*"xxy"]}, r"run 1 of x has 2 rows.*is it there twice"),
        ({"run": 1, "source": [*"xxy"], "group": [0, 1, 0]}, r"one .*name it in by= \(group\)"),
        (
            {"run": 1, "source": [*"xxy"], "percentile": [50.0, 99.0, 50.0]},
            r"name it in by= \(percentile\)",
        ),
        ({"bs_bytes": [1, 2, 1]}, "do not all hold the same cells of bs_bytes"),
    ],
)
def test_parts_of_a_run_are_not_repeats(compared, columns, message):
    with pytest.raises(SchemaError, match=message):
        compared({"g": [*"aab"], "iops": [1.0, 2.0, 3.0]} | columns)


def test_threads_are_not_repeats_and_may_be_compared_by_name(threads, rows):
    message = (
        r"run 1 of .*mirror.txt has 2 rows.*threads and jobs are not repeats: combine\(io, to="
    )
    with pytest.raises(SchemaError, match=f"{message}'run'.*thread"):
        compare(threads, "iops", between="volume", baseline="vhdx", by="direction")
    by = ["direction", "thread"]
    assert len(compare(threads, "iops", between="volume", baseline="vhdx", by=by)) == 12


def test_jobs_that_ran_one_after_the_other_are_not_to_be_added(make):
    after = make(source="a", run=1, entry=[1, 2], job=["seq", "rand"], group=[0, 1], clones=1,
                 direction="read", iops=[1.0, 2.0])  # fmt: skip
    with pytest.raises(SchemaError, match=r"all of them \(groups may have run one after the other"):
        summarize(ft.combine(after, to="run"), "iops")


@pytest.mark.parametrize(
    ("source", "run", "advice"),
    [
        (["x", "x", "y", "y"], [1] * 4, {"pair": "source"}),
        (["x"] * 4, [1, 1, 2, 2], {"pair": "run"}),
        (["x"] * 4 + ["y"] * 4, [1, 1, 2, 2] * 2, {"pair": "run", "by": "source"}),
    ],
    ids=["files of a run", "a file of runs", "files of runs"],
)
def test_the_advice_to_compare_within_runs_works(make, rows, source, run, advice):
    rates = [100.0, 50.0, 110.0, 52.0] * (len(run) // 4)
    frame = make(source=source, run=run, direction=["read", "write"] * (len(run) // 2), iops=rates)
    asked = {"between": "direction", "baseline": "read"}
    with pytest.raises(SchemaError) as refused:
        compare(frame, "iops", **asked)
    typed = ", ".join(f"{name}={value!r}" for name, value in advice.items())
    assert str(refused.value).endswith(f"compare within runs, {typed}")
    assert {row["n"] for row in rows(compare(frame, "iops", **asked, **advice))} == {2}


# cells


def test_cells_of_one_run_are_one_observation(make, rows):
    """Four runs a side, each through three block sizes, with noise that belongs to the run."""
    rng = np.random.default_rng(3)
    own = rng.normal(0, 0.1, (2, 4, 1)) + rng.normal(0, 0.01, (2, 4, 3))
    logs = own + np.array([0.0, 0.3])[:, None, None] + np.array([9.0, 7.0, 5.0])
    frame = make(
        g=["a"] * 12 + ["b"] * 12,
        source=[f"{number // 3}.json" for number in range(24)],
        run=1,
        bs_bytes=[4096, 65536, 1048576] * 8,
        iops=np.exp(logs).ravel().tolist(),
    )
    (row,) = rows(compare(frame, "iops", **SIDES))
    base, level = logs.mean(axis=2)
    ends = stats.ttest_ind(level, base, equal_var=False).confidence_interval()
    assert (row["n"], row["n_baseline"], row["varies_in"]) == (4, 4, "bs_bytes")
    assert (row["ratio_lo"], row["ratio_hi"]) == pytest.approx((exp(ends.low), exp(ends.high)))
    assert (row["method"], row["told"]) == ("Welch t of logarithms", None)
    found = rows(compare(frame, "iops", **SIDES, by="bs_bytes"))
    assert [(r["bs_bytes"], r["n"], r["varies_in"]) for r in found] == [
        *((4096, 4, None), (65536, 4, None), (1048576, 4, None)),
    ]


def test_cells_with_runs_of_their_own_weigh_the_same(compared):
    row = compared(
        {
            "g": ["a"] * 5 + ["b"] * 6,
            "bs_bytes": [4096, 4096, 4096, 65536, 65536] + [4096] * 3 + [65536] * 3,
            "iops": [100, 103, 99, 50, 52, 121, 119, 125, 66, 64, 65],
        }
    )
    arms = [np.log(arm) for arm in ([121, 119, 125], [100, 103, 99], [66, 64, 65], [50, 52])]
    center = np.mean([arms[0].mean() - arms[1].mean(), arms[2].mean() - arms[3].mean()])
    parts = [arm.var(ddof=1) / len(arm) / 4 for arm in arms]
    shares = [part**2 / (len(arm) - 1) for part, arm in zip(parts, arms, strict=True)]
    half = stats.t.ppf(0.975, sum(parts) ** 2 / sum(shares)) * sum(parts) ** 0.5
    assert (row["n"], row["n_baseline"], row["method"]) == (6, 5, "Welch t of logarithms, by cell")
    ends = (exp(center), exp(center - half), exp(center + half))
    assert (row["ratio"], row["ratio_lo"], row["ratio_hi"]) == pytest.approx(ends)
    # the smallest cell has two runs
    assert row["words"] == "two runs: too few to tell"


@pytest.mark.parametrize(
    ("columns", "words", "told"),
    [
        (
            {"g": [*"aaabbb"], "bs_bytes": [1, 2, 3] * 2},
            "one run each, so the error is unknown",
            "need >= 3 runs a side",
        ),
        (
            {"g": [*"aabbab"], "bs_bytes": [1, 1, 1, 1, 2, 2]},
            "one run in a cell of bs_bytes, so the error is unknown",
            "need >= 3 runs a side in each cell for a verdict",
        ),
    ],
)
def test_one_run_in_a_cell_is_not_a_repeat(compared, columns, words, told):
    row = compared(columns | {"iops": [9.0, 5.0, 2.0, 18.0, 10.0, 4.0]})
    assert (row["ratio_lo"], row["words"]) == (None, words)
    assert told in row["told"]


# pairs


@pytest.mark.parametrize(
    ("rounds", "words"),
    [([1, 2, 3, 4], "no pairs"), ([1, 2, 1, 4], "one pair, "), ([1, 2, 1, 2], "two pairs:")],
)
def test_few_pairs_are_not_few_runs(compared, rounds, words):
    columns = {"g": [*"aabb"], "round": rounds, "iops": [1.0, 1.1, 2.0, 2.1]}
    assert compared(columns, pair="round")["words"].startswith(words)


FIVE = {
    "g": [*"aaaaabbbbb"],
    "iops": [100.0, 450.0, 2000.0, 800.0, 60.0, 110.0, 441.0, 2300.0, 840.0, 72.0],
}


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("workload", ["mail", "web", "db", "vm", "backup"]),
        ("bs_bytes", [4096, 8192, 16384, 65536, 1048576]),
        ("target", ["/dev/sda", "/dev/sdb", "/dev/sdc", "/dev/sdd", "/dev/sde"]),
    ],
)
def test_pairs_of_conditions_are_not_repeats(compared, column, values):
    row = compared(FIVE | {column: values * 2}, pair=column)
    assert (row["verdict"], row["runs_needed"]) == ("undecided", None)
    assert row["told"] == (
        f"over 5 values of '{column}', one run each: the interval is of other such values, "
        "not of other runs of these"
    )


def test_labels_pooled_as_repeats_are_not_and_pairs_of_rounds_are(compared):
    row = compared(FIVE | {"workload": [*"vwxyz"] * 2})
    assert "over 5 values of 'workload', one run each" in row["told"]
    assert row["runs_needed"] is None
    row = compared(FIVE | {"round": [*range(5)] * 2}, pair="round")
    assert "one run each" not in (row["told"] or "")
    assert row["runs_needed"] > 0


def test_pairs_need_whole_cells(compared):
    columns = {"g": [*"aabb"], "bs_bytes": [1, 2, 2, 1], "round": [1, 2, 1, 2], "iops": 1.0}
    with pytest.raises(SchemaError, match="bs_bytes"):
        compared(columns, pair="round")


# what nobody named

TARGETS = "the runs of 'a' are on 2 targets (/dev/sda, /dev/sdb)"


@pytest.mark.parametrize(
    ("columns", "varies", "told"),
    [
        ({"iodepth": [1] * 4 + [32] * 4}, "iodepth", "the sides differ in iodepth too"),
        ({"iodepth": [1, None] * 4}, None, None),
        # ext4 on C and drvfs on F: nobody can tell which of the two it was
        ({"drive": ["C"] * 4 + ["F"] * 4}, "drive", "the sides differ in drive too"),
        ({"drive": ["C", "C", "F", "F"] * 2}, "drive", None),
        ({"round": [1, 2, 3, 4] * 2, "file": [f"run{i}" for i in range(8)]}, None, None),
        ({"host": [*"xxyyxyyy"]}, "host", "the sides hold host in different shares"),
        ({"latency": ["clat"] * 4 + ["lat"] * 4}, "latency", "the sides differ in latency too"),
        ({"command": ["cp", "rm"] * 4}, "command", None),
        # a command of each side names the side
        ({"command": ["cp a"] * 4 + ["cp b"] * 4}, None, None),
        # and so does a target
        ({"target": ["/mnt/a/1", "/mnt/a/2"] * 2 + ["/mnt/b/1", "/mnt/b/2"] * 2}, None, None),
        ({"target": ["/dev/sda", "/dev/sdb"] * 2 + ["/dev/sda"] * 4}, None, TARGETS),
    ],
)
def test_what_differs_between_the_sides_is_said(compared, columns, varies, told):
    runs = {"g": [*"aaaabbbb"], "iops": [1.0, 1.1, 1.05, 1.15, 2.0, 2.2, 2.1, 2.3]}
    row = compared(runs | columns)
    assert row["varies_in"] == varies
    assert row["told"] is None if told is None else told in row["told"]


def test_what_is_named_does_not_differ(make, rows):
    runs = make(g=[*"aaaabbbb"], drive=[*"CCFF"] * 2, iops=[1.0, 2, 3, 4, 5, 6, 7, 8])
    assert {r["varies_in"] for r in rows(compare(runs, "iops", **SIDES, by="drive"))} == {None}
    assert {r["varies_in"] for r in rows(summarize(runs, "iops", by="g"))} == {"drive"}
    percentiles = make(percentile=[99.0, 95.0], value_ns=[1e6, 2e6])
    assert rows(summarize(percentiles, "value_ns"))[0]["varies_in"] == "percentile"


def test_another_name_for_a_condition_is_not_a_condition(make, rows):
    frame = make(
        g=["a", "a", "b", "b"] * 2,
        bs_bytes=[4096] * 4 + [65536] * 4,
        size=["4k"] * 4 + ["64k"] * 4,
        iops=[1.0, 1.1, 2.0, 2.1, 3.0, 3.1, 4.0, 4.1],
    )
    (row,) = rows(compare(frame, "iops", between="bs_bytes", baseline=4096))
    assert (row["varies_in"], row["flags"]) == ("g", "alike")
    assert {r["varies_in"] for r in rows(compare(frame, "iops", **SIDES, by="bs_bytes"))} == {None}
    # neither is a cell column's
    assert rows(compare(frame, "iops", **SIDES))[0]["varies_in"] == "bs_bytes"
    assert rows(summarize(frame, "iops"))[0]["varies_in"] == "bs_bytes, g"


def test_settings_of_another_read_are_said(make, compared):
    told = make(source="c", run=1, entry=1, option="bs", text="4k", origin="given")
    runs = {"source": ["a", "b"], "run": 1, "g": ["a", "b"], "iops": [1.0, 2.0]}
    row = compared(runs, settings=told)
    assert "settings= has none of these runs: is it of another read?" in row["told"]
    assert "not in the reports" not in row["told"]


# runs that are not of one kind


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


def test_folders_of_fio_are_targets(make, compared):
    sources = [f"{name}.json" for name in "abcdef"]
    settings = make(
        source=sources,
        run=1,
        entry=1,
        option="directory",
        text=["/mnt/x", "/mnt/y", "/mnt/x", "/mnt/z", "/mnt/z", "/mnt/z"],
        origin="given",
    )
    runs = {"g": [*"aaabbb"], "source": sources, "run": 1, "iops": [1.0, 1.01, 0.99] * 2}
    warnings = compared(runs, settings=settings)["told"]
    assert "the runs of 'a' are on 2 targets (/mnt/x, /mnt/y)" in warnings
    assert "the runs of 'b' are on" not in warnings


def test_article_004_has_two_groups(lima, rows):
    found = {
        r["mount"]: r["told"] or "" for r in rows(summarize(lima, "randread_read_iops", by="mount"))
    }
    groups = "the runs fall into two groups: 2 of 5,703 /s to 5,814 /s and 3 of 8,910 /s to 9,037"
    assert groups in found["9p"]
    # a spread from ten percent on; two populations are no outliers
    assert "runs spread by 23 % (CoV)" in found["9p"]
    assert "outliers" not in found["9p"]
    assert "CoV" not in found["sshfs"]
    assert "groups" not in found["sshfs"]
    assert "groups" not in found["virtiofs"], "one run apart is an outlier"
    compared = rows(compare(lima, "randread_read_iops", between="mount", baseline="sshfs"))
    told = {r["mount"]: r["told"] or "" for r in compared}
    assert "the runs of '9p' fall into two groups" in told["9p"]
    assert "groups" not in told["virtiofs"]


def test_spread_is_not_taken_for_the_edge_of_the_band(compared):
    wide = [1.0, 9.0, 0.3, 20.0, 0.1]
    row = compared({"g": [*"aaaaabbbbb"], "iops": [*wide, *(2 * v for v in wide)]})
    assert (row["verdict"], row["runs_needed"]) == ("undecided", None)
    assert row["told"] == (
        "the runs of 'b' lie 200 times apart: are they of one kind?; "
        "the runs of 'a' lie 200 times apart: are they of one kind?; "
        "the runs spread far: more than 100 a side would be needed to settle it"
    )
