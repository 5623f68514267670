"""Inputs that grow: ordinary ones, of every reader.

The growing input is written to a file, or to files in a folder, and read from there.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmarks.inputs import dd, diskspd, fio_hist, fio_json, fio_jsonplus, fio_log
from benchmarks.process import ROOT

FIXTURES = ROOT / "tests" / "fixtures"


@dataclass(frozen=True)
class Growing:
    """An input of any size.

    Attributes
    ----------
    name : str
    reader : str
        Whose grammar it is for; a hostile one may be read by none.
    make : callable
        Takes a folder, and about how many bytes; gives the path to read.
    hostile : bool
    """

    name: str
    reader: str
    make: Callable[[Path, int], Path]
    hostile: bool = True


def text(
    unit: str | Callable[[int], str],
    head: str = "",
    tail: str = "",
    file: str = "x.txt",
    encoding: str = "utf-8",
) -> Callable[[Path, int], Path]:
    """Repeat a unit, which may depend on its number."""

    def make(folder: Path, size: int) -> Path:
        path = folder / file
        if isinstance(unit, str):
            body = unit * (size // len(unit))
        else:
            body = "".join(unit(number) for number in range(size // len(unit(0))))
        path.write_text(head + body + tail, encoding=encoding, newline="")
        return path

    return make


def fixture(name: str) -> str:
    """Give the text of a fixture."""
    return (FIXTURES / name).read_text(encoding="utf-8")


# ordinary


def _histograms(folder: Path, size: int) -> Path:
    path = folder / "x_clat_hist.1.log"
    fio_hist.histograms(path, size // 5840)
    return path


def _latencies(folder: Path, size: int) -> Path:
    path = folder / "x_lat.1.log"
    fio_log.latencies(path, size // 25)
    return path


def _one_xml(folder: Path, size: int) -> Path:
    diskspd.results(folder, 1, diskspd.Run(seconds=size // 2500))
    return folder


def _many_xml(folder: Path, size: int) -> Path:
    diskspd.results(folder, max(1, size // 115_000))
    return folder


def _many_json(folder: Path, size: int) -> Path:
    fio_json.small(folder, max(1, size // 7_000))
    return folder


def _bins(folder: Path, size: int) -> Path:
    fio_jsonplus.plus(folder, 1, max(1, size // 200_000), 1100)
    return folder


def _jobs(folder: Path, size: int) -> Path:
    document = json.loads(fixture("fio/fio-3.33--libaio.json"))
    (job, *_) = document["jobs"]
    count = size // len(fio_jsonplus.dump(job))
    document["jobs"] = [{**job, "jobname": f"j{n}", "groupid": n} for n in range(count)]
    path = folder / "x.json"
    path.write_text(fio_jsonplus.dump(document))
    return path


def _hyperfine(folder: Path, size: int) -> Path:
    rng = Random(1)
    times = [round(rng.uniform(0.1, 0.2), 10) for _ in range(10)]
    one = {"mean": sum(times) / 10, "median": 0.15, "min": min(times), "max": max(times)}
    results = [{"command": f"sleep {n}", **one, "times": times} for n in range(size // 250)]
    path = folder / "x.json"
    path.write_text(json.dumps({"results": results}))
    return path


def _sessions(folder: Path, size: int) -> Path:
    dd.transcripts(folder, max(1, size // 360))
    return folder


def _session(number: int) -> str:
    report, _ = dd.report(Random(number))
    times = f"real\t0m{number % 60:02d}.{number % 997:03d}s\nuser\t0m0.010s\nsys\t0m0.020s"
    return f"$ time dd if=/dev/zero of=/mnt/f{number:06d} bs=1M count=9\n{report}\n{times}\n"


def _report(number: int) -> str:
    return dd.report(Random(number))[0]


def _time(number: int) -> str:
    return f"\nreal\t0m{number % 60:02d}.{number % 997:03d}s\nuser\t0m0.010s\nsys\t0m0.020s\n"


def _terse(number: int) -> str:
    return fixture("fio/fio-3.33--terse-v3.terse").replace(";0;0;", f";0;{number % 10};", 1)


ORDINARY = [
    Growing(name, reader, make, hostile=False)
    for name, reader, make in (
        (
            "many results",
            "crystaldiskmark",
            text(fixture("crystaldiskmark/crystaldiskmark-8.0.4--mix_nvme.txt") + "\n"),
        ),
        ("many reports", "dd", text(_report)),
        ("many runs", "diskspd_text", text(fixture("diskspd/diskspd-2.2--F2O8_weights.txt"))),
        ("a long run", "diskspd_xml", _one_xml),
        ("many files", "diskspd_xml", _many_xml),
        ("a long log", "fio_hist_log", _histograms),
        ("many files", "fio_json", _many_json),
        ("many jobs", "fio_json", _jobs),
        ("bins", "fio_json", _bins),
        ("many documents", "fio_json", text(fixture("fio/fio-3.33--libaio.json"))),
        ("a long log", "fio_log", _latencies),
        ("many reports", "fio_normal", text(fixture("fio/fio-3.33--libaio.txt"))),
        ("many lines", "fio_terse", text(_terse)),
        ("many commands", "hyperfine", _hyperfine),
        ("many reports", "time", text(_time)),
        ("a long session", "transcript", text(_session)),
        ("many files", "transcript", _sessions),
    )
]
