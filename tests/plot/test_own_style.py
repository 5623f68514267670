"""Plots in a style of one's own: colours, sizes, and what is set after a plot was drawn."""

from __future__ import annotations

import re

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import seaborn as sns
from matplotlib.colors import to_hex

import fiotools as ft
from fiotools.errors import SchemaError
from tests.plot import drawn, kinds
from tests.plot.kinds import KINDS

DEVICES = ["dev0", "dev1", "dev2"]
# what a legend shows that somebody asks for later; maps and tables of values have none
ONE = ["I/Os per second"]
LABELS = {
    "repeats-hue": DEVICES,
    "repeats-log": ONE,
    "repeats-slowest": ["mean total latency, from request to completion"],
    "ratios": ["ratio of I/Os per second, new / old"],
    "repeats": ONE,
    "sweep": DEVICES,
    "sweep-both": DEVICES,
    "grid": [],
    "fairness": ONE,
    "percentiles": DEVICES,
    "percentiles-rows": ["p50", "p99", "p99.9", "mean"],
    "tails": [f"{device} / old" for device in DEVICES],
    "cdf": DEVICES,
    "heatmap": [],
    "series": DEVICES,
    "series-steady": ["I/Os per second (read)"],
    "threads": [],
    "timings": ["user CPU", "system CPU", "wall time beyond CPU"],
    "credibility": ["impossible", "suspect"],
}


def draw(kind, count=3):
    return np.ravel(KINDS[kind](kinds.runs(DEVICES[:count], 3)))


@pytest.mark.parametrize("kind", KINDS)
def test_a_legend_may_be_asked_for_later(kind):
    assert draw(kind)[0].get_legend_handles_labels()[1] == LABELS[kind]


CURVES = ["sweep", "percentiles", "tails", "cdf", "series"]


@pytest.mark.parametrize("kind", CURVES)
def test_a_legend_that_is_asked_for_later_is_the_only_one(kind):
    (ax,) = draw(kind)
    there = {text.get_text() for text in ax.texts if text.get_visible()}
    assert there >= {*LABELS[kind]}
    handles = ax.legend().legend_handles
    ax.figure.canvas.draw()
    assert not {text.get_text() for text in ax.texts if text.get_visible()} & {*LABELS[kind]}
    assert [one.get_marker() for one in handles] == ["o", "s", "D"]


def test_the_legend_on_axes_of_ones_own_is_replaced():
    _, ax = plt.subplots()
    ft.plot.series(kinds.samples(kinds.runs(DEVICES, 1)), "iops", hue="device", ax=ax)
    before = ax.get_legend()
    assert [text.get_text() for text in before.get_texts()] == DEVICES
    ax.legend(loc="upper left")
    assert before not in ax.get_children()
    assert not ax.figure.legends


@pytest.mark.parametrize("size", ["column", "page"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_size_for_print_cuts_no_word(kind, size):
    with ft.plot.style(size):
        figure = draw(kind)[0].figure
        assert not kinds.faults(figure)
    assert figure.get_figwidth() == {"column": 3.4, "page": 7.0}[size]


def test_leaving_a_style_undoes_it():
    before = {name: mpl.rcParams[name] for name in ("font.size", "svg.fonttype", "axes.grid")}
    with ft.plot.style("column") as style:
        assert repr(style) == "style column"
        assert mpl.rcParams["font.size"] == 8
        assert mpl.rcParams["pdf.fonttype"] == 42
    assert {name: mpl.rcParams[name] for name in before} == before
    assert draw("series")[0].figure.get_figwidth() == 7
    with pytest.raises(SchemaError, match=r"'colum' is not a size .* did you mean 'column'"):
        ft.plot.style("colum")


# the words in cells are cut with them
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "grid"])
def test_a_title_and_limits_may_be_set_later(kind):
    axes = draw(kind)
    for ax in axes:
        ax.set_title("A title of mine")
        low, high = ax.get_ylim()
        is_log = ax.get_yscale() == "log"
        ax.set_ylim(low, (low * high) ** 0.5 if is_log else 0.4 * low + 0.6 * high)
    assert not kinds.faults(axes[0].figure)


