"""The shape of DISKSPD's XML documents: the place of each value that has a column.

A shape is found in a tree once, and the values of every document of that tree are taken by their
places. Values without a column, also those of later versions, go to ``extras``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import compress, islice
from typing import NamedTuple

from fiotools.readers.diskspd import runs
from fiotools.readers.diskspd.buckets import Buckets
from fiotools.readers.diskspd.elements import (
    LONG,
    NOTHING,
    Element,
    MalformedError,
    Place,
    Texts,
    Tree,
)
from fiotools.readers.diskspd.options import Asked, read_profile
from fiotools.readers.diskspd.runs import AMOUNTS, MISSING, RATES, WAYS, Run
from fiotools.readers.shapes import Field


class Measure(NamedTuple):
    """A column of `io` and the elements that it comes from: those of read, write and total."""

    column: str
    of_target: tuple[str, str, str]  # paths below ``Thread/Target``
    # paths below ``TimeSpan``; none where the column is summed over the targets
    of_run: tuple[str, ...] = ()


_SPREADS = ("Iops/ReadIopsStdDev", "Iops/WriteIopsStdDev", "Iops/IopsStdDev")
_AMOUNTS = (  # whole numbers, which every target has
    Measure("io_bytes", ("ReadBytes", "WriteBytes", "BytesCount")),
    Measure("total_ios", ("ReadCount", "WriteCount", "IOCount")),
)
_RATES = (  # latencies in ms with three decimals; 2.2 leaves out a target's own mean and deviation
    Measure(
        "lat_mean_ns",
        (
            *("AverageReadLatencyMilliseconds", "AverageWriteLatencyMilliseconds"),
            "AverageLatencyMilliseconds",
        ),
        (
            *("Latency/AverageReadMilliseconds", "Latency/AverageWriteMilliseconds"),
            "Latency/AverageTotalMilliseconds",
        ),
    ),
    Measure(
        "lat_stddev_ns",
        ("ReadLatencyStdev", "WriteLatencyStdev", "LatencyStdev"),
        ("Latency/ReadLatencyStdev", "Latency/WriteLatencyStdev", "Latency/LatencyStdev"),
    ),
    Measure("iops_stddev", _SPREADS, _SPREADS),
)
_USAGE = {  # columns of `cpu`, below CpuUtilization/CPU and CpuUtilization/Average
    "usage_pct": "UsagePercent",
    "user_pct": "UserPercent",
    "kernel_pct": "KernelPercent",
    "idle_pct": "IdlePercent",
}
# for the page of formats: of a thread on a target, and of the run
FIELDS = {
    "io": tuple(
        Field(
            one.column,
            ", ".join(f"Target/{path}" for path in one.of_target),
            "ms" if one.column.startswith("lat_") else "",
            rule="of the run " + (", ".join(one.of_run) or "the sum over the targets"),
        )
        for one in (*_AMOUNTS, *_RATES)
    ),
    "cpu": tuple(Field(column, f"CPU/{path}") for column, path in _USAGE.items()),
}
_AMOUNTS_OF_TARGET = tuple(path for one in _AMOUNTS for path in one.of_target)
_RATES_OF_TARGET = [path for one in _RATES for path in one.of_target]
_RATES_OF_RUN = [path for one in _RATES for path in one.of_run]
_IN_RUNS = ("System/ComputerName", "System/Tool/Version", "System/RunTime")
# elements with columns of their own; everything else goes to extras
_KNOWN = {
    "TimeSpan": ("TestTimeSeconds", "CpuUtilization", "Latency", "Iops", "Thread"),
    "Thread": ("Id", "Target"),
    "Target": ("Path", "FileSize", "Iops", *_AMOUNTS_OF_TARGET, *_RATES_OF_TARGET),
    "Latency": (*(path.removeprefix("Latency/") for path in _RATES_OF_RUN), "Bucket"),
    "CPU": ("Id", "Group", *_USAGE.values()),
}
_LARGEST = 2**63 - 1  # of a sum
_WIDTH = len(AMOUNTS) * WAYS
_MOST = 64  # profiles that are remembered


@dataclass(eq=False)
class Layout:
    """How the results of a run are laid out, and where each of its values stands."""

    # the lines in which the ``TimeSpan`` begins, and its ``Iops`` if it has any
    line: int
    iops: int
    failed: Place | None = None  # the ``Error`` of a run that failed: it has no results
    targets: list[int] = field(default_factory=list)  # how many each thread worked on
    # the lines in which these entries (a thread on a target) begin
    entries: list[int] = field(default_factory=list)
    # how many processors there are, and how many averages over them
    cpus: int = 0
    averages: int = 0
    measured: bool = False  # whether latencies were measured
    # the buckets of ``-D`` of each entry, and of the whole run
    marks: list[int | None] = field(default_factory=list)
    curve: int | None = None  # the percentiles
    # values without a column; the entry is None for the run. Braces hold the place of a thread,
    # whose number belongs there.
    extras: list[tuple[int | None, str]] = field(default_factory=list)
    # the amounts of each entry, the sizes of their targets, the numbers of the threads, the groups
    # of processors and averages, and how many threads there are
    wholes: list[Place] = field(default_factory=list)
    # the rates of each entry and of the run, the usage of processors and averages, the seconds
    numbers: list[Place] = field(default_factory=list)
    # the path of each entry, the name of each processor, and the extras
    texts: list[int] = field(default_factory=list)

    def take(self, texts: Texts, asked: Asked, found: Buckets, line: Callable[[int], int]) -> Run:
        """Take the run of a document.

        Raises
        ------
        MalformedError
            If a value has the wrong type.
        """
        wholes, numbers = self._read(texts)
        words = [texts[index] for index in self.texts]
        seconds, entries = numbers[-1], len(self.entries)
        if seconds < 0:
            raise MalformedError(self.numbers[-1].line, "TestTimeSeconds is below 0")
        lines = [*self.entries, self.line]
        run = Run(0, asked, lambda entry, way: line(lines[entry]), seconds)
        amounts = wholes[: entries * _WIDTH]
        listed = iter([*map(_known, wholes[len(amounts) :])])
        run.sizes = [*islice(listed, entries)]
        threads = [*islice(listed, len(self.targets))]
        run.groups = [*islice(listed, self.cpus + self.averages)]
        pairs = [*zip(threads, self.targets, strict=True)]
        run.threads = [thread for thread, count in pairs for _ in range(count)]
        run.extras = [
            (entry, path.format(*threads) if "{" in path else path, text)
            for (entry, path), text in zip(self.extras, words[-len(self.extras) :], strict=False)
        ]
        if self.failed:
            return run
        run.targets = [path or None for path in words[:entries]]
        names = [name or None for name in words[entries : entries + self.cpus]]
        run.cpus = names + ["average"] * self.averages
        # the XML has no totals; without I/Os, bytes do not count either
        ways = range(WAYS)
        moved, done = ([amounts[at + way :: _WIDTH] for way in ways] for at in (0, WAYS))
        if sum(amounts) > _LARGEST:
            raise MalformedError(self.line, "all I/O together is more than 64 bits can count")
        amounts += map(sum, (*map(compress, moved, done), *done))
        run.amounts = amounts
        run.rates = numbers[: (entries + 1) * len(RATES) * WAYS]
        run.usage = numbers[len(run.rates) : -1]
        run.speeds = [one / seconds if seconds > 0 else math.nan for one in amounts]
        run.gap = runs.gap(next(listed), pairs, asked.each)
        run.is_measured = self.measured
        run.sampled = [None if mark is None else found.sampled[mark] for mark in self.marks]
        run.curves = [] if self.curve is None else [found.curves[self.curve]]
        return run

    def _read(self, texts: Texts) -> tuple[list[int], list[float]]:
        """Read the numbers of a document: `MISSING` and nan where there are none."""
        wholes = [texts[place.at] for place in self.wholes]
        numbers = [texts[place.at] for place in self.numbers]
        digits = "".join((*wholes, *numbers)).replace(".", "")
        if digits.isdecimal() and max(map(len, (*wholes, *numbers))) < LONG:
            with suppress(ValueError):  # most documents have nothing else
                return (
                    [int(text) if text else MISSING for text in wholes],
                    [float(text) if text else math.nan for text in numbers],
                )
        # one by one, to name the one that is not a number
        whole_pairs = zip(self.wholes, wholes, strict=True)
        pairs = zip(self.numbers, numbers, strict=True)
        return (
            [place.whole(text) if text else MISSING for place, text in whole_pairs],
            [place.number(text) if text else math.nan for place, text in pairs],
        )

    def add(
        self, found: Sequence[tuple[str, int]], prefix: str = "", entry: int | None = None
    ) -> None:
        """Add places of extras, with their paths."""
        self.extras += [(entry, prefix + path) for path, _ in found]
        self.texts += [index for _, index in found]


def _known(number: int) -> int | None:
    return None if number == MISSING else number


class NoSpanError(MalformedError):
    """The results hold no ``TimeSpan``."""


class Shape:
    """Where everything stands in documents of one tree.

    Parameters
    ----------
    tree : Tree
    texts : sequence of str, optional
        The values of the only document that it is for; by default of any.

    Attributes
    ----------
    said : list of Place
        The machine, the version, and when it was written.
    spans : list of Layout
        Of each run.

    Raises
    ------
    MalformedError
        If something is not there that must be, or more than a value stands in its place.
    ValuesNeededError
        If that is not the same for all documents of the tree.
    """

    def __init__(self, tree: Tree, texts: Texts | None = None) -> None:
        self._tree = tree
        root = tree.filled(texts)
        self.said = root.places(_IN_RUNS)
        leaves = root.leaves(skip=("Profile", "TimeSpan"))
        above = [(path, index) for path, index in leaves if path not in _IN_RUNS]
        self.spans = [_layout(span, above) for span in root.all("TimeSpan")]
        if not self.spans:
            raise NoSpanError(root.line, "the results hold no TimeSpan")
        self._profile = [index for _, index in root.below("Profile").leaves()]
        self._asked: dict[tuple[str, ...], list[Asked]] = {}

    @property
    def marks(self) -> tuple[dict[int, bool], list[int]]:
        """The marks of samples, and whether of a whole run without latencies; of percentiles."""
        over_time = {
            mark: place == len(span.entries) and not span.measured
            for span in self.spans
            for place, mark in enumerate(span.marks)
            if mark is not None
        }
        return over_time, [span.curve for span in self.spans if span.curve is not None]

    def asked(self, texts: Texts) -> list[Asked]:
        """Read the conditions of each run of a document; many documents share them."""
        profile = tuple(map(texts.__getitem__, self._profile))
        if profile not in self._asked:
            if len(self._asked) == _MOST:
                self._asked.clear()
            asked = list(read_profile(self._tree.filled(texts)))
            self._asked[profile] = asked + [Asked()] * (len(self.spans) - len(asked))
        return self._asked[profile]


def _layout(span: Element, above: Sequence[tuple[str, int]]) -> Layout:
    """Find the values of a ``TimeSpan``, below the extras of its document."""
    iops, failed = span.all("Iops"), span.all("Error")
    layout = Layout(span.line, iops[0].line if iops else span.line)
    seconds = span.place("TestTimeSeconds")
    if failed:
        layout.failed = Place(failed[0].content, "Error", failed[0].line)
        layout.numbers = [seconds]
        layout.add(above)
        return layout
    threads = [(thread, thread.all("Target")) for thread in span.all("Thread")]
    targets = [target for _, targets in threads for target in targets]
    usage = span.below("CpuUtilization")
    cpus, averages = usage.all("CPU"), usage.all("Average")
    layout.targets = [len(targets) for _, targets in threads]
    layout.entries = [target.line for target in targets]
    layout.cpus, layout.averages = len(cpus), len(averages)
    layout.measured = bool(span.all("Latency"))
    layout.marks = [place.mark("Iops") for place in (*targets, span)]
    layout.curve = span.mark("Latency")
    for target in targets:
        _hold(target)
        layout.wholes += target.places(_AMOUNTS_OF_TARGET)
        layout.numbers += target.places(_RATES_OF_TARGET)
    layout.wholes += [target.place("FileSize") for target in targets]
    layout.wholes += [thread.place("Id") for thread, _ in threads]
    layout.wholes += [cpu.place("Group") for cpu in (*cpus, *averages)]
    layout.wholes.append(span.place("ThreadCount"))
    layout.numbers += span.places(_RATES_OF_RUN)
    for cpu in (*cpus, *averages):
        layout.numbers += cpu.places(tuple(_USAGE.values()))
    layout.numbers.append(seconds)
    layout.texts = [target.place("Path").at for target in targets]
    layout.texts += [cpu.place("Id").at for cpu in cpus]
    layout.add(above)
    entry = 0
    for number, (thread, its_targets) in enumerate(threads):
        layout.add(thread.leaves(_KNOWN["Thread"]), f"Thread[{{{number}}}]/")
        for target in its_targets:
            entry += 1
            layout.add(target.leaves(_KNOWN["Target"]), entry=entry)
    for latency in span.all("Latency")[:1]:
        layout.add(latency.attributes(), "Latency/@")
        layout.add(latency.leaves(_KNOWN["Latency"]), "Latency/")
    for place, cpu in enumerate(cpus, 1):
        layout.add(cpu.leaves(_KNOWN["CPU"]), f"CpuUtilization/CPU[{place}]/")
    for average in averages:
        layout.add(average.leaves(_KNOWN["CPU"]), "CpuUtilization/Average/")
    layout.add(span.leaves(_KNOWN["TimeSpan"]))
    return layout


def _hold(target: Element) -> None:
    """Refuse a target with missing amounts of I/O."""
    for names in zip(*(one.of_target for one in _AMOUNTS), strict=True):
        if any(target.place(name).at == NOTHING for name in names):
            raise MalformedError(
                target.line, f"a Target of the results has no {' or no '.join(names)}"
            )
