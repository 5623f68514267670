"""Sweeps: lines over a condition, panels of them, and grids of two conditions."""

from __future__ import annotations

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import fiotools as ft
from tests.plot.kinds import said


def runs(levels, rounds=5, depths=(1, 4, 16, 64), jobs=(1, 4)):
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        [
            {
                "device": f"dev{level}",
                "iodepth": depth,
                "numjobs": job,
                "round": at,
                "iops": 1e4 * (level + 1) * depth * job / (1 + depth / 8) * rng.lognormal(0, 0.05),
            }
            for level in range(levels)
            for depth in depths
            for job in jobs
            for at in range(rounds)
        ]
    )


def inside(figure):
    """Say whether all words are on the figure."""
    figure.canvas.draw()
    renderer, whole = figure.canvas.get_renderer(), figure.bbox
    texts = [text for ax in figure.axes for text in ax.texts if text.get_text()]
    boxes = [text.get_window_extent(renderer) for text in texts]
    return all(whole.x0 <= b.x0 and b.x1 <= whole.x1 + 1 and b.y0 >= -1 for b in boxes)


def apart(ax):
    """Say whether no two names of lines are on top of each other."""
    figure = ax.get_figure()
    figure.canvas.draw()
    boxes = sorted(text.get_window_extent().y0 for text in ax.texts)
    return all(high - low > 5 for low, high in pairwise(boxes))


def test_lines_have_the_order_of_their_right_ends():
    frame = runs(3, jobs=(1,))
    ax = ft.plot.sweep(frame, "iops", x="iodepth", hue="device")
    ax.get_figure().canvas.draw()
    heights = {text.get_text(): text.get_window_extent().y0 for text in ax.texts}
    assert sorted(heights, key=heights.get) == ["dev0", "dev1", "dev2"]


def test_panels_have_the_same_axes_and_one_legend():
    axes = ft.plot.sweep(runs(2), "iops", x="iodepth", hue="device", by="numjobs")
    assert len({ax.get_ylim() for ax in axes}) == 1
    assert [ax.get_title(loc="left") for ax in axes] == ["numjobs 1", "numjobs 4"]
    (legend,) = axes[0].get_figure().legends
    assert legend.get_title().get_text() == "device"
    assert [text.get_text() for text in legend.get_texts()] == ["dev0", "dev1"]


def boxes(texts):
    return [text.get_window_extent() for text in texts if text.get_text()]


LONG = "pass-through-nvme-on-windows-server"


@pytest.mark.parametrize("name", ["nvme", LONG, "-of-".join([LONG] * 4)])
def test_titles_and_ticks_of_panels_stand_apart(name):
    frame = runs(2, depths=(1, 16, 32, 64)).replace({"device": {"dev0": name}})
    frame["rw"] = frame["numjobs"].map({1: "randread", 4: "randwrite"})
    frame["bs_bytes"] = frame["numjobs"].map({1: 131072, 4: pd.NA})
    axes = ft.plot.sweep(frame, "iops", x="iodepth", hue="device", by=["rw", "bs_bytes"])
    figure = axes[0].get_figure()
    figure.canvas.draw()
    # a condition that is missing is not called None, and no word is broken
    assert [" ".join(ax.get_title(loc="left").split()) for ax in axes] == [
        "randread, 128 KiB",
        "randwrite",
    ]
    assert "randread," in axes[0].get_title(loc="left").split()
    (legend,) = figure.legends
    for texts in ([axes[0]._left_title, axes[1]._left_title], axes[0].get_xticklabels()):
        assert not any(one.x1 > other.x0 for one, other in pairwise(boxes(texts)))
    assert legend.get_window_extent().x1 <= figure.bbox.x1
    for ax in axes:
        assert not ax.get_window_extent().overlaps(legend.get_window_extent())


