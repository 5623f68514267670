"""Rules of the raw text that decide that an output's number is not the device's.

They read the output by other means than the library, and know nothing of `check`. A dishonest case
is decided if the rule beside it in ``cases.toml`` holds of its text; no rule may hold of an honest
case, which the tests see to.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from fiotools.links import link

Case = dict[str, Any]
Texts = list[str]  # the outputs of a case, as they stand after its edits

_SLOWEST = {"hdd": 100e3, "sata-ssd": 20e3}  # ns: what a read takes at least
_FASTEST = 3e3
_SIZES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_WAITS = re.compile(r"conv=\S*(?:fdatasync|fsync)|oflag=\S*(?:direct|d?sync)")
_DD = re.compile(r"^(\d+) bytes.*?, ([\d.]+(?:e-\d+)?) s,", re.M)
_SYNC = ("sync", "psync", "vsync", "pvsync", None)
# numbers of fio's JSON that others of the same report determine, where they stand
_DETERMINED = re.compile(
    r"/(?:bw|bw_bytes|iops|runtime|total_ios|io_bytes|io_kbytes|job_runtime|usr_cpu|sys_cpu|bs"
    r"|iodepth|ioengine|(?:bw|iops)_(?:min|max|mean)|[sc]?lat_ns(?:/min|/max|/mean|/N|/percentile/.*)?"
    r"|latency_[mu]s/.*|results/0/mean)$"
)


def _reports(texts: Texts) -> Iterator[dict[str, Any]]:
    """Give the jobs of fio's JSON, each with its report's options and devices."""
    for text in texts:
        if text.lstrip().startswith("{") and '"jobs"' in text:
            report = json.loads(text)
            for job in report["jobs"]:
                options = report.get("global options", {}) | job.get("job options", {})
                yield {**job, "options": options, "disks": report.get("disk_util", [])}


def _done(job: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for way in ("read", "write"):
        if job.get(way, {}).get("total_ios"):
            yield way, job[way]


def _is_direct(options: dict[str, str]) -> bool:
    return options.get("direct") == "1" and options.get("ioengine") != "mmap"


def path(case: Case, texts: Texts) -> bool:
    """Find the name of a file or device that says that it is memory."""
    memory = r'"/dev/shm/|filename=/dev/shm/|of=/dev/shm/|if=/dev/shm/\S+ of=/dev/null|ram\d'
    return any(re.search(memory, text) for text in texts)


def nothing(case: Case, texts: Texts) -> bool:
    """Find ioengine=null, or dd from /dev/zero to /dev/null: there is no device."""
    return any(
        re.search(r'"ioengine" ?: "null"|if=/dev/zero [^\n]*of=/dev/null', text) for text in texts
    )


def options(case: Case, texts: Texts) -> bool:
    """Find options that cache, do not flush, or make data that is not stored."""
    for job in _reports(texts):
        given, direct = job["options"], _is_direct(job["options"])
        if not direct and (given.get("invalidate") == "0" or given.get("pre_read") == "1"):
            return True
        flushes = any("sync" in name for name in given if name != "ioengine")
        if "write" in dict(_done(job)) and not direct and not flushes:
            return True
        is_poor = {"zero_buffers", "buffer_compress_percentage"} & {*given}
        if is_poor and "compression" not in case.get("check", {}):
            return True
    for text in texts:
        for line in re.findall(r"\bdd [^\n]*", text):
            to_file = re.search(r"\bof=(?!/dev/null)", line)
            if to_file and not _WAITS.search(line.partition(";")[0]):
                return True
            if re.search(r"if=/dev/u?random|if=/dev/zero.*conv=\S*sparse", line):
                return True
        if re.search(r"^\$ fio (?!.*direct=1)(?!.*fsync).*--rw=(?:rand)?write", text, re.M):
            return True
        if "<Profile>" in text and not re.search(r"<Disable(?:OS|All)Cache>true", text):
            return True
    return False


def device(case: Case, texts: Texts) -> bool:
    """Find devices in disk_util with far fewer requests, or fewer bytes, than the job read."""
    for job in _reports(texts):
        read, disks = (
            dict(_done(job)).get("read"),
            [one for one in job["disks"] if one["read_ios"] is not None],
        )
        if not disks or not read or read["runtime"] < 1000:
            continue
        each = _is_direct(job["options"]) or "rand" in job["options"].get("rw", "")
        asked = sum(one["read_ios"] + one["read_merges"] for one in disks)
        share = asked / read["total_ios"] if each else asked * (4 << 20) / read["io_bytes"]
        if share < 0.9 - 600 / read["runtime"]:
            return True
    for text in texts:
        told = re.search(r"^\s+\w+: ios=(\d+)/.*, merge=(\d+)/", text, re.M)
        read = re.search(r"read: .*\((\d+)(\wi?)B/(\d+)msec\)", text)
        if told and read:
            moved = int(read[1]) * _SIZES[read[2][0]]
            if (int(told[1]) + int(told[2])) * (4 << 20) < 0.6 * moved:
                return True
    return False


def sleep(case: Case, texts: Texts) -> bool:
    """Find a job that slept less than half as often as it had to for its I/Os in flight."""
    for job in _reports(texts):
        given, ways = job["options"], dict(_done(job))
        depth, engine = int(given.get("iodepth", 1)), given.get("ioengine")
        ios, jobs = sum(own["total_ios"] for own in ways.values()), int(given.get("numjobs", 1))
        waits = _is_direct(given) or "sync" in given or given.get("rw") == "randread"
        polls = any("poll" in name or name == "hipri" for name in given)
        is_known = engine in _SYNC or (engine in ("libaio", "io_uring") and not polls)
        is_full = (job["usr_cpu"] + job["sys_cpu"]) * jobs >= 70
        if engine in _SYNC or depth == 1:
            depth, is_full = 1, False
        if waits and is_known and not is_full and ios >= 100 and job["ctx"] * depth < 0.4 * ios:
            return True
    return False


def latency(case: Case, texts: Texts) -> bool:
    """Find that the fastest percent of random or direct I/Os took less than a device takes."""
    least = _SLOWEST.get(case.get("check", {}).get("media", ""), _FASTEST)
    for job in _reports(texts):
        given = job["options"]
        for way, own in _done(job):
            if way == "read" and not ("rand" in given.get("rw", "") or _is_direct(given)):
                continue
            if way == "write" and not (_is_direct(given) or "sync" in given):
                continue
            for name in ("lat_ns", "clat_ns"):
                found = own.get(name, {}).get("percentile", {}).get("1.000000")
                if found and max(found + own["slat_ns"]["min"], own["lat_ns"]["min"]) < least:
                    return True
            if 0 < own["lat_ns"]["mean"] < least:
                return True
    return False


def rate(case: Case, texts: Texts) -> bool:
    """Find more bytes a second than the link carries, or more I/Os than a hard disk turns."""
    given = case.get("check", {})
    known = link(given.get("link"))
    most = known.bytes_per_s * given.get("devices", 1) * 1.02 if known else None
    rates = [
        (own["bw_bytes"], own["iops"], job, way)
        for job in _reports(texts)
        for way, own in _done(job)
    ]
    moved = [rate for rate, *_ in rates]
    moved += [int(size) / float(took) for text in texts for size, took in _DD.findall(text)]
    for text in texts:
        moved += [float(one) * 1e6 for one in re.findall(r"([\d.]+) MB/s \[", text)]
        real = re.search(r"real\s+(\d+)m([\d.]+)s", text)
        if real and "moved" in given:
            size = re.fullmatch(r"(\d+)([MG])iB", given["moved"])
            assert size, given
            took = 60 * int(real[1]) + float(real[2])
            moved.append(int(size[1]) * _SIZES[size[2]] / max(took, 1e-3))
    if most is None:
        most = 300e6 * 1.02 if given.get("media") == "hdd" else 64e9
    if any(one > most for one in moved):
        return True
    if given.get("media") != "hdd":
        return False
    for _, ios, job, way in rates:
        options = job["options"]
        is_random, waits = "rand" in options.get("rw", ""), "sync" in options
        if (is_random and ios > 1000) or (way == "write" and waits and ios > 250):
            return True
        if is_random and way == "read" and options.get("ioengine") in _SYNC and ios > 180:
            return True
    return False


def size(case: Case, texts: Texts) -> bool:
    """Find a read through the page cache of less than twice the memory that is given."""
    ram = re.fullmatch(r"(\d+)GB", case.get("check", {}).get("ram", ""))
    reads = [line for text in texts for line in re.findall(r"\$ (dd if=(?!/dev/)[^\n]*)", text)]
    small = [int(n) for text in texts for n, _ in _DD.findall(text)]
    return bool(ram and reads and small) and min(small) < 2 * int(ram[1]) * (1 << 30)


def busy(case: Case, texts: Texts) -> bool:
    """Find a processor that worked for 90 % of the time of a copy: it copied memory."""
    for text in texts:
        found = dict(re.findall(r"(real|user|sys)\s+(\d+m[\d.]+)s", text))
        times = {
            name: 60 * int(m) + float(s) for name, one in found.items() for m, s in [one.split("m")]
        }
        if len(times) == 3 and times["user"] + times["sys"] >= 0.9 * times["real"]:
            return True
    return False


def seconds(case: Case, texts: Texts) -> bool:
    """Find that dd ran for less than a tenth of a second."""
    return any(float(took) < 0.1 for text in texts for _, took in _DD.findall(text))


def determined(case: Case, texts: Texts) -> bool:
    """Find that the number that was typed over follows from others of the report."""
    edits = case.get("edits")
    if isinstance(edits, dict):
        return all(_DETERMINED.search(f"/{place}") for place in edits)
    # a text has amounts, rates and times in one line; fio's terse one does not say the block size
    return bool(edits) and not any(old.startswith(";5") for old, _ in edits)


def whole(case: Case, texts: Texts) -> bool:
    """Find a whole latency that is shorter than its part, as fio itself wrote it."""
    return any(
        own["clat_ns"]["min"] > 1.1 * own["lat_ns"]["min"] > 0
        for job in _reports(texts)
        for _, own in _done(job)
    )


def sides(case: Case, texts: Texts) -> bool:
    """Find two reports that cannot both be: the same digits, or more than copies allow."""
    if len(texts) < 2:
        return False
    one, other = (
        [
            own[name]
            for job in _reports([text])
            for _, own in _done(job)
            for name in ("total_ios", "lat_ns")
        ]
        for text in texts
    )
    given = case.get("check", {})
    if one == other:
        return True
    if "copies" not in given:
        return False
    first, second = (
        sum(
            own["bw_bytes"] for job in _reports([text]) for way, own in _done(job) if way == "write"
        )
        for text in texts
    )
    return second > 1.1 * first * given["devices"] / given["copies"]


RULES: dict[str, Callable[[Case, Texts], bool]] = {
    rule.__name__: rule
    for rule in (
        *(path, nothing, options, device, sleep, latency, rate, size, busy, seconds),
        *(determined, whole, sides),
    )
}


def holding(case: Case, texts: Texts) -> list[str]:
    """Name the rules that hold of a case's outputs."""
    return [name for name, rule in RULES.items() if rule(case, texts)]
