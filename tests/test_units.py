import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiotools import units


@pytest.mark.parametrize(
    ("text", "kilo", "value"),
    [
        ("4k", 1024, 4096),
        ("1.5MiB/s", 1000, 1572864),
        ("36.5MB/s", 1000, 36.5e6),
        ("2,1 GB/s", 1000, 2.1e9),
        ("537 kB/s", 1000, 537e3),
        ("537 kB/s", 1024, 537 * 1024),
        ("100 bytes", 1024, 100),
    ],
)
def test_size(text, kilo, value):
    assert units.size(text, kilo=kilo) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0m4.364s", 4.364),
        ("147m53.092s", 8873.092),
        ("1h32m46.26s", 5566.26),
        ("0m 0.05s", 0.05),
        ("0m0,101s", 0.101),
        ("0.05", 0.05),
        ("60002msec", 60.002),
        ("99.00us", 99e-6),
    ],
)
def test_seconds(text, value):
    assert units.seconds(text) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        *((units.size, text) for text in ("1024x", "", "GB")),
        *((units.seconds, text) for text in ("", "fast", "4 parsecs", "1:02.5")),
    ],
)
def test_what_cannot_be_an_amount_is_refused(parse, text):
    with pytest.raises(ValueError, match=r"not a (size|duration)"):
        parse(text)


@pytest.mark.parametrize(
    ("unit", "base", "value"),
    [
        ("GB/s", None, 1e9),
        ("KiB", None, 1024),
        ("ms", "ns", 1e6),
        ("1/s", None, 1),
        ("%", None, 1),
    ],
)
def test_factor(unit, base, value):
    assert units.factor(unit, base) == value


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1975569766, "B/s", "1.98 GB/s"),
        (999_600, "B/s", "1.00 MB/s"),
        (512, "B", "512 B"),
        (397_000, "ns", "397 µs"),
        (0.466, "s", "466 ms"),
        (160686.4, "1/s", "160,686 /s"),
        (9.365, "", "9.37"),
        (0, "B/s", "0 B/s"),
        (None, "B", "-"),
        (math.nan, "s", "-"),
    ],
)
def test_human(value, unit, text):
    assert units.human(value, unit) == text


@given(st.floats(min_value=1e-3, max_value=1e17), st.sampled_from(["B", "B/s", "ns", "s", "1/s"]))
def test_human_keeps_three_digits(value, unit):
    head, _, prefix = units.human(value, unit).partition(" ")
    scale = units.factor(prefix, "ns" if unit == "ns" else None) if prefix and prefix != "/s" else 1
    assert float(head.replace(",", "")) * scale == pytest.approx(value, rel=6e-3)


# --- the memory of a machine, as a text says it ----------------------------------------------

HEAD = "              total        used        free      shared  buff/cache   available\n"


@pytest.mark.parametrize(
    ("text", "size"),
    [
        (f"wsl-linux> free\n{HEAD}Mem:         7926928      509800\n", 7_926_928 * 1024),
        (f"$ free -m\n{HEAD}Mem:            7741         497\n", 7741 * 2**20),
        (f"$ free --giga -t\n{HEAD}Mem:               8           1\n", 8 * 10**9),
        (f"$ free -h\n{HEAD}Mem:           7.6Gi       497Mi\n", round(7.6 * 2**30)),
        (f"$ sudo free -b | head -2\n{HEAD}Mem:      8117174272    522035200\n", 8_117_174_272),
        ("MemTotal:        7926928 kB\nMemFree:         1190524 kB\n", 7_926_928 * 1024),
        # without the command, its unit is not known; nor with two
        (f"{HEAD}Mem:            7741         497\n", None),
        (f"$ free -k -m\n{HEAD}Mem:            7741         497\n", None),
        (f"$ ls /free-m\n{HEAD}Mem:            7741         497\n", None),
        ("$ free\n", None),
        ("", None),
    ],
)
def test_memory(text, size):
    assert units.memory(text) == size


@pytest.mark.parametrize(("text", "unit"), [("16,384MB", "B"), ("1,000us", "ns"), ("1,250", "1/s")])
def test_a_comma_that_may_group_digits_is_refused_where_people_type(text, unit):
    with pytest.raises(ValueError, match="may have thousands or decimals after the comma"):
        units.amount(text, unit)
    assert units.amount("0,125us", "ns") == 125


def test_time_is_linear():
    assert units.memory("free " * 400_000) is None
    assert units.memory("Mem:" + " \t" * 500_000 + "x\n" + "$ free" + " -m" * 300_000) is None
