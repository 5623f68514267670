"""What ftp and lftp print looks like dd's amounts, and is none of them."""

import pytest

import fiotools as ft
from fiotools.errors import UnknownFormatError

COMMAND = "$ dd if=/dev/zero of=x bs=1M count=1000\n"
RECORDS = "1000+0 records in\n1000+0 records out\n"
BSD = "1048576000 bytes transferred in 9.0 secs (116508444 bytes/sec)\n"
TRANSFERS = [
    ("lftp", "1048576000 bytes transferred in 9 seconds (111.1 MiB/s)"),
    ("lftp", "1048576 bytes transferred in 1 second (1.0M/s)"),
    ("lftp", "1234 bytes transferred in 2 seconds (617 bytes/s)"),
    ("ftp", "1048576 bytes sent in 0.5 secs (2.0 MB/s)"),
    ("ftp", "1048576 bytes received in 0.05 secs (20.1 MB/s)"),
    ("ftp", "1048576 bytes received in 0.5 seconds (2.0 Mbytes/s)"),
    ("ftp", "1048576 bytes received in 0.5 secs (2097152 bytes/sec)"),
    ("ftp", "1048576 bytes sent in 00:00 (2.28 MiB/s)"),
    ("ftp", "ftp: 1048576 bytes received in 0.05Seconds 20971.52Kbytes/sec."),
]


@pytest.mark.parametrize(("tool", "line"), TRANSFERS)
def test_a_transfer_is_refused_by_its_name(tool, line):
    for above in ("", "226 Transfer complete.\n", "lftp u@h:~> get big.bin\n", COMMAND):
        with pytest.raises(UnknownFormatError, match=f"output of {tool}: recognised, not read"):
            ft.reads(f"{above}{line}\n")


@pytest.mark.parametrize(("tool", "line"), TRANSFERS)
def test_a_transfer_beside_dd_is_not_a_run(tool, line):
    for text in (f"{COMMAND}{RECORDS}{BSD}{line}\n", f"{line}\n{COMMAND}{RECORDS}{BSD}"):
        results = ft.reads(text)
        assert results.io["io_bytes"].tolist() == [1048576000], tool
        assert results.io["runtime_s"].tolist() == [9.0]


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        (BSD, 9.0),
        ("1048576000 bytes transferred in 9.5 seconds (110376421 bytes/sec)\n", 9.5),
        ("1048576000 bytes copied, 9.5 s, 110 MB/s\n", 9.5),
        ("1048576000 bytes (1000.0MB) copied, 9.500000 seconds, 105.3MB/s\n", 9.5),
    ],
)
def test_amounts_of_dd_need_no_records(line, seconds):
    for text in (line, COMMAND + line):
        results = ft.reads(text)
        assert results.io["runtime_s"].tolist() == [seconds]
        assert results.runs["tool"].tolist() == ["dd"]


def test_below_records_every_form_is_dd_s():
    results = ft.reads(f"{RECORDS}1048576000 bytes transferred in 9 secs (111.1 MiB/s)\n")
    assert results.io["runtime_s"].tolist() == [9.0]


def test_figures_behind_a_word():
    """Polish before coreutils 9 puts the verb first."""
    results = ft.reads(
        "64+0 przeczytanych rekordów\n64+0 zapisanych rekordów\n"
        "skopiowane 64 bajty, 0,00020758 s, 308 kB/s\n"
    )
    assert results.io[["io_bytes", "total_ios", "runtime_s"]].to_numpy().tolist() == [
        [64, 64, 0.00020758]
    ]
    assert len(results.notes) == 0


@pytest.mark.parametrize("target", ["${file}", "$(mktemp)", "plain"])
def test_a_bracket_of_a_name_stays(target):
    report = (
        "2+0 records in\n2+0 records out\n2097152 bytes (2.1 MB, 2.0 MiB) copied, 0.5 s, 4.2 MB/s\n"
    )
    results = ft.reads(f"$ (dd if=/dev/zero of={target}) 2>&1\n{report}")
    assert results.io["target"].tolist() == [target]
