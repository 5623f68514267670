"""fio_normal: the human report, alone and in the middle of other text."""

import math
import re
import sys
import time
from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal

import fiotools as ft
from fiotools.errors import ParseError
from fiotools.readers.fio import normal as fio_normal
from fiotools.readers.fio.documents import pieces
from fiotools.readers.fio.printed import amount, count
from fiotools.readers.formats import FIO_NORMAL
from tests.physics import read_texts

FIXTURES = Path(__file__).parents[1] / "fixtures" / "fio"
ARTICLE = Path(__file__).parents[3] / "shared" / "articles" / "004_cea0a5e02602cf12.txt"

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


def fixture(case):
    return FIXTURES / f"fio-3.33--{case}"


def human(case):
    """Return the human report of a file that also has the JSON of the run."""
    text = fixture(case).read_text(encoding="utf-8")
    found = pieces(text)[0]
    return text[: found.start] + text[found.end :].lstrip("\n")


def test_a_report_has_conditions_amounts_and_latencies():
    res = ft.reads(human("normal-json.txt"))
    assert res.runs[["tool", "tool_version", "format", "status"]].to_numpy().tolist() == [
        ["fio", "3.33", "fio_normal", "ok"]
    ]
    assert res.io["direction"].tolist() == ["read", "write"]
    row = res.io.iloc[0]
    conditions = row[["rw", "bs_bytes", "iodepth", "numjobs", "ioengine"]].tolist()
    assert conditions == ["randrw", 4096, 1, 1, "psync"]
    assert row["io_bytes"] == row["total_ios"] * 4096
    assert res.notes.empty
    # the date has no zone: it is kept, not taken for UTC
    assert res.runs["reported_at"].isna().all()
    assert res.extras.set_index("path").loc["date", "text"].startswith("Sat Nov 21 02:23:")


def test_units_differ_before_3_0():
    res = ft.reads(OLD)
    row = res.io.iloc[0]
    assert row["io_bytes"] == 40960 * 1024 == row["total_ios"] * 4096
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


def test_counts_that_do_not_print_like_the_rates_are_not_used():
    row = ft.reads(OLD.replace("total=r=10240", "total=r=10752")).io.iloc[0]
    assert row["total_ios"] == 10752
    assert row["iops"] == 1024
    assert row["io_bytes"] == 40960 * 1024


def test_a_rounded_block_size_is_not_exact():
    text = human("normal-json.txt").replace("4096B-4096B", "977KiB-977KiB")
    assert ft.reads(text).io["bs_bytes"].isna().all()


def test_groups_of_unlike_jobs_have_only_common_conditions():
    io = ft.reads(human("group-unlike.txt")).io
    assert io[["rw", "bs_bytes"]].isna().all().all()
    assert io[["numjobs", "clones"]].to_numpy().tolist() == [[2, 2]] * 2
    assert io["iodepth"].tolist() == [1, 1]


def test_jobs_of_one_name_have_the_conditions_of_their_own_definitions():
    io = ft.reads(human("alike.txt")).io
    assert io["job"].tolist() == ["step", "step"]
    assert io["bs_bytes"].tolist() == [4096, 16384]
    assert io["numjobs"].tolist() == [1, 1]


def test_status_interval_reports_are_one_run_and_its_samples():
    res = ft.read(fixture("status-interval.txt"))
    assert len(res.runs) == len(res.jobs) == len(res.io) == 1
    done = res.samples[res.samples["quantity"] == "total_ios"]
    assert len(done) == 4
    assert done["value"].is_monotonic_increasing
    assert done["value"].iloc[-1] == res.io["total_ios"].item()
    assert len(res.disks) == 1


def test_clients_and_their_total():
    res = ft.read(fixture("client.txt"))
    assert res.io["host"].tolist() == ["alpha", "alpha", "beta", "beta"]
    assert res.io["entry"].tolist() == [1, 1, 2, 2]
    assert res.jobs["host"].tolist() == ["alpha", "beta"]
    printed = res.extras[res.extras["entry"].isna()].set_index("path")["text"]
    for direction, ios in res.io.groupby("direction")["total_ios"].sum().items():
        assert int(printed[f"All clients.{direction}.total_ios"]) == ios
    assert "All clients" not in {*res.io["job"], *res.jobs["job"], *res.bins["job"]}


def test_clones_of_a_client():
    assert set(ft.read(fixture("client-clones.txt")).io["numjobs"]) == {2}


def test_clients_that_ended_at_once_have_no_certain_host():
    # fio 3.33 wrote both names, then both reports, in either order; containers repeat a pid
    text = fixture("client.txt").read_text(encoding="utf-8").replace("pid=24244", "pid=24243")
    res = ft.reads(text.replace("<beta> \n", "").replace("<alpha> \n", "<alpha> \n<beta> \n"))
    assert res.io["host"].isna().all()
    assert res.io["entry"].tolist() == [1, 1, 2, 2]
    assert res.extras["path"].str.startswith("All clients.read.").any()
    assert res.disks["host"].isna().tolist() == [True, True]
    assert res.notes["message"].str.contains("which of the clients").tolist() == [True]
    sums = res.extras.set_index("path")["text"]["Run status group 0 (all jobs).READ"]
    assert sums.count("run=") == 2


