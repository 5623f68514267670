"""`check` on the articles, on unusual honest set-ups, and what a caller tells it."""

from __future__ import annotations

import json
from functools import cache
from itertools import product
from pathlib import Path

import pandas as pd
import pytest

import fiotools as ft
from tests.stats.made_runs import (
    DATA,
    FIO_COMMAND,
    FIO_TEXT,
    FIXTURES,
    RIGHT,
    data,
    dd,
    diskspd,
    fio,
    ran,
    text,
    times,
    typed,
)


@cache
def read(files):
    return ft.read(f"{DATA}/{files}")


# the articles

WSL = "wsl-vhdx/{drive}_{mount}_{operation}.txt"
USB = "wsl-vhdx/f_ext4-vhdx_write.txt"
GUEST = {"ram": "7926928KiB", "link": "usb3-5g"}
LAYERS = {"between": "mount", "baseline": "git-bash"}
DRIVES = {"between": "drive", "baseline": "f", "sides": "device"}
CACHES = "page-cache/{cache}.txt"
MOVED = {"link": "pcie3-x4", "moved": 5 * 2**30}
NAMED = {**MOVED, "between": "cache", "baseline": "before", "sides": "cache"}
VOLUMES = "dda-vhdx/xml/{volume}.xml"
NVME = "dda-vhdx/xml/nvme.xml"
MIRROR = {"between": "volume", "baseline": "vhdx", "copies": {"mirror": 2}, "devices": 1}
EXT4 = "wsl-filesystems/ext4_read_4k_1.txt"
MOUNTS = "lima-mounts/fio/{mount}_{pattern}.txt"


@pytest.mark.parametrize(
    ("files", "known", "where", "verdicts"),
    [
        (WSL, {"link": "pcie3-x4"}, "check == 'link' and drive == 'c'", {"ok"}),
        # every printed rate is its bytes over its seconds
        (WSL, {}, "check == 'parts'", {"ok"}),
        # faster through a layer than without it, and two disks at one speed
        (WSL, LAYERS, "check == 'layers' and mount == 'ext4-vhdx'", {"suspect"}),
        (WSL, LAYERS, "check == 'layers' and mount == 'drvfs'", {"ok"}),
        (WSL, DRIVES, "check == 'layers' and mount == 'ext4-vhdx'", {"suspect"}),
        (WSL, DRIVES, "check == 'layers' and mount == 'git-bash'", {"ok"}),
        # a cache that was meant to be warm is no fault
        (CACHES, {**MOVED, "cache": "warm"}, "", {"ok", "unknown"}),
        (CACHES, NAMED, "verdict != 'note'", {"ok", "unknown"}),
        (VOLUMES, MIRROR, "check in ('little', 'parts', 'caching')", {"ok"}),
        (NVME, {"link": "usb3-5g"}, "check == 'link'", {"ok"}),
        (EXT4, {}, "check in ('link', 'budget', 'sparse')", {"unknown"}),
        (MOUNTS, {}, "", {"ok", "note", "unknown"}),
        (MOUNTS, {}, "check == 'little'", {"ok"}),
        # direct=1 does not bypass the Mac's cache
        (MOUNTS, {}, "check in ('cache', 'flush')", {"unknown"}),
    ],
)
def test_all_runs_of_an_article_have_these_verdicts(files, known, where, verdicts):
    seen = ft.check(read(files), **known).query(where or "index >= 0")
    assert {*seen["verdict"]} == verdicts


EXT4_VHDX, GIT_BASH = "mount == 'ext4-vhdx'", "mount == 'git-bash'"
SPEEDS = {"between": "volume", "baseline": "vhdx"}


@pytest.mark.parametrize(
    ("files", "known", "check", "where", "observed"),
    [
        # the XML rounds the times of each thread, whose total this is
        (VOLUMES, {}, "little", "limit == 64", {"mirror": 63.93, "nvme": 63.86, "vhdx": 63.93}),
        # bytes over hundredths of a second; the text has 1.819 too
        (VOLUMES, SPEEDS, "layers", "", {"mirror": 0.7095, "nvme": 1.819}),
        (WSL, LAYERS, "layers", f"drive == 'c' and {EXT4_VHDX}", {"read": 2.885, "write": 8.939}),
        (WSL, DRIVES, "layers", EXT4_VHDX, {"read": 1.093, "write": 1.063}),
        (WSL, DRIVES, "layers", GIT_BASH, {"read": 5.305, "write": 1.239}),
        (
            *(MOUNTS, {}, "little", "limit == 2 and mount == 'sshfs'"),
            {"randread": 1.925, "randrw": 1.910, "randwrite": 1.813},
        ),
    ],
)
def test_numbers_of_an_article(files, known, check, where, observed):
    seen = ft.check(read(files), **known).query(where or "index >= 0")
    seen = seen[seen["check"] == check]
    label = read(files).labels[-1]
    assert seen.set_index(label)["observed"].to_dict() == pytest.approx(observed, rel=6e-4)


