"""A conversion step by step: what was begun, what is new, what concerns all of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import starmap
from typing import TYPE_CHECKING, Any

from fiotools.dataset import duplicate_notes, part
from fiotools.dataset.listing import Key, digests, found_again, key, listed
from fiotools.dataset.manifest import Destination
from fiotools.dataset.parquet import MANIFEST, polars_schema, scan
from fiotools.dataset.plan import (
    Bounds,
    Compared,
    Plan,
    added,
    compared,
    dropped,
    piece_name,
    rewritten,
    write_piece,
)
from fiotools.dataset.store import RECORDS
from fiotools.errors import DatasetError, FileError, WorkerError
from fiotools.input import workers as others
from fiotools.input.batches import BATCH, Task
from fiotools.input.parallel_read import fatal
from fiotools.input.sources import Found
from fiotools.progress import of_files

if TYPE_CHECKING:
    import polars as pl

_REFUSALS = 10  # that are told


@dataclass
class Run:
    """One conversion.

    Attributes
    ----------
    there : Destination
    reading : batches.Task
        How files are read.
    bounds : Bounds
    workers, executor
        Who works on it.
    """

    there: Destination
    reading: Task
    bounds: Bounds
    workers: int | None
    executor: Executor | None

    def convert(
        self, found: Sequence[Found], sources: str, *, prune: bool, check: bool
    ) -> dict[str, Any]:
        """Convert files that were found; give what `Conversion` tells."""
        there = self.there
        wish = (sources, self.reading, self.bounds, prune)
        call = hashlib.sha256(repr(wish).encode("utf-8", "surrogateescape")).hexdigest()
        begun = Plan.read(there.store)
        parts = 0
        if begun is not None:
            if begun.call == call:
                parts = self._execute(begun)
            self._compare_all()  # while there is a plan: a kill before it was done must not hide it
        dropped(there.store, begun)
        listing = listed(found, there.about.labels, self._asked())
        changes = compared(
            listing,
            self._manifest(),
            there.about.labels,
            prune=prune,
            check=check,
            hashes=self._hashes,
        )
        plan = self._planned(changes, call)
        if plan.parts:
            plan.write(there.store)
            parts += self._execute(plan)
            self._compare_all()
        dropped(there.store, plan)
        return {
            "files": len(found),
            **self._ends(listing),
            "new": len(changes.new),
            "changed": changes.reread,
            "unchanged": changes.same,
            "removed": len(changes.gone),
            "parts": parts,
        }

    def _asked(self) -> str | None:
        """Say how files are to be read that are not read by what is in them."""
        names = ("format", "version", "quantity")
        given = {name: getattr(self.reading, name) for name in names}
        told = [f"{name}={value}" for name, value in given.items() if value is not None]
        return " ".join(told) or None

    def _manifest(self) -> pl.LazyFrame:
        names = list(self.there.files[RECORDS].values())
        schema = polars_schema(MANIFEST, self.there.about.labels)
        return scan(self.there.store, RECORDS, names, schema)

    def _hashes(self, rows: pl.DataFrame) -> list[str | None]:
        """Take the hash of files of the manifest, or of the archives that they are in."""
        found = {file.place: file for file in found_again(rows, self.there.about.labels)}
        files = list(found.values())
        some = [files[start : start + BATCH] for start in range(0, len(files), BATCH)]
        hashes: dict[str, str | None] = {}
        with closing(self._run(digests, some)) as done:
            for number, taken in done:
                hashes.update(zip((file.place for file in some[number]), taken, strict=True))
        return [hashes[file.place] for file in found_again(rows, self.there.about.labels)]

    def _planned(self, changes: Compared, call: str) -> Plan:
        """Write the pieces of a plan."""
        there, labels = self.there, self.there.about.labels
        parts: list[tuple[int, int, int]] = []

        def add(number: int, generation: int, piece: pl.DataFrame, files: int) -> None:
            write_piece(there.store, piece_name(number, generation), piece, labels)
            parts.append((number, generation, files))

        for number in changes.touched:
            name = there.files[RECORDS][number]
            record = scan(there.store, RECORDS, [name], polars_schema(MANIFEST, labels)).collect()
            piece = rewritten(record, changes, number, labels)
            add(number, there.committed[number] + 1, piece, changes.todo(number))
        last = max(there.committed)
        for at, (start, end) in enumerate(self.bounds.cut(changes.new["size_bytes"]), last + 1):
            add(at, 1, added(changes.new[start:end], at, labels), end - start)
        return Plan(call, parts)

    def _execute(self, plan: Plan) -> int:
        """Do those parts of a plan that are not there; say how many there were."""
        there = self.there
        todo = [(n, g, files) for n, g, files in plan.parts if there.committed.get(n, 0) < g]
        with of_files(sum(files for *_, files in todo), "converting") as step:
            self._do([(n, g) for n, g, _ in todo], step)
        there.refresh()
        for number, generation, _ in todo:
            if there.committed.get(number, 0) < generation:
                raise DatasetError(
                    f"{there.store.url}: part {number} was done, and is not there; do all who work"
                    " on it see the same folder?"
                )
        return len(todo)

    def _do(self, todo: Sequence[tuple[int, int]], step: Callable[[int], object]) -> None:
        """Do parts; what ends whatever process does it is read file by file, and done without."""
        lost: list[tuple[int, int]] = []
        parts = (self._work(*one) for one in todo)
        with closing(self._run(part.do, parts, retries=1, errors="return")) as done:
            for number, files in done:
                if isinstance(files, WorkerError):
                    lost.append(todo[number])
                else:
                    step(files)
        again = [replace(work, refused=self._fatal(work)) for work in starmap(self._work, lost)]
        if again:
            with closing(self._run(part.do, again)) as done:
                for _, files in done:
                    step(files)

    def _work(self, number: int, generation: int) -> part.Work:
        there = self.there
        before = self._before(number)
        return part.Work(there.store, there.about, number, generation, self.reading, before)

    def _fatal(self, work: part.Work) -> dict[Key, FileError]:
        """Find the files of a part that end whatever process reads them."""
        files = part.files_of(work)
        alone = partial(part.try_alone, self.reading)
        with closing(self._run(alone, files, retries=1, errors="return")) as done:
            return {
                key(files[number]): fatal(files[number], error)
                for number, error in done
                if isinstance(error, WorkerError)
            }

    def _before(self, number: int) -> dict[str, str]:
        files = self.there.files.items()
        return {folder: names[number] for folder, names in files if number in names}

    def _run(
        self, function: Any, tasks: Any, **lost: Any
    ) -> Generator[tuple[int, Any], None, None]:
        return others.run(function, tasks, workers=self.workers, executor=self.executor, **lost)

    def _compare_all(self) -> None:
        """Write the notes that concern several files, if they are others than before."""
        there = self.there
        made = duplicate_notes.notes(there.store, there.about, there.files)
        before = there.read("notes", 0)
        if not made.equals(before):
            generation = there.committed[0] + 1
            there.write("notes", 0, generation, made)
            there.commit(0, generation)

    def _ends(self, listing: pl.DataFrame) -> dict[str, Any]:
        """Say how the files ended that were to be converted."""
        import polars as pl

        keys = [*self.there.about.labels, "source"]
        named = listing.lazy().select(keys)
        rows = self._manifest().join(named, on=keys, how="semi", nulls_equal=True)
        counts = dict(rows.group_by("status").len().collect().iter_rows())
        refused = rows.filter(pl.col("status") == "refused").select("source", "line", "message")
        return {
            **{status: counts.get(status, 0) for status in ("read", "noted", "refused")},
            "refusals": tuple(
                f"{source}: {message}" if line is None else f"{source}:{line}: {message}"
                for source, line, message in refused.head(_REFUSALS).collect().iter_rows()
            ),
        }
