"""The words on plots: names of columns, levels and sides, values with their units, in a language.

``ja.toml`` has the Japanese of names and short words; what is not in it stays English. Frames and
messages are English always.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from fiotools import units
from fiotools.errors import SchemaError, argument
from fiotools.files import common_folder
from fiotools.stats import frames
from fiotools.stats.frames import Frame
from fiotools.tables import naming
from fiotools.vocabulary import COLUMNS

ENGLISH = "en"
_FOLDER = Path(__file__).parent
LATENCIES = {"lat": "latency", "clat": "completion latency", "slat": "submission latency"}
_CONDITIONS = {"bs_bytes": "block size", "iodepth": "queue depth", "numjobs": "number of jobs"}
_HOLE = re.compile(r"\\{(\w+)\\}")  # in an escaped text
_words: Mapping[str, str] = {}  # in the language in use
_own: list[tuple[re.Pattern[str], str]] = []  # titles and names of the user's, with holes in braces
_code = ENGLISH


# --- the language ---------------------------------------------------------------------------------


@cache
def tables(code: str) -> Mapping[str, Any]:
    """Read the words of a language; English has none."""
    if code == ENGLISH:
        return {"font": {}, "words": {}}
    file = _FOLDER / f"{code}.toml"
    if not (code.isalpha() and file.is_file()):
        known = ", ".join([ENGLISH, *(one.stem for one in sorted(_FOLDER.glob("*.toml")))])
        raise SchemaError(f"{argument('lang', code)} is not a language of plots: {known}")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def use(code: str) -> None:
    """Take the words of a language from now on, and the user's in ``figures.<lang>.toml`` here."""
    global _words, _code
    _words, _code = tables(code)["words"], code
    _own.clear()
    file = Path(f"figures.{code}.toml")
    if code != ENGLISH and file.is_file():
        parts = tomllib.loads(file.read_text(encoding="utf-8"))
        for own, other in (pair for part in parts.values() for pair in part.items()):
            pattern = _HOLE.sub(r"(?P<\1>.+?)", re.escape(own))
            _own.append((re.compile(pattern), other))


def code() -> str:
    """Return the language in use."""
    return _code


def say(text: str, **values: Any) -> str:
    """Write a word or a short text in the language in use."""
    found = _words.get(text, text)
    return found.format(**values) if values else found


def called(name: str) -> str:
    """Write a name or a title of the user's as the file for the figures has it, or as it is."""
    for pattern, other in _own:
        if known := pattern.fullmatch(name):
            return other.format(**{hole: called(text) for hole, text in known.groupdict().items()})
    return _words.get(name, name)


# --- names ----------------------------------------------------------------------------------------


def listed(names: Iterable[str], separator: str = ", ") -> str:
    """Put names beside each other."""
    return say(separator).join(names)


def unit(column: str) -> str:
    """Return a column's base unit, if it is known."""
    return naming.unit_of(column)


def wording(metric: str, *, short: bool = False) -> str:
    """Name a metric on an axis in words, up to the first comma if ``short``."""
    if naming.PERCENTILE.fullmatch(metric):
        return say("{p} of the latency", p=naming.short(metric))
    if metric not in COLUMNS:
        return called(metric)
    words = COLUMNS[metric].meaning.rstrip(".")
    if short:
        words = words.partition(",")[0]
    return say(words if words.startswith("I/O") else words[0].lower() + words[1:])


def condition(name: str) -> str:
    """Name a condition in words."""
    return say(_CONDITIONS[name]) if name in _CONDITIONS else called(naming.short(name))


def named(level: Any, column: str | None) -> str:
    """Name a level; a bare number gets the name of its column: "thread 0"."""
    return called(units.level(level, column or ""))


def place(value: Any, column: str) -> str:
    """Write a level of a condition whose name stands on the axis."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return units.binary(value) if unit(column) == "B" else f"{value:g}"
    return named(value, column)


def short(values: Iterable[Any], column: str | None) -> dict[Any, Any]:
    """Return levels as they are named: files without the folder that they share, as in tables."""
    found = [*values]
    if column != "source":
        return {one: one for one in found}
    folder = common_folder(one for one in found if isinstance(one, str))
    return {one: one.removeprefix(folder) if isinstance(one, str) else one for one in found}


def sides(level: Any, baseline: Any, between: str, *, faster: bool = False) -> str:
    """Name the two sides of a ratio."""
    own, other = map(called, units.sides(level, baseline, between))
    versus = "{level} against {baseline}" if faster else "{level} / {baseline}"
    return say(versus, level=own, baseline=other)


def latency_of(table: Frame) -> str:
    """Name the latency of all rows: submission or completion if they have one kind."""
    return say(LATENCIES.get(only(table, "latency"), "latency"))


def going(what: str, table: Frame, *columns: str | None) -> str:
    """Add the direction of all rows to the name of what is drawn, if they have one.

    Not where a column that names rows, curves or panels has it already.
    """
    direction = None if "direction" in columns else only(table, "direction")
    if direction is None:
        return what
    return say("{what} ({direction})", what=what, direction=called(direction))


def only(table: Frame, column: str) -> Any:
    """Return the only value of a column; None if it has several, or there is none."""
    found = frames.distinct(frames.optional(table, column))
    return found[0] if len(found) == 1 else None


def several(names: Sequence[str], most: int, separator: str = ", ") -> str:
    """List some names, and say how many more there are."""
    some = listed(names[:most], separator)
    return f"{some} and {len(names) - most} more" if names[most:] else some


def first_five(found: Iterable[Any]) -> str:
    """List values for a message, the first five of them."""
    texts = [str(one) for one in found]
    return ", ".join(texts[:5]) + (", ..." if texts[5:] else "")


# --- values ---------------------------------------------------------------------------------------


def tick(value: float, of: str, like: float | None = None, digits: int = 3) -> str:
    """Write a tick: a human number without padding zeros.

    Examples
    --------
    >>> tick(25e6, "ns"), tick(2.5, "x"), tick(0.05, "share"), tick(4096, "binary")
    ('25 ms', '2.5x', '5 %', '4 KiB')
    """
    if of in ("%", "share"):
        return f"{100 * value if of == 'share' else value:g} %"
    if of in ("p", "binary"):
        return units.percentile(value) if of == "p" else units.binary(value)
    if of == "x":
        return f"{_plain(units.human(value, '', digits=digits))}x"
    if value == 0:
        return "0"
    text = units.human(value, of, like=like, digits=digits)
    return _plain(text.removesuffix(" /s") if of == "1/s" else text)


def _plain(text: str) -> str:
    """Write a number without an exponent and without padding zeros."""
    head, _, tail = text.partition(" ")
    if "e" in head:
        head = f"{float(head):.15f}" if float(head) < 1 else f"{float(head):.0f}"
    if "." in head:
        head = head.rstrip("0").rstrip(".")
    return f"{head} {tail}".strip()


def factor(ratio: float) -> str:
    """Write a ratio without an exponent: 2.00x."""
    text = units.human(ratio, "")
    return f"{_plain(text) if 'e' in text else text}x"


def bracketed(middle: str, low: float | None, high: float | None) -> str:
    """Write a value with its interval, if it has one."""
    if low is None or high is None:
        return middle
    return f"{middle} [{units.human(low, '')}, {units.human(high, '')}]"


def percent(share: float) -> str:
    """Write a share as a percentage."""
    return f"{100 * share:g} %"
