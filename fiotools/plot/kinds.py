"""One kind of thing at a time: which rows a curve or a map may show together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fiotools.errors import SchemaError
from fiotools.plot.language import called, say
from fiotools.stats import frames
from fiotools.stats.frames import Frame
from fiotools.stats.replicates import labels
from fiotools.vocabulary import KEYS, STATISTICS

KINDS = ("quantity", "latency", "direction")  # rows that differ in these never add up
_LATENCIES = {"slat": "submission latency", "clat": "completion latency"}


def by_name(names: Sequence[Any]) -> dict[Any, list[int]]:
    """Give the rows that are drawn under each name."""
    found: dict[Any, list[int]] = {}
    for row, name in enumerate(names):
        found.setdefault(name, []).append(row)
    return found


def named(name: Any, hue: str | None) -> str:
    """Name what is drawn; a bare number says nothing: "thread 0"."""
    return called(name if isinstance(name, str) else f"{hue} {name}")


def refuse_several(
    table: Frame,
    names: Sequence[Any],
    what: str,
    *,
    hue: str | None = None,
    apart: Sequence[str] = (),
    also: Callable[[str], str] = lambda column: "",
) -> None:
    """Refuse rows of several kinds under one name, and say what to type.

    Parameters
    ----------
    names : sequence
        The name that each row is drawn under.
    what : str
        What shows one kind, such as ``"a heat map"``.
    hue : str, optional
        The column of the names.
    apart : sequence of str
        More columns that tell kinds apart.
    also : callable
        Gives another remedy for a column, or nothing.
    """
    own = [name for name in labels(table) if name not in STATISTICS]
    # in the order in which people would name them
    wanted = dict.fromkeys([*KINDS, *own, "scope", *reversed(KEYS), *apart])
    lists = frames.columns(table, [name for name in wanted if name != hue])
    for name, rows in by_name(names).items():
        for column in frames.differing(lists, rows)[:1]:
            listed = frames.distinct(lists[column][row] for row in rows)
            shown = ", ".join(map(str, listed[:5])) + (", ..." if len(listed) > 5 else "")
            keep = frames.to_type(table, column, "total" if "total" in listed else listed[0])
            whose = "" if hue is None else f" of {name!r}"
            raise SchemaError(
                f"rows{whose} differ in {column} ({shown}), and {what} shows one:"
                f" keep it, {keep}{also(column)}"
            )


def latency_of(table: Frame) -> str:
    """Name the latency of all rows, and their direction, as far as the frame knows."""
    found = frames.columns(table, ("latency", "direction"))
    kinds, ways = (frames.distinct(found.get(name, [])) for name in ("latency", "direction"))
    name = latency_name(kinds[0] if len(kinds) == 1 else None)
    return going(name, ways[0]) if len(ways) == 1 else name


def latency_name(kind: str | None) -> str:
    """Name a latency on an axis: slat, clat, or any."""
    return say(_LATENCIES.get(kind or "", "latency"))


def going(what: str, direction: str) -> str:
    """Add a direction to what goes that way."""
    return say("{what} ({direction})", what=what, direction=called(direction))
