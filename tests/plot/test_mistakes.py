"""What cannot be drawn is told in one line, with what to do instead."""

import inspect

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import fiotools as ft
from fiotools.errors import SchemaError
from tests.plot import kinds

RUNS = kinds.runs(["a", "b"], 2)
MEANS = kinds.means(RUNS)
RATIOS = kinds.against_the_first(RUNS)
SWEPT = kinds.swept(RUNS)
THREADS = kinds.threads(RUNS)
TAIL = kinds.tail(MEANS)
TAILS = kinds.ratios_of_tails(RUNS)
BINS = kinds.histograms(RUNS)
TIMED = kinds.bins_over_time(RUNS)
SAMPLES = kinds.samples(RUNS)
CHECKS = kinds.checks(RUNS)
LINE = SAMPLES[SAMPLES["device"] == "a"]
BOUNDS = pd.DataFrame(
    {
        "device": ["a"] * 2,
        "percentile": [50.0, 99.0],
        "bound_lo_ns": 10.0,
        "bound_hi_ns": [12.0, 20],
    }
)
# of each kind: a frame, and the arguments that name its columns
ASKED = {
    "repeats": (RUNS, {"metric": "iops", "y": "device"}),
    "ratios": (RATIOS, {}),
    "sweep": (SWEPT, {"metric": "iops", "x": "iodepth", "hue": "device"}),
    "grid": (SWEPT, {"metric": "iops", "x": "iodepth", "y": "device"}),
    "fairness": (THREADS, {"y": "device"}),
    "percentiles": (TAIL, {"hue": "device"}),
    "tails": (TAILS, {}),
    "cdf": (BINS, {"hue": "device"}),
    "heatmap": (TIMED, {}),
    "series": (SAMPLES, {"hue": "device"}),
    "threads": (SAMPLES, {"y": "device"}),
    "timings": (MEANS, {"y": "device"}),
    "parts": (kinds.PARTS, {}),
    "credibility": (CHECKS, {"y": "device"}),
}


def draw(kind, frame=None, **named):
    given, asked = ASKED[kind]
    return getattr(ft.plot, kind)(given if frame is None else frame, **{**asked, **named})


@pytest.mark.parametrize("kind", ft.plot.KINDS)
def test_what_each_kind_needs(kind):
    frame, asked = ASKED[kind]
    with pytest.raises(SchemaError, match="the frame has no rows"):
        draw(kind, frame[:0])
    for role in {*asked} - {"metric"}:
        with pytest.raises(SchemaError, match="no column 'devcie'; did you mean 'device'"):
            draw(kind, **{role: "devcie"})
    if "order" in inspect.signature(getattr(ft.plot, kind)).parameters:
        with pytest.raises(SchemaError, match=r"order=\['c'\] names nothing .*: 'a', 'b'"):
            draw(kind, order=["c"])


def changed(kind, **columns):
    """Draw a kind with columns that have other values."""
    return lambda: draw(kind, ASKED[kind][0].assign(**columns))


def twice(kind, **columns):
    """Draw a kind with its rows and the same rows with other values."""
    frame = ASKED[kind][0].assign(**{name: values[0] for name, values in columns.items()})
    other = frame.assign(**{name: values[-1] for name, values in columns.items()})
    return lambda: draw(kind, pd.concat([frame, other]))


def line(values=None, **columns):
    """Give the samples of a line, with other values."""
    values = LINE["value"].tolist() if values is None else values
    return LINE[: len(values)].assign(value=values, **columns)


def series(frame, *given, **named):
    return lambda: ft.plot.series(frame, *given, **named)


def ios(times):
    """Single I/Os that end at times."""
    values = [1000.0] * len(times)
    return line(values, quantity="clat_ns", time_s=times, bs_bytes=4096)


