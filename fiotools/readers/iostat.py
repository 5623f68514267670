"""iostat: the JSON of sysstat's ``iostat``, which counts what reached the devices.

Produced by ``S_TIME_FORMAT=ISO iostat -xyt -o JSON 1 > iostat.json``, beside a benchmark until it
is stopped. Fills ``runs`` (a run is one iostat), ``samples`` (a row for each report, device,
direction and quantity; ``scope`` is device, or group), ``disks`` (each device over all reports),
``cpu`` (the mean of the processors), and ``extras`` (the machine; the first report).

Traps. The first report is the mean since the machine's start unless ``-y`` was given, which the
file does not say: it stays out of the numbers, in ``extras``, unless it is the only one. The file
does not say the interval either: only with ``-t`` there are times, to a second. They have a zone
only with ``S_TIME_FORMAT=ISO``; others tell how long iostat ran, and not when. Without times there
are rates, and no amounts. ``kB`` is 1024 bytes. A device that ``-z`` leaves out of a report was
idle in it. An ``await`` of 0 without requests was not measured. Groups (``-g``) and partitions
(``-p``) repeat what their devices say: never add them. A killed iostat, and one whose output is
read while it runs, leaves JSON without an end: all of its whole reports are read. ``-o JSON`` are
two words of their own: ``-xyo JSON`` is refused. Sizes and shares of merged requests follow from
the rates, and are left out; iowait counts as idle.

Specified in ``iostat.c`` (``write_json_ext_stat``, ``write_json_basic_stat``) of sysstat, 11.5.1 to
12.7.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from math import isfinite
from statistics import fmean
from typing import Any, NamedTuple

from fiotools.errors import ParseError
from fiotools.readers.document import Document, Field, Rest
from fiotools.tables.notes import Note
from fiotools.tables.rows import Rows

_NAME = "iostat"
_KB = 1024


class Measure(NamedTuple):
    """A number of a report: its direction, quantity, and what makes one of the base unit."""

    direction: str | None
    quantity: str
    worth: float = 1.0
    counted: str = ""  # for a latency: the key of the rate of its requests


def _measures() -> dict[str, Measure]:
    found = {}
    ways = {"r": "read", "w": "write", "d": "trim", "f": "sync", "": "total"}
    for letter, way in ways.items():
        rate = f"{letter}/s" if letter else "tps"
        found[rate] = Measure(way, "iops")
        found[f"{letter}_await".lstrip("_")] = Measure(way, "lat_ns", 1e6, rate)
        for prefix, size in (("kB", _KB), ("MB", _KB**2), ("sec", 512)) if letter != "f" else ():
            found[f"{letter}{prefix}/s"] = Measure(way, "bw_bytes_per_s", size)
    for prefix, size in (("kB", _KB), ("MB", _KB**2), ("Blk", 512)):
        for word, letter in (("read", "r"), ("wrtn", "w"), ("dscd", "d")):
            found[f"{prefix}_{word}/s"] = Measure(ways[letter], "bw_bytes_per_s", size)
    found |= dict.fromkeys(("aqu-sz", "avgqu-sz"), Measure(None, "queue_mean"))
    return {**found, "util": Measure(None, "util_pct")}


_MEASURES = _measures()
_MERGED = {"rrqm/s": "read_merges", "wrqm/s": "write_merges"}
# columns of `disks` that are a rate over time: its direction and quantity
_ADDED = {
    "read_ios": ("read", "iops"),
    "write_ios": ("write", "iops"),
    "read_sectors_bytes": ("read", "bw_bytes_per_s"),
    "write_sectors_bytes": ("write", "bw_bytes_per_s"),
    "in_queue_s": (None, "queue_mean"),
}
# for the page of formats
FIELDS = {
    "samples": tuple(
        Field(measure.quantity, key, rule=measure.direction or "of the device")
        for key, measure in _MEASURES.items()
    ),
    "disks": (
        Field("util_pct", "util", rule="mean of the reports"),
        Field("queue_mean", "aqu-sz", rule="mean of the reports; avgqu-sz before 11.7"),
        *(Field(column, key, rule="a rate, over time") for key, column in _MERGED.items()),
    ),
}
_START = re.compile(r'\{\s*"sysstat"\s*:')
_REPORTS = re.compile(r'"statistics"\s*:\s*\[')
_GAP = re.compile(r"[\s,]*")
_END = re.compile(r"\s*\]\s*\}\s*\]\s*\}\s*\}")
_CLOCK = re.compile(
    r"(?<!\d)(\d{1,2})[:時](\d\d)[:分](\d\d)秒?(?: ?([AP]M)|[+-]\d{4}|Z)?$", re.IGNORECASE
)
_DAY = 86_400
# how many rows of idle devices may stand beside each row that is in the file
_FILLED, _FEW = 20, 100_000


@dataclass
class Output:
    """One iostat: the machine, its reports, and where the text leaves doubt."""

    about: Mapping[str, Any]
    reports: list[dict[str, Any]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    is_whole: bool = False
    end: int = 0


def sniff(document: Document) -> bool:
    """Claim iostat's JSON; sadf, mpstat and pidstat write others of the same beginning."""
    text = document.text
    is_own = document.is_structured and _START.match(text.lstrip()) is not None
    return is_own and ('"disk_device"' in text or '"avg-cpu"' in text)


