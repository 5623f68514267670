"""What iostat counted beside a run: which iostat that is, and how much of the run's I/O it saw.

An iostat belongs to a run if its times span the run's, and it is of the same machine: by its name,
or because it lies in the folder of the run or above it. Where one of the two has no times with a
zone, it belongs to the run whose name it shares in a folder (``a_fio.json``, ``a_iostat.json``), or
with which it is alone in it. Nothing else tells, and no nearest is taken.

Bytes are rates over the time of a report, so they need iostat's times (``-t``). What was at the
ends of its reports is uncertain by two of them. Other programs' I/O counts too, and so does that of
devices on which others lie: all devices together are the most that a run can have had, and the
busiest of them is the least that reached one of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import zip_longest
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

if TYPE_CHECKING:
    from fiotools.tables.results import Results

TOOL = "iostat"
ENOUGH = 0.9  # a smaller share shows that something else than the device answered
FAR = 1.5  # times: more than a journal and other programs explain
_TICK = timedelta(seconds=2)  # fio's and iostat's times are cut to seconds
# words of a file's name that say whose output it is
_TOOLS = re.compile(r"iostat|fio|diskspd|dd|time|hyperfine|crystaldiskmark|kdiskmark", re.I)
_WORD = re.compile(r"[^\W_]+")
_PART = re.compile(r"(?<=\D)\d+$|(?<=\d)p\d+$")  # of a partition's name

Row = Mapping[str, Any]


def has_logs(results: Results) -> bool:
    """Whether there are samples of a run, or of an iostat without any runs."""
    if not (results.tables.height("samples") and results.tables.height("io")):
        return bool(results.tables.height("samples"))
    tools = results.tables.polars("runs").select("source", "tool").cast(pl.String)
    own = tools.filter(pl.col("tool") == TOOL)["source"].implode()
    sources = results.tables.polars("samples")["source"].cast(pl.String)
    return not sources.is_in(own).all()


class Placed(NamedTuple):
    """A run or an iostat, where its file lies and when it ran."""

    source: str
    host: str | None = None
    begin: datetime | None = None
    end: datetime | None = None


class Match(NamedTuple):
    """The place of a run's iostat in a list, and what told it: time or name."""

    place: int
    by: str


@dataclass(frozen=True)
class Counted:
    """What the devices did in one direction while iostat looked, in bytes and seconds."""

    devices: list[str]
    most: float  # B/s of all devices, in the busiest report
    total: float | None  # B of all devices; None without times
    least: float | None  # B of the busiest device
    span_s: float | None
    interval_s: float | None
    util_pct: float | None = None  # of the busiest device
    queue: float | None = None
    wait_s: float | None = None  # of a request there

    def verdict(self, moved: float, runtime: float) -> tuple[str, float | None]:
        """Return what follows for a run that moved so many bytes, and the share that was seen."""
        if self.total is None or self.least is None or not self.span_s or not self.interval_s:
            return "untimed", None
        share = self.total / moved
        if self.span_s < runtime - self.interval_s:
            return "part", share
        if share < ENOUGH - 2 * self.interval_s / runtime:
            return "short", share
        if self.least / moved > FAR:
            return "more", self.least / moved
        return ("counted" if self.least >= ENOUGH * moved else "between"), share


def matches(runs: Sequence[Placed], counters: Sequence[Placed]) -> list[Match | bool | None]:
    """Find each run's iostat; False where one lies beside and may be another run's."""
    named = _by_name(runs, counters)
    lying: dict[str, list[Placed]] = {}
    for one in counters:
        lying.setdefault(_folder(one.source), []).append(one)
    found: list[Match | bool | None] = []
    for place, run in enumerate(runs):
        in_time = [
            at
            for at, counter in enumerate(counters)
            if _is_near(run, counter) and _spans(counter, run)
        ]
        untimed = named.get(place)
        if len(in_time) == 1:
            found.append(Match(in_time[0], "time"))
        elif untimed is not None and not _has_times(run, counters[untimed]):
            found.append(Match(untimed, "name"))
        else:
            near = lying.get(_folder(run.source), [])
            is_open = len(in_time) > 1 or any(not _has_times(run, one) for one in near)
            found.append(False if is_open else None)
    return found


def _has_times(run: Placed, counter: Placed) -> bool:
    return None not in (run.begin, run.end, counter.begin, counter.end)


def _is_near(run: Placed, counter: Placed) -> bool:
    """Whether both are of one machine, by its name, or by the folder of the iostat."""
    if None not in (run.host, counter.host):
        return run.host == counter.host
    above, own = _folder(counter.source), _folder(run.source)
    return above in (own, ".") or own.startswith(f"{above}/")


def _is_alike(run: Placed, counter: Placed) -> bool:
    """Whether both may be of one machine."""
    return None in (run.host, counter.host) or run.host == counter.host


