"""One cause at a time, injected into runs of fio: what changes beside the base, and its true part.

`base` holds the options of both sides, `change` those of the level alone; a `place` is a folder or
a device that is made for a side, and `beside` runs something next to the level.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

READS = {"rw": "randread", "bs": "4k", "direct": "1", "ioengine": "libaio", "iodepth": "1"}
WRITES = {**READS, "rw": "randwrite"}
_BLKIO, _CPU = (Path("/sys/fs/cgroup") / name for name in ("blkio", "cpu"))
_OWN = "fiotools-explain"


class NotHereError(Exception):
    """The machine lacks what a cause needs."""


@dataclass(frozen=True)
class Cause:
    """A cause, and the parts that may be named for it."""

    name: str
    part: tuple[str, ...]
    base: Mapping[str, str]
    change: Mapping[str, str] = field(default_factory=dict)
    metric: str = "iops"
    place: str = ""  # of the level: memory, hole, loop
    base_place: str = ""
    beside: str = ""  # busy, neighbour, throttle, quota
    direction: str = ""


CAUSES = (
    Cause("a rate asked for", ("idle",), READS, {"rate_iops": "2000"}),
    Cause("a pause after each I/O", ("idle",), READS, {"thinktime": "400"}),
    Cause("8 I/Os in flight", ("inflight",), READS, {"iodepth": "8"}),
    Cause("two jobs", ("inflight",), READS, {"numjobs": "2"}),
    Cause(
        "a warm page cache", ("cache",), READS, {"direct": "0", "invalidate": "0", "pre_read": "1"}
    ),
    Cause("files in memory", ("cache",), READS, {"direct": "0"}, place="memory"),
    Cause("blocks never written", ("cache",), READS, place="hole"),
    Cause(
        "writes into the page cache", ("cache",), {**WRITES, "ioengine": "psync"}, {"direct": "0"}
    ),
    Cause("a flush after each write", ("flush",), {**WRITES, "direct": "0"}, {"fsync": "1"}),
    Cause("O_DSYNC", ("flush",), {**WRITES, "ioengine": "psync"}, {"sync": "dsync"}),
    Cause("larger blocks, bandwidth", ("size",), READS, {"bs": "64k"}, metric="bw_bytes_per_s"),
    Cause("larger blocks, IOPS", ("device",), READS, {"bs": "256k"}),
    Cause("a neighbour on the device", ("device",), READS, beside="neighbour"),
    Cause("a loop device in between", ("device",), {**READS, "bs": "64k"}, place="loop"),
    Cause("a throttled cgroup", ("waiting",), READS, beside="throttle"),
    Cause(
        "a busy processor",
        ("waiting",),
        {**READS, "direct": "0", "cpus_allowed": "0"},
        place="memory",
        base_place="memory",
        beside="busy",
    ),
    Cause("a cgroup with little processor", ("waiting",), READS, beside="quota"),
    Cause(
        "checksums of each block",
        ("processor",),
        {**WRITES, "bs": "64k"},
        {"verify": "sha512", "do_verify": "0"},
    ),
    Cause(
        "new random data for each block",
        ("processor",),
        {**WRITES, "bs": "64k", "direct": "0"},
        {"refill_buffers": "1"},
        place="memory",
        base_place="memory",
    ),
    Cause(
        "half of them writes",
        ("mix",),
        {**READS, "rw": "randrw", "rwmixread": "99"},
        {"rwmixread": "20"},
        direction="read",
    ),
)
# both sides alike: nothing is to be found
NONE = (
    Cause("one at a time", (), READS),
    Cause("8 in flight", (), {**READS, "iodepth": "8"}),
    Cause("two jobs", (), {**READS, "numjobs": "2"}),
    Cause("writes", (), WRITES),
    Cause("buffered writes", (), {**WRITES, "direct": "0", "ioengine": "psync"}),
    Cause("flushes", (), {**WRITES, "direct": "0", "fsync": "1"}),
    Cause("64 KiB", (), {**READS, "bs": "64k"}),
    Cause("a warm page cache", (), {**READS, "direct": "0", "invalidate": "0", "pre_read": "1"}),
    Cause("a rate asked for", (), {**READS, "rate_iops": "2000"}),
    Cause("in order", (), {**READS, "rw": "read", "bs": "128k"}),
)


@contextmanager
def placed(kind: str, work: Path) -> Iterator[dict[str, str]]:
    """Make the place of a side, give fio's options for it, and take it away."""
    with ExitStack() as stack:
        match kind:
            case "memory":
                folder = Path("/dev/shm") / _OWN
            case "loop":
                folder = stack.enter_context(_mounted(work))
            case _:
                folder = work / "files"
        folder.mkdir(exist_ok=True)
        if kind == "memory":
            stack.callback(shutil.rmtree, folder)
        if kind == "hole":
            hole = folder / "hole"
            hole.unlink(missing_ok=True)
            hole.touch()
            os.truncate(hole, 64 << 20)
            yield {"filename": str(hole), "allow_file_create": "0"}
        else:
            yield {"directory": str(folder)}


