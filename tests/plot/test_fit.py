"""Words are on the figure and apart: few and many levels, awkward data, small and shared Axes."""

from __future__ import annotations

from itertools import pairwise

import matplotlib.pyplot as plt
import pandas as pd
import pytest
import seaborn as sns

import fiotools as ft
from fiotools.errors import SchemaError
from tests.plot import kinds
from tests.plot.kinds import KINDS, said

LONG = "/mnt/disk/by-id/nvme-eui.00253858140-with_a_very_long_name_of_eighty_letters/{}"
CURVES = ("repeats-hue", "sweep", "sweep-both", "percentiles", "tails", "cdf", "series")
# one has Axes for each metric, and one is a page of text
ON_AXES = [kind for kind in KINDS if kind not in ("sweep-both", "credibility")]
each_kind = pytest.mark.parametrize("kind", KINDS)
on_axes = pytest.mark.parametrize("kind", ON_AXES)


def names(count):
    return [f"dev{at}" for at in range(count)]


def drawn(kind, *given, **named):
    """Draw a kind without a warning; its words are on the figure and not on each other."""
    figure = kinds.figure_of(KINDS[kind](kinds.runs(*given), **named))
    assert not kinds.faults(figure)
    return figure


@pytest.mark.parametrize("rounds", [1, 5])
@pytest.mark.parametrize("levels", [1, 7, 30])
@each_kind
def test_levels_and_runs(kind, levels, rounds):
    if levels == 30 and kind in CURVES:
        with pytest.raises(SchemaError, match=r"30 (curves|colours) .* keep some, .*, at most 12"):
            KINDS[kind](kinds.runs(names(levels), rounds))
    else:
        drawn(kind, names(levels), rounds)


@pytest.mark.parametrize("rounds", [1, 5])
@each_kind
def test_long_names_leave_room_for_the_plot(kind, rounds):
    figure = drawn(kind, [LONG.format(at) for at in range(7)], rounds)
    widest = max(ax.get_window_extent().width for ax in figure.axes)
    assert widest > 0.2 * figure.bbox.width


def test_long_names_are_not_broken_within_a_word():
    name = "/mnt/a/very/long/mount/point/nvme0n1p2-{}-with-a-write-cache-in-front-of-a-mirror"
    ax = KINDS["repeats"](kinds.runs([name.format(at) for at in range(6)], 3))
    lines = ax.get_yticklabels()[0].get_text().splitlines()
    assert all(line.endswith(("/", "-")) for line in lines[:-1])


@each_kind
def test_a_value_a_thousand_times_the_others(kind):
    drawn(kind, names(3), 2, [1, 1000, 1.5])


@pytest.mark.parametrize("kind", ["sweep", "percentiles", "series"])
def test_curves_that_end_at_one_value(kind):
    drawn(kind, names(3), 1, [1.0, 1.0, 1.0])


@each_kind
def test_a_seaborn_poster(kind):
    with plt.rc_context():
        sns.set_context("poster")
        drawn(kind, names(3), 2)


@pytest.mark.parametrize("size", ["column", "page"])
@each_kind
def test_a_size_for_print_cuts_no_word(kind, size):
    with ft.plot.style(size):
        figure = drawn(kind, names(3), 3)
    assert figure.get_figwidth() == {"column": 3.4, "page": 7.0}[size]


# the words in cells are cut with them
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "grid"])
def test_a_title_and_limits_may_be_set_later(kind):
    figure = drawn(kind, names(3), 3)
    for ax in figure.axes:
        ax.set_title("A title of mine")
        low, high = ax.get_ylim()
        is_log = ax.get_yscale() == "log"
        ax.set_ylim(low, (low * high) ** 0.5 if is_log else 0.4 * low + 0.6 * high)
    assert not kinds.faults(figure)


@pytest.mark.parametrize("kind", ["repeats", "repeats-hue", "sweep", "grid"])
def test_a_dollar_sign_begins_no_formula(kind):
    odd = "$HOME/a_b$"
    figure = drawn(kind, [odd, "$x$ $y$"], 1)
    texts = [text for text in figure.findobj(plt.Text) if text.get_visible()]
    written = [text for text in texts if odd in text.get_text()]
    assert written
    assert not [text for text in written if text.get_parse_math()]


