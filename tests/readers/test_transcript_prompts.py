"""Which lines are commands: prompts, what looks like one, commands in Markdown, and bare ones."""

import pytest

import fiotools as ft

OPERANDS = "if=/dev/zero of=/mnt/a/x bs=1M count=2"
DD = f"dd {OPERANDS}"
REPORT = (
    "2+0 records in\n2+0 records out\n2097152 bytes (2.1 MB, 2.0 MiB) copied, 0.5 s, 4.2 MB/s\n"
)
TIME = "\nreal\t0m0.6s\nuser\t0m0.1s\nsys\t0m0.2s\n"
FISH = (
    "    ________________________________________________________\n"
    "    Executed in    8.17 secs    fish           external\n"
    "       usr time    9.46 secs  871.00 micros    9.46 secs\n"
    "       sys time    0.21 secs  254.00 micros    0.21 secs\n"
)
# what programs print and prompts look like
OUTPUT = [
    *("WARNING:> cache on /mnt/b", "INFO:root:> [build]", "INFO:> dd is slow", "info> sync done"),
    *("INFO:> time taken: 5", "cache -> on", "cache-> on", "a->b", "foo> bar", "html>"),
    *("mysql> ", "mysql> select 1;", "SQL> select 1", "sftp> get x", "(gdb) p x", ">>> 1 + x"),
    *("foo$ ", "user$ name", "US$ 50 a month", "$ 50 a month", "C:\\> ", "Password: "),
    *("50% done", "~50% done", "% done", "me@x.org: 45% done", "/mnt/data 45% used", "100 %"),
    *("# comment", "# Command: none", "> quoted", "> build@1.0 x", "remote: > x", "remote>"),
    *("john@example.com> I think", "+ 5 more", "++ foo", "---> abc", "=> [internal] load build"),
    *("#5 [2/3] RUN x", "[100%] Built target x", "To github.com:a/b.git", "Test> passed"),
    *("Copying C:\\a -> D:\\b", "Writing C:\\x => D:\\y", "➜  Local:   http://localhost/"),
    *("❯ Task one", "λ = 0.5", "`build`", "**bold**", "- done", "Note: `sync` was called"),
    *("time to run the test", "Time taken: 5 s", "time is money", "Run: ok", "Executing: build"),
]
PROMPTS = [
    *("wsl-linux> ", "git-bash> ", "PS> ", "foo$ ", "$ ", "me@box:~$ ", "[root@h x]# ", "# ", "% "),
    *("mac:~ me$ ", "me@mac ~ % ", "me@box ~> ", "(v) me@b:~/d$ ", "~/x$ ", "/var/www $ ", "+ "),
    *("bash-5.2# ", "➜  ~ ", "❯ ", "λ ", "C:\\U>", "PS C:\\U> ", "PS /home/me> ", "annwn:~> "),
    *("PowerCLI C:\\x> ", "[me@box]% ", "root@h13% ", "u@h> "),
]


def commands(text: str) -> list[str]:
    return ft.reads(text).runs["command"].fillna("").tolist()


@pytest.mark.parametrize("line", OUTPUT)
def test_output_is_not_a_command(line):
    assert commands(f"$ {DD}\n{line}\n{REPORT}") == [DD]
    assert commands(f"{line}\n{REPORT}") == [""]
    assert commands(f"{line}\n{line}\n{line}\n{REPORT}") == [""]


def test_the_run_below_output_keeps_what_its_command_says():
    results = ft.reads(f"$ {DD}\nWARNING:> cache on /mnt/b\n{REPORT}")
    row = results.io.iloc[0]
    assert (row["target"], row["direction"], row["bs_bytes"]) == ("/mnt/a/x", "write", 2**20)


@pytest.mark.parametrize("prompt", PROMPTS)
@pytest.mark.parametrize(
    "command", [DD, f"sudo time {DD}", f"docker run --rm alpine {DD}", f"cat x; {DD}"]
)
def test_a_known_command_confirms_its_prompt(prompt, command):
    assert commands(f"{prompt}{command}\n{REPORT}") == [command]


@pytest.mark.parametrize("prompt", PROMPTS)
def test_a_timing_confirms_the_prompt_above_it(prompt):
    assert commands(f"{prompt}time git status\noutput\n{TIME}") == ["time git status"]


@pytest.mark.parametrize("prompt", sorted({*PROMPTS} - {"# ", "% "}))
def test_another_prompt_of_the_same_form_confirms_one(prompt):
    text = f"{prompt}{DD}\n{REPORT}{prompt}make bench\n{REPORT}"
    assert commands(text) == [DD, "make bench"]


