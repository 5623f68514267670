"""The smallest and largest latency behind a histogram, where a table `io` tells them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

from narwhals.typing import IntoDataFrameT

from fiotools.errors import SchemaError
from fiotools.stats.frames import Frame, amounts, columns, groups, need, opened, values
from fiotools.stats.histograms import Bin, Histogram
from fiotools.stats.pooling import total
from fiotools.stats.replicates import run_name

_ENTRY = ("source", "run", "entry")


@dataclass
class Extremes:
    """What a histogram's I/Os lie between, in ns, and what there is to say of that."""

    least: float = -inf
    most: float = inf
    notes: list[str] = field(default_factory=list)

    def clamp(self, edges: Bin) -> Bin:
        """Cut a bin down to what can be in it."""
        low, high = edges
        return max(low, self.least), min(high, self.most)


def extremes(
    data: Frame, found: Sequence[Histogram], keys: Sequence[str], io: IntoDataFrameT | None
) -> list[Extremes]:
    """Look up the extremes of each histogram; without `io` there are none."""
    if io is None:
        return [Extremes() for _ in found]
    table = opened(io)
    need(data, ["latency"])
    own = [name for name in keys if name != "latency"]
    need(table, own)
    cells = groups(table, own)
    lists, kinds = columns(data, own), values(data, "latency")
    entries = [name for name in _ENTRY if name in data.columns and name in table.columns]
    ours, theirs = _entries(data, entries), _entries(table, entries)
    answers = []
    for histogram in found:
        first = histogram.rows[0]
        rows = cells.get(tuple(lists[name][first] for name in own), [])
        behind = {ours[row] for row in histogram.rows}
        there = {theirs[row] for row in rows}
        for entry in behind:
            if entry not in there:
                raise SchemaError(f"io has no row for {_entry_name(entries, entry)} of the bins")
        rows = [row for row in rows if theirs[row] in behind]
        answers.append(_of(table, rows, kinds[first], histogram))
    return answers


def _of(table: Frame, rows: list[int], kind: Any, histogram: Histogram) -> Extremes:
    """Give the extremes over rows of `io`; what one of them lacks is not known of all."""
    own = table[rows]
    least, most, ios = (
        amounts(own, name) for name in (f"{kind}_min_ns", f"{kind}_max_ns", "total_ios")
    )
    found = Extremes(
        -inf if None in least else float(min(least)), inf if None in most else float(max(most))
    )
    held = [edges for edges, count in histogram.counts.items() if count]
    if any(low > found.most or high <= found.least for low, high in held):
        found = Extremes(notes=["io's smallest and largest latency contradict the bins"])
    done, counted = total(ios), sum(histogram.counts.values())
    if done is not None and done != counted:
        found.notes.append(f"the bins hold {counted} I/Os, io has {done}")
    return found


def _entries(frame: Frame, names: Sequence[str]) -> list[tuple[Any, ...]]:
    lists = columns(frame, names)
    return list(zip(*(lists[name] for name in names), strict=True)) or [()] * len(frame)


def _entry_name(names: Sequence[str], entry: tuple[Any, ...]) -> str:
    told = dict(zip(names, entry, strict=True))
    if "run" not in told:
        return "a group"
    place = run_name((told.get("source"), told["run"]))
    return place if told.get("entry") is None else f"entry {told['entry']} of {place}"
