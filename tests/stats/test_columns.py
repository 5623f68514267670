"""Few rows are grouped by a loop, and many by polars: both have the same answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fiotools import compare, summarize
from fiotools.stats import columns as module

VALUES = {
    "numbers": [3.0, None, 1.0, 3.0, float("nan"), -2.0],
    "whole": [16, 4, 4, 16, 1, 16],
    "texts": ["b", None, "a", "b", "a", ""],
    "truths": [True, False, None, True, False, True],
    "empty": [None] * 6,
}


@pytest.fixture(params=[1000, 0], ids=["few", "many"])
def few(request, monkeypatch):
    """Take each path."""
    monkeypatch.setattr(module, "_FEW", request.param)


@pytest.mark.parametrize(
    ("by", "groups"),
    [
        # numbers by their size, all else as it comes
        (["numbers"], [[-2.0, 1], [1.0, 1], [3.0, 2], [None, 2]]),
        (["whole"], [[1, 1], [4, 2], [16, 3]]),
        (["texts"], [["b", 2], [None, 1], ["a", 2], ["", 1]]),
        (["truths"], [[True, 3], [False, 2], [None, 1]]),
        (["empty"], [[None, 6]]),
        (
            ["texts", "truths"],
            [["b", True, 2], [None, False, 1], ["a", False, 1], ["a", None, 1], ["", True, 1]],
        ),
    ],
)
def test_rows_are_grouped_by_their_values(make, rows, few, by, groups):
    found = rows(summarize(make(**VALUES, iops=[1.0] * 6), "iops", by=by))
    assert [[*(row[name] for name in by), row["n"]] for row in found] == groups


def test_each_row_of_an_unknown_run_is_one(make, rows, few):
    frame = make(source=["a", "a", "a", "b"], run=[1, None, None, None], iops=[1.0] * 4)
    assert [row["n"] for row in rows(summarize(frame, "iops"))] == [4]


def test_unused_categories_and_time_zones_stay_as_they_are(rows):
    zone = pd.DatetimeTZDtype("ns", "Europe/Berlin")
    frame = pd.DataFrame(
        {
            "mount": pd.Categorical(["x", "y", "x", "y"], categories=["never", "y", "x"]),
            "day": pd.Series(pd.to_datetime(["2026-03-29 00:30Z"] * 4)).astype(zone),
            "iops": [1.0, 2.0, 1.5, 2.5],
        }
    )
    found = summarize(frame, "iops", by=["mount", "day"])
    assert [(r["mount"], r["n"]) for r in rows(found)] == [("x", 2), ("y", 2)]
    assert found.dtypes[["mount", "day"]].equals(frame.dtypes[["mount", "day"]])
    enum = pl.Enum(["never", "y", "x"])
    other = pl.DataFrame({"mount": ["x", "y"], "iops": [1.0, 2.0]}).cast({"mount": enum})
    answer = compare(other, "iops", between="mount", baseline="x")
    assert (answer.schema["mount"], answer["mount"].to_list()) == (enum, ["y"])


def test_many_rows_have_the_answers_of_few(make, rows, monkeypatch):
    noise = np.exp(np.random.default_rng(3).normal(0, 0.05, 48)) * np.linspace(1, 1.4, 48)
    frame = make(
        source=[f"{'ab'[i % 2]}-{i // 2 + 1}.json" for i in range(48)],
        run=[1] * 48,
        side=[*"ab"] * 24,
        iodepth=[1 + i // 2 % 3 for i in range(48)],
        target=[f"/dev/sd{'ab'[i % 5 == 0]}" for i in range(48)],
        iops=(1000 * noise).tolist(),
    )
    answers = []
    for limit in (1000, 0):
        monkeypatch.setattr(module, "_FEW", limit)
        by_depth = rows(compare(frame, "iops", between="side", by="iodepth"))
        answers.append((by_depth, rows(compare(frame, "iops", between="side"))))
    assert answers[0] == answers[1]
    for said in ("values drift up", "in the order of the file names", "are on 2 targets"):
        assert said in by_depth[0]["told"]
