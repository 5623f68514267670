"""time: our own runs of every tool that is here, the others by their source, and the corpus."""

import json
from pathlib import Path

import pytest

import fiotools as ft
from fiotools.errors import UnknownFormatError

FIXTURES = Path(__file__).parents[1] / "fixtures" / "time"
CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "dd-time"
COLUMNS = ["command", "real_s", "user_s", "sys_s", "max_rss_bytes", "exit_status"]
BASH = "\nreal\t0m4.364s\nuser\t0m0.000s\nsys\t0m1.114s\n"
DD = "2+0 records in\n2+0 records out\n2097152 bytes copied, 0.5 s, 4.2 MB/s\n"
GNU = (
    "0.50user 0.25system 0:01.50elapsed {}%CPU (0avgtext+0avgdata 2524maxresident)k\n"
    "0inputs+131072outputs (0major+338minor)pagefaults 0swaps\n"
)
D = "dd if=/dev/zero of=data bs=1M count=64 conv=fdatasync"
LONG = "dd if=/dev/zero of=/dev/null bs=1M count=3000"

# what our files say: command, real, user, sys, peak of memory, exit status
CASES = {
    "bash-5.2.15--dd": [(None, 0.138, 0.0, 0.028, None, None)],
    "bash-5.2.15--dd_de_DE": [(None, 0.107, 0.0, 0.024, None, None)],
    "bash-5.2.15--posix_then_default": [
        (None, 0.13, 0.0, 0.02, None, None),
        (None, 0.0, 0.0, 0.0, None, None),
    ],
    "bash-5.2.15--bare_milliseconds": [(None, 0.147, 0.0, None, None, None)],
    "busybox-1.35.0--over_an_hour": [(None, 6147.0, 0.0, 0.06, None, None)],
    "busybox-1.35.0--p_signal": [(None, 0.0, 0.0, 0.0, None, None)],
    "busybox-1.35.0--status_3": [(None, 0.0, 0.0, 0.0, None, 3)],
    "busybox-1.35.0--v": [("sleep 0.1", 0.1, 0.0, 0.0, 6832128, 0)],
    "fish-3.6.0--dd": [(None, 0.12172, 0.00025, 0.02574, None, None)],
    "fish-3.6.0--over_an_hour": [(None, 7215.0, 0.00023, 0.06519, None, None)],
    "gnu-time-1.9--dd": [(None, 0.14, 0.0, 0.02, 2715648, None)],
    "gnu-time-1.9--f_labelled": [(None, 0.0, 0.0, 0.0, None, None)],
    "gnu-time-1.9--failed": [(None, 0.01, 0.0, 0.0, 2707456, 1)],
    "gnu-time-1.9--noxfer": [(None, 0.14, 0.0, 0.03, 2883584, None)],
    "gnu-time-1.9--v_dd": [(D, 0.13, 0.0, 0.02, 2633728, 0)],
    "gnu-time-1.9--v_over_an_hour": [(LONG, 5414.0, 0.0, 0.06, 3346432, 0)],
    "gnu-time-1.9--v_signal": [("sh -c true\nkill -9 $$", 0.0, 0.0, 0.0, 1503232, None)],
    "ksh93-1.0.4--dd": [(None, 0.11, 0.0, 0.02, None, None)],
    "ksh93-1.0.4--over_an_hour": [(None, 5566.26, 0.0, 0.06, None, None)],
    "mksh-R59--dd": [(None, 0.11, 0.0, 0.02, None, None)],
    "mksh-R59--over_half_an_hour": [(None, 1938.22, 0.0, 0.06, None, None)],
    "tcsh-6.24.07--dd": [(None, 0.17, 0.0, 0.026, None, None)],
    "tcsh-6.24.07--over_an_hour": [(None, 6295.02, 0.003, 0.061, None, None)],
    "tcsh-6.24.07--short": [(None, 0.11, 0.0, 0.02, None, None)],
    "tcsh-6.24.07--set_time": [(None, 0.08, 0.0, 0.026, None, None)],
    "toybox-0.8.9--default": [(None, 0.775, 0.004338, 0.251658, None, None)],
    "toybox-0.8.9--p": [(None, 0.100925, 0.000805, 0.0, None, None)],
    "toybox-0.8.9--v": [(None, 0.110471, 0.001011, 0.0, 2191360, None)],
    "zsh-5.9--dd": [(D, 0.169, 0.0, 0.03, None, None)],
    "zsh-5.9--dd_de_DE": [(D, 0.08, 0.0, 0.02, None, None)],
    "zsh-5.9--long_command": [(None, 0.163, 0.01, 0.02, None, None)],
    "zsh-5.9--over_an_hour": [(LONG, 5724.78, 0.0, 0.06, None, None)],
    "zsh-5.9--pipeline": [
        (f"{D} status=none", 0.096, 0.0, 0.02, None, None),
        ("cat", 0.03, 0.0, 0.0, None, None),
    ],
    "zsh-5.9--timefmt": [
        (D, 0.09, 0.0, 0.02, None, None),
        (D, 0.066, 0.0, 0.02, None, None),
        (D, 0.066, 0.0, 0.021, None, None),
    ],
    "zsh-5.9--subshell": [
        ("( dd if=data of=/dev/null status=none; sync; )", 0.27, 0.04, 0.08, None, None)
    ],
}
REFUSED = {"bash-5.2.15--unlabelled", "bash-5.2.15--times", "zsh-5.9--no_command"}

