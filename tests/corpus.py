"""Every file of ../shared/corpus against what is known of it.

A file is read, or refused with a reason. What ``truths.json`` says of it (read from the files by
other means) must stand in the frames: the reports of dd in `io`, or in `samples` if a later report
of the same dd followed; timings and hyperfine's results in `timings`; fio's and DISKSPD's rows.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import fiotools as ft
from tests.physics import each, read_all

DIRECTIONS = ("read", "write", "total")
CORPUS = Path(__file__).parents[2] / "shared" / "corpus"
needs_corpus = pytest.mark.skipif(
    not CORPUS.is_dir(), reason="the corpus (../shared/corpus) does not lie beside the project"
)


@dataclass
class Outcome:
    """What came of one file."""

    path: Path
    results: ft.Results | None = None
    refusal: str = ""
    disagreements: list[str] = field(default_factory=list)


def outcomes() -> tuple[list[Outcome], ft.Results]:
    """Read every file, and hold it to what is known of it; give what all of them hold, too."""
    found, truths = [], {}
    for folder in ("dd-time", "diskspd", "fio"):
        root = CORPUS / folder
        known = json.loads((root / "truths.json").read_text(encoding="utf-8"))
        if folder == "fio":
            rows: dict[str, list[Any]] = {}
            for row in known:
                rows.setdefault(row["file"], []).append(row)
            known = rows
        with (root / "MANIFEST.tsv").open(encoding="utf-8") as lines:
            for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
                found.append(Outcome(root / row["file"]))
                truths[found[-1].path] = folder, known.get(row["file"])
    # at once, which takes a quarter of the time
    results, failures = read_all([one.path for one in found])
    read = each(results)
    refused = {failure.path: str(failure) for failure in failures}
    for one in found:
        name = one.path.as_posix()
        one.refusal = refused.get(name, "")
        one.results = None if one.refusal else read[name]  # a refusal may be a note as well
        folder, truth = truths[one.path]
        if one.results is not None and truth is not None:
            compare = {"dd-time": dd_time, "diskspd": diskspd, "fio": fio}[folder]
            one.disagreements = list(compare(one.results, truth))
    return found, results


def close(one: Any, other: Any, relative: float = 1e-9) -> bool:
    """Say whether two figures are the same; None is a figure that is not there."""
    if one is None or other is None or one != one or other != other:
        return (one is None or one != one) and (other is None or other != other)
    return math.isclose(float(one), float(other), rel_tol=relative, abs_tol=1e-12)


def dd_time(results: ft.Results, truth: dict[str, Any]) -> Iterator[str]:
    """Compare reports of dd, their progress, timings and hyperfine's results."""
    known, seen = known_reports(truth), read_reports(results)
    if "interleaved" in truth:  # whose records are whose is known only where it is certain
        known, seen = (sorted(one[:2] for one in reports) for reports in (known, seen))
    if known != seen:
        yield f"dd reports {seen}, not {known}"
    samples = set(zip(results.samples["value"], results.samples["time_s"], strict=True))
    for one in truth.get("progress", ()):
        if (one["bytes"], one["seconds"]) not in samples:
            yield f"progress {one} is not in samples"
    if "results" in truth:
        yield from hyperfine(results, truth["results"])
        return
    names = ("real", "user", "sys")
    times = [
        tuple(timing.get(name) for name in names)
        for part in (truth, truth.get("dd") or {}, *truth.get("parts", ()))
        for timing in part.get("time", ())
    ]
    given = results.timings[[f"{name}_s" for name in names]].astype(object).to_numpy().tolist()
    same = len(times) == len(given) and all(
        close(a, b)
        for one, other in zip(times, given, strict=True)
        for a, b in zip(one, other, strict=True)
    )
    if times and not same:
        yield f"timings {given}, not {times}"


Report = tuple[Any, Any, Any, Any]  # bytes, seconds, records in and out


def known_reports(truth: dict[str, Any]) -> list[Report]:
    """List the reports of dd in their order."""
    reports = list(truth.get("byte_lines_in_order_of_appearance", []))
    for part in (truth, truth.get("dd") or {}, *truth.get("parts", [])):
        reports += part.get("reports", [])
    reports += truth.get("by_host", {}).values()
    return [
        (
            one.get("bytes"),
            one.get("seconds"),
            *("{}+{}".format(*one[key]) if key in one else None for key in ("in", "out")),
        )
        for one in reports
    ]


