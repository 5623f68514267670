"""The credibility table: what its Spec holds, and that it fits."""

import json
import re

import pandas as pd
import polars as pl
import pytest

import fiotools as ft


def finding(mount, check, verdict, why="so", remedy=None, source=None, run=1):
    words = json.dumps({"words": re.sub(r"[\d.]+", "", why)})
    where = mount, source or f"data/{mount}.txt", run, "read"
    return *where, check, f"{check}.made", verdict, words, why, remedy


def table(*rows):
    names = ["mount", "source", "run", "subject", "check", "finding", "verdict", "details"]
    names += ["why", "remedy"]
    return pd.DataFrame(rows, columns=names)


SEEN = table(
    finding("ext4", "link", "ok"),
    finding("ext4", "cache", "suspect", "8 GB through the page cache"),
    finding("ext4", "budget", "unknown", "unaccounted", "give ram="),
    finding("drvfs", "link", "impossible", "2.00 GB/s is 4 times the link"),
    finding("drvfs", "link", "ok"),
    finding("drvfs", "cache", "suspect", "8 GB through the page cache"),
    finding("drvfs", "budget", "unknown", "unaccounted", "give ram="),
    finding("drvfs", "twin", "note", "as before"),
)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_a_cell_has_the_worst_verdict(kind):
    found = ft.plot.credibility.spec(
        kind({name: [None if pd.isna(v) else v for v in SEEN[name]] for name in SEEN})
    )
    assert {(row.x, row.y): row.mark for row in found.rows} == {
        ("ext4", "link speed"): "ok",
        ("drvfs", "link speed"): "impossible",
        ("ext4", "page cache"): "suspect",
        ("drvfs", "page cache"): "suspect",
    }
    assert found.y.order == ("link speed", "page cache")


def test_reasons_are_said_once_and_the_gravest_first():
    found = ft.plot.credibility.spec(SEEN)
    assert [(one.row, one.text) for one in found.levels] == [
        ("link speed", "1 run: 2.00 GB/s is 4 times the link"),
        ("page cache", "8 GB through the page cache"),
    ]
    assert found.notes == ("unknown: byte budget", "note: copied numbers")


def test_the_reasons_that_have_no_room_are_counted():
    rows = [finding("m", f"check {at}", "suspect", f"reason {'x' * at}") for at in range(9)]
    found = ft.plot.credibility.spec(table(*rows), reasons=2)
    assert [one.row for one in found.levels] == ["check 0", "check 1"]
    assert found.notes == ("7 more reasons, in the frame",)


def test_a_column_may_name_the_rows():
    rows = [finding("usb", "link", "impossible", "fast", source=f"{at}.txt") for at in range(2)]
    found = ft.plot.credibility.spec(table(*rows, finding("nvme", "link", "ok")), y="mount")
    assert {row.x: row.mark for row in found.rows} == {
        "usb (2 runs)": "impossible",
        "nvme": "ok",
    }


def test_hundreds_of_runs_are_counted():
    rows = [
        finding("m", "link", "suspect" if at % 3 else "ok", "fast", source=f"{at}.txt")
        for at in range(300)
    ]
    found = ft.plot.credibility.spec(table(*rows))
    assert {row.x: row.texts for row in found.rows} == {"suspect": ("200",), "ok": ("100",)}
    assert "300 runs, counted by the worst verdict of each check" in found.notes
