"""What another package's reader must keep: a good one, and one for each rule that breaks it."""

import sys
from importlib.metadata import entry_points

import pytest

from fiotools import readers as registry
from fiotools.readers import contract

GOOD = '''
"""toy: the rates of a toy."""

import re

from fiotools.errors import ParseError
from fiotools.readers import Reader

ROW = re.compile(r"(?P<way>read|write): (?P<size>\\d+) bytes in (?P<took>\\d+\\.\\d\\d) s")
END = "done"


def sniff(document):
    return document.text.startswith("toy ")


def read(document, rows):
    lines = document.text.split("\\n")
    found = [(number, ROW.fullmatch(line)) for number, line in enumerate(lines, 1)]
    if not any(row for _, row in found):
        raise ParseError(document.name, "holds no rate")
    is_whole = END in lines
    run = rows.start_run(tool="toy", format="toy", status="ok" if is_whole else "truncated")
    entry = 0
    for number, row in found:
        if row is None:
            if 1 < number < len(lines) and lines[number - 1] != END:
                rows.note("a line was left out", code="left out", severity="warning", line=number)
            continue
        entry += 1
        size, took = int(row["size"]), float(row["took"])
        rate = size / took if took else None
        rows.add("io", run=run, entry=entry, direction=row["way"], scope="job", io_bytes=size,
                 runtime_s=took or None, bw_bytes_per_s=rate)


READER = Reader("toy", "a toy's rates", "toy > run.txt", ("runs", "io", "notes"), sniff, read)
'''
OUTPUT = "toy 1.0\nread: 4096000 bytes in 2.00 s\nwrite: 8192 bytes in 1.50 s\ndone\n"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Install a package with a reader; return what the contract finds broken."""

    def install(text=GOOD, output=OUTPUT):
        (tmp_path / "fiotools_toy.py").write_text(text)
        installed = tmp_path / "fiotools_toy-0.1.dist-info"
        installed.mkdir(exist_ok=True)
        (installed / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: fiotools-toy\nVersion: 0.1\n"
        )
        (installed / "entry_points.txt").write_text(
            "[fiotools.readers]\ntoy = fiotools_toy:READER\n"
        )
        (tmp_path / "run.txt").write_text(output)
        sys.modules.pop("fiotools_toy", None)
        clear()
        return contract.broken("fiotools-toy", [tmp_path / "run.txt"])

    def clear():
        registry.readers.cache_clear()
        registry._grammars.cache_clear()

    monkeypatch.syspath_prepend(str(tmp_path))
    yield install
    monkeypatch.undo()
    sys.modules.pop("fiotools_toy", None)
    clear()


def test_a_good_reader_keeps_every_rule(package, tmp_path, capsys):
    assert package() == []
    file = str(tmp_path / "run.txt")
    for name in ("fiotools-toy", "fiotools_toy"):
        assert contract.main([name, file]) == 0
    assert "toy: 1 outputs, and every rule is kept" in capsys.readouterr().out
    assert contract.main(["fiotools-none", file]) == 2
    assert "fiotools-none: no installed package" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("before", "after", "rule", "said"),
    [
        ('Reader("toy"', 'Reader("Toy box"', "description", "small letters"),
        ('"a toy\'s rates"', '""', "description", "title is empty"),
        ('("runs", "io", "notes")', '("runs", "ios")', "description", "no table ios"),
        ('("runs", "io", "notes")', '("runs",)', "tables", "fills io"),
        ('document.text.startswith("toy ")', "True", "sniff", "claims it"),
        (
            'document.text.startswith("toy ")',
            'document.text.split()[0] == "toy"',
            *("sniff", "raises IndexError"),
        ),
        (
            'document.text.startswith("toy ")',
            're.match("toy ", document.text)',
            *("sniff", "not a bool"),
        ),
        ('document.text.startswith("toy ")', "False", "one claim", "claimed by none"),
        ('format="toy"', 'format="other"', "tables", "runs.format is not toy"),
        ('status="ok" if is_whole else "truncated"', 'status="fine"', "tables", "known: ok, error"),
        ('scope="job"', 'scope="disk"', "tables", "io.scope has disk"),
        ("entry=entry", "entry=1, rw=row['way'] + 's'[:0]", None, None),
        ('direction=row["way"]', 'direction="read", rw=row["way"]', None, None),
        ("io_bytes=size", "io_bytes=-size", "numbers", "io.io_bytes is -"),
        ("bw_bytes_per_s=rate", "bw_bytes_per_s=rate / 1024", "numbers", "base units?"),
        ("line=number)", "line=None)", "notes", "has no line"),
        ("line=number)", "line=number + 90)", "notes", "is about line"),
        ('"ok" if is_whole else "truncated"', '"ok"', "cut off", "is ok"),
        (
            "size, took = int",
            "assert len(lines) > 4; size, took = int",
            "cut off",
            "AssertionError",
        ),
        ('float(row["took"])', "1 / (1 / float(row['took']))", None, None),
    ],
)
def test_a_rule_that_is_broken_is_named(package, before, after, rule, said):
    assert before in GOOD
    # with a line that is left out, so that there is a note
    found = package(GOOD.replace(before, after, 1), OUTPUT.replace("write", "odd\nwrite"))
    if rule is None:
        assert found == []
    else:
        assert any(one.rule == rule and said in one.said for one in found), found


def test_two_rows_of_one_key_and_a_crash_on_damage(package):
    twice = GOOD.replace("entry += 1", "entry = 1").replace(
        'direction=row["way"]', 'direction="read"'
    )
    assert any("two rows" in one.said for one in package(twice))
    fragile = GOOD.replace("is_whole = END", "lines.index(END) if lines[0] else 0; is_whole = END")
    assert any(one.rule in ("cut off", "damaged") for one in package(fragile))


def test_other_forms_give_the_same_numbers(package):
    moody = (
        GOOD.replace("import re\n", "import re\nCALLS = []\n")
        .replace("entry = 0\n", "entry = 0; CALLS.append(1)\n")
        .replace('size, took = int(row["size"])', 'size, took = int(row["size"]) + len(CALLS)')
    )
    found = package(moody.replace("rate = size / took if took else None", "rate = None"))
    assert any(one.rule == "other forms" and "other numbers" in one.said for one in found)


@pytest.mark.parametrize("name", contract._OTHERS)
def test_the_outputs_of_other_tools_are_theirs(name):
    text = contract._OTHERS[name]
    claims = [one.name for one in registry.readers() if one.sniff(registry.opened("x", text))]
    assert claims == [name]


def test_this_package_names_no_reader_of_its_own():
    assert not [one for one in entry_points(group="fiotools.readers") if "toy" in one.name]
