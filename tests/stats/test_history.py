"""What was measured together counts once, and one new session is held against a history."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import islice

import numpy as np
import polars as pl
import pytest

import fiotools as ft
from benchmarks.coverage import history as study
from fiotools.display import verdicts
from fiotools.errors import SchemaError
from fiotools.stats.estimates import paired, welch
from fiotools.stats.gate import beside_history
from fiotools.stats.history import prediction

START = datetime(2026, 1, 1)


def runs(logs, build="old", first=0):
    """Make the table of runs: days, each with runs a minute apart."""
    return pl.DataFrame(
        [
            {
                "build": build,
                "day": f"d{first + day:02}",
                "reported_at": START + timedelta(days=first + day, minutes=run),
                "iops": 1000 * float(np.exp(log)),
            }
            for day, several in enumerate(logs)
            for run, log in enumerate(several)
        ]
    )


def history(k=20, seed=1, shift=0.0):
    rng = np.random.default_rng(seed)
    return rng.normal(0, 0.03, (k, 1)) + rng.normal(0, 0.01, (k, 5)) + shift


def compared(frame, **named):
    found = ft.compare(frame, "iops", between="build", baseline="old", **named)
    return found.row(0, named=True)


def against(old, new, first=40, **named):
    """Compare days of the new build with those of the old one; they begin with the day first."""
    return compared(pl.concat([runs(old), runs(new, "new", first)]), **named)


def told(row):
    return [text for _, text in verdicts.cautions(row)]


@pytest.mark.parametrize("unit", ["day", "session"])
def test_a_new_day_is_held_against_the_others(unit):
    old = history()
    row = against(old, [[-0.2] * 5], unit=unit)
    means = old.mean(axis=1)
    half = 2.539483 * means.std(ddof=1) * np.sqrt(1 + 1 / 20)  # t of 19 at .99
    assert (row["n"], row["n_baseline"], row["verdict"]) == (1, 20, "slower")
    ends = np.log([row["ratio_lo"], row["ratio_hi"]])
    assert ends == pytest.approx(-0.2 - means.mean() + np.array([-half, half]), abs=1e-6)
    assert verdicts.verdict(row) == f"slower: below what 99 % of such {unit}s show"


def test_a_new_day_of_one_run_spreads_more():
    old = np.random.default_rng(2).normal(0, 0.05, (20, 5))
    wide, narrow = (against(old, [[-0.1] * n], unit="day") for n in (1, 5))
    assert wide["ratio_hi"] / wide["ratio_lo"] > 1.1 * narrow["ratio_hi"] / narrow["ratio_lo"]


def test_days_of_both_sides_are_pairs_and_other_days_are_not():
    old, new = history(6), history(6, 2, shift=0.1)
    row = against(old, new, 0, unit="day")
    own = paired(new.mean(axis=1), old.mean(axis=1))
    assert (row["n"], row["method"]) == (6, "paired t of logarithms")
    assert np.log([row["ratio_lo"], row["ratio_hi"]]) == pytest.approx(own.interval(0.95))
    new = history(4, 5)
    row = against(old, new, 20, unit="day")
    own = welch([(new.mean(axis=1), old.mean(axis=1))])
    assert (row["n"], row["n_baseline"], row["method"]) == (4, 6, "Welch t of logarithms")
    assert np.log([row["ratio_lo"], row["ratio_hi"]]) == pytest.approx(own.interval(0.95))


def test_a_side_without_days_is_one():
    new = runs([[-0.2] * 5], "new", 40).with_columns(day=pl.lit(None, pl.String))
    row = compared(pl.concat([runs(history()), new]), unit="day")
    assert (row["n"], row["n_baseline"]) == (1, 20)


def test_what_explains_the_spread_counts_once():
    both = pl.concat([runs(history(6)), runs(history(6, 3), "new", 20)])
    named = compared(both, unit="day")
    hours, day = both.drop("day"), both.drop("reported_at")
    numbers = day.with_columns(pl.col("day").str.slice(1).cast(pl.Int64))
    folders = day.select("build", "iops", source=pl.format("{}/{}.json", "day", pl.int_range(60)))
    for frame, unit in ((both, "day"), (hours, "session"), (numbers, "day"), (folders, "folder")):
        row = compared(frame)
        assert (row["n"], row["n_baseline"], row["ratio_hi"]) == (6, 6, named["ratio_hi"])
        assert f"each {unit} counts once: its runs are alike" in told(row)
    one_each = both.group_by("build", "day", maintain_order=True).first()
    assert compared(one_each)["n"] == 6
    assert "unit-found" not in (compared(one_each)["flags"] or "")


def test_two_units_a_side_are_too_few():
    old, new = np.zeros((2, 5)), np.zeros((2, 5))
    old[0], new[0] = 0.2, 0.3
    jitter = np.random.default_rng(3).normal(0, 0.005, (2, 2, 5))
    row = against(old + jitter[0], new + jitter[1], 20)
    assert (row["n"], row["verdict"]) == (2, "few runs")
    assert "need >= 3 days a side for a verdict" in told(row)


def test_days_of_both_sides_are_told_and_not_taken():
    both = pl.concat([runs(history(6)), runs(history(6, 1, shift=0.1), "new")])
    row = compared(both.drop("reported_at"))
    assert (row["n"], row["flags"].split(";")[0]) == (30, "alike")
    assert "the runs of each day are alike: unit='day' counts each once" in told(row)
    assert "alike" not in (compared(both, unit="day")["flags"] or "")


def test_a_measurement_is_not_a_unit():
    both = pl.concat([runs(history(6)), runs(history(6, 3), "new", 20)]).select("build", "iops")
    busy = both.with_columns(busy=(pl.col("iops") / 25).round().cast(pl.Int64))
    assert compared(busy)["n"] == 30


@pytest.mark.parametrize(
    ("bent", "flag"),
    [
        (np.linspace(0, -0.3, 20), "history-drift"),
        (np.repeat([0, -0.3], [16, 4]), "history-step"),
        (np.where(np.arange(20) % 9 == 4, -0.4, 0), "history-skew"),
    ],
)
@pytest.mark.parametrize(
    ("new", "verdict", "said", "outcome"),
    [
        (-0.9, "slower", "slower: below all of the history", "fail"),
        (-0.2, "undecided", "within what the history showed", "undecided"),
        (0.9, "faster", "faster: above all of the history", "pass"),
    ],
)
def test_a_history_that_predicts_nothing_has_its_ends(bent, flag, new, verdict, said, outcome):
    old = history() + bent[:, None]
    row = against(old, [[new] * 5], unit="day")
    assert flag in row["flags"].split(";")
    means = old.mean(axis=1)
    ends = [new - means.max(), new - means.min()]
    assert np.log([row["ratio_lo"], row["ratio_hi"]]) == pytest.approx(ends)
    assert (row["verdict"], verdicts.verdict(row)) == (verdict, said)
    held = ft.gate(pl.DataFrame([row]), "slower:5%")
    assert held["outcome"].to_list() == [outcome]


def test_after_a_step_what_came_since_is_the_history():
    old = history() + np.repeat([0, -0.3], 10)[:, None]
    row = against(old, [[-0.3] * 5], unit="day")
    assert "history-since" in row["flags"].split(";")
    own = prediction(np.array([-0.3]), old[10:].mean(axis=1), are_apart=True)
    assert np.log(row["ratio"]) == pytest.approx(own.center)
    assert row["verdict"] != "slower"


def test_three_new_runs_are_one_mean_beside_a_history():
    """A third run tells nothing about other nights: only the command of a gate asks so."""
    old, new = history()[:, :1], [[-0.13], [-0.12], [-0.125]]
    both = pl.concat([runs(old), runs(new, "new", 40)]).drop("reported_at", "day")
    three = beside_history(both, "iops", between="build", baseline="old").row(0, named=True)
    one = prediction(np.array([-0.125]), old[:, 0], are_apart=False).interval(0.98)
    assert np.log([three["ratio_lo"], three["ratio_hi"]]) == pytest.approx(one)
    assert compared(both)["method"] != three["method"]


def test_seven_days_are_too_few():
    row = against(history(7), [[-0.2] * 5], unit="day")
    assert row["verdict"] == "one run"
    assert any("8 days of 'old'" in text for text in told(row))
    assert verdicts.verdict(row) == "one day of 'new', so the error is unknown"


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"unit": "build"}, "excludes"),
        ({"unit": "week"}, "no column 'week'"),
        ({"unit": "session"}, "nor are started_at and reported_at known"),
        ({"unit": "night"}, "missing in 4 of 30 rows"),
    ],
)
def test_other_units_are_refused(named, said):
    both = pl.concat([runs(history(3)), runs(history(3), "new")]).drop("reported_at")
    both = both.with_columns(night=pl.when(pl.int_range(pl.len()) > 3).then("day"))
    with pytest.raises(SchemaError, match=said):
        compared(both, **named)


@pytest.mark.parametrize("name", ["between / within 0.5", "between / within 5", "AR(1) .5"])
def test_like_sessions_are_not_called_slower(name):
    # a short form of `python -m benchmarks.coverage history`
    made = study.MADE[name](400, 12, np.random.default_rng(4))
    found = [slower for slower, _ in map(study.slower, made)]
    assert sum(one[0] for one in found) <= 12
    assert sum(one[2] for one in found) >= 0.92 * 400


def test_no_run_of_the_project_is_slower_than_its_others():
    assert "slower" not in {*islice(study.left_out(), 24)}
