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
from itertools import chain, compress, count, repeat
from typing import Any, TypeAlias

from lxml.etree import XMLSyntaxError, XPath

from fiotools.errors import ParseError
from fiotools.readers.diskspd import buckets, documents, is_trouble, numbered_lines, options, runs
from fiotools.readers.diskspd.buckets import Cut, OddBucketsError, Way
from fiotools.readers.diskspd.documents import XmlPiece
from fiotools.readers.diskspd.documents import parse as parse
from fiotools.readers.diskspd.options import Asked, Conditions
from fiotools.readers.diskspd.runs import DIRECTIONS, WAYS, DiskspdRun, PrintedCurve
from fiotools.readers.diskspd.shapes import (
    MISSING,
    Element,
    MalformedError,
    Places,
    Shape,
    Shapes,
    Values,
    line_of,
    place_of,
)
from fiotools.readers.document import Document, Field, Grammars, Report, Rest, Session
from fiotools.readers.formats import READERS, is_profile
from fiotools.tables import Tables

# a file of XML is searched for XML, and what stands beside that for text output
_XML, _TEXT = (
    Grammars(reader for reader in READERS if reader.name == name)
    for name in ("diskspd_xml", "diskspd_text")
)
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
_CURVE = ("Percentile", *(f"{direction.title()}Milliseconds" for direction in DIRECTIONS))
_BUCKETS = ("Latency/Bucket", "Iops/Bucket")  # they are read elsewhere
_LARGEST = 2**63 - 1  # of a sum
_BESIDE = XPath("//*[*]/text()[normalize-space()]")  # text beside elements
_MANY = 20


def read(document: Document, tables: Tables) -> Iterator[Rest]:
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
        reports = [*_reports(document)]
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
        yield from _beside(tables, document, at, report.start)
        try:
            if report.kind == "diskspd_xml":
                _add(tables, report, Session())
            elif report.grammar:
                report.grammar.add(tables, report, Session())
        except ParseError as error:
            failures.append(error)
        at = report.end
    yield from _beside(tables, document, at, len(document.text))
    if failures and (len(failures) == len(reports) or not tables.runs):
        raise failures[0]
    for failure in failures:
        tables.note(failure.reason, line=failure.line, severity="error")


def _reports(document: Document) -> Iterator[Report]:
    """Find the XML in a file, and text output in front of, between and behind it."""
    at = 0
    for xml in document.found_by(_XML):
        yield from _texts(document, at, xml.start)
        yield xml
        at = xml.end
    yield from _texts(document, at, len(document.text))


def _texts(document: Document, start: int, end: int) -> Iterator[Report]:
    if not document.text[start:end].strip():  # nearly always
        return
    for found in document.part(start, end).found_by(_TEXT):
        yield found._replace(start=start + found.start, end=start + found.end)


def _beside(tables: Tables, document: Document, start: int, end: int) -> Iterator[Rest]:
    """Yield reports of other tools that stand beside the XML, and keep the rest as a note."""
    if not document.text[start:end].strip():
        return
    part = document.part(start, end)
    others = [
        (part.line(at) + above, line)
        for at, stop in part.gaps()
        for above, line in numbered_lines(part.text[at:stop])
        if not _DECLARATION.fullmatch(line)
    ]
    yield Rest(part, tables.runs)
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
    last = above + 1 + (0 if piece.whole else piece.xml.rstrip().count("\n"))
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
        taker, values = _SHAPES.read(cut.rest)
        taken = taker(values, Way(lambda line: above + cut.line(line), samples, cut))
        cut.close()
        return taken
    # errors too: only here they stand in the right line
    taker, values = _SHAPES.read(xml)
    return taker(values, Way(lambda line: above + line, samples))


# --- where a document has its values, and how they are taken -----------------------------------
#
# Each function looks at the elements of a shape once, and returns another: that takes the values
# of a document of the shape.


def _document(shape: Shape) -> Callable[[Values, Way], Taken]:
    root = shape.root
    found = root.findall("TimeSpan")
    if not found:
        raise MalformedError(line_of(root), "the results hold no TimeSpan")
    plans = [*_plans(shape)]
    told = Places(shape, root, skip=("Profile", "TimeSpan"))
    about = [told.of(path) for path in _ABOUT]
    above = told.rest()
    spans = [_span(shape, span) for span in found]
    beside: Any = _BESIDE(root)
    strays = [(line_of(text.getparent()), text.strip()[:200]) for text in beside[:_MANY]]

    def take(values: Values, way: Way) -> Taken:
        asked = [plan(values) for plan in plans]
        pairs = zip(spans, chain(asked, repeat(Asked())), strict=False)
        every = [span(values, plan, way) for span, plan in pairs]
        extras = [(None, path, values.text(place)) for path, place in above]
        for run in every:
            run.extras = [*extras, *run.extras]
        return Taken(
            [*map(values.text, about)],
            every,
            max(len(spans), len(asked)),
            [(way.line(line), text) for line, text in strays],
        )

    return take


