"""`--where`: which rows to keep, as one types it in a shell or in pandas.

``direction=read``, ``bs>=4k`` and ``lat_mean>1ms`` are the short form: one column and one value, in
the column's unit if it has none of its own. Anything longer is a condition in Python's words, as
`DataFrame.query` takes it, but of comparisons alone: nothing in it is called or looked up.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from fiotools.cli.stream import Trouble
from fiotools.display import columns
from fiotools.errors import SchemaError

if TYPE_CHECKING:
    import pandas as pd

_SHORT = re.compile(r"\s*([a-z_]+)\s*(==|!=|<=|>=|=|<|>)\s*([^\s'\"()=<>]+|[^'\"()=<>&|]*\w)\s*")
_ALLOWED = (
    *(ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.Invert),
    *(ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn),
    *(ast.Name, ast.Load, ast.Constant, ast.List, ast.Tuple, ast.BinOp, ast.BitAnd, ast.BitOr),
)


def fulfilling(frame: pd.DataFrame, conditions: list[str]) -> pd.DataFrame:
    """Keep the rows that fulfil all conditions, or say why none does."""
    for text in conditions:
        found = _short(frame, text)
        if found is None:
            found = _query(frame, text)
        if not len(found):
            raise SchemaError(f"--where {text!r} leaves no row{_there(frame, text)}")
        frame = found
    return frame


def _short(frame: pd.DataFrame, text: str) -> pd.DataFrame | None:
    match = _SHORT.fullmatch(text)
    if not match or " and " in text or " or " in text:
        return None
    column, sign, value = match.groups()
    column = columns.found(column, frame, f"--where {text!r}")
    wanted = columns.value_of(frame, column, value)
    if isinstance(wanted, str) and sign in ("<", "<=", ">", ">="):
        raise SchemaError(f"--where {text!r}: {column} holds texts, which are compared by = or !=")
    query = f"`{column}` {'==' if sign == '=' else sign} @wanted"
    return frame.query(query, local_dict={"wanted": wanted}, engine="python")


def _query(frame: pd.DataFrame, text: str) -> pd.DataFrame:
    example = "direction=read, or \"direction == 'read' and bs_bytes >= 4096\""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise Trouble(f"--where {text!r} is no condition: write {example}", 2) from None
    for node in ast.walk(tree):
        if not isinstance(node, _ALLOWED):
            raise Trouble(f"--where {text!r} compares columns with values only: {example}", 2)
        if isinstance(node, ast.Name):
            node.id = columns.found(node.id, frame, f"--where {text!r}")
    try:
        return frame.query(ast.unparse(tree), engine="python")
    # pandas raises these for types that do not compare, and the fourth for syntax it does not know
    except (TypeError, ValueError, KeyError, NotImplementedError, AttributeError):
        raise SchemaError(f"--where {text!r} compares what does not compare: {example}") from None


def _there(frame: pd.DataFrame, text: str) -> str:
    """Say what the texts named in a condition are, where they are few."""
    for name in re.findall(r"[a-z_]+", text):
        column = columns.full(name, frame)
        if column in frame and frame[column].nunique() <= 12:
            values = ", ".join(str(value) for value in frame[column].dropna().unique())
            return f"; {name} holds: {values}" if values else f"; {name} is missing in all"
    return ""
