"""The lines that dd prints, in any language, whole or run together: text to tokens.

A token is ``F+P`` with its words (records), a line of bytes, seconds and rate (amounts), a line
about truncated records (aside), or a message (said). Words differ by language, so the structure
decides: records stand twice, amounts end in seconds and a rate. A number is taken only if the text
behind it shows that it is complete; seconds need their unit. Counts of more than eighteen digits
are not taken. English reports of coreutils, the usual case, are one token, however many follow each
other.

All searches are bounded: a line of more than a thousand characters is not one of dd.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from fiotools import units
from fiotools.readers.pasted import SEPARATOR

LONGEST = 1000
_MOST = 8

# "+0" of a time zone, 1+1=2 and the block counts of tcsh's time (0+131072io) are not records

_SIZE = r"[0-9]{1,20}(?:[.,][0-9]{1,3})?[ ]?(?:[kKMGTPEZY]?i?B|[kKMGTPEZY])"
# a minus sign, and what programs and people write for it
_DASHES = "\u2010\u2011\u2013\u2212"
_AS_PRINTED = str.maketrans(dict.fromkeys(_DASHES, "-") | {"E": "e"})
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
COMMAND = re.compile(r"\b[io]f=\S{1,400}")
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
# records, in the languages that are written in ASCII
_WORDS = re.compile(
    r"[^\x00-\x7f?]|\?\?|r[ei][ck]ord|regist|rexist|datens|zapis|kirje|poster|tietue|taifead"
    r"|rekod|kayit|blo[ck]",
    re.I,
)


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


class Report(NamedTuple):
    """One report of dd; records as ``F+P``."""

    line: int
    into: str | None = None
    out: str | None = None
    amounts: Amounts | None = None
    figures_line: int = 0
    aside: str | None = None
    spoiled: str | None = None
    is_own: bool = False  # of a dd that wrote at the same time as another


class Whole(NamedTuple):
    """Whole reports, one below the other."""

    reports: list[Report]


class Token(NamedTuple):
    """The meaning of one place of the text."""

    value: Records | Amounts | Aside | Spoiled | Said | Whole
    start: int
    end: int
    line: int = 0

    def placed(self, at: int, line: int) -> Token:
        """Return a token of a segment that begins at a place, on a line."""
        return Token(self.value, at + self.start, at + self.end, line)


class Segment(NamedTuple):
    """A line, or a part of it between carriage returns, with its tokens.

    ``foreign`` says that other text stands before the first token.
    """

    tokens: tuple[Token, ...] = ()
    foreign: bool = False
    is_blank: bool = False
    is_stray: bool = False


def whole(text: str, at: int, line: int) -> tuple[Token, int, int] | None:
    r"""Read the whole reports that begin at a place, on a line; say where the next line begins.

    Examples
    --------
    >>> text = "2+0 records in\n2+0 records out\n1024 bytes copied, 0.5 s, 2.0 kB/s\n"
    >>> whole(text * 2, 0, 1)[0].value.reports[1].amounts
    Amounts(bytes=1024, size=None, seconds='0.5', elapsed=0.5, rate='2.0 kB/s', is_final=False)
    """
    found: list[Report] = []
    start, first, end = at, line, at
    once: dict[str | None, str | None] = {}  # texts that repeat are kept once
    while match := _WHOLE.match(text, at):
        *alike, amount, seconds = match.group(1, 2, 4, 6, 3, 5)
        into, out, size, rate = map(once.setdefault, alike, alike)
        amounts = Amounts(int(amount), size, seconds, float(seconds), rate)
        last = line + 2 if into else line
        found.append(Report(line, into, out, amounts, last))
        end = match.end()
        line, at = last + (text[end : end + 1] == "\n"), end + 1
    return (Token(Whole(found), start, end, first), at, line) if found else None


def parts(token: Token) -> Iterator[Token]:
    """Yield the lines of whole reports as tokens of their own."""
    assert isinstance(token.value, Whole)
    for report in token.value.reports:
        if report.into is not None and report.out is not None:
            yield token._replace(value=Records(report.into, "records in"), line=report.line)
            yield token._replace(value=Records(report.out, "records out"), line=report.line + 1)
        assert report.amounts is not None
        yield token._replace(value=report.amounts, line=report.figures_line)


@lru_cache(maxsize=256)
def segment(text: str) -> Segment:
    """Find dd's tokens in one line."""
    stripped = text.strip()
    if not stripped and SEPARATOR not in text:
        return Segment(is_blank=True)
    said = _SAID.fullmatch(stripped)
    if said:
        at = text.index(stripped)
        token = Token(Said(said["message"]), at, at + len(stripped))
        return Segment((token,))
    tokens: list[Token] = []
    for found in _TOKEN.finditer(text):
        if tokens and COMMAND.search(text, tokens[-1].end, found.start()):
            break
        if found["bytes"] is None or _is_whole(found):
            tokens.append(_token(found))
        if len(tokens) > _MOST:  # sums, and no reports run together
            return Segment()
    if not tokens:
        return Segment(is_stray=bool(_STRAY.fullmatch(stripped)))
    above = text[: tokens[0].start]
    dated = _DATED.match(above)
    foreign = not (_OWN.fullmatch(above) or (dated and _OWN.fullmatch(above[dated.end() :])))
    return Segment(tuple(tokens), foreign)


