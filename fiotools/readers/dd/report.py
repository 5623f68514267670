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

import math
import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise, permutations
from typing import NamedTuple, TypeAlias

from fiotools import units
from fiotools.readers.document import line_start
from fiotools.readers.formats import TIME_MARK
from fiotools.readers.pasted import SEPARATOR
from fiotools.tables.notes import Note

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
MANY = 5_000  # reports that are in memory at a time: a text may hold a million
# atomic within: before Python 3.11.5 a possessive group keeps what it matched before it failed
_STRETCH = re.compile(rf"{_WHOLE.pattern}(?:(?>\n{_WHOLE.pattern})){{0,{MANY - 1}}}+")
# a command between two reports: lines were lost, and what follows is another dd's
_COMMAND = re.compile(r"\b[io]f=\S{1,400}")
_LEADS_TO_TIME = re.compile(r"[,，、\ufffd] ?$|transferred in $")
_SENT = re.compile(r"sent|received")
_ASIDE = re.compile(
    # "2 truncated records", "ein abgeschnittener Datensatz", "截断了 2 块记录", "잘린 레코드 2개"
    r"(?P<number>[0-9]{1,20})?(?:[^\W\d_]|[\s.?\ufffd'’])+(?:(?P<after>[0-9]{1,20})[^\W\d_]{0,6}"
    r"(?:[^\W\d_]|[\s?\ufffd])*)?"
)
# what a line of another program has, and what it does not begin with
_WORD = re.compile(r"[^\W\d_]{2}")
_PROMPT = re.compile(r"[^\s$#%>]{0,80}[$#%>](?:\s|$)|```|~~~|\[[^\]@\n]{1,80}@[^\]\n]{1,80}\]")
_TIMES = re.compile(TIME_MARK, re.I | re.M)
# a program that writes between dd's lines names itself
_SPEAKER = re.compile(r"\s{0,40}(?!(?:dd(?:\.exe)?|load|[0-9]{1,60}):)[\w.@-]{1,60}: {1,8}")
_SAID = re.compile(r"(?:\S{0,200}/)?dd(?:\.exe)?: (?P<message>\S.*)")
# what other programs and the terminal put between dd's lines, and has no place elsewhere
_STRAY = re.compile(
    r"load: [0-9.]+  cmd: dd [0-9]+ .*|[0-9]+ blocks \([0-9]+[KMGT]b\) written\.|\^C"
    r"|.{0,100}\[[<=> -]{1,200}\][ 0-9%A-Z:]*"
)
# quotation marks, comment signs, ^C, words that stand before the number ("输入了 16+0")
_OWN = re.compile(r"[\s>#]*(?:\^C)?[^\x00-\x1f\x21-\x3e@\[-`{-~\xb6\u2022\u2500-\u257f]{0,40}")
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
# warnings do not change the result; they are translated, but the options in them are not
_WARNING = re.compile(r"warning|fullblock|zero multiplier|'00x'", re.I)
_LONG = 300
_KILLED = "progress without a report at the end: dd was killed, or the text was cut off"
_INTERVAL = 0.9  # seconds between lines of progress, at least
_GAP, _DOUBTFUL = 5, 4  # lines without tokens, tokens without certainty: no more than that
_COMMENT = re.compile(r"\s*(?:#|=?>?\s*\])")
_TOUCHING = re.compile(r"[^\x00-\x7f]{1,12} ?\Z")


class Records(NamedTuple):
    """``F+P``, full and partial records, as printed."""

    text: str
    words: str


class Aside(NamedTuple):
    """A line about truncated records, or an odd number of bytes to swap."""

    text: str


class Foreign(NamedTuple):
    """A line of another program between two of a report."""

    text: str


class Spoiled(NamedTuple):
    """A line below records that begins like a line of bytes, and goes on differently."""

    text: str


class Said(NamedTuple):
    """An error or a warning of dd."""

    message: str


