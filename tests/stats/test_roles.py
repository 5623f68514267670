"""Which sides, metric and names are meant: one rule for every question, and what it leaves out."""

from __future__ import annotations

import warnings

import pytest

import fiotools as ft
from fiotools.errors import SchemaError, in_shell
from fiotools.stats import roles


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
  Date : 2020/03/28 23:28:04
    OS : Windows 10 Enterprise [10.0 Build 18363] (x64)

"""
RANDOM = "  Random Read 4KiB (Q=  8,T= 8) :  1231.131 MB/s [ 300569.1 IOPS]\n"
MEAN = """Benchmark 1: {command}
  Time (mean ± σ):     {mean} s ±  {deviation} s    [User: 0.1 s, System: 0.1 s]
  Range (min … max):   {low} s … {high} s    {n} runs

"""


def mean(command: str, value: float, deviation: float, n: int = 10) -> str:
    ends = {"low": f"{value - 2 * deviation:.3f}", "high": f"{value + 2 * deviation:.3f}"}
    return MEAN.format(command=command, mean=value, deviation=deviation, n=n, **ends)


# a session, the rows of its comparison (what names them, ratio, n), and what is left out
SESSIONS = {
    "a heading stands before a command": (
        "## ext4\n```\n" + dd(READ.format("a"), 1) + "```\n"
        "## xfs\n```\n" + dd(READ.format("b"), 2) + "```\n",
        [("xfs", 0.5, 1)],
        None,
    ),
    "targets": (dd(READ.format("a"), 1) + dd(READ.format("b"), 2), [("b", 0.5, 1)], None),
    "commands": (
        timed("cp -r src /mnt/a/one", 10) + timed("cp -r src /mnt/b/one", 5),
        [("b", 0.5, 1)],
        None,
    ),
    "what names all runs stands before what names some": (
        timed("cp -r src /mnt/a", 10, "u@nas:~$ ")
        + timed("cp -r src /mnt/b", 5, "u@laptop:~$ ")
        + timed("cp -r src /mnt/c", 20),
        [("b", 0.5, 1), ("c", 2.0, 1)],
        None,
    ),
    "a run without a side": (
        "## no command\n\nreal\t0m9.0s\nuser\t0m0.1s\nsys\t0m0.1s\n\nprose\n\n"
        + timed("cp -r src /mnt/a", 10)
        + timed("cp -r src /mnt/b", 5),
        [("b", 0.5, 1)],
        "1 run has no command, and no side: left out",
    ),
    "a run without a number": (
        dd(READ.format("a"), 1)
        + "$ dd "
        + READ.format("c")
        + "\n100+0 records in\n100+0 records out\n\n"
        + dd(READ.format("b"), 2),
        [("b", 0.5, 1)],
        "1 run has no iops: left out",
    ),
    "unlike work has rows of its own": (
        "NTFS:\n\n"
        + timed("cp -r a b", 10)
        + timed("tar cf - a", 8)
        + "ext4:\n\n"
        + timed("cp -r a b", 5)
        + timed("tar cf - a", 2),
        [("cp -r a b", "ext4", 0.5, 1), ("tar cf - a", "ext4", 0.25, 1)],
        None,
    ),
    "copies of one work are repeats": (
        "NTFS:\n\n"
        + timed("cp -r a b1", 10)
        + timed("cp -r a b2", 10)
        + "ext4:\n\n"
        + timed("cp -r a b1", 5)
        + timed("cp -r a b2", 5),
        [("ext4", 0.5, 2)],
        None,
    ),
    "a script says what it does": (
        "$ bash test.sh /mnt/a/x\nStarting write test...\n"
        + dd("", 4)
        + "Starting read test...\n"
        + dd("", 2)
        + "$ bash test.sh /mnt/b/y\nStarting write test...\n"
        + dd("", 2)
        + "Starting read test...\n"
        + dd("", 4),
        [("write", "y", 2.0, 1), ("read", "y", 0.5, 1)],
        None,
    ),
    "tests of one run, and those of one side only": (
        CDM.format(name="NTFS", read=2000, write=1000, more=RANDOM)
        + CDM.format(name="BTRFS", read=1000, write=500, more=""),
        [("read", "BTRFS", 0.5, 1), ("write", "BTRFS", 0.5, 1)],
        "1 test of one side only: left out",
    ),
    "means with their deviations": (
        mean("cp a b", 0.5, 0.01) + mean("cp a c", 1.0, 0.02),
        [("c", 2.0, 10)],
        None,
    ),
}


@pytest.mark.parametrize("name", SESSIONS)
def test_the_sides_of_a_session(name):
    text, expected, left_out = SESSIONS[name]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = ft.compare(ft.reads(text))
    names = [*found.columns[: list(found).index("baseline")]]
    rows = found[[*names, "ratio", "n"]].round(3).to_numpy().tolist()
    assert [tuple(row) for row in rows] == expected
    told = [str(one.message) for one in said]
    assert any(left_out in one for one in told) if left_out else not told


def test_runs_are_offered_without_sides():
    res = ft.reads(timed("cp a b", 1) + timed("cp a b", 2))
    with pytest.raises(SchemaError, match=r"only one side.*--between run$"), in_shell():
        ft.compare(res)
    assert ft.compare(res, between="run")["ratio"].tolist() == [2.0]


FILES = {
    "words": (["a_old_1", "a_old_2", "a_new_1", "a_new_2"], {"old", "new"}),
    "numbers count runs": (["old1", "old2", "new1", "new2"], {"old", "new"}),
    "folders": (["old/1", "old/2", "new/1"], {"old", "new"}),
    "words and numbers": (["ext4-run1", "xfs-run1", "xfs-run2"], {"ext4", "xfs"}),
}


@pytest.mark.parametrize("name", FILES)
def test_the_sides_of_files(name, tmp_path):
    files, sides = FILES[name]
    for one in files:
        (tmp_path / one).parent.mkdir(exist_ok=True)
        (tmp_path / f"{one}.txt").write_text(dd(READ.format("a"), 1))
    res, columns = roles.with_sides(ft.read(tmp_path))
    assert columns == ["label"]
    assert {*res.runs["label"]} == sides


@pytest.mark.parametrize(
    ("template", "columns"),
    [
        ("{fs}_{n}", ["fs"]),
        ("{fs}_{round:d}", ["fs"]),
        ("{fs}_{way}_{n}", ["fs"]),  # a way is the direction under another name
        ("{fs}_{host}_{n}", ["host", "fs"]),  # the most values; the other names cells
    ],
)
def test_the_sides_of_a_template(template, columns, tmp_path):
    ways = {"read": READ, "write": WRITE}
    for fs in ("ext4", "xfs"):
        for way, n in (("read", 1), ("write", 2)) if "{way}" in template else (("read", 1),) * 2:
            for host in ("a", "b", "c") if "{host}" in template else ("a",):
                name = template.replace(":d", "").format(fs=fs, way=way, n=n, host=host, round=n)
                (tmp_path / f"{name}.txt").write_text(dd(ways[way].format(fs), 1))
    template = template.replace("{host}", "{machine}")
    columns = [{"host": "machine"}.get(one, one) for one in columns]
    res = ft.read(f"{tmp_path}/{template}.txt")
    assert roles.with_sides(res)[1] == columns
    if len(columns) > 1:
        with pytest.warns(UserWarning, match="machine holds the sides, in each fs"):
            found = ft.compare(res)
        assert [*found.columns[:3]] == ["fs", "machine", "baseline"]


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
    assert roles.metric_of(ft.reads(text)) == metric


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


def test_a_file_of_two_sides_is_new(tmp_path):
    for name in ("1", "2", "3"):
        (tmp_path / f"{name}.txt").write_text(dd(READ.format("a"), int(name)))
    history, new = str(tmp_path), str(tmp_path / "3.txt")
    for given in ((history, new), ([history, new],), (f"{history}/*.txt", new)):
        if len(given) == 1:
            given = ({"old": history, "new": [new]},)
        with pytest.warns(
            UserWarning, match=r"3\.txt is in .* too: left out there, and new as (3|new)"
        ):
            res = ft.read(*given)
        assert sorted(res.runs["label"].value_counts()) == [1, 2]


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ({"alpha": 0.05}, "confidence="),
        ({"ci": 0.9}, "confidence="),
        ({"group": "label"}, "between="),
        ({"sides": "label"}, "between="),
        ({"before": "old"}, "baseline="),
        ({"y": "iops"}, "metric="),
    ],
)
@pytest.mark.parametrize(
    "ask", [ft.compare, ft.speedup, ft.overall, ft.gate], ids=lambda f: f.__name__
)
def test_a_wrong_keyword_is_answered(ask, asked, meant):
    with pytest.raises(SchemaError, match=f"did you mean .*{meant}"):
        ask(ft.reads(timed("cp a b", 1)), **asked)


@pytest.mark.parametrize("ask", [ft.compare, ft.gate], ids=lambda f: f.__name__)
def test_two_results_are_read_together(ask):
    one = ft.reads(timed("cp a b", 1))
    for given, named in (((one, one, "iops"), {}), ((one, one), {"metric": "iops"})):
        with pytest.raises((SchemaError, TypeError), match=r"one Results.*compare|multiple"):
            ask(*given, **named)


@pytest.mark.parametrize(
    ("typed", "column"),
    [
        ("IOPS", "iops"),
        ("bandwidth", "bw_bytes_per_s"),
        ("P99", "p99_ns"),
        ("Lat_Mean", "lat_mean_ns"),
    ],
)
def test_metrics_are_named_as_people_type_them(typed, column):
    res = ft.read("data/lima-mounts/fio/{mount}_randread.txt")
    for ask in (ft.compare, ft.summarize):
        if column == "lat_mean_ns" or column in res.io or ask is ft.compare:
            assert {*ask(res, typed)["metric"]} == {column}
