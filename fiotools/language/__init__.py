"""The language of plots: a state. Frames, tables and pages are English.

The code has English messages: ``say("{n} rounds", n=5)``. A language is one file beside this
module, ``<lang>.toml``, a message and its translation in each line of its tables:
``"{n} rounds" = "{n} ラウンド"``. Inserted values have names in braces, the same in both, and may
have a form (`fiotools.words`).

* ``[font]``: which font has its letters, in which package, and which extra installs that;
* ``[names]``: words of data, such as ``read`` (`called`);
* these and all others: messages of `say`.

A message without a translation stays English. For another language copy a file, translate it,
and add the font's package to ``pyproject.toml``; for another message add it to each file.
``tests/plot/test_catalogues.py`` finds missing and unused messages.

A project's own texts on its plots (titles, names) are looked up in
``figures.<lang>.toml``, in the folder where the code runs: beside the notebook.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from fiotools.errors import SchemaError
from fiotools.words import filled

FOLDER = Path(__file__).parent
ENGLISH = "en"
_PLACE = re.compile(r"\{([^\W\d][^{}]*)\}")

Messages: TypeAlias = Mapping[str, str]


@dataclass(frozen=True)
class Language:
    """The words of a language."""

    # of its letters: the file, its package, its family, and the extra that installs it
    font: Messages | None = None
    messages: Messages = field(default_factory=dict)
    names: Messages = field(default_factory=dict)

    @cached_property
    def _patterns(self) -> list[tuple[re.Pattern[str], str]]:
        return [(_pattern(name), own) for name, own in self.names.items() if places(name)]

    def called(self, text: str) -> str:
        """Translate a name and the values in it; any other text stays as it is."""
        if text in self.names:
            return self.names[text]
        for pattern, own in self._patterns:
            if found := pattern.fullmatch(text):
                inserted = {place: self.called(part) for place, part in found.groupdict().items()}
                return own.format(**inserted)
        return text


def _pattern(name: str) -> re.Pattern[str]:
    text, seen = "", set[str]()
    for at, part in enumerate(_PLACE.split(name)):
        if at % 2 == 0:
            text += re.escape(part)
        else:
            text += f"(?P={part})" if part in seen else f"(?P<{part}>.+?)"
            seen.add(part)
    return re.compile(text, re.DOTALL)


def languages() -> list[str]:
    """List the languages."""
    return [ENGLISH, *sorted(file.stem for file in FOLDER.glob("*.toml"))]


def language(code: str) -> Language:
    """Read a language's words."""
    if code not in languages():
        raise SchemaError(f"plots have no language {code!r}: write {' or '.join(languages())}")
    if code == ENGLISH:
        return Language()
    known = tables(FOLDER / f"{code}.toml")
    font, messages = known.pop("font", None), _together(known)
    own = Path(f"figures.{code}.toml")
    names = known["names"] | (_together(tables(own)) if own.is_file() else {})
    return Language(font, messages, names)


def _together(several: Mapping[str, Messages]) -> dict[str, str]:
    return {message: own for table in several.values() for message, own in table.items()}


def tables(path: Path) -> dict[str, dict[str, str]]:
    """Read a catalogue: its tables of messages."""
    try:
        found: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SchemaError(f"{path.name} is not TOML: {error}") from None
    for name, table in found.items():
        if not isinstance(table, dict):
            raise SchemaError(f"{path.name}: {name!r} stands outside a [table]")
        for message, translation in table.items():
            if not isinstance(translation, str):
                raise SchemaError(f"{path.name}: the translation of {message!r} is not a text")
            if more := places(translation) - places(message):
                named = ", ".join(f"{{{place}}}" for place in sorted(more))
                raise SchemaError(
                    f"{path.name}: the translation of {message!r} has {named},"
                    " which the message has not"
                )
    return found


def places(message: str) -> set[str]:
    """Return the names of the values of a message."""
    return {place.partition(":")[0] for place in _PLACE.findall(message)}


_current = Language()


def current() -> Language:
    """Return the language in use."""
    return _current


def use(code: str) -> None:
    """Set the language."""
    global _current
    _current = language(code)


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Set the language for a while."""
    global _current
    before = _current
    use(code)
    try:
        yield
    finally:
        _current = before


def say(message: str, /, **inserted: object) -> str:
    """Return a message in the language in use.

    Examples
    --------
    >>> say("limit: {limit}", limit="1 ms")
    'limit: 1 ms'
    """
    text = _current.messages.get(message, message)
    if not inserted and "{arg" not in text:
        return text if text != message else called(message)
    there = {
        name: listed(map(str, value)) if isinstance(value, (list, tuple)) else value
        for name, value in inserted.items()
    }
    return filled(text, **there)


def listed(items: Iterable[str], separator: str = ", ") -> str:
    """Write a list as the language in use does."""
    return say(separator).join(items)


def called(text: str) -> str:
    """Return a name in the language in use, if it is known."""
    return _current.called(text)


def counted(count: int, one: str, several: str) -> str:
    """Return a message in the singular or the plural."""
    return say(one if count == 1 else several, n=f"{count:,}")
