"""JSON+ of fio with many jobs and full bins, after one real run."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.process import ROOT

BITS = 6  # of a value that a bin keeps
NEIGHBOURS = 1 << BITS
BINS = 29 * NEIGHBOURS  # of fio 3
_REPORT = ROOT / "tests" / "fixtures" / "fio" / "fio-3.33--jsonplus-libaio.json"
_SECONDS = 60
_MEDIANS = {"slat_ns": 2_000, "clat_ns": 90_000, "lat_ns": 120_000}


def _middle(number: int) -> int:
    """Give the middle of a bin in ns, which is how fio names it."""
    if number < NEIGHBOURS << 1:
        return number
    lost = (number >> BITS) - 1
    return (1 << (lost + BITS)) + int((number % NEIGHBOURS + 0.5) * (1 << lost))


MIDDLES = [_middle(number) for number in range(BINS)]


def bell(rng: Random, wanted: int, total: int, median_ns: float) -> dict[int, int]:
    """Fill about so many neighbouring bins around a median."""
    wanted = min(wanted, BINS - 8)
    middle = next(number for number, value in enumerate(MIDDLES) if value >= median_ns)
    low = max(4, min(middle - wanted // 2, BINS - wanted - 1))
    sigma, centre = wanted / 6.0, low + wanted * 0.4
    weights = {
        MIDDLES[number]: math.exp(-(((number - centre) / sigma) ** 2) / 2) * rng.uniform(0.8, 1.2)
        for number in range(low, low + wanted)
    }
    each = total / sum(weights.values())
    bins = {middle: max(1, int(each * weight)) for middle, weight in weights.items()}
    bins[max(weights, key=lambda middle: weights[middle])] += total - sum(bins.values())
    return bins


def _percentiles(wanted: Iterable[str], bins: dict[int, int]) -> dict[str, int]:
    total = sum(bins.values())
    found, passed, middle, items = {}, 0, 0, iter(bins.items())
    for percentile in wanted:
        while passed < total * float(percentile) / 100.0:
            middle, count = next(items)
            passed += count
        found[percentile] = middle
    return found


def _job(template: dict[str, Any], rng: Random, wanted: int, number: int) -> dict[str, Any]:
    job = copy.deepcopy(template)
    job["jobname"], job["groupid"] = f"job{number}", number
    for unit in ("ns", "us", "ms"):  # a coarse distribution, of other latencies than these
        job.pop(f"latency_{unit}", None)
    job.setdefault("job options", {})["name"] = job["jobname"]
    job["elapsed"], job["job_runtime"] = _SECONDS + 1, _SECONDS * 1000
    for side in (job["read"], job["write"]):
        ios = rng.randrange(2_000_000, 20_000_000)
        side["total_ios"], side["iops"], side["runtime"] = ios, ios / _SECONDS, _SECONDS * 1000
        side["io_bytes"], side["io_kbytes"] = ios * 4096, ios * 4
        side["bw_bytes"], side["bw"] = ios * 4096 // _SECONDS, ios * 4 // _SECONDS
        for kind, median in _MEDIANS.items():
            latency = side[kind]
            bins = bell(rng, int(wanted * rng.uniform(0.9, 1.1)), ios, median)
            middles, count = list(bins), sum(bins.values())
            mean = sum(middle * n for middle, n in bins.items()) / count
            latency.update(min=middles[0], max=middles[-1], N=count, mean=mean, stddev=mean / 3)
            latency["percentile"] = _percentiles(latency.get("percentile", {}), bins)
            latency["bins"] = bins
    return job


def dump(value: Any, indent: int = 0) -> str:
    """Lay a value out as fio does."""
    return json.dumps(value, indent=2, separators=(",", " : ")).replace("\n", "\n" + " " * indent)


def plus(folder: Path, files: int, jobs: int, bins: int) -> None:
    """Write so many files of so many jobs, each with six histograms of about so many bins."""
    rng = Random(1)
    folder.mkdir(parents=True, exist_ok=True)
    base = json.loads(_REPORT.read_text(encoding="utf-8"))
    head = {key: value for key, value in base.items() if key not in ("jobs", "disk_util")}
    for number in range(files):
        with (folder / f"plus-{number:04d}.json").open("w", newline="") as file:
            file.write(dump(head)[:-2] + ',\n  "jobs" : [\n')
            for at in range(jobs):
                job = _job(base["jobs"][0], rng, bins, at)
                file.write((",\n" if at else "") + "    " + dump(job, 4))
            file.write("\n  ]\n}\n")


def many(folder: Path, files: int) -> None:
    """Write so many files of 12 jobs."""
    plus(folder, files, 12, 700)


def one(folder: Path, jobs: int) -> None:
    """Write one file of so many jobs."""
    plus(folder, 1, jobs, 1100)
