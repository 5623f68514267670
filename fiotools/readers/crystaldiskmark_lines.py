"""CrystalDiskMark: its lines in any text, from 2.x to 9.x.

A report is a header (perhaps), rows, and facts about the run (perhaps), with nothing foreign
between. People cut the header off, quote, comment out and squeeze such reports, so the rows are
the anchor. Without a header a row has to show who computed it: CrystalDiskMark's IOPS are always
its MB/s divided by the block size. Numbers have three decimals (MB/s), one (IOPS), two (us); a
person may have put commas between thousands; any other number was not printed by the tool.

Grammar: ``DiskMarkDlg.cpp`` (``SaveText``, ``ResultText``, ``OnEditCopy``), 2.x to 9.0.1.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from fiotools import units
from fiotools.printed import interval

_S = r"[ \t\xa0]"
_N = r"[\d.,]{1,20}"
# no blank belongs to two parts, and none repeats without bound: the search stays linear
_RATE = (
    r"(?<![A-Za-z])(?P<kind>Sequential|Seq|SEQ|Random|RND)"
    rf"(?:{_S}{{1,30}}(?P<way>Read|Write|Mix)(?![A-Za-z]))?"
    rf"(?:{_S}{{1,30}}(?P<size>\d{{1,5}}){_S}?(?P<unit>[KM]i?B))?"
    rf"(?:{_S}{{0,30}}\((?:QD?={_S}{{0,5}}(?P<depth>\d{{1,5}}))?"
    rf"(?:,{_S}{{0,5}})?(?:T={_S}{{0,5}}(?P<threads>\d{{1,5}}))?\))?"
    rf"{_S}{{0,30}}:{_S}{{0,30}}(?P<rate>{_N}){_S}{{0,5}}MB/s"
)
_ROW = re.compile(
    _RATE + rf"(?:{_S}{{0,5}}\[{_S}{{0,15}}(?P<iops>{_N}){_S}{{0,3}}IOPS\])?"
    rf"(?:{_S}{{0,5}}(?:<|&lt;){_S}{{0,15}}(?P<us>{_N}){_S}{{0,3}}us(?:>|&gt;))?"
    # the text ends within the row
    rf"(?P<cut>{_S}{{0,5}}(?:\[|<|&lt;)[\d., IOPSus]{{0,40}}\Z)?"
)

_HEADER = re.compile(
    r"CrystalDiskMark[ \t\xa0]{1,5}(?P<version>\d{1,2}(?:\.\d{1,3}){1,3}\w{0,8})"
    r"(?P<edition>[^\n(]{0,40}(?:\(UWP\))?[^\n(]{0,20})"
    r"(?:\(C\)|©|&copy;)[ \t\xa0]{0,5}[\d-]{4,9}[ \t\xa0]{1,5}hiyohiyo"
)
# what stands between header, rows and facts, and before a line that is quoted or commented out
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
# the text ends here, at most with a line cut short
_ENDS = re.compile(r"\s*+[^\n`]{0,120}\Z")
_DECIMALS = {
    places: re.compile(rf"(?:\d{{1,9}}|\d{{1,3}}(?:,\d{{3}})+)\.\d{{{places}}}")
    for places in (1, 2, 3)
}
_WAYS = {"Read": "read", "Write": "write", "Mix": "mixed"}
_WINDOW = 1200  # a header and what follows it is shorter


class Row(NamedTuple):
    """One test, as printed."""

    line: int
    label: str
    random: bool
    direction: str | None
    bs_bytes: int | None
    depth: int | None
    threads: int | None
    rate: float
    iops: float | None
    latency_us: float | None


@dataclass
class Result:
    """One report: its rows, its facts, and where it leaves doubt (lines count from its start)."""

    version: str | None = None
    edition: str = ""
    reads_pct: int | None = None
    rows: list[Row] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    problems: list[tuple[int, str]] = field(default_factory=list)
    cut: tuple[int, str] | None = None


def parse(text: str, match: re.Match[str]) -> tuple[int, int, Result] | None:
    """Read the report whose first row is at the match."""
    result = Result()
    first = match.start()
    start, way = _head(text, first, result)
    if start is None:
        return None
    end = _body(text, first, way, result, text.count("\n", start, first))
    if result.version is None and not any(_is_its_own(row) for row in result.rows):
        return None
    return start, end, result


def _head(text: str, first: int, result: Result) -> tuple[int | None, str | None]:
    """Look above the first row for the header and the section: where the report begins."""
    low = max(0, first - _WINDOW)
    above = text[low:first]
    way = None
    if header := _last(_HEADER, above):
        at = header.end()
        while token := _between(above, at):
            way = _entered(token, result) or way
            at = token.end()
        if at == len(above):
            result.version, result.edition = header["version"], header["edition"].strip()
            return _above_header(text, low + header.start()), way
    if (named := _last(_TOOLS, above)) and not named[1]:
        return None, None  # one that looks alike
    at, way, result.reads_pct = len(above), None, None
    for section in _SECTION.finditer(above, max(0, at - 80)):
        if not _JUNK.sub("", above[section.end() :]):
            way, at = _entered(section, result), section.start()
    return _line_start(text, low + at), way


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    found = deque(pattern.finditer(text), maxlen=1)
    return found[0] if found else None


def _between(text: str, at: int) -> re.Match[str] | None:
    return _JUNK.match(text, at) or _HEAD.match(text, at) or _SECTION.match(text, at)


def _entered(token: re.Match[str], result: Result) -> str | None:
    """Say which section a token begins, and keep the ratio of a mixed one."""
    if token.re is not _SECTION:
        return None
    if token["reads"] and int(token["reads"]) <= 100:
        result.reads_pct = int(token["reads"])
    return token["way"]


def _line_start(text: str, at: int) -> int:
    """Go back to the start of the line, if nothing but a quote's or comment's marks is there."""
    start = text.rfind("\n", max(0, at - 60), at) + 1
    if start == 0 and at > 60:
        return at  # a long line
    return at if _JUNK.sub("", text[start:at]) else start


def _above_header(text: str, at: int) -> int:
    """Take the rule above the header along."""
    start = _line_start(text, at)
    rule = re.search(
        r"(?:\A|\n)([^\w\n]{0,20}-{20,}[^\w\n]{0,3})\n\Z", text[max(0, start - 200) : start]
    )
    return start - len(rule[1]) - 1 if rule else start


def _body(text: str, first: int, way: str | None, result: Result, line: int) -> int:
    """Read rows, sections and facts until something else stands there; return where that is."""
    at = end = first
    sections = {way}
    seen: set[tuple[str, ...]] = set()
    while True:
        junk = _JUNK.match(text, at)
        if junk:
            line += text.count("\n", at, junk.end())
            at = junk.end()
            continue
        token = _FACT.match(text, at)
        if token:
            if token["name"] in result.facts:
                break
            result.facts[token["name"]] = token["text"].strip()
            at = end = token.end()
            comment = token["name"] == "OS" and _is_old(result) and _COMMENT.match(text, at)
            if comment and not _FACT.match(text, comment.start("text")):
                result.facts["Comment"] = comment["text"].strip()
                line += 1
                at = end = comment.end()
            continue
        if result.facts:
            break  # facts come last
        token = _SECTION.match(text, at)
        if token:
            if token["way"] in sections:
                break
            way = _entered(token, result)
            sections.add(way)
            at = token.end()
            continue
        token = _ROW.match(text, at)
        if not token:
            break
        key = (token["kind"], *(token[name] or "" for name in ("way", "size", "depth", "threads")))
        if result.version is None and way is None and key in seen:
            break  # the same test again: another report
        seen.add(key)
        _add_row(token, way, line, result)
        at = end = token.end()
    return _tail(text, at, end, line, result)


def _is_old(result: Result) -> bool:
    return result.version is not None and int(result.version.partition(".")[0]) < 7


def _add_row(token: re.Match[str], way: str | None, line: int, result: Result) -> None:
    """Read one row; a number that is not as the tool prints it is a problem instead."""
    label = " ".join(token[0].partition(":")[0].split())
    if token["cut"]:
        result.cut = line, f"the report ends within the row {label!r}: it is left out"
        return
    printed = {"rate": 3, "iops": 1, "us": 2}
    for name, places in printed.items():
        if token[name] and not _DECIMALS[places].fullmatch(token[name]):
            message = f"{token[name]!r} is no number as CrystalDiskMark prints it"
            result.problems.append((line, f"{label}: {message}; the row is left out"))
            return
    said = token["way"] or way
    # up to 3.x "KB" is 1024 bytes, whatever later headers say of KB
    kilo = {"K": 1024, "M": 1024**2}
    bs = int(token["size"]) * kilo[token["unit"][0]] if token["size"] else None
    rate, iops = units.ungroup(token["rate"]), _number(token["iops"])
    if iops is not None and bs and not _agree(token["rate"], token["iops"], bs):
        message = (
            f"{label}: {token['iops']} IOPS are not {token['rate']} MB/s / {bs} bytes;"
            " they are computed again"
        )
        result.problems.append((line, message))
        iops = None
    latency = _number(token["us"])
    if latency is not None and token["way"]:
        # test versions before 7.0 printed 1 / IOPS here
        result.problems.append((line, f"{label}: the latency was computed, not measured: left out"))
        latency = None
    row = Row(
        line=line,
        label=label,
        random=token["kind"][0] == "R",
        direction=_WAYS[said] if said else None,
        bs_bytes=bs or None,
        depth=int(token["depth"] or 0) or None,
        threads=int(token["threads"] or 0) or None,
        rate=rate,
        iops=iops,
        latency_us=latency,
    )
    result.rows.append(row)


def _number(printed: str | None) -> float | None:
    return units.ungroup(printed) if printed else None


def _agree(rate: str, iops: str, bs_bytes: int) -> bool:
    """Whether the IOPS may be the rate divided by the block size, before both were rounded."""
    low, high = (value * 1e6 / bs_bytes for value in interval(rate, "round"))
    least, most = interval(iops, "round")
    slack = 1e-9 * most
    return low <= most + slack and least <= high + slack


def _is_its_own(row: Row) -> bool:
    """Whether a row shows that CrystalDiskMark computed it."""
    return row.iops is not None and bool(row.iops) and row.bs_bytes is not None


def _tail(text: str, at: int, end: int, line: int, result: Result) -> int:
    """Say whether the text ends before the report does, and take the rest of a line that does."""
    if result.version is None or result.cut:
        return end
    if result.version.startswith(("1.", "2.")) and "Date" in result.facts:
        return end  # these did not tell the OS
    system = result.facts.get("OS", "")
    if system and (system.endswith(")") or end < len(text)):
        return end
    if _ENDS.match(text, at):
        where = "within its OS" if system else "before its Test, Date and OS are all told"
        result.cut = line, f"the report ends {where}"
        return len(text)
    return end
