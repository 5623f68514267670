"""DISKSPD's text: as the tool prints it, in Markdown, in excerpts, cut off and rewritten."""

import re

import pandas as pd
import pytest

import fiotools as ft
from fiotools.errors import UnknownFormatError
from tests.readers import outputs
from tests.readers.outputs import DD, FIXTURES, replaced, same_rows, says, texts, values
from tests.test_security import guard

# as a person pastes it: no test time, no echo, Markdown bars, one of them missing
TABLES = r"""
{caption}

|thread|bytes|I/Os|MiB/s|I/O per s|AvgLat|LatStdDev|file|
|--|--|--|--|--|--|--|--|
| 0 |  1048576000 |  256000 |  100.00 |  25600.00 |  0.841 | 0.456 | F:\IO.dat (5120MiB)
| 1 |  2097152000 |  512000 |  200.00 |  51200.00 |  0.635 | 0.395 | F:\IO.dat (5120MiB)|
|total| 3145728000 |  768000 |  300.00 |  76800.00 | 0.704|  0.434|
"""


def load(name):
    return ft.read(FIXTURES / "diskspd" / f"diskspd-{name}.txt")


def edited(name, *changes):
    return outputs.edited(f"diskspd/diskspd-{name}.txt", *changes)


def tables(caption="+  Total IO", *changes):
    return replaced(TABLES.format(caption=caption), *changes)


def same_frames(name, text):
    """Read a fixture's text after something was done to it: nothing of it may differ."""
    changed = ft.reads(text)
    same_rows(load(name), changed, *("io", "threads", "settings", "percentiles", "cpu", "extras"))
    return changed


@pytest.mark.parametrize(
    "caption", ["+  Total IO", "Total IO", "* Total IO", "### Total IO", "**Total IO**:"]
)
def test_bare_markdown_tables(caption):
    res = ft.reads(tables(caption))
    assert res.runs["format"].tolist() == ["diskspd_text"]
    assert values(res.threads, "thread", "entry") == [(0, 1), (1, 2)]
    assert values(res.io, "entry", "clones") == [(1, 2)]
    rows = pd.concat([res.threads, res.io])
    # nothing tells reads and writes apart
    same = ("direction", "target", "size_bytes", "runtime_s", "rw")
    assert values(rows, *same) == [("mixed", r"F:\IO.dat", 5368709120, 10.0, None)] * 3
    assert values(rows, "iops", "bw_bytes_per_s", "lat_mean_ns") == [
        (25600.0, 104857600.0, 841000.0),
        (51200.0, 209715200.0, 635000.0),
        (76800.0, 314572800.0, 704000.0),
    ]
    assert res.notes.empty


def test_tables_with_prose_between_are_of_two_runs_and_need_a_caption():
    res = ft.reads(f"# A disk\n{tables()}\nAnd the other disk:\n{tables()}")
    assert (len(res.runs), len(res.io), len(res.threads)) == (2, 2, 4)
    with pytest.raises(UnknownFormatError):
        ft.reads(tables(""))


def test_a_direction_again_is_another_run():
    text = tables() + tables("+ Read IO") + tables() + tables("+ Write IO")
    res = ft.reads(text)
    assert len(res.runs) == 2
    assert values(res.io, "run", "direction") == [(1, "read"), (2, "write")]
    for run in (1, 2):
        printed = texts(res)[res.extras["run"].to_numpy() == run]
        assert printed["total.total_ios"] == "768000"
        assert printed["thread.total.total_ios"].tolist() == ["256000", "512000"]


