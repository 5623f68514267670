"""The options of the runs that a table is about, each once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fiotools.display.model import Column, Sheet

if TYPE_CHECKING:
    import polars as pl

_FEW = 5  # values of an option that are listed


def sheet(settings: pl.DataFrame) -> Sheet:
    """Lay out the options that were given, and the values that the runs had of each."""
    given = settings.filter(settings["origin"].ne_missing("default"))
    texts = given.group_by("option", maintain_order=True).agg("text")
    found = {option: list(dict.fromkeys(values)) for option, values in texts.rows()}
    columns = [
        Column("option", list(found)),
        Column("set to", [_listed(values) for values in found.values()], wraps=40),
    ]
    return Sheet(columns if found else [], title="How it was measured")


def _listed(values: list[str | None]) -> str:
    some = ", ".join(str(value) for value in values[:_FEW] if value is not None)
    return f"{some}, and {len(values) - _FEW} more" if len(values) > _FEW else some
