"""Ticks are told apart by their labels, whatever is on the axis."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import fiotools as ft
from fiotools import units
from fiotools.plot import scales
from fiotools.plot.spec import Axis

AXES = {
    "rates that hardly differ": ((4994.9, 4996.1), "1/s", False),
    "bandwidths that hardly differ": ((1.0001e9, 1.0013e9), "B/s", False),
    "latencies that hardly differ": ((71_001.0, 71_009.0), "ns", False),
    "ratios that hardly differ": ((0.99991, 1.00012), "x", True),
    "ratios far apart": ((1e-5, 1.2), "x", True),
    "far below one": ((2e-7, 3e-4), "", True),
    "round": ((0.0, 5000.0), "1/s", False),
}


def labels(ends, unit, *, log):
    """Give the ticks between two values and their labels."""
    _, ax = plt.subplots(figsize=(6, 4))
    axis = Axis(unit=unit, log=log, ends=ends)
    scales.scale(ax, "y", axis, list(ends))
    ticks = ax.get_yticks()
    return ticks, [text.get_text() for text in ax.get_yticklabels()]


@pytest.mark.parametrize(("ends", "unit", "log"), AXES.values(), ids=AXES)
def test_no_two_ticks_have_one_label(ends, unit, log):
    ticks, texts = labels(ends, unit, log=log)
    assert len(ticks) > 1
    assert len({*texts}) == len(ticks)
    assert not any("e-" in text for text in texts)


def test_the_label_is_where_it_says():
    ticks, texts = labels((4994.9, 4996.1), "1/s", log=False)
    assert [float(text.replace(",", "")) for text in texts] == pytest.approx(ticks)


def test_round_ticks_stay_short():
    assert labels((0.0, 5000.0), "1/s", log=False)[1][-1] == "5,000"
    assert labels((1e-5, 1.2), "x", log=True)[1][0] == "0.00001x"


def test_a_level_series_has_an_axis_that_can_be_read():
    log = pd.DataFrame(
        {
            "quantity": "iops",
            "time_s": [1.0, 2.0, 3.0, 4.0],
            "value": [4995.0, 4995.3, 4995.9, 4996.0],
        }
    )
    ax = ft.plot.series(log)
    texts = [text.get_text() for text in ax.get_yticklabels()]
    assert len({*texts}) == len(texts) > 3


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(4995.24, 5, "4,995.2"), (1e-5, 3, "1.00e-05"), (9.996, 3, "10.0"), (9.996, 4, "9.996")],
)
def test_numbers_have_the_digits_that_are_asked_for(value, digits, text):
    assert units.human(value, "", digits=digits) == text
