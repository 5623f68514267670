"""fio_json: documents, units by version, and what is no report."""

import json
import math
import re
from pathlib import Path

import pytest

import fiotools as ft
from fiotools.errors import ParseError, UnknownFormatError
from fiotools.readers.fio import bins as fio_bins
from fiotools.readers.fio import options as fio_options
from fiotools.readers.fio.documents import pieces
from tests.fio_forms import documents

FIXTURES = Path(__file__).parents[1] / "fixtures" / "fio"


def fixture(case):
    return FIXTURES / f"fio-3.33--{case}"


def document(case):
    return documents(fixture(case).read_text(encoding="utf-8"))[0]


def reads(value):
    return ft.reads(value if isinstance(value, str) else json.dumps(value, indent=2))


def test_one_row_per_entry_and_direction_with_io():
    res = ft.read(fixture("normal-json.txt"))
    assert res.runs["tool_version"].item() == "3.33"
    assert str(res.runs["reported_at"].item()).startswith("2026-11-21 02:23:")
    assert res.io["direction"].tolist() == ["read", "write"]
    row = res.io.iloc[0]
    part = document("normal-json.txt")["jobs"][0]["read"]
    assert row["io_bytes"] == part["io_bytes"]
    assert row["bw_bytes_per_s"] == part["bw_bytes"]
    assert row["iops"] == pytest.approx(part["iops"], abs=1e-6)
    assert row["clat_mean_ns"] == part["clat_ns"]["mean"]
    assert row["bw_mean_bytes_per_s"] == pytest.approx(part["bw_mean"] * 1024)
    assert row["bw_stddev_bytes_per_s"] == pytest.approx(part["bw_dev"] * 1024)
    assert math.isnan(row["slat_mean_ns"])  # psync has no submission latency: N is 0
    conditions = row[["rw", "bs_bytes", "ioengine", "rwmixread_pct", "size_bytes"]].tolist()
    assert conditions == ["randrw", 4096, "psync", 70.0, 4 << 20]
    assert ft.read(fixture("normal-json.txt")).io["iodepth"].isna().all()  # it was not given


def test_settings_list_defaults_with_their_origin():
    settings = ft.read(fixture("normal-json.txt")).settings.set_index("option")
    assert settings.loc["iodepth", ["text", "origin"]].tolist() == ["1", "default"]
    assert settings.loc["rwmixread", ["text", "origin"]].tolist() == ["70", "given"]
    assert settings.loc["direct", "origin"] == "default"
    shared = ft.read(fixture("stonewall.txt")).settings.query("origin == 'global'")
    assert shared["entry"].isna().all()
    assert set(shared["option"]) == {"filename", "size", "bs", "ioengine"}


def test_clones_are_jobs_and_their_sum_is_a_group():
    clones = ft.read(fixture("clones.json")).io
    assert clones[["entry", "job", "clones", "numjobs"]].to_numpy().tolist() == [
        [1, "clones", 1, 2],
        [2, "clones", 1, 2],
    ]
    group = ft.read(fixture("group.txt")).io
    assert group[["entry", "clones", "numjobs"]].to_numpy().tolist() == [[1, 2, 2]]


def test_a_group_of_unlike_jobs_does_not_get_the_last_jobs_conditions():
    res = ft.read(fixture("group-unlike.txt"))
    assert len(res.io) == 2
    assert res.io[["rw", "bs_bytes", "clones"]].isna().all().all()
    assert res.io["ioengine"].tolist() == ["psync", "psync"]
    assert "unlike jobs" in res.notes["message"].str.cat()


def test_phases_have_groups():
    io = ft.read(fixture("stonewall.txt")).io
    assert io[["group", "job", "direction", "bs_bytes"]].to_numpy().tolist() == [
        [0, "fill", "write", 8192],
        [1, "read", "read", 8192],
        [2, "both", "read", 8192],
        [2, "both", "write", 8192],
    ]


def test_cumulative_documents_are_one_run_and_its_samples():
    res = ft.read(fixture("status-interval.json"))
    found = documents(fixture("status-interval.json").read_text(encoding="utf-8"))
    assert len(found) == 4
    last = found[-1]["jobs"][0]["read"]
    assert len(res.runs) == 1
    assert res.io["total_ios"].tolist() == [last["total_ios"]]
    done = res.samples[res.samples["quantity"] == "total_ios"].sort_values("time_s")
    assert len(done) == 4
    assert done["value"].is_monotonic_increasing
    assert done["value"].iloc[-1] == last["total_ios"]
    assert "cumulative" in res.notes["message"].item()
    assert res.notes["severity"].item() == "warning"


def test_appended_runs_are_several_runs():
    res = ft.read(fixture("appended.json"))
    assert len(res.runs) == 2
    assert res.io["run"].tolist() == [1, 2]
    assert res.samples.empty
    assert res.notes.empty


def test_a_list_of_documents_reads_like_the_documents():
    found = documents(fixture("status-interval.json").read_text())
    one, other = reads(found), ft.read(fixture("status-interval.json"))
    assert one.io.drop(columns="source").equals(other.io.drop(columns="source"))
    assert one.samples["value"].tolist() == other.samples["value"].tolist()


def test_one_line_reads_like_many():
    value = document("clones.json")
    one, other = reads(json.dumps(value)), reads(value)
    assert one.io.equals(other.io)