class DdReport(NamedTuple):
    """One report of dd: records, amounts, or both."""

    line: int
    # full and partial records as printed, ``F+P``
    into: str | None = None
    out: str | None = None
    figures_line: int = 0  # the line of the amounts
    bytes: int = -1  # if there are no amounts
    # as printed: ``268 MB, 256 MiB``, ``0.101``, ``3.1 GB/s``; None if that is missing
    size: str | None = None
    seconds: str = ""
    elapsed: float = math.nan  # the seconds
    rate: str | None = None
    # printed in the form of a final report: "in S secs (R bytes/sec)", "seconds"
    is_final: bool = False
    aside: str | None = None
    spoiled: str | None = None
    is_own: bool = False  # of a dd that wrote at the same time as another
    is_transfer: bool = False  # in the form of ftp and lftp: of dd only below its records

    def joined(self, amounts: DdReport) -> DdReport:
        """Return these records with the amounts of another report."""
        return self._replace(**{name: getattr(amounts, name) for name in _AMOUNTS})


_AMOUNTS = ("figures_line", "bytes", "size", "seconds", "elapsed", "rate", "is_final")


class Stretch(NamedTuple):
    """Whole reports, one below the other."""

    text: str
    start: int
    end: int
    line: int

    def reports(self) -> Iterator[DdReport]:
        """Read the reports, when they are asked for."""
        line = self.line
        for into, out, amount, size, seconds, rate in _WHOLE.findall(
            self.text, self.start, self.end
        ):
            figures = line + 2 if into else line
            yield DdReport(
                *(line, into or None, out or None, figures, int(amount), size or None),
                *(seconds, float(seconds), rate),
            )
            line = figures + 1


Value: TypeAlias = Records | DdReport | Aside | Foreign | Spoiled | Said | Stretch


class Token(NamedTuple):
    """The meaning of one place of the text."""

    value: Value
    start: int
    end: int
    line: int = 0

    def is_transfer(self) -> bool:
        """Return whether these are amounts as ftp and lftp print them."""
        return isinstance(self.value, DdReport) and self.value.is_transfer

    def placed(self, at: int, line: int) -> Token:
        """Return a token of a line that begins at a place."""
        return Token(self.value, at + self.start, at + self.end, line)


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
    return tuple(tokens), not _OWN.fullmatch(above)


def _aside(text: str) -> Token | None:
    """Read a line of dd's that may stand between records and amounts."""
    bare = text.strip().lstrip("># ")
    found = _ASIDE.fullmatch(bare) if 3 < len(bare) <= 80 and not _SPEAKER.match(text) else None
    if not found or not any(c.isalpha() or c in "?\ufffd" for c in bare):
        return None
    at = text.index(bare)
    return Token(Aside(bare), at, at + len(bare))


def _foreign(text: str) -> Token | None:
    """Read a line of another program, which is neither a command nor a line of time."""
    bare = text.strip()
    if (
        not _WORD.search(bare)
        or _COMMAND.search(bare)
        or _PROMPT.match(bare)
        or _TIMES.search(bare)
    ):
        return None
    return Token(Foreign(bare), text.index(bare), len(text.rstrip()))


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
    amounts = DdReport(0, None, None, 0, amount, found["size"], seconds, elapsed, rate, is_final)
    # behind "in 5 secs" dd writes "(N bytes/sec)", and ftp and lftp "(N MB/s)"
    is_like_dd = found["sep"] != " (" or ("/sec" in found[0] and not _SENT.search(found["what"]))
    return Token(amounts._replace(is_transfer=not is_like_dd), start, end)


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
        if not is_held and (whole := _STRETCH.match(text, at)):
            start, end = start if tokens else at, whole.end()
            tokens.append(Token(Stretch(text, at, end, line), at, end, line))
            line += text.count("\n", at, end + 1)
            at, gap, is_certain = end + 1, 0, True
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
        if own and own[0].is_transfer() and not _is_below_records(tokens):
            own = ()
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
            aside = aside or (_is_open(tokens) and _foreign(part))
            if not aside:
                break
            tokens.append(aside.placed(here, number))
            end = stop if _TRUNCATED.search(part) else end
            continue
        if is_held and not _goes_on(tokens, own[0].value):
            break
        tokens += [token.placed(here, number) for token in own]
        gap, is_certain = 0, is_certain or _is_certain(tokens)
        tail = part[own[-1].end :]
        is_bare = not tail.strip()
        end = stop if is_bare else tokens[-1].end
        if not (is_bare or _COMMENT.match(tail)):
            said = _foreign(tail) if _is_open(tokens) else None
            if not said:
                break
            tokens.append(said.placed(here + own[-1].end, number))
    if not is_certain:
        return None
    while tokens[-1].end > end:
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
        if _TIMES.search(rest):
            pass
        elif not isinstance(last, (DdReport, Said, Stretch)) and _FRAGMENT.fullmatch(rest):
            cut, end = f"the report was cut off after {rest.strip()[:80]!r}", len(text)
        elif isinstance(last, DdReport) and last.rate is None:
            end = len(text)
            if rest.strip() or not rest.endswith("\n"):
                cut = "the report was cut off"
    below = _SPOILED.match(rest) if not cut and _is_after_records(tokens) else None
    if below and not _TIMES.search(below[0]):
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


