"""Keys that stand twice in one object of a fio document, which JSON parsers pass over in silence.

fio lists an option twice that was given twice, and old versions a percentile that they do not use.
Other figures stand twice where somebody joined documents, or edited one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any


def each_once(text: str | bytes, value: Any) -> bool:
    r"""Whether a text has no more keys than the value that was made of it.

    Where it has as many by another count (a colon at the beginning of a text), it is only said that
    it has more.

    Examples
    --------
    >>> each_once('{"a": [{"b" : 1}]}', {"a": [{"b": 1}]}), each_once('{"a": 1, "a": 2}', {"a": 2})
    (True, False)
    """
    count = _count(text) if isinstance(text, bytes) else _count_of_text(text)
    waiting, keys = [value], 0
    while waiting:
        one = waiting.pop()
        if type(one) is dict:
            keys += len(one)
            waiting.extend(one.values())
        elif type(one) is list:
            waiting.extend(one)
    return keys == count


def _count(text: bytes) -> int:
    marks = text.count(b'":') + text.count(b'" :')
    return marks - text.count(b'\\":') - text.count(b'\\" :') if b'\\"' in text else marks


def _count_of_text(text: str) -> int:
    marks = text.count('":') + text.count('" :')
    return marks - text.count('\\":') - text.count('\\" :') if '\\"' in text else marks


class Decoder(json.JSONDecoder):
    """Reads what faster parsers refuse, and remembers keys that stand twice with other values.

    An option counts as it was given last, as fio has it; of anything else it is not certain which
    value is right, and there is none.

    Attributes
    ----------
    options, figures : list of str
        The keys that stand twice, of options and of all else.
    """

    def __init__(self) -> None:
        # job names may hold control characters; Python refuses numbers of thousands of digits
        super().__init__(
            strict=False,
            parse_constant=lambda _: None,
            parse_int=lambda digits: int(digits) if len(digits) < 40 else float(digits),
            object_pairs_hook=self._object,
        )
        self.options: list[str] = []
        self.figures: list[str] = []

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            is_options = all(type(value) is str for value in found.values())
            several: dict[str, list[Any]] = {}
            for key, value in pairs:
                several.setdefault(key, []).append(value)
            for key, values in several.items():
                if any(value != values[0] for value in values):
                    (self.options if is_options else self.figures).append(key)
                    found[key] = values[-1] if is_options else _agreed(values)
        return found


def _agreed(values: Sequence[Any]) -> Any:
    """Keep what several values have in common; None for what they have not."""
    if all(type(value) is dict for value in values):
        keys = dict.fromkeys(key for value in values for key in value)
        return {key: _agreed([value.get(key) for value in values]) for key in keys}
    return values[0] if all(value == values[0] for value in values) else None
