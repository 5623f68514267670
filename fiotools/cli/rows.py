"""Which rows a question is about: the table that has the metric, and the filters.

``--where`` takes ``direction=read``, ``bs>=4k`` and ``lat_mean>1ms``: one column and one value, in
the column's unit if it has none of its own. A longer condition is in Python's words, as for
`pandas.DataFrame.query`, but with comparisons only: nothing in it is called or looked up.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from functools import reduce
from typing import TYPE_CHECKING, Any

from fiotools.cli import options
from fiotools.cli.output import Trouble, say
from fiotools.display import columns
from fiotools.errors import SchemaError
from fiotools.units import many
from fiotools.vocabulary import TABLES

if TYPE_CHECKING:
    import polars as pl

    from fiotools.tables.results import Results


def refuse_other_tables(name: str) -> None:
    """Refuse an unknown table."""
    if name not in TABLES:
        raise Trouble(f"--table {name} is not one of {', '.join(TABLES)}", 2)


def asked(results: Results, metric: str | None, table: str | None) -> tuple[pl.DataFrame, str]:
    """Find the table that has the metric, and its full name; without a metric, list them."""
    if table is not None:
        refuse_other_tables(table)
    if metric is None:
        have = columns.measured(results, table)
        raise Trouble(f"name the column to look at with --metric: these files have {have}", 2)
    try:
        name, column = columns.find_metric(results, metric, table)
    except SchemaError:
        if (match := re.fullmatch(r"p(\d+(?:\.\d+)?)", metric)) and table in (None, "percentiles"):
            return _percentile(results, float(match[1]))
        raise
    return results.tables.polars(name), column


def _percentile(results: Results, share: float) -> tuple[pl.DataFrame, str]:
    """Return one percentile of each row as a column."""
    frame = results.tables.polars("percentiles")
    there = frame["percentile"].unique().drop_nulls().sort()
    if share not in there:
        known = ", ".join(f"p{one:g}" for one in there) or "none"
        raise SchemaError(f"there is no p{share:g} in these files; there are: {known}")
    name = f"p{share:g}_ns"
    return frame.filter(frame["percentile"] == share).rename({"value_ns": name}), name


def kept(frame: pl.DataFrame, wanted: options.Rows) -> pl.DataFrame:
    """Filter the rows, and add them up."""
    frame = where(frame, wanted.where)
    if wanted.combine:
        if wanted.scope is not None:
            frame = of_scope(frame, wanted.scope)
        from fiotools.stats.combine import combine

        frame = combine(frame, to=wanted.combine)
    return frame


def where(frame: pl.DataFrame, conditions: list[str] | None) -> pl.DataFrame:
    """Keep the rows that fulfil all conditions."""
    if not conditions:
        return frame

    return fulfilling(frame, conditions)


def complete(frame: pl.DataFrame, wanted: options.Rows, *names: str | None) -> pl.DataFrame:
    """With --drop-missing, leave out rows that lack one of the columns, and count them."""
    for name in names if wanted.drop_missing else ():
        if name is None or name not in frame:
            continue
        gone = frame[name].null_count()
        frame = frame.drop_nulls(name)
        if gone:
            say(f"left out {many(gone, 'row')} without {columns.short(name)}")
    return frame


def of_scope(frame: pl.DataFrame, scope: str) -> pl.DataFrame:
    """Keep the rows of one scope."""
    if "scope" not in frame:
        raise SchemaError("--scope: this table has no scopes")
    found = frame.filter(frame["scope"] == scope)
    if not len(found):
        there = ", ".join(frame["scope"].drop_nulls().unique(maintain_order=True)) or "none"
        raise SchemaError(f"no row of scope {scope!r}; there are: {there}")
    return found


_SHORT = re.compile(r"\s*([a-z_]+)\s*(==|!=|<=|>=|=|<|>)\s*([^\s'\"()=<>]+|[^'\"()=<>&|]*\w)\s*")
_ALLOWED = (
    *(ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.Invert),
    *(ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn),
    *(ast.Name, ast.Load, ast.Constant, ast.List, ast.Tuple, ast.BinOp, ast.BitAnd, ast.BitOr),
)


def fulfilling(frame: pl.DataFrame, conditions: list[str]) -> pl.DataFrame:
    """Keep the rows that fulfil all conditions, or tell why no row does."""
    for text in conditions:
        found = _short(frame, text)
        if found is None:
            found = _query(frame, text)
        if not len(found):
            raise SchemaError(f"--where {text!r} leaves no row{_there(frame, text)}")
        frame = found
    return frame


def _short(frame: pl.DataFrame, text: str) -> pl.DataFrame | None:
    match = _SHORT.fullmatch(text)
    if not match or " and " in text or " or " in text:
        return None
    column, sign, value = match.groups()
    column = columns.found(column, frame, f"--where {text!r}")
    wanted = columns.value_of(frame, column, value)
    if isinstance(wanted, str) and sign in ("<", "<=", ">", ">="):
        raise SchemaError(f"--where {text!r}: {column} holds texts: compare them by = or !=")
    condition = ast.Compare(ast.Name(column), [_SIGNS[sign]()], [ast.Constant(wanted)])
    return frame.filter(_Condition(frame).of(condition))


def _query(frame: pl.DataFrame, text: str) -> pl.DataFrame:
    from polars.exceptions import PolarsError

    example = "direction=read, or \"direction == 'read' and bs_bytes >= 4096\""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise Trouble(f"--where {text!r} is not a condition: write {example}", 2) from None
    for node in ast.walk(tree):
        if not isinstance(node, _ALLOWED):
            raise Trouble(f"--where {text!r} compares columns with values only: {example}", 2)
        if isinstance(node, ast.Name):
            node.id = columns.found(node.id, frame, f"--where {text!r}")
    try:
        return frame.filter(_Condition(frame).of(tree.body))
    except (TypeError, ValueError, PolarsError):
        raise SchemaError(
            f"--where {text!r} compares values of different types: {example}"
        ) from None


_COMPARED: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_SIGNS: Mapping[str, type[ast.cmpop]] = {
    "=": ast.Eq,
    "==": ast.Eq,
    "!=": ast.NotEq,
    "<": ast.Lt,
    "<=": ast.LtE,
    ">": ast.Gt,
    ">=": ast.GtE,
}


class _Condition:
    """A condition in Python's words, as an expression of polars.

    A missing text or float differs from every value, as in pandas; a missing whole number neither
    equals a value nor differs from it.
    """

    def __init__(self, frame: pl.DataFrame) -> None:
        self._frame = frame

    def of(self, node: ast.expr) -> Any:
        """Translate a condition, or a part of one."""
        import polars as pl

        match node:
            case ast.Name(id=name):
                return pl.col(name)
            case ast.Constant(value=value):
                return value
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return [ast.literal_eval(part) for part in parts]
            case ast.UnaryOp(op=ast.USub(), operand=part):
                return -self.of(part)
            case ast.UnaryOp(operand=part):
                return ~self.of(part)
            case ast.BoolOp(op=ast.And(), values=parts):
                return reduce(operator.and_, map(self.of, parts))
            case ast.BoolOp(values=parts):
                return reduce(operator.or_, map(self.of, parts))
            case ast.BinOp(left=left, op=ast.BitAnd(), right=right):
                return self.of(left) & self.of(right)
            case ast.BinOp(left=left, right=right):
                return self.of(left) | self.of(right)
            case ast.Compare(left=left, ops=signs, comparators=others):
                pairs = zip([left, *others], signs, others, strict=False)
                return reduce(operator.and_, (self._pair(*pair) for pair in pairs))
        raise TypeError(ast.unparse(node))

    def _pair(self, left: ast.expr, sign: ast.cmpop, right: ast.expr) -> Any:
        import polars as pl

        one, other = self.of(left), self.of(right)
        if isinstance(sign, ast.In | ast.NotIn) or isinstance(other, list):
            found = one.is_in(other).fill_null(False)
            return ~found if isinstance(sign, ast.NotIn | ast.NotEq) else found
        names = [node.id for node in (left, right) if isinstance(node, ast.Name)]
        if not names:
            raise TypeError("no column is compared")
        found = _COMPARED[type(sign)](one, pl.lit(other) if isinstance(other, str) else other)
        kinds = {self._frame.schema[name] for name in names}
        missing_is_unlike = kinds <= {pl.String(), pl.Float64()}
        return found.fill_null(isinstance(sign, ast.NotEq)) if missing_is_unlike else found


def _there(frame: pl.DataFrame, text: str) -> str:
    """List the values of a column named in a condition if they are few."""
    for name in re.findall(r"[a-z_]+", text):
        column = columns.full(name, frame)
        if column in frame and frame[column].drop_nulls().n_unique() <= 12:
            there = frame[column].drop_nulls().unique(maintain_order=True)
            values = ", ".join(str(value) for value in there)
            return f"; {name} holds: {values}" if values else f"; {name} is missing in all"
    return ""
