"""diskspd_xml: what DISKSPD prints with ``-Rxml``.

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
XML, which is repaired, in exactly these two places, with a note. A failed run is a complete
document whose ``TimeSpan`` holds only ``Error``.

Specified in ``XmlResultParser.cpp``, ``XmlProfileParser.cpp`` and ``Common.cpp``, 2.0.12 to 2.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lxml import etree

from fiotools.errors import ParseError
from fiotools.readers import diskspd_options as options
from fiotools.readers.base import Reader
from fiotools.readers.diskspd_elements import (
    Element,
    MalformedError,
    leaves,
    number,
    text,
    whole,
)
from fiotools.readers.diskspd_results import add_results
from fiotools.tables import Tables

if TYPE_CHECKING:
    from fiotools.sniff import Document

# also where the file was cut off at once
_START = re.compile(r"<Results>(?=\s*(?:<(?:System|Profile|TimeSpan)\b|<?\w*\Z))")
_PROFILE = re.compile(r"\s*(?:<\?xml[^<>]*\?>\s*)?<Profile>\s*<")
_END = "</Results>"
_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9A-Fa-f]+);)")
_LINE = re.compile(r"\S[^\n]*")
_DECLARATION = re.compile(r"<\?xml[^<>]*\?>")
_TROUBLE = re.compile(r"(?i)(?:error|warning|there has been an error)")
_IN_RUNS = ("System/ComputerName", "System/Tool/Version", "System/RunTime")


def sniff(document: Document) -> bool:
    """Claim DISKSPD's results, also after lines from standard error, and its bare profile."""
    if document.is_structured:
        known = re.match(r"\s*<", document.text) is not None  # and not JSON
    else:
        known = not document.kinds
    return known and bool(_START.search(document.text) or _PROFILE.match(document.text))


def read(document: Document, tables: Tables) -> None:
    """Read every ``Results`` in the file."""
    name, text = document.name, document.text
    if "<!DOCTYPE" in text:
        raise ParseError(
            name,
            "the XML declares a DOCTYPE, which DISKSPD never writes; it was not read",
            line=document.line(text.index("<!DOCTYPE")),
            remedy="remove it if the file is known to be good",
        )
    starts = [match.start() for match in _START.finditer(text)]
    if not starts:
        raise ParseError(
            name,
            "holds a profile, no results",
            line=1,
            remedy="run DISKSPD without -Rp (-Rpxml only prints what would be run)",
        )
    _note_beside(tables, document, 0, starts[0])
    failures: list[ParseError] = []
    good = 0
    for start, limit in zip(starts, [*starts[1:], len(text)], strict=True):
        close = text.find(_END, start, limit)
        end = limit if close < 0 else close + len(_END)
        try:
            if close < 0:
                raise ParseError(
                    name,
                    "the XML ends before </Results>",
                    line=document.line(start + len(text[start:limit].rstrip())),
                    remedy="the file was cut off: copy it whole, or run DISKSPD again",
                )
            if len(starts) > 1:  # each is read whole or not at all, and the others are kept
                _read_results(document, Tables(name), start, end)
            _read_results(document, tables, start, end)
            good += 1
        except ParseError as error:
            failures.append(error)
        _note_beside(tables, document, end, limit)
    if failures and not good:
        raise failures[0]
    for failure in failures:
        tables.note(failure.reason, line=failure.line, severity="error")


def _note_beside(tables: Tables, document: Document, start: int, end: int) -> None:
    """Keep what stands beside the XML: standard error in the same file, mostly."""
    others = []
    for match in _LINE.finditer(document.text, start, end):
        if _TROUBLE.match(match[0]):
            line = document.line(match.start())
            tables.note(match[0].strip(), line=line, severity="warning")
        elif not _DECLARATION.fullmatch(match[0].strip()):
            others.append(match)
    if others:
        more = f" and {len(others) - 1} more lines" if len(others) > 1 else ""
        first = others[0][0].strip()[:80]
        line = document.line(others[0].start())
        tables.note(f"text beside the XML: {first!r}{more}", line=line)


