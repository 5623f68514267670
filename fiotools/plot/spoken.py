"""What a plot says without being looked at: the title and the description of its SVG.

A screen reader reads them. matplotlib has no place for such words, so the description of each panel
is the name of its Axes until the file is written.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any
from urllib.parse import quote, unquote

from matplotlib.axes import Axes

from fiotools import units
from fiotools.plot import words
from fiotools.plot.spec import Axis, Row, Spec
from fiotools.vocabulary import GRAVEST

_FINDS, _SHOWS = "finds-", "shows-"
_MOST = 6  # rows or curves in a finding
_PART = re.compile(r'<g id="(finds|shows)-([^"]*)">')


def finds(panels: Iterable[Axes], spec: Spec, notes: Sequence[str] = ()) -> None:
    """Give each panel its finding and notes that stand nowhere else, and the figure what it is."""
    for ax, panel in zip(panels, spec.panels, strict=True):
        own = spec.panel(panel)
        by_shape = {"rows": _of_rows, "lines": _of_lines, "cells": _of_cells}
        found = [own.said] if own.said else [*by_shape[own.shape](own)]
        if found:
            text = words.listed([words.several(found, _MOST, "; "), *notes], "; ")
            ax.set_gid(_FINDS + quote(f"{panel}: {text}" if panel else text))
        if (figure := ax.get_figure(root=True)) is not None:
            labels = [] if spec.shape == "rows" else [one.label for one in spec.ys or (spec.y,)]
            shows = words.listed(filter(None, (*labels, spec.x.label)))
            figure.set_gid(_SHOWS + quote(" ".join(shows.split())))


def titled(svg: str, title: str = "", panels: Sequence[str] = ()) -> str:
    """Make the words of an SVG those that a screen reader reads.

    The ``title`` and those of the ``panels`` are what somebody wrote above them.
    """
    parts: dict[str, list[str]] = {"shows": [], "finds": []}
    for kind, text in _PART.findall(svg):
        parts[kind] += filter(None, [" ".join(unquote(text).split())])
    shows = [title] if title else parts["shows"]
    if not shows and not parts["finds"]:
        return svg
    svg = _PART.sub("<g>", svg)
    name = hashlib.sha256(svg.encode()).hexdigest()[:8]
    found = parts["finds"]
    if len(panels) == len(found) > 1:
        pairs = zip(panels, found, strict=True)
        found = [text if text.startswith(head) else f"{head}: {text}" for head, text in pairs]
    told = {"title": "".join(shows[:1]), "desc": "; ".join(found)}
    there = {tag: text for tag, text in told.items() if text}
    inside = "".join(
        f'\n <{tag} id="{tag}-{name}">{escape(text)}</{tag}>' for tag, text in there.items()
    )
    ids = " ".join(f"{tag}-{name}" for tag in there)
    role = rf'\1 role="img" aria-labelledby="{ids}">'
    return re.sub(r"(<svg [^>]*)>", lambda one: one.expand(role) + inside, svg, count=1)


def _of_rows(spec: Spec) -> Iterator[str]:
    """Give the texts beside rows, or else their values, from top to bottom."""
    known = [row for name in spec.y.order or () for row in spec.rows if row.y == name]
    for row in [row for row in known if row.texts] or known:
        name = [words.named(row.y, spec.y.column)]
        if spec.hue and "one row" not in spec.how:
            name.append(words.named(row.group, spec.hue))
        heads = [*spec.heads, *[""] * len(row.texts)]
        texts = [f"{head} {text}".strip() for head, text in zip(heads, row.texts, strict=False)]
        yield f"{words.listed(name)}: {words.listed(texts or [_value(spec.x, row.x)])}"


def _of_lines(spec: Spec) -> Iterator[str]:
    """Say where each curve begins and ends, and its highest point between them."""
    for group in spec.groups:
        known = (row for row in spec.rows if row.group == group and _height(row) is not None)
        own = sorted(known, key=lambda row: row.x)
        if own:
            turns = dict.fromkeys([own[0], max(own, key=_height), own[-1]])
            told = [f"{_value(spec.y, _height(one))} at {_value(spec.x, one.x)}" for one in turns]
            name = f"{words.named(group, spec.hue)}: " if spec.hue else ""
            yield name + words.listed(dict.fromkeys(told))


def _height(row: Row) -> Any:
    return row.y if row.y is not None else row.high


def _of_cells(spec: Spec) -> Iterator[str]:
    """Count verdicts, or give the lowest and the highest cell."""
    if "verdicts" in spec.how:
        reasons = {one.row: one.text for one in spec.levels}
        for name in spec.y.order or ():
            marks = Counter(row.mark for row in spec.rows if row.y == name and row.mark)
            worst = [f"{marks[one]} {one}" for one in GRAVEST if one in marks]
            why = reasons.get(name, "").replace("\n", "; ")
            yield ": ".join(filter(None, [f"{name}, {words.listed(worst)}".strip(", "), why]))
        return
    if "lanes" in spec.how:
        for one in spec.levels:
            yield f"{words.named(one.row, spec.y.column)}: {one.text}"
        return
    if spec.x.order is None:  # a map of numbers
        late = max((row for row in spec.rows if row.value), key=lambda row: row.y)
        yield f"{words.say('slowest')}: {_value(spec.y, late.y)} at {_value(spec.x, late.x)}"
        return
    known = sorted(
        (row for row in spec.rows if row.value and row.texts), key=lambda row: row.value or 0.0
    )
    for row in dict.fromkeys([*known[:1], *known[-1:]]):
        at = words.listed([words.named(row.y, spec.y.column), words.named(row.x, spec.x.column)])
        yield f"{at}: {row.texts[0]}"


def _value(axis: Axis, value: float) -> str:
    if axis.unit == "p":
        return f"p{units.percentile(round(100 * (1 - 10**-value), 9))}"
    if axis.unit in ("", "binary") and axis.column:
        return words.named(value, axis.column)
    if axis.unit in ("%", "share"):
        value = float(f"{value:.3g}")
    return words.tick(value, axis.unit)
