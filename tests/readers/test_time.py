"""time: our own runs of every tool that is here, the others by their source, and damage."""

import re
from contextlib import suppress

import pytest

import fiotools as ft
from fiotools.errors import UnknownFormatError
from tests.mutations import Case, outcomes
from tests.readers.outputs import DD, FIXTURES, edited, texts, values

TIMES = ("real_s", "user_s", "sys_s")
COLUMNS = (*TIMES, "max_rss_bytes", "exit_status")
BASH = "\nreal\t0m4.364s\nuser\t0m0.000s\nsys\t0m1.114s\n"
FIRST = (4.364, 0.0, 1.114)
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


def rows(text, *columns):
    return values(ft.reads(text).timings, *(columns or COLUMNS))


def noted(text):
    return values(ft.reads(text).notes.query("severity == 'warning'"), "line", "message")


def test_every_fixture_is_expected():
    stems = {path.stem for path in (FIXTURES / "time").glob("*.txt")}
    assert stems == CASES.keys() | REFUSED


@pytest.mark.parametrize("case", CASES)
def test_our_own(case):
    timings = ft.read(FIXTURES / "time" / f"{case}.txt").timings
    assert values(timings, "command", *COLUMNS) == CASES[case]


@pytest.mark.parametrize("case", sorted(REFUSED))
def test_what_is_not_a_report_is_refused(case):
    with pytest.raises(UnknownFormatError):
        ft.read(FIXTURES / "time" / f"{case}.txt")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (BASH, FIRST),
        (BASH.replace("4s\n", "4s   <-- slow\n"), FIRST),
        ("\nreal\t147m53,092s\nuser\t0m0,003s\nsys\t0m0,018s\n", (8873.092, 0.003, 0.018)),
        # a time of day before, AIX
        (
            "12:00:09 | real 0.09\n12:00:09 | user 1.50\n12:00:10 | sys 0.02\n",
            (0.09, 1.5, 0.02),
        ),
        ("Real   0.02\nUser   0.01\nSystem 0.00\n", (0.02, 0.01, 0.0)),
        # the BSDs, and FreeBSD's -h
        ("        3,35 real         4,69 user         2,08 sys\n", (3.35, 4.69, 2.08)),
        ("\t1d2h3m4.05s real\t\t1m0.50s user\t\t0.25s sys\n", (93784.05, 60.5, 0.25)),
        # zsh rounds up
        ("make -j8  95.12s user 20.03s system 95% cpu 1:60.00 total\n", (120.0, 95.12, 20.03)),
        (GNU.format(50), (1.5, 0.5, 0.25)),
        (
            "0.00user 0.00system 1:30:14elapsed ?%CPU (0avgtext+0avgdata 0maxresident)k\n",
            (5414.0, 0.0, 0.0),
        ),
        # of fish's own tests; PowerShell
        (
            "\nExecuted in  500.00 micros    fish         external\n"
            "   usr time    1.00 secs      1.00 secs    1.00 millis\n"
            "   sys time    1.00 secs      1.00 secs    0.50 millis\n",
            (0.0005, 1.0, 1.0),
        ),
        ("\nTotalSeconds : 24.6626187\n", (24.6626187, None, None)),
    ],
)
def test_forms(text, expected):
    assert rows(text, *TIMES) == [expected]
    assert ft.reads(text).notes["severity"].isin(["info"]).all()  # prefixes were taken off


@pytest.mark.parametrize(
    "text",
    [
        "real\t0m1.0s\nuser\t0m1.0s\n",
        "real\t0m1.0s\nuser\t0m61.0s\nsys\t0m1.0s\n",
        "real\t1h60m1.0s\nuser\t0m1.0s\nsys\t0m1.0s\n",
        "real 0.10\nuser 0,10\nsys 0,10\n",
        "0:00.07 real,0.00 user\n",
        "0.0u 0.1s 0:75.30 33.3% 0+0k 0+1io 0pf+0w\n",
        "\tUser time (seconds): 1.00\n" * 2,
        "the TotalSeconds : 24.5\n",
        "real 5\nuser 3\nsys 1\n",
        "unreal 0.10\nuser 0.00\nsys 0.00\n",
        "It is real 5 times faster: real 5 users of 3 systems, the total was 0.5 total.\n",
        "a 0.00s user 0.02s system 28% cpu 0.072\n",
        "0.00user 0.02system 0:61.10elapsed 18%CPU (0avgtext+0avgdata 2524maxresident)k\n",
        "Executed in 1.00 weeks fish external\n usr time 1.00 secs\n sys time 1.00 secs\n",
        "Seconds           : 24\n",
        "TotalSeconds : 1:1\n",
        "TotalSeconds: 24.5\n",
        "0.083 0.000 0.023\n",
        f"real {'9' * 5000}.0\nuser 0.0\nsys 0.0\n",
    ],
)
def test_no_guess(text):
    with pytest.raises(ft.FileError):
        ft.reads(text)


