"""A page holds everything, runs nothing and loads nothing, whatever the files say."""

import base64
import re

import pytest
from lxml import html

from fiotools.reports.blocks import Block, Heading, Picture, listing, paragraph, table
from fiotools.reports.report import _page
from fiotools.reports.study import study
from tests.conftest import ROOT

pytest.importorskip("jinja2", reason="needs the extra [report]")

SVG = '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="1"><script>1</script></svg>'
BAD = "<script>alert(1)</script><img src=http://example.org/x onerror=alert(1)>"


@pytest.fixture(scope="module")
def found():
    return study(ROOT / "tests/fixtures/fio/fio-3.33--libaio.json")


def shown(found, *blocks, title="A title", question="Why?"):
    """Make a page of these blocks."""
    return html.document_fromstring(_page(found, blocks, title, question))


def test_texts_of_others_are_only_text(found):
    blocks = [
        Heading(BAD, 2),
        paragraph(BAD),
        listing([(BAD, BAD)]),
        table([BAD], [(BAD,)]),
    ]
    tree = shown(found, *blocks, title=BAD, question=BAD)
    assert not tree.xpath(".//script | .//img | .//iframe | .//link | .//form | .//base")
    assert not [name for one in tree.iter() for name in one.attrib if name.startswith("on")]
    assert tree.findtext(".//title") == BAD
    assert tree.text_content().count(BAD) == 11


def test_the_policy_forbids_what_might_be_left(found):
    (policy,) = shown(found).xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert "default-src 'none'" in policy
    assert "script-src" not in policy


def test_figures_are_pictures_in_which_nothing_runs(found, tmp_path):
    (tmp_path / "a.svg").write_text(SVG, encoding="utf-8")
    (tmp_path / "a.png").write_bytes(b"PNG")
    tree = shown(found, *(Picture('a "title"', tmp_path / name) for name in ("a.svg", "a.png")))
    (picture,) = tree.xpath("//main//figure/*[1][self::svg]")
    assert not [*picture.iterdescendants()]
    assert not [name for name in picture.attrib if name.startswith("on")]
    (picture,) = tree.xpath("//main//img")
    head, _, data = picture.get("src").partition(",")
    assert head == "data:image/png;base64"
    assert base64.b64decode(data) == b"PNG"
    assert picture.get("alt") == 'a "title"'


def test_links_lead_to_headings(found):
    texts = [("One", 2), ("Same", 3), ("Two", 2), ("Same", 3)]
    tree = shown(found, *(Heading(*text) for text in texts), Block("", "<p>x</p>"))
    names = tree.xpath("//main//*[self::h2 or self::h3]/@id")
    assert names == ["one", "same", "two", "same-2"]
    for contents in ("//nav", "//details[@class='contents']"):
        assert tree.xpath(f"{contents}//a/@href") == [f"#{name}" for name in names]
        assert tree.xpath(f"{contents}/ul/li/ul//a/text()") == ["Same", "Same"]


def test_a_page_brings_each_style_once_and_loads_none(found):
    text = _page(found, [found.credibility(), found.settings()], None, None)
    assert text.count("<style>") == 1
    assert not re.search(r"https?://|@import|url\(", text)
