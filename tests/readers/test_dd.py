"""dd: reports of every dd, what breaks a report, and what only looks like one."""

import json
import re

import pytest

import fiotools as ft
from fiotools.errors import ParseError, UnknownFormatError
from tests.readers.outputs import DD, FIXTURES, texts, values

CASES = sorted((FIXTURES / "dd").glob("*.txt"))
ROW = ("io_bytes", "total_ios", "runtime_s")
KERNEL = "[ 1234.567890] nvme0n1: I/O 12 QID 3 timeout, aborting"


def report(records, amount, seconds, rate):
    """Print as every dd does, without the size in units that some have in brackets."""
    return (
        f"{records} records in\n{records} records out\n{amount} bytes copied, {seconds} s, {rate}\n"
    )


FIRST = report("145+0", 9502720, "0.64", "14.8 MB/s")
LATER = report("640+0", 41943040, "2.6", "16.1 MB/s")


@pytest.mark.parametrize("case", CASES, ids=lambda p: p.stem)
def test_reports(case):
    expected = json.loads(case.with_suffix(".json").read_text(encoding="utf-8"))
    results = ft.read(case)
    extras = results.extras.pivot_table("text", "run", "path", aggfunc="first")
    assert values(extras, "records_in", "records_out") == [
        (one["records_in"], one["records_out"]) for one in expected
    ]
    assert values(results.io, "io_bytes", "runtime_s") == [
        (one["io_bytes"], one["seconds"]) for one in expected
    ]
    for row in results.io.itertuples():
        if row.runtime_s:
            # the BSDs print more figures of the rate than of a short time
            exact = 1e-15 if row.runtime_s > 0.1 or "bsd" not in row.source else 1e-2
            exact = 1e-3 if "macos" in row.source else exact
            assert row.bw_bytes_per_s == pytest.approx(row.io_bytes / row.runtime_s, rel=exact)


# each as the tool prints it: GNU, GNU where the time is a divisor of a second, uutils 0.12 (whole
# milliseconds), BusyBox, toybox (cut off)
@pytest.mark.parametrize(
    "line",
    [
        "999600 bytes (1.0 MB, 976 KiB) copied, 1 s, 1000 kB/s",
        "99950000 bytes (100 MB, 95 MiB) copied, 1 s, 99.9 MB/s",
        "1000000 bytes (1.0 MB, 977 KiB) copied, 999999 s, 0.0 kB/s",
        "4194304 bytes (4.2 MB, 4.0 MiB) copied, 0.00216715 s, 2.1 GB/s",
        "1048576 bytes (1.0MB) copied, 0.004706 seconds, 212.5MB/s",
        "21474836480 bytes (20 G) copied, 13.423 s, 1.4 G/s",
    ],
)
def test_every_tool_rounds_in_its_own_way(line):
    results = ft.reads(f"1+0 records in\n1+0 records out\n{line}\n")
    assert results.notes.empty
    row = results.io.iloc[0]
    assert row["bw_bytes_per_s"] == row["io_bytes"] / row["runtime_s"]


RATE, SIZE = "is not bytes / seconds", "is not 2097150 bytes; the latter is kept"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("2097152 bytes (2.1 MB, 2.0 MiB) copied, 0.50002 s, 4.4 MB/s", f"rate 4.4 MB/s {RATE}"),
        ("4194304 bytes (4.2 MB, 4.0 MiB) copied, 0.00216715 s, 2.3 GB/s", RATE),
        ("1048576 bytes (1.0MB) copied, 0.004706 seconds, 222.8MB/s", RATE),  # MB of 10^6
        ("21474836480 bytes (20 G) copied, 13.423 s, 1.6 G/s", RATE),
        ("60 bytes transferred in 0.127004 secs (474 bytes/sec)", RATE),
        ("2097150 bytes (3.1 MB, 2.0 MiB) copied, 0.5 s, 4.2 MB/s", f"3.1 MB, 2.0 MiB {SIZE}"),
        ("1001 bytes copied, 0.001 s, 1.0 MB/s", "1001 bytes cannot be 2+0 records of one size"),
    ],
)
def test_figures_that_contradict_each_other_are_noted(line, message):
    results = ft.reads(f"2+0 records in\n2+0 records out\n{line}\n")
    assert message in results.notes["message"].item()
    assert results.notes["line"].item() == 3
    assert results.io["io_bytes"].tolist() == [int(line.split()[0])]


