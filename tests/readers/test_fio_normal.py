"""fio_normal: the human report, alone and in the middle of other text."""

import math
import re

import pytest
from pandas.testing import assert_frame_equal

import fiotools as ft
from fiotools.errors import ParseError
from tests.corpus import CORPUS, needs_corpus
from tests.fio_forms import cells, extras, human, telling, text_of, warnings
from tests.physics import read_texts

# written after the output statements of fio 2.1 (stat.c, init.c)
OLD = """\
old: (g=0): rw=randread, bs=4K-4K/4K-4K/4K-4K, ioengine=libaio, iodepth=32
...
fio-2.1.11
Starting 4 processes

old: (groupid=0, jobs=4): err= 0: pid=100: Fri Feb  9 12:56:50 2018
  Description  : [a description]
  read : io=40960KB, bw=4096.0KB/s, iops=1024, runt= 10000msec
    slat (usec): min=1, max=32311, avg=501.94, stdev=2685.14
    clat (msec): min=87, max=2029.2K, avg=108.91, stdev=806.76
     lat (msec): min=87, max=2046.1K, avg=109.41, stdev=833.00
    clat percentiles (msec):
     |  1.00th=[   43], 50.00th=[   55], 99.00th=[   57], 99.99th=[  139]
    bw (KB  /s): min=    0, max= 9150, per=3.11%, avg=1024.50, stdev=649.96
    lat (usec) : 2=0.01%, 500=0.01%
    lat (msec) : 100=0.02%, >=2000=1.80%
  cpu          : usr=0.14%, sys=0.44%, ctx=277075, majf=0, minf=4128
  IO depths    : 1=0.1%, 2=0.1%, 4=0.1%, 8=0.1%, 16=0.1%, 32=0.1%, >=64=105.0%
     submit    : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     complete  : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.1%
     issued    : total=r=10240/w=0/d=0, short=r=0/w=0/d=0

Run status group 0 (all jobs):
   READ: io=40960KB, aggrb=4096KB/s, minb=4096KB/s, maxb=4096KB/s, mint=10000msec, maxt=10000msec

Disk stats (read/write):
    dm-0: ios=10240/3, merge=0/0, ticks=5/0, in_queue=5, util=1.00%, aggrios=10240/2, aggrmerge=0/1
"""
# written after the output statements of fio 1.57 (stat.c): one letter for a prefix, or a space
FIRST = """\
seq: (g=0): rw=read, bs=4K-4K/4K-4K, ioengine=libaio, iodepth=4
fio 1.59
Starting 1 process
Jobs: 1 (f=1): [R] [100.0% done] [31M/0K /s] [7.7K/0 iops] [eta 00m:00s]
seq: (groupid=0, jobs=1): err= 0: pid=15066
  read : io=1813.1MB, bw=30957KB/s, iops=7739 , runt= 60001msec
    slat (usec): min=3 , max=309 , avg= 5.40, stdev= 2.01
    clat (usec): min=64 , max=13157 , avg=509.75, stdev=249.89
     lat (usec): min=123 , max=13167 , avg=515.41, stdev=249.88
    clat percentiles (usec) : 1.00th=442, 50.00th=516,
                              99.00th=660, 99.90th=1544
    bw (KB/s) : min=30112, max=32136, per=100.01%, avg=30959.39, stdev=526.70
  cpu          : usr=10.70%, sys=26.82%, ctx=346538, majf=0, minf=25
  IO depths    : 1=0.1%, 2=0.1%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%
     submit    : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     complete  : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     issued r/w/d: total=464361/0/0, short=0/0/0
     lat (usec): 100=0.01%, 250=0.04%, 500=23.38%, 750=76.40%, 1000=0.08%
     lat (msec): 2=0.04%, 4=0.01%, 10=0.02%, 20=0.04%

Run status group 0 (all jobs):
   READ: io=1813.1MB, aggrb=30956KB/s, minb=31699KB/s, maxb=31699KB/s, mint=60001msec, maxt=60001msec

Disk stats (read/write):
  sda: ios=680863/1499424, merge=150851/239238, ticks=374184/322620, in_queue=695868, util=99.69%
"""
NORMAL = text_of("libaio.txt")
CLIENT = text_of("client.txt")
MIX = human("normal-json.txt")
DEFINED = "x: (g=0): rw=read, bs=4K-4K/4K-4K, ioengine=sync, iodepth=1\n"
LONG = "IOPS=31.0k, BW=121MiB/s (127MB/s)(60.0GiB/507636msec)"
CUT = "IOPS=3061, BW=11.0MiB/s ({}MB/s)(120MiB/10000msec)"
HEAD = "x: (groupid=0, jobs=1): err= 0: pid=1: today\n"
SUMMARY = NORMAL[NORMAL.index("Run status") : NORMAL.index("Disk stats")]
TABLES = ("io", "jobs", "percentiles", "bins", "disks")


