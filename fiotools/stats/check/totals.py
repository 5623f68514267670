"""Whether a run's numbers fit together: parts and wholes, rates, means and bins, Little's law.

Counts and bytes add up exactly; a rate is compared with what its own printed digits allow. fio's
text cuts off digits, and counts bytes when they are sent, I/Os when they are done.

Between two percentiles lie the I/Os of that share, none faster than the one nor slower than the
other: so a curve bounds the mean from both sides, and so do bins.

Little's law: rate x latency I/Os are in flight, and no more than asked for. In fio that is the sum
over directions of I/Os x mean total latency, divided by the time that the jobs ran. `job_runtime`
is summed over the jobs of a group and the phases of a job, so the result is the depth of ONE job;
if it is missing (before 3.8, and in text) the longest direction stands for it, and the result is
the depth of all jobs together. DISKSPD: I/Os per second x mean latency, against outstanding x
threads x targets.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise, repeat
from typing import Any

from fiotools import units
from fiotools.stats.check.evidence import Evidence, Finding
from fiotools.stats.check.latencies import BINS, CENT, ROUNDED, Curve, Row
from fiotools.stats.check.outcomes import Phrase, Values, phrase
from fiotools.stats.check.runs import SYNC_ENGINES, RunFacts, directions

_COARSE = 0.11  # fio's report for people cuts "19.9GiB" down to "19.0GiB"
# an amount, its rate, and in which words it stands
_AMOUNTS = (("io_bytes", "bw_bytes_per_s", "bytes"), ("total_ios", "iops", "ios"))
_GROUP = re.compile(
    r"bw=(?P<rate>[\d.]+\w+)/s .*io=(?P<moved>[\d.]+\w+) .*run=\d+-(?P<took>\d+)msec"
)
_SLACK = 1.05  # of Little's law
_SHORT = 1.0  # s: below, the ends of a run weigh as much as the run
_CRYSTAL = 5.0  # s: the time of each measurement of CrystalDiskMark, which does not print it
_HALF_DIGIT = 500.0  # ns: DISKSPD prints 0.001 ms
_MIXED = ("rw", "randrw", "readwrite", "trimwrite", "randtrimwrite")
# options that keep a queue from being full
_BRAKES = (
    *("rate", "rate_iops", "rate_min", "thinktime", "fsync", "fdatasync", "sync"),
    *("io_submit_mode", "iodepth_batch", "iodepth_low", "latency_target"),
    *("Target/Throughput", "Target/ThinkTime", "-g", "-i"),
)

Span = tuple[float, float, float]  # percent of the I/Os, from where and to where they lie, in ns
Answer = Phrase | None  # to one question: the contradiction, or None


def parts(run: RunFacts, _known: Evidence) -> Iterator[Finding]:
    """Compare sums, rates and products of a run with each other."""
    answers = [*_sums(run), *_rates(run), *_blocks(run), *_printed(run), *_inside(run)]
    answers += [*_groups(run), *_clocks(run)]
    if not run.io and not any(answers):
        return
    wrong, probe = [what for what in answers if what], Finding("parts", "run")
    if len(wrong) > 1:
        several = probe.of(float(len(wrong)), 0.0)
        yield several.found("several_wrong", reason=wrong[0], more=len(wrong) - 1)
    elif wrong:
        yield probe.of(1.0, 0.0).found("wrong", reason=wrong[0])
    elif answers:
        yield probe.of(0.0, 0.0).found("agree", n=len(answers))
    else:
        yield probe.found("alone")


def _slack(run: RunFacts, exact: float = 0.02) -> float:
    """Return the share that printing may have cut off."""
    return _COARSE if run.head["format"] == "fio_normal" else exact


def _rates(run: RunFacts) -> Iterator[Answer]:
    """Check that bytes and I/Os are their rates x time."""
    share = _slack(run)
    for row in run.io:
        for amount, rate, what in _AMOUNTS:
            moved, pace, took = row[amount], row[rate], row["runtime_s"]
            if not moved or pace is None or took is None:
                continue
            # a millisecond, a KiB/s and one I/O more or less
            slack = share * moved + 0.0015 * pace + 1024 * took + (amount == "total_ios")
            if abs(pace * took - moved) <= slack:
                yield None
            else:
                yield phrase(what, subject=run.named(row), rate=pace, time=took, amount=moved)


def _blocks(run: RunFacts) -> Iterator[Answer]:
    """Check that bytes are I/Os x their one size; without amounts, check the rates."""
    share = _slack(run)
    for row in run.io if run.tool != "dd" else ():
        block, ios, moved = row["bs_bytes"], row["total_ios"], row["io_bytes"]
        iops, rate = row["iops"], row["bw_bytes_per_s"]
        if not block:
            continue
        if ios and moved and not row["short_ios"]:
            flying = (row["iodepth"] or 1) * (row["numjobs"] or 1)
            if abs(ios * block - moved) <= share * moved + flying * block:
                yield None
            else:
                yield phrase("blocks", subject=run.named(row), n=ios, size=block, amount=moved)
        if not (ios and moved) and iops and rate is not None:
            # one I/O a second was cut off, or half a digit rounded
            if abs(iops * block - rate) <= share * rate + block:
                yield None
            else:
                yield phrase(
                    "block_rates", subject=run.named(row), iops=iops, size=block, rate=rate
                )


def _sums(run: RunFacts) -> Iterator[Answer]:
    """Check that threads, targets and clients add up, and reads and writes."""
    share = _slack(run, exact=1e-9)
    for amount, _, what in _AMOUNTS:
        scopes: dict[str, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
        ways: dict[tuple[object, ...], dict[str, float]] = defaultdict(dict)
        for row in run.io:
            scopes[row["direction"]][row["scope"]].append(row[amount])
            if row[amount] is not None:
                place = (row["entry"], row["scope"], row["thread"], row["target"])
                ways[place][row["direction"]] = row[amount]
        for direction, own in scopes.items():
            for scope in ("thread", "client"):
                pieces, wholes = own[scope], own["total"]
                if not pieces or len(wholes) != 1 or None in (*pieces, *wholes):
                    continue
                added, whole = sum(pieces), wholes[0]
                told = {"direction": str(direction), "scope": scope, "amount": amount}
                said = phrase(f"scope_{what}", **told, sum=added, total=whole)
                yield None if abs(added - whole) <= share * whole else said
        for found in ways.values():
            if {"read", "write", "total"} <= found.keys():
                both = found["read"] + found["write"]
                said = phrase(f"ways_{what}", sum=both, amount=amount)
                yield None if abs(both - found["total"]) <= 1e-9 * found["total"] else said


def _printed(run: RunFacts) -> Iterator[Answer]:
    """Repeat what the reader noted: it had the digits as they were printed."""
    for row in run.tables["notes"]:
        if row["severity"] == "warning" and row["code"] == "contradiction":
            yield phrase("noted", message=row["message"])
    if run.tool == "dd" and any(row["path"] == "rate" for row in run.tables["extras"]):
        yield None


def _groups(run: RunFacts) -> Iterator[Answer]:
    """Check fio's sums over a group, which its text prints last, as rows are checked."""
    for row in run.tables["extras"]:
        found = _GROUP.match(row["text"] or "")
        if run.head["format"] != "fio_normal" or not found:
            continue
        rate, moved = (units.size(found[name]) for name in ("rate", "moved"))
        took = float(found["took"]) / 1000
        said = phrase("bytes", subject=row["path"], rate=rate, time=took, amount=moved)
        fits = abs(rate * took - moved) <= _COARSE * moved + 0.0015 * rate
        yield None if fits else said


