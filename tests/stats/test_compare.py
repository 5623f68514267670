from __future__ import annotations

from math import exp, log

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import fiotools as ft
from fiotools import compare, speedup
from fiotools.errors import SchemaError

COLUMNS = [
    *("g", "baseline", "metric", "unit", "n", "n_baseline", "center", "center_baseline"),
    *("ratio", "ratio_lo", "ratio_hi", "confidence", "method"),
    *("p_equal", "comparisons"),
    *(
        "verdict",
        "beyond_band",
        "band",
        "runs_needed",
        "runs_needed_same",
        "varies_in",
        "settings_differ",
    ),
    *("flags", "details"),
]
A, B = [100, 104, 98, 101, 97], [131, 127, 140, 129, 133]


@pytest.fixture
def five(make):
    return make(g=["a"] * 5 + ["b"] * 5, iops=A + B)


def test_the_contract(five, rows):
    found = compare(five, "iops", between="g", baseline="a")
    assert type(found) is type(five)
    assert list(found.columns) == COLUMNS
    (row,) = rows(found)
    assert (row["g"], row["baseline"], row["metric"], row["unit"]) == ("b", "a", "iops", "1/s")
    assert (row["n"], row["n_baseline"], row["method"]) == (5, 5, "Welch t of logarithms")
    assert row["ratio"] == pytest.approx(1.319649, abs=5e-7)
    assert (row["ratio_lo"], row["ratio_hi"]) == pytest.approx((1.257150, 1.385254), abs=5e-7)
    assert row["center"] / row["center_baseline"] == pytest.approx(row["ratio"])
    assert (row["verdict"], row["runs_needed"], row["comparisons"]) == ("faster", 0, 1)
    assert row["varies_in"] is None
    assert row["told"] is None


def test_types_are_the_vocabularys(five):
    found = compare(five, "iops", between="g", baseline="a")
    if isinstance(found, pd.DataFrame):
        assert [str(found.dtypes[c]) for c in ("n", "ratio", "runs_needed", "verdict")] == [
            *("Int64", "float64", "Int64", "str")
        ]
        assert found.index.tolist() == [0]
    else:
        assert [found.schema[c] for c in ("n", "ratio", "runs_needed", "verdict")] == [
            *(pl.Int64, pl.Float64, pl.Int64, pl.String)
        ]


def test_the_argument_stays_as_it_was(five):
    before = five.copy() if isinstance(five, pd.DataFrame) else five.clone()
    compare(five, "iops", between="g", baseline="a")
    assert five.equals(before)


def test_a_pandas_index_of_any_kind_does_not_matter(rows):
    plain = pd.DataFrame({"g": ["a"] * 5 + ["b"] * 5, "iops": A + B})
    odd = plain.set_index(pd.Index([7] * len(plain)))
    first, second = (rows(compare(f, "iops", between="g", baseline="a")) for f in (odd, plain))
    assert first == second


# article 004, digits as STATISTICS.md has them


@pytest.mark.parametrize(
    ("metric", "baseline", "level", "ratio", "lo", "hi", "words"),
    [
        ("read_iops", "9p", "virtiofs", 1.07, 0.80, 1.44, "undecided"),
        ("write_iops", "9p", "virtiofs", 0.83, 0.57, 1.21, "undecided"),
        ("mixed_read_iops", "9p", "virtiofs", 0.99, 0.93, 1.05, "undecided"),
        ("read_iops", "sshfs", "9p", 4.42, 3.29, 5.94, "faster"),
        ("read_iops", "sshfs", "virtiofs", 4.74, 4.16, 5.41, "faster"),
        ("write_iops", "sshfs", "9p", 2.36, 1.00, 5.56, "undecided"),
        ("write_iops", "sshfs", "virtiofs", 1.97, 0.84, 4.59, "undecided"),
        ("mixed_iops", "sshfs", "9p", 3.47, 3.27, 3.68, "faster"),
        ("mixed_iops", "sshfs", "virtiofs", 3.43, 3.19, 3.69, "faster"),
    ],
)
def test_article_004(lima, rows, metric, baseline, level, ratio, lo, hi, words):
    two = nw.from_native(lima).filter(nw.col("mount").is_in([baseline, level])).to_native()
    (row,) = rows(compare(two, metric, between="mount", baseline=baseline))
    assert [round(row[c], 2) for c in ("ratio", "ratio_lo", "ratio_hi")] == [ratio, lo, hi]
    assert row["verdict"] == words
    assert row["comparisons"] == 1


