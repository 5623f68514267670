"""Every kind of plot with few and many levels, and with awkward data: its words are apart."""

from __future__ import annotations

import inspect
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import seaborn as sns

import fiotools as ft
from fiotools.errors import SchemaError
from fiotools.plot import KINDS as EVERY
from fiotools.plot import kind as kind_module
from fiotools.plot import letters
from tests.conftest import needs_letters
from tests.plot import kinds
from tests.plot.kinds import KINDS

each_kind = pytest.mark.parametrize("kind", KINDS)
LONG = "/mnt/disk/by-id/nvme-eui.00253858140-with_a_very_long_name_of_eighty_letters/{}"
CURVES = ("repeats-hue", "sweep", "sweep-both", "percentiles", "tails", "cdf", "series")


def names(count):
    return [f"dev{at}" for at in range(count)]


def drawn(kind, *given):
    """Draw a kind without a warning; its words are on the figure and not on each other."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = kinds.figure_of(KINDS[kind](kinds.runs(*given)))
        assert not kinds.faults(figure)
    return figure


def on(monkeypatch, figure_size):
    """Have plots drawn on Axes of one's own."""
    _, ax = plt.subplots(figsize=figure_size)
    old = kind_module.draw
    monkeypatch.setattr(kind_module, "draw", lambda spec, _, several: old(spec, ax))
    return ax


def test_every_kind_is_here():
    kind = {name.partition("-")[0] for name in KINDS}
    assert (
        kind
        == {*EVERY} - {"parts"}  # these have no levels
        == {*ft.plot.__all__} - {"save", "style", "title", "parts"}
    )


@each_kind
def test_every_kind_has_panels_and_parts_and_takes_axes(kind):
    there = inspect.signature(getattr(ft.plot, kind.partition("-")[0])).parameters
    assert {"by", "title", "palette", "ax"} <= {*there}


@pytest.mark.parametrize("rounds", [1, 5])
@pytest.mark.parametrize("levels", [1, 7, 30])
@each_kind
def test_levels_and_runs(kind, levels, rounds):
    if levels == 30 and kind in CURVES:
        with pytest.raises(SchemaError, match=r"30 (curves|colours) .* keep some, .*, at most 12"):
            KINDS[kind](kinds.runs(names(levels), rounds))
    else:
        drawn(kind, names(levels), rounds)


def test_more_rows_than_can_be_read_are_refused_with_the_filter_to_type():
    frame = kinds.runs(names(41), 1)
    with pytest.raises(SchemaError, match=r"keep some, device == 'dev0', at most 40"):
        ft.plot.repeats(frame, "iops", y="device")


@pytest.mark.parametrize("rounds", [1, 5])
@each_kind
def test_long_names_leave_room_for_the_plot(kind, rounds):
    figure = drawn(kind, [LONG.format(at) for at in range(7)], rounds)
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


OWN_AXES = [kind for kind in KINDS if kind not in ("sweep-both", "credibility")]


@pytest.mark.parametrize("kind", OWN_AXES)
def test_a_column_of_a_page(monkeypatch, kind):
    on(monkeypatch, (3.3, 2.6))
    drawn(kind, names(3), 2)


@pytest.mark.parametrize("kind", OWN_AXES)
def test_a_column_of_a_page_in_our_style(monkeypatch, kind):
    with plt.rc_context():
        ft.plot.style()
        on(monkeypatch, (3.3, 2.6))
        drawn(kind, names(3), 2)


@pytest.mark.parametrize("kind", OWN_AXES)
def test_dark_axes_have_light_words_and_no_white_boxes(monkeypatch, kind):
    with plt.style.context("dark_background"):
        ax = on(monkeypatch, (6, 3))
        drawn(kind, names(3), 2)
    boxes = [text.get_bbox_patch() for text in ax.texts]
    assert not [box for box in boxes if box and box.get_facecolor()[:3] == (1, 1, 1)]
    if kind != "grid":  # its words are on colours
        assert not [text for text in ax.texts if text.get_color() == "black"]
    assert not [line for line in ax.lines if line.get_color() in ("black", "#000000")]


@pytest.mark.parametrize("panels", ["sweep", "repeats", "grid"])
def test_twelve_panels(panels):
    frame = kinds.swept(kinds.runs(names(12), 1))
    role = {"sweep": "x"}.get(panels, "y")
    more = {"x": "round"} if panels == "grid" else {}
    axes = getattr(ft.plot, panels)(frame, "iops", **{role: "iodepth"}, by="device", **more)
    assert len(axes) == 12
    assert not kinds.faults(axes[0].get_figure())


