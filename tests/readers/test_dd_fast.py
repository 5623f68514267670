"""Reports that are read many at a time give what they give one by one."""

from __future__ import annotations

import math
import random
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fiotools as ft
from fiotools.readers.dd import columns as dd_columns
from fiotools.readers.dd import lines as dd_lines
from fiotools.readers.dd import rates as dd_rates
from fiotools.readers.dd import reports as dd_reports
from fiotools.readers.dd import stretch as dd_stretch
from tests.corpus import CORPUS, needs_corpus

FIXTURES = Path(__file__).parents[1] / "fixtures"
UNITS = ("B", "kB", "MB", "GB", "TB")


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


@pytest.fixture
def many(monkeypatch):
    """Take short stretches too, and count the runs that are not read one by one."""
    taken = []
    monkeypatch.setattr(dd_stretch, "FEW", 2)
    pattern = dd_stretch._SOME.pattern.replace("{16}", "{2}")
    monkeypatch.setattr(dd_stretch, "_SOME", re.compile(pattern))
    pieces = dd_stretch.Stretch.pieces

    def counted(self, line):
        for piece in pieces(self, line):
            taken.append(len(piece) if isinstance(piece, dd_stretch.Many) else 0)
            yield piece

    monkeypatch.setattr(dd_stretch.Stretch, "pieces", counted)
    return taken


def differing(monkeypatch, text):
    """Read twice; name the tables that differ."""

    def tables():
        try:
            return ft.reads(text).tables
        except ft.FileError as error:
            return {"error": pd.DataFrame({"message": [str(error)]})}

    fast = tables()
    with monkeypatch.context() as patched:
        patched.setattr(dd_stretch, "find", lambda text, at: None)
        exact = tables()
    assert fast.keys() == exact.keys()
    found = []
    for name, frame in exact.items():
        try:
            pd.testing.assert_frame_equal(fast[name], frame, check_exact=True)
        except AssertionError as error:
            found.append(f"{name}: {error}")
    return found


@pytest.mark.parametrize("seed", range(2))
def test_a_log_gives_the_same_rows_many_at_a_time(monkeypatch, many, seed):
    assert not differing(monkeypatch, log(seed))
    assert sum(many) > 20


def test_a_broken_log_gives_the_same_rows(monkeypatch, many):
    for seed in range(15):
        assert not differing(monkeypatch, broken(seed)), seed
    assert sum(many) > 300


@needs_corpus
def test_real_logs_give_the_same_rows(monkeypatch, many):
    texts = []
    for place in (FIXTURES / "dd", FIXTURES / "transcript", CORPUS / "dd-time"):
        for path in sorted(place.rglob("*")):
            data = path.read_bytes() if path.is_file() else b""
            if data.count(b" records out\n") and b"copied" in data and len(data) < 20_000:
                texts.append(data.decode("utf-8", errors="replace"))
    # one below the other they are one long log
    for start in range(0, len(texts), 40):
        together = "".join(texts[start : start + 40])
        assert not differing(monkeypatch, together), start
        for text in texts[start : start + 40 : 20]:
            assert not differing(monkeypatch, text * 3), text
    assert sum(many) > 5


def test_a_long_log_is_read_many_at_a_time():
    ok = "64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, 0.5 s, 134 MB/s\n"
    results = ft.reads(ok * 3000)
    assert len(results.runs) == len(results.io) == 3000
    assert set(results.io["bw_bytes_per_s"]) == {134217728.0}
    assert set(results.io["iops"]) == {128.0}
    assert results.extras["text"].tolist() == ["64+0", "64+0", "134 MB/s"] * 3000
    assert results.runs["run"].tolist() == list(range(1, 3001))


def test_the_line_of_a_note_far_down():
    ok = "64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, 0.5 s, 134 MB/s\n"
    results = ft.reads(ok * 500 + ok.replace("134", "135") + ok * 500)
    assert results.notes["line"].dropna().tolist() == [1503]
    assert results.notes["run"].dropna().tolist() == [501]


