"""A report in Japanese: no sentence stays English."""

import re
from pathlib import Path

import pytest
from lxml import html

import fiotools as ft
from fiotools import language
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


def pieces(study, out):
    yield from (study.verdict(), study.credibility(), study.settings(), study.tables(out))
    yield from (study.measured(), study.remarks(), *(part.heading for part in study.parts))


@needs_letters
@pytest.mark.parametrize(
    "sources",
    ["data/own-disk", "data/dda-vhdx/xml/{volume}.xml", "data/page-cache/{cache}.txt"],
)
def test_no_sentence_stays_english(japanese, sources, tmp_path):
    study = ft.study(str(ROOT / sources))
    found = [*pieces(study, tmp_path)]
    assert english(found) == []
    assert all(re.search("[ぁ-鿿]", str(one)) for one in found[:3])


@needs_letters
def test_headings_of_plots_are_japanese(japanese, tmp_path):
    (part,) = ft.study(str(ROOT / "data/page-cache/{cache}.txt")).parts
    drawn = [*part.figures(tmp_path)]
    assert english([block for one in drawn for block in one[:2]]) == []
    assert drawn
    assert all(re.search("[ぁ-鿿]", str(about)) for about, *_ in drawn)


def test_a_longer_pattern_comes_first():
    with language.speaking("ja"):
        step = "values of a side step up by 9 % after run 2 of 5, or lie so by chance: see shifts()"
        assert language.spoken(step) == (
            "片側の値が実行 2（全 5 回）の後で 9% の段差（上昇、偶然かもしれない）：shifts() を参照"
        )


def test_english_is_found():
    assert ENGLISH.search("これは not a japanese sentence")
    assert not ENGLISH.search("fio の /dev/shm/report-f, iodepth 4")


def test_a_sentence_is_one_template_in_both_languages():
    answer = ft.compare(
        ft.read(str(ROOT / "data/dda-vhdx/xml/{volume}.xml")).io.query("direction == 'read'"),
        "iops",
        between="volume",
        baseline="vhdx",
    )
    from fiotools.reports.sentences import sentences

    with language.speaking("ja"):
        said = str(sentences(answer)[0])
    assert said == (
        "mirror（vhdx 比）、実行 1 回ずつ：IOPS は 0.709 倍（29% 減）；実行間のばらつきは不明。"
    )