@pytest.mark.parametrize("prompt", ["$ ", "me@box:~$ ", "[root@h x]# ", "C:\\U>", "bash-5.2# "])
def test_a_certain_prompt_needs_no_other(prompt):
    assert commands(f"{prompt}make bench\n{REPORT}") == ["make bench"]


def test_a_level_of_a_log_is_not_a_form():
    text = f"INFO:> {DD}\nINFO:> [build]\n{REPORT}"
    assert commands(text) == [DD]


def test_a_line_with_a_sign_goes_on_only_if_the_command_is_open():
    assert commands(f"$ {DD}\n> quoted\n{REPORT}") == [DD]
    assert (
        commands(f"$ for i in 1 2\n> do\n> {DD}\n> done\n{REPORT * 2}")
        == [f"for i in 1 2; do {DD}; done"] * 2
    )
    assert commands(f"$ sh -c '\n> {DD}'\n{REPORT}") == [f"sh -c '; {DD}'"]


MARKDOWN = [
    *("`{}`", "``{}``", "$ `{}`", "`$ {}`", "`# {}`", "- `{}`", "* `{}`", "1. `{}`", "### `{}`"),
    *("**{}**", "**`{}`**", "`{}`:", "    `{}`", "> `{}`", "Run: {}", "Run: `{}`", "Running: {}"),
    *("Command: {}", "**Command:** `{}`", "**Command**: `{}`", "command line: {}", "cmd: {}"),
    *("Sequential write: `{}`", "**Test 1:** `{}`", "Write test: {}", "I ran this: `{}`:"),
]


@pytest.mark.parametrize("form", MARKDOWN)
@pytest.mark.parametrize("between", ["\n", "\n\n", "\n\n```\n"])
def test_commands_in_code_and_behind_a_label(form, between):
    end = "```\n" if "`" in between else ""
    for command in (DD, f"sudo {DD}", f"time {DD}"):
        text = f"Some prose.\n\n{form.format(command)}{between}{REPORT}{end}\nmore\n"
        assert commands(text) == [command]


def test_each_report_has_the_command_above_it():
    other = DD.replace("1M", "4k")
    assert commands(f"`{DD}`\n\n{REPORT}\n- `{other}`\n```\n{REPORT}```\n") == [DD, other]


@pytest.mark.parametrize(
    "prose",
    [
        *(f"Note: {DD} is slow", f"`{DD}` or `{DD}`", "Total: time 5.2 s"),
        *(f"**{DD} is slow**", f"That is slow: `{DD}` and `{DD}`"),
    ],
)
def test_prose_about_commands_is_none(prose):
    assert commands(f"x\n\n{prose}\n\n{REPORT}") == [""]


def test_a_second_fence_is_not_below_the_command():
    assert commands(f"`{DD}`\n\n```\nnothing\n```\n\n```\n{REPORT}```\n") == [""]


@pytest.mark.parametrize(
    "command",
    [
        *(
            "time java -jar x.jar",
            "/usr/bin/time -v make -j8",
            "sudo time -p ls -l",
            "time ./run.sh",
        ),
        *("time npm install", "time cat x > /dev/null", "time (a; b)", "gtime -p ls"),
        "time for n in 1 2; do x; done",
    ],
)
@pytest.mark.parametrize(
    "form",
    ["    {}\n\n", "{}\n", "```\n{}\n", "`{}`\n", "Run: {}\n", "`{}`\n\n```\n", "{}\nsaid\n"],
)
def test_time_without_a_prompt(command, form):
    for report in (TIME, FISH):
        assert commands(f"prose here\n\n{form.format(command)}{report}") == [command]


def test_the_timing_names_what_was_timed():
    timings = ft.reads(f"    time java -jar x.jar\n\n{FISH}").timings
    assert timings[["command", "real_s"]].values.tolist() == [["java -jar x.jar", 8.17]]


@pytest.mark.parametrize(
    "prose",
    [
        *("time to run the test", "Time taken: 3 s", "time is money", "time taken by the run"),
        *("time in seconds", "timeit x", "time of run:", "time elapsed", "Time java -jar x"),
        *("time for a test", "time:", "time flies like an arrow", "time make -j8, as before:"),
    ],
)
def test_prose_about_time_is_not_a_command(prose):
    assert commands(f"prose here\n\n{prose}\n{TIME}") == [""]


def test_a_command_without_a_prompt_needs_a_timing_below_it():
    assert commands(f"$ {DD}\ntime make -j8\n{REPORT}") == [DD]
    assert commands(f"time make -j8\n\n# Heading\n\n{TIME}") == [""]
    assert commands(f"time make -j8\n$ time ls\n{TIME}") == ["time ls"]


