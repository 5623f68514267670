"""fio_terse: lines of numbers, what parts them, and whose they are."""

import csv
import json
import math
from pathlib import Path

import pytest

import fiotools as ft
from fiotools.errors import FileError, ParseError, UnknownFormatError
from fiotools.readers.fio.documents import pieces

FIXTURES = Path(__file__).parents[1] / "fixtures" / "fio"
CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "fio"


def text(case):
    return (FIXTURES / f"fio-3.33--terse-{case}.terse").read_text(encoding="utf-8")


def split(case):
    """Split a file with both kinds of output into terse output and JSON."""
    whole = text(case)
    [piece] = pieces(whole)
    return whole[: piece.start] + whole[piece.end :].lstrip("\n"), whole[piece.start : piece.end]


def messages(results, *, about=""):
    return [message for message in results.notes["message"] if about in message]


def test_version_2():
    res = ft.reads(text("v2"))
    assert res.runs[["tool", "format", "status"]].to_numpy().tolist() == [
        ["fio", "fio_terse", "ok"]
    ]
    assert res.runs["tool_version"].isna().all()
    assert ft.reads(text("v2"), version="3.33").runs["tool_version"].item() == "3.33"
    assert res.jobs["job"].item() == "mix;1"
    assert res.jobs["description"].item() == "semi;colon"  # from the second line
    assert res.io["direction"].tolist() == ["read", "write"]
    assert res.disks.empty


def test_version_3_field_by_field():
    fields = text("v3").split(";")
    # HOWTO, "Terse output": five fields, then 41 for each direction
    assert fields[:5] == ["3", "fio-3.33", "mix", "0", "0"]
    res = ft.reads(text("v3"))
    read, write = (row for _, row in res.io.iterrows())
    for row, at in ((read, 5), (write, 46)):
        assert row["io_bytes"] == int(fields[at]) * 1024
        assert row["iops"] == int(fields[at + 2])
        assert row["runtime_s"] == int(fields[at + 3]) / 1000
        assert 0 <= row["bw_bytes_per_s"] - int(fields[at + 1]) * 1024 < 1024
        assert math.isnan(row["slat_mean_ns"])  # psync has none, fio writes zeros
        assert row["clat_min_ns"] == int(fields[at + 8]) * 1000
        assert row["clat_max_ns"] == int(fields[at + 9]) * 1000
        assert row["clat_mean_ns"] == pytest.approx(float(fields[at + 10]) * 1000)
        assert row["clat_stddev_ns"] == pytest.approx(float(fields[at + 11]) * 1000)
        assert row["lat_mean_ns"] == pytest.approx(float(fields[at + 34]) * 1000)
        assert row["bw_min_bytes_per_s"] == int(fields[at + 36]) * 1024
        assert row["bw_agg_pct"] == float(fields[at + 38].rstrip("%"))
        assert row["bw_mean_bytes_per_s"] == pytest.approx(float(fields[at + 39]) * 1024)
    job = res.jobs.iloc[0]
    assert [job["usr_cpu_pct"], job["sys_cpu_pct"]] == [float(f[:-1]) for f in fields[87:89]]
    assert job[["ctx", "majf", "minf"]].tolist() == [int(field) for field in fields[89:92]]
    assert json.loads(res.extras["text"].item())["1"] == float(fields[92][:-1])
    disk = res.disks.iloc[0]
    assert [disk["device"], disk["read_ios"], disk["write_ios"]] == [
        fields[121],
        int(fields[122]),
        int(fields[123]),
    ]
    assert disk["read_ticks_s"] == int(fields[126]) / 1000
    assert disk["util_pct"] == float(fields[129][:-1])
    assert job["description"] == "semi;colon"
    percentiles = res.percentiles[res.percentiles["direction"] == "read"]
    assert len(percentiles) == 17  # three of 20 slots are unused
    assert percentiles["percentile"].iloc[-1] == 99.99
    assert percentiles["value_ns"].iloc[-1] == int(fields[33].split("=")[1]) * 1000


def test_version_4_has_trims():
    res = ft.reads(text("v4"))
    fields = text("v4").split(";")
    assert res.io["direction"].tolist() == ["trim"]
    assert res.io["io_bytes"].item() == int(fields[87]) * 1024 == 16 << 20
    assert res.disks.empty


