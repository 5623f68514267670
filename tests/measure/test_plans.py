"""The decisions of a campaign before it begins: order, sizes, facts about the machine."""

import errno
import itertools
import os
import time
from pathlib import PurePosixPath
from types import SimpleNamespace

import pytest

import fiotools as ft
from fiotools.measure import plan as planning
from fiotools.measure import scratch, session
from fiotools.measure.campaign import append, lines
from fiotools.measure.experiment import experiment
from fiotools.measure.machine import Backing, Mount, devices_of, mount_of
from fiotools.measure.places import Place
from fiotools.measure.plan import Plan, plan_for
from fiotools.measure.scratch import Scratch, share_pct
from tests.conftest import ROOT
from tests.measure.campaigns import linux

GIB = 2**30
CAMPAIGN = ROOT / "data" / "own-disk" / "random-io"


@pytest.mark.parametrize(("places", "workloads"), [(1, 1), (2, 2), (3, 2), (3, 3)])
def test_every_run_once_and_in_turns(places, workloads):
    names, works = "abc"[:places], "xyz"[:workloads]
    asked = Plan("random-io", dict.fromkeys(names, "/"), works, ["workload"], ".json", 4, 0)
    order = [(run.round, run.workload, run.place) for run in asked.runs()]
    assert sorted(order) == sorted(itertools.product(range(1, 5), works, names))
    assert [number for number, _, _ in order] == sorted(number for number, _, _ in order)
    forth, back = names, names[::-1]
    for work in works:
        rounds = [[p for n, w, p in order if (n, w) == (number, work)] for number in range(1, 5)]
        turns = ["".join(one) for one in rounds]
        assert turns in ([forth, back, forth, back], [back, forth, back, forth])


def plan(tmp_path, name="throughput", places=("here",), size=None):
    found = [Place(one, tmp_path) for one in places]
    return plan_for(experiment(name), found, 5, size, None, (), "")


@pytest.fixture
def machine(monkeypatch):
    """A machine with so much free."""

    def machine(free, memory):
        monkeypatch.setattr(Place, "free", lambda self: free)
        monkeypatch.setattr(planning, "memory", lambda: (memory, memory))

    return machine


@pytest.mark.parametrize(
    ("name", "places", "free", "memory", "size"),
    [
        ("throughput", "a", 1000, 64, 1024),  # all that it would like
        ("throughput", "a", 4, 64, 448),  # a quarter of the room for two files, in steps of 16 MiB
        ("throughput", "a", 1000, 4, 512),  # a quarter of the half of memory
        ("throughput", "ab", 4, 64, 224),  # places on one file system share its room
        ("small-files", "a", 1, 64, 37),  # as many as in the article
    ],
)
def test_sizes_respect_room_and_memory(tmp_path, machine, name, places, free, memory, size):
    machine(free * GIB, memory * GIB)
    assert plan(tmp_path, name, places).size_bytes == size * 2**20


@pytest.mark.parametrize(
    ("name", "size", "free", "memory", "told"),
    [
        ("throughput", None, 100, 64 * GIB, "no room for test files of 16 MiB: here has"),
        ("throughput", "16M", GIB, 1000, "no room .* of 16 MiB: .*of memory are free"),
        ("small-files", None, 100 * 2**20, 64 * GIB, "no room for test files of 37 MiB: here"),
        ("small-files", "1G", GIB, 64 * GIB, "leave out size="),
    ],
)
def test_sizes_that_cannot_be(tmp_path, machine, name, size, free, memory, told):
    machine(free, memory)
    with pytest.raises(ft.MeasureError, match=told):
        plan(tmp_path, name, size=size)


def test_memory_holds_all_places_that_are_memory(tmp_path, machine, monkeypatch):
    machine(1000 * GIB, 4 * GIB)
    monkeypatch.setattr(Place, "is_memory", True)
    # a quarter of: half of the memory, for two files in each place
    assert plan(tmp_path, "block-size", "ab").size_bytes == 128 * 2**20


