"""Ticks are told apart by their labels, whatever is on the axis."""

import re

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import fiotools as ft
from fiotools import units
from tests.plot import kinds


def labels(axis):
    axis.axes.figure.draw_without_rendering()
    return [text.get_text() for text in axis.get_ticklabels()]


@pytest.mark.parametrize(
    ("quantity", "ends"),
    [
        ("iops", (4994.9, 4996.1)),
        ("bw_bytes_per_s", (1.0001e9, 1.0013e9)),
        ("lat_ns", (71_001.0, 71_009.0)),
    ],
)
def test_values_that_hardly_differ_have_ticks_that_do(quantity, ends):
    log = pd.DataFrame({"quantity": quantity, "time_s": [1.0, 2.0], "value": ends})
    axis = ft.plot.series(log).yaxis
    texts = labels(axis)
    assert len({*texts}) == len(texts) > 3
    if quantity == "iops":
        told = [float(text.replace(",", "")) for text in texts]
        assert told == pytest.approx(axis.get_ticklocs())


def ratios(*values):
    """Draw ratios with intervals of 10 %."""
    told = [(f"dev{at}", "x", "iops", one, 0.9 * one, 1.1 * one) for at, one in enumerate(values)]
    columns = ["device", "baseline", "metric", "ratio", "ratio_lo", "ratio_hi"]
    ax = ft.plot.ratios(pd.DataFrame(told, columns=columns))
    ax.figure.draw_without_rendering()
    return ax


@pytest.mark.parametrize("ends", [(1.2, 3000.0), (0.00031, 1.2), (1.2, 1e7), (0.99991, 1.00012)])
def test_ratios_are_told_apart_and_have_no_exponent(ends):
    ax = ratios(*ends)
    texts = [text for text in labels(ax.xaxis) if text]
    assert len({*texts}) == len(texts) > 1
    written = [text.get_text() for text, _ in kinds.texts(ax.figure)]
    assert not [text for text in written if "e+" in text or "e-" in text]
    assert any(re.fullmatch(r"1(\.0*)?x", text) for text in written)


@pytest.mark.parametrize("low", [0.9, 0.99, 1.02, 0.5, 1e-3])
@pytest.mark.parametrize("high", [1.08, 1.5, 30, 3000])
def test_an_axis_of_ratios_has_enough_ticks(low, high):
    ax = ratios(low, high)
    left, right = ax.get_xlim()
    assert len([tick for tick in ax.get_xticks() if left <= tick <= right]) >= 3


def test_a_narrow_axis_has_round_ticks():
    frame = pd.DataFrame({"device": ["a", "b"], "iops": [32000.0, 39500.0]})
    _, ax = plt.subplots(figsize=(2.4, 2))
    ft.plot.repeats(frame, "iops", y="device", ax=ax)
    ax.figure.draw_without_rendering()
    ticks = [*ax.get_xticks()]
    assert ticks
    assert not [tick for tick in ticks if tick % 1000]


def test_a_short_range_is_linear_from_zero():
    frame = pd.DataFrame({"rwmixread_pct": [0, 50, 100] * 2, "iops": [90, 100, 110, 91, 101, 111]})
    ax = ft.plot.sweep(frame, "iops", x="rwmixread_pct")
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "linear")
    assert ax.get_ylim()[0] == 0


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


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(4995.24, 5, "4,995.2"), (1e-5, 3, "1.00e-05"), (9.996, 3, "10.0"), (9.996, 4, "9.996")],
)
def test_numbers_have_the_digits_that_are_asked_for(value, digits, text):
    assert units.human(value, "", digits=digits) == text
