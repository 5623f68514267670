"""`fiotools read`: what is in the files, on the screen or as a file for other programs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, Literal

import typer

from fiotools.cli import columns, files, look, options, raw, rows, whole
from fiotools.cli.answer import give
from fiotools.cli.command import Command
from fiotools.cli.stream import Trouble, many, say
from fiotools.errors import SchemaError
from fiotools.vocabulary import TABLES

if TYPE_CHECKING:
    import pandas as pd

    from fiotools.results import Results

_ENDINGS = {".parquet": "parquet", ".csv": "csv", ".json": "json"}


def read(
    sources: options.Files,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE|FOLDER/",
            help="Write one table to FILE.parquet, .csv or .json, or each to a file of FOLDER/."
            " Written whole or not at all.",
        ),
    ] = None,
    table: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            "-t",
            metavar="TABLE",
            help=f"The table: {', '.join(TABLES)}. By default io, or what there is; for a folder"
            " all that hold rows.",
        ),
    ] = None,
    where: options.Where = None,
    scope: options.Scope = None,
    combine: options.Combine = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--columns", "-c", metavar="COLUMNS", help="Only these columns: job,direction,iops."
        ),
    ] = None,
    rows_shown: Annotated[
        int,
        typer.Option("--rows", min=0, metavar="N", help="How many rows the table shows; 0: all."),
    ] = 40,
    format: Annotated[
        Literal["table", "json", "csv", "markdown", "parquet"],
        typer.Option("--format", "-f", help="json and csv: every column, in base units."),
    ] = "table",
    reader: options.Reader = None,
    tool_version: options.ToolVersion = None,
) -> int:
    """Read files, and show what is in them or write it for other programs."""
    names = columns.split(table)
    for name in names:
        if name not in TABLES:
            raise SchemaError(f"--table {name} is not one of {', '.join(TABLES)}")
    target = _target(output, format)  # refuses before the files are read
    found = files.read_all(sources, reader=reader, version=tool_version, hint=names != ["notes"])
    filtered = partial(_filtered, where=where, scope=scope, combine=combine, column=column)
    if target is not None:
        _write(found.results, target, names, filtered)
    elif len(names) > 1:
        raise Trouble("several tables do not fit one screen: write them, -o FOLDER/", 2)
    else:
        name = names[0] if names else rows.main_table(found.results)
        frame = filtered(found.results.tables[name])
        give(
            frame,
            format,
            lambda whole_: look.sheet(found.results, whole_, name, rows_shown, column),
        )
    return found.code


def _target(output: str | None, form: str) -> tuple[Path, str, bool] | None:
    """Say where to write, in which form, and whether that is a folder."""
    if output is None:
        if form == "parquet":
            raise Trouble("parquet is for programs and not for a screen: add -o FILE.parquet", 2)
        return None
    path = Path(output)
    if output.endswith(("/", "\\")) or path.is_dir():
        if form == "markdown":
            raise Trouble("a folder is written as parquet, csv or json", 2)
        return path, "parquet" if form == "table" else form, True
    ending = _ENDINGS.get(path.suffix.lower())
    if ending is None and form in raw.WRITERS:
        ending = form
    if ending is None:
        raise Trouble(
            f"{output}: the name says the format: .parquet, .csv or .json; a folder ends in /", 2
        )
    if form not in ("table", ending):
        raise Trouble(f"--format {form} and {output} do not agree", 2)
    if not path.parent.is_dir():
        raise Trouble(f"{path.parent}: there is no such folder")
    return path, ending, False


def _filtered(
    frame: pd.DataFrame,
    *,
    where: list[str] | None,
    scope: str | None,
    combine: Any,
    column: list[str] | None,
) -> pd.DataFrame:
    frame = rows.taken(frame, where=where, scope=scope, combine=combine)
    if scope and not combine:
        frame = rows.of_scope(frame, scope)
    chosen = [columns.full(name, frame) for name in columns.split(column)]
    for name in chosen:
        if name not in frame:
            raise SchemaError(f"--columns {name}: there is no such column in this table")
    return frame[chosen] if chosen else frame


def _write(
    results: Results,
    target: tuple[Path, str, bool],
    names: list[str],
    filtered: Callable[[pd.DataFrame], pd.DataFrame],
) -> None:
    path, form, is_folder = target
    if is_folder:
        wanted = names or [name for name, frame in results.tables.items() if len(frame)]
        frames = {name: filtered(results.tables[name]) for name in wanted}
        whole.write_folder(
            path, {f"{name}.{form}": _content(frame, form) for name, frame in frames.items()}
        )
        for name, frame in frames.items():
            say(f"wrote {path / f'{name}.{form}'}: {many(len(frame), 'row')}")
        return
    if len(names) > 1:
        raise Trouble("one file holds one table: write several to a folder, -o FOLDER/", 2)
    name = names[0] if names else rows.main_table(results)
    frame = filtered(results.tables[name])
    whole.write(path, _content(frame, form))
    say(f"wrote {path}: {many(len(frame), 'row')} of {name}")


def _content(frame: pd.DataFrame, form: str) -> Callable[[IO[bytes]], object]:
    # polars writes to a file by itself, and has errors of its own for a full disk
    return lambda file: file.write(raw.content(frame, form))


COMMAND = Command(
    read,
    (
        "read run.json",
        "read 'data/{volume}.xml' --scope total --columns volume,direction,iops",
        "read runs/ -o runs.parquet",
        "read runs/ -o tables/ --format csv",
        "read run.json --table percentiles --where percentile=99 --format json",
        "read run.json --table notes",
        "read - < run.json",
    ),
)
