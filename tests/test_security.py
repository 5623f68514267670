"""Nothing in a file may run, open another file, or take more than its share of memory or time.

Each hostile text repeats what some grammar looks for. Read in time that grows with the square of
its length, any of them takes hours; the guard ends a test after minutes.
"""

import contextlib
import os
import signal
import subprocess
import sys

import pytest

import fiotools as ft

MEGABYTE = 2**20
LONG = MEGABYTE // 2
REPEATED = {
    "letters": "a",
    "digits": "1",
    "spaces": " ",
    "newlines": "\n",
    "lines of a blank": "\r\n ",
    "returns": "\r",
    "tabs": "x\t",
    "records on one line": "1+1 records in ",
    "records on lines": "0+0 records in\n",
    "bytes copied": "512 bytes (512 B) copied, 1 s, ",
    "progress": "\r15794176 bytes (16 MB, 15 MiB) copied, 1 s, 15.7 MB/s",
    "real": "real\t",
    "times": "real\t0m1.0s\n",
    "zsh": "0.00s user ",
    "gnu time": "0.00user 0.02system ",
    "prompts": "user@host:~$ ",
    "commands": "$ time dd if=a of=b\n",
    "continued commands": "$ dd \\\n",
    "fences": "```\n",
    "quotes": "> ",
    "escapes": "\x1b[",
    "entities": "&amp;",
    "tags": "<br>",
    "soft breaks": "=\n",
    "open objects": '{"a":',
    "open lists": "[",
    "braces": "{",
    "objects": "{}",
    "small documents": '{"fio version": "fio-3.33"}\n',
    "backslashes": "\\",
    "quotation marks": '{"',
    "elements": "<a>",
    "results": "<Results>",
    "ampersands": "<Results>&",
    "doctypes": "<!DOCTYPE a [",
    "semicolons": ";",
    "terse": "3;fio-3.33;",
    "log": "1, 2, 3, 4\n",
    "commas": "1,",
    "bars": "|",
    "tables": "thread | bytes |",
    "totals": "total: | 1 | 1 |\n",
    "timespans": "Results for timespan 1:\n",
    "jobs": "a: (groupid=0, jobs=1): err= 0: pid=1:\n",
    "rates": "  read: IOPS=1, BW=1KiB/s",
    "latencies": "    clat (usec): min=1,\n",
    "percentiles": "    clat percentiles (usec):\n",
    "clients": "<host> ",
    "crystaldiskmark": "(Q= 1,T= 1) : ",
    "crystaldiskmark rows": "SEQ    1MiB (Q=  8, T= 1):\n",
    "hyperfine": '{"results": [',
    "hyperfine 2": '{"metadata": {"hyperfine_version": ',
    "hyperfine in a terminal": "Benchmark 1: a\n",
    "hyperfine's times": "  Time (mean ± σ):  1.0 ms ±  0.1 ms\n",
    "hyperfine's tables": "| Command | Mean [ms] |\n",
    "hyperfine's metrics": "Benchmark 1: a (3 runs)\nmean ± σ min … max\n",
}


@contextlib.contextmanager
def guard(seconds=300):
    """End a test that would run for hours: by what the processor did, however busy it is."""

    def stop(number, frame):
        pytest.fail(f"not done after {seconds} s: more than linear time")

    if not hasattr(signal, "SIGPROF"):  # Windows: the test would hang instead
        yield
        return
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@pytest.mark.parametrize("text", REPEATED.values(), ids=REPEATED)
def test_repeated(text):
    with guard(), contextlib.suppress(ft.FileError):
        ft.reads(text * (LONG // len(text)), name="x.txt")


def deep(opened):
    closed = "".join({"[": "]", "{": "}"}.get(c, "") for c in reversed(opened))
    return opened * 100_000 + "1" + closed * 100_000


DEEP = ['{"jobs":[', "[", '{"jobs":', '{"results":[']
REFUSED = {
    "terse entries on one line": "x\r3;fio-3.33;\r" * (MEGABYTE // 14) + "2;\n",
    **{f"deep {start}": deep(start) for start in DEEP},
    "xml of many levels": "<Results>" + "<a>" * 200_000 + "</a>" * 200_000 + "</Results>",
    "xml attribute": f'<Results><System a="{"x" * 20 * MEGABYTE}"/></Results>',
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_a_hostile_document_is_refused(text):
    with guard(), pytest.raises(ft.FileError):
        ft.reads(text)


@pytest.mark.parametrize("name", ["x_lat.1.log", "x_clat_hist.1.log", "x.fio", "x.csv", "x.json"])
@pytest.mark.parametrize("text", ["1, ", "1, 2, 3, 4\n", "[a]\n", "a,", "\n"])
def test_repeated_in_a_file_of_a_name(name, text):
    with guard(), contextlib.suppress(ft.FileError):
        ft.reads(text * (LONG // len(text)), name=name)


MEASURED = """
import resource, sys
import fiotools as ft
ft.reads("1+0 records in\\n1+0 records out\\n")  # what every reading needs
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    ft.read(sys.argv[1])
except ft.FileError as error:
    print(str(error)[:200])
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is counted otherwise elsewhere")
@pytest.mark.parametrize("start", ["{", "<Results>", "1, 2, 3, "], ids=repr)
def test_a_line_of_20_megabytes(tmp_path, start):
    path = tmp_path / "x_lat.1.log"
    size = 20 * 10**6
    path.write_text(start + "7" * size)
    command = [sys.executable, "-c", MEASURED, path.as_posix()]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    *error, taken = said.stdout.split("\n")[:-1]
    path.unlink()
    assert error
    assert int(taken) < 8 * size


BOMB = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
XML = {
    "billion laughs": f'<!DOCTYPE r [<!ENTITY e0 "ha">{BOMB}]><Results><System>&e9;</System></Results>',
    "quadratic blow-up": f'<!DOCTYPE r [<!ENTITY a "{"a" * 50_000}">]><Results>{"&a;" * 50_000}</Results>',
    "external entity": '<!DOCTYPE r [<!ENTITY a SYSTEM "{secret}">]><Results><System><ComputerName>&a;</ComputerName></System></Results>',
    "external subset": '<!DOCTYPE r SYSTEM "{secret}"><Results></Results>',
    "parameter entity": '<!DOCTYPE r [<!ENTITY % a SYSTEM "{secret}"> %a;]><Results></Results>',
    "xinclude": '<Results xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include parse="text" href="{secret}"/></Results>',
}


@pytest.mark.parametrize("text", XML.values(), ids=XML)
def test_xml_opens_and_expands_nothing(tmp_path, monkeypatch, text):
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    path = tmp_path / "x.xml"
    path.write_text(text.replace("{secret}", secret.as_uri()))
    opened = []
    for name, really in (("builtins.open", open), ("os.open", os.open)):
        monkeypatch.setattr(
            name, lambda at, *a, really=really, **k: opened.append(at) or really(at, *a, **k)
        )
    with guard(), pytest.raises(ft.FileError) as raised:
        ft.read(path)
    assert "secret" not in raised.value.reason
    assert [at for at in opened if str(at).startswith(str(tmp_path))] == [path.as_posix()]
