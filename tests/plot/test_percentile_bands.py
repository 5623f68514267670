"""Percentiles with their bounds and intervals, asked by what is drawn."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest

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
}


def ends(frame, name="9p"):
    """Each percentile of a curve: its value and both ends of its band."""
    spec = ft.plot.percentiles.spec(frame, hue="mount")
    return [(row.y, row.low, row.high) for row in spec.rows if row.group == name]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_percentiles_of_bins_have_a_band_that_holds_their_interval(kind):
    told = ft.percentiles(kind(BINS.to_dict("list")), [50, 99, 99.9], by="mount", confidence=0.95)
    # the median's interval is its bin; of 1000 I/Os the 99th percentile's is wider, and 99.9 has none
    assert ends(told) == [(2064, 2048, 2080), (4128, 4096, 8320), (8256, 8192, 8320)]
    assert ft.plot.percentiles.spec(told, hue="mount").notes == (
        "band: the bins that hold the percentiles",
        "and, where wider, the 95 % interval, if I/Os were independent",
    )
    low, high = ft.plot.percentiles(told, hue="mount").get_ylim()
    assert low < 2048 < 8320 < high


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_bounds_without_values_are_drawn_by_their_edges(kind):
    assert ends(kind(BOUNDED)) == [(None, 10, 12), (None, 20, 25), (None, 30, 60)], "no upper bound"
    assert len(ends(kind(BOUNDED), "sshfs")) == 3, "no lower bound"
    ax = ft.plot.percentiles(kind(BOUNDED), hue="mount")
    edges = [line for line in ax.lines if line.get_marker() == "_"]
    assert len(edges) == 4
    assert len({line.get_linestyle() for line in edges}) == 2, "told apart in greyscale"
    assert {text.get_text() for text in ax.texts} == {"9p", "sshfs"}
    assert "band: the bins that hold the percentiles" in said(ax)


def test_values_may_be_missing_where_bounds_are_not():
    told = ft.percentiles(BINS, [50, 99], by="mount").assign(value_ns=[2064, np.nan])
    assert [value for value, *_ in ends(told)] == [2064, None]


def test_a_band_with_values_only_is_a_plain_curve():
    told = ft.percentiles(BINS, [50, 99], by="mount")
    plain = told.assign(bound_lo_ns=np.nan, value_lo_ns=np.nan)
    assert ends(plain) == [(2064, None, None), (4128, None, None)]
    assert said(ft.plot.percentiles(plain, hue="mount")) == "percentile of the I/Os"


def test_reads_and_writes_of_results_have_panels():
    mixed = ft.example("lima-mounts").where("pattern=randrw")
    assert ft.plot.percentiles.spec(mixed, hue="mount").panels == ("read", "write")
    apart = ft.plot.percentiles.spec(mixed.where("mount=9p"), hue="direction")
    assert (apart.panels, apart.groups) == (("",), ("read", "write"))
    with pytest.warns(UserWarning, match="one curve differ in .*mount.*: hue="):
        ft.plot.percentiles.spec(ft.example("lima-mounts"), hue="direction")
    with pytest.raises(ft.SchemaError, match=r"ax= is 2 .* each of read, write"):
        ft.plot.percentiles(mixed, hue="mount", ax=plt.subplots()[1])


FRAME = pd.DataFrame(BOUNDED)
MISTAKES = {
    "empty": (FRAME[:0], "no rows"),
    "all missing": (FRAME.assign(bound_lo_ns=np.nan), "no row has a value of 'value_ns'"),
    "negative": (FRAME.assign(bound_lo_ns=-5.0), "'bound_lo_ns' is -5 in a row"),
    "twice": (pd.concat([FRAME, FRAME]), "'9p' has a percentile twice"),
    "half": (FRAME.drop(columns="bound_hi_ns"), "no column 'value_ns'"),
    "text": (FRAME.assign(bound_hi_ns="high"), "must be a number"),
    "infinite": (FRAME.assign(value_ns=np.inf), "'value_ns' is infinite"),
    "directions": (
        pd.concat([FRAME.assign(direction=one, run=1) for one in ("read", "write")]),
        "differ in direction .read, write., .*by='direction'",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_one_line(mistake):
    frame, said = MISTAKES[mistake]
    with pytest.raises(ft.SchemaError, match=said) as told:
        ft.plot.percentiles(frame, hue="mount")
    assert "\n" not in str(told.value)