@pytest.mark.parametrize("blanks", [50, 300, 900, 3000])
def test_a_terminal_pads_the_line_of_the_command(blanks):
    one = f"u@pc:~/r$ time -p git status{' ' * blanks}real 0.08\nuser 0.00\nsys 0.01\n"
    results = ft.reads(one + one.replace("0.08", "0.07"))
    assert results.timings["real_s"].tolist() == [0.08, 0.07]
    assert results.timings["command"].tolist() == ["git status"] * 2
    assert results.runs["host"].tolist() == ["pc"] * 2


def test_time_is_linear():
    lines = "INFO:> time make\nword> x\n`time make`\n$ cat <<EOF\n" + "> x\n" * 50
    assert commands(lines * 400 + f"$ {DD}\n{REPORT}") == [DD]
    assert commands("- `dd" + " " * 7000 + f"x\n$ {DD}\n{REPORT}") == [DD]


@pytest.mark.parametrize(
    "sentence", ["I ran `{}` and got:", "Using `{}`, result:", "- With `{}` I get"]
)
def test_the_command_in_a_sentence(sentence):
    results = ft.reads(f"{sentence.format(DD)}\n\n{REPORT}")
    assert results.runs["command"].tolist() == [DD]
    assert results.io["target"].tolist() == ["/mnt/a/x"]


@pytest.mark.parametrize("sentence", ["First `{}`, then `{}`:", "I used `dd` and `fio --version`:"])
def test_sentences_that_name_no_command_alone(sentence):
    assert ft.reads(f"{sentence.format(DD, DD)}\n\n{REPORT}").runs["command"].isna().all()


FIO = "fio --direct=1 --bs=1M --size=1G --name=job"
FIO_REPORT = (
    "job: (groupid=0, jobs=1): err= 0: pid=1: Mon Jan 27 20:05:10 2025\n"
    "  read: IOPS=1, BW=4096B/s (4096B/s)(4096B/1000msec)\n"
)


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
    for command, report in ((FIO, FIO_REPORT), (DD, REPORT)):
        assert commands(form.format(command, report)) == [command]
    assert ft.reads(form.format(FIO, FIO_REPORT)).io["direct"].tolist() == [True]


@pytest.mark.parametrize(
    "typed",
    [
        FIO.replace(" --", " \\\n  --"),
        FIO.replace("fio --direct=1 --", "fio --direct=1 \\\n--"),
        FIO.replace("--direct=1 --bs=1M", "-direct 1 -bs 1M"),
        FIO.replace("=", " "),
    ],
)
def test_a_bare_command_of_several_lines_or_with_blanks(typed):
    for form in ("```\n{}\n```\n\n```\n{}```\n", "```\n{}\n{}```\n"):
        results = ft.reads(form.format(typed, FIO_REPORT))
        assert results.io[["bs_bytes", "size_bytes", "direct"]].values.tolist() == [
            [2**20, 2**30, True]
        ]


@pytest.mark.parametrize("prose", ["fio job/output:", "fio and/or dd:", "fio -name is needed here"])
def test_a_line_that_introduces_a_report_is_not_a_command(prose):
    assert ft.reads(f"{prose}\n\n{FIO_REPORT}").runs["command"].isna().all()


@pytest.mark.parametrize(
    "form",
    [
        "```\n{}\n```\n\n## Another\n\n```\n{}```\n",
        "```\n{}\n```\n```\nnothing\n```\n```\n{}```\n",
    ],
)
def test_a_command_in_its_own_fence_ends_at_a_heading_and_another_fence(form):
    assert commands(form.format(DD, REPORT)) == [""]


def test_measure_command_without_a_prompt():
    span = "\nSeconds : {0}\nTicks : {0}0000000\nTotalSeconds : {0}.0\n"
    one, other = "Measure-Command { dir C:\\*.txt }", "Measure-Command {dir C:\\ -Filter x}"
    results = ft.reads(f"Two of them\n{one}{span.format(8)}{other}{span.format(1)}")
    assert results.timings[["command", "real_s"]].values.tolist() == [[one, 8.0], [other, 1.0]]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"N o dd {OPERANDS}\n{REPORT}", 1),
        (f"$ dd if=/dev/zero of=x\nbs=1M count=2\n{REPORT}", 2),
        (f"<pre>$ {DD}\n{REPORT}</pre>\n", 1),
        (f"x; then {FIO}\n{FIO_REPORT}", 1),
    ],
)
def test_a_command_that_is_not_read_is_told(text, line):
    notes = ft.reads(text).notes
    told = notes[notes["message"].str.contains("is not read as a command")]
    assert told[["line", "severity"]].values.tolist() == [[line, "warning"]]


def test_names_of_hosts_and_directories_in_prompts():
    text = f"root@nas[/mnt/a]# {DD}\n{REPORT}> [root@box tmp]# {DD}\n> {REPORT}"
    assert ft.reads(text).runs["host"].tolist() == ["nas", "box"]
