"""Values for people."""

import pandas as pd
import pytest

from fiotools.display import cells


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (None, "s", "-"),
        (float("nan"), "B/s", "-"),
        (pd.NA, "", "-"),
        (pd.NaT, "", "-"),
        (True, "", "yes"),
        (12345, "", "12,345"),
        (0.00012, "", "0.00012"),
        (1.5, "", "1.50"),
        (1e9, "ns", "1.00 s"),
        (float("inf"), "ns", "inf"),
        ("a\nb", "", "a b"),
        (pd.Timestamp("2021-02-16 10:00", tz="UTC"), "", "2021-02-16 10:00:00 UTC"),
    ],
)
def test_cell(value, unit, text):
    assert cells.cell(value, unit) == text


def test_a_comma_stands_within_numbers_or_between_them():
    assert cells.within(2600, 2558, 2689.4, "1/s") == "2,600 [2,558; 2,689] /s"
    assert cells.within(1.0, 0.95, 1.04) == "1.00 [0.950, 1.04]"


def test_one_prefix_where_values_are_near():
    assert cells.column([466_000_000, 4_364_000_000], "lat_mean_ns")[0] == ["0.466 s", "4.36 s"]
    assert cells.column([1_000, 4_364_000_000], "lat_mean_ns")[0] == ["1.00 µs", "4.36 s"]