def test_ratios_of_many_cells():
    runs = pd.DataFrame(
        [
            {"mount": mount, "bs": bs, "rw": rw, "real_s": base * factor}
            for mount, base in (("baseline volume", 10.0), ("another volume", 1.2))
            for bs, factors in (("64k", (0.97, 1.0, 1.04)), ("1M", (1.0,)))
            for rw in ("randread", "randwrite")
            for factor in factors
        ]
    )
    told = ft.speedup(runs, "real_s", between="mount", baseline="baseline volume", by=["bs", "rw"])
    ax = ft.plot.ratios(told)
    assert not kinds.faults(ax.figure)
    assert said(ax).endswith("so chance is not ruled out")


def test_close_limits_are_named_apart():
    limits = {"USB 3": 4.9e7, "SATA": 5e7, "the file system": 5.05e7, "half": 3e7, "same": 5e7}
    frame = kinds.runs(names(2), 1)
    ax = ft.plot.repeats(frame, "bw_bytes_per_s", y="device", ceilings=limits)
    assert not kinds.faults(ax.figure)
    assert "SATA: 50.0 MB/s, same: 50.0 MB/s" in [text.get_text() for text in ax.texts]


# --- panels ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "roles"),
    [
        ("sweep", {"x": "iodepth"}),
        ("repeats", {"y": "iodepth"}),
        ("grid", {"x": "round", "y": "iodepth"}),
    ],
)
def test_twelve_panels(kind, roles):
    frame = kinds.swept(kinds.runs(names(12), 1))
    axes = getattr(ft.plot, kind)(frame, "iops", by="device", **roles)
    assert len(axes) == 12
    assert not kinds.faults(axes[0].get_figure())


VOLUME = "pass-through-nvme-on-windows-server"


@pytest.mark.parametrize("name", ["nvme", VOLUME, "-of-".join([VOLUME] * 4)])
def test_titles_ticks_and_the_legend_of_panels(name):
    frame = kinds.swept(kinds.runs([name, "dev1"], 4))
    frame["rw"] = frame["round"].map(lambda at: ("randread", "randwrite")[at % 2])
    frame["bs_bytes"] = frame["rw"].map({"randread": 131072, "randwrite": pd.NA})
    axes = ft.plot.sweep(frame, "iops", x="iodepth", hue="device", by=["rw", "bs_bytes"])
    figure = axes[0].get_figure()
    figure.canvas.draw()
    # a condition that is missing is not called None, and no word is broken
    titles = [ax.get_title(loc="left").split() for ax in axes]
    assert titles == [["randread,", "128", "KiB"], ["randwrite"]]
    for texts in ([ax._left_title for ax in axes], axes[0].get_xticklabels()):
        boxes = [text.get_window_extent() for text in texts if text.get_text()]
        assert not any(one.x1 > other.x0 for one, other in pairwise(boxes))
    (legend,) = figure.legends
    assert legend.get_window_extent().x1 <= figure.bbox.x1
    for ax in axes:
        assert not ax.get_window_extent().overlaps(legend.get_window_extent())


def test_long_names_of_lines_leave_room_for_panels():
    long = "a very long name of a workload that is mixed 70/30 and synchronous"
    frame = kinds.swept(kinds.runs(["read", "write", long], 2)).assign(host="a")
    axes = ft.plot.sweep(frame, "iops", x="iodepth", hue="device", by="host")
    figure = axes[0].get_figure()
    assert not kinds.faults(figure)
    assert axes[0].get_window_extent().width > 0.5 * figure.bbox.width


# --- Axes of one's own ----------------------------------------------------------------------------


# `parts` has long words beside its bars
@pytest.mark.parametrize("style", [False, True], ids=["", "style"])
@pytest.mark.parametrize("kind", [kind for kind in ON_AXES if kind != "parts"])
def test_a_column_of_a_page(kind, style):
    with plt.rc_context():
        if style:
            ft.plot.style()
        drawn(kind, names(3), 2, ax=plt.subplots(figsize=(3.3, 2.6))[1])


@on_axes
def test_dark_axes_have_light_words_and_no_white_boxes(kind):
    with plt.style.context("dark_background"):
        _, ax = plt.subplots(figsize=(6, 3))
        drawn(kind, names(3), 2, ax=ax)
    boxes = [text.get_bbox_patch() for text in ax.texts]
    assert not [box for box in boxes if box and box.get_facecolor()[:3] == (1, 1, 1)]
    if kind != "grid":  # its words are on colours
        assert not [text for text in ax.texts if text.get_color() == "black"]
    assert not [line for line in ax.lines if line.get_color() in ("black", "#000000")]


NARROW = ("repeats-slowest", "ratios", "repeats", "series", "heatmap", "percentiles")


