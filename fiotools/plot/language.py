"""The language of what stands on figures; a state, as the rest of matplotlib's style is.

The code says everything in English, in whole messages: ``say("{n} rounds", n=5)``. A language is
one file beside this module, ``words/<lang>.toml``, with these tables:

* ``[font]``: which font has its letters, in which package, and which extra installs that;
* ``[messages]``, ``[columns]``, ``[checks]``: what `say` is asked for;
* ``[sentences]``: what is finished English by the time that a figure gets it, as the reasons in the
  frames of `check`. They are found again by what stands between the places, the first that fits;
* ``[names]``: what data calls its rows and lines, such as ``read``.

What is in no table stays English. For another language copy a file, translate it, and add the
font's package to ``pyproject.toml``; for another message add it to each file.
``tests/plot/test_catalogues.py`` knows what is missing, and what nobody says any more.

What a project writes on its figures itself (titles, names of its own) is looked up in
``figures.<lang>.toml``, in the folder where the code runs: beside the notebook.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from matplotlib import font_manager

from fiotools.errors import SchemaError
from fiotools.hints import argument
from fiotools.plot.catalogue import Messages, Phrases, tables

WORDS = Path(__file__).with_name("words")
ENGLISH = "en"
_FONT = "DejaVu Sans"  # comes with matplotlib, and has the units' letters
_LISTS = ("; ", ", ")


@dataclass(frozen=True)
class Language:
    """What a figure is written with.

    Attributes
    ----------
    code : str
        Such as ``ja``.
    family : list of str
        Fonts: a letter is taken from the first that has it.
    has_bold : bool
        Whether all of them have bold letters; in one line with others, bold ones look ragged.
    messages : mapping of str to str
    sentences, names : Phrases
    """

    code: str
    family: list[str]
    has_bold: bool
    messages: Messages
    sentences: Phrases
    names: Phrases


def languages() -> list[str]:
    """Give the languages that figures can be in."""
    return [ENGLISH, *sorted(file.stem for file in WORDS.glob("*.toml"))]


def language(code: str) -> Language:
    """Read a language's words, and have matplotlib know its font.

    Raises
    ------
    SchemaError
        If there is no such language, its font is not installed, or a catalogue is broken.
    """
    if code not in languages():
        raise SchemaError(f"figures have no language {code!r}: write {' or '.join(languages())}")
    if code == ENGLISH:
        return Language(ENGLISH, [_FONT], True, {}, Phrases({}), Phrases({}))
    known = tables(WORDS / f"{code}.toml")
    messages = {**known["messages"], **known["columns"], **known["checks"]}
    lists = {separator: messages[separator] for separator in _LISTS}
    own = Path(f"figures.{code}.toml")
    names = known["names"] | (_own(own) if own.is_file() else {})
    fonts = _font(known.get("font"), code)
    return Language(
        code,
        [_FONT, *fonts],
        not fonts,
        messages,
        Phrases(known["names"] | known["sentences"], lists),
        Phrases(names, lists),
    )


def _own(path: Path) -> dict[str, str]:
    """Read what a project has written itself, in however many tables."""
    found: dict[str, str] = {}
    for table in tables(path).values():
        found |= table
    return found


def _font(told: Mapping[str, str] | None, code: str) -> list[str]:
    """Name the font of a language, once matplotlib has its file."""
    if told is None:
        return []
    spec = find_spec(told["package"])  # not imported: that might change the style of all figures
    if spec is None or not spec.submodule_search_locations:
        raise SchemaError(
            f"{argument('lang', code)} needs the letters of {told['package'].replace('_', '-')}:"
            f" python -m pip install 'fiotools[{told['extra']}]'"
        )
    _add(Path(spec.submodule_search_locations[0], told["file"]))
    return [told["family"]]


@cache
def _add(file: Path) -> None:
    font_manager.fontManager.addfont(file)


_current = language(ENGLISH)


def use(code: str) -> None:
    """Write figures in this language from now on."""
    global _current
    _current = language(code)


def family() -> list[str]:
    """Give the fonts of the current language."""
    return list(_current.family)


def has_bold() -> bool:
    """Whether the fonts of the current language have bold letters."""
    return _current.has_bold


def say(message: str, /, **inserted: object) -> str:
    """Give a message of fiotools in the current language.

    Examples
    --------
    >>> say("limit: {limit}", limit="1 ms")
    'limit: 1 ms'
    """
    text = _current.messages.get(message, message)
    return text.format(**inserted) if inserted else text


def listed(items: Iterable[str], separator: str = ", ") -> str:
    """Write a list as the current language does."""
    return say(separator).join(items)


def sentence(text: str) -> str:
    """Give a sentence that fiotools has finished before, in the current language."""
    return _current.sentences.translated(text)


def called(text: str) -> str:
    """Give what data or a project calls something, in the current language if it is known."""
    return _current.names.find(text) or text
