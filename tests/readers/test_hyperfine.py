"""hyperfine: our own exports, other versions' by their source's grammar, and damage."""

import json
import math
import statistics
from pathlib import Path

import pandas as pd
import pytest

import fiotools as ft
from fiotools.readers import READERS, opened, reader_named

FIXTURES = Path(__file__).parents[1] / "fixtures" / "hyperfine"
CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "dd-time"
NOT_READ = ["markdown.md", "asciidoc.adoc", "terminal.txt"]
COLUMNS = ["real_s", "user_s", "sys_s", "max_rss_bytes", "exit_status"]
HEADER = "command,mean,stddev,median,user,system,min,max\n"
LINE = "sleep 1,1.5,0.5,1.5,0.25,0.125,1,2\n"


def fixture(case):
    return ft.read(FIXTURES / f"hyperfine-1.15.0--{case}")


def export(**changes):
    """Write one command's result, as 1.15 does; None leaves a key out."""
    result = {
        "command": "cat data",
        "mean": 1.5,
        "stddev": 0.5,
        "median": 1.5,
        "user": 0.25,
        "system": 0.125,
        "min": 1.0,
        "max": 2.0,
        "times": [1.0, 1.5, 2.0],
        "exit_codes": [0, 0, 0],
        **changes,
    }
    return json.dumps({"results": [{k: v for k, v in result.items() if v is not None}]}, indent=2)


def values(frame, columns=COLUMNS):
    return frame[columns].astype(object).to_numpy(na_value=None).tolist()


def test_each_execution_is_a_run():
    results = fixture("two_commands.json")
    path = FIXTURES / "hyperfine-1.15.0--two_commands.json"
    told = json.loads(path.read_text(encoding="utf-8"))["results"]
    assert results.timings["run"].tolist() == list(range(1, 13))
    assert results.timings["real_s"].tolist() == [time for one in told for time in one["times"]]
    assert results.timings["real_mean_s"].isna().all(), "the runs are there"
    assert results.timings["user_s"].isna().all(), "known as a mean only"
    assert results.runs["duration_s"].tolist() == results.timings["real_s"].tolist()
    assert results.runs["command"].tolist() == results.timings["command"].tolist()
    assert results.notes.empty
    extras = results.extras.set_index("path")["text"]
    assert float(extras["results/1/user"]) == told[1]["user"]


def test_statistics_count_the_executions():
    timings = fixture("two_commands.json").timings
    path = FIXTURES / "hyperfine-1.15.0--two_commands.json"
    told = json.loads(path.read_text(encoding="utf-8"))["results"]
    summary = ft.summarize(timings, "real_s", by="command")
    assert summary["n"].tolist() == [6, 6]
    for column in ("mean", "stddev", "median"):
        assert summary[column].tolist() == pytest.approx([one[column] for one in told])
    answer = ft.speedup(timings, "real_s", between="command", baseline=told[0]["command"])
    assert (answer["n"].item(), answer["n_baseline"].item()) == (6, 6)
    logs = [statistics.fmean(map(math.log, one["times"])) for one in told]
    assert answer["speedup"].item() == pytest.approx(math.exp(logs[0] - logs[1]))


def test_parameters_in_both_exports():
    full, summary = fixture("parameters.json"), fixture("parameters.csv")
    for results, runs in ((full, 3), (summary, 1)):
        wide = results.settings.pivot_table(
            index="run", columns="option", values="text", aggfunc="first"
        )
        expected = [["64k", "50"], ["1M", "50"], ["64k", "100"], ["1M", "100"]]
        assert wide[["bs", "count"]].to_numpy().tolist() == [
            p for p in expected for _ in range(runs)
        ]
    means = full.timings.groupby("command", sort=False)["real_s"].mean()
    assert summary.timings["real_mean_s"].tolist() == pytest.approx(means.tolist())
    spread = full.timings.groupby("command", sort=False)["real_s"].std()
    assert summary.timings["real_stddev_s"].tolist() == pytest.approx(spread.tolist())
    assert summary.timings[["real_s", "user_s", "sys_s", "n"]].isna().all(axis=None)


