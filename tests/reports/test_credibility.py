"""What a verdict must not be believed without: memory, hosts, haste, and what check accuses."""

import json
import shutil
from dataclasses import replace

import pandas as pd
import pytest

from fiotools.reports.credibility import checked, doubts, weighed
from fiotools.reports.method import measured
from fiotools.reports.subjects import gather
from tests.conftest import ROOT


@pytest.fixture
def told(tmp_path):
    """Change the manifest of a real campaign, and give the doubts about it."""

    def change(name="block-size", *, plan=(), machine=(), places=(), end=()):
        folder = tmp_path / name
        shutil.copytree(ROOT / "data" / "own-disk" / name, folder, dirs_exist_ok=True)
        file = folder / "manifest.jsonl"
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        for line in lines:
            if line["kind"] == "campaign":
                line["plan"].update(plan)
            if line["kind"] == "session":
                line["machine"].update(machine)
                for place in line["places"]:
                    place.update(places)
            if line["kind"] == "end":
                line.update(end)
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        (source,) = gather(folder)
        return doubts(source, checked(source, {}), "place")

    return change


def words(found):
    return " / ".join(f"{of}: {what}" if of else what for of, what, _ in found)


def test_memory_is_not_a_disk_and_a_guest_knows_its_own_cache_only(told):
    said = words(told())
    assert "tmpfs is memory: no disk is measured there" in said
    assert "This is a virtual machine" in said
    assert "A quick campaign" in said
    # dd without fdatasync, of a file that fits into memory
    assert "root: memory may have answered, and not the device" in said
    assert "tmpfs: do not take" not in said


def test_sides_that_are_numbers_are_counted_apart():
    checks = pd.DataFrame(
        {
            "source": ["a", "b", "c"],
            "run": 1,
            "numjobs": [1, 4, 4],
            "check": "link",
            "verdict": "suspect",
            "finding": ["link.beyond", "link.beyond", "sides.differ"],
            "details": ['{"times": 2}', '{"times": 3}', None],
            "why": ["2 times the link", "3 times the link", "the sides differ"],
            "remedy": None,
        }
    )
    found = weighed(checks, "numjobs")
    assert found[["numjobs", "some", "every"]].to_numpy().tolist() == [
        [1, 1, 1],
        [4, 1, 2],
        [4, 1, 2],
    ]


def test_a_long_campaign_on_a_real_machine_is_not_called_quick_or_virtual(told):
    real = {"is_guest": False, "load_1min": 0.1}
    said = words(told("small-files", plan={"effort": "normal"}, machine=real))
    assert "quick" not in said
    assert "virtual" not in said
    assert "busy" not in said


def test_what_was_cut_short_or_shared_is_said(told):
    said = words(
        told(
            machine={"load_1min": 7.0, "processors": 2},
            places={"mount_point": "/", "source": "/dev/sda", "file_system": "ext4"},
            end={"status": "interrupted"},
        )
    )
    assert "not complete (interrupted)" in said
    assert "load 7.0 on 2 processors" in said
    assert "root and tmpfs and loop-ext4 are on one file system" in said
    assert "is memory" not in said


LOOP = {"name": "loop0", "transport": "loop"}
DISK = {"name": "vda", "transport": "virtio"}


def loop(file_system="ext4", *, is_direct=False):
    """Put every place on an image, as a manifest has it."""
    below = {"path": "/img", "file_system": file_system, "is_direct": is_direct, "device": DISK}
    return {"file_system": "ext4", "device": {**LOOP, "backing": below}}


def test_a_disk_that_is_a_file_is_said_to_be_one(told):
    unless = "unless the file bypasses the page cache"
    assert f"loop-ext4 is on a loop device, a disk made of a file: {unless}" in words(
        told(places={"file_system": "ext4", "device": LOOP})
    )
    cached = words(told(places=loop()))
    assert "loop-ext4 is on a loop device, whose file is /img, in the page cache" in cached
    assert unless not in cached


def test_a_file_that_passes_the_page_cache_by_or_lies_in_memory_is_told_apart(told):
    assert "loop device" not in words(told(places=loop(is_direct=True)))
    in_memory = words(told(places=loop("tmpfs")))
    assert "loop-ext4 is memory" in in_memory
    assert "loop device" not in in_memory


def test_what_is_said_in_the_same_words_is_counted():
    checks = pd.DataFrame(
        [
            ("a", "x.txt", 1, "ok", "link", "carries 2.00 GB/s", None),
            ("a", "y.txt", 1, "suspect", "cache", "134 MB through the page cache", "use direct"),
            ("a", "z.txt", 1, "suspect", "cache", "1.2 GB through the page cache", "use direct"),
            ("b", "w.txt", 1, "impossible", "link", "3 times the 500 MB/s", None),
        ],
        columns=["place", "source", "run", "verdict", "check", "why", "remedy"],
    )
    sizes = ["{}", '{"size": 134e6}', '{"size": 1.2e9}', "{}"]
    checks = checks.assign(finding=checks["check"] + "." + checks["verdict"], details=sizes)
    table = weighed(checks, "place")
    assert table["verdict"].tolist() == ["impossible", "suspect", "ok"]
    assert table["some"].tolist() == [1, 2, 1]
    assert table["every"].tolist() == [1, 3, 3]
    assert table["why"][1] == "134 MB through the page cache"


def test_the_order_of_five_places_is_cut_short_and_says_so():
    (source,) = gather(ROOT / "data" / "own-disk" / "page-cache")
    plan = replace(source.campaign.asked, places={name: f"/{name}" for name in "abcde"})
    many = replace(source, campaign=replace(source.campaign, asked=plan))
    said = " ".join(measured(many).text.split())  # lines may be wrapped
    assert "in turns (ABCD..., ...DCBA, ...)" in said
