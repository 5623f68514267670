"""`convert`: files of any known format to a dataset, on one machine or many.

A conversion finishes what was begun, plans what is new, does the parts, and compares all runs.
Notes about runs that stand in two files cannot be made by a single part: they are the notes of part
0, which has no files. A sum over the numbers of each run tells which may be twins, part after part;
only these are held in memory, and compared.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import starmap
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from fiotools.dataset import parquet
from fiotools.dataset.contents import (
    ConversionPlan,
    Destination,
    pending,
    piece_name,
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
    dropped,
    found_again,
    key,
    kinds_of,
    listed,
    outdated,
    rewritten,
    try_alone,
    write_piece,
)
from fiotools.dataset.store import RECORDS, Bucket, Store, held, store_at
from fiotools.errors import (
    DatasetError,
    FileError,
    ScanWarning,
    SchemaError,
    WorkerError,
    argument,
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
    interrupted, by a kill or a power cut too, rerun to resume: the data will be the same.

    Parameters
    ----------
    sources : path, glob, folder, path template, list of these, or mapping of label to these
        As in `read`; also URLs that fsspec knows (``"s3://bucket/runs/**/*.json"``).
    destination : path or URL
        The folder of the dataset (or ``"s3://bucket/dataset"``): a new one, or an existing
        dataset. Its own files are never sources.
    tables : iterable of str, optional
        The tables to build; by default those that the dataset has, all of a new one.
    format, version, quantity : str, optional
        As in `read`.
    prune : bool
        Remove the rows of files that are no longer among the sources. By default they stay, so
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
        wish = (sources, self.reading, self.bounds, prune)
        call = hashlib.sha256(repr(wish).encode("utf-8", "surrogateescape")).hexdigest()
        begun = ConversionPlan.read(there.store)
        parts = 0
        dropped_files = None
        if begun is not None:
            if begun.call == call:
                parts = self._execute(begun)
            dropped_files = begun.unread(there.store, there.about, there.committed)
            self._compare_all()  # while there is a plan: a kill before it was done must not hide it
        outdated(there.store, begun)
        # the reading options that the caller gave
        names = ("format", "version", "quantity")
        given = {name: getattr(self.reading, name) for name in names}
        asked = " ".join(f"{name}={value}" for name, value in given.items() if value is not None)
        listing = listed(found, there.about.labels, asked or None)
        if dropped_files is not None:
            self._warn_of_others(dropped_files, listing)
        changes = compared(
            listing,
            there.records(),
            there.about.labels,
            prune=prune,
            check=check,
            hashes=self._hashes,
        )
        counts = Counter(changes[DO])
        plan = self._planned(changes, call)
        if plan.parts:
            plan.write(there.store)
            parts += self._execute(plan)
            self._compare_all()
        dropped(there.store)
        return {
            "files": len(found),
            **self._ends(listing),
            "new": counts["new"],
            "changed": counts["changed"],
            "unchanged": counts["same"] + counts["touched"],
            "removed": counts["gone"],
            "parts": parts,
        }

    def _warn_of_others(self, unread: pl.DataFrame, listing: pl.DataFrame) -> None:
        """Warn of files that an interrupted conversion had still to read, and this one has not."""
        keys = [*self.there.about.labels, "source"]
        others = unread.join(listing, on=keys, how="anti", nulls_equal=True).height
        if others:
            message = (
                f"{self.there.store.url}: a conversion before this one did not end, and"
                f" {many(others, 'file')} of it are not among these: convert them again, too"
            )
            warnings.warn(message, ScanWarning, stacklevel=4)  # of `convert`

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

    def _planned(self, changes: pl.DataFrame, call: str) -> ConversionPlan:
        """Write the pieces of a plan."""
        there, labels = self.there, self.there.about.labels
        parts: list[tuple[int, int, int]] = []

        def add(number: int, piece: pl.DataFrame) -> None:
            generation = there.committed.get(number, 0) + 1
            write_piece(there.store, piece_name(number, generation), piece, labels)
            parts.append((number, generation, pending(piece).height))

        other = changes.filter(pl.col(DO).is_in(["changed", "touched", "gone"])).sort("part")
        for (number,), some in other.group_by("part", maintain_order=True):
            add(number, rewritten(there.records([number]).collect(), some, labels))
        new = changes.filter(pl.col(DO) == "new")
        last = max(there.committed)
        for number, (start, end) in enumerate(self.bounds.cut(new["size_bytes"]), last + 1):
            add(number, added(new[start:end], number, labels))
        return ConversionPlan(call, parts)

    def _execute(self, plan: ConversionPlan) -> int:
        """Do the missing parts of a plan; return their number."""
        there = self.there
        todo = plan.left(there.committed)
        with progress_of(sum(files for *_, files in todo), "converting") as step:
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
        """Do parts; find the files that end every process, and do their parts without them."""
        lost: list[tuple[int, int]] = []
        parts = (self._work(*one) for one in todo)
        with closing(self._run(do_part, parts, retries=1, errors="return")) as done:
            for number, files in done:
                if isinstance(files, WorkerError):
                    lost.append(todo[number])
                else:
                    step(files)
        again = [replace(work, refused=self._fatal(work)) for work in starmap(self._work, lost)]
        if again:
            with closing(self._run(do_part, again)) as done:
                for _, files in done:
                    step(files)

    def _work(self, number: int, generation: int) -> Work:
        there = self.there
        before = there.of_part(number)
        return Work(there.store, there.about, number, generation, self.reading, before)

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
