"""What stands before all lines of an output changes no number of it, or is told.

A text is read as it stands: something is taken off only if more is read without it.
"""

import time

import pytest

import fiotools as ft
from fiotools.readers import opened

DD = "2+0 records in\n2+0 records out\n2097152 bytes (2.1 MB, 2.0 MiB) copied, 0.500321 s, 4.2 MB/s\n"
TIME = "\nreal\t0m0.600s\nuser\t0m0.100s\nsys\t0m0.200s\n"
COMMAND = "time dd if=/dev/zero of=x bs=1M count=2"
SESSION = f"me@box:~$ {COMMAND}\n{DD}{TIME}"
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

# what the line with a number begins with
PREFIXES = {
    "syslog": "May  1 12:00:0{s} box bench[123]: ",
    "docker": "2024-05-01T12:00:0{s}.123456789Z ",
    "docker compose": "app-1  | ",
    "containerd": "2024-05-01T12:00:0{s}.123456789Z stderr F ",
    "kubectl": "[pod/bench-x7/bench] ",
    "ISO": "2024-05-01 12:00:0{s} ",
    "brackets": "[2024-05-01T12:00:0{s}.123Z] ",
    "GitLab": "2026-11-22T14:09:0{s}.123456Z 01O ",
    "ts": "May 01 12:00:0{s} ",
    "ts -s": "00:00:0{s} ",
    "dmesg": "[   12.34567{s}] ",
    "cat -n": "     {i}\t",
    "grep -n": "{i}:",
    "grep": "run.log:",
    "grep -n -A": "run.log-{i}-",
    "grep -A": "run.txt-",
    "grep -nA": "{i}-",
    "a mail": "> ",
    "Buildkite": "\x1b_bk;t=171456000{s}123\x07",
}
OTHERS = {
    "klog": "I0501 12:00:0{s}.123456       1 main.go:42] ",
    "logging": "2024-05-01 12:00:0{s},123 - root - INFO - ",
    "Go": "2024/05/01 12:00:0{s} ",
    "pdsh": "n1: ",
    "mpirun": "[1,0]<stderr>:",
    "ts %.s": "171456000{s}.123456 ",
    "nl": "{i} ",
    "a host, glued": "n1:",
    "who said it": "me> ",
    "terraform": "null_resource.bench (remote-exec): ",
    "AWS": "bench/fio/0123456789abcdef 2026-11-22T14:09:0{s}.123Z ",
    "a list": "- ",
    "a numbered list": "{i}. ",
    "pytest": "E   ",
    "a comment of SQL": "-- ",
}


def prefixed(text, prefix, behind=""):
    return "".join(
        prefix.format(i=i, s=i % 10) + line + behind + "\n"
        for i, line in enumerate(text.splitlines(), 1)
    )


TEXTS = {"session": SESSION, "dd": DD, "time": TIME[1:], "fio": FIO, "two of dd": DD + DD}


def numbers(results):
    """List what was read, without the columns that a prefix may rightly add to."""
    extras = results.extras[results.extras["path"] != "source"]
    return [
        frame.drop(columns=["source", "host"], errors="ignore").to_csv(index=False)
        for frame in (results.io, results.timings, results.percentiles, results.samples, extras)
    ]


def warnings(results):
    return (results.notes["severity"] != "info").sum()


@pytest.mark.parametrize("name", PREFIXES)
@pytest.mark.parametrize("text", TEXTS)
def test_a_prefix_changes_no_number(name, text):
    plain, results = ft.reads(TEXTS[text]), ft.reads(prefixed(TEXTS[text], PREFIXES[name]))
    assert numbers(results) == numbers(plain)
    assert warnings(results) == warnings(plain)


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("text", TEXTS)
def test_another_prefix_changes_no_number_or_is_told(name, text):
    plain = ft.reads(TEXTS[text])
    try:
        results = ft.reads(prefixed(TEXTS[text], OTHERS[name]))
    except ft.FileError:
        return
    assert numbers(results) == numbers(plain) or "unread" in set(results.notes["code"])


