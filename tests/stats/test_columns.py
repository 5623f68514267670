"""Columns and their codes: the same by a loop and by polars, for few rows and for many."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fiotools import compare, summarize
from fiotools.stats import columns as module
from fiotools.stats.columns import Columns
from fiotools.stats.frames import groups, opened

VALUES = {
    "numbers": [3.0, None, 1.0, 3.0, float("nan"), -2.0],
    "whole": [16, 4, 4, 16, 1, 16],
    "texts": ["b", None, "a", "b", "a", ""],
    "truths": [True, False, None, True, False, True],
    "empty": [None] * 6,
}


@pytest.fixture(params=[1000, 0], ids=["few", "many"])
def few(request, monkeypatch):
    """Take each path: a loop of Python, and polars."""
    monkeypatch.setattr(module, "_FEW", request.param)


@pytest.mark.parametrize("name", VALUES)
def test_codes_group_as_the_values_do(make, few, name):
    data = opened(make(**VALUES))
    found = [rows.tolist() for rows in Columns(data).groups([name])]
    assert found == list(groups(data, [name]).values())


def test_combinations_are_in_the_order_of_their_values(make, few):
    data = opened(make(**VALUES))
    names = ["texts", "whole", "truths"]
    found = [rows.tolist() for rows in Columns(data).groups(names)]
    assert found == list(groups(data, names).values())


def test_a_gap_is_not_a_difference(make, few):
    found = Columns(opened(make(fs=["ext4", None, "ext4"], depth=[1, 1, None])))
    assert found.varying(["fs", "depth"]) == []
    assert found.differing(["fs", "depth"], np.arange(3)) == []


def test_a_category_is_its_text(few):
    column = ["xfs", "ext4", "xfs"]
    for frame in (
        pd.DataFrame({"fs": pd.Categorical(column)}),
        pl.DataFrame({"fs": pl.Series(column, dtype=pl.Categorical)}),
    ):
        found = Columns(opened(frame))
        assert found.codes("fs").tolist() == [0, 1, 0]
        assert found.distinct("fs") == ["xfs", "ext4"]


def test_each_row_of_an_unknown_run_is_one(make, few):
    found = Columns(opened(make(source=["a", "a", "a", "b"], run=[1, None, 1, None])))
    assert found.run.tolist() == [0, 1, 0, 3]
    assert not found.is_row_each


def test_many_rows_have_the_answers_of_few(make, rows, monkeypatch):
    rng = np.random.default_rng(3)
    count = 48
    frame = make(
        source=[f"{'ab'[i % 2]}-{i // 2 + 1}.json" for i in range(count)],
        run=[1] * count,
        side=["ab"[i % 2] for i in range(count)],
        iodepth=[1 + i // 2 % 3 for i in range(count)],
        fs=["ext4" if i % 5 else "xfs" for i in range(count)],
        target=[f"/dev/sd{'ab'[i % 5 == 0]}" for i in range(count)],
        iops=(1000 * np.exp(rng.normal(0, 0.05, count)) * np.linspace(1, 1.4, count)).tolist(),
    )
    asked = {"between": "side", "baseline": "a"}
    answers = []
    for limit in (1000, 0):
        monkeypatch.setattr(module, "_FEW", limit)
        answers.append(
            [
                rows(compare(frame, "iops", **asked, by="iodepth")),
                rows(compare(frame, "iops", **asked)),
                rows(summarize(frame, "iops", by=["side", "iodepth"])),
            ]
        )
    assert answers[0] == answers[1]
    told = answers[0][0][0]["told"]
    for said in ("values drift up", "in the order of the file names", "are on 2 targets", "fs"):
        assert said in told
