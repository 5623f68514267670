"""Texts that a spreadsheet takes for texts: a file may not put a formula into somebody's table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

# formulas of Excel, LibreOffice and their kin; what these drop in front of one; and the mark itself
_ACTIVE = ("=", "+", "-", "@", "\t", "\r", "\n", "'")


def guarded(frame: pd.DataFrame) -> pd.DataFrame:
    """Mark texts by an apostrophe that a spreadsheet might calculate; numbers stay as they are.

    A text that begins with an apostrophe gets another, so that taking one away gives all back.

    Examples
    --------
    >>> import pandas as pd
    >>> guarded(pd.DataFrame({"command": ["=1+1", "dd", "'"], "n": [-1, 2, 3]})).values.tolist()
    [["'=1+1", -1], ['dd', 2], ["''", 3]]
    """
    texts = frame.select_dtypes(exclude=["number", "bool", "datetime", "datetimetz"])
    return frame.assign(**{str(name): column.map(marked) for name, column in texts.items()})


def marked(value: Any) -> Any:
    """Mark one value, if it is a text that a spreadsheet might calculate."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_ACTIVE) else value
