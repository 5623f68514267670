"""Files of plots: what is in them, and that they are the same every time."""

import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import fiotools as ft
from fiotools.plot.saving import settled
from tests.plot.kinds import KINDS, runs

SVG = "{http://www.w3.org/2000/svg}"
# a kind, and the first words of its finding
CASES = {
    "repeats": "ext4: 9,950 /s; xfs: 14,675 /s",
    "repeats-hue": "a, ext4: 9,963 /s; a, xfs: 14,679 /s",
    "repeats-log": "ext4: 9,963 /s; xfs: 14,679 /s",
    "repeats-slowest": "ext4: mean 99.6 µs, slowest 897 µs; xfs",
    "ratios": "ext4: 1.30x [1.14, 1.49]; xfs: 1.30x",
    "sweep": "ext4: 8,845 at iodepth 1, 74,920 at iodepth 128",
    "sweep-both": "I/Os per second: ext4: 8,845 at iodepth 1",
    "grid": "ext4, iodepth 1: 8,845; xfs, iodepth 128: 110,495",
    "fairness": "ext4: max/min 1.33x, Jain 0.989, latency 99.6 µs; xfs",
    "percentiles": "ext4: 99.5 µs at p50, 995 µs at p99.9; xfs",
    "percentiles-rows": "ext4: p50 99.6 µs, p99 498 µs",
    "tails": "ext4 / old: 1.35x at p50",
    "cdf": "ext4: 0 % at 99.6 µs, 100 % at 504 µs; xfs: 0 % at 147 µs",
    "heatmap": "slowest: 359 µs at 1 s",
    "series": "ext4: 10,113 at 0, 10,653 at 6 s, 9,086 at 20 s",
    "series-steady": "window met: range 7.17 %",
    "threads": "ext4: 195,391; xfs: 287,884",
    "parts": "2.00x; cause: I/Os in flight, 4.00x",
    "timings": "ext4: 9.96 s; xfs",
    "credibility": "link speed, 2 impossible: link of 3.9 times; page cache, 2 suspect: cache of",
}


def plot(names=("ext4", "xfs"), **named):
    return ft.plot.repeats(runs(names, 1), "iops", y="device", **named)


def test_a_file_that_did_not_change_is_left_alone(tmp_path):
    (file,) = ft.plot.save(plot(), tmp_path / "t.svg")
    before = file.stat().st_mtime_ns
    ft.plot.save(plot(), tmp_path / "t.svg")
    assert file.stat().st_mtime_ns == before


def test_the_data_are_recorded(tmp_path):
    (tmp_path / "data").mkdir()
    source = tmp_path / "data" / "dd.txt"
    source.write_text("2+0 records in\n2+0 records out\n2097152 bytes copied, 0.5 s, 4.2 MB/s\n")
    results = ft.read(source)
    ax = ft.plot.repeats(results.io, "bw", y="run")
    svg, png = ft.plot.save(ax, tmp_path / "figures" / "x", data=results)
    assert re.search(r"data/dd\.txt sha256:[0-9a-f]{16}", svg.read_text())
    assert str(tmp_path) not in svg.read_text(), "no path of the machine"
    assert b"data/dd.txt sha256:" in png.read_bytes()


@pytest.mark.parametrize(
    ("name", "named", "told"),
    [
        ("x.gif", {}, "svg, png, pdf, not 'gif'"),
        ("x", {"formats": ("svg", "jpg")}, "a plot is saved as svg, png, pdf, not 'jpg'"),
        ("a/x", {"data": "dd.txt"}, "data= must be the Results or the frame .*, not str"),
    ],
)
def test_what_cannot_be_saved_is_told_before_anything_is_written(tmp_path, name, named, told):
    with pytest.raises(ValueError, match=told):
        ft.plot.save(plot(), tmp_path / name, **named)
    assert not list(tmp_path.iterdir())


def test_several_axes_are_saved_and_titled_like_one(tmp_path):
    axes = KINDS["sweep-both"](runs(["a"], 1))
    ft.plot.title(axes, "Both panels")
    assert axes[0].get_figure().get_suptitle() == "Both panels"
    (file,) = ft.plot.save(axes, tmp_path / "load.PNG")
    assert file.read_bytes().startswith(b"\x89PNG")
    assert [one.name for one in ft.plot.save(axes, tmp_path / "a", formats="svg")] == ["a.svg"]


@pytest.mark.parametrize("kind", ["repeats", "sweep", "grid", "heatmap"])
def test_saved_twice_a_plot_has_the_same_bytes(tmp_path, kind):
    named = {"formats": ("svg", "png", "pdf")}
    first, second = (
        ft.plot.save(KINDS[kind](runs(["a", "b"], 3)), tmp_path / name, **named) for name in "12"
    )
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes(), other
    assert not list(tmp_path.glob(".*")), "no part files are left"


