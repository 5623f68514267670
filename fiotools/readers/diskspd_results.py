"""What one ``Results/TimeSpan`` of DISKSPD's XML holds, as rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fiotools.readers import diskspd_checks as checks
from fiotools.readers.diskspd_buckets import ATTRIBUTES, DIRECTIONS, Buckets, Source
from fiotools.readers.diskspd_elements import Fields, MalformedError, nanoseconds
from fiotools.readers.diskspd_options import Asked
from fiotools.readers.diskspd_samples import add_percentiles, add_samples, extremes

if TYPE_CHECKING:
    from fiotools.tables import Tables

Figures = dict[str, dict[str, Any]]  # by direction
Row = tuple[str | None, int | None, Figures]  # path, size, what a thread did there

# each of read, write and total
_AMOUNTS = ("ReadBytes", "ReadCount", "WriteBytes", "WriteCount", "BytesCount", "IOCount")
_IOPS = ("ReadIopsStdDev", "WriteIopsStdDev", "IopsStdDev")
_TARGET_LATENCIES = (
    *("AverageReadLatencyMilliseconds", "AverageWriteLatencyMilliseconds"),
    *("AverageLatencyMilliseconds", "ReadLatencyStdev", "WriteLatencyStdev", "LatencyStdev"),
)
_RUN_LATENCIES = (
    *("AverageReadMilliseconds", "AverageWriteMilliseconds", "AverageTotalMilliseconds"),
    *("ReadLatencyStdev", "WriteLatencyStdev", "LatencyStdev"),
)
_USAGE = ("UsagePercent", "UserPercent", "KernelPercent", "IdlePercent")
# what has columns of its own; everything else goes to extras, also what a later version adds
_KNOWN = {
    "TimeSpan": ("TestTimeSeconds", "CpuUtilization", "Latency", "Iops", "Thread"),
    "Thread": ("Id", "Target"),
    "Target": ("Path", "FileSize", "Iops", *_AMOUNTS, *_TARGET_LATENCIES),
    "Latency": (*_RUN_LATENCIES, "Bucket"),
    "CPU": ("Id", "Group", *_USAGE),
}


def add_results(
    tables: Tables, run: int, span: Fields, source: Source, asked: Asked, offset: int
) -> None:
    """Add everything that one run measured.

    Parameters
    ----------
    tables : Tables
    run : int
    span : Fields
        The ``TimeSpan``.
    source : Source
        Its buckets.
    asked : Asked
        What the profile says of it.
    offset : int
        Lines of the file above the XML.
    """
    seconds = span.number("TestTimeSeconds")
    if seconds is not None and seconds < 0:
        raise MalformedError(span.all("TestTimeSeconds")[0].line, "TestTimeSeconds is below 0")
    problems: list[tuple[int, str | None]] = []
    if not seconds:
        problems.append((span.line, "no TestTimeSeconds: rates are missing"))
    measured = bool(span.all("Latency"))
    extras = _Extras(tables, run)
    rows: list[Row] = []
    found: list[tuple[int | None, int]] = []
    sampled: list[tuple[dict[str, Any], Buckets]] = []
    threads = span.below("Thread")
    amounts = iter(threads.all_wholes("Target", ("FileSize", *_AMOUNTS)))
    latencies = iter(threads.all_numbers("Target", _TARGET_LATENCIES))
    for thread in span.all("Thread"):
        name, targets = thread.whole("Id"), thread.all("Target")
        found.append((name, len(targets)))
        extras.add_below(thread, _KNOWN["Thread"], f"Thread[{name}]/")
        for target in targets:
            size, *moved = next(amounts)
            path, figures = target.text("Path"), _figures(target, moved, next(latencies))
            rows.append((path, size, figures))
            keys = {"entry": len(rows), "thread": name, "target": path, "scope": "thread"}
            conditions = asked.of(path)
            if size is not None:
                conditions = {**conditions, "size_bytes": size}
            _add_io(tables, {"run": run, **keys, **conditions}, figures, seconds)
            block = conditions.get("bs_bytes")
            problems += [
                (target.line, checks.parts(figures, "this target")),
                (target.line, checks.blocks((row, block) for row in figures.values())),
            ]
            if tables.wants("samples"):
                sampled.append((keys, source.sampled(target, measured=measured)))
            extras.add_below(target, _KNOWN["Target"], entry=len(rows))
    missing = checks.threads(span.whole("ThreadCount"), found, asked.each)
    if missing:
        problems.append((span.line, f"{missing}: their sum is no total, and is left out"))
    problems += _add_totals(tables, run, span, source, asked, rows, whole_run=not missing)
    if tables.wants("samples"):
        total = {"entry": len(rows) + 1, "scope": "total"}
        sampled.append((total, source.sampled(span, measured=measured)))
        add_samples(tables, run, sampled, measured=measured)
    for latency in span.all("Latency")[:1]:
        extras.add((f"Latency/@{name}", bins) for name, bins in latency.attributes())
        extras.add_below(latency, _KNOWN["Latency"], "Latency/")
    _add_cpu(tables, run, span, extras)
    extras.add_below(span, _KNOWN["TimeSpan"])
    extras.close()
    for line, problem in problems:
        if problem:
            tables.note(problem, line=offset + line, severity="warning", run=run)
    later = ", ".join(name for name in source.named(span) if name not in ATTRIBUTES)
    if later:
        message = f"figures of a later version in the buckets are left out: {later}"
        tables.note(message, line=offset + span.all("Iops")[0].line, run=run)
    # 2.0.20a to 2.1 make them up
    if not measured and source.has_latencies(span):
        message = "latencies of the buckets are left out: they are sure only with -L"
        tables.note(message, line=offset + span.all("Iops")[0].line, run=run)


class _Extras:
    """Rows of `extras` of one run, which are many."""

    def __init__(self, tables: Tables, run: int) -> None:
        self._tables, self._run = tables, run
        self._rows: list[tuple[int | None, str, str]] = []

    def add(self, found: Iterable[tuple[str, str]], entry: int | None = None) -> None:
        """Add values with their paths."""
        if self._tables.wants("extras"):
            self._rows += [(entry, path, text) for path, text in found]

    def add_below(
        self, place: Fields, known: tuple[str, ...], prefix: str = "", entry: int | None = None
    ) -> None:
        """Add what stands in an element and has no column of its own."""
        if not place.are(known):
            self.add(((prefix + path, text) for path, text in place.leaves(known)), entry)

    def close(self) -> None:
        """Put the rows into the table."""
        if self._rows:
            entries, paths, texts = map(list, zip(*self._rows, strict=True))
            columns = {"entry": entries, "path": paths, "text": texts}
            self._tables.extend("extras", columns, run=self._run)


def _figures(
    target: Fields, amounts: Sequence[int | None], latencies: Sequence[float | None]
) -> Figures:
    """Sort the figures of one thread on one target by direction; only where I/O happened."""
    spread = target.below("Iops").numbers(_IOPS)
    figures = {}
    for at, direction in enumerate(DIRECTIONS):
        moved, count = amounts[2 * at : 2 * at + 2]
        if moved is None or count is None:
            names = " or no ".join(_AMOUNTS[2 * at : 2 * at + 2])
            raise MalformedError(target.line, f"a Target of the results has no {names}")
        if count:
            figures[direction] = {
                "io_bytes": moved,
                "total_ios": count,
                "iops_stddev": spread[at],
                "lat_mean_ns": nanoseconds(latencies[at]),
                "lat_stddev_ns": nanoseconds(latencies[at + 3]),
            }
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
    tables: Tables, keys: Mapping[str, Any], figures: Figures, seconds: float | None
) -> None:
    for direction, row in figures.items():
        tables.add(
            "io",
            **keys,
            direction=direction,
            **row,
            runtime_s=seconds,
            iops=row["total_ios"] / seconds if seconds else None,
            bw_bytes_per_s=row["io_bytes"] / seconds if seconds else None,
        )


def _add_totals(
    tables: Tables,
    run: int,
    span: Fields,
    source: Source,
    asked: Asked,
    rows: list[Row],
    *,
    whole_run: bool,
) -> Iterator[tuple[int, str | None]]:
    """Add the rows of the whole run: summed where the parts are all there is, else as printed."""
    keys = {"run": run, "entry": len(rows) + 1, "scope": "total"}
    curve = source.curve(span)
    ends = extremes(curve)
    spread = span.below("Iops").numbers(_IOPS)
    latencies = span.below("Latency").numbers(_RUN_LATENCIES)
    figures = {}
    for at, direction in enumerate(DIRECTIONS):
        parts = [row[direction] for _, _, row in rows if direction in row]
        if parts:
            figures[direction] = {
                "io_bytes": sum(part["io_bytes"] for part in parts),
                "total_ios": sum(part["total_ios"] for part in parts),
                "iops_stddev": spread[at],
                "lat_min_ns": ends.get((direction, 0)),
                "lat_max_ns": ends.get((direction, 100)),
                "lat_mean_ns": nanoseconds(latencies[at]),
                "lat_stddev_ns": nanoseconds(latencies[at + 3]),
            }
    if whole_run:
        conditions = asked.for_total({path: size for path, size, _ in rows})
        _add_io(tables, {**keys, **conditions}, figures, span.number("TestTimeSeconds"))
        for direction, total in figures.items():
            threads = [row[direction] for _, _, row in rows if direction in row]
            yield span.line, _of(direction, checks.means(threads, total))
    yield span.line, add_percentiles(tables, keys, curve)


def _of(direction: str, problem: str | None) -> str | None:
    return problem and f"{direction}: {problem}"


def _add_cpu(tables: Tables, run: int, span: Fields, extras: _Extras) -> None:
    found = span.below("CpuUtilization")
    rows: list[tuple[Any, ...]] = []
    for name in ("CPU", "Average"):
        usage = found.all_numbers(name, _USAGE)
        for count, (cpu, shares) in enumerate(zip(found.all(name), usage, strict=True), 1):
            place = f"CPU[{count}]" if name == "CPU" else name
            extras.add_below(cpu, _KNOWN["CPU"], f"CpuUtilization/{place}/")
            which = cpu.text("Id") if name == "CPU" else "average"
            rows.append((cpu.whole("Group"), which, *shares))
    if rows:
        names = ("group", "cpu", "usage_pct", "user_pct", "kernel_pct", "idle_pct")
        columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
        tables.extend("cpu", columns, run=run)
