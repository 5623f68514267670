"""The pages of docs/ are what would be written now, and their claims hold."""

import re
from importlib import import_module
from importlib.util import find_spec

import pytest

from fiotools.readers import built_in
from fiotools.vocabulary import TABLES
from tools.generator import formats_page
from tools.generator.__main__ import PAGES
from tools.generator.filled import DOCS, ROOT, Gap, cells, committed, filled, gap_of, gaps, problems
from tools.generator.rooms import PACKAGE

FIXTURES = ROOT / "tests" / "fixtures"


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_what_would_be_written(name):
    written = (DOCS / name).read_text(encoding="utf-8")
    assert PAGES[name]() == written, "run `python3 tasks.py docs`"


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.stem)
def test_pages_are_short_and_link_to_files_of_the_tree(page):
    written = page.read_text(encoding="utf-8")
    # 208: "Add a reader" has a whole reader, its test, and all places to touch
    assert page.name in PAGES or written.count("\n") <= 208
    text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", written, flags=re.M | re.S)
    titles = {
        title.strip("`").lower().replace(" ", "-") for title in re.findall(r"^#+ (.*)$", text, re.M)
    }
    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", text):
        assert target[1:] in titles if target.startswith("#") else (DOCS / target).exists(), target


def test_contributing_names_modules_that_exist():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[\w.-]+/)*[\w-]+(?:\.(?:py|toml|md)|/))`", page))
    assert len(named) > 30
    # a name without a folder is in the folder of the name before it
    known = {
        file.name for place in (PACKAGE, DOCS, ROOT / "notebooks") for file in place.rglob("*")
    }
    known |= {"build/", "figures/ja/", "dist/"}  # made by a verb
    places = (ROOT, PACKAGE)
    gone = {name for name in named - known if not any((at / name).exists() for at in places)}
    assert not gone
    steps = page.split("A file becomes a verdict in six steps:")[1].split("## House rules")[0]
    functions = re.findall(r"`([a-z_.]+)\.(\w+)`", steps)
    assert len(functions) > 4
    for module, name in functions:
        room = import_module(f"fiotools.{module}")
        is_room = hasattr(room, "__path__") and find_spec(f"fiotools.{module}.{name}")
        assert hasattr(room, name) or is_room, f"{module}.{name}"


def found(*more, without=None):
    """Give the problems that another gap makes, or a column that nothing fills."""
    marks = {cell: mark for cell, mark in committed().items() if cell != without}
    return sorted({*problems(marks, [*gaps(), *more])} - {*problems(committed(), gaps())})


@pytest.mark.parametrize(
    ("gap", "problem"),
    [
        (
            Gap("dd", "absent", "io.io_bytes", "every report has it"),
            "[dd.absent] 'io.io_bytes': io.io_bytes is filled; remove the gap",
        ),
        (Gap("dd", "absent", "io.x", "?"), "[dd.absent] 'io.x': there is no such gap"),
        (Gap("dd", "absent", "io.lat_mean_ns", "?"), "[dd] io.lat_mean_ns is declared 2 times"),
    ],
)
def test_a_gap_that_is_none_is_found(gap, problem):
    (said,) = found(gap)
    assert problem in said


def test_an_empty_column_needs_no_reason_and_a_table_is_listed():
    assert found(without=("dd", "io", "io_bytes")) == []
    assert gap_of(("dd", "io", "io_bytes"), gaps()).why == "not in the report"
    assert "[dd] io: READER.tables says otherwise" in found(without=("dd", "io", ""))


def test_what_is_absent_or_unseen_has_a_reason():
    assert not [gap for gap in gaps() if gap.kind != "inapplicable" and not gap.why]


# committed outputs, changed to what none of them has: (output, pattern, replacement)
CHANGED = [
    ("fio/fio-3.33--libaio.json", '"job_runtime"', '"job_start" : 1795239445000, "job_runtime"'),
    ("fio/fio-3.33--libaio.json", '"util"', '"read_sectors" : 8, "write_sectors" : 8, "util"'),
    ("fio/fio-3.33--libaio.txt", ", merge=", ", sectors=8/8, merge="),
    ("fio/fio-3.33--status-interval.json", '"groupid"', '"hostname" : "alpha", "groupid"'),
    ("fio/fio-3.33--status-interval.json", '"rw" :', '"iodepth" : "4", "numjobs" : "2", "rw" :'),
    ("fio/fio-3.33--terse-v5-json.terse", r"\n\{[\s\S]*", r"\n"),
    # reports below a heading
    ("fio/fio-3.33--libaio.txt", r"\A", "## ext4\n\n"),
    ("fio/fio-3.33--terse-v5-json.terse", r"([\s\S]*)\n\{[\s\S]*", r"## ext4\n\n\1\n"),
    ("crystaldiskmark/crystaldiskmark-2.2.0--bytes_only.txt", r"\A", "## ext4\n\n"),
    ("diskspd/diskspd-2.0.12--mix_2targets_D_L.txt", r"\A", "## ext4\n\n"),
]


def test_what_no_output_shows_is_read_all_the_same(tmp_path):
    files = []
    for number, (name, pattern, replacement) in enumerate(CHANGED):
        text = (FIXTURES / name).read_text(encoding="utf-8")
        files.append(tmp_path / f"{number}.txt")
        files[-1].write_text(re.sub(pattern, replacement, text), encoding="utf-8", newline="")
    unseen = [gap for gap in gaps() if gap.kind == "unseen"]
    missing = {c for c in cells(committed()) if any(gap.covers(c) for gap in unseen)}
    assert missing - set(filled(files)) == set()


@pytest.mark.parametrize("reader", built_in(), ids=lambda reader: reader.name)
def test_docstrings_have_their_parts(reader):
    parts = formats_page.sections(reader)
    leads = [lead.rstrip(".:") for lead, _ in parts if lead]
    assert leads[:2] == ["Produced by", "Fills"]
    assert leads[-1] in ("Grammar", "Specified in") or reader.name == "transcript"
    fills = next(words for lead, words in parts if lead == "Fills")
    named = set(re.findall(r"`(\w+)`", fills)) & set(TABLES)
    assert named <= set(reader.tables)
    # whatever can go wrong ends in notes
    assert set(reader.tables) - named <= {"notes"} or reader.name == "transcript"
