import json
import re
from pathlib import Path

import pytest

import fiotools as ft
from fiotools.errors import ParseError, UnknownFormatError

MANY = 5000  # reports in one text

FIXTURES = Path(__file__).parents[1] / "fixtures"

CASES = sorted((FIXTURES / "dd").glob("*.txt"))
assert CASES, "no dd fixtures found"


@pytest.mark.parametrize("case", CASES, ids=lambda p: p.stem)
def test_reports(case):
    expected = json.loads(case.with_suffix(".json").read_text(encoding="utf-8"))
    results = ft.read(case)
    extras = results.extras.pivot(index="run", columns="path", values="text")
    assert list(extras["records_in"]) == [report["records_in"] for report in expected]
    assert list(extras["records_out"]) == [report["records_out"] for report in expected]
    assert results.io["io_bytes"].tolist() == [report["io_bytes"] for report in expected]
    assert results.io["runtime_s"].tolist() == [report["seconds"] for report in expected]
    for row in results.io.itertuples():
        if row.runtime_s:
            # the BSDs print more figures of the rate than of a short time
            exact = 1e-15 if row.runtime_s > 0.1 or "bsd" not in row.source else 1e-2
            exact = 1e-3 if "macos" in row.source else exact
            assert row.bw_bytes_per_s == pytest.approx(row.io_bytes / row.runtime_s, rel=exact)


def report(bytes_=2097152, seconds="0.500000", rate="4.2 MB/s", before="", records=2):
    return (
        f"{before}{records}+0 records in\n{before}{records}+0 records out\n"
        f"{before}{bytes_} bytes (2.1 MB, 2.0 MiB) copied, {seconds} s, {rate}\n"
    )


def plain(full, bytes_, seconds, rate, partial=0):
    return (
        f"{full}+{partial} records in\n{full}+{partial} records out\n"
        f"{bytes_} bytes copied, {seconds} s, {rate}\n"
    )


def test_a_rate_that_contradicts_bytes_and_seconds_is_noted():
    results = ft.reads(report(seconds="0.50002", rate="4.4 MB/s"))
    assert results.io["bw_bytes_per_s"].item() == 2097152 / 0.50002
    assert "printed rate 4.4 MB/s is not bytes / seconds" in results.notes["message"].item()
    assert results.notes["line"].item() == 3


# each as the tool prints it: GNU, GNU where the time is a divisor of a second, uutils 0.12 (whole
# milliseconds), BusyBox, toybox (cut off), NetBSD
@pytest.mark.parametrize(
    "line",
    [
        "999600 bytes (1.0 MB, 976 KiB) copied, 1 s, 1000 kB/s",
        "999600 bytes (1.0 MB, 976 KiB) copied, 1 s, 1.0 MB/s",
        "99950000 bytes (100 MB, 95 MiB) copied, 1 s, 99.9 MB/s",
        "1000000 bytes (1.0 MB, 977 KiB) copied, 999999 s, 0.0 kB/s",
        "1000000 bytes (1.0 MB, 977 KiB) copied, 0.000455006 s, 1.0 GB/s",
        "4194304 bytes (4.2 MB, 4.0 MiB) copied, 0.00216715 s, 2.1 GB/s",
        "1000000 bytes (976.6KB) copied, 0.000418 seconds, 2.2GB/s",
        "1048576 bytes (1.0MB) copied, 0.004706 seconds, 212.5MB/s",
        "21474836480 bytes (20 G) copied, 13.423 s, 1.4 G/s",
        "1000000 bytes (976 K) copied, 0.001 s, 953 M/s",
    ],
)
def test_every_tool_rounds_in_its_own_way(line):
    text = f"1+0 records in\n1+0 records out\n{line}\n"
    results = ft.reads(text)
    assert results.notes.empty
    row = results.io.iloc[0]
    assert row["bw_bytes_per_s"] == row["io_bytes"] / row["runtime_s"]