@pytest.mark.parametrize(("there", "lost"), [("Read", "writes"), ("Write", "reads")])
def test_an_excerpt_with_the_total_and_one_direction_gets_a_note(there, lost):
    less = (("3145728000", "1048576000"), (" 768000 ", " 256000 "), ("512000", "0"))
    less = (*less, ("2097152000", "0"), ("300.00", "100.00"), ("76800.00", "25600.00"))
    part = tables(f"+ {there} IO", ("51200.00", "0.00"), ("200.00", "0.00"), *less)
    res = ft.reads(tables() + part)
    assert values(res.io, "direction", "total_ios") == [(there.lower(), 256000)]
    note = says(res, f"the table of the {lost} is missing: io has the {there.lower()}s alone")
    assert (note["code"], note["severity"], note["line"]) == ("incomplete", "warning", 8)
    # all I/Os were of this direction
    assert ft.reads(tables() + tables(f"+ {there} IO")).notes.empty


def test_an_excerpt_without_the_row_of_the_run_gets_a_note():
    text = re.sub(r"(?m)^\|total\|.*\n", "", tables())
    res = ft.reads(text + "\nand so on\n")
    assert (len(res.io), len(res.threads)) == (0, 2)
    assert says(res, "the rows 'total:' are missing")["code"] == "incomplete"


def test_a_total_that_is_not_the_sum_is_found():
    both = tables() + tables("+ Read IO")
    wrong = both.replace("3145728000 |  768000", "3145732096 |  768001", 1)
    for text, verdict in ((both, "ok"), (wrong, "suspect")):
        found = ft.check(ft.reads(text)).query("check == 'parts'")
        assert found["verdict"].tolist() == [verdict]
    assert "the total says 3145732096" in found["why"].item()


def test_the_command_above_gives_the_conditions():
    text = f"PS C:\\> .\\diskspd.exe -t2 -o32 -b4k -r -w40 -Sh -L E:\\IO.dat > a.txt\n{tables()}"
    names = ("rw", "bs_bytes", "iodepth", "numjobs", "direct", "rwmixread_pct")
    assert values(ft.reads(text).io, *names) == [("randrw", 4096, 32, 2, True, 60.0)]


def test_the_oldest_version():
    res = load("2.0.12--mix_2targets_D_L")
    total = ft.totals(res.io)
    assert total["bw_bytes_per_s"].item() == pytest.approx(124.72 * 2**20, rel=1e-4)
    assert values(total, "iodepth", "numjobs", "clones") == [(2, 2, 2)]
    # "mix test (write/read ratio: 30/100)"
    names = ("rw", "rwmixread_pct", "direct", "size_bytes")
    assert values(res.threads, *names)[0] == ("randrw", 70.0, True, 32 * 2**20)
    assert res.notes.empty


def test_each_row_of_nines_is_a_percentile_of_its_own():
    names = ["min", *(f"{nines}-nines" for nines in range(3, 10)), "max"]
    rows = [f"{name} | {ms}.000 | N/A | {ms}.000" for ms, name in enumerate(names, 1)]
    chart = "\n".join(["  %-ile |  Read (ms) | Write (ms) | Total (ms)", "-" * 40, *rows])
    found = ft.reads(f"{tables('Total IO')}\n{chart}\n").percentiles.query("direction == 'total'")
    levels = [0, 99.9, 99.99, 99.999, 99.9999, 99.99999, 99.999999, 99.9999999, 100]
    expected = [(level, 1e6 * ms) for ms, level in enumerate(levels, 1)]
    assert values(found, "percentile", "value_ns") == expected


def test_percentiles_behind_prose_are_not_of_a_target():
    chart = "  %-ile |  Read (ms) | Write (ms) | Total (ms)\n   max | 9.000 | N/A | 9.000\n"
    res = ft.reads(f"{tables('Total IO')}\nand of another disk:\n{chart}")
    assert res.percentiles.empty
    (note,) = res.notes.query("code == 'unread'").to_dict("records")
    assert (note["line"], note["severity"]) == (11, "warning")
    named = ft.reads(f"{tables('Total IO')}\nF:\\IO.dat\n{chart}").percentiles
    assert set(named["target"]) == {r"F:\IO.dat"}


