"""Two tools in one file: what is certain of both is read."""

from itertools import permutations
from pathlib import Path

import pytest

import fiotools as ft

FIXTURES = Path(__file__).parents[1] / "fixtures"
FILES = {
    "dd": "dd/gnu-dd-9.1--C_plain_bs1M_count16.txt",
    "time": "time/busybox-1.35.0--v.txt",
    "diskspd_text": "diskspd/diskspd-2.1--rs50_distribution.txt",
    "diskspd_xml": "diskspd/diskspd-2.0.14--seqread_noLD.xml",
    "crystaldiskmark": "crystaldiskmark/crystaldiskmark-8.0.4--mix_nvme.txt",
    "fio_json": "fio/fio-3.33--clones.json",
    "fio_normal": "fio/fio-3.33--libaio.txt",
    "fio_terse": "fio/fio-3.33--terse-v3.terse",
    "hyperfine JSON": "hyperfine/hyperfine-1.15.0--one_run.json",
    "hyperfine CSV": "hyperfine/hyperfine-1.15.0--parameters.csv",
}


def text(name):
    return (FIXTURES / FILES[name]).read_text(encoding="utf-8").rstrip("\n") + "\n"


def numbers(*results):
    """List what was measured, apart from where it stands."""
    return sorted(
        str(row.dropna().to_dict())
        for res in results
        for table in ("io", "percentiles", "timings", "cpu", "disks")
        for _, row in res.tables[table].drop(columns=["source", "run"], errors="ignore").iterrows()
    )


@pytest.mark.parametrize("pair", list(permutations(FILES, 2)), ids=" above ".join)
def test_both_are_read(pair):
    alone = [ft.reads(text(name), name="x.txt") for name in pair]
    both = ft.reads("\n".join(map(text, pair)), name="x.txt")
    warnings = both.notes.query("severity == 'warning'")["message"]
    # the description of a terse entry may have several lines
    if not warnings.str.startswith("the lines below are read as the description").any():
        assert numbers(both) == numbers(*alone)


def test_a_timing_right_below_the_json_is_of_its_run():
    timed = ft.reads(text("fio_json") + "\nreal\t0m1.5s\nuser\t0m0.5s\nsys\t0m0.1s\n")
    assert timed.runs["tool"].tolist() == ["fio"]
    assert timed.timings[["run", "real_s"]].to_numpy().tolist() == [[1, 1.5]]


def test_a_terse_line_of_another_run_is_not_a_copy_of_the_json():
    both = (FIXTURES / "fio/fio-3.33--terse-v3-json.terse").read_text(encoding="utf-8")
    terse, brace, json = both.partition("{")
    assert ft.reads(both).runs["format"].tolist() == ["fio_json"]
    fields = terse.split(";")
    fields[5] = str(int(fields[5]) + 4)  # KiB read
    other = ft.reads(";".join(fields) + brace + json)
    assert other.runs["format"].tolist() == ["fio_json", "fio_terse"]


def test_a_terse_line_above_a_whole_report_is_a_run_of_its_own():
    terse = (FIXTURES / "fio/fio-3.33--terse-tiny.terse").read_text(encoding="utf-8")
    both = ft.reads(terse + text("fio_normal"), name="x.txt")
    assert both.runs["format"].tolist() == ["fio_terse", "fio_normal"]
    assert numbers(both) == numbers(ft.reads(terse), ft.reads(text("fio_normal"), name="x.txt"))


def test_a_failed_run_of_diskspd_takes_nothing_from_the_report_below():
    failed = (FIXTURES / "diskspd/diskspd-2.1--interrupted.txt").read_text(encoding="utf-8")
    both = ft.reads(failed + text("crystaldiskmark"))
    assert numbers(both) == numbers(ft.reads(text("crystaldiskmark")))
    assert "Test" in set(both.settings.query("run == 2")["option"])


def test_the_table_of_hyperfine_ends_where_another_report_begins():
    csv = "command,mean,stddev,median,user,system,min,max\n'a,b',1.5,0.1,1.5,1,0.1,1.4,1.6\n"
    res = ft.reads(csv + text("dd"))
    assert res.timings["real_mean_s"].tolist() == [1.5] or res.notes["severity"].eq("warning").any()
    torn = ft.reads(csv.replace("'a,b'", '"a\nb"') + "sleep 1,1.0,0.\n" + text("dd"))
    assert torn.timings["command"].tolist() == ["a\nb"]
    assert torn.notes["message"].str.contains("3 fields where the header has 8").any()
