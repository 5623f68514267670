import re
from pathlib import Path

import pandas as pd
import pytest

import fiotools as ft
from fiotools import units
from fiotools.errors import ParseError, UnknownFormatError
from fiotools.readers.diskspd import options
from tests.physics import read_texts
from tests.test_security import guard

FIXTURES = Path(__file__).parents[1] / "fixtures" / "diskspd"
DATA = Path(__file__).parents[2] / "data" / "dda-vhdx"

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
    return ft.read(FIXTURES / f"diskspd-{name}.txt")


def edited(name, *changes):
    """A fixture's text with some of it replaced."""
    text = (FIXTURES / f"diskspd-{name}.txt").read_bytes().decode()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def says(res, start):
    """The one note that begins so."""
    (found,) = [n for n in res.notes.to_dict("records") if n["message"].startswith(start)]
    return found


def tables(caption="+  Total IO", *changes):
    text = TABLES.format(caption=caption)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def test_published_tables_are_the_published_xml():
    text = ft.read(DATA / "text" / "{volume}.txt")
    xml = ft.read(DATA / "xml" / "{volume}.xml")
    assert text.runs["format"].tolist() == ["diskspd_text"] * 3
    assert text.notes.empty
    # what the article does not say stands in no table: the conditions, and the time's last digits
    exact = ["volume", "entry", "clones", "target", "direction", "size_bytes"]
    exact += ["io_bytes", "total_ios", "lat_mean_ns", "lat_stddev_ns", "iops_stddev"]
    for table, more in (("io", []), ("threads", ["thread"])):
        one, other = text.tables[table], xml.tables[table]
        pd.testing.assert_frame_equal(one[exact + more], other[exact + more])
        for column in ("iops", "bw_bytes_per_s", "runtime_s"):
            assert ((one[column] / other[column] - 1).abs() < 1e-4).all()
    # sums of the rows are what DISKSPD printed as totals
    printed = text.extras[text.extras["entry"].isna()].pivot_table(
        index="volume", columns="path", values="text", aggfunc="first"
    )
    sums = text.io.groupby("volume")[["io_bytes", "total_ios", "iops"]].sum()
    for amount in ("io_bytes", "total_ios"):
        assert printed[f"total.{amount}"].astype("int64").tolist() == sums[amount].tolist()
    assert sums["iops"].to_numpy() == pytest.approx(
        printed["total.iops"].astype("float64").to_numpy(), abs=0.0101
    )


def test_the_article(articles):
    res = ft.read(next(articles.glob("002_*")))
    assert len(res.runs) == 3
    assert (len(res.io), len(res.threads)) == (6, 12)
    assert res.io["target"].unique().tolist() == [r"E:\IO.dat", r"F:\IO.dat"]
    assert res.notes.empty


def test_bare_markdown_tables():
    res = ft.reads(tables())
    assert res.runs["format"].tolist() == ["diskspd_text"]
    threads = res.threads
    assert threads["thread"].tolist() == [0, 1]
    assert threads["entry"].tolist() == [1, 2]
    assert res.io[["entry", "clones"]].to_numpy().tolist() == [[1, 2]]
    rows = pd.concat([threads, res.io])
    # nothing tells reads and writes apart
    assert rows["direction"].tolist() == ["mixed"] * 3
    assert rows["target"].tolist() == [r"F:\IO.dat"] * 3
    assert rows["size_bytes"].tolist() == [5368709120] * 3
    assert rows["iops"].tolist() == [25600.0, 51200.0, 76800.0]
    assert rows["bw_bytes_per_s"].tolist() == [104857600.0, 209715200.0, 314572800.0]
    assert rows["lat_mean_ns"].tolist() == [841000.0, 635000.0, 704000.0]
    assert rows["runtime_s"].tolist() == [10.0] * 3
    assert rows["rw"].isna().all()
    assert res.notes.empty


@pytest.mark.parametrize("caption", ["Total IO", "* Total IO", "### Total IO", "**Total IO**:"])
def test_captions(caption):
    res = ft.reads(tables(caption))
    assert res.threads["direction"].tolist() == ["mixed"] * 2
    assert res.io["direction"].tolist() == ["mixed"]


