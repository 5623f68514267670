"""Sentences say what the frame says: which side, how many times what, how sure, and no more."""

import pandas as pd
import pytest

import fiotools as ft
from fiotools.flags import columns_of, flag
from fiotools.reports.cells import cell_names
from fiotools.reports.sentences import sentences

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


def test_of_a_real_comparison():
    times = ft.read("data/page-cache/{cache}.txt").timings
    answer = ft.speedup(times, "real_s", between="cache", baseline="before")
    assert [str(one) for one in sentences(answer)] == [
        f"after against before, one run each: 9.36 times as fast (takes 11 % as long){UNKNOWN}."
    ]
