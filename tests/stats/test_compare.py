from __future__ import annotations

from math import exp, log

import narwhals as nw
import numpy as np
import pandas as pd
import pytest
from scipy import stats

import fiotools as ft
from fiotools import compare, speedup
from fiotools.errors import SchemaError
from fiotools.vocabulary import ANSWERS
from tests.conftest import FIXTURES, ROOT

A, B = [100, 104, 98, 101, 97], [131, 127, 140, 129, 133]
WELCH, PAIRED = "Welch t of logarithms", "paired t of logarithms"


@pytest.fixture
def five(make):
    return make(g=["a"] * 5 + ["b"] * 5, iops=A + B)


@pytest.fixture
def of_runs(compared):
    """Compare runs of the one side with those of the other."""

    def ask(a, b, **named):
        return compared({"g": ["a"] * len(a) + ["b"] * len(b), "iops": [*a, *b]}, **named)

    return ask


def kept(frame, column, *values):
    return nw.from_native(frame).filter(nw.col(column).is_in(values)).to_native()


def test_the_contract(five, rows):
    before = five.copy() if isinstance(five, pd.DataFrame) else five.clone()
    found = compare(five, "iops", between="g", baseline="a")
    assert five.equals(before)
    assert type(found) is type(five)
    assert list(found.columns) == ["g", *ANSWERS["compare"]]
    (row,) = rows(found)
    assert (row["g"], row["baseline"], row["metric"], row["unit"]) == ("b", "a", "iops", "1/s")
    assert (row["n"], row["n_baseline"], row["method"]) == (5, 5, WELCH)
    assert row["ratio"] == pytest.approx(1.319649, abs=5e-7)
    assert (row["ratio_lo"], row["ratio_hi"]) == pytest.approx((1.257150, 1.385254), abs=5e-7)
    assert row["center"] / row["center_baseline"] == pytest.approx(row["ratio"])
    equal = stats.ttest_ind(np.log(B), np.log(A), equal_var=False)
    assert row["p_equal"] == pytest.approx(equal.pvalue)
    assert (row["verdict"], row["runs_needed"], row["comparisons"]) == ("faster", 0, 1)
    assert (row["varies_in"], row["told"]) == (None, None)
    # the speedup of a rate is the ratio
    (rate,) = rows(speedup(five, "iops", between="g", baseline="a"))
    ends = [rate[f"speedup{end}"] for end in ("", "_lo", "_hi")]
    assert ends == [row["ratio"], row["ratio_lo"], row["ratio_hi"]]


def test_a_pandas_index_of_any_kind_does_not_matter(rows):
    plain = pd.DataFrame({"g": ["a"] * 5 + ["b"] * 5, "iops": A + B})
    odd = plain.set_index(pd.Index([7] * len(plain)))
    first, second = (rows(compare(f, "iops", between="g", baseline="a")) for f in (odd, plain))
    assert first == second


# article 004, digits as STATISTICS.md has them


@pytest.mark.parametrize(
    ("metric", "confidence", "baseline", "level", "ratio", "lo", "hi", "words"),
    [
        ("randread_read_iops", 0.95, "9p", "virtiofs", 1.07, 0.80, 1.44, "undecided"),
        ("randwrite_write_iops", 0.95, "9p", "virtiofs", 0.83, 0.57, 1.21, "undecided"),
        ("randrw_read_iops", 0.95, "9p", "virtiofs", 0.99, 0.93, 1.05, "undecided"),
        ("randrw_read_iops", 0.90, "9p", "virtiofs", 0.99, 0.94, 1.04, "same"),
        ("randread_read_iops", 0.95, "sshfs", "9p", 4.42, 3.29, 5.94, "faster"),
        ("randread_read_iops", 0.95, "sshfs", "virtiofs", 4.74, 4.16, 5.41, "faster"),
        ("randwrite_write_iops", 0.95, "sshfs", "9p", 2.36, 1.00, 5.56, "undecided"),
        ("randwrite_write_iops", 0.95, "sshfs", "virtiofs", 1.97, 0.84, 4.59, "undecided"),
        ("mixed_iops", 0.95, "sshfs", "9p", 3.47, 3.27, 3.68, "faster"),
        ("mixed_iops", 0.95, "sshfs", "virtiofs", 3.43, 3.19, 3.69, "faster"),
    ],
)
def test_article_004(lima, rows, metric, confidence, baseline, level, ratio, lo, hi, words):
    two = kept(lima, "mount", baseline, level)
    asked = {"between": "mount", "baseline": baseline, "confidence": confidence}
    (row,) = rows(compare(two, metric, **asked))
    assert [round(row[c], 2) for c in ("ratio", "ratio_lo", "ratio_hi")] == [ratio, lo, hi]
    assert (row["verdict"], row["comparisons"]) == (words, 1)


