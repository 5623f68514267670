"""Sessions in many files: what is read of them together is what is read of each alone."""

from __future__ import annotations

import random

import pandas as pd
import pytest

import fiotools as ft

TIMES = "\nreal\t0m1.020s\nuser\t0m0.004s\nsys\t1m10.300s\n"
OPERANDS = "if=/dev/zero of=/mnt/a bs=1M count=1024 oflag=direct,sync status=progress"
REPORT = (
    "1024+0 records in\n1024+0 records out\n"
    "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 1.01936 s, 1.1 GB/s\n"
)
PROGRESS = "\r{} bytes (537 MB, 512 MiB) copied, 1 s, 537 MB/s"
# prompts and what stands above the command; commands
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


def session(rng):
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
    text = f"{rng.choice(HEADS)}{rng.choice(COMMANDS)}\n{progress}{report}{TIMES}"
    if rng.random() < 0.3:
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice([*"\n\r\t +0(#$>é,", "", "dd: x 'y'\n"]) + text[at + 1 :]
    return text


@pytest.mark.parametrize("tables", [None, ("io", "extras"), ("runs", "settings", "timings")])
def test_files_read_together_give_what_each_gives(tmp_path, tables):
    rng = random.Random(str(tables))
    for number in range(60):
        (tmp_path / f"{number:03}.txt").write_text(session(rng), encoding="utf-8", newline="")
    together = ft.read(tmp_path, tables=tables, errors="note")
    assert {"info", "warning"} <= set(together.notes["severity"])
    for path in sorted(tmp_path.iterdir()):
        alone = ft.read(path, tables=tables, errors="note")
        for name, frame in alone.tables.items():
            own = together.tables[name]
            own = own[own["source"] == path.as_posix()]
            if name == "notes":  # there are more of them where one file repeats another
                own = own[own["message"].isin(frame["message"])]
            own = own.reset_index(drop=True)
            pd.testing.assert_frame_equal(own, frame, check_exact=True)


def test_progress_and_report_of_one_dd():
    progress = f"{PROGRESS.format(536870912)}\n"
    results = ft.reads(f"$ time dd {OPERANDS}\n{progress}{REPORT}{TIMES}")
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


def test_the_prompt_names_the_host():
    results = ft.reads(f"me@there:~$ time dd {OPERANDS}\n{REPORT}{TIMES}")
    assert results.runs["host"].tolist() == ["there"]


def test_records_in_and_out_that_are_of_no_report():
    # too far apart to be of one report
    results = ft.reads(REPORT + "1+0 records in\n\n\n\n\n2+0 records out\n")
    assert len(results.runs) == 1
    assert results.notes["severity"].tolist() == ["warning"] * 2
