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


def test_two_things_that_differ_are_two_questions(tmp_path):
    """Each device holds each folder: one is compared within the values of the other."""
    for at, (folder, device, depth) in enumerate(product("ab", "xy", (2, 4, 8))):
        written(tmp_path, f"run{at}", depth=depth, device=device, directory=folder)
    (source,) = gather(tmp_path)
    assert source.said == (
        "The sides were found in the option directory: a, b; the option filename: x, y",
    )
    found = comparisons(source, Choices())
    assert [one.between for one in found] == ["directory", "filename"]
    assert [one.by[0] for one in found] == ["filename", "directory"]
    assert [one.baseline for one in found] == ["a", "x"]


def test_two_things_that_do_not_cross_are_not_sides(tmp_path):
    pairs = [("a", "x"), ("a", "y"), ("b", "y")]
    for at, ((folder, device), depth) in enumerate(product(pairs, (2, 4, 8))):
        written(tmp_path, f"run{at}", depth=depth, device=device, directory=folder)
    source, one = asked(tmp_path)
    assert one.between is None
    assert "the option directory and the option filename" in source.said[0]


def test_unlike_folders_are_reported_apart(tmp_path):
    names = {"deep": ("x_32", "x_64", "y_32", "y_64"), "shallow": ("x_1", "y_1"), "one": ("z_1",)}
    for folder, files in names.items():
        (tmp_path / folder).mkdir()
        for name in files:
            written(tmp_path / folder, name, depth=int(name[2:]))
    found = gather(tmp_path)
    assert [(one.name, one.prefix) for one in found] == [
        *(("deep", "deep-"), ("one", "one-"), ("shallow", "shallow-"))
    ]
    asked_ = [comparisons(one, Choices())[0] for one in found]
    assert [one.levels for one in asked_] == [["x", "y"], [], ["x_1", "y_1"]]


def test_the_commands_of_one_text_are_sides_if_their_conditions_are_alike(tmp_path):
    runs = [
        f"$ dd if=/dev/zero of=/mnt/{place}/f bs=1M count=1024 oflag=direct\n"
        "1024+0 records in\n1024+0 records out\n"
        f"1073741824 bytes (1.1 GB, 1.0 GiB) copied, {seconds} s, {1073.741824 / seconds:.0f} MB/s\n"
        for seconds, place in ((2.5, "a"), (5.1, "b"), (2.6, "a"), (5.3, "b"))
    ]
    (tmp_path / "pasted.txt").write_text("".join(runs), encoding="utf-8")
    source, one = asked(tmp_path / "pasted.txt")
    assert source.said == ("The sides were found in the target: a is /mnt/a/f, b is /mnt/b/f",)
    assert one.answer[["n", "n_baseline"]].to_numpy().tolist() == [[2, 2]]


def test_a_number_at_the_end_of_a_name_counts_runs(tmp_path):
    for device, run in product(("disk", "mem"), (1, 2, 3)):
        written(tmp_path, f"{device}_{run}", depth=1)
    source, one = asked(tmp_path)
    assert source.said == ("The sides were found in word 1 of the file names: disk, mem",)
    assert set(one.answer["n"]) == {3}


def test_commands_in_files_of_their_own_are_compared_beside_dd(tmp_path):
    """The time of a command has no rate, so the two are two questions."""
    for side, run in product(("cold", "warm"), (1, 2, 3)):
        seconds = run + (5 if side == "cold" else 0)
        copied = f"1073741824 bytes (1.1 GB, 1.0 GiB) copied, {seconds} s, 1.1 GB/s\n"
        (tmp_path / f"dd-{side}-{run}.txt").write_text(f"1+0 records in\n1+0 records out\n{copied}")
        told = f"\nreal\t0m{seconds}.000s\nuser\t0m0.001s\nsys\t0m0.002s\n"
        (tmp_path / f"time-{side}-{run}.txt").write_text(told)
    (source,) = gather(tmp_path)
    assert source.said == ("The sides were found in word 2 of the file names: cold, warm",)
    found = comparisons(source, Choices())
    assert [(one.title, one.answer["n"].item()) for one in found] == [
        ("bw against cold", 3),
        ("real against cold", 3),
    ]