def read_reports(results: ft.Results) -> list[Report]:
    """List the same of each run, and of the earlier reports in samples and extras."""
    extras = {(row.run, row.path): row.text for row in results.extras.itertuples()}
    reports: list[Report] = []
    for run in results.runs[results.runs["tool"] == "dd"].itertuples():
        samples = results.samples[results.samples["run"] == run.run]
        amounts = results.io[results.io["run"] == run.run]["io_bytes"].tolist()
        earlier = [(int(one.value), one.time_s) for one in samples.itertuples()][:-1]
        for at in range(max(len(earlier), 20)):
            records = extras.get((run.run, f"samples.{at}.records_in"))
            if records:
                figures = earlier[at] if earlier else (None, None)
                reports.append((*figures, records, extras[run.run, f"samples.{at}.records_out"]))
        seconds = float(extras.get((run.run, "seconds"), run.duration_s))
        none = 0 if (run.run, "bytes") in extras else None
        last = (
            int(amounts[0]) if amounts else none,
            None if math.isnan(seconds) else seconds,
            extras.get((run.run, "records_in")),
            extras.get((run.run, "records_out")),
        )
        reports.append(last)
    return reports


def hyperfine(results: ft.Results, truth: list[dict[str, Any]]) -> Iterator[str]:
    """Compare the mean of every command, and all figures where none is rounded."""
    timings = results.timings
    # tables and terminals have no median, and tenths of a millisecond
    is_rounded = not results.extras["path"].str.endswith("median").any()
    figures = dict(zip(results.extras["path"], results.extras["text"], strict=True))
    for index, want in enumerate(truth):
        for name in () if is_rounded else want:
            told = figures.get(f"results/{index}/{name}")
            if name != "command" and not close(told and float(told), want[name]):
                yield f"{want['command']}: {name} {told}, not {want[name]}"
        rows = timings[timings["command"] == want["command"]]
        mean = rows["real_mean_s"].dropna()
        got = mean.iloc[0] if len(mean) else rows["real_s"].astype(float).mean()
        if not close(got, want["mean"], 0.00005 / want["mean"] if is_rounded else 1e-6):
            yield f"{want['command']}: mean {got}, not {want['mean']}"


def fio(results: ft.Results, truth: list[dict[str, Any]]) -> Iterator[str]:
    """Compare the rows of fio's JSON."""
    for want in truth:
        rows = results.io[
            (results.io["entry"] == want["index"] + 1)
            & (results.io["direction"] == want["op"])
            & (results.io["job"] == want["job"])
        ]
        place = f"{want['job']} {want['op']}"
        if len(rows) != 1:
            yield f"{place}: {len(rows)} rows"
            continue
        row = rows.iloc[0]
        # 2.1 printed whole numbers of KiB a second, cut off
        slack = 0 if want["bw_source"] == "bw_bytes" else 1023.999
        if not 0 <= row["bw_bytes_per_s"] - want["bw_bytes"] <= slack:
            yield f"{place}: bw {row['bw_bytes_per_s']}, not {want['bw_bytes']}"
        for name, got, scale in (
            ("iops", row["iops"], 1),
            ("total_ios", row["total_ios"], 1),
            ("clat_mean_ns", row["clat_mean_ns"], 1),
            ("runtime_ms", row["runtime_s"] * 1000, 1),
        ):
            if want[name] is not None and not close(got * scale, want[name], 1e-6):
                yield f"{place}: {name} {got}, not {want[name]}"
        p99 = results.percentiles[
            (results.percentiles["entry"] == want["index"] + 1)
            & (results.percentiles["direction"] == want["op"])
            & (results.percentiles["latency"] == "clat")
            & (results.percentiles["percentile"] == 99)
        ]["value_ns"]
        error = results.jobs.loc[results.jobs["entry"] == want["index"] + 1, "error"].iloc[0]
        if error != want["error"]:
            yield f"{place}: error {error}, not {want['error']}"
        if want["clat_p99_ns"] is not None and not close(p99.squeeze(), want["clat_p99_ns"]):
            yield f"{place}: p99 {p99.squeeze()}, not {want['clat_p99_ns']}"


def with_totals(io: pd.DataFrame) -> pd.DataFrame:
    """Give reads, writes and their total; where nothing tells them apart, `mixed` is the total."""
    rows = pd.concat([io[io["direction"] != "mixed"], ft.totals(io)], ignore_index=True)
    return rows.sort_values(["run", "entry"], kind="stable")


