"""Text to runs of dd: lines, in any language, whole or run together; reports; and runs.

Lines. Words differ by language, so the structure decides: records (``F+P``) stand twice, amounts
end in seconds with their unit and a rate. A number is taken only if the text behind it shows that
it is complete. All searches are bounded.

Reports. Records and amounts are joined by their order. Several dd on one standard error write
between each other's lines; then they are joined by arithmetic: without partial records the bytes
are a multiple of the full records.

Runs. A dd reports more than once on a signal, as progress, or after an error; the last report is
the result. Runs appended to one file look alike. Reports belong to one dd if bytes, seconds and
records grow and the block size stays; an unusual count (145+0) or the lines between them confirm
it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, permutations
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from fiotools import units
from fiotools.readers.document import line_start
from fiotools.readers.pasted import SEPARATOR

_LONGEST = 1000
_MOST = 8

_SIZE = r"[0-9]{1,20}(?:[.,][0-9]{1,3})?[ ]?(?:[kKMGTPEZY]?i?B|[kKMGTPEZY])"
# a minus sign, and what programs and people write for it
_DASHES = "\u2010\u2011\u2013\u2212"
_AS_PRINTED = str.maketrans(dict.fromkeys(_DASHES, "-") | {"E": "e"})
# "+0" of a time zone, 1+1=2 and the block counts of tcsh's time (0+131072io) are not records
_TOKEN = re.compile(
    rf"""
    (?P<full>(?<![0-9.,:+=])[0-9]{{1,18}})\+(?P<partial>[0-9]{{1,18}})(?=[ \t]|[^\x00-\x7f])
    (?P<words>[^0-9]{{1,60}})
  | (?<![0-9.,+:])(?:(?<![A-Za-z])|(?<=/s)|(?<=\\n))
    (?P<bytes>[0-9]{{1,18}}(?![eE][+-]?[0-9])
      # progress of the BSDs groups thousands, and so do people
      | [0-9]{{1,3}}(?:(?P<group>[.,'’ ])[0-9]{{3}})(?:(?P=group)[0-9]{{3}}){{0,4}}
        (?=[ ][Bb]ytes[ ]\([^()]{{1,40}}\)[ ](?:transferred|copied,|kopiert,)[ ][0-9]))
    (?P<what>[ ]?[^\s0-9.,:;=/|<>\[\]{{}}()@\#+%-][^0-9()（）]{{0,60}})
    (?:[(（\ufffd](?P<size>{_SIZE}(?:[^0-9()]{{1,4}}{_SIZE})?)(?P<verb>[^0-9]{{1,60}}))?
    (?<![{_DASHES}-])
    (?P<seconds>[0-9]{{1,15}}(?:[.,][0-9]{{1,12}})?(?:[eE][+{_DASHES}-][0-9]{{1,2}})?)
    [ ]?
    (?:
        (?P<unit>s|c|с|秒|secs?|seconds?|Sekunden?|secondes?|segundos?|second[io]|секунд\w{{0,3}})
        (?![^\W_0-9])
        (?:
            (?P<sep>[,，、\ufffd]{{1,4}}[ ]?|[ ]\()
            (?:(?P<rate>[0-9]{{1,24}}(?:[.,][0-9]{{1,3}})?)(?P<glue>[ ]?)
               (?P<prefix>[kKMGTPEZYRQ]?)(?P<byte>i?B|bytes)?/(?:sec|s|c|с|秒|초|[\ufffd?]{{1,3}})\)?
             | (?P<word>[^0-9,(]{{1,40}}?[ ]B/(?:s|c|秒|\ufffd{{1,3}})))
        )?
      | (?:[^\W\d_]{{1,12}}|[\ufffd?]{{1,4}})[,，、\ufffd]{{1,4}}[ ]?
        (?P<rate2>[0-9]{{1,24}}(?:[.,][0-9]{{1,3}})?)(?P<glue2>[ ]?)
        (?P<prefix2>[kKMGTPEZYRQ]?)B/(?:[^\W\d_]{{1,12}}|[\ufffd?]{{1,3}})
    )
    """,
    re.X,
)
_COUNT = r"(?:0|[1-9][0-9]{0,17})"
_RECORDS = rf"({_COUNT}\+{_COUNT}) records"
# what `_TOKEN` finds in these lines, found at once; progress has no records above it
_WHOLE = re.compile(
    rf"(?:{_RECORDS} in\n{_RECORDS} out\n)?"
    rf"([0-9]{{1,18}}) bytes (?:\(({_SIZE}(?:, {_SIZE})?)\) )?copied, "
    r"([0-9]{1,15}(?:\.[0-9]{1,12})?(?:e-[0-9]{1,2})?) s, "
    r"([0-9]{1,24}(?:\.[0-9]{1,3})? [kMGTPEZY]?B/s)(?=[\n\r]|\Z)"
)
# a command between two reports: lines were lost, and what follows is another dd's
_COMMAND = re.compile(r"\b[io]f=\S{1,400}")
_LEADS_TO_TIME = re.compile(r"[,，、\ufffd] ?$|transferred in $")
_ASIDE = re.compile(
    # "2 truncated records", "ein abgeschnittener Datensatz", "截断了 2 块记录", "잘린 레코드 2개"
    r"(?P<number>[0-9]{1,20})?(?:[^\W\d_]|[\s.?\ufffd'’])+(?:(?P<after>[0-9]{1,20})[^\W\d_]{0,6}"
    r"(?:[^\W\d_]|[\s?\ufffd])*)?"
)
# a program that writes between dd's lines names itself
_SPEAKER = re.compile(r"\s{0,40}(?!(?:dd(?:\.exe)?|load|[0-9]{1,60}):)[\w.@-]{1,60}: {1,8}")
_SAID = re.compile(r"(?:\S{0,200}/)?dd(?:\.exe)?: (?P<message>\S.*)")
# what other programs and the terminal put between dd's lines, and has no place elsewhere
_STRAY = re.compile(
    r"load: [0-9.]+  cmd: dd [0-9]+ .*|[0-9]+ blocks \([0-9]+[KMGT]b\) written\.|\^C"
    r"|.{0,100}\[[<=> -]{1,200}\][ 0-9%A-Z:]*"
)
# a timestamp of ts or of the kernel, quotation marks, comment signs, ^C, words that stand before
# the number ("输入了 16+0")
_OWN = re.compile(
    r"(?:\[?[ 0-9:.TZ+-]{5,40}\]?(?:[ \t]|(?<=\])))?(?:[\s>#]|//)*(?:\^C)?"
    r"[^\x00-\x1f\x21-\x3e@\[-`{-~]{0,40}"
)
_DATED = re.compile(r"[A-Z][a-z]{2}[ ]{1,2}\d{1,2} \d\d:\d\d:\d\d(?:\.\d+)? ")
# records, in the languages that dd speaks, those in ASCII by name; not "4+4 makes eight"
_WORDS = re.compile(
    r"[^\x00-\x7f?]|\?\?|r[ei][ck]ord|regist|rexist|datens|zapis|kirje|poster|tietue|taifead"
    r"|rekod|kayit|blo[ck]",
    re.I,
)
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
_INTERVAL = 0.9  # seconds between lines of progress, at least
_GAP, _DOUBTFUL = 5, 4  # lines without tokens, tokens without certainty: no more than that
_COMMENT = re.compile(r"\s*(?:#|=?>?\s*\])")
_TOUCHING = re.compile(r"[^\x00-\x7f]{1,12} ?\Z")


class Records(NamedTuple):
    """``F+P``, full and partial records, as printed."""

    text: str
    words: str


class Amounts(NamedTuple):
    """Bytes, seconds and rate."""

    bytes: int
    # as printed: ``268 MB, 256 MiB``, ``0.101``, ``3.1 GB/s``; None if that is missing
    size: str | None
    seconds: str
    elapsed: float  # the seconds
    rate: str | None
    # printed in the form of a final report: "in S secs (R bytes/sec)", "seconds"
    is_final: bool = False


class Aside(NamedTuple):
    """A line about truncated records, or an odd number of bytes to swap; empty if not of dd."""

    text: str


class Spoiled(NamedTuple):
    """A line below records that begins like a line of bytes, and goes on differently."""

    text: str


class Said(NamedTuple):
    """An error or a warning of dd."""

    message: str


class DdReport(NamedTuple):
    """One report of dd; records as ``F+P``."""

    line: int
    into: str | None = None
    out: str | None = None
    amounts: Amounts | None = None
    figures_line: int = 0
    aside: str | None = None
    spoiled: str | None = None
    is_own: bool = False  # of a dd that wrote at the same time as another


# a list holds whole reports, one below the other
Value: TypeAlias = Records | Amounts | Aside | Spoiled | Said | list[DdReport]


class Token(NamedTuple):
    """The meaning of one place of the text."""

    value: Value
    start: int
    end: int
    line: int = 0

    def placed(self, at: int, line: int) -> Token:
        """Return a token of a line that begins at a place."""
        return Token(self.value, at + self.start, at + self.end, line)


def _whole(text: str, at: int, line: int) -> tuple[Token, int, int] | None:
    """Read the whole reports that begin at a place, on a line; say where the next line begins."""
    found: list[DdReport] = []
    start, first, end = at, line, at
    once: dict[str | None, str | None] = {}  # texts that repeat are kept once
    while match := _WHOLE.match(text, at):
        *alike, amount, seconds = match.group(1, 2, 4, 6, 3, 5)
        into, out, size, rate = map(once.setdefault, alike, alike)
        amounts = Amounts(int(amount), size, seconds, float(seconds), rate)
        last = line + 2 if into else line
        found.append(DdReport(line, into, out, amounts, last))
        end = match.end()
        line, at = last + (text[end : end + 1] == "\n"), end + 1
    return (Token(found, start, end, first), at, line) if found else None


@lru_cache(maxsize=256)
def _tokens(line: str) -> tuple[tuple[Token, ...], bool]:
    """Find dd's tokens in one line; say whether other text stands before the first."""
    stripped = line.strip()
    if said := _SAID.fullmatch(stripped):
        at = line.index(stripped)
        return (Token(Said(said["message"]), at, at + len(stripped)),), False
    tokens: list[Token] = []
    for found in _TOKEN.finditer(line):
        if tokens and _COMMAND.search(line, tokens[-1].end, found.start()):
            break
        if token := _token(found):
            tokens.append(token)
        if len(tokens) > _MOST:  # sums, and no reports run together
            return (), False
    above = line[: tokens[0].start] if tokens else ""
    dated = _DATED.match(above)
    is_own = _OWN.fullmatch(above) or (dated and _OWN.fullmatch(above[dated.end() :]))
    return tuple(tokens), not is_own


def _aside(text: str) -> Token | None:
    """Read a line that may stand between records and amounts."""
    speaker = _SPEAKER.match(text)
    bare = text[speaker.end() if speaker else 0 :].strip().lstrip("># ")
    found = _ASIDE.fullmatch(bare) if 3 < len(bare) <= 80 else None
    if not found or not any(c.isalpha() or c in "?\ufffd" for c in bare):
        return None
    at = text.index(bare)
    return Token(Aside("" if speaker else bare), at, at + len(bare))


def _token(found: re.Match[str]) -> Token | None:
    """Read records or amounts; None for amounts that are only a number and a time ("0m 5.51s")."""
    start, end = found.span()
    if found["full"] is not None:
        end = max(found.start("words") + len(found["words"].rstrip()), found.end("partial"))
        records = Records(f"{int(found['full'])}+{int(found['partial'])}", found["words"].strip())
        return Token(records, start, end)
    number, rate = found["rate"] or found["rate2"], found["word"]
    if number:  # written as all dd would in English
        glue = found["glue"] or found["glue2"] or ""
        prefix = found["prefix"] or found["prefix2"] or ""
        byte = found["byte"] or ("B" if found["rate2"] else "")
        rate = f"{number}{glue}{prefix}{byte}/s"
    leads_to_time = len(found["what"]) > 4 and _LEADS_TO_TIME.search(found["what"])
    if not (rate or found["size"] or leads_to_time):
        return None
    group = found["group"]
    amount = int(found["bytes"].replace(group, "") if group else found["bytes"])
    seconds = found["seconds"].translate(_AS_PRINTED)
    is_final = len(found["unit"] or "") > 1
    elapsed = units.number(seconds)
    return Token(Amounts(amount, found["size"], seconds, elapsed, rate, is_final), start, end)


def _line_end(text: str, at: int) -> int:
    """Find the end of a line, or of a part that a carriage return overwrites, within a bound."""
    high = at + _LONGEST + 1
    newline = text.find("\n", at, high)
    stop = newline if newline >= 0 else min(len(text), high)
    carriage = text.find("\r", at, stop)
    return carriage if carriage >= 0 else stop


def parse(text: str, match: re.Match[str]) -> tuple[int, int, DdOutput] | None:
    """Read dd's output around the match, down to the first other line."""
    at = line_start(text, match.start(), _LONGEST, "\n\r")
    if at is None:
        return None
    for command in _COMMAND.finditer(text, at, match.start()):
        at = command.end()
    tokens: list[Token] = []
    stops: list[int] = []
    start = end = at
    is_certain = False
    line = gap = 0
    while at <= len(text) and gap < _GAP:
        # an aside in other words than those of dd stays only if amounts follow
        is_held = bool(tokens) and tokens[-1].end > end
        if not is_certain and len(tokens) - is_held > _DOUBTFUL:
            break
        if not is_held and (found := _whole(text, at, line)):
            start = start if tokens else at
            token, at, line = found
            tokens.append(token)
            end, gap, is_certain = token.end, 0, True
            continue
        here, number = at, line
        stop = _line_end(text, at)
        if stop - here > _LONGEST:
            break
        at, line, gap = stop + 1, line + (text[stop : stop + 1] == "\n"), gap + 1
        part = text[here:stop]
        if not part.strip() and SEPARATOR not in part:
            continue
        own, is_foreign = _tokens(part)
        if not tokens:
            begin = _begin(text, here, own, is_foreign)
            if begin is None:
                return None
            start = begin
        elif is_foreign:
            break
        if "^C" in part:
            stops.append(number)
        if not own:
            if _STRAY.fullmatch(part.strip()):
                continue
            aside = _is_after_records(tokens) and _aside(part)
            if not aside:
                break
            tokens.append(aside.placed(here, number))
            end = stop if _TRUNCATED.search(part) else end
            continue
        if is_held and not isinstance(own[0].value, Amounts):
            break
        tokens += [token.placed(here, number) for token in own]
        gap, is_certain = 0, is_certain or _is_certain(tokens)
        tail = part[own[-1].end :]
        is_bare = not tail.strip()
        end = stop if is_bare else tokens[-1].end
        if not (is_bare or _COMMENT.match(tail)):
            break
    if not is_certain:
        return None
    if tokens[-1].end > end:
        tokens.pop()
    return _closed(text, start, end, tokens, stops)


def _begin(text: str, at: int, tokens: Sequence[Token], is_foreign: bool) -> int | None:
    """Find where dd's output begins in its first line; None if that is prose."""
    if not tokens:
        return None
    first = tokens[0].value
    if isinstance(first, Said) and not _MESSAGE.match(first.message):
        return None
    if not is_foreign:
        return at
    # dd's words before its number may touch other text
    start = at + tokens[0].start
    words = _TOUCHING.search(text, max(at, start - 13), start)
    return words.start() if words else start


def _closed(
    text: str, start: int, end: int, tokens: list[Token], stops: list[int]
) -> tuple[int, int, DdOutput]:
    """Find how dd's output ends: overwritten, cut off, or with a damaged line."""
    low, stop = max(0, end - _LONGEST), _line_end(text, end)
    is_overwritten = text.rfind("\r", low, end) > text.rfind("\n", low, end)
    is_overwritten |= text[stop : stop + 1] == "\r"
    cut = ""
    rest = text[end : end + 400]
    if "\n" not in rest.strip("\n") and end + len(rest) == len(text):
        last = tokens[-1].value
        if not isinstance(last, (Amounts, Said, list)) and _FRAGMENT.fullmatch(rest):
            cut, end = f"the report was cut off after {rest.strip()[:80]!r}", len(text)
        elif isinstance(last, Amounts) and last.rate is None:
            end = len(text)
            if rest.strip() or not rest.endswith("\n"):
                cut = "the report was cut off"
    if not cut and _is_after_records(tokens) and (below := _SPOILED.match(rest)):
        at, end = end, end + below.end()
        line = tokens[-1].line + below[0].count("\n")
        tokens.append(Token(Spoiled(below[0].strip()), at, end, line))
    # the source, if prefixes of lines told it
    at = text.rfind(SEPARATOR, max(0, start - _LONGEST), start)
    source = text[at + 1 : max(at + 1, text.find("\n", at, start))] if at >= 0 else ""
    return start, end, DdOutput(tuple(tokens), tuple(stops), cut, is_overwritten, source)


def _is_after_records(tokens: list[Token]) -> bool:
    """Whether both lines of records stand above, and nothing below them."""
    return len(tokens) > 1 and all(isinstance(token.value, Records) for token in tokens[-2:])


def _is_certain(tokens: list[Token]) -> bool:
    """Whether these are lines of dd, and not sums in a text or prose about dd."""
    values = [token.value for token in tokens]
    if any(isinstance(value, (Amounts, list)) for value in values):
        return True
    records = [value for value in values if isinstance(value, Records)]
    if len(records) > 1:
        one, other = records[:2]
        are_words = _WORDS.search(one.words) and _WORDS.search(other.words)
        return bool(are_words) and not _is_same(one, other)
    return not records  # messages alone, and they were looked at


Remark = tuple[int, str, str]  # line, severity, message


@dataclass(slots=True)
class DdRun:
    """One dd: its last report, its earlier ones, and its messages."""

    last: DdReport
    earlier: Sequence[DdReport] = ()
    said: Sequence[tuple[int, str]] = ()
    is_stopped: bool = False  # ^C stands beside its last report
    end: str = ""  # says that its report was cut off
    remarks: Sequence[Remark] = ()


class DdOutput(NamedTuple):
    """Output of dd without anything else between."""

    tokens: tuple[Token, ...]  # their lines count from the block's first
    stops: tuple[int, ...] = ()  # lines with ``^C``
    cut: str = ""  # says that the text ends within a line of dd
    # whether the last amounts are progress: a carriage return stands beside them
    is_overwritten: bool = False
    source: str = ""  # its source (a host, a service), if a prefix of each line told that

    def runs(self, count: int | None = None) -> list[DdRun]:
        """Sort the output into runs; ``count`` is the command's."""
        printed, remarks = _reports(self.tokens)
        said = [
            (token.line, token.value.message)
            for token in self.tokens
            if isinstance(token.value, Said)
        ]
        if self.source and len(printed) == 2:  # which pdsh may bring in the wrong order
            first, second = printed
            if first.into is None and second.amounts is None and _fits(second, first.amounts):
                amounts, line = first.amounts, first.figures_line
                printed = [second._replace(amounts=amounts, figures_line=line)]
        found = _series(printed, said, count)
        if found:
            found[0].remarks = [*remarks, *found[0].remarks]
            last = found[-1]
            is_progress = last.last.into is None and last.last.amounts is not None
            if self.cut:
                last.end = self.cut
            elif is_progress and (last.earlier or self.is_overwritten):
                told = "progress without a report at the end"
                last.end = f"{told}: dd was killed, or the text was cut off"
        stops = {*self.stops}
        for run in found if stops else ():
            run.is_stopped = not stops.isdisjoint((run.last.line - 1, run.last.line))
        return found


class _Loose(NamedTuple):
    above: int  # how many reports without amounts stood above
    amounts: Amounts
    line: int


@lru_cache(maxsize=4096)
def counts(records: str) -> tuple[int, int]:
    """Return full and partial records."""
    full, _, partial = records.partition("+")
    return int(full), int(partial)


def _in_lines(tokens: Iterable[Token]) -> Iterator[tuple[int, Value]]:
    """Yield what each line says; the lines of whole reports one by one."""
    for token in tokens:
        if not isinstance(token.value, list):
            yield token.line, token.value
            continue
        for report in token.value:
            if report.into is not None and report.out is not None:
                yield report.line, Records(report.into, "records in")
                yield report.line + 1, Records(report.out, "records out")
            if report.amounts is not None:
                yield report.figures_line, report.amounts


def _reports(tokens: Sequence[Token]) -> tuple[list[DdReport], list[Remark]]:
    """Join records and amounts to reports."""
    whole = [token.value for token in tokens if isinstance(token.value, list)]
    if len(whole) == len(tokens):
        return [*chain.from_iterable(whole)], []
    found: list[DdReport] = []
    pending: list[DdReport] = []  # those without amounts so far
    loose: list[_Loose] = []
    remarks: list[Remark] = []
    half: tuple[int, Records] | None = None  # records just above, without their other half
    for line, value in _in_lines(tokens):
        if half:
            above, records = half
            half = None
            is_near = line <= above + 4
            if is_near and isinstance(value, Records) and not _is_same(records, value):
                pending.append(DdReport(above, records.text, value.text))
                continue
            remarks.append(_alone(above, records))
        if isinstance(value, Records):
            half = line, value
        elif isinstance(value, Aside) and pending:
            pending[-1] = pending[-1]._replace(aside=value.text or None)
        elif isinstance(value, Spoiled) and pending:
            pending[-1] = pending[-1]._replace(spoiled=value.text, figures_line=line)
        elif isinstance(value, Amounts):
            loose.append(_Loose(len(pending), value, line))
            if len(loose) >= len(pending):
                found += _match(pending, loose, remarks)
                pending, loose = [], []
    found += _match(pending, loose, remarks)
    if half:
        remarks.append(_alone(*half))
    return sorted(found, key=attrgetter("line")), remarks


def _alone(line: int, half: Records) -> Remark:
    return line, "warning", f"records without their other half: {half.text}"


def _is_same(one: Records, other: Records) -> bool:
    """Whether both lines are of records read, or both of records written."""
    words = other.words
    return one.words == words and words.isascii() and words[:1].isalpha()


def _match(pending: list[DdReport], loose: list[_Loose], remarks: list[Remark]) -> list[DdReport]:
    """Join amounts with records: by order if that is certain, otherwise by arithmetic."""
    is_own = len(loose) > 1
    order = _order(pending, loose)
    if order is not None:
        found = [report._replace(is_own=is_own) for report in pending] if is_own else pending
        for at, one in zip(order, loose, strict=True):
            found[at] = found[at]._replace(amounts=one.amounts, figures_line=one.line)
        return found
    if pending:
        records = ", ".join(f"{report.into} in and {report.out} out" for report in pending)
        told = (
            f"{len(pending)} dd wrote at once; it is uncertain whose records are whose: {records}"
        )
        remarks.append((pending[0].line, "warning", told))
    return [
        DdReport(one.line, amounts=one.amounts, figures_line=one.line, is_own=is_own)
        for one in loose
    ]


def _order(pending: list[DdReport], loose: list[_Loose]) -> Iterable[int] | None:
    """Return the records of each of the amounts; None if that is not certain."""
    if not loose:
        return ()
    if not pending:
        return None
    if len(loose) < len(pending):
        # each report's own amounts follow it; some have none
        directly = [one.above - 1 for one in loose]
        is_certain = len(set(directly)) == len(loose) and all(
            _fits(pending[at], one.amounts) for at, one in zip(directly, loose, strict=True)
        )
        return directly if is_certain else None
    if len(pending) == 1 or len(pending) > 6:
        return range(len(pending))
    ways = [
        order
        for order in permutations(range(len(pending)))
        if all(
            at < one.above and _fits(pending[at], one.amounts)
            for at, one in zip(order, loose, strict=True)
        )
    ]
    return ways[0] if len(ways) == 1 else None


def _fits(report: DdReport, amounts: Amounts | None) -> bool:
    """Whether records and bytes can be of one report."""
    if report.out is None or amounts is None:
        return False
    full, partial = counts(report.out)
    if partial:
        return amounts.bytes >= full + partial
    return amounts.bytes % full == 0 if full else amounts.bytes == 0


def _series(
    reports: Sequence[DdReport], said: Sequence[tuple[int, str]], count: int | None
) -> list[DdRun]:
    """Group reports by dd, with the progress before them and the errors beside them."""
    if not reports:
        return [DdRun(DdReport(said[0][0]), said=said)] if said else []
    numbers = [line for line, _ in said]
    found: list[DdRun] = []
    group: list[DdReport] = []
    known: DdReport | None = None  # the last of the group with records
    for report in reports:
        if group and _continues(group[-1], known, report, numbers, count):
            group.append(report)
        else:
            found += _settled(group)
            group, known = [report], None
        if report.into:
            known = report
    found += _settled(group)
    if said:
        _add_said(found, said)
    return found


def _add_said(found: list[DdRun], said: Sequence[tuple[int, str]]) -> None:
    """Return each message to the run that it is of."""
    places = [run.last.line for run in found]
    owned: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    for line, message in said:
        # GNU and BSD complain before they report, uutils after
        above, below = bisect_left(places, line) - 1, bisect_right(places, line)
        is_late = message.startswith("IO error")
        if (is_late and above >= 0) or below == len(places):
            below = above
        owned[below].append((line, message))
    for place, own in owned.items():
        found[place].said = own


def _continues(
    before: DdReport,
    known: DdReport | None,
    after: DdReport,
    said: Sequence[int],
    count: int | None,
) -> bool:
    """Whether a report can be a later one of the same dd; ``said``: the lines of messages."""
    old, new = before.amounts, after.amounts
    if old and new:
        if new.bytes < old.bytes:
            return False
        if before.into is after.into is None and before.line < after.line and _are_ends(old, new):
            return False  # lines of several runs, without their records
        # progress is printed in whole seconds, rounded, and once more at the end
        slack = 0.5 if before.into is None and old.seconds.isdigit() else 0.0
        if new.elapsed < old.elapsed - slack or (old.is_final and before.into is None):
            return False  # and what ended had its records lost
    if after.is_own or (before.is_own and before.into is None):
        return False
    if count and known and known.into and sum(counts(known.into)) >= count:
        return False  # it was at its end
    if old and new:
        if before.into is not None and (new.bytes == old.bytes or new.elapsed == old.elapsed):
            at = bisect_right(said, before.line)
            is_between = at < len(said) and said[at] < after.line
            return is_between and new.elapsed > old.elapsed
    elif bool(old) != bool(new) and after.into is not None and before.into is not None:
        return False
    if known is None or after.into is None:
        return True  # progress below a report has to be borne out by the next report
    return _grow(known, after)


def _are_ends(old: Amounts, new: Amounts) -> bool:
    """Whether neither is progress, which comes once a second, from GNU in whole seconds."""
    if old.seconds.isdigit() or new.seconds.isdigit() or old.is_final != new.is_final:
        return False
    return new.bytes == old.bytes or new.elapsed < old.elapsed + _INTERVAL


def _grow(before: DdReport, after: DdReport) -> bool:
    """Whether the records grew, and not their size."""
    if not (before.into and before.out and after.into and after.out):
        return False
    (read, cut), (read_after, cut_after) = counts(before.into), counts(after.into)
    if read_after + cut_after <= read + cut or cut > cut_after:
        return False
    (written, cut), (written_after, cut_after) = counts(before.out), counts(after.out)
    if written_after + cut_after < written + cut or cut > cut_after:
        return False
    return len({_block(before), _block(after)} - {None}) < 2


def _block(report: DdReport) -> int | None:
    """Bytes of one output record, where only full ones were written."""
    if report.amounts and report.out:
        full, partial = counts(report.out)
        return report.amounts.bytes // full if full and not partial else None
    return None


def _settled(every: list[DdReport]) -> list[DdRun]:
    """Return the runs of a group; split reports that were more likely several runs."""
    if len(every) == 1:
        return [DdRun(every[0])]
    ends = [place for place, report in enumerate(every) if report.into is not None]
    if not ends:
        return [_of(every)] if every else []
    every, below = every[: ends[-1] + 1], every[ends[-1] + 1 :]
    # progress below the last report: another dd, and killed
    rest = [_of(below)] if below else []
    if len(ends) == 1:
        return [_of(every), *rest]
    line = every[ends[0]].line
    if len(every) - ends[0] > len(ends) or _is_sure([every[end] for end in ends[:-1]]):
        message = f"{len(ends)} reports of one dd: the last is the result, all are in samples"
        return [_of(every, (line, "info", message)), *rest]
    message = (
        f"{len(ends)} reports that grow, in round numbers of records: taken for separate runs,"
        " but they may be one dd's that was asked by a signal"
    )
    first = _of(every[: ends[0] + 1], (line, "warning", message))
    return [first, *(DdRun(every[end]) for end in ends[1:]), *rest]


def _of(reports: Sequence[DdReport], *remarks: Remark) -> DdRun:
    return DdRun(reports[-1], reports[:-1], remarks=remarks)


def _is_sure(reports: Sequence[DdReport]) -> bool:
    """Whether something besides growth shows that the reports are of a running dd."""
    full = [(counts(one.into)[0], counts(one.out)[0]) for one in reports if one.into and one.out]
    return any(read != written or not _is_round(read) for read, written in full)


def _is_round(number: int) -> bool:
    """Whether a person would ask for that many records: 100, 2500, 640, 1024, 20480."""
    odd = number
    while odd and odd % 2 == 0:
        odd //= 2
    return odd in (0, 1, 3, 5, 25) or len(str(number).rstrip("0")) <= 2
