"""JSON+ of fio with many jobs and full bins, after one real run.

python -m benchmarks.inputs.fio_jsonplus FOLDER --files 1 --jobs 2400 --bins 1100 --template FILE
"""

from __future__ import annotations

import argparse
import copy
import json
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.inputs.fio_layout import bell, dump, laid_bins

_SECONDS = 60
_MEDIANS = {"slat_ns": 2_000, "clat_ns": 90_000, "lat_ns": 120_000}


def run(fio: str = "fio") -> dict[str, Any]:
    """Run fio once on its null engine, with bins of all three latencies."""
    command = [
        *(fio, "--output-format=json+", "--output=o.json", "--name=bench", "--ioengine=null"),
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


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path)
    for name, default in {"files": 1, "jobs": 12, "bins": 700, "seed": 1}.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--template", type=Path, help="a JSON+ file; by default fio is run for one")
    parser.add_argument("--fio", default="fio")
    options = vars(parser.parse_args())
    template, fio = options.pop("template"), options.pop("fio")
    plus(**options, base=json.loads(template.read_text()) if template else run(fio))


if __name__ == "__main__":
    main()
