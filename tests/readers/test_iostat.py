"""iostat's JSON: our own outputs of three versions, cut off, killed, and damaged."""

import json
from pathlib import Path

import pandas as pd
import pytest

import fiotools as ft
from fiotools.errors import ParseError, UnknownFormatError

FIXTURES = Path(__file__).parents[1] / "fixtures" / "iostat"
FILES = [path for path in sorted(FIXTURES.glob("iostat-*.json")) if "killed" not in path.name]
RATES = {"r/s": 10.0, "w/s": 0.0, "rkB/s": 40.0, "wkB/s": 0.0, "r_await": 0.5, "w_await": 0.0}
# a key, and where its value goes: direction, quantity, factor
PLACES = {
    "r/s": ("read", "iops", 1),
    "w/s": ("write", "iops", 1),
    "d/s": ("trim", "iops", 1),
    "f/s": ("sync", "iops", 1),
    "tps": ("total", "iops", 1),
    "rkB/s": ("read", "bw_bytes_per_s", 1024),
    "wMB/s": ("write", "bw_bytes_per_s", 1024**2),
    "kB/s": ("total", "bw_bytes_per_s", 1024),
    "kB_read/s": ("read", "bw_bytes_per_s", 1024),
    "MB_wrtn/s": ("write", "bw_bytes_per_s", 1024**2),
    "Blk_dscd/s": ("trim", "bw_bytes_per_s", 512),
    "aqu-sz": (None, "queue_mean", 1),
    "util": (None, "util_pct", 1),
}


def fixture(case):
    return ft.read(next(FIXTURES.glob(f"iostat-*--{case}.json")))


def written(*reports):
    """Write an output as iostat does: a stamp and the devices of each report."""
    listed = [
        {
            **({"timestamp": stamp} if stamp else {}),
            "disk": [{"disk_device": name, **RATES, **own} for name, own in devices.items()],
        }
        for stamp, devices in reports
    ]
    host = {"nodename": "vm", "date": "11/28/26", "statistics": listed}
    return json.dumps({"sysstat": {"hosts": [host]}}, indent="\t")