def _clocks(run: RunFacts) -> Iterator[Answer]:
    """Check that dd ran no longer than `time` says."""
    real = run.timing["real_s"] if run.timing else None
    took = max((row["runtime_s"] or 0.0 for row in run.io), default=0.0)
    if run.tool != "dd" or not real or not took:
        return
    yield None if took <= 1.01 * real + 0.02 else phrase("clocks", took=took, real=real)


def elapsed(run: RunFacts, _known: Evidence) -> Iterator[Finding]:
    """Find a fio run that took much longer than any of its jobs did I/O."""
    whole = run.head["duration_s"]
    times = [row["runtime_s"] for row in run.io if row["runtime_s"]]
    groups = {row["group"] for row in run.io}
    if run.tool != "fio" or whole is None or not times or len(groups) > 1:
        return
    if whole <= 1.5 * max(times) + 5:
        return
    try:
        ramp = units.seconds(run.all_options.get("ramp_time", "0"))
    except ValueError:  # several, or one of a day: the time left to explain is not certain
        return
    shown = max(times) + ramp
    if whole <= 1.5 * shown + 5:
        return
    probe = Finding("elapsed", "run", float(whole), shown, "s")
    yield probe.found("longer", elapsed=whole, longest=max(times))


def _inside(run: RunFacts) -> Iterator[Answer]:
    """Compare means and percentiles with the curve and the bins."""
    for row in run.io:
        for latency in ("clat", "lat"):
            least, mean, most = (row[f"{latency}_{name}_ns"] for name in ("min", "mean", "max"))
            if least is None or mean is None or most is None or not row["total_ios"]:
                continue
            agreeing = run.latencies.agreeing(row, latency)
            if agreeing is not None:
                yield from repeat(None, agreeing)
                continue
            name = {"latency": latency, "subject": run.named(row)}
            one = 100 / row["total_ios"]
            curve, bins = run.curves(row).get(latency, []), run.bins(row).get(latency, [])
            yield from _outside(name, curve, least, most)
            points = pairwise([(0.0, least), *curve, (100.0, most)])
            yield from _mean(name, mean, [(b - a, v, w) for (a, v), (b, w) in points], one)
            shares = _shares(bins, least, most)
            # hundredths of a percent are rounded up, counts are not
            is_cut = any(bin_["count"] is None for bin_ in bins)
            off = max(one, CENT * len(shares)) if is_cut else one
            yield from _mean(name, mean, shares, off)
            yield from _off(name, curve, shares, off)


