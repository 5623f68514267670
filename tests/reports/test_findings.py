"""The first sentences of a report: the clearest findings, and none that the answers do not hold."""

import pandas as pd
import pytest

import fiotools as ft
from fiotools.reports.questions import Comparison, best, swept
from fiotools.reports.sentences import findings

CELLS = [(depth, jobs) for depth in (1, 8, 64) for jobs in (1, 4)]


def runs(*sides, rounds=5, times=1.0):
    """Give runs of a sweep, with a little spread; the second side does `times` as much."""
    rows = [
        {
            "source": f"{side}{depth}{jobs}{number}",
            "run": 1,
            "label": side,
            "direction": "read",
            "scope": "total",
            "iodepth": depth,
            "numjobs": jobs,
            "iops": (iops := 1000.0 * depth * jobs * (1 + 0.01 * number) * times**at),
            "lat_mean_ns": depth * jobs / iops * 1e9 * (1 + depth / 8),
        }
        for at, side in enumerate(sides)
        for depth, jobs in CELLS
        for number in range(rounds)
    ]
    return pd.DataFrame(rows)


def compared(frame):
    by = ("iodepth", "numjobs")
    answer = ft.compare(frame, "iops", between="label", baseline="a", by=list(by))
    return Comparison(frame, "iops", by, "label", "a", answer)


def test_what_all_cells_say_is_one_sentence_with_the_ratio_over_all():
    (said,) = findings([compared(runs("a", "b", times=3))])
    assert said.head == "b is faster than a in all 6 cells"
    assert said.rest.startswith("3.00 times as many I/Os per second [")
    assert "the cells lie from 3.00 [" in said.rest


def test_cells_that_disagree_are_counted():
    frame = runs("a", "b", times=3)
    shallow = frame["label"].eq("b") & frame["iodepth"].eq(1)
    frame.loc[shallow, "iops"] /= 9
    (said,) = findings([compared(frame)])
    assert said.head == "b against a: slower in 2 of 6 cells, faster in 4 of 6 cells"


def test_one_run_each_stays_undecided():
    (said,) = findings([compared(runs("a", "b", rounds=1, times=3))])
    assert said.head == "b against a: one run each"
    assert "the spread between runs is unknown" in said.rest


def test_the_clearest_are_first_and_three_are_enough():
    frame = pd.concat([runs("a", "b", times=1.0), runs("a", "c", times=9).query("label == 'c'")])
    frame = pd.concat([frame, runs("a", "d", times=2).query("label == 'd'")])
    frame = pd.concat([frame, runs("a", "e", times=4).query("label == 'e'")], ignore_index=True)
    heads = [said.head for said in findings([compared(frame)])]
    assert [head[0] for head in heads] == ["c", "e", "d"]


def test_a_sweep_of_one_side_says_where_it_did_most():
    frame = runs("a")
    one = Comparison(frame, "iops", ("iodepth", "numjobs"), problem="there is one side only")
    assert swept(one) == ["iodepth", "numjobs"]
    first, below = findings([one])[:2]
    assert first.head == "Most I/Os per second at iodepth 64, numjobs 4"
    assert "least at iodepth 1, numjobs 1" in first.rest
    limit = best(one).iloc[0]
    assert limit["observed"] < limit["limit"]
    assert below.head.startswith("Most I/Os per second below a mean latency of")


@pytest.mark.parametrize(("depths", "found"), [((1,), []), ((1, 8), ["iodepth", "numjobs"])])
def test_one_condition_of_two_values_is_not_a_sweep(depths, found):
    frame = runs("a").query("iodepth in @depths")
    assert swept(Comparison(frame, "iops", ("iodepth", "numjobs"))) == found
