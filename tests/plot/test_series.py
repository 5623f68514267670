"""Series over time, asked by what is drawn on them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import fiotools as ft
from tests.conftest import FIXTURES
from tests.plot.kinds import said

KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame}
DECAY = [104.0, 102.0, 100.0, 98.0, 96.0]


def log(values=DECAY, kind=pd.DataFrame, **more):
    columns = {
        "source": "a.log",
        "run": 1,
        "direction": "read",
        "quantity": "iops",
        "time_s": [float(second) for second in range(1, len(values) + 1)],
        "value": list(values),
    }
    full = {
        name: column if isinstance(column, list) else [column] * len(values)
        for name, column in {**columns, **more}.items()
    }
    return kind(full)


def fixture(name):
    return ft.read(FIXTURES / "fio" / f"fio-3.33--{name}").samples


def steps(ax):
    """Every line of steps: its values and the edges between them."""
    found = [line for line in ax.lines if line.get_drawstyle() == "steps-post"]
    return [(list(line.get_ydata())[:-1], list(line.get_xdata())) for line in found]


def words(ax):
    return " ".join([*(text.get_text() for text in ax.texts), said(ax)]).replace("\n", " ")


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_sample_is_as_long_as_its_time(kind):
    ax = ft.plot.series(log(kind=kind))
    assert steps(ax) == [(DECAY, [0, 1, 2, 3, 4, 5])]
    assert (said(ax), ax.get_ylabel()) == ("time since the start", "I/Os per second (read)")
    assert not ax.texts


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_rounds_are_short_bars_and_what_is_allowed_ends_at_named_lines(kind):
    samples = log([300.0, *DECAY], kind)
    spec = ft.plot.series.spec(samples, steady=ft.steady(samples, round_s=1))
    bars = [(level.begin, level.end, level.value) for level in spec.levels]
    assert bars == [(at + 1, at + 2, value) for at, value in enumerate(DECAY)]
    # the rounds are from 96 to 104, and may range over 20
    assert [(one.low, one.text) for one in spec.limits] == [
        (pytest.approx(90), "allowed from 90"),
        (pytest.approx(110), "allowed to 110"),
    ]
    assert spec.said == (
        "window met: range 8.00 % (≤20 %), fall 8.00 % (≤10 %), drift 2.00 %/round"
    )
    assert spec.notes == ("thick: mean of a round of 1 s",)
    ax = ft.plot.series(samples, steady=ft.steady(samples, round_s=1))
    assert spec.said in [text.get_text() for text in ax.texts]


def test_rounds_are_drawn_over_their_samples():
    samples = log([1.0, 3.0, *(x + d for x in DECAY for d in (-1, 1)), 7.0])
    spec = ft.plot.series.spec(samples, steady=ft.steady(samples, round_s=2))
    assert [row.y for row in spec.rows][:-1] == samples["value"].to_list()
    assert [level.begin for level in spec.levels] == [2, 4, 6, 8, 10]
    assert spec.levels[-1].end == 12, "what is left at the end is no round"
    assert [level.value for level in spec.levels] == DECAY


def test_too_few_rounds_have_no_limits():
    samples = log([1.0, 2.0])
    spec = ft.plot.series.spec(samples, steady=ft.steady(samples))
    assert spec.said == "too few rounds: 2 of 5"
    assert not spec.limits


def test_single_ios_are_points():
    samples = fixture("log-single_clat.1.log").query("direction == 'read'")
    spec = ft.plot.series.spec(samples)
    assert [row.x for row in spec.rows] == pytest.approx(samples["time_s"].to_list())
    assert [row.y for row in spec.rows] == samples["value"].to_list()
    assert spec.how == {"dots"} or spec.how == {"dots", "thin"}
    assert spec.y.label == "completion latency (read)"


def test_rounds_of_single_ios_are_drawn_over_them():
    samples = singles([0.5, 1.0, 1.5, 2.5, 3.0])
    told = ft.steady(samples, round_s=1)
    spec = ft.plot.series.spec(samples, steady=told)
    assert [(row.x, row.y) for row in spec.rows] == list(
        zip([0.5, 1.0, 1.5, 2.5, 3.0], [1e3, 2e3, 3e3, 4e3, 5e3], strict=True)
    )
    assert [level.value for level in spec.levels] == [1500, 3000, 4500]


def test_a_window_that_is_not_met_says_so():
    samples = log([70.0, 130.0, 100.0, 100.0, 150.0])
    said = words(ft.plot.series(samples, steady=ft.steady(samples)))
    assert "window not met: range 72.7 % (≤20 %), rise 47.3 % (≤10 %), drift 11.8 %/round" in said


def test_the_mean_of_a_long_series_has_its_interval():
    samples = log(np.random.default_rng(1).normal(1000, 50, 300).tolist())
    told = ft.steady(samples)
    row = told.iloc[0]
    said = words(ft.plot.series(samples, steady=told))
    low, high = f"{row['mean_lo']:,.0f}", f"{row['mean_hi']:,.0f}"
    assert f"95 % interval {low} /s to {high} /s" in said


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_lines_have_names_markers_and_words_of_their_own(kind):
    both = {
        name: column + log([10.0] * 5, direction="write")[name].to_list()
        for name, column in log().to_dict("list").items()
    }
    samples = kind(both)
    ax = ft.plot.series(
        samples, hue="direction", order=["write", "read"], steady=ft.steady(samples)
    )
    assert [values for values, _ in steps(ax)] == [[10.0] * 5, DECAY]
    assert [text.get_text() for text in ax.texts] == ["write", "read"]
    assert {line.get_marker() for line in ax.lines} >= {"o", "s"}
    assert "write: window met: range 0 %" in words(ax)
    assert "read: window met: range 8.00 %" in words(ax)
    assert ax.get_ylabel() == "I/Os per second"


def test_one_sample_is_a_step():
    assert steps(ft.plot.series(log([5.0]))) == [([5.0], [0, 1])]


def test_samples_without_times_are_counted():
    ax = ft.plot.series(log(time_s=[None] * 5))
    assert steps(ax)[0][1] == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]
    assert said(ax) == "sample"


def test_a_plain_frame_is_named_by_what_was_asked_for():
    samples = pd.DataFrame({"time_s": [1.0, 2.0], "value": [5.0, 6.0]})
    told = ft.steady(samples, "iops")
    ax = ft.plot.series(samples, "iops", steady=told)
    assert ax.get_ylabel() == "I/Os per second"
    assert steps(ax)[0][0] == [5, 6]


def test_all_zero_is_drawn():
    samples = log([0.0] * 5)
    ax = ft.plot.series(samples, steady=ft.steady(samples))
    assert "nothing was done in the window" in words(ax)


def test_what_tools_count_from_the_start_is_a_rate():
    samples = fixture("status-interval.json")
    ax = ft.plot.series(samples, "io_bytes", steady=ft.steady(samples, "io_bytes"))
    (values, edges), *_ = steps(ax)
    assert len(values) == 3
    assert values == pytest.approx([4.096e6] * 3, rel=0.02), "1000 reads of 4 KiB a second"
    assert edges[0] == 0
    assert ax.get_ylabel() == "bandwidth (read)"


def test_counts_of_a_histogram_log_are_iops():
    samples = fixture("log-hist_clat_hist.1.log").query("direction == 'read'")
    ax = ft.plot.series(samples)
    (values, edges), *_ = steps(ax)
    assert np.diff(edges) @ values == pytest.approx(samples["value"].sum())
    assert ax.get_ylabel() == "I/Os per second (read)"


def singles(times):
    values = [1000.0 * (at + 1) for at in range(len(times))]
    return log(values, quantity="clat_ns", time_s=times, bs_bytes=4096)


THREADS = pd.concat([log(thread=0), log(thread=1)])
TWO = pd.concat([log(), log(direction="write")])
MISTAKES = {
    "empty": (lambda: ft.plot.series(log()[:0]), "no rows"),
    "all missing": (lambda: ft.plot.series(log([np.nan] * 5)), "value is missing in 5 of 5 rows"),
    "infinite": (lambda: ft.plot.series(log([1.0, np.inf])), "infinite"),
    "negative": (lambda: ft.plot.series(log([1.0, -1.0])), "below 0"),
    "time below 0": (lambda: ft.plot.series(log(time_s=[-1.0, 1, 2, 3, 4])), "time_s is below 0"),
    "text": (lambda: ft.plot.series(log(value=list("abcde"))), "must be a number"),
    "no value": (lambda: ft.plot.series(log().drop(columns="value")), "no column 'value'"),
    "quantity": (lambda: ft.plot.series(log(), "iosp"), "no sample of 'iosp'; there are: iops"),
    "hue": (lambda: ft.plot.series(log(), hue="diretion"), "did you mean 'direction'"),
    "no such order": (lambda: ft.plot.series(TWO, hue="direction", order=["trim"]), "'read', 'wr"),
    "directions": (
        lambda: ft.plot.series(TWO),
        r"differ in direction \(read, write\), .*direction == 'read', .*hue='direc",
    ),
    "threads": (lambda: ft.plot.series(THREADS), "differ in thread .*hue='thread'"),
    "labels": (
        lambda: ft.plot.series(pd.concat([log(fs="xfs"), log(fs="ext4", source="b")])),
        "differ in fs .*hue='fs'",
    ),
    "runs of a line": (
        lambda: ft.plot.series(pd.concat([log(), log(run=2)]), hue="direction"),
        r"rows of 'read' differ in run \(1, 2\).*run == 1",
    ),
    "twice": (lambda: ft.plot.series(pd.concat([log(), log()])), "times do not rise"),
    "single I/Os": (
        lambda: ft.plot.series(log([1.0] * 5, bs_bytes=4096)),
        r"one I/O each: .*round_s=1",
    ),
    "rounds without I/O": (
        lambda: ft.plot.series(
            singles([0.5, 2.5]), steady=ft.steady(singles([0.5, 2.5]), round_s=1)
        ),
        "some rounds are without I/O",
    ),
    "units": (
        lambda: ft.plot.series(pd.concat([log(), log(quantity="bw_bytes_per_s")]), hue="quantity"),
        "several units",
    ),
    "no steady": (lambda: ft.plot.series(log(), steady=log()), "not the answer of steady"),
    "another steady": (
        lambda: ft.plot.series(log(), steady=ft.steady(log(run=2))),
        "has no rows about a line",
    ),
    "other samples": (
        lambda: ft.plot.series(log(), steady=ft.steady(log([1.0] * 6))),
        "about other samples",
    ),
    "other values": (
        lambda: ft.plot.series(log(), steady=ft.steady(log([1.0] * 5))),
        "about other samples",
    ),
    "a label that numbers": (
        lambda: ft.plot.series(
            ROUNDS := pd.concat([log(round=1), log(round=2)]), steady=ft.steady(ROUNDS, by="round")
        ),
        r"differ in round \(1, 2\)",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_one_line(mistake):
    draw, said = MISTAKES[mistake]
    with pytest.raises(ft.SchemaError, match=said) as told:
        draw()
    assert "\n" not in str(told.value)


def test_windows_without_io_leave_the_others_in_their_places():
    samples = pd.DataFrame(
        {
            "direction": "read", "quantity": "lat_ns", "bs_bytes": 4096,
            "time_s": [0.5, 1.5, 4.2, 5.5], "value": [1e5, 2e5, 3e5, 4e5],
        }
    )  # fmt: skip
    windows = ft.window(samples, "1s")
    # the first window begins with the first I/O, and the last ends with the last
    for figure, ends in (("iops", [0.5, 1, 2, 3, 4, 5, 5.501]), ("mean", [0.5, 1, 2, 5, 5.501])):
        (line,) = [
            line
            for line in ft.plot.series(windows, figure).lines
            if line.get_drawstyle() == "steps-post"
        ]
        assert line.get_xdata().tolist() == pytest.approx(ends)
