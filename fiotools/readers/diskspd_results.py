"""What one ``Results/TimeSpan`` of DISKSPD's XML holds, as rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fiotools.readers import diskspd_checks as checks
from fiotools.readers.diskspd_elements import (
    Element,
    MalformedError,
    from_milliseconds,
    leaves,
    nanoseconds,
    number,
    text,
    to_number,
    whole,
)
from fiotools.readers.diskspd_options import Asked, Conditions

if TYPE_CHECKING:
    from fiotools.tables import Tables

Figures = dict[str, dict[str, Any]]  # by direction
Row = tuple[str | None, int | None, Figures]  # path, size, what a thread did there

# direction, bytes, I/Os, before "LatencyMilliseconds" of a target, before "Milliseconds" of a run,
# before "LatencyStdev" and "IopsStdDev"
_DIRECTIONS = (
    ("read", "ReadBytes", "ReadCount", "AverageRead", "AverageRead", "Read"),
    ("write", "WriteBytes", "WriteCount", "AverageWrite", "AverageWrite", "Write"),
    ("total", "BytesCount", "IOCount", "Average", "AverageTotal", ""),
)
_BUCKET_LATENCIES = (
    ("lat_min_ns", "MinLatencyMilliseconds"),
    ("lat_max_ns", "MaxLatencyMilliseconds"),
    ("lat_mean_ns", "AvgLatencyMilliseconds"),
    ("lat_stddev_ns", "LatencyStdDev"),
)
_AMOUNTS = ("BytesCount", "IOCount", "ReadBytes", "ReadCount", "WriteBytes", "WriteCount")
_TARGET_LATENCIES = (
    *("AverageReadLatencyMilliseconds", "AverageWriteLatencyMilliseconds"),
    *("AverageLatencyMilliseconds", "ReadLatencyStdev", "WriteLatencyStdev", "LatencyStdev"),
)
_RUN_LATENCIES = (
    *("AverageReadMilliseconds", "AverageWriteMilliseconds", "AverageTotalMilliseconds"),
    *("ReadLatencyStdev", "WriteLatencyStdev", "LatencyStdev", "Bucket"),
)
_CPU = ("Id", "Group", "UsagePercent", "UserPercent", "KernelPercent", "IdlePercent")
# what has columns of its own; everything else goes to extras, also what a later version adds
_KNOWN = {
    "TimeSpan": ("TestTimeSeconds", "CpuUtilization", "Latency", "Iops", "Thread"),
    "Thread": ("Id", "Target"),
    "Target": ("Path", "FileSize", "Iops", *_AMOUNTS, *_TARGET_LATENCIES),
}


def add_results(tables: Tables, run: int, span: Element, asked: Asked, offset: int) -> None:
    """Add everything that one run measured.

    Parameters
    ----------
    tables : Tables
    run : int
    span : Element
        The ``TimeSpan``.
    asked : Asked
        What the profile says of it.
    offset : int
        Lines of the file above the XML.
    """
    seconds = number(span, "TestTimeSeconds")
    if seconds is not None and seconds < 0:
        raise MalformedError(span.find("TestTimeSeconds"), "TestTimeSeconds is below 0")
    problems: list[tuple[int, str | None]] = []
    if not seconds:
        problems.append((span.sourceline, "no TestTimeSeconds: rates are missing"))
    rows: list[Row] = []
    found: list[tuple[int | None, int]] = []
    for thread in span.findall("Thread"):
        name, targets = whole(thread, "Id"), thread.findall("Target")
        found.append((name, len(targets)))
        for place, value in leaves(thread, f"Thread[{name}]/", skip=_KNOWN["Thread"]):
            tables.add("extras", run=run, path=place, text=value)
        for target in targets:
            path, size, figures = text(target, "Path"), whole(target, "FileSize"), _figures(target)
            rows.append((path, size, figures))
            keys = {
                "run": run,
                "entry": len(rows),
                "thread": name,
                "target": path,
                "scope": "thread",
            }
            conditions = asked.of(path)
            if size is not None:
                conditions = {**conditions, "size_bytes": size}
            _add_io(tables, keys, conditions, figures, seconds)
            block = conditions.get("bs_bytes")
            problems += [
                (target.sourceline, checks.parts(figures, "this target")),
                (target.sourceline, checks.blocks((row, block) for row in figures.values())),
            ]
            _add_samples(tables, keys, target, span)
            for place, value in leaves(target, skip=_KNOWN["Target"]):
                tables.add("extras", run=run, entry=len(rows), path=place, text=value)
    missing = checks.threads(whole(span, "ThreadCount"), found, asked.each)
    if missing:
        problems.append((span.sourceline, f"{missing}: their sum is no total, and is left out"))
    problems += _add_totals(tables, run, span, asked, rows, whole_run=not missing)
    _add_cpu(tables, run, span)
    for place, value in leaves(span, skip=_KNOWN["TimeSpan"]):
        tables.add("extras", run=run, path=place, text=value)
    for line, problem in problems:
        if problem:
            tables.note(problem, line=offset + line, severity="warning", run=run)
    later = _later_attributes(span)
    if later:
        message = f"figures of a later version in the buckets are left out: {later}"
        tables.note(message, line=offset + span.find("Iops").sourceline, run=run)
    if _has_garbage(span):
        message = "latencies of the buckets are left out: they are sure only with -L"
        tables.note(message, line=offset + span.find("Iops").sourceline, run=run)


def _figures(target: Element) -> Figures:
    """Read one thread on one target, by direction; only where I/O happened."""
    figures = {}
    for direction, amount, count, mean, _, prefix in _DIRECTIONS:
        row = {
            "io_bytes": whole(target, amount),
            "total_ios": whole(target, count),
            "iops_stddev": number(target, f"Iops/{prefix}IopsStdDev"),
            "lat_mean_ns": nanoseconds(target, f"{mean}LatencyMilliseconds"),
            "lat_stddev_ns": nanoseconds(target, f"{prefix}LatencyStdev"),
        }
        if row["io_bytes"] is None or row["total_ios"] is None:
            raise MalformedError(target, f"a Target of the results has no {amount} or no {count}")
        if row["total_ios"]:
            figures[direction] = row
    total = figures.get("total")
    if total:
        parts = [figures[name] for name in ("read", "write") if name in figures]
        _pool(total, parts)
    return figures


def _pool(total: dict[str, Any], parts: Sequence[Mapping[str, Any]]) -> None:
    """Make the mean and deviation that 2.2 leaves out; the parts are all the I/O there was."""
    n = sum(part["total_ios"] for part in parts)
    means = [part["lat_mean_ns"] for part in parts]
    if total["lat_mean_ns"] is not None or not n or None in means:
        return
    mean = sum(part["lat_mean_ns"] * part["total_ios"] for part in parts) / n
    total["lat_mean_ns"] = mean
    if total["lat_stddev_ns"] is None and all(part["lat_stddev_ns"] is not None for part in parts):
        squares = sum(
            part["total_ios"] * (part["lat_stddev_ns"] ** 2 + (part["lat_mean_ns"] - mean) ** 2)
            for part in parts
        )
        total["lat_stddev_ns"] = (squares / n) ** 0.5


def _add_io(
    tables: Tables,
    keys: dict[str, Any],
    conditions: Conditions,
    figures: Figures,
    seconds: float | None,
) -> None:
    for direction, row in figures.items():
        tables.add(
            "io",
            **keys,
            direction=direction,
            **conditions,
            **row,
            runtime_s=seconds,
            iops=row["total_ios"] / seconds if seconds else None,
            bw_bytes_per_s=row["io_bytes"] / seconds if seconds else None,
        )


def _add_totals(
    tables: Tables,
    run: int,
    span: Element,
    asked: Asked,
    rows: list[Row],
    *,
    whole_run: bool,
) -> Iterator[tuple[int, str | None]]:
    """Add the rows of the whole run: summed where the parts are all there is, else as printed."""
    keys = {"run": run, "entry": len(rows) + 1, "scope": "total"}
    percentiles = list(_percentiles(span))
    extremes = {(d, p): value for d, p, value in percentiles if p in (0, 100)}
    figures = {}
    for direction, _, _, _, mean, prefix in _DIRECTIONS:
        parts = [row[direction] for _, _, row in rows if direction in row]
        if parts:
            figures[direction] = {
                "io_bytes": sum(part["io_bytes"] for part in parts),
                "total_ios": sum(part["total_ios"] for part in parts),
                "iops_stddev": number(span, f"Iops/{prefix}IopsStdDev"),
                "lat_min_ns": extremes.get((direction, 0)),
                "lat_max_ns": extremes.get((direction, 100)),
                "lat_mean_ns": nanoseconds(span, f"Latency/{mean}Milliseconds"),
                "lat_stddev_ns": nanoseconds(span, f"Latency/{prefix}LatencyStdev"),
            }
    if whole_run:
        conditions = asked.for_total({path: size for path, size, _ in rows})
        _add_io(tables, keys, conditions, figures, number(span, "TestTimeSeconds"))
        for direction, total in figures.items():
            threads = [row[direction] for _, _, row in rows if direction in row]
            yield span.sourceline, _of(direction, checks.means(threads, total))
    yield span.sourceline, checks.falling(percentiles)
    for direction, percentile, value in percentiles:
        tables.add(
            "percentiles",
            **keys,
            direction=direction,
            latency="lat",
            percentile=percentile,
            value_ns=value,
        )
    _add_samples(tables, keys, span, span)
    latency = span.find("Latency")
    if latency is not None:
        for name, bins in latency.attrib.items():
            tables.add("extras", run=run, path=f"Latency/@{name}", text=bins)
        for place, text_ in leaves(latency, "Latency/", skip=_RUN_LATENCIES):
            tables.add("extras", run=run, path=place, text=text_)


def _of(direction: str, problem: str | None) -> str | None:
    return problem and f"{direction}: {problem}"


def _percentiles(span: Element) -> Iterator[tuple[str, float, float]]:
    for bucket in span.iterfind("Latency/Bucket"):
        percentile = number(bucket, "Percentile")
        for direction in ("read", "write", "total"):
            value = nanoseconds(bucket, f"{direction.title()}Milliseconds")
            if percentile is not None and value is not None:
                yield direction, percentile, value


def _add_samples(tables: Tables, keys: dict[str, Any], place: Element, span: Element) -> None:
    """Add the buckets of ``-D``: I/Os per second, and latencies where they were measured."""
    buckets = place.findall("Iops/Bucket") if tables.wants("samples") else []
    measured = span.find("Latency") is not None
    columns: dict[str, list[Any]] = {"direction": [], "quantity": [], "time_s": [], "value": []}
    for bucket in buckets:
        end = _attribute(bucket, "SampleMillisecond")
        for direction in ("read", "write", "total"):
            word = direction.title()
            values = [("iops", _attribute(bucket, word))]
            for quantity, name in _BUCKET_LATENCIES if measured else ():
                milliseconds = _attribute(bucket, f"{word}{name}")
                # 0.000 is what stands where there was no such I/O
                values.append((quantity, from_milliseconds(milliseconds) if milliseconds else None))
            for quantity, value in values:
                if value is not None and end is not None:
                    columns["direction"].append(direction)
                    columns["quantity"].append(quantity)
                    columns["time_s"].append(end / 1000)
                    columns["value"].append(value)
    if columns["value"]:
        tables.extend("samples", columns, **keys)


def _has_garbage(span: Element) -> bool:
    """Say whether buckets have latencies without ``-L``: 2.0.20a to 2.1 make them up."""
    if span.find("Latency") is not None:
        return False
    names = [f"{word}{name}" for word in ("Read", "Write") for _, name in _BUCKET_LATENCIES]
    return any(
        _attribute(bucket, name) for bucket in span.iterfind("Iops/Bucket") for name in names
    )


def _later_attributes(span: Element) -> str:
    """Name what a bucket says beside what is known."""
    names = [name for _, name in _BUCKET_LATENCIES]
    known = {"SampleMillisecond"}
    known.update(f"{d}{name}" for d in ("Read", "Write", "Total") for name in ("", *names))
    first = span.find("Iops/Bucket")
    return "" if first is None else ", ".join(name for name in first.attrib if name not in known)


def _attribute(element: Element, name: str) -> float | None:
    value = element.get(name)
    return None if value is None else to_number(value, element, name)


def _add_cpu(tables: Tables, run: int, span: Element) -> None:
    count = 0
    for cpu in span.iterfind("CpuUtilization/*"):
        if cpu.tag not in ("CPU", "Average"):
            continue
        average = cpu.tag == "Average"
        count += not average
        place = "CpuUtilization/" + ("Average/" if average else f"CPU[{count}]/")
        for path, value in leaves(cpu, place, skip=_CPU):
            tables.add("extras", run=run, path=path, text=value)
        tables.add(
            "cpu",
            run=run,
            group=whole(cpu, "Group"),
            cpu="average" if average else text(cpu, "Id"),
            usage_pct=number(cpu, "UsagePercent"),
            user_pct=number(cpu, "UserPercent"),
            kernel_pct=number(cpu, "KernelPercent"),
            idle_pct=number(cpu, "IdlePercent"),
        )
