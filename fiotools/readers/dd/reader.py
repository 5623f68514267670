"""dd: its report on standard error at the end, on a signal, or as progress.

Produced by ``dd ... 2>log``. Fills ``runs``, ``io``, ``samples`` (progress, and earlier reports of
the same dd), ``settings`` (from the command line, where a transcript shows one), ``extras`` (the
records in, out and truncated, the printed rate) and ``notes`` (errors and warnings of dd).

Reports are read by structure, because words are translated, reordered and dropped: two lines with
``F+P`` (full and partial records), perhaps one about truncated records, and a line that begins with
the bytes and ends with seconds and a rate. Traps: the decimal mark follows the locale, not the
language; ``MB`` is 10^6 for GNU and BSD, 2^20 for BusyBox and toybox; a records-only report
(``status=noxfer``, BusyBox) has no bytes; one dd may report many times, and then the last report
counts; two dd in a pipeline write between each other's lines. The rate is recomputed from bytes and
seconds; the printed one is a check, and kept if it is more precise.

Grammar: coreutils ``src/dd.c`` 4.0 to 9.11, FreeBSD ``bin/dd/misc.c``, BusyBox ``coreutils/dd.c``,
toybox ``toys/pending/dd.c``, uutils ``dd/src/progress.rs`` 0.0.17 to 0.12.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fiotools.errors import ParseError
from fiotools.readers.dd import lines as dd_lines
from fiotools.readers.dd.lines import Amounts, Records, Said, Spoiled, Token, Whole
from fiotools.readers.dd.rows import add
from fiotools.readers.dd.runs import Block, is_same
from fiotools.readers.document import Session
from fiotools.readers.pasted import SEPARATOR
from fiotools.readers.text import line_start

if TYPE_CHECKING:
    from fiotools.readers.document import Document
    from fiotools.tables import Tables

# "dd: ..." is a message, not prose, if it has a quoted or absolute name, or dd's words
_MESSAGE = re.compile(
    r"[^\n]{0,200}['‘`\"][^\n]{1,300}['’\"]|/\S{1,300}: "
    r"|(?:IO error|error|failed|can.t open|invalid|unrecogni[sz]ed|unknown|bad arg|not integer"
    r"|memory exhausted|warning|writing|reading|opening|cannot)\b"
)
# a last line that breaks off before its seconds
_FRAGMENT = re.compile(r"\s{0,200}[^0-9\n]{0,40}[0-9]{1,24}[^\n]{0,200}\Z")
# the beginning of a line of bytes; the damage stands behind the bytes
_SPOILED = re.compile(r"[\s>#]*[0-9][0-9.,' ]{0,40}[^\W\d_]{1,20}\b[^\n]{0,60}[(（,，、/][^\n]*")
_TRUNCATED = re.compile(r"truncated|odd length")
_GAP, _DOUBTFUL = 5, 4  # lines without tokens, tokens without certainty: no more than that
_COMMENT = re.compile(r"\s*(?:#|=?>?\s*\])")


def read(document: Document, tables: Tables) -> None:
    """Read a text that holds nothing but dd's output."""
    reports = document.reports
    if reports and not any(report.data.has_result for report in reports):
        raise ParseError(
            document.name,
            f"dd printed no report; it said {_first(reports[0].data)!r}",
            line=reports[0].line,
            remedy="correct that and run dd again",
        )
    for report in reports:
        add(tables, report, Session())


def _first(block: Block) -> str:
    return next(t.value.message for t in block.tokens if isinstance(t.value, Said))[:120]


