"""`fiotools convert`: many files to a dataset of Parquet files, as often as there are new ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from fiotools.cli import completion, files, options, rows
from fiotools.cli.command import Command
from fiotools.cli.options import flag, option
from fiotools.cli.output import Trouble, say, write_bytes
from fiotools.display import columns
from fiotools.plain_text import many
from fiotools.vocabulary import TABLES

if TYPE_CHECKING:
    from fiotools.dataset.convert import Conversion


def convert(
    sources: options.Files,
    *,
    output: Annotated[
        str,
        option(
            "DESTINATION",
            "The folder of the dataset, or its URL: a new one, or one to go on with.",
            "--output",
            "-o",
            show_default=False,
        ),
    ],
    table: Annotated[
        list[str] | None,
        option(
            "TABLES",
            f"Only these: {', '.join(TABLES)}. All by default.",
            "--table",
            "-t",
            autocompletion=completion.tables,
        ),
    ] = None,
    prune: Annotated[
        bool, flag("--prune", "Remove the rows of files that are not there any more.")
    ] = False,
    check_hashes: Annotated[
        bool, flag("--check-hashes", "Look at the content of files of the same size and time, too.")
    ] = False,
    scheduler: Annotated[
        str | None, option("ADDRESS", "Have Dask do it, on many machines: tcp://host:8786.")
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
    as_asked: Any = files.arguments(read_as)
    from fiotools.dataset.convert import convert as converted

    with _executor(scheduler) as executor:
        done = converted(
            files.named(sources, "convert reads files that can be read again, and not -"),
            output,
            tables=tables or None,
            prune=prune,
            check_hashes=check_hashes,
            workers=read_as.workers if executor is None else None,
            executor=executor,
            **as_asked,
        )
    _tell(done, output)
    if format == "json":
        import orjson

        write_bytes(orjson.dumps(asdict(done)) + b"\n")
    return 1 if done.refused else 0


def _tell(done: Conversion, output: str) -> None:
    """Say what became of the files."""
    for refusal in done.refusals:
        say(refusal)
    if done.refused > len(done.refusals):
        more = many(done.refused - len(done.refusals), "more file")
        say(f"{more} could not be read: {output}/_manifest has them, status refused")
    say(f"converted to {done}")


@contextmanager
def _executor(scheduler: str | None) -> Iterator[Any]:
    """Connect to the scheduler of Dask, as long as it is needed."""
    if scheduler is None:
        yield None
        return
    from fiotools.files import needed

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
