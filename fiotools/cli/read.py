"""`fiotools read`, `convert` and `export`: what is in the files, as other programs take it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from fiotools.cli import options, rows
from fiotools.cli.options import choice, command, flag, offer_columns, offer_tables, option
from fiotools.cli.output import ENDINGS, Trouble, give, refuse_overwriting, say, target, write_bytes
from fiotools.display import layout
from fiotools.files import atomic_write
from fiotools.tables import metrics, naming
from fiotools.units import many
from fiotools.vocabulary import TABLES

if TYPE_CHECKING:
    import polars as pl

    from fiotools.tables.results import Results

_LOOKS = ("table", "markdown")  # formats that people look at


@command(
    "read run.json",
    "read 'data/{volume}.xml' --scope total --columns volume,direction,iops",
    "read runs/ -o runs.parquet",
    "read runs/ -o tables/ --format csv",
    "read run.json --table percentiles --where percentile=99 --format json",
    "read run.json --table notes",
    "read - < run.json",
)
def read(
    sources: list[str] = options.FILES,
    *,
    output: str | None = option(
        "FILE|FOLDER/",
        f"Write one table to FILE{', '.join(ENDINGS)}, or each to a file of FOLDER/."
        " Written whole or not at all.",
        "-o",
    ),
    table: list[str] | None = option(
        "TABLE",
        f"The table: overview, {', '.join(TABLES)}. By default the overview, a row for each run and"
        " direction; for a file io, or what there is; for a folder all that hold rows.",
        "-t",
        autocompletion=offer_tables,
    ),
    where: list[str] | None = options.WHERE,
    scope: str | None = options.SCOPE,
    combine: options.Combine | None = options.COMBINE,
    column: list[str] | None = option(
        "COLUMNS",
        "Only these columns: job,direction,iops.",
        "--columns",
        "-c",
        autocompletion=offer_columns,
    ),
    rows_shown: int = option(
        "N", "Rows that the table shows; 0: all.", "--rows", default=40, min=0
    ),
    format: Literal["table", "json", "csv", "markdown", "parquet"] = options.FORMAT,
    read_as: options.ReadAs,
) -> int:
    """Read files, and show their content or write it for other programs."""
    names = naming.split(table)
    for name in names:
        if name != "overview":
            rows.refuse_other_tables(name)
    place = None if output is None else target(output, format, len(names))
    if place is None and format == "parquet":
        raise Trouble("parquet is for programs, not for a screen: add -o FILE.parquet", 2)
    if place is None and len(names) > 1:
        raise Trouble("one screen shows one table: write several, -o FOLDER/", 2)
    read = rows.read_all(sources, read_as, label=True, hint=names != ["notes"])
    results = read.results
    if not names and place is not None and place.is_folder:
        names = [name for name in results.tables if results.tables.height(name)]
    kept = options.RowFilter(where=where, scope=scope, combine=combine)
    chosen = naming.split(column)
    if names or place or chosen or scope or combine or format not in _LOOKS:
        names = names or [metrics.main_table(results)]
        frames = {name: _chosen(read, name, kept, chosen) for name in names}
    else:
        frames = dict([layout.first_look(_fulfilling(results, kept))])
    name, frame = next(iter(frames.items()))
    if place is not None:
        place.write(results, frames, lambda: layout.preview(results, frame, name, 0, True))
    else:
        shown = rows_shown, bool(column)
        give(format, lambda: frame, lambda: layout.preview(results, frame, name, *shown))
    return read.code


def _fulfilling(results: Results, kept: options.RowFilter) -> Results:
    """Keep the rows that fulfil the conditions, in all tables."""
    from fiotools.tables.conditions import NoConditionError

    try:
        return results.where(*kept.where or ())
    except NoConditionError as error:
        raise Trouble(str(error), 2) from None


def _chosen(
    read: rows.Reading, name: str, kept: options.RowFilter, wanted: list[str]
) -> pl.DataFrame:
    if name == "overview":
        from fiotools.stats.overview import tabulated

        frame = tabulated(_fulfilling(read.results, kept).to_polars())
    else:
        frame = rows.of_scope(rows.filtered(read, read.table(name), kept), kept.own_scope)
        frame = read.with_runs(frame, wanted)
    chosen = [naming.found(one, frame, "--columns") for one in wanted]
    return frame[chosen] if chosen else frame


@command(
    "convert runs/ -o dataset/",
    "convert runs/ -o dataset/ --workers 2 --prune --format json",
    "convert 'data/{volume}.xml' -o volumes/ --table io,percentiles",
    "convert old=old/ new=new/ -o both/ --check-hashes",
)
def convert(
    sources: list[str] = options.STORED_FILES,
    *,
    output: str = option(
        "DESTINATION",
        "The folder of the dataset, or its URL: a new one, or one to continue.",
        "-o",
        default=...,
        show_default=False,
    ),
    table: list[str] | None = option(
        "TABLES",
        f"Only these: {', '.join(TABLES)}. All by default.",
        "-t",
        autocompletion=offer_tables,
    ),
    prune: bool = flag("Remove the rows of files that were deleted."),
    check_hashes: bool = flag("Compare the content of files whose size and time are unchanged."),
    scheduler: str | None = option("ADDRESS", "Let Dask do it on many machines: tcp://host:8786."),
    format: Literal["text", "json"] = choice(
        "text", "json: the result for each kind of file, on stdout.", "-f"
    ),
    read_as: options.ReadAs,
) -> int:
    """Convert files to a dataset: a folder of Parquet files for each table.

    Only new and changed files are read. If it is interrupted or killed, rerun it to resume. FILES
    and DESTINATION may be URLs, such as 's3://bucket/runs/**/*.json'. polars, DuckDB, Spark and
    Dask read DESTINATION/io/*.parquet, Python ft.open_dataset(DESTINATION).
    """
    tables = naming.split(table)
    for name in tables:
        rows.refuse_other_tables(name)
    if read_as.workers > 1 and scheduler is not None:
        raise Trouble("--workers or --scheduler, not both", 2)
    as_asked = rows.arguments(read_as)
    from fiotools.dataset.convert import convert as converted

    with _executor(scheduler) as executor:
        done = converted(
            rows.named(sources, "convert reads files that can be read again, and not -"),
            output,
            tables=tables or None,
            prune=prune,
            check_hashes=check_hashes,
            workers=read_as.workers if executor is None else None,
            executor=executor,
            **as_asked,
        )
    for refusal in done.refusals:
        say(refusal)
    if done.refused > len(done.refusals):
        more = many(done.refused - len(done.refusals), "more file")
        say(f"{more} could not be read: {output}/_manifest has them, status refused")
    say(f"converted to {done}")
    if format == "json":
        import json

        write_bytes(json.dumps(asdict(done)).encode() + b"\n")
    return 1 if done.refused else 0


@contextmanager
def _executor(scheduler: str | None) -> Iterator[Any]:
    """Connect to the scheduler of Dask while it is needed."""
    if scheduler is None:
        yield None
        return
    from fiotools.files import needed

    distributed = needed("distributed", "--scheduler")
    try:
        client = distributed.Client(scheduler, timeout="10s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise Trouble(f"--scheduler {scheduler}: {str(error) or 'no answer'}") from None
    with client:
        yield client.get_executor()


@command(
    "export run.json",
    "export 'runs/{volume}_{round}.json' -o fio.prom",
)
def export(
    sources: list[str] = options.FILES,
    *,
    output: str | None = option(
        "FILE", "Write to FILE, whole or not at all; default: the screen.", "-o"
    ),
    format: Literal["openmetrics"] = choice("openmetrics", "The format of the other system.", "-f"),
    read_as: options.ReadAs,
) -> int:
    """Export results to a monitoring system.

    Prometheus scrapes OpenMetrics, and Grafana draws it: put FILE.prom where the text collector of
    node_exporter looks for files, or push it to a gateway.
    """
    from fiotools.display.exports import openmetrics

    path = Path(output) if output else None
    if path is not None:
        atomic_write.refuse_missing_folder(path)
    read = rows.read_all(sources, read_as, label=True)
    content = "".join(f"{line}\n" for line in openmetrics(read.results)).encode()
    if path is None:
        write_bytes(content)
        return read.code
    refuse_overwriting(read.results, path)
    atomic_write.write_bytes(path, content)
    say(f"wrote {path}")
    return read.code
