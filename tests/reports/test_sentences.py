"""Findings in words say what the frame says: which side, how many times what, how sure, no more."""

import pandas as pd
import polars as pl
import pytest

import fiotools as ft
from fiotools.flags import columns_of, flag
from fiotools.reports.cells import cell_names
from fiotools.reports.findings import Comparison, findings
from fiotools.reports.sentences import across, headline, sentences

IN_BLOCKS = "the sides ran in blocks: drift cannot be told from the difference"
NO_SPREAD = "no spread at all: are these copies of one run?"
UNKNOWN = "; the spread between runs is unknown"


def row(metric="iops", **changes):
    """Give one row of an answer, as `compare` has it."""
    told = {
        "place": "image",
        "baseline": "root",
        "metric": metric,
        "n": 5,
        "n_baseline": 5,
        "ratio": 2.0,
        "ratio_lo": 1.6,
        "ratio_hi": 2.5,
        "comparisons": 1,
        "verdict": "faster",
        "beyond_band": "yes",
        "band": 0.05,
        "runs_needed": 0,
    }
    raised = changes.pop("raised", ())
    return {**told, **changes, **columns_of(raised)}


FEW = {"n": 1, "n_baseline": 1, "ratio_lo": None, "ratio_hi": None, "verdict": "one run"}
FEW |= {"beyond_band": None}
EACH = flag("one-run", side="each")
OPEN = {"verdict": "undecided", "beyond_band": "undecided"}


def time(ratio, lo, hi, **changes):
    """Give one row as `speedup` has it of a time."""
    gains = {"speedup": 1 / ratio, "speedup_lo": 1 / hi, "speedup_hi": 1 / lo}
    return row("real_s", ratio=ratio, ratio_lo=lo, ratio_hi=hi, **gains, **changes)