@contextmanager
def _mounted(work: Path) -> Iterator[Path]:
    """Mount a file system of a file, which needs root."""
    make = shutil.which("mkfs.ext4", path="/usr/sbin:/sbin")
    if os.geteuid() or make is None:
        raise NotHereError("needs root, a loop device and mkfs")
    image, folder = work / "loop.img", work / "loop"
    folder.mkdir(exist_ok=True)
    with image.open("wb") as file:
        file.truncate(512 << 20)
    _run(make, "-q", str(image))
    try:
        _run("mount", "-o", "loop", str(image), str(folder))
        try:
            yield folder
        finally:
            _run("umount", str(folder))
    finally:
        image.unlink()


@contextmanager
def beside(kind: str, work: Path) -> Iterator[list[str]]:
    """Run something next to a level; give the words that begin its command."""
    match kind:
        case "busy":
            spin = [sys.executable, "-c", "while True: pass"]
            with ExitStack() as stack:
                for _ in range(4):
                    stack.enter_context(_child(["taskset", "-c", "0", *spin]))
                yield []
        case "neighbour":
            load = {**READS, "iodepth": "32", "bs": "64k", "size": "64m", "runtime": "60"}
            words = [f"--{name}={value}" for name, value in load.items()]
            folder = work / "neighbour"
            folder.mkdir(exist_ok=True)
            with _child(["fio", "--name=n", f"--directory={folder}", "--time_based", *words]):
                yield []
        case "throttle":
            device = work.stat().st_dev
            limit = {
                "blkio.throttle.read_iops_device": f"{os.major(device)}:{os.minor(device)} 2000"
            }
            with _group(_BLKIO, limit) as tasks:
                yield _within(tasks)
        case "quota":
            limit = {"cpu.cfs_period_us": "10000", "cpu.cfs_quota_us": "1500"}
            with _group(_CPU, limit) as tasks:
                yield _within(tasks)
        case _:
            yield []


def _within(tasks: Path) -> list[str]:
    return ["sh", "-c", f'echo $$ > {tasks} && exec "$@"', "sh"]


@contextmanager
def _group(parent: Path, limits: Mapping[str, str]) -> Iterator[Path]:
    """Make a cgroup (version 1) of our own, and remove it."""
    if os.geteuid() or not all((parent / name).exists() or "cfs" in name for name in limits):
        raise NotHereError("needs root and cgroups of version 1")
    own = parent / _OWN
    own.mkdir()
    try:
        for name, value in limits.items():
            (own / name).write_text(value)
        yield own / "cgroup.procs"
    finally:
        own.rmdir()


@contextmanager
def _child(command: list[str]) -> Iterator[None]:
    # in a session of its own, as fio's jobs are: the scheduler shares among sessions
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        yield
    finally:
        child.terminate()
        child.wait()


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
