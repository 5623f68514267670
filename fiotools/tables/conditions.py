"""Which rows count: ``direction=read``, ``bs>=4k``, ``lat_mean>1ms``, or a longer condition.

The short form is one column and one value, in the column's unit if it has none of its own. A longer
condition is in Python's words, as for `pandas.DataFrame.query`, but with comparisons only: nothing
in it is called or looked up.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import polars as pl

from fiotools.errors import SchemaError, typed
from fiotools.tables import naming

_SHORT = re.compile(
    r"\s*([a-z][\w.]*)\s*(==|!=|<=|>=|=|<|>)\s*([^\s'\"()=<>]+|[^'\"()=<>&|]*\w)\s*"
)
_ALLOWED = (
    *(ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.Invert),
    *(ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn),
    *(ast.Name, ast.Load, ast.Constant, ast.List, ast.Tuple, ast.BinOp, ast.BitAnd, ast.BitOr),
)
_SIGNS: Mapping[str, tuple[type[ast.cmpop], Callable[[Any, Any], Any]]] = {
    "==": (ast.Eq, operator.eq),
    "!=": (ast.NotEq, operator.ne),
    "<": (ast.Lt, operator.lt),
    "<=": (ast.LtE, operator.le),
    ">": (ast.Gt, operator.gt),
    ">=": (ast.GtE, operator.ge),
}
_COMPARED = dict(_SIGNS.values())
_EXAMPLE = "direction=read, or \"direction == 'read' and bs_bytes >= 4096\""


class NoConditionError(SchemaError):
    """A text is not a condition."""


class NoRowError(SchemaError):
    """No row fulfils a condition."""


def kept(frame: pl.DataFrame, conditions: Sequence[str] | None) -> pl.DataFrame:
    """Keep the rows that fulfil all conditions, or tell why no row does."""
    from polars.exceptions import PolarsError

    for text in conditions or ():
        condition = _short(frame, text) or _long(frame, text)
        try:
            found = frame.filter(_expression(condition, frame.schema))
        except (TypeError, ValueError, PolarsError):
            raise SchemaError(
                f"{_said(text)} compares values of different types: {_EXAMPLE}"
            ) from None
        if not len(found):
            raise NoRowError(f"{_said(text)} leaves no row{_there(frame, text)}")
        frame = found
    return frame


def named(conditions: Sequence[str] | None) -> list[str]:
    """Name what may be columns in some conditions."""
    return re.findall(r"[a-z_]+", " ".join(conditions or ()))


def _said(text: str) -> str:
    return typed(f"where({text!r})", f"--where {text!r}")


def _short(frame: pl.DataFrame, text: str) -> ast.expr | None:
    """Read a condition such as ``bs>=4k``."""
    match = _SHORT.fullmatch(text)
    if not match or " and " in text or " or " in text:
        return None
    column, sign, value = match.groups()
    column = naming.found(column, frame, _said(text))
    wanted = naming.value_of(frame, column, value)
    if isinstance(wanted, str) and sign in ("<", "<=", ">", ">="):
        raise SchemaError(f"{_said(text)}: {column} holds texts: compare them by = or !=")
    kind, _ = _SIGNS["==" if sign == "=" else sign]
    return ast.Compare(ast.Name(column), [kind()], [ast.Constant(wanted)])


def _long(frame: pl.DataFrame, text: str) -> ast.expr:
    """Read a condition in Python's words."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise NoConditionError(f"{_said(text)} is not a condition: write {_EXAMPLE}") from None
    for node in ast.walk(tree):
        if not isinstance(node, _ALLOWED):
            raise NoConditionError(f"{_said(text)} compares columns with values only: {_EXAMPLE}")
        if isinstance(node, ast.Name):
            node.id = naming.found(node.id, frame, _said(text))
    return tree.body


def _expression(node: ast.expr, schema: Mapping[str, Any]) -> Any:
    """Translate a condition, or a part of one, for polars."""

    def of(part: ast.expr) -> Any:
        return _expression(part, schema)

    match node:
        case ast.Name(id=name):
            return pl.col(name)
        case ast.Constant(value=value):
            return value
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [ast.literal_eval(part) for part in parts]
        case ast.UnaryOp(op=ast.USub(), operand=part):
            return -of(part)
        case ast.UnaryOp(operand=part):
            return ~of(part)
        case ast.BoolOp(op=ast.And(), values=parts):
            return reduce(operator.and_, map(of, parts))
        case ast.BoolOp(values=parts):
            return reduce(operator.or_, map(of, parts))
        case ast.BinOp(left=left, op=ast.BitAnd(), right=right):
            return of(left) & of(right)
        case ast.BinOp(left=left, right=right):
            return of(left) | of(right)
        case ast.Compare(left=left, ops=signs, comparators=others):
            pairs = zip([left, *others], signs, others, strict=False)
            return reduce(operator.and_, (_pair(*pair, schema) for pair in pairs))
    raise TypeError(ast.unparse(node))


def _pair(left: ast.expr, sign: ast.cmpop, right: ast.expr, schema: Mapping[str, Any]) -> Any:
    """Compare two values.

    A missing text or float differs from every value, as in pandas; a missing whole number neither
    equals a value nor differs from it.
    """
    one, other = _expression(left, schema), _expression(right, schema)
    if isinstance(sign, ast.In | ast.NotIn) or isinstance(other, list):
        found = one.is_in(other).fill_null(False)
        return ~found if isinstance(sign, ast.NotIn | ast.NotEq) else found
    names = [node.id for node in (left, right) if isinstance(node, ast.Name)]
    if not names:
        raise TypeError("no column is compared")
    found = _COMPARED[type(sign)](one, pl.lit(other) if isinstance(other, str) else other)
    missing_is_unlike = {schema[name] for name in names} <= {pl.String(), pl.Float64()}
    return found.fill_null(isinstance(sign, ast.NotEq)) if missing_is_unlike else found


def _there(frame: pl.DataFrame, text: str) -> str:
    """List the values of a column named in a condition if they are few."""
    for name in re.findall(r"[a-z_]+", text):
        column = naming.full(name, frame)
        if column in frame and frame[column].drop_nulls().n_unique() <= 12:
            there = frame[column].drop_nulls().unique(maintain_order=True)
            values = ", ".join(str(value) for value in there)
            return f"; {name} holds: {values}" if values else f"; {name} is missing in all"
    return ""