def test_two_clients_on_machines_of_one_name():
    text = fixture("client.txt").read_text(encoding="utf-8")
    res = ft.reads(text.replace("beta", "alpha").replace("run=1001-1001", "run=1002-1002", 2))
    assert res.io["host"].dropna().tolist() == ["alpha"] * 4
    told = res.notes["message"].str.contains("run times in the group's summary")
    assert told.sum() == 2, "only of the client whose summary was changed"


def test_an_error_is_a_run_without_io():
    res = ft.read(fixture("enospc.txt"))
    assert res.runs["status"].item() == "error"
    assert res.io.empty
    assert res.jobs["error"].item() == 28
    assert "No space left" in res.notes["message"].str.cat()
    lines = fixture("enospc.txt").read_text(encoding="utf-8").split("\n")
    for note in res.notes.itertuples():
        assert "fio: " in lines[note.line - 1] or "err=28" in lines[note.line - 1]


@pytest.mark.parametrize(
    ("printed", "changed"),
    [
        ("50.00th=[ 116224]", "50.00th=[ 116,224]"),
        ("50.00th=[ 116224]", "50.00th=[ 116 224]"),
        ("250=30.73%", "250=30,73%"),
        ("total=1000,1001,0,0", "total=1,000,1,001,0,0"),
        ("ticks=103/440", "ticks=103/1,440"),
        ("ctx=1550", "ctx=1,550"),
        ("stdev=927148.54", "stdev=927,148.54"),
    ],
)
def test_a_line_of_numbers_is_read_whole_or_not_at_all(printed, changed):
    text = fixture("client.txt").read_text(encoding="utf-8")
    assert printed in text
    notes = ft.reads(text.replace(printed, changed, 1)).notes
    assert (notes["severity"] == "warning").any()


def test_an_unknown_field_of_a_disk_is_kept():
    res = ft.reads(OLD.replace("in_queue=5", "in_queue=5, flush=7/0"))
    assert res.disks["in_queue_s"].item() == 0.005
    assert res.extras.set_index("path")["text"]["disk_util.dm-0.flush"] == "7/0"


@pytest.mark.parametrize("width", range(74, 111, 4))
def test_lines_that_a_terminal_wrapped_are_not_lost_in_silence(width):
    text = fixture("client.txt").read_text(encoding="utf-8")
    res = ft.reads(re.sub(f"(.{{{width}}})(?=.)", "\\1\n", text))
    is_whole = res.io["bs_bytes"].notna().sum() == 4 and len(res.disks) == 2
    assert is_whole or (res.notes["severity"] == "warning").any()


def test_lines_full_of_beginnings_of_definitions_take_no_time():
    def spent(count):
        text = ("a: (g=1): rw=b, bs=" * 250 + "\n") * count + OLD
        begun = time.process_time()
        ft.reads(text)
        return time.process_time() - begun

    spent(1)
    assert spent(40) < 2  # it was a tenth of a second for each line


def test_a_damaged_line_does_not_swallow_a_whole_one_below():
    above = OLD.partition("...\n")[0]
    res = ft.reads(above.replace("ioengine", "engine").replace("old", "odd") + OLD)
    assert res.io["bs_bytes"].item() == 4096
    assert res.notes["message"].str.contains("'odd: .g=0.*cannot be read").any()


def test_definitions_above_what_verify_and_prerun_say():
    said = """\
crc32c: verify failed at file /tmp/v offset 40960, length 4096 (requested block: offset=40960)
       Expected CRC: d55bfd1d
       Received CRC: 065c5531
verify: bad magic header 50d8, wanted acca at file /tmp/v offset 40960, length 4096
old : Saving output of prerun in old.prerun.txt
"""  # as fio 3.33 wrote
    res = ft.reads(OLD.replace("Starting 4 processes\n", f"Starting 4 processes\n{said}"))
    assert res.io["bs_bytes"].item() == 4096
    assert [line for line in said.split("\n") if line.strip()] == [
        next(line for line in said.split("\n") if line.strip() == message)
        for message in res.notes["message"]
        if message in said
    ]


def test_dots_that_a_word_processor_joined():
    assert ft.reads(OLD.replace("...\n", "…\n")).io["bs_bytes"].item() == 4096


def test_a_text_of_only_errors_is_a_parse_error_that_quotes_them():
    with pytest.raises(ParseError, match=r"log:1: fio printed no report; it said 'fio: engine"):
        ft.reads("fio: engine libaio not loadable\nfio: failed to load engine\n", name="log")


def test_a_cut_report_is_noted():
    text = human("normal-json.txt")
    res = ft.reads(text[: text.index("Run status")])
    assert res.runs["status"].item() == "truncated"
    assert len(res.io) == 2


