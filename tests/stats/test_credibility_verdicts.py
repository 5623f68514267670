"""Every verdict of every check, each with a run that deserves it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable

import pytest

import fiotools as ft
from fiotools.stats.check.outcomes import outcomes
from fiotools.vocabulary import GRAVEST
from tests.stats.made_runs import (
    CACHED,
    CDM,
    COLD,
    DATA,
    DROPPED,
    FIO_TEXT,
    LINKED,
    READING,
    RIGHT,
    ROOT,
    SIDES,
    USB,
    WARM,
    data,
    dd,
    diskspd,
    edited,
    made,
    text,
    times,
    two,
    typed,
)

TMPFS = ROOT / "tests/fixtures/check_matrix/fio-3.33--tmpfs_direct_randread_psync.json"
SOURCE = ROOT / "fiotools" / "stats" / "check"
BUSY = "fio-3.33--slow_submission.json"
# what is read ahead is not one request for each read
HYPERFINE = ROOT / "tests/fixtures/hyperfine/hyperfine-1.15.0--two_commands.json"
GROUP = (
    "Run status group 0 (all jobs):\n  WRITE: bw=64.0MiB/s (67.1MB/s), 64.0MiB/s-64.0MiB/s "
    "(67.1MB/s-67.1MB/s), io=64.0MiB (67.1MB), run=1000-1000msec"
)
READ_AHEAD = [('"rw" : "randread"', '"rw" : "read"'), ('"read_ios" : 20971', '"read_ios" : 5')]
OF_LAST_TARGET = (
    "<Throughput>0</Throughput>\n<ThreadsPerFile>1</ThreadsPerFile>\n"
    "<IOPriority>3</IOPriority>\n</Target>\n</Targets>"
)

Case = tuple[str, str, str, Callable[[], ft.Results], dict[str, object]]
# check, verdict, what is said, of what, and what is known
CASES: list[Case] = [
    ("budget", "impossible", "were never stored nor read", USB, {**LINKED, "host_ram": 0}),
    ("budget", "suspect", "in the memory of a host, or nowhere", USB, LINKED),
    ("budget", "ok", "21.5 GB were moved: the guest has", USB, {**LINKED, "ram": "24GB"}),
    ("budget", "unknown", "cannot be accounted for", USB, {}),
    ("budget", "unknown", "size of the file is missing", text(*FIO_TEXT[1:]), LINKED),
    # uniformly random: 25 MB of a file of 16.8 MB reach 13 MB of it
    ("budget", "unknown", "MB in .* cannot be accounted for", diskspd("2.2--two_sockets.txt"), {}),
    (
        *("budget", "unknown", "which part of the file was read or written"),
        *(diskspd("2.1--rs50_distribution.txt"), {}),
    ),
    ("cache", "ok", "as declared", made(RIGHT), {"cache": "warm"}),
    ("cache", "ok", "direct I/O bypasses", made(RIGHT), {"host_ram": 0}),
    (
        *("cache", "ok", "10 times the memory", data("wsl-vhdx/f_ext4-vhdx_read.txt")),
        {"ram": "1GB", "host_ram": "1GB"},
    ),
    ("cache", "suspect", "pre_read=1", made("fio-3.33--cached_fast.json"), {}),
    ("cache", "suspect", "invalidate=0", made("fio-3.33--invalidate_off.json"), {}),
    (
        *("cache", "unknown", "88.8 MB were read from .* before each pass"),
        *(made("fio-3.33--cached_reread.json", ('"disk_util"', '"disks"')), {}),
    ),
    # the page cache was emptied before each pass
    (
        *("cache", "ok", "vda gave 96.7 % of what was read"),
        *(made("fio-3.33--cached_reread.json"), {"host_ram": 0}),
    ),
    (
        *("cache", "suspect", "slept 11 times in 21,679 I/Os, 0.0507 % as often"),
        *(made("fio-3.33--cached_reread.json", ('"ctx" : ', '"ctx" : 11, "was" : ')), {}),
    ),
    # a depth that was not given is 1
    (
        *("cache", "suspect", "slept 11 times in 21,679 I/Os, 0.0507 % as often"),
        *(
            made(
                "fio-3.33--cached_reread.json",
                ('"ctx" : ', '"ctx" : 11, "was" : '),
                ('"psync"', '"libaio"'),
            ),
            {},
        ),
    ),
    (
        *("cache", "suspect", "vda gave at most 23.6 % of what was read: the rest"),
        *(made("fio-3.33--cached_reread.json", *READ_AHEAD), {}),
    ),
    (
        *("cache", "unknown", "a loop device is a file on another file system"),
        *(made(RIGHT, ('"vda"', '"loop0"')), {"host_ram": 0}),
    ),
    (
        *("cache", "unknown", "but not ZFS's own, and no device was counted"),
        *(made(RIGHT, ('"disk_util"', '"disks"')), {"host_ram": 0}),
    ),
    ("cache", "suspect", "210 MB through", made("gnu-dd-9.1--cached_read.txt"), {"ram": "1GB"}),
    (
        *("cache", "unknown", "the file is 4 times as large as the memory"),
        *(made("fio-3.33--cached_reread.json", ('"disk_util"', '"disks"')), {"ram": "16MB"}),
    ),
    ("cache", "unknown", "whether direct=1 was set, and", text(*READING), {}),
    (
        *("cache", "unknown", "fio drops the cache first, but not dirty pages"),
        *(
            made(
                "fio-3.33--cached_reread.json",
                ('"disk_util"', '"disks"'),
                ('"size" : "64m"', '"fsync" : "0"'),
            ),
            {},
        ),
    ),
    (
        *("cache", "unknown", "fio drops the cache first, but not dirty pages"),
        *(made("fio-3.33--mmap_direct.json", ('"disk_util"', '"disks"')), {}),
    ),
    (
        *("cache", "unknown", "ioengine=rbd does not use the page cache"),
        *(made(RIGHT, ('"libaio"', '"rbd"')), {}),
    ),
    (
        *("cache", "unknown", "size of the memory"),
        *(made("gnu-dd-9.1--cached_read.txt"), {}),
    ),
    (
        *("cache", "unknown", "whether the page cache was off"),
        *(lambda: ft.reads(CDM), {}),
    ),
    (
        *("cache", "unknown", "a host may cache"),
        *(data("wsl-vhdx/f_ext4-vhdx_read.txt"), {"ram": "1GB"}),
    ),
    (
        *("cache", "ok", "the command drops the cache first"),
        *(
            text(dd("echo 3 > /proc/sys/vm/drop_caches; dd if=f of=/dev/null", 10**9, 9.5)),
            {"ram": "8GB", "host_ram": 0},
        ),
    ),
    ("caching", "suspect", "neither -Sh nor -Su", diskspd("linux--D100.txt"), {}),
    ("caching", "ok", "the file cache was off", diskspd("2.0.12--mix_2targets_D_L.xml"), {}),
    (
        *("caching", "unknown", "whether -Sh or -Su was given"),
        *(data("dda-vhdx/text/nvme.txt"), {}),
    ),
    ("copying", "suspect", "copied memory", made("gnu-dd-9.1--nowhere.txt"), {}),
    ("copying", "suspect", "copied memory", data("page-cache/after.txt"), {}),
    ("copying", "ok", "as declared", data("page-cache/after.txt"), {"cache": "warm"}),
    ("copying", "ok", "busy for 34.0 ms of 71.0 ms", made("bash-5.2.15--cat_warm.txt"), {}),
    ("data", "suspect", "zero_buffers=1", made("fio-3.33--zero_buffers.json"), {}),
    ("data", "suspect", "zero_buffers:", typed(" --zero_buffers"), {}),
    ("data", "ok", "random data cannot be compressed", typed(""), {}),
    (
        *("data", "unknown", "unless zero_buffers was set"),
        *(made("fio-3.33--zero_buffers_unlisted.json"), {}),
    ),
    (
        *("data", "suspect", "-Z writes zeros"),
        *(
            diskspd(
                "2.0.12--mix_2targets_D_L.xml",
                ("<Pattern>sequential<", "<Pattern>zero<"),
            ),
            {},
        ),
    ),
    (
        *("data", "ok", "random data was written"),
        *(
            diskspd(
                "2.0.12--mix_2targets_D_L.xml",
                ("<Pattern>sequential<", "<Pattern>random<"),
            ),
            {},
        ),
    ),
    ("data", "note", "0 to 255", diskspd("2.0.12--mix_2targets_D_L.xml"), {}),
    ("dd_flush", "ok", "waited for the disk", made("gnu-dd-9.1--fdatasync.txt"), {}),
    ("dd_flush", "note", "the rate is 470 MB/s", made("gnu-dd-9.1--sync_in_time.txt"), {}),
    (
        "dd_flush",
        "suspect",
        "958 MB/s is the rate of the page cache",
        made("gnu-dd-9.1--unflushed.txt"),
        {},
    ),
    (
        *("dd_flush", "suspect", "290 MB/s is the rate of the page cache"),
        *(made("gnu-dd-9.1--timed_without_sync.txt"), {}),
    ),
    (
        *("dd_flush", "unknown", "40.4 MB/s may include the page cache"),
        *(text(dd("dd if=/dev/zero of=/mnt/e/f bs=1M", 1048576000, 25.939)), {}),
    ),
    (
        *("dd_flush", "suspect", "2.00 GB/s is the rate of the page cache"),
        *(text(dd("dd if=/dev/zero of=f bs=1M", 2 * 10**10, 10)), {}),
    ),
    ("dd_flush", "unknown", "no command line", text(dd("", 10**9, 9.5)[2:]), {}),
    (
        *("dd_flush", "unknown", "dd closes /dev/sdb before its clock ends"),
        *(text(dd("dd if=/dev/zero of=/dev/sdb bs=1M", 10**9, 9.5)), {}),
    ),
    ("dd_source", "suspect", "no disk is involved", made("gnu-dd-9.1--nowhere.txt"), {}),
    ("dd_source", "suspect", "196 MB/s, may be", made("gnu-dd-9.1--random_source.txt"), {}),
    (
        *("dd_source", "suspect", "no block is stored"),
        *(text(dd("dd if=/dev/zero of=f bs=1M conv=sparse,fsync", 10**9, 9.5)), {}),
    ),
    ("dd_source", "unknown", "zeros were written", made("gnu-dd-9.1--fdatasync.txt"), {}),
    ("dd_time", "suspect", "below 1 s", made("gnu-dd-9.1--unflushed.txt"), {}),
    (
        "dd_time",
        "note",
        "3.00 s: a short time varies",
        text(dd("dd if=f of=g bs=1M", 10**9, 3)),
        {},
    ),
    ("dd_time", "note", "a short time varies much", made("gnu-dd-9.1--random_source.txt"), {}),
    (
        *("dd_time", "note", "400 ms: a short time varies much"),
        *(text(dd("dd if=f of=g bs=1M oflag=direct", 10**8, 0.4)), {}),
    ),
    (
        *("dd_time", "suspect", "27.0 ms: below 1 s"),
        *(text(dd("dd if=f of=g bs=1M oflag=direct", 4 << 20, 0.027)), {}),
    ),
    ("dd_time", "ok", "10.9 s", USB, {}),
    ("depth", "suspect", "one I/O in flight", made("fio-3.33--sync_depth_32.json"), {}),
    ("depth", "suspect", "waits in io_submit", made("fio-3.33--no_direct.json"), {}),
    ("depth", "ok", "which can keep it", made(RIGHT), {}),
    ("depth", "unknown", "whether direct=1 was set", text(*READING), {}),
    ("engine", "suspect", "moves no byte", made("fio-3.33--null_engine.json"), {}),
    ("error", "suspect", "error 28", made("fio-3.33--error_with_figures.json"), {}),
    ("fast_reads", "suspect", "less than 852 ns", made("fio-3.33--cached_fast.json"), {}),
    (
        "fast_reads",
        "suspect",
        "any SATA SSD",
        made("fio-3.33--cached_fast.json"),
        {"media": "sata-ssd"},
    ),
    ("fast_reads", "suspect", "than any hard disk", made(RIGHT), {"media": "hdd"}),
    (
        *("fast_writes", "suspect", "less than 163 ns .* so memory took them"),
        *(made("fio-3.33--tmpfs_fsync.json"), {}),
    ),
    ("fast_reads", "ok", "less than 72.2 µs", made(RIGHT), {"media": "nvme"}),
    # of the fastest reads clat says 1.6 µs, and fio's least latency 28.2 µs
    ("fast_reads", "ok", "99 % of the I/Os took 28.2 µs or more", made(BUSY), {}),
    (
        *("flush", "ok", "do not wait in the page cache"),
        *(made("fio-3.33--zero_buffers.json"), {"host_ram": 0}),
    ),
    (
        *("flush", "unknown", "a host may cache"),
        *(made("fio-3.33--zero_buffers.json"), {}),
    ),
    ("flush", "ok", "end_fsync=1", made("fio-3.33--flushed.json"), {}),
    ("flush", "suspect", "without fsync", made("fio-3.33--no_direct.json"), {}),
    (
        *("flush", "suspect", "slept 1,592 times in 16,384 I/Os, 9.72 % as often"),
        *(made("fio-3.33--tmpfs_fsync.json"), {}),
    ),
    ("flush", "suspect", "without fsync", typed(""), {}),
    ("flush", "unknown", "direct or flushed", text(*FIO_TEXT[1:]), {}),
    (
        *("flush", "unknown", "ioengine=rbd does not use"),
        *(made("fio-3.33--no_direct.json", ('"libaio"', '"rbd"')), {}),
    ),
    ("layers", "ok", "1 times as fast", two(slow=made(RIGHT), fast=made(RIGHT)), SIDES),
    (
        *("layers", "suspect", "faster through the layer"),
        *(
            two(
                slow=made(RIGHT),
                fast=made(RIGHT, ('"bw_bytes" : ', '"bw_bytes" : 1'), ('"iops" : ', '"iops" : 1')),
            ),
            SIDES,
        ),
    ),
    (
        *("layers", "suspect", "something that both share was measured"),
        *(
            lambda: ft.read(f"{DATA}/wsl-vhdx/{{drive}}_{{mount}}_read.txt"),
            {"between": "drive", "baseline": "f", "sides": "device"},
        ),
    ),
    (
        *("layers", "unknown", "devices may be alike"),
        *(two(slow=made(RIGHT), fast=made(RIGHT)), {**SIDES, "sides": "device"}),
    ),
    (
        *("layers", "note", "possible, because bcache0 caches or packs"),
        *(
            two(
                slow=made(RIGHT),
                fast=made(
                    RIGHT,
                    ('"bw_bytes" : ', '"bw_bytes" : 1'),
                    ('"iops" : ', '"iops" : 1'),
                    ('"vda"', '"bcache0"'),
                ),
            ),
            SIDES,
        ),
    ),
    (
        *("layers", "ok", "times as fast"),
        *(
            lambda: ft.read(f"{DATA}/wsl-vhdx/{{side}}_git-bash_read.txt"),
            {"between": "side", "baseline": "f", "sides": "device"},
        ),
    ),
    (
        *("link", "impossible", "100 GB/s is more than the 64.0 GB/s of the fastest link"),
        *(text(dd("dd if=f of=/dev/null bs=1M", 10**12, 10)), {}),
    ),
    ("link", "impossible", "3.95 times the 500 MB/s", USB, {"link": "usb3-5g"}),
    ("link", "ok", "0.502 times the 3.94 GB/s", USB, {"link": "pcie3-x4"}),
    ("link", "ok", "rate of memory, as", USB, {"link": "usb3-5g", "media": "ram"}),
    ("link", "unknown", "the link is not known", USB, {}),
    ("link", "unknown", "how many bytes were moved", data("page-cache/after.txt"), {}),
    ("little", "ok", "3.958 of 4 requested I/Os were in flight", made(RIGHT), {}),
    ("little", "note", "0.2279 of 1 requested", made("fio-3.33--null_engine.json"), {}),
    ("little", "ok", "rate_iops=500 keeps the queue", made("fio-3.33--rate_limited.json"), {}),
    (
        *("little", "impossible", "cannot all be right"),
        *(made(RIGHT, ('"iodepth" : "4"', '"iodepth" : "2"')), {}),
    ),
    (
        *("little", "unknown", "too short to tell"),
        *(made("fio-3.33--zero_buffers.json", ('"iodepth" : "4"', '"iodepth" : "2"')), {}),
    ),
    (
        *("little", "unknown", "mean total latency"),
        *(
            made(
                "fio-3.33--flushed.json",
                ('"total_ios"', '"totals"'),
            ),
            {},
        ),
    ),
    ("medium", "suspect", "platters of a hard disk", USB, {"media": "hdd"}),
    ("medium", "suspect", "/dev/shm/f is memory", made("fio-3.33--tmpfs_fsync.json"), {}),
    ("medium", "suspect", "fio found no device: memory answered", lambda: ft.read(TMPFS), {}),
    ("medium", "suspect", "ram0 is memory", made(RIGHT, ('"vda"', '"ram0"')), {}),
    (
        *("medium", "note", "500 MB/s is 1.67 times what the platters"),
        *(text(dd("dd if=f of=/dev/null bs=1M iflag=direct", 5 * 10**9, 10)), {"media": "hdd"}),
    ),
    ("turns", "impossible", "22,455 /s are 22.5 times the 1,000 /s", made(RIGHT), {"media": "hdd"}),
    (
        *("turns", "suspect", "22,455 /s are 2.25 times the 10,000 /s"),
        *(made(RIGHT), {"media": "hdd", "devices": 10}),
    ),
    (
        *("turns", "ok", "22,455 /s are 0.898 times"),
        *(made(RIGHT), {"media": "hdd", "devices": 25}),
    ),
    (
        *("turns", "impossible", "are 5,[0-9]+ times the 250 /s|are [0-9]+ times the 250 /s"),
        *(made("fio-3.33--tmpfs_fsync.json"), {"media": "hdd"}),
    ),
    (
        *("mirror", "ok", "0.71 times the single disk's rate"),
        *(
            lambda: ft.read(f"{DATA}/dda-vhdx/xml/{{side}}.xml"),
            {"between": "side", "baseline": "vhdx", "copies": {"mirror": 2}, "devices": 1},
        ),
    ),
    (
        *("mirror", "suspect", "leave at most 0.263"),
        *(
            lambda: ft.read(f"{DATA}/dda-vhdx/xml/{{side}}.xml"),
            {"between": "side", "baseline": "vhdx", "copies": {"mirror": 8}, "devices": 1},
        ),
    ),
    (
        *("mirror", "unknown", "the limit of a mirror is not known"),
        *(two(slow=made(RIGHT), fast=made(RIGHT)), {**SIDES, "copies": 2}),
    ),
    ("omission", "note", "rate_iops=500: latencies", made("fio-3.33--rate_limited.json"), {}),
    (
        *("omission", "note", "Target/Throughput=0, 500: latencies"),
        *(
            diskspd(
                "2.0.12--mix_2targets_D_L.xml",
                (OF_LAST_TARGET, OF_LAST_TARGET.replace(">0<", ">500<")),
            ),
            {},
        ),
    ),
    ("parts", "ok", "sums, products and rates agree", made(RIGHT), {}),
    (
        *("parts", "suspect", "is not 167 MB"),
        *(
            made(
                "fio-3.33--flushed.json",
                ('"io_bytes" : 67108864', '"io_bytes" : 167108864'),
            ),
            {},
        ),
    ),
    (
        *("parts", "suspect", "2000.0 IOPS are not 3097.152 MB/s"),
        *(lambda: ft.reads(CDM.replace("2097.152", "3097.152")), {}),
    ),
    ("parts", "ok", "1 sums", lambda: ft.reads(CDM), {}),
    (
        *("parts", "suspect", "dd ran for 10.0 s, its whole command for 4.00 s"),
        *(text(dd("time dd if=f of=g bs=1000000000", 10**9, 10.0), times(4.0, 0.1, 0.2)), {}),
    ),
    (
        *("parts", "suspect", "WRITE: 671 MB/s for 1.00 s is not 67.1 MB"),
        *(text(*FIO_TEXT, GROUP.replace("64.0MiB/s (67.1MB/s),", "640MiB/s (671MB/s),")), {}),
    ),
    ("parts", "ok", "4 sums", text(*FIO_TEXT, GROUP), {}),
    # unit_base=8
    ("parts", "ok", "4 sums", text(*FIO_TEXT, GROUP.replace("64.0MiB/s (", "512Mibit/s (")), {}),
    (
        *("parts", "suspect", "the mean 1.5 is not that of its times"),
        *(lambda: edited(HYPERFINE, ('"mean": 0.3240788193733333', '"mean": 1.5')), {}),
    ),
    (
        *("little", "impossible", "of 8 requested I/Os .*: rate, latency and depth"),
        *(lambda: ft.reads(CDM.replace("<  3999", "< 39990")), {}),
    ),
    (
        *("parts", "suspect", "the mean is 63.4 µs, but its own bins or percentiles allow"),
        *(made(RIGHT, ('"mean" : 163364.76', '"mean" : 63364.76')), {}),
    ),
    (
        *("parts", "suspect", "percentile 1 is 7.22 µs, but all I/Os took 30.6 µs to"),
        *(made(RIGHT, ('"1.000000" : 72192', '"1.000000" : 7219')), {}),
    ),
    (
        *("parts", "suspect", "percentile 99 is 190 µs, where its own bins have"),
        *(made(RIGHT, ('"99.000000" : 1925120', '"99.000000" : 190000')), {}),
    ),
    (
        *("parts", "unknown", "no two numbers"),
        *(
            made(
                "fio-3.33--flushed.json",
                ('"total_ios"', '"totals"'),
                ('"runtime"', '"ran"'),
                ('"iops" :', '"ops" :'),
            ),
            {},
        ),
    ),
    (
        *("preconditioning", "note", "6.71 % of the SSD"),
        *(made("fio-3.33--flushed.json"), {"media": "nvme", "capacity": "1GB"}),
    ),
    (
        *("preconditioning", "unknown", "size of the SSD's cache"),
        *(made("fio-3.33--flushed.json"), {"media": "sata-ssd"}),
    ),
    ("processor", "note", "a job's processor was busy", made("fio-3.33--tmpfs.json"), {}),
    (
        *("processor", "note", "a processor was busy for 100 %"),
        *(diskspd("2.0.21a--three_timespans.txt"), {}),
    ),
    ("runtime", "note", "a run of 2 s", made(RIGHT), {}),
    (
        *("spread", "suspect", "iops is 18,070 /s at least, 22,620 /s on average and 20,470"),
        *(made(RIGHT, ('"iops_max" : 25470', '"iops_max" : 20470')), {}),
    ),
    (
        *("spread", "suspect", "bw is 176 MB/s at least"),
        *(made(RIGHT, ('"bw_min" : 72280', '"bw_min" : 172280')), {}),
    ),
    (
        *("samples", "suspect", "3 samples of iops of 45,240 /s on average are at least 66,503"),
        *(
            made(
                RIGHT,
                ('"iops_mean" : 22620', '"iops_mean" : 45240'),
                ('"iops_max" : 25470', '"iops_max" : 50940'),
            ),
            {},
        ),
    ),
    (
        *("latency", "suspect", "the least of lat is 11.7 µs, but that of clat, a part of it"),
        *(made(RIGHT, ('"min" : 41658', '"min" : 11658')), {}),
    ),
    (
        *("cpu_time", "suspect", "usr [+] sys are 114.2 % of the time"),
        *(made(RIGHT, ('"usr_cpu" : 4.200000', '"usr_cpu" : 80.200000')), {}),
    ),
    ("sides", "ok", "are the same", two(slow=made(RIGHT), fast=made(RIGHT)), SIDES),
    (  # one amount, written in two ways
        *("sides", "ok", "are the same"),
        *(two(slow=made(RIGHT), fast=made(RIGHT, ('"64m"', '"65536k"'))), SIDES),
    ),
    (  # the job's own size hides the one for all
        *("sides", "ok", "8 options are the same"),
        *(
            two(
                slow=made(RIGHT),
                fast=made(RIGHT, ('"jobs" : [', '"global options" : {"size" : "32m"}, "jobs" : [')),
            ),
            SIDES,
        ),
    ),
    (
        *("sides", "suspect", "size is given against 64m"),
        *(two(slow=made(RIGHT), fast=made(RIGHT, ('"64m"', '""'))), SIDES),
    ),
    (
        *("sides", "suspect", "size is 32m against 64m"),
        *(two(slow=made(RIGHT), fast=made(RIGHT, ('"64m"', '"32m"'))), SIDES),
    ),
    (
        *("sides", "suspect", r"the version is 2.2 against 2.0.12"),
        *(
            two(
                slow=diskspd("2.0.12--mix_2targets_D_L.xml"),
                fast=diskspd("2.0.12--mix_2targets_D_L.xml", (">2.0.12<", ">2.2<")),
            ),
            SIDES,
        ),
    ),
    ("layers", "unknown", "not known", two(slow=made(RIGHT), fast=made(RIGHT)), {}),
    (
        *("sides", "note", "size is 32m against 64m"),
        *(two(slow=made(RIGHT), fast=made(RIGHT, ('"64m"', '"32m"'))), {}),
    ),
    (
        *("sides", "unknown", "same direction and conditions"),
        *(two(slow=made(RIGHT), fast=made("fio-3.33--flushed.json")), SIDES),
    ),
    (
        *("sides", "unknown", "whether both sides used the same options"),
        *(two(slow=text(dd("", 10**9, 9)[2:]), fast=text(dd("", 10**9, 8)[2:])), SIDES),
    ),
    (
        *("sparse", "unknown", "vda gave 71 % of what was read: fio may have missed the rest"),
        *(made(RIGHT, ('"read_ios" : 42554', '"read_ios" : 31903')), {}),
    ),
    (
        *("sparse", "suspect", "slept 1,090 times in 44,933 I/Os"),
        *(
            made(RIGHT, ('"ctx" : 10909', '"ctx" : 1090'), ('"name" : "vda"', '"name" : "loop0"')),
            {},
        ),
    ),
    ("sparse", "suspect", "vda gave 0 % of what", made("fio-3.33--sparse_direct.json"), {}),
    ("sparse", "suspect", "faster than the link", made(RIGHT, ('"vda"', '"vdb"')), {"link": 1e6}),
    ("sparse", "ok", "vda gave 94.7 % of what was read", made(RIGHT), {}),
    ("sparse", "ok", "prefilled", made("fio-3.33--cached_reread.json"), {"prefilled": True}),
    ("sparse", "unknown", "had been written before", made("fio-3.33--verify_phase.json"), {}),
    ("twin", "suspect", "to the last digit", two(slow=made(RIGHT), fast=made(RIGHT)), {}),
    ("submission", "note", "submission-bound", made("fio-3.33--sparse_direct.json"), {}),
    (
        *("submission", "suspect", "submitting took 367 % of the time that the job had"),
        *(made(RIGHT, ('"mean" : 12812.905815', '"mean" : 163364.760288')), {}),
    ),
    (
        *("submission", "suspect", "ioengine=psync submits and waits in one call"),
        *(made(RIGHT, ('"ioengine" : "libaio"', '"ioengine" : "psync"')), {}),
    ),
    ("warmup", "note", "no warm-up", diskspd("2.0.14--seqread_noLD.xml"), {}),
]
CASES += [
    ("warm", "suspect", "the cache changed nothing", two(cold=COLD, warm=COLD), CACHED),
    (
        *("warm", "note", "between 75 and 100 % of the warm run were hits"),
        *(two(cold=DROPPED, warm=WARM), CACHED),
    ),
    ("warm", "unknown", "nothing shows", two(cold=COLD, warm=WARM), CACHED),
]


@pytest.mark.parametrize(
    ("check", "verdict", "said", "read", "known"),
    CASES,
    ids=[f"{number}-{case[0]}-{case[1]}" for number, case in enumerate(CASES)],
)
def test_a_run_gets_the_verdict_it_deserves(check, verdict, said, read, known):
    seen = ft.check(read(), **known)
    found = seen.query("check == @check and verdict == @verdict")
    assert found["why"].str.contains(said).any(), seen.query("check == @check")["why"].tolist()
    assert seen.query("verdict != 'ok'")["remedy"].notna().all()
    assert not seen.duplicated(["source", "run", "subject", "check"]).any()


def test_every_verdict_has_a_run():
    known = outcomes()
    emitted = {(finding.partition(".")[0], one.verdict) for finding, one in known.items()}
    assert len(emitted) > 60
    assert emitted == {(check, verdict) for check, verdict, *_ in CASES}
    assert all(re.compile(said) for _, _, said, *_ in CASES)


def test_every_outcome_is_found_somewhere():
    code = "".join(path.read_text(encoding="utf-8") for path in SOURCE.glob("*.py"))
    for finding in outcomes():
        name = finding.partition(".")[2].removesuffix("_host").removesuffix("_longer")
        assert f'"{name}' in code, finding


def test_an_outcome_asks_for_arguments_of_check():
    names = {*inspect.signature(ft.check).parameters}
    for finding, one in outcomes().items():
        assert one.verdict in GRAVEST, finding
        assert names.issuperset(one.needs), finding
        assert one.verdict in ("ok", "unknown") or one.remedy, finding
