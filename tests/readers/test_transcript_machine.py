"""Which device a run of a session was on, and when that is not said."""

import pytest

import fiotools as ft
from tests.printed_lsblk import DEFAULT, DISKS, LOOP, ODD, WSL

REPORT = (
    "2+0 records in\n2+0 records out\n2097152 bytes (2.1 MB, 2.0 MiB) copied, 0.5 s, 4.2 MB/s\n"
)
SDD = {"name": "sdd", "tran": "usb", "rota": "1", "size": "1T", "model": "Portable SSD T5"}
USB = "dd if=/dev/zero of=/mnt/usb/f"
FIO = """\
w: (g=0): rw=write, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1
fio-3.33
Starting 1 process

w: (groupid=0, jobs=1): err= 0: pid=1: Fri Nov 20 10:00:00 2026
  write: IOPS=256, BW=1024KiB/s (1049kB/s)(2048KiB/2000msec); 0 zone resets
"""


def device(text: str) -> dict[str, str]:
    """Give what is kept of the device, by its name in the table."""
    extras = ft.reads(text).extras
    extras = extras[extras["path"].str.startswith("device/")]
    return dict(zip(extras["path"].str.removeprefix("device/"), extras["text"], strict=True))


def shown(command: str, table: str = DISKS) -> str:
    return f"$ lsblk -o NAME,TYPE\n{table}$ {command}\n{REPORT}"


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("dd if=/dev/zero of=/dev/sdd", "sdd"),
        ("dd if=/dev/nvme0n1 of=/dev/null", "nvme0n1"),
        ("dd if=/dev/nvme0n1p2 of=/dev/null", "nvme0n1"),
        ("dd if=/dev/sdd3 of=/dev/null", "sdd"),  # made since
        ("dd if=/dev/zero of=/mnt/usb/f", "sdd"),
        ("dd if=/dev/zero of=/srv/x/deep/f", "sdd"),
        ("sudo time dd if=/boot/efi/f of=/dev/null", "nvme0n1"),
        # relative, or below / alone, where a tmpfs or a network may be mounted
        ("dd if=/dev/zero of=f", None),
        ("dd if=/dev/zero of=/tmp/f", None),
        ("dd if=/dev/zero of=/mnt/usb2/f", None),
        ("dd if=/dev/zero of=/mnt/usb/../f", None),
        ("dd if=/dev/zero of=/mnt/usb/$f", None),
        # layers: the longest mount point is that of an LVM
        ("dd if=/dev/zero of=/mnt/usb/lv/f", None),
        ("dd if=/dev/mapper/data of=/dev/null", None),
        ("dd if=/dev/sdz of=/dev/null", None),
        # two devices, another machine, nothing known
        ("dd if=/dev/sda of=/dev/sdd", None),
        ("ssh box dd if=/dev/zero of=/dev/sdd", None),
        ("./bench.sh", None),
    ],
)
def test_the_device_under_a_run(command, name):
    assert device(shown(command)).get("name") == name


def test_what_is_kept():
    assert device(shown(USB)) == SDD
    assert device(shown(USB, DEFAULT)) == {"name": "sdd", "size": "1T"}
    assert device(shown(USB, ODD)) == {name: SDD[name] for name in SDD if name != "rota"}
    assert device(shown("dd if=/dev/sda of=/dev/null")).keys() == SDD.keys() - {"tran"}
    assert device(shown("dd if=/mnt/a/f of=/dev/null", LOOP)) == {}
    assert device(shown(USB.replace("/mnt/usb", "/mnt/wslg/distro"), WSL))["name"] == "sdc"
    assert device(shown(USB.replace("/mnt/usb", "/snap"), WSL)) == {"name": "sdc", "size": "1T"}
    # the article's list is older than its mount
    assert device(shown(USB.replace("/mnt/usb", "/mnt/wsl/work001"), WSL)) == {}


@pytest.mark.parametrize(
    ("before", "is_known"),
    [
        ("$ lsblk | grep -v loop\n" + DISKS, True),
        ("$ lsblk | column -t\n" + DISKS, False),
        ("# lsblk\n" + DISKS, False),  # at another prompt
        ("$ ssh box lsblk\n" + DISKS, False),
        ("$ cat devices.txt\n" + DISKS, False),
        # two lists: they agree, complete each other, or do not
        ("$ lsblk\n" + DISKS + "$ lsblk\n" + DISKS, True),
        ("$ lsblk\n" + DEFAULT + "$ lsblk -S\n" + DISKS, True),
        ("$ lsblk\n" + DISKS + "$ lsblk\n" + DISKS.replace("Portable", "Someones"), False),
        ("$ lsblk\n" + DISKS + "$ lsblk\n" + DISKS.replace("/mnt/usb", "/mnt/ush"), False),
        # the mount points may have changed
        ("$ lsblk\n" + DISKS + "$ sudo umount /mnt/usb\n", False),
        ("$ lsblk\n" + DISKS + "$ mount /dev/sdd /mnt/usb\n$ lsblk\n" + DISKS, True),
    ],
)
def test_lists_and_what_stands_between(before, is_known):
    assert device(f"{before}$ {USB}\n{REPORT}") == (SDD if is_known else {})


def test_a_device_by_its_name_outlives_a_mount():
    text = f"$ lsblk\n{DISKS}$ mount /dev/sdd /mnt\n$ dd if=/dev/zero of=/dev/sdd\n{REPORT}"
    assert device(text) == SDD
    assert device(f"$ dd if=/dev/zero of=/dev/sdd\n{REPORT}$ lsblk\n{DISKS}") == SDD


@pytest.mark.parametrize(
    ("options", "disks", "name"),
    [
        ("--filename=/dev/sdd", "", "sdd"),
        ("--filename=/mnt/usb/f", "", "sdd"),
        ("--filename=/dev/sdd:/dev/sdb", "", None),
        ("--filename=/mnt/usb/f:/mnt/ssd/f", "", None),
        ("", "", None),
        # what fio itself saw counts for more than a path
        (
            "--filename=f",
            "  sdb: ios=0/512, merge=0/0, ticks=0/10, in_queue=10, util=1.00%\n",
            "sdb",
        ),
        ("--filename=/mnt/usb/f", "  dm-0: ios=0/512, merge=0/0, ticks=0/10, util=1.00%\n", None),
    ],
)
def test_fio(options, disks, name):
    stats = f"\nDisk stats (read/write):\n{disks}" if disks else ""
    text = f"$ lsblk\n{DISKS}$ fio --name=w {options} --rw=write\n{FIO}{stats}"
    results = ft.reads(text)
    assert len(results.runs) == 1
    assert len(results.disks) == bool(disks)
    assert device(text).get("name") == name


def test_without_the_tables_it_needs():
    assert ft.reads(shown(USB), tables=("extras",)).extras["path"].str.contains("device").sum() == 0


def test_time_is_linear():
    table = "NAME MOUNTPOINT\n" + "".join(f"s{n:03} /{'a/' * n}a\n" for n in range(450))
    runs = f"$ dd if=/dev/zero of=/{'a/' * 490}b\n{REPORT}" * 500
    assert device(f"$ lsblk\n{table}" * 8 + runs) == {}