def test_several_levels_share_the_error(lima, rows):
    # by hand: Bonferroni's quantile at degrees of freedom half-way to those of the smaller side
    for row in rows(compare(lima, "read_iops", between="mount", baseline="sshfs")):
        runs = nw.from_native(lima)
        level, base = (
            np.log(runs.filter(nw.col("mount") == mount)["read_iops"].to_numpy())
            for mount in (row["mount"], "sshfs")
        )
        theirs = stats.ttest_ind(level, base, equal_var=False)
        least = min(len(level), len(base)) - 1
        df = (min(theirs.df, 2 * least) + least) / 2
        se = (level.mean() - base.mean()) / theirs.statistic
        half = stats.t.ppf(1 - 0.025 / 2, df) * se
        assert row["comparisons"] == 2
        assert row["confidence"] == pytest.approx(0.95)
        assert log(row["ratio_lo"]) == pytest.approx(log(row["ratio"]) - half)
        assert log(row["ratio_hi"]) == pytest.approx(log(row["ratio"]) + half)
        assert row["p_equal"] == pytest.approx(2 * 2 * stats.t.sf(theirs.statistic, df))


def test_article_004_mixed_at_90_percent(lima, rows):
    two = nw.from_native(lima).filter(nw.col("mount") != "sshfs").to_native()
    found = compare(two, "mixed_read_iops", between="mount", baseline="9p", confidence=0.90)
    (row,) = rows(found)
    assert (row["ratio_lo"], row["ratio_hi"]) == pytest.approx((0.940, 1.039), abs=1e-3)


@pytest.mark.parametrize(
    ("baseline", "level", "gain", "lo", "hi"),
    [
        ("sshfs", "virtiofs", 2.83, 2.32, 3.46),
        ("9p", "virtiofs", 5.76, 4.75, 6.98),
        ("9p", "sshfs", 2.03, 1.65, 2.51),
    ],
)
def test_article_004_tarball(tarball, rows, baseline, level, gain, lo, hi):
    two = nw.from_native(tarball).filter(nw.col("mount").is_in([baseline, level])).to_native()
    (row,) = rows(speedup(two, "real_s", between="mount", baseline=baseline))
    assert [round(row[c], 2) for c in ("speedup", "speedup_lo", "speedup_hi")] == [gain, lo, hi]
    # the ratio stays level / baseline: less time
    assert row["ratio"] == pytest.approx(1 / row["speedup"])
    assert row["ratio_lo"] == pytest.approx(1 / row["speedup_hi"])
    assert row["verdict"] == "faster"


def test_speedup_of_a_rate_is_the_ratio(five, rows):
    (row,) = rows(speedup(five, "iops", between="g", baseline="a"))
    assert (row["speedup"], row["speedup_lo"], row["speedup_hi"]) == (
        row["ratio"],
        row["ratio_lo"],
        row["ratio_hi"],
    )


def test_speedup_wants_to_know_which_way_is_better(make):
    frame = make(g=["a", "b"], score=[1.0, 2.0])
    with pytest.raises(SchemaError, match="is higher or lower 'score' better"):
        speedup(frame, "score", between="g", baseline="a")


# article 002: one run each


