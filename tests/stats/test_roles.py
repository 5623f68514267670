"""Which sides, metric and names are meant: one rule for every question, and what it leaves out."""

from __future__ import annotations

import warnings
from itertools import product

import pytest

import fiotools as ft
from fiotools.errors import SchemaError, in_shell


def timed(command: str, seconds: float, prompt: str = "$ ") -> str:
    return f"{prompt}time {command}\n\nreal\t0m{seconds:.3f}s\nuser\t0m0.1s\nsys\t0m0.1s\n\n"


def dd(operands: str, seconds: float, prompt: str = "$ ") -> str:
    size = "104857600 bytes (105 MB, 100 MiB) copied"
    head = f"{prompt}dd {operands}\n" if operands else ""
    rate = f"{104.8576 / seconds:.4g} MB/s"
    return f"{head}100+0 records in\n100+0 records out\n{size}, {seconds} s, {rate}\n\n"


READ, WRITE = "if=/mnt/{}/x of=/dev/null bs=1M", "if=/dev/zero of=/mnt/{}/x bs=1M count=100"
CDM = """{name}
-----------------------------------------------------------------------
CrystalDiskMark 6.0.2 x64 (C) 2007-2018 hiyohiyo
                          Crystal Dew World : https://crystalmark.info/
-----------------------------------------------------------------------
* MB/s = 1,000,000 bytes/s [SATA/600 = 600,000,000 bytes/s]
* KB = 1000 bytes, KiB = 1024 bytes

   Sequential Read (Q= 32,T= 1) :  {read}.000 MB/s
  Sequential Write (Q= 32,T= 1) :  {write}.000 MB/s
{more}
  Test : 500 MiB [C: 58.7% (55.4/94.4 GiB)] (x1)  [Interval=5 sec]

"""
RANDOM = "  Random Read 4KiB (Q=  8,T= 8) :  1231.131 MB/s [ 300569.1 IOPS]\n"
MEAN = """Benchmark 1: {command}
  Time (mean ± σ):     {mean} s ±  {deviation} s    [User: 0.1 s, System: 0.1 s]
  Range (min … max):   {low} s … {high} s    {n} runs

"""


def mean(command: str, value: float, deviation: float, n: int = 10) -> str:
    ends = {"low": f"{value - 2 * deviation:.3f}", "high": f"{value + 2 * deviation:.3f}"}
    return MEAN.format(command=command, mean=value, deviation=deviation, n=n, **ends)


ONE, OTHER = dd(READ.format("a"), 1), dd(READ.format("b"), 2)
CUT = f"$ dd {READ.format('c')}\n100+0 records in\n100+0 records out\n\n"
NO_COMMAND = "## no command\n\nreal\t0m9.0s\nuser\t0m0.1s\nsys\t0m0.1s\n\nprose\n\n"
CP, TAR = "cp -r a b", "tar cf - a"
WRITES, READS = "Starting write test...\n", "Starting read test...\n"


def copied(to: str, seconds: float, prompt: str = "$ ") -> str:
    return timed(f"cp -r src /mnt/{to}", seconds, prompt)


