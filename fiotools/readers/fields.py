"""A line of the table that says where the columns of a format come from.

A reader of structured documents has such a table, `FIELDS` in the module of its lines: the code
applies it, and `docs/formats.md` is printed from it.
"""

from __future__ import annotations

from typing import NamedTuple


class Field(NamedTuple):
    """One column, and the figure that it holds.

    Attributes
    ----------
    column : str
        Its name in the vocabulary.
    key : str
        The figure's place in its record, with dots between dictionaries.
    unit : str
        The tool's unit where that is not ours.
    zero : bool
        Whether 0 is a figure; if not, it means that nothing was measured.
    samples : str
        The key of the count of samples behind it: without samples there is no figure.
    since : str
        The version that wrote it first, if that is not the first.
    rule : str
        What else is done to it.
    """

    column: str
    key: str
    unit: str = ""
    zero: bool = True
    samples: str = ""
    since: str = ""
    rule: str = ""
