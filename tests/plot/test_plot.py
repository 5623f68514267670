"""Figures, asked by what is drawn on them and not by their pixels."""

import re
import warnings

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
import seaborn as sns
from matplotlib.colors import to_hex

import fiotools as ft
from tests.conftest import ROOT, needs_letters
from tests.plot import kinds
from tests.plot.kinds import said

RATES = pd.DataFrame(
    {
        "mount": ["ext4", "ext4", "drvfs", "drvfs"],
        "direction": ["read", "write", "read", "write"],
        "bw_bytes_per_s": [2.5e9, 2.0e9, 138e6, 86.1e6],
    }
)
TIMES = pd.DataFrame(
    {
        "cache": ["after", "before"],
        "real_s": [0.466, 4.364],
        "user_s": [0.0, 0.0],
        "sys_s": [0.466, 1.114],
    }
)


def _polars(frame):
    """Convert without pyarrow, which the project does not depend on."""
    columns = {name: frame[name].astype(object) for name in frame}
    return pl.DataFrame(
        {name: [None if pd.isna(v) else v for v in column] for name, column in columns.items()}
    )


def written(ax):
    return [text.get_text() for text in ax.texts]


def rows(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def marked(ax):
    """Every point drawn: (row, value)."""
    return {
        (round(float(y)), float(x))
        for line in ax.lines
        if line.get_linestyle() == "None"
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    }


@pytest.mark.parametrize(
    "frame", [RATES, pl.from_dict(RATES.to_dict("list"))], ids=["pandas", "polars"]
)
def test_throughput_draws_every_value_in_its_row(frame):
    ax = kinds.singles(frame, y="mount", hue="direction", order=["drvfs", "ext4"], log=True)
    assert rows(ax) == ["drvfs", "ext4"]
    assert marked(ax) == {(0, 138e6), (0, 86.1e6), (1, 2.5e9), (1, 2.0e9)}
    assert set(written(ax)) == {"2.50 GB/s", "2.00 GB/s", "138 MB/s", "86.1 MB/s"}
    assert ax.get_xscale() == "log"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["read", "write"]


def test_throughput_without_log_begins_at_zero():
    ax = kinds.singles(RATES.query("direction == 'read'"), y="mount")
    assert ax.get_xlim()[0] == 0
    assert ax.get_xlabel() == "bandwidth (read)"


def test_ceilings_are_lines_with_names_and_within_the_axis():
    ax = kinds.singles(RATES, y="mount", hue="direction", ceilings={"USB 3.0": 500e6}, log=True)
    assert "USB 3.0: 500 MB/s" in written(ax)
    assert any(list(line.get_xdata()) == [500e6, 500e6] for line in ax.lines)
    low, high = ax.get_xlim()
    assert low < 86.1e6 < 2.5e9 < high


def test_missing_values_are_left_out():
    frame = RATES.assign(bw_bytes_per_s=[2.5e9, np.nan, 138e6, 86.1e6])
    assert len(marked(kinds.singles(frame, y="mount", hue="direction"))) == 3
    frame = RATES.assign(total_ios=pd.array([1, None, 3, 4], dtype="Int64"))
    assert len(marked(kinds.singles(frame, "total_ios", y="mount", hue="direction"))) == 3


def test_timings_stack_to_wall_time():
    ax = ft.plot.timings(TIMES, y="cache", order=["before", "after"])
    assert rows(ax) == ["before", "after"]
    widths = {}
    for bar in ax.patches:
        row = round(bar.get_y() + bar.get_height() / 2)
        widths[row] = widths.get(row, 0) + bar.get_width()
    assert widths == pytest.approx({0: 4.364, 1: 0.466})
    assert written(ax) == ["4.36 s", "0.466 s"], "one prefix for all bars"


def test_timings_of_several_processors_stay_on_the_axes():
    frame = pd.DataFrame(
        {"cmd": ["make", "cat"], "real_s": [1.0, 2.0], "user_s": [3.1, 0.1], "sys_s": [0.5, 0.4]}
    )
    figure, (ax, right) = plt.subplots(1, 2, figsize=(12, 4.5))
    ft.plot.timings(frame, y="cmd", ax=ax)
    figure.canvas.draw()
    assert ax.get_xlim()[1] > max(bar.get_x() + bar.get_width() for bar in ax.patches) == 3.6
    assert written(ax) == ["1.00 s, CPU 3.60 s", "2.00 s"]
    assert ax.get_tightbbox().x1 <= right.get_tightbbox().x0 + 1
    (line,) = ax.lines
    assert line.get_xydata().tolist() == [[1.0, -0.3], [1.0, 0.3]], "where wall time ends"
    assert "black line: wall time, where CPU time is more" in said(ax)


def test_a_bar_of_several_runs_is_their_geometric_mean():
    runs = pd.DataFrame(
        {
            "cache": ["cold"] * 3 + ["warm"],
            "real_s": [1.0, 2.0, 4.0, 1.5],
            "user_s": [0.5, 0.5, 0.75, 0.0],
            "sys_s": [0.0, 1.0, 2.5, 0.5],
        }
    )
    spec = ft.plot.timings.spec(runs, y="cache")
    cold, warm = spec.rows
    assert cold.x == pytest.approx(2)
    assert cold.points == (1, 2, 4)
    assert cold.texts == ("2.00 s [0.357, 11.2]",)
    ends = [one.end for one in spec.levels if one.row == "cold"]
    assert ends == pytest.approx([2 * 1.75 / 7, 2 * 5.25 / 7, 2])
    assert (warm.x, warm.points, warm.texts) == (1.5, (), ("1.50 s",))
    assert spec.notes == (
        "points: runs",
        "bar: geometric mean; parts: shares of all runs together",
        "[ ]: 95 % interval",
    )
    assert len(ft.plot.timings(runs, y="cache").lines) == 3  # the points of three runs


def test_a_bar_of_several_commands_is_told():
    texts = {
        name: f"$ time {command}\n\nreal\t0m{wall}s\nuser\t0m0.1s\nsys\t0m0.2s\n"
        for name, command, wall in (
            ("a", "cat big.bin", "1.000"),
            ("b", "cat big.bin", "2.000"),
            ("c", "cp big.bin copy.bin", "4.000"),
        )
    }
    read = [ft.reads(text, name=f"{name}.txt") for name, text in texts.items()]
    for one in read:
        one.timings = one.timings.assign(side="old")
    with pytest.warns(UserWarning, match=r"one bar differ in command: y='command' or by='command'"):
        ft.plot.timings.spec(ft.concat(read), y="side")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ft.plot.timings.spec(ft.concat(read[:2]), y="side")


def comparison(**columns):
    base = {
        "direction": ["read", "write"],
        "volume": ["mirror", "mirror"],
        "baseline": ["vhdx", "vhdx"],
        "metric": ["iops", "iops"],
        "n": [5, 5],
        "ratio": [0.7, 1.3],
        "ratio_lo": [0.6, 1.1],
        "ratio_hi": [0.8, 1.5],
    }
    return pd.DataFrame({**base, **columns})


def test_ratios_draw_intervals():
    ax = ft.plot.ratios(comparison())
    assert rows(ax) == ["read", "write"]
    assert said(ax).startswith("ratio of I/Os per second, mirror / vhdx")
    assert written(ax) == ["0.700x [0.600, 0.800]", "1.30x [1.10, 1.50]"]
    assert ax.get_xscale() == "log"
    spans = [tuple(map(float, line.get_xdata())) for line in ax.lines]
    assert (0.6, 0.8) in spans
    assert (1.1, 1.5) in spans


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_one_run_each_is_hollow_and_says_so(kind):
    frame = comparison(n=[1, 1], ratio_lo=[None, None], ratio_hi=[None, None])
    ax = ft.plot.ratios(kind(frame.to_dict("list")))
    assert "one run each" in said(ax)
    faces = {line.get_markerfacecolor() for line in ax.lines if line.get_marker() == "o"}
    assert faces == {"white"}


def test_ratios_want_a_comparison_or_what_to_compare():
    with pytest.raises(ft.SchemaError, match="there is only one side"):
        ft.plot.ratios(RATES)
    with pytest.raises(ft.SchemaError, match="not a comparison"):
        ft.plot.ratios(RATES.assign(baseline="ext4"))


def test_figures_compose():
    figure, axes = plt.subplots(2)
    assert kinds.singles(RATES, y="mount", hue="direction", ax=axes[0]) is axes[0]
    assert ft.plot.ratios(comparison(), ax=axes[1]) is axes[1]
    assert plt.get_fignums() == [figure.number], "no figure of their own"


def test_saving_what_did_not_change_leaves_the_file_alone(tmp_path):
    ax = ft.plot.timings(TIMES, y="cache")
    (file,) = ft.plot.save(ax, tmp_path / "t.svg")
    before = file.stat().st_mtime_ns
    ft.plot.save(ax, tmp_path / "t.svg")
    assert file.stat().st_mtime_ns == before


def test_saving_records_the_data(tmp_path):
    (tmp_path / "data").mkdir()
    source = tmp_path / "data" / "dd.txt"
    source.write_text("2+0 records in\n2+0 records out\n2097152 bytes copied, 0.5 s, 4.2 MB/s\n")
    results = ft.read(source)
    ax = kinds.singles(results.io, y="run")
    svg, png = ft.plot.save(ax, tmp_path / "figures" / "x", data=results)
    assert re.search(r"data/dd\.txt sha256:[0-9a-f]{16}", svg.read_text())
    assert str(tmp_path) not in svg.read_text(), "no path of the machine"
    assert b"data/dd.txt sha256:" in png.read_bytes()


def test_saving_refuses_other_formats(tmp_path):
    ax = ft.plot.timings(TIMES, y="cache")
    with pytest.raises(ValueError, match="svg, png, pdf, not 'gif'"):
        ft.plot.save(ax, tmp_path / "x.gif")


def test_style_is_ours_after_seaborns():
    ft.plot.style()
    assert mpl.rcParams["font.family"] == ["DejaVu Sans", "sans-serif"]
    assert mpl.rcParams["svg.hashsalt"] == "fiotools"


REPEATS = pd.DataFrame(
    {
        "mount": ["9p"] * 5 + ["sshfs"] * 5,
        "iops": [5814, 5703, 8916, 9037, 8910, 1495, 1772, 1702, 1764, 1771],
    }
)


CURVES = pd.DataFrame(
    {
        "mount": ["9p"] * 4 + ["sshfs"] * 4,
        "latency": "clat",
        "percentile": [50.0, 99.0, 99.9, 100.0] * 2,
        "value_ns": [1880.0, 2320.0, 66048.0, 1e6, 1188e3, 1893e3, 2343e3, 1e7],
    }
)


def test_percentiles_give_each_nine_the_same_width():
    ax = ft.plot.percentiles(CURVES, hue="mount")
    curve = next(line for line in ax.lines if len(line.get_xdata()) == 3)
    assert list(curve.get_xdata()) == pytest.approx([-np.log10(0.5), 2, 3])
    assert list(curve.get_ydata()) == [1880, 2320, 66048], "the maximum has no place on the axis"
    assert written(ax) == ["9p", "sshfs"]
    ax.figure.draw_without_rendering()
    assert ax.get_ylabel() == "completion latency"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "50", "90", "99", "99.9"]


