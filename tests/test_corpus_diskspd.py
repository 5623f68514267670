"""Every DISKSPD file of the shared corpus: right, or a clear error where it holds no result."""

from __future__ import annotations

import csv
import json
import math
import re
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

import fiotools as ft
from fiotools.errors import FileError
from fiotools.readers import opened, sniff
from tests.corpus import with_totals

CORPUS = Path(__file__).parents[2] / "shared" / "corpus" / "diskspd"
FILES = sorted(CORPUS.glob("*/*")) if CORPUS.is_dir() else []
FILES = [file for file in FILES if "cdm_" not in file.name]
PAIRS = [file for file in FILES if file.name.endswith(".pair.txt")]
# usage texts are no format; profiles are one, without results
NO_RESULT = ("_help.txt", "linux_noargs.txt", "_profile_only.xml", "_profile_only.txt")
CONDITIONS = ["rw", "bs_bytes", "iodepth", "numjobs", "direct", "rwmixread_pct", "size_bytes"]

pytestmark = pytest.mark.skipif(not FILES, reason=f"the corpus is not here: {CORPUS}")


read = cache(ft.read)


def name(file: Path) -> str:
    return file.name


@pytest.fixture(scope="module")
def truths() -> dict[str, dict]:
    return json.loads((CORPUS / "truths.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("file", FILES, ids=name)
def test_file_is_read_or_refused(file: Path) -> None:
    if file.name.endswith(NO_RESULT):
        with pytest.raises(FileError, match=r":\d+: "):
            read(file)
        return
    res = read(file)
    assert len(res.runs)
    good = res.runs[res.runs["status"] == "ok"]
    # one article lacks the rows of the run
    whole = (
        res.threads if res.notes["message"].str.startswith("the rows 'total:'").any() else res.io
    )
    assert set(good["run"]) == set(whole["run"])
    failed = res.runs[res.runs["status"] == "error"]
    assert ("_err_" in file.name or "interrupted" in file.name) == bool(len(failed))
    assert set(failed["run"]) <= set(res.notes["run"].dropna())
    check_physics(res)


@pytest.mark.parametrize("file", [f for f in FILES if f.parent.name == "generated"], ids=name)
def test_nothing_of_the_tool_s_own_output_is_left_over(file: Path) -> None:
    if file.name.endswith(("_help.txt", "linux_noargs.txt")):
        return
    document = opened(file.name, file.read_bytes())
    own = "diskspd_xml" if file.suffix == ".xml" else "diskspd_text"
    assert sniff(document).name == own
    if not file.name.endswith(NO_RESULT):
        messages = read(file).notes["message"]
        assert not messages.str.startswith("text beside the XML").any()


def check_physics(res: ft.Results) -> None:
    """Ask of every file what must hold whatever the tool printed."""
    assert (res.io["entry"] == 1).all()
    for io in (res.io, res.threads):
        assert not io.duplicated(["source", "run", "entry", "direction"]).any()
        # a table of the total alone does not split
        ways = io.groupby("run")["direction"].unique().map(set)
        assert all(way <= {"read", "write"} or way == {"mixed"} for way in ways)
        rates = io[["io_bytes", "total_ios", "iops", "bw_bytes_per_s"]]
        assert (rates.fillna(1) > 0).all(axis=None)
        for low, high in (("lat_min_ns", "lat_mean_ns"), ("lat_mean_ns", "lat_max_ns")):
            both = io.dropna(subset=[low, high])
            assert (both[low] <= both[high] + 500).all()
        sizes = io["io_bytes"] / io["total_ios"]
        assert ((sizes - io["bs_bytes"]).abs().fillna(0) == 0).all()
    charts = res.percentiles.sort_values("percentile", kind="stable")
    keys = ["run", "entry", "target", "direction"]
    for _, chart in charts.groupby(keys, dropna=False):
        # one file of the corpus was invented by hand, and says so in its notes
        noted = res.notes["message"].str.contains("is below percentile").any()
        assert chart["value_ns"].is_monotonic_increasing or noted
        assert not chart["percentile"].duplicated().any()


def test_manifest_names_every_file() -> None:
    with (CORPUS / "MANIFEST.tsv").open(encoding="utf-8") as manifest:
        listed = {row["file"] for row in csv.DictReader(manifest, delimiter="\t")}
    assert {file.relative_to(CORPUS).as_posix() for file in FILES} <= listed


# what both outputs of a run say in the same digits, and what the XML says a little coarser
EXACT = [*CONDITIONS, "io_bytes", "total_ios", "runtime_s", "lat_min_ns", "lat_max_ns"]
RATES = ["iops", "bw_bytes_per_s"]
# a mean of two printed means is off by their rounding; the text has one digit less of the last
ROUNDED = {"lat_mean_ns": 1000, "lat_stddev_ns": 1000, "iops_stddev": 0.006}
KEYS_OF_A_ROW = ["run", "entry", "clones", "target", "direction"]


@pytest.mark.parametrize("table", ["io", "threads"])
@pytest.mark.parametrize("file", PAIRS, ids=name)
def test_text_and_xml_of_one_run_agree(file: Path, table: str) -> None:
    text = read(file)
    xml = read(file.with_name(file.name.replace(".pair.txt", ".xml")))
    assert text.runs["status"].tolist() == xml.runs["status"].tolist()
    pd.testing.assert_series_equal(text.runs["duration_s"], xml.runs["duration_s"])
    one, other = text.tables[table], xml.tables[table]
    exact = [*KEYS_OF_A_ROW, *["thread"] * (table == "threads"), *EXACT]
    pd.testing.assert_frame_equal(one[exact], other[exact])
    # the XML has its time to 5 ms
    time = 0.005 / other["runtime_s"]
    for column in RATES:
        assert ((one[column] / other[column] - 1).abs() <= time + 0.01 / one["iops"]).all()
    for column, slack in ROUNDED.items():
        assert (one[column].isna() == other[column].isna()).all()
        assert ((one[column] - other[column]).abs().fillna(0) <= slack).all()
    # no figure of either is left uncompared
    compared = {"source", *exact, *RATES, *ROUNDED}
    for part in (one, other):
        assert set(part.dropna(axis="columns", how="all")) <= compared


@pytest.mark.parametrize("file", PAIRS, ids=name)
def test_percentiles_and_processors_of_one_run_agree(file: Path) -> None:
    text = read(file)
    xml = read(file.with_name(file.name.replace(".pair.txt", ".xml")))
    keys = ["run", "entry", "direction", "percentile"]
    total = text.percentiles.query("entry == 1")
    both = total.merge(xml.percentiles, on=keys, how="left", validate="one_to_one")
    assert (both["value_ns_x"] == both["value_ns_y"]).all()
    assert (xml.percentiles["entry"] == 1).all()
    measured = xml.percentiles.groupby(["run", "direction"]).ngroups
    assert total.groupby(["run", "direction"]).ngroups == measured
    cpu = [part.cpu.drop(columns=["source", "group"]) for part in (text, xml)]
    pd.testing.assert_frame_equal(*cpu)
    # the text names the group where there is more than one
    named = text.cpu["group"].notna()
    assert text.cpu["group"][named].tolist() == xml.cpu["group"][named].tolist()


def test_what_only_one_output_says() -> None:
    rows = dict.fromkeys(("io", "threads", "percentiles", "cpu", "samples", "thread_samples"), 0)
    for file in PAIRS:
        text = read(file)
        xml = read(file.with_name(file.name.replace(".pair.txt", ".xml")))
        assert text.runs["command"].notna().all()
        assert xml.runs["command"].isna().all()
        assert xml.runs["tool_version"].notna().all()
        assert text.runs["tool_version"].isna().all()
        assert text.samples.empty
        assert text.thread_samples.empty
        for res in (text, xml):
            assert res.jobs.empty
            assert res.bins.empty
        for table in rows:
            rows[table] += len(xml.tables[table])
    print(f"{len(PAIRS)} pairs:", ", ".join(f"{n} rows of {table}" for table, n in rows.items()))
    assert len(PAIRS) > 40
    assert rows["io"] > 90
    assert rows["threads"] > 200
    assert rows["percentiles"] > 9000


# every warning over the corpus that is not about the characters or about standard error, and why
# it is right: the two files of VirtualClient were trimmed and partly invented by hand, an article
# has thousands dots in the wrong places, diskspd-for-linux and DISKSPD 2.2 have bugs
WARNED = {
    "linux_D100.txt": "diskspd-for-linux miscounts",
    "linux_readonly_L.txt": "diskspd-for-linux miscounts",
    "linux_si_interlocked.txt": "diskspd-for-linux miscounts",
    "v2.0.21a_amp_lt_path.xml": "repaired the XML",
    "v2.1_amp_lt_path.xml": "repaired the XML",
    "v2.2_unknownpower_NOTWELLFORMED_randmix.xml": "repaired the XML",
    "thomaslauer_README_9a14ef3_thousandsep.md": "not a whole number",
    # two tables of CPUs that were pasted alone
    "patricklang_README.md": "lines of a report were not read",
    # rates of CrystalDiskMark in a list
    "roblevay_Lab02_Sql_Server_IO.md": "lines of a report were not read",
    "vc_WriteOnly-v2.2.0-MultiNumaMultiGroup.txt": "2 of 4 threads are in the file",
    "vc_WriteOnly-v2.2.0-MultiSocketSingleGroup.txt": "percentile 50 is below percentile 25",
}


def test_warnings_are_right() -> None:
    others = ("bytes that are not UTF-8", "Error ", "There has been an error")
    warned: dict[str, str] = {}
    for file in FILES:
        if file.name.endswith(NO_RESULT):
            continue
        notes = read(file).notes.query("severity == 'warning'")["message"]
        mine = [message for message in notes if not message.startswith(others)]
        if mine:
            warned[file.name] = "; ".join(mine)
    assert warned.keys() == WARNED.keys()
    for name_, messages in warned.items():
        assert WARNED[name_] in messages


def test_truths(truths: dict[str, dict]) -> None:
    checked = 0
    for path, truth in truths.items():
        if path.startswith("_"):
            continue
        res = read(CORPUS / path)
        if "iops_buckets" in truth:
            check_buckets(res, truth["iops_buckets"])
        for run, expected in enumerate(truth.get("timespans") or truth["runs"], 1):
            io, rows = (
                table[table["run"] == run]
                for table in (with_totals(res.io), with_totals(res.threads))
            )
            total = io.set_index("direction")
            charts = res.percentiles.query("run == @run and entry == 1")
            printed = res.extras.query("run == @run").set_index("path")["text"]
            checked += agree_printed(printed, expected.get("total"))
            for direction in ("read", "write", "total"):
                checked += agree(total, direction, expected.get(direction))
                checked += agree_chart(charts, direction, expected.get(direction) or {})
            threads = expected["threads"]
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
    halves = 2 if direction == "total" else 1  # a sum of two rounded numbers
    same = {
        "MiB_s": (row["bw_bytes_per_s"] / 2**20, 0.0051 * halves),
        "iops": (row["iops"], 0.0051 * halves),
        "avg_ms": (row["lat_mean_ns"] / 1e6, 0.0011),
        "lat_stddev": (row["lat_stddev_ns"] / 1e6, 0.0011),
    }
    if direction != "total":
        same["iops_stddev"] = row["iops_stddev"], 0.0051
    count = 2
    for key, (value, slack) in same.items():
        if expected.get(key) is not None and expected[key] != 0:
            assert math.isclose(value, expected[key], abs_tol=slack), (direction, key)
            count += 1
    return count


def agree_printed(printed: pd.Series, expected: dict | None) -> int:
    """Compare what stands in extras as the total of the run."""
    if not expected or "total.total_ios" not in printed:
        return 0
    named = {"bytes": "io_bytes", "ios": "total_ios", "iops": "iops", "iops_stddev": "iops_stddev"}
    found = {key: name for key, name in named.items() if expected.get(key)}
    for key, name in found.items():
        assert math.isclose(float(printed[f"total.{name}"]), expected[key], abs_tol=0.0051), key
    return len(found)


def agree_chart(charts: pd.DataFrame, direction: str, expected: dict) -> int:
    values = charts[charts["direction"] == direction].set_index("percentile")["value_ns"]
    named = {"p50_ms": 50.0, "p99_ms": 99.0, "p99_9_ms": 99.9, "max_ms": 100.0}
    found = {key: place for key, place in named.items() if expected.get(key) is not None}
    for key, place in found.items():
        assert values[place] == round(expected[key] * 1e6)
    return len(found)


def check_buckets(res: ft.Results, expected: dict) -> None:
    rates = res.samples.query("quantity == 'iops'").groupby("time_s")["value"].sum()
    assert len(rates) == expected["n"]
    assert rates.index[0] == expected["interval_ms"] / 1000
    assert math.isclose(rates.iloc[0], expected["first_total"], abs_tol=0.011)
    assert math.isclose(rates.iloc[-1], expected["last_total"], abs_tol=0.011)
    assert math.isclose(rates.mean(), expected["mean_total"], abs_tol=0.051)
