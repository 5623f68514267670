from pathlib import Path

import pytest

import fiotools as ft
from fiotools.errors import UnknownFormatError

FIXTURES = Path(__file__).parents[1] / "fixtures"

DD = "2+0 records in\n2+0 records out\n2097152 bytes copied, 0.5 s, 4.2 MB/s\n"
TIME = "\nreal\t0m0.6s\nuser\t0m0.1s\nsys\t0m0.2s\n"


def test_a_timed_dd_is_one_run():
    results = ft.reads(f"wsl-linux> time dd if=/dev/zero of=x bs=1M count=2\n{DD}{TIME}")
    assert len(results.runs) == 1
    assert results.runs["command"].item() == "time dd if=/dev/zero of=x bs=1M count=2"
    assert results.timings["command"].item() == "dd if=/dev/zero of=x bs=1M count=2"
    assert results.timings["run"].item() == results.io["run"].item() == 1


def test_a_log_without_its_command_is_still_one_run():
    results = ft.reads(DD + TIME)
    assert len(results.runs) == 1
    assert results.io["direction"].isna().all()
    assert results.timings["command"].isna().all()


def test_a_timing_under_another_command_is_another_run():
    results = ft.reads(f"$ dd if=a of=b\n{DD}$ time cat b > /dev/null\n{TIME}")
    assert results.runs["tool"].tolist() == ["dd", "time"]
    assert results.timings["command"].tolist() == ["cat b > /dev/null"]


def test_a_second_timing_is_a_run_of_its_own():
    results = ft.reads(DD + TIME + TIME)
    assert results.runs["tool"].tolist() == ["dd", "time"]


@pytest.mark.parametrize(
    ("prompt", "host"),
    [
        ("git-bash> ", None),
        ("daichi@XPS-13-9305:~$ ", "XPS-13-9305"),
        ("[root@host work_dd]# ", "host"),
        ("PS C:\\Users\\me> ", None),
        ("$ ", None),
        ("# ", None),
    ],
)
def test_prompts(prompt, host):
    runs = ft.reads(f"{prompt}dd if=/dev/zero of=x\n{DD}").runs
    assert runs["command"].item() == "dd if=/dev/zero of=x"
    assert runs["host"].item() == host or runs["host"].isna().item()


def test_a_heading_ends_what_a_command_said():
    text = f"# Results\n\n```sh\n$ dd if=/dev/zero of=x\n```\n\n# dd again\n\n{DD}"
    assert ft.reads(text).runs["command"].isna().all()


def test_a_heading_is_not_a_command():
    text = f"# fio and dd\n\n```\n# dd if=/dev/zero of=x\n{DD}```\n\n# dd alone\n"
    assert ft.reads(text).runs["command"].tolist() == ["dd if=/dev/zero of=x"]


def test_prose_without_results_is_unknown():
    with pytest.raises(UnknownFormatError):
        ft.reads("# Introduction\n\n```\n$ free\n```\n")


def test_a_pasted_session():
    results = ft.read(FIXTURES / "transcript" / "pty-bash-C-lf.txt")
    assert results.io["io_bytes"].tolist() == [268435456, 268435456, 104857600, 21474836480]
    assert results.io["direction"].tolist() == ["write", "read", "write", "read"]
    assert results.timings["run"].tolist() == [1, 2, 4]
    assert results.timings["real_s"].tolist() == [0.16, 0.051, 2.963]
    assert results.runs["host"].tolist() == ["host"] * 4


def test_powershell_saves_utf16():
    results = ft.read(FIXTURES / "transcript" / "assembled-utf16le-bom.txt")
    assert results.io["io_bytes"].tolist() == [209715200]


REPORT = (
    "2+0 records in\n2+0 records out\n2097152 bytes (2.1 MB, 2.0 MiB) copied, 0.5 s, 4.2 MB/s\n"
)