# where the corpus's list of what each file says is not what is read, and why
NO_LABELS = "numbers without labels"
EXCEPTIONS = {
    "bash-time__C_TIMEFORMAT_0R.txt": NO_LABELS,
    "bash-time__C_TIMEFORMAT_6digits.txt": "real alone: no tool's own report",
    "bash-time__C_TIMEFORMAT_RUSP.txt": NO_LABELS,
    "bash-time__C_TIMEFORMAT_csv.txt": NO_LABELS,
    "bash-time__C_TIMEFORMAT_literal_percent.txt": NO_LABELS,
    "bash-time__de_DE.UTF-8_TIMEFORMAT_csv.txt": NO_LABELS,
    "busybox-time-git2024__C_f.txt": NO_LABELS,
    "gnu-time__C_TIME_env.txt": NO_LABELS,
    "gnu-time__C_f_e.txt": NO_LABELS,
    "zsh-time__C_TIMEFMT_mE_ms.txt": NO_LABELS,
}
# the list has toybox's microseconds as decimals
TOYBOX = {
    "toybox-time-git2026__C_default_with_dd.txt": [(0.081, 0.0, 0.021494)],
    "toybox-time-git2026__C_fakeclock_hours.txt": [(7588.383, 0.003931, 0.062894)],
    "toybox-time-git2026__C_nonzero.txt": [(0.004, 0.001085, 0.0)],
    "toybox-time-git2026__C_slow.txt": [(1.251, 0.001033, 0.0)],
}


def values(frame, columns):
    rows = frame[columns].astype(object).to_numpy(na_value=None)
    return [tuple(row) for row in rows.tolist()]


def times(text):
    return values(ft.reads(text).timings, ["real_s", "user_s", "sys_s"])


def test_every_fixture_is_expected():
    assert {path.stem for path in FIXTURES.glob("*.txt")} == CASES.keys() | REFUSED


@pytest.mark.parametrize("case", CASES)
def test_our_own(case):
    assert values(ft.read(FIXTURES / f"{case}.txt").timings, COLUMNS) == CASES[case]


@pytest.mark.parametrize("case", sorted(REFUSED))
def test_what_is_not_a_report_is_refused(case):
    with pytest.raises(UnknownFormatError):
        ft.read(FIXTURES / f"{case}.txt")


