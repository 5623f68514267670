"""Many files as one dataset: a folder of Parquet files for each table, here or in an object store.

::

    _fiotools.json                          version, tables, labels, number of files
    io/00000000-4f0c9a1b22d3e586.parquet    rows of `io` from one batch of files, and so on
    notes/00000000-4f0c9a1b22d3e586.parquet

All files of a table have the same columns: ``io/*.parquet`` is all that polars, DuckDB, Spark and
Dask need to be told. A batch is some hundred neighbours among the files that no batch holds yet; it
is named after their paths, sizes and times. Its notes are written last, and a batch counts when
they are there; their metadata say which files it holds. Parts never change.

Nothing is locked: only one conversion at a time may write to a dataset.
"""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from fiotools._version import __version__
from fiotools.errors import DatasetError, FileError, ScanWarning, typed, warn
from fiotools.files import DATASET, atomic_write
from fiotools.files.remote import Ahead, as_os_errors, file_system
from fiotools.input import read
from fiotools.input.sources import Found, find, is_url, local, real_place
from fiotools.tables.columns import POLARS
from fiotools.tables.parts import Part
from fiotools.tables.results import Frames, Results, concat
from fiotools.units import many
from fiotools.vocabulary import COLUMNS, TABLES, tables_of

if TYPE_CHECKING:
    from fiotools.vocabulary import DType

VERSION = 8  # of files and columns; a dataset of another one is refused
_FILES, _BYTES = 512, 32 << 20  # of a batch at most
_HELD = "fiotools.files"  # the metadata of notes
_NAME = r"\d{8,}-[0-9a-f]{16}"
_OURS = re.compile(rf"({_NAME})\.parquet|\.{_NAME}\.parquet\.\w+\.part")  # the latter of a kill


# --- a place: a folder of this machine, or what fsspec knows ------------------------------------


def _place(path: str | PathLike[str]) -> str:
    """Return a folder that every process finds."""
    name = local(os.fspath(path))
    return name.rstrip("/") if is_url(name) else Path(name).absolute().as_posix()


def _names(folder: str) -> list[str]:
    """List a folder; nothing if it is not there."""
    try:
        if not is_url(folder):
            return sorted(one.name for one in Path(folder).iterdir())
        with as_os_errors(folder):
            system, path = file_system(folder)
            system.invalidate_cache()  # another process writes there too
            listed = system.ls(path, detail=False)
        return sorted(one.rstrip("/").rpartition("/")[2] for one in listed)
    except FileNotFoundError:
        return []


def _opened(places: Sequence[str]) -> list[Any]:
    """Return what polars takes for files: paths, or the bytes of those that are elsewhere."""
    if not any(map(is_url, places)):
        return [*places]
    ahead, contents = Ahead([(place, 0) for place in places]), []
    for place in places:
        with as_os_errors(place):
            contents.append(ahead.read(place))
    return contents


def _write(place: str, content: bytes) -> None:
    """Write a file, which has its name only when it is whole."""
    if is_url(place):
        with as_os_errors(place):
            system, path = file_system(place)
            system.pipe_file(path, content)
    else:
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        atomic_write.write_bytes(Path(place), content)


def _remove(place: str) -> None:
    if is_url(place):
        with as_os_errors(place):
            system, path = file_system(place)
            system.rm_file(path)
    else:
        Path(place).unlink()


# --- what a dataset says of itself --------------------------------------------------------------


