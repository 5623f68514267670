"""`fiotools export`: results in the form that another system takes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from fiotools.cli import files, options
from fiotools.cli.command import Command
from fiotools.cli.options import option
from fiotools.cli.output import say, write_bytes
from fiotools.files import atomic_write


def export(
    sources: options.Files,
    *,
    output: Annotated[
        str | None,
        option(
            "FILE", "Write to FILE, whole or not at all; default: the screen.", "--output", "-o"
        ),
    ] = None,
    format: Annotated[
        Literal["openmetrics"], typer.Option("--format", "-f", help="What the other system takes.")
    ] = "openmetrics",
    read_as: options.ReadAs,
) -> int:
    """Export results to a monitoring system.

    OpenMetrics is the text that Prometheus scrapes, and Grafana draws: put it where the text
    collector of node_exporter looks for files (FILE.prom), or push it to a gateway.
    """
    from fiotools.display.exports import openmetrics

    path = Path(output) if output else None
    if path is not None:
        atomic_write.refuse_missing_folder(path)
    read = files.read_all(sources, read_as, label=True)
    content = "".join(f"{line}\n" for line in openmetrics(read.results)).encode()
    if path is None:
        write_bytes(content)
        return read.code
    files.refuse_overwriting(read, path)
    atomic_write.write(path, lambda file: file.write(content))
    say(f"wrote {path}")
    return read.code


COMMAND = Command(
    export,
    (
        "export run.json",
        "export 'runs/{volume}_{round}.json' -o fio.prom",
    ),
)