def test_the_corpus():
    if not CORPUS.is_dir():
        pytest.skip("the corpus (../shared/corpus) does not lie beside the project")
    truths = json.loads((CORPUS / "truths.json").read_text(encoding="utf-8"))
    for name, truth in truths.items():
        told = truth.get("time")
        if not told:
            continue
        if name in EXCEPTIONS:
            with pytest.raises(UnknownFormatError):
                ft.read(CORPUS / name)
            continue
        found = values(ft.read(CORPUS / name).timings, ["real_s", "user_s", "sys_s"])
        expected = [tuple(one.get(label) for label in ("real", "user", "sys")) for one in told]
        assert found == TOYBOX.get(name, expected), name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(BASH, (4.364, 0.0, 1.114), id="bash"),
        pytest.param(BASH.replace("\n", "\r\n"), (4.364, 0.0, 1.114), id="crlf"),
        pytest.param(BASH.replace("\t", "    "), (4.364, 0.0, 1.114), id="tabs-lost"),
        pytest.param(BASH.replace("\n", "\n\n"), (4.364, 0.0, 1.114), id="from-a-pdf"),
        pytest.param(BASH.replace("\n", " "), (4.364, 0.0, 1.114), id="one-line"),
        pytest.param(BASH.replace("4s\n", "4s   <-- slow\n"), (4.364, 0.0, 1.114), id="remark"),
        pytest.param(
            "\nreal\t147m53,092s\nuser\t0m0,003s\nsys\t0m0,018s\n",
            (8873.092, 0.003, 0.018),
            id="comma-minutes",
        ),
        pytest.param(
            "12:00:09 | real 0.09\n12:00:09 | user 1.50\n12:00:10 | sys 0.02\n",
            (0.09, 1.5, 0.02),
            id="time-of-day-before",
        ),
        pytest.param(
            "real         0.05\nuser         0.00\nsys          0.02\n",
            (0.05, 0.0, 0.02),
            id="openbsd-p",
        ),
        pytest.param("Real   0.02\nUser   0.01\nSystem 0.00\n", (0.02, 0.01, 0.0), id="aix"),
        pytest.param(
            "\nreal        1.234567890\nuser        0.500000000\nsys         0.250000001\n",
            (1.23456789, 0.5, 0.250000001),
            id="solaris-ptime",
        ),
        pytest.param(
            "\nreal\t1.251000\nuser\t0.001033\nsys\t0.000000\n",
            (1.251, 0.001033, 0.0),
            id="toybox-before-0.8",
        ),
        pytest.param(
            "        3,35 real         4,69 user         2,08 sys\n", (3.35, 4.69, 2.08), id="bsd"
        ),
        pytest.param(
            "\t1d2h3m4.05s real\t\t1m0.50s user\t\t0.25s sys\n",
            (93784.05, 60.5, 0.25),
            id="freebsd-h",
        ),
        pytest.param("0.0u 0.1s 0:00.30 33.3% 0+0k 0+1io 0pf+0w\n", (0.3, 0.0, 0.1), id="csh"),
        pytest.param(
            "make -j8  95.12s user 20.03s system 95% cpu 1:60.00 total\n",
            (120.0, 95.12, 20.03),
            id="zsh-rounds-up",
        ),
        pytest.param(GNU.format(50), (1.5, 0.5, 0.25), id="gnu"),
        pytest.param(
            "0.00user 0.00system 1:30:14elapsed ?%CPU (0avgtext+0avgdata 0maxresident)k\n",
            (5414.0, 0.0, 0.0),
            id="gnu-hours",
        ),
        pytest.param(
            "\nExecuted in  500.00 micros    fish         external\n"
            "   usr time    1.00 secs      1.00 secs    1.00 millis\n"
            "   sys time    1.00 secs      1.00 secs    0.50 millis\n",
            (0.0005, 1.0, 1.0),
            id="fish-own-test",
        ),
        pytest.param("\nTotalSeconds : 24.6626187\n", (24.6626187, None, None), id="powershell"),
    ],
)
def test_forms(text, expected):
    assert times(text) == [expected]
    assert ft.reads(text).notes["severity"].isin(["info"]).all()  # prefixes were taken off