MKSH = "    0m{0}.00s real     0m{0}.50s user     0m{0}.10s system"


@pytest.mark.parametrize(
    "text",
    [
        "".join(MKSH.format(n) for n in range(3)),
        " ".join(f"real {n}.00 user {n}.50 sys {n}.10" for n in range(3)),
    ],
)
def test_reports_that_stand_in_one_line(text):
    results = ft.reads(f"{text}\n")
    assert values(results.timings, "run", *TIMES) == [
        (n + 1, n, n + 0.5, n + 0.1) for n in range(3)
    ]
    assert values(results.runs, "tool", "status") == [("time", "ok")] * 3


@pytest.mark.parametrize(
    "text",
    [
        "real 1.00\nuser 0.50\nreal 2.00\nuser 0.60\nsys 0.10\nsys 0.20\n",
        "real 1.00\nreal 2.00\nuser 0.50\nuser 0.60\nsys 0.10\nsys 0.20\n",
        "real\t0m1.0s\nuser\t0m61.0s\nsys\t0m1.0s\n",
        "real 0.10\nuser 0,10\nsys 0,10\n",
        f"{MKSH.format(1)}     0m2.00s real     0m2.50s user\n",
        f"    0m2.00s real     0m2.50s user\n{MKSH.format(1)}\n",
        BASH.partition("sys")[0],
    ],
)
def test_what_is_not_a_whole_report_is_told_and_not_mixed(text):
    results = ft.reads(f"{BASH}\n$ cd /tmp\n{text}")
    assert values(results.timings, *TIMES) in ([FIRST], [FIRST, (1.0, 1.5, 1.1)])
    unread = results.notes[results.notes["code"] == "unread"]
    assert unread["severity"].tolist() == ["warning"]


def test_prose_beside_a_dd_report_is_not_a_timing():
    text = f"real 5 times faster\n$ dd if=a of=b\n{DD}the total was 3 s, user 2 of 3\nsys 0\n"
    results = ft.reads(text)
    assert (len(results.timings), len(results.io)) == (0, 1)


@pytest.mark.parametrize("mark", [".", ","])
def test_toybox_drops_zeros_of_its_microseconds(mark):
    text = "real 1.234\nuser 0.1033\nsys 0.12345\n".replace(".", mark)
    assert rows(text, *TIMES) == [(1.234, 0.001033, 0.012345)]
    text = "real 1.234\nuser 0.103\nsys 0.123\n".replace(".", mark)
    assert rows(text, *TIMES) == [(1.234, None, None)]
    assert "may be toybox's" in noted(text)[0][1]
    results = ft.reads(text.replace("\n", " ").strip() + "\n")
    assert values(results.timings, *TIMES) == [(1.234, 0.103, 0.123)]
    assert "toybox's would lack zeros" in results.notes["message"].item()


FAILED = "Command exited with non-zero status 3\n"


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        (edited("time/busybox-1.35.0--status_3.txt"), 3, "status 3"),
        (edited("time/gnu-time-1.9--v_signal.txt"), None, "by a signal"),
        (
            "time: command terminated abnormally\n"
            "        0.35 real         0.69 user         0.08 sys\n",
            None,
            "",
        ),
        (
            f"{FAILED}/usr/bin/time -q sh  0.01s user 0.02s system 50% cpu 0.060 total\n",
            *(3, "status 3"),
        ),
    ],
)
def test_a_command_that_failed(text, status, said):
    results = ft.reads(text)
    assert results.runs["status"].tolist() == ["error"]
    assert values(results.timings, "exit_status") == [(status,)]
    assert said in results.notes["message"].str.cat()


@pytest.mark.parametrize(
    ("case", "told"),
    [
        (
            "gnu-time-1.9--v_dd",
            {
                "time/outputs": "131080",
                "time/minor_faults": "344",
                "time/voluntary_switches": "6",
                "time/involuntary_switches": "12",
            },
        ),
        ("tcsh-6.24.07--over_an_hour", {"time/outputs": "0", "time/major_faults": "0"}),
    ],
)
def test_what_has_no_column(case, told):
    extras = texts(ft.read(FIXTURES / "time" / f"{case}.txt"))
    assert {path: extras[path] for path in told} == told


