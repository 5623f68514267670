"""Catalogues: files that say what English messages are in another language.

A catalogue is TOML, a message and its translation in each line, ``"wall time" = "実時間"``. What is
inserted has a name in braces, the same in both: ``"{n} runs" = "実行 {n} 回"``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from fiotools.errors import SchemaError

Messages: TypeAlias = Mapping[str, str]

_PLACE = re.compile(r"\{(\w+)\}")
_NEXT = "; "  # between sentences


def places(message: str) -> set[str]:
    """Give the names of what is inserted into a message.

    Examples
    --------
    >>> sorted(places("{rate} is {times} times the limit"))
    ['rate', 'times']
    """
    return set(_PLACE.findall(message))


def tables(path: Path) -> dict[str, dict[str, str]]:
    """Read a catalogue: its tables of messages.

    Raises
    ------
    SchemaError
        If it is not TOML, or a translation has a place that the message has not.
    """
    try:
        found: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SchemaError(f"{path.name} is not TOML: {error}") from None
    for name, table in found.items():
        if not isinstance(table, dict):
            raise SchemaError(f"{path.name}: {name!r} stands outside a [table]")
        for message, translation in table.items():
            if not isinstance(translation, str):
                raise SchemaError(f"{path.name}: the translation of {message!r} is no text")
            if more := places(translation) - places(message):
                listed = ", ".join(f"{{{place}}}" for place in sorted(more))
                raise SchemaError(
                    f"{path.name}: the translation of {message!r} has {listed},"
                    " which the message has not"
                )
    return found


class Phrases:
    """Messages that are found again in a finished text, with what was inserted into them.

    The first that fits is taken, so that what says more stands first. What was inserted is looked
    up in its turn, and of a list each item.

    Examples
    --------
    >>> known = {"{a} is {b} times {c}": "{a} ist das {b}fache {c}", "the link": "der Leitung"}
    >>> Phrases(known).translated("2 GB/s is 4 times the link")
    '2 GB/s ist das 4fache der Leitung'
    """

    def __init__(self, known: Messages, separators: Messages | None = None) -> None:
        self._whole = {text: known[text] for text in known if not places(text)}
        self._separators = separators or {}
        self._patterns = [(_pattern(text), known[text]) for text in known if places(text)]

    def find(self, text: str) -> str | None:
        """Translate a text, if it is one of the messages."""
        if text in self._whole:
            return self._whole[text]
        for pattern, translation in self._patterns:
            if found := pattern.fullmatch(text):
                inserted = {name: self.translated(own) for name, own in found.groupdict().items()}
                if all(map(_is_one, inserted.values())):
                    return translation.format(**inserted)
        return None

    def translated(self, text: str) -> str:
        """Translate a message, or a list of messages; leave any other text as it is."""
        return self.find(text) or self._list(text) or text

    def _list(self, text: str) -> str | None:
        for separator, own in self._separators.items():
            for at in re.finditer(re.escape(separator), text):
                first, rest = self.find(text[: at.start()]), text[at.end() :]
                if first and (others := self.find(rest) or self._list(rest)):
                    return first + own + others
        return None


def _is_one(inserted: str) -> bool:
    """Whether a place has not taken more than was put into it: a sentence's end, half a bracket."""
    depth = 0
    for letter in inserted:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            return False
    return depth == 0 and _NEXT not in inserted


def _pattern(message: str) -> re.Pattern[str]:
    text, seen = "", set[str]()
    for at, part in enumerate(_PLACE.split(message)):
        if at % 2 == 0:
            text += re.escape(part)
        else:
            text += f"(?P={part})" if part in seen else f"(?P<{part}>.+?)"
            seen.add(part)
    return re.compile(text, re.S)
