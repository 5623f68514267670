"""The order of the runs: how it is found, and the warnings about it."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
import pytest

from fiotools import compare
from fiotools.stats.columns import Columns
from fiotools.stats.frames import opened
from fiotools.stats.order import order_of, places_of

NOISE = np.exp(np.random.default_rng(5).normal(0, 0.002, 10))
UNKNOWN = "it is unknown which side ran first: unless they alternated, the drift is part of the difference"


def drifting(turns, **columns):
    """Give runs of two equal sides, each 2 % slower than the one before, as columns."""
    iops = [100 * 0.98**at * NOISE[at] for at in range(len(turns))]
    seen = {"a": 0, "b": 0}
    rounds = []
    for side in turns:
        seen[side] += 1
        rounds.append(seen[side])
    return {"side": list(turns), "iops": iops, "round": rounds, **columns}


def said(rows, frame, **asked):
    (row,) = rows(compare(frame, "iops", between="side", baseline="a", **asked))
    return row["told"] or ""


def clock(count):
    return [datetime(2026, 1, 1) + timedelta(minutes=at) for at in range(count)]


def test_pairs_of_a_fixed_order_cannot_tell_a_drift(make, rows):
    frame = make(**drifting("ab" * 5, started_at=clock(10)))
    warnings = said(rows, frame, pair="round")
    assert "'a' ran first in every pair: drift cannot be told from the difference" in warnings
    assert "values drift down by 15 % over the series of runs" in warnings


def test_turns_can(make, rows):
    frame = make(**drifting("abba" * 2 + "ab", started_at=clock(10)))
    warnings = said(rows, frame, pair="round")
    assert "every pair" not in warnings
    assert warnings.startswith("values drift down by 15 % over the series of runs")


def test_rounds_tell_a_drift_without_a_clock(make, rows):
    frame = make(**drifting("ab" * 5))
    for asked in ({"pair": "round"}, {}):
        warnings = said(rows, frame, **asked)
        assert "values drift down by 15 % in the order of 'round'" in warnings
        assert UNKNOWN in warnings


def test_three_pairs_cannot_tell(make, rows):
    warnings = said(rows, make(**drifting("ab" * 3)), pair="round")
    assert warnings.startswith(
        "3 pairs are too few to show a drift, and it is unknown which side ran first"
    )


def test_three_rounds_cannot_tell(make, rows):
    warnings = said(rows, make(**drifting("aaabbb")))
    assert (
        "3 rounds are too few to show a drift, and it is unknown which side ran first" in warnings
    )


def test_file_names_and_run_numbers(make, rows):
    turns = drifting("ab" * 5)
    rounds = turns.pop("round")
    names = [
        f"{side}-{number + 5}.json" for side, number in zip(turns["side"], rounds, strict=True)
    ]
    warnings = said(rows, make(**turns, source=names, run=1))
    assert "values drift down by 15 % in the order of the file names" in warnings
    assert UNKNOWN in warnings
    one = make(**turns, source="all.txt", run=list(range(1, 11)))
    assert "values drift down by 16 % over the series of runs" in said(rows, one)
    unnamed = make(**turns, source=[f"{name}.json" for name in "qwertyuiop"], run=1)
    assert "drift" not in said(rows, unnamed)


def test_both_sides_of_one_run_have_no_order(make, rows):
    frame = make(
        source=[f"{at // 2}.json" for at in range(10)],
        run=1,
        side=["a", "b"] * 5,
        iops=[100 * 0.96 ** (at // 2) * NOISE[at] for at in range(10)],
    )
    warnings = said(rows, frame, pair="source")
    assert warnings.startswith("values drift down by 15 % in the order of the file names")


@pytest.mark.parametrize(
    ("places", "order"),
    [
        ([3, 1.5], [1, 0]),
        (["b", "a"], None),
        (["1M", "4k"], None),
        (["24.11.2026", "25.11.2026"], None),
        ([True, False], None),
        (["r10", "r9"], [1, 0]),
        (["r" + "9" * 30, "r" + "1" * 30, "r2"], [2, 1, 0]),
        (["2026-01-02 9", "2026-01-01 10"], [1, 0]),
        (["2026-01-02 09:00", "2026-01-01T10:00"], None),
        (["2026-01-02 09:00", "2026-01-01 10:00"], [1, 0]),
    ],
    ids=str,
)
def test_places_sort_as_the_runs_were_made(make, places, order):
    frame = Columns(opened(make(place=places)))
    ranks = places_of(frame, "place").of(frame.every)
    assert (None if ranks is None else np.argsort(np.argsort(ranks)).tolist()) == order


@pytest.mark.parametrize(
    ("sources", "numbers", "order"),
    [
        (["x/9.json", "x/10.json.gz"], [1, 2], [0, 1]),
        (["x/10.json", "x/9.json"], [1, 2], [1, 0]),
        (["x/9.json", "x/9.json", "x/10.json"], [2, 1, 1], [1, 0, 2]),
        (["fast.txt", "slow.txt"], [1, 1], None),
    ],
    ids=str,
)
def test_files_sort_by_their_names_and_the_numbers_in_them(make, sources, numbers, order):
    frame = Columns(opened(make(source=sources, run=numbers)))
    ranks = order_of(frame, None).of(frame.every)
    assert (None if ranks is None else np.argsort(ranks).tolist()) == (
        None if order is None else np.argsort(order).tolist()
    )


def test_a_side_with_numbers_and_one_with_times_do_not_make_rounds(make, rows):
    names = [*(f"r{i}" for i in range(1, 5)), *(f"2026-01-0{i} 10:00" for i in range(1, 5))]
    iops = [1.0, 2, 3, 4, 5, 6, 7, 8.5]
    warnings = said(rows, make(side=[*"aaaabbbb"], iops=iops, source=names, run=[1] * 8))
    assert "in the order of the file names" in warnings
    assert UNKNOWN in warnings


def test_the_order_of_a_part_is_known_where_that_of_the_whole_is_not(make):
    frame = Columns(opened(make(source=["ext4-2", "ext4-1", "xfs-2", "xfs-1"], run=[1] * 4)))
    order = order_of(frame, None)
    assert order.of(frame.every) is None
    sides = [order.of(frame.every[:2]), order.of(frame.every[2:])]
    assert [side.argsort().tolist() for side in sides] == [[1, 0]] * 2
