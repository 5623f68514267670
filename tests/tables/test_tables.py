"""Rows of many files as frames, in order; conditions, and names of sides."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fiotools import SchemaError, read
from fiotools.files import short_names
from fiotools.tables import columns, parts, results, rows
from fiotools.tables.conditions import kept as where
from fiotools.tables.notes import Note
from fiotools.tables.parts import FILE, Part, stack
from fiotools.tables.rows import Rows
from tests.conftest import FIXTURES

BIN = (FILE, "run", "latency")


def filled():
    """Fill the rows of two files: blocks out of order, and rows one by one."""
    found = Rows()
    found.begin(0, "a")
    found.block("bins", BIN, (0, 2, "slat"), ("count",), [1, 2])
    found.block("bins", BIN, (0, 1, "clat"), ("count",), [3])
    found.begin(1, "b")
    found.block("bins", BIN, (1, 1, "lat"), ("count",), [None, 5])
    return found


@pytest.fixture(params=["few", "many"])
def form(request, monkeypatch):
    if request.param == "many":
        monkeypatch.setattr(rows, "FEW", 0)
        monkeypatch.setattr(parts, "FEW", 0)


@pytest.mark.usefixtures("form")
def test_rows_of_all_kinds_stand_in_one_table():
    one, other = filled(), Rows()
    other.begin(0, "y")
    other.append("bins", (*BIN, "count"), (0, 1, "lat", 4))
    other.add("bins", run=1, latency="clat", count=6)
    other.extend("bins", {"count": np.array([7, 8]), "latency": ["slat", "clat"]}, run=1)
    both = [
        Part([("x", {}), ("z", {})], one.tables()),
        Part([("y", {})], other.tables()),
    ]
    whole = stack(both, ("bins",))
    assert whole.tables["notes"].height == 0
    frame = results.Frames(whole)["bins"]
    assert frame["source"].tolist() == ["x"] * 3 + ["z"] * 2 + ["y"] * 4
    assert frame["count"].fillna(-1).tolist() == [3, 1, 2, -1, 5, 4, 7, 8, 6]
    assert frame["latency"].tolist()[-4:] == ["lat", "slat", "clat", "clat"]


def test_the_rows_of_a_file_are_taken_back():
    found = filled()
    found.start_run(tool="x")
    found.append("io", (FILE, "run", "iops"), (1, 1, 2.0))
    found.note("it ends here", code="incomplete", line=3)
    assert [note["line"] for note in found.notes()] == [3]
    found.undo()
    assert (found.runs, [*found.notes()]) == (0, [])
    found.say(Note("refused", "error", 7, "cut"))
    made = found.tables()
    assert {table: frame.height for table, frame in made.items()} == {"bins": 3, "notes": 1}
    assert made["notes"].rows(named=True) == [
        {FILE: 1, "line": 7, "severity": "error", "code": "refused", "message": "cut"}
    ]


@pytest.mark.parametrize("way", ["append", "add"])
def test_a_number_that_fits_no_column_loses_no_other(form, way):
    found = Rows()
    found.begin(0, "a")
    for run, count in ((1, 2**63), (2, 5)):
        if way == "append":
            found.append("io", (FILE, "run", "total_ios"), (0, run, count))
        else:
            found.add("io", run=run, total_ios=count)
    made = found.tables()
    assert made["io"]["total_ios"].to_list() == [None, 5]
    (note,) = made["notes"].rows(named=True)
    assert (note["run"], note["code"]) == (1, "left out")
    assert "total_ios is 9223372036854775808" in note["message"]


def test_what_a_reader_may_not_give_is_refused_at_once():
    with pytest.raises(SchemaError, match="a note has no code 'nonsense'"):
        Rows().note("odd", code="nonsense")
    with pytest.raises(SchemaError, match="has no column 'nothing'"):
        Rows().extend("io", {"nothing": [1]})
    for name, given in (("run", [1.5]), ("job", [1]), ("direct", ["yes"])):
        with pytest.raises(TypeError):
            columns.column(name, given)


@pytest.mark.parametrize("storage", ["python", "auto"])
@pytest.mark.parametrize("words", [["clat", "lat"], ["lat", "clat", "slat"]], ids=len)
def test_repeated_texts_may_be_an_enum(words, storage, form):
    found = Rows()
    some = pl.Series(["lat", None, "clat"], dtype=pl.Enum(words))
    found.begin(0, "a")
    found.extend("bins", {"latency": some, "count": [1, 2, 3]}, run=1)
    found.begin(1, "b")
    found.extend("bins", {"latency": ["slat"], "count": [4]}, run=1)
    made = results.Frames(Part([("a", {}), ("b", {})], found.tables()))
    wanted = ["lat", None, "clat", "slat"]
    assert made.polars("bins")["latency"].dtype == pl.String
    assert made.polars("bins")["latency"].to_list() == wanted
    with pd.option_context("mode.string_storage", storage):
        latency = made["bins"]["latency"]
    assert latency.dtype == "str"
    assert latency.astype(object).where(latency.notna(), None).tolist() == wanted


@pytest.mark.parametrize(
    ("table", "one", "other", "value"),
    [("runs", "host", "command", "x"), ("bins", "port", "time_s", 7)],
)
def test_columns_without_values_are_changed_one_by_one(table, one, other, value):
    frame = read(FIXTURES / "fio" / "fio-3.33--jsonplus-libaio.json").tables[table]
    assert frame[[one, other]].isna().all(axis=None)
    frame.loc[0, one] = value
    assert frame[one].notna().tolist() == [True] + [False] * (len(frame) - 1)
    assert frame[other].isna().all()


# --- conditions, and names of sides ------------------------------------------------------------

IO = pl.DataFrame(
    {
        "at": [0, 1, 2],
        "direction": ["read", "write", None],
        "bs_bytes": [4096, 1048576, None],
        "lat_mean_ns": [5e5, 2e6, None],
        "direct": [True, False, None],
    }
)


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("direction=read", [0]),
        ("direction != read", [1, 2]),
        ("bs=4k", [0]),
        ("bs_bytes >= 4096", [0, 1]),
        ("lat_mean>1ms", [1]),
        ("direct=yes", [0]),
        ("direct == False", [1]),
        ("direction in ['read', 'write'] and bs > 4096", [1]),
        ("not (direction == 'write')", [0, 2]),
        ("4000 < bs < 5000 or lat_mean > 1e6", [0, 1]),
        ("lat_mean != 5e5", [1, 2]),
        ("direction == ['write', 'trim']", [1]),
        ("(bs == 4096) | ~(direct == True) & (lat_mean > -1)", [0, 1]),
    ],
)
def test_where(condition, rows):
    assert where(IO, [condition])["at"].to_list() == rows


@pytest.mark.parametrize(
    ("sources", "names"),
    [
        (["./runs/a.json", "runs/b.json.gz"], ["a", "b"]),
        (["x/1/fio.json", "x/2/fio.json"], ["1", "2"]),
        (["old/a.json", "new/b.json"], ["a", "b"]),
        (["old/a*.json", "new/b.json"], ["old", "new/b"]),
        (["old/**/*.json", "new/*.json"], ["old", "new"]),
        (["fio-3.33.json", "fio-3.34.json"], ["fio-3.33", "fio-3.34"]),
        (["run.json", "run.txt"], ["run.json", "run.txt"]),
        (["a/run.json", "run.json"], ["a/run", "run"]),
        ([r"C:\runs\a.xml", r"C:\runs\b.xml"], ["a", "b"]),
        (["-", "a.json"], ["stdin", "a"]),
        (["/", "."], ["/", "."]),
    ],
)
def test_names_of_sides(sources, names):
    assert short_names(sources) == names


def test_a_long_repeated_text_is_stored_once():
    count = 200_000
    found = Rows()
    found.extend("samples", {"value": np.arange(count, dtype=float)}, run=1, job="j" * 100)
    made = results.Frames(Part([("s" * 100, {})], found.tables()))
    job = made["samples"]["job"]
    assert {*job} == {"j" * 100}
    if job.dtype.storage == "pyarrow":
        assert job.array.__arrow_array__().get_total_buffer_size() < count
