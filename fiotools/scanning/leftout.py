"""The lines that a scan leaves out: counted on the way, and warned of at the end."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from fiotools.errors import ScanWarning
from fiotools.readers.fio.log import unlike_fio
from fiotools.readers.fio.log_head import UNFINISHED
from fiotools.readers.fio.log_lines import torn

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from fiotools.scanning.blocks import Blocks

    Lines = Sequence[int] | pl.Series


class LeftOut:
    """How many lines of a file are not taken, and which is the first."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._torn, self._unlike = [0, 0], [0, 0]

    def torn(self, lines: Lines, before: int) -> None:
        """Count lines that are laid out otherwise, after so many lines before."""
        _count(self._torn, lines, before)

    def unlike(self, lines: Lines, before: int) -> None:
        """Count lines with figures that fio does not write."""
        _count(self._unlike, lines, before)

    def warn(self, blocks: Blocks) -> None:
        """Say what was left out."""
        said = [
            f"{self._name}:{line}: {what(count)}"
            for (count, line), what in ((self._torn, torn), (self._unlike, unlike_fio))
            if count
        ]
        said += [f"{self._name}: {UNFINISHED}"] if blocks.torn else []
        said += [f"{self._name}: {remark}" for remark in blocks.remarks]
        for message in said:
            warnings.warn(message, ScanWarning, stacklevel=2)


def _count(found: list[int], lines: Lines, before: int) -> None:
    if len(lines):
        found[1] = found[1] or before + int(lines[0])
        found[0] += len(lines)
