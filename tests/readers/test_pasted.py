"""Text that was pasted, mailed, published or recorded reads like the one that it was made of.

A text is read as it stands: something is taken off only if more is read without it.
"""

import html
import json
import quopri
from contextlib import suppress

import pytest

import fiotools as ft
from fiotools.errors import UnknownFormatError
from fiotools.readers import opened
from tests.mutations import TAKEN_OFF, before
from tests.readers.outputs import DD, TIME, edited, values
from tests.test_security import guard

COMMAND = "time dd if=/dev/zero of=x bs=1M count=2"
SESSION = f"me@box:~$ {COMMAND}\n{DD}{TIME}"


def mailed(text):
    return quopri.encodestring(text.encode()).decode()


DAMAGE = {
    "script": "\x1b]0;me@box: ~\x07\x1b[?2004h" + SESSION.replace("\n", "\r\r\n"),
    "colours": SESSION.replace("me@box", "\x1b[01;32mme@box\x1b[00m").replace(
        "copied", "\x1b[01;31m\x1b[Kcopied\x1b[m\x1b[K"
    ),
    "no-break spaces": SESSION.replace(" bytes", "\xa0bytes").replace(" s,", "\u202fs,"),
    "quoted": "On Monday you wrote:\n\n" + "".join(f"> {x}\n" for x in SESSION.splitlines()),
    "indented": "".join(f"    {x}\n" for x in SESSION.splitlines()),
    "mailed": mailed(SESSION),
    "mailed, folded": mailed(SESSION).replace(" bs=3D", " =\nbs=3D"),
}
# what is not undone: refused, or told
CODED = {
    "tags": "<p>" + SESSION.replace("\n", "<br />\n") + "</p>\n",
    "pre": f'<pre class="sh"><code>{SESSION}</code></pre>\n',
    "numeric entities": SESSION.replace(" ", "&#32;").replace("/", "&#x2F;"),
    "mailed in part": f"{mailed(SESSION)}a=b\n",
    "two letters": SESSION.replace("\n", r"\n").replace("\t", r"\t"),
    "ansible": 'ok: [box] => {\n    "msg": ' + json.dumps(SESSION) + "\n}\n",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_session_survives(damage):
    results = ft.reads(DAMAGE[damage])
    assert values(results.io, "direction", "io_bytes", "runtime_s") == [("write", 2097152, 0.5)]
    assert values(results.timings, "run", "real_s") == [(1, 0.6)]
    assert results.runs["command"].str.removesuffix(" 2>&1").tolist() == [COMMAND]
    assert results.notes["severity"].eq("info").all()


@pytest.mark.parametrize("code", CODED)
def test_a_text_in_a_code_is_refused_or_told(code):
    with suppress(UnknownFormatError):
        assert ft.reads(CODED[code]).notes["severity"].eq("warning").any()


def test_a_code_within_a_report_is_told():
    text = edited("diskspd/diskspd-2.1--interrupted.txt")
    notes = ft.reads(html.escape(text)).notes
    assert notes["message"].str.startswith("this is HTML ('&#x27;')").sum() == 1
    assert not ft.reads(text).notes["message"].str.contains("HTML").any()


def test_dd_in_chinese_shows_the_code_page_of_its_bytes():
    old = "记录了2+0 的读入\n记录了2+0 的写出\n2097152字节(2.1 MB)已复制，0.5 秒，4.2 MB/秒\n"
    for report in (old, old.replace(" 秒，4.2 MB/秒", " s，4.2 MB/s")):
        data = f"# 固态盘\n$ dd if=/dev/zero of=/mnt/u盘/x bs=1M count=2\n{report}".encode("gbk")
        results = ft.reads(data)
        assert values(results.io, "io_bytes", "runtime_s") == [(2097152, 0.5)]
        assert results.runs["command"].str.contains("/mnt/u盘/x").all()
        assert results.notes["message"].str.contains("read as GB18030").sum() == 1
    # half of a letter at the end: not of this code page
    assert ft.reads(data + b"\xd7").notes["message"].str.contains("were replaced").any()


@pytest.mark.parametrize("between", ["", " / ", "; "])
def test_lines_of_a_timing_were_joined(between):
    results = ft.reads(between.join(TIME.split("\n")[1:4]) + "\n")
    assert values(results.timings, "real_s", "user_s", "sys_s") == [(0.6, 0.1, 0.2)]


def test_a_path_of_windows_is_not_an_end_of_line():
    text = r"C:\bench> dd if=D:\new\real of=nul 2>&1 | tee C:\new\test.log" + f"\n{DD}"
    assert ft.reads(text).runs["command"].str.contains(r"D:\new", regex=False).all()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"a<br>b<br>\n<p>c</p>\n{DD}", 3),
        (f"if=3D=\na\nb\n{DD}", 4),
    ],
)
def test_notes_name_the_line_of_the_file(text, line):
    wrong = text.replace("4.2 MB/s", "9.9 MB/s")
    assert wrong != text
    results = ft.reads(wrong)
    said = results.notes[results.notes["message"].str.contains("printed rate")]
    assert line <= said["line"].item() <= line + 2