def without(text, *words):
    return "".join(
        line for line in text.splitlines(True) if not any(word in line for word in words)
    )


def differing(res, whole):
    return [name for name in TABLES if not getattr(res, name).equals(getattr(whole, name))]


# --- what a report says -------------------------------------------------------------------------


def test_a_report_has_conditions_and_a_date_without_a_zone():
    res = ft.reads(MIX)
    conditions = res.io[["rw", "bs_bytes", "iodepth", "numjobs", "ioengine"]].iloc[0].tolist()
    assert conditions == ["randrw", 4096, 1, 1, "psync"]
    assert res.notes.empty
    assert res.runs["reported_at"].isna().all()  # not taken for UTC
    assert extras(res)["date"].startswith("Sat Nov 21 02:23:")


def test_units_differ_before_3_0():
    res = ft.reads(OLD)
    row = res.io.iloc[0]
    assert row["io_bytes"] == 40960 * 1024
    assert row["bw_bytes_per_s"] == 4096 * 1024
    assert row["iops"] == 1024
    assert row["clat_max_ns"] == pytest.approx(2029.2e9)
    assert row["slat_mean_ns"] == pytest.approx(501_940)
    assert row["bw_mean_bytes_per_s"] == 1024.5 * 1024
    assert (row["numjobs"], row["clones"], row["iodepth"]) == (4, 4, 32)
    assert res.percentiles["value_ns"].tolist() == [43e6, 55e6, 57e6, 139e6]
    assert res.bins["bin_lo_ns"].tolist() == [0, 250e3, 50e6, 2000e6]
    assert res.bins["bin_hi_ns"].tolist() == [2000, 500e3, 100e6, math.inf]
    assert set(res.bins["latency"]) == {"clat"}
    assert res.jobs["description"].item() == "a description"
    assert res.disks["device"].item() == "dm-0"
    assert "disk_util.dm-0.aggrios" in set(res.extras["path"])


def test_before_2_0():
    res = ft.reads(FIRST)
    assert res.runs[["tool_version", "status"]].to_numpy().tolist() == [["1.59", "ok"]]
    row = res.io.iloc[0]
    # the digit behind the point is wrong in 1813.1MB: the counts say 1813.9
    assert row["io_bytes"] == 464361 * 4096
    assert row["bw_bytes_per_s"] == pytest.approx(30957 * 1024, abs=1024)
    assert row["bw_mean_bytes_per_s"] == 30959.39 * 1024
    assert row["iops"] == pytest.approx(7739.2, abs=0.1)
    assert row[["slat_min_ns", "clat_mean_ns", "lat_max_ns"]].tolist() == [3e3, 509750, 13167e3]
    assert row[["total_ios", "short_ios", "rw", "bs_bytes"]].tolist() == [464361, 0, "read", 4096]
    assert res.percentiles["value_ns"].tolist() == [442e3, 516e3, 660e3, 1544e3]
    assert res.bins["bin_hi_ns"].iloc[-1] == 20e6
    assert len(res.disks) == 1
    assert res.notes.empty
    # without trims
    earlier = FIRST.replace(
        "r/w/d: total=464361/0/0, short=0/0/0", "r/w: total=464361/0, short=0/0"
    )
    assert ft.reads(earlier).io.equals(res.io)


