"""fio_terse: lines of numbers, what parts them, and whose they are."""

import csv
import json
import math

import pytest

import fiotools as ft
from fiotools.errors import FileError, ParseError, UnknownFormatError
from tests.corpus import CORPUS, needs_corpus
from tests.fio_forms import AT, columns, documents, extras, human, telling, text_of, warnings


def text(case):
    return text_of(f"terse-{case}.terse")


def test_version_2():
    res = ft.reads(text("v2"))
    assert res.runs["format"].tolist() == ["fio_terse"]
    assert res.runs["tool_version"].isna().all()
    assert ft.reads(text("v2"), version="3.33").runs["tool_version"].item() == "3.33"
    assert res.jobs["job"].item() == "mix;1"
    assert res.jobs["description"].item() == "semi;colon"  # from the second line
    assert res.io["direction"].tolist() == ["read", "write"]
    assert res.disks.empty


@pytest.mark.parametrize("case", ["v3", "v4", "v5", "mixed", "both", "gtod-reduce"])
def test_terse_output_agrees_with_the_json_of_its_run(case):
    """Its fields are those of fio's HOWTO, and the JSON says the same with their names."""
    both = ft.reads(text(f"{case}-json"))
    assert both.runs["format"].tolist() == ["fio_json"]
    assert len(telling(both, "terse output beside the JSON")) == 1
    [document] = documents(text(f"{case}-json"))
    terse, exact = ft.reads(human(f"terse-{case}-json.terse")), ft.reads(json.dumps(document))
    assert terse.runs["format"].tolist() == ["fio_terse"]
    tables = {"jobs": ["entry"], "disks": ["device"], "io": AT}
    tables["percentiles"] = [*AT, "latency", "percentile"]
    for table, at in tables.items():
        printed = terse.tables[table]
        names = [name for name in printed if name in at or printed[name].notna().any()]
        columns(exact.tables[table][names], printed[names], at)
    latencies = [name for name in exact.io if name.endswith("_ns")]
    assert terse.io[latencies].isna().equals(exact.io[latencies].isna())
    # shares of bins: the JSON counts nanoseconds apart
    shares = [one.bins.query("bin_lo_ns >= 2000")["pct"].tolist() for one in (terse, exact)]
    assert shares[0] == pytest.approx(shares[1], abs=0.0051)
    depths = extras(terse)["iodepth_level"]
    assert json.loads(depths) == json.loads(extras(exact)["iodepth_level"])


def test_beside_the_report_for_people_it_is_a_note():
    res = ft.reads(text("normal"))
    assert res.runs[["format", "tool_version"]].to_numpy().tolist() == [["fio_normal", "3.33"]]
    assert res.io["rw"].tolist() == ["randread"]  # the definition line is above the terse one
    assert len(telling(res, "terse output beside the report")) == 1


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
    assert res.io[["run", "entry", "job"]].to_numpy().tolist() == [[1, n, "clones"] for n in (1, 2)]
    assert len(res.disks) == 1
    assert not telling(res, "ran together")


def test_clones_and_repeats_are_ambiguous_without_disks():
    res = ft.reads(text("nodisk"))
    assert res.io["run"].tolist() == [1, 1, 1, 1]
    assert len(telling(res, "do not say whether these entries ran together")) == 1


def test_groups_are_counted_up_within_a_run():
    once = text("stonewall")
    res = ft.reads(once)
    assert res.jobs["run"].tolist() == [1, 1, 1]
    assert res.jobs["group"].tolist() == [0, 1, 2]
    # groups decide if there are no disks
    idle = "\n".join(line.rpartition(";vda;")[0] for line in once.splitlines()) + "\n"
    assert ft.reads(idle + idle).jobs["run"].tolist() == [1, 1, 1, 2, 2, 2]
    assert len(ft.reads(text("client") * 2).runs) == 2


def test_lines_are_cumulative_only_in_the_order_of_time():
    lines = text("status-interval").splitlines()
    assert len(ft.reads("\n".join(reversed(lines)) + "\n").runs) == 4
    # the kernel's numbers of disks may be the same at two of them
    disks = lines[-1][lines[-1].index(";vda;") :]
    alike = [line.partition(";vda;")[0] + disks for line in lines]
    assert ft.reads("\n".join(alike) + "\n").io.equals(ft.reads(text("status-interval")).io)


