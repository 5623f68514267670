"""Every file of ../shared/corpus against what is known of it: `python -m tests.corpus` prints counts.

A file is read, or refused with a reason. What ``truths.json`` says of it (read from the files by
other means) must stand in the frames: the reports of dd in `io`, or in `samples` if a later report
of the same dd followed; timings and hyperfine's results in `timings`; fio's and DISKSPD's rows.
"""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import fiotools as ft
from tests.physics import each, read_all

CORPUS = Path(__file__).parents[2] / "shared" / "corpus"
needs_corpus = pytest.mark.skipif(
    not CORPUS.is_dir(), reason="the corpus (../shared/corpus) does not lie beside the project"
)


@dataclass
class Outcome:
    """What came of one file."""

    path: Path
    tool: str
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
                found.append(Outcome(root / row["file"], _tool(folder, row)))
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


def _tool(folder: str, row: dict[str, str]) -> str:
    """Name the tool of a file as the table of counts has it."""
    name = row["file"].rpartition("/")[2]
    if folder == "fio":
        kind = row["kind"]
        return (
            "fio logs" if kind.startswith("log") else f"fio {kind.partition('-')[0].strip('345+')}"
        )
    if folder == "diskspd":
        if "crystaldiskmark" in row["kind"]:
            return "CrystalDiskMark"
        return "diskspd-for-linux" if "linux" in row["kind"] else row["kind"].split(" ")[0]
    for word in ("hyperfine", "transcript", "python-timeit", "wild"):
        if name.startswith(word):
            return {"wild": "dd and time, wild"}.get(word, word)
    return "dd" if "-dd-" in name else "time"


def close(one: Any, other: Any, relative: float = 1e-9) -> bool:
    """Say whether two figures are the same; None is a figure that is not there."""
    if one is None or other is None or one != one or other != other:
        return (one is None or one != one) and (other is None or other != other)
    return math.isclose(float(one), float(other), rel_tol=relative, abs_tol=1e-12)


def dd_time(results: ft.Results, truth: dict[str, Any]) -> Iterator[str]:
    """Compare reports of dd, timings and hyperfine's results; what a truth leaves out is unknown."""
    truths = [truth, truth.get("dd", {}), *truth.get("parts", ())]
    named = ("reports", "byte_lines_in_order_of_appearance", "progress")
    listed = {
        name: [one for part in truths for one in part.get(name, ())]
        for name in named
        if any(name in part for part in truths)
    }
    listed["by_host"] = list(truth.get("by_host", {}).values())
    yield from reports(results, listed)
    if "results" in truth:
        yield from hyperfine(results, truth["results"])
        return
    names = ("real", "user", "sys")
    times = [
        tuple(timing.get(name) for name in names)
        for part in truths
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


def reports(results: ft.Results, listed: dict[str, list[Any]]) -> Iterator[str]:
    """Compare what dd printed: every report is there, and nothing else is."""
    wanted = [
        (one["bytes"], one["seconds"])
        for name in listed
        if name != "progress"
        for one in listed[name]
        if one.get("bytes") is not None
    ]
    progress = [(one["bytes"], one["seconds"]) for one in listed.get("progress", ())]
    dd = set(results.runs.loc[results.runs["tool"] == "dd", "run"])
    rows = results.io[results.io["run"].isin(dd)]
    final = list(zip(rows["io_bytes"], rows["runtime_s"], strict=True))
    sampled = results.samples[results.samples["quantity"] == "io_bytes"]
    earlier = list(zip(sampled["value"], sampled["time_s"], strict=True))

    def among(one: Any, others: list[Any]) -> bool:
        # a time of 0 is one that was not measured
        return any(
            close(one[0], other[0]) and close(one[1] or None, other[1] or None) for other in others
        )

    for want in wanted:
        if want[0] and not among(want, [*earlier, *final]):
            yield f"dd report {want} is not there"
    for got in final:
        if wanted and not among(got, wanted):
            yield f"dd row {got} is not in the file"
    for got in earlier:
        if progress and not among(got, [*wanted, *progress]):
            yield f"dd sample {got} is not in the file"


def hyperfine(results: ft.Results, truth: list[dict[str, Any]]) -> Iterator[str]:
    """Compare the mean of every command."""
    timings = results.timings
    # tables and terminals have no median, and tenths of a millisecond
    is_rounded = not results.extras["path"].str.endswith("median").any()
    for want in truth:
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
    """Compare bytes and I/Os of every thread, and the totals (test_corpus_diskspd has the rest)."""
    for run, span in enumerate(truth.get("timespans") or truth["runs"], 1):
        io, of_threads = (
            table[table["run"] == run]
            for table in (with_totals(results.io), with_totals(results.threads))
        )
        threads = span["threads"]
        parts = (
            [part for thread in threads for part in thread.get("targets", [thread])]
            if isinstance(threads, list)
            else list(threads.values())
        )
        for direction in ("read", "write", "total"):
            mine = of_threads[of_threads["direction"] == direction]
            want = [
                (part[direction]["bytes"], part[direction]["ios"])
                for part in parts
                if part.get(direction) and part[direction]["ios"]
            ]
            got = list(zip(mine["io_bytes"], mine["total_ios"], strict=True))
            if sorted(want) != sorted(got):
                yield f"run {run} {direction}: threads {got}, not {want}"
            total = io[io["direction"] == direction]
            if span.get(direction) and span[direction]["ios"]:
                want = [(span[direction]["bytes"], span[direction]["ios"])]
                got = list(zip(total["io_bytes"], total["total_ios"], strict=True))
                if want != got:
                    yield f"run {run} {direction}: total {got}, not {want}"


def table(every: list[Outcome]) -> str:
    """Count by tool: files, read, refused with a reason, with a truth that disagrees."""
    lines = [f"{'tool':22}{'files':>7}{'read':>7}{'refused':>9}{'disagreeing':>13}"]
    tools = sorted({one.tool for one in every})
    for tool in [*tools, "all"]:
        mine = [one for one in every if tool in (one.tool, "all")]
        read = sum(one.results is not None for one in mine)
        wrong = sum(bool(one.disagreements) for one in mine)
        lines.append(f"{tool:22}{len(mine):7}{read:7}{len(mine) - read:9}{wrong:13}")
    return "\n".join(lines)


def main() -> int:
    """Print the counts, every refusal and every disagreement."""
    if not CORPUS.is_dir():
        sys.exit("there is no ../shared/corpus beside the project")
    every, _ = outcomes()
    for one in every:
        if one.refusal:
            print("refused:", one.refusal.replace(CORPUS.as_posix() + "/", "")[:160])
    for one in every:
        for what in one.disagreements:
            print("disagrees:", one.path.name, what[:200])
    print(table(every))
    return 0


if __name__ == "__main__":
    sys.exit(main())
