"""What a table of lsblk says of the devices."""

import pytest

from fiotools.readers.lsblk import BlockDevice, devices, parent
from tests.printed_lsblk import DEFAULT, DISKS, LOOP, LOOP_FIRST, ODD, WSL


def test_every_column_that_is_known():
    assert devices(DISKS) == [
        BlockDevice("sda", "disk", None, "1", "1.8T", "WDC WD20EZRZ", ()),
        BlockDevice("sda1", "part", None, "1", "1.8T", None, ()),
        BlockDevice("data", "lvm", None, "1", "100M", None, ("/mnt/usb/lv",)),
        BlockDevice("sdb", "disk", "sata", "0", "465.8G", "Samsung SSD 860", ("/mnt/ssd",)),
        BlockDevice("sdc", "disk", "sata", "0", "465.8G", "QEMU HARDDISK", ("/mnt/vm",)),
        BlockDevice("sdd", "disk", "usb", "1", "1T", "Portable SSD T5", ("/srv/x", "/mnt/usb")),
        BlockDevice("nvme0n1", "disk", "nvme", "0", "931.5G", "Samsung SSD 980 PRO 1TB", ()),
        BlockDevice("nvme0n1p1", "part", "nvme", "0", "512M", None, ("/boot/efi",)),
        BlockDevice("nvme0n1p2", "part", "nvme", "0", "931G", None, ("/",)),
    ]


@pytest.mark.parametrize("table", [DEFAULT, ODD], ids=["default", "odd"])
def test_other_columns_of_the_same_devices(table):
    told, whole = devices(table), devices(DISKS)
    assert [(one.name, one.size, one.mounts) for one in told] == [
        (one.name, one.size, one.mounts) for one in whole
    ]
    assert {one.rota for one in told} == {None}
    typed = {one.type for one in told}
    assert typed == ({"disk", "part", "lvm"} if table is DEFAULT else {None})
    if table is ODD:
        assert [one.model for one in told] == [one.model for one in whole]
        assert [one.tran for one in told] == [one.tran for one in whole]


@pytest.mark.parametrize("table", [LOOP, LOOP_FIRST], ids=["last", "first"])
def test_a_line_for_each_mount_point(table):
    told = {one.name: (one.type, one.mounts) for one in devices(table)}
    assert told == {
        "loop0": ("loop", ("/mnt/b", "/mnt/a")),
        "zram0": ("disk", ()),
        "vda": ("disk", ("/",)),
    }


def test_the_table_of_the_article():
    told = {one.name: (one.size, one.tran, one.mounts) for one in devices(f"# all\n{WSL}\nend\n")}
    assert told == {
        "sda": ("363.3M", None, ()),
        "sdb": ("2G", None, ()),  # swap is no place for a file
        "sdc": ("1T", None, ("/snap", "/mnt/wslg/distro", "/")),
        "sdd": ("1T", None, ()),
    }


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(" ".join(line.split()) for line in DEFAULT.split("\n")),  # as browsers copy it
        DISKS.replace("sata ", "sata"),  # moved by one
        DISKS.replace("T5   ", "T5 ö "),  # how wide a letter is is not known
        DISKS.partition("\n")[2],  # without its heading
        DISKS + DISKS,  # which one holds?
        DISKS + "and so on\n",
        'NAME="sda" TYPE="disk" TRAN="usb"\n',
        "NAME TYPE TRAN\nsda disk\n",  # lsblk -r: TRAN is none
        "NAME MODEL\n" + "x" * 2000 + "\n",
        "",
    ],
    ids=["blanks", "moved", "wide", "headless", "twice", "more", "pairs", "raw", "long", "empty"],
)
def test_what_is_not_certain_is_left(text):
    assert devices(text) == []


def test_names_of_the_kernel():
    names = ("sda1", "nvme0n1p2", "mmcblk0p1", "sda", "nvme0n1", "dm-0")
    assert [parent(name) for name in names] == ["sda", "nvme0n1", "mmcblk0", None, "nvme0n", "dm-"]
    disks = [name for name in names if BlockDevice(name).is_disk]
    assert disks == ["sda", "nvme0n1"]


def test_time_is_linear():
    assert devices("NAME RO" * 300_000 + "\n" + "sda 0 " * 300_000) == []
    assert devices("A" * 900 + "a\n" * 3 + "NAME SIZE\n" + ("a" * 900 + "\n") * 2000) == []
    assert len(devices("NAME SIZE\n" + "sda    1K\n" * 100_000)) == 100_000
