"""fio_json: documents, units by version, values that fio does not write, and other forms of JSON."""

import json
import math

import pandas as pd
import pytest

import fiotools as ft
from fiotools.errors import FileError, ParseError, UnknownFormatError
from fiotools.readers.fio import documents as fio_documents
from fiotools.readers.fio import json as fio_json
from fiotools.readers.fio import schema
from tests.fio_forms import (
    FIXTURES,
    cells,
    documents,
    extras,
    fixture,
    human,
    telling,
    text_of,
    warnings,
)

DOCUMENTS = sorted(path.name.removeprefix("fio-3.33--") for path in FIXTURES.glob("*.json"))
WHOLE = text_of("libaio.json")
CLONES = text_of("clones.json")
MIX = text_of("normal-json.txt")


def document(case):
    return documents(text_of(case))[0]


def reads(value, **asked):
    return ft.reads(json.dumps(value, indent=2), name="x.json", **asked)


# --- what fio writes ----------------------------------------------------------------------------


def test_one_row_per_entry_and_direction_with_io():
    res = ft.reads(MIX)
    assert res.runs["tool_version"].item() == "3.33"
    assert str(res.runs["reported_at"].item()).startswith("2026-11-21 02:23:")
    assert res.io["direction"].tolist() == ["read", "write"]
    row, part = res.io.iloc[0], document("normal-json.txt")["jobs"][0]["read"]
    assert row["io_bytes"] == part["io_bytes"]
    assert row["bw_bytes_per_s"] == part["bw_bytes"]
    assert row["iops"] == pytest.approx(part["iops"], abs=1e-6)
    assert row["clat_mean_ns"] == part["clat_ns"]["mean"]
    assert row["bw_mean_bytes_per_s"] == pytest.approx(part["bw_mean"] * 1024)
    assert row["bw_stddev_bytes_per_s"] == pytest.approx(part["bw_dev"] * 1024)
    assert math.isnan(row["slat_mean_ns"])  # psync has no submission latency: N is 0
    conditions = row[["rw", "bs_bytes", "ioengine", "rwmixread_pct", "size_bytes"]].tolist()
    assert conditions == ["randrw", 4096, "psync", 70.0, 4 << 20]
    assert res.io["iodepth"].isna().all()  # it was not given
    settings = res.settings.set_index("option")
    assert settings.loc["iodepth", ["text", "origin"]].tolist() == ["1", "default"]
    assert settings.loc["rwmixread", ["text", "origin"]].tolist() == ["70", "given"]
    shared = ft.read(fixture("stonewall.txt")).settings.query("origin == 'global'")
    assert shared["entry"].isna().all()
    assert set(shared["option"]) == {"filename", "size", "bs", "ioengine"}


@pytest.mark.parametrize(
    ("case", "columns", "rows"),
    [
        ("clones.json", ["entry", "clones", "numjobs"], [[1, 1, 2], [2, 1, 2]]),
        ("group.txt", ["entry", "clones", "numjobs"], [[1, 2, 2]]),
        (
            "stonewall.txt",
            ["group", "job", "direction"],
            [[0, "fill", "write"], [1, "read", "read"], [2, "both", "read"], [2, "both", "write"]],
        ),
        ("normal-jsonplus.txt", ["direction", "bs_bytes"], [["read", 4096], ["write", 8192]]),
        ("unified-mixed.txt", ["direction"], [["mixed"]]),
        (
            "fsync-untimed.txt",
            ["direction", "total_ios"],
            [["read", 132], ["write", 124], ["sync", 27]],
        ),
    ],
)
def test_rows_of_clones_groups_phases_and_directions(case, columns, rows):
    assert cells(ft.read(fixture(case)).io[columns]) == rows


def test_a_group_of_unlike_jobs():
    res = ft.read(fixture("group-unlike.txt"))
    # what the last job's options say is not said of the others
    columns = ["rw", "bs_bytes", "clones", "ioengine"]
    assert cells(res.io[columns]) == [[None, None, None, "psync"]] * 2
    assert telling(res, "unlike jobs")
    settings = res.settings.query("entry == 1")
    assert settings["option"].is_unique


def test_what_was_not_measured_is_missing():
    io = ft.read(fixture("gtod-reduce.txt")).io  # which has zeros there
    assert io[[name for name in io if name.endswith("_ns")]].isna().all(axis=None)
    assert io["iops"].notna().all()
    sync = ft.read(fixture("fsync.txt")).io.set_index("direction").loc["sync"]
    assert sync[["io_bytes", "iops", "bs_bytes"]].isna().all()
    assert sync["lat_mean_ns"] > 0
    assert sync["total_ios"] == document("fsync.txt")["jobs"][0]["sync"]["total_ios"]
    value = document("clones.json")
    value["jobs"][0]["job_start"], value["jobs"][1]["job_start"] = 1795227830375, 4_000_000
    res = reads(value)
    assert str(res.jobs["job_start"].iloc[0]).startswith("2026-11-21 02:23:50.375")
    assert res.jobs["job_start"].isna().tolist() == [False, True]  # by another clock
    assert extras(res)["job_start"] == "4000000"


