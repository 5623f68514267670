"""The experiments: the procedures of the articles, in the order of the command line.

An experiment tells its workloads, needs and comparisons, and the command of one run.
"""

from __future__ import annotations

import os
import shlex
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from fiotools import units
from fiotools.errors import MeasureError
from fiotools.measure import own_job
from fiotools.measure.machine import binary, span
from fiotools.measure.plan import CampaignPlan
from fiotools.measure.scratch import Scratch, Tick, can_drop, empty, fill, in_memory, tarball
from fiotools.measure.tools import install_hint

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Question:
    """One comparison of the results of a campaign."""

    between: str  # the label whose values are the sides
    by: tuple[str, ...] = ()  # the sides are compared for each value of these columns
    baseline: str | None = None  # by default the first side that was measured
    # a label and its only value in this comparison; None: all
    only: tuple[str, str] | None = None

    def rows_of(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Keep the rows that are compared."""
        return frame if self.only is None else frame[frame[self.only[0]].eq(self.only[1])]


DATA = "data.tmp"  # the file in each place for the whole campaign
WRITTEN = "written.tmp"  # a file that a run makes; it is removed after the run
MIB = 2**20
START_S = 0.4  # that a tool needs beside the seconds of a run

_LINUX = {"fdatasync", "direct", "sync"}  # what dd and sync do on Linux only


class Effort(NamedTuple):
    """The effort of a campaign."""

    size_bytes: int  # of a test file
    rounds: int
    seconds: int = 0  # of a run


@dataclass(frozen=True)
class ToolCommand:
    """One command, and how its raw output is kept."""

    argv: tuple[str, ...]
    # the command line for a transcript, which includes stderr; without it only stdout is kept
    shown: str | None = None
    folder: str = "."  # its working directory in the private folder


@dataclass
class Stage:
    """What is prepared for the runs of one session."""

    scratch: dict[str, Scratch] = field(default_factory=dict)  # by place
    random: int | None = None  # an open file in memory with random data
    removal_s: float = 0.0  # to remove the files of one round at the end, as far as it was tried


class Experiment(ABC):
    """One procedure; a subclass says what differs."""

    name: ClassVar[str]
    article: ClassVar[str]
    question: ClassVar[str]
    metric: ClassVar[tuple[str, str]]  # the table and the column to look at first
    questions: ClassVar[tuple[Question, ...]]  # the comparisons, the main one first
    # the label that tells whether reads come from memory, cold or warm
    cached: ClassVar[str | None] = None
    tools: ClassVar[tuple[str, ...]]  # commands that must be installed
    # of each place; their names may hold several labels, separated by ``_``
    workloads: ClassVar[tuple[str, ...]]
    fields: ClassVar[tuple[str, ...]] = ("workload",)  # the names of these labels
    suffix: ClassVar[str] = ".txt"
    efforts: ClassVar[tuple[Effort, Effort, Effort]]  # quick, normal and thorough
    warm_up_s: ClassVar[float] = 0.0  # of the tool, before the seconds of a run
    has_jobs: ClassVar[bool] = False  # whether the tool has a job for each processor
    files: ClassVar[int] = 1  # the most files of the size that a place holds at once
    files_of_run: ClassVar[int] = 0  # the files of the size that each run leaves until the end
    in_memory: ClassVar[int] = 0  # the files of the size that memory holds beside them
    reads_data: ClassVar[bool] = True  # whether files are filled with random data to be read
    is_fixed: ClassVar[bool] = False  # whether the size is part of the experiment
    # whether all of it bypasses the page cache, unless the caller wants it buffered
    is_direct: ClassVar[bool] = False
    elsewhere: ClassVar[str] = ""  # how to run it on another system if it cannot run here

    def here(self) -> str | None:
        """Tell why it cannot run on this system; None if it can."""
        if os.name == "nt" and not {"fio", "diskspd"} & {*self.tools}:
            return (
                f"{self.name} needs {' and '.join(self.tools)} of Linux: run it in WSL, "
                "or take random-io or diskspd here"
            )
        return None

    def available(self) -> tuple[str, ...]:
        """Return the workloads that this system's tools know."""
        linux = sys.platform == "linux"
        return tuple(w for w in self.workloads if linux or _LINUX.isdisjoint(w.split("-")))

    def needs_direct(self, workload: str, plan: CampaignPlan) -> bool:
        """Whether a workload bypasses the page cache."""
        if self.is_direct:
            return not plan.buffered
        return "direct" in workload.split("-")

    def held(self, runs: int) -> int:
        """Count the files of the size that a place holds at once, at most, in so many runs."""
        return self.files + self.files_of_run * runs

    def prepare(self, plan: CampaignPlan, stage: Stage, tick: Tick) -> None:
        """Prepare the files of the runs, outside of any measurement."""
        for scratch in stage.scratch.values():
            fill(scratch.path / DATA, plan.size_bytes, tick)

    def to_prepare(self, plan: CampaignPlan) -> int:
        """Count the bytes that `prepare` writes and reads."""
        return 2 * plan.size_bytes * len(plan.places)

    def lasts(self, plan: CampaignPlan, runs: int) -> str:
        """Tell how long the preparation and so many runs take."""
        if plan.seconds:
            all_s = runs * (self.warm_up_s + plan.seconds + START_S)
            return f"{plan.seconds} s a run, {span(all_s)} and the preparation"
        moved = plan.size_bytes * runs + self.to_prepare(plan)
        return f"{span(moved / 1e9)} at 1 GB/s, {span(moved / 100e6)} at 100 MB/s"

    def before(self, workload: str, number: int, scratch: Scratch) -> Path | None:
        """Prepare one run; return the file that it reads, to see how much of it is in memory."""
        return scratch.drop(DATA) if "read" in workload else None

    @abstractmethod
    def command(self, workload: str, number: int, plan: CampaignPlan, stage: Stage) -> ToolCommand:
        """Return the command of a run in a round."""

    @abstractmethod
    def implies(self, plan: CampaignPlan, ram: int | None) -> Iterator[str]:
        """Tell what the sizes and the options mean for the result."""


def dd(source: str, target: str, block: str, *options: str) -> ToolCommand:
    """Copy with dd in blocks of 4k, 1m, ..., shown as one would type it."""
    if sys.platform == "linux":
        block = block.replace("m", "M")
    argv = ("dd", f"if={source}", f"of={target}", f"bs={block}", *options)
    return ToolCommand(argv, shlex.join(argv))


def timed(script: str, folder: str = ".") -> ToolCommand:
    """Run a script under bash's own ``time``."""
    line = f"time {script}"
    return ToolCommand(("bash", "--noprofile", "--norc", "-c", line), line, folder)


def fits(size: int, ram: int | None) -> str | None:
    """Tell that a file fits into memory, if it does."""
    if ram is None:
        return f"the size of the memory is not known: {binary(size)} may fit into it"
    if size < 2 * ram:
        how = "fits into" if size < ram else "is less than twice"
        return f"{binary(size)} {how} the memory ({binary(ram)})"
    return None


def cold() -> str:
    """Tell where reads come from."""
    if can_drop():
        return (
            "the file is dropped from the page cache before each run that reads it "
            "(posix_fadvise); no cache of a host or of a server is"
        )
    return "this system lets nobody drop a file from the page cache: what is read may be in memory"


class _Throughput(Experiment):
    """Write zeros and random data, with and without fdatasync and direct I/O, and read."""

    name = "throughput"
    article = "000"
    question = "how fast is one large file written and read?"
    metric = ("io", "bw_bytes_per_s")
    questions = (Question("place", ("workload", "direction")),)
    tools = ("dd",)
    workloads = (
        *("write-zeros", "write-zeros-fdatasync"),
        *("write-zeros-direct", "write-zeros-direct-fdatasync"),
        *("write-random", "write-random-fdatasync"),
        *("write-random-direct", "write-random-direct-fdatasync"),
        *("read", "read-direct"),
    )
    efforts = (Effort(64 * MIB, 5), Effort(1024 * MIB, 5), Effort(4096 * MIB, 10))
    files = 2
    in_memory = 1

    def prepare(self, plan: CampaignPlan, stage: Stage, tick: Tick) -> None:
        super().prepare(plan, stage, tick)
        if any("random" in workload for workload in plan.workloads):
            stage.random = in_memory(plan.size_bytes, tick)

    def to_prepare(self, plan: CampaignPlan) -> int:
        return super().to_prepare(plan) + plan.size_bytes

    def command(self, workload: str, number: int, plan: CampaignPlan, stage: Stage) -> ToolCommand:
        words = workload.split("-")
        if words[0] == "read":
            return dd(DATA, "/dev/null", "1m", *(["iflag=direct"] if "direct" in words else []))
        source = "/dev/zero"
        if "random" in words:
            # without a file in memory, the prepared file has the data
            source = DATA if stage.random is None else f"/dev/fd/{stage.random}"
        options = [f"count={plan.size_bytes // MIB}"]
        if "direct" in words:
            options.append("oflag=direct")
        if "fdatasync" in words:
            options.append("conv=fdatasync")
        return dd(source, WRITTEN, "1m", *options)

    def implies(self, plan: CampaignPlan, ram: int | None) -> Iterator[str]:
        small = fits(plan.size_bytes, ram)
        writes = [name.split("-") for name in plan.workloads if name.startswith("write")]
        if small and any(map(_LINUX.isdisjoint, writes)):
            yield (
                f"{small}: writes without fdatasync and direct end in the page cache, "
                "and their rate is that of memory"
            )
        if any("zeros" in name for name in plan.workloads):
            yield "zeros may never be stored: compare them with the random data"
        if any("random" in name for name in plan.workloads):
            kept = "held in memory" if hasattr(os, "memfd_create") else "read from the place itself"
            yield f"the random data ({binary(plan.size_bytes)}) is made before, and {kept}"
        if any(name.startswith("read") for name in plan.workloads):
            yield cold()


class _BlockSize(Experiment):
    """Write and read with dd at 4k, 32k, 256k, 2M and 16M."""

    name = "block-size"
    article = "003"
    question = "which block size is fast enough?"
    metric = ("io", "bw_bytes_per_s")
    questions = (Question("place", ("direction", "bs_bytes")),)
    tools = ("dd",)
    workloads = tuple(
        f"{operation}_{size}"
        for size in ("4k", "32k", "256k", "2m", "16m")
        for operation in ("write", "read")
    )
    fields = ("operation", "size")
    efforts = (Effort(64 * MIB, 5), Effort(1024 * MIB, 5), Effort(4096 * MIB, 10))
    files = 2

    def command(self, workload: str, number: int, plan: CampaignPlan, stage: Stage) -> ToolCommand:
        operation, size = workload.split("_")
        if operation == "read":
            return dd(DATA, "/dev/null", size)
        blocks = plan.size_bytes // int(units.size(size))
        return dd("/dev/zero", WRITTEN, size, f"count={blocks}")

    def implies(self, plan: CampaignPlan, ram: int | None) -> Iterator[str]:
        if small := fits(plan.size_bytes, ram):
            yield (
                f"{small}: plain dd writes zeros into the page cache, so this is the cost of a "
                "system call at each block size; throughput with fdatasync measures the disk"
            )
        yield cold()


class _PageCache(Experiment):
    """Time cat, with the file out of the page cache and in it."""

    name = "page-cache"
    article = "001"
    question = "what does the page cache gain?"
    metric = ("timings", "real_s")
    questions = (
        Question("cache", ("place",), baseline="cold"),
        Question("place", only=("cache", "cold")),
    )
    cached = "cache"
    tools = ("bash", "cat")
    workloads = ("cold", "warm")
    fields = ("cache",)
    efforts = (Effort(512 * MIB, 5), Effort(2048 * MIB, 5), Effort(5120 * MIB, 10))
    in_memory = 1

    def here(self) -> str | None:
        if can_drop():
            return super().here()
        return (
            "page-cache: this system has no posix_fadvise, so nothing can be dropped from the page "
            "cache without root; run it on Linux"
        )

    def before(self, workload: str, number: int, scratch: Scratch) -> Path:
        if workload == "cold":
            return scratch.drop(DATA)
        file = scratch.path / DATA
        with file.open("rb", buffering=0) as data:
            while data.read(4 * MIB):
                pass
        return file

    def command(self, workload: str, number: int, plan: CampaignPlan, stage: Stage) -> ToolCommand:
        return timed(f"cat {DATA} > /dev/null")

    def implies(self, plan: CampaignPlan, ram: int | None) -> Iterator[str]:
        yield (
            "cold: the file is dropped from this machine's page cache (posix_fadvise); a host or a "
            "server may still cache it"
        )
        yield f"warm: {binary(plan.size_bytes)} are read once first, and stay in memory"


_ENGINES = {"linux": "libaio", "darwin": "posixaio", "win32": "windowsaio"}
_FILES = "data.$jobnum.tmp"  # fio replaces $jobnum by the number of a job, from 0
_PATTERNS = {
    "random-read": ("--rw=randread",),
    "random-write": ("--rw=randwrite",),
    "random-readwrite": ("--rw=randrw", "--rwmixread=70", "--rwmixwrite=30"),
}


class _RandomIO(Experiment):
    """Blocks of 4 KiB at random, a job for each processor, depth 1, direct."""

    name = "random-io"
    article = "004"
    question = "how many small random reads and writes does it do?"
    metric = ("io", "iops")
    questions = (Question("place", ("workload", "direction")),)
    tools = ("fio",)
    workloads = tuple(_PATTERNS)
    suffix = ".json"
    is_direct = True
    has_jobs = True
    efforts = (Effort(256 * MIB, 5, 2), Effort(2048 * MIB, 5, 20), Effort(8192 * MIB, 10, 60))

    def prepare(self, plan: CampaignPlan, stage: Stage, tick: Tick) -> None:
        for scratch in stage.scratch.values():
            for job in range(plan.jobs):
                file = scratch.path / _FILES.replace("$jobnum", str(job))
                fill(file, _share(plan), tick)

    def before(self, workload: str, number: int, scratch: Scratch) -> None:
        scratch.drop_below()  # fio drops its own files

    def command(self, workload: str, number: int, plan: CampaignPlan, stage: Stage) -> ToolCommand:
        argv = (
            *("fio", f"--name={workload}", f"--filename_format={_FILES}"),
            *(f"--size={_share(plan)}", *_PATTERNS[workload], "--bs=4k"),
            *(f"--numjobs={plan.jobs}", "--thread", "--time_based", f"--runtime={plan.seconds}s"),
            f"--direct={int(not plan.buffered)}",
            *(f"--ioengine={_ENGINES.get(sys.platform, 'psync')}", "--group_reporting"),
            # the offsets differ between rounds, not between places
            *("--allow_file_create=0", f"--randseed={number}"),
            *("--eta=never", "--output-format=json+"),
        )
        return ToolCommand(argv)

    def implies(self, plan: CampaignPlan, ram: int | None) -> Iterator[str]:
        small = fits(plan.size_bytes, ram)
        if plan.buffered and small:
            yield f"{small}, and direct I/O is off: this measures the page cache"
        elif small:
            yield (
                f"{small}; direct=1 bypasses this machine's page cache, but not a host's or a "
                "server's"
            )
        yield (
            f"{plan.jobs} jobs, as many as processors, each with a file of {binary(_share(plan))} "
            "full of random data"
        )
        if plan.seconds < 10:
            yield (
                f"{plan.seconds} s a run (the article has 60): an SSD's own cache, and a burst "
                "that a cloud disk grants, last longer"
            )


def _share(plan: CampaignPlan) -> int:
    """Return the size of one job's file: all of them have the size of the plan together."""
    return plan.size_bytes // plan.jobs // 4096 * 4096


FILES, FOLDERS = 4294, 213  # of git's v2.39.0.tar, as are its 43 MB
_TARBALL = "files.tar"
_UNPACK = f"tar -x --no-same-owner -f ../{_TARBALL}"
_TRIED = 64  # files


class _SmallFiles(Experiment):
    """Unpack 4294 files in 213 folders, without and with waiting for the disk.

    Every run unpacks into a folder of its own, and all of them stay until the end. Removing one
    would slow the next run down: ext4 without a journal walks over the inodes that it has just
    freed, and a disk that is told of freed blocks (discard) is busy with them.
    """

    name = "small-files"
    article = "004"
    question = "how long does it take to make many small files?"
    metric = ("timings", "real_s")
    questions = (Question("place", ("workload",)),)
    tools = ("bash", "tar", "sync")
    workloads = ("unpack", "unpack-sync")
    efforts = (Effort(37 * MIB, 5), Effort(37 * MIB, 5), Effort(37 * MIB, 20))
    files_of_run = 2  # in blocks of 4 KiB, with inodes
    reads_data = False
    is_fixed = True

    def to_prepare(self, plan: CampaignPlan) -> int:
        return plan.size_bytes * len(plan.places)

    def lasts(self, plan: CampaignPlan, runs: int) -> str:
        # by experience: the article's runs took from 5 s to half a minute
        return f"{span(0.3 * runs)} on a fast disk, {span(15.0 * runs)} on a slow mount"

    def prepare(self, plan: CampaignPlan, stage: Stage, tick: Tick) -> None:
        for scratch in stage.scratch.values():
            file = scratch.path / _TARBALL
            tarball(file, FILES, FOLDERS, plan.size_bytes, tick)
            file.read_bytes()
            if plan.limit_s is not None:
                stage.removal_s += _removal_s(scratch) * len(plan.workloads)

    def before(self, workload: str, number: int, scratch: Scratch) -> None:
        (scratch.path / _folder(workload, number)).mkdir()

    def command(self, workload: str, number: int, plan: CampaignPlan, stage: Stage) -> ToolCommand:
        line = f"({_UNPACK} && sync -f .)" if workload == "unpack-sync" else _UNPACK
        return timed(line, _folder(workload, number))

    def implies(self, plan: CampaignPlan, ram: int | None) -> Iterator[str]:
        yield (
            f"{FILES} files in {FOLDERS} folders, {binary(plan.size_bytes)}: unpack ends when the "
            "files are made, in the page cache; unpack-sync when the disk has them"
        )


def _folder(workload: str, number: int) -> str:
    return f"{workload}-{number}.tmp"


def _removal_s(scratch: Scratch) -> float:
    """Measure with some files how long removing the files of one run takes."""
    folder = scratch.path / "tried.tmp"
    folder.mkdir()
    for number in range(_TRIED):
        (folder / str(number)).write_bytes(os.urandom(8192))
    if hasattr(os, "sync"):
        os.sync()
    began = time.perf_counter()
    empty(folder)
    return (time.perf_counter() - began) / _TRIED * (FILES + FOLDERS)


_OPTIONS = ("-t2", "-o32", "-b4k", "-r4k", "-w40", "-Sh", "-D", "-L")
_BY_HAND = f"""DISKSPD runs on Windows ({install_hint("diskspd")}).
There, with fiotools:

    fiotools measure diskspd --dir nvme=D:\\ --dir vhdx=E:\\

or by hand, on each place in turn and at least five times, numbered:

    diskspd {" ".join(_OPTIONS)} -d120 -c5G -Rxml D:\\IO.dat > nvme_mixed_1.xml

Throw the first away: -c made a file without data. Delete IO.dat at the end.
Bring the .xml files into one folder here, and read them with their names as labels:

    ft.read("FOLDER/{{place}}_{{workload}}_{{round:d}}.xml")
"""


class _Diskspd(Experiment):
    """Random blocks of 4 KiB, 40 % writes, two threads of depth 32, no cache."""

    name = "diskspd"
    article = "002"
    question = "how many small random reads and writes does it do, on Windows?"
    metric = ("io", "iops")
    questions = (Question("place", ("direction",)),)
    tools = ("diskspd",)
    workloads = ("mixed",)  # DISKSPD itself says if a place refuses direct I/O
    suffix = ".xml"
    elsewhere = _BY_HAND
    warm_up_s = 5.0  # unless -W says otherwise
    efforts = (Effort(256 * MIB, 5, 5), Effort(5120 * MIB, 5, 60), Effort(5120 * MIB, 10, 120))

    def here(self) -> str | None:
        return None if sys.platform == "win32" else "diskspd runs on Windows"

    def command(self, workload: str, number: int, plan: CampaignPlan, stage: Stage) -> ToolCommand:
        return ToolCommand(
            ("diskspd", *_OPTIONS, f"-d{plan.seconds}", f"-z{number}", "-Rxml", DATA)
        )

    def implies(self, plan: CampaignPlan, ram: int | None) -> Iterator[str]:
        yield "-Sh bypasses the cache of Windows, but not a host's or a controller's"


class _OwnJob(Experiment):
    """Run a job of fio as it is, with its files in each place."""

    name = "own-job"
    article = ""
    question = "how fast is this job of fio?"
    metric = ("io", "iops")
    questions = (Question("place", ("job", "direction")),)
    tools = ("fio",)
    workloads = ("job",)
    suffix = ".json"
    is_fixed = True  # the job says it
    reads_data = False  # fio lays out what it reads
    efforts = (Effort(0, 5), Effort(0, 5), Effort(0, 10))

    def prepare(self, plan: CampaignPlan, stage: Stage, tick: Tick) -> None:
        for scratch in stage.scratch.values():
            (scratch.path / own_job.HERE).write_text(own_job.in_folder(plan.job), encoding="utf-8")

    def to_prepare(self, plan: CampaignPlan) -> int:
        return 0

    def lasts(self, plan: CampaignPlan, runs: int) -> str:
        return f"as long as the job takes, {runs} times"

    def before(self, workload: str, number: int, scratch: Scratch) -> None:
        scratch.drop_below()  # fio drops its own files

    def command(self, workload: str, number: int, plan: CampaignPlan, stage: Stage) -> ToolCommand:
        return ToolCommand(("fio", "--eta=never", "--output-format=json+", own_job.HERE))

    def implies(self, plan: CampaignPlan, ram: int | None) -> Iterator[str]:
        yield (
            "fio runs in a private folder of each place, without the job's directory=; it lays its "
            "files out in the first round, and they stay until the end"
        )
        size = plan.size_bytes
        if size and (small := fits(size, ram)):
            yield f"{small}: the job's files may be read from memory"
        if not size:
            yield "the job does not say the size of all its files: look for room yourself"
        if own_job.has_logs(plan.job):
            yield "logs of the job are removed with its files"


EXPERIMENTS: dict[str, Experiment] = {
    one.name: one
    for one in (_Throughput(), _PageCache(), _RandomIO(), _BlockSize(), _SmallFiles(), _Diskspd())
}
OWN_JOB = _OwnJob()


def experiment_named(name: str) -> Experiment:
    """Find an experiment by its name, or a person's own job."""
    if name == OWN_JOB.name:
        return OWN_JOB
    if name not in EXPERIMENTS:
        raise MeasureError(f"there is no experiment {name!r}; there are: {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name]
