"""Figures that were once cut off, or said less than was known."""

from __future__ import annotations

import warnings
from itertools import pairwise

import pandas as pd
import pytest

import fiotools as ft
from tests.plot.kinds import said

LONG = "/mnt/a/very/long/mount/point/name/nvme0n1p2-passthrough"


@pytest.mark.parametrize("name", ["another volume", LONG], ids=["long", "too long"])
def test_all_of_a_forest_plot_is_on_the_figure(name):
    runs = pd.DataFrame(
        [
            {"mount": mount, "bs": bs, "rw": rw, "real_s": base * factor}
            for mount, base in (("baseline volume", 10.0), (name, 1.2))
            for bs, factors in (("64k", (0.97, 1.0, 1.04)), ("1M", (1.0,)))
            for rw in ("randread", "randwrite")
            for factor in factors
        ]
    )
    told = ft.speedup(runs, "real_s", between="mount", baseline="baseline volume", by=["bs", "rw"])
    ax = ft.plot.ratios(told)
    figure = ax.figure
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure.canvas.draw()
    right, least = figure.bbox.width, -1
    for text in (ax.xaxis.label, *ax.texts, *ax.get_yticklabels()):
        box = text.get_window_extent()
        assert least <= box.x0
        assert box.x1 <= right, text.get_text()
    assert said(ax).replace("\n", " ").endswith("so chance is not ruled out")


def test_names_of_many_lines_stand_apart():
    names = [f"{LONG}-{number}-with-a-write-cache-in-front-of-a-mirror" for number in range(6)]
    runs = pd.DataFrame({"mount": names * 3, "iops": range(100, 118)})
    told = ft.compare(runs, "iops", between="mount", baseline=names[0])
    for ax in (ft.plot.ratios(told), ft.plot.repeats(runs, "iops", y="mount")):
        ax.figure.canvas.draw()
        boxes = [text.get_window_extent() for text in ax.get_yticklabels()]
        assert not any(one.overlaps(other) for one, other in pairwise(boxes))
    lines = ax.get_yticklabels()[0].get_text().splitlines()
    assert all(line.endswith(("/", "-")) for line in lines[:-1])  # no word is broken


def test_the_percentiles_of_one_histogram_are_of_one_run():
    bins = pd.DataFrame(
        {
            "source": "a.json", "run": 1, "latency": "clat", "direction": ["read"] * 2 + ["write"] * 2,
            "bin_lo_ns": [2048, 2080] * 2, "bin_hi_ns": [2080, 2112] * 2, "count": [600, 400] * 2,
        }
    )  # fmt: skip
    one = ft.plot.percentiles(ft.percentiles(bins.query("direction == 'read'")), hue="direction")
    assert said(one).endswith("one run")