def test_every_truncation_returns_numbers_of_the_complete_report_or_an_error():
    text = human("normal-json.txt")
    whole = ft.reads(text).io.iloc[0]
    for end in range(text.index("pid="), len(text), 61):
        try:
            io = ft.reads(text[:end]).io
        except ft.FileError:
            continue
        for row in io.itertuples():
            if row.direction == "read":
                assert row.iops == pytest.approx(whole["iops"], rel=1e-3)


def test_in_markdown_a_report_has_the_command_above_it():
    text = f"# A title\n\nSome prose.\n\n```\n$ fio --direct=1 --size=4M --name=mix --rw=randrw\n{human('normal-json.txt')}```\n\nMore.\n"
    res = ft.reads(text)
    assert res.runs["command"].item() == "fio --direct=1 --size=4M --name=mix --rw=randrw"
    assert res.io["direct"].tolist() == [True, True]
    assert res.io["size_bytes"].tolist() == [4 << 20] * 2
    given = res.settings.set_index("option")["origin"].to_dict()
    assert given == {"direct": "global", "size": "global", "rw": "given"}


def test_quoted_and_indented_reports_are_read():
    plain = ft.reads(human("normal-json.txt")).io.drop(columns="source")
    for prefix in ("    ", "> "):
        text = "".join(prefix + line for line in human("normal-json.txt").splitlines(True))
        assert ft.reads(text).io.drop(columns="source").equals(plain)


def test_progress_glued_to_the_report_is_not_part_of_the_name():
    text = human("normal-json.txt")
    at = text.index("mix: (groupid")
    glued = text[:at] + "Jobs: 1 (f=1): [m(1)][100.0%][r=1KiB/s][eta 00m:00s]" + text[at:]
    assert ft.reads(glued).io["job"].tolist() == ["mix", "mix"]


def test_syncs_without_times_are_counted():
    text = ft.reads(human("fsync-untimed.txt")).io.set_index("direction")["total_ios"]
    structured = ft.read(fixture("fsync-untimed.txt")).io.set_index("direction")["total_ios"]
    assert text.to_dict() == structured.to_dict() == {"read": 132, "write": 124, "sync": 27}


def test_fdatasync_is_not_a_short_read():
    assert "issued rwts: total=0,200,0,0 short=199,0,0,0" in human("fdatasync.txt")
    io = ft.reads(human("fdatasync.txt")).io.set_index("direction")
    assert io["total_ios"].isna().tolist() == [False, True]  # the text counts no fdatasync
    assert io.loc["write", "short_ios"] == 0
    structured = ft.read(fixture("fdatasync.txt")).io.set_index("direction")
    assert io.loc["sync", "lat_mean_ns"] == pytest.approx(structured.loc["sync", "lat_mean_ns"])
    assert io.loc["write", "io_bytes"] == structured.loc["write", "io_bytes"]


# "digits" prints rates in bytes, which cannot tell kb_base
@pytest.mark.parametrize("case", ["kb-base-1000", "unit-base-1", "digits"])
def test_other_units_give_the_same_numbers(case):
    structured, text = ft.read(fixture(f"{case}.txt")).io, ft.reads(human(f"{case}.txt")).io
    for column in ("io_bytes", "bw_bytes_per_s", "bw_mean_bytes_per_s", "iops_mean"):
        assert text[column].item() == pytest.approx(structured[column].item(), rel=1e-3)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5982KiB/s", 5982 * 1024),
        ("6126kB/s", 6_126_000),
        ("10.4Gibit/s", 10.4 * 2**30 / 8),
        ("60.1Mi", 60.1 * 2**20),
        ("243TiB/s", 243 * 2**40),
        ("0B", 0),
    ],
)
def test_amounts(text, value):
    assert amount(text).value == pytest.approx(value)


def test_counts_have_their_slack():
    assert count("1495").agrees(1495.9)
    assert not count("1495").agrees(1497)
    assert count("34.5k").agrees(34_549)
    assert not count("34.5k").agrees(34_600)


@pytest.mark.skipif(not ARTICLE.exists(), reason="the articles do not lie beside the project")
def test_the_article_has_nine_reports():
    res = ft.read(ARTICLE)
    assert len(res.runs) == 9
    # the path is that of the article's own output
    assert res.runs["command"].str.startswith("fio /work/test.fio --section=random-").all()
    assert res.io["iops"].astype(int).tolist() == [
        *(1495, 2755, 1037, 443),
        *(8910, 5026, 3965, 1699),
        *(7747, 4542, 3806, 1633),
    ]


JOB = "old: (groupid=0, jobs=4): err= 0: pid=100: Fri Feb  9 12:56:50 2018\n"


