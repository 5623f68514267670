"""`check` uses the device that lsblk, or fio's own table of disks, names."""

from __future__ import annotations

import pandas as pd
import pytest

import fiotools as ft
from fiotools.stats.check.runs import RunFacts
from tests.printed_lsblk import DEFAULT, DISKS
from tests.stats.made_runs import MADE, RIGHT, dd, edited

# of a fixture that reads: the same figures, as writes
WRITING = [
    ('"rw" : "randread"', '"rw" : "randwrite"'),
    *(('"read" : {', '"was" : {'), ('"write" : {', '"read" : {'), ('"was" : {', '"write" : {')),
]
UNNAMED = 'give link=, such as link="usb3-5g", and devices='


def asked(command: str, table: str = DISKS, **known):
    """Check a dd that wrote 20 GB in 10 s, below a list of devices."""
    text = f"$ lsblk\n{table}{dd(command, 20 * 10**9, 10.0)}\n"
    return ft.check(ft.reads(text), **known)


def remedy(seen, check: str) -> str | None:
    rows = seen.query("check == @check")
    return rows["remedy"].item() if len(rows) else None


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (
            "/dev/sdd",
            'sdd (Portable SSD T5) is on usb, but not how fast that is: give the link, such as link="usb3-5g"',
        ),
        (
            "/mnt/ssd/f",
            'sdb (Samsung SSD 860) is on sata, but not how fast that is: give the link, such as link="sata-3"',
        ),
        (
            "/boot/efi/f",
            'is on nvme, but not how fast that is: give the link, such as link="pcie3-x4"',
        ),
    ],
)
def test_lsblk_tells_the_kind_of_the_link(target, said):
    seen = asked(f"dd if=/dev/zero of={target}").query("check == 'link'")
    assert seen["verdict"].item() == "unknown"
    assert seen["remedy"].item().startswith("lsblk shows that")
    assert said in seen["remedy"].item()
    # what the caller says holds
    told = asked(f"dd if=/dev/zero of={target}", link="pcie4-x4").query("check == 'link'")
    assert (told["verdict"].item(), told["limit"].item()) == ("ok", 7877e6)


@pytest.mark.parametrize("target", ["/mnt/vm/f", "/dev/sda", "f", "/mnt/usb/lv/f"])
def test_lsblk_does_not_tell_the_link(target):
    assert remedy(asked(f"dd if=/dev/zero of={target}"), "link") == UNNAMED


def test_a_list_without_the_column():
    assert remedy(asked("dd if=/dev/zero of=/dev/sdd", DEFAULT), "link") == UNNAMED


@pytest.mark.parametrize(
    ("target", "named"),
    [
        ("/dev/nvme0n1", "nvme0n1"),
        ("/boot/efi/f", "nvme0n1"),
        ("/mnt/ssd/f", "sdb"),
        ("/mnt/vm/f", None),  # QEMU's SATA
        ("/dev/sdd", None),  # in a case on USB may be anything
        ("/dev/sda", None),
    ],
)
def test_lsblk_tells_the_medium(target, named):
    # only of an SSD it is asked how much its cache takes
    seen = asked(f"dd if=/dev/zero of={target}").query("check == 'preconditioning'")
    assert len(seen) == (named is not None)
    if named:
        assert seen["verdict"].item() == "unknown"
        assert f"20.0 GB were written to {named};" in seen["why"].item()


def test_a_rotating_disk_is_not_proved_to_be_one():
    # 2 GB/s are more than platters give, and ROTA=1 does not prove any
    assert "medium" not in set(asked("dd if=/dev/zero of=/dev/sda")["check"])
    seen = asked("dd if=/dev/zero of=/dev/sda", media="hdd").query("check == 'medium'")
    assert seen["verdict"].item() == "suspect"


@pytest.mark.parametrize(
    ("model", "is_ssd"),
    [
        ("Samsung SSD 860", True),
        ("VBOX HARDDISK  ", False),
        ("VMware Virtual ", False),
        ("Msft VirtDisk  ", False),
        ("Ubuntu-0 SSD   ", False),
        ("               ", False),
    ],
)
def test_a_virtual_model_is_not_an_ssd(model, is_ssd):
    seen = asked("dd if=/dev/zero of=/dev/sdb", DISKS.replace("Samsung SSD 860", model))
    assert ("preconditioning" in set(seen["check"])) == is_ssd
    assert (remedy(seen, "link") == UNNAMED) == (not is_ssd and not model.isspace())


@pytest.mark.parametrize(
    ("disk", "is_nvme"), [("nvme0n1", True), ("vda", False), ("dm-0", False), ("loop0", False)]
)
def test_the_disks_of_fio(disk, is_nvme):
    results = edited(MADE / RIGHT, ('"vda"', f'"{disk}"'), *WRITING)
    assert results.disks["device"].unique().tolist() == [disk]
    seen = ft.check(results).query("check == 'preconditioning'")
    assert len(seen) == is_nvme
    # the caller's word counts for more
    assert not len(ft.check(results, media="hdd").query("check == 'preconditioning'"))


def test_a_layer_over_nvme_is_not_nvme():
    results = edited(MADE / RIGHT, ('"vda"', '"nvme0n1"'), *WRITING)
    assert "preconditioning" in set(ft.check(results)["check"])
    layer = results.disks.assign(device="dm-0")
    both = pd.concat([results.disks, layer], ignore_index=True)
    layered = ft.Results({**results.tables, "disks": both}, files=1)
    assert "preconditioning" not in set(ft.check(layered)["check"])


COPIED = dd("dd if=/dev/zero of=w bs=1M conv=fsync", 2 * 10**9, 9.5)
PACKED = "FSTYPE OPTIONS\nbtrfs  rw,relatime,compress=zstd:3,subvol=/\n"
ON_TMPFS = "FSTYPE  SIZE\ntmpfs  11.8G\n"
DF = "Filesystem     Type 1K-blocks  Used Available Use% Mounted on\ntmpfs          tmpfs  1000  10  990  1% /a\n"


@pytest.mark.parametrize(
    ("before", "accused"),
    [
        (f"$ findmnt -T . -o FSTYPE,OPTIONS\n{PACKED}", "dd_source"),
        (f"$ findmnt -T . -o FSTYPE,OPTIONS\n{PACKED.replace('=zstd:3', '=no')}", None),
        (f"$ findmnt -T . -o FSTYPE,SIZE\n{ON_TMPFS}", "medium"),
        (f"$ df -T .\n{DF}", "medium"),
        (f"$ df -T w\n{DF}", "medium"),
        # of another place, or before the place was another
        (f"$ df -T /a\n{DF}", None),
        (f"$ df -T .\n{DF}$ cd /b\n", None),
        (f"$ df -T .\n{DF}$ mount /dev/sda /a\n", None),
        (f"$ df -T\n{DF}", None),
        (f"other$ df -T .\n{DF}", None),
    ],
)
def test_the_file_system_of_a_session(before, accused):
    seen = ft.check(ft.reads(before + COPIED + "\n"))
    assert set(seen.query("verdict == 'suspect'")["check"]) == ({accused} if accused else set())


def test_a_command_that_shows_all_options():
    for command, told in (
        ("fio --name=j --rw=read", True),
        ("sudo fio --name=j --rw=read | tee log", True),
        ("fio --name=j --rw=read >log 2>&1", True),
        ("fio job", False),
        ("fio --rw read", False),
        ("fio -", False),
        ("", False),
    ):
        run = RunFacts({"command": command}, {"timings": []}, {}, None)
        assert run.shows_all_options == told, command
