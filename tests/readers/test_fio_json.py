"""fio_json: documents, units by version, and what is no report."""

import json
import math
from pathlib import Path

import pytest

import fiotools as ft
from fiotools.errors import ParseError, UnknownFormatError
from fiotools.readers import fio_bins, fio_options
from fiotools.readers.fio_documents import pieces

FIXTURES = Path(__file__).parents[1] / "fixtures" / "fio"


def fixture(case):
    return FIXTURES / f"fio-3.33--{case}"


def document(case):
    found = pieces(fixture(case).read_text(encoding="utf-8"))
    return found[0].document


def reads(value):
    return ft.reads(value if isinstance(value, str) else json.dumps(value, indent=2))


def test_one_row_per_entry_and_direction_that_moved_anything():
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


def test_defaults_stand_in_settings_with_their_origin():
    settings = ft.read(fixture("normal-json.txt")).settings.set_index("option")
    assert settings.loc["iodepth", ["text", "origin"]].tolist() == ["1", "default"]
    assert settings.loc["rwmixread", ["text", "origin"]].tolist() == ["70", "given"]
    assert settings.loc["direct", "origin"] == "default"
    shared = ft.read(fixture("stonewall.txt")).settings.query("origin == 'global'")
    assert shared["entry"].isna().all()
    assert set(shared["option"]) == {"filename", "size", "bs", "ioengine"}


def test_clones_are_jobs_and_their_sum_is_a_group():
    clones = ft.read(fixture("clones.json")).io
    assert clones[["entry", "job", "scope", "numjobs"]].to_numpy().tolist() == [
        [1, "clones", "job", 2],
        [2, "clones", "job", 2],
    ]
    group = ft.read(fixture("group.txt")).io
    assert group[["entry", "scope", "numjobs"]].to_numpy().tolist() == [[1, "group", 2]]


def test_options_of_the_last_job_are_no_conditions_of_a_group_of_unlike_jobs():
    res = ft.read(fixture("group-unlike.txt"))
    assert res.io["scope"].tolist() == ["group", "group"]
    assert res.io[["rw", "bs_bytes"]].isna().all().all()
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
    documents = pieces(fixture("status-interval.json").read_text(encoding="utf-8"))
    assert len(documents) == 4
    last = documents[-1].document["jobs"][0]["read"]
    assert len(res.runs) == 1
    assert res.io["total_ios"].tolist() == [last["total_ios"]]
    done = res.samples[res.samples["quantity"] == "total_ios"].sort_values("time_s")
    assert len(done) == 4
    assert done["value"].is_monotonic_increasing
    assert done["value"].iloc[-1] == last["total_ios"]
    assert "cumulative" in res.notes["message"].item()


def test_appended_runs_are_several_runs():
    res = ft.read(fixture("appended.json"))
    assert len(res.runs) == 2
    assert res.io["run"].tolist() == [1, 2]
    assert res.samples.empty
    assert res.notes.empty


def test_a_list_of_documents_reads_like_the_documents():
    documents = [p.document for p in pieces(fixture("status-interval.json").read_text())]
    one, other = reads(documents), ft.read(fixture("status-interval.json"))
    assert one.io.drop(columns="source").equals(other.io.drop(columns="source"))
    assert one.samples["value"].tolist() == other.samples["value"].tolist()


def test_one_line_reads_like_many():
    value = document("clones.json")
    one, other = reads(json.dumps(value)), reads(value)
    assert one.io.equals(other.io)


def test_a_truncated_document_is_left_out_and_whole_ones_are_kept():
    text = fixture("status-interval.json").read_text(encoding="utf-8")
    cut = text[: text.rindex('"jobname"')]
    res = reads(cut)
    assert res.runs["status"].tolist() == ["truncated"]
    assert res.samples["time_s"].nunique() == 3
    note = res.notes[res.notes["severity"] == "warning"].iloc[0]
    assert "not whole" in note["message"]
    assert cut.split("\n")[note["line"] - 1].strip() == "{"


def test_every_truncation_of_a_lone_document_is_a_parse_error_with_its_line():
    text = json.dumps(document("no-io.json"), indent=2)
    for end in range(40, len(text) - 1, 97):
        with pytest.raises(ParseError, match=r"<text>:\d+: no whole JSON document of fio"):
            reads(text[:end])


@pytest.mark.parametrize("text", ['{"a": 1}', "[1, 2]", '{"results": [{"command": "x"}]}', "{"])
def test_json_of_others_is_not_claimed(text):
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


def test_mixed_stands_beside_its_parts_or_alone():
    assert ft.read(fixture("unified-mixed.txt")).io["direction"].tolist() == ["mixed"]
    io = ft.read(fixture("unified-both.txt")).io.set_index("direction")
    assert io.loc["mixed", "io_bytes"] == io.loc[["read", "write"], "io_bytes"].sum()
    bins = ft.read(fixture("unified-both.txt")).bins
    assert set(bins["direction"]) == {"mixed"}