def test_a_direction_again_is_another_run():
    text = tables() + tables("+ Read IO") + tables() + tables("+ Write IO")
    res = ft.reads(text)
    assert len(res.runs) == 2
    assert res.io[["run", "direction"]].to_numpy().tolist() == [[1, "read"], [2, "write"]]
    for run in (1, 2):
        printed = res.extras[res.extras["run"] == run].set_index("path")["text"]
        assert printed["total.total_ios"] == "768000"
        assert printed["thread.total.total_ios"].tolist() == ["256000", "512000"]


@pytest.mark.parametrize(("there", "lost"), [("Read", "writes"), ("Write", "reads")])
def test_an_excerpt_with_the_total_and_one_direction_gets_a_note(there, lost):
    less = (("3145728000", "1048576000"), (" 768000 ", " 256000 "), ("512000", "0"))
    less = (*less, ("2097152000", "0"), ("300.00", "100.00"), ("76800.00", "25600.00"))
    part = tables(f"+ {there} IO", ("51200.00", "0.00"), ("200.00", "0.00"), *less)
    res = ft.reads(tables() + part)
    assert res.io[["direction", "total_ios"]].to_numpy().tolist() == [[there.lower(), 256000]]
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


def test_prose_between_is_left_to_the_transcript():
    res = ft.reads(f"# A disk\n{tables()}\nAnd the other disk:\n{tables()}")
    assert len(res.runs) == 2
    assert (len(res.io), len(res.threads)) == (2, 4)


def test_a_table_without_a_caption_is_not_guessed_at():
    with pytest.raises(UnknownFormatError):
        ft.reads(tables(""))


def test_the_command_above_gives_the_conditions():
    text = f"PS C:\\> .\\diskspd.exe -t2 -o32 -b4k -r -w40 -Sh -L E:\\IO.dat > a.txt\n{tables()}"
    row = ft.reads(text).io.iloc[0]
    assert (row["rw"], row["bs_bytes"], row["iodepth"], row["numjobs"]) == ("randrw", 4096, 32, 2)
    assert row["direct"]
    assert row["rwmixread_pct"] == 60.0


def test_the_oldest_version():
    res = load("2.0.12--mix_2targets_D_L")
    (total,) = ft.totals(res.io).to_dict("records")
    assert total["bw_bytes_per_s"] == pytest.approx(124.72 * 2**20, rel=1e-4)
    assert (total["iodepth"], total["numjobs"], total["clones"]) == (2, 2, 2)
    thread = res.threads.iloc[0]
    # "mix test (write/read ratio: 30/100)"
    assert (thread["rw"], thread["rwmixread_pct"]) == ("randrw", 70.0)
    assert thread["direct"]
    assert thread["size_bytes"] == 32 * 2**20
    assert res.notes.empty


def test_the_run():
    run = load("2.2--F2O8_weights").runs.iloc[0]
    assert run["command"].endswith(
        r"-F2 -O8 -b4k -r -w50 -d2 -W0 -Su -L -c16M -Rxml C:\dsk\x1.dat C:\dsk\x2.dat"
    )
    assert run["host"] == "vm"
    assert run["reported_at"] == pd.Timestamp("2026-11-21 00:37:17", tz="UTC")
    assert pd.isna(run["tool_version"])
    assert run["duration_s"] == 2.0


def test_settings():
    settings = load("2.2--F2O8_weights").settings.set_index("option")["text"]
    assert (settings["-O"], settings["-S"]) == ("8", "u")
    assert settings["warm up time"] == "0s"
    assert settings["target[1]/block size"] == "4KiB"
    assert settings["target[2]/performing mix test"] == "read/write ratio: 50/50"


def test_charts_of_targets_and_of_all():
    charts = load("2.2--F2O8_weights").percentiles
    of_run = charts["target"].isna()
    assert (charts["entry"].notna() == of_run).all()
    assert set(charts.loc[of_run, "entry"]) == {1}
    assert {*charts["target"].dropna()} == {r"C:\dsk\x1.dat", r"C:\dsk\x2.dat"}
    x1 = charts.query(r"target == 'C:\\dsk\\x1.dat' and direction == 'write'")
    values = x1.set_index("percentile")["value_ns"]
    assert (values[0], values[25], values[99.9], values[100]) == (11e3, 13e3, 6.068e6, 47.995e6)


