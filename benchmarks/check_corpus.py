"""How often `check` accuses real outputs that other people published, without a cause.

``python -m benchmarks.check_corpus`` asks of each file in ../shared/corpus, and once more with what
is known of the device. A suspicion has a cause if the raw text makes the run what it is accused of.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import fiotools as ft
from benchmarks import claims

CORPUS = Path(__file__).parents[2] / "shared" / "corpus"

# numbers that were edited, made up or broken when they were written
DISHONEST = {
    "fio/wild/microsoft_VirtualClient__Results_FIO.json": "7.9 MB/s for 111 s are not 1 GB",
    # 143654912 ns, the middle of a bin, became 151864912, which is none and above the greatest
    "fio/wild/microsoft_VirtualClient__Results_FIO_ReadWrite.json": "percentiles typed over",
    "fio/wild/microsoft_VirtualClient__Results_FIO_Write.json": "percentiles typed over",
    "fio/wild/vTechnolust_PerfTests__ncb-results-2.1.11.txt": "latencies of 210 hours (fio 2.1.11)",
    "diskspd/wild/vc_WriteOnly-v2.2.0-MultiSocketSingleGroup.txt": "trimmed by hand",
    "diskspd/wild/vc_WriteOnly-v2.2.0-MultiNumaMultiGroup.txt": "trimmed by hand",
    "dd-time/bash-time__C_fakeclock_over_an_hour.txt": "dd's clock was faked, and bash's was not",
    **{
        f"dd-time/{name}.txt": "I/O that a library made up"
        for name in (
            *("busybox-dd-git2024__C_nullio_TB", "freebsd-dd-chimerautils__C_nullio_TB"),
            *("gnu-dd-9.1__C_nullio_PB_1.1", "gnu-dd-9.1__C_nullio_PB_4.5"),
            *("macos-dd-file_cmds457__C_nullio_TB", "uutils-dd-0.0.17__C_nullio_TB"),
            "uutils-dd-0.12.0__C_nullio_TB",
        )
    },
    "dd-time/wild__pt_fabricated_inconsistent_rate.txt": "1.6 GB/s is not bytes over seconds",
    "fio/wild/aceqbaceq_docs__notes-many-versions.txt": "one report copied, two rates typed over",
}
# of which device a file is, where its name or the corpus says so
DEVICES: dict[str, dict[str, Any]] = {
    "fio/wild/GijsVermarien_corsair_mp510": {"media": "nvme", "link": "pcie3-x4"},
    "fio/wild/louwrentius_fio-plot__g8": {"media": "sata-ssd", "link": "sata-2"},
    "fio/wild/sosomasox_raspi-libvirt__vm-iscsi": {"link": "eth-1g"},
    "diskspd/wild/cdm_CrystalDiskMark_20210622162528_WD": {"media": "sata-ssd", "link": "sata-3"},
    "diskspd/wild/cdm_CrystalDiskMark_20210622163451_SA": {"media": "sata-ssd", "link": "sata-3"},
    "diskspd/wild/cdm_CrystalDiskMark_20210626154221_Cr": {"media": "nvme", "link": "pcie3-x4"},
    "diskspd/wild/transcribed_cdm_7.0.0_TS32GMTS400": {"media": "sata-ssd", "link": "sata-3"},
    "diskspd/wild/transcribed_cdm_8.0.4_Shizuku_hdd": {"media": "hdd", "link": "sata-3"},
    "diskspd/wild/mattu0119_DDAPerformance": {"media": "nvme", "link": "pcie3-x4"},
}

_OF_ROWS = ("spread", "samples", "latency", "cpu_time")  # contradictions within a row
_DIRECT = re.compile(r"\bo?direct\b[\"'\s:=]{1,5}1")
_FLUSH = re.compile(r"fsync|fdatasync|\bsync[\"\s:=]{1,5}1")
_SYNC = re.compile(r"ioengine[\"\s:=]{1,5}(?:p?v?sync2?|mmap|splice)\b|synchronous I/O engine")
_DEEP = re.compile(r"iodepth[\"\s:=]{1,5}(?:[2-9]|\d\d)")
_NULL = re.compile(r"ioengine[\"\s:=]{1,5}null")
_ERROR = re.compile(r"\berr(?:or)?\b[\"\s:=]{1,5}[1-9]")
_TO_FILE = re.compile(r"\bdd [^\n]*\bof=(?!/dev/(?:null|zero))\S+[^\n]*")
_WAITS = re.compile(r"conv=\S*(?:fdatasync|fsync)|oflag=\S*(?:direct|sync)")
_TIME = re.compile(r"\b(real|user|sys)\b\s*(?:(\d+)\s*m\s*)?(\d+[.,]\d+)", re.I)
_BUSY = re.compile(r"(?:9\d|100)%|Percent of CPU[^\n]*(?:9\d|100)%")
_NOTHING = re.compile(
    r"if=/dev/u?random|if=/dev/zero[^\n]*of=/dev/(?:null|zero)|of=/dev/(?:null|zero)[^\n]*if=/dev/zero"
)
_SECONDS = re.compile(r"(\d+(?:[.,]\d+)?(?:e-?\d+)?) ?(?:s\b|sec|秒|초|с\b|Sek|seg)")


def _busy(text: str) -> bool:
    times: dict[str, float] = {}
    for name, minutes, seconds in _TIME.findall(text):
        times[name.lower()] = 60 * int(minutes or 0) + float(seconds.replace(",", "."))
        if len(times) == 3:
            if times["user"] + times["sys"] >= 0.9 * times["real"]:
                return True
            times.clear()
    return _BUSY.search(text) is not None


def _unflushed(text: str) -> bool:
    return any(_WAITS.search(line[0]) is None for line in _TO_FILE.finditer(text))


def _waits(text: str) -> bool:
    return bool(_DEEP.search(text) and (_SYNC.search(text) or not _DIRECT.search(text)))


def _is_cached_windows(text: str) -> bool:
    if "<Disable" in text:
        return not re.search(r"<Disable(?:OS|All)Cache>true", text)
    return "software cache disabled" not in text and not re.search(r" -S(?:h|u|uw|wu)?\s", text)


# what the raw text says where a run is what it is accused of
CAUSES: dict[str, Callable[[str], bool]] = {
    "cache": lambda text: not _DIRECT.search(text),
    "fast_reads": lambda text: not _DIRECT.search(text),
    "medium": lambda text: "/dev/shm" in text,
    "caching": _is_cached_windows,
    "copying": _busy,
    "dd_flush": _unflushed,
    "dd_source": lambda text: bool(_NOTHING.search(text)),
    "depth": _waits,
    "engine": lambda text: bool(_NULL.search(text)),
    "error": lambda text: bool(_ERROR.search(text)),
    "flush": lambda text: not (_DIRECT.search(text) or _FLUSH.search(text)),
}


@dataclass
class Count:
    """What came of the files; in some an answer is given twice, or has an open end: `unclear`."""

    files: int = 0
    runs: int = 0
    suspects: Counter[str] = field(default_factory=Counter)  # by check
    without: list[str] = field(default_factory=list)  # a cause
    impossible: set[str] = field(default_factory=set)
    unclear: list[str] = field(default_factory=list)


def files(every: int = 1) -> Iterator[Path]:
    """Give every so-manieth file that the manifests name, in their order."""
    names = []
    for folder in ("dd-time", "diskspd", "fio"):
        with (CORPUS / folder / "MANIFEST.tsv").open(encoding="utf-8") as lines:
            rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
            names += [CORPUS / folder / row["file"] for row in rows]
    yield from names[::every]


def count(every: int = 1, *, devices: bool = False) -> Count:
    """Ask `check` of the corpus, with what is known of the devices or without, and count."""
    told = Count()
    for path in files(1 if devices else every):
        name = path.relative_to(CORPUS).as_posix()
        known = next((DEVICES[key] for key in DEVICES if devices and name.startswith(key)), {})
        if devices and not known:
            continue
        try:
            results = ft.read(path)
        except ft.FileError:
            continue
        seen = ft.check(results, **known)
        told.files += 1
        told.runs += len(results.runs)
        if not _is_clear(seen):
            told.unclear.append(name)
        text = _text(path)
        for row in seen.to_dict("records"):
            if row["verdict"] == "impossible":
                told.impossible.add(name)
            if row["verdict"] == "suspect":
                told.suspects[row["check"]] += 1
                if not _has_cause(name, text, row["check"]):
                    told.without.append(f"{name}, run {row['run']}: {row['why']}")
    return told


def _is_clear(seen: Any) -> bool:
    open_ends = seen["remedy"].isna() & (seen["verdict"] == "unknown")
    twice = seen.duplicated(["source", "run", "subject", "check"])
    empty = (seen[["check", "subject", "why", "basis"]].map(len) == 0).any(axis=1)
    return not (open_ends | twice | empty).any()


def _has_cause(name: str, text: str, check: str) -> bool:
    if name in DISHONEST and check in ("parts", *_OF_ROWS):
        return True
    if check == "dd_time":
        return any(float(one.replace(",", ".")) < 5 for one in _SECONDS.findall(text))
    return check in CAUSES and CAUSES[check](text)


def _text(path: Path) -> str:
    raw = path.read_bytes()
    text = raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "replace")
    return re.sub(r"\\\r*\n> ?", "", text)  # a command over several lines


def report() -> Iterator[str]:
    """Write the section, line by line."""
    yield "Files that other people published. A suspicion has no cause if the words of the output"
    yield "do not confirm it.\n"
    yield "| asked | files | runs | suspicions | without cause | honest files called impossible |"
    yield "|---|---|---|---|---|---|"
    for devices, asked in ((False, "nothing given"), (True, "device given, where it is known")):
        told = count(devices=devices)
        cells = [told.files, told.runs, sum(told.suspects.values()), len(told.without)]
        cells += [len(told.impossible - set(DISHONEST))]
        yield f"| {asked} | {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    claims.write("Files of other people", "python -m benchmarks.check_corpus", report())