@pytest.mark.parametrize("ratio", [3000.0, 0.00031, 1e7])
def test_large_ratios_are_written_without_an_exponent(ratio):
    ratios = [1.2, ratio]
    frame = pd.DataFrame(
        {
            "fs": names(2),
            "baseline": "x",
            "metric": "iops",
            "ratio": ratios,
            "ratio_lo": [0.9 * one for one in ratios],
            "ratio_hi": [1.1 * one for one in ratios],
        }
    )
    ax = ft.plot.ratios(frame)
    assert not kinds.faults(ax.figure)
    written = [text.get_text() for text, _ in kinds.texts(ax.figure)]
    assert not [text for text in written if "e+" in text or "e-" in text]
    assert "1x" in written


@pytest.mark.parametrize("low", [0.9, 0.99, 1.02, 0.5, 1e-3])
@pytest.mark.parametrize("high", [1.08, 1.5, 30, 3000])
def test_an_axis_of_ratios_has_enough_ticks(low, high):
    frame = pd.DataFrame(
        {"fs": names(2), "baseline": "x", "metric": "iops", "ratio": [low, high]}
    ).assign(ratio_lo=None, ratio_hi=None)
    ax = ft.plot.ratios(frame)
    ax.figure.draw_without_rendering()
    left, right = ax.get_xlim()
    assert len([tick for tick in ax.get_xticks() if left <= tick <= right]) >= 3


def test_a_narrow_axis_has_round_ticks():
    frame = kinds.runs(names(2), 1).assign(iops=[32000.0, 39500.0])
    _, ax = plt.subplots(figsize=(2.4, 2))
    ft.plot.repeats(frame, "iops", y="device", ax=ax)
    ax.figure.draw_without_rendering()
    ticks = [*ax.get_xticks()]
    assert ticks
    assert not [tick for tick in ticks if tick % 1000]


def test_close_limits_are_named_apart():
    frame = kinds.runs(names(2), 1)
    limits = {"USB 3": 4.9e7, "SATA": 5e7, "the file system": 5.05e7, "half": 3e7, "same": 5e7}
    ax = kinds.singles(frame, y="device", ceilings=limits)
    assert not kinds.faults(ax.figure)
    assert "SATA: 50.0 MB/s, same: 50.0 MB/s" in [text.get_text() for text in ax.texts]


@pytest.mark.parametrize("kind", ["repeats", "repeats-hue", "sweep", "grid"])
def test_a_dollar_sign_begins_no_formula(kind):
    odd = "$HOME/a_b$"
    figure = drawn(kind, [odd, "$x$ $y$"], 1)
    texts = [text for text in figure.findobj(plt.Text) if text.get_visible()]
    written = [text for text in texts if odd in text.get_text()]
    assert written
    assert not [text for text in written if text.get_parse_math()]


@needs_letters
@each_kind
def test_japanese_names_take_their_letters_from_an_installed_font(kind):
    drawn(kind, ["データベース", "速い円盤", "遅い円盤"], 2)


@needs_letters
def test_japanese_names_take_their_letters_from_the_fonts_of_the_user(monkeypatch):
    letters.load_font("ja")
    monkeypatch.setattr(letters, "_installed", lambda code: "")
    with plt.rc_context({"font.family": "IPAexGothic"}):
        drawn("repeats", ["円盤", "速い円盤"], 2)


@needs_letters
@pytest.mark.parametrize("kind", ["repeats-slowest", "percentiles", "heatmap"])
def test_a_japanese_font_of_the_user_need_not_have_the_letters_of_units(monkeypatch, kind):
    letters.load_font("ja")
    with plt.rc_context({"font.family": "IPAexGothic"}):
        on(monkeypatch, (6, 3))
        drawn(kind, names(3), 1)


def test_japanese_names_without_the_font_keep_their_places(monkeypatch):
    monkeypatch.setattr(letters, "_installed", lambda code: "")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        ax = kinds.singles(kinds.runs(["円盤", "速い"], 1), "iops", y="device")
        assert not kinds.faults(ax.figure)
    assert any("missing from font" in str(one.message) for one in told)


def test_values_below_zero_are_on_the_axis():
    frame = kinds.runs(names(3), 1).assign(iops=[-1.0, 2.0, 3.0])
    low, _ = kinds.singles(frame, "iops", y="device").get_xlim()
    assert low < -1


@pytest.mark.parametrize(("hue", "title"), [("device", "device"), ("label", "")])
def test_the_title_of_a_legend_is_the_condition(hue, title):
    frame = kinds.runs(names(3), 1).rename(columns={"device": hue}).assign(host="a")
    legend = kinds.singles(frame, y="host", hue=hue).get_legend()
    assert legend.get_title().get_text() == title


@pytest.mark.parametrize("first", [0, 1, 2])
def test_neighbours_differ_in_greyscale(first):
    from matplotlib.colors import to_rgba

    from fiotools.plot.look import PALETTE, luminance

    greys = [luminance(to_rgba(colour)) for colour in PALETTE]
    assert abs(greys[first] - greys[first + 1]) > 0.1
    assert np.ptp(greys) > 0.5
