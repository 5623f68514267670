"""Percentiles with their bounds and intervals, asked by what is drawn."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib.colors import to_hex

import fiotools as ft
from tests.plot.kinds import said

KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame}
BINS = pd.DataFrame(
    {
        "mount": ["9p"] * 3,
        "latency": "clat",
        "direction": "read",
        "bin_lo_ns": [2048, 4096, 8192],
        "bin_hi_ns": [2080, 4160, 8320],
        "count": [600, 390, 10],
    }
)
BOUNDED = {
    "mount": ["9p"] * 4 + ["sshfs"] * 4,
    "percentile": [50.0, 99.0, 99.9, 99.99] * 2,
    "bound_lo_ns": [10.0, 20.0, 30.0, 50.0, 100.0, 200.0, None, 400.0],
    "bound_hi_ns": [12.0, 25.0, 60.0, np.inf, 100.0, 250.0, 500.0, 800.0],
    "method": ["bounded"] * 8,
}
NINES = {50: 0.30103, 99: 2, 99.9: 3, 99.99: 4}


def bands(ax):
    """The corners of each band."""
    return [
        {(round(float(x), 5), float(y)) for path in part.get_paths() for x, y in path.vertices}
        for part in ax.collections
        if part.get_array() is None and len(part.get_facecolor())
    ]


def bars(ax):
    """The ends of all bars, in the places of the percentiles."""
    return [
        [(round(float(x), 5), float(y)) for x, y in bar]
        for part in ax.collections
        if hasattr(part, "get_segments")
        for bar in part.get_segments()
    ]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_percentiles_of_bins_have_a_band_and_bars(kind):
    told = ft.percentiles(kind(BINS.to_dict("list")), [50, 99, 99.9], by="mount", confidence=0.95)
    ax = ft.plot.percentiles(told, hue="mount")
    (band,) = bands(ax)
    assert band == {
        (NINES[50], 2048),
        (NINES[50], 2080),
        (NINES[99], 4096),
        (NINES[99], 4160),
        (NINES[99.9], 8192),
        (NINES[99.9], 8320),
    }
    # the median's interval is its bin; of 1000 I/Os the 99th percentile's is wider, and 99.9 has none
    assert bars(ax) == [[(NINES[99], 4096), (NINES[99], 8320)]]
    (line,) = ax.lines
    assert list(line.get_ydata()) == [2064, 4128, 8256]
    assert said(ax).splitlines() == [
        "percentile of the I/Os",
        "band: the bins that hold the percentiles",
        "bars, where wider: 95 % interval within the run, if I/Os were independent",
    ]
    low, high = ax.get_ylim()
    assert low < 2048 < 8320 < high


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_bounds_without_values_are_drawn_by_their_edges(kind):
    ax = ft.plot.percentiles(kind(BOUNDED), hue="mount")
    ninep, sshfs = bands(ax)
    assert ninep == {
        *((NINES[50], y) for y in (10, 12)),
        *((NINES[99], y) for y in (20, 25)),
        *((NINES[99.9], y) for y in (30, 60)),
    }, "what has no upper bound is left out"
    assert (NINES[99.9], 500) not in sshfs, "nor is what has no lower bound"
    assert len(ax.lines) == 4, "two edges each, and nothing between them"
    assert len({line.get_linestyle() for line in ax.lines}) == 2, "told apart in greyscale"
    assert [text.get_text() for text in ax.texts] == ["9p", "sshfs"]
    assert "band: certain bounds of the percentiles" in said(ax)
    assert "bars" not in said(ax)
    assert not bars(ax)


def test_values_may_be_missing_where_bounds_are_not():
    told = ft.percentiles(BINS, [50, 99], by="mount").assign(value_ns=[2064, np.nan])
    ax = ft.plot.percentiles(told, hue="mount")
    assert len(bands(ax)[0]) == 4
    assert list(ax.lines[0].get_ydata()) == [2064]


def test_a_band_with_values_only_is_a_plain_curve():
    told = ft.percentiles(BINS, [50, 99], by="mount")
    ax = ft.plot.percentiles(told.assign(bound_lo_ns=np.nan, value_lo_ns=np.nan), hue="mount")
    assert said(ax) == "percentile of the I/Os"
    assert list(ax.lines[0].get_ydata()) == [2064, 4128]


FRAME = pd.DataFrame(BOUNDED)
MISTAKES = {
    "empty": (FRAME[:0], "no rows"),
    "all missing": (FRAME.assign(bound_lo_ns=np.nan), "no row has a value of 'bound_lo_ns'"),
    "negative": (FRAME.assign(bound_lo_ns=-5.0), "'bound_lo_ns' is -5 in a row"),
    "twice": (pd.concat([FRAME, FRAME]), "'9p' has a percentile twice"),
    "half": (FRAME.drop(columns="bound_hi_ns"), "no column 'value_ns'"),
    "text": (FRAME.assign(bound_hi_ns="high"), "must be a number"),
    "infinite": (FRAME.assign(value_ns=np.inf), "'value_ns' is infinite"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_one_line(mistake):
    frame, said = MISTAKES[mistake]
    with pytest.raises(ft.SchemaError, match=said) as told:
        ft.plot.percentiles(frame, hue="mount")
    assert "\n" not in str(told.value)


def test_a_band_has_the_colour_of_its_curve():
    depths = [1, 4, 16]  # numbers, whose colours go from light to dark
    bounded = pd.DataFrame({"iodepth": depths, "percentile": 99.0, "value_ns": 2.0})
    bounded = bounded.assign(bound_lo_ns=1.0, bound_hi_ns=3.0)
    ax = ft.plot.percentiles(bounded, hue="iodepth")
    filled = [
        to_hex(part.get_facecolor()[0]) for part in ax.collections if len(part.get_facecolor())
    ]
    assert filled == [line.get_color() for line in ax.lines]
