"""Which line above a report is its heading, and which is none."""

from pathlib import Path

import pytest

import fiotools as ft

FIXTURES = Path(__file__).parents[1] / "fixtures" / "transcript"
DD = "dd if=/dev/zero of=/mnt/a/x bs=1M count=2"
REPORT = (
    "2+0 records in\n2+0 records out\n2097152 bytes (2.1 MB, 2.0 MiB) copied, 0.5 s, 4.2 MB/s\n"
)
RUN = f"$ {DD}\n{REPORT}"
FENCED = f"```\n{RUN}```\n"


def headings(results: ft.Results) -> list[str | None]:
    return results.tables.polars("runs")["heading"].to_list()


def named(text: str) -> list[str | None]:
    return headings(ft.reads(text))


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("headings-article.md", ["Memory (tmpfs)"] * 2 + ["Disk, overlay"] * 2),
        (
            "headings-labels.md",
            ["Memory", *["Disk, no flush"] * 2, None, "from the cache", "Read again"],
        ),
        ("headings-separators.txt", ["none", "none", "fdatasync", "fdatasync"]),
        ("headings-typed.txt", ["before", "before", None, "after", "again"]),
        ("headings-json.md", ["shm", "disk"]),
        ("pty-bash-C-lf.txt", [None] * 4),
    ],
)
def test_real_runs(file, names):
    assert headings(ft.read(FIXTURES / file)) == names


def test_a_heading_is_a_side():
    results = ft.read(FIXTURES / "headings-separators.txt")
    answer = ft.compare(results, "bw_bytes_per_s", between="heading", baseline="none")
    assert answer["heading"].tolist() == ["fdatasync"]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("## ext4", "ext4"),
        ("### `ext4` with *noatime* ###", "ext4 with noatime"),
        ("## [ext4](https://ext4.wiki)", "ext4"),
        ("ext4\n====", "ext4"),
        ("ext4\n----", "ext4"),
        ("**HDD:**", "HDD"),
        ("**HDD**:", "HDD"),
        ("__HDD__", "HDD"),
        ("- **HDD**", "HDD"),
        ("[b]HDD[/b]", "HDD"),
        ("HDD:", "HDD"),
        ("Results on NVMe:", "Results on NVMe"),
        ("* Within a host volume using NFS", "Within a host volume using NFS"),
        ("1. NVMe に対する測定結果の抜粋", "NVMe に対する測定結果の抜粋"),
        ("=== with cache ===", "with cache"),
        ("---- with cache ----", "with cache"),
        ("<details>\n<summary>ZFS (<b>RAID 10</b>)</summary>", "ZFS (RAID 10)"),
        ("C:", "C"),
    ],
)
def test_a_name_stands_above_a_fence(line, name):
    assert named(f"{line}\n\n{FENCED}") == [name]
    assert named(f"{line}\nOutput:\n\n{FENCED}\n{FENCED}") == [name] * 2


@pytest.mark.parametrize(
    "line",
    [
        *("I got this:", "The output is as follows:", "Output:", "Results:", "Here is the run:"),
        *("It is slow.", "HDD", "1:", "| HDD |", "---", "100 %:", "ext4: rw, noatime:"),
        "On all the machines with a disk of that old model from last year:",
        "<!-- HDD -->",
    ],
)
def test_another_line_is_none(line):
    assert named(f"{line}\n\n{FENCED}") == [None]
    assert named(f"{line}\n{RUN}") == [None]


@pytest.mark.parametrize("mark", ["# ", "## "])
def test_a_comment_stands_above_its_command(mark):
    assert named(f"{mark}before\n{RUN}{mark}after\n{RUN}") == ["before", "after"]
    assert named(f"```\n{mark}before\n{RUN}{RUN}```\n{FENCED}") == ["before", "before", None]


def test_a_comment_on_another_command_is_none():
    assert named(f"# empty the cache\n$ sync\n{RUN}") == [None]
    assert named(f"# ext4\n{RUN}# empty the cache\n$ sync\n{RUN}") == ["ext4", None]


def test_root_types_no_comments():
    assert named(f"# echo 3 > /proc/sys/vm/drop_caches\n# {DD}\n{REPORT}") == [None]
    assert named(f"```\n# lsblk /dev/sda\n# {DD}\n{REPORT}```\n") == [None]


def test_a_comment_below_a_command_is_none():
    assert named(f"$ {DD}\n\n# wait\n{REPORT}") == [None]


def test_output_is_none():
    assert named(f"$ sudo -i\nPassword:\n{RUN}") == [None]
    assert named(f"$ {DD}\nPassword:\n{REPORT}") == [None]
    assert named(f"$ cat motd\nHDD\n{RUN}") == [None]


@pytest.mark.parametrize("command", ["echo ext4", 'echo "=== ext4 ==="', "echo 'ext4'"])
def test_an_echo_names_what_follows(command):
    printed = command.removeprefix("echo ").strip("\"'")
    assert named(f"$ {command}\n{printed}\n{RUN}") == ["ext4"]


