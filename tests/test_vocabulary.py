import re

import pytest

import fiotools as ft
from fiotools import vocabulary
from fiotools.readers import READERS

UNITS = {"bytes": "B", "bytes_per_s": "B/s", "s": "s", "ns": "ns", "pct": "%"}


def test_every_column_of_every_table_is_defined_and_used():
    used = {name for names in vocabulary.TABLES.values() for name in names}
    assert used == set(vocabulary.COLUMNS)


@pytest.mark.parametrize("column", vocabulary.COLUMNS.values(), ids=lambda c: c.name)
def test_a_column_explains_itself(column):
    assert column.meaning.endswith(".")
    assert column.dtype in vocabulary.PANDAS
    suffix = re.search(r"_(bytes_per_s|bytes|s|ns|pct)$", column.name)
    if suffix:
        assert column.unit == UNITS[suffix[1]], "the name says the unit"
    assert not re.search(r"_(std|dev|us|ms|kb|mb)(_|$)", column.name), "fio's words, base units"


def test_conditions_and_keys_are_columns_of_io():
    assert set(vocabulary.KEYS) | set(vocabulary.CONDITIONS) <= set(vocabulary.TABLES["io"])


def test_describe_names_near_columns():
    assert "better: higher" in str(ft.describe("iops"))
    with pytest.raises(ft.SchemaError, match="did you mean lat_mean_ns"):
        ft.describe("lat_mean")


def test_readers_fill_known_tables_and_are_listed():
    formats = ft.formats()
    assert list(formats["format"]) == [reader.name for reader in READERS]
    assert len(set(formats["format"])) == len(formats)
    for reader in READERS:
        assert set(reader.tables) <= set(vocabulary.TABLES)
