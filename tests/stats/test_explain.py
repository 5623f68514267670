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

import pytest

import fiotools as ft
from benchmarks import explain as benchmark
from benchmarks.causes import CAUSES, NONE
from fiotools.display import explained
from fiotools.errors import SchemaError
from fiotools.stats.explain import causes
from fiotools.stats.explain.limits import LIMITS
from fiotools.stats.explain.parts import SLOTS, Side, parts, verdicts
from tests.conftest import FIXTURES, ROOT

FOLDER = FIXTURES / "explain"
KEPT = [one for one in (*CAUSES, *NONE) if (FOLDER / benchmark.slug(one)).exists()]
MADE = pytest.mark.parametrize("cause", KEPT, ids=benchmark.slug)


def named(name):
    return next(one for one in CAUSES if one.name == name)


def read(cause, side="{side}"):
    return ft.read(str(FOLDER / benchmark.slug(cause) / f"{side}.json"))


def asked(cause, res, **more):
    where = f"direction={cause.direction}" if cause.direction else None
    return ft.explain(res, cause.metric, baseline="base", where=where, **more)


def told(answer):
    return " ".join(str(ft.show(answer)).split())


def test_there_is_a_report_of_a_dozen_causes():
    assert len([one for one in KEPT if one.part]) >= 12


@MADE
def test_parts_add_up_to_the_log_ratio(cause):
    res = read(cause)
    io = res.io[~res.io["direction"].isin(["sync"])]
    if cause.direction:
        io = io[io["direction"] == cause.direction]
    ratio = ft.compare(io, cause.metric, between="side", baseline="base")["ratio"].item()
    answer = asked(cause, res)
    assert answer["log_ratio"].sum() == pytest.approx(log(ratio), abs=1e-9)
    assert answer["ratio"].prod() == pytest.approx(ratio)
    assert answer["share_pct"].sum() == pytest.approx(100)
    # shares that make more than all name what works against them
    said = ft.tell(answer).sentences[0].head
    is_more = sum(map(int, re.findall(r"(\d+) %", said.partition("; ")[2]))) > 100
    assert not is_more or "works against it" in said


@MADE
def test_the_injected_cause_ranks_first(cause):
    trial = benchmark.judged(cause, read(cause))
    # single runs whose options are alike have to differ by more
    is_told = cause.change or not 0.5 < trial.ratio < 2
    assert trial.first in (cause.part if is_told and cause.part else ("nothing", "unknown"))


def test_options_stand_with_the_part_they_belong_to():
    cause = named("8 I/Os in flight")
    answer = asked(cause, read(cause)).set_index("part")
    assert answer.loc["inflight", "options"] == "iodepth (8 against 1)"
    assert answer["options"].count() == 1


def test_every_finding_has_its_sentence_and_every_option_one_part():
    words = causes.causes()
    for slot in SLOTS:
        assert {"name", "between", "alone"} <= words[slot.part].keys()
    for limit in LIMITS:
        assert limit.outcome in words[limit.part]
    names = [name for several in words["options"].values() for name in several]
    assert len(names) == len({*names})
    moved = {part for several in causes.moves().values() for part in several}
    assert moved <= {one.part for one in SLOTS}


@pytest.mark.parametrize("reached", [0.0, 1e-6, 0.2])
def test_what_memory_answers_is_the_cache_and_not_the_device(reached):
    def side(share):
        seconds = {"device": 80e-6 * share, "processor": 2e-6}
        return Side(1, 1 / sum(seconds.values()), seconds, {"inflight": 1.0}, share, cpu=0.0)

    one, other = side(reached), side(1.0)
    found = {each.slot.part: each.log_ratio for each in parts(one, other, is_rate=True)}
    assert found["device"] == pytest.approx(0, abs=1e-12)
    assert found["cache"] == pytest.approx(log(one.value / other.value))


