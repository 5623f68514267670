"""The damage of copying, mailing, publishing and recording to a tool's output, undone.

A text is first read as it stands: all that looks like damage may be the tool's own, as in
``hot:randread``, the name of a job. It is repaired only if marks of a report were left unread, or
reports were quoted: typographic signs, tags of HTML, written ends of lines, and what stands before
all lines of a block. A repair is kept only if more is read, and nothing less (`Reading.beats`).
What is then unread is told, with its lines and what to do.

Always undone is what no tool prints (`as_printed`): a terminal's escapes, a mailer's ``bs=3D4k``,
rare ends of lines. Lines keep the numbers that they have in the file.
"""

from __future__ import annotations

import html
import re
import shlex
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import NamedTuple

import msgspec

from fiotools.tables.notes import Note

# separates texts of different places; the host and the program may follow, each behind one
SEPARATOR = "\f"


class Line(NamedTuple):
    """A line, and the number that it has in the file."""

    number: int
    text: str


class Reading(NamedTuple):
    """What the readers take of a text, by line."""

    kinds: frozenset[str]
    taken: frozenset[int]  # lines of reports
    marked: frozenset[int]  # the first lines of reports, and those with a mark
    unread: frozenset[int]  # lines with a mark that no report took
    # these and lines with other damage, and where their text may begin at the latest
    damaged: Mapping[int, int]

    def beats(self, plain: Reading) -> bool:
        """Whether more is read than of the plain text, and nothing less."""
        return (
            len(self.damaged) < len(plain.damaged)
            and self.taken >= plain.unread - self.unread
            and self.taken >= plain.marked
            and self.kinds >= plain.kinds
        )


Read = Callable[[Sequence[Line]], Reading]


class Repaired(NamedTuple):
    """A text without the damage."""

    text: str
    # the original number of each line; None if they are equal
    lines: list[int] | None = None
    notes: Sequence[Note] = ()  # the parts that were left out or taken off

    @classmethod
    def of(cls, lines: Sequence[Line], notes: Sequence[Note], end: str = "") -> Repaired:
        """Join lines to a text."""
        text = "\n".join(line.text for line in lines)
        return cls(text + end, [line.number for line in lines], notes)


# titles, links and strings for a program, colours and cursor movements, character sets, all other
# two-letter sequences
_ESCAPE = re.compile(
    r"\x1b[\]P_^][^\x07\x1b\n]{0,1000}(?:\x07|\x1b\\)?|(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,4}[@-~]"
    r"|\x1b[()#%][ -~]|\x1b[0-Zac-~=>]"
)
# blanks, as dd prints them in French and other languages, and what is invisible
_BLANKS = str.maketrans(
    {
        **dict.fromkeys("\xa0\u2002\u2003\u2007\u2009\u202f\u3000", " "),
        **dict.fromkeys("\u200b\u2060\ufeff\xad"),
        # marks of direction, which terminals and chats put around numbers
        **dict.fromkeys("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"),
    }
)
# these, as entities give them, ligatures, and what word processors make of two signs
_AS_TYPED = _BLANKS | str.maketrans(
    {
        "\ufb00": "ff",
        "\ufb01": "fi",
        "\ufb02": "fl",
        "\ufb03": "ffi",
        "\uff1d": "=",
        "\u2264": "<=",
        "\u2265": ">=",
    }
)
_BOLD = re.compile(r"\*\*([^*\n]{1,300})\*\*")  # of Markdown
# word processors replace a hyphen or a minus before a number, and in "%-ile"
_DASH = re.compile(r"[\u2010-\u2013\u2212](?=[\d.]|ile)")
_DIGIT = re.compile(r"(?![0-9])\d")  # of another script, or as wide as one