def test_version_5_counts_samples():
    fields = split("v5-json")[0].split(";")
    row = ft.reads(split("v5-json")[0]).io.iloc[1]
    at = 5 + 47  # the write block
    assert row["direction"] == "write"
    assert row["bw_samples"] == int(fields[at + 41])
    assert row["iops_min"] == int(fields[at + 42])
    assert row["iops_mean"] == float(fields[at + 44])
    assert row["iops_samples"] == int(fields[at + 46])


BOTH = ["v3-json", "v4-json", "v5-json", "mixed-json", "both-json", "gtod-reduce-json"]


@pytest.mark.parametrize("case", BOTH)
def test_terse_output_agrees_with_the_json_of_its_run(case):
    terse, structured = (ft.reads(part) for part in split(case))
    assert terse.runs["format"].item() == "fio_terse"
    assert terse.io["direction"].tolist() == structured.io["direction"].tolist()
    for (_, row), (_, exact) in zip(terse.io.iterrows(), structured.io.iterrows(), strict=True):
        assert row["runtime_s"] == exact["runtime_s"]
        assert 0 <= exact["io_bytes"] - row["io_bytes"] < 1024
        assert 0 <= exact["iops"] - row["iops"] < 1
        # cut off at the byte a second in the JSON
        assert -1 < exact["bw_bytes_per_s"] - row["bw_bytes_per_s"] < 1024
        for name in terse.io.columns:
            if name.endswith("_ns"):
                assert math.isnan(row[name]) == math.isnan(exact[name]), name
                if not math.isnan(row[name]):
                    step = 1000 if name.endswith(("_min_ns", "_max_ns")) else 0.001
                    assert -0.001 <= exact[name] - row[name] < step, name
            elif name.startswith("bw_") and "samples" not in name and name != "bw_bytes_per_s":
                assert (row[name] == pytest.approx(exact[name], rel=2e-4)) or (
                    math.isnan(row[name]) and math.isnan(exact[name])
                )
    for table in ("jobs", "disks"):
        one, other = getattr(terse, table), getattr(structured, table)
        for name in ("error", "ctx", "majf", "minf", "device", "read_ios", "write_ios"):
            if name in one:
                assert one[name].tolist() == other[name].tolist()
    assert len(terse.percentiles) == len(structured.percentiles)
    for printed, exact in zip(
        terse.percentiles["value_ns"], structured.percentiles["value_ns"], strict=True
    ):
        assert 0 <= exact - printed < 1000
    # shares of bins: the JSON counts nanoseconds apart
    longer = "bin_lo_ns >= 2000"
    assert terse.bins.query(longer)["pct"].tolist() == pytest.approx(
        structured.bins.query(longer)["pct"].tolist(), abs=0.0051
    )


@pytest.mark.parametrize("case", BOTH)
def test_beside_json_terse_output_is_a_note(case):
    res = ft.reads(text(case))
    assert res.runs["format"].tolist() == ["fio_json"]
    assert len(messages(res, about="terse output beside the JSON")) == 1


def test_beside_the_report_for_people_it_is_a_note():
    res = ft.reads(text("normal"))
    assert res.runs[["format", "tool_version"]].to_numpy().tolist() == [["fio_normal", "3.33"]]
    assert res.io["rw"].tolist() == ["randread"]  # the definition line is above the terse one
    assert len(messages(res, about="terse output beside the report")) == 1


def test_jobs_of_one_name_have_the_options_of_the_command_that_are_equal():
    command = (
        "$ fio --minimal --size=4m --name=clones --rw={} --bs=64k --name=clones --rw={} --bs=64k"
    )
    lines = text("clones")
    for rws, told in ((("read", "write"), [None, None]), (("read", "read"), ["read", "read"])):
        res = ft.reads(f"{command.format(*rws)}\n{lines}")
        assert set(res.io["job"]) == {"clones"}
        assert [rw if isinstance(rw, str) else None for rw in res.io["rw"]] == told
        assert set(res.io["bs_bytes"]) == {65536}


def test_clones_of_one_report_show_the_same_disks():
    res = ft.reads(text("clones"))
    assert res.io[["run", "entry", "job"]].to_numpy().tolist() == [
        [1, 1, "clones"],
        [1, 2, "clones"],
    ]
    assert len(res.disks) == 1
    assert not messages(res, about="ran together")


def test_clones_and_repeats_are_ambiguous_without_disks():
    res = ft.reads(text("nodisk"))
    assert res.io["run"].tolist() == [1, 1, 1, 1]
    assert len(messages(res, about="do not say whether these entries ran together")) == 1


