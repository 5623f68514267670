"""Every kind of plot with few and many levels, and with awkward data, asked by its artists."""

from __future__ import annotations

import inspect
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import seaborn as sns

import fiotools as ft
from fiotools.plot import common, fit_text
from tests.conftest import needs_letters
from tests.plot import kinds
from tests.plot.kinds import KINDS

each_kind = pytest.mark.parametrize("kind", KINDS)
LONG = "/mnt/disk/by-id/nvme-eui.00253858140-with_a_very_long_name_of_eighty_letters/{}"


def names(count):
    return [f"dev{at}" for at in range(count)]


def drawn(kind, *given):
    """Draw a kind without a warning; its words are on the figure and not on each other."""
    draw, count = KINDS[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = kinds.figure_of(draw(kinds.runs(*given)))
        assert not kinds.faults(figure)
    return figure, count


def on(monkeypatch, figure_size):
    """Have plots drawn on Axes of one's own."""
    _, ax = plt.subplots(figsize=figure_size)
    old = common.axes
    monkeypatch.setattr(common, "axes", lambda given, rows: old(given or ax, rows))
    return ax


def test_every_kind_is_here():
    kind = {name.partition("-")[0] for name in KINDS}
    assert kind == {*ft.plot.__all__} - {"save", "style", "title", "plan"}  # plan has no levels
    assert inspect.signature(ft.plot.plan).parameters.keys() == {"frame", "ax"}


@pytest.mark.parametrize("rounds", [1, 5])
@pytest.mark.parametrize("levels", [1, 7, 30])
@each_kind
def test_levels_and_runs(kind, levels, rounds):
    figure, count = drawn(kind, names(levels), rounds)
    if wanted := count(levels, rounds):
        assert kinds.marks(figure) == wanted


@each_kind
def test_long_names_leave_room_for_the_plot(kind):
    figure, _ = drawn(kind, [LONG.format(at) for at in range(4)], 1)
    widest = max(ax.get_window_extent().width for ax in figure.axes)
    assert widest > 0.2 * figure.bbox.width


@each_kind
def test_an_outlier(kind):
    """A value a thousand times the others."""
    drawn(kind, names(3), 2, [1, 1000, 1.5])


@each_kind
def test_seaborn_poster(kind):
    with plt.rc_context():
        sns.set_context("poster")
        drawn(kind, names(3), 2)


OWN_AXES = [kind for kind in KINDS if kind not in ("load", "credibility")]


@pytest.mark.parametrize("kind", OWN_AXES)
def test_a_column_of_a_page(monkeypatch, kind):
    on(monkeypatch, (3.3, 2.6))
    drawn(kind, names(3), 2)


@pytest.mark.parametrize("kind", ["throughput", "ratios", "repeats", "sweep", "tails", "shifts"])
def test_dark_axes_have_light_words_and_no_white_boxes(monkeypatch, kind):
    with plt.style.context("dark_background"):
        ax = on(monkeypatch, (6, 3))
        drawn(kind, names(3), 2)
    boxes = [text.get_bbox_patch() for text in ax.texts]
    assert not [box for box in boxes if box and box.get_facecolor()[:3] == (1, 1, 1)]
    assert not [text for text in ax.texts if text.get_color() == "black"]
    assert not [patch for patch in ax.patches if min(patch.get_facecolor()[:3]) > 0.5]


def test_more_lines_than_colours_are_told_apart():
    looks = common.looks(names(28), plt.subplots()[1])
    assert len(set(looks)) == 28
    figure, _ = drawn("throughput-hue", names(14), 1)
    shown = {
        (line.get_color(), line.get_marker())
        for line in figure.axes[0].lines
        if line.get_linestyle() == "None"
    }
    assert len(shown) == 14


@pytest.mark.parametrize("facets", [ft.plot.sweep, ft.plot.history])
def test_twelve_panels(facets):
    frame = kinds.swept(kinds.runs(names(12), 2))
    axes = facets(frame, "iops", x="iodepth", by="device")
    assert len(axes) == 12
    assert not kinds.faults(axes[0].get_figure())


def comparison(ratios):
    return pd.DataFrame(
        {
            "fs": names(len(ratios)),
            "baseline": "x",
            "metric": "iops",
            "n": 3,
            "n_baseline": 3,
            "ratio": ratios,
            "ratio_lo": [0.9 * ratio for ratio in ratios],
            "ratio_hi": [1.1 * ratio for ratio in ratios],
        }
    )


@pytest.mark.parametrize("ratio", [3000.0, 0.00031, 1e7])
def test_large_ratios_are_written_without_an_exponent(ratio):
    ax = ft.plot.ratios(comparison([1.2, ratio]))
    assert not kinds.faults(ax.figure)
    written = [text.get_text() for text, _ in kinds.texts(ax.figure)]
    assert not [text for text in written if "e+" in text or "e-" in text]
    assert "1x" in written


def test_latencies_from_tenths_of_a_millisecond_to_seconds():
    frame = kinds.runs(names(3), 1, [1, 300, 90_000])
    ax = ft.plot.latency(frame, y="device")
    assert not kinds.faults(ax.figure)
    assert [text.get_text().split()[-1] for text in ax.texts] == ["µs", "s", "s"]


def test_close_limits_are_named_apart():
    frame = kinds.runs(names(2), 1)
    limits = {"USB 3": 4.9e7, "SATA": 5e7, "the file system": 5.05e7, "half": 3e7, "same": 5e7}
    ax = ft.plot.throughput(frame, y="device", ceilings=limits)
    assert not kinds.faults(ax.figure)
    assert "SATA, same: 50.0 MB/s" in [text.get_text() for text in ax.texts]


@pytest.mark.parametrize("kind", ["throughput", "throughput-hue", "sweep", "grid", "history"])
def test_a_dollar_sign_begins_no_formula(kind):
    odd = "$HOME/a_b$"
    figure, _ = drawn(kind, [odd, "$x$ $y$"], 1)
    texts = [text for text in figure.findobj(plt.Text) if text.get_visible()]
    written = [text for text in texts if odd in text.get_text()]
    assert written
    assert not [text for text in written if text.get_parse_math()]


def test_the_seventh_colour_is_seen_on_dark_axes():
    with plt.style.context("dark_background"):
        _, ax = plt.subplots()
        ft.plot.throughput(kinds.runs(names(7), 1).assign(host="a"), y="host", hue="device", ax=ax)
    assert not [line for line in ax.lines if line.get_color() in ("black", "#000000")]


@needs_letters
@each_kind
def test_japanese_names_take_their_letters_from_an_installed_font(kind):
    drawn(kind, ["データベース", "速い円盤", "遅い円盤"], 2)


@needs_letters
def test_japanese_names_take_their_letters_from_the_fonts_of_the_user(monkeypatch):
    fit_text.load_font("ja")
    monkeypatch.setattr(fit_text, "_installed", list)
    with plt.rc_context({"font.family": "IPAexGothic"}):
        drawn("throughput", ["円盤", "速い円盤"], 2)


@needs_letters
@pytest.mark.parametrize("kind", ["latency", "percentiles", "heatmap"])
def test_a_japanese_font_of_the_user_need_not_have_the_letters_of_units(monkeypatch, kind):
    fit_text.load_font("ja")
    with plt.rc_context({"font.family": "IPAexGothic"}):
        on(monkeypatch, (6, 3))
        drawn(kind, names(3), 1)


def test_japanese_names_without_the_font_keep_their_places(monkeypatch):
    monkeypatch.setattr(fit_text, "_installed", list)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        ax = ft.plot.throughput(kinds.runs(["円盤", "速い"], 1), "iops", y="device")
        assert not kinds.faults(ax.figure)
    assert any("missing from font" in str(one.message) for one in told)


def test_what_has_no_place_is_counted():
    frame = kinds.runs(names(3), 1).assign(iops=[1.0, np.nan, 3.0])
    assert "rows without a value: 1" in ft.plot.throughput(frame, "iops", y="device").get_xlabel()
    tail = kinds.tail(kinds.runs(names(2), 1))
    ends = tail[tail["percentile"] == 50].assign(percentile=100.0)
    ax = ft.plot.percentiles(pd.concat([tail, ends]), hue="device")
    assert ax.get_xlabel().splitlines()[-1] == "no place on this axis: p100"


def test_values_below_zero_are_on_the_axis():
    frame = kinds.runs(names(3), 1).assign(iops=[-1.0, 2.0, 3.0])
    low, _ = ft.plot.throughput(frame, "iops", y="device").get_xlim()
    assert low < -1


@pytest.mark.parametrize(("hue", "title"), [("device", "device"), ("label", "")])
def test_the_title_of_a_legend_is_the_condition(hue, title):
    frame = kinds.tail(kinds.runs(names(30), 1)).rename(columns={"device": hue})
    legend = ft.plot.percentiles(frame, hue=hue).get_legend()
    assert legend.get_title().get_text() == title