@pytest.mark.parametrize(
    "line",
    [
        "999600 bytes (1.0 MB, 976 KiB) copied, 1 s, 1003 kB/s",
        "4194304 bytes (4.2 MB, 4.0 MiB) copied, 0.00216715 s, 2.3 GB/s",
        "1048576 bytes (1.0MB) copied, 0.004706 seconds, 222.8MB/s",  # MB of 10^6
        "21474836480 bytes (20 G) copied, 13.423 s, 1.6 G/s",
        "59 bytes transferred in 0.127004 secs (474 bytes/sec)",
    ],
)
def test_and_no_other_rate_passes(line):
    results = ft.reads(f"1+0 records in\n1+0 records out\n{line}\n")
    assert len(results.notes) == 1
    assert "is not bytes / seconds" in results.notes["message"].item()


def test_the_more_precise_of_rate_and_seconds_counts():
    text = "1+0 records in\n1+0 records out\n1024 bytes transferred in 0.000003 secs (310303030 bytes/sec)"
    row = ft.reads(text).io.iloc[0]
    assert (row["runtime_s"], row["bw_bytes_per_s"]) == (3e-06, 310303030)
    assert row["iops"] == pytest.approx(310303030 / 1024)
    results = ft.reads(
        "32+0 records in\n32+0 records out\n"
        "33554432 bytes (34 MB, 32 MiB) copied, 0.0 s, 839 MB/s\n"
    )
    assert results.io["bw_bytes_per_s"].item() == 839e6
    assert results.io["runtime_s"].isna().item()  # between 0 and 0.05
    assert results.notes["message"].item() == (
        "the seconds are rounded to 0.0: the printed rate is kept"
    )


def test_a_rate_of_one_millisecond_says_nothing():
    # uutils 0.0.17 prints the same for anything from 0 to 2 ms
    results = ft.reads(plain(1, 1000, "0.0", "1.0 MB/s"))
    assert results.io[["bw_bytes_per_s", "iops", "runtime_s"]].isna().all(axis=None)


def test_records_that_contradict_the_bytes_are_noted():
    seen = ft.reads(plain(3, 1000, "0.001", "1.0 MB/s")).notes["message"].tolist()
    assert seen == ["1000 bytes cannot be 3+0 records of one size"]
    text = f"$ dd if=/dev/zero of=x bs=1M count=2\n{plain(2, 1048576, '1', '1.0 MB/s')}"
    seen = ft.reads(text).notes["message"].tolist()
    assert seen == ["1048576 bytes are not 2+0 records of 1048576 bytes (the command's)"]


def test_a_size_that_contradicts_the_bytes_is_noted():
    seen = ft.reads(report(bytes_=2097150, rate="4.2 MB/s").replace("2.1 MB", "3.1 MB"))
    assert seen.notes["message"].tolist() == [
        "printed size 3.1 MB, 2.0 MiB is not 2097150 bytes; the latter is kept"
    ]


def test_no_time_no_rate():
    results = ft.reads(report(seconds="0", rate="Infinity B/s"))
    assert results.io["bw_bytes_per_s"].isna().all()


def test_records_only():
    results = ft.reads("2+0 records in\n2+0 records out\n")
    assert len(results.runs) == 1
    assert results.io.empty
    assert "records only" in results.notes["message"].item()


def test_signals_make_samples_of_one_run():
    text = plain(145, 9502720, "0.64", "14.8 MB/s") + plain(640, 41943040, "2.6", "16.1 MB/s")
    results = ft.reads(text)
    assert results.runs["status"].tolist() == ["ok"]
    assert results.io["io_bytes"].tolist() == [41943040]
    assert results.samples["time_s"].tolist() == [0.64, 2.6]
    assert results.samples["value"].tolist() == [9502720, 41943040]
    assert results.samples["quantity"].unique().tolist() == ["io_bytes"]
    assert results.extras.query("path == 'samples.0.records_in'")["text"].tolist() == ["145+0"]
    assert "2 reports of one dd" in results.notes["message"].item()


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        # the same again; another block size; fewer bytes; less time
        (plain(145, 9502720, "0.6", "15.8 MB/s") * 3, 3),
        (plain(145, 9502720, "0.6", "15.8 MB/s") + plain(300, 39321600, "1", "39.3 MB/s"), 2),
        (plain(145, 9502720, "0.6", "15.8 MB/s") + plain(99, 6488064, "1", "6.5 MB/s"), 2),
        (plain(145, 9502720, "0.6", "15.8 MB/s") + plain(640, 41943040, "0.5", "83.9 MB/s"), 2),
    ],
)
def test_runs_appended_to_one_file_stay_several(text, runs):
    results = ft.reads(text)
    assert len(results.io) == len(results.runs) == runs
    assert results.samples.empty


