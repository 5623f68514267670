"""Values in a sentence, as people read them: ``{rate:B/s}`` is "2.50 GB/s"."""

from __future__ import annotations

import re
import string
from functools import lru_cache
from typing import Any

from fiotools.errors import argument
from fiotools.units import human, percent

UNITS = ("ns", "s", "B", "B/s", "1/s", "1")
DIFFERS = "…"  # for numbers that are not the same in all cases


def filled(sentence: str, /, **values: Any) -> str:
    """Put values into a sentence: numbers by their unit, lists with commas, arguments as typed.

    After the colon stands a unit; ``%`` for a share; ``~`` for four digits; ``=one|several`` or
    ``+up|down`` for the word that a number asks for; ``; `` for what parts a list; or what Python
    takes. ``{arg.by}`` is an argument, as it is typed, and ``{arg[cache=warm]}`` one with a value.

    Examples
    --------
    >>> filled("{n} {n:=run|runs} of {rate:B/s}, {change:+up|down} by {change:%} %: give {arg.by}",
    ...        n=2, rate=2.5e9, change=-0.05)
    '2 runs of 2.50 GB/s, down by 5 %: give by='
    """
    text = ""
    for literal, field, spec, conversion in _parts(sentence):
        text += literal
        if field is None:
            continue
        form = filled(spec, **values) if spec and "{" in spec else spec or ""
        value = _argument(field) if field.startswith(("arg.", "arg[")) else values[field]
        text += repr(value) if conversion == "r" else _written(value, form)
    return text


@lru_cache(maxsize=1024)
def _parts(sentence: str) -> list[tuple[str, str | None, str | None, str | None]]:
    return list(string.Formatter().parse(sentence))


def _written(value: Any, form: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        parts = form if form.endswith(" ") else ", "
        return parts.join(_written(one, "" if form == parts else form) for one in value)
    if form in UNITS:
        return human(value, form)
    if value is None:
        return "-"
    if form == "%":
        return percent(abs(value))
    if form == "~":
        return f"{value:,.0f}" if 1000 <= value < 1e7 else f"{value:.4g}"
    if form[:1] in ("=", "+") and "|" in form:
        one, other = form[1:].split("|")
        return one if (value == 1 if form[0] == "=" else value > 0) else other
    return format(abs(value), form[:-1]) if form.endswith("|") else format(value, form)


def _argument(field: str) -> str:
    """Write an argument as it is typed: ``arg.by``, or ``arg[cache=warm]``."""
    if field[3] == ".":
        return argument(field[4:])
    name, _, value = field[4:-1].partition("=")
    if value.startswith('"'):
        quoted = argument(name, value.strip('"'))
        return quoted.replace("'", '"') if quoted.startswith(f"{name}=") else quoted
    return argument(name, int(value) if value.isdecimal() else value)


def named(name: str, text: str) -> str:
    """Begin a text with the name of what it is about, if it has one."""
    return f"{name}: {text}" if name else text


def counted(count: int, one: str, several: str) -> str:
    """Write a count in the singular or the plural."""
    return (one if count == 1 else several).format(n=f"{count:,}")


def more(count: int) -> list[str]:
    """End a list that leaves some out; nothing if it has all."""
    return [f"and {count} more"] if count > 0 else []


def slug(text: str) -> str:
    """Turn a text into the name of a file or an anchor.

    Examples
    --------
    >>> slug("random-io: how many?"), slug("<b>")
    ('random-io-how-many', 'b')
    """
    return re.sub(r"[^\w]+", "-", text.casefold()).strip("-") or "x"
