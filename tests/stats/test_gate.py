"""A gate fails if a loss is certain, and only then."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import fiotools as ft
from benchmarks.coverage import gate as study
from fiotools.display import verdicts
from fiotools.errors import SchemaError


def compared(metric, ratio, low, high):
    verdict, beyond = ("same", "no") if ratio == 1 else ("slower", "yes")
    if low is None:
        verdict, beyond = "one run", None
    row = {"build": "new", "baseline": "old", "metric": metric, "n": 5, "n_baseline": 5}
    row |= {"ratio": ratio, "ratio_lo": low, "ratio_hi": high, "verdict": verdict, "band": 0.05}
    texts = {"beyond_band": beyond, "flags": None, "details": None}
    return pl.DataFrame(row | texts, schema_overrides=dict.fromkeys(texts, pl.String))


def why(held):
    """Say why the first rule is broken, or not."""
    return verdicts.held(held.row(0, named=True))


@pytest.mark.parametrize(
    ("metric", "ratio", "low", "high", "rule", "outcome"),
    [
        ("iops", 0.8, 0.75, 0.85, "slower:5%", "fail"),
        ("iops", 0.8, 0.75, 0.955, "slower:5%", "undecided"),
        ("iops", 0.8, 0.75, 0.952, "slower:5%", "fail"),  # the band's edge, 1 / 1.05
        ("iops", 0.97, 0.953, 0.99, "slower:5%", "pass"),
        ("iops", 0.97, 0.953, 1.2, "shown-not-slower:5%", "pass"),
        ("iops", 0.97, 0.951, 1.2, "shown-not-slower:5%", "fail"),
        ("iops", 0.97, None, None, "shown-not-slower:5%", "fail"),
        ("real_s", 0.97, 0.7, 1.04, "shown-not-slower:5%", "pass"),
        ("real_s", 0.97, 0.7, 1.06, "shown-not-worse:5%", "fail"),
        ("iops", 0.5, 0.4, 0.6, "slower:100%", "undecided"),
        ("iops", 0.97, 0.953, 0.99, "slower", "fail"),
        ("iops", 1.2, 1.1, 1.3, "faster:5%", "fail"),
        ("real_s", 0.8, 0.75, 0.85, "lower:10%", "fail"),
        ("iops", 0.8, 0.75, 0.85, "higher", "pass"),
        ("iops", 0.5, None, None, "slower:5%", "unknown"),
        ("iops", 0.5, None, None, "not-settled", "fail"),
        ("iops", 0.8, 0.75, 0.85, "not-settled", "pass"),
        ("iops", 0.8, 0.75, 0.85, "not-same", "fail"),
        ("iops", 1.0, 0.99, 1.01, "not-same", "pass"),
    ],
)
def test_outcomes(metric, ratio, low, high, rule, outcome):
    held = ft.gate(compared(metric, ratio, low, high), rule)
    assert held["outcome"].to_list() == [outcome]
    assert why(held).startswith("new / old: ")


def test_a_rule_of_one_metric_leaves_the_others_alone():
    frame = pl.concat([compared("iops", 0.8, 0.7, 0.9), compared("p99_ns", 2.0, 1.5, 2.5)])
    held = ft.gate(frame, ["p99 slower:10%", "slower:45%"])
    apart = ft.gate([frame[:1], frame[1:]], ["p99 slower:10%", "slower:45%"])
    assert apart.equals(held)
    assert held.select("rule", "metric", "outcome").rows() == [
        ("p99 slower:10%", "p99_ns", "fail"),
        ("slower:45%", "iops", "pass"),
        ("slower:45%", "p99_ns", "fail"),
    ]


NO_SPREAD = "no spread among 3 runs a side (copies of one run?)"


@pytest.mark.parametrize(
    ("new", "runs", "rule", "outcome", "end"),
    [
        (100.0, 3, "slower:5%", "pass", "not slower by more than 5 %"),
        (90.0, 3, "slower:5%", "fail", "slower by more than 5 %"),
        (96.0, 3, "slower", "pass", "not slower"),
        (90.0, 3, "slower", "fail", "; slower"),
        (100.0, 3, "not-same", "pass", "constant"),
        (90.0, 3, "not-same", "fail", "constant"),
        (100.0, 3, "not-settled", "pass", "constant"),
        (90.0, 2, "slower:5%", "unknown", "is unknown (cannot tell: no spread at all)"),
        (90.0, 1, "slower:5%", "unknown", "is unknown (one run each, so the error is unknown)"),
    ],
)
def test_runs_without_spread_are_decided_by_their_ratio(new, runs, rule, outcome, end):
    """Builds that write the same number of bytes in every run."""
    frame = pl.DataFrame(
        {"build": ["old"] * runs + ["new"] * runs, "iops": [100.0] * runs + [new] * runs}
    )
    held = ft.gate(ft.compare(frame, "iops", between="build", baseline="old"), rule)
    assert held["outcome"].to_list() == [outcome]
    assert (NO_SPREAD in why(held)) is (runs == 3)
    assert why(held).endswith(end)


RUNS = pl.DataFrame({"build": ["new"] * 4, "p99_ns": [9e6, 10e6, 11e6, 10e6]})


@pytest.mark.parametrize(
    ("rule", "rows", "outcome"),
    [
        ("p99 > 10ms", 4, "undecided"),
        ("p99 > 15ms", 4, "pass"),
        ("p99>=5000us", 4, "fail"),
        ("p99 < 20ms", 4, "fail"),
        ("p99 > 9ms", 1, "pass"),  # one run is what it is
    ],
)
def test_a_limit_is_of_one_side(rule, rows, outcome):
    held = ft.gate(ft.summarize(RUNS[:rows], "p99_ns", by="build"), rule)
    assert held["outcome"].to_list() == [outcome]
    assert why(held).startswith("new: p99 is ")
    assert why(held).endswith("another may differ") is (rows == 1)


@pytest.mark.parametrize(
    ("answer", "rule", "said"),
    [
        (compared("iops", 0.8, 0.75, 0.85), "slow:5%", "not a rule"),
        (compared("iops", 0.8, 0.75, 0.85), "slower:5", "not a rule"),
        (compared("iops", 0.8, 0.75, 0.85), "not-same:5%", "not a rule"),
        (compared("iops", 0.8, 0.75, 0.85), "shown-not-slower", "not a rule"),
        (compared("iops", 0.8, 0.75, 0.85), "p99 slower", "compared was iops"),
        (ft.summarize(RUNS, "p99_ns"), "p99 > 10", "in which unit"),
        (ft.summarize(RUNS, "p99_ns"), "p99 > much", "not a rule"),
        (ft.summarize(RUNS, "p99_ns"), "slower:5%", "two sides"),
    ],
)
def test_a_rule_that_says_nothing_is_refused(answer, rule, said):
    with pytest.raises(SchemaError, match=said):
        ft.gate(answer, rule)


def test_a_loss_at_the_margin_is_not_shown_to_be_less():
    # a short form of `python -m benchmarks.coverage gate`
    rng = np.random.default_rng(1)
    passed = study.outcomes(study.SHOWN, study.MARGIN, 0.06, 5, 1500, rng)
    assert passed.count("pass") / 1500 < 0.04
    assert study.outcomes(study.SHOWN, 0.0, 0.01, 5, 200, rng).count("pass") > 190


def test_the_loss_that_runs_would_have_shown():
    middle, seen = study.detected(0.05, 5, 1000, np.random.default_rng(2))
    assert 0.1 < middle < 0.2
    assert 0.72 < seen < 0.9
    assert "would be seen four times in five" in why(
        ft.gate(compared("iops", 0.97, 0.9, 1.04), "slower:5%")
    )


def test_sides_under_other_conditions_pass_nothing():
    iops = [100.0, 101.0, 99.0, 200.0, 201.0, 199.0]
    frame = pl.DataFrame({"build": [*"aaabbb"], "iodepth": [1] * 3 + [8] * 3, "iops": iops})
    held = ft.gate(ft.compare(frame, "iops", between="build"), ["slower:5%", "faster:5%"])
    assert held["outcome"].to_list() == ["unknown", "fail"]
    assert why(held).endswith("differ in iodepth: measure both alike, or keep what both have")


def test_a_limit_is_about_what_is_new(tmp_path):
    for side, iops in (("old", 300), ("new", 100)):
        text = f'{{"jobs": [{{"jobname": "a", "read": {{"iops": {iops}, "io_bytes": 4096}}}}]}}'
        (tmp_path / f"{side}.json").write_text(text)
    held = ft.gate(ft.read(tmp_path / "old.json", tmp_path / "new.json"), "iops > 200")
    assert held[["label", "outcome"]].values.tolist() == [["new", "pass"]]


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_each_line_of_a_table_of_limits_is_held(tmp_path, kind):
    (tmp_path / "limits.csv").write_text(
        "test,rw,metric,max,min,slower\nrandread,,p99,2ms,,\n,randwrite,iops,,5k,\nx,,iops,,,5\n"
    )
    files = "data/how-many-runs/rounds/{test}_{fs}_{round:d}.json"
    res = ft.read(files, frames=kind).where("round<=3")
    held = ft.gate(res, limits=tmp_path / "limits.csv", between="fs")
    assert list(held["rule"]) == [*["p99 > 2ms"] * 2, *["iops < 5k"] * 2, "iops slower:5%"]
    assert list(held["outcome"]) == [*["pass"] * 2, *["fail"] * 2, "unknown"]
    assert list(held["test"]) == [*["randread"] * 2, *["fsync"] * 2, "x"]
    assert list(held["fs"])[:4] == ["ext4", "xfs"] * 2
    lines = [one.rpartition(":")[2] for one in held["limit_line"]]
    assert lines == ["2", "2", "3", "3", "4"]
    new = ft.gate(res, limits=tmp_path / "limits.csv", between="fs", baseline="ext4")
    assert list(new["fs"])[:2] == ["xfs"] * 2
    for data, more in ((res, {"fail_if": "slower"}), (res.io, {})):
        with pytest.raises(ft.SchemaError, match="limits= takes a Results, and no fail_if="):
            ft.gate(data, limits=tmp_path / "limits.csv", **more)