def test_percentiles_refuse_a_mixture():
    with pytest.raises(ValueError, match="twice"):
        ft.plot.percentiles(pd.concat([CURVES, CURVES]), hue="mount")


def test_end_labels_do_not_touch():
    told = pd.concat([CURVES, CURVES.query("mount == '9p'").assign(mount="virtiofs")])
    ax = ft.plot.percentiles(told, hue="mount")
    ax.figure.canvas.draw()
    boxes = sorted(text.get_window_extent().y0 for text in ax.texts)
    assert min(np.diff(boxes)) > 8


def speedups():
    ends = {"speedup": [9.4, 0.8], "speedup_lo": [9.0, 0.7], "speedup_hi": [9.8, 0.9]}
    return comparison(metric="real_s", **ends)


def test_speed_ups_are_drawn_as_such():
    ax = ft.plot.ratios(speedups())
    assert written(ax) == ["9.40x [9.00, 9.80]", "0.800x [0.700, 0.900]"]
    assert said(ax).startswith("times faster, by wall time, mirror against vhdx")


def test_ratios_of_several_metrics_need_labels():
    frame = comparison(metric=["iops", "lat_mean_ns"])
    with pytest.raises(
        ft.SchemaError, match=r"several metrics .*one at a time, metric == 'iops', or give labels="
    ):
        ft.plot.ratios(frame)
    ax = ft.plot.ratios(frame, labels=["rate", "latency"])
    assert rows(ax) == ["rate", "latency"]
    assert "I/Os per second and " in ax.get_xlabel()


