"""What people try on a `Results`, and what they are told to type."""

import pickle

import pytest

import fiotools as ft
from fiotools.vocabulary import ANSWERS, TABLES
from tests.conftest import ROOT

DEPTHS = f"{ROOT}/data/how-many-runs/depth/{{iodepth}}_{{run}}.json"


@pytest.fixture(scope="module")
def res():
    return ft.read(DEPTHS)


@pytest.mark.parametrize("name", [*sorted({*ANSWERS} - {*TABLES}), "tell", "show", "report"])
def test_a_question_is_called_with_results(res, name):
    with pytest.raises(AttributeError, match=rf"type ft\.{name}\(res\)"):
        getattr(res, name)
    assert callable(getattr(ft, name))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("plot", r"ft\.plot\.repeats\(res"),
        ("describe", r"ft\.overview\(res\)"),
        ("query", r"res\.where\("),
        ("df", r"res\.io"),
        ("save", r"res\.io\.to_csv"),
        ("nonsense", "its tables are runs"),
    ],
)
def test_other_names_have_a_call_too(res, name, said):
    with pytest.raises(AttributeError, match=said):
        getattr(res, name)


def test_a_table_is_an_item_and_a_column_is_not(res):
    assert res["io"] is res.io
    assert repr(pickle.loads(pickle.dumps(res))) == repr(res)
    for name in ("bw", "bandwidth"):
        with pytest.raises(ft.SchemaError, match=r"type res\.io\['bw_bytes_per_s'\]"):
            res[name]
    with pytest.raises(ft.SchemaError, match="its tables are"):
        res["nonsense"]
    with pytest.raises(TypeError, match="not iterable"):
        list(res)


def test_where_takes_columns_by_name(res):
    assert {*res.where(iodepth=4).io["iodepth"]} == {4}
    assert {*res.where("iodepth<16", iodepth=[4, 16, 1]).io["iodepth"]} == {1, 4}
    assert len(res.where(bs="4k", direction="read").io) == len(res.io)
    assert len(res.where("bs == '4k' and direction == 'read'").io) == len(res.io)
    with pytest.raises(ft.SchemaError, match="no column 'iodeph'; did you mean 'iodepth'"):
        res.where(iodeph=1)


def test_a_first_look_has_rows_of_each_side(res):
    text = str(ft.show(res))
    assert "the first 12 of 24 rows, some of each side: ft.overview(res) shows all" in text
    depths = [line.split()[-9] for line in text.splitlines() if ".json" in line]
    assert len(depths) == 12
    assert all(str(depth) in text for depth in (1, 2, 4, 8, 16, 32, 64, 128))
    alone = str(ft.show(res.where(iodepth=4)))
    assert "rows" not in alone.splitlines()[-1] or "shows all" not in alone


def test_a_warning_is_of_the_line_that_called(tmp_path):
    (tmp_path / "broken.json").write_text('{"fio version": "fio-3.33", "jobs": [')
    whole = (ROOT / "data" / "how-many-runs" / "depth" / "1_1.json").read_bytes()
    (tmp_path / "whole.json").write_bytes(whole)
    with pytest.warns(UserWarning, match="1 of 2 files could not be read") as told:
        ft.read(str(tmp_path))
    assert [one.filename for one in told] == [__file__]