def test_one_execution_has_no_spread_and_its_own_cpu_times():
    results = fixture("one_run.json")
    assert values(results.timings) == [[0.19952204342000002, 0.0011196799999999996, 0.0, None, 0]]
    assert "results/0/stddev" not in set(results.extras["path"])
    summary = fixture("one_run.csv").timings
    assert summary["real_mean_s"].item() == 0.19952204342000002
    assert summary["real_stddev_s"].isna().all(), "CSV prints 0"


def test_failures_and_units():
    results = fixture("failures_milliseconds.json")
    assert results.timings["exit_status"].tolist() == [0, 3, 0, 3]
    assert results.runs["status"].tolist() == ["ok", "error", "ok", "error"]
    assert results.timings["real_s"].between(0.02, 0.03).all(), "seconds, whatever -u says"
    assert results.notes["message"].str.contains("2 of 4 runs").tolist() == [True]


def test_what_is_faster_than_the_shell_has_no_time():
    results = fixture("faster_than_the_shell.json")
    assert results.timings["real_s"].isna().all()
    assert "use --shell=none" in results.notes["message"].item()


def test_a_killed_command_has_no_exit_status():
    results = ft.reads(export(exit_codes=[0, None, 137]))
    assert values(results.timings, ["exit_status"]) == [[0], [None], [137]]
    assert results.runs["status"].tolist() == ["ok", "error", "error"]


def test_whole_numbers_that_a_program_wrote_with_a_point():
    results = ft.reads(export(exit_codes=[0.0, 3.0, 0.0]))
    assert values(results.timings, ["exit_status"]) == [[0], [3], [0]]


@pytest.mark.parametrize(
    ("changes", "rows"),
    [
        # 1.0: neither median nor exit codes
        ({"median": None, "exit_codes": None}, [[1.0, None], [1.5, None], [2.0, None]]),
        # 1.19
        ({"memory_usage_byte": [4096, 0, 8192]}, [[1.0, 4096], [1.5, None], [2.0, 8192]]),
    ],
    ids=["1.0", "1.19"],
)
def test_other_versions(changes, rows):
    results = ft.reads(export(**changes))
    assert values(results.timings, ["real_s", "max_rss_bytes"]) == rows
    assert set(results.runs["status"]) == {"ok"}
    assert results.notes.empty


def test_a_parameter_without_its_name():
    """From 1.6 to 1.10 there was one, and only its value was exported."""
    assert ft.reads(export(parameter="4k")).settings["text"].tolist() == ["4k"] * 3
    text = "command,mean,stddev,median,user,system,min,max,parameter\n" + LINE.strip() + ",8\n"
    assert ft.reads(text).settings[["option", "text"]].to_numpy().tolist() == [["parameter", "8"]]


def test_json_without_single_runs_is_a_summary():
    results = ft.reads(export(times=None))
    columns = ["real_s", "real_mean_s", "real_stddev_s", "n"]
    assert values(results.timings, columns) == [[None, 1.5, 0.5, 3]]


def test_keys_in_order_of_the_alphabet():
    text = json.dumps(json.loads(export()), sort_keys=True)
    assert ft.reads(text).timings["real_s"].tolist() == [1.0, 1.5, 2.0]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"mean": 1.4}, "the mean 1.4 is not that of its times, 1.5"),
        ({"stddev": 0.4}, "the stddev 0.4 is not that of its times, 0.5"),
        ({"max": 3.0}, "the max 3 is not"),
        ({"exit_codes": [0, 0]}, "2 exit_codes for 3 times"),
        ({"exit_codes": [0, "0", 0.5]}, "2 exit_codes are not whole numbers ('0'): left out"),
        ({"times": [1.0, "1.5", 2.0]}, "1 times are not numbers"),
        ({"times": [1.0, -1.5, 2.0]}, "1 times are not numbers"),
        ({"times": None, "median": 9.0}, "not between its min and its max"),
    ],
    ids=["mean", "stddev", "max", "exit codes", "whole", "text", "negative", "summary"],
)
def test_contradictions_are_noted(changes, said):
    notes = ft.reads(export(**changes)).notes
    assert notes["message"].str.contains(said, regex=False).any()
    assert set(notes["severity"]) == {"warning"}


@pytest.mark.parametrize("case", NOT_READ)
def test_what_is_for_people_says_what_to_do(case):
    with pytest.raises(ft.UnknownFormatError, match=r"recognised, not read; .*--export-json"):
        fixture(case)


