"""Fio documents of the usual layout, read side by side: small ones with others, large ones by jobs.

A document that is of no usual shape, or says what is seldom said, is left to the reader that takes
documents one by one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from fiotools.readers.fio import json_bins as fio_json_bins
from fiotools.readers.fio import json_jobs as fio_json_jobs
from fiotools.readers.fio.json_columns import Columns, Cut
from fiotools.readers.fio.json_cut import BEGINS, cut, skeleton
from fiotools.readers.fio.json_histograms import Histograms
from fiotools.readers.fio.json_together import Together

if TYPE_CHECKING:
    from fiotools.joining import Piece
    from fiotools.readers.fio.json_histograms import Place

# bytes without bins: a larger document gains nothing by company, and one that is rather large
# is not worth a shape before the second comes
_LARGEST, _RATHER_LARGE = 2**20, 2**18


class Bulk:
    """Takes documents of the usual layout, as `fiotools.readers.base.Bulk` says."""

    def __init__(self, wanted: Collection[str] | None) -> None:
        self._wanted = wanted
        self._wants_bins = wanted is None or "bins" in wanted
        self._histograms = Histograms()
        self._columns = Columns(wanted, self._histograms)
        self._together = Together(self._columns)
        self._met: set[int] = set()  # hashes of the skeletons of rather large documents
        self._pieces: dict[str, list[Piece]] = {}  # of documents that were read by jobs

    def take(self, number: int, data: bytes) -> bool:
        """Take a file's document if it is of a usual shape."""
        if not data.startswith(BEGINS):
            return False
        places = fio_json_bins.find(data) if fio_json_bins.may_have(data) else []
        if places is None:
            return False
        rest = fio_json_bins.without(data, places) if places else data
        if len(rest) > _LARGEST:
            return self._take_jobs(number, data, places, rest)
        found = cut(rest)
        if found is None:
            return False
        key = skeleton(found[0])
        if len(rest) > _RATHER_LARGE and hash(key) not in self._met:
            self._met.add(hash(key))
            return self._take_jobs(number, data, places, rest)
        held = [start < end for start, end in places]
        document = Cut(number, *found, held, len(self._histograms.sizes))
        group = self._together.group(key, document)
        if group is None or (places and not self._read_bins(data, places)):
            return False
        self._together.add(group, document)
        return True

    def _read_bins(self, data: bytes, places: Sequence[Place]) -> bool:
        if self._wants_bins:
            return self._histograms.add(data, places)
        return fio_json_bins.seem_whole(data, places)

    def _take_jobs(self, number: int, data: bytes, places: Sequence[Place], rest: bytes) -> bool:
        found = fio_json_jobs.read(number, data, places, rest, self._wanted)
        for table, pieces in (found or {}).items():
            self._pieces.setdefault(table, []).extend(pieces)
        return found is not None

    def finish(self) -> tuple[dict[str, list[Piece]], list[int]]:
        """Give the rows of all documents, and the files whose documents were unusual after all."""
        self._together.read()
        pieces = self._columns.pieces()
        for table, more in self._pieces.items():
            pieces.setdefault(table, []).extend(more)
        return pieces, self._columns.odd
