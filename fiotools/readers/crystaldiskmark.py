"""crystaldiskmark: the text that CrystalDiskMark copies and saves.

Produced by its menu (Edit, Copy; File, Save); pasted into forums and articles, often without its
header. Fills ``runs``, ``io`` (a row per test and direction), ``settings`` (profile, test, mode,
count) and ``extras`` (edition, OS, comment; the date, which has no zone).

Traps. Each number is the BEST of several runs, and the smallest latency of these runs stands
beside the highest rate: neither is a mean over runs. ``MB/s`` is 10^6, but the block size ``512KB``
and the test file size ``1000 MB`` of 2.x and 3.x count in 1024. The tool computes IOPS from MB/s.
Before 7.0 it does not print the block size of sequential tests: that is a default in ``settings``.
A test that was not run is printed as zeros. The date is that of the text, which was saved as UTF-16
up to 7.x, as UTF-8 since. KDiskMark and others print alike, but measure with fio: they are not
read.

A report is an optional header, rows, and optional facts about the run, with nothing else between.
People cut the header off, quote, comment out and squeeze such reports, so the rows are the anchor.
Without a header a row must show that CrystalDiskMark computed it: its IOPS are always its MB/s
divided by the block size. Numbers have three decimals (MB/s), one (IOPS), two (us); a person may
have put commas between thousands; any other number was not printed by the tool.

Specified in ``DiskMarkDlg.cpp`` (``SaveText``, ``ResultText``, ``OnEditCopy``) and
``DiskBench.cpp`` of CrystalDiskMark, 2.x to 9.0.1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from fiotools import units
from fiotools.errors import ParseError
from fiotools.readers.document import Document, Report, Session, line_start, read_reports
from fiotools.readers.formats import CRYSTALDISKMARK_ROW
from fiotools.tables.notes import Note
from fiotools.tables.rows import Rows

_NAME = "crystaldiskmark"
_S = r"[ \t\xa0]"
_N = r"[\d.,]{1,20}"
_ROW = re.compile(
    CRYSTALDISKMARK_ROW + rf"(?:{_S}{{0,5}}\[{_S}{{0,15}}(?P<iops>{_N}){_S}{{0,3}}IOPS\])?"
    rf"(?:{_S}{{0,5}}(?:<|&lt;){_S}{{0,15}}(?P<us>{_N}){_S}{{0,3}}us(?:>|&gt;))?"
    # the text ends within the row
    rf"(?P<cut>{_S}{{0,5}}(?:\[|<|&lt;)[\d., IOPSus]{{0,40}}\Z)?"
)

_EDITION = r"x86|x64|ARM64|(?:Shizuku|Aoi) Edition|\(?UWP\)?|Portable|\[ADMIN\]|\[Admin\]"
_HEADER = re.compile(
    r"CrystalDiskMark[ \t\xa0]{1,5}v?(?P<version>\d{1,2}(?:\.\d{1,3}){1,3}\w{0,8})"
    r"(?:(?P<edition>[^\n(]{0,40}(?:\(UWP\))?[^\n(]{0,20})"
    r"(?:\([Cc]\)|©|&copy;)[ \t\xa0]{0,5}[\d-]{4,9}[ \t\xa0]{1,5}hiyohiyo"
    # people leave the copyright out
    rf"|(?P<words>(?:{_S}{{1,5}}(?:{_EDITION}))*){_S}{{0,5}}:?)"
)
# between header, rows and facts, and before a line that is quoted or commented out
_JUNK = re.compile(r"[\s>|*/#;\ufeff-]{1,400}|</?(?:br|p|pre|code|blockquote)[ /]{0,2}>")
_HEAD = re.compile(
    r"Crystal Dew World ?: ?https?://\S{1,60}|KB = 1000 bytes, KiB = 1024 bytes"
    r"|MB/s = 1,000,000 bytes?/s(?: \[SATA/\d+ = [\d,]+ bytes?/s\])?"
)
_SECTION = re.compile(r"\[(?P<way>Read|Write|Mix)\](?: Read (?P<reads>\d{1,3})%/Write \d{1,3}%)?")
# where newlines were lost, the next fact ends the one before; a comment is a whole line
_FACT = re.compile(
    r"""(?P<name>
        Test(?:\ Size)?(?=[ \xa0]?:[ \xa0]{0,3}\d{1,7}[ \xa0]{0,3}[KMG]i?B\b)
      | Date(?=[ \xa0]?:[ \xa0]{0,3}\d{4}/\d\d/\d\d[ ]{1,3}\d{1,2}:\d\d:\d\d)
      | Mix\ Ratio | Profile | Mode | Time | OS | (?P<whole>Comment)
    )[ \xa0]?:[ \xa0]{0,3}(?P<text>(?(whole)[^\n]{0,600}|
        [^\n]{0,600}?(?=\n|\Z|[ \xa0](?:Test|Date|Mode|Time|OS|Comment)[ \xa0]?:)))""",
    re.X,
)
_COMMENT = re.compile(r"\n {2}(?P<text>\S[^\n]{0,300})")  # up to 6.x it has no name
_TOOLS = re.compile(r"(Crystal)?DiskMark|disk-mark|fiomark|Flexible I/O")
_RULE = re.compile(r"(?:\A|\n)([^\w\n]{0,20}-{20,}[^\w\n]{0,3})\n\Z")
# the text ends here, at most with a line cut short
_ENDS = re.compile(r"\s*+[^\n`]{0,120}\Z")
# the numbers of a row, and how many decimals the tool prints of each
_PRINTED = {
    name: re.compile(rf"(?:\d{{1,9}}|\d{{1,3}}(?:,\d{{3}})+)\.\d{{{places}}}")
    for name, places in (("rate", 3), ("iops", 1), ("us", 2))
}
# of a section or a row: the direction, the pattern of sequential and of random tests
_WAYS = {
    "Read": ("read", "read", "randread"),
    "Write": ("write", "write", "randwrite"),
    "Mix": ("mixed", "rw", "randrw"),
}
# above this block size, three decimals of MB/s tell more than one of IOPS
_PRECISE = 10_000
# up to 3.x "KB" is 1024 bytes, whatever later headers say of KB
_KILO = {"K": 1024, "M": 1024**2}
_WINDOW = 1200  # a header and what follows it is shorter


class TestRow(NamedTuple):
    """One test: columns of `io`, and the block size that it does not print."""

    line: int
    label: str
    columns: dict[str, Any]
    default: str | None


@dataclass
class Result:
    """One report: its rows, its facts, and where it leaves doubt (lines count from its start)."""

    version: str | None = None
    edition: str = ""
    reads_pct: int | None = None
    rows: list[TestRow] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    problems: list[Note] = field(default_factory=list)
    cut: Note | None = None
    is_own: bool = False  # whether a row shows that CrystalDiskMark computed it


def read(document: Document, rows: Rows) -> None:
    """Read a text that holds nothing but CrystalDiskMark's reports."""
    if not document.reports:
        raise ParseError(
            document.name,
            "holds no report of CrystalDiskMark",
            line=1,
            remedy="copy or save the text from its menu",
        )
    read_reports(document, rows, add)