# a session as its parts, the rows of its comparison (what names them, ratio, n), what is left out
SESSIONS = {
    "a heading stands before a command": (
        ["## ext4\n```\n", ONE, "```\n## xfs\n```\n", OTHER, "```\n"],
        *([("xfs", 0.5, 1)], None),
    ),
    "targets": ([ONE, OTHER], [("b", 0.5, 1)], None),
    "commands": ([copied("a/one", 10), copied("b/one", 5)], [("b", 0.5, 1)], None),
    "what names all runs stands before what names some": (
        [copied("a", 10, "u@nas:~$ "), copied("b", 5, "u@laptop:~$ "), copied("c", 20)],
        *([("b", 0.5, 1), ("c", 2.0, 1)], None),
    ),
    "a run without a side": (
        [NO_COMMAND, copied("a", 10), copied("b", 5)],
        *([("b", 0.5, 1)], "1 run has no command, and no side: left out"),
    ),
    "a run without a number": (
        [ONE, CUT, OTHER],
        *([("b", 0.5, 1)], "1 run has no iops: left out"),
    ),
    "unlike work has rows of its own": (
        ["NTFS:\n\n", timed(CP, 10), timed(TAR, 8), "ext4:\n\n", timed(CP, 5), timed(TAR, 2)],
        *([(CP, "ext4", 0.5, 1), (TAR, "ext4", 0.25, 1)], None),
    ),
    "copies of one work are repeats": (
        [
            *("NTFS:\n\n", timed("cp -r a b1", 10), timed("cp -r a b2", 10)),
            *("ext4:\n\n", timed("cp -r a b1", 5), timed("cp -r a b2", 5)),
        ],
        *([("ext4", 0.5, 2)], None),
    ),
    "a script says what it does": (
        [
            *("$ bash test.sh /mnt/a/x\n", WRITES, dd("", 4), READS, dd("", 2)),
            *("$ bash test.sh /mnt/b/y\n", WRITES, dd("", 2), READS, dd("", 4)),
        ],
        *([("write", "y", 2.0, 1), ("read", "y", 0.5, 1)], None),
    ),
    "tests of one run, and those of one side only": (
        [
            CDM.format(name="NTFS", read=2000, write=1000, more=RANDOM),
            CDM.format(name="BTRFS", read=1000, write=500, more=""),
        ],
        *([("read", "BTRFS", 0.5, 1), ("write", "BTRFS", 0.5, 1)], "1 test of one side only: left"),
    ),
    "means with their deviations": (
        [mean("cp a b", 0.5, 0.01), mean("cp a c", 1.0, 0.02)],
        *([("c", 2.0, 10)], None),
    ),
}


def sides_of(found):
    """Name the columns that tell the rows of a comparison apart."""
    return [*found.columns[: list(found).index("baseline")]]


@pytest.mark.parametrize(("parts", "expected", "left_out"), SESSIONS.values(), ids=SESSIONS)
def test_the_sides_of_a_session(parts, expected, left_out):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = ft.compare(ft.reads("".join(parts)))
    rows = found[[*sides_of(found), "ratio", "n"]].round(3).to_numpy().tolist()
    assert [tuple(row) for row in rows] == expected
    told = [str(one.message) for one in said]
    assert any(left_out in one for one in told) if left_out else not told


def test_runs_are_offered_without_sides():
    res = ft.reads(timed("cp a b", 1) + timed("cp a b", 2))
    with pytest.raises(SchemaError, match=r"only one side.*--between run$"), in_shell():
        ft.compare(res)
    assert ft.compare(res, between="run")["ratio"].tolist() == [2.0]


@pytest.mark.parametrize(
    ("files", "old", "new"),
    [
        (["a_old_1", "a_old_2", "a_new_1", "a_new_2"], "new", "old"),
        # numbers count runs
        (["old1", "old2", "new1", "new2"], "new", "old"),
        (["old/1", "old/2", "new/1"], "new", "old"),
        (["ext4-run1", "xfs-run1", "xfs-run2"], "ext4", "xfs"),
    ],
)
def test_the_sides_of_files(files, old, new, tmp_path):
    for one in files:
        (tmp_path / one).parent.mkdir(exist_ok=True)
        (tmp_path / f"{one}.txt").write_text(dd(READ.format("a"), 1))
    found = ft.compare(ft.read(tmp_path))
    assert found[["label", "baseline"]].values.tolist() == [[new, old]]


@pytest.mark.parametrize(
    ("template", "columns"),
    [
        ("{fs}_{n}", ["fs"]),
        ("{fs}_{round:d}", ["fs"]),
        ("{fs}_{way}_{n}", ["fs"]),  # a way is the direction under another name
        ("{fs}_{machine}_{n}", ["fs", "machine"]),  # the most values; the other names cells
    ],
)
def test_the_sides_of_a_template(template, columns, tmp_path):
    several = {"way": ["read", "write"], "machine": ["a", "b", "c"]}
    ways, machines = (several[one] if one in template else ["read"] for one in several)
    for fs, way, machine, n in product(("ext4", "xfs"), ways, machines, (1, 2)):
        names = {"fs": fs, "way": way, "machine": machine, "n": n, "round": n}
        operands = {"read": READ, "write": WRITE}[way].format(fs)
        file = template.replace(":d", "").format(**names)
        (tmp_path / f"{file}.txt").write_text(dd(operands, 1))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = ft.compare(ft.read(f"{tmp_path}/{template}.txt"))
    assert [one for one in sides_of(found) if one != "direction"] == columns
    told = [str(one.message) for one in said]
    assert ("machine holds the sides, in each fs" in "".join(told)) is ("machine" in columns)


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        (dd(READ.format("a"), 1), "iops"),
        (dd("", 1).replace("100+0 records in\n100+0 records out\n", ""), "bw_bytes_per_s"),
        (timed("cp a b", 1), "real_s"),
        (dd(READ.format("a"), 1) + 2 * timed("cp a b", 1), "real_s"),  # as most runs have it
        (mean("cp a b", 0.5, 0.01), "real_mean_s"),
    ],
)
def test_the_metric(text, metric):
    assert {*ft.summarize(ft.reads(text))["metric"]} == {metric}