_IS_HTML = re.compile(r"<br ?/?>|</(?:pre|code|p|div|span|samp|td)>|<!\[CDATA\[", re.I)
_TAG = re.compile(
    r"</?(?P<name>br|p|pre|code|span|div|tt|samp|kbd|font|td|th|tr|table|tbody|blockquote|html|body"
    r"|strong|em|b|i|u|a)(?:\s[^<>\n]{0,400})?\s?/?>|<!\[CDATA\[|\]\]>",
    re.I,
)
_BREAKING = {"br", "p", "pre", "div", "tr", "blockquote", "body"}
_ENTITIES = re.compile(r"&(?:lt|gt|amp|quot|nbsp|micro|eacute|egrave|#\d{2,5}|#x[0-9A-Fa-f]{2,4});")

# operands of dd and words of fio's report with their "=" escaped: no tool prints "3D" as a number
_IS_QUOTED_PRINTABLE = re.compile(r"\b(?:bs|count|IOPS|BW|groupid|err)=3D ?\d")
_FOLDED = re.compile(r"^(?:[^\n]{0,76}=\n)+[^\n]*", re.M)
_QUOTED = re.compile(r"(?:=[0-9A-F]{2})+")

# strings of JSON
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"(?P<colon>\s*:)?', re.S)
_COMMANDS = {"cmd", "command", "cmdline", "command_line", "Command"}

# ends of lines that a program wrote as two letters, as ansible does; what stands before and behind
_WRITTEN = re.compile(r"\\(?:r\\n|x1b|u001b|[nrt\"\\/])")
_MEANT = {
    r"\r": "\n",
    r"\r\n": "\n",
    r"\n": "\n",
    r"\t": "\t",
    **dict.fromkeys((r"\x1b", r"\u001b"), "\x1b"),
}
_STARTING = re.compile(r"^\s{0,40}b?'|^[^\\\n]{0,200}\"|\(std(?:out|err)\) ")
_ENDING = re.compile(r"[\"'][\s,\])}]{0,40}$")

# rewritten with carriage returns: progress of dd and of fio
_PROGRESS = re.compile(
    r"\s*(?:[\d.,' ]{1,30}[^\W\d]{1,20} (?:\([^()\n]{1,60}\) )?\S+,? [\d.,]+ |Jobs: \d)"
)


def line_ends(text: str) -> str:
    r"""Let lines end in ``\n``; carriage returns with which a program rewrites its line stay."""
    if "\n" in text:
        usual = text.replace("\r\n", "\n")
        if "\r" not in usual:
            return usual
        returns = text.count("\n\r")
        if returns > 2 and returns >= text.count("\n") - 1:
            return text.replace("\n\r", "\n")
        return usual
    parts = [part for part in text.split("\r") if part.strip()]
    rewritten = sum(_PROGRESS.match(part) is not None for part in parts)
    return text if 2 * rewritten > len(parts) else text.replace("\r", "\n")


def as_printed(text: str) -> str:
    """Undo what changes no meaning: escapes of a terminal and a mailer, ends of lines, blanks."""
    if "=3D" in text and _IS_QUOTED_PRINTABLE.search(text):
        text = _quoted_printable(text)
    if "\x1b" in text or "\x9b" in text:
        text = _ESCAPE.sub("", text)
    if not text.isascii():
        text = text.translate(_BLANKS)
    text = text.replace(SEPARATOR, "")
    if "\v" in text or "\x85" in text or "\u2028" in text:
        text = re.sub("\r?[\v\x85\u2028]", "\n", text)
    return text.replace("\r\n", "\n")  # script(1) writes \r\r\n


def repaired(text: str, numbers: Sequence[int] | None, read: Read) -> Repaired | None:
    """Repair a text in which marks were left unread; None if no more is read by that."""
    lines = whole = _numbered(text, numbers)
    best = read(lines)
    notes: list[Note] = []
    for undo in (None, _undone, _written):
        state = undo(lines, best) if undo else lines
        if state is None:
            continue
        reading = read(state) if undo else best
        bare, told = _without_prefixes(state, reading, read) if reading.damaged else (state, [])
        reading = read(bare) if told else reading
        if reading.beats(best):
            lines, best = bare, reading
            notes += told
        if not best.damaged:
            break
    return Repaired.of(lines, notes) if lines is not whole else None


