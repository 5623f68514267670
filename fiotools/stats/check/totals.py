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
from fiotools.language import called, listed, say
from fiotools.stats.check.evidence import Evidence, Finding, keep_options
from fiotools.stats.check.latencies import BINS, CENT, ROUNDED, Curve, Row
from fiotools.stats.check.runs import SYNC_ENGINES, RunFacts, directions
from fiotools.units import human

_BASIS = "arithmetic on the report's own numbers, within their printed digits"
_COARSE = 0.11  # fio's report for people cuts "19.9GiB" down to "19.0GiB"
_CONTRADICTION = re.compile(
    r"is not bytes / seconds|are recomputed|printed rate is kept|numbers are kept as printed"
    r"|I/O per s is not|threads sum to|of the threads make|records of one size"
    r"|is not that of its times"
)
# an amount, its rate and its unit, and what to say if they do not fit the time
_AMOUNTS = (
    ("io_bytes", "bw_bytes_per_s", "B", "{subject}: {rate} for {time} is not {amount}"),
    ("total_ios", "iops", "", "{subject}: {rate} for {time} is not {amount} I/Os"),
)
_GROUP = re.compile(
    r"bw=(?P<rate>[\d.]+\w+)/s .*io=(?P<moved>[\d.]+\w+) .*run=\d+-(?P<took>\d+)msec"
)
_LITTLE = "Little's law: I/Os in flight = rate x latency"
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
Answer = str | None  # to one question: the contradiction, or None


def parts(run: RunFacts, _known: Evidence) -> Iterator[Finding]:
    """Compare sums, rates and products of a run with each other."""
    answers = [*_sums(run), *_rates(run), *_blocks(run), *_printed(run), *_inside(run)]
    answers += [*_groups(run), *_clocks(run)]
    if not run.io and not any(answers):
        return
    wrong, probe = [what for what in answers if what], Finding("parts", "run", _BASIS)
    if wrong:
        why = wrong[0]
        if more := len(wrong) - 1:
            why = say("{reason} (and {n} more)", reason=why, n=more)
        remedy = say("go back to the raw output: a number was edited, lost or added up twice")
        yield probe.of(float(len(wrong)), 0.0).suspect(why, remedy)
    elif answers:
        yield probe.of(0.0, 0.0).ok(say("{n} sums, products and rates agree", n=len(answers)))
    else:
        why = say("the report has no two numbers that depend on each other")
        yield probe.unknown(why, say("keep the whole output, with bytes and times"))


def _slack(run: RunFacts, exact: float = 0.02) -> float:
    """Return the share that printing may have cut off."""
    return _COARSE if run.head["format"] == "fio_normal" else exact


def _rates(run: RunFacts) -> Iterator[Answer]:
    """Check that bytes and I/Os are their rates x time."""
    share = _slack(run)
    for row in run.io:
        for amount, rate, unit, template in _AMOUNTS:
            moved, pace, took = row[amount], row[rate], row["runtime_s"]
            if not moved or pace is None or took is None:
                continue
            # a millisecond, a KiB/s and one I/O more or less
            slack = share * moved + 0.0015 * pace + 1024 * took + (amount == "total_ios")
            said = say(
                template,
                subject=run.subject(row, say),
                rate=human(pace, f"{unit or 1}/s"),
                time=human(took, "s"),
                amount=_amount(moved, unit),
            )
            yield None if abs(pace * took - moved) <= slack else said


def _blocks(run: RunFacts) -> Iterator[Answer]:
    """Check that bytes are I/Os x their one size; without amounts, check the rates."""
    share = _slack(run)
    for row in run.io if run.tool != "dd" else ():
        block, ios, moved = row["bs_bytes"], row["total_ios"], row["io_bytes"]
        iops, rate = row["iops"], row["bw_bytes_per_s"]
        if not block:
            continue
        words = {"subject": run.subject(row, say), "size": human(block, "B")}
        if ios and moved and not row["short_ios"]:
            words |= {"n": f"{ios:,}", "amount": human(moved, "B")}
            said = say("{subject}: {n} I/Os of {size} are not {amount}", **words)
            flying = (row["iodepth"] or 1) * (row["numjobs"] or 1)
            yield None if abs(ios * block - moved) <= share * moved + flying * block else said
        if not (ios and moved) and iops and rate is not None:
            words |= {"iops": human(iops, "1/s"), "rate": human(rate, "B/s")}
            said = say("{subject}: {iops} of {size} are not {rate}", **words)
            # one I/O a second was cut off, or half a digit rounded
            yield None if abs(iops * block - rate) <= share * rate + block else said


