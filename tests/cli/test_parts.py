"""The small parts: names and conditions."""

import ast
from pathlib import Path

import polars as pl
import pytest

from fiotools.files import short_names
from fiotools.tables.conditions import kept as where
from fiotools.tables.naming import short
from fiotools.vocabulary import TABLES

IO = pl.DataFrame(
    {
        "at": [0, 1, 2],
        "direction": ["read", "write", None],
        "bs_bytes": [4096, 1048576, None],
        "lat_mean_ns": [5e5, 2e6, None],
        "direct": [True, False, None],
    }
)


PACKAGE = Path(__file__).resolve().parents[2] / "fiotools"


def imported(file):
    """Yield the modules and names that a file imports, at its top or later."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{one.name}" for one in node.names)


def test_the_library_does_without_the_command_line():
    users = {
        file.relative_to(PACKAGE).as_posix()
        for file in PACKAGE.rglob("*.py")
        if any(f"{name}.".startswith("fiotools.cli.") for name in imported(file))
    }
    assert {name for name in users if not name.startswith("cli/")} == {"__main__.py"}


@pytest.mark.parametrize("table", TABLES)
def test_a_short_name_means_one_column(table):
    shown = [short(name) for name in TABLES[table]]
    assert len({*shown}) == len(shown)
    assert all(short(name) not in TABLES[table] or short(name) == name for name in TABLES[table])


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("direction=read", [0]),
        ("direction==read", [0]),
        ("direction != read", [1, 2]),
        ("direction == 'read'", [0]),
        ("bs=4k", [0]),
        ("bs>4k", [1]),
        ("bs_bytes >= 4096", [0, 1]),
        ("lat_mean>1ms", [1]),
        ("lat_mean<1e6", [0]),
        ("direct=yes", [0]),
        ("direct == False", [1]),
        ("direction in ['read', 'write'] and bs > 4096", [1]),
        ("not (direction == 'write')", [0, 2]),
        ("4000 < bs < 5000 or lat_mean > 1e6", [0, 1]),
        ("bs != 4096", [1]),
        ("lat_mean != 5e5", [1, 2]),
        ("direction not in ['read']", [1, 2]),
        ("direction == ['write', 'trim']", [1]),
        ("(bs == 4096) | ~(direct == True) & (lat_mean > -1)", [0, 1]),
    ],
)
def test_where(condition, rows):
    assert where(IO, [condition])["at"].to_list() == rows


@pytest.mark.parametrize(
    ("sources", "names"),
    [
        (["a.json", "b.json"], ["a", "b"]),
        (["./runs/a.json", "runs/b.json.gz"], ["a", "b"]),
        (["x/1/fio.json", "x/2/fio.json"], ["1", "2"]),
        (["old/", "new/"], ["old", "new"]),
        (["old/a.json", "new/b.json"], ["a", "b"]),
        (["old/a*.json", "new/b.json"], ["old", "new/b"]),
        (["old/**/*.json", "new/*.json"], ["old", "new"]),
        (["fio-3.33.json", "fio-3.34.json"], ["fio-3.33", "fio-3.34"]),
        (["run.json", "run.txt"], ["run.json", "run.txt"]),
        (["a/run.json", "run.json"], ["a/run", "run"]),
        ([r"C:\runs\a.xml", r"C:\runs\b.xml"], ["a", "b"]),
        (["-", "a.json"], ["stdin", "a"]),
        (["../a", "../b"], ["a", "b"]),
        (["/", "."], ["/", "."]),
    ],
)
def test_names_of_sides(sources, names):
    assert short_names(sources) == names