def _numbered(text: str, numbers: Sequence[int] | None = None) -> list[Line]:
    numbers = numbers or range(1, text.count("\n") + 2)
    return [Line(*pair) for pair in zip(numbers, text.split("\n"), strict=False)]


def _undone(lines: list[Line], _: Reading) -> list[Line] | None:
    """Undo what web pages and word processors did; None if they did nothing."""
    text = "\n".join(line.text for line in lines)
    undone, places = _plain(text)
    if undone == text:
        return None
    numbers = [line.number for line in lines]
    places = places or list(range(1, len(lines) + 1))
    return _numbered(undone, [numbers[min(place, len(numbers)) - 1] for place in places])


def _plain(text: str) -> tuple[str, list[int] | None]:
    """Return a text without tags, bold and typographic signs, and the places of its lines."""
    numbers = None
    if "<" in text and _IS_HTML.search(text):
        text, numbers = _tags(text)
    if "**" in text:
        text = _BOLD.sub(r"\1", text)
    if "&" in text:
        text = _ENTITIES.sub(lambda found: html.unescape(found[0]), text)
    if not text.isascii():
        text = _DASH.sub("-", text.translate(_AS_TYPED))
        text = _DIGIT.sub(lambda found: str(unicodedata.decimal(found[0])), text)
    return text, numbers


def _quoted_printable(text: str) -> str:
    """Join the lines that a mailer folded (blank lines keep the count), and decode them."""
    unfolded = _FOLDED.sub(
        lambda found: found[0].replace("=\n", "") + "\n" * found[0].count("=\n"), text
    )
    return _QUOTED.sub(
        lambda found: bytes.fromhex(found[0].replace("=", "")).decode("utf-8", "replace"),
        unfolded.removesuffix("="),
    )


def _tags(text: str) -> tuple[str, list[int] | None]:
    """Drop the tags of HTML; those that break lines do so, unless the line ends there anyway."""

    def instead(tag: re.Match[str]) -> str:
        if not tag["name"] or tag["name"].lower() in _BREAKING:
            return "\n"
        return "\t" if tag[0].lower().startswith(("</td", "</th")) else ""

    kept: list[str] = []
    numbers: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):
        parts = _TAG.sub(instead, line).strip("\n").split("\n")
        kept.extend(parts)
        numbers.extend([number] * len(parts))
    return "\n".join(kept), None if len(kept) == numbers[-1] else numbers


def _written(lines: list[Line], reading: Reading) -> list[Line] | None:
    r"""End damaged lines at each written ``\n``; None if there is none."""
    ended = [
        Line(line.number, part)
        for line in lines
        for part in (_ended(line.text) if line.number in reading.damaged else [line.text])
    ]
    return ended if len(ended) > len(lines) else None


def _ended(text: str) -> list[str]:
    r"""End a line at each written ``\n``."""
    if "\\n" not in text:
        return [text]
    inner = _ENDING.sub("", _STARTING.sub("\\g<0>\n", text))
    ended = _WRITTEN.sub(lambda found: _MEANT.get(found[0], found[0][1:]), inner)
    return _ESCAPE.sub("", ended).split("\n")


def unwrap(text: str) -> Repaired | None:
    """Return the texts in the strings of a JSON document, one below the other.

    The items of a list are lines of one text. A text that repeats another (``stderr_lines`` of
    Ansible) is left out with a note. A command beside it stands above it, after a prompt. None if
    the text is not JSON, or has no string in it.
    """
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        told = _logged(text)
    else:
        told = _texts(text)
    lines: list[Line] = []
    notes: list[Note] = []
    seen: set[str] = set()
    for key, own in told:
        at, values = own[0].number, [line.text for line in own]
        whole = "\n".join(values)
        if key in _COMMANDS:
            command = values[0] if len(values) == 1 else shlex.join(values)
            if command and "\n" not in command:
                lines.append(Line(at, f"$ {command}"))
            continue
        if key and whole.strip() in seen:
            message = f"the text of {key!r} is repeated: left out"
            notes.append(Note("repeats", "warning", at, message))
            continue
        if "\n" in whole:
            seen.add(whole.strip())
        # a \r\n is an end of line here as well, and so are \r and \n of their own
        for place, part in enumerate(as_printed(whole).rstrip("\n").split("\n")):
            lines.append(Line(own[min(place, len(own) - 1)].number, part))
        lines.append(Line(own[-1].number, SEPARATOR))
    return Repaired.of(lines, notes, end="\n") if lines else None


