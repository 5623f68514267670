"""`convert`: files of any known format to a dataset, on one machine or many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fiotools.dataset.listing import kinds_of
from fiotools.dataset.lock import held
from fiotools.dataset.manifest import prepared, refuse_stranger
from fiotools.dataset.plan import Bounds
from fiotools.dataset.steps import Run
from fiotools.dataset.store import Store, store_at
from fiotools.errors import SchemaError
from fiotools.files.scale_extra import needed
from fiotools.hints import argument
from fiotools.input.batches import Task
from fiotools.input.detect import reader_named
from fiotools.input.sources import Found, find
from fiotools.plain_text import many
from fiotools.vocabulary import tables_of

if TYPE_CHECKING:
    from fiotools.dataset.lazy_tables import Dataset
    from fiotools.input.read import Paths


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
        from fiotools.dataset.lazy_tables import open_dataset

        return open_dataset(self.path)

    def __str__(self) -> str:
        counts = {"new": self.new, "changed": self.changed, "unchanged": self.unchanged}
        told = [f"{count:,} {word}" for word, count in counts.items() if count]
        ends = {"refused": self.refused, "without results": self.noted, "removed": self.removed}
        told += [f"{count:,} {word}" for word, count in ends.items() if count]
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

    Only what is new or has changed is read; `open_dataset` opens what came of it. Whatever ends a
    conversion, a kill or a power cut too: the same call again goes on with it, and ends with the
    same data.

    Parameters
    ----------
    sources : path, glob, folder, path template, list of these, or mapping of label to these
        As in `read`; also URLs that fsspec knows (``"s3://bucket/runs/**/*.json"``).
    destination : path or URL
        The folder of the dataset (or ``"s3://bucket/dataset"``): a new one, or one that was
        converted into before. A file of it is never taken for a source.
    tables : iterable of str, optional
        The tables to build; by default those that the dataset has, all of a new one.
    format, version, quantity : str, optional
        As in `read`.
    prune : bool
        Whether rows go whose file is not among the sources any more. By default they stay, so that
        a day's results can be converted and put away.
    check_hashes : bool
        Look at the content of files whose size and time are the same, too.
    workers : int, optional
        How many processes work on it; by default only this one.
    executor : concurrent.futures.Executor, optional
        Who works on it instead: for many machines ``client.get_executor()`` of Dask. All of them
        must see sources and destination under the same names.
    part_files, part_bytes : int
        How many files make a part at most, and how large they are together. A part is what a
        worker does at once, and has a file in each table.

    Returns
    -------
    Conversion
        What became of the files. One that cannot be read is refused, not an error: it is a row of
        the manifest with its reason, and a row of `notes`; so is one that ends every worker that
        reads it, and it is tried again by the next conversion.

    Raises
    ------
    FileNotFoundError
        If nothing matches.
    DatasetError
        If the destination is something else, another conversion is at work there, or it was made
        of other labels or tables.
    MissingPackageError
        If pyarrow is missing, or fsspec, where there is a URL.

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
    if format is not None:
        reader_named(format)
    wanted = tables_of(tables)
    fixed = _fixed(sources)
    store = store_at(destination)
    refuse_stranger(store)
    found = [file for file in find(fixed) if not _is_own(file, store)]
    if not found:
        raise FileNotFoundError(f"{fspath(destination)}: there are no files but the dataset's own")
    if workers is not None and workers > 1 and _is_private(store, found):
        raise SchemaError(f"memory:// is of this process alone: leave {argument('workers')} out")
    with held(store):
        there = prepared(store, wanted, kinds_of(found))
        run = Run(
            there,
            Task(
                (*there.about.tables, "runs"),
                format,
                version,
                notes_errors=True,
                quantity=quantity,
            ),
            Bounds(part_files, part_bytes),
            workers,
            executor,
        )
        told = run.convert(found, repr(fixed), prune=prune, check=check_hashes)
    return Conversion(fspath(destination), **told)


def _fixed(sources: Any) -> Any:
    """Take what can be gone through once only, so that it can be named too."""
    if isinstance(sources, Mapping):
        return {str(label): _fixed(part) for label, part in sources.items()}
    if isinstance(sources, str | PathLike):
        return fspath(sources)
    return [fspath(source) for source in sources]


def _is_own(file: Found, store: Store) -> bool:
    """Say whether a file is of the dataset itself, which may lie in the folder that is read."""
    place = file.place
    if file.stat is None and not place.startswith("/"):
        place = Path(place).absolute().as_posix()
    return place.startswith(f"{store.url.rstrip('/')}/")


def _is_private(store: Store, found: list[Found]) -> bool:
    places = (store.url, *(file.place for file in found))
    return any(place.lower().startswith("memory://") for place in places)
