"""DISKSPD's XML (``-Rxml -L -D``): System, Profile and one TimeSpan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TextIO, TypeAlias

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
# a whole line; or a tag, and its text or what is inside
Item: TypeAlias = "str | tuple[str, int | str | Iterable[Item]]"


@dataclass(frozen=True)
class Run:
    """What a run was asked for."""

    threads: int = 8
    targets: int = 1
    seconds: int = 24
    cpus: int = 16


@dataclass(frozen=True)
class _Done:
    """What was done, by one thread on one target or by all: how often, and how long it took."""

    reads: int
    writes: int
    read_ms: float
    write_ms: float

    def means(self) -> dict[str, float]:
        moved = self.reads * self.read_ms + self.writes * self.write_ms
        total = moved / max(1, self.reads + self.writes)
        return {"Read": self.read_ms, "Write": self.write_ms, "Total": total}


class _Report:
    """One file: everything after the system is drawn from the seed, and agrees with itself."""

    def __init__(self, number: int, rng: Random, run: Run) -> None:
        self.number, self.rng, self.run = number, rng, run
        self.block = rng.choice([4096, 8192, 65536])
        self.written = rng.choice([0, 30, 100, 30])  # percent
        self.reads, self.writes = self.written < 100, self.written > 0

    @property
    def there(self) -> dict[str, bool]:
        """Say of which directions there is anything."""
        return {"Read": self.reads, "Write": self.writes, "Total": True}

    def items(self) -> Iterator[Item]:
        yield "System", self._system()
        yield "Profile", self._profile()
        parts = self.run.threads * self.run.targets
        self.done = [self._draw() for _ in range(parts)]
        yield "TimeSpan", self._span()

    def _system(self) -> Iterator[Item]:
        number, cpus = self.number, self.run.cpus
        yield "ComputerName", f"NODE{number % 64:02d}"
        yield "Tool", [("Version", "2.2.0"), ("VersionDate", "2024/6/3")]
        day = f"2026/{number % 12 + 1:02d}/{number % 28 + 1:02d}"
        yield "RunTime", f"{day} 10:{number % 60:02d}:00 UTC"
        guid = "8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c"
        yield f'<PowerScheme Name="High performance" Guid="{guid}"/>'
        mask = f"0x{(1 << cpus) - 1:x}"
        counts = f'MaximumProcessors="{cpus}" ActiveProcessors="{cpus}"'
        group = f'<Group Group="0" Mask="{mask}"/>'
        topology: list[Item] = [
            f'<Group Group="0" {counts} ActiveProcessorMask="{mask}"/>',
            ('Node Node="0"', [group]),
            ('Socket Socket="0"', [group]),
        ]
        for cpu in range(cpus):
            core = f'Core="{cpu}" Mask="0x{1 << cpu:x}" EfficiencyClass="0"'
            topology.append(f'<Core Group="0" {core}/>')
        yield 'ProcessorTopology Heterogeneous="false"', topology

    def _profile(self) -> Iterator[Item]:
        span: list[Item] = [
            *(("CompletionRoutines", "false"), ("MeasureLatency", "true")),
            *(("CalculateIopsStdDev", "true"), ("DisableAffinity", "false")),
            *(("Duration", self.run.seconds), ("Warmup", 5), ("Cooldown", 0), ("ThreadCount", 0)),
            *(("RequestCount", 0), ("IoBucketDuration", 1000), ("RandSeed", 0)),
            ("Targets", [("Target", self._asked(number)) for number in range(self.run.targets)]),
        ]
        yield from (("Progress", 0), ("ResultFormat", "xml"), ("Verbose", "false"))
        yield "TimeSpans", [("TimeSpan", span)]

    def _asked(self, number: int) -> Iterator[Item]:
        yield from (("Path", f"D:\\test{number}.dat"), ("BlockSize", self.block))
        yield from (("BaseFileOffset", 0), ("SequentialScan", "false"), ("RandomAccess", "false"))
        yield from (("TemporaryFile", "false"), ("UseLargePages", "false"))
        yield from (("DisableOSCache", "true"), ("WriteThrough", "true"))
        yield "WriteBufferContent", [("Pattern", "sequential")]
        yield from (("ParallelAsyncIO", "false"), ("FileSize", _FILE), ("Random", 4096))
        yield from (("ThreadStride", 0), ("MaxFileSize", 0))
        yield from (("RequestCount", self.rng.choice([1, 8, 32])), ("WriteRatio", self.written))
        yield from (("Throughput", 0), ("ThreadsPerFile", self.run.threads))
        yield from (("IOPriority", 3), ("Weight", 1))

    def _span(self) -> Iterator[Item]:
        run = self.run
        yield "TestTimeSeconds", f"{run.seconds + self.rng.random() / 50:.2f}"
        yield from (("ThreadCount", run.threads), ("RequestCount", 0), ("ProcCount", run.cpus))
        yield "CpuUtilization", self._processors()
        sides = [side for side, there in self.there.items() if there]
        buckets = {side: self.rng.randrange(5_000, 60_000) for side in self.there}
        counts = [
            f'{side}HistoBuckets="{buckets[side] * there}"' for side, there in self.there.items()
        ]
        yield f"Latency {' '.join(counts)}", self._percentiles(sides)
        yield "Iops", self._iops(50_000)
        done = iter(self.done)
        for thread in range(run.threads):
            targets = [("Target", self._did(at, next(done))) for at in range(run.targets)]
            yield "Thread", [("Id", thread), *targets]

    def _processors(self) -> Iterator[Item]:
        for cpu in range(self.run.cpus):
            zeros = [(name, 0) for name in ("Socket", "Node", "Group")]
            place = [*zeros, ("Core", cpu), ("EfficiencyClass", 0), ("Id", cpu)]
            yield "CPU", [*place, *self._shares()]
        yield "Average", self._shares()

    def _shares(self) -> Iterator[Item]:
        user, kernel = self.rng.randrange(5000), self.rng.randrange(5000)
        shares = (user + kernel, user, kernel, 10_000 - user - kernel)
        for name, share in zip(_SHARES, shares, strict=True):
            yield f"{name}Percent", f"{share / 100:.2f}"

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

    def _did(self, target: int, done: _Done) -> Iterator[Item]:
        block, reads, writes = self.block, done.reads, done.writes
        yield "Path", f"D:\\test{target}.dat"
        yield from (("BytesCount", (reads + writes) * block), ("FileSize", _FILE))
        yield from (("IOCount", reads + writes), ("ReadBytes", reads * block), ("ReadCount", reads))
        yield from (("WriteBytes", writes * block), ("WriteCount", writes))
        for side, mean in done.means().items():
            if self.there[side]:
                name = side.replace("Total", "")
                yield f"Average{name}LatencyMilliseconds", f"{mean:.3f}"
                yield f"{name}LatencyStdev", f"{self.rng.uniform(0.1, 0.3):.3f}"
        yield "Iops", self._iops(50_000 / self.run.threads)

    def _iops(self, scale: float) -> Iterator[Item]:
        rng, reads, writes = self.rng, self.reads, self.writes
        for side, there in (("Read", reads), ("Write", writes), ("", True)):
            if there:
                yield f"{side}IopsStdDev", f"{rng.uniform(10, 900):.3f}"
        draw = rng.random
        for at in range(1, self.run.seconds + 1):
            read = scale * (0.8 + 0.4 * draw()) if reads else 0.0
            write = scale * (0.3 + 0.1 * draw()) if writes else 0.0
            a, b = (draw(), draw()) if reads else (0.0, 0.0)
            c, d = (draw(), draw()) if writes else (0.0, 0.0)
            values = (at * 1000, read, write, read + write)
            times = (a * 0.1, 1 + b * 20, 0.2 + a, b, c * 0.1, 1 + d * 20, 0.2 + c, d)
            yield _BUCKET % (*values, *times)

    def _percentiles(self, sides: list[str]) -> Iterator[Item]:
        rng, means = self.rng, self._all().means()
        for side in sides:
            spread = "LatencyStdev" if side == "Total" else f"{side}LatencyStdev"
            yield f"Average{side}Milliseconds", f"{means[side]:.3f}"
            yield spread, f"{rng.uniform(0.1, 0.3):.3f}"
        value = dict.fromkeys(sides, 0.05)
        for percentile in ["0", *map(str, range(1, 100)), *_TAILS, "100"]:
            for side in sides:
                value[side] *= 1 + rng.random() * 0.08
            values = [(f"{side}Milliseconds", f"{value[side]:.3f}") for side in sides]
            yield "Bucket", [("Percentile", percentile), *values]


def _write(file: TextIO, items: Iterable[Item], pad: str = "") -> None:
    """Write each element on a line of its own, two blanks a level."""
    for item in items:
        if isinstance(item, str):
            file.write(f"{pad}{item}\n")
            continue
        tag, body = item
        if isinstance(body, int | str):
            file.write(f"{pad}<{tag}>{body}</{tag}>\n")
        else:
            file.write(f"{pad}<{tag}>\n")
            _write(file, body, f"{pad}  ")
            file.write(f"{pad}</{tag.split(' ', 1)[0]}>\n")


def results(folder: Path, files: int, run: Run = Run(), seed: int = 1) -> None:
    """Write so many files of runs alike."""
    rng = Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(files):
        _result(folder / f"result-{number:05d}.xml", _Report(number, rng, run))


def long(folder: Path, seconds: int) -> None:
    """Write one file of a run of 64 threads on two targets."""
    results(folder, 1, Run(threads=64, targets=2, seconds=seconds))


def short(path: Path, _: int) -> None:
    """Write the file of a run of two threads for ten seconds."""
    _result(path, _Report(0, Random(1), Run(threads=2, seconds=10, cpus=4)))


def _result(path: Path, report: _Report) -> None:
    with path.open("w", newline="\r\n") as file:
        file.write("<Results>\n")
        _write(file, report.items(), "  ")
        file.write("</Results>")