def test_fdatasync_counts_where_it_was_timed():
    """Fio counts it as short reads, and none of it as syncs."""
    whole = document("fdatasync.txt")
    [job] = whole["jobs"]
    assert (job["sync"]["total_ios"], job["read"]["short_ios"]) == (0, 199)
    res = ft.read(fixture("fdatasync.txt"))
    assert cells(res.io[["direction", "total_ios"]]) == [["write", 200], ["sync", 199]]
    percentiles = res.percentiles.query("direction == 'sync'").set_index("percentile")["value_ns"]
    assert percentiles[99.0] == job["sync"]["lat_ns"]["percentile"]["99.000000"]
    # sync_file_range is counted as short writes
    job["write"]["short_ios"], job["read"]["short_ios"] = 199, 0
    res = reads(whole)
    assert res.io["short_ios"].isna().all()
    assert telling(res, "short_ios may be syncs")
    # before 3.19 there is no count of timed syncs
    del job["sync"]["lat_ns"]["N"]
    assert reads(whole).io["total_ios"].isna().tolist() == [False, True]


BOTH = {"total_ios": 50, "io_bytes": 50 * 4096, "runtime": 1000, "iops": 50.0}


@pytest.mark.parametrize(
    ("changes", "seconds"),
    [
        ({}, [0.001]),
        # of unified reads and writes: once
        ({"read": {**BOTH, "total_ios": 30}, "write": {**BOTH, "total_ios": 20}}, [0.001]),
        ({"usr_cpu": 0, "sys_cpu": 0}, []),
    ],
)
def test_the_processors_time_for_each_io(changes, seconds):
    job = {"jobname": "a", "usr_cpu": 1.0, "sys_cpu": 4.0, "job_runtime": 1000, "mixed": BOTH}
    res = reads({"fio version": "fio-3.33", "jobs": [{**job, **changes}]})
    assert res.jobs["cpu_per_io_s"].dropna().tolist() == seconds


def test_mixed_is_kept_beside_its_parts():
    res = ft.read(fixture("unified-both.txt"))
    assert res.io["direction"].tolist() == ["read", "write"]
    printed = res.extras.query("entry == 1").set_index("path")["text"]
    for amount in ("io_bytes", "total_ios"):
        assert int(printed[f"mixed.{amount}"]) == res.io[amount].sum()
    total = ft.totals(res.io).iloc[0]
    for name in ("iops", "bw_bytes_per_s"):
        assert float(printed[f"mixed.{name}"]) == pytest.approx(total[name], rel=1e-6)
    for name in ("lat_mean_ns", "lat_stddev_ns", "clat_mean_ns", "lat_min_ns", "lat_max_ns"):
        assert float(printed[f"mixed.{name}"]) == pytest.approx(total[name], rel=1e-3)
    assert set(res.percentiles["direction"]) == {"read", "write", "mixed"}
    # those of fio's report for people are of both
    assert set(res.bins["direction"]) == {"mixed"}
    assert res.bins["count"].isna().all()


def test_the_total_of_clients_is_kept_and_compared():
    value = document("client.json")
    [total] = [entry for entry in value["client_stats"] if entry["jobname"] == "All clients"]
    total["read"]["clat_ns"]["percentile"] = {"99.000000": 8}  # of other versions
    res = reads(value)
    whole = res.percentiles[res.percentiles["job"] == "All clients"]
    assert cells(whole[["entry", "host", "port", "value_ns"]]) == [[None, None, None, 8]]
    assert res.disks["host"].tolist() == ["127.0.0.1"] * 2  # as given to --client
    assert set(ft.check(res).query("check == 'parts'")["verdict"]) == {"ok"}
    total["read"]["io_bytes"] *= 2
    suspect = ft.check(reads(value)).query("check == 'parts' and verdict == 'suspect'")
    assert suspect["why"].str.contains("the clients' io_bytes add up to").any()


def test_priorities_are_not_confused_with_the_total():
    res = ft.read(fixture("prio.txt"))
    part = document("prio.txt")["jobs"][0]["read"]
    assert len(res.io) == 1
    assert len(res.percentiles) == len(part["clat_ns"]["percentile"])
    prios = json.loads(extras(res)["read.prios"])
    assert [(prio["prioclass"], prio["prio"]) for prio in prios] == [(0, 0), (2, 3)]


