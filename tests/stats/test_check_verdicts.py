"""Every verdict of every check, each with a run that deserves it."""

from __future__ import annotations

import inspect

import pytest

import fiotools as ft
from fiotools.stats.check.outcomes import outcomes
from tests.stats.made_runs import (
    CACHED,
    CDM,
    COLD,
    DROPPED,
    FIO_TEXT,
    READING,
    RIGHT,
    ROOT,
    SIDES,
    WARM,
    beside_right,
    data,
    dd,
    diskspd,
    fio,
    gnu,
    made,
    ran,
    text,
    times,
    told,
    two,
    typed,
)

SOURCE = ROOT / "fiotools" / "stats" / "check"
USB = data("wsl-vhdx/f_ext4-vhdx_write.txt")
READ_USB = data("wsl-vhdx/f_ext4-vhdx_read.txt")
GUEST = {"ram": "7926928KiB", "link": "usb3-5g"}
AFTER = data("page-cache/after.txt")
MOVED = {"link": "pcie3-x4", "moved": 5 * 2**30}
NVME = data("dda-vhdx/xml/nvme.xml")
VOLUMES = data("dda-vhdx/xml/{side}.xml")
MIRRORED = {"between": "side", "baseline": "vhdx", "devices": 1}
OF_DRIVES = {"between": "drive", "baseline": "f", "sides": "device"}
TMPFS = "../tests/fixtures/check_matrix/fio-3.33--tmpfs_direct_randread_psync.json"
HYPERFINE = ROOT / "tests/fixtures/hyperfine/hyperfine-1.15.0--two_commands.json"
GROUP = (
    "Run status group 0 (all jobs):\n  WRITE: bw=64.0MiB/s (67.1MB/s), 64.0MiB/s-64.0MiB/s "
    "(67.1MB/s-67.1MB/s), io=64.0MiB (67.1MB), run=1000-1000msec"
)
MIX = "2.0.12--mix_2targets_D_L.xml"
OF_LAST_TARGET = (
    "<Throughput>0</Throughput>\n<ThreadsPerFile>1</ThreadsPerFile>\n"
    "<IOPriority>3</IOPriority>\n</Target>\n</Targets>"
)
NO_DISKS = {'"disk_util"': '"disks"'}
SELDOM = {'"ctx" : ': '"ctx" : 11, "was" : '}
# what is read ahead is not one request for each read
READ_AHEAD = {'"rw" : "randread"': '"rw" : "read"', '"read_ios" : 20971': '"read_ios" : 5'}
TEN_TIMES = {'"bw_bytes" : ': '"bw_bytes" : 1', '"iops" : ': '"iops" : 1'}
BCACHE = {**TEN_TIMES, '"vda"': '"bcache0"'}
FOR_ALL = {'"jobs" : [': '"global options" : {"size" : "32m"}, "jobs" : ['}
DIRTY = "cache unknown: fio drops the cache first, but not dirty pages"
DROP = "echo 3 > /proc/sys/vm/drop_caches; dd if=f of=/dev/null"
UNTOLD = {'"total_ios"': '"totals"', '"runtime"': '"ran"', '"iops" :': '"ops" :'}

