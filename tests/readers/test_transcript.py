"""Sessions: which lines are commands, and what they say of the reports below."""

import pytest

import fiotools as ft
from fiotools.errors import UnknownFormatError
from tests.readers.outputs import DD, FIXTURES, TIME, values

OPERANDS = "if=/dev/zero of=/mnt/a/x bs=1M count=2"
COMMAND = f"dd {OPERANDS}"
FISH = (
    "    ________________________________________________________\n"
    "    Executed in    8.17 secs    fish           external\n"
    "       usr time    9.46 secs  871.00 micros    9.46 secs\n"
    "       sys time    0.21 secs  254.00 micros    0.21 secs\n"
)
FIO = "fio --direct=1 --bs=1M --size=1G --name=job"
FIO_REPORT = (
    "job: (groupid=0, jobs=1): err= 0: pid=1: Mon Jan 27 20:05:10 2025\n"
    "  read: IOPS=1, BW=4096B/s (4096B/s)(4096B/1000msec)\n"
)
# what programs print and prompts look like
OUTPUT = [
    *("WARNING:> cache on /mnt/b", "INFO:root:> [build]", "INFO:> dd is slow"),
    *("INFO:> time taken: 5", "cache -> on", "a->b", "foo> bar", "html>"),
    *("mysql> select 1;", "SQL> select 1", "(gdb) p x", ">>> 1 + x"),
    *("foo$ ", "user$ name", "US$ 50 a month", "$ 50 a month", "C:\\> ", "Password: "),
    *("50% done", "~50% done", "% done", "me@x.org: 45% done", "/mnt/data 45% used", "100 %"),
    *("# comment", "# Command: none", "> build@1.0 x", "remote: > x"),
    *("john@example.com> I think", "+ 5 more", "++ foo", "---> abc", "=> [internal] load build"),
    *("#5 [2/3] RUN x", "[100%] Built target x", "To github.com:a/b.git", "Test> passed"),
    *("Copying C:\\a -> D:\\b", "Writing C:\\x => D:\\y", "➜  Local:   http://localhost/"),
    *("❯ Task one", "`build`", "**bold**", "- done", "Note: `sync` was called"),
    *("time to run the test", "Time taken: 5 s", "Run: ok"),
]
# prompts, and the host that they name
PROMPTS = {
    **dict.fromkeys(("wsl-linux> ", "git-bash> ", "PS> ", "foo$ ", "$ ", "# ", "% ", "+ ")),
    **dict.fromkeys(("mac:~ me$ ", "~/x$ ", "/var/www/html $ ", "bash-5.2# ", "➜  ~ ", "❯ ", "λ ")),
    **dict.fromkeys(("C:\\Users\\me>", "PS C:\\Program Files\\dd> ", "PS /home/me> ", "annwn:~> ")),
    **dict.fromkeys(("PowerCLI C:\\x> ", "++ ", "# $ ", "~/vexpress$ ")),
    "daichi@XPS-13-9305:~$ ": "XPS-13-9305",
    "[root@host work_dd]# ": "host",
    "me@mac ~ % ": "mac",
    "me@box ~> ": "box",
    "(venv) me@box:~/dir$ ": "box",
    "root@h13% ": "h13",
    "root@nas[/mnt/a]# ": "nas",
}


def commands(text):
    return ft.reads(text).runs["command"].fillna("").tolist()


@pytest.mark.parametrize("line", OUTPUT)
def test_output_is_not_a_command(line):
    assert commands(f"$ {COMMAND}\n{line}\n{DD}") == [COMMAND]
    assert commands(f"{line}\n{DD}") == [""]


@pytest.mark.parametrize(("prompt", "host"), PROMPTS.items())
def test_a_known_command_confirms_its_prompt(prompt, host):
    for command in (
        *(COMMAND, f"sudo time {COMMAND}", f"docker run --rm alpine {COMMAND}"),
        f"cat x; {COMMAND}",
    ):
        runs = ft.reads(f"{prompt}{command}\n{DD}").runs
        assert values(runs, "command", "host") == [(command, host)]
    # and so does a timing below it, or another prompt of the same form
    assert commands(f"{prompt}time git status\noutput\n{TIME}") == ["time git status"]
    if prompt not in ("# ", "% "):
        text = f"{prompt}{COMMAND}\n{DD}{prompt}make bench\n{DD}"
        assert commands(text) == [COMMAND, "make bench"]


