"""`tell`: what was found, in sentences and in a line, with values computed by hand."""

import pandas as pd
import polars as pl
import pytest

import fiotools as ft
from fiotools.errors import SchemaError

SIDES = pd.DataFrame(
    {
        "disk": ["a"] * 3 + ["b"] * 3,
        "iops": [100.0, 101.0, 99.0, 250.0, 252.5, 247.5],
    }
)


def test_one_cell():
    answer = ft.compare(SIDES, "iops", between="disk")
    told = ft.tell(answer)
    low, high = (f"{answer[f'ratio_{end}'].item():.3g}" for end in ("lo", "hi"))
    said = f"b is faster than a: 2.50 times as many I/Os per second [{low}, {high}]"
    assert told.title == said
    assert repr(told).startswith(f"* {said}")
    assert "<b>b is faster than a</b>" in told._repr_mimebundle_()["text/html"]


def test_polars_says_the_same():
    own = ft.compare(pl.DataFrame(SIDES.to_dict("list")), "iops", between="disk")
    assert isinstance(own, pl.DataFrame)
    other = ft.compare(SIDES, "iops", between="disk")
    assert (ft.tell(own).title, repr(ft.tell(own))) == (ft.tell(other).title, repr(ft.tell(other)))
    assert len(own.columns) == len(other.columns)  # the answer is as it was


def test_several_cells_that_agree_and_that_do_not():
    both = pd.concat([SIDES.assign(bs="4k"), SIDES.assign(bs="8k")])
    told = ft.tell(ft.compare(both, "iops", between="disk", by="bs"))
    assert told.title == "b is faster than a in both cases: 2.50 times as many I/Os per second"
    wide = SIDES.assign(bs="8k", iops=[90.0, 100, 110, 80, 105, 120])
    told = ft.tell(
        ft.compare(pd.concat([SIDES.assign(bs="4k"), wide]), "iops", between="disk", by="bs")
    )
    assert told.title == "b against a: faster in 1 of 2 cases (4k), undecided in 1"


def test_one_run_each_has_no_verdict():
    told = ft.tell(ft.compare(SIDES.iloc[[0, 3]], "iops", between="disk"))
    assert told.title == "b against a, one run each: 2.50 times as many I/Os per second"
    assert "the spread between runs is unknown" in repr(told)


def test_a_sweep():
    rows = [
        (depth, iops * share) for depth, iops in ((1, 100), (4, 200)) for share in (0.99, 1, 1.01)
    ]
    frame = pd.DataFrame(rows, columns=["iodepth", "iops"])
    told = ft.tell(ft.summarize(frame, "iops", by="iodepth"))
    assert told.title == "Most I/Os per second at iodepth 4: 200 /s"
    assert "least at iodepth 1, 100 /s" in repr(told)
    assert "as good" not in repr(told)
    near = frame.assign(iops=frame["iops"].where(frame["iodepth"].eq(4), frame["iops"] * 1.99))
    told = ft.tell(ft.summarize(near, "iops", by="iodepth"))
    assert told.title.endswith(" /s; 1 other point may be as good")
    assert "1 other point may be as good: its interval meets this one" in repr(told)
    alone = ft.tell(ft.summarize(frame.iloc[[0, 3]], "iops", by="iodepth"))
    assert alone.title == "Most I/Os per second at iodepth 4: 198 /s; one run each"
    slow = ft.tell(
        ft.summarize(frame.rename(columns={"iops": "lat_mean_ns"}), "lat_mean_ns", by="iodepth")
    )
    assert slow.title == "Lowest mean latency at iodepth 1: 100 ns"
    assert "most at iodepth 4, 200 ns" in repr(slow)
    assert ft.tell(ft.summarize(frame.iloc[:3], "iops", by="iodepth")).title.startswith(
        "iops: 100 ["
    )


def test_threads():
    res = ft.read("data/dda-vhdx/xml/{volume}.xml").where("direction=total")
    told = ft.tell(ft.fairness(res, by="volume"))
    threads = res.threads[res.threads["volume"].eq("mirror")]["iops"]
    times = f"{threads.max() / threads.min():.3g}"
    assert (
        told.title == f"mirror: the busiest of 2 threads did {times} times the I/Os of the idlest"
    )
    assert "(1 is an equal share, 0.500 is all in one thread)" in repr(told)
    assert [one.head.partition(":")[0] for one in told.sentences] == ["mirror", "nvme", "vhdx"]
    # without a label, files are named in short
    told = ft.tell(ft.fairness(res))
    assert told.title.startswith("mirror: ")


def test_a_thread_that_did_nothing():
    rows = {"thread": [0, 1], "total_ios": [100, 0], "iops": [100.0, 0.0]}
    told = ft.tell(ft.fairness(pd.DataFrame(rows)))
    assert told.title == "One of 2 threads did no I/O"
    assert "Jain's index 0.500" in repr(told)


def test_why_sides_differ():
    res = ft.read("data/page-cache/{cache}.txt")
    told = ft.tell(ft.explain(res, "real_s", between="cache", baseline="before"))
    assert (
        told.title
        == "real of after: 0.107 times before; waiting, 83 % of the difference, and system CPU, 17 %"
    )
    (said,) = told.sentences
    assert said.head == told.title
    assert said.parts[0] == "the command sleeps for 0 s, against 3.25 s"
    alone = ft.tell(ft.explain(ft.read("data/how-many-runs/rounds/fsync_xfs_1.json")))
    (limit,) = alone.sentences
    assert alone.title == limit.head
    assert limit.parts, "what to change to see another limit"


def test_nothing_to_explain_has_no_remedy():
    res = ft.example("how-many-runs").where("workload=fsync")
    (said,) = ft.tell(ft.explain(res, between="filesystem")).sentences
    assert "nothing to explain" in said.head
    assert not said.parts


def test_a_log():
    log = ft.read("data/per-io-log/mixed_lat.1.log", version="3.33")
    windows = ft.window(log, "1s", percentiles=99)
    whole = windows[windows["coverage_pct"].ge(50)]
    low, high = (f"{whole['value_ns'].agg(end) / 1e6:.3g} ms" for end in ("min", "max"))
    assert ft.tell(windows).title == f"p99 from {low} to {high}"
    at = whole.loc[whole["value_ns"].idxmax(), "time_s"]
    assert f"highest in the window that ends at {at:.2f} s" in repr(ft.tell(windows))


@pytest.mark.parametrize("thing", [SIDES, "words", ft.read("data/page-cache/{cache}.txt")])
def test_other_things_are_refused(thing):
    with pytest.raises(SchemaError, match="tell takes the answer of compare"):
        ft.tell(thing)


def test_an_answer_without_rows():
    with pytest.raises(SchemaError, match="has no rows"):
        ft.tell(ft.compare(SIDES, "iops", between="disk").iloc[:0])