def test_the_seconds_of_a_steady_state_are_samples():
    value = document("steadystate.txt")
    state = value["jobs"][0]["steadystate"]
    res = ft.read(fixture("steadystate.txt"))
    values = res.samples.groupby("quantity")["value"].apply(list).to_dict()
    assert values == {"iops": state["data"]["iops"], "bw_bytes_per_s": state["data"]["bw"]}
    assert res.samples["time_s"].isna().all()
    assert extras(res)["steadystate.criterion"] == state["criterion"]
    assert extras(res)["steadystate.attained"] == str(state["attained"])
    # a second that it did not reach has zeros too
    state["data"]["iops"][0] = 0
    assert set(reads(value).samples["quantity"]) == {"bw_bytes_per_s"}


# --- text beside a document ---------------------------------------------------------------------


def test_the_text_copy_is_a_note_and_the_report_of_another_run_is_a_run():
    text = MIX + human("trim.txt")
    res = ft.reads(text)
    assert res.runs["format"].tolist() == ["fio_json", "fio_normal"]
    assert res.io["direction"].tolist() == ["read", "write", "trim"]
    assert len(telling(res, "lines of text report beside")) == 1
    [line] = res.notes.loc[res.notes["message"].str.contains("left out"), "line"]
    assert "(groupid=0" in text.split("\n")[line - 1]


def test_the_text_copy_of_damaged_json_is_read():
    res = ft.reads(MIX.replace('"jobs" : [', '"jobs" : [ ...'))
    assert res.runs["format"].tolist() == ["fio_normal"]
    assert res.io["total_ios"].tolist() == ft.reads(MIX).io["total_ios"].tolist()
    assert len(telling(res, "incomplete document")) == 1


def test_a_signal_ends_the_run_whose_document_follows():
    second = CLONES.replace("clones", "second")
    res = ft.reads(f"{CLONES}\nfio: terminating on signal 2\n{second}{CLONES}")
    assert res.runs["status"].tolist() == ["ok", "interrupted", "ok"]
    said = res.notes["message"].str.contains("terminating on signal")
    assert res.notes.loc[said, "run"].tolist() == [2]
    assert ft.read(fixture("sigint.json")).runs["status"].item() == "interrupted"


# --- versions -----------------------------------------------------------------------------------


def old(version, job=(), **changes):
    """A document in the layout of an old version, reduced to the essential keys."""
    part = {
        "io_bytes": 1000,
        "bw": 100,
        "iops": 25.0,
        "runtime": 10_000,
        "total_ios": 250,
        "lat": {"min": 1, "max": 9, "mean": 4.5, "stddev": 1.0},
        "clat": {
            "min": 1,
            "max": 8,
            "mean": 4.0,
            "stddev": 1.0,
            "percentile": {"50.000000": 4, "99.000000": 8},
        },
        **changes,
    }
    entry = {
        "jobname": "a b ",
        "groupid": 0,
        "error": 0,
        "read": part,
        "latency_us": {"2": 10.0, "10": 90.0},
        "latency_ms": {"2": 0.0, ">=2000": 0.0},
        **dict(job),
    }
    return {"fio version": version, "jobs": [entry]}


def test_before_2_21_io_bytes_is_kib_and_before_3_0_latencies_are_microseconds():
    res = reads(old("fio-2.2.10"))
    row = res.io.iloc[0]
    assert row["io_bytes"] == 1000 * 1024
    assert row["bw_bytes_per_s"] == 100 * 1024
    assert row["clat_mean_ns"] == 4000
    assert res.percentiles["value_ns"].tolist() == [4000.0, 8000.0]
    assert res.bins["bin_lo_ns"].tolist() == [0.0, 4000.0]  # no finer unit below 2 us
    assert res.io["job"].item() == "a b "
    assert res.settings.empty  # it did not list options: defaults are unknown


@pytest.mark.parametrize(
    ("version", "changes", "column", "value"),
    [
        # development versions count by their numbers
        ("fio-2.20-59-g618e", {}, "io_bytes", 1000 * 1024),
        ("fio-3.0-rc1", {}, "io_bytes", 1000),
        ("3.33", {}, "io_bytes", 1000),
        ("fio-2.21", {"io_bytes": 1_024_000, "io_kbytes": 1000}, "io_bytes", 1_024_000),
        # a bandwidth without bw_bytes is recomputed if it agrees
        ("fio-3.1", {"io_bytes": 1_024_999, "io_kbytes": 1000}, "bw_bytes_per_s", 102_499.9),
        ("fio-3.1", {"io_bytes": 2_024_999, "io_kbytes": 1000}, "bw_bytes_per_s", 102_400),
        # a rate that contradicts its counts is kept as it was printed
        ("fio-3.1", {"iops": 1000.0}, "iops", 1000.0),
    ],
)
def test_values_by_version(version, changes, column, value):
    res = reads(old(version, **changes))
    assert res.io[column].tolist() == pytest.approx([value])
    assert res.runs["tool_version"].item() == version.removeprefix("fio-")


