"""JSON+ of fio with many jobs and full bins, after one real run."""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.inputs.fio_layout import bell, dump, laid_bins
from benchmarks.process import ROOT

_REPORT = ROOT / "tests" / "fixtures" / "fio" / "fio-3.33--jsonplus-libaio.json"
_SECONDS = 60
_MEDIANS = {"slat_ns": 2_000, "clat_ns": 90_000, "lat_ns": 120_000}


def _base() -> dict[str, Any]:
    """Run fio once on its null engine, with bins of all three latencies; or take a real report."""
    if not shutil.which("fio"):
        found: dict[str, Any] = json.loads(_REPORT.read_text(encoding="utf-8"))
        return found
    command = [
        *("fio", "--output-format=json+", "--output=o.json", "--name=bench", "--ioengine=null"),
        *("--rw=randrw", "--bs=4k", "--iodepth=4", "--size=64m"),
        *("--slat_percentiles=1", "--clat_percentiles=1", "--lat_percentiles=1"),
    ]
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(command, check=True, cwd=place, stdout=subprocess.DEVNULL)
        report: dict[str, Any] = json.loads((Path(place) / "o.json").read_text())
    return report


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
            latency["bins"] = laid_bins(bins, 5)
    return job


def plus(
    folder: Path, files: int, jobs: int, bins: int, *, base: dict[str, Any], seed: int = 1
) -> None:
    """Write so many files of so many jobs, each with six histograms of about so many bins."""
    rng = Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    head = {key: value for key, value in base.items() if key not in ("jobs", "disk_util")}
    for number in range(files):
        with (folder / f"plus-{number:04d}.json").open("w", newline="") as file:
            file.write(dump(head)[:-2] + ',\n  "jobs" : [\n')
            for at in range(jobs):
                job = _job(base["jobs"][0], rng, bins, at)
                file.write((",\n" if at else "") + "    " + dump(job, 2))
            file.write("\n  ]\n}\n")


def many(folder: Path, files: int) -> None:
    """Write so many files of 12 jobs."""
    plus(folder, files, 12, 700, base=_base())


def one(folder: Path, jobs: int) -> None:
    """Write one file of so many jobs."""
    plus(folder, 1, jobs, 1100, base=_base())
