"""Documents read side by side give what they give one by one."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import orjson
import pandas as pd
import pytest

from fiotools import batches, read
from fiotools.readers.fio import json_bins as fio_json_bins
from fiotools.readers.fio import json_bulk as fio_json_bulk
from fiotools.readers.fio import json_together as fio_json_together
from fiotools.readers.fio.json import READER
from tests.corpus import CORPUS

ROOT = Path(__file__).parents[2]
PLAIN = (ROOT / "tests/fixtures/fio/fio-3.33--libaio.json").read_bytes()
PLUS = (ROOT / "tests/fixtures/fio/fio-3.33--jsonplus-libaio.json").read_bytes()
PLACES = [ROOT / "tests/fixtures", ROOT / "data", *([CORPUS] if CORPUS.is_dir() else [])]


# the name tells what was read: with the corpus it is another test
@pytest.fixture(scope="module", params=["ours and the corpus" if CORPUS in PLACES else "ours"])
def documents() -> list[Path]:
    found = [path for place in PLACES for path in sorted(place.rglob("*.json*"))]
    return [path for path in found if b'"fio version"' in path.read_bytes()[:100]]


def both(monkeypatch, sources, **asked) -> tuple[int, list[str]]:
    """Read twice; return how many files were taken side by side, and the tables that differ."""
    taken = []

    class Counting(READER.bulk):
        def take(self, number, data):
            taken.append(super().take(number, data))
            return taken[-1]

        def finish(self):
            rows, odd = super().finish()
            taken.extend([-1] * len(odd))
            return rows, odd

    monkeypatch.setattr(fio_json_bins, "_SOON", 1 << 40)
    monkeypatch.setattr(fio_json_bins, "_LEAST", 0)
    monkeypatch.setattr(batches, "_bulks", lambda task: [Counting(task.wanted)])
    fast = read(sources, errors="note", **asked)
    monkeypatch.setattr(fio_json_bins, "_LEAST", 1 << 40)
    monkeypatch.setattr(batches, "_bulks", lambda task: [])
    exact = read(sources, errors="note", **asked)
    differ = []
    for table, frame in exact.tables.items():
        try:
            pd.testing.assert_frame_equal(fast.tables[table], frame, check_exact=True)
        except AssertionError as error:
            differ.append(f"{table}: {error}")
    return sum(taken), differ


@pytest.mark.parametrize("tables", [None, ("io",), ("percentiles", "bins"), ("settings", "jobs")])
def test_the_same_frames_side_by_side_and_one_by_one(monkeypatch, documents, tables):
    taken, differ = both(monkeypatch, documents, tables=tables)
    assert not differ
    assert len(documents) / 2 < taken < len(documents)


def written(document) -> bytes:
    """Lay a document out as fio does."""
    return json.dumps(document, indent=2, separators=(",", " : ")).encode()


def everywhere(value, path=()):
    """List the places of all values in a document."""
    yield path
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        yield from everywhere(inner, (*path, key))


ODD = [
    None,
    True,
    False,
    0,
    0.0,
    1,
    -1,
    -2.5,
    2**31,
    2**53 + 1,
    2**63,
    2**64 - 1,
    1e300,
    "7",
    "x",
    [],
    {},
]


def changed(document, rng):
    """Change a few values of a document: another value, another key, or none."""
    document = orjson.loads(document)
    for _ in range(rng.choice((1, 1, 2, 4))):
        path = rng.choice([path for path in everywhere(document) if path])
        holder = document
        for key in path[:-1]:
            holder = holder[key]
        how = rng.randrange(4)
        if how == 0:
            del holder[path[-1]]
        elif how == 1 and isinstance(holder, dict):
            holder[rng.choice(["N", "hostname", "desc", "steadystate", "x", "lat_us", "name"])] = (
                holder.pop(path[-1])
            )
        elif how == 2 and type(holder[path[-1]]) in (int, float):
            holder[path[-1]] = type(holder[path[-1]])(
                holder[path[-1]] * rng.choice((0, 0.5, 3, -1))
            )
        else:
            holder[path[-1]] = rng.choice(ODD)
    return written(document)


def by_jobs(monkeypatch):
    """Have every document read by its jobs."""
    monkeypatch.setattr(fio_json_bulk, "_LARGEST", 0)


def test_the_same_frames_by_jobs(monkeypatch, documents):
    files = documents[::2]
    by_jobs(monkeypatch)
    taken, differ = both(monkeypatch, files)
    assert not differ
    assert len(files) / 2 < taken < len(files)


def jobs_of(documents) -> list[dict]:
    """Give jobs of many shapes, each of a document that is taken."""
    found = []
    for path in documents:
        bulk, data = READER.bulk(None), path.read_bytes()
        if bulk.take(0, data) and not bulk.finish()[1]:
            found += orjson.loads(data)["jobs"]
    return found


def with_jobs(jobs) -> bytes:
    """Write a document with other jobs, and with options of all of them."""
    document = orjson.loads(PLAIN)
    behind = {"jobs": jobs, "disk_util": document.pop("disk_util")}
    del document["jobs"]
    return written({**document, "global options": {"what": "all"}, **behind})


def test_the_same_frames_of_many_jobs(monkeypatch, documents, tmp_path):
    jobs = jobs_of(documents)[::5] + orjson.loads(PLUS)["jobs"]
    assert len({job["job options"].get("bs") for job in jobs}) > 1
    for number, job in enumerate(jobs):
        job["groupid"], job["elapsed"] = number // 2, number + 1
    clones = [{**jobs[0], "groupid": 10**6} for _ in range(3)]
    for job in clones[1:]:
        job["job options"] = {**job["job options"], "numjobs": "2"}
    (tmp_path / "a.json").write_bytes(with_jobs(jobs + clones))
    (tmp_path / "b.json").write_bytes(PLAIN)
    by_jobs(monkeypatch)
    for tables in (None, ("runs", "settings"), ("bins", "extras")):
        assert both(monkeypatch, tmp_path, tables=tables) == (2, [])
    found = read(tmp_path / "a.json")
    assert found.jobs["scope"].tolist()[-3:] == ["job"] * 3
    assert found.bins["count"].notna().any()
    assert found.bins["pct"].notna().any()


LISTED = [  # what is no list of jobs as fio writes it
    (b"\n    },\n    {", b'\n    }],\n"disk_util" : [\n    {'),
    (b"\n    },\n    {", b"\n    }\n    {"),
    (b"\n    },\n    {", b"\n    }\n  ],\n    {"),
    (b"\n    },\n    {", b"\n    }, 7,\n    {"),
    (b"\n    },\n    {", b"\n    }, {\n    },\n    {"),
    (b"\n    },\n    {", b'\n    }], "client_stats" : [ {\n    },\n    {'),
    (b'"groupid" : 0', b'"groupid" : 00'),
    (b'"groupid" : 0', b'"group" : 0'),
    (b'"elapsed"', b'"groupid" : 5,\n      "elapsed"'),
    (b'"jobname" : "plain"', b'"jobname" : "plain", "jobname" : "plai"'),
    (b'"jobname" : "plain"', b'"jobname" : "pl\\u0061in"'),
    (b'"error" : 0', b'"error" : 5'),
    (b'  "jobs" : [', b'  "jobs" : [ 7,'),
    (b'  "jobs" : [', b'  "x" : {"jobs" : []},\n  "jobs" : ['),
    (b'  "global options" : {', b'  "global options" : {},\n  "global options" : {'),
    (b'"what" : "all"', b'"what" : "a}ll"'),
    (b"\n}", b"\n} 7"),
    (b"\n}", b',\n  "jobs" : []\n}'),
]


@pytest.mark.parametrize(("old", "new"), LISTED)
def test_lists_that_are_not_as_fio_writes_them(monkeypatch, tmp_path, old, new):
    (job,) = orjson.loads(PLAIN)["jobs"]
    data = with_jobs([{**job, "groupid": number} for number in range(3)])
    assert old in data
    (tmp_path / "0.json").write_bytes(data)
    at = data.rindex(old) if old == b"\n}" else data.index(old)
    (tmp_path / "1.json").write_bytes(data[:at] + new + data[at + len(old) :])
    by_jobs(monkeypatch)
    assert both(monkeypatch, tmp_path) == (1, [])


@pytest.mark.parametrize(("largest", "count"), [(2**20, 150), (0, 75)], ids=["whole", "by jobs"])
def test_the_same_frames_of_changed_documents(monkeypatch, documents, tmp_path, largest, count):
    monkeypatch.setattr(fio_json_bulk, "_LARGEST", largest)
    usual = [path for path in documents if READER.bulk(None).take(0, path.read_bytes())]
    rng = random.Random(7)
    for number in range(count):
        data = rng.choice(usual).read_bytes()
        if len(data) < 60_000:
            (tmp_path / f"{number}.json").write_bytes(changed(data, rng))
    taken, differ = both(monkeypatch, tmp_path)
    assert not differ
    assert taken > count / 10


RUN = re.compile(rb"[0-9]+")
SKELETON = bytes.maketrans(b"", b""), b"0123456789"
DIGITS = [b"", b"0", b"00", b"7", b"07", b"42", b"9007199254740993", b"9" * 19, b"1" + b"0" * 300]


def redone(data, rng, size):
    """Put other digits where digits stand: in numbers, names and keys alike."""
    places = [run.span() for run in RUN.finditer(data)]
    for start, end in sorted(rng.sample(places, size), reverse=True):
        digits = str(rng.randrange(10 ** (end - start))).encode()
        if rng.random() < 0.02:
            digits = rng.choice(DIGITS)
        data = data[:start] + digits + data[end:]
    return data


def test_the_same_frames_of_documents_that_differ_in_digits(monkeypatch, documents, tmp_path):
    usual = [path for path in documents if READER.bulk(None).take(0, path.read_bytes())]
    usual = [data for data in (path.read_bytes() for path in usual) if len(data) < 40_000]
    rng = random.Random(7)
    for number in range(120):
        data = rng.choice(usual[:: len(usual) // 8])
        changed = redone(data, rng, rng.choice((0, 1, 3, 20)))
        assert changed.translate(*SKELETON) == data.translate(*SKELETON)
        (tmp_path / f"{number}.json").write_bytes(changed)
    taken, differ = both(monkeypatch, tmp_path)
    assert not differ
    assert 40 < taken < 115


READ = b'"read" : {\n        '
IO, IOPS, NAME = b'"io_bytes" : 4096000', b'"iops" : 999.000999', b'"jobname" : "plain"'
HELD = [  # other digits and other texts at the same places
    (READ + IO, READ + b'"io_bytes" : 0'),
    (IO, b'"io_bytes" : 999999999999999'),
    (IOPS, b'"iops" : 9007199255.000001'),  # more than 2^53 in millionths
    (IOPS, b'"iops" : 123456789012.654321'),
    (b'"mean" : 19194.363000', b'"mean" : 19194.3'),
    (b'"total_ios" : 0', b'"total_ios" : 3'),
    (b'"N" : 1000', b'"N" : 0'),
    (b'"groupid" : 0', b'"groupid" : 9'),
    (b'"plain"', b'"plain 7 {%s"'),
    (b'"plain"', b'""'),
    (b'"plain"', '"\u6e2c\u8a66"'.encode()),
    (b'"testfile"', b'"/dev/nvme1n1"'),
    (b'"rate_iops" : "1000"', b'"rate_iops" : "100k,"'),
    (b'"4M"', b'""'),
    (b'"vda"', b'"nvme10n1 {} %s"'),
    (b"Sat Nov 21 05:37:26 2026", b"Sun Nov 1 07:00 2026"),
    (b'"fio-3.33"', b'"fio-3.36-12-gabc"'),
    (b'"99.900000" :', b'"99.950001" :'),
    (b'"what_it_is_for"', b'"run 2 of 3"'),
    (b'"max" : 4587986', b'"max" : 4000000000'),
]
LEFT = [  # what has to be looked at by itself
    (IO, b'"io_bytes" : 9007199254740993'),
    (IO, b'"io_bytes" : 1' + b"0" * 300),
    (IO, b'"io_bytes" : 04096000'),
    (IO, b'"io_bytes" : -0'),
    (IO, b'"io_bytes" : -4096000'),
    (IO, b'"io_bytes" : 4e3'),
    (IO, b'"io_bytes" : '),
    (IO, b'"io_bytes" : "4096000"'),
    (IO, b'"io_b4ytes" : 096000'),
    (IOPS, b'"iops" : .5'),
    (IOPS, b'"iops" : 999.'),
    (IOPS, b'"iops" : 1.2.3'),
    (IOPS, b'"iops" : 99 9.000999'),
    (IOPS, b'"iops" : 00.5'),
    (IOPS, b'"iops" : 1' + b"0" * 300 + b".000000"),
    (IOPS, b'"iops" : nan'),
    (b'"short_ios" : 0', b'"short_ios" : 1'),
    (b'"error" : 0', b'"error" : 5'),
    (b'"plain"', b'"\\"8\\""'),
    (NAME, b'"jobname" : "other"'),
    (NAME, b'"jobname" : "plai\\"'),
    (NAME, b'"jobname" : "a\0b"'),
    (NAME, NAME + b',\n      "jobname" : "twice"'),
    (NAME, b'"jobname" : 7'),
    (b'"testfile"', b'"a}b"'),
    (b'"testfile"', b"7"),
    (b'"vda"', b'"a\tb"'),
    (b"Sat Nov 21", b"Sat \0 21"),
    (b"05:37:26", b"05:37:26\n"),
    (b"\n}", b"\n} 7"),
    (b'"percentile" : {', b'"bins" : {'),
    (b'"99.900000" :', b'"99.950000" :'),
    (b'"direct" : "1"', b'"direct" : "1",\n        "direct" : "0"'),
    (IOPS, IOPS + b',\n        "iops" : 998.000999'),
    (b'"N" : 1000', b'"N" : 1040'),
]


@pytest.mark.parametrize(
    ("changes", "taken"), [(HELD, len(HELD) + 1), (LEFT, 1)], ids=["held", "left"]
)
def test_numbers_and_texts_of_one_document(monkeypatch, tmp_path, changes, taken):
    (tmp_path / "00.json").write_bytes(PLAIN)
    for number, (old, new) in enumerate(changes, 1):
        assert old in PLAIN, old
        (tmp_path / f"{number:02}.json").write_bytes(PLAIN.replace(old, new))
    assert both(monkeypatch, tmp_path) == (taken, [])


def test_documents_wait_and_go_in_any_order(monkeypatch, documents, tmp_path):
    usual = [path for path in documents if READER.bulk(None).take(0, path.read_bytes())]
    files = usual[::7] * 3
    for number, path in enumerate(files):
        (tmp_path / f"{number:03}.json").write_bytes(path.read_bytes())
    monkeypatch.setattr(fio_json_together, "_TOGETHER", 30_000)
    monkeypatch.setattr(fio_json_together, "_WAITING", 100_000)
    taken, differ = both(monkeypatch, tmp_path)
    assert not differ
    assert taken > 0.9 * len(files)


def test_a_number_that_fits_no_column_costs_its_document_its_speed_only(
    monkeypatch, documents, tmp_path
):
    usual = next(path for path in documents if READER.bulk(None).take(0, path.read_bytes()))
    document = orjson.loads(usual.read_bytes())
    document["jobs"][0]["ctx"] = 2**64 - 1
    (tmp_path / "a.json").write_bytes(usual.read_bytes())
    (tmp_path / "b.json").write_bytes(written(document))
    assert both(monkeypatch, tmp_path) == (1, [])
    notes = read(tmp_path).notes
    assert notes["message"].str.contains("ctx is 18446744073709551615").tolist().count(True) == 1


def test_a_rate_that_its_counts_contradict_is_noted_on_both_paths(monkeypatch, tmp_path):
    document = json.loads(PLAIN)
    for job in document["jobs"]:
        for side in ("read", "write"):
            job[side]["iops"] /= 100
    for name in "ab":
        (tmp_path / f"{name}.json").write_bytes(written(document))
    sources = [tmp_path / "a.json", tmp_path / "b.json"]
    taken, differ = both(monkeypatch, sources)
    assert (taken, differ) == (2, [])
    said = read(sources).notes["message"]
    assert said.str.contains("read of .*: I/Os / s x time is not the total_ios").any()
    assert said.str.contains("write of .*: I/Os / s x time is not the total_ios").any()