def test_a_truncated_document_is_left_out_and_complete_ones_are_kept():
    text = fixture("status-interval.json").read_text(encoding="utf-8")
    cut = text[: text.rindex('"jobname"')]
    res = reads(cut)
    assert res.runs["status"].tolist() == ["truncated"]
    assert res.samples["time_s"].nunique() == 3
    note = res.notes[res.notes["severity"] == "warning"].iloc[1]
    assert "incomplete" in note["message"]
    assert cut.split("\n")[note["line"] - 1].strip() == "{"


def test_every_truncation_of_a_lone_document_is_a_parse_error_with_its_line():
    text = json.dumps(document("no-io.json"), indent=2)
    for end in range(40, len(text) - 1, 97):
        with pytest.raises(ParseError, match=r"<text>:\d+: no complete JSON document of fio"):
            reads(text[:end])


@pytest.mark.parametrize("text", ['{"a": 1}', "[1, 2]", '{"results": [{"command": "x"}]}', "{"])
def test_other_json_is_not_claimed(text):
    with pytest.raises(UnknownFormatError):
        ft.reads(text)


def test_text_around_the_json_is_kept_with_its_line():
    res = ft.read(fixture("enospc.json"))
    assert res.runs["status"].item() == "error"
    assert res.io.empty
    assert res.jobs["error"].item() == 28
    warning = res.notes.iloc[-1]
    assert (warning["line"], warning["severity"]) == (2, "warning")
    assert "No space left" in warning["message"]
    assert ft.read(fixture("sigint.json")).runs["status"].item() == "interrupted"


def test_no_io_is_a_run_and_a_note():
    res = ft.read(fixture("no-io.json"))
    assert (len(res.runs), len(res.jobs), len(res.io)) == (1, 1, 0)
    assert "did no I/O" in res.notes["message"].str.cat() or res.jobs["error"].item()


def test_the_text_copy_is_a_note():
    notes = ft.read(fixture("normal-json.txt")).notes
    text = fixture("normal-json.txt").read_text(encoding="utf-8").split("\n")
    note = notes[notes["message"].str.contains("left out")].iloc[0]
    assert "(groupid=0" in text[note["line"] - 1]


def test_zero_that_means_not_measured_is_missing():
    io = ft.read(fixture("gtod-reduce.txt")).io
    latencies = [name for name in io if name.endswith("_ns")]
    assert io[latencies].isna().all().all()
    assert io["iops"].notna().all()


def test_sync_has_latency_and_count_only():
    io = ft.read(fixture("fsync.txt")).io.set_index("direction")
    assert io.loc["sync", "total_ios"] == document("fsync.txt")["jobs"][0]["sync"]["total_ios"]
    assert io.loc["sync", ["io_bytes", "iops", "bs_bytes"]].isna().all()
    assert io.loc["sync", "lat_mean_ns"] > 0


def test_fdatasync_counts_where_it_was_timed():
    """Fio counts it as short reads, and none of it as syncs."""
    whole = document("fdatasync.txt")
    [job] = whole["jobs"]
    assert (job["sync"]["total_ios"], job["read"]["short_ios"]) == (0, 199)
    res = ft.read(fixture("fdatasync.txt"))
    io = res.io.set_index("direction")
    assert io.index.tolist() == ["write", "sync"]
    assert io.loc["sync", "total_ios"] == 199
    assert io.loc["sync", "lat_mean_ns"] == job["sync"]["lat_ns"]["mean"]
    percentiles = res.percentiles.query("direction == 'sync'").set_index("percentile")["value_ns"]
    assert percentiles[99.0] == job["sync"]["lat_ns"]["percentile"]["99.000000"]
    # sync_file_range is counted as short writes
    job["write"]["short_ios"], job["read"]["short_ios"] = 199, 0
    res = reads(whole)
    assert res.io["short_ios"].isna().all()
    assert "short_ios may be syncs" in res.notes["message"].str.cat()
    # before 3.19 there is no count of timed syncs
    del job["sync"]["lat_ns"]["N"]
    assert reads(whole).io.set_index("direction")["total_ios"].isna().tolist() == [False, True]


def test_the_processors_time_for_each_io():
    results = ft.read(fixture("libaio.json"))
    [job] = results.jobs.to_dict("records")
    busy = (job["usr_cpu_pct"] + job["sys_cpu_pct"]) / 100 * job["job_runtime_s"]
    assert job["cpu_per_io_s"] == pytest.approx(busy / results.io["total_ios"].sum())
    # of unified reads and writes: once
    both = {"total_ios": 50, "io_bytes": 50 * 4096, "runtime": 1000, "iops": 50.0}
    job = {"jobname": "a", "usr_cpu": 1.0, "sys_cpu": 4.0, "job_runtime": 1000, "mixed": both}
    for parts in ({}, {"read": {**both, "total_ios": 30}, "write": {**both, "total_ios": 20}}):
        text = json.dumps({"fio version": "fio-3.33", "jobs": [{**job, **parts}]})
        assert ft.reads(text).jobs["cpu_per_io_s"].tolist() == [0.001]
    for own in (
        {"usr_cpu": 0, "sys_cpu": 0},
        {"job_runtime": None},
        {"mixed": {**both, "total_ios": 0}},
    ):
        text = json.dumps({"fio version": "fio-3.33", "jobs": [{**job, **own}]})
        assert ft.reads(text).jobs["cpu_per_io_s"].isna().all()


