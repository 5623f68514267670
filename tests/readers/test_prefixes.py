"""What stands before all lines of an output changes no number of it, or is told.

A text is read as it stands: something is taken off only if more is read without it.
"""

import json
import time

import pytest

import fiotools as ft
from fiotools.readers import opened

DD = "2+0 records in\n2+0 records out\n2097152 bytes (2.1 MB, 2.0 MiB) copied, 0.500321 s, 4.2 MB/s\n"
TIME = "\nreal\t0m0.600s\nuser\t0m0.100s\nsys\t0m0.200s\n"
COMMAND = "time dd if=/dev/zero of=x bs=1M count=2"
SESSION = f"me@box:~$ {COMMAND}\n{DD}{TIME}"
PROGRESS = "\r1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.3 s, 3.5 MB/s"
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
    "syslog, precise": "2024-05-01T12:00:0{s}.123456+02:00 box bench: ",
    "syslog, RFC 5424": "<13>1 2024-05-01T12:00:0{s}.000Z box bench 123 - - ",
    "journald, milliseconds": "May 01 12:00:0{s}.123 box bench[123]: ",
    "docker": "2024-05-01T12:00:0{s}.123456789Z ",
    "docker compose": "app-1  | ",
    "docker compose with times": "app_1  | 2024-05-01T12:00:0{s}.123456789Z ",
    "containerd": "2024-05-01T12:00:0{s}.123456789Z stderr F ",
    "kubectl": "[pod/bench-x7/bench] ",
    "klog": "I0501 12:00:0{s}.123456       1 main.go:42] ",
    "GitHub Actions": "bench\tRun dd\t2024-05-01T12:00:0{s}.1234567Z ",
    "ISO": "2024-05-01 12:00:0{s} ",
    "brackets": "[2024-05-01T12:00:0{s}.123Z] ",
    "logging": "2024-05-01 12:00:0{s},123 - root - INFO - ",
    "level": "INFO:root:",
    "Go": "2024/05/01 12:00:0{s} ",
    "pdsh": "n1: ",
    "srun": "0: ",
    "mpirun": "[1,0]<stderr>:",
    "ts": "May 01 12:00:0{s} ",
    "ts -s": "00:00:0{s} ",
    "ts %.s": "171456000{s}.123456 ",
    "dmesg": "[   12.34567{s}] ",
    "cat -n": "     {i}\t",
    "nl": "{i} ",
    "grep -n": "{i}:",
    "pager": "  {i} | ",
    "grep": "run.log:",
    "grep -n of many": "logs/a b/run.log:{i}:",
    "grep -n -A": "run.log-{i}-",
    "grep on Windows": "C:\\logs\\run.log:{i}:",
    "a host, glued": "n1:",
    "who said it": "me> ",
    "a mail": "> ",
    "a border": "| ",
    "Buildkite": "\x1b_bk;t=171456000{s}123\x07",
    "containers of a pod": "bench-7f9 bench 2024-05-01T12:00:0{s}Z ",
    "an indented border": "    | ",
    "GitLab": "2026-11-22T14:09:0{s}.123456Z 01O ",
    "ts -i": "0.00000{s} ",
    "vagrant": "==> default: ",
    "terraform": "null_resource.bench (remote-exec): ",
    "AWS": "bench/fio/0123456789abcdef 2026-11-22T14:09:0{s}.123Z ",
    "grep -A": "run.txt-",
    "grep -nA": "{i}-",
    "a list": "- ",
    "a numbered list": "{i}. ",
    "pytest": "E   ",
    "a difference": "+",
    "a comment of SQL": "-- ",
    "a mail of a log": "> May 01 12:00:0{s} ",
}
AROUND = {
    "a cell": ("| ", " |"),
    "a frame": ("\u2502 ", "     \u2502"),
    "quotation marks": ('"', '"'),
    "a list": ("    '", "',"),
    "spans of code": ("`", "`"),
    "ends that are shown": ("", "$"),
    "bytes of Python": ("b'", r"\n'"),
}


def prefixed(text, prefix, behind=""):
    return "".join(
        prefix.format(i=i, s=i % 10) + line + behind + "\n"
        for i, line in enumerate(text.splitlines(), 1)
    )


WRAPPED = {name: lambda text, p=p: prefixed(text, p) for name, p in PREFIXES.items()} | {
    name: lambda text, p=p: prefixed(text, *p) for name, p in AROUND.items()
}
WRAPPED["trimmed"] = lambda text: "".join(f"n1: {x}".rstrip() + "\n" for x in text.splitlines())
WRAPPED["logfmt"] = lambda text: "".join(
    f'time="2024-05-01T12:00:00Z" level=info msg={json.dumps(x)}\n' for x in text.splitlines()
)
TEXTS = {"session": SESSION, "dd": DD, "time": TIME[1:], "fio": FIO, "two of dd": DD + DD}
TOLD = {("logfmt", "session"), ("logfmt", "time")}  # the tabs in it are two letters


