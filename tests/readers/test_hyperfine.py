"""hyperfine: our own outputs, other versions' by their source's grammar, and damage."""

import json
import re

import pytest

import fiotools as ft
from fiotools.errors import ParseError, UnknownFormatError
from fiotools.readers import opened, reader_named
from tests.readers.outputs import FIXTURES, edited, replaced, texts, values

COLUMNS = ("real_s", "user_s", "sys_s", "max_rss_bytes", "exit_status")
HEADER = "command,mean,stddev,median,user,system,min,max\n"
LINE = "sleep 1,1.5,0.5,1.5,0.25,0.125,1,2\n"


def fixture(case, version="1.15.0"):
    return ft.read(FIXTURES / "hyperfine" / f"hyperfine-{version}--{case}")


def printed(case, version="1.15.0"):
    return edited(f"hyperfine/hyperfine-{version}--{case}")


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


def test_each_execution_is_a_run():
    results = fixture("two_commands.json")
    told = json.loads(printed("two_commands.json"))["results"]
    assert results.timings["run"].tolist() == list(range(1, 13))
    assert results.timings["real_s"].tolist() == [time for one in told for time in one["times"]]
    # the runs are there; the times of the processor are known as means only
    assert results.timings[["real_mean_s", "user_s"]].isna().all(axis=None)
    assert results.runs["duration_s"].tolist() == results.timings["real_s"].tolist()
    assert results.runs["command"].tolist() == results.timings["command"].tolist()
    assert results.notes.empty
    assert float(texts(results)["results/1/user"]) == told[1]["user"]
    summary = ft.summarize(results.timings, "real_s", by="command")
    assert summary["n"].tolist() == [6, 6]
    for column in ("mean", "stddev", "median"):
        assert summary[column].tolist() == pytest.approx([one[column] for one in told])


def test_parameters_in_both_exports():
    full, summary = fixture("parameters.json"), fixture("parameters.csv")
    given = [("64k", "50"), ("1M", "50"), ("64k", "100"), ("1M", "100")]
    for results, runs in ((full, 3), (summary, 1)):
        wide = results.settings.pivot(index="run", columns="option", values="text")
        assert values(wide, "bs", "count") == [one for one in given for _ in range(runs)]
    each, shown = full.timings.groupby("command", sort=False)["real_s"], summary.timings
    assert shown["real_mean_s"].tolist() == pytest.approx(each.mean().tolist())
    assert shown["real_stddev_s"].tolist() == pytest.approx(each.std().tolist())
    assert shown[["real_s", "user_s", "sys_s", "n"]].isna().all(axis=None)


def test_one_execution_has_no_spread_and_its_own_cpu_times():
    results = fixture("one_run.json")
    row = (0.19952204342000002, 0.0011196799999999996, 0.0, None, 0)
    assert values(results.timings, *COLUMNS) == [row]
    assert "results/0/stddev" not in set(results.extras["path"])
    summary = fixture("one_run.csv").timings  # which prints 0
    assert values(summary, "real_mean_s", "real_stddev_s") == [(0.19952204342000002, None)]


def test_failures_and_units():
    results = fixture("failures_milliseconds.json")
    assert results.timings["exit_status"].tolist() == [0, 3, 0, 3]
    assert results.runs["status"].tolist() == ["ok", "error", "ok", "error"]
    assert results.timings["real_s"].between(0.02, 0.03).all(), "seconds, whatever -u says"
    assert results.notes["message"].str.contains("2 of 4 runs").tolist() == [True]
    killed = ft.reads(export(exit_codes=[0, None, 137]))
    assert killed.timings["exit_status"].fillna(-1).tolist() == [0, -1, 137]
    assert killed.runs["status"].tolist() == ["ok", "error", "error"]


def test_what_is_faster_than_the_shell_has_no_time():
    results = fixture("faster_than_the_shell.json")
    assert results.timings["real_s"].isna().all()
    assert "use --shell=none" in results.notes["message"].item()


@pytest.mark.parametrize(
    ("changes", "peaks"),
    [
        ({"median": None, "exit_codes": None}, [None] * 3),  # 1.0
        ({"memory_usage_byte": [4096, 0, 8192]}, [4096, None, 8192]),  # 1.19
    ],
)
def test_other_versions(changes, peaks):
    results = ft.reads(export(**changes))
    rows = [*zip([1.0, 1.5, 2.0], peaks, strict=True)]
    assert values(results.timings, "real_s", "max_rss_bytes") == rows
    assert set(results.runs["status"]) == {"ok"}
    assert results.notes.empty


