"""The decisions of a campaign before it begins: order, sizes, facts about the machine."""

import errno
import itertools
import json
import os
import time
from dataclasses import asdict
from pathlib import PurePosixPath
from types import SimpleNamespace

import pytest

import fiotools as ft
from fiotools.measure import messages, runner, scratch, session, tools
from fiotools.measure.campaign import Manifest, lines
from fiotools.measure.experiments import EXPERIMENTS
from fiotools.measure.machine import Mount, devices_of, mount_of, span
from fiotools.measure.places import Place
from fiotools.measure.plan import interleaved, plan_from
from fiotools.measure.runner import make_plan
from fiotools.measure.scratch import Scratch, share_pct
from fiotools.measure.tools import OutOfTimeError, Watch
from tests.measure.campaigns import linux, ran
from tests.measure.conftest import ROOT_MOUNT

GIB = 2**30


@pytest.mark.parametrize("places", [1, 2, 3])
@pytest.mark.parametrize("workloads", [1, 2, 3])
def test_every_run_once_and_in_turns(places, workloads):
    names, works = "abc"[:places], "xyz"[:workloads]
    order = list(interleaved(names, works, 4))
    assert sorted(order) == sorted(itertools.product(range(1, 5), works, names))
    assert [number for number, _, _ in order] == sorted(number for number, _, _ in order)
    for work in works:
        turns = [
            "".join(p for n, w, p in order if (n, w) == (number, work)) for number in range(1, 5)
        ]
        forth, back = names, names[::-1]
        assert turns in ([forth, back, forth, back], [back, forth, back, forth])


def plan(tmp_path, experiment="throughput", effort="normal", places=("here",), **given):
    asked = {
        "rounds": None,
        "size": None,
        "seconds": None,
        "only": (),
        "buffered": False,
        "until": "rounds",
    }
    found = [Place(name, tmp_path) for name in places]
    return make_plan(EXPERIMENTS[experiment], found, effort=effort, **{**asked, **given})


@pytest.fixture
def machine(monkeypatch):
    """A machine with so much free."""

    def machine(free, memory):
        monkeypatch.setattr(Place, "free", lambda self: free)
        monkeypatch.setattr(runner, "memory", lambda: (memory, memory))

    return machine


@pytest.mark.parametrize(
    ("free", "memory", "size"),
    [
        (1000 * GIB, 64 * GIB, GIB),  # all that it would like
        (4 * GIB, 64 * GIB, 448 * 2**20),  # a quarter of the room for two files, in steps of 16 MiB
        (1000 * GIB, 4 * GIB, 512 * 2**20),  # a quarter of the half of memory
    ],
)
def test_sizes_respect_room_and_memory(tmp_path, machine, free, memory, size):
    machine(free, memory)
    assert plan(tmp_path).size_bytes == size


@pytest.mark.parametrize(
    ("free", "memory", "who"), [(100, 64 * GIB, "here"), (GIB, 1000, "memory")]
)
def test_no_room_at_all(tmp_path, machine, free, memory, who):
    machine(free, memory)
    with pytest.raises(ft.MeasureError, match=rf"no room: {who} .*has"):
        plan(tmp_path)
    with pytest.raises(ft.MeasureError, match="no room for test files of 16 MiB"):
        plan(tmp_path, size="16M")


def test_memory_holds_all_places_that_are_memory(tmp_path, machine, monkeypatch):
    machine(1000 * GIB, 4 * GIB)
    monkeypatch.setattr(Place, "is_memory", True)
    places = [Place("a", tmp_path), Place("b", tmp_path)]
    # a quarter of: half of the memory, for two files in each place
    assert runner.size_for(EXPERIMENTS["block-size"], places, GIB, None) == 128 * 2**20


def test_small_files_are_as_many_as_in_the_article(tmp_path, machine):
    machine(GIB, 64 * GIB)
    assert plan(tmp_path, "small-files").size_bytes == 37 * 2**20
    with pytest.raises(ft.MeasureError, match="leave out size="):
        plan(tmp_path, "small-files", size="1G")
    machine(100 * 2**20, 64 * GIB)
    with pytest.raises(ft.MeasureError, match="no room for test files of 37 MiB: here"):
        plan(tmp_path, "small-files")


def test_places_on_one_file_system_share_its_room(tmp_path, machine):
    machine(4 * GIB, 64 * GIB)
    places = [Place("a", tmp_path), Place("b", tmp_path)]
    assert runner.size_for(EXPERIMENTS["throughput"], places, GIB, None) == 224 * 2**20


@pytest.mark.parametrize("experiment", ["throughput", "page-cache", "random-io", "block-size"])
def test_five_rounds_and_more(tmp_path, experiment):
    assert plan(tmp_path, experiment).rounds == plan(tmp_path, experiment, "quick").rounds == 5
    assert plan(tmp_path, experiment, "thorough").rounds == 10
    assert plan(tmp_path, experiment, "quick").limit_s == 100
    assert plan(tmp_path, experiment).limit_s is None


