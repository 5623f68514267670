"""The door of every question: a `Results` or a frame, and what is found in it."""

import inspect
from pathlib import Path, PurePath

import pandas as pd
import polars as pl
import pytest
from pandas.testing import assert_frame_equal

import fiotools as ft
from fiotools.errors import SchemaError, in_shell
from fiotools.stats import question

DATA = Path(__file__).parents[2] / "data"
VOLUMES = f"{DATA}/dda-vhdx/xml/{{volume}}.xml"
ROUNDS = f"{DATA}/how-many-runs/rounds/{{workload}}_{{filesystem}}_{{round:d}}.json"


@pytest.fixture(scope="module")
def volumes():
    return ft.read(VOLUMES)


def both(io):
    """Add the totals of reads and writes to them, each behind its parts."""
    whole = pd.concat([io, ft.totals(io)])
    whole = whole.sort_values(["volume", "entry"], kind="stable", na_position="first")
    return whole.reset_index(drop=True)


# a question of results, and the same of a frame
SAME = {
    "compare": (
        lambda res: ft.compare(res, "iops", by="direction"),
        lambda res: ft.compare(
            both(res.io),
            "iops",
            between="volume",
            baseline="mirror",
            by="direction",
            settings=res.settings,
        ),
    ),
    "speedup of a latency": (
        lambda res: ft.speedup(res, "lat_mean", by="direction", baseline="vhdx"),
        lambda res: ft.speedup(
            both(res.io),
            "lat_mean_ns",
            between="volume",
            baseline="vhdx",
            by="direction",
            settings=res.settings,
        ),
    ),
    "summarize": (
        lambda res: ft.summarize(res, "bw", by=["volume", "direction"]),
        lambda res: ft.summarize(both(res.io), "bw_bytes_per_s", by=["volume", "direction"]),
    ),
    "per_thread": (ft.per_thread, lambda res: ft.per_thread(both(res.threads))),
    "fairness": (
        lambda res: ft.fairness(res, by="volume"),
        lambda res: ft.fairness(both(res.threads), by="volume"),
    ),
    "settings_diff": (
        ft.settings_diff,
        lambda res: ft.settings_diff(res.settings, between="volume", baseline="mirror"),
    ),
    "a condition": (
        lambda res: ft.compare(res.where("direction=read"), "iops"),
        lambda res: ft.compare(
            res.io[res.io["direction"] == "read"],
            "iops",
            between="volume",
            baseline="mirror",
            settings=res.settings,
        ),
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_results_have_the_answer_of_their_table(volumes, name):
    of_results, of_frame = SAME[name]

    assert_frame_equal(of_results(volumes), of_frame(volumes))


@pytest.mark.parametrize("name", SAME)
def test_polars_results_have_polars_answers(volumes, name):
    of_results, _ = SAME[name]
    answer = of_results(ft.read(VOLUMES, frames="polars"))

    assert isinstance(answer, pl.DataFrame)
    assert_frame_equal(answer.to_pandas(), of_results(volumes), check_dtype=False)


def test_the_only_metric_and_label_are_found():
    res = ft.read(f"{DATA}/page-cache/{{cache}}.txt")
    answer = ft.speedup(res, baseline="before")

    assert answer["metric"].tolist() == ["real_s"]
    assert answer["speedup"].round(2).tolist() == [9.36]


def test_the_first_level_of_a_frame_is_the_baseline():
    frame = pd.DataFrame({"disk": ["b", "b", "a", "a"], "iops": [10.0, 11.0, 20.0, 22.0]})

    assert ft.compare(frame, "iops", between="disk")["baseline"].tolist() == ["b"]


def test_a_percentile_is_a_metric():
    fio = Path(__file__).parents[1] / "fixtures/fio"
    sources = sorted(fio.glob("*json+*.json"))[:1] or sorted(fio.glob("*.json"))
    res = next(r for r in map(ft.read, sources) if (r.percentiles["percentile"] == 99).any())
    kind = res.percentiles["latency"].iloc[0]
    answer = ft.summarize(res.where(f"latency={kind}"), "p99", by=["source", "direction", "entry"])

    assert set(answer["metric"]) == {"p99_ns"}


def test_columns_of_runs_may_be_named(volumes):
    answer = ft.summarize(volumes.where("tool=diskspd"), "iops", by=["tool", "volume", "direction"])

    assert answer["tool"].tolist() == ["diskspd"] * 9


REFUSED = {
    "one side": (
        lambda res: ft.compare(res.where("volume=nvme"), "iops", by="direction"),
        "there is only one side",
    ),
    "an unknown column": (lambda res: res.where("dir=read"), "no column 'dir'"),
    "no row": (lambda res: res.where("direction=reed"), "holds: read, write$"),
    "no condition": (lambda res: res.where("direction read"), "is not a condition"),
    "code": (lambda res: res.where("__import__('os')"), "compares columns with values only"),
    "a table that is empty": (ft.tails, "about bins, and these files have none"),
    "directions of a frame": (
        lambda res: ft.compare(res.io, "iops", between="volume"),
        r"several directions.*keep one: direction == 'read'",
    ),
}


def test_directions_are_kept_apart(volumes):
    found = ft.compare(volumes, "iops")
    assert found["direction"].unique().tolist() == ["read", "write", "total"]
    assert found.equals(ft.compare(volumes, "iops", by="direction"))
    one = ft.summarize(volumes.where("direction=read"), "iops", by="volume")
    assert "direction" not in one


def test_sides_without_a_common_direction_are_refused():
    res = ft.read(f"{DATA}/wsl-vhdx/f_{{mount}}_{{operation}}.txt")
    with pytest.raises(SchemaError, match=r"no direction in common .read: read; write: write"):
        ft.compare(res.where("mount=drvfs"), "bw", between="operation")


def test_a_direction_without_the_metric_is_left_out():
    """fio's rows of flushes have latencies, and no rate."""
    res = ft.example("how-many-runs").where("workload=fsync")
    assert "sync" in res.io["direction"].unique()
    assert "direction" not in ft.compare(res, "iops", between="filesystem")


def test_files_are_sides_by_their_names():
    res = ft.read(f"{DATA}/dda-vhdx/xml/*.xml")
    found = ft.compare(res)
    assert {*found["label"]} == {"nvme", "vhdx"}
    assert ({*found["baseline"]}, {*found["metric"]}) == ({"mirror"}, {"iops"})
    found = ft.compare(res, "iops", between="source", baseline="vhdx")
    assert {PurePath(one).stem for one in found["baseline"]} == {"vhdx"}


def test_tails_of_logs_are_those_of_their_windows(tmp_path):
    for side, factor in (("old", 1), ("new", 2)):
        rows = [f"{at}, {factor * 100_000 + 97 * at}, 0, 4096, 0" for at in range(400)]
        (tmp_path / f"{side}_lat.1.log").write_text("\n".join(rows) + "\n", encoding="utf-8")
    log = ft.read(f"{tmp_path}/{{side}}_lat.1.log")
    found = ft.tails(log, 50, between="side", baseline="old")
    assert found["ratio"].item() == pytest.approx(219.4 / 119.4, rel=0.03)
    by_hand = ft.tails(ft.window(log, "1s", bins=True), 50, between="side", baseline="old")
    assert found["ratio"].item() == by_hand["ratio"].item()


def test_a_log_is_drawn_as_it_is(tmp_path):
    rows = [f"{at * 5}, {100_000 + 97 * at}, {at % 2}, 4096, 0" for at in range(400)]
    (tmp_path / "mixed_lat.1.log").write_text("\n".join(rows) + "\n", encoding="utf-8")
    log = ft.read(tmp_path / "mixed_lat.1.log")
    for name in ("cdf", "series"):
        assert getattr(ft.plot, name).spec(log).groups == ("read", "write"), name
    assert ft.plot.heatmap.spec(log).panels == ("read", "write")
    assert len({row.x for row in ft.plot.heatmap.spec(log).rows}) == 100


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_say_what_to_type(volumes, name):
    ask, words = REFUSED[name]
    with pytest.raises(SchemaError, match=words):
        ask(volumes)


def test_sides_within_a_file_are_named():
    res = ft.read(f"{DATA}/how-many-runs/rounds/*_ext4_1.json")
    with pytest.raises(SchemaError, match="between='rw'"):
        ft.compare(res, "iops")
    with in_shell(), pytest.raises(SchemaError, match="--between rw"):
        ft.compare(res, "iops")


def test_where_filters_each_table_that_has_the_column():
    res = ft.read(ROUNDS)
    kept = res.where("workload=randread", "round<=2")

    for name in ("runs", "io", "settings", "percentiles"):
        frame = getattr(kept, name)
        assert set(frame["workload"]) <= {"randread"}, name
        assert len(frame) < len(getattr(res, name)), name
    assert kept.labels == res.labels == ["workload", "filesystem", "round"]


def test_every_question_is_called_with_results_or_a_frame():
    for name in ft.__all__:
        told = getattr(ft, name)
        if hasattr(told, "door"):
            assert isinstance(told.door, question.Door), name
            assert "Results" in (inspect.getdoc(told) or ""), name


def test_a_gap_in_a_text_is_left_out_with_a_condition_that_works(tmp_path):
    """dd without its command has no direction, and fio beside it has one."""
    (tmp_path / "dd.log").write_text("1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.5 s, 2.1 MB/s\n")
    rounds = f"{DATA}/how-many-runs/rounds/randread_ext4_1.json"
    res = ft.read([f"{tmp_path}/dd.log", rounds])
    with pytest.raises(SchemaError) as told:
        ft.overall(res, "bw", between="source", over="direction")
    condition = str(told.value).partition('.where("')[2].rpartition('")')[0]
    assert condition == "direction in ['read']"
    assert set(res.where(condition).io["direction"]) == {"read"}
    # of any type, and of many values
    assert set(res.where("not (direction != direction)").io["direction"]) == {"read"}


@pytest.mark.parametrize(
    ("said", "column"),
    [
        ("bandwidth", "bw_bytes_per_s"),
        ("throughput", "bw_bytes_per_s"),
        ("latency", "lat_mean_ns"),
        ("lat", "lat_mean_ns"),
        ("clat", "clat_mean_ns"),
        ("clat_p99", "p99_ns"),
    ],
)
@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_what_people_call_a_metric_is_found(said, column, kind):
    res = ft.read(f"{DATA}/lima-mounts/fio/{{mount}}_randread.txt", frames=kind)
    assert {*ft.compare(res, said, between="mount")["metric"]} == {column}
    if column in res.io.columns:
        answer = ft.compare(res.io, said, between="mount", baseline="9p")
        assert {*answer["metric"]} == {column}


def test_a_time_and_its_filter_are_found():
    res = ft.read(f"{DATA}/page-cache/{{cache}}.txt")
    for said in ("time", "elapsed"):
        assert {*ft.speedup(res, said)["metric"]} == {"real_s"}
    assert len(res.where("elapsed>1s").timings) == 1


LOG = f"{DATA}/per-io-log/mixed_lat.1.log"
WINDOWS = r"logs of I/Os: make windows of them first, window\(log, '1s', bins=True\)"


TOLD = {
    "a place": (lambda: ft.compare(ft.read(VOLUMES), "iops", "volume"), "name: between='volume'"),
    "a latency": (
        lambda: ft.best_under(ft.read(VOLUMES), "1ms"),
        r"best_under needs limit: ft.best_under\(res, metric='p99', limit='1ms'\)",
    ),
    "a keyword": (lambda: ft.combine(ft.read(VOLUMES)), r"needs to: ft.combine\(res, to='run'\)"),
    "of summarize": (lambda: ft.summarize(ft.read(VOLUMES), "iops", "volume"), "name: by='volume'"),
    "another latency": (
        lambda: ft.compare(ft.read(f"{DATA}/lima-mounts/fio/{{mount}}_randread.txt"), "lat_p99"),
        "no percentiles of lat: these files have clat_p99",
    ),
    "p99 of a log": (
        lambda: ft.compare(ft.read(LOG), "p99"),
        f"no p99: these files have {WINDOWS}",
    ),
    "clat of a log": (
        lambda: ft.compare(ft.read(LOG), "clat"),
        f"no clat: these files have {WINDOWS}",
    ),
    "a log alone": (
        lambda: ft.reconcile(ft.read(LOG)),
        r"no summary.*io=read\('run.json'\).io",
    ),
    "no percentiles": (
        lambda: ft.compare(ft.read(f"{DATA}/page-cache/{{cache}}.txt"), "p99"),
        "no p99: these files have no percentiles",
    ),
    "ram": (lambda: ft.check(ft.read(VOLUMES), ram=16), "16 of what[?] write ram='16GB'"),
    "a text": (lambda: ft.check(ft.read(VOLUMES), ram="16"), "16 of what[?] write ram='16GB'"),
}


@pytest.mark.parametrize("name", TOLD)
def test_a_refusal_names_what_to_type(name):
    ask, said = TOLD[name]
    with pytest.raises(SchemaError, match=said):
        ask()


def test_logs_are_asked_as_they_were_told(tmp_path):
    for device in ("disk", "mem"):
        (tmp_path / f"{device}_lat.1.log").write_bytes(Path(LOG).read_bytes())
    log = ft.read(f"{tmp_path}/{{device}}_lat.1.log").where(direction="read")
    bins = ft.window(log, "1s", bins=True)
    assert {*ft.tails(bins, 50, between="device", baseline="disk")["device"]} == {"mem"}
    with pytest.raises(SchemaError, match="between='device'"):
        ft.tails(bins, 50)


# totals are a view: shown beside their parts, and no further comparison


@pytest.fixture(scope="module")
def repeated():
    """Three runs of each of two sides, as DISKSPD and as fio tell them."""

    def told(tool):
        runs = pl.DataFrame(
            {"side": ["a"] * 3 + ["b"] * 3, "source": [f"{at}.xml" for at in range(6)], "run": 1}
        )
        io = runs.join(pl.DataFrame({"direction": ["read", "write"]}), how="cross")
        rates = [100.0, 50.0, 103.0, 49.0, 98.0, 51.0, 109.0, 53.0, 112.0, 54.0, 107.0, 52.0]
        io = io.with_columns(iops=pl.Series(rates), entry=pl.lit(1))
        tables = {
            "runs": runs.with_columns(tool=pl.lit(tool), status=pl.lit("ok")).to_pandas(),
            "io": io.to_pandas(),
        }
        return ft.Results(tables, labels=["side"], files=6)

    return told


def test_a_total_changes_no_verdict_of_reads_and_writes(repeated):
    with_total, without = (ft.compare(repeated(tool), "iops") for tool in ("diskspd", "fio"))
    assert [*with_total["direction"]] == ["read", "write", "total"]
    assert [*without["direction"]] == ["read", "write"]
    assert {*with_total["comparisons"]} == {2}
    assert_frame_equal(with_total[with_total["direction"] != "total"], without)


def test_a_total_alone_is_a_comparison(repeated):
    for tool in ("diskspd", "fio"):
        (row,) = ft.compare(repeated(tool).where("direction=total"), "iops").to_dict("records")
        assert (row["comparisons"], row["n"]) == (1, 3)
        assert row["center"] == pytest.approx((162 * 166 * 159) ** (1 / 3))


@pytest.mark.parametrize("ask", [ft.summarize, ft.overview])
def test_totals_stand_beside_their_parts_where_the_tool_prints_them(repeated, ask):
    metric = {} if ask is ft.overview else {"metric": "iops"}
    found = {tool: ask(repeated(tool), **metric) for tool in ("diskspd", "fio")}
    ways = {tool: {*answer["direction"]} for tool, answer in found.items()}
    assert ways == {"diskspd": {"read", "write", "total"}, "fio": {"read", "write"}}
    parts = found["diskspd"][found["diskspd"]["direction"] != "total"].reset_index(drop=True)
    assert_frame_equal(parts, found["fio"])


def test_labels_keep_summaries_apart_but_not_the_numbers_of_rounds():
    """One by one, as if they were named; a frame is summarized as it stands."""
    res = ft.read(ROUNDS).where("direction=read")
    found = ft.summarize(res, "iops")
    assert [*found.columns[:2]] == ["workload", "filesystem"]
    named = ft.summarize(res, "iops", by=["workload", "filesystem"])
    assert_frame_equal(found, named)
    assert found["varies_in"].isna().all()
    assert len(ft.summarize(res.io, "iops")) == 1
    assert len(ft.summarize(ft.read(VOLUMES), ["iops", "lat_mean"])) == 2 * 3 * 3


def test_threads_are_compared_where_they_are_named(volumes):
    found = ft.summarize(volumes, "iops", by=["volume", "thread", "direction"])
    assert len(found) == 18
    rates = found.set_index(["volume", "thread", "direction"])["center"]
    assert rates["mirror", 0, "total"] == pytest.approx(18841, abs=0.5)
    compared = ft.compare(volumes, "iops", by=["thread", "direction"], baseline="vhdx")
    assert {*compared["thread"]} == {0, 1}