@pytest.mark.parametrize(
    ("shares", "options", "expected"),
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
def test_what_is_certain_is_a_cause(shares, options, expected):
    found = verdicts(shares, options)
    assert [part for part, verdict in found.items() if verdict == "cause"] == expected
    assert found.get("unknown") in (None, "unknown")


def reports(tmp_path, **sides):
    """Read a run for each rate of each side: a report of our own, with other IOPS and latencies."""
    text = (FOLDER / "none-one-at-a-time" / "base.json").read_text()
    for side, rates in sides.items():
        for number, rate in enumerate(rates):
            report = json.loads(text)
            read = report["jobs"][0]["read"]
            read["iops"] *= rate
            for name in ("bw", "bw_bytes", "total_ios", "io_bytes", "io_kbytes"):
                read[name] = round(read[name] * rate)
            for kind in ("slat_ns", "clat_ns", "lat_ns"):
                for stat in ("min", "max", "mean", "stddev"):
                    read[kind][stat] /= rate
            (tmp_path / f"{side}_{number}.json").write_text(json.dumps(report))
    return ft.read(str(tmp_path / "{side}_{round:d}.json"))


@pytest.mark.parametrize(("rate", "is_found"), [(1.0, False), (1.03, False), (0.7, True)])
def test_repeats_say_whether_there_is_anything_to_explain(tmp_path, rate, is_found):
    rates = (1.0, 1.02, 0.98)
    res = reports(tmp_path, a=rates, b=[rate * one for one in rates])
    answer = ft.explain(res, between="side")
    assert ({*answer["verdict"]} == {"nothing"}) is not is_found
    assert {*answer["n"]} == {*answer["n_baseline"]} == {3}
    assert answer["log_ratio"].sum() == pytest.approx(log(rate), abs=1e-6)
    assert ("nothing to explain" in told(answer)) is not is_found


def test_sides_that_cannot_be_told_apart_are_not_alike(tmp_path):
    answer = ft.explain(reports(tmp_path, a=(1.0, 1.0, 1.0), b=(0.4, 1.0, 0.5)), between="side")
    said = "iops of b: 0.585 times a; 3 runs a side cannot tell: 0.178 to 1.92 times"
    assert said in told(answer)


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
    answer = ft.explain(read(named(name), side))
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
    res = read(named("8 I/Os in flight"), "level")
    rate = res.io["bw_bytes_per_s"].max()
    answer = ft.explain(res, link=rate / 0.9)
    assert answer.loc[answer["verdict"] == "cause", "part"].tolist() == ["link"]


def test_mounts_without_a_device_are_unknown_with_the_evidence_that_decides():
    res = ft.read(f"{ROOT.as_posix()}/data/lima-mounts/fio/{{mount}}_{{pattern}}.txt")
    answer = ft.explain(
        res, between="mount", baseline="sshfs", by="pattern", where="pattern=randread"
    )
    assert answer.loc[answer["verdict"] == "unknown", "part"].tolist() == ["completion"] * 2
    assert "run the same job where fio finds the device" in told(answer)
    assert "these reports do not show why: completion, 98 % of the difference" in told(answer)


def test_time_is_user_system_and_waiting():
    res = ft.read(f"{ROOT.as_posix()}/data/page-cache/{{cache}}.txt")
    answer = ft.explain(res, "real_s", between="cache", baseline="before")
    assert answer["log_ratio"].sum() == pytest.approx(log(0.466 / 4.364))
    assert answer.loc[answer["verdict"] == "cause", "part"].tolist() == ["asleep"]


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
        ft.explain(read(KEPT[0]), **given)
    with pytest.raises(SchemaError, match="takes Results"):
        ft.explain(read(KEPT[0]).io)


_HAS_FIO = shutil.which("fio") and Path("/dev/shm").is_dir()


@pytest.mark.skipif(not _HAS_FIO, reason="needs fio, and memory at /dev/shm")
@pytest.mark.parametrize("name", ["a rate asked for", "files in memory"])
def test_a_cause_that_is_injected_now_ranks_first(tmp_path, name):
    cause = named(name)
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
    assert "while the I/Os that a job has in flight wait" in told(answer)