def test_mixed_is_kept_beside_its_parts_or_stands_alone():
    assert ft.read(fixture("unified-mixed.txt")).io["direction"].tolist() == ["mixed"]
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


def test_clients_and_their_total():
    res = ft.read(fixture("client.json"))
    assert res.io["port"].tolist() == [8771, 8771, 8772, 8772]
    assert "All clients" not in {*res.io["job"], *res.jobs["job"], *res.bins["job"]}
    sums(res)


def sums(res, *, rates=1e-2):
    """Rows of clients add up to "All clients", which stands in extras."""
    printed = res.extras[res.extras["path"].str.startswith("All clients.")]
    assert printed["entry"].isna().all()
    printed = printed.set_index("path")["text"]
    of_run = res.io.groupby("direction", observed=True)[["io_bytes", "total_ios", "iops"]].sum()
    assert len(of_run)
    for direction, row in of_run.iterrows():
        said = {name: float(printed[f"All clients.{direction}.{name}"]) for name in of_run}
        assert said == {
            **row[["io_bytes", "total_ios"]].to_dict(),
            "iops": pytest.approx(row["iops"], rel=rates),
        }


CLIENT = {
    "runtime": 1000,
    "io_bytes": 409600,
    "total_ios": 100,
    "iops": 100.0,
    "bw_bytes": 409600,
    "clat_ns": {"min": 1, "max": 9, "mean": 5.0, "stddev": 1.0, "percentile": {"99.000000": 8}},
}


def clients(total):
    """Make a document of two clients, and their total."""
    both = {**CLIENT, "io_bytes": total * 4096, "total_ios": total, "iops": float(total)}
    both["bw_bytes"] = total * 4096
    entries = [
        {"jobname": "a", "hostname": host, "port": port, "groupid": 0, "read": CLIENT}
        for host, port in (("one", 1), ("two", 2))
    ]
    whole = {"jobname": "All clients", "hostname": "two", "port": 2, "groupid": 0, "read": both}
    return json.dumps({"fio version": "fio-3.33", "client_stats": [*entries, whole]})


def test_the_total_of_clients_is_kept_and_compared():
    res = ft.reads(clients(200))
    assert res.io[["entry", "host", "total_ios"]].to_numpy().tolist() == [
        [1, "one", 100],
        [2, "two", 100],
    ]
    sums(res)
    whole = res.percentiles[res.percentiles["job"] == "All clients"]
    assert whole["value_ns"].tolist() == [8.0]
    assert whole[["entry", "host", "port"]].isna().all(axis=None)
    for total, verdict in ((200, "ok"), (201, "suspect")):
        found = ft.check(ft.reads(clients(total))).query("check == 'parts'")
        assert found["verdict"].tolist() == [verdict]
    assert "the clients' io_bytes add up to 819 kB, the total is 823 kB" in found["why"].item()


def test_bins_are_as_exact_as_fios():
    res = ft.read(fixture("jsonplus-libaio.json"))
    assert set(res.bins["latency"]) == {"clat"}
    assert res.bins["pct"].isna().all()  # the coarse distribution would repeat these
    wide = res.bins["bin_lo_ns"] >= 128
    width = (res.bins["bin_hi_ns"] - res.bins["bin_lo_ns"])[wide]
    assert ((width / res.bins["bin_lo_ns"][wide]).between(1 / 128, 1 / 64)).all()
    all_three = ft.read(fixture("normal-jsonplus.txt"))
    assert set(all_three.bins["latency"]) == {"clat", "lat"}
    assert set(all_three.percentiles["latency"]) == {"clat", "lat"}