@pytest.mark.parametrize("metrics", [["iops", "p99"], ("IOPS", "clat_p99")])
def test_a_percentile_is_drawn_beside_the_rate_with_its_limit(metrics):
    depths = ft.read("data/how-many-runs/depth/{iodepth:d}_1.json")
    spec = ft.plot.sweep.spec(depths, metrics, limit="2ms")
    assert [axis.column for axis in spec.ys] == ["iops", "p99_ns"]
    (best,) = ft.best_under(depths, "p99", "2ms")["iodepth"]
    assert [row.x for row in spec.rows if row.mark == "ring"] == [best, best]
    assert "with a p99 below the limit: 46,754 /s at 32" in spec.notes[-1]
    with pytest.raises(ft.SchemaError, match="have one column, p99_ns"):
        ft.plot.sweep.spec(depths, ["p99", "clat_p99"])


def test_a_short_range_is_linear_from_zero():
    frame = pd.DataFrame({"rwmixread_pct": [0, 50, 100] * 2, "iops": [90, 100, 110, 91, 101, 111]})
    ax = ft.plot.sweep(frame, "iops", x="rwmixread_pct")
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "linear")
    assert ax.get_ylim()[0] == 0


def test_an_interval_that_leaves_the_axes_ends_in_an_arrow():
    frame = pd.DataFrame({"iodepth": [1, 1, 64, 64], "iops": [100.0, 900.0, 800.0, 1000.0]})
    ax = ft.plot.sweep(frame, "iops", x="iodepth")
    arrows = [line for line in ax.lines if not line.get_clip_on()]
    assert {line.get_marker() for line in arrows} == {"v", "^"}


def test_panels_do_not_go_on_axes_of_ones_own():
    _, ax = plt.subplots()
    with pytest.raises(ft.SchemaError, match="ax= is 2 matplotlib Axes"):
        ft.plot.sweep(runs(1), "iops", x="iodepth", by="numjobs", ax=ax)


@pytest.mark.parametrize("rounds", [1, 5])
@pytest.mark.parametrize("count", [1, 7, 10])
def test_a_grid_has_a_value_in_each_cell(count, rounds):
    frame = runs(1, rounds, depths=range(1, count + 1))
    ax = ft.plot.grid(frame, "iops")
    assert len(ax.texts) == 2 * count
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["1", "4"]
    assert inside(ax.get_figure())
    logs = np.log(frame.set_index(["iodepth", "numjobs"])["iops"])
    middles = np.exp(logs.groupby(["iodepth", "numjobs"]).mean())
    places = {text.get_position(): text.get_text() for text in ax.texts}
    shown = [float(text.replace(",", "")) for _, text in sorted(places.items())]
    assert shown == pytest.approx(middles.tolist(), rel=0.01)


def test_a_grid_without_room_for_values_explains_its_colours():
    ax = ft.plot.grid(runs(1, 1, depths=range(1, 31)), "iops")
    assert not ax.texts
    assert len([one for one in ax.child_axes if one.axison]) == 1


def test_grids_that_share_their_rows_have_the_first_at_the_top():
    _, axes = plt.subplots(1, 2, sharey=True)
    for ax in axes:
        ft.plot.grid(runs(1), "iops", ax=ax)
    assert [tuple(ax.get_ylim()) for ax in axes] == [(2, 0), (2, 0)]


def test_a_grid_of_ratios_is_of_one_level():
    frame = runs(3)
    cmp = ft.compare(frame, "iops", between="device", baseline="dev0", by=["iodepth", "numjobs"])
    ax = ft.plot.grid(cmp[cmp["device"] == "dev2"])
    assert {text.get_text()[-1] for text in ax.texts} == {"x"}
    assert "dev2 / dev0" in said(ax)
    with pytest.raises(ft.SchemaError, match="several rows"):
        ft.plot.grid(cmp)


def test_rows_without_a_value_are_counted():
    frame = pd.DataFrame({"iodepth": [1, 1, 4, 4], "iops": [10.0, 12.0, 20.0, None]})
    ax = ft.plot.sweep(frame, "iops", x="iodepth")
    assert "rows without a value: 1" in " ".join(said(ax).split())