def _is_below_records(tokens: list[Token]) -> bool:
    above = (token.value for token in reversed(tokens) if not isinstance(token.value, Aside))
    return isinstance(next(above, None), Records)


def _is_open(tokens: list[Token]) -> bool:
    """Whether more of the report has to follow, below lines of other programs if there are any."""
    own = [token for token in tokens[-_GAP:] if not isinstance(token.value, Foreign)]
    return bool(own) and isinstance(own[-1].value, Records)


def _goes_on(tokens: list[Token], value: Value) -> bool:
    """Whether a report goes on below a line that may not be its own."""
    if not isinstance(tokens[-1].value, Foreign):
        return isinstance(value, DdReport)
    own = [token.value for token in tokens if not isinstance(token.value, Foreign)]
    records = [one for one in own[-2:] if isinstance(one, Records)]
    if len(records) == 1 and isinstance(value, Records):
        return not _is_same(records[0], value)
    if len(records) < 2 or not isinstance(value, DdReport) or value.into:
        return False
    return _fits(DdReport(0, records[0].text, records[1].text), value)


def _is_certain(tokens: list[Token]) -> bool:
    """Whether these are lines of dd, and not sums in a text or prose about dd."""
    values = [token.value for token in tokens]
    if any(isinstance(value, (DdReport, Stretch)) for value in values):
        return True
    records = [value for value in values if isinstance(value, Records)]
    if len(records) > 1:
        one, other = records[:2]
        are_words = _WORDS.search(one.words) and _WORDS.search(other.words)
        return bool(are_words) and not _is_same(one, other)
    return not records  # messages alone, and they were looked at


@dataclass(slots=True)
class DdRun:
    """One dd: its last report, its earlier ones, and its messages.

    All lines count from the output's first.
    """

    last: DdReport
    earlier: Sequence[DdReport] = ()
    remarks: Sequence[Note] = ()
    said: Sequence[Note] = ()
    is_stopped: bool = False  # ^C stands beside its last report
    end: str = ""  # says that its report was cut off


class DdOutput(NamedTuple):
    """Output of dd without anything else between."""

    tokens: tuple[Token, ...]  # their lines count from the block's first
    stops: tuple[int, ...] = ()  # lines with ``^C``
    cut: str = ""  # says that the text ends within a line of dd
    # whether the last amounts are progress: a carriage return stands beside them
    is_overwritten: bool = False
    source: str = ""  # its source (a host, a service), if a prefix of each line told that

    def runs(self, count: int | None = None) -> Iterator[DdRun]:
        """Sort the output into runs; ``count`` is the command's."""
        printed, remarks = _reports(self.tokens)
        said = [
            (token.line, token.value.message)
            for token in self.tokens
            if isinstance(token.value, Said)
        ]
        if self.source:
            printed = _swapped([*printed])
        found = _series(printed, [line for line, _ in said], count)
        above = next(found, DdRun(DdReport(said[0][0])) if said else None)
        if above is None:
            return
        above.remarks = [*remarks, *above.remarks]
        messages, stops = deque(said), {*self.stops}
        for below in chain(found, (None,)):
            # GNU and BSD complain before they report, uutils after
            while messages and (below is None or messages[0][0] < below.last.line):
                line, message = messages.popleft()
                is_late = message.startswith("IO error") or line < above.last.line
                owner = above if below is None or is_late else below
                kind = ("printed", "warning") if _WARNING.search(message) else ("failed", "error")
                owner.said = [*owner.said, Note(*kind, line, f"dd: {message[:_LONG]}")]
            if below is None:
                is_progress = above.last.into is None and above.last.bytes >= 0
                is_killed = is_progress and (above.earlier or self.is_overwritten)
                above.end = self.cut or (_KILLED if is_killed else "")
            if stops:
                above.is_stopped = not stops.isdisjoint((above.last.line - 1, above.last.line))
            yield above
            above = below or above