def test_the_first_versions_wrote_kib_and_meant_1000_bytes():
    # stat.c of 1.2x: io_bytes / runtime in ms, printed with the prefix of 1024
    text = FIRST.replace("bw=30957KB/s", "bw=31699KiB/s").replace("KB/s) : min", "KiB/s) : min")
    row = ft.reads(text.replace(", majf=0, minf=25", "")).io.iloc[0]
    assert row["bw_bytes_per_s"] == pytest.approx(31_699_849, abs=1)
    assert row["bw_mean_bytes_per_s"] == pytest.approx(30_959_390)


def test_lines_of_the_latest_version():
    # stat.c after 3.42: steady latencies, syncfs
    text = human("fsync.txt")
    text = text.replace("sync_file_range:", "sync_file_range/syncfs:")
    state = "  steadystate  : attained=yes, bw=4096KiB/s (4194kB/s), iops=1024, lat=9usec, lat slope=0.1%"
    text = text.replace("\nRun status", f"{state}\n\nRun status").replace("; 0 zone", "; 3 zone")
    res = ft.reads(text)
    assert res.notes.empty
    assert res.io["direction"].tolist() == ["write", "sync"]
    assert res.percentiles.equals(ft.reads(human("fsync.txt")).percentiles)
    assert extras(res)["write.zone_resets"] == "3"
    assert extras(res)["steadystate"].endswith("lat=9usec, lat slope=0.1%")


@pytest.mark.parametrize(
    ("old", "new", "table", "column", "value"),
    [
        # counts that do not print like the rates are not used for these
        ("total=r=10240", "total=r=10752", "io", "total_ios", 10752),
        ("total=r=10240", "total=r=10752", "io", "iops", 1024),
        ("total=r=10240", "total=r=10752", "io", "io_bytes", 40960 * 1024),
        ("fio-2.1.11", "2.0.8", "runs", "tool_version", "2.0.8"),  # it printed no name
        ("fio-2.1.11", "2.0.8", "io", "bs_bytes", 4096),
        ("...\n", "…\n", "io", "bs_bytes", 4096),  # a word processor joined the dots
    ],
)
def test_values_of_an_old_report_that_differs(old, new, table, column, value):
    assert old in OLD
    assert getattr(ft.reads(OLD.replace(old, new)), table)[column].tolist() == [value]


PROGRESS = "Jobs: 1 (f=1): [m(1)][50.0%][r=4096KiB/s,w=4096KiB/s][eta 00m:05s]"


@pytest.mark.parametrize(
    ("text", "columns", "rows"),
    [
        # groups of unlike jobs have only what these have in common
        (
            human("group-unlike.txt"),
            ["rw", "bs_bytes", "clones", "iodepth"],
            [[None, None, 2, 1]] * 2,
        ),
        (
            human("alike.txt"),
            ["job", "bs_bytes", "numjobs"],
            [["step", 4096, 1], ["step", 16384, 1]],
        ),
        (text_of("client-clones.txt"), ["numjobs"], [[2]] * 4),
        (MIX.replace("4096B-4096B", "977KiB-977KiB"), ["bs_bytes"], [[None]] * 2),  # rounded
        (MIX.replace("mix: (groupid", f"{PROGRESS}mix: (groupid"), ["job"], [["mix"]] * 2),
        *(
            (NORMAL.replace("plain: (g", f"{name}: (g"), ["job", "bs_bytes"], [[name, 4096]] * 2)
            for name in ("A:B:C", "10:4k", "__main__")
        ),
    ],
)
def test_jobs_have_the_conditions_of_their_own_definitions(text, columns, rows):
    assert cells(ft.reads(text).io[columns]) == rows


def test_clients_that_ended_at_once_have_no_certain_host():
    # fio 3.33 wrote both names, then both reports, in either order; containers repeat a pid
    text = CLIENT.replace("pid=24244", "pid=24243")
    res = ft.reads(text.replace("<beta> \n", "").replace("<alpha> \n", "<alpha> \n<beta> \n"))
    assert res.io["host"].isna().all()
    assert res.io["entry"].tolist() == [1, 1, 2, 2]
    assert res.extras["path"].str.startswith("All clients.read.").any()
    assert res.disks["host"].isna().tolist() == [True, True]
    assert len(telling(res, "which of the clients")) == 1
    assert extras(res)["Run status group 0 (all jobs).READ"].count("run=") == 2