def test_each_row_of_nines_is_a_percentile_of_its_own():
    rows = [f"{nines}-nines |  {nines}.000 | N/A | {nines}.000" for nines in range(3, 10)]
    head = "  %-ile |  Read (ms) | Write (ms) | Total (ms)"
    chart = "\n".join(
        [head, "-" * 40, "   min |  1.000 | N/A | 1.000", *rows, "   max | 10.000 | N/A | 10.000"]
    )
    found = ft.reads(tables("Total IO") + "\n" + chart + "\n").percentiles
    found = found[found["direction"] == "total"]
    assert found["percentile"].tolist() == [
        *(0, 99.9, 99.99, 99.999, 99.9999, 99.99999, 99.999999, 99.9999999, 100)
    ]
    assert found["value_ns"].tolist() == [1e6 * ms for ms in (1, *range(3, 11))]
    shown = list(map(units.percentile, found["percentile"]))
    assert len(set(shown)) == len(shown)
    assert [units.level(one, "percentile") for one in found["percentile"]] == [
        f"percentile {one}" for one in shown
    ]


def test_percentiles_behind_prose_are_not_of_a_target():
    chart = "  %-ile |  Read (ms) | Write (ms) | Total (ms)\n   max | 9.000 | N/A | 9.000\n"
    res = ft.reads(f"{tables('Total IO')}\nand of another disk:\n{chart}")
    assert res.percentiles.empty
    (note,) = res.notes.query("code == 'unread'").to_dict("records")
    assert (note["line"], note["severity"]) == (11, "warning")
    named = ft.reads(f"{tables('Total IO')}\nF:\\IO.dat\n{chart}").percentiles
    assert set(named["target"]) == {r"F:\IO.dat"}


def test_three_time_spans():
    res = load("2.0.21a--three_timespans")
    assert res.runs["run"].tolist() == [1, 2, 3]
    total = ft.totals(res.io)
    assert total["rw"].tolist() == ["randrw", "read", "randwrite"]
    assert total["bs_bytes"].tolist() == [4096, 65536, 4096]
    assert total["numjobs"].tolist() == [1, 2, 1]
    assert set(res.percentiles["run"]) == {1, 2}
    assert res.extras.query("path == 'Totals'")["run"].tolist() == [3] * 5


def test_processors():
    cpu = load("2.2--two_sockets").cpu
    assert cpu["group"].tolist()[:8] == [0] * 4 + [1] * 4
    assert cpu["cpu"].tolist() == ["0", "1", "2", "3"] * 2 + ["average"]
    assert cpu["user_pct"].iloc[-1] == 73.71
    nan = load("2.0.21a--nan_cpu").cpu
    assert nan["usage_pct"].isna().tolist() == [False, True, True]


def test_what_follows_the_percentiles():
    extras = load("2.0.21a--etw").extras
    assert "Read: 1000" in extras.query("path == 'ETW'")["text"].tolist()
    extras = load("2.1--rs50_distribution").extras
    parts = extras.query("path == 'Effective IO Distributions'")["text"]
    assert parts.iloc[0].startswith(r"target: C:\dsk\test.dat")
    assert load("2.1--rs50_distribution").io["rw"].isna().all()


def test_a_failed_run_is_a_run():
    res = load("2.0.21a--err_nofile")
    assert res.runs["status"].tolist() == ["error"]
    assert res.io.empty
    messages = res.notes.set_index("line")["message"]
    assert messages[1] == r"Error opening file: C:\dsk\nope\missing.dat [3]"
    assert messages[34].startswith("The test was interrupted")
    assert load("2.1--interrupted").runs["status"].tolist() == ["error"]


def test_standard_error_before_the_output():
    res = load("2.2--verbose_stderr_merged")
    assert res.runs["format"].tolist() == ["diskspd_text"]
    assert res.notes["message"].tolist() == ["22 lines of progress (-v) were left out"]
    assert (len(res.io), len(res.threads)) == (2, 4)


