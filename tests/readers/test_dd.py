import json
from pathlib import Path

import pytest

import fiotools as ft

FIXTURES = Path(__file__).parents[1] / "fixtures"

CASES = sorted((FIXTURES / "dd").glob("*.txt"))
assert CASES, "no dd fixtures found"


@pytest.mark.parametrize("case", CASES, ids=lambda p: p.stem)
def test_reports(case):
    expected = json.loads(case.with_suffix(".json").read_text(encoding="utf-8"))
    results = ft.read(case)
    extras = results.extras.pivot(index="run", columns="path", values="text")
    assert list(extras["records_in"]) == [report["records_in"] for report in expected]
    assert list(extras["records_out"]) == [report["records_out"] for report in expected]
    assert results.io["io_bytes"].tolist() == [report["io_bytes"] for report in expected]
    assert results.io["runtime_s"].tolist() == [report["seconds"] for report in expected]
    for row in results.io.itertuples():
        if row.runtime_s:
            assert row.bw_bytes_per_s == row.io_bytes / row.runtime_s


def report(bytes_=2097152, seconds="0.5", rate="4.2 MB/s", before=""):
    return (
        f"{before}2+0 records in\n{before}2+0 records out\n"
        f"{before}{bytes_} bytes (2.1 MB, 2.0 MiB) copied, {seconds} s, {rate}\n"
    )


def test_a_rate_that_contradicts_bytes_and_seconds_is_noted():
    results = ft.reads(report(rate="4.4 MB/s"))
    assert results.io["bw_bytes_per_s"].item() == 4194304
    assert "printed rate 4.4 MB/s is not bytes / seconds" in results.notes["message"].item()
    assert results.notes["line"].item() == 3


@pytest.mark.parametrize("rate", ["4.2 MB/s", "4.19 MB/s"])
def test_a_rate_within_its_digits_is_not(rate):
    assert ft.reads(report(rate=rate)).notes.empty


def test_binary_units_where_the_tool_glues_them():
    assert ft.reads(report(rate="4.0MB/s")).notes.empty
    assert len(ft.reads(report(rate="4.2MB/s")).notes) == 1


def test_no_time_no_rate():
    results = ft.reads(report(seconds="0", rate="Infinity B/s"))
    assert results.io["bw_bytes_per_s"].isna().all()


def test_records_only():
    results = ft.reads("2+0 records in\n2+0 records out\n")
    assert len(results.runs) == 1
    assert results.io.empty
    assert "records only" in results.notes["message"].item()


def test_a_prefix_on_every_line_is_no_number():
    results = ft.reads(report(before="disk1: "))
    assert results.io["io_bytes"].tolist() == [2097152]


@pytest.mark.parametrize(
    ("command", "direction", "target", "direct", "bs"),
    [
        ("dd if=/dev/zero of=/mnt/f/foo bs=1024M count=20", "write", "/mnt/f/foo", False, 2**30),
        (
            "time dd of=/dev/null if=/home/u/foo bs=64k iflag=direct",
            "read",
            "/home/u/foo",
            True,
            65536,
        ),
        ("sudo dd if=a of=b obs=4k", "copy", "b", None, 4096),
        (
            "dd if=/dev/random of=data.raw bs=1024x1024 oflag=dsync,direct",
            "write",
            "data.raw",
            True,
            2**20,
        ),
        ("dd | nc host 1", None, None, None, None),
    ],
)
def test_the_command_gives_direction_and_conditions(command, direction, target, direct, bs):
    row = ft.reads(f"user@host:~$ {command}\n{report()}").io.iloc[0]
    given = {
        "direction": direction,
        "target": target,
        "direct": direct,
        "bs_bytes": bs,
    }
    for name, value in given.items():
        assert row[name] == value if value is not None else row.isna()[name], name


def test_tcsh_counts_are_no_records():
    text = "0.000u 0.021s 0:00.11 18.1%\t0+0k 0+131072io 0pf+0w\n"
    with pytest.raises(ft.UnknownFormatError):
        ft.reads(text)