def test_two_clients_on_machines_of_one_name():
    text = CLIENT.replace("beta", "alpha").replace("run=1001-1001", "run=1002-1002", 2)
    res = ft.reads(text)
    assert res.io["host"].dropna().tolist() == ["alpha"] * 4
    # only of the client whose summary was changed
    assert len(telling(res, "run times in the group's summary")) == 2


def test_syncs():
    text = human("fdatasync.txt")
    assert "issued rwts: total=0,200,0,0 short=199,0,0,0" in text
    io = ft.reads(text).io.set_index("direction")
    assert io["total_ios"].isna().tolist() == [False, True]  # the text counts no fdatasync
    assert io.loc["write", "short_ios"] == 0
    # their latency is not that of writes
    text = human("fsync.txt")
    res = ft.reads(without(text, "sync (usec)", "sync (nsec)", "sync (msec)"))
    assert res.percentiles.equals(ft.reads(text).percentiles)


@pytest.mark.parametrize(
    ("line", "head"),
    [
        ("clat prio 2/3", "clat prio 2/3 (49.97% of IOs) percentiles"),
        ("high prio_clat", "high prio (49.97%) clat percentiles"),
    ],
)
def test_latencies_by_priority_are_extras(line, head):
    text = OLD.replace(
        "     lat (msec): min=87",
        f"    {line} (msec): min=1, max=2, avg=1.50, stdev= 0.10\n     lat (msec): min=87",
    ).replace(
        "    bw (KB  /s)",
        f"    {head} (usec):\n     | 50.00th=[ 7], 99.00th=[ 8],\n     | 99.90th=[ 9]\n    bw (KB  /s)",
    )
    res, plain = ft.reads(text), ft.reads(OLD)
    assert res.io.equals(plain.io)
    assert res.percentiles.equals(plain.percentiles)
    assert res.notes.empty
    assert extras(res)[f"read.{head} (usec)"] == "50.00th=[ 7], 99.00th=[ 8], 99.90th=[ 9]"
    assert "avg=1.50" in extras(res)[f"read.{line}"]


# --- numbers that were printed twice ------------------------------------------------------------


@pytest.mark.parametrize(
    ("above", "line", "issued", "expected"),
    [
        # 60.0GiB has more digits than 127MB/s; fio prints 60.96 so, too, but the rate excludes it
        ("", LONG, "", {"io_bytes": 60 * 2**30, "bw_bytes_per_s": 60 * 2**30 / 507.636}),
        ("", LONG.replace("31.0k", "121"), "61440", {"iops": 61440 / 507.636}),
        # 11.96 printed as 11.0: the other print of the rate has more digits
        ("", CUT.format("12.6"), "", {"io_bytes": 126e6}),
        ("", "IOPS=1, BW=243TiB/s (267TB/s)(2430TiB/10000msec)", "", {"io_bytes": 2430 * 2**40}),
        # each follows from the other if the block size is known
        (DEFINED, LONG, "", {"iops": 60 * 2**30 / 507.636 / 4096}),
        (DEFINED, LONG.replace("31.0k", "30983"), "", {"bw_bytes_per_s": 30983 * 4096}),
        (DEFINED, CUT.format("12.5"), "30616", {"io_bytes": 30616 * 4096, "iops": 3061.6}),
    ],
)
def test_the_print_with_more_digits_counts(above, line, issued, expected):
    counts = f"     issued rwts: total={issued},0,0,0 short=0,0,0,0\n" if issued else ""
    row = ft.reads(f"{above}{HEAD}  read: {line}\n{counts}").io.iloc[0]
    assert row[[*expected]].to_dict() == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("old", "new", "doubt"),
    [
        ("total=r=10240", "total=r=9000", "9000 I/Os in 10.0 s are not 1024"),
        ("mint=10000msec", "mint=9000msec", "run times in the group's summary"),
        ("READ: io=40960KB", "READ: io=44096KB", "do not add up"),
        # a line of another job
        ("avg=109.41", "avg=309.41", "316.8 I/Os waiting at once exceed the depth of 128"),
        ("99.00th=[   57]", "1.00th=[   57]", "out of order at 1.00"),
    ],
)
def test_numbers_printed_twice_must_agree(old, new, doubt):
    assert not warnings(ft.reads(OLD))
    warning = ft.reads(OLD.replace(old, new)).notes.query("severity == 'warning'")
    assert warning["message"].str.contains(doubt, regex=False).any()
    assert warning["run"].eq(1).all()