# a run of which nothing else is known, and what is said of it: check, verdict, words
ALONE = [
    # dd
    (
        *(USB, "budget unknown: cannot be accounted for"),
        *("link unknown: the link is not known", "dd_time ok: 10.9 s"),
    ),
    (gnu("unflushed"), "dd_time suspect: below 1 s", "dd_flush suspect: 958 MB/s is the rate"),
    (gnu("fdatasync"), "dd_source unknown: zeros were", "dd_flush ok: for the disk: fdatasync"),
    # 314,572,800 bytes in 0.669 s
    (gnu("sync_in_time"), "dd_flush note: the rate is 470 MB/s"),
    (gnu("nowhere"), "copying suspect: copied memory", "dd_source suspect: no disk is involved"),
    (gnu("random_source"), "dd_source suspect: 196 MB/s, may be", "dd_time note: varies much"),
    (ran("dd if=/dev/zero of=f conv=sparse,fsync", 1e9, 9), "dd_source suspect: no block is stor"),
    (
        ran("dd if=/dev/zero of=f bs=1M", 1e9, 25),
        "dd_flush unknown: 40.0 MB/s may include the page",
    ),
    (ran("dd if=/dev/zero of=/dev/sdb", 1e9, 9), "dd_flush unknown: dd closes /dev/sdb before"),
    (ran("", 1e9, 9.5), "dd_flush unknown: no command line"),
    (ran("dd if=f of=g oflag=direct", 1e8, 0.4), "dd_time note: 400 ms: a short time varies much"),
    (ran("dd if=f of=/dev/null", 1e12, 10), "link impossible: than the 64.0 GB/s of the fastest"),
    (ran(DROP, 1e9, 9.5), "cache unknown: the command drops the cache first; a host may cache"),
    (
        text(dd("time dd if=f of=g bs=1000000000", 1e9, 10.0), times(4.0, 0.1, 0.2)),
        "parts suspect: dd ran for 10.0 s, its whole command for 4.00 s",
    ),
    (
        text(dd("", 1e9, 10).replace("100 MB/s", "1.0 GB/s")),
        "parts suspect: printed rate 1.0 GB/s is not bytes / seconds = 100 MB/s",
    ),
    # commands that were timed
    (
        *(AFTER, "copying suspect: copied memory"),
        "link unknown: how many bytes were moved",
    ),
    (made("bash-5.2.15--cat_warm.txt"), "copying ok: busy for 34.0 ms of 71.0 ms"),
    (
        lambda: ft.reads(HYPERFINE.read_text().replace("0.3240788193733333", "1.5")),
        "parts suspect: the mean 1.5 is not that of its times",
    ),
    # a right run of fio, edited
    (fio("right", ioengine="rbd"), "cache unknown: ioengine=rbd does not use the page cache"),
    (fio("right", iodepth="2"), "little impossible: cannot all be right"),
    (fio("right", {'"vda"': '"ram0"'}), "medium suspect: ram0 is memory"),
    (
        fio("right", {'mean" : 22620': 'mean" : 45240', 'max" : 25470': 'max" : 50940'}),
        "samples suspect: 3 samples of iops of 45,240 /s on average are at least 66,503",
    ),
    (fio("right", ioengine="psync"), "submission suspect: psync submits and waits in one call"),
    (
        fio("right", {'"ctx" : 10909': '"ctx" : 1090', '"vda"': '"loop0"'}),
        "sparse suspect: slept 1,090 times in 44,933 I/Os",
    ),
    # runs of fio that are not what they seem
    (
        *(fio("sparse_direct"), "sparse suspect: vda gave 0 % of what was read"),
        *("submission note: submission-bound", "cache unknown: direct I/O bypasses"),
    ),
    (fio("verify_phase"), "sparse unknown: had been written before"),
    (fio("cached_fast"), "cache suspect: pre_read=1", "fast_reads suspect: less than 852 ns"),
    # fio opens the file anew, and so empties the page cache, before each pass
    (fio("cached_reread"), "cache unknown: vda gave 96.7 % of what was read"),
    (fio("cached_reread", NO_DISKS), "cache unknown: 88.8 MB were read from .* before each pass"),
    (fio("mmap_direct", NO_DISKS), DIRTY),
    (  # a depth that was not given: 1
        fio("cached_reread", SELDOM, ioengine="libaio"),
        "cache suspect: slept 11 times in 21,679 I/Os, 0.0507 % as often",
    ),
    (fio("cached_reread", READ_AHEAD), "cache suspect: vda gave at most 23.6 % .*: the rest"),
    (fio("invalidate_off"), "cache suspect: invalidate=0"),
    (
        *(fio("sync_depth_32"), "depth suspect: iodepth=32 .* one I/O in flight"),
        "little ok: 0.9802 of 32 requested I/Os .*psync keeps",
    ),
    (
        *(fio("no_direct"), "depth suspect: libaio and direct=0: .* waits in io_submit"),
        "flush suspect: buffered writes without fsync",
    ),
    (fio("no_direct", ioengine="rbd"), "flush unknown: ioengine=rbd does not use"),
    (fio("null_engine"), "engine suspect: moves no byte", "little note: 0.2279 of 1 requested"),
    (
        *(fio("rate_limited"), "little ok: rate_iops=500 keeps the queue"),
        "omission note: rate_iops=500: latencies",
    ),
    (fio("zero_buffers"), "data suspect: zero_buffers=1", "flush unknown: a host may cache"),
    (fio("zero_buffers", iodepth="2"), "little unknown: too short to tell"),
    (fio("zero_buffers_unlisted"), "data unknown: unless zero_buffers was set"),
    (fio("error_with_figures"), "error suspect: error 28"),
    (
        *(fio("tmpfs_fsync"), "medium suspect: /dev/shm/f is memory"),
        "fast_writes suspect: less than 163 ns .* so memory took them",
        "flush suspect: slept 1,592 times in 16,384 I/Os, 9.72 % as often",
    ),
    (fio("tmpfs"), "processor note: a job's processor was busy"),
    (data(TMPFS), "medium suspect: fio found no device: memory answered"),
    # of the fastest reads clat says 1.6 µs, and fio's least latency 28.2 µs
    (fio("slow_submission"), "fast_reads ok: 99 % of the I/Os took 28.2 µs or more"),
    (fio("flushed"), "flush ok: end_fsync=1"),
    (
        fio("flushed", {'"io_bytes" : 67108864': '"io_bytes" : 167108864'}),
        "parts suspect: is not 167 MB",
    ),
    (fio("flushed", UNTOLD), "parts unknown: no two numbers", "little unknown: mean total latency"),
    # texts of fio
    (typed(), "data ok: random data cannot be compressed", "flush suspect: without fsync"),
    (typed(" --zero_buffers"), "data suspect: zero_buffers:"),
    (
        *(text(*FIO_TEXT), "budget unknown: size of the file is missing"),
        "flush unknown: direct or flushed",
    ),
    (
        READING,
        "depth unknown: whether direct=1 was",
        "cache unknown: whether direct=1 was set, and",
    ),
    (typed(below=GROUP.replace("64.0MiB/s (", "512Mibit/s (")), "parts ok: 4 sums"),  # unit_base=8
    (
        typed(below=GROUP.replace("64.0MiB/s (67.1MB/s),", "640MiB/s (671MB/s),")),
        "parts suspect: WRITE: 671 MB/s for 1.00 s is not 67.1 MB",
    ),
    # CrystalDiskMark
    (lambda: ft.reads(CDM), "parts ok: 1 sums", "cache unknown: whether the page cache was"),
    (
        lambda: ft.reads(CDM.replace("2097.152", "3097.152")),
        "parts suspect: 2000.0 IOPS are not 3097.152 MB/s",
    ),
    # DISKSPD
    (
        diskspd("2.0.12--mix_2targets_D_L.txt", {"total:         261558272": "total: 961558272"}),
        "parts suspect: read and write add up to 262 MB of io_bytes, the total differs",
    ),
    # uniformly random: 25 MB of a file of 16.8 MB reach 13 MB of it
    (diskspd("2.2--two_sockets.txt"), "budget unknown: MB in .* cannot be accounted for"),
    (diskspd("2.1--rs50_distribution.txt"), "budget unknown: which part of the file was read"),
    (diskspd("linux--D100.txt"), "caching suspect: neither -Sh nor -Su"),
    (data("dda-vhdx/text/nvme.txt"), "caching unknown: whether -Sh or -Su was given"),
    (diskspd(MIX), "caching ok: the file cache was off", "data note: 0 to 255"),
    (diskspd(MIX, {"<Pattern>sequential<": "<Pattern>zero<"}), "data suspect: -Z writes zeros"),
    (
        diskspd(MIX, {"<Pattern>sequential<": "<Pattern>random<"}),
        "data ok: random data was written",
    ),
    (
        diskspd(MIX, {OF_LAST_TARGET: OF_LAST_TARGET.replace(">0<", ">500<")}),
        "omission note: Target/Throughput=0, 500: latencies",
    ),
    (diskspd("2.0.21a--three_timespans.txt"), "processor note: a processor was busy for 100 %"),
    (diskspd("2.0.14--seqread_noLD.xml"), "warmup note: no warm-up"),
    # two sides that nobody named
    (data("how-many-runs/depth/1_*.json"), "sides unknown: no sides were named"),
    (beside_right(), "layers unknown: not known", "twin suspect: to the last digit"),
    (beside_right(size="32m"), "sides note: size is 32m against 64m"),
]
# a number of the right run, what became of it, and what is said then
EDITED = [
    ("mean", 163364.76, 63364.76, "parts suspect: the mean is 63.4 µs, but its own bins or perc"),
    ("1.000000", 72192, 7219, "parts suspect: percentile 1 is 7.22 µs, but all I/Os took 30.6 µs"),
    ("99.000000", 1925120, 190000, "parts suspect: 99 is 190 µs, where its own bins have"),
    ("iops_max", 25470, 20470, "spread suspect: 18,070 /s at least, 22,620 /s on average and 20,4"),
    ("bw_min", 72280, 172280, "spread suspect: bw is 176 MB/s at least"),
    ("min", 41658, 11658, "latency suspect: the least of lat is 11.7 µs, but that of clat, a part"),
    ("usr_cpu", 4.2, 80.2, "cpu_time suspect: usr [+] sys are 114.2 % of the time"),
    ("mean", 12812.90, 163364.76, "submission suspect: submitting took 367 % of the time"),
    ("read_ios", 42554, 31903, "sparse unknown: vda gave 71 % .*: fio may have missed the rest"),
]
# a run, what is known of it, and what is said of it then
KNOWN = [
    # a disk on USB, behind a guest's memory: 7,926,928 KiB, and 11.211 s of a link of 500 MB/s
    (
        *(USB, GUEST, "link impossible: 1.98 GB/s is 3.95 times the 500 MB/s"),
        "budget suspect: 8.12 GB of memory, .* 5.61 GB in 11.2 s: at least 7.75 GB .36 %. were",
        *("copying suspect: 10.8 s of 11.2 s", "dd_flush suspect: does not prove flushing"),
    ),
    (USB, {**GUEST, "host_ram": 0}, "budget impossible: were never stored nor read"),
    (USB, {**GUEST, "host_ram": "8GB"}, "budget ok: of memory, the host 8.59 GB"),
    (USB, {**GUEST, "ram": "24GB"}, "budget ok: 21.5 GB were moved: the guest has"),
    (USB, {"link": "usb3-5g", "media": "ram"}, "link ok: rate of memory, as"),
    (USB, {"media": "hdd"}, "medium suspect: platters of a hard disk"),
    # 21.475 - 8.117 - 8.441 x 0.5
    (
        *(READ_USB, GUEST, "link impossible: 2.55 GB/s is 5.1 times the 500 MB/s"),
        *("budget suspect: at least 9.14 GB .43 %. were", "cache unknown: 2.65 times the memory"),
    ),
    (READ_USB, {"ram": "1GB", "host_ram": "1GB"}, "cache ok: 10 times the memory"),
    (gnu("cached_read"), {"ram": 0}, "cache unknown: size of the memory"),
    (gnu("cached_read"), {"ram": "24GB"}, "cache suspect: 210 MB through"),
    (ran(DROP, 1e9, 9.5), {"host_ram": 0}, "cache ok: the command drops the cache first"),
    (
        ran("dd if=f of=/dev/null iflag=direct", 5e9, 10),
        *({"media": "hdd"}, "medium note: 500 MB/s is 1.67 times what the platters"),
    ),
    # of a cache
    (AFTER, MOVED, "link impossible: 11.5 GB/s is 2.93 times the 3.94", "copying suspect: memory"),
    (AFTER, {**MOVED, "cache": "warm"}, "link ok: 2.93 times", "copying ok: as declared"),
    # to name the sides is to declare the level warm: the same figures, and no fault
    (
        *(data("page-cache/{side}.txt"), {**MOVED, **CACHED, "baseline": "before"}),
        *("link ok: 2.93 times the 3.94", "warm unknown: 9.36 times .* between 89 and 100 %"),
    ),
    (
        *(RIGHT, {"host_ram": 0}, "cache ok: direct I/O bypasses", "depth ok: which can keep it"),
        *("little ok: 3.958 of 4 requested I/Os were in flight", "runtime note: a run of 2 s"),
        *("parts ok: sums, products and rates agree", "sparse ok: vda gave 94.7 % of what"),
    ),
    (RIGHT, {"cache": "warm"}, "cache ok: as declared"),
    (RIGHT, {"media": "nvme"}, "fast_reads ok: less than 72.2 µs"),
    (
        *(RIGHT, {"media": "hdd"}, "fast_reads suspect: than any hard disk"),
        "turns impossible: 22,455 /s are 22.5 times the 1,000 /s",
    ),
    (RIGHT, {"media": "hdd", "devices": 10}, "turns suspect: 22,455 /s are 2.25 times the 10,000"),
    (RIGHT, {"media": "hdd", "devices": 25}, "turns ok: 22,455 /s are 0.898 times"),
    (fio("right", NO_DISKS), {"host_ram": 0}, "cache unknown: ZFS's own, and no device was"),
    (fio("right", ioengine="rbd"), {"host_ram": 0}, "cache ok: ioengine=rbd does not use the page"),
    (fio("right", {'"vda"': '"loop0"'}), {"host_ram": 0}, "cache unknown: a loop device is a file"),
    (fio("right", {'"vda"': '"vdb"'}), {"link": 1e6}, "sparse suspect: faster than the link"),
    (fio("cached_fast"), {"media": "sata-ssd"}, "fast_reads suspect: any SATA SSD"),
    (fio("cached_reread"), {"host_ram": 0}, "cache ok: vda gave 96.7 % of what was read"),
    (fio("cached_reread"), {"prefilled": True}, "sparse ok: prefilled"),
    (fio("cached_reread", NO_DISKS), {"ram": "16MB"}, "cache unknown: 4 times as large as the mem"),
    (fio("cached_reread", NO_DISKS), {"ram": "16MB", "host_ram": 0}, "cache ok: 4 times as large"),
    (fio("zero_buffers"), {"host_ram": 0}, "flush ok: do not wait in the page cache"),
    (fio("tmpfs_fsync"), {"media": "hdd"}, "turns impossible: are 874 times the 250 /s"),
    (fio("flushed"), {"media": "nvme", "capacity": "1GB"}, "preconditioning note: 6.71 % of the"),
    (fio("flushed"), {"media": "sata-ssd"}, "preconditioning unknown: size of the SSD's cache"),
    (
        *(fio("flushed", buffer_compress_percentage="95"), {"compression": 20}),
        "data ok: buffer_compress_percentage=95, and the compression was declared",
    ),
    # reads of 395 MB/s and writes of 263 MB/s share a link, or do not
    (NVME, {"link": "sata-3"}, "link impossible: 658 MB/s is 1.1 times the 600 MB/s"),
    (NVME, {"link": "sata-3", "devices": 2}, "link ok: 658 MB/s is 0.548 times"),
    # two sides
    (beside_right(), SIDES, "layers ok: 1 times as fast", "sides ok: are the same"),
    (beside_right(), {**SIDES, "sides": "device"}, "layers unknown: devices may be alike"),
    (beside_right(), {**SIDES, "copies": 2}, "mirror unknown: the limit of a mirror is not known"),
    (beside_right(TEN_TIMES), SIDES, "layers suspect: faster through the layer"),
    (beside_right(BCACHE), SIDES, "layers note: possible, because bcache0 caches or packs"),
    (beside_right(size="65536k"), SIDES, "sides ok: are the same"),  # one amount, in two ways
    (beside_right(FOR_ALL), SIDES, "sides ok: 8 options are the same"),  # the job's own hides it
    (beside_right(size=""), SIDES, "sides suspect: size is given against 64m"),
    (
        *(two(slow=diskspd(MIX), fast=diskspd(MIX, {">2.0.12<": ">2.2<"})), SIDES),
        "sides suspect: the version is 2.2 against 2.0.12",
    ),
    (two(slow=RIGHT, fast=fio("flushed")), SIDES, "sides unknown: same direction and conditions"),
    (two(slow=ran("", 1e9, 9), fast=ran("", 1e9, 8)), SIDES, "sides unknown: the same options"),
    (data("wsl-vhdx/{drive}_{mount}_read.txt"), OF_DRIVES, "layers suspect: that both share was"),
    (data("wsl-vhdx/{drive}_git-bash_read.txt"), OF_DRIVES, "layers ok: times as fast"),
    (VOLUMES, {**MIRRORED, "copies": {"mirror": 2}}, "mirror ok: 0.71 times .* at most 0.714"),
    (VOLUMES, {**MIRRORED, "baseline": "mirror", "copies": {"nvme": 2}}, "mirror suspect: at most"),
    (two(cold=COLD, warm=COLD), CACHED, "warm suspect: the cache changed nothing"),
    (two(cold=DROPPED, warm=WARM), CACHED, "warm note: between 75 and 100 % of the warm run"),
]
CASES = [(run, {}, *claims) for run, *claims in ALONE]
CASES += [
    (fio("right", {f'"{name}" : {old}': f'"{name}" : {new}'}), {}, claim)
    for name, old, new, claim in EDITED
]
CASES += KNOWN


