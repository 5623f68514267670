"""`convert`: files of any known format to a dataset, on one machine or many.

A conversion compares the files with the manifest, does the parts, and compares all runs. A mark
says that it is at work. If it is interrupted, the next one does what the manifest lacks.
Notes about runs that stand in two files cannot be made by a single part: they are the notes of part
0, which has no files. A sum over the numbers of each run tells which may be twins, part after part;
only these are held in memory, and compared.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache, partial
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from fiotools.dataset import parquet
from fiotools.dataset.contents import (
    Destination,
    Unfinished,
    prepared,
    refuse_stranger,
)
from fiotools.dataset.parquet import arrow_schema, rows_of, scan
from fiotools.dataset.plan import (
    DO,
    Key,
    Work,
    added,
    compared,
    digests,
    do_part,
    found_again,
    key,
    kinds_of,
    listed,
    rewritten,
    try_alone,
)
from fiotools.dataset.store import RECORDS, UNFINISHED, Bucket, Store, held, store_at
from fiotools.errors import (
    DatasetError,
    FileError,
    ScanWarning,
    SchemaError,
    WorkerError,
    argument,
    warn,
)
from fiotools.files import needed
from fiotools.input import workers as others
from fiotools.input.read import BATCH, Bounds, Task, check_options, fatal, progress_of
from fiotools.input.sources import Found, find, real_place
from fiotools.tables import duplicate_runs
from fiotools.tables.parts import FILE, Labels, Part, add_notes, stack, stacked
from fiotools.units import many
from fiotools.vocabulary import tables_of

if TYPE_CHECKING:
    from fiotools.dataset.contents import Dataset
    from fiotools.input.read import Paths


_REFUSALS = 10  # that are told


@dataclass(frozen=True)
class Conversion:
    """The result of a conversion; the manifest has a row for each file.

    Attributes
    ----------
    path : str
        The dataset.
    files : int
        How many were found.
    read, noted, refused : int
        How many gave results; gave none, as expected (a README in a folder); or could not be
        read, in this conversion or an earlier one.
    new, changed, unchanged : int
        How many were new to the dataset, and so on. Unchanged ones were not read again.
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
        from fiotools.dataset.contents import open_dataset

        return open_dataset(self.path)

    def __str__(self) -> str:
        counts = {"new": self.new, "changed": self.changed, "unchanged": self.unchanged}
        counts |= {"refused": self.refused, "without results": self.noted, "removed": self.removed}
        told = [f"{count:,} {word}" for word, count in counts.items() if count]
        return f"{self.path}: {many(self.files, 'file')} ({', '.join(told)})"

    def __repr__(self) -> str:
        return f"<Conversion to {self}>"


