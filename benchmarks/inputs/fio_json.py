"""Ordinary JSON of fio: copies of real reports with other numbers.

The copies agree with themselves, as real reports do: counts are multiplied by one whole number, and
latencies by another number. Everything else stays as fio, or the author of the file, laid it out.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from random import Random

from benchmarks.process import ROOT, WORK

REPORTS = ROOT / "data" / "how-many-runs" / "depth"  # if fio is not installed
_COUNT = re.compile(
    r'("(?:io_k?bytes|total_ios|N|samples|iops(?:_\w+)?|bw(?:_(?!agg)\w+)?|\d+)"\s*:\s*)'
    r"(\d+)(\.\d+)?(?=\s*[,}\n])"
)
_LATENCY = re.compile(
    r'("[sc]?lat(?:_ns)?"\s*:\s*\{)((?:[^{}]|"(?:percentile|bins)"\s*:\s*\{[^{}]*\})*)'
)
_TIME = re.compile(r'("(?:min|max|mean|stddev|\d+\.\d+)"\s*:\s*)(\d+)(\.\d+)?')
Text = tuple[str, str]  # a name, and what stands in the file


def many(folder: Path, files: int) -> None:
    """Write so many files of few layouts."""
    copy(templates(), folder, files)


def small(folder: Path, files: int) -> None:
    """Write so many files of 7 kB."""
    copy(texts(REPORTS), folder, files)


def one(path: Path, _: int) -> None:
    """Write one of these."""
    _, text = texts(REPORTS)[0]
    path.write_text(_changed(text, Random(1)), newline="")


def templates() -> list[Text]:
    """Give reports that the installed fio made, or others."""
    made = WORK / "inputs" / "templates"
    if not shutil.which("fio"):
        return texts(REPORTS)
    if not made.exists():
        part = made.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        _run_fio(part)
        part.rename(made)  # all of them, or none
    return texts(made)


def texts(folder: Path) -> list[Text]:
    """Read the reports of a folder."""
    return [(path.stem, path.read_text()) for path in sorted(folder.glob("*.json"))]


def copy(texts: Sequence[Text], folder: Path, files: int) -> None:
    """Copy reports in turn, with other numbers."""
    rng = Random(1)
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(files):
        stem, text = texts[number % len(texts)]
        (folder / f"{stem}-{number:06d}.json").write_text(_changed(text, rng), newline="")


def _run_fio(folder: Path) -> None:
    """Run fio on its null engine: 1 to 4 jobs, alone or a group, two depths, two block sizes."""
    folder.mkdir(parents=True)
    for jobs, depth, bs, grouped in product([1, 2, 3, 4], [1, 16], ["4k", "64k"], [False, True]):
        name = f"randrw-iodepth-{depth}-numjobs-{jobs}-bs-{bs}-{'g' if grouped else 's'}"
        command = [
            *("fio", "--output-format=json", f"--output={folder.resolve() / name}.json"),
            *("--name=bench", "--ioengine=null", "--rw=randrw", f"--bs={bs}"),
            *(f"--iodepth={depth}", f"--numjobs={jobs}", "--size=64m", "--thread=1"),
            *(["--group_reporting=1"] if grouped else []),
        ]
        with tempfile.TemporaryDirectory() as place:
            subprocess.run(command, check=True, cwd=place, stdout=subprocess.DEVNULL)


def _changed(text: str, rng: Random) -> str:
    """Change the numbers of the jobs."""
    times, slower = rng.randrange(1, 10), rng.uniform(0.7, 1.5)
    start = max(0, *(text.find(f'"{key}"') for key in ("jobs", "client_stats")))
    rest = _COUNT.sub(lambda found: _times(found, times), text[start:])
    rest = _LATENCY.sub(lambda found: found[1] + _slower(found[2], slower), rest)
    return text[:start] + rest


def _slower(latency: str, times: float) -> str:
    return _TIME.sub(lambda found: _times(found, times), latency)


def _times(found: re.Match[str], times: float) -> str:
    """Multiply a number, and write it with as many decimals as it had."""
    key, whole, decimals = found[1], found[2], found[3] or ""
    return f"{key}{float(whole + decimals) * times:.{max(0, len(decimals) - 1)}f}"
