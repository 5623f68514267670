"""Sessions that are read side by side give what they give one by one."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pandas as pd
import pytest

import fiotools as ft
from fiotools.readers.transcript import bulk as transcript_bulk
from fiotools.readers.transcript import rows as transcript_rows
from tests.corpus import CORPUS, needs_corpus

FIXTURES = Path(__file__).parents[1] / "fixtures"
TIMES = "\nreal\t0m1.020s\nuser\t0m0.004s\nsys\t1m10.300s\n"
OPERANDS = "if=/dev/zero of=/mnt/a bs=1M count=1024 oflag=direct,sync status=progress"
REPORT = (
    "1024+0 records in\n1024+0 records out\n"
    "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 1.01936 s, 1.1 GB/s\n"
)
PROGRESS = "\r{} bytes (537 MB, 512 MiB) copied, 1 s, 537 MB/s"


@pytest.fixture
def taken(monkeypatch):
    """Read few files side by side too, and list how many were."""
    counts = []
    pieces = transcript_rows.pieces
    monkeypatch.setattr(transcript_bulk, "_FEW", 1)

    def counted(files, *rest):
        counts.append(len(files))
        return pieces(files, *rest)

    monkeypatch.setattr(transcript_rows, "pieces", counted)
    return counts


def differing(monkeypatch, folder, tables=None):
    """Read the files of a folder twice; name the tables that differ."""
    fast = ft.read(folder, tables=tables, errors="note")
    with monkeypatch.context() as patched:
        patched.setattr(transcript_bulk.Bulk, "take", lambda self, number, data: False)
        exact = ft.read(folder, tables=tables, errors="note")
    found = []
    for name, frame in exact.tables.items():
        try:
            pd.testing.assert_frame_equal(fast.tables[name], frame, check_exact=True)
        except AssertionError as error:
            found.append(f"{name}: {error}")
    return found


def write(folder, texts):
    for number, text in enumerate(texts):
        (folder / f"{number:03}.txt").write_bytes(text.encode())
    return folder


# prompts and what stands above the command; progress; operands; what was moved, and in what time
HEADS = [
    *("$ ", "$ sync; echo 3 > /proc/sys/vm/drop_caches\n$ ", "user@host:~$ ", "root@h1:/mnt# "),
    *("", "# ", "prose\n\n$ ", "```\n$ ", "$ free -b\nMem: 8000000 1 1\n$ ", "> ", "$ a \\\n> "),
    *("$ dd if=/a of=/b\n$ ", "real 5\n$ ", "$ sudo ", "PS C:\\x> ", "$ for i in 1 2; do "),
]
COMMANDS = [
    *(f"time dd {OPERANDS}", "time sudo dd if=/mnt/a of=/dev/null bs=4k iflag=direct"),
    *("time dd if=/a of=/b ibs=1M obs=4k", "time dd of=x bs=64k if=/dev/urandom", "time dd of=a=b"),
    *("time dd bs=1M bs=2M of=y", "time dd if=/system/x of=y", "time dd if=$x of=/b", "dd of=x"),
    *("time dd if=a of=b 2>&1", "time dd if=a of=b | tail -1", "time dd if=a of=b; sync"),
    *("time dd if=/x,5 of=/4s,5MB/x", "time dd of=3Dx", "time dd if=a of=b bs=99999999999T"),
]


def session(rng, usual):
    head = HEADS[rng.randrange(4) if usual else rng.randrange(len(HEADS))]
    command = COMMANDS[rng.randrange(4) if usual else rng.randrange(len(COMMANDS))]
    full, block = rng.choice([1, 64, 77, 1024]), rng.choice([4096, 2**20])
    amount, partial = full * block + rng.choice([0, 0, 0, 9]), int(rng.random() < 0.1)
    seconds = rng.choice(["0.5", "12.25", "1", "3e-05", "100.125", "2.5"])
    rate = amount / float(seconds) * rng.choice([1, 1, 1, 1.2]) / 10**6
    size = rng.choice(["", f" ({amount / 10**6:.1f} MB)", f" ({amount / 1024:.0f} KiB)", " (9 MB)"])
    sent = sorted(rng.randrange(1, 2 * amount) for _ in range(rng.choice([0, 0, 1, 1, 2, 4])))
    progress = "".join(PROGRESS.format(one) for one in sent) + "\n" if sent else ""
    report = (
        f"{full}+{partial} records in\n{full - (rng.random() < 0.05)}+{partial} records out\n"
        f"{amount} bytes{size} copied, {seconds} s, {rate:.0f} MB/s\n"
    )
    text = f"{head}{command}\n{progress}{report}{TIMES}"
    if not usual and rng.random() < 0.5:
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice([*"\n\r\t +0(#$>é,", "", "dd: x 'y'\n"]) + text[at + 1 :]
    return text


@pytest.mark.parametrize("tables", [None, ("io", "extras"), ("runs", "settings", "timings")])
def test_the_same_rows_side_by_side_and_one_by_one(monkeypatch, tmp_path, taken, tables):
    rng = random.Random(str(tables))
    folder = write(tmp_path, [session(rng, number % 3 != 0) for number in range(150)])
    assert not differing(monkeypatch, folder, tables)
    assert 60 < sum(taken) < 130


@needs_corpus
def test_real_sessions_give_the_same_rows(monkeypatch, tmp_path, taken):
    texts = [
        path.read_bytes().decode("utf-8", errors="replace")
        for place in (FIXTURES / "transcript", CORPUS / "dd-time")
        for path in sorted(place.rglob("*.txt"))
        if path.stat().st_size < 20_000
    ]
    # under a prompt and with bash's times behind them many are sessions
    made = [f"$ time dd {OPERANDS}\n{text}{TIMES}" for text in texts if "copied" in text]
    assert not differing(monkeypatch, write(tmp_path, made + texts[::4]))
    assert sum(taken) > 10


def read_one(tmp_path, taken, text):
    """Read one session; return whether it was taken."""
    results = ft.read(write(tmp_path, [text]), errors="note")
    return results, sum(taken) == 1


def test_progress_and_report_of_one_dd(tmp_path, taken):
    progress = f"{PROGRESS.format(536870912)}\n"
    results, is_taken = read_one(
        tmp_path, taken, f"$ time dd {OPERANDS}\n{progress}{REPORT}{TIMES}"
    )
    assert is_taken
    assert results.runs["command"].tolist() == [f"time dd {OPERANDS}"]
    row = results.io.iloc[0]
    assert (row["direction"], row["target"], row["bs_bytes"]) == ("write", "/mnt/a", 2**20)
    assert row["direct"]
    assert (row["io_bytes"], row["total_ios"], row["runtime_s"]) == (2**30, 1024, 1.01936)
    assert row["bw_bytes_per_s"] == 2**30 / 1.01936
    assert results.samples["value"].tolist() == [536870912, 2**30]
    timing = results.timings.iloc[0]
    assert timing["command"] == f"dd {OPERANDS}"
    assert (timing["real_s"], timing["user_s"], timing["sys_s"]) == (1.02, 0.004, 70.3)
    assert dict(zip(results.settings["option"], results.settings["text"], strict=True)) == dict(
        word.split("=") for word in OPERANDS.split()
    )
    assert results.notes.empty


def test_the_prompt_names_the_host(tmp_path, taken):
    results, is_taken = read_one(
        tmp_path, taken, f"me@there:~$ time dd {OPERANDS}\n{REPORT}{TIMES}"
    )
    assert is_taken
    assert results.runs["host"].tolist() == ["there"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("$ time", "$ free -b\nMem: 8000000 1 1\n$ time"),
        ("$ time", "$ lsblk\nNAME TYPE MOUNTPOINT\nsda  disk /mnt\n$ time"),
        ("of=/mnt/a", "of='/mnt/a'"),
        ("of=/mnt/a", "of=/mnt/1bytes,2s,5MB/s"),
        ("count=1024", "count=1024 count=3"),
        ("records in", "registros leidos"),
        ("0m1.020s", "0m1,020s"),
        ("0m1.020s", "0m1.020s <-- here"),
        ("0m1.020s", "0m75.020s"),
        ("1024+0 records out", "1023+0 records out"),
        ("sys\t", "sys "),
        ("/mnt/a", "/mnt/real 5"),
        ("1.01936 s", "0 s"),
    ],
)
def test_what_is_not_taken(tmp_path, taken, old, new):
    text = f"$ time dd {OPERANDS}\n{REPORT}{TIMES}"
    assert old in text
    results, is_taken = read_one(tmp_path, taken, text.replace(old, new, 1))
    assert not is_taken
    assert len(results.runs)


def test_what_stands_above_is_tried_a_few_times_only(monkeypatch, tmp_path, taken):
    tried = []
    once = transcript_bulk._tried
    monkeypatch.setattr(transcript_bulk, "_tried", lambda head: tried.append(head) or once(head))
    monkeypatch.setattr(transcript_bulk, "_TRIALS", 3)
    texts = [f"$ echo {number}\n$ time dd {OPERANDS}\n{REPORT}{TIMES}" for number in range(9)]
    results = ft.read(write(tmp_path, texts))
    assert len(tried) == sum(taken) == 3
    assert len(results.runs) == 9
    assert len({re.sub(r"\d+\.txt", "", source) for source in results.runs["source"]}) == 1