def test_article_002(diskspd, rows):
    found = compare(diskspd, "iops", between="volume", baseline="vhdx", by="direction")
    by = {(r["volume"], r["direction"]): r for r in rows(found)}
    assert len(by) == 6
    assert by["mirror", "total"]["ratio"] == pytest.approx(0.7095, abs=5e-5)
    assert by["mirror", "read"]["ratio"] == pytest.approx(0.7094, abs=5e-5)
    assert by["mirror", "write"]["ratio"] == pytest.approx(0.7097, abs=5e-5)
    assert by["nvme", "total"]["ratio"] == pytest.approx(1.819, abs=5e-4)
    for row in by.values():
        assert (row["n"], row["n_baseline"]) == (1, 1)
        assert row["words"] == "one run each, so the error is unknown"
        assert row["told"] == "need >= 3 runs a side for a verdict"
        gaps = (
            "ratio_lo",
            "ratio_hi",
            "confidence",
            "runs_needed",
            "runs_needed_same",
            "varies_in",
        )
        assert [row[c] for c in (*gaps, "p_equal")] == [None] * 7
        assert row["comparisons"] == 0


def test_article_001(make, rows):
    frame = make(cache=["before", "after"], real_s=[4.364, 0.466])
    (row,) = rows(speedup(frame, "real_s", between="cache", baseline="before"))
    assert row["speedup"] == pytest.approx(9.36, abs=5e-3)
    assert row["words"] == "one run each, so the error is unknown"


# few runs


def test_one_run_against_five(make, rows):
    frame = make(g=["a"] + ["b"] * 5, iops=[100, *B])
    (row,) = rows(compare(frame, "iops", between="g", baseline="a"))
    assert row["words"] == "one run of 'a', so the error is unknown"
    assert row["ratio_lo"] is None


def test_two_runs_have_an_interval_and_no_verdict(make, rows):
    frame = make(g=["a", "a", "b", "b"], iops=[100, 101, 200, 202])
    (row,) = rows(compare(frame, "iops", between="g", baseline="a"))
    theirs = stats.ttest_ind(np.log([200, 202]), np.log([100, 101]), equal_var=False)
    assert row["ratio_lo"] == pytest.approx(exp(theirs.confidence_interval().low))
    assert row["words"] == "two runs: too few to tell"
    assert (row["p_equal"], row["comparisons"]) == (None, 1)


def test_a_cell_without_one_side_is_shown(make, rows):
    frame = make(
        g=["a", "b", "b"],
        direction=["read", "read", "trim"],
        run=1,
        iops=[1.0, 2.0, 3.0],
        source=["x", "y", "y"],
    )
    found = rows(compare(frame, "iops", between="g", baseline="a", by="direction"))
    assert [(r["direction"], r["n"], r["n_baseline"]) for r in found] == [
        ("read", 1, 1),
        ("trim", 1, 0),
    ]
    assert found[1]["words"] == "no run of 'a'"
    assert found[1]["ratio"] is None


def test_copies_of_one_run_have_no_spread(make, rows):
    frame = make(g=["a"] * 3 + ["b"] * 3, iops=[1.0] * 3 + [2.0] * 3)
    (row,) = rows(compare(frame, "iops", between="g", baseline="a"))
    assert row["ratio"] == 2.0
    assert row["ratio_lo"] is None
    assert (row["verdict"], row["beyond_band"]) == ("faster", "yes")
    assert "copies of one run" in row["told"]


# tests, their number, and how many more runs


def test_equality_has_its_p(five, rows):
    (row,) = rows(compare(five, "iops", between="g", baseline="a"))
    equal = stats.ttest_ind(np.log(B), np.log(A), equal_var=False)
    assert row["p_equal"] == pytest.approx(equal.pvalue)


def test_same_is_two_one_sided_tests(make, rows):
    level, base = [100.0, 101, 99, 100.5, 99.5], [101.0, 100, 102, 100.2, 101.5]
    frame = make(g=["a"] * 5 + ["b"] * 5, iops=[*base, *level])
    (row,) = rows(compare(frame, "iops", between="g", baseline="a"))
    below, above = (
        stats.ttest_ind(np.log(level) + shift, np.log(base), equal_var=False, alternative=way)
        for shift, way in ((log(1.05), "greater"), (-log(1.05), "less"))
    )
    assert row["words"] == "same within 5 %"
    assert max(below.pvalue, above.pvalue) < 0.05 < row["p_equal"]


