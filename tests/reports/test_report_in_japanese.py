"""A report with plots in Japanese: no words on them stay English, and the page is English."""

import re
from pathlib import Path

import pytest
from lxml import html

import fiotools as ft
from tests.conftest import needs_letters

ROOT = Path(__file__).resolve().parent.parent.parent
# three words in a row that are neither names nor commands
ENGLISH = re.compile(r"(?<![\\w./=-])[A-Za-z]?[a-z]{1,}(?: [a-z]{2,}){2,}")


def sentences_of(block):
    """Give the texts of a piece of a page that are not commands, options or paths."""
    tree = html.fromstring(f"<div>{block.html}</div>")
    for code in tree.xpath("//style | //table[contains(@class, 'commands')]"):
        code.getparent().remove(code)
    return [text.strip() for text in tree.itertext() if text.strip()]


def english(blocks):
    return [text for one in blocks for text in sentences_of(one) if ENGLISH.search(text)]


@pytest.fixture
def japanese():
    ft.plot.style(lang="ja")
    yield
    ft.plot.style()


@needs_letters
def test_headings_of_plots_are_japanese(japanese, tmp_path):
    (part,) = ft.study(str(ROOT / "data/page-cache/{cache}.txt")).parts
    drawn = [*part.figures(tmp_path)]
    assert english([block for one in drawn for block in one[:2]]) == []
    assert drawn
    assert all(re.search("[ぁ-鿿]", str(about)) for about, *_ in drawn)


def test_english_is_found():
    assert ENGLISH.search("これは not a japanese sentence")
    assert not ENGLISH.search("fio の /dev/shm/report-f, iodepth 4")


def test_a_page_is_english(japanese):
    study = ft.study(str(ROOT / "data/page-cache/{cache}.txt"))
    for block in (study.verdict(), study.credibility(), study.settings(), study.measured()):
        assert not re.search("[ぁ-鿿]", str(block))