def _logged(text: str) -> list[tuple[str, list[Line]]]:
    """List the strings of a log of JSON lines, those of one key together; their key is empty."""
    told: dict[str, list[Line]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError):
            return []
        for key, part in value.items() if isinstance(value, dict) else ():
            if isinstance(part, str):
                ended = part.replace("\r\n", "\n").removesuffix("\n")
                told.setdefault(key, []).extend(Line(number, one) for one in ended.split("\n"))
    return [("", lines) for lines in told.values()]


def _texts(text: str) -> list[tuple[str, list[Line]]]:
    """List the strings of a document with their keys; neighbours in a list together."""
    found: list[tuple[str, list[Line]]] = []
    key, line, at, end = "", 1, 0, -1
    for literal in _STRING.finditer(text):
        line += text.count("\n", at, literal.start())
        at = literal.start()
        if literal["colon"]:
            key, end = str(msgspec.json.decode(literal[0][: -len(literal["colon"])])), -1
            continue
        value = str(msgspec.json.decode(literal[0]))
        if end >= 0 and not text[end:at].strip(", \t\r\n"):
            found[-1][1].append(Line(found[-1][1][0].number, value))
        elif value:
            found.append((key, [Line(line, value)]))
        else:
            continue
        end = literal.end()
    return found


# --- what stands before all lines ----------------------------------------------------------------
#
# A log puts a time before each line, pdsh a host, grep a file and a number, a mailer a mark. One
# rule takes them off: the same number of fields, or all up to the n-th of one sign, off every line
# of a block. A block is neighbouring lines with the same signs there. A few lines are read without
# each of these, and what lets most be read is taken off the block; with it goes the other side of a
# frame or of quotation marks. Lines that several hosts wrote at once are sorted by the fields that
# return.

_LONGEST = 200  # characters of a prefix
_FIELDS = 9
_SIGNS = 16
_NEAR = 40  # lines above and below, with which a cut is tried
_FULL = 3  # cuts that are tried with a whole block
_TIMES, _MORE = 10, 2_000_000  # how often a text is read at most, and characters beyond that
_WORD = re.compile(r"\w[\w.@/+-]*")
_WORDS = re.compile(r"w+(?:\[w\])?")  # syslog: a program with or without its number
_QUOTES = "\"'`"
# the other side of a line; the longer ones first
_TAILS = (r"\n'", r"\n\"", '",', "',", "`,", *"|\u2502\u2503\u2551$\xb6\\", *_QUOTES)
# a field whose values return has the source of a line, unless it is a level, a stream or a time
_SOURCE = re.compile(
    r"(?!\W*(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL|std(?:out|err)"
    r"|\d\d[EO]\+?)\W*$)(?!.*\d\d:\d\d).*[^\W\d]|\W*\d{1,6}\W*$",
    re.I,
)
_SYSLOG = re.compile(r"\d\d:\d\d:\d\d\S* (?P<host>[\w.-]{1,80}) (?P<source>[^\s:]{1,80}):\s*\Z")


class _Cut(NamedTuple):
    """Where the text of a line begins: behind so many fields, or so many of one sign.

    Without any, a line has only one of `_TAILS`.
    """

    number: int
    sign: str = ""

    def of(self, line: str) -> tuple[int, str] | None:
        """Return where a line's text begins, and the signs before; None if it has no prefix."""
        if not self.number:
            return (0, tail) if (tail := _tail(line)) else None
        found = _pattern(self).match(line[: _LONGEST + 1])
        if found is None or found.end() > _LONGEST:
            return None
        bare = "".join(found[0].split())
        # a word alone must be the same in all lines
        return found.end(), bare if bare.isalpha() else _WORDS.sub("w", _WORD.sub("w", bare))