def test_a_line_that_begins_in_other_text_is_not_left_out_in_silence():
    res = ft.reads(f"out: '{text('status-interval')}'\n")
    assert len(telling(res, "of a report were not read")) == 1


def test_the_version_of_fio_2_0_8():
    """It prints no name beside it."""
    line = text("v3")
    res = ft.reads(line.replace(";fio-3.33;", ";2.0.8;"))
    assert res.runs["tool_version"].tolist() == ["2.0.8"]
    assert res.io["iops"].tolist() == ft.reads(line).io["iops"].tolist()
    for other in ("3;2.0.8;mix;0;0;1;2;3\n", "3;1.2;4;5;6;7;8;9;10;11;12\n"):
        with pytest.raises(FileError):
            ft.reads(other)


def test_names_may_have_several_lines():
    res = ft.reads(text("newlines"))
    assert res.runs["format"].tolist() == ["fio_terse"]
    assert res.jobs["job"].tolist() == ["two\nlines"]
    assert res.jobs["description"].tolist() == ["also"]
    assert extras(res)["total_err"] == "0"


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
    assert not telling(res, "bandwidth")


def test_a_rate_that_contradicts_its_amount_is_kept_with_a_note():
    fields = text("v3").split(";")
    fields[6] = "99999"
    res = ft.reads("\n\n" + ";".join(fields))
    assert res.io["bw_bytes_per_s"].iloc[0] == 99999 * 1024
    [note] = res.notes.query("severity == 'warning'").itertuples()
    assert "the printed bandwidth is not KiB over time" in note.message
    assert note.line == 3


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
    assert (len(res.io), len(res.disks)) == (1, 0)
    assert telling(res, "may be cut off, and is left out")


@pytest.mark.parametrize("case", ["v2", "v3", "client", "enospc"])
def test_a_whole_text_without_its_last_line_end_is_whole(case):
    whole, res = ft.reads(text(case)), ft.reads(text(case).rstrip("\n"))
    assert res.notes.equals(whole.notes)
    for table in ("runs", "io", "percentiles", "disks"):
        assert getattr(res, table).equals(getattr(whole, table)), table
    # whether a description goes on is not certain: it stays an extra
    if whole.jobs["description"].notna().any():
        told = extras(res)["description to the end of the text"]
        assert told == whole.jobs["description"].item()


@pytest.mark.parametrize(("end", "is_whole"), [("0;0", True), ("12;5", False), ("sd", False)])
def test_errors_without_a_line_end_are_whole_if_there_are_none(end, is_whole):
    res = ft.reads(f"{text('clones').splitlines()[0]};{end}")
    assert bool(telling(res, "may be cut off")) != is_whole
    totals = res.extras.loc[res.extras["path"] == "total_err", "text"].tolist()
    assert totals == ["0"] * is_whole


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


@needs_corpus
def test_every_file_of_the_corpus():
    folder = CORPUS / "fio"
    with (folder / "MANIFEST.tsv").open(encoding="utf-8") as lines:
        rows = [
            row for row in csv.DictReader(lines, delimiter="\t") if row["kind"].startswith("terse")
        ]
    assert len(rows) == 13
    for row in rows:
        if row["kind"] == "terse5-truncated":
            with pytest.raises(ParseError, match="breaks off in field 77"):
                ft.read(folder / row["file"])
            continue
        res = ft.read(folder / row["file"])
        assert len(res.runs) == 1, row["file"]
        assert len(res.jobs) == int(row["jobs"]), row["file"]
        assert res.runs["tool_version"].item() == row["fio_version"]
        told = res.notes[res.notes["severity"] != "info"]["message"]
        assert told.str.contains("cumulative").all(), row["file"]


def test_lines_that_were_joined_are_told():
    results = ft.reads("".join(text("clones").splitlines()), name="x.terse")
    assert len(results.jobs) == 1
    told = telling(results, "another line of terse output stands in this one")
    assert set(told) & set(warnings(results))