def test_quick_runs_are_as_long_as_time_allows(tmp_path):
    for places, seconds in (("a", 2), ("ab", 1), ("abcd", 1)):
        assert plan(tmp_path, "random-io", "quick", places, size="16M").seconds == seconds


def test_the_warm_up_of_diskspd_is_announced(tmp_path):
    asked = plan(tmp_path, "diskspd", rounds=5, seconds=60)
    said = EXPERIMENTS["diskspd"].lasts(asked, 5)
    assert said.startswith(f"60 s a run, {span(5 * 65.4)} and")


def test_time_is_over():
    with Watch(0.01) as watch:
        time.sleep(0.02)
        with pytest.raises(OutOfTimeError):
            watch.check()


@linux
def test_quick_stops_in_time_and_is_resumed(tmp_path, monkeypatch):
    place, said = tmp_path / "place", []
    place.mkdir()
    # a clock that goes on by a second with each run
    reads = {"monotonic": lambda: float(len(ran(tmp_path / "out"))), "sleep": time.sleep}
    clock = SimpleNamespace(**reads)
    monkeypatch.setattr(tools, "time", clock)
    monkeypatch.setattr(runner, "LIMIT_S", 2.0)
    arguments = {"effort": "quick", "size": "16M", "only": ["read"], "output": tmp_path / "out"}
    campaign = ft.measure.run("throughput", [place], rounds=9999, say=said.append, **arguments)
    assert campaign.status == "out of time"
    assert campaign.plan["done"].sum() == 2
    assert list(place.iterdir()) == []
    assert any("2 of 9999 rounds were done in the 2 s of a quick" in text for text in said)
    assert ft.measure.resume(tmp_path / "out").plan["done"].sum() == 4
    monkeypatch.setattr(runner, "LIMIT_S", -1.0)
    with pytest.raises(ft.MeasureError, match="were over before one round was"):
        ft.measure.run("throughput", [place], **{**arguments, "output": tmp_path / "none"})
    assert not (tmp_path / "none").exists()


@linux
@pytest.mark.parametrize(
    ("seconds", "rounds", "dropped"),
    [
        ([1] * 9, 2, 0),  # a third round of two would end after 6 of 5 seconds: it is not begun
        ([1, 1, 1, 9], 1, 1),  # nobody could know
    ],
)
def test_quick_does_whole_rounds(tmp_path, monkeypatch, seconds, rounds, dropped):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    out, said = tmp_path / "out", []

    def clock():
        """Advance with each run as it begins."""
        begun = [*out.glob("*_read_*.txt"), *out.glob(".*.part")]
        return float(sum(seconds[: len(begun)]))

    monkeypatch.setattr(tools, "time", SimpleNamespace(monotonic=clock, sleep=time.sleep))
    monkeypatch.setattr(runner, "LIMIT_S", 5.0)
    campaign = ft.measure.run(
        "throughput",
        [tmp_path / "a", tmp_path / "b"],
        output=out,
        effort="quick",
        size="16M",
        only=["read"],
        say=said.append,
    )
    assert campaign.status == "out of time"
    assert campaign.results.io.groupby("place")["round"].agg(list).to_dict() == {
        "a": [*range(1, rounds + 1)],
        "b": [*range(1, rounds + 1)],
    }
    told = f"{rounds} of 5 rounds were done in the 5 s of a quick campaign"
    assert told in "\n".join(said)
    reason = campaign.log[-1]["reason"]
    assert reason.startswith(told)
    assert ("runs of one that did not end were dropped" in reason) == bool(dropped)
    assert len(campaign.results.io) == 2 * rounds


@linux
def test_a_log_gets_a_line_now_and_then(tmp_path, monkeypatch):
    said = []
    arguments = {"output": tmp_path / "out", "rounds": 5, "size": "16M", "only": ["read"]}
    # a clock that goes on by 20 seconds with each run
    clock = SimpleNamespace(
        monotonic=itertools.count(0.0, 20.0).__next__, perf_counter=time.perf_counter
    )
    monkeypatch.setattr(session, "time", clock)
    (tmp_path / "place").mkdir()
    ft.measure.run("throughput", tmp_path / "place", say=said.append, **arguments)
    assert [text for text in said if "left" in text] == [
        "2 of 5 runs, round 2 of 5; about 60 s left",
        "4 of 5 runs, round 4 of 5; about 20 s left",
    ]


