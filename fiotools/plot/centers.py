"""The runs of each cell, with their centre and its interval, as `summarize` has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import isfinite, nan
from typing import Any, Literal

from fiotools import units
from fiotools.errors import SchemaError, argument, typed
from fiotools.plot import words
from fiotools.plot.kind import opened, records, values_of
from fiotools.plot.spec import Limit
from fiotools.plot.words import say
from fiotools.stats import frames
from fiotools.stats.frames import Key
from fiotools.stats.methods import LOG_T
from fiotools.stats.summary import summarize

_EXAMPLES = {"B/s": "500MB/s", "ns": "1ms", "s": "10s"}  # of a limit


class Centers:
    """The runs of each cell, their centre and its interval."""

    def __init__(self, frame: Any, metric: str, keys: Sequence[str]) -> None:
        table = opened(frame, metric, *keys)
        for name in keys:
            frames.complete(table, name)
        values = values_of(table, metric)
        self.table = table[[row for row, one in enumerate(values) if one is not None]]
        self.missing = len(values) - len(self.table)
        told = records(frames.opened(summarize(self.table.to_native(), metric, by=[*keys])))
        self.told = {tuple(row[name] for name in keys): row for row in told}
        known: list[Any] = frames.numbers(self.table, metric)
        groups = frames.groups(self.table, keys) if keys else {(): range(len(known))}
        self.runs = {key: tuple(known[row] for row in own) for key, own in groups.items()}
        self.several = any(len(own) > 1 for own in self.runs.values())
        self.middle = say("geometric mean" if told[0]["method"] == LOG_T else "mean")

    def center(self, key: Key) -> float:
        """Return the centre of the runs of a cell."""
        return float(self.told[key]["center"])

    def roles(self, key: Key) -> dict[str, Any]:
        """Return the interval of a cell, and its runs if there are several."""
        own, told = self.runs[key], self.told[key]
        alone = len(own) == 1
        return {
            "low": told["center_lo"],
            "high": told["center_hi"],
            "points": () if alone else own,
            "mark": "hollow" if alone and self.several else "",
        }

    def said(self, centre: str, interval: str = "bar: {confidence} interval") -> str:
        """Say what points, ticks and intervals are."""
        if not self.several:
            found = [*filter(None, [is_one_run(self.table, range(len(self.table)))])]
        else:
            alone = any(len(own) == 1 for own in self.runs.values())
            found = [say("points: runs, hollow: only one" if alone else "points: runs")]
            found.append(say(centre, middle=self.middle))
            shares = [row["confidence"] for row in self.told.values() if row["center_lo"]]
            found += [say(interval, confidence=words.percent(one)) for one in shares[:1]]
        if self.missing:
            found.append(say("rows without a value: {n}", n=self.missing))
        return words.listed(found, "; ")


def limits_of(
    ceilings: Mapping[str, float | str] | None,
    of: str,
    *,
    axis: Literal["x", "y"] = "x",
    log: bool = False,
) -> tuple[Limit, ...]:
    """Return limits with their names and values, given as numbers or with their unit."""
    found = []
    for name, given in (ceilings or {}).items():
        limit = nan
        with suppress(ValueError):
            limit = units.amount(given, of) if isinstance(given, str) else given
        if not (name and isfinite(limit) and (limit > 0 or not log)):
            example = _EXAMPLES.get(of, 50000)
            raise SchemaError(
                f"{argument('ceiling', f'{name}={given}')} is not a limit: write "
                + typed(f"{{{name or 'NAME'!r}: {example!r}}}", f"NAME={example}")
            )
        found.append(
            Limit(limit, text=f"{words.called(name)}: {units.human(limit, of)}", axis=axis)
        )
    return tuple(found)


def is_one_run(table: frames.Frame, rows: Sequence[int]) -> str:
    """Say that each of the rows is one run, if its files or an ``n`` of 1 say so."""
    lists = [frames.optional(table, name) for name in ("source", "run", "n")]
    found = [seen for row, seen in enumerate(zip(*lists, strict=True)) if row in {*rows}]
    if any(n != 1 if n is not None else None in (source, run) for source, run, n in found):
        return ""
    alone = len(found) == 1 or (len(set(found)) == 1 and None not in found[0][:2])
    return say("one run" if alone else "one run each")