def said(*rows):
    return [str(one) for one in sentences(pd.DataFrame(rows))]


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        (
            row(),
            "image is faster than root: 2 times as many I/Os per second [1.60, 2.50], n 5 and 5.",
        ),
        (
            row(ratio=0.71, ratio_lo=0.65, ratio_hi=0.78, verdict="slower"),
            "image is slower than root: 0.710 times as many I/Os per second [0.650, 0.780]"
            " (29 % fewer), n 5 and 5.",
        ),
        (
            row("bw_bytes_per_s", ratio=1.25, ratio_lo=1.2, ratio_hi=1.3),
            "image is faster than root: 1.25 times the bandwidth [1.20, 1.30] (25 % more), n 5 and"
            " 5.",
        ),
        (
            time(0.25, 0.2, 0.4),
            "image is faster than root: 4 times as fast [2.50, 5] (takes 25 % as long), n 5 and 5.",
        ),
        (
            time(1.6, 1.25, 2.0, verdict="slower"),
            "image is slower than root: 0.625 times as fast [0.500, 0.800]"
            " (takes 1.60 times as long), n 5 and 5.",
        ),
        (
            row("lat_mean_ns", **{f"speedup{end}": 0.5 for end in ("", "_lo", "_hi")}),
            "image is faster than root: 0.500 times as fast [0.500, 0.500]"
            " (waits 2 times as long), n 5 and 5.",
        ),
        (
            row(ratio=1.01, ratio_lo=0.99, ratio_hi=1.03, verdict="same", beyond_band="no"),
            "image and root are the same within 5 %: 1.01 times as many I/Os per second"
            " [0.990, 1.03] (1 % more), n 5 and 5.",
        ),
        (
            row(ratio_lo=0.8, **OPEN, runs_needed=7),
            "Cannot tell image from root: 2 times as many I/Os per second [0.800, 2.50],"
            " n 5 and 5; 7 more runs a side would probably settle it.",
        ),
        (
            row(ratio=1.06, ratio_lo=1.02, ratio_hi=1.1, beyond_band="undecided"),
            "image is faster than root by 2 to 10 %: 1.06 times as many I/Os per second"
            " [1.02, 1.10] (6 % more), n 5 and 5.",
        ),
        (
            time(1.06, 1.02, 1.1, verdict="slower", beyond_band="undecided"),
            "image is slower than root, taking 2 to 10 % more time: 0.943 times as fast"
            " [0.909, 0.980] (takes 1.06 times as long), n 5 and 5.",
        ),
        (
            {**time(2, 1.5, 2.5, verdict="worse"), "metric": "lat_stddev_ns"},
            "image is worse than root: 2 times the lat_stddev [1.50, 2.50], n 5 and 5.",
        ),
        (
            row(**FEW, raised=[EACH]),
            f"image against root, one run each: 2 times as many I/Os per second{UNKNOWN}.",
        ),
        (
            row(
                **{**FEW, "verdict": "no run", "ratio": None},
                raised=[flag("no-run", side="level")],
            ),
            "image against root: no run of 'image'.",
        ),
        (
            row(raised=[flag("edge"), flag("blocks")]),
            "image is faster than root: 2 times as many I/Os per second [1.60, 2.50], n 5 and 5;"
            f" {IN_BLOCKS}.",
        ),
        (
            row(ratio_lo=None, ratio_hi=None, **OPEN, raised=[flag("no-spread")]),
            "Cannot tell image from root: 2 times as many I/Os per second, n 5 and 5;"
            f" {NO_SPREAD}.",
        ),
        (
            row(
                **FEW,
                raised=[EACH, flag("sides", columns=["rw"]), flag("settings", options=["rw"])],
            ),
            "image against root, one run each: 2 times as many I/Os per second;"
            f" the sides differ in rw too{UNKNOWN}.",
        ),
        (
            time(0.037, 0.02, 0.05),
            "image is faster than root: 27.0 times as fast [20, 50] (takes 3.7 % as long),"
            " n 5 and 5.",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_one_sentence(told, sentence):
    assert said(told) == [sentence]


def test_what_is_alike_in_many_cells_is_said_once_and_what_is_settled_first():
    sizes = [4096, 8192, 16384, 32768, 65536, 131072, 262144]
    open_ = {**OPEN, "ratio_lo": 0.9}
    rows = [
        {"bs_bytes": size, **row(ratio=1 + at / 2, **(open_ if at < 2 else {}))}
        for at, size in enumerate(sizes)
    ]
    assert said(*rows) == [
        "image is faster than root in 5 of 7: estimates from 2 to 4 times as many I/Os per second,"
        " n 5 and 5 each (16 KiB; 32 KiB; 64 KiB; 128 KiB; 256 KiB).",
        "Cannot tell image from root in 2 of 7: estimates from 1 to 1.50 times as many I/Os per second,"
        " n 5 and 5 each (4 KiB; 8 KiB).",
    ]


def test_what_weakens_some_of_many_cells_is_said_with_their_names():
    notes = {
        5: [flag("blocks")],
        6: [flag("drift", change=0.3, order=None)],
    }
    rows = [{"bs_bytes": 4096 * 2**at, **row(raised=notes.get(at, []))} for at in range(7)]
    (sentence,) = said(*rows)
    assert sentence.endswith(
        "; the sides ran in blocks (128 KiB); values drift over the series of runs (256 KiB)."
    )


def test_cells_are_named_by_what_sets_them_apart():
    frame = pd.DataFrame(
        {
            "operation": ["read", "read", "write", "write"],
            "direction": ["read", "read", "write", "write"],
            "bs_bytes": [4096, 65536, 4096, 65536],
            "rw": "randrw",
            "place": "b",
            "baseline": "a",
        }
    )
    assert cell_names(frame) == ["read, 4 KiB", "read, 64 KiB", "write, 4 KiB", "write, 64 KiB"]


# --- `tell`: an answer in sentences and in a line -------------------------------------------------

SIDES = pd.DataFrame(
    {"disk": ["a"] * 3 + ["b"] * 3, "iops": [100.0, 101.0, 99.0, 250.0, 252.5, 247.5]}
)
WIDE = SIDES.assign(bs="8k", iops=[90.0, 100, 110, 80, 105, 120])
SWEPT = pd.DataFrame(
    [(depth, iops * share) for depth, iops in ((1, 100), (4, 200)) for share in (0.99, 1, 1.01)],
    columns=["iodepth", "iops"],
)
NEAR = SWEPT.assign(iops=SWEPT["iops"].where(SWEPT["iodepth"].eq(4), SWEPT["iops"] * 1.99))
IDLE = pd.DataFrame({"thread": [0, 1], "total_ios": [100, 0], "iops": [100.0, 0.0]})
THREADS = "data/dda-vhdx/xml/{volume}.xml"


def compared(*frames, **named):
    return ft.compare(pd.concat(frames), "iops", between="disk", **named)


def swept(frame, metric="iops"):
    return ft.summarize(frame.rename(columns={"iops": metric}), metric, by="iodepth")


# an answer, its line, and words of its sentences
TOLD = {
    "cells that agree": (
        lambda: compared(SIDES.assign(bs="4k"), SIDES.assign(bs="8k"), by="bs"),
        "b is faster than a in both cases: 2.50 times as many I/Os per second",
        [],
    ),
    "cells that do not": (
        lambda: compared(SIDES.assign(bs="4k"), WIDE, by="bs"),
        "b against a: faster in 1 of 2 cases (4k), undecided in 1",
        [],
    ),
    "a sweep": (
        lambda: swept(SWEPT),
        "Most I/Os per second at iodepth 4: 200 /s",
        ["least at iodepth 1, 100 /s"],
    ),
    "a sweep of one run each": (
        lambda: swept(SWEPT.iloc[[0, 3]]),
        "Most I/Os per second at iodepth 4: 198 /s; one run each",
        [],
    ),
    "a point of a sweep": (lambda: swept(SWEPT.iloc[:3]), "iops: 100 [97.5, 103] /s", []),
    "a sweep of a latency": (
        lambda: swept(SWEPT, "lat_mean_ns"),
        "Lowest mean latency at iodepth 1: 100 ns",
        ["most at iodepth 4, 200 ns"],
    ),
    "a sweep whose ends meet": (
        lambda: swept(NEAR),
        "Most I/Os per second at iodepth 4: 200 /s; 1 other point may be as good",
        ["1 other point may be as good: its interval meets this one"],
    ),
    "threads": (
        lambda: ft.fairness(ft.read(THREADS).where("direction=total")),
        "mirror: the busiest of 2 threads did 2.33 times the I/Os of the idlest",
        ["(1 is an equal share, 0.500 is all in one thread)", "* nvme: ", "* vhdx: "],
    ),
    "an idle thread": (
        lambda: ft.fairness(IDLE),
        "One of 2 threads did no I/O",
        ["Jain's index 0.500"],
    ),
    "a cause": (
        lambda: ft.explain(ft.read("data/page-cache/{cache}.txt"), "real_s", baseline="before"),
        "real of after: 0.107 times before; waiting, 83 % of the difference, and system CPU, 17 %",
        ["the command sleeps for 0 s, against 3.25 s"],
    ),
}


@pytest.mark.parametrize(("answer", "title", "words"), TOLD.values(), ids=TOLD)
def test_an_answer_is_told(answer, title, words):
    told = ft.tell(answer())
    assert told.title == title
    text = " ".join(repr(told).split())
    assert [word for word in words if word not in text] == []
    assert ("as good" in text) == ("as good" in title)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_one_cell(kind):
    answer = ft.compare(kind(SIDES.to_dict("list")), "iops", between="disk")
    assert isinstance(answer, kind)
    told = ft.tell(answer)
    low, high = (f"{answer[f'ratio_{end}'][0]:.3g}" for end in ("lo", "hi"))
    said = f"b is faster than a: 2.50 times as many I/Os per second [{low}, {high}]"
    assert told.title == said
    assert repr(told).startswith(f"* {said}")
    assert "<b>b is faster than a</b>" in told._repr_mimebundle_()["text/html"]


def test_the_limit_of_one_side_has_a_remedy_and_nothing_to_explain_has_none():
    alone = ft.tell(ft.explain(ft.read("data/how-many-runs/rounds/fsync_xfs_1.json")))
    (limit,) = alone.sentences
    assert alone.title == limit.head
    assert limit.parts, "what to change to see another limit"
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


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        (SIDES, "tell takes the answer of compare"),
        ("words", "tell takes the answer of compare"),
        (compared(SIDES).iloc[:0], "has no rows"),
    ],
)
def test_other_things_are_refused(thing, words):
    with pytest.raises(ft.SchemaError, match=words):
        ft.tell(thing)