@linux
def test_a_log_gets_a_line_now_and_then(tmp_path, place, monkeypatch):
    said = []
    arguments = {"output": tmp_path / "out", "rounds": 5, "size": "16M", "only": ["read"]}
    # a clock that goes on by 20 seconds with each run
    clock = SimpleNamespace(
        monotonic=itertools.count(0.0, 20.0).__next__, perf_counter=time.perf_counter
    )
    monkeypatch.setattr(session, "time", clock)
    ft.measure.run("throughput", place, say=said.append, **arguments)
    assert [text for text in said if "left" in text] == [
        "1 of 5 runs; about 0:02:40 left",
        "3 of 5 runs; about 0:00:53 left",
    ]


def test_half_a_line_is_not_followed_by_another(tmp_path, monkeypatch):
    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    append(tmp_path, "campaign", {"format": 2})
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ft.MeasureError, match=r"manifest\.jsonl: No space left on device"):
        append(tmp_path, "run", {"order": 1})
    monkeypatch.undo()
    with (tmp_path / "manifest.jsonl").open("a") as file:
        file.write('{"kind": "ru')  # a kill
    append(tmp_path, "end", {"status": "failed"})
    assert [line["kind"] for line in lines(tmp_path)] == ["campaign", "end"]
    with pytest.raises(ft.MeasureError, match="File exists"):  # of two that begin at once
        append(tmp_path, "campaign", {"format": 2})