def _swapped(reports: Sequence[DdReport]) -> Sequence[DdReport]:
    """Join amounts with the records below them: pdsh may bring them in the wrong order."""
    if len(reports) == 2:
        first, second = reports
        if first.into is None and second.bytes < 0 and _fits(second, first):
            return [second.joined(first)]
    return reports


@lru_cache(maxsize=4096)
def counts(records: str) -> tuple[int, int]:
    """Return full and partial records."""
    full, _, partial = records.partition("+")
    return int(full), int(partial)


# how many reports without amounts stand above, and amounts
_Loose: TypeAlias = tuple[int, DdReport]


def _reports(tokens: Iterable[Token]) -> tuple[Iterable[DdReport], list[Note]]:
    """Join records and amounts to reports; whole ones are read when they are asked for."""
    found: list[Iterable[DdReport]] = []
    pending: list[DdReport] = []  # those without amounts so far
    loose: list[_Loose] = []
    remarks: list[Note] = []
    half: tuple[int, Records] | None = None  # records just above, without their other half
    for value, _, _, line in tokens:
        if isinstance(value, Foreign):
            told = f"{value.text[:60]!r} stands within the report of dd: stepped over"
            remarks.append(Note("repaired", "warning", line, told))
            continue
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
            pending[-1] = pending[-1]._replace(aside=value.text)
        elif isinstance(value, Spoiled) and pending:
            pending[-1] = pending[-1]._replace(spoiled=value.text, figures_line=line)
        elif isinstance(value, (DdReport, Stretch)):
            if isinstance(value, Stretch):
                reports = value.reports()
            else:
                reports = iter([value._replace(line=line, figures_line=line)])
            while pending and (report := next(reports, None)):
                if report.into:
                    pending.append(DdReport(report.line, report.into, report.out))
                loose.append((len(pending), report))
                if len(loose) == len(pending):
                    found.append(_match(pending, loose, remarks))
                    pending, loose = [], []
            found.append(reports)
    found.append(_match(pending, loose, remarks))
    if half:
        remarks.append(_alone(*half))
    return chain.from_iterable(found), remarks


def _alone(line: int, half: Records) -> Note:
    said = f"records without their other half: {half.text}"
    return Note("incomplete", "warning", line, said)


def _is_same(one: Records, other: Records) -> bool:
    """Whether both lines are of records read, or both of records written."""
    words = other.words
    return one.words == words and words.isascii() and words[:1].isalpha()


def _match(pending: list[DdReport], loose: list[_Loose], remarks: list[Note]) -> list[DdReport]:
    """Join amounts with records: by order if that is certain, otherwise by arithmetic."""
    is_own = len(loose) > 1
    order = _order(pending, loose)
    if order is not None:
        found = [report._replace(is_own=is_own) for report in pending]
        for at, (_, one) in zip(order, loose, strict=True):
            found[at] = found[at].joined(one)
        return found
    records = ", ".join(f"{report.into} in and {report.out} out" for report in pending)
    told = f"{len(pending)} dd wrote at once; it is uncertain whose records are whose: {records}"
    remarks.append(Note("left out", "warning", pending[0].line, told))
    return [DdReport(one.figures_line).joined(one)._replace(is_own=is_own) for _, one in loose]


def _order(pending: list[DdReport], loose: list[_Loose]) -> Iterable[int] | None:
    """Return the records of each of the amounts; None if that is not certain."""
    if len(loose) < len(pending):
        # each report's own amounts follow it; some have none
        directly = [above - 1 for above, _ in loose]
        is_certain = len(set(directly)) == len(loose) and all(
            _fits(pending[at], one) for at, (_, one) in zip(directly, loose, strict=True)
        )
        return directly if is_certain else None
    if len(pending) < 2 or len(pending) > 6:
        return range(len(pending))
    ways = [
        order
        for order in permutations(range(len(pending)))
        if all(
            at < above and _fits(pending[at], one)
            for at, (above, one) in zip(order, loose, strict=True)
        )
    ]
    return ways[0] if len(ways) == 1 else None


def _fits(report: DdReport, amounts: DdReport) -> bool:
    """Whether records and bytes can be of one report."""
    if report.out is None or amounts.bytes < 0:
        return False
    full, partial = counts(report.out)
    if partial:
        return amounts.bytes >= full + partial
    return amounts.bytes % full == 0 if full else amounts.bytes == 0