def test_groups_are_counted_up_within_a_run():
    once = text("stonewall")
    res = ft.reads(once)
    assert res.jobs[["run", "group", "job"]].to_numpy().tolist() == [
        [1, 0, "fill"],
        [1, 1, "read"],
        [1, 2, "both"],
    ]
    # groups decide if there are no disks
    idle = "\n".join(line.rpartition(";vda;")[0] for line in once.splitlines()) + "\n"
    assert ft.reads(idle + idle).jobs["run"].tolist() == [1, 1, 1, 2, 2, 2]


def test_cumulative_lines_are_one_run_and_its_samples():
    lines = text("status-interval").splitlines()
    res = ft.reads(text("status-interval"))
    assert len(lines) == 4
    assert res.io["io_bytes"].tolist() == [int(lines[-1].split(";")[5]) * 1024]
    assert res.samples["value"].tolist() == [int(line.split(";")[5]) * 1024 for line in lines]
    assert res.samples["time_s"].tolist() == [int(line.split(";")[8]) / 1000 for line in lines]
    # the same lines in another order are not reports of one run
    assert len(ft.reads("\n".join(reversed(lines)) + "\n").runs) == 4


def test_a_line_that_begins_in_other_text_is_not_left_out_in_silence():
    res = ft.reads(f"out: '{text('status-interval')}'\n")
    assert len(messages(res, about="of a report were not read")) == 1


def test_reports_of_one_run_with_equal_disks_are_one_run():
    """The kernel's numbers may be the same at two of them."""
    lines = text("status-interval").splitlines()
    disks = lines[-1][lines[-1].index(";vda;") :]
    alike = [line.partition(";vda;")[0] + disks for line in lines]
    res = ft.reads("\n".join(alike) + "\n")
    assert len(res.runs) == 1
    assert res.io.equals(ft.reads("\n".join(lines) + "\n").io)


def test_the_version_of_fio_2_0_8():
    """It prints no name beside it."""
    line = text("v3")
    res = ft.reads(line.replace(";fio-3.33;", ";2.0.8;"))
    assert res.runs["tool_version"].tolist() == ["2.0.8"]
    assert res.io["iops"].tolist() == ft.reads(line).io["iops"].tolist()
    for other in ("3;2.0.8;mix;0;0;1;2;3\n", "3;1.2;4;5;6;7;8;9;10;11;12\n"):
        with pytest.raises(FileError):
            ft.reads(other)


def test_phases_are_reported_as_one_run_at_every_interval():
    """Behind a stonewall one job waits while the other runs."""
    lines = text("phases").splitlines()
    res = ft.reads(text("phases"))
    assert len(lines) == 10
    assert len(res.runs) == 1
    assert res.io[["job", "direction"]].to_numpy().tolist() == [
        ["first", "read"],
        ["second", "write"],
    ]
    kib = [int(lines[-2].split(";")[5]), int(lines[-1].split(";")[46])]
    assert res.io["io_bytes"].tolist() == [1024 * one for one in kib]
    assert "5 cumulative reports of one run" in res.notes["message"].str.cat()


def test_version_3_has_no_trims():
    fields = text("no-io").strip().split(";")
    fields[4] = "0"
    [note] = messages(ft.reads(";".join(fields) + "\n"), about="did no I/O")
    assert note.endswith("or only trims, which terse version 3 does not list")


def test_clients_and_their_total():
    res = ft.reads(text("client"))
    assert res.runs["status"].tolist() == ["ok"]
    assert res.io["entry"].tolist() == [1, 1, 2, 2]
    assert "All clients" not in {*res.io["job"], *res.jobs["job"]}
    printed = res.extras[res.extras["entry"].isna()].set_index("path")["text"]
    for direction, moved in res.io.groupby("direction")["io_bytes"].sum().items():
        assert int(printed[f"All clients.{direction}.io_bytes"]) == moved
    assert len(res.disks) == 2  # each client's, from a line of their own
    assert len(ft.reads(text("client") * 2).runs) == 2


def test_names_may_have_several_lines():
    res = ft.reads(text("newlines"))
    assert res.runs["format"].tolist() == ["fio_terse"]
    assert res.jobs["job"].tolist() == ["two\nlines"]
    assert res.jobs["description"].tolist() == ["also"]
    assert res.extras.set_index("path").loc["total_err", "text"] == "0"


def test_a_failed_run_has_notes():
    res = ft.reads(text("enospc"))
    assert res.runs["status"].tolist() == ["error"]
    assert res.jobs["error"].tolist() == [28]
    assert res.io.empty
    assert "No space left" in res.notes.query("line == 1")["message"].item()
    idle = ft.reads(text("no-io"))
    assert "-nan%" in text("no-io")
    assert (len(idle.jobs), len(idle.io), len(idle.bins)) == (1, 0, 0)
    assert "did no I/O" in idle.notes["message"].str.cat()