TABLE = """\
22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw,errors=remount-ro
25 22 0:22 / /dev/shm rw,nosuid - tmpfs tmpfs rw,size=100k
30 22 0:40 / /mnt/my\\040disk rw - 9p share rw,trans=virtio,addr=10.0.0.1,lowerdir=/home/me
31 22 0:41 / /mnt/my rw - fuse.sshfs me@host:/home rw,user_id=0
32 31 0:42 / /mnt/my rw - xfs /dev/sdb1 rw
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/mnt/mine", "ext4"),
        ("/mnt/my", "xfs"),  # the last hides the others
        ("/mnt/my disk/deep", "9p"),
    ],
)
def test_the_mount_of_a_folder(mounts, folder, kind):
    mounts(TABLE)
    assert mount_of(PurePosixPath(folder)).kind == kind
    share = mount_of(PurePosixPath("/mnt/my disk"))
    assert share.options == "rw,trans=virtio,addr=...,lowerdir=..."  # no address is told
    assert share.source == "share"


def sysfs(root, path, files, number):
    """Make a /sys with one disk and its partition."""
    disk = root / "devices" / path
    (disk / f"{disk.name}1").mkdir(parents=True)
    (disk / f"{disk.name}1" / "partition").write_text("1\n")
    for name, text in files.items():
        file = root / name[1:] if name.startswith("/") else disk / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n")
    (root / "dev" / "block").mkdir(parents=True)
    (root / "dev" / "block" / number).symlink_to(disk / f"{disk.name}1")
    return Mount("/", "ext4", "none", "rw", number)


NVME = "pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n1"
SATA = "pci0000:00/0000:00:17.0/ata3/host2/target2:0:0/2:0:0:0/block/sda"
USB = "pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0/block/sdb"
PCIE = {"../../../current_link_speed": "8.0 GT/s PCIe", "../../../current_link_width": "4"}


VIRTIO = "pci0000:00/0000:00:05.0/virtio2/block/vda"
ROTATES = "queue/rotational"
SATA_LINK = "/class/ata_link/link3/sata_spd"


@pytest.mark.parametrize(
    ("path", "files", "transport", "link", "rotational"),
    [
        (NVME, {ROTATES: "0", **PCIE}, "nvme", "pcie3-x4", False),
        (NVME, {**PCIE, "../../../current_link_width": "2"}, "nvme", None, None),
        (SATA, {ROTATES: "1", SATA_LINK: "6.0 Gbps"}, "sata", "sata-3", True),
        (SATA, {SATA_LINK: "<unknown>"}, "sata", None, None),
        (USB, {"../../../../../../speed": "5000"}, "usb", "usb3-5g", None),
        (VIRTIO, {ROTATES: "1"}, "virtio", None, True),
    ],
    ids=["nvme", "nvme-x2", "sata", "sata-unknown", "usb", "virtio"],
)
@linux
@pytest.mark.usefixtures("sys_folder")
def test_sys_describes_a_disk(tmp_path, path, files, transport, link, rotational):
    files = {"size": "1000", "device/model": "Some Disk", **files}
    mount = sysfs(tmp_path, path, files, "8:1")
    (device,) = devices_of(mount)
    assert (device.transport, device.link, device.rotational) == (transport, link, rotational)
    assert device.name == path.rpartition("/")[2]
    assert device.size_bytes == 512_000


@linux
@pytest.mark.usefixtures("one_disk", "sys_folder")
def test_the_disks_below_a_file_system(tmp_path):
    """A volume on two disks, one of them by a partition; and a disk that is a file."""
    mount = sysfs(tmp_path, SATA, {}, "8:1")
    sda, block = tmp_path / "devices" / SATA, tmp_path / "dev" / "block"
    sdb = tmp_path / "devices" / "platform" / "sdb"
    volume = tmp_path / "devices" / "virtual" / "block" / "dm-0"
    (volume / "slaves").mkdir(parents=True)
    (block / "253:0").symlink_to(volume)
    lvm = Mount("/", "ext4", "none", "rw", "253:0")
    (volume / "slaves" / "sda1").symlink_to(sda / "sda1")
    assert [device.name for device in devices_of(lvm)] == ["sda"]
    sdb.mkdir(parents=True)
    (volume / "slaves" / "sdb").symlink_to(sdb)
    assert [device.name for device in devices_of(lvm)] == ["sda", "sdb"]

    members = tmp_path / "fs" / "btrfs" / "some-uuid" / "devices"
    members.mkdir(parents=True)
    for disk in (sda / "sda1", sdb):
        (members / disk.name).symlink_to(disk)
    btrfs = Mount("/", "btrfs", "none", "rw", "8:1")
    assert {device.name for device in devices_of(btrfs)} == {"sda", "sdb"}
    assert [device.name for device in devices_of(mount)] == ["sda"]

    image = tmp_path / "disk.img"
    image.touch()
    loop = tmp_path / "devices" / "virtual" / "block" / "loop0"
    (loop / "loop").mkdir(parents=True)
    (loop / "loop" / "backing_file").write_text(f"{image}\n")
    (loop / "loop" / "dio").write_text("1\n")
    (block / "7:0").symlink_to(loop)
    (device,) = devices_of(Mount("/", "ext4", "none", "rw", "7:0"))
    assert (device.name, device.transport) == ("loop0", "loop")
    assert device.backing == Backing(str(image), "ext4", is_direct=True)


@linux
def test_the_file_below_is_dropped_too(tmp_path, monkeypatch):
    if Place("place", tmp_path).is_memory:
        pytest.skip("in memory nothing is dropped")
    image = tmp_path / "disk.img"
    monkeypatch.setattr(Place, "images", lambda self: [image, tmp_path / "out-of-sight"])
    scratch = Scratch(Place("place", tmp_path), lambda told: None)
    for file in (image, scratch.path / "data.tmp"):
        file.write_bytes(bytes(2**20))
    assert share_pct(image) == 100
    scratch.drop("data.tmp")
    assert share_pct(image) == share_pct(scratch.path / "data.tmp") == 0
    assert scratch.remove() is None


def campaign(name, is_guest, **devices):
    """Make the input of `known`; a device, "tmpfs", or None for a network mount."""
    kinds = {None: "9p", "tmpfs": "tmpfs"}
    places = [
        {"name": place, "file_system": kinds[device], "device": None}
        if device in (None, "tmpfs")
        else {"name": place, "file_system": "ext4", "device": device}
        for place, device in devices.items()
    ]
    machine = {"ram_bytes": 8 * GIB, "is_guest": is_guest}
    asked = SimpleNamespace(experiment=name, size_bytes=GIB)
    session = {"places": places, "machine": machine}
    return SimpleNamespace(session=session, asked=asked, experiment=experiment(name))


SSD = {"transport": "nvme", "rotational": False, "link": "pcie4-x4"}
DISK = {"transport": "usb", "rotational": True, "link": "usb3-5g"}
PLATTERS = {"transport": "sata", "rotational": True, "link": None}
REMOTE = {"transport": "nvme-tcp", "rotational": False, "link": None}


def image(file_system, is_direct):
    below = {"file_system": file_system, "is_direct": is_direct}
    return {"transport": "loop", "rotational": None, "link": None, "backing": below}


RANDOM = "random-io"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (campaign(RANDOM, False, a=SSD), {"host_ram": 0, "media": "nvme", "link": "pcie4-x4"}),
        (campaign(RANDOM, False, a=SSD, b=DISK), {"host_ram": 0}),
        # an SSD in a case may be said to rotate
        (campaign(RANDOM, False, b=DISK), {"host_ram": 0, "link": "usb3-5g"}),
        (campaign(RANDOM, False, a=PLATTERS), {"host_ram": 0, "media": "hdd"}),
        (campaign(RANDOM, False, a=REMOTE), {}),  # it has a server
        (campaign(RANDOM, False, a=image("ext4", False)), {}),  # in our page cache
        (campaign(RANDOM, False, a=image("tmpfs", False)), {"host_ram": 0, "media": "ram"}),
        (campaign(RANDOM, True, a=SSD), {}),  # what a guest is shown is the host's
        (campaign(RANDOM, None, a=SSD), {}),
        (campaign(RANDOM, False, a=None), {}),  # a network mount: a server caches
        (campaign(RANDOM, True, a="tmpfs"), {"media": "ram"}),
        (campaign("page-cache", True, a=SSD), {"moved": GIB}),
    ],
)
def test_evidence_of_a_campaign(given, expected):
    assert ft.measure.known(given) == {"ram": 8 * GIB, "prefilled": True, **expected}


def test_what_is_known_of_one_place():
    given = campaign("random-io", False, a=SSD, b=DISK)
    assert ft.measure.known(given, "b")["link"] == "usb3-5g"
    with pytest.raises(ft.MeasureError, match="there is no place 'c'; there are: a, b"):
        ft.measure.known(given, "c")
    # small files are not prefilled
    assert ft.measure.known(campaign("small-files", True, a=SSD)) == {"ram": 8 * GIB}


def test_a_campaign_of_format_1_is_read_and_not_resumed():
    found = ft.measure.campaign(CAMPAIGN)
    assert repr(found) == "<Campaign random-io: 45 of 45 runs, complete>"
    assert ft.measure.known(found)["prefilled"]
    assert set(ft.read(CAMPAIGN).io["place"]) == set(found.asked.places)
    with pytest.raises(ft.MeasureError, match="begun by another fiotools, whose commands differ"):
        ft.measure.resume(CAMPAIGN)


@linux
def test_a_cache_that_was_not_dropped_is_reported(tmp_path, place, monkeypatch):
    monkeypatch.setattr(Place, "is_memory", False)
    monkeypatch.setattr(scratch, "drop", lambda path: path.read_bytes())
    said = []
    asked = {"output": tmp_path / "out", "rounds": 2, "size": "16M", "say": said.append}
    campaign = ft.measure.run("throughput", place, only=["read"], **asked)
    assert campaign.plan["resident_pct"].tolist() == [100, 100]
    told = "read on place: 100 % of the file were in memory before a run"
    assert "\n".join(said).count(told) == 1
