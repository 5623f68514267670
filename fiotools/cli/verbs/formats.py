"""`fiotools formats`: what can be read."""

from __future__ import annotations

from fiotools.cli import options, raw, sheet, stream
from fiotools.cli.command import Command
from fiotools.display.sheet import Sheet, Shown


def formats(format: options.Format = "table") -> int:
    """List what can be read, and how to have it made."""
    if format in ("json", "csv"):
        import fiotools as ft
        from fiotools.tables.frames import of_pandas

        stream.write_bytes(raw.content(of_pandas(ft.formats()), format))
        return 0
    from fiotools.readers import readers

    known = readers()
    columns = [
        Shown("format", [reader.name for reader in known], keep=3),
        Shown("reads", [reader.title for reader in known], keep=2, wraps=True),
        Shown("made by", [reader.produced_by for reader in known], keep=1, wraps=True),
    ]
    notes = ["gzip, xz, zstd and bzip2 are unpacked; a zip archive is read as a folder"]
    sheet.show(Sheet(columns, notes=notes), format)
    return 0


COMMAND = Command(formats, ("formats", "formats --format markdown"))