def parse(text: str, match: re.Match[str]) -> tuple[int, int, Result] | None:
    """Read the report whose first row is at the match."""
    result = Result()
    begun = _head(text, match.start(), result)
    if begun is None:
        return None
    start, at = begun
    end = _body(text, at, match.start(), result, text.count("\n", start, at))
    return (start, end, result) if result.version or result.is_own else None


def _head(text: str, first: int, result: Result) -> tuple[int, int] | None:
    """Look above the first row: where the report begins, and where its sections and rows do."""
    low = max(0, first - _WINDOW)
    above = text[low:first]
    if headers := [*_HEADER.finditer(above)]:
        header = headers[-1]
        at = header.end()
        while (
            token := _JUNK.match(above, at) or _HEAD.match(above, at) or _SECTION.match(above, at)
        ):
            at = token.end()
        if at == len(above):
            edition = header["edition"] or header["words"]
            result.version, result.edition = header["version"], edition.strip()
            start = _quoted(text, low + header.start())
            # the rule above the header
            rule = _RULE.search(text[max(0, start - 200) : start])
            return start - len(rule[1]) - 1 if rule else start, low + header.end()
    named = [*_TOOLS.finditer(above)]
    if named and not named[-1][1]:
        return None  # one that looks alike
    at = first
    for section in _SECTION.finditer(text, max(low, at - 80), first):
        if not _JUNK.sub("", text[section.end() : first]):
            at = section.start()
    return _quoted(text, at), at


