"""DISKSPD's XML (``-Rxml -L -D``): System, Profile and one TimeSpan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TextIO

_TAILS = ["99.9", "99.99", "99.999", "99.9999", "99.99999", "99.999999", "99.9999999"]
_FILE = 10_737_418_240  # bytes of a target
_SHARES = ("Usage", "User", "Kernel", "Idle")
_BUCKET = (
    '<Bucket SampleMillisecond="%d" Read="%.0f" Write="%.0f" Total="%.0f" '
    'ReadMinLatencyMilliseconds="%.3f" ReadMaxLatencyMilliseconds="%.3f" '
    'ReadAvgLatencyMilliseconds="%.3f" ReadLatencyStdDev="%.3f" '
    'WriteMinLatencyMilliseconds="%.3f" WriteMaxLatencyMilliseconds="%.3f" '
    'WriteAvgLatencyMilliseconds="%.3f" WriteLatencyStdDev="%.3f"/>'
)


@dataclass(frozen=True)
class Run:
    """What a run was asked for."""

    threads: int = 8
    targets: int = 1
    seconds: int = 24
    cpus: int = 16


class _Writer:
    """Writes elements, each on a line of its own, two blanks a level."""

    def __init__(self, file: TextIO) -> None:
        self._file, self._pad = file, ""

    def line(self, text: str) -> None:
        self._file.write(f"{self._pad}{text}\n")

    def end(self, text: str) -> None:
        self._file.write(text)

    def leaves(self, pairs: Iterable[tuple[str, object]]) -> None:
        for name, value in pairs:
            self._file.write(f"{self._pad}<{name}>{value}</{name}>\n")

    @contextmanager
    def deeper(self) -> Iterator[None]:
        self._pad += "  "
        yield
        self._pad = self._pad[2:]

    @contextmanager
    def element(self, tag: str) -> Iterator[None]:
        self.line(f"<{tag}>")
        with self.deeper():
            yield
        self.line(f"</{tag.split(' ', 1)[0]}>")


@dataclass(frozen=True)
class _Done:
    """What was done, by one thread on one target or by all: how often, and how long it took."""

    reads: int
    writes: int
    read_ms: float
    write_ms: float

    @property
    def total_ms(self) -> float:
        moved = self.reads * self.read_ms + self.writes * self.write_ms
        return moved / max(1, self.reads + self.writes)

    def means(self) -> dict[str, float]:
        return {"Read": self.read_ms, "Write": self.write_ms, "Total": self.total_ms}


class _Report:
    """One file: everything after the system is drawn from the seed, and agrees with itself."""

    def __init__(self, file: TextIO, rng: Random, run: Run) -> None:
        self.to, self.rng, self.run = _Writer(file), rng, run
        self.block = rng.choice([4096, 8192, 65536])

    def write(self, number: int) -> None:
        self.to.line("<Results>")
        with self.to.deeper():
            self._system(number)
            written = self._profile()
            self.reads, self.writes = written < 100, written > 0
            parts = self.run.threads * self.run.targets
            self.done = [self._draw() for _ in range(parts)]
            with self.to.element("TimeSpan"):
                self._span()
        self.to.end("</Results>")

    @property
    def there(self) -> dict[str, bool]:
        """Say of which directions there is anything."""
        return {"Read": self.reads, "Write": self.writes, "Total": True}

    def _system(self, number: int) -> None:
        to, cpus = self.to, self.run.cpus
        with to.element("System"):
            to.leaves([("ComputerName", f"NODE{number % 64:02d}")])
            with to.element("Tool"):
                to.leaves([("Version", "2.2.0"), ("VersionDate", "2024/6/3")])
            day = f"2026/{number % 12 + 1:02d}/{number % 28 + 1:02d}"
            to.leaves([("RunTime", f"{day} 10:{number % 60:02d}:00 UTC")])
            guid = "8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c"
            to.line(f'<PowerScheme Name="High performance" Guid="{guid}"/>')
            with to.element('ProcessorTopology Heterogeneous="false"'):
                mask = f"0x{(1 << cpus) - 1:x}"
                counts = f'MaximumProcessors="{cpus}" ActiveProcessors="{cpus}"'
                to.line(f'<Group Group="0" {counts} ActiveProcessorMask="{mask}"/>')
                for kind in ("Node", "Socket"):
                    with to.element(f'{kind} {kind}="0"'):
                        to.line(f'<Group Group="0" Mask="{mask}"/>')
                for cpu in range(cpus):
                    core = f'Core="{cpu}" Mask="0x{1 << cpu:x}" EfficiencyClass="0"'
                    to.line(f'<Core Group="0" {core}/>')

    def _profile(self) -> int:
        """Write what was asked for, and give the share of writes in percent."""
        to, written = self.to, self.rng.choice([0, 30, 100, 30])
        span = [
            *(("CompletionRoutines", "false"), ("MeasureLatency", "true")),
            *(("CalculateIopsStdDev", "true"), ("DisableAffinity", "false")),
            *(("Duration", self.run.seconds), ("Warmup", 5), ("Cooldown", 0), ("ThreadCount", 0)),
            *(("RequestCount", 0), ("IoBucketDuration", 1000), ("RandSeed", 0)),
        ]
        with to.element("Profile"):
            to.leaves([("Progress", 0), ("ResultFormat", "xml"), ("Verbose", "false")])
            with to.element("TimeSpans"), to.element("TimeSpan"):
                to.leaves(span)
                with to.element("Targets"):
                    for number in range(self.run.targets):
                        with to.element("Target"):
                            self._asked(number, written)
        return written

    def _asked(self, number: int, written: int) -> None:
        choice, to = self.rng.choice, self.to
        flags = [
            *(("BaseFileOffset", 0), ("SequentialScan", "false"), ("RandomAccess", "false")),
            *(("TemporaryFile", "false"), ("UseLargePages", "false")),
            *(("DisableOSCache", "true"), ("WriteThrough", "true")),
        ]
        path = ("Path", f"D:\\test{number}.dat")
        to.leaves([path, ("BlockSize", self.block), *flags])
        with to.element("WriteBufferContent"):
            to.leaves([("Pattern", "sequential")])
        sizes = [("FileSize", _FILE), ("Random", 4096), ("ThreadStride", 0), ("MaxFileSize", 0)]
        threads = [("ThreadsPerFile", self.run.threads), ("IOPriority", 3), ("Weight", 1)]
        load = [("RequestCount", choice([1, 8, 32])), ("WriteRatio", written), ("Throughput", 0)]
        to.leaves([("ParallelAsyncIO", "false"), *sizes, *load, *threads])

    def _span(self) -> None:
        to, rng, run = self.to, self.rng, self.run
        took = f"{run.seconds + rng.random() / 50:.2f}"
        to.leaves([("TestTimeSeconds", took), ("ThreadCount", run.threads)])
        to.leaves([("RequestCount", 0), ("ProcCount", run.cpus)])
        with to.element("CpuUtilization"):
            for cpu in range(run.cpus):
                with to.element("CPU"):
                    zeros = [(name, 0) for name in ("Socket", "Node", "Group")]
                    to.leaves([*zeros, ("Core", cpu), ("EfficiencyClass", 0), ("Id", cpu)])
                    self._shares()
            with to.element("Average"):
                self._shares()
        self._percentiles()
        self._iops(50_000)
        done = iter(self.done)
        for thread in range(run.threads):
            with to.element("Thread"):
                to.leaves([("Id", thread)])
                for target in range(run.targets):
                    with to.element("Target"):
                        self._did(target, next(done))

    def _shares(self) -> None:
        user, kernel = self.rng.randrange(5000), self.rng.randrange(5000)
        shares = (user + kernel, user, kernel, 10_000 - user - kernel)
        pairs = zip(_SHARES, shares, strict=True)
        self.to.leaves((f"{name}Percent", f"{share / 100:.2f}") for name, share in pairs)

    def _draw(self) -> _Done:
        rng = self.rng
        reads, writes = (rng.randrange(1 << 20) * there for there in (self.reads, self.writes))
        return _Done(reads, writes, round(rng.uniform(0.2, 1), 3), round(rng.uniform(0.2, 1), 3))

    def _all(self) -> _Done:
        reads, writes = (
            sum(getattr(one, what) for one in self.done) for what in ("reads", "writes")
        )
        read = sum(one.reads * one.read_ms for one in self.done) / max(1, reads)
        write = sum(one.writes * one.write_ms for one in self.done) / max(1, writes)
        return _Done(reads, writes, read, write)

    def _did(self, target: int, done: _Done) -> None:
        rng, block = self.rng, self.block
        reads, writes = done.reads, done.writes
        total = [("BytesCount", (reads + writes) * block), ("FileSize", _FILE)]
        counts = [("ReadBytes", reads * block), ("ReadCount", reads)]
        counts += [("WriteBytes", writes * block), ("WriteCount", writes)]
        path = ("Path", f"D:\\test{target}.dat")
        self.to.leaves([path, *total, ("IOCount", reads + writes), *counts])
        for side, mean in done.means().items():
            if self.there[side]:
                name = side.replace("Total", "")
                self.to.leaves([(f"Average{name}LatencyMilliseconds", f"{mean:.3f}")])
                self.to.leaves([(f"{name}LatencyStdev", f"{rng.uniform(0.1, 0.3):.3f}")])
        self._iops(50_000 / self.run.threads)

    def _iops(self, scale: float) -> None:
        to, rng, reads, writes = self.to, self.rng, self.reads, self.writes
        with to.element("Iops"):
            for side, there in (("Read", reads), ("Write", writes), ("", True)):
                if there:
                    to.leaves([(f"{side}IopsStdDev", f"{rng.uniform(10, 900):.3f}")])
            draw = rng.random
            for at in range(1, self.run.seconds + 1):
                read = scale * (0.8 + 0.4 * draw()) if reads else 0.0
                write = scale * (0.3 + 0.1 * draw()) if writes else 0.0
                a, b = (draw(), draw()) if reads else (0.0, 0.0)
                c, d = (draw(), draw()) if writes else (0.0, 0.0)
                values = (at * 1000, read, write, read + write)
                times = (a * 0.1, 1 + b * 20, 0.2 + a, b, c * 0.1, 1 + d * 20, 0.2 + c, d)
                to.line(_BUCKET % (*values, *times))

    def _percentiles(self) -> None:
        to, rng = self.to, self.rng
        there, means = self.there, self._all().means()
        sides = [side for side in there if there[side]]
        buckets = {side: rng.randrange(5_000, 60_000) for side in there}
        counts = [f'{side}HistoBuckets="{buckets[side] * there[side]}"' for side in there]
        with to.element(f"Latency {' '.join(counts)}"):
            for side in sides:
                spread = "LatencyStdev" if side == "Total" else f"{side}LatencyStdev"
                to.leaves([(f"Average{side}Milliseconds", f"{means[side]:.3f}")])
                to.leaves([(spread, f"{rng.uniform(0.1, 0.3):.3f}")])
            value = dict.fromkeys(sides, 0.05)
            for percentile in ["0", *map(str, range(1, 100)), *_TAILS, "100"]:
                with to.element("Bucket"):
                    to.leaves([("Percentile", percentile)])
                    for side in sides:
                        value[side] *= 1 + rng.random() * 0.08
                        to.leaves([(f"{side}Milliseconds", f"{value[side]:.3f}")])


def results(folder: Path, files: int, run: Run = Run(), seed: int = 1) -> None:
    """Write so many files of runs alike."""
    rng = Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(files):
        path = folder / f"result-{number:05d}.xml"
        with path.open("w", newline="\r\n") as file:
            _Report(file, rng, run).write(number)


def long(folder: Path, seconds: int) -> None:
    """Write one file of a run of 64 threads on two targets."""
    results(folder, 1, Run(threads=64, targets=2, seconds=seconds))


def short(folder: Path, files: int) -> None:
    """Write so many files of a run of two threads for ten seconds."""
    results(folder, files, Run(threads=2, seconds=10, cpus=4))