def test_every_fine_bin_joins_the_next():
    # fio's numbers of bins (plat_idx_to_val): 128 single ones, then 64 per octave
    middles = list(range(128))
    for octave in range(1, 28):
        middles += [(1 << octave + 6) + (2 * k + 1) * (1 << octave) // 2 for k in range(64)]
    assert len(middles) == 1856
    low, high = fio_bins.fine_edges(middles, 1)
    assert low[0] == 0
    assert (high[:-1] == low[1:]).all()
    assert high[-1] == math.inf
    assert fio_bins.fine_edges([127, 130, 131], 1) is None  # 128 to 130 is one bin: 129


def test_a_histogram_with_a_damaged_name_of_a_bin_is_left_out_with_a_note(tmp_path):
    whole = fixture("jsonplus-libaio.json")
    text = Path(whole).read_text()
    name = re.search(r'"bins" : \{\s+"(\d{4,})" : ', text)[1]
    (tmp_path / "run.json").write_text(text.replace(f'"{name}" : ', f'"{int(name) + 1}" : '))
    res = ft.read(tmp_path / "run.json")
    assert len(res.bins) < len(ft.read(whole).bins)
    told = res.notes["message"]
    assert told.str.contains("bins has a bin, which is not what fio writes: left out").sum() == 1


def test_tables_that_were_not_asked_for_are_not_built():
    res = ft.read(fixture("jsonplus-libaio.json"), tables=["io"])
    assert set(res.tables) == {"io", "notes"}


def old(version, **changes):
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
    return {
        "fio version": version,
        "jobs": [
            {
                "jobname": "a b ",
                "groupid": 0,
                "error": 0,
                "read": part,
                "latency_us": {"2": 10.0, "10": 90.0},
                "latency_ms": {"2": 0.0, ">=2000": 0.0},
            }
        ],
    }


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


def test_from_2_21_io_bytes_is_bytes():
    row = reads(old("fio-2.21", io_bytes=1_024_000, io_kbytes=1000)).io.iloc[0]
    assert row["io_bytes"] == 1_024_000


def test_bandwidth_without_bw_bytes_is_recomputed_if_it_agrees():
    row = reads(old("fio-3.1", io_bytes=1_024_999, io_kbytes=1000)).io.iloc[0]
    assert row["bw_bytes_per_s"] == pytest.approx(102_499.9)
    row = reads(old("fio-3.1", io_bytes=2_024_999, io_kbytes=1000)).io.iloc[0]
    assert row["bw_bytes_per_s"] == 102_400


def test_a_rate_that_contradicts_its_counts_is_kept_as_printed():
    assert reads(old("fio-3.1", iops=1000.0)).io["iops"].item() == 1000.0


def test_repeated_keys_nan_and_the_other_spelling_of_the_version():
    text = json.dumps(old("fio-2.1.4"), indent=2)
    text = text.replace('"50.000000": 4,', '"50.000000": 4, "0.00": 0, "0.00": 0,')
    text = text.replace('"iops": 25.0', '"iops": 25.0, "bw_agg": -nan')
    text = text.replace("fio version", "fioversion")
    res = reads(text)
    assert res.runs["tool_version"].item() == "2.1.4"
    assert res.percentiles["percentile"].tolist() == [50.0, 99.0]


@pytest.mark.parametrize(
    ("options", "direction", "expected"),
    [
        ({"bs": "4k"}, "read", 4096),
        ({"bs": "4k,8k"}, "read", 4096),
        ({"bs": "4k,8k"}, "trim", 8192),
        ({"bs": "8k,32k,"}, "trim", None),
        ({"bs": ",8k"}, "read", None),
        ({"bs": "4k,8k"}, "mixed", None),
        ({"bs": "4k", "bssplit": "4k/50:8k/50"}, "read", None),
        ({"bsrange": "4k-8k"}, "read", None),
        ({"bs": "4k"}, "sync", None),
        ({}, "read", None),
    ],
)
def test_block_size_needs_a_single_size(options, direction, expected):
    assert fio_options.block_size(options, direction) == expected


def test_bs_per_direction():
    io = ft.read(fixture("normal-jsonplus.txt")).io.set_index("direction")
    assert io["bs_bytes"].to_dict() == {"read": 4096, "write": 8192}


@pytest.mark.parametrize(
    ("key", "value", "column"),
    [
        ("io_bytes", "many", "io_bytes"),
        ("total_ios", 0.5, "total_ios"),
        ("total_ios", 2**63, "total_ios"),
        ("iops", [1], "iops"),
        ("iops", True, "iops"),
        ("runtime", {}, "runtime_s"),
        ("clat", {"max": "9 us", "mean": 1}, "clat_max_ns"),
    ],
)
def test_a_value_that_fio_does_not_write_is_left_out_with_a_note(key, value, column):
    res = reads(old("fio-3.1", io_kbytes=0, **{key: value}))
    assert res.io[column].isna().all()
    assert res.io["direction"].tolist() == ["read"]
    warnings = res.notes.query("severity == 'warning'")["message"]
    assert warnings.str.contains("which is not what fio writes: left out").any()


def test_quoted_numbers_are_numbers():
    value = old("fio-3.1", io_bytes="1024000", io_kbytes="1000", iops="25.0", total_ios="250")
    value["jobs"][0]["error"] = "0"
    value["jobs"][0]["read"]["lat"]["mean"] = "4.5e0"
    res = reads(value)
    row = res.io.iloc[0]
    assert [row["io_bytes"], row["iops"], row["total_ios"]] == [1024000, 25.0, 250]
    assert row["lat_mean_ns"] == 4500
    assert res.runs["status"].item() == "ok"
    assert "6 numbers of the document are texts: read as numbers" in res.notes["message"].tolist()


@pytest.mark.parametrize("token", ["nan", "-nan", "inf", "-inf", "-nan(ind)"])
@pytest.mark.parametrize("indent", [None, 2])
def test_values_that_are_not_numbers_are_left_out_with_a_note(token, indent):
    value = document("normal-json.txt")
    value["jobs"][0]["jobname"] = r"of: nan, \"inf\", [-nan]"
    value["jobs"][0]["read"]["bw_agg"] = "TOKEN"
    text = json.dumps(value, indent=indent)
    res = ft.reads(text.replace('"TOKEN"', token))
    assert res.runs["status"].tolist() == ["ok"]
    assert res.io["job"].tolist() == [value["jobs"][0]["jobname"]] * 2
    assert math.isnan(res.io["bw_agg_pct"].iloc[0])
    assert "1 numbers of the document are nan or inf: left out" in res.notes["message"].tolist()


def test_many_beginnings_take_linear_time():
    found = pieces('{"fio version":' * 20_000)  # took 6.7 s
    assert len(found) == 20_000
    assert max(piece.end - piece.start for piece in found) <= 15


@pytest.mark.parametrize(
    ("version", "scale"),
    [
        ("fio-1.99.4", 1024),
        ("fio-2.18-59-g618e", 1024),
        ("fio-2.20", 1024),
        ("fio-2.21-1-gabc", 1),
        ("fio-3.0-rc1", 1),
        ("fio-3.6-31-g4386-dirty", 1),
        ("3.33", 1),
    ],
)
def test_a_development_version_decides_units_by_its_number(version, scale):
    res = reads(old(version))
    assert res.io["io_bytes"].item() == 1000 * scale
    assert res.runs["tool_version"].item() == version.removeprefix("fio-")


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
        assert "fio's version" in res.notes["message"].str.cat()


def test_the_keys_identify_nanoseconds():
    value = old("fio-2.99")
    value["jobs"][0]["latency_ns"] = {"2": 0.0}
    # 2 us begins where the nanoseconds end
    assert reads(value).bins["bin_lo_ns"].tolist() == [1000.0, 4000.0]


def test_bins_before_3_0_are_numbered():
    # stat.c of 2.17: all 1216 bins by their numbers, and the constants of the scale
    bins = {str(index): 0 for index in range(1216)}
    bins |= {"5": 3, "127": 1, "128": 2, "200": 1, "1215": 1}
    bins |= {"FIO_IO_U_PLAT_BITS": 6, "FIO_IO_U_PLAT_VAL": 64, "FIO_IO_U_PLAT_NR": 1216}
    value = old("fio-2.17", total_ios=8, runtime=320)
    value["jobs"][0]["read"]["clat"]["bins"] = bins
    res = reads(value)
    # 200 = 3 * 64 + 8: 4 us wide from (64 + 8) * 4; the last is 63 of 64 in the octave of 2^23 us
    edges = res.bins[["bin_lo_ns", "bin_hi_ns", "count"]].to_numpy().tolist()
    assert edges == [
        [5_000, 6_000, 3],
        [127_000, 128_000, 1],
        [128_000, 130_000, 2],
        [288_000, 292_000, 1],
        [127 * 2**17 * 1000, math.inf, 1],
    ]


def test_a_rate_needs_a_run_time():
    row = reads(old("fio-3.33", runtime=0, iops=0.0, bw=0, bw_bytes=0)).io.iloc[0]
    assert row[["runtime_s", "iops", "bw_bytes_per_s"]].isna().all()
    assert row["total_ios"] == 250


def test_large_numbers_stay_exact():
    many = 2**60 + 1
    value = old("fio-3.33", io_bytes=many, io_kbytes=many >> 10, total_ios=2**53 + 1)
    row = reads(value).io.iloc[0]
    assert [row["io_bytes"], row["total_ios"]] == [many, 2**53 + 1]
    text = json.dumps(value).replace(str(2**53 + 1), "9" * 5000)
    res = ft.reads(text)
    assert res.io["total_ios"].isna().all()
    assert res.io["io_bytes"].item() == many


def test_values_without_a_column_are_extras():
    value = old("fio-3.17", cachehit=12.5, clat_high_prio={"N": 3, "mean": 5.0})
    entry = value["jobs"][0]
    entry |= {"latency_depth": 8, "latency_target_ns": 5, "latency_window_us": 7, "zone_resets": 2}
    extras = reads(value).extras.set_index("path")["text"]
    assert extras["read.cachehit"] == "12.5"
    assert json.loads(extras["read.clat_high_prio"])["N"] == 3
    named = ["latency_depth", "latency_target_ns", "latency_window_us", "zone_resets"]
    assert extras[named].tolist() == ["8", "5", "7", "2"]


def test_priorities_are_not_confused_with_the_total():
    res = ft.read(fixture("prio.txt"))
    part = document("prio.txt")["jobs"][0]["read"]
    assert len(res.io) == 1
    assert len(res.percentiles) == len(part["clat_ns"]["percentile"])
    prios = json.loads(res.extras.set_index("path").loc["read.prios", "text"])
    assert [(prio["prioclass"], prio["prio"]) for prio in prios] == [(0, 0), (2, 3)]


def test_the_seconds_of_a_steady_state_are_samples():
    res = ft.read(fixture("steadystate.txt"))
    state = document("steadystate.txt")["jobs"][0]["steadystate"]
    values = res.samples.groupby("quantity")["value"].apply(list).to_dict()
    assert values == {"iops": state["data"]["iops"], "bw_bytes_per_s": state["data"]["bw"]}
    assert res.samples["time_s"].isna().all()
    extras = res.extras.set_index("path")["text"]
    assert extras["steadystate.criterion"] == state["criterion"]
    assert extras["steadystate.attained"] == str(state["attained"])
    # a second that it did not reach has zeros too
    value = document("steadystate.txt")
    value["jobs"][0]["steadystate"]["data"]["iops"][0] = 0
    assert set(reads(value).samples["quantity"]) == {"bw_bytes_per_s"}


def test_a_start_by_another_clock_is_not_a_date():
    value = document("clones.json")
    value["jobs"][0]["job_start"], value["jobs"][1]["job_start"] = 1795227830375, 4_000_000
    res = reads(value)
    assert str(res.jobs["job_start"].iloc[0]).startswith("2026-11-21 02:23:50.375")
    assert res.jobs["job_start"].isna().tolist() == [False, True]
    assert res.extras.query("path == 'job_start'")["text"].tolist() == ["4000000"]


def test_a_job_that_starts_between_two_reports_does_not_separate_them():
    found = documents(fixture("status-interval.json").read_text())
    for number, value in enumerate(found):
        value["jobs"][0]["job_start"] = 0 if number == 0 else 1795227830375
    assert len(reads(found).runs) == 1


def test_edited_documents_can_be_reports_of_one_run():
    found = documents(fixture("status-interval.json").read_text())
    for change in ("many", None, [], 1e300, True):
        found[1]["timestamp_ms"] = found[1]["jobs"][0]["elapsed"] = change
        for key in ("io_bytes", "total_ios", "runtime", "clat_ns"):
            found[2]["jobs"][0]["read"][key] = change
        assert len(reads(found).runs) >= 1


def test_disks_of_clients_name_their_host():
    disks = ft.read(fixture("client.json")).disks
    assert disks["host"].tolist() == ["127.0.0.1"] * 2  # as given to --client
    assert ft.read(fixture("client.txt")).disks["host"].tolist() == ["alpha", "beta"]


def test_a_text_report_of_another_run_is_a_run():
    text = fixture("trim.txt").read_text(encoding="utf-8")
    piece = pieces(text)[0]
    other = text[: piece.start] + text[piece.end :].lstrip("\n")
    res = ft.reads(fixture("normal-json.txt").read_text(encoding="utf-8") + other)
    assert res.runs["format"].tolist() == ["fio_json", "fio_normal"]
    assert res.io["direction"].tolist() == ["read", "write", "trim"]
    assert res.notes["message"].str.contains("lines of text report beside").sum() == 1


def test_the_text_copy_of_damaged_json_is_read():
    text = fixture("normal-json.txt").read_text(encoding="utf-8")
    res = ft.reads(text.replace('"jobs" : [', '"jobs" : [ ...'))
    whole = ft.reads(text)
    assert res.runs["format"].tolist() == ["fio_normal"]
    assert res.io["total_ios"].tolist() == whole.io["total_ios"].tolist()
    assert res.notes["message"].str.contains("incomplete document").sum() == 1


def test_a_torn_report_of_dd_beside_the_json_is_named():
    dd = "8+0 records out\nlogout\n"
    res = ft.reads(fixture("clones.json").read_text(encoding="utf-8") + dd)
    assert "dd" not in set(res.runs["tool"])
    warning = res.notes.query("severity == 'warning'").iloc[0]
    assert "of a report were not read" in warning["message"]
    assert dd.split("\n")[0] in res.notes["message"].tolist()


def test_a_signal_ends_the_run_whose_document_follows():
    one = fixture("clones.json").read_text(encoding="utf-8")
    text = one + "\nfio: terminating on signal 2\n" + one.replace("clones", "second") + one
    res = ft.reads(text)
    assert res.runs["status"].tolist() == ["ok", "interrupted", "ok"]
    said = res.notes["message"].str.contains("terminating on signal")
    assert res.notes.loc[said, "run"].tolist() == [2]


def test_fio_inside_the_document_of_another_program():
    value = {"host": "a", "took": 3, "fio": document("clones.json")}
    res = reads(value)
    assert res.io["job"].tolist() == ["clones", "clones"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_a_file_changed_by_windows(encoding):
    text = fixture("enospc.json").read_text(encoding="utf-8")
    plain = ft.reads(text)
    res = ft.reads(
        ("\ufeff" * (encoding == "utf-16-le") + text).replace("\n", "\r\n").encode(encoding)
    )
    assert res.jobs.equals(plain.jobs)
    assert res.notes["line"].equals(plain.notes["line"])


def test_half_a_character_is_replaced():
    text = json.dumps(old("fio-3.33", io_kbytes=0)).replace("a b ", r"a \ud800 b")
    assert ft.reads(text).io["job"].item() == "a \ufffd b"


@pytest.mark.parametrize("end", ["", "]" * 100_000 + "}"])
def test_too_deep_nesting_is_an_error(end):
    with pytest.raises(ft.FileError):
        ft.reads("[" * 100_000 + end)
    with pytest.raises(ParseError):
        ft.reads('{"fio version": "fio-3.33", "jobs": ' + "[" * 100_000 + end)
    whole = fixture("clones.json").read_text(encoding="utf-8")
    deep = whole + '{"fio version": "fio-3.33", "jobs": ' + "[" * 100_000 + end
    assert ft.reads(deep).runs["status"].tolist() == ["truncated"]
    nested = json.loads(whole)
    nested["jobs"][0]["read"]["odd"] = json.loads("[" * 500 + "]" * 500)
    assert len(reads(nested).io) == 2


def text_of(**changes):
    """The text of a document of one reading job, with some values changed."""
    value = document("normal-json.txt")
    value["jobs"][0]["write"]["io_bytes"] = 0
    for key in ("total_ios", "iops", "bw", "bw_bytes", "io_kbytes"):
        value["jobs"][0]["write"][key] = 0
    value["jobs"][0]["read"].update(changes)
    return json.dumps(value, indent=2)


def test_a_number_that_occurs_twice_with_different_values_is_missing():
    text, figures = text_of(), ("io_bytes", "iops")
    read = document("normal-json.txt")["jobs"][0]["read"]
    printed = {key: f'"{key}": {json.dumps(read[key])},' for key in figures}
    same = ft.reads(text.replace(printed["iops"], printed["iops"] * 2))
    assert same.notes.empty
    assert same.io["iops"].tolist() == ft.reads(text).io["iops"].tolist()
    twice = text.replace(printed["iops"], f'{printed["iops"]} "iops": 7.5, "IOPS": 8.5,')
    res = ft.reads(twice)
    assert res.io["iops"].isna().tolist() == [True]
    assert res.io["total_ios"].tolist() == [read["total_ios"]]
    assert res.notes[["severity", "message"]].to_numpy().tolist() == [
        [
            "warning",
            "keys that occur twice with different values: iops; the right one is unknown:"
            " those that differ are left out",
        ]
    ]


def test_a_direction_that_occurs_twice_keeps_the_common_values():
    text = text_of()
    other = json.loads(text)["jobs"][0]["read"] | {"io_bytes": 1}
    res = ft.reads(text.replace('"write": {', f'"read": {json.dumps(other)}, "write": {{', 1))
    assert res.io["io_bytes"].isna().tolist() == [True]
    assert res.io["total_ios"].tolist() == [other["total_ios"]]
    assert "keys that occur twice" in res.notes["message"].item()


def test_the_last_value_of_a_repeated_option_counts(tmp_path):
    text = text_of().replace('"job options": {', '"job options": {"iodepth": "4", "iodepth": "8",')
    res = ft.reads(text)
    assert res.io["iodepth"].tolist() == [8]
    (note,) = res.notes["message"]
    assert note.startswith("keys that occur twice with different values: iodepth; the last")
    path = tmp_path / "twice.json"
    path.write_text(text, encoding="utf-8")
    assert ft.read(path).notes["message"].tolist() == [note]


@pytest.mark.parametrize(
    ("value", "note"),
    [
        ("null", "1 values are null, which fio does not write: left out (read of 'mix': io"),
        ("{}", "io_bytes is {}, which is not what fio writes: left out"),
        ("NaN", "1 numbers of the document are nan or inf: left out"),
    ],
)
def test_a_row_without_a_number_of_bytes_is_kept(value, note):
    text = text_of(io_bytes="HERE", total_ios=10000).replace('"HERE"', value)
    res = ft.reads(text)
    assert res.io["total_ios"].tolist() == [10000]
    assert res.io["io_bytes"].isna().tolist() == [True]
    assert not res.notes["message"].str.contains("did no I/O").any()
    assert res.notes["message"].str.contains(note, regex=False).any()


def test_a_job_without_io_numbers_is_not_called_idle():
    figures = dict.fromkeys(("io_bytes", "io_kbytes", "total_ios", "iops", "bw", "bw_bytes"))
    res = ft.reads(text_of(**figures))
    assert res.io[["io_bytes", "iops", "bw_bytes_per_s"]].isna().all(axis=None)
    assert res.notes["message"].str.contains("does not say its I/O").any()
    assert not res.notes["message"].str.contains("did no I/O").any()


def test_an_option_of_a_group_of_unlike_jobs_is_listed_once():
    settings = ft.read(fixture("group-unlike.txt")).settings.query("entry == 1")
    assert settings["option"].is_unique
    assert settings.query("option == 'rw'")["origin"].tolist() == ["given"]


@pytest.mark.parametrize(
    ("latency", "message"),
    [
        ({"max": 9_200_000_000_000_000_000}, "the longest clat is longer than the run"),
        ({"N": 7}, "clat covers 7 I/Os, but total_ios is"),
        ({"N": 10**6}, "clat covers 1000000 I/Os, but total_ios is"),
    ],
)
def test_impossible_latencies_are_noted(latency, message):
    clat = document("normal-json.txt")["jobs"][0]["read"]["clat_ns"]
    res = ft.reads(text_of(clat_ns=clat | latency))
    assert res.notes["severity"].tolist() == ["warning"]
    assert message in res.notes["message"].item()


def test_latencies_may_include_ios_in_flight():
    value = json.loads(text_of())
    value["jobs"][0]["job options"]["iodepth"] = "256"
    read = value["jobs"][0]["read"]
    for latency in ("clat_ns", "lat_ns"):
        read[latency]["N"] = read["total_ios"] + 256
    assert reads(value).notes.empty
    for latency in ("clat_ns", "lat_ns"):
        read[latency]["N"] = read["total_ios"] + 257
    assert len(reads(value).notes) == 2


def test_quoted_shares_of_coarse_bins_are_numbers():
    value = json.loads(text_of())
    bins = reads(value).bins
    assert len(bins)
    for key in ("latency_ns", "latency_us", "latency_ms"):
        of = value["jobs"][0][key]
        value["jobs"][0][key] = {name: str(pct) for name, pct in of.items()}
    res = reads(value)
    assert res.bins["pct"].tolist() == bins["pct"].tolist()
    assert "numbers of the document are texts" in res.notes["message"].item()


def test_a_version_that_is_not_a_text_is_named():
    value = document("normal-json.txt") | {"fio version": ["fio-3.33"]}
    results = ft.reads("$ fio x.fio\n" + json.dumps(value, indent=2))
    assert results.runs["tool_version"].isna().all()
    assert results.notes["message"].str.contains("fio version is ['fio-3.33']", regex=False).any()


def test_latencies_with_equally_many_keys_are_distinguished():
    """Percentiles instead of a count: other keys, but equally many."""
    value = document("normal-json.txt")
    (entry,) = value["jobs"]
    counted = {key: entry["read"]["lat_ns"][key] for key in ("min", "max", "mean", "stddev", "N")}
    curve = {key: counted[key] for key in ("min", "max", "mean", "stddev")}
    curve["percentile"] = {"50.000000": 7000}
    pairs = [(counted, curve), (curve, counted), (counted, counted)]
    for one, other in pairs:
        jobs = [
            entry | {"jobname": name, "read": entry["read"] | {"lat_ns": latency}}
            for name, latency in (("a", one), ("b", other))
        ]
        res = reads(value | {"jobs": jobs})
        read = res.io[res.io["direction"] == "read"]
        assert read["lat_mean_ns"].tolist() == [counted["mean"]] * 2
        known = res.percentiles[res.percentiles["latency"] == "lat"]
        assert known["job"].tolist() == [
            name for name, latency in (("a", one), ("b", other)) if "percentile" in latency
        ]


def jobs_alone(case):
    """Return what jq prints of a document's jobs."""
    found = document(case)
    jobs = found["jobs"]
    return {
        ".jobs": json.dumps(jobs, indent=2),
        "-c .jobs": json.dumps(jobs),
        "-S .jobs": json.dumps(jobs, indent=2, sort_keys=True),
        ".jobs[]": "\n".join(json.dumps(job, indent=2) for job in jobs) + "\n",
        "-c .jobs[]": "\n".join(map(json.dumps, jobs)) + "\n",
        "-s .jobs": json.dumps([jobs]),
        "{jobs}": json.dumps({"jobs": jobs}),
    }


@pytest.mark.parametrize("form", jobs_alone("clones.json"))
def test_jobs_without_their_document(form):
    results = ft.reads(jobs_alone("clones.json")[form], name="x.json")
    whole = ft.read(fixture("clones.json"))
    assert results.io["iops"].tolist() == whole.io["iops"].tolist()
    assert results.io["lat_mean_ns"].tolist() == whole.io["lat_mean_ns"].tolist()
    assert len(results.runs) == 1
    assert results.runs["tool_version"].isna().all()
    assert "default" not in set(results.settings["origin"])  # options of all jobs are missing
    messages = results.notes[results.notes["severity"] == "warning"]["message"]
    assert messages.str.contains("only the jobs of a document").any()
    assert messages.str.contains("read as one run").any() == form.endswith("[]")


def test_jobs_of_several_documents():
    first, other = (document(f"sweep-{number}.json")["jobs"] for number in (1, 2))
    both = ft.reads("\n".join(json.dumps(jobs) for jobs in (first, other)), name="x.json")
    assert both.io["run"].tolist() == [1, 2]
    first[0]["elapsed"] += 1  # one document has one clock
    apart = "\n".join(json.dumps(jobs[0], indent=2) for jobs in (first, other))
    assert ft.reads(apart, name="x.json").io["run"].tolist() == [1, 2]


def test_entries_of_clients_without_their_document():
    sent = document("client.json")["client_stats"]
    io = ft.reads(json.dumps(sent), name="x.json").io
    assert io["iops"].tolist() == ft.read(fixture("client.json")).io["iops"].tolist()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1}', "its top-level keys are a;"),
        ('[{"a": 1, "b": 2}, 3]', "a list of 2, and the keys of the first are a, b;"),
        ("[1, 2]", "a list of 2, without keys;"),
    ],
)
def test_what_other_json_holds(text, said):
    with pytest.raises(UnknownFormatError, match=said):
        ft.reads(text)


