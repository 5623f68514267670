"""Figures do not hang on the last bit of a number, and their parts still find each other."""

import math
import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import fiotools as ft
from fiotools.plot.saving import settled
from tests.plot import kinds

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
    text = settled(PARTS)
    # the name was made of the coordinates to the last bit
    assert text == settled(PARTS.replace("p0123456789", "p9876543210"))
    names = re.findall(r'id="([^"]+)"', text)
    assert [name.partition("-")[0] for name in names] == ["m0", "p1"]
    assert re.findall(r"#([^\")]+)", text) == [names[1], names[0]]
    other = re.findall(r'id="([^"]+)"', settled(PARTS.replace("62.6", "63.6")))
    assert not set(names) & set(other)


def test_nothing_is_renamed_where_nothing_has_a_name():
    assert settled("<svg></svg>") == "<svg></svg>"


def test_what_a_figure_uses_is_there(tmp_path):
    frame = pd.DataFrame({"fs": ["ext4", "xfs"], "iops": [5.0, 7.0], "n": 1})
    (file,) = ft.plot.save(kinds.singles(frame, "iops", y="fs"), tmp_path / "a.svg")
    text = file.read_text(encoding="utf-8")
    ids = [element.get("id") for element in ElementTree.fromstring(text).iter()]
    used = set(re.findall(r'(?:url\(|href=")#([^")]+)', text))
    assert used
    assert used <= set(ids)
    assert any(name.startswith("p") for name in used)
    assert any(name.startswith("m") for name in used)
    longest = max(re.findall(r"\.(\d+)", re.sub(r"scale\([^)]*\)|<!--.*?-->", "", text)), key=len)
    assert len(longest) == 3
