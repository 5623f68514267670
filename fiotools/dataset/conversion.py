"""What `convert` answers: what became of the files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fiotools.display.text import many

if TYPE_CHECKING:
    from fiotools.dataset.opening import Dataset


@dataclass(frozen=True)
class Conversion:
    """What became of the files that were to be converted; the manifest has each of them.

    Attributes
    ----------
    path : str
        The dataset.
    files : int
        How many were found.
    read, noted, refused : int
        How they ended, in this conversion or an earlier one: with results; without, and none
        were expected (a README that a folder brought in); or not readable.
    new, changed, unchanged : int
        What they were for the dataset. Unchanged ones were not read again.
    removed : int
        Files of the dataset whose rows were removed.
    parts : int
        How many parts were written.
    refusals : tuple of str
        The first that were refused, and why.
    """

    path: str
    files: int
    read: int
    noted: int
    refused: int
    new: int
    changed: int
    unchanged: int
    removed: int
    parts: int
    refusals: tuple[str, ...]

    def open(self) -> Dataset:
        """Open the dataset, as `open_dataset` does."""
        from fiotools.dataset.opening import open_dataset

        return open_dataset(self.path)

    def __str__(self) -> str:
        counts = {"new": self.new, "changed": self.changed, "unchanged": self.unchanged}
        told = [f"{count:,} {word}" for word, count in counts.items() if count]
        ends = {"refused": self.refused, "without results": self.noted, "removed": self.removed}
        told += [f"{count:,} {word}" for word, count in ends.items() if count]
        return f"{self.path}: {many(self.files, 'file')} ({', '.join(told)})"

    def __repr__(self) -> str:
        return f"<Conversion to {self}>"
