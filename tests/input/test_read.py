"""Reading as a whole: what comes out, and what happens to files that are wrong."""

import copy
import gc
import shutil
from contextlib import nullcontext
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import fiotools as ft
from fiotools.errors import UnknownFormatError
from fiotools.readers import built_in, opened
from fiotools.vocabulary import COLUMNS, TABLES
from tests.conftest import PANDAS

DD = "2+0 records in\n2+0 records out\n2097152 bytes (2.1 MB, 2.0 MiB) copied, 0.5 s, 4.2 MB/s\n"
PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452")


@pytest.fixture
def folder(tmp_path):
    for name in ("good1.txt", "good2.txt"):
        (tmp_path / name).write_text(DD)
    return tmp_path


def test_every_table_has_its_columns_and_types_even_when_empty():
    results = ft.reads(DD)
    for table, names in TABLES.items():
        frame = getattr(results, table)
        assert list(frame.columns) == list(names)
        assert isinstance(frame.index, pd.RangeIndex)
        for name in names:
            assert str(frame[name].dtype) == PANDAS[COLUMNS[name].dtype]
    tables = results.to_polars()
    assert set(tables) == set(TABLES)
    assert tables["io"].schema["io_bytes"] == pl.Int64
    assert tables["io"]["io_bytes"].to_list() == [2097152]
    assert tables["io"]["lat_mean_ns"].null_count() == 1
    assert tables["runs"].schema["reported_at"] == pl.Datetime("ms", "UTC")


def test_a_table_may_be_replaced():
    """Every function that takes results sees the new one; a copy keeps the old one."""
    results = ft.read("data/page-cache/{cache}.txt")
    before = copy.copy(results)
    results.timings = results.timings.query("cache == 'after'")
    assert results.to_polars()["timings"]["cache"].to_list() == ["after"]
    assert repr(results) == "<Results: 2 files, time, 2 runs, 1 timing, 0 notes>"
    assert list(results.tables) == list(before.tables) == list(TABLES)
    assert len(before.timings) == len(before.runs) == len(results.runs) == 2


NOON = pd.Timestamp("2026-11-22 12:00:00.000001")
TOKYO = NOON.tz_localize("Asia/Tokyo")
SPAN = pd.Timedelta("3s")


@pytest.mark.parametrize(
    ("values", "dtype", "wanted"),
    [
        ([1, 2], "int64", pl.Int64()),
        ([1.5, None], "float32", pl.Float32()),
        ([1, None], "Int32", pl.Int32()),
        ([True, False], "bool", pl.Boolean()),
        (["a", None], "category", pl.String()),
        (["a", None], "object", pl.String()),
        (["a", None], "string", pl.String()),
        ([NOON, None], "datetime64[us]", pl.Datetime("us")),
        ([TOKYO, TOKYO], None, pl.Datetime("us", "UTC")),
        ([SPAN, None], None, pl.Duration("us")),
        ([[1], [2, 3]], "object", pl.List(pl.Int64())),
    ],
)
def test_a_column_added_by_hand_goes_to_polars_too(values, dtype, wanted):
    results = ft.reads(DD + DD)
    results.io["mine"] = pd.Series(values, dtype=dtype)
    column = results.to_polars()["io"]["mine"]
    there = [one.to_pydatetime() if isinstance(one, pd.Timestamp) else one for one in values]
    assert (column.dtype, column.to_list()) == (wanted, there)
    both = ft.concat([results, ft.reads(DD)])  # the other has no such column
    assert both.io["mine"].isna().tolist() == [value is None for value in (*there, None)]
    assert both.to_polars()["io"]["mine"].to_list() == [*there, None]


def test_only_the_tables_asked_for():
    results = ft.reads(DD, tables=("io",))
    assert set(results.tables) == {"io", "notes"}
    with pytest.raises(AttributeError, match="was not asked for"):
        _ = results.settings
    with pytest.raises(AttributeError, match="its tables are"):
        _ = results.nothing
    with pytest.raises(ft.SchemaError, match="'iops' is not one of"):
        ft.reads(DD, tables=("iops",))


def test_repr_counts(folder):
    assert repr(ft.read(folder)) == ("<Results: 2 files, dd, 2 runs, 2 io rows, 6 extras, 0 notes>")
    assert "2 runs" in ft.show(ft.read(folder))._repr_html_()
    logs = ["mixed_lat.1.log", "mixed_lat.2.log", "mixed_clat_hist.1.log"]
    both = ft.read([f"data/per-io-log/{name}" for name in ["mixed.json", *logs]])
    assert "1 run, 3 logs, " in repr(both)
    assert "3 runs, " in repr(both.where("format!=fio_json"))


