"""Notes with the evidence there is: a busy processor, a fresh SSD, a fixed rate."""

from __future__ import annotations

from collections.abc import Iterator

from fiotools.hints import argument
from fiotools.language import listed, say
from fiotools.stats.check.device_share import amplified
from fiotools.stats.check.evidence import Evidence
from fiotools.stats.check.finding import Finding
from fiotools.stats.check.runs import Run
from fiotools.units import human

_BUSY = 90.0
_FAR = 1.5  # times: more than a journal, and what other programs do
_PACED = ("rate", "rate_iops", "thinktime", "Target/Throughput", "-g")


def remarks(run: Run, known: Evidence) -> Iterator[Finding]:
    """Note what limits a figure without making it wrong."""
    yield from _processor(run)
    yield from _fresh(run, known)
    yield from _paced(run)
    for direction in ("read", "write"):
        yield from _amplified(run, direction)


def _processor(run: Run) -> Iterator[Finding]:
    shares = [row["usage_pct"] for row in run.tables["cpu"] if row["usage_pct"] is not None]
    what = say("a processor")
    if not shares:
        what = say("a job's processor")
        shares = [
            row["usr_cpu_pct"] + row["sys_cpu_pct"]
            for row in run.tables["jobs"]
            if row["usr_cpu_pct"] is not None and row["sys_cpu_pct"] is not None
        ]
    if shares and max(shares) >= _BUSY:
        why = say(
            "{processor} was busy for {share} % of the time: it may be what was measured",
            processor=what,
            share=f"{max(shares):.0f}",
        )
        basis = "90 % of one processor"
        remedy = say("use more jobs, or a faster processor, before blaming the disk")
        yield Finding("processor", "run", "ok", why, basis, remedy, max(shares), _BUSY, "%")


def _fresh(run: Run, known: Evidence) -> Iterator[Finding]:
    """Hold what was written against the capacity: an SSD's cache takes the first of it."""
    if known.media not in ("sata-ssd", "nvme"):
        return
    written = sum(row["io_bytes"] or 0 for row in run.wholes() if row["direction"] == "write")
    if not written:
        return
    basis = "SNIA PTS: write twice the capacity before measuring"
    moved = human(written, "B")
    if known.capacity is None:
        said = say("{moved} were written", moved=moved)
        if run.disks:
            said = say("{moved} were written to {disks}", moved=moved, disks=listed(run.disks))
        why = listed([said, say("how much the SSD's cache takes is not known")], "; ")
        remedy = say(
            "give {capacity}; write twice the capacity before", capacity=argument("capacity")
        )
        yield Finding("preconditioning", "run", "unknown", why, basis, remedy, float(written))
    elif written < 2 * known.capacity:
        why = say(
            "{moved} are {share} % of the SSD: this may be its cache's speed",
            moved=moved,
            share=f"{100 * written / known.capacity:.3g}",
        )
        remedy = say("write twice the capacity before, or say that it is the speed of a fresh SSD")
        figures = (float(written), 2 * known.capacity, "B")
        yield Finding("preconditioning", "run", "ok", why, basis, remedy, *figures)


def _paced(run: Run) -> Iterator[Finding]:
    options = run.all_options()
    # DISKSPD repeats its options for each target
    for name in list(options):
        if name.startswith("Target["):
            options.setdefault("Target/" + name.partition("/")[2], options[name])
    found = [
        f"{name}={options[name]}" for name in _PACED if options.get(name, "0") not in ("", "0")
    ]
    if found and options.get("rate_process") != "poisson":
        why = say(
            "{options}: a stall delays the I/Os after it, whose latency begins later",
            options=listed(found),
        )
        remedy = say("do not read high percentiles of it as what a user would have waited")
        yield Finding("omission", "run", "ok", why, "coordinated omission", remedy)


def _amplified(run: Run, direction: str) -> Iterator[Finding]:
    times = amplified(run, direction)
    if times is None or times <= _FAR:
        return
    why = say(
        "{devices} moved {times} times what the jobs did: read-ahead, read-modify-write, copy on "
        "write, copies, or other programs",
        devices=listed(run.disks),
        times=f"{times:.3g}",
    )
    basis = "fio's disk_util: the I/O of the device against the I/O of the jobs"
    remedy = say("it wears the device, and takes of what it can do")
    yield Finding("amplified", direction, "ok", why, basis, remedy, times, _FAR)