@pytest.mark.parametrize("labels", [[], ["one"], ["one", "two", "three"]])
def test_ratios_want_a_label_for_each_row(labels):
    with pytest.raises(ft.SchemaError, match=f"{len(labels)} labels for 2 rows"):
        ft.plot.ratios(comparison(), labels=labels)


SWEPT = pd.DataFrame(
    {
        "fs": ["ext4"] * 6,
        "bs_bytes": [4096] * 3 + [32768] * 3,
        "bw_bytes_per_s": [1.0e9, 1.2e9, 3.0e9, 2.0e9, 2.1e9, 2.2e9],
    }
)


def sweep(frame=SWEPT, **options):
    return ft.plot.sweep(frame, "bw", **{"x": "bs_bytes", "hue": "fs", **options})


def repeats(frame=None, **options):
    frame = REPEATS if frame is None else frame
    return ft.plot.repeats(frame, "iops", **{"y": "mount", **options})


THREADS = pd.DataFrame(
    {
        "mount": ["ext4"] * 2,
        "thread": [0, 1],
        "iops": [10.0, 12.0],
        "lat_mean_ns": [5.0, 6.0],
        "lat_stddev_ns": [1.0, 1.0],
    }
)
NOTHING = [np.nan] * 4
MISTAKES = {
    "metric": (lambda: kinds.singles(RATES, "bw_byte_per_s", y="mount"), "did you mean 'bw_"),
    "y": (lambda: kinds.singles(RATES, y="mounts"), "did you mean 'mount'"),
    "hue": (lambda: kinds.slowest(THREADS, y="mount", hue="thraed"), "did you mean 'thread'"),
    "repeats' y": (lambda: repeats(y="mouth"), "no column 'mouth'; did you mean 'mount'"),
    "curve": (lambda: ft.plot.percentiles(CURVES, hue="mounts"), "did you mean 'mount'"),
    "bar": (lambda: ft.plot.timings(TIMES, y="cahce"), "did you mean 'cache'"),
    "sweep's x": (lambda: sweep(x="bs_byte"), "did you mean 'bs_bytes'"),
    "text": (lambda: kinds.singles(RATES, "direction", y="mount"), "must be a number"),
    "empty": (lambda: kinds.singles(RATES[:0], y="mount"), "no rows"),
    "empty latency": (lambda: kinds.slowest(THREADS[:0], y="mount"), "no rows"),
    "empty sweep": (lambda: sweep(SWEPT[:0]), "no rows"),
    "empty timings": (lambda: ft.plot.timings(TIMES[:0], y="cache"), "no rows"),
    "empty curves": (lambda: ft.plot.percentiles(CURVES[:0], hue="mount"), "no rows"),
    "empty ratios": (lambda: ft.plot.ratios(comparison()[:0]), "no rows"),
    "all missing": (
        lambda: kinds.singles(RATES.assign(bw_bytes_per_s=NOTHING), y="mount"),
        "no row has a value of 'bw_bytes_per_s'",
    ),
    "missing wall time": (
        lambda: ft.plot.timings(TIMES.assign(real_s=[1.0, np.nan]), y="cache"),
        "'real_s' is missing in 1 of 2 rows",
    ),
    "all curves missing": (
        lambda: ft.plot.percentiles(CURVES.assign(value_ns=np.nan), hue="mount"),
        "no row has a value of 'value_ns'",
    ),
    "no such order": (lambda: ft.plot.timings(TIMES, y="cache", order=["cold"]), "'after', 'bef"),
    "no such lines": (lambda: sweep(order=["xfs"]), "order=.*'ext4'"),
    "zero on a log axis": (
        lambda: kinds.singles(
            RATES.assign(bw_bytes_per_s=[0, 1, 2, 3]), y="mount", hue="direction", log=True
        ),
        "above zero",
    ),
    "zero in a curve": (
        lambda: ft.plot.percentiles(CURVES.assign(value_ns=0.0), hue="mount"),
        "above zero",
    ),
    "negative ratio": (lambda: ft.plot.ratios(comparison(ratio=[-1.0, 1.0])), "above zero"),
    "infinite": (
        lambda: kinds.singles(THREADS.assign(iops=np.inf), "iops", y="thread"),
        "infinite",
    ),
    "null x": (
        lambda: sweep(SWEPT.assign(bs_bytes=[4096.0] * 5 + [np.nan])),
        r"'bs_bytes' is missing in 1 of 6 rows: leave them out knowingly",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_one_line(mistake):
    draw, words = MISTAKES[mistake]
    with pytest.raises(ft.SchemaError, match=words) as told:
        draw()
    assert "\n" not in str(told.value)


def test_a_zero_is_a_value():
    frame = RATES.query("direction == 'read'").assign(bw_bytes_per_s=0.0)
    assert marked(kinds.singles(frame, y="mount")) == {(0, 0.0), (1, 0.0)}
    frame = THREADS.assign(lat_mean_ns=0.0)[1:]
    assert marked(kinds.slowest(frame, y="mount")) == {(0, 0.0)}


def test_saving_wants_what_was_drawn_and_not_its_name(tmp_path):
    ax = ft.plot.timings(TIMES, y="cache")
    with pytest.raises(ft.SchemaError, match=r"data= must be the Results or the frame .*, not str"):
        ft.plot.save(ax, tmp_path / "figures" / "x", data="data/dd.txt")
    assert not list(tmp_path.iterdir())


def against(rows, **more):
    """Make what `compare` answers, of (level, baseline, ratio, lo, hi)."""
    names = ["fs", "baseline", "ratio", "ratio_lo", "ratio_hi"]
    return pd.DataFrame(rows, columns=names).assign(metric="iops", n=3, n_baseline=3, **more)[
        ["fs", "baseline", "metric", "n", "n_baseline", "ratio", "ratio_lo", "ratio_hi"]
    ]


def test_the_axis_of_ratios_names_the_sides_that_all_rows_share():
    one = against([("xfs", "ext4", 1.1, 1.0, 1.2)] * 2)
    label = ft.plot.ratios(one, labels=["a", "b"]).get_xlabel()
    assert label.startswith("ratio of I/Os per second, xfs / ext4")
    two = against([("xfs", "ext4", 1.1, 1.0, 1.2), ("zfs", "ext4", 1.1, 1.0, 1.2)])
    label = ft.plot.ratios(two, labels=["a", "b"]).get_xlabel()
    assert label.startswith("ratio of I/Os per second, against ext4")
    assert ft.plot.ratios(two).get_xlabel().startswith("ratio of I/Os per second")


def test_an_interval_beyond_the_limits_has_an_arrow():
    rows = [("xfs", "ext4", 1.1, 0.3, 3.0), ("zfs", "ext4", 1.1, 0.9, 1.3)]
    ax = ft.plot.ratios(against(rows), limits=(0.5, 2))
    arrows = {
        line.get_marker(): line.get_xdata()[0]
        for line in ax.lines[1:]
        if len(line.get_xdata()) == 1
    }
    found = {mark: x for mark, x in arrows.items() if mark in "<>"}
    assert found == {"<": pytest.approx(0.5, rel=0.05), ">": pytest.approx(2, rel=0.05)}
    assert ax.get_xlim()[0] > 0.4
    assert "1.10x [0.300, 3.00]" in [text.get_text() for text in ax.texts]
    assert said(ax).endswith("arrow: the interval goes on")


def test_shared_axes_show_what_was_drawn_on_each():
    wide = against([("xfs", "ext4", 1.1, 0.3, 3.0)])
    narrow = against([("xfs", "ext4", 1.1, 1.0, 1.2)])
    _, axes = plt.subplots(2, sharex=True)
    for ax, part in zip(axes, (wide, narrow), strict=True):
        ft.plot.ratios(part, ax=ax)
    low, high = axes[0].get_xlim()
    assert low < 0.3 < 3 < high
    _, axes = plt.subplots(2, sharex=True)
    for ax, rate in zip(axes, (1000.0, 10.0), strict=True):
        runs = pd.DataFrame({"fs": ["a", "a"], "iops": [rate, 2 * rate]})
        ft.plot.repeats(runs, "iops", y="fs", ax=ax)
    assert axes[0].get_xlim()[1] > 2000


def test_points_of_repeats_do_not_hide_each_other():
    runs = pd.DataFrame({"fs": ["a"] * 4, "iops": [1000.0, 1001.0, 1002.0, 5000.0]})
    ax = ft.plot.repeats(runs, "iops", y="fs")
    points = [line.get_xydata()[0] for line in ax.lines if line.get_marker() == "o"]
    assert sorted(x for x, _ in points) == sorted(runs["iops"])
    near = [y for x, y in points if x < 2000]
    assert len(set(near)) == 3
    assert all(abs(y) < 0.4 for y in near)


def three(**columns):
    return kinds.means(kinds.runs(["a", "b", "c"], 1)).assign(**columns)


def test_times_of_zero_have_no_legend():
    ax = ft.plot.timings(three(real_s=0.0, user_s=0.0, sys_s=0.0), y="device")
    assert ax.get_legend() is None
    assert [text.get_text() for text in ax.texts] == ["0 s"] * 3


@pytest.mark.parametrize(
    ("limit", "log"), [(float("nan"), False), (float("inf"), False), (0.0, True)]
)
def test_a_limit_that_has_no_place_is_refused(limit, log):
    with pytest.raises(ft.SchemaError, match="is not a limit: write"):
        kinds.singles(three(), "iops", y="device", ceilings={"USB": limit}, log=log)


@pytest.mark.parametrize("log", [False, True])
def test_ticks_of_millions_do_not_run_into_each_other(log):
    own = three(iops=[4e5, 7e6, 3.1e7])
    ax = kinds.singles(own, "iops", y="device", log=log, ax=plt.subplots(figsize=(3.3, 2))[1])
    assert not kinds.faults(ax.get_figure())


COMPARED = pd.DataFrame(
    {"fs": ["xfs"], "baseline": "ext4", "metric": "iops", "n": 3, "n_baseline": 3}
).assign(ratio=4.0, ratio_lo=3.3, ratio_hi=4.8, percentile=50.0)


@pytest.mark.parametrize("limits", [(0.9, 1.1), (5.0, 9.0), (2.0, 1.0)])
def test_an_interval_beyond_the_limits_begins_at_its_ratio(limits):
    ax = ft.plot.ratios(COMPARED.drop(columns="percentile"), limits=limits)
    low, high = ax.get_xlim()
    assert low < 4.0 < high


@pytest.mark.parametrize("draw", [ft.plot.ratios, ft.plot.tails])
def test_ratios_that_have_no_axis_are_refused(draw):
    with pytest.raises(ft.SchemaError, match="'ratio_hi' is infinite in a row"):
        draw(COMPARED.assign(ratio_hi=np.inf))
    with pytest.raises(ft.SchemaError, match="band is -1: it is a share"):
        draw(COMPARED, band=-1)


def test_several_axes_are_saved_and_titled_like_one(tmp_path):
    axes = kinds.both(kinds.swept(kinds.runs(["a"], 1)))
    ft.plot.title(axes, "Both panels")
    assert axes[0].get_figure().get_suptitle() == "Both panels"
    (file,) = ft.plot.save(axes, tmp_path / "load.PNG")
    assert file.read_bytes().startswith(b"\x89PNG")


def test_formats_are_checked_before_anything_is_written(tmp_path):
    ax = ft.plot.timings(three(), y="device")
    assert [file.name for file in ft.plot.save(ax, tmp_path / "a", formats="svg")] == ["a.svg"]
    with pytest.raises(ValueError, match="a plot is saved as svg, png, pdf, not 'jpg'"):
        ft.plot.save(ax, tmp_path / "b", formats=("svg", "jpg"))
    assert not list(tmp_path.glob("b*"))


@needs_letters
def test_a_japanese_title_is_broken_without_the_language():
    ax = ft.plot.timings(three(), y="device")
    ft.plot.title(ax, "二回目の読み出しはキャッシュから来るので時間は十分の一になる" * 3)
    assert not kinds.faults(ax.get_figure())


def test_rows_of_dd_stand_beside_those_of_fio(tmp_path):
    """A dd without its command has no direction: files tell it from reads and writes."""
    (tmp_path / "dd.log").write_text("1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.5 s, 2.1 MB/s\n")
    rounds = ROOT / "data" / "how-many-runs" / "rounds"
    files = [tmp_path / "dd.log", rounds / "randread_ext4_1.json", rounds / "fsync_ext4_1.json"]
    res = ft.read([*map(str, files)]).where("bw>=0")
    found = ft.plot.repeats.spec(res, "bw", y="source")
    assert found.hue is None
    assert len(found.rows) == 3


def test_the_palette_that_was_set_is_taken():
    runs = ft.example("how-many-runs").where("workload=randread")
    with sns.color_palette(["red", "black"]):
        axes = ft.plot.percentiles(runs, hue="filesystem")
    colours = {to_hex(line.get_color()) for line in axes.lines}
    assert {"#ff0000", "#000000"} <= colours
    assert "#0072b2" not in colours