def test_half_a_line_is_not_followed_by_another(tmp_path, monkeypatch):
    def full(handle, data):
        write(handle, data[:9])
        raise OSError(errno.ENOSPC, "No space left on device")

    write, file = os.write, Manifest(tmp_path)
    file.write("campaign", {"format": 1})
    monkeypatch.setattr(os, "write", full)
    with pytest.raises(ft.MeasureError, match=r"manifest\.jsonl: No space left on device"):
        file.write("run", {"order": 1})
    monkeypatch.undo()
    file.write("end", {"status": "failed"})
    file.close()
    assert [line["kind"] for line in lines(tmp_path)] == ["campaign", "end"]


@linux
def test_a_file_system_without_direct_io(tmp_path, monkeypatch):
    def refuse(path, flags, *mode, **more):
        if flags & os.O_DIRECT:
            raise OSError(errno.EINVAL, "Invalid argument", str(path))
        return opened(path, flags, *mode, **more)

    opened = os.open
    monkeypatch.setattr(session.os, "open", refuse)
    place, said = tmp_path / "place", []
    place.mkdir()
    asked = {"output": tmp_path / "out", "rounds": 1, "size": "16M", "say": said.append}
    campaign = ft.measure.run("throughput", [place], only=["read", "read-direct"], **asked)
    assert campaign.status == "complete"
    assert campaign.plan.set_index("workload")["done"].to_dict() == {
        "read": True,
        "read-direct": False,
    }
    assert "place refuses direct I/O; left out there: read-direct" in "\n".join(said)
    with pytest.raises(ft.MeasureError, match="refuses direct I/O"):
        ft.measure.run(
            "throughput", [place], only=["read-direct"], **{**asked, "output": tmp_path / "no"}
        )
    assert not (tmp_path / "no").exists()
    assert list(place.iterdir()) == []


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
        ("/", "ext4"),
        ("/mnt", "ext4"),
        ("/mnt/mine", "ext4"),
        ("/mnt/my", "xfs"),  # the last hides the others
        ("/mnt/my disk/deep", "9p"),
        ("/dev/shm/x", "tmpfs"),
    ],
)
def test_the_mount_of_a_folder(mounts, folder, kind):
    mounts(TABLE)
    assert mount_of(PurePosixPath(folder)).kind == kind


def test_addresses_in_mount_options_are_cut(mounts):
    mounts(TABLE)
    share = mount_of(PurePosixPath("/mnt/my disk"))
    assert share.options == "rw,trans=virtio,addr=...,lowerdir=..."
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


