"""`fiotools speedup`: how many times faster, and how sure."""

from __future__ import annotations

from fiotools.cli import comparing, files, options
from fiotools.cli.answer import give
from fiotools.cli.command import Command


def speedup(
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
    table: options.Table = None,
    format: options.Format = "table",
    reader: options.Reader = None,
    tool_version: options.ToolVersion = None,
) -> int:
    """Compare as `compare` does, and say how many times faster: above 1 is better."""
    from fiotools.stats.compare import speedup as answer_of

    read = files.read_all(sources, reader=reader, version=tool_version, label=True)
    question = comparing.asked(
        *(read, metric, table, between, baseline, by, where, scope, combine, drop_missing),
        *(pair, confidence, band, method),
    )
    answer = answer_of(question.frame, question.metric, **question.arguments)
    give(answer, format, lambda frame: comparing.sheet(frame, question.arguments["between"]))
    return read.code


COMMAND = Command(
    speedup,
    (
        "speedup 'page-cache/{cache}.txt' --baseline before --metric real",
        "speedup old='old/*.txt' new='new/*.txt' --metric real",
        "speedup 'data/{volume}.xml' --baseline vhdx --metric lat_mean --by direction",
    ),
)