class _Block(NamedTuple):
    """Neighbouring lines with the same signs in their prefix; only blank lines stand between."""

    cut: _Cut
    places: range  # blank lines included
    ends: Mapping[int, int]  # where the text of each line begins, by place


@cache
def _pattern(cut: _Cut) -> re.Pattern[str]:
    if cut.sign:
        sign = re.escape(cut.sign)
        return re.compile(rf"(?:[^{sign}]*+{sign}){{{cut.number}}} ?")
    return re.compile(rf"(?:[^ \t]*+[ \t]++){{{cut.number - 1}}}[^ \t]*+(?:[ \t]|$)")


def _without_prefixes(
    lines: list[Line], reading: Reading, read: Read
) -> tuple[list[Line], list[Note]]:
    """Take off what stands before all lines of the blocks in which marks were left unread."""
    kept: list[Line] = []
    notes: list[Note] = []
    at = skip = 0
    # characters to read: hostile texts take linear time as well
    left = _TIMES * sum(len(line.text) for line in lines) + _MORE
    usual: _Cut | None = None
    for place, line in enumerate(lines):
        if line.number not in reading.damaged or place < at or left < 0:
            continue
        if place < skip:  # of the same lines, with which nothing helped
            skip = place + 3
            continue
        found, spent = _best(lines, place, reading.damaged[line.number], at, usual, read)
        left -= spent
        if found is None:
            skip = place + 3
            continue
        block, bare, sources = found
        kept += [*lines[at : block.places.start], *bare]
        at, usual = block.places.stop, block.cut
        notes.append(_taken_off(block, lines, sources))
    return kept + lines[at:], notes


def _best(
    lines: list[Line], place: int, mark: int, start: int, usual: _Cut | None, read: Read
) -> tuple[tuple[_Block, list[Line], list[str]] | None, int]:
    """Find the block around a line, and its text without prefixes; and how much was read."""
    spent = 0
    plain: dict[range, Reading] = {}
    seen: set[str] = set()
    ranked: list[tuple[int, int, int, _Cut]] = []
    for cut in dict.fromkeys(([usual] if usual else []) + _cuts(lines[place].text, mark)):
        block = _block(lines, place, cut, start, _NEAR)
        if block is None:
            continue
        bare = [line for _, part in _sorted(block, lines) for line in part]
        text = "\n".join(line.text for line in bare)
        if text in seen:
            continue
        seen.add(text)
        if block.places not in plain:
            plain[block.places] = read(lines[block.places.start : block.places.stop])
            spent += len(text)
        reading, before = read(bare), plain[block.places]
        spent += len(text)
        if reading.beats(before):
            off = block.ends[place]
            ranked.append((len(before.damaged) - len(reading.damaged), len(block.ends), off, cut))
            if cut == usual and not reading.damaged:
                break
    # the cut that lets most be read, of most lines; of equals the longest, as dd has words before
    # its numbers in some languages
    ranked.sort(reverse=True)
    for *_, cut in ranked[:_FULL]:
        block = _block(lines, place, cut, start, len(lines))
        if block is None:
            continue
        sources = _sorted(block, lines)
        bare = _placed(block, lines, sources)
        spent += 2 * sum(len(line.text) for line in bare)
        if read(bare).beats(read(lines[block.places.start : block.places.stop])):
            return (block, bare, [source for source, _ in sources]), spent
    return None, spent


def _cuts(line: str, mark: int) -> list[_Cut]:
    """List the cuts of a line before the mark of a report: by fields first."""
    cuts = [_Cut(number) for number in range(1, _FIELDS + 1)]
    seen: Counter[str] = Counter()
    for sign in line[: min(mark, _LONGEST)]:
        if not (sign.isalnum() or sign in " \t_."):
            seen[sign] += 1
            cuts.append(_Cut(seen[sign], sign))
    cuts = [*cuts[: _FIELDS + _SIGNS], _Cut(0)]
    return [cut for cut in cuts if (one := cut.of(line)) and one[1] and one[0] <= mark]


