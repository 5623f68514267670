"""Documents of fio are one run only on proof; clients send all their reports in one document.

That they are then one run with samples is held for every form in test_fio_forms.
"""

import json
from itertools import pairwise

import pytest

import fiotools as ft
from tests import fio_forms
from tests.fio_forms import fixture, telling, text_of, warnings

APPENDED = ["appended", "appended-1s", "appended-sized", "at-once"]


def documents(case):
    return fio_forms.documents(text_of(f"{case}.json"))


def read(found):
    return ft.reads("\n".join(json.dumps(one, indent=1) for one in found), name="x.json")


# --- runs of their own ------------------------------------------------------------------------


@pytest.mark.parametrize("case", APPENDED)
def test_appended_runs_and_two_at_once_are_runs_of_their_own(case):
    found = documents(case)
    results = read(found)
    assert results.io["run"].tolist() == [*range(1, len(found) + 1)]
    expected = [one["jobs"][0]["read"]["total_ios"] for one in found]
    assert results.io["total_ios"].tolist() == expected
    assert results.samples.empty
    assert not telling(results, "cumulative")


@pytest.mark.parametrize("case", ["appended", "appended-1s"])
@pytest.mark.parametrize("key", ["timestamp_ms", "job options", "elapsed"])
def test_runs_are_told_apart_without_a_key(case, key):
    found = documents(case)
    for one in found:
        one.pop(key, None)
        for entry in one["jobs"]:
            entry.pop(key, None)
    assert len(read(found).runs) == len(found)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("ctx", 0),
        ("groupid", 1),
        ("job options.bs", "8k"),
        ("read.total_ios", 100),
        ("read.runtime", 10),
        ("read.clat_ns.mean", 1.5),  # the sum of latencies falls
        ("read.clat_ns.min", 10**9),
        ("read.clat_ns.max", 1),
        ("latency_us.100", 1.0),  # this bin loses I/Os
    ],
)
def test_what_cannot_happen_within_a_run(key, value):
    found = documents("status-interval")
    entry = found[-1]["jobs"][0]
    *above, last = key.split(".")
    for name in above:
        entry = entry[name]
    entry[last] = value
    assert len(read(found).runs) == 2


@pytest.mark.parametrize("seconds", [-1.5, 0.5])
def test_the_clock_moves_as_far_as_the_run(seconds):
    found = documents("status-interval")
    assert found[0]["jobs"][0]["elapsed"] < 4  # later reports have a second of tolerance
    for one in found[1:]:
        one["timestamp_ms"] += round(seconds * 1000)
        for entry in one["jobs"]:
            del entry["job options"]["runtime"]  # it says that the run went on
    assert len(read(found).runs) == 2


def test_the_same_document_twice_is_two_runs_with_a_warning():
    results = ft.reads(text_of("libaio.json") * 2, name="x.json")
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
    found[0]["jobs"][0]["job_start"] = 0  # a job may start between two reports
    assert len(read(found).runs) == 1
    found[-1]["jobs"][0]["job_start"] += 1
    assert len(read(found).runs) == 2


@pytest.mark.parametrize("change", ["many", None, 1e300])
def test_edited_documents_can_be_reports_of_one_run(change):
    found = documents("status-interval")
    found[1]["timestamp_ms"] = found[1]["jobs"][0]["elapsed"] = change
    for key in ("io_bytes", "total_ios", "runtime", "clat_ns"):
        found[2]["jobs"][0]["read"][key] = change
    assert 1 <= len(read(found).runs) <= len(found)


def wrapped(found):
    """Return the documents in other objects, as programs collect them from several hosts."""
    hosts = dict(zip("abcdefgh", found, strict=False))
    objects = [{"host": host, "fio": one} for host, one in hosts.items()]
    return {
        "lines": "\n".join(map(json.dumps, objects)),
        "beside": "\n".join(json.dumps({**one, "host": host}) for host, one in hosts.items()),
        "keys": json.dumps(hosts),
        "list": json.dumps({"results": found}, indent=1),
    }


@pytest.mark.parametrize("form", wrapped([]))
def test_documents_in_other_objects_are_runs_of_their_own(form):
    found = documents("status-interval")
    assert len(ft.reads(wrapped(found)[form], name="x.json").runs) == len(found)


# --- clients ----------------------------------------------------------------------------------


def test_the_last_report_of_each_client_is_the_result():
    results = ft.read(fixture("interval-clients.json"))
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
    [note] = warnings(results)
    assert "17 entries of 2 servers are 4 cumulative reports" in note
    assert "All clients" in note


@pytest.mark.parametrize(
    ("kept", "rows", "said"),
    [
        (
            lambda sent: [one for one in sent if one["jobname"] != "All clients"],
            4,
            ["cumulative reports"],
        ),
        (lambda sent: sent[-4:], 4, []),  # two of them are clones
        (lambda sent: sent[:-1], 15, ["uncertain"]),
    ],
)
def test_entries_of_clients_are_split_or_kept_with_a_warning(kept, rows, said):
    [whole] = documents("interval-clients")
    whole["client_stats"] = kept(whole["client_stats"])
    results = read([whole])
    assert len(results.io) == rows
    assert "All clients" not in results.io["job"].tolist()
    told = results.notes["message"].tolist()
    assert [words in one for words, one in zip(said, told, strict=True)] == [True] * len(said)


def of_two_servers():
    """Return a document whose servers ran with different block sizes, as fio 3.39 lists them."""
    [whole] = documents("interval-clients")
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
    assert telling(results, "which server used which is unknown")
