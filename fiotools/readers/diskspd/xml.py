"""diskspd_xml: the output of ``-Rxml``.

Produced by ``diskspd ... -Rxml target > run.xml``. Fills ``runs`` (a run is one
``Results/TimeSpan``), ``io`` (a row per thread, target and direction, then the totals),
``settings`` (every element of the ``Profile``), ``percentiles`` (of the whole run: there are no
others), ``samples`` (with ``-D``), ``cpu`` and ``extras`` (the machine, ETW counters,
distributions).

Traps. There are no totals: bytes, I/Os and rates are sums over ``Thread/Target``; means, standard
deviations and extremes stand under ``TimeSpan/Latency`` and ``TimeSpan/Iops``.
``TestTimeSeconds`` has two decimals, so rates agree with the text output to that only.
``TimeSpan``, ``Target``, ``Path``, ``RequestCount`` and ``Bucket`` each mean two things.
``RandomAccess`` and ``SequentialScan`` are hints to the cache: the pattern is random where
``Random`` is present. Bucket rates are per second whatever the bucket's length. 2.0.20a to 2.1
write garbage as bucket latencies where latency was not measured; 2.2 leaves out each target's
mean latency, which follows from its reads and writes. ``RunTime`` is when the results were
printed: the end. Nothing is escaped: a path with ``&`` and 2.2's unknown power scheme make broken
XML, which is repaired there, with a note. A failed run is a complete document whose ``TimeSpan``
holds only ``Error``. If a document was cut off, its whole time spans are read. The
text output of other runs may stand in the same file, and is read as well. A thread that did
nothing while others did is listed with zeros, and so are its rows.

Specified in ``XmlResultParser.cpp``, ``XmlProfileParser.cpp`` and ``Common.cpp``, 2.0.12 to 2.2.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, compress, count, zip_longest
from typing import Any, NamedTuple

from lxml.etree import XMLSyntaxError, XPath

from fiotools.errors import ParseError
from fiotools.readers.diskspd import buckets, documents, is_trouble, numbered_lines, options, runs
from fiotools.readers.diskspd.buckets import Cut, OddBucketsError
from fiotools.readers.diskspd.documents import (
    Element,
    ElementValues,
    MalformedError,
    XmlPiece,
    line_of,
)
from fiotools.readers.diskspd.documents import parse as parse
from fiotools.readers.diskspd.options import Asked, Conditions
from fiotools.readers.diskspd.runs import WAYS, DiskspdRun
from fiotools.readers.document import Document, Field, Grammars, Report, Session, read_part
from fiotools.readers.formats import READERS, is_profile
from fiotools.tables import Tables

# of XML, and of text output beside it: a file of XML is searched for nothing else
_GRAMMARS = Grammars(reader for reader in READERS if reader.name.startswith("diskspd"))
_DECLARATION = re.compile(r"<\?xml[^<>]*\?>")


def _of_each(path: str, total: str = "") -> tuple[str, ...]:
    """Return the paths of the elements of read, write and total."""
    return tuple(path.format(word) for word in ("Read", "Write", total))


# columns of `io`, and their elements below ``Thread/Target``: whole numbers, which every target has
_AMOUNTS_OF_TARGET = {
    "io_bytes": ("ReadBytes", "WriteBytes", "BytesCount"),
    "total_ios": ("ReadCount", "WriteCount", "IOCount"),
}
# latencies in ms with three decimals; 2.2 leaves out a target's own mean and deviation
_RATES_OF_TARGET = {
    "lat_mean_ns": _of_each("Average{}LatencyMilliseconds"),
    "lat_stddev_ns": _of_each("{}LatencyStdev"),
    "iops_stddev": _of_each("Iops/{}IopsStdDev"),
}
_RATES_OF_RUN = {  # below ``TimeSpan``
    "lat_mean_ns": _of_each("Latency/Average{}Milliseconds", "Total"),
    "lat_stddev_ns": _of_each("Latency/{}LatencyStdev"),
    "iops_stddev": _of_each("Iops/{}IopsStdDev"),
}
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
            column,
            ", ".join(f"Target/{path}" for path in paths),
            "ms" if column.startswith("lat_") else "",
            rule="of the run "
            + ", ".join(_RATES_OF_RUN.get(column, ("the sum over the targets",))),
        )
        for column, paths in (_AMOUNTS_OF_TARGET | _RATES_OF_TARGET).items()
    ),
    "cpu": tuple(Field(column, f"CPU/{path}") for column, path in _USAGE.items()),
}
_ABOUT = ("System/ComputerName", "System/Tool/Version", "System/RunTime")
_BUCKETS = ("Latency/Bucket", "Iops/Bucket")  # they are read elsewhere
_LARGEST = 2**63 - 1  # of a sum
_BESIDE = XPath("//*[*]/text()[normalize-space()]")  # text beside elements
_MANY = 20


def read(document: Document, tables: Tables) -> None:
    """Read every ``Results`` in the file, and text output beside them."""
    name = document.name
    if document.is_structured and "<!DOCTYPE" in document.text:
        raise ParseError(
            name,
            "the XML declares a DOCTYPE, which DISKSPD never writes; it was not read",
            line=document.line(document.text.index("<!DOCTYPE")),
            remedy="remove it if the file is known to be good",
        )
    reports = document.reports
    if document.is_structured:
        reports = _GRAMMARS.reports(document.text, document.line)
    if not reports and not is_profile(document.text):
        raise ParseError(name, "holds no results of DISKSPD in XML", line=1)
    if not reports:
        raise ParseError(
            name,
            "holds a profile without results",
            line=1,
            remedy="run DISKSPD without -Rp (-Rpxml only prints what would be run)",
        )
    failures: list[ParseError] = []
    at = 0
    for report in reports:
        _add_beside(tables, document, at, report.start)
        try:
            if report.kind == "diskspd_xml":
                _add(tables, report, Session())
            elif report.grammar:
                report.grammar.add(tables, report, Session())
        except ParseError as error:
            failures.append(error)
        at = report.end
    _add_beside(tables, document, at, len(document.text))
    if failures and (len(failures) == len(reports) or not tables.runs):
        raise failures[0]
    for failure in failures:
        tables.note(failure.reason, line=failure.line, severity="error")


def _add_beside(tables: Tables, document: Document, start: int, end: int) -> None:
    """Add reports of other tools that stand beside the XML, and keep the rest as a note."""
    if not document.text[start:end].strip():
        return
    part = document.part(start, end)
    others = [
        (part.line(at) + above, line)
        for at, stop in part.gaps()
        for above, line in numbered_lines(part.text[at:stop])
        if not _DECLARATION.fullmatch(line)
    ]
    read_part(tables, part, tables.runs)
    if others:
        more = f" and {len(others) - 1} more lines" if len(others) > 1 else ""
        message = f"text beside the XML: {others[0][1][:80]!r}{more}"
        severity = "warning" if any(is_trouble(line) for _, line in others) else "info"
        tables.note(message, line=others[0][0], severity=severity)


def add(tables: Tables, report: Report, session: Session) -> int:
    """Add one document: a run for each of its time spans."""
    try:
        _add(tables, report, session)
    except ParseError as error:
        tables.note(f"left out: {error.reason}", line=error.line, severity="error")
    return tables.runs


def _add(tables: Tables, report: Report, session: Session) -> None:
    """Add one document whole, or nothing of it: a run for each of its time spans."""
    piece: XmlPiece = report.data
    for line, message in piece.errors:
        tables.note(message, line=report.line + line, severity="warning")
    if piece.progress:
        tables.note(f"{piece.progress} lines of progress (-v) were left out", line=report.line)
    above = report.line + piece.line - 1
    last = above + 1 + piece.xml.rstrip().count("\n")  # if the document was cut off
    taken = _taken(tables, piece, above, last)
    if taken.repaired:
        tables.note(
            "repaired the XML: DISKSPD wrote '&' or '<' unescaped",
            line=taken.repaired,
            severity="warning",
        )
    if not piece.whole:
        missing = f"{len(taken.runs)} of {taken.asked} time spans are whole, and were read"
        tables.note(f"the XML ends before </Results>: {missing}", line=last, severity="warning")
    host, version, when = taken.about
    about: dict[str, Any] = {
        "tool_version": version or None,
        "format": "diskspd_xml",
        "command": session.command if options.arguments(session.command) else None,
        "host": host or session.host,
        "reported_at": options.moment(when) if when else None,
    }
    for run in taken.runs:
        failed = any(severity == "error" for _, severity, _ in run.problems)
        runs.add(tables, run, status="error" if failed else "ok", **about)
    # standard error in the same file: "Error generating I/O requests" comes before </Results>
    for line, message in taken.strays:
        tables.note(message, line=line, severity="warning", run=tables.runs)


def _taken(tables: Tables, piece: XmlPiece, above: int, last: int) -> Taken:
    """Take a document; one that was cut off as far as its last time span that is whole."""
    xml = piece.xml if piece.whole else documents.without_rest(piece.xml)
    try:
        if xml is not None:
            return take(xml, above, samples=tables.wants("samples"))
    except XMLSyntaxError as error:
        if piece.whole:
            raise ParseError(
                tables.source,
                "not well-formed XML: " + str(error.msg).partition("\n")[0],
                line=above + (error.lineno or 1),
                remedy="DISKSPD escapes nothing: correct that line in a copy,"
                " or run it with -Rtext",
            ) from None
    except MalformedError as error:
        raise ParseError(
            tables.source,
            error.reason,
            line=above + error.line,
            remedy="DISKSPD does not write that: was the file edited?",
        ) from None
    raise ParseError(
        tables.source,
        "the XML ends before </Results>",
        line=last,
        remedy="the file was cut off: copy it whole, or run DISKSPD again",
    )


# --- the values of a document ------------------------------------------------------------------


@dataclass
class Taken:
    """The values of a document. Lines are those of the file."""

    # the machine, the version, and when it was written; empty if unknown
    about: list[str]
    runs: list[DiskspdRun]
    asked: int  # how many of them there should be
    # text beside elements, which DISKSPD does not write: (line, text)
    strays: list[tuple[int, str]]
    repaired: int | None = None  # the line of the first repair


def take(xml: str, above: int, *, samples: bool) -> Taken:
    """Take the values of a document with so many lines above it.

    Raises lxml's `XMLSyntaxError` if it cannot be repaired, and `MalformedError`.
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
    """Take a document without its buckets; the whole document if anything in it is odd."""
    with suppress(XMLSyntaxError, MalformedError, OddBucketsError):
        cut = Cut(xml)
        document = _document(cut.tree(), _Way(lambda line: above + cut.line(line), samples, cut))
        cut.close()
        return document
    # errors too: only here they stand in the right line
    return _document(documents.tree(xml), _Way(lambda line: above + line, samples))