def test_repeated_keys_nan_and_the_other_spelling_of_the_version():
    text = json.dumps(old("fio-2.1.4"), indent=2)
    text = text.replace('"50.000000": 4,', '"50.000000": 4, "0.00": 0, "0.00": 0,')
    text = text.replace('"iops": 25.0', '"iops": 25.0, "bw_agg": -nan')
    res = ft.reads(text.replace("fio version", "fioversion"))
    assert res.runs["tool_version"].item() == "2.1.4"
    assert res.percentiles["percentile"].tolist() == [50.0, 99.0]  # the others are free slots
    assert not telling(res, "keys that occur twice")


def test_the_keys_decide_the_units_without_a_version():
    value = old("")
    before = reads(value)
    assert before.io["io_bytes"].item() == 1000 * 1024
    del value["fio version"]
    part = value["jobs"][0]["read"]
    part["lat_ns"], part["clat_ns"] = part.pop("lat"), part.pop("clat")
    after = reads(value)
    assert after.io[["io_bytes", "clat_mean_ns"]].to_numpy().tolist() == [[1000, 4.0]]
    for res in (before, after):
        assert res.runs["tool_version"].isna().all()
        assert telling(res, "fio's version")
    # 2 us begins where the nanoseconds end
    value = old("fio-2.99", {"latency_ns": {"2": 0.0}})
    assert reads(value).bins["bin_lo_ns"].tolist() == [1000.0, 4000.0]


def test_bins_before_3_0_are_numbered():
    # stat.c of 2.17: all 1216 bins by their numbers, and the constants of the scale
    bins = {str(index): 0 for index in range(1216)} | {"127": 1, "200": 6, "1215": 1}
    bins |= {"FIO_IO_U_PLAT_BITS": 6, "FIO_IO_U_PLAT_VAL": 64, "FIO_IO_U_PLAT_NR": 1216}
    value = old("fio-2.17", total_ios=8, runtime=320)
    value["jobs"][0]["read"]["clat"]["bins"] = bins
    # 200 = 3 * 64 + 8: 4 us wide from (64 + 8) * 4; the last is 63 of 64 in the octave of 2^23 us
    assert cells(reads(value).bins[["bin_lo_ns", "bin_hi_ns", "count"]]) == [
        [127_000, 128_000, 1],
        [288_000, 292_000, 6],
        [127 * 2**17 * 1000, math.inf, 1],
    ]


@pytest.mark.parametrize(
    ("options", "direction", "expected"),
    [
        ({"bs": "4k,8k"}, "read", 4096),
        ({"bs": "4k,8k"}, "trim", 8192),
        ({"bs": "8k,32k,"}, "trim", None),
        ({"bs": "4k,8k"}, "mixed", None),
        ({"bs": "4k", "bssplit": "4k/50:8k/50"}, "read", None),
        ({"bs": "4k"}, "sync", None),
        ({"rw": "randread"}, "read", None),
    ],
)
def test_block_size_needs_a_single_size(options, direction, expected):
    part = {"io_bytes": 40960, "total_ios": 10, "runtime": 100, "lat_ns": {"mean": 5.0, "N": 10}}
    job = {"jobname": "a", "job options": options, direction: part}
    res = reads({"fio version": "fio-3.33", "jobs": [job]})
    assert cells(res.io[["direction", "bs_bytes"]]) == [[direction, expected]]


def test_values_without_a_column_are_extras_in_the_order_of_the_file():
    more = {"zone_resets": 2, "new": {"a": [1, 2]}, "latency_depth": 8, "latency_window_us": 7}
    value = old("fio-3.17", more, cachehit=12.5, clat_high_prio={"N": 3, "mean": 5.0})
    found = extras(reads(value))
    assert found["read.cachehit"] == "12.5"
    assert json.loads(found["read.clat_high_prio"])["N"] == 3
    assert found[[*more]].tolist() == ["2", '{"a":[1,2]}', "8", "7"]
    assert [path for path in found.index if path in more] == [*more]


# --- numbers that fio does not write ------------------------------------------------------------


def text_with(**changes):
    """The text of a document of one reading job, with some values changed."""
    value = document("normal-json.txt")
    idle = ("io_bytes", "total_ios", "iops", "bw", "bw_bytes", "io_kbytes")
    value["jobs"][0]["write"] |= dict.fromkeys(idle, 0)
    value["jobs"][0]["read"].update(changes)
    return json.dumps(value, indent=2)


NOT_FIOS = "which is not what fio writes: left out"
NAN = "1 numbers of the document are nan or inf: left out"