@pytest.mark.parametrize(
    "text",
    [
        "812.31user 46.06system 1:50:33elapsed 12%CPU (0avgtext+0avgdata 3360maxresident)k\n"
        "100inputs+200outputs (0major+365minor)pagefaults 0swaps\n",
        "1:00.07 real,0.00 user,0.02 sys\n" * 3,
        "shell  0.00s user 0.00s system 338% cpu 0.001 total\n"
        "children  0.00s user 0.00s system 0% cpu 0.001 total\n",
        *(
            FIO.replace("job:", f"{name}:")
            for name in ("hot:randread", "4k:randread", "nvme0n1:seq", "test.txt:1", "A:B:C", "1")
        ),
        FIO.replace("job:", "t=0:read:"),
        f"$ dd if=a of=b\n> bs=1M\n> count=2\n{DD}",
        f"me@box:~$ cd /mnt\nme@box:/mnt$ dd\n{DD}me@box:/mnt$ dd\n{DD}",
        "".join(f"seq-read-{i}: (groupid=0, jobs=1): err= 0: pid={i}\n" for i in (10, 10, 10)),
        "dd: error writing 'a': No space left on device\ndd: closing 'a': Input/output error\n"
        + DD,
        "100000 bytes (100 kB, 98 KiB) copied, 1 s, 100 kB/s\n" * 2,
        "Jobs: 1 (f=1): [m(1)][eta 00m:00s]mix: (groupid=0, jobs=1): err= 0: pid=1\n",
        "| tool | speed |\n|---|---|\n| dd | 2+0 records in, 4.2 MB/s |\n| cp | 3 MB/s |\n",
    ],
    ids=lambda text: text[:20],
)
def test_a_clean_text_is_left_alone(text):
    document = opened("x", text)
    assert document.text == text
    assert document.notes == []


def test_the_jobs_of_a_report_keep_their_names():
    names = ["hot:randread", "cold:randread"]
    report = FIO.partition("fio-3.33\n")[2]
    parts = [report.partition("\n\n")[2].replace("job:", f"{name}:") for name in names]
    results = ft.reads("".join(f"{part}\n" for part in parts))
    assert results.io["job"].tolist() == names


def test_gnu_time_of_an_hour_keeps_its_hours():
    line = "812.31user 46.06system 1:50:33elapsed 12%CPU (0avgtext+0avgdata 3360maxresident)k\n"
    results = ft.reads(DD + line)
    assert results.timings[["real_s", "user_s"]].to_numpy().tolist() == [[6633.0, 812.31]]
    assert results.notes.empty


def test_lines_of_the_kernel_in_a_log_of_the_system():
    lines = prefixed(DD, PREFIXES["syslog"]).splitlines()
    lines.insert(2, "May  1 12:00:02 box kernel: usb 1-1: reset high-speed USB device")
    results = ft.reads("\n".join(lines) + "\n")
    assert results.io["io_bytes"].tolist() == [2097152]
    assert results.extras.query("path == 'records_out'")["text"].tolist() == ["2+0"]


def test_grep_shows_one_line_of_each_file():
    text = "".join(f"{name}.log:{DD.splitlines()[2]}\n" for name in ("a", "b", "c"))
    results = ft.reads(text)
    assert results.io["io_bytes"].tolist() == [2097152] * 3
    assert results.io["runtime_s"].tolist() == [0.500321] * 3


@pytest.mark.parametrize("prefix", ["log:", "log:3:", "x", "log.", "log,", "12:", "a1:b2:"])
def test_no_part_of_a_size_is_taken_for_the_bytes(prefix):
    text = DD.replace("2097152", prefix + "536870912").replace("2.1 MB, 2.0 MiB", "537 MB, 512 MiB")
    found = ft.reads(text).io["io_bytes"].tolist()
    assert found in ([], [536870912])


def test_a_prefix_of_some_lines_is_told():
    lines = FIO.splitlines()
    text = "\n".join([*lines[:6], "[12:00:00] " + lines[6], *lines[7:]])
    results = ft.reads(text)
    assert results.notes["severity"].eq("warning").sum() > warnings(ft.reads(FIO))


@pytest.mark.parametrize("line", ["n{i}: x", "{i}: x", "2024-05-01 12:00:00 x", '"x', "| x", "a-b"])
def test_prefixes_take_linear_time(line):
    def spent(count):
        text = "".join(line.format(i=i) + " 2+0 records in\n" for i in range(count))
        begin = time.process_time()
        opened("x", text)
        return time.process_time() - begin

    spent(100)
    # twenty times the lines, and far from four hundred times the time
    assert spent(10_000) < 100 * spent(500) + 0.5
