"""Lines that are certainly of a report, and that no reader took, are not passed over in silence."""

import re
from pathlib import Path

import pytest

import fiotools as ft
from fiotools.errors import UnknownFormatError
from fiotools.readers import opened, pasted
from fiotools.readers.document import may_hold

DD = "2+0 records in\n2+0 records out\n2097152 bytes (2.1 MB, 2.0 MiB) copied, 0.500321 s, 4.2 MB/s\n"


@pytest.mark.parametrize(
    "line",
    [
        "2097152 bytes (2.1 MB, 2.0 MiB) copied,",
        "real 0.50",
        "| user\t0m0.100s |",
        "job: (groupid=0, jobs=1): err=",
        "  read: IOPS=1000, BW=4000KiB/s",
        "| 6.1 | Run status group 0 (all jobs): WRITE: bw=9MiB/s (9MB/s), io=1MiB (1MB) |",
        f"1795240057021, 0, 4096{', 0' * 1856}",
        " total:   1234 |  5 | 6",
    ],
)
def test_a_line_that_no_report_took_is_a_warning(line):
    results = ft.reads(f"{DD}\nand then\n{line}\nthe end\n")
    assert results.io["io_bytes"].tolist() == [2097152]
    note = results.notes[results.notes["message"].str.contains("were not read")]
    assert note[["line", "severity"]].to_numpy().tolist() == [[6, "warning"]]
    assert repr(line.strip()[:60]) in note["message"].item()


def test_each_place_is_told():
    piece = "job: (groupid=0, jobs=1): err=\n  read: IOPS=1000, BW=4000KiB/s\n"
    text = f"{DD}\nand then\n{piece}{'more' * 20}\n" + "a\n" * 9 + piece
    document = opened("x", text)
    assert [(one.line, one.code) for one in document.unread()] == [(6, "unread"), (18, "unread")]
    assert "(2 in lines 6-7, the first 'job: " in document.unread()[0].message


def test_many_places_are_counted():
    text = DD + ("real 0.50\n" + "a\n" * 9) * 100
    notes = ft.reads(text).notes
    assert len(notes) == 21
    assert "80 more places" in notes["message"].iloc[-1]


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


def test_the_json_of_iostat_is_known_too():
    text = '{"sysstat": {"hosts": [{"statistics": [{"disk": [{"disk_device": "vda"}]}]}]}}\n'
    with pytest.raises(UnknownFormatError, match="output of iostat: recognised, not read"):
        ft.reads(text)


@pytest.mark.parametrize("tool", OTHERS)
def test_output_of_another_tool_is_told(tool):
    text = OTHERS[tool]
    with pytest.raises(UnknownFormatError, match=rf"output of {re.escape(tool)}: recognised"):
        ft.reads(text)
    results = ft.reads(f"{DD}\n{text}")
    assert results.notes[["line", "severity", "message"]].values.tolist() == [
        [5, "info", f"output of {tool}: recognised, not read"]
    ]
    assert results.io["io_bytes"].tolist() == [2097152]
    assert [one.code for one in opened("x", f"{DD}\n{text}").unread()] == ["other tool"]


def test_the_text_beside_a_document_is_told_too():
    job = '{"jobname": "a", "read": {"io_bytes": 4096, "total_ios": 1, "runtime": 1}}'
    text = f'{OTHERS["hdparm"]}\n{{"fio version": "fio-3.33", "jobs": [{job}]}}\nreal 0.50\n'
    messages = ft.reads(text).notes["message"]
    assert messages.str.contains("output of hdparm").any()


@pytest.mark.parametrize("text", ["it took 5 s of real time\n", "user 5\n", "read: 5\n"])
def test_prose_is_not_a_report(text):
    assert ft.reads(DD + "\n" + text).notes.empty


def test_wrapped_numbers_are_not_lost_in_silence():
    wrapped = DD.replace("MiB) copied, ", "MiB) copied,\n\n  and\n")
    notes = ft.reads(DD + "\nhere\n" + wrapped).notes
    assert notes["severity"].eq("warning").any()


def test_each_mark_has_a_word_that_it_needs():
    files = (Path(__file__).parents[1] / "fixtures").rglob("*.*")
    small = [path for path in files if path.stat().st_size < 20_000]
    lines = {
        line for path in small for line in path.read_text("utf-8", "replace").lower().splitlines()
    }
    for words, pattern in pasted._MARKS:
        marked = [line for line in lines if pattern.search(line)]
        assert marked
        assert [line for line in marked if not may_hold(line, words)] == []