def test_clients_and_their_total():
    io = ft.read(fixture("client.json")).io
    assert io["scope"].tolist() == ["client"] * 4 + ["total"] * 2
    assert io["port"].tolist()[:4] == [8771, 8771, 8772, 8772]
    assert io.loc[4:, ["host", "port"]].isna().all().all()
    parts = io[io["scope"] == "client"].groupby("direction")["total_ios"].sum()
    assert io[io["scope"] == "total"].set_index("direction")["total_ios"].equals(parts)


def test_bins_are_as_exact_as_fio_keeps_them():
    res = ft.read(fixture("jsonplus-libaio.json"))
    assert set(res.bins["latency"]) == {"clat"}
    assert res.bins["pct"].isna().all()  # the coarse distribution would be the same again
    wide = res.bins["bin_lo_ns"] >= 128
    width = (res.bins["bin_hi_ns"] - res.bins["bin_lo_ns"])[wide]
    assert ((width / res.bins["bin_lo_ns"][wide]).between(1 / 128, 1 / 64)).all()
    all_three = ft.read(fixture("normal-jsonplus.txt"))
    assert set(all_three.bins["latency"]) == {"clat", "lat"}
    assert set(all_three.percentiles["latency"]) == {"clat", "lat"}


def test_every_fine_bin_joins_the_next():
    # the bins as fio numbers them (plat_idx_to_val): 128 single ones, then 64 to an octave
    middles = list(range(128))
    for octave in range(1, 28):
        middles += [(1 << octave + 6) + (2 * k + 1) * (1 << octave) // 2 for k in range(64)]
    assert len(middles) == 1856
    low, high = fio_bins.fine_edges(middles, 1)
    assert low[0] == 0
    assert high[:-1] == low[1:]
    assert high[-1] == math.inf


def test_tables_that_were_not_asked_for_are_not_built():
    res = ft.read(fixture("jsonplus-libaio.json"), tables=["io"])
    assert set(res.tables) == {"io", "notes"}


def old(version, **changes):
    """A document in the layout of an old version, cut down to what matters."""
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
    assert res.settings.empty  # options were not listed then: no default is certain


def test_from_2_21_io_bytes_is_bytes():
    row = reads(old("fio-2.21", io_bytes=1_024_000, io_kbytes=1000)).io.iloc[0]
    assert row["io_bytes"] == 1_024_000


def test_bandwidth_without_bw_bytes_is_recomputed_where_it_agrees():
    row = reads(old("fio-3.1", io_bytes=1_024_999, io_kbytes=1000)).io.iloc[0]
    assert row["bw_bytes_per_s"] == pytest.approx(102_499.9)
    row = reads(old("fio-3.1", io_bytes=2_024_999, io_kbytes=1000)).io.iloc[0]
    assert row["bw_bytes_per_s"] == 102_400


def test_a_rate_that_contradicts_its_counts_stands_as_printed():
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
def test_block_size_is_given_only_where_there_is_one(options, direction, expected):
    assert fio_options.block_size(options, direction) == expected


def test_bs_per_direction():
    io = ft.read(fixture("normal-jsonplus.txt")).io.set_index("direction")
    assert io["bs_bytes"].to_dict() == {"read": 4096, "write": 8192}


@pytest.mark.parametrize(
    ("key", "value"),
    [("io_bytes", "many"), ("total_ios", 0.5), ("iops", [1]), ("clat", 3), ("runtime", "1")],
)
def test_a_document_that_is_not_fios_own_is_refused_or_read_without_that_value(key, value):
    if key == "clat":
        assert reads(old("fio-3.1", **{key: value})).io["clat_mean_ns"].isna().all()
    else:
        with pytest.raises(ParseError, match="not laid out as fio's"):
            reads(old("fio-3.1", **{key: value}))


@pytest.mark.parametrize("token", ["nan", "-nan", "inf", "-inf", "-nan(ind)"])
@pytest.mark.parametrize("indent", [None, 2])
def test_figures_that_are_none_are_left_out_with_a_note(token, indent):
    value = document("normal-json.txt")
    value["jobs"][0]["jobname"] = r"of: nan, \"inf\", [-nan]"
    value["jobs"][0]["read"]["bw_agg"] = "TOKEN"
    text = json.dumps(value, indent=indent)
    res = ft.reads(text.replace('"TOKEN"', token))
    assert res.runs["status"].tolist() == ["ok"]
    assert res.io["job"].tolist() == [value["jobs"][0]["jobname"]] * 2
    assert math.isnan(res.io["bw_agg_pct"].iloc[0])
    assert "1 figures of the document are nan or inf: left out" in res.notes["message"].tolist()


def test_many_beginnings_take_linear_time():
    found = pieces('{"fio version":' * 20_000)  # took 6.7 s
    assert len(found) == 20_000
    assert max(piece.end - piece.start for piece in found) <= 15
