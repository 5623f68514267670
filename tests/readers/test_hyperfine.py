"""hyperfine: our own outputs, other versions' by their source's grammar, and damage."""

import json
import math
import re
import statistics
from pathlib import Path

import pandas as pd
import pytest

import fiotools as ft
from fiotools.errors import FileError, ParseError, UnknownFormatError
from fiotools.readers import READERS, opened, reader_named

FIXTURES = Path(__file__).parents[1] / "fixtures" / "hyperfine"
CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "dd-time"
COLUMNS = ["real_s", "user_s", "sys_s", "max_rss_bytes", "exit_status"]
HEADER = "command,mean,stddev,median,user,system,min,max\n"
LINE = "sleep 1,1.5,0.5,1.5,0.25,0.125,1,2\n"


def fixture(case, version="1.15.0"):
    return ft.read(FIXTURES / f"hyperfine-{version}--{case}")


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
        ({"times": None, "median": 9.0}, "not between its min and its max"),
    ],
    ids=["mean", "stddev", "max", "exit codes", "summary"],
)
def test_contradictions_are_noted(changes, said):
    notes = ft.reads(export(**changes)).notes
    assert notes["message"].str.contains(said, regex=False).any()
    assert set(notes["severity"]) == {"warning"}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"exit_codes": [0, "0", 0]}, "got `str` - at `$.exit_codes[1]`"),
        ({"exit_codes": [0, 0.5, 0]}, "got `float` - at `$.exit_codes[1]`"),
        ({"times": [1.0, "1.5", 2.0]}, "got `str` - at `$.times[1]`"),
        ({"times": [1.0, -1.5, 2.0]}, "Expected `float` >= 0.0 - at `$.times[1]`"),
        ({"times": {"value": 1.0}}, "got `object` - at `$.times`"),
        ({"mean": "System.Object[]"}, "got `str` - at `$.mean`"),
    ],
)
def test_a_value_of_another_shape_is_named(changes, said):
    odd, fine = (json.loads(export(**one))["results"][0] for one in (changes, {}))
    results = ft.reads(json.dumps({"results": [odd, fine]}))
    assert results.timings["real_s"].tolist() == [1.0, 1.5, 2.0]
    (note,) = results.notes.to_dict("records")
    assert (note["severity"], said in note["message"]) == ("warning", True)
    with pytest.raises(ParseError, match=re.escape(said)):
        ft.reads(export(**changes))


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
        "Benchmark 1: x\nTime (mean): a while\n",
        "| Command | Meaning [of it] |\n|---|---|\n| ls | lists |\n",
        '{"schema_version": 2, "metadata": {"version": "2.0.0"}, "results": []}',
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
    with pytest.raises(ParseError, match=r"<text>:\d+: "):
        ft.reads(text)


def test_lines_that_are_not_whole_are_left_out():
    text = HEADER + LINE + "x,2.5\n" + '"a, b",2.5,0.5,2.5,0.25,0.125,2,3'
    results = ft.reads(text)
    assert results.timings["command"].tolist() == ["sleep 1", "a, b"]
    assert results.notes["line"].tolist() == [3, 4, 1]
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


SHOWN = ["command", "real_mean_s", "real_stddev_s", "n"]
TWO = [["sleep 0.05", 0.0532, 0.0028], ["sleep 0.1", 0.1015, 0.0018]]


UNKNOWN = "means of an unknown number of runs: --export-json keeps the runs"


@pytest.mark.parametrize("case", ["markdown.md", "terminal.txt"])
def test_what_people_paste_is_a_summary_of_each_command(case):
    results = fixture(case)
    count = 3 if case == "terminal.txt" else None
    assert values(results.timings, SHOWN) == [[*one, count] for one in TWO]
    assert results.notes["message"].tolist() == ([] if count else [UNKNOWN])
    extras = results.extras.set_index("path")["text"]
    assert (extras["results/0/min"], extras["results/1/max"]) == ("0.0503", "0.1034")
    if case == "terminal.txt":
        assert (extras["results/0/user"], extras["results/1/system"]) == ("0.0007", "0.0")


@pytest.mark.parametrize("case", ["orgmode.org", "asciidoc.adoc"])
def test_other_tables_are_recognised(case):
    path = FIXTURES / f"hyperfine-1.15.0--{case}"
    with pytest.raises(UnknownFormatError, match="export with --export-json"):
        ft.read(path)
    beside = ft.reads(path.read_text(encoding="utf-8") + "\nreal 0m1.5s\nuser 0m1s\nsys 0m0s\n")
    assert beside.notes["message"].str.contains("export with --export-json").tolist() == [True]