OTHER = COMMAND.replace("1M", "4k")
LOOP = "$ for i in 1 2\n> do\n> {}\n> done\n"
NO_PROMPT = "time make -j8\n"
# texts, and the commands of their runs
TEXTS = [
    # a certain prompt needs no other
    *(
        (f"{prompt}make bench\n{DD}", ["make bench"])
        for prompt in ("$ ", "me@box:~$ ", "[root@h x]# ", "C:\\U>", "bash-5.2# ")
    ),
    # a level of a log is not a form of prompts
    (f"INFO:> {COMMAND}\nINFO:> [build]\n{DD}", [COMMAND]),
    # a line with a sign goes on only if the command is open
    (f"$ {COMMAND}\n> quoted\n{DD}", [COMMAND]),
    (f"{LOOP.format(COMMAND)}{DD * 2}", [f"for i in 1 2; do {COMMAND}; done"] * 2),
    (f"$ sh -c '\n> {COMMAND}'\n{DD}", [f"sh -c '; {COMMAND}'"]),
    # each report has the command above it
    (f"`{COMMAND}`\n\n{DD}\n- `{OTHER}`\n```\n{DD}```\n", [COMMAND, OTHER]),
    # a second fence is not below the command; its own fence ends at a heading and another fence
    (f"`{COMMAND}`\n\n```\nnothing\n```\n\n```\n{DD}```\n", [""]),
    (f"```\n{COMMAND}\n```\n\n## Another\n\n```\n{DD}```\n", [""]),
    (f"```\n{COMMAND}\n```\n```\nnothing\n```\n```\n{DD}```\n", [""]),
    # a heading ends what a command said, and is none
    (f"# Results\n\n```sh\n$ {COMMAND}\n```\n\n# dd again\n\n{DD}", [""]),
    (f"# fio and dd\n\n```\n# {COMMAND}\n{DD}```\n\n# dd alone\n", [COMMAND]),
    # prose about commands
    *(
        (f"x\n\n{prose}\n\n{DD}", [""])
        for prose in (
            *(f"Note: {COMMAND} is slow", f"`{COMMAND}` or `{COMMAND}`", "Total: time 5.2 s"),
            *(f"**{COMMAND} is slow**", f"That is slow: `{COMMAND}` and `{COMMAND}`"),
            *(f"First `{COMMAND}`, then `{COMMAND}`:", "I used `dd` and `fio --version`:"),
        )
    ),
    *(
        (f"{prose}\n\n{FIO_REPORT}", [""])
        for prose in ("fio job/output:", "fio and/or dd:", "fio -name is needed here")
    ),
    # prose about time
    *(
        (f"prose here\n\n{prose}\n{TIME}", [""])
        for prose in (
            *("time to run the test", "Time taken: 3 s", "timeit x", "time of run:"),
            *("Time java -jar x", "time:", "time flies like an arrow", "time make -j8, as before:"),
        )
    ),
    # a command without a prompt needs a timing below it
    (f"$ {COMMAND}\n{NO_PROMPT}{DD}", [COMMAND]),
    (f"{NO_PROMPT}\n# Heading\n\n{TIME}", [""]),
    (f"{NO_PROMPT}$ time ls\n{TIME}", ["time ls"]),
    # what cannot print a report, and what can
    *((f"$ {one}\n{DD}", [""]) for one in ("cd /mnt", "fio job.fio", "ls -l; free -m")),
    *(
        (f"$ {one}\n{DD}", [one])
        for one in (
            *("./bench.sh", "cat log", "ssh box dd of=x", "make", "sudo sh -c 'dd if=a of=b'"),
            "dd if=/dev/zero of='a # b'",
        )
    ),
    # a dd in the background is asked by another command
    (f"$ dd if=/dev/zero of=x &\n$ kill -USR1 $!\n{DD}", ["dd if=/dev/zero of=x &"]),
    # commands of several lines, and comments
    (f"$ time dd if=a \\\n>   of=x \\\n>   bs=1M\n{DD}", ["time dd if=a of=x bs=1M"]),
    (f"$ dd if=a \\\n     of=x\n{DD}", ["dd if=a of=x"]),
    (f"$ {COMMAND}  # two of them\n{DD}", [COMMAND]),
    # the tags of a forum; lost ends of lines
    (
        f"[CODE]root@pve:~# {COMMAND}\n{DD}root@pve:~# [/CODE]\nand\n[CODE]{DD}[/CODE]\n",
        [COMMAND, ""],
    ),
    (f"me@box:~# {COMMAND} {DD}".replace("\n", " "), [COMMAND]),
    (f"root@a:~# {COMMAND} {DD}root@a:~# {OTHER} {DD}".replace("\n", " "), [COMMAND, OTHER]),
]