_SHAPES = Shapes(_document)
_TakeRun: TypeAlias = Callable[[Values, Asked, Way], DiskspdRun]


def _span(shape: Shape, span: Element) -> _TakeRun:
    """Look at a ``TimeSpan``."""
    told = Places(shape, span, ("CpuUtilization", "Thread", *_BUCKETS))
    time, line = told.of("TestTimeSeconds"), line_of(span)
    failed, iops = span.find("Error"), span.find("Iops")
    results = None if failed is not None else _results(shape, span, told)

    def take(values: Values, asked: Asked, way: Way) -> DiskspdRun:
        seconds = values.number(time)
        if seconds < 0:
            raise values.error(time, "{name} is below 0")
        if results is None:
            message = values.text(place_of(failed)) or "the run failed"
            problem = (way.line(line_of(failed)), "error", message)
            return DiskspdRun(asked, lambda *_: way.line(line), seconds, problems=[problem])
        run = results(values, asked, way)
        run.seconds = seconds
        run.speeds = [one / seconds if seconds > 0 else math.nan for one in run.amounts]
        if not seconds > 0:
            message = "no TestTimeSeconds: rates are missing"
            run.problems.append((way.line(line), "warning", message))
        if run.gap:
            message = f"{run.gap}: their sum is not a total, and is left out"
            run.problems.append((way.line(line), "warning", message))
        sampled = run.sampled[-1]
        if sampled and sampled.later:
            names = ", ".join(sampled.later)
            message = f"values of a later version in the buckets are left out: {names}"
            run.problems.append((way.line(line_of(iops)), "info", message))
        if sampled and sampled.is_made_up:
            message = "latencies of the buckets are left out: they are sure only with -L"
            run.problems.append((way.line(line_of(iops)), "info", message))
        return run

    return take


def _results(shape: Shape, span: Element, told: Places) -> _TakeRun:
    """Look at a ``TimeSpan`` that did not fail."""
    threads = [Places(shape, thread, ("Target",)) for thread in span.findall("Thread")]
    ids = [thread.of("Id") for thread in threads]
    targets_of = [
        [Places(shape, target, _BUCKETS) for target in thread.element.findall("Target")]
        for thread in threads
    ]
    sizes = [*map(len, targets_of)]
    targets = [*chain(*targets_of)]
    paths, file_sizes = ([one.of(path) for one in targets] for path in ("Path", "FileSize"))
    amounts = _amounts(span, targets)
    rates = [one.of(path) for one in targets for path in chain(*_RATES_OF_TARGET.values())]
    rates += map(told.of, chain(*_RATES_OF_RUN.values()))
    found = span.findall("CpuUtilization/CPU")
    cpus = [(f"CPU[{number}]", Places(shape, cpu)) for number, cpu in enumerate(found, 1)]
    found = span.findall("CpuUtilization/Average")
    cpus += [("Average", Places(shape, average)) for average in found]
    names = [None if name == "Average" else cpu.of("Id") for name, cpu in cpus]
    groups = [cpu.of("Group") for _, cpu in cpus]
    usage = [cpu.of(path) for _, cpu in cpus for path in _USAGE.values()]
    rows = [Places(shape, bucket) for bucket in span.findall("Latency/Bucket")]
    percentiles = [row.of(name) for row in rows for name in _CURVE]
    measured = span.find("Latency") is not None
    elements = [*(target.element for target in targets), span]
    lines = [*map(line_of, elements)]
    sampled = [buckets.sampled(element, measured=measured) for element in elements]
    extras = [*_extras(threads, targets_of, cpus, told)]
    thread_count = told.of("ThreadCount")  # also among the extras

    def take(values: Values, asked: Asked, way: Way) -> DiskspdRun:
        numbers = [*map(values.whole, ids)]
        curve = values.numbers(percentiles).reshape(-1, len(_CURVE))
        run = DiskspdRun(
            asked,
            lambda entry, direction: way.line(lines[entry]),
            threads=[*chain(*map(repeat, numbers, sizes))],
            targets=[values.text(path) or None for path in paths],
            sizes=[*map(values.whole, file_sizes)],
            amounts=amounts(values),
            rates=values.numbers(rates),
            groups=[*map(values.whole, groups)],
            cpus=["average" if name is None else values.text(name) or None for name in names],
            usage=values.numbers(usage),
            curves=[PrintedCurve(curve[:, 0], curve[:, 1:])] if len(curve) else [],
            sampled=[of_element(values, way) for of_element in sampled],
            is_measured=measured,
        )
        for entry, thread, path, place in extras:
            above = "" if thread is None else f"Thread[{numbers[thread]}]/"
            run.extras.append((entry, above + path, values.text(place)))
        counts = [*zip(numbers, sizes, strict=True)]
        run.gap = runs.gap(values.whole(thread_count), counts, asked.each)
        return run

    return take