@pytest.mark.parametrize("case", CASES, ids=[f"{at}-{case[2]}" for at, case in enumerate(CASES)])
def test_a_run_gets_the_verdict_it_deserves(case):
    read, known, *claims = case
    seen = ft.check(read(), **known)
    for check, verdict, said in map(told, claims):
        answers = seen[seen["check"] == check]
        found = answers[answers["verdict"] == verdict]
        assert found["why"].str.contains(said).any(), answers["why"].tolist()
    assert seen.query("verdict != 'ok'")["remedy"].notna().all()
    assert not seen.duplicated(["source", "run", "subject", "check"]).any()


def test_every_verdict_has_a_run():
    verdicts = {(finding.partition(".")[0], one.verdict) for finding, one in outcomes().items()}
    assert len(verdicts) > 60
    assert verdicts == {told(claim)[:2] for case in CASES for claim in case[2:]}


def test_an_outcome_is_found_and_asks_for_arguments_of_check():
    code = "".join(path.read_text(encoding="utf-8") for path in SOURCE.glob("*.py"))
    names = {*inspect.signature(ft.check).parameters}
    for finding, one in outcomes().items():
        name = finding.partition(".")[2].removesuffix("_host").removesuffix("_longer")
        assert f'"{name}' in code, finding
        assert names.issuperset(one.needs), finding
        assert one.verdict in ("ok", "unknown") or one.remedy, finding
