"""Transcripts of ``time dd``, and one long file of dd's reports."""

from __future__ import annotations

from pathlib import Path
from random import Random

DECIMAL = ["B", "kB", "MB", "GB", "TB"]
BINARY = ["B", "KiB", "MiB", "GiB", "TiB"]


def _human(size: float, step: int, units: list[str]) -> str:
    """Write a size nearly as coreutils does: one digit after the point below 10."""
    at = 0
    while size >= step and at < len(units) - 1:
        size /= step
        at += 1
    return f"{size:.1f} {units[at]}" if size < 9.95 and at else f"{size:.0f} {units[at]}"


def report(rng: Random) -> tuple[str, float]:
    """Make one report; give it and its seconds."""
    block = 1 << rng.choice([12, 16, 20, 22])
    count = rng.choice([1, 64, 256, 1024, 4096, 262144])
    size = block * count
    cut = rng.random() < 0.05
    seconds = size / rng.uniform(5e7, 4e9)
    copied = f"{size} bytes copied"
    if size >= 1024:
        copied = (
            f"{size} bytes ({_human(size, 1000, DECIMAL)}, {_human(size, 1024, BINARY)}) copied"
        )
    records = f"{count - cut}+{int(cut)} records"
    rate = _human(size / seconds, 1000, DECIMAL)
    return f"{records} in\n{records} out\n{copied}, {seconds:.6g} s, {rate}/s\n", seconds


def _clock(seconds: float) -> str:
    return f"{int(seconds // 60)}m{seconds % 60:.3f}s"


def transcripts(folder: Path, files: int, seed: int = 1) -> None:
    """Write a terminal session into each of so many files, whose numbers agree with each other."""
    rng = Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(files):
        count = rng.choice([64, 256, 1024, 4096])
        size, rate = count << 20, rng.uniform(5e7, 2e9)
        seconds = size / rate
        # status=progress writes one line again and again, and ends it before the report
        done = ((int(rate * second) >> 20 << 20, second) for second in range(1, int(seconds) + 1))
        told = [_copied(moved, second, f"{second}") for moved, second in done if moved][:8]
        progress = "".join(f"\r{line}" for line in told) + "\n" * bool(told)
        clocks = (seconds + 0.004, seconds * 0.02, seconds * 0.4)
        real, user, system = map(_clock, clocks)
        session = (
            "user@host:~$ sync\n"
            f"user@host:~$ time dd if=/dev/zero of=/mnt/nvme{number % 4}n1/testfile.{number:06d}"
            f" bs=1M count={count} oflag=direct conv=fdatasync status=progress\n{progress}"
            f"{count}+0 records in\n{count}+0 records out\n"
            f"{_copied(size, seconds, f'{seconds:.6g}')}\n"
            f"\nreal\t{real}\nuser\t{user}\nsys\t{system}\n"
        )
        (folder / f"run-{number:06d}.txt").write_text(session, newline="")


def _copied(size: int, seconds: float, printed: str) -> str:
    sizes = f"({_human(size, 1000, DECIMAL)}, {_human(size, 1024, BINARY)})"
    return f"{size} bytes {sizes} copied, {printed} s, {_human(size / seconds, 1000, DECIMAL)}/s"


def reports(path: Path, reports: int, seed: int = 1) -> None:
    """Write so many reports into one file."""
    rng = Random(seed)
    with path.open("w", newline="") as file:
        for _ in range(reports):
            file.write(report(rng)[0])