class _Way(NamedTuple):
    """How a parsed document is read."""

    line: Callable[[int], int]  # gives the line of the file for a line of the tree
    samples: bool  # whether the values of ``-D`` are wanted
    cut: Cut | None = None  # holds the buckets, if they were cut out


def _document(root: Element, way: _Way) -> Taken:
    found = root.findall("TimeSpan")
    if not found:
        raise MalformedError(root, "the results hold no TimeSpan")
    asked = [*_asked(root)]
    told = ElementValues(root, skip=("Profile", "TimeSpan"))
    about = [told.text(path) for path in _ABOUT]
    above = [(None, *pair) for pair in told.rest()]
    plans = zip_longest(found, asked[: len(found)], fillvalue=Asked())
    every = [_run(span, plan, way) for span, plan in plans]
    for run in every:
        run.extras = [*above, *run.extras]
    beside: Any = _BESIDE(root)
    strays = [(way.line(line_of(text.getparent())), text.strip()[:200]) for text in beside[:_MANY]]
    return Taken(about, every, max(len(found), len(asked)), strays)


def _run(span: Element, asked: Asked, way: _Way) -> DiskspdRun:
    """Read a ``TimeSpan``."""
    told = ElementValues(span, ("CpuUtilization", "Thread", *_BUCKETS))
    seconds = told.number("TestTimeSeconds")
    if seconds < 0:
        raise MalformedError(span.find("TestTimeSeconds"), "TestTimeSeconds is below 0")
    line = line_of(span)
    failed = span.find("Error")
    if failed is not None:
        message = (failed.text or "").strip() or "the run failed"
        problem = (way.line(line_of(failed)), "error", message)
        return DiskspdRun(asked, lambda *_: way.line(line), seconds, problems=[problem])
    run = _results(span, told, asked, seconds, way)
    if not seconds > 0:
        message = "no TestTimeSeconds: rates are missing"
        run.problems.append((way.line(line), "warning", message))
    if run.gap:
        message = f"{run.gap}: their sum is not a total, and is left out"
        run.problems.append((way.line(line), "warning", message))
    sampled, iops = run.sampled[-1], span.find("Iops")
    if sampled and sampled.later:
        names = ", ".join(sampled.later)
        message = f"values of a later version in the buckets are left out: {names}"
        run.problems.append((way.line(line_of(iops)), "info", message))
    if sampled and sampled.is_made_up:
        message = "latencies of the buckets are left out: they are sure only with -L"
        run.problems.append((way.line(line_of(iops)), "info", message))
    return run


