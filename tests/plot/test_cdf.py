"""Distributions, asked by their steps."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import fiotools as ft
from tests.conftest import FIXTURES
from tests.plot.kinds import said

KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame}


def bins(rows, kind=pd.DataFrame, **more):
    """Make bins of (file system, lower edge, upper edge, count)."""
    names, lows, highs, counts = (list(column) for column in zip(*rows, strict=True))
    columns = {
        "fs": names,
        "latency": "clat",
        "direction": "read",
        "bin_lo_ns": lows,
        "bin_hi_ns": highs,
        "count": counts,
    }
    full = {
        name: column if isinstance(column, list) else [column] * len(rows)
        for name, column in {**columns, **more}.items()
    }
    return kind(full)


# not in order, with an empty bin and a gap
ROWS = [
    ("ext4", 200e3, 250e3, 10),
    ("ext4", 50e3, 100e3, 70),
    ("ext4", 100e3, 120e3, 0),
    ("ext4", 120e3, 150e3, 20),
    ("xfs", 100e3, 250e3, 4),
]


def lower(ax):
    """The lower edge of each curve: [(latency, percent), ...]."""
    return {
        line.get_label(): list(
            zip(map(float, line.get_xdata()), map(float, line.get_ydata()), strict=True)
        )
        for line in ax.lines
    }


def band(ax, number=0):
    """The corners of a curve's band."""
    (path,) = ax.collections[number].get_paths()
    return {(float(x), float(y)) for x, y in path.vertices}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_the_line_is_what_has_ended_and_the_band_what_may_have(kind):
    ax = ft.plot.cdf(bins(ROWS, kind), hue="fs")
    assert {name: sorted(set(curve)) for name, curve in lower(ax).items()} == {
        "ext4": [
            (50e3, 0),
            (100e3, 70),
            (120e3, 70),
            (150e3, 90),
            (200e3, 90),
            (250e3, 100),
        ],
        "xfs": [(100e3, 0), (250e3, 100)],
    }
    assert ax.lines[0].get_drawstyle() == "steps-post"
    corners = band(ax)
    # at the lower edge of a bin, all of it may have ended
    assert {(50e3, 70.0), (120e3, 90.0), (200e3, 100.0)} <= corners
    assert {(100e3, 0.0), (150e3, 70.0), (250e3, 90.0)} <= corners
    assert not {x for x, _ in corners} - {x for x, _ in lower(ax)["ext4"]}, "no place between edges"


def test_the_axes_say_what_they_are():
    ax = ft.plot.cdf(bins(ROWS), hue="fs", order=["xfs", "ext4"])
    assert ax.get_xscale() == "log"
    assert said(ax).splitlines() == [
        "completion latency (read)",
        "band: undecided within a bin",
    ]
    assert ax.get_ylabel() == "I/Os that took no longer"
    assert [label.get_text() for label in ax.get_legend().get_texts()] == ["xfs", "ext4"]
    assert {line.get_marker() for line in ax.lines} == {"o", "s"}, "told apart in greyscale"
    assert "100 µs" in [tick.get_text() for tick in ax.get_xticklabels()]
    assert "100 %" in [tick.get_text() for tick in ax.get_yticklabels()]


def test_markers_are_at_known_points():
    ax = ft.plot.cdf(bins(ROWS), hue="fs")
    points = lower(ax)["ext4"]
    marked = {points[place] for place in ax.lines[0].get_markevery()}
    # the first edges at which 10, 30, 50, 70 and 90 % have surely ended
    assert marked == {(100e3, 70), (150e3, 90)}


def test_percentiles_lie_in_the_band():
    report = ft.read(FIXTURES / "fio" / "fio-3.33--log-hist.json")
    own = report.bins.query("latency == 'clat' and direction == 'read'")
    curve = np.array(lower(ft.plot.cdf(own, hue="direction"))["read"])
    printed = report.percentiles.query("latency == 'clat' and direction == 'read'")
    for share, value in zip(printed["percentile"], printed["value_ns"], strict=True):
        after = curve[curve[:, 0] >= value * (1 - 1e-9)]
        assert after[0, 1] >= share - 1e-9 or after[1, 1] >= share - 1e-9


