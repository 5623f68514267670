"""dd: what it prints on standard error when it ends.

Produced by ``dd ... 2>log``. Fills ``runs``, ``io``, ``settings`` (from the command line, where a
transcript shows one) and ``extras`` (the records in, out and truncated).

Read by structure and not by words, because the words are translated, reordered and dropped: two
lines with ``F+P`` (full and partial records), perhaps one about truncated records, and a line that
begins with the bytes and ends with seconds and a rate. Traps: the decimal mark follows the locale
and not the language; ``MB`` is 10^6 for GNU and BSD, 2^20 for BusyBox and toybox; a records-only
report (``status=noxfer``, BusyBox) has no bytes. The rate is computed again from bytes and seconds;
the printed one is a check.

Grammar: coreutils ``src/dd.c`` 5.3 to 9.11, FreeBSD ``bin/dd/misc.c``, BusyBox ``coreutils/dd.c``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fiotools import units
from fiotools.readers import shell
from fiotools.readers.base import Grammar, Reader, Report, Session, only, read_reports

if TYPE_CHECKING:
    from fiotools.sniff import Document
    from fiotools.tables import Tables

_RECORDS = re.compile(r"(?P<before>[^\n]*?)(?<![\d.+])(?P<full>\d+)\+(?P<partial>\d+)[^\n]*")
# what all locales share: the seconds' unit and what parts it from the rate ("s, ", "秒、", "secs")
_BYTES = re.compile(
    r"""[^\n\d]*
    (?P<bytes>\d+)[^\n]*?(?<![\d.,])
    (?P<seconds>\d+(?:[.,]\d+)?(?:e[+-]?\d+)?)[ \xa0]?(?:s|c|秒|secs?|seconds?|\w*ekund\w*)
    (?:[,，、]\s*|\s\()
    (?P<rate>\d+(?:[.,]\d+)?|\D+?)[ \xa0]?
    (?P<unit>[kKMGTPEZY]?)(?P<byte>i?B?|bytes)/(?:s|c|秒|sec)\)?[ \t]*$""",
    re.X | re.M,
)


@dataclass(frozen=True)
class Result:
    """One dd report, as printed."""

    records_in: tuple[int, int]
    records_out: tuple[int, int]
    truncated: str | None
    io_bytes: int | None
    seconds: float | None
    rate: str | None
    rate_bounds: tuple[float, float] | None


def sniff(document: Document) -> bool:
    """Claim a text that is nothing but dd reports."""
    return only("dd", document)


def read(document: Document, tables: Tables) -> None:
    """Read a text that is nothing but dd reports."""
    read_reports(document, tables, GRAMMAR)


def parse(text: str, match: re.Match[str]) -> tuple[int, int, Result] | None:
    """Read the report whose first ``F+P`` is at the match."""
    start = text.rfind("\n", 0, match.start()) + 1
    first = _RECORDS.match(text, start)
    second = _RECORDS.match(text, first.end() + 1) if first else None
    if not first or not second:
        return None
    end, truncated = second.end(), None
    # what stands before the numbers on both lines ("disk1: ") stands before the bytes too
    prefix = first["before"] if first["before"] == second["before"] else ""
    found = _bytes_line(text, end + 1, prefix)
    if not found:  # one line may stand between: "2 truncated records"
        line_end = text.find("\n", end + 1)
        found = _bytes_line(text, line_end + 1, prefix) if line_end >= 0 else None
        if found:
            truncated = text[end + 1 : line_end].strip()
    into, out = ((int(m["full"]), int(m["partial"])) for m in (first, second))
    if not found:
        return start, end, Result(into, out, None, None, None, None, None)
    rate = f"{found['rate']} {found['unit']}{found['byte']}/s"
    return (
        start,
        found.end(),
        Result(
            into,
            out,
            truncated,
            int(found["bytes"]),
            units.number(found["seconds"]),
            rate,
            _bounds(found),
        ),
    )


def _bytes_line(text: str, at: int, prefix: str) -> re.Match[str] | None:
    return _BYTES.match(text, at + len(prefix)) if text.startswith(prefix, at) else None


def _bounds(found: re.Match[str]) -> tuple[float, float] | None:
    """Between which rates the printed one was rounded; None for a word such as Infinity."""
    printed = found["rate"]
    if not printed[0].isdigit():
        return None
    # BusyBox glues "6.4GB/s" and toybox writes "16 G/s": both count in 1024
    glued = found["unit"] and found.start("unit") == found.end("rate")
    kilo = 1024 if glued or (found["unit"] and not found["byte"]) else 1000
    scale = units.size(f"1{found['unit']}", kilo=kilo)
    digits = len(re.split("[.,]", printed)[1]) if re.search("[.,]", printed) else 0
    half = 0.5 * 10**-digits
    value = units.number(printed)
    return (value - half) * scale, (value + half) * scale


def add(tables: Tables, report: Report, session: Session) -> int:
    """Add one report as a run with one row of I/O."""
    result: Result = report.data
    options = shell.operands(session.command or "", "dd")
    run = tables.start_run(
        tool="dd",
        format="dd",
        command=session.command,
        host=session.host,
        duration_s=result.seconds,
    )
    direction = _direction(options)
    target = options.get("if" if direction == "read" else "of")
    records = result.records_in if direction == "read" else result.records_out
    if result.io_bytes is None or result.seconds is None:
        tables.note(
            "dd printed records only (no bytes, no seconds): no rate", line=report.line, run=run
        )
    elif result.io_bytes:
        tables.add(
            "io",
            run=run,
            entry=1,
            target=target,
            direction=direction,
            scope="job",
            bs_bytes=_block_size(options, direction),
            direct=_direct(options, direction),
            io_bytes=result.io_bytes,
            total_ios=sum(records),
            runtime_s=result.seconds,
            iops=sum(records) / result.seconds if result.seconds else None,
            bw_bytes_per_s=result.io_bytes / result.seconds if result.seconds else None,
        )
        _check_rate(tables, result, report.line, run)
    for name, value in options.items():
        tables.add("settings", run=run, entry=1, option=name, text=value, origin="given")
    texts: tuple[tuple[str, str | None], ...] = (
        ("records_in", "{}+{}".format(*result.records_in)),
        ("records_out", "{}+{}".format(*result.records_out)),
        ("truncated_records", result.truncated),
        ("rate", result.rate),
    )
    for path, text in texts:
        if text is not None:
            tables.add("extras", run=run, entry=1, path=path, text=text)
    return run


def _direction(options: dict[str, str]) -> str | None:
    """Say which way the data went, as far as the command tells."""
    given, to = options.get("if"), options.get("of")
    if to == "/dev/null":
        return "read"
    if given in ("/dev/zero", "/dev/random", "/dev/urandom"):
        return "write"
    return "copy" if given and to else None


def _block_size(options: dict[str, str], direction: str | None) -> int | None:
    text = options.get("ibs" if direction == "read" else "obs") or options.get("bs")
    return shell.dd_number(text) if text else None


def _direct(options: dict[str, str], direction: str | None) -> bool | None:
    if not options or direction not in ("read", "write"):
        return None
    return "direct" in options.get("iflag" if direction == "read" else "oflag", "").split(",")


def _check_rate(tables: Tables, result: Result, line: int, run: int) -> None:
    """Note a printed rate that its own bytes and seconds contradict."""
    if result.rate_bounds is None or not result.seconds or result.io_bytes is None:
        return
    rate = result.io_bytes / result.seconds
    low, high = result.rate_bounds
    slack = rate * 2e-5  # the seconds have six figures
    if not low - slack <= rate <= high + slack:
        tables.note(
            f"printed rate {result.rate} is not bytes / seconds = {units.human(rate, 'B/s')};"
            " the latter is kept",
            line=line + 2,
            severity="warning",
            run=run,
        )


GRAMMAR = Grammar(
    anchor=r"(?<![\d.+:])\d+\+\d+(?=[ \xa0个의])[^\n]*\n[^\n]*?(?<![\d.+:])\d+\+\d+(?=[ \xa0个의])",
    parse=parse,
    add=add,
)

READER = Reader(
    name="dd",
    title="dd reports (GNU, BSD, BusyBox; any language)",
    produced_by="dd if=... of=... 2>log",
    tables=("runs", "io", "settings", "extras", "notes"),
    sniff=sniff,
    read=read,
    grammar=GRAMMAR,
)
