"""The articles' data, with no download."""

import pandas as pd
import pytest

import fiotools as ft
from fiotools.articles import examples
from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("name", "template"),
    [
        ("dda-vhdx", "xml/{volume}.xml"),
        ("wsl-filesystems", "{filesystem}_{operation}_{size}_{round:d}.txt"),
    ],
)
def test_an_example_is_what_reading_the_folder_gives(name, template, monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    read = ft.read(f"data/{name}/{template}")
    monkeypatch.chdir(tmp_path)  # where it is asked for makes no difference
    example = ft.example(name)
    assert example.files == read.files
    for table, frame in read.tables.items():
        pd.testing.assert_frame_equal(example.tables[table], frame)


def test_every_folder_of_data_is_an_example_and_can_be_read():
    folders = {folder.name for folder in (ROOT / "data").iterdir() if folder.is_dir()}
    assert set(examples._EXAMPLES) == folders
    for name in folders:
        assert (examples.example_path(name) / "README.md").is_file()
        assert not ft.example(name).notes["severity"].eq("error").any()


@pytest.mark.parametrize("ask", [ft.example, examples.example_path])
@pytest.mark.parametrize(
    ("given", "begins"),
    [((), "name an example; "), (("dda",), "'dda' is not an example; ")],
)
def test_the_names_are_told(ask, given, begins):
    with pytest.raises(ft.SchemaError) as error:
        ask(*given)
    message = str(error.value)
    assert message.startswith(begins)
    assert all(name in message for name in examples._EXAMPLES)
    assert "\n" not in message


def test_an_installed_library_has_them_inside(monkeypatch, tmp_path):
    inside = tmp_path / "examples" / "page-cache"
    inside.mkdir(parents=True)
    (inside / "before.txt").write_text("real\t0m1.000s\nuser\t0m0.000s\nsys\t0m0.100s\n")
    monkeypatch.setattr(examples, "_HERE", tmp_path)
    assert examples.example_path("page-cache") == inside
    found = ft.example("page-cache").timings
    assert found["source"].tolist() == ["data/page-cache/before.txt"]
    assert found["real_s"].tolist() == [1.0]
    with pytest.raises(ft.SchemaError, match="is not installed"):
        ft.example("dda-vhdx")