def test_colours():
    assert values(fixture("colours.txt").timings, SHOWN[:3]) == [
        ["sleep 0.02", 0.0185, 0.0009],
        ["sleep 0.03", 0.0279, 0.0001],
    ]


def test_one_execution_in_a_terminal_is_a_run():
    assert values(fixture("one_run.txt").timings, ["real_s", "user_s", "sys_s", "n"]) == [
        [0.204, 0.0001, 0.0016, None]
    ]
    later = fixture("one_run.txt", "2.0.0").timings
    # 5.3 MiB
    assert values(later, ["command", *COLUMNS]) == [
        ["short nap", 0.2007, None, None, 5557453, None]
    ]


def test_warnings_and_failures_in_a_terminal():
    results = fixture("warnings.txt")
    assert results.runs["status"].tolist() == ["ok", "error"]
    assert results.notes["line"].tolist() == [1, 7, 7, 7]
    assert results.notes["message"].tolist()[2] == (
        "'false': hyperfine warns: Ignoring non-zero exit code"
    )
    aborted = fixture("aborted.txt")
    assert aborted.runs[["command", "status"]].to_numpy().tolist() == [
        ["sleep 0.02", "ok"],
        ["false", "error"],
    ]
    assert aborted.timings["command"].tolist() == ["sleep 0.02"]
    assert aborted.notes[["line", "severity"]].to_numpy().tolist() == [[5, "error"]]


def test_output_between_a_command_and_its_times():
    results = fixture("show_output.txt")
    assert results.runs["tool"].tolist() == ["dd", "dd", "hyperfine"]
    assert results.timings["command"].tolist() == ["dd if=/dev/zero of=out bs=1M count=3"]
    assert results.timings["n"].tolist() == [2]


def test_beside_other_reports():
    session = fixture("session.txt")
    assert session.runs[["tool", "command"]].to_numpy().tolist() == [
        ["hyperfine", "sleep 0.02 | cat"],
        ["hyperfine", "sleep 0.03"],
        ["time", "time sleep 0.1"],
    ]
    article = fixture("article.md")
    assert article.runs["tool"].tolist() == ["hyperfine", "hyperfine", "time"]
    assert article.runs["command"].tolist()[0] == "sleep 0.02 | cat"
    assert article.timings["real_mean_s"].tolist()[:2] == [0.0325, 0.0273]


def test_a_recorded_terminal():
    assert values(fixture("terminal_recorded.txt").timings, SHOWN) == [
        ["sleep 0.02", 0.0275, 0.0059, 3],
        ["sleep 0.03", 0.0371, 0.0081, 3],
    ]
    later = fixture("terminal_80_columns.txt", "2.0.0")
    assert values(later.timings, SHOWN) == [
        ["sleep 0.02", 0.0346, 0.0102, 3],
        ["sleep 0.03", 0.0357, 0.0035, 3],
    ]


BLOCK = """Benchmark #1: a | b
  Time (mean ± σ):      1.245 s ±  0.012 s    [User: 0.5 ms, System: 1.5 ms]
  Range (min … max):    1.230 s …  1.262 s    10 runs
"""


@pytest.mark.parametrize(
    ("text", "row"),
    [
        (BLOCK, ["a | b", 1.245, 0.012, 10]),  # up to 1.11
        # before 1.5
        (BLOCK.replace("    10 runs", "").replace("]\n", "]\n \n"), ["a | b", 1.245, 0.012, None]),
        (BLOCK.replace("±", "┬▒").replace("σ", "╧â"), ["a | b", 1.245, 0.012, 10]),  # code page 437
        (BLOCK.replace("±", "?").replace("…", "?"), ["a | b", 1.245, 0.012, 10]),
        (BLOCK.replace(" s ", " µs ").replace("1.", "1").replace("0.", "0"), None),
        (BLOCK.split("\n", 1)[1], [None, 1.245, 0.012, 10]),  # the command was cut off
        (
            "| Command | Mean [s] | Min…Max [s] |\n|:---|---:|---:|\n"
            "| `a \\| b` | 1.245 ± 0.012 | 1.230…1.262 |\n",
            ["a | b", 1.245, 0.012, None],
        ),
        # as a page shows it
        ("Command\tMean [ms]\tMin [ms]\na\t124.5 ± 1.2\t123.0\n", ["a", 0.1245, 0.0012, None]),
        (
            "| Command | Mean [µs] |\n|---|---|\n| `` a `b` `` | 12.5 |\n",
            ["a `b`", 1.25e-5, None, None],
        ),
        ("| Command | Mean Wall Time [min] |\n|---|---|\n| a | 1.5 |\n", ["a", 90.0, None, None]),
    ],
)
def test_forms_of_what_people_paste(text, row):
    results = ft.reads(text)
    if row is None:
        row = ["a | b", 1245e-6, 12e-6, 10]
    assert values(results.timings, SHOWN) == [row]