def series(results, quantity, direction=None, target="vda"):
    rows = results.samples[results.samples["quantity"] == quantity]
    own = rows["direction"].isna() if direction is None else rows["direction"] == direction
    return rows[own & (rows["target"] == target)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_rate_of_every_report_is_read(path):
    results = ft.read(path)
    assert results.runs[["tool", "host", "status"]].values.tolist() == [["iostat", "vm", "ok"]]
    host = json.loads(path.read_text())["sysstat"]["hosts"][0]
    reports = host["statistics"]
    seen = 0
    for device in [one["disk_device"] for one in reports[0].get("disk", [])]:
        own = [
            next((one for one in report["disk"] if one["disk_device"] == device), {})
            for report in reports[1:] or reports
        ]
        for key in {*own[-1]} & {*PLACES}:
            direction, quantity, worth = PLACES[key]
            found = series(results, quantity, direction, device.strip())["value"]
            assert found.tolist() == pytest.approx([one.get(key, 0.0) * worth for one in own])
            seen += 1
    assert seen or "processors" in path.name


def test_times_and_amounts():
    results = fixture("direct")
    run = results.runs.iloc[0]
    assert run["started_at"] == pd.Timestamp("2026-11-28T17:35:08Z")
    assert run["reported_at"] - run["started_at"] == pd.Timedelta(run["duration_s"], "s")
    assert series(results, "iops", "read")["time_s"].tolist() == [*range(1, 9)]
    [disk] = results.disks.to_dict("records")
    moved = series(results, "bw_bytes_per_s", "read")["value"].sum()  # for a second each
    assert disk["read_sectors_bytes"] == pytest.approx(moved, abs=1)
    fio = ft.read(FIXTURES / "fio-3.33--direct.json").io["io_bytes"].item()
    assert disk["read_sectors_bytes"] == pytest.approx(fio, rel=0.05)
    assert 50 < disk["util_pct"] < 60
    assert disk["queue_mean"] == pytest.approx(disk["in_queue_s"] / 8)


def test_the_first_report_is_kept_apart():
    results = fixture("since_start")
    assert len(series(results, "iops", "read")) == 3
    extras = results.extras.set_index("path")["text"]
    assert float(extras["statistics.0.disk.vda.r/s"]) > 0
    assert "statistics.0.avg-cpu.idle" in extras.index
    assert "meaning" in results.notes["code"].tolist()
    alone = fixture("one_report")
    assert len(series(alone, "iops", "read")) == 1
    assert series(alone, "iops", "read")["time_s"].isna().all()
    assert alone.notes["code"].tolist() == ["assumed"]


@pytest.mark.parametrize(
    ("stamps", "times"),
    [
        (["11/28/26 23:59:58", "11/28/26 23:59:59", "11/29/26 00:00:00"], [1, 2]),
        (["11/28/2026 11:59:50 AM", "11/28/2026 12:00:00 PM", "11/28/2026 12:00:10 PM"], [10, 20]),
        ([f"28.11.2026 17:00:0{second}" for second in (0, 1, 1, 3)], [1, 2, 3]),
        (["2026年11月28日 17時36分41秒", "2026年11月28日 17時36分43秒"], [2]),
        (["2026-11-28T17:00:00+0900", "2026-11-28T17:00:05+0900"], [5]),
        # asleep for ten minutes
        (["17:00:00", "17:00:01", "17:10:01"], [1, 601]),
        (["17:00:00", "17:00:00"], [None]),
        (["", ""], [None]),
    ],
)
def test_stamps(stamps, times):
    results = ft.reads(written(*((stamp, {"vda": {}}) for stamp in stamps)))
    found = series(results, "iops", "read")["time_s"]
    assert found.astype(object).where(found.notna(), None).tolist() == times
    has_zone = stamps[0].endswith("+0900")
    assert results.runs["started_at"].notna().tolist() == [has_zone]


def test_an_idle_device_did_nothing_and_had_no_latency():
    results = ft.reads(
        written(
            *(
                (f"10:00:0{second}", {"vda": {}} | ({"vdb": {}} if second == 2 else {}))
                for second in range(4)
            )
        )
    )
    assert series(results, "iops", "read", "vdb")["value"].tolist() == [0.0, 10.0, 0.0]
    assert series(results, "lat_ns", "read", "vdb")["value"].tolist() == [500_000.0]
    assert series(results, "lat_ns", "write").empty
    assert results.disks.set_index("device")["read_ios"].to_dict() == {"vda": 30, "vdb": 10}


def test_groups_stand_apart_from_devices():
    results = fixture("group")
    assert results.disks["device"].tolist() == ["vda", "loop0"]
    assert set(results.samples.query("target == 'both'")["scope"]) == {"group"}


def test_one_that_was_killed():
    results = fixture("killed")
    assert results.runs["status"].tolist() == ["truncated"]
    assert len(series(results, "iops", "read")) == 2
    note = results.notes.query("code == 'incomplete'").iloc[0]
    assert (note["severity"], note["line"]) == ("warning", 26)


def test_cut_anywhere_the_whole_reports_are_read():
    text = (FIXTURES / "iostat-12.6.1--basic_megabytes.json").read_text().rstrip()
    values = series(ft.reads(text), "bw_bytes_per_s", "read")["value"].tolist()
    ends, at, decoder = list[int](), text.index('"statistics": ['), json.JSONDecoder()
    while (begin := text.find("{", at)) >= 0:
        _, at = decoder.raw_decode(text, begin)
        ends.append(at)
    for cut in range(len(text)):
        done = sum(end <= cut for end in ends)
        if not done:
            with pytest.raises((ParseError, UnknownFormatError)):
                ft.reads(text[:cut])
            continue
        results = ft.reads(text[:cut])
        assert results.runs["status"].tolist() == ["truncated"], cut
        assert "incomplete" in results.notes["code"].tolist()
        found = series(results, "bw_bytes_per_s", "read")["value"].tolist()
        assert len(found) == max(done - 1, 1)  # the first report only if it is alone
        assert done == 1 or found == values[: done - 1]


def test_appended_outputs_are_runs_and_a_cut_one_hides_none():
    one, killed = (
        (FIXTURES / f"iostat-12.6.1--{case}.json").read_text() for case in ("direct", "killed")
    )
    results = ft.reads(killed + one + killed)
    assert results.runs["status"].tolist() == ["truncated", "ok", "truncated"]
    assert results.samples.groupby("run")["time_s"].max().tolist() == [2.0, 8.0, 2.0]


def test_a_value_without_meaning_is_left_out_with_its_line():
    results = ft.reads(written(("", {"vda": {}}), ("", {"vda": {"r/s": "x", "util": -1}})))
    notes = results.notes.query("code == 'left out'")
    assert sorted(message.split()[0] for message in notes["message"]) == ["r/s", "util"]
    assert notes["line"].notna().all()
    assert series(results, "iops", "read").empty


def test_other_outputs_of_sysstat_are_not_claimed():
    text = FIXTURES / "iostat-12.6.1--text.txt"
    with pytest.raises(UnknownFormatError, match="iostat's text"):
        ft.read(text)
    host = {"nodename": "vm", "statistics": [{"cpu-load": [{"cpu": "all", "idle": 1.0}]}]}
    with pytest.raises(UnknownFormatError, match=r"unknown tool: .*sysstat"):
        ft.reads(json.dumps({"sysstat": {"hosts": [host]}}))