def test_bytes_that_contradict_the_command_are_noted():
    text = f"$ dd if=/dev/zero of=x bs=1M count=2\n{report('2+0', 1048576, '1', '1.0 MB/s')}"
    assert ft.reads(text).notes["message"].tolist() == [
        "1048576 bytes are not 2+0 records of 1048576 bytes (the command's)"
    ]
    # two lines that became one: bs= swallowed the count of records that were read
    text = "$ dd if=/dev/zero of=/dev/null bs=1024M0+0 records in\n20+0 records out\n"
    text += "21474836480 bytes (21 GB, 20 GiB) copied, 5.48924 s, 3.9 GB/s\n$ exit\n"
    results = ft.reads(text)
    assert results.io["total_ios"].tolist() == [0]
    assert "more bytes than I/Os x block size" in results.notes["message"].item()


def test_the_more_precise_of_rate_and_seconds_counts():
    bsd = "1+0 records in\n1+0 records out\n"
    bsd += "1024 bytes transferred in 0.000003 secs (310303030 bytes/sec)"
    row = ft.reads(bsd).io.iloc[0]
    assert (row["runtime_s"], row["bw_bytes_per_s"]) == (3e-06, 310303030)
    assert row["iops"] == pytest.approx(310303030 / 1024)
    results = ft.reads(report("32+0", 33554432, "0.0", "839 MB/s"))
    # between 0 and 0.05
    assert values(results.io, "bw_bytes_per_s", "runtime_s") == [(839e6, None)]
    assert results.notes["message"].item() == (
        "the seconds are rounded to 0.0: the printed rate is kept"
    )


@pytest.mark.parametrize(
    ("seconds", "rate"),
    [
        ("0.0", "1.0 MB/s"),  # uutils 0.0.17 prints the same for anything from 0 to 2 ms
        ("0", "Infinity B/s"),
    ],
)
def test_no_time_no_rate(seconds, rate):
    results = ft.reads(report("1+0", 1000, seconds, rate))
    assert results.io[["bw_bytes_per_s", "iops"]].isna().all(axis=None)


def test_records_only():
    results = ft.reads("2+0 records in\n2+0 records out\n")
    assert (len(results.runs), len(results.io)) == (1, 0)
    assert "records only" in results.notes["message"].item()


def test_signals_make_samples_of_one_run():
    results = ft.reads(FIRST + LATER)
    assert results.runs["status"].tolist() == ["ok"]
    assert results.io["io_bytes"].tolist() == [41943040]
    assert values(results.samples, "quantity", "time_s", "value") == [
        ("io_bytes", 0.64, 9502720),
        ("io_bytes", 2.6, 41943040),
    ]
    assert texts(results)["samples.0.records_in"] == "145+0"
    assert "2 reports of one dd" in results.notes["message"].item()


OK = "64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, 0.5 s, 134 MB/s\n"


@pytest.mark.parametrize(
    ("above", "below", "runs"),
    [
        ("145+0 145+0 74240 1", "146+0 146+0 74752 2", 1),
        ("145+0 145+0 74240 1", "145+0 145+0 74240 1", 2),
        ("145+0 145+0 74240 1", "147+0 144+0 74752 2", 2),  # less was written: another dd
        ("145+0 145+0 74240 1", "146+0 146+0 74240 2", 2),
        ("145+0 145+0 74240 1", "146+0 146+0 74752 1", 2),
        ("145+0 145+0 74240 1", "145+1 145+1 74752 2", 1),
        ("145+1 145+1 74752 1", "146+0 146+0 74753 2", 2),
        ("145+0 145+0 74240 1", "146+0 146+0 149504 2", 2),
        ("100+0 100+0 51200 1", "200+0 200+0 102400 2", 2),
    ],
)
def test_reports_that_may_be_of_one_dd(above, below, runs):
    text = OK * 3
    for one in (above, below):
        into, out, amount, seconds = one.split()
        text += f"{into} records in\n{out} records out\n"
        text += f"{amount} bytes copied, {seconds} s, {int(amount) / int(seconds):.0f} B/s\n"
    text += OK * 3
    results = ft.reads(text)
    assert len(results.runs) == len(results.io) == 6 + runs
    assert results.samples.empty == (runs == 2)


