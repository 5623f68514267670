"""What a report begins with: the title, the line over all cells, and the top of a sweep."""

import pandas as pd
import pytest

import fiotools as ft
from fiotools.reports.findings import Comparison, findings
from fiotools.reports.sentences import across, headline

CELLS = [(depth, jobs) for depth in (1, 8, 64) for jobs in (1, 4)]


def runs(*sides, rounds=5, times=1.0):
    """Give runs of a sweep, with a little spread; the second side does `times` as much."""
    rows = [
        {
            "source": f"{side}{depth}{jobs}{number}",
            "run": 1,
            "label": side,
            "direction": "read",
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


def said_of(frame):
    """Give the only finding, its sentence and its title."""
    (found,) = findings(compared(frame))
    return found, across(found), headline([found])


def test_what_all_cells_say_is_one_sentence_with_the_ratio_over_all():
    _, said, title = said_of(runs("a", "b", times=3))
    assert said.head == "b is faster than a in all 6 cells"
    assert said.rest.startswith("3.00 times as many I/Os per second [")
    assert "the cells lie" not in said.rest  # each has this ratio
    assert said.mark.sign == "▲"
    assert title == "b is faster than a: 3.00 times the I/Os per second"


def test_the_mark_is_that_of_the_verdict_over_all_cells():
    frame = runs("a", "b", times=3)
    shallow = frame["label"].eq("b") & frame["iodepth"].eq(1)
    frame.loc[shallow, "iops"] /= 9
    found, said, title = said_of(frame)
    assert said.head == "b is faster than a over all cells"
    assert "slower in 2 of 6 cells, faster in 4 of 6 cells" in said.rest
    assert (said.mark.sign, found.over["verdict"]) == ("▲", "faster")
    assert "the cells lie from 0.333 [" in said.rest
    assert title == "b is faster than a: 1.44 times the I/Os per second, slower in 2 of 6 cells"


def test_cells_that_disagree_give_no_ratio_in_the_title_if_none_could_be_shown():
    frame = runs("a", "b", times=3)
    half = frame["label"].eq("b") & frame["iodepth"].eq(1)
    frame.loc[half, "iops"] /= 27  # 1/9 in two cells, 3 in four: the mean is 1
    found, said, title = said_of(frame)
    assert found.over["verdict"] == "same"
    assert (said.mark.sign, title) == (
        "=",
        "b against a: slower in 2 of 6 cells, faster in 4 of 6 cells",
    )


def test_no_difference_is_said_to_be_none_that_could_be_shown():
    frame = runs("a", "b", times=1)
    noise = 1 + 0.4 * (frame["source"].str[-1].astype(int) - 2) * frame["label"].eq("b")
    frame["iops"] *= noise
    _, said, title = said_of(frame)
    assert said.head.startswith("Cannot tell b from a over all cells")
    assert title == "b against a: no difference could be shown in I/Os per second"


def test_one_run_each_stays_undecided():
    _, said, title = said_of(runs("a", "b", rounds=1, times=3))
    assert said.head == "b against a over all cells, one run each"
    assert "the spread between runs is unknown" in said.rest
    assert said.mark.sign == "?"
    assert title == "b does 3.00 times the I/Os per second of a (one run each)"
    _, said, title = said_of(runs("a", "b", rounds=1, times=1))
    assert said.rest.startswith("as many I/Os per second")
    assert title == "b and a: the same I/Os per second (one run each)"


def test_cells_that_one_side_lacks_are_left_out_of_the_line_over_all():
    frame = runs("a", "b", times=3)
    gone = frame["label"].eq("b") & frame["iodepth"].eq(64)
    found, said, _ = said_of(frame[~gone].reset_index(drop=True))
    assert found.count == len(found.cells) == 4
    assert said.head == "b is faster than a in all 4 cells"
    assert found.over["ratio_lo"] > 1


def test_runs_that_hold_some_of_the_cells_have_a_mean_without_an_interval():
    """The runs of one depth are one run: those of the other cells are runs of their own."""
    frame = runs("a", "b", times=3)
    deep = frame["iodepth"].eq(64)
    frame.loc[deep, "source"] = frame["label"] + frame["source"].str[-1]
    found, said, _ = said_of(frame)
    assert found.over["ratio"] == pytest.approx(3)
    assert found.over["ratio_lo"] is None
    assert said.rest.startswith("3.00 times as many I/Os per second, the geometric mean")


def test_the_total_of_a_run_stands_for_its_parts():
    io = ft.read("data/dda-vhdx/xml/{volume}.xml").io
    io = pd.concat([io, ft.totals(io)])
    answer = ft.compare(io, "iops", between="volume", baseline="vhdx", by="direction")
    asked = Comparison(io, "iops", ("direction",), "volume", "vhdx", answer)
    nvme = next(found for found in findings(asked) if found.over["volume"] == "nvme")
    total = answer[answer["direction"].eq("total") & answer["volume"].eq("nvme")]
    assert (nvme.over["ratio"], nvme.count) == (total["ratio"].item(), 1)
    assert across(nvme).head == "nvme against vhdx in total, one run each"


def test_the_clearest_is_first():
    frame = pd.concat([runs("a", "b", times=1.0), runs("a", "c", times=9).query("label == 'c'")])
    frame = pd.concat([frame, runs("a", "d", times=2).query("label == 'd'")])
    frame = pd.concat([frame, runs("a", "e", times=4).query("label == 'e'")], ignore_index=True)
    found = sorted(findings(compared(frame)), key=lambda one: one.clearness, reverse=True)
    assert [one.over["label"] for one in found] == ["c", "e", "d", "b"]
