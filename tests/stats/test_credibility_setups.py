"""Unusual honest set-ups, which have nothing impossible; and dishonest ones, which are caught."""

from __future__ import annotations

import pytest

import fiotools as ft
from tests.stats.made_runs import (
    CACHED,
    CDM,
    COLD,
    DATA,
    FIO_TEXT,
    RIGHT,
    data,
    dd,
    diskspd,
    made,
    text,
    times,
    two,
)

# a small machine without a host, on a slow link: nothing is hidden from physics
TIGHT = {"ram": "16MB", "host_ram": 0, "link": "usb2"}
FIO = "fio-3.33--{}.json".format


def reading(rate: str, more: str = ""):
    """Write fio's report of sequential reads at a rate in MiB/s, for 10 s."""
    mib = float(rate)
    lines = [
        line.replace("{more}", more)
        .replace("write", "read")
        .replace("; 0 zone resets", "")
        .replace("IOPS=64, BW=64.0MiB/s (67.1MB/s)(64.0MiB/1000msec)", "{figures}")
        .replace("total=0,64", f"total={10 * int(mib)},0")
        for line in FIO_TEXT
    ]
    figures = f"IOPS={int(mib)}, BW={mib:.0f}MiB/s ({mib * 1.048576:.0f}MB/s)"
    figures += f"({10 * mib / 1024:.1f}GiB/10000msec)"
    return text(*[line.replace("{figures}", figures) for line in lines])


HONEST = {
    "tmpfs": (made(FIO("tmpfs")), {**TIGHT, "media": "ram"}),
    "a warm cache, declared": (made(FIO("cached_fast")), {**TIGHT, "cache": "warm"}),
    "a warm side, named": (
        two(cold=COLD, warm=text("$ time cat f > /dev/null", times(0.5, 0.1, 0.4))),
        {**TIGHT, **CACHED, "moved": "400MB"},
    ),
    "RAID 0 of four SATA SSDs": (
        reading("2100", " --direct=1"),
        {"link": "sata-3", "devices": 4, "media": "sata-ssd", "host_ram": 0, "ram": "8GB"},
    ),
    "NFS over 10 GbE, cached by the client": (
        reading("2100"),
        {"link": "eth-10g", "cache": "warm"},
    ),
    "a compressed btrfs": (
        made(FIO("btrfs_compressed")),
        {"link": "sata-2", "compression": 20, "host_ram": 0, "ram": "16MB"},
    ),
    "trims": (made(FIO("trim_null")), TIGHT),
    "trims and writes in one figure": (
        made(
            FIO("trim_null"),
            ('"trim" : {', '"mixed" : {'),
            ('"randtrim"', '"randtrimwrite"'),
        ),
        TIGHT,
    ),
    "a verify phase": (made(FIO("verify_phase")), {"link": "pcie3-x4", "ram": 0, "host_ram": 0}),
    "clones in a group": (
        made(FIO("two_modes")),
        {"link": "sata-3", "ram": "16MB", "host_ram": 0},
    ),
    "a corner of the file": (
        made(FIO("cached_reread"), ('"size" : "64m"', '"size" : "64g",\n"zonesize" : "1m"')),
        TIGHT,
    ),
    "a few hot blocks": (
        made(FIO("zipf"), ('"size" : "64m"', '"size" : "64g"')),
        {"ram": "1MB", "host_ram": 0, "link": "pcie3-x4"},
    ),
    "the same file again and again": (
        made(FIO("cached_reread")),
        {"ram": "128MB", "host_ram": 0, "link": "usb2"},
    ),
    "a rate limit": (made(FIO("rate_limited")), TIGHT),
    "reads and writes at once, both ways": (
        data("dda-vhdx/xml/nvme.xml"),
        {"link": "usb3-5g", "ram": "16MB", "host_ram": 0},
    ),
    "a network mount bound by its processor": (
        data("lima-mounts/fio/9p_randread.txt"),
        {"link": "eth-1g", "ram": "2GB"},
    ),
    "two clients with a link each": (
        made(
            FIO("two_clients"),
            ('"127.0.0.1",\n      "port" : 18767', '"127.0.0.2",\n      "port" : 18767'),
        ),
        {"link": "36MB/s"},
    ),
    "block sizes in a range": (
        made(FIO("bs_range")),
        {"link": "sata-3", "ram": "16MB", "host_ram": 0},
    ),
    "threads of fio's own that submit": (
        made(
            FIO("sync_depth_32"),
            ('"iodepth" : "32"', '"iodepth" : "32",\n"io_submit_mode" : "offload"'),
        ),
        {"link": "sata-3", "ram": "128MB", "host_ram": 0},
    ),
    "threads that read the same from its start": (
        diskspd("2.0.21a--seq64k_t4_D_only.xml"),
        {"link": "1GB/s", "ram": "16MB", "host_ram": 0},
    ),
    "dd that flushes": (made("gnu-dd-9.1--fdatasync.txt"), {"link": "pcie3-x4", "ram": "1GB"}),
}


