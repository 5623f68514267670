"""Sides, sweeps and the numbers of runs are told apart, with labels and without."""

import json
from itertools import product

import pytest

from fiotools.reports.questions import Choices, comparisons
from fiotools.reports.subjects import gather
from tests.conftest import ROOT

LIBAIO = ROOT / "tests/fixtures/fio/fio-3.33--libaio.json"


def asked(sources):
    (source,) = gather(sources)
    (one,) = comparisons(source, Choices())
    return source, one


def written(folder, name, *, depth, device="/dev/nvme0n1", directory="."):
    """Write what fio would say of one run."""
    told = json.loads(LIBAIO.read_text(encoding="utf-8"))
    (job,) = told["jobs"]
    options = {"filename": device, "directory": directory, "iodepth": str(depth)}
    told["global options"] = {**told.get("global options", {}), **options}
    for option in options:
        job["job options"].pop(option, None)
    (folder / f"{name}.json").write_text(json.dumps(told), encoding="utf-8")


@pytest.fixture
def three(tmp_path):
    """Two devices, three depths, three runs of each; a stamp and a number in each name."""
    cells = product(("/dev/nvme0n1", "/dev/nvme1n1"), (1, 8, 64), (1, 2, 3))
    for at, (device, depth, run) in enumerate(cells):
        stamp = f"20260501T0900{at:02d}"
        name = f"{device[5:]}-{stamp}-qd{depth}-{run}"
        written(tmp_path, name, depth=depth, device=device)
    return tmp_path


def test_the_option_that_sets_runs_apart_names_the_sides(three):
    source, one = asked(three)
    assert source.said == (
        "The sides were found in the option filename: nvme0n1 is /dev/nvme0n1, "
        "nvme1n1 is /dev/nvme1n1",
    )
    assert (one.between, one.levels) == ("label", ["nvme0n1", "nvme1n1"])
    assert "iodepth" in one.by
    assert set(one.answer["n"]) == {3}


def test_a_word_of_the_file_names_names_the_sides(tmp_path):
    for scheduler, depth, run in product(("none", "mq-deadline", "bfq"), (1, 8), (1, 2, 3)):
        written(tmp_path, f"{scheduler}_qd{depth}_run{run}", depth=depth)
    source, one = asked(tmp_path)
    said = "The sides were found in word 1 of the file names: bfq, mq-deadline, none"
    assert source.said == (said,)
    assert (one.levels, set(one.answer["n"])) == (["bfq", "mq-deadline", "none"], {3})


def test_a_word_that_follows_from_a_condition_names_no_sides(tmp_path):
    for depth, run in product((1, 8), (1, 2, 3)):
        written(tmp_path, f"{'deep' if depth > 1 else 'shallow'}_run{run}", depth=depth)
    (source,) = gather(tmp_path)
    assert "nothing says which of the 6 files belong to one side" in source.said[0]


def test_stamps_and_numbers_of_runs_are_named_and_dropped(three):
    source, one = asked(str(three / "{dev}-{stamp}-qd{qd}-{rep}.json"))
    assert source.fields == ("dev",)  # and qd is the depth itself
    assert [said.partition(" ")[0] for said in source.said] == ["stamp", "rep"]
    assert set(one.answer["n"]) == {3}
    assert set(one.answer["iodepth"]) == {1, 8, 64}


def test_a_label_of_many_numbers_is_swept(tmp_path):
    for percent in (5, 10, 20, 40):
        written(tmp_path, f"fill{percent}", depth=4)
    source, one = asked(str(tmp_path / "fill{fill}.json"))
    assert source.swept == ("fill",)
    assert one.between is None
    assert one.by[0] == "fill"
    assert one.frame["fill"].drop_duplicates().tolist() == [5, 10, 20, 40]


def test_a_depth_in_each_file_makes_no_side(tmp_path):
    for depth in (1, 2, 4, 8):
        written(tmp_path, f"qd{depth}", depth=depth)
    source, one = asked(tmp_path)
    assert "they differ in iodepth" in source.said[0]
    assert one.between is None
    assert "iodepth" in one.by


def test_two_things_that_differ_are_not_sides(tmp_path):
    for at, (folder, device, depth) in enumerate(product("ab", "xy", (2, 4, 8))):
        written(tmp_path, f"run{at}", depth=depth, device=device, directory=folder)
    source, one = asked(tmp_path)
    assert one.between is None
    assert "the option directory and the option filename" in source.said[0]
