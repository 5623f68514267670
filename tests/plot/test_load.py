"""The hockey stick, asked by what is drawn on it."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest

import fiotools as ft
from tests.plot.kinds import said

# two runs at each depth but the last, where there is one
RUNS = {
    "fs": ["ext4"] * 7,
    "iodepth": [1, 1, 8, 8, 64, 64, 128],
    "iops": [8e3, 9e3, 60e3, 62e3, 90e3, 91e3, 92e3],
    "lat_mean_ns": [0.12e6, 0.11e6, 0.13e6, 0.13e6, 0.71e6, 0.70e6, 1.4e6],
}
FRAME = pd.DataFrame(RUNS)
BOTH = pd.concat([FRAME, FRAME.assign(fs="xfs", lat_mean_ns=FRAME["lat_mean_ns"] * 10)])


def told(frame=FRAME, by="iodepth", latency="lat_mean_ns"):
    return [ft.summarize(frame, metric, by=by) for metric in ("iops", latency)]


def load(frame=FRAME, **options):
    options = {"summaries": told(), **options}
    return ft.plot.load(frame, **options)


def points(ax, marker="o"):
    """Every run drawn: (x, y)."""
    return {
        (float(x), float(y))
        for line in ax.lines
        if line.get_linestyle() == "None" and line.get_marker() == marker
        if line.get_markersize() < 10
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    }


# the geometric means of the runs at depth 8
MIDDLES = pytest.approx(60992, abs=1), pytest.approx(0.13e6)


def ringed(ax):
    """Every run in a ring."""
    return [
        (float(line.get_xdata()[0]), float(line.get_ydata()[0]))
        for line in ax.lines
        if line.get_markersize() == 11
    ]


def diamonds(ax):
    """Every point in a diamond."""
    return [
        (float(line.get_xdata()[0]), float(line.get_ydata()[0]))
        for line in ax.lines
        if line.get_markersize() == 12
    ]


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_the_summaries_are_made_inside(kind):
    frame = kind(RUNS)
    own = ft.plot.load(frame, "lat_mean_ns", limit="500us")
    best = ft.best_under(frame, "lat_mean_ns", "500us", sweep="iodepth")
    given = load(frame, summaries=told(frame), best=best)
    for one, other in zip(own, given, strict=True):
        assert points(one) == points(other)
        assert ringed(one) == ringed(other)
    assert said(own[1]) == said(given[1])


def curve(rate, loads=(1, 2, 4, 8, 16, 32, 64), runs=2):
    """Runs of a load curve, with the latency that Little's law gives."""
    own = [(load, rate(load) * (1 + 0.02 * run)) for run in range(runs) for load in loads]
    return pd.DataFrame(
        {
            "iodepth": [load for load, _ in own],
            "iops": [float(iops) for _, iops in own],
            "lat_mean_ns": [1e9 * load / iops for load, iops in own],
        }
    )


def bent(load, knee=8.0):
    return 9e3 * load / (1 + load / knee)


def test_the_knee_is_that_of_scaling():
    frame = curve(bent)
    (fit,) = ft.scaling(frame).to_dict("records")
    upper, lower = ft.plot.load(frame)
    ((at, rate),), ((below, wait),) = diamonds(upper), diamonds(lower)
    assert at == below == pytest.approx(fit["knee"], rel=1e-3)
    assert at == pytest.approx(8, rel=0.01)
    assert rate == fit["knee_rate"]
    assert wait == pytest.approx(1e9 * at / rate, rel=1e-3)
    assert said(lower).replace("\n", " ").endswith("the highest IOPS for its latency: 8 [8, 8]")
    spec = ft.plot.spec("load", frame)
    assert [level.panel for level in spec.levels] == [*spec.panels]
    for level in spec.levels:
        ends = fit["knee_lo"], fit["knee_hi"]
        assert (level.begin, level.end) == pytest.approx(ends, rel=1e-3)


@pytest.mark.parametrize(
    ("rate", "why"),
    [
        (lambda load: 8e3 * load, "beyond the last level"),
        (lambda load: 8e3, "before the first level"),
        (lambda load: bent(load, 200.0), "not within the levels"),
        (lambda load: 8e3 * (1 + 2 * (load in (2, 16))), "far off the curve"),
    ],
    ids=["still rising", "full at once", "beyond", "no curve"],
)
def test_without_a_knee_a_note_says_why(rate, why):
    upper, lower = ft.plot.load(curve(rate))
    assert not diamonds(upper)
    assert said(lower).replace("\n", " ").endswith(f"none, {why}")


