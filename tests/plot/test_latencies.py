"""Percentiles, distributions and heat maps, asked by what is drawn on them."""

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


def bins(rows, **more):
    """Make bins of (first column, lower edge, upper edge, count)."""
    first = more.pop("first", "fs")
    frame = pd.DataFrame(rows, columns=[first, "bin_lo_ns", "bin_hi_ns", "count"])
    return frame.assign(**{"latency": "clat", "direction": "read", **more})


def as_polars(frame):
    return pl.DataFrame(frame.to_dict("list"))


# --- percentiles ----------------------------------------------------------------------------------

CURVES = pd.DataFrame(
    {
        "mount": ["9p"] * 3 + ["sshfs"] * 3,
        "latency": "clat",
        "percentile": [50.0, 99.0, 99.9] * 2,
        "value_ns": [1880.0, 2320.0, 66048.0, 1188e3, 1893e3, 2343e3],
    }
)
MERGED = bins([("9p", 2048, 2080, 600), ("9p", 4096, 4160, 390), ("9p", 8192, 8320, 10)])
BOUNDED = pd.DataFrame(
    {
        "fs": ["9p"] * 4 + ["sshfs"] * 4,
        "percentile": [50.0, 99.0, 99.9, 99.99] * 2,
        "bound_lo_ns": [10.0, 20.0, 30.0, 50.0, 100.0, 200.0, None, 400.0],
        "bound_hi_ns": [12.0, 25.0, 60.0, np.inf, 100.0, 250.0, 500.0, 800.0],
    }
)


def test_the_axes_of_percentiles_say_what_they_are():
    ax = ft.plot.percentiles(CURVES, hue="mount")
    assert [text.get_text() for text in ax.texts] == ["9p", "sshfs"]
    ax.figure.draw_without_rendering()
    assert ax.get_ylabel() == "completion latency"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "50", "90", "99", "99.9"]


def ends(frame, name="9p"):
    """Each percentile of a curve: its value and both ends of its band."""
    spec = ft.plot.percentiles.spec(frame, hue="fs")
    return [(row.y, row.low, row.high) for row in spec.rows if row.group == name]


def test_percentiles_of_bins_have_a_band_that_holds_their_interval():
    told = ft.percentiles(as_polars(MERGED), [50, 99, 99.9], by="fs", confidence=0.95)
    # the median's interval is its bin; of 1000 I/Os the 99th percentile's is wider, and 99.9 has none
    assert ends(told) == [(2064, 2048, 2080), (4128, 4096, 8320), (8256, 8192, 8320)]
    assert ft.plot.percentiles.spec(told, hue="fs").notes == (
        "band: the bins that hold the percentiles",
        "and, where wider, the 95 % interval, if I/Os were independent",
    )
    low, high = ft.plot.percentiles(told, hue="fs").get_ylim()
    assert low < 2048 < 8320 < high


def test_bounds_without_values_are_drawn_by_their_edges():
    assert ends(BOUNDED) == [(None, 10, 12), (None, 20, 25), (None, 30, 60)], "no upper bound"
    assert len(ends(BOUNDED, "sshfs")) == 3, "no lower bound"
    ax = ft.plot.percentiles(BOUNDED, hue="fs")
    edges = [line for line in ax.lines if line.get_marker() == "_"]
    assert len(edges) == 4
    assert len({line.get_linestyle() for line in edges}) == 2, "told apart in greyscale"
    assert {text.get_text() for text in ax.texts} == {"9p", "sshfs"}
    assert "band: the bins that hold the percentiles" in said(ax)


def test_values_or_bounds_may_be_missing():
    told = ft.percentiles(MERGED, [50, 99], by="fs")
    assert [value for value, *_ in ends(told.assign(value_ns=[2064, np.nan]))] == [2064, None]
    plain = told.assign(bound_lo_ns=np.nan, value_lo_ns=np.nan)
    assert ends(plain) == [(2064, None, None), (4128, None, None)]
    assert said(ft.plot.percentiles(plain, hue="fs")) == "percentile of the I/Os"


def test_the_percentiles_of_one_histogram_are_of_one_run():
    ax = ft.plot.percentiles(ft.percentiles(MERGED.assign(source="a", run=1)), hue="direction")
    assert said(ax).endswith("one run")


def test_reads_and_writes_of_results_have_panels():
    mixed = ft.example("lima-mounts").where("pattern=randrw")
    assert ft.plot.percentiles.spec(mixed, hue="mount").panels == ("read", "write")
    apart = ft.plot.percentiles.spec(mixed.where("mount=9p"), hue="direction")
    assert (apart.panels, apart.groups) == (("",), ("read", "write"))
    with pytest.warns(UserWarning, match="one curve differ in .*mount.*: hue="):
        ft.plot.percentiles.spec(ft.example("lima-mounts"), hue="direction")
    with pytest.raises(ft.SchemaError, match=r"ax= is 2 .* each of read, write"):
        ft.plot.percentiles(mixed, hue="mount", ax=plt.subplots()[1])


