"""A kind of plot: a function from data to a `Spec`, which is drawn by its shape.

`kind` gives every such function the same surface: a `Results`, a frame or an answer as its first
argument; ``by`` for panels, ``without`` for parts to leave out, ``title`` for a line above, ``ax``
for Axes of one's own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import update_wrapper
from typing import Any, TypeAlias

import narwhals as nw
from matplotlib.axes import Axes

from fiotools.errors import SchemaError, about_results, argument, similar
from fiotools.language import listed
from fiotools.plot import cells, frame, letters, lines, look, roles, rows, spoken, words
from fiotools.plot.names import ARGUMENTS, METRICS
from fiotools.plot.roles import Arguments
from fiotools.plot.scales import settled
from fiotools.plot.spec import PARTS, Spec, merged, refuse_too_many
from fiotools.plot.style import title as write_title
from fiotools.stats import frames
from fiotools.stats.question import columns_named, metric_of, table_of
from fiotools.tables import naming
from fiotools.tables.results import Results, with_runs

Prepare: TypeAlias = Callable[[Any, Arguments], Any]

KINDS: dict[str, Kind] = {}
FOUND: Any = None  # the default of an argument that is found in the data
_SHAPES: Mapping[str, Any] = {"rows": rows.draw, "lines": lines.draw, "cells": cells.draw}
_NAMES = ("y", "hue", "x", "by", "between", "order", "pair")  # arguments that may name columns


class Kind:
    """A kind of plot, to be called like a function."""

    __name__: str

    def __init__(self, make: Callable[..., Spec], prepare: Prepare) -> None:
        update_wrapper(self, make)
        self._make, self._prepare = make, prepare
        own = inspect.signature(make)
        self._data, *self.takes = own.parameters
        more = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind
            )
            for name, default, kind in (
                ("by", None, "str | Sequence[str] | None"),
                ("without", (), "str | Sequence[str]"),
                ("title", None, "str | None"),
                ("ax", None, "Axes | None"),
            )
        ]
        self.__signature__ = own.replace(
            parameters=[*own.parameters.values(), *more], return_annotation="Any"
        )

    @property
    def draws(self) -> str:
        """What it draws, in a sentence: the first line of its docstring."""
        return (self.__doc__ or "").partition("\n")[0].rstrip(".")

    def __call__(self, *args: Any, ax: Any = None, **named: Any) -> Any:
        """Draw the plot, on Axes of one's own or on a new figure."""
        return drawn(self.spec(*args, **named), ax, several=named.get("by") is not None)

    def spec(self, *args: Any, **named: Any) -> Spec:
        """Return what is drawn, as plain values."""
        given = self._bound(args, named)
        without, title = given.pop("without", ()), given.pop("title", None)
        data, by = given.pop(self._data), frames.names(given.pop("by", None))
        asked = {**given, "by": list(by)}
        if isinstance(data, Results):
            with about_results():
                found = self._of(self._prepare(data, asked), asked)
        else:
            found = self._of(self._prepare(data, asked), asked)
        return replace(found.short().without(without), title=title or "")

    def _bound(self, args: Sequence[Any], named: Mapping[str, Any]) -> Arguments:
        """Bind arguments to their names, or say which there are."""
        takes = self.__signature__.parameters
        first = [name for name, one in takes.items() if one.kind is not one.KEYWORD_ONLY]
        unknown = [name for name in named if name not in takes or name == "ax"]
        names = [name for name in takes if name not in (self._data, *unknown)]
        every = f"{self.__name__} takes {', '.join(names)}"
        if unknown:
            meant = next((one for one in ARGUMENTS.get(unknown[0], ()) if one in names), None)
            hint = f"; did you mean {meant}=?" if meant else similar(unknown[0], names)
            raise SchemaError(f"{every}; not {unknown[0]}{hint}")
        if len(args) > len(first):
            more = ", ".join(f"{name}=" for name in names if name not in first)
            raise SchemaError(
                f"{self.__name__} takes {', '.join(first)} in this order, and the others by name"
                f" ({more}); not {len(args)} values without a name"
            )
        if twice := [name for name in first[: len(args)] if name in named]:
            raise SchemaError(f"{every}; not {twice[0]} twice")
        if not args and self._data not in named:
            raise SchemaError(f"{every}; before them the data, such as read(files)")
        return self.__signature__.bind(*args, **named).arguments

    def _of(self, data: Any, asked: Arguments) -> Spec:
        by = asked.pop("by")
        if not by:
            found = self._make(data, **asked)
        else:
            found = merged(
                [(name, self._make(part, **own)) for name, part, own in _parts(data, by, asked)]
            )
        refuse_too_many(found, _example(data, found))
        return found


def kind(prepare: Prepare) -> Callable[[Callable[..., Spec]], Kind]:
    """Make a kind of plot of a function; ``prepare`` brings what was given to its frame."""

    def made(function: Callable[..., Spec]) -> Kind:
        KINDS[function.__name__] = own = Kind(function, prepare)
        return own

    return made