def test_two_levels_have_no_knee():
    _, lower = ft.plot.load(FRAME[:4])
    assert "knee" not in said(lower)


def test_many_lines_are_counted_below_the_plot():
    many = pd.concat(
        [
            curve(lambda load, at=at: bent(load, 8.0 + (at > 7))).assign(fs=f"fs{at}")
            for at in range(9)
        ]
    )
    _, lower = ft.plot.load(many, hue="fs", limit="1us")
    one = "8 [8, 8]"
    named = ", ".join(f"fs{at}: {one}" for at in range(4))
    assert f"latency: {named} and 5 more" in said(lower).replace("\n", " ")
    texts = [text.get_text() for text in lower.texts]
    assert "limit: 1 µs (fs0, fs1 and 7 more: no mean below)" in texts


def test_the_axis_has_a_tick_at_each_value_that_was_swept():
    upper, lower = load()
    assert upper.get_xscale() == lower.get_xscale() == "log"
    assert [label.get_text() for label in lower.get_xticklabels()] == ["1", "8", "64", "128"]
    assert upper.get_xlim() == lower.get_xlim()


def test_the_best_means_below_a_limit_are_in_a_ring_in_both_panels():
    upper, lower = load(best=ft.best_under(FRAME, "lat_mean_ns", 500e3))
    assert ringed(upper) == [(8, MIDDLES[0])]
    assert ringed(lower) == [(8, MIDDLES[1])]
    assert [text.get_text() for text in lower.texts] == ["limit: 500 µs"]
    assert any(list(line.get_ydata()) == [500e3, 500e3] for line in lower.lines)
    assert "below the limit: 60,992 /s at 8" in said(lower)


def test_what_is_swept_may_be_a_label():
    frame = FRAME.rename(columns={"iodepth": "clients"})
    best = ft.best_under(frame, "lat_mean_ns", 500e3, sweep="clients")
    upper, lower = load(frame, x="clients", summaries=told(frame, by="clients"), best=best)
    assert (ringed(upper), ringed(lower)) == ([(8, MIDDLES[0])], [(8, MIDDLES[1])])
    assert "below the limit: 60,992 /s at 8" in said(lower)


def test_a_line_that_is_nowhere_below_the_limit_is_named():
    best = ft.best_under(BOTH, "lat_mean_ns", 500e3, by="fs")
    summaries = told(BOTH, by=["fs", "iodepth"])
    upper, lower = load(BOTH, hue="fs", summaries=summaries, best=best)
    assert len(ringed(upper)) == len(ringed(lower)) == 1
    assert "limit: 500 µs (xfs: no mean below)" in [text.get_text() for text in lower.texts]
    assert "ext4, 60,992 /s at 8" in said(lower)
    low, _ = lower.get_ylim()
    assert low < 500e3
    assert [text.get_text() for text in upper.texts] == ["ext4", "xfs"]


def test_a_limit_that_nothing_meets_has_room_on_the_axis():
    upper, lower = load(best=ft.best_under(FRAME, "lat_mean_ns", 1e3))
    assert not ringed(upper)
    assert "ring" not in said(lower)
    assert [text.get_text() for text in lower.texts] == ["limit: 1 µs (all: no mean below)"]
    assert lower.get_ylim()[0] <= 1e3


def test_two_axes_of_ones_own_are_drawn_on():
    figure, axes = plt.subplots(1, 2)
    two = load(ax=axes)
    assert list(two) == list(axes)
    assert plt.get_fignums() == [figure.number], "no figure of its own"
    assert axes[0].get_xlabel() == "queue depth", "they do not share the axis"
    assert axes[1].get_xlabel().startswith("queue depth\npoints")
    assert [label.get_text() for label in axes[0].get_xticklabels()][:3] == ["1", "8", "64"]
    _, axes = plt.subplots(2, 1, sharex=True)
    load(ax=list(axes))


def test_a_single_depth_and_a_short_axis_have_ticks():
    frame = FRAME.query("iodepth == 8").assign(iops=[61e3, 62e3])
    upper, lower = load(frame, summaries=told(frame))
    assert [label.get_text() for label in lower.get_xticklabels()] == ["8"]
    low, high = upper.get_ylim()
    assert sum(low <= tick <= high for tick in upper.get_yticks()) >= 2