def _series(reports: Iterable[DdReport], said: Sequence[int], count: int | None) -> Iterator[DdRun]:
    """Group reports by dd, with the progress before them; ``said``: the lines of messages."""
    group: list[DdReport] = []
    known: DdReport | None = None  # the last of the group with records
    for report in reports:
        if group and not _continues(group[-1], known, report, said, count):
            yield from _settled(group)
            group, known = [], None
        group.append(report)
        if report.into:
            known = report
    if group:
        yield from _settled(group)


def _continues(
    before: DdReport,
    known: DdReport | None,
    after: DdReport,
    said: Sequence[int],
    count: int | None,
) -> bool:
    """Whether a report can be a later one of the same dd; ``said``: the lines of messages."""
    if 0 <= after.bytes < before.bytes:
        return False
    is_progress = before.into is None
    has_both = before.bytes >= 0 and after.bytes >= 0
    if has_both:
        is_below = is_progress and after.into is None and before.line < after.line
        if is_below and _are_ends(before, after):
            return False  # lines of several runs, without their records
        # progress is printed in whole seconds, rounded, and once more at the end
        slack = 0.5 if is_progress and before.seconds.isdigit() else 0.0
        if after.elapsed < before.elapsed - slack or (before.is_final and is_progress):
            return False  # and what ended had its records lost
    if after.is_own or (before.is_own and is_progress):
        return False
    if count and known and known.into and sum(counts(known.into)) >= count:
        return False  # it was at its end
    if has_both:
        is_same = after.bytes == before.bytes or after.elapsed == before.elapsed
        if is_same and not is_progress:
            at = bisect_right(said, before.line)
            is_between = at < len(said) and said[at] < after.line
            return is_between and after.elapsed > before.elapsed
    elif (before.bytes < 0) != (after.bytes < 0) and after.into is not None and not is_progress:
        return False
    if known is None or after.into is None:
        return True  # progress below a report has to be borne out by the next report
    return _grow(known, after)


def _are_ends(old: DdReport, new: DdReport) -> bool:
    """Whether neither is progress, which comes once a second, from GNU in whole seconds."""
    if old.seconds.isdigit() or new.seconds.isdigit() or old.is_final != new.is_final:
        return False
    return new.bytes == old.bytes or new.elapsed < old.elapsed + _INTERVAL


def _grow(before: DdReport, after: DdReport) -> bool:
    """Whether the records grew, and not their size."""
    for old, new, least in ((before.into, after.into, 1), (before.out, after.out, 0)):
        if not (old and new):
            return False
        (full, cut), (full_after, cut_after) = counts(old), counts(new)
        if full_after + cut_after < full + cut + least or cut > cut_after:
            return False
    return len({_block(before), _block(after)} - {None}) < 2


def _block(report: DdReport) -> int | None:
    """Bytes of one output record, where only full ones were written."""
    if report.bytes >= 0 and report.out:
        full, partial = counts(report.out)
        return report.bytes // full if full and not partial else None
    return None


def _settled(every: list[DdReport]) -> list[DdRun]:
    """Return the runs of a group; split reports that were more likely several runs."""
    if len(every) == 1:
        return [DdRun(every[0])]
    ends = [place for place, report in enumerate(every, 1) if report.into is not None]
    # progress below the last report: another dd, and killed
    cuts, remarks = ends[-1:], []
    if len(ends) > 1:
        line = every[ends[0] - 1].line
        is_between = ends[-1] - ends[0] >= len(ends)  # progress
        if is_between or _is_sure([every[end - 1] for end in ends[:-1]]):
            told = f"{len(ends)} reports of one dd: the last is the result, all are in samples"
            remarks = [Note("repeats", "info", line, told)]
        else:
            told = f"{len(ends)} reports that grow, in round numbers of records"
            doubt = "taken for separate runs, but they may be one dd's that was asked by a signal"
            remarks = [Note("repeats", "warning", line, f"{told}: {doubt}")]
            cuts = ends
    groups = [every[start:stop] for start, stop in pairwise((0, *cuts, len(every)))]
    found = [DdRun(group[-1], group[:-1]) for group in groups if group]
    found[0].remarks = remarks
    return found


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
