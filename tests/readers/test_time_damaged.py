"""Every form of time, alone and beside dd, broken in every way: read right, or told, never silent."""

import re
from pathlib import Path

import pytest

import fiotools as ft
from tests.mutations import Case, outcomes

FIXTURES = Path(__file__).parents[1] / "fixtures" / "time"
DD = "16+0 records in\n16+0 records out\n16777216 bytes (17 MB, 16 MiB) copied, 0.05 s, 336 MB/s\n"
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
GNU = (
    "12.34user 0.07system 0:14.01elapsed 88%CPU (0avgtext+0avgdata 812344maxresident)k\n"
    "1024inputs+8388608outputs (0major+342minor)pagefaults 0swaps\n"
)


def own(name):
    """Take the report of time from a fixture."""
    text = (FIXTURES / f"{name}.txt").read_text(encoding="utf-8")
    return re.sub(r"\A[^\n]*records in\n[^\n]*\n[^\n]*\n", "", text)


FORMS = {
    "bash": own("bash-5.2.15--dd"),
    "posix": "real 0.13\nuser 0.01\nsys 0.02\n",
    "mksh": own("mksh-R59--dd"),
    "zsh": own("zsh-5.9--dd"),
    "zsh, over an hour": own("zsh-5.9--over_an_hour"),
    "tcsh": own("tcsh-6.24.07--dd"),
    "gnu": GNU,
    "gnu, failed": f"Command exited with non-zero status 3\n{GNU}",
    "gnu -v": own("gnu-time-1.9--v_dd"),
    "busybox": own("busybox-1.35.0--over_an_hour"),
    "fish": own("fish-3.6.0--dd"),
    "macOS -l": f"        3.35 real         1.69 user         0.08 sys\n{LIST}",
    "macOS -lp": f"real         3.35\nuser         1.69\nsys          0.08\n{LIST}",
    "toybox -v": own("toybox-0.8.9--v"),
}


def wrapped(width):
    return lambda text: re.sub(rf"([^\n]{{{width}}})(?=[^\n])", "\\1\n", text)


def at_blanks(width):
    return lambda text: re.sub(rf"([^\n]{{{width - 15},{width}}}) (?=[^\n])", "\\1\n", text)


def with_lines(change):
    """Change a text by its lines, as far as they are those of time."""

    def changed(text):
        above = next(part for part in reversed(ABOVE.values()) if text.startswith(part))
        above = DD if text.startswith(DD) else above
        lines = change(text.removeprefix(above).removesuffix("\n").split("\n"))
        return None if lines is None else above + "\n".join(lines) + "\n"

    return changed


def joined(place, by):
    def change(lines):
        if place + 1 >= len(lines):
            return None
        return [*lines[:place], lines[place] + by + lines[place + 1], *lines[place + 2 :]]

    return with_lines(change)


def between(place, line):
    return with_lines(
        lambda lines: [*lines[:place], line, *lines[place:]] if place < len(lines) else None
    )


PLACES = range(24)
DAMAGE = [
    *(Case(f"wrapped at {width}", wrapped(width)) for width in (*range(40, 81, 4), 100)),
    *(Case(f"wrapped at blanks, {width}", at_blanks(width)) for width in (40, 60, 72, 80)),
    *(Case(f"joined {n}{by!r}", joined(n, by)) for n in PLACES for by in ("", " ")),
    *(
        Case(f"between {n} {line[:9]}", between(n, line))
        for n in PLACES
        for line in (KERNEL, RSYNC)
    ),
    Case("blanks doubled", lambda text: text.replace(" ", "  ")),
    Case("decimal comma", lambda text: re.sub(r"(?<=\d)\.(?=\d)", ",", text)),
]


@pytest.mark.parametrize("above", ABOVE)
def test_a_damaged_report_is_read_right_or_told(above):
    files = [
        ("time", f"{number}.txt", ABOVE[above] + text) for number, text in enumerate(FORMS.values())
    ]
    found = [*outcomes(files, DAMAGE)]
    names = [*FORMS]
    silent = [
        (names[int(one.name.removesuffix(".txt"))], one.case, one.verdict, one.where)
        for one in found
        if one.verdict in ("lost", "changed")
    ]
    assert len(found) > 350
    assert silent == []


def rows(text):
    names = ["real_s", "user_s", "sys_s", "max_rss_bytes", "exit_status"]
    frame = ft.reads(text).timings[names].astype(object)
    return [tuple(row) for row in frame.to_numpy(na_value=None).tolist()]