def test_round_numbers_of_records_are_rather_several_runs():
    text = plain(100, 6553600, "0.6", "10.9 MB/s") + plain(640, 41943040, "2.6", "16.1 MB/s")
    results = ft.reads(text)
    assert len(results.runs) == 2
    assert results.notes["severity"].tolist() == ["warning"]
    assert "may be one dd's" in results.notes["message"].item()


def test_a_count_says_whether_dd_was_at_its_end():
    both = plain(145, 9502720, "0.64", "14.8 MB/s") + plain(640, 41943040, "2.6", "16.1 MB/s")
    one = ft.reads(f"$ dd if=/dev/zero of=x bs=64k count=640\n{both}")
    assert len(one.runs) == 1
    two = ft.reads(f"$ ./copy 145 640\n{both}".replace("./copy", "dd bs=64k count=145; : "))
    assert len(two.runs) == 2


def test_progress_becomes_samples():
    text = (
        "\r15794176 bytes (16 MB, 15 MiB) copied, 1 s, 14.9 MB/s"
        "\r31522816 bytes (32 MB, 30 MiB) copied, 2 s, 15.2 MB/s\n"
        + plain(768, 50331648, "3.15694", "15.9 MB/s")
    )
    results = ft.reads(text)
    assert results.samples["value"].tolist() == [15794176, 31522816, 50331648]
    assert results.io["io_bytes"].tolist() == [50331648]
    assert results.notes.empty
    killed = ft.reads(text[: text.index("\n") + 1])
    assert killed.runs["status"].tolist() == ["truncated"]
    assert killed.io["io_bytes"].tolist() == [31522816]


def test_lines_of_several_runs_without_their_records_are_not_progress():
    # of: for i in 1 2 3; do dd ... 2>&1 | grep copied; done
    line = "10485760 bytes (10 MB, 10 MiB) copied, {} s, {}\n".format
    text = line("0.0101", "1.0 GB/s") + line("0.0103", "1.0 GB/s") + line("12.5", "839 kB/s")
    results = ft.reads(text)
    assert results.io["runtime_s"].tolist() == [0.0101, 0.0103, 12.5]
    assert results.runs["status"].tolist() == ["ok"] * 3
    # progress of BusyBox and of GNU 8.24 has decimals, a line a second
    later = line("1.000001", "10 MB/s") + line("2.000002", "10 MB/s").replace("104", "204")
    assert len(ft.reads(later).runs) == 1


def test_records_in_another_language_that_are_not_read_get_a_warning():
    report = (
        "0+1 enregistrements lus\n0+1 enregistrements écrits\n1 octet copié, 0,01 s, 0,1 kB/s\n"
    )
    whole = ft.reads(report)
    assert (whole.io["total_ios"].item(), len(whole.notes)) == (1, 0)
    lines = zip(("a;", "b: ", "c/"), report.splitlines(), strict=True)
    cells = ft.reads("".join(f"{before}{line}\n" for before, line in lines))
    assert "lines of a report were not read" in cells.notes["message"].str.cat()


def test_progress_of_the_bsds_groups_thousands():
    text = (
        "  15,794,176 bytes (16 MB, 15 MiB) transferred 1.002s, 16 MB/s\r\n"
        "768+0 records in\n768+0 records out\n"
        "50331648 bytes transferred in 3.177522 secs (15839904 bytes/sec)\n"
    )
    assert ft.reads(text).samples["value"].tolist() == [15794176, 50331648]


