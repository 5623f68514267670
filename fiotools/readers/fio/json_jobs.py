"""A large fio document, read by jobs: each as if it were a document of its own.

The last job stays in the document, with all that is said of the run. For each other one a document
is written that has fio's version, the options of all jobs, and this job alone. Jobs are of few
shapes, and so these documents are read together; then their entries are numbered through.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import numpy as np

from fiotools.arrays import Vector
from fiotools.joining import Piece, Stretches, join
from fiotools.readers.fio import json_bins as fio_json_bins
from fiotools.readers.fio.json_bins import LINE, TAKEN
from fiotools.readers.fio.json_columns import Columns, Cut
from fiotools.readers.fio.json_cut import BEGINS, cut
from fiotools.readers.fio.json_histograms import Histograms, Place
from fiotools.readers.fio.json_marks import UnusualError
from fiotools.readers.fio.json_together import Together
from fiotools.tables import Block

if TYPE_CHECKING:
    from fiotools.rows import Rows

_JOBS, _OPEN, _CLOSE, _END = b'  "jobs" : [', b"\n    {", b"\n    }", b"\n  ]"
_TAIL = _END + b"\n}"
_SHARED, _NAME, _GROUP = b'"global options" : {', b'jobname"', b'groupid"'
# what tells the clones of one job from other entries
_SAME = re.compile(rb'\n    \{\n      "jobname" : "[^"\\]*",\n      "groupid" : \d+,')


def read(
    number: int,
    data: bytes,
    places: Sequence[Place],
    rest: bytes,
    wanted: Collection[str] | None,
) -> dict[str, list[Piece]] | None:
    """Read a document.

    Parameters
    ----------
    number : int
        That of the file.
    data : bytes
    places : sequence of (start, end)
        Where it has bins.
    rest : bytes
        What is left without them.
    wanted : collection of str, optional
        The tables to build; all by default.

    Returns
    -------
    dict or None
        The rows by table; None if anything is not of the usual layout, or seldom said.
    """
    histograms = Histograms(len(data) // LINE)
    columns = Columns(wanted, histograms)
    together = Together(columns)
    try:
        documents = _Jobs(rest).documents([start < end for start, end in places])
        if not all(map(together.take, documents)):
            return None
    except UnusualError:
        return None
    together.read()
    # the bins come last: they take long
    wants_bins = wanted is None or "bins" in wanted
    read_bins = histograms.add if wants_bins else fio_json_bins.seem_whole
    if columns.odd or not read_bins(data, places):
        return None
    rows = {table: join(table, pieces) for table, pieces in columns.pieces().items()}
    return {table: [_one_file(table, one, number)] for table, one in rows.items()}


class _Jobs:
    """The jobs of a document.

    Attributes
    ----------
    head, tail : bytes
        What stands before and behind them.
    texts : list of bytes
        Of each job.
    clones : list of int
        How many entries there are of each one's job.
    """

    def __init__(self, rest: bytes) -> None:
        start = rest.find(_JOBS) + len(_JOBS)
        end = rest.find(_END, start)
        if start < len(_JOBS) or end < 0:
            raise UnusualError
        between = _CLOSE + b"," + _OPEN
        first, *others = rest[start:end].split(between)
        inner = [_OPEN + text + _CLOSE for text in others[:-1]]
        self.texts = [first + _CLOSE, *inner, _OPEN + others[-1]] if others else [first]
        self.head, self.tail = rest[:start], rest[end:]
        same = [_same(text) for text in self.texts]
        counts = Counter(same)
        self.clones = [counts[one] for one in same]

    def documents(self, held: Sequence[bool]) -> Iterator[Cut]:
        """Give a document for each job.

        Parameters
        ----------
        held : sequence of bool
            Whether there are any bins in each histogram.

        Raises
        ------
        UnusualError
            If the layout is not fio's.
        """
        ends = accumulate((text.count(TAKEN) for text in self.texts), initial=0)
        head, last = self._shared_head(), len(self.texts) - 1
        for at, (start, end) in enumerate(pairwise(ends)):
            parts = (self.head, self.tail) if at == last else (head, _TAIL)
            found = cut(self.texts[at].join(parts))
            # a list that is closed once is closed by the tail: nothing but the job is in it
            if found is None or (at < last and found[0].count(b"]") > 1):
                raise UnusualError
            yield Cut(at, *found, held[start:end], start, self.clones[at])

    def _shared_head(self) -> bytes:
        """Give of the head what holds for each of the jobs."""
        head = self.head[: self.head.find(b'"', len(BEGINS))] + b'",\n'
        if self.head.count(_SHARED) > 1:
            raise UnusualError
        start = self.head.find(_SHARED)
        if start >= 0:
            head += b"  " + self.head[start : self.head.find(b"}", start)] + b"},\n"
        head += _JOBS
        # each job gets it
        if len(head) * len(self.texts) > 2 * (len(self.head) + sum(map(len, self.texts))):
            raise UnusualError
        return head


def _same(job: bytes) -> bytes:
    """Give what the clones of one job have in common."""
    found = _SAME.match(job)
    if found is None or job.count(_NAME) != 1 or job.count(_GROUP) != 1:
        raise UnusualError
    return found[0]


def _one_file(table: str, rows: Rows, number: int) -> Piece:
    """Make rows of one file of rows of many documents."""
    if table == "runs":
        duration = rows.get("duration_s").data.max(keepdims=True)
        rows = rows.take(np.array([len(rows) - 1]))
        rows.put("duration_s", Vector(duration))
    elif table == "settings":  # of all jobs: once
        rows = rows.take(np.flatnonzero(rows.get("entry").known | (rows.files == 0)))
    own, files = (rows.columns, rows.file) if "entry" in rows.columns else (rows.shared, rows.files)
    if "entry" in own:
        own["entry"] = Vector(own["entry"].data + files, own["entry"].missing)
    stretches = None if rows.sizes is None else Stretches(rows.sizes, rows.shared)
    file = np.full(len(rows.files), number, dtype=np.int32)
    return Piece(file, Block(len(rows), rows.columns), stretches)
