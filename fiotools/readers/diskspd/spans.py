"""The time spans of DISKSPD's XML: what each was asked to do, and what it measured.

A table says which elements each column comes from. Values without a column, also those of later
versions, go to ``extras``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import compress, zip_longest
from typing import Any, NamedTuple

from lxml.etree import XMLSyntaxError, XPath

from fiotools.readers.diskspd import buckets, documents, runs
from fiotools.readers.diskspd.buckets import Cut, OddBucketsError
from fiotools.readers.diskspd.documents import (
    Element,
    MalformedError,
    attributes,
    leaves,
    line_of,
    number,
    value,
    whole,
)
from fiotools.readers.diskspd.options import Asked, Conditions, mix, pattern, plan
from fiotools.readers.diskspd.runs import WAYS, Run
from fiotools.readers.shapes import Field


class Measure(NamedTuple):
    """A column of `io` and the elements that it comes from: those of read, write and total."""

    column: str
    of_target: tuple[str, str, str]  # paths below ``Thread/Target``
    # paths below ``TimeSpan``; none where the column is summed over the targets
    of_run: tuple[str, ...] = ()


_SPREADS = ("Iops/ReadIopsStdDev", "Iops/WriteIopsStdDev", "Iops/IopsStdDev")
_AMOUNTS = (  # whole numbers, which every target has
    Measure("io_bytes", ("ReadBytes", "WriteBytes", "BytesCount")),
    Measure("total_ios", ("ReadCount", "WriteCount", "IOCount")),
)
_RATES = (  # latencies in ms with three decimals; 2.2 leaves out a target's own mean and deviation
    Measure(
        "lat_mean_ns",
        (
            *("AverageReadLatencyMilliseconds", "AverageWriteLatencyMilliseconds"),
            "AverageLatencyMilliseconds",
        ),
        (
            *("Latency/AverageReadMilliseconds", "Latency/AverageWriteMilliseconds"),
            "Latency/AverageTotalMilliseconds",
        ),
    ),
    Measure(
        "lat_stddev_ns",
        ("ReadLatencyStdev", "WriteLatencyStdev", "LatencyStdev"),
        ("Latency/ReadLatencyStdev", "Latency/WriteLatencyStdev", "Latency/LatencyStdev"),
    ),
    Measure("iops_stddev", _SPREADS, _SPREADS),
)
_USAGE = {  # columns of `cpu`, below CpuUtilization/CPU and CpuUtilization/Average
    "usage_pct": "UsagePercent",
    "user_pct": "UserPercent",
    "kernel_pct": "KernelPercent",
    "idle_pct": "IdlePercent",
}
# for the page of formats: of a thread on a target, and of the run
FIELDS = {
    "io": tuple(
        Field(
            one.column,
            ", ".join(f"Target/{path}" for path in one.of_target),
            "ms" if one.column.startswith("lat_") else "",
            rule="of the run " + (", ".join(one.of_run) or "the sum over the targets"),
        )
        for one in (*_AMOUNTS, *_RATES)
    ),
    "cpu": tuple(Field(column, f"CPU/{path}") for column, path in _USAGE.items()),
}
_AMOUNTS_OF_TARGET = [path for one in _AMOUNTS for path in one.of_target]
_RATES_OF_TARGET = [path for one in _RATES for path in one.of_target]
_RATES_OF_RUN = [path for one in _RATES for path in one.of_run]
_ABOUT = ("System/ComputerName", "System/Tool/Version", "System/RunTime")
# elements with columns of their own; everything else goes to extras
_KNOWN = {
    "TimeSpan": ("TestTimeSeconds", "CpuUtilization", "Latency", "Iops", "Thread"),
    "Thread": ("Id", "Target"),
    "Target": ("Path", "FileSize", "Iops", *_AMOUNTS_OF_TARGET, *_RATES_OF_TARGET),
    "Latency": (*(path.removeprefix("Latency/") for path in _RATES_OF_RUN), "Bucket"),
    "CPU": ("Id", "Group", *_USAGE.values()),
}
_LARGEST = 2**63 - 1  # of a sum
_BESIDE = XPath("//*[*]/text()[normalize-space()]")  # text beside elements
_MANY = 20


class NoSpanError(MalformedError):
    """The results hold no ``TimeSpan``."""


class Span(NamedTuple):
    """A time span: its run, and what is wrong with it: (line, severity, message)."""

    run: Run
    problems: list[tuple[int, str, str]]


@dataclass
class Taken:
    """The values of a document. Lines are those of the file."""

    # the machine, the version, and when it was written; empty if unknown
    about: list[str]
    spans: list[Span]
    asked: int  # how many time spans there should be
    # text beside elements, which DISKSPD does not write: (line, text)
    strays: list[tuple[int, str]]
    repaired: int | None = None  # the line of the first repair


def take(xml: str, above: int, *, samples: bool) -> Taken:
    """Take the values of a document.

    Parameters
    ----------
    xml : str
    above : int
        Lines of the file above it.
    samples : bool
        Whether the values of ``-D`` are wanted.

    Raises
    ------
    lxml.etree.XMLSyntaxError
        If it is not well-formed, and cannot be repaired.
    MalformedError
        If an element does not hold its kind of value.
    """
    try:
        return _take(xml, above, samples=samples)
    except XMLSyntaxError:
        mended = documents.mended(xml)
        if mended == xml:
            raise
    taken = _take(mended, above, samples=samples)
    pairs = zip(xml.split("\n"), mended.split("\n"), strict=True)
    repaired = next(line for line, (given, ours) in enumerate(pairs, 1) if given != ours)
    return replace(taken, repaired=above + repaired)


def _take(xml: str, above: int, *, samples: bool) -> Taken:
    with suppress(XMLSyntaxError, MalformedError, OddBucketsError):
        cut = Cut(xml)
        document = _document(cut.tree(), _Way(lambda line: above + cut.line(line), samples, cut))
        cut.close()
        return document
    # also for errors: in the whole document they stand in the right line
    return _document(documents.tree(xml), _Way(lambda line: above + line, samples))


class _Way(NamedTuple):
    """How a parsed document is read."""

    line: Callable[[int], int]  # gives the line of the file for a line of the tree
    samples: bool  # whether the values of ``-D`` are wanted
    cut: Cut | None = None  # holds the buckets, if they were cut out


def _document(root: Element, way: _Way) -> Taken:
    found = root.findall("TimeSpan")
    if not found:
        raise NoSpanError(line_of(root), "the results hold no TimeSpan")
    asked = [*_asked(root)]
    about = [value(root, path) for path in _ABOUT]
    rest = leaves(root, skip=("Profile", "TimeSpan"))
    above = [(None, path, text) for path, text in rest if path not in _ABOUT]
    spans = []
    for span, conditions in zip_longest(found, asked[: len(found)], fillvalue=Asked()):
        taken = _span(span, conditions, way)
        taken.run.extras = [*above, *taken.run.extras]
        spans.append(taken)
    beside: Any = _BESIDE(root)
    strays = [(way.line(line_of(text.getparent())), text.strip()[:200]) for text in beside[:_MANY]]
    return Taken(about, spans, max(len(found), len(asked)), strays)


def _span(span: Element, asked: Asked, way: _Way) -> Span:
    """Read a ``TimeSpan``."""
    seconds = number(span, "TestTimeSeconds")
    if seconds < 0:
        line = line_of(span.find("TestTimeSeconds"))
        raise MalformedError(line, "TestTimeSeconds is below 0")
    line = line_of(span)
    failed = span.find("Error")
    if failed is not None:
        message = (failed.text or "").strip() or "the run failed"
        run = Run(0, asked, lambda entry, direction: way.line(line), seconds)
        return Span(run, [(way.line(line_of(failed)), "error", message)])
    run = _run(span, asked, seconds, way)
    problems = []
    if not seconds > 0:
        problems.append((way.line(line), "warning", "no TestTimeSeconds: rates are missing"))
    if run.gap:
        message = f"{run.gap}: their sum is not a total, and is left out"
        problems.append((way.line(line), "warning", message))
    if of_run := run.sampled[-1]:
        line = line_of(span.find("Iops"))
        if of_run.later:
            message = "values of a later version in the buckets are left out"
            problems.append((way.line(line), "info", f"{message}: {', '.join(of_run.later)}"))
        if of_run.is_made_up:
            message = "latencies of the buckets are left out: they are sure only with -L"
            problems.append((way.line(line), "info", message))
    return Span(run, problems)


def _run(span: Element, asked: Asked, seconds: float, way: _Way) -> Run:
    """Read the results of a run."""
    threads = [(whole(thread, "Id"), thread.findall("Target")) for thread in span.findall("Thread")]
    targets = [target for _, own in threads for target in own]
    lines = [line_of(one) for one in (*targets, span)]
    amounts = _amounts(span, targets)
    cpus = span.findall("CpuUtilization/CPU")
    averages = span.findall("CpuUtilization/Average")
    measured = span.find("Latency") is not None
    percentiles = span.findall("Latency/Bucket")
    return Run(
        0,
        asked,
        lambda entry, direction: way.line(lines[entry]),
        seconds,
        threads=[name for name, own in threads for _ in own],
        targets=[value(target, "Path") or None for target in targets],
        sizes=[whole(target, "FileSize") for target in targets],
        amounts=amounts,
        rates=[
            *(number(target, path) for target in targets for path in _RATES_OF_TARGET),
            *(number(span, path) for path in _RATES_OF_RUN),
        ],
        speeds=[one / seconds if seconds > 0 else math.nan for one in amounts],
        gap=runs.gap(
            whole(span, "ThreadCount"), [(name, len(own)) for name, own in threads], asked.each
        ),
        groups=[whole(cpu, "Group") for cpu in (*cpus, *averages)],
        cpus=[value(cpu, "Id") or None for cpu in cpus] + ["average"] * len(averages),
        usage=[number(cpu, path) for cpu in (*cpus, *averages) for path in _USAGE.values()],
        extras=[*_extras(span)],
        curves=[buckets.curve(percentiles, way.cut)] if percentiles else [],
        sampled=[
            buckets.sampled(
                place.findall("Iops/Bucket"),
                way.cut,
                measured=measured,
                is_run=place is span,
                samples=way.samples,
            )
            for place in (*targets, span)
        ],
        is_measured=measured,
    )


def _amounts(span: Element, targets: Sequence[Element]) -> list[int]:
    """Read the amounts of each target, and sum them for the run: the XML has no totals."""
    amounts: list[int] = []
    for target in targets:
        found = [whole(target, path) for path in _AMOUNTS_OF_TARGET]
        for way in range(WAYS):
            if None in found[way::WAYS]:
                names = " or no ".join(_AMOUNTS_OF_TARGET[way::WAYS])
                raise MalformedError(line_of(target), f"a Target of the results has no {names}")
        amounts += [amount for amount in found if amount is not None]
    if sum(amounts) > _LARGEST:
        raise MalformedError(line_of(span), "all I/O together is more than 64 bits can count")
    width = len(_AMOUNTS_OF_TARGET)
    columns = [amounts[column::width] for column in range(width)]
    moved, done = columns[:WAYS], columns[WAYS:]
    # without I/Os, bytes do not count either
    return [*amounts, *map(sum, map(compress, moved, done)), *map(sum, done)]


def _extras(span: Element) -> Iterator[tuple[int | None, str, str]]:
    """Yield the values without a column: the entry, or None for the run; path and text."""
    entry = 0
    for thread in span.findall("Thread"):
        yield from _leaves(thread, "Thread", f"Thread[{whole(thread, 'Id')}]/")
        for target in thread.findall("Target"):
            entry += 1
            yield from _leaves(target, "Target", "", entry)
    latency = span.find("Latency")
    if latency is not None:
        yield from ((None, f"Latency/@{name}", text) for name, text in attributes(latency))
        yield from _leaves(latency, "Latency", "Latency/")
    for place, cpu in enumerate(span.findall("CpuUtilization/CPU"), 1):
        yield from _leaves(cpu, "CPU", f"CpuUtilization/CPU[{place}]/")
    for average in span.findall("CpuUtilization/Average"):
        yield from _leaves(average, "CPU", "CpuUtilization/Average/")
    yield from _leaves(span, "TimeSpan", "")


def _leaves(
    element: Element, kind: str, prefix: str, entry: int | None = None
) -> Iterator[tuple[int | None, str, str]]:
    return ((entry, prefix + path, text) for path, text in leaves(element, _KNOWN[kind]))


# --- ``Results/Profile``: what each time span was asked to do ---------------------------------


def _asked(root: Element) -> Iterator[Asked]:
    """Read the conditions of each time span."""
    for profile in root.findall("Profile")[:1]:
        common = [*leaves(profile, skip=("TimeSpans",))]
        for span in profile.findall("TimeSpans/TimeSpan"):
            own = [(path.removeprefix("Targets/"), text) for path, text in leaves(span)]
            given = span.findall("Targets/Target")
            targets = [(value(target, "Path"), _conditions(target)) for target in given]
            pool, per_thread = whole(span, "ThreadCount"), whole(span, "RequestCount")
            asked = plan(targets, [*common, *own], pool, per_thread)
            # a profile (-X) may give each thread of a pool targets of its own
            apart = span.find("Targets/Target/ThreadTargets") is not None
            yield replace(asked, each=None) if apart else asked


def _conditions(target: Element) -> Conditions:
    """Read the conditions of a target."""
    write_pct, ratio = (
        None if math.isnan(share) else share
        for share in (number(target, "WriteRatio"), number(target, "RandomRatio"))
    )
    random = True if target.find("Random") is not None else None
    if random is None and target.find("StrideSize") is not None:
        random = False
    caches = ("DisableOSCache", "DisableAllCache", "DisableLocalCache")
    os_cache, all_cache, local_cache = (value(target, name) == "true" for name in caches)
    return {
        # RandomRatio (-rs) mixes random and sequential, for which fio's rw has no word
        "rw": pattern(random if ratio in (None, 0.0, 100.0) else None, write_pct),
        "bs_bytes": whole(target, "BlockSize"),
        "iodepth": whole(target, "RequestCount"),
        "numjobs": whole(target, "ThreadsPerFile"),
        # the local cache alone is neither
        "direct": True if os_cache or all_cache else None if local_cache else False,
        "rwmixread_pct": mix(write_pct),
        "size_bytes": whole(target, "FileSize"),
    }