def test_a_last_bin_without_end_is_never_sure():
    ax = ft.plot.cdf(bins([("a", 1e3, 2e3, 3), ("a", 4e3, np.inf, 1)]), hue="fs")
    assert max(share for _, share in lower(ax)["a"]) == 75
    assert max(share for _, share in band(ax)) == 100
    assert max(x for x, _ in band(ax)) == pytest.approx(ax.get_xlim()[1])


def test_a_first_bin_from_zero_begins_at_the_edge_of_the_axis():
    ax = ft.plot.cdf(bins([("a", 0.0, 2e3, 1), ("a", 2e3, 4e3, 1)]), hue="fs")
    assert min(x for x, _ in band(ax)) == pytest.approx(ax.get_xlim()[0])


def test_one_io_has_a_curve():
    assert lower(ft.plot.cdf(bins(ROWS[4:]), hue="fs")) == {"xfs": [(100e3, 0), (250e3, 100)]}


def test_a_number_is_named_by_its_column():
    ax = ft.plot.cdf(bins(ROWS).assign(thread=[0, 0, 0, 0, 1]).drop(columns="fs"), hue="thread")
    assert list(lower(ax)) == ["thread 0", "thread 1"]


def test_a_legend_that_has_no_room_beside_the_label_is_below_it():
    import matplotlib.pyplot as plt

    ft.plot.style()
    figure, axes = plt.subplots(1, 2, figsize=(7, 3.4))
    for ax in axes:
        ft.plot.cdf(bins(ROWS), hue="fs", ax=ax)
    figure.canvas.draw()
    for ax in axes:
        assert not ax.get_legend().get_window_extent().overlaps(ax.xaxis.label.get_window_extent())


def both(**other):
    return pd.concat([bins(ROWS, run=1, entry=1), bins(ROWS, **{"run": 1, "entry": 1, **other})])


MISTAKES = {
    "empty": (lambda: ft.plot.cdf(bins(ROWS)[:0], hue="fs"), "no rows"),
    "hue": (lambda: ft.plot.cdf(bins(ROWS), hue="fss"), "did you mean 'fs'"),
    "no such order": (lambda: ft.plot.cdf(bins(ROWS), hue="fs", order=["zfs"]), "'ext4', 'xfs'"),
    "no counts": (lambda: ft.plot.cdf(bins(ROWS, count=0), hue="fs"), "no bin has an I/O"),
    "all missing": (lambda: ft.plot.cdf(bins(ROWS, count=np.nan), hue="fs"), "count is missing"),
    "negative": (
        lambda: ft.plot.cdf(bins([("a", -1.0, 2.0, 1)]), hue="fs"),
        "latencies are not below 0",
    ),
    "negative count": (lambda: ft.plot.cdf(bins(ROWS, count=-1), hue="fs"), "counted from 0"),
    "backwards": (lambda: ft.plot.cdf(bins([("a", 5.0, 2.0, 1)]), hue="fs"), "ends at 2"),
    "twice": (
        lambda: ft.plot.cdf(pd.concat([bins(ROWS), bins(ROWS)]), hue="fs"),
        r"'ext4' has a bin several times.*merge_bins\(bins, by='fs'\)",
    ),
    "infinite edge": (lambda: ft.plot.cdf(bins([("a", np.inf, np.inf, 1)]), hue="fs"), "begins at"),
    "directions": (
        lambda: ft.plot.cdf(both(direction="write"), hue="fs"),
        r"rows of 'ext4' differ in direction \(read, write\).*\.query\(\"direction == 'read'\"\)$",
    ),
    "latencies": (lambda: ft.plot.cdf(both(latency="slat"), hue="fs"), "latency == 'clat'"),
    "jobs": (
        lambda: ft.plot.cdf(both(entry=2), hue="fs"),
        r"differ in entry .*or add them up first, merge_bins\(bins, by='fs'\)",
    ),
    "runs": (lambda: ft.plot.cdf(both(run=2), hue="fs"), "differ in run .*merge_bins"),
    "intervals": (
        lambda: ft.plot.cdf(pd.concat([bins(ROWS, time_s=1.0), bins(ROWS, time_s=2.0)]), hue="fs"),
        r"differ in time_s.*merge_bins\(bins, by='fs'\)",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_one_line(mistake):
    draw, said = MISTAKES[mistake]
    with pytest.raises(ft.SchemaError, match=said) as told:
        draw()
    assert "\n" not in str(told.value)