# --- a report: the line over all cells, and the title ---------------------------------------------

CELLS = [(depth, jobs) for depth in (1, 8, 64) for jobs in (1, 4)]


def runs(*sides, rounds=5, times=1.0, shallow=1.0):
    """Give runs of a sweep, with a little spread; each side does `times` as much as that before.

    At the least depth, it does `shallow` times that.
    """
    rows = [
        {
            "source": f"{side}{depth}{jobs}{number}",
            "run": 1,
            "label": side,
            "direction": "read",
            "iodepth": depth,
            "numjobs": jobs,
            "iops": (iops := 1000.0 * depth * jobs * (1 + 0.01 * number) * times**at)
            * (shallow**at if depth == 1 else 1),
            "lat_mean_ns": depth * jobs / iops * 1e9 * (1 + depth / 8),
        }
        for at, side in enumerate(sides)
        for depth, jobs in CELLS
        for number in range(rounds)
    ]
    return pd.DataFrame(rows)


def found_in(frame):
    """Give the findings of a comparison of labels."""
    by = ["iodepth", "numjobs"]
    answer = ft.compare(frame, "iops", between="label", baseline="a", by=by)
    return findings(Comparison(frame, "iops", tuple(by), "label", "a", answer))


def noisy():
    frame = runs("a", "b")
    noise = 1 + 0.4 * (frame["source"].str[-1].astype(int) - 2) * frame["label"].eq("b")
    return frame.assign(iops=frame["iops"] * noise)


