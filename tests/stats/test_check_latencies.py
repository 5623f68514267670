"""`check` holds the ends, the mean, the percentiles and the bins of a latency against each other."""

from __future__ import annotations

import json

import pytest

import fiotools as ft
from tests.stats.made_runs import ROOT

PLUS = ROOT / "tests/fixtures/fio/fio-3.33--jsonplus-libaio.json"
CHANGES = (0, 0.9, 0.97, 1.03, 1.1, 3, 1000)


@pytest.mark.parametrize(
    ("place", "innocent"),
    [
        # the least only bounds from below, and the greatest from above
        (("min",), (0, 0.9, 0.97, 1.03, 1.1)),
        (("max",), (0.97, 1.03, 1.1, 3)),
        (("mean",), (0.97, 1.03)),
        # neighbours lie close to the median, and far from the last percentile
        (("percentile", "50.000000"), ()),
        (("percentile", "99.990000"), (0.9, 0.97, 1.03)),
        # one bin of hundreds
        (("bins", "124416"), (0, 0.9, 0.97, 1.03, 1.1, 3)),
    ],
)
def test_a_number_that_does_not_fit_its_distribution_is_found(place, innocent, tmp_path):
    report = json.loads(PLUS.read_text(encoding="utf-8"))
    own = report["jobs"][0]["read"]["clat_ns"]
    *folders, name = place
    for folder in folders:
        own = own[folder]
    kept = own[name]
    for change in CHANGES:
        own[name] = type(kept)(kept * change)
        (tmp_path / f"{change}.json").write_text(json.dumps(report), encoding="utf-8")
    seen = ft.check(ft.read(f"{tmp_path}/{{change}}.json")).query("check == 'parts'")
    fits = seen[seen["verdict"] == "ok"]["change"].astype(float)
    assert {*fits} == {*innocent}
    assert {*seen["verdict"]} <= {"ok", "suspect"}
