"""Every DISKSPD file of the shared corpus: right, or a clear error where it holds no result."""

from __future__ import annotations

import csv
import json
import math
import re
from pathlib import Path

import pandas as pd
import pytest

import fiotools as ft
from fiotools.errors import FileError

CORPUS = Path(__file__).parents[2] / "shared" / "corpus" / "diskspd"
FILES = sorted(CORPUS.glob("*/*")) if CORPUS.is_dir() else []
FILES = [file for file in FILES if "cdm_" not in file.name]
PAIRS = [file for file in FILES if file.name.endswith(".pair.txt")]
# usage texts are no format; profiles are one, without results
NO_RESULT = ("_help.txt", "linux_noargs.txt", "_profile_only.xml", "_profile_only.txt")
CONDITIONS = ["rw", "bs_bytes", "iodepth", "numjobs", "direct", "rwmixread_pct", "size_bytes"]

pytestmark = pytest.mark.skipif(not FILES, reason=f"the corpus is not here: {CORPUS}")


def name(file: Path) -> str:
    return file.name


@pytest.fixture(scope="module")
def truths() -> dict[str, dict]:
    return json.loads((CORPUS / "truths.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("file", FILES, ids=name)
def test_file_is_read_or_refused(file: Path) -> None:
    if file.name.endswith(NO_RESULT):
        with pytest.raises(FileError, match=r":\d+: "):
            ft.read(file)
        return
    res = ft.read(file)
    assert len(res.runs)
    good = res.runs[res.runs["status"] == "ok"]
    assert set(good["run"]) == set(res.io["run"])
    failed = res.runs[res.runs["status"] == "error"]
    assert ("_err_" in file.name or "interrupted" in file.name) == bool(len(failed))
    assert set(failed["run"]) <= set(res.notes["run"].dropna())
    check_physics(res)


def check_physics(res: ft.Results) -> None:
    """Ask of every file what must hold whatever the tool printed."""
    io = res.io
    assert not io.duplicated(["source", "run", "entry", "direction"]).any()
    assert io["direction"].isin(["read", "write", "total"]).all()
    assert (io[["io_bytes", "total_ios", "iops", "bw_bytes_per_s"]].fillna(1) > 0).all(axis=None)
    for low, high in (("lat_min_ns", "lat_mean_ns"), ("lat_mean_ns", "lat_max_ns")):
        both = io.dropna(subset=[low, high])
        assert (both[low] <= both[high] + 500).all()
    charts = res.percentiles.sort_values("percentile", kind="stable")
    for _, chart in charts.groupby(["run", "entry", "direction"]):
        # one file of the corpus was invented by hand, and says so in its notes
        noted = res.notes["message"].str.contains("is below percentile").any()
        assert chart["value_ns"].is_monotonic_increasing or noted
        assert not chart["percentile"].duplicated().any()
    sizes = io["io_bytes"] / io["total_ios"]
    asked = io["bs_bytes"]
    assert ((sizes - asked).abs().fillna(0) == 0).all()


def test_manifest_names_every_file() -> None:
    with (CORPUS / "MANIFEST.tsv").open(encoding="utf-8") as manifest:
        listed = {row["file"] for row in csv.DictReader(manifest, delimiter="\t")}
    assert {file.relative_to(CORPUS).as_posix() for file in FILES} <= listed


@pytest.mark.parametrize("file", PAIRS, ids=name)
def test_text_and_xml_of_one_run_agree(file: Path) -> None:
    text = ft.read(file)
    xml = ft.read(file.with_name(file.name.replace(".pair.txt", ".xml")))
    assert text.runs["status"].tolist() == xml.runs["status"].tolist()
    keys = ["run", "entry", "thread", "target", "scope", "direction"]
    one, other = (res.io.drop(columns="source") for res in (text, xml))
    pd.testing.assert_frame_equal(
        one[[*keys, *CONDITIONS, "io_bytes", "total_ios", "runtime_s", "lat_min_ns", "lat_max_ns"]],
        other[
            [*keys, *CONDITIONS, "io_bytes", "total_ios", "runtime_s", "lat_min_ns", "lat_max_ns"]
        ],
    )
    # the XML has its time to 5 ms; a mean of two printed means is off by their rounding
    time = 0.005 / other["runtime_s"]
    for column in ("iops", "bw_bytes_per_s"):
        assert ((one[column] / other[column] - 1).abs() <= time + 0.01 / one["iops"]).all()
    for column, slack in (("lat_mean_ns", 1000), ("lat_stddev_ns", 1000), ("iops_stddev", 0.006)):
        assert (one[column].isna() == other[column].isna()).all()
        assert ((one[column] - other[column]).abs().fillna(0) <= slack).all()
    total = text.percentiles.query("scope == 'total'").drop(columns=["source", "target"])
    both = total.merge(xml.percentiles, on=["run", "entry", "direction", "percentile"], how="left")
    assert (both["value_ns_x"] == both["value_ns_y"]).all()
    cpu = [res.cpu.drop(columns=["source", "group"]) for res in (text, xml)]
    pd.testing.assert_frame_equal(*cpu)


def test_truths(truths: dict[str, dict]) -> None:
    checked = 0
    for path, truth in truths.items():
        if path.startswith("_"):
            continue
        res = ft.read(CORPUS / path)
        if "iops_buckets" in truth:
            check_buckets(res, truth["iops_buckets"])
        for run, expected in enumerate(truth.get("timespans") or truth["runs"], 1):
            io = res.io[res.io["run"] == run]
            total = io[io["scope"] == "total"].set_index("direction")
            charts = res.percentiles.query("run == @run and scope == 'total'")
            for direction in ("read", "write", "total"):
                checked += agree(total, direction, expected.get(direction))
                checked += agree_chart(charts, direction, expected.get(direction) or {})
            threads = expected["threads"]
            rows = io[io["scope"] == "thread"]
            listed = (
                [(int(key), part) for key, part in threads.items()]
                if isinstance(threads, dict)
                else [
                    (thread["id"], part)
                    for thread in threads
                    for part in thread.get("targets", [thread])
                ]
            )
            for number, part in listed:
                mine = rows[rows["thread"] == number]
                if "path" in part:
                    path = re.sub(r" \(\d+\w+\)$", "", part["path"])
                    mine = mine[mine["target"] == path]
                for direction in ("read", "write", "total"):
                    checked += agree(mine.set_index("direction"), direction, part.get(direction))
    assert checked > 300


def agree(rows: pd.DataFrame, direction: str, expected: dict | None) -> int:
    """Compare one row; where nothing happened there is none."""
    if not expected:
        return 0
    if not expected["ios"]:
        assert direction not in rows.index
        return 0
    row = rows.loc[direction]
    assert row["io_bytes"] == expected["bytes"]
    assert row["total_ios"] == expected["ios"]
    same = {
        "MiB_s": (row["bw_bytes_per_s"] / 2**20, 0.0051),
        "iops": (row["iops"], 0.0051),
        "avg_ms": (row["lat_mean_ns"] / 1e6, 0.0011),
        "lat_stddev": (row["lat_stddev_ns"] / 1e6, 0.0011),
        "iops_stddev": (row["iops_stddev"], 0.0051),
    }
    count = 2
    for key, (value, slack) in same.items():
        if expected.get(key) is not None and expected[key] != 0:
            assert math.isclose(value, expected[key], abs_tol=slack), (direction, key)
            count += 1
    return count


def agree_chart(charts: pd.DataFrame, direction: str, expected: dict) -> int:
    values = charts[charts["direction"] == direction].set_index("percentile")["value_ns"]
    named = {"p50_ms": 50.0, "p99_ms": 99.0, "p99_9_ms": 99.9, "max_ms": 100.0}
    found = {key: place for key, place in named.items() if expected.get(key) is not None}
    for key, place in found.items():
        assert values[place] == round(expected[key] * 1e6)
    return len(found)


def check_buckets(res: ft.Results, expected: dict) -> None:
    rates = res.samples.query("scope == 'total' and direction == 'total' and quantity == 'iops'")
    assert len(rates) == expected["n"]
    assert rates["time_s"].iloc[0] == expected["interval_ms"] / 1000
    assert rates["value"].iloc[0] == expected["first_total"]
    assert rates["value"].iloc[-1] == expected["last_total"]
    assert math.isclose(rates["value"].mean(), expected["mean_total"], abs_tol=0.051)