def test_a_command_cut_by_zsh_is_not_a_command():
    extras = texts(ft.read(FIXTURES / "time/zsh-5.9--long_command.txt"))
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


PEAK = (
    "        3.35 real         4.69 user         2.08 sys\n"
    "{}  maximum resident set size\n{}  average shared memory size\n{}  {}\n"
)


def list_of(width, peak, label="page reclaims"):
    """Print as ``time -l``: %20ld on macOS, %10ld on BSD and on macOS long ago."""
    return PEAK.format(*(str(n).rjust(width) for n in (peak, 0, 97)), label)


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
def test_the_unit_of_the_peak_is_told_by_the_lines_around_it(text, peak):
    results = ft.reads(text)
    assert values(results.timings, *COLUMNS) == [(3.35, 4.69, 2.08, peak, None)]
    doubted = results.notes["message"].str.contains("8192: bytes (macOS) or KiB (BSD)", regex=False)
    assert doubted.sum() == len(results.notes) == (" 8192 " in text and "minor" not in text)


def test_a_time_span_in_another_culture():
    text = (
        "\n\nSeconds           : 3\nMilliseconds      : 594\nTicks             : 37235948660\n"
        "TotalDays         : 4,30971627999999E-02\nTotalHours        : 1,03433190722222\n"
        "TotalSeconds      : 3723,594866\nTotalMilliseconds : 3723594,866\n\n"
    )
    results = ft.reads(text + text.replace("3723,594866", "3723,594867"))
    assert results.timings["real_s"].tolist() == [3723.594866, 3723.594867]
    assert results.notes.empty


@pytest.mark.parametrize("mark", ["#", "// ", "> ", "; ", "' ", "> # "])
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
    assert values(results.timings, *TIMES) == [(0.51, 0.01, 0.1)]


# Every form, alone and beside dd, broken in every way: read right, or told, never silent.
ABOVE = {"alone": "", "dd": DD, "noxfer": "".join(DD.splitlines(keepends=True)[:2])}
KERNEL = "[ 1234.567890] nvme0n1: I/O 12 QID 3 timeout, aborting"
RSYNC = "rsync warning: some files vanished before they could be transferred (code 24)"
LIST = (
    "          1598685184  maximum resident set size\n"
    "                   0  average shared memory size\n"
    "                 178  page reclaims\n"
    "                   2  page faults\n"
    "                   4  voluntary context switches\n"
)
PRINTED = (
    "12.34user 0.07system 0:14.01elapsed 88%CPU (0avgtext+0avgdata 812344maxresident)k\n"
    "1024inputs+8388608outputs (0major+342minor)pagefaults 0swaps\n"
)


def own(name):
    """Take the report of time from a fixture."""
    return re.sub(r"\A[^\n]*records in\n[^\n]*\n[^\n]*\n", "", edited(f"time/{name}.txt"))


FORMS = {
    "bash": own("bash-5.2.15--dd"),
    "posix": "real 0.13\nuser 0.01\nsys 0.02\n",
    "mksh": own("mksh-R59--dd"),
    "zsh": own("zsh-5.9--dd"),
    "zsh, over an hour": own("zsh-5.9--over_an_hour"),
    "tcsh": own("tcsh-6.24.07--dd"),
    "gnu": PRINTED,
    "gnu, failed": f"Command exited with non-zero status 3\n{PRINTED}",
    "gnu -v": own("gnu-time-1.9--v_dd"),
    "busybox": own("busybox-1.35.0--over_an_hour"),
    "fish": own("fish-3.6.0--dd"),
    "macOS -l": f"        3.35 real         1.69 user         0.08 sys\n{LIST}",
    "macOS -lp": f"real         3.35\nuser         1.69\nsys          0.08\n{LIST}",
    "toybox -v": own("toybox-0.8.9--v"),
}


def instead_of_an_end(place, by, above):
    """Put something instead of the end of a line of time: it is joined, or another stands below."""

    def change(text):
        ends = [found.start() for found in re.finditer(r"\n(?!\Z)", text)]
        ends = [end for end in ends if end >= len(above)]
        if place >= len(ends):
            return None
        return text[: ends[place]] + by + text[ends[place] + 1 :]

    return change


def damage(above):
    """Give what is done to a text: the lines below `above` are those of time."""
    return [
        *(
            Case(f"wrapped at {width}", lambda text, wrap=wrap: re.sub(wrap, "\\1\n", text))
            for width in range(40, 101, 6)
            for wrap in (rf"([^\n]{{{width}}})(?=[^\n])", rf"([^\n]{{{width - 15},{width}}}) ")
        ),
        *(
            Case(f"{place}: {by!r}", instead_of_an_end(place, by, above))
            for place in range(24)
            for by in ("", " ", f"\n{KERNEL}\n", f"\n{RSYNC}\n")
        ),
        Case("decimal comma", lambda text: re.sub(r"(?<=\d)\.(?=\d)", ",", text)),
    ]