def test_json_without_reports_is_unknown():
    with pytest.raises(UnknownFormatError, match="its top-level keys are a, b"):
        ft.reads('{"a": "some text", "b": ["of", "mine"]}')


@pytest.mark.parametrize(
    "piece",
    [
        *("\x1b[", "\x1b]", "a\b", "> ", "> x\n", "<br ", "</p", "&lt", "=3D", "if=3D=\n", '"a",'),
        *("\r\r", "n{i}: x 2+0 records in\n", "{i}: x\n", "2024-05-01 12:00:00 x\n", '"x\n'),
        *("| x\n", "a-b 2+0 records in\n"),
    ],
)
def test_repairs_take_linear_time(piece):
    with guard():
        opened("x", "".join(piece.format(i=i) for i in range(400_000 // len(piece))))


# What stands before all lines of an output, and what only looks like it.
FIO = """\
job: (g=0): rw=read, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1
fio-3.33
Starting 1 process

job: (groupid=0, jobs=1): err= 0: pid=1: Sat Nov 21 00:09:03 2026
  read: IOPS=1000, BW=4000KiB/s (4096kB/s)(3906KiB/1000msec)
    clat (usec): min=1, max=9, avg=5.00, stdev=1.00
    clat percentiles (usec):
     |  1.00th=[    2],  5.00th=[    3], 10.00th=[    4], 20.00th=[    5],
     | 99.99th=[    9]
"""

TEXTS = {"session": SESSION, "fio": FIO}


def numbers(results):
    """List what was read, without the columns that a prefix may rightly add to."""
    extras = results.extras[results.extras["path"] != "source"]
    return [
        frame.drop(columns=["source", "host"], errors="ignore").to_csv(index=False)
        for frame in (results.io, results.timings, results.percentiles, results.samples, extras)
    ]


def warnings(results):
    return (results.notes["severity"] != "info").sum()


@pytest.mark.parametrize("name", TAKEN_OFF)
@pytest.mark.parametrize("text", TEXTS)
def test_a_prefix_changes_no_number_and_needs_no_warning(name, text):
    plain, results = ft.reads(TEXTS[text]), ft.reads(before(TAKEN_OFF[name])(TEXTS[text]))
    assert numbers(results) == numbers(plain)
    assert warnings(results) == warnings(plain)


@pytest.mark.parametrize(
    "text",
    [
        SESSION,
        "# Results\n\n> one line quoted\n\n| a | b |\n|---|---|\n| 1 < 2 | &c |\n",
        "$ for i in 1 2 3\n> do\n> dd if=a of=b\n> done\n",
        "\r15794176 bytes (16 MB, 15 MiB) copied, 1 s, 14.9 MB/s\r31522816 bytes\n",
        "812.31user 46.06system 1:50:33elapsed 12%CPU (0avgtext+0avgdata 3360maxresident)k\n"
        "100inputs+200outputs (0major+365minor)pagefaults 0swaps\n",
        "1:00.07 real,0.00 user,0.02 sys\n" * 3,
        *(
            FIO.replace("job:", f"{name}:")
            for name in ("hot:randread", "4k:randread", "test.txt:1", "1")
        ),
        f"me@box:~$ cd /mnt\nme@box:/mnt$ dd\n{DD}me@box:/mnt$ dd\n{DD}",
        "".join(f"seq-read-{i}: (groupid=0, jobs=1): err= 0: pid={i}\n" for i in (10, 10, 10)),
        "100000 bytes (100 kB, 98 KiB) copied, 1 s, 100 kB/s\n" * 2,
        "Jobs: 1 (f=1): [m(1)][eta 00m:00s]mix: (groupid=0, jobs=1): err= 0: pid=1\n",
        "| tool | speed |\n|---|---|\n| dd | 2+0 records in, 4.2 MB/s |\n| cp | 3 MB/s |\n",
    ],
)
def test_a_clean_text_is_left_alone(text):
    document = opened("x", text)
    assert document.text == text
    assert document.notes == []


def test_lines_of_the_kernel_in_a_log_of_the_system():
    lines = before(TAKEN_OFF["syslog"])(DD).splitlines()
    lines.insert(2, "Nov 22 14:09:02 node1 kernel: usb 1-1: reset high-speed USB device")
    results = ft.reads("\n".join(lines) + "\n")
    assert results.io["io_bytes"].tolist() == [2097152]
    assert results.extras.query("path == 'records_out'")["text"].tolist() == ["2+0"]


def test_grep_shows_one_line_of_each_file():
    text = "".join(f"{name}.log:{DD.splitlines()[2]}\n" for name in ("a", "b", "c"))
    results = ft.reads(text)
    assert values(results.io, "io_bytes", "runtime_s") == [(2097152, 0.5)] * 3


@pytest.mark.parametrize("prefix", ["log:3:", "x", "log.", "12:"])
def test_no_part_of_a_size_is_taken_for_the_bytes(prefix):
    text = DD.replace("2097152", prefix + "536870912").replace("2.1 MB, 2.0 MiB", "537 MB, 512 MiB")
    found = ft.reads(text).io["io_bytes"].tolist()
    assert found in ([], [536870912])
