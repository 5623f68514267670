import re

import pytest

import fiotools as ft
from fiotools import vocabulary
from fiotools.readers import built_in
from fiotools.tables.naming import short
from fiotools.vocabulary import ROWS
from tests.conftest import PANDAS

UNITS = {"bytes": "B", "bytes_per_s": "B/s", "s": "s", "ns": "ns", "pct": "%"}


def test_every_column_and_every_table_is_defined_and_used():
    used = {name for names in vocabulary.TABLES.values() for name in names}
    assert used == set(vocabulary.COLUMNS)
    assert list(vocabulary.TABLES) == list(ROWS)
    added = {name for names in vocabulary.ANSWERS.values() for name in names}
    assert added - set(vocabulary.COLUMNS) == set(vocabulary.STATISTICS)
    assert not set(vocabulary.STATISTICS) & set(vocabulary.COLUMNS)
    io, threads = (set(vocabulary.TABLES[table]) for table in ("io", "threads"))
    assert set(vocabulary.KEYS) | set(vocabulary.CONDITIONS) <= threads
    assert threads - io == {"thread"}
    assert io < threads


@pytest.mark.parametrize("table", vocabulary.TABLES)
def test_a_short_name_means_one_column(table):
    names = vocabulary.TABLES[table]
    shown = [short(name) for name in names]
    assert len({*shown}) == len(shown)
    assert all(short(name) not in names or short(name) == name for name in names)


@pytest.mark.parametrize("function", vocabulary.ANSWERS)
def test_columns_of_answers_are_described(function):
    for name in vocabulary.ANSWERS[function]:
        assert f"{function}()" in str(ft.describe(name))


@pytest.mark.parametrize(
    "column",
    [*vocabulary.COLUMNS.values(), *vocabulary.STATISTICS.values()],
    ids=lambda c: c.name,
)
def test_a_column_explains_itself(column):
    assert column.meaning.endswith(".")
    assert column.dtype in PANDAS
    suffix = re.search(r"_(bytes_per_s|bytes|s|ns|pct)$", column.name)
    if suffix:
        assert column.unit == UNITS[suffix[1]], "the name says the unit"
    assert not re.search(r"_(std|dev|us|ms|kb|mb)(_|$)", column.name), "fio's words, base units"


def test_describe_suggests_similar_columns():
    assert "better: higher" in str(ft.describe("iops"))
    assert "in: compare(), gate(), speedup(), " in str(ft.describe("ratio_lo"))
    with pytest.raises(ft.SchemaError, match="did you mean 'lat_mean_ns'"):
        ft.describe("lat_mean")


def test_readers_fill_known_tables_and_are_listed():
    formats = ft.formats()
    assert list(formats["format"]) == [reader.name for reader in built_in()]
    assert len(set(formats["format"])) == len(formats)
    for reader in built_in():
        assert set(reader.tables) <= set(vocabulary.TABLES)