def as_floats(value):
    """Return a document as programs write it that know no integers."""
    if type(value) is int:
        return float(value)
    if isinstance(value, dict):
        return {key: as_floats(one) for key, one in value.items()}
    return [as_floats(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    "case", ["steadystate.txt", "jsonplus-libaio.json", "clones.json", "status-interval.json"]
)
def test_integers_that_became_floats(case):
    text = fixture(case).read_text(encoding="utf-8")
    found = documents(text)
    whole, changed = (
        ft.reads("\n".join(json.dumps(one, indent=1) for one in each)).to_polars()
        for each in (found, as_floats(found))
    )
    for table in whole:
        if table != "extras":  # 100.0 becomes 100
            assert whole[table].equals(changed[table]), table
    assert case != "steadystate.txt" or whole["samples"].height > 0


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        (
            lambda text: text.replace('"jobname"', "\u201cjobname\u201d"),
            "typographic quotation marks",
        ),
        (lambda text: text.replace("0.", "0,"), "decimal commas"),
        (lambda text: text[: len(text) // 2], "fio was killed, or the file was cut"),
    ],
)
def test_the_error_names_what_broke_a_document(change, cause):
    text = '{"fio version": "fio-3.33", "jobs": [{"jobname": "a", "usr_cpu": 0.5, "ctx": 5}]}\n'
    with pytest.raises(ft.FileError, match=cause):
        ft.reads(change(text))
