"""Documents of fio are one run only on proof; clients send all their reports in one document."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

import fiotools as ft
from tests import fio_forms

FIXTURES = Path(__file__).parents[1] / "fixtures" / "fio"


def text(case):
    return (FIXTURES / f"fio-3.33--{case}.json").read_text(encoding="utf-8")


def documents(case):
    return fio_forms.documents(text(case))


def read(found):
    return ft.reads("\n".join(json.dumps(one, indent=1) for one in found), name="x.json")


def merged(results):
    return results.notes[results.notes["message"].str.contains("cumulative")]


APPENDED = ["appended", "appended-1s", "appended-sized", "at-once"]
CUMULATIVE = ["status-interval", "interval-phases", "interval-thinktime"]


# --- runs of their own ------------------------------------------------------------------------


@pytest.mark.parametrize("case", APPENDED)
def test_appended_runs_and_two_at_once_are_runs_of_their_own(case):
    found = documents(case)
    results = read(found)
    assert results.io["run"].tolist() == [*range(1, len(found) + 1)]
    expected = [one["jobs"][0]["read"]["total_ios"] for one in found]
    assert results.io["total_ios"].tolist() == expected
    assert results.samples.empty
    assert merged(results).empty


@pytest.mark.parametrize("case", APPENDED)
def test_runs_are_told_apart_by_whole_seconds_too(case):
    found = documents(case)
    for one in found:
        del one["timestamp_ms"]
    assert len(read(found).runs) == len(found)


@pytest.mark.parametrize("case", APPENDED)
@pytest.mark.parametrize("key", ["job options", "elapsed", "ctx"])
def test_runs_are_told_apart_without_a_key(case, key):
    found = documents(case)
    for one in found:
        for entry in one["jobs"]:
            entry.pop(key, None)
    assert len(read(found).runs) == len(found)


# --- reports of one run -----------------------------------------------------------------------


@pytest.mark.parametrize("case", CUMULATIVE)
def test_cumulative_documents_are_one_run_with_a_warning(case):
    found = documents(case)
    results = read(found)
    assert len(results.runs) == 1
    assert results.io["total_ios"].tolist() == [
        part["total_ios"]
        for entry in found[-1]["jobs"]
        for part in (entry.get("read"), entry.get("write"))
        if part and part["total_ios"]
    ]
    (note,) = merged(results).to_dict("records")
    assert note["severity"] == "warning"
    assert note["message"].startswith(f"{len(found)} cumulative reports of one run")


def change(entry, key, value):
    *above, last = key.split(".")
    for name in above:
        entry = entry[name]
    entry[last] = value


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("ctx", 0),
        ("groupid", 1),
        ("job options.bs", "8k"),
        ("read.total_ios", 100),
        ("read.io_bytes", 4096),
        ("read.runtime", 10),
        ("read.clat_ns.N", 7),
        ("read.clat_ns.mean", 1.5),  # the sum of latencies falls
        ("read.clat_ns.min", 10**9),
        ("read.clat_ns.max", 1),
        ("latency_us.100", 1.0),  # this bin loses I/Os
    ],
)
def test_what_cannot_happen_within_a_run(key, value):
    found = documents("status-interval")
    change(found[-1]["jobs"][0], key, value)
    assert len(read(found).runs) == 2


@pytest.mark.parametrize("seconds", [-5, -1.5, 0.5, 5])
def test_the_clock_moves_as_far_as_the_run(seconds):
    found = documents("status-interval")
    assert found[0]["jobs"][0]["elapsed"] < 4  # later reports have a second of tolerance
    for one in found[1:]:
        one["timestamp_ms"] += round(seconds * 1000)
        for entry in one["jobs"]:
            del entry["job options"]["runtime"]  # it says that the run went on
    assert len(read(found).runs) == 2


def test_the_same_document_twice_is_two_runs_with_a_warning():
    results = ft.reads(text("libaio") * 2, name="x.json")
    assert len(results.runs) == 2
    assert results.notes["message"].tolist() == ["the same run as run 1 of x.json: count it once"]


def test_a_job_that_did_nothing_does_not_prove_that_a_run_went_on():
    found = documents("appended-1s")
    for one in found:
        idle = {key: value for key, value in one["jobs"][0].items() if key != "read"}
        one["jobs"].append({**idle, "jobname": "idle"})
    assert len(read(found).runs) == len(found)


def test_job_start_tells():
    found = documents("status-interval")
    for one in found:
        one["jobs"][0]["job_start"] = 1795227841000
    found[-1]["timestamp_ms"] += 700  # a report may be late
    assert len(read(found).runs) == 1
    found[-1]["jobs"][0]["job_start"] += 1
    assert len(read(found).runs) == 2


def wrapped(found):
    """Return the documents in other objects, as programs collect them from several hosts."""
    hosts = dict(zip("abcdefgh", found, strict=False))
    objects = [{"host": host, "fio": one} for host, one in hosts.items()]
    return {
        "lines": "\n".join(map(json.dumps, objects)),
        "first": "\n".join(json.dumps({"fio": one, "host": host}) for host, one in hosts.items()),
        "beside": "\n".join(json.dumps({**one, "host": host}) for host, one in hosts.items()),
        "indented": "\n".join(json.dumps(one, indent=2) for one in objects),
        "keys": json.dumps(hosts),
        "list": json.dumps({"results": found}, indent=1),
        "list of objects": json.dumps(objects),
    }


@pytest.mark.parametrize("form", wrapped([]))
def test_documents_in_other_objects_are_runs_of_their_own(form):
    found = documents("status-interval")
    assert len(ft.reads(wrapped(found)[form], name="x.json").runs) == len(found)
    assert len(ft.reads(json.dumps(found), name="x.json").runs) == 1


# --- clients ----------------------------------------------------------------------------------


def test_the_last_report_of_each_client_is_the_result():
    results = ft.read(FIXTURES / "fio-3.33--interval-clients.json")
    sent = documents("interval-clients")[0]["client_stats"]
    stale = next(entry for entry in sent if entry["jobname"] == "All clients")
    last = sorted(sent[-4:], key=lambda entry: -entry["port"])
    expected = [(entry.get("read") or entry["write"])["total_ios"] for entry in last]
    assert results.io["total_ios"].tolist() == expected
    assert results.io["entry"].tolist() == [1, 2, 3, 4]
    assert results.jobs["job"].tolist() == ["rr", "ww", "rr", "rr"]
    assert stale["read"]["total_ios"] not in results.io["total_ios"].tolist()
    done = results.samples[results.samples["quantity"] == "total_ios"]
    for _, rows in done.groupby("entry"):
        assert len(rows) == 4
        assert all(old < new for old, new in pairwise(rows["value"]))
    (note,) = results.notes.to_dict("records")
    assert note["severity"] == "warning"
    assert "17 entries of 2 servers are 4 cumulative reports" in note["message"]
    assert "All clients" in note["message"]


def test_clients_without_a_sum_are_split_too():
    (whole,) = documents("interval-clients")
    whole["client_stats"] = [
        entry for entry in whole["client_stats"] if entry["jobname"] != "All clients"
    ]
    assert len(read([whole]).io) == 4
    whole["client_stats"] = whole["client_stats"][-4:]  # two of them are clones
    results = read([whole])
    assert len(results.io) == 4
    assert merged(results).empty


def test_what_cannot_be_split_is_kept_with_a_warning():
    (whole,) = documents("interval-clients")
    del whole["client_stats"][-1]
    results = read([whole])
    assert len(results.io) == 15
    assert "uncertain" in results.notes["message"].iloc[-1]
    assert "All clients" not in results.io["job"].tolist()


def of_two_servers():
    """Return a document whose servers ran with different block sizes, as fio 3.39 lists them."""
    (whole,) = documents("interval-clients")
    whole["client_stats"] = whole["client_stats"][-4:]
    shared = {"filesize": "16m", "runtime": "3"}
    whole["global options"] = [
        {"hostname": "127.0.0.1", "port": 8771, **shared, "bs": "4k"},
        {"hostname": "127.0.0.1", "port": 8772, **shared, "bs": "16k"},
    ]
    return whole


def test_options_of_all_jobs_are_those_of_their_server():
    results = read([of_two_servers()])
    sizes = results.io.groupby(["port", "job"])["bs_bytes"].first().to_dict()
    assert sizes == {(8771, "rr"): 4096, (8772, "rr"): 16384, (8772, "ww"): 8192}
    settings = results.settings
    common = settings[settings["entry"].isna()]
    assert common["option"].tolist() == ["filesize", "runtime"]
    assert set(common["origin"]) == {"global"}
    block = settings[settings["option"] == "bs"]
    assert set(block["origin"]) == {"given"}
    assert sorted(block["text"]) == ["16k", "4k", "4k", "8k"]


def test_options_of_servers_in_one_object_are_left_out_where_they_differ():
    # before 3.39
    whole = of_two_servers()
    whole["global options"] = {"bs": "@", "runtime": "3"}
    twice = json.dumps(whole, indent=1).replace('"bs": "@"', '"bs": "4k", "bs": "16k"')
    results = ft.reads(twice, name="x.json")
    sizes = results.io.groupby(["port", "job"])["bs_bytes"].first()
    assert sizes.isna().tolist() == [True, True, False]
    assert results.settings.query("option == 'bs'")["text"].tolist() == ["8k"]
    assert "which server used which is unknown" in results.notes["message"].iloc[0]
