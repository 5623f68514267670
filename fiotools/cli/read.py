"""`fiotools read`, `convert` and `export`: what is in the files, as other programs take it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import parent_process
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Literal

from fiotools.cli import sources
from fiotools.cli.output import (
    WRITERS,
    Shown,
    Trouble,
    give,
    refuse_overwriting,
    say,
    show,
    target,
    write_bytes,
)
from fiotools.cli.questions import RowFilter, filtered, of_scope, wrong_condition
from fiotools.cli.sources import Reading, read_all
from fiotools.files import atomic_write, needed
from fiotools.tables import naming
from fiotools.vocabulary import COLUMNS

if TYPE_CHECKING:
    import polars as pl

    from fiotools.tables.results import Results

_LOOKS = ("table", "markdown")  # forms that people look at


def read(
    files: Sequence[str],
    *,
    table: Sequence[str] = (),
    where: Sequence[str] = (),
    scope: str | None = None,
    combine: Literal["run", "group"] | None = None,
    columns: Sequence[str] = (),
    rows_shown: int = 40,
    form: Literal["table", "json", "csv", "markdown", "parquet"] = "table",
    output: str | None = None,
    reading: dict[str, Any],
) -> int:
    """Read files, and show their content or write it for other programs.

    Parameters
    ----------
    table : sequence of str
        The table: overview, runs, jobs, settings, io, percentiles, bins, samples, timings, cpu,
        disks, extras, notes; by default the overview, for a file io, for a folder all.
    where : sequence of str
        Keep these rows: direction=read, 'bs>=4k', "rw in ['read', 'write']".
    scope : str, optional
        Keep rows of this scope: total, thread, job, group, client, target.
    combine : {"run", "group"}, optional
        First add up jobs and threads, for each run or fio group.
    columns : sequence of str
        Only these columns: job,direction,iops.
    rows_shown : int
        Rows that the table shows; 0: all.
    form : {"table", "json", "csv", "markdown", "parquet"}
        The form: json and csv have every column, in base units.
    output : str, optional
        Write one table to FILE.parquet, .csv, .json, .jsonl, .xlsx or .html, or each to a file of
        FOLDER/.
    """
    from fiotools.display import layout
    from fiotools.tables import metrics

    sources.refuse_other_tables([name for name in table if name != "overview"])
    place = None if output is None else target(output, form, len(table))
    if place is None and form == "parquet":
        raise Trouble("parquet is for programs, not for a screen: add -o FILE.parquet", 2)
    if place is None and len(table) > 1:
        raise Trouble("one screen shows one table: write several, -o FOLDER/", 2)
    read = read_all(files, reading, label=True, hint=[*table] != ["notes"])
    results = read.results
    if not table and place is not None and place.is_folder:
        table = [name for name in results.tables if results.tables.height(name)]
    rows = RowFilter(where=where, scope=scope, combine=combine)
    if table or place or columns or scope or combine or form not in _LOOKS:
        names = table or [metrics.main_table(results)]
        frames = {name: _chosen(read, name, rows, columns) for name in names}
    else:
        frames = dict([layout.first_look(_fulfilling(results, where))])
    name, frame = next(iter(frames.items()))
    if place is not None:
        place.write(results, frames, lambda: [layout.preview(results, frame, name, 0, True)])
    elif form in ("json", "csv"):
        write_bytes(WRITERS[form](frame))
    else:
        show(form, [layout.preview(results, frame, name, rows_shown, bool(columns))])
    return read.code


def _chosen(read: Reading, table: str, rows: RowFilter, wanted: Sequence[str]) -> pl.DataFrame:
    from fiotools.tables.results import with_runs

    if table == "overview":
        from fiotools.stats.overview import overview

        frame: pl.DataFrame = overview(_fulfilling(read.results, rows.where))
    else:
        frame = of_scope(filtered(read, read.table(table), rows), rows.own_scope)
        frame = with_runs(read.results, frame, wanted)
    chosen = [naming.found(name, frame, "--columns") for name in wanted]
    return frame[chosen] if chosen else frame


def _fulfilling(results: Results, where: Sequence[str]) -> Results:
    """Keep the rows that fulfil the conditions, in all tables."""
    with wrong_condition():
        return results.where(*where)


def overview(
    files: Sequence[str],
    *,
    asked: dict[str, Any],
    where: Sequence[str] = (),
    shown: Shown,
    reading: dict[str, Any],
) -> int:
    """Tabulate what was measured: a row for each run and direction.

    A run counts once in each direction: with the tool's own total, else with the sum of its jobs.
    fio's groups that ran one after another have rows of their own.

    Parameters
    ----------
    where : sequence of str
        Keep these rows: direction=read, 'bs>=4k', "rw in ['read', 'write']".
    """
    from fiotools.display import layout
    from fiotools.stats.overview import overview

    read = read_all(files, reading, label=True)
    by = asked.get("by", [])
    named = [naming.full(one, COLUMNS) for one in ([by] if isinstance(by, str) else by)]
    answer = overview(_fulfilling(read.results, where), by=named or None)
    give(shown, [answer], layout.sheet, read.results)
    return read.code


def convert(
    stored: Sequence[str],
    *,
    output: str,
    asked: dict[str, Any],
    workers: str | None = None,
    form: Literal["text", "json"] = "text",
    reading: dict[str, Any],
) -> int:
    """Convert files to a dataset: a folder of Parquet files for each table.

    Files that the dataset holds are not read again. If it is interrupted or killed, rerun it to go
    on. FILES and the dataset may be URLs, such as 's3://bucket/runs/**/*.json'. polars, DuckDB,
    Spark and Dask read FOLDER/io/*.parquet, Python ft.open_dataset("FOLDER").

    Parameters
    ----------
    output : str
        The folder of the dataset, or its URL: a new one, or one to add to.
    workers : str, optional
        Do it in so many processes, or on the machines of Dask whose scheduler is at
        tcp://host:8786.
    form : {"text", "json"}
        json: what was done, on stdout.
    """
    sources.refuse_other_tables(asked.get("tables", ()))
    sources.refuse_other_formats(reading)
    from fiotools import dataset

    with _executor(workers) as executor:
        done = dataset.convert(
            sources.named(stored, "convert reads files that can be read again, and not -"),
            output,
            executor=executor,
            **asked,
            **reading,
        )
    for refusal in done.refusals:
        say(str(refusal))
    say(f"converted to {done}")
    if form == "json":
        import json

        told = {**vars(done), "refusals": list(map(str, done.refusals))}
        write_bytes(json.dumps(told).encode() + b"\n")
    return 1 if done.refusals else 0


@contextmanager
def _executor(workers: str | None) -> Iterator[Any]:
    """Start processes, or connect to the scheduler of Dask, while they are needed."""
    if workers is None:
        yield None
        return
    wanted = f"--workers {workers}: give a number of processes, or the address of Dask's scheduler"
    if workers == "0" or not (workers.isdecimal() or ":" in workers):
        raise Trouble(wanted, 2)
    if workers.isdecimal():
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        # polars must not be forked
        with ProcessPoolExecutor(int(workers), get_context("spawn"), _follow) as pool:
            yield pool
        return
    distributed = needed("distributed", f"--workers {workers}")
    try:
        client = distributed.Client(workers, timeout="10s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise Trouble(f"{wanted} ({str(error) or 'no answer'})") from None
    with client:
        yield client


def _follow() -> None:
    """Have a worker end with the program, by a kill too, and leave Ctrl-C to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_after, args=(parent_process(),), daemon=True).start()


def _end_after(parent: Any) -> None:
    parent.join()
    os._exit(1)


def export(
    files: Sequence[str],
    *,
    form: Literal["openmetrics", "bencher", "github-bigger", "github-smaller"] = "openmetrics",
    output: str | None = None,
    reading: dict[str, Any],
) -> int:
    """Export results to a monitoring system, or to a tracker of benchmarks.

    Prometheus scrapes OpenMetrics, and Grafana draws it: put FILE.prom where the text collector of
    node_exporter looks for files, or push it to a gateway. Trackers get the mean of the runs and
    its interval: bencher for `bencher run --adapter json`; for github-action-benchmark two files,
    tool customBiggerIsBetter (rates) and customSmallerIsBetter (times).

    Parameters
    ----------
    form : {"openmetrics", "bencher", "github-bigger", "github-smaller"}
        The format of the other system.
    output : str, optional
        Write to FILE; default: the screen.
    """
    from fiotools.display.exports import openmetrics

    path = Path(output) if output else None
    if path is not None:
        atomic_write.refuse_missing_folder(path)
    read = read_all(files, reading, label=True)
    if form == "openmetrics":
        content = "".join(f"{line}\n" for line in openmetrics(read.results)).encode()
    else:
        from fiotools.display.trackers import TRACKERS
        from fiotools.stats.overview import overview

        content = TRACKERS[form](overview(read.results)).encode()
    if path is None:
        write_bytes(content)
        return read.code
    refuse_overwriting(read.results, path)
    atomic_write.write_bytes(path, content)
    say(f"wrote {path}")
    return read.code