@pytest.mark.parametrize(
    ("prompt", "host"),
    [
        ("mac:~ me$ ", None),
        ("me@mac ~ % ", "mac"),
        ("me@box ~> ", "box"),
        ("(venv) me@box:~/dir$ ", "box"),
        ("~/vexpress$ ", None),
        ("/var/www/html $ ", None),
        ("bash-5.2# ", None),
        ("➜  ~ ", None),
        ("C:\\Users\\me>", None),
        ("PS C:\\Program Files\\dd> ", None),
        ("% ", None),
        ("+ ", None),
        ("++ ", None),
        ("# $ ", None),
        ("", None),
    ],
)
def test_more_prompts(prompt, host):
    runs = ft.reads(f"{prompt}dd if=/dev/zero of=x\n{REPORT}").runs
    assert runs["command"].tolist() == ["dd if=/dev/zero of=x"]
    assert runs["host"].fillna("").tolist() == [host or ""]


@pytest.mark.parametrize(
    ("typed", "command"),
    [
        (
            "$ time dd if=/dev/zero \\\n>   of=x \\\n>   bs=1M count=2\n",
            "time dd if=/dev/zero of=x bs=1M count=2",
        ),
        ("$ dd if=/dev/zero \\\n     of=x\n", "dd if=/dev/zero of=x"),
        ("$ dd if=/dev/zero of=x  # two of them\n", "dd if=/dev/zero of=x"),
        ("$ dd if=/dev/zero of='a # b'\n", "dd if=/dev/zero of='a # b'"),
        (
            "$ for i in 1 2; do\n> dd if=/dev/zero of=x\n> done\n",
            "for i in 1 2; do dd if=/dev/zero of=x; done",
        ),
    ],
)
def test_commands_of_several_lines(typed, command):
    results = ft.reads(typed + REPORT)
    assert results.runs["command"].tolist() == [command]
    assert results.io["direction"].tolist() == ["write"]


def test_a_command_list_gives_each_report_its_own_operands():
    text = (
        "$ sync; time dd if=/dev/zero of=x bs=1M count=2; time dd if=x of=/dev/null bs=512k\n"
        f"{REPORT}{TIME}{REPORT.replace('2+0', '4+0')}{TIME}"
    )
    results = ft.reads(text)
    assert results.io["direction"].tolist() == ["write", "read"]
    assert results.io["bs_bytes"].tolist() == [2**20, 2**19]
    assert results.timings["run"].tolist() == [1, 2]
    assert results.runs["command"].nunique() == 1
    assert results.notes.empty


def test_a_loop_prints_several_runs():
    results = ft.reads(
        f"$ for i in 1 2 3; do dd if=/dev/zero of=x bs=1M count=2; done\n{REPORT * 3}"
    )
    assert results.runs["command"].nunique() == 1
    assert results.io["direction"].tolist() == ["write"] * 3
    assert results.io["bs_bytes"].tolist() == [2**20] * 3


def test_which_dd_of_a_pipeline_reports_first_is_not_guessed():
    results = ft.reads(f"$ dd if=/dev/zero bs=1M count=2 | dd of=/dev/null\n{REPORT * 2}")
    assert results.io["direction"].isna().all()
    assert results.settings.empty


def test_a_timing_of_several_runs_belongs_to_none():
    results = ft.reads(f"$ time (dd if=a of=b; dd if=b of=c)\n{REPORT * 2}{TIME}")
    assert results.runs["tool"].tolist() == ["dd", "dd", "time"]
    assert results.timings["run"].tolist() == [3]


@pytest.mark.parametrize("command", ["cd /mnt", "fio job.fio", "ls -l; free -m"])
def test_a_command_that_cannot_print_it_is_not_its_command(command):
    assert ft.reads(f"$ {command}\n{REPORT}").runs["command"].isna().all()


@pytest.mark.parametrize(
    "command", ["./bench.sh", "cat log", "ssh box dd of=x", "make", "sudo sh -c 'dd if=a of=b'"]
)
def test_a_command_that_can_print_it_is(command):
    assert ft.reads(f"$ {command}\n{REPORT}").runs["command"].tolist() == [command]


def test_a_dd_in_the_background_is_asked_by_another_command():
    text = f"$ dd if=/dev/zero of=x &\n$ kill -USR1 $!\n{REPORT}"
    results = ft.reads(text)
    assert results.runs["command"].tolist() == ["dd if=/dev/zero of=x &"]


def test_a_script_may_time_what_it_runs():
    results = ft.reads(f"$ ./bench.sh\n{REPORT}{TIME}")
    assert results.timings["run"].tolist() == [1]


