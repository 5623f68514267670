"""What a plot says without being looked at: each point its value, and the whole its finding.

matplotlib has no place for such words, so they are the names of what is drawn, which only an SVG
has. `titled` makes the names ``<title>`` and ``<desc>``: a browser shows the words of a point when
the pointer is on it, and a screen reader reads those of the picture.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from math import ceil, floor
from typing import Any
from urllib.parse import quote, unquote

from matplotlib.artist import Artist

from fiotools.language import listed, say
from fiotools.plot import words
from fiotools.plot.scales import write
from fiotools.plot.spec import Axis, Level, Row, Spec
from fiotools.vocabulary import GRAVEST

_SAYS, _FINDS, _SHOWS = "says-", "finds-", "shows-"
_MOST = 6  # rows or curves in a finding
_SHARES = (50, 99)  # % of the I/Os that a distribution is told by
_GROUP = re.compile(r'<g id="says-([^"]*)">(.*?)(?=<g id="|</svg>)', re.DOTALL)
_WHOLE = re.compile(r'<g id="(finds|shows)-([^"]*)">')
_POINT, _CELL = re.compile(r"(<use [^>]*)/>"), re.compile(r"(<path (?!id=)[^>]*)/>")


def says(artist: Artist, *texts: str) -> None:
    """Give words to what was drawn: all of it, or each of its points or cells in their order."""
    if texts:
        artist.set_gid(_SAYS + quote("\n".join(texts)))


def told(spec: Spec, row: Row, single: float | None = None) -> str:
    """Say a value with its place and its group: that of the row, or of a ``single`` run."""
    group = "" if row.group is None else words.named(row.group, spec.hue)
    if spec.shape == "cells":
        place = listed([_place(spec.y, row.y), _place(spec.x, row.x)])
        return say("{name}: {text}", name=place, text=_cell(spec, row))
    axis, at = (spec.x, row.x) if spec.shape == "rows" else (spec.y, row.y)
    across, where = (spec.y, row.y) if spec.shape == "rows" else (spec.x, row.x)
    name = listed(filter(None, [_place(across, where), group]))
    if single is None and at is not None and "steps" in spec.how:  # the ends of a step are edges
        single = at
    text = _value(axis, single) if single is not None else _whole(axis, at, row)
    return say("{name}: {text}", name=name, text=text) if name else text


def _whole(axis: Axis, at: float | None, row: Row) -> str:
    """Write a value with its interval, or with the end that its bar reaches to."""
    if row.low is None or row.high is None:
        return "-" if at is None else _value(axis, at)
    low, high = _value(axis, row.low), _value(axis, row.high)
    if at is None or row.low == at:
        return low if low == high else say("{low} to {high}", low=low, high=high)
    middle = _value(axis, at)
    unit = "x" if axis.unit == "x" else middle[middle.rfind(" ") :]
    if low.endswith(unit) and high.endswith(unit):  # once is enough
        low, high = low.removesuffix(unit), high.removesuffix(unit)
    return f"{middle} [{low}, {high}]"


def _value(axis: Axis, value: float) -> str:
    if axis.unit in ("%", "share"):
        value = float(f"{value:.4g}")
    if axis.unit == "x":
        return words.factor(value)
    if axis.unit in ("%", "share", "p", "binary", "date") or axis.order is not None:
        return _place(axis, value)
    return words.human(value, axis.unit)


def _place(axis: Axis, at: Any) -> str:
    """Name a place on an axis: a level, a condition with its name, or a value."""
    if isinstance(at, str) or (axis.order is not None and at in axis.order):
        return words.named(at, axis.column)
    if axis.unit == "date":
        return words.day(at, axis.ends or (at, at))
    if axis.unit in ("", "binary") and axis.column and axis.order is None:
        return words.named(at, axis.column)
    text = write(axis, at, (at, at))
    return f"p{text}" if axis.unit == "p" else text


def _cell(spec: Spec, row: Row) -> str:
    if row.texts:
        return row.texts[0]
    if row.value is not None:
        return _value(spec.colours, row.value)
    verdict = say(row.mark or "does not apply")
    return say("{name}: {text}", name=verdict, text=row.why) if row.why else verdict


def finding(spec: Spec) -> str:
    """Say what a plot finds: the line above it, or its values, the first of them."""
    by_shape: dict[str, Callable[[Spec], Iterator[str]]] = {
        "rows": _of_rows,
        "lines": _of_lines,
        "cells": _of_cells,
    }
    found = [spec.said] if spec.said else [*by_shape[spec.shape](spec)]
    return words.several(found, _MOST, "; ")


def _of_rows(spec: Spec) -> Iterator[str]:
    """Give the texts beside rows, or else their values, from top to bottom."""
    order = spec.y.order or ()
    known = sorted((row for row in spec.rows if row.y in order), key=lambda row: order.index(row.y))
    for row in [row for row in known if row.texts] or known:
        if not (spec.heads and row.texts):
            yield told(spec, row)
            continue
        texts = listed(
            filter(None, (f"{a} {b}".strip() for a, b in zip(spec.heads, row.texts, strict=False)))
        )
        group = words.named(row.group, spec.hue) if spec.hue and "one row" not in spec.how else ""
        name = listed(filter(None, [_place(spec.y, row.y), group]))
        yield say("{name}: {text}", name=name, text=texts)


def _of_lines(spec: Spec) -> Iterator[str]:
    """Say where each curve begins and ends, and its highest point between them; or its levels."""
    if spec.levels and "bands" not in spec.how:  # beside bands they are the intervals of marks
        yield from (level(spec, one) for one in spec.levels)
        return
    for group in spec.groups:
        own = [row for row in spec.rows if row.group == group and _height(row) is not None]
        if not own:
            continue
        own = sorted(own, key=lambda row: row.x)
        turns = [own[0], max(own, key=_height), own[-1]]
        if "steps" in spec.how and spec.y.unit == "%":  # shares that add up to all
            turns = [next(row for row in own if _height(row) >= share) for share in _SHARES]
        texts = dict.fromkeys(
            say("{value} at {place}", value=_end(spec.y, row), place=_place(spec.x, row.x))
            for row in turns
        )
        text = listed(texts)
        yield (
            say("{name}: {text}", name=words.named(group, spec.hue), text=text)
            if spec.hue
            else text
        )


def _end(axis: Axis, row: Row) -> str:
    """Write a value of a curve: with its interval only if it is a ratio, which is an answer."""
    is_alone = row.y is not None and axis.unit != "x"
    return _whole(axis, row.y, replace(row, low=None, high=None) if is_alone else row)


def level(spec: Spec, one: Level) -> str:
    """Say a level, and from where to where it goes."""
    ends: list[Any] = [one.begin, one.end]
    if spec.x.order is not None:  # from name to name
        ends = [max(1, ceil(one.begin)), min(len(spec.x.order), floor(one.end))]
    ends = [_place(spec.x, end) for end in ends]
    text = _whole(spec.y, one.value, Row(0, 0, one.low, one.high))
    name = say("{low} to {high}", low=ends[0], high=ends[1])
    return say("{name}: {text}", name=name, text=text)


def _height(row: Row) -> Any:
    return row.y if row.y is not None else row.high


def _of_cells(spec: Spec) -> Iterator[str]:
    """Count verdicts, or give the lowest and the highest cell."""
    if "verdicts" in spec.how:
        worst: dict[str, str] = {}
        for row in spec.rows:
            worst[row.y] = min(worst.get(row.y, row.mark), row.mark, key=(*GRAVEST, "").index)
        for one in spec.levels:
            name = listed([say(worst[one.row] or "suspect"), one.row])
            yield say("{name}: {text}", name=name, text=listed(one.text.split("\n"), "; "))
        if not spec.levels:
            yield from map(say, dict.fromkeys(filter(None, worst.values())))
        return
    if spec.x.order is None:  # a map of numbers
        seen = [row for row in spec.rows if row.value]
        late = max(seen, key=lambda row: row.y)
        at = {"value": _value(spec.y, late.y), "place": _place(spec.x, late.x)}
        yield say("{name}: {text}", name=say("slowest"), text=say("{value} at {place}", **at))
        return
    known = [row for row in spec.rows if row.value is not None and row.texts]
    if known:
        ends = (min(known, key=_shade), max(known, key=_shade))
        yield from dict.fromkeys(told(spec, row) for row in ends)


def _shade(row: Row) -> float:
    return row.value or 0.0


def caption(spec: Spec) -> str:
    """Say what is drawn: the names of the axes of numbers."""
    labels = [] if spec.shape == "rows" else [one.label for one in spec.ys or (spec.y,)]
    more = spec.notes[:1] if spec.shape == "cells" and "verdicts" not in spec.how else ()
    return listed(filter(None, (*labels, spec.x.label, *more)))


def finds(panels: Iterable[Artist], spec: Spec) -> None:
    """Give each panel its finding, and the figure what is drawn."""
    for ax, panel in zip(panels, spec.panels, strict=True):
        if text := finding(spec.panel(panel)):
            named = say("{name}: {text}", name=panel, text=text) if panel else text
            ax.set_gid(_FINDS + quote(named))
        figure = ax.get_figure(root=True)
        if figure is not None:
            figure.set_gid(_SHOWS + quote(" ".join(caption(spec).split())))


def titled(svg: str, title: str = "", panels: Sequence[str] = ()) -> str:
    """Make the words of an SVG those that a browser shows and a screen reader reads.

    The ``title`` and those of the ``panels`` are what somebody wrote above them.
    """
    svg = _GROUP.sub(lambda one: _said(unquote(one[1]).split("\n"), one[2]), svg)
    parts: dict[str, list[str]] = {"shows": [title] if title else [], "finds": []}
    for kind, text in _WHOLE.findall(svg):
        parts[kind] += filter(None, [" ".join(unquote(text).split())])
    if not any(parts.values()):
        return svg
    svg = _WHOLE.sub("<g>", svg)
    name = hashlib.sha256(svg.encode()).hexdigest()[:8]
    if len(panels) == len(parts["finds"]) > 1:
        parts["finds"] = [
            text if text.startswith(name) else f"{name}: {text}"
            for name, text in zip(panels, parts["finds"], strict=True)
        ]
    told = {"title": parts["shows"][:1], "desc": ["; ".join(parts["finds"])]}
    there = {tag: text[0] for tag, text in told.items() if text and text[0]}
    inside = "".join(
        f'\n <{tag} id="{tag}-{name}">{escape(text)}</{tag}>' for tag, text in there.items()
    )
    ids = " ".join(f"{tag}-{name}" for tag in there)
    return re.sub(
        r"(<svg [^>]*)>",
        lambda one: f'{one[1]} role="img" aria-labelledby="{ids}">{inside}',
        svg,
        count=1,
    )


def _said(texts: Sequence[str], inside: str) -> str:
    """Put words into a group: for all of it, or for each of what it holds."""
    if len(texts) == 1:
        return f"<g><title>{escape(texts[0])}</title>{inside}"
    parts = _POINT if _POINT.search(inside) else _CELL
    if len(parts.findall(inside)) != len(texts):  # a point is off the canvas
        return f"<g>{inside}"
    left = iter(texts)

    def one(part: re.Match[str]) -> str:
        text, tag = next(left), part[1][1 : part[1].index(" ")]
        return f"{part[1]}><title>{escape(text)}</title></{tag}>" if text else part[0]

    return f"<g>{parts.sub(one, inside)}"
