"""Heat maps, asked by their cells."""

import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest

import fiotools as ft
from fiotools.plot import look
from fiotools.stats.percentiles import merge_bins
from tests.conftest import FIXTURES
from tests.plot import kinds
from tests.plot.kinds import said

KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame}
DECADE = 24


def bins(rows, kind=pd.DataFrame, **more):
    """Make bins of (time, lower edge, upper edge, count)."""
    times, lows, highs, counts = (list(column) for column in zip(*rows, strict=True))
    columns = {
        "source": "a.log",
        "run": 1,
        "entry": 1,
        "direction": "read",
        "latency": "clat",
        "time_s": times,
        "bin_lo_ns": lows,
        "bin_hi_ns": highs,
        "count": counts,
    }
    full = {
        name: column if isinstance(column, list) else [column] * len(rows)
        for name, column in {**columns, **more}.items()
    }
    return kind(full)


def cells(ax):
    """The cells that hold anything: {(left, right, lower, upper): colour as a share}."""
    (mesh,) = ax.collections
    corners, values = mesh.get_coordinates(), mesh.get_array()
    return {
        (
            *map(float, corners[row, column : column + 2, 0]),
            *map(float, corners[row : row + 2, column, 1].round(6)),
        ): float(values[row, column])
        for row, column in zip(*np.nonzero(~np.ma.getmaskarray(values)), strict=True)
    }


def edge(number):
    return round(10 ** (number / DECADE), 6)


# from 100 us on, bins of 5 % and of 10 %, each a cell's half or whole
HALF = [edge(120), round(10 ** (120.5 / DECADE), 6), edge(121), edge(122)]
ROWS = [
    (1.0, HALF[0], HALF[1], 60),
    (1.0, HALF[1], HALF[2], 30),
    (1.0, HALF[2], HALF[3], 10),
    (2.0, HALF[2], HALF[3], 7),
]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_cell_is_the_share_of_its_interval(kind):
    found = cells(ft.plot.heatmap(bins(ROWS, kind)))
    assert found == {
        (0, 1, *HALF[::2][:2]): pytest.approx(0.9, rel=1e-4),
        (0, 1, *HALF[2:]): pytest.approx(0.1, rel=1e-4),
        (1, 2, *HALF[2:]): pytest.approx(1, rel=1e-4),
    }


def test_a_wide_bin_is_one_cell_and_no_denser_than_it_is():
    rows = [(1.0, edge(120), edge(128), 80), (1.0, edge(128), edge(129), 20)]
    found = cells(ft.plot.heatmap(bins(rows)))
    assert found == {
        (0, 1, edge(120), edge(128)): pytest.approx(0.8 / 8, rel=1e-4),
        (0, 1, edge(128), edge(129)): pytest.approx(0.2, rel=1e-4),
    }


def test_every_io_of_a_log_is_in_a_cell():
    log = ft.read(FIXTURES / "fio" / "fio-3.33--log-hist_clat_hist.1.log")
    frame = log.bins.query("direction == 'read'")
    ax = ft.plot.heatmap(frame)
    sums = {}
    for (left, right, low, high), share in cells(ax).items():
        height = math.log10(high / low) * DECADE
        assert height < 1.5
        sums[left, right] = sums.get((left, right), 0) + share * height
    ends = sorted(set(frame["time_s"]))
    assert [right for _, right in sorted(sums)] == ends
    assert sums == {key: pytest.approx(1, rel=1e-3) for key in sums}
    low, high = ax.get_ylim()
    assert low <= frame["bin_lo_ns"].min() < frame["bin_hi_ns"].max() <= high


def test_axes_and_colours_have_names_and_units():
    ax = ft.plot.heatmap(bins([(1.0, 50e3, 52e3, 1000), (2.0, 1e6, 1.02e6, 10), *ROWS[3:]]))
    assert ax.get_ylabel() == "completion latency (read)"
    assert ax.get_yscale() == "log"
    assert [tick.get_text() for tick in ax.get_yticklabels()][:2] == ["50 µs", "100 µs"]
    assert said(ax) == "time since the start (a column: 1 s)"
    (bar,) = (one for one in ax.child_axes if one.axison)
    assert bar.get_ylabel() == "I/Os of the interval\nper 10 % of latency"
    assert "10 %" in [tick.get_text() for tick in bar.get_yticklabels()]
    assert ax.get_title() == ""


def test_where_nothing_is_known_it_is_white():
    first, later = ROWS[0][1:], ROWS[3][1:]
    frame = bins([(1.0, *first), (2.0, *first), (3.0, *first), (9.0, *later)])
    spans = {key[:2] for key in cells(ft.plot.heatmap(frame))}
    assert spans == {(0, 1), (1, 2), (2, 3), (8, 9)}


