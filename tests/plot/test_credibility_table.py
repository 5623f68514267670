"""The credibility table, asked by what stands on the page."""

import json
import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest

import fiotools as ft

LOOKS = {"X": "impossible", "^": "suspect", "$?$": "unknown", "o": "ok"}


def finding(mount, check, verdict, why="so", remedy=None, source=None, run=1):
    words = json.dumps({"words": re.sub(r"[\d.]+", "", why)})
    where = mount, source or f"data/{mount}.txt", run, "read"
    return *where, check, f"{check}.made", verdict, words, why, remedy


def table(*rows):
    names = ["mount", "source", "run", "subject", "check", "finding", "verdict", "details"]
    names += ["why", "remedy"]
    return pd.DataFrame(rows, columns=names)


SEEN = table(
    finding("ext4", "link", "ok"),
    finding("ext4", "cache", "suspect", "8 GB through the page cache"),
    finding("ext4", "budget", "unknown", "unaccounted", "give ram="),
    finding("drvfs", "link", "impossible", "2.00 GB/s is 4 times the link"),
    finding("drvfs", "link", "ok"),
    finding("drvfs", "cache", "suspect", "8 GB through the page cache"),
    finding("drvfs", "budget", "unknown", "unaccounted", "give ram="),
    finding("drvfs", "sparse", "unknown", "never written", "prefill it"),
)


def texts(ax):
    return {text.get_text(): text for text in ax.texts}


def place(ax, name):
    """Give the height of a row's name."""
    return texts(ax)[name].get_position()[1]


def cells(ax, row, checks):
    """Give the verdict of each check in a row, by the nearest column."""
    found = {}
    for line in ax.lines:
        if line.get_marker() in LOOKS and line.get_ydata()[0] == place(ax, row):
            x = line.get_xdata()[0]
            at = min(checks, key=lambda name: abs(texts(ax)[name].get_position()[0] - x))
            found[at] = LOOKS[line.get_marker()]
    return found


def told(ax):
    """Join the lines of the reasons again."""
    return " ".join(text.get_text() for text in ax.texts)


CHECKS = ["link speed", "page cache", "byte budget", "unwritten blocks"]


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_cell_has_the_worst_verdict_and_blank_is_not_asked(kind):
    plain = {name: [None if pd.isna(v) else v for v in SEEN[name]] for name in SEEN}
    frame = SEEN if kind == "pandas" else pl.DataFrame(plain)
    ax = ft.plot.credibility(frame)
    assert cells(ax, "ext4", CHECKS) == {
        "link speed": "ok",
        "page cache": "suspect",
        "byte budget": "unknown",
    }
    assert cells(ax, "drvfs", CHECKS) == {
        "link speed": "impossible",
        "page cache": "suspect",
        "byte budget": "unknown",
        "unwritten blocks": "unknown",
    }


def test_reasons_are_numbered_and_said_once():
    ax = ft.plot.credibility(SEEN)
    assert "link speed: 2.00 GB/s is 4 times the link" in texts(ax)
    assert sum("8 GB through the page cache" in text.get_text() for text in ax.texts) == 1
    numbers = [text for text in ax.texts if text.get_text() in ("1", "2")]
    small = [text.get_text() for text in numbers if text.get_fontsize() < 8]
    # in the cells: ext4's cache, drvfs's link, drvfs's cache; before the reasons: each once
    assert small == ["2", "1", "2"]
    assert len(numbers) - len(small) == 2


def test_of_the_unknown_the_missing_evidence_is_listed():
    ax = ft.plot.credibility(SEEN)
    assert {"byte budget (all runs): give ram=", "unwritten blocks (1 run): prefill it"} < set(
        texts(ax)
    )
    assert "unaccounted" not in told(ax)


def test_only_the_gravest_reasons_are_listed():
    ax = ft.plot.credibility(SEEN, reasons=1)
    assert "link speed: 2.00 GB/s is 4 times the link" in texts(ax)
    assert "8 GB through the page cache" not in told(ax)
    assert "and 1 more, in the frame" in texts(ax)
    assert "give ram=" not in told(ax)