@pytest.mark.parametrize("above", ABOVE)
def test_a_damaged_report_is_read_right_or_told(above):
    files = [("time", name, ABOVE[above] + text) for name, text in FORMS.items()]
    found = [*outcomes(files, damage(ABOVE[above]))]
    assert len(found) > 350
    assert [one for one in found if one.verdict in ("lost", "changed")] == []


@pytest.mark.parametrize(
    "text",
    [
        *(  # a status that touches the time of the user
            FAILED.replace("3\n", f"{touching}user 0.00system 0:20.00elapsed 50%CPU\n")
            for touching in ("30.00", "10.07", "2550.50", "112.34")
        ),
        FORMS["gnu -v"].replace("(kbytes): 2572", "(kbytes): 25\n72"),
        re.sub("[^\n]*Elapsed[^\n]*\n", "", FORMS["gnu -v"]),
        "\tUser time (seconds): 1.0.0\n\tSystem time (seconds): 1.00\n"
        "\tElapsed (wall clock) time (h:mm:ss or m:ss): 0:01.00\n",
    ],
)
def test_what_may_be_another_number_is_refused_or_told(text):
    with suppress(ft.FileError):
        assert noted(text)


def test_gnu_below_records_alone_is_not_a_line_of_dd():
    text = ABOVE["noxfer"] + PRINTED
    assert rows(text) == [(14.01, 12.34, 0.07, 812344 * 1024, None)]
    assert not ft.reads(text).notes["message"].str.contains("not as dd prints it").any()


@pytest.mark.parametrize(
    ("label", "place"), [("User time", 1), ("System time", 2), ("Maximum res", 3)]
)
def test_a_list_without_a_line_keeps_the_others(label, place):
    text = DD + re.sub(f"[^\n]*{label}[^\n]*\n", "", FORMS["gnu -v"])
    expected = [0.13, 0.0, 0.02, 2633728, 0]
    expected[place] = None
    assert rows(text) == [tuple(expected)]
    assert len(noted(text)) == (place < 3)


@pytest.mark.parametrize(
    "form",
    [
        "0.10user 0.02system {}elapsed 0%CPU\n",
        "\tUser time (seconds): 0.10\n\tSystem time (seconds): 0.02\n"
        "\tElapsed (wall clock) time (h:mm:ss or m:ss): {}\n",
        "dd if=a of=b  0.10s user 0.02s system 0% cpu {} total\n",
    ],
)
@pytest.mark.parametrize(
    ("printed", "seconds"), [("25:10:33", 90633.0), ("1:50:33.12", 6633.12), ("0:00.06", 0.06)]
)
def test_hours(form, printed, seconds):
    assert rows(form.format(printed)) == [(seconds, 0.1, 0.02, None, None)]


@pytest.mark.parametrize(
    ("cell", "seconds"),
    [
        ("123.45 secs ", 123.45),
        ("2.50 mins ", 150.0),
        ("1.20 hours", 4320.0),
        ("58,14 micros", 5.814e-05),
    ],
)
def test_units_of_fish(cell, seconds):
    mark = "," if "," in cell else "."
    text = (
        f"Executed in  {cell}    fish           external\n"
        "   usr time    1.62 millis  131.00 micros    1.49 millis\n"
        "   sys time    0.13 millis  131.00 micros    0.00 millis\n".replace(".", mark)
    )
    assert rows(text) == [(pytest.approx(seconds), 0.00162, 0.00013, None, None)]


def test_the_resources_of_macos_lp():
    assert texts(ft.reads(FORMS["macOS -lp"])).to_dict() == {
        "time/minor_faults": "178",
        "time/major_faults": "2",
        "time/voluntary_switches": "4",
    }


@pytest.mark.parametrize(
    "line", ["dd if=a of=b  0.10s user 1.20s system 7% cpu 18.193 total\n", PRINTED]
)
def test_a_report_that_is_printed_twice_beside_a_dd_is_told(line):
    results = ft.reads(DD + line * 2)
    assert results.notes.iloc[-1][["run", "severity"]].tolist() == [2, "warning"]
    assert "printed twice" in results.notes["message"].iloc[-1]
    assert not ft.reads(DD + line).notes["message"].str.contains("printed twice").any()
