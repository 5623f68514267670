from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import fiotools as ft
from fiotools.errors import SchemaError
from tests.plot.kinds import said

READS = pd.DataFrame({"round": [3, 4, 5, 6, 7], "iops": [5814, 5703, 8916, 9037, 8910]})
TOLD = ft.shifts(READS, "iops", order="round")


def test_runs_their_levels_and_the_step():
    spec = ft.plot.spec("shifts", READS, "iops", shifts=TOLD, order="round")
    assert [(row.x, row.y) for row in spec.rows] == list(enumerate(READS["iops"], start=1))
    first, second = spec.levels
    assert (first.begin, first.end, first.value) == (0.5, 2.5, TOLD["center"][0])
    assert (second.begin, second.end, second.value) == (2.5, 5.5, TOLD["center"][1])
    ends = TOLD["center"][0] * TOLD["ratio_lo"][1], TOLD["center"][0] * TOLD["ratio_hi"][1]
    assert (second.low, second.high) == pytest.approx(ends)
    assert [level.text for level in spec.levels] == ["5,758 /s", "×1.56 [1.46, 1.66]"]
    assert spec.notes == (
        "thick line: level; band: 95 % interval of its step",
        "step up, or two levels by chance",
    )
    ax = ft.plot.shifts(READS, "iops", shifts=TOLD, order="round")
    ax.figure.canvas.draw()
    assert [tick.get_text() for tick in ax.get_xticklabels() if tick.get_text()] == list("34567")


def test_samples_are_drawn_over_time():
    rng = np.random.default_rng(1)
    values = np.repeat([100.0, 60.0], 50) + rng.normal(0, 3, 100)
    log = pd.DataFrame({"quantity": "iops", "time_s": np.arange(1.0, 101) * 2, "value": values})
    ax = ft.plot.shifts(log, shifts=ft.shifts(log))
    assert [100.0, 200.0] in [[*line.get_xdata()] for line in ax.lines]
    assert said(ax).startswith("time since the start")


def test_samples_begin_where_their_series_does():
    """The first sample of a histogram log that ends where its times begin is left out."""
    times, values = 0.2 + np.arange(30), np.repeat([100.0, 150.0], 15)
    log = pd.DataFrame({"quantity": "count", "time_s": times, "value": values})
    ax = ft.plot.shifts(log, shifts=ft.shifts(log))
    assert ax.get_xlim() == pytest.approx((0.2, 29.2))
    assert ax.get_xlim() == ft.plot.series(log).get_xlim()


@pytest.mark.parametrize(
    ("shifts", "message"),
    [
        (READS, "not the answer of shifts..: no column center"),
        (TOLD.assign(metric="bw"), "about other rows"),
        (TOLD.assign(center=TOLD["center"] * 2), "about other rows"),
        (TOLD[:1], "a longer or a shorter sequence"),
    ],
    ids=["another frame", "another metric", "other values", "a part"],
)
def test_another_answer_is_refused(shifts, message):
    with pytest.raises(SchemaError, match=message):
        ft.plot.shifts(READS, "iops", shifts=shifts)


def test_one_sequence_at_a_time():
    log = pd.DataFrame({"run": [1, 2], "quantity": "iops", "time_s": 1.0, "value": 1.0})
    with pytest.raises(SchemaError, match="2 sequences are in the frame: draw one at a time"):
        ft.plot.shifts(log, shifts=ft.shifts(log))