@pytest.mark.parametrize(
    ("key", "value", "column", "note"),
    [
        ("total_ios", "0.5", "total_ios", NOT_FIOS),
        ("total_ios", str(2**63), "total_ios", NOT_FIOS),
        ("iops", "true", "iops", NOT_FIOS),
        ("io_bytes", "null", "io_bytes", "1 values are null, which fio does not write: left out"),
        ("bw_agg", "nan", "bw_agg_pct", NAN),
        ("bw_agg", "-inf", "bw_agg_pct", NAN),
        ("bw_agg", "-nan(ind)", "bw_agg_pct", NAN),
    ],
)
def test_a_value_that_fio_does_not_write_is_left_out_with_a_note(key, value, column, note):
    name = r"of: nan, \\\"inf\\\", [-nan]"
    text = text_with(**{key: "@"}).replace('"mix"', f'"{name}"')
    res = ft.reads(text.replace('"@"', value))
    assert res.io[column].isna().tolist() == [True]  # and the row is kept
    assert res.io["job"].item() == json.loads(f'"{name}"')
    assert any(note in told for told in warnings(res))
    assert not telling(res, "did no I/O")


def test_quoted_numbers_are_numbers():
    value = old("fio-3.1")
    whole = reads(value)
    value["jobs"][0] |= {"error": "0", "latency_us": {"2": "10.0", "10": "90.0"}}
    value["jobs"][0]["read"] |= {"io_bytes": "1000", "iops": "25.0", "total_ios": "250"}
    value["jobs"][0]["read"]["lat"]["mean"] = "4.5e0"
    res = reads(value)
    assert res.runs["status"].item() == "ok"
    assert res.io.equals(whole.io)
    assert res.bins.equals(whole.bins)
    assert telling(res, "7 numbers of the document are texts: read as numbers")


def test_a_rate_needs_a_run_time():
    row = reads(old("fio-3.33", runtime=0, iops=0.0, bw=0, bw_bytes=0)).io.iloc[0]
    assert row[["runtime_s", "iops", "bw_bytes_per_s"]].isna().all()
    assert row["total_ios"] == 250


def test_large_numbers_stay_exact():
    many = 2**60 + 1
    value = old("fio-3.33", {"jobname": "@"}, io_bytes=many, io_kbytes=many >> 10)
    assert reads(value).io["io_bytes"].item() == many
    # Python refuses so many digits; half a character is replaced
    text = json.dumps(value).replace(": 250,", f": {'9' * 5000},").replace("@", r"a \ud800 b")
    row = ft.reads(text).io.iloc[0]
    assert row[["io_bytes", "job"]].tolist() == [many, "a \ufffd b"]
    assert pd.isna(row["total_ios"])


def test_an_integer_too_great_for_its_unit_is_left_out_alone():
    whole = json.loads(WHOLE)
    whole["disk_util"] = [{"name": "sda", "read_ios": 7, "read_sectors": 2**60}]
    results = ft.reads(f"{WHOLE}\n{json.dumps(whole, indent=2)}", name="x.json")
    disks = results.disks[results.disks["run"] == 2]
    assert cells(disks[["read_ios", "read_sectors_bytes"]]) == [[7, None]]
    [note] = results.notes[results.notes["code"] == "left out"].to_dict("records")
    assert "read_sectors_bytes is 590295810358705651712" in note["message"]
    assert note["run"] == 2
    assert note["line"] == WHOLE.count("\n") + 2


def test_a_number_that_occurs_twice_with_different_values_is_missing():
    text, read = text_with(), document("normal-json.txt")["jobs"][0]["read"]
    printed = f'"iops": {json.dumps(read["iops"])},'
    same = ft.reads(text.replace(printed, printed * 2))
    assert same.notes.empty
    assert same.io["iops"].tolist() == ft.reads(text).io["iops"].tolist()
    res = ft.reads(text.replace(printed, f'{printed} "iops": 7.5, "IOPS": 8.5,'))
    assert res.io["iops"].isna().tolist() == [True]
    assert res.io["total_ios"].tolist() == [read["total_ios"]]
    assert warnings(res) == [
        "keys that occur twice with different values: iops; the right one is unknown:"
        " those that differ are left out"
    ]
    # of a direction that occurs twice what both have is kept
    other = f'"read": {json.dumps(read | {"io_bytes": 1})}, "write": {{'
    res = ft.reads(text.replace('"write": {', other, 1))
    assert res.io["io_bytes"].isna().tolist() == [True]
    assert res.io["total_ios"].tolist() == [read["total_ios"]]
    assert telling(res, "keys that occur twice")


def test_the_last_value_of_a_repeated_option_counts():
    options = '"job options": {"iodepth": "4", "iodepth": "8",'
    res = ft.reads(text_with().replace('"job options": {', options))
    assert res.io["iodepth"].tolist() == [8]
    [note] = res.notes["message"]
    assert note.startswith("keys that occur twice with different values: iodepth; the last")


NOTHING = {"io_bytes": 0, "iops": 0.0}


