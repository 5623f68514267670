"""What iostat counted beside a run: whose it is, and what `check` and `reconcile` make of it."""

from __future__ import annotations

import json
import re
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pandas as pd
import pytest

import fiotools as ft
from fiotools.errors import SchemaError
from fiotools.stats.beside import Match, Placed, counted, matches

FIXTURES = Path(__file__).parents[1] / "fixtures" / "iostat"
NOON = datetime(2026, 11, 28, 12, tzinfo=UTC)


def placed(source, begin=None, end=None, host=None):
    at = [None if one is None else NOON + timedelta(seconds=one) for one in (begin, end)]
    return Placed(source, host, *at)


@pytest.mark.parametrize(
    ("runs", "counters", "found"),
    [
        # alone in a folder
        ([("a/fio.json",)], [("a/iostat.json",)], [Match(0, "name")]),
        ([("a/fio.json",)], [("b/iostat.json",)], [None]),
        # by the words of their names
        (
            [("a_fio.json",), ("b_fio.json",)],
            [("b_iostat.json",), ("a.iostat.json",)],
            [Match(1, "name"), Match(0, "name")],
        ),
        # two runs, and nothing tells whose it is
        ([("fio-1.json",), ("fio-2.json",)], [("iostat.json",)], [False, False]),
        ([("all.json",), ("all.json",)], [("iostat.json",)], [False, False]),
        # times count, in its folder or below
        ([("x/y/1.json", 10, 20)], [("x/1.json", 0, 9), ("x/2.json", 8, 30)], [Match(1, "time")]),
        # elsewhere it may be another machine's, unless its name is known
        ([("x/1.json", 10, 20)], [("y/1.json", 8, 30)], [None]),
        ([("x/1.json", 10, 20, "a")], [("y/1.json", 8, 30, "a")], [Match(0, "time")]),
        ([("x/1.json", 10, 20, "a")], [("x/1.json", 8, 30, "b")], [None]),
        (
            [("1.json", 10, 20), ("2.json", 30, 40)],
            [("iostat.json", 5, 45)],
            [Match(0, "time"), Match(0, "time")],
        ),
        # of another time, though it is alone with the run
        ([("a/fio.json", 10, 20)], [("a/iostat.json", 100, 120)], [None]),
        ([("a/fio.json", 10, 20)], [("a/iostat.json", 0, 15)], [None]),
        # the machine differs
        ([("a/fio.json", 10, 20, "one")], [("a/iostat.json", 0, 30, "two")], [None]),
        ([("a/fio.json", None, None, "one")], [("a/iostat.json", 0, 30, "two")], [False]),
        # two of the same time
        ([("fio.json", 10, 20)], [("1.json", 0, 30), ("2.json", 0, 30)], [False]),
    ],
)
def test_whose_it_is(runs, counters, found):
    assert matches([placed(*one) for one in runs], [placed(*one) for one in counters]) == found


def samples(rates, start=1.0, **own):
    return [
        {"quantity": "bw_bytes_per_s", "direction": "read", "target": name, "time_s": start + at}
        | {"value": float(value)}
        | own
        for name, values in rates.items()
        for at, value in enumerate(values)
    ]


def test_amounts_of_devices():
    rows = samples({"sda": [0, 100, 100, 0], "sda1": [0, 100, 100, 0], "sdb": [50, 50, 50, 50]})
    seen = counted(rows, "read")
    assert (seen.devices, seen.most, seen.total, seen.least) == (["sda", "sdb"], 150, 400, 200)
    assert (seen.span_s, seen.interval_s) == (4, 1)
    assert counted(rows, "read", ["sdb"]).total == 200
    assert counted(rows, "read", window=(1.5, 1.9)).total == 350  # with slack on both ends
    assert counted(rows, "write") is None
    untimed = counted([row | {"time_s": None} for row in rows], "read")
    assert (untimed.most, untimed.total) == (150, None)


@pytest.mark.parametrize(
    ("rates", "moved", "runtime", "verdict"),
    [
        ({"sda": [100] * 10}, 1000, 10, "counted"),
        ({"sda": [100] * 10}, 1400, 10, "between"),  # .9 less the ends of two reports is .7
        ({"sda": [100] * 10}, 1500, 10, "short"),
        ({"sda": [100] * 10}, 600, 10, "more"),
        ({"sda": [50] * 10, "sdb": [50] * 10}, 1000, 10, "between"),
        ({"sda": [100] * 10}, 2000, 20, "part"),
        ({"sda": [100]}, 1000, 1, "between"),
    ],
)
def test_what_follows(rates, moved, runtime, verdict):
    seen = counted(samples(rates), "read")
    assert seen.verdict(moved, runtime)[0] == verdict