def drawn(spec: Spec, ax: Any = None, *, several: bool = False) -> Any:
    """Draw a plot on Axes of one's own, or on a new figure; panels are an array of Axes."""
    if ax is not None:
        panels = frame.given(ax, len(spec.panels))
        if spec.title:
            write_title(panels, spec.title)
        spoken.finds(panels, spec)
        for one, name in zip(panels, spec.panels, strict=True):
            last = one is panels[-1]
            part = spec.panel(name) if last else spec.panel(name).without(("notes", "legend"))
            _panel(one, part, whole=False)
            if several:
                one.set_title(name, fontsize=look.size(one), loc="left")
            if not last and one.get_shared_x_axes().joined(one, panels[-1]):
                one.set_xlabel("")
        return panels if len(panels) > 1 or several else panels[0]
    panels = frame.figure(spec)
    spoken.finds(panels, spec)
    if frame.shares(panels, "x") and spec.x.order is None:
        spec = replace(spec, x=settled(spec.x, spec.reach("x")))
    if frame.shares(panels, "y") and spec.y.order is None:
        spec = replace(spec, y=settled(spec.y, spec.reach("y")))
    several |= bool(spec.ys)
    own, handles = look.figure_of(panels), dict[str, Any]()
    whole = len(panels) > 1
    for at, (one, name) in enumerate(zip(panels, spec.panels, strict=True)):
        part = spec.panel(name)
        for handle in _panel(one, part, whole=True, alone=not whole or bool(spec.ys)):
            handles.setdefault(handle.get_label(), handle)
        if (whole and not spec.ys) or len(panels) > 2:
            head = letters.wrapped(name, letters.room(look.points(one)[0], look.size(one)))
            look.literal([one.set_title(head, fontsize=look.size(one), loc="left")])
        if whole:
            if spec.shape == "lines" and not spec.ys:
                one.label_outer()
            elif at < len(panels) - 1:
                one.set_xlabel("")
    frame.around(own, panels, spec, [*handles.values()])
    if spec.shape == "lines":
        own.align_ylabels(panels)
    if spec.title:
        write_title(panels, spec.title)
    return panels if several else panels[0]


def _panel(ax: Axes, spec: Spec, *, whole: bool, alone: bool = False) -> list[Any]:
    """Draw one panel; return the entries of a legend that stands elsewhere."""
    handles = list(_SHAPES[spec.shape](ax, spec))
    if spec.shape == "lines" and (alone or not whole) and lines.name_ends(ax, spec):
        handles = []
    frame.label(ax, spec, whole=whole)
    if not whole:
        frame.legend(ax, handles, spec)
        handles = []
    frame.settle(ax)
    return handles


def _parts(data: Any, by: Sequence[str], asked: Arguments) -> list[tuple[str, Any, Arguments]]:
    """Split a frame, and the answers about it, by columns."""
    table = frames.opened(data, by)
    found = []
    cells = frames.groups(table, by)
    names = [words.names((cell[at] for cell in cells), one) for at, one in enumerate(by)]
    for cell, own in cells.items():
        name = listed(known[one] for one, known in zip(cell, names, strict=True) if one is not None)
        answers = {
            role: _matching(value, by, cell) if hasattr(value, "columns") else value
            for role, value in asked.items()
        }
        limits = asked.get("ceilings")
        if limits and all(isinstance(one, Mapping) for one in limits.values()):
            answers["ceilings"] = limits.get(cell[0] if len(cell) == 1 else cell)
        found.append((name, table[own].to_native(), answers))
    return found


def _matching(answer: Any, by: Sequence[str], cell: Sequence[Any]) -> Any:
    table = nw.from_native(answer, eager_only=True)
    there = [(name, value) for name, value in zip(by, cell, strict=True) if name in table.columns]
    keys = frames.keys_of(table, [name for name, _ in there])
    wanted = tuple(value for _, value in there)
    return table[[row for row, key in enumerate(keys) if key == wanted]].to_native()


def _example(data: Any, found: Spec) -> str:
    """Return a filter to type for a plot that has too many rows or curves."""
    column = found.hue if len(found.groups) > 1 and found.hue else found.y.column
    table = nw.from_native(data, eager_only=True, pass_through=True)
    if not isinstance(table, nw.DataFrame) or column not in table.columns:
        return ""
    values = frames.distinct(frames.values(table, column))
    return frames.to_type(table, column, values[0]) if values else ""


def of_table(
    name: str | None = None,
    role: str | None = None,
    take: Callable[[Results, str], Any] = table_of,
) -> Prepare:
    """Return how a `Results` becomes a frame: a table by name, or the one that has the metric.

    Columns that the arguments name come with it. The column that tells the runs apart gets the
    ``role``; its values are in `order`. ``take`` returns the table of a name.
    """

    def prepare(data: Any, asked: Arguments) -> Any:
        if not isinstance(data, Results):
            return data
        own = next((one for one in METRICS if one in asked), "metric")
        if name == "samples" or name == "bins" or (asked.get(own) is None and name is not None):
            table = take(data, name)
        else:
            table, asked[own] = metric_of(data, asked.get(own), name)
        named = [column for one in _NAMES for column in columns_named(asked.get(one))]
        table = with_runs(data, table, [*named, "started_at", "reported_at"])
        complete_names(table, asked)
        if role is not None:
            if asked.get(role) is None:
                asked[role] = roles.found(data, table, role) or "source"
            roles.ordered(table, asked, role)
        return table

    return prepare


def complete_names(table: Any, asked: Arguments) -> None:
    """Complete names that were typed without their unit."""
    for role in _NAMES:
        if role == "order" or not (names := columns_named(asked.get(role))):
            continue
        full = [naming.full(one, table) for one in names]
        asked[role] = full[0] if isinstance(asked[role], str) else full


def opened(data: Any, *columns: str | None) -> frames.Frame:
    """Open a frame, or say which of the columns it lacks."""
    return frames.opened(data, [column for column in columns if column is not None])


def records(table: frames.Frame) -> list[dict[str, Any]]:
    """Return the rows of a frame; missing values are None."""
    values = frames.keys_of(table, table.columns)
    return [dict(zip(table.columns, row, strict=True)) for row in values]


def needed(y: str | None, role: str = "y") -> str:
    """Refuse a plot without the column of its rows or curves."""
    if y is None:
        raise SchemaError(f"name the column that names the rows, {argument(role)}")
    return y


__all__ = ["FOUND", "KINDS", "PARTS", "Kind", "drawn", "kind", "of_table"]
