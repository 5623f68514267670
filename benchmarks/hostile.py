"""Inputs that no tool writes, and that must be got through in time that grows with them alone.

They repeat what a grammar looks for: never closed, always a little wrong, or far too often. The
texts that `tests/test_security.py` reads a megabyte of grow here too.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks.growing import Growing, fixture, text
from tests.test_security import REPEATED

_JSON = fixture("fio/fio-3.33--libaio.json")
_PLUS = (
    '{"fio version": "fio-3.33", "jobs": [{"jobname": "j", "groupid": 0, "error": 0, "read": '
    '{"io_bytes": 4096, "total_ios": 1, "clat_ns": {"min": 1, "max": 9, "mean": 5, "N": 1, "bins": '
)
_XML = fixture("diskspd/diskspd-2.2--seq64k_t4_D_only.xml")
_SPAN = fixture("diskspd/diskspd-2.2--F2O8_weights.txt")
_NORMAL = fixture("fio/fio-3.33--libaio.txt")
_TERSE = fixture("fio/fio-3.33--terse-v3.terse")
_DISK = fixture("crystaldiskmark/crystaldiskmark-8.0.4--mix_nvme.txt")
_SECTION = "Results for timespan 1:\n*******************************************************\n"
_THREAD = _SPAN[_SPAN.index("     0 |") : _SPAN.index("     0 |") + 120].split("\n")[0] + "\n"
_IOPS = _XML.index("<Iops")
_BUCKET = '<Bucket SampleMillisecond="1000" Read="1" Write="1" Total="2"/>\n'
_ALL = _XML[: _XML.index("<TimeSpan>", _XML.index("</Profile>"))]


def _before(whole: str, mark: str) -> str:
    return whole[: whole.index(mark)]


def _files(name: str, unit: str, beside: str = "", *, each: bool = False) -> Callable[..., Path]:
    """Make many small files, and beside all of them, or each, a job file."""

    def make(folder: Path, size: int) -> Path:
        for number in range(max(1, size // len(unit))):
            stem, _, suffix = name.partition(".")
            (folder / f"{stem}-{number:06d}.{suffix}").write_text(unit, newline="")
            if beside and (each or not number):
                (folder / f"{stem}-{number:06d}.fio").write_text(beside, newline="")
        return folder

    return make


def _one_line_log(folder: Path, size: int) -> Path:
    path = folder / "x_clat_hist.1.log"
    path.write_text("1, 0, 4096" + ", 0" * (size // 3) + "\n")
    return path


_DOCUMENTS = [
    # JSON of fio
    ("open braces", "fio_json", text("{", file="x.json")),
    ("open jobs", "fio_json", text('{"jobs": [', file="x.json")),
    ("small documents", "fio_json", text('{"fio version": "fio-3.33", "jobs": []}\n')),
    ("whole documents, never closed", "fio_json", text(_JSON.rstrip().rstrip("}"))),
    ("words before each", "fio_json", text("fio: a warning {\n" + _JSON)),
    ("a document among braces", "fio_json", text("{\n", head=_JSON)),
    ("braces, then a document", "fio_json", text("{\n", tail=_JSON)),
    ("a long string", "fio_json", text("a{", '{"fio version": "', '", "jobs": []}')),
    ("a string of quotation marks", "fio_json", text('\\"', '{"fio version": "', '", "jobs": []}')),
    ("many keys alike", "fio_json", text('"jobs": [], ', '{"fio version": "f", ', '"a": 1}')),
    ("many options", "fio_json", text(
        lambda n: f'"o{n:09d}": "1",\n', '{"fio version": "fio-3.33", "global options": {',
        '"z": "1"}, "jobs": []}')),
    ("one histogram of many bins", "fio_json", text(
        lambda n: f'"{n:09d}": 1, ', _PLUS + "{", '"999999999": 1}}}}]}', file="x.json")),
    ("bins never closed", "fio_json", text(lambda n: f'"{n:09d}": 1, ', _PLUS + "{")),
    ("bins opened again and again", "fio_json", text('{"bins" : {\n"1" : 2', _PLUS)),
    ("long digits", "fio_json", text("9", _PLUS + '{"', '": 1}}}}]}')),
    ("empty jobs", "fio_json", text("{}, ", '{"fio version": "fio-3.33", "jobs": [', "{}]}")),
    ("UTF-16", "fio_json", text(_JSON, encoding="utf-16")),
    ("marks of UTF-8", "fio_json", text("\ufeff" + _JSON)),
    ("carriage returns", "fio_json", text(_JSON.replace("\n", "\r"))),
    # XML of DISKSPD
    ("open elements", "diskspd_xml", text("<TimeSpan>", head="<Results>")),
    ("empty timespans", "diskspd_xml", text("<TimeSpan/>", _before(_XML, "<TimeSpan>"))),
    ("buckets never closed", "diskspd_xml", text(_BUCKET, _XML[:_IOPS] + "<Iops>\n")),
    ("buckets cut short", "diskspd_xml", text("<Bucket ", _XML[:_IOPS] + "<Iops>\n")),
    ("an endless attribute", "diskspd_xml", text("1", _XML[:_IOPS] + '<Iops><Bucket Read="')),
    ("buckets of one attribute", "diskspd_xml", text(
        '<Bucket SampleMillisecond="1"/>', _XML[:_IOPS] + "<Iops>\n", _XML[_IOPS:])),
    ("results one after another", "diskspd_xml", text(_XML.rstrip() + "\n")),
    ("results never closed", "diskspd_xml", text(_before(_XML, "</Results>"))),
    ("results, text between", "diskspd_xml", text("WARNING: a < b & c\n" + _XML)),
    ("ampersands", "diskspd_xml", text(
        "a & b ", _XML.partition("<ComputerName>")[0] + "<ComputerName>",
        "</ComputerName>" + _XML.partition("</ComputerName>")[2])),
    ("comments", "diskspd_xml", text("<!-- -- -->", "<Results>", "</Results>")),
    ("comments never closed", "diskspd_xml", text("<!--", "<Results>")),
    ("UTF-16", "diskspd_xml", text(_XML.rstrip() + "\n", encoding="utf-16")),
]  # fmt: skip
_TEXTS = [
    # text of DISKSPD
    ("many threads", "diskspd_text", text(_THREAD, _before(_SPAN, _THREAD), "\n")),
    ("timespans of nothing", "diskspd_text", text(_SECTION, _before(_SPAN, "Results for"))),
    ("commands alone", "diskspd_text", text("Command Line: diskspd -d1 x\n\nInput parameters:\n")),
    ("tables cut short", "diskspd_text", text("Total IO\nthread |       bytes\n", _SPAN)),
    ("runs cut in the middle", "diskspd_text", text(_SPAN[: len(_SPAN) // 2])),
    ("bars on one line", "diskspd_text", text("1 | ", _SPAN)),
    ("blank lines within a table", "diskspd_text", text("\r\n ", _before(_SPAN, _THREAD), _THREAD)),
    # reports of fio
    ("jobs in one group", "fio_normal", text(
        lambda n: f"j: (groupid=0, jobs=1): err= 0: pid={n:08d}: now\n  read: IOPS=1, BW=1KiB/s "
        "(1kB/s)(4KiB/1msec)\n")),
    ("headers without the rest", "fio_normal", text("a: (groupid=0, jobs=1): err=\n", _NORMAL)),
    ("parentheses", "fio_normal", text("(groupid=0, jobs=1", _NORMAL)),
    ("percentiles without end", "fio_normal", text(
        "     |  1.00th=[    4],", _before(_NORMAL, "     |  1.00th"))),
    ("names of jobs", "fio_normal", text("a: ", tail="(groupid=0, jobs=1): err= 0: pid=1:\n")),
    ("group statuses", "fio_normal", text(
        "Run status group 0 (all jobs):\n   READ: bw=1\n", _NORMAL)),
    ("definitions of jobs", "fio_normal", text(
        "x: (g=0): rw=read, bs=4K-4K/4K-4K, ioengine=sync, iodepth=1\n", tail=_NORMAL)),
    ("progress that looks like a report", "fio_normal", text(
        "Jobs: 1 (f=1): x: (groupid=0, jobs=1): err=z\n", tail=_NORMAL)),
    ("status intervals", "fio_normal", text(
        "Jobs: 1 (f=1): [r(1)][50.0%][r=1KiB/s]\r", tail=_NORMAL)),
    ("lines without a head", "fio_normal", text(
        "  read: IOPS=1, BW=1KiB/s (1kB/s)(4KiB/1msec)\nx\n")),
    ("lines that only begin like one", "fio_normal", text("  read: IOPS=1\n", tail=_NORMAL)),
    ("summaries without a head", "fio_normal", text(
        "  READ: bw=1\nRun status group 0 (all jobs):\n")),
    ("lines that are not fio's", "fio_normal", text(
        "a: (groupid=0, jobs=1): err= 0: pid=1: now\n" + "[ 12.3] x\n" * 50)),
    ("lines that are not fio's between its own", "fio_normal", text(
        lambda n: f"x\n     lat (usec) : {2 + 2 * (n % 2)}=0.01%\n",
        "a: (groupid=0, jobs=1): err= 0: pid=1: now\n")),
    ("marks of Markdown", "fio_normal", text("**a _b `c ", _NORMAL)),
    # terse
    ("semicolons on one line", "fio_terse", text(";0", "3;fio-3.33;j;0;0")),
    ("lines cut short", "fio_terse", text(_TERSE[: len(_TERSE) // 2] + "\n")),
    ("lines joined", "fio_terse", text(_TERSE.replace("\n", ""))),
    ("versions alone", "fio_terse", text("3;fio-3.33;a;0;0\n")),
    ("returns", "fio_terse", text("2;\r")),
    ("entries cut short by returns", "fio_terse", text("x\r3;fio-3.33;\r", tail="2;\n")),
    ("many disks", "fio_terse", text(";sda;0;0;0;0;0;0;0;0.00%", _TERSE.rstrip())),
    # CrystalDiskMark
    ("rows without a head", "crystaldiskmark", text("  SEQ    1MiB (Q=  8, T= 1):  1.000 MB/s\n")),
    ("heads without rows", "crystaldiskmark", text(_before(_DISK, "[Read]"))),
    ("rows without end", "crystaldiskmark", text(
        "  SEQ    1MiB (Q=  8, T= 1):  7427.749 MB/s [   7083.7 IOPS] <  1112.42 us>\n",
        _before(_DISK, "[Write]"))),
    ("queues", "crystaldiskmark", text("(Q= 32,", _DISK)),
    ("dashes", "crystaldiskmark", text("-----", tail="\n" + _DISK)),
    # dd and time
    ("the same report", "dd", text("1+0 records in\n1+0 records out\n"
                                   "512 bytes copied, 0.000123 s, 4.2 MB/s\n")),
    ("records in, never out", "dd", text("1+0 records in\n")),
    ("reports of two at once", "dd", text("1+0 records in\n2+0 records in\n1+0 records out\n"
                                          "2+0 records out\n")),
    ("progress without end", "dd", text("\r1048576 bytes (1.0 MB, 1.0 MiB) copied, 1 s, 1.0 MB/s")),
    ("progress on lines", "dd", text("1048576 bytes (1.0 MB, 1.0 MiB) copied, 1 s, 1.0 MB/s\n")),
    ("pluses", "dd", text("1+0 ")),
    ("errors", "dd", text("dd: error reading '/dev/sda': Input/output error\n1+0 records in\n")),
    ("digits and a plus", "dd", text("1" * 50 + "+")),
    ("real alone", "time", text("real\t0m1.000s\n")),
    ("real without a number", "time", text("\nreal\t\nuser\t\nsys\t")),
    ("verbose, cut short", "time", text(
        '\tCommand being timed: "x"\n\tUser time (seconds): 1.00\n')),
    ("user and system", "time", text("1.00user 1.00system ")),
    ("elapsed", "time", text("0:01.00elapsed 99%CPU ")),
    ("the same times", "time", text("\nreal\t0m1.234s\nuser\t0m0.567s\nsys\t0m0.089s\n")),
    # hyperfine
    ("results never closed", "hyperfine", text('{"command": "a", "mean": 1, "times": [1]}, ',
                                               '{"results": [', file="x.json")),
    ("one command of many times", "hyperfine", text(
        "0.125, ", '{"results": [{"command": "a", "mean": 0.125, "times": [', "0.125]}]}",
        file="x.json")),
    ("many parameters", "hyperfine", text(
        lambda n: f'"p{n:08d}": "1", ',
        '{"results": [{"command": "a", "mean": 1, "times": [1], "parameters": {', '"z": "1"}}]}',
        file="x.json")),
    ("rows of CSV", "hyperfine", text(
        "a,1,0,1,1,0,1,1\n", "command,mean,stddev,median,user,system,min,max\n", file="x.csv")),
    ("measurements never closed", "hyperfine", text(
        '{"time_wall_clock": {"value": 1, "unit": "second"}}, ',
        '{"schema_version": 2, "metadata": {"hyperfine_version": "2.0.0"}, "results": [{"command":'
        ' "a", "measurements": [', file="x.json")),
    ("benchmarks without times", "hyperfine", text("Benchmark 1: a\n\n")),
    ("times without a command", "hyperfine", text("  Time (mean ± σ):  1.0 ms ±  0.1 ms\n")),
    ("rows of a table", "hyperfine", text(
        "| `a` | 1.0 ± 0.1 |\n", "| Command | Mean [ms] |\n|:---|---:|\n")),
    # transcripts
    ("prompts", "transcript", text("user@host:~$ \n")),
    ("commands that end in a backslash", "transcript", text("$ time dd if=a \\\n")),
    ("commands without reports", "transcript", text("$ time dd if=/dev/zero of=x\n")),
    ("fences", "transcript", text("```\n$ dd if=a of=b\n1+0 records in\n")),
    ("prose between reports", "transcript", text(
        "Then I tried again.\n\n1+0 records in\n1+0 records out\n512 bytes copied, 1 s, 1 kB/s\n")),
    ("heredocs", "transcript", text("$ cat <<EOF > a\n")),
    ("quotes never closed", "transcript", text("$ dd if='a of=b\n")),
    ("semicolons", "transcript", text("dd if=a of=b; ", "$ ")),
    ("pipes", "transcript", text("| dd of=b ", "$ dd if=a ")),
    ("assignments", "transcript", text("A=1 ", "$ ", "dd if=a of=b\n1+0 records in\n")),
    ("loops", "transcript", text("$ for i in 1 2; do dd if=a of=b; done\n1+0 records in\n")),
    ("lsblk", "transcript", text(
        "$ lsblk\nNAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINTS\nsda 8:0 0 1G 0 disk\n")),
    ("free", "transcript", text("$ free -h\n       total  used\nMem:  1Gi  1Gi\n")),
    ("job files on screen", "transcript", text("$ cat a.fio\n[job]\nrw=read\n$ fio a.fio\n")),
    ("colours", "transcript", text("\x1b[1;32muser@host\x1b[0m:~$ ls\n")),
    ("backspaces", "transcript", text("a\b", "$ dd if=a of=b\n1+0 records in\n")),
    ("HTML", "transcript", text("<p>$ dd if=a of=b<br>1+0 records in</p>\n")),
    ("strings in JSON", "transcript", text(
        lambda n: f'"1+0 records in\\n1+0 records out\\n{n:09d} bytes copied, 1 s, 1 B/s", ',
        '{"stderr": [', '"x"]}')),
    ("one line folded by a mailer", "transcript", text("x" * 75 + "=\n", "if=3D/dev/zero =\n")),
    ("quoted mail", "transcript", text("> 1+0 records in\n> 1+0 records out\n> 5 bytes copied\n")),
    ("PowerShell", "transcript", text(
        "dd.exe : 1+0 records in\nAt line:1 char:1\n+ NativeCommandError\n")),
]  # fmt: skip
_LOGS = [
    ("one endless line", "fio_log", text("7", file="x_lat.1.log")),
    ("commas", "fio_log", text(", ", "1, 2, 0, 4096", file="x_lat.1.log")),
    ("the same time", "fio_log", text("1, 2, 0, 4096, 0\n", file="x_lat.1.log")),
    ("time that runs back", "fio_log", text(
        lambda n: f"{10**9 - n}, 2, 0, 4096, 0\n", file="x_lat.1.log")),
    ("rows of other lengths", "fio_log", text(
        "1, 2, 0, 4096, 0\n1, 2, 0\n", file="x_lat.1.log")),
    ("rows that are none", "fio_log", text("1, 2, 0, 4096, 0\nx\n", file="x_lat.1.log")),
    ("returns", "fio_log", text("1, 2, 0, 4096, 0\r", file="x_lat.1.log")),
    ("long digits", "fio_log", text("1, " + "9" * 300 + ", 0, 4096, 0\n", file="x_lat.1.log")),
    ("directions by turns", "fio_log", text(
        "1, 2, 0, 4096, 0\n1, 2, 1, 4096, 0\n1, 2, 2, 512, 0\n", file="x_bw.1.log")),
    ("one endless line", "fio_hist_log", _one_line_log),
    ("rows too short", "fio_hist_log", text(
        f"1, 0, 4096{', 0' * 1000}\n", file="x_clat_hist.1.log")),
    ("all bins full", "fio_hist_log", text(
        f"1, 0, 4096{', 7' * 1856}\n", file="x_clat_hist.1.log")),
    ("all bins empty", "fio_hist_log", text(
        f"1, 0, 4096{', 0' * 1856}\n", file="x_clat_hist.1.log")),
]  # fmt: skip
_FOLDERS = [
    ("files beside their job files", "fio_terse", _files(
        "x.terse", _TERSE, "[mix]\nrw=rw\nbs=8k\n", each=True)),
    ("files beside one job file", "fio_terse", _files("x.terse", _TERSE, "[mix]\nrw=rw\nbs=8k\n")),
    ("the same file", "fio_json", _files("x.json", _JSON)),
    ("the same file", "dd", _files("x.txt", "1+0 records in\n1+0 records out\n"
                                            "512 bytes copied, 0.000123 s, 4.2 MB/s\n")),
    ("files that are none", "transcript", _files("x.txt", "nothing that any tool printed\n")),
    ("logs", "fio_log", _files("x_lat.log", "1, 2, 0, 4096, 0\n" * 10)),
]  # fmt: skip

HOSTILE = [Growing(*one) for one in (*_DOCUMENTS, *_TEXTS, *_LOGS, *_FOLDERS)]
HOSTILE += [Growing(name, "any", text(unit)) for name, unit in REPEATED.items()]