@pytest.mark.parametrize("kind", NARROW)
def test_six_plots_of_two_inches(kind):
    figure, axes = plt.subplots(2, 3, figsize=(7.5, 5))
    for ax in axes.flat:
        KINDS[kind](kinds.runs(names(3), 2), ax=ax)
    assert not kinds.faults(figure)


@pytest.mark.parametrize("log", [False, True])
def test_ticks_of_millions_on_two_inches(log):
    _, ax = plt.subplots(figsize=(2.5, 2))
    frame = kinds.means(kinds.runs(names(3), 1)).assign(iops=[4e5, 7e6, 3.1e7])
    ft.plot.repeats(frame, "iops", y="device", log=log, ax=ax)
    assert not kinds.faults(ax.figure)


def test_a_subfigure_is_as_narrow_as_it_is():
    figure = plt.figure(figsize=(10, 3), layout="constrained")
    left, _ = figure.subfigures(1, 2, width_ratios=[1, 3])
    drawn("repeats", names(3), 2, ax=left.subplots())


@pytest.mark.parametrize("layout", [None, "tight"], ids=str)
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "sweep-both"])
def test_nothing_runs_into_the_neighbour(kind, layout):
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.5), layout=layout)
    assert KINDS[kind](kinds.runs(["a long name of a disk", "b", "c"], 2), ax=left) is left
    right.plot([0, 1], [0, 1])
    right.set_ylabel("mine")
    figure.canvas.draw()
    whole, beside = left.get_tightbbox(), right.get_tightbbox()
    assert whole.x1 <= beside.x0 + 1
    assert min(whole.x0, whole.y0) >= -1
    assert whole.y1 <= figure.bbox.height + 1
    # a page of text is not in the layout, and keeps to its Axes by itself
    for text in left.texts:
        assert text.get_window_extent().x1 <= beside.x0


def test_two_panels_of_one_kind_stand_beside_each_other():
    figure, axes = plt.subplots(1, 2, figsize=(12, 4.5))
    assert list(KINDS["sweep-both"](kinds.runs(["a"], 1), ax=axes)) == list(axes)
    figure.canvas.draw()
    assert axes[0].get_tightbbox().x1 <= axes[1].get_tightbbox().x0 + 1


@pytest.mark.parametrize("wide", [4, 7])
def test_words_below_axes_of_ones_own_take_one_line_and_a_description_has_all(wide, tmp_path):
    figure, axes = plt.subplots(2, 1, figsize=(wide, 6))
    both = kinds.swept(kinds.runs(names(3), 2)), ["iops", "lat_mean"]
    upper, lower = ft.plot.sweep(*both, x="iodepth", hue="device", ax=axes)
    assert said(upper) == "queue depth"
    (note,) = ft.plot.sweep.spec(*both, x="iodepth", hue="device").notes
    assert said(lower) == ("queue depth" if wide == 4 else f"queue depth {note}")
    (file,) = ft.plot.save(figure, tmp_path / "a.svg")
    assert f"; {note}" in file.read_text(encoding="utf-8")


def test_a_text_of_the_callers_may_stand_on_narrow_axes():
    figure, axes = plt.subplots(1, 3)
    axes[0].text(0.5, 0.5, "mine", transform=axes[0].transAxes)
    KINDS["repeats"](kinds.runs(names(3), 1), ax=axes[0])
    figure.canvas.draw()
    assert axes[0].texts[0].get_text() == "mine"


def test_what_somebody_arranged_stays(monkeypatch):
    # as it is where nobody called plot.style()
    monkeypatch.setitem(plt.rcParams, "figure.constrained_layout.use", False)
    figure, (left, _) = plt.subplots(1, 2)
    figure.subplots_adjust(bottom=0.3)
    KINDS["timings"](kinds.runs(names(3), 1), ax=left)
    assert figure.get_layout_engine() is None
    figure, (left, right) = plt.subplots(1, 2)
    figure.colorbar(right.imshow([[0, 1]]), ax=right)
    KINDS["timings"](kinds.runs(names(3), 1), ax=left)
    assert figure.get_layout_engine() is None


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("rates", [(1e6, 10.0), (10.0, 1e6)])
def test_a_shared_axis_holds_what_was_drawn_on_each(rates, log):
    _, axes = plt.subplots(2, 1, sharex=True)
    for ax, rate in zip(axes, rates, strict=True):
        frame = pd.DataFrame({"device": ["a", "b"], "iops": [rate, 2 * rate]})
        ft.plot.repeats(frame, "iops", y="device", log=log, ax=ax)
    low, high = axes[0].get_xlim()
    assert low < 10 < 2e6 < high
