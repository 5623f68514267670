"""Letters: fonts of the language in use, and where a text may be broken into lines.

A line holds so many letters; a wide one counts as two. Japanese puts no space between words, and
may break a line almost anywhere: not before a full stop, a closing bracket or a small kana, nor
after an opening bracket (kinsoku). It reads best if a line ends after a particle, where hiragana
end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

from matplotlib import font_manager, rcParams

from fiotools.errors import SchemaError, argument
from fiotools.plot import words

_HIRAGANA = "\u3041-\u309f"
_WIDE = "\u3000-\u9fff\uff01-\uffef"  # kana, ideographs, and the punctuation that goes with them
_STOPS = "、。，．：；？！"
_CLOSING = rf"{_STOPS}・～）」』】〕］｝〉》ー…々ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ"
_OPENING = "（「『【〔［｛〈《"
_WORD = re.compile(r"[(<≤±+-]*[\d.,]+ (?:%|/s|[kMGTP]?B(?:/s)?|[mµn]?s)(?!\w)\S*|\S+")
_IS_WIDE = re.compile(f"[{_WIDE}]")
# katakana, ideographs or Latin letters, with the hiragana and the punctuation after them
_PHRASE = re.compile(
    rf"[{_OPENING}(]*"
    rf"(?:[ァ-ヿ]+|[㐀-鿿々]+|[^{_WIDE}]+|[{_WIDE}])?"
    rf"[{_HIRAGANA}]*[{_CLOSING})]*"
)
_LETTER = re.compile(rf"[{_OPENING}]*[^{_OPENING}][{_CLOSING}]*|.", re.S)
_PART = re.compile(r"[^-_/.]*[-_/.]+|[^-_/.]+")
_LEANS = re.compile(rf"[{_HIRAGANA}{_CLOSING}]")  # on what is before it
_COUNTED = re.compile(r"[㐀-鿿ァ-ヿ]")  # after a number, what it is a number of
_LETTER_WIDTH = 0.6  # of the letters' size: how wide one is, on average
_FONT = "DejaVu Sans"  # comes with matplotlib, and has the units' letters
_JAPANESE = "ja"
_ANY = "sans-serif"  # where a reader of an SVG lacks the others


@cache
def _installed(code: str) -> str:
    """Register the font of a language with matplotlib, and name it; nothing if it has none."""
    font = words.tables(code)["font"]
    # not imported: that might change the style of all figures
    spec = find_spec(font["package"]) if font else None
    places = spec.submodule_search_locations if spec else None
    if not places:
        return ""
    font_manager.fontManager.addfont(Path(places[0], font["file"]))
    return str(font["family"])


def family(text: str = "") -> list[str]:
    """Return the fonts of the language in use: a letter is taken from the first that has it.

    A text with wide letters also gets the user's fonts, and the Japanese one if it is installed.
    """
    own = [_FONT, *filter(None, [_installed(words.code())])]
    if _IS_WIDE.search(text):
        own += [*rcParams["font.family"], *filter(None, [_installed(_JAPANESE)])]
    return [*dict.fromkeys([*own, _ANY])]


def has_bold() -> bool:
    """Whether all of the fonts have bold letters; bold and other letters in a line look ragged."""
    return not words.tables(words.code())["font"]


def load_font(code: str) -> None:
    """Register the font of a language with matplotlib, or say how to install it."""
    font = words.tables(code)["font"]
    if font and not _installed(code):
        raise SchemaError(
            f"{argument('lang', code)} needs the letters of {font['package'].replace('_', '-')}:"
            f" python -m pip install 'fiotools[{font['extra']}]'"
        )


def width(text: str) -> int:
    """Count the letters of a text; kana and ideographs are as wide as two."""
    return sum(2 if _IS_WIDE.match(letter) else 1 for letter in text)


def room(points: float, size: float) -> int:
    """Return how many letters of a size a line of so many points has room for."""
    return max(8, int(points / (_LETTER_WIDTH * size)))


def wrapped(text: str, most: int) -> str:
    """Break a text into lines of at most so many letters; a word that is longer is broken too.

    A number stays with its unit.

    Examples
    --------
    >>> wrapped("took 3.5 s, at best", 11).splitlines()
    ['took 3.5 s,', 'at best']
    """
    lines = [""]
    for space, word in _pieces(text):
        # what fits nowhere, such as a path, is broken behind its signs, or else between letters
        parts = [word] if width(word) <= most else _PART.findall(word)
        broken = ([part] if width(part) <= most else _split(part) for part in parts)
        for at, piece in enumerate(chain.from_iterable(broken)):
            gap = "" if at or not lines[-1] else space
            if lines[-1] and width(lines[-1] + gap + piece) > most:
                lines.append(piece)
            else:
                lines[-1] += gap + piece
    return "\n".join(lines)


def paragraph(texts: Iterable[str], most: int) -> str:
    """Break texts into lines, each of which begins a line."""
    return "\n".join(wrapped(line, most) for text in texts for line in text.split("\n"))


def _pieces(text: str) -> list[tuple[str, str]]:
    """Return the pieces of a text that stay whole, each with the space before it.

    Examples
    --------
    >>> _pieces("took 3.5 s, at best")
    [(' ', 'took'), (' ', '3.5 s,'), (' ', 'at'), (' ', 'best')]
    >>> _pieces("実行 1 回ずつ、区間なし。")
    [(' ', '実行'), (' ', '1 回ずつ、'), ('', '区間なし。')]
    """
    found: list[tuple[str, str]] = []
    for word in _WORD.findall(text):
        if not _IS_WIDE.search(word):
            found.append((" ", word))
            continue
        for at, phrase in enumerate(filter(None, _PHRASE.findall(word))):
            gap = "" if at else " "
            before = found[-1][1] if found else ""
            counted = before[-1:].isdigit() and _COUNTED.match(phrase)
            leans = _LEANS.match(phrase) and before[-1:] not in _STOPS
            if before and (leans or counted):
                found[-1] = found[-1][0], before + gap + phrase
            else:
                found.append((gap, phrase))
    return found


def _split(word: str) -> list[str]:
    """Return the pieces of a word that is too long for a line."""
    return _LETTER.findall(word) if _IS_WIDE.search(word) else list(word)
