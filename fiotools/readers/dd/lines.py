"""The lines that dd prints, in any language, whole or run together: text to tokens.

A token is ``F+P`` with its words (records), a line of bytes, seconds and rate (figures), a line
about truncated records (aside), or what dd says on its own account (said). Where the words differ
by language, structure decides: records stand twice, figures end in seconds and a rate. A number is
taken only when what follows shows that it is whole; seconds need their unit. A count of more than
eighteen digits is nobody's.

All looks are bounded: a line of more than a thousand characters is no line of dd's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from fiotools.pasted import SEPARATOR

if TYPE_CHECKING:
    from fiotools.readers.dd.stretch import Stretch

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
# a command between two reports: lines were lost, and what follows is another dd's
COMMAND = re.compile(r"\b[io]f=\S{1,400}")
_LEADS_TO_TIME = re.compile(r"[,，、\ufffd] ?$|transferred in $")
_ASIDE = re.compile(
    # "2 truncated records", "ein abgeschnittener Datensatz", "截断了 2 块记录", "잘린 레코드 2개"
    r"(?P<number>[0-9]{1,20})?(?:[^\W\d_]|[\s.?\ufffd'’])+(?:(?P<after>[0-9]{1,20})[^\W\d_]{0,6}"
    r"(?:[^\W\d_]|[\s?\ufffd])*)?"
)
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
# "chunk1: " of pdsh, "app_1  | " of compose
_SOURCE = re.compile(r"\s{0,40}(?P<name>[\w.@-]{1,60})(?:: {1,8}|\s{1,40}\|[ ]?)")
# records, in the languages that are written in ASCII
_WORDS = re.compile(
    r"[^\x00-\x7f?]|\?\?|r[ei][ck]ord|regist|rexist|datens|zapis|kirje|poster|tietue|taifead"
    r"|rekod|kayit|blo[ck]",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Records:
    """``F+P``: full and partial records."""

    full: int
    partial: int
    words: str

    def __str__(self) -> str:
        return f"{self.full}+{self.partial}"


@dataclass(frozen=True, slots=True)
class Figures:
    """Bytes, seconds and rate, as printed."""

    bytes: int
    size: str | None
    seconds: str
    unit: str
    rate: str | None
    prefix: str
    byte: str
    glued: bool
    word: str | None
    is_final: bool  # printed as only the end of a run is: "in S secs (R bytes/sec)", "seconds"
    text: str

    @property
    def printed_rate(self) -> str | None:
        """The rate as it was printed."""
        if self.word:
            return self.word
        return (
            f"{self.rate}{' ' * (not self.glued)}{self.prefix}{self.byte}/s" if self.rate else None
        )


@dataclass(frozen=True, slots=True)
class Aside:
    """A line about truncated records, or an odd number of bytes to swap."""

    text: str


@dataclass(frozen=True, slots=True)
class Spoiled:
    """A line below records that begins as one of bytes, and goes on as none that dd prints."""

    text: str


@dataclass(frozen=True, slots=True)
class Said:
    """An error or a warning of dd's."""

    message: str


@dataclass(frozen=True, slots=True)
class Token:
    """What one place of the text says, and from which source (host, service) it came."""

    value: Records | Figures | Aside | Spoiled | Said | Stretch
    start: int
    end: int
    line: int = 0
    source: str = ""


@dataclass(frozen=True, slots=True)
class Segment:
    """A line, or what stands between carriage returns, with the tokens in it.

    ``foreign`` says that something stands before the first token that is not dd's.
    """

    tokens: tuple[Token, ...]
    foreign: bool
    is_blank: bool
    is_stray: bool


