"""Lines that are certainly of a report, and that no reader took, are not passed over in silence."""

import re

import pytest

import fiotools as ft
from fiotools.errors import UnknownFormatError
from tests.readers.outputs import DD, values


@pytest.mark.parametrize(
    "line",
    [
        "2097152 bytes (2.1 MB, 2.0 MiB) copied,",
        "real 0.50",
        "job: (groupid=0, jobs=1): err=",
        "| 6.1 | Run status group 0 (all jobs): WRITE: bw=9MiB/s (9MB/s), io=1MiB (1MB) |",
        f"1795240057021, 0, 4096{', 0' * 1856}",
        " total:   1234 |  5 | 6",
    ],
)
def test_a_line_that_no_report_took_is_a_warning(line):
    results = ft.reads(f"{DD}\nand then\n{line}\nthe end\n")
    assert results.io["io_bytes"].tolist() == [2097152]
    note = results.notes[results.notes["message"].str.contains("were not read")]
    assert values(note, "line", "severity") == [(6, "warning")]
    assert repr(line.strip()[:60]) in note["message"].item()


def test_each_place_is_told_and_many_are_counted():
    piece = "job: (groupid=0, jobs=1): err=\n  read: IOPS=1000, BW=4000KiB/s\n"
    notes = ft.reads(f"{DD}\nand then\n{piece}{'more' * 20}\n" + "a\n" * 9 + piece).notes
    assert values(notes, "line", "code") == [(6, "unread"), (18, "unread")]
    assert "(2 in lines 6-7, the first 'job: " in notes["message"].iloc[0]
    many = ft.reads(DD + ("real 0.50\n" + "a\n" * 9) * 100).notes
    assert len(many) == 21
    assert "80 more places" in many["message"].iloc[-1]


def test_a_refused_text_says_which_lines_are_of_a_report():
    with pytest.raises(UnknownFormatError, match="line 2: lines of a report were not read"):
        ft.reads("hello\nit says: Elapsed (wall clock) and no more\n")


OTHERS = {
    "hdparm": "/dev/sda:\n Timing cached reads:   754 MB in  2.00 seconds = 376.91 MB/sec\n",
    "ioping": (
        "4 KiB <<< /tmp (ext4 /dev/sda1 100 GiB): request=1 time=1.12 ms\n\n"
        "--- /tmp (ext4 /dev/sda1 100 GiB) ioping statistics ---\n"
    ),
    "iostat": (
        "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
        "           1.00    0.00    1.00    0.00    0.00   98.00\n\n"
        "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz\n"
    ),
    "iozone": "\tIozone: Performance Test of File I/O\n\n\niozone test complete.\n",
    "ATTO": "ATTO Disk Benchmark\n",
    "bonnie++": (
        "Writing intelligently...done\nRewriting...done\n"
        "Version  1.97       ------Sequential Output------ --Sequential Input- --Random-\n"
    ),
    "HD Tune": (
        "HD Tune: SSD 840 EVO 120G Benchmark\nTransfer Rate Minimum : 1.0 MB/sec\n"
        "Access Time           : 0.4 ms\nBurst Rate            : 196.7 MB/sec\n"
    ),
    "sysbench": "    reads/s:                      1000.10\n    read, MiB/s:                  15.63\n",
    "winsat": "> Disk  Sequential 64.0 Read                   500.50 MB/s          8.1\n",
    "AS SSD": "AS SSD Benchmark 2.0.7316.34247\n",
    "pv": "10.0GiB 0:00:05 [2.00GiB/s] [===============>] 100%\n",
}


@pytest.mark.parametrize("tool", OTHERS)
def test_output_of_another_tool_is_told(tool):
    text = OTHERS[tool]
    with pytest.raises(UnknownFormatError, match=rf"output of {re.escape(tool)}: recognised"):
        ft.reads(text)
    results = ft.reads(f"{DD}\n{text}")
    assert values(results.notes, "line", "severity", "code", "message") == [
        (5, "info", "other tool", f"output of {tool}: recognised, not read")
    ]
    assert results.io["io_bytes"].tolist() == [2097152]


def test_a_document_of_another_tool_and_the_text_beside_one_are_told_too():
    text = '{"sysstat": {"hosts": [{"statistics": [{"disk": [{"disk_device": "vda"}]}]}]}}\n'
    with pytest.raises(UnknownFormatError, match="output of iostat: recognised, not read"):
        ft.reads(text)
    job = '{"jobname": "a", "read": {"io_bytes": 4096, "total_ios": 1, "runtime": 1}}'
    text = f'{OTHERS["hdparm"]}\n{{"fio version": "fio-3.33", "jobs": [{job}]}}\nreal 0.50\n'
    assert ft.reads(text).notes["message"].str.contains("output of hdparm").any()


@pytest.mark.parametrize("text", ["it took 5 s of real time\n", "user 5\n", "read: 5\n"])
def test_prose_is_not_a_report(text):
    assert ft.reads(DD + "\n" + text).notes.empty
