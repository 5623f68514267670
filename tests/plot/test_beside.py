"""Every kind of figure beside another one, as `plt.subplots` gives them."""

from functools import cache

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import fiotools as ft
from fiotools.stats.percentiles import merge_bins
from tests.plot import kinds


@cache
def volumes():
    return ft.totals(ft.read("data/dda-vhdx/xml/{volume}.xml").io)


@cache
def threads():
    return ft.totals(ft.read("data/dda-vhdx/xml/{volume}.xml").threads)


@cache
def repeats():
    io = ft.read("data/how-many-runs/rounds/randread_{filesystem}_{round:d}.json").io
    return io[io["round"].le(5)]


@cache
def depths():
    return ft.read("data/how-many-runs/depth/{iodepth:d}_1.json").io


@cache
def long():
    return ft.read("data/how-many-runs/long")


def bins():
    found = long().bins
    return found[found["time_s"].le(20)]


def draw_fairness(ax):
    return ft.plot.fairness(threads(), y="volume", ax=ax)


def draw_ratios(ax):
    answer = ft.compare(repeats(), "iops", between="filesystem", baseline="ext4")
    return ft.plot.ratios(answer, ax=ax)


def draw_repeats(ax):
    return ft.plot.repeats(repeats(), "iops", y="filesystem", ax=ax)


def draw_series(ax):
    steady = ft.steady(long().samples, "iops", round_s=10)
    return ft.plot.series(long().samples, "iops", steady=steady, ax=ax)


def draw_sweep(ax):
    return ft.plot.sweep(depths(), "iops", x="iodepth", hue="direction", ax=ax)


def draw_percentiles(ax):
    frame = ft.read("tests/fixtures/fio/fio-3.33--libaio.json").percentiles
    return ft.plot.percentiles(frame, hue="direction", ax=ax)


def draw_credibility(ax):
    return ft.plot.credibility(ft.check(ft.read("data/wsl-vhdx/f_ext4-vhdx_write.txt")), ax=ax)


def draw_timings(ax):
    frame = ft.read("data/page-cache/{cache}.txt").timings
    return ft.plot.timings(frame, y="cache", ax=ax)


def draw_parts(ax):
    results = ft.read("data/page-cache/{cache}.txt")
    return ft.plot.parts(ft.explain(results, "real_s", baseline="before"), ax=ax)


KINDS = {
    "cdf": lambda ax: ft.plot.cdf(merge_bins(bins(), by="direction"), hue="direction", ax=ax),
    "credibility": draw_credibility,
    "fairness": draw_fairness,
    "grid": lambda ax: ft.plot.grid(volumes(), "iops", x="direction", y="volume", ax=ax),
    "heatmap": lambda ax: ft.plot.heatmap(bins(), ax=ax),
    "repeats, to the slowest": lambda ax: kinds.slowest(
        ft.per_thread(threads(), by="volume"), y="volume", hue="thread", ax=ax
    ),
    "parts": draw_parts,
    "percentiles": draw_percentiles,
    "ratios": draw_ratios,
    "repeats": draw_repeats,
    "series": draw_series,
    "sweep": draw_sweep,
    "tails": lambda ax: ft.plot.tails(
        pd.DataFrame(
            {
                "percentile": [50.0, 99.0, 99.9],
                "file system": "a long name",
                "baseline": "another",
                "ratio": [1.0, 1.2, 2.0],
                "ratio_lo": [0.9, 1.0, 1.1],
                "ratio_hi": [1.1, 1.4, 4.0],
            }
        ),
        ax=ax,
    ),
    "repeats, single": lambda ax: kinds.singles(volumes(), y="volume", ax=ax),
    "threads": lambda ax: ft.plot.threads(
        ft.read("tests/fixtures/diskspd/diskspd-2.2--seq64k_t4_D_only.xml").where("direction=read"),
        ax=ax,
    ),
    "timings": draw_timings,
}


def test_every_kind_is_here():
    kinds_of = {name.partition(",")[0] for name in KINDS}
    assert kinds_of == {*ft.plot.__all__} - {"save", "style", "title"}


@pytest.mark.parametrize("layout", [None, "tight"], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_runs_into_the_neighbour(kind, layout):
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.5), layout=layout)
    assert KINDS[kind](left) is left
    right.plot([0, 1], [0, 1])
    right.set_ylabel("mine")
    figure.canvas.draw()
    whole, beside = left.get_tightbbox(), right.get_tightbbox()
    assert whole.x1 <= beside.x0 + 1
    assert min(whole.x0, whole.y0) >= -1
    assert whole.y1 <= figure.bbox.height + 1
    # a page of text is not in the layout, and keeps to its Axes by itself
    for text in left.texts:
        assert text.get_window_extent().x1 <= beside.x0


def test_a_text_of_the_callers_may_stand_on_narrow_axes():
    figure, axes = plt.subplots(1, 3)
    axes[0].text(0.5, 0.5, "mine", transform=axes[0].transAxes)
    kinds.singles(volumes(), y="volume", ax=axes[0])
    figure.canvas.draw()
    assert axes[0].texts[0].get_text() == "mine"


def test_two_panels_of_one_kind():
    figure, axes = plt.subplots(1, 2, figsize=(12, 4.5))
    assert list(kinds.both(depths(), ax=axes)) == list(axes)
    figure.canvas.draw()
    assert axes[0].get_tightbbox().x1 <= axes[1].get_tightbbox().x0 + 1


def test_what_somebody_arranged_stays(monkeypatch):
    # as it is where nobody called plot.style()
    monkeypatch.setitem(plt.rcParams, "figure.constrained_layout.use", False)
    figure, (left, _) = plt.subplots(1, 2)
    figure.subplots_adjust(bottom=0.3)
    KINDS["timings"](left)
    assert figure.get_layout_engine() is None
    figure, (left, right) = plt.subplots(1, 2)
    figure.colorbar(right.imshow([[0, 1]]), ax=right)
    KINDS["timings"](left)
    assert figure.get_layout_engine() is None
    figure.canvas.draw()
