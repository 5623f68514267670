"""A kind of plot: a function from data to a `Spec`, which is drawn by its shape.

`kind` gives every such function the same surface: a `Results`, a frame or an answer as its first
argument; ``by`` for panels, ``title`` for a line above, ``palette`` for colours, ``ax`` for Axes of
one's own. What is given first becomes one frame (``prepare``), which ``by`` splits into panels.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import update_wrapper
from typing import Any, TypeAlias

import narwhals as nw

from fiotools.errors import SchemaError, about_results, argument, right_name
from fiotools.plot import look, words
from fiotools.plot.draw import draw
from fiotools.plot.spec import Spec, merged, refuse_infinite, refuse_too_many, refuse_zero
from fiotools.stats import frames
from fiotools.stats import roles as sides
from fiotools.stats.question import columns_named, metric_of, metrics_of, parts_named, table_of
from fiotools.tables import naming
from fiotools.tables.results import Results, with_runs

Arguments: TypeAlias = dict[str, Any]
Prepare: TypeAlias = Callable[[Any, Arguments], Any]

_NAMES = ("y", "hue", "x", "by", "between", "to")  # arguments that name columns
_WITHIN = ("job", "thread", "direction", "command")  # may tell rows of a file apart
# what people take for an argument, and what does it
_ELSEWHERE = {
    **dict.fromkeys(("style", "size", "context", "width"), 'ft.plot.style("column")'),
    **dict.fromkeys(("lang", "language"), 'ft.plot.style(lang="ja")'),
    **dict.fromkeys(("output", "path", "filename"), 'ft.plot.save(ax, "plot.svg")'),
    **dict.fromkeys(("xlim", "ylim", "xlabel", "ylabel"), "ax.set(ylim=(0, 1))"),
    "figsize": "ax=plt.subplots(figsize=(7, 4))[1]",
    "legend": 'ax.legend(loc="best")',
}
_EVERY = {
    "by": "str | Sequence[str] | None",
    "title": "str | None",
    "palette": "str | Sequence[str] | Mapping[Any, str] | None",
    "ax": "Axes | None",
}


def kind(prepare: Prepare) -> Callable[[Callable[..., Spec]], Callable[..., Any]]:
    """Make a kind of plot of a function; ``prepare`` brings what was given to its frame."""

    def made(make: Callable[..., Spec]) -> Callable[..., Any]:
        own = inspect.signature(make)
        more = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=text)
            for name, text in _EVERY.items()
        ]
        takes = own.replace(parameters=[*own.parameters.values(), *more], return_annotation=Any)

        def spec(*given: Any, **named: Any) -> Spec:
            asked = _bound(make.__name__, takes, given, named)
            data, by = asked.pop(next(iter(own.parameters))), frames.names(asked.pop("by", None))
            title, palette = asked.pop("title", None), asked.pop("palette", None)
            asked["by"] = [*by]
            if isinstance(data, Results):
                with about_results():
                    found = _specs(make, prepare(data, asked), asked)
            else:
                found = _specs(make, prepare(data, asked), asked)
            found = _short(found)
            if palette is not None:
                groups = found.groups[:-1] if "bars" in found.how else found.groups
                look.colours_of(palette, None if found.shape == "cells" else groups)
                found = replace(found, palette=palette)
            return found if title is None else replace(found, title=title)

        def plot(*given: Any, ax: Any = None, **named: Any) -> Any:
            return draw(spec(*given, **named), ax, several=named.get("by") is not None)

        update_wrapper(plot, make)
        # attributes of a function, which types do not know
        plot.__signature__ = takes  # type: ignore[attr-defined]
        plot.spec = spec  # type: ignore[attr-defined]
        return plot

    return made


def _bound(
    name: str, takes: inspect.Signature, given: Sequence[Any], named: Mapping[str, Any]
) -> Arguments:
    """Bind arguments to their names, or say which there are."""
    data, *known = takes.parameters
    if unknown := [one for one in named if one not in takes.parameters]:
        code = _ELSEWHERE.get(unknown[0])
        hint = f": write {code}" if code else right_name(unknown[0], known)
        every = ", ".join(f"{one}=" for one in known)
        raise SchemaError(f"plot.{name} takes no {unknown[0]}={hint}; it takes {every}")
    try:
        return takes.bind(*given, **named).arguments
    except TypeError:
        first = [
            one
            for one in takes.parameters
            if takes.parameters[one].kind is not inspect.Parameter.KEYWORD_ONLY
        ]
        raise SchemaError(
            f"plot.{name} takes {', '.join(first)} in this order, {data} such as read(files), and"
            f" the others by name: {', '.join(f'{one}=' for one in known if one not in first)}"
        ) from None


def _specs(make: Callable[..., Spec], data: Any, asked: Arguments) -> Spec:
    """Make the Spec, or one for each panel."""
    by = asked.pop("by")
    if not by:
        found = make(data, **asked)
    else:
        found = merged([(name, make(part, **own)) for name, part, own in _parts(data, by, asked)])
    refuse_too_many(found, _example(data, found))
    return found


def _parts(data: Any, by: Sequence[str], asked: Arguments) -> list[tuple[str, Any, Arguments]]:
    """Split a frame, and the answers and limits about it, by columns."""
    table = frames.opened(data, by)
    cells = frames.groups(table, by)
    known = [_of_column([cell[at] for cell in cells], one) for at, one in enumerate(by)]
    found = []
    for cell, own in cells.items():
        there = [names[one] for one, names in zip(cell, known, strict=True) if one is not None]
        answers = {
            role: _matching(value, by, cell) if hasattr(value, "columns") else value
            for role, value in asked.items()
        }
        limits = asked.get("ceilings")
        if limits and all(isinstance(one, Mapping) for one in limits.values()):
            answers["ceilings"] = limits.get(cell[0] if len(cell) == 1 else cell)
        found.append((words.listed(there), table[own].to_native(), answers))
    return found


def _of_column(levels: Sequence[Any], column: str) -> dict[Any, str]:
    return {one: words.named(own, column) for one, own in words.short(levels, column).items()}


def _matching(answer: Any, by: Sequence[str], cell: Sequence[Any]) -> Any:
    table = nw.from_native(answer, eager_only=True)
    there = {name: value for name, value in zip(by, cell, strict=True) if name in table.columns}
    keys = frames.keys_of(table, [*there])
    return table[[row for row, key in enumerate(keys) if key == tuple(there.values())]].to_native()


def _example(data: Any, found: Spec) -> str:
    """Return a filter to type for a plot that has too many rows or curves."""
    column = found.hue if len(found.groups) > 1 and found.hue else found.y.column
    table = nw.from_native(data, eager_only=True, pass_through=True)
    if not isinstance(table, nw.DataFrame) or column not in table.columns:
        return ""
    values = frames.distinct(frames.values(table, column))
    return frames.to_type(column, values[0]) if values else ""


def _short(spec: Spec) -> Spec:
    """Name files as short as tables do."""
    if "source" not in (spec.x.column, spec.y.column, spec.hue):
        return spec
    xs, ys = (words.short(axis.order or (), axis.column) for axis in (spec.x, spec.y))
    groups = words.short(spec.groups, spec.hue)

    def renamed(one: Any, **more: Any) -> Any:
        return replace(one, group=groups.get(one.group, one.group), **more)

    return replace(
        spec,
        rows=tuple(
            renamed(row, x=xs.get(row.x, row.x), y=ys.get(row.y, row.y)) for row in spec.rows
        ),
        levels=tuple(renamed(one, row=ys.get(one.row, one.row)) for one in spec.levels),
        x=replace(spec.x, order=spec.x.order and tuple(xs.values())),
        y=replace(spec.y, order=spec.y.order and tuple(ys.values())),
        groups=tuple(groups.values()),
    )


# --- data -----------------------------------------------------------------------------------------


def of_runs(*roles: str, metric: str = "metric", wide: bool = False) -> Prepare:
    """Return how results become the runs of a metric; the first role gets the sides.

    ``wide``: colours tell read from write where both are there and no argument names them.
    """

    def prepare(data: Any, asked: Arguments) -> Any:
        if isinstance(data, Results):
            data = name_sides(data, asked, roles[0])
            named = {*asked["by"], *(asked.get(role) for role in roles)}
            wanted, table = asked.get(metric), parts_named(data, named)
            rows, asked[metric] = (
                metrics_of(data, wanted, table)
                if isinstance(wanted, list)
                else metric_of(data, wanted, table)
            )
            data = _with_columns(data, asked, rows)
            free = wide and asked.get("hue") is None and "direction" not in named
            if free and _differs(data, "direction") and not data["direction"].null_count():
                asked["hue"] = "direction"
        else:
            complete_names(data, asked)
            if names := columns_named(asked.get(metric)):
                full = [naming.of_metric(one, data) for one in names]
                asked[metric] = full[0] if isinstance(asked[metric], str) else full
        return data

    return prepare


def of_table(name: str, role: str = "") -> Prepare:
    """Return how results become a table; the role gets what tells the runs apart."""

    def prepare(data: Any, asked: Arguments) -> Any:
        if not isinstance(data, Results):
            complete_names(data, asked)
            return data
        named = bool(role) and not any(asked.get(one) for one in ("y", "hue"))
        data = name_sides(data, asked, role) if named else data
        table = _with_columns(data, asked, table_of(data, name))
        if named:
            within_files(table, asked, role)
        return table

    return prepare


def of_answer(ask: Callable[..., Any], *roles: str) -> Prepare:
    """Return how runs become a comparison: the roles are arguments of what is asked."""

    def prepare(data: Any, asked: Arguments) -> Any:
        given = {one: asked.pop(one, None) for one in roles}
        if "baseline" in getattr(data, "columns", ()):
            return data
        known = {name: value for name, value in given.items() if value is not None}
        by = [*asked["by"], *frames.names(known.pop("y", None))]
        return ask(data, by=by or None, band=asked.get("band", 0.05), **known)

    return prepare


def name_sides(results: Results, asked: Arguments, role: str) -> Results:
    """Find the column that tells the sides apart, if none was named; else the file."""
    if asked.get(role) is not None:
        return results
    found, columns = sides.with_sides(results)
    free = [one for one in columns if one not in asked["by"]]
    asked[role] = free[0] if free else "source"
    return found


def within_files(table: Any, asked: Arguments, role: str) -> None:
    """Name rows of one file by what tells them apart in it."""
    if asked[role] == "source" and not _differs(table, "source"):
        free = (one for one in _WITHIN if one not in asked["by"])
        asked[role] = next((one for one in free if _differs(table, one)), "source")


def _with_columns(results: Results, asked: Arguments, table: Any) -> Any:
    """Add the columns of runs that arguments name."""
    named = [column for one in _NAMES for column in columns_named(asked.get(one))]
    table = with_runs(results, table, [*named, "started_at", "reported_at"])
    complete_names(table, asked)
    return table


def complete_names(table: Any, asked: Arguments) -> None:
    """Complete names that were typed without their unit; read the order in its column's type."""
    if not hasattr(table, "columns"):
        return
    for role in _NAMES:
        if names := columns_named(asked.get(role)):
            full = [naming.full(one, table) for one in names]
            asked[role] = full[0] if isinstance(asked[role], str) else full
    column = asked.get("y") or asked.get("hue")
    if (order := asked.get("order")) and column and column in table.columns:
        asked["order"] = [
            naming.value_of(table, column, one) if isinstance(one, str) else one for one in order
        ]


