"""Cells and sheets: values for people, what fits the width, what is joined."""

from itertools import pairwise

import pandas as pd
import pytest
from lxml import html as pages

import fiotools as ft
from fiotools.display import columns, html, layout, text_table
from fiotools.display.columns import Sheet, SheetColumn, mark

RUNS = pd.DataFrame(
    {
        "disk": ["<a>"] * 3 + ["b"] * 3,
        "direction": ["read"] * 6,
        "iops": [100.0, 101.0, 99.0, 150.0, 152.0, 149.0],
    }
)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (None, "s", "-"),
        (float("nan"), "B/s", "-"),
        (pd.NA, "", "-"),
        (pd.NaT, "", "-"),
        (True, "", "yes"),
        (12345, "", "12,345"),
        (0.00012, "", "0.00012"),
        (1.5, "", "1.50"),
        (1e9, "ns", "1.00 s"),
        (float("inf"), "ns", "inf"),
        ("a\nb", "", "a b"),
        (pd.Timestamp("2021-02-16 10:00", tz="UTC"), "", "2021-02-16 10:00:00 UTC"),
    ],
)
def test_cell(value, unit, text):
    assert columns.cell(value, unit) == text


def test_a_comma_stands_within_numbers_or_between_them():
    assert columns.within(2600, 2558, 2689.4, "1/s") == "2,600 [2,558; 2,689] /s"
    assert columns.within(1.0, 0.95, 1.04) == "1.00 [0.950, 1.04]"


@pytest.mark.parametrize(
    ("frame", "texts"),
    [
        ({"lat_mean_ns": [466_000_000, 4_364_000_000]}, ["0.466 s", "4.36 s"]),
        ({"lat_mean_ns": [1_000, 4_364_000_000]}, ["1.00 µs", "4.36 s"]),
        ({"bs_bytes": [4096, 1048576, 5000]}, ["4 KiB", "1 MiB", "5.00 kB"]),
        ({"percentile": [99.95, None]}, ["99.95", "-"]),
        ({"percentile": [99.99999, 99.9999999, 100.0]}, ["99.99999", "99.9999999", "100"]),
        (
            {"value": [205838, 1.5e6, 12.5], "quantity": ["lat_ns", "bw_bytes_per_s", "iops"]},
            ["206 µs", "1.50 MB/s", "12.5 /s"],
        ),
    ],
)
def test_cells_of_a_column_have_one_prefix_where_values_are_near(frame, texts):
    assert layout.cells_of(layout.Frame(pd.DataFrame(frame)), next(iter(frame))) == texts


def written(monkeypatch, sheet, width=80):
    monkeypatch.setenv("COLUMNS", str(width))
    return text_table.text(sheet).splitlines()


def test_what_fits_is_what_matters(monkeypatch):
    shown = [
        SheetColumn(head, ["x" * 10], keep=keep) for head, keep in (("a", 1), ("b", 3), ("c", 2))
    ]
    assert written(monkeypatch, Sheet(shown), 24) == [
        "b           c",
        "xxxxxxxxxx  xxxxxxxxxx",
        "no room for a: the frame",
        "has all columns",
    ]
    kept, widths, dropped = text_table.fit(shown, 1)
    assert (kept, widths, dropped) == ([shown[1]], [1], [shown[0], shown[2]])


def test_a_name_is_cut_in_its_middle_and_a_sentence_is_broken(monkeypatch):
    name = "first" + "x" * 60 + "last"
    sheet = Sheet([SheetColumn("name", [name]), SheetColumn("said", ["word " * 20], wraps=24)])
    head, first, *more = written(monkeypatch, sheet)
    assert first.startswith("firstxxx")
    assert "…" in first.split()[0]
    assert first.split()[0].endswith("last")
    assert len(more) > 1
    assert max(map(len, (head, first, *more))) <= 80


def test_no_column_is_too_narrow_to_read(monkeypatch):
    command = "fio --name=one --filename=/dev/disk/by-id/nvme-one --rw=randread --bs=4k --direct=1"
    other = command.replace("by-id/nvme-one", "by-id/nvme-two")
    numbers = [SheetColumn(f"x{n}", ["123,456"] * 2, right=True, keep=9 - n) for n in range(6)]
    sheet = Sheet([*numbers, SheetColumn("command", [command, other], keep=5)])
    head, *lines, below = written(monkeypatch, sheet)
    assert max(map(len, [head, *lines])) <= 80
    # what differs is left, and not what is alike
    cells = [line.partition("…")[2] for line in lines]
    assert "nvme-one" in cells[0]
    assert "nvme-two" in cells[1]
    assert below == "no room for x5: the frame has all columns"
    # its head is no wider than a name
    sides = SheetColumn(f"of {command}", ["1.0 ms", "2.0 ms"], right=True, keep=6)
    shown = written(monkeypatch, Sheet([sides, *numbers]))
    assert shown[0].startswith("of fio")
    assert "x5" in shown[0]