def _block(lines: list[Line], place: int, cut: _Cut, start: int, near: int) -> _Block | None:
    """Find the lines around a place with the same signs; None if it stands alone."""
    first = cut.of(lines[place].text)
    if first is None:
        return None
    ends = {place: first[0]}
    for step, stop in ((-1, max(start, place - near) - 1), (1, min(len(lines), place + near + 1))):
        for other in range(place + step, stop, step):
            text = lines[other].text
            if text.strip():
                found = cut.of(text)
                if found is None or found[1] != first[1]:
                    break
                ends[other] = found[0]
    if len(ends) < 2:
        return None
    if cut.sign and cut.sign in _QUOTES and not _common_tail(lines, ends):
        return None  # of strings that end elsewhere, as in JSON
    return _Block(cut, range(min(ends), max(ends) + 1), ends)


def _sorted(block: _Block, lines: list[Line]) -> list[tuple[str, list[Line]]]:
    """List the lines without prefixes; those of each source together, with its name."""
    before = {place: lines[place].text[:end] for place, end in block.ends.items()}
    sources = _sources(before, whole=bool(block.cut.sign))
    tail = _common_tail(lines, block.ends)
    found: dict[str, list[Line]] = {}
    own: list[Line] = []
    for place in block.places:
        number, text = lines[place]
        if place in before:
            own = found.setdefault(sources.get(place, ""), [])
            # a program rewrites its line with carriage returns, and some put the prefix there too
            text = text[block.ends[place] :].replace(f"\r{before[place]}", "\r")
            text = text.rstrip(" \t").removesuffix(tail).rstrip(" \t") if tail else text
        own.append(Line(number, text))
    return [*found.items()]


def _common_tail(lines: list[Line], ends: Mapping[int, int]) -> str:
    tails = {_tail(lines[place].text[end:]) for place, end in ends.items()}
    return tails.pop() if len(tails) == 1 else ""


def _tail(text: str) -> str:
    bare = text[-_LONGEST:].rstrip(" \t")
    return next((tail for tail in _TAILS if bare.endswith(tail)), "")


def _sources(before: Mapping[int, str], *, whole: bool) -> dict[int, str]:
    """Name the source of each line, if lines of several stand among each other."""
    rows = [[prefix.strip()] if whole else prefix.split() for prefix in before.values()]
    columns = []
    for column in zip(*rows, strict=False):
        turns = [value for value, _ in groupby(column)]
        if len(turns) > len({*turns}) and all(map(_SOURCE.match, {*turns})):
            columns.append(column)
    names = (" ".join(values).strip(" :|[]<>=") for values in zip(*columns, strict=True))
    return dict(zip(before, names, strict=False))


def _placed(block: _Block, lines: list[Line], sources: list[tuple[str, list[Line]]]) -> list[Line]:
    """Join the lines of all sources; lines between name the host, as far as it is told."""
    placed: list[Line] = []
    by_number = {lines[place].number: lines[place].text[:end] for place, end in block.ends.items()}
    for source, own in sources:
        told = _SYSLOG.search(by_number.get(own[0].number, ""))
        if told or len(sources) > 1:
            host, name = told.group("host", "source") if told else ("", source)
            placed.append(Line(own[0].number, f"{SEPARATOR}{host}{SEPARATOR}{name}"))
        placed += own
    if placed[0].text.startswith(SEPARATOR):
        placed.append(Line(lines[block.places.stop - 1].number, SEPARATOR))
    return placed


def _taken_off(block: _Block, lines: list[Line], sources: list[str]) -> Note:
    first = lines[block.places.start]
    sample = first.text[: block.ends[block.places.start]][:60]
    count = f"{len(block.places)} line{'s'[: len(block.places) > 1]}"
    message = f"what stands before {count} ({sample!r}) taken off"
    if not block.cut.number:
        message = f"what stands behind {count} ({_tail(first.text)!r}) taken off"
    if len(sources) > 1:
        more = [f"{len(sources) - 5} more"] if len(sources) > 6 else sources[5:]
        *some, last = sources[:5] + more
        message += f"; the lines of {', '.join(some)} and {last} put apart"
    return Note("repaired", "info", first.number, message)


