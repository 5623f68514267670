"""A page holds everything, runs nothing and loads nothing, whatever its notebook shows."""

import base64
import re
from pathlib import Path

import pytest
from lxml import html
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from fiotools.reports.report import page

pytest.importorskip("nbconvert", reason="needs the extra [report]")

SVG = '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'


def shown(*outputs, markdown="# A title\n\ntext", out=Path("none")):
    """Make a page of a notebook with these outputs."""
    outputs = [new_output("display_data", data=data) for data in outputs]
    cells = [new_markdown_cell(markdown), new_code_cell("1 + 1", outputs=outputs)]
    return html.document_fromstring(page(new_notebook(cells=cells), out))


@pytest.mark.parametrize(
    "bad",
    [
        "<script>alert(1)</script>",
        "<p onclick='alert(1)'>a</p>",
        "<a href='javascript:alert(1)'>a</a>",
        "<a href=' java\nscript:alert(1)'>a</a>",
        "<a href='data:text/html,x'>a</a>",
        "<img src='http://example.org/x.png'>",
        "<img src=x onerror=alert(1)>",
        "<img srcset='http://example.org/x.png 2x'>",
        "<iframe src='http://example.org'></iframe>",
        "<link rel=stylesheet href='http://example.org/x.css'>",
        "<style>@import 'http://example.org/x.css';</style>",
        "<p style='background:url(http://example.org/x)'>a</p>",
        "<form action='http://example.org'><button>a</button></form>",
        "<svg><script>alert(1)</script><image href='http://example.org/x'/></svg>",
        "<meta http-equiv=refresh content='0;url=http://example.org'>",
        "<base href='http://example.org/'>",
    ],
)
def test_nothing_runs_and_nothing_is_loaded(bad):
    tree = shown({"text/html": bad})
    body = tree.find(".//main")
    assert not body.xpath(".//script | .//iframe | .//link | .//form | .//base | .//meta")
    assert not [name for one in body.iter() for name in one.attrib if name.startswith("on")]
    links = [value for one in body.iter() for value in one.attrib.values() if "example" in value]
    assert links == []
    assert "alert" not in " ".join(v for one in body.iter() for v in one.attrib.values())
    assert "@import" not in html.tostring(body, encoding="unicode")


def test_the_policy_forbids_what_might_be_left():
    (policy,) = shown().xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert "default-src 'none'" in policy
    assert "script-src" not in policy


def test_figures_are_pictures_in_which_nothing_runs():
    tree = shown({"image/svg+xml": SVG, "text/plain": "<Figure>"})
    (picture,) = tree.xpath("//main//img")
    head, _, data = picture.get("src").partition(",")
    assert head == "data:image/svg+xml;base64"
    assert base64.b64decode(data).decode() == SVG
    assert picture.get("alt")


def test_links_lead_to_headings_and_files_are_inside(tmp_path):
    (tmp_path / "io.csv").write_bytes(b"a,b\n1,2\n")
    (tmp_path / "secret.txt").write_bytes(b"x")
    text = (
        f"<h2>One</h2><h3>Same</h3><h2>Two</h2><h3>Same</h3>"
        f"<a href='{tmp_path.as_posix()}/io.csv'>io.csv</a>"
        f"<a href='{tmp_path.as_posix()}/../secret.txt'>no</a>"
        "<a href='https://example.org/'>out</a>"
    )
    tree = shown({"text/html": text}, out=tmp_path)
    names = tree.xpath("//main//*[self::h2 or self::h3]/@id")
    assert names == ["one", "same", "two", "same-2", "how-this-page-was-made"]
    assert {f"#{name}" for name in names} == set(tree.xpath("//nav//a/@href"))
    saved, kept, outside = tree.xpath("//main//div[@class='out']/a")
    assert saved.get("download") == "io.csv"
    assert base64.b64decode(saved.get("href").partition(",")[2]) == b"a,b\n1,2\n"
    assert kept.get("download") is None
    assert "noopener" in outside.get("rel")


def test_code_is_folded_away_and_cells_for_the_notebook_are_left_out():
    cells = [
        new_markdown_cell("# <i>Title</i>"),
        new_markdown_cell("how to use", metadata={"tags": ["notebook-only"]}),
        new_code_cell("secret_code()", outputs=[new_output("stream", name="stdout", text="<b>")]),
    ]
    text = page(new_notebook(cells=cells), Path("none"))
    tree = html.document_fromstring(text)
    assert tree.findtext(".//title") == "Title"
    assert "how to use" not in text
    (fold,) = tree.xpath("//details[@class='code']")
    assert "secret_code" in fold.text_content()
    assert [pre.text for pre in tree.xpath("//main//pre[@class='out']")] == ["<b>"]
    assert not re.search(r"https?://(?!www\.w3\.org)", text.partition("<style>")[2])
