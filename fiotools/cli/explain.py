"""`fiotools explain`: why two sides differ, or which limit binds one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fiotools.cli.check import refuse_nonsense
from fiotools.cli.output import Shown, give
from fiotools.cli.questions import RowFilter, wrong_condition
from fiotools.cli.sources import Reading, read_all

if TYPE_CHECKING:
    import polars as pl


def explain(
    files: Sequence[str],
    *,
    asked: dict[str, Any],
    rows: RowFilter,
    shown: Shown,
    reading: dict[str, Any],
) -> int:
    """Say why two sides differ, in parts that add up; of one side, which limit binds.

    The first line is the answer. Then comes each part that makes a tenth of the difference or more,
    with its arithmetic, the options that differ and belong to it, and what to do. A part that
    the files do not decide is unknown, with the evidence that would decide it.
    """
    refuse_nonsense(asked)
    read = read_all(files, reading, label=True)
    give(shown, [_answer(read, {**asked, "where": rows.where})], _sheet, read.results)
    return read.code


def _answer(read: Reading, asked: dict[str, Any]) -> pl.DataFrame:
    from fiotools.stats import explain as library

    if asked.get("between") in (None, "label") and read.first is not None:
        asked = {"baseline": read.first, **asked}
    with read.working("explaining"), wrong_condition():
        return library.asked_of(read.results, **asked)


def _sheet(answer: pl.DataFrame) -> Any:
    from fiotools.display import layout

    return layout.sheet(answer)