@pytest.mark.parametrize("change", [("^", "    "), ("^", "> "), ("[ \t]+", " ")])
@pytest.mark.parametrize(
    "case", ["1.15.0--terminal.txt", "1.15.0--markdown.md", "2.0.0--two_commands.txt"]
)
def test_blanks_and_marks_of_quotes_change_nothing(case, change):
    text = (FIXTURES / f"hyperfine-{case}").read_text(encoding="utf-8")
    results = ft.reads(re.sub(*change, text, flags=re.MULTILINE))
    assert values(results.timings, SHOWN) == values(ft.reads(text).timings, SHOWN)


def test_blank_lines_in_a_terminal_change_nothing_and_those_in_a_table_are_told():
    text = (FIXTURES / "hyperfine-1.15.0--terminal.txt").read_text(encoding="utf-8")
    assert values(ft.reads(text.replace("\n", "\n\n")).timings, SHOWN) == [[*one, 3] for one in TWO]
    text = (FIXTURES / "hyperfine-1.15.0--markdown.md").read_text(encoding="utf-8")
    with pytest.raises(ParseError, match="a table without rows below its header"):
        ft.reads(text.replace("\n", "\n\n"))


def test_two_tables_keep_their_units():
    text = "| Command | Mean [ms] |\n|---|---|\n| a | 1.5 |\n"
    text += text.replace("[ms]", "[s]")
    assert ft.reads(text).timings["real_mean_s"].tolist() == [0.0015, 1.5]
    # no row of another table is one of hyperfine's
    other = text + "\n| file system | 3.5 |\n"
    assert ft.reads(other).timings["real_mean_s"].tolist() == [0.0015, 1.5]


@pytest.mark.parametrize("old", ["Time (mean ± σ):      53.2 ms", "  Wall Time     27.5 ms"])
def test_lines_of_hyperfine_that_are_not_read_are_told(old):
    case = "1.15.0--terminal.txt" if "(" in old else "2.0.0--two_commands.txt"
    text = (FIXTURES / f"hyperfine-{case}").read_text(encoding="utf-8")
    assert old in text
    results = ft.reads(text.replace(old, f"{old}\n"))  # wrapped
    (told,) = results.notes.query("severity == 'warning'").to_dict("records")
    assert (told["line"], old.strip()[:9] in told["message"]) == (2 + ("Wall" in old), True)


def test_a_row_that_cannot_be_read_is_told():
    head = "| Command | Mean [s] | Min [s] |\n|:---|---:|---:|\n"
    text = head + "| a | 1.0 ± 0.1 | 0.9 |\n| b | 1.0 |\n| c | fast | 0.9 |\n| d | 1.5 | 1"
    results = ft.reads(text)
    assert results.timings["command"].tolist() == ["a"]
    told = results.notes.query("severity == 'warning'")
    assert told["line"].tolist() == [4, 5, 6]


@pytest.mark.parametrize("case", ["json", "csv", "md", "txt"])
def test_all_outputs_of_version_2(case):
    results = fixture(f"two_commands.{case}", "2.0.0")
    path = FIXTURES / "hyperfine-2.0.0--two_commands.json"
    told = json.loads(path.read_text(encoding="utf-8"))["results"]
    timings = results.timings
    means = [one["summary"]["time_wall_clock"]["mean"] for one in told]
    if case == "json":
        assert results.runs["tool_version"].tolist() == ["2.0.0"] * 6
        assert values(timings) == [
            [
                *(run[name]["value"] for name in ("time_wall_clock", "time_user", "time_system")),
                int(run["memory_peak_resident"]["value"]),
                run["exit_code"],
            ]
            for one in told
            for run in one["measurements"]
        ]
        extras = results.extras.set_index("path")["text"]
        assert float(extras["results/1/time_wall_clock/mean"]) == means[1]
        assert extras["metadata/start_time"].startswith("20")
    else:
        assert timings["command"].tolist() == ["sleep 0.02", "sleep 0.03"]
        assert timings["real_mean_s"].tolist() == pytest.approx(means, abs=0.00005)
        assert values(timings, ["n"]) == [[3 if case == "txt" else None]] * 2
    if case == "csv":
        assert timings["real_mean_s"].tolist() == means
        assert timings["max_rss_bytes"].tolist() == [5378048, 5640192]
    *unknown, shell = results.notes["message"]
    assert unknown == ([] if case in ("json", "txt") else [UNKNOWN])
    assert "without a shell" in shell
    assert set(results.notes["severity"]) == {"info"}


