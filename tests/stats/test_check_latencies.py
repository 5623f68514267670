"""`check` decides on columns which curves and bins agree; the others are asked row by row."""

from __future__ import annotations

import json
from itertools import product

import pytest

import fiotools as ft
from fiotools.stats.check import totals
from fiotools.stats.check.evidence import Evidence
from fiotools.stats.check.runs import runs
from tests.stats.made_runs import ROOT

PLUS = ROOT / "tests/fixtures/fio/fio-3.33--jsonplus-libaio.json"
CHANGES = (0, 0.9, 0.97, 1.03, 1.1, 3, 1000)


@pytest.fixture(scope="module")
def document():
    return json.loads(PLUS.read_text())


def answers(run):
    return list(totals.parts(run, Evidence()))


def by_rows(run):
    """Ask each row, as if columns had decided nothing."""
    run.latencies.__dict__["_agreeing"] = dict.fromkeys(run.latencies._agreeing)
    return answers(run)


def test_columns_decide_as_rows_do(document, tmp_path):
    job = document["jobs"][0]
    whole = job["read"] if job["read"]["total_ios"] else job["write"]
    latency = next(name for name in ("clat_ns", "lat_ns") if "percentile" in whole[name])
    own = whole[latency]
    middle, top = "50.000000", max(own["percentile"], key=float)
    places = [(own, "min"), (own, "mean"), (own, "max")]
    places += [(own["percentile"], name) for name in (middle, top)]
    if bins := own.get("bins"):
        places.append((bins, list(bins)[len(bins) // 2]))
    seen = set()
    for (place, name), change in product(places, CHANGES):
        kept = place[name]
        place[name] = type(kept)(kept * change)
        file = tmp_path / "run.json"
        file.write_text(json.dumps(document))
        place[name] = kept
        [run] = runs(ft.read(file))
        [again] = runs(ft.read(file))
        found = answers(run)
        assert found == by_rows(again), (name, change)
        seen |= {one.verdict for one in found}
    assert seen == {"ok", "suspect"}


def test_rows_that_agree_are_not_made(document, tmp_path, monkeypatch):
    [run] = runs(ft.read(PLUS))
    monkeypatch.setattr(run.latencies.__class__, "curves", None)
    monkeypatch.setattr(run.latencies.__class__, "bins", None)
    assert [one.verdict for one in answers(run)] == ["ok"]