def convert(
    sources: Paths | Mapping[str, Paths],
    destination: str | PathLike[str],
    *,
    tables: Iterable[str] | None = None,
    format: str | None = None,
    version: str | None = None,
    quantity: str | None = None,
    prune: bool = False,
    check_hashes: bool = False,
    workers: int | None = None,
    executor: Executor | None = None,
    part_files: int = 2048,
    part_bytes: int = 128 << 20,
) -> Conversion:
    """Convert files to a dataset: Parquet files that polars, DuckDB, Spark and Dask read.

    Only new and changed files are read; `open_dataset` opens the result. If a conversion is
    interrupted, by a kill or a power cut too, run it again: it reads the files that are missing.

    Parameters
    ----------
    sources : path, glob, folder, path template, list of these, or mapping of label to these
        As in `read`; also URLs that fsspec knows (``"s3://bucket/runs/**/*.json"``).
    destination : path or URL
        The folder of the dataset (or ``"s3://bucket/dataset"``): a new one, or an existing
        dataset. Its own files are never sources.
    tables : iterable of str, optional
        The tables to build; by default those of the dataset, all of a new one.
    format, version, quantity : str, optional
        As in `read`.
    prune : bool
        Remove the rows of files that are no longer there. By default they stay, so
        that a day's results can be converted and archived.
    check_hashes : bool
        Compare the content of files even if their size and time are the same.
    workers : int, optional
        How many processes work on it; by default only this one.
    executor : concurrent.futures.Executor, optional
        An executor that works on it instead: for many machines ``client.get_executor()`` of Dask.
        All of them must see sources and destination under the same names.
    part_files, part_bytes : int
        The largest number of files in a part, and their largest size together. A worker does a
        part at once, and it has a file in each table.

    Returns
    -------
    Conversion
        A file that cannot be read is refused, which is not an error: it is a row of the manifest
        with its reason, and a row of `notes`. So is a file that ends every worker that reads it;
        the next conversion tries it again.

    Raises
    ------
    FileNotFoundError
        If nothing matches.
    DatasetError
        If the destination is not a dataset, has other labels or tables, or another conversion is
        at work there.
    MissingPackageError
        If pyarrow is missing, or fsspec for a URL.

    Examples
    --------
    >>> import fiotools as ft
    >>> done = ft.convert("data/dda-vhdx/xml/{volume}.xml", "memory://three-volumes")
    >>> done
    <Conversion to memory://three-volumes: 3 files (3 new)>
    >>> done.open().io.filter(scope="total", direction="total").select("volume", "iops").collect()
    shape: (3, 2)
    ...
    >>> ft.convert("data/dda-vhdx/xml/{volume}.xml", "memory://three-volumes").unchanged
    3
    """
    needed("pyarrow", "convert")
    check_options(format, quantity)
    others.check(workers, executor)
    for name, value in (("part_files", part_files), ("part_bytes", part_bytes)):
        if value < 1:
            raise SchemaError(f"{argument(name, value)}: give at least 1")
    wanted = tables_of(tables)
    fixed = _fixed(sources)
    store = store_at(destination)
    refuse_stranger(store)
    found = _without_own(find(fixed), store)
    if not found:
        raise FileNotFoundError(f"{fspath(destination)}: there are no files but the dataset's own")
    places = (store.url, *(file.place for file in found))
    is_private = any(place.lower().startswith("memory://") for place in places)
    if workers is not None and workers > 1 and is_private:
        raise SchemaError(f"memory:// is of this process alone: leave {argument('workers')} out")
    with held(store):
        there = prepared(store, wanted, kinds_of(found))
        built = (*there.about.tables, "runs")
        reading = Task(built, format, version, notes_errors=True, quantity=quantity)
        run = Converter(there, reading, Bounds(part_files, part_bytes), workers, executor)
        told = run.convert(found, repr(fixed), prune=prune, check=check_hashes)
    return Conversion(fspath(destination), **told)


def _fixed(sources: Any) -> Any:
    """Make lists of iterators, so that the sources can be named too."""
    if isinstance(sources, Mapping):
        return {str(label): _fixed(part) for label, part in sources.items()}
    if isinstance(sources, str | bytes | PathLike):
        return os.fsdecode(sources)
    return [os.fsdecode(source) for source in sources]


def _without_own(found: Sequence[Found], store: Store) -> list[Found]:
    """Leave out the files of the dataset itself, which may lie in the folder that is read."""
    if isinstance(store, Bucket):
        own = f"{store.url.rstrip('/')}/"
        return [file for file in found if not file.place.startswith(own)]
    root = Path(store.url).resolve()
    folders: dict[str, str] = {}
    owning = cache(lambda folder: Path(folder).is_relative_to(root))
    return [
        file for file in found if file.stat is not None or not owning(real_place(file, folders)[0])
    ]


class _Part(NamedTuple):
    """A part to be done."""

    number: int
    generation: int
    changes: pl.DataFrame  # what to do with which of its files

    @property
    def files(self) -> int:
        """How many are to be read."""
        return int(self.changes[DO].is_in(["new", "changed"]).sum())