def test_a_label_named_like_a_column_is_its_value(tmp_path):
    (tmp_path / "d4.txt").write_text(f"$ dd if=/dev/zero of=x bs=1M\n{DD}")
    (tmp_path / "d8.txt").write_text(DD)
    for name in ("iodepth", "bs_bytes"):
        results = ft.read(f"{tmp_path.as_posix()}/d{{{name}:d}}.txt")
        assert results.io[name].tolist() == [4, 8]
    assert results.notes["message"].item() == (
        "the path says bs_bytes=4, the file 1048576: the path's is kept"
    )


def test_what_a_file_tells_apart_stays_apart(tmp_path):
    one = f"$ dd if=/dev/zero of=x bs=1M\n{DD}\n"
    (tmp_path / "n4-h.txt").write_text(one + one.replace("1M", "2M"))
    results = ft.read(f"{tmp_path.as_posix()}/n{{bs_bytes:d}}-{{host}}.txt")
    assert results.io["bs_bytes"].tolist() == [1 << 20, 2 << 20]
    assert results.runs["host"].tolist() == ["h", "h"]
    assert results.labels == ["bs_bytes", "host"]
    said = "the path says bs_bytes=4, the file 1048576, 2097152: the file's are kept"
    assert said in results.notes["message"].tolist()


def test_the_number_of_a_run_stands_in_the_path(tmp_path):
    for run in (3, 7):
        (tmp_path / f"ext4-{run}.txt").write_text(DD.replace("1 s", f"1.{run} s"))
    results = ft.read(f"{tmp_path.as_posix()}/{{filesystem}}-{{run}}.txt")
    assert results.io["run"].tolist() == results.runs["run"].tolist() == [3, 7]
    assert results.labels == ["filesystem", "run"]
    assert results.notes.empty


def test_the_good_files_of_a_folder_are_returned(folder):
    (folder / "cut.json").write_text('{"fio version": "fio-3.33", "jobs": [')
    for source in (folder, f"{folder.as_posix()}/*", f"{folder.as_posix()}/{{name}}.*"):
        with pytest.warns(UserWarning, match=r"1 of 3 files could not be read.*\n.*cut.json"):
            results = ft.read(source)
        assert len(results.io) == results.files == 2
        assert [Path(one.path).name for one in results.failures] == ["cut.json"]
        assert "1 file was not read" in repr(results.where("direction!=trim"))
    with pytest.raises(ft.ReadErrors):
        ft.read([folder / "good1.txt", folder / "cut.json"])
    with pytest.raises(ft.ReadErrors, match="1 of 3 files") as caught:
        ft.read(folder, errors="raise")
    assert len(caught.value.failures) == 1
    assert len(caught.value.results.io) == 2
    noted = ft.read(folder, errors="note")
    assert (len(noted.io), noted.files) == (2, 2)
    assert noted.notes["severity"].tolist() == ["error"]
    assert noted.notes["source"].str.endswith("cut.json").all()


def test_plots_and_reports_beside_results_do_not_matter(tmp_path):
    shutil.copytree("data/page-cache", tmp_path, dirs_exist_ok=True)
    ft.report(tmp_path, tmp_path / "report.html")
    drawn = ft.plot.timings(ft.read(tmp_path).timings, y="source")
    ft.plot.save(drawn, tmp_path / "plot", formats=("png", "svg", "pdf"))
    notes = ft.read(tmp_path).notes
    made = notes[notes["source"].str.contains("plot|report")]
    assert made["severity"].tolist() == ["info"] * 4


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "1 file was not read (.failures, .notes):"),
        ('{"fio version": "fio-3.33", "jobs": [', "1 file was not read (.failures, .notes):"),
        ("milk\n", "1 file of unknown format (.notes)"),
        ("<svg></svg>", ""),
    ],
)
def test_a_lost_run_is_a_failure_and_what_is_beside_runs_is_not(folder, content, told):
    """Warning, failures, notes, repr and the count of files agree."""
    (folder / "x.txt").write_text(content)
    is_lost = told.endswith(":")
    with pytest.warns(UserWarning, match="1 of 3") if is_lost else nullcontext():
        results = ft.read(folder)
    assert [Path(one.path).name for one in results.failures] == ["x.txt"] * is_lost
    assert [Path(one).name for one in results.notes["source"]] == ["x.txt"]
    severity = "error" if is_lost else "warning" if told else "info"
    assert results.notes["severity"].tolist() == [severity]
    assert repr(results).splitlines()[1:2] == [told] * bool(told)
    assert results.files == 3 - is_lost


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (PNG, "a PNG image"),
        (b'<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC "">\n<svg>\n</svg>', "an SVG image"),
        (bytes(range(256)) * 4, "binary"),
        (b'{\n "name": "x",\n "dependencies": {}\n}', "its top-level keys are name, dependencies"),
        (b"Dear diary,\nnothing was measured.\n", "unknown format; it begins 'Dear diary,'"),
    ],
)
def test_a_wrong_file_gives_one_clear_line(tmp_path, content, reason):
    file = tmp_path / "wrong.bin"
    file.write_bytes(content)
    with pytest.raises(UnknownFormatError) as caught:
        ft.read(file)
    message = str(caught.value)
    assert reason in message
    assert message.startswith(file.as_posix())
    assert "\n" not in message


