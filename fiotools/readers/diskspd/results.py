"""The results in DISKSPD's XML as runs (`DiskspdRun`), with what each was asked to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

import numpy as np
from lxml.etree import XMLSyntaxError

from fiotools.readers.diskspd import buckets, options, runs
from fiotools.readers.diskspd.documents import mended
from fiotools.readers.diskspd.elements import (
    Document,
    Element,
    MalformedError,
    NotPlainError,
    Values,
    any_document,
    columns,
    numbers,
    plain_document,
)
from fiotools.readers.diskspd.options import Asked, Conditions
from fiotools.readers.diskspd.runs import (
    DIRECTIONS,
    USAGE,
    DiskspdRun,
    Entry,
    Measures,
    PrintedCurve,
    Sampled,
    nanoseconds,
)
from fiotools.tables.notes import Note

if TYPE_CHECKING:
    from numpy.typing import NDArray


def _of_each(path: str, total: str = "") -> tuple[str, ...]:
    """Return the paths of the elements of read, write and total."""
    return tuple(path.format(word) for word in ("Read", "Write", total))


# columns of `io`, and their elements below ``Thread/Target``: whole numbers, which every target has
AMOUNTS_OF_TARGET = {
    "io_bytes": ("ReadBytes", "WriteBytes", "BytesCount"),
    "total_ios": ("ReadCount", "WriteCount", "IOCount"),
}
# latencies in ms with three decimals; 2.2 leaves out a target's own mean and deviation
RATES_OF_TARGET = {
    "lat_mean_ns": _of_each("Average{}LatencyMilliseconds"),
    "lat_stddev_ns": _of_each("{}LatencyStdev"),
    "iops_stddev": _of_each("Iops/{}IopsStdDev"),
}
RATES_OF_RUN = {  # below ``TimeSpan``
    "lat_mean_ns": _of_each("Latency/Average{}Milliseconds", "Total"),
    "lat_stddev_ns": _of_each("Latency/{}LatencyStdev"),
    "iops_stddev": _of_each("Iops/{}IopsStdDev"),
}
# columns of `cpu`, below CpuUtilization/CPU and CpuUtilization/Average
USAGE_OF_CPU = dict(
    zip(USAGE, ("UsagePercent", "UserPercent", "KernelPercent", "IdlePercent"), strict=True)
)
_ABOUT = ("System/ComputerName", "System/Tool/Version", "System/RunTime")
_CURVE = ("Percentile", *(f"{direction.title()}Milliseconds" for direction in DIRECTIONS))
_BUCKETS = ("Latency/Bucket", "Iops/Bucket")  # they are read elsewhere
_LARGEST = 2**63 - 1  # of a sum


@dataclass
class Found:
    """What a document holds. Lines are those of the file."""

    # the machine, the version, and when it was written; None if unknown
    about: list[str | None]
    runs: list[DiskspdRun]
    asked: int  # how many of them there should be
    # text beside elements, which DISKSPD does not write: (line, text)
    strays: list[tuple[int, str]] = field(default_factory=list)
    repaired: int | None = None  # the line of the first repair


def find(xml: str, above: int, *, samples: bool) -> Found:
    """Read a document with so many lines above it; ``samples``: whether those of ``-D`` are wanted.

    Raises lxml's `XMLSyntaxError` if it cannot be repaired, and `MalformedError`.
    """
    try:
        return _find(xml, above, samples)
    except XMLSyntaxError:
        repaired = mended(xml)
        if repaired == xml:
            raise
    found = _find(repaired, above, samples)
    pairs = zip(xml.split("\n"), repaired.split("\n"), strict=True)
    line = next(line for line, (given, ours) in enumerate(pairs, 1) if given != ours)
    return replace(found, repaired=above + line)


def _find(xml: str, above: int, samples: bool) -> Found:
    try:
        return _Reading(plain_document(xml), above, samples).found()
    except NotPlainError:
        return _Reading(any_document(xml), above, samples).found()


@dataclass(frozen=True)
class _Reading:
    """The reading of a document."""

    document: Document
    above: int  # lines of the file above it
    samples: bool  # whether the values of ``-D`` are wanted

    def found(self) -> Found:
        root = self.document.root
        spans = root.all("TimeSpan")
        if not spans:
            raise MalformedError(self.document.line(root), "the results hold no TimeSpan")
        asked = [*self._plans(root)]
        told = self._values(root, ("Profile", "TimeSpan"))
        about = [*map(told.take, _ABOUT)]
        found = [
            self._run(span, plan)
            for span, plan in zip(spans, chain(asked, repeat(Asked())), strict=False)
        ]
        for run in found:
            run.extras = [*((None, *pair) for pair in told.items()), *run.extras]
        beside = [(self.above + line, text) for line, text in self.document.beside]
        return Found(about, found, max(len(spans), len(asked)), beside)

    def _values(self, element: Element, skip: tuple[str, ...] = ()) -> Values:
        return Values(self.document, element, skip)

    def _line(self, element: Element) -> int:
        return self.above + self.document.line(element)

    def _run(self, span: Element, asked: Asked) -> DiskspdRun:
        """Read a ``TimeSpan``."""
        told = self._values(span, ("CpuUtilization", "Thread", *_BUCKETS))
        seconds = told.number("TestTimeSeconds")
        if seconds is not None and seconds < 0:
            raise told.wrong("TestTimeSeconds", "below 0")
        run, failed = DiskspdRun(asked, seconds), span.first("Error")
        if failed is not None:
            message = self.document.text(failed) or "the run failed"
            run.problems.append(Note("failed", "error", self._line(failed), message))
            return run
        run.is_measured = span.first("Latency") is not None
        counts = [self._add_thread(run, thread) for thread in span.all("Thread")]
        run.total.measures = self._measures(
            told, RATES_OF_RUN, _sums(self.document.line(span), run.entries), seconds
        )
        run.total.sampled = self._sampled(span, run)
        run.curves = [*self._curve(span)]
        of_run = [*told.items()]
        run.extras += [(None, *pair) for pair in of_run if pair[0].startswith("Latency")]
        self._add_cpus(run, span)
        run.extras += [(None, *pair) for pair in of_run if not pair[0].startswith("Latency")]
        run.gap = runs.gap(told.whole("ThreadCount"), counts, asked.each)
        run.problems += self._problems(run, span)
        return run

    def _add_thread(self, run: DiskspdRun, thread: Element) -> tuple[int | None, int]:
        """Add a thread on each of its targets; return it with their number."""
        told = self._values(thread, ("Target",))
        number = told.whole("Id")
        run.extras += [(None, f"Thread[{number}]/{path}", text) for path, text in told.items()]
        targets = thread.all("Target")
        for target in targets:
            own = self._values(target, _BUCKETS)
            measures = self._measures(own, RATES_OF_TARGET, _amounts(own), run.seconds)
            runs.pool(measures)
            sampled = self._sampled(target, run)
            path, size = own.take("Path"), own.whole("FileSize")
            run.entries.append(Entry(number, path, size, measures, sampled))
            run.extras += [(len(run.entries), *pair) for pair in own.items()]
        return number, len(targets)

    def _measures(
        self,
        told: Values,
        rates: Mapping[str, Sequence[str]],
        amounts: Sequence[tuple[int, int]],
        seconds: float | None,
    ) -> dict[str, Measures]:
        """Take what was measured of each direction; ``amounts`` are its bytes and its I/Os."""
        found, line = {}, self.above + told.line
        of_directions = zip(DIRECTIONS, amounts, *rates.values(), strict=True)
        for direction, (moved, ios), mean, deviation, iops_deviation in of_directions:
            found[direction] = Measures(
                line,
                moved,
                ios,
                ios / seconds if seconds else None,
                moved / seconds if seconds else None,
                nanoseconds(told.number(mean)),
                nanoseconds(told.number(deviation)),
                told.number(iops_deviation),
            )
        return found

    def _sampled(self, element: Element, run: DiskspdRun) -> Sampled | None:
        return buckets.sampled(
            self.document, element, measured=run.is_measured, wanted=self.samples
        )

    def _curve(self, span: Element) -> Iterator[PrintedCurve]:
        """Take the percentiles of the whole run."""
        buckets = span.all("Latency/Bucket")
        if buckets and buckets[0].is_buckets:
            rows: Any = _percentiles([*map(self.document.text, buckets)])
        else:
            rows = [[*map(self._values(bucket).number, _CURVE)] for bucket in buckets]
        if len(rows):
            yield PrintedCurve.of(self._line(span), rows)

    def _problems(self, run: DiskspdRun, span: Element) -> Iterator[Note]:
        line = self._line(span)
        if not run.seconds:
            yield Note("incomplete", "warning", line, "no TestTimeSeconds: rates are missing")
        if run.gap:
            message = f"{run.gap}: their sum is not a total, and is left out"
            yield Note("incomplete", "warning", line, message)
        sampled = run.total.sampled
        if sampled and sampled.later:
            names = ", ".join(sampled.later)
            message = f"values of a later version in the buckets are left out: {names}"
            yield Note("left out", "info", self._line(span.all("Iops")[0]), message)
        if sampled and sampled.is_made_up:
            message = "latencies of the buckets are left out: they are sure only with -L"
            yield Note("left out", "info", self._line(span.all("Iops")[0]), message)

    def _add_cpus(self, run: DiskspdRun, span: Element) -> None:
        """Add the processors, and their average behind them."""
        found = [(f"CPU[{at}]", cpu) for at, cpu in enumerate(span.all("CpuUtilization/CPU"), 1)]
        found += [("Average", cpu) for cpu in span.all("CpuUtilization/Average")]
        for place, cpu in found:
            told = self._values(cpu)
            name = "average" if place == "Average" else told.take("Id")
            usage = map(told.number, USAGE_OF_CPU.values())
            run.cpus.append((told.whole("Group"), name, *usage))
            run.extras += [
                (None, f"CpuUtilization/{place}/{path}", text) for path, text in told.items()
            ]

    def _plans(self, root: Element) -> Iterator[Asked]:
        """Take the conditions of each time span."""
        for profile in root.all("Profile")[:1]:
            common = [*self._values(profile, ("TimeSpans",)).items()]
            for span in profile.all("TimeSpans/TimeSpan"):
                told = self._values(span)
                own = [(path.removeprefix("Targets/"), text) for path, text in told.items()]
                targets = [*map(self._target, span.all("Targets/Target"))]
                pool, per_thread = told.whole("ThreadCount"), told.whole("RequestCount")
                asked = options.plan(targets, [*common, *own], pool, per_thread)
                # a profile (-X) may give each thread of a pool targets of its own
                apart = span.first("Targets/Target/ThreadTargets") is not None
                yield replace(asked, each=None) if apart else asked

    def _target(self, element: Element) -> tuple[str, Conditions]:
        """Take the path of a requested target, and its conditions."""
        told = self._values(element)
        write_pct, ratio = map(told.number, ("WriteRatio", "RandomRatio"))
        os_cache, all_cache, local_cache = (
            told.take(f"Disable{whose}Cache") == "true" for whose in ("OS", "All", "Local")
        )
        random = True if element.first("Random") is not None else None
        if random is None and element.first("StrideSize") is not None:
            random = False
        return told.take("Path") or "", options.conditions(
            # RandomRatio (-rs) mixes random and sequential, for which fio's rw has no word
            random if ratio in (None, 0, 100) else None,
            write_pct,
            bs_bytes=told.whole("BlockSize"),
            iodepth=told.whole("RequestCount"),
            numjobs=told.whole("ThreadsPerFile"),
            # the local cache alone is neither
            direct=True if os_cache or all_cache else None if local_cache else False,
            size_bytes=told.whole("FileSize"),
        )


def _percentiles(texts: Sequence[str]) -> NDArray[np.float64]:
    """Take percentiles, and their latencies, of a plain document."""
    given = columns(texts[0])
    if len(texts) > 1:
        raise NotPlainError
    rows = np.full((len(next(iter(given.values()))), len(_CURVE)), np.nan)
    for at, name in enumerate(_CURVE):
        if name in given:
            try:
                rows[:, at] = numbers(given[name])
            except ValueError:
                raise NotPlainError from None
    return rows


def _amounts(told: Values) -> list[tuple[int, int]]:
    """Take bytes and I/Os of each direction; every target has them."""
    found = []
    for names in zip(*AMOUNTS_OF_TARGET.values(), strict=True):
        moved, ios = map(told.whole, names)
        if moved is None or ios is None:
            reason = f"a Target of the results has no {' or no '.join(names)}"
            raise MalformedError(told.line, reason)
        found.append((moved, ios))
    return found


def _sums(line: int, entries: Sequence[Entry]) -> list[tuple[int, int]]:
    """Sum the amounts of each direction: the XML has no totals."""
    found = []
    for direction in DIRECTIONS:
        every = [entry.measures[direction] for entry in entries]
        # without I/Os, bytes do not count either
        moved = sum(one.io_bytes or 0 for one in every if one.total_ios)
        found.append((moved, sum(one.total_ios or 0 for one in every)))
    if sum(map(sum, found)) > _LARGEST:
        raise MalformedError(line, "all I/O together is more than 64 bits can count")
    return found
