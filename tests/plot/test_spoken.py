"""A plot says its finding to a screen reader."""

from xml.etree import ElementTree

import pytest

import fiotools as ft
from tests.plot.kinds import KINDS, runs

SVG = "{http://www.w3.org/2000/svg}"
# a kind, and the first words of its finding
CASES = {
    "repeats": "ext4: 9,950 /s; xfs: 14,675 /s",
    "repeats-slowest": "ext4: mean 99.6 µs, slowest 897 µs; xfs",
    "ratios": "ext4: 1.30x [1.14, 1.49]; xfs: 1.30x",
    "sweep": "ext4: 8,845 at iodepth 1, 74,920 at iodepth 128",
    "sweep-both": "I/Os per second: ext4: 8,845 at iodepth 1",
    "grid": "ext4, iodepth 1: 8,845; xfs, iodepth 128: 110,495",
    "fairness": "ext4: max/min 1.33x, Jain 0.989, latency 99.6 µs; xfs",
    "percentiles": "ext4: 99.5 µs at p50, 995 µs at p99.9; xfs",
    "percentiles-rows": "ext4: p50 99.6 µs, p99 498 µs",
    "tails": "ext4 / old: 1.35x at p50",
    "cdf": "ext4: ",
    "series": "ext4: 10,113 at 0, 10,653 at 6 s, 9,086 at 20 s",
    "series-steady": "window met: range 7.17 %",
    "timings": "ext4: 9.96 s; xfs",
    "credibility": "link speed, 2 impossible: link of 3.9 times; page cache, 2 suspect: cache of",
}


def saved(kind, folder):
    (file,) = ft.plot.save(KINDS[kind](runs(["ext4", "xfs"], 4)), folder / f"{kind}.svg")
    return file.read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", KINDS)
def test_a_plot_has_a_title_and_its_finding(kind, tmp_path):
    svg = saved(kind, tmp_path)
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    told = {one.get("id"): one.text for one in root if one.tag in (f"{SVG}title", f"{SVG}desc")}
    assert root.get("aria-labelledby", "").split() == [*told]
    assert [*told.values()][-1].startswith(CASES.get(kind, ""))
    assert "finds-" not in svg
    assert saved(kind, tmp_path) == svg


def test_words_of_others_are_only_words_and_the_title_is_that_above(tmp_path):
    odd = "<b>&\"'%"
    ax = ft.plot.repeats(runs([odd, "xfs"], 1), "iops", y="device")
    ft.plot.title(ax, odd)
    (file,) = ft.plot.save(ax, tmp_path / "a.svg")
    title, desc = [*ElementTree.fromstring(file.read_text(encoding="utf-8"))][:2]
    assert title.text == odd
    assert desc.text == f"{odd}: 10,631 /s; xfs: 13,893 /s"
