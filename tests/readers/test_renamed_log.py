"""A log of fio under another name: the caller gives its quantity."""

from __future__ import annotations

from pathlib import Path
from shutil import copy

import pytest

import fiotools as ft
from fiotools.errors import ParseError

LOG = Path(__file__).parents[1] / "fixtures" / "fio" / "fio-3.33--log-single_bw.1.log"


@pytest.fixture
def renamed(tmp_path):
    return copy(LOG, tmp_path / "yesterday.log")


def test_the_caller_gives_the_quantity(renamed):
    own = ft.read(renamed, quantity="bw").samples
    named = ft.read(LOG).samples
    assert own["value"].tolist() == named["value"].tolist()
    assert own["quantity"].unique().tolist() == named["quantity"].unique().tolist()


def test_the_error_says_how_to_give_the_quantity(renamed):
    with pytest.raises(ParseError, match="quantity='iops'"):
        ft.read(renamed, format="fio_log")


def test_an_unknown_quantity_is_refused(renamed):
    with pytest.raises(ValueError, match="quantity='speed' is not one of bw"):
        ft.read(renamed, quantity="speed")


def test_the_name_overrides_the_quantity(tmp_path):
    same = copy(LOG, tmp_path / LOG.name)
    assert set(ft.read(same, quantity="lat").samples["quantity"]) == set(
        ft.read(LOG).samples["quantity"]
    )