def _sums(run: RunFacts) -> Iterator[Answer]:
    """Check that threads, targets and clients add up, and reads and writes."""
    share = _slack(run, exact=1e-9)
    for amount, _, unit, _ in _AMOUNTS:
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
                said = say(
                    "{direction}: the {scope}s' {amount} add up to {sum}, the total is {total}",
                    direction=called(str(direction)),
                    scope=say(scope),
                    amount=amount,
                    sum=_amount(added, unit),
                    total=_amount(whole, unit),
                )
                yield None if abs(added - whole) <= share * whole else said
        for found in ways.values():
            if {"read", "write", "total"} <= found.keys():
                both = found["read"] + found["write"]
                said = say(
                    "read and write add up to {sum} of {amount}, the total differs",
                    sum=_amount(both, unit),
                    amount=amount,
                )
                yield None if abs(both - found["total"]) <= 1e-9 * found["total"] else said


def _printed(run: RunFacts) -> Iterator[Answer]:
    """Repeat what the reader noted: it had the digits as they were printed."""
    told = [row["message"] or "" for row in run.tables["notes"] if row["severity"] == "warning"]
    for text in told:
        if _CONTRADICTION.search(text):
            yield called(text.partition(";")[0])
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
        said = say(
            "{subject}: {rate} for {time} is not {amount}",
            subject=called(row["path"]),
            rate=human(rate, "B/s"),
            time=human(took, "s"),
            amount=human(moved, "B"),
        )
        fits = abs(rate * took - moved) <= _COARSE * moved + 0.0015 * rate
        yield None if fits else said


def _clocks(run: RunFacts) -> Iterator[Answer]:
    """Check that dd ran no longer than `time` says."""
    real = run.timing["real_s"] if run.timing else None
    took = max((row["runtime_s"] or 0.0 for row in run.io), default=0.0)
    if run.tool != "dd" or not real or not took:
        return
    words = {"took": human(took, "s"), "real": human(real, "s")}
    said = say("dd ran for {took}, its whole command for {real}", **words)
    yield None if took <= 1.01 * real + 0.02 else said


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
    why = say(
        "fio ran for {elapsed}, its longest job did I/O for {longest}: the rest is not reported",
        elapsed=human(whole, "s"),
        longest=human(max(times), "s"),
    )
    remedy = say("look for startdelay, a long layout of files, or a phase that was left out")
    basis = "fio's elapsed against its run times"
    yield Finding("elapsed", "run", basis, float(whole), shown, "s").unknown(why, remedy)


def _amount(value: float, unit: str) -> str:
    return human(value, unit) if unit else f"{value:,.0f}"


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
            name = f"{latency}, {run.subject(row, say)}"
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


def _outside(name: str, curve: Curve, least: float, most: float) -> Iterator[Answer]:
    """Check that percentiles lie between the least and the greatest."""
    low, high = (1 - BINS) * least - ROUNDED, (1 + BINS) * most + ROUNDED
    for percentile, value in curve:
        if not low <= value <= high:
            yield say(
                "{name}: percentile {percentile} is {value}, but all I/Os took {least} to {most}",
                name=name,
                percentile=units.percentile(percentile),
                value=human(value, "ns"),
                least=human(least, "ns"),
                most=human(most, "ns"),
            )
            return
    if curve:
        yield None


def _mean(name: str, mean: float, shares: list[Span], one: float) -> Iterator[Answer]:
    """Check that the mean lies where the shares allow."""
    if len(shares) < 2:
        return
    off = one / 100 * max(high for _, _, high in shares)  # an I/O more or less
    low = sum(share * lo for share, lo, _ in shares) / 100 * (1 - BINS) - off - ROUNDED
    high = sum(share * hi for share, _, hi in shares) / 100 * (1 + BINS) + off + ROUNDED
    said = say(
        "{name}: the mean is {mean}, but its own bins or percentiles allow {low} to {high}",
        name=name,
        mean=human(mean, "ns"),
        low=human(max(low, 0.0), "ns"),
        high=human(high, "ns"),
    )
    yield None if low <= mean <= high else said