@pytest.fixture
def pair(tmp_path):
    def lay(case, change=lambda text: text, name=None):
        for path in FIXTURES.glob(f"*--{case}.json"):
            shutil.copy(path, tmp_path)
        iostat = next(tmp_path.glob("iostat*"))
        iostat.write_text(change(iostat.read_text()))
        return ft.read(tmp_path)

    return lay


def device(results, **known):
    found = ft.check(results, **known).query("check == 'device'")
    return dict(zip(found["subject"], found["finding"], strict=True))


def test_the_device_answered(pair):
    results = pair("direct")
    [row] = ft.check(results).query("check == 'device'").to_dict("records")
    assert (row["subject"], row["finding"], row["verdict"]) == ("read", "device.busy", "ok")
    assert row["observed"] == pytest.approx(103, abs=1)
    assert re.fullmatch(
        r"vda gave 100 % of what was read, busy for 8\d % of that time, with 3\.\d+ requests"
        r" waiting or served; iostat ran at the same time: .*iostat-12\.6\.1--direct\.json",
        row["why"],
    )
    assert set(ft.check(results)["source"]) == set(results.io["source"])  # iostat is not judged


def test_memory_answered(pair):
    results = pair("cached")
    assert results.disks["source"].str.contains("iostat").all()  # fio counted none
    assert device(results) == {"read": "device.short_read"}
    assert device(results, cache="warm") == {"read": "device.memory"}
    answer = ft.reconcile(results)
    assert answer["verdict"].tolist() == ["disagrees"]
    assert answer["ratio"].item() < 0.001
    assert answer["flags"].tolist() == ["devices-short"]


def test_without_times_it_only_has_rates(pair):
    results = pair("cached", lambda text: re.sub(r'"timestamp": "[^"]*",', "", text))
    assert device(results) == {"read": "device.untimed"}
    assert ft.reconcile(results)["verdict"].tolist() == ["undecided"]


def test_without_a_zone_it_belongs_by_name(pair):
    results = pair("cached", lambda text: text.replace("+0000", ""))
    why = ft.check(results).query("check == 'device'")["why"].item()
    assert "iostat lies beside: " in why


def test_of_another_hour_it_says_nothing(pair):
    results = pair("cached", lambda text: text.replace("T17:", "T15:"))
    assert device(results) == {}


def test_two_runs_and_one_without_times(pair, tmp_path):
    shutil.copy(FIXTURES / "fio-3.33--direct.json", tmp_path / "other.json")
    results = pair("cached", lambda text: text.replace("+0000", ""))
    assert set(ft.check(results).query("check == 'device'")["finding"]) == {"device.whose"}
    with pytest.raises(SchemaError, match="which run an iostat counted"):
        ft.reconcile(results)


def test_a_killed_iostat_adds_nothing_to_the_overview(pair, tmp_path):
    shutil.copy(FIXTURES / "iostat-12.6.1--killed.json", tmp_path)
    table = ft.overview(pair("direct"))
    assert table["direction"].tolist() == ["read"]
    assert (
        ft.overview(ft.read(FIXTURES / "iostat-12.6.1--killed.json"))["status"]
        .eq("truncated")
        .all()
    )


def test_a_killed_iostat_did_not_look_all_the_time(pair):
    def cut(text):
        document = json.loads(text.replace("+0000", ""))
        del document["sysstat"]["hosts"][0]["statistics"][4:]
        return json.dumps(document)[:-2]

    results = pair("cached", cut)
    assert device(results) == {"read": "device.part"}


def test_logs_are_compared_beside_it(pair, tmp_path):
    results = pair("direct")
    log = results.samples.iloc[:5].copy()
    io = results.io.iloc[[0]]
    log[["source", "scope", "direction", "quantity"]] = [io["source"].item(), None, "read", "iops"]
    log["time_s"], log["value"] = [1.0, 2.0, 3.0, 4.0, 5.0], io["iops"].item()
    log["entry"], log["target"], log["host"] = 1, None, None
    both = pd.concat([log, results.samples], ignore_index=True)
    answer = ft.reconcile(both, results.io)
    assert answer["metric"].tolist() == ["iops", "bw_bytes_per_s"]
    assert answer["verdict"].tolist() == ["ok", "ok"]


@pytest.mark.parametrize("question", [ft.steady, ft.shifts])
def test_runs_stay_runs_with_an_iostat_beside(pair, tmp_path, question):
    alone = ft.read(list(FIXTURES.glob("fio-*--direct.json")))
    results = pair("direct")
    named = {"by": "job"} if question is ft.steady else {}
    assert len(question(results, "iops", **named)) == len(question(alone, "iops", **named))