# honest set-ups

# a small machine without a host, on a slow link: nothing is hidden from physics
TIGHT = {"ram": "16MB", "host_ram": 0, "link": "usb2"}
FAST = {**TIGHT, "link": "pcie3-x4"}
SATA = {**TIGHT, "link": "sata-3"}
DIRECT = ran("dd if=f of=/dev/null bs=1M iflag=direct", 22e9, 10)
OTHER_CLIENT = {
    '"127.0.0.1",\n      "port" : 18767': '"127.0.0.2",\n      "port" : 18767',
}
HONEST = {
    "tmpfs": (fio("tmpfs"), {**TIGHT, "media": "ram"}),
    "a warm cache, declared": (fio("cached_fast"), {**TIGHT, "cache": "warm"}),
    "RAID 0 of four SATA SSDs": (DIRECT, {**SATA, "devices": 4, "media": "sata-ssd"}),
    "a compressed btrfs": (
        *(fio("btrfs_compressed"), {**TIGHT, "link": "sata-2", "compression": 20}),
    ),
    "trims": (fio("trim_null"), TIGHT),
    "trims and writes in one figure": (
        *(fio("trim_null", {'"trim" : {': '"mixed" : {'}, rw="randtrimwrite"), TIGHT),
    ),
    "a verify phase": (fio("verify_phase"), {**FAST, "ram": 0}),
    "clones in a group": (fio("two_modes"), SATA),
    "a corner of the file": (fio("cached_reread", size="64g", zonesize="1m"), TIGHT),
    "a few hot blocks": (fio("zipf", size="64g"), {**FAST, "ram": "1MB"}),
    "the same file again and again": (fio("cached_reread"), {**TIGHT, "ram": "128MB"}),
    "a network mount bound by its processor": (
        *(data("lima-mounts/fio/9p_randread.txt"), {"link": "eth-1g", "ram": "2GB"}),
    ),
    "two clients with a link each": (fio("two_clients", OTHER_CLIENT), {"link": "36MB/s"}),
    "block sizes in a range": (fio("bs_range"), SATA),
    "threads of fio's own that submit": (
        *(fio("sync_depth_32", io_submit_mode="offload"), {**SATA, "ram": "128MB"}),
    ),
    "threads that read the same from its start": (
        *(diskspd("2.0.21a--seq64k_t4_D_only.xml"), {**TIGHT, "link": "1GB/s"}),
    ),
}


@pytest.mark.parametrize(("run", "known"), HONEST.values(), ids=HONEST)
def test_an_honest_set_up_has_nothing_impossible(run, known):
    seen = ft.check(run(), **known)
    wrong = seen[seen["verdict"] == "impossible"]
    assert len(seen)
    assert not len(wrong), wrong["why"].tolist()


SELDOM = {'"ctx" : 10909': '"ctx" : 1090', '"name" : "vda"': '"name" : "loop0"'}


@pytest.mark.parametrize(
    ("edits", "options"),
    [
        ({'"usr_cpu" : 4.200000': '"usr_cpu" : 37.000000'}, {}),  # of 71 %: a full processor
        ({}, {"ioengine": "io_uring", "hipri": "1"}),
        ({}, {"ioengine": "io_uring", "sqthread_poll": "1"}),
        ({}, {"iodepth_batch_complete_min": "0"}),
        ({}, {"io_submit_mode": "offload"}),
        ({}, {"ioengine": "libpmem"}),
    ],
)
def test_a_job_that_need_not_sleep_is_not_accused(edits, options):
    seen = ft.check(fio("right", {**SELDOM, **edits}, **options)())
    assert not {"suspect", "impossible"} & {*seen["verdict"]}


# what is asked of which run

# of a fixture that reads: the same figures, as writes
WRITING = {'"read" : {': '"was" : {', '"write" : {': '"read" : {', '"was" : {': '"write" : {'}


@pytest.mark.parametrize(
    ("disk", "known", "is_nvme"),
    [
        ("nvme0n1", {}, True),
        ("nvme0n1", {"media": "hdd"}, False),  # the caller's word counts for more
        ("vda", {}, False),
    ],
)
def test_the_disks_of_fio_tell_the_medium(disk, known, is_nvme):
    results = fio("right", {'"vda"': f'"{disk}"', **WRITING}, rw="randwrite")()
    assert ("preconditioning" in {*ft.check(results, **known)["check"]}) == is_nvme
    # a layer over NVMe is not NVMe
    layer = results.disks.assign(device="dm-0")
    both = pd.concat([results.disks, layer], ignore_index=True)
    layered = ft.Results({**results.tables, "disks": both}, files=1)
    assert "preconditioning" not in {*ft.check(layered)["check"]}