def _off(name: str, curve: Curve, shares: list[Span], one: float) -> Iterator[Answer]:
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
            yield say(
                "{name}: percentile {percentile} is {value}, where its own bins have {low} to "
                "{high} %",
                name=name,
                percentile=units.percentile(percentile),
                value=human(value, "ns"),
                low=f"{faster:.3g}",
                high=f"{up_to:.3g}",
            )
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
        return _unknown(run.subject(rows[0]), say("no row of reads or writes"))
    slowest = max(part["lat_max_ns"] or 0.0 for part in parts)
    longest = max(part["runtime_s"] or 0.0 for part in parts)
    row = {**parts[0], "direction": None, "lat_max_ns": slowest}
    depth, jobs = run.depth(row), run.jobs(row)
    if any(part["lat_mean_ns"] is None or part["total_ios"] is None for part in parts):
        missing = say("no mean total latency (lat) or no count of I/Os")
        return _unknown(run.subject(row), missing)
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
    subject = run.subject(row)
    if not depth:
        missing = say("the depth and the number of jobs are not in the report")
        return _unknown(subject, missing)
    if inflight is None or not runtime:
        return _unknown(subject, say("rate, latency or run time are not in the report"))
    tail = (row.get("lat_max_ns") or 0.0) / 1e9 / runtime
    printed = 0.0 if run.tool == "fio" else (row["iops"] or 0.0) * _HALF_DIGIT / 1e9
    probe = Finding("little", subject, _LITTLE, inflight, float(depth))
    said = say(
        "{inflight} of {depth} requested I/Os were in flight on average",
        inflight=f"{inflight:.4g}",
        depth=depth,
    )
    if inflight > _SLACK * depth + tail + printed:
        if runtime >= _SHORT:
            return probe.impossible(
                say("{said}: rate, latency and depth cannot all be right", said=said),
                say("look for a number that was edited, added up twice or read in another unit"),
            )
        lasted = units.human(runtime, "s")
        why = say("{said}, in {time}: too short to tell", said=said, time=lasted)
        return probe.unknown(why, say("run for longer than 1 s"))
    if inflight >= 0.9 * depth:
        return probe.ok(said)
    causes = [f"ioengine={row['ioengine']}"] if row["ioengine"] in SYNC_ENGINES else []
    causes += run.given(row["entry"], _BRAKES)
    if causes:
        template = "{said}: {causes} keeps the queue from filling"
        return probe.ok(say(template, said=said, causes=listed(causes)))
    return probe.ok(said, say("the queue was not kept full; that alone is not a fault"))


def _unknown(subject: str, missing: str) -> Finding:
    why = say("Little's law cannot be applied: {missing}", missing=missing)
    return Finding("little", subject, _LITTLE).unknown(why, keep_options())


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
    probe = Finding("depth", run.subject(row), "fio, HOWTO: iodepth and ioengine")
    one = probe.of(1.0, float(asked))
    words = {"n": asked, "engine": engine}
    if run.option(row["entry"], "io_submit_mode") == "offload":
        why = say(
            "iodepth={n} with ioengine={engine}: fio's own threads submit (io_submit_mode=offload)",
            **words,
        )
        return probe.ok(why)
    if engine in SYNC_ENGINES:
        why = say(
            "iodepth={n} with ioengine={engine}, which has one I/O in flight: the depth had no "
            "effect",
            **words,
        )
        return one.suspect(why, say("use ioengine=io_uring or libaio with direct=1, or more jobs"))
    is_direct = run.direct(row)
    if engine == "libaio" and is_direct is False:
        why = say(
            "iodepth={n} with ioengine={engine} and direct=0: Linux then waits in io_submit, so "
            "the depth had no effect",
            **words,
        )
        return one.suspect(why, say("set direct=1, or use io_uring"))
    if engine == "libaio" and is_direct is None:
        why = say(
            "iodepth={n} with ioengine={engine}: the report does not tell whether direct=1 was set",
            **words,
        )
        return probe.of(None, float(asked)).unknown(why, keep_options())
    return probe.ok(say("iodepth={n} with ioengine={engine}, which can keep it", **words))


def _submission(run: RunFacts, row: Row, parts: list[Row]) -> Iterator[Finding]:
    """Note where the time went into submitting: then clat means nothing, and lat is the value."""
    jobs = run.jobs(row)
    known = [part for part in parts if part["slat_mean_ns"] and part["iops"]]
    if not jobs or not known or len(known) < len(parts):
        return
    share = sum(part["iops"] * part["slat_mean_ns"] / 1e9 for part in known) / jobs
    if not 0.9 <= share <= 1.1:
        return
    basis = "I/Os per second x mean submission latency / jobs"
    yield Finding("submission", run.subject(row), basis, 100 * share, 90.0, "%").ok(
        say(
            "submission-bound: the job spent {share} % of its time submitting",
            share=f"{100 * share:.0f}",
        ),
        say("use lat, not clat: clat begins when the work is done"),
    )
