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


def points(ax):
    """Every run drawn."""
    return ax.lines[0].get_xdata().tolist(), ax.lines[0].get_ydata().tolist()


def ticks(ax):
    ax.figure.canvas.draw()
    return [label.get_text() for label in ax.get_xticklabels()]


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_runs_medians_and_the_step_with_its_commit(kind):
    frame = runs()
    ax = ft.plot.history(kind(frame.to_dict("list")), "iops", x="commit")
    xs, ys = points(ax)
    assert xs == [at for at in range(8) for _ in range(3)]
    assert ys == frame["iops"].tolist()
    medians = frame.groupby("commit", sort=False)["iops"].median().tolist()
    assert ax.lines[1].get_ydata().tolist() == pytest.approx(medians)
    told = ft.shifts(pd.DataFrame({"at": range(8), "iops": medians}), "iops", order="at")
    levels = [line for line in ax.lines if line.get_linewidth() == 2]
    assert [line.get_xdata().tolist() for line in levels] == [[-0.5, 3.5], [3.5, 7.5]]
    assert [line.get_ydata()[0] for line in levels] == pytest.approx(told["center"].tolist())
    low, high = told["ratio_lo"][1], told["ratio_hi"][1]
    assert ax.texts[0].get_text() == f"c0ff: ×{told['ratio'][1]:.3f} [{low:.3f}, {high:.3f}]"
    assert ticks(ax) == COMMITS
    what, key, verdict = said(ax).splitlines()
    assert what == "commit"
    assert (
        key == "points: runs; thin line: median; thick line: level; band: 95 % interval of its step"
    )
    assert verdict == "step down, or two levels by chance"
    assert (told["verdict"][1], told["flags"][1]) == ("step down", "by-chance")


def test_dates_lie_on_an_axis_of_time():
    frame = runs(rounds=1)
    frame.loc[7, "reported_at"] += pd.Timedelta(days=20)
    ax = ft.plot.history(frame, "iops")
    xs, _ = points(ax)
    assert np.diff(xs).round(6).tolist() == [1.0] * 6 + [21.0]
    assert ax.texts[0].get_text().startswith("2026-03-05: ×0.89")
    assert all(len(name) == len("2026-03-05") for name in ticks(ax))
    assert said(ax).startswith("time of the run\n")


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


def test_panels_share_the_commits():
    frame = runs(rw=("randread", "randwrite"))
    axes = ft.plot.history(frame, "iops", x="commit", by="rw")
    assert [ax.get_title(loc="left") for ax in axes] == ["randread", "randwrite"]
    assert [len(points(ax)[0]) for ax in axes] == [24, 24]
    assert axes[0].get_xlim() == axes[1].get_xlim()
    assert axes[0].get_xlabel() == ""


def test_steps_may_be_those_of_the_runs():
    frame = runs().assign(number=lambda frame: frame["commit"].map(COMMITS.index))
    told = ft.shifts(frame, "iops", order="number")
    ax = ft.plot.history(frame, "iops", x="number", shifts=told)
    levels = [line.get_ydata()[0] for line in ax.lines if line.get_linewidth() == 2]
    assert levels == pytest.approx(told["center"].tolist())
    with pytest.raises(ft.SchemaError, match="about other rows"):
        ft.plot.history(frame, "iops", x="number", shifts=told.assign(metric="bw"))
    with pytest.raises(ft.SchemaError, match="no column commit; call shifts"):
        ft.plot.history(frame, "iops", x="commit", shifts=told)


def test_small_steps_can_be_seen_and_noise_is_not_blown_up():
    low, high = ft.plot.history(runs(), "iops", x="commit").get_ylim()
    assert 5e4 < low < 8e4
    assert high < 1.2e5
    flat = pd.DataFrame({"commit": list("abcdef"), "iops": [1e5, 1.0001e5] * 3})
    low, high = ft.plot.history(flat, "iops", x="commit").get_ylim()
    assert high - low > 0.1 * 1e5


def test_too_few_runs_are_told():
    ax = ft.plot.history(runs()[:6], "iops", x="commit")
    assert said(ax).splitlines()[-1] == "too few runs: 2 of 4"


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