def test_tails_of_histograms_are_asked():
    runs = [MERGED.assign(fs=fs, source=f"{fs}{at}", run=1) for fs in ("a", "b") for at in range(3)]
    spec = ft.plot.tails.spec(pd.concat(runs), between="fs", baseline="a")
    assert {(row.group, row.y) for row in spec.rows} == {("b / a", 1.0)}


# --- distributions --------------------------------------------------------------------------------

ROWS = [("ext4", 50e3, 100e3, 70), ("ext4", 120e3, 150e3, 20), ("xfs", 100e3, 250e3, 4)]


def steps(frame, name="ext4", **named):
    """Each edge of a curve: (latency, percent that ended, percent that may have)."""
    spec = ft.plot.cdf.spec(frame, **{"hue": "fs", **named})
    return [(row.x, row.y, row.high) for row in spec.rows if row.group == name]


def test_the_axes_of_a_distribution_say_what_they_are():
    ax = ft.plot.cdf(bins(ROWS), hue="fs", order=["xfs", "ext4"])
    assert ax.get_xscale() == "log"
    assert said(ax) == "completion latency (read) band: undecided within a bin"
    assert ax.get_ylabel() == "I/Os that took no longer"
    assert "steps-post" in {line.get_drawstyle() for line in ax.lines}
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


def test_a_last_bin_without_end_is_never_sure_and_a_first_from_zero_begins_at_the_axis():
    found = steps(bins([("a", 1e3, 2e3, 3), ("a", 4e3, np.inf, 1)]), "a")
    assert max(share for _, share, _ in found) == 75
    assert max(share for *_, share in found) == 100
    ax = ft.plot.cdf(bins([("a", 0.0, 2e3, 1), ("a", 2e3, 4e3, 1)]), hue="fs")
    (band,) = ax.collections[0].get_paths()
    assert band.vertices[:, 0].min() == pytest.approx(ax.get_xlim()[0])


def test_a_number_is_named_by_its_column():
    frame = bins(ROWS).assign(thread=[0, 0, 1]).drop(columns="fs")
    ax = ft.plot.cdf(frame, hue="thread")
    assert {text.get_text() for text in ax.texts} == {"thread 0", "thread 1"}


@pytest.mark.parametrize("other", [{"entry": 2}, {"run": 2}, {"time_s": 2.0}])
def test_jobs_runs_and_intervals_are_added_up_and_it_says_so(other):
    first = bins(ROWS[:2], run=1, entry=1, **({"time_s": 1.0} if "time_s" in other else {}))
    frame = pd.concat([first, first.assign(**other)])
    assert steps(frame) == steps(bins(ROWS))
    assert any("added up" in note for note in ft.plot.cdf.spec(frame, hue="fs").notes)


SIDES = [("disk", 10.0, 20.0, 5), ("disk", 50.0, 60.0, 5)]


@pytest.mark.parametrize("kind", [pd.DataFrame, as_polars], ids=["pandas", "polars"])
@pytest.mark.parametrize("column", ["device", "place"])
def test_sides_make_no_curve_together(kind, column):
    """Whether the label is named like a column of another table, or is of no table."""
    sides = [*SIDES, *(("mem", *rest) for _, *rest in SIDES)]
    frame = bins(sides, first=column, source=[*"aabb"], run=1)
    two, timed = kind(frame), kind(frame.assign(time_s=1.0))
    told = rf"differ in {column} \(disk, mem\).*"
    with pytest.raises(ft.FiotoolsError, match=rf"{told}hue='{column}'"):
        ft.plot.cdf.spec(two)
    apart = ft.plot.cdf.spec(two, hue=column)
    assert apart.groups == ("disk", "mem")
    assert not any("added up" in note for note in apart.notes)  # a run each
    with pytest.raises(ft.FiotoolsError, match=rf"{told}by='{column}'"):
        ft.plot.heatmap.spec(timed)
    assert ft.plot.heatmap.spec(timed, by=column).panels == ("disk", "mem")


def test_repeats_are_added_up():
    rounds = bins(SIDES * 2, source=[*"aabb"], run=1, round=[1, 1, 2, 2], take=[*"1122"])
    assert "histograms of 2 runs added up" in ft.plot.cdf.spec(rounds).notes


def test_few_slow_ios_may_be_a_quarter_of_the_time():
    frame = bins([("a", 100.0, 300.0, 150), ("a", 9_000.0, 11_000.0, 1)])

    def share(**named):
        return max(done for edge, done, _ in steps(frame, "a", **named) if edge <= 300)

    assert share() == pytest.approx(100 * 150 / 151)
    assert share(weight="time") == pytest.approx(75)


# --- heat maps ------------------------------------------------------------------------------------

DECADE = 24