class _Thread(NamedTuple):
    name: int | None
    told: ElementValues
    targets: list[ElementValues]


def _results(
    span: Element, told: ElementValues, asked: Asked, seconds: float, way: _Way
) -> DiskspdRun:
    threads = []
    for thread in span.findall("Thread"):
        own = ElementValues(thread, ("Target",))
        targets = [ElementValues(target, _BUCKETS) for target in thread.findall("Target")]
        threads.append(_Thread(own.whole("Id"), own, targets))
    targets = [target for thread in threads for target in thread.targets]
    elements = [*(target.element for target in targets), span]
    lines = [line_of(one) for one in elements]
    amounts = _amounts(span, targets)
    found = span.findall("CpuUtilization/CPU")
    cpus = [(f"CPU[{place}]", ElementValues(cpu)) for place, cpu in enumerate(found, 1)]
    found = span.findall("CpuUtilization/Average")
    cpus += [("Average", ElementValues(average)) for average in found]
    measured = span.find("Latency") is not None
    percentiles = span.findall("Latency/Bucket")
    run = DiskspdRun(
        asked,
        lambda entry, direction: way.line(lines[entry]),
        seconds,
        threads=[thread.name for thread in threads for _ in thread.targets],
        targets=[target.text("Path") or None for target in targets],
        sizes=[target.whole("FileSize") for target in targets],
        amounts=amounts,
        rates=[
            *(one.number(path) for one in targets for path in chain(*_RATES_OF_TARGET.values())),
            *map(told.number, chain(*_RATES_OF_RUN.values())),
        ],
        speeds=[one / seconds if seconds > 0 else math.nan for one in amounts],
        groups=[cpu.whole("Group") for _, cpu in cpus],
        cpus=["average" if name == "Average" else cpu.text("Id") or None for name, cpu in cpus],
        usage=[cpu.number(path) for _, cpu in cpus for path in _USAGE.values()],
        curves=[buckets.curve(percentiles, way.cut)] if percentiles else [],
        sampled=[
            buckets.sampled(
                place.findall("Iops/Bucket"),
                way.cut,
                measured=measured,
                is_run=place is span,
                samples=way.samples,
            )
            for place in elements
        ],
        is_measured=measured,
    )
    run.extras = [*_extras(threads, cpus, told)]
    counts = [(thread.name, len(thread.targets)) for thread in threads]
    run.gap = runs.gap(told.whole("ThreadCount"), counts, asked.each)  # also among the extras
    return run