def test_ticks_do_not_run_into_each_other():
    depths = list(range(1, 65))
    frame = pd.DataFrame({"iodepth": depths, "iops": 1e3, "lat_mean_ns": [d * 1e6 for d in depths]})
    _, lower = load(frame, summaries=told(frame))
    lower.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in lower.get_xticklabels()]
    assert all(one.x1 <= other.x0 for one, other in pairwise(boxes))
    assert len(boxes) > 8


def test_totals_are_drawn_where_there_are_threads_too():
    io = ft.read("data/dda-vhdx/xml/{volume}.xml").io.query("direction == 'total'")
    both = told(io, by=["volume", "numjobs"])
    spec = ft.plot.spec("load", io, x="numjobs", hue="volume", summaries=both)
    wanted = io.query("scope == 'total'")["iops"]
    upper = spec.panel(spec.panels[0])
    assert {row.y for row in upper.rows} == {float(value) for value in wanted}


def test_directions_may_be_lines():
    both = pd.concat([FRAME.assign(direction="read"), FRAME.assign(direction="write")])
    upper, _ = load(both, hue="direction", summaries=told(both, by=["direction", "iodepth"]))
    assert [text.get_text() for text in upper.texts] == ["read", "write"]


MISTAKES = {
    "no depth": ({"x": "iodepths"}, "did you mean 'iodepth'"),
    "one summary": ({"summaries": told()[:1]}, r"summaries= are two .*by=\['iodepth'\]"),
    "a frame for two": ({"summaries": told()[0]}, "summaries= are two"),
    "swapped": ({"summaries": told()[::-1]}, "not of 'iops'"),
    "by too little": ({"hue": "fs"}, "no column 'fs'"),
    "best of another metric": (
        {"best": ft.best_under(FRAME.assign(p99=1.0), "p99", 2)},
        r"best= is not about 'lat_mean_ns': give best_under\(frame, 'lat_mean_ns', limit, sweep='iodepth'\)",
    ),
    "no best": ({"best": FRAME}, "not what best_under"),
    "best of several": (
        {"best": ft.best_under(BOTH, "lat_mean_ns", 1e6, by="fs")},
        "best= has 2 rows",
    ),
    "best of other runs": (
        {"best": ft.best_under(FRAME.assign(iops=FRAME["iops"] * 2), "lat_mean_ns", 1e6)},
        "best= is about other runs",
    ),
    "two limits": (
        {"best": ft.best_under(FRAME, "lat_mean_ns", 1e6), "limit": "1ms"},
        "best= has a limit of its own: leave limit= out",
    ),
    "one axis": ({"ax": [1]}, "ax= is 2 matplotlib Axes here"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told(mistake):
    options, words = MISTAKES[mistake]
    with pytest.raises(ft.SchemaError, match=words):
        load(**options)


HOSTILE = {
    "empty": (lambda f: f[:0], "no rows"),
    "no latency": (lambda f: f.drop(columns="lat_mean_ns"), "no column 'lat_mean_ns'"),
    "no rates": (lambda f: f.assign(iops=np.nan), "no row has a value of 'iops'"),
    "a gap in x": (lambda f: f.assign(iodepth=[np.nan] * 7), "'iodepth'"),
    "directions": (lambda f: f.assign(direction=["read", "write"] * 3 + ["read"]), "direction"),
}


def test_values_of_zero_are_drawn_on_a_linear_axis():
    frame = FRAME.assign(iops=0.0)
    upper, _ = load(frame, summaries=told(frame))
    assert upper.get_yscale() == "linear"


@pytest.mark.parametrize("case", HOSTILE)
def test_what_has_no_place_is_refused(case):
    change, words = HOSTILE[case]
    with pytest.raises(ft.SchemaError, match=words):
        load(change(FRAME))


@pytest.mark.filterwarnings("ignore:all files are one curve")
def test_rounds_of_a_path_are_repeats():
    res = ft.read("data/how-many-runs/depth/{iodepth:d}_{round:d}.json")
    spec = ft.plot.spec("load", res)
    assert (spec.hue, spec.groups) == (None, (None,))
    assert {len(row.points) for row in spec.rows if row.points} == {3}