def test_less_than_one_unit_is_missing():
    row = ft.reads(text("tiny")).io.iloc[0]
    assert row["io_bytes"] is ft.reads(text("tiny")).io["io_bytes"].dtype.na_value  # 512 bytes
    assert row["bw_bytes_per_s"] == 500 * 1024


# fio's HOWTO: the sample of version 2 as fio 1 wrote it, without IOPS and percentiles
FIO_1 = (
    "2;card0;0;0;7139336;121836;60004;1;10109;27.932460;116.933948;220;126861;3495.446807;"
    "1085.368601;226;126864;3523.635629;1089.012448;24063;99944;50.275485%;59818.274627;"
    "5540.657370;7155060;122104;60004;1;8338;29.086342;117.839068;388;128077;5032.488518;"
    "1234.785715;391;128085;5061.839412;1236.909129;23436;100928;50.287926%;59964.832030;"
    "5644.844189;14.595833%;19.394167%;123706;0;7313;0.1%;0.1%;0.1%;0.1%;0.1%;0.1%;100.0%;0.00%;"
    "0.00%;0.00%;0.00%;0.00%;0.00%;0.01%;0.02%;0.05%;0.16%;6.04%;40.40%;52.68%;0.64%;0.01%;0.00%;"
    "0.01%;0.00%;0.00%;0.00%;0.00%;0.00%\n"
)


def test_fio_1_has_no_iops_and_counts_thousands():
    res = ft.reads(FIO_1)
    row = res.io.iloc[0]
    assert (row["direction"], row["io_bytes"]) == ("read", 7139336 * 1024)
    assert math.isnan(row["iops"])
    assert row["bw_bytes_per_s"] == pytest.approx(7139336 * 1024 / 60.004)
    assert row["bw_bytes_per_s"] // 1000 == 121836
    assert row["slat_mean_ns"] == pytest.approx(27932.46)
    assert res.percentiles.empty
    assert not messages(res, about="bandwidth")


def test_a_rate_that_contradicts_its_amount_is_kept_with_a_note():
    fields = text("v3").split(";")
    fields[6] = "99999"
    res = ft.reads("\n\n" + ";".join(fields))
    assert res.io["bw_bytes_per_s"].iloc[0] == 99999 * 1024
    [note] = res.notes.query("severity == 'warning'").itertuples()
    assert "the printed bandwidth is not KiB over time" in note.message
    assert note.line == 3


@pytest.mark.parametrize("case", ["v2", "v3", "v4", "clones", "stonewall", "client"])
def test_a_truncated_text_returns_complete_numbers_or_an_error(case):
    whole = text(case)
    columns = ["job", "direction", "io_bytes", "iops", "bw_bytes_per_s", "lat_max_ns"]
    known = set(map(repr, ft.reads(whole).io[columns].to_numpy().tolist()))
    disks = set(map(repr, ft.reads(whole).disks.drop(columns=["source", "run"]).to_numpy()))
    for end in range(30, len(whole), 41):
        try:
            res = ft.reads(whole[:end])
        except FileError:
            continue
        assert set(map(repr, res.io[columns].to_numpy().tolist())) <= known
        assert set(map(repr, res.disks.drop(columns=["source", "run"]).to_numpy())) <= disks
        assert set(res.jobs["description"].dropna()) <= {"semi;colon"}


def test_a_line_that_breaks_off_is_left_out_with_a_note():
    first, second = text("clones").splitlines()
    res = ft.reads(f"{first[:500]}\n{second}\n")
    assert len(res.jobs) == 1
    assert res.runs["status"].tolist() == ["truncated"]
    note = res.notes[res.notes["message"].str.contains("fields does not have the layout")].iloc[0]
    assert (note["line"], note["severity"], note["run"]) == (1, "warning", 1)
    with pytest.raises(ParseError, match=r"<text>:1: no complete entry .* breaks off in field"):
        ft.reads(first[:500])


def test_a_shortened_number_is_left_out():
    line = text("clones").splitlines()[0]
    res = ft.reads(line[: line.rindex(";")])  # the last field of the disk is missing
    assert res.disks.empty
    assert len(res.io) == 1
    assert messages(res, about="may be cut off, and is left out")