@pytest.mark.parametrize(
    ("above", "below"),
    [
        ("145+0 145+0 74240 1", "146+0 146+0 74752 2"),
        ("145+0 145+0 74240 1", "146+0 145+0 74752 2"),
        ("145+0 145+0 74240 1", "147+0 144+0 74752 2"),  # less was written: another dd
        ("145+0 145+0 74240 1", "146+0 146+0 74240 2"),
        ("145+0 145+0 74240 1", "146+0 146+0 74752 1"),
        ("145+0 145+0 74240 1", "145+1 145+1 74752 2"),
        ("145+1 145+1 74752 1", "146+0 146+0 74753 2"),
        ("145+0 145+0 74240 1", "146+0 146+0 149504 2"),
        ("100+0 100+0 51200 1", "200+0 200+0 102400 2"),
    ],
)
def test_reports_that_may_be_of_one_dd(monkeypatch, many, above, below):
    ok = "64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, 0.5 s, 134 MB/s\n"
    text = ok * 3
    for report in (above, below):
        into, out, amount, seconds = report.split()
        rate = human(int(amount) / int(seconds), 1000)
        text += f"{into} records in\n{out} records out\n"
        text += f"{amount} bytes copied, {seconds} s, {rate}/s\n"
    assert not differing(monkeypatch, text + ok * 3)
    assert sum(many)


@pytest.mark.parametrize("is_progress", [False, True])
def test_rates_of_many_lines_are_those_of_each(is_progress):
    rng, lines = random.Random(5), []
    for _ in range(3000):
        amount, seconds = int(10 ** rng.uniform(0, 14)), 10 ** rng.uniform(-6, 4)
        text = rng.choice([f"{seconds:.6g}", f"{seconds:.1f}", f"{seconds:.3f}", f"{seconds:.0f}"])
        if float(text) and "+" not in text:
            by = rng.choice([float(text), seconds, max(1, int(float(text) * 1000)) / 1000])
            rate = human(amount / by * rng.choice([1, 1, 1, 1.04, 0.96]), 1000)
            lines.append(f"{amount} bytes ({human(amount, 1000)}) copied, {text} s, {rate}/s")
    cuts = dd_columns.Cuts("\n".join([*lines, ""]).encode())
    reports, good = dd_reports.read_figures(
        cuts, cuts.lines[:-1], cuts.lines[1:], is_progress=is_progress
    )
    assert good.mean() > 0.98
    verdicts = ("agrees", "rounded", "contradicts")
    for at in np.flatnonzero(good):
        value = dd_lines.segment(lines[at]).tokens[0].value
        rate = dd_rates.rate(value, is_progress=is_progress)
        assert verdicts[reports["verdict"][at]] == rate.verdict, lines[at]
        known = np.nan if rate.value is None else rate.value
        np.testing.assert_equal(reports["bw"][at], known, lines[at])
        assert reports["sized"][at] == dd_rates.size_agrees(value), lines[at]
        assert reports["seconds"][at] == float(value.seconds)


@pytest.mark.parametrize(
    "line",
    [
        "1024 bytes (1.0 kB, 1.0 KiB) copied, 1 s, 1.0 kB/s ",
        "1024 bytes (1.0 kB; 1.0 KiB) copied, 1 s, 1.0 kB/s",
        "1024 bytes (1.0 kB, 1.0 KiB copied, 1 s, 1.0 kB/s",
        "1024 bytes(1.0 kB, 1.0 KiB) copied, 1 s, 1.0 kB/s",
        "1024 bytes+(1.0 kB, 1.0 KiB) copied, 1 s, 1.0 kB/s",
        "1024 bytes copied, 1. s, 1.0 kB/s",
        "1024 bytes copied, 1e5 s, 1.0 kB/s",
        "1024 bytes copied, 1.2.3 s, 1.0 kB/s",
        "1024 bytes copied, 1 s, 1.0 KB/s",
        "1024 bytes copied, 1,5 s, 1.0 kB/s",
        "1,024 bytes copied, 1 s, 1.0 kB/s",
        "1234567890123456 bytes copied, 1 s, 1.0 kB/s",
        "-1024 bytes copied, 1 s, 1.0 kB/s",
    ],
)
def test_what_is_not_of_the_layout(line):
    cuts = dd_columns.Cuts(f"{line}\n".encode())
    assert not cuts.figures(cuts.lines[:-1], cuts.lines[1:]).good.any()