def numbers(results):
    """List what was read, without the columns that a prefix may rightly add to."""
    extras = results.extras[results.extras["path"] != "source"]
    return [
        frame.drop(columns=["source", "host"], errors="ignore").to_csv(index=False)
        for frame in (results.io, results.timings, results.percentiles, results.samples, extras)
    ]


def warnings(results):
    return (results.notes["severity"] != "info").sum()


@pytest.mark.parametrize("name", WRAPPED)
@pytest.mark.parametrize("text", TEXTS)
def test_a_prefix_changes_no_number(name, text):
    plain = ft.reads(TEXTS[text])
    if (name, text) not in TOLD:
        results = ft.reads(WRAPPED[name](TEXTS[text]))
        assert numbers(results) == numbers(plain)
        assert warnings(results) == warnings(plain)
        return
    try:
        results = ft.reads(WRAPPED[name](TEXTS[text]))
    except ft.FileError:
        return
    assert numbers(results) != numbers(plain)  # if not, the case leaves the list
    assert warnings(results) > warnings(plain)


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


def test_robot_framework_logs_what_fio_prints():
    text = prefixed(FIO, "20240501 12:00:0{s}.123 :  INFO : ")
    results = ft.reads(text)
    assert numbers(results) == numbers(ft.reads(FIO))
    assert results.io["job"].tolist() == ["job"]


@pytest.mark.parametrize("prefix", ["2024-05-01T12:00:0{s}.123Z ", "app-1  | ", "[fio] ", "n1: "])
def test_a_document_of_json_behind_a_prefix(prefix):
    job = {"jobname": "a", "read": {"io_bytes": 4096, "total_ios": 1, "runtime": 1, "iops": 1000.0}}
    text = json.dumps({"fio version": "fio-3.33", "jobs": [job]}, indent=2)
    plain = ft.reads(text)
    assert numbers(ft.reads(prefixed(text, prefix))) == numbers(plain)
    assert plain.io["io_bytes"].tolist() == [4096]


def test_a_prefix_within_prose():
    text = f"It was slow.\n\n{prefixed(SESSION, PREFIXES['docker'])}\nThe end.\n"
    results = ft.reads(text)
    assert numbers(results) == numbers(ft.reads(SESSION))
    note = results.notes.iloc[0]
    assert (note["line"], note["severity"]) == (3, "info")
    assert note["message"] == (
        "what stands before 8 lines ('2024-05-01T12:00:01.123456789Z ') taken off"
    )
    assert [note.code for note in opened("x", text).notes] == ["repaired"]


def test_syslog_names_the_host():
    results = ft.reads(prefixed(DD, PREFIXES["syslog"]))
    assert results.runs["host"].tolist() == ["box"]
    assert results.extras.query("path == 'source'")["text"].tolist() == ["bench[123]"]


@pytest.mark.parametrize(
    "prefix",
    [
        "{}: ",
        "{}:",
        "[{}] ",
        "{}  | ",
        "May  1 12:00:00 {} dd[9]: ",
        "2024-05-01T12:00:00Z {} INFO ",
    ],
)
def test_the_lines_of_several_hosts_are_sorted(prefix):
    lines = (DD.replace("2097152", "4194304") + TIME).splitlines(), (DD + TIME).splitlines()
    text = "".join(
        prefix.format(host) + line + "\n"
        for pair in zip(*lines, strict=True)
        for host, line in zip(("n2", "n1"), pair, strict=True)
    )
    results = ft.reads(text)
    assert results.io["io_bytes"].tolist() == [4194304, 2097152]
    assert results.timings["run"].tolist() == [1, 2]
    assert results.timings["sys_s"].tolist() == [0.2, 0.2]
    assert results.notes["message"].str.contains("n2.* and .*n1.* put apart").any()
    if "dd[9]" in prefix:
        assert results.runs["host"].tolist() == ["n2", "n1"]


def test_lines_of_the_kernel_in_a_log_of_the_system():
    lines = prefixed(DD, PREFIXES["syslog"]).splitlines()
    lines.insert(2, "May  1 12:00:02 box kernel: usb 1-1: reset high-speed USB device")
    results = ft.reads("\n".join(lines) + "\n")
    assert results.io["io_bytes"].tolist() == [2097152]
    assert results.extras.query("path == 'records_out'")["text"].tolist() == ["2+0"]


def test_levels_do_not_sort_lines():
    levels = ["INFO", "WARNING", "INFO"]
    lines = zip(levels, DD.splitlines(), strict=True)
    text = "".join(f"12:00:00 {level} {line}\n" for level, line in lines)
    assert numbers(ft.reads(text)) == numbers(ft.reads(DD))


@pytest.mark.parametrize("inner", ["", "n1: "])
def test_progress_behind_a_prefix_is_not_a_run(inner):
    text = "n1: " + PROGRESS.replace("\r", f"\r{inner}") + "\n" + prefixed(DD, "n1: ")
    results = ft.reads(text)
    assert results.io["io_bytes"].tolist() == [2097152]
    assert results.samples["value"].tolist() == [1048576, 2097152]


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