def read(document: Document, rows: Rows) -> Iterator[Rest]:
    """Read each iostat of a file."""
    text, at = document.text, 0
    while start := _START.search(text, at):
        output = _taken(document, text, start.start())
        if output is None or not output.reports:
            break
        if text[at : start.start()].strip():
            yield Rest(document.part(at, start.start()))
        _add(rows, document, output, document.line(start.start()))
        at = output.end
    if not rows.runs:
        raise ParseError(
            document.name,
            "holds no whole report of iostat",
            line=1,
            remedy="let it run longer than its interval: iostat -xyt -o JSON 1",
        )
    if text[at:].strip():
        yield Rest(document.part(at, len(text)))


def _taken(document: Document, text: str, start: int) -> Output | None:
    """Take the iostat that begins at a place: its machine, then report by report."""
    opened = _REPORTS.search(text, start)
    if opened is None:
        return None
    try:
        [host] = json.loads(text[start : opened.end()] + "]}]}}")["sysstat"]["hosts"]
        about = {name: value for name, value in host.items() if name != "statistics"}
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    output = Output(about, end=opened.end())
    decoder = json.JSONDecoder()
    while True:
        begin = _GAP.match(text, output.end).end()  # type: ignore[union-attr]  # it matches nothing, too
        try:
            report, end = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            break
        if not isinstance(report, dict) or "sysstat" in report:  # another iostat's
            break
        output.reports.append(report)
        output.lines.append(document.line(begin))
        output.end = end
    if closed := _END.match(text, output.end):
        output.is_whole, output.end = True, closed.end()
    elif not _START.search(text, output.end):
        output.end = len(text)  # the report that was cut off
    return output


def _add(rows: Rows, document: Document, output: Output, line: int) -> None:
    """Add one iostat as a run."""
    several = len(output.reports) > 1
    stamps = [str(report.get("timestamp") or "") for report in output.reports]
    times = _times(stamps) if several else None
    moments = [_moment(stamp) for stamp in stamps]
    run = rows.start_run(
        tool=_NAME,
        format=_NAME,
        host=_text(output.about.get("nodename")),
        started_at=moments[0] if several else None,
        reported_at=moments[-1],
        duration_s=times[-1] if times else None,
        status="ok" if output.is_whole else "truncated",
    )
    _say(rows, run, output, line, has_times=times is not None, has_zone=moments[0] is not None)
    for name, value in output.about.items():
        if name != "nodename":
            rows.add("extras", run=run, path=name, text=str(value))
    reports, lines = output.reports, output.lines
    if several:
        for path, value in _leaves(reports[0]):
            rows.add("extras", run=run, path=f"statistics.0.{path}", text=str(value))
        reports, lines = reports[1:], lines[1:]
    _add_devices(rows, run, output, reports, lines, times)
    ends = times[1:] if times else [None] * len(reports)
    _add_cpu(rows, run, reports, lines, ends)