def test_a_parameter_without_its_name():
    """From 1.6 to 1.10 there was one, and only its value was exported."""
    assert ft.reads(export(parameter="4k")).settings["text"].tolist() == ["4k"] * 3
    text = "command,mean,stddev,median,user,system,min,max,parameter\n" + LINE.strip() + ",8\n"
    assert values(ft.reads(text).settings, "option", "text") == [("parameter", "8")]


def test_json_without_single_runs_is_a_summary():
    timings = ft.reads(export(times=None)).timings
    columns = ("real_s", "real_mean_s", "real_stddev_s", "n")
    assert values(timings, *columns) == [(None, 1.5, 0.5, 3)]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"mean": 1.4}, "the mean 1.4 is not that of its times, 1.5"),
        ({"exit_codes": [0, 0]}, "2 exit_codes for 3 times"),
        ({"times": None, "median": 9.0}, "not between its min and its max"),
    ],
)
def test_contradictions_are_noted(changes, said):
    notes = ft.reads(export(**changes)).notes
    assert notes["message"].str.contains(said, regex=False).any()
    assert set(notes["severity"]) == {"warning"}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"exit_codes": [0, "0", 0]}, "got `str` - at `$.exit_codes[1]`"),
        ({"times": [1.0, "1.5", 2.0]}, "got `str` - at `$.times[1]`"),
        ({"times": [1.0, -1.5, 2.0]}, "Expected `float` >= 0.0 - at `$.times[1]`"),
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
        '{"fio version": "fio-3.33", "jobs": []}',
        "command,mean,stddev\n",
        "a command,mean,stddev,user,system,min,max\n",
        "Benchmark 1: x\nTime (mean): a while\n",
        "| Command | Meaning [of it] |\n|---|---|\n| ls | lists |\n",
        '{"schema_version": 2, "metadata": {"version": "2.0.0"}, "results": []}',
    ],
)
def test_what_is_not_hyperfines_is_not_claimed(text):
    assert not reader_named("hyperfine").sniff(opened("x", text))


@pytest.mark.parametrize(
    "text",
    [
        export()[:300],
        '{"results": [{"command": "x", "mean": 1e999}]}',
        '{"results":[{"command":"x","mean":' + "[" * 100_000,
        HEADER,
        HEADER + LINE.replace("1.5", "1,5"),
        HEADER + '"sleep',
        HEADER + "x," + "." * 200_000,
        HEADER + "sleep",
    ],
    ids=["cut", "infinite", "deep", "header", "comma", "quote", "long", "begun"],
)
def test_nothing_certain_is_an_error(text):
    with pytest.raises(ParseError, match=r"<text>:\d+: |<text>: nothing certain is in it"):
        ft.reads(text)


def test_a_column_of_others_is_left_out_and_told():
    results = ft.reads(f"{HEADER.strip()},note\n{LINE.strip()},mine\n")
    said = "columns that hyperfine does not write: note: left out"
    assert results.notes["message"].str.contains(said).sum() == 1
    assert results.timings["real_mean_s"].tolist() == [1.5]


def test_lines_that_are_not_whole_are_left_out():
    text = HEADER + LINE + "x,2.5\n" + '"a, b",2.5,0.5,2.5,0.25,0.125,2,3'
    results = ft.reads(text)
    assert results.timings["command"].tolist() == ["sleep 1", "a, b"]
    assert results.notes["line"].tolist() == [3, 4, 1]
    assert "results/1/max" not in set(results.extras["path"]), "it may be cut"


SHOWN = ("command", "real_mean_s", "real_stddev_s", "n")
TWO = [("sleep 0.05", 0.0532, 0.0028), ("sleep 0.1", 0.1015, 0.0018)]
UNKNOWN = "means of an unknown number of runs: --export-json keeps the runs"