# written by hand, as only a new fio prints them so: whole numbers in "All clients"
COARSE = """\
    clat percentiles (usec):
     |   1th=[   10],   5th=[   11],  10th=[   12],  20th=[   13],  30th=[   14],
     |  40th=[   15],  50th=[   16],  60th=[   17],  70th=[   18],  80th=[   19],
     |  90th=[   20],  95th=[   21],  99th=[   22], 100th=[   23], 100th=[   24],
     | 100th=[   25], 100th=[   26]
"""
TAIL = {99.0: 22e3, 99.5: 23e3, 99.9: 24e3, 99.95: 25e3, 99.99: 26e3}
TOTAL = CLIENT[CLIENT.index("All clients: ") :]
ROUNDED = CLIENT.replace(TOTAL, TOTAL.replace("   bw (", COARSE + "   bw (", 1))
# without the servers' tables, which name them
UNNAMED = without(re.sub(r"(?m)^     \| +\d+\.\d.*\n", "", ROUNDED), "clat percentiles (nsec)")
ASKED = ":".join(map(str, [1, 5, *range(10, 100, 10), 95, 99, 99.6, 99.7, 99.8, 99.9999]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ROUNDED, TAIL),
        (ROUNDED.replace("99.95th=", "99.97th="), {99.97: 25e3}),
        (UNNAMED, TAIL),  # fio's default
        (f"$ fio --client=a --percentile_list={ASKED} x.fio\n{UNNAMED}", {99.9999: 26e3}),
    ],
)
def test_rounded_percentiles_have_the_names_of_the_tables_the_command_or_the_default(
    text, expected
):
    res = ft.reads(text)
    rows = res.percentiles[res.percentiles["job"] == "All clients"]
    found = dict(zip(rows["percentile"], rows["value_ns"], strict=True))
    assert len(found) == 17
    assert {name: found.get(name) for name in expected} == expected
    assert (99.95 in found) == (99.95 in expected)


def test_rounded_percentiles_that_nothing_names_are_left_out_and_told():
    res = ft.reads(ROUNDED.replace("   5th=[   11],", ""))
    rows = res.percentiles[res.percentiles["job"] == "All clients"]
    assert rows[["percentile", "value_ns"]].iloc[-1].tolist() == [99.0, 22e3]
    [note] = warnings(res)
    assert note.startswith("4 percentiles are left out: fio printed them as 100")
    assert not warnings(ft.reads(ROUNDED))


# --- reports in other text ----------------------------------------------------------------------


def test_a_text_of_only_errors_is_a_parse_error_that_quotes_them():
    with pytest.raises(ParseError, match=r"log:1: fio printed no report; it said 'fio: engine"):
        ft.reads("fio: engine libaio not loadable\nfio: failed to load engine\n", name="log")


def test_progress_and_messages_of_fio_above_the_report_and_inside():
    lines = NORMAL.rstrip("\n").split("\n")
    whole = ft.reads(NORMAL)
    # as fio 3.33 wrote
    above = ["       Expected CRC: d55bfd1d", "old : Saving output of prerun in old.prerun.txt"]
    inside = ["verify: bad magic header 0, wanted acca at file /x offset 0, length 4096"]
    for at in range(3, len(lines) - 1):
        said = [*inside, *above] if at < 6 else inside
        res = ft.reads("\n".join([*lines[:at], PROGRESS, *said, *lines[at:]]))
        assert differing(res, whole) == [], lines[at]
        assert res.notes["message"].tolist() == [line.strip() for line in said]
        assert res.notes["line"].iloc[0] == at + 2