def test_utf16():
    res = load("2.0.21a--randmix_utf16le_bom")
    assert (len(res.io), len(res.threads)) == (2, 4)


@pytest.mark.parametrize("dash", "\u2010\u2011\u2012\u2013\u2212")
def test_a_dash_of_a_word_processor_in_the_header_of_percentiles(dash):
    changed = edited("linux--D100", ("%-ile", f"%{dash}ile"))
    assert len(ft.reads(changed).percentiles) == len(load("linux--D100").percentiles) > 0


def test_linux():
    res = load("linux--D100")
    assert res.io["runtime_s"].unique().tolist() == [3.0]
    assert not res.io["direct"].any()
    assert res.io["size_bytes"].unique().tolist() == [67108864]
    printed = res.extras[res.extras["entry"].isna()].set_index("path")["text"]
    told = [float(printed[f"total.{name}"]) for name in ("iops", "lat_mean_ns", "iops_stddev")]
    assert told == [137656, 58000, 70521.67]
    total = ft.totals(res.io).iloc[0]
    assert total["iops"] == pytest.approx(137656, abs=0.0101)
    assert total["lat_mean_ns"] == pytest.approx(58000, abs=1000)
    # its sums of histograms are wrong, its extremes are not
    kept = res.percentiles.query("direction == 'total'")
    assert kept["percentile"].tolist() == [0.0, 100.0]
    assert "miscounts the total percentiles" in res.notes["message"].item()


def test_a_profile_is_not_a_result():
    with pytest.raises(
        ParseError, match=r"profile_only.txt:2: holds a profile without results; run"
    ):
        load("2.1--profile_only")


def test_cut_off_before_the_tables():
    text = edited("2.0.14--seqread_noLD")
    res = ft.reads(text[: text.index("Total IO")])
    assert res.runs["status"].tolist() == ["truncated"]
    assert res.notes["message"].item() == "the output ends before its tables"
    assert len(res.cpu) == 3


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


def test_rates_that_contradict_are_noted():
    res = ft.reads(tables("Total IO", ("300.00", "310.00")))
    assert says(res, "310.00 mib/s is not 315 MB/s")["line"] == 8
    assert res.io["bw_bytes_per_s"].iloc[-1] == 310 * 2**20
    text = edited("2.0.14--seqread_noLD", ("27071.93", "37071.93"), ("1692.00", "2317.00"))
    assert says(ft.reads(text), "37071.93 I/O per s is not 54145 I/Os in 2.0 s; nor in")