def test_round_numbers_of_records_are_rather_several_runs():
    results = ft.reads(report("100+0", 6553600, "0.6", "10.9 MB/s") + LATER)
    assert len(results.runs) == 2
    assert results.notes["severity"].tolist() == ["warning"]
    assert "may be one dd's" in results.notes["message"].item()


def test_a_count_says_whether_dd_was_at_its_end():
    assert len(ft.reads(f"$ dd if=/dev/zero of=x bs=64k count=640\n{FIRST}{LATER}").runs) == 1
    assert len(ft.reads(f"$ dd bs=64k count=145; :  145 640\n{FIRST}{LATER}").runs) == 2


PROGRESS = (
    "\r15794176 bytes (16 MB, 15 MiB) copied, 1 s, 14.9 MB/s"
    "\r31522816 bytes (32 MB, 30 MiB) copied, 2 s, 15.2 MB/s\n"
)


def test_progress_becomes_samples():
    results = ft.reads(PROGRESS + report("768+0", 50331648, "3.15694", "15.9 MB/s"))
    assert results.samples["value"].tolist() == [15794176, 31522816, 50331648]
    assert results.io["io_bytes"].tolist() == [50331648]
    assert results.notes.empty
    killed = ft.reads(PROGRESS)
    assert killed.runs["status"].tolist() == ["truncated"]
    assert killed.io["io_bytes"].tolist() == [31522816]
    bsd = "  15,794,176 bytes (16 MB, 15 MiB) transferred 1.002s, 16 MB/s\r\n"
    bsd += "768+0 records in\n768+0 records out\n"
    bsd += "50331648 bytes transferred in 3.177522 secs (15839904 bytes/sec)\n"
    assert ft.reads(bsd).samples["value"].tolist() == [15794176, 50331648]


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
    french = (
        "0+1 enregistrements lus\n0+1 enregistrements écrits\n1 octet copié, 0,01 s, 0,1 kB/s\n"
    )
    whole = ft.reads(french)
    assert (whole.io["total_ios"].item(), len(whole.notes)) == (1, 0)
    lines = zip(("a;", "b: ", "c/"), french.splitlines(), strict=True)
    cells = ft.reads("".join(f"{before}{line}\n" for before, line in lines))
    assert "lines of a report were not read" in cells.notes["message"].str.cat()


def test_figures_behind_a_word():
    """Polish before coreutils 9 puts the verb first."""
    results = ft.reads(
        "64+0 przeczytanych rekordów\n64+0 zapisanych rekordów\n"
        "skopiowane 64 bajty, 0,00020758 s, 308 kB/s\n"
    )
    assert values(results.io, *ROW) == [(64, 64, 0.00020758)]
    assert results.notes.empty


@pytest.mark.parametrize(
    ("line", "status", "severity"),
    [
        ("dd: error writing 'x': No space left on device", "error", "error"),
        ("dd: warning: partial read (65536 bytes); suggest iflag=fullblock", "ok", "warning"),
    ],
)
def test_errors_of_dd_are_its_status_and_warnings_are_not(line, status, severity):
    results = ft.reads(f"{line}\n{DD}")
    assert results.runs["status"].tolist() == [status]
    assert results.notes["severity"].tolist() == [severity]
    assert line.endswith(results.notes["message"].item())
    assert results.io["io_bytes"].tolist() == [2097152]