@pytest.mark.parametrize(("text", "found"), TEXTS)
def test_the_command_of_a_report(text, found):
    assert commands(text) == found


MARKDOWN = [
    *("`{}`", "``{}``", "$ `{}`", "`$ {}`", "- `{}`", "1. `{}`", "### `{}`", "**{}**", "**`{}`**"),
    *("`{}`:", "    `{}`", "> `{}`", "Run: {}", "**Command:** `{}`", "command line: {}"),
    *("Sequential write: `{}`", "**Test 1:** `{}`", "I ran this: `{}`:"),
]


@pytest.mark.parametrize("form", MARKDOWN)
@pytest.mark.parametrize("between", ["\n", "\n\n", "\n\n```\n"])
def test_commands_in_code_and_behind_a_label(form, between):
    end = "```\n" if "`" in between else ""
    for command in (COMMAND, f"sudo {COMMAND}", f"time {COMMAND}"):
        text = f"Some prose.\n\n{form.format(command)}{between}{DD}{end}\nmore\n"
        assert commands(text) == [command]


@pytest.mark.parametrize(
    "command",
    [
        *("time java -jar x.jar", "/usr/bin/time -v make -j8", "sudo time -p ls -l"),
        *("time (a; b)", "gtime -p ls", "time ./run.sh", "time for n in 1 2; do x; done"),
    ],
)
@pytest.mark.parametrize(
    "form",
    ["    {}\n\n", "{}\n", "```\n{}\n", "`{}`\n", "Run: {}\n", "`{}`\n\n```\n", "{}\nsaid\n"],
)
def test_time_without_a_prompt(command, form):
    for report in (TIME, FISH):
        assert commands(f"prose here\n\n{form.format(command)}{report}") == [command]


@pytest.mark.parametrize("blanks", [50, 300, 3000])
def test_a_terminal_pads_the_line_of_the_command(blanks):
    one = f"u@pc:~/r$ time -p git status{' ' * blanks}real 0.08\nuser 0.00\nsys 0.01\n"
    results = ft.reads(one + one.replace("0.08", "0.07"))
    assert values(results.timings, "command", "real_s") == [
        ("git status", 0.08),
        ("git status", 0.07),
    ]
    assert results.runs["host"].tolist() == ["pc"] * 2


def test_long_sessions_take_linear_time():
    lines = "INFO:> time make\nword> x\n`time make`\n$ cat <<EOF\n" + "> x\n" * 50
    assert commands(lines * 400 + f"$ {COMMAND}\n{DD}") == [COMMAND]
    assert commands("- `dd" + " " * 7000 + f"x\n$ {COMMAND}\n{DD}") == [COMMAND]


@pytest.mark.parametrize(
    "above",
    [
        f"- With `{COMMAND}` I get\n\n",
        f"$ {COMMAND}\nWARNING:> cache on /mnt/b\n",
    ],
)
def test_the_command_gives_conditions(above):
    results = ft.reads(above + DD)
    assert results.runs["command"].tolist() == [COMMAND]
    row = ("/mnt/a/x", "write", 2**20)
    assert values(results.io, "target", "direction", "bs_bytes") == [row]


@pytest.mark.parametrize(
    "form",
    [
        "```bash\n{}\n```\nResult:\n```\n{}```\n",
        "```\n{}\n```\n\nI got this on my laptop:\n\n```\n{}```\n",
        "```\n{}\n{}```\n",
        "> {}\n\n```\n{}```\n",
        "{}\n{}",
        "$ {}\n{}",
    ],
)
def test_a_command_in_its_own_fence_in_a_quote_and_bare(form):
    for command, report in ((FIO, FIO_REPORT), (COMMAND, DD)):
        assert commands(form.format(command, report)) == [command]
    assert ft.reads(form.format(FIO, FIO_REPORT)).io["direct"].tolist() == [True]


