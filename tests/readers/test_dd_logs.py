"""Long logs of dd: whole reports that are found at once give what their lines give one by one."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pandas as pd
import pytest

import fiotools as ft
from tests.corpus import CORPUS, needs_corpus

FIXTURES = Path(__file__).parents[1] / "fixtures"
UNITS = ("B", "kB", "MB", "GB", "TB")
OK = "64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, 0.5 s, 134 MB/s\n"


def human(value, step, units=UNITS):
    """Write a size or a rate as GNU does, near enough."""
    power = min(int(math.log(max(value, 1), step)), len(units) - 1)
    figure = value / step**power
    return f"{figure:.{int(figure < 9.95 and power > 0)}f} {units[power]}"


def printed(rng, before):
    """Write a report: of a new dd, or of one that goes on; some contradict themselves."""
    if before and rng.random() < 0.4:
        block, full, seconds, partial = before
        full, seconds = full + rng.choice([1, 13, 64, 100]), seconds * rng.uniform(1, 1.5)
    else:
        block, full = 1 << rng.choice([9, 12, 20]), rng.choice([1, 64, 77, 100, 145, 1000, 262144])
        partial, seconds = int(rng.random() < 0.1), block * full / rng.uniform(5e6, 4e9)
    amount = block * full + 7 * partial + (rng.random() < 0.02)
    shown = f"{seconds:.6g}" if rng.random() < 0.98 else rng.choice(["0", "0.0", "12.5", "1e-30"])
    rate = human(amount / (seconds if rng.random() < 0.95 else 2 * seconds), 1000)
    binary = human(amount, 1024, ("B", "KiB", "MiB", "GiB", "TiB"))
    size = rng.choice(["", f" ({human(amount, 1000)})", f" ({human(amount, 1000)}, {binary})"])
    out = full - (rng.random() < 0.02)
    text = (
        f"{full}+{partial} records in\n{out}+{partial} records out\n"
        f"{amount} bytes{size} copied, {shown} s, {rate}/s\n"
    )
    return text, (block, full, seconds, partial)


def log(seed, reports=120):
    rng, parts, before = random.Random(seed), [], None
    for _ in range(reports):
        text, before = printed(rng, before)
        parts.append(text)
    return "".join(parts)


# what stands between reports, or breaks one
BETWEEN = [
    *(
        "\n",
        "dd: error writing 'x': No space left on device\n",
        "5+0 records in\n",
        "^C",
        "\r",
        "#",
    ),
    *("16+0 records in\n16+0 records out\n", "1 truncated record\n", "h1: 4+0 records in\n", "é"),
    *("real\t0m1.2s\nuser\t0m0.1s\nsys\t0m0.2s\n", "$ dd if=/dev/zero of=x bs=1M\n", "9" * 20, "+"),
]


def broken(seed):
    """Write a log with something in it that does not belong there."""
    rng, text = random.Random(seed), log(seed)
    for _ in range(rng.randrange(4)):
        at = rng.randrange(len(text))
        if rng.random() < 0.3:
            text = text[:at] + text[at + rng.randrange(1, 200) :]
        else:
            text = text[:at] + rng.choice([*BETWEEN, *"0123456789(). ,"]) + text[at:]
    return text


def tables(text):
    try:
        return ft.reads(text).tables
    except ft.FileError as error:
        return {"error": pd.DataFrame({"message": [str(error)]})}


def differing(text):
    """Read a text, and again with a blank behind each line of records; name what differs."""
    lines = text.replace(" records in\n", " records in \n")
    at_once, one_by_one = tables(text), tables(lines)
    assert at_once.keys() == one_by_one.keys()
    found = []
    for name, frame in one_by_one.items():
        try:
            pd.testing.assert_frame_equal(at_once[name], frame, check_exact=True)
        except AssertionError as error:
            found.append(f"{name}: {error}")
    return found


@pytest.mark.parametrize("seed", range(2))
def test_a_log_gives_the_same_rows_at_once_and_line_by_line(seed):
    assert not differing(log(seed))


def test_a_broken_log_gives_the_same_rows():
    for seed in range(15):
        assert not differing(broken(seed)), seed


@needs_corpus
def test_real_logs_give_the_same_rows():
    texts = []
    for place in (FIXTURES / "dd", FIXTURES / "transcript", CORPUS / "dd-time"):
        for path in sorted(place.rglob("*")):
            data = path.read_bytes() if path.is_file() else b""
            if data.count(b" records out\n") and b"copied" in data and len(data) < 20_000:
                texts.append(data.decode("utf-8", errors="replace"))
    # one below the other they are one long log
    assert len(texts) > 40
    for start in range(0, len(texts), 40):
        assert not differing("".join(texts[start : start + 40])), start


def test_a_long_log():
    results = ft.reads(OK * 3000)
    assert len(results.runs) == len(results.io) == 3000
    assert set(results.io["bw_bytes_per_s"]) == {134217728.0}
    assert set(results.io["iops"]) == {128.0}
    assert results.extras["text"].tolist() == ["64+0", "64+0", "134 MB/s"] * 3000
    assert results.runs["run"].tolist() == list(range(1, 3001))


def test_the_line_of_a_note_far_down():
    results = ft.reads(OK * 500 + OK.replace("134", "135") + OK * 500)
    assert results.notes["line"].dropna().tolist() == [1503]
    assert results.notes["run"].dropna().tolist() == [501]


@pytest.mark.parametrize(
    ("above", "below", "runs"),
    [
        ("145+0 145+0 74240 1", "146+0 146+0 74752 2", 1),
        ("145+0 145+0 74240 1", "146+0 145+0 74752 2", 2),
        ("145+0 145+0 74240 1", "147+0 144+0 74752 2", 2),  # less was written: another dd
        ("145+0 145+0 74240 1", "146+0 146+0 74240 2", 2),
        ("145+0 145+0 74240 1", "146+0 146+0 74752 1", 2),
        ("145+0 145+0 74240 1", "145+1 145+1 74752 2", 1),
        ("145+1 145+1 74752 1", "146+0 146+0 74753 2", 2),
        ("145+0 145+0 74240 1", "146+0 146+0 149504 2", 2),
        ("100+0 100+0 51200 1", "200+0 200+0 102400 2", 2),
    ],
)
def test_reports_that_may_be_of_one_dd(above, below, runs):
    text = OK * 3
    for report in (above, below):
        into, out, amount, seconds = report.split()
        rate = human(int(amount) / int(seconds), 1000)
        text += f"{into} records in\n{out} records out\n"
        text += f"{amount} bytes copied, {seconds} s, {rate}/s\n"
    text += OK * 3
    assert len(ft.reads(text).runs) == 6 + runs
    assert not differing(text)


@pytest.mark.parametrize("seconds", ["1.", "1.2.3", "1e5.0"])
def test_a_line_whose_seconds_are_not_a_number(seconds):
    line = f"1024 bytes (1.0 kB, 1.0 KiB) copied, {seconds} s, 1.0 kB/s\n"
    results = ft.reads(OK + "2+0 records in\n2+0 records out\n" + line + OK)
    assert 1024 not in results.io["io_bytes"].tolist()
    assert results.notes["code"].tolist().count("unread") == 1


def test_records_that_begin_with_zeros():
    results = ft.reads(OK.replace("64+0", "064+00"))
    assert results.extras["text"].tolist()[:2] == ["64+0", "64+0"]