def test_a_title_replaces_the_name_of_a_panel():
    frame = kinds.runs(["a", "b"], 2)
    axes = ft.plot.repeats(frame, "iops", y="round", by="device")
    axes[0].set_title("mine", loc="center")
    axes[0].figure.canvas.draw()
    assert [ax.get_title("left") for ax in axes] == ["", "b"]


def test_an_interval_goes_on_when_the_axis_does():
    ratios = pd.DataFrame({"fs": ["xfs"], "baseline": "ext4", "metric": "iops", "ratio": 1.0})
    ratios = ratios.assign(ratio_lo=0.2, ratio_hi=1.1)
    ax = ft.plot.ratios(ratios, limits=(0.8, 1.5))
    bar = next(line for line in ax.lines if len(line.get_xdata()) == 2 and line.get_alpha() is None)
    arrow = next(line for line in ax.lines if line.get_marker() == "<")
    assert arrow.get_visible()
    ax.set_xlim(0.1, 2)
    assert [*bar.get_xdata()] == [0.2, 1.1]
    assert not arrow.get_visible()


@pytest.mark.parametrize(
    ("palette", "expected"),
    [
        (["red", "green", "blue"], ["#ff0000", "#008000", "#0000ff"]),
        ({"dev2": "red", "dev0": "green", "dev1": "blue"}, ["#008000", "#0000ff", "#ff0000"]),
        ("husl", sns.color_palette("husl", 3).as_hex()),
    ],
)
def test_a_palette_is_a_list_a_mapping_or_a_name(palette, expected):
    frame = kinds.samples(kinds.runs(DEVICES, 1))
    ax = ft.plot.series(frame, "iops", hue="device", palette=palette)
    handles, names = ax.get_legend_handles_labels()
    assert names == DEVICES
    assert [to_hex(one.get_color()) for one in handles] == expected


@pytest.mark.parametrize(
    ("named", "said"),
    [
        (
            {"hue": "device", "palette": "huls"},
            "palette='huls' is not a palette: .* did you mean 'hls' or 'husl'",
        ),
        ({"hue": "device", "palette": ["rde"]}, "is not a palette: name one of seaborn"),
        (
            {"hue": "device", "palette": {"dev0": "red"}},
            "has no colour for 'dev1', 'dev2': give each",
        ),
        ({"palette": {"dev0": "red"}}, "names levels, and no level has a colour of its own"),
    ],
)
def test_a_palette_that_does_not_fit_is_told(named, said):
    frame = kinds.means(kinds.runs(DEVICES, 1)).assign(host="a")
    y = "host" if "hue" in named else "device"
    with pytest.raises(SchemaError, match=said):
        ft.plot.repeats(frame, "iops", y=y, **named)


def test_cells_take_colours_from_low_to_high():
    frame = kinds.swept(kinds.runs(DEVICES, 1))
    named = {"x": "iodepth", "y": "device"}
    ax = ft.plot.grid(frame, "iops", palette=["white", "red"], **named)
    assert to_hex(ax.collections[0].get_cmap()(1.0)) == "#ff0000"
    with pytest.raises(SchemaError, match="is not a palette"):
        ft.plot.grid(frame, "iops", palette="huls", **named)


def test_text_stays_text_in_an_svg(tmp_path):
    (file,) = ft.plot.save(draw("series")[0], tmp_path / "a.svg")
    text = file.read_text(encoding="utf-8")
    assert re.search(r"<text [^>]*>I/Os per second \(read\)</text>", text)
    assert re.search(r"font-family: 'DejaVu Sans', 'Verdana', 'Arial', sans-serif", text)


def test_calling_the_package_lists_the_kinds():
    with pytest.raises(ft.plot.NoSuchPlotError, match=r"ft\.plot\.repeats, .*ft\.plot\.threads"):
        ft.plot(ft.example("sweep"))


# --- threads, bytes written, waiting time ---------------------------------------------------------


