"""How often `check` accuses the innocent: ``python -m benchmarks.false_alarms [every]``.

It reads the files of ../shared/corpus where they lie (with a number n, every n-th of them), asks
`check` of each without arguments, and once more with what the corpus says of the device. Each
suspicion is then held against the raw text, by other means than the library's own: the words of the
command or the report that make the run what it is accused of. The rest are
false alarms.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

import fiotools as ft

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
    "diskspd/wild/cdm_CrystalDiskMark_20210622162528_WD_Blue_3D": {
        "media": "sata-ssd",
        "link": "sata-3",
    },
    "diskspd/wild/cdm_CrystalDiskMark_20210622163451_SAMSUNG_840": {
        "media": "sata-ssd",
        "link": "sata-3",
    },
    "diskspd/wild/cdm_CrystalDiskMark_20210626154221_Crucial_P2": {
        "media": "nvme",
        "link": "pcie3-x4",
    },
    "diskspd/wild/transcribed_cdm_7.0.0_TS32GMTS400": {"media": "sata-ssd", "link": "sata-3"},
    "diskspd/wild/transcribed_cdm_8.0.4_Shizuku_hdd": {"media": "hdd", "link": "sata-3"},
    "diskspd/wild/mattu0119_DDAPerformance": {"media": "nvme", "link": "pcie3-x4"},
}

_OF_ROWS = ("spread", "samples", "latency", "cpu_time")  # contradictions within a row
_DIRECT = re.compile(r"\bo?direct\b[\"'\s:=]{1,5}1")
_FLUSH = re.compile(r"fsync|fdatasync|\bsync[\"\s:=]{1,5}1")
_SYNC_ENGINE = re.compile(
    r"ioengine[\"\s:=]{1,5}(?:p?v?sync2?|mmap|splice)\b|synchronous I/O engine"
)
_DEEP = re.compile(r"iodepth[\"\s:=]{1,5}(?:[2-9]|\d\d)")
_NULL = re.compile(r"ioengine[\"\s:=]{1,5}null")
_ERROR = re.compile(r"\berr(?:or)?\b[\"\s:=]{1,5}[1-9]")
_TO_FILE = re.compile(r"\bdd [^\n]*\bof=(?!/dev/(?:null|zero))\S+[^\n]*")
_WAITS = re.compile(r"conv=\S*(?:fdatasync|fsync)|oflag=\S*(?:direct|sync)")
_TIME = re.compile(r"\b(real|user|sys)\b\s*(?:(\d+)\s*m\s*)?(\d+[.,]\d+)", re.I)
_BUSY = re.compile(r"(?:9\d|100)%|Percent of CPU[^\n]*(?:9\d|100)%")
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


def _of_nothing(text: str) -> bool:
    return bool(
        re.search(r"if=/dev/u?random", text)
        or re.search(r"if=/dev/zero[^\n]*of=/dev/(?:null|zero)", text)
        or re.search(r"of=/dev/(?:null|zero)[^\n]*if=/dev/zero", text)
    )


def _waits(text: str) -> bool:
    return bool(_DEEP.search(text) and (_SYNC_ENGINE.search(text) or not _DIRECT.search(text)))


def _is_cached_windows(text: str) -> bool:
    if "<Disable" in text:
        return not re.search(r"<Disable(?:OS|All)Cache>true", text)
    return "software cache disabled" not in text and not re.search(r" -S(?:h|u|uw|wu)?\s", text)


# the words that make a run what it is accused of
CAUSES: dict[str, tuple[str, Callable[[str], bool]]] = {
    "cache": ("read again without direct=1", lambda text: not _DIRECT.search(text)),
    "fast_reads": ("random reads without direct=1", lambda text: not _DIRECT.search(text)),
    "medium": ("a file in /dev/shm", lambda text: "/dev/shm" in text),
    "caching": ("no -S, or no element for it", _is_cached_windows),
    "copying": ("user + sys is 90 % of real, or more", _busy),
    "dd_flush": ("dd of= without a flush", _unflushed),
    "dd_source": ("/dev/zero to /dev/null, or /dev/random", _of_nothing),
    "depth": ("a depth that waits", _waits),
    "engine": ("ioengine=null", lambda text: bool(_NULL.search(text))),
    "error": ("err=, error", lambda text: bool(_ERROR.search(text))),
    "flush": (
        "writes without direct=1 and fsync",
        lambda text: not (_DIRECT.search(text) or _FLUSH.search(text)),
    ),
}


@dataclass
class Count:
    """What came of the files.

    Attributes
    ----------
    files, runs : int
    found : Counter
        Answers by check and verdict.
    suspects : Counter
        Suspicions by check and cause; "without cause" where the raw text does not confirm it.
    without : dict
        Runs that are suspected without cause, with the reasons.
    impossible : dict
        Files with something impossible, with the reason.
    unclear : list
        Files of which an answer is given twice, has no reason, or does not say what is missing.
    """

    files: int = 0
    runs: int = 0
    found: Counter[tuple[str, str]] = field(default_factory=Counter)
    suspects: Counter[tuple[str, str]] = field(default_factory=Counter)
    without: dict[tuple[str, int], list[str]] = field(default_factory=dict)
    impossible: dict[str, str] = field(default_factory=dict)
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
    truths = json.loads((CORPUS / "dd-time" / "truths.json").read_text(encoding="utf-8"))
    for path in files(1 if devices else every):
        name = path.relative_to(CORPUS).as_posix()
        known: dict[str, Any] = {}
        if devices:
            known = next((DEVICES[key] for key in DEVICES if name.startswith(key)), {})
            if not known:
                continue
        try:
            results = ft.read(path)
        except ft.FileError:
            continue
        _add(told, name, path, results, ft.check(results, **known), truths.get(path.name))
    return told


def _add(
    told: Count, name: str, path: Path, results: ft.Results, seen: pd.DataFrame, truth: Any
) -> None:
    told.files += 1
    told.runs += len(results.runs)
    told.found.update(zip(seen["check"], seen["verdict"], strict=True))
    text = _text(path)
    if not _is_clear(seen):
        told.unclear.append(name)
    for row in seen.to_dict("records"):
        if row["verdict"] == "impossible":
            told.impossible.setdefault(name, row["why"])
        if row["verdict"] == "suspect":
            cause = _cause(name, text, row, truth)
            told.suspects[row["check"], cause or "without cause"] += 1
            if cause is None:
                told.without.setdefault((name, row["run"]), []).append(row["why"])


def _is_clear(seen: pd.DataFrame) -> bool:
    open_ends = seen["remedy"].isna() & (seen["verdict"] == "unknown")
    twice = seen.duplicated(["source", "run", "subject", "check"])
    empty = (seen[["check", "subject", "why", "basis"]].map(len) == 0).any(axis=1)
    return not (open_ends | twice | empty).any()


def _cause(name: str, text: str, row: dict[Any, Any], truth: Any) -> str | None:
    if name in DISHONEST and row["check"] in ("parts", *_OF_ROWS):
        return "a number that was edited or broken"
    if row["check"] == "dd_time":
        known = [*_listed(truth)] or [float(s.replace(",", ".")) for s in _SECONDS.findall(text)]
        return "dd ran for less than 5 s" if any(value < 5 for value in known) else None
    cause, is_so = CAUSES.get(row["check"], ("", lambda text: False))
    return cause if is_so(text) else None


def _listed(truth: Any) -> Iterator[float]:
    """Give the seconds of every report of dd in a truth."""
    if isinstance(truth, dict):
        if isinstance(truth.get("seconds"), int | float):
            yield truth["seconds"]
        truth = list(truth.values())
    for part in truth if isinstance(truth, list) else ():
        yield from _listed(part)


def _text(path: Path) -> str:
    raw = path.read_bytes()
    text = raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "replace")
    return re.sub(r"\\\r*\n> ?", "", text)  # a command over several lines


def report(told: Count) -> str:
    """Write the counts as tables."""
    verdicts = ("ok", "note", "unknown", "suspect", "impossible")
    lines = [f"{told.files} files, {told.runs} runs", ""]
    lines.append(f"{'check':16}" + "".join(f"{verdict:>12}" for verdict in verdicts))
    for check in sorted({check for check, _ in told.found}):
        cells = "".join(f"{told.found[check, verdict]:12}" for verdict in verdicts)
        lines.append(f"{check:16}{cells}")
    lines += ["", "suspects, and what the raw text says of it"]
    lines += [f"{n:6}  {check:12} {cause}" for (check, cause), n in sorted(told.suspects.items())]
    share = len(told.without) / max(told.runs, 1)
    lines += ["", f"runs suspected without cause: {len(told.without)} ({100 * share:.2f} %)"]
    for (name, run), reasons in told.without.items():
        lines += [f"  {name} run {run}: {why}" for why in reasons]
    lines += ["", f"files with an answer that is not clear: {', '.join(told.unclear) or 'none'}"]
    lines += ["", f"files with something impossible: {len(told.impossible)}"]
    for name, why in told.impossible.items():
        lines.append(f"  {name} ({DISHONEST.get(name, 'honest!')}): {why}")
    return "\n".join(lines)


def main() -> None:
    """Print both counts."""
    if not CORPUS.is_dir():
        sys.exit("there is no ../shared/corpus beside the project")
    every = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    print("without arguments:", report(count(every)))
    print("\nwith what is known of the devices:", report(count(devices=True)))


if __name__ == "__main__":
    main()
