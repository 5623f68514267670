"""Lines that are certainly of a report, and that no reader took, are not passed over in silence."""

import re
from pathlib import Path

import pytest

import fiotools as ft
from fiotools.readers import READERS
from fiotools.readers.document import may_hold

DD = "2+0 records in\n2+0 records out\n2097152 bytes (2.1 MB, 2.0 MiB) copied, 0.500321 s, 4.2 MB/s\n"


@pytest.mark.parametrize(
    "line",
    [
        "2097152 bytes (2.1 MB, 2.0 MiB) copied,",
        "real 0.50",
        "| user\t0m0.100s |",
        "job: (groupid=0, jobs=1): err=",
        "  read: IOPS=1000, BW=4000KiB/s",
        " total:   1234 |  5 | 6",
    ],
)
def test_a_line_that_no_report_took_is_a_warning(line):
    results = ft.reads(f"{DD}\nand then\n{line}\nthe end\n")
    assert results.io["io_bytes"].tolist() == [2097152]
    note = results.notes[results.notes["message"].str.contains("were not read")]
    assert note[["line", "severity"]].to_numpy().tolist() == [[6, "warning"]]
    assert repr(line.strip()) in note["message"].item()


@pytest.mark.parametrize("text", ["it took 5 s of real time\n", "user 5\n", "read: 5\n"])
def test_prose_is_not_a_report(text):
    assert ft.reads(DD + "\n" + text).notes.empty


def test_wrapped_numbers_are_not_lost_in_silence():
    wrapped = DD.replace("MiB) copied, ", "MiB) copied,\n\n  and\n")
    notes = ft.reads(DD + "\nhere\n" + wrapped).notes
    assert notes["severity"].eq("warning").any()


@pytest.fixture(scope="module")
def fixtures():
    files = (Path(__file__).parents[1] / "fixtures").rglob("*.*")
    return [path.read_text("utf-8", "replace") for path in files if path.stat().st_size < 20_000]


@pytest.mark.parametrize("name", [reader.name for reader in READERS if reader.mark_needs])
def test_each_mark_has_a_word_that_it_needs(name, fixtures):
    reader = next(reader for reader in READERS if reader.name == name)
    pattern = re.compile("|".join(filter(None, (reader.mark, reader.line_mark))), re.I | re.M)
    marks = [match[0].lower() for text in fixtures for match in pattern.finditer(text)]
    assert marks
    assert [mark for mark in marks if not may_hold(mark, reader.mark_needs)] == []
