"""`fiotools compare`: how much more, and how sure."""

from __future__ import annotations

from typing import Annotated

from fiotools.cli import comparison, files, options
from fiotools.cli.answer import give
from fiotools.cli.command import Command
from fiotools.cli.options import flag


def compare(
    sources: options.Files,
    *,
    asked: options.Comparison,
    settings: Annotated[
        bool, flag("--settings", "Show instead which settings the sides differ in.")
    ] = False,
    format: options.Format = "table",
    read_as: options.ReadAs,
) -> int:
    """Compare ways of storing data: the ratio, its interval, and a verdict in words.

    Each file is a side, named after its path. For several runs a side give a folder, a quoted glob
    or NAME=FILES for each; or one path template, whose field names the sides.
    """
    read = files.read_all(sources, read_as, label=True)
    if settings:
        answer = comparison.differences(read, asked.sides)
    else:
        from fiotools.stats.compare import compare as statistic

        answer = comparison.answer(statistic, read, asked)
    give(format, lambda: answer, lambda: comparison.sheet(answer))
    return read.code


COMMAND = Command(
    compare,
    (
        "compare single.json mirror.json --metric iops --by direction",
        "compare one='one/*.json' two='two/*.json' --metric lat_mean --where direction=read",
        "compare 'data/{volume}.xml' --baseline vhdx --metric iops --by direction",
        "compare old/ new/ --metric bw --by direction,bs --combine run --format markdown",
        "compare single.json mirror.json --settings",
    ),
)