def test_the_unit_of_all_cells_stands_below_the_heading(monkeypatch):
    sheet = Sheet([SheetColumn("job", ["a"]), SheetColumn("bw", ["120"], "MB/s", right=True)])
    assert written(monkeypatch, sheet) == ["       bw", "job  MB/s", "a     120"]
    heads = pages.fromstring(html.html(sheet)).findall(".//th")
    assert [head.text_content() for head in heads] == ["job", "bw MB/s"]
    assert text_table.markdown(sheet).startswith("| job | bw MB/s |")


VERDICTS = ["suspect", "suspect", "ok"]


def test_sentences_are_joined_and_a_remedy_stands_once(monkeypatch):
    sheet = Sheet(
        [
            SheetColumn("verdict", VERDICTS, marks=list(map(mark, VERDICTS))),
            SheetColumn("of", ["a", "b", "c"], wraps=24, joins=""),
            SheetColumn("limit", ["1", "2", "3"]),
            SheetColumn("why", ["slow", "slower", "fine"], wraps=24, joins=": "),
            SheetColumn("to do", ["wait", "wait", ""], wraps=24, joins="\n> ", once=True),
        ]
    )
    assert written(monkeypatch, sheet) == [
        "verdict    limit  of, why, to do",
        "! suspect  1      a: slow",
        "! suspect  2      b: slower",
        "                  > wait",
        "✓ ok       3      c: fine",
    ]
    cells = pages.fromstring(html.html(sheet)).findall(".//td")
    assert [cell.text_content() for cell in cells if cell.get("rowspan") == "2"] == ["wait"]
    assert "| ! suspect | b | 2 | slower | wait |" in text_table.markdown(sheet)


def test_what_all_rows_share_and_notes_stand_below(monkeypatch):
    sheet = Sheet([SheetColumn("n", ["1"], right=True)], "title", ["note"], "in all rows: run 1")
    assert written(monkeypatch, sheet) == ["title", "n", "1", "in all rows: run 1", "note"]
    assert text_table.markdown(sheet).splitlines()[-2:] == ["in all rows: run 1  ", "note  "]


def test_one_caution_is_seen_and_the_others_are_counted(monkeypatch):
    sheet = Sheet([SheetColumn("n", ["1"])], cautions=["the gravest", "another", "a third"])
    seen = "the gravest; 2 more: show(answer, verbose=True)"
    assert written(monkeypatch, sheet) == ["n", "1", seen]
    assert text_table.text(sheet, verbose=True).splitlines()[2:] == sheet.cautions
    page = html.html(sheet)
    assert (
        page.index("the gravest") < page.index("<summary>2 more</summary>") < page.index("a third")
    )
    assert "<details>" not in html.html(sheet, verbose=True)


def test_nothing_is_a_command_to_the_terminal(monkeypatch):
    sheet = Sheet([SheetColumn("a\x1b[2J", ["b\x1b[2J"])], "c\x1b[2J", ["d\x1b[2J"])
    for text in ("\n".join(written(monkeypatch, sheet)), text_table.markdown(sheet)):
        assert "\x1b" not in text


@pytest.mark.parametrize(
    "answer",
    [
        ft.compare(RUNS, "iops", between="disk", baseline="b"),
        ft.speedup(RUNS, "iops", between="disk", baseline="b", by="direction"),
        ft.summarize(RUNS, "iops", by="disk"),
        ft.fairness(ft.read("data/dda-vhdx/xml/{volume}.xml").threads, by="volume"),
    ],
    ids=["compare", "speedup", "summarize", "fairness"],
)
def test_a_terminal_shows_the_columns_of_a_notebook(monkeypatch, answer):
    monkeypatch.setenv("COLUMNS", "300")
    shown = ft.show(answer)
    page = pages.fromstring(shown._repr_html_())
    heads = [cell.text_content() for cell in page.findall(".//th")]
    lines = [line.split() for line in repr(shown).splitlines()]
    # units stand below the headings
    above = [*lines, *(one + other for one, other in pairwise(lines))]
    assert sorted(" ".join(heads).split()) in map(sorted, above)