def noted(text):
    notes = ft.reads(text).notes
    return notes[notes["severity"] == "warning"][["line", "message"]].to_numpy().tolist()


def refused_or_told(text):
    try:
        return bool(noted(text))
    except ft.FileError:
        return True


@pytest.mark.parametrize("width", [40, 60, 72, 80, 85])
@pytest.mark.parametrize("shell", ["zsh", "zsh, over an hour", "gnu"])
def test_a_wrapped_line_is_read_or_told(shell, width):
    text = DD + wrapped(width)(FORMS[shell])
    assert rows(text) == rows(FORMS[shell]) or noted(text)


@pytest.mark.parametrize("touching", ["30.00", "10.07", "2550.50", "112.34"])
def test_a_status_that_touches_the_user_time_is_told(touching):
    text = f"Command exited with non-zero status {touching}user 0.00system 0:20.00elapsed 50%CPU\n"
    assert refused_or_told(text)


def test_gnu_below_records_alone_is_not_a_line_of_dd():
    results = ft.reads(ABOVE["noxfer"] + GNU)
    assert rows(ABOVE["noxfer"] + GNU) == [(14.01, 12.34, 0.07, 812344 * 1024, None)]
    assert not results.notes["message"].str.contains("not as dd prints it").any()


@pytest.mark.parametrize(
    ("label", "place"), [("User time", 1), ("System time", 2), ("Maximum res", 3)]
)
def test_a_list_without_a_line_keeps_the_others(label, place):
    lines = FORMS["gnu -v"].splitlines(keepends=True)
    text = "".join(line for line in lines if label not in line)
    expected = [0.13, 0.0, 0.02, 2633728, 0]
    expected[place] = None
    assert rows(DD + text) == [tuple(expected)]
    assert len(noted(DD + text)) == (place < 3)


def test_a_number_that_goes_on_below_is_told():
    text = FORMS["gnu -v"].replace("(kbytes): 2572", "(kbytes): 25\n72")
    assert noted(text)


def test_a_list_without_its_duration_is_told():
    assert refused_or_told(re.sub("[^\n]*Elapsed[^\n]*\n", "", FORMS["gnu -v"]))


@pytest.mark.parametrize(
    ("printed", "seconds"),
    [("1:50:33", 6633.0), ("25:10:33", 90633.0), ("1:50:33.12", 6633.12), ("0:00.06", 0.06)],
)
def test_hours(printed, seconds):
    line = f"0.10user 0.02system {printed}elapsed 0%CPU\n"
    assert rows(line) == [(seconds, 0.1, 0.02, None, None)]
    listed = (
        "\tUser time (seconds): 0.10\n\tSystem time (seconds): 0.02\n"
        f"\tElapsed (wall clock) time (h:mm:ss or m:ss): {printed}\n"
    )
    assert rows(listed) == [(seconds, 0.1, 0.02, None, None)]
    zsh = f"dd if=a of=b  0.10s user 0.02s system 0% cpu {printed} total\n"
    assert rows(zsh) == [(seconds, 0.1, 0.02, None, None)]


@pytest.mark.parametrize(
    ("cell", "seconds"),
    [
        ("123.45 secs ", 123.45),
        ("2.50 mins ", 150.0),
        ("1.20 hours", 4320.0),
        ("58.14 millis", 0.05814),
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
    extras = ft.reads(FORMS["macOS -lp"]).extras.set_index("path")["text"].to_dict()
    assert extras == {
        "time/minor_faults": "178",
        "time/major_faults": "2",
        "time/voluntary_switches": "4",
    }
    text = FORMS["macOS -lp"].replace("          1598685184", "    688128")
    assert rows(text) == [(3.35, 1.69, 0.08, None, None)]
    assert "688128: bytes (macOS) or KiB (BSD)" in noted(text)[0][1]


@pytest.mark.parametrize("form", ["zsh", "gnu"])
def test_a_report_that_is_printed_twice_beside_a_dd_is_told(form):
    lines = {"zsh": "dd if=a of=b  0.10s user 1.20s system 7% cpu 18.193 total\n", "gnu": GNU}[form]
    results = ft.reads(DD + lines + lines)
    assert results.notes.iloc[-1][["run", "severity"]].tolist() == [2, "warning"]
    assert "printed twice" in results.notes["message"].iloc[-1]
    assert not ft.reads(DD + lines).notes["message"].str.contains("printed twice").any()