@pytest.mark.parametrize(
    "rest",
    [
        "old: (groupid=0, jobs=4): err= 0: pi",
        "old: (groupid=0, jobs=4): err= 0: pi\n",
        "old: (gro",
        "Jobs: 4 (f=4): [r(4)] [50.0% done] [4096KB/0KB/0KB /s] [1024/0/0 iops] [eta 00m:10s]\n",
        JOB,
    ],
)
def test_an_interim_report_is_not_the_result(rest):
    assert ft.reads(OLD).runs["status"].tolist() == ["ok"]
    res = ft.reads(OLD + rest)
    assert res.runs["status"].tolist() == ["truncated"]
    notes = res.notes.query("severity == 'warning'")
    assert notes["message"].str.contains("cut off").any()


def test_a_group_summary_and_a_disk_that_were_cut_are_not_trusted():
    for end in ("Run status group 0 (all jobs):\n", "   READ: io=40960KB, agg", "dm-0: ios=102"):
        res = ft.reads(OLD[: OLD.index(end) + len(end)])
        assert res.runs["status"].tolist() == ["truncated"], end
        assert res.disks.empty
        assert not res.notes.empty


CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "fio"


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not beside the project")
def test_an_interim_report_of_the_corpus():
    file = next(CORPUS.glob("wild/*crlf-terminal-capture-3.1.txt"))
    res = ft.reads(file.read_bytes()[:23048])
    assert res.runs["status"].iloc[-1] == "truncated"
    assert res.runs["run"].iloc[-1] in res.notes["run"].tolist()


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not beside the project")
def test_no_cut_changes_a_run_silently(tmp_path):
    texts, cuts = {}, {}
    for file in sorted(CORPUS.glob("*/*.txt")):
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
    earlier = FIRST.replace(
        "issued r/w/d: total=464361/0/0, short=0/0/0", "issued r/w: total=464361/0, short=0/0"
    )
    assert ft.reads(earlier).io.equals(res.io)


def test_the_first_versions_wrote_kib_and_meant_1000_bytes():
    # stat.c of 1.2x: io_bytes / runtime in ms, printed with the prefix of 1024
    text = FIRST.replace("bw=30957KB/s", "bw=31699KiB/s").replace("KB/s) : min", "KiB/s) : min")
    row = ft.reads(text.replace(", majf=0, minf=25", "")).io.iloc[0]
    assert row["bw_bytes_per_s"] == pytest.approx(31_699_849, abs=1)
    assert row["bw_mean_bytes_per_s"] == pytest.approx(30_959_390)


def test_truncated_digits_are_corrected():
    # 11.96 MiB/s is printed as 11.0 (fio rounds the digits behind the point separately)
    text = human("normal-json.txt")
    line = next(part for part in text.splitlines() if part.startswith("  read: "))
    cut = "  read: IOPS=3061, BW=11.0MiB/s (12.5MB/s)(120MiB/10000msec)"
    total = re.search(r"total=\d+", text)[0]
    text = text.replace(line, cut).replace(total, "total=30616")
    row = ft.reads(text).io.iloc[0]
    assert row["io_bytes"] == 30616 * 4096
    assert row["bw_bytes_per_s"] == pytest.approx(3061.6 * 4096)
    bare = ft.reads(text[text.index("mix: (groupid") :]).io.iloc[0]  # no block size
    assert row["bw_bytes_per_s"] == pytest.approx(bare["bw_bytes_per_s"], rel=0.01)


@pytest.mark.parametrize(
    ("old", "new", "doubt"),
    [
        ("total=10240", "total=9000", "9000 I/Os in 10.0 s are not 1024"),
        ("mint=10000msec", "mint=9000msec", "run times in the group's summary"),
        ("READ: io=40960KB", "READ: io=44096KB", "do not add up"),
        # a line of another job
        ("avg=109.41", "avg=309.41", "316.8 I/Os waiting at once exceed the depth of 128"),
        ("99.00th=[   57]", "1.00th=[   57]", "out of order at 1.00"),
    ],
)
def test_numbers_printed_twice_must_agree(old, new, doubt):
    assert not (ft.reads(OLD).notes["severity"] == "warning").any()
    text = OLD.replace("total=r=", "total=").replace(old, new).replace("total=", "total=r=")
    warning = ft.reads(text).notes.query("severity == 'warning'")
    assert warning["message"].str.contains(doubt, regex=False).any()
    assert warning["run"].eq(1).all()