@pytest.mark.parametrize("foreign", ["[12345.678901] nvme0: timeout", "$ fio other.fio", "```"])
def test_a_line_that_is_not_fios_ends_the_report_and_what_follows_is_told(foreign):
    lines = NORMAL.rstrip("\n").split("\n")
    whole = ft.reads(NORMAL)
    last = next(at for at, line in enumerate(lines) if "Run status" in line)
    for at in range(8, last - 1):
        res = ft.reads("\n".join([*lines[:at], foreign, *lines[at:]]) + "\n")
        assert res.runs["status"].tolist() == ["truncated"], lines[at]
        assert set(res.io["clat_mean_ns"].dropna()) <= set(whole.io["clat_mean_ns"])
        told = telling(res, "of a report were not read")
        assert set(told) <= set(warnings(res))
        assert told or at > last - 4  # only the depth that was reached is lost there


@pytest.mark.parametrize("is_above", [False, True])
@pytest.mark.parametrize("tag", ["", "<pre>"])
def test_an_excerpt_of_a_report_is_not_a_second_run(is_above, tag):
    some = [line for line in NORMAL.splitlines() if "(groupid" in line or "IOPS=" in line]
    excerpt = f"the most interesting lines are:\n\n{tag}" + "\n".join(some) + "\n\n"
    res = ft.reads(excerpt + NORMAL if is_above else f"{NORMAL}\n{excerpt}")
    assert res.io.equals(ft.reads(NORMAL).io)
    assert len(telling(res, "lines that repeat a report of this text")) == 1
    # another process, or other numbers
    for old, new in (("pid=11407", "pid=11408"), ("3976KiB", "3970KiB")):
        assert len(ft.reads(f"{NORMAL}\n{excerpt.replace(old, new)}").runs) == 2


def test_an_excerpt_and_another_report_of_the_same_job_are_two_runs():
    first = NORMAL[: NORMAL.index("  cpu ")]
    second = NORMAL[NORMAL.index("plain: (groupid") :].replace("pid=11407", "pid=11408")
    res = ft.reads(f"{first}\nThat was my SSD. The HDD:\n\n{second}")
    assert res.io["run"].tolist() == [1, 1, 2, 2]
    assert not telling(res, "stepped over")
    # right below a summary without disks
    summed = ft.reads(NORMAL[: NORMAL.index("\nDisk stats")] + second)
    assert summed.io["run"].tolist() == [1, 1, 2, 2]


@pytest.mark.parametrize("is_above", [False, True])
def test_a_summary_beside_its_report_is_not_a_second_run(is_above):
    parts = [f"In short:\n\n{SUMMARY}", f"All:\n\n{NORMAL}"]
    res = ft.reads("\n".join(parts if is_above else reversed(parts)))
    assert res.io.equals(ft.reads(NORMAL).io)
    assert res.notes["code"].tolist().count("repeats") == 1
    other = re.sub(r"run=\d+-\d+msec", "run=1003-1003msec", SUMMARY)
    assert other != SUMMARY
    assert len(ft.reads(f"In short:\n\n{other}\nAll:\n\n{NORMAL}").runs) == 2


# --- reports that were damaged or cut -----------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (CLIENT, "50.00th=[ 116224]", "50.00th=[ 116,224]"),
        (CLIENT, "250=30.73%", "250=30,73%"),
        (CLIENT, "total=1000,1001,0,0", "total=1,000,1,001,0,0"),
        (CLIENT, "ctx=1550", "ctx=1,550"),
        (NORMAL, "read: IOPS=992, BW", "read: **IOPS=992**, BW"),
        (NORMAL, ", 4=", ", \u22654="),
    ],
)
def test_numbers_that_somebody_changed_are_told(text, old, new):
    assert old in text
    assert not warnings(ft.reads(text))
    assert warnings(ft.reads(text.replace(old, new, 1)))


def test_a_damaged_line_does_not_swallow_a_whole_one_below():
    above = OLD.partition("...\n")[0]
    res = ft.reads(above.replace("ioengine", "engine").replace("old", "odd") + OLD)
    assert res.io["bs_bytes"].item() == 4096
    [note] = telling(res, "'odd: (g=0")
    assert "cannot be read" in note
    with pytest.raises(ft.FileError):
        ft.reads(OLD[OLD.index("old: (groupid") :].replace("jobs=4", "jobs="))