@dataclass(frozen=True)
class About:
    """The description of a dataset."""

    tables: Sequence[str]
    labels: Mapping[str, DType]  # columns of the path templates: whole numbers or text
    files: int = 0  # that it holds once the last conversion has ended
    schema: int = VERSION

    @classmethod
    def read(cls, place: str) -> About | None:
        """Read it; None if there is no dataset."""
        name = f"{place}/{DATASET}"
        try:
            content = _opened([name])[0] if is_url(name) else Path(name).read_bytes()
            told = json.loads(content)
            schema, made_by = int(told.pop("schema")), told.pop("fiotools")
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (AttributeError, KeyError, TypeError, ValueError):
            raise DatasetError(f"{name}: not what fiotools wrote; move it elsewhere") from None
        if schema == VERSION:
            return cls(**told)
        remedy = f"update it: {__version__} knows version {VERSION}"
        if schema < VERSION:
            remedy = (
                f"now there is version {VERSION}: convert the files into another folder; polars"
                f" and DuckDB still read {place}/io/*.parquet"
            )
        raise DatasetError(f"{place}: made by fiotools {made_by} in version {schema}; {remedy}")

    def write(self, place: str) -> None:
        """Write it."""
        told = json.dumps({**asdict(self), "fiotools": __version__}, indent=2)
        _write(f"{place}/{DATASET}", told.encode() + b"\n")

    def types(self, table: str) -> dict[str, pl.DataType]:
        """Return the columns of a table, in order; a label may fill a condition of it."""
        own = {name: COLUMNS[name].dtype for name in TABLES[table]}
        labels = {name: kind for name, kind in self.labels.items() if name not in own}
        return {name: POLARS[kind] for name, kind in {**labels, **own}.items()}


class File(NamedTuple):
    """A file as its batch remembers it."""

    key: str  # where it lies, and its labels: one file, whatever it is called
    name: str  # its source, and its labels, which tell its rows from others
    stat: list[Any]  # size, time and tag
    read_as: list[str | None]  # format, version and quantity


def _held(place: str) -> dict[str, list[File]]:
    """Return the names of the batches that count, in order, and the files of each."""
    matches = map(_OURS.fullmatch, _names(f"{place}/notes"))
    names = [match[1] for match in matches if match and match[1]]
    held = {}
    for name, notes in zip(names, _opened(_paths(place, "notes", names)), strict=True):
        told = pl.read_parquet_metadata(io.BytesIO(notes) if isinstance(notes, bytes) else notes)
        held[name] = [File(*file) for file in json.loads(told[_HELD])]
    keys = [file.key for files in held.values() for file in files]
    if len({*keys}) < len(keys):
        raise DatasetError(
            f"{place}: two batches hold the same file, as after two conversions at once; convert"
            " into another folder"
        )
    return held


def _paths(place: str, table: str, names: Iterable[str]) -> list[str]:
    return [f"{place}/{table}/{name}.parquet" for name in names]


# --- conversion ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Conversion:
    """The result of a conversion.

    Attributes
    ----------
    path : str
        The dataset.
    files : int
        How many were found.
    new : int
        How many of them were read now; the dataset had the others.
    refusals : tuple of FileError
        Why some of these could not be read. The next conversion tries those again that could not be
        opened; the others have a note in the dataset.
    """

    path: str
    files: int
    new: int
    refusals: tuple[FileError, ...]

    def open(self) -> Dataset:
        """Open the dataset, as `open_dataset` does."""
        return open_dataset(self.path)

    def __str__(self) -> str:
        refused = f", {len(self.refusals):,} refused" if self.refusals else ""
        return f"{self.path}: {many(self.files, 'file')} ({self.new:,} new{refused})"

    def __repr__(self) -> str:
        return f"<Conversion to {self}>"