@pytest.mark.parametrize(("read", "known"), HONEST.values(), ids=list(HONEST))
def test_an_honest_set_up_has_nothing_impossible(read, known):
    results = read()
    assert len(results.runs)
    seen = ft.check(results, **known)
    wrong = seen.query("verdict == 'impossible'")
    assert not len(wrong), wrong["why"].tolist()


DISHONEST = {
    "a rate of dd, edited": (
        lambda: ft.reads(
            "1+0 records in\n1+0 records out\n1000000000 bytes copied, 10 s, 1.0 GB/s"
        ),
        {},
        ("parts", "suspect"),
    ),
    "a rate of fio, edited": (
        made(FIO("flushed"), ('"io_bytes" : 67108864', '"io_bytes" : 167108864')),
        {},
        ("parts", "suspect"),
    ),
    "a depth, edited": (
        made(RIGHT, ('"iodepth" : "4"', '"iodepth" : "1"')),
        {},
        ("little", "impossible"),
    ),
    "IOPS of CrystalDiskMark, edited": (
        lambda: ft.reads(CDM.replace("2000.0", "9000.0")),
        {},
        ("parts", "suspect"),
    ),
    "a file without blocks": (made(FIO("sparse_direct")), {}, ("sparse", "suspect")),
    "a hard disk on USB at 2 GB/s": (
        data("wsl-vhdx/f_ext4-vhdx_write.txt"),
        {"link": "usb3-5g"},
        ("link", "impossible"),
    ),
    "bytes that were never stored": (
        data("wsl-vhdx/f_ext4-vhdx_write.txt"),
        {"link": "usb3-5g", "ram": "8GB", "host_ram": 0},
        ("budget", "impossible"),
    ),
    "a sync that time does not time": (
        made("gnu-dd-9.1--timed_without_sync.txt"),
        {},
        ("dd_flush", "suspect"),
    ),
    "the page cache, sold as an SSD": (
        made(FIO("cached_fast")),
        {"media": "nvme"},
        ("fast_reads", "suspect"),
    ),
    "direct=1 on a mapping": (
        made(FIO("mmap_direct"), ('"rw" : "randread"', '"rw" : "randread",\n"pre_read" : "1"')),
        {},
        ("cache", "suspect"),
    ),
    "zeros": (made(FIO("zero_buffers")), {}, ("data", "suspect")),
    "no engine": (made(FIO("null_engine")), {}, ("engine", "suspect")),
    "a depth that is none": (made(FIO("sync_depth_32")), {}, ("depth", "suspect")),
    "a mirror faster than its disks": (
        lambda: ft.read(f"{DATA}/dda-vhdx/xml/{{side}}.xml"),
        {"between": "side", "baseline": "mirror", "copies": {"nvme": 2}, "devices": 1},
        ("mirror", "suspect"),
    ),
    "two disks at one speed": (
        lambda: ft.read(f"{DATA}/wsl-vhdx/{{drive}}_{{mount}}_write.txt"),
        {"between": "drive", "baseline": "f", "sides": "device"},
        ("layers", "suspect"),
    ),
    "a run that was copied": (two(slow=made(RIGHT), fast=made(RIGHT)), {}, ("twin", "suspect")),
    "a page cache, sold as a SATA disk": (
        text(dd("dd if=/dev/zero of=f bs=1M", 10**10, 5.5)),
        {"link": "sata-3"},
        ("link", "impossible"),
    ),
}


