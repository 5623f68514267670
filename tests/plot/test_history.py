"""Runs by commit or date, and the steps between their levels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import fiotools as ft
from tests.plot.kinds import said

COMMITS = ["9f1e", "0a1b", "7aa7", "5eed", "c0ff", "badc", "fa11", "ab1e"]
START = pd.Timestamp("2026-03-01", tz="UTC")


def runs(rounds=3, rw=("randread",)):
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        [
            {
                "commit": commit,
                "reported_at": START + pd.Timedelta(days=at, minutes=one),
                "rw": way,
                "iops": (9e4 if at < 4 else 8e4) * rng.lognormal(0, 0.004),
            }
            for at, commit in enumerate(COMMITS)
            for one in range(rounds)
            for way in rw
        ]
    )


def ticks(ax):
    ax.figure.canvas.draw()
    return [label.get_text() for label in ax.get_xticklabels()]


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_runs_medians_and_the_step_with_its_commit(kind):
    frame = runs()
    spec = ft.plot.spec("history", kind(frame.to_dict("list")), "iops", x="commit")
    assert [row.x for row in spec.rows] == list(range(1, 9))
    assert [one for row in spec.rows for one in row.points] == frame["iops"].tolist()
    medians = frame.groupby("commit", sort=False)["iops"].median().tolist()
    assert [row.y for row in spec.rows] == pytest.approx(medians)
    told = ft.shifts(pd.DataFrame({"at": range(8), "iops": medians}), "iops", order="at")
    assert [(level.begin, level.end) for level in spec.levels] == [(0.5, 4.5), (4.5, 8.5)]
    assert [level.value for level in spec.levels] == pytest.approx(told["center"].tolist())
    low, high = told["ratio_lo"][1], told["ratio_hi"][1]
    assert spec.levels[1].text == f"c0ff: ×{told['ratio'][1]:.3f} [{low:.3f}, {high:.3f}]"
    assert spec.notes == (
        "points: runs; thin line: median; thick line: level; band: 95 % interval of its step",
        "step down, or two levels by chance",
    )
    assert ticks(ft.plot.history(frame, "iops", x="commit")) == COMMITS


def test_dates_lie_on_an_axis_of_time():
    frame = runs(rounds=1)
    frame.loc[7, "reported_at"] += pd.Timedelta(days=20)
    spec = ft.plot.spec("history", frame, "iops")
    assert np.diff([row.x for row in spec.rows]).round(6).tolist() == [1.0] * 6 + [21.0]
    assert spec.levels[1].text.startswith("2026-03-05: ×0.89")
    ax = ft.plot.history(frame, "iops")
    assert all(len(name) == len("2026-03-05") for name in ticks(ax))
    assert said(ax).startswith("time of the run ")


def test_panels_share_the_commits():
    frame = runs(rw=("randread", "randwrite"))
    axes = ft.plot.history(frame, "iops", x="commit", by="rw")
    assert [ax.get_title(loc="left") for ax in axes] == ["randread", "randwrite"]
    assert axes[0].get_xlim() == axes[1].get_xlim()


def test_steps_may_be_those_of_the_runs():
    frame = runs().assign(number=lambda frame: frame["commit"].map(COMMITS.index))
    told = ft.shifts(frame, "iops", order="number")
    spec = ft.plot.spec("history", frame, "iops", x="number", shifts=told)
    assert [level.value for level in spec.levels] == pytest.approx(told["center"].tolist())
    with pytest.raises(ft.SchemaError, match="about other rows"):
        ft.plot.history(frame, "iops", x="number", shifts=told.assign(metric="bw"))
    with pytest.raises(ft.SchemaError, match="no column commit; call shifts"):
        ft.plot.history(frame, "iops", x="commit", shifts=told)


def test_commits_follow_their_times_where_the_frame_has_them():
    frame = runs().sample(frac=1, random_state=1)
    assert ticks(ft.plot.history(frame, "iops", x="commit")) == COMMITS
    untimed = frame.drop(columns="reported_at")
    ax = ft.plot.history(untimed, "iops", x="commit", order=COMMITS)
    assert ticks(ax) == COMMITS


@pytest.mark.parametrize(
    ("names", "sorted_"),
    [
        ([10, 9, 11, 8], ["8", "9", "10", "11"]),
        (["v1.10", "v1.9", "v1.2", "v1.11"], ["v1.2", "v1.9", "v1.10", "v1.11"]),
        (["beta", "alpha", "rc", "final"], ["beta", "alpha", "rc", "final"]),
    ],
    ids=["numbers", "versions", "words"],
)
def test_labels_are_in_order(names, sorted_):
    frame = pd.DataFrame({"release": names, "iops": [1.0, 2.0, 3.0, 4.0]})
    assert ticks(ft.plot.history(frame, "iops", x="release")) == sorted_


def test_small_steps_can_be_seen_and_noise_is_not_blown_up():
    low, high = ft.plot.history(runs(), "iops", x="commit").get_ylim()
    assert 5e4 < low < 8e4
    assert high < 1.2e5
    flat = pd.DataFrame({"commit": list("abcdef"), "iops": [1e5, 1.0001e5] * 3})
    low, high = ft.plot.history(flat, "iops", x="commit").get_ylim()
    assert high - low > 0.1 * 1e5


def test_too_few_runs_are_told():
    ax = ft.plot.history(runs()[:6], "iops", x="commit")
    assert said(ax).endswith("too few runs: 2 of 4")


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        (lambda f: f.drop(columns="reported_at"), {}, "no column orders the runs"),
        (lambda f: f, {"x": "comit"}, "did you mean 'commit'"),
        (lambda f: f.assign(iops=np.nan), {"x": "commit"}, "no row has a value of 'iops'"),
        (lambda f: f, {"x": "commit", "order": ["none"]}, "names nothing that is there"),
        (
            lambda f: f.assign(direction=["read", "write"] * 12),
            {"x": "commit"},
            "direction",
        ),
    ],
    ids=["no order", "a typo", "no value", "another order", "directions"],
)
def test_what_cannot_be_drawn_is_refused(change, options, words):
    with pytest.raises(ft.SchemaError, match=words):
        ft.plot.history(change(runs()), "iops", **options)


def test_many_steps_are_named_apart():
    levels = np.repeat([100.0, 80.0, 120.0], [16, 6, 6])
    values = levels + np.random.default_rng(0).normal(0, 0.5, 28)
    frame = pd.DataFrame({"build": range(28), "iops": values})
    ax = ft.plot.history(frame, "iops", x="build")
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert len(boxes) == 2
    assert not any(a.overlaps(b) for at, a in enumerate(boxes) for b in boxes[:at])
    whole = ax.get_window_extent()
    assert all(whole.x0 <= box.x0 and box.x1 <= whole.x1 for box in boxes)