@pytest.mark.parametrize(
    "text",
    [
        '{"results": []}',
        '{"results": [{"command": "x", "score": 1}]}',
        '{"results": [{"name": "x", "mean": 1.0}]}',
        '{"fio version": "fio-3.33", "jobs": []}',
        "command,mean,stddev\n",
        "a command,mean,stddev,user,system,min,max\n",
        "Benchmark 1: of something else\n",
    ],
)
def test_what_is_not_hyperfines_is_not_claimed(text):
    assert not reader_named("hyperfine").sniff(opened("x", text))


def test_its_json_is_not_of_another_reader():
    document = opened("x", export())
    assert [r.name for r in READERS if r.sniff(document)] == ["hyperfine"]


@pytest.mark.parametrize(
    "text",
    [
        export()[:300],
        '{"results": [{"command": "x", "mean": "fast"}]}',
        '{"results": [{"command": "x", "mean": 1e999}]}',
        '{"results": [{"command": "x", "mean": true}]}',
        '{"results":[{"command":"x","mean":' + "[" * 100_000,
        HEADER,
        HEADER + LINE.replace("1.5", "1,5"),
        HEADER + '"sleep',
        HEADER + "x," + "." * 200_000,
    ],
    ids=["cut", "text", "infinite", "bool", "deep", "header", "comma", "quote", "long"],
)
def test_nothing_certain_is_an_error(text):
    with pytest.raises(ft.ParseError, match=r"<text>:\d+: "):
        ft.reads(text)


def test_lines_that_are_not_whole_are_left_out():
    text = HEADER + LINE + "x,2.5\n" + '"a, b",2.5,0.5,2.5,0.25,0.125,2,3'
    results = ft.reads(text)
    assert results.timings["command"].tolist() == ["sleep 1", "a, b"]
    assert results.notes["line"].tolist() == [3, 4]
    assert "results/1/max" not in set(results.extras["path"]), "it may be cut"


@pytest.mark.parametrize("case", ["parameters.json", "parameters.csv"])
def test_every_truncation_gives_whole_numbers(case):
    whole = fixture(case)
    text = (FIXTURES / f"hyperfine-1.15.0--{case}").read_text(encoding="utf-8")
    told = set(zip(whole.extras["path"], whole.extras["text"], strict=True))
    for length in range(0, len(text), 7):
        try:
            results = ft.reads(text[:length], tables=["timings", "extras", "settings"])
        except ft.FileError:
            continue
        columns = ["command", "real_s", "real_mean_s", "real_stddev_s"]
        rows = len(results.timings)
        pd.testing.assert_frame_equal(
            results.timings[columns], whole.timings[columns].head(rows), obj=str(length)
        )
        assert set(zip(results.extras["path"], results.extras["text"], strict=True)) <= told
        assert set(results.settings["text"]) <= {"64k", "1M", "50", "100"}


@pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the corpus is not here: {CORPUS}")
def test_the_corpus():
    truths = json.loads((CORPUS / "truths.json").read_text(encoding="utf-8"))
    read = 0
    for file in sorted(CORPUS.glob("hyperfine-*")):
        if not file.name.endswith(("_json.json", "_csv.txt")):
            with pytest.raises(ft.UnknownFormatError, match="recognised, not read"):
                ft.read(file)
            continue
        if "abort" in file.name:
            with pytest.raises(ft.UnknownFormatError, match="the file is empty"):
                ft.read(file)
            continue
        results = ft.read(file)
        read += 1
        expected = truths[file.name]["results"]
        for index, one in enumerate(expected):
            own = results.extras[results.extras["path"].str.startswith(f"results/{index}/")]
            figures = {
                p.split("/")[-1]: float(t) for p, t in zip(own["path"], own["text"], strict=True)
            }
            assert figures == {k: v for k, v in one.items() if k != "command" and v is not None}
            timings = results.timings[results.timings["command"] == one["command"]]
            mean = (
                timings["real_s"].mean() if "json" in file.name else timings["real_mean_s"].item()
            )
            assert mean == pytest.approx(one["mean"])
        assert results.notes.empty
    assert read == 9
