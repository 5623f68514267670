"""The words on axes: names of columns, levels and sides, and values with their units."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any

from matplotlib import dates

from fiotools import units
from fiotools.files import common_folder
from fiotools.language import called, listed, say
from fiotools.stats import frames
from fiotools.stats.frames import Frame
from fiotools.tables import naming
from fiotools.vocabulary import COLUMNS

mpl_dates: Any = dates  # untyped in the stubs
LATENCIES = {"lat": "latency", "clat": "completion latency", "slat": "submission latency"}
_CONDITIONS = {"bs_bytes": "block size", "iodepth": "queue depth", "numjobs": "number of jobs"}


def unit(column: str) -> str:
    """Return a column's base unit, if it is known."""
    return naming.unit_of(column)


def wording(metric: str, *, short: bool = False) -> str:
    """Name a metric on an axis in words, up to the first comma if ``short``."""
    if naming.PERCENTILE.fullmatch(metric):
        return say("{p} of the latency", p=naming.short(metric))
    if metric not in COLUMNS:
        return metric
    words = COLUMNS[metric].meaning.rstrip(".")
    if short:
        words = words.partition(",")[0]
    return say(words if words.startswith("I/O") else words[0].lower() + words[1:])


def condition(name: str) -> str:
    """Name a condition in words."""
    return say(_CONDITIONS[name]) if name in _CONDITIONS else called(name)


def named(name: Any, column: str | None) -> str:
    """Name a level; a bare number gets the name of its column: "thread 0"."""
    return called(units.level(name, column or ""))


def short(values: Iterable[Any], column: str | None) -> dict[Any, Any]:
    """Return levels as they are named: files without the folder that they share, as in tables."""
    found = [*values]
    if column != "source":
        return {one: one for one in found}
    folder = common_folder(one for one in found if isinstance(one, str))
    return {one: one.removeprefix(folder) if isinstance(one, str) else one for one in found}


def names(values: Iterable[Any], column: str | None) -> dict[Any, str]:
    """Name levels that stand beside each other."""
    return {one: named(own, column) for one, own in short(values, column).items()}


def place(value: Any, column: str) -> str:
    """Write a level of a condition whose name stands on the axis."""
    if isinstance(value, (int, float)):
        return units.binary(value) if unit(column) == "B" else f"{value:g}"
    return named(value, column)


def sides(level: Any, baseline: Any, between: str, *, faster: bool) -> str:
    """Name the two sides of a ratio."""
    versus = "{level} against {baseline}" if faster else "{level} / {baseline}"
    own, other = map(called, units.sides(level, baseline, between))
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
    return say("{names} and {n} more", names=some, n=len(names) - most) if names[most:] else some


def first_five(found: Iterable[Any]) -> str:
    """List values for a message, the first five of them."""
    texts = [str(one) for one in found]
    return ", ".join(texts[:5]) + (", ..." if texts[5:] else "")


def human(value: float, of: str) -> str:
    """Write a value with its unit."""
    return units.human(value, of)


def tick(value: float, of: str, like: float | None = None, digits: int = 3) -> str:
    """Write a tick: a human number without padding zeros."""
    if of in _WRITTEN:
        return _WRITTEN[of](value)
    if of == "x":
        return f"{_short(units.human(value, '', digits=digits))}x"
    if value == 0:
        return "0"
    text = units.human(value, of, like=like, digits=digits)
    return _short(text.removesuffix(" /s" if of == "1/s" else "\0"))


def day(place: float, ends: tuple[float, float]) -> str:
    """Write a date, with the time if the axis is short."""
    moment: Any = mpl_dates.num2date(place)
    return f"{moment:%Y-%m-%d}" if ends[1] - ends[0] > 4 else f"{moment:%m-%d %H:%M}"


def _short(text: str) -> str:
    head, _, tail = _plain(text).partition(" ")
    if "." in head:
        head = head.rstrip("0").rstrip(".")
    return f"{head} {tail}".strip()


def _plain(text: str) -> str:
    """Write a number without an exponent."""
    head, _, tail = text.partition(" ")
    return f"{Decimal(head):f} {tail}".strip() if "e" in head else text


def factor(ratio: float) -> str:
    """Write a ratio without an exponent."""
    return f"{_plain(units.human(ratio, ''))}x"


def bracketed(middle: str, low: float | None, high: float | None) -> str:
    """Write a value with its interval, if it has one."""
    if low is None or high is None:
        return middle
    return f"{middle} [{units.human(low, '')}, {units.human(high, '')}]"


def percent(share: float) -> str:
    """Write a share as a percentage, as the language in use does."""
    return say("{share} %", share=f"{100 * share:g}")


# what ticks show beside the base units
_WRITTEN: dict[str, Callable[[float], str]] = {
    "%": lambda value: percent(value / 100),
    "share": percent,
    "p": units.percentile,
    "binary": units.binary,
}