@pytest.mark.parametrize(
    ("parts", "is_idle"),
    [
        ({"read": NOTHING}, False),  # and nothing of writes
        ({"read": {}, "write": {}}, False),
        ({"read": {"io_bytes": None, "iops": None, "runtime": 5}, "write": NOTHING}, False),
        ({"read": NOTHING, "write": NOTHING}, True),
        ({"mixed": NOTHING}, True),
    ],
)
def test_only_zeros_say_that_nothing_was_done(parts, is_idle):
    jobs = [{"jobname": "a", "error": 0, **parts}]
    jobs += [{"jobname": "b", "write": {"io_bytes": 4096, "iops": 5}}]
    res = reads({"fio version": "fio-3.36", "jobs": jobs})
    assert bool(telling(res, "job 'a' did no I/O")) == is_idle
    assert bool(telling(res, "job 'a' does not say its I/O")) != is_idle


CLAT = document("normal-json.txt")["jobs"][0]["read"]["clat_ns"]


@pytest.mark.parametrize(
    ("latency", "message"),
    [
        ({"max": 9_200_000_000_000_000_000}, "the longest clat is longer than the run"),
        ({"N": 7}, "clat covers 7 I/Os, but total_ios is"),
        ({"N": 10**6}, "clat covers 1000000 I/Os, but total_ios is"),
    ],
)
def test_impossible_latencies_are_noted(latency, message):
    [told] = warnings(ft.reads(text_with(clat_ns=CLAT | latency)))
    assert message in told


def test_latencies_may_include_ios_in_flight():
    value = json.loads(text_with())
    value["jobs"][0]["job options"]["iodepth"] = "256"
    read = value["jobs"][0]["read"]
    for flying, is_noted in ((256, False), (257, True)):
        read["clat_ns"]["N"] = read["total_ios"] + flying
        assert reads(value).notes.empty != is_noted


OTHERS = {"text": "x", "null": None, "items": [{"a": 1}, None]}
# what is kept as it stands, or says itself what it is
KEPT = {"time", "desc", "iodepth_level", "iodepth_submit", "iodepth_complete"}
KEPT |= {f"latency_{name}" for name in ("depth", "target", "percentile", "window")}
COLUMNS = {"jobname": "job", "groupid": "group"}


def nodes(value, path=()):
    """Yield the place of each value in a document."""
    for key, one in value.items() if isinstance(value, dict) else enumerate(value):
        yield *path, key
        if isinstance(one, dict | list):
            yield from nodes(one, (*path, key))


def replaced(path, value):
    """Return the document with another value in one place, and the value that was there."""
    document = at = json.loads(WHOLE)
    *above, last = path
    for key in above:
        at = at[key]
    was, at[last] = at[last], value
    return document, was


def numbers(results):
    return {
        (name, at, column): value
        for name in ("jobs", "io", "percentiles", "bins", "disks")
        for at, row in enumerate(getattr(results, name).iter_rows(named=True))
        for column, value in row.items()
        if not isinstance(value, str)
    }


@pytest.mark.parametrize("other", OTHERS)
def test_a_value_of_another_shape_is_named(other):
    whole, checked = numbers(ft.reads(WHOLE, name="x.json", frames="polars")), 0
    for path in nodes(json.loads(WHOLE)):
        if "write" in path[:-1]:  # as in read
            continue
        document, was = replaced(path, OTHERS[other])
        if KEPT.intersection(path) or (isinstance(was, str) and other == "text"):
            continue
        try:
            results = reads(document, frames="polars")
        except FileError:
            continue
        if numbers(results) != whole:
            checked += 1
            told = " ".join(results.notes.filter(severity="warning")["message"])
            key = next(str(key) for key in reversed(path) if isinstance(key, str))
            assert COLUMNS.get(key, key) in told, path
    assert checked > 80


def test_a_kind_is_named_once():
    document = json.loads(WHOLE)
    for part in (document["jobs"][0][one] for one in ("read", "write")):
        part |= {"clat_ns": "?", "iops": [1], "bw_min": None, "bw_max": None}
    document["disk_util"] = {}
    told = warnings(reads(document))
    assert len(told) == 4
    for words in ("clat_ns", "iops is", "4 values are null", "disk_util is {}"):
        assert len([one for one in told if words in one]) == 1


@pytest.mark.parametrize("lost", ["--name=plain --rw=randrw", None, ["rw"]])
def test_no_default_is_claimed_if_options_could_not_be_read(lost):
    document = json.loads(WHOLE)
    document["global options"] = {"directory": "d"}
    del document["jobs"][0]["job options"]["bs"]
    assert "default" in set(reads(document).settings["origin"])
    document["jobs"][0]["job options"] = lost
    assert reads(document).settings["option"].tolist() == ["directory"]


# --- the two ways of reading a document ---------------------------------------------------------


@pytest.mark.parametrize("case", DOCUMENTS)
def test_decoded_and_repaired_documents_give_the_same_rows(case, monkeypatch):
    text = text_of(case)
    parts = [text[piece.start : piece.end] for piece in fio_documents.pieces(text)]
    is_odd = case == "no-io.json"  # without I/O fio 3.33 repeats keys
    assert all((schema.decoded(part.encode()) is None) == is_odd for part in parts)
    decoded = ft.read(fixture(case)).to_polars()
    for module in (fio_documents, fio_json):
        monkeypatch.setattr(module, "decoded", lambda data: None)
    repaired = ft.read(fixture(case)).to_polars()
    assert decoded.keys() == repaired.keys()
    for table, frame in decoded.items():
        assert frame.equals(repaired[table]), table


