"""Parts that add up, the cause that was injected, and the limit of one side.

The reports in tests/fixtures/explain are made by ``python -m benchmarks.explain --keep``: a folder
for each cause in `benchmarks.causes`, with one run of each side.
"""

import json
import re
import shutil
from argparse import Namespace
from math import log
from pathlib import Path

import polars as pl
import pytest

import fiotools as ft
from benchmarks import explain as benchmark
from benchmarks.causes import CAUSES, NONE
from fiotools.display import explained
from fiotools.errors import SchemaError
from fiotools.stats.explain import causes
from fiotools.stats.explain.limits import LIMITS
from fiotools.stats.explain.parts import SLOTS, Side, log_mean, movers, parts, verdicts
from fiotools.vocabulary import ANSWERS
from tests.conftest import FIXTURES, ROOT

FOLDER = FIXTURES / "explain"
KEPT = [one for one in (*CAUSES, *NONE) if (FOLDER / benchmark.slug(one)).exists()]
MADE = pytest.mark.parametrize("cause", KEPT, ids=benchmark.slug)


def sides(cause):
    return ft.read(str(FOLDER / benchmark.slug(cause) / "{side}.json"))


def asked(cause, res, **more):
    where = f"direction={cause.direction}" if cause.direction else None
    return ft.explain(res, cause.metric, baseline="base", where=where, **more)


def test_there_is_a_report_of_a_dozen_causes():
    assert len([one for one in KEPT if one.part]) >= 12
    assert {one.name for one in KEPT} <= {one.name for one in (*CAUSES, *NONE)}


@MADE
def test_parts_add_up_to_the_log_ratio(cause):
    res = sides(cause)
    io = res.io[~res.io["direction"].isin(["sync"])]
    if cause.direction:
        io = io[io["direction"] == cause.direction]
    ratio = ft.compare(io, cause.metric, between="side", baseline="base")["ratio"].item()
    answer = asked(cause, res)
    assert answer["log_ratio"].sum() == pytest.approx(log(ratio), abs=1e-9)
    assert answer["ratio"].prod() == pytest.approx(ratio)
    assert answer["share_pct"].sum() == pytest.approx(100)


@MADE
def test_shares_that_make_more_than_all_name_what_works_against_them(cause):
    (said,) = (one.head for one in ft.tell(asked(cause, sides(cause))).sentences[:1])
    is_more = sum(map(int, re.findall(r"(\d+) %", said.partition("; ")[2]))) > 100
    assert not is_more or "works against it" in said


@MADE
def test_the_injected_cause_ranks_first(cause):
    trial = benchmark.judged(cause, sides(cause))
    # single runs whose options are alike have to differ by more
    is_told = cause.change or not 0.5 < trial.ratio < 2
    assert trial.first in (cause.part if is_told and cause.part else ("nothing", "unknown"))


def test_options_stand_with_the_part_they_belong_to():
    cause = next(one for one in CAUSES if one.name == "8 I/Os in flight")
    answer = asked(cause, sides(cause)).set_index("part")
    assert answer.loc["inflight", "options"] == "iodepth (8 against 1)"
    assert answer["options"].count() == 1


def test_options_of_parts_are_known_once():
    names = [name for several in causes.causes()["options"].values() for name in several]
    assert len(names) == len({*names})
    assert {part for several in causes.moves().values() for part in several} <= {
        one.part for one in SLOTS
    }


def test_every_finding_has_its_sentence():
    told = causes.causes()
    for slot in SLOTS:
        assert {"name", "between", "alone"} <= told[slot.part].keys()
    for limit in LIMITS:
        assert limit.outcome in told[limit.part]


def side(seconds, factors=None, reached=None):
    factors = factors or {"inflight": 1.0}
    return Side(1, factors["inflight"] / sum(seconds.values()), seconds, factors, reached, cpu=0.0)