def _differs(data: Any, column: str) -> bool:
    return len(frames.distinct(frames.optional(opened(data), column))) > 1


def opened(data: Any, *columns: str | None) -> frames.Frame:
    """Open a frame, or say which of the columns it lacks."""
    return frames.opened(data, [column for column in columns if column is not None])


def records(table: frames.Frame) -> list[dict[str, Any]]:
    """Return the rows of a frame; missing values are None."""
    values = frames.keys_of(table, table.columns)
    return [dict(zip(table.columns, row, strict=True)) for row in values]


def needed(name: str | None, role: str = "y") -> str:
    """Refuse a plot without the column of its rows or values."""
    if name is None:
        what = "to draw" if role == "metric" else "that names the rows"
        raise SchemaError(f"name the column {what}, {argument(role)}")
    return name


def answered(data: Any, columns: Sequence[str], what: str) -> frames.Frame:
    """Open what a function of `fiotools` returned, or say what it is not."""
    table = opened(data)
    if missing := sorted({*columns}.difference(table.columns)):
        raise SchemaError(f"not {what}: no column {', '.join(missing)}; give what it returned")
    return table


def values_of(
    table: frames.Frame, column: str, *, log: bool = False, some: bool = True
) -> list[float | None]:
    """Return a column of numbers that an axis can show, of which at least one is there."""
    found = frames.numbers(table, column)
    if some and all(value is None for value in found):
        raise SchemaError(f"nothing to draw: no row has a value of {column!r}")
    refuse_infinite(found, column)
    if log:
        refuse_zero(column, found)
    return found


def refuse_several(
    table: frames.Frame,
    names: Sequence[Any],
    columns: Iterable[str],
    what: str,
    *,
    hue: str | None = None,
    role: str = "",
) -> None:
    """Refuse rows under one name that differ in a column, and say what to type.

    ``what`` shows one kind, such as "a heat map"; ``hue`` is the column of the names, ``role`` an
    argument that may tell the kinds apart.
    """
    lists = frames.columns(table, [one for one in columns if one != hue])
    for name, rows in frames.rows_by([(one,) for one in names]).items():
        for column in frames.differing(lists, rows)[:1]:
            there = frames.distinct(lists[column][row] for row in rows)
            keep = frames.to_type(column, "total" if "total" in there else there[0])
            raise SchemaError(
                f"rows{f' of {name[0]!r}' if hue else ''} differ in {column}"
                f" ({words.first_five(there)}), and {what} shows one: keep it, {keep}"
                + (f", or tell them apart, {argument(role, column)}" if role else "")
            )
