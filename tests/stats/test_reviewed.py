"""Sentences that were once untrue, and advice that did not work, each with its case."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
import pytest

from fiotools import compare, steady, summarize
from fiotools.errors import SchemaError

START = datetime(2026, 1, 1)
NOISE = [1.0, 1.02, 0.97, 1.02, 1.0]  # no trend


def minutes(count):
    return [START + timedelta(minutes=minute) for minute in range(count)]


def swept(arms):
    """Give runs of two block sizes, the sides of each in this order, as columns."""
    size, iops, seen = [], [], {}
    for bs, rate in ((4096, 10_000.0), (1 << 20, 500.0)):
        for arm in arms:
            seen[bs, arm] = seen.get((bs, arm), -1) + 1
            size.append(bs)
            iops.append(rate * (1.2 if arm == "b" else 1.0) * NOISE[seen[bs, arm]])
    return {"mount": list(arms) * 2, "bs_bytes": size, "iops": iops}


def sides(make, **columns):
    return compare(make(**columns), "iops", between="mount", baseline="a")


# cells of their own runs


def test_a_difference_between_cells_is_not_a_drift(make, rows):
    (row,) = rows(sides(make, **swept("ababababab"), started_at=minutes(20)))
    assert row["verdict"] == "faster"
    assert (row["told"], row["method"]) == (None, "Welch t of logarithms, by cell")


def test_blocks_within_each_cell_are_blocks(make, rows):
    (row,) = rows(sides(make, **swept("aaaaabbbbb"), started_at=minutes(20)))
    assert "the sides ran in blocks" in row["told"]
    assert "values drift" not in row["told"]
    runs = swept("aaabbb")
    turned = {**runs, "mount": [*"aaabbb", *"bbbaaa"]}
    (row,) = rows(sides(make, **turned, started_at=minutes(12)))
    assert "blocks" not in (row["told"] or "")


def test_drift_within_cells_is_drift(make, rows):
    runs = swept("ababababab")
    runs["iops"] = [value * 1.05**place for place, value in enumerate(runs["iops"])]
    (row,) = rows(sides(make, **runs, started_at=minutes(20)))
    assert "values drift up" in row["told"]


def test_one_run_in_one_cell_is_not_one_run_each(make, rows):
    few = {"mount": [*"aabb", "a", "b"], "bs_bytes": [4096] * 4 + [8192] * 2}
    (row,) = rows(sides(make, **few, iops=[1.0, 1.1, 2.0, 2.1, 1.0, 2.0]))
    assert row["words"] == "one run in a cell of bs_bytes, so the error is unknown"
    assert "need >= 3 runs a side in each cell for a verdict" in row["told"]
    one = {"mount": [*"abab"], "bs_bytes": [4096] * 2 + [8192] * 2}
    (row,) = rows(sides(make, **one, iops=[1.0, 2.0, 1.0, 2.0]))
    assert row["words"] == "one run each, so the error is unknown"


# pairs


@pytest.mark.parametrize(
    ("rounds", "words"),
    [([1, 2, 3, 4], "no pairs"), ([1, 2, 1, 4], "one pair, "), ([1, 2, 1, 2], "two pairs:")],
    ids=["none", "one", "two"],
)
def test_few_pairs_are_not_few_runs(make, rows, rounds, words):
    frame = make(mount=[*"aabb"], round=rounds, iops=[1.0, 1.1, 2.0, 2.1])
    (row,) = rows(compare(frame, "iops", between="mount", baseline="a", pair="round"))
    assert row["words"].startswith(words)


@pytest.mark.parametrize(
    ("source", "run", "advice"),
    [
        (["x", "x", "y", "y"], [1] * 4, {"pair": "source"}),
        (["x"] * 4, [1, 1, 2, 2], {"pair": "run"}),
        (["x"] * 4 + ["y"] * 4, [1, 1, 2, 2] * 2, {"pair": "run", "by": "source"}),
    ],
    ids=["files of a run", "a file of runs", "files of runs"],
)
def test_the_advice_to_compare_within_runs_works(make, rows, source, run, advice):
    rates = [100.0, 50.0, 110.0, 52.0] * (len(run) // 4)
    frame = make(source=source, run=run, direction=["read", "write"] * (len(run) // 2), iops=rates)
    asked = {"between": "direction", "baseline": "read"}
    with pytest.raises(SchemaError) as refused:
        compare(frame, "iops", **asked)
    typed = ", ".join(f"{name}={value!r}" for name, value in advice.items())
    assert str(refused.value).endswith(f"compare within runs, {typed}")
    assert {row["n"] for row in rows(compare(frame, "iops", **asked, **advice))} == {2}


# sentences


def test_spread_is_not_taken_for_the_edge_of_the_band(make, rows):
    wide = [1.0, 9.0, 0.3, 20.0, 0.1]
    (row,) = rows(sides(make, mount=[*"aaaaabbbbb"], iops=[*wide, *(2 * v for v in wide)]))
    assert (row["verdict"], row["runs_needed"]) == ("undecided", None)
    assert row["told"] == (
        "the runs of 'b' lie 200 times apart: are they of one kind?; "
        "the runs of 'a' lie 200 times apart: are they of one kind?; "
        "the runs spread far: more than 100 a side would be needed to settle it"
    )


def test_settings_of_another_read_are_said(make, rows):
    runs = make(source=["a", "b"], run=1, mount=["a", "b"], iops=[1.0, 2.0])
    told = make(source="c", run=1, entry=1, option="bs", text="4k", origin="given")
    (row,) = rows(compare(runs, "iops", between="mount", baseline="a", settings=told))
    assert "settings= has none of these runs: is it of another read?" in row["told"]
    assert "not in the reports" not in row["told"]


@pytest.mark.parametrize("zone", ["", "Z", "+02:00"])
def test_times_of_a_csv_file_have_an_order(make, rows, zone):
    texts = [f"{moment:%Y-%m-%d %H:%M:%S}{zone}" for moment in minutes(6)]
    (row,) = rows(
        sides(make, mount=[*"aaabbb"], iops=[1.0, 1.1, 1.2, 2.0, 2.1, 2.2], started_at=texts)
    )
    assert "the sides ran in blocks" in row["told"]


@pytest.mark.parametrize(
    "last", ["2026-01-01 00:05", "2026-01-01T00:05:00", "2026-01-01 00:05:00Z"]
)
def test_times_written_in_two_ways_have_none(make, rows, last):
    texts = [f"{moment:%Y-%m-%d %H:%M:%S}" for moment in minutes(5)]
    runs = {"mount": [*"aaabbb"], "iops": [1.0, 1.1, 1.2, 2.0, 2.1, 2.2]}
    (row,) = rows(sides(make, **runs, started_at=[*texts, last]))
    assert row["told"] is None


def test_labels_in_unlike_shares_are_said(make, rows):
    mount, iops = [*"aaaabbbb"], [1000.0, 1010, 990, 50, 1000, 49, 50, 51]
    (row,) = rows(sides(make, mount=mount, bs=["4k", "4k", "4k", "1M"] * 2, iops=iops))
    assert row["varies_in"] == "bs"
    assert "different shares" not in (row["told"] or "")
    unlike = ["4k", "4k", "4k", "1M", "4k", "1M", "1M", "1M"]
    (row,) = rows(sides(make, mount=mount, bs=unlike, iops=iops))
    assert "the sides hold bs in different shares" in row["told"]


def test_one_latency_is_not_another(make, rows):
    both = make(tool=["fio", "diskspd"], latency=["clat", "lat"], value_ns=[1e6, 2e6])
    (row,) = rows(compare(both, "value_ns", between="tool", baseline="fio"))
    assert "the sides differ in latency too" in row["told"]
    (row,) = rows(summarize(make(percentile=[99.0, 95.0], value_ns=[1e6, 2e6]), "value_ns"))
    assert row["varies_in"] == "percentile"


# bad input


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"metric": ["iops"]}, "the metric is ['iops']: it is the name of one column"),
        ({"pair": ["round"]}, "pair is ['round']: it is the name of one column"),
        ({"confidence": "95"}, "confidence is '95': it lies between 0.5 and 1 (0.95)"),
        ({"band": "5%"}, "band is '5%': it is a share, at least 0 and below 1 (0.05)"),
        ({"band": None}, "band is None: it is a share, at least 0 and below 1 (0.05)"),
        ({"metric": "IOPS"}, "the frame has no column 'IOPS'; did you mean 'iops'?"),
    ],
    ids=["metrics", "pairs", "percent", "percent of band", "no band", "capitals"],
)
def test_a_wrong_argument_gets_a_clear_line(make, asked, words):
    frame = make(mount=["a", "b"], round=1, iops=[1.0, 2.0])
    asked = {"metric": "iops", "between": "mount", "baseline": "a", **asked}
    with pytest.raises(SchemaError) as refused:
        compare(frame, **asked)
    assert str(refused.value) == words


def test_a_missing_level_comes_with_its_remedy(make):
    frame = make(mount=["a", None, "b"], iops=[1.0, 2.0, 3.0])
    with pytest.raises(SchemaError, match="'mount' is missing in 1 of 3 rows: leave them out"):
        compare(frame, "iops", between="mount", baseline="a")


def test_leaving_out_all_rows_is_not_a_remedy(make):
    with pytest.raises(SchemaError, match=r"^real_s is missing in 2 of 2 rows, all of them$"):
        summarize(make(real_s=[None, None], real_mean_s=[1.0, 2.0]), "real_s")


def test_rows_out_of_order_are_to_be_sorted(make):
    frame = make(quantity="iops", time_s=[2.0, 1.0, 3.0], value=list(np.arange(3.0)))
    with pytest.raises(SchemaError, match="sort the rows by 'time_s'"):
        steady(frame)