def test_command_settings_and_charts_of_targets_and_of_all():
    res = load("2.2--F2O8_weights")
    run, settings, charts = res.runs.iloc[0], texts(res, "settings", "option"), res.percentiles
    assert run["command"].endswith(r"-W0 -Su -L -c16M -Rxml C:\dsk\x1.dat C:\dsk\x2.dat")
    assert (run["host"], run["duration_s"]) == ("vm", 2.0)
    assert run["reported_at"] == pd.Timestamp("2026-11-21 00:37:17", tz="UTC")
    assert (settings["-O"], settings["-S"], settings["warm up time"]) == ("8", "u", "0s")
    assert settings["target[2]/performing mix test"] == "read/write ratio: 50/50"
    assert (charts["entry"].notna() == charts["target"].isna()).all()
    x1 = charts.query(r"target == 'C:\\dsk\\x1.dat' and direction == 'write'")
    assert values(x1, "percentile", "value_ns")[:2] == [(0, 11e3), (25, 13e3)]
    assert {*charts["target"].dropna()} == {r"C:\dsk\x1.dat", r"C:\dsk\x2.dat"}


def test_what_follows_the_percentiles():
    assert "Read: 1000" in texts(load("2.0.21a--etw"))["ETW"].tolist()
    res = load("2.1--rs50_distribution")
    assert texts(res)["Effective IO Distributions"].iloc[0].startswith(r"target: C:\dsk\test.dat")
    assert res.io["rw"].isna().all()
    totals = load("2.0.21a--three_timespans").extras.query("path == 'Totals'")
    assert totals["run"].tolist() == [3] * 5


def test_linux():
    res = load("linux--D100")
    asked = ["runtime_s", "size_bytes", "direct"]
    assert {*values(res.io, *asked)} == {(3.0, 67108864, False)}
    printed = texts(res)
    told = [float(printed[f"total.{name}"]) for name in ("iops", "lat_mean_ns", "iops_stddev")]
    assert told == [137656, 58000, 70521.67]
    assert printed["CpuUtilization/CPU[2]/IO Wait"] == "0.00%"
    # its sums of histograms are wrong, its extremes are not
    kept = res.percentiles.query("direction == 'total'")
    assert kept["percentile"].tolist() == [0.0, 100.0]
    assert "miscounts the total percentiles" in res.notes["message"].item()


def test_rows_cut_out_are_noted():
    text = edited("2.0.21a--seq64k_t4_D_only")
    lines = text.splitlines(keepends=True)
    gone = next(i for i, line in enumerate(lines) if line.startswith("     2 |"))
    res = ft.reads("".join(lines[:gone] + lines[gone + 1 :]))
    assert says(res, "total: io_bytes of the threads sum to")
    assert says(res, "3 of 4 threads are in the file")
    # the entries of the threads that are left do not move
    assert res.threads.groupby("entry")["thread"].nunique().max() == 1
    assert res.io["clones"].tolist() == [4, 4]


