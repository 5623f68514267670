"""The raw tables as files: CSV, packed where they are large, and the tools' own outputs."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fiotools.display.spreadsheet import guarded
from fiotools.measure.output import NAME
from fiotools.plain_text import many
from fiotools.reports.subjects import Source
from fiotools.units import human

if TYPE_CHECKING:
    import pandas as pd

_PACKED = 200_000  # bytes from which on a table is packed
_LARGEST = 4_000_000  # bytes that a file of a page may have
_RAW = 8_000_000  # bytes of raw outputs that are looked at


@dataclass(frozen=True)
class File:
    """One file to take along.

    Attributes
    ----------
    name : str
        Its name; empty where it was too large to be made.
    what : str
    size : str
        Rows and bytes, as people read them.
    """

    name: str
    what: str
    size: str


def written(
    source: Source, answers: Mapping[str, pd.DataFrame], folder: Path, prefix: str = ""
) -> Iterator[File]:
    """Write every table that is not empty, what was computed of them, and the raw outputs."""
    folder.mkdir(parents=True, exist_ok=True)
    tables = {name: frame for name, frame in source.results.tables.items() if len(frame)}
    for name, frame in {**answers, **tables}.items():
        yield _table(f"{prefix}{name}", name, frame, folder)
    yield from _raw(source, folder, prefix)


def _table(name: str, what: str, frame: pd.DataFrame, folder: Path) -> File:
    written = guarded(frame).to_csv(index=False, lineterminator="\n")
    text = written.encode("utf-8", "surrogateescape")
    size = f"{many(len(frame), 'row')}, {human(len(text), 'B')}"
    if len(text) < _PACKED:
        (folder / f"{name}.csv").write_bytes(text)
        return File(f"{name}.csv", what, size)
    packed = gzip.compress(text, mtime=0)
    if len(packed) > _LARGEST:
        return File("", what, f"{size}: too large for a page; fiotools read FILES -o x.parquet")
    (folder / f"{name}.csv.gz").write_bytes(packed)
    return File(f"{name}.csv.gz", what, f"{size}, packed")


def _raw(source: Source, folder: Path, prefix: str) -> Iterator[File]:
    """Pack what the tools wrote, and the manifest, if that is little."""
    files = [Path(name) for name in dict.fromkeys(source.results.runs["source"])]
    if source.campaign is not None:
        files.insert(0, source.campaign.folder / NAME)
    files = [file for file in files if file.is_file()]  # not of an archive, nor of standard input
    size = sum(file.stat().st_size for file in files)
    said = f"{many(len(files), 'file')}, {human(size, 'B')}"
    if not files:
        return
    if size > _RAW:
        yield File("", "raw outputs", f"{said}: too large for a page; keep them beside it")
        return
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, name in zip(files, _inside(files), strict=True):
            # the time of a file is no part of a result, and would make each page another
            info = zipfile.ZipInfo(name)
            archive.writestr(info, file.read_bytes(), zipfile.ZIP_DEFLATED)
    if len(packed.getvalue()) > _LARGEST:
        yield File("", "raw outputs", f"{said}: too large for a page; keep them beside it")
        return
    (folder / f"{prefix}raw.zip").write_bytes(packed.getvalue())
    yield File(f"{prefix}raw.zip", "raw outputs", f"{said}, packed")


def _inside(files: list[Path]) -> list[str]:
    """Name the files in an archive: without the folders that they have in common."""
    paths = [file.resolve().parts for file in files]
    while all(len(path) > 1 for path in paths) and len({path[0] for path in paths}) == 1:
        paths = [path[1:] for path in paths]
    return ["/".join(part.strip("/\\:") for part in path) for path in paths]