def _read_results(document: Document, tables: Tables, start: int, end: int) -> None:
    first_line = document.line(start)
    try:
        root, repaired = _parse(document.text[start:end])
        if repaired:
            tables.note(
                "repaired the XML: DISKSPD wrote '&' or '<' unescaped",
                line=first_line - 1 + repaired,
                severity="warning",
            )
        asked = list(_asked(root))
        spans = root.findall("TimeSpan")
        if not spans:
            raise MalformedError(root, "the results hold no TimeSpan")
        for number, span in enumerate(spans):
            plan = asked[number] if number < len(asked) else options.Asked()
            _add_span(tables, root, span, plan, first_line - 1)
    except etree.XMLSyntaxError as error:
        raise ParseError(
            document.name,
            "not well-formed XML: " + str(error.msg).partition("\n")[0],
            line=first_line - 1 + (error.lineno or 1),
            remedy="DISKSPD escapes nothing: correct that line in a copy, or run it with -Rtext",
        ) from None
    except MalformedError as error:
        raise ParseError(
            document.name,
            error.reason,
            line=first_line - 1 + (error.line or 1),
            remedy="DISKSPD does not write that: was the file edited?",
        ) from None


def _parse(text: str) -> tuple[Element, int]:
    """Parse the XML; if it had to be repaired, also the line of the first repair."""
    try:
        return _parse_strictly(text), 0
    except etree.XMLSyntaxError:
        mended = _AMPERSAND.sub("&amp;", text).replace('"<unknown>"', '"&lt;unknown&gt;"')
        if mended == text:
            raise
    root = _parse_strictly(mended)
    pairs = zip(text.splitlines(), mended.splitlines(), strict=True)
    return root, next(number for number, (a, b) in enumerate(pairs, 1) if a != b)


def _parse_strictly(text: str) -> Element:
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    return etree.fromstring(text.encode("utf-8", "replace"), parser)


def _asked(root: Element) -> Iterator[options.Asked]:
    """Read what each time span was asked to do."""
    profile = root.find("Profile")
    if profile is None:
        return
    common = [*leaves(profile, skip="TimeSpans")]
    for span in profile.iterfind("TimeSpans/TimeSpan"):
        own = [(path.removeprefix("Targets/"), value) for path, value in leaves(span)]
        targets = [
            (text(target, "Path") or "", _conditions(target))
            for target in span.iterfind("Targets/Target")
        ]
        pool, per_thread = whole(span, "ThreadCount"), whole(span, "RequestCount")
        yield options.plan(targets, [*common, *own], pool, per_thread)


def _conditions(target: Element) -> options.Conditions:
    write_pct = number(target, "WriteRatio")
    ratio = number(target, "RandomRatio")
    random = target.find("Random") is not None
    return {
        # RandomRatio (-rs) mixes random and sequential, for which fio's rw has no word
        "rw": options.pattern(random if ratio in (None, 0.0, 100.0) else None, write_pct),
        "bs_bytes": whole(target, "BlockSize"),
        "iodepth": whole(target, "RequestCount"),
        "numjobs": whole(target, "ThreadsPerFile"),
        "direct": _direct(target),
        "rwmixread_pct": options.mix(write_pct),
        "size_bytes": whole(target, "FileSize"),
    }


def _direct(target: Element) -> bool | None:
    if "true" in (text(target, "DisableOSCache"), text(target, "DisableAllCache")):
        return True
    return None if text(target, "DisableLocalCache") == "true" else False


def _add_span(
    tables: Tables, root: Element, span: Element, asked: options.Asked, offset: int
) -> None:
    failed = span.find("Error")
    when = text(root, "System/RunTime")
    run = tables.start_run(
        tool="diskspd",
        tool_version=text(root, "System/Tool/Version"),
        format="diskspd_xml",
        host=text(root, "System/ComputerName"),
        reported_at=options.moment(when) if when else None,
        duration_s=number(span, "TestTimeSeconds"),
        status="ok" if failed is None else "error",
    )
    for option, value in asked.settings:
        tables.add("settings", run=run, option=option, text=value, origin="given")
    for path, value in leaves(root, only=("System",)):
        if path not in _IN_RUNS:
            tables.add("extras", run=run, path=path, text=value)
    if failed is None:
        add_results(tables, run, span, asked, offset)
    else:
        message = (failed.text or "the run failed").strip()
        tables.note(message, line=offset + failed.sourceline, severity="error", run=run)
    # standard error in the same file: "Error generating I/O requests" comes before </Results>
    if span.tail and span.tail.strip():
        line = offset + span.sourceline
        tables.note(span.tail.strip(), line=line, severity="warning", run=run)


READER = Reader(
    name="diskspd_xml",
    title="DISKSPD results in XML (2.0.12 to 2.2)",
    produced_by="diskspd ... -Rxml target > run.xml",
    tables=("runs", "settings", "io", "percentiles", "samples", "cpu", "extras", "notes"),
    sniff=sniff,
    read=read,
)