@pytest.mark.parametrize(("case", "count"), [("markdown.md", None), ("terminal.txt", 3)])
def test_what_people_paste_is_a_summary_of_each_command(case, count):
    results = fixture(case)
    assert values(results.timings, *SHOWN) == [(*one, count) for one in TWO]
    assert results.notes["message"].tolist() == ([] if count else [UNKNOWN])
    extras = texts(results)
    assert (extras["results/0/min"], extras["results/1/max"]) == ("0.0503", "0.1034")
    if count:
        assert (extras["results/0/user"], extras["results/1/system"]) == ("0.0007", "0.0")


@pytest.mark.parametrize("case", ["orgmode.org", "asciidoc.adoc"])
def test_other_tables_are_recognised(case):
    with pytest.raises(UnknownFormatError, match="export with --export-json"):
        fixture(case)
    beside = ft.reads(printed(case) + "\nreal 0m1.5s\nuser 0m1s\nsys 0m0s\n")
    assert beside.notes["message"].str.contains("export with --export-json").tolist() == [True]


def test_one_execution_in_a_terminal_is_a_run():
    timings = fixture("one_run.txt").timings
    assert values(timings, "real_s", "user_s", "sys_s", "n") == [(0.204, 0.0001, 0.0016, None)]
    later = fixture("one_run.txt", "2.0.0").timings  # 5.3 MiB
    row = ("short nap", 0.2007, None, None, 5557453, None)
    assert values(later, "command", *COLUMNS) == [row]


def test_warnings_and_failures_in_a_terminal():
    results = fixture("warnings.txt")
    assert results.runs["status"].tolist() == ["ok", "error"]
    assert results.notes["line"].tolist() == [1, 7, 7, 7]
    assert results.notes["message"].tolist()[2] == (
        "'false': hyperfine warns: Ignoring non-zero exit code"
    )
    aborted = fixture("aborted.txt")
    assert values(aborted.runs, "command", "status") == [("sleep 0.02", "ok"), ("false", "error")]
    assert aborted.timings["command"].tolist() == ["sleep 0.02"]
    assert values(aborted.notes, "line", "severity") == [(5, "error")]


def test_output_between_a_command_and_its_times():
    results = fixture("show_output.txt")
    assert results.runs["tool"].tolist() == ["dd", "dd", "hyperfine"]
    assert values(results.timings, "command", "n") == [("dd if=/dev/zero of=out bs=1M count=3", 2)]


def test_beside_other_reports():
    assert values(fixture("session.txt").runs, "tool", "command") == [
        ("hyperfine", "sleep 0.02 | cat"),
        ("hyperfine", "sleep 0.03"),
        ("time", "time sleep 0.1"),
    ]
    article = fixture("article.md")
    assert article.runs["tool"].tolist() == ["hyperfine", "hyperfine", "time"]
    assert article.runs["command"].tolist()[0] == "sleep 0.02 | cat"
    assert article.timings["real_mean_s"].tolist()[:2] == [0.0325, 0.0273]


@pytest.mark.parametrize(
    ("version", "case", "one", "other"),
    [
        ("1.15.0", "colours.txt", (0.0185, 0.0009), (0.0279, 0.0001)),
        ("1.15.0", "terminal_recorded.txt", (0.0275, 0.0059), (0.0371, 0.0081)),
        ("2.0.0", "terminal_80_columns.txt", (0.0346, 0.0102), (0.0357, 0.0035)),
    ],
)
def test_colours_and_recorded_terminals(version, case, one, other):
    timings = fixture(case, version).timings
    assert values(timings, *SHOWN[:3]) == [("sleep 0.02", *one), ("sleep 0.03", *other)]


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
        (
            BLOCK.replace(" s ", " µs ").replace("1.", "1").replace("0.", "0"),
            ["a | b", 1245e-6, 12e-6, 10],
        ),
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
    assert values(ft.reads(text).timings, *SHOWN) == [tuple(row)]


def test_blank_lines_in_a_table_are_told():
    with pytest.raises(ParseError, match="a table without rows below its header"):
        ft.reads(printed("markdown.md").replace("\n", "\n\n"))


def test_two_tables_keep_their_units():
    text = "| Command | Mean [ms] |\n|---|---|\n| a | 1.5 |\n"
    text += text.replace("[ms]", "[s]")
    assert ft.reads(text).timings["real_mean_s"].tolist() == [0.0015, 1.5]
    # no row of another table is one of hyperfine's
    other = text + "\n| file system | 3.5 |\n"
    assert ft.reads(other).timings["real_mean_s"].tolist() == [0.0015, 1.5]