@pytest.mark.parametrize(
    ("path", "files", "transport", "link", "rotational"),
    [
        (NVME, {"queue/rotational": "0", **PCIE}, "nvme", "pcie3-x4", False),
        (NVME, {**PCIE, "../../../current_link_width": "2"}, "nvme", None, None),
        (
            SATA,
            {"queue/rotational": "1", "/class/ata_link/link3/sata_spd": "6.0 Gbps"},
            "sata",
            "sata-3",
            True,
        ),
        (SATA, {"/class/ata_link/link3/sata_spd": "<unknown>"}, "sata", None, None),
        (USB, {"../../../../../../speed": "5000"}, "usb", "usb3-5g", None),
        (
            "pci0000:00/0000:00:05.0/virtio2/block/vda",
            {"queue/rotational": "1"},
            "virtio",
            None,
            True,
        ),
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
    assert (device.name, device.transport, device.images()) == ("loop0", "loop", [image])
    assert device.backing.is_direct
    assert device.backing.file_system == "ext4"
    assert device.backing.device.name == "sda"


@linux
@pytest.mark.usefixtures("sys_folder")
def test_the_disks_below_an_overlay(tmp_path, mounts):
    (tmp_path / "upper").mkdir()
    sysfs(tmp_path, SATA, {}, "8:1")
    options = f"lowerdir=/l,upperdir={tmp_path}/upper,workdir=/w"
    table = f"{ROOT_MOUNT}9 1 0:9 / /o rw - overlay overlay rw,{options}"
    mounts(table)
    mount = mount_of(PurePosixPath("/o/x"))
    assert mount.upper == f"{tmp_path}/upper"
    assert [device.name for device in devices_of(mount)] == ["sda"]
    mounts(table.replace(f"{tmp_path}/upper", "/nowhere/upper"))
    assert devices_of(mount_of(PurePosixPath("/o"))) == []


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
    assert scratch.drop("data.tmp") == scratch.path / "data.tmp"
    assert share_pct(image) == share_pct(scratch.path / "data.tmp") == 0
    assert scratch.remove() is None


def test_changes_since_the_beginning_are_listed():
    place = {"file_system": "ext4", "mount_options": "rw", "source": "/dev/sda1"}
    disk = {"name": "sda", "model": "Some Disk", "transport": "sata", "link": "sata-3"}
    before = {
        "machine": {"kernel": "Linux 6.1", "cpu": "x", "processors": 4, "ram_bytes": GIB},
        "tools": {"fio": "fio-3.33"},
        "places": [{"name": "a", **place, "device": disk}],
    }
    after = {
        "machine": {**before["machine"], "kernel": "Linux 6.2"},
        "tools": {"fio": "fio-3.41"},
        "places": [{"name": "a", **place, "mount_options": "rw,sync", "device": None}],
    }
    differ = "earlier and later runs may differ"
    assert [*messages.changed(before, before)] == []
    assert [*messages.changed(before, after)] == [
        f"kernel was Linux 6.1, now Linux 6.2: {differ}",
        f"fio was fio-3.33, now fio-3.41: {differ}",
        "a: mount options was rw, now rw,sync",
        "a: device was sda (Some Disk, sata, sata-3), now several disks or none",
    ]


def campaign(experiment, is_guest, **devices):
    """Make the input of `known`; a device, "tmpfs", or None for a network mount."""
    kinds = {None: "9p", "tmpfs": "tmpfs"}
    places = [
        {"name": name, "file_system": kinds[device], "device": None}
        if device in (None, "tmpfs")
        else {"name": name, "file_system": "ext4", "device": device}
        for name, device in devices.items()
    ]
    machine = {"ram_bytes": 8 * GIB, "is_guest": is_guest}
    asked = SimpleNamespace(experiment=experiment, size_bytes=GIB)
    session = {"places": places, "machine": machine}
    return SimpleNamespace(session=session, asked=asked, experiment=EXPERIMENTS[experiment])


SSD = {"transport": "nvme", "rotational": False, "link": "pcie4-x4"}
DISK = {"transport": "usb", "rotational": True, "link": "usb3-5g"}
PLATTERS = {"transport": "sata", "rotational": True, "link": None}
REMOTE = {"transport": "nvme-tcp", "rotational": False, "link": None}


def image(file_system, device, is_direct):
    below = {"file_system": file_system, "device": device, "is_direct": is_direct}
    return {"transport": "loop", "rotational": None, "link": None, "backing": below}


@pytest.mark.parametrize(
    ("given", "place", "expected"),
    [
        (
            campaign("random-io", False, a=SSD),
            None,
            {"host_ram": 0, "media": "nvme", "link": "pcie4-x4"},
        ),
        (campaign("random-io", False, a=SSD, b=DISK), None, {"host_ram": 0}),
        (
            campaign("random-io", False, a=SSD, b=DISK),
            "b",
            {"host_ram": 0, "link": "usb3-5g"},  # an SSD in a case may be said to rotate
        ),
        (campaign("random-io", False, a=PLATTERS), None, {"host_ram": 0, "media": "hdd"}),
        (campaign("random-io", False, a=REMOTE), None, {}),  # it has a server
        (campaign("random-io", False, a=image("ext4", SSD, False)), None, {}),  # in our page cache
        (campaign("random-io", False, a=image("ext4", SSD, True)), None, {"host_ram": 0}),
        (campaign("random-io", False, a=image("nfs4", None, True)), None, {}),
        (
            campaign("random-io", False, a=image("tmpfs", None, False)),
            None,
            {"host_ram": 0, "media": "ram"},
        ),
        (campaign("random-io", True, a=SSD), None, {}),  # what a guest is shown is the host's
        (campaign("random-io", None, a=SSD), None, {}),
        (campaign("random-io", False, a=None), None, {}),  # a network mount: a server caches
        (campaign("random-io", True, a="tmpfs"), "a", {"media": "ram"}),
        (campaign("page-cache", True, a=SSD), None, {"moved": GIB}),
    ],
    ids=[
        *(
            "ssd",
            "two",
            "one-of-two",
            "disk",
            "server",
            "image",
            "direct-image",
            "image-on-network",
        ),
        *("image-in-memory", "guest", "perhaps-guest", "network", "memory", "page-cache"),
    ],
)
def test_evidence_of_a_campaign(given, place, expected):
    assert ft.measure.known(given, place) == {"ram": 8 * GIB, "prefilled": True, **expected}


def test_small_files_are_not_prefilled():
    assert ft.measure.known(campaign("small-files", True, a=SSD)) == {"ram": 8 * GIB}


def test_a_plan_comes_back_from_json(tmp_path):
    asked = plan(tmp_path, "block-size")
    assert plan_from(json.loads(json.dumps(asdict(asked)))) == asked


@linux
def test_a_cache_that_was_not_dropped_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(Place, "is_memory", False)
    monkeypatch.setattr(scratch, "drop", lambda path: path.read_bytes())
    place, said = tmp_path / "place", []
    place.mkdir()
    asked = {"output": tmp_path / "out", "rounds": 2, "size": "16M", "say": said.append}
    campaign = ft.measure.run("throughput", place, only=["read"], **asked)
    assert campaign.plan["resident_pct"].tolist() == [100, 100]
    assert (
        "\n".join(said).count("read on place: 100 % of the file were in memory before a run") == 1
    )
