"""Every JSON and text file of the fio corpus: right, or a clear error."""

import csv
import json
import math
from collections import Counter
from pathlib import Path

import pytest

import fiotools as ft
from fiotools.errors import FileError

CORPUS = Path(__file__).parents[2] / "shared" / "corpus" / "fio"
pytestmark = pytest.mark.skipif(
    not CORPUS.is_dir(), reason="the corpus (../shared/corpus) does not lie beside the project"
)

# files whose figures contradict themselves: edited by hand, both
DOUBTED = {
    "wild/microsoft_VirtualClient__Results_FIO.json": "is not the io_bytes",
    "wild/microsoft_VirtualClient__TestFioJson-3.13-windows.txt": "no key of fio's",
}

# what holds no report that can be read, and what the error says of it
REJECTED = {
    "wild/louwrentius_fio-plot__libaio-not-loadable-nojson.json": "engine libaio not loadable",
    "wild/louwrentius_fio-plot__shm-error-nojson.json": "failed to setup shm",
    "wild/mcgrof_fio-tests__steadystate-abridged-3.1.md": "no whole JSON document",
    "wild/microsoft_VirtualClient__Error_1.txt": "err=84",
    "wild/microsoft_VirtualClient__Error_2.txt": "err=84",
    "wild/microsoft_VirtualClient__Verification_Error_1.txt": "verify failed",
    "wild/microsoft_VirtualClient__Verification_Error_2.txt": "bad header",
    "generated/local__client-deadserver-json.json": "Connection refused",
    "generated/local__json-fail-missing-dir-stdout.json": "is not a directory",
    "generated/local__json-parse-only.txt": "the file is empty",
    "generated/local__json-readonly-safety.txt": "read-only mode",
}


def manifest():
    with (CORPUS / "MANIFEST.tsv").open(encoding="utf-8") as lines:
        return [
            row
            for row in csv.DictReader(lines, delimiter="\t")
            if not row["kind"].startswith(("log", "terse"))
        ]


def close(value, other, relative=1e-9):
    return math.isclose(value, other, rel_tol=relative, abs_tol=1e-9)


def test_every_file_is_read_or_rejected_with_a_reason(record_property):
    counts, failures, doubts = Counter(), {}, {}
    for row in manifest():
        name = row["file"]
        try:
            results = ft.read(CORPUS / name)
        except FileError as error:
            failures[name] = str(error)
        else:
            warned = results.notes.query("severity == 'warning' and run.notna()")["message"]
            doubts[name] = warned[warned.str.contains("kept as printed|left out")].tolist()
            assert len(results.runs), name
            assert len(results.jobs) or "dd" in set(results.runs["tool"]), name
            counts["read"] += 1
    assert failures.keys() == REJECTED.keys()
    for name, reason in REJECTED.items():
        assert reason in failures[name]
    assert {name for name, said in doubts.items() if said} == DOUBTED.keys()
    for name, doubt in DOUBTED.items():
        assert doubt in doubts[name][0]
    record_property("read", counts["read"])
    record_property("rejected with a reason", len(failures))


def test_figures_are_those_of_an_independent_reader():
    truths = json.loads((CORPUS / "truths.json").read_text(encoding="utf-8"))
    files = {truth["file"]: ft.read(CORPUS / truth["file"]) for truth in truths}
    for truth in truths:
        results = files[truth["file"]]
        io = results.io[
            (results.io["entry"] == truth["index"] + 1)
            & (results.io["direction"] == truth["op"])
            & (results.io["job"] == truth["job"])
        ]
        place = f"{truth['file']} {truth['index']} {truth['op']}"
        assert len(io) == 1, place
        row = io.iloc[0]
        # 2.1 printed whole numbers of I/Os and KiB a second, cut off
        assert row["iops"] == pytest.approx(truth["iops"], rel=1e-6), place
        slack = 0 if truth["bw_source"] == "bw_bytes" else 1023.999
        assert 0 <= row["bw_bytes_per_s"] - truth["bw_bytes"] <= slack, place
        assert row["runtime_s"] * 1000 == pytest.approx(truth["runtime_ms"]), place
        if truth["total_ios"] is not None:
            assert row["total_ios"] == truth["total_ios"], place
        if truth["clat_mean_ns"] is not None:
            assert row["clat_mean_ns"] == pytest.approx(truth["clat_mean_ns"]), place
        if truth["clat_p99_ns"] is not None:
            p99 = results.percentiles.query(
                f"entry == {truth['index'] + 1} and direction == {truth['op']!r}"
                " and latency == 'clat' and percentile == 99"
            )
            assert p99["value_ns"].item() == pytest.approx(truth["clat_p99_ns"]), place
        job = results.jobs[results.jobs["entry"] == truth["index"] + 1].iloc[0]
        assert job["error"] == truth["error"], place


def test_reports_in_the_strings_of_a_document_are_read():
    res = ft.read(CORPUS / "wild/bamasa_fio_tests__text-inside-json-3.12.json")
    assert len(res.runs) == 270  # as the manifest counts
    assert set(res.runs["format"]) == {"fio_normal"}
    assert not (res.notes["severity"] == "warning").any()
