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


def steps(frame, name="ext4", **named):
    """Each edge of a curve: (latency, percent that ended, percent that may have)."""
    spec = ft.plot.cdf.spec(frame, **{"hue": "fs", **named})
    return [(row.x, row.y, row.high) for row in spec.rows if row.group == name]


def band(ax, number=0):
    """The corners of a curve's band."""
    (path,) = ax.collections[number].get_paths()
    return {(float(x), float(y)) for x, y in path.vertices}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_the_line_is_what_has_ended_and_the_band_what_may_have(kind):
    assert steps(bins(ROWS, kind)) == [
        (50e3, 0, 70),
        (100e3, 70, 70),
        (120e3, 70, 90),
        (150e3, 90, 90),
        (200e3, 90, 100),
        (250e3, 100, 100),
    ]
    assert steps(bins(ROWS, kind), "xfs") == [(100e3, 0, 100), (250e3, 100, 100)]
    drawn = {line.get_drawstyle() for line in ft.plot.cdf(bins(ROWS, kind), hue="fs").lines}
    assert "steps-post" in drawn


def test_the_axes_say_what_they_are():
    ax = ft.plot.cdf(bins(ROWS), hue="fs", order=["xfs", "ext4"])
    assert ax.get_xscale() == "log"
    assert said(ax) == "completion latency (read) band: undecided within a bin"
    assert ax.get_ylabel() == "I/Os that took no longer"
    assert {line.get_marker() for line in ax.lines} >= {"o", "s"}, "told apart in greyscale"
    ax.figure.draw_without_rendering()
    assert "100 µs" in [tick.get_text() for tick in ax.get_xticklabels()]
    assert "100 %" in [tick.get_text() for tick in ax.get_yticklabels()]


def test_percentiles_lie_in_the_band():
    report = ft.read(FIXTURES / "fio" / "fio-3.33--log-hist.json")
    own = report.bins.query("latency == 'clat' and direction == 'read'")
    curve = np.array(steps(own, "read", hue="direction"))
    printed = report.percentiles.query("latency == 'clat' and direction == 'read'")
    for share, value in zip(printed["percentile"], printed["value_ns"], strict=True):
        after = curve[curve[:, 0] >= value * (1 - 1e-9)]
        assert after[0, 1] >= share - 1e-9 or after[1, 1] >= share - 1e-9


def test_a_last_bin_without_end_is_never_sure():
    found = steps(bins([("a", 1e3, 2e3, 3), ("a", 4e3, np.inf, 1)]), "a")
    assert max(share for _, share, _ in found) == 75
    assert max(share for *_, share in found) == 100


def test_a_number_is_named_by_its_column():
    frame = bins(ROWS).assign(thread=[0, 0, 0, 0, 1]).drop(columns="fs")
    ax = ft.plot.cdf(frame, hue="thread")
    assert {text.get_text() for text in ax.texts} == {"thread 0", "thread 1"}


@pytest.mark.parametrize(
    "other",
    [{"entry": 2}, {"run": 2}, {"time_s": 2.0}],
    ids=["jobs", "runs", "intervals"],
)
def test_jobs_runs_and_intervals_are_added_up_and_it_says_so(other):
    frame = both(**other)
    frame = frame[frame["fs"] == "ext4"]
    if "time_s" in other:
        frame = frame.assign(time_s=frame["time_s"].fillna(1.0))
    assert steps(frame) == steps(bins(ROWS))
    assert any("added up" in note for note in ft.plot.cdf.spec(frame, hue="fs").notes)


def test_a_first_bin_from_zero_begins_at_the_edge_of_the_axis():
    ax = ft.plot.cdf(bins([("a", 0.0, 2e3, 1), ("a", 2e3, 4e3, 1)]), hue="fs")
    assert min(x for x, _ in band(ax)) == pytest.approx(ax.get_xlim()[0])


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
    "infinite edge": (lambda: ft.plot.cdf(bins([("a", np.inf, np.inf, 1)]), hue="fs"), "begins at"),
    "directions": (
        lambda: ft.plot.cdf(both(direction="write"), hue="fs"),
        r"rows differ in direction \(read, write\).*direction == 'read'",
    ),
    "latencies": (lambda: ft.plot.cdf(both(latency="slat"), hue="fs"), "latency == 'clat'"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_one_line(mistake):
    draw, said = MISTAKES[mistake]
    with pytest.raises(ft.SchemaError, match=said) as told:
        draw()
    assert "\n" not in str(told.value)


SIDES = [("read", low, low + 10, 5) for low in (10.0, 50.0)]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("column", ["device", "place"])
def test_sides_make_no_curve_together(kind, column):
    """Whether the label is named like a column of another table, or is of no table."""
    two = bins(SIDES * 2, kind, source=[*"aabb"], run=1, **{column: ["disk"] * 2 + ["mem"] * 2})
    with pytest.raises(
        ft.FiotoolsError, match=rf"differ in {column} \(disk, mem\).*hue='{column}'"
    ):
        ft.plot.cdf.spec(two)
    apart = ft.plot.cdf.spec(two, hue=column)
    assert apart.groups == ("disk", "mem")
    assert not any("added up" in note for note in apart.notes)  # a run each
    timed = bins(
        SIDES * 2,
        kind,
        source=[*"aabb"],
        run=1,
        time_s=[1.0] * 4,
        **{column: ["disk"] * 2 + ["mem"] * 2},
    )
    with pytest.raises(ft.FiotoolsError, match=rf"differ in {column} \(disk, mem\).*by='{column}'"):
        ft.plot.heatmap.spec(timed)
    assert ft.plot.heatmap.spec(timed, by=column).panels == ("disk", "mem")


def test_repeats_are_added_up():
    rounds = bins(SIDES * 2, source=[*"aabb"], run=1, round=[1, 1, 2, 2], take=[*"1122"])
    assert "histograms of 2 runs added up" in ft.plot.cdf.spec(rounds).notes