def test_the_logarithmic_mean_makes_terms_add_up():
    one = side({"device": 2e-3, "processor": 1e-3}, {"inflight": 8.0})
    other = side({"device": 0.5e-3, "flush": 4e-3}, {"inflight": 2.0})
    found = {each.slot.part: each.log_ratio for each in parts(one, other, is_rate=True)}
    assert sum(found.values()) == pytest.approx(log(one.value / other.value))
    assert found["inflight"] == pytest.approx(log(4))
    mean = log_mean(3e-3, 4.5e-3)
    assert found["flush"] == pytest.approx(4e-3 / mean)
    assert found["device"] == pytest.approx(-1.5e-3 / mean)
    # a time is the inverse of a rate
    again = parts(one, other, is_rate=False)
    assert [x.log_ratio for x in again if x.slot.kind == "term"] == pytest.approx(
        [-x.log_ratio for x in parts(one, other, is_rate=True) if x.slot.kind == "term"]
    )


@pytest.mark.parametrize("reached", [0.0, 1e-6, 0.2])
def test_what_memory_answers_is_the_cache_and_not_the_device(reached):
    one = side({"device": 80e-6 * reached, "processor": 2e-6}, reached=reached)
    other = side({"device": 80e-6, "processor": 2e-6}, reached=1.0)
    found = {each.slot.part: each.log_ratio for each in parts(one, other, is_rate=True)}
    assert found["device"] == pytest.approx(0, abs=1e-12)
    assert found["cache"] == pytest.approx(log(one.value / other.value))


@pytest.mark.parametrize(
    ("shares", "options", "named"),
    [
        ({"unknown": 0.8, "device": 0.2}, {}, []),
        ({"waiting": 0.55, "device": 0.45}, {}, []),  # neither makes most of it
        ({"waiting": 0.5, "cache": 0.5}, {}, []),
        ({"waiting": 0.45, "cache": 0.55}, {}, ["cache"]),  # the device counted
        ({"device": 1.7, "waiting": -0.7}, {}, ["device"]),
        ({"waiting": 0.7, "processor": 0.3}, {"processor": ["verify"]}, ["processor"]),
        ({"waiting": 0.9, "processor": 0.1}, {"processor": ["verify"]}, []),  # nor does the rest
        ({"waiting": 0.9, "device": 0.1}, {"flush": ["fsync"]}, []),
        ({"waiting": 0.9, "device": 0.1}, {"unknown": ["name"]}, ["waiting"]),
        ({"idle": 0.6, "flush": 0.4}, {"idle": ["rate"], "flush": ["fsync"]}, ["idle", "flush"]),
        ({"inflight": 2.0, "device": -1.0}, {"inflight": ["iodepth"]}, ["inflight"]),
    ],
)
def test_what_is_certain_is_a_cause(shares, options, named):
    told = verdicts(shares, options)
    assert [part for part, verdict in told.items() if verdict == "cause"] == named
    assert told.get("unknown") in (None, "unknown")


def test_an_option_stands_with_the_first_part_that_it_moved():
    direct = {"option": "direct", "text": "1", "text_baseline": None}
    rate = {"option": "rate", "text": "4m", "text_baseline": "8m"}
    own = {"option": "my_option", "text": "1", "text_baseline": "2"}
    shares = {"cache": 0.05, "device": 0.3, "waiting": 0.65}
    assert movers([direct, rate, own], shares) == {
        "device": ["direct (1 against none)"],
        "idle": ["rate (4m against 8m)"],
        "unknown": ["my_option (1 against 2)"],
    }