def _quoted(text: str, at: int) -> int:
    """Go back to the start of the line over marks of a quote or comment."""
    start = line_start(text, at, 60)
    return at if start is None or _JUNK.sub("", text[start:at]) else start


def _body(text: str, at: int, first: int, result: Result, line: int) -> int:
    """Read sections, rows (from the first) and facts up to other text; return where that begins."""
    end, way = first, None
    sections: set[str] = set()
    seen: set[tuple[str, ...]] = set()
    while True:
        if token := _JUNK.match(text, at):
            line += text.count("\n", at, token.end())
        elif token := _FACT.match(text, at):
            if token["name"] in result.facts:
                break
            result.facts[token["name"]] = token["text"].strip()
            is_old = result.version is not None and int(result.version.partition(".")[0]) < 7
            comment = _COMMENT.match(text, token.end()) if token["name"] == "OS" else None
            if comment and is_old and not _FACT.match(text, comment.start("text")):
                result.facts["Comment"] = comment["text"].strip()
                line, token = line + 1, comment
            end = token.end()
        elif result.facts:
            break  # facts come last
        elif token := _SECTION.match(text, at):
            way = token["way"]
            if way in sections and at > first:
                break
            sections.add(way)
            if token["reads"] and int(token["reads"]) <= 100:
                result.reads_pct = int(token["reads"])
        elif token := _ROW.match(text, at):
            key = tuple(token[name] or "" for name in ("kind", "way", "size", "depth", "threads"))
            if result.version is None and way is None and key in seen:
                break  # the same test again: another report
            seen.add(key)
            _take_row(token, way, line, result)
            end = token.end()
        elif not (token := _HEAD.match(text, at) if at < first else None):
            break
        at = token.end()
    return _tail(text, at, end, line, result)


def _take_row(token: re.Match[str], way: str | None, line: int, result: Result) -> None:
    """Read one row; a number that is not as the tool prints it is a problem instead."""
    label = " ".join(token[0].partition(":")[0].split())
    if token["cut"]:
        message = f"the report ends within the row {label!r}: it is left out"
        result.cut = Note("incomplete", "warning", line, message)
        return
    for name, pattern in _PRINTED.items():
        if token[name] and not pattern.fullmatch(token[name]):
            message = f"{token[name]!r} is not a number as CrystalDiskMark prints it"
            message = f"{label}: {message}; the row is left out"
            result.problems.append(Note("left out", "warning", line, message))
            return
    rate, iops, us = (
        float(token[name].replace(",", "")) if token[name] else None for name in _PRINTED
    )
    bs = int(token["size"]) * _KILO[token["unit"][0]] if token["size"] else None
    if iops is not None and bs and not _agree(token["rate"], token["iops"], bs):
        message = (
            f"{label}: {token['iops']} IOPS are not {token['rate']} MB/s / {bs} bytes;"
            " they are recomputed"
        )
        result.problems.append(Note("contradiction", "warning", line, message))
        iops = None
    result.is_own |= bool(iops and bs)
    if us is not None and token["way"]:
        # test versions before 7.0 printed 1 / IOPS here
        message = f"{label}: the latency was computed, not measured: left out"
        result.problems.append(Note("left out", "warning", line, message))
        us = None
    # the IOPS as printed, or computed as the tool does it: whichever has more digits
    if bs and rate and (iops is None or bs > _PRECISE):
        iops = round(rate * 1e6) / bs
    depth, is_random = int(token["depth"] or 0), token["kind"][0] == "R"
    direction, *patterns = _WAYS.get(token["way"] or way or "", (None, None, None))
    columns = {
        "direction": direction,
        "rw": patterns[is_random],
        "bs_bytes": bs or None,
        "iodepth": depth or None,
        "numjobs": int(token["threads"] or 0) or None,
        # a rate that prints as zero was measured, but not printed
        "bw_bytes_per_s": _whole(rate, 1e6),
        "iops": iops or None,
        "lat_mean_ns": _whole(us, 1000),
    }
    # since 4.0 there are two sequential tests
    default = None if bs or is_random else "128KiB" if depth else "1MiB"
    result.rows.append(TestRow(line, label, columns, default))


