import re
from pathlib import Path

import pandas as pd
import pytest

import fiotools as ft
from fiotools import vocabulary
from fiotools.readers import built_in
from fiotools.vocabulary import ROWS
from tests.conftest import PANDAS

DATA = Path(__file__).resolve().parents[1] / "data"
FIXTURES = Path(__file__).with_name("fixtures")
GIVEN = {
    "tails": "percentiles",  # made from bins
    "percentiles": "bins",
    "settings_diff": "settings",
    "window": "samples",
}
UNITS = {"bytes": "B", "bytes_per_s": "B/s", "s": "s", "ns": "ns", "pct": "%"}


def test_every_column_of_every_table_is_defined_and_used():
    used = {name for names in vocabulary.TABLES.values() for name in names}
    assert used == set(vocabulary.COLUMNS)


def test_every_table_says_what_a_row_is():
    assert list(vocabulary.TABLES) == list(ROWS)


def test_every_column_of_a_statistic_is_defined_once():
    added = {name for names in vocabulary.ANSWERS.values() for name in names}
    assert added - set(vocabulary.COLUMNS) == set(vocabulary.STATISTICS)
    assert not set(vocabulary.STATISTICS) & set(vocabulary.COLUMNS)


@pytest.fixture(scope="module")
def answers():
    res = ft.read(f"{DATA.as_posix()}/dda-vhdx/xml/{{volume}}.xml")
    io, threads = res.io, res.threads
    plus = ft.read(FIXTURES / "fio/fio-3.33--jsonplus-libaio.json")
    single = ft.read(FIXTURES / "fio/fio-3.33--log-single_lat.1.log").samples
    tests = {"between": "volume", "baseline": "vhdx", "by": "direction"}
    return io, {
        "compare": ft.compare(io, "iops", **tests),
        "gate": ft.gate(ft.compare(io, "iops", **tests), "slower:5%"),
        "overall": ft.overall(io, "iops", between="volume", baseline="vhdx", over="direction"),
        "speedup": ft.speedup(io, "iops", **tests),
        "tails": ft.tails(
            pd.concat([plus.bins.assign(source=source) for source in "ab"]),
            50,
            between="source",
            baseline="a",
        ),
        "settings_diff": ft.settings_diff(
            (had := ft.read(f"{DATA.as_posix()}/how-many-runs/rounds/*_ext4_1.json").settings),
            between="source",
            baseline=had["source"].iloc[0],
        ),
        # columns called after the sides follow
        "crosstab": ft.crosstab(io, "iops", between="volume").loc[:, :"comparisons"],
        "plan": ft.plan(0.03),
        "summarize": ft.summarize(io, "iops", by=["volume", "direction"]),
        "overview": ft.overview(io),
        "per_thread": ft.per_thread(threads, by="volume"),
        "fairness": ft.fairness(threads, by="volume"),
        "combine": ft.combine(threads, to="run"),
        "explain": ft.explain(
            ft.read(f"{DATA.as_posix()}/dda-vhdx/xml/{{volume}}.xml"), "iops", baseline="vhdx"
        ),
        "check": ft.check(ft.read(f"{DATA.as_posix()}/dda-vhdx/xml/{{volume}}.xml")),
        "percentiles": ft.percentiles(plus.bins),
        "best_under": ft.best_under(io, "lat_mean_ns", 1e9, by=["volume", "direction"]),
        "steady": ft.steady(io, "iops", by=["volume", "direction"]),
        "shifts": ft.shifts(io, "iops", by=["volume", "direction"]),
        "window": ft.window(single, "1s", percentiles=99),
        "reconcile": ft.reconcile(
            io[["source", "run", "entry", "direction"]].assign(
                quantity="iops", time_s=io["runtime_s"], value=io["iops"]
            ),
            io,
        ),
    }


@pytest.mark.parametrize("function", vocabulary.ANSWERS)
def test_columns_of_answers_are_described(answers, function):
    io, frames = answers
    frame = frames[function]
    given = (*io, "quantity", "baseline")
    if function in GIVEN:
        given = vocabulary.TABLES[GIVEN[function]]
    if function in ("per_thread", "fairness", "combine"):  # of threads
        given = ("volume", *vocabulary.TABLES["threads"])
    own = list(vocabulary.ANSWERS[function])
    assert list(frame)[-len(own) :] == own
    assert {*frame}.difference(own) <= {*given}
    for name in own:
        column = ft.describe(name)
        assert f"{function}()" in str(column)
        # the baseline has the type of its column
        assert name == "baseline" or str(frame[name].dtype) == PANDAS[column.dtype]


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


def test_conditions_and_keys_are_columns_of_io_and_threads():
    io, threads = (set(vocabulary.TABLES[table]) for table in ("io", "threads"))
    assert set(vocabulary.KEYS) | set(vocabulary.CONDITIONS) <= threads
    assert threads - io == {"thread"}
    assert io < threads


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
