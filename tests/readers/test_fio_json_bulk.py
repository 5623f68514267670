"""Documents read side by side give what they give one by one."""

from __future__ import annotations

import json
import random
from pathlib import Path

import orjson
import pandas as pd
import pytest

from fiotools import batches, read
from fiotools.readers.fio_json import READER
from tests.corpus import CORPUS

ROOT = Path(__file__).parents[2]
PLACES = ("tests/fixtures", "data")


def documents() -> list[Path]:
    places = [ROOT / place for place in PLACES] + ([CORPUS] if CORPUS.is_dir() else [])
    found = [path for place in places for path in sorted(place.rglob("*.json*"))]
    return [path for path in found if b'"fio version"' in path.read_bytes()[:100]]


def both(monkeypatch, sources, **asked) -> tuple[int, list[str]]:
    """Read twice; return how many files were taken side by side, and the tables that differ."""
    taken = []

    class Counting(READER.bulk):
        def take(self, number, data):
            taken.append(super().take(number, data))
            return taken[-1]

    monkeypatch.setattr(batches, "_bulks", lambda task: [Counting(task.wanted)])
    fast = read(sources, errors="note", **asked)
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
def test_the_same_frames_side_by_side_and_one_by_one(monkeypatch, tables):
    files = documents()
    taken, differ = both(monkeypatch, files, tables=tables)
    assert not differ
    assert len(files) / 2 < taken < len(files)


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


ODD = [None, True, 0, 0.0, 1, -1, -2.5, 2**31, 2**53 + 1, 2**63, 2**64 - 1, 1e300, "7", "x", [], {}]


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


def test_the_same_frames_of_changed_documents(monkeypatch, tmp_path):
    usual = [path for path in documents() if READER.bulk(None).take(0, path.read_bytes())]
    rng = random.Random(7)
    for number in range(150):
        data = rng.choice(usual).read_bytes()
        if len(data) < 60_000:
            (tmp_path / f"{number}.json").write_bytes(changed(data, rng))
    taken, differ = both(monkeypatch, tmp_path)
    assert not differ
    assert taken > 15


def test_a_number_that_fits_no_column_costs_the_batch_its_speed_only(monkeypatch, tmp_path):
    usual = next(path for path in documents() if READER.bulk(None).take(0, path.read_bytes()))
    document = orjson.loads(usual.read_bytes())
    document["jobs"][0]["ctx"] = 2**64 - 1
    (tmp_path / "a.json").write_bytes(usual.read_bytes())
    (tmp_path / "b.json").write_bytes(written(document))
    assert both(monkeypatch, tmp_path) == (2, [])
    notes = read(tmp_path).notes
    assert notes["message"].str.contains("ctx is 18446744073709551615").tolist().count(True) == 1