def jobs(**named):
    """Three jobs of 4 s; the second one stalls for a second, which fio's log leaves out."""
    rates = {1: [8.0, 8.0, 8.0, 8.0], 2: [4.0, 4.0, None, 4.0], 3: [1.0, 2.0, 3.0, 4.0]}
    rows = [
        {"source": f"x_bw.{job}.log", "run": 1, "entry": job, "time_s": at + 1.0, "value": one}
        for job, own in rates.items()
        for at, one in enumerate(own)
        if one is not None
    ]
    known = {"quantity": "bw_bytes_per_s", "direction": "write", **named}
    return pd.DataFrame(rows).assign(**known)


def test_threads_add_up_over_rows_and_over_time():
    spec = ft.plot.threads.spec(jobs(), y="entry")
    cells = pd.DataFrame([{"y": row.y, "x": row.x, "value": row.value} for row in spec.rows])
    assert cells.groupby("x")["value"].sum().tolist() == [13, 14, 11, 16]
    assert [one.value for one in spec.levels] == [32, 12, 10]
    ax = ft.plot.threads(jobs(), y="entry")
    assert drawn.panel(ax)["mesh"]["sum"] == 54


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: ft.plot.threads(jobs()), "of one thread or job: use DISKSPD -D1000, or fio"),
        (lambda: ft.plot.threads(jobs(quantity="lat_ns"), y="entry"), "need rates with times"),
        (
            lambda: ft.plot.threads(ft.read("tests/fixtures/fio/fio-3.33--libaio.json")),
            "did over time: use DISKSPD -D1000, or fio .*--per_job_logs=1",
        ),
        (
            lambda: ft.plot.series(jobs(direction="read"), hue="entry", x="written"),
            "needs the bandwidth of writes: fio --write_bw_log",
        ),
        (
            lambda: ft.plot.series(jobs(), hue="entry", x="written", steady=True),
            "about time, and not what was written",
        ),
        (lambda: ft.plot.series(jobs(), hue="entry", x="bytes"), "is one of time, written"),
        (lambda: ft.plot.cdf(pd.DataFrame(BINS), weight="bytes"), "is one of ios, time"),
    ],
)
def test_what_is_lacking_is_told_with_the_option_to_use(call, said):
    with pytest.raises(SchemaError, match=said):
        call()


def test_a_rate_over_the_bytes_written():
    spec = ft.plot.series.spec(jobs().query("entry == 3"), x="written")
    assert [(row.x, row.y) for row in spec.rows] == [(0, 1), (1, 2), (3, 3), (6, 4), (10, 4)]
    assert (spec.x.label, spec.x.unit) == ("written so far", "B")


def test_points_lie_within_their_second_and_zeros_are_counted():
    spec = ft.plot.series.spec(jobs().query("entry == 2"), log=True, points=True)
    assert [(row.x, row.y) for row in spec.rows] == [(0.5, 4), (1.5, 4), (2.5, None), (3.5, 4)]
    assert "samples of 0, not on this axis: 1" in spec.notes
    assert "dots" in spec.how


BINS = {
    "latency": "clat",
    "direction": "read",
    "bin_lo_ns": [100.0, 9_000.0],
    "bin_hi_ns": [300.0, 11_000.0],
    "count": [150, 1],
}


def test_few_slow_ios_may_be_a_quarter_of_the_time():
    def share(**named):
        rows = ft.plot.cdf.spec(pd.DataFrame(BINS), **named).rows
        return max(row.y for row in rows if row.x <= 300)

    assert share() == pytest.approx(100 * 150 / 151)
    assert share(weight="time") == pytest.approx(75)


def test_a_scale_that_is_set_later_has_its_ends_and_ticks():
    _, ax = plt.subplots()
    sweep = pd.DataFrame({"iodepth": [1, 4, 16], "iops": [2e4, 4e4, 6e4]})
    ft.plot.sweep(sweep, "iops", x="iodepth", ax=ax)
    assert ax.get_ylim()[0] == 0
    ax.set(xscale="log", yscale="log")
    ax.figure.canvas.draw()
    assert 1e4 < ax.get_ylim()[0] < 2e4
    labels = [one.get_text() for one in [*ax.get_xticklabels(), *ax.get_yticklabels()]]
    assert "60,000" in labels
    assert not [one for one in labels if "$" in one]