@pytest.mark.parametrize("command", ["echo 3 > /proc/x", "echo $HOME", "echo a | tee b", "echo 3"])
def test_another_echo_names_nothing(command):
    assert named(f"$ {command}\n{RUN}") == [None]


@pytest.mark.parametrize("title", ["console:ext4", 'console title="ext4"', "sh:ext4"])
def test_the_title_of_a_fence_is_its_own(title):
    assert named(f"```{title}\n{RUN}```\n{FENCED}") == ["ext4", None]


def test_a_label_ends_at_prose_and_a_heading_does_not():
    prose = "\nThe next one is of another machine.\n\n"
    assert named(f"**HDD**\n{FENCED}{prose}{FENCED}") == ["HDD", None]
    assert named(f"## HDD\n{FENCED}{prose}{FENCED}") == ["HDD", "HDD"]
    assert named(f"# A\n**HDD**\n{FENCED}{prose}{FENCED}") == ["HDD", "A"]


def test_output_of_another_command_ends_no_label():
    assert named(f"HDD:\n{RUN}$ du -sh x\n2.0M x\n{RUN}") == ["HDD", "HDD"]


def test_the_nearest_heading_counts():
    text = f"# Results\n\n## ext4\n{FENCED}\n### again\n{FENCED}\n## xfs\n{FENCED}"
    assert named(text) == ["ext4", "again", "xfs"]


def test_names_that_return_under_others_tell_no_sides_apart():
    both = f"### read\n{FENCED}\n### write\n{FENCED}"
    assert named(f"## ext4\n\n{both}\n## xfs\n\n{both}") == ["ext4"] * 2 + ["xfs"] * 2
    # below the same name they are repeats
    assert named(f"## ext4\n\n{both}\n{both}") == ["read", "write"] * 2


def test_a_timing_has_the_heading_of_its_report():
    time = "\nreal\t0m0.6s\nuser\t0m0.1s\nsys\t0m0.2s\n"
    assert named(f"HDD:\n$ time {DD}\n{REPORT}{time}") == ["HDD"]
    assert named(f"HDD:\n$ time ./x\n{time}SSD:\n$ time ./x\n{time}") == ["HDD", "SSD"]


def test_reports_of_every_tool_have_it():
    fio = "x: (groupid=0, jobs=1): err= 0: pid=1: Mon Jan 27 20:05:10 2025\n"
    fio += "  read: IOPS=1, BW=4096B/s (4096B/s)(4096B/1000msec)\n"
    assert named(f"## a\n```\n{fio}```\n## b\n```\n{fio}```\n") == ["a", "b"]


def test_a_report_alone_has_none():
    assert named(REPORT) == [None]


def test_the_title_of_a_fence_without_a_report_ends_with_it():
    text = f"```console:memory\n$ free\nMem: 8 GB\n```\n\n```console:ext4\n$ {RUN}\n```\n"
    assert named(text) == ["ext4"]


@pytest.mark.parametrize("sign", ["=", "-", "~", "^", '"', "*", "+", "#"])
@pytest.mark.parametrize("fence", ["", "```\n"])
def test_an_underlined_line_is_a_heading_of_all_below(sign, fence):
    rule = sign * 22
    prose = "\nMore of it, on another day.\n\n"
    run = f"{fence}{RUN}{fence}"
    text = f"6.8-rc7: 2 disks\n{rule}\n\n{run}{prose}{run}\nxfs\n{rule}\n\n{run}"
    assert named(text) == ["6.8-rc7: 2 disks"] * 2 + ["xfs"]
    if sign != "~":  # a line of these alone begins a fence
        assert named(f"{rule}\nnew\n{rule}\n\n{run}") == ["new"]


def test_a_heading_of_restructuredtext_is_underlined_and_its_blocks_are_introduced():
    for rule in ("~" * 12, "~" * 14, "~" * 20):  # the title has 14 letters
        text = f"btrfs on a USB\n{rule}\n\nThe second disk::\n\n{RUN}\n\n"
        assert named(f"{text}xfs on a stick\n{rule}\n\n{RUN}") == [
            "btrfs on a USB",
            "xfs on a stick",
        ]
    # a fence below its label
    assert named(f"btrfs on a USB\n~~~\n{RUN}~~~\nxfs\n~~~\n{RUN}~~~\n") == [
        "btrfs on a USB",
        "xfs",
    ]


@pytest.mark.parametrize(
    "line", ["It was slow.", "Model   Size", "12345", "a | b", "one two three four five six " * 2]
)
def test_a_sentence_and_a_table_above_a_rule_are_not_headings(line):
    assert named(f"{line}\n-----\n\n{RUN}") == [None]


def test_a_plain_line_just_above_a_fence_is_a_label():
    one, other = f"Disk with 9p\n{FENCED}", f"Disk with virtiofs\n```\n{RUN}\n```\n"
    assert named(f"# Actual result\n\n{one}\n{other}") == ["Disk with 9p", "Disk with virtiofs"]
    assert named(f"# Actual result\n\nIt is slow\n{FENCED}") == ["Actual result"]


def test_a_label_stands_through_the_output_of_its_command():
    assert named(f"ext4:\n$ ./bench.sh\nstarting\nready\n{REPORT}") == ["ext4"]