def convert(
    sources: read.Paths | Mapping[str, read.Paths],
    destination: str | PathLike[str],
    *,
    tables: Iterable[str] | None = None,
    format: str | None = None,
    version: str | None = None,
    quantity: str | None = None,
    executor: Any = None,
) -> Conversion:
    """Convert files to a dataset: Parquet files that polars, DuckDB, Spark and Dask read.

    Run it again for new files: those that the dataset holds are not read. If it was interrupted, by
    a kill too, run it again: it goes on where it ended. Only one conversion at a time may write to
    a dataset.

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
    executor : concurrent.futures.Executor or distributed.Client, optional
        Who reads and writes instead of this process: a pool of processes, or the machines of Dask.
        All of them must see sources and destination under the same names.

    Returns
    -------
    Conversion
        A file that cannot be read is refused, which is not an error: it has a row in `notes`.

    Raises
    ------
    FileNotFoundError
        If nothing matches.
    DatasetError
        If the destination is not a dataset, or has other labels, tables or columns; if a file has
        changed since it was converted.
    WorkerError
        If a process of the executor was killed. Dask does its work elsewhere first.

    Examples
    --------
    >>> import fiotools as ft
    >>> done = ft.convert("data/dda-vhdx/xml/{volume}.xml", "memory://three-volumes")
    >>> done
    <Conversion to memory://three-volumes: 3 files (3 new)>
    >>> done.open().io.filter(direction="read").select("volume", "iops").collect()
    shape: (3, 2)
    ...
    >>> ft.convert("data/dda-vhdx/xml/{volume}.xml", "memory://three-volumes").new
    0
    """
    read.check_options(format, quantity)
    read.refuse_no_executor(executor)
    wanted, place, found = tables_of(tables), _place(destination), find(sources)
    about, held = _about(place, wanted, _labels(found)), _held(place)
    there = {file.key: file for files in held.values() for file in files}
    both = [*_described(found, place, [format, version, quantity])]
    _refuse_changed([file for _, file in both], there)
    todo = [(at, *pair) for at, pair in enumerate(both) if pair[1].key not in there]
    about = replace(about, files=len(there) + len(todo))
    about.write(place)
    _clear(about, place, held)
    task = read.Task(tuple(about.tables), format, version, quantity)
    refusals: list[FileError] = []
    with read.progress_of(len(todo), "converting") as step:
        for files, refused in read.run(_convert, _jobs(place, about, task, todo), executor):
            refusals += refused
            step(files)
    return Conversion(os.fspath(destination), len(both), len(todo), tuple(refusals))


def _labels(found: Sequence[Found]) -> dict[str, DType]:
    """Return the type of each label, as `read` gives it: whole numbers if all are, else text."""
    kinds: dict[str, set[type]] = {}
    for file in found:
        for name, value in file.labels.items():
            kinds.setdefault(name, set()).add(type(value))
    return {name: "Int64" if some <= {int, bool} else "str" for name, some in kinds.items()}


def _about(place: str, tables: Sequence[str] | None, labels: Mapping[str, DType]) -> About:
    """Describe a new dataset, or one that has the same tables and labels."""
    about = About.read(place)
    named = [one for one in TABLES if tables is None or one in (*tables, "notes")]
    if about is None:
        if not all(name.startswith(".") for name in _names(place)):
            raise DatasetError(
                f"{place}: the folder is not empty, and not a dataset; name a new folder"
            )
        return About(named, labels)
    if tables is not None and named != about.tables:
        raise DatasetError(
            f"{place}: it has the tables {', '.join(about.tables)}; for others convert into another"
            " folder"
        )
    if labels != about.labels:
        raise DatasetError(
            f"{place}: its files have the labels {dict(about.labels)}, and these {dict(labels)};"
            " give the same ones, or convert into another folder"
        )
    return about


def _described(
    found: Sequence[Found], place: str, read_as: list[str | None]
) -> Iterator[tuple[Found, File]]:
    """Yield files with what is known of them unread; those of the dataset itself are none."""
    own = f"{place if is_url(place) else os.path.realpath(place)}/"
    folders: dict[str, str] = {}
    for file in found:
        lies = file.place if is_url(file.place) else "/".join(real_place(file, folders))
        if not lies.startswith(own):
            member = "" if file.member is None else f"/{file.member}"
            labels = f" {dict(sorted(file.labels.items()))}" if file.labels else ""
            yield file, File(lies + member + labels, file.name + labels, [*_stat(file)], read_as)