@dataclass
class Converter:
    """One conversion."""

    there: Destination
    reading: Task  # how files are read
    bounds: Bounds
    # as in `convert`
    workers: int | None
    executor: Executor | None

    def convert(
        self, found: Sequence[Found], sources: str, *, prune: bool, check: bool
    ) -> dict[str, Any]:
        """Convert files that were found; return the fields of `Conversion`."""
        there = self.there
        # the reading options that the caller gave
        names = ("format", "version", "quantity")
        given = {name: getattr(self.reading, name) for name in names}
        asked = " ".join(f"{name}={value}" for name, value in given.items() if value is not None)
        listing = listed(found, there.about.labels, asked or None)
        begun = Unfinished.read(there.store)
        if begun is not None and begun.sources != sources:
            message = (
                f"{there.store.url}: a conversion of {begun.sources} did not end: convert them"
                " again, too"
            )
            warn(message, ScanWarning)
        changes = compared(
            listing,
            there.records(),
            there.about.labels,
            prune=prune,
            check=check,
            hashes=self._hashes,
        )
        counts = Counter(changes[DO])
        known = there.records().select(pl.len()).collect().item()
        mark = Unfinished(os.urandom(8).hex(), sources, known - counts["gone"] + counts["new"])
        parts = [*self._parts(changes)]
        if parts or begun is not None:  # a kill may have left the last comparison undone
            mark.write(there.store)
            self._execute(parts, mark.token)
            self._compare_all()
            there.store.remove([UNFINISHED])
        return {
            "files": len(found),
            **self._ends(listing),
            "new": counts["new"],
            "changed": counts["changed"],
            "unchanged": counts["same"] + counts["touched"],
            "removed": counts["gone"],
            "parts": len(parts),
        }

    def _hashes(self, rows: pl.DataFrame) -> list[str | None]:
        """Take the hash of files of the manifest, or of the archives that they are in."""
        every = list(found_again(rows, self.there.about.labels))
        files = list({file.place: file for file in every}.values())
        some = [files[start : start + BATCH] for start in range(0, len(files), BATCH)]
        hashes: dict[str, str | None] = {}
        with closing(self._run(digests, some)) as done:
            for number, taken in done:
                hashes.update(zip((file.place for file in some[number]), taken, strict=True))
        return [hashes[file.place] for file in every]

    def _parts(self, changes: pl.DataFrame) -> Iterator[_Part]:
        """Yield the parts to be done, each with its files."""
        committed = self.there.committed
        other = changes.filter(pl.col(DO).is_in(["changed", "touched", "gone"])).sort("part")
        for (number,), some in other.group_by("part", maintain_order=True):
            yield _Part(number, committed[number] + 1, some)
        new = changes.filter(pl.col(DO) == "new")
        last = max(committed)
        for number, (start, end) in enumerate(self.bounds.cut(new["size_bytes"]), last + 1):
            yield _Part(number, 1, new[start:end])

    def _execute(self, parts: Sequence[_Part], token: str) -> None:
        """Do parts, and see that they are there."""
        there = self.there
        with progress_of(sum(part.files for part in parts), "converting") as step:
            self._do(parts, token, step)
        there.refresh()
        for part in parts:
            if there.committed.get(part.number, 0) < part.generation:
                raise DatasetError(
                    f"{there.store.url}: part {part.number} was done, and is not there; do all who"
                    " work on it see the same folder?"
                )

    def _do(self, parts: Sequence[_Part], token: str, step: Callable[[int], object]) -> None:
        """Do parts; find the files that end every process, and do their parts without them."""
        lost: list[_Part] = []
        works = (self._work(part, token) for part in parts)
        with closing(self._run(do_part, works, retries=1, errors="return")) as done:
            for number, files in done:
                if isinstance(files, WorkerError):
                    lost.append(parts[number])
                else:
                    step(files)
        again = (self._work(part, token) for part in lost)
        without = [replace(work, refused=self._fatal(work)) for work in again]
        if without:
            with closing(self._run(do_part, without)) as done:
                for _, files in done:
                    step(files)

    def _work(self, part: _Part, token: str) -> Work:
        there, number, labels = self.there, part.number, self.there.about.labels
        if number in there.committed:
            piece = rewritten(there.records([number]).collect(), part.changes, labels)
        else:
            piece = added(part.changes, number, labels)
        before = there.of_part(number)
        return Work(
            *(there.store, there.about, number, part.generation, self.reading, before),
            piece=piece,
            token=token,
        )

    def _fatal(self, work: Work) -> dict[Key, FileError]:
        """Find the files of a part that end every process that reads them."""
        files = work.files()
        alone = partial(try_alone, self.reading)
        with closing(self._run(alone, files, retries=1, errors="return")) as done:
            return {
                key(files[number]): fatal(files[number], error)
                for number, error in done
                if isinstance(error, WorkerError)
            }

    def _run(
        self, function: Any, tasks: Any, **lost: Any
    ) -> Generator[tuple[int, Any], None, None]:
        return others.run(function, tasks, workers=self.workers, executor=self.executor, **lost)

    def _compare_all(self) -> None:
        """Write the notes that concern several files, if they changed."""
        there = self.there
        made = _duplicate_notes(there)
        before = there.store.read(f"notes/{there.files['notes'][0]}")
        if not made.equals(parquet.read(before)):
            there.commit({"notes": made})

    def _ends(self, listing: pl.DataFrame) -> dict[str, Any]:
        """Return how many files were read, noted and refused."""
        keys = [*self.there.about.labels, "source"]
        named = listing.lazy().select(keys)
        rows = self.there.records().join(named, on=keys, how="semi", nulls_equal=True)
        counts = dict(rows.group_by("status").len().collect().iter_rows())
        refused = rows.filter(pl.col("status") == "refused").select("source", "line", "message")
        return {
            **{status: counts.get(status, 0) for status in ("read", "noted", "refused")},
            "refusals": tuple(
                f"{source}: {message}" if line is None else f"{source}:{line}: {message}"
                for source, line, message in refused.head(_REFUSALS).collect().iter_rows()
            ),
        }


