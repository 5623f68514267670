"""fio's typed records: what is decoded at once, and what is repaired first, give the same rows."""

import json
from pathlib import Path

import msgspec
import pytest

import fiotools as ft
from fiotools.readers.fio import documents, schema
from fiotools.readers.fio import json as fio_json
from fiotools.readers.fio.fields import FIELDS
from tests.fio_forms import documents as parsed

FIXTURES = Path(__file__).parents[1] / "fixtures" / "fio"
DOCUMENTS = sorted(FIXTURES.glob("*.json"))
WHOLE = FIXTURES / "fio-3.33--libaio.json"
RECORDS = {
    "jobs": (schema.Job,),
    "io": (schema.Part, schema.Latency),
    "disks": (schema.Disk,),
}


def reads(value):
    return ft.reads(json.dumps(value, indent=2), name="x.json")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_decoded_and_repaired_documents_give_the_same_rows(path, monkeypatch):
    decoded = ft.read(path).to_polars()
    for module in (documents, fio_json):
        monkeypatch.setattr(module, "decoded", lambda data: None)
    repaired = ft.read(path).to_polars()
    assert decoded.keys() == repaired.keys()
    for table, frame in decoded.items():
        assert frame.equals(repaired[table]), table


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_what_fio_writes_is_decoded(path):
    text = path.read_text(encoding="utf-8")
    for one in documents.pieces(text):
        # without I/O fio 3.33 repeats keys
        is_odd = path.stem == "fio-3.33--no-io"
        assert (schema.decoded(text[one.start : one.end].encode()) is None) == is_odd


OTHERS = {
    "null": lambda text: text.replace('"error" : 0', '"error" : null'),
    "text": lambda text: text.replace('"error" : 0', '"error" : "0"'),
    "a fraction": lambda text: text.replace('"error" : 0', '"error" : 0.5'),
    "twice": lambda text: text.replace('"error" : 0', '"error" : 0, "error" : 1'),
    "too great": lambda text: text.replace('"error" : 0', '"error" : 9223372036854775808'),
    "nan": lambda text: text.replace('"usr_cpu" : ', '"usr_cpu" : nan, "x" : '),
    "another key": lambda text: text.replace('"fio version"', '"fioversion"'),
    "cut": lambda text: text[:-4],
    "not fio's": lambda text: '{"jobs": [{"x": 1}]}',
}


@pytest.mark.parametrize("change", OTHERS.values(), ids=OTHERS)
def test_other_documents_are_not_decoded(change):
    text = WHOLE.read_text(encoding="utf-8")
    assert schema.decoded(text.encode()) is not None
    assert change(text) != text
    assert schema.decoded(change(text).encode()) is None


def test_unused_slots_of_percentiles_may_be_repeated():
    """As fio before 3.2 writes them."""
    text = WHOLE.read_text(encoding="utf-8")
    slots = text.replace('"percentile" : {', '"percentile" : {"0.00" : 0, "0.00" : 0, "0.00" : 0,')
    assert schema.decoded(slots.encode()) is not None
    assert ft.reads(slots, name="x").percentiles.equals(ft.reads(text, name="x").percentiles)
    for twice in ('"0.00" : 0, "ctx" : 1, ', '"ctx" : 1, ', '"0.00" : {"0.00" : 0}, "ctx" : 1, '):
        assert schema.decoded(slots.replace('"ctx" : ', twice + '"ctx" : ').encode()) is None


def test_keys_of_a_newer_fio_keep_their_place_among_the_extras():
    [whole] = parsed(WHOLE.read_text(encoding="utf-8"))
    job = whole["jobs"][0]
    job["iodepth_level"] = job.pop("iodepth_level")
    job["new"] = {"a": [1, 2]}
    job["latency_depth"] = job.pop("latency_depth")
    assert schema.decoded(json.dumps(whole).encode()) is not None
    results = reads(whole)
    paths = [path for path in results.extras["path"] if path in job]
    assert paths == [key for key in job if key in {*paths}]
    assert paths[-3:] == ["iodepth_level", "new", "latency_depth"]
    assert results.extras.set_index("path")["text"]["new"] == '{"a":[1,2]}'


def test_an_integer_too_great_for_its_unit_is_left_out_alone():
    [whole] = parsed(WHOLE.read_text(encoding="utf-8"))
    whole["disk_util"] = [{"name": "sda", "read_ios": 7, "read_sectors": 2**60}]
    one, other = json.dumps(whole, indent=2), WHOLE.read_text(encoding="utf-8")
    results = ft.reads(f"{other}\n{one}", name="x.json")
    assert results.disks[results.disks["run"] == 2]["read_ios"].item() == 7
    assert results.disks[results.disks["run"] == 2]["read_sectors_bytes"].isna().item()
    [note] = results.notes[results.notes["code"] == "left out"].to_dict("records")
    assert "read_sectors_bytes is 590295810358705651712" in note["message"]
    assert note["run"] == 2
    assert note["line"] == other.count("\n") + 2


@pytest.mark.parametrize("table", FIELDS)
def test_every_column_is_taken_from_a_key_of_fios(table):
    known = {
        field.encode_name for record in RECORDS[table] for field in msgspec.structs.fields(record)
    }
    for field in FIELDS[table]:
        assert {*field.key.split(".")} <= known, field


def test_a_path_that_contradicts_the_file_says_the_same_in_every_table(tmp_path):
    [whole] = parsed(WHOLE.read_text(encoding="utf-8"))
    (tmp_path / "1").mkdir()
    (tmp_path / "1" / "x.json").write_text(json.dumps(whole))
    results = ft.read(f"{tmp_path}/{{iodepth:d}}/x.json")
    for table in (results.io, results.percentiles, results.bins):
        assert table["iodepth"].tolist() == [1] * len(table)
    said = "the path says iodepth=1, the file 4: the path's is kept"
    assert results.notes["message"].item() == said
    assert set(results.settings.query("option == 'iodepth'")["text"]) == {"4"}


def test_no_other_format_is_asked_for_a_whole_document(monkeypatch):
    def refuse(document):
        raise AssertionError(document.name)

    monkeypatch.setattr("fiotools.input.read.sniff", refuse)
    assert ft.read(WHOLE).runs["tool_version"].item() == "3.33"