@pytest.mark.parametrize(
    "end",
    [
        "old: (groupid=0, jobs=4): err= 0: pi\n",
        "old: (gro",
        "Jobs: 4 (f=4): [r(4)] [50.0% done] [4096KB/0KB/0KB /s] [1024/0/0 iops] [eta 10s]\n",
        "old: (groupid=0, jobs=4): err= 0: pid=100: Fri Feb  9 12:56:50 2018\n",
    ],
)
def test_an_interim_report_is_not_the_result(end):
    res = ft.reads(OLD + end)
    assert res.runs["status"].tolist() == ["truncated"]
    assert any("cut off" in message for message in warnings(res))


@pytest.mark.parametrize("last", ["short=r=0/w=0/d=0\n", "group 0 (all jobs):\n", "dm-0: ios=102"])
def test_a_cut_report_is_truncated_and_told(last):
    res = ft.reads(OLD[: OLD.index(last)] + last)
    assert res.runs["status"].tolist() == ["truncated"]
    assert not res.notes.empty
    assert res.disks.empty  # half a line is not trusted


@needs_corpus
def test_no_cut_changes_a_run_silently(tmp_path):
    texts, cuts = {}, {}
    for file in sorted((CORPUS / "fio").glob("*/*.txt")):
        data = file.read_bytes()
        if b"(groupid=" in data and len(data) <= 30_000:
            texts[file.name] = data
            for part in range(1, 12):
                end = len(data) * part // 12 + part * 7 % 13
                texts[f"{end}-{file.name}"] = data[:end]
                cuts[f"{end}-{file.name}"] = file.name
    tables = ("io", "percentiles", "disks")
    res, _ = read_texts(tmp_path, texts, tables=("runs", *tables))
    good = res.runs.query("status == 'ok' and format == 'fio_normal'")[["source", "run"]]
    good["whole"] = good["source"].map(cuts)
    good = good[good["whole"].isin(res.runs["source"])]
    assert len(good) > 50
    for table in tables:
        rows = getattr(res, table)
        values = good.merge(rows, on=["source", "run"])
        wholes = rows.rename(columns={"source": "whole"})
        assert_frame_equal(values, good.merge(wholes, on=["whole", "run"]))


@pytest.mark.parametrize(
    "text",
    [
        "x: (groupid=0, jobs=1): err= " * 60_000,
        ("a: (g=1): rw=b, bs=" * 250 + "\n") * 40 + OLD,
    ],
    ids=range(2),
)
def test_beginnings_everywhere_take_linear_time(text):
    """With the square of their length, these took minutes."""
    try:
        res = ft.reads(text)
    except ft.FileError:
        return
    assert len(res.jobs) == 1


def test_huge_numbers_raise_no_python_error():
    for found in re.finditer(r"(?<=[=/])\d+", OLD):
        for number in ("9" * 25, "9" * 400):
            try:
                res = ft.reads(OLD[: found.start()] + number + OLD[found.end() :])
            except ft.FileError:
                continue
            assert len(res.io) <= 1


def test_percentiles_without_their_heading_are_told():
    lines = NORMAL.split("\n")
    at = next(at for at, line in enumerate(lines) if "clat percentiles" in line)
    res = ft.reads("\n".join(lines[:at] + lines[at + 1 :]))
    assert differing(res, ft.reads(NORMAL)) == ["percentiles"]
    assert set(res.percentiles["direction"]) == {"write"}
    [note] = res.notes.itertuples()
    assert "their unit is not certain" in note.message
    assert note.line == at + 1
    # of the second table of one direction
    text = human("normal-jsonplus.txt")
    res = ft.reads(text.replace("    lat percentiles (usec):\n", "", 1))
    assert telling(res, "their unit is not certain")


@pytest.mark.parametrize("quote", ["", ">> "])
def test_a_line_that_a_mail_wrapped_behind_a_comma(quote):
    line = "  lat (msec)   : 2=50.0%, 4=10.0%, 10=5.0%, 20=5.0%, 2000=20.0%, >=2000=10.0%"
    whole = re.sub(r"(?m)^  lat \(msec\).*$", line, NORMAL)
    wrapped = whole.replace(", 10=", ",\n10=").replace(", >=", ",\n>=")
    res = ft.reads("".join(f"{quote}{line}\n" for line in wrapped.splitlines()))
    assert res.bins["bin_lo_ns"].max() == 2e9
    assert differing(res, ft.reads(whole)) == []
    assert res.runs["status"].tolist() == ["ok"]


