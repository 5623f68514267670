"""What a page carries along: all tables as CSV, and the outputs of the tools, in one archive."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

from fiotools.display.spreadsheet import csv
from fiotools.files import MANIFEST
from fiotools.reports.asked import Asked
from fiotools.tables.columns import of_pandas

LARGEST = 4_000_000  # bytes of a page that a file may take
_DAY = (1980, 1, 1, 0, 0, 0)  # the same page every time


def archive(asked: Asked) -> tuple[bytes, list[tuple[str, str]]]:
    """Pack the tables and the raw outputs; list what is there and what was too large."""
    content, listed, size = io.BytesIO(), [], 0
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, told, files in _contents(asked):
            size += (weight := sum(map(_packed, files.values())))
            if size > LARGEST:
                size -= weight
                listed.append((name, f"{told}: too large for a page"))
                continue
            for path, own in files.items():
                packed.writestr(zipfile.ZipInfo(path, _DAY), own, zipfile.ZIP_DEFLATED)
            listed.append((name, told))
    return content.getvalue(), listed


def _packed(content: bytes) -> int:
    """Estimate how large a file is once it is packed."""
    import zlib

    return len(zlib.compress(content, 1))


def _contents(asked: Asked) -> Iterator[tuple[str, str, dict[str, bytes]]]:
    """Give the answers, the tables and the raw outputs: their names, sizes and files."""
    results, answers = asked.results, {"checks": asked.checks}
    if asked.comparison is not None and asked.comparison.answer is not None:
        answers["comparison"] = asked.comparison.answer
    frames = {name: of_pandas(frame) for name, frame in answers.items()}
    frames |= {name: results.tables.polars(name) for name in results.tables}
    for name, frame in frames.items():
        if frame.height:
            yield f"{name}.csv", f"{frame.height:,} rows", {f"tables/{name}.csv": csv(frame)}
    raw = _raw(asked)
    if raw:
        yield "raw outputs", f"{len(raw):,} files", raw


def _raw(asked: Asked) -> dict[str, bytes]:
    """Read the outputs of the tools, and the manifest of a campaign; not those in archives."""
    files = [Path(one) for one in dict.fromkeys(asked.results.runs["source"])]
    if asked.campaign is not None:
        files.insert(0, asked.campaign.folder / MANIFEST)
    files = [one for one in files if one.is_file()]
    if sum(one.stat().st_size for one in files) > 4 * LARGEST:
        return {}
    paths = [one.resolve().parts for one in files]
    while all(len(path) > 1 for path in paths) and len({path[0] for path in paths}) == 1:
        paths = [path[1:] for path in paths]  # without the folders that all have
    names = ("/".join(part.strip("/\\:") for part in path) for path in paths)
    return {f"raw/{name}": file.read_bytes() for name, file in zip(names, files, strict=True)}