@pytest.mark.parametrize(
    "said",
    [
        "dd: failed to open '/nonexistent': No such file or directory",
        "/usr/bin/dd: '/nonexistent' を開けませんでした: そのようなファイルはありません",
        "dd: bad arg cbs=4",
        "dd: memory exhausted by input buffer of size 1073741824 bytes (1.0 GiB)",
    ],
)
def test_an_error_alone_is_not_a_result(said):
    with pytest.raises(ParseError, match="dd printed no report; it said") as error:
        ft.reads(f"{said}\n")
    assert said.partition("dd: ")[2][:30] in str(error.value)


@pytest.mark.parametrize("before", ["", "^C"])
def test_an_interrupted_dd(before):
    text = f"{before}5+0 records in\n4+0 records out\n20 bytes copied, 0.5 s, 40 B/s\n"
    assert ft.reads(text).runs["status"].tolist() == ["interrupted"]


def test_two_dd_that_wrote_at_once():
    first = "67108864 bytes (67 MB, 64 MiB) copied, 0.0103 s, 6.5 GB/s"
    second = "33554432 bytes (34 MB, 32 MiB) copied, 0.0099 s, 3.4 GB/s"
    records = "64+0 records in\n64+0 records out\n{0} records in\n{0} records out\n"
    # 33554432 bytes are no 64+0 records of 1 MiB, but 67108864 could be 64 of either
    sure = ft.reads(records.format("32+0") + f"{second}{first}\n\n")
    assert len(sure.io) == 2
    unsure = ft.reads(records.format("0+1024") + f"{first}\n{first.replace('0.0103', '0.0104')}\n")
    assert values(unsure.io, "io_bytes", "total_ios") == [(67108864, None)] * 2
    assert "0+1024 in and 0+1024 out" in unsure.notes["message"].iloc[0]
    three = ft.reads(
        "300+0 records in\n300+0 records out\n200+0 records in\n200+0 records out\n"
        "209715200 bytes (210 MB, 200 MiB) copied, 0.0277568 s, 7.6 GB/s\n"
        "314572800 bytes (315 MB, 300 MiB) copied, 0.0242998 s, 12.9 GB/s\n"
    )
    assert values(three.io, "total_ios", "runtime_s") == [(300, 0.0242998), (200, 0.0277568)]


def test_a_report_that_was_cut_off_is_truncated():
    results = ft.reads(DD[: DD.index(" bytes")])
    assert results.runs["status"].tolist() == ["truncated"]
    assert results.io.empty


@pytest.mark.parametrize(
    "text", ["2+2 makes four\n3+3 makes six\n", "1+1 and " * 20_000, "1 s, 1 MB/" * 10_000]
)
def test_sums_and_rates_are_not_reports(text):
    with pytest.raises(UnknownFormatError):
        ft.reads(text)


@pytest.mark.parametrize(
    ("command", "direction", "target", "direct", "bs"),
    [
        ("dd if=/dev/zero of=/mnt/f/foo bs=1024M count=20", "write", "/mnt/f/foo", False, 2**30),
        ("time dd of=/dev/null if=/h/foo bs=64k iflag=direct", "read", "/h/foo", True, 65536),
        ("sudo dd if=a of=b obs=4k", "copy", "b", None, 4096),
        ("dd if=/dev/random of=x bs=1024x1024 oflag=dsync,direct", "write", "x", True, 2**20),
        ("dd | nc host 1", None, None, None, None),
        ("dd if=/dev/zero of=x bs=0M", "write", "x", False, None),  # dd takes no 0
        ("dd if=a of=b bs=9999999999T", "copy", "b", None, None),
        ("(dd if=/dev/zero of=${file}) 2>&1", "write", "${file}", False, None),
        ("(dd if=/dev/zero of=plain) 2>&1", "write", "plain", False, None),
    ],
)
def test_the_command_gives_direction_and_conditions(command, direction, target, direct, bs):
    io = ft.reads(f"user@host:~$ {command}\n{DD}").io
    given = (direction, target, direct, bs)
    assert values(io, "direction", "target", "direct", "bs_bytes") == [given]