def diskspd(results: ft.Results, truth: dict[str, Any]) -> Iterator[str]:
    """Compare every thread, the totals, what was printed of them, percentiles and buckets."""
    yield from buckets(results, truth.get("iops_buckets"))
    for run, span in enumerate(truth.get("timespans") or truth["runs"], 1):
        tables = {name: frame[frame["run"] == run] for name, frame in results.tables.items()}
        io, threads = (with_totals(tables[name]) for name in ("io", "threads"))
        yield from printed_total(tables["extras"], span.get("total"))
        parts = [*parts_of(span["threads"])]
        for direction in DIRECTIONS:
            place = f"run {run} {direction}"
            expected = span.get(direction)
            yield from row_of(place, io[io["direction"] == direction], expected)
            yield from chart(place, tables["percentiles"], direction, expected or {})
            rows = threads[threads["direction"] == direction]
            known = [(number, part) for number, part in parts if part.get(direction)]
            if len(rows) != sum(part[direction]["ios"] > 0 for _, part in known):
                yield f"{place}: {len(rows)} rows of threads"
            for number, part in known:
                mine = rows[rows["thread"] == number]
                if "path" in part:
                    path = re.sub(r" \(\d+\w+\)$", "", part["path"])
                    mine = mine[mine["target"] == path]
                yield from row_of(f"{place} thread {number}", mine, part[direction])


def parts_of(threads: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give threads, or their targets, with their numbers."""
    if isinstance(threads, dict):
        yield from ((int(number), part) for number, part in threads.items())
    else:
        for thread in threads:
            yield from ((thread["id"], part) for part in thread.get("targets", [thread]))


def row_of(place: str, rows: pd.DataFrame, expected: dict[str, Any] | None) -> Iterator[str]:
    """Compare one row; where nothing happened there is none."""
    if expected is None:
        return
    if len(rows) != (expected["ios"] > 0):
        yield f"{place}: {len(rows)} rows"
        return
    for row in rows.to_dict("records"):
        amounts = row["io_bytes"], row["total_ios"]
        if amounts != (expected["bytes"], expected["ios"]):
            yield f"{place}: {amounts}, not {expected}"
        halves = 2 if row["direction"] == "total" else 1  # a sum of two rounded numbers
        same = {
            "MiB_s": (row["bw_bytes_per_s"] / 2**20, 0.0051 * halves),
            "iops": (row["iops"], 0.0051 * halves),
            "avg_ms": (row["lat_mean_ns"] / 1e6, 0.0011),
            "lat_stddev": (row["lat_stddev_ns"] / 1e6, 0.0011),
        }
        if row["direction"] != "total":
            same["iops_stddev"] = row["iops_stddev"], 0.0051
        for key, (value, slack) in same.items():
            if expected.get(key) and not abs(value - expected[key]) <= slack:
                yield f"{place}: {key} {value}, not {expected[key]}"


def printed_total(extras: pd.DataFrame, expected: dict[str, Any] | None) -> Iterator[str]:
    """Compare what stands in extras as the total of the run."""
    printed = dict(zip(extras["path"], extras["text"], strict=True))
    named = {"bytes": "io_bytes", "ios": "total_ios", "iops": "iops", "iops_stddev": "iops_stddev"}
    if expected and "total.total_ios" in printed:
        for key, name in named.items():
            if want := expected.get(key):
                told = float(printed[f"total.{name}"])
                if not abs(told - want) <= 0.0051:
                    yield f"printed {name} {told}, not {want}"


def chart(
    place: str, percentiles: pd.DataFrame, direction: str, expected: dict[str, Any]
) -> Iterator[str]:
    """Compare percentiles of the run."""
    rows = percentiles[(percentiles["direction"] == direction) & (percentiles["entry"] == 1)]
    found = dict(zip(rows["percentile"], rows["value_ns"], strict=True))
    for key, level in {"p50_ms": 50, "p99_ms": 99, "p99_9_ms": 99.9, "max_ms": 100}.items():
        want = expected.get(key)
        if want is not None and found.get(level) != round(want * 1e6):
            yield f"{place}: {key} {found.get(level)}, not {want}"


def buckets(results: ft.Results, expected: dict[str, Any] | None) -> Iterator[str]:
    """Compare the samples of the run."""
    if expected:
        iops = results.samples[results.samples["quantity"] == "iops"]
        rates = iops.groupby("time_s")["value"].sum()
        found = len(rates), rates.index[0] * 1000, rates.iloc[0], rates.iloc[-1], rates.mean()
        names = ("n", "interval_ms", "first_total", "last_total", "mean_total")
        for name, value, slack in zip(names, found, (0, 1e-6, 0.011, 0.011, 0.051), strict=True):
            if not abs(value - expected[name]) <= slack:
                yield f"samples: {name} {value}, not {expected[name]}"
