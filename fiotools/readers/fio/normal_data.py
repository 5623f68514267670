"""What fio's human report says, before it becomes rows."""

from __future__ import annotations

from dataclasses import dataclass, field

from fiotools.readers.fio.printed import Printed


@dataclass
class Definition:
    """A job as fio understood it, printed above the reports."""

    name: str
    group: int
    rw: str
    bs: tuple[int | None, ...]
    ioengine: str
    iodepth: int
    clones: bool = False


@dataclass
class Section:
    """One direction of an entry."""

    direction: str
    io: Printed | None = None
    bw: Printed | None = None
    iops: Printed | None = None
    runtime_ms: int | None = None
    latencies: dict[str, dict[str, float]] = field(default_factory=dict)
    percentiles: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    bw_stats: dict[str, float] = field(default_factory=dict)
    iops_stats: dict[str, float] = field(default_factory=dict)
    is_old: bool = False  # the layout of before 2.18, with KB of 1024 bytes


@dataclass
class Entry:
    """One job's, or one group's, part of a report."""

    name: str
    group: int
    jobs: int
    error: int
    pid: int
    line: int
    host: str | None = None
    message: str | None = None
    date: str | None = None
    sections: list[Section] = field(default_factory=list)
    shares: dict[str, dict[str, float]] = field(default_factory=dict)
    cpu: dict[str, float] = field(default_factory=dict)
    issued: dict[str, list[int]] = field(default_factory=dict)
    extras: dict[str, str] = field(default_factory=dict)
    listed: dict[str, list[str]] = field(default_factory=dict)  # extras of several lines
    description: str | None = None

    @property
    def key(self) -> tuple[str, int, int, str | None]:
        """What a repeated report of the same entry has in common."""
        return self.name, self.group, self.pid, self.host


@dataclass
class Disk:
    """One block device, and on which machine in client mode."""

    name: str
    figures: dict[str, tuple[float, ...]]
    host: str | None


@dataclass
class Run:
    """What one fio process printed."""

    version: str | None = None
    client: str | None = None  # the machine whose report follows, in client mode
    definitions: list[Definition] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    earlier: list[list[Entry]] = field(default_factory=list)
    disks: list[Disk] = field(default_factory=list)
    extras: dict[str, str] = field(default_factory=dict)
    remarks: list[tuple[int, str]] = field(default_factory=list)
    doubts: list[tuple[int, str]] = field(default_factory=list)  # what does not fit together
    strange: list[tuple[int, str]] = field(default_factory=list)  # lines not understood
    cut: int | None = None  # the line where the text ends although fio had more to say
    # where the lines that continue others belong
    summed: bool = False
    group: str = ""
    group_id: int = -1
    indent: int = 0
    percentiles: list[tuple[float, float]] = field(default_factory=list)
    scale: int = 1
    priority: str = ""

    @property
    def section(self) -> Section:
        """The direction whose lines are being read."""
        entry = self.entries[-1]
        if not entry.sections:  # a report whose first lines are lost
            entry.sections.append(Section("unknown"))
        return entry.sections[-1]
