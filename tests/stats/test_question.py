"""The door of every question: a `Results` or a frame, and what is found in it."""

from pathlib import Path, PurePath

import pandas as pd
import polars as pl
import pytest
from pandas.testing import assert_frame_equal

import fiotools as ft
from fiotools.errors import SchemaError, in_shell
from tests.conftest import ROOT

DATA = (ROOT / "data").as_posix()
VOLUMES = f"{DATA}/dda-vhdx/xml/{{volume}}.xml"
ROUNDS = f"{DATA}/how-many-runs/rounds/{{workload}}_{{filesystem}}_{{round:d}}.json"
MOUNTS = f"{DATA}/lima-mounts/fio/{{mount}}_randread.txt"
CACHES = f"{DATA}/page-cache/{{cache}}.txt"
LOG = f"{DATA}/per-io-log/mixed_lat.1.log"


@pytest.fixture(scope="module")
def volumes():
    return ft.read(VOLUMES)


def both(io):
    """Add the totals of reads and writes to them, each behind its parts."""
    whole = pd.concat([io, ft.totals(io)])
    whole = whole.sort_values(["volume", "entry"], kind="stable", na_position="first")
    return whole.reset_index(drop=True)


SIDES = {"between": "volume", "baseline": "mirror"}
# a question of results, and the same of a frame
SAME = {
    "compare": (
        lambda res: ft.compare(res, "iops", by="direction"),
        lambda res: ft.compare(
            both(res.io), "iops", **SIDES, by="direction", settings=res.settings
        ),
    ),
    "summarize": (
        lambda res: ft.summarize(res, "bw", by=["volume", "direction"]),
        lambda res: ft.summarize(both(res.io), "bw_bytes_per_s", by=["volume", "direction"]),
    ),
    "per_thread": (ft.per_thread, lambda res: ft.per_thread(both(res.threads))),
    "settings_diff": (ft.settings_diff, lambda res: ft.settings_diff(res.settings, **SIDES)),
    "a condition": (
        lambda res: ft.compare(res.where("direction=read"), "iops"),
        lambda res: ft.compare(
            res.io[res.io["direction"] == "read"], "iops", **SIDES, settings=res.settings
        ),
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_results_have_the_answer_of_their_table(volumes, name):
    of_results, of_frame = SAME[name]
    assert_frame_equal(of_results(volumes), of_frame(volumes))


# what is found: metric, sides, directions


def test_the_only_metric_and_label_are_found():
    res = ft.read(CACHES)
    for named in ((), ("time",), ("elapsed",)):
        answer = ft.speedup(res, *named, baseline="before")
        assert answer["metric"].tolist() == ["real_s"]
        assert answer["speedup"].round(2).tolist() == [9.36]
    assert len(res.where("elapsed>1s").timings) == 1


@pytest.mark.parametrize(
    ("said", "column"),
    [
        ("IOPS", "iops"),
        ("bandwidth", "bw_bytes_per_s"),
        ("lat", "lat_mean_ns"),
        ("clat", "clat_mean_ns"),
        ("clat_p99", "p99_ns"),
    ],
)
def test_what_people_call_a_metric_is_found(said, column):
    res = ft.read(MOUNTS)
    assert {*ft.compare(res, said, between="mount")["metric"]} == {column}
    assert {*ft.summarize(res, said, by=["mount", "direction"])["metric"]} == {column}
    if said.islower() and column in res.io.columns:
        answer = ft.compare(res.io, said, between="mount", baseline="9p")
        assert {*answer["metric"]} == {column}


def test_the_first_level_of_a_frame_is_the_baseline():
    frame = pd.DataFrame({"disk": ["b", "b", "a", "a"], "iops": [10.0, 11.0, 20.0, 22.0]})
    assert ft.compare(frame, "iops", between="disk")["baseline"].tolist() == ["b"]


def test_directions_are_kept_apart(volumes):
    found = ft.compare(volumes, "iops")
    assert found["direction"].unique().tolist() == ["read", "write", "total"]
    assert found.equals(ft.compare(volumes, "iops", by="direction"))
    one = ft.summarize(volumes.where("direction=read"), "iops", by="volume")
    assert "direction" not in one
    # fio's rows of flushes have latencies, and no rate
    res = ft.example("how-many-runs").where("workload=fsync")
    assert "sync" in res.io["direction"].unique()
    assert "direction" not in ft.compare(res, "iops", between="filesystem")


def test_a_file_is_named_by_its_short_name():
    res = ft.read(f"{DATA}/dda-vhdx/xml/*.xml")
    found = ft.compare(res, "iops", between="source", baseline="vhdx")
    assert {PurePath(one).stem for one in found["baseline"]} == {"vhdx"}


def test_threads_are_compared_where_they_are_named(volumes):
    found = ft.summarize(volumes, "iops", by=["volume", "thread", "direction"])
    assert len(found) == 18
    rates = found.set_index(["volume", "thread", "direction"])["center"]
    assert rates["mirror", 0, "total"] == pytest.approx(18841, abs=0.5)
    compared = ft.compare(volumes, "iops", by=["thread", "direction"], baseline="vhdx")
    assert {*compared["thread"]} == {0, 1}


def test_labels_keep_summaries_apart_but_not_the_numbers_of_rounds():
    """One by one, as if they were named; a frame is summarized as it stands."""
    res = ft.read(ROUNDS).where("direction=read")
    found = ft.summarize(res, "iops")
    assert [*found.columns[:2]] == ["workload", "filesystem"]
    assert_frame_equal(found, ft.summarize(res, "iops", by=["workload", "filesystem"]))
    assert found["varies_in"].isna().all()
    assert len(ft.summarize(res.io, "iops")) == 1
    assert len(ft.summarize(ft.read(VOLUMES), ["iops", "lat_mean"])) == 2 * 3 * 3


def test_where_filters_each_table_that_has_the_column():
    res = ft.read(ROUNDS)
    kept = res.where("workload=randread", "round<=2")
    for name in ("runs", "io", "settings", "percentiles"):
        frame = getattr(kept, name)
        assert set(frame["workload"]) <= {"randread"}, name
        assert len(frame) < len(getattr(res, name)), name
    assert kept.labels == res.labels == ["workload", "filesystem", "round"]


# logs


@pytest.fixture
def sides(tmp_path):
    """The log of two sides, of which the new one takes twice as long."""
    for side, factor in (("old", 1), ("new", 2)):
        rows = [f"{at * 5}, {factor * 100_000 + 97 * at}, {at % 2}, 4096, 0" for at in range(800)]
        (tmp_path / f"{side}_lat.1.log").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return ft.read(f"{tmp_path}/{{side}}_lat.1.log")


def test_tails_of_logs_are_those_of_their_windows(sides):
    log, asked = sides.where("direction=read"), {"between": "side", "baseline": "old"}
    found = ft.tails(log, 50, **asked)["ratio"].item()
    assert found == pytest.approx(238.8 / 138.8, rel=0.03)
    bins = ft.window(log, "1s", bins=True)
    assert found == ft.tails(bins, 50, **asked)["ratio"].item()
    with pytest.raises(SchemaError, match="between='side'"):
        ft.tails(bins, 50)


# totals are a view: shown beside their parts, and no further comparison


def repeated(tool):
    """Make three runs of each of two sides, as a tool tells them."""
    runs = pl.DataFrame(
        {"side": ["a"] * 3 + ["b"] * 3, "source": [f"{at}.xml" for at in range(6)], "run": 1}
    )
    io = runs.join(pl.DataFrame({"direction": ["read", "write"]}), how="cross")
    rates = [100.0, 50.0, 103.0, 49.0, 98.0, 51.0, 109.0, 53.0, 112.0, 54.0, 107.0, 52.0]
    io = io.with_columns(iops=pl.Series(rates), entry=pl.lit(1))
    runs = runs.with_columns(tool=pl.lit(tool), status=pl.lit("ok"))
    tables = {"runs": runs.to_pandas(), "io": io.to_pandas()}
    return ft.Results(tables, labels=["side"], files=6)


@pytest.mark.parametrize(
    "ask", [ft.compare, ft.summarize, ft.overview], ids=lambda asked: asked.__name__
)
def test_totals_stand_beside_their_parts_where_the_tool_prints_them(ask):
    metric = {} if ask is ft.overview else {"metric": "iops"}
    diskspd, fio = (ask(repeated(tool), **metric) for tool in ("diskspd", "fio"))
    assert {*diskspd["direction"]} == {"read", "write", "total"}
    assert {*fio["direction"]} == {"read", "write"}
    # and change no verdict of reads and writes
    parts = diskspd[diskspd["direction"] != "total"].reset_index(drop=True)
    assert_frame_equal(parts, fio)


def test_a_total_alone_is_a_comparison():
    for tool in ("diskspd", "fio"):
        (row,) = ft.compare(repeated(tool).where("direction=total"), "iops").to_dict("records")
        assert (row["comparisons"], row["n"]) == (1, 3)
        assert row["center"] == pytest.approx((162 * 166 * 159) ** (1 / 3))


# refusals

WINDOWS = r"logs of I/Os: make windows of them first, window\(log, '1s', bins=True\)"
NEEDS = r"best_under needs limit: ft.best_under\(res, metric='p99', limit='1ms'\)"
ONE_WAY = f"{DATA}/wsl-vhdx/f_drvfs_{{operation}}.txt"
REFUSED = [
    (lambda res: ft.compare(res.where("volume=nvme"), "iops"), "there is only one side"),
    (lambda res: res.where("dir=read"), "no column 'dir'"),
    (lambda res: res.where("direction=reed"), "holds: read, write$"),
    (lambda res: res.where("direction read"), "is not a condition"),
    (lambda res: res.where("__import__('os')"), "compares columns with values only"),
    (ft.tails, "about bins, and these files have none"),
    (
        lambda res: ft.compare(res.io, "iops", between="volume"),
        r"several directions.*keep one: direction == 'read'",
    ),
    (
        lambda _: ft.compare(ft.read(ONE_WAY), "bw", between="operation"),
        r"no direction in common .read: read; write: write",
    ),
    (lambda res: ft.compare(res, "iops", "volume"), "name: between='volume'"),
    (lambda res: ft.best_under(res, "1ms"), NEEDS),
    (
        lambda _: ft.compare(ft.read(MOUNTS), "lat_p99"),
        "no percentiles of lat: these files have clat_p99",
    ),
    (
        lambda _: ft.compare(ft.read(CACHES), "iops", between="cache"),
        "there is no iops: these files have real, user, sys",
    ),
    (
        lambda _: ft.compare(ft.read(CACHES), "p99"),
        "no p99: these files have no percentiles",
    ),
    (lambda _: ft.compare(ft.read(LOG), "p99"), f"no p99: these files have {WINDOWS}"),
    (lambda _: ft.compare(ft.read(LOG), "clat"), f"no clat: these files have {WINDOWS}"),
    (lambda _: ft.reconcile(ft.read(LOG)), r"no summary.*io=read\('run.json'\).io"),
]


@pytest.mark.parametrize(("ask", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_a_refusal_says_what_to_type(volumes, ask, said):
    with pytest.raises(SchemaError, match=said):
        ask(volumes)


def test_sides_within_a_file_are_named():
    res = ft.read(f"{DATA}/how-many-runs/rounds/*_ext4_1.json")
    with pytest.raises(SchemaError, match="between='rw'"):
        ft.compare(res, "iops")
    with in_shell(), pytest.raises(SchemaError, match="--between rw"):
        ft.compare(res, "iops")


def test_a_gap_in_a_text_is_left_out_with_a_condition_that_works(tmp_path):
    """dd without its command has no direction, and fio beside it has one."""
    path = Path(tmp_path / "dd.log")
    path.write_text("1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.5 s, 2.1 MB/s\n")
    res = ft.read([path, f"{DATA}/how-many-runs/rounds/randread_ext4_1.json"])
    with pytest.raises(SchemaError) as told:
        ft.overall(res, "bw", between="source", over="direction")
    condition = str(told.value).partition('.where("')[2].rpartition('")')[0]
    assert condition == "direction in ['read']"
    assert set(res.where(condition).io["direction"]) == {"read"}
    # of any type, and of many values
    assert set(res.where("not (direction != direction)").io["direction"]) == {"read"}