# --- documents in other forms -------------------------------------------------------------------


def same_io(results, whole):
    return results.io.drop(columns="source").equals(whole.io.drop(columns="source"))


@pytest.mark.parametrize(
    ("text", "case"),
    [
        (json.dumps(documents(text_of("status-interval.json"))), "status-interval.json"),
        # fio inside the document of another program
        (json.dumps({"host": "a", "took": 3, "fio": json.loads(CLONES)}), "clones.json"),
    ],
)
def test_another_layout_makes_no_difference(text, case):
    whole, res = ft.read(fixture(case)), ft.reads(text)
    assert same_io(res, whole)
    assert res.samples["value"].tolist() == whole.samples["value"].tolist()


@pytest.mark.parametrize("case", ["steadystate.txt", "jsonplus-libaio.json"])
def test_integers_that_became_floats(case):
    """As programs write them that know no integers."""
    found = json.dumps(documents(text_of(case)))
    whole, changed = (reads(json.loads(found, parse_int=kind)).to_polars() for kind in (int, float))
    for table in whole:
        if table != "extras":  # 100.0 becomes 100
            assert whole[table].equals(changed[table]), table
    assert case != "steadystate.txt" or whole["samples"].height > 0


JOBS = json.loads(CLONES)["jobs"]
EXCERPTS = [{key: job[key] for key in ("jobname", "read", "write")} for job in JOBS]
# as jq prints the jobs of a document
ALONE = {
    ".jobs": json.dumps(JOBS, indent=2),
    ".jobs[]": "\n".join(json.dumps(job, indent=2) for job in JOBS) + "\n",
    "-s .jobs": json.dumps([JOBS]),
    "{jobs}": json.dumps({"jobs": JOBS}),
    "-c {jobname, read, write}[]": "\n".join(map(json.dumps, EXCERPTS)),
}


@pytest.mark.parametrize("form", ALONE)
def test_jobs_without_their_document(form):
    results, whole = ft.reads(ALONE[form], name="x.json"), ft.reads(CLONES)
    assert results.io["iops"].tolist() == whole.io["iops"].tolist()
    assert results.io["lat_mean_ns"].tolist() == whole.io["lat_mean_ns"].tolist()
    assert results.runs["tool_version"].isna().all()
    assert "default" not in set(results.settings["origin"])  # options of all jobs are missing
    assert any("only the jobs of a document" in one for one in warnings(results))
    if "{jobname" not in form:  # which have no clock
        assert len(results.runs) == 1
        assert bool(telling(results, "read as one run")) == form.endswith("[]")


def test_jobs_of_several_documents():
    first, other = (document(f"sweep-{number}.json")["jobs"] for number in (1, 2))
    both = ft.reads("\n".join(json.dumps(jobs) for jobs in (first, other)), name="x.json")
    assert both.io["run"].tolist() == [1, 2]
    first[0]["elapsed"] += 1  # one document has one clock
    apart = "\n".join(json.dumps(jobs[0], indent=2) for jobs in (first, other))
    assert ft.reads(apart, name="x.json").io["run"].tolist() == [1, 2]
    sent = reads(document("client.json")["client_stats"])
    assert sent.io["iops"].tolist() == ft.read(fixture("client.json")).io["iops"].tolist()


def test_jobs_by_their_names():
    value = json.loads(WHOLE)
    [job] = value["jobs"]
    del job["jobname"]
    named = {**job, "jobname": "plain"}
    for jobs in ({"plain": job}, {"plain": named}, named):
        results = reads({**value, "jobs": jobs})
        assert same_io(results, ft.reads(WHOLE))
        assert len(telling(results, "jobs is an object")) == 1


@pytest.mark.parametrize("amounts", [{"iops": 512, "bw_bytes": 2097152}, {}])
def test_percentiles_of_a_latency_that_holds_nothing_else(amounts):
    points = {"50.000000": 900000, "99.000000": 4100000}
    job = {"jobname": "a", "error": 0, "read": {**amounts, "clat_ns": {"percentile": points}}}
    results = reads({"fio version": "fio-3.42", "jobs": [job]})
    assert results.percentiles["value_ns"].tolist() == [*points.values()]
    assert not telling(results, "did no I/O")


def converted(value, depth, below="", *, counted=False):
    """Convert as PowerShell's ConvertTo-Json: what lies below the depth becomes a text."""
    if not isinstance(value, dict | list):
        return value
    if depth < 0:
        return below
    if isinstance(value, list):
        listed = [converted(one, depth - 1, below, counted=counted) for one in value]
        return {"value": listed, "Count": len(listed)} if counted else listed
    return {key: converted(one, depth - 1, below, counted=counted) for key, one in value.items()}


