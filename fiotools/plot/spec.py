"""What is drawn, as plain values: rows with roles, two axes, and words.

A kind of plot makes a `Spec`; a shape (`rows`, `lines`, `cells`) draws it. A part of a plot has a
name, and can be left out of its `Spec`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from fiotools.errors import SchemaError, argument, typed
from fiotools.language import listed, say
from fiotools.plot.words import first_five, short
from fiotools.stats import frames

FAR = 8  # times: from there on an axis is logarithmic
CURVES, ROWS = 12, 40  # the most that a plot holds
PARTS = ("points", "intervals", "texts", "limits", "levels", "legend", "notes")


@dataclass(frozen=True)
class Axis:
    """An axis: its label, and the unit or the order of what is on it."""

    label: str = ""
    unit: str = ""  # a base unit, x of ratios, % of shares, binary of sizes, p of percentiles
    column: str = ""  # whose levels are on it
    order: tuple[Any, ...] | None = None  # of levels, which are then at equal steps
    ticks: tuple[float, ...] | None = None
    log: bool | None = None  # if values are far apart
    zero: bool = False  # begins at 0, where it is linear
    ends: tuple[float, float] | None = None
    bare: str = ""  # the label without what other panels have otherwise


@dataclass(frozen=True)
class Row:
    """A value with its place, its interval and single runs."""

    x: Any
    y: Any
    low: float | None = None
    high: float | None = None
    points: tuple[float, ...] = ()  # single runs
    texts: tuple[str, ...] = ()  # beside it, or in its cell
    group: Any = None
    panel: str = ""
    value: float | None = None  # the colour of a cell
    mark: str = ""  # hollow, whole, behind, pale, ring, knee, or the verdict of a check
    why: str = ""  # the reason of a verdict


@dataclass(frozen=True)
class Limit:
    """A line across a plot, or the area between two values."""

    low: float
    high: float | None = None
    text: str = ""
    axis: Literal["x", "y"] = "y"
    dashed: bool = True
    panel: str = ""


@dataclass(frozen=True)
class Level:
    """A short bar at a value, from one place to another, or from place to place in a row.

    Among verdicts it is the reasons of a row.
    """

    begin: float
    end: float
    value: float
    low: float | None = None
    high: float | None = None
    text: str = ""
    row: Any = None
    group: Any = None
    panel: str = ""


@dataclass(frozen=True)
class Spec:
    """All of a plot."""

    shape: Literal["rows", "lines", "cells"]
    rows: tuple[Row, ...]
    x: Axis
    y: Axis
    hue: str | None = None  # the column of the groups
    groups: tuple[Any, ...] = (None,)
    panels: tuple[str, ...] = ("",)
    ys: tuple[Axis, ...] = ()  # of the panels, if they have not all the same
    limits: tuple[Limit, ...] = ()
    levels: tuple[Level, ...] = ()
    title: str = ""
    heads: tuple[str, ...] = ()  # of the texts beside rows
    said: str = ""  # the finding, in a line above
    notes: tuple[str, ...] = ()
    legend: bool = True
    how: frozenset[str] = frozenset()  # bars, steps, dots, thin, blank, markers, log colours, ...
    palette: str = "crest"
    colours: Axis = field(default_factory=Axis)

    def without(self, parts: Iterable[str]) -> Spec:
        """Leave out parts, by their names."""
        names = {parts} if isinstance(parts, str) else {*parts}
        if unknown := sorted(names - {*PARTS}):
            raise SchemaError(f"a plot has no part {unknown[0]!r}, only {', '.join(PARTS)}")
        rows = self.rows
        for part, nothing in (
            ("points", {"points": ()}),
            ("intervals", {"low": None, "high": None}),
            ("texts", {"texts": ()}),
        ):
            if part in names:
                rows = tuple(replace(row, **nothing) for row in rows)
        kept: dict[str, Any] = {"rows": rows}
        if "texts" in names:
            kept["heads"] = ()
        kept |= {part: () for part in ("limits", "levels", "notes") if part in names}
        if "notes" in names:
            kept["said"] = ""
        if "legend" in names:
            kept["legend"] = False
        return replace(self, **kept)

    def short(self) -> Spec:
        """Name files as short as tables do."""
        if "source" not in (self.x.column, self.y.column, self.hue):
            return self
        xs, ys = (short(axis.order or (), axis.column) for axis in (self.x, self.y))
        groups = short(self.groups, self.hue)
        return replace(
            self,
            rows=tuple(
                replace(
                    row,
                    x=xs.get(row.x, row.x),
                    y=ys.get(row.y, row.y),
                    group=groups.get(row.group, row.group),
                )
                for row in self.rows
            ),
            levels=tuple(
                replace(one, row=ys.get(one.row, one.row), group=groups.get(one.group, one.group))
                for one in self.levels
            ),
            x=replace(self.x, order=self.x.order and tuple(xs.values())),
            y=replace(self.y, order=self.y.order and tuple(ys.values())),
            groups=tuple(groups.values()),
        )

    def panel(self, name: str) -> Spec:
        """Return one panel."""
        rows = tuple(row for row in self.rows if row.panel == name)
        y = self.ys[self.panels.index(name)] if self.ys else self.y
        order = y.order
        if self.shape == "rows" and order is not None:
            there = {row.y for row in rows}
            order = tuple(one for one in order if one in there)
        return replace(
            self,
            rows=rows,
            y=replace(y, order=order),
            ys=(),
            limits=tuple(one for one in self.limits if one.panel in ("", name)),
            levels=tuple(one for one in self.levels if one.panel in ("", name)),
            panels=("",),
        )

    def reach(self, role: Literal["x", "y"]) -> list[float]:
        """Return all numbers that an axis has to show; an interval may go on beyond curves."""
        found = [*self.values(role)]
        found += [
            end
            for one in self.limits
            if one.axis == role
            for end in (one.low, one.high)
            if end is not None
        ]
        axis = self.x if role == "x" else self.y
        shown = (self.shape == "rows" and role == "x") or ("bands" in self.how and role == "y")
        if shown:
            ends = [end for row in self.rows for end in (row.low, row.high) if end is not None]
            found += [end for end in ends if axis.log is not True or end > 0]
        return found

    def values(self, role: Literal["x", "y"]) -> Iterator[float]:
        """Give all numbers of an axis, without intervals and limits."""
        is_value = role == ("x" if self.shape == "rows" else "y")
        for row in self.rows:
            one = getattr(row, role)
            if one is not None:
                yield one
            if is_value:
                yield from row.points
        for level in self.levels:
            if is_value:
                yield level.value
            elif self.shape == "lines":
                yield from (level.begin, level.end)


def merged(specs: Sequence[tuple[str, Spec]]) -> Spec:
    """Put plots beside each other as panels of one."""
    first = specs[0][1]

    def title(name: str, panel: str) -> str:
        return listed([name, say(panel)]) if panel else name

    def together(part: str) -> tuple[Any, ...]:
        return tuple(
            replace(one, panel=title(name, one.panel))
            for name, own in specs
            for one in getattr(own, part)
        )

    def union(lists: Iterable[Iterable[Any] | None]) -> tuple[Any, ...]:
        return tuple(dict.fromkeys(one for some in lists for one in some or ()))

    def axis(role: str) -> Axis:
        own: list[Axis] = [getattr(spec, role) for _, spec in specs]
        order = None if own[0].order is None else union(one.order for one in own)
        ticks = None if own[0].ticks is None else tuple(sorted(union(one.ticks for one in own)))
        log = own[0].log if len({one.log for one in own}) == 1 else None
        ends = [one.ends for one in own if one.ends]
        whole = (min(low for low, _ in ends), max(high for _, high in ends)) if ends else None
        labels, bare = [one.label for one in own], [one.bare for one in own]
        label = next((some[0] for some in (labels, bare) if len({*some}) == 1), "")
        return replace(own[0], label=label, order=order, ticks=ticks, log=log, ends=whole)

    groups = union(spec.groups for _, spec in specs)
    said = tuple(f"{name}: {spec.said}" for name, spec in specs if spec.said)
    return replace(
        first,
        rows=together("rows"),
        limits=together("limits"),
        levels=together("levels"),
        x=axis("x"),
        y=axis("y"),
        groups=ordered(groups) if groups != (None,) else groups,
        panels=tuple(title(name, one) for name, spec in specs for one in spec.panels),
        ys=tuple(one for _, spec in specs for one in spec.ys),
        said="",
        notes=(*said, *union(spec.notes for _, spec in specs)),
        how=frozenset(union(spec.how for _, spec in specs)),
    )


def ordered(found: Iterable[Any]) -> tuple[Any, ...]:
    """Return distinct values: numbers by size, others as they come."""
    return tuple(frames.ordered(list(found)))


def in_order(found: Iterable[Any], order: Sequence[Any] | None) -> tuple[Any, ...]:
    """Return distinct values in the order asked for; else numbers by size, others as they come."""
    there = ordered(found)
    if not order:
        return there
    chosen = tuple(value for value in order if value in there)
    if not chosen:
        names = first_five(map(repr, there))
        raise SchemaError(f"{argument('order', list(order))} names nothing that is there: {names}")
    return chosen


def is_far(values: Iterable[float]) -> bool:
    """Whether values lie so far apart that equal steps would hide the small ones."""
    found = list(values)
    return bool(found) and min(found) > 0 and max(found) / min(found) >= FAR


def refuse_too_many(spec: Spec, example: str) -> None:
    """Refuse more than can be told apart on a page, with the filter to type."""
    curves, most = (
        len(spec.groups),
        max((len(spec.panel(name).y.order or ()) for name in spec.panels), default=0),
    )
    keep = f"keep some, {example}" if example else "keep some"
    if spec.shape == "lines" and curves > CURVES:
        raise SchemaError(f"{curves} curves cannot be told apart: {keep}, at most {CURVES}")
    if spec.shape == "rows" and curves > CURVES:
        raise SchemaError(f"{curves} colours cannot be told apart: {keep}, at most {CURVES}")
    if spec.shape != "lines" and most > ROWS:
        panels = typed("by=", "--by")
        raise SchemaError(f"{most} rows cannot be read: {keep}, at most {ROWS}, or {panels} panels")


def finite(values: Iterable[float | None], column: str) -> None:
    """Refuse values that no axis can show."""
    if any(value is not None and math.isinf(value) for value in values):
        raise SchemaError(f"{column!r} is infinite in a row: leave it out")
