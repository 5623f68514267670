from pathlib import Path

import pytest

import fiotools as ft

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


def test_a_heading_is_no_command():
    text = f"# fio and dd\n\n```\n# dd if=/dev/zero of=x\n{DD}```\n\n# dd alone\n"
    assert ft.reads(text).runs["command"].tolist() == ["dd if=/dev/zero of=x"]


def test_prose_without_results_is_unknown():
    with pytest.raises(ft.UnknownFormatError):
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
