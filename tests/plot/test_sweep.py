"""Sweeps: lines over a condition, panels of them, and grids of two conditions."""

from __future__ import annotations

import math

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


def test_names_of_lines_have_the_order_of_their_right_ends():
    ax = ft.plot.sweep(runs(3, jobs=(1,)), "iops", x="iodepth", hue="device")
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


@pytest.mark.parametrize("metrics", [["iops", "p99"], ("IOPS", "clat_p99")])
def test_the_best_below_a_limit_is_ringed_in_both_panels(metrics):
    depths = ft.read("data/how-many-runs/depth/{iodepth:d}_1.json")
    spec = ft.plot.sweep.spec(depths, metrics, limit="2ms")
    assert [axis.column for axis in spec.ys] == ["iops", "p99_ns"]
    (best,) = ft.best_under(depths, "p99", "2ms")["iodepth"]
    for name in spec.panels:
        assert [row.x for row in spec.panel(name).rows if row.mark == "ring"] == [best]
    assert "with a p99 below the limit: 46,754 /s at 32" in spec.notes[-1]
    with pytest.raises(ft.SchemaError, match="have one column, p99_ns"):
        ft.plot.sweep.spec(depths, ["p99", "clat_p99"])


def test_points_of_curves_are_dodged():
    ax = ft.plot.sweep(runs(2, jobs=(1,)), "iops", x="iodepth", hue="device")
    ax.figure.draw_without_rendering()
    places = {}
    for line in ax.lines:
        moved = line.get_transform() != ax.transData
        if moved and len(line.get_xdata()) and line.get_xdata()[0] == 1:
            pixels = line.get_transform().transform(line.get_xydata())
            places.setdefault(line.get_color(), set()).add(pixels[0, 0])
    assert not math.isclose(*(min(own) for own in places.values()), abs_tol=1)


def test_an_interval_that_leaves_the_axes_ends_in_an_arrow():
    frame = pd.DataFrame({"iodepth": [1, 1, 64, 64], "iops": [100.0, 900.0, 800.0, 1000.0]})
    ax = ft.plot.sweep(frame, "iops", x="iodepth")
    arrows = [line for line in ax.lines if not line.get_clip_on()]
    assert {line.get_marker() for line in arrows} == {"v", "^"}


def test_rows_without_a_value_are_counted():
    frame = pd.DataFrame({"iodepth": [1, 1, 4, 4], "iops": [10.0, 12.0, 20.0, None]})
    assert "rows without a value: 1" in said(ft.plot.sweep(frame, "iops", x="iodepth"))


# --- grids ----------------------------------------------------------------------------------------


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
    named = {"between": "device", "baseline": "dev0", "by": ["iodepth", "numjobs"]}
    cmp = ft.compare(runs(3), "iops", **named)
    ax = ft.plot.grid(cmp[cmp["device"] == "dev2"])
    assert {text.get_text()[-1] for text in ax.texts} == {"x"}
    assert "dev2 / dev0" in said(ax)
    with pytest.raises(ft.SchemaError, match="several rows"):
        ft.plot.grid(cmp)