def test_a_clear_difference_may_be_chance_among_twelve(make, rows):
    noise = [1.00, 1.03, 0.98, 1.01]
    clear = [1.09, 1.16, 1.13, 1.12]
    wild = [one**9 for one in noise]
    frame = make(
        cell=[f"c{i}" for i in range(12) for _ in range(8)],
        g=(["a"] * 4 + ["b"] * 4) * 12,
        iops=[*noise, *clear, *([*noise, *noise[::-1]] * 10), *wild, *wild[::-1]],
    )
    first, *others = rows(compare(frame, "iops", between="g", baseline="a", by="cell"))
    assert {row["comparisons"] for row in (first, *others)} == {12}
    assert first["words"] == "faster, by 2.3 to 23 %"
    alone = nw.from_native(frame).filter(nw.col("cell") == "c0").to_native()
    (row,) = rows(compare(alone, "iops", between="g", baseline="a"))
    assert row["verdict"] == "faster"
    assert row["p_equal"] < first["p_equal"] < 0.05


def test_unsettled_says_how_many_more(lima, rows):
    row = rows(compare(lima, "mixed_iops", between="mount", baseline="9p"))[1]
    assert row["verdict"] == "undecided"
    assert row["runs_needed"] == 37  # as one more look, and as one of two comparisons


def test_runs_that_are_looked_at_again_have_a_wider_interval(five, rows):
    once, again = (
        rows(compare(five, "iops", between="g", baseline="a", looks=looks))[0]
        for looks in ("once", "any")
    )
    assert again["method"] == "Welch t of logarithms, any looks"
    assert again["ratio"] == once["ratio"]
    assert again["ratio_lo"] < once["ratio_lo"] < once["ratio_hi"] < again["ratio_hi"]
    assert again["p_equal"] > once["p_equal"]
    assert again["verdict"] == "faster"


def test_three_pairs_have_no_interval_for_any_looks(make, rows):
    frame = make(g=["a"] * 3 + ["b"] * 3, round=[1, 2, 3] * 2, iops=[10.0, 11, 12, 20, 23, 25])
    asked = {"between": "g", "baseline": "a", "pair": "round", "looks": "any"}
    (row,) = rows(compare(frame, "iops", **asked))
    assert (row["ratio_lo"], row["verdict"]) == (None, "undecided")
    assert row["told"].endswith("runs for an interval that holds at any number of looks")
    assert row["runs_needed"] == 1


def test_looks_are_checked(five):
    with pytest.raises(SchemaError, match="looks is 3: it is"):
        compare(five, "iops", between="g", baseline="a", looks=3)


def test_a_side_without_spread_is_said(make, rows):
    frame = make(g=["a"] * 4 + ["b"] * 4, iops=[5.0] * 4 + [6.0, 6.1, 5.9, 6.2])
    (row,) = rows(compare(frame, "iops", between="g", baseline="a"))
    said = "the runs of 'a' do not differ at all: the interval is from the other side alone"
    assert row["told"] == said


def test_the_edge_of_the_band_is_said(make, rows):
    frame = make(g=["a"] * 4 + ["b"] * 4, iops=[100, 110, 95, 105, 105.2, 115.5, 99.8, 110.1])
    (row,) = rows(compare(frame, "iops", between="g", baseline="a"))
    assert row["runs_needed"] is None
    assert "if the sides are equal, 62 more a side do" in row["told"]
    assert row["runs_needed_same"] == 62


# pairs


def test_pairs_remove_the_effect_of_rounds(make, rows):
    rounds = [1, 2, 3, 4]
    drift = [100, 200, 400, 800]
    frame = make(
        round=rounds + rounds[::-1],
        mount=["a"] * 4 + ["b"] * 4,
        iops=[*drift, 808 * 1.1, 396 * 1.1, 200 * 1.1, 101 * 1.1],
    )
    (row,) = rows(compare(frame, "iops", between="mount", baseline="a", pair="round"))
    theirs = stats.ttest_rel(
        np.log([111.1, 220.0, 435.6, 888.8]), np.log(drift)
    ).confidence_interval()
    assert (row["method"], row["n"], row["n_baseline"]) == ("paired t of logarithms", 4, 4)
    assert (row["ratio_lo"], row["ratio_hi"]) == pytest.approx((exp(theirs.low), exp(theirs.high)))
    assert row["verdict"] == "faster"
    # unpaired, the rounds' own trend drowns it
    (plain,) = rows(compare(frame, "iops", between="mount", baseline="a"))
    assert plain["verdict"] == "undecided"