# --- what was left unread ------------------------------------------------------------------------

_APART = 5  # lines between two marks of one block, at most
_NOTES = 20
_LONG = 100_000  # characters


def unread_notes(text: str, marks: Sequence[int], line: Callable[[int], int]) -> list[Note]:
    """Return a note of each block of lines with marks of a report that none took.

    ``line`` gives the number of the line of a position.
    """
    blocks: list[list[tuple[int, str, int]]] = []  # number, text, and where the mark begins
    for at in marks:
        number, start = line(at), text.rfind("\n", 0, at) + 1
        if blocks and blocks[-1][-1][0] == number:
            continue
        own = number, text[start : start + _LONG].partition("\n")[0], at - start
        if blocks and number - blocks[-1][-1][0] <= _APART:
            blocks[-1].append(own)
        else:
            blocks.append([own])
    notes = [_unread(block) for block in blocks[:_NOTES]]
    if blocks[_NOTES:]:
        message = f"lines of a report were not read in {len(blocks) - _NOTES} more places below"
        notes.append(Note("unread", "warning", blocks[_NOTES][0][0], message))
    return notes


def quoted_notes(lines: Sequence[int]) -> list[Note]:
    """Return a note of reports that were read, though not as a tool prints them."""
    if len(lines) < 2:  # one that is cited in a sentence
        return []
    message = (
        f"{_lines(lines[0], lines[-1])}: reports in quotation marks, in tags or with written ends"
        " of lines were read, but commands may be missing; give them as the tool printed them"
    )
    return [Note("conditions", "warning", lines[0], message)]


def other_notes(found: Sequence[tuple[str, int, int]], line: Callable[[int], int]) -> list[Note]:
    """Return a note of each output of another tool; ``found`` has its lines, from and to."""
    blocks: list[tuple[str, int, int]] = []
    for tool, start, end in found:
        first, last = line(start), line(end)
        if blocks and blocks[-1][0] == tool and first - blocks[-1][2] <= _APART:
            blocks[-1] = tool, blocks[-1][1], last
        else:
            blocks.append((tool, first, last))
    return [
        Note(
            "other tool",
            "info",
            first,
            f"output of {tool} ({_lines(first, last)}): recognised, not read",
        )
        for tool, first, last in blocks[:_NOTES]
    ]


def _lines(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first}-{last}"


def _unread(block: list[tuple[int, str, int]]) -> Note:
    first, last = block[0][0], block[-1][0]
    where = _lines(first, last)
    sample = block[0][1].strip()[:60]
    for cut in reversed(_cuts(block[0][1], block[0][2]) if len(block) > 1 else []):
        found = [(cut.of(text), mark) for _, text, mark in block]
        ends = [one[0] for one, mark in found if one and one[0] <= mark]
        signs = {one[1] for one, _ in found if one}
        if len(ends) == len(block) and len(signs) == 1 and cut.number:
            message = (
                f"{len(block)} lines of a report ({where}) have something before them"
                f" ({block[0][1][: ends[0]][:60]!r}) and were not read: take it off,"
                f" e.g. with `{_command(cut, ends)}`"
            )
            return Note("unread", "warning", first, message)
    within = f" in {where}" if len(block) > 1 else ""
    message = (
        f"lines of a report were not read ({len(block)}{within}, the first {sample!r}): are they"
        " wrapped, changed or incomplete? give them as the tool printed them"
    )
    return Note("unread", "warning", first, message)


def _command(cut: _Cut, ends: list[int]) -> str:
    """Name a command that takes off what stands before lines."""
    if len({*ends}) == 1:
        return f"cut -c{ends[0] + 1}-"
    if cut.sign:
        return f"cut -d{shlex.quote(cut.sign)} -f{cut.number + 1}-"
    return rf"sed -E 's/^([^ \t]*[ \t]+){{{cut.number}}}//'"
