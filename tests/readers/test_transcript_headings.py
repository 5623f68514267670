"""Which line above a report is its heading, and which is none."""

import pytest

import fiotools as ft
from tests.readers.outputs import DD, FIXTURES, TIME

COMMAND = "dd if=/dev/zero of=/mnt/a/x bs=1M count=2"
RUN = f"$ {COMMAND}\n{DD}"
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
    assert headings(ft.read(FIXTURES / "transcript" / file)) == names


def test_a_heading_is_a_side():
    results = ft.read(FIXTURES / "transcript" / "headings-separators.txt")
    answer = ft.compare(results, "bw_bytes_per_s", between="heading", baseline="none")
    assert answer["heading"].tolist() == ["fdatasync"]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("## ext4", "ext4"),
        ("### `ext4` with *noatime* ###", "ext4 with noatime"),
        ("## [ext4](https://ext4.wiki)", "ext4"),
        ("ext4\n====", "ext4"),
        ("**HDD:**", "HDD"),
        ("- **HDD**", "HDD"),
        ("HDD:", "HDD"),
        ("Results on NVMe:", "Results on NVMe"),
        ("* Within a host volume using NFS", "Within a host volume using NFS"),
        ("1. NVMe に対する測定結果の抜粋", "NVMe に対する測定結果の抜粋"),
        ("=== with cache ===", "with cache"),
        ("<details>\n<summary>ZFS (<b>RAID 10</b>)</summary>", "ZFS (RAID 10)"),
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


PROSE = "\nThe next one is of another machine.\n\n"
READ_WRITE = f"### read\n{FENCED}\n### write\n{FENCED}"
FIO = (
    "x: (groupid=0, jobs=1): err= 0: pid=1: Mon Jan 27 20:05:10 2025\n"
    "  read: IOPS=1, BW=4096B/s (4096B/s)(4096B/1000msec)\n"
)
# texts, and the headings of their runs
TEXTS = [
    # a comment stands above its command; that on another command is none
    (f"# before\n{RUN}## after\n{RUN}", ["before", "after"]),
    (f"```\n# before\n{RUN}{RUN}```\n{FENCED}", ["before", "before", None]),
    (f"# empty the cache\n$ sync\n{RUN}", [None]),
    (f"# ext4\n{RUN}# empty the cache\n$ sync\n{RUN}", ["ext4", None]),
    (f"$ {COMMAND}\n\n# wait\n{DD}", [None]),
    # root types no comments
    (f"# echo 3 > /proc/sys/vm/drop_caches\n# {COMMAND}\n{DD}", [None]),
    (f"```\n# lsblk /dev/sda\n# {COMMAND}\n{DD}```\n", [None]),
    # output is none, and ends no label
    (f"$ sudo -i\nPassword:\n{RUN}", [None]),
    (f"$ cat motd\nHDD\n{RUN}", [None]),
    (f"HDD:\n{RUN}$ du -sh x\n2.0M x\n{RUN}", ["HDD", "HDD"]),
    (f"ext4:\n$ ./bench.sh\nstarting\nready\n{DD}", ["ext4"]),
    # an echo names what follows
    (f'$ echo "=== ext4 ==="\n=== ext4 ===\n{RUN}', ["ext4"]),
    (f"$ echo 'ext4'\next4\n{RUN}", ["ext4"]),
    *(
        (f"$ {echo}\n{RUN}", [None])
        for echo in ("echo 3 > /proc/x", "echo $HOME", "echo a | tee b", "echo 3")
    ),
    # the title of a fence is its own
    *(
        (f"```{title}\n{RUN}```\n{FENCED}", ["ext4", None])
        for title in ("console:ext4", 'console title="ext4"', "sh:ext4")
    ),
    (f"```console:memory\n$ free\nMem: 8 GB\n```\n\n```console:ext4\n$ {RUN}\n```\n", ["ext4"]),
    # a label ends at prose, and a heading does not
    (f"**HDD**\n{FENCED}{PROSE}{FENCED}", ["HDD", None]),
    (f"## HDD\n{FENCED}{PROSE}{FENCED}", ["HDD", "HDD"]),
    (f"# A\n**HDD**\n{FENCED}{PROSE}{FENCED}", ["HDD", "A"]),
    # the nearest heading counts
    (
        f"# Results\n\n## ext4\n{FENCED}\n### again\n{FENCED}\n## xfs\n{FENCED}",
        ["ext4", "again", "xfs"],
    ),
    # names that return under others tell no sides apart; below the same name they are repeats
    (f"## ext4\n\n{READ_WRITE}\n## xfs\n\n{READ_WRITE}", ["ext4"] * 2 + ["xfs"] * 2),
    (f"## ext4\n\n{READ_WRITE}\n{READ_WRITE}", ["read", "write"] * 2),
    # a timing has the heading of its report; reports of every tool have it
    (f"HDD:\n$ time {COMMAND}\n{DD}{TIME}", ["HDD"]),
    (f"## a\n```\n{FIO}```\n## b\n```\n{FIO}```\n", ["a", "b"]),
    # a plain line just above a fence is a label
    (
        f"# Actual result\n\nDisk with 9p\n{FENCED}\nDisk with virtiofs\n```\n{RUN}\n```\n",
        ["Disk with 9p", "Disk with virtiofs"],
    ),
    (f"# Actual result\n\nIt is slow\n{FENCED}", ["Actual result"]),
    # what is underlined by as many signs is a heading, also where they begin a fence elsewhere
    *(
        (
            f"btrfs on a USB\n{rule}\n\nThe second disk::\n\n{RUN}\n\n"
            f"xfs on a stick\n{rule}\n\n{RUN}",
            ["btrfs on a USB", "xfs on a stick"],
        )
        for rule in ("~" * 12, "~" * 20)
    ),
    (f"btrfs on a USB\n~~~\n{RUN}~~~\nxfs\n~~~\n{RUN}~~~\n", ["btrfs on a USB", "xfs"]),
    # a sentence and a table above a rule are not headings
    *(
        (f"{line}\n-----\n\n{RUN}", [None])
        for line in ("It was slow.", "Model   Size", "12345", "a | b", "one two three " * 4)
    ),
]


@pytest.mark.parametrize(("text", "names"), TEXTS)
def test_the_heading_of_a_report(text, names):
    assert named(text) == names


@pytest.mark.parametrize("sign", [*'=-~^"*+#'])
@pytest.mark.parametrize("fence", ["", "```\n"])
def test_an_underlined_line_is_a_heading_of_all_below(sign, fence):
    rule = sign * 22
    prose = "\nMore of it, on another day.\n\n"
    run = f"{fence}{RUN}{fence}"
    text = f"6.8-rc7: 2 disks\n{rule}\n\n{run}{prose}{run}\nxfs\n{rule}\n\n{run}"
    assert named(text) == ["6.8-rc7: 2 disks"] * 2 + ["xfs"]
    if sign != "~":  # a line of these alone begins a fence
        assert named(f"{rule}\nnew\n{rule}\n\n{run}") == ["new"]