def parse(text: str, match: re.Match[str]) -> tuple[int, int, Block] | None:
    """Read dd's output around the match, down to the first other line."""
    at = line_start(text, match.start(), dd_lines.LONGEST, "\n\r")
    if at is None:
        return None
    for command in dd_lines.COMMAND.finditer(text, at, match.start()):
        at = command.end()
    tokens: list[Token] = []
    stops: list[int] = []
    start = end = at
    is_certain = is_kept = False
    line = gap = 0
    aside: Token | None = None
    while at <= len(text) and gap < _GAP and (is_certain or len(tokens) <= _DOUBTFUL):
        if aside is None and (found := dd_lines.whole(text, at, line)):
            start = start if tokens else at
            token, at, line = found
            tokens.append(token)
            end, gap, is_certain = token.end, 0, True
            continue
        here, number = at, line
        stop = dd_lines.line_end(text, at)
        if stop - here > dd_lines.LONGEST:
            break
        at, line, gap = stop + 1, line + (text[stop : stop + 1] == "\n"), gap + 1
        part = text[here:stop]
        segment = dd_lines.segment(part)
        if segment.is_blank:
            continue
        if not tokens:
            if not segment.tokens or _is_prose(segment.tokens[0].value):
                return None
            start = here + _begin(part, segment.tokens[0].start) if segment.foreign else here
        elif segment.foreign:
            break
        if "^C" in part:
            stops.append(number)
        if segment.is_stray:
            continue
        if not segment.tokens:
            held = aside is None and _is_after_records(tokens) and dd_lines.aside(part)
            if not held:
                break
            aside, is_kept = held.placed(here, number), bool(_TRUNCATED.search(part))
            if is_kept:
                tokens.append(aside)
                end = stop
            continue
        if aside is not None:
            # the words are dd's only if amounts follow
            if not is_kept:
                if not isinstance(segment.tokens[0].value, Amounts):
                    break
                tokens.append(aside)
            aside = None
        tokens += [token.placed(here, number) for token in segment.tokens]
        gap, is_certain = 0, is_certain or _is_certain(tokens)
        tail = part[segment.tokens[-1].end :]
        is_bare = not tail.strip()
        end = stop if is_bare else tokens[-1].end
        if not (is_bare or _COMMENT.match(tail)):
            break
    return _closed(text, start, end, tokens, stops) if is_certain else None


def _closed(
    text: str, start: int, end: int, tokens: list[Token], stops: list[int]
) -> tuple[int, int, Block]:
    """Find how dd's output ends: overwritten, cut off, or with a damaged line."""
    low, stop = max(0, end - dd_lines.LONGEST), dd_lines.line_end(text, end)
    is_overwritten = text.rfind("\r", low, end) > text.rfind("\n", low, end)
    is_overwritten |= text[stop : stop + 1] == "\r"
    fragment, is_cut = None, False
    rest = text[end : end + 400]
    if "\n" not in rest.strip("\n") and end + len(rest) == len(text):
        last = tokens[-1].value
        if not isinstance(last, (Amounts, Said, Whole)) and _FRAGMENT.fullmatch(rest):
            fragment, is_cut, end = rest.strip(), True, len(text)
        elif isinstance(last, Amounts) and last.rate is None:
            is_cut, end = not rest.endswith("\n") or bool(rest.strip()), len(text)
    if not is_cut and _is_after_records(tokens) and (below := _SPOILED.match(rest)):
        at, end = end, end + below.end()
        line = tokens[-1].line + below[0].count("\n")
        tokens.append(Token(Spoiled(below[0].strip()), at, end, line))
    source = _source_above(text, start)
    return start, end, Block(tuple(tokens), tuple(stops), fragment, is_cut, is_overwritten, source)


def _source_above(text: str, at: int) -> str:
    """Return the source of a place, if prefixes of lines told it."""
    found = text.rfind(SEPARATOR, max(0, at - dd_lines.LONGEST), at)
    stop = text.find("\n", found, at)
    return text[found + 1 : stop] if 0 <= found < stop else ""


def _begin(part: str, at: int) -> int:
    """Step back over dd's words before its number, if they touch other text."""
    words = re.search(r"[^\x00-\x7f]{1,12} ?\Z", part[max(0, at - 13) : at])
    return at - len(words[0]) if words else at


def _is_after_records(tokens: list[Token]) -> bool:
    """Whether both lines of records stand above, and nothing below them."""
    return len(tokens) > 1 and all(isinstance(token.value, Records) for token in tokens[-2:])


def _is_prose(value: object) -> bool:
    """Whether a line only begins like a message of dd."""
    return isinstance(value, Said) and not _MESSAGE.match(value.message)


def _is_certain(tokens: list[Token]) -> bool:
    """Whether these are lines of dd, and not sums in a text or prose about dd."""
    values = [token.value for token in tokens]
    if any(isinstance(value, (Amounts, Whole)) for value in values):
        return True
    records = [value for value in values if isinstance(value, Records)]
    if len(records) > 1:
        one, other = records[:2]
        are_words = dd_lines.are_words(one.words) and dd_lines.are_words(other.words)
        return are_words and not is_same(one, other)
    return not records  # messages alone, and they were looked at