LABELLED = pd.concat([line(round=1), line(round=2)])
DIRECTIONS = ("read", "write")
CALLS = [
    # columns and their values
    (lambda: ft.plot.repeats(RUNS, y="device"), "name the column to draw, metric="),
    (lambda: draw("fairness", y=None), "name the column that names the rows, y="),
    (lambda: draw("repeats", metric="source"), "must be a number"),
    (changed("repeats", iops=np.nan), "no row has a value of 'iops'"),
    (changed("repeats", iops=np.inf), "'iops' is infinite in a row"),
    (
        lambda: draw("repeats", RUNS.assign(iops=[0, 1, 2, 3]), log=True),
        "'iops' is 0 in a row: a logarithmic axis needs values above zero",
    ),
    (lambda: draw("fairness", THREADS.drop(columns="iops")), "no column 'iops'"),
    (changed("timings", real_s=[1.0, np.nan]), "'real_s' is missing in 1 of 2 rows"),
    (changed("sweep", iodepth=[*range(19), np.nan]), "is missing in 1 of 20 rows: leave them out"),
    # rows, curves and panels
    (
        lambda: ft.plot.repeats(kinds.runs([*range(41)], 1), "iops", y="device"),
        "keep some, device == 0, at most 40",
    ),
    (
        lambda: draw("repeats", RUNS.assign(lat_max_ns=1e6), metric="lat_mean_ns", to="lat_max_ns"),
        "several rows of one device: name what differs, hue=",
    ),
    (
        lambda: draw("sweep", by="round", ax=plt.subplots()[1]),
        r"ax= is 2 matplotlib Axes here: .*, one for each of round 0, round 1",
    ),
    (lambda: draw("repeats", ceilings={"USB": np.nan}), "is not a limit: write"),
    (lambda: draw("repeats", ceilings={"USB": np.inf}), "is not a limit: write"),
    (lambda: draw("repeats", ceilings={"USB": 0.0}, log=True), "is not a limit: write"),
    # ratios
    (lambda: ft.plot.ratios(RUNS[["device", "iops"]][:1]), "there is only one side"),
    (lambda: ft.plot.ratios(RUNS.assign(baseline="a")), "not a comparison: no column"),
    (
        twice("ratios", metric=["iops", "bw"]),
        r"several metrics .*metric == 'iops', or give labels=",
    ),
    (lambda: draw("ratios", labels=[]), "0 labels for 2 rows"),
    (lambda: draw("ratios", labels=["one", "two", "three"]), "3 labels for 2 rows"),
    (changed("ratios", ratio_hi=np.inf), "'ratio_hi' is infinite in a row"),
    (changed("tails", ratio_hi=np.inf), "'ratio_hi' is infinite in a row"),
    (lambda: draw("tails", band=-1), "band is -1: it is a share"),
    (lambda: ft.plot.parts(kinds.PARTS.assign(log_ratio=None)), "no part has a ratio"),
    (
        lambda: ft.plot.parts(kinds.PARTS.assign(baseline=None, seconds=np.nan)),
        "no part of this side is a time",
    ),
    # sweeps
    (lambda: draw("sweep", metric=["iops", "bw", "lat_mean"]), "one metric or two, not 3"),
    (lambda: draw("sweep", metric="lat_mean", limit="300us"), "limit is .*: give two metrics"),
    (lambda: draw("sweep", TAIL.assign(iodepth=1), metric=["p99", "clat_p99"]), "no column"),
    (
        lambda: ft.plot.grid(pd.concat([RATIOS, RATIOS]), x="device", y="metric"),
        "several rows for one device and metric: keep one level",
    ),
    (
        lambda: ft.plot.grid(RATIOS.assign(ratio=np.nan), x="device", y="metric"),
        "no row has a ratio",
    ),
    # rows that differ are not drawn as one
    (
        twice("fairness", direction=DIRECTIONS),
        r"differ in direction \(read, write\).*keep it, direction == 'read'",
    ),
    (twice("fairness", source=["x", "y"]), r"rows of 'a' differ in source \(x, y\).*keep it"),
    (twice("percentiles", direction=DIRECTIONS), "differ in direction .*, by='direction'"),
    (twice("percentiles", run=[1]), "'a' has a percentile twice"),
    (twice("cdf", direction=DIRECTIONS), r"differ in direction .*direction == 'read'"),
    (twice("cdf", latency=["clat", "slat"]), "differ in latency .*latency == 'clat'"),
    (twice("heatmap", direction=DIRECTIONS), r"differ in direction .*direction == 'read'"),
    (twice("heatmap", run=[1]), "are there twice"),
    (
        series(pd.concat([line(), line(direction="write")])),
        r"differ in direction \(read, write\), .*direction == 'read', .*hue='direc",
    ),
    (series(pd.concat([line(thread=0), line(thread=1)])), "differ in thread .*hue='thread'"),
    (
        series(pd.concat([line(fs="xfs"), line(fs="ext4", source="y")])),
        "differ in fs .*hue='fs'",
    ),
    (twice("series", run=[1, 2]), r"rows of 'a' differ in run \(1, 2\).*run == 1"),
    (twice("series", run=[1]), "times do not rise"),
    (twice("threads", source=["x", "y"]), "a row would add up several runs: by='source'"),
    # latencies
    (
        lambda: ft.plot.cdf(ft.read("data/dda-vhdx/xml/nvme.xml")),
        "these files have none: fio prints them with --output-format=json+",
    ),
    (changed("cdf", count=0), "no bin has an I/O"),
    (changed("cdf", count=np.nan), "count is missing"),
    (changed("cdf", count=-1), "counted from 0"),
    (changed("cdf", bin_lo_ns=-1.0), "latencies are not below 0"),
    (changed("cdf", bin_hi_ns=2.0), "ends at 2"),
    (changed("cdf", bin_lo_ns=np.inf, bin_hi_ns=np.inf), "begins at"),
    (changed("cdf", bin_lo_ns=np.nan), "needs both edges"),
    (lambda: draw("cdf", weight="bytes"), "weight='bytes' is one of ios, time"),
    (changed("heatmap", time_s=None), r"bins of whole runs.*log_hist_msec=1000"),
    (changed("heatmap", count=0), "no bin has an I/O"),
    (changed("heatmap", time_s=-1.0), "'time_s' is -1 in a row: runs begin at 0"),
    (changed("percentiles", value_ns=np.nan), "no row has a value of 'value_ns'"),
    (changed("percentiles", value_ns=0.0), "above zero"),
    (lambda: draw("percentiles", BOUNDS.assign(bound_lo_ns=np.nan)), "has a value of 'value_ns'"),
    (lambda: draw("percentiles", BOUNDS.assign(bound_lo_ns=-5.0)), "'bound_lo_ns' is -5 in a row"),
    (lambda: draw("percentiles", BOUNDS.drop(columns="bound_hi_ns")), "no column 'value_ns'"),
    (lambda: ft.plot.percentiles(TAIL, y="device", at=[12]), "no row has one of the percentiles"),
    # series
    (series(line([np.nan] * 5)), "value is missing in 5 of 5 rows"),
    (series(line([1.0, -1.0])), "below 0"),
    (series(line([1.0, 1.0], time_s=[-1.0, 1.0])), "time_s is below 0"),
    (series(line(), "iosp"), "no sample of 'iosp'; there are: iops"),
    (series(line(bs_bytes=4096)), "one I/O each: .*round_s=1"),
    (twice("series", quantity=["iops", "bw_bytes_per_s"]), "differ in quantity"),
    (
        series(pd.concat([line(), line(quantity="bw_bytes_per_s")]), hue="quantity"),
        "several units",
    ),
    (series(line(), steady=line()), "not the answer of steady"),
    (series(line(), steady=ft.steady(line(run=2))), "has no rows about a line"),
    (series(line(), steady=ft.steady(line([1.0] * 6))), "about other samples"),
    (series(line(), steady=ft.steady(line([1.0] * 20))), "about other samples"),
    (series(LABELLED, steady=ft.steady(LABELLED, by="round")), r"differ in round \(1, 2\)"),
    (series(ios([0.5, 2.5]), steady=True, round_s=1), "some rounds are without I/O"),
    (
        series(line(quantity="bw_bytes_per_s"), x="written"),
        "needs the bandwidth of writes: fio --write_bw_log",
    ),
    (
        series(line(quantity="bw_bytes_per_s", direction="write"), x="written", steady=True),
        "about time, and not what was written",
    ),
    (series(line(), x="bytes"), "x='bytes' is one of time, written"),
    # threads and checks
    (lambda: ft.plot.threads(LINE), "of one thread or job: use DISKSPD -D1000, or fio"),
    (changed("threads", quantity="lat_ns"), "need rates with times"),
    (
        lambda: ft.plot.threads(ft.read("tests/fixtures/fio/fio-3.33--libaio.json")),
        "did over time: use DISKSPD -D1000, or fio .*--per_job_logs=1",
    ),
    (lambda: draw("credibility", CHECKS.drop(columns="check")), "not the answer of check"),
    # colours, sizes and languages
    (
        lambda: draw("sweep", palette="huls"),
        "palette='huls' is not a palette: .* did you mean 'hls' or 'husl'",
    ),
    (lambda: draw("sweep", palette=["rde"]), "is not a palette: name one of seaborn"),
    (lambda: draw("sweep", palette={"a": "red"}), "has no colour for 'b': give each"),
    (
        lambda: draw("repeats", palette={"a": "red"}),
        "names levels, and no level has a colour of its own",
    ),
    (lambda: ft.plot.style("colum"), r"'colum' is not a size .* did you mean 'column'"),
    (lambda: ft.plot.style(lang="xx"), r"^lang='xx' is not a language of plots: en, ja$"),
]


