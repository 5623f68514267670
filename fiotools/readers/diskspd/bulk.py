"""Many files of DISKSPD's XML, those of one outline read side by side."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fiotools.readers.diskspd import checks, runs
from fiotools.readers.diskspd.buckets import NO_CURVE, CutSource, has_latencies, source_of
from fiotools.readers.diskspd.columns import Columns, Rows
from fiotools.readers.diskspd.cut import Cut, cut
from fiotools.readers.diskspd.elements import MalformedError
from fiotools.readers.diskspd.options import Asked, moment
from fiotools.readers.diskspd.outline import Outlines
from fiotools.readers.diskspd.samples import Percentiles, Sampled, sampled_of, samples
from fiotools.schema import TABLES
from fiotools.tables import Block, Tables

if TYPE_CHECKING:
    from fiotools.joining import Piece
    from fiotools.readers.diskspd.buckets import Buckets, Curve
    from fiotools.readers.diskspd.form import Form, Texts
    from fiotools.readers.diskspd.outline import Outline
    from fiotools.readers.diskspd.results import Values

_TOGETHER = 2**21  # bytes of files that are read at once: what is made of them is small then


class _Document(NamedTuple):
    """A file of one run whose outline is known."""

    file: int
    form: Form
    texts: Texts
    values: Values
    asked: Asked
    source: CutSource

    def sampled(self, place: int) -> Iterable[Sampled]:
        """Give what was sampled; ``place`` is that among the documents that are read together."""
        buckets = [self._buckets(mark) for mark in self.form.marks]
        return sampled_of(place, self.form.layout, self.values, buckets)

    def _buckets(self, mark: int | None) -> Buckets | None:
        return None if mark is None else self.source.buckets(int(self.texts[mark]))

    def curve(self) -> Curve:
        """Give the percentiles."""
        place = self.form.curve
        return NO_CURVE if place is None else self.source.curves[int(self.texts[place])]

    def has_made_up(self) -> bool:
        """Say whether there are latencies though none were measured."""
        if self.form.layout.measured:
            return False
        of_run = self._buckets(self.form.marks[-1])
        return of_run is not None and has_latencies(of_run)


class Bulk:
    """Reads files that are one document each, without messages around it, from their bytes.

    Parameters
    ----------
    wanted : collection of str, optional
        As in `Tables`.
    """

    def __init__(self, wanted: Collection[str] | None) -> None:
        self._wanted = wanted
        self._wants = frozenset(TABLES if wanted is None else wanted) | {"notes"}
        self._outlines = Outlines()
        self._alone: list[tuple[int, Tables]] = []
        self._waiting: list[_Document] = []
        self._size = 0
        self._pieces: dict[str, list[Piece]] = {}

    def take(self, number: int, data: bytes) -> bool:
        """Read a file whose buckets can be cut out; False if anything in it is unusual."""
        parts = cut(data)
        if parts is None:
            return False
        found = self._outlines.read(parts.rest.rstrip(), len(parts.runs))
        document = None if found is None else self._document(number, parts, *found)
        if document is None:
            return self._take_alone(number, parts, found)
        self._waiting.append(document)
        self._size += len(data)
        if self._size >= _TOGETHER:
            self._read()
        return True

    def _take_alone(self, number: int, parts: Cut, found: tuple[Outline, Texts] | None) -> bool:
        """Read a file by itself."""
        tables = Tables("", self._wanted)
        known = None if found is None else (found[0].filled(found[1]), found[0].marks)
        if not runs.add_cut(tables, parts, known):
            return False
        self._alone.append((number, tables.finish()))
        return True

    def _document(
        self, number: int, parts: Cut, outline: Outline, texts: Texts
    ) -> _Document | None:
        """Take the values of a file; None if it is not of the usual form."""
        form = outline.form
        values = None if form is None else form.values(texts)
        if form is None or values is None:
            return None
        try:
            asked = outline.asked(form, texts)
        except MalformedError:
            return None
        source = source_of(parts, outline.marks, samples="samples" in self._wants)
        return None if source is None else _Document(number, form, texts, values, asked, source)

    def _read(self) -> None:
        """Read what waits: of each outline together, but what was sampled file after file."""
        documents, self._waiting, self._size = self._waiting, [], 0
        alike: dict[int, list[_Document]] = {}
        for document in documents:
            alike.setdefault(id(document.form), []).append(document)
        for group in alike.values():
            self._read_alike(group)
        if "samples" in self._wants:
            sampled = (
                one for place, document in enumerate(documents) for one in document.sampled(place)
            )
            self._put(samples(sampled), documents)

    def _read_alike(self, documents: Sequence[_Document]) -> None:
        """Read documents of one form."""
        layout = documents[0].form.layout
        asked = [document.asked for document in documents]
        curves = [document.curve() for document in documents]
        percentiles = Percentiles(curves, len(layout.lines) + 1)
        values = [document.values for document in documents]
        columns = Columns(layout, values, asked, percentiles.extremes())
        rows: dict[str, Callable[[], Rows]] = {
            "runs": lambda: _runs(documents, columns.seconds),
            "settings": lambda: _settings(asked),
            "io": columns.io,
            "cpu": columns.cpu,
            "extras": columns.extras,
            "percentiles": percentiles.rows,
            "notes": lambda: _notes(documents, columns.notes(percentiles.falling())),
        }
        self._put((make() for table, make in rows.items() if table in self._wants), documents)

    def _put(self, found: Iterable[Rows], documents: Sequence[_Document]) -> None:
        from fiotools.joining import Piece

        files = np.array([document.file for document in documents], dtype=np.int32)
        for table, run, columns, same in found:
            size = len(next(iter(columns.values())))
            if size:
                whose = int(files[run]) if isinstance(run, int) else files[run]
                block = Block(size, columns, {"run": 1, **same})
                self._pieces.setdefault(table, []).append(Piece(whose, block))

    def finish(self) -> tuple[dict[str, list[Piece]], list[int]]:
        """Give the rows of all files."""
        from fiotools.joining import pieces_of

        self._read()
        for table, pieces in pieces_of(self._alone).items():
            self._pieces.setdefault(table, []).extend(pieces)
        return self._pieces, []


def _runs(documents: Sequence[_Document], seconds: Any) -> Rows:
    said = [
        [document.texts[place] or None for place in document.form.said] for document in documents
    ]
    hosts, versions, whens = zip(*said, strict=True)
    columns = {
        "host": hosts,
        "tool_version": versions,
        "reported_at": [moment(when) if when else None for when in whens],
        "duration_s": seconds,
    }
    same = {"tool": "diskspd", "format": "diskspd_xml", "status": "ok"}
    return Rows("runs", np.arange(len(documents)), columns, same)


def _settings(asked: Sequence[Asked]) -> Rows:
    pairs = [pair for plan in asked for pair in plan.settings]
    whose = np.arange(len(asked)).repeat([len(plan.settings) for plan in asked])
    columns = {"option": [option for option, _ in pairs], "text": [text for _, text in pairs]}
    return Rows("settings", whose, columns, {"origin": "given"})


def _notes(documents: Sequence[_Document], problems: Sequence[Sequence[tuple[int, str]]]) -> Rows:
    rows = []
    for place, (document, said) in enumerate(zip(documents, problems, strict=True)):
        rows += [(place, line, "warning", problem) for line, problem in said]
        if document.has_made_up():
            rows.append((place, document.form.layout.iops, "info", checks.MADE_UP))
    whose, lines, severities, messages = zip(*rows, strict=True) if rows else ((), (), (), ())
    columns = {"line": list(lines), "severity": list(severities), "message": list(messages)}
    return Rows("notes", np.array(whose, dtype=np.int64), columns)