def _spans(counter: Placed, run: Placed) -> bool:
    """Whether an iostat ran all the time of a run."""
    if run.begin is None or run.end is None or counter.begin is None or counter.end is None:
        return False
    return counter.begin <= run.begin + _TICK and run.end - _TICK <= counter.end


def _folder(source: str) -> str:
    return PurePosixPath(source).parent.as_posix()


def _by_name(runs: Sequence[Placed], counters: Sequence[Placed]) -> dict[int, int]:
    """Pair those that share the words of their names in a folder, or are alone in it."""
    found: dict[int, int] = {}
    for key in (_folder, _stem):
        cells: dict[Any, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for several, side in ((runs, 0), (counters, 1)):
            for place, one in enumerate(several):
                cells[key(one.source)][side].append(place)
        for own, theirs in cells.values():
            if len(own) == len(theirs) == 1 and _is_alike(runs[own[0]], counters[theirs[0]]):
                found[own[0]] = theirs[0]
    return found


def _stem(source: str) -> tuple[str, tuple[str, ...]]:
    """Return the folder of a file, and the words of its name that are not a tool's."""
    words = _WORD.findall(PurePosixPath(source).stem)
    return _folder(source), tuple(word for word in words if not _TOOLS.fullmatch(word))


def counted(
    rows: Sequence[Row],
    direction: str,
    among: Sequence[str] = (),
    window: tuple[float, float] | None = None,
) -> Counted | None:
    """Add up what an iostat counted in a direction.

    Parameters
    ----------
    rows : sequence of mapping
        Its rows of `samples`.
    direction : str
    among : sequence of str
        The devices below the run's files, if they are known.
    window : tuple of float, optional
        When the run began and ended, in seconds of iostat's clock.
    """
    rates = [
        row
        for row in rows
        if row["quantity"] == "bw_bytes_per_s" and row["direction"] in (direction, "total")
    ]
    every = list(dict.fromkeys(row["target"] for row in rates))
    parents = [name for name in every if _PART.sub("", name) not in {*every} - {name}]
    devices = [name for name in every if name in among] or parents
    if not devices or any(row["direction"] == "total" for row in rates):
        return None
    series = {name: [row for row in rates if row["target"] == name] for name in devices}
    times = sorted({row["time_s"] for row in rates if row["time_s"] is not None})
    interval = times[-1] / len(times) if times else None
    if interval is not None and window is not None:
        low, high = window[0] - interval, window[1] + 2 * interval
        times = [time for time in times if low <= time <= high]
        series = {
            name: [row for row in own if low <= row["time_s"] <= high]
            for name, own in series.items()
        }
    if not any(series.values()):
        return None
    sums = {name: sum(row["value"] for row in own) for name, own in series.items()}
    reports = zip_longest(*([row["value"] for row in own] for own in series.values()), fillvalue=0)
    most = max(map(sum, reports))
    busiest = max(sums, key=lambda name: sums[name])
    means = {
        quantity: _mean(rows, busiest, quantity, interval, window)
        for quantity in ("util_pct", "queue_mean")
    }
    inside = None
    if interval is not None and window is not None:
        inside = window[0] + interval, window[1]
    wait = _wait([row for row in rows if row["direction"] == direction], busiest, inside)
    return Counted(
        devices,
        most,
        None if interval is None else interval * sum(sums.values()),
        None if interval is None else interval * sums[busiest],
        None if interval is None else interval * len(times),
        interval,
        means["util_pct"],
        means["queue_mean"],
        wait,
    )


def _wait(rows: Sequence[Row], device: str, inside: tuple[float, float] | None) -> float | None:
    """Give the mean time of a request in one direction, weighted by requests, in seconds."""
    of_report: dict[float | None, dict[str, float]] = defaultdict(dict)
    for row in rows:
        time = row["time_s"]
        is_inside = inside is None or time is None or inside[0] <= time <= inside[1]
        if row["target"] == device and is_inside and row["quantity"] in ("iops", "lat_ns"):
            of_report[time][row["quantity"]] = row["value"]
    pairs = [(one["iops"], one["lat_ns"]) for one in of_report.values() if len(one) == 2]
    requests = sum(rate for rate, _ in pairs)
    return sum(rate * wait for rate, wait in pairs) / requests / 1e9 if requests else None


def _mean(
    rows: Sequence[Row],
    device: str,
    quantity: str,
    interval: float | None,
    window: tuple[float, float] | None,
) -> float | None:
    """Give the mean of a device's reports, of those within the run if its times are known."""
    own = [row for row in rows if row["target"] == device and row["quantity"] == quantity]
    if interval is not None and window is not None:
        low, high = window[0] + interval, window[1]
        own = [row for row in own if low <= row["time_s"] <= high] or own
    return sum(row["value"] for row in own) / len(own) if own else None