@pytest.mark.parametrize(
    ("baseline", "level", "gain", "lo", "hi"),
    [
        ("sshfs", "virtiofs", 2.83, 2.32, 3.46),
        ("9p", "virtiofs", 5.76, 4.75, 6.98),
        ("9p", "sshfs", 2.03, 1.65, 2.51),
    ],
)
def test_article_004_tarball(tarball, rows, baseline, level, gain, lo, hi):
    two = kept(tarball, "mount", baseline, level)
    (row,) = rows(speedup(two, "real_s", between="mount", baseline=baseline))
    assert [round(row[c], 2) for c in ("speedup", "speedup_lo", "speedup_hi")] == [gain, lo, hi]
    # the ratio stays level / baseline: less time
    assert row["ratio"] == pytest.approx(1 / row["speedup"])
    assert row["ratio_lo"] == pytest.approx(1 / row["speedup_hi"])
    assert row["verdict"] == "faster"


# article 002: one run each


def test_article_002(diskspd, rows):
    found = compare(diskspd, "iops", between="volume", baseline="vhdx", by="direction")
    by = {(r["volume"], r["direction"]): r for r in rows(found)}
    assert len(by) == 6
    assert by["mirror", "total"]["ratio"] == pytest.approx(0.7095, abs=5e-5)
    assert by["mirror", "read"]["ratio"] == pytest.approx(0.7094, abs=5e-5)
    assert by["mirror", "write"]["ratio"] == pytest.approx(0.7097, abs=5e-5)
    assert by["nvme", "total"]["ratio"] == pytest.approx(1.819, abs=5e-4)
    gaps = ("ratio_lo", "ratio_hi", "confidence", "runs_needed", "runs_needed_same", "p_equal")
    for row in by.values():
        assert (row["n"], row["n_baseline"], row["comparisons"]) == (1, 1, 0)
        assert row["words"] == "one run each, so the error is unknown"
        assert row["told"] == "need >= 3 runs a side for a verdict"
        assert {row[name] for name in gaps} == {None}


# few runs, and runs without spread

CONSTANT = "the runs of 'a' do not differ at all: the interval is from the other side alone"


@pytest.mark.parametrize(
    ("a", "b", "expected", "told"),
    [
        ([100], B, {"words": "one run of 'a', so the error is unknown", "ratio_lo": None}, ""),
        (
            *([1.0] * 3, [2.0] * 3),
            {"ratio": 2.0, "ratio_lo": None, "verdict": "faster", "beyond_band": "yes"},
            "copies of one run",
        ),
        ([5.0] * 4, [6.0, 6.1, 5.9, 6.2], {"verdict": "faster"}, CONSTANT),
        # at the edge of the band
        (
            *([100, 110, 95, 105], [105.2, 115.5, 99.8, 110.1]),
            *({"runs_needed": None, "runs_needed_same": 62}, "if the sides are equal, 62 more"),
        ),
    ],
)
def test_runs_that_tell_little(of_runs, a, b, expected, told):
    row = of_runs(a, b)
    assert {name: row[name] for name in expected} == expected
    assert told in row["told"]