def _add_devices(
    rows: Rows,
    run: int,
    output: Output,
    reports: Sequence[Mapping[str, Any]],
    lines: Sequence[int],
    times: Sequence[float] | None,
) -> None:
    """Add the samples of each device, and each device over all reports."""
    devices = [_devices(report) for report in reports]
    places: dict[str, list[int]] = {}  # of each device: the reports that have it
    for at, report in enumerate(devices):
        for name in report:
            places.setdefault(name, []).append(at)
    present = sum(map(len, devices))
    if len(places) * len(reports) <= _FILLED * present + _FEW:
        places = {name: [*range(len(reports))] for name in places}
    else:
        message = "most reports leave most devices out: they were idle there, and have no rows"
        rows.note(message, code="meaning", line=lines[0], run=run)
    host = _text(output.about.get("nodename"))
    doubts: dict[str, int] = {}
    for entry, (name, own) in enumerate(places.items(), 1):
        found = [_numbers(devices[at].get(name, {}), lines[at], doubts) for at in own]
        keys = list(dict.fromkeys(key for report in found for key in report))
        is_group, target = name.startswith(" "), name.strip()
        scope = "group" if is_group else "device"
        about = {"run": run, "entry": entry, "host": host, "target": target, "scope": scope}
        _add_samples(rows, about, keys, found, [times[at + 1] if times else None for at in own])
        if not is_group:
            widths = [times[at + 1] - times[at] for at in own] if times else None
            row = _over_all(keys, found, widths, len(reports))
            rows.add("disks", run=run, host=host, device=target, **row)
    for key, at in doubts.items():
        rows.say(Note("left out", "warning", at, f"{key} is not a number from 0: left out"), run)


def _say(
    rows: Rows, run: int, output: Output, line: int, *, has_times: bool, has_zone: bool
) -> None:
    """Note what the file does not say."""
    if not output.is_whole:
        count = len(output.reports)
        message = f"iostat did not end its JSON: its {count} whole reports are read"
        rows.note(message, code="incomplete", line=output.lines[-1], severity="warning", run=run)
    if len(output.reports) > 1:
        rows.note(
            "the first report may be the mean since the machine's start (without -y): it stands in"
            " extras only",
            code="meaning",
            line=output.lines[0],
            run=run,
        )
    else:
        rows.note(
            "there is one report: of its interval with -y, else since the machine's start",
            code="assumed",
            line=output.lines[0],
            run=run,
        )
    if len(output.reports) > 1 and not has_times:
        rows.note(
            "without times there are rates and no amounts: use iostat -t",
            code="conditions",
            line=line,
            run=run,
        )
    elif has_times and not has_zone:
        rows.note(
            "the times have no zone, so that only their distances count: use S_TIME_FORMAT=ISO",
            code="conditions",
            line=line,
            run=run,
        )


# --- one report -------------------------------------------------------------------------------


