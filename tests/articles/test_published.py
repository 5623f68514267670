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


def test_every_article_is_there():
    assert {folder.name for folder in FOLDERS} >= set(COUNTS)


def test_what_is_listed_as_agreeing_agrees_and_the_rest_does_not(checked):
    _, seen = checked
    wrong = seen[seen.agrees != seen.expected]
    assert wrong.empty, wrong[["id", "printed", "recomputed", "lo", "hi"]].to_string()


def test_what_does_not_agree_has_a_reason(checked):
    _, seen = checked
    assert (seen.why != "").equals(~seen.agrees)


def test_counts(checked, capsys):
    name, seen = checked
    numbers = seen.drop_duplicates(["place", "quantity"])
    counts = len(numbers), len(seen), int((~seen.agrees).sum())
    with capsys.disabled():
        print(f"\n{name}: {counts[0]} numbers, {counts[1]} checks, {counts[2]} not agreeing")
    assert counts == COUNTS.get(name, counts)
    table = (DATA / "README.md").read_text(encoding="utf-8")
    assert f"| `{name}/` | {counts[0]} | {counts[1]} | {counts[2]} |" in table


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


@pytest.mark.parametrize(("table", "count"), [("io", 6), ("threads", 12)])
def test_text_and_xml_tell_the_same(table, count):
    keys = ["volume", "entry", "direction"]
    text, xml = (
        ft.read(f"{DATA.as_posix()}/dda-vhdx/{kind}/{{volume}}.{ending}")
        .tables[table]
        .sort_values(keys)
        for kind, ending in (("text", "txt"), ("xml", "xml"))
    )
    exact = ["clones", "target", "size_bytes", "io_bytes", "total_ios", "iops_stddev"]
    latencies = ["lat_mean_ns", "lat_stddev_ns"]
    rates = ["runtime_s", "iops", "bw_bytes_per_s"]
    for names, rtol in ((keys + exact, 0), (latencies, 1e-12), (rates, 0.005 / 120)):
        pd.testing.assert_frame_equal(
            text[names].reset_index(drop=True),
            xml[names].reset_index(drop=True),
            check_exact=rtol == 0,
            rtol=rtol,
            atol=0,
        )
    assert len(text) == count


def test_an_article_without_numbers_gives_an_empty_table():
    seen = published(DATA / "wsl-filesystems")
    assert seen.empty
    assert list(seen.columns) == list(published(DATA / "page-cache").columns)
    assert (seen.agrees.dtype, seen.lo.dtype) == ("bool", "float64")


def test_the_tables_of_the_mounts_are_complete():
    table = pd.read_csv(DATA / "lima-mounts" / "iops.csv")
    cells = table.groupby(["mount", "pattern", "direction"])["round"]
    assert {key: sorted(rounds) for key, rounds in cells} == {
        (mount, pattern, direction): [1, 2, 3, 4, 5]
        for mount in ("sshfs", "9p", "virtiofs")
        for pattern, direction in (
            *(("randread", "read"), ("randwrite", "write")),
            *(("randrw", "read"), ("randrw", "write")),
        )
    }
    times = pd.read_csv(DATA / "lima-mounts" / "tarball.csv").groupby("mount")["round"]
    expected = {"sshfs": [1, 2, 3], "9p": [1, 2, 3], "virtiofs": [1, 2, 3]}
    assert {mount: sorted(rounds) for mount, rounds in times} == expected


def test_each_report_of_a_mount_is_one_round_of_its_table():
    res = ft.read(f"{DATA.as_posix()}/lima-mounts/fio/{{mount}}_{{pattern}}.txt")
    assert (len(res.runs), len(res.io)) == (9, 12)
    assert res.notes.empty
    table = pd.read_csv(DATA / "lima-mounts" / "iops.csv")
    keys = ["mount", "pattern", "direction"]
    both = res.io.merge(table, on=keys, suffixes=("_report", ""))
    # fio cuts off the decimals
    same = both[both.iops_report.astype(int) == both.iops]
    rounds = {key: list(group) for key, group in same.groupby(keys)["round"]}
    assert rounds == {
        key: [{"sshfs": 1, "9p": 5, "virtiofs": 4}[key[0]]] for key in table.groupby(keys).groups
    }


