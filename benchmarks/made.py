"""The inputs by name, made once, and kept in build/bench while they and `inputs` are the same."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.process import ROOT, WORK, run

# real reports, for whoever has no fio to make some
_REPORTS = ROOT / "data" / "how-many-runs" / "depth"
_PLUS = ROOT / "tests" / "fixtures" / "fio" / "fio-3.33--jsonplus-libaio.json"


@dataclass(frozen=True)
class Input:
    """Files of one kind.

    Attributes
    ----------
    name : str
        The letter of its goal, and its kind.
    make : callable
        Takes the path and how many.
    full, quick : int
        How many: files, jobs, rows, seconds or reports.
    unit : str
        What of.
    file : str
        The name of the file that is read; without it, the folder is.
    """

    name: str
    make: Callable[[Path, int], None]
    full: int
    quick: int
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


def _json(path: Path, count: int) -> None:
    from benchmarks.inputs import fio_json

    templates = _REPORTS
    if shutil.which("fio"):
        templates = WORK / "inputs" / "templates"
        if not templates.exists():
            fio_json.templates(templates)
    fio_json.scale(templates, path, count)


def _many_plus(path: Path, count: int) -> None:
    from benchmarks.inputs import fio_jsonplus

    fio_jsonplus.plus(path, count, 12, 700, base=_plus())


def _one_plus(path: Path, count: int) -> None:
    from benchmarks.inputs import fio_jsonplus

    fio_jsonplus.plus(path, 1, count, 1100, base=_plus())


def _plus() -> dict[str, object]:
    from benchmarks.inputs import fio_jsonplus

    if shutil.which("fio"):
        return fio_jsonplus.run()
    found: dict[str, object] = json.loads(_PLUS.read_text(encoding="utf-8"))
    return found


def _log(path: Path, count: int) -> None:
    from benchmarks.inputs import fio_log

    fio_log.latencies(path, count)


def _short_log(path: Path, count: int) -> None:
    from benchmarks.inputs import fio_log

    fio_log.latencies(path, count, columns=4)  # fiologparser knows no more


def _hist(path: Path, count: int) -> None:
    from benchmarks.inputs import fio_hist

    fio_hist.histograms(path, count)


def _many_xml(path: Path, count: int) -> None:
    from benchmarks.inputs import diskspd

    diskspd.results(path, count, diskspd.Run())


def _one_xml(path: Path, count: int) -> None:
    from benchmarks.inputs import diskspd

    diskspd.results(path, 1, diskspd.Run(threads=64, targets=2, seconds=count))


def _sessions(path: Path, count: int) -> None:
    from benchmarks.inputs import dd

    dd.transcripts(path, count)


def _reports(path: Path, count: int) -> None:
    from benchmarks.inputs import dd

    dd.reports(path, count)


JSON = Input("A-json", _json, 20_000, 2_000, "files of fio JSON")
MANY_PLUS = Input("B-many-jsonplus", _many_plus, 200, 8, "files of JSON+, 12 jobs each")
ONE_PLUS = Input("B-one-jsonplus", _one_plus, 1_600, 240, "jobs in one JSON+ file")
LOG = Input("C-log", _log, 20_000_000, 2_000_000, "rows of a per-I/O log", "bench_lat.1.log")
SHORT_LOG = Input(
    "C-short-log", _short_log, 2_000_000, 500_000, "rows of a per-I/O log", "bench_lat.1.log"
)
LONG_LOG = Input("C-log", _log, 100_000_000, 0, "rows of a per-I/O log", "bench_lat.1.log")
HIST = Input("H-hist", _hist, 20_000, 1_000, "histograms in a log", "bench_clat_hist.1.log")
MANY_XML = Input("D-many-xml", _many_xml, 1_000, 100, "files of DISKSPD XML")
ONE_XML = Input("D-one-xml", _one_xml, 4_900, 900, "seconds of 64 threads on 2 targets, one XML")
SESSIONS = Input("E-sessions", _sessions, 10_000, 4_000, "sessions of time dd")
REPORTS = Input("E-reports", _reports, 1_000_000, 100_000, "reports of dd in one file", "dd.txt")

INPUTS = [JSON, MANY_PLUS, ONE_PLUS, LOG, SHORT_LOG, HIST, MANY_XML, ONE_XML, SESSIONS, REPORTS]

if __name__ == "__main__":
    {one.name: one.make for one in INPUTS}[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3]))