def aside(text: str) -> Token | None:
    """Read a line that may stand between records and amounts."""
    speaker = _SPEAKER.match(text)
    bare = text[speaker.end() if speaker else 0 :].strip().lstrip("># ")
    found = _ASIDE.fullmatch(bare) if 3 < len(bare) <= 80 else None
    if not found or not any(c.isalpha() or c in "?\ufffd" for c in bare):
        return None
    at = text.index(bare)
    return Token(Aside("" if speaker else bare), at, at + len(bare))


def _is_whole(found: re.Match[str]) -> bool:
    """Whether amounts without their rate are more than a number and a time ("0m 5.51s")."""
    if found["rate"] or found["rate2"] or found["word"] or found["size"]:
        return True
    return len(found["what"]) > 4 and bool(_LEADS_TO_TIME.search(found["what"]))


def _token(found: re.Match[str]) -> Token:
    start, end = found.span()
    if found["full"] is not None:
        end = max(found.start("words") + len(found["words"].rstrip()), found.end("partial"))
        records = Records(f"{int(found['full'])}+{int(found['partial'])}", found["words"].strip())
        return Token(records, start, end)
    group = found["group"]
    amount = found["bytes"].replace(group, "") if group else found["bytes"]
    seconds = found["seconds"].translate(_AS_PRINTED)
    is_final = len(found["unit"] or "") > 1
    elapsed = units.number(seconds)
    amounts = Amounts(int(amount), found["size"], seconds, elapsed, _rate(found), is_final)
    return Token(amounts, start, end)


def _rate(found: re.Match[str]) -> str | None:
    """Write the rate as all dd would in English."""
    number = found["rate"] or found["rate2"]
    if not number:
        word: str | None = found["word"]
        return word
    prefix = found["prefix"] or found["prefix2"] or ""
    byte = found["byte"] or ("B" if found["rate2"] else "")
    return f"{number}{' ' * bool(found['glue'] or found['glue2'])}{prefix}{byte}/s"


def line_end(text: str, at: int) -> int:
    """Find the end of a line, or of a part that a carriage return overwrites, within a bound."""
    high = at + LONGEST + 1
    newline = text.find("\n", at, high)
    stop = newline if newline >= 0 else min(len(text), high)
    carriage = text.find("\r", at, stop)
    return carriage if carriage >= 0 else stop


def are_words(words: str) -> bool:
    """Whether words beside ``F+P`` are of a language that dd speaks; "4+4 makes eight" is not."""
    return bool(_WORDS.search(words))