def _stat(file: Found) -> tuple[int | None, int | None, str | None]:
    """Return size, time, and the object store's tag."""
    if file.stat is not None:
        return file.stat
    try:
        stat = file.path.stat()
    except OSError:  # reading it will say why
        return None, None, None
    return stat.st_size, stat.st_mtime_ns, None


def _refuse_changed(files: Sequence[File], there: Mapping[str, File]) -> None:
    """Refuse files whose rows in the dataset are not, or would not be, theirs alone."""
    names = {file.name: file.key for file in there.values()}
    for file in files:
        old = there.get(file.key, file)
        if old.stat != file.stat:
            said = "has changed since it was converted"
        elif old.read_as != file.read_as:
            said = "was converted with another format, version or quantity"
        elif names.get(file.name, file.key) != file.key:
            said = f"the dataset has rows of this name from {names[file.name]}"
        else:
            continue
        raise DatasetError(f"{file.name}: {said}: convert into another folder")


def _clear(about: About, place: str, held: Iterable[str]) -> None:
    """Remove what a kill left: other programs would read it."""
    for table in about.tables:
        for match in map(_OURS.fullmatch, _names(f"{place}/{table}")):
            if match and match[1] not in held:
                _remove(f"{place}/{table}/{match[0]}")


class Job(NamedTuple):
    """A batch to be read and written, by any process."""

    place: str
    about: About
    task: read.Task
    name: str
    found: list[Found]
    files: list[File]


def _jobs(
    place: str, about: About, task: read.Task, todo: Sequence[tuple[int, Found, File]]
) -> Iterator[Job]:
    """Cut files into batches, whose names have the order of the files."""
    sizes = read.sizes_of([found for _, found, _ in todo])
    for start, stop in read.cut(sizes, _FILES, _BYTES):
        at, found, files = zip(*todo[start:stop], strict=True)
        name = f"{at[0]:08}-{sha256(json.dumps(files).encode()).hexdigest()[:16]}"
        yield Job(place, about, task, name, read.whole(found), [*files])


def _convert(job: Job) -> tuple[int, list[FileError]]:
    """Read and write a batch; return how many files it had, and which were refused.

    Files that cannot be opened are left out, so that the next conversion tries them again.
    """
    batch = read.read_batch(job.found, job.task)
    closed = {name for name, error in batch.failures if isinstance(error, OSError)}
    both = zip(job.found, job.files, strict=True)
    files = [file for found, file in both if found.name not in closed]
    if About.read(job.place) is None:
        raise DatasetError(f"{job.place}: a worker sees another place of this name")
    for table, content in _tables(job, batch.part, closed, json.dumps(files)):
        _write(f"{job.place}/{table}/{job.name}.parquet", content)
    return len(job.found), [read.as_file_error(*one) for one in batch.failures]


def _tables(job: Job, part: Part, closed: set[str], files: str) -> Iterator[tuple[str, bytes]]:
    """Yield the tables of a batch as Parquet files, its notes last."""
    frames = Frames(part)
    for table in job.about.tables:
        rows, content = frames.polars(table), io.BytesIO()
        rows.filter(~pl.col("source").is_in(closed)).select(
            (pl.col(name) if name in rows.columns else pl.lit(None)).cast(kind).alias(name)
            for name, kind in job.about.types(table).items()
        ).write_parquet(content, metadata={_HELD: files} if table == "notes" else None)
        yield table, content.getvalue()


# --- the dataset --------------------------------------------------------------------------------


