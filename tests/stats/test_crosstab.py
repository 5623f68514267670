"""A cross table is the answer of `compare`, with the sides beside each other."""

import pandas as pd
import polars as pl
import pytest

import fiotools as ft
from fiotools.cli.output import as_polars
from tests.conftest import ROOT

SIZES = str(ROOT / "data/wsl-filesystems/{filesystem}_{operation}_{size}_{round:d}.txt")
VOLUMES = str(ROOT / "data/dda-vhdx/xml/{volume}.xml")
# the IOPS of each run
RUNS = pd.DataFrame(
    [
        ("a", "read", 1, [100.0, 102.0, 98.0]),
        ("b", "read", 1, [182.0, 180.0, 185.0]),
        ("c", "read", 1, [101.0, 99.0, 103.0]),
        ("a", "write", 1, [50.0, 51.0, 49.0]),
        ("b", "write", 1, [25.0]),
        ("c", "trim", 1, [7.0, 8.0]),
    ],
    columns=["pool", "rw", "iodepth", "iops"],
)
RUNS = RUNS.explode("iops", ignore_index=True).astype({"iops": float})


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_tests_stand_down_and_sides_across(kind):
    frame = RUNS if kind is pd.DataFrame else pl.from_pandas(RUNS)
    found = ft.crosstab(frame, "iops", between="pool")
    assert isinstance(found, kind)
    rows = {row["rw"]: row for row in as_polars(found).rows(named=True)}
    assert [*rows] == ["read", "write", "trim"]
    read = ft.compare(RUNS, "iops", between="pool", by="rw").iloc[0]
    assert (read["rw"], read["pool"]) == ("read", "b")
    assert rows["read"]["b"] == read["center"]
    ends = [100 * (read[name] - 1) for name in ("ratio", "ratio_lo", "ratio_hi")]
    assert [rows["read"][f"b_change{end}_pct"] for end in ("", "_lo", "_hi")] == ends
    assert (rows["read"]["b_verdict"], rows["read"]["b_n"]) == ("faster", 3)
    # a side that has no run, and a first side that has none
    assert (rows["write"]["c"], rows["write"]["c_verdict"]) == (None, "no run")
    assert rows["trim"]["a"] is None
    assert rows["trim"]["c"] == pytest.approx(56**0.5)
    assert rows["trim"]["c_change_pct"] is None


@pytest.mark.parametrize(
    ("files", "asked", "rows", "sides"),
    [
        (VOLUMES, {}, ["direction"], ["mirror", "nvme", "vhdx"]),
        (VOLUMES, {"baseline": "vhdx"}, ["direction"], ["vhdx", "mirror", "nvme"]),
        (SIZES, {"between": "filesystem"}, ["operation", "size"], ["ext4-image", "ext4", "tmpfs"]),
        (
            {"4k": ROOT / "data/how-many-runs/depth/1_1.json"}
            | {"16k": ROOT / "data/how-many-runs/depth/4_1.json"},
            {},
            [],
            ["4k", "16k"],
        ),
    ],
)
def test_sides_and_rows_are_found(files, asked, rows, sides):
    res = ft.read(files)
    found = ft.crosstab(res, "iops", **asked)
    names = [*found]
    assert names[: names.index("metric")] == rows
    first = names.index("comparisons") + 1
    assert names[first : first + len(sides)] == sides
    assert {*found["baseline"]} == {sides[0]}


def test_several_metrics_are_rows():
    res = ft.read(str(ROOT / "data/how-many-runs/rounds/{test}_{fs}_{round:d}.json"))
    found = ft.crosstab(res.where("round<=3"), ["iops", "p99"], between="fs")
    told = found[["test", "direction", "metric"]].fillna("").to_records(index=False).tolist()
    assert told == [
        ("fsync", "", "iops"),
        ("randread", "", "iops"),
        ("fsync", "write", "p99_ns"),
        ("fsync", "sync", "p99_ns"),
        ("randread", "read", "p99_ns"),
    ]


@pytest.mark.parametrize(
    ("asked", "names", "says"),
    [
        ({}, {}, "give two files"),
        ({"between": "pool"}, {"b": "metric"}, "a side is called like a column, metric: rename it"),
    ],
)
def test_a_wrong_question_is_answered(asked, names, says):
    with pytest.raises(ft.SchemaError, match=says):
        ft.crosstab(RUNS.replace({"pool": names}), "iops", **asked)


def test_per_cent_stands_below_each_value():
    answer = ft.show(ft.crosstab(RUNS, "iops", between="pool"))
    shown = [" ".join(line.split()) for line in repr(answer).splitlines()]
    assert shown[:5] == [
        "iops, against a (geometric means)",
        "a b c",
        "rw /s /s /s",
        "read 100 182 101",
        "▲ +82 % ? +1 %",
    ]
    assert shown[5].startswith("[+")
    assert shown[6:8] == ["write 50.0 25.0 -", "? -50 %"]
    told = " ".join(shown)
    assert "▲ faster, ▼ slower, △ ▽ perhaps by less than 5 %, = same, ? cannot tell" in told
    assert "[ ]: 95 % intervals, for all" in told
    assert "▲</i> <b>+82 %" in answer._repr_html_()


def test_side_and_rows_are_other_names():
    res = ft.read("data/own-disk/random-io/{place}_{workload}_{round:d}.json")
    named = ft.crosstab(res, "iops", between="place", by=["workload", "direction"])
    called = ft.crosstab(res, "iops", side="place", rows=["workload", "direction"])
    assert called.equals(named)