@pytest.mark.parametrize(
    "text",
    [
        "real\t0m1.0s\nuser\t0m1.0s\n",
        "real\t0m1.0s\nuser\t0m61.0s\nsys\t0m1.0s\n",
        "real\t1h60m1.0s\nuser\t0m1.0s\nsys\t0m1.0s\n",
        "real 0.1.2\nuser 0.1.2\nsys 0.1.2\n",
        "real 0.10\nuser 0,10\nsys 0,10\n",
        "real 5\nuser 3\nsys 1\n",
        "unreal 0.10\nuser 0.00\nsys 0.00\n",
        "It is real 5 times faster: real 5 users of 3 systems, the total was 0.5 total.\n",
        "0:00.07 real,0.00 user\n",
        "a 0.00s user 0.02s system 28% cpu 0.072\n",
        "0.00user 0.02system 0:61.10elapsed 18%CPU (0avgtext+0avgdata 2524maxresident)k\n",
        "0.0u 0.1s 0:75.30 33.3% 0+0k 0+1io 0pf+0w\n",
        "Executed in 1.00 weeks fish external\n usr time 1.00 secs\n sys time 1.00 secs\n",
        "Seconds           : 24\n",
        "the TotalSeconds : 24.5\n",
        "TotalSeconds: 24.5\n",
        "86,0,023\n",
        "0.083 0.000 0.023\n",
        f"real {'9' * 5000}.0\nuser 0.0\nsys 0.0\n",
    ],
)
def test_no_guess(text):
    with pytest.raises(ft.FileError):
        ft.reads(text)


MKSH = "    0m{}.00s real     0m{}.50s user     0m{}.10s system"


def test_reports_that_stand_in_one_line():
    line = "".join(MKSH.format(n, n, n) for n in range(3))
    expected = [(n, n + 0.5, n + 0.1) for n in range(3)]
    assert times(line + "\n") == expected
    line = " ".join(f"real {n}.00 user {n}.50 sys {n}.10" for n in range(3))
    assert times(line + "\n") == expected


@pytest.mark.parametrize(
    "text",
    [
        "real 1.00\nuser 0.50\nreal 2.00\nuser 0.60\nsys 0.10\nsys 0.20\n",
        "real 1.00\nreal 2.00\nuser 0.50\nuser 0.60\nsys 0.10\nsys 0.20\n",
        "real\t0m1.0s\nuser\t0m61.0s\nsys\t0m1.0s\n",
        "real 0.10\nuser 0,10\nsys 0,10\n",
        f"{MKSH.format(1, 1, 1)}     0m2.00s real     0m2.50s user\n",
    ],
)
def test_what_is_not_a_whole_report_is_told_and_not_mixed(text):
    results = ft.reads(f"{BASH}\n$ cd /tmp\n{text}")
    first = (4.364, 0.0, 1.114)
    read = values(results.timings, ["real_s", "user_s", "sys_s"])
    assert read in ([first], [first, (1.0, 1.5, 1.1)])
    unread = results.notes[results.notes["code"] == "unread"]
    assert unread["severity"].tolist() == ["warning"]


def test_a_report_that_breaks_off_is_noted():
    results = ft.reads(BASH + BASH.partition("sys")[0])
    assert len(results.timings) == 1
    assert results.notes[["line", "severity"]].to_numpy().tolist() == [[6, "warning"]]


def test_prose_beside_a_dd_report_is_not_a_timing():
    text = f"real 5 times faster\n$ dd if=a of=b\n{DD}the total was 3 s, user 2 of 3\nsys 0\n"
    results = ft.reads(text)
    assert results.timings.empty
    assert len(results.io) == 1


@pytest.mark.parametrize("mark", [".", ","])
def test_toybox_with_either_decimal_mark(mark):
    text = "real 1.234\nuser 0.1033\nsys 0.12345\n".replace(".", mark)
    assert times(text) == [(1.234, 0.001033, 0.012345)]
    text = "real 1.234\nuser 0.103\nsys 0.123\n".replace(".", mark)
    assert times(text) == [(1.234, None, None)]
    assert "may be toybox's" in ft.reads(text).notes["message"].item()


