"""Plots on narrow Axes in a grid: their words stay on the figure and apart from each other."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest
from matplotlib.axes import Axes

import fiotools as ft
from tests.plot import kinds
from tests.plot.kinds import said

NAMES = [f"dev{at}" for at in range(3)]

FITTING = {
    "throughput": lambda f, ax: kinds.singles(kinds.means(f), "iops", y="device", ax=ax),
    "throughput of large numbers": lambda f, ax: kinds.singles(
        kinds.means(f).assign(iops=[4e5, 7e6, 3e7]), "iops", y="device", ax=ax
    ),
    "latency": lambda f, ax: kinds.slowest(kinds.means(f), y="device", ax=ax),
    "latency on a logarithmic axis": lambda f, ax: kinds.slowest(
        kinds.means(f).assign(lat_mean_ns=[1e5, 3e6, 9e7]), y="device", log=True, ax=ax
    ),
    "ratios": lambda f, ax: ft.plot.ratios(kinds.against_the_first(f), ax=ax),
    "repeats": lambda f, ax: ft.plot.repeats(f, "iops", y="device", ax=ax),
    "sweep": lambda f, ax: ft.plot.sweep(kinds.swept(f), "iops", x="iodepth", ax=ax),
    "series": lambda f, ax: ft.plot.series(kinds.samples(f), "iops", hue="device", ax=ax),
    "heatmap": lambda f, ax: ft.plot.heatmap(kinds.bins_over_time(f), ax=ax),
    "percentiles": lambda f, ax: ft.plot.percentiles(kinds.tail(f), hue="device", ax=ax),
}


def right_of_points(ax: Axes):
    """The right ends of the texts beside points, in shares of the Axes."""
    renderer = ax.figure.canvas.get_renderer()
    boxes = [text.get_window_extent(renderer) for text in ax.texts]
    return [(box.x1 - ax.bbox.x0) / ax.bbox.width for box in boxes]


@pytest.mark.parametrize("kind", FITTING)
def test_six_plots_of_two_inches(kind):
    figure, axes = plt.subplots(2, 3, figsize=(7.5, 5))
    for ax in axes.flat:
        FITTING[kind](kinds.runs(NAMES, 2), ax)
    assert not kinds.faults(figure)


def test_a_subfigure_is_as_narrow_as_it_is():
    figure = plt.figure(figsize=(10, 3), layout="constrained")
    left, _ = figure.subfigures(1, 2, width_ratios=[1, 3])
    ft.plot.repeats(kinds.runs(NAMES, 2), "iops", y="device", ax=left.subplots())
    assert not kinds.faults(figure)


@pytest.mark.parametrize("wide", [4, 7])
def test_words_below_axes_of_ones_own_take_one_line_and_a_description_has_all(wide, tmp_path):
    figure, axes = plt.subplots(2, 1, figsize=(wide, 6))
    upper, lower = kinds.both(kinds.swept(kinds.runs(NAMES, 2)), hue="device", ax=axes)
    assert said(upper) == "queue depth"
    (note,) = ft.plot.sweep.spec(
        kinds.swept(kinds.runs(NAMES, 2)), ["iops", "lat_mean"], x="iodepth", hue="device"
    ).notes
    assert said(lower) == ("queue depth" if wide == 4 else f"queue depth {note}")
    (file,) = ft.plot.save(figure, tmp_path / "a.svg")
    assert f"; {note}" in file.read_text(encoding="utf-8")


def test_long_names_of_lines_leave_room_for_panels():
    long = "a very long name of a workload that is mixed 70/30 and synchronous"
    frame = kinds.swept(kinds.runs(["read", "write", long], 2)).assign(host="a")
    axes = ft.plot.sweep(frame, "iops", x="iodepth", hue="device", by="host")
    figure = axes[0].get_figure()
    assert not kinds.faults(figure)
    assert axes[0].get_window_extent().width > 0.5 * figure.bbox.width


def test_a_shared_logarithmic_axis_holds_what_was_drawn_before():
    _, (upper, lower) = plt.subplots(2, 1, sharex=True)
    frame = kinds.means(kinds.runs(NAMES, 1))
    kinds.singles(frame.assign(iops=[1e6, 2e6, 3e6]), "iops", y="device", log=True, ax=upper)
    kinds.singles(frame.assign(iops=[10.0, 20, 30]), "iops", y="device", log=True, ax=lower)
    low, high = upper.get_xlim()
    assert low < 10 < 3e6 < high