def _devices(report: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the devices of a report by name."""
    disks = report.get("disk")
    named = [one for one in disks if isinstance(one, dict)] if isinstance(disks, list) else []
    found = ((_text(one.get("disk_device") or one.get("device")), one) for one in named)
    return {name: one for name, one in found if name}


def _numbers(device: Mapping[str, Any], line: int, doubts: dict[str, int]) -> dict[str, float]:
    """Return the numbers of a device's report by their keys; a latency only of requests."""
    found = {}
    for key, value in device.items():
        if key in _MEASURES or key in _MERGED:
            if _is_amount(value):
                found[key] = float(value)
            else:
                doubts.setdefault(key, line)
    return {
        key: value
        for key, value in found.items()
        if key in _MERGED or not _MEASURES[key].counted or found.get(_MEASURES[key].counted)
    }


def _is_amount(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and isfinite(value) and value >= 0


def _add_samples(
    rows: Rows,
    about: Mapping[str, Any],
    keys: Sequence[str],
    found: Sequence[Mapping[str, float]],
    ends: Sequence[float | None],
) -> None:
    """Add the reports of a device: what it did not do in one, it did at a rate of 0."""
    for key in keys:
        if key in _MERGED:
            continue
        direction, quantity, worth, counted = _MEASURES[key]
        there = [
            (end, report.get(key, 0.0) * worth)
            for end, report in zip(ends, found, strict=True)
            if not counted or key in report
        ]
        columns: dict[str, list[Any]] = {
            "time_s": [end for end, _ in there],
            "value": [value for _, value in there],
        }
        rows.extend("samples", columns, **about, direction=direction, quantity=quantity)


def _over_all(
    keys: Sequence[str],
    found: Sequence[Mapping[str, float]],
    widths: Sequence[float] | None,
    count: int,
) -> dict[str, Any]:
    """Return the columns of `disks`: means of so many reports, and with times amounts."""
    row: dict[str, Any] = {}
    by_measure = {_MEASURES[key][:2]: key for key in keys if key in _MEASURES}
    for column in ("util_pct", "queue_mean"):
        if key := by_measure.get((None, column)):
            row[column] = sum(report.get(key, 0.0) for report in found) / count
    if widths is None:
        return row
    timed = list(zip(found, widths, strict=True))
    for column, measure in _ADDED.items():
        if key := by_measure.get(measure):
            worth = _MEASURES[key].worth
            amount = sum(report.get(key, 0.0) * worth * width for report, width in timed)
            row[column] = amount if column.endswith("_s") else round(amount)
    for key, column in _MERGED.items():
        if key in keys:
            row[column] = round(sum(report.get(key, 0.0) * width for report, width in timed))
    for way in ("read", "write"):
        wait, rate = by_measure.get((way, "lat_ns")), by_measure.get((way, "iops"))
        if wait and rate:  # ms for each request
            spent = (one.get(wait, 0.0) * one.get(rate, 0.0) * width for one, width in timed)
            row[f"{way}_ticks_s"] = sum(spent) / 1000
    return row


def _add_cpu(
    rows: Rows,
    run: int,
    reports: Sequence[Mapping[str, Any]],
    lines: Sequence[int],
    ends: Sequence[float | None],
) -> None:
    """Add the processors' mean over all reports, and how busy they were in each."""
    found = [
        (end, line, cpu)
        for end, line, report in zip(ends, lines, reports, strict=True)
        if isinstance(cpu := report.get("avg-cpu"), dict)
    ]
    for _, line, cpu in found:
        told = (cpu.get("idle"), *cpu.values())
        if not all(_is_amount(value) for value in told):
            message = "avg-cpu has what is not a number from 0: the processors are left out"
            rows.say(Note("left out", "warning", line, message), run)
            return
    if not found:
        return
    shares = [
        {
            "usage_pct": 100 - cpu["idle"] - cpu.get("iowait", 0.0),
            "user_pct": cpu.get("user", 0.0) + cpu.get("nice", 0.0),
            "kernel_pct": cpu.get("system", 0.0),
            "idle_pct": cpu["idle"] + cpu.get("iowait", 0.0),
        }
        for _, _, cpu in found
    ]
    mean = {name: fmean(max(share[name], 0.0) for share in shares) for name in shares[0]}
    rows.add("cpu", run=run, cpu="average", **mean)
    columns: dict[str, list[Any]] = {
        "time_s": [end for end, *_ in found],
        "value": [max(share["usage_pct"], 0.0) for share in shares],
    }
    rows.extend("samples", columns, run=run, scope="total", quantity="usage_pct")


# --- times ------------------------------------------------------------------------------------


def _times(stamps: Sequence[str]) -> list[float] | None:
    """Return the seconds since the first report; None without times.

    Stamps are cut to a second, and the interval is a whole number of them: where both agree, the
    interval counts.
    """
    clocks = [_CLOCK.search(stamp) for stamp in stamps]
    if not all(clocks):
        return None
    seconds = [_seconds(clock) for clock in clocks if clock]
    since, days = [0.0], 0
    for last, this in pairwise(seconds):
        days += this < last - _DAY / 2  # midnight; a clock may be set back
        since.append(this + days * _DAY - seconds[0])
    if len(since) < 2 or since[-1] <= 0:
        return None
    interval = round(since[-1] / (len(since) - 1))
    even = [float(interval * place) for place in range(len(since))]
    if interval and all(abs(one - other) <= 1 for one, other in zip(since, even, strict=True)):
        return even
    rises = all(one < other for one, other in pairwise(since))
    return since if rises else None


def _seconds(clock: re.Match[str]) -> float:
    """Return the seconds since midnight."""
    hour, half = int(clock[1]), (clock[4] or "").upper()
    if half:
        hour = hour % 12 + 12 * (half == "PM")
    return 3600.0 * hour + 60 * int(clock[2]) + int(clock[3])


def _moment(stamp: str) -> datetime | None:
    """Return when it was, if the stamp has a zone."""
    try:
        moment = datetime.fromisoformat(stamp)
    except ValueError:
        return None
    return moment.astimezone(UTC) if moment.tzinfo else None


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values of a report with their places."""
    if isinstance(value, list):
        pairs = [(_text(one.get("disk_device")) or str(n), one) for n, one in enumerate(value)]
    elif isinstance(value, dict):
        pairs = [*value.items()]
    else:
        yield path, value
        return
    for name, one in pairs:
        if name != "disk_device":
            yield from _leaves(one, f"{path}.{name.strip()}".lstrip("."))


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
