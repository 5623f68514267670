"""What went one way within one time: the rates that a link has to carry."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from fiotools.stats.check.evidence import Evidence
from fiotools.stats.check.links import Link
from fiotools.stats.check.runs import Row, Run

_TWO_WAY = ("mixed", "total")
_NO_DATA = ("sync", "trim")  # a command goes over the link, and none of the bytes that it names


@dataclass(frozen=True, slots=True)
class Flow:
    """Bytes that went in one direction (`mixed` and `total`: in both)."""

    subject: str
    direction: str
    rate: float
    moved: float | None = None
    seconds: float | None = None
    row: Row | None = None

    @property
    def is_two_way(self) -> bool:
        """Whether reads and writes are in one figure."""
        return self.direction in _TWO_WAY


def flows(run: Run, known: Evidence) -> list[Flow]:
    """Give every rate of a run that is certain: each row's, and those of jobs side by side."""
    found = [
        Flow(
            run.subject(row),
            row["direction"] or "",
            row["bw_bytes_per_s"],
            row["io_bytes"],
            row["runtime_s"],
            row,
        )
        for row in _ways(run)
        if row["bw_bytes_per_s"] is not None and has_data(row)
    ]
    found += _together(run)
    timing = run.timing
    if not found and known.moved is not None and timing is not None:
        took = timing["real_s"] if timing["real_s"] is not None else timing["real_mean_s"]
        if took:
            found.append(Flow("command", "", known.moved / took, known.moved, took))
    return found


def has_data(row: Row) -> bool:
    """Whether the bytes of a row went over the link."""
    is_trimmed = row["direction"] in _TWO_WAY and "trim" in (row["rw"] or "")
    return row["direction"] not in _NO_DATA and not is_trimmed


def _ways(run: Run) -> list[Row]:
    """Give the rows of which each had the links to itself: of clients on several hosts, theirs."""
    clients = [row for row in run.io if row["scope"] == "client"]
    return clients if len({row["host"] for row in clients}) > 1 else run.wholes()


def _together(run: Run) -> Iterator[Flow]:
    """Add up jobs of a fio run that has one group, over the whole of its time.

    Whether the jobs overlapped is not known everywhere, so that their rates are not added; but all
    of them were done within the time that fio ran.
    """
    rows = [row for row in run.wholes() if has_data(row)]
    elapsed = run.head["duration_s"]
    if run.tool != "fio" or not elapsed or any(row["scope"] in ("total", "client") for row in rows):
        return
    if len({row["group"] for row in rows}) > 1:
        return
    sums = defaultdict(list)
    for row in rows:
        sums[row["direction"]].append(row["io_bytes"])
    for direction, amounts in sums.items():
        known = [amount for amount in amounts if amount is not None]
        if len(known) == len(amounts) > 1:
            moved = float(sum(known))
            yield Flow(f"{direction} of all jobs", direction, moved / elapsed, moved, elapsed)


def busiest(several: list[Flow]) -> list[Flow]:
    """Keep the fastest flow of each direction; of totals, only where there is nothing else."""
    best: dict[str, Flow] = {}
    for flow in several:
        if flow.direction not in best or flow.rate > best[flow.direction].rate:
            best[flow.direction] = flow
    one_way = [flow for flow in best.values() if not flow.is_two_way]
    return one_way or list(best.values())


def on_link(link: Link, found: list[Flow]) -> list[Flow]:
    """Add up reads and writes where they share the link."""
    ways = [flow for flow in found if flow.direction in ("read", "write")]
    if not link.is_shared or len(ways) < 2:
        return found
    same = len({flow.row["entry"] if flow.row else None for flow in ways}) == 1
    # of two entries it is not certain that they ran together
    if not same:
        return found
    first = ways[0]
    rate = sum(flow.rate for flow in ways)
    return [replace(first, subject="read and write", direction="total", rate=rate)]