@lru_cache(maxsize=256)
def segment(text: str) -> Segment:
    """Find dd's tokens in one line."""
    stripped = text.strip()
    if not stripped and SEPARATOR not in text:
        return Segment((), foreign=False, is_blank=True, is_stray=False)
    source, begin = _source(text)
    said = _SAID.fullmatch(text[begin:].strip())
    if said:
        at = begin + text[begin:].index(said[0])
        token = Token(Said(said["message"]), at, at + len(said[0]), source=source)
        return Segment((token,), foreign=False, is_blank=False, is_stray=False)
    tokens: list[Token] = []
    for found in _TOKEN.finditer(text[begin:]):
        if tokens and COMMAND.search(text, tokens[-1].end, begin + found.start()):
            break
        if found["bytes"] is None or _is_whole(found):
            tokens.append(_token(found, begin, source))
        if len(tokens) > _MOST:  # sums, and no reports run together
            return Segment((), foreign=False, is_blank=False, is_stray=False)
    foreign = bool(tokens) and not _OWN.fullmatch(text[begin : tokens[0].start])
    if foreign and (dated := _DATED.match(text, begin)):
        foreign = not _OWN.fullmatch(text[dated.end() : tokens[0].start])
    if foreign and source:  # "16+0: " or the like was no source
        foreign = True
    if tokens:
        return Segment(tuple(tokens), foreign, is_blank=False, is_stray=False)
    return Segment((), foreign=False, is_blank=False, is_stray=bool(_STRAY.fullmatch(stripped)))


def aside(text: str) -> Token | None:
    """Read a line that may stand between records and figures."""
    source, begin = _source(text)
    bare = text[begin:].strip().lstrip("># ")
    found = _ASIDE.fullmatch(bare) if 3 < len(bare) <= 80 else None
    if not found or not any(c.isalpha() or c in "?\ufffd" for c in bare):
        return None
    at = text.index(bare)
    return Token(Aside(bare), at, at + len(bare), source=source)


def _source(text: str) -> tuple[str, int]:
    found = _SOURCE.match(text)
    if not found or found["name"] in ("dd", "dd.exe", "load") or found["name"].isdigit():
        return "", 0
    return found["name"], found.end()


def _is_whole(found: re.Match[str]) -> bool:
    """Whether figures without their rate are more than a number and a time ("0m 5.51s")."""
    if found["rate"] or found["rate2"] or found["word"] or found["size"]:
        return True
    return len(found["what"]) > 4 and bool(_LEADS_TO_TIME.search(found["what"]))


def _token(found: re.Match[str], begin: int, source: str) -> Token:
    start, end = begin + found.start(), begin + found.end()
    if found["full"] is not None:
        end = begin + found.start("words") + len(found["words"].rstrip())
        records = Records(int(found["full"]), int(found["partial"]), found["words"].strip())
        return Token(records, start, max(end, begin + found.end("partial")), source=source)
    group = found["group"]
    amount = found["bytes"].replace(group, "") if group else found["bytes"]
    unit = found["unit"] or ""
    figures = Figures(
        int(amount),
        found["size"],
        found["seconds"].translate(_AS_PRINTED),
        unit,
        found["rate"] or found["rate2"],
        found["prefix"] or found["prefix2"] or "",
        found["byte"] or ("B" if found["rate2"] else ""),
        not (found["glue"] or found["glue2"]),
        found["word"],
        len(unit) > 1,
        found[0],
    )
    return Token(figures, start, end, source=source)


def placed(token: Token, at: int, line: int) -> Token:
    """Return a token of a segment that begins at a place, on a line."""
    return Token(token.value, at + token.start, at + token.end, line, token.source)


def segments(text: str, at: int, line: int = 0) -> Iterator[tuple[int, int, int]]:
    """Give start, end and line of every segment from a place on."""
    size = len(text)
    while at <= size:
        newline = text.find("\n", at, at + LONGEST + 1)
        stop = newline if newline >= 0 else min(size, at + LONGEST + 1)
        carriage = text.find("\r", at, stop)
        end = carriage if carriage >= 0 else stop
        yield at, end, line
        if end - at > LONGEST or end >= size:
            return
        line += text[end] == "\n"
        at = end + 1


def are_words(words: str) -> bool:
    """Whether words beside ``F+P`` are of a language that dd speaks; "4+4 makes eight" is not."""
    return bool(_WORDS.search(words))