def _amounts(span: Element, targets: Sequence[ElementValues]) -> list[int]:
    """Read the amounts of each target, and sum them for the run: the XML has no totals."""
    paths = [*chain(*_AMOUNTS_OF_TARGET.values())]
    amounts: list[int] = []
    for target in targets:
        found = [target.whole(path) for path in paths]
        for way in range(WAYS):
            if None in found[way::WAYS]:
                names = " or no ".join(paths[way::WAYS])
                raise MalformedError(target.element, f"a Target of the results has no {names}")
        amounts += [amount for amount in found if amount is not None]
    if sum(amounts) > _LARGEST:
        raise MalformedError(span, "all I/O together is more than 64 bits can count")
    columns = [amounts[column :: len(paths)] for column in range(len(paths))]
    moved, done = columns[:WAYS], columns[WAYS:]
    # without I/Os, bytes do not count either
    return [*amounts, *map(sum, map(compress, moved, done)), *map(sum, done)]


def _extras(
    threads: Sequence[_Thread], cpus: Sequence[tuple[str, ElementValues]], told: ElementValues
) -> Iterator[tuple[int | None, str, str]]:
    """Yield the values that no column took: the entry, or None for the run; path and text."""
    entries = count(1)
    for thread in threads:
        above = f"Thread[{thread.name}]"
        yield from ((None, f"{above}/{path}", text) for path, text in thread.told.rest())
        for target, entry in zip(thread.targets, entries, strict=False):
            yield from ((entry, *pair) for pair in target.rest())
    rest = [*told.rest()]
    yield from ((None, *pair) for pair in rest if pair[0].startswith("Latency"))
    for name, cpu in cpus:
        yield from ((None, f"CpuUtilization/{name}/{path}", text) for path, text in cpu.rest())
    yield from ((None, *pair) for pair in rest if not pair[0].startswith("Latency"))


