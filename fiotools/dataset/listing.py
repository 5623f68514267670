"""What is known of the files to convert: name, place, size, time, and the hash of what was read."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from fiotools.dataset.parquet import MANIFEST, columns, polars_schema
from fiotools.errors import FileError, SchemaError
from fiotools.files.remote import Stat
from fiotools.input.fetching import Fetch
from fiotools.input.sources import Found, is_url, refuse_no_file
from fiotools.vocabulary import DType

if TYPE_CHECKING:
    import polars as pl

Key = tuple[str, str | None]


def kinds_of(found: Sequence[Found]) -> dict[str, DType]:
    """Give the type of each label."""
    names = dict.fromkeys(name for file in found for name in file.labels)
    if taken := [name for name in names if name in columns(MANIFEST, {})]:
        raise SchemaError(
            f"label {taken[0]!r} is called as a column of the dataset's manifest: rename the field"
        )
    return {name: _kind({type(file.labels.get(name)) for file in found}) for name in names}


def _kind(types: set[type]) -> DType:
    types = types - {type(None)}
    if types == {bool}:
        return "boolean"
    if types == {int}:
        return "Int64"
    return "float64" if types <= {int, float} else "str"


def listed(found: Sequence[Found], labels: Mapping[str, DType], asked: str | None) -> pl.DataFrame:
    """Make the rows that the manifest would have of files, as far as they are known unread.

    Parameters
    ----------
    found : sequence of Found
    labels : mapping of str to str
        Their types.
    asked : str or None
        How they are to be read.
    """
    import polars as pl

    folders: dict[str, str | None] = {}
    known = [_known(file, folders) for file in found]
    columns: dict[str, Any] = {
        name: [_label(file.labels.get(name), kind) for file in found]
        for name, kind in labels.items()
    }
    columns["source"] = [file.name for file in found]
    columns["place"] = [_whole(file.place) for file in found]
    columns["member"] = [file.member for file in found]
    columns["named"] = [file.named for file in found]
    for at, name in enumerate(("size_bytes", "mtime_ns", "etag", "beside")):
        columns[name] = [one[at] for one in known]
    columns["asked"] = [asked] * len(found)
    schema = polars_schema(MANIFEST, labels)
    series = [pl.Series(name, values, dtype=schema[name]) for name, values in columns.items()]
    missing = [pl.lit(None, kind).alias(name) for name, kind in schema.items()]
    missing = [one for one in missing if one.meta.output_name() not in columns]
    return pl.DataFrame(series).with_columns(missing).select(list(schema))


def found_again(rows: pl.DataFrame, labels: Mapping[str, DType]) -> Iterator[Found]:
    """Make of rows of the manifest the files that they are of."""
    for row in rows.iter_rows(named=True):
        given = {name: row[name] for name in labels if row[name] is not None}
        place = row["place"]
        if place.startswith("file://"):  # see _whole
            place = os.fsdecode(unquote_to_bytes(place.removeprefix("file://")))
        stat = Stat(row["size_bytes"], row["mtime_ns"], row["etag"]) if is_url(place) else None
        yield Found(place, row["source"], given, row["named"], row["member"], stat)


def _label(value: Any, kind: DType) -> Any:
    return value if value is None or kind != "str" else str(value)


def _known(
    file: Found, folders: dict[str, str | None]
) -> tuple[int | None, int | None, str | None, str | None]:
    """Say size, time, what an object store says, and which job files lie beside."""
    if file.stat is not None:
        return (*file.stat, None)
    try:
        stat = Path(file.place).stat()
    except OSError:  # reading it will say why
        return None, None, None, None
    folder = file.place.rpartition("/")[0]
    if folder not in folders:
        folders[folder] = _job_files(folder)
    # an archive changes as a whole, and with it what its files have beside them
    return stat.st_size, stat.st_mtime_ns, None, None if file.member else folders[folder]


def _job_files(folder: str) -> str | None:
    """Say in one word which job files a folder has: reports beside them may be completed anew."""
    try:
        with os.scandir(folder or ".") as entries:
            jobs = sorted(Path(entry) for entry in entries if entry.name.lower().endswith(".fio"))
        stats = [(path.name, path.stat()) for path in jobs]
    except OSError:
        return None
    told = [f"{name} {stat.st_size} {stat.st_mtime_ns}" for name, stat in stats]
    text = "\n".join(told).encode("utf-8", "surrogateescape")
    return hashlib.sha256(text).hexdigest() if told else None


def _whole(place: str) -> str:
    """Give the whole path, as a URL if it is no text; a URL as it is."""
    if is_url(place):
        return place
    path = place if place.startswith("/") else Path(place).absolute().as_posix()
    try:
        path.encode()
    except UnicodeEncodeError:
        return Path(path).as_uri()
    return path


def key(file: Found) -> Key:
    """Say which file it is, whatever it is called."""
    return file.place, file.member


class Hashing(Fetch):
    """Reads files, and takes their hash.

    Parameters
    ----------
    found : sequence of Found
    refused : mapping of (place, member) to FileError
        Those that are not to be read, and why.

    Attributes
    ----------
    hashes : dict
        SHA-256 of each place that was read; a file in an archive has that of the archive.
    """

    def __init__(self, found: Sequence[Found], refused: Mapping[Key, FileError]) -> None:
        super().__init__([file for file in found if key(file) not in refused])
        self._refused = refused
        self.hashes: dict[str, str] = {}

    def __call__(self, file: Found) -> bytes:
        """Read one file."""
        if key(file) in self._refused:
            raise self._refused[key(file)]
        data = super().__call__(file)
        if file.member is None:
            self.hashes[file.place] = hashlib.sha256(data).hexdigest()
        elif file.place not in self.hashes:
            self.hashes[file.place] = _digest(file.place)
        return data


def digests(found: Sequence[Found]) -> list[str | None]:
    """Take the hash of some files, or of their archives; None of one that cannot be read."""
    fetch = Fetch(found)
    hashes: list[str | None] = []
    for file in found:
        try:
            if is_url(file.place):
                hashes.append(hashlib.sha256(fetch(file)).hexdigest())
            else:
                refuse_no_file(file)
                hashes.append(_digest(file.place))
        except (OSError, FileError):
            hashes.append(None)
    return hashes


def _digest(path: str) -> str:
    with Path(path).open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