def test_set_x_leaves_time_out():
    results = ft.reads(f"+ dd if=/dev/zero of=x\n{REPORT}{TIME}+ set +x\n")
    assert results.runs["tool"].tolist() == ["dd"]
    assert results.timings["run"].tolist() == [1]


def test_a_failed_dd_is_a_run():
    text = (
        "$ time dd if=/nonexistent of=x\ndd: failed to open '/nonexistent': No such file\n" + TIME
    )
    results = ft.reads(text)
    assert results.runs[["tool", "status"]].values.tolist() == [["dd", "error"]]
    assert results.timings["run"].tolist() == [1]
    assert results.io.empty


def test_lost_newlines():
    text = f"me@box:~# dd if=/dev/zero of=x {REPORT}".replace("\n", " ")
    results = ft.reads(text)
    assert results.runs["command"].tolist() == ["dd if=/dev/zero of=x"]
    assert results.io["io_bytes"].tolist() == [2097152]


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


@pytest.mark.parametrize(
    ("file", "amounts", "directions"),
    [
        (
            "pty-bash-color-lf.txt",
            [268435456, 268435456, 104857600, 21474836480],
            ["write", "read", "write", "read"],
        ),
        (
            "pty-bash-continuation-prompt-lf.txt",
            [268435456, 268435456, 104857600, 21474836480],
            ["write", "read", "write", "read"],
        ),
        ("pty-bash-progress.txt", [31457280000], ["read"]),
        ("three-parallel-dd-interleaved.txt", [104857600, 314572800, 209715200], []),
    ],
)
def test_recorded_and_assembled(file, amounts, directions):
    results = ft.read(FIXTURES / "transcript" / file)
    assert results.io["io_bytes"].tolist() == amounts
    assert results.io["direction"].dropna().tolist() == directions
    assert not results.notes["message"].str.contains("records").any()


def test_a_page_as_html_is_told():
    results = ft.read(FIXTURES / "transcript" / "assembled-html-br-nbsp.txt")
    assert results.io["io_bytes"].tolist() == [335544320]
    assert results.notes["message"].str.contains("this is HTML").sum() == 1


def test_a_report_in_a_string_of_json_is_refused_with_the_way_out():
    with pytest.raises(UnknownFormatError, match=r"jq -r '.. \| strings'"):
        ft.read(FIXTURES / "transcript" / "assembled-json-escaped.json")


LISTED = "dd if=/dev/zero of=/mnt/a bs=1M count=2\ndd if=/mnt/a of=/dev/null bs=1M count=2\n"


@pytest.mark.parametrize("prompt", ["", "$ "])
def test_reports_below_a_list_of_commands_are_in_its_order(prompt):
    results = ft.reads("".join(prompt + line for line in LISTED.splitlines(True)) + DD + DD)
    assert results.io["direction"].tolist() == ["write", "read"]
    assert results.io["target"].tolist() == ["/mnt/a", "/mnt/a"]


def test_another_number_of_reports_than_of_listed_commands_is_not_assigned():
    assert ft.reads(LISTED + DD + DD + DD).io["direction"].isna().all()


def test_two_sessions_on_one_line():
    one, other = LISTED.splitlines()
    said = DD.replace("\n", " ")
    results = ft.reads(f"root@a:~# {one} {said}root@a:~# {other} {said}")
    assert results.runs["command"].tolist() == [one, other]
    assert results.io["direction"].tolist() == ["write", "read"]


def test_the_tags_of_a_forum_are_not_commands():
    one = LISTED.splitlines()[0]
    text = f"[CODE]root@pve:~# {one}\n{DD}root@pve:~# [/CODE]\nand\n[CODE]{DD}[/CODE]\n"
    assert ft.reads(text).runs["command"].fillna("").tolist() == [one, ""]


def test_a_second_report_below_one_command_is_noted():
    report = "1+0 records in\n1+0 records out\n4096 bytes (4.1 kB) copied, {} s, {} kB/s\n"
    text = "$ dd if=/dev/zero of=x bs=4k count=1\n" + report.format("0.5", "8.2")
    text += "On my old laptop:\n" + report.format("2", "2.0")
    notes = ft.reads(text).notes
    assert notes["run"].tolist() == [2]
    assert notes["message"].str.contains("whether it printed both is not certain").all()