def _agree(rate: str, iops: str, bs_bytes: int) -> bool:
    """Whether the IOPS may be the rate divided by the block size, before both were rounded."""
    low, high = (value * 1e6 / bs_bytes for value in units.interval(rate, "round"))
    least, most = units.interval(iops, "round")
    slack = 1e-9 * most
    return low <= most + slack and least <= high + slack


def _whole(value: float | None, worth: float) -> float | None:
    """Return a value that was printed to whole base units; zero is nothing measured."""
    return float(round(value * worth)) or None if value else None


def _tail(text: str, at: int, end: int, line: int, result: Result) -> int:
    """Return the end of the report; note it if the text ends first, and take its broken line."""
    if result.version is None or result.cut:
        return end
    if result.version.startswith(("1.", "2.")) and "Date" in result.facts:
        return end  # these did not tell the OS
    system = result.facts.get("OS", "")
    if system and (system.endswith(")") or end < len(text)):
        return end
    if _ENDS.match(text, at):
        where = "within its OS" if system else "before its Test, Date and OS"
        result.cut = Note("incomplete", "warning", line, f"the report ends {where}")
        return len(text)
    return end


def add(rows: Rows, report: Report, session: Session) -> int:
    """Add one report as a run with a row of I/O per test and direction."""
    result: Result = report.data
    run = rows.start_run(
        tool=_NAME,
        tool_version=result.version,
        format=_NAME,
        host=session.host,
        status="truncated" if result.cut else "ok",
    )
    for note in (*result.problems, *filter(None, [result.cut])):
        rows.say(note._replace(line=report.line + (note.line or 0)), run)
    _add_facts(rows, run, report, result)
    test = result.facts.get("Test") or result.facts.get("Test Size", "")
    target = re.search(r"\[([A-Z]:)", test)
    size = re.match(r"\d+ *[KMG]i?B", test)
    whole = {
        "target": target[1] if target else None,
        "size_bytes": int(units.size(size[0])) if size else None,
    }
    idle, entry = [], 0
    for row in result.rows:
        direction = row.columns["direction"]
        if not any(row.columns[name] for name in ("bw_bytes_per_s", "iops", "lat_mean_ns")):
            idle.append(f"{row.label} {direction or ''}".strip())
            continue
        entry += 1
        reads = result.reads_pct if direction == "mixed" else None
        same = {"run": run, "entry": entry}
        rows.add("io", **same, scope="job", rwmixread_pct=reads, **whole, **row.columns)
        if row.default and result.version:
            option = {"option": "block size", "text": row.default, "origin": "default"}
            rows.add("settings", **same, **option)
    if lost := next((row for row in result.rows if row.columns["direction"] is None), None):
        message = f"{lost.label}: [Read], [Write] or [Mix] is cut off above"
        line = report.line + lost.line
        rows.note(message, code="incomplete", line=line, severity="warning", run=run)
    if idle:
        message = f"{len(idle)} tests were not run: {', '.join(idle[:8])}"
        rows.note(message, code="idle", line=report.line, run=run)
    return run


def _add_facts(rows: Rows, run: int, report: Report, result: Result) -> None:
    """Add the facts about the run, and the note that its numbers are the best ones."""
    found = re.search(r"\(x(\d{1,3})\)", result.facts.get("Test", ""))
    count = found[1] if found else ""
    for name, text in {**result.facts, "edition": result.edition, "count": count}.items():
        if text and name in ("Date", "OS", "Comment", "edition"):
            rows.add("extras", run=run, path=name, text=text)
        elif text:
            rows.add("settings", run=run, option=name, text=text, origin="given")
    if count != "1":
        of = f"{count} runs" if count else "the runs"
        rows.note(
            f"each value is the best of {of}, not their mean",
            code="meaning",
            line=report.line,
            run=run,
        )