@pytest.mark.parametrize(
    ("line", "head"),
    [
        ("clat prio 2/3", "clat prio 2/3 (49.97% of IOs) percentiles"),
        ("clat prio 1/0/0", "clat prio 1/0/0 (5.00% of IOs) percentiles"),
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
    extras = res.extras.set_index("path")["text"]
    assert extras[f"read.{head} (usec)"] == "50.00th=[ 7], 99.00th=[ 8], 99.90th=[ 9]"
    assert "avg=1.50" in extras[f"read.{line}"]


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
    extras = res.extras.set_index("path")["text"]
    assert extras["write.zone_resets"] == "3"
    assert extras["steadystate"].endswith("lat=9usec, lat slope=0.1%")


def test_an_anchor_everywhere_takes_linear_time():
    line = "x: (groupid=0, jobs=1): err= " * 60_000  # took minutes
    for text in (line, line.replace(" err", "\r err"), f"{OLD}{line}\n"):
        try:
            res = ft.reads(text)
        except ft.FileError:
            continue
        assert len(res.io) <= 1


def test_huge_numbers_raise_no_python_error():
    for found in re.finditer(r"(?<=[=/])\d+", OLD):
        for number in ("9" * 25, "9" * 400):
            try:
                res = ft.reads(OLD[: found.start()] + number + OLD[found.end() :])
            except ft.FileError:
                continue
            assert len(res.io) <= 1


class Counted(str):
    """A text that counts how much of it is searched for line ends."""

    searched = 0

    def count(self, part, start=0, end=sys.maxsize):
        Counted.searched += min(end, len(self)) - start
        return super().count(part, start, end)


NORMAL = (FIXTURES / "fio-3.33--libaio.txt").read_text(encoding="utf-8")
DEFINED = "x: (g=0): rw=read, bs=4K-4K/4K-4K, ioengine=sync, iodepth=1\n"


def test_definitions_are_counted_once(monkeypatch):
    text = Counted(DEFINED * 2000 + "x: (groupid=0, jobs=1): err= 0: pid=1: today\n")
    monkeypatch.setattr(Counted, "searched", 0)
    start, _, run = fio_normal.parse(text, re.search(FIO_NORMAL, text))
    assert (start, len(run.definitions)) == (0, 2000)
    assert Counted.searched <= 2 * len(text)


def test_lines_above_are_walked_over_once(monkeypatch):
    """Each of these lines looks like the first of a report, and like one above a report."""
    walked, really = [], fio_normal.bare
    monkeypatch.setattr(fio_normal, "bare", lambda line: walked.append(1) or really(line))
    lines = 500
    text = "Jobs: 1 (f=1): x: (groupid=0, jobs=1): err=z\n" * lines
    with pytest.raises(ft.FileError):
        ft.reads(text)
    assert lines <= len(walked) <= 3 * lines
    walked.clear()
    assert len(ft.reads(text + NORMAL).jobs) == len(ft.reads(NORMAL).jobs)
    assert len(walked) <= 4 * lines


def test_remarks_above_a_report_keep_their_lines():
    text = f"\n{DEFINED}\nfio: this is said\n\n{NORMAL}"
    notes = ft.reads(text).notes
    assert notes[notes["message"].str.contains("this is said")]["line"].tolist() == [4]


# --- lines that are missing, that are not fio's, or that stand alone ---------------------------

TABLES = ("io", "jobs", "percentiles", "bins", "disks")
KERNEL = ["[12345.678901] nvme0: I/O 123 QID 4 timeout, aborting"]


def without(text, *words):
    return "".join(
        line for line in text.splitlines(True) if not any(word in line for word in words)
    )


def differing(res, whole, tables=TABLES):
    return [name for name in tables if not getattr(res, name).equals(getattr(whole, name))]


def test_progress_and_messages_of_fio_inside_the_report():
    lines = NORMAL.rstrip("\n").split("\n")
    whole = ft.reads(NORMAL)
    progress = "Jobs: 1 (f=1): [m(1)][50.0%][r=4096KiB/s,w=4096KiB/s][eta 00m:05s]"
    said = "verify: bad magic header 0, wanted acca at file /x offset 0, length 4096"
    for at in range(8, len(lines) - 1):
        res = ft.reads("\n".join([*lines[:at], progress, said, *lines[at:]]))
        assert differing(res, whole) == [], lines[at]
        assert res.notes["message"].tolist() == [said]
        assert res.notes["line"].item() == at + 2


def test_an_excerpt_and_another_report_of_the_same_job_are_two_runs():
    first = NORMAL[: NORMAL.index("  cpu ")]
    second = NORMAL[NORMAL.index("plain: (groupid") :].replace("pid=11407", "pid=11408")
    res = ft.reads(f"{first}\nThat was my SSD. The HDD:\n\n{second}")
    assert res.io["run"].tolist() == [1, 1, 2, 2]
    assert not res.notes["message"].str.contains("stepped over").any()


# written by hand, as only a new fio prints them so: whole numbers in "All clients"
COARSE = """\
    clat percentiles (usec):
     |   1th=[   10],   5th=[   11],  10th=[   12],  20th=[   13],  30th=[   14],
     |  40th=[   15],  50th=[   16],  60th=[   17],  70th=[   18],  80th=[   19],
     |  90th=[   20],  95th=[   21],  99th=[   22], 100th=[   23], 100th=[   24],
     | 100th=[   25], 100th=[   26]
"""
TAIL = {99.0: 22e3, 99.5: 23e3, 99.9: 24e3, 99.95: 25e3, 99.99: 26e3}


def coarse(text):
    head, total = text.split("All clients: ")
    return f"{head}All clients: {total.replace('   bw (', COARSE + '   bw (', 1)}"


def total_percentiles(res):
    rows = res.percentiles[res.percentiles["job"] == "All clients"]
    return dict(zip(rows["percentile"], rows["value_ns"], strict=True))


def test_rounded_percentiles_have_the_names_of_the_servers_tables():
    text = coarse(fixture("client.txt").read_text(encoding="utf-8"))
    res = ft.reads(text)
    found = total_percentiles(res)
    assert len(found) == 17
    assert {name: found[name] for name in TAIL} == TAIL
    assert res.notes.empty
    other = ft.reads(text.replace("99.95th=", "99.97th="))
    assert 99.97 in total_percentiles(other)
    assert 99.95 not in total_percentiles(other)


def test_rounded_percentiles_have_the_names_of_the_command_or_the_default():
    text = coarse(fixture("client.txt").read_text(encoding="utf-8"))
    text = without(re.sub(r"(?m)^     \| +\d+\.\d.*\n", "", text), "clat percentiles (nsec)")
    assert total_percentiles(ft.reads(text))[99.95] == 25e3
    asked = ":".join(map(str, [1, 5, *range(10, 100, 10), 95, 99, 99.6, 99.7, 99.8, 99.9999]))
    found = total_percentiles(ft.reads(f"$ fio --client=a --percentile_list={asked} x.fio\n{text}"))
    assert found[99.9999] == 26e3
    assert 99.95 not in found


def test_rounded_percentiles_that_nothing_names_are_left_out_and_told():
    text = coarse(fixture("client.txt").read_text(encoding="utf-8")).replace("   5th=[   11],", "")
    res = ft.reads(text)
    assert total_percentiles(res)[99.0] == 22e3
    assert max(total_percentiles(res)) == 99.0
    [note] = res.notes.itertuples()
    assert note.severity == "warning"
    assert note.message.startswith("4 percentiles are left out: fio printed them as 100")


def test_whole_percentiles_of_a_job_are_exact():
    text = re.sub(r"(?m)^     \| +\d+\.\d.*\n", "", OLD)
    text = text.replace(
        "percentiles (msec):\n", "percentiles (msec):\n     |  50th=[ 4], 100th=[ 9]\n"
    )
    res = ft.reads(text)
    assert res.percentiles["percentile"].tolist() == [50, 100]
    assert res.notes.empty


def test_the_latency_of_syncs_is_not_that_of_writes():
    text = human("fsync.txt")
    res, whole = (
        ft.reads(without(text, "sync (usec)", "sync (nsec)", "sync (msec)")),
        ft.reads(text),
    )
    assert res.percentiles.equals(whole.percentiles)


def test_percentiles_without_their_heading_are_told():
    lines = NORMAL.split("\n")
    heads = [at for at, line in enumerate(lines) if "clat percentiles" in line]
    whole = ft.reads(NORMAL)
    res = ft.reads("\n".join(line for at, line in enumerate(lines) if at != heads[0]))
    assert differing(res, whole) == ["percentiles"]
    assert set(res.percentiles["direction"]) == {"write"}
    [note] = res.notes.itertuples()
    assert "their unit is not certain" in note.message
    assert note.line == heads[0] + 1
    # of the second table of one direction
    text = human("normal-jsonplus.txt")
    res = ft.reads(text.replace("    lat percentiles (usec):\n", "", 1))
    assert res.notes["message"].str.contains("their unit is not certain").any()


FOREIGN = [*KERNEL, "$ fio other.fio", "```", "With the other disk:", "4+0 records in"]


@pytest.mark.parametrize("foreign", FOREIGN)
def test_a_line_that_is_not_fios_ends_the_report_and_what_follows_is_told(foreign):
    lines = NORMAL.rstrip("\n").split("\n")
    whole = ft.reads(NORMAL)
    last = next(at for at, line in enumerate(lines) if "Run status" in line)
    for at in range(8, last - 1):
        res = ft.reads("\n".join([*lines[:at], foreign, *lines[at:]]) + "\n")
        assert res.runs["status"].tolist() == ["truncated"], lines[at]
        assert set(res.io["clat_mean_ns"].dropna()) <= set(whole.io["clat_mean_ns"])
        told = res.notes[res.notes["message"].str.contains("of a report were not read")]
        assert told["severity"].tolist() == ["warning"] * len(told)
        assert len(told) or at > last - 4  # only the depth that was reached is lost there


@pytest.mark.parametrize(
    ("plain", "marked"),
    [
        ("read: IOPS=992, BW", "read: **IOPS=992**, BW"),
        ("99.00th=[ 7177]", "**99.00th=[ 7177]**"),
        ("avg=1313.31", "__avg=1313.31__"),
        ("issued rwts", "**issued rwts**"),
        (", 4=", ", \u22654="),
    ],
)
def test_marks_and_signs_of_a_word_processor_are_told(plain, marked):
    assert plain in NORMAL
    res = ft.reads(NORMAL.replace(plain, marked))
    assert (res.notes["severity"] == "warning").any()


# --- lines that a mail wrapped, and excerpts ---------------------------------------------------


def in_mail(text, width=72):
    """Quote a text whose lines a mailer wrapped at blanks."""
    lines = []
    for line in text.splitlines():
        while len(line) > width and "th=[" not in line and ", " in line[:width].lstrip():
            at = line.rindex(", ", 0, width) + 1
            lines.append(line[:at])
            line = "  " + line[at:].lstrip()
        lines.append(line)
    return "".join(f"> {line}\n" for line in lines)


def test_lines_that_a_mail_wrapped_behind_a_comma():
    text = NORMAL[NORMAL.index("plain: (groupid") :].replace("  bw (", "  bw (", 1)
    text = re.sub(
        r"(?m)^  lat \(msec\).*$",
        "  lat (msec)   : 2=50.0%, 4=10.0%, 10=5.0%, 20=5.0%, 2000=20.0%, >=2000=10.0%",
        text,
    )
    wrapped = in_mail(text)
    assert ">   >=2000=10.0%" in wrapped
    whole, res = ft.reads(text), ft.reads(wrapped)
    assert res.bins["pct"].tolist() == whole.bins["pct"].tolist()
    assert res.bins["bin_lo_ns"].max() == 2e9
    assert res.runs["status"].tolist() == whole.runs["status"].tolist()
    assert res.jobs["ctx"].tolist() == whole.jobs["ctx"].tolist()


@pytest.mark.parametrize("quote", ["", "> ", ">> "])
def test_a_line_that_a_mail_wrapped_twice(quote):
    lines = ["  lat (msec)   : 2=50.0%, 4=10.0%,", "10=5.0%, 20=5.0%, 2000=20.0%,", ">=2000=10.0%"]
    text = re.sub(r"(?m)^  lat \(msec\).*$", "\n".join(lines), NORMAL)
    res = ft.reads("".join(f"{quote}{line}\n" for line in text.splitlines()))
    shares = res.bins.loc[res.bins["bin_lo_ns"] >= 1e6, "pct"]
    assert shares.tolist()[-6:] == [50.0, 10.0, 5.0, 5.0, 20.0, 10.0]
    assert res.runs["status"].tolist() == ["ok"]
    assert res.jobs["ctx"].tolist() == ft.reads(NORMAL).jobs["ctx"].tolist()


@pytest.mark.parametrize("is_above", [False, True])
@pytest.mark.parametrize("tag", ["", "<pre>", "<code>"])
def test_an_excerpt_of_a_report_is_not_a_second_run(is_above, tag):
    some = [line for line in NORMAL.splitlines() if "(groupid" in line or "IOPS=" in line]
    excerpt = f"the most interesting lines are:\n\n{tag}" + "\n".join(some) + "\n\n"
    res = ft.reads(excerpt + NORMAL if is_above else f"{NORMAL}\n{excerpt}")
    assert res.io.equals(ft.reads(NORMAL).io)
    assert res.notes["message"].str.contains("lines that repeat a report of this text").sum() == 1
    # another process, or other numbers
    for changed in (excerpt.replace("pid=11407", "pid=11408"), excerpt.replace("994", "993")):
        other = ft.reads(f"{NORMAL}\n{changed.replace('3976KiB', '3970KiB')}")
        assert len(other.runs) == 2


def test_the_version_of_fio_2_0_8():
    """It prints no name beside it."""
    text = OLD.replace("fio-2.1.11", "2.0.8")
    assert "\n2.0.8\n" in text
    res = ft.reads(text)
    assert res.runs["tool_version"].tolist() == ["2.0.8"]
    assert res.io["bs_bytes"].tolist() == ft.reads(OLD).io["bs_bytes"].tolist()


def test_an_entry_without_lines_is_not_called_idle():
    res = ft.reads("a: (groupid=0, jobs=1): err= 0: pid=1: today\n")
    assert res.notes["message"].str.contains("has no line such as 'read: IOPS='").any()
    assert not res.notes["message"].str.contains("did no I/O").any()


def test_marks_that_belong_to_a_name_stay():
    res = ft.reads(NORMAL.replace("plain: (g", "__main__: (g"))
    assert res.io["job"].tolist() == ["__main__"] * 2
    assert res.io["bs_bytes"].tolist() == [4096] * 2


@pytest.mark.parametrize("name", ["A:B:C", "hot:randread", "t=0:read", "nvme0n1: seq", "10:4k"])
def test_names_of_jobs_with_colons(name):
    text = NORMAL.replace("plain: (g", f"{name}: (g")
    _, end, run = fio_normal.parse(text, re.search(FIO_NORMAL, text))
    assert [one.name for one in run.definitions] == [one.name for one in run.entries] == [name]
    assert text[end:].strip() == ""


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


def test_old_lines_without_the_first_line_of_their_entry():
    line = next(line for line in OLD.split("\n") if "read : io=" in line)
    res = ft.reads(f"> {line}\n")
    row = res.io.iloc[0]
    assert row[["io_bytes", "iops", "runtime_s"]].tolist() == [40960 * 1024, 1024, 10]


def test_a_summary_alone():
    text = NORMAL[NORMAL.index("Run status") : NORMAL.index("Disk stats")]
    for alone in (text, f"As I said:\n\n{text}"):
        res = ft.reads(alone)
        assert res.io["direction"].tolist() == ["read", "write"]
        assert res.io["io_bytes"].tolist() == pytest.approx([994 * 4096, 986 * 4096], rel=1e-3)
        assert res.io["runtime_s"].tolist() == [1.002, 1.002]
        assert res.io["clones"].isna().all()
        assert res.notes["message"].str.contains("without the line 'NAME").sum() == 1
    old = OLD[OLD.index("Run status") : OLD.index("\nDisk stats")]
    res = ft.reads(old + old.replace("group 0", "group 1").replace("READ", "WRITE"))
    assert res.io["group"].isna().all()
    assert res.io[["entry", "direction"]].to_numpy().tolist() == [[1, "read"], [2, "write"]]
    assert res.io["bw_bytes_per_s"].tolist() == [4096 * 1024] * 2


@pytest.mark.parametrize("is_above", [False, True])
def test_a_summary_beside_its_report_is_not_a_second_run(is_above):
    summary = NORMAL[NORMAL.index("Run status") : NORMAL.index("Disk stats")]
    res = ft.reads(f"In short:\n\n{summary}\nAll:\n\n{NORMAL}")
    if not is_above:
        res = ft.reads(f"{NORMAL}\nIn short:\n\n{summary}")
    assert res.io.equals(ft.reads(NORMAL).io)
    assert res.notes["code"].tolist().count("repeats") == 1
    other = re.sub(r"run=\d+-\d+msec", "run=1003-1003msec", summary)
    assert other != summary
    assert len(ft.reads(f"In short:\n\n{other}\nAll:\n\n{NORMAL}").runs) == 2


def test_a_summary_alone_has_the_options_of_a_command_with_one_job():
    summary = NORMAL[NORMAL.index("Run status") : NORMAL.index("Disk stats")]
    command = "$ fio --direct=1 --name=a --rw=randrw --bs=8k --numjobs=2 --size=1G"
    res = ft.reads(f"{command}\n[cut]\n{summary}")
    assert (
        res.io[["bs_bytes", "numjobs", "size_bytes"]].to_numpy().tolist() == [[8192, 2, 2**30]] * 2
    )
    assert res.io["rw"].tolist() == ["randrw"] * 2
    # which of two it sums up is not said
    res = ft.reads(f"{command} --name=b --bs=4k\n[cut]\n{summary}")
    assert res.io["bs_bytes"].isna().all()
    assert res.io["direct"].tolist() == [True] * 2


def test_lines_below_a_damaged_first_line_stay_unread():
    text = OLD[OLD.index("old: (groupid") :].replace("jobs=4", "jobs=")
    with pytest.raises(ft.FileError):
        ft.reads(text)


@pytest.mark.parametrize(
    ("line", "issued", "values"),
    [
        # 60.0GiB has more digits than 127MB/s; fio prints 60.96 so, too, but the rate excludes it
        ("IOPS=31.0k, BW=121MiB/s (127MB/s)(60.0GiB/507636msec)", "", (60 * 2**30, None)),
        ("IOPS=121, BW=121MiB/s (127MB/s)(60.0GiB/507636msec)", "61440", (60 * 2**30, 61440)),
        # 11.96 printed as 11.0: the other print of the rate has more digits
        ("IOPS=3061, BW=11.0MiB/s (12.6MB/s)(120MiB/10000msec)", "", (126e6, None)),
        ("IOPS=1000, BW=9.77MiB/s (10.2MB/s)(97.7MiB/10000msec)", "", (97.7 * 2**20, None)),
    ],
)
def test_the_print_with_more_digits_counts(line, issued, values):
    counts = f"     issued rwts: total={issued},0,0,0 short=0,0,0,0\n" if issued else ""
    res = ft.reads(f"x: (groupid=0, jobs=1): err= 0: pid=1: today\n  read: {line}\n{counts}")
    row = res.io.iloc[0]
    moved, total = values
    assert row["io_bytes"] == pytest.approx(moved, rel=1e-6)
    assert row["bw_bytes_per_s"] == pytest.approx(moved / row["runtime_s"], rel=1e-6)
    if total:
        assert row["iops"] == pytest.approx(total / row["runtime_s"])


def test_iops_follow_from_the_rate_if_that_has_more_digits():
    text = DEFINED + (
        "x: (groupid=0, jobs=1): err= 0: pid=1: today\n"
        "  read: IOPS=31.0k, BW=121MiB/s (127MB/s)(60.0GiB/507636msec)\n"
    )
    row = ft.reads(text).io.iloc[0]
    assert row["iops"] == pytest.approx(60 * 2**30 / 507.636 / 4096)
    row = ft.reads(text.replace("31.0k", "30983")).io.iloc[0]  # the count has the most digits
    assert row["bw_bytes_per_s"] == 30983 * 4096