# --- some lines of a report, alone --------------------------------------------------------------


def test_an_entry_without_lines_is_not_called_idle():
    res = ft.reads("a: (groupid=0, jobs=1): err= 0: pid=1: today\n")
    assert telling(res, "has no line such as 'read: IOPS='")
    assert not telling(res, "did no I/O")


HEADLESS = """\
without patch
  read: IOPS=584k, BW=2283MiB/s (2394MB/s)(66.9GiB/30001msec)
  write: IOPS=200k, BW=781MiB/s (819MB/s)(22.9GiB/30001msec); 0 zone resets
with patch
  read: IOPS=684k, BW=2672MiB/s (2802MB/s)(78.3GiB/30001msec)
    clat (usec): min=1, max=20, avg= 5.00, stdev= 1.00
  write: IOPS=250k, BW=977MiB/s (1024MB/s)(28.6GiB/30001msec); 0 zone resets
"""  # made up


def test_lines_without_the_first_line_of_their_entry():
    res = ft.reads(HEADLESS)
    assert res.io["run"].tolist() == [1, 1, 2, 2]
    assert res.io["direction"].tolist() == ["read", "write"] * 2
    assert res.io["iops"].tolist() == [584e3, 200e3, 684e3, 250e3]
    assert res.io["bw_bytes_per_s"].tolist() == pytest.approx([2394e6, 819e6, 2802e6, 1024e6])
    assert res.io["io_bytes"].tolist() == pytest.approx(
        [66.9 * 2**30, 22.9 * 2**30, 78.3 * 2**30, 28.6 * 2**30], rel=0.003
    )
    assert res.io["clat_mean_ns"].tolist()[2] == 5000
    assert res.io[["job", "group"]].isna().all().all()
    assert res.runs["status"].tolist() == ["truncated"] * 2
    assert res.notes["line"].tolist() == [2, 5]
    assert res.notes["message"].str.contains("without the line 'NAME").all()
    old = next(line for line in OLD.split("\n") if "read : io=" in line)
    row = ft.reads(f"> {old}\n").io.iloc[0]
    assert row[["io_bytes", "iops", "runtime_s"]].tolist() == [40960 * 1024, 1024, 10]


def test_a_summary_alone():
    res = ft.reads(f"As I said:\n\n{SUMMARY}")
    assert res.io["direction"].tolist() == ["read", "write"]
    assert res.io["io_bytes"].tolist() == pytest.approx([994 * 4096, 986 * 4096], rel=1e-3)
    assert res.io["runtime_s"].tolist() == [1.002, 1.002]
    assert res.io["clones"].isna().all()
    assert len(telling(res, "without the line 'NAME")) == 1
    old = OLD[OLD.index("Run status") : OLD.index("\nDisk stats")]
    res = ft.reads(old + old.replace("group 0", "group 1").replace("READ", "WRITE"))
    assert res.io["group"].isna().all()
    assert res.io[["entry", "direction"]].to_numpy().tolist() == [[1, "read"], [2, "write"]]
    assert res.io["bw_bytes_per_s"].tolist() == [4096 * 1024] * 2


def test_a_summary_alone_has_the_options_of_a_command_with_one_job():
    command = "$ fio --direct=1 --name=a --rw=randrw --bs=8k --numjobs=2 --size=1G"
    io = ft.reads(f"{command}\n[cut]\n{SUMMARY}").io
    conditions = io[["rw", "bs_bytes", "numjobs", "size_bytes"]].to_numpy().tolist()
    assert conditions == [["randrw", 8192, 2, 2**30]] * 2
    # which of two it sums up is not said
    io = ft.reads(f"{command} --name=b --bs=4k\n[cut]\n{SUMMARY}").io
    assert io["bs_bytes"].isna().all()
    assert io["direct"].tolist() == [True] * 2