def test_toybox_whose_lines_were_joined():
    assert times("real 1.234 user 0.1033 sys 0.12345\n") == [(1.234, 0.001033, 0.012345)]
    results = ft.reads("real 1.234 user 0.103 sys 0.123\n")
    assert times("real 1.234 user 0.103 sys 0.123\n") == [(1.234, 0.103, 0.123)]
    assert "toybox's would lack zeros" in results.notes["message"].item()


def test_several_reports_are_several_runs():
    results = ft.reads(BASH * 3)
    assert results.timings["run"].tolist() == [1, 2, 3]
    assert results.runs["tool"].tolist() == ["time"] * 3
    assert results.runs["status"].tolist() == ["ok"] * 3


@pytest.mark.parametrize(
    ("case", "status"),
    [("busybox-1.35.0--status_3", "status 3"), ("gnu-time-1.9--v_signal", "by a signal")],
)
def test_a_command_that_failed(case, status):
    results = ft.read(FIXTURES / f"{case}.txt")
    assert results.runs["status"].tolist() == ["error"]
    assert status in results.notes["message"].item()


def test_a_command_that_is_said_to_have_failed_without_a_number():
    bsd = "time: command terminated abnormally\n        0.35 real         0.69 user         0.08 sys\n"
    results = ft.reads(bsd)
    assert results.runs["status"].item() == "error"
    assert results.timings["exit_status"].isna().item()


def test_a_command_that_failed_below_another_time():
    gnu = "Command exited with non-zero status 3\n"
    results = ft.reads(f"{gnu}/usr/bin/time -q sh  0.01s user 0.02s system 50% cpu 0.060 total\n")
    assert results.runs[["status", "command"]].to_numpy().tolist() == [
        ["error", "/usr/bin/time -q sh"]
    ]
    assert results.timings["exit_status"].item() == 3


def test_a_list_on_one_line_is_not_left_out_in_silence():
    listed = (FIXTURES / "gnu-time-1.9--v_dd.txt").read_text(encoding="utf-8")
    joined = " / ".join(line.strip() for line in listed.splitlines())
    results = ft.reads(f"{joined}\n\n0.01user 0.02system 0:01.00elapsed 3%CPU\n")
    assert "lines of a report were not read" in results.notes["message"].str.cat()


def test_what_has_no_column():
    listed = ft.read(FIXTURES / "gnu-time-1.9--v_dd.txt").extras
    extras = listed[listed["path"].str.startswith("time/")].set_index("path")["text"]
    assert extras.to_dict() == {
        "time/cpu_pct": "18",
        "time/inputs": "0",
        "time/outputs": "131080",
        "time/major_faults": "0",
        "time/minor_faults": "344",
        "time/voluntary_switches": "6",
        "time/involuntary_switches": "12",
    }


def test_what_tcsh_adds():
    extras = ft.read(FIXTURES / "tcsh-6.24.07--over_an_hour.txt").extras
    listed = extras[extras["path"].str.startswith("time/")]
    assert listed["path"].tolist()[1:] == ["time/inputs", "time/outputs", "time/major_faults"]
    assert listed["text"].tolist() == ["0.0", "0", "0", "0"]


def test_a_command_cut_by_zsh_is_not_a_command():
    extras = ft.read(FIXTURES / "zsh-5.9--long_command.txt").extras.set_index("path")["text"]
    assert extras["time/command"].endswith(" ibs=409")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GNU.format(80), "80 % CPU is not (user + sys) / real"),
        (
            "make  1.00s user 1.00s system 12% cpu 4.000 total\n",
            "12 % CPU is not (user + sys) / real",
        ),
        (
            "Executed in    2.00 secs      fish           external\n"
            "   usr time    1.50 secs    658.00 micros    1.19 millis\n"
            "   sys time    0.00 secs      0.00 micros    0.00 millis\n",
            "not what fish and external add up to",
        ),
        ("Seconds : 24\nTicks : 246626187\nTotalSeconds : 25.5\n", "not what the other properties"),
    ],
)
def test_contradictions_are_noted(text, message):
    notes = ft.reads(text).notes
    assert message in notes["message"].item()
    assert notes[["severity", "run", "line"]].to_numpy().tolist() == [["warning", 1, 1]]


