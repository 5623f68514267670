"""Rows of many files: stretches of them in order, and columns of frames that hold nothing."""

from pathlib import Path

import numpy as np
import pytest

from fiotools import framing, read
from fiotools.arrays import Vector, vector
from fiotools.rows import Rows

FIXTURES = Path(__file__).parent / "fixtures" / "fio"


def test_stretches_go_in_the_order_of_their_files():
    rows = Rows(
        np.array([1, 0, 1], dtype=np.int32),
        {"count": Vector(np.arange(6), np.arange(6) == 2)},
        np.array([1, 2, 3]),
        {"latency": vector(["slat", "clat", "lat"], "str")},
    )
    for found in (rows.in_order(), rows.spread().in_order()):
        assert found.file.tolist() == [0, 0, 1, 1, 1, 1]
        assert found.get("count").listed() == [1, None, 0, 3, 4, 5]
        assert found.get("latency").listed() == ["clat", "clat", "slat", "lat", "lat", "lat"]
    assert rows.in_order().sizes.tolist() == [2, 1, 3]


@pytest.mark.parametrize(
    ("table", "one", "other", "value"),
    [("runs", "host", "command", "x"), ("bins", "port", "thread", 7), ("bins", "pct", "time_s", 7)],
)
def test_long_columns_without_values_are_changed_one_by_one(monkeypatch, table, one, other, value):
    monkeypatch.setattr(framing, "_MANY", 0)
    monkeypatch.setattr(framing, "_HEAD", 1)
    frame = read(FIXTURES / "fio-3.33--jsonplus-libaio.json").tables[table]
    assert frame[[one, other]].isna().all(axis=None)
    frame.loc[0, one] = value
    assert frame[one].notna().tolist() == [True] + [False] * (len(frame) - 1)
    assert frame[other].isna().all()
