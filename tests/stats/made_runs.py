"""Runs for `check`: fixtures, copies of them with changed text, and made-up outputs."""

from __future__ import annotations

import re
from collections.abc import Callable

import fiotools as ft
from tests.conftest import FIXTURES, ROOT

DATA = (ROOT / "data").as_posix()
MADE = FIXTURES / "credibility"
Run = Callable[[], ft.Results]


def made(name: str, edits: dict[str, str] | None = None, **options: str) -> Run:
    """Read a fixture, or a copy of it with changed text and other options of its jobs."""
    path = next(
        folder / name for folder in (MADE, FIXTURES / "diskspd") if (folder / name).exists()
    )
    said = path.read_text(encoding="utf-8")
    for old, new in (edits or {}).items():
        assert old in said, f"{name} has no {old!r}"
        said = said.replace(old, new)
    for option, value in options.items():
        said, count = re.subn(f'"{option}" : "[^"]*"', f'"{option}" : "{value}"', said)
        if not count:
            said = said.replace('"job options" : {', f'"job options" : {{"{option}" : "{value}",')
    return lambda: ft.reads(said, name=name)


def fio(name: str, edits: dict[str, str] | None = None, **options: str) -> Run:
    return made(f"fio-3.33--{name}.json", edits, **options)


def diskspd(name: str, edits: dict[str, str] | None = None) -> Run:
    return made(f"diskspd-{name}", edits)


def gnu(name: str) -> Run:
    return made(f"gnu-dd-9.1--{name}.txt")


def data(name: str) -> Run:
    return lambda: ft.read(f"{DATA}/{name}")


def text(*lines: str) -> Run:
    return lambda: ft.reads("\n".join(lines) + "\n")


def two(**sides: Run) -> Run:
    """Join two readings, as a path template would."""

    def read() -> ft.Results:
        both = []
        for side, read_one in sides.items():
            results = read_one()
            labelled = {
                name: frame.assign(side=side, source=side) for name, frame in results.tables.items()
            }
            both.append(ft.Results(labelled, files=1))
        return ft.concat(both)

    return read


def beside_right(edits: dict[str, str] | None = None, **options: str) -> Run:
    """Join a right run, the slow side, and a copy of it with changed text."""
    return two(slow=fio("right"), fast=fio("right", edits, **options))


def dd(command: str, size: float, seconds: float) -> str:
    """Write the output of GNU dd, below its command if there is one."""
    rate = f"{size / seconds / 1e6:.4g} MB/s"
    records = f"1+0 records in\n1+0 records out\n{size:.0f} bytes copied, {seconds} s, {rate}"
    return f"$ {command}\n{records}" if command else records


def ran(command: str, size: float, seconds: float) -> Run:
    return text(dd(command, size, seconds))


def times(real: float, user: float, system: float) -> str:
    return f"\nreal\t0m{real:.3f}s\nuser\t0m{user:.3f}s\nsys\t0m{system:.3f}s"


CDM = "\n".join(
    [
        "CrystalDiskMark 8.0.4 x64 (C) 2007-2021 hiyohiyo",
        "* MB/s = 1,000,000 bytes/s [SATA/600 = 600,000,000 bytes/s]",
        "* KB = 1000 bytes, KiB = 1024 bytes",
        "",
        "[Read]",
        "  SEQ    1MiB (Q=  8, T= 1):  2097.152 MB/s [   2000.0 IOPS] <  3999.00 us>",
        "",
        "   Test: 1 GiB (x5) [C: 10% (10/100GiB)]",
    ]
)
FIO_COMMAND = "$ fio --name=w --filename=f --size=64m --rw=write --bs=1m --ioengine=psync"
FIO_TEXT = [
    "w: (g=0): rw=write, bs=(R) 1024KiB-1024KiB, (W) 1024KiB-1024KiB, (T) 1024KiB-1024KiB, "
    "ioengine=psync, iodepth=1",
    "fio-3.33",
    "Starting 1 process",
    "w: (groupid=0, jobs=1): err= 0: pid=1: Fri Nov 20 10:00:00 2026",
    "  write: IOPS=64, BW=64.0MiB/s (67.1MB/s)(64.0MiB/1000msec); 0 zone resets",
    "    clat (usec): min=100, max=200, avg=150.00, stdev=10.00",
    "     lat (usec): min=100, max=200, avg=150.00, stdev=10.00",
    "  cpu          : usr=1.00%, sys=2.00%, ctx=1, majf=0, minf=1",
    "  IO depths    : 1=100.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%",
    "     submit    : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%",
    "     complete  : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%",
    "     issued rwts: total=0,64,0,0 short=0,0,0,0 dropped=0,0,0,0",
]


def typed(more: str = "", below: str = "") -> Run:
    """Read fio's text below the command that a user typed, and above other lines."""
    return text(FIO_COMMAND + more, *FIO_TEXT, below)


# of another engine, deeper, and without the command
READING = text(
    *[
        line.replace("write", "read")
        .replace("ioengine=psync, iodepth=1", "ioengine=libaio, iodepth=4")
        .replace("total=0,64", "total=64,0")
        .replace("; 0 zone resets", "")
        for line in FIO_TEXT
    ]
)
RIGHT = fio("right")
SIDES = {"between": "side", "baseline": "slow"}
CACHED = {"between": "side", "baseline": "cold", "sides": "cache"}
COLD = text("$ time cat f > /dev/null", times(8, 0.1, 1))
DROPPED = text("$ echo 3 > /proc/sys/vm/drop_caches; time cat f > /dev/null", times(8, 0.1, 1))
WARM = text("$ time cat f > /dev/null", times(2, 0.1, 1))


def told(claim: str) -> tuple[str, str, str]:
    """Give the check, the verdict and the words of a claim."""
    head, _, said = claim.partition(": ")
    check, verdict = head.split()
    return check, verdict, said