def test_errors_of_dd_are_its_status():
    text = f"dd: error writing 'x': No space left on device\n{report()}"
    results = ft.reads(text)
    assert results.runs["status"].tolist() == ["error"]
    assert results.notes["message"].tolist() == ["dd: error writing 'x': No space left on device"]
    assert results.io["io_bytes"].tolist() == [2097152]


def test_a_warning_of_dd_is_not_an_error():
    warning = "dd: warning: partial read (65536 bytes); suggest iflag=fullblock\n"
    results = ft.reads(warning + report())
    assert results.runs["status"].tolist() == ["ok"]
    assert results.notes["severity"].tolist() == ["warning"]


@pytest.mark.parametrize(
    "said",
    [
        "dd: failed to open '/nonexistent': No such file or directory",
        "/usr/bin/dd: '/nonexistent' を開けませんでした: そのようなファイルはありません",
        "dd: /nonexistent: No such file or directory",
        "dd: bad arg cbs=4",
        "dd: memory exhausted by input buffer of size 1073741824 bytes (1.0 GiB)",
    ],
)
def test_an_error_alone_is_not_a_result(said):
    with pytest.raises(ParseError, match="dd printed no report; it said") as error:
        ft.reads(f"{said}\n")
    assert said.partition("dd: ")[2][:30] in str(error.value)


def test_two_dd_that_wrote_at_once():
    first = "67108864 bytes (67 MB, 64 MiB) copied, 0.0103 s, 6.5 GB/s"
    second = "33554432 bytes (34 MB, 32 MiB) copied, 0.0099 s, 3.4 GB/s"
    records = "64+0 records in\n64+0 records out\n{0} records in\n{0} records out\n"
    # 33554432 bytes are no 64+0 records of 1 MiB, but 67108864 could be 64 of either
    sure = ft.reads(records.format("3+0").replace("3+0", "32+0") + f"{second}{first}\n\n")
    assert len(sure.io) == 2
    unsure = ft.reads(records.format("0+1024") + f"{first}\n{first.replace('0.0103', '0.0104')}\n")
    assert unsure.io["io_bytes"].tolist() == [67108864] * 2
    assert unsure.io["total_ios"].isna().all()
    assert "0+1024 in and 0+1024 out" in unsure.notes["message"].iloc[0]


def test_three_dd_told_apart_by_what_fits():
    results = ft.reads(
        "300+0 records in\n300+0 records out\n200+0 records in\n200+0 records out\n"
        "209715200 bytes (210 MB, 200 MiB) copied, 0.0277568 s, 7.6 GB/s\n"
        "314572800 bytes (315 MB, 300 MiB) copied, 0.0242998 s, 12.9 GB/s\n"
    )
    assert results.io["total_ios"].tolist() == [300, 200]
    assert results.io["runtime_s"].tolist() == [0.0242998, 0.0277568]


@pytest.mark.parametrize(
    "text",
    [
        "^C5+0 records in\n4+0 records out\n20 bytes copied, 0.5 s, 40 B/s\n",
        "5+0 records in\n4+0 records out\n20 bytes copied, 0.5 s, 40 B/s\n",
    ],
)
def test_an_interrupted_dd(text):
    assert ft.reads(text).runs["status"].tolist() == ["interrupted"]


LINES = (
    "2+0 records in\n2+0 records out\n2097152 bytes (2.1 MB, 2.0 MiB) copied, 0.500321 s, 4.2 MB/s\n",
    "輸入 2+0 塊\n輸出 2+0 塊\n2097152字节（2.1 MB，2.0 MiB）已复制，0,500321 s，4,2 MB/s\n",
    "2+0 records in\n2+0 records out\n2097152 bytes transferred in 0.500321 secs (4191613 bytes/sec)\n",
    "2+0 records in\n2+0 records out\n2097152 bytes (2.0MB) copied, 0.500321 seconds, 4.0MB/s\n",
)


