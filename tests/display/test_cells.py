"""Values for people."""

import pandas as pd
import pytest

from fiotools.display import columns, layout


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
    assert columns.cell(value, unit) == text


def test_a_comma_stands_within_numbers_or_between_them():
    assert columns.within(2600, 2558, 2689.4, "1/s") == "2,600 [2,558; 2,689] /s"
    assert columns.within(1.0, 0.95, 1.04) == "1.00 [0.950, 1.04]"


@pytest.mark.parametrize(
    ("name", "values", "texts"),
    [
        ("lat_mean_ns", [466_000_000, 4_364_000_000], ["0.466 s", "4.36 s"]),
        ("lat_mean_ns", [1_000, 4_364_000_000], ["1.00 µs", "4.36 s"]),
        ("bs_bytes", [4096, 1048576, 5000], ["4 KiB", "1 MiB", "5.00 kB"]),
        ("percentile", [99.95, None], ["99.95", "-"]),
        ("percentile", [99.99999, 99.9999999, 100.0], ["99.99999", "99.9999999", "100"]),
    ],
)
def test_one_prefix_where_values_are_near(name, values, texts):
    assert layout.cells_of(layout.Frame(pd.DataFrame({name: values})), name) == texts


def test_the_unit_of_each_quantity():
    quantities = ["lat_ns", "bw_bytes_per_s", "iops"]
    frame = pd.DataFrame({"quantity": quantities, "value": [205838, 1.5e6, 12.5]})
    assert layout.cells_of(layout.Frame(frame), "value") == ["206 µs", "1.50 MB/s", "12.5 /s"]