LIST = (
    "        3.35 real         4.69 user         2.08 sys\n"
    "{}  maximum resident set size\n"
    "{}  average shared memory size\n"
    "{}  {}\n"
)


def list_of(width, peak, label="page reclaims"):
    """Print as ``time -l``: %20ld on macOS, %10ld on BSD and on macOS long ago."""
    return LIST.format(*(str(n).rjust(width) for n in (peak, 0, 97)), label)


@pytest.mark.parametrize("indent", ["", "    "])
@pytest.mark.parametrize(
    ("text", "peak"),
    [
        (list_of(20, 1598685184), 1598685184),
        (list_of(1, 1598685184, "peak memory footprint"), 1598685184),
        (list_of(10, 2524), 2524 * 1024),
        (list_of(10, 8192, "minor page faults"), 8192 * 1024),
        (list_of(10, 8192), None),
        (list_of(10, 0), None),
    ],
)
def test_the_unit_of_the_peak_is_told_by_the_lines_around_it(text, peak, indent):
    results = ft.reads("".join(indent + line for line in text.splitlines(keepends=True)))
    assert values(results.timings, COLUMNS) == [(None, 3.35, 4.69, 2.08, peak, None)]
    assert len(results.notes) == (" 8192 " in text and "minor" not in text)
    assert results.runs["format"].item() == "time", "nothing is left over"


def test_a_time_span_in_another_culture():
    text = (
        "\n\nDays              : 0\nHours             : 1\nMinutes           : 2\n"
        "Seconds           : 3\nMilliseconds      : 594\nTicks             : 37235948660\n"
        "TotalDays         : 4,30971627999999E-02\nTotalHours        : 1,03433190722222\n"
        "TotalMinutes      : 62,0599144333333\nTotalSeconds      : 3723,594866\n"
        "TotalMilliseconds : 3723594,866\n\n"
    )
    results = ft.reads(text + text.replace("3723,594866", "3723,594867"))
    assert results.timings["real_s"].tolist() == [3723.594866, 3723.594867]
    assert results.notes.empty
    assert set(results.runs["format"]) == {"time"}


@pytest.mark.parametrize(
    ("part", "reports"),
    [
        ("0.00s user ", 0),
        ("0.00s user 0.00s system 1% cpu ", 0),
        ("real\t1\n", 0),
        ("real\t1.0\nuser\t1.0\n", 0),
        ("real 1.0" + " " * 300 + "\n", 0),
        ("\tUser time (seconds): 1.00\n", 0),
        ('\tCommand being timed: "', 0),
        ("0.00u ", 0),
        ("Executed in 1.00 secs\n", 0),
        ("TotalSeconds : 1:1\n", 0),
        ("1 real 1 user 1 sys 1 ", 0),
        ("real\t1.00\nuser\t1.00\nsys\t1.00\n", 1),
    ],
)
def test_beginnings_without_end_take_no_longer_than_text(part, reports):
    count = 400_000 // len(part)
    if reports:
        assert len(ft.reads(part * count, tables=["timings"]).timings) == count
    else:
        with pytest.raises(ft.FileError):
            ft.reads(part * count)


@pytest.mark.parametrize("mark", ["# ", "#", "// ", "> ", "; ", "' ", "> # "])
@pytest.mark.parametrize(
    "text",
    [
        "real 0.51\nuser 0.01\nsys 0.10\n",
        "        0.51 real         0.01 user         0.10 sys\n   123  page reclaims\n",
        "\tUser time (seconds): 0.01\n\tSystem time (seconds): 0.10\n"
        "\tElapsed (wall clock) time (h:mm:ss or m:ss): 0:00.51\n",
    ],
)
def test_a_report_that_was_commented_out(mark, text):
    results = ft.reads("".join(f"{mark}{line}\n" for line in text.splitlines()))
    row = results.timings.iloc[0]
    assert (row["real_s"], row["user_s"], row["sys_s"]) == (0.51, 0.01, 0.1)
    assert len(results.timings) == 1
