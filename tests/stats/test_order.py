"""The order of the runs: how it is found, and the warnings about blocks and drift."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
import pytest

NOISE = np.exp(np.random.default_rng(5).normal(0, 0.002, 10))
START = datetime(2026, 1, 1)
ALTERNATELY, BY_TURNS = "ababababab", "abbaabbaab"
BY_ROUND = "values drift down by 15 % in the order of 'round'"
BY_NAME = "values drift down by 15 % in the order of the file names"
BY_CLOCK = "values drift down by 15 % over the series of runs"
BLOCKS = "the sides ran in blocks: drift cannot be told from the difference"
A_FIRST = "'a' ran first in every pair: drift cannot be told from the difference"
FEW = "are too few to show a drift, and it is unknown which side ran first"
UNKNOWN = (
    "it is unknown which side ran first: unless they alternated, the drift is part of the "
    "difference"
)


def clock(*minutes):
    return [START + timedelta(minutes=at) for at in minutes]


@pytest.fixture
def said(compared):
    """Compare the sides of runs, and give what is told of them."""
    return lambda columns, **asked: compared(columns, **asked)["told"] or ""


def drifting(turns):
    """Give runs of which each is 2 % slower than the one before; those of b are twice as fast."""
    iops = [100 * 0.98**at * NOISE[at] * "0ab".index(side) for at, side in enumerate(turns)]
    rounds = [turns[: at + 1].count(side) for at, side in enumerate(turns)]
    return {"g": list(turns), "iops": iops, "round": rounds}


@pytest.mark.parametrize(
    ("turns", "columns", "asked", "told", "untold"),
    [
        (ALTERNATELY, {"started_at": clock(*range(10))}, "round", [A_FIRST, BY_CLOCK], UNKNOWN),
        (BY_TURNS, {"started_at": clock(*range(10))}, "round", [BY_CLOCK], "every pair"),
        (BY_TURNS, {"started_at": clock(*range(10))}, None, ["drift down by 16 % over"], UNKNOWN),
        (ALTERNATELY, {}, "round", [BY_ROUND, UNKNOWN], "every pair"),
        (ALTERNATELY, {}, None, [BY_ROUND, UNKNOWN], "every pair"),
        ("ababab", {}, "round", [f"3 pairs {FEW}"], "values drift"),
        ("aaabbb", {}, None, [f"3 rounds {FEW}"], "values drift"),
    ],
)
def test_a_drift_is_told_in_the_order_that_is_known(said, turns, columns, asked, told, untold):
    warnings = said(drifting(turns) | columns, pair=asked)
    assert all(words in warnings for words in told), warnings
    assert untold not in warnings


def test_file_names_and_run_numbers(said):
    turns = drifting(ALTERNATELY)
    rounds = turns.pop("round")
    names = [f"{side}-{at + 5}.json" for side, at in zip(turns["g"], rounds, strict=True)]
    warnings = said(turns | {"source": names, "run": 1})
    assert BY_NAME in warnings
    assert UNKNOWN in warnings
    one = said(turns | {"source": "all.txt", "run": list(range(1, 11))})
    assert "values drift down by 16 % over the series of runs" in one
    unnamed = [f"{name}.json" for name in "qwertyuiop"]
    assert "drift" not in said(turns | {"source": unnamed, "run": 1})
    # both sides of one run have no order
    both = turns | {"source": [f"{at // 2}.json" for at in range(10)], "run": 1}
    both["iops"] = [iops * 0.98 ** -(at % 2) for at, iops in enumerate(both["iops"])]
    assert said(both, pair="source").startswith(BY_NAME)


def test_a_side_with_numbers_and_one_with_times_do_not_make_rounds(said):
    names = [*(f"r{i}" for i in range(1, 5)), *(f"2026-01-0{i} 10:00" for i in range(1, 5))]
    iops = [1.0, 2, 3, 4, 5, 6, 7, 8.5]
    warnings = said({"g": [*"aaaabbbb"], "iops": iops, "source": names, "run": 1})
    assert "in the order of the file names" in warnings
    assert UNKNOWN in warnings


TEXTS = [f"{moment:%Y-%m-%d %H:%M:%S}" for moment in clock(*range(6))]


@pytest.mark.parametrize(
    ("times", "told"),
    [
        (clock(0, 1, 2, 3, 4, 5), BLOCKS),
        (clock(0, 2, 4, 1, 3, 5), ""),
        ([*clock(0, 1, 2, 3, 4), None], ""),
        # of a CSV file
        (TEXTS, BLOCKS),
        # written in two ways
        ([*TEXTS[:5], "2026-01-01 00:05:00Z"], ""),
    ],
    ids=str,
)
def test_blocks_are_told_if_all_times_are_known(said, times, told):
    runs = {"g": [*"aaabbb"], "iops": [1.0, 1.01, 0.99, 2.0, 2.01, 1.98], "started_at": times}
    assert said(runs) == told


def cells(first, second, factor=1.0):
    """Give runs of two block sizes, the sides of each in this order."""
    rates = [10_000.0] * len(first) + [500.0] * len(second)
    noise = [1.0, 1.0, 1.02, 1.02, 0.97, 0.97, 1.02, 1.02, 1.0, 1.0]  # no trend
    gains = [1.2 if side == "b" else 1.0 for side in first + second]
    return {
        "g": [*first, *second],
        "bs_bytes": [4096] * len(first) + [1 << 20] * len(second),
        "iops": [
            rate * gain * noise[at % len(first)] * factor**at
            for at, (rate, gain) in enumerate(zip(rates, gains, strict=True))
        ],
        "started_at": clock(*range(len(rates))),
    }


@pytest.mark.parametrize(
    ("runs", "blocks", "drift"),
    [
        (cells(ALTERNATELY, ALTERNATELY), False, False),
        (cells("aaaaabbbbb", "aaaaabbbbb"), True, False),
        (cells("aaabbb", "bbbaaa"), False, False),
        (cells(ALTERNATELY, ALTERNATELY, 1.05), False, True),
    ],
    ids=["turns", "blocks", "turned blocks", "drift"],
)
def test_the_order_counts_within_each_cell(said, runs, blocks, drift):
    warnings = said(runs)
    assert (BLOCKS in warnings, "values drift up" in warnings) == (blocks, drift)