def test_the_legend_explains_what_is_there():
    ax = ft.plot.credibility(SEEN)
    assert {"impossible", "suspect", "unknown", "ok"} < set(texts(ax))
    ax = ft.plot.credibility(SEEN.query("verdict == 'ok'"))
    assert "ok" in texts(ax)
    assert "suspect" not in texts(ax)


def test_verdicts_have_a_shape_each():
    ax = ft.plot.credibility(SEEN)
    assert {line.get_marker() for line in ax.lines} >= set(LOOKS)


def test_a_column_may_name_the_rows():
    seen = SEEN.assign(disk="usb")
    ax = ft.plot.credibility(seen, y="disk")
    assert cells(ax, "usb (2 runs)", CHECKS)["link speed"] == "impossible"
    numbers = [text.get_text() for text in ax.texts if text.get_fontsize() < 8]
    assert numbers == ["1", "2"]


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        ([("a", "x/one.txt", 1), ("a", "x/two.txt", 1)], ["a, one.txt", "a, two.txt"]),
        (
            [("a", "x/one.txt", 1), ("a", "x/one.txt", 2)],
            ["a, one.txt, run 1", "a, one.txt, run 2"],
        ),
        ([("a", "x/one.txt", 1), ("a", "y/one.txt", 1)], ["a, x/one.txt", "a, y/one.txt"]),
        ([(None, "x/one.txt", 1), (None, "x/two.txt", 1)], ["one.txt", "two.txt"]),
        ([(None, "x/one.txt", 1)], ["one.txt"]),
    ],
    ids=["files", "runs", "folders", "no label", "one"],
)
def test_runs_are_named_in_as_few_words_as_tell_them_apart(rows, names):
    seen = table(*(finding(m, "link", "ok", source=s, run=r) for m, s, r in rows))
    ax = ft.plot.credibility(seen)
    assert [name for name in texts(ax) if name.startswith(("a", "one", "two"))] == names


def many(runs):
    rows = []
    for at in range(runs):
        source = f"data/{at}.txt"
        rate = f"{at % 7 + 2}.{at % 10}1 GB/s is {at % 3 + 2} times what the link can carry"
        verdict = "impossible" if at % 3 == 0 else "ok"
        rows.append(finding("usb", "link", verdict, rate, source=source))
        rows.append(finding("usb", "budget", "unknown", f"{at} B", "give ram=", source=source))
    return table(*rows)


def test_hundreds_of_runs_are_counted_and_the_page_says_so():
    ax = ft.plot.credibility(many(300))
    assert "300 runs, counted by the worst verdict of each check" in texts(ax)
    assert {"100", "200", "300"} < set(texts(ax))
    assert ax.figure.get_size_inches()[1] < 11
    # reasons that differ in numbers only count as one
    assert (
        "link speed (100 runs): 2.01 GB/s is 2 times what the link can carry (and 69 more"
        in told(ax)
    )
    assert "byte budget (all runs): give ram=" in texts(ax)


def test_what_the_page_does_not_hold_is_counted():
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]
    rows = [
        finding("usb", f"{one}", "suspect", f"{one} {other} {third}")
        for one in words
        for other in words
        for third in words[:3]
    ]
    ax = ft.plot.credibility(table(*rows))
    high = ax.figure.get_size_inches()[1]
    assert high < 11
    shown = sum(": " in text.get_text() for text in ax.texts)
    assert 20 < shown < 300
    assert f"and {300 - shown} more, in the frame" in texts(ax)


def overlaps(boxes):
    boxes = [box for box in boxes if box.width and box.height]
    return [
        (one, other)
        for at, one in enumerate(boxes)
        for other in boxes[at + 1 :]
        if min(one.x1, other.x1) - max(one.x0, other.x0) > 1
        and min(one.y1, other.y1) - max(one.y0, other.y0) > 3
    ]


LONG = "a-very-long-label-without-a-space-" * 4