def report(seconds, counts, bs, *, timed=True, form="{}"):
    """Three tables as DISKSPD prints them: the counts of threads, all of them reads."""
    lines = ["Results for timespan 1:", "*" * 79, ""]
    lines += [f"actual test time:\t{seconds:.2f}s", f"thread count:\t\t{len(counts)}"] * timed

    def row(head, count, file=""):
        rates = f"{count * bs / 2**20 / seconds:>10.2f} | {count / seconds:>10.2f}"
        return form.format(f"{head} {count * bs:>15} | {count:>12} | {rates}{file}")

    for direction, share in (("Total", 1), ("Read", 1), ("Write", 0)):
        head = "thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  file"
        lines += ["", f"{direction} IO", form.format(head), form.format("-" * 80)]
        each = enumerate(counts)
        lines += [row(f"{at:>6} |", one * share, " | x.dat (1GiB)") for at, one in each]
        lines += [form.format("-" * 80), row("total:", sum(counts) * share)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("form", ["{}", "| {} |"], ids=["text", "Markdown"])
@pytest.mark.parametrize("bs", [4096, 2**20, 2**26], ids=["4k", "1M", "64M"])
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
def test_rates_come_from_the_most_precise_number(form, bs, seconds, counts):
    res = ft.reads(report(seconds, counts, bs, form=form))
    assert res.notes.empty
    assert "parts" not in set(ft.check(res).query("verdict in ['suspect', 'impossible']")["check"])
    assert (len(res.io), len(res.threads)) == (1, len(counts))
    for row in [*res.io.to_dict("records"), *res.threads.to_dict("records")]:
        true = row["total_ios"] / seconds
        printed = min(0.005 / true, 0.005 * 2**20 / (true * bs), 0.005 / seconds)
        assert row["iops"] == pytest.approx(true, rel=1.01 * printed + 1e-12)
        assert row["bw_bytes_per_s"] == pytest.approx(true * bs, rel=1.01 * printed + 1e-12)


def test_a_slow_row_of_an_excerpt_has_the_time_of_the_fastest():
    threads = ft.reads(report(29.996, [92, 3_000_000], 4096, timed=False)).threads
    assert threads["iops"].iloc[0] == pytest.approx(92 / 29.996, rel=2e-4)


def test_a_slow_rate_that_was_edited_is_noted():
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


def test_percentiles_that_fall_are_noted():
    text = edited("2.0.12--mix_2targets_D_L", ("   25th |      0.009", "   25th |      0.900"))
    assert says(ft.reads(text), "read: percentile 50 is below percentile 25")


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


def test_read_and_write_that_do_not_make_the_total_are_noted():
    write = "|       118103 |     153.78 |   39367.67 |"
    other = "|       118104 |     153.78 |   39368.00 |"
    res = ft.reads(edited("linux--D100", (write, other)))
    message = "total_ios: read + write = 235945, but the total of thread 0 is 235944"
    assert says(res, message)["line"] == 42


def test_bytes_that_are_not_blocks_are_noted():
    res = ft.reads(edited("2.0.14--seqread_noLD", ("block size: 65536", "block size: 4096")))
    assert says(res, "3548446720 bytes are not 54145 I/Os of 4096 bytes, the block size")


def test_bytes_that_are_not_blocks_are_told_by_their_row():
    name, row = "2.0.21a--seq64k_t4_D_only", "2 |       758448128 |        11573 |"
    res = ft.reads(edited(name, (row, row.replace("11573", "11574"))))
    note = says(res, "758448128 bytes are not 11574 I/Os of 65536 bytes")
    assert note["line"] == 61
    assert note["message"].endswith("the block size")
    other = "3 |       344064000 |         5250 |"
    two = (other, other.replace("5250", "5251"))
    res = ft.reads(edited(name, (row, row.replace("11573", "11574")), two))
    note = says(res, "758448128 bytes are not 11574 I/Os of 65536 bytes")
    assert note["message"].endswith("the block size; nor in 1 more rows")


def test_means_that_do_not_make_the_mean_are_noted():
    res = ft.reads(tables("Total IO", ("0.704|", "0.714|")))
    assert (
        says(res, "total: mean latencies of the threads make 0.704 ms, not 0.714 ms")["line"] == 8
    )


def test_totals_of_several_time_spans_are_checked():
    text = edited("2.1--three_timespans")
    assert ft.reads(text).notes.empty
    res = ft.reads(
        text.replace("      3963437056 |        97561", "      3963437056 |        97560")
    )
    note = says(res, "Totals: total total_ios is 97560, the runs sum to 97561")
    assert note["severity"] == "warning"
    assert pd.isna(note["run"])


def test_a_chart_without_a_title():
    text = edited("2.2--F2O8_weights", ("Latency distribution: C:\\dsk\\x2.dat\r\n", ""))
    res = ft.reads(text)
    # it might be any target's, or that of the whole run
    assert says(res, "one of several charts of percentiles has no title: left out")
    assert res.percentiles["target"].dropna().unique().tolist() == [r"C:\dsk\x1.dat"]
    assert len(res.percentiles.query("entry == 1")) == 45


ALONE = {
    "percentiles": (
        "  %-ile |  Read (ms) | Write (ms) | Total (ms)",
        "   99th | 1.203 | N/A | 1.203",
    ),
    "processors": ("CPU |  Usage |  User  |  Kernel |  Idle", "  0|  55.00%|  30.00%|   25.00%|"),
    "sockets": (
        "Socket | Node | Group | CPU |  Usage |  User  |",
        " 0 | 0 | 0 | 0|  55.00%|  30.00%|",
    ),
    "rows": ("thread |       bytes     |     I/Os     |    MiB/s   |", " 0 | 4096 | 1 | 0.00 |"),
}


@pytest.mark.parametrize("lines", ALONE.values(), ids=ALONE)
def test_a_table_without_its_report_is_told(lines):
    records = "1+0 records in\n1+0 records out\n4096 bytes (4.1 kB) copied, 0.5 s, 8.2 kB/s\n"
    res = ft.reads(f"{records}\nand DISKSPD:\n\n" + "\n".join(lines) + "\n")
    assert res.runs["tool"].tolist() == ["dd"]
    assert res.notes[["line", "severity"]].to_numpy().tolist() == [[7, "warning"]]
    assert lines[0].strip()[:20] in res.notes["message"].item()


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
| **50th**   | 0.013     | 0.014      | 0.013      |
| **3-nines**| 4.663     | 5.223      | 4.941      |
| **Max**    | 16.775    | 13.248     | 16.775     |

```
And so on.
"""
    res = ft.reads(text[:chart] + anew)
    write = res.percentiles.query("direction == 'write'").set_index("percentile")["value_ns"]
    assert write.to_dict() == {0.0: 10e3, 50.0: 14e3, 99.9: 5.223e6, 100.0: 13.248e6}
    assert says(res, "the percentile table was rewritten by hand")
    # behind prose they may be anyone's
    apart = ft.reads(text[:chart] + "Now another disk:\n" + anew)
    assert apart.percentiles.empty


def test_what_a_later_version_adds_is_kept():
    text = edited(
        "2.2--two_sockets",
        ("thread count:\t\t2", "thread count:\t\t2\r\nqueue depth:\t\t7"),
        ("Kernel |  Idle", "Kernel | DPC |  Idle"),
        ("%|   0.00%\r\n", "%|   1.50%|   0.00%\r\n"),
        ("| LatStdDev |", "| LatStdDev |  Retries |"),
        (" | C:\\dsk\\test.dat (16MiB)", " |   3 | C:\\dsk\\test.dat (16MiB)"),
        ("    0.342\r\n", "    0.342 |   6\r\n"),
        ("    0.344\r\n", "    0.344 |   6\r\n"),
    )
    res, before = ft.reads(text), load("2.2--two_sockets")
    for table in ("io", "threads", "cpu", "percentiles"):
        one, other = (getattr(part, table).drop(columns="source") for part in (res, before))
        pd.testing.assert_frame_equal(one, other)
    extras = res.extras.groupby("path")["text"].unique().map(list)
    assert extras["queue depth"] == ["7"]
    assert extras["CpuUtilization/Average/DPC"] == ["1.50%"]
    assert extras["Total IO/Retries"] == ["3", "6"]
    assert extras["CpuUtilization/CPU[5]/Class"] == ["1P"]
    assert res.notes.empty


def test_waits_for_the_disk_are_kept():
    extras = load("linux--D100").extras.set_index("path")["text"]
    assert extras["CpuUtilization/CPU[2]/IO Wait"] == "0.00%"
    assert extras["CpuUtilization/Average/IO Wait"] == "0.00%"


def test_wait_statistics_of_vs():
    waits = """
Wait Statistics
thread | completion wait | throttle wait  -  sleep | lookaside | 0 - 7+ complete per lookaside
-----------------------------------------------------------------------------------------------
     0 |              12 |             0  -      0 |        34 | 1 2 3 4 5 6 7 8
     1 |              13 |             0  -      0 |        35 | 8 7 6 5 4 3 2 1
"""
    res = ft.reads(edited("2.2--two_sockets") + waits)
    kept = res.extras[res.extras["path"].str.startswith("Wait Statistics")]["text"].tolist()
    assert kept[1] == "0 |              12 |             0  -      0 |        34 | 1 2 3 4 5 6 7 8"
    assert len(kept) == 3
    assert res.runs["format"].tolist() == ["diskspd_text"]


@pytest.mark.parametrize("printed", ["-nan(ind)%", "-1.#J%", "1.#QNAN%", "N/A"])
def test_what_is_not_a_number_in_c_is_missing(printed):
    res = ft.reads(edited("2.0.14--seqread_noLD", ("99.75%", printed)))
    assert res.cpu["usage_pct"].isna().tolist() == [False, False, True]
    assert res.notes.empty


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


def test_many_reports_take_linear_time():
    one = edited("2.0.14--seqread_noLD")
    assert len(ft.reads(one * 300, tables=("io",)).io) == 300
    with pytest.raises(ft.errors.FiotoolsError):
        ft.reads("Command Line:\n" * 50_000, format="diskspd_text")
    with pytest.raises(ft.errors.FiotoolsError):
        ft.reads("Error x\nResults for timespan 1\n" * 20_000, format="diskspd_text")


@pytest.mark.parametrize("blank", ["\n", "\r\n "], ids=["lines", "blanks"])
def test_blank_lines_within_a_table_take_linear_time(blank):
    text = edited("linux--D100", (row := "    1 | 100.00% |", blank * 50_000 + row))
    with guard():
        res = ft.reads(text)
    assert len(res.cpu) == len(load("linux--D100").cpu)


def test_text_with_bars_everywhere_takes_linear_time():
    assert ft.reads(f"Total IO\n{'| ' * 200_000}\n{tables()}").io["total_ios"].sum() == 768000
    with pytest.raises(UnknownFormatError):
        ft.reads("Results for timespan" + " " * 500_000 + "x")


def cut(text, end):
    return text[: text.index(end) + len(end)]


@pytest.mark.parametrize(
    ("end", "message"),
    [
        ("Total IO\r\n", "the output ends before its tables"),
        ("Read IO\r\n", "the output ends before the read table"),
        ("Write IO\r\n", "the output ends before the write table"),
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


def test_no_cut_gives_a_wrong_number(tmp_path):
    data = (FIXTURES / "diskspd-linux--D100.txt").read_bytes()
    # where only the table of the total is left, it is what is read
    whole, first = ft.reads(data), ft.reads(data[: data.index(b"Read IO")])
    printed = whole.extras[whole.extras["entry"].isna()].set_index("path")["text"]
    assert first.io["total_ios"].tolist() == [int(printed["total.total_ios"])]
    known = {
        "io": ["direction", "total_ios", "iops", "lat_mean_ns", "lat_stddev_ns"],
        "threads": ["thread", "direction", "total_ios", "iops", "lat_mean_ns", "lat_stddev_ns"],
        "extras": ["path", "text"],
        "cpu": ["cpu", "usage_pct", "user_pct", "kernel_pct", "idle_pct"],
        "percentiles": ["direction", "percentile", "value_ns"],
    }
    cuts = {f"{end}.txt": data[:end] for end in range(0, len(data), 7)}
    res, _ = read_texts(tmp_path, cuts, tables=known)
    read = 0
    for table, names in known.items():
        right = pd.concat([whole.tables[table], first.tables[table]])
        rows = set(right[names].itertuples(index=False))
        part = getattr(res, table).dropna(subset=names)
        if table == "extras":  # the totals; lines of text may be cut
            part = part[part["path"].str.contains("total.", regex=False)]
        wrong = set(part[names].itertuples(index=False)) - rows
        assert not wrong, part.merge(pd.DataFrame(wrong))["source"]
        read += len(part)
    assert read > 4000


CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "diskspd"


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not beside the project")
def test_no_cut_loses_rows_silently(tmp_path):
    texts, cuts = {}, {}
    for file in sorted(CORPUS.glob("*/*.txt"))[::3]:
        data = file.read_bytes()
        if b"Input parameters" not in data or b"Results for" not in data:
            continue  # where a mere excerpt ends, nobody knows
        texts[file.name] = data
        for part in range(1, 12):
            end = len(data) * part // 12 + part * 7 % 13
            texts[f"{end}-{file.name}"] = data[:end]
            cuts[f"{end}-{file.name}"] = file.name
    res, _ = read_texts(tmp_path, texts, tables=("runs", "io", "percentiles", "cpu"))
    assert res.runs["source"].isin(cuts).sum() > 50
    bad = set(res.runs.loc[res.runs["status"] != "ok", "source"])
    notes = res.notes["source"].value_counts()
    silent = pd.DataFrame(
        [
            (cut, whole)
            for cut, whole in cuts.items()
            if cut in set(res.runs["source"])
            and cut not in bad
            and notes.get(cut, 0) <= notes.get(whole, 0)
        ],
        columns=["source", "whole"],
    )
    assert len(silent) > 2
    for table in ("io", "percentiles", "cpu"):
        rows = getattr(res, table)
        wholes = rows.rename(columns={"source": "whole"})
        pd.testing.assert_frame_equal(silent.merge(rows), silent.merge(wholes), obj=table)


ECHOES = ["2.0.12--mix_2targets_D_L", "2.2--F2O8_weights", "2.1--three_timespans", "linux--D100"]


def same_frames(name, text):
    """The frames of a fixture, and of its text after something was done to it."""
    whole, changed = load(name), ft.reads(text)
    for table in ("io", "threads", "settings", "percentiles", "cpu", "extras"):
        frames = [getattr(res, table).drop(columns="source") for res in (whole, changed)]
        pd.testing.assert_frame_equal(*frames)
    return changed


@pytest.mark.parametrize("name", ECHOES)
def test_blanks_that_a_program_took_from_the_beginnings_of_lines(name):
    text = re.sub("(?m)^[ \t]+", "", edited(name))
    assert len(same_frames(name, text).notes) == len(load(name).notes)


@pytest.mark.parametrize("quotes", ["‘’", "’’", "“”", '""', ("", "")])
@pytest.mark.parametrize("name", ECHOES)
def test_quotation_marks_that_a_program_changed(name, quotes):
    text = re.sub("path: '(.*)'", lambda found: f"path: {found[1].join(quotes)}", edited(name))
    assert len(same_frames(name, text).notes) == len(load(name).notes)


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
    text = TABLES.replace(alive, dead)
    text = text.replace(
        "3145728000 |  768000 |  300.00 |  76800.00 | 0.704|  0.434",
        "2097152000 |  512000 |  200.00 |  51200.00 | 0.635|  0.395",
    )
    res = ft.reads(text.format(caption="Total IO") + text.format(caption="Read IO"))
    row = res.threads.query("thread == 0 and direction == 'read'").iloc[0]
    assert (row["total_ios"], row["iops"], row["io_bytes"]) == (0, 0, 0)
    assert pd.isna(row["lat_mean_ns"])
    assert ft.fairness(res.threads)["stragglers"].tolist() == ["thread 0"]
    # the table of writes shows that there were none
    nothing = text.replace("2097152000 |  512000 |  200.00 |  51200.00", "0 |  0 |  0.00 |  0.00")
    res = ft.reads(text.format(caption="Total IO") + nothing.format(caption="Write IO"))
    assert res.io.empty
    assert says(res, "the table of the reads is missing")


@pytest.mark.parametrize("ends", [("\n+", "\n"), ("\n", "\n\n")], ids=["single", "double"])
@pytest.mark.parametrize("name", [*ECHOES, "2.0.14--seqread_noLD"])
def test_blank_lines_that_were_lost_or_doubled(name, ends):
    text = re.sub(*ends, edited(name).replace("\r\n", "\n"))
    assert len(same_frames(name, text).notes) == len(load(name).notes)


@pytest.mark.parametrize("dash", "\u2010\u2013\u2014\u2212")
def test_rules_of_longer_dashes(dash):
    name = "2.2--F2O8_weights"
    same_frames(name, re.sub("-{4,}", lambda found: dash * len(found[0]), edited(name)))


@pytest.mark.parametrize("change", [("3-nines", "third"), ("12.170", "12,170")])
def test_a_row_of_percentiles_that_cannot_be_read_is_noted(change):
    res = ft.reads(edited("2.0.12--mix_2targets_D_L", change))
    assert len(res.percentiles) < len(load("2.0.12--mix_2targets_D_L").percentiles)
    assert says(res, "not all of a row of percentiles can be read")["severity"] == "warning"


@pytest.mark.parametrize("dash", "\u2010\u2013\u2014\u2212")
def test_options_whose_dash_a_program_changed(dash):
    command = "diskspd.exe -t2 -b4k -rs50 -L E:\\IO.dat"
    assert options.arguments(command.replace(" -", f" {dash}")) == options.arguments(command)