def _shares(bins: list[Row], least: float, most: float) -> list[Span]:
    """Return the shares of bins, by size; the share that no bin has lies anywhere."""
    counts = [row["pct"] if row["count"] is None else row["count"] for row in bins]
    if not counts or None in counts or any(row["time_s"] is not None for row in bins):
        return []
    whole = sum(counts) if bins[0]["pct"] is None else max(100.0, sum(counts))
    spans = sorted(
        (row["bin_lo_ns"], min(row["bin_hi_ns"] or most, most), 100 * count / whole)
        for count, row in zip(counts, bins, strict=True)
        if count
    )
    rest = 100.0 - sum(share for *_, share in spans)
    return [(rest, least, most), *((share, low, high) for low, high, share in spans)]


def _outside(name: Values, curve: Curve, least: float, most: float) -> Iterator[Answer]:
    """Check that percentiles lie between the least and the greatest."""
    low, high = (1 - BINS) * least - ROUNDED, (1 + BINS) * most + ROUNDED
    for percentile, value in curve:
        if not low <= value <= high:
            told = {"percentile": units.percentile(percentile), "value": value}
            yield phrase("outside", **name, **told, least=least, most=most)
            return
    if curve:
        yield None


def _mean(name: Values, mean: float, shares: list[Span], one: float) -> Iterator[Answer]:
    """Check that the mean lies where the shares allow."""
    if len(shares) < 2:
        return
    off = one / 100 * max(high for _, _, high in shares)  # an I/O more or less
    low = sum(share * lo for share, lo, _ in shares) / 100 * (1 - BINS) - off - ROUNDED
    high = sum(share * hi for share, _, hi in shares) / 100 * (1 + BINS) + off + ROUNDED
    said = phrase("mean", **name, mean=mean, low=max(low, 0.0), high=high)
    yield None if low <= mean <= high else said


def _off(name: Values, curve: Curve, shares: list[Span], one: float) -> Iterator[Answer]:
    """Check that each percentile lies in its bin, or beside it."""
    if not curve or not shares:
        return
    (rest, *_), *spans = shares
    slack = one + rest
    edges = [low for _, low, _ in spans]
    for percentile, value in curve:
        at = bisect(edges, value) - 1
        faster = sum(share for share, *_ in spans[: max(at - 1, 0)])
        up_to = sum(share for share, *_ in spans[: at + 2])
        if not faster - slack <= percentile <= up_to + slack:
            told = {"percentile": units.percentile(percentile), "value": value}
            yield phrase("off", **name, **told, low=faster, high=up_to)
            return
    yield None


def little(run: RunFacts, _known: Evidence) -> Iterator[Finding]:
    """Compare the I/Os in flight with the depth that was asked for."""
    if run.tool == "fio":
        for job, rows in run.entries():
            yield _fio(run, job, rows)
        return
    rows = run.wholes()
    # one direction of a mixture has not all I/Os of the queue
    for row in [row for row in rows if row["direction"] == "total"] or rows:
        if row["direction"] is not None and row["lat_mean_ns"] is not None:
            depth, threads = row["iodepth"], row["numjobs"]
            whole = None if depth is None or threads is None else depth * threads
            flight = None if row["iops"] is None else row["iops"] * row["lat_mean_ns"] / 1e9
            took = _CRYSTAL if run.tool == "crystaldiskmark" else row["runtime_s"]
            yield _judge(run, row, flight, whole, took)