def test_text_stays_text_in_an_svg(tmp_path):
    (file,) = ft.plot.save(plot(), tmp_path / "a.svg")
    text = file.read_text(encoding="utf-8")
    assert re.search(r"<text [^>]*>I/Os per second</text>", text)
    assert re.search(r"font-family: 'DejaVu Sans', 'Verdana', 'Arial', sans-serif", text)


# --- for a screen reader --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_plot_has_a_title_and_its_finding(kind, tmp_path):
    (file,) = ft.plot.save(KINDS[kind](runs(["ext4", "xfs"], 4)), tmp_path / "a.svg")
    svg = file.read_text(encoding="utf-8")
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    told = {one.get("id"): one.text for one in root if one.tag in (f"{SVG}title", f"{SVG}desc")}
    assert root.get("aria-labelledby", "").split() == [*told]
    assert [*told.values()][-1].startswith(CASES[kind])
    assert "finds-" not in svg


def test_words_of_others_are_only_words_and_the_title_is_that_above(tmp_path):
    odd = "<b>&\"'%"
    (file,) = ft.plot.save(plot((odd, "xfs"), title=odd), tmp_path / "a.svg")
    title, desc = [*ElementTree.fromstring(file.read_text(encoding="utf-8"))][:2]
    assert title.text == odd
    assert desc.text == f"{odd}: 10,631 /s; xfs: 13,893 /s"


# --- a figure does not hang on the last bit of a number -------------------------------------------

LOGARITHM = np.log10
PARTS = """<svg>
<metadata>run-1.234567.json</metadata>
<!-- 0.123456 ms -->
<g clip-path="url(#p0123456789)" transform="translate(-0.000001 7.1) scale(0.015625 -0.015625)">
<path id="mabcdef0123" d="M 1.2344999 -0 L 2.0004 3.999999"/>
<use xlink:href="#mabcdef0123" x="-0" style="stroke-width: 1.25"/>
<image xlink:href="data:image/png;base64,iVBOR0" transform="matrix(0.123456 0 0 1 0 5.654321)"/>
</g>
<clipPath id="p0123456789"><rect x="62.645553"/></clipPath>
</svg>"""


def drawn(folder, bias):
    """Draw on a processor whose logarithms may be off by the last bit, towards the bias."""

    def nudged(values, *args, **options):
        exact = LOGARITHM(values, *args, **options)
        return np.nextafter(exact, bias) if bias else exact

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(np, "log10", nudged)
        io = ft.read("data/dda-vhdx/xml/{volume}.xml").io
        cmp = ft.compare(io, "iops", between="volume", baseline="vhdx", by="direction")
        files = ft.plot.save(ft.plot.ratios(cmp), folder / "ratios")
    return {file.name: file.read_bytes() for file in files}


def test_the_last_bit_of_a_logarithm_changes_no_byte(tmp_path):
    as_it_is = drawn(tmp_path / "as-it-is", 0)
    for bias in (-math.inf, math.inf):
        other = drawn(tmp_path / str(bias), bias)
        assert [name for name in as_it_is if as_it_is[name] != other[name]] == []


def test_coordinates_are_rounded_but_no_words_and_no_factors():
    text = settled(PARTS)
    assert "run-1.234567.json" in text
    assert "<!-- 0.123456 ms -->" in text
    assert 'transform="translate(0 7.1) scale(0.015625 -0.015625)"' in text
    assert 'transform="matrix(0.123456 0 0 1 0 5.654321)"' in text
    assert 'd="M 1.234 0 L 2 4"' in text
    assert 'x="0" style="stroke-width: 1.25"' in text
    assert '<rect x="62.646"/>' in text


def test_names_depend_on_the_order_and_on_the_figure():
    assert settled("<svg></svg>") == "<svg></svg>"
    text = settled(PARTS)
    # the name was made of the coordinates to the last bit
    assert text == settled(PARTS.replace("p0123456789", "p9876543210"))
    names = re.findall(r'id="([^"]+)"', text)
    assert [name.partition("-")[0] for name in names] == ["m0", "p1"]
    assert re.findall(r"#([^\")]+)", text) == [names[1], names[0]]
    other = re.findall(r'id="([^"]+)"', settled(PARTS.replace("62.6", "63.6")))
    assert not set(names) & set(other)


def test_what_a_figure_uses_is_there(tmp_path):
    (file,) = ft.plot.save(plot(), tmp_path / "a.svg")
    text = file.read_text(encoding="utf-8")
    ids = [element.get("id") for element in ElementTree.fromstring(text).iter()]
    used = set(re.findall(r'(?:url\(|href=")#([^")]+)', text))
    assert used
    assert used <= set(ids)
    assert any(name.startswith("p") for name in used)
    assert any(name.startswith("m") for name in used)
    longest = max(re.findall(r"\.(\d+)", re.sub(r"scale\([^)]*\)|<!--.*?-->", "", text)), key=len)
    assert len(longest) == 3