@pytest.mark.parametrize(
    "case", ["v2", "v3", "v4", "clones", "client", "enospc", "nodisk", "no-io", "tiny"]
)
def test_a_whole_text_without_its_last_line_end_is_whole(case):
    whole, res = ft.reads(text(case)), ft.reads(text(case).rstrip("\n"))
    assert res.notes.equals(whole.notes)
    for table in ("runs", "io", "percentiles", "disks"):
        assert getattr(res, table).equals(getattr(whole, table)), table
    # whether a description goes on is not certain: it stays an extra
    if whole.jobs["description"].notna().any():
        told = res.extras.set_index("path")["text"]["description to the end of the text"]
        assert told == whole.jobs["description"].item()


def test_errors_without_a_line_end_are_whole_if_there_are_none():
    line = text("clones").splitlines()[0]
    assert ft.reads(f"{line};0;0").extras.set_index("path")["text"]["total_err"] == "0"
    assert messages(ft.reads(f"{line};12;5"), about="may be cut off")
    assert messages(ft.reads(f"{line};sd"), about="may be cut off")
    assert messages(ft.reads(f"{line};sdb;12;5"), about="may be cut off")


def test_in_a_session_the_command_gives_the_conditions():
    res = ft.reads(f"$ fio --name=clones --bs=16k --rw=randread --minimal\n{text('clones')}")
    assert set(res.runs["format"]) == {"fio_terse"}
    assert res.io[["rw", "bs_bytes"]].to_numpy().tolist() == [["randread", 16384]] * 2


@pytest.mark.parametrize(
    "table",
    [
        "1;2;3\n2;3;4\n3;4;5\n",
        "id;name;a;b\n2;disk;0;0;1;2;3;4.5\n",
        "2;x;0;0" + ";1" * 157 + "\n",
        "3;fiona;1;2;3\n",
    ],
)
def test_other_tables_are_not_claimed(table):
    with pytest.raises(UnknownFormatError):
        ft.reads(table)


@pytest.mark.parametrize(
    "hostile",
    [
        ";" * 200_000,
        "2;1" + ";1" * 20 + "\n" + "2;\n" * 20_000,
        "3;fio-3.33;" * 20_000,
        "\r3;fio-3.33;" * 20_000,
        "3;fio-3.33;j;0;0" + ";1" * 200_000,
        "3;fio-3.33;j;0;0" + ";1;1;1;1;1;1;1.0;1.0" * 20_000,
    ],
    ids=["semicolons", "starts", "heads", "returns", "numbers", "floats"],
)
def test_hostile_text_is_refused(hostile):
    with pytest.raises(FileError):
        ft.reads(hostile)


def test_equal_amounts_with_other_latencies_are_not_cumulative():
    line = text("tiny").splitlines()[0]
    fields = line.split(";")
    fields[8] = str(int(fields[8]) + 40)  # the run time of the same size
    fields[15] = fields[39] = f"{float(fields[15]) + 1:.6f}"  # its mean latency
    both = ft.reads(f"{line}\n{';'.join(fields)}\n")
    assert len(both.io) == 2
    assert both.samples.empty
    same = fields[:15] + line.split(";")[15:]
    assert len(ft.reads(f"{line}\n{';'.join(same)}\n").io) == 1


@pytest.mark.skipif(
    not CORPUS.is_dir(), reason="the corpus (../shared/corpus) does not lie beside the project"
)
def test_every_file_of_the_corpus():
    with (CORPUS / "MANIFEST.tsv").open(encoding="utf-8") as lines:
        rows = [
            row for row in csv.DictReader(lines, delimiter="\t") if row["kind"].startswith("terse")
        ]
    assert len(rows) == 13
    for row in rows:
        if row["kind"] == "terse5-truncated":
            with pytest.raises(ParseError, match="breaks off in field 77"):
                ft.read(CORPUS / row["file"])
            continue
        res = ft.read(CORPUS / row["file"])
        assert len(res.runs) == 1, row["file"]
        assert len(res.jobs) == int(row["jobs"]), row["file"]
        assert res.runs["tool_version"].item() == row["fio_version"]
        told = res.notes[res.notes["severity"] != "info"]["message"]
        assert told.str.contains("cumulative").all(), row["file"]


@pytest.mark.parametrize("between", ["", " ", ";"])
def test_lines_that_were_joined_are_told(between):
    lines = text("clones").splitlines()
    results = ft.reads(between.join(lines[:2]), name="x.terse")
    assert len(results.jobs) == 1
    note = results.notes.query("severity == 'warning'")["message"]
    assert note.str.contains("another line of terse output stands in this one").any()