def report(seconds, counts, bs, *, timed=True):
    """Three tables as DISKSPD prints them: the counts of threads, all of them reads."""
    lines = ["Results for timespan 1:", "*" * 79, ""]
    lines += [f"actual test time:\t{seconds:.2f}s", f"thread count:\t\t{len(counts)}"] * timed

    def row(head, count):
        rates = f"{count * bs / 2**20 / seconds:>10.2f} | {count / seconds:>10.2f}"
        return f"{head} {count * bs:>15} | {count:>12} | {rates}"

    for direction, share in (("Total", 1), ("Read", 1), ("Write", 0)):
        head = "thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  file"
        lines += ["", f"{direction} IO", head, "-" * 80]
        each = enumerate(counts)
        lines += [f"{row(f'{at:>6} |', one * share)} | x.dat (1GiB)" for at, one in each]
        lines += ["-" * 80, row("total:", sum(counts) * share)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("bs", [4096, 2**20, 2**26])
@pytest.mark.parametrize(
    ("seconds", "counts"),
    [
        (120.0, [10]),  # 0.08 I/O per s
        (120.004, [14, 111, 384]),  # 0.12, 0.92 and 3.20
        (300.0, [1, 2]),  # printed as 0.00 and 0.01
        (29.996, [92, 3_000_000]),
        (2.004, [3, 4]),
    ],
)
def test_rates_come_from_the_most_precise_number(bs, seconds, counts):
    res = ft.reads(report(seconds, counts, bs))
    assert res.notes.empty
    assert "parts" not in set(ft.check(res).query("verdict in ['suspect', 'impossible']")["check"])
    assert (len(res.io), len(res.threads)) == (1, len(counts))
    for row in [*res.io.to_dict("records"), *res.threads.to_dict("records")]:
        true = row["total_ios"] / seconds
        printed = min(0.005 / true, 0.005 * 2**20 / (true * bs), 0.005 / seconds)
        assert row["iops"] == pytest.approx(true, rel=1.01 * printed + 1e-12)
        assert row["bw_bytes_per_s"] == pytest.approx(true * bs, rel=1.01 * printed + 1e-12)


def test_a_slow_rate_is_that_of_the_time_and_noted_where_it_was_edited():
    # without its time a table has that of the fastest row
    threads = ft.reads(report(29.996, [92, 3_000_000], 4096, timed=False)).threads
    assert threads["iops"].iloc[0] == pytest.approx(92 / 29.996, rel=2e-4)
    text = report(120.0, [10], 2**20).replace("0.08 |       0.08", "0.08 |       0.09")
    res = ft.reads(text)
    assert says(res, "0.09 I/O per s is not 10 I/Os in 120.0 s; nor in 3 more rows")
    assert {*res.io["iops"], *res.threads["iops"]} == {0.09}


def test_thousands_put_in_by_hand():
    res = ft.reads(tables("Total IO", (" 256000 ", " 256.000 "), (" 512000 ", " 51.20.00 ")))
    assert res.threads["total_ios"].tolist()[0] == 256000
    assert pd.isna(res.threads["total_ios"].iloc[1])
    assert res.threads["iops"].iloc[1] == 51200.0
    assert "i/os is '51.20.00', not a whole number" in res.notes["message"].iloc[0]


def test_a_cell_cut_out_does_not_shift_the_others():
    cut = tables("Total IO", ("|  256000 |  100.00 |", "|  100.00 |"))
    res = ft.reads(cut)
    assert res.threads["thread"].tolist() == [1]
    assert says(res, "not a row of the table: '0 | 1048576000 | 100.00")
    # without the file, all other cells are where they were
    res = ft.reads(tables("Total IO", (r" | F:\IO.dat (5120MiB)|", " |")))
    assert res.threads["lat_stddev_ns"].tolist() == [456000.0, 395000.0]
    assert res.io["lat_stddev_ns"].tolist() == [434000.0]


def test_processors_that_were_cut_out_do_not_shift():
    text = edited("linux--D100", ("|  78.96% |  21.04% |   0.00% |   0.00%\n", "|  78.96% |\n"))
    res = ft.reads(text)
    assert res.cpu["cpu"].tolist() == ["0", "1"]
    assert says(res, "not a row of processors: 'avg | 100.00% | 78.96%'")


def test_a_chart_without_a_title():
    text = edited("2.2--F2O8_weights", ("Latency distribution: C:\\dsk\\x2.dat\r\n", ""))
    res = ft.reads(text)
    # it might be any target's, or that of the whole run
    assert says(res, "one of several charts of percentiles has no title: left out")
    assert res.percentiles["target"].dropna().unique().tolist() == [r"C:\dsk\x1.dat"]
    assert len(res.percentiles.query("entry == 1")) == 45


@pytest.mark.parametrize(
    ("head", "row"),
    [
        ("  %-ile |  Read (ms) | Write (ms) | Total (ms)", "   99th | 1.203 | N/A | 1.203"),
        ("CPU |  Usage |  User  |  Kernel |  Idle", "  0|  55.00%|  30.00%|   25.00%|"),
        ("Socket | Node | Group | CPU |  Usage |  User  |", " 0 | 0 | 0 | 0|  55.00%|  30.00%|"),
        ("thread |       bytes     |     I/Os     |    MiB/s   |", " 0 | 4096 | 1 | 0.00 |"),
    ],
)
def test_a_table_without_its_report_is_told(head, row):
    res = ft.reads(f"{DD}\nand DISKSPD:\n\n{head}\n{row}\n")
    assert res.runs["tool"].tolist() == ["dd"]
    assert values(res.notes, "line", "severity") == [(7, "warning")]
    assert head.strip()[:20] in res.notes["message"].item()


def test_a_report_without_its_percentiles():
    text = edited("2.2--two_sockets")
    chart = text.index("Total latency distribution:")
    res = ft.reads(text[:chart] + "Later:\r\nfour\r\nlines\r\nof prose\r\n")
    note = says(res, "no percentiles of the whole run were found")
    assert note["severity"] == "info"
    assert res.runs["status"].tolist() == ["ok"]


def test_percentiles_that_a_person_wrote_anew():
    text = edited("2.2--two_sockets")
    chart = text.index("Total latency distribution:")
    anew = """```markdown
## Step 6: Latency

| Percentile | Read (ms) | Write (ms) | Total (ms) |
|------------|-----------|------------|------------|
| **Min**    | 0.010     | 0.010      | 0.010      |
| **3-nines**| 4.663     | 5.223      | 4.941      |
| **Max**    | 16.775    | 13.248     | 16.775     |

```
And so on.
"""
    res = ft.reads(text[:chart] + anew)
    write = res.percentiles.query("direction == 'write'").set_index("percentile")["value_ns"]
    assert write.to_dict() == {0.0: 10e3, 99.9: 5.223e6, 100.0: 13.248e6}
    assert says(res, "the percentile table was rewritten by hand")
    # behind prose they may be anyone's
    apart = ft.reads(text[:chart] + "Now another disk:\n" + anew)
    assert apart.percentiles.empty


def test_wait_statistics_of_vs():
    waits = [
        "0 |   12 |    0  -      0 |        34 | 1 2 3 4 5 6 7 8",
        "1 | 13 | 0 - 0 | 35 | 8 7 6",
    ]
    head = "thread | completion wait | throttle wait  -  sleep | lookaside | 0 - 7+ complete"
    lines = ["", "Wait Statistics", head, "-" * 95, *waits]
    res = ft.reads(edited("2.2--two_sockets") + "\n".join(lines))
    kept = res.extras[res.extras["path"].str.startswith("Wait Statistics")]["text"].tolist()
    assert kept == [head, *waits]


def test_progress_without_the_time():
    progress = "Generating requests for timespan 1.\ncreating thread 0\nstarting warm up...\n"
    res = ft.reads(progress + edited("2.0.14--seqread_noLD"))
    assert res.notes["message"].tolist() == ["3 lines of progress (-v) were left out"]
    assert (len(res.io), len(res.threads)) == (1, 1)


def test_a_path_in_a_code_page_whose_characters_end_in_a_bar():
    # in code page 932 the second byte of this letter is that of "|"
    data = edited("2.0.14--seqread_noLD", ("test.dat", "ポ.dat")).encode("cp932")
    assert b"\x83|" in data
    res = ft.reads(data)
    assert res.io["target"].iloc[0] == "C:\\dsk\\ƒ|.dat"
    assert res.io["total_ios"].tolist() == [54145]


LINE = "    1 | 100.00% |"
LONG = {  # how many rows of io are in it
    "commands": ("Command Line:\n" * 50_000, 0),
    "errors": ("Error x\nResults for timespan 1\n" * 20_000, 0),
    "blanks in a line": ("Results for timespan" + " " * 500_000 + "x", 0),
    "reports": (edited("2.0.14--seqread_noLD") * 300, 300),
    "bars": (f"Total IO\n{'| ' * 200_000}\n{tables()}", 1),
    "lines in a table": (edited("linux--D100", (LINE, "\n" * 50_000 + LINE)), 2),
    "blanks in a table": (edited("linux--D100", (LINE, "\r\n " * 50_000 + LINE)), 2),
}


@pytest.mark.parametrize("case", LONG)
def test_long_texts_take_linear_time(case):
    text, rows = LONG[case]
    with guard():
        if rows:
            assert len(ft.reads(text, tables=("io",)).io) == rows
        else:
            with pytest.raises(ft.FileError):
                ft.reads(text, format="diskspd_text")


def cut(text, end):
    return text[: text.index(end) + len(end)]


@pytest.mark.parametrize(
    ("end", "message"),
    [
        ("Total IO\r\n", "the output ends before its tables"),
        ("Read IO\r\n", "the output ends before the read table"),
        ("Write IO\r\n", "the output ends before the write table"),
        ("483.00 |     0.506\r\n", "the output ends before its percentiles"),
        ("99th |", "the output ends within its percentiles"),
    ],
)
def test_a_report_that_was_cut_off_says_so(end, message):
    res = ft.reads(cut(edited("2.0.12--mix_2targets_D_L"), end))
    assert res.runs["status"].tolist() == ["truncated"]
    assert message in res.notes["message"].tolist()


def test_a_number_that_was_cut_is_not_read():
    whole = tables().rstrip("\n").removesuffix("|")
    assert whole.endswith("0.434")
    assert ft.reads(whole).runs["status"].tolist() == ["ok"]
    res = ft.reads(whole[:-1])
    assert res.runs["status"].tolist() == ["truncated"]
    assert "within this row" in res.notes["message"].item()
    assert res.notes["line"].item() == 8
    assert (len(res.io), len(res.threads)) == (0, 2)
    before = ft.reads(cut(whole, "F:\\IO.dat (5120MiB)|\n"))
    assert before.runs["status"].tolist() == ["truncated"]
    assert "before the row 'total:'" in before.notes["message"].item()


EDITS = {
    "a figure dash": lambda text: text.replace("%-ile", "%\u2012ile"),
    "blanks before lines gone": lambda text: re.sub("(?m)^[ \t]+", "", text),
    "blank lines gone": lambda text: re.sub("\n+", "\n", text.replace("\r\n", "\n")),
    "blank lines doubled": lambda text: text.replace("\r\n", "\n").replace("\n", "\n\n"),
    **{
        f"quotes {marks}": lambda text, marks=marks: re.sub("(path: )'(.*)'", rf"\1{marks}", text)
        for marks in (r"‘\2’", r"“\2”", r'"\2"', r"\2")
    },
}


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize(
    "name",
    ["2.0.12--mix_2targets_D_L", "2.2--F2O8_weights", "linux--D100"],
)
def test_blanks_and_quotes_that_a_program_changed(name, edit):
    assert len(same_frames(name, EDITS[edit](edited(name))).notes) == len(load(name).notes)


@pytest.mark.parametrize("dash", "\u2011\u2013\u2212")
def test_dashes_that_a_program_changed(dash):
    name = "2.2--F2O8_weights"
    text = re.sub("-{4,}", lambda found: dash * len(found[0]), edited(name))
    same_frames(name, text.replace("%-ile", f"%{dash}ile"))
    command = "diskspd.exe -t2 -b4k -rs50 -L E:\\IO.dat"
    typed = f"PS C:\\> {command}\n{tables()}"
    changed = f"PS C:\\> {command.replace(' -', f' {dash}')}\n{tables()}"
    same_rows(ft.reads(typed), ft.reads(changed), "io", "settings")


def test_a_target_that_the_parameters_do_not_name_is_noted():
    res = ft.reads(edited("2.0.12--mix_2targets_D_L", ("path: 'C:\\dsk\\b2", "path: 'C:\\dsk\\b3")))
    assert says(res, "no input parameters name")["message"].endswith(r"C:\dsk\b2.dat")
    rows = res.threads.query(r"target == 'C:\\dsk\\b2.dat'")
    assert len(rows) == 2
    assert rows["bs_bytes"].isna().all()


@pytest.mark.parametrize(("printed", "size"), [("4,096", 4096), ("4.096", 4096), ("4,09", None)])
def test_block_sizes_as_people_rewrite_them(printed, size):
    name = "2.0.12--mix_2targets_D_L"
    res = ft.reads(edited(name, ("block size: 4096", f"block size: {printed}")))
    for table in (res.io, res.threads):
        assert table["bs_bytes"].drop_duplicates().tolist() == [size if size else pd.NA]
    said = res.notes["message"].tolist()
    left = [f"not certain, and left out: block size: {printed}; block size: {printed}"]
    assert said == ([] if size else left)


def test_parameters_that_stand_twice():
    name = "2.2--F2O8_weights"
    echo = edited(name).split("Input parameters:")[1].split("System information:")[0]
    twice = f"Input parameters:{echo}Input parameters:{echo}"
    res = same_frames(name, edited(name, (f"Input parameters:{echo}", twice)))
    assert says(res, "'Input parameters:' stands twice: read once")["severity"] == "warning"


def test_targets_that_stand_twice_raise_no_number():
    name = "2.0.12--mix_2targets_D_L"
    targets = re.search(r"(?s)\tpath: .*?priority: normal\r?\n(?=\r?\n)", edited(name))[0]
    res = ft.reads(edited(name, (targets, targets * 2)))
    assert says(res, "the input parameters are of 4 threads, the results of 2")
    assert res.io["numjobs"].isna().all()
    pd.testing.assert_series_equal(res.threads["numjobs"], load(name).threads["numjobs"])


def test_a_dead_thread_stands_with_zeros():
    alive = "| 0 |  1048576000 |  256000 |  100.00 |  25600.00 |  0.841 | 0.456 |"
    dead = "| 0 |  0 |  0 |  0.00 |  0.00 |  0.000 | N/A |"
    total = "3145728000 |  768000 |  300.00 |  76800.00 | 0.704|  0.434"
    rest = "2097152000 |  512000 |  200.00 |  51200.00 | 0.635|  0.395"
    text = replaced(TABLES, (alive, dead), (total, rest))
    res = ft.reads(text.format(caption="Total IO") + text.format(caption="Read IO"))
    row = res.threads.query("thread == 0 and direction == 'read'")
    assert values(row, "total_ios", "iops", "io_bytes", "lat_mean_ns") == [(0, 0, 0, None)]
    assert ft.fairness(res.threads)["stragglers"].tolist() == ["thread 0"]
    # the table of writes shows that there were none
    nothing = text.replace("2097152000 |  512000 |  200.00 |  51200.00", "0 |  0 |  0.00 |  0.00")
    res = ft.reads(text.format(caption="Total IO") + nothing.format(caption="Write IO"))
    assert res.io.empty
    assert says(res, "the table of the reads is missing")


@pytest.mark.parametrize("change", [("3-nines", "third"), ("12.170", "12,170")])
def test_a_row_of_percentiles_that_cannot_be_read_is_noted(change):
    res = ft.reads(edited("2.0.12--mix_2targets_D_L", change))
    assert len(res.percentiles) < len(load("2.0.12--mix_2targets_D_L").percentiles)
    assert says(res, "not all of a row of percentiles can be read")["severity"] == "warning"