def test_errors_that_are_kept_do_not_hold_their_files(folder):
    for number in range(3):
        (folder / f"cut{number}.xml").write_text("<Results>\n <System>\n")
    (folder / "cut.json").write_text('{"fio version": "fio-3.33", "jobs": [{]}')
    with pytest.raises(ft.ReadErrors) as caught:
        ft.read(folder, errors="raise")
    assert len(caught.value.failures) == 4
    for error in caught.value.failures:
        assert (error.__traceback__, error.__context__, error.__cause__) == (None, None, None)


def test_the_collector_is_left_as_it_was(folder):
    assert gc.isenabled()
    with pytest.raises(UnknownFormatError):
        ft.reads("milk")
    assert gc.isenabled()
    gc.disable()
    try:
        ft.read(folder)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_format_overrides_and_is_checked():
    assert len(ft.reads(DD, format="dd").io) == 1
    with pytest.raises(ValueError, match="is not one of"):
        ft.reads(DD, format="ddd")
    with pytest.raises(ValueError, match="'raise', 'note'"):
        ft.read(".", errors="ignore")


def test_what_is_done_to_a_reading_stays_there():
    changed, other = ft.reads(DD), ft.reads(DD)
    changed.cpu["more"] = []
    changed.cpu.columns.name = "changed"
    changed.io.loc[0, "job"] = "changed"
    for results in (other, ft.reads(DD)):
        assert "more" not in results.cpu
        assert results.cpu.columns.name is None
        assert results.io["job"].isna().all()


def test_a_format_reads_its_own_reports_and_no_others(fixture_files):
    log = f"$ time dd if=/dev/zero of=x\n{DD}\nreal\t0m0.6s\nuser\t0m0.1s\nsys\t0m0.2s\n"
    assert len(ft.reads(log, format="dd").io) == 1
    assert ft.reads(log, format="time").timings["real_s"].tolist() == [0.6]
    some = fixture_files[::8]
    runs = ft.read(some, errors="note").runs
    tried = 0
    for name in ft.formats()["format"]:
        with pytest.raises(ft.ReadErrors) as raised:
            ft.read(some, format=name, errors="raise")
        read = {*raised.value.results.runs["source"]}
        refused = {failure.path for failure in raised.value.failures}
        silent = {file.as_posix() for file in some} - read - refused
        assert not silent, f"as {name}: no runs and no error"
        tried += len(read & {*runs.loc[runs["format"] == name, "source"]})
    assert tried > 5


def test_bytes_that_are_not_text_are_noted(tmp_path):
    file = tmp_path / "dd.txt"
    file.write_bytes(
        "2+0 enregistrements écrits\n".encode("latin-1") * 2 + DD.encode().split(b"\n")[2]
    )
    results = ft.read(file)
    assert results.io["io_bytes"].tolist() == [2097152]
    assert results.notes["line"].tolist() == [1]


def test_concat(folder):
    one, two = ft.read(folder / "good1.txt"), ft.read({"b": folder / "good2.txt"}, tables=("io",))
    both = ft.concat([one, two])
    assert both.files == 2
    assert set(both.tables) == {"io", "notes"}
    assert both.io["label"].isna().tolist() == [True, False]
    assert str(both.io["io_bytes"].dtype) == "Int64"
    numbered = ft.read(f"{folder.as_posix()}/good{{round:d}}.txt")
    both = ft.concat([numbered, one])
    assert str(both.io["round"].dtype) == "Int64"
    assert both.to_polars()["timings"].schema["round"] == pl.Int64
    assert both.timings.empty
    assert list(both.timings.columns) == ["round", *TABLES["timings"]]
    assert str(both.timings["round"].dtype) == "Int64"
    with pytest.raises(ValueError, match="at least one"):
        ft.concat([])


def test_every_file_is_claimed_by_one_reader(fixture_files):
    assert len(fixture_files) > 100
    nobodys = set()
    for file in fixture_files:
        document = opened(file.name, file.read_bytes())
        claims = [reader.name for reader in built_in() if reader.sniff(document)]
        assert len(claims) <= 1, f"{file.name}: {claims}"
        if not claims:
            nobodys.add(file.name)
    assert nobodys == {
        # figures without labels
        "bash-5.2.15--times.txt",
        "bash-5.2.15--unlabelled.txt",
        "zsh-5.9--no_command.txt",
        # somebody's JSON: the texts in its strings are
        "assembled-json-escaped.json",
    }