@pytest.mark.parametrize(("read", "known", "caught"), DISHONEST.values(), ids=list(DISHONEST))
def test_a_dishonest_set_up_is_caught(read, known, caught):
    seen = ft.check(read(), **known)
    assert caught in set(zip(seen["check"], seen["verdict"], strict=True))


SELDOM = (('"ctx" : 10909', '"ctx" : 1090'), ('"name" : "vda"', '"name" : "loop0"'))
ENGINE = '"ioengine" : "libaio"'


def of(*edits):
    """Name what is suspect of a right run whose job slept a tenth as often as it had to."""
    seen = ft.check(made(RIGHT, *SELDOM, *edits)())
    return set(seen.query("verdict in ('suspect', 'impossible')")["check"])


def test_a_job_of_depth_four_that_seldom_slept_had_no_device():
    assert of() == {"sparse"}


@pytest.mark.parametrize(
    "edit",
    [
        ('"usr_cpu" : 4.200000', '"usr_cpu" : 37.000000'),  # of 71 %: a full processor
        (ENGINE, '"ioengine" : "io_uring", "hipri" : "1"'),
        (ENGINE, '"ioengine" : "io_uring", "sqthread_poll" : "1"'),
        (ENGINE, f'{ENGINE}, "iodepth_batch_complete_min" : "0"'),
        (ENGINE, f'{ENGINE}, "io_submit_mode" : "offload"'),
        (ENGINE, '"ioengine" : "libpmem"'),
    ],
)
def test_a_job_that_need_not_sleep_is_not_accused(edit):
    assert of(edit) == set()


def test_samples_of_windows_of_another_length_are_not_counted():
    twice = (
        ('"iops_mean" : 22620', '"iops_mean" : 45240'),
        ('"iops_max" : 25470', '"iops_max" : 50940'),
    )
    seen = ft.check(made(RIGHT, *twice, (ENGINE, f'{ENGINE}, "iopsavgtime" : "100"'))())
    assert "samples" not in set(seen["check"])


DD = "dd if=/dev/zero of=f bs=1M"


@pytest.mark.parametrize(
    ("command", "is_timed"),
    [
        (f"time ({DD} && sync)", True),
        (f"time sh -c '{DD}; sync'", True),
        (f"sh -c 'time ({DD}; sync)'", True),
        (f'bash -c "time {{ {DD} && /bin/sync; }}"', True),
        (f"/usr/bin/time -p sh -c '{DD}; sync'", True),
        (f"time {DD}; sync", False),
        (f"time {DD} && sync", False),
        (f"time (sync; {DD})", False),
        (f"time sh -c '{DD}' && sync", False),
        (f"sh -c 'time ({DD}); sync'", False),
        (f"sh -c 'time {DD}; sync'", False),
        (f"time ({DD}; echo async)", False),
    ],
)
def test_a_sync_counts_if_time_measures_it(command, is_timed):
    seen = ft.check(text(dd(command, 10**9, 2.0), times(4.0, 0.1, 1.0))())
    found = seen.query("check == 'dd_flush'").iloc[0]
    told = ("note", 250e6) if is_timed else ("suspect", 500e6)
    assert (found["verdict"], found["observed"]) == told