def _fio(run: RunFacts, job: Row, rows: list[Row]) -> Finding:
    parts = directions(rows)
    if not parts:
        return Finding("little", run.subject(rows[0])).found("no_row")
    slowest = max(part["lat_max_ns"] or 0.0 for part in parts)
    longest = max(part["runtime_s"] or 0.0 for part in parts)
    row = {**parts[0], "direction": None, "lat_max_ns": slowest}
    depth, jobs = run.depth(row), run.jobs(row)
    if any(part["lat_mean_ns"] is None or part["total_ios"] is None for part in parts):
        return Finding("little", run.subject(row)).found("no_latency")
    busy = [part["total_ios"] * part["lat_mean_ns"] / 1e9 for part in parts]
    if job.get("job_runtime_s"):
        return _judge(run, row, sum(busy) / job["job_runtime_s"], depth, longest)
    if not longest or jobs is None or depth is None:
        return _judge(run, row, None, None, longest)
    # verifying comes after writing, and then the two are not in flight together
    together = row["rw"] in _MIXED or len(parts) == 1
    inflight = sum(busy) / longest if together else max(busy) / longest
    return _judge(run, row, inflight, depth * jobs, longest)


def _judge(
    run: RunFacts, row: Row, inflight: float | None, depth: int | None, runtime: float | None
) -> Finding:
    probe = Finding("little", run.subject(row))
    if not depth:
        return probe.found("no_depth")
    if inflight is None or not runtime:
        return probe.found("no_rate")
    tail = (row.get("lat_max_ns") or 0.0) / 1e9 / runtime
    printed = 0.0 if run.tool == "fio" else (row["iops"] or 0.0) * _HALF_DIGIT / 1e9
    probe, told = probe.of(inflight, float(depth)), {"inflight": inflight, "depth": depth}
    if inflight > _SLACK * depth + tail + printed:
        if runtime >= _SHORT:
            return probe.found("contradiction", **told)
        return probe.found("short", **told, time=runtime)
    if inflight >= 0.9 * depth:
        return probe.found("full", **told)
    causes = [f"ioengine={row['ioengine']}"] if row["ioengine"] in SYNC_ENGINES else []
    causes += run.given(row["entry"], _BRAKES)
    return (
        probe.found("braked", **told, causes=causes) if causes else probe.found("not_full", **told)
    )


def depth(run: RunFacts, _known: Evidence) -> Iterator[Finding]:
    """Find where the depth had no effect, and where submitting took all the time."""
    if run.tool != "fio":
        return
    for _, rows in run.entries():
        row = {**rows[0], "direction": None}
        asked, engine = row["iodepth"], row["ioengine"]
        if asked is not None and asked > 1 and engine is not None:
            yield _asked(run, row, asked, engine)
        yield from _submission(run, row, directions(rows))


def _asked(run: RunFacts, row: Row, asked: int, engine: str) -> Finding:
    probe, told = Finding("depth", run.subject(row)), {"n": asked, "engine": engine}
    one = probe.of(1.0, float(asked))
    if run.option(row["entry"], "io_submit_mode") == "offload":
        return probe.found("offload", **told)
    if engine in SYNC_ENGINES:
        return one.found("one", **told)
    is_direct = run.direct(row)
    if engine == "libaio" and is_direct is False:
        return one.found("buffered", **told)
    if engine == "libaio" and is_direct is None:
        return probe.of(None, float(asked)).found("untold", **told)
    return probe.found("kept", **told)


def _submission(run: RunFacts, row: Row, parts: list[Row]) -> Iterator[Finding]:
    """Note where the time went into submitting: then clat means nothing, and lat is the value."""
    jobs = run.jobs(row)
    known = [part for part in parts if part["slat_mean_ns"] and part["iops"]]
    if not jobs or not known or len(known) < len(parts):
        return
    share = sum(part["iops"] * part["slat_mean_ns"] / 1e9 for part in known) / jobs
    if not 0.9 <= share <= 1.1:
        return
    probe = Finding("submission", run.subject(row), 100 * share, 90.0, "%")
    yield probe.found("bound", share=100 * share)