def test_two_runs_have_an_interval_and_no_verdict(of_runs):
    row = of_runs([100, 101], [200, 202])
    theirs = stats.ttest_ind(np.log([200, 202]), np.log([100, 101]), equal_var=False)
    assert row["ratio_lo"] == pytest.approx(exp(theirs.confidence_interval().low))
    assert row["words"] == "two runs: too few to tell"
    assert (row["p_equal"], row["comparisons"]) == (None, 1)


def test_a_cell_without_one_side_is_shown(make, rows):
    frame = make(g=["a", "b", "b"], direction=["read", "read", "trim"], iops=[1.0, 2.0, 3.0])
    read, trim = rows(compare(frame, "iops", between="g", baseline="a", by="direction"))
    assert (read["direction"], read["n"], read["n_baseline"]) == ("read", 1, 1)
    assert (trim["direction"], trim["n"], trim["n_baseline"]) == ("trim", 1, 0)
    assert (trim["words"], trim["ratio"]) == ("no run of 'a'", None)


# tests, their number, and how many more runs


def test_same_is_two_one_sided_tests(of_runs):
    level, base = [100.0, 101, 99, 100.5, 99.5], [101.0, 100, 102, 100.2, 101.5]
    row = of_runs(base, level)
    below, above = (
        stats.ttest_ind(np.log(level) + shift, np.log(base), equal_var=False, alternative=way)
        for shift, way in ((log(1.05), "greater"), (-log(1.05), "less"))
    )
    assert row["words"] == "same within 5 %"
    assert max(below.pvalue, above.pvalue) < 0.05 < row["p_equal"]


def test_undecided_says_how_many_more(lima, rows):
    row = rows(compare(lima, "mixed_iops", between="mount", baseline="9p"))[1]
    assert row["verdict"] == "undecided"
    assert row["runs_needed"] == 37  # as one more look, and as one of two comparisons


def test_runs_that_are_looked_at_again_have_a_wider_interval(of_runs):
    once, again = (of_runs(A, B, looks=looks) for looks in ("once", "any"))
    assert again["method"] == f"{WELCH}, any looks"
    assert again["ratio"] == once["ratio"]
    assert again["ratio_lo"] < once["ratio_lo"] < once["ratio_hi"] < again["ratio_hi"]
    assert again["p_equal"] > once["p_equal"]
    assert again["verdict"] == "faster"


def test_three_pairs_have_no_interval_for_any_looks(compared):
    runs = {"g": [*"aaabbb"], "round": [1, 2, 3] * 2, "iops": [10.0, 11, 12, 20, 23, 25]}
    row = compared(runs, pair="round", looks="any")
    assert (row["ratio_lo"], row["verdict"], row["runs_needed"]) == (None, "undecided", 1)
    assert row["told"].endswith("runs for an interval that holds at any number of looks")


# pairs


def test_pairs_remove_the_effect_of_rounds(compared, of_runs):
    drift, level = [100, 200, 400, 800], [808 * 1.1, 396 * 1.1, 200 * 1.1, 101 * 1.1]
    runs = {"g": [*"aaaabbbb"], "round": [1, 2, 3, 4, 4, 3, 2, 1], "iops": [*drift, *level]}
    row = compared(runs, pair="round")
    theirs = stats.ttest_rel(np.log(level[::-1]), np.log(drift)).confidence_interval()
    assert (row["method"], row["n"], row["n_baseline"]) == (PAIRED, 4, 4)
    assert (row["ratio_lo"], row["ratio_hi"]) == pytest.approx((exp(theirs.low), exp(theirs.high)))
    assert row["verdict"] == "faster"
    # unpaired, the rounds' own trend drowns it
    assert of_runs(drift, level)["verdict"] == "undecided"


def test_runs_without_a_partner_are_left_out_and_said(compared):
    runs = {"g": [*"aaaabbb"], "round": [1, 2, 3, 9, 1, 2, 3]}
    row = compared(runs | {"iops": [1.0, 1.1, 1.05, 50.0, 2.0, 2.3, 2.1]}, pair="round")
    assert row["n_baseline"] == 3
    assert "1 run without a partner in 'round' left out" in row["told"]


