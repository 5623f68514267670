"""A report with plots in Japanese: the page around them is English."""

import re
from pathlib import Path

import pytest

import fiotools as ft
from fiotools.reports.study import study
from tests.conftest import needs_letters

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def japanese():
    ft.plot.style(lang="ja")
    yield
    ft.plot.style()


@needs_letters
def test_a_page_is_english(japanese):
    told = study(str(ROOT / "data/page-cache/{cache}.txt"))
    for block in (told.verdict(), told.credibility(), told.settings(), told.measured()):
        assert not re.search("[ぁ-鿿]", str(block))