@pytest.mark.parametrize(
    "seen",
    [SEEN, many(300), many(30), SEEN.assign(mount=SEEN["mount"] + LONG, why=LONG * 3)],
    ids=["few", "hundreds", "thirty", "long"],
)
def test_nothing_is_cut_or_overlaps(seen):
    ax = ft.plot.credibility(seen)
    figure = ax.figure
    ft.plot.title(ax, "A message")
    figure.canvas.draw()
    level = [text for text in ax.texts if text.get_rotation() == 0]
    boxes = [text.get_window_extent() for text in level]
    assert min(box.x0 for box in boxes) >= 0
    assert max(text.get_window_extent().x1 for text in ax.texts) <= figure.bbox.width
    assert min(box.y0 for box in boxes) >= -1
    assert not overlaps(boxes)


def test_it_fits_axes_of_ones_own():
    figure, (left, right) = plt.subplots(1, 2, figsize=(7, 4), layout="constrained")
    assert ft.plot.credibility(SEEN, ax=left) is left
    ft.plot.credibility(many(300), ax=right)
    figure.canvas.draw()
    edge = right.get_window_extent().x0
    assert max(text.get_window_extent().x1 for text in left.texts) <= edge
    assert max(text.get_window_extent().x1 for text in right.texts) <= figure.bbox.width


def test_narrow_columns_have_the_numbers_below_the_marks():
    seen = table(
        *(finding("usb", f"check number {at}", "suspect", f"reason {at * 'a'}") for at in range(25))
    )
    ax = ft.plot.credibility(seen)
    numbers = [text for text in ax.texts if text.get_fontsize() < 8]
    assert [text.get_text() for text in numbers] == [str(at) for at in range(1, 26)]
    marks = [line for line in ax.lines if line.get_marker() == "^"]
    below = {line.get_xdata()[0]: line.get_ydata()[0] for line in marks}
    places = [text.get_position() for text in numbers]
    assert all(y > below[x] + 5 for x, y in places)
    assert cells(ax, "usb", ["check number 0"]) == {"check number 0": "suspect"}


def test_a_dollar_begins_no_formula():
    ax = ft.plot.credibility(table(finding("usb", "link", "suspect", "a $x and a $y_{")))
    ax.figure.canvas.draw()
    assert "link speed: a $x and a $y_{" in texts(ax)


@pytest.mark.parametrize("files", ["dda-vhdx/xml/{volume}.xml", "page-cache/{cache}.txt"])
def test_every_finding_of_the_articles_is_on_the_page(files):
    seen = ft.check(ft.read(f"data/{files}"))
    ax = ft.plot.credibility(seen)
    page = told(ax)
    for why in seen.loc[seen["verdict"].isin(["impossible", "suspect"]), "why"]:
        assert " ".join(why.split()) in page
    for remedy in seen.loc[seen["verdict"] == "unknown", "remedy"].dropna():
        assert " ".join(remedy.split()) in page


DD = "2+0 records in\n2+0 records out\n2097152 bytes copied, 0.5 s, 4.2 MB/s\n"
MISTAKES = {
    "empty": (lambda: ft.plot.credibility(SEEN[:0]), "no rows"),
    "no check": (lambda: ft.plot.credibility(SEEN.drop(columns="why")), "no column why; give what"),
    "y": (lambda: ft.plot.credibility(SEEN, y="mounts"), "did you mean 'mount'"),
    "verdict": (
        lambda: ft.plot.credibility(SEEN.assign(verdict="fine")),
        r"'fine' is not a verdict of check\(\)",
    ),
    "gap": (lambda: ft.plot.credibility(SEEN.assign(verdict=np.nan)), "'verdict' is missing in 8"),
    "gap in y": (
        lambda: ft.plot.credibility(SEEN.assign(mount=[None, *SEEN["mount"][1:]]), y="mount"),
        "'mount' is missing in 1 of 8",
    ),
    "results": (lambda: ft.plot.credibility(ft.reads(DD)), "not Results"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told(mistake):
    draw, words = MISTAKES[mistake]
    with pytest.raises(ft.SchemaError, match=words):
        draw()