@pytest.mark.parametrize(
    ("word", "told"), [("bs=+1M", "bs=+1M"), ("bs = 1M", "bs ="), ("bs=1M<br>", "bs=1M<br>")]
)
def test_operands_that_are_not_understood_are_told(word, told):
    said = ft.reads(f"$ dd {word}\n{DD}").notes["message"].str.cat()
    assert f"not understood in the command, and left out: {told}" in said
    assert ft.reads(f"$ dd bs=$BS count=$N if=/dev/zero\n{DD}").notes.empty


@pytest.mark.parametrize(
    "text",
    [
        # thousands grouped by hand
        DD.replace("2097152", "2,097,152"),
        "2.097.152 Bytes (2,1 MB, 2,0 MiB) kopiert, 0,5 s, 4,2 MB/s\n",
        "".join(f"disk1: {line}\n" for line in DD.splitlines()),
        DD.replace("2+0", "02+0"),
        re.sub(r"([\d.]+)", "\u2068\\1\u2069", DD),  # marks of direction
    ],
)
def test_numbers_as_people_and_programs_rewrite_them(text):
    assert values(ft.reads(text).io, "io_bytes", "runtime_s") == [(2097152, 0.5)]


def test_counts_of_more_digits_than_a_report_has_are_not_numbers():
    long = DD.replace("2097152", "1" + "0" * 22) + DD.replace("2+0", "1" + "0" * 20 + "+0")
    results = ft.reads(DD + long)
    assert results.io["io_bytes"].tolist() == [2097152, 2097152]
    assert results.io["total_ios"].tolist()[0] == 2


SPOILED = [
    "16777216 bytes (17 MB, 16 MiB) copied, 1.2\n34 s, 13.6 MB/s",
    "16777216 bytes (17 MB, 16 MiB) copied,\n1.234 s, 13.6 MB/s",
    "9223372036854775808 bytes (9.2 EB, 8.0 EiB) copied, 1000000 s, 9.2 TB/s",
    *(
        f"16777216 bytes (17 MB, 16 MiB) copied, {seconds} s, 13.6 MB/s"
        for seconds in (
            *("-1.234", "\u22121.234", "1e+400", "nan", "1,234.5"),
            *("1.", "1.2.3", "1e5.0", "1.23456e\u221205", "1.23456E-05"),
        )
    ),
]


@pytest.mark.parametrize("line", SPOILED)
@pytest.mark.parametrize("above", ["", DD])
def test_a_line_of_bytes_that_is_spoiled_gives_no_number_and_a_note(above, line):
    results = ft.reads(f"{above}16+0 records in\n16+0 records out\n{line}\n")
    assert results.io["io_bytes"].tolist() == [2097152] * bool(above)
    (note,) = results.notes.query("code == 'unread'").to_dict("records")
    assert (note["line"], note["severity"]) == (above.count("\n") + 3, "warning")
    assert line.partition("\n")[0][:40] in note["message"]


@pytest.mark.parametrize("place", [1, 2])
@pytest.mark.parametrize("lines", [[KERNEL], ["rsync: 3 of 5 files vanished", KERNEL]])
def test_lines_of_other_programs_within_a_report(place, lines):
    own = DD.splitlines()
    results = ft.reads("\n".join([*own[:place], *lines, *own[place:]]) + "\n")
    assert values(results.io, *ROW) == [(2097152, 2, 0.5)]
    assert values(results.notes, "line", "severity") == [
        (place + number, "warning") for number in range(1, len(lines) + 1)
    ]
    assert results.notes["message"].str.contains("stands within the report of dd").all()


def test_a_lone_line_of_records_above_a_whole_report():
    results = ft.reads(f"5+0 records out\n{DD}")
    assert texts(results)[["records_in", "records_out"]].tolist() == ["2+0", "2+0"]
    note = results.notes.iloc[0]
    assert (note["line"], note["message"]) == (1, "records without their other half: 5+0")


def test_records_that_are_of_no_report():
    # too far apart to be of one report
    results = ft.reads(DD + "1+0 records in\n\n\n\n\n2+0 records out\n")
    assert len(results.runs) == 1
    assert results.notes["severity"].tolist() == ["warning"] * 2