@pytest.mark.parametrize("text", LINES, ids=["gnu", "zh", "bsd", "busybox"])
def test_a_report_that_was_cut_off_has_no_wrong_number(text):
    data = text.encode()
    for end in range(len(data)):
        try:
            results = ft.reads(data[:end])
        except ft.FiotoolsError:
            continue
        assert set(results.io["io_bytes"]) <= {2097152}, data[:end]
        assert set(results.io["runtime_s"]) <= {0.500321}, data[:end]
        records = results.extras[results.extras["path"].str.startswith("records")]
        assert set(records["text"]) <= {"2+0"}, data[:end]
        assert not results.notes["message"].str.contains("printed (?:rate|size)").any(), data[:end]
        # cut within the last line, and before its seconds
        if data[:end].endswith(b"2097152"):
            assert results.runs["status"].tolist() == ["truncated"]


@pytest.mark.parametrize(
    "text",
    [
        "1234567890" * 10_000,
        "1+1 " * 20_000,
        "0+0 records in " * 6_000,
        " " * 100_000 + "x",
        "1 s, 1 MB/" * 10_000,
        "1+1 and " * 20_000,
        "0+0 records in\n" * 2_000,
        "dd: x\n" * 2_000,
    ],
    ids=["digits", "sums", "records", "spaces", "rates", "words", "lines", "said"],
)
def test_what_only_looks_like_dd_is_left_alone(text):
    with pytest.raises(UnknownFormatError):
        ft.reads(text)


def test_sums_are_not_records():
    with pytest.raises(UnknownFormatError):
        ft.reads("2+2 makes four\n3+3 makes six\n")


def test_a_prefix_on_every_line_is_not_a_number():
    results = ft.reads(report(before="disk1: "))
    assert results.io["io_bytes"].tolist() == [2097152]


@pytest.mark.parametrize(
    ("command", "direction", "target", "direct", "bs"),
    [
        ("dd if=/dev/zero of=/mnt/f/foo bs=1024M count=20", "write", "/mnt/f/foo", False, 2**30),
        (
            "time dd of=/dev/null if=/home/u/foo bs=64k iflag=direct",
            "read",
            "/home/u/foo",
            True,
            65536,
        ),
        ("sudo dd if=a of=b obs=4k", "copy", "b", None, 4096),
        (
            "dd if=/dev/random of=data.raw bs=1024x1024 oflag=dsync,direct",
            "write",
            "data.raw",
            True,
            2**20,
        ),
        ("dd | nc host 1", None, None, None, None),
        ("dd if=/dev/zero of=x bs=0M", "write", "x", False, None),  # dd takes no 0
    ],
)
def test_the_command_gives_direction_and_conditions(command, direction, target, direct, bs):
    row = ft.reads(f"user@host:~$ {command}\n{report()}").io.iloc[0]
    given = {
        "direction": direction,
        "target": target,
        "direct": direct,
        "bs_bytes": bs,
    }
    for name, value in given.items():
        assert row[name] == value if value is not None else row.isna()[name], name


def test_tcsh_counts_are_not_records():
    text = "0.000u 0.021s 0:00.11 18.1%\t0+0k 0+131072io 0pf+0w\n"
    assert ft.reads(text).runs["tool"].tolist() == ["time"]


@pytest.mark.parametrize(
    "line",
    [
        # thousands grouped by hand
        "2+0 records in\n2+0 records out\n2,097,152 bytes (2.1 MB, 2.0 MiB) copied, 0.5 s, 4.2 MB/s\n",
        "2.097.152 Bytes (2,1 MB, 2,0 MiB) kopiert, 0,5 s, 4,2 MB/s\n",
    ],
    ids=["commas", "points"],
)
def test_bytes_as_people_and_programs_rewrite_them(line):
    assert ft.reads(line).io["io_bytes"].item() == 2097152


def test_counts_of_more_digits_than_a_report_has_are_not_numbers():
    results = ft.reads(report() + report(bytes_=10**22) + report(records=10**20))
    assert results.io["io_bytes"].tolist() == [2097152, 2097152]
    assert results.io["total_ios"].tolist()[0] == 2
    assert ft.reads("$ dd if=a of=b bs=9999999999T\n" + report()).io["bs_bytes"].isna().all()


