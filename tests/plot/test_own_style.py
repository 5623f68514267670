"""Plots in a style of one's own: colours, sizes, and what is set after a plot was drawn."""

from __future__ import annotations

from itertools import pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
import seaborn as sns
from matplotlib.colors import to_hex, to_rgba

import fiotools as ft
from fiotools.plot import look
from tests.plot import kinds
from tests.plot.kinds import KINDS

DEVICES = ["dev0", "dev1", "dev2"]
# what a legend shows that somebody asks for later; maps and tables of values have none
ONE = ["I/Os per second"]
LABELS = {
    "repeats-hue": DEVICES,
    "repeats-log": ONE,
    "repeats-slowest": ["mean total latency, from request to completion"],
    "ratios": ["ratio of I/Os per second, new / old"],
    "repeats": ONE,
    "sweep": DEVICES,
    "sweep-both": DEVICES,
    "grid": [],
    "fairness": ONE,
    "percentiles": DEVICES,
    "percentiles-rows": ["p50", "p99", "p99.9", "mean"],
    "tails": [f"{device} / old" for device in DEVICES],
    "cdf": DEVICES,
    "heatmap": [],
    "series": DEVICES,
    "series-steady": ["I/Os per second (read)"],
    "threads": [],
    "parts": ["cause", "part", "together"],
    "timings": ["user CPU", "system CPU", "wall time beyond CPU"],
    "credibility": ["impossible", "suspect"],
}


def draw(kind, count=3):
    return np.ravel(KINDS[kind](kinds.runs(DEVICES[:count], 3)))


@pytest.mark.parametrize("kind", KINDS)
def test_a_legend_may_be_asked_for_later(kind):
    assert draw(kind)[0].get_legend_handles_labels()[1] == LABELS[kind]


CURVES = ["sweep", "percentiles", "tails", "cdf", "series"]


@pytest.mark.parametrize("kind", CURVES)
def test_a_legend_that_is_asked_for_later_is_the_only_one(kind):
    (ax,) = draw(kind)
    there = {text.get_text() for text in ax.texts if text.get_visible()}
    assert there >= {*LABELS[kind]}
    handles = ax.legend().legend_handles
    ax.figure.canvas.draw()
    assert not {text.get_text() for text in ax.texts if text.get_visible()} & {*LABELS[kind]}
    assert [one.get_marker() for one in handles] == ["o", "s", "D"]


def test_the_legend_on_axes_of_ones_own_is_replaced():
    _, ax = plt.subplots()
    ft.plot.series(kinds.samples(kinds.runs(DEVICES, 1)), "iops", hue="device", ax=ax)
    before = ax.get_legend()
    assert [text.get_text() for text in before.get_texts()] == DEVICES
    ax.legend(loc="upper left")
    assert before not in ax.get_children()
    assert not ax.figure.legends


def test_leaving_a_style_undoes_it():
    before = {name: mpl.rcParams[name] for name in ("font.size", "svg.fonttype", "axes.grid")}
    with ft.plot.style("column") as style:
        assert repr(style) == "style column"
        assert mpl.rcParams["font.size"] == 8
        assert mpl.rcParams["pdf.fonttype"] == 42
    assert {name: mpl.rcParams[name] for name in before} == before
    assert draw("series")[0].figure.get_figwidth() == 7
    with ft.plot.style():
        assert mpl.rcParams["font.family"] == ["DejaVu Sans", "sans-serif"]
        assert mpl.rcParams["svg.hashsalt"] == "fiotools"


def test_a_title_replaces_the_name_of_a_panel():
    frame = kinds.runs(["a", "b"], 2)
    axes = ft.plot.repeats(frame, "iops", y="round", by="device")
    axes[0].set_title("mine", loc="center")
    axes[0].figure.canvas.draw()
    assert [ax.get_title("left") for ax in axes] == ["", "b"]


@pytest.mark.parametrize(
    ("palette", "expected"),
    [
        (["red", "green", "blue"], ["#ff0000", "#008000", "#0000ff"]),
        ({"dev2": "red", "dev0": "green", "dev1": "blue"}, ["#008000", "#0000ff", "#ff0000"]),
        ("husl", sns.color_palette("husl", 3).as_hex()),
    ],
)
def test_a_palette_is_a_list_a_mapping_or_a_name(palette, expected):
    frame = kinds.samples(kinds.runs(DEVICES, 1))
    ax = ft.plot.series(frame, "iops", hue="device", palette=palette)
    handles, names = ax.get_legend_handles_labels()
    assert names == DEVICES
    assert [to_hex(one.get_color()) for one in handles] == expected


def test_cells_take_colours_from_low_to_high():
    frame = kinds.swept(kinds.runs(DEVICES, 1))
    named = {"x": "iodepth", "y": "device"}
    ax = ft.plot.grid(frame, "iops", palette=["white", "red"], **named)
    assert to_hex(ax.collections[0].get_cmap()(1.0)) == "#ff0000"


def test_the_palette_that_was_set_is_taken():
    runs = ft.example("how-many-runs").where("workload=randread")
    with sns.color_palette(["red", "black"]):
        axes = ft.plot.percentiles(runs, hue="filesystem")
    colours = {to_hex(line.get_color()) for line in axes.lines}
    assert {"#ff0000", "#000000"} <= colours
    assert "#0072b2" not in colours


def test_neighbours_differ_in_greyscale():
    greys = [look.luminance(to_rgba(colour)) for colour in look.PALETTE]
    assert all(abs(one - other) > 0.1 for one, other in pairwise(greys[:4]))
    assert np.ptp(greys) > 0.5