def reports(tmp_path, side, count, rate):
    """Write a report of each run, by a report of our own: with other IOPS and latencies."""
    text = json.loads((FOLDER / "none-one-at-a-time" / "base.json").read_text())
    for number in range(count):
        factor = rate * (1.0, 1.02, 0.98, 1.01, 0.99)[number]
        own = json.loads(json.dumps(text))
        read = own["jobs"][0]["read"]
        for name in ("iops", "bw", "bw_bytes"):
            read[name] = read[name] * factor if name == "iops" else round(read[name] * factor)
        for name in ("total_ios", "io_bytes", "io_kbytes"):
            read[name] = round(read[name] * factor)
        for kind in ("slat_ns", "clat_ns", "lat_ns"):
            for stat in ("min", "max", "mean", "stddev"):
                read[kind][stat] = read[kind][stat] / factor
        (tmp_path / f"{side}_{number}.json").write_text(json.dumps(own))


@pytest.mark.parametrize(("rate", "is_found"), [(1.0, False), (1.03, False), (0.7, True)])
def test_repeats_say_whether_there_is_anything_to_explain(tmp_path, rate, is_found):
    reports(tmp_path, "a", 3, 1.0)
    reports(tmp_path, "b", 3, rate)
    answer = ft.explain(ft.read(str(tmp_path / "{side}_{round:d}.json")), between="side")
    assert ({*answer["verdict"]} == {"nothing"}) is not is_found
    assert {*answer["n"]} == {*answer["n_baseline"]} == {3}
    assert answer["log_ratio"].sum() == pytest.approx(log(rate), abs=1e-6)
    told = str(ft.show(answer))
    assert ("nothing to explain" in told) is not is_found


@pytest.mark.parametrize(
    ("name", "side", "binds"),
    [
        ("a rate asked for", "level", "idle"),
        ("a pause after each I/O", "level", "idle"),
        ("a flush after each write", "level", "flush"),
        ("a warm page cache", "level", "cache"),
        ("blocks never written", "level", "cache"),
        ("writes into the page cache", "level", "cache"),
        ("a throttled cgroup", "level", "waiting"),
        ("8 I/Os in flight", "base", "inflight"),
        ("larger blocks, IOPS", "level", "inflight"),
    ],
)
def test_one_side_alone_has_a_limit(name, side, binds):
    cause = next(one for one in KEPT if one.name == name)
    answer = ft.explain(ft.read(FOLDER / benchmark.slug(cause) / f"{side}.json"))
    first = answer[answer["verdict"] == "cause"]
    assert first["part"].tolist() == [binds]
    assert answer["log_ratio"].isna().all()
    assert answer["share_pct"].sum() == pytest.approx(100)
    row = first.iloc[0].to_dict()
    assert explained.why(row)
    assert explained.remedy(row)


@pytest.mark.parametrize(("device", "is_known"), [("vda", True), ("nvme0n1", False)])
def test_a_device_that_counted_nothing(tmp_path, device, is_known):
    # the heads of NVMe multipath count nothing, whatever they do
    text = json.loads((FOLDER / "a-warm-page-cache" / "level.json").read_text())
    for disk in text["disk_util"]:
        disk["name"] = device
        disk.update(dict.fromkeys(disk.keys() - {"name"}, 0))
    (tmp_path / "run.json").write_text(json.dumps(text))
    answer = ft.explain(ft.read(tmp_path / "run.json")).set_index("part")
    assert ("cache" in answer.index) is is_known
    assert not is_known or answer.loc["cache", "factor"] == 0


def test_a_link_that_is_full_binds():
    cause = next(one for one in KEPT if one.name == "8 I/Os in flight")
    res = ft.read(FOLDER / benchmark.slug(cause) / "level.json")
    rate = res.io["bw_bytes_per_s"].max()
    answer = ft.explain(res, link=rate / 0.9)
    assert answer.loc[answer["verdict"] == "cause", "part"].tolist() == ["link"]


def test_mounts_without_a_device_are_unknown_with_the_evidence_that_decides():
    res = ft.read(f"{ROOT.as_posix()}/data/lima-mounts/fio/{{mount}}_{{pattern}}.txt")
    answer = ft.explain(
        res, between="mount", baseline="sshfs", by="pattern", where="pattern=randread"
    )
    assert answer.loc[answer["verdict"] == "unknown", "part"].tolist() == ["completion"] * 2
    told = str(ft.show(answer))
    assert "run the same job where fio finds the device" in " ".join(told.split())
    assert "these reports do not show why: completion, 98 % of the difference" in " ".join(
        told.split()
    )