@pytest.mark.parametrize(
    "line",
    [
        "16777216 bytes (17 MB, 16 MiB) copied, 1.2\n34 s, 13.6 MB/s",
        "16777216 bytes (17 MB, 16 MiB) copied,\n1.234 s, 13.6 MB/s",
        "16777216 bytes (17 MB,\n16 MiB) copied, 1.234 s, 13.6 MB/s",
        "9223372036854775808 bytes (9.2 EB, 8.0 EiB) copied, 1000000 s, 9.2 TB/s",
        "16777216 bytes (17 MB, 16 MiB) copied, -1.234 s, 13.6 MB/s",
        "16777216 bytes (17 MB, 16 MiB) copied, \u22121.234 s, 13.6 MB/s",
        "16777216 bytes (17 MB, 16 MiB) copied, 1e400 s, 0.0 kB/s",
        "16777216 bytes (17 MB, 16 MiB) copied, 1e+400 s, 0.0 kB/s",
        "16777216 bytes (17 MB, 16 MiB) copied, 1e-400 s, Infinity B/s",
        "16777216 bytes (17 MB, 16 MiB) copied, nan s, nan B/s",
        "16777216 bytes (17 MB, 16 MiB) copied, 1,234.5 s, 13.6 kB/s",
    ],
)
@pytest.mark.parametrize("above", ["", report(1048576, "0.1", "10.5 MB/s", records=1)])
def test_a_line_of_bytes_that_is_spoiled_gives_no_number_and_a_note(above, line):
    results = ft.reads(f"{above}16+0 records in\n16+0 records out\n{line}\n")
    assert results.io["io_bytes"].tolist() == [1048576] * bool(above)
    note = results.notes[results.notes["code"] == "unread"].iloc[0]
    assert (note["line"], note["severity"]) == (above.count("\n") + 3, "warning")
    assert line.partition("\n")[0][:40] in note["message"]


@pytest.mark.parametrize("seconds", ["1.23456e\u221205", "1.23456e\u201305", "1.23456E-05"])
def test_an_exponent_whose_minus_sign_was_changed_is_told(seconds):
    results = ft.reads(plain(0, 6, seconds, "486 kB/s", partial=1))
    assert results.io.empty
    assert results.notes["code"].tolist().count("unread") == 1


def test_operands_that_are_not_understood_are_told():
    for word, told in (("bs=+1M", "bs=+1M"), ("bs = 1M", "bs ="), ("bs=1M<br>", "bs=1M<br>")):
        results = ft.reads(f"$ dd {word}\n{report()}")
        assert (
            f"not understood in the command, and left out: {told}"
            in results.notes["message"].str.cat()
        )
    assert ft.reads(f"$ dd bs=$BS count=$N if=/dev/zero\n{report()}").notes.empty


def test_a_line_of_another_program_between_records_and_numbers():
    records, figures = report().rsplit("2097152", 1)
    results = ft.reads(f"{records}warning: something was said here\n2097152{figures}")
    assert results.io["io_bytes"].tolist() == [2097152]
    assert results.io["total_ios"].tolist() == [2]
    assert "truncated_records" not in set(results.extras["path"])


def test_bytes_without_a_record_are_doubted():
    # two lines that became one: bs= swallowed the count of records that were read
    log = (
        "$ dd if=/dev/zero of=/dev/null bs=1024M0+0 records in\n20+0 records out\n"
        "21474836480 bytes (21 GB, 20 GiB) copied, 5.48924 s, 3.9 GB/s\n$ exit\n"
    )
    results = ft.reads(log)
    assert results.io.total_ios.tolist() == [0]
    assert "more bytes than I/Os x block size" in results.notes.message.item()


def test_a_lone_line_of_records_above_a_whole_report():
    results = ft.reads("5+0 records out\n" + plain(1, 1000, "1", "1.0 kB/s"))
    printed = results.extras.set_index("path")["text"]
    assert printed[["records_in", "records_out"]].tolist() == ["1+0", "1+0"]
    note = results.notes.iloc[0]
    assert (note["line"], note["message"]) == (1, "records without their other half: 5+0")