def heatmap(rows, **more):
    return ft.plot.heatmap(bins(rows, first="time_s", source="a.log", run=1, entry=1, **more))


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
HALF = [edge(at) for at in (120, 120.5, 121, 122)]
LOG = [
    (1.0, HALF[0], HALF[1], 60),
    (1.0, HALF[1], HALF[2], 30),
    (1.0, HALF[2], HALF[3], 10),
    (2.0, HALF[2], HALF[3], 7),
]


def at(*times, count=500, first=120, last=121):
    """A bin at each of several times."""
    return [(time, edge(first), edge(last), count) for time in times]


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        (
            LOG,
            {
                (0, 1, HALF[0], HALF[2]): 0.9,
                (0, 1, HALF[2], HALF[3]): 0.1,
                (1, 2, HALF[2], HALF[3]): 1,
            },
        ),
        # a wide bin is one cell and no denser than it is
        (
            [*at(1.0, count=80, last=128), *at(1.0, count=20, first=128, last=129)],
            {
                (0, 1, edge(120), edge(128)): 0.8 / 8,
                (0, 1, edge(128), edge(129)): 0.2,
            },
        ),
        # more I/Os do not look darker
        (
            [*at(1.0, count=10), *at(2.0, count=50_000)],
            {(0, 1, edge(120), edge(121)): 1, (1, 2, edge(120), edge(121)): 1},
        ),
        # one interval with one I/O
        (LOG[3:], {(0, 2, HALF[2], HALF[3]): 1}),
    ],
)
def test_a_cell_is_the_share_of_its_interval(rows, found):
    shares = {place: pytest.approx(share, rel=1e-4) for place, share in found.items()}
    assert cells(heatmap(rows)) == shares


def test_every_io_of_a_log_is_in_a_cell():
    log = ft.read(FIXTURES / "fio" / "fio-3.33--log-hist_clat_hist.1.log")
    frame = log.bins.query("direction == 'read'")
    ax = ft.plot.heatmap(frame)
    sums = {}
    for (left, right, low, high), share in cells(ax).items():
        height = math.log10(high / low) * DECADE
        assert height < 1.5
        sums[left, right] = sums.get((left, right), 0) + share * height
    assert [right for _, right in sorted(sums)] == sorted(set(frame["time_s"]))
    assert sums == {key: pytest.approx(1, rel=1e-3) for key in sums}
    low, high = ax.get_ylim()
    assert low <= frame["bin_lo_ns"].min() < frame["bin_hi_ns"].max() <= high


def test_axes_and_colours_have_names_and_units():
    ax = heatmap([(1.0, 50e3, 52e3, 1000), (2.0, 1e6, 1.02e6, 10), *LOG[3:]])
    assert ax.get_ylabel() == "completion latency (read)"
    assert ax.get_yscale() == "log"
    assert [tick.get_text() for tick in ax.get_yticklabels()][:2] == ["50 µs", "100 µs"]
    assert said(ax) == "time since the start (a column: 1 s)"
    (bar,) = (one for one in ax.child_axes if one.axison)
    assert bar.get_ylabel() == "I/Os of the interval\nper 10 % of latency"
    assert "10 %" in [tick.get_text() for tick in bar.get_yticklabels()]


def test_where_nothing_is_known_it_is_blank():
    gap = heatmap(at(1.0, 2.0, 3.0, 9.0))
    assert {key[:2] for key in cells(gap)} == {(0, 1), (1, 2), (2, 3), (8, 9)}
    ax = heatmap([*at(1.0, 2.0, 3.0), *at(4.0, count=4, first=140, last=141)])
    assert [left for left, *_ in cells(ax)] == [0, 1, 2]
    assert ax.get_xlim() == (0, 4)
    assert said(ax).endswith(" blank columns: fewer than 10 I/Os")
    few = heatmap(at(1.0, 2.0, 3.0, count=4))  # in every interval
    assert len(cells(few)) == 3
    assert "blank" not in said(few)


def test_the_first_and_the_last_bin_have_a_place():
    found = cells(heatmap([(1.0, 0.0, 128.0, 1), (1.0, 1e9, np.inf, 1)]))
    assert len(found) == 2
    assert sorted(found)[1][3] == pytest.approx(1.1e9, rel=0.01)


def test_merged_bins_of_several_jobs_are_drawn():
    one = bins(LOG, first="time_s", source="a.log", run=1, entry=1)
    merged = merge_bins(pd.concat([one, one.assign(entry=2)]), by="time_s")
    assert cells(ft.plot.heatmap(merged)) == pytest.approx(cells(heatmap(LOG)))


@pytest.mark.parametrize(("ground", "most"), [("white", min), ("black", max)])
def test_most_ios_have_the_colour_farthest_from_the_ground(ground, most):
    _, ax = plt.subplots(facecolor=ground)
    ax.set_facecolor(ground)
    own = kinds.bins_over_time(kinds.runs(["a"], 3))
    (mesh,) = ft.plot.heatmap(own, ax=ax).collections
    ends = [look.luminance(mesh.cmap(share)) for share in (0.0, 1.0)]
    assert most(ends) == ends[1]