def test_samples_of_windows_of_another_length_are_not_counted():
    twice = {'mean" : 22620': 'mean" : 45240', 'max" : 25470': 'max" : 50940'}
    assert "samples" not in {*ft.check(fio("right", twice, iopsavgtime="100")())["check"]}


def test_a_report_without_percentiles_says_nothing_of_its_fastest():
    assert "fast_writes" not in {*ft.check(typed(" --direct=1")())["check"]}


def test_sides_that_nobody_named_may_differ_in_their_conditions():
    res = ft.read({f"qd{n}": f"{DATA}/how-many-runs/depth/{n}_1.json" for n in (1, 8)})
    seen = ft.check(res).set_index("check")
    assert "iodepth is 8 against 1" in seen.loc["sides", "why"]
    assert "layers" not in seen.index


@pytest.mark.parametrize(
    ("command", "is_told"),
    [
        (FIO_COMMAND, True),
        (FIO_COMMAND.replace("fio", "sudo fio", 1) + " 2>&1 | tee log", True),
        ("$ fio job", False),
        ("$ fio --rw write", False),
    ],
)
def test_a_command_that_shows_all_options(command, is_told):
    seen = ft.check(text(command, *FIO_TEXT)())
    assert ("data.random" in {*seen["finding"]}) == is_told


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
        (f"sh -c 'time {DD}; sync'", False),
    ],
)
def test_a_sync_counts_if_time_measures_it(command, is_timed):
    seen = ft.check(text(dd(command, 1e9, 2.0), times(4.0, 0.1, 1.0))())
    found = seen.query("check == 'dd_flush'").iloc[0]
    told = ("note", 250e6) if is_timed else ("suspect", 500e6)
    assert (found["verdict"], found["observed"]) == told


PLUS = FIXTURES / "fio/fio-3.33--jsonplus-libaio.json"


@pytest.mark.parametrize(
    ("place", "innocent"),
    [
        # the least only bounds from below, and the greatest from above
        (("min",), {0, 0.9, 0.97, 1.03, 1.1}),
        (("max",), {0.97, 1.03, 1.1, 3}),
        (("mean",), {0.97, 1.03}),
        # neighbours lie close to the median, and far from the last percentile
        (("percentile", "50.000000"), set()),
        (("percentile", "99.990000"), {0.9, 0.97, 1.03}),
        # one bin of hundreds
        (("bins", "124416"), {0, 0.9, 0.97, 1.03, 1.1, 3}),
    ],
)
def test_a_latency_that_does_not_fit_its_distribution_is_found(place, innocent, tmp_path):
    report = json.loads(PLUS.read_text(encoding="utf-8"))
    own = report["jobs"][0]["read"]["clat_ns"]
    *folders, name = place
    for folder in folders:
        own = own[folder]
    kept = own[name]
    for change in (0, 0.9, 0.97, 1.03, 1.1, 3, 1000):
        own[name] = type(kept)(kept * change)
        (tmp_path / f"{change}.json").write_text(json.dumps(report), encoding="utf-8")
    seen = ft.check(ft.read(f"{tmp_path}/{{change}}.json")).query("check == 'parts'")
    fits = seen[seen["verdict"] == "ok"]["change"].astype(float)
    assert {*fits} == innocent
    assert {*seen["verdict"]} <= {"ok", "suspect"}


def test_options_of_every_run_of_a_side_count(tmp_path):
    rounds = Path(DATA) / "how-many-runs/rounds"
    for side, number in product(("ext4", "xfs"), (1, 2)):
        report = json.loads((rounds / f"randread_{side}_{number}.json").read_text())
        if (side, number) == ("xfs", 2):
            report["jobs"][0]["job options"]["norandommap"] = "1"
        (tmp_path / f"{side}_{number}.json").write_text(json.dumps(report))
    seen = ft.check(ft.read(f"{tmp_path}/{{fs}}_{{round}}.json"), between="fs", baseline="ext4")
    (found,) = seen[seen["check"] == "sides"].to_dict("records")
    assert (found["verdict"], "norandommap is 1 against" in found["why"]) == ("suspect", True)


# what a caller tells


