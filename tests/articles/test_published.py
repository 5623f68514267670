"""Every number that an article printed, against the same number from the raw data."""

import csv
from pathlib import Path

import pandas as pd
import pytest

import fiotools as ft
from fiotools.articles.published import COLUMNS, published
from fiotools.errors import SchemaError
from fiotools.units import digits, interval

DATA = Path(__file__).parents[2] / "data"
FOLDERS = sorted(path.parent for path in DATA.glob("*/published.csv"))
# folder: numbers printed, checks made of them, numbers that do not agree (data/README.md has the same)
COUNTS = {
    "dda-vhdx": (216, 303, 2),
    "lima-mounts": (895, 919, 11),
    "page-cache": (24, 24, 1),
    "wsl-filesystems": (0, 0, 0),  # published as pictures only
    "wsl-vhdx": (145, 145, 7),
}


@pytest.fixture(scope="module", params=FOLDERS, ids=lambda folder: folder.name)
def checked(request):
    return request.param.name, published(request.param)


def rows(folder):
    with (folder / "published.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_what_is_listed_as_agreeing_agrees_and_the_rest_has_a_reason(checked):
    _, seen = checked
    wrong = seen[seen.agrees != seen.expected]
    assert wrong.empty, wrong[["id", "printed", "recomputed", "lo", "hi"]].to_string()
    assert (seen.why != "").equals(~seen.agrees)
    assert (seen.agrees.dtype, seen.lo.dtype) == ("bool", "float64")  # also of no numbers


def test_counts(checked):
    name, seen = checked
    numbers = seen.drop_duplicates(["place", "quantity"])
    counts = len(numbers), len(seen), int((~seen.agrees).sum())
    assert counts == COUNTS.get(name, counts)
    table = (DATA / "README.md").read_text(encoding="utf-8")
    assert f"| `{name}/` | {counts[0]} | {counts[1]} | {counts[2]} |" in table
    assert {folder.name for folder in FOLDERS} >= set(COUNTS)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_rows_are_complete(folder):
    listed = rows(folder)
    assert len({row["id"] for row in listed}) == len(listed)
    for row in listed:
        assert all(row[name] for name in COLUMNS if name not in ("source", "why")), row
        # only a plain calculation needs no file
        assert row["source"] or "." not in row["selector"], row


def test_what_agrees_only_as_cut_off_is_said_to():
    seen = published(DATA / "page-cache")
    bounds = [interval(printed, "round") for printed in seen.printed]
    low, high = pd.DataFrame(bounds).to_numpy().T
    only = seen.agrees & (seen.rounding == "trunc") & ~seen.recomputed.between(low, high)
    assert seen[only].printed.tolist() == ["0.46"]
    notebook = (DATA.parent / "notebooks" / "02-page-cache.ipynb").read_text(encoding="utf-8")
    assert "0.46 s agrees only if 0.466 s was cut off" in notebook


MOUNTS = ("sshfs", "9p", "virtiofs")


def test_the_tables_of_the_mounts_are_complete():
    table = pd.read_csv(DATA / "lima-mounts" / "iops.csv")
    cells = table.groupby(["mount", "pattern", "direction"])["round"].apply(sorted)
    both = [("randread", "read"), ("randwrite", "write"), ("randrw", "read"), ("randrw", "write")]
    assert {*cells.index} == {(mount, *one) for mount in MOUNTS for one in both}
    assert all(rounds == [1, 2, 3, 4, 5] for rounds in cells)
    times = pd.read_csv(DATA / "lima-mounts" / "tarball.csv").groupby("mount")["round"]
    assert times.apply(sorted).to_dict() == {mount: [1, 2, 3] for mount in MOUNTS}


def test_each_report_of_a_mount_is_one_round_of_its_table():
    res = ft.read(f"{DATA.as_posix()}/lima-mounts/fio/{{mount}}_{{pattern}}.txt")
    assert (len(res.runs), len(res.io)) == (9, 12)
    assert res.notes.empty
    table = pd.read_csv(DATA / "lima-mounts" / "iops.csv")
    keys = ["mount", "pattern", "direction"]
    both = res.io.merge(table, on=keys, suffixes=("_report", ""))
    # fio cuts off the decimals
    rounds = both[both.iops_report.astype(int) == both.iops].groupby(keys)["round"].apply(list)
    assert {*rounds.index} == {*table.groupby(keys).groups}
    expected = {"sshfs": [1], "9p": [5], "virtiofs": [4]}
    assert all(found == expected[key[0]] for key, found in rounds.items())


@pytest.mark.parametrize(
    ("printed", "rounding", "expected"),
    [
        ("2.1", "round", (2.05, 2.15)),
        ("1689.0k", "round", (1688950, 1689050)),
        ("180", "round", (179.5, 180.5)),  # a last 0 is a digit like any other
        ("1,055,761.8", "trunc", (1055761.8, 1055761.9)),
        ("5.1e-05", "round", (5.05e-05, 5.15e-05)),
        ("1m59.802s", "exact", (119.802, 119.802)),
        ("0m4.364s", "round", (4.3635, 4.3645)),
        ("20+0", "exact", (20, 20)),
    ],
)
def test_interval(printed, rounding, expected):
    assert interval(printed, rounding) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    "text", ["", "2.1 GB/s", "1,49", "12,850,1", "0x1f", "nan", "1 000", ".5", "1K"]
)
def test_no_digits(text):
    with pytest.raises(ValueError, match="not a printed number"):
        digits(text)