@pytest.mark.parametrize(
    ("printed", "rounding", "expected"),
    [
        ("2.1", "round", (2.05, 2.15)),
        ("1689.0k", "round", (1688950, 1689050)),
        ("1689.0k", "exact", (1689000, 1689000)),
        ("2.10", "round", (2.095, 2.105)),
        ("179", "round", (178.5, 179.5)),
        ("180", "round", (179.5, 180.5)),  # a last 0 is a digit like any other
        ("0.090", "round", (0.0895, 0.0905)),
        ("-3", "round", (-3.5, -2.5)),
        ("1,495", "round", (1494.5, 1495.5)),
        ("1,055,761.8", "trunc", (1055761.8, 1055761.9)),
        ("0.46", "trunc", (0.46, 0.47)),
        ("12850", "trunc", (12850, 12851)),
        ("119.794", "exact", (119.794, 119.794)),
        ("5.1e-05", "round", (5.05e-05, 5.15e-05)),
        ("1m59.802s", "exact", (119.802, 119.802)),
        ("0m4.364s", "round", (4.3635, 4.3645)),
        ("20+0", "exact", (20, 20)),
        ("4096+1", "exact", (4097, 4097)),
    ],
)
def test_interval(printed, rounding, expected):
    assert interval(printed, rounding) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    "text", ["", "2.1 GB/s", "1,49", "12,850,1", "0x1f", "nan", "1 000", ".5", "k", "1K"]
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
    ("selector", "unit", "expected"),
    [
        (TERM, "s", 0.5),
        (TERM, "ms", 500),
        (TERM, "time", 0.5),
        ("io.bw_bytes_per_s[mount == 'b']", "MiB/s", 4),
        ("io.io_bytes[mount == 'b' and run == 1]", "kB", 2097.152),
        (f"{TERM} / timings.real_s[mount == 'b']", "1", 0.5 / 0.6),
        (f"{TERM} + {TERM} * 4", "s", 2.5),
        (f"2 * {TERM} / 4 + 1", "s", 1.25),
        ("extras.text[mount == 'a' and path == 'records_in']", "1", 2),
        ("5e9 / 8", "MB/s", 625),
    ],
)
def test_selector(folder, selector, unit, expected):
    seen = published(folder(selector=selector, unit=unit))
    assert seen.recomputed[0] == pytest.approx(expected, rel=1e-15)


def test_selector_reads_the_words_of_a_file(folder):
    seen = published(folder(source="a.txt", selector="words.w1[w2 == 'bytes'] * 1", unit="B"))
    assert seen.recomputed[0] == 2097152


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("rows.iops[mount == '9p' and round == 2]", 1495),
        ("rows.iops[mount == 'sshfs' and share == 99.95]", 604.5),
        ("rows.real[mount == 'sshfs']", 15.758),  # a printed time
    ],
)
def test_selector_reads_the_rows_of_a_csv(folder, selector, expected):
    table = "mount,round,share,iops,real\n9p,2,99.9,1495,\nsshfs,2,99.95,604.5,0m15.758s\n"
    (folder() / "table.csv").write_text(table, encoding="utf-8")
    seen = published(folder(source="table.csv", selector=selector, unit="1"))
    assert seen.recomputed[0] == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"selector": "io.runtime_s"}, "finds 2 rows of io, not exactly one"),
        ({"selector": "io.runtime_s[mount == 'c']"}, "finds 0 rows of io"),
        ({"selector": "io.speed[mount == 'a']"}, "io has no column 'speed'; it has mount, source"),
        ({"selector": "io.runtime_s[disk == 'a']"}, "io has no column 'disk'"),
        ({"selector": "ios.runtime_s"}, "no table 'ios'; the tables are runs, "),
        ({"selector": "io.lat_mean_ns[mount == 'a']"}, "finds a missing value"),
        ({"selector": "io.direction[mount == 'a']"}, "'write' is not a printed number"),
        ({"selector": "io.runtime_s[mount != 'a']"}, "is not a condition: write column =="),
        ({"selector": "io.runtime_s[run == 1.]"}, "is not a condition"),
        ({"selector": "words.w1[w2 == 'bytes']"}, "names 2 files, not exactly one"),
        ({"selector": "rows.iops"}, "names 2 files, not exactly one"),
        ({"source": "a.txt", "selector": "rows.iops"}, "a.txt is not a .csv file"),
        ({"source": "published.csv", "selector": "rows.iops"}, "rows has no column 'iops'"),
        ({"selector": "io.runtime_s[@exit()]"}, "is not a condition"),
        ({"selector": "__import__('os')"}, "is not part of a selector"),
        ({"selector": f"{TERM} - 1"}, "is not part of a selector"),
        ({"selector": f"{TERM} /"}, "put one of"),
        ({"selector": "/ 2"}, "put one of"),
        ({"selector": f"{TERM} {TERM}"}, "put one of"),
        ({"selector": "1 / 0"}, "division by zero"),
        ({"selector": ""}, "put one of"),
        ({"unit": "furlong"}, "furlong"),
        ({"printed": "about 4"}, "not a printed number"),
        ({"rounding": "up"}, "rounding='up' is not one of round, trunc, exact"),
        ({"basis": "guessed"}, "basis='guessed' is not one of recomputed, transcribed"),
        ({"agrees": "maybe"}, "agrees='maybe' is not one of yes, no"),
        ({"agrees": "no"}, "give a reason in why"),
        ({"why": "because"}, "give a reason in why"),
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
        ("0.5", "trunc", True),
        ("0", "round", True),  # 0.5 may be rounded down as well as up
        ("1", "round", True),
        ("0", "trunc", True),
    ],
)
def test_agreement(folder, printed, rounding, agrees):
    seen = published(folder(printed=printed, rounding=rounding))
    assert bool(seen.agrees[0]) is agrees
    assert bool(seen.expected[0])