def test_memory_that_a_file_beside_tells():
    # of the WSL that ran dd; Git Bash runs on its host, of which nothing is known
    free = f"{DATA}/wsl-vhdx/free.txt"
    for ram in (free, Path(free)):
        seen = ft.check(read(USB), link="usb3-5g", ram=ram)
        held = 7_926_928 * 1024 + 11.211 * 500e6
        assert seen[seen["check"] == "budget"]["limit"].tolist() == [held]


@pytest.mark.parametrize(
    ("files", "known", "check", "said"),
    [
        (USB, GUEST, "budget", "host_ram="),
        (USB, {"link": "usb3-5g"}, "budget", "not known: the guest's memory"),
        (VOLUMES, {**MIRROR, "devices": None}, "mirror", "(devices=)"),
    ],
)
def test_what_is_missing_is_named(files, known, check, said):
    seen = ft.check(read(files), **known)
    (remedy,) = seen[seen["check"] == check]["remedy"]
    assert said in remedy


def test_no_host_is_an_answer():
    for path in ("how-many-runs/rounds", "wsl-vhdx", "dda-vhdx/xml", "lima-mounts", "page-cache"):
        seen = ft.check(ft.read(f"{DATA}/{path}", errors="note"), host_ram=0)
        assert not seen["remedy"].fillna("").str.contains("host_ram").any()


def test_copies_name_levels_that_are_numbers():
    res = ft.read(f"{DATA}/how-many-runs/rounds/randread_ext4_{{round:d}}.json")
    seen = ft.check(res, between="round", baseline=1, copies={2: 2}, devices=2)
    assert seen[seen["check"] == "mirror"]["subject"].tolist() == ["read: 2 against 1"]


@pytest.mark.parametrize(
    ("value", "dtype"), [(True, "boolean"), (0.5, "float64"), (pd.Timestamp(0), "datetime64[us]")]
)
def test_a_label_keeps_its_type(value, dtype):
    tables = RIGHT().tables
    seen = ft.check(ft.Results({name: tables[name].assign(day=value) for name in tables}, files=1))
    assert str(seen["day"].dtype) == dtype
    assert seen["day"].eq(value).all()


OF_NVME = {"between": "volume", "baseline": "nvme"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"link": "usb9"}, "link='usb9' is neither a rate nor one of usb2"),
        ({"link": "1,250MB/s"}, "link='1,250MB/s' is neither a rate"),
        ({"link": 0}, "a rate is above zero"),
        ({"link": "nvme"}, "may be pcie3-x4, pcie4-x4, pcie5-x4"),
        ({"ram": "much"}, "ram='much' is not a size: write \"8GB\""),
        ({"ram": "16"}, "16 of what[?] write ram='16GB'"),
        ({"ram": f"{DATA}/wsl-vhdx/f_drvfs_read.txt"}, "does not say how much memory there is"),
        ({"media": "tape"}, "media='tape' is not one of hdd, sata-ssd, nvme, ram"),
        ({"cache": "hot"}, "cache='hot' is not one of cold, warm"),
        ({"devices": 0}, "devices=0 is not a whole number from 1"),
        ({"copies": 2}, "name them with between="),
        ({"compression": 0.5}, "compression=0.5 is not a number from 1"),
        ({"between": "disk", "baseline": "a"}, "'disk' is not a label .* 'volume'"),
        (
            {"between": "volume", "baseline": "a"},
            "'a' is not a value of 'volume'; there are: mirror, nvme",
        ),
        ({**OF_NVME, "copies": 2, "sides": "layer"}, "about a mirror"),
        (
            {**OF_NVME, "copies": {"miror": 2}},
            "copies='miror' is not a value of 'volume'; there are: mirror, nvme",
        ),
    ],
)
def test_arguments_that_make_no_sense(arguments, message):
    with pytest.raises(ft.SchemaError, match=message) as error:
        ft.check(read(VOLUMES), **arguments)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("given", "name"), [("sata3", "sata-3"), ("PCIe4-x4", "pcie4-x4")])
def test_a_link_may_be_named_by_its_beginning(given, name):
    seen = ft.check(read(NVME), link=given)
    assert seen[seen["check"] == "link"]["why"].str.contains(f"({name})", regex=False).all()


@pytest.mark.parametrize(
    ("ask", "known", "message"),
    [
        (lambda: read(NVME), {"baseline": "vhdx"}, "between= and baseline= go together"),
        (lambda: read(NVME).io, {}, "takes Results, as read"),
        (lambda: ft.read(f"{DATA}/{NVME}", tables=("io",)), {}, "'runs' was not read"),
        (lambda: ft.concat([read(NVME), read(NVME)]), {}, "read twice"),
    ],
)
def test_results_that_do_not_fit_are_refused(ask, known, message):
    with pytest.raises(ft.SchemaError, match=message):
        ft.check(ask(), **known)