LOG = """\
$ time dd if=/dev/zero of=foo bs=1M count=2
2+0 records in
2+0 records out
2097152 bytes (2.1 MB, 2.0 MiB) copied, 0.5 s, 4.2 MB/s

real\t0m0.600s
user\t0m0.000s
sys\t0m0.100s
"""
TERM = "io.runtime_s[mount == 'a']"
ROW = ("x", "log", "time", "s", "0.5", "round", "recomputed", "{mount}.txt", TERM, "yes", "")


@pytest.fixture
def folder(tmp_path):
    for mount in "ab":
        (tmp_path / f"{mount}.txt").write_text(LOG, encoding="utf-8", newline="\n")

    def write(**fields):
        row = {**dict(zip(COLUMNS, ROW, strict=True)), **fields}
        with (tmp_path / "published.csv").open("w", encoding="utf-8", newline="") as file:
            lines = csv.DictWriter(file, list(row), lineterminator="\n")
            lines.writeheader()
            lines.writerow(row)
        return tmp_path

    return write


@pytest.mark.parametrize(
    ("source", "selector", "unit", "expected"),
    [
        (None, TERM, "s", 0.5),
        (None, TERM, "ms", 500),
        (None, "io.bw_bytes_per_s[mount == 'b']", "MiB/s", 4),
        (None, f"{TERM} / timings.real_s[mount == 'b']", "1", 0.5 / 0.6),
        (None, f"2 * {TERM} / 4 + 1", "s", 1.25),
        (None, "extras.text[mount == 'a' and path == 'records_in']", "1", 2),
        (None, "5e9 / 8", "MB/s", 625),
        ("a.txt", "words.w1[w2 == 'bytes'] * 1", "B", 2097152),
        ("table.csv", "rows.iops[mount == '9p' and round == 2]", "1", 1495),
        ("table.csv", "rows.iops[mount == 'sshfs' and share == 99.95]", "1", 604.5),
        ("table.csv", "rows.real[mount == 'sshfs']", "1", 15.758),  # a printed time
    ],
)
def test_selector(folder, source, selector, unit, expected):
    table = "mount,round,share,iops,real\n9p,2,99.9,1495,\nsshfs,2,99.95,604.5,0m15.758s\n"
    place = folder(selector=selector, unit=unit, **({"source": source} if source else {}))
    (place / "table.csv").write_text(table, encoding="utf-8")
    assert published(place).recomputed[0] == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"selector": "io.runtime_s"}, "finds 2 rows of io, not exactly one"),
        ({"selector": "io.speed[mount == 'a']"}, "io has no column 'speed'; it has mount, source"),
        ({"selector": "ios.runtime_s"}, "no table 'ios'; the tables are runs, "),
        ({"selector": "io.lat_mean_ns[mount == 'a']"}, "finds a missing value"),
        ({"selector": "io.direction[mount == 'a']"}, "'write' is not a printed number"),
        ({"selector": "io.runtime_s[mount != 'a']"}, "is not a condition: write column =="),
        ({"selector": "words.w1[w2 == 'bytes']"}, "names 2 files, not exactly one"),
        ({"source": "a.txt", "selector": "rows.iops"}, "a.txt is not a .csv file"),
        ({"source": "published.csv", "selector": "rows.iops"}, "rows has no column 'iops'"),
        ({"selector": "__import__('os')"}, "is not part of a selector"),
        ({"selector": f"{TERM} /"}, "put one of"),
        ({"selector": "1 / 0"}, "division by zero"),
        ({"unit": "furlong"}, "furlong"),
        ({"printed": "about 4"}, "not a printed number"),
        ({"rounding": "up"}, "rounding='up' is not one of round, trunc, exact"),
        ({"basis": "guessed"}, "basis='guessed' is not one of recomputed, transcribed"),
        ({"agrees": "maybe"}, "agrees='maybe' is not one of yes, no"),
        ({"agrees": "no"}, "give a reason in why"),
    ],
)
def test_a_faulty_row_is_named_by_its_line(folder, fields, message):
    path = folder(**fields)
    with pytest.raises(SchemaError) as error:
        published(path)
    assert str(error.value).startswith(f"{path.as_posix()}/published.csv:2: ")
    assert message in str(error.value)


def test_a_faulty_table_is_refused(folder):
    path = folder()
    table = path / "published.csv"
    head, row = table.read_text(encoding="utf-8").splitlines()
    for text, message in (
        (f"{head}\n{row}\n{row}\n", "csv:3: the id 'x' is there already"),
        (f"{head}\n{row},more\n", "csv:2: 11 fields are needed"),
        (f"{head}\nx,log\n", "csv:2: 11 fields are needed"),
        ("id,place\n", "csv:1: the columns must be id,place,"),
        ("", "csv:1: the columns must be id,place,"),
    ):
        table.write_text(text, encoding="utf-8")
        with pytest.raises(SchemaError, match=message.replace("'", ".")):
            published(path)


@pytest.mark.parametrize(
    ("printed", "rounding", "agrees"),
    [
        ("0.5", "exact", True),
        ("0.5001", "round", False),
        ("0.4", "trunc", False),
        ("0", "round", True),  # 0.5 may be rounded down as well as up
        ("1", "round", True),
        ("0", "trunc", True),
    ],
)
def test_agreement(folder, printed, rounding, agrees):
    seen = published(folder(printed=printed, rounding=rounding))
    assert bool(seen.agrees[0]) is agrees
    assert bool(seen.expected[0])