def test_more_reports_than_are_in_memory_at_a_time():
    sizes = [2000, 1000] * (MANY // 2 + 1)
    text = "".join(plain(size // 1000, size, "1", f"{size // 1000}.0 kB/s") for size in sizes)
    results = ft.reads(text + "1+0 records in\n" + plain(3, 500, "1", "0.5 kB/s"))
    assert results.runs["run"].tolist() == [*range(1, MANY + 4)]
    assert results.io["io_bytes"].tolist() == [*sizes, 500]
    assert results.extras["run"].is_monotonic_increasing
    assert results.notes["line"].tolist() == [3 * MANY + 7, 3 * MANY + 10]


KERNEL = "[ 1234.567890] nvme0n1: I/O 12 QID 3 timeout, aborting"
WHOLE = (
    "16+0 records in\n16+0 records out\n16777216 bytes (17 MB, 16 MiB) copied, 0.05 s, 336 MB/s\n"
)


@pytest.mark.parametrize("place", [1, 2])
@pytest.mark.parametrize("lines", [[KERNEL], ["rsync: 3 of 5 files vanished", KERNEL]])
def test_lines_of_other_programs_within_a_report(place, lines):
    own = WHOLE.splitlines()
    text = "\n".join([*own[:place], *lines, *own[place:]]) + "\n"
    results = ft.reads(text)
    assert results.io[["io_bytes", "total_ios", "runtime_s"]].to_numpy().tolist() == [
        [16777216, 16, 0.05]
    ]
    assert results.notes[["line", "severity"]].to_numpy().tolist() == [
        [place + number, "warning"] for number in range(1, len(lines) + 1)
    ]
    assert results.notes["message"].str.contains("stands within the report of dd").all()


def test_what_touches_records_is_told():
    results = ft.reads(WHOLE.replace("records out\n", f"records out{KERNEL}\n"))
    assert results.io["total_ios"].tolist() == [16]
    assert results.notes[["line", "severity"]].to_numpy().tolist() == [[2, "warning"]]


@pytest.mark.parametrize("between", ["$ dd if=c of=d\n", "```\n", "me@box:~$ \n"])
def test_amounts_below_a_command_are_another_dd_s(between):
    records, amounts = WHOLE.split("out\n")
    results = ft.reads(f"{records}out\n{between}{amounts}")
    assert len(results.runs) == 2


BUSYBOX = (
    "100000+0 records in\n100000+0 records out\nreal\t0m 0.66s\nuser\t0m 0.02s\nsys\t0m 0.16s\n"
)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("time dd if=/dev/zero of=data bs=1024 count=100000", (102400000, 100000, 0.66)),
        ("docker run alpine time dd if=/dev/zero of=data obs=2k ibs=2k", (204800000, 100000, 0.66)),
        ("time dd if=/dev/zero of=data", None),
        ("dd if=/dev/zero of=data bs=1024", None),
    ],
)
def test_records_alone_that_were_timed(command, expected):
    results = ft.reads(f"$ {command}\n{BUSYBOX}")
    row = results.io[["io_bytes", "total_ios", "runtime_s"]].to_numpy().tolist()
    assert row == ([list(expected)] if expected else [])
    if expected:
        assert results.io["bw_bytes_per_s"].item() == pytest.approx(expected[0] / 0.66)
        assert results.io["iops"].item() == pytest.approx(100000 / 0.66)
        assert "the rate is that of time's real" in results.notes["message"].item()


def test_partial_records_alone_have_no_bytes():
    text = "$ time dd if=/dev/sr0 of=data bs=1024\n" + BUSYBOX.replace("00+0", "00+1")
    assert ft.reads(text).io.empty


@pytest.mark.parametrize("marks", ["\u200e{}", "\u2068{}\u2069", "\u202d{}\u202c"])
def test_marks_of_direction(marks):
    text = (FIXTURES / "dd" / "macos-dd-file_cmds457--C_status_progress_pipe.txt").read_text(
        "utf-8"
    )
    results = ft.reads(re.sub(r"([\d.]+)", lambda number: marks.format(number[0]), text))
    assert len(results.runs) == 1
    assert results.io["io_bytes"].tolist() == [50331648]
    assert len(results.samples) == 4