def test_runs_without_a_partner_are_left_out_and_said(make, rows):
    frame = make(
        round=[1, 2, 3, 9, 1, 2, 3],
        mount=["a"] * 4 + ["b"] * 3,
        iops=[1.0, 1.1, 1.05, 50.0, 2.0, 2.3, 2.1],
    )
    (row,) = rows(compare(frame, "iops", between="mount", baseline="a", pair="round"))
    assert row["n_baseline"] == 3
    assert "1 run without a partner in 'round' left out" in row["told"]


def test_a_round_twice_on_a_side_is_refused(make):
    frame = make(round=[1, 1, 1], mount=["a", "a", "b"], iops=[1.0, 2.0, 3.0])
    said = r"round 1 has more than one run on a side \(row 0, row 1\): no pairs; keep one of them"
    with pytest.raises(SchemaError, match=said):
        compare(frame, "iops", between="mount", baseline="a", pair="round")


def test_a_round_twice_on_a_side_says_what_to_type(make):
    frame = make(
        round=[1] * 4,
        mount=["a", "a", "b", "b"],
        fs=["ext4", "xfs"] * 2,
        iops=[1.0, 2.0, 3.0, 4.0],
    )
    with pytest.raises(SchemaError, match=r"no pairs; add 'fs' to by=, or keep one of them"):
        compare(frame, "iops", between="mount", baseline="a", pair="round")
    found = compare(frame, "iops", between="mount", baseline="a", pair="round", by="fs")
    assert list(found["n"]) == [1, 1]


def sweep(make, **columns):
    """Two schedulers at five process counts, one run each."""
    level = [1, 2, 4, 8, 16]
    iops = [100.0 * n for n in level] + [130.0 * n * (1 + n / 500) for n in level]
    return make(procs=level * 2, sched=["none"] * 5 + ["bfq"] * 5, iops=iops, **columns)


@pytest.mark.parametrize("pair", ["procs", "numjobs"])
def test_a_condition_under_another_name_pairs(make, rows, pair):
    """The number of processes is fio's numjobs, and each pair has another one."""
    frame = sweep(make, numjobs=[1, 2, 4, 8, 16] * 2)
    (row,) = rows(compare(frame, "iops", between="sched", baseline="none", pair=pair))
    assert (row["method"], row["n"], row["verdict"]) == ("paired t of logarithms", 5, "faster")
    assert row["varies_in"] is None
    said = f"over 5 values of '{pair}', one run each: the interval is of other such values"
    assert row["told"].startswith(said)
    assert "drift" not in row["told"]


def test_a_condition_that_sets_the_sides_apart_is_said(make, rows):
    """It may make the difference, though it is one-to-one with the sides."""
    frame = sweep(make, numjobs=[1] * 5 + [4] * 5)
    (row,) = rows(compare(frame, "iops", between="sched", baseline="none", pair="procs"))
    assert row["varies_in"] == "numjobs"
    assert "the sides differ in numjobs too" in row["told"]


def test_the_same_run_on_both_sides_asks_for_pairs(diskspd, rows):
    with pytest.raises(SchemaError, match=r"run 1 of nvme.txt stands on both sides.*pair='source'"):
        compare(diskspd, "iops", between="direction", baseline="read")
    found = rows(compare(diskspd, "iops", between="direction", baseline="read", pair="source"))
    assert [r["n"] for r in found] == [3, 3]


# frames made by the readers: labels and types as they come


