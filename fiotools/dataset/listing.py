"""What is known of the files to convert before any is read: name, place, size, time."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from fiotools.column import DType
from fiotools.dataset.columns import MANIFEST, polars_schema
from fiotools.remote import Stat
from fiotools.sources import Found, is_url

if TYPE_CHECKING:
    import polars as pl


def kinds_of(found: Sequence[Found]) -> dict[str, DType]:
    """Give the type of each label."""
    names = dict.fromkeys(name for file in found for name in file.labels)
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