def test_units_and_parameters_of_version_2():
    full, table, shown = (
        fixture(f"parameters_metrics.{one}", "2.0.0") for one in ("json", "csv", "txt")
    )
    assert full.timings["max_rss_bytes"].tolist() == [5410816] * 4
    assert table.timings["max_rss_bytes"].tolist() == [5410816] * 2  # 5284 KiB
    assert shown.timings["max_rss_bytes"].tolist() == [5410816] * 2
    assert table.timings["real_mean_s"].tolist() == [0.033639675, 0.0401759785]  # given in ms
    assert shown.timings["real_mean_s"].tolist() == [0.0336, 0.0402]
    extras = shown.extras.set_index("path")["text"]
    assert extras["results/0/time_user/mean"] == "0.0006345"  # 634.5 µs
    assert full.settings[["option", "text"]].drop_duplicates().to_numpy().tolist() == [
        ["s", "0.02"],
        ["env NAP", "0.02"],
        ["s", "0.03"],
        ["env NAP", "0.03"],
    ]
    assert table.settings["text"].tolist() == ["0.02", "0.03"]


def measured(changes=(), unit="second", value=1.5):
    """Write one run's result, as 2.0 does."""
    amount = {"value": value, "unit": unit}
    summary = {"unit": unit, "count": 1, **dict.fromkeys(("mean", "median", "min", "max"), value)}
    result = {
        "command": "cat data",
        "measurements": [{"time_wall_clock": amount, "exit_code": 0}],
        "summary": {"time_wall_clock": {**summary, "stddev": None}},
        **dict(changes),
    }
    about = {"schema_version": 2, "metadata": {"hyperfine_version": "2.0.0"}}
    return json.dumps({**about, "primary_metric": "time_wall_clock", "results": [result]})


@pytest.mark.parametrize(
    ("unit", "seconds"),
    [("second", 1.5), ("millisecond", 0.0015), ("s", 1.5), ("µs", 1.5e-6), ("hour", 5400.0)],
)
def test_the_unit_beside_a_value_counts(unit, seconds):
    assert ft.reads(measured(unit=unit)).timings["real_s"].tolist() == [seconds]


def test_an_unknown_unit_is_told():
    results = ft.reads(measured(unit="fortnight"))
    assert results.timings["real_s"].isna().all()
    assert results.notes["message"].str.contains("in 'fortnight' cannot be read").any()


def test_runs_that_were_cut_out_of_version_2_are_told():
    summary = json.loads(measured())["results"][0]["summary"]
    summary["time_wall_clock"] |= {"count": 12, "mean": 1.25, "stddev": 0.5}
    results = ft.reads(measured({"summary": summary}))
    assert results.timings["real_s"].tolist() == [1.5]
    assert (
        results.notes["message"]
        .tolist()[0]
        .endswith("12 runs were summarized, 1 are listed: the others are missing")
    )
    alone = ft.reads(measured({"summary": summary, "measurements": []}))
    assert values(alone.timings, SHOWN) == [["cat data", 1.25, 0.5, 12]]


@pytest.mark.parametrize(
    "case",
    [
        "1.15.0--terminal.txt",
        "1.15.0--markdown.md",
        "2.0.0--parameters_metrics.txt",
        "2.0.0--two_commands.md",
    ],
)
def test_no_cut_of_a_text_gives_another_number(case):
    path = FIXTURES / f"hyperfine-{case}"
    text = path.read_text(encoding="utf-8")
    whole = ft.reads(text)
    told = {*zip(whole.extras["path"], whole.extras["text"], strict=True)}
    for length in range(0, len(text), 3):
        try:
            results = ft.reads(text[:length], tables=["timings", "extras"])
        except ft.FileError:
            continue
        assert {*zip(results.extras["path"], results.extras["text"], strict=True)} <= told, length
        assert {*results.timings["command"]} <= {*whole.timings["command"]}, length


@pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the corpus is not here: {CORPUS}")
def test_the_corpus():
    truths = json.loads((CORPUS / "truths.json").read_text(encoding="utf-8"))
    read = 0
    for file in sorted(CORPUS.glob("hyperfine-*")):
        if file.name.endswith(("_adoc.txt", "_org.txt")):
            with pytest.raises(UnknownFormatError, match="export with --export-json"):
                ft.read(file)
            continue
        if not file.name.endswith(("_json.json", "_csv.txt")):
            assert set(ft.read(file).runs["tool"]) == {"hyperfine"}
            continue
        if "abort" in file.name:
            with pytest.raises(FileError, match="the file is empty"):
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
        assert results.notes["message"].tolist() == [UNKNOWN] * ("csv" in file.name)
    assert read == 9