def test_levels_may_be_numbers_or_flags(make, rows):
    frame = make(iodepth=[1, 1, 4, 4], direct=[True, False, True, False], iops=[1.0, 2.0, 3.0, 4.0])
    by_depth = rows(compare(frame, "iops", between="iodepth", baseline=1, by="direct"))
    assert [(r["direct"], r["iodepth"], r["baseline"], r["ratio"]) for r in by_depth] == [
        (True, 4, 1, pytest.approx(3.0)),
        (False, 4, 1, pytest.approx(2.0)),
    ]


def test_categories_and_dates_keep_their_type():
    frame = pd.DataFrame(
        {
            "mount": pd.Categorical(["x", "y"], categories=["y", "x"]),
            "day": pd.to_datetime(["2026-01-01"] * 2),
            "iops": pd.array([1, 2], dtype="Int64"),
        }
    )
    found = compare(frame, "iops", between="mount", baseline="x", by="day")
    assert found.dtypes["mount"] == frame.dtypes["mount"]
    assert found.dtypes["day"] == frame.dtypes["day"]


def a_sweep(make, spread=(1.0,) * 12, seed=5):
    """Make six cells, each with three runs a side of its own."""
    logs = np.random.default_rng(seed).normal(0, 0.05, (12, 3)) * np.array(spread)[:, None]
    logs[1::2] += 0.2
    frame = make(
        cell=[f"c{at // 6}" for at in range(36)],
        g=(["a"] * 3 + ["b"] * 3) * 6,
        iops=np.exp(logs).ravel().tolist(),
    )
    return logs, frame


def test_sides_of_a_sweep_that_spread_alike_share_their_spread(make, rows):
    logs, frame = a_sweep(make)
    found = rows(compare(frame, "iops", between="g", baseline="a", by="cell"))
    variances = logs.var(axis=1, ddof=1)
    p = stats.bartlett(*logs).pvalue
    assert p > 0.2
    reach = stats.t.ppf(1 - 0.025 / 6, 24)
    for at, row in enumerate(found):
        own = variances[2 * at : 2 * at + 2].sum() / 3
        half = reach * np.sqrt(max(own, 2 * variances.mean() / 3))
        ends = np.exp(logs[2 * at + 1].mean() - logs[2 * at].mean() + np.array([-half, half]))
        assert (row["ratio_lo"], row["ratio_hi"]) == pytest.approx(tuple(ends))
        assert row["method"] == "pooled t of logarithms"


@pytest.mark.parametrize(
    "change", ["spread", "looks", "few", "uneven", "one baseline", "runs of all cells"]
)
def test_other_answers_have_the_spread_of_each_side(make, rows, change):
    _, frame = a_sweep(make, (1.0,) * 11 + (9.0,) if change == "spread" else (1.0,) * 12)
    asked = {"between": "g", "baseline": "a", "by": "cell"}
    lines = rows(frame)
    if change == "looks":
        asked["looks"] = "any"
    elif change == "few":
        lines = [line for line in lines if line["cell"] in ("c0", "c1", "c2")]
    elif change == "uneven":
        lines = lines[1:]
    elif change == "one baseline":
        lines = [line | {"g": line["g"] + line["cell"]} for line in lines]
        asked = {"between": "g", "baseline": "ac0"}
    elif change == "runs of all cells":
        lines = [line | {"source": line["g"], "run": at % 3} for at, line in enumerate(lines)]
    frame = make(**{name: [line[name] for line in lines] for name in lines[0]})
    found = rows(compare(frame, "iops", **asked))
    assert {row["method"].partition(",")[0] for row in found} == {"Welch t of logarithms"}


def test_a_fixed_rate_is_said_beside_latencies(rows):
    made = "tests/fixtures/credibility/fio-3.33--{}.json"
    both = ft.read({"free": made.format("right"), "paced": made.format("rate_limited")})
    (row,) = rows(ft.compare(both, "lat_mean_ns", between="label"))
    assert "rate_iops=500: latencies count from the issue of each I/O" in row["told"]
    (row,) = rows(ft.compare(both, "iops", between="label"))
    assert "paced" not in row["flags"]
