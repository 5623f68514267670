"""What one ``Results/TimeSpan`` of DISKSPD's XML holds: how it is laid out, and its values.

The two are kept apart, so that runs of one layout can be read side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fiotools.readers.diskspd.elements import Fields, MalformedError

LARGEST = 2**63 - 1  # of a sum
# each of read, write and total
AMOUNTS = ("ReadBytes", "ReadCount", "WriteBytes", "WriteCount", "BytesCount", "IOCount")
_IOPS = ("ReadIopsStdDev", "WriteIopsStdDev", "IopsStdDev")
_TARGET_LATENCIES = (
    *("AverageReadLatencyMilliseconds", "AverageWriteLatencyMilliseconds"),
    *("AverageLatencyMilliseconds", "ReadLatencyStdev", "WriteLatencyStdev", "LatencyStdev"),
)
_RUN_LATENCIES = (
    *("AverageReadMilliseconds", "AverageWriteMilliseconds", "AverageTotalMilliseconds"),
    *("ReadLatencyStdev", "WriteLatencyStdev", "LatencyStdev"),
)
USAGE = ("UsagePercent", "UserPercent", "KernelPercent", "IdlePercent")
# what has columns of its own; everything else goes to extras, also what a later version adds
_KNOWN = {
    "TimeSpan": ("TestTimeSeconds", "CpuUtilization", "Latency", "Iops", "Thread"),
    "Thread": ("Id", "Target"),
    "Target": ("Path", "FileSize", "Iops", *AMOUNTS, *_TARGET_LATENCIES),
    "Latency": (*_RUN_LATENCIES, "Bucket"),
    "CPU": ("Id", "Group", *USAGE),
}


_IN_RUNS = ("System/ComputerName", "System/Tool/Version", "System/RunTime")


@dataclass(frozen=True)
class Layout:
    """How the results of a run are laid out.

    Attributes
    ----------
    line : int
        Where the ``TimeSpan`` begins.
    iops : int
        Where its ``Iops`` begins, if it has any.
    targets : list of int
        How many each thread worked on.
    lines : list of int
        Where each of these entries (a thread on a target) begins.
    cpus, averages : int
        How many processors there are, and how many averages over them.
    measured : bool
        Whether latencies were measured.
    extras : list of (entry, path)
        What has no column of its own; the entry is None where it is of the run.
    """

    line: int
    iops: int
    targets: list[int]
    lines: list[int]
    cpus: int
    averages: int
    measured: bool
    extras: list[tuple[int | None, str]]


class Values(NamedTuple):
    """The values of a run, in the order of its layout.

    Attributes
    ----------
    wholes : sequence of int or None
        How many threads there are, the number of each; of each entry the size of the target and
        `AMOUNTS`; the group of each processor and average.
    numbers : sequence of float or None
        The seconds; of the run, then of each entry, by direction the means of the latencies, their
        deviations, and those of the I/Os per second; of each processor and average the `USAGE`.
    texts : sequence of str or None
        The path of each entry, the name of each processor, and the extras.
    """

    wholes: Sequence[int | None]
    numbers: Sequence[float | None]
    texts: Sequence[str | None]


def said_of(root: Fields) -> tuple[str | None, str | None, str | None]:
    """Read what a document says of itself: the machine, the version, and when it was written."""
    system = root.below("System")
    return system.text("ComputerName"), system.below("Tool").text("Version"), system.text("RunTime")


def extras_of(root: Fields) -> list[tuple[str, str]]:
    """List what a document says beside its profile and its runs, and has no column."""
    leaves = root.leaves(skip=("Profile", "TimeSpan"))
    return [(path, text) for path, text in leaves if path not in _IN_RUNS]


def read_results(span: Fields, above: Sequence[tuple[str, str]] = ()) -> tuple[Layout, Values]:
    """Read all of a ``TimeSpan`` but its buckets.

    Parameters
    ----------
    span : Fields
    above : sequence of (path, text)
        Extras of the document, which come before those of the run.

    Raises
    ------
    MalformedError
        If a value is not what it must be, or an amount is not there.
    """
    extras = _Extras()
    extras.add(above)
    threads = [(thread, thread.all("Target")) for thread in span.all("Thread")]
    every = span.below("Thread")
    entries = [target for _, targets in threads for target in targets]
    amounts = every.all_wholes("Target", ("FileSize", *AMOUNTS))
    latencies = every.all_numbers("Target", _TARGET_LATENCIES)
    wholes = [span.whole("ThreadCount"), *(thread.whole("Id") for thread, _ in threads)]
    numbers = [span.number("TestTimeSeconds"), *span.below("Latency").numbers(_RUN_LATENCIES)]
    numbers += span.below("Iops").numbers(_IOPS)
    for target, moved, latency in zip(entries, amounts, latencies, strict=True):
        _hold(target, moved)
        wholes += moved
        numbers += latency
        numbers += target.below("Iops").numbers(_IOPS)
    texts = [target.text("Path") for target in entries]
    usage = span.below("CpuUtilization")
    cpus = [usage.all("CPU"), usage.all("Average")]
    for name in ("CPU", "Average"):
        wholes += [cpu.whole("Group") for cpu in usage.all(name)]
        numbers += [share for shares in usage.all_numbers(name, USAGE) for share in shares]
    texts += [cpu.text("Id") for cpu in cpus[0]]
    if (numbers[0] or 0) < 0:
        raise MalformedError(span.all("TestTimeSeconds")[0].line, "TestTimeSeconds is below 0")
    if sum(filter(None, wholes)) > LARGEST:
        raise MalformedError(span.line, "all I/O together is more than 64 bits can count")
    _add_entries(extras, threads)
    for latency_ in span.all("Latency")[:1]:
        extras.add([(f"Latency/@{name}", bins) for name, bins in latency_.attributes()])
        extras.add_below(latency_, _KNOWN["Latency"], "Latency/")
    for place, cpu in enumerate(cpus[0], 1):
        extras.add_below(cpu, _KNOWN["CPU"], f"CpuUtilization/CPU[{place}]/")
    for average in cpus[1]:
        extras.add_below(average, _KNOWN["CPU"], "CpuUtilization/Average/")
    extras.add_below(span, _KNOWN["TimeSpan"])
    iops = span.all("Iops")
    layout = Layout(
        line=span.line,
        iops=iops[0].line if iops else span.line,
        targets=[len(targets) for _, targets in threads],
        lines=[target.line for target in entries],
        cpus=len(cpus[0]),
        averages=len(cpus[1]),
        measured=bool(span.all("Latency")),
        extras=extras.places,
    )
    return layout, Values(wholes, numbers, [*texts, *extras.texts])


def _hold(target: Fields, moved: Sequence[int | None]) -> None:
    """Refuse a target of whose I/O something is not said."""
    for at in range(1, len(moved), 2):
        if None in moved[at : at + 2]:
            names = " or no ".join(AMOUNTS[at - 1 : at + 1])
            raise MalformedError(target.line, f"a Target of the results has no {names}")


def _add_entries(extras: _Extras, threads: Sequence[tuple[Fields, Sequence[Fields]]]) -> None:
    entry = 0
    for thread, targets in threads:
        extras.add_below(thread, _KNOWN["Thread"], f"Thread[{thread.whole('Id')}]/")
        for target in targets:
            entry += 1
            extras.add_below(target, _KNOWN["Target"], entry=entry)


class _Extras:
    """Values that have no column of their own."""

    def __init__(self) -> None:
        self.places: list[tuple[int | None, str]] = []
        self.texts: list[str] = []

    def add(self, found: Sequence[tuple[str, str]], entry: int | None = None) -> None:
        """Add values with their paths."""
        self.places += [(entry, path) for path, _ in found]
        self.texts += [text for _, text in found]

    def add_below(
        self, place: Fields, known: tuple[str, ...], prefix: str = "", entry: int | None = None
    ) -> None:
        """Add what stands in an element and has no column of its own."""
        if not place.are(known):
            self.add([(prefix + path, text) for path, text in place.leaves(known)], entry)
