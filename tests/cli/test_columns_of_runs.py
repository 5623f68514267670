"""Columns of the runs (host, command, tool) can be named, whichever table has the metric."""

import json

import pytest

TIMING = "\nreal\t0m{}s\nuser\t0m0.100s\nsys\t0m0.200s\n"
DD = (
    "{}:/w$ dd if=/dev/zero of=x bs=1M count=100\n100+0 records in\n100+0 records out\n"
    "104857600 bytes (105 MB, 100 MiB) copied, {} s, 105 MB/s\n"
)


@pytest.fixture
def hosts(tmp_path):
    """Three timings on each of two machines."""
    seconds = {"u@one": ("2.620", "2.766", "2.429"), "u@two": ("0.702", "0.705", "0.712")}
    path = tmp_path / "hosts.log"
    path.write_text(
        "".join(
            f"{user}:/w$ time du -s\n{TIMING.format(one)}"
            for user, each in seconds.items()
            for one in each
        )
    )
    return path


@pytest.fixture
def dds(tmp_path):
    path = tmp_path / "dds.log"
    path.write_text(DD.format("u@one", "1.0") + DD.format("u@two", "2.0"))
    return path


def rows(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_between_hosts(inside, hosts):
    for verb in ("compare", "speedup"):
        done = inside(verb, hosts, "--metric", "real", "--between", "host", "--format", "json")
        (row,) = rows(done)
        assert (row["host"], row["baseline"], row["n"]) == ("two", "one", 3)
        assert row["center"] == pytest.approx(0.7063, abs=1e-4)
    done = inside(
        *("compare", hosts, "--metric", "real", "--between", "host", "--baseline", "two"),
        *("--format", "json"),
    )
    assert [row["host"] for row in rows(done)] == ["one"]


def test_the_host_names_the_sides_if_nothing_else_does(inside, hosts):
    done = inside("compare", hosts, "--metric", "real", "--format", "json")
    assert "The sides were found in the files: one, two; --between names others" in done.stderr
    assert [(row["label"], row["baseline"]) for row in rows(done)] == [("two", "one")]


def test_by_and_where(inside, hosts):
    done = inside("summarize", hosts, "--metric", "real", "--by", "host,tool", "-f", "json")
    assert [(row["host"], row["tool"], row["n"]) for row in rows(done)] == [
        ("one", "time", 3),
        ("two", "time", 3),
    ]
    done = inside("summarize", hosts, "--metric", "real", "--where", "host=two", "-f", "json")
    assert [(row["n"], row["max"]) for row in rows(done)] == [(3, 0.712)]
    done = inside("read", hosts, "--table", "runs", "--where", "host=two", "-f", "json")
    assert {row["host"] for row in rows(done)} == {"two"}
    refused = inside("summarize", hosts, "--metric", "real", "--where", "host=three")
    assert "host holds: one, two" in refused.stderr


def test_a_table_with_an_empty_column_of_that_name(inside, dds):
    done = inside("compare", dds, "--metric", "bw", "--between", "host", "--format", "json")
    assert [(row["host"], round(row["ratio"], 9)) for row in rows(done)] == [("two", 0.5)]
    done = inside("summarize", dds, "--metric", "bw", "--by", "command", "--format", "json")
    assert [row["n"] for row in rows(done)] == [2]


def test_between_commands_the_first_is_the_baseline(inside, tmp_path):
    path = tmp_path / "commands.log"
    path.write_text(
        f"$ time cat /mnt/c/big\n{TIMING.format('10.000')}"
        f"$ time cat /home/u/big\n{TIMING.format('1.000')}"
    )
    for verb in ("compare", "speedup"):
        done = inside(verb, path, "--metric", "real", "--between", "command", "--format", "json")
        (row,) = rows(done)
        assert (row["command"], row["baseline"]) == ("cat /home/u/big", "cat /mnt/c/big")
    target = tmp_path / "plot.svg"
    done = inside("plot", "ratios", path, "--metric", "real", "--between", "command", "-o", target)
    assert (done.returncode, target.exists()) == (0, True)


def test_plots(inside, hosts, tmp_path):
    for number, more in enumerate((("ratios", "--between"), ("repeats", "--y"))):
        kind, option = more
        target = tmp_path / f"{number}.svg"
        done = inside("plot", kind, hosts, "--metric", "real", option, "host", "-o", target)
        assert (done.returncode, target.exists()) == (0, True), done.stderr


def test_a_condition_adds_no_column(inside, dds):
    done = inside("read", dds, "--where", "tool=dd", "--format", "json")
    assert all("tool" not in row for row in rows(done))
