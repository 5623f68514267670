"""Output for other programs: files by their ending, datasets read again."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import fiotools as ft
from fiotools.cli import main
from fiotools.cli.output import ENDINGS

DATA = Path(__file__).parents[2] / "data"
SIDES = [f"{DATA}/dda-vhdx/xml/{{volume}}.xml", "--metric", "iops", "--by", "direction"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_answer_is_written_by_its_ending(tmp_path, ending):
    if ending == ".xlsx":
        pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed")
    target = tmp_path / f"answer{ending}"
    assert main(["compare", *SIDES, "-o", str(target)]) == 0
    content = target.read_bytes()
    if ending == ".jsonl":
        rows = [json.loads(line) for line in content.splitlines()]
        assert {row["direction"] for row in rows} == {"total", "read", "write"}
    elif ending == ".html":
        assert b"1.41" in content
    elif ending == ".parquet":
        assert pl.read_parquet(target)["ratio"].len() == 6
    else:
        assert content


def test_a_workbook_holds_no_formulas(tmp_path):
    pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed")
    from zipfile import ZipFile

    times = tmp_path / "a.txt"
    times.write_text("$ time =1+1\n\nreal\t0m1.000s\nuser\t0m0.100s\nsys\t0m0.100s\n")
    target = tmp_path / "a.xlsx"
    assert main(["read", str(times), "-t", "timings", "-o", str(target)]) == 0
    with ZipFile(target) as book:
        assert b"<f>" not in book.read("xl/worksheets/sheet1.xml")


def test_a_name_without_a_format_is_refused(tmp_path, capsys):
    assert main(["compare", *SIDES, "-o", str(tmp_path / "answer.doc")]) == 2
    assert ".xlsx" in capsys.readouterr().err


def test_a_dataset_is_a_side(tmp_path, capsys):
    for name in ("vhdx", "nvme"):
        ft.convert(f"{DATA}/dda-vhdx/xml/{name}.xml", str(tmp_path / f"{name}.ds"))
    sides = [f"{name}={tmp_path}/{name}.ds" for name in ("vhdx", "nvme")]
    assert main(["compare", *sides, "--metric", "iops", "--where", "direction=total"]) == 0
    assert "1.82" in capsys.readouterr().out
