"""What a column is. The columns themselves are in `fiotools.vocabulary`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from fiotools.schema import ANSWERS, TABLES

DType = Literal["Int64", "float64", "boolean", "str", "datetime"]
Better = Literal["higher", "lower"]

PANDAS: Mapping[DType, str] = {
    "Int64": "Int64",
    "float64": "float64",
    "boolean": "boolean",
    "str": "str",
    "datetime": "datetime64[ms, UTC]",
}


@dataclass(frozen=True)
class Column:
    """What one column holds.

    Attributes
    ----------
    name : str
    dtype : {"Int64", "float64", "boolean", "str", "datetime"}
    unit : str
        ``B``, ``B/s``, ``s``, ``ns``, ``%``, ``1/s``, or nothing for counts and text.
    meaning : str
    better : {"higher", "lower"} or None
        Which way is better, where one is.
    derived : str
        How fiotools computes it where it does; empty if it is only ever reported by the tool.
    keys : mapping
        Tool to the name of the figure in that tool's output.
    """

    name: str
    dtype: DType
    unit: str
    meaning: str
    better: Better | None = None
    derived: str = ""
    keys: Mapping[str, str] = field(default_factory=dict)

    @property
    def places(self) -> list[str]:
        """The tables that have it, and the functions that answer with it."""
        tables = [table for table, names in TABLES.items() if self.name in names]
        return tables + [f"{name}()" for name, added in ANSWERS.items() if self.name in added]

    def __str__(self) -> str:
        lines = [f"{self.name} [{self.dtype}{', ' + self.unit if self.unit else ''}]"]
        lines.append(f"  {self.meaning}")
        lines.append(f"  in: {', '.join(self.places)}")
        if self.better:
            lines.append(f"  better: {self.better}")
        if self.derived:
            lines.append(f"  derived: {self.derived}")
        lines += [f"  {tool}: {key}" for tool, key in self.keys.items()]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)


def column(
    name: str,
    dtype: DType,
    unit: str,
    meaning: str,
    *,
    better: Better | None = None,
    derived: str = "",
    **keys: str,
) -> Column:
    """Write a column in one line: the tools' names for it as keywords."""
    return Column(name, dtype, unit, meaning, better, derived, keys)