@pytest.mark.parametrize(
    ("case", "version", "old", "line"),
    [
        ("terminal.txt", "1.15.0", "Time (mean ± σ):      53.2 ms", 2),
        ("two_commands.txt", "2.0.0", "  Wall Time     27.5 ms", 3),
    ],
)
def test_lines_of_hyperfine_that_are_not_read_are_told(case, version, old, line):
    results = ft.reads(replaced(printed(case, version), (old, f"{old}\n")))  # wrapped
    (told,) = results.notes.query("severity == 'warning'").to_dict("records")
    assert (told["line"], old.strip()[:9] in told["message"]) == (line, True)


def test_a_row_that_cannot_be_read_is_told():
    head = "| Command | Mean [s] | Min [s] |\n|:---|---:|---:|\n"
    text = head + "| a | 1.0 ± 0.1 | 0.9 |\n| b | 1.0 |\n| c | fast | 0.9 |\n| d | 1.5 | 1"
    results = ft.reads(text)
    assert results.timings["command"].tolist() == ["a"]
    told = results.notes.query("severity == 'warning'")
    assert told["line"].tolist() == [4, 5, 6]


def test_the_json_of_version_2():
    results = fixture("two_commands.json", "2.0.0")
    told = json.loads(printed("two_commands.json", "2.0.0"))["results"]
    assert results.runs["tool_version"].tolist() == ["2.0.0"] * 6
    names = ("time_wall_clock", "time_user", "time_system", "memory_peak_resident")
    assert values(results.timings, *COLUMNS) == [
        (*(run[name]["value"] for name in names), run["exit_code"])
        for one in told
        for run in one["measurements"]
    ]
    extras, mean = texts(results), told[1]["summary"]["time_wall_clock"]["mean"]
    assert float(extras["results/1/time_wall_clock/mean"]) == mean
    assert extras["metadata/start_time"].startswith("20")
    assert "without a shell" in results.notes["message"].item()


@pytest.mark.parametrize(
    ("kind", "count", "exact", "said"),
    [("csv", None, 0, [UNKNOWN]), ("md", None, 5e-5, [UNKNOWN]), ("txt", 3, 5e-5, [])],
)
def test_summaries_of_version_2(kind, count, exact, said):
    results = fixture(f"two_commands.{kind}", "2.0.0")
    told = json.loads(printed("two_commands.json", "2.0.0"))["results"]
    means = [one["summary"]["time_wall_clock"]["mean"] for one in told]
    timings = results.timings
    assert values(timings, "command", "n") == [("sleep 0.02", count), ("sleep 0.03", count)]
    assert timings["real_mean_s"].tolist() == pytest.approx(means, abs=exact)
    if kind == "csv":
        assert timings["max_rss_bytes"].tolist() == [5378048, 5640192]
    *unknown, shell = results.notes["message"]
    assert unknown == said
    assert "without a shell" in shell


def test_units_and_parameters_of_version_2():
    full, table, shown = (
        fixture(f"parameters_metrics.{one}", "2.0.0") for one in ("json", "csv", "txt")
    )
    assert full.timings["max_rss_bytes"].tolist() == [5410816] * 4
    assert table.timings["max_rss_bytes"].tolist() == [5410816] * 2  # 5284 KiB
    assert shown.timings["max_rss_bytes"].tolist() == [5410816] * 2
    assert table.timings["real_mean_s"].tolist() == [0.033639675, 0.0401759785]  # given in ms
    assert shown.timings["real_mean_s"].tolist() == [0.0336, 0.0402]
    assert texts(shown)["results/0/time_user/mean"] == "0.0006345"  # 634.5 µs
    assert [*dict.fromkeys(values(full.settings, "option", "text"))] == [
        (name, text) for text in ("0.02", "0.03") for name in ("s", "env NAP")
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
    said = "12 runs were summarized, 1 are listed: the others are missing"
    assert results.notes["message"].tolist()[0].endswith(said)
    alone = ft.reads(measured({"summary": summary, "measurements": []}))
    assert values(alone.timings, *SHOWN) == [("cat data", 1.25, 0.5, 12)]