class Dataset:
    """A dataset: each table is a lazy frame of polars, under the name that it has in `Results`.

    ``ds.io`` and ``ds["io"]`` are the same. The dataset is read as it was when it was opened. From
    an object store the files of a table are fetched whole.

    Parameters
    ----------
    path : path or URL
        The folder of the dataset.

    Attributes
    ----------
    tables, labels : list of str
        The tables, and the columns that path templates gave.
    unfinished : str
        How many files are missing since a conversion did not end, and what to do; empty if it did.
    """

    tables: Sequence[str] = ()  # also while it is unpickled

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path, self._place = os.fspath(path), _place(path)
        about = About.read(self._place)
        if about is None:
            raise DatasetError(f"{self.path}: not a fiotools dataset (it has no {DATASET})")
        self._about, self.tables, self.labels = about, about.tables, [*about.labels]
        held = _held(self._place)
        self._names, self._files = [*held], sum(map(len, held.values()))
        self.unfinished = ""
        if self._files < about.files:
            again = typed("convert() the same again", "run the same fiotools convert again")
            self.unfinished = f"{self._files:,} of {many(about.files, 'file')} are there: {again}"

    def __getitem__(self, table: str) -> pl.LazyFrame:
        if table not in self.tables:
            raise AttributeError(f"table {table!r} was not asked for: convert it too")
        if not self._names:
            return pl.LazyFrame(schema=self._about.types(table))
        files = _opened(_paths(self._place, table, self._names))
        return pl.scan_parquet(files, glob=False, hive_partitioning=False)

    def __getattr__(self, name: str) -> pl.LazyFrame:
        if name in TABLES:
            return self[name]
        raise AttributeError(f"Dataset has no {name!r}; its tables are {', '.join(self.tables)}")

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __repr__(self) -> str:
        unfinished = f"; {self.unfinished}" if self.unfinished else ""
        files = many(self._files, "file")
        return f"<Dataset {self.path}: {files}; {', '.join(self.tables)}{unfinished}>"

    def read(self, *, within: str = "") -> Results:
        """Read all tables into memory, as `fiotools.read` gives those of files.

        A run that occurs in two files gets a note, and so does a conversion that did not end.

        Parameters
        ----------
        within : str
            Put before each ``source``: two datasets may hold files of the same name.

        Examples
        --------
        >>> import fiotools as ft
        >>> ft.convert("data/page-cache/{cache}.txt", "memory://whole").open().read()
        <Results: 2 files, time, 2 runs, 2 timings, 0 notes>
        """
        tables = {table: self[table].collect() for table in self.tables}
        if within:
            source = f"{within.rstrip('/')}/" + pl.col("source").str.strip_prefix("/")
            tables = {table: rows.with_columns(source=source) for table, rows in tables.items()}
        if self.unfinished:
            said = {"severity": "warning", "code": "unfinished", "message": self.unfinished}
            note = pl.DataFrame([{"source": self.path, **said}])
            tables["notes"] = pl.concat([tables["notes"], note], how="diagonal")
        lost = tables["notes"].filter(code="refused", severity="error")
        failures = [
            FileError(path, why, line=line)
            for path, why, line in lost["source", "message", "line"].iter_rows()
        ]
        files = self._files - len(failures)
        results = Results(Frames(Part([], tables)), files, labels=self.labels, failures=failures)
        return concat([results])


def is_dataset(place: str) -> bool:
    """Whether a folder, here or in an object store, is a dataset."""
    return DATASET in _names(_place(place))


def open_dataset(path: str | PathLike[str]) -> Dataset:
    """Open a dataset that `convert` made.

    Nothing is read yet: each table is a `polars.LazyFrame`, which reads only the columns and files
    that a query needs when it is collected.

    Parameters
    ----------
    path : path or URL
        The folder of the dataset.

    Returns
    -------
    Dataset

    Raises
    ------
    DatasetError
        If there is no dataset, or a fiotools of another version has written it.

    Warns
    -----
    ScanWarning
        If files are missing, since a conversion did not end or could not open them.

    Examples
    --------
    >>> import fiotools as ft
    >>> done = ft.convert("data/page-cache/{cache}.txt", "memory://caches")
    >>> ds = ft.open_dataset("memory://caches")
    >>> ds.timings.select("cache", "real_s").collect().rows()
    [('after', 0.466), ('before', 4.364)]
    """
    dataset = Dataset(path)
    if dataset.unfinished:
        warn(f"{dataset.path}: {dataset.unfinished}", ScanWarning)
    return dataset