def test_time_is_user_system_and_waiting():
    res = ft.read(f"{ROOT.as_posix()}/data/page-cache/{{cache}}.txt")
    answer = ft.explain(res, "real_s", between="cache", baseline="before")
    assert answer["log_ratio"].sum() == pytest.approx(log(0.466 / 4.364))
    assert answer.loc[answer["verdict"] == "cause", "part"].tolist() == ["asleep"]


def test_polars_in_polars_out():
    cause = KEPT[0]
    res = sides(cause)
    res.kind = "polars"
    answer = asked(cause, res)
    assert isinstance(answer, pl.DataFrame)
    assert answer.columns[-len(ANSWERS["explain"]) :] == [*ANSWERS["explain"]]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"metric": "lat_mean"}, "no parts that add up"),
        ({"baseline": "other"}, "baseline 'other' is not in 'side'"),
        ({"by": "side", "between": "side"}, "is in by= and between="),
        ({"where": "direction=trim"}, "leaves no row"),
    ],
)
def test_what_has_no_answer_is_refused(given, words):
    with pytest.raises(SchemaError, match=words):
        ft.explain(sides(KEPT[0]), **given)


def test_a_frame_is_refused():
    with pytest.raises(SchemaError, match="takes Results"):
        ft.explain(sides(KEPT[0]).io)


_HAS_FIO = shutil.which("fio") and Path("/dev/shm").is_dir()


@pytest.mark.skipif(not _HAS_FIO, reason="needs fio, and memory at /dev/shm")
@pytest.mark.parametrize("name", ["a rate asked for", "files in memory"])
def test_a_cause_that_is_injected_now_ranks_first(tmp_path, name):
    cause = next(one for one in CAUSES if one.name == name)
    trial = benchmark.tried(cause, tmp_path, Namespace(rounds=1, seconds=1))
    assert trial.first in cause.part
    assert trial.off < 0.01


@pytest.mark.parametrize("name", ["depth/1_1", "depth/64_1", "rounds/randread_ext4_1"])
def test_the_work_for_an_io_is_that_of_one_and_not_of_the_queue(name):
    res = ft.read(f"data/how-many-runs/{name}.json")
    answer = ft.explain(res)
    (seconds,) = answer[answer["part"].eq("processor")]["seconds"]
    assert seconds == pytest.approx(res.jobs["cpu_per_io_s"].item(), rel=0.01)


def test_what_the_queue_waits_for_is_said_beside_the_work():
    res = ft.read({n: f"data/how-many-runs/depth/{n}_*.json" for n in ("1", "64")})
    answer = ft.explain(res, where="direction=read")
    (row,) = answer[answer["part"].eq("processor")].to_dict("records")
    work = res.jobs.groupby("label")["cpu_per_io_s"].mean()
    assert (row["label"], row["baseline"]) == ("64", "1")
    assert (row["seconds"], row["seconds_baseline"]) == pytest.approx((work["64"], work["1"]), 0.05)
    told = " ".join(str(ft.show(ft.explain(res, where="direction=read"))).split())
    assert "while the I/Os that a job has in flight wait" in told


def test_sides_that_cannot_be_told_apart_are_not_alike(tmp_path):
    for side, rates in (("a", (1.0, 1.0, 1.0)), ("b", (0.4, 1.0, 0.5))):
        for number, rate in enumerate(rates):
            reports(tmp_path, f"{side}{number}", 1, rate)
    res = ft.read({one: sorted(map(str, tmp_path.glob(f"{one}*.json"))) for one in "ab"})
    told = " ".join(str(ft.show(ft.explain(res))).split())
    assert "iops of b: 0.585 times a; 3 runs a side cannot tell: 0.178 to 1.92 times" in told
