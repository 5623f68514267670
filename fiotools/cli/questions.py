"""A question of the library, asked about FILES: its rows, and an answer for each metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from fiotools.cli import sides, sources
from fiotools.cli.output import Shown, Trouble, give, say
from fiotools.cli.sources import Reading, read_all
from fiotools.cli.verbs import VERBS
from fiotools.errors import SchemaError
from fiotools.tables import naming
from fiotools.units import many

if TYPE_CHECKING:
    import polars as pl

    from fiotools.display.columns import Sheet
    from fiotools.tables.results import Results


@dataclass(frozen=True)
class RowFilter:
    """Which rows count.

    Parameters
    ----------
    where : sequence of str
        Keep these rows: direction=read, 'bs>=4k', "rw in ['read', 'write']".
    scope : str, optional
        Keep rows of this scope: total, thread, job, group, client, target.
    combine : {"run", "group"}, optional
        First add up jobs and threads, for each run or fio group.
    drop_missing : bool
        Leave out rows without the metric.
    table : str, optional
        The table to take; by default the one that has it.
    """

    where: Sequence[str] = ()
    scope: str | None = None
    combine: Literal["run", "group"] | None = None
    drop_missing: bool = False
    table: str | None = None

    def of(self, results: Results, columns: Sequence[str]) -> Results:
        """Keep the rows that count, in all tables; with --drop-missing, those with the columns."""
        sources.refuse_other_tables([self.table] if self.table else [])
        with wrong_condition():
            found = results.where(*self.where)
        tables = {name: found.tables.polars(name) for name in found.tables}
        if self.table:
            others = {*naming.MEASURED, "runs"} - {self.table, "runs"}
            tables |= {name: tables[name].clear() for name in others & tables.keys()}
        if self.combine and len(tables.get("io", ())):
            tables["io"] = self.added(tables["io"])
        elif self.scope:
            scoped = {name: own for name, own in tables.items() if "scope" in own and len(own)}
            kept = {name: own.filter(own["scope"] == self.scope) for name, own in scoped.items()}
            if not any(map(len, kept.values())):
                of_scope(next(iter(scoped.values()), tables["runs"]), self.scope)  # refuses
            tables |= kept
        for name in (one for one in naming.MEASURED if one in tables):
            full = (naming.full(column, tables[name]) for column in columns)
            tables[name] = complete(tables[name], self, *full)
        return found.with_tables(tables)

    @property
    def own_scope(self) -> str | None:
        """The scope of the rows; those that were added up are of one."""
        return None if self.combine else self.scope

    def added(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Add the rows up; those that are added are of the scope."""
        if self.combine is None:
            return frame
        from fiotools.stats.combine import combine

        added: pl.DataFrame = combine(of_scope(frame, self.scope), to=self.combine)
        return added

    def kept(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Keep the rows of the scope, or add these up."""
        return of_scope(self.added(frame), self.own_scope)


def of_scope(frame: pl.DataFrame, scope: str | None) -> pl.DataFrame:
    """Keep the rows of one scope, or all."""
    if scope is None:
        return frame
    if "scope" not in frame:
        raise SchemaError("--scope: this table has no scopes")
    found = frame.filter(frame["scope"] == scope)
    if not len(found):
        there = ", ".join(frame["scope"].drop_nulls().unique(maintain_order=True)) or "none"
        raise SchemaError(f"no row of scope {scope!r}; there are: {there}")
    return found


def complete(frame: pl.DataFrame, rows: RowFilter, *names: str | None) -> pl.DataFrame:
    """With --drop-missing, leave out rows that lack one of the columns, and count them."""
    for name in names if rows.drop_missing else ():
        if name is None or name not in frame:
            continue
        gone = frame[name].null_count()
        frame = frame.drop_nulls(name)
        if gone:
            say(f"left out {many(gone, 'row')} without {naming.short(name)}")
    return frame


def filtered(read: Reading, frame: pl.DataFrame, rows: RowFilter) -> pl.DataFrame:
    """Keep the rows of a table that fulfil the conditions, and add them up."""
    from fiotools.tables import conditions
    from fiotools.tables.results import with_runs

    whole = with_runs(read.results, frame, conditions.named(rows.where))
    with wrong_condition():
        return rows.added(conditions.kept(whole, rows.where)[frame.columns])


@contextmanager
def wrong_condition() -> Iterator[None]:
    """Refuse a command for a condition that cannot be read."""
    from fiotools.tables.conditions import NoConditionError

    try:
        yield
    except NoConditionError as error:
        raise Trouble(str(error), 2) from None


def asked_about(
    read: Reading, function: Any, asked: Mapping[str, Any], rows: RowFilter
) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Return the rows that a question is about, and its arguments."""
    sources.refuse_other_tables([rows.table] if rows.table else [])
    door, asked = function.door, {**asked}
    if door.compares and asked.get("between") in (None, "label") and read.first is not None:
        asked.setdefault("baseline", read.first)
    takes_scope = "scope" in door.takes
    with wrong_condition():
        frame, found = door.ask(
            read.results,
            asked,
            table=rows.table,
            where=rows.where,
            filtered=rows.added if takes_scope else rows.kept,
        )
    if takes_scope:
        found["scope"] = rows.own_scope
    return complete(frame, rows, found.get("metric"), found.get("between")), found


def answers(
    read: Reading, function: Any, asked: Mapping[str, Any], rows: RowFilter
) -> Iterator[pl.DataFrame]:
    """Answer a question, once for each metric that was named."""
    repeated = "quantity" if "quantity" in asked else "metric"
    several = [{repeated: one} for one in asked.get(repeated, ())]
    for one in several or [{}]:
        frame, found = asked_about(read, function, {**asked, **one}, rows)
        with read.working("computing"):
            yield function.door.function(frame, **found)


def answer(
    name: str,
    files: Sequence[str],
    *,
    asked: dict[str, Any],
    rows: RowFilter,
    shown: Shown,
    reading: dict[str, Any],
) -> int:
    """Answer a question of the library."""
    module, _, function_name = VERBS[name].asks.partition(":")
    function = getattr(import_module(f"fiotools.{module}"), function_name)
    read = read_all(files, reading, label=wants_labels(function, asked))
    if function.door.compares:
        read, asked = sides.named(read, files, asked)
    give(shown, [*answers(read, function, asked, rows)], sheet, read.results)
    return read.code


def wants_labels(function: Any, asked: Mapping[str, Any]) -> bool:
    """Whether the files themselves are the sides or the groups."""
    named = (
        one for given in asked.values() for one in (given if isinstance(given, list) else [given])
    )
    return function.door.compares or "label" in named


def sheet(answer: pl.DataFrame) -> Sheet:
    """Lay out an answer, and tell what to type for more."""
    from fiotools.display import layout
    from fiotools.display.verdicts import has_units

    made = layout.sheet(answer)
    if "settings_differ" not in answer:
        return made
    if answer["settings_differ"].null_count() < len(answer):
        made.notes.append("fiotools settings-diff FILES shows the options that differ")
    is_one_each = answer["n"].max() == 1 == answer["n_baseline"].max()
    if is_one_each and not any(has_units(row) for row in answer.rows(named=True)):
        made.notes.append("give several runs a side as NAME='FILES', such as new='new/*.json'")
    return made