# --- ``Results/Profile``: what each time span was asked to do ---------------------------------


def _asked(root: Element) -> Iterator[Asked]:
    """Read the conditions of each time span."""
    for profile in root.findall("Profile")[:1]:
        common = ElementValues(profile, ("TimeSpans",)).all.items()
        for span in profile.findall("TimeSpans/TimeSpan"):
            told = ElementValues(span)
            own = [(path.removeprefix("Targets/"), text) for path, text in told.all.items()]
            given = [ElementValues(target) for target in span.findall("Targets/Target")]
            targets = [(target.text("Path"), _conditions(target)) for target in given]
            pool, per_thread = told.whole("ThreadCount"), told.whole("RequestCount")
            asked = options.plan(targets, [*common, *own], pool, per_thread)
            # a profile (-X) may give each thread of a pool targets of its own
            apart = span.find("Targets/Target/ThreadTargets") is not None
            yield replace(asked, each=None) if apart else asked


def _conditions(target: ElementValues) -> Conditions:
    write_pct, ratio = (
        None if math.isnan(share) else share
        for share in map(target.number, ("WriteRatio", "RandomRatio"))
    )
    random = True if target.element.find("Random") is not None else None
    if random is None and target.element.find("StrideSize") is not None:
        random = False
    caches = ("DisableOSCache", "DisableAllCache", "DisableLocalCache")
    os_cache, all_cache, local_cache = (text == "true" for text in map(target.text, caches))
    sizes = ("BlockSize", "RequestCount", "ThreadsPerFile", "FileSize")
    block, depth, threads, size = map(target.whole, sizes)
    return options.conditions(
        # RandomRatio (-rs) mixes random and sequential, for which fio's rw has no word
        random if ratio in (None, 0.0, 100.0) else None,
        write_pct,
        bs_bytes=block,
        iodepth=depth,
        numjobs=threads,
        # the local cache alone is neither
        direct=True if os_cache or all_cache else None if local_cache else False,
        size_bytes=size,
    )