@pytest.mark.parametrize(("call", "told"), CALLS, ids=range(len(CALLS)))
def test_a_mistake_is_told_in_one_line(call, told):
    with pytest.raises(SchemaError, match=told) as error:
        call()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("kind", "given", "named", "told"),
    [
        ("sweep", (RUNS,), {"x": "iodepth", "y": "iops"}, "no y=; did you mean metric="),
        ("repeats", (RUNS, "iops"), {"color": "device"}, "did you mean hue="),
        ("series", (RUNS,), {"metric": "iops"}, "takes no metric="),
        ("repeats", (RUNS, "iops"), {"titel": "x"}, r"did you mean title=\?"),
        ("percentiles", (RUNS,), {"style": "column"}, r'write ft.plot.style\("column"\)'),
        ("sweep", (RUNS,), {"legend": False}, r"write ax.legend\(loc="),
        ("repeats", (RUNS, "iops"), {"zzz": 1}, "takes no zzz=; it takes"),
        ("sweep", (RUNS, "iodepth", "iops"), {}, "takes data, metric in this .* by name: x=, hue="),
        ("repeats", (RUNS, "iops"), {"metric": "iops"}, "takes data, metric in this order"),
        ("repeats", (), {"metric": "iops"}, r"data such as read\(files\)"),
    ],
)
def test_a_wrong_argument_is_told_in_one_line_with_those_there_are(kind, given, named, told):
    with pytest.raises(SchemaError, match=told) as error:
        getattr(ft.plot, kind)(*given, **named)
    assert "\n" not in str(error.value)
    assert "title" in str(error.value)
    assert error.value.__cause__ is None
