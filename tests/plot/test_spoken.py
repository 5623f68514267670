"""A plot says its values to a pointer and its finding to a screen reader."""

import html
import re
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import pytest

import fiotools as ft
from fiotools.plot.inline import inline
from tests.plot.kinds import KINDS, runs

SVG = "{http://www.w3.org/2000/svg}"
# a kind, one of its points and the first words of its finding
CASES = {
    "throughput": ("xfs: 14,679 /s", "ext4: 9,963 /s; xfs: 14,679 /s"),
    "latency": ("ext4: 99.6 µs to 897 µs", "ext4: mean 99.6 µs, slowest 897 µs; xfs"),
    "ratios": ("xfs: 1.30x [1.22, 1.38]", "ext4: 1.30x [1.14, 1.49]; xfs: 1.30x"),
    "repeats": ("ext4: 9,950 /s [9,078, 10,906]", "ext4: 9,950 /s [9,078, 10,906]; xfs"),
    "sweep": ("iodepth 1, ext4: 8,233 /s", "ext4: 8,845 /s at iodepth 1, 74,920 /s at iod"),
    "load": ("iodepth 1, ext4: 112 µs [102, 123]", "I/Os per second: ext4: 8,845 /s at iod"),
    "grid": ("xfs, iodepth 4: 39,133", "ext4, iodepth 1: 8,845; xfs, iodepth 128: 110,495"),
    "fairness": ("ext4: 11,070 /s", "ext4: max/min 1.33x, Jain 0.989, latency 99.6 µs; xfs"),
    "percentiles": ("p50, ext4: 106 µs", "ext4: 99.5 µs at p50, 995 µs at p99.9; xfs"),
    "percentiles-rows": ("ext4, p99: 498 µs", "ext4: p50 99.6 µs, p99 498 µs"),
    "tails": ("p50, ext4 / old: 1.35x [1.25, 1.45]", "ext4 / old: 1.35x [1.25, 1.45] at p50"),
    "cdf": ("149 µs, ext4: 50 %", "ext4: 50 % at 149 µs, 100 % at 504 µs; xfs"),
    "heatmap": (None, "slowest: 337 µs at 1 s"),
    "series": ("ext4", "ext4: 10,113 /s at 0, 10,653 /s at 6 s, 9,086 /s at 20 s"),
    "series-steady": ("0 to 4 s: 9,802 /s", "window met: range 7.17 %"),
    "history": ("ext4: 10,631 /s", "ext4 to xfs: 12,172 /s"),
    "shifts": ("4: 14,798 /s", "0 to 3: 9,950 /s; 4 to 7: 14,675 /s"),
    "timings": ("ext4, waiting: 6.96 s", "ext4: 9.96 s; xfs"),
    "credibility": (
        "link speed, ext4 (4 runs): impossible: link of 3.9 times",
        "impossible, link speed: link of 3.9 times; suspect, page cache: cache of",
    ),
}


def saved(kind, folder):
    (file,) = ft.plot.save(KINDS[kind](runs(["ext4", "xfs"], 4)), folder / f"{kind}.svg")
    return file.read_text(encoding="utf-8")


def test_every_kind_is_here():
    assert {kind.partition("-")[0] for kind in CASES} == {k.partition("-")[0] for k in KINDS}


@pytest.mark.parametrize("kind", CASES)
def test_points_and_finding(kind, tmp_path):
    point, finding = CASES[kind]
    svg = saved(kind, tmp_path)
    root = ElementTree.fromstring(svg)
    points = [one.text for one in root.iterfind(f".//{SVG}g//{SVG}title")]
    assert (point in points) if point else not points
    assert root.get("role") == "img"
    told = {one.get("id"): one.text for one in root if one.tag in (f"{SVG}title", f"{SVG}desc")}
    assert root.get("aria-labelledby", "").split() == [*told]
    assert [*told.values()][-1].startswith(finding)
    assert "says-" not in svg
    assert saved(kind, tmp_path) == svg


def test_thirty_points_take_a_kilobyte(tmp_path):
    file = ft.plot.save(
        ft.plot.repeats(runs(["9p", "ext4", "xfs"], 10), "iops", y="device"), tmp_path / "a.svg"
    )[0]
    found = re.findall("<title>.*?</title>", file.read_text(encoding="utf-8"))
    assert len(found) == 36  # three intervals and ticks too
    assert len("".join(found)) < 1500


def test_words_of_others_are_only_words_and_the_title_is_that_above(tmp_path):
    odd = "<b>&\"'%"
    ax = ft.plot.throughput(runs([odd, "xfs"], 1), "iops", y="device")
    ft.plot.title(ax, odd)
    (file,) = ft.plot.save(ax, tmp_path / "a.svg")
    title, desc = [*ElementTree.fromstring(file.read_text(encoding="utf-8"))][:2]
    assert title.text == odd
    assert desc.text == f"{odd}: 10,631 /s; xfs: 13,893 /s"


def test_a_point_off_the_canvas_takes_no_words_from_others(tmp_path):
    ax = ft.plot.history(runs(["a", "b", "c", "d"], 1), "iops", x="device")
    ax.set_xlim(3, 3.5)
    ax.set_position((0, 0.5, 0.4, 0.4))
    (file,) = ft.plot.save(ax, tmp_path / "a.svg")
    assert "<title>a:" not in file.read_text(encoding="utf-8")


def test_pictures_of_a_page_share_no_ids(tmp_path):
    svg = saved("repeats", tmp_path)
    parts = [ElementTree.fromstring(inline(svg, name)) for name in ("a", "b")]
    ids = [one.get("id") for part in parts for one in part.iter() if one.get("id")]
    assert len(ids) == len({*ids})
    used = {
        value.strip("url(#)")
        for part in parts
        for element in part.iter()
        for name, value in element.attrib.items()
        if name in ("href", "clip-path")
    }
    assert used
    assert used <= {*ids}
    assert len(inline(svg)) < len(svg)
    assert html.unescape("".join(parts[0].itertext())).count("ext4: 9,950 /s") >= 3
    plt.close("all")
