"""`fiotools compare`: how much more, and how sure."""

from __future__ import annotations

from typing import Annotated

import typer

from fiotools.cli import comparing, files, options
from fiotools.cli.answer import give
from fiotools.cli.command import Command

Settings = Annotated[
    bool, typer.Option("--settings", help="Show instead which settings the sides differ in.")
]


def compare(
    sources: options.Files,
    metric: options.Metric = None,
    between: options.Between = None,
    baseline: options.Baseline = None,
    by: options.By = None,
    where: options.Where = None,
    scope: options.Scope = None,
    combine: options.Combine = None,
    pair: options.Pair = None,
    confidence: options.Confidence = 0.95,
    band: options.Band = 0.05,
    method: options.Method = "log-welch",
    drop_missing: options.DropMissing = False,
    settings: Settings = False,
    table: options.Table = None,
    format: options.Format = "table",
    reader: options.Reader = None,
    tool_version: options.ToolVersion = None,
) -> int:
    """Compare ways of storing data: the ratio, its interval, and a verdict in words.

    Each file is a side, named after its path. For several runs a side give a folder, a quoted glob
    or NAME=FILES for each; or one path template, whose field names the sides.
    """
    read = files.read_all(sources, reader=reader, version=tool_version, label=True)
    if settings:
        from fiotools.cli.settings import differences, sheet

        give(differences(read, between, baseline), format, sheet)
        return read.code
    from fiotools.stats.compare import compare as answer_of

    question = comparing.asked(
        *(read, metric, table, between, baseline, by, where, scope, combine, drop_missing),
        *(pair, confidence, band, method),
    )
    answer = answer_of(question.frame, question.metric, **question.arguments)
    give(answer, format, lambda frame: comparing.sheet(frame, question.arguments["between"]))
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