def test_a_mean_beside_one_run_is_left_out_and_says_what_compares_it():
    text = timed("cp a b", 1) + mean("cp a b", 0.5, 0.01) + timed("cp a c", 2)
    with pytest.warns(UserWarning, match=r"but the mean of several \(metric='real_mean'"):
        assert ft.compare(ft.reads(text))["ratio"].tolist() == [2.0]


def test_two_means_have_an_interval():
    res = ft.reads(mean("cksum a", 0.427, 0.0138) + mean("coreutils a", 7.578, 0.025))
    (row,) = ft.compare(res).to_dict("records")
    # hyperfine's own summary: 17.75 ± 0.58, which is a deviation of runs; t(9) of the means
    assert row["ratio"] == pytest.approx(17.75, abs=0.01)
    assert (row["n"], row["n_baseline"]) == (10, 10)
    half = 2.262 * ((0.0138 / 0.427) ** 2 + (0.025 / 7.578) ** 2) ** 0.5 / 10**0.5
    assert row["ratio_hi"] / row["ratio"] - 1 == pytest.approx(half, rel=0.03)
    assert row["verdict"] == "slower"
    assert "(means)" in str(ft.show(ft.compare(res)))


def test_means_of_an_unknown_number_of_runs_have_no_error():
    table = "command,mean,stddev,median,user,system,min,max\n"
    rows = "cp a b,0.4,0.01,0.4,0.1,0.3,0.39,0.45\ncp a c,0.8,0.02,0.8,0.1,0.3,0.7,0.9\n"
    found = ft.compare(ft.reads(table + rows))
    assert (found["ratio"].item(), found["ratio_lo"].count(), found["n"].count()) == (2.0, 0, 0)
    shown = str(ft.show(found))
    assert "means of an unknown number of runs" in shown
    assert "--export-json" in shown


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (("old", "old/3.txt"), "3"),
        (("old/*.txt", "old/3.txt"), "3"),
        (({"before": "old", "after": ["old/3.txt"]},), "after"),
    ],
)
def test_a_file_of_two_sides_is_new(tmp_path, monkeypatch, given, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old").mkdir()
    for seconds in (1, 2, 3):
        (tmp_path / f"old/{seconds}.txt").write_text(dd(READ.format("a"), seconds))
    said = rf"3\.txt is in .* too: left out there, and new as {name}"
    with pytest.warns(UserWarning, match=said):
        res = ft.read(*given)
    assert sorted(res.runs["label"].value_counts()) == [1, 2]


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ({"alpha": 0.05}, "confidence="),
        ({"group": "label"}, "between="),
        ({"before": "old"}, "baseline="),
        ({"y": "iops"}, "metric="),
    ],
)
def test_a_wrong_keyword_is_answered(asked, meant):
    with pytest.raises(SchemaError, match=f"did you mean .*{meant}"):
        ft.compare(ft.reads(timed("cp a b", 1)), **asked)


@pytest.mark.parametrize("ask", [ft.compare, ft.gate], ids=lambda f: f.__name__)
def test_two_results_are_read_together(ask):
    one = ft.reads(timed("cp a b", 1))
    for given, named in (((one, one, "iops"), {}), ((one, one), {"metric": "iops"})):
        with pytest.raises((SchemaError, TypeError), match=r"one Results.*compare|multiple"):
            ask(*given, **named)