@pytest.mark.parametrize(
    "typed",
    [
        FIO.replace("fio --direct=1 --", "fio --direct=1 \\\n--"),
        FIO.replace("--direct=1 --bs=1M", "-direct 1 -bs 1M"),
        FIO.replace("=", " "),
    ],
)
def test_a_bare_command_of_several_lines_or_with_blanks(typed):
    for form in ("```\n{}\n```\n\n```\n{}```\n", "```\n{}\n{}```\n"):
        results = ft.reads(form.format(typed, FIO_REPORT))
        asked = ("bs_bytes", "size_bytes", "direct")
        assert values(results.io, *asked) == [(2**20, 2**30, True)]


def test_measure_command_without_a_prompt():
    span = "\nSeconds : {0}\nTicks : {0}0000000\nTotalSeconds : {0}.0\n"
    one, other = "Measure-Command { dir C:\\*.txt }", "Measure-Command {dir C:\\ -Filter x}"
    results = ft.reads(f"Two of them\n{one}{span.format(8)}{other}{span.format(1)}")
    assert values(results.timings, "command", "real_s") == [(one, 8.0), (other, 1.0)]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"N o dd {OPERANDS}\n{DD}", 1),
        (f"$ dd if=/dev/zero of=x\nbs=1M count=2\n{DD}", 2),
        (f"<pre>$ {COMMAND}\n{DD}</pre>\n", 1),
        (f"x; then {FIO}\n{FIO_REPORT}", 1),
    ],
)
def test_a_command_that_is_not_read_is_told(text, line):
    notes = ft.reads(text).notes
    told = notes[notes["message"].str.contains("is not read as a command")]
    assert values(told, "line", "severity") == [(line, "warning")]


TIMED = f"$ time {COMMAND}\n"
# texts, the tools of their runs, and what was timed: the number of its run, and its command
SESSIONS = [
    (f"{TIMED}{DD}{TIME}", ["dd"], [(1, COMMAND)]),
    (DD + TIME, ["dd"], [(1, None)]),
    (f"$ ./bench.sh\n{DD}{TIME}", ["dd"], [(1, "./bench.sh")]),
    (f"+ {COMMAND}\n{DD}{TIME}+ set +x\n", ["dd"], [(1, COMMAND)]),  # leaves `time` out
    (DD + TIME + TIME, ["dd", "time"], [(1, None), (2, None)]),
    (
        f"$ dd if=a of=b\n{DD}$ time cat b > /dev/null\n{TIME}",
        ["dd", "time"],
        [(2, "cat b > /dev/null")],
    ),
    (
        f"$ time (dd if=a of=b; dd if=b of=c)\n{DD * 2}{TIME}",
        ["dd", "dd", "time"],
        [(3, "(dd if=a of=b; dd if=b of=c)")],
    ),
    (f"    time java -jar x.jar\n\n{FISH}", ["time"], [(1, "java -jar x.jar")]),
]


@pytest.mark.parametrize(("text", "tools", "timed"), SESSIONS)
def test_what_was_timed(text, tools, timed):
    results = ft.reads(text)
    assert results.runs["tool"].tolist() == tools
    assert values(results.timings, "run", "command") == timed


def test_a_failed_dd_is_a_run():
    said = "dd: failed to open '/nonexistent': No such file\n"
    results = ft.reads(f"$ time dd if=/nonexistent of=x\n{said}{TIME}")
    assert values(results.runs, "tool", "status") == [("dd", "error")]
    assert results.timings["run"].tolist() == [1]
    assert results.io.empty


def test_prose_without_results_is_unknown():
    with pytest.raises(UnknownFormatError):
        ft.reads("# Introduction\n\n```\n$ free\n```\n")


LISTED = "dd if=/dev/zero of=/mnt/a bs=1M count=2\ndd if=/mnt/a of=/dev/null bs=512k count=4\n"
PROMPTED = "".join(f"$ {line}\n" for line in LISTED.splitlines())
FOUR = DD.replace("2+0", "4+0")
BOTH = [("write", 2**20), ("read", 2**19)]


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        # a list of commands gives each report its own operands, in its order
        (f"$ sync; {LISTED.strip().replace(chr(10), '; ')}\n{DD}{FOUR}", BOTH),
        (f"{LISTED}{DD}{FOUR}", BOTH),
        (f"{PROMPTED}{DD}{FOUR}$ {COMMAND}\n{DD}", [*BOTH, ("write", 2**20)]),
        (f"$ for i in 1 2 3; do {COMMAND}; done\n{DD * 3}", [("write", 2**20)] * 3),
        # another number of reports is not assigned, nor which of a pipeline reports first
        (f"{LISTED}{DD * 3}", [(None, None)] * 3),
        (f"$ dd if=/dev/zero bs=1M | dd of=/dev/null\n{DD * 2}", [(None, None)] * 2),
    ],
)
def test_several_reports_below_commands(text, conditions):
    assert values(ft.reads(text).io, "direction", "bs_bytes") == conditions