@pytest.mark.parametrize("between", ["$ dd if=c of=d\n", "```\n", "me@box:~$ \n"])
def test_amounts_below_a_command_are_another_dd_s(between):
    assert len(ft.reads(DD.replace("out\n", f"out\n{between}")).runs) == 2


BUSYBOX = (
    "100000+0 records in\n100000+0 records out\nreal\t0m 0.66s\nuser\t0m 0.02s\nsys\t0m 0.16s\n"
)


@pytest.mark.parametrize(
    ("command", "amount"),
    [
        ("time dd if=/dev/zero of=data bs=1024 count=100000", 102400000),
        ("docker run alpine time dd if=/dev/zero of=data obs=2k ibs=2k", 204800000),
        ("time dd if=/dev/zero of=data", None),
        ("dd if=/dev/zero of=data bs=1024", None),
    ],
)
def test_records_alone_that_were_timed(command, amount):
    results = ft.reads(f"$ {command}\n{BUSYBOX}")
    assert values(results.io, *ROW) == ([(amount, 100000, 0.66)] if amount else [])
    if amount:
        assert results.io["bw_bytes_per_s"].item() == pytest.approx(amount / 0.66)
        assert results.io["iops"].item() == pytest.approx(100000 / 0.66)
        assert "the rate is that of time's real" in results.notes["message"].item()


def test_partial_records_alone_have_no_bytes():
    text = "$ time dd if=/dev/sr0 of=data bs=1024\n" + BUSYBOX.replace("00+0", "00+1")
    assert ft.reads(text).io.empty


# What ftp and lftp print looks like dd's amounts, and is none of them.
COMMAND = "$ dd if=/dev/zero of=x bs=1M count=1000\n"
RECORDS = "1000+0 records in\n1000+0 records out\n"
BSD = "1048576000 bytes transferred in 9.0 secs (116508444 bytes/sec)\n"
TRANSFERS = [
    ("lftp", "1048576000 bytes transferred in 9 seconds (111.1 MiB/s)"),
    ("lftp", "1234 bytes transferred in 2 seconds (617 bytes/s)"),
    ("ftp", "1048576 bytes sent in 0.5 secs (2.0 MB/s)"),
    ("ftp", "1048576 bytes received in 0.5 secs (2097152 bytes/sec)"),
    ("ftp", "1048576 bytes sent in 00:00 (2.28 MiB/s)"),
    ("ftp", "ftp: 1048576 bytes received in 0.05Seconds 20971.52Kbytes/sec."),
]


@pytest.mark.parametrize(("tool", "line"), TRANSFERS)
def test_a_transfer_is_refused_by_its_name_and_beside_dd_is_not_a_run(tool, line):
    for above in ("", "226 Transfer complete.\n", "lftp u@h:~> get big.bin\n", COMMAND):
        with pytest.raises(UnknownFormatError, match=f"output of {tool}: recognised, not read"):
            ft.reads(f"{above}{line}\n")
    for text in (f"{COMMAND}{RECORDS}{BSD}{line}\n", f"{line}\n{COMMAND}{RECORDS}{BSD}"):
        assert values(ft.reads(text).io, "io_bytes", "runtime_s") == [(1048576000, 9.0)]


@pytest.mark.parametrize(
    "text",
    [
        BSD,
        "1048576000 bytes transferred in 9.0 seconds (116508444 bytes/sec)\n",
        "1048576000 bytes copied, 9.0 s, 117 MB/s\n",
        "1048576000 bytes (1000.0MB) copied, 9.000000 seconds, 111.1MB/s\n",
        f"{RECORDS}1048576000 bytes transferred in 9 secs (111.1 MiB/s)\n",  # as an ftp has it
    ],
)
def test_amounts_of_dd_need_no_records_and_below_records_every_form_is_dd_s(text):
    for above in ("", COMMAND):
        results = ft.reads(above + text)
        assert results.io["runtime_s"].tolist() == [9.0]
        assert results.runs["tool"].tolist() == ["dd"]
