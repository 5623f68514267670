"""`fiotools convert`: many files to a dataset of Parquet files, as often as there are new ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated, Any, Literal

import typer

from fiotools.cli import completing, files, options, rows, stream
from fiotools.cli.command import Command
from fiotools.cli.stream import Trouble, say
from fiotools.display import columns
from fiotools.display.text import many
from fiotools.input import path_labels
from fiotools.vocabulary import TABLES


def convert(
    sources: options.Files,
    *,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="DESTINATION",
            help="The folder of the dataset, or its URL: a new one, or one to go on with.",
            show_default=False,
        ),
    ],
    table: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            "-t",
            metavar="TABLES",
            help=f"Only these: {', '.join(TABLES)}. All by default.",
            autocompletion=completing.tables,
        ),
    ] = None,
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove the rows of files that are not there any more.")
    ] = False,
    check_hashes: Annotated[
        bool,
        typer.Option(
            "--check-hashes", help="Look at the content of files of the same size and time, too."
        ),
    ] = False,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Have Dask do it, on many machines: tcp://host:8786."),
    ] = None,
    format: Annotated[
        Literal["text", "json"],
        typer.Option("--format", "-f", help="json: what became of the files, on stdout."),
    ] = "text",
    read_as: options.ReadAs,
) -> int:
    """Convert files to a dataset: a folder of Parquet files for each table.

    Only files that are new or have changed are read. Interrupted or killed, the same command goes
    on with it. FILES and DESTINATION may be URLs, such as 's3://bucket/runs/**/*.json'. polars,
    DuckDB, Spark and Dask read DESTINATION/io/*.parquet, Python ft.open_dataset(DESTINATION).
    """
    tables = columns.split(table)
    for name in tables:
        rows.refuse_other_tables(name)
    if read_as.workers > 1 and scheduler is not None:
        raise Trouble("--workers or --scheduler, not both", 2)
    as_asked = files.arguments(read_as)
    from fiotools.dataset.convert import convert as converted

    with _executor(scheduler) as executor:
        done = converted(
            _named(sources),
            output,
            tables=tables or None,
            prune=prune,
            check_hashes=check_hashes,
            workers=read_as.workers if executor is None else None,
            executor=executor,
            format=as_asked["format"],
            version=as_asked["version"],
        )
    for refusal in done.refusals:
        say(refusal)
    if done.refused > len(done.refusals):
        more = many(done.refused - len(done.refusals), "more file")
        say(f"{more} could not be read: {output}/_manifest has them, status refused")
    say(f"converted to {done}")
    if format == "json":
        import orjson

        stream.write_bytes(orjson.dumps(asdict(done)) + b"\n")
    return 1 if done.refused else 0


def _named(given: list[str]) -> Any:
    """Name what was named, and leave the rest as it is."""
    pairs = [path_labels.given(source) for source in given]
    if any(path == files.STDIN for _, path in pairs):
        raise Trouble("convert reads files that can be read again, and not -", 2)
    if not any(name for name, _ in pairs):
        return given[0] if len(given) == 1 else given
    found: dict[str, list[str]] = {}
    for name, path in pairs:
        if name is None:
            raise Trouble(f"{path} has no name: write NAME={path}, or no name for any", 2)
        found.setdefault(name, []).append(path)
    return found


@contextmanager
def _executor(scheduler: str | None) -> Iterator[Any]:
    """Connect to the scheduler of Dask, as long as it is needed."""
    if scheduler is None:
        yield None
        return
    from fiotools.files.scale_extra import needed

    distributed = needed("distributed", "--scheduler")
    try:
        client = distributed.Client(scheduler, timeout="10s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise Trouble(f"--scheduler {scheduler}: {str(error) or 'nobody answers there'}") from None
    with client:
        yield client.get_executor()


COMMAND = Command(
    convert,
    (
        "convert runs/ -o dataset/",
        "convert runs/ -o dataset/ --workers 2 --prune --format json",
        "convert 'data/{volume}.xml' -o volumes/ --table io,percentiles",
        "convert old=old/ new=new/ -o both/ --check-hashes",
    ),
)