def test_a_round_twice_on_a_side_says_what_to_type(compared):
    said = r"round 1 has more than one run on a side \(row 0, row 1\): no pairs; keep one of them"
    with pytest.raises(SchemaError, match=said):
        compared({"g": [*"aab"], "round": 1, "iops": [1.0, 2.0, 3.0]}, pair="round")
    both = {"g": [*"aabb"], "round": 1, "iops": [1.0, 2.0, 3.0, 4.0], "fs": ["ext4", "xfs"] * 2}
    with pytest.raises(SchemaError, match=r"no pairs; add 'fs' to by=, or keep one of them"):
        compared(both, pair="round")


def test_another_name_for_a_condition_pairs(compared):
    """Of two schedulers, at five numbers of processes: that of fio's jobs."""
    level = [1, 2, 4, 8, 16]
    iops = [100.0 * n for n in level] + [130.0 * n * (1 + n / 500) for n in level]
    runs = {"g": [*"aaaaabbbbb"], "procs": level * 2, "iops": iops, "numjobs": level * 2}
    row = compared(runs, pair="procs")
    assert (row["method"], row["n"], row["verdict"]) == (PAIRED, 5, "faster")
    assert (row["varies_in"], "drift" in row["told"]) == (None, False)


def test_levels_may_be_numbers_or_flags(make, rows):
    frame = make(iodepth=[1, 1, 4, 4], direct=[True, False, True, False], iops=[1.0, 2.0, 3.0, 4.0])
    by_depth = rows(compare(frame, "iops", between="iodepth", baseline=1, by="direct"))
    assert [(r["direct"], r["iodepth"], r["baseline"], r["ratio"]) for r in by_depth] == [
        (True, 4, 1, pytest.approx(3.0)),
        (False, 4, 1, pytest.approx(2.0)),
    ]


# sweeps


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
    assert stats.bartlett(*logs).pvalue > 0.2
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
    assert {row["method"].partition(",")[0] for row in found} == {WELCH}


def test_a_fixed_rate_is_said_beside_latencies(rows):
    made = f"{FIXTURES}/credibility/fio-3.33--"
    both = ft.read({"free": f"{made}right.json", "paced": f"{made}rate_limited.json"})
    (row,) = rows(ft.compare(both, "lat_mean_ns", between="label"))
    assert "rate_iops=500: latencies count from the issue of each I/O" in row["told"]
    (row,) = rows(ft.compare(both, "iops", between="label"))
    assert "paced" not in row["flags"]


# completion latencies that leave out most of the time: 9p and virtiofs of article 004

MOUNTS = f"{ROOT}/data/lima-mounts/fio/{{mount}}_randread.txt"
OF_MOUNTS = {"between": "mount", "baseline": "sshfs"}
SAID = "nearly all of the time submitting I/Os, and clat begins after that: lat_mean has all of it"


@pytest.mark.parametrize(
    ("ask", "of_mounts"),
    [
        (lambda res: ft.compare(res, "p99", **OF_MOUNTS), {"9p", "virtiofs"}),
        (lambda res: ft.speedup(res, "clat_mean", **OF_MOUNTS), {"9p", "virtiofs"}),
        (ft.overview, {"9p", "virtiofs"}),
        (lambda res: ft.compare(res, "iops", **OF_MOUNTS), set()),
        (lambda res: ft.compare(res, "lat_mean", **OF_MOUNTS), set()),
    ],
    ids=["p99", "clat_mean", "overview", "iops", "lat_mean"],
)
def test_a_completion_latency_after_submitting_has_a_flag(ask, of_mounts):
    answer = ask(ft.read(MOUNTS))
    flags = zip(answer["mount"], answer["flags"], strict=True)
    assert {name for name, one in flags if "submitting" in str(one).split(";")} == of_mounts


def test_it_is_said_of_the_side_that_was_submitting():
    answer = ft.compare(ft.read(MOUNTS), "p99", **OF_MOUNTS)
    for shown in (str(ft.show(answer)), str(ft.tell(answer))):
        said = " ".join(shown.split())
        assert f"the runs of '9p' spent {SAID}" in said
        assert "the runs of 'sshfs' spent" not in said