THREE = runs("a", "b", times=3)
FASTER = "b is faster than a"


@pytest.mark.parametrize(
    ("frame", "head", "rest", "sign", "title"),
    [
        (
            THREE,
            f"{FASTER} in all 6 cells",
            "3.00 times as many I/Os per second [",
            "▲",
            f"{FASTER}: 3.00 times the I/Os per second",
        ),
        (
            runs("a", "b", times=3, shallow=1 / 9),
            f"{FASTER} over all cells",
            "slower in 2 of 6 cells, faster in 4 of 6 cells; the cells lie from 0.333 [",
            "▲",
            f"{FASTER}: 1.44 times the I/Os per second, slower in 2 of 6 cells",
        ),
        (  # 1/9 in two cells, 3 in four: the mean is 1
            runs("a", "b", times=3, shallow=1 / 27),
            "b and a are the same within 5 % over all cells",
            "slower in 2 of 6 cells, faster in 4 of 6 cells",
            "=",
            "b against a: slower in 2 of 6 cells, faster in 4 of 6 cells",
        ),
        (
            noisy(),
            "Cannot tell b from a over all cells",
            "",
            "?",
            "b against a: no difference could be shown in I/Os per second",
        ),
        (
            runs("a", "b", rounds=1, times=3),
            "b against a over all cells, one run each",
            "the spread between runs is unknown",
            "?",
            "b does 3.00 times the I/Os per second of a (one run each)",
        ),
        (
            runs("a", "b", rounds=1),
            "b against a over all cells, one run each",
            "as many I/Os per second",
            "?",
            "b and a: the same I/Os per second (one run each)",
        ),
        (  # cells that one side lacks are left out
            THREE[~(THREE["label"].eq("b") & THREE["iodepth"].eq(64))].reset_index(drop=True),
            f"{FASTER} in all 4 cells",
            "3.00 times as many I/Os per second [",
            "▲",
            f"{FASTER}: 3.00 times the I/Os per second",
        ),
    ],
)
def test_the_line_over_all_cells(frame, head, rest, sign, title):
    (found,) = found_in(frame)
    said = across(found)
    assert said.head == head
    assert rest in said.rest
    assert said.mark.sign == sign
    assert headline([found]) == title


def test_runs_that_hold_some_of_the_cells_have_a_mean_without_an_interval():
    """The runs of one depth are one run: those of the other cells are runs of their own."""
    frame = runs("a", "b", times=3)
    frame.loc[frame["iodepth"].eq(64), "source"] = frame["label"] + frame["source"].str[-1]
    (found,) = found_in(frame)
    assert found.over["ratio"] == pytest.approx(3)
    assert found.over["ratio_lo"] is None
    assert across(found).rest.startswith(
        "3.00 times as many I/Os per second, the geometric mean of the cells"
    )


def test_the_total_of_a_run_stands_for_its_parts():
    io = ft.read(THREADS).io
    io = pd.concat([io, ft.totals(io)])
    answer = ft.compare(io, "iops", between="volume", baseline="vhdx", by="direction")
    asked = Comparison(io, "iops", ("direction",), "volume", "vhdx", answer)
    nvme = next(found for found in findings(asked) if found.over["volume"] == "nvme")
    total = answer[answer["direction"].eq("total") & answer["volume"].eq("nvme")]
    assert (nvme.over["ratio"], nvme.count) == (total["ratio"].item(), 1)
    assert across(nvme).head == "nvme against vhdx in total, one run each"


def test_the_clearest_is_first():
    sides = [
        runs("a", side, times=times).query(f"label in {['a', 'b'] if side == 'b' else [side]}")
        for side, times in {"b": 1.0, "c": 9, "d": 2, "e": 4}.items()
    ]
    found = found_in(pd.concat(sides, ignore_index=True))
    clearest = sorted(found, key=lambda one: one.clearness, reverse=True)
    assert [one.over["label"] for one in clearest] == ["c", "e", "d", "b"]
