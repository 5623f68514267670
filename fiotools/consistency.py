"""Whether a file's figures fit together: the same questions of every file, whatever tool wrote it.

A reader holds what is printed against what it follows from; what is asked here needs no knowledge
of the format. A contradiction becomes a note, and the figures stay as the file has them; a run that
its reader warns of is left alone, for the reader knows the line. The slack is what the coarsest
format rounds away, so that an honest file is never blamed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fiotools.tables import Tables

_SLACK = 0.02
_KINDS = ("slat", "clat", "lat")
Row = Mapping[str, Any]
Problem = tuple[int | None, str]


def check(tables: Tables) -> None:
    """Note what contradicts itself in the tables of one file."""
    asked = (_rates, _latencies, _percentiles, _bins, _totals, _shares)
    found = dict.fromkeys(problem for question in asked for problem in question(tables))
    warned = {
        row["run"]
        for row in _rows(tables, "notes", "run", "severity")
        if row["severity"] == "warning"
    }
    for run, message in found:
        if run not in warned:
            said = f"{message}: the figures are kept as printed"
            tables.note(said, severity="warning", run=run)


def _rows(tables: Tables, table: str, *names: str) -> Iterator[Row]:
    """Give the rows of a table as mappings of a few columns."""
    for size, columns in tables.blocks.get(table, ()):
        lists: Sequence[Sequence[Any]] = [columns.get(name) or [None] * size for name in names]
        for values in zip(*lists, strict=True):
            yield dict(zip(names, values, strict=True))


def _place(row: Row) -> str:
    name = row.get("job") or row.get("thread") or row.get("scope") or row.get("entry")
    return " ".join(str(part) for part in (row.get("direction"), f"of {name}") if part)


def _rates(tables: Tables) -> Iterator[Problem]:
    """Ask whether amounts are rates x time, and bytes I/Os x their size."""
    names = ("run", "entry", "direction", "scope", "job", "thread")
    sizes = ("bs_bytes", "iodepth", "numjobs")
    amounts = ("io_bytes", "total_ios", "runtime_s", "iops", "bw_bytes_per_s")
    for row in _rows(tables, "io", *names, *sizes, *amounts):
        figures = [row[name] for name in amounts if row[name] is not None]
        if any(not isfinite(value) or value < 0 for value in figures):
            yield row["run"], f"{_place(row)}: an amount or a rate is negative or infinite"
            continue
        for amount, rate, unit in (
            ("io_bytes", "bw_bytes_per_s", "bytes / s"),
            ("total_ios", "iops", "I/Os / s"),
        ):
            if row[amount] and row[rate] is not None and row["runtime_s"] is not None:
                # a millisecond, a KiB/s and one I/O more or less
                slack = _SLACK * row[amount] + 0.0015 * row[rate] + 1024 * row["runtime_s"]
                if abs(row[rate] * row["runtime_s"] - row[amount]) > slack + (amount != "io_bytes"):
                    yield row["run"], f"{_place(row)}: {unit} x time is not the {amount}"
        block, ios, size = row["bs_bytes"], row["total_ios"], row["io_bytes"]
        # fio counts bytes when they are sent, I/Os when they are done
        flying = (row["iodepth"] or 1) * (row["numjobs"] or 1)
        if block and ios and size and size > (ios + flying) * block * (1 + _SLACK):
            yield row["run"], f"{_place(row)}: more bytes than I/Os x block size"


def _latencies(tables: Tables) -> Iterator[Problem]:
    """Ask whether the least, the mean and the greatest are in order."""
    names = [f"{kind}_{stat}_ns" for kind in _KINDS for stat in ("min", "mean", "max", "stddev")]
    for row in _rows(tables, "io", "run", "entry", "direction", "scope", "job", "thread", *names):
        for kind in _KINDS:
            low, mean, high, stddev = (
                row[f"{kind}_{stat}_ns"] for stat in ("min", "mean", "max", "stddev")
            )
            known = [value for value in (low, mean, high) if value is not None]
            # printed to a unit of its own each, so the last digits need not agree
            if any(a > b * (1 + _SLACK) + 1000 for a, b in pairwise(known)):
                yield row["run"], f"{_place(row)}: {kind} min <= mean <= max does not hold"
            if None not in (low, high, stddev) and stddev > (high - low) * (1 + _SLACK) + 1000:
                yield row["run"], f"{_place(row)}: {kind} stddev is greater than its range"
            if any(value < 0 for value in (*known, stddev or 0)):
                yield row["run"], f"{_place(row)}: a {kind} is negative"
        clat, lat = row["clat_mean_ns"], row["lat_mean_ns"]
        if None not in (clat, lat) and clat > lat * (1 + _SLACK) + 1000:
            yield row["run"], f"{_place(row)}: clat is longer than lat, which it is a part of"


def _percentiles(tables: Tables) -> Iterator[Problem]:
    """Ask whether percentiles rise."""
    keys = ("run", "entry", "direction", "scope", "target", "job", "thread", "latency")
    curves = defaultdict(list)
    for row in _rows(tables, "percentiles", *keys, "percentile", "value_ns"):
        key = tuple(row[name] for name in keys)
        curves[key].append((row["percentile"], row["value_ns"]))
    for key, curve in curves.items():
        row = dict(zip(keys, key, strict=True))
        # the same percentile twice is in the order in which it stands
        curve.sort(key=lambda point: point[0])
        values = [value for _, value in curve if value is not None]
        if any(a > b for a, b in pairwise(values)):
            yield row["run"], f"{_place(row)}: the percentiles of {row['latency']} fall"
        if any(not 0 <= percentile <= 100 for percentile, _ in curve):
            yield row["run"], f"{_place(row)}: a percentile is not within 0 and 100"


def _bins(tables: Tables) -> Iterator[Problem]:
    """Ask whether a histogram holds every I/O once."""
    keys = ("run", "entry", "direction")
    ios = {
        tuple(row[name] for name in keys): row["total_ios"]
        for row in _rows(tables, "io", *keys, "total_ios")
    }
    sums: dict[tuple[Any, ...], int | None] = {}
    for row in _rows(tables, "bins", *keys, "latency", "count"):
        key = (*(row[name] for name in keys), row["latency"])
        before = sums.get(key, 0)
        sums[key] = None if before is None or row["count"] is None else before + row["count"]
    for (run, entry, direction, latency), total in sums.items():
        wanted = ios.get((run, entry, direction))
        if latency != "slat" and total and wanted and abs(total - wanted) > _SLACK * wanted + 1:
            yield run, f"{direction} of entry {entry}: its bins hold {total:,} of {wanted:,} I/Os"


def _totals(tables: Tables) -> Iterator[Problem]:
    """Ask whether parts add up to the total that stands beside them."""
    sums: dict[tuple[Any, ...], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for row in _rows(tables, "io", "run", "direction", "scope", "io_bytes", "total_ios"):
        if row["scope"] in ("thread", "total"):
            for amount in ("io_bytes", "total_ios"):
                if row[amount] is not None:
                    sums[row["run"], row["direction"], amount][row["scope"]] += row[amount]
    for (run, direction, amount), scopes in sums.items():
        if len(scopes) == 2 and abs(scopes["thread"] - scopes["total"]) > 1e-6 * scopes["total"]:
            yield run, f"{direction}: the threads' {amount} do not add up to the total"


def _shares(tables: Tables) -> Iterator[Problem]:
    """Ask whether a processor is busy for a hundred percent at most."""
    names = ("usage_pct", "user_pct", "kernel_pct", "idle_pct")
    for row in _rows(tables, "cpu", "run", "cpu", *names):
        usage, user, kernel, idle = (row[name] for name in names)
        if any(
            value is not None and not -1 <= value <= 101 for value in (usage, user, kernel, idle)
        ):
            yield row["run"], f"cpu {row['cpu']}: a share is not within 0 and 100 %"
        if None not in (usage, user, kernel) and abs(user + kernel - usage) > 1:
            yield row["run"], f"cpu {row['cpu']}: user and kernel are not its usage"