def _duplicate_notes(there: Destination) -> Any:
    """Make the notes that concern several files, as an Arrow table."""
    about = there.about
    parts = [_of_files(there, number, files) for number, files in _suspects(there)]
    whole = stack(parts, ("runs", *duplicate_runs.ALIKE))
    runs = there.records().select(pl.sum(rows_of("runs"))).collect().item()
    found = duplicate_runs.find(whole.tables, [source for source, _ in whole.files], runs)
    told = Part(whole.files, {"notes": add_notes(stacked(()), "twin", found)})
    made = parquet.slices_of(told, ["notes"], about.labels)
    none = arrow_schema("notes", about.labels).empty_table()
    return parquet.joined([none, *(table for _, table in made)])


def _identifying(there: Destination, number: int, tables: Iterable[str]) -> dict[str, pl.DataFrame]:
    """Read the columns of a part that identify runs, with the file of each row."""
    names, found = there.of_part(number), {}
    for table in tables:
        if table in names:
            whole = scan(there.store, table, [names[table]], {})
            rows = whole.select(duplicate_runs.NEEDED[table]).collect()
            sizes = there.records([number]).select(pl.col(rows_of(table)).fill_null(0)).collect()
            files = np.arange(len(sizes), dtype=np.int32).repeat(sizes.to_series().to_numpy())
            found[table] = rows.with_columns(pl.Series(FILE, files))
    return found


def _suspects(there: Destination) -> Iterator[tuple[int, list[int]]]:
    """Yield the parts with runs that may have a twin, and their files there."""
    seen = []
    for number in there.files[RECORDS]:
        for table, rows in _identifying(there, number, duplicate_runs.ALIKE).items():
            runs, sums = duplicate_runs.sums_of(rows, duplicate_runs.ALIKE[table])
            one = pl.DataFrame({"file": runs >> 32, "sum": sums})
            seen.append(one.with_columns(part=pl.lit(number), table=pl.lit(table)))
    if seen:
        twins = pl.concat(seen).filter(pl.len().over("table", "sum") > 1)
        files = twins.group_by("part").agg(pl.col("file").unique().sort())
        yield from files.sort("part").iter_rows()


def _of_files(there: Destination, number: int, files: list[int]) -> Part:
    """Return what identifies the runs of some files of a part; the files are numbered anew."""
    told = there.records([number]).select("source", *there.about.labels).collect()
    named: list[tuple[str, Labels]] = [
        (row.pop("source"), {name: value for name, value in row.items() if value is not None})
        for row in told[files].to_dicts()
    ]
    anew = pl.col(FILE).replace_strict(files, range(len(files)), return_dtype=pl.Int32())
    tables = _identifying(there, number, ("runs", *duplicate_runs.ALIKE))
    kept = {
        table: rows.filter(pl.col(FILE).is_in(files)).with_columns(anew)
        for table, rows in tables.items()
    }
    return Part(named, kept)
