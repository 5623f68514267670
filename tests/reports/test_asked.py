"""What a page compares: the sides, the metric, the baseline and the cells, and what is left out."""

import json
import shutil
from itertools import product

import pytest

import fiotools as ft
from fiotools.reports.asked import ask, opened
from tests.conftest import ROOT

DATA = ROOT / "data"
WSL = "wsl-vhdx/{drive}_{mount}_{operation}.txt"
HYPERFINE = ROOT / "tests/fixtures/hyperfine/hyperfine-1.15.0--two_commands.json"
LIBAIO = ROOT / "tests/fixtures/fio/fio-3.33--libaio.json"


def asked(sources, **wish):
    """Ask what a page of these sources would be about."""
    names = ("metric", "between", "baseline", "by")
    return ask(*opened(sources), *(wish.pop(name, None) for name in names), wish)


def written(folder, name, depth):
    """Write what fio would say of one run."""
    told = json.loads(LIBAIO.read_text(encoding="utf-8"))
    told["jobs"][0]["job options"]["iodepth"] = str(depth)
    (folder / f"{name}.json").write_text(json.dumps(told), encoding="utf-8")


@pytest.mark.parametrize(
    ("sources", "wish", "between", "levels", "by"),
    [
        ("dda-vhdx/xml/{volume}.xml", {}, "volume", ["mirror", "nvme", "vhdx"], ()),
        (WSL, {}, "mount", None, ("drive",)),
        (WSL, {"between": "drive"}, "drive", ["c", "f"], ("mount",)),
        ("page-cache/{cache}.txt", {"baseline": "before"}, "cache", None, ()),
        ("sweep/{place}/*.json", {}, "place", ["disk", "image"], ("rw", "iodepth", "numjobs")),
        ("wsl-filesystems/{place}_*_{round:d}.txt", {}, "place", None, ("bs_bytes",)),
        ("own-disk/page-cache", {}, "cache", ["cold", "warm"], ("place",)),
        ("own-disk/random-io", {}, "place", None, ("rw",)),
        ("how-many-runs/depth", {}, None, [], ("iodepth",)),
    ],
)
def test_sides_and_cells(sources, wish, between, levels, by):
    found = asked(DATA / sources if "{" not in sources else f"{DATA}/{sources}", **wish)
    assert (found.between, found.by) == (between, by)
    if levels:
        assert sorted(found.results.runs[between].unique()) == levels


def test_it_compares_as_compare_does():
    """No named side, metric or baseline differs from those of the function."""
    results = ft.read(DATA / "dda-vhdx/xml")
    found = asked(results).comparison
    own = ft.compare(results)
    assert found.baseline == own["baseline"].iloc[0]
    assert found.metric == own["metric"].iloc[0]
    assert found.answer["ratio"].tolist() == own["ratio"].tolist()


def test_a_campaign_is_asked_what_its_experiment_is_about():
    one = asked(DATA / "own-disk/page-cache")
    assert one.comparison.baseline == "cold"
    assert one.comparison.answer["place"].nunique() == 3
    assert one.others == ("place",)
    places = asked(DATA / "own-disk/random-io")
    assert places.comparison.baseline == "root", "the place that was named first"


def test_a_folder_of_campaigns_names_them():
    with pytest.raises(ft.SchemaError, match=r"one campaign at a time: .*block-size, .*page-cache"):
        asked(DATA / "own-disk")


def test_what_sets_the_sides_apart_makes_no_cells(tmp_path):
    """Each side has a depth of its own; both have both block sizes."""
    for side, run in product(("old", "new"), (1, 2, 3)):
        (tmp_path / side).mkdir(exist_ok=True)
        written(tmp_path / side, str(run), {"old": 1, "new": 8}[side])
    found = asked(ft.read(str(tmp_path / "old"), str(tmp_path / "new")))
    assert (found.between, found.by) == ("label", ())
    assert found.comparison.answer["n"].tolist() == [3, 3]


def test_a_cell_that_one_side_lacks_stays_a_cell(tmp_path):
    for side, depth in (("a", 1), ("a", 8), ("b", 1)):
        written(tmp_path, f"{side}_{depth}", depth)
    found = asked(f"{tmp_path}/{{side}}_{{depth:d}}.json")
    assert found.by == ("iodepth",)
    assert set(found.comparison.answer["iodepth"]) == {1, 8}


def test_commands_are_sides_and_cells_where_both_sides_timed_them(tmp_path):
    assert asked(HYPERFINE).comparison.answer["n"].tolist() == [6]
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        shutil.copy(HYPERFINE, tmp_path / name)
    both = asked(tmp_path)
    assert both.by == ("command",)
    assert both.comparison.answer["n"].tolist() == [6, 6]
    shutil.copy(ROOT / "tests/fixtures/time/bash-5.2.15--dd.txt", tmp_path / "old")
    assert asked(tmp_path / "old").by == ("command",)


def test_results_stay_as_they_are():
    results = ft.read(DATA / "wsl-vhdx")
    before = {name: list(frame) for name, frame in results.tables.items()}
    assert asked(results).comparison.answer is not None
    assert before == {name: list(frame) for name, frame in results.tables.items()}


@pytest.mark.parametrize(
    ("known", "hint"),
    [
        ({"rma": 1}, "did you mean ram="),
        ({"out": "x.html"}, "output="),
        ({"ci": 0.9}, "report takes no ci="),
    ],
)
def test_a_wrong_fact_is_answered_with_the_right_name(known, hint):
    with pytest.raises(ft.SchemaError, match=hint):
        asked(LIBAIO, **known)


def test_a_run_that_lacks_its_name_is_left_out_by_name(tmp_path):
    said = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, "
    command = "$ dd if=/dev/zero of=/mnt/{}/f bs=1M count=1024\n"
    file = tmp_path / "pasted.txt"
    file.write_text(
        f"{said}9.9 s, 108 MB/s\n\nand then\n\n"
        f"{command.format('a')}{said}2 s, 537 MB/s\n\n"
        f"{command.format('b')}{said}5 s, 215 MB/s\n\n"
    )
    with pytest.warns(UserWarning, match="left out"):
        found = asked(file)
    assert found.left_out == (f"{file.as_posix()}#1",)
    assert found.comparison.answer["ratio"].tolist() == pytest.approx([0.4], rel=1e-3)
