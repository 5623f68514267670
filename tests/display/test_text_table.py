"""A sheet as text: what fits the width, what is joined, and the same columns as in a notebook."""

from itertools import pairwise

import pandas as pd
import pytest
from lxml import html as pages

import fiotools as ft
from fiotools.display import html, text_table
from fiotools.display.columns import Sheet, SheetColumn, mark

RUNS = pd.DataFrame(
    {
        "disk": ["<a>"] * 3 + ["b"] * 3,
        "direction": ["read"] * 6,
        "iops": [100.0, 101.0, 99.0, 150.0, 152.0, 149.0],
    }
)


def written(monkeypatch, sheet, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
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
    head, first, *more = written(monkeypatch, sheet, 80)
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
    head, *lines, below = written(monkeypatch, sheet, 80)
    assert max(map(len, [head, *lines])) <= 80
    # what differs is left, and not what is alike
    cells = [line.partition("…")[2] for line in lines]
    assert "nvme-one" in cells[0]
    assert "nvme-two" in cells[1]
    assert below == "no room for x5: the frame has all columns"
    # its head is no wider than a name
    sides = SheetColumn(f"of {command}", ["1.0 ms", "2.0 ms"], right=True, keep=6)
    shown = written(monkeypatch, Sheet([sides, *numbers]), 80)
    assert shown[0].startswith("of fio")
    assert "x5" in shown[0]


def test_the_unit_of_all_cells_stands_below_the_heading(monkeypatch):
    sheet = Sheet([SheetColumn("job", ["a"]), SheetColumn("bw", ["120"], "MB/s", right=True)])
    assert written(monkeypatch, sheet, 80) == ["       bw", "job  MB/s", "a     120"]
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
    assert written(monkeypatch, sheet, 80) == [
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
    assert written(monkeypatch, sheet, 80) == ["title", "n", "1", "in all rows: run 1", "note"]
    assert text_table.markdown(sheet).splitlines()[-2:] == ["in all rows: run 1  ", "note  "]


def test_one_caution_is_seen_and_the_others_are_counted(monkeypatch):
    sheet = Sheet([SheetColumn("n", ["1"])], cautions=["the gravest", "another", "a third"])
    seen = "the gravest; 2 more: show(answer, verbose=True)"
    assert written(monkeypatch, sheet, 80) == ["n", "1", seen]
    assert text_table.text(sheet, verbose=True).splitlines()[2:] == sheet.cautions
    page = html.html(sheet)
    assert (
        page.index("the gravest") < page.index("<summary>2 more</summary>") < page.index("a third")
    )
    assert "<details>" not in html.html(sheet, verbose=True)


def test_nothing_is_a_command_to_the_terminal(monkeypatch):
    sheet = Sheet([SheetColumn("a\x1b[2J", ["b\x1b[2J"])], "c\x1b[2J", ["d\x1b[2J"])
    for text in ("\n".join(written(monkeypatch, sheet, 80)), text_table.markdown(sheet)):
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
