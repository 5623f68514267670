"""Two tools in one file, and many files together: what is read of each alone is read of both."""

from contextlib import suppress
from itertools import permutations
from random import Random

import pytest

import fiotools as ft
from tests.readers.outputs import FIXTURES, TIME, edited, values

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
    return edited(FILES[name]).rstrip("\r\n") + "\n"


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
    timed = ft.reads(text("fio_json") + TIME)
    assert timed.runs["tool"].tolist() == ["fio"]
    assert values(timed.timings, "run", "real_s") == [(1, 0.6)]


def test_many_lines_above_a_document_are_counted():
    lines = "".join(f"fio: line {number}\n" for number in range(60))
    notes = ft.reads(lines + text("fio_json")).notes
    said = dict(zip(notes["line"], notes["message"], strict=True))
    assert said[21] == "... and 40 more lines of text"
    assert (said[1], said[20]) == ("fio: line 0", "fio: line 19")


def test_a_terse_line_of_another_run_is_not_a_copy_of_the_json():
    both = edited("fio/fio-3.33--terse-v3-json.terse")
    terse, brace, json = both.partition("{")
    assert ft.reads(both).runs["format"].tolist() == ["fio_json"]
    fields = terse.split(";")
    fields[5] = str(int(fields[5]) + 4)  # KiB read
    other = ft.reads(";".join(fields) + brace + json)
    assert other.runs["format"].tolist() == ["fio_json", "fio_terse"]


def test_a_terse_line_above_a_whole_report_is_a_run_of_its_own():
    terse = edited("fio/fio-3.33--terse-tiny.terse")
    both = ft.reads(terse + text("fio_normal"), name="x.txt")
    assert both.runs["format"].tolist() == ["fio_terse", "fio_normal"]
    assert numbers(both) == numbers(ft.reads(terse), ft.reads(text("fio_normal"), name="x.txt"))


def test_a_failed_run_of_diskspd_takes_nothing_from_the_report_below():
    failed = edited("diskspd/diskspd-2.1--interrupted.txt")
    both = ft.reads(failed + text("crystaldiskmark"))
    assert numbers(both) == numbers(ft.reads(text("crystaldiskmark")))
    assert "Test" in set(both.settings.query("run == 2")["option"])


def test_the_table_of_hyperfine_ends_where_another_report_begins():
    csv = "command,mean,stddev,median,user,system,min,max\n'a,b',1.5,0.1,1.5,1,0.1,1.4,1.6\n"
    torn = ft.reads(csv.replace("'a,b'", '"a\nb"') + "sleep 1,1.0,0.\n" + text("dd"))
    assert torn.timings["command"].tolist() == ["a\nb"]
    assert torn.notes["message"].str.contains("3 fields where the header has 8").any()


# Rows are made of all of a batch of files at once.
def outputs(name):
    found = [path for path in sorted(FIXTURES.rglob(name)) if path.is_file()]
    assert len(found) > 3
    return found


def alone(paths):
    """Read files one by one; those that cannot be read are left out."""
    for path in paths:
        with suppress(ft.FileError):
            yield path, ft.read(path)


@pytest.mark.parametrize("name", ["fio-*.json", "diskspd-*.xml", "*-dd-*.txt", "*[aeiou].*"])
def test_the_same_rows_together_and_alone(name):
    each = [*alone(outputs(name))]
    Random(3).shuffle(each)
    together = ft.read([path for path, _ in each]).to_polars()
    for table, frame in together.items():
        apart = [one.to_polars()[table] for _, one in each]
        if table == "notes":  # a run that stands in two files is noted of both together only
            frame = frame.filter(~frame["message"].str.contains("the same run as"))
            apart = [one.filter(~one["message"].str.contains("the same run as")) for one in apart]
        counts = [len(one) for one in apart]
        assert len(frame) == sum(counts), table
        at = 0
        for one, count in zip(apart, counts, strict=True):
            assert frame[at : at + count].equals(one), (table, one["source"][:1])
            at += count
