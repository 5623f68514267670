"""The inputs by name, made once, and kept in build/bench while they and `inputs` are the same.

``python -m benchmarks.made NAME PATH COUNT`` makes one anywhere.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from benchmarks.process import ROOT, WORK, run


@dataclass(frozen=True)
class Input:
    """Files of one kind.

    Attributes
    ----------
    name : str
    make : str
        A function of `inputs`, which takes the path and how many.
    full, quick, first : int
        How many: files, jobs, rows, seconds or reports. The first are read before anything is
        counted.
    unit : str
        What of.
    file : str
        The name of the file that is read; without it, the folder is.
    """

    name: str
    make: str
    full: int
    quick: int
    first: int
    unit: str
    file: str = ""

    def path(self, count: int) -> Path:
        """Give the place of so many, which are made if they are not there as they were."""
        folder = WORK / "inputs" / f"{self.name}-{count}"
        path, stamp = folder / self.file, folder.with_suffix(".json")
        if not stamp.exists() or json.loads(stamp.read_text()) != _stamp(path):
            print(f"making {count:,} {self.unit} ...", flush=True)
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            # not in this process, which has to stay small
            run([sys.executable, "-m", "benchmarks.made", self.name, str(path), str(count)])
            stamp.write_text(json.dumps(_stamp(path)))
        return path


def _stamp(path: Path) -> dict[str, int | str]:
    """Say what an input is, and by what it was made."""
    generators = sorted((ROOT / "benchmarks" / "inputs").glob("*.py"))
    by = hashlib.sha256(b"".join(file.read_bytes() for file in generators))
    return {**size(path), "by": by.hexdigest()}


def size(path: Path) -> dict[str, int]:
    """Count files and bytes."""
    files = [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]
    return {"files": len(files), "bytes": sum(one.stat().st_size for one in files)}


# name, function, how many in full, quickly and first, of what, file
JSON = Input("A-json", "fio_json.many", 20_000, 2_000, 50, "files of fio JSON")
MIXED = Input("A-mixed", "fio_mixed.mixed", 3_000, 500, 1, "files of fio JSON, layouts in turn")
MANY_PLUS = Input("B-many", "fio_jsonplus.many", 200, 8, 1, "files of JSON+, 12 jobs each")
ONE_PLUS = Input("B-one", "fio_jsonplus.one", 1_600, 240, 2, "jobs in one JSON+ file")
_ROWS, _LAT = "rows of a per-I/O log", "bench_lat.1.log"
LOG = Input("C-log", "fio_log.latencies", 20_000_000, 2_000_000, 10_000, _ROWS, _LAT)
SHORT_LOG = Input("C-short", "fio_log.four_columns", 2_000_000, 500_000, 10_000, _ROWS, _LAT)
LONG_LOG = Input("C-log", "fio_log.latencies", 100_000_000, 0, 10_000, _ROWS, _LAT)
MANY_XML = Input("D-many", "diskspd.results", 1_000, 100, 5, "files of DISKSPD XML")
_LONG = "seconds of 64 threads on 2 targets, one XML"
ONE_XML = Input("D-one", "diskspd.long", 4_900, 900, 10, _LONG)
SESSIONS = Input("E-sessions", "dd.transcripts", 10_000, 4_000, 50, "sessions of time dd")
_DD = "reports of dd in one file"
REPORTS = Input("E-reports", "dd.reports", 1_000_000, 100_000, 100, _DD, "dd.txt")
_HIST = "bench_clat_hist.1.log"
HIST = Input("H-hist", "fio_hist.histograms", 20_000, 1_000, 10, "histograms in a log", _HIST)
SMALL_JSON = Input("one-json", "fio_json.one", 1, 1, 1, "file of fio JSON", "run.json")
SMALL_XML = Input("one-xml", "diskspd.short", 1, 1, 1, "file of DISKSPD XML", "run.xml")
SMALL_DD = Input("one-dd", "dd.reports", 1, 1, 1, "report of dd", "dd.txt")

INPUTS = [
    *(JSON, MIXED, MANY_PLUS, ONE_PLUS, LOG, SHORT_LOG, MANY_XML, ONE_XML, SESSIONS),
    *(REPORTS, HIST, SMALL_JSON, SMALL_XML, SMALL_DD),
]

if __name__ == "__main__":
    name, place, count = sys.argv[1:]
    module, _, function = {one.name: one.make for one in INPUTS}[name].partition(".")
    getattr(import_module(f"benchmarks.inputs.{module}"), function)(Path(place), int(count))