def _amounts(span: Element, targets: Sequence[Places]) -> Callable[[Values], list[int]]:
    """Look for the amounts of each target; those of the run are summed: the XML has no totals."""
    paths = [*chain(*_AMOUNTS_OF_TARGET.values())]
    places: list[int] = []
    for target in targets:
        found = [target.of(path) for path in paths]
        for way in range(WAYS):
            if MISSING in found[way::WAYS]:
                names = " or no ".join(paths[way::WAYS])
                reason = f"a Target of the results has no {names}"
                raise MalformedError(line_of(target.element), reason)
        places += found

    def take(values: Values) -> list[int]:
        amounts = [values.whole(place) or 0 for place in places]
        if sum(amounts) > _LARGEST:
            reason = "all I/O together is more than 64 bits can count"
            raise MalformedError(line_of(span), reason)
        columns = [amounts[column :: len(paths)] for column in range(len(paths))]
        moved, done = columns[:WAYS], columns[WAYS:]
        # without I/Os, bytes do not count either
        return [*amounts, *map(sum, map(compress, moved, done)), *map(sum, done)]

    return take


def _extras(
    threads: Sequence[Places],
    targets_of: Sequence[Sequence[Places]],
    cpus: Sequence[tuple[str, Places]],
    told: Places,
) -> Iterator[tuple[int | None, int | None, str, int]]:
    """Yield the values that no column took: the entry, or None for the run; thread, path, place."""
    entries = count(1)
    for number, (thread, targets) in enumerate(zip(threads, targets_of, strict=True)):
        yield from ((None, number, *pair) for pair in thread.rest())
        for target, entry in zip(targets, entries, strict=False):
            yield from ((entry, None, *pair) for pair in target.rest())
    of_run = told.rest()
    rest = [pair for pair in of_run if pair[0].startswith("Latency")]
    for name, cpu in cpus:
        rest += [(f"CpuUtilization/{name}/{path}", place) for path, place in cpu.rest()]
    rest += [pair for pair in of_run if not pair[0].startswith("Latency")]
    yield from ((None, None, *pair) for pair in rest)


# --- ``Results/Profile``: what each time span was asked to do ---------------------------------


def _plans(shape: Shape) -> Iterator[Callable[[Values], Asked]]:
    """Look for the conditions of each time span."""
    for profile in shape.root.findall("Profile")[:1]:
        common = Places(shape, profile, ("TimeSpans",)).rest()
        for span in profile.findall("TimeSpans/TimeSpan"):
            yield _plan(shape, span, common)


def _plan(
    shape: Shape, span: Element, common: Sequence[tuple[str, int]]
) -> Callable[[Values], Asked]:
    told = Places(shape, span)
    own = [(path.removeprefix("Targets/"), place) for path, place in told.rest()]
    settings = [*common, *own]
    found = [Places(shape, target) for target in span.findall("Targets/Target")]
    targets = [(target.of("Path"), _conditions(target)) for target in found]
    pool, per_thread = map(told.of, ("ThreadCount", "RequestCount"))
    # a profile (-X) may give each thread of a pool targets of its own
    apart = span.find("Targets/Target/ThreadTargets") is not None

    def take(values: Values) -> Asked:
        asked = options.plan(
            [(values.text(path), conditions(values)) for path, conditions in targets],
            [(path, values.text(place)) for path, place in settings],
            values.whole(pool),
            values.whole(per_thread),
        )
        return replace(asked, each=None) if apart else asked

    return take


def _conditions(target: Places) -> Callable[[Values], Conditions]:
    """Look for the conditions of a requested target."""
    shares = [*map(target.of, ("WriteRatio", "RandomRatio"))]
    caches = [*map(target.of, ("DisableOSCache", "DisableAllCache", "DisableLocalCache"))]
    sizes = [*map(target.of, ("BlockSize", "RequestCount", "ThreadsPerFile", "FileSize"))]
    random = True if target.element.find("Random") is not None else None
    if random is None and target.element.find("StrideSize") is not None:
        random = False

    def take(values: Values) -> Conditions:
        write_pct, ratio = (
            None if math.isnan(share) else share for share in map(values.number, shares)
        )
        os_cache, all_cache, local_cache = (values.text(place) == "true" for place in caches)
        block, depth, threads, size = map(values.whole, sizes)
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

    return take
