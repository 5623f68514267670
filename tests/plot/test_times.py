"""Series over time and maps of threads, asked by what is drawn on them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import fiotools as ft
from tests.conftest import FIXTURES
from tests.plot import drawn
from tests.plot.kinds import said

DECAY = [104.0, 102.0, 100.0, 98.0, 96.0]


def log(values=DECAY, **more):
    seconds = [float(second) for second in range(1, len(values) + 1)]
    columns = {"source": "a.log", "run": 1, "direction": "read", "quantity": "iops"}
    return pd.DataFrame({**columns, "time_s": seconds, "value": list(values), **more})


def as_polars(frame):
    return pl.DataFrame(frame.to_dict("list"))


def fixture(name):
    return ft.read(FIXTURES / "fio" / f"fio-3.33--{name}").samples


def steps(ax):
    """Every line of steps: its values and the edges between them."""
    found = [line for line in ax.lines if line.get_drawstyle() == "steps-post"]
    return [(list(line.get_ydata())[:-1], list(line.get_xdata())) for line in found]


def words(ax):
    return " ".join([*(text.get_text() for text in ax.texts), said(ax)]).replace("\n", " ")


@pytest.mark.parametrize("kind", [pd.DataFrame, as_polars], ids=["pandas", "polars"])
def test_a_sample_is_as_long_as_its_time(kind):
    ax = ft.plot.series(kind(log()))
    assert steps(ax) == [(DECAY, [0, 1, 2, 3, 4, 5])]
    assert (said(ax), ax.get_ylabel()) == ("time since the start", "I/Os per second (read)")
    assert not ax.texts


@pytest.mark.parametrize(
    ("samples", "named", "values", "edges", "axes"),
    [
        (log([5.0]), {}, [5.0], [0, 1], ("time since the start", "I/Os per second (read)")),
        (
            log(time_s=None),
            {},
            DECAY,
            [0.5, 1.5, 2.5, 3.5, 4.5, 5.5],
            ("sample", "I/Os per second (read)"),
        ),
        (
            log([5.0, 6.0])[["time_s", "value"]],
            {"quantity": "iops"},
            [5, 6],
            [0, 1, 2],
            ("time since the start", "I/Os per second"),
        ),
    ],
    ids=["one sample", "no times", "a plain frame"],
)
def test_steps_of_few_columns(samples, named, values, edges, axes):
    ax = ft.plot.series(samples, **named)
    assert steps(ax) == [(values, edges)]
    assert (said(ax), ax.get_ylabel()) == axes


@pytest.mark.parametrize("kind", [pd.DataFrame, as_polars], ids=["pandas", "polars"])
def test_rounds_are_short_bars_and_what_is_allowed_ends_at_named_lines(kind):
    samples = kind(log([300.0, *DECAY]))
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


def test_single_ios_are_points_with_their_rounds_over_them():
    logged = fixture("log-single_clat.1.log").query("direction == 'read'")
    spec = ft.plot.series.spec(logged)
    assert [row.x for row in spec.rows] == pytest.approx(logged["time_s"].to_list())
    assert [row.y for row in spec.rows] == logged["value"].to_list()
    assert "dots" in spec.how
    assert spec.y.label == "completion latency (read)"
    times, values = [0.5, 1.0, 1.5, 2.5, 3.0], [1e3, 2e3, 3e3, 4e3, 5e3]
    samples = log(values, quantity="clat_ns", time_s=times, bs_bytes=4096)
    spec = ft.plot.series.spec(samples, steady=ft.steady(samples, round_s=1))
    assert [(row.x, row.y) for row in spec.rows] == list(zip(times, values, strict=True))
    assert [level.value for level in spec.levels] == [1500, 3000, 4500]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([1.0, 2.0], "too few rounds: 2 of 5"),
        (
            [70.0, 130.0, 100.0, 100.0, 150.0],
            "window not met: range 72.7 % (≤20 %), rise 47.3 % (≤10 %), drift 11.8 %/round",
        ),
        ([0.0] * 5, "nothing was done in the window"),
    ],
)
def test_a_window_that_is_not_met_says_so(values, told):
    samples = log(values)
    judged = ft.steady(samples)
    assert told in words(ft.plot.series(samples, steady=judged))
    assert bool(ft.plot.series.spec(samples, steady=judged).limits) == ("not met" in told)


def test_the_mean_of_a_long_series_has_its_interval():
    samples = log(np.random.default_rng(1).normal(1000, 50, 300).tolist())
    told = ft.steady(samples)
    low, high = (f"{told[name][0]:,.0f} /s" for name in ("mean_lo", "mean_hi"))
    ax = ft.plot.series(samples, steady=told)
    assert f"95 % interval {low} to {high}" in words(ax)
    assert ax.get_ylim()[0] > 500, "the range of the data"


def test_lines_have_names_markers_and_words_of_their_own():
    samples = pd.concat([log(), log([10.0] * 5, direction="write")])
    named = {"hue": "direction", "order": ["write", "read"]}
    ax = ft.plot.series(samples, steady=ft.steady(samples), **named)
    assert [values for values, _ in steps(ax)] == [[10.0] * 5, DECAY]
    assert [text.get_text() for text in ax.texts] == ["write", "read"]
    assert {line.get_marker() for line in ax.lines} >= {"o", "s"}
    assert "write: window met: range 0 %" in words(ax)
    assert "read: window met: range 8.00 %" in words(ax)
    assert ax.get_ylabel() == "I/Os per second"


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


@pytest.mark.parametrize(
    ("figure", "ends"),
    [("iops", [0.5, 1, 2, 3, 4, 5, 5.501]), ("mean", [0.5, 1, 2, 5, 5.501])],
)
def test_windows_without_io_leave_the_others_in_their_places(figure, ends):
    """The first window begins with the first I/O, and the last ends with the last."""
    times = [0.5, 1.5, 4.2, 5.5]
    samples = log([1e5, 2e5, 3e5, 4e5], quantity="lat_ns", time_s=times, bs_bytes=4096)
    ((_, edges),) = steps(ft.plot.series(ft.window(samples, "1s"), figure))
    assert edges == pytest.approx(ends)


# --- jobs, and bytes written ----------------------------------------------------------------------


def jobs(*which):
    """Jobs of 4 s; the second one stalls for a second, which fio's log leaves out."""
    rates = {1: [8.0, 8.0, 8.0, 8.0], 2: [4.0, 4.0, None, 4.0], 3: [1.0, 2.0, 3.0, 4.0]}
    known = {"quantity": "bw_bytes_per_s", "direction": "write"}
    logs = [log(rates[job], source=f"x_bw.{job}.log", entry=job, **known) for job in which]
    return pd.concat(logs).dropna()


def test_threads_add_up_over_rows_and_over_time():
    spec = ft.plot.threads.spec(jobs(1, 2, 3), y="entry")
    cells = pd.DataFrame([{"y": row.y, "x": row.x, "value": row.value} for row in spec.rows])
    assert cells.groupby("x")["value"].sum().tolist() == [13, 14, 11, 16]
    assert [one.value for one in spec.levels] == [32, 12, 10]
    ax = ft.plot.threads(jobs(1, 2, 3), y="entry")
    assert drawn.panel(ax)["mesh"]["sum"] == 54


def test_a_rate_over_the_bytes_written():
    spec = ft.plot.series.spec(jobs(3), x="written")
    assert [(row.x, row.y) for row in spec.rows] == [(0, 1), (1, 2), (3, 3), (6, 4), (10, 4)]
    assert (spec.x.label, spec.x.unit) == ("written so far", "B")


def test_points_lie_within_their_second_and_zeros_are_counted():
    spec = ft.plot.series.spec(jobs(2), log=True, points=True)
    assert [(row.x, row.y) for row in spec.rows] == [(0.5, 4), (1.5, 4), (2.5, None), (3.5, 4)]
    assert "samples of 0, not on this axis: 1" in spec.notes
    assert "dots" in spec.how