@pytest.mark.parametrize("below", ["@{jobname=plain; groupid=0}", "System.Collections.Hashtable"])
@pytest.mark.parametrize("depth", [1, 2])
def test_without_the_directions_nothing_is_read(depth, below):
    with pytest.raises(ParseError, match=r"no I/O can be read: .*-Depth 100"):
        reads(converted(json.loads(WHOLE), depth, below))


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize(("depth", "lost"), [(3, "clat_ns"), (4, "percentile")])
def test_what_lies_below_the_depth_is_named_with_its_remedy(depth, lost, counted):
    whole = ft.reads(WHOLE, name="x.json")
    results = reads(converted(json.loads(WHOLE), depth, "@{N=994}", counted=counted))
    assert results.io["io_bytes"].equals(whole.io["io_bytes"])
    [note] = warnings(results)
    assert lost in note
    assert note.endswith("give it -Depth 100")
    deep = reads(converted(json.loads(WHOLE), 100, counted=counted))
    assert deep.io.equals(whole.io)
    assert deep.percentiles.equals(whole.percentiles)


# --- what is not a whole document ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1}', "its top-level keys are a;"),
        ('[{"a": 1, "b": 2}, 3]', "a list of 2, and the keys of the first are a, b;"),
        ("[1, 2]", "a list of 2, without keys;"),
        ("{", "unknown format"),
    ],
)
def test_other_json_is_not_claimed(text, said):
    with pytest.raises(UnknownFormatError, match=said):
        ft.reads(text)


def test_a_truncated_document_is_left_out_and_complete_ones_are_kept():
    text = text_of("status-interval.json")
    cut = text[: text.rindex('"jobname"')]
    res = ft.reads(cut)
    assert res.runs["status"].tolist() == ["truncated"]
    assert res.samples["time_s"].nunique() == 3
    note = res.notes[res.notes["severity"] == "warning"].iloc[1]
    assert "incomplete" in note["message"]
    assert cut.split("\n")[note["line"] - 1].strip() == "{"
    with pytest.raises(ParseError, match=r"<text>:\d+: no complete JSON .*fio was killed, or the"):
        ft.reads(WHOLE[:5000])


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        ('"', "\u201d", "typographic quotation marks"),
        ("0.", "0,", "decimal commas"),
    ],
)
def test_the_error_names_what_broke_a_document(old, new, cause):
    text = '{"fio version": "fio-3.33", "jobs": [{"jobname": "a", "usr_cpu": 0.5, "ctx": 5}]}\n'
    at = text.index('"jobname')
    with pytest.raises(ft.FileError, match=cause):
        ft.reads(text[:at] + text[at:].replace(old, new))


def line_of(text, words):
    return text[: text.index(words)].count("\n") + 1


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"ctx" : ', '...\n      "ctx" : ', "...\n"),
        ('"majf" : 0,', '"majf" : 0, // none', "// none"),
        ('"majf" : 0,', '"majf" : 0', '"minf" :'),
        ('"majf" : 0,', "'majf' : 0,", "'majf'"),
        ("\n}\n", ",\n}\n", ",\n}\n"),
    ],
)
def test_the_line_that_is_not_a_json_is_named(old, new, words):
    text = new.join(WHOLE.rsplit(old, 1)) if old == "\n}\n" else WHOLE.replace(old, new, 1)
    assert text != WHOLE
    with pytest.raises(ParseError, match=r"this line is not JSON.*edited") as caught:
        ft.reads(text, name="x.json")
    assert caught.value.line == line_of(text, words)
    assert "killed" not in str(caught.value)


def test_an_edited_document_beside_others_is_a_note():
    text = WHOLE + WHOLE.replace('"majf" : 0,', '"majf" : 0, // none', 1)
    for above, name in (("", "x.json"), ("Here it is:\n\n```\n", "x.md")):
        results = ft.reads(f"{above}{text}```\n" if above else text, name=name)
        assert len(results.runs) == 1
        [note] = results.notes[results.notes["code"] == "incomplete"].to_dict("records")
        assert note["line"] == line_of(above + text, "// none")


@pytest.mark.parametrize("end", ["", "]" * 100_000 + "}"])
def test_too_deep_nesting_is_an_error(end):
    deep = '{"fio version": "fio-3.33", "jobs": ' + "[" * 100_000 + end
    with pytest.raises(ParseError):
        ft.reads(deep)
    assert ft.reads(CLONES + deep).runs["status"].tolist() == ["truncated"]
    nested = json.loads(CLONES)
    nested["jobs"][0]["read"]["odd"] = json.loads("[" * 500 + "]" * 500)
    assert len(reads(nested).io) == 2


def test_many_beginnings_take_linear_time():
    with pytest.raises(ParseError):  # with the square of their number, this took minutes
        ft.reads('{"fio version":' * 20_000)