def test_more_ios_do_not_look_darker():
    rows = [(1.0, edge(120), edge(121), 10), (2.0, edge(120), edge(121), 50_000)]
    found = list(cells(ft.plot.heatmap(bins(rows))).values())
    assert found == pytest.approx([1, 1])


def test_an_interval_of_few_ios_among_full_ones_is_blank():
    full = [(float(end), edge(120), edge(121), 500) for end in (1, 2, 3)]
    ax = ft.plot.heatmap(bins([*full, (4.0, edge(140), edge(141), 4)]))
    assert [left for left, *_ in cells(ax)] == [0, 1, 2]
    assert ax.get_xlim() == (0, 4)
    assert said(ax).endswith(" blank columns: fewer than 10 I/Os")


def test_few_ios_in_every_interval_are_drawn():
    few = [(float(end), edge(120), edge(121), 4) for end in (1, 2, 3)]
    ax = ft.plot.heatmap(bins(few))
    assert len(cells(ax)) == 3
    assert "blank" not in said(ax)


def test_the_first_and_the_last_bin_have_a_place():
    frame = bins([(1.0, 0.0, 128.0, 1), (1.0, 1e9, np.inf, 1)])
    found = cells(ft.plot.heatmap(frame))
    assert len(found) == 2
    assert sorted(found)[1][3] == pytest.approx(1.1e9, rel=0.01)


def test_one_interval_with_one_io():
    assert list(cells(ft.plot.heatmap(bins(ROWS[3:])))) == [(0, 2, *HALF[2:])]


def test_merged_bins_of_several_jobs_are_drawn():
    jobs = pd.concat([bins(ROWS), bins(ROWS, entry=2)])
    ax = ft.plot.heatmap(merge_bins(jobs, by="time_s"))
    assert cells(ax) == pytest.approx(cells(ft.plot.heatmap(bins(ROWS))))


def both(**other):
    return pd.concat([bins(ROWS), bins(ROWS, **other)])


MISTAKES = {
    "empty": (lambda: ft.plot.heatmap(bins(ROWS)[:0]), "no rows"),
    "whole runs": (lambda: ft.plot.heatmap(bins(ROWS, time_s=None)), r"whole runs.*log_hist_msec"),
    "no column": (
        lambda: ft.plot.heatmap(bins(ROWS).drop(columns="time_s")),
        "no column 'time_s'",
    ),
    "missing counts": (lambda: ft.plot.heatmap(bins(ROWS, count=[np.nan] * 4)), "count is missing"),
    "no counts": (lambda: ft.plot.heatmap(bins(ROWS, count=0)), "no bin has an I/O"),
    "negative count": (lambda: ft.plot.heatmap(bins(ROWS, count=-1)), "counted from 0"),
    "negative latency": (
        lambda: ft.plot.heatmap(bins([(1.0, -5.0, 8.0, 1)])),
        "latencies are not below 0",
    ),
    "negative time": (lambda: ft.plot.heatmap(bins(ROWS, time_s=-1.0)), "'time_s' is -1"),
    "infinite time": (lambda: ft.plot.heatmap(bins(ROWS, time_s=np.inf)), "infinite"),
    "text": (lambda: ft.plot.heatmap(bins(ROWS, time_s="now")), "must be a number"),
    "no edge": (lambda: ft.plot.heatmap(bins(ROWS, bin_lo_ns=np.nan)), "needs both edges"),
    "directions": (
        lambda: ft.plot.heatmap(both(direction="write")),
        r"differ in direction \(read, write\).*direction == 'read'",
    ),
    "latencies": (lambda: ft.plot.heatmap(both(latency="slat")), r"latency == 'clat'"),
    "twice": (lambda: ft.plot.heatmap(both()), "are there twice"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_one_line(mistake):
    draw, said = MISTAKES[mistake]
    with pytest.raises(ft.SchemaError, match=said) as told:
        draw()
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(("ground", "most"), [("white", min), ("black", max)])
def test_most_ios_have_the_colour_farthest_from_the_ground(ground, most):
    _, ax = plt.subplots(facecolor=ground)
    ax.set_facecolor(ground)
    own = kinds.bins_over_time(kinds.runs(["a"], 3))
    (mesh,) = ft.plot.heatmap(own, ax=ax).collections
    ends = [look.luminance(mesh.cmap(share)) for share in (0.0, 1.0)]
    assert most(ends) == ends[1]