def test_a_second_report_below_one_command_is_noted():
    report = "1+0 records in\n1+0 records out\n4096 bytes (4.1 kB) copied, {} s, {} kB/s\n"
    text = "$ dd if=/dev/zero of=x bs=4k count=1\n" + report.format("0.5", "8.2")
    text += "On my old laptop:\n" + report.format("2", "2.0")
    notes = ft.reads(text).notes
    assert notes["run"].tolist() == [2]
    assert notes["message"].str.contains("whether it printed both is not certain").all()


def test_progress_and_signals_in_a_session():
    text = (
        "$ dd if=/dev/zero of=x bs=64k status=progress\n"
        "\r15794176 bytes (16 MB, 15 MiB) copied, 1 s, 15.7 MB/s\n"
        "360+0 records in\n360+0 records out\n"
        "23592960 bytes (24 MB, 22 MiB) copied, 1.5014 s, 15.7 MB/s\n"
        "\r31522816 bytes (32 MB, 30 MiB) copied, 2 s, 15.7 MB/s\n"
        "^C768+0 records in\n768+0 records out\n"
        "50331648 bytes (50 MB, 48 MiB) copied, 3.10179 s, 16.2 MB/s\n$ ls\n"
    )
    results = ft.reads(text)
    assert results.runs["status"].tolist() == ["interrupted"]
    assert results.samples["value"].tolist() == [15794176, 23592960, 31522816, 50331648]
    assert results.samples["direction"].unique().tolist() == ["write"]


AMOUNTS = [268435456, 268435456, 104857600, 21474836480]


@pytest.mark.parametrize(
    ("file", "amounts", "directions"),
    [
        ("pty-bash-C-lf.txt", AMOUNTS, ["write", "read"] * 2),
        ("pty-bash-color-lf.txt", AMOUNTS, ["write", "read"] * 2),
        ("pty-bash-continuation-prompt-lf.txt", AMOUNTS, ["write", "read"] * 2),
        ("pty-bash-progress.txt", [31457280000], ["read"]),
        ("three-parallel-dd-interleaved.txt", [104857600, 314572800, 209715200], []),
        ("assembled-utf16le-bom.txt", [209715200], []),
        ("assembled-html-br-nbsp.txt", [335544320], []),
    ],
)
def test_recorded_and_assembled(file, amounts, directions):
    results = ft.read(FIXTURES / "transcript" / file)
    assert results.io["io_bytes"].tolist() == amounts
    assert results.io["direction"].dropna().tolist() == directions
    assert not results.notes["message"].str.contains("records").any()
    assert results.notes["message"].str.contains("this is HTML").sum() == ("html" in file)


def test_timings_and_host_of_a_recorded_session():
    results = ft.read(FIXTURES / "transcript" / "pty-bash-C-lf.txt")
    assert values(results.timings, "run", "real_s") == [(1, 0.16), (2, 0.051), (4, 2.963)]
    assert results.runs["host"].tolist() == ["host"] * 4


def test_progress_and_report_of_one_dd():
    operands = f"{OPERANDS} oflag=direct,sync status=progress"
    progress = "\r1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.25 s, 4.2 MB/s"
    results = ft.reads(f"me@there:~$ time dd {operands}\n{progress}\n{DD}{TIME}")
    assert values(results.runs, "command", "host") == [(f"time dd {operands}", "there")]
    names = ("direction", "target", "bs_bytes", "direct", "io_bytes", "total_ios", "runtime_s")
    assert values(results.io, *names) == [("write", "/mnt/a/x", 2**20, True, 2097152, 2, 0.5)]
    assert results.io["bw_bytes_per_s"].tolist() == [2097152 / 0.5]
    assert results.samples["value"].tolist() == [1048576, 2097152]
    timed = (f"dd {operands}", 0.6, 0.1, 0.2)
    assert values(results.timings, "command", "real_s", "user_s", "sys_s") == [timed]
    given = [tuple(word.split("=")) for word in operands.split()]
    assert sorted(values(results.settings, "option", "text")) == sorted(given)
